// The elements of deformable bodies in a step: elastic forces and energy at its end, and the
// stiffness in A. Internal.
//
// A step begins where the last one has ended, and Newton's method linearizes about places whose
// forces it has looked at. So a look at the forces assembles the stiffness in the same pass, beside
// A; whoever asks for the matrix at these very places gets it without another pass, by an exchange
// of A's values. Bits are the same: both passes of fem/assemble.c have the same forces and
// energies, and places are compared bit by bit, which also tells what was changed from outside.
//
// A look whose stiffness nobody asks for (rows are missing, a step is halved, another integrator
// linearizes elsewhere) costs more than one at forces alone. So a look assembles only if that would
// have paid the last time, which is noted apart for the first look of a step and for later ones.
// While a body sleeps none does: its rows of A stay where they are (sleep.h).

#ifndef PL_ELEMENTS_H
#define PL_ELEMENTS_H

#include "world.h"

typedef enum pl_look {
    PL_LOOK_FIRST, // after the first matrix of a step
    PL_LOOK_LATER,
    PL_LOOKS
} pl_look;

typedef struct pl_elements {
    // The last look.
    double *x;     // (3*n_vert) places [m]
    double *force; // (3*n_vert) elastic forces there [N]
    double energy; // [J]
    double *val;   // values of a matrix with A's pattern: the stiffness there, ...
    bool made;     // ... if it was assembled
    pl_look kind;
    int32_t looks; // since a matrix was asked for; -1: none yet
    // The last matrix of K alone that was asked for, and what each kind of look would have paid.
    pl_fem_weights weights;
    bool pays[PL_LOOKS];
} pl_elements;

// Made with the system.
pl_status pl_elements_create(pl_world *world);
void pl_elements_destroy(pl_world *world);

// Elastic forces and energy at the places x (3*n_vert), into the struct.
const pl_elements *pl_elements_look(pl_world *world, pl_look kind, const double *x);

// The elastic energy at the places x [J]: of the last look, if it was there, else of a first one.
double pl_elements_energy(pl_world *world, const double *x);

// As pl_fem_assemble, without a mass: the rows of vertices in A, f (3*n_vert) and the energy.
double pl_elements_assemble(pl_world *world, const double *x, const pl_fem_weights *weights,
                            const double *base, double *f);

// Adds these (n_vert) [kg] to the diagonal of A.
void pl_elements_add_inertia(pl_world *world, const double *inertia);

#endif
