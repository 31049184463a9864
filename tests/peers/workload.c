#include "peer.h"
#include "../../apps/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool complain(const pl_scene *scene, const char *what)
{
    fprintf(stderr, "%s: %s\n", scene->file, what);
    return false;
}

// The largest |coordinate| along the axis that is smaller than the bound: the inner side of a
// frame around the origin whose outer side is the bound.
static double inner_side(const pl_mesh *mesh, int axis, double centre, double bound)
{
    const double *x = pl_mesh_positions(mesh);
    double inner = 0;
    for (int32_t i = 0; i < pl_mesh_vertex_count(mesh); i++) {
        double d = fabs(x[3 * i + axis] - centre);
        if (d < bound - 1e-6) inner = fmax(inner, d);
    }
    return inner;
}

// Four boxes for a frame along the axes: two walls across x from end to end, two across y between.
static void add_frame(peer_workload *w, const pl_mesh *mesh)
{
    double lo[3], hi[3], side[2];
    pl_mesh_bounds(mesh, lo, hi);
    for (int k = 0; k < 2; k++) {
        side[k] = inner_side(mesh, k, 0.5 * (lo[k] + hi[k]), 0.5 * (hi[k] - lo[k]));
    }
    for (int wall = 0; wall < 4; wall++) {
        peer_box *box = &w->box[w->n_box++];
        int axis = wall / 2;
        double centre = 0.5 * (lo[axis] + hi[axis]);
        memcpy(box->lo, lo, sizeof lo);
        memcpy(box->hi, hi, sizeof hi);
        if (wall % 2 == 0) box->hi[axis] = centre - side[axis];
        if (wall % 2 == 1) box->lo[axis] = centre + side[axis];
        if (axis == 1) {
            box->lo[0] = 0.5 * (lo[0] + hi[0]) - side[0];
            box->hi[0] = 0.5 * (lo[0] + hi[0]) + side[0];
        }
    }
}

static double tet_volume(const double *x, const int32_t *tet)
{
    double e[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) e[i][k] = x[3 * tet[i + 1] + k] - x[3 * tet[0] + k];
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
            e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static void add_body(peer_workload *w, const pl_mesh *mesh)
{
    peer_body *body = &w->bodies[w->n_body++];
    *body = (peer_body){.n_vert = pl_mesh_vertex_count(mesh),
                        .n_tet = pl_mesh_tet_count(mesh),
                        .x = pl_mesh_positions(mesh),
                        .tet = pl_mesh_tets(mesh),
                        .mass = w->mass + w->n_vert,
                        .first = w->n_vert};
    double *mass = w->mass + w->n_vert;
    for (int32_t t = 0; t < body->n_tet; t++) {
        double quarter = 0.25 * w->density * tet_volume(body->x, body->tet + 4 * t);
        for (int i = 0; i < 4; i++) mass[body->tet[4 * t + i]] += quarter;
    }
    w->n_vert += body->n_vert;
}

static bool fits(const pl_scene *scene, const pl_scene_body *body)
{
    const pl_material_options *m = &body->deformable.material;
    const pl_material_options *first = &scene->bodies[0].deformable.material;
    double mu = scene->ground_surface.friction;
    if (body->kind == PL_BODY_KINEMATIC) {
        return body->kinematic.surface.friction == mu && pl_mesh_vertex_count(body->mesh) == 16;
    }
    return body->kind == PL_BODY_DEFORMABLE && body->simulated &&
           body->deformable.surface.friction == mu && body->n_fixed == 0 && body->n_driven == 0 &&
           m->young == first->young && m->poisson == first->poisson &&
           m->density == first->density && m->mass_damping == 0 && m->stiffness_damping == 0;
}

static bool take(peer_workload *w)
{
    const pl_scene *scene = w->scene;
    int64_t n_vert = 0;
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        n_vert += pl_mesh_vertex_count(scene->bodies[i].mesh);
        if (!fits(scene, &scene->bodies[i])) {
            return complain(scene, "not a workload: bodies of one material, without damping, and "
                                   "frames, all of the ground's friction");
        }
    }
    w->bodies = calloc((size_t)scene->n_bodies, sizeof *w->bodies);
    w->mass = calloc((size_t)n_vert, sizeof *w->mass);
    if (w->bodies == NULL || w->mass == NULL) return complain(scene, "no memory");
    const pl_material_options *m = &scene->bodies[0].deformable.material;
    w->young = m->young;
    w->poisson = m->poisson;
    w->density = m->density;
    w->friction = scene->ground_surface.friction;
    w->dt = scene->world.dt;
    memcpy(w->gravity, scene->world.gravity, sizeof w->gravity);
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        const pl_scene_body *body = &scene->bodies[i];
        if (body->kind == PL_BODY_DEFORMABLE) {
            add_body(w, body->mesh);
        } else if (w->n_box > 0) {
            return complain(scene, "more than one frame");
        } else {
            add_frame(w, body->mesh);
        }
    }
    return true;
}

bool peer_workload_load(const char *path, peer_workload *out)
{
    *out = (peer_workload){.scene = calloc(1, sizeof(pl_scene))};
    if (out->scene == NULL) return false;
    if (pl_scene_load(path, out->scene) != PL_OK) {
        fprintf(stderr, "%s\n", pl_error_text());
        free(out->scene);
        out->scene = NULL;
        return false;
    }
    return take(out);
}

void peer_workload_free(peer_workload *workload)
{
    if (workload->scene != NULL) pl_scene_free(workload->scene);
    free(workload->scene);
    free(workload->bodies);
    free(workload->mass);
    *workload = (peer_workload){0};
}
