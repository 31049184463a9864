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

// For a world whose system is being built.
pl_status pl_bdf2_create(const pl_world *world, pl_bdf2 **out);
void pl_bdf2_destroy(pl_bdf2 *bdf2); // NULL is fine

// A and b of the step under way for deformable bodies, and a guess in v_new. Returns the elastic
// energy at its start [J].
double pl_bdf2_assemble(pl_world *world);

// Moves the vertices by v_new, the mean velocities over the step, and sets those at its end.
void pl_bdf2_move(pl_world *world);

// --- These do nothing with another integrator ---

// b for rigid bodies, after their system of first order is in place; v_new gets a better guess.
// What is pulled goes to first order: pull.c adds to that.
void pl_bdf2_assemble_rigid(pl_world *world);

// After rows were added: what they act on goes to first order.
void pl_bdf2_meet(pl_world *world);

// The part of a deformable body's momenta after the step that is known at its start, if it is of
// second order all over; see momentum.c. False if it is not.
bool pl_bdf2_note(const pl_world *world, pl_world_body *b);

// After the vertices have moved and momenta were restored: keeps what the next step needs.
void pl_bdf2_remember(pl_world *world);

// The next step of a body knows nothing of its past.
void pl_bdf2_forget(pl_world *world, const pl_world_body *b);

// Notes the past, and goes back to what was noted.
void pl_bdf2_save(pl_world *world);
void pl_bdf2_go_back(pl_world *world);

#endif
