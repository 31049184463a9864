// Linear complementarity problems with bounds, row by row, and the table of their solvers.
// Internal.
//
// Given a square matrix M, a vector q and bounds lo <= hi, which may be infinite, find x with
//
//     w = M x + q,   lo <= x <= hi,   w > 0 only where x = lo,   w < 0 only where x = hi
//
// so that w = 0 between the bounds. 0 .. INFINITY is a row of a plain LCP (x >= 0, w >= 0, x w =
// 0), -INFINITY .. INFINITY a linear equation. In a contact problem x are impulses and w
// velocities, and M = L A^-1 L^T + E is symmetric, positive definite with compliance
// (solvers/scalar_form.h makes one). Signs are those of [Ho22, 2.27]; [Lef20, 1.18] has w = M x -
// b.
//
// Friction as a box is two rows with finite bounds. Rows may have bounds that follow another one
// (`mu`): -mu x_k .. mu x_k with k = normal[i], which only some solvers can.
//
// One vocabulary for sets: a row is *free* where w = 0 is solved for, *tight* at one of its bounds.

#ifndef PL_LCP_H
#define PL_LCP_H

#include "../base/arena.h"

#include <math.h>

typedef struct pl_lcp {
    int32_t n;
    // M, all of it, in compressed columns.
    const int64_t *col;        // (n + 1) where each column starts
    const int32_t *row;        // (col[n]) ascending in a column
    const double *val;         // (col[n])
    bool symmetric;            // M is, to the bit
    const double *q, *lo, *hi; // (n)
    // Rows of friction: the row of their normal impulse, -1 for all others. NULL: none is.
    const int32_t *normal; // (n)
    const double *mu;      // (n) not NULL: their bounds are -mu x .. mu x of that row, not lo .. hi
} pl_lcp;

typedef enum pl_lcp_precond {
    PL_LCP_PRECOND_NONE,
    PL_LCP_PRECOND_JACOBI,
    PL_LCP_PRECOND_IC,         // incomplete Cholesky on the pattern of M
    PL_LCP_PRECOND_IC_SHIFT,   // the same of M + gamma diag(M) [Ho22, 4.1.2]
    PL_LCP_PRECOND_IC_PARTIAL, // the same with shifts where a pivot fails [Ho22, 4.1.4]
    PL_LCP_PRECOND_ICT,        // with a threshold and a limit of entries [Ho22, Alg. 5]
    PL_LCP_PRECOND_IMAGINARY,  // pivots below 0 change their sign [Ho22, Alg. 6]
    PL_LCP_N_PRECOND
} pl_lcp_precond;

// How a Newton method solves its linear systems.
typedef enum pl_lcp_inner {
    PL_LCP_INNER_EXACT,     // a factor
    PL_LCP_INNER_KRYLOV,    // products, to a part of the residual that shrinks with it
    PL_LCP_INNER_PERTURBED, // a factor of M plus a diagonal that shrinks with the error
    PL_LCP_N_INNER
} pl_lcp_inner;

// Called once per (outer) iteration, before it: `error` is pl_lcp_errors.natural.
typedef void pl_lcp_trace_fn(int32_t iteration, double error, void *user);

typedef struct pl_lcp_options {
    double tolerance;       // on pl_lcp_errors.natural, in the unit of w; > 0
    int32_t max_iterations; // outer ones, 0 or more
    double max_seconds;     // wall clock; 0: no limit. Looked at between iterations
    pl_lcp_trace_fn *trace; // NULL: nobody looks
    void *trace_user;

    // Of some solvers; their files say what for.
    double pivot_tolerance;   // in the unit of w: what is less does not pivot [Ho22, 6]
    int32_t patience;         // of bpp: block pivots without fewer violations, before single ones
    double relaxation;        // of psor, above 0 and below 2
    pl_lcp_precond precond;   // of inner conjugate gradients
    bool prescale;            // M is scaled to a unit diagonal before it is factored [Ho22, 4.1.6]
    double inner_tolerance;   // of inner iterations, |r| in the unit of w
    int32_t max_inner;        // inner iterations in one outer one
    double drop;              // of PL_LCP_PRECOND_ICT: entries below this part of their column
    int32_t fill;             // of the same: off-diagonal entries that a column keeps at most
    double regularize;        // eps of [Ho22, Alg. 9], in the unit of M; 0: never
    int32_t regularize_after; // d of the same: pivots of a row of friction before the first time
    int32_t max_solves;       // of schurpa: solves with a factor before a new one [Lit13, 7.2]
    int64_t cache_bytes;      // of bpp-cache: what its factors may take; of schurpa: its columns
    pl_lcp_inner inner;       // of fischer, penalised and minmap
    int32_t restart;          // of GMRES, where krylov needs it: vectors kept at most; 1 or more
    double perturbation;      // of PL_LCP_INNER_PERTURBED, at the start: parts of M_ii
    double penalty;           // of penalised: the weight of Fischer's function, above 0 and up to 1
    double over_relaxation;   // of admm, above 0 and below 2
} pl_lcp_options;

