#include "bench_rows.h"
#include "../../solvers/problem_api.h"
#include "../../solvers/solver.h"

static const double MOST_BYTES = 1e9; // of W

static pl_status give(pl_scalar_form *form, double compliance, pl_bench_rows_fn *fn, void *user)
{
    for (int32_t j = 0; j < form->lcp.n; j++) {
        for (int64_t k = form->col[j]; k < form->col[j + 1]; k++) {
            if (form->row[k] == j) form->val[k] += compliance;
        }
    }
    return fn(user, &form->lcp);
}

pl_status pl_bench_world_rows(const pl_world *world, double compliance, pl_arena *arena,
                              pl_bench_rows_fn *fn, void *user)
{
    pl_problem *copy;
    pl_workspace ws = {0};
    pl_reduced reduced = {0};
    pl_scalar_form form;
    if (pl_world_problem(world, &copy) != PL_OK) return PL_OK;
    const pl_recorded *recorded = &pl_problem_owner(copy)->recorded;
    pl_arena_reset(arena);
    pl_status status = pl_workspace_prepare(copy, &ws, recorded->v);
    if (status == PL_OK) {
        status = pl_reduced_create(copy, &ws.uses, &ws.D, ws.scale, recorded->v, true, MOST_BYTES,
                                   &ws.arena, &reduced);
    }
    bool fits = reduced.fits;
    if (fits) status = pl_scalar_form_create(&reduced, PL_SCALAR_CORNERS, &ws.arena, &form);
    if (fits && status == PL_OK) status = give(&form, compliance, fn, user);
    pl_workspace_free(&ws);
    pl_problem_destroy(copy);
    return status == PL_ERROR_NUMERICS ? PL_OK : status;
}

void pl_bench_all_free(const pl_lcp *lcp, double *x)
{
    const double inside = 1e-12; // of bounds [N s]
    for (int32_t i = 0; i < lcp->n; i++) x[i] = lcp->lo[i] == 0 ? inside : 0;
}

double pl_bench_tight(const pl_lcp *lcp, const double *x)
{
    int32_t n = 0;
    for (int32_t i = 0; i < lcp->n; i++) n += x[i] <= lcp->lo[i] || x[i] >= lcp->hi[i];
    return lcp->n > 0 ? (double)n / lcp->n : 0;
}
