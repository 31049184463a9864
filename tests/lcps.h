// Linear complementarity problems for tests: dense ones at random, their solutions by enumeration.

#ifndef PL_TEST_LCPS_H
#define PL_TEST_LCPS_H

#include "../lcp/lcp.h"
#include "matrices.h"

// A problem that owns its arrays. `dense` is M once more, column by column.
typedef struct own_lcp {
    pl_lcp lcp;
    double *dense, *val, *q, *lo, *hi;
    int64_t *col;
    int32_t *row;
} own_lcp;

// From a dense matrix (n*n, column by column), whose zeros are left out off the diagonal; bounds 0
// .. INFINITY.
static inline own_lcp own_lcp_make(int32_t n, const double *M, const double *q)
{
    own_lcp own = {0};
    size_t nn = (size_t)n * (size_t)n;
    own.dense = malloc((nn + 1) * sizeof(double));
    own.val = malloc((nn + 1) * sizeof(double));
    own.row = malloc((nn + 1) * sizeof(int32_t));
    own.col = malloc(((size_t)n + 1) * sizeof(int64_t));
    own.q = malloc(((size_t)n + 1) * sizeof(double));
    own.lo = malloc(((size_t)n + 1) * sizeof(double));
    own.hi = malloc(((size_t)n + 1) * sizeof(double));
    memcpy(own.dense, M, nn * sizeof(double));
    own.col[0] = 0;
    bool symmetric = true;
    for (int32_t j = 0; j < n; j++) {
        int64_t at = own.col[j];
        for (int32_t i = 0; i < n; i++) {
            symmetric = symmetric && M[i + j * n] == M[j + i * n];
            if (M[i + j * n] == 0 && i != j) continue;
            own.row[at] = i;
            own.val[at++] = M[i + j * n];
        }
        own.col[j + 1] = at;
        own.q[j] = q[j];
        own.lo[j] = 0;
        own.hi[j] = INFINITY;
    }
    own.lcp = (pl_lcp){.n = n,
                       .col = own.col,
                       .row = own.row,
                       .val = own.val,
                       .symmetric = symmetric,
                       .q = own.q,
                       .lo = own.lo,
                       .hi = own.hi};
    return own;
}

static inline void own_lcp_free(own_lcp *own)
{
    free(own->dense), free(own->val), free(own->q), free(own->lo), free(own->hi);
    free(own->col), free(own->row);
    *own = (own_lcp){0};
}

// B B^T / n + shift I with random B (n*rank): symmetric, positive definite for shift > 0.
static inline own_lcp random_spd_lcp(int32_t n, int32_t rank, double shift)
{
    double *B = random_vector((int64_t)n * rank), *q = random_vector(n);
    double *M = calloc((size_t)n * (size_t)n + 1, sizeof *M);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i <= j; i++) {
            double sum = i == j ? shift : 0;
            for (int32_t k = 0; k < rank; k++) sum += B[i + k * n] * B[j + k * n] / n;
            M[i + j * n] = M[j + i * n] = sum;
        }
    }
    own_lcp own = own_lcp_make(n, M, q);
    free(B), free(q), free(M);
    return own;
}

// Bounds of all kinds: free, unilateral, boxes of random size, fixed.
static inline void random_bounds(own_lcp *own)
{
    for (int32_t i = 0; i < own->lcp.n; i++) {
        double a = random_number(), b = random_number();
        switch (random_bits() % 5) {
        case 0:
            own->lo[i] = -INFINITY, own->hi[i] = INFINITY;
            break;
        case 1:
            own->lo[i] = 0, own->hi[i] = INFINITY;
            break;
        case 2:
            own->lo[i] = -INFINITY, own->hi[i] = a;
            break;
        case 3:
            own->lo[i] = PL_MIN(a, b), own->hi[i] = PL_MAX(a, b);
            break;
        default:
            own->lo[i] = -0.1 * fabs(a), own->hi[i] = 0.1 * fabs(b);
        }
    }
}

// x := the solution of the dense system K x = b, by Gauss with pivoting; false: K is singular.
static inline bool solve_dense(int32_t n, double *K, double *b)
{
    for (int32_t k = 0; k < n; k++) {
        int32_t p = k;
        for (int32_t i = k; i < n; i++) p = fabs(K[i + k * n]) > fabs(K[p + k * n]) ? i : p;
        if (fabs(K[p + k * n]) < 1e-13) return false;
        for (int32_t j = 0; j < n; j++) {
            double swap = K[k + j * n];
            K[k + j * n] = K[p + j * n];
            K[p + j * n] = swap;
        }
        double swap = b[k];
        b[k] = b[p], b[p] = swap;
        for (int32_t i = k + 1; i < n; i++) {
            double factor = K[i + k * n] / K[k + k * n];
            for (int32_t j = k; j < n; j++) K[i + j * n] -= factor * K[k + j * n];
            b[i] -= factor * b[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < n; j++) b[k] -= K[k + j * n] * b[j];
        b[k] /= K[k + k * n];
    }
    return true;
}

// Tries the set with code `code`, three states a row: free, at lo, at hi.
static inline bool try_set(const own_lcp *own, int64_t code, double tol, double *x)
{
    int32_t n = own->lcp.n, n_free = 0;
    int32_t index[16], state[16];
    double K[256], b[16];
    for (int32_t i = 0; i < n; i++, code /= 3) {
        state[i] = (int32_t)(code % 3);
        x[i] = state[i] == 1 ? own->lo[i] : state[i] == 2 ? own->hi[i] : 0;
        if (!isfinite(x[i]) || (state[i] == 2 && own->lo[i] == own->hi[i])) return false;
        if (state[i] == 0) index[n_free++] = i;
    }
    for (int32_t r = 0; r < n_free; r++) {
        b[r] = -own->q[index[r]];
        for (int32_t j = 0; j < n; j++) {
            if (state[j] != 0) b[r] -= own->dense[index[r] + j * n] * x[j];
        }
        for (int32_t c = 0; c < n_free; c++)
            K[r + c * n_free] = own->dense[index[r] + index[c] * n];
    }
    if (!solve_dense(n_free, K, b)) return false;
    for (int32_t r = 0; r < n_free; r++) {
        x[index[r]] = b[r];
        if (b[r] < own->lo[index[r]] - tol || b[r] > own->hi[index[r]] + tol) return false;
    }
    for (int32_t i = 0; i < n; i++) {
        double w = own->q[i];
        if (state[i] == 0 || own->lo[i] == own->hi[i]) continue;
        for (int32_t j = 0; j < n; j++) w += own->dense[i + j * n] * x[j];
        if ((state[i] == 1 && w < -tol) || (state[i] == 2 && w > tol)) return false;
    }
    return true;
}

// The oracle: x (n) := a solution, n <= 12; returns how many different ones there are, found by
// trying all sets [Erl13, "Guessing"]. Those with singular sets are not seen.
static inline int32_t enumerate(const own_lcp *own, double *x)
{
    int32_t n = own->lcp.n, found = 0;
    int64_t n_code = 1;
    double trial[16];
    for (int32_t i = 0; i < n; i++) n_code *= 3;
    for (int64_t code = 0; code < n_code; code++) {
        if (!try_set(own, code, 1e-10, trial)) continue;
        double away = 0;
        for (int32_t i = 0; i < n && found > 0; i++) away = fmax(away, fabs(trial[i] - x[i]));
        if (found > 0 && away < 1e-8) continue;
        if (found++ == 0) memcpy(x, trial, (size_t)n * sizeof *x);
    }
    return found;
}

#endif
