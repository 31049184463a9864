// An iteration is three passes: q = A p with p . q; r and the preconditioned residual with their
// sums; x and p. The update of x waits for the third, which reads p anyway. What an iteration must
// touch is then A, M and the vectors p (twice), q (twice), r and x.

#include "cg.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

pl_cg_options pl_cg_options_default(void)
{
    return (pl_cg_options){.tolerance = 1e-6, .max_iterations = 1000};
}

pl_status pl_cg_create(int32_t n, pl_cg *out)
{
    int64_t size = 3 * (int64_t)n;
    *out = (pl_cg){n, pl_alloc(size, sizeof(double)), pl_alloc(size, sizeof(double)),
                   pl_alloc(size, sizeof(double))};
    if (out->r != NULL && out->p != NULL && out->q != NULL) return PL_OK;
    pl_cg_free(out);
    return PL_ERROR_MEMORY;
}

void pl_cg_free(pl_cg *cg)
{
    pl_free(cg->r);
    pl_free(cg->p);
    pl_free(cg->q);
    *cg = (pl_cg){0};
}

// --- The start ---

enum { CHUNK_ROWS = 1024 }; // what a thread takes at least

typedef struct choice {
    const uint8_t *fixed;
    bool prescribed;
    const double *from;
    double *to;
    _Atomic bool any;
} choice;

static void pick_some(void *context, int64_t first, int64_t last)
{
    choice *c = context;
    bool any = false;
    for (int64_t i = first; i < last; i++) {
        bool pick = (c->fixed != NULL && c->fixed[i]) == c->prescribed;
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
            c->to[k] = pick ? c->from[k] : 0;
            any = any || c->to[k] != 0;
        }
    }
    if (any) c->any = true;
}

// to := from in the block rows that are fixed (if `prescribed`) or free (if not), 0 in the others.
// Returns whether anything is not 0.
static bool pick_rows(int32_t n, const uint8_t *fixed, bool prescribed, const double *from,
                      double *to)
{
    choice c = {fixed, prescribed, from, to, false};
    pl_loop(n, CHUNK_ROWS, pick_some, &c);
    return c.any;
}

// r := r - A x, where x is what `prescribed` picks.
static void subtract(pl_cg *cg, const pl_bsr *A, const uint8_t *fixed, bool prescribed,
                     const double *x)
{
    if (!pick_rows(cg->n, fixed, prescribed, x, cg->p)) return;
    pl_bsr_multiply(A, cg->p, cg->q);
    pl_vec_add(3 * (int64_t)cg->n, -1, cg->q, cg->r);
}

static void clear_fixed(int32_t n, const uint8_t *fixed, double *r)
{
    for (int64_t i = 0; fixed != NULL && i < n; i++) {
        if (fixed[i]) memset(r + 3 * i, 0, 3 * sizeof *r);
    }
}

// r := b - A x in the free rows, 0 in the fixed ones. Returns b' . b' (see pl_cg_stats).
static double start(pl_cg *cg, const pl_bsr *A, const double *b, const uint8_t *fixed,
                    const double *x)
{
    int64_t size = 3 * (int64_t)cg->n;
    memcpy(cg->r, b, (size_t)size * sizeof *b);
    if (fixed != NULL) subtract(cg, A, fixed, true, x);
    clear_fixed(cg->n, fixed, cg->r);
    double bb = pl_vec_dot(size, cg->r, cg->r);
    subtract(cg, A, fixed, false, x);
    clear_fixed(cg->n, fixed, cg->r);
    return bb;
}

// --- The iterations ---

static bool is_late(const pl_cg_options *options, double started)
{
    return options->max_seconds > 0 && pl_seconds() - started > options->max_seconds;
}

static pl_cg_end iterate(pl_cg *cg, const pl_bsr *A, const pl_block_jacobi *M, const uint8_t *fixed,
                         const pl_cg_options *options, double bb, double *x, pl_cg_stats *stats)
{
    int64_t size = 3 * (int64_t)cg->n;
    double *r = cg->r, *p = cg->p, *q = cg->q;
    pl_block_jacobi_apply(M, r, p);
    pl_residual_sums sums = {pl_vec_dot(size, r, r), pl_vec_dot(size, r, p)};
    double goal = options->tolerance * options->tolerance * bb, started = pl_seconds();
    for (;; stats->iterations++) {
        if (!isfinite(sums.rr + sums.rz + bb)) return PL_CG_NOT_FINITE;
        stats->residual = sqrt(sums.rr / bb);
        if (sums.rr <= goal) return PL_CG_CONVERGED;
        if (stats->iterations == options->max_iterations) return PL_CG_LIMIT;
        if (is_late(options, started)) return PL_CG_TIME;
        double curvature = pl_bsr_multiply_dot(A, p, q);
        if (!isfinite(curvature)) return PL_CG_NOT_FINITE;
        if (curvature <= 0) return PL_CG_INDEFINITE;
        double alpha = sums.rz / curvature, old = sums.rz;
        sums = pl_block_jacobi_step(M, fixed, alpha, r, q);
        // A step that is not finite must not reach x; the check above then ends the loop.
        if (isfinite(sums.rr)) pl_vec_advance(size, alpha, sums.rz / old, q, p, x);
    }
}

static pl_status report(const pl_cg_stats *stats, const pl_cg_options *options)
{
    switch (stats->end) {
    case PL_CG_CONVERGED:
        return PL_OK;
    case PL_CG_LIMIT:
    case PL_CG_TIME:
        return pl_fail(
            PL_ERROR_NUMERICS,
            "conjugate gradients reached a residual of %.3g, not %.3g, in %d iterations: "
            "allow more, or take smaller steps",
            stats->residual, options->tolerance, stats->iterations);
    case PL_CG_INDEFINITE:
        return pl_fail(PL_ERROR_NUMERICS,
                       "conjugate gradients, iteration %d: the matrix is not positive definite",
                       stats->iterations);
    case PL_CG_NOT_FINITE:
        break;
    }
    return pl_fail(PL_ERROR_NUMERICS, "conjugate gradients, iteration %d: a number is not finite",
                   stats->iterations);
}

pl_status pl_cg_solve(pl_cg *cg, const pl_bsr *A, const pl_block_jacobi *M, const double *b,
                      const uint8_t *fixed, const pl_cg_options *options, double *x,
                      pl_cg_stats *stats)
{
    PL_ASSERT(cg->n == A->n && M->n == A->n);
    *stats = (pl_cg_stats){PL_CG_CONVERGED, 0, 0};
    double bb = start(cg, A, b, fixed, x);
    if (bb == 0) { // no scale to measure by, but the solution is known: 0 in the free rows
        pick_rows(cg->n, fixed, true, x, cg->p);
        memcpy(x, cg->p, 3 * (size_t)cg->n * sizeof *x);
        memset(cg->r, 0, 3 * (size_t)cg->n * sizeof *x);
        return PL_OK;
    }
    stats->end = iterate(cg, A, M, fixed, options, bb, x, stats);
    return report(stats, options);
}
