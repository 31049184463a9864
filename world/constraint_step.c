// The part of a step that solves for velocities under constraints.

#include "constraint_step.h"
#include "contact_step.h"
#include "../solvers/device.h"
#include "integrator.h"
#include "joint_step.h"
#include "balance.h"
#include "sleep.h"
#include "step.h"
#include "warnings.h"

#include <math.h>
#include <string.h>

// The solver that takes over where another one fails.
static const char FALLBACK[] = "auto";
// And the one that corrects in its place where all bodies are soft: of what it has left undone,
// crushed bodies mostly, the factors that it would go on to cost a hundred times as much.
static const char SOFT[] = "cone-newton";

// Where Newton's method corrects, the next iteration does better what this one leaves: so each has
// at most so many iterations of its own, and goes on with what they reach. For soft bodies alone
// these are few, but in statics: what they do not solve are bodies that are crushed on the way,
// which are less so after another iteration. The first solve of an adaptive step has more, since it
// is mostly the last.
enum { ROUGH_ITERATIONS = 200, SOFT_ITERATIONS = 60, FIRST_ITERATIONS = 300 };

// Of other solvers for what newton, asked first by auto, did not solve: they seldom do, and a step
// is sooner halved. One of the scene chain took two minutes with 3,000.
enum { RESCUE_ITERATIONS = 100 };

// Rounds after which the geometric stiffness of joints may be changed.
enum { STIFFENINGS = 4 };

// --- Life ---

pl_status pl_constraint_step_check(pl_world_options *o)
{
    const pl_solver *solver;
    pl_precond precond;
    pl_friction_model friction;
    if (o->friction_model == NULL)
        return pl_fail(PL_ERROR_ARGUMENT, "friction_model: none is named");
    PL_TRY(pl_friction_model_parse(o->friction_model, &friction));
    PL_TRY(pl_friction_model_find(o->friction_model, &o->friction_model));
    if (o->vj19 && friction.kind != PL_FRICTION_CONE) {
        return pl_fail(PL_ERROR_ARGUMENT, "friction_model: vj19 knows cones only, not \"%s\"",
                       o->friction_model);
    }
    if (o->solver == NULL) return pl_fail(PL_ERROR_ARGUMENT, "solver: none is named");
    if (o->precond == NULL) return pl_fail(PL_ERROR_ARGUMENT, "precond: none is named");
    PL_TRY(pl_solver_find(o->solver, &solver));
    PL_TRY(pl_precond_find(o->precond, &precond));
    if (!(o->residual_tolerance > 0 && o->residual_tolerance < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "residual_tolerance: %g is not between 0 and 1",
                       o->residual_tolerance);
    }
    if (!(o->contact_tolerance > 0 && isfinite(o->contact_tolerance))) {
        return pl_fail(PL_ERROR_ARGUMENT, "contact_tolerance: %g is not above 0 m",
                       o->contact_tolerance);
    }
    if (o->contact_iterations < 1) return pl_fail(PL_ERROR_ARGUMENT, "contact_iterations: below 1");
    PL_TRY(pl_device_find(o->device, &o->device));
    PL_TRY(pl_device_check(o->device));
    o->solver = solver->name;
    o->precond = pl_precond_names[precond];
    return PL_OK;
}

pl_status pl_world_set_solver(pl_world *world, const char *solver, const char *precond)
{
    PL_REQUIRE(world);
    pl_world_options changed = world->options;
    changed.solver = solver;
    changed.precond = precond;
    PL_TRY(pl_constraint_step_check(&changed));
    world->options = changed;
    if (world->constraints == NULL) return PL_OK;
    PL_TRY(pl_precond_find(changed.precond, &world->constraints->options.precond));
    return pl_solver_find(changed.solver, &world->constraints->solver);
}

pl_status pl_constraint_step_create(const pl_world *world, pl_constraint_step **out)
{
    const pl_world_options *o = &world->options;
    *out = NULL;
    pl_constraint_step *c = pl_alloc_zero(1, sizeof *c);
    if (c == NULL) return PL_ERROR_MEMORY;
    c->options = pl_solver_options_default();
    c->options.residual_tolerance = o->residual_tolerance;
    c->options.contact_tolerance = o->contact_tolerance;
    c->options.max_iterations = o->contact_iterations;
    c->options.vj19 = o->vj19;
    pl_status status = pl_precond_find(o->precond, &c->options.precond);
    if (status == PL_OK) status = pl_friction_model_parse(o->friction_model, &c->friction);
    if (status == PL_OK) status = pl_solver_find(o->solver, &c->solver);
    if (status == PL_OK) status = pl_solver_find(FALLBACK, &c->fallback);
    if (status == PL_OK) status = pl_solver_find(SOFT, &c->soft);
    if (status == PL_OK) status = pl_workspace_use(&c->workspace, o->device);
    if (status != PL_OK) {
        pl_constraint_step_destroy(c);
        return status;
    }
    *out = c;
    return PL_OK;
}

