// Robots of others as scenes: URDF and MJCF (MuJoCo). Links become rigid bodies with uniform
// density, one for each of their shapes, tied together; what has no counterpart is left out and
// listed.

#ifndef PL_IMPORT_H
#define PL_IMPORT_H

#include "pose.h"
#include "element.h"

#include <cjson/cJSON.h>

typedef struct pl_import_options {
    bool free_base; // URDF: the root link can move; else it is static
} pl_import_options;

// What was left out or changed, each once.
typedef struct pl_import_note {
    char *text;
    int32_t count; // how often
} pl_import_note;

typedef struct pl_import {
    const char *file;
    pl_import_options options;
    cJSON *scene, *bodies, *joints, *couplings, *motors; // the latter are parts of the scene
    pl_import_note *note;                                // (n_note)
    int32_t n_note;
    int64_t note_capacity;
    bool no_memory; // cJSON had none
} pl_import;

// Reads a file, by its root element.
pl_status pl_import_load(const char *path, const pl_import_options *options, pl_import *out);
void pl_import_free(pl_import *import);

// --- For the formats ---

typedef enum pl_import_shape {
    PL_IMPORT_BOX,      // size: edges
    PL_IMPORT_SPHERE,   // size: radius
    PL_IMPORT_CYLINDER, // size: radius, length; along z
    PL_IMPORT_CAPSULE,  // the same, the length without its ends
    PL_IMPORT_MESH,     // size[0]: scale
} pl_import_shape;

typedef struct pl_import_geom {
    pl_import_shape shape;
    double size[3];     // [m]
    char mesh[256];     // the path, as it is to stand in the scene
    pl_robot_pose pose; // in the world
    double mass;        // [kg]; 0: by the density
    double density;     // [kg/m^3]
    double friction;
    double color[3]; // below 0: none
} pl_import_geom;

pl_status pl_import_urdf(pl_import *import, const pl_element *robot);
pl_status pl_import_mjcf(pl_import *import, const pl_element *mujoco);

pl_status pl_import_note_it(pl_import *import, const char *format, ...) PL_PRINTF(2, 3);
pl_status pl_import_fail(const pl_import *import, const pl_element *at, const char *format, ...)
    PL_PRINTF(3, 4);

double pl_import_volume(const pl_import_geom *geom); // 0 for a mesh

// Adds the bodies of a link; those after the first are tied to it. Without geoms: a small ball that
// touches nothing. A link of no mass gets a little.
pl_status pl_import_link(pl_import *import, const char *name, const pl_import_geom *geom, int32_t n,
                         double mass, bool is_static, const double place[3]);

// A joint, with what all have; `a` may be "world". It is the import's.
cJSON *pl_import_joint(pl_import *import, const char *name, const char *kind, const char *a,
                       const char *b, const double point[3], const double axis[3]);
void pl_import_vector(pl_import *import, cJSON *to, const char *key, const double v[3]);
void pl_import_number(pl_import *import, cJSON *to, const char *key, double value);
void pl_import_text(pl_import *import, cJSON *to, const char *key, const char *value);
cJSON *pl_import_object(pl_import *import, cJSON *array);

// n numbers of an attribute; *given tells how many there are. Fails if there are other words.
pl_status pl_import_numbers(const pl_import *import, const pl_element *at, const char *text,
                            double *out, int n, int *given);

#endif
