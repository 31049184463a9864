// Small dense matrices. The two factorizations work in panels of columns: a panel is factored by
// columns, then all that is right of it changes at once, in tiles that stay in registers.

#include "dense.h"

#include "../base/base.h"

#include <math.h>
#include <string.h>

// A tile of 8 * 6 is 12 registers of four doubles, or 6 of eight.
enum { PANEL = 48, TILE_ROWS = 8, TILE_COLS = 6, BLOCK_COLS = 60 };

typedef double lane __attribute__((vector_size(64), aligned(8), may_alias));

// The tile C (rows * cols) -= A B, with A (TILE_ROWS * k) by columns and B (k * TILE_COLS) by rows,
// both padded.
static inline void tile(int32_t rows, int32_t cols, int32_t k, const double *restrict a,
                        const double *restrict b, double *restrict c, int64_t ld)
{
    lane sum[TILE_COLS] = {{0}};
    double out[TILE_COLS][TILE_ROWS];
    for (int32_t p = 0; p < k; p++, a += TILE_ROWS, b += TILE_COLS) {
        lane column = *(const lane *)a;
        for (int32_t j = 0; j < TILE_COLS; j++) sum[j] += column * b[j];
    }
    memcpy(out, sum, sizeof out);
    for (int32_t j = 0; j < cols; j++) {
        for (int32_t i = 0; i < rows; i++) c[i + j * ld] -= out[j][i];
    }
}

// packed: tiles of `height` rows of A (rows * k), each by columns; entry (i, p) of A at a[i *
// step_i
// + p * step_p]. Rows that are missing in the last tile are 0.
static void pack(int32_t rows, int32_t k, int32_t height, const double *a, int64_t step_i,
                 int64_t step_p, double *packed)
{
    for (int32_t first = 0; first < rows; first += height) {
        for (int32_t p = 0; p < k; p++) {
            for (int32_t i = first; i < first + height; i++) {
                *packed++ = i < rows ? a[i * step_i + p * step_p] : 0;
            }
        }
    }
}

// C (m * n) -= A B with A (m * k), k <= PANEL, and B (k * n), whose entry (p, j) is at b[p * step_p
// + j * step_j]; all of one matrix with leading dimension ld. `lower`: what is above the diagonal
// of C is left as it is, or not, by tiles. Both are packed, as columns that are a power of two
// apart would push each other out of the cache.
PL_CLONES
static void multiply_into(int32_t m, int32_t n, int32_t k, const double *a, int64_t ld,
                          const double *b, int64_t step_p, int64_t step_j, bool lower, double *c)
{
    double columns[BLOCK_COLS * PANEL], rows[TILE_ROWS * PANEL];
    for (int32_t block = 0; block < n; block += BLOCK_COLS) {
        int32_t n_block = PL_MIN(BLOCK_COLS, n - block);
        pack(n_block, k, TILE_COLS, b + block * step_j, step_j, step_p, columns);
        for (int32_t i = lower ? block / TILE_ROWS * TILE_ROWS : 0; i < m; i += TILE_ROWS) {
            int32_t n_row = PL_MIN(TILE_ROWS, m - i);
            pack(n_row, k, TILE_ROWS, a + i, 1, ld, rows);
            for (int32_t j = 0; j < n_block; j += TILE_COLS) {
                if (lower && block + j >= i + TILE_ROWS) break;
                tile(n_row, PL_MIN(TILE_COLS, n_block - j), k, rows, columns + j * k,
                     c + i + (block + j) * ld, ld);
            }
        }
    }
}

// y (n) -= factor x.
PL_CLONES
static void subtract(int32_t n, double factor, const double *restrict x, double *restrict y)
{
    for (int32_t i = 0; i < n; i++) y[i] -= factor * x[i];
}

// In eight sums, which are added in order.
PL_CLONES
static double dot(int32_t n, const double *restrict x, const double *restrict y)
{
    double part[8] = {0}, sum = 0;
    int32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int32_t c = 0; c < 8; c++) part[c] += x[i + c] * y[i + c];
    }
    for (; i < n; i++) sum += x[i] * y[i];
    for (int32_t c = 0; c < 8; c++) sum += part[c];
    return sum;
}

// --- Cholesky ---

int32_t pl_dense_cholesky(int32_t n, double *A, int64_t ld, double *least)
{
    for (int32_t k = 0; k < n; k++) least[k] = fmax(0, PL_DENSE_PIVOT * A[k + k * ld]);
    for (int32_t at = 0; at < n; at += PANEL) {
        int32_t end = PL_MIN(n, at + PANEL);
        for (int32_t k = at; k < end; k++) {
            double *column = A + k * ld;
            for (int32_t p = at; p < k; p++) {
                subtract(n - k, A[k + p * ld], A + k + p * ld, column + k);
            }
            if (!(column[k] > least[k])) return k;
            column[k] = sqrt(column[k]);
            double inverse = 1 / column[k];
            for (int32_t i = k + 1; i < n; i++) column[i] *= inverse;
        }
        // A_ij -= sum over the panel of L_ip L_jp
        multiply_into(n - end, n - end, end - at, A + end + at * ld, ld, A + end + at * ld, ld, 1,
                      true, A + end + end * ld);
    }
    return n;
}

