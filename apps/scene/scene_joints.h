// Joints, couplings and motors of a scene: the keys that they share. Used by scene_joints.c,
// scene_couplings.c, scene_drives.c and scene_cables.c.

#ifndef PL_SCENE_JOINTS_H
#define PL_SCENE_JOINTS_H

#include "scene_motors.h"
#include "scene_names.h"

const char *pl_joint_kind_name(pl_joint_kind kind);
// "x", "twist", ...; of a distance, "distance".
const char *pl_joint_axis_name(pl_joint_kind kind, int32_t axis);

// What turns degrees into radians for an angle, and is 1 for a length.
double pl_joint_axis_unit(pl_joint_kind kind, int32_t axis);

// The coordinate that is free by itself; -1 if there are several.
int32_t pl_joint_free_axis(pl_joint_kind kind);

// "coordinate" of `at`, for a joint; if it is absent, the one that is free.
pl_status pl_joint_read_axis(const pl_json *at, pl_joint_kind kind, int32_t *axis);

// [lo, hi] under "range", either null where there is no end; or a number: both. As it is if absent.
pl_status pl_joint_read_range(const pl_json *at, double unit, double *lo, double *hi);

// One more joint of the scene, between nothing; `at` describes it.
pl_status pl_scene_add_joint(pl_scene *scene, const pl_json *at, const pl_scope *scope,
                             pl_joint_kind kind, pl_scene_joint **out);

// Turns points and axes as the scope's place says.
void pl_scene_place_joint(const pl_scope *scope, pl_scene_joint *joint);

// The keys of a motor, for a coordinate of the latest joint, or of `joint`. Without keys in time it
// becomes that of the coordinate itself.
pl_status pl_scene_read_motor(pl_scene *scene, const pl_json *at, int32_t joint, int32_t axis,
                              bool own);

#endif
