// The cycle of multigrid.h: contacts on all levels, smoothers, and the way down and up again.
//
// The smoother of a level is Jacobi's method with a block-diagonal matrix, twice which lies above
// what it stands for. 2 sigma D does so for A. A contact adds k (sum_i y_i)^2, with y_i what its
// block or group i does; for any s_i > 0,
//     (sum_i y_i)^2 <= sum_i a_i y_i^2,    a_i = sum_j s_j / s_i,
// so that a_i times the contact's own matrix in the block i, added to it, is above the contact's
// part. With s_i the size of its row there, small shares stay small.

#include "bsr_single.h"
#include "grid.h"

#include <math.h>
#include <string.h>

enum {
    W = PL_GRID_WIDTH,
    M = PL_GRID_MODES,
    // What a thread takes at least: blocks of A, and groups of them.
    CHUNK_BLOCKS = 4096,
    CHUNK_GROUPS = 256,
    CHUNK_RESTRICTED = 64, // groups, with all their blocks
};

// --- Small matrices ---

// Cholesky's factor of a symmetric matrix (n*n), row by row, in its lower triangle; false if it is
// not positive definite.
static bool factorize(int32_t n, double *A)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            const double *x = A + i * n, *y = A + j * n;
            double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            int64_t k = 0;
            for (; k + 4 <= j; k += 4) {
                s0 += x[k] * y[k], s1 += x[k + 1] * y[k + 1];
                s2 += x[k + 2] * y[k + 2], s3 += x[k + 3] * y[k + 3];
            }
            for (; k < j; k++) s0 += x[k] * y[k];
            double d = A[i * n + j] - ((s0 + s1) + (s2 + s3));
            if (i == j) {
                if (!(d > 0)) return false;
                A[i * n + i] = sqrt(d);
            } else {
                A[i * n + j] = d / A[j * n + j];
            }
        }
    }
    return true;
}

static void solve_factored(int32_t n, const double *L, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        double s = 0;
        for (int64_t k = 0; k < i; k++) s += L[i * n + k] * x[k];
        x[i] = (x[i] - s) / L[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] /= L[i * n + i];
        for (int64_t k = 0; k < i; k++) x[k] -= L[i * n + k] * x[i];
    }
}

void pl_grid_invert(const double *matrix, float *inverse)
{
    double L[M * M];
    memcpy(L, matrix, sizeof L);
    memset(inverse, 0, M * W * sizeof *inverse);
    if (!factorize(M, L)) { // leave out what couples, and what is not positive
        for (int m = 0; m < M; m++) {
            double d = matrix[(M + 1) * m];
            inverse[(W + 1) * m] = d > 0 ? (float)(0.5 / d) : 0;
        }
        return;
    }
    for (int c = 0; c < M; c++) {
        double x[M] = {0};
        x[c] = 1;
        solve_factored(M, L, x);
        for (int m = 0; m < M; m++) inverse[W * c + m] = (float)x[m];
    }
}

// --- Products ---

void pl_multigrid_multiply(const pl_multigrid *mg, const float *x, float *y)
{
    pl_single_multiply(mg->problem->A, mg->A, x, y);
}

PL_CLONES static void multiply_groups(const pl_grid *g, int64_t a, const float *restrict x,
                                      float *restrict y)
{
    float sum[W] = {0};
    for (int64_t k = g->row[a]; k < g->row[a + 1]; k++) {
        pl_grid_add(g->val + M * W * k, x + W * (int64_t)g->col[k], sum);
    }
    memcpy(y + W * a, sum, sizeof sum);
}

typedef struct product {
    const pl_grid *g;
    const float *x;
    float *y;
} product;

static void multiply_some(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    for (int64_t a = first; a < last; a++) multiply_groups(p->g, a, p->x, p->y);
}

void pl_grid_multiply(const pl_grid *g, const float *x, float *y)
{
    pl_loop(g->n, CHUNK_GROUPS, multiply_some, &(product){g, x, y});
}

