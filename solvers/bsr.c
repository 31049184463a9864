#include "bsr.h"

#include <string.h>

enum {
    // A part has at least this many blocks: fewer are not worth a thread's attention.
    PART_BLOCKS = 1024,
    // What a thread takes at least.
    CHUNK_BLOCKS = 4096,
    // How far ahead of their use values are fetched [blocks]: 64 to 128 measured alike. A block is
    // longer than a line of the cache, so that both its ends are fetched; with one, each ninth line
    // was late, and the product took a tenth longer. Without, a quarter.
    PREFETCH_BLOCKS = 96,
};

// --- The pattern ---

static pl_status check_edges(int32_t n, int64_t n_edge, const int32_t *edge)
{
    if (n < 0 || n_edge < 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "a matrix cannot have %d block rows and %lld edges", n,
                       (long long)n_edge);
    }
    for (int64_t e = 0; e < 2 * n_edge; e++) {
        if (edge[e] < 0 || edge[e] >= n) {
            return pl_fail(PL_ERROR_ARGUMENT, "edge %lld: index %d is not among the %d block rows",
                           (long long)(e / 2), edge[e], n);
        }
    }
    return PL_OK;
}

// Lists of neighbours: that of i stands at start[i] .. end[i] - 1.
typedef struct graph {
    int64_t *start;  // (n + 1) with room for repetitions
    int64_t *end;    // (n)
    int32_t *loose;  // (start[n]) without order, with repetitions, each i among its own neighbours
    int32_t *sorted; // (start[n]) ascending, each once
} graph;

static pl_status graph_create(int32_t n, int64_t n_edge, graph *g)
{
    g->start = pl_alloc_zero((int64_t)n + 1, sizeof *g->start);
    g->end = pl_alloc(n, sizeof *g->end);
    g->loose = pl_alloc(2 * n_edge + n, sizeof *g->loose);
    g->sorted = pl_alloc(2 * n_edge + n, sizeof *g->sorted);
    bool all = g->start != NULL && g->end != NULL && g->loose != NULL && g->sorted != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static void graph_free(graph *g)
{
    pl_free(g->start);
    pl_free(g->end);
    pl_free(g->loose);
    pl_free(g->sorted);
}

static void list_neighbours(int32_t n, int64_t n_edge, const int32_t *edge, graph *g)
{
    for (int64_t e = 0; e < 2 * n_edge; e++) g->start[edge[e] + 1]++;
    for (int32_t i = 0; i < n; i++) {
        g->start[i + 1] += g->start[i] + 1;
        g->end[i] = g->start[i];
        g->loose[g->end[i]++] = i;
    }
    for (int64_t e = 0; e < n_edge; e++) {
        int32_t i = edge[2 * e], j = edge[2 * e + 1];
        g->loose[g->end[i]++] = j;
        g->loose[g->end[j]++] = i;
    }
}

// Handing out each j to all its neighbours, j ascending, makes every list ascend: no comparison,
// and linear time whatever the degrees.
static void sort_neighbours(int32_t n, graph *g)
{
    memcpy(g->end, g->start, (size_t)n * sizeof *g->end);
    for (int32_t j = 0; j < n; j++) {
        for (int64_t k = g->start[j]; k < g->start[j + 1]; k++) {
            int32_t i = g->loose[k];
            bool first = g->end[i] == g->start[i];
            if (first || g->sorted[g->end[i] - 1] != j) g->sorted[g->end[i]++] = j;
        }
    }
}

static pl_status copy_pattern(const graph *g, pl_bsr *A)
{
    for (int32_t i = 0; i < A->n; i++) A->nnz += g->end[i] - g->start[i];
    A->row = pl_alloc((int64_t)A->n + 1, sizeof *A->row);
    A->col = pl_alloc(A->nnz, sizeof *A->col);
    A->diag = pl_alloc(A->n, sizeof *A->diag);
    A->val = pl_alloc(9 * (A->nnz + 1), sizeof *A->val);
    if (A->row == NULL || A->col == NULL || A->diag == NULL || A->val == NULL) {
        return PL_ERROR_MEMORY;
    }
    A->row[0] = 0;
    for (int32_t i = 0; i < A->n; i++) {
        int64_t at = A->row[i], count = g->end[i] - g->start[i];
        memcpy(A->col + at, g->sorted + g->start[i], (size_t)count * sizeof *A->col);
        A->row[i + 1] = at + count;
        A->diag[i] = pl_bsr_find(A, i, i);
    }
    return PL_OK;
}

void pl_bsr_set_parts(pl_bsr *A)
{
    int32_t n_part = (int32_t)PL_MIN(A->nnz / PART_BLOCKS + 1, PL_MAX_PARTS);
    int32_t i = 0;
    for (int32_t p = 0; p < n_part; p++) {
        while (A->row[i] < A->nnz * p / n_part) i++;
        A->part[p] = i;
    }
    A->part[n_part] = A->n;
    A->n_part = n_part;
}

pl_status pl_bsr_create(int32_t n, int64_t n_edge, const int32_t *edge, pl_bsr *out)
{
    *out = (pl_bsr){0};
    PL_TRY(check_edges(n, n_edge, edge));
    graph g = {0};
    pl_status status = graph_create(n, n_edge, &g);
    if (status == PL_OK) {
        list_neighbours(n, n_edge, edge, &g);
        sort_neighbours(n, &g);
        out->n = n;
        status = copy_pattern(&g, out);
    }
    graph_free(&g);
    if (status != PL_OK) {
        pl_bsr_free(out);
        return status;
    }
    pl_bsr_set_parts(out);
    pl_bsr_zero(out);
    return PL_OK;
}

static pl_status check_rows(int32_t n, const int64_t *row, const int32_t *col)
{
    if (row[0] != 0) return pl_fail(PL_ERROR_ARGUMENT, "the first row of the matrix is not at 0");
    for (int32_t i = 0; i < n; i++) {
        if (row[i] > row[i + 1]) {
            return pl_fail(PL_ERROR_ARGUMENT, "row %d of the matrix ends before it begins", (int)i);
        }
        for (int64_t k = row[i]; k < row[i + 1]; k++) {
            bool ascends = k == row[i] || col[k] > col[k - 1];
            if (col[k] >= 0 && col[k] < n && ascends) continue;
            return pl_fail(PL_ERROR_ARGUMENT,
                           "row %d of the matrix: column %d is out of range, or not in order",
                           (int)i, (int)col[k]);
        }
    }
    return PL_OK;
}

pl_status pl_bsr_create_rows(int32_t n, const int64_t *row, const int32_t *col, pl_bsr *out)
{
    *out = (pl_bsr){0};
    PL_TRY(check_rows(n, row, col));
    int32_t *edge = pl_alloc(2 * row[n], sizeof *edge);
    if (edge == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = row[i]; k < row[i + 1]; k++) edge[2 * k] = i, edge[2 * k + 1] = col[k];
    }
    pl_status status = pl_bsr_create(n, row[n], edge, out);
    pl_free(edge);
    PL_TRY(status);
    if (out->nnz == row[n]) return PL_OK; // no more than there were, and they were all different
    pl_bsr_free(out);
    return pl_fail(PL_ERROR_ARGUMENT,
                   "the pattern of the matrix is not symmetric, or lacks a block of its diagonal");
}

