// The bodies of a scene as programs that draw want them: surfaces of triangles, each with a name
// and a look, and the places of their vertices. All bodies of the scene, also those that are only
// drawn; not the ground. Of a body that carries a fine surface, it is that.

#ifndef PL_EXPORT_BODIES_H
#define PL_EXPORT_BODIES_H

#include "../scene/scene.h"

typedef struct pl_export_body {
    char name[24];        // "body_007": the number is its place in the scene, copies counted
    int32_t number;       // in the world, -1 if it is only drawn
    int32_t vert, n_vert; // the first of its vertices, and how many
    int32_t face, n_face; // the same for its faces
    double color[3];      // sRGB, 0 to 1
    double opacity;       // above 0, at most 1
    const pl_embedding *embedding; // by which its mesh carries them; NULL: they are vertices of it
} pl_export_body;

typedef struct pl_export_bodies {
    pl_export_body *body; // (n)
    int32_t n, n_vert, n_face;
    double *x;     // (3*n_vert) [m] at the start, until they are moved
    int32_t *from; // (n_vert) which vertex of its body's mesh it is, -1 if that carries it
    int32_t *face; // (3*n_face) of the body's own vertices, from 0
    bool changing; // vertices and faces are others in every frame: of bodies on a grid
} pl_export_bodies;

// The scene must outlive them. Fails with PL_ERROR_MEMORY, or PL_ERROR_ARGUMENT if there are more
// vertices or faces than a mesh can have.
pl_status pl_export_bodies_make(const pl_scene *scene, pl_export_bodies *out);
// To where they are in a world made by pl_scene_world.
void pl_export_bodies_move(pl_export_bodies *bodies, const pl_world *world);
// The surfaces that bodies on a grid, made by pl_scene_euler, have now.
pl_status pl_export_bodies_take(pl_export_bodies *bodies, const pl_scene *scene,
                                const pl_euler *euler);
// Numbers that the vertices of a body's mesh have, on its surface: out (n_vert of the body).
void pl_export_bodies_scalar(const pl_export_bodies *bodies, int32_t body, const double *value,
                             double *out);
void pl_export_bodies_free(pl_export_bodies *bodies);

#endif
