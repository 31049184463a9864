// The levels of multigrid.h: groups, how they move their members, and their matrices.
//
// A group moves as x -> t + w x s (x - centre): the columns of T, six for each group. With
//     P = (I - omega D^-1 A) T,    omega = 4/3 / lambda(D^-1 A),
// a step of Jacobi's method bends these motions where they cost energy, at the borders of groups.
// The matrix of the groups is P^T A P. Sums are of double precision and results are rounded: in
// A P, the stiffness of a block and its neighbours cancels but for what is not a rigid motion.

#include "multigrid.h"
#include "aggregates.h"
#include "bsr_single.h"
#include "grid.h"

#include <math.h>
#include <string.h>

enum {
    GROUP_SIZE = 40,       // vertices per group
    GROUPS_PER_GROUP = 24, // on the levels above
    DENSE_GROUPS = 64,     // a last level of no more is solved by a dense factor
    POWER_STEPS = 6,
    // What a thread takes at least: rows of A, and of groups.
    CHUNK_ROWS = 256,
    CHUNK_GROUPS = 8,
    W = PL_GRID_WIDTH,
    M = PL_GRID_MODES,
};

// Jacobi's method with 1 / sigma, sigma = lambda / RELAX, reduces what has large eigenvalues most.
static const double RELAX = 1.5;
// Power steps find the largest eigenvalue from below.
static const double LAMBDA_MARGIN = 1.15;
// Added to the diagonal of a group, as part of its mean: keeps motions that have no matrix (a
// single vertex does not turn) and rounding from making it singular.
static const double SHIFT = 1e-5;

// --- Groups of vertices ---

typedef struct builder {
    const pl_problem *problem;
    const pl_block_jacobi *D;
    pl_arena *arena;
    int32_t *of;    // (A.n) the group of each block
    double *lever;  // (3*A.n) scale (x - centre)
    int32_t *mark;  // (n_thread*groups) a row that met the group last
    int32_t *place; // (n_thread*groups) and where it stands there
    int64_t *ap_row;
    int32_t *ap_col; // A P, block by block: three rows of six
    float *ap_val;
} builder;

static pl_status group_vertices(builder *b, pl_multigrid *mg)
{
    const pl_bsr *A = b->problem->A;
    pl_grid *g = &mg->grid[0];
    b->of = pl_arena_take(b->arena, A->n, sizeof *b->of);
    b->lever = pl_arena_take(b->arena, 3 * (int64_t)A->n, sizeof *b->lever);
    int32_t *queue = pl_arena_take(b->arena, 2 * (int64_t)A->n, sizeof *queue);
    if (b->of == NULL || b->lever == NULL || queue == NULL) return PL_ERROR_MEMORY;
    const pl_graph graph = {A->n, A->row, A->col};
    g->n = pl_aggregate(&graph, GROUP_SIZE, b->of, queue);
    int64_t n_mark = (int64_t)pl_threads() * g->n;
    b->mark = pl_arena_take(b->arena, n_mark, sizeof *b->mark);
    b->place = pl_arena_take(b->arena, n_mark, sizeof *b->place);
    g->centre = pl_arena_take(b->arena, 3 * (int64_t)g->n, sizeof *g->centre);
    g->weight = pl_arena_take(b->arena, g->n, sizeof *g->weight);
    bool all = b->mark != NULL && b->place != NULL && g->centre != NULL && g->weight != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

// Centres of the groups, and the lever arms of the blocks. A block without a place has none.
static void place_groups(const builder *b, pl_grid *g)
{
    const double *x = b->problem->x;
    int32_t n = b->problem->A->n, n_x = x != NULL ? b->problem->n_x : 0;
    memset(g->centre, 0, 3 * (size_t)g->n * sizeof *g->centre);
    memset(g->weight, 0, (size_t)g->n * sizeof *g->weight);
    memset(b->lever, 0, 3 * (size_t)n * sizeof *b->lever);
    for (int32_t i = 0; i < n; i++) g->weight[b->of[i]]++;
    for (int32_t i = 0; i < n_x; i++) {
        int32_t a = b->of[i];
        for (int k = 0; k < 3; k++) g->centre[3 * a + k] += x[3 * i + k] / g->weight[a];
    }
    double sum = 0;
    for (int32_t i = 0; i < n_x; i++) {
        for (int k = 0; k < 3; k++) {
            double d = x[3 * i + k] - g->centre[3 * b->of[i] + k];
            b->lever[3 * i + k] = d;
            sum += d * d;
        }
    }
    g->scale = sum > 0 ? sqrt(n_x / sum) : 1;
    for (int64_t i = 0; i < 3 * (int64_t)n_x; i++) b->lever[i] *= g->scale;
}

// --- P ---

// The groups of a block: its own, and those of its neighbours.
static pl_status find_groups(const builder *b, pl_multigrid *mg)
{
    const pl_bsr *A = b->problem->A;
    mg->p_row = pl_arena_take(b->arena, (int64_t)A->n + 1, sizeof *mg->p_row);
    if (mg->p_row == NULL) return PL_ERROR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        int64_t at = 0;
        for (int32_t a = 0; a < mg->grid[0].n; a++) b->mark[a] = -1;
        for (int32_t i = 0; i < A->n; i++) {
            mg->p_row[i] = at;
            if (pl_is_prescribed(b->problem, i)) continue;
            for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
                int32_t a = b->of[A->col[k]];
                if (b->mark[a] == i || pl_is_prescribed(b->problem, A->col[k])) continue;
                b->mark[a] = i;
                if (pass == 1) mg->p_col[at] = a;
                at++;
            }
        }
        mg->p_row[A->n] = at;
        if (pass == 1) break;
        mg->p_col = pl_arena_take(b->arena, at, sizeof *mg->p_col);
        mg->p_val = pl_arena_take(b->arena, 3 * W * at, sizeof *mg->p_val);
        if (mg->p_col == NULL || mg->p_val == NULL) return PL_ERROR_MEMORY;
    }
    return PL_OK;
}

