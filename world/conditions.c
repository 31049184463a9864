#include "conditions.h"
#include "contact_step.h"
#include "step.h"

#include <math.h>
#include <string.h>

// --- All paths ---

// Those of kinematic bodies by their places, then those of driven vertices.
static int64_t count(const pl_world *world)
{
    return world->bodies.n + world->bodies.n_paths;
}

// Path i of these; NULL if it has no conditions.
static pl_path *path_at(const pl_world *world, int64_t i)
{
    const pl_bodies *bodies = &world->bodies;
    if (i >= bodies->n) {
        pl_path *path = &bodies->paths[i - bodies->n];
        return path->motion.n_until > 0 ? path : NULL;
    }
    pl_world_body *b = &bodies->body[i];
    return b->kind == PL_BODY_KINEMATIC && b->path.motion.n_until > 0 ? &b->path : NULL;
}

// --- Forces ---

// F += sign times what contacts do to a body, but for those with itself.
static void add_contacts_of_body(const pl_world *world, int32_t id, double F[3])
{
    int32_t n;
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    for (int32_t i = 0; i < n; i++) {
        const pl_contact_point *c = &contact[i];
        bool first = c->body_a == id, second = c->body_b == id;
        if (first == second) continue;
        for (int k = 0; k < 3; k++) {
            F[k] += (first ? 1 : -1) * (c->force * c->normal[k] + c->friction[k]);
        }
    }
}

// F += A v - b of a vertex.
static void add_balance(const pl_world *world, int64_t i, double F[3])
{
    const pl_bsr *A = &world->system.A;
    for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
        const double *block = A->val + 9 * k, *v = world->system.v_new + 3 * (int64_t)A->col[k];
        for (int r = 0; r < 3; r++) {
            F[r] += block[r] * v[0] + block[3 + r] * v[1] + block[6 + r] * v[2];
        }
    }
    for (int r = 0; r < 3; r++) F[r] -= world->system.b[3 * i + r];
}

// What holds the vertices that follow path number `path`, see work.c: J = A v - b - L^T f, in all,
// over the step. Contacts that these vertices bear are part of A v - b, and of what holds them.
static void add_drive(const pl_world *world, int32_t path, double F[3])
{
    double J[3] = {0};
    for (int64_t i = 0; i < world->bodies.n_driven; i++) {
        const pl_driven *d = &world->bodies.driven[i];
        if (d->motion == path && world->system.prescribed[d->vertex] != 0) {
            add_balance(world, d->vertex, J);
        }
    }
    for (int k = 0; k < 3; k++) F[k] += J[k] / world->dt;
}

static double force_on(const pl_world *world, int64_t i, const pl_path *path)
{
    double F[3] = {0};
    if (i < world->bodies.n) {
        add_contacts_of_body(world, path->body, F);
    } else if (world->system.ready) {
        add_drive(world, (int32_t)(i - world->bodies.n), F);
    }
    return sqrt(pl_dot(F, F));
}

// --- Places ---

static bool is_beyond(const pl_world *world, int32_t id, const double direction[3], double level)
{
    int32_t place = pl_world_place(world, id);
    if (place < 0) return false;
    const pl_world_body *b = &world->bodies.body[place];
    const double *x = world->published.x + 3 * (int64_t)b->published;
    double sum = 0;
    int32_t n = b->mesh->n_vert;
    for (int64_t i = 0; i < n; i++) sum += pl_dot(x + 3 * i, direction);
    return n > 0 && sum >= level * n;
}

// --- Conditions ---

static bool holds(const pl_world *world, int64_t i, const pl_path *path)
{
    const pl_motion_until *u = &path->until[path->stage % path->motion.n_until];
    double began = path->stage > 0 ? path->now.since : path->motion.start;
    double slack = PL_TIME_SLACK * world->options.dt;
    if (world->time < began - slack) return false;
    if (world->time - began >= u->time - slack) return true;
    if (isfinite(u->force) && force_on(world, i, path) >= u->force) return true;
    if (pl_dot(u->direction, u->direction) == 0) return false;
    return is_beyond(world, u->body != PL_WORLD ? u->body : path->body, u->direction, u->level);
}

void pl_conditions_update(pl_world *world)
{
    for (int64_t i = 0; i < count(world); i++) {
        pl_path *path = path_at(world, i);
        if (path == NULL || path->sent) continue;
        bool over = path->stage >= path->motion.n_until && !path->motion.repeat;
        if (!over && holds(world, i, path)) pl_path_turn(path, world->time);
    }
}

// --- Checkpoints ---

static const char TURNED[] = "turned";

static int64_t count_conditional(const pl_world *world)
{
    int64_t n = 0;
    for (int64_t i = 0; i < count(world); i++) n += path_at(world, i) != NULL;
    return n;
}

pl_status pl_conditions_list(const pl_world *world, pl_turned **turned)
{
    int64_t n = count_conditional(world);
    *turned = NULL;
    if (n == 0) return PL_OK;
    *turned = pl_alloc(n, sizeof **turned);
    if (*turned == NULL) return PL_ERROR_MEMORY;
    pl_turned *to = *turned;
    for (int64_t i = 0; i < count(world); i++) {
        const pl_path *path = path_at(world, i);
        if (path != NULL) *to++ = (pl_turned){path->stage, path->heading, path->now, path->before};
    }
    return PL_OK;
}

void pl_conditions_add_parts(const pl_world *world, const pl_turned *turned, pl_parts *parts)
{
    int64_t n = count_conditional(world);
    if (n > 0) pl_parts_add(parts, TURNED, 1, turned, (size_t)n * sizeof *turned);
}

static bool is_speed(double speed)
{
    return speed == 1 || speed == 0 || speed == -1;
}

// A file without the part is one of a world without conditions: nothing has held then.
bool pl_conditions_check_parts(const pl_world *world, const pl_parts *parts)
{
    bool fits = true;
    int64_t n = count_conditional(world), numbers = (int64_t)(sizeof(pl_turned) / sizeof(double));
    if (n == 0) return true;
    const double *data = pl_parts_doubles(parts, TURNED, n * numbers, &fits);
    if (data == NULL) return fits;
    for (int64_t i = 0; i < n && fits; i++) {
        pl_turned t;
        memcpy(&t, data + i * numbers, sizeof t);
        fits = t.stage >= 0 && t.stage < INT32_MAX && t.stage == floor(t.stage) &&
               (t.heading == 1 || t.heading == -1) && is_speed(t.now.speed) &&
               is_speed(t.before.speed);
    }
    return fits;
}

void pl_conditions_take_parts(pl_world *world, const pl_parts *parts)
{
    bool fits = true;
    int64_t n = count_conditional(world), numbers = (int64_t)(sizeof(pl_turned) / sizeof(double));
    const double *data = pl_parts_doubles(parts, TURNED, n * numbers, &fits);
    for (int64_t i = 0; i < count(world); i++) {
        pl_path *path = path_at(world, i);
        if (path == NULL) continue;
        pl_turned t = {.heading = 1, .now = {.speed = 1}, .before = {.speed = 1}};
        if (data != NULL) memcpy(&t, data, sizeof t), data += numbers;
        path->stage = (int32_t)t.stage;
        path->heading = t.heading;
        path->now = t.now;
        path->before = t.before;
    }
}
