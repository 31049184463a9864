// What lies under the cursor: a ray from the eye against triangles.

#ifndef PL_PICK_H
#define PL_PICK_H

#include "../scene/camera.h"

typedef struct pl_ray {
    double origin[3], direction[3]; // [m]; a unit vector
} pl_ray;

// Through the place (x, y) of a picture of width x height, as pl_camera_project counts pixels.
pl_ray pl_pick_ray(const pl_camera *camera, int32_t width, int32_t height, double x, double y);

typedef struct pl_hit {
    double distance;  // along the ray [m]; INFINITY: nothing is hit
    int32_t face;     // that is hit
    double weight[3]; // of its corners: where
} pl_hit;

// The first of the triangles face (3*n_face) over x that the ray meets, from either side, nearer
// than *hit says already, which is then changed. True if there is one.
bool pl_pick_faces(const pl_ray *ray, int32_t n_face, const int32_t *face, const double *x,
                   pl_hit *hit);

// Where the ray meets the plane through `point` that faces the camera; false if it does not.
bool pl_pick_plane(const pl_ray *ray, const pl_camera *camera, const double point[3],
                   double out[3]);

#endif
