// The state of a world, as the outside sees and sets it.

#include "integrator.h"
#include "sleep.h"
#include "step.h"
#include "../base/hash.h"
#include "../base/text.h"
#include "../solvers/kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pl_status pl_world_find(const pl_world *world, int32_t id, int32_t *place)
{
    PL_REQUIRE(world);
    *place = pl_world_place(world, id);
    if (*place >= 0) return PL_OK;
    bool removed = id >= 0 && (id & ((1 << PL_ID_BITS) - 1)) < world->bodies.n;
    if (removed) return pl_fail(PL_ERROR_ARGUMENT, "body %d: it was removed", (int)id);
    return pl_fail(PL_ERROR_ARGUMENT, "body %d of %d: the first is 0", (int)id,
                   (int)world->bodies.n);
}

pl_status pl_world_set_name(pl_world *world, int32_t body, const char *name)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    snprintf(world->bodies.body[place].name, PL_BODY_NAME, "%s", name != NULL ? name : "");
    return PL_OK;
}

const char *pl_world_body_name(const pl_world *world, int64_t place, char text[PL_BODY_NAME])
{
    const char *name = world->bodies.body[place].name;
    if (name[0] != '\0') return name;
    snprintf(text, PL_BODY_NAME, "body %d", (int)pl_world_id(world, place));
    return text;
}

pl_status pl_orientation_check(const double q[4])
{
    static const double ROUNDING = 1e-6;
    double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (fabs(length - 1) < ROUNDING) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "orientation: not a quaternion of length 1");
}

size_t pl_world_name(const pl_world *world, int32_t body, char *buffer, size_t size)
{
    char name[PL_BODY_NAME];
    pl_text text = pl_text_start(buffer, size);
    int32_t place = pl_world_place(world, body);
    if (place < 0) return 0;
    pl_text_add(&text, "%s", pl_world_body_name(world, place, name));
    return text.length;
}

// --- Between the order of the meshes and ours ---

void pl_world_permute(const pl_world_body *b, const double *from, double *to)
{
    for (int64_t i = 0; i < b->mesh->n_vert; i++) {
        memcpy(to + 3 * (int64_t)b->rank[i], from + 3 * i, 3 * sizeof(double));
    }
}

static void publish_vertices(const pl_world *world, const pl_world_body *b, int64_t first,
                             int64_t last, double *x, double *v)
{
    for (int64_t i = first; i < last; i++) {
        int64_t from = 3 * ((int64_t)b->first + b->rank[i]);
        memcpy(x + 3 * i, world->state.x + from, 3 * sizeof(double));
        memcpy(v + 3 * i, world->state.v + from, 3 * sizeof(double));
    }
}

typedef struct publish_loop {
    const pl_world *world;
    const pl_world_body *b;
    double *x, *v;
} publish_loop;

static void publish_some_vertices(void *context, int64_t first, int64_t last)
{
    const publish_loop *l = context;
    publish_vertices(l->world, l->b, first, last, l->x, l->v);
}

static void publish_deformable(const pl_world *world, const pl_world_body *b, double *x, double *v)
{
    pl_loop(b->mesh->n_vert, PL_STEP_CHUNK, publish_some_vertices, &(publish_loop){world, b, x, v});
}

static void publish_rigid(const pl_world *world, const pl_world_body *b, double *x, double *v)
{
    const pl_rigid *state = &world->state.rigid[b->rigid];
    pl_rigid_points(state, b->mesh->n_vert, b->local, x);
    pl_rigid_velocities(state, b->mesh->n_vert, x, v);
}

// Velocities are those of the last step.
static void publish_kinematic(const pl_world *world, const pl_world_body *b, double *x, double *v)
{
    double before = world->steps > 0 ? world->time - world->options.dt : world->time;
    for (int64_t i = 0; i < b->mesh->n_vert; i++) {
        double last[3];
        pl_path_apply(&b->path, before, b->mesh->x + 3 * i, last);
        pl_path_apply(&b->path, world->time, b->mesh->x + 3 * i, x + 3 * i);
        for (int k = 0; k < 3; k++) v[3 * i + k] = (x[3 * i + k] - last[k]) / world->options.dt;
    }
}

static void publish_body(const pl_world *world, int64_t body)
{
    const pl_world_body *b = &world->bodies.body[body];
    double *x = world->published.x + 3 * (int64_t)b->published;
    double *v = world->published.v + 3 * (int64_t)b->published;
    switch (b->kind) {
    case PL_BODY_DEFORMABLE:
        publish_deformable(world, b, x, v);
        break;
    case PL_BODY_RIGID:
        publish_rigid(world, b, x, v);
        break;
    case PL_BODY_KINEMATIC:
        publish_kinematic(world, b, x, v);
        break;
    case PL_BODY_NONE: // no body of a world is
        break;
    }
}

static void publish_bodies(void *context, int64_t first, int64_t last)
{
    for (int64_t body = first; body < last; body++) publish_body(context, body);
}

