// The state of a world as named parts (parts.h), in a file or in memory, and back.

#include "conditions.h"
#include "contact_step.h"
#include "events.h"
#include "integrator.h"
#include "joints.h"
#include "origin.h"
#include "sleep.h"
#include "../base/hash.h"
#include "../collision/surfaces.h"

#include <math.h>
#include <string.h>

// The parts. Those of contact are there once a step with contact has been made, those of a search
// while its candidates serve; integrators have their own.
static const char CLOCK[] = "clock", POSITIONS[] = "positions", VELOCITIES[] = "velocities",
                  RIGID[] = "rigid", FORCES[] = "forces", SEARCH_FROM[] = "search-from",
                  SEARCH_TO[] = "search-to", SEARCH_STALE[] = "search-stale", TREES[] = "trees",
                  ORIGIN[] = "origin", WAYS[] = "ways";

typedef struct world_clock {
    int64_t steps;
    double time; // [s]
} world_clock;

static uint64_t hash_colliders(uint64_t hash, const pl_world_body *b)
{
    for (int32_t k = 0; k < b->n_collider; k++) {
        const pl_skeleton *s = &b->collider[k].skeleton;
        hash = pl_hash(hash, &s->radius, sizeof s->radius);
        hash = pl_hash(hash, s->face, 3 * (size_t)(s->n_face + s->n_behind) * sizeof *s->face);
        hash = pl_hash(hash, s->edge, 2 * (size_t)s->n_edge * sizeof *s->edge);
        hash = pl_hash(hash, s->point, (size_t)s->n_point * sizeof *s->point);
    }
    return hash;
}

// Bodies and driven vertices as one number: a state fits a world that has the same.
static uint64_t fingerprint(const pl_world *world)
{
    uint64_t hash = PL_HASH_START;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_mesh *mesh = world->bodies.body[i].mesh;
        hash = pl_hash(hash, &world->bodies.body[i].kind, sizeof world->bodies.body[i].kind);
        hash = pl_hash(hash, mesh->x, 3 * (size_t)mesh->n_vert * sizeof *mesh->x);
        hash = pl_hash(hash, mesh->tet, 4 * (size_t)mesh->n_tet * sizeof *mesh->tet);
        hash = pl_hash(hash, mesh->face, 3 * (size_t)mesh->n_face * sizeof *mesh->face);
        hash = hash_colliders(hash, &world->bodies.body[i]);
    }
    for (int64_t i = 0; i < world->bodies.n_driven; i++) {
        hash =
            pl_hash(hash, &world->bodies.driven[i].vertex, sizeof world->bodies.driven[i].vertex);
    }
    return hash;
}

// A kinematic body that was sent to another place.
typedef struct sent {
    int64_t place;
    pl_way way;
} sent;

// --- Writing ---

static void add_contact_parts(const pl_contact_step *contact, const void *trees, pl_parts *parts)
{
    const pl_candidate_set *set = &contact->detection.candidates;
    pl_parts_add(parts, TREES, 1, trees, pl_surfaces_state_size(contact->boundary.surfaces));
    if (!set->current) return;
    size_t size = 3 * (size_t)contact->boundary.n * sizeof *set->from;
    pl_parts_add(parts, SEARCH_FROM, 1, set->from, size);
    pl_parts_add(parts, SEARCH_TO, 1, set->to, size);
    pl_parts_add(parts, SEARCH_STALE, 1, set->stale, (size_t)contact->boundary.n_body);
}

// ways (bodies.n) := those of the bodies that were sent; returns how many.
static int64_t list_ways(const pl_world *world, sent *ways)
{
    int64_t n = 0;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind == PL_BODY_KINEMATIC && b->path.sent) ways[n++] = (sent){i, b->path.way};
    }
    return n;
}

