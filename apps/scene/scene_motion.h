// "motion" of a body or of driven vertices, with its keys and conditions.

#ifndef PL_SCENE_MOTION_H
#define PL_SCENE_MOTION_H

#include "scene_parts.h"

// "motion" of `at`; at rest if there is none. Its arrays are the caller's.
pl_status pl_scene_read_motion(const pl_json *at, pl_motion *motion);
void pl_scene_motion_free(pl_motion *motion);

// A condition that names a body, which may come later in the file.
typedef struct pl_watch {
    pl_json at;
    pl_scope scope;
    pl_motion_until *until;
} pl_watch;

// Notes those of a body's motions, for when all bodies are there.
pl_status pl_scene_watch_motions(pl_reader *reader, const pl_json *at, const pl_scope *scope,
                                 const pl_scene_body *body);
pl_status pl_scene_resolve_watches(pl_reader *reader);

#endif
