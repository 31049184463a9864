#include "blas.h"

#include "../base/base.h"

#include <math.h>

#ifdef PL_OPENBLAS

// As LAPACK's Fortran has them: the lengths of strings come last.
void dtrmm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *A, const int *lda, double *B,
            const int *ldb, size_t, size_t, size_t, size_t);
void dpbtrf_(const char *uplo, const int *n, const int *kd, double *ab, const int *ld, int *info,
             size_t);
void dpbtrs_(const char *uplo, const int *n, const int *kd, const int *nrhs, const double *ab,
             const int *ld, double *b, const int *ldb, int *info, size_t);

void pl_blas_trmm(unsigned flags, int32_t m, int32_t n, double scale, const double *A, int32_t lda,
                  double *B, int32_t ldb)
{
    if (m == 0 || n == 0) return;
    dtrmm_((flags & PL_BLAS_RIGHT) != 0 ? "R" : "L", (flags & PL_BLAS_UPPER) != 0 ? "U" : "L",
           (flags & PL_BLAS_TRANSPOSED) != 0 ? "T" : "N", "N", &m, &n, &scale, A, &lda, B, &ldb, 1,
           1, 1, 1);
}

int32_t pl_blas_pbtrf(int32_t n, int32_t rho, double *ab, int32_t ld)
{
    int info = 0;
    dpbtrf_("L", &n, &rho, ab, &ld, &info, 1);
    PL_ASSERT(info >= 0);
    return info == 0 ? n : info - 1;
}

void pl_blas_pbtrs(int32_t n, int32_t rho, const double *ab, int32_t ld, double *b)
{
    int info = 0;
    const int one = 1;
    dpbtrs_("L", &n, &rho, &one, ab, &ld, b, &n, &info, 1);
    PL_ASSERT(info == 0);
}

#else

// y (n) += factor x.
PL_CLONES
static void add(int32_t n, double factor, const double *restrict x, double *restrict y)
{
    for (int32_t i = 0; i < n; i++) y[i] += factor * x[i];
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

// b (m) := scale op(A) b.
static void trmv(unsigned flags, int32_t m, double scale, const double *A, int64_t lda, double *b)
{
    bool upper = (flags & PL_BLAS_UPPER) != 0, transposed = (flags & PL_BLAS_TRANSPOSED) != 0;
    for (int32_t at = 0; at < m; at++) {
        // so that no entry is overwritten before its last use
        int32_t j = upper == transposed ? m - 1 - at : at;
        int32_t from = upper ? 0 : j + 1, n = upper ? j : m - 1 - j;
        const double *column = A + j * lda;
        double bj = b[j];
        b[j] = scale * column[j] * bj;
        if (transposed) {
            b[j] += scale * dot(n, column + from, b + from);
        } else {
            add(n, scale * bj, column + from, b + from);
        }
    }
}

void pl_blas_trmm(unsigned flags, int32_t m, int32_t n, double scale, const double *A, int32_t lda,
                  double *B, int32_t ldb)
{
    if ((flags & PL_BLAS_RIGHT) == 0) {
        for (int32_t k = 0; k < n; k++) trmv(flags, m, scale, A, lda, B + k * (int64_t)ldb);
        return;
    }
    for (int32_t j = 0; j < n; j++) {
        const double *column = A + j * (int64_t)lda;
        double *to = B + j * (int64_t)ldb;
        for (int32_t i = 0; i < m; i++) to[i] *= scale * column[j];
        for (int32_t k = j + 1; k < n; k++) add(m, scale * column[k], B + k * (int64_t)ldb, to);
    }
}

int32_t pl_blas_pbtrf(int32_t n, int32_t rho, double *ab, int32_t ld)
{
    for (int32_t j = 0; j < n; j++) {
        double *column = ab + j * (int64_t)ld;
        int32_t below = PL_MIN(rho, n - 1 - j);
        if (!(column[0] > 0)) return j;
        column[0] = sqrt(column[0]);
        for (int32_t i = 1; i <= below; i++) column[i] /= column[0];
        for (int32_t i = 1; i <= below; i++) {
            add(below - i + 1, -column[i], column + i, ab + (j + i) * (int64_t)ld);
        }
    }
    return n;
}

void pl_blas_pbtrs(int32_t n, int32_t rho, const double *ab, int32_t ld, double *b)
{
    for (int32_t j = 0; j < n; j++) {
        const double *column = ab + j * (int64_t)ld;
        b[j] /= column[0];
        add(PL_MIN(rho, n - 1 - j), -b[j], column + 1, b + j + 1);
    }
    for (int32_t j = n - 1; j >= 0; j--) {
        const double *column = ab + j * (int64_t)ld;
        b[j] = (b[j] - dot(PL_MIN(rho, n - 1 - j), column + 1, b + j + 1)) / column[0];
    }
}

#endif
