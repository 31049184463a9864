// What bodies can be coloured by: a number per vertex, out of a world.

#ifndef PL_QUANTITY_H
#define PL_QUANTITY_H

#include "../../base/base.h"

typedef enum pl_quantity {
    PL_QUANTITY_NONE,     // bodies have their own colours
    PL_QUANTITY_STRESS,   // von Mises stress, the mean of the tets around, by volume; of
                          // deformable bodies
    PL_QUANTITY_SPEED,    // length of the velocity
    PL_QUANTITY_PRESSURE, // of contacts in the last step: normal force per area of the surface
    PL_QUANTITY_COUNT
} pl_quantity;

// "none", "stress", "speed" or "pressure"; PL_ERROR_ARGUMENT for another name.
pl_status pl_quantity_find(const char *name, pl_quantity *out);
const char *pl_quantity_name(pl_quantity quantity);
const char *pl_quantity_title(pl_quantity quantity); // "von Mises stress"
const char *pl_quantity_unit(pl_quantity quantity);  // "Pa"

// Has the body this quantity? Else it keeps its colour.
bool pl_quantity_applies(const pl_world *world, int32_t body, pl_quantity quantity);

// Of every vertex of the body's mesh: out (n_vert); 0 where it does not apply.
pl_status pl_quantity_of_body(pl_world *world, int32_t body, pl_quantity quantity, double *out);

// Where a range that starts at 0 should end to show n values well: at a round number that all but
// the largest few (one in 200 of those above 0) stay below; > 0.
pl_status pl_quantity_range(int64_t n, const double *value, double *end);

#endif
