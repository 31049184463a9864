// The contact problem of a step in a file.

#include "contact_step.h"
#include "../solvers/problem_file.h"

#include <string.h>

// The solve overwrites what it starts from, and rows may be added after it.
pl_status pl_contact_step_note(pl_contact_step *contact, const double *v)
{
    const pl_problem *problem = &contact->contacts.problem;
    int64_t n = 3 * (int64_t)problem->A->n, n_f = 3 * (int64_t)problem->n_constraint;
    contact->n_start = 0;
    if (n_f == 0) return PL_OK;
    PL_TRY(pl_reserve((void **)&contact->v_start, &contact->v_start_capacity, n, sizeof *v));
    PL_TRY(pl_reserve((void **)&contact->f_start, &contact->f_start_capacity, n_f, sizeof *v));
    memcpy(contact->v_start, v, (size_t)n * sizeof *v);
    memcpy(contact->f_start, contact->contacts.f, (size_t)n_f * sizeof *v);
    contact->n_start = problem->n_constraint;
    return PL_OK;
}

pl_status pl_world_save_problem(const pl_world *world, const char *path)
{
    PL_REQUIRE(world);
    PL_REQUIRE(path);
    const pl_contact_step *contact = world->contact;
    if (contact == NULL || contact->n_start == 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: the last step had no contact problem", path);
    }
    pl_problem problem = contact->contacts.problem;
    problem.x = world->past.saved.x; // where the step began
    const pl_constraint *last = &problem.constraint[contact->n_start - 1];
    problem.n_constraint = contact->n_start;
    problem.n_term = last->first + last->count;
    return pl_problem_write(&problem, contact->v_start, contact->f_start, path);
}
