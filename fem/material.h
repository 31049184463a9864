// Isotropic elastic materials, as functions of the principal stretches. Internal.

#ifndef PL_MATERIAL_H
#define PL_MATERIAL_H

#include "../base/base.h"

// The numbers a kernel needs, made from what a user says by pl_material_setup.
typedef struct pl_material {
    pl_material_kind kind;
    double mu, lambda;         // Lame's parameters [Pa]
    double c1, c2, k, l;       // Mooney-Rivlin and neo-Hookean [Pa]
    double snh_mu, snh_lambda; // stable neo-Hookean [Pa]
    double alpha, b;           // Ogden's exponent, and the strain e from which on Y is a parabola
    double s0;                 // the stretch below which their logarithm is continued linearly
    bool barrier;              // instead, the energy is infinite at s0 and below
} pl_material;

// Fails with PL_ERROR_ARGUMENT, naming the option.
pl_status pl_material_setup(const pl_material_options *options, pl_material *out);

// Does the energy grow without bound as a tet's volume goes to 0? Then it is infinite for one that
// is flat or inverted, forces there are of no use, and nothing but the way a step takes can invert
// one: a line search on the energy, or a bound on the step, keeps every tet as it should be.
bool pl_material_has_barrier(const pl_material *material);

#endif
