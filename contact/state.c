// The state of a world, as the outside sees and sets it.

#include "bdf2.h"
#include "step.h"
#include "../base/hash.h"
#include "../solvers/kernel.h"

#include <math.h>
#include <string.h>

pl_status pl_world_check_body(const pl_world *world, int32_t body)
{
    if (body >= 0 && body < world->n_bodies) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "body %d of %d", (int)body, (int)world->n_bodies);
}

// --- Between the order of the meshes and ours ---

void pl_world_permute(const pl_world_body *b, const double *from, double *to)
{
    for (int64_t i = 0; i < b->mesh->n_vert; i++) {
        memcpy(to + 3 * (int64_t)b->rank[i], from + 3 * i, 3 * sizeof(double));
    }
}

static void show_vertices(const pl_world *world, const pl_world_body *b, int64_t first,
                          int64_t last, double *x, double *v)
{
    for (int64_t i = first; i < last; i++) {
        int64_t from = 3 * ((int64_t)b->first + b->rank[i]);
        memcpy(x + 3 * i, world->x + from, 3 * sizeof(double));
        memcpy(v + 3 * i, world->v + from, 3 * sizeof(double));
    }
}

// Bodies may be many and small: even a region for one thread costs more than such a copy.
static void show_deformable(const pl_world *world, const pl_world_body *b, double *x, double *v)
{
    int64_t n = b->mesh->n_vert, size = PL_STEP_SERIAL;
    if (n <= size) {
        show_vertices(world, b, 0, n, x, v);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < n; first += size) {
        show_vertices(world, b, first, PL_MIN(first + size, n), x, v);
    }
}

static void show_rigid(const pl_world *world, const pl_world_body *b, double *x, double *v)
{
    const pl_rigid *state = &world->rigid[b->rigid];
    pl_rigid_points(state, b->mesh->n_vert, b->local, x);
    for (int64_t i = 0; i < b->mesh->n_vert; i++) pl_rigid_velocity(state, x + 3 * i, v + 3 * i);
}

// Velocities are those of the last step.
static void show_kinematic(const pl_world *world, const pl_world_body *b, double *x, double *v)
{
    double before = world->steps > 0 ? world->time - world->options.dt : world->time;
    for (int64_t i = 0; i < b->mesh->n_vert; i++) {
        double last[3];
        pl_path_apply(&b->path, before, b->mesh->x + 3 * i, last);
        pl_path_apply(&b->path, world->time, b->mesh->x + 3 * i, x + 3 * i);
        for (int k = 0; k < 3; k++) v[3 * i + k] = (x[3 * i + k] - last[k]) / world->options.dt;
    }
}

void pl_world_show_body(pl_world *world, int64_t body)
{
    const pl_world_body *b = &world->bodies[body];
    double *x = world->x_shown + 3 * (int64_t)b->shown;
    double *v = world->v_shown + 3 * (int64_t)b->shown;
    switch (b->kind) {
    case PL_BODY_DEFORMABLE:
        show_deformable(world, b, x, v);
        break;
    case PL_BODY_RIGID:
        show_rigid(world, b, x, v);
        break;
    case PL_BODY_KINEMATIC:
        show_kinematic(world, b, x, v);
        break;
    }
}

void pl_world_show(pl_world *world)
{
#pragma omp parallel for schedule(dynamic, 8) if (world->n_vert > PL_STEP_SERIAL)
    for (int64_t body = 0; body < world->n_bodies; body++) pl_world_show_body(world, body);
}

// --- Reading ---

int32_t pl_world_body_count(const pl_world *world)
{
    return (int32_t)world->n_bodies;
}

pl_body_kind pl_world_kind(const pl_world *world, int32_t body)
{
    return world->bodies[body].kind;
}

int32_t pl_world_vertex_count(const pl_world *world, int32_t body)
{
    return world->bodies[body].mesh->n_vert;
}

double pl_world_time(const pl_world *world)
{
    return world->time;
}

int64_t pl_world_steps(const pl_world *world)
{
    return world->steps;
}

const double *pl_world_positions(const pl_world *world, int32_t body)
{
    return world->x_shown + 3 * (int64_t)world->bodies[body].shown;
}

const double *pl_world_velocities(const pl_world *world, int32_t body)
{
    return world->v_shown + 3 * (int64_t)world->bodies[body].shown;
}

const pl_mesh *pl_world_mesh(const pl_world *world, int32_t body)
{
    return world->bodies[body].mesh;
}

pl_status pl_world_frame(const pl_world *world, int32_t body, pl_frame *out)
{
    PL_TRY(pl_world_check_body(world, body));
    const pl_world_body *b = &world->bodies[body];
    if (b->kind != PL_BODY_RIGID) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d is not rigid", (int)body);
    }
    const pl_rigid *r = &world->rigid[b->rigid];
    memcpy(out->centre, r->x, sizeof out->centre);
    pl_rotation_compose(r->q, b->unturned, out->turn);
    memcpy(out->velocity, r->v, sizeof out->velocity);
    pl_rigid_omega(r, out->angular_velocity);
    out->mass = r->mass;
    return PL_OK;
}

// Parts are hashed by themselves, and then their hashes.
static uint64_t hash_vector(uint64_t hash, int64_t n, const double *x)
{
    enum { PART_SIZE = 4096 };
    uint64_t part[PL_MAX_PARTS];
    int64_t size = pl_part_size(n, PART_SIZE), n_part = (n + size - 1) / size;
#pragma omp parallel for schedule(static) if (n_part > 1)
    for (int64_t p = 0; p < n_part; p++) {
        size_t many = (size_t)PL_MIN(size, n - p * size);
        part[p] = pl_hash(PL_HASH_START, x + p * size, many * sizeof *x);
    }
    return pl_hash(hash, part, (size_t)n_part * sizeof *part);
}

uint64_t pl_world_hash(const pl_world *world)
{
    int64_t n = 3 * (int64_t)world->n_vert;
    uint64_t hash = hash_vector(PL_HASH_START, n, world->x);
    hash = hash_vector(hash, n, world->v);
    hash = pl_hash(hash, world->rigid, (size_t)world->n_rigid * sizeof *world->rigid);
    return pl_hash(hash, &world->time, sizeof world->time);
}

// --- Writing ---

static bool all_finite(const double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(a[i])) return false;
    }
    return true;
}

pl_status pl_world_set_state(pl_world *world, int32_t body, const double *x, const double *v)
{
    PL_TRY(pl_world_check_body(world, body));
    const pl_world_body *b = &world->bodies[body];
    if (b->kind != PL_BODY_DEFORMABLE) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d is not deformable", (int)body);
    }
    int64_t n = 3 * (int64_t)b->mesh->n_vert, start = 3 * (int64_t)b->first;
    if ((x != NULL && !all_finite(x, n)) || (v != NULL && !all_finite(v, n))) {
        return pl_fail(PL_ERROR_ARGUMENT, "state: not finite");
    }
    if (x != NULL) pl_world_permute(b, x, world->x + start);
    if (v != NULL) pl_world_permute(b, v, world->v + start);
    world->moved = world->moved || x != NULL;
    world->gained = false;
    pl_bdf2_forget(world, b);
    pl_world_show_body(world, body);
    return PL_OK;
}
