// The primal-dual active set method, for quadratic programs with bounds [Lit13, Alg. 2.2, 3.2;
// Bergounioux et al. 1999; Hintermueller et al. 2002]. Internal.
//
// min x^T M x / 2 + q^T x, lo <= x <= hi with symmetric positive definite M is the problem of
// lcp.h. From a working set: solve its saddle point system; where that breaks no bound and no sign,
// stop; else the next set has the constraints with b_i - a_i^T x - s_i lambda_i < 0. In a solution
// of the system one of the two is 0, so that it says: free rows beyond a bound become tight there,
// tight rows with the wrong sign of w become free (pl_lcp_sets_next), many at once. A row with two
// bounds is two constraints, of which one holds at a time.
//
// DIRECT factors the free part of M in every iteration, SCHURPA once (schurpa.h): the sets that
// they visit are the same. Locally the method is Newton's, from afar it may come back to a set.
// Then single rows change, the first wrong one each time, which for positive definite M is finite
// (Murty's rule; Judice and Pires have it for two bounds), until fewer rows are wrong than in any
// set before. The text has no such exit, and no tolerance; ours is that of lcp.h.

#ifndef PL_PDASM_H
#define PL_PDASM_H

#include "schurpa.h"

// Every set, with the x of its system and the error of that, which is pl_lcp_errors.natural.
typedef void pl_pdasm_trace_fn(int32_t iteration, const uint8_t *state, const double *x,
                               double error, void *user);

typedef struct pl_pdasm_options {
    int32_t max_solves;     // of schurpa.h; 0: DIRECT
    int64_t column_bytes;   // of the same
    bool refine;            // one step of refinement per system
    bool no_singles;        // a set that comes back is the end: PL_LCP_CYCLING
    double tolerance;       // on pl_lcp_errors.natural
    double pivot_tolerance; // [unit of w] what is less does not pivot
    int32_t max_iterations; // systems, in one call of pl_pdasm_solve
    double max_seconds;     // from `started`; 0: no limit
    double started;         // [s] of pl_seconds
    pl_pdasm_trace_fn *trace;
    void *trace_user;
    const pl_saddle_engine *engine; // of saddle.h; NULL: the CPU
} pl_pdasm_options;

// What `options` say, and half of their tolerance where that is less than what may not pivot: a
// set in which no row pivots is a solution.
pl_pdasm_options pl_pdasm_options_of(const pl_lcp_options *options, bool schurpa);

// Of all calls of pl_pdasm_solve.
typedef struct pl_pdasm_stats {
    int64_t iterations, pivots, singles; // systems, rows that changed, iterations that changed one
    int64_t factorizations, solves;      // with a factor of 0 rows, none
    int64_t columns, resets;             // of schurpa.h
    int64_t refinements;
    double form_seconds, factor_seconds, solve_seconds;
} pl_pdasm_stats;

typedef struct pl_pdasm {
    const pl_lcp *lcp;
    pl_pdasm_options options;
    pl_arena *arena;
    pl_schurpa systems;
    double *diag;  // (n) M_ii
    double *x, *w; // (n) of the set at hand
    pl_lcp_visited visited;
    uint64_t runs; // of all changes at once, and of single ones: visited sets are of one run each
    pl_pdasm_stats stats;
} pl_pdasm;

// `lcp` stays where it is; q and bounds, but not M, may change between solves.
pl_status pl_pdasm_create(const pl_lcp *lcp, const pl_pdasm_options *options, pl_arena *arena,
                          pl_pdasm *out);

// From the working set in `sets`, which ends as the last one. x (n), within bounds, and w (n) are
// of the best set. *end := PL_LCP_SOLVED, PL_LCP_LIMIT, PL_LCP_TIME, PL_LCP_CYCLING (single changes
// come back, too), PL_LCP_STALLED (the set is right, but rounding is above the tolerance),
// PL_LCP_BREAKDOWN or PL_LCP_SIZE; `iterations` may be NULL.
pl_status pl_pdasm_solve(pl_pdasm *p, pl_lcp_sets *sets, double *x, double *w, pl_lcp_end *end,
                         int32_t *iterations);

// The working set for x and w that need not belong to one [Lit13, 4.36, 4.37; the sign of the
// first is wrong there]: rows with x_i - w_i / M_ii beyond a bound are tight.
void pl_pdasm_start(const pl_lcp *lcp, const double *diag, const double *x, const double *w,
                    pl_lcp_sets *sets);

#endif
