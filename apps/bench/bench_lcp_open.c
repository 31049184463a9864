// The rows of recorded contact problems.

#include "bench_lcp.h"
#include "../../solvers/friction_model.h"
#include "../../solvers/problem_file.h"
#include "../../solvers/scalar_form.h"

#include <stdio.h>
#include <string.h>

// What W may take [bytes].
static const double MOST = 1e9;

// On the diagonal [1/kg]: between those of [Lef20, Table 2.1], 1e-6 to 1e-10, and of [Ho22, 6.1].
// Rows depend on each other, and block pivots from a factor that is all but singular get nowhere.
static const double COMPLIANCE = 1e-7;

// [m/s]: a tenth of a micrometre in a step of 1/60 s.
static const double TOLERANCE = 6e-6;

static pl_status copy(const void *from, int64_t count, size_t size, void *to)
{
    void *block = pl_alloc(count, size);
    if (block == NULL) return PL_ERROR_MEMORY;
    memcpy(block, from, (size_t)count * size);
    memcpy(to, &block, sizeof block);
    return PL_OK;
}

// start := the impulses f, as the rows have them.
static pl_status copy_rows(const pl_scalar_form *form, const double *f, pl_bench_rows *out)
{
    const pl_lcp *lcp = &form->lcp;
    int64_t nnz = lcp->col[lcp->n];
    PL_TRY(copy(lcp->col, (int64_t)lcp->n + 1, sizeof *lcp->col, &out->col));
    PL_TRY(copy(lcp->row, nnz, sizeof *lcp->row, &out->row));
    PL_TRY(copy(lcp->val, nnz, sizeof *lcp->val, &out->val));
    PL_TRY(copy(lcp->q, lcp->n, sizeof *lcp->q, &out->q));
    PL_TRY(copy(lcp->lo, lcp->n, sizeof *lcp->lo, &out->lo));
    PL_TRY(copy(lcp->hi, lcp->n, sizeof *lcp->hi, &out->hi));
    PL_TRY(copy(lcp->q, lcp->n, sizeof *lcp->q, &out->start));
    pl_scalar_form_take(form, f, out->start);
    for (int32_t j = 0; j < lcp->n; j++) {
        for (int64_t k = out->col[j]; k < out->col[j + 1]; k++) {
            if (out->row[k] == j) out->val[k] += COMPLIANCE;
        }
    }
    out->lcp = (pl_lcp){.n = lcp->n,
                        .col = out->col,
                        .row = out->row,
                        .val = out->val,
                        .symmetric = lcp->symmetric,
                        .q = out->q,
                        .lo = out->lo,
                        .hi = out->hi};
    return PL_OK;
}

static pl_status make_rows(const pl_recorded *r, pl_workspace *ws, pl_modelled *modelled,
                           pl_bench_rows *out)
{
    const pl_friction_model boxes = {.kind = PL_FRICTION_BOX_LAST, .updates = 1};
    const pl_solver_options options = pl_solver_options_default();
    const pl_solver *solver;
    pl_solve_stats stats;
    pl_reduced reduced;
    pl_scalar_form form;
    PL_TRY(pl_solver_find("newton", &solver));
    PL_TRY(pl_solve(solver, &r->problem, &options, ws, r->v, r->f, &stats));
    PL_TRY(pl_friction_apply(&boxes, &r->problem, r->f, modelled));
    pl_arena_reset(&ws->arena);
    PL_TRY(pl_workspace_prepare(&modelled->problem, ws, r->v));
    PL_TRY(pl_reduced_create(&modelled->problem, &ws->uses, &ws->D, ws->scale, r->v, true, MOST,
                             &ws->arena, &reduced));
    if (!reduced.fits) return pl_fail(PL_ERROR_NUMERICS, "its matrix is too large");
    PL_TRY(pl_scalar_form_create(&reduced, false, &ws->arena, &form));
    return copy_rows(&form, r->f, out);
}

pl_status pl_bench_rows_open(const char *path, pl_bench_rows *out)
{
    pl_recorded recorded;
    pl_workspace ws = {0};
    pl_modelled modelled = {0};
    *out = (pl_bench_rows){.tolerance = TOLERANCE};
    PL_TRY(pl_recorded_read(path, &recorded));
    pl_status status = make_rows(&recorded, &ws, &modelled, out);
    if (status != PL_OK) pl_bench_rows_free(out);
    pl_modelled_free(&modelled);
    pl_workspace_free(&ws);
    pl_recorded_free(&recorded);
    return status;
}
