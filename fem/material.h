// Isotropic elastic materials, as functions of the principal stretches. Internal.

#ifndef PL_MATERIAL_H
#define PL_MATERIAL_H

#include "../base/base.h"
#include "constants.h"

// The limit that the options name, or where they name none (NAN) the default: `iterates` says if
// steps go on by Newton's method until forces balance, or nearly.
double pl_material_stretch_limit(const pl_material_options *options, bool iterates);

// Fails with PL_ERROR_ARGUMENT, naming the option. A limit that is not named is that of steps that
// do not iterate.
pl_status pl_material_setup(const pl_material_options *options, pl_material *out);

// Kinds whose energy has the logarithms of the stretches, which stretch_limit is about.
bool pl_material_has_logarithm(pl_material_kind kind);

#endif
