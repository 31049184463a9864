// Cholesky's factor with pivots from the diagonal: what is left of a semidefinite matrix is bounded
// by its largest diagonal entry, so that rank and end show there. Dense within a part: the matrices
// of contacts that this is for fill in, whatever the order, and their pivots must be free.

#include "psd_factor.h"

#include <math.h>
#include <string.h>

// What is left of a diagonal, over the largest of W and per row of the part, that is rounding.
static const double ROUNDING = 1e-15;
// Below 0 by more than this part of the largest entry, W is not semidefinite; nor if that much of W
// is missing in B B^T.
static const double INDEFINITE = 1e-8;

void pl_psd_factor_free(pl_psd_factor *f)
{
    pl_free(f->start);
    pl_free(f->row);
    pl_free(f->rank);
    pl_free(f->begin);
    pl_free(f->B);
    *f = (pl_psd_factor){0};
}

// --- Parts ---

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void join(int32_t *parent, int32_t i, int32_t j)
{
    i = root_of(parent, i), j = root_of(parent, j);
    parent[PL_MAX(i, j)] = PL_MIN(i, j);
}

// Lists the rows part by part; parts come in the order of their first rows. number (n) is scratch.
static void list_parts(pl_psd_factor *f, int32_t n, int32_t *parent, int32_t *number)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t root = root_of(parent, i);
        if (root == i) number[i] = f->n_part++;
        f->start[number[root] + 1]++;
    }
    for (int32_t p = 0; p < f->n_part; p++) f->start[p + 1] += f->start[p];
    for (int32_t i = 0; i < n; i++) f->row[f->start[number[parent[i]]]++] = i;
    for (int32_t p = f->n_part; p > 0; p--) f->start[p] = f->start[p - 1];
    f->start[0] = 0;
}

static pl_status find_parts(const pl_sparse *W, const int32_t *together, pl_psd_factor *f)
{
    int32_t n = W->n_col;
    int32_t *parent = pl_alloc(n, sizeof *parent), *number = pl_alloc(n, sizeof *number);
    f->start = pl_alloc_zero((int64_t)n + 1, sizeof *f->start);
    f->row = pl_alloc(n, sizeof *f->row);
    bool all = parent != NULL && number != NULL && f->start != NULL && f->row != NULL;
    for (int32_t i = 0; i < n && all; i++) parent[i] = i;
    for (int32_t j = 0; j < n && all; j++) {
        if (j > 0 && together != NULL && together[j] == together[j - 1]) join(parent, j, j - 1);
        for (int64_t k = W->col[j]; k < W->col[j + 1]; k++) {
            if (W->val[k] != 0) join(parent, j, W->row[k]);
        }
    }
    for (int32_t i = 0; i < n && all; i++) parent[i] = root_of(parent, i);
    if (all) list_parts(f, n, parent, number);
    pl_free(parent);
    pl_free(number);
    return all ? PL_OK : PL_ERROR_MEMORY;
}

// --- One part ---

// A part on its way.
typedef struct part {
    const pl_sparse *W;
    const int32_t *row; // (m) of W
    const int32_t *at;  // (n) where a row stands in the part
    int32_t m, rank;
    double *B;      // (m*m) columns
    double *left;   // (m) what is left of the diagonal; -1: was a pivot
    double largest; // of the diagonal of W
} part;

// x (m) := column `at` of W.
static void load_column(const part *p, int32_t at, double *x)
{
    int32_t j = p->row[at];
    memset(x, 0, (size_t)p->m * sizeof *x);
    for (int64_t k = p->W->col[j]; k < p->W->col[j + 1]; k++) {
        if (p->W->val[k] != 0) x[p->at[p->W->row[k]]] = p->W->val[k];
    }
}

// x (m) -= B times the rows of B at `at`.
static void subtract(const part *p, int32_t at, double *restrict x)
{
    for (int32_t k = 0; k < p->rank; k++) {
        const double *restrict b = p->B + (int64_t)k * p->m;
        double by = b[at];
        if (by == 0) continue;
        for (int32_t i = 0; i < p->m; i++) x[i] -= by * b[i];
    }
}

static int32_t find_pivot(const part *p)
{
    int32_t best = 0;
    for (int32_t i = 1; i < p->m; i++) {
        if (p->left[i] > p->left[best]) best = i;
    }
    return best;
}

