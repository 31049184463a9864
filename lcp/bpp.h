// Block principal pivoting, with the linear solver left open. Internal.

#ifndef PL_LCP_BPP_H
#define PL_LCP_BPP_H

#include "sets.h"

// How the reduced system is solved. A variant of bpp is one such table, a function that hands it
// to pl_bpp_run, and a line in registry.c. Counts of factors, updates, solves, inner iterations and
// shifts are added to the `stats` that `start` gets.
typedef struct pl_bpp_linear {
    // Takes what it needs from work->arena, once per solve of the whole problem, and sets *self.
    pl_status (*start)(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       pl_lcp_stats *stats, void **self, pl_lcp_end *end);
    // M_FF + diag(shift_F) of the sets becomes what `solve` solves with. shift (lcp->n) is never
    // negative; NULL: there is none. Called also if n_free is 0.
    pl_status (*factor)(void *self, const pl_lcp_sets *sets, const double *shift, pl_lcp_end *end);
    // b (n_free, in the order of sets->list) := the solution, for the sets that were factored last.
    pl_status (*solve)(void *self, double *b, pl_lcp_end *end);
    // Gives back what is not of the arena; NULL: nothing is. Called once after a `start` that set
    // *self, whatever it returned.
    void (*stop)(void *self);
} pl_bpp_linear;

// The three return PL_OK, or PL_ERROR_MEMORY. Where the mathematics end it they return PL_OK and
// set *end, which is PL_LCP_N_END before: PL_LCP_BREAKDOWN (M_FF is not positive definite),
// PL_LCP_SIZE, PL_LCP_TIME.

typedef enum pl_bpp_mode {
    PL_BPP_BLOCK,  // all rows that the rule names, single ones only against cycles
    PL_BPP_SINGLE, // always the least one [Ho22, 2.5.2]
} pl_bpp_mode;

// The body of a pl_lcp_solve_fn.
pl_status pl_bpp_run(const pl_bpp_linear *linear, pl_bpp_mode mode, const pl_lcp *lcp,
                     const pl_lcp_options *options, pl_lcp_work *work, double *x,
                     pl_lcp_stats *stats);

#endif
