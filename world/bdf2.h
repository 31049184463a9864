// Second order in time: BDF2, the backward differentiation formula over two steps, and backward
// Euler for what touches. bdf2.c derives it. Internal.

#ifndef PL_BDF2_H
#define PL_BDF2_H

#include "world.h"

// Data of the last step that the next one needs.
typedef struct pl_history {
    double dt;       // length of the last step, 0 if there was none [s]
    double *w;       // (3*n_vert) mean velocity over that step [m/s]
    double *dv;      // (3*n_vert) change of velocity in that step [m/s]
    uint8_t *struck; // (n_vert) 1: a contact acted on the vertex, or its velocity was prescribed
} pl_history;

typedef struct pl_bdf2 {
    pl_history last, saved; // of the last step; a copy to restore if a step fails
    double gamma, kappa;    // coefficients of the current step (bdf2.c); 1 and 0: backward Euler
    uint8_t *first;         // (n_block) 1: backward Euler (first order) in this step
    uint8_t *ahead;         // (n_bodies) 1: stiffness at the predicted positions, not the current
    uint8_t *pushed;        // (n_vert) 1: an impulse acts on the vertex in this step
    bool any_ahead;         // some body has ahead = 1
    bool viscous;           // some body has stiffness damping
    double *damping;        // (2*n_vert) Rayleigh's alpha [1/s] and beta [s] of each vertex
    double *size;           // (n_bodies) element size: cube root of the mean tet volume [m]
    double *p, *q;          // (3*n_block) scratch
} pl_bdf2;

#endif