static void take_pivot(part *p, int32_t at)
{
    double *b = p->B + (int64_t)p->rank * p->m;
    load_column(p, at, b);
    subtract(p, at, b);
    double by = 1 / sqrt(b[at]);
    for (int32_t i = 0; i < p->m; i++) {
        bool was = p->left[i] == -1;
        b[i] = was ? 0 : b[i] * by;
        if (!was) p->left[i] -= b[i] * b[i];
    }
    p->left[at] = -1;
    p->rank++;
}

// The largest of what W has and B B^T has not; in *row where.
static double measure_rest(const part *p, double *x, int32_t *row)
{
    double most = 0;
    for (int32_t j = 0; j < p->m; j++) {
        load_column(p, j, x);
        subtract(p, j, x);
        for (int32_t i = 0; i < p->m; i++) {
            if (fabs(x[i]) > most) most = fabs(x[i]), *row = p->row[j];
        }
    }
    return most;
}

static pl_status factor_part(part *p, double *x, double *rest)
{
    for (int32_t i = 0; i < p->m; i++) {
        load_column(p, i, x);
        p->left[i] = x[i];
        p->largest = fmax(p->largest, x[i]);
        if (x[i] < 0) {
            return pl_fail(PL_ERROR_ARGUMENT, "W: row %d has a diagonal of %g", (int)p->row[i],
                           x[i]);
        }
    }
    double least = ROUNDING * p->m * p->largest;
    while (p->rank < p->m) {
        int32_t at = find_pivot(p);
        if (!(p->left[at] > least)) break;
        take_pivot(p, at);
    }
    int32_t row = p->row[0];
    double missing = p->rank < p->m ? measure_rest(p, x, &row) : 0;
    *rest = fmax(*rest, missing);
    if (missing <= INDEFINITE * p->largest) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT,
                   "W is not positive semidefinite: row %d, by %.3g with a largest diagonal of "
                   "%.3g",
                   (int)row, missing, p->largest);
}

// Appends the columns of a part.
static pl_status keep(const part *p, int32_t number, int64_t *capacity, pl_psd_factor *out)
{
    int64_t n = (int64_t)p->m * p->rank, begin = out->begin[number];
    PL_TRY(pl_reserve((void **)&out->B, capacity, begin + n, sizeof *out->B));
    if (n > 0) memcpy(out->B + begin, p->B, (size_t)n * sizeof *p->B);
    out->begin[number + 1] = begin + n;
    out->rank[number] = p->rank;
    return PL_OK;
}

static pl_status factor_parts(const pl_sparse *W, int32_t most, int32_t *at, pl_psd_factor *out)
{
    int64_t capacity = 0;
    for (int32_t i = 0; i < out->n_part; i++) {
        part p = {.W = W, .row = out->row + out->start[i], .at = at};
        p.m = out->start[i + 1] - out->start[i];
        if (p.m > most) {
            return pl_fail(PL_ERROR_ARGUMENT,
                           "W: %d rows answer each other, from row %d on, and %d is the limit",
                           (int)p.m, (int)p.row[0], (int)most);
        }
        for (int32_t k = 0; k < p.m; k++) at[p.row[k]] = k;
        p.B = pl_alloc((int64_t)p.m * p.m, sizeof *p.B);
        p.left = pl_alloc(2 * (int64_t)p.m, sizeof *p.left);
        bool all = p.B != NULL && p.left != NULL;
        pl_status status = all ? factor_part(&p, p.left + p.m, &out->rest) : PL_ERROR_MEMORY;
        if (status == PL_OK) status = keep(&p, i, &capacity, out);
        pl_free(p.B);
        pl_free(p.left);
        PL_TRY(status);
    }
    return PL_OK;
}

pl_status pl_psd_factor_create(const pl_sparse *W, const int32_t *together, int32_t most,
                               pl_psd_factor *out)
{
    *out = (pl_psd_factor){0};
    pl_status status = find_parts(W, together, out);
    int32_t *at = pl_alloc(W->n_col, sizeof *at);
    out->rank = pl_alloc_zero(out->n_part, sizeof *out->rank);
    out->begin = pl_alloc_zero((int64_t)out->n_part + 1, sizeof *out->begin);
    bool all = at != NULL && out->rank != NULL && out->begin != NULL;
    if (status == PL_OK && !all) status = PL_ERROR_MEMORY;
    if (status == PL_OK) status = factor_parts(W, most, at, out);
    pl_free(at);
    if (status != PL_OK) pl_psd_factor_free(out);
    return status;
}
