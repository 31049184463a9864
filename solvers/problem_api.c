// Problems for programs: built, read, written, taken apart. A problem of a program is the first
// member of its owner, who holds what a problem borrows.

#include "problem_api.h"
#include "law.h"
#include "rows.h"

#include <math.h>
#include <string.h>

static pl_status own(pl_owned_problem **out)
{
    *out = pl_alloc_zero(1, sizeof **out);
    return *out != NULL ? PL_OK : PL_ERROR_MEMORY;
}

void pl_problem_destroy(pl_problem *problem)
{
    pl_owned_problem *owned = pl_problem_owner(problem);
    if (owned == NULL) return;
    pl_recorded_free(&owned->recorded);
    pl_workspace_free(&owned->workspace);
    pl_free(owned);
}

// Gives out what is complete, and destroys what is not.
static pl_status hand_over(pl_status status, pl_owned_problem *owned, pl_problem **out)
{
    if (status == PL_OK) {
        *out = &owned->recorded.problem;
    } else {
        pl_problem_destroy(&owned->recorded.problem);
    }
    return status;
}

// --- Building ---

// By how much the two halves of A may differ, relative to the larger of two numbers: rounding.
static const double ASYMMETRY = 1e-12;

static pl_status check_symmetry(const pl_bsr *A)
{
    for (int32_t i = 0; i < A->n; i++) {
        for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
            const double *B = A->val + 9 * k, *T = A->val + 9 * pl_bsr_find(A, A->col[k], i);
            for (int a = 0; a < 9; a++) {
                double x = B[a], y = T[3 * (a % 3) + a / 3];
                if (!isfinite(x)) {
                    return pl_fail(PL_ERROR_ARGUMENT, "block (%d, %d) of the matrix is not finite",
                                   (int)i, (int)A->col[k]);
                }
                if (fabs(x - y) <= ASYMMETRY * fmax(fabs(x), fabs(y))) continue;
                return pl_fail(PL_ERROR_ARGUMENT,
                               "block (%d, %d) of the matrix is not that of (%d, %d), transposed",
                               (int)i, (int)A->col[k], (int)A->col[k], (int)i);
            }
        }
    }
    return PL_OK;
}

static void transpose_block(const double *B, double *T)
{
    for (int a = 0; a < 9; a++) T[a] = B[3 * (a % 3) + a / 3];
}

static pl_status fill(int32_t n, const int64_t *row, const int32_t *col, const double *val,
                      const double *b, const uint8_t *prescribed, double dt, pl_recorded *to)
{
    if (n < 0) return pl_fail(PL_ERROR_ARGUMENT, "a matrix of %d block rows", (int)n);
    PL_TRY(pl_bsr_create_rows(n, row, col, &to->A));
    for (int64_t k = 0; k < to->A.nnz; k++) transpose_block(val + 9 * k, to->A.val + 9 * k);
    PL_TRY(check_symmetry(&to->A));
    to->b = pl_alloc(3 * (int64_t)n, sizeof *to->b);
    to->v = pl_alloc_zero(3 * (int64_t)n, sizeof *to->v);
    if (prescribed != NULL) to->prescribed = pl_alloc(n, 1);
    bool all = to->b != NULL && to->v != NULL && (prescribed == NULL || to->prescribed != NULL);
    if (!all) return PL_ERROR_MEMORY;
    memcpy(to->b, b, 3 * (size_t)n * sizeof *b);
    if (prescribed != NULL) memcpy(to->prescribed, prescribed, (size_t)n);
    to->problem = (pl_problem){.A = &to->A, .b = to->b, .prescribed = to->prescribed, .dt = dt};
    return pl_problem_check(&to->problem, to->v, to->v);
}

pl_status pl_problem_create(int32_t n, const int64_t *row, const int32_t *col, const double *val,
                            const double *b, const uint8_t *prescribed, double dt, pl_problem **out)
{
    pl_owned_problem *owned;
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(row);
    PL_REQUIRE(col);
    PL_REQUIRE(val);
    PL_REQUIRE(b);
    PL_TRY(own(&owned));
    return hand_over(fill(n, row, col, val, b, prescribed, dt, &owned->recorded), owned, out);
}

// A plain cone keeps no limits.
static bool is_plain(const pl_constraint_info *info)
{
    const double *e = info->compliance;
    return info->law == PL_LAW_CONE && e[0] == 0 && e[1] == 0 && e[2] == 0;
}

