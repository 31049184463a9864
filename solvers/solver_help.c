// The solvers as text.

#include "solver.h"
#include "../base/text.h"

size_t pl_solver_help(char *buffer, size_t size)
{
    pl_text text = pl_text_start(buffer, size);
    for (int32_t i = 0; i < pl_n_solver; i++) {
        pl_text_add(&text, "%-8s %s\n", pl_solvers[i].name, pl_solvers[i].guarantee);
    }
    return text.length;
}