void pl_constraint_step_destroy(pl_constraint_step *constraints)
{
    if (constraints == NULL) return;
    pl_blocks_free(&constraints->blocks);
    pl_workspace_free(&constraints->workspace);
    pl_modelled_free(&constraints->modelled);
    pl_free(constraints->v_start);
    pl_free(constraints->f_start);
    pl_free(constraints->slip);
    pl_free(constraints);
}

struct pl_device *pl_constraint_step_device(const pl_constraint_step *constraints)
{
    return constraints->workspace.device;
}

// --- Solving ---

// Are all bodies soft?
static bool is_soft(const pl_world *world)
{
    return world->state.n_rigid == 0 && world->constraints->blocks.problem.n_limits == 0;
}

// May what is solved for be corrected later? The first solve of an adaptive step is the
// semi-implicit one, bit for bit unless it takes FIRST_ITERATIONS; that of a strict one need not be
// solved if all bodies are soft.
static bool corrects(const pl_world *world)
{
    const pl_balance *balance = world->balance;
    if (balance == NULL) return false;
    return balance->iteration > 1 || (!balance->adaptive && is_soft(world));
}

// Of a solve that Newton's method may go on from. Solvers that somebody has chosen have iterations
// of their own kind.
static int32_t most_iterations(const pl_world *world, const pl_solver *solver)
{
    const pl_balance *balance = world->balance;
    const pl_constraint_step *c = world->constraints;
    bool ours = solver == c->fallback || solver == c->soft;
    bool few = ours && balance != NULL && is_soft(world) && !balance->is_static;
    if (corrects(world)) return few ? SOFT_ITERATIONS : ROUGH_ITERATIONS;
    return few ? FIRST_ITERATIONS : INT32_MAX;
}

// `same`: the matrix is that of the last solve.
static pl_status solve_with(const pl_solver *solver, pl_world *world, bool same,
                            pl_step_stats *stats)
{
    pl_constraint_step *c = world->constraints;
    pl_solver_options options = c->options;
    pl_solve_stats solved;
    options.same_matrix = same;
    options.max_iterations = PL_MIN(options.max_iterations, most_iterations(world, solver));
    if (corrects(world)) {
        options.residual_tolerance =
            PL_MAX(options.residual_tolerance, pl_balance_forcing(world->balance));
    } else if (world->contact != NULL) {
        options.loose_tolerance = world->contact->contacts.tolerance;
        options.rescue_iterations = RESCUE_ITERATIONS;
    }
    PL_TRY(pl_step_time_left(world, &options.max_seconds));
    pl_status status =
        pl_friction_solve(&c->friction, solver, &c->blocks.problem, &options, &c->workspace,
                          &c->modelled, world->system.v_new, c->blocks.f, &solved);
    stats->iterations += solved.iterations;
    stats->state_changes += (int32_t)solved.state_changes;
    stats->t_solve += solved.seconds;
    stats->residual = solved.errors.residual;
    stats->constraint_error = solved.errors.normal;
    stats->fb_error = solved.errors.fischer;
    stats->fb_normal = solved.errors.fischer_normal;
    stats->fb_stick = solved.errors.fischer_stick;
    stats->fb_slip = solved.errors.fischer_slip;
    stats->friction_error = solved.errors.friction;
    double left;
    c->contradicting = solved.end == PL_SOLVE_CONTRADICTING;
    if (c->contradicting) return PL_OK;
    stats->loose += solved.end == PL_SOLVE_LOOSE;
    if (solved.end == PL_SOLVE_LOOSE) return PL_OK;
    if (solved.end == PL_SOLVE_LIMIT && options.max_iterations < c->options.max_iterations) {
        world->balance->rough = world->balance->unfinished = true;
        return PL_OK;
    }
    if (corrects(world)) {
        double fine = PL_MAX(c->options.residual_tolerance, pl_balance_finest(world->balance));
        world->balance->rough = solved.errors.residual > fine;
    }
    return solved.end == PL_SOLVE_TIME ? pl_step_time_left(world, &left) : status;
}

// Without rows: a linear system.
static pl_status solve_free(pl_world *world, pl_step_stats *stats)
{
    bool again = world->balance != NULL && world->balance->iteration > 1;
    return again ? pl_balance_solve_free(world, stats)
                 : pl_step_solve(world, world->system.b, world->options.tolerance,
                                 world->system.v_new, stats);
}

