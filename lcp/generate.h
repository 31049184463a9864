// Linear complementarity problems to measure and to test solvers with, by kind, size and seed.
// Internal.
//
// The kinds are those that [Erl13] asks for, whose slides leave the distributions open, and the
// banded problems of [Lit13, 7.1]. The same seed gives the same problem; for the fluids it gives
// the same field of velocities on every grid, so that solvers can be compared as a grid is refined.

#ifndef PL_LCP_GENERATE_H
#define PL_LCP_GENERATE_H

#include "lcp.h"

typedef enum pl_lcp_kind {
    PL_LCP_KIND_SPD,      // B B^T / n + shift I with a Gaussian B (n*n): symmetric, definite
    PL_LCP_KIND_PSD,      // B B^T / n with B (n*r), r = rank n: symmetric, singular
    PL_LCP_KIND_P_MATRIX, // D (SPD + S) D': all principal minors > 0, but not definite
    PL_LCP_KIND_MONOTONE, // PSD + S with a Gaussian skew S: not symmetric, x^T M x >= 0
    PL_LCP_KIND_UNIFORM,  // entries between -1 and 1: may have many solutions, or none
    PL_LCP_KIND_FLUID_2D, // pressures of a fluid that may leave its walls, n*n cells
    PL_LCP_KIND_FLUID_3D, // the same with n*n*n cells
    PL_LCP_KIND_BAND,     // a symmetric Gaussian band [Lit13, 7.1]
    PL_LCP_N_KIND
} pl_lcp_kind;

typedef struct pl_lcp_params {
    // Of the dense kinds (all but fluids and bands).
    bool planted;      // a solution is drawn and q made for it; else q is Gaussian
    bool mixed_bounds; // free, unilateral and boxed rows in turn at random; else 0 .. INFINITY
    double tight;      // the share of rows of the solution that are at a bound
    double degenerate; // the share of those where w is 0, too
    double shift;      // [unit of M] of spd and p-matrix
    double rank;       // r / n of psd and monotone, from 0 to 1
    double skew;       // of p-matrix and monotone: S has Gaussian entries times this / sqrt(n)
    double imbalance;  // of p-matrix: diagonals of D and D' are between 1 / this and this
    // Of the fluids: a box of side `length`, open at the top.
    double length;     // [m]
    double density;    // [kg/m^3]
    double dt;         // [s]
    double divergence; // [1/s] of the field before pressures, about
    bool free_slip;    // pressures may pull: a linear system, to compare with
    // Of bands.
    int32_t half_bandwidth; // entries beside the diagonal, on either side
    int32_t inverted;       // the first so many rows of the start have the other state
} pl_lcp_params;

// Planted, half of the rows tight, 1/10 of those degenerate; shift 0.1, rank 0.5, skew 1, imbalance
// 4; 1 m of water in steps of 0.01 s, divergence 1/s; half bandwidth 10, nothing inverted.
pl_lcp_params pl_lcp_params_default(void);

typedef struct pl_lcp_data {
    pl_lcp lcp;          // its arrays are those below
    double *x;           // (n) a solution; NULL: none is known
    double *start;       // (n) where to start from; NULL: from 0
    double condition;    // of M: of the fluids exact, else seen from below; INFINITY: M is singular
    int64_t *col;        // (n + 1)
    int32_t *row;        // (col[n])
    double *val;         // (col[n])
    double *q, *lo, *hi; // (n)
} pl_lcp_data;

// "spd", "psd", "p-matrix", "monotone", "uniform", "fluid-2d", "fluid-3d", "band".
const char *pl_lcp_kind_name(pl_lcp_kind kind);

// Fails with PL_ERROR_ARGUMENT on an unknown name, and suggests the nearest.
pl_status pl_lcp_kind_find(const char *name, pl_lcp_kind *out);

// n rows; for the fluids, n cells along a side. `params` may be NULL for the defaults. A band is
// solved, to know which rows to invert: x is that solution, and if the matrix is indefinite, which
// a narrow band may be, it fails with PL_ERROR_NUMERICS. On failure *out is {0}.
pl_status pl_lcp_generate(pl_lcp_kind kind, int32_t n, uint64_t seed, const pl_lcp_params *params,
                          pl_lcp_data *out);

void pl_lcp_data_free(pl_lcp_data *data); // leaves {0}

#endif
