// Second order in time: BDF2, the backward differentiation formula over two steps, and backward
// Euler for what touches. bdf2.c derives it. Internal.

#ifndef PL_BDF2_H
#define PL_BDF2_H

#include "world.h"

// What the last step leaves for the next one.
typedef struct pl_history {
    double dt;       // of that step, 0 if there was none [s]
    double *w;       // (3*n_vert) mean velocities in it [m/s]
    double *dv;      // (3*n_vert) changes of the velocities in it [m/s]
    uint8_t *struck; // (n_vert) 1: a contact pushed the vertex, or its velocity was given
} pl_history;

typedef struct pl_bdf2 {
    pl_history last, saved; // saved: what a step that fails goes back to
    double gamma, kappa;    // of the step under way; 1 and 0 if it has no past
    uint8_t *first;         // (n_block) 1: of first order in this step
    uint8_t *ahead;         // (n_bodies) 1: linearized where it is going, not where it is
    bool any_ahead;         // of them
    bool viscous;           // some body has stiffness damping
    double *damping;        // (2*n_vert) Rayleigh's alpha [1/s] and beta [s] of each vertex
    double *size;           // (n_bodies) of an element, the cube root of its mean volume [m]
    double *p, *q;          // (3*n_block) scratch
} pl_bdf2;

#endif
