// Accelerated proximal gradients with exact friction, to be run piece by piece. Internal.

#ifndef PL_APG_H
#define PL_APG_H

#include "ahead.h"
#include "solver.h"
#include "sweeps.h"

typedef struct pl_apg {
    const pl_problem *problem;
    pl_workspace *ws;
    int64_t n;                // 3*A.n
    double s;                 // at least the largest eigenvalue of D^-1 A, as far as known
    bool again;               // s was too small for the last step, which is to be made again
    pl_ahead ahead;           // how it runs ahead
    int32_t n_sweep, n_usual; // sweeps of a step, and where the residual is not good yet
    int32_t n_step;           // since it started
    int32_t n_made;           // steps since it was created
    int64_t n_swept;          // sweeps since then
    int64_t most_swept;       // after which a run ends; 0: any number
    int32_t n_full;           // steps in a row whose sweeps did not end early, where these are dear
    int32_t n_noisy;          // of these: sweeps ended early, and the residual did not halve
    double rr;                // the residual of the last step, squared
    double residual;          // of the last step, in units of what is allowed
    double least;             // error of contacts [m], of all steps whose residual was good
    int32_t n_stuck;          // such steps since the least has fallen
    double *v, *y;            // (n) of this step,
    double *old; // and of the last one: its y if that is by conjugate directions, else its v
    double *Av, *Ay, *Aold; // (n) A times each of them
    float *single;          // the values of A, see bsr_single.h; NULL: its products are of double
    double *d;              // (n) v - y if that is NULL,
    float *by;              // (n + 1) else this
    double *g;              // (n) b + L^T f - A y; in prescribed rows 0, or A (v - y) after a step
    double *f;              // (3*n_constraint) the impulses over s
    double *impulse;        // (3*n_constraint) scratch: s f
    pl_sweeps sweeps;
} pl_apg;

// Sweeps of a step at the start: as many as take about as long as the rest of it, within limits.
int32_t pl_apg_usual_sweeps(const pl_problem *problem);

// Takes its memory from ws->arena, and finds s.
pl_status pl_apg_create(const pl_problem *problem, pl_workspace *ws, pl_solve_stats *stats,
                        pl_apg *out);

// Starts from v (n) and f (3*n_constraint).
void pl_apg_start(pl_apg *a, const double *v, const double *f, pl_solve_stats *stats);

// At most n more iterations; PL_SOLVE_LIMIT after these, or after most_swept sweeps. The counts of
// *stats go on.
pl_solve_end pl_apg_run(pl_apg *a, const pl_solver_options *options, int32_t n,
                        pl_solve_stats *stats);

// Starts from v and f, runs n iterations at most and leaves its result in them, unless it breaks
// down.
pl_solve_end pl_apg_improve(pl_apg *a, const pl_solver_options *options, int32_t n, double *v,
                            double *f, pl_solve_stats *stats);

// Finds s once more, with more care: smoothers need that. It must be started anew then.
void pl_apg_settle(pl_apg *a, pl_solve_stats *stats);

// v and f := those of the last step.
void pl_apg_result(const pl_apg *a, double *v, double *f);

#endif