static pl_status check_terms(const pl_problem *problem, int32_t n_term, const pl_term *term)
{
    if (n_term < 0) return pl_fail(PL_ERROR_ARGUMENT, "a constraint of %d terms", (int)n_term);
    for (int32_t i = 0; i < n_term; i++) {
        if (term[i].block >= 0 && term[i].block < problem->A->n) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "term %d: block %d of %d", (int)i, (int)term[i].block,
                       (int)problem->A->n);
    }
    return PL_OK;
}

// Takes the last constraint back.
static void drop_last(pl_problem *problem, int32_t n_term, int32_t n_arm, int32_t n_limits)
{
    problem->n_constraint--;
    problem->n_term = n_term;
    problem->n_arm = n_arm;
    problem->n_limits = n_limits;
}

pl_status pl_problem_add_constraint(pl_problem *problem, const pl_constraint_info *info,
                                    int32_t n_term, const pl_term *term)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(info);
    if (n_term != 0) PL_REQUIRE(term);
    PL_TRY(check_terms(problem, n_term, term));
    pl_owned_problem *owned = pl_problem_owner(problem);
    int64_t m = 3 * (int64_t)problem->n_constraint;
    if (owned->f_capacity < m + 3) { // one that was read has just as many as it needs
        double *f = pl_alloc_zero(2 * m + 3, sizeof *f);
        if (f == NULL) return PL_ERROR_MEMORY;
        if (m > 0) memcpy(f, owned->recorded.f, (size_t)m * sizeof *f);
        pl_free(owned->recorded.f);
        owned->recorded.f = f;
        owned->f_capacity = 2 * m + 3;
    }
    pl_constraint constraint = {.mu = info->mu};
    pl_limits limits = {.law = info->law};
    memcpy(constraint.R, info->axes, sizeof constraint.R);
    memcpy(constraint.c, info->c, sizeof constraint.c);
    memcpy(limits.compliance, info->compliance, sizeof limits.compliance);
    memcpy(limits.lo, info->lo, sizeof limits.lo);
    memcpy(limits.hi, info->hi, sizeof limits.hi);
    limits.directions = info->directions;
    limits.outer = info->outer;
    int32_t n_entry = problem->n_term, n_arm = problem->n_arm, n_limits = problem->n_limits;
    PL_TRY(pl_problem_add_limited(problem, &constraint, is_plain(info) ? NULL : &limits, n_term,
                                  term));
    memset(owned->recorded.f + m, 0, 3 * sizeof *owned->recorded.f);
    pl_status status = pl_problem_check_constraint(problem, problem->n_constraint - 1);
    if (status != PL_OK) drop_last(problem, n_entry, n_arm, n_limits);
    return status;
}

// --- Files ---

pl_status pl_problem_read(const char *path, pl_problem **out)
{
    pl_owned_problem *owned;
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(path);
    PL_TRY(own(&owned));
    return hand_over(pl_recorded_read(path, &owned->recorded), owned, out);
}

pl_status pl_problem_write(const pl_problem *problem, const char *path)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(path);
    const pl_recorded *recorded = &pl_problem_owner_const(problem)->recorded;
    return pl_recorded_write(problem, recorded->v, recorded->f, path);
}

pl_status pl_problem_copy_from(const pl_problem *from, const double *v, const double *f,
                               pl_problem **out)
{
    pl_owned_problem *owned;
    *out = NULL;
    PL_TRY(own(&owned));
    return hand_over(pl_recorded_copy(from, v, f, &owned->recorded), owned, out);
}

// --- Taking apart ---

pl_problem_size pl_problem_sizes(const pl_problem *problem)
{
    if (problem == NULL) return (pl_problem_size){0};
    pl_problem_size size = {.blocks = problem->A->n,
                            .constraints = problem->n_constraint,
                            .matrix_blocks = problem->A->nnz,
                            .row_blocks = problem->n_term,
                            .dt = problem->dt};
    for (int32_t i = 0; i < size.blocks; i++) {
        size.unknowns += pl_is_prescribed(problem, i) ? 0 : 3;
    }
    return size;
}

pl_status pl_problem_matrix(const pl_problem *problem, int64_t *row, int32_t *col, double *val)
{
    PL_REQUIRE(problem);
    const pl_bsr *A = problem->A;
    if (row != NULL) memcpy(row, A->row, ((size_t)A->n + 1) * sizeof *row);
    if (col != NULL) memcpy(col, A->col, (size_t)A->nnz * sizeof *col);
    for (int64_t k = 0; k < A->nnz && val != NULL; k++) {
        transpose_block(A->val + 9 * k, val + 9 * k);
    }
    return PL_OK;
}

