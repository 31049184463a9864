// [Saad 1993]. The residual after k steps is the smallest over the span of the preconditioned basis
// vectors. Hessenberg's matrix H is triangularized by rotations as it grows, so that the norm of
// the residual is known in every step without forming it.

#include "gmres.h"
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

// A triangular system from Hessenberg's, column by column.
typedef struct least_squares {
    double R[N][N + 1]; // R[j][i]: row i of column j
    double c[N], s[N];  // rotations
    double g[N + 1];    // the right-hand side; |g[k]| is the residual after k steps
} least_squares;

static void add_column(least_squares *ls, int j)
{
    double *h = ls->R[j];
    for (int i = 0; i < j; i++) {
        double t = ls->c[i] * h[i] + ls->s[i] * h[i + 1];
        h[i + 1] = ls->c[i] * h[i + 1] - ls->s[i] * h[i];
        h[i] = t;
    }
    double length = hypot(h[j], h[j + 1]);
    ls->c[j] = length > 0 ? h[j] / length : 1;
    ls->s[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    ls->g[j + 1] = -ls->s[j] * ls->g[j];
    ls->g[j] *= ls->c[j];
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
static void combine(const pl_gmres *gmres, least_squares *ls, int k, double *e)
{
    double y[N] = {0};
    for (int i = k - 1; i >= 0; i--) {
        double sum = ls->g[i];
        for (int j = i + 1; j < k; j++) sum -= ls->R[j][i] * y[j];
        y[i] = ls->R[i][i] != 0 ? sum / ls->R[i][i] : 0;
    }
    pl_loop(gmres->n, CHUNK_SIZE, combine_elements, &(combination){gmres, k, y, e});
}

int32_t pl_gmres_solve(pl_gmres *gmres, pl_gmres_apply *multiply, pl_gmres_apply *precondition,
                       void *context, double drop, int32_t steps, const double *r, double *e)
{
    int64_t n = gmres->n;
    double norm = sqrt(pl_vec_dot(n, r, r));
    memset(e, 0, (size_t)n * sizeof *e);
    if (!(norm > 0) || !isfinite(norm)) return 0;
    least_squares ls = {.g = {norm}};
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
        add_column(&ls, k++);
        if (!(length > 0)) break;
        pl_vecf_scale(n, (float)(1 / length), w);
    }
    combine(gmres, &ls, k, e);
    return k;
}
