// The life of a world, its options, and the system that its bodies make.

#include "world.h"
#include "audit_world.h"
#include "contact_step.h"
#include "elements.h"
#include "events.h"
#include "integrator.h"
#include "joints.h"
#include "balance.h"
#include "query.h"
#include "sleep.h"
#include "warnings.h"
#include "../fem/device.h"
#include "../meshes/curve.h"

#include <math.h>
#include <string.h>

// --- Life ---

pl_world_options pl_world_options_default(void)
{
    return (pl_world_options){.dt = 1e-3,
                              .gravity = {0, 0, -9.81},
                              .integrator = PL_INTEGRATOR_AUTO,
                              .tolerance = 1e-8,
                              .max_iterations = 10000,
                              .newton_tolerance = 0,
                              .max_newton = 100,
                              .max_seconds = 600,
                              .contact = true,
                              .device = "cpu",
                              .solver = "auto",
                              .precond = "full",
                              .friction_model = "cone",
                              .rescue = true,
                              .residual_tolerance = 1e-5,
                              .contact_tolerance = 1e-6,
                              .contact_iterations = 3000,
                              .rounds = 8,
                              .halvings = 6,
                              .sleep_speed = 0.05,
                              .sleep_time = 0.5};
}

static pl_status check_seconds(double seconds)
{
    if (seconds >= 0 && isfinite(seconds)) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "max_seconds: %g is not 0 s or above", seconds);
}

static pl_status check_options(pl_world_options *o)
{
    if (!(o->dt > 0 && isfinite(o->dt)))
        return pl_fail(PL_ERROR_ARGUMENT, "dt: %g is not above 0 s", o->dt);
    for (int k = 0; k < 3; k++) {
        if (!isfinite(o->gravity[k])) return pl_fail(PL_ERROR_ARGUMENT, "gravity: not finite");
    }
    if ((int)o->integrator < 0 || o->integrator > PL_INTEGRATOR_STATIC) {
        return pl_fail(PL_ERROR_ARGUMENT, "integrator: %d is not one", (int)o->integrator);
    }
    if (!(o->tolerance > 0 && o->tolerance < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "tolerance: %g is not between 0 and 1", o->tolerance);
    }
    if (!(o->newton_tolerance >= 0 && o->newton_tolerance < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "newton_tolerance: %g is not between 0 and 1",
                       o->newton_tolerance);
    }
    if (o->max_newton < 1) return pl_fail(PL_ERROR_ARGUMENT, "max_newton: below 1");
    const pl_integrator_ops *integrator = pl_integrator_at(o->integrator);
    bool strict = integrator->newton == PL_NEWTON_STRICT || integrator->newton == PL_NEWTON_STATIC;
    if (o->vj19 && strict) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "vj19: its rows come and go, which the %s integrator cannot have; use "
                       "semi-implicit",
                       integrator->name);
    }
    if (o->sleep && integrator->newton == PL_NEWTON_STATIC) {
        return pl_fail(PL_ERROR_ARGUMENT, "sleep: with the static integrator all bodies are at "
                                          "rest; set sleep to false");
    }
    if (o->max_iterations < 1) return pl_fail(PL_ERROR_ARGUMENT, "max_iterations: below 1");
    PL_TRY(check_seconds(o->max_seconds));
    PL_TRY(pl_threads_check(o->threads));
    PL_TRY(pl_sleep_check(o));
    if (o->contact) PL_TRY(pl_contact_step_check(o));
    return pl_constraint_step_check(o);
}

