// The solvers for a person, or a program, that chooses.

#include "solver.h"
#include "../base/text.h"

size_t pl_solver_help(char *buffer, size_t size)
{
    pl_text text = pl_text_start(buffer, size);
    for (int32_t i = 0; i < pl_n_solver; i++) {
        pl_text_add(&text, "%-12s %s\n", pl_solvers[i].name, pl_solvers[i].guarantee);
    }
    return text.length;
}

int32_t pl_solver_count(void)
{
    return pl_n_solver;
}

pl_status pl_solver_describe(int32_t solver, pl_solver_info *out)
{
    PL_REQUIRE(out);
    *out = (pl_solver_info){0};
    if (solver < 0 || solver >= pl_n_solver) {
        return pl_fail(PL_ERROR_ARGUMENT, "solver %d of %d: the first is 0", (int)solver,
                       (int)pl_n_solver);
    }
    const pl_solver *s = &pl_solvers[solver];
    *out = (pl_solver_info){s->name, s->guarantee, s->paper, pl_solver_has_precond(s)};
    return PL_OK;
}

pl_status pl_solver_number(const char *name, int32_t *out)
{
    const pl_solver *solver;
    PL_REQUIRE(name);
    PL_REQUIRE(out);
    PL_TRY(pl_solver_find(name, &solver));
    *out = (int32_t)(solver - pl_solvers);
    return PL_OK;
}

int32_t pl_precond_count(void)
{
    return PL_N_PRECOND;
}

const char *pl_precond_name(int32_t precond)
{
    return precond >= 0 && precond < PL_N_PRECOND ? pl_precond_names[precond] : NULL;
}

pl_status pl_precond_number(const char *name, int32_t *out)
{
    pl_precond precond;
    PL_REQUIRE(name);
    PL_REQUIRE(out);
    PL_TRY(pl_precond_find(name, &precond));
    *out = (int32_t)precond;
    return PL_OK;
}