void pl_world_publish_body(pl_world *world, int64_t body)
{
    publish_body(world, body);
    world->published.version++;
}

void pl_world_publish(pl_world *world)
{
    pl_loop(world->bodies.n, pl_world_least_bodies(world), publish_bodies, world);
    world->published.version++;
}

// --- Reading ---

int32_t pl_world_body_count(const pl_world *world)
{
    return world != NULL ? (int32_t)world->bodies.n : 0;
}

int32_t pl_world_body_at(const pl_world *world, int32_t i)
{
    if (world == NULL || i < 0 || i >= world->bodies.n) return -1;
    return world->bodies.body[i].kind != PL_BODY_NONE ? pl_world_id(world, i) : -1;
}

pl_body_kind pl_world_kind(const pl_world *world, int32_t body)
{
    int32_t place = pl_world_place(world, body);
    return place >= 0 ? world->bodies.body[place].kind : PL_BODY_NONE;
}

int32_t pl_world_vertex_count(const pl_world *world, int32_t body)
{
    int32_t place = pl_world_place(world, body);
    return place >= 0 ? world->bodies.body[place].mesh->n_vert : 0;
}

double pl_world_time(const pl_world *world)
{
    return world != NULL ? world->time : 0;
}

int64_t pl_world_steps(const pl_world *world)
{
    return world != NULL ? world->steps : 0;
}

const double *pl_world_positions(const pl_world *world, int32_t body)
{
    int32_t place = pl_world_place(world, body);
    if (place < 0) return NULL;
    return world->published.x + 3 * (int64_t)world->bodies.body[place].published;
}

const double *pl_world_velocities(const pl_world *world, int32_t body)
{
    int32_t place = pl_world_place(world, body);
    if (place < 0) return NULL;
    return world->published.v + 3 * (int64_t)world->bodies.body[place].published;
}

const pl_mesh *pl_world_mesh(const pl_world *world, int32_t body)
{
    int32_t place = pl_world_place(world, body);
    return place >= 0 ? world->bodies.body[place].mesh : NULL;
}

pl_status pl_world_frame(const pl_world *world, int32_t body, pl_frame *out)
{
    PL_REQUIRE(out);
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    const pl_world_body *b = &world->bodies.body[place];
    if (b->kind != PL_BODY_RIGID) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d is not rigid", (int)body);
    }
    const pl_rigid *r = &world->state.rigid[b->rigid];
    memcpy(out->centre, r->x, sizeof out->centre);
    pl_rotation_compose(r->q, b->unturned, out->orientation);
    memcpy(out->velocity, r->v, sizeof out->velocity);
    pl_rigid_omega(r, out->angular_velocity);
    out->mass = r->mass;
    return PL_OK;
}

typedef struct hash_loop {
    int64_t n, size; // elements, of which a part has so many
    const double *x;
    uint64_t *part;
} hash_loop;

static void hash_parts(void *context, int64_t first, int64_t last)
{
    const hash_loop *l = context;
    for (int64_t p = first; p < last; p++) {
        int64_t at = p * l->size, many = PL_MIN(l->size, l->n - at);
        l->part[p] = pl_hash(PL_HASH_START, l->x + at, (size_t)many * sizeof *l->x);
    }
}

// Parts are hashed by themselves, and then their hashes.
static uint64_t hash_vector(uint64_t hash, int64_t n, const double *x)
{
    enum { PART_SIZE = 4096 };
    uint64_t part[PL_MAX_PARTS];
    int64_t size = pl_part_size(n, PART_SIZE), n_part = (n + size - 1) / size;
    pl_loop(n_part, 1, hash_parts, &(hash_loop){n, size, x, part});
    return pl_hash(hash, part, (size_t)n_part * sizeof *part);
}

uint64_t pl_world_hash(const pl_world *world)
{
    if (world == NULL) return 0;
    int64_t n = 3 * (int64_t)world->state.n_vert;
    uint64_t hash = hash_vector(PL_HASH_START, n, world->state.x);
    hash = hash_vector(hash, n, world->state.v);
    hash = pl_hash(hash, world->state.rigid,
                   (size_t)world->state.n_rigid * sizeof *world->state.rigid);
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
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    const pl_world_body *b = &world->bodies.body[place];
    if (b->kind != PL_BODY_DEFORMABLE) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d is not deformable", (int)body);
    }
    int64_t n = 3 * (int64_t)b->mesh->n_vert, start = 3 * (int64_t)b->first;
    if ((x != NULL && !all_finite(x, n)) || (v != NULL && !all_finite(v, n))) {
        return pl_fail(PL_ERROR_ARGUMENT, "state: not finite");
    }
    PL_TRY(pl_sleep_wake(world, place));
    if (x != NULL) pl_world_permute(b, x, world->state.x + start);
    if (v != NULL) pl_world_permute(b, v, world->state.v + start);
    world->state.moved = world->state.moved || x != NULL;
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    if (integrator->forget != NULL) integrator->forget(world, b);
    pl_world_publish_body(world, place);
    return PL_OK;
}
