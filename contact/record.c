// The contact problem of a step in a file.

#include "touch.h"
#include "../solvers/problem_file.h"

#include <string.h>

// The solve overwrites what it starts from, and rows may be added after it.
pl_status pl_touch_note(pl_touch *touch, const double *v)
{
    const pl_problem *problem = &touch->contacts.problem;
    int64_t n = 3 * (int64_t)problem->A->n, n_f = 3 * (int64_t)problem->n_constraint;
    touch->n_start = 0;
    if (n_f == 0) return PL_OK;
    PL_TRY(pl_reserve((void **)&touch->v_start, &touch->v_start_capacity, n, sizeof *v));
    PL_TRY(pl_reserve((void **)&touch->f_start, &touch->f_start_capacity, n_f, sizeof *v));
    memcpy(touch->v_start, v, (size_t)n * sizeof *v);
    memcpy(touch->f_start, touch->contacts.f, (size_t)n_f * sizeof *v);
    touch->n_start = problem->n_constraint;
    return PL_OK;
}

pl_status pl_world_save_problem(const pl_world *world, const char *path)
{
    PL_REQUIRE(world);
    PL_REQUIRE(path);
    const pl_touch *touch = world->touch;
    if (touch == NULL || touch->n_start == 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: the last step had no contact problem", path);
    }
    pl_problem problem = touch->contacts.problem;
    problem.x = world->saved.x; // where the step began
    const pl_constraint *last = &problem.constraint[touch->n_start - 1];
    problem.n_constraint = touch->n_start;
    problem.n_term = last->first + last->count;
    return pl_problem_write(&problem, touch->v_start, touch->f_start, path);
}