static pl_status pack(const pl_world *world, const void *trees, sent *ways,
                      const pl_sleep_state *sleep, const pl_joint_memory *joints,
                      const pl_turned *turned, pl_bytes *out)
{
    const pl_state *state = &world->state;
    const world_clock clock = {world->steps, world->time};
    const pl_origin origin = pl_origin_of(world);
    size_t vectors = 3 * (size_t)state->n_vert * sizeof *state->x;
    pl_parts parts = {.world = fingerprint(world)};
    pl_parts_add(&parts, CLOCK, 1, &clock, sizeof clock);
    pl_parts_add(&parts, ORIGIN, 1, &origin, sizeof origin);
    pl_parts_add(&parts, POSITIONS, 1, state->x, vectors);
    pl_parts_add(&parts, VELOCITIES, 1, state->v, vectors);
    pl_parts_add(&parts, RIGID, 1, state->rigid, (size_t)state->n_rigid * sizeof *state->rigid);
    int64_t n_way = list_ways(world, ways);
    if (n_way > 0) pl_parts_add(&parts, WAYS, 1, ways, (size_t)n_way * sizeof *ways);
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    if (integrator->add_parts != NULL) integrator->add_parts(world, &parts);
    pl_sleep_add_parts(world, sleep, &parts);
    pl_joints_add_parts(world, joints, &parts);
    pl_conditions_add_parts(world, turned, &parts);
    if (world->constraints != NULL) {
        const pl_blocks *c = &world->constraints->blocks;
        pl_parts_add(&parts, FORCES, 1, c->memory, (size_t)c->n_memory * sizeof *c->memory);
    }
    if (world->contact != NULL) add_contact_parts(world->contact, trees, &parts);
    return pl_parts_pack(&parts, out);
}

static pl_status save(const pl_world *world, pl_bytes *out)
{
    const pl_surfaces *surfaces = world->contact != NULL ? world->contact->boundary.surfaces : NULL;
    size_t size = surfaces != NULL ? pl_surfaces_state_size(surfaces) : 0;
    void *trees = pl_alloc((int64_t)size, 1);
    sent *ways = pl_alloc(world->bodies.n, sizeof *ways);
    pl_status status = trees != NULL && ways != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK && surfaces != NULL) pl_surfaces_get_state(surfaces, trees);
    pl_sleep_state *sleep = NULL;
    pl_joint_memory *joints = NULL;
    if (status == PL_OK) status = pl_sleep_list(world, &sleep);
    pl_turned *turned = NULL;
    if (status == PL_OK) status = pl_joints_list(world, &joints);
    if (status == PL_OK) status = pl_conditions_list(world, &turned);
    if (status == PL_OK) status = pack(world, trees, ways, sleep, joints, turned, out);
    pl_free(turned);
    pl_free(sleep);
    pl_free(joints);
    pl_free(trees);
    pl_free(ways);
    return status;
}

pl_status pl_world_save(const pl_world *world, const char *path)
{
    PL_REQUIRE(world);
    PL_REQUIRE(path);
    pl_bytes bytes;
    pl_output out;
    PL_TRY(save(world, &bytes));
    pl_status status = pl_output_open(path, &out);
    if (status == PL_OK) {
        pl_output_write(&out, bytes.data, bytes.size);
        status = pl_output_close(&out);
    }
    pl_bytes_free(&bytes);
    return status;
}

pl_status pl_world_save_memory(const pl_world *world, void *buffer, size_t size, size_t *needed)
{
    PL_REQUIRE(world);
    PL_REQUIRE(needed);
    pl_bytes bytes;
    PL_TRY(save(world, &bytes));
    *needed = bytes.size;
    bool fits = buffer != NULL && size >= bytes.size;
    if (fits) memcpy(buffer, bytes.data, bytes.size);
    pl_bytes_free(&bytes);
    if (fits || buffer == NULL) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "a checkpoint of %zu bytes, and room for %zu", *needed, size);
}

// --- What no step has written: a right sum does not tell who made the file ---

// What a file holds, looked at.
typedef struct content {
    pl_parts parts;
    world_clock clock;
    pl_origin origin;
    double *x, *v;
    pl_rigid *rigid;
    pl_remembered *memory; // (n_memory)
    int64_t n_memory;
    double *from, *to; // NULL: no search
    uint8_t *stale;
    void *trees;
    const sent *ways; // (n_way)
    int64_t n_way;
} content;

