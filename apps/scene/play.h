// A scene in time: the one loop that steps a world, for runs, films, the window and benchmarks. It
// ends at a step, after a time of the wall clock, when somebody presses Ctrl-C (interrupt.h), or
// when who watches the steps says so.

#ifndef PL_PLAY_H
#define PL_PLAY_H

#include "scene_forces.h"
#include "schedule.h"

typedef struct pl_play {
    pl_world *world;
    int64_t first, last;  // the steps that it has made at the beginning and will at the end
    pl_schedule schedule; // after which of its steps there is a frame; none unless it is set
    double step_seconds;  // that a step may take, if there is a `deadline` [s]; 0: no limit
    double deadline;      // when it ends at the latest, by pl_seconds; INFINITY: no matter
    pl_step_stats stats;  // of the last step
    struct pl_scene_motor *motors; // (n_motors) that the scene tells what to do, step by step
    int32_t n_motors;
    pl_scene_forces forces; // that change in time, likewise
    bool stop;              // set by pl_play_each: nothing more after this step
    bool failed;            // a step did, not what was made of one
    bool late, gave_up;     // the deadline came first; amid a step
} pl_play;

// At the start of the scene, with its limit of a step; it has no steps to make yet. Fails like
// pl_scene_world; *out is then empty.
pl_status pl_play_open(const pl_scene *scene, pl_play *out);
// The same with a world of one's own, which is the play's from now on.
pl_play pl_play_of(pl_world *world);
void pl_play_close(pl_play *play); // leaves it empty

// Goes on from a checkpoint. Fails like pl_world_load.
pl_status pl_play_resume(pl_play *play, const char *path);

// Sets the last step: the one at whose end the world has reached `time` [s], its present one if it
// has already.
pl_status pl_play_until(pl_play *play, double time);

// Makes one step, whatever the last one is. A step that the deadline cuts short is no failure, but
// `gave_up`. After a failure the state is that of before the step.
pl_status pl_play_step(pl_play *play);

// Called after each step. What it returns, if not PL_OK, ends the play.
typedef pl_status pl_play_each(pl_play *play, void *user);

// Steps until the end, with a call of `each` (may be NULL) after every step. To be called again
// after a stop.
pl_status pl_play_run(pl_play *play, pl_play_each *each, void *user);

// If `status` is the failure of a step: says in front of its sentence which one and when. Returns
// it.
pl_status pl_play_explain(const pl_play *play, pl_status status);

// Is there a frame at the present step?
bool pl_play_is_frame(const pl_play *play);

#endif
