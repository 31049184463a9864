#include "schurpa.h"

#include "dense.h"

#include <string.h>

pl_status pl_schurpa_create(const pl_lcp *lcp, int32_t max_solves, int64_t column_bytes,
                            pl_arena *arena, pl_schurpa *out)
{
    int32_t n = lcp->n;
    *out = (pl_schurpa){.lcp = lcp, .max_solves = max_solves};
    int64_t room = column_bytes / ((int64_t)sizeof(double) * PL_MAX(n, 1));
    int64_t most = PL_MAX(1, PL_MIN(PL_MIN(room, max_solves), n));
    out->most_columns = (int32_t)most;
    PL_TRY(pl_saddle_create(lcp, max_solves > 0, arena, &out->K));
    out->base = pl_arena_take(arena, n, sizeof *out->base);
    out->c = pl_arena_take(arena, n, sizeof *out->c);
    out->b = pl_arena_take(arena, n, sizeof *out->b);
    out->v = pl_arena_take(arena, n, sizeof *out->v);
    out->r = pl_arena_take(arena, n, sizeof *out->r);
    out->y = pl_arena_take(arena, n, sizeof *out->y);
    out->slot = pl_arena_take(arena, n, sizeof *out->slot);
    out->fresh = pl_arena_take(arena, n, sizeof *out->fresh);
    out->row = pl_arena_take(arena, most, sizeof *out->row);
    out->column = pl_arena_take(arena, most, sizeof *out->column);
    out->C = pl_arena_take(arena, most * most, sizeof *out->C);
    out->LU = pl_arena_take(arena, most * most, sizeof *out->LU);
    out->pi = pl_arena_take(arena, most, sizeof *out->pi);
    out->least = pl_arena_take(arena, most, sizeof *out->least);
    out->pivot = pl_arena_take(arena, most, sizeof *out->pivot);
    if (out->base == NULL || out->c == NULL || out->b == NULL || out->v == NULL || out->r == NULL ||
        out->y == NULL || out->slot == NULL || out->fresh == NULL || out->row == NULL ||
        out->column == NULL || out->C == NULL || out->LU == NULL || out->pi == NULL ||
        out->least == NULL || out->pivot == NULL) {
        return PL_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < most; i++) out->column[i] = NULL;
    for (int32_t i = 0; i < n; i++) out->slot[i] = -1;
    pl_schurpa_set_rhs(out);
    return PL_OK;
}

void pl_schurpa_set_rhs(pl_schurpa *S)
{
    for (int32_t i = 0; i < S->lcp->n; i++) S->c[i] = -S->lcp->q[i];
    S->has_v = false;
}

void pl_schurpa_reset(pl_schurpa *S)
{
    S->resets += S->has_factor;
    S->has_factor = false;
}

// --- Columns ---

static double bound_of(const pl_lcp *lcp, const uint8_t *state, int32_t i)
{
    return state[i] == PL_LCP_AT_HI ? lcp->hi[i] : lcp->lo[i];
}

// Is row i tight in one of the sets and free in the other?
static bool differs(const pl_schurpa *S, const uint8_t *state, int32_t i)
{
    return (S->base[i] == PL_LCP_FREE) != (state[i] == PL_LCP_FREE);
}

// The last column takes the place of the one that goes.
static void delete_column(pl_schurpa *S, int32_t i)
{
    int32_t at = S->slot[i], last = --S->n_column, most = S->most_columns;
    double *freed = S->column[at], *C = S->C;
    S->slot[S->row[last]] = at;
    S->slot[i] = -1;
    S->row[at] = S->row[last];
    S->column[at] = S->column[last];
    S->column[last] = freed;
    for (int32_t k = 0; k <= last; k++) C[at + k * (int64_t)most] = C[last + k * (int64_t)most];
    for (int32_t k = 0; k <= last; k++) C[k + at * (int64_t)most] = C[k + last * (int64_t)most];
}

static void delete_columns(pl_schurpa *S, const uint8_t *state)
{
    for (int32_t k = S->n_column - 1; k >= 0; k--) {
        if (!differs(S, state, S->row[k])) delete_column(S, S->row[k]);
    }
}

// -U_i^T R_k for the columns of slots i and k. Both ways are the same, as K_0 is symmetric; that by
// a row that became tight needs no product with M.
static double entry_of_C(const pl_schurpa *S, int32_t i, int32_t k)
{
    int32_t a = S->row[i], b = S->row[k];
    if (S->base[a] == PL_LCP_FREE) return -S->column[k][a];
    if (S->base[b] == PL_LCP_FREE) return -S->column[i][b];
    return pl_saddle_row(&S->K, a, S->column[k]);
}

static pl_status add_columns(pl_schurpa *S, int32_t n_fresh)
{
    int32_t from = S->n_column;
    for (int32_t k = 0; k < n_fresh; k++) {
        double **column = &S->column[from + k];
        if (*column == NULL) *column = pl_arena_take(S->K.arena, S->lcp->n, sizeof **column);
        if (*column == NULL) return PL_ERROR_MEMORY;
        S->row[from + k] = S->fresh[k];
        S->slot[S->fresh[k]] = from + k;
    }
    pl_saddle_columns(&S->K, n_fresh, S->fresh, S->column + from);
    S->n_column += n_fresh;
    S->n_solve += n_fresh;
    S->columns += n_fresh;
    for (int32_t k = from; k < S->n_column; k++) {
        for (int32_t i = 0; i <= k; i++) {
            double entry = entry_of_C(S, i, k);
            S->C[i + k * (int64_t)S->most_columns] = entry;
            S->C[k + i * (int64_t)S->most_columns] = entry;
        }
    }
    return PL_OK;
}

