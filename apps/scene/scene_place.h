// Where a part of a scene stands: the scene itself at the origin, an instance of an assembly
// somewhere else. Used by what reads a scene.

#ifndef PL_SCENE_PLACE_H
#define PL_SCENE_PLACE_H

#include "json.h"
#include "scene.h"

typedef struct pl_scene_place {
    bool moved;         // false: as the file has it, to the bit
    double m[12];       // rows [R | t]: a rotation and a translation
    double velocity[3]; // x moves with velocity + spin x x at the start, x in the world [m/s]
    double spin[3];     // [rad/s]
} pl_scene_place;

pl_scene_place pl_scene_place_origin(void);

// Degrees about x, then y, then z, as a matrix r (9), row by row.
void pl_scene_place_rotation(const double degrees[3], double r[9]);

// "position", "rotation", "velocity" and "angular_velocity" of an instance that stands in `above`.
pl_status pl_scene_place_read(const pl_json *at, const pl_scene_place *above, pl_scene_place *out);

void pl_scene_place_point(const pl_scene_place *place, double x[3]);
void pl_scene_place_vector(const pl_scene_place *place, double v[3]);

// Puts a body there: mesh, motions, forces; and gives it the velocity.
pl_status pl_scene_place_body(const pl_scene_place *place, pl_scene_body *body);

#endif
