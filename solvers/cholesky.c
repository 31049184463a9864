// Row by row ("up-looking"): row i of G solves G' g = a with G' the rows above it and a the row of
// A. Its pattern are the columns that one comes to from those of a along `parent`: eliminating a
// column joins all rows below its diagonal, so that what is in a column is in that of its first
// row, too.

#include "cholesky.h"
#include "kernel.h"

#include <math.h>
#include <string.h>

// A pivot below this part of its diagonal entry is rounding.
static const double PIVOT_MIN = 1e-14;

// --- The pattern ---

static pl_status take(const pl_bsr *A, pl_arena *arena, pl_cholesky *out)
{
    out->place = pl_arena_take(arena, A->n, sizeof *out->place);
    out->parent = pl_arena_take(arena, A->n, sizeof *out->parent);
    out->col = pl_arena_take(arena, (int64_t)A->n + 1, sizeof *out->col);
    bool all = out->place != NULL && out->parent != NULL && out->col != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_cholesky_analyze(const pl_bsr *A, const uint8_t *skip, pl_arena *arena,
                              pl_cholesky *out)
{
    *out = (pl_cholesky){0};
    PL_TRY(pl_order_create(A, skip, arena, &out->order));
    PL_TRY(take(A, arena, out));
    int32_t n = out->order.n, *seen = pl_arena_take(arena, n, sizeof *seen); // the last row
    if (seen == NULL) return PL_ERROR_MEMORY;
    for (int32_t b = 0; b < A->n; b++) out->place[b] = -1;
    for (int32_t i = 0; i < n; i++) out->place[out->order.block[i]] = i;
    memset(out->col, 0, ((size_t)n + 1) * sizeof *out->col);
    for (int32_t i = 0; i < n; i++) {
        int32_t block = out->order.block[i];
        seen[i] = i;
        out->parent[i] = -1;
        for (int64_t k = A->row[block]; k < A->row[block + 1]; k++) {
            int32_t j = out->place[A->col[k]];
            if (j < 0 || j > i) continue;
            for (; seen[j] != i; j = out->parent[j]) {
                if (out->parent[j] < 0) out->parent[j] = i;
                out->col[j + 1]++;
                seen[j] = i;
            }
        }
    }
    for (int32_t i = 0; i < n; i++) out->col[i + 1] += out->col[i];
    out->nnz = out->col[n];
    return PL_OK;
}

double pl_cholesky_bytes(const pl_cholesky *G)
{
    return (double)G->nnz * (9 * sizeof *G->val + sizeof *G->row);
}

double pl_cholesky_work_count(const pl_cholesky *G)
{
    double sum = 0;
    for (int32_t j = 0; j < G->order.n; j++) {
        double count = (double)(G->col[j + 1] - G->col[j]);
        sum += 0.5 * (count + 1) * (count + 2);
    }
    return sum;
}

// --- The values ---

// C (3 rows of 4) -= A B^T with A row-major, B column-major; of four numbers three count.
static inline void subtract_product(const double *restrict A, const double *restrict B,
                                    double *restrict C)
{
    pl_quad b0 = PL_QUAD(B), b1 = PL_QUAD(B + 3), b2 = PL_QUAD(B + 6);
    for (int i = 0; i < 3; i++) {
        const double *a = A + 3 * i;
        pl_quad c = PL_QUAD(C + 4 * i) - ((a[0] * b0 + a[1] * b1) + a[2] * b2);
        memcpy(C + 4 * i, &c, sizeof c);
    }
}

// The same for a column of n blocks: block k belongs into C[row[k]].
PL_CLONES static void subtract_column(const double *restrict A, int64_t n,
                                      const int32_t *restrict row, const double *restrict B,
                                      double *restrict C)
{
    double a[9];
    memcpy(a, A, sizeof a);
    for (int64_t k = 0; k < n; k++) subtract_product(a, B + 9 * k, C + 12 * (int64_t)row[k]);
}

// inv (9) := the inverse of the lower factor of D (3 rows of 4). False if D is not positive
// definite, or not finite; a is what D was before anything was subtracted.
static bool factor_diagonal(const double *D, const double *a, double *inv)
{
    double l00 = sqrt(D[0]), l10 = D[4] / l00, l20 = D[8] / l00, d1 = D[5] - l10 * l10;
    double l11 = sqrt(d1), l21 = (D[9] - l20 * l10) / l11, d2 = D[10] - l20 * l20 - l21 * l21;
    double l22 = sqrt(d2);
    memset(inv, 0, 9 * sizeof *inv);
    inv[0] = 1 / l00, inv[4] = 1 / l11, inv[8] = 1 / l22;
    inv[3] = -l10 * inv[0] * inv[4];
    inv[7] = -l21 * inv[4] * inv[8];
    inv[6] = -(l20 * inv[0] + l21 * inv[3]) * inv[8];
    bool positive = D[0] > PIVOT_MIN * a[0] && d1 > PIVOT_MIN * a[5] && d2 > PIVOT_MIN * a[10];
    return positive && isfinite(inv[0] + inv[4] + inv[8]) && isfinite(inv[3] + inv[6] + inv[7]);
}

pl_status pl_cholesky_take(pl_cholesky *G, pl_arena *arena)
{
    int64_t n = G->order.n;
    G->row = pl_arena_take(arena, G->nnz, sizeof *G->row);
    G->val = pl_arena_take(arena, 9 * G->nnz + 1, sizeof *G->val);
    G->inv = pl_arena_take(arena, 9 * n, sizeof *G->inv);
    G->work.x = pl_arena_take(arena, 12 * n, sizeof *G->work.x);
    G->work.stack = pl_arena_take(arena, n, sizeof *G->work.stack);
    G->work.seen = pl_arena_take(arena, n, sizeof *G->work.seen);
    G->work.filled = pl_arena_take(arena, n, sizeof *G->work.filled);
    bool all = G->row != NULL && G->val != NULL && G->inv != NULL && G->work.x != NULL &&
               G->work.stack != NULL && G->work.seen != NULL && G->work.filled != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static void reset(pl_cholesky *G)
{
    int64_t n = G->order.n;
    memset(G->work.x, 0, 12 * (size_t)n * sizeof *G->work.x);
    for (int64_t i = 0; i < n; i++) G->work.seen[i] = -1;
    if (n > 0) memcpy(G->work.filled, G->col, (size_t)n * sizeof *G->work.filled);
}

// Puts the columns of row i on the stack, each above those that it changes; returns where they
// start. x becomes the row of A, D (9) its diagonal block.
static int32_t find_row(const pl_cholesky *G, const pl_bsr *A, int32_t i, double *D)
{
    const pl_cholesky_work *w = &G->work;
    int32_t top = G->order.n, block = G->order.block[i];
    w->seen[i] = i;
    for (int64_t k = A->row[block]; k < A->row[block + 1]; k++) {
        int32_t j = G->place[A->col[k]], length = 0;
        if (j < 0 || j > i) continue;
        double *to = j == i ? D : w->x + 12 * (int64_t)j;
        for (int e = 0; e < 9; e++) to[4 * (e % 3) + e / 3] = A->val[9 * k + e];
        for (; w->seen[j] != i; j = G->parent[j]) {
            w->stack[length++] = j; // the bottom of the stack serves as a list
            w->seen[j] = i;
        }
        while (length > 0) w->stack[--top] = w->stack[--length];
    }
    return top;
}

static bool factor_row(const pl_cholesky *G, const pl_bsr *A, int32_t i)
{
    const pl_cholesky_work *w = &G->work;
    double D[12] = {0}, a[12];
    int32_t top = find_row(G, A, i, D);
    memcpy(a, D, sizeof a);
    for (; top < G->order.n; top++) {
        int32_t j = w->stack[top];
        double *x = w->x + 12 * (int64_t)j, *to = G->val + 9 * w->filled[j], g[9], gt[10] = {0};
        const double *inv = G->inv + 9 * (int64_t)j;
        for (int e = 0; e < 9; e++) { // g := x G_jj^-T
            const double *r = x + e / 3 * 4, *c = inv + e % 3 * 3;
            g[e] = (r[0] * c[0] + r[1] * c[1]) + r[2] * c[2];
            gt[e % 3 * 3 + e / 3] = g[e];
        }
        memset(x, 0, 12 * sizeof *x);
        memcpy(to, gt, 9 * sizeof *to);
        int64_t first = G->col[j];
        subtract_column(g, w->filled[j] - first, G->row + first, G->val + 9 * first, w->x);
        subtract_product(g, gt, D);
        G->row[w->filled[j]++] = i;
    }
    return factor_diagonal(D, a, G->inv + 9 * (int64_t)i);
}

pl_status pl_cholesky_factor(pl_cholesky *G, const pl_bsr *A)
{
    reset(G);
    for (int32_t i = 0; i < G->order.n; i++) {
        if (factor_row(G, A, i)) continue;
        return pl_fail(PL_ERROR_NUMERICS, "block row %d: the matrix is not positive definite",
                       G->order.block[i]);
    }
    return PL_OK;
}

// --- Solves ---

// y (3 x width) -= M x, or M^T x if `transposed`; M (9) row-major.
static inline void subtract(const double *M, bool transposed, int width, const double *x, double *y)
{
    for (int a = 0; a < 3; a++) {
        double m0 = M[transposed ? a : 3 * a], m1 = M[transposed ? 3 + a : 3 * a + 1];
        double m2 = M[transposed ? 6 + a : 3 * a + 2];
        for (int c = 0; c < width; c++) {
            y[a * width + c] -= (m0 * x[c] + m1 * x[width + c]) + m2 * x[2 * width + c];
        }
    }
}

// x := M x for a lower M, or M^T x if `transposed`.
static inline void scale(const double *M, bool transposed, int width, double *x)
{
    for (int c = 0; c < width; c++) {
        double a = x[c], b = x[width + c], d = x[2 * width + c];
        x[c] = transposed ? (M[0] * a + M[3] * b) + M[6] * d : M[0] * a;
        x[width + c] = transposed ? M[4] * b + M[7] * d : M[3] * a + M[4] * b;
        x[2 * width + c] = transposed ? M[8] * d : (M[6] * a + M[7] * b) + M[8] * d;
    }
}

static inline void solve(const pl_cholesky *G, int32_t first, int32_t last, int width, double *x)
{
    int64_t size = 3 * width;
    for (int32_t j = first; j < last; j++) {
        double *xj = x + size * (j - first);
        bool zero = true;
        for (int64_t i = 0; i < size && zero; i++) zero = xj[i] == 0;
        if (zero) continue; // as it is up to the first of the right-hand side
        scale(G->inv + 9 * (int64_t)j, false, width, xj);
        for (int64_t k = G->col[j]; k < G->col[j + 1]; k++) {
            subtract(G->val + 9 * k, true, width, xj, x + size * (G->row[k] - first));
        }
    }
    for (int32_t j = last - 1; j >= first; j--) {
        double *xj = x + size * (j - first);
        for (int64_t k = G->col[j]; k < G->col[j + 1]; k++) {
            subtract(G->val + 9 * k, false, width, x + size * (G->row[k] - first), xj);
        }
        scale(G->inv + 9 * (int64_t)j, true, width, xj);
    }
}

// The same for one column, without the first zeros.
PL_CLONES static void solve_one(const pl_cholesky *G, int32_t first, int32_t last,
                                double *restrict x)
{
    for (int32_t j = first; j < last; j++) {
        double *xj = x + 3 * (int64_t)(j - first);
        if (xj[0] == 0 && xj[1] == 0 && xj[2] == 0) continue;
        scale(G->inv + 9 * (int64_t)j, false, 1, xj);
        double x0 = xj[0], x1 = xj[1], x2 = xj[2];
        for (int64_t k = G->col[j]; k < G->col[j + 1]; k++) {
            const double *M = G->val + 9 * k;
            double *y = x + 3 * (int64_t)(G->row[k] - first);
            pl_quad by = (x0 * PL_QUAD(M) + x1 * PL_QUAD(M + 3)) + x2 * PL_QUAD(M + 6);
            for (int a = 0; a < 3; a++) y[a] -= by[a];
        }
    }
    for (int32_t j = last - 1; j >= first; j--) {
        double *xj = x + 3 * (int64_t)(j - first), s0 = xj[0], s1 = xj[1], s2 = xj[2];
        for (int64_t k = G->col[j]; k < G->col[j + 1]; k++) {
            const double *M = G->val + 9 * k, *y = x + 3 * (int64_t)(G->row[k] - first);
            s0 -= (M[0] * y[0] + M[1] * y[1]) + M[2] * y[2];
            s1 -= (M[3] * y[0] + M[4] * y[1]) + M[5] * y[2];
            s2 -= (M[6] * y[0] + M[7] * y[1]) + M[8] * y[2];
        }
        xj[0] = s0, xj[1] = s1, xj[2] = s2;
        scale(G->inv + 9 * (int64_t)j, true, 1, xj);
    }
}

void pl_cholesky_solve(const pl_cholesky *G, int32_t first, int32_t last, int width, double *x)
{
    if (width == 1) {
        solve_one(G, first, last, x);
    } else if (width == 3) { // the compiler unrolls its loops
        solve(G, first, last, 3, x);
    } else {
        solve(G, first, last, width, x);
    }
}
