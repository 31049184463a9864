#include "block_jacobi.h"

#include <math.h>

enum {
    PART_ROWS = 512,   // at least: fewer are not worth a thread's attention
    CHUNK_ROWS = 1024, // what a thread takes at least
    AHEAD = 8,         // rows
};

// A pivot of Cholesky that is below this fraction of its diagonal entry is rounding, not stiffness.
static const double PIVOT_MIN = 1e-14;

pl_status pl_block_jacobi_create(int32_t n, pl_block_jacobi *out)
{
    *out = (pl_block_jacobi){n, pl_alloc_zero(6 * (int64_t)n, sizeof(double))};
    if (out->inv != NULL) return PL_OK;
    out->n = 0;
    return PL_ERROR_MEMORY;
}

void pl_block_jacobi_free(pl_block_jacobi *M)
{
    pl_free(M->inv);
    *M = (pl_block_jacobi){0};
}

// inv (6) := the inverse of a (9, column-major, lower triangle) by a = L D L^T, inv = L^-T D^-1
// L^-1. False if a is not positive definite, or not finite.
static bool invert(const double *a, double *inv)
{
    double d0 = a[0];
    double l10 = a[1] / d0, l20 = a[2] / d0;
    double d1 = a[4] - l10 * a[1];
    double t = a[5] - l20 * a[1];
    double l21 = t / d1;
    double d2 = a[8] - l20 * a[2] - l21 * t;
    if (!(d0 > 0 && d1 > PIVOT_MIN * a[4] && d2 > PIVOT_MIN * a[8])) return false;
    double m20 = l10 * l21 - l20; // of L^-1; the others are -l10 and -l21
    double i0 = 1 / d0, i1 = 1 / d1, i2 = 1 / d2;
    inv[5] = i2;
    inv[4] = -l21 * i2;
    inv[3] = i1 + l21 * l21 * i2;
    inv[2] = m20 * i2;
    inv[1] = -l10 * i1 - l21 * inv[2];
    inv[0] = i0 + l10 * l10 * i1 + m20 * inv[2];
    return isfinite(d0 + d1 + d2) && isfinite(inv[0] + inv[3] + inv[5]);
}

typedef struct inversion {
    const pl_bsr *A;
    double *inv;
    _Atomic int32_t bad; // the first
} inversion;

static void invert_rows(void *context, int64_t first, int64_t last)
{
    inversion *to = context;
    const pl_bsr *A = to->A;
    for (int32_t i = (int32_t)first; i < last; i++) {
        const double *later = A->val + 9 * A->diag[PL_MIN(i + AHEAD, A->n - 1)];
        __builtin_prefetch(later); // diagonal blocks are far from each other (3x)
        __builtin_prefetch(later + 8);
        if (!invert(A->val + 9 * A->diag[i], to->inv + 6 * (int64_t)i)) pl_lower(&to->bad, i);
    }
}

pl_status pl_block_jacobi_update(pl_block_jacobi *M, const pl_bsr *A)
{
    PL_ASSERT(M->n == A->n);
    inversion inv = {A, M->inv, A->n};
    pl_loop(A->n, CHUNK_ROWS, invert_rows, &inv);
    if (inv.bad == A->n) return PL_OK;
    return pl_fail(PL_ERROR_NUMERICS, "block row %d: the diagonal block is not positive definite",
                   (int)inv.bad);
}

// Named: at -O2 the compiler keeps an array in memory, where each sum waits for its last store
// (5x).
typedef struct triple {
    double x, y, z;
} triple;

static inline triple multiply(const double *m, triple r)
{
    return (triple){(m[0] * r.x + m[1] * r.y) + m[2] * r.z, (m[1] * r.x + m[3] * r.y) + m[4] * r.z,
                    (m[2] * r.x + m[4] * r.y) + m[5] * r.z};
}

typedef struct application {
    const double *inv, *r;
    double *z;
} application;

static void apply_rows(void *context, int64_t first, int64_t last)
{
    const application *a = context;
    for (int64_t i = first; i < last; i++) {
        const double *r = a->r + 3 * i;
        double *z = a->z + 3 * i;
        triple zi = multiply(a->inv + 6 * i, (triple){r[0], r[1], r[2]});
        z[0] = zi.x, z[1] = zi.y, z[2] = zi.z;
    }
}

void pl_block_jacobi_apply(const pl_block_jacobi *M, const double *r, double *z)
{
    pl_loop(M->n, CHUNK_ROWS, apply_rows, &(application){M->inv, r, z});
}

// Rows first .. last - 1.
static pl_residual_sums step_rows(const pl_block_jacobi *M, const uint8_t *fixed, double alpha,
                                  int64_t first, int64_t last, double *restrict r,
                                  double *restrict q)
{
    triple rr = {0, 0, 0}, rz = {0, 0, 0};
    for (int64_t i = first; i < last; i++) {
        double *ri = r + 3 * i, *qi = q + 3 * i;
        triple s = {ri[0] - alpha * qi[0], ri[1] - alpha * qi[1], ri[2] - alpha * qi[2]};
        if (fixed != NULL && fixed[i]) s = (triple){0, 0, 0};
        triple z = multiply(M->inv + 6 * i, s);
        ri[0] = s.x, ri[1] = s.y, ri[2] = s.z;
        qi[0] = z.x, qi[1] = z.y, qi[2] = z.z;
        rr.x += s.x * s.x, rr.y += s.y * s.y, rr.z += s.z * s.z;
        rz.x += s.x * z.x, rz.y += s.y * z.y, rz.z += s.z * z.z;
    }
    return (pl_residual_sums){(rr.x + rr.y) + rr.z, (rz.x + rz.y) + rz.z};
}

typedef struct step_loop {
    const pl_block_jacobi *M;
    const uint8_t *fixed;
    double alpha;
    int64_t size; // of a part [rows]
    double *r, *q;
    pl_residual_sums *part;
} step_loop;

static void step_parts(void *context, int64_t first, int64_t last)
{
    const step_loop *l = context;
    for (int64_t p = first; p < last; p++) {
        int64_t from = p * l->size, to = PL_MIN(from + l->size, l->M->n);
        l->part[p] = step_rows(l->M, l->fixed, l->alpha, from, to, l->r, l->q);
    }
}

pl_residual_sums pl_block_jacobi_step(const pl_block_jacobi *M, const uint8_t *fixed, double alpha,
                                      double *r, double *q)
{
    pl_residual_sums part[PL_MAX_PARTS];
    int64_t n = M->n, size = pl_part_size(n, PART_ROWS), n_part = (n + size - 1) / size;
    pl_loop(n_part, PL_MAX(1, CHUNK_ROWS / size), step_parts,
            &(step_loop){M, fixed, alpha, size, r, q, part});
    pl_residual_sums sums = {0, 0};
    for (int64_t p = 0; p < n_part; p++) {
        sums.rr += part[p].rr;
        sums.rz += part[p].rz;
    }
    return sums;
}