// B (3 rows of six) := B + a T, with a (9) a block by columns and T the motion of a group at the
// lever arm r: three translations, and e x r for the axes e.
static inline void add_moved(const double *a, const double *r, double *B)
{
    for (int q = 0; q < 3; q++) {
        double x = a[q], y = a[3 + q], z = a[6 + q];
        B[6 * q] += x, B[6 * q + 1] += y, B[6 * q + 2] += z;
        B[6 * q + 3] += z * r[1] - y * r[2];
        B[6 * q + 4] += x * r[2] - z * r[0];
        B[6 * q + 5] += y * r[0] - x * r[1];
    }
}

static inline int64_t find_group(const pl_multigrid *mg, int64_t i, int32_t a)
{
    int64_t p = mg->p_row[i];
    while (mg->p_col[p] != a) p++;
    return p;
}

// The blocks of P in row i. Each is kept in double precision until it is done.
PL_CLONES static void fill_row_of_P(const builder *b, const pl_multigrid *mg, double omega,
                                    int32_t i)
{
    enum { MOST = 64 }; // groups of one block: about five are usual
    const pl_bsr *A = b->problem->A;
    int64_t first = mg->p_row[i], n = mg->p_row[i + 1] - first;
    for (int64_t from = 0; from < n; from += MOST) {
        double B[18 * MOST] = {0};
        int64_t to = PL_MIN(from + MOST, n);
        for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
            int32_t j = A->col[k];
            if (pl_is_prescribed(b->problem, j)) continue;
            int64_t p = find_group(mg, i, b->of[j]) - first;
            if (p >= from && p < to) {
                add_moved(A->val + 9 * k, b->lever + 3 * (int64_t)j, B + 18 * (p - from));
            }
        }
        static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        const double *d = b->D->inv + 6 * (int64_t)i;
        for (int64_t p = from; p < to; p++) {
            const double *s = B + 18 * (p - from);
            double out[18] = {0};
            if (mg->p_col[first + p] == b->of[i]) add_moved(unit, b->lever + 3 * (int64_t)i, out);
            for (int c = 0; c < M; c++) {
                out[c] -= omega * (d[0] * s[c] + d[1] * s[6 + c] + d[2] * s[12 + c]);
                out[6 + c] -= omega * (d[1] * s[c] + d[3] * s[6 + c] + d[4] * s[12 + c]);
                out[12 + c] -= omega * (d[2] * s[c] + d[4] * s[6 + c] + d[5] * s[12 + c]);
            }
            float *to_P = mg->p_val + 3 * W * (first + p);
            memset(to_P, 0, 3 * W * sizeof *to_P);
            for (int e = 0; e < 18; e++) to_P[W * (e / M) + e % M] = (float)out[e];
        }
    }
}