pl_status pl_bsr_extend(pl_bsr *A, int32_t n)
{
    if (n == 0) return PL_OK;
    pl_bsr B = {.n = A->n + n, .nnz = A->nnz + n};
    B.row = pl_alloc((int64_t)B.n + 1, sizeof *B.row);
    B.col = pl_alloc(B.nnz, sizeof *B.col);
    B.diag = pl_alloc(B.n, sizeof *B.diag);
    B.val = pl_alloc(9 * (B.nnz + 1), sizeof *B.val);
    if (B.row == NULL || B.col == NULL || B.diag == NULL || B.val == NULL) {
        pl_bsr_free(&B);
        return PL_ERROR_MEMORY;
    }
    memcpy(B.row, A->row, ((size_t)A->n + 1) * sizeof *B.row);
    memcpy(B.col, A->col, (size_t)A->nnz * sizeof *B.col);
    memcpy(B.diag, A->diag, (size_t)A->n * sizeof *B.diag);
    for (int32_t i = A->n; i < B.n; i++) {
        B.diag[i] = B.row[i];
        B.col[B.row[i]] = i;
        B.row[i + 1] = B.row[i] + 1;
    }
    pl_bsr_set_parts(&B);
    pl_bsr_zero(&B);
    memcpy(B.val, A->val, 9 * (size_t)A->nnz * sizeof *B.val);
    pl_bsr_free(A);
    *A = B;
    return PL_OK;
}

