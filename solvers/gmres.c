// [Saad 1993]. The residual after k steps is the smallest over the span of the preconditioned basis
// vectors.

#include "gmres.h"
#include "hessenberg.h"
#include "kernel.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

enum {
    N = PL_GMRES_STEPS,
    CHUNK_SIZE = 1 << 14, // what a thread takes at least [elements]
};

pl_status pl_gmres_create(int64_t n, pl_arena *arena, pl_gmres *out)
{
    *out = (pl_gmres){.n = n};
    for (int i = 0; i < 2 * N + 1; i++) {
        float *vector = pl_arena_take(arena, n + 1, sizeof *vector);
        if (vector == NULL) return PL_ERROR_MEMORY;
        vector[n] = 0;
        if (i <= N) {
            out->basis[i] = vector;
        } else {
            out->moved[i - N - 1] = vector;
        }
    }
    return PL_OK;
}

typedef struct combination {
    const pl_gmres *gmres;
    int k;
    const double *y;
    double *e;
} combination;

static void combine_elements(void *context, int64_t first, int64_t last)
{
    const combination *c = context;
    for (int64_t i = first; i < last; i++) {
        double sum = 0;
        for (int j = 0; j < c->k; j++) sum += c->y[j] * (double)c->gmres->moved[j][i];
        c->e[i] = sum;
    }
}

// e := the combination of the moved vectors that solves the first k columns.
static void combine(const pl_gmres *gmres, const pl_hessenberg *ls, int k, double *e)
{
    double y[N] = {0};
    pl_hessenberg_solve(ls, k, y);
    pl_loop(gmres->n, CHUNK_SIZE, combine_elements, &(combination){gmres, k, y, e});
}

int32_t pl_gmres_solve(pl_gmres *gmres, pl_gmres_apply *multiply, pl_gmres_apply *precondition,
                       void *context, double drop, int32_t steps, const double *r, double *e)
{
    int64_t n = gmres->n;
    double norm = sqrt(pl_vec_dot(n, r, r));
    memset(e, 0, (size_t)n * sizeof *e);
    if (!(norm > 0) || !isfinite(norm)) return 0;
    pl_hessenberg ls = {.g = {norm}};
    for (int64_t i = 0; i < n; i++) gmres->basis[0][i] = (float)(r[i] / norm);
    int k = 0;
    while (k < PL_MIN(steps, N) && fabs(ls.g[k]) > drop * norm) {
        float *w = gmres->basis[k + 1];
        precondition(context, gmres->basis[k], gmres->moved[k]);
        multiply(context, gmres->moved[k], w);
        for (int i = 0; i <= k; i++) {
            ls.R[k][i] = pl_vecf_dot(n, gmres->basis[i], w);
            pl_vecf_add(n, (float)-ls.R[k][i], gmres->basis[i], w);
        }
        double length = sqrt(pl_vecf_dot(n, w, w));
        if (!isfinite(length)) break;
        ls.R[k][k + 1] = length;
        pl_hessenberg_add(&ls, k++);
        if (!(length > 0)) break;
        pl_vecf_scale(n, (float)(1 / length), w);
    }
    combine(gmres, &ls, k, e);
    return k;
}
