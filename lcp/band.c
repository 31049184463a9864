#include "band.h"

#include "blas.h"
#include "../base/base.h"

#include <string.h>

// Rows of a tile of products, and of triangles that are inverted row by row.
enum { TILE = 32 };

int64_t pl_band_entries(int32_t n, int32_t rho)
{
    return n * ((int64_t)rho + 1);
}

int32_t pl_band_block(int32_t n, int32_t rho)
{
    int64_t s = ((int64_t)rho + TILE - 1) / TILE * TILE;
    return (int32_t)PL_MAX(1, PL_MIN(n, PL_MAX(s, TILE)));
}

int64_t pl_band_inverse_entries(int32_t n, int32_t s)
{
    return ((int64_t)n + s - 1) / s * s * s;
}

void pl_band_start(pl_band *band, int32_t n, int32_t rho, double *val)
{
    band->n = n;
    band->rho = rho;
    band->ld = rho + 1;
    band->val = val;
    band->s = band->p = 0;
    memset(val, 0, (size_t)pl_band_entries(n, rho) * sizeof *val);
}

int32_t pl_band_factor(pl_band *band)
{
    return pl_blas_pbtrf(band->n, band->rho, band->val, band->ld);
}

void pl_band_substitute(const pl_band *band, double *b)
{
    if (band->n > 0) pl_blas_pbtrs(band->n, band->rho, band->val, band->ld, b);
}

// --- Blocks ---

// Rows in block i.
static int32_t rows_of(const pl_band *band, int32_t i)
{
    return PL_MIN(band->s, band->n - i * band->s);
}

static double *inverse_of(const pl_band *band, int32_t i)
{
    return band->inverse + (int64_t)i * band->s * band->s;
}

// A lower triangle := its inverse, by halves:
// [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1  C^-1].
static void invert_triangle(int32_t n, double *L, int32_t ld)
{
    int32_t half = n / 2, rest = n - half;
    if (n <= TILE) {
        for (int32_t j = 0; j < n; j++) {
            double *column = L + j * (int64_t)ld;
            column[j] = 1 / column[j];
            for (int32_t i = j + 1; i < n; i++) {
                double sum = 0;
                for (int32_t k = j; k < i; k++) sum += L[i + k * (int64_t)ld] * column[k];
                column[i] = -sum / L[i + i * (int64_t)ld];
            }
        }
        return;
    }
    double *corner = L + half, *last = corner + half * (int64_t)ld;
    invert_triangle(half, L, ld);
    invert_triangle(rest, last, ld);
    pl_blas_trmm(PL_BLAS_LOWER | PL_BLAS_RIGHT, rest, half, -1, L, ld, corner, ld);
    pl_blas_trmm(PL_BLAS_LOWER, rest, half, 1, last, ld, corner, ld);
}

void pl_band_invert(pl_band *band, int32_t s, double *inverse)
{
    PL_ASSERT(s >= 1 && (s >= band->rho || s >= band->n));
    band->s = s;
    band->p = (band->n + s - 1) / s;
    band->inverse = inverse;
    memset(inverse, 0, (size_t)pl_band_inverse_entries(band->n, s) * sizeof *inverse);
    for (int32_t i = 0; i < band->p; i++) {
        double *D = inverse_of(band, i);
        int32_t rows = rows_of(band, i);
        for (int32_t j = 0; j < rows; j++) {
            int32_t length = PL_MIN(band->rho + 1, rows - j);
            memcpy(D + j + (int64_t)j * s, band->val + ((int64_t)i * s + j) * band->ld,
                   (size_t)length * sizeof *D);
        }
        invert_triangle(rows, D, s);
    }
}

// T (rho * k) := C_i T or C_i^T T. With leading dimension rho, what stands beside the diagonal in
// band storage is a matrix of the usual kind: entry (a, b) of the corner of C_i is (r + a, r - rho
// + b) of L, with r the first row of block i + 1. Rows past the last are 0 there.
static void multiply_corner(pl_band *band, int32_t i, bool transposed, int32_t k, double *T)
{
    int32_t rho = band->rho;
    int64_t r = (int64_t)(i + 1) * band->s;
    const double *C = band->val + r + (r - rho) * rho;
    unsigned flags = PL_BLAS_UPPER | (transposed ? PL_BLAS_TRANSPOSED : 0);
    pl_blas_trmm(flags, rho, k, 1, C, rho, T, rho);
    band->products++;
}

// B_i+1 -= C_i B_i, or B_i -= C_i^T B_i+1.
static void pass_on(pl_band *band, int32_t i, bool back, int32_t k, double *B, double *T)
{
    int32_t rho = band->rho, n = band->n, first = (i + 1) * band->s;
    int32_t rows = PL_MIN(rho, n - first); // of block i + 1 that C_i reaches
    if (rho == 0) {
        band->products++;
        return;
    }
    for (int32_t c = 0; c < k; c++) {
        const double *from = B + (int64_t)c * n + (back ? first : first - rho);
        for (int32_t a = 0; a < rho; a++) T[a + (int64_t)c * rho] = a < rows || !back ? from[a] : 0;
    }
    multiply_corner(band, i, back, k, T);
    for (int32_t c = 0; c < k; c++) {
        double *to = B + (int64_t)c * n + (back ? first - rho : first);
        for (int32_t a = 0; a < (back ? rho : rows); a++) to[a] -= T[a + (int64_t)c * rho];
    }
}

static void multiply_inverse(pl_band *band, int32_t i, bool transposed, int32_t k, double *B)
{
    unsigned flags = PL_BLAS_LOWER | (transposed ? PL_BLAS_TRANSPOSED : 0);
    pl_blas_trmm(flags, rows_of(band, i), k, 1, inverse_of(band, i), band->s,
                 B + (int64_t)i * band->s, band->n);
    band->products++;
}

void pl_band_solve(pl_band *band, int32_t k, double *B, double *scratch)
{
    PL_ASSERT(band->s > 0 || band->n == 0);
    for (int32_t i = 0; i < band->p; i++) {
        if (i > 0) pass_on(band, i - 1, false, k, B, scratch);
        multiply_inverse(band, i, false, k, B);
    }
    for (int32_t i = band->p - 1; i >= 0; i--) {
        if (i < band->p - 1) pass_on(band, i, true, k, B, scratch);
        multiply_inverse(band, i, true, k, B);
    }
}