pl_status pl_bsr_cut(const pl_bsr *A, const uint8_t *marked, pl_bsr *out)
{
    int64_t nnz = 0;
    *out = (pl_bsr){.n = A->n};
    out->row = pl_alloc((int64_t)A->n + 1, sizeof *out->row);
    out->diag = pl_alloc(A->n, sizeof *out->diag);
    out->col = pl_alloc(A->nnz, sizeof *out->col);
    bool ok = out->row != NULL && out->diag != NULL && out->col != NULL;
    for (int32_t i = 0; ok && i < A->n; i++) {
        out->row[i] = nnz;
        for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
            int32_t j = A->col[k];
            if (i == j) out->diag[i] = nnz;
            if (i == j || (!marked[i] && !marked[j])) out->col[nnz++] = j;
        }
        out->row[i + 1] = nnz;
    }
    out->nnz = nnz;
    out->val = pl_alloc(9 * (nnz + 1), sizeof *out->val);
    if (!ok || out->val == NULL) {
        pl_bsr_free(out);
        return PL_ERROR_MEMORY;
    }
    if (A->n == 0) out->row[0] = 0;
    pl_bsr_set_parts(out);
    pl_bsr_zero(out);
    return PL_OK;
}

void pl_bsr_free(pl_bsr *A)
{
    pl_free(A->row);
    pl_free(A->col);
    pl_free(A->diag);
    pl_free(A->val);
    *A = (pl_bsr){0};
}

void pl_bsr_loop(const pl_bsr *A, pl_loop_fn *body, const void *context)
{
    int64_t of_part = A->nnz / PL_MAX(A->n_part, 1) + 1;
    pl_loop(A->n_part, (CHUNK_BLOCKS + of_part - 1) / of_part, body, context);
}

// --- The values ---

// Part by part like the product, so that on machines with several memories the values lie near the
// thread that will read them.
static void zero_parts(void *context, int64_t first, int64_t last)
{
    const pl_bsr *A = context;
    int64_t from = A->row[A->part[first]], to = A->row[A->part[last]];
    memset(A->val + 9 * from, 0, 9 * (size_t)(to - from) * sizeof *A->val);
}

void pl_bsr_zero(pl_bsr *A)
{
    pl_bsr_loop(A, zero_parts, A);
    memset(A->val + 9 * A->nnz, 0, 9 * sizeof *A->val);
}

int64_t pl_bsr_find(const pl_bsr *A, int32_t i, int32_t j)
{
    int64_t low = A->row[i], high = A->row[i + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (A->col[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < A->row[i + 1] && A->col[low] == j ? low : -1;
}

// --- The product ---

// Each column of the blocks has a sum of its own, which keeps three additions in flight. The fourth
// number of a quad is the next column's, and is dropped at the end.
PL_CLONES double pl_bsr_multiply_rows(const pl_bsr *A, int32_t first, int32_t last,
                                      const double *restrict x, double *restrict y)
{
    const double *restrict val = A->val;
    double dot0 = 0, dot1 = 0, dot2 = 0;
    for (int32_t i = first; i < last; i++) {
        pl_quad s0 = {0}, s1 = {0}, s2 = {0};
        for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
            const double *a = val + 9 * k, *v = x + 3 * (int64_t)A->col[k];
            __builtin_prefetch(a + 9 * PREFETCH_BLOCKS);
            __builtin_prefetch(a + 9 * PREFETCH_BLOCKS + 8);
            s0 += PL_QUAD(a) * v[0];
            s1 += PL_QUAD(a + 3) * v[1];
            s2 += PL_QUAD(a + 6) * v[2];
        }
        pl_quad sum = (s0 + s1) + s2;
        const double *xi = x + 3 * (int64_t)i;
        double *yi = y + 3 * (int64_t)i;
        yi[0] = sum[0], yi[1] = sum[1], yi[2] = sum[2];
        dot0 += xi[0] * sum[0], dot1 += xi[1] * sum[1], dot2 += xi[2] * sum[2];
    }
    return (dot0 + dot1) + dot2;
}

typedef struct product {
    const pl_bsr *A;
    const double *x;
    double *y, *dot;
} product;

static void multiply_parts(void *context, int64_t first, int64_t last)
{
    const product *m = context;
    for (int64_t p = first; p < last; p++) {
        m->dot[p] = pl_bsr_multiply_rows(m->A, m->A->part[p], m->A->part[p + 1], m->x, m->y);
    }
}

double pl_bsr_multiply_dot(const pl_bsr *A, const double *x, double *y)
{
    double dot[PL_MAX_PARTS], sum = 0;
    pl_bsr_loop(A, multiply_parts, &(product){A, x, y, dot});
    for (int32_t p = 0; p < A->n_part; p++) sum += dot[p];
    return sum;
}

void pl_bsr_multiply(const pl_bsr *A, const double *x, double *y)
{
    pl_bsr_multiply_dot(A, x, y);
}
