// Solids on a grid for programs.

#include "euler.h"

#include "../base/hash.h"
#include "../solvers/device.h"
#include "../solvers/problem_api.h"

#include <math.h>
#include <string.h>

// The rest shape's distances are this much finer than the grid.
static const double SHAPE_SPACING = 0.5;
static const double SHAPE_MARGIN =
    4; // how far they reach beyond the surface [spacings of the grid]

pl_euler_options pl_euler_options_default(void)
{
    return (pl_euler_options){.spacing = 0.1,
                              .dt = 1e-3,
                              .cfl = 0.6,
                              .gravity = {0, 0, -9.81},
                              .solver = "sp-schurpa",
                              .device = "cpu",
                              .contact_tolerance = 1e-6,
                              .max_iterations = 3000,
                              .max_parts = 100};
}

static pl_status check_options(const pl_euler_options *o)
{
    const struct {
        const char *name;
        double value, most;
    } above_0[] = {{"spacing", o->spacing, INFINITY},
                   {"dt", o->dt, INFINITY},
                   {"cfl", o->cfl, 1},
                   {"contact_tolerance", o->contact_tolerance, INFINITY}};
    for (size_t i = 0; i < sizeof above_0 / sizeof *above_0; i++) {
        double value = above_0[i].value;
        if (value > 0 && isfinite(value) && value <= above_0[i].most) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "%s: %g is not above 0%s", above_0[i].name, value,
                       above_0[i].most == 1 ? " and at most 1" : "");
    }
    for (int k = 0; k < 3; k++) {
        if (!isfinite(o->gravity[k])) return pl_fail(PL_ERROR_ARGUMENT, "gravity: not finite");
    }
    if (o->max_iterations < 0 || o->max_parts < 1) {
        return pl_fail(PL_ERROR_ARGUMENT, "max_iterations: %d, max_parts: %d: too small",
                       (int)o->max_iterations, (int)o->max_parts);
    }
    pl_status status = pl_threads_check(o->threads);
    if (status != PL_OK) pl_fail_prefix("threads");
    return status;
}

static pl_status find_solver(const char *name, const pl_solver **out)
{
    if (name == NULL) return pl_fail(PL_ERROR_ARGUMENT, "solver: NULL");
    pl_status status = pl_solver_find(name, out);
    if (status != PL_OK) pl_fail_prefix("solver");
    PL_TRY(status);
    if ((*out)->can & (PL_CAN_DIAMOND | PL_CAN_PYRAMID)) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "solver: %s does not know friction in diamonds", name);
}

pl_status pl_euler_create(const pl_euler_options *options, pl_euler **out)
{
    const pl_euler_options usual = pl_euler_options_default();
    const pl_solver *solver;
    const char *device;
    PL_REQUIRE(out);
    *out = NULL;
    if (options == NULL) options = &usual;
    PL_TRY(check_options(options));
    PL_TRY(find_solver(options->solver, &solver));
    PL_TRY(pl_device_find(options->device, &device));
    *out = pl_alloc_zero(1, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    (*out)->options = *options;
    (*out)->options.solver = solver->name;
    (*out)->options.device = device;
    (*out)->solver = solver;
    (*out)->h = options->spacing;
    pl_status status = pl_workspace_use(&(*out)->ws, device);
    if (status != PL_OK) {
        pl_euler_destroy(*out);
        *out = NULL;
    }
    return status;
}

static void free_body(pl_euler_body *body)
{
    pl_free((void *)body->motion.key);
    pl_distance_free(&body->shape);
    pl_euler_window_free(&body->now);
    pl_euler_window_free(&body->other);
    pl_euler_window_free(&body->saved);
    pl_free(body->cell);
    pl_free(body->data);
}

void pl_euler_destroy(pl_euler *euler)
{
    if (euler == NULL) return;
    for (int32_t i = 0; i < euler->n_body; i++) free_body(&euler->body[i]);
    pl_free(euler->body);
    pl_problem_free(&euler->problem);
    pl_bsr_free(&euler->A);
    double **arrays[] = {&euler->b, &euler->v, &euler->f, &euler->v_start, &euler->f_start};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(*arrays[i]);
    pl_free(euler->contact);
    pl_free(euler->past);
    pl_free(euler->patch);
    pl_workspace_free(&euler->ws);
    pl_free(euler);
}

// --- Bodies ---

static pl_status check_body(const pl_deformable_options *o, bool driven)
{
    const pl_material_options *m = &o->material;
    if (!(o->surface.friction >= 0) || !isfinite(o->surface.friction)) {
        return pl_fail(PL_ERROR_ARGUMENT, "surface.friction: %g", o->surface.friction);
    }
    if (driven) return PL_OK;
    if (m->kind != PL_MATERIAL_NEO_HOOKEAN) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "material.kind: bodies on a grid are neo-Hookean, and nothing else");
    }
    bool ok = m->young > 0 && isfinite(m->young) && m->poisson >= 0 && m->poisson < 0.5 &&
              m->density > 0 && isfinite(m->density) && m->mass_damping >= 0 &&
              isfinite(m->mass_damping) && m->stiffness_damping >= 0 &&
              isfinite(m->stiffness_damping);
    if (!ok) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "material: young %g Pa, poisson %g, density %g kg/m^3, mass_damping %g 1/s "
                       "or stiffness_damping %g s is out of range",
                       m->young, m->poisson, m->density, m->mass_damping, m->stiffness_damping);
    }
    for (int k = 0; k < 3; k++) {
        if (isfinite(o->velocity[k]) && isfinite(o->angular_velocity[k])) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "velocity or angular_velocity: not finite");
    }
    return PL_OK;
}