// P by groups.
static pl_status transpose_P(const builder *b, pl_multigrid *mg)
{
    int32_t n = mg->grid[0].n, n_block = b->problem->A->n;
    int64_t size = mg->p_row[n_block];
    mg->q_row = pl_arena_take(b->arena, (int64_t)n + 2, sizeof *mg->q_row);
    mg->q_at = pl_arena_take(b->arena, size, sizeof *mg->q_at);
    mg->q_block = pl_arena_take(b->arena, size, sizeof *mg->q_block);
    if (mg->q_row == NULL || mg->q_at == NULL || mg->q_block == NULL) return PL_ERROR_MEMORY;
    memset(mg->q_row, 0, ((size_t)n + 2) * sizeof *mg->q_row);
    int64_t *end = mg->q_row + 1; // of each group so far
    for (int64_t p = 0; p < size; p++) mg->q_row[mg->p_col[p] + 2]++;
    for (int32_t a = 0; a < n; a++) mg->q_row[a + 2] += mg->q_row[a + 1];
    for (int32_t i = 0; i < n_block; i++) {
        for (int64_t p = mg->p_row[i]; p < mg->p_row[i + 1]; p++) {
            int64_t at = end[mg->p_col[p]]++;
            mg->q_at[at] = p;
            mg->q_block[at] = i;
        }
    }
    return PL_OK;
}

// --- A P ---

static pl_status find_columns_of_AP(builder *b, const pl_multigrid *mg)
{
    const pl_bsr *A = b->problem->A;
    b->ap_row = pl_arena_take(b->arena, (int64_t)A->n + 1, sizeof *b->ap_row);
    if (b->ap_row == NULL) return PL_ERROR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        int64_t at = 0;
        for (int32_t a = 0; a < mg->grid[0].n; a++) b->mark[a] = -1;
        for (int32_t i = 0; i < A->n; i++) {
            b->ap_row[i] = at;
            if (pl_is_prescribed(b->problem, i)) continue;
            for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
                int32_t j = A->col[k];
                for (int64_t p = mg->p_row[j]; p < mg->p_row[j + 1]; p++) {
                    int32_t a = mg->p_col[p];
                    if (b->mark[a] == i) continue;
                    b->mark[a] = i;
                    if (pass == 1) b->ap_col[at] = a;
                    at++;
                }
            }
        }
        b->ap_row[A->n] = at;
        if (pass == 1) break;
        b->ap_col = pl_arena_take(b->arena, at, sizeof *b->ap_col);
        if (b->ap_col == NULL) return PL_ERROR_MEMORY;
    }
    return PL_OK;
}

// B (3 rows of W) := B + a p, with a (9) a block by columns and p three rows of W.
static inline void add_product(const double *restrict a, const float *restrict p,
                               double *restrict B)
{
    for (int q = 0; q < 3; q++) {
        double x = a[q], y = a[3 + q], z = a[6 + q];
        for (int c = 0; c < W; c++) {
            B[W * q + c] += x * (double)p[c] + y * (double)p[W + c] + z * (double)p[2 * W + c];
        }
    }
}

// sum (3*W*n_of_row) and place (groups) are scratch of the thread.
PL_CLONES static void fill_row_of_AP(const builder *b, const pl_multigrid *mg, int32_t i,
                                     int32_t *place, double *sum)
{
    const pl_bsr *A = b->problem->A;
    int64_t first = b->ap_row[i], n = b->ap_row[i + 1] - first;
    if (n == 0) return; // known: it has no columns, though its neighbours have
    for (int64_t e = 0; e < n; e++) place[b->ap_col[first + e]] = (int32_t)e;
    memset(sum, 0, 3 * W * (size_t)n * sizeof *sum);
    for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
        int32_t j = A->col[k];
        for (int64_t p = mg->p_row[j]; p < mg->p_row[j + 1]; p++) {
            add_product(A->val + 9 * k, mg->p_val + 3 * W * p,
                        sum + 3 * W * (int64_t)place[mg->p_col[p]]);
        }
    }
    for (int64_t e = 0; e < 3 * W * n; e++) b->ap_val[3 * W * first + e] = (float)sum[e];
}

// --- P^T A P ---

