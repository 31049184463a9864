#include "contact_matrix.h"

#include <string.h>

// --- The pattern ---

// What the rows of the pattern are listed with.
typedef struct lister {
    const pl_problem *problem;
    const pl_uses *uses;
    int32_t *mark; // (n) the last row that met a block
    int32_t *list; // (n) the columns of a row, in no order
    int32_t *used; // (n) the place of a block in `uses`, -1 if no contact has it
} lister;

// The columns of row i; returns how many.
static int32_t list_columns(const lister *l, int32_t i)
{
    const pl_problem *problem = l->problem;
    const pl_bsr *A = problem->A;
    int32_t n = 0, use = l->used[i];
    l->mark[i] = i;
    l->list[n++] = i;
    if (pl_is_prescribed(problem, i)) return n;
    for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
        int32_t j = A->col[k];
        if (l->mark[j] == i || pl_is_prescribed(problem, j)) continue;
        l->mark[j] = i;
        l->list[n++] = j;
    }
    if (use < 0) return n;
    for (int32_t u = l->uses->start[use]; u < l->uses->start[use + 1]; u++) {
        const pl_constraint *constraint = problem->constraint + l->uses->use[u].constraint;
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            int32_t j = problem->entry[t].block;
            if (l->mark[j] == i || pl_is_prescribed(problem, j)) continue;
            l->mark[j] = i;
            l->list[n++] = j;
        }
    }
    return n;
}

static pl_status start_lister(const pl_problem *problem, const pl_uses *uses, pl_arena *arena,
                              lister *l)
{
    int32_t n = problem->A->n;
    l->problem = problem, l->uses = uses;
    l->mark = pl_arena_take(arena, n, sizeof *l->mark);
    l->list = pl_arena_take(arena, n, sizeof *l->list);
    l->used = pl_arena_take(arena, n, sizeof *l->used);
    if (l->mark == NULL || l->list == NULL || l->used == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) l->mark[i] = l->used[i] = -1;
    for (int32_t i = 0; i < uses->n; i++) l->used[uses->block[i]] = i;
    return PL_OK;
}

// Each block is written into the rows of its neighbours, so that all have their columns in order.
static pl_status find_pattern(pl_contact_matrix *M, const pl_uses *uses, pl_arena *arena)
{
    lister l;
    pl_bsr *H = &M->H;
    int32_t n = M->problem->A->n;
    PL_TRY(start_lister(M->problem, uses, arena, &l));
    int64_t *end = pl_arena_take(arena, n, sizeof *end); // of each row so far
    H->n = n;
    H->row = pl_arena_take(arena, (int64_t)n + 1, sizeof *H->row);
    H->diag = pl_arena_take(arena, n, sizeof *H->diag);
    if (end == NULL || H->row == NULL || H->diag == NULL) return PL_ERROR_MEMORY;
    H->row[0] = 0;
    for (int32_t i = 0; i < n; i++) H->row[i + 1] = H->row[i] + list_columns(&l, i);
    H->nnz = H->row[n];
    H->col = pl_arena_take(arena, H->nnz, sizeof *H->col);
    if (H->col == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) l.mark[i] = -1, end[i] = H->row[i];
    for (int32_t i = 0; i < n; i++) {
        int32_t n_col = list_columns(&l, i);
        for (int32_t k = 0; k < n_col; k++) H->col[end[l.list[k]]++] = i;
    }
    for (int32_t i = 0; i < n; i++) H->diag[i] = pl_bsr_find(H, i, i);
    return PL_OK;
}

// Where the blocks of A and those of contacts stand.
static pl_status find_places(pl_contact_matrix *M, pl_arena *arena)
{
    const pl_problem *problem = M->problem;
    const pl_bsr *A = problem->A;
    const int32_t *place = M->factor.place; // the factor reads no more than what is below
    M->of_A = pl_arena_take(arena, A->nnz, sizeof *M->of_A);
    M->start = pl_arena_take(arena, (int64_t)problem->n_constraint + 1, sizeof *M->start);
    if (M->of_A == NULL || M->start == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < A->n; i++) {
        for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
            int32_t row = place[i], col = place[A->col[k]];
            M->of_A[k] = col >= 0 && row >= col ? pl_bsr_find(&M->H, i, A->col[k]) : -1;
        }
    }
    M->start[0] = 0;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        int64_t count = problem->constraint[k].count;
        M->start[k + 1] = M->start[k] + count * count;
    }
    M->of_pair = pl_arena_take(arena, M->start[problem->n_constraint], sizeof *M->of_pair);
    if (M->of_pair == NULL) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        const pl_entry *entry = problem->entry + constraint->first;
        int64_t *to = M->of_pair + M->start[k];
        for (int32_t a = 0; a < constraint->count; a++) {
            for (int32_t b = 0; b < constraint->count; b++) {
                int32_t row = place[entry[a].block], col = place[entry[b].block];
                bool counts = col >= 0 && row >= col; // else it is prescribed, or above
                *to++ = counts ? pl_bsr_find(&M->H, entry[a].block, entry[b].block) : -1;
            }
        }
    }
    return PL_OK;
}

