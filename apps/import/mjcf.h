// MJCF: what its files share.

#ifndef PL_MJCF_H
#define PL_MJCF_H

#include "import.h"

enum { PL_MJCF_NAME = 128, PL_MJCF_JOINTS = 6 };

typedef struct pl_mjcf_body {
    char name[PL_MJCF_NAME];
    pl_robot_pose pose; // in the world
    bool is_static;
} pl_mjcf_body;

// A joint by its name there, and what it has become.
typedef struct pl_mjcf_joint {
    char name[PL_MJCF_NAME];
    const char *coordinate; // NULL: none that a motor could drive
    char joint[PL_MJCF_NAME];
    bool angle;
} pl_mjcf_joint;

typedef struct pl_mjcf {
    pl_import *import;
    const pl_element *root;
    double angle; // what makes radians of its angles
    char eulerseq[4];
    const char *meshdir;
    pl_mjcf_body *body; // (n_body)
    int32_t n_body;
    int64_t body_capacity;
    pl_mjcf_joint *joint; // (n_joint)
    int32_t n_joint;
    int64_t joint_capacity;
} pl_mjcf;

// An attribute: the element's own, or that of its default class.
const char *pl_mjcf_get(const pl_mjcf *m, const pl_element *at, const char *key);
// Numbers of an attribute; *given is how many there are, 0 if it is absent.
pl_status pl_mjcf_numbers(const pl_mjcf *m, const pl_element *at, const char *key, double *out,
                          int n, int *given);
pl_status pl_mjcf_number(const pl_mjcf *m, const pl_element *at, const char *key, double *value);
// Position and orientation, in what is around it.
pl_status pl_mjcf_pose(const pl_mjcf *m, const pl_element *at, pl_robot_pose *out);

// The joints of a body, between it and the one around it ("world" if that is static).
pl_status pl_mjcf_add_joints(pl_mjcf *m, const pl_element *at, const char *a, const char *b,
                             const pl_robot_pose *pose);

// <actuator> and <equality>.
pl_status pl_mjcf_add_actuators(pl_mjcf *m);
pl_status pl_mjcf_add_equalities(pl_mjcf *m);

#endif
