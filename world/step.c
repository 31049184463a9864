// The step of the world. It is a list of stages; each is a function of this room or of one below.

#include "step.h"
#include "audit_world.h"
#include "balance.h"
#include "conditions.h"
#include "contact_step.h"
#include "elements.h"
#include "energy_step.h"
#include "events.h"
#include "impossible.h"
#include "integrator.h"
#include "joint_step.h"
#include "sleep.h"
#include "warnings.h"
#include "../solvers/vectors.h"

#include <math.h>
#include <string.h>

// Iterations of conjugate gradients before a factor is made.
enum { DIRECT_AFTER = 150 };

int64_t pl_world_least_bodies(const pl_world *world)
{
    return PL_STEP_CHUNK * world->bodies.n / PL_MAX(world->state.n_vert, 1) + 1;
}

// --- Stages ---

// Gravity and the loads that were set.
static void gather_loads(pl_world *world)
{
    const double *g = world->options.gravity;
    for (int32_t i = 0; i < world->state.n_vert; i++) {
        for (int k = 0; k < 3; k++) {
            world->system.f_ext[3 * i + k] =
                world->state.force[3 * i + k] + world->system.fem.mass[i] * g[k];
        }
    }
}

// What one that sleeps does: its velocities are prescribed.
static pl_rigid_system rigid_asleep(const pl_rigid *state)
{
    pl_rigid_system system = {.response = 1};
    for (int k = 0; k < 3; k++) system.A[4 * k] = state->mass;
    pl_rigid_tensor(state, system.A + 9);
    return system;
}

// What the rigid bodies bring to A and b.
static pl_status begin_rigid(pl_world *world)
{
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_RIGID) continue;
        const pl_rigid *state = &world->state.rigid[b->rigid];
        if (b->asleep) {
            world->system.rigid[b->rigid] = rigid_asleep(state);
            continue;
        }
        pl_rigid_load load = {.damping = b->damping};
        for (int k = 0; k < 3; k++) {
            load.force[k] = state->mass * world->options.gravity[k] + b->force[k];
            load.torque[k] = b->torque[k];
            if (world->joints == NULL) continue;
            load.force[k] += world->joints->load[6 * (int64_t)b->rigid + k];
            load.torque[k] += world->joints->load[6 * (int64_t)b->rigid + 3 + k];
        }
        pl_pull_rigid(world, b, &load);
        world->system.load[b->rigid] = load;
        char text[PL_BODY_NAME];
        pl_status status = pl_rigid_begin(state, &load, world->dt, &world->system.rigid[b->rigid]);
        if (status != PL_OK) pl_fail_prefix(pl_world_body_name(world, i, text));
        PL_TRY(status);
    }
    return PL_OK;
}

static void assemble_rigid(pl_world *world)
{
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        const pl_rigid_system *system = &world->system.rigid[r];
        for (int k = 0; k < 2; k++) {
            int64_t block = pl_world_rigid_block(world, (int32_t)r) + k;
            double *to = world->system.A.val + 9 * world->system.A.diag[block];
            memcpy(to, system->A + 9 * k, 9 * sizeof *to);
            memcpy(world->system.b + 3 * block, system->b + 3 * k, 3 * sizeof *to);
        }
    }
}

// The first guess at the new velocities: free fall; and the vertices whose velocity is known, such
// that they arrive where their path says.
static void guess_velocities(pl_world *world, double t_end)
{
    double dt = world->dt;
    for (int32_t i = 0; i < world->state.n_vert; i++) {
        double step = dt / world->system.fem.mass[i];
        world->system.prescribed[i] = 0;
        for (int k = 0; k < 3; k++) {
            world->system.v_new[3 * i + k] =
                world->state.v[3 * i + k] + step * world->system.f_ext[3 * i + k];
        }
    }
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        int64_t block = pl_world_rigid_block(world, (int32_t)r);
        world->system.prescribed[block] = world->system.prescribed[block + 1] = 0;
        memcpy(world->system.v_new + 3 * block, world->system.rigid[r].u,
               sizeof world->system.rigid[r].u);
    }
    for (int64_t i = 0; i < world->bodies.n_driven; i++) {
        const pl_driven *d = &world->bodies.driven[i];
        const pl_path *path = &world->bodies.paths[d->motion];
        if (!pl_path_active(path, t_end, PL_TIME_SLACK * dt)) continue;
        double target[3];
        pl_path_apply(path, t_end, d->x0, target);
        world->system.prescribed[d->vertex] = 1;
        for (int k = 0; k < 3; k++) {
            int64_t at = 3 * (int64_t)d->vertex + k;
            world->system.v_new[at] = (target[k] - world->state.x[at]) / dt;
        }
    }
    pl_sleep_prescribe(world);
}

