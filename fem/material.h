// Isotropic elastic materials, as functions of the principal stretches. Internal.

#ifndef PL_MATERIAL_H
#define PL_MATERIAL_H

#include "../base/base.h"

// The numbers a kernel needs, made from what a user says by pl_material_setup.
typedef struct pl_material {
    pl_material_kind kind;
    double mu, lambda;   // Lame's parameters [Pa]
    double c1, c2, k, l; // Mooney-Rivlin and neo-Hookean [Pa]
    double s0;           // the stretch below which their logarithm is continued linearly
} pl_material;

// Fails with PL_ERROR_ARGUMENT, naming the option.
pl_status pl_material_setup(const pl_material_options *options, pl_material *out);

#endif
