#include "jitter.h"
#include "random.h"
#include "../../contact/audit_world.h"
#include "../../meshes/geometry.h"
#include "../../meshes/mesh.h"
#include "../../rigid/rotation.h"

#include <math.h>

// How far a point may go: in parts of its body's size, and of the smallest distance between bodies,
// of which two may come towards each other.
static const double PART = 0.01, SHARE = 0.3;

// A point of the unit ball.
static void random_point(uint64_t *state, double p[3])
{
    do {
        for (int k = 0; k < 3; k++) p[k] = 2 * pl_random(state) - 1;
    } while (pl_dot(p, p) > 1);
}

// About the middle of the body's box: half of `most` [m] is for the displacement, half for the turn
// of the point that is farthest from there.
static pl_status move_body(pl_mesh *mesh, double most, uint64_t *state)
{
    double lo[3], hi[3], middle[3], turned[3], off[3], turn[3], q[4], R[9], reach = 0;
    pl_mesh_bounds(mesh, lo, hi);
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * (lo[k] + hi[k]);
    for (int64_t i = 0; i < mesh->n_vert; i++) {
        double r[3];
        pl_subtract(mesh->x + 3 * i, middle, r);
        reach = fmax(reach, sqrt(pl_dot(r, r)));
    }
    most = fmin(most, 2 * PART * reach);
    random_point(state, off);
    random_point(state, turn);
    for (int k = 0; k < 3; k++) turn[k] *= reach > 0 ? 0.5 * most / reach : 0;
    pl_rotation_exp(turn, q);
    pl_rotation_matrix(q, R);
    pl_matrix_apply(R, middle, turned);
    double m[12];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m[4 * i + j] = R[3 * i + j];
        m[4 * i + 3] = middle[i] - turned[i] + 0.5 * most * off[i];
    }
    return pl_mesh_transform(mesh, m);
}

static bool is_free(const pl_scene_body *body)
{
    if (!body->simulated || body->kind == PL_BODY_KINEMATIC) return false;
    return body->n_fixed == 0 && body->n_driven == 0;
}

// How far a point may go before bodies that are apart could touch.
static pl_status measure_room(const pl_scene *scene, double *room)
{
    *room = INFINITY;
    if (!scene->world.contact) return PL_OK;
    pl_world *world;
    PL_TRY(pl_scene_world(scene, &world));
    pl_status status = pl_world_measure_gap(world, room);
    pl_world_destroy(world);
    *room *= SHARE;
    return status;
}

pl_status pl_scene_jitter(pl_scene *scene, int32_t seed)
{
    double room;
    PL_TRY(measure_room(scene, &room));
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        // Each body has its own numbers, so that one more of them changes no other.
        uint64_t state = (uint64_t)seed << 32 | (uint32_t)i;
        if (is_free(&scene->bodies[i])) PL_TRY(move_body(scene->bodies[i].mesh, room, &state));
    }
    return PL_OK;
}
