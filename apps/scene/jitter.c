#include "jitter.h"
#include "../common/random.h"
#include "../common/vec.h"

// How far a point may go: in parts of its body's size, and of the smallest distance between bodies,
// of which two may come towards each other.
static const double PART = 0.01, SHARE = 0.3;

// A point of the unit ball.
static void random_point(uint64_t *state, double p[3])
{
    do {
        for (int k = 0; k < 3; k++) p[k] = 2 * pl_random(state) - 1;
    } while (vec3_dot(vec3_of(p), vec3_of(p)) > 1);
}

// The rotation matrix (row by row) of a turn by |u| about u, by way of its quaternion.
static void turn_matrix(const double u[3], double R[9])
{
    double angle = hypot(hypot(u[0], u[1]), u[2]), s = sin(0.5 * angle);
    double w = cos(0.5 * angle), q[3];
    for (int k = 0; k < 3; k++) q[k] = angle > 0 ? s * (u[k] / angle) : 0;
    double x = q[0], y = q[1], z = q[2];
    R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

// About the middle of the body's box: half of `most` [m] is for the displacement, half for the turn
// of the point that is farthest from there.
static pl_status move_body(pl_mesh *mesh, double most, uint64_t *state)
{
    double lo[3], hi[3], middle[3], turned[3], off[3], turn[3], R[9], reach = 0;
    pl_mesh_bounds(mesh, lo, hi);
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * (lo[k] + hi[k]);
    for (int64_t i = 0; i < pl_mesh_vertex_count(mesh); i++) {
        vec3 r = vec3_sub(vec3_of(pl_mesh_positions(mesh) + 3 * i), vec3_of(middle));
        reach = fmax(reach, sqrt(vec3_dot(r, r)));
    }
    most = fmin(most, 2 * PART * reach);
    random_point(state, off);
    random_point(state, turn);
    for (int k = 0; k < 3; k++) turn[k] *= reach > 0 ? 0.5 * most / reach : 0;
    turn_matrix(turn, R);
    for (int k = 0; k < 3; k++) {
        turned[k] = R[3 * k] * middle[0] + R[3 * k + 1] * middle[1] + R[3 * k + 2] * middle[2];
    }
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

// What a joint holds has its place.
static bool is_joined(const pl_scene *scene, int32_t body)
{
    for (int32_t i = 0; i < scene->n_joints; i++) {
        if (scene->joints[i].a == body || scene->joints[i].b == body) return true;
    }
    return false;
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
        if (!is_free(&scene->bodies[i]) || is_joined(scene, i)) continue;
        PL_TRY(move_body(scene->bodies[i].mesh, room, &state));
    }
    return PL_OK;
}