pl_status pl_world_create(const pl_world_options *options, pl_world **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    pl_world_options checked = options != NULL ? *options : pl_world_options_default();
    PL_TRY(check_options(&checked));
    *out = pl_alloc_zero(1, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    (*out)->options = checked;
    (*out)->dt = checked.dt;
    pl_status status = pl_sleep_create(*out);
    if (status != PL_OK) {
        pl_free(*out);
        *out = NULL;
    }
    return status;
}

pl_status pl_world_set_max_seconds(pl_world *world, double seconds)
{
    PL_REQUIRE(world);
    PL_TRY(check_seconds(seconds));
    world->options.max_seconds = seconds;
    return PL_OK;
}

pl_status pl_world_set_threads(pl_world *world, int32_t threads)
{
    PL_REQUIRE(world);
    PL_TRY(pl_threads_check(threads));
    world->options.threads = threads;
    return PL_OK;
}

void pl_world_unprepare(pl_world *world)
{
    pl_sleep_forget(world);
    pl_fem_free(&world->system.fem);
    pl_bsr_free(&world->system.A);
    pl_block_jacobi_free(&world->system.jacobi);
    pl_cg_free(&world->system.cg);
    pl_arena_free(&world->system.direct);
    pl_free(world->system.prescribed);
    pl_free(world->system.b);
    pl_free(world->system.v_new);
    pl_free(world->system.f_ext);
    pl_free(world->system.product);
    pl_free(world->system.inertia);
    pl_free(world->system.load);
    pl_free(world->system.rigid);
    pl_free(world->system.rigid_end);
    pl_free(world->system.impulse);
    pl_free(world->past.saved.x);
    pl_free(world->past.saved.v);
    pl_free(world->past.saved.rigid);
    pl_contact_step_destroy(world->contact);
    pl_constraint_step_destroy(world->constraints);
    if (pl_integrator_of(world)->destroy != NULL) pl_integrator_of(world)->destroy(world);
    pl_balance_destroy(world);
    pl_elements_destroy(world);
    world->system.prescribed = NULL;
    world->system.b = world->system.v_new = world->system.f_ext = NULL;
    world->system.product = world->system.inertia = NULL;
    world->system.load = NULL;
    world->system.rigid = NULL;
    world->system.rigid_end = NULL;
    world->system.impulse = NULL;
    world->past.saved = (pl_saved){0};
    world->contact = NULL;
    world->constraints = NULL;
    world->system.ready = false;
}

void pl_world_forget_surfaces(pl_world *world)
{
    pl_world_end_audits(world);
    pl_queries_destroy(world->queries);
    world->queries = NULL;
}

void pl_world_destroy(pl_world *world)
{
    if (world == NULL) return;
    pl_world_unprepare(world);
    pl_world_forget_surfaces(world);
    pl_events_free(&world->events);
    pl_sleep_destroy(world->sleep);
    pl_joints_free(world->joints);
    for (int64_t i = 0; i < world->bodies.n; i++) pl_world_body_free(&world->bodies.body[i]);
    for (int64_t i = 0; i < world->bodies.n_paths; i++) pl_path_free(&world->bodies.paths[i]);
    pl_free(world->bodies.body);
    pl_free(world->bodies.paths);
    pl_free(world->bodies.ignored);
    pl_free(world->bodies.friction_pair);
    pl_free(world->bodies.driven);
    pl_free(world->state.x);
    pl_free(world->state.v);
    pl_free(world->state.force);
    pl_free(world->state.rigid);
    pl_free(world->published.x);
    pl_free(world->published.v);
    pl_free(world);
}

// --- The system ---

// The deformable bodies, their vertices in our order.
static pl_status build_fem(pl_world *world)
{
    int32_t n = world->bodies.n_deformable;
    pl_fem_source *source = pl_alloc_zero(n, sizeof *source);
    pl_mesh **mesh = pl_alloc_zero(n, sizeof *mesh);
    pl_status status = source != NULL && mesh != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int64_t i = 0; status == PL_OK && i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_DEFORMABLE) continue;
        status = pl_mesh_renumber(b->mesh, b->rank, &mesh[b->fem]);
        source[b->fem] = (pl_fem_source){mesh[b->fem], &b->material};
    }
    if (status == PL_OK) status = pl_fem_create(n, source, &world->system.fem, &world->system.A);
    for (int32_t i = 0; mesh != NULL && i < n; i++) pl_mesh_destroy(mesh[i]);
    pl_free(mesh);
    pl_free(source);
    return status;
}

