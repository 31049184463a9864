#include "scene_forces.h"
#include "scene_keys.h"
#include "scene_select.h"
#include "../common/vec.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { RIGID = 6 }; // numbers of a force and a torque

static int64_t count_numbers(const pl_scene_body *body)
{
    return body->kind == PL_BODY_RIGID ? RIGID : 3 * (int64_t)pl_mesh_vertex_count(body->mesh);
}

void pl_scene_loads_free(struct pl_scene_load *load, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        pl_free(load[i].force);
        pl_free(load[i].times.key);
    }
    pl_free(load);
}

// --- Reading: where it acts ---

// The volume that each vertex stands for: a quarter of each of its tets [m^3].
static void vertex_volumes(const pl_mesh *mesh, double *volume)
{
    for (int64_t i = 0; i < pl_mesh_tet_count(mesh); i++) {
        const int32_t *tet = pl_mesh_tets(mesh) + 4 * i;
        double quarter = 0.25 * (vec3_tet_det(pl_mesh_positions(mesh), tet) / 6);
        for (int k = 0; k < 4; k++) volume[tet[k]] += quarter;
    }
}

// Spreads "total" over "select", by volume: over all vertices that is a uniform force per volume.
static pl_status spread(const pl_json *at, const pl_mesh *mesh, const double total[3],
                        const double *volume, double *force)
{
    pl_json v;
    double sum = 0;
    int32_t *vertex = NULL, n = pl_mesh_vertex_count(mesh); // NULL: all
    if (pl_json_get(at, "torque", &v)) return pl_json_fail(&v, "only a rigid body has one");
    if (pl_json_get(at, "select", &v)) PL_TRY(pl_scene_read_selection(&v, mesh, &vertex, &n));
    for (int32_t i = 0; i < n; i++) sum += volume[vertex != NULL ? vertex[i] : i];
    for (int32_t i = 0; sum > 0 && i < n; i++) {
        int32_t at_vertex = vertex != NULL ? vertex[i] : i;
        for (int k = 0; k < 3; k++) {
            force[3 * (int64_t)at_vertex + k] += volume[at_vertex] / sum * total[k];
        }
    }
    pl_free(vertex);
    return sum > 0 ? PL_OK : pl_json_fail(at, "there is no tet for it to act on");
}

// Adds one of "forces" to `force`.
static pl_status add_force(const pl_json *at, const pl_scene_body *body, const double *volume,
                           double *force)
{
    pl_json v;
    double total[3] = {0}, torque[3] = {0};
    bool rigid = body->kind == PL_BODY_RIGID;
    if (!rigid || !pl_json_get(at, "torque", &v)) PL_TRY(pl_json_require(at, "total", &v));
    PL_TRY(pl_json_vector(at, "total", total));
    if (!rigid) return spread(at, body->mesh, total, volume, force);
    if (pl_json_get(at, "select", &v)) return pl_json_fail(&v, "a rigid body is moved as a whole");
    PL_TRY(pl_json_vector(at, "torque", torque));
    for (int k = 0; k < 3; k++) {
        force[k] += total[k];
        force[3 + k] += torque[k];
    }
    return PL_OK;
}

// --- Reading: when ---

static pl_status read_keys(const pl_json *at, pl_scene_motor *times)
{
    pl_json v, item = {0}, time, value;
    int n = 0;
    if (!pl_json_get(at, "keys", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    if (n == 0) return pl_json_fail(&v, "one key or more expected");
    times->key = pl_alloc_zero(n, sizeof *times->key);
    if (times->key == NULL) return PL_ERROR_MEMORY;
    times->n_key = n;
    for (int i = 0; pl_json_next(&v, &item); i++) {
        pl_scene_motor_key *key = &times->key[i];
        PL_TRY(pl_scene_check_keys(&item, PL_KEYS_FORCE_KEY));
        PL_TRY(pl_json_require(&item, "time", &time));
        PL_TRY(pl_json_number(&item, "time", &key->time));
        PL_TRY(pl_json_require(&item, "factor", &value));
        PL_TRY(pl_json_number(&item, "factor", &key->value));
        if (i > 0 && !(key->time > key[-1].time)) {
            return pl_json_fail(&time, "not later than that of the key before");
        }
    }
    return PL_OK;
}

static pl_status read_times(const pl_json *at, pl_scene_motor *times, bool *always)
{
    static const char *const ways[] = {"linear", "constant"};
    int way = 0;
    pl_json v;
    *times = (pl_scene_motor){.motor = {.target = 1}, .end = INFINITY, .period = INFINITY};
    PL_TRY(pl_json_number(at, "start", &times->start));
    PL_TRY(pl_json_number(at, "end", &times->end));
    PL_TRY(pl_json_positive(at, "period", &times->period));
    PL_TRY(pl_json_choice(at, "interpolation", ways, COUNT(ways), &way));
    times->constant = way == 1;
    PL_TRY(read_keys(at, times));
    *always = times->n_key == 0 && times->start <= 0 && isinf(times->end);
    if (pl_json_get(at, "end", &v) && !(times->end > times->start)) {
        return pl_json_fail(&v, "not after its start, %g s", times->start);
    }
    if (times->n_key > 0) return PL_OK;
    const char *lost = pl_json_get(at, "period", &v) ? "period" : "interpolation";
    return pl_json_get(at, lost, &v) ? pl_json_fail(&v, "there are no \"keys\"") : PL_OK;
}

// One of "forces": to those that are always there, or to the loads.
static pl_status read_force(const pl_json *at, const double *volume, pl_scene_body *body)
{
    bool always = false;
    pl_scene_motor times;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_FORCE));
    pl_status status = read_times(at, &times, &always);
    struct pl_scene_load *load = &body->load[body->n_load];
    load->times = times;
    body->n_load += !always; // which owns the keys from here on
    PL_TRY(status);
    if (always) return add_force(at, body, volume, body->force);
    load->force = pl_alloc_zero(count_numbers(body), sizeof *load->force);
    if (load->force == NULL) return PL_ERROR_MEMORY;
    return add_force(at, body, volume, load->force);
}

