// A problem of a program, with what it borrows. Internal.

#ifndef PL_PROBLEM_API_H
#define PL_PROBLEM_API_H

#include "problem_file.h"
#include "solver.h"

typedef struct pl_owned_problem {
    pl_recorded recorded; // its problem is what the program holds: it stands first
    pl_workspace workspace;
    int64_t f_capacity; // of recorded.f; 0: as many as there were constraints when it was read
} pl_owned_problem;

// Of a problem that a program got from pl_problem_create, pl_problem_read or pl_world_problem. NULL
// of NULL.
static inline pl_owned_problem *pl_problem_owner(pl_problem *problem)
{
    return (pl_owned_problem *)problem;
}

static inline const pl_owned_problem *pl_problem_owner_const(const pl_problem *problem)
{
    return (const pl_owned_problem *)problem;
}

// A problem that owns copies of all that `from` has, with v and f to start from.
pl_status pl_problem_copy_from(const pl_problem *from, const double *v, const double *f,
                               pl_problem **out);

#endif