// y := y - Y^T K Y x, with Y of the width given: 3 on the finest level.
static inline void subtract_rows(const pl_grid_rows *rows, const pl_stiffness *K,
                                 int32_t n_constraint, int width, const float *restrict x,
                                 float *restrict y)
{
    for (int32_t k = 0; k < n_constraint; k++) {
        int32_t first = rows->start[k], last = rows->start[k + 1];
        if (first == last) continue;
        float u[3] = {0};
        for (int32_t e = first; e < last; e++) {
            const float *Y = rows->val + 3 * width * (int64_t)e,
                        *v = x + width * (int64_t)rows->col[e];
            for (int a = 0; a < 3; a++) {
                float s = 0;
                for (int c = 0; c < width; c++) s += Y[width * a + c] * v[c];
                u[a] += s;
            }
        }
        const float f[3] = {K[k].nn * u[0], K[k].t11 * u[1] + K[k].t12 * u[2],
                            K[k].t12 * u[1] + K[k].t22 * u[2]};
        for (int32_t e = first; e < last; e++) {
            const float *Y = rows->val + 3 * width * (int64_t)e;
            float *to = y + width * (int64_t)rows->col[e];
            for (int c = 0; c < width; c++) {
                to[c] -= (Y[c] * f[0] + Y[width + c] * f[1]) + Y[2 * width + c] * f[2];
            }
        }
    }
}

// --- Contacts ---

static bool is_soft(const pl_stiffness *K)
{
    return K->nn == 0 && K->t11 == 0 && K->t22 == 0;
}

// Where the entry of a contact for `col` stands; it is made at the end of the list if it is new.
static float *find_entry(pl_grid_rows *rows, int32_t first, int32_t *last, int32_t col)
{
    int32_t e = first;
    while (e < *last && rows->col[e] != col) e++;
    float *Y = rows->val + 3 * W * (int64_t)e;
    if (e == *last) {
        (*last)++;
        rows->col[e] = col;
        memset(Y, 0, 3 * W * sizeof *Y);
    }
    return Y;
}

static void set_fine_rows(pl_multigrid *mg)
{
    const pl_problem *problem = mg->problem;
    int32_t at = 0;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        mg->rows.start[k] = at;
        if (is_soft(mg->K + k)) continue;
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            if (pl_is_prescribed(problem, problem->entry[t].block)) continue;
            double G[9];
            pl_entry_rows(problem, constraint, problem->entry + t, G);
            for (int e = 0; e < 9; e++) mg->rows.val[9 * (int64_t)at + e] = (float)G[e];
            mg->rows.col[at++] = problem->entry[t].block;
        }
    }
    mg->rows.start[problem->n_constraint] = at;
}

// L P from L.
static void set_first_rows(pl_multigrid *mg)
{
    pl_grid_rows *to = &mg->grid[0].rows;
    int32_t at = 0;
    for (int32_t k = 0; k < mg->problem->n_constraint; k++) {
        int32_t first = at;
        to->start[k] = first;
        for (int32_t e = mg->rows.start[k]; e < mg->rows.start[k + 1]; e++) {
            const float *G = mg->rows.val + 9 * (int64_t)e;
            int32_t i = mg->rows.col[e];
            for (int64_t p = mg->p_row[i]; p < mg->p_row[i + 1]; p++) {
                const float *P = mg->p_val + 3 * W * p;
                float *Y = find_entry(to, first, &at, mg->p_col[p]);
                for (int c = 0; c < 3 * W; c++) {
                    const float *g = G + 3 * (c / W), *q = P + c % W;
                    Y[c] += (g[0] * q[0] + g[1] * q[W]) + g[2] * q[2 * W];
                }
            }
        }
    }
    to->start[mg->problem->n_constraint] = at;
}

static void set_next_rows(const pl_grid *fine, pl_grid_rows *to, int32_t n_constraint)
{
    int32_t at = 0;
    for (int32_t k = 0; k < n_constraint; k++) {
        int32_t first = at;
        to->start[k] = first;
        for (int32_t e = fine->rows.start[k]; e < fine->rows.start[k + 1]; e++) {
            int32_t a = fine->rows.col[e];
            const float *y = fine->rows.val + 3 * W * (int64_t)e, *T = fine->T + M * W * (int64_t)a;
            float *Y = find_entry(to, first, &at, fine->parent[a]);
            for (int q = 0; q < 3; q++) {
                for (int m = 0; m < M; m++) {
                    for (int c = 0; c < W; c++) Y[W * q + c] += y[W * q + m] * T[W * m + c];
                }
            }
        }
    }
    to->start[n_constraint] = at;
}

