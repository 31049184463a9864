// The solvers for a person, or a program, that chooses.

#include "solver.h"
#include "../base/text.h"

size_t pl_solver_help(char *buffer, size_t size)
{
    pl_text text = pl_text_start(buffer, size);
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        pl_text_add(&text, "%-12s %s\n", pl_solver_at(i)->name, pl_solver_at(i)->guarantee);
    }
    return text.length;
}

pl_status pl_solver_describe(int32_t solver, pl_solver_info *out)
{
    PL_REQUIRE(out);
    *out = (pl_solver_info){0};
    if (solver < 0 || solver >= pl_solver_count()) {
        return pl_fail(PL_ERROR_ARGUMENT, "solver %d of %d: the first is 0", (int)solver,
                       (int)pl_solver_count());
    }
    const pl_solver *s = pl_solver_at(solver);
    *out = (pl_solver_info){.name = s->name,
                            .guarantee = s->guarantee,
                            .paper = s->paper,
                            .has_precond = pl_solver_has_precond(s),
                            .reduced = s->form != PL_FORM_FULL,
                            .scalar = s->form == PL_FORM_SCALAR,
                            .cones = (s->can & PL_CAN_CONE) != 0,
                            .pyramids = (s->can & PL_CAN_PYRAMID) != 0,
                            .following = (s->can & PL_CAN_FOLLOWING) != 0,
                            .boxes = (s->can & PL_CAN_BOX) != 0,
                            .compliance = (s->can & PL_CAN_COMPLIANCE) != 0,
                            .own = s->own != NULL};
    return PL_OK;
}

pl_status pl_solver_number(const char *name, int32_t *out)
{
    const pl_solver *solver;
    PL_REQUIRE(name);
    PL_REQUIRE(out);
    PL_TRY(pl_solver_find(name, &solver));
    for (*out = 0; pl_solver_at(*out) != solver;) ++*out;
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