// 1e-10, 1,000 iterations, no limit of time; the parameters of the papers.
pl_lcp_options pl_lcp_options_default(void);

typedef enum pl_lcp_end {
    PL_LCP_SOLVED,    // within the tolerance, as measured by pl_lcp_measure
    PL_LCP_LIMIT,     // of iterations
    PL_LCP_TIME,      // of time
    PL_LCP_STALLED,   // no step improves it
    PL_LCP_CYCLING,   // sets recur; x is of the best set seen
    PL_LCP_RAY,       // of lemke: no solution was found, and for most classes of M there is none
    PL_LCP_UNBOUNDED, // a row without curvature pulls for ever; M >= 0 symmetric: no solution
    PL_LCP_BREAKDOWN, // a pivot that is not positive where it must be, or a number not finite
    PL_LCP_SIZE,      // it would take more memory than the solver allows itself
    PL_LCP_N_END
} pl_lcp_end;

// "solved", "limit", ...
const char *pl_lcp_end_name(pl_lcp_end end);

// How well x solves the problem, by w = M x + q anew. With a = M_ii where that is above 0, else 1,
// d = x - clamp(x - w / a) is the natural map of a row: 0 exactly where the row obeys.
typedef struct pl_lcp_errors {
    double natural;         // the largest a |d| [unit of w]
    int32_t worst;          // its row
    double energy;          // the largest a d^2 / 2 [Ho22, 6.2.2; Enzenhoefer et al.]
    double mean_energy;     // over all rows
    double primal;          // by how much an x is beyond a bound, at most
    double dual;            // by how much a w has the wrong sign at its bound, at most
    double complementarity; // the largest min(|w|, a times the way from the bound that w points at)
} pl_lcp_errors;

typedef struct pl_lcp_stats {
    pl_lcp_end end;
    int32_t iterations;     // outer ones
    int64_t inner;          // iterations of an inner linear solver
    int64_t pivots;         // rows that changed between free and tight
    int64_t factorizations; // of a matrix from scratch
    int64_t updates;        // rows removed from, or added to, a factor
    int64_t solves;         // with a factor, right-hand sides
    int64_t fallbacks;      // single pivots after block ones, gradient steps after Newton's, ...
    int64_t shifts;         // of diagonals: preconditioners and regularization
    double imaginary;       // the share of columns whose pivot was below 0, mean over factors
    double seconds;
    pl_lcp_errors errors; // of the result, measured alike for every solver
} pl_lcp_stats;

// What a solver works with.
typedef struct pl_lcp_work {
    pl_arena *arena; // to take memory from
    double *diag;    // (n) M_ii
    double *w;       // (n) scratch
    double started;  // [s] of pl_seconds
} pl_lcp_work;

// Improves x (n), which holds a start; rows that begin at a bound begin tight where a solver has
// sets. Sets stats->end and its counts; returns a failure only if it could not work at all
// (memory). An x that is not finite is dropped, and ends as a breakdown.
typedef pl_status pl_lcp_solve_fn(const pl_lcp *lcp, const pl_lcp_options *options,
                                  pl_lcp_work *work, double *x, pl_lcp_stats *stats);

// What a solver asks for, and what it can beyond constant bounds.
enum {
    PL_LCP_NEEDS_SYMMETRIC = 1,
    PL_LCP_NEEDS_DIAGONAL = 2,  // M_ii > 0
    PL_LCP_KNOWS_FOLLOWING = 4, // bounds that follow another row
    PL_LCP_BY_ISLANDS = 8,      // is given rows that M connects by themselves (islands.h)
    PL_LCP_NOT_PYRAMIDS = 16,   // rows of friction in pyramids are too much for it (scalar_form.h)
};

typedef struct pl_lcp_solver {
    const char *name;
    unsigned needs;        // bits of the above
    const char *guarantee; // one line for a person who chooses
    const char *paper;     // where it is from
    pl_lcp_solve_fn *solve;
} pl_lcp_solver;

int32_t pl_lcp_solver_count(void);
const pl_lcp_solver *pl_lcp_solver_at(int32_t i);

// Fails with PL_ERROR_ARGUMENT on an unknown name, and suggests the nearest.
pl_status pl_lcp_solver_find(const char *name, const pl_lcp_solver **out);

// Fails with PL_ERROR_ARGUMENT if the solver needs what the problem lacks, which it names.
pl_status pl_lcp_suits(const pl_lcp_solver *solver, const pl_lcp *lcp);