// Are orientations such? Masses are the world's own from here on: a body that has another one than
// in the run which wrote the file keeps its velocities.
static bool fit_bodies(const pl_world *world, pl_rigid *rigid)
{
    static const double ROUNDING = 1e-6;
    for (int64_t i = 0; i < world->state.n_rigid; i++) {
        const pl_rigid *now = &world->state.rigid[i];
        pl_rigid *r = &rigid[i];
        double length =
            r->q[0] * r->q[0] + r->q[1] * r->q[1] + r->q[2] * r->q[2] + r->q[3] * r->q[3];
        if (!(fabs(length - 1) < ROUNDING) || !(r->mass > 0)) return false;
        for (int k = 0; k < 3 && r->mass != now->mass; k++) {
            r->angular_momentum[k] *= now->mass / r->mass;
            if (!isfinite(r->angular_momentum[k])) return false;
        }
        r->mass = now->mass;
        memcpy(r->moment, now->moment, sizeof r->moment);
    }
    return true;
}

// Forces by pair, each once and in order.
static bool ordered_memory(const content *c)
{
    const pl_feature_pair none = {-1, 0, 0}, *before = &none;
    for (int64_t i = 0; i < c->n_memory; i++) {
        const pl_remembered *m = &c->memory[i];
        if (pl_block_id_compare(before, &m->id) >= 0) return false;
        if (!isfinite(m->force[0]) || !isfinite(m->force[1]) || !isfinite(m->force[2]))
            return false;
        if (m->found != 0 && m->found != 1) return false;
        before = &m->id;
    }
    return true;
}

static bool take_clock(content *c)
{
    static const int64_t MOST_STEPS = INT64_MAX / 2;
    bool fits = true;
    const world_clock *clock = pl_parts_data(&c->parts, CLOCK, 1, sizeof *clock, &fits);
    const pl_origin *origin = pl_parts_data(&c->parts, ORIGIN, 1, sizeof *origin, &fits);
    if (clock == NULL || origin == NULL) return false;
    c->clock = *clock;
    c->origin = *origin;
    if (!(origin->dt > 0 && isfinite(origin->dt))) return false;
    return isfinite(clock->time) && clock->steps >= 0 && clock->steps <= MOST_STEPS;
}

static bool take_bodies(const pl_world *world, content *c)
{
    bool fits = true;
    int64_t n = world->state.n_rigid, numbers = (int64_t)(sizeof(pl_rigid) / sizeof(double));
    c->rigid = (pl_rigid *)pl_parts_doubles(&c->parts, RIGID, n * numbers, &fits);
    return fits && (n == 0 || c->rigid != NULL) && fit_bodies(world, c->rigid);
}

static bool take_memory(content *c)
{
    int32_t i = pl_parts_find(&c->parts, FORCES);
    if (i < 0) return true;
    size_t size = c->parts.part[i].size;
    c->memory = c->parts.data[i];
    c->n_memory = (int64_t)(size / sizeof *c->memory);
    return c->parts.part[i].version == 1 && size % sizeof *c->memory == 0 && ordered_memory(c);
}

static bool take_search(const pl_contact_step *contact, content *c)
{
    bool fits = true;
    const pl_boundary *boundary = &contact->boundary;
    size_t trees = pl_surfaces_state_size(boundary->surfaces);
    c->from = pl_parts_doubles(&c->parts, SEARCH_FROM, 3 * (int64_t)boundary->n, &fits);
    c->to = pl_parts_doubles(&c->parts, SEARCH_TO, 3 * (int64_t)boundary->n, &fits);
    c->stale = pl_parts_flags(&c->parts, SEARCH_STALE, boundary->n_body, &fits);
    c->trees = pl_parts_data(&c->parts, TREES, 1, trees, &fits);
    bool all = c->from != NULL && c->to != NULL && c->stale != NULL;
    bool none = c->from == NULL && c->to == NULL && c->stale == NULL;
    return fits && (all || none) && c->trees != NULL;
}

// Is it one of a kinematic body, with numbers that are finite?
static bool check_way(const pl_world *world, const sent *s)
{
    double numbers[sizeof(pl_way) / sizeof(double)];
    if (s->place < 0 || s->place >= world->bodies.n) return false;
    if (world->bodies.body[s->place].kind != PL_BODY_KINEMATIC) return false;
    memcpy(numbers, &s->way, sizeof numbers);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!isfinite(numbers[i])) return false;
    }
    return s->way.end.time > 0;
}