// Is it one that does not know the rows of joints, of which there are some? What a friction model
// makes of contacts is the choice of whoever runs the world, and no matter for a rescue.
static bool lacks_joints(const pl_constraint_step *c)
{
    enum { OF_JOINTS = PL_CAN_BOX | PL_CAN_COMPLIANCE };
    if ((c->solver->can & OF_JOINTS) == OF_JOINTS) return false;
    return (pl_solver_lacks(c->solver, &c->blocks.problem) & OF_JOINTS) != 0;
}

// The solver of choice, or of soft bodies that Newton's method solves for.
static const pl_solver *corrector(const pl_world *world)
{
    const pl_constraint_step *c = world->constraints;
    bool soft = corrects(world) && is_soft(world);
    return soft && c->solver == c->fallback ? c->soft : c->solver;
}

// Where the solver of choice does not converge, or does not know what there is to solve, the one
// that does goes on from there, if it may.
static pl_status solve(pl_world *world, bool same, pl_step_stats *stats)
{
    pl_constraint_step *c = world->constraints;
    c->options.contact_tolerance = world->contact != NULL
                                       ? pl_contacts_tolerance(&world->contact->contacts)
                                       : world->options.contact_tolerance;
    PL_TRY(pl_constraint_step_note(c, world->system.v_new));
    if (world->balance != NULL) world->balance->rough = world->balance->unfinished = false;
    c->contradicting = c->unsolved = false;
    if (c->blocks.problem.n_constraint == 0) return solve_free(world, stats);
    c->unsolved = true; // until it is
    const pl_solver *solver = corrector(world);
    bool rescue = world->options.rescue && c->fallback != solver;
    bool skips = rescue && lacks_joints(c);
    pl_status status = PL_ERROR_NUMERICS;
    if (skips) pl_warn_solver(world, c->solver->name, c->fallback->name);
    if (!skips) status = solve_with(solver, world, same, stats);
    if (status == PL_OK) c->unsolved = false;
    if (status != PL_ERROR_NUMERICS || !rescue) return status;
    stats->rescues++;
    status = solve_with(c->fallback, world, same || !skips, stats);
    if (status == PL_OK) c->unsolved = false;
    return status;
}

// --- The rounds ---

void pl_constraint_step_rest(pl_world *world)
{
    pl_blocks_clear(&world->constraints->blocks);
    world->constraints->n_start = 0;
}

static void begin(pl_world *world)
{
    pl_problem *problem = &world->constraints->blocks.problem;
    pl_constraint_step_rest(world);
    problem->A = world->system.solved;
    problem->b = world->system.b;
    problem->prescribed = world->system.prescribed;
    problem->dt = world->dt;
    problem->n_x = world->state.n_vert;
    problem->x = world->state.x;
}

// Rows as they are now, for velocities that may have changed since they were added.
static pl_status update_rows(pl_world *world, double t, bool first)
{
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    if (integrator->meet_rows != NULL) integrator->meet_rows(world);
    PL_TRY(pl_sleep_cut(world));
    if (world->contact != NULL) PL_TRY(pl_contact_step_bounce(world, t));
    pl_joint_step_update(world, t, first);
    if (world->contact != NULL) pl_contact_step_update(world, t);
    return PL_OK;
}

// Then the step is to be solved with him, from the start.
static bool somebody_woke(const pl_world *world)
{
    return world->sleep != NULL && world->sleep->woke;
}

// Tests what was solved for: *clear if nothing was hit on the way, joints are where they should be,
// and with Newton's method forces balance.
static pl_status test_way(pl_world *world, double t, int32_t round, pl_step_stats *stats,
                          bool *clear)
{
    *clear = true;
    if (world->contact != NULL) {
        world->contact->contacts.one_each = world->balance != NULL && world->balance->step < 1;
        PL_TRY(pl_contact_step_test(world, t, stats, clear));
    }
    pl_joint_step_test(world, t, round, clear);
    return PL_OK;
}

// After an iteration of Newton's method: is the step done, or what is next? *same: the matrix
// stays.
static pl_status go_on(pl_world *world, pl_step_stats *stats, bool *clear, bool *same)
{
    pl_balance *balance = world->balance;
    *same = true;
    if (balance == NULL) return PL_OK;
    bool done = balance->enough && *clear;
    if (done && !pl_balance_keeps_volume(world)) {
        *clear = false;
        return pl_fail(PL_ERROR_NUMERICS, "a tet would lose its volume");
    }
    if (done || balance->enough) return PL_OK;
    *clear = *same = false;
    return pl_balance_linearize(world, stats);
}

