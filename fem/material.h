// Isotropic elastic materials, as functions of the principal stretches. Internal.

#ifndef PL_MATERIAL_H
#define PL_MATERIAL_H

#include "../base/base.h"
#include "constants.h"

// Fails with PL_ERROR_ARGUMENT, naming the option.
pl_status pl_material_setup(const pl_material_options *options, pl_material *out);

#endif
