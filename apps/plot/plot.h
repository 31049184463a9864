// Curves in panels, one below the other over one axis, as an SVG picture.

#ifndef PL_PLOT_H
#define PL_PLOT_H

#include "../../base/base.h"

// Colours and dashes that can be told apart.
enum { PL_PLOT_COLOURS = 10, PL_PLOT_DASHES = 6, PL_PLOT_LABELS = PL_PLOT_COLOURS };

typedef struct pl_curve {
    const char *label;    // in the panel's legend, which has PL_PLOT_LABELS at most; NULL: none
    int32_t colour, dash; // numbers from 0
    const double *x, *y;  // (n) a point that is not finite, or not above 0 where it has to be, is
    int64_t n;            // a gap
    bool points;          // circles at the points, no line
    bool crosses;         // the same, but crosses
} pl_curve;

// A value with a name: a line from side to side.
typedef struct pl_mark {
    double y;
    const char *label;
} pl_mark;

typedef struct pl_panel {
    const char *title;
    bool log;
    const pl_curve *curve; // (n_curve)
    const pl_mark *mark;   // (n_mark)
    int32_t n_curve, n_mark;
} pl_panel;

typedef struct pl_plot {
    const char *title;         // NULL: none
    const char *x_label;       // of the axis that all panels share
    const char *const *x_name; // (n_x_name) written at x = 0, 1, ... in place of numbers
    int32_t n_x_name;          // 0: numbers
    const pl_panel *panel;     // (n_panel) 1 or more
    int32_t n_panel;
    const char *const *run; // (n_run) the names of colours 0, 1, ... above the panels
    int32_t n_run;          // 0: each panel has its own colours
} pl_plot;

// Writes the picture. Fails with PL_ERROR_FILE or PL_ERROR_MEMORY; the file then does not appear.
pl_status pl_plot_write(const pl_plot *plot, const char *path);

#endif