static pl_status allocate_system(pl_world *world)
{
    int64_t n = 3 * (int64_t)world->state.n_vert;
    world->system.prescribed =
        pl_alloc_zero(world->system.n_block, sizeof *world->system.prescribed);
    world->system.b = pl_alloc(3 * (int64_t)world->system.n_block, sizeof(double));
    world->system.v_new = pl_alloc(3 * (int64_t)world->system.n_block, sizeof(double));
    world->system.f_ext = pl_alloc(n, sizeof(double));
    world->system.product = pl_alloc(3 * (int64_t)world->system.n_block, sizeof(double));
    world->system.inertia = pl_alloc(world->state.n_vert, sizeof(double));
    world->system.load = pl_alloc_zero(world->state.n_rigid, sizeof *world->system.load);
    world->system.rigid = pl_alloc(world->state.n_rigid, sizeof *world->system.rigid);
    world->system.rigid_end = pl_alloc(world->state.n_rigid, sizeof *world->system.rigid_end);
    world->system.impulse = pl_alloc_zero(6 * world->state.n_rigid, sizeof(double));
    world->past.saved.x = pl_alloc(n, sizeof(double));
    world->past.saved.v = pl_alloc(n, sizeof(double));
    world->past.saved.rigid = pl_alloc(world->state.n_rigid, sizeof *world->state.rigid);
    bool ok = world->system.product != NULL && world->system.inertia != NULL &&
              world->system.load != NULL && world->system.prescribed != NULL &&
              world->system.b != NULL && world->system.v_new != NULL &&
              world->system.f_ext != NULL && world->system.rigid != NULL &&
              world->system.rigid_end != NULL && world->system.impulse != NULL &&
              world->past.saved.x != NULL && world->past.saved.v != NULL &&
              world->past.saved.rigid != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// Elements are the device's, too, if there is one.
static pl_status use_device(pl_world *world)
{
    if (world->constraints == NULL || world->bodies.n_deformable == 0) return PL_OK;
    struct pl_device *device = pl_constraint_step_device(world->constraints);
    return device != NULL ? pl_fem_use(&world->system.fem, device, &world->system.A) : PL_OK;
}

static pl_status build_system(pl_world *world)
{
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    world->system.n_block = pl_world_rigid_block(world, (int32_t)world->state.n_rigid);
    pl_status status = build_fem(world);
    if (status == PL_OK)
        status = pl_bsr_extend(&world->system.A, 2 * (int32_t)world->state.n_rigid);
    if (status == PL_OK) status = allocate_system(world);
    world->system.solved = &world->system.A;
    if (status == PL_OK)
        status = pl_block_jacobi_create(world->system.n_block, &world->system.jacobi);
    if (status == PL_OK) status = pl_cg_create(world->system.n_block, &world->system.cg);
    if (status == PL_OK && integrator->create != NULL) status = integrator->create(world);
    if (status == PL_OK && world->options.contact) status = pl_world_check_apart(world);
    if (status == PL_OK) world->state.moved = false;
    if (status == PL_OK) status = pl_elements_create(world);
    if (status == PL_OK) status = pl_balance_create(world);
    if (status == PL_OK) status = pl_constraint_step_create(world, &world->constraints);
    if (status == PL_OK) status = use_device(world);
    if (status == PL_OK && world->options.contact)
        status = pl_contact_step_create(world, &world->contact);
    if (status != PL_OK) {
        pl_world_unprepare(world);
        return status;
    }
    world->system.ready = true;
    pl_warn_start(world);
    return PL_OK;
}

pl_status pl_world_prepare(pl_world *world)
{
    PL_REQUIRE(world);
    if (world->system.ready) return PL_OK;
    int32_t before = pl_threads_enter(world->options.threads);
    pl_status status = build_system(world);
    pl_threads_set(before);
    return status;
}
