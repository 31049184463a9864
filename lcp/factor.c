// Removing row i leaves, below it, L33' L33'^T = L33 L33^T + l l^T with l its column: an update by
// a sum, which cannot break down [Lef20, Alg. 2.3, which calls it a downdate]. It is made of
// rotations [Gill et al. 1974], or reflections for a few rows at once, not of the three products of
// the listing (whose line 16 lacks a factor sqrt(z) / y): those subtract l_k / L_kk times a column,
// which cancels where the pivot is small against l, as with a compliance of 1e-10; these never
// enlarge anything.
//
// A removed column is skipped when a removal comes to it, also one that is removed together with
// it: below it there stand as many columns to be added as rows were removed. What stands in removed
// rows is never looked at, so that rows can be removed in any order.

#include "factor.h"

#include <string.h>

// A pivot below this part of its diagonal entry is rounding.
static const double PIVOT_MIN = 1e-15;

// Columns that are made together, from as many at a time of those before them, so that both stay in
// the caches: with 800 rows, of 2.5 MB, it takes a quarter of the time of one by one.
enum { BLOCK = 16 };

pl_status pl_factor_take(pl_factor *L, const pl_skyline *skyline, pl_arena *arena)
{
    int32_t n = skyline->n;
    *L = (pl_factor){.skyline = skyline};
    L->removed = pl_arena_take(arena, n, sizeof *L->removed);
    L->val = pl_arena_take(arena, skyline->col[n], sizeof *L->val);
    L->scratch = pl_arena_take(arena, (int64_t)PL_FACTOR_BATCH * n, sizeof *L->scratch);
    L->x = pl_arena_take(arena, n, sizeof *L->x);
    if (L->removed == NULL || L->val == NULL || L->scratch == NULL || L->x == NULL) {
        return PL_ERROR_MEMORY;
    }
    memset(L->scratch, 0, (size_t)(PL_FACTOR_BATCH * n) * sizeof *L->scratch);
    return PL_OK;
}

// --- Factoring ---

// y (n) -= a x.
PL_CLONES static void subtract(int64_t n, double a, const double *restrict x, double *restrict y)
{
    for (int64_t i = 0; i < n; i++) y[i] -= a * x[i];
}

