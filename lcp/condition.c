// Lanczos's iteration with full reorthogonalization, and the extreme eigenvalues of its tridiagonal
// matrix by bisection on Sturm's count.

#include "condition.h"

#include <string.h>

// y := M x, or M^T M x if M is not symmetric. t (n) is scratch.
static void apply(const pl_lcp *lcp, const double *restrict x, double *restrict y,
                  double *restrict t)
{
    double *restrict product = lcp->symmetric ? y : t;
    memset(product, 0, (size_t)lcp->n * sizeof *product);
    for (int32_t j = 0; j < lcp->n; j++) {
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++)
            product[lcp->row[k]] += lcp->val[k] * x[j];
    }
    for (int32_t j = 0; j < lcp->n && !lcp->symmetric; j++) {
        y[j] = 0;
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++)
            y[j] += lcp->val[k] * t[lcp->row[k]];
    }
}

static double dot(int32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// How many eigenvalues of the tridiagonal matrix (a, b), b[i] between i and i + 1, are below x.
static int32_t count_below(int32_t k, const double *a, const double *b, double x)
{
    int32_t below = 0;
    double d = 1;
    for (int32_t i = 0; i < k; i++) {
        double beside = i > 0 ? b[i - 1] * b[i - 1] / d : 0;
        d = a[i] - x - beside;
        if (d == 0) d = -1e-300;
        below += d < 0;
    }
    return below;
}

// The eigenvalue with `index` others below it.
static double eigenvalue(int32_t k, const double *a, const double *b, int32_t index)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < k; i++) { // Gershgorin's discs
        double radius = (i > 0 ? fabs(b[i - 1]) : 0) + (i + 1 < k ? fabs(b[i]) : 0);
        low = fmin(low, a[i] - radius);
        high = fmax(high, a[i] + radius);
    }
    for (int32_t halving = 0; halving < 200 && low < high; halving++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        if (count_below(k, a, b, middle) > index) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return 0.5 * (low + high);
}

// Fills a, b with the tridiagonal matrix of at most `steps` steps; V (steps * n) the basis, t (2n)
// scratch. Returns how many steps were done.
static int32_t lanczos(const pl_lcp *lcp, int32_t steps, double *V, double *t, double *a, double *b)
{
    int32_t n = lcp->n, k = 0;
    double norm = 0, scale = 0;
    for (int32_t i = 0; i < n; i++) { // no eigenvector of a regular matrix is likely to be like it
        V[i] = 1 + 0.5 * sin(1 + 1.7 * i) + 0.25 * cos(0.3 * i * (double)i);
    }
    norm = sqrt(dot(n, V, V));
    for (int32_t i = 0; i < n; i++) V[i] /= norm;
    while (k < steps) {
        double *v = V + (int64_t)k * n, *next = t;
        apply(lcp, v, next, t + n);
        a[k] = dot(n, v, next);
        for (int pass = 0; pass < 2; pass++) {
            for (int32_t j = 0; j <= k; j++) {
                const double *u = V + (int64_t)j * n;
                double along = dot(n, u, next);
                for (int32_t i = 0; i < n; i++) next[i] -= along * u[i];
            }
        }
        b[k] = sqrt(dot(n, next, next));
        scale = fmax(scale, fabs(a[k]) + b[k]);
        bool last = !(b[k] > 1e-13 * scale);
        if (++k == steps || last) break;
        for (int32_t i = 0; i < n; i++) V[(int64_t)k * n + i] = next[i] / b[k - 1];
    }
    return k;
}

pl_status pl_lcp_condition(const pl_lcp *lcp, int32_t steps, double *condition, double *least)
{
    int32_t n = lcp->n;
    *condition = 1;
    if (least != NULL) *least = 0;
    if (n == 0) return PL_OK;
    steps = PL_MIN(PL_MAX(steps, 1), n);
    double *V = pl_alloc((int64_t)steps * n + 2 * (int64_t)n + 2 * (int64_t)steps, sizeof *V);
    if (V == NULL) return PL_ERROR_MEMORY;
    double *t = V + (int64_t)steps * n, *a = t + 2 * (int64_t)n, *b = a + steps;
    int32_t k = lanczos(lcp, steps, V, t, a, b);
    double low = eigenvalue(k, a, b, 0), high = eigenvalue(k, a, b, k - 1);
    double small = fabs(low), large = fmax(fabs(low), fabs(high));
    for (int32_t i = 0; i < k && low < 0; i++) small = fmin(small, fabs(eigenvalue(k, a, b, i)));
    if (least != NULL) *least = low;
    // below this part of the largest, an eigenvalue is rounding
    bool lost = !(small > 4e-16 * n * large);
    *condition = lost ? INFINITY : lcp->symmetric ? large / small : sqrt(large / small);
    pl_free(V);
    return PL_OK;
}
