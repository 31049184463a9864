// The rank is that of D^-1/2 L^T, with D the diagonal of A, by Gram-Schmidt with the longest column
// first: the lengths of what is left fall, and the squares of the first and the last that counts
// have about the ratio of the eigenvalues of L D^-1 L^T.

#include "traits.h"

#include <math.h>
#include <string.h>

// Columns shorter than this part of the longest are rounding: 1e-14 of W.
static const double NOTHING = 1e-7;
// Multiplications that a rank is worth: about a second.
static const double MOST_WORK = 5e8;
// A squared length that has lost so much is computed anew: the rest is rounding.
static const double CANCELLED = 1e-4;

typedef struct rows {
    int64_t n, m; // unknowns that rows touch; rows that are used
    double *C;    // (n*m) column by column
} rows;

// The diagonal of A (3*blocks).
static pl_status read_diagonal(const pl_problem *problem, const pl_problem_size *size,
                               double *diagonal)
{
    int64_t *row = pl_alloc((int64_t)size->blocks + 1, sizeof *row);
    int32_t *col = pl_alloc(size->matrix_blocks, sizeof *col);
    double *val = pl_alloc(9 * size->matrix_blocks, sizeof *val);
    bool all = row != NULL && col != NULL && val != NULL;
    pl_status status = all ? pl_problem_matrix(problem, row, col, val) : PL_ERROR_MEMORY;
    for (int32_t i = 0; i < size->blocks && status == PL_OK; i++) {
        for (int64_t k = row[i]; k < row[i + 1]; k++) {
            if (col[k] != i) continue;
            for (int a = 0; a < 3; a++) diagonal[3 * (int64_t)i + a] = val[9 * k + 4 * a];
        }
    }
    pl_free(row);
    pl_free(col);
    pl_free(val);
    return status;
}

// The largest number on the diagonal over the smallest, without the prescribed blocks.
static double ratio_of(const pl_problem *problem, const pl_problem_size *size,
                       const double *diagonal)
{
    const uint8_t *prescribed = pl_problem_prescribed(problem);
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < 3 * (int64_t)size->blocks; i++) {
        if (prescribed != NULL && prescribed[i / 3] != 0) continue;
        least = fmin(least, diagonal[i]), most = fmax(most, diagonal[i]);
    }
    return most > 0 && least > 0 ? most / least : 1;
}

static bool is_used(const pl_constraint_info *info, int a)
{
    return info->law == PL_LAW_CONE ? a == 0 || info->mu > 0 : info->lo[a] != info->hi[a];
}

static void count(const pl_problem *problem, pl_traits *t)
{
    int32_t n = pl_problem_sizes(problem).constraints;
    t->mu_least = INFINITY;
    for (int32_t k = 0; k < n; k++) {
        pl_constraint_info info;
        if (pl_problem_constraint(problem, k, &info) != PL_OK) continue;
        bool cone = info.law == PL_LAW_CONE;
        t->contacts += cone;
        t->boxes += !cone;
        if (cone) t->mu_least = fmin(t->mu_least, info.mu);
        if (cone) t->mu_most = fmax(t->mu_most, info.mu);
        for (int a = 0; a < 3; a++) t->rows += is_used(&info, a);
    }
    if (t->contacts == 0) t->mu_least = 0;
    t->rows_per_unknown = t->unknowns > 0 ? (double)t->rows / (double)t->unknowns : 0;
}

// C := the used rows of L over the roots of the diagonal. at (blocks): where a block that rows
// touch begins in a column; -1 if none does.
static void fill(const pl_problem *problem, const double *diagonal, const int64_t *row,
                 const int32_t *col, const double *val, const int64_t *at, rows *to)
{
    int32_t n = pl_problem_sizes(problem).constraints;
    int64_t column = 0;
    for (int32_t k = 0; k < n; k++) {
        pl_constraint_info info;
        if (pl_problem_constraint(problem, k, &info) != PL_OK) continue;
        for (int a = 0; a < 3; a++) {
            if (!is_used(&info, a)) continue;
            double *c = to->C + to->n * column++;
            for (int64_t t = row[k]; t < row[k + 1]; t++) {
                if (at[col[t]] < 0) continue;
                for (int i = 0; i < 3; i++) {
                    double d = diagonal[3 * (int64_t)col[t] + i];
                    c[at[col[t]] + i] = val[9 * t + 3 * a + i] / sqrt(d > 0 ? d : 1);
                }
            }
        }
    }
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) sum[k] += x[i + k] * y[i + k];
    }
    for (; i < n; i++) sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Gram-Schmidt, the longest column first; left (2*m) is scratch: the squares of what is left of
