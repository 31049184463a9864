// The statistics of runs as a picture: columns of their tables, or a figure of VJ19.

#ifndef PL_DRAW_RUNS_H
#define PL_DRAW_RUNS_H

#include "../../base/base.h"

typedef struct pl_drawing {
    const char *out;     // the .svg file
    const char *columns; // "a,b+c": a panel for each, several in one; NULL: what is usual
    const char *names;   // of the runs, with ',' between them; NULL: as their files
    const char *title;   // NULL: none
    const char *x;       // "time" or "step"; NULL: time
    int32_t figure;      // of VJ19: 6, 9, 10, 11, 12 or 13; 0: none
    double residual_tolerance, contact_tolerance; // where figure 13 has its lines
    bool log;                                     // logarithmic axes everywhere
} pl_drawing;

// Nothing chosen; the tolerances of a world.
pl_drawing pl_drawing_default(void);

// Draws the tables at `path` (n). Fails with PL_ERROR_ARGUMENT, in terms of the options of `pliant
// plot`, or as reading and writing do.
pl_status pl_draw_runs(const pl_drawing *drawing, int32_t n, char *const *path);

#endif