// Fails with PL_ERROR_ARGUMENT on what no solver could handle, and names the row: columns out of
// order, indices out of range, numbers that are not finite (but for bounds), lo > hi, a symmetric
// matrix that is not.
pl_status pl_lcp_check(const pl_lcp *lcp);

// Solves, and measures. Returns PL_OK only if stats->end is PL_LCP_SOLVED, which is taken back
// (PL_LCP_STALLED) where pl_lcp_measure does not see it; PL_ERROR_NUMERICS if it is not, with x the
// best that the solver has; PL_ERROR_ARGUMENT (what the solver needs and M lacks; options) or
// PL_ERROR_MEMORY, with x as it was. `options` may be NULL for the defaults. The problem is taken
// to have passed pl_lcp_check.
pl_status pl_lcp_solve(const pl_lcp_solver *solver, const pl_lcp *lcp,
                       const pl_lcp_options *options, pl_arena *arena, double *x,
                       pl_lcp_stats *stats);

// w (n) is scratch.
pl_lcp_errors pl_lcp_measure(const pl_lcp *lcp, const double *x, double *w);

// --- For solvers ---

// w := M x + q.
void pl_lcp_multiply(const pl_lcp *lcp, const double *x, double *w);

// y := M x.
void pl_lcp_product(const pl_lcp *lcp, const double *x, double *y);

// The bounds of row i as they are at x.
static inline double pl_lcp_lo(const pl_lcp *lcp, const double *x, int32_t i)
{
    bool follows = lcp->mu != NULL && lcp->normal[i] >= 0;
    return follows ? -lcp->mu[i] * fmax(x[lcp->normal[i]], 0) : lcp->lo[i];
}

static inline double pl_lcp_hi(const pl_lcp *lcp, const double *x, int32_t i)
{
    bool follows = lcp->mu != NULL && lcp->normal[i] >= 0;
    return follows ? lcp->mu[i] * fmax(x[lcp->normal[i]], 0) : lcp->hi[i];
}

static inline double pl_lcp_clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

// pl_lcp_errors.natural of x, given w = M x + q.
double pl_lcp_natural(const pl_lcp *lcp, const double *diag, const double *x, const double *w);

// Is row i one of friction?
static inline bool pl_lcp_is_friction(const pl_lcp *lcp, int32_t i)
{
    return lcp->normal != NULL && lcp->normal[i] >= 0;
}

// Has the time that the options allow passed?
bool pl_lcp_is_late(const pl_lcp_work *work, const pl_lcp_options *options);

pl_lcp_solve_fn pl_lcp_pgs;                   // pgs.c
pl_lcp_solve_fn pl_lcp_psor;                  // pgs.c
pl_lcp_solve_fn pl_lcp_murty;                 // bpp.c
pl_lcp_solve_fn pl_lcp_bpp;                   // bpp.c
pl_lcp_solve_fn pl_lcp_pdasm, pl_lcp_schurpa; // pdasm.c

pl_lcp_solve_fn pl_lcp_bpp_down;             // linear_factor.c
pl_lcp_solve_fn pl_lcp_bpp_skyline;          // linear_factor.c
pl_lcp_solve_fn pl_lcp_bpp_refactor_skyline; // linear_factor.c
pl_lcp_solve_fn pl_lcp_bpp_cache;            // linear_factor.c
pl_lcp_solve_fn pl_lcp_bpp_auto;             // linear_factor.c
// Not in the table: to measure.
pl_lcp_solve_fn pl_lcp_bpp_cache_dense;    // linear_factor.c
pl_lcp_solve_fn pl_lcp_bpp_refactor_dense; // linear_factor.c
#ifdef PL_CXSPARSE
pl_lcp_solve_fn pl_lcp_bpp_sparse;      // linear_sparse.c
pl_lcp_solve_fn pl_lcp_bpp_sparse_down; // linear_sparse.c
#endif
pl_lcp_solve_fn pl_lcp_dantzig;        // drive.c
pl_lcp_solve_fn pl_lcp_keller;         // drive.c
pl_lcp_solve_fn pl_lcp_bpp_pcg;        // linear_pcg.c
pl_lcp_solve_fn pl_lcp_pgcg;           // pgcg.c
pl_lcp_solve_fn pl_lcp_lemke;          // lemke.c
pl_lcp_solve_fn pl_lcp_pgs_sm;         // pgs_sm.c
pl_lcp_solve_fn pl_lcp_nncg;           // nncg.c
pl_lcp_solve_fn pl_lcp_admm;           // admm.c
pl_lcp_solve_fn pl_lcp_fischer;        // newton.c
pl_lcp_solve_fn pl_lcp_fischer_krylov; // newton.c
pl_lcp_solve_fn pl_lcp_penalised;      // newton.c
pl_lcp_solve_fn pl_lcp_minmap;         // newton.c
pl_lcp_solve_fn pl_lcp_ipm;            // ipm.c

#endif
