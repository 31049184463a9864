// Staggered projections for contact with friction in diamonds [Lit13, Alg. 4.1, 4.2; Kaufman et al.
// 2008]. Internal.
//
// Impulses f in rows n, t1, t2 of each contact, velocities W f + q:
//
//     alpha = argmin a^T W_nn a / 2 + a^T (q_n + W_nt beta),   a >= 0                        (C)
//     beta  = argmin b^T W_tt b / 2 + b^T (q_t + W_tn alpha),  |b_1| + |b_2| <= mu alpha     (F2)
//
// in turns, each by primal-dual active sets (pdasm.h): with a factor per set, or (sp-schurpa) with
// one for contact and one for friction in all of the turns. The diamond is inside of the cone:
// along the tangents it bears mu alpha, between them less, down to 1 / sqrt(2) of that. Slip is
// along the tangents or, at its edges, between them.
//
// It need not converge: turns may cycle, which is found and told, or grow.
//
// Differences from the text: working sets start by the rule of pdasm.h from impulses and velocities
// at hand, in the first turn, too, where the text takes the sets of the last time step; turns also
// end where both programs are solved within qp_tolerance, which saves one.

#ifndef PL_STAGGERED_H
#define PL_STAGGERED_H

#include "pdasm.h"

typedef struct pl_staggered {
    int32_t n_contact;
    // W in compressed columns, rows ascending: symmetric, positive definite in W_nn and W_tt.
    const int64_t *col; // (3*n_contact + 1)
    const int32_t *row;
    const double *val;
    const double *q;  // (3*n_contact)
    const double *mu; // (n_contact) 0 or more
} pl_staggered;

typedef struct pl_staggered_options {
    bool schurpa; // sp-schurpa, else sp-direct
    bool refine;  // of pdasm.h
    // The end: (g - f)^T W_tt (g - f) <= tolerance f^T W_tt f for the friction f before a turn and
    // g after it [Lit13, 4.19], a squared ratio; 0/0 is 0, and g stands below where f is 0.
    double tolerance;
    double qp_tolerance;    // of each program, [unit of w]
    int32_t max_iterations; // turns
    int32_t max_qp_iterations;
    double max_seconds;    // 0: no limit
    int32_t max_solves;    // of schurpa.h
    int64_t column_bytes;  // of the same
    double (*clock)(void); // [s] what times of factors and solves are taken with; NULL: pl_seconds
    // Called after each turn with the ratio and the error.
    void (*trace)(int32_t iteration, double ratio, double error, void *user);
    void *trace_user;
    const pl_saddle_engine *engine; // of saddle.h; NULL: the CPU
} pl_staggered_options;

// sp-schurpa; 1e-12 and 1e-10; 200 turns of programs of up to 1,000 iterations; those of
// pl_lcp_options.
pl_staggered_options pl_staggered_options_default(void);

// Of one of the two programs, over all turns.
typedef struct pl_staggered_program {
    pl_pdasm_stats sum;
    int32_t most_iterations; // in one turn
    double first_share;      // of the rows of the first start set that are right
    double mean_share;       // over all turns
} pl_staggered_program;

typedef struct pl_staggered_stats {
    pl_lcp_end end;     // PL_LCP_SOLVED, PL_LCP_LIMIT, PL_LCP_TIME, PL_LCP_CYCLING; or that of a
                        // program that was not solved
    int32_t iterations; // turns
    int32_t period;     // of PL_LCP_CYCLING, turns
    double ratio;       // of the last turn
    double error;       // of f: the largest pl_lcp_errors.natural of both programs
    pl_staggered_program contact, friction;
    double seconds;
} pl_staggered_stats;

// f (3*n_contact) holds a start, 0 for none; it ends as the best of all turns. Returns PL_OK if it
// is solved, PL_ERROR_NUMERICS if it is not, or PL_ERROR_MEMORY, with f as it was. `options` may be
// NULL for the defaults.
pl_status pl_staggered_solve(const pl_staggered *problem, const pl_staggered_options *options,
                             pl_arena *arena, double *f, pl_staggered_stats *stats);

#endif
