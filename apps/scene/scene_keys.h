// Which keys the objects of a scene file have, and where an unknown one may belong.

#ifndef PL_SCENE_KEYS_H
#define PL_SCENE_KEYS_H

#include "json.h"

typedef enum pl_scene_object {
    PL_KEYS_SCENE,
    PL_KEYS_WORLD,
    PL_KEYS_GRID,
    PL_KEYS_GROUND,
    PL_KEYS_BODY,
    PL_KEYS_MATERIAL,
    PL_KEYS_HALFSPACE,
    PL_KEYS_FRICTION_PAIR,
    PL_KEYS_CUT,
    PL_KEYS_COPIES,
    PL_KEYS_REGION,
    PL_KEYS_BOX,
    PL_KEYS_DRIVEN,
    PL_KEYS_FORCE,
    PL_KEYS_MOTION,
    PL_KEYS_MOTION_KEY,
    PL_KEYS_UNTIL,
    PL_KEYS_POSITION,
    PL_KEYS_FORCE_KEY,
    PL_KEYS_FIXED,
    PL_KEYS_ORBIT,
    PL_KEYS_FOLLOW,
    PL_KEYS_KEYFRAMES,
    PL_KEYS_KEYFRAME,
    PL_KEYS_ASSEMBLY,
    PL_KEYS_INSTANCE,
    PL_KEYS_JOINT,
    PL_KEYS_COORDINATE,
    PL_KEYS_MOTOR,
    PL_KEYS_MOTORS,
    PL_KEYS_MOTOR_KEY,
    PL_KEYS_GEAR,
    PL_KEYS_RACK,
    PL_KEYS_SCREW,
    PL_KEYS_DIFFERENTIAL,
    PL_KEYS_PULLEY,
    PL_KEYS_SUM,
    PL_KEYS_TERM,
    PL_KEYS_CABLE,
    PL_KEYS_CABLE_PART,
    PL_KEYS_SHAPE, // behind those that have keys of the same name
    PL_N_KEYS
} pl_scene_object;

// `at` is an object whose keys are all among those of `object`, none of them twice. An unknown one
// is an error that tells where it belongs, if it does one level up or down, or else what is near,
// or else all that are known.
pl_status pl_scene_check_keys(const pl_json *at, pl_scene_object object);

// Gives keys of `node`, which is an `object`, that had another name before the one of now; the log
// tells.
void pl_scene_rename_keys(cJSON *node, const char *file, pl_scene_object object);

// The object one level up or down from `object` that has the key, by the name that scenes have for
// it; NULL if none has.
const char *pl_scene_key_owner(pl_scene_object object, const char *key);

#endif