// each column, and what they were when they were last computed.
static void find_rank(rows *r, double *left, pl_traits *t)
{
    double first = 0, last = 0;
    t->rank = 0;
    double *sure = left + r->m;
    for (int64_t j = 0; j < r->m; j++) {
        left[j] = sure[j] = dot(r->n, r->C + r->n * j, r->C + r->n * j);
    }
    while (t->rank < r->m && t->rank < r->n) {
        int64_t best = 0;
        for (int64_t j = 1; j < r->m; j++) {
            if (left[j] > left[best]) best = j;
        }
        double *q = r->C + r->n * best, length = sqrt(dot(r->n, q, q));
        if (t->rank == 0) first = length;
        if (!(length > NOTHING * first)) break;
        last = length;
        for (int64_t i = 0; i < r->n; i++) q[i] /= length;
        left[best] = -1;
        for (int64_t j = 0; j < r->m; j++) {
            if (left[j] < 0) continue;
            double *c = r->C + r->n * j, along = dot(r->n, q, c);
            for (int64_t i = 0; i < r->n; i++) c[i] -= along * q[i];
            left[j] = fmax(left[j] - along * along, 0);
            if (left[j] < CANCELLED * sure[j]) left[j] = sure[j] = dot(r->n, c, c);
        }
        t->rank++;
    }
    t->hyperstatic = r->m > 0 ? (double)(r->m - t->rank) / (double)r->m : 0;
    t->condition = t->rank > 0 ? (first / last) * (first / last) : 1;
}

static pl_status look_at_rows(const pl_problem *problem, const pl_problem_size *size,
                              const double *diagonal, pl_traits *t)
{
    const uint8_t *prescribed = pl_problem_prescribed(problem);
    int64_t *row = pl_alloc((int64_t)size->constraints + 1, sizeof *row);
    int32_t *col = pl_alloc(size->row_blocks, sizeof *col);
    double *val = pl_alloc(9 * size->row_blocks, sizeof *val), *left = NULL;
    int64_t *at = pl_alloc(size->blocks, sizeof *at);
    rows r = {.m = t->rows};
    bool all = row != NULL && col != NULL && val != NULL && at != NULL;
    pl_status status = all ? pl_problem_rows(problem, row, col, val) : PL_ERROR_MEMORY;
    for (int32_t i = 0; i < size->blocks && status == PL_OK; i++) at[i] = -1;
    for (int64_t k = 0; k < size->row_blocks && status == PL_OK; k++) {
        bool given = prescribed != NULL && prescribed[col[k]] != 0;
        if (!given && at[col[k]] < 0) at[col[k]] = r.n, r.n += 3;
    }
    double work = (double)r.n * (double)r.m * (double)PL_MIN(r.n, r.m);
    if (status == PL_OK && work <= MOST_WORK) {
        r.C = pl_alloc_zero(r.n * r.m, sizeof *r.C);
        left = pl_alloc(2 * r.m, sizeof *left);
        if (r.C == NULL || left == NULL) status = PL_ERROR_MEMORY;
        if (status == PL_OK) fill(problem, diagonal, row, col, val, at, &r);
        if (status == PL_OK) find_rank(&r, left, t);
    }
    pl_free(row);
    pl_free(col);
    pl_free(val);
    pl_free(at);
    pl_free(r.C);
    pl_free(left);
    return status;
}

pl_status pl_traits_of(const pl_problem *problem, pl_traits *out)
{
    pl_problem_size size = pl_problem_sizes(problem);
    *out = (pl_traits){.blocks = size.blocks,
                       .unknowns = size.unknowns,
                       .rank = -1,
                       .hyperstatic = NAN,
                       .condition = NAN};
    double *diagonal = pl_alloc_zero(3 * (int64_t)size.blocks, sizeof *diagonal);
    pl_status status = diagonal != NULL ? read_diagonal(problem, &size, diagonal) : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        out->diagonal_ratio = ratio_of(problem, &size, diagonal);
        count(problem, out);
        status = look_at_rows(problem, &size, diagonal, out);
    }
    pl_free(diagonal);
    return status;
}