static pl_status find_columns_of_groups(const builder *b, const pl_multigrid *mg, pl_grid *g)
{
    g->row = pl_arena_take(b->arena, (int64_t)g->n + 1, sizeof *g->row);
    if (g->row == NULL) return PL_ERROR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        int64_t at = 0;
        for (int32_t a = 0; a < g->n; a++) b->mark[a] = -1;
        for (int32_t a = 0; a < g->n; a++) {
            g->row[a] = at;
            b->mark[a] = a; // the diagonal comes first
            if (pass == 1) g->col[at] = a;
            at++;
            for (int64_t q = mg->q_row[a]; q < mg->q_row[a + 1]; q++) {
                int32_t i = mg->q_block[q];
                for (int64_t e = b->ap_row[i]; e < b->ap_row[i + 1]; e++) {
                    int32_t c = b->ap_col[e];
                    if (b->mark[c] == a) continue;
                    b->mark[c] = a;
                    if (pass == 1) g->col[at] = c;
                    at++;
                }
            }
        }
        g->row[g->n] = at;
        if (pass == 1) break;
        g->col = pl_arena_take(b->arena, at, sizeof *g->col);
        g->val = pl_arena_take(b->arena, M * W * at, sizeof *g->val);
        if (g->col == NULL || g->val == NULL) return PL_ERROR_MEMORY;
    }
    return PL_OK;
}

// C (six rows of W) := C + p^T q, of three rows of W each.
static inline void add_transposed(const float *restrict p, const float *restrict q,
                                  double *restrict C)
{
    for (int m = 0; m < M; m++) {
        double x = (double)p[m], y = (double)p[W + m], z = (double)p[2 * W + m];
        for (int c = 0; c < W; c++) {
            C[W * m + c] += x * (double)q[c] + y * (double)q[W + c] + z * (double)q[2 * W + c];
        }
    }
}

// The matrix of a group in single precision, by columns, from rows in double.
static void round_block(const double *C, float *out)
{
    for (int c = 0; c < M; c++) {
        for (int m = 0; m < M; m++) out[W * c + m] = (float)C[W * m + c];
        for (int m = M; m < W; m++) out[W * c + m] = 0;
    }
}

static void shift_diagonal(double *C)
{
    double trace = 0;
    for (int m = 0; m < M; m++) trace += C[(W + 1) * m];
    double shift = trace > 0 ? SHIFT * trace / M : 1;
    for (int m = 0; m < M; m++) C[(W + 1) * m] += shift;
}

PL_CLONES static void fill_row_of_groups(const builder *b, const pl_multigrid *mg, pl_grid *g,
                                         int32_t a, int32_t *place, double *sum)
{
    int64_t first = g->row[a], n = g->row[a + 1] - first;
    for (int64_t k = 0; k < n; k++) place[g->col[first + k]] = (int32_t)k;
    memset(sum, 0, M * W * (size_t)n * sizeof *sum);
    for (int64_t q = mg->q_row[a]; q < mg->q_row[a + 1]; q++) {
        int32_t i = mg->q_block[q];
        const float *p = mg->p_val + 3 * W * mg->q_at[q];
        for (int64_t e = b->ap_row[i]; e < b->ap_row[i + 1]; e++) {
            add_transposed(p, b->ap_val + 3 * W * e, sum + M * W * (int64_t)place[b->ap_col[e]]);
        }
    }
    shift_diagonal(sum);
    for (int64_t k = 0; k < n; k++) round_block(sum + M * W * k, g->val + M * W * (first + k));
}

static int64_t longest(int64_t n, const int64_t *row)
{
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++) most = PL_MAX(most, row[i + 1] - row[i]);
    return most;
}

typedef struct first_loop {
    builder *b;
    pl_multigrid *mg;
    double omega;
    int64_t size;
    double *sums; // (size) for each thread
} first_loop;

static void fill_P(void *context, int64_t first, int64_t last)
{
    const first_loop *l = context;
    for (int64_t i = first; i < last; i++) fill_row_of_P(l->b, l->mg, l->omega, (int32_t)i);
}

static void fill_AP(void *context, int64_t first, int64_t last)
{
    const first_loop *l = context;
    int32_t *place = l->b->place + (int64_t)pl_thread_slot() * l->mg->grid[0].n;
    double *sum = l->sums + l->size * pl_thread_slot();
    for (int64_t i = first; i < last; i++) fill_row_of_AP(l->b, l->mg, (int32_t)i, place, sum);
}