void pl_dense_forward(int32_t n, const double *L, int64_t ld, double *b)
{
    for (int32_t k = 0; k < n; k++) {
        b[k] /= L[k + k * ld];
        subtract(n - k - 1, b[k], L + k + 1 + k * ld, b + k + 1);
    }
}

void pl_dense_backward(int32_t n, const double *L, int64_t ld, double *b)
{
    for (int32_t k = n - 1; k >= 0; k--) {
        b[k] = (b[k] - dot(n - k - 1, L + k + 1 + k * ld, b + k + 1)) / L[k + k * ld];
    }
}

void pl_dense_cholesky_solve(int32_t n, const double *L, int64_t ld, double *b)
{
    pl_dense_forward(n, L, ld, b);
    pl_dense_backward(n, L, ld, b);
}

bool pl_dense_cholesky_append(int32_t n, double *L, int64_t ld, double *a)
{
    pl_dense_forward(n, L, ld, a);
    double pivot = a[n] - dot(n, a, a);
    if (!(pivot > PL_DENSE_PIVOT * a[n]) || !(pivot > 0)) return false;
    for (int32_t j = 0; j < n; j++) L[n + j * ld] = a[j];
    L[n + n * ld] = sqrt(pivot);
    return true;
}

// L' L'^T = L L^T without row k: below it, columns k + 1.. become those of L33 L33^T + l l^T, with
// l the rest of column k, by rotations. [Lef20, Alg. 2.3] calls it a downdate; as a sum it cannot
// break down.
PL_CLONES
static void rotate(int32_t n, double c, double s, double *restrict column, double *restrict l)
{
    for (int32_t i = 0; i < n; i++) {
        double a = column[i], b = l[i];
        column[i] = c * a + s * b;
        l[i] = c * b - s * a;
    }
}

void pl_dense_cholesky_remove(int32_t n, double *L, int64_t ld, int32_t k)
{
    double *l = L + k * ld;
    for (int32_t j = k + 1; j < n; j++) {
        double *column = L + j * ld;
        double a = column[j], b = l[j], r = hypot(a, b);
        rotate(n - j, a / r, b / r, column + j, l + j);
        column[j] = r;
    }
    for (int32_t j = 0; j < k; j++) { // row k goes
        memmove(L + k + j * ld, L + k + 1 + j * ld, (size_t)(n - k - 1) * sizeof *L);
    }
    for (int32_t j = k; j < n - 1; j++) {
        memmove(L + j + j * ld, L + j + 1 + (j + 1) * ld, (size_t)(n - j - 1) * sizeof *L);
    }
}

// --- LU ---

static void swap_rows(int32_t n, double *A, int64_t ld, int32_t a, int32_t b)
{
    if (a == b) return;
    for (int32_t j = 0; j < n; j++) {
        double swap = A[a + j * ld];
        A[a + j * ld] = A[b + j * ld];
        A[b + j * ld] = swap;
    }
}

static double largest(int32_t n, const double *x)
{
    double most = 0;
    for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// Column k of a panel that begins at `at`, with rows above n; false: no pivot is above `least`.
static bool factor_column(int32_t n, double *A, int64_t ld, int32_t k, int32_t at, double least,
                          int32_t *pivot)
{
    double *column = A + k * ld;
    for (int32_t p = at; p < k; p++) {
        subtract(n - p - 1, column[p], A + p + 1 + p * ld, column + p + 1);
    }
    int32_t best = k;
    for (int32_t i = k + 1; i < n; i++) best = fabs(column[i]) > fabs(column[best]) ? i : best;
    if (!(fabs(column[best]) > least)) return false;
    pivot[k] = best;
    swap_rows(n, A, ld, k, best);
    double inverse = 1 / column[k];
    for (int32_t i = k + 1; i < n; i++) column[i] *= inverse;
    return true;
}

int32_t pl_dense_lu(int32_t n, double *A, int64_t ld, int32_t *pivot, double *least)
{
    for (int32_t k = 0; k < n; k++) least[k] = PL_DENSE_PIVOT * largest(n, A + k * ld);
    for (int32_t at = 0; at < n; at += PANEL) {
        int32_t end = PL_MIN(n, at + PANEL);
        for (int32_t k = at; k < end; k++) {
            if (!factor_column(n, A, ld, k, at, least[k], pivot)) return k;
        }
        for (int32_t j = end; j < n; j++) { // the rows of the panel: U
            for (int32_t p = at; p < end; p++) {
                subtract(end - p - 1, A[p + j * ld], A + p + 1 + p * ld, A + p + 1 + j * ld);
            }
        }
        multiply_into(n - end, n - end, end - at, A + end + at * ld, ld, A + at + end * ld, 1, ld,
                      false, A + end + end * ld);
    }
    return n;
}

void pl_dense_lu_solve(int32_t n, const double *A, int64_t ld, const int32_t *pivot, double *b)
{
    for (int32_t k = 0; k < n; k++) {
        double swap = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = swap;
    }
    for (int32_t k = 0; k < n; k++) subtract(n - k - 1, b[k], A + k + 1 + k * ld, b + k + 1);
    for (int32_t k = n - 1; k >= 0; k--) {
        b[k] /= A[k + k * ld];
        subtract(k, b[k], A + k * ld, b);
    }
}
