// Conditions of motions (pl_motion_until): whether they hold at the end of a step, and what has
// held so far in checkpoints. Internal.

#ifndef PL_CONDITIONS_H
#define PL_CONDITIONS_H

#include "parts.h"
#include "world.h"

// After a step has been made and published: turns the motions whose conditions hold.
void pl_conditions_update(pl_world *world);

// What has held, of all motions with conditions.
typedef struct pl_turned {
    double stage, heading;
    pl_path_clock now, before;
} pl_turned;

// *turned receives what is to be saved, owned by the caller; NULL, if no motion has conditions.
pl_status pl_conditions_list(const pl_world *world, pl_turned **turned);
void pl_conditions_add_parts(const pl_world *world, const pl_turned *turned, pl_parts *parts);
bool pl_conditions_check_parts(const pl_world *world, const pl_parts *parts);
void pl_conditions_take_parts(pl_world *world, const pl_parts *parts);

#endif