// The columns of a row need not be in order as terms stand.
static int32_t rank_of(const pl_problem *problem, const pl_constraint *constraint, int32_t term)
{
    int32_t rank = 0;
    const pl_entry *entry = problem->entry;
    for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
        rank += entry[t].block < entry[term].block;
    }
    return rank;
}

pl_status pl_problem_rows(const pl_problem *problem, int64_t *row, int32_t *col, double *val)
{
    PL_REQUIRE(problem);
    if (row != NULL) row[0] = 0;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        if (row != NULL) row[k + 1] = (int64_t)constraint->first + constraint->count;
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            int64_t at = constraint->first + rank_of(problem, constraint, t);
            if (col != NULL) col[at] = problem->entry[t].block;
            if (val != NULL) pl_entry_rows(problem, constraint, problem->entry + t, val + 9 * at);
        }
    }
    return PL_OK;
}

const double *pl_problem_rhs(const pl_problem *problem)
{
    return problem != NULL ? problem->b : NULL;
}

const uint8_t *pl_problem_prescribed(const pl_problem *problem)
{
    return problem != NULL ? problem->prescribed : NULL;
}

static pl_status check_index(const pl_problem *problem, int32_t k)
{
    if (k >= 0 && k < problem->n_constraint) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "constraint %d of %d: the first is 0", (int)k,
                   (int)problem->n_constraint);
}

pl_status pl_problem_constraint(const pl_problem *problem, int32_t k, pl_constraint_info *out)
{
    PL_REQUIRE(out);
    *out = (pl_constraint_info){0};
    PL_REQUIRE(problem);
    PL_TRY(check_index(problem, k));
    const pl_constraint *constraint = problem->constraint + k;
    const pl_limits *limits = pl_limits_of(problem, constraint);
    out->mu = constraint->mu;
    memcpy(out->axes, constraint->R, sizeof out->axes);
    memcpy(out->c, constraint->c, sizeof out->c);
    if (limits == NULL) return PL_OK;
    out->law = limits->law;
    memcpy(out->compliance, limits->compliance, sizeof out->compliance);
    out->directions = limits->directions;
    out->outer = limits->outer;
    memcpy(out->lo, limits->lo, sizeof out->lo);
    memcpy(out->hi, limits->hi, sizeof out->hi);
    return PL_OK;
}

// --- Products ---

pl_status pl_problem_multiply(const pl_problem *problem, const double *x, double *y)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(x);
    PL_REQUIRE(y);
    pl_bsr_multiply(problem->A, x, y);
    return PL_OK;
}

pl_status pl_problem_relative(const pl_problem *problem, const double *v, double *u)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(v);
    PL_REQUIRE(u);
    pl_rows_multiply(problem, NULL, true, v, u);
    return PL_OK;
}

pl_status pl_problem_momentum(const pl_problem *problem, const double *f, double *p)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(f);
    PL_REQUIRE(p);
    memset(p, 0, 3 * (size_t)problem->A->n * sizeof *p);
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        const double *g = f + 3 * (int64_t)k;
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            double G[9], *to = p + 3 * (int64_t)problem->entry[t].block;
            pl_entry_rows(problem, constraint, problem->entry + t, G);
            for (int a = 0; a < 9; a++) to[a % 3] += G[a] * g[a / 3];
        }
    }
    return PL_OK;
}

pl_status pl_problem_solve_one(const pl_problem *problem, int32_t k, const double S[9],
                               const double q[3], double f[3])
{
    PL_REQUIRE(problem);
    PL_REQUIRE(S);
    PL_REQUIRE(q);
    PL_REQUIRE(f);
    PL_TRY(check_index(problem, k));
    const pl_constraint *constraint = problem->constraint + k;
    const pl_limits *limits = pl_limits_of(problem, constraint);
    pl_block block;
    double w[3];
    for (int a = 0; a < 3; a++) {
        w[a] = q[a] + S[3 * a] * f[0] + S[3 * a + 1] * f[1] + S[3 * a + 2] * f[2];
    }
    pl_block_set(&block, limits, constraint->mu, S, 1);
    pl_block_relax(&block, limits, w, f);
    return PL_OK;
}
