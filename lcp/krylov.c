// See krylov.h. GMRES is preconditioned from the right, so that the residual it lowers is that of
// A x = b itself; its basis is orthogonalized twice.

#include "krylov.h"

#include <string.h>

pl_status pl_krylov_take(int32_t n, int32_t restart, pl_arena *arena, pl_krylov *out)
{
    *out = (pl_krylov){.n = n, .restart = PL_MIN(restart, n)};
    int64_t m = out->restart;
    double **vector[4] = {&out->r, &out->z, &out->p, &out->t};
    for (int i = 0; i < 4; i++) {
        *vector[i] = pl_arena_take(arena, n, sizeof(double));
        if (*vector[i] == NULL) return PL_ERROR_MEMORY;
    }
    if (restart == 0) return PL_OK;
    out->basis = pl_arena_take(arena, (m + 1) * n, sizeof *out->basis);
    out->H = pl_arena_take(arena, (m + 1) * (m + 5), sizeof *out->H);
    return out->basis == NULL || out->H == NULL ? PL_ERROR_MEMORY : PL_OK;
}

static double dot(int32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// r := b - A x.
static double start(pl_krylov *k, pl_krylov_apply *apply, void *context, const double *b,
                    const double *x)
{
    apply(context, x, k->r);
    for (int32_t i = 0; i < k->n; i++) k->r[i] = b[i] - k->r[i];
    return sqrt(dot(k->n, k->r, k->r));
}

int32_t pl_krylov_cg(pl_krylov *k, pl_krylov_apply *apply, void *context, const double *inverse,
                     double tolerance, int32_t most, const double *b, double *x, double *residual)
{
    int32_t n = k->n, done = 1;
    double rz = 0;
    *residual = start(k, apply, context, b, x);
    memset(k->p, 0, (size_t)n * sizeof *k->p);
    for (; *residual > tolerance && done < most; done++) {
        for (int32_t i = 0; i < n; i++) k->z[i] = inverse[i] * k->r[i];
        double now = dot(n, k->r, k->z), beta = rz > 0 ? now / rz : 0;
        rz = now;
        for (int32_t i = 0; i < n; i++) k->p[i] = k->z[i] + beta * k->p[i];
        apply(context, k->p, k->t);
        double curvature = dot(n, k->p, k->t), step = rz / curvature;
        if (!(curvature > 0) || !isfinite(step)) break;
        for (int32_t i = 0; i < n; i++) {
            x[i] += step * k->p[i];
            k->r[i] -= step * k->t[i];
        }
        *residual = sqrt(dot(n, k->r, k->r));
    }
    return done;
}

// What GMRES keeps in H: columns of the triangle, and the rotations that made them.
typedef struct least_squares {
    double *R, *g, *c, *s; // (m * (m + 1)), (m + 1), (m + 1), (m + 1)
    int32_t m;
} least_squares;

static least_squares split(const pl_krylov *k)
{
    int64_t m = k->restart;
    double *g = k->H + m * (m + 1);
    return (least_squares){
        .R = k->H, .g = g, .c = g + m + 1, .s = g + 2 * (m + 1), .m = k->restart};
}

// The new column j, whose entries 0 .. j + 1 are in place, becomes one of the triangle.
static void rotate(least_squares *ls, int32_t j)
{
    double *h = ls->R + (int64_t)j * (ls->m + 1);
    for (int32_t i = 0; i < j; i++) {
        double above = ls->c[i] * h[i] + ls->s[i] * h[i + 1];
        h[i + 1] = -ls->s[i] * h[i] + ls->c[i] * h[i + 1];
        h[i] = above;
    }
    double length = hypot(h[j], h[j + 1]);
    ls->c[j] = length > 0 ? h[j] / length : 1;
    ls->s[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    ls->g[j + 1] = -ls->s[j] * ls->g[j];
    ls->g[j] *= ls->c[j];
}

// x += inverse V y with R y = g, for the first j columns.
static void combine(const pl_krylov *k, least_squares *ls, int32_t j, const double *inverse,
                    double *x)
{
    double *y = ls->c; // no longer needed
    // a column of zeros, from a singular operator, adds nothing
    for (int32_t i = j - 1; i >= 0; i--) {
        double sum = ls->g[i], pivot = ls->R[(int64_t)i * (ls->m + 1) + i];
        for (int32_t l = i + 1; l < j; l++) sum -= ls->R[(int64_t)l * (ls->m + 1) + i] * y[l];
        y[i] = pivot > 0 ? sum / pivot : 0;
    }
    for (int32_t l = 0; l < j; l++) {
        const double *v = k->basis + (int64_t)l * k->n;
        for (int32_t i = 0; i < k->n; i++) x[i] += y[l] * inverse[i] * v[i];
    }
}

// One product: the next vector of the basis. False if there is none.
static bool extend(pl_krylov *k, least_squares *ls, int32_t j, pl_krylov_apply *apply,
                   void *context, const double *inverse)
{
    int32_t n = k->n;
    const double *v = k->basis + (int64_t)j * n;
    double *next = k->basis + (int64_t)(j + 1) * n, *h = ls->R + (int64_t)j * (ls->m + 1);
    for (int32_t i = 0; i < n; i++) k->z[i] = inverse[i] * v[i];
    apply(context, k->z, next);
    double before = sqrt(dot(n, next, next));
    memset(h, 0, ((size_t)j + 2) * sizeof *h);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t l = 0; l <= j; l++) {
            const double *u = k->basis + (int64_t)l * n;
            double along = dot(n, u, next);
            h[l] += along;
            for (int32_t i = 0; i < n; i++) next[i] -= along * u[i];
        }
    }
    h[j + 1] = sqrt(dot(n, next, next));
    bool more = h[j + 1] > 1e-14 * before; // else it is rounding
    if (!more) h[j + 1] = 0;
    for (int32_t i = 0; i < n && more; i++) next[i] /= h[j + 1];
    rotate(ls, j);
    return more;
}

int32_t pl_krylov_gmres(pl_krylov *k, pl_krylov_apply *apply, void *context, const double *inverse,
                        double tolerance, int32_t most, const double *b, double *x,
                        double *residual)
{
    least_squares ls = split(k);
    int32_t done = 0;
    double before = INFINITY;
    for (;;) {
        *residual = start(k, apply, context, b, x);
        done++;
        // a cycle that gained less than this has stagnated
        bool moved = *residual < 0.999 * before;
        before = *residual;
        if (!(*residual > tolerance) || done >= most || !moved || k->n == 0) return done;
        memset(ls.g, 0, ((size_t)ls.m + 1) * sizeof *ls.g);
        ls.g[0] = *residual;
        for (int32_t i = 0; i < k->n; i++) k->basis[i] = k->r[i] / *residual;
        int32_t j = 0;
        bool more = true;
        while (more && j < ls.m && done < most && fabs(ls.g[j]) > tolerance) {
            more = extend(k, &ls, j++, apply, context, inverse);
            done++;
        }
        combine(k, &ls, j, inverse, x);
    }
}
