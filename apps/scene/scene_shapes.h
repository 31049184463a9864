// The shapes of a scene's body: "shape" and "shapes".

#ifndef PL_SCENE_SHAPES_H
#define PL_SCENE_SHAPES_H

#include "json.h"
#include "scene_place.h"

// Loads the mesh that a scene names by a word.
typedef pl_status pl_load_named(const char *scene_path, const char *word, pl_mesh **out);

typedef struct pl_scene_shapes {
    int32_t n;       // 0: the body has none
    pl_shape *shape; // (n)
    pl_mesh **mesh;  // (n) that hulls and meshes are made of, or NULL
    bool whole;      // the one is the body's mesh, with its radius
} pl_scene_shapes;

// Those of the body `at`, scaled along its axes and then turned (degrees, as below). With three
// scales, round shapes become the hull of what is drawn of them. Fails with the key's path.
pl_status pl_scene_shapes_read(const pl_json *at, const double scale[3], const double degrees[3],
                               pl_load_named *load, pl_scene_shapes *out);

// The mesh of a body, in its size and turn, that has loose edges and points, as a shape of it with
// the radius of the body.
pl_status pl_scene_shapes_of_mesh(const pl_mesh *mesh, double radius, pl_scene_shapes *out);
void pl_scene_shapes_free(pl_scene_shapes *shapes); // leaves them empty

// Gives a body its shapes, moved by the rows of m [R | t] and then to the place.
pl_status pl_scene_shapes_give(const pl_scene_shapes *shapes, const double m[12],
                               const pl_scene_place *place, pl_scene_body *body);

// rotation: degrees about x, then y, then z; m := [R diag(scale) | 0].
void pl_scene_matrix(const double scale[3], const double degrees[3], double m[12]);

#endif
