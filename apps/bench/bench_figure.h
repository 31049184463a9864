// Figures of benchmarks: curves as a picture and as a table of their points.

#ifndef PL_BENCH_FIGURE_H
#define PL_BENCH_FIGURE_H

#include "bench.h"

enum { PL_FIGURE_SERIES = 10, PL_FIGURE_PANELS = 3 };

// Points of one curve, in order.
typedef struct pl_series {
    const char *label; // borrowed
    double *x, *y;     // (n)
    int64_t n, capacity;
} pl_series;

typedef struct pl_figure_panel {
    const char *title; // with the unit; borrowed
    bool log, points;  // the axis of y; circles in place of lines
    pl_series series[PL_FIGURE_SERIES];
    int32_t n;
} pl_figure_panel;

// Panels over one axis. Begins as {0} but for its texts.
typedef struct pl_figure {
    const char *title, *x_label; // borrowed
    pl_figure_panel panel[PL_FIGURE_PANELS];
    int32_t n;
} pl_figure;

// Appends a point to the curve of this label, which is made if it is not there, of panel p. Fails
// with PL_ERROR_MEMORY.
pl_status pl_figure_add(pl_figure *figure, int32_t p, const char *label, double x, double y);

// Writes OUT/NAME.svg and OUT/NAME.csv, says so, and frees the points. A figure without any is
// none.
pl_status pl_figure_write(pl_figure *figure, const pl_bench_options *options, const char *name);

void pl_figure_free(pl_figure *figure);

#endif
