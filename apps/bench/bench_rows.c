#include "bench_rows.h"
#include "../../lcp/rcm.h"
#include "../../solvers/problem_api.h"
#include "../../solvers/solver.h"

#include <stdlib.h>

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

typedef struct entry {
    int32_t row;
    double value;
} entry;

static int by_row(const void *a, const void *b)
{
    return ((const entry *)a)->row - ((const entry *)b)->row;
}

pl_status pl_bench_reorder(const pl_lcp *lcp, pl_arena *arena, pl_lcp *out)
{
    int32_t n = lcp->n, *order = pl_arena_take(arena, n, sizeof *order);
    int32_t *place = pl_arena_take(arena, n, sizeof *place);
    int64_t nnz = lcp->col[n], *col = pl_arena_take(arena, (int64_t)n + 1, sizeof *col);
    int32_t *row = pl_arena_take(arena, nnz, sizeof *row);
    double *val = pl_arena_take(arena, nnz, sizeof *val), *of[3];
    entry *scratch = pl_arena_take(arena, n, sizeof *scratch);
    for (int i = 0; i < 3; i++) of[i] = pl_arena_take(arena, n, sizeof *of[i]);
    bool all = order != NULL && place != NULL && col != NULL && row != NULL && val != NULL &&
               scratch != NULL && of[0] != NULL && of[1] != NULL && of[2] != NULL;
    if (!all) return PL_ERROR_MEMORY;
    PL_TRY(pl_rcm(n, lcp->col, lcp->row, arena, order));
    for (int32_t k = 0; k < n; k++) place[order[k]] = k;
    col[0] = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t j = order[k];
        int64_t first = lcp->col[j], m = lcp->col[j + 1] - first;
        for (int64_t e = 0; e < m; e++) {
            scratch[e] = (entry){place[lcp->row[first + e]], lcp->val[first + e]};
        }
        qsort(scratch, (size_t)m, sizeof *scratch, by_row);
        for (int64_t e = 0; e < m; e++) {
            row[col[k] + e] = scratch[e].row;
            val[col[k] + e] = scratch[e].value;
        }
        col[k + 1] = col[k] + m;
        of[0][k] = lcp->q[j], of[1][k] = lcp->lo[j], of[2][k] = lcp->hi[j];
    }
    *out = (pl_lcp){.n = n,
                    .col = col,
                    .row = row,
                    .val = val,
                    .symmetric = lcp->symmetric,
                    .q = of[0],
                    .lo = of[1],
                    .hi = of[2]};
    return PL_OK;
}

double pl_bench_tight(const pl_lcp *lcp, const double *x)
{
    int32_t n = 0;
    for (int32_t i = 0; i < lcp->n; i++) n += x[i] <= lcp->lo[i] || x[i] >= lcp->hi[i];
    return lcp->n > 0 ? (double)n / lcp->n : 0;
}
