#include "touched.h"

#include <string.h>

// The columns of row i, in no order; returns how many. mark (n) holds the last row that met each.
static int32_t list_columns(const pl_touched *t, int32_t i, int32_t *mark, int32_t *col)
{
    const pl_problem *problem = t->problem;
    int32_t n = 0;
    for (int32_t u = t->uses->start[i]; u < t->uses->start[i + 1]; u++) {
        const pl_constraint *constraint = problem->constraint + t->uses->use[u].constraint;
        for (int32_t k = constraint->first; k < constraint->first + constraint->count; k++) {
            int32_t j = t->place[problem->entry[k].block];
            if (j < 0 || mark[j] == i) continue;
            mark[j] = i;
            col[n++] = j;
        }
    }
    return n;
}

// The pattern: two blocks of one contact are coupled. Each is written into the rows of its
// neighbours, so that all have their columns in order.
static pl_status find_pattern(pl_touched *t, pl_arena *arena)
{
    pl_bsr *H = &t->H;
    int32_t n = t->uses->n, *mark = pl_arena_take(arena, n, sizeof *mark);
    int32_t *list = pl_arena_take(arena, n, sizeof *list);
    int64_t *end = pl_arena_take(arena, n, sizeof *end); // of each row so far
    H->n = n;
    H->row = pl_arena_take(arena, (int64_t)n + 1, sizeof *H->row);
    H->diag = pl_arena_take(arena, n, sizeof *H->diag);
    bool all = mark != NULL && list != NULL && end != NULL && H->row != NULL && H->diag != NULL;
    if (!all) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) mark[i] = -1;
    H->row[0] = 0;
    for (int32_t i = 0; i < n; i++) H->row[i + 1] = H->row[i] + list_columns(t, i, mark, list);
    H->nnz = H->row[n];
    H->col = pl_arena_take(arena, H->nnz, sizeof *H->col);
    H->val = pl_arena_take(arena, 9 * H->nnz, sizeof *H->val);
    if (H->col == NULL || H->val == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) mark[i] = -1, end[i] = H->row[i];
    for (int32_t i = 0; i < n; i++) {
        int32_t n_col = list_columns(t, i, mark, list);
        for (int32_t k = 0; k < n_col; k++) H->col[end[list[k]]++] = i;
    }
    for (int32_t i = 0; i < n; i++) H->diag[i] = pl_bsr_find(H, i, i);
    return PL_OK;
}

pl_status pl_touched_create(const pl_problem *problem, const pl_uses *uses, pl_arena *arena,
                            pl_touched *out)
{
    *out = (pl_touched){.problem = problem, .uses = uses};
    out->place = pl_arena_take(arena, problem->A->n, sizeof *out->place);
    out->x = pl_arena_take(arena, 3 * (int64_t)uses->n, sizeof *out->x);
    if (out->place == NULL || out->x == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < problem->A->n; i++) out->place[i] = -1;
    for (int32_t i = 0; i < uses->n; i++) out->place[uses->block[i]] = i;
    PL_TRY(find_pattern(out, arena));
    PL_TRY(pl_cholesky_analyze(&out->H, NULL, arena, &out->factor));
    return pl_cholesky_take(&out->factor, arena);
}

// H += Gi^T K Gj for all pairs of a contact's blocks. Blocks stand column by column.
static void add_contact(pl_touched *t, const pl_constraint *constraint, const pl_stiffness *K)
{
    const pl_entry *entry = t->problem->entry + constraint->first;
    for (int32_t a = 0; a < constraint->count; a++) {
        int32_t i = t->place[entry[a].block];
        if (i < 0) continue;
        double G[9], KG[9];
        pl_entry_rows(t->problem, constraint, entry + a, G);
        for (int c = 0; c < 3; c++) {
            KG[c] = (double)K->nn * G[c];
            KG[3 + c] = (double)K->t11 * G[3 + c] + (double)K->t12 * G[6 + c];
            KG[6 + c] = (double)K->t12 * G[3 + c] + (double)K->t22 * G[6 + c];
        }
        for (int32_t b = 0; b < constraint->count; b++) {
            int32_t j = t->place[entry[b].block];
            if (j < 0) continue;
            double F[9], *to = t->H.val + 9 * pl_bsr_find(&t->H, i, j);
            pl_entry_rows(t->problem, constraint, entry + b, F);
            for (int e = 0; e < 9; e++) {
                const double *p = KG + e % 3, *q = F + e / 3;
                to[e] += (p[0] * q[0] + p[3] * q[3]) + p[6] * q[6];
            }
        }
    }
}

bool pl_touched_set(pl_touched *t, double sigma, const pl_stiffness *K)
{
    const pl_bsr *A = t->problem->A;
    memset(t->H.val, 0, 9 * (size_t)t->H.nnz * sizeof *t->H.val);
    for (int32_t i = 0; i < t->H.n; i++) {
        const double *from = A->val + 9 * A->diag[t->uses->block[i]];
        for (int e = 0; e < 9; e++) t->H.val[9 * t->H.diag[i] + e] = sigma * from[e];
    }
    for (int32_t k = 0; k < t->problem->n_constraint; k++) {
        bool counts = K[k].nn != 0 || K[k].t11 != 0 || K[k].t22 != 0;
        if (counts) add_contact(t, t->problem->constraint + k, K + k);
    }
    return pl_cholesky_factor(&t->factor, &t->H) == PL_OK;
}

void pl_touched_apply(const pl_touched *t, double *x)
{
    const int32_t *order = t->factor.order.block;
    for (int32_t i = 0; i < t->H.n; i++) {
        memcpy(t->x + 3 * (int64_t)i, x + 3 * (int64_t)order[i], 3 * sizeof *x);
    }
    pl_cholesky_solve(&t->factor, 0, t->H.n, 1, t->x);
    for (int32_t i = 0; i < t->H.n; i++) {
        memcpy(x + 3 * (int64_t)order[i], t->x + 3 * (int64_t)i, 3 * sizeof *x);
    }
}

void pl_touched_solve(const pl_touched *t, const float *r, float *z)
{
    const int32_t *order = t->factor.order.block;
    for (int32_t i = 0; i < t->H.n; i++) {
        const float *from = r + 3 * (int64_t)t->uses->block[order[i]];
        for (int k = 0; k < 3; k++) t->x[3 * (int64_t)i + k] = (double)from[k];
    }
    pl_cholesky_solve(&t->factor, 0, t->H.n, 1, t->x);
    for (int32_t i = 0; i < t->H.n; i++) {
        float *to = z + 3 * (int64_t)t->uses->block[order[i]];
        for (int k = 0; k < 3; k++) to[k] = (float)t->x[3 * (int64_t)i + k];
    }
}
