// The life of a world, its options, and the system that its bodies make.

#include "world.h"
#include "audit_world.h"
#include "bdf2.h"
#include "touch.h"
#include "warnings.h"
#include "../meshes/curve.h"

#include <math.h>
#include <string.h>

// --- Life ---

pl_world_options pl_world_options_default(void)
{
    return (pl_world_options){.dt = 1e-3,
                              .gravity = {0, 0, -9.81},
                              .integrator = PL_INTEGRATOR_SEMI_IMPLICIT,
                              .tolerance = 1e-8,
                              .max_iterations = 10000,
                              .newton_tolerance = 1e-8,
                              .newton_iterations = 200,
                              .max_seconds = 600,
                              .contact = true,
                              .solver = "auto",
                              .precond = "full",
                              .rescue = true,
                              .eps1 = 1e-5,
                              .eps2 = 1e-6,
                              .contact_iterations = 3000,
                              .rounds = 8,
                              .halvings = 6};
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
    if ((int)o->integrator < 0 || o->integrator > PL_INTEGRATOR_BDF2) {
        return pl_fail(PL_ERROR_ARGUMENT, "integrator: %d is not one", (int)o->integrator);
    }
    if (!(o->tolerance > 0 && o->tolerance < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "tolerance: %g is not between 0 and 1", o->tolerance);
    }
    if (!(o->newton_tolerance > 0 && o->newton_tolerance < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "newton_tolerance: %g is not between 0 and 1",
                       o->newton_tolerance);
    }
    if (o->max_iterations < 1) return pl_fail(PL_ERROR_ARGUMENT, "max_iterations: below 1");
    if (o->newton_iterations < 1) return pl_fail(PL_ERROR_ARGUMENT, "newton_iterations: below 1");
    PL_TRY(check_seconds(o->max_seconds));
    PL_TRY(pl_threads_check(o->threads));
    return o->contact ? pl_touch_check(o) : PL_OK;
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
    return PL_OK;
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
    pl_fem_free(&world->fem);
    pl_bsr_free(&world->A);
    pl_block_jacobi_free(&world->jacobi);
    pl_cg_free(&world->cg);
    pl_arena_free(&world->direct);
    pl_free(world->known);
    pl_free(world->b);
    pl_free(world->v_new);
    pl_free(world->f_ext);
    pl_free(world->gain);
    pl_free(world->turn);
    pl_free(world->impulse);
    pl_free(world->saved.x);
    pl_free(world->saved.v);
    pl_free(world->saved.rigid);
    pl_touch_destroy(world->touch);
    pl_bdf2_destroy(world->bdf2);
    pl_free(world->damping);
    pl_free(world->load);
    pl_free(world->direction);
    pl_free(world->scratch);
    world->known = NULL;
    world->b = world->v_new = world->f_ext = world->gain = NULL;
    world->gained = false;
    world->turn = NULL;
    world->impulse = NULL;
    world->saved = (pl_saved){0};
    world->touch = NULL;
    world->bdf2 = NULL;
    world->damping = world->load = world->direction = world->scratch = NULL;
    world->ready = false;
}

void pl_world_destroy(pl_world *world)
{
    if (world == NULL) return;
    pl_world_unprepare(world);
    pl_auditor_destroy(world->auditor);
    for (int64_t i = 0; i < world->n_bodies; i++) {
        pl_mesh_destroy(world->bodies[i].mesh);
        pl_free(world->bodies[i].rank);
        pl_free(world->bodies[i].local);
        pl_path_free(&world->bodies[i].path);
        pl_free(world->bodies[i].pull);
    }
    for (int64_t i = 0; i < world->n_paths; i++) pl_path_free(&world->paths[i]);
    pl_free(world->bodies);
    pl_free(world->paths);
    pl_free(world->ignored);
    pl_free(world->driven);
    pl_free(world->x);
    pl_free(world->v);
    pl_free(world->force);
    pl_free(world->rigid);
    pl_free(world->x_shown);
    pl_free(world->v_shown);
    pl_free(world);
}

// --- The system ---