// The size of an entry: the root of the sum of its squares.
static double size_of(int n, const float *Y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)Y[i] * (double)Y[i];
    return sqrt(sum);
}

// B (n*n) := B + a Y^T K Y for an entry of three rows of `width`.
static void add_contact(const pl_stiffness *K, double a, int n, int width, const float *Y,
                        double *B)
{
    for (int r = 0; r < n; r++) {
        double y0 = (double)Y[r], y1 = (double)Y[width + r], y2 = (double)Y[2 * width + r];
        double f0 = a * (double)K->nn * y0;
        double f1 = a * ((double)K->t11 * y1 + (double)K->t12 * y2);
        double f2 = a * ((double)K->t12 * y1 + (double)K->t22 * y2);
        for (int c = 0; c < n; c++) {
            B[n * r + c] +=
                f0 * (double)Y[c] + f1 * (double)Y[width + c] + f2 * (double)Y[2 * width + c];
        }
    }
}

// Adds all contacts to the diagonal blocks (n*n each) of the columns that they have.
static void add_contacts(const pl_grid_rows *rows, const pl_stiffness *K, int32_t n_constraint,
                         int n, int width, double *diagonal)
{
    for (int32_t k = 0; k < n_constraint; k++) {
        double sum = 0;
        for (int32_t e = rows->start[k]; e < rows->start[k + 1]; e++) {
            sum += size_of(3 * width, rows->val + 3 * width * (int64_t)e);
        }
        for (int32_t e = rows->start[k]; e < rows->start[k + 1]; e++) {
            const float *Y = rows->val + 3 * width * (int64_t)e;
            double size = size_of(3 * width, Y);
            if (!(size > 0)) continue;
            add_contact(K + k, sum / size, n, width, Y, diagonal + n * n * (int64_t)rows->col[e]);
        }
    }
}

static void set_smoother(pl_grid *g, const pl_stiffness *K, int32_t n_constraint)
{
    int32_t n_entry = g->rows.start[n_constraint];
    memcpy(g->smooth, g->easy, M * W * (size_t)g->n * sizeof *g->smooth);
    for (int32_t e = 0; e < n_entry; e++) {
        int64_t a = g->rows.col[e];
        g->touched[a] = 1;
        memcpy(g->sum + M * M * a, g->diagonal + M * M * a, M * M * sizeof *g->sum);
    }
    add_contacts(&g->rows, K, n_constraint, M, W, g->sum);
    for (int32_t e = 0; e < n_entry; e++) {
        int64_t a = g->rows.col[e];
        if (!g->touched[a]) continue;
        g->touched[a] = 0;
        pl_grid_invert(g->sum + M * M * a, g->smooth + M * W * a);
    }
}

// The matrix of the last level, and its factor.
static bool set_dense(const pl_multigrid *mg)
{
    const pl_grid *g = &mg->grid[mg->n_grid - 1];
    int64_t m = M * (int64_t)g->n;
    memset(mg->dense, 0, (size_t)(m * m) * sizeof *mg->dense);
    for (int64_t a = 0; a < g->n; a++) {
        for (int64_t k = g->row[a]; k < g->row[a + 1]; k++) {
            double *to = mg->dense + M * a * m + M * (int64_t)g->col[k];
            const float *B = g->val + M * W * k;
            for (int e = 0; e < M * M; e++) to[e / M * m + e % M] = (double)B[W * (e % M) + e / M];
        }
    }
    for (int32_t k = 0; k < mg->problem->n_constraint; k++) {
        const pl_stiffness *K = mg->K + k;
        for (int32_t e = g->rows.start[k]; e < g->rows.start[k + 1]; e++) {
            for (int32_t o = g->rows.start[k]; o < g->rows.start[k + 1]; o++) {
                const float *Y = g->rows.val + 3 * W * (int64_t)e;
                const float *Z = g->rows.val + 3 * W * (int64_t)o;
                double *to =
                    mg->dense + M * (int64_t)g->rows.col[e] * m + M * (int64_t)g->rows.col[o];
                for (int r = 0; r < M; r++) {
                    float f0 = K->nn * Y[r], f1 = K->t11 * Y[W + r] + K->t12 * Y[2 * W + r];
                    float f2 = K->t12 * Y[W + r] + K->t22 * Y[2 * W + r];
                    for (int c = 0; c < M; c++) {
                        to[r * m + c] += (double)(f0 * Z[c] + f1 * Z[W + c] + f2 * Z[2 * W + c]);
                    }
                }
            }
        }
    }
    return factorize((int32_t)m, mg->dense);
}

