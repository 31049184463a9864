// The rows of contacts and joints of a step, with friction in boxes, for solvers of ../../lcp.

#ifndef PL_BENCH_ROWS_H
#define PL_BENCH_ROWS_H

#include "../../lcp/lcp.h"
#include "../../solvers/scalar_form.h"

// What is done with them; `lcp` is good until it returns.
typedef pl_status pl_bench_rows_fn(void *user, const pl_lcp *lcp);

// Calls fn with the rows of the problem that the last step of the world solved, each with so much
// compliance [1/kg] more. Nothing is done if there is none, or it would take more than some
// gigabyte. The arena is started over.
pl_status pl_bench_world_rows(const pl_world *world, double compliance, pl_arena *arena,
                              pl_bench_rows_fn *fn, void *user);

// x (n) := a start from which all rows begin free [Ho22, 2.5.2; Lef20, 2.3].
void pl_bench_all_free(const pl_lcp *lcp, double *x);

// *out := the same problem with neighbours next to each other, by reverse Cuthill-McKee: our rows
// come joints first, contacts last, where those of a chain come link by link in other programs.
// Rows of friction must have bounds of their own. Memory from the arena.
pl_status pl_bench_reorder(const pl_lcp *lcp, pl_arena *arena, pl_lcp *out);

// The share of rows that are at a bound.
double pl_bench_tight(const pl_lcp *lcp, const double *x);

#endif