pl_status pl_scene_read_forces(const pl_json *at, pl_scene_body *body)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(at, "forces", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    double *volume = pl_alloc_zero(pl_mesh_vertex_count(body->mesh), sizeof *volume);
    body->force = pl_alloc_zero(count_numbers(body), sizeof *body->force);
    body->load = pl_alloc_zero(n, sizeof *body->load);
    bool ok = volume != NULL && body->force != NULL && body->load != NULL;
    pl_status status = ok ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) vertex_volumes(body->mesh, volume);
    while (status == PL_OK && pl_json_next(&v, &item)) status = read_force(&item, volume, body);
    pl_free(volume);
    return status;
}

// --- In time ---

typedef struct pl_timed_body {
    char *place;                // for complaints
    int32_t number;             // in the world
    int64_t n;                  // of the numbers of a force
    bool rigid;                 // then 6: force and torque
    double *base, *sum;         // (n) what is always there; what acts in a step
    struct pl_scene_load *load; // (n_load)
    int32_t n_load;
} pl_timed_body;

static double *copy_numbers(const double *from, int64_t n)
{
    double *to = pl_alloc(n, sizeof *to);
    if (to != NULL) memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

static pl_status copy_load(const struct pl_scene_load *from, int64_t n, struct pl_scene_load *to)
{
    int32_t n_key = from->times.n_key;
    to->times = from->times;
    to->force = copy_numbers(from->force, n);
    to->times.key = pl_alloc(n_key, sizeof *to->times.key);
    if (to->force == NULL || to->times.key == NULL) return PL_ERROR_MEMORY;
    if (n_key > 0) memcpy(to->times.key, from->times.key, (size_t)n_key * sizeof *to->times.key);
    return PL_OK;
}

static pl_status copy_body(const pl_scene *scene, const pl_scene_body *from, int32_t number,
                           pl_timed_body *to)
{
    const char *place = scene->entries[from->entry].place;
    int64_t n = count_numbers(from);
    *to = (pl_timed_body){.number = number, .n = n, .rigid = from->kind == PL_BODY_RIGID};
    to->base = copy_numbers(from->force, n);
    to->sum = pl_alloc(n, sizeof *to->sum);
    to->place = pl_alloc((int64_t)strlen(place) + 1, 1);
    to->load = pl_alloc_zero(from->n_load, sizeof *to->load);
    bool ok = to->base != NULL && to->sum != NULL && to->place != NULL && to->load != NULL;
    if (!ok) return PL_ERROR_MEMORY;
    strcpy(to->place, place);
    for (; to->n_load < from->n_load;) {
        int32_t i = to->n_load++;
        PL_TRY(copy_load(&from->load[i], n, &to->load[i]));
    }
    return PL_OK;
}

pl_status pl_scene_forces_create(const pl_scene *scene, pl_scene_forces *out)
{
    int32_t n = 0, number = 0;
    *out = (pl_scene_forces){0};
    for (int32_t i = 0; i < scene->n_bodies; i++) n += scene->bodies[i].n_load > 0;
    out->body = pl_alloc_zero(n, sizeof *out->body);
    pl_status status = out->body != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int32_t i = 0; i < scene->n_bodies && status == PL_OK; i++) {
        const pl_scene_body *body = &scene->bodies[i];
        if (body->n_load > 0) status = copy_body(scene, body, number, &out->body[out->n++]);
        number += body->simulated;
    }
    if (status != PL_OK) pl_scene_forces_free(out);
    return status;
}

void pl_scene_forces_free(pl_scene_forces *forces)
{
    for (int32_t i = 0; i < forces->n; i++) {
        pl_timed_body *b = &forces->body[i];
        pl_free(b->place);
        pl_free(b->base);
        pl_free(b->sum);
        pl_scene_loads_free(b->load, b->n_load);
    }
    pl_free(forces->body);
    *forces = (pl_scene_forces){0};
}

static pl_status set_body(const pl_timed_body *b, double middle, pl_world *world)
{
    memcpy(b->sum, b->base, (size_t)b->n * sizeof *b->sum);
    for (int32_t i = 0; i < b->n_load; i++) {
        const pl_scene_motor *times = &b->load[i].times;
        if (!(middle >= times->start && middle < times->end)) continue;
        double factor = pl_scene_motor_target(times, middle);
        for (int64_t k = 0; k < b->n; k++) b->sum[k] += factor * b->load[i].force[k];
    }
    pl_status status = b->rigid ? pl_world_set_force(world, b->number, b->sum, b->sum + 3)
                                : pl_world_set_forces(world, b->number, b->sum);
    if (status == PL_OK || status == PL_ERROR_MEMORY) return status;
    return pl_fail(status, "%s.forces: %s", b->place, pl_error_text());
}

pl_status pl_scene_forces_set(const pl_scene_forces *forces, pl_world *world)
{
    double middle = pl_world_time(world) + 0.5 * pl_world_get_options(world)->dt;
    for (int32_t i = 0; i < forces->n; i++) {
        if (pl_world_kind(world, forces->body[i].number) == PL_BODY_NONE) continue;
        PL_TRY(set_body(&forces->body[i], middle, world));
    }
    return PL_OK;
}