static void fill_groups(void *context, int64_t first, int64_t last)
{
    const first_loop *l = context;
    pl_grid *g = &l->mg->grid[0];
    int32_t *place = l->b->place + (int64_t)pl_thread_slot() * g->n;
    double *sum = l->sums + l->size * pl_thread_slot();
    for (int64_t a = first; a < last; a++) {
        fill_row_of_groups(l->b, l->mg, g, (int32_t)a, place, sum);
    }
}

// P, A P and P^T A P, a row at a time.
static pl_status fill_first(builder *b, pl_multigrid *mg, double omega)
{
    pl_grid *g = &mg->grid[0];
    int32_t n = b->problem->A->n;
    PL_TRY(find_groups(b, mg));
    PL_TRY(transpose_P(b, mg));
    PL_TRY(find_columns_of_AP(b, mg));
    PL_TRY(find_columns_of_groups(b, mg, g));
    int64_t size = PL_MAX(3 * W * longest(n, b->ap_row), M * W * longest(g->n, g->row));
    pl_arena_mark mark = pl_arena_here(b->arena); // A P is large, and not needed for long
    b->ap_val = pl_arena_take(b->arena, 3 * W * b->ap_row[n], sizeof *b->ap_val);
    double *sums = pl_arena_take(b->arena, size * pl_threads(), sizeof *sums);
    if (b->ap_val == NULL || sums == NULL) return PL_ERROR_MEMORY;
    const first_loop l = {b, mg, omega, size, sums};
    pl_loop(n, CHUNK_ROWS, fill_P, &l);
    pl_loop(n, CHUNK_ROWS, fill_AP, &l);
    pl_loop(g->n, CHUNK_GROUPS, fill_groups, &l);
    pl_arena_back(b->arena, mark);
    return PL_OK;
}

// --- Groups of groups ---

// T (six rows of W): how a group moves with the one that it is part of. A turn w of that one is a
// turn of all its members, and a translation by w x S d, in the units of either.
static void fill_T(const pl_grid *fine, const pl_grid *coarse, int32_t a, float *T)
{
    const double *from = coarse->centre + 3 * (int64_t)fine->parent[a];
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = coarse->scale * (fine->centre[3 * a + k] - from[k]);
    memset(T, 0, M * W * sizeof *T);
    for (int m = 0; m < 3; m++) {
        T[(W + 1) * m] = 1;
        T[(W + 1) * (m + 3)] = (float)(coarse->scale / fine->scale);
    }
    T[4] = (float)d[2], T[5] = (float)-d[1];
    T[W + 3] = (float)-d[2], T[W + 5] = (float)d[0];
    T[2 * W + 3] = (float)d[1], T[2 * W + 4] = (float)-d[0];
}

static void place_coarse(const pl_grid *fine, pl_grid *coarse)
{
    memset(coarse->centre, 0, 3 * (size_t)coarse->n * sizeof *coarse->centre);
    memset(coarse->weight, 0, (size_t)coarse->n * sizeof *coarse->weight);
    for (int32_t a = 0; a < fine->n; a++) coarse->weight[fine->parent[a]] += fine->weight[a];
    for (int32_t a = 0; a < fine->n; a++) {
        int32_t c = fine->parent[a];
        double share = fine->weight[a] / coarse->weight[c];
        for (int k = 0; k < 3; k++) coarse->centre[3 * c + k] += share * fine->centre[3 * a + k];
    }
    double sum = 0;
    for (int32_t a = 0; a < fine->n; a++) {
        for (int k = 0; k < 3; k++) {
            double d = fine->centre[3 * a + k] - coarse->centre[3 * fine->parent[a] + k];
            sum += d * d;
        }
    }
    coarse->scale = sum > 0 ? PL_MIN(sqrt(fine->n / sum), fine->scale) : fine->scale;
}

// Members of each group, one after the other: of group c, list[start[c]] .. list[start[c+1]-1].
static void list_members(const pl_grid *fine, int32_t n, int32_t *start, int32_t *list)
{
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (int32_t a = 0; a < fine->n; a++) start[fine->parent[a] + 2]++;
    for (int32_t c = 0; c < n; c++) start[c + 2] += start[c + 1];
    for (int32_t a = 0; a < fine->n; a++) list[start[fine->parent[a] + 1]++] = a;
}