static bool take_ways(const pl_world *world, content *c)
{
    int32_t i = pl_parts_find(&c->parts, WAYS);
    if (i < 0) return true;
    size_t size = c->parts.part[i].size;
    c->ways = c->parts.data[i];
    c->n_way = (int64_t)(size / sizeof *c->ways);
    if (c->parts.part[i].version != 1 || size % sizeof *c->ways != 0) return false;
    for (int64_t k = 0; k < c->n_way; k++) {
        if (!check_way(world, &c->ways[k])) return false;
    }
    return true;
}

static bool take_past(const pl_world *world, const content *c)
{
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    return integrator->check_parts == NULL || integrator->check_parts(world, &c->parts);
}

static pl_status fail_damaged(const char *what, const char *name)
{
    return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is damaged: a %s that no step can leave",
                   name, what);
}

static pl_status check_values(const pl_world *world, content *c, const char *name)
{
    bool fits = true;
    int64_t n = 3 * (int64_t)world->state.n_vert;
    if (!take_clock(c)) return fail_damaged("time", name);
    c->x = pl_parts_doubles(&c->parts, POSITIONS, n, &fits);
    if (!fits || c->x == NULL) return fail_damaged("position", name);
    c->v = pl_parts_doubles(&c->parts, VELOCITIES, n, &fits);
    if (!fits || c->v == NULL) return fail_damaged("velocity", name);
    if (!take_bodies(world, c)) return fail_damaged("rigid body", name);
    if (!take_ways(world, c)) return fail_damaged("motion", name);
    if (!take_memory(c)) return fail_damaged("force", name);
    if (!take_past(world, c)) return fail_damaged("step before", name);
    if (!pl_sleep_check_parts(world, &c->parts)) return fail_damaged("sleep", name);
    if (!pl_joints_check_parts(world, &c->parts)) return fail_damaged("joint", name);
    if (!pl_conditions_check_parts(world, &c->parts)) return fail_damaged("condition", name);
    return PL_OK;
}

// --- Taking ---

static pl_status fill_contact(const content *c, pl_contact_step *contact)
{
    pl_candidate_set *set = &contact->detection.candidates;
    const pl_boundary *boundary = &contact->boundary;
    PL_TRY(pl_candidates_reserve(set, boundary));
    PL_TRY(pl_surfaces_set_state(boundary->surfaces, c->trees));
    if (c->from == NULL) return PL_OK;
    size_t size = 3 * (size_t)boundary->n * sizeof *c->from;
    memcpy(set->from, c->from, size);
    memcpy(set->to, c->to, size);
    memcpy(set->stale, c->stale, (size_t)boundary->n_body);
    return pl_candidates_restore(set, boundary);
}

// New contacts, as the file has them, for bodies where the file has them: where they are now may be
// beyond what trees can be made for.
static pl_status make_contact(const pl_world *world, content *c, const char *name,
                              pl_contact_step **out)
{
    pl_world there = *world;
    there.state.x = c->x;
    there.state.v = c->v;
    there.state.rigid = c->rigid;
    there.time = c->clock.time;
    pl_status status = pl_contact_step_create(&there, out);
    if (status == PL_OK && !take_search(*out, c)) status = fail_damaged("search", name);
    if (status == PL_OK) status = fill_contact(c, *out);
    if (status == PL_OK) return PL_OK;
    pl_contact_step_destroy(*out);
    *out = NULL;
    if (status != PL_ERROR_MEMORY) {
        if (strstr(pl_error_text(), "the checkpoint is damaged") == NULL) {
            pl_fail_prefix("the checkpoint is damaged");
            pl_fail_prefix(name);
        }
        status = PL_ERROR_FORMAT;
    }
    return status;
}

static void copy(void *to, const void *from, int64_t n, size_t size)
{
    if (n > 0) memcpy(to, from, (size_t)n * size);
}

// Room for the forces, which the world does not have yet.
static pl_status reserve_forces(pl_world *world, const content *c)
{
    if (world->constraints == NULL) return PL_OK;
    pl_blocks *blocks = &world->constraints->blocks;
    return pl_reserve((void **)&blocks->memory, &blocks->memory_capacity, c->n_memory,
                      sizeof *blocks->memory);
}