static pl_status copy_keys(pl_motion *motion)
{
    const pl_motion_key *from = motion->key;
    motion->key = NULL;
    if (motion->n_key == 0) return PL_OK;
    pl_motion_key *key = pl_alloc(motion->n_key, sizeof *key);
    if (key == NULL) return PL_ERROR_MEMORY;
    memcpy(key, from, (size_t)motion->n_key * sizeof *key);
    motion->key = key;
    return PL_OK;
}

static pl_status make_body(const pl_euler *e, const pl_mesh *mesh,
                           const pl_deformable_options *options, const pl_motion *motion,
                           pl_euler_body *body)
{
    const pl_material_options *m = &options->material;
    *body = (pl_euler_body){.driven = motion != NULL, .options = *options, .weight = 1};
    body->mu = m->young / (2 * (1 + m->poisson));
    body->lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
    body->mass = m->density * pl_mesh_volume(mesh);
    pl_mesh_bounds(mesh, body->lo, body->hi);
    if (motion != NULL) {
        body->motion = *motion;
        PL_TRY(copy_keys(&body->motion));
    }
    PL_TRY(pl_distance_create(mesh, SHAPE_SPACING * e->h, SHAPE_MARGIN * e->h, &body->shape));
    if (body->mass > 0) return PL_OK;
    return pl_fail(PL_ERROR_GEOMETRY, "the mesh has no volume, or is inside out");
}

static pl_status add(pl_euler *e, const pl_mesh *mesh, const pl_deformable_options *options,
                     const pl_motion *motion, int32_t *out)
{
    if (e->started) {
        return pl_fail(PL_ERROR_ARGUMENT, "bodies are added before the first step");
    }
    PL_TRY(check_body(options, motion != NULL));
    if (motion != NULL) PL_TRY(pl_euler_check_motion(motion));
    PL_TRY(pl_reserve((void **)&e->body, &e->body_capacity, e->n_body + 1, sizeof *e->body));
    pl_euler_body *body = &e->body[e->n_body];
    pl_status status = make_body(e, mesh, options, motion, body);
    if (status != PL_OK) {
        free_body(body);
        return status;
    }
    if (out != NULL) *out = e->n_body;
    e->n_body++;
    return PL_OK;
}

pl_status pl_euler_add_deformable(pl_euler *euler, const pl_mesh *mesh,
                                  const pl_deformable_options *options, int32_t *body)
{
    pl_deformable_options usual = pl_deformable_options_default();
    PL_REQUIRE(euler);
    PL_REQUIRE(mesh);
    usual.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    int32_t before = pl_threads_enter(euler->options.threads);
    pl_status status = add(euler, mesh, options != NULL ? options : &usual, NULL, body);
    pl_threads_set(before);
    return status;
}

