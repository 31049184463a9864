// A scene that is being played with: its world, what is drawn of it, the hand on a body, and bodies
// that came later. Of one thread; simulation.h makes it run.

#ifndef PL_STAGE_H
#define PL_STAGE_H

#include "../export/export_bodies.h"
#include "grab.h"
#include "motors.h"
#include "simulation.h"
#include "../scene/play.h"

typedef struct pl_stage {
    pl_scene scene;  // with the bodies that came later
    int32_t n_own;   // of its bodies, those that it began with
    int32_t n_later; // and those that came later
    pl_play play;
    pl_export_bodies drawn;
    int32_t generation; // of `drawn`
    pl_grab grab;
    double target[3]; // where the hand is [m]
    double friction;  // factor
    pl_motors motors; // driven by keys
    int32_t solver_now, precond_now;
    double *value; // scratch of the fields
    int64_t value_room;
} pl_stage;

// The scene is the stage's from now on, also if this fails.
pl_status pl_stage_open(pl_scene *scene, pl_stage *out);
void pl_stage_close(pl_stage *stage);

// Everything as it was at the beginning, and bodies that came later above it again. On failure it
// is as before.
pl_status pl_stage_reset(pl_stage *stage);

// A step, the hand pulling; its statistics are those of the play.
pl_status pl_stage_step(pl_stage *stage);

pl_status pl_stage_next_solver(pl_stage *stage);
pl_status pl_stage_next_precond(pl_stage *stage);
const char *pl_stage_solver(const pl_stage *stage);
const char *pl_stage_precond(const pl_stage *stage);

// The friction of all surfaces, as a factor.
pl_status pl_stage_set_friction(pl_stage *stage, double factor);

// See motors.h.
void pl_stage_next_motor(pl_stage *stage);
pl_status pl_stage_drive(pl_stage *stage, bool up);

pl_status pl_stage_grab(pl_stage *stage, int32_t body, int32_t face, const double weight[3]);
pl_status pl_stage_release(pl_stage *stage);

// See pl_simulation_drop.
pl_status pl_stage_drop(pl_stage *stage, const char *path);

// Takes a picture of the state: bodies, positions, field, contacts, and where the hand is.
pl_status pl_stage_show(pl_stage *stage, pl_quantity quantity, pl_snapshot *out);

#endif