pl_status pl_step_time_left(const pl_world *world, double *seconds)
{
    double limit = world->options.max_seconds;
    *seconds = 0;
    if (limit == 0) return PL_OK;
    *seconds = world->started + limit - pl_seconds();
    if (*seconds > 0) return PL_OK;
    return pl_fail(PL_ERROR_TIME,
                   "max_seconds: the step was given up after %g s of wall clock; allow more, or "
                   "take smaller steps",
                   limit);
}

// Conjugate gradients, and a factor where a few of them do not do: bodies are stiff then.
static pl_status solve_linear(pl_world *world, const double *b, const pl_cg_options *options,
                              double *x, pl_cg_stats *stats)
{
    pl_cg_options first = *options;
    const pl_bsr *A = world->system.solved;
    bool small = A->n <= PL_DIRECT_BLOCKS;
    if (small) first.max_iterations = PL_MIN(first.max_iterations, DIRECT_AFTER);
    pl_status status = pl_cg_solve(&world->system.cg, A, &world->system.jacobi, b,
                                   world->system.prescribed, &first, x, stats);
    int32_t left = options->max_iterations - stats->iterations, made = stats->iterations;
    if (stats->end != PL_CG_LIMIT || left == 0) return status;
    bool done;
    PL_TRY(pl_direct_improve(&world->system.direct, A, b, world->system.prescribed, x, &done));
    first.max_iterations = left;
    status = pl_cg_solve(&world->system.cg, A, &world->system.jacobi, b, world->system.prescribed,
                         &first, x, stats);
    stats->iterations += made;
    return status;
}

pl_status pl_step_solve(pl_world *world, const double *b, double tolerance, double *x,
                        pl_step_stats *stats)
{
    double start = pl_seconds();
    pl_cg_options options = {tolerance, world->options.max_iterations, 0};
    pl_cg_stats cg = {0};
    PL_TRY(pl_step_time_left(world, &options.max_seconds));
    pl_status status = pl_block_jacobi_update(&world->system.jacobi, world->system.solved);
    if (status == PL_OK) {
        status = solve_linear(world, b, &options, x, &cg);
    }
    stats->iterations += cg.iterations;
    stats->residual = cg.residual;
    stats->t_solve += pl_seconds() - start;
    return cg.end == PL_CG_TIME ? pl_step_time_left(world, &options.max_seconds) : status;
}

// One problem with constraints, or a linear one if there are none.
static pl_status solve_once(pl_world *world, double t_end, pl_step_stats *stats, bool *clear)
{
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    double start = pl_seconds(), energy = integrator->assemble(world);
    if (world->parts == 0) stats->elastic_energy = energy; // not that of a later half
    assemble_rigid(world);
    if (integrator->assemble_rigid != NULL) integrator->assemble_rigid(world);
    pl_pull_assemble(world, world->system.A.val, world->system.b);
    PL_TRY(pl_joint_stiffness_add(world));
    PL_TRY(pl_sleep_cut(world));
    stats->t_fem += pl_seconds() - start;
    return pl_constraint_step_solve(world, t_end, stats, clear);
}