pl_status pl_contact_matrix_create(const pl_problem *problem, const pl_uses *uses, pl_arena *arena,
                                   pl_contact_matrix *out)
{
    *out = (pl_contact_matrix){.problem = problem};
    PL_TRY(find_pattern(out, uses, arena));
    return pl_cholesky_analyze(&out->H, problem->prescribed, arena, &out->factor);
}

pl_status pl_contact_matrix_take(pl_contact_matrix *M, pl_arena *arena)
{
    PL_TRY(find_places(M, arena));
    M->H.val = pl_arena_take(arena, 9 * M->H.nnz, sizeof *M->H.val);
    M->x = pl_arena_take(arena, 3 * (int64_t)M->H.n, sizeof *M->x);
    if (M->H.val == NULL || M->x == NULL) return PL_ERROR_MEMORY;
    return pl_cholesky_take(&M->factor, arena);
}

// --- The values ---

// Rows of so many terms are made once; of what a contact has more, for each pair.
enum { KEPT_TERMS = 8 };

// H += Ga^T D Gb for all pairs of a contact's blocks. Blocks stand column by column.
static void add_contact(const pl_contact_matrix *M, int32_t k, const pl_sym3 *D)
{
    const pl_constraint *constraint = M->problem->constraint + k;
    const pl_entry *entry = M->problem->entry + constraint->first;
    const int64_t *place = M->of_pair + M->start[k];
    double kept[9 * KEPT_TERMS];
    for (int32_t a = 0; a < constraint->count && a < KEPT_TERMS; a++) {
        pl_entry_rows(M->problem, constraint, entry + a, kept + 9 * a);
    }
    for (int32_t a = 0; a < constraint->count; a++) {
        double own[9], other[9], DG[9], *G = a < KEPT_TERMS ? kept + 9 * a : own;
        if (a >= KEPT_TERMS) pl_entry_rows(M->problem, constraint, entry + a, G);
        for (int c = 0; c < 3; c++) {
            DG[c] = (D->nn * G[c] + D->n1 * G[3 + c]) + D->n2 * G[6 + c];
            DG[3 + c] = (D->n1 * G[c] + D->t11 * G[3 + c]) + D->t12 * G[6 + c];
            DG[6 + c] = (D->n2 * G[c] + D->t12 * G[3 + c]) + D->t22 * G[6 + c];
        }
        for (int32_t b = 0; b < constraint->count; b++, place++) {
            if (*place < 0) continue;
            double *F = b < KEPT_TERMS ? kept + 9 * b : other, *to = M->H.val + 9 * *place;
            if (b >= KEPT_TERMS) pl_entry_rows(M->problem, constraint, entry + b, F);
            for (int e = 0; e < 9; e++) {
                const double *p = DG + e % 3, *q = F + e / 3;
                to[e] += (p[0] * q[0] + p[3] * q[3]) + p[6] * q[6];
            }
        }
    }
}

bool pl_contact_matrix_set(pl_contact_matrix *M, const pl_sym3 *D)
{
    const pl_bsr *A = M->problem->A;
    memset(M->H.val, 0, 9 * (size_t)M->H.nnz * sizeof *M->H.val);
    for (int64_t k = 0; k < A->nnz; k++) {
        if (M->of_A[k] >= 0) {
            memcpy(M->H.val + 9 * M->of_A[k], A->val + 9 * k, 9 * sizeof *A->val);
        }
    }
    for (int32_t k = 0; k < M->problem->n_constraint; k++) {
        bool counts = D[k].nn != 0 || D[k].t11 != 0 || D[k].t22 != 0;
        if (counts) add_contact(M, k, D + k);
    }
    return pl_cholesky_factor(&M->factor, &M->H) == PL_OK;
}

void pl_contact_matrix_solve(const pl_contact_matrix *M, const double *r, double *x)
{
    const pl_order *order = &M->factor.order;
    for (int32_t i = 0; i < order->n; i++) {
        memcpy(M->x + 3 * (int64_t)i, r + 3 * (int64_t)order->block[i], 3 * sizeof *r);
    }
    pl_cholesky_solve(&M->factor, 0, order->n, 1, M->x);
    memset(x, 0, 3 * (size_t)M->H.n * sizeof *x);
    for (int32_t i = 0; i < order->n; i++) {
        memcpy(x + 3 * (int64_t)order->block[i], M->x + 3 * (int64_t)i, 3 * sizeof *x);
    }
}
