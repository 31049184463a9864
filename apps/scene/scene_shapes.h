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
} pl_scene_shapes;

// Those of the body `at`, moved by m, the rows [scale R | 0] of its size and turn. Fails with the
// key's path.
pl_status pl_scene_shapes_read(const pl_json *at, double scale, const double m[12],
                               pl_load_named *load, pl_scene_shapes *out);
void pl_scene_shapes_free(pl_scene_shapes *shapes); // leaves them empty

// Gives a body its shapes, moved by the rows of m [R | t] and then to the place.
pl_status pl_scene_shapes_give(const pl_scene_shapes *shapes, const double m[12],
                               const pl_scene_place *place, pl_scene_body *body);

// rotation: degrees about x, then y, then z; m := [scale R | 0].
void pl_scene_matrix(double scale, const double degrees[3], double m[12]);

#endif