// y (n) -= the sum of a[c] x[c] over four columns.
PL_CLONES static void subtract4(int64_t n, const double *restrict a, const double *const *x,
                                double *restrict y)
{
    const double *restrict x0 = x[0], *restrict x1 = x[1], *restrict x2 = x[2], *restrict x3 = x[3];
    double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int64_t i = 0; i < n; i++) {
        y[i] -= (a0 * x0[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
    }
}

PL_CLONES static void scale(int64_t n, double a, double *restrict x)
{
    for (int64_t i = 0; i < n; i++) x[i] *= a;
}

// Up to four columns that reach row j, to be subtracted from column j at once.
typedef struct group {
    int32_t n, shortest; // the least of their last rows
    int32_t last[4];
    double a[4];
    const double *x[4]; // at row j
} group;

static void subtract_group(pl_factor *L, int32_t j, double *y, const group *g)
{
    int64_t common = 0;
    if (g->n == 4) {
        common = g->shortest - j + 1;
        subtract4(common, g->a, g->x, y);
    }
    for (int32_t c = 0; c < g->n; c++) {
        int64_t length = g->last[c] - j + 1;
        L->factored += (double)length;
        if (length > common) subtract(length - common, g->a[c], g->x[c] + common, y + common);
    }
}

// Subtracts from column j what the columns from .. to - 1 before it say.
static void subtract_columns(pl_factor *L, int32_t j, int32_t from, int32_t to)
{
    const pl_skyline *s = L->skyline;
    double *y = L->val + s->col[j];
    group g = {.shortest = s->n};
    for (int32_t k = from; k < to; k++) {
        if (s->last[k] < j) continue;
        const double *x = L->val + s->col[k] + j - k;
        if (*x == 0) continue; // within the skyline, and it may reach farther than column j
        g.a[g.n] = *x;
        g.x[g.n] = x;
        g.last[g.n++] = s->last[k];
        g.shortest = PL_MIN(g.shortest, s->last[k]);
        if (g.n < 4) continue;
        subtract_group(L, j, y, &g);
        g = (group){.shortest = s->n};
    }
    subtract_group(L, j, y, &g);
}

// Puts column j of M into that of L; returns the first column that reaches row j.
static int32_t load_column(pl_factor *L, const pl_lcp *lcp, const int32_t *place, int32_t j)
{
    const pl_skyline *s = L->skyline;
    int32_t at = s->row[j], first = j;
    double *y = L->val + s->col[j];
    memset(y, 0, (size_t)(s->col[j + 1] - s->col[j]) * sizeof *y);
    for (int64_t k = lcp->col[at]; k < lcp->col[at + 1]; k++) {
        int32_t i = place[lcp->row[k]];
        if (i >= j) y[i - j] = lcp->val[k];
        if (i >= 0 && i < first) first = i;
    }
    return first;
}

// The columns first .. last - 1, once M is in them. from: the first columns that reach their rows.
static bool factor_block(pl_factor *L, int32_t first, int32_t last, const int32_t *from)
{
    const pl_skyline *s = L->skyline;
    int32_t least = first;
    for (int32_t j = first; j < last; j++) least = PL_MIN(least, from[j - first]);
    for (int32_t k = least; k < first; k += BLOCK) {
        int32_t to = PL_MIN(k + BLOCK, first);
        for (int32_t j = first; j < last; j++) {
            subtract_columns(L, j, PL_MAX(k, from[j - first]), to);
        }
    }
    for (int32_t j = first; j < last; j++) {
        double *y = L->val + s->col[j], a = L->x[j];
        subtract_columns(L, j, PL_MAX(first, from[j - first]), j);
        if (!(y[0] > PIVOT_MIN * a) || !isfinite(y[0])) return false;
        y[0] = sqrt(y[0]);
        scale(s->last[j] - j, 1 / y[0], y + 1);
        L->factored += s->last[j] - j;
    }
    return true;
}

bool pl_factor_make(pl_factor *L, const pl_lcp *lcp, const double *shift, const pl_skyline *skyline,
                    const int32_t *place)
{
    int32_t from[BLOCK];
    L->skyline = skyline;
    L->n_removed = 0;
    memset(L->removed, 0, (size_t)skyline->n * sizeof *L->removed);
    for (int32_t first = 0; first < skyline->n; first += BLOCK) {
        int32_t last = PL_MIN(first + BLOCK, skyline->n);
        for (int32_t j = first; j < last; j++) {
            double *y = L->val + skyline->col[j];
            from[j - first] =
                load_column(L, lcp, place, j); // row j of L begins where that of M does
            if (shift != NULL) y[0] += shift[skyline->row[j]];
            L->x[j] = y[0];
        }
        if (!factor_block(L, first, last, from)) return false;
    }
    return true;
}

// --- Removing ---

// The rotation with cosine c and sine s that joins a row's entry of L and of sigma.
PL_CLONES static void rotate(int64_t n, double c, double s, double *restrict L,
                             double *restrict sigma)
{
    for (int64_t i = 0; i < n; i++) {
        double l = L[i], x = sigma[i];
        L[i] = c * l + s * x;
        sigma[i] = c * x - s * l;
    }
}

// The reflection 1 - tau w w^T, w (1 + PL_FACTOR_BATCH), that joins a row's entries of L and of
// PL_FACTOR_BATCH sigmas.
PL_CLONES static void reflect(int64_t n, double tau, const double *w, double *restrict L,
                              double *restrict a, double *restrict b, double *restrict c,
                              double *restrict d)
{
    double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4];
    for (int64_t i = 0; i < n; i++) {
        double by = tau * ((w0 * L[i] + (w1 * a[i] + w2 * b[i])) + (w3 * c[i] + w4 * d[i]));
        L[i] -= by * w0;
        a[i] -= by * w1;
        b[i] -= by * w2;
        c[i] -= by * w3;
        d[i] -= by * w4;
    }
}

// Column k of L takes up what sigmas (PL_FACTOR_BATCH) have there, x; n_x of these are not 0.
static void take_up(pl_factor *L, int32_t k, int32_t n_x, const double *x, double *const *sigma)
{
    const pl_skyline *s = L->skyline;
    double *column = L->val + s->col[k], squared = 0, l = column[0];
    int64_t n = s->last[k] - k;
    int only = 0;
    for (int j = 0; j < PL_FACTOR_BATCH; j++) {
        squared += x[j] * x[j];
        if (x[j] != 0) only = j;
    }
    double r = sqrt(l * l + squared), length = sqrt(squared);
    column[0] = r;
    L->rotated += 4.0 * n_x * (double)(n + 1);
    L->steps++;
    if (n_x == 1) {
        rotate(n, l / r, x[only] / r, column + 1, sigma[only] + k + 1);
        return;
    }
    if (length == 0) return; // too small to be squared
    double w[1 + PL_FACTOR_BATCH] = {-length / (l + r)};
    for (int j = 0; j < PL_FACTOR_BATCH; j++) w[1 + j] = x[j] / length;
    reflect(n, 2 / (1 + w[0] * w[0]), w, column + 1, sigma[0] + k + 1, sigma[1] + k + 1,
            sigma[2] + k + 1, sigma[3] + k + 1);
}