// The deformable bodies, their vertices in our order.
static pl_status build_fem(pl_world *world)
{
    int32_t n = world->n_deformable;
    pl_fem_source *source = pl_alloc_zero(n, sizeof *source);
    pl_mesh **mesh = pl_alloc_zero(n, sizeof *mesh);
    pl_status status = source != NULL && mesh != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int64_t i = 0; status == PL_OK && i < world->n_bodies; i++) {
        const pl_world_body *b = &world->bodies[i];
        if (b->kind != PL_BODY_DEFORMABLE) continue;
        status = pl_mesh_renumber(b->mesh, b->rank, &mesh[b->fem]);
        source[b->fem] = (pl_fem_source){mesh[b->fem], &b->material};
    }
    if (status == PL_OK) status = pl_fem_create(n, source, &world->fem, &world->A);
    for (int32_t i = 0; mesh != NULL && i < n; i++) pl_mesh_destroy(mesh[i]);
    pl_free(mesh);
    pl_free(source);
    return status;
}

static pl_status allocate_system(pl_world *world)
{
    int64_t n = 3 * (int64_t)world->n_vert;
    world->known = pl_alloc_zero(world->n_block, sizeof *world->known);
    world->b = pl_alloc(3 * (int64_t)world->n_block, sizeof(double));
    world->v_new = pl_alloc(3 * (int64_t)world->n_block, sizeof(double));
    world->f_ext = pl_alloc(n, sizeof(double));
    world->turn = pl_alloc(world->n_rigid, sizeof *world->turn);
    world->impulse = pl_alloc_zero(6 * world->n_rigid, sizeof(double));
    world->saved.x = pl_alloc(n, sizeof(double));
    world->saved.v = pl_alloc(n, sizeof(double));
    world->saved.rigid = pl_alloc(world->n_rigid, sizeof *world->rigid);
    bool ok = world->known != NULL && world->b != NULL && world->v_new != NULL &&
              world->f_ext != NULL && world->turn != NULL && world->impulse != NULL &&
              world->saved.x != NULL && world->saved.v != NULL && world->saved.rigid != NULL;
    if (ok && world->options.integrator == PL_INTEGRATOR_SEMI_IMPLICIT && !world->options.paper) {
        world->gain = pl_alloc(n, sizeof(double));
        ok = world->gain != NULL;
    }
    if (ok && world->options.integrator == PL_INTEGRATOR_IMPLICIT) {
        world->damping = pl_alloc(9 * (world->A.nnz + 1), sizeof(double));
        world->load = pl_alloc(n, sizeof(double));
        world->direction = pl_alloc(n, sizeof(double));
        world->scratch = pl_alloc(n, sizeof(double));
        ok = world->damping != NULL && world->load != NULL && world->direction != NULL &&
             world->scratch != NULL;
    }
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status build_system(pl_world *world)
{
    if (world->n_rigid > 0 && world->options.integrator == PL_INTEGRATOR_IMPLICIT) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "integrator: the implicit one knows no rigid bodies, use another");
    }
    world->n_block = world->n_vert + 2 * (int32_t)world->n_rigid;
    pl_status status = build_fem(world);
    if (status == PL_OK) status = pl_bsr_extend(&world->A, 2 * (int32_t)world->n_rigid);
    if (status == PL_OK) status = allocate_system(world);
    if (status == PL_OK) status = pl_block_jacobi_create(world->n_block, &world->jacobi);
    if (status == PL_OK) status = pl_cg_create(world->n_block, &world->cg);
    if (status == PL_OK && world->options.integrator == PL_INTEGRATOR_BDF2) {
        status = pl_bdf2_create(world, &world->bdf2);
    }
    if (status == PL_OK && world->options.contact) status = pl_world_check_apart(world);
    if (status == PL_OK && world->options.contact) status = pl_touch_create(world, &world->touch);
    if (status != PL_OK) {
        pl_world_unprepare(world);
        return status;
    }
    world->ready = true;
    pl_warn_start(world);
    return PL_OK;
}

pl_status pl_world_prepare(pl_world *world)
{
    PL_REQUIRE(world);
    if (world->ready) return PL_OK;
    int32_t before = pl_threads_enter(world->options.threads);
    pl_status status = build_system(world);
    pl_threads_set(before);
    return status;
}