pl_status pl_euler_add_kinematic(pl_euler *euler, const pl_mesh *mesh,
                                 const pl_kinematic_options *options, int32_t *body)
{
    const pl_kinematic_options rest = pl_kinematic_options_default();
    pl_deformable_options o = pl_deformable_options_default();
    PL_REQUIRE(euler);
    PL_REQUIRE(mesh);
    if (options == NULL) options = &rest;
    o.surface = options->surface;
    int32_t before = pl_threads_enter(euler->options.threads);
    pl_status status = add(euler, mesh, &o, &options->motion, body);
    pl_threads_set(before);
    return status;
}

// --- Steps ---

pl_status pl_euler_step(pl_euler *euler, pl_step_stats *stats)
{
    PL_REQUIRE(euler);
    int32_t before = pl_threads_enter(euler->options.threads);
    pl_status status = pl_euler_make_step(euler, stats);
    pl_threads_set(before);
    return status;
}

double pl_euler_time(const pl_euler *euler)
{
    return euler != NULL ? euler->time : 0;
}

int64_t pl_euler_steps(const pl_euler *euler)
{
    return euler != NULL ? euler->steps : 0;
}

int32_t pl_euler_body_count(const pl_euler *euler)
{
    return euler != NULL ? euler->n_body : 0;
}

uint64_t pl_euler_hash(const pl_euler *euler)
{
    if (euler == NULL) return 0;
    uint64_t hash = pl_hash(PL_HASH_START, &euler->steps, sizeof euler->steps);
    for (int32_t i = 0; i < euler->n_body; i++) {
        const pl_euler_window *w = &euler->body[i].now;
        hash = pl_hash(hash, w->lo, sizeof w->lo);
        hash = pl_hash(hash, w->X, 3 * (size_t)w->count * sizeof *w->X);
        hash = pl_hash(hash, w->v, 3 * (size_t)w->count * sizeof *w->v);
    }
    return hash;
}

// --- What it looks like ---

static pl_status find_body(const pl_euler *euler, int32_t body, const pl_euler_body **out)
{
    PL_REQUIRE(euler);
    if (body < 0 || body >= euler->n_body) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d of %d", (int)body, (int)euler->n_body);
    }
    // Before the first step bodies are put where they begin, which changes nothing else.
    PL_TRY(pl_euler_start((pl_euler *)euler));
    *out = &euler->body[body];
    return PL_OK;
}

pl_status pl_euler_momentum(const pl_euler *euler, int32_t number, double linear[3],
                            double angular[3])
{
    const pl_euler_body *body = NULL;
    PL_REQUIRE(linear);
    PL_REQUIRE(angular);
    PL_TRY(find_body(euler, number, &body));
    for (int k = 0; k < 3; k++) linear[k] = angular[k] = 0;
    if (!body->driven) pl_euler_momenta(euler, body, linear, angular);
    return PL_OK;
}

pl_status pl_euler_surface(const pl_euler *euler, int32_t number, int32_t refine, pl_mesh **out)
{
    const pl_euler_body *body = NULL;
    PL_REQUIRE(out);
    *out = NULL;
    if (refine < 1 || refine > 8) {
        return pl_fail(PL_ERROR_ARGUMENT, "refine: %d is not from 1 to 8", (int)refine);
    }
    PL_TRY(find_body(euler, number, &body));
    int32_t before = pl_threads_enter(euler->options.threads);
    pl_status status = pl_euler_extract(euler, body, refine, out);
    pl_threads_set(before);
    return status;
}

pl_status pl_euler_reference(const pl_euler *euler, int32_t number, int32_t n, const double *x,
                             double *X)
{
    const pl_euler_body *body = NULL;
    PL_REQUIRE(x);
    PL_REQUIRE(X);
    PL_TRY(find_body(euler, number, &body));
    for (int32_t i = 0; i < n; i++) {
        pl_euler_map(euler, body, x + 3 * (int64_t)i, X + 3 * (int64_t)i);
    }
    return PL_OK;
}

pl_status pl_euler_problem(const pl_euler *euler, pl_problem **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(euler);
    if (euler->problem.n_constraint == 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "the last step had no contact problem");
    }
    return pl_problem_copy_from(&euler->problem, euler->v_start, euler->f_start, out);
}
