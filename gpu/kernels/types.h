// What kernels and those who launch them share: shapes, and what stands in buffers.

#ifndef PL_GPU_TYPES_H
#define PL_GPU_TYPES_H

#include "../../base/portable.h"
#include "../../solvers/ahead_kernel.h"
#include "../../solvers/cr_kernel.h"

// Elements of a part of a sum.
#define PL_PART 4096

// Rows of a slice of a matrix.
#define PL_SLICE 32

// Of sweeps.
typedef struct pl_sweep_control {
    double s;     // D is taken so many times
    int32_t done; // not 0: nothing is changed any more
    int32_t unused;
} pl_sweep_control;

// How iterations of apg are.
#define PL_APG_RUNS 0
#define PL_APG_SEEMS_SOLVED 1
#define PL_APG_BREAKS_DOWN 2
#define PL_APG_STALLS 3

typedef struct pl_apg_state {
    pl_sweep_control control;  // s: at least the largest eigenvalue of D^-1 A, as far as known;
                               // done: PL_APG_, one of the above
    double residual_tolerance; // what is asked for,
    double contact_tolerance;  // [m]
    double b_norm, dt, slack;  // |b'|, the step, and what the bound of s may fail by
    double residual;           // of the last iteration, in units of what is allowed,
    double worst, least;       // and the errors of contacts; the least of good ones [m]
    pl_ahead ahead;
    int32_t again;      // s was too small for the last step, which is made again
    int32_t iterations; // since the start
    int32_t restarts;
    int32_t n_stuck; // since the least has fallen
} pl_apg_state;

// How iterations of cr are.
#define PL_CR_RUNS 0
#define PL_CR_SEEMS_SOLVED 1
#define PL_CR_BREAKS_DOWN 2

// What an iteration of cr is: a step, or what has to come between two of them.
#define PL_CR_STEP 0
#define PL_CR_MEND 1    // the direction becomes C^-1 B p
#define PL_CR_LOOK 2    // contacts may switch
#define PL_CR_RESTART 3 // the residual is made anew

// Where its sums stand: B p . C^-1 B p; |r|^2; z . B z, |B z|^2, |z|^2; |L^T f|^2.
#define PL_CR_ETA 0
#define PL_CR_RR 1
#define PL_CR_SUMS 2
#define PL_CR_PUSHES 5
#define PL_CR_N_TOTALS 6

// When a kernel of cr has something to do.
#define PL_CR_WHEN_STEP 1    // in steps, and to mend
#define PL_CR_WHEN_RESTART 2 // after a switch, and where the recurrence begins anew
#define PL_CR_WHEN_TURN 4    // either of the above: the next direction follows

typedef struct pl_cr_scalars {
    pl_cr_rules rules;
    double residual_tolerance, contact_tolerance; // contact_tolerance [m]
    double b_norm, dt, share;    // |b'|, the step, and of contact_tolerance what rows may be off by
    double rho, alpha, beta;     // of the recurrence (solvers/cr.h)
    double pushes;               // |L^T f| at the last restart
    double start;                // the larger of both below at the last restart
    double velocity, worst;      // the residual, and the largest row, in units of what is allowed
    double gradient;             // |B C^-1 r| of the first iteration
    int32_t full;                // C is the full one, not the diagonal
    int32_t done;                // PL_CR_RUNS, or why it does not run any more
    int32_t phase;               // PL_CR_STEP, ... of this iteration
    int32_t look, restart, turn; // what is done in it
    int32_t ends, mended, broken, waits;
    int32_t since; // steps since the last restart
    int32_t iterations, restarts, products, changes;
} pl_cr_scalars;

// Of groups of vertices: numbers in a vector (PL_GRID_WIDTH), of which so many count
// (PL_GRID_MODES), and rows of a last level that is solved by a factor, at most.
#define PL_MG_W 8
#define PL_MG_M 6
#define PL_MG_DENSE 384

// Steps of GMRES, at most.
#define PL_GMRES_MOST 12

typedef struct pl_gmres_scalars {
    double R[PL_GMRES_MOST][PL_GMRES_MOST]; // as in solvers/hessenberg.h
    double c[PL_GMRES_MOST], s[PL_GMRES_MOST], g[PL_GMRES_MOST + 1];
    double enough; // norm of the residual
    int32_t k, done;
} pl_gmres_scalars;

// What a look at a contact came to: bits.
#define PL_CR_NOTE_CHANGED 1
#define PL_CR_NOTE_WAITS 2
#define PL_CR_NOTE_STATE 4

#endif