// PL_FACTOR_BATCH rows at most, which are marked.
static void remove_some(pl_factor *L, int32_t n, const int32_t *at)
{
    const pl_skyline *s = L->skyline;
    double *sigma[PL_FACTOR_BATCH];
    for (int j = 0; j < PL_FACTOR_BATCH; j++) sigma[j] = L->scratch + (int64_t)j * s->n;
    int32_t begun = 0;
    // From one column that there is something in to the next: of one row they are the way from
    // parent to parent.
    for (int32_t k = at[0]; k >= 0 && k < s->n; k = n == 1 ? s->parent[k] : k + 1) {
        double x[PL_FACTOR_BATCH];
        int32_t n_x = 0;
        for (int j = 0; j < PL_FACTOR_BATCH; j++) {
            x[j] = sigma[j][k];
            sigma[j][k] = 0;
            n_x += x[j] != 0;
        }
        if (begun < n && k == at[begun]) {
            size_t size = (size_t)(s->last[k] - k) * sizeof **sigma;
            memcpy(sigma[begun++] + k + 1, L->val + s->col[k] + 1, size);
        } else if (n_x > 0 && !L->removed[k]) {
            take_up(L, k, n_x, x, sigma);
        }
    }
}

void pl_factor_remove(pl_factor *L, int32_t n, const int32_t *at)
{
    for (int32_t i = 0; i < n; i++) L->removed[at[i]] = 1;
    L->n_removed += n;
    for (int32_t i = 0; i < n; i += PL_FACTOR_BATCH)
        remove_some(L, PL_MIN(PL_FACTOR_BATCH, n - i), at + i);
}

void pl_factor_copy(pl_factor *to, const pl_factor *from)
{
    const pl_skyline *s = from->skyline;
    to->skyline = s;
    to->n_removed = from->n_removed;
    memcpy(to->removed, from->removed, (size_t)s->n * sizeof *to->removed);
    memcpy(to->val, from->val, (size_t)s->col[s->n] * sizeof *to->val);
    to->copied += (double)s->col[s->n];
}

// --- Solving ---

// In four sums, whose order is that of the entries.
PL_CLONES static double dot(int64_t n, const double *restrict x, const double *restrict y)
{
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int64_t c = 0; c < 4; c++) sum[c] += x[i + c] * y[i + c];
    }
    for (; i < n; i++) sum[i % 4] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// [Lef20, Alg. 2.6]; a column includes its last row, and backward means descending.
void pl_factor_solve(const pl_factor *L, double *x)
{
    const pl_skyline *s = L->skyline;
    for (int32_t i = 0; i < s->n; i++) L->x[i] = L->removed[i] ? 0 : x[s->row[i]];
    for (int32_t k = 0; k < s->n; k++) {
        if (L->removed[k] || L->x[k] == 0) continue;
        const double *column = L->val + s->col[k];
        L->x[k] /= column[0];
        subtract(s->last[k] - k, L->x[k], column + 1, L->x + k + 1);
    }
    for (int32_t k = s->n - 1; k >= 0; k--) {
        if (L->removed[k]) {
            L->x[k] = 0;
            continue;
        }
        const double *column = L->val + s->col[k];
        L->x[k] = (L->x[k] - dot(s->last[k] - k, column + 1, L->x + k + 1)) / column[0];
        x[s->row[k]] = L->x[k];
    }
}

double pl_factor_distance(const pl_factor *L, const pl_factor *fresh)
{
    double most = 0, largest = 0;
    int32_t n = L->skyline->n;
    for (int32_t k = 0, b = 0; k < n; k++) {
        if (L->removed[k]) continue;
        for (int32_t i = k, a = b; i < n; i++) {
            if (L->removed[i]) continue;
            double is = pl_factor_at(fresh, a++, b);
            most = fmax(most, fabs(pl_factor_at(L, i, k) - is));
            largest = fmax(largest, fabs(is));
        }
        b++;
    }
    return largest > 0 ? most / largest : most;
}
