// The table of solvers of linear complementarity problems.

#include "lcp.h"

#include <string.h>

static const pl_lcp_solver solvers[] = {
    {.name = "pgs",
     .needs = PL_LCP_NOT_PYRAMIDS | PL_LCP_KNOWS_FOLLOWING,
     .guarantee = "row by row; linear convergence where M is symmetric and positive definite",
     .paper = "projected Gauss-Seidel [Erl13]",
     .solve = pl_lcp_pgs},
    {.name = "psor",
     .needs = PL_LCP_NOT_PYRAMIDS | PL_LCP_KNOWS_FOLLOWING,
     .guarantee = "as pgs, with steps that are longer or shorter by a factor",
     .paper = "projected successive over-relaxation [Erl13]",
     .solve = pl_lcp_psor},
    {.name = "pgs-sm",
     .needs = PL_LCP_NEEDS_SYMMETRIC | PL_LCP_KNOWS_FOLLOWING,
     .guarantee = "sweeps of pgs, and conjugate gradients on the rows that they leave free",
     .paper = "projected Gauss-Seidel with subspace minimization [Silcowitz et al. 2010 a]",
     .solve = pl_lcp_pgs_sm},
    {.name = "nncg",
     .needs = PL_LCP_NEEDS_SYMMETRIC | PL_LCP_KNOWS_FOLLOWING,
     .guarantee = "sweeps of pgs, sped up; no guarantee, but rarely more of them than pgs",
     .paper = "nonsmooth nonlinear conjugate gradients [Silcowitz et al. 2010 b]",
     .solve = pl_lcp_nncg},
    {.name = "admm",
     .needs = PL_LCP_NOT_PYRAMIDS | PL_LCP_BY_ISLANDS,
     .guarantee =
         "converges where x^T M x >= 0, linearly; one or a few dense factors, an exact end",
     .paper = "alternating directions [Boyd et al. 2011], adaptive [Stellato et al. 2020]",
     .solve = pl_lcp_admm},
    {.name = "murty",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NOT_PYRAMIDS,
     .guarantee = "exact; ends where all principal minors are positive, after up to 2^n pivots",
     .paper = "principal pivoting of the least index [Murty 1974; Ho22, 2.5.2]",
     .solve = pl_lcp_murty},
    {.name = "bpp",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NOT_PYRAMIDS,
     .guarantee = "exact; few pivots of many rows, with the end that murty has; dense factors",
     .paper = "block principal pivoting [Judice & Pires 1994; Ho22, Alg. 1]",
     .solve = pl_lcp_bpp},
    {.name = "bpp-down",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "as bpp; tight rows are removed from one dense factor: for few of them",
     .paper = "block principal pivoting with incremental factors [Lef20, Alg. 2.2]",
     .solve = pl_lcp_bpp_down},
    {.name = "bpp-skyline",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "as bpp-down, within the skyline of a narrow order",
     .paper = "the same with a skyline [Lef20, Alg. 2.5]",
     .solve = pl_lcp_bpp_skyline},
    {.name = "bpp-refactor-skyline",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "as bpp, a factor in a skyline from scratch for every set",
     .paper = "block principal pivoting [Judice & Pires 1994]",
     .solve = pl_lcp_bpp_refactor_skyline},
    {.name = "bpp-cache",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "as bpp-skyline from the nearest factor kept, within a limit of memory",
     .paper = "the same with a cache [Lef20, Alg. 3.1]",
     .solve = pl_lcp_bpp_cache},
    {.name = "bpp-auto",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "as bpp; removes rows or factors anew by what costs less, in a skyline",
     .paper = "the same, choosing by counted work [Lef20, 2.2.2]",
     .solve = pl_lcp_bpp_auto},
#ifdef PL_CXSPARSE
    {.name = "bpp-sparse",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "as bpp, a sparse factor for every set: for many rows that touch few",
     .paper = "sparse Cholesky factors with an order of minimum degree [Davis 2006]",
     .solve = pl_lcp_bpp_sparse},
    {.name = "bpp-sparse-down",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "as bpp-down with a sparse factor",
     .paper = "the same with sparse updates [Lef20, 2; Davis & Hager 1999]",
     .solve = pl_lcp_bpp_sparse_down},
#endif
    {.name = "pdasm",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "many rows at once; a new banded factor in every iteration; single changes where "
                  "sets come back make it finite for positive definite M",
     .paper = "primal-dual active sets, DIRECT [Lit13, Alg. 2.2]",
     .solve = pl_lcp_pdasm},
    {.name = "schurpa",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "the sets of pdasm; one factor, bordered by the rows that differ from its set",
     .paper = "SCHURPA [Lit13, Alg. 3.2]",
     .solve = pl_lcp_schurpa},
    {.name = "bpp-pcg",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC | PL_LCP_NEEDS_DIAGONAL,
     .guarantee =
         "the pivots of bpp, systems by conjugate gradients: no factors but incomplete ones",
     .paper = "[Ho22, Alg. 10]",
     .solve = pl_lcp_bpp_pcg},
    {.name = "pgcg",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC | PL_LCP_NEEDS_DIAGONAL,
     .guarantee = "x between its bounds, an energy that falls, few outer iterations",
     .paper = "generalized conjugate gradients [O'Leary 1980; Ho22, Alg. 11]",
     .solve = pl_lcp_pgcg},
    {.name = "dantzig",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "exact where M is symmetric and positive semidefinite; rows in turn, dense",
     .paper = "principal pivoting of Dantzig and Cottle [Baraff 1994]",
     .solve = pl_lcp_dantzig},
    {.name = "keller",
     .needs = PL_LCP_BY_ISLANDS | PL_LCP_NEEDS_SYMMETRIC,
     .guarantee = "as dantzig, with x between its bounds and an energy that falls all the way",
     .paper = "[Keller 1973]",
     .solve = pl_lcp_keller},
    {.name = "lemke",
     .needs = PL_LCP_BY_ISLANDS,
     .guarantee = "exact, for any matrix; without a solution a ray, which proves that where M is "
                  "positive semidefinite; dense",
     .paper = "complementary pivoting [Lemke 1965; Erl13]",
     .solve = pl_lcp_lemke},
    {.name = "fischer",
     .needs = PL_LCP_BY_ISLANDS,
     .guarantee = "superlinear where it converges; any M, never for certain if minors are negative",
     .paper = "Newton on Fischer's function [Fischer 1992; Billups 1995; Erl13]",
     .solve = pl_lcp_fischer},
    {.name = "fischer-krylov",
     .needs = PL_LCP_BY_ISLANDS,
     .guarantee = "as fischer, with products alone",
     .paper = "the same with GMRES inside [Erl13]",
     .solve = pl_lcp_fischer_krylov},
    {.name = "penalised",
     .needs = PL_LCP_BY_ISLANDS,
     .guarantee = "as fischer, with level sets that are bounded more often",
     .paper = "Newton on the penalised Fischer function [Chen, Chen & Kanzow 2000]",
     .solve = pl_lcp_penalised},
    {.name = "minmap",
     .needs = PL_LCP_BY_ISLANDS,
     .guarantee =
         "exact; few steps that solve for the free rows alone, and Fischer's where those fail",
     .paper = "Newton on the minimum map [Erl13; Erleben & Ortiz]",
     .solve = pl_lcp_minmap},
    {.name = "ipm",
     .needs = PL_LCP_NOT_PYRAMIDS | PL_LCP_BY_ISLANDS,
     .guarantee = "exact; converges where x^T M x >= 0, in some 5 to 20 factors of all rows",
     .paper = "interior points with predictor and corrector [Mehrotra 1992]",
     .solve = pl_lcp_ipm},
};

enum { N_SOLVERS = sizeof solvers / sizeof *solvers };

int32_t pl_lcp_solver_count(void)
{
    return N_SOLVERS;
}

const pl_lcp_solver *pl_lcp_solver_at(int32_t i)
{
    return &solvers[i];
}

pl_status pl_lcp_solver_find(const char *name, const pl_lcp_solver **out)
{
    const char *names[N_SOLVERS];
    for (int32_t i = 0; i < N_SOLVERS; i++) {
        names[i] = solvers[i].name;
        *out = &solvers[i];
        if (strcmp(name, names[i]) == 0) return PL_OK;
    }
    *out = NULL;
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "solver", name, strlen(name), names, N_SOLVERS);
}