void pl_multigrid_set(pl_multigrid *mg, const pl_stiffness *K)
{
    int32_t n_constraint = mg->problem->n_constraint;
    mg->K = K;
    set_fine_rows(mg);
    mg->is_factored = pl_touched_set(&mg->touched, mg->sigma, K);
    set_first_rows(mg);
    for (int32_t level = 0; level < mg->n_grid; level++) {
        pl_grid *g = &mg->grid[level];
        if (level > 0) set_next_rows(g - 1, &g->rows, n_constraint);
        set_smoother(g, K, n_constraint);
    }
    mg->is_dense = mg->dense != NULL && set_dense(mg);
}

// --- The cycle ---

// r := r0 - (C + Y^T K Y) x.
static void subtract_grid(const pl_multigrid *mg, const pl_grid *g, const float *r0, const float *x,
                          float *r)
{
    pl_grid_multiply(g, x, r);
    for (int64_t i = 0; i < W * (int64_t)g->n; i++) r[i] = r0[i] - r[i];
    subtract_rows(&g->rows, mg->K, mg->problem->n_constraint, W, x, r);
}

// x := x + smoother r.
static void smooth_grid(const pl_grid *g, const float *r, float *x)
{
    for (int64_t a = 0; a < g->n; a++) pl_grid_add(g->smooth + M * W * a, r + W * a, x + W * a);
}

static void relax_grid(const pl_multigrid *mg, const pl_grid *g, int sweeps)
{
    for (int sweep = 0; sweep < sweeps; sweep++) {
        subtract_grid(mg, g, g->r, g->x, g->t);
        smooth_grid(g, g->t, g->x);
    }
}

static void solve_last(const pl_multigrid *mg, const pl_grid *g)
{
    if (mg->is_dense) {
        for (int64_t a = 0; a < g->n; a++) {
            for (int m = 0; m < M; m++) mg->dense_x[M * a + m] = (double)g->r[W * a + m];
        }
        solve_factored(M * g->n, mg->dense, mg->dense_x);
        for (int64_t a = 0; a < g->n; a++) {
            for (int m = 0; m < M; m++) g->x[W * a + m] = (float)mg->dense_x[M * a + m];
        }
        return;
    }
    relax_grid(mg, g, PL_GRID_LAST_SWEEPS);
}

// g->x := about (C + Y^T K Y)^-1 g->r.
static void cycle_grid(const pl_multigrid *mg, int32_t level)
{
    const pl_grid *g = &mg->grid[level];
    memset(g->x, 0, W * (size_t)g->n * sizeof *g->x);
    if (level == mg->n_grid - 1) {
        solve_last(mg, g);
        return;
    }
    const pl_grid *next = g + 1;
    relax_grid(mg, g, PL_GRID_SWEEPS);
    subtract_grid(mg, g, g->r, g->x, g->t);
    memset(next->r, 0, W * (size_t)next->n * sizeof *next->r);
    for (int64_t a = 0; a < g->n; a++) {
        const float *T = g->T + M * W * a, *t = g->t + W * a;
        float *to = next->r + W * (int64_t)g->parent[a];
        for (int m = 0; m < M; m++) {
            for (int c = 0; c < W; c++) to[c] += T[W * m + c] * t[m];
        }
    }
    cycle_grid(mg, level + 1);
    for (int64_t a = 0; a < g->n; a++) {
        const float *T = g->T + M * W * a, *from = next->x + W * (int64_t)g->parent[a];
        for (int m = 0; m < M; m++) {
            float s = 0;
            for (int c = 0; c < M; c++) s += T[W * m + c] * from[c];
            g->x[W * a + m] += s;
        }
    }
    relax_grid(mg, g, PL_GRID_SWEEPS);
}

