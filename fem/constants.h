// The numbers of a material, as kernels use them. Internal.

#ifndef PL_MATERIAL_CONSTANTS_H
#define PL_MATERIAL_CONSTANTS_H

#include "../base/portable.h"

#ifndef __OPENCL_VERSION__
#include <pliant.h> // the kinds; ../gpu/embed.sh gives them to OpenCL
#endif

// Made from what a user says by pl_material_setup (material.h).
typedef struct pl_material {
    pl_material_kind kind;
    double mu, lambda;         // Lame's parameters [Pa]
    double c1, c2, k, l;       // Mooney-Rivlin and neo-Hookean [Pa]
    double snh_mu, snh_lambda; // stable neo-Hookean [Pa]
    double alpha, b;           // Ogden's exponent, and the strain e from which on Y is a parabola
    double s0;                 // the stretch below which their logarithm is continued linearly
    bool barrier;              // instead, the energy is infinite at s0 and below
} pl_material;

#endif