pl_status pl_step_check_finite(const pl_world *world)
{
    bool finite = true;
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++) {
        finite = finite && isfinite(world->state.x[i] + world->dt * world->system.v_new[i]);
    }
    for (int64_t i = 3 * (int64_t)world->state.n_vert; i < 3 * (int64_t)world->system.n_block;
         i++) {
        finite = finite && isfinite(world->system.v_new[i]);
    }
    return finite ? PL_OK : pl_fail(PL_ERROR_NUMERICS, "a position is not finite");
}

// The impulses of contacts are given to the bodies as such, which keeps linear momentum to rounding
// whatever residual the solver has left: see momentum.c for deformable bodies.
static void advance(pl_world *world, double t_end)
{
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    if (world->constraints != NULL) pl_constraint_step_sum(world);
    if (integrator->solved != NULL) integrator->solved(world);
    pl_momentum_note(world);
    integrator->move(world); // [VJ19, Eq. 5]
    pl_momentum_restore(world);
    if (integrator->remember != NULL) integrator->remember(world);
    double *impulse = world->system.impulse; // stays 0 without constraints
    if (world->constraints != NULL) pl_constraint_step_impulses(world, impulse);
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        int64_t block = pl_world_rigid_block(world, (int32_t)r);
        if (world->system.prescribed[block] != 0) continue; // it sleeps
        pl_rigid_advance(&world->state.rigid[r], &world->system.rigid[r],
                         world->system.v_new + 3 * block, impulse + 6 * r);
    }
    if (integrator->settle != NULL) integrator->settle(world);
    world->time = t_end;
    world->parts++;
}

// --- The step ---

// An array of no elements may be NULL, which memcpy does not take.
static void copy(void *to, const void *from, int64_t n, size_t size)
{
    if (n > 0) memcpy(to, from, (size_t)n * size);
}

static pl_status save(pl_world *world)
{
    world->past.saved.time = world->time;
    pl_vec_copy(3 * (int64_t)world->state.n_vert, world->state.x, world->past.saved.x);
    pl_vec_copy(3 * (int64_t)world->state.n_vert, world->state.v, world->past.saved.v);
    copy(world->past.saved.rigid, world->state.rigid, world->state.n_rigid,
         sizeof *world->state.rigid);
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    if (integrator->save != NULL) integrator->save(world);
    pl_joint_step_save(world);
    PL_TRY(pl_sleep_save(world));
    return world->constraints != NULL ? pl_blocks_save(&world->constraints->blocks) : PL_OK;
}

static void go_back(pl_world *world)
{
    world->time = world->past.saved.time;
    pl_vec_copy(3 * (int64_t)world->state.n_vert, world->past.saved.x, world->state.x);
    pl_vec_copy(3 * (int64_t)world->state.n_vert, world->past.saved.v, world->state.v);
    copy(world->state.rigid, world->past.saved.rigid, world->state.n_rigid,
         sizeof *world->state.rigid);
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    if (integrator->go_back != NULL) integrator->go_back(world);
    pl_joint_step_go_back(world);
    pl_sleep_go_back(world);
    if (world->constraints != NULL) pl_blocks_go_back(&world->constraints->blocks);
    if (world->contact != NULL) world->contact->n_published = 0;
}

// As below, for those who are awake now.
static pl_status find_once(pl_world *world, double t_end, pl_step_stats *stats, bool *clear)
{
    PL_TRY(pl_sleep_begin(world, t_end));
    gather_loads(world);
    PL_TRY(pl_joint_step_begin(world));
    PL_TRY(pl_joint_step_load(world));
    PL_TRY(begin_rigid(world));
    guess_velocities(world, t_end);
    *clear = true;
    PL_TRY(solve_once(world, t_end, stats, clear));
    return pl_step_check_finite(world);
}

// Finds velocities that take the world to t_end; *clear says if they hit nothing on the way. Where
// somebody woke because of what was found, once more with him.
static pl_status find_velocities(pl_world *world, double t_end, pl_step_stats *stats, bool *clear)
{
    for (;;) {
        pl_status status = find_once(world, t_end, stats, clear);
        if (world->sleep == NULL) return status;
        bool failed = status == PL_ERROR_NUMERICS || (status == PL_OK && !*clear);
        if (failed && !world->sleep->woke) PL_TRY(pl_sleep_wake_pushed(world, true));
        if (!failed || !world->sleep->woke) return status;
    }
}