// What a cycle takes from r to z.
typedef struct cycle_loop {
    const pl_multigrid *mg;
    const float *r;
    float *z;
} cycle_loop;

// z := (sigma D)^-1 r.
static void apply_easy(void *context, int64_t first, int64_t last)
{
    const cycle_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        const float *m = l->mg->easy + 6 * i, *q = l->r + 3 * i;
        float *o = l->z + 3 * i;
        o[0] = (m[0] * q[0] + m[1] * q[1]) + m[2] * q[2];
        o[1] = (m[1] * q[0] + m[3] * q[1]) + m[4] * q[2];
        o[2] = (m[2] * q[0] + m[4] * q[1]) + m[5] * q[2];
    }
}

// z := (sigma D + L^T K L)^-1 r.
static void smooth_fine(const pl_multigrid *mg, const float *r, float *z)
{
    pl_loop(mg->problem->A->n, CHUNK_BLOCKS, apply_easy, &(cycle_loop){mg, r, z});
    if (mg->is_factored) pl_touched_solve(&mg->touched, r, z);
}

static void subtract_elements(void *context, int64_t first, int64_t last)
{
    const cycle_loop *l = context;
    float *t = l->mg->t;
    for (int64_t i = first; i < last; i++) t[i] = l->r[i] - t[i];
}

// t := r - (A + L^T K L) z.
static void subtract_fine(const pl_multigrid *mg, const float *r, const float *z)
{
    pl_multigrid_multiply(mg, z, mg->t);
    pl_loop(3 * (int64_t)mg->problem->A->n, 3 * CHUNK_BLOCKS, subtract_elements,
            &(cycle_loop){.mg = mg, .r = r});
    subtract_rows(&mg->rows, mg->K, mg->problem->n_constraint, 3, z, mg->t);
}

PL_CLONES static void restrict_to(const pl_multigrid *mg, int32_t a, float *out)
{
    float sum[W] = {0};
    for (int64_t q = mg->q_row[a]; q < mg->q_row[a + 1]; q++) {
        const float *P = mg->p_val + 3 * W * mg->q_at[q], *t = mg->t + 3 * (int64_t)mg->q_block[q];
        for (int c = 0; c < W; c++) sum[c] += (P[c] * t[0] + P[W + c] * t[1]) + P[2 * W + c] * t[2];
    }
    memcpy(out, sum, sizeof sum);
}

PL_CLONES static void prolong_to(const pl_multigrid *mg, int32_t i, const float *x, float *z)
{
    float sum[3 * W] = {0};
    for (int64_t p = mg->p_row[i]; p < mg->p_row[i + 1]; p++) {
        const float *P = mg->p_val + 3 * W * p, *from = x + W * (int64_t)mg->p_col[p];
        for (int q = 0; q < 3; q++) {
            for (int c = 0; c < W; c++) sum[W * q + c] += P[W * q + c] * from[c];
        }
    }
    for (int q = 0; q < 3; q++) {
        const float *s = sum + W * q;
        z[q] += ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
    }
}

static void restrict_all(void *context, int64_t first, int64_t last)
{
    const cycle_loop *l = context;
    float *r = l->mg->grid[0].r;
    for (int64_t a = first; a < last; a++) restrict_to(l->mg, (int32_t)a, r + W * a);
}

static void prolong_all(void *context, int64_t first, int64_t last)
{
    const cycle_loop *l = context;
    const float *x = l->mg->grid[0].x;
    for (int64_t i = first; i < last; i++) prolong_to(l->mg, (int32_t)i, x, l->z + 3 * i);
}

void pl_multigrid_cycle(pl_multigrid *mg, const float *r, float *z)
{
    int32_t n = mg->problem->A->n;
    const cycle_loop l = {mg, r, z};
    smooth_fine(mg, r, z);
    subtract_fine(mg, r, z);
    pl_loop(mg->grid[0].n, CHUNK_RESTRICTED, restrict_all, &l);
    cycle_grid(mg, 0);
    pl_loop(n, CHUNK_BLOCKS, prolong_all, &l);
    subtract_fine(mg, r, z);
    smooth_fine(mg, mg->t, mg->z);
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) z[i] += mg->z[i];
}