static int64_t find_columns_of_coarse(const builder *b, const pl_grid *fine, const int32_t *start,
                                      const int32_t *list, pl_grid *coarse)
{
    int64_t at = 0;
    for (int32_t c = 0; c < coarse->n; c++) b->mark[c] = -1;
    for (int32_t c = 0; c < coarse->n; c++) {
        coarse->row[c] = at;
        b->mark[c] = c;
        if (coarse->col != NULL) coarse->col[at] = c;
        at++;
        for (int32_t m = start[c]; m < start[c + 1]; m++) {
            for (int64_t k = fine->row[list[m]]; k < fine->row[list[m] + 1]; k++) {
                int32_t d = fine->parent[fine->col[k]];
                if (b->mark[d] == c) continue;
                b->mark[d] = c;
                if (coarse->col != NULL) coarse->col[at] = d;
                at++;
            }
        }
    }
    coarse->row[coarse->n] = at;
    return at;
}

// C (six rows of W) := C + Ta^T B Tb, with B by columns.
static inline void add_galerkin(const float *restrict Ta, const float *restrict B,
                                const float *restrict Tb, double *restrict C)
{
    double BT[M * W] = {0}; // six rows
    for (int m = 0; m < M; m++) {
        for (int e = 0; e < M; e++) {
            double x = (double)B[W * e + m];
            for (int c = 0; c < W; c++) BT[W * m + c] += x * (double)Tb[W * e + c];
        }
    }
    for (int m = 0; m < M; m++) {
        for (int e = 0; e < M; e++) {
            double x = (double)Ta[W * e + m];
            for (int c = 0; c < W; c++) C[W * m + c] += x * BT[W * e + c];
        }
    }
}

PL_CLONES static void fill_row_of_coarse(const pl_grid *fine, const int32_t *start,
                                         const int32_t *list, pl_grid *coarse, int32_t c,
                                         int32_t *place, double *sum)
{
    int64_t first = coarse->row[c], n = coarse->row[c + 1] - first;
    for (int64_t k = 0; k < n; k++) place[coarse->col[first + k]] = (int32_t)k;
    memset(sum, 0, M * W * (size_t)n * sizeof *sum);
    for (int32_t m = start[c]; m < start[c + 1]; m++) {
        int32_t a = list[m];
        for (int64_t k = fine->row[a]; k < fine->row[a + 1]; k++) {
            int32_t other = fine->col[k];
            add_galerkin(fine->T + M * W * (int64_t)a, fine->val + M * W * k,
                         fine->T + M * W * (int64_t)other,
                         sum + M * W * (int64_t)place[fine->parent[other]]);
        }
    }
    shift_diagonal(sum);
    for (int64_t k = 0; k < n; k++) {
        round_block(sum + M * W * k, coarse->val + M * W * (first + k));
    }
}

typedef struct coarse_loop {
    const builder *b;
    const pl_grid *fine;
    pl_grid *coarse;
    const int32_t *start, *queue;
    int64_t size;
    double *sums; // (size) for each thread
} coarse_loop;

static void fill_coarse(void *context, int64_t first, int64_t last)
{
    const coarse_loop *l = context;
    int32_t *place = l->b->place + (int64_t)pl_thread_slot() * l->fine->n;
    double *sum = l->sums + l->size * pl_thread_slot();
    for (int64_t c = first; c < last; c++) {
        fill_row_of_coarse(l->fine, l->start, l->queue, l->coarse, (int32_t)c, place, sum);
    }
}

