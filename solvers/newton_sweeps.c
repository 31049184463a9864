// Sweeps of Gauss-Seidel as a start for `newton`, where there are rigid bodies only.
//
// There A is block-diagonal, and sweeps (sweeps.h) with its inverse blocks are those on W = L A^-1
// L^T itself: v = A^-1 (b + L^T f) goes with the impulses. A hundred cost as much as some ten
// factors, and find the faces of most contacts of bodies that fall in a heap. Where impulses have
// to find their way through many bodies they are no help, nor along joints.

#include "newton.h"
#include "sweeps.h"

#include <string.h>

enum { SWEEPS = 100 };
// A sweep that changes no relative velocity by more than this part of what contacts may be wrong by
// is the last.
static const double SWEPT = 0.1;

bool pl_newton_can_sweep(const pl_newton *s)
{
    const pl_bsr *A = s->problem->A;
    return s->lambda == NULL && A->nnz == A->n;
}

pl_status pl_newton_sweep(pl_newton *s, pl_solve_stats *stats)
{
    const pl_problem *problem = s->problem;
    const pl_uses *uses = &s->ws->uses;
    pl_arena *arena = &s->ws->arena;
    pl_arena_mark mark = pl_arena_here(arena);
    pl_sweeps sweeps;
    PL_TRY(pl_sweeps_create(problem, &s->ws->D, uses, s->ws->scale, arena, &sweeps));
    pl_block_jacobi_apply(&s->ws->D, problem->b, s->x);
    for (int64_t i = 0; i < s->n; i++) {
        if (!pl_is_prescribed(problem, i / 3)) s->v[i] = s->x[i];
    }
    pl_rows_multiply(problem, NULL, true, s->v, s->Le);
    pl_sweeps_set(&sweeps, s->f);
    double enough = SWEPT * s->options->contact_tolerance / problem->dt;
    stats->iterations += pl_sweeps_run(&sweeps, SWEEPS, enough, s->Le, s->f) > 0;
    for (int32_t i = 0; i < uses->n; i++) {
        int64_t block = uses->block[i];
        const double *m = s->ws->D.inv + 6 * block, *g = sweeps.push + 3 * (int64_t)i;
        double *v = s->v + 3 * block;
        v[0] += (m[0] * g[0] + m[1] * g[1]) + m[2] * g[2];
        v[1] += (m[1] * g[0] + m[3] * g[1]) + m[4] * g[2];
        v[2] += (m[2] * g[0] + m[4] * g[1]) + m[5] * g[2];
    }
    pl_arena_back(arena, mark);
    return PL_OK;
}
