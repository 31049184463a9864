// The problem of a step in a file.

#include "constraint_step.h"
#include "../solvers/problem_api.h"

#include <string.h>

// The solve overwrites what it starts from, and rows may be added after it.
pl_status pl_constraint_step_note(pl_constraint_step *constraints, const double *v)
{
    const pl_problem *problem = &constraints->blocks.problem;
    int64_t n = 3 * (int64_t)problem->A->n, n_f = 3 * (int64_t)problem->n_constraint;
    constraints->n_start = 0;
    if (n_f == 0) return PL_OK;
    PL_TRY(
        pl_reserve((void **)&constraints->v_start, &constraints->v_start_capacity, n, sizeof *v));
    PL_TRY(
        pl_reserve((void **)&constraints->f_start, &constraints->f_start_capacity, n_f, sizeof *v));
    memcpy(constraints->v_start, v, (size_t)n * sizeof *v);
    memcpy(constraints->f_start, constraints->blocks.f, (size_t)n_f * sizeof *v);
    constraints->n_start = problem->n_constraint;
    return PL_OK;
}

// The problem as it was when the last solve began; borrows from the world.
static pl_status last_problem(const pl_world *world, pl_problem *out)
{
    const pl_constraint_step *constraints = world->constraints;
    if (constraints == NULL || constraints->n_start == 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "the last step had no contact problem");
    }
    *out = constraints->blocks.problem;
    out->x = world->past.saved.x; // where the step began
    const pl_constraint *last = &out->constraint[constraints->n_start - 1];
    out->n_constraint = constraints->n_start;
    out->n_term = last->first + last->count;
    if (constraints->friction.kind == PL_FRICTION_CONE) return PL_OK;
    const pl_problem *modelled = &constraints->modelled.problem; // terms may have moved since
    out->constraint = modelled->constraint;
    out->limits = modelled->limits;
    out->n_limits = modelled->n_limits;
    return PL_OK;
}

pl_status pl_world_save_problem(const pl_world *world, const char *path)
{
    PL_REQUIRE(world);
    PL_REQUIRE(path);
    pl_problem problem;
    pl_status status = last_problem(world, &problem);
    if (status != PL_OK) pl_fail_prefix(path);
    PL_TRY(status);
    return pl_recorded_write(&problem, world->constraints->v_start, world->constraints->f_start,
                             path);
}

pl_status pl_world_problem(const pl_world *world, pl_problem **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(world);
    pl_problem problem;
    PL_TRY(last_problem(world, &problem));
    return pl_problem_copy_from(&problem, world->constraints->v_start, world->constraints->f_start,
                                out);
}