// The level above `fine`; *made is false if there is nothing to gain by one.
static pl_status make_coarse(const builder *b, pl_grid *fine, pl_grid *coarse, bool *made)
{
    pl_arena *arena = b->arena;
    int64_t n = fine->n;
    fine->parent = pl_arena_take(arena, n, sizeof *fine->parent);
    int32_t *queue = pl_arena_take(arena, 2 * n, sizeof *queue);
    int32_t *start = pl_arena_take(arena, n + 2, sizeof *start);
    if (fine->parent == NULL || queue == NULL || start == NULL) return PL_ERROR_MEMORY;
    const pl_graph graph = {fine->n, fine->row, fine->col};
    coarse->n = pl_aggregate(&graph, GROUPS_PER_GROUP, fine->parent, queue);
    *made = 4 * (int64_t)coarse->n <= 3 * n;
    if (!*made) return PL_OK;
    fine->T = pl_arena_take(arena, M * W * n, sizeof *fine->T);
    coarse->centre = pl_arena_take(arena, 3 * (int64_t)coarse->n, sizeof *coarse->centre);
    coarse->weight = pl_arena_take(arena, coarse->n, sizeof *coarse->weight);
    coarse->row = pl_arena_take(arena, (int64_t)coarse->n + 1, sizeof *coarse->row);
    if (fine->T == NULL || coarse->centre == NULL || coarse->weight == NULL ||
        coarse->row == NULL) {
        return PL_ERROR_MEMORY;
    }
    place_coarse(fine, coarse);
    for (int32_t a = 0; a < fine->n; a++) fill_T(fine, coarse, a, fine->T + M * W * (int64_t)a);
    list_members(fine, coarse->n, start, queue);
    int64_t nnz = find_columns_of_coarse(b, fine, start, queue, coarse);
    coarse->col = pl_arena_take(arena, nnz, sizeof *coarse->col);
    coarse->val = pl_arena_take(arena, M * W * nnz, sizeof *coarse->val);
    int64_t size = M * W * longest(coarse->n, coarse->row);
    double *sums = pl_arena_take(arena, size * pl_threads(), sizeof *sums);
    if (coarse->col == NULL || coarse->val == NULL || sums == NULL) return PL_ERROR_MEMORY;
    find_columns_of_coarse(b, fine, start, queue, coarse);
    pl_loop(coarse->n, CHUNK_GROUPS, fill_coarse,
            &(coarse_loop){b, fine, coarse, start, queue, size, sums});
    return PL_OK;
}

// --- All levels ---

// An estimate from below of the largest eigenvalue of diagonal^-1 C, where `easy` holds the inverse
// of the diagonal.
static double find_lambda(const pl_grid *g)
{
    int64_t n = (int64_t)W * g->n;
    double lambda = 1;
    uint32_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        g->r[i] = i % W < M ? (float)(state >> 8) / 16777216.0f - 0.5f : 0;
    }
    for (int step = 0; step < POWER_STEPS; step++) {
        double rx = 0, xCx = 0;
        memset(g->x, 0, (size_t)n * sizeof *g->x);
        for (int64_t a = 0; a < g->n; a++) {
            pl_grid_add(g->easy + M * W * a, g->r + W * a, g->x + W * a);
        }
        for (int64_t i = 0; i < n; i++) rx += (double)g->r[i] * (double)g->x[i];
        if (!(rx > 0)) return lambda;
        pl_grid_multiply(g, g->x, g->t);
        for (int64_t i = 0; i < n; i++) xCx += (double)g->t[i] * (double)g->x[i];
        lambda = PL_MAX(lambda, xCx / rx);
        for (int64_t i = 0; i < n; i++) g->r[i] = g->t[i] * (float)(1 / sqrt(rx));
    }
    return lambda;
}

// The smoother of a level, and its vectors.
static pl_status finish_grid(pl_grid *g, pl_arena *arena)
{
    float **vector[] = {&g->x, &g->r, &g->t};
    for (int i = 0; i < 3; i++) {
        *vector[i] = pl_arena_take(arena, W * (int64_t)g->n, sizeof(float));
        if (*vector[i] == NULL) return PL_ERROR_MEMORY;
    }
    g->diagonal = pl_arena_take(arena, M * M * (int64_t)g->n, sizeof *g->diagonal);
    g->sum = pl_arena_take(arena, M * M * (int64_t)g->n, sizeof *g->sum);
    g->touched = pl_arena_take(arena, g->n, sizeof *g->touched);
    g->easy = pl_arena_take(arena, M * W * (int64_t)g->n, sizeof *g->easy);
    g->smooth = pl_arena_take(arena, M * W * (int64_t)g->n, sizeof *g->smooth);
    bool all = g->diagonal != NULL && g->sum != NULL && g->touched != NULL && g->easy != NULL &&
               g->smooth != NULL;
    if (!all) return PL_ERROR_MEMORY;
    memset(g->touched, 0, (size_t)g->n);
    for (int64_t a = 0; a < g->n; a++) {
        const float *B = g->val + M * W * g->row[a]; // the diagonal comes first
        double *d = g->diagonal + M * M * a;
        for (int e = 0; e < M * M; e++) {
            d[e] = 0.5 * ((double)B[W * (e / M) + e % M] + (double)B[W * (e % M) + e / M]);
        }
        pl_grid_invert(d, g->easy + M * W * a);
    }
    double sigma = LAMBDA_MARGIN * find_lambda(g) / RELAX;
    for (int64_t i = 0; i < M * M * (int64_t)g->n; i++) g->diagonal[i] *= sigma;
    for (int64_t i = 0; i < M * W * (int64_t)g->n; i++) g->easy[i] /= (float)sigma;
    return PL_OK;
}

