// The parts of `pliant bench lcp`, and what they share.

#ifndef PL_BENCH_LCP_H
#define PL_BENCH_LCP_H

#include "bench.h"
#include "../../lcp/lcp.h"

// A problem that owns its arrays.
typedef struct pl_bench_rows {
    char name[64];
    pl_lcp lcp;
    double *start;    // (n)
    double tolerance; // [unit of w]
    int64_t *col;
    int32_t *row;
    double *val, *q, *lo, *hi, *x;
} pl_bench_rows;

// n rows that each touch those at most `width` away, in an order without meaning, of compliance
// `shift`; x >= 0, of which a share of `tight` is 0 in the solution, and all is free at the start.
pl_status pl_bench_rows_band(int32_t n, int32_t width, double tight, double shift, uint64_t seed,
                             pl_bench_rows *out);
// The rows of a recorded problem with friction in boxes, whose bounds are the normal impulses of
// its solution with cones [Ho22, 2.33]; all is free at the start. Fails like pl_recorded_read, and
// if there is no solution.
pl_status pl_bench_rows_open(const char *path, pl_bench_rows *out);
void pl_bench_rows_free(pl_bench_rows *rows);

// Between -1 and 1.
double pl_bench_number(uint64_t *state);

// bench_lcp.c: rows removed from dense factors against new ones [Lef20, Fig. 2.4].
pl_status pl_bench_lcp_gains(const pl_bench_options *options);

// bench_lcp_table.c: the solvers on the same problems [Lef20, Tables 2.3, 2.4, 3.1].
pl_status pl_bench_lcp_table(const pl_bench_options *options);

// How far the factor of the free rows at x, made by removal, is from a new one, and the solution
// with it, both relative; NAN where there is no factor. `narrow`: within a skyline.
pl_status pl_bench_factor_distance(const pl_lcp *lcp, const double *x, bool narrow, pl_arena *arena,
                                   double *of_factor, double *of_x);

// bench_lcp_fill.c: sparse factors of the matrices of scenes.
pl_status pl_bench_lcp_fill(const pl_bench_options *options);

#endif