// One solve with the rows that there are, and what its velocities become; *stiffened: joints have
// changed the matrix.
static pl_status solve_round(pl_world *world, double t, int32_t round, bool same,
                             pl_step_stats *stats, bool *stiffened)
{
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    PL_TRY(update_rows(world, t, round == 0));
    bool predicts = round == 0 && !world->constraints->starts_free;
    if (predicts && integrator->predict != NULL) integrator->predict(world);
    PL_TRY(solve(world, same, stats));
    PL_TRY(pl_step_check_finite(world));
    *stiffened = round < STIFFENINGS && pl_joint_stiffness_update(world);
    PL_TRY(pl_sleep_wake_pushed(world, false));
    return world->balance != NULL && !somebody_woke(world) ? pl_balance_move(world, stats) : PL_OK;
}

// v_new := what it would be without rows. Its iterations are none of the contact solver's.
static pl_status start_free(pl_world *world, pl_step_stats *stats)
{
    pl_step_stats apart = {0};
    pl_status status = solve_free(world, &apart);
    stats->t_solve += apart.t_solve;
    return status;
}

pl_status pl_constraint_step_solve(pl_world *world, double t, pl_step_stats *stats, bool *clear)
{
    bool alters = pl_integrator_of(world)->meet_rows != NULL; // it changes the matrix
    *clear = false;
    begin(world);
    if (world->constraints->starts_free) PL_TRY(start_free(world, stats));
    PL_TRY(pl_joint_step_find(world));
    if (world->contact != NULL) PL_TRY(pl_contact_step_find(world, t, stats));
    if (somebody_woke(world)) return PL_OK;
    if (world->contact != NULL) PL_TRY(pl_contact_step_begin_bounce(world));
    if (world->balance != NULL) pl_balance_begin(world);
    bool same = false;
    // A pass takes one of the rounds, or one of Newton's iterations, of which each is made again a
    // few times at most.
    for (int32_t round = 0, pass = 0; round < world->options.rounds; pass++) {
        bool stiffened;
        PL_TRY(solve_round(world, t, pass, same && !alters, stats, &stiffened));
        if (somebody_woke(world)) return PL_OK;
        if (world->balance != NULL && world->balance->unsolved) {
            same = true;
            continue;
        }
        PL_TRY(test_way(world, t, round, stats, clear));
        if (stiffened) *clear = false;
        PL_TRY(go_on(world, stats, clear, &same));
        if (*clear) return PL_OK;
        if (same) round++;
        same = same && !stiffened;
    }
    return PL_OK;
}

// --- After the rounds ---

void pl_constraint_step_impulses(const pl_world *world, double *impulse)
{
    const pl_blocks *c = &world->constraints->blocks;
    memset(impulse, 0, 6 * (size_t)world->state.n_rigid * sizeof *impulse);
    for (int32_t i = 0; i < c->problem.n_constraint; i++) {
        const pl_constraint *block = &c->problem.constraint[i];
        double F[3], torque[3];
        pl_blocks_impulse(c, i, F);
        for (int32_t t = block->first; t < block->first + block->count; t++) {
            const pl_entry *entry = &c->problem.entry[t];
            if (entry->block < world->state.n_vert) continue;
            double *to = impulse + 3 * (int64_t)(entry->block - world->state.n_vert);
            pl_cross(pl_entry_arm(&c->problem, entry), F, torque);
            for (int k = 0; k < 3; k++) to[k] += entry->w * F[k] + torque[k];
        }
    }
    pl_joint_stiffness_impulse(world, impulse);
    if (world->contact != NULL) pl_contact_step_add_impacts(world, impulse);
}

void pl_constraint_step_sum(pl_world *world)
{
    for (int64_t i = 0; i < world->bodies.n; i++) {
        pl_world_body *b = &world->bodies.body[i];
        memset(b->impulse, 0, sizeof b->impulse);
        memset(b->angular_impulse, 0, sizeof b->angular_impulse);
    }
    if (world->contact != NULL) pl_contact_step_sum(world);
    pl_joint_step_sum(world);
}

pl_status pl_constraint_step_finish(pl_world *world, pl_step_stats *stats)
{
    pl_joint_step_finish(world, stats);
    stats->constraints = world->constraints->blocks.problem.n_constraint;
    return pl_blocks_remember(&world->constraints->blocks);
}

bool pl_constraint_step_any(const pl_world *world)
{
    if (world->constraints == NULL) return false;
    return world->contact != NULL || world->constraints->blocks.problem.n_constraint > 0;
}