// Rows of contacts on all levels: room for as many entries as they could have.
static pl_status take_rows(const builder *b, pl_multigrid *mg)
{
    const pl_problem *problem = b->problem;
    int64_t n_constraint = problem->n_constraint, n = problem->n_term, width = 3;
    for (int32_t level = -1; level < mg->n_grid; level++) {
        pl_grid_rows *rows = level < 0 ? &mg->rows : &mg->grid[level].rows;
        rows->start = pl_arena_take(b->arena, n_constraint + 1, sizeof *rows->start);
        rows->col = pl_arena_take(b->arena, n, sizeof *rows->col);
        rows->val = pl_arena_take(b->arena, 3 * width * n, sizeof *rows->val);
        if (rows->start == NULL || rows->col == NULL || rows->val == NULL) return PL_ERROR_MEMORY;
        if (level < 0) {
            n = 0, width = W;
            for (int32_t t = 0; t < problem->n_term; t++) {
                int32_t i = problem->entry[t].block;
                n += mg->p_row[i + 1] - mg->p_row[i];
            }
        }
    }
    return PL_OK;
}

// The matrix and the smoother of the finest level.
static pl_status take_fine(const builder *b, const float *single, double lambda, pl_multigrid *mg)
{
    const pl_bsr *A = b->problem->A;
    mg->A = single != NULL ? single : pl_single_take(A, b->arena);
    mg->easy = pl_arena_take(b->arena, 6 * (int64_t)A->n, sizeof *mg->easy);
    mg->t = pl_arena_take(b->arena, 3 * (int64_t)A->n + 1, sizeof *mg->t);
    mg->z = pl_arena_take(b->arena, 3 * (int64_t)A->n + 1, sizeof *mg->z);
    bool all = mg->A != NULL && mg->easy != NULL && mg->t != NULL && mg->z != NULL;
    if (!all) return PL_ERROR_MEMORY;
    mg->sigma = lambda / RELAX;
    for (int64_t i = 0; i < 6 * (int64_t)A->n; i++) {
        mg->easy[i] = (float)(b->D->inv[i] / mg->sigma);
    }
    return PL_OK;
}

pl_status pl_multigrid_create(const pl_problem *problem, const pl_block_jacobi *D,
                              const pl_uses *uses, const float *single, double lambda,
                              pl_arena *arena, pl_multigrid *out)
{
    *out = (pl_multigrid){.problem = problem};
    builder b = {.problem = problem, .D = D, .arena = arena};
    PL_TRY(take_fine(&b, single, lambda, out));
    PL_TRY(pl_touched_create(problem, uses, arena, &out->touched));
    PL_TRY(group_vertices(&b, out));
    place_groups(&b, &out->grid[0]);
    PL_TRY(fill_first(&b, out, 4.0 / 3 / lambda));
    bool made = true;
    for (out->n_grid = 1; out->n_grid < PL_MAX_GRIDS; out->n_grid++) {
        pl_grid *last = &out->grid[out->n_grid - 1];
        if (last->n <= DENSE_GROUPS) break;
        PL_TRY(make_coarse(&b, last, last + 1, &made));
        if (!made) break;
    }
    for (int32_t i = 0; i < out->n_grid; i++) PL_TRY(finish_grid(&out->grid[i], arena));
    int64_t m = M * (int64_t)out->grid[out->n_grid - 1].n;
    if (m <= M * DENSE_GROUPS) {
        out->dense = pl_arena_take(arena, m * m, sizeof *out->dense);
        out->dense_x = pl_arena_take(arena, m, sizeof *out->dense_x);
        if (out->dense == NULL || out->dense_x == NULL) return PL_ERROR_MEMORY;
    }
    return take_rows(&b, out);
}