// --- Solves ---

static pl_status factor(pl_schurpa *S, const uint8_t *state, pl_lcp_end *end)
{
    int32_t n = S->lcp->n;
    memcpy(S->base, state, (size_t)n * sizeof *state);
    for (int32_t i = 0; i < n; i++) S->slot[i] = -1;
    S->n_column = 0;
    S->n_solve = 1; // for v
    S->has_v = false;
    PL_TRY(pl_saddle_factor(&S->K, state, end));
    S->has_factor = *end == PL_LCP_N_END;
    return PL_OK;
}

// Lists the rows that need new columns; false: it is time for a reset.
static bool list_fresh(pl_schurpa *S, const uint8_t *state, int32_t *n_fresh)
{
    int32_t count = 0;
    for (int32_t i = 0; i < S->lcp->n; i++) {
        if (differs(S, state, i) && S->slot[i] < 0) S->fresh[count++] = i;
    }
    *n_fresh = count;
    if (count == 0) return true;
    int32_t all = S->n_column + count;
    return S->n_solve + count <= S->max_solves && all <= S->most_columns && all <= S->K.n_free;
}

// v for the b_0 of `state`; rows that became free keep what they had, or their bound in A_0.
static void solve_v(pl_schurpa *S, const uint8_t *state)
{
    bool same = S->has_v;
    for (int32_t i = 0; i < S->lcp->n; i++) {
        if (S->base[i] == PL_LCP_FREE) continue;
        bool tight = state[i] != PL_LCP_FREE;
        if (!tight && S->has_v) continue;
        double bound = bound_of(S->lcp, tight ? state : S->base, i);
        same = same && bound == S->b[i];
        S->b[i] = bound;
    }
    if (same) return;
    pl_saddle_solve(&S->K, S->c, S->b, S->v, NULL);
    S->has_v = true;
}

// x := y - R pi with C pi = w - U^T y, where y (n) is the part x of K_0^-1 (c; b_0). `c` is that of
// y, and w the bounds, or 0 where `state` is NULL. False: C is singular.
static bool border(pl_schurpa *S, const double *c, const uint8_t *state, const double *y, double *x)
{
    int32_t m = S->n_column, n = S->lcp->n;
    for (int32_t k = 0; k < m; k++) {
        int32_t i = S->row[k];
        memcpy(S->LU + k * (int64_t)m, S->C + k * (int64_t)S->most_columns,
               (size_t)m * sizeof *S->C);
        if (S->base[i] == PL_LCP_FREE) {
            S->pi[k] = (state != NULL ? bound_of(S->lcp, state, i) : 0) - y[i];
        } else {
            S->pi[k] = pl_saddle_row(&S->K, i, y) - c[i]; // minus its multiplier
        }
    }
    if (pl_dense_lu(m, S->LU, m, S->pivot, S->least) < m) return false;
    pl_dense_lu_solve(m, S->LU, m, S->pivot, S->pi);
    if (x != y) memcpy(x, y, (size_t)n * sizeof *x);
    for (int32_t k = 0; k < m; k++) {
        for (int32_t i = 0; i < n; i++) x[i] -= S->column[k][i] * S->pi[k];
    }
    return true;
}

static void tighten(const pl_lcp *lcp, const uint8_t *state, double *x)
{
    for (int32_t i = 0; i < lcp->n; i++) {
        if (state[i] != PL_LCP_FREE) x[i] = bound_of(lcp, state, i);
    }
}

pl_status pl_schurpa_solve(pl_schurpa *S, const uint8_t *state, double *x, pl_lcp_end *end)
{
    int32_t n_fresh = 0;
    *end = PL_LCP_N_END;
    if (S->has_factor && S->max_solves > 0) {
        delete_columns(S, state);
        if (list_fresh(S, state, &n_fresh)) {
            PL_TRY(add_columns(S, n_fresh));
            solve_v(S, state);
            if (border(S, S->c, state, S->v, x)) {
                tighten(S->lcp, state, x);
                return PL_OK;
            }
        }
        S->resets++;
    }
    PL_TRY(factor(S, state, end));
    if (*end != PL_LCP_N_END) return PL_OK;
    solve_v(S, state);
    memcpy(x, S->v, (size_t)S->lcp->n * sizeof *x);
    return PL_OK;
}

void pl_schurpa_refine(pl_schurpa *S, const uint8_t *state, const double *w, double *x)
{
    int32_t n = S->lcp->n;
    for (int32_t i = 0; i < n; i++) {
        S->r[i] = state[i] == PL_LCP_FREE ? -w[i] : 0;
        S->y[i] = 0;
    }
    pl_saddle_solve(&S->K, S->r, S->y, S->y, NULL);
    if (!border(S, S->r, NULL, S->y, S->y)) return;
    for (int32_t i = 0; i < n; i++) x[i] += state[i] == PL_LCP_FREE ? S->y[i] : 0;
}