static void take_forces(pl_world *world, const content *c)
{
    if (world->constraints == NULL) return;
    pl_blocks *blocks = &world->constraints->blocks;
    copy(blocks->memory, c->memory, c->n_memory, sizeof *blocks->memory);
    blocks->n_memory = c->n_memory;
    blocks->recent = 0;
    world->constraints->n_start = 0;
}

// The world becomes what the file says; nothing here can fail. A state from before the first step,
// or of a world without contact, has no trees: the next step makes them, and looks if bodies are
// apart.
static void take_state(pl_world *world, const content *c, pl_contact_step *contact)
{
    pl_state *state = &world->state;
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    if (contact == NULL && world->contact != NULL) pl_world_unprepare(world);
    pl_contact_step_destroy(world->contact);
    world->contact = contact;
    take_forces(world, c);
    copy(state->x, c->x, 3 * (int64_t)state->n_vert, sizeof *state->x);
    copy(state->v, c->v, 3 * (int64_t)state->n_vert, sizeof *state->v);
    copy(state->rigid, c->rigid, state->n_rigid, sizeof *state->rigid);
    for (int64_t i = 0; i < world->bodies.n; i++) world->bodies.body[i].path.sent = false;
    for (int64_t i = 0; i < c->n_way; i++) {
        pl_path *path = &world->bodies.body[c->ways[i].place].path;
        path->way = c->ways[i].way;
        path->sent = true;
    }
    if (world->system.ready && integrator->take_parts != NULL) {
        integrator->take_parts(world, &c->parts);
    }
    pl_sleep_take_parts(world, &c->parts);
    pl_joints_take_parts(world, &c->parts);
    pl_conditions_take_parts(world, &c->parts);
    pl_events_free(&world->events);
    world->time = c->clock.time;
    world->steps = c->clock.steps;
    pl_world_publish(world);
}

// All that can fail happens beside the world.
static pl_status load(pl_world *world, const pl_bytes *bytes, const char *name, pl_origin *origin)
{
    content c = {0};
    pl_contact_step *contact = NULL;
    PL_TRY(pl_parts_unpack(bytes, name, &c.parts));
    if (c.parts.world != fingerprint(world)) {
        return pl_fail(PL_ERROR_FORMAT,
                       "%s: the checkpoint is of another scene: its bodies, their meshes or their "
                       "driven vertices are not those of this one",
                       name);
    }
    bool contacts = pl_parts_find(&c.parts, TREES) >= 0;
    if (contacts && !world->options.contact) {
        return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is of a scene with contact", name);
    }
    PL_TRY(check_values(world, &c, name));
    PL_TRY(pl_sleep_reserve_parts(world, &c.parts));
    if (contacts || !world->options.contact) PL_TRY(pl_world_prepare(world));
    PL_TRY(reserve_forces(world, &c));
    if (contacts) PL_TRY(make_contact(world, &c, name, &contact));
    take_state(world, &c, contact);
    *origin = c.origin;
    return PL_OK;
}

// Takes the bytes, of which it makes no copy.
static pl_status load_bytes(pl_world *world, const pl_bytes *bytes, const char *name)
{
    bool ready = world->system.ready;
    pl_origin here = pl_origin_of(world), origin;
    pl_status status = load(world, bytes, name, &origin);
    if (status != PL_OK && !ready) pl_world_unprepare(world);
    if (status == PL_OK) pl_origin_compare(&origin, &here, world, name);
    return status;
}

pl_status pl_world_load(pl_world *world, const char *path)
{
    PL_REQUIRE(world);
    PL_REQUIRE(path);
    pl_bytes bytes;
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_status status = load_bytes(world, &bytes, path);
    pl_bytes_free(&bytes);
    return status;
}

pl_status pl_world_load_memory(pl_world *world, const void *data, size_t size)
{
    PL_REQUIRE(world);
    PL_REQUIRE(data);
    pl_bytes bytes;
    PL_TRY(pl_bytes_copy(data, size, &bytes));
    pl_status status = load_bytes(world, &bytes, "memory");
    pl_bytes_free(&bytes);
    return status;
}