// Takes the world to t_end: in one piece if that is free of collisions, else in two halves.
static pl_status take_step(pl_world *world, double dt, double t_end, int32_t halvings,
                           pl_step_stats *stats)
{
    bool clear = false;
    world->dt = dt;
    pl_status status = find_velocities(world, t_end, stats, &clear);
    if (status == PL_OK && clear) {
        PL_TRY(pl_energy_add(world, stats));
        advance(world, t_end);
        if (world->contact != NULL) PL_TRY(pl_contact_step_finish(world, stats));
        return pl_constraint_step_finish(world, stats);
    }
    bool hopeless = (!pl_constraint_step_any(world) && world->balance == NULL) ||
                    (status != PL_OK && status != PL_ERROR_NUMERICS);
    if (hopeless) return status;
    if (halvings == 0) {
        if (status != PL_OK) return status;
        return pl_fail_colliding(world, dt);
    }
    stats->halvings++;
    PL_TRY(take_step(world, dt / 2, t_end - dt / 2, halvings - 1, stats));
    return take_step(world, dt / 2, t_end, halvings - 1, stats);
}

// The step of a world in which all bodies sleep.
static pl_status rest(pl_world *world, double t_end, pl_step_stats *stats)
{
    world->dt = world->options.dt;
    world->time = t_end;
    world->parts = 1;
    stats->elastic_energy = pl_elements_energy(world, world->state.x);
    if (world->constraints != NULL) pl_constraint_step_rest(world);
    return world->contact != NULL ? pl_contact_step_rest(world, stats) : PL_OK;
}

static void finish_stats(pl_world *world, pl_step_stats *stats)
{
    stats->step = world->steps;
    stats->time = world->time;
    stats->dt = world->options.dt;
    stats->bodies = (int32_t)world->bodies.n;
    stats->asleep = world->sleep != NULL ? world->sleep->n : 0;
    pl_energy_end(world, stats);
    double mass = pl_total_mass(world);
    stats->v_rms = mass > 0 ? sqrt(2 * stats->kinetic_energy / mass) : 0;
    stats->inverted = pl_fem_inverted(&world->system.fem, world->state.x);
    stats->hash = pl_world_hash(world);
    stats->t_total = pl_seconds() - world->started;
}

static pl_status step(pl_world *world, pl_step_stats *stats)
{
    double dt = world->options.dt;
    world->started = pl_seconds();
    world->parts = 0;
    PL_TRY(pl_world_prepare(world));
    if (world->state.moved && world->contact != NULL) PL_TRY(pl_world_check_apart(world));
    world->state.moved = false;
    PL_TRY(save(world));
    double t_end = world->time + dt;
    pl_energy_begin(world, stats);
    bool total = pl_sleep_is_total(world, t_end);
    pl_status status = total ? rest(world, t_end, stats)
                             : take_step(world, dt, t_end, world->options.halvings, stats);
    if (status == PL_OK) status = pl_sleep_reserve(world);
    if (status == PL_OK && world->options.events) status = pl_events_update(world);
    if (status != PL_OK) {
        status = pl_explain_failure(world, status);
        go_back(world);
        return status;
    }
    world->steps++;
    if (!total && pl_integrator_of(world)->finish != NULL) pl_integrator_of(world)->finish(world);
    pl_world_publish(world);
    pl_conditions_update(world);
    if (!total) pl_sleep_update(world);
    finish_stats(world, stats);
    pl_warn_step(world, stats);
    return PL_OK;
}

pl_status pl_world_step(pl_world *world, pl_step_stats *stats)
{
    PL_REQUIRE(world);
    pl_step_stats ignored;
    if (stats == NULL) stats = &ignored;
    *stats = (pl_step_stats){0};
    int32_t before = pl_threads_enter(world->options.threads);
    pl_status status = step(world, stats);
    pl_threads_set(before);
    return status;
}
