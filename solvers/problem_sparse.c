// Problems of other programs, in the forms of FCLIB, as problems of ours.
//
// The global form is ours but for its blocks: H may have any 3x3 block, where ours are a weight and
// an arm. pl_problem keeps what is neither in its `stretch`. Velocities are taken in blocks of
// three as they come, filled up to a multiple of three with unit masses that nothing touches.
//
// The local form has no velocities. W is semidefinite, and not invertible where contacts say the
// same, so that A = W^-1 would not do; but W = B B^T, and with velocities z = B^T r of as many
// numbers as W has rank, A = I and L = B:
//
//     A z = L^T r,   u = L z + q = W r + q.
//
// Rounding is all that this costs: psd_factor.h.
//
// Equations are boxes without bounds. Contacts of two dimensions get a second tangent without rows:
// no impulse along it changes anything, and none arises.

#include "problem_api.h"
#include "psd_factor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// How many rows of W may answer each other: B takes 300 MB then.
enum { MOST_ROWS = 6000 };

// By how much the halves of a matrix may differ, over the root of the product of its diagonals:
// what other programs leave of symmetry.
static const double ASYMMETRY = 1e-7;

// --- Checks ---

static pl_status check_sparse(const pl_sparse *S, const char *name, int64_t n_row, int64_t n_col)
{
    if (S->n_row != n_row || S->n_col != n_col) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s has %d rows and %d columns, not %lld and %lld", name,
                       (int)S->n_row, (int)S->n_col, (long long)n_row, (long long)n_col);
    }
    if (n_col == 0) return PL_OK;
    if (S->col == NULL || S->row == NULL || S->val == NULL || S->col[0] != 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: no columns, or the first does not start at 0", name);
    }
    for (int64_t j = 0; j < n_col; j++) {
        if (S->col[j + 1] >= S->col[j]) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "%s: column %lld ends before it starts", name,
                       (long long)j);
    }
    for (int64_t j = 0; j < n_col; j++) {
        for (int64_t k = S->col[j]; k < S->col[j + 1]; k++) {
            if (S->row[k] < 0 || S->row[k] >= n_row) {
                return pl_fail(PL_ERROR_ARGUMENT, "%s: column %lld has row %d of %lld", name,
                               (long long)j, (int)S->row[k], (long long)n_row);
            }
            if (k > S->col[j] && S->row[k] <= S->row[k - 1]) {
                return pl_fail(PL_ERROR_ARGUMENT, "%s: rows of column %lld do not ascend", name,
                               (long long)j);
            }
            if (!isfinite(S->val[k])) {
                return pl_fail(PL_ERROR_ARGUMENT, "%s: row %d, column %lld is not finite", name,
                               (int)S->row[k], (long long)j);
            }
        }
    }
    return PL_OK;
}

static pl_status check_vector(const double *x, const char *name, int64_t n)
{
    if (n > 0 && x == NULL) return pl_fail(PL_ERROR_ARGUMENT, "%s is missing", name);
    for (int64_t i = 0; i < n; i++) {
        if (isfinite(x[i])) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "%s: number %lld is not finite", name, (long long)i);
    }
    return PL_OK;
}

static pl_status check_friction(const double *mu, int32_t n)
{
    PL_TRY(check_vector(mu, "mu", n));
    for (int32_t k = 0; k < n; k++) {
        if (mu[k] >= 0) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "mu: contact %d has %g", (int)k, mu[k]);
    }
    return PL_OK;
}

static pl_status check_counts(int32_t n_contact, int32_t dimension, double dt)
{
    if (n_contact < 0 || n_contact > INT32_MAX / 8 || (dimension != 2 && dimension != 3)) {
        return pl_fail(PL_ERROR_ARGUMENT, "%d contacts of %d dimensions", (int)n_contact,
                       (int)dimension);
    }
    if (dt > 0 && isfinite(dt)) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "dt is %g: it must be positive", dt);
}

// Entry (i, j); 0 where there is none.
static double entry_of(const pl_sparse *S, int32_t i, int32_t j)
{
    int64_t low = S->col[j], high = S->col[j + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (S->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < S->col[j + 1] && S->row[low] == i ? S->val[low] : 0;
}

// Checks, and makes a copy of the values whose halves are the same.
static pl_status make_symmetric(const pl_sparse *S, const char *name, double *val)
{
    for (int32_t j = 0; j < S->n_col; j++) {
        for (int64_t k = S->col[j]; k < S->col[j + 1]; k++) {
            int32_t i = S->row[k];
            double x = S->val[k], y = entry_of(S, j, i);
            double size = sqrt(fabs(entry_of(S, i, i)) * fabs(entry_of(S, j, j)));
            if (!(fabs(x - y) <= ASYMMETRY * size)) {
                return pl_fail(PL_ERROR_ARGUMENT,
                               "%s is not symmetric: row %d, column %d has %.9g, and across the "
                               "diagonal stands %.9g",
                               name, (int)i, (int)j, x, y);
            }
            val[k] = 0.5 * (x + y);
        }
    }
    return PL_OK;
}

// --- Blocks ---

// A 3x3 block in a list: where it stands, and which number of it.
typedef struct number {
    int32_t row, col; // of the block
    int32_t place;    // 3 * (row in it) + (column in it)
    double value;
} number;

static int compare_numbers(const void *a, const void *b)
{
    const number *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->col != y->col ? (x->col < y->col ? -1 : 1) : x->place - y->place;
}

// Blocks in compressed rows, row-major.
typedef struct blocks {
    int32_t n_row;
    int64_t *row; // (n_row + 1)
    int32_t *col;
    double *val;
} blocks;

static void blocks_free(blocks *b)
{
    pl_free(b->row);
    pl_free(b->col);
    pl_free(b->val);
    *b = (blocks){0};
}

// From n numbers, which are sorted here.
static pl_status blocks_create(int32_t n_row, int64_t n, number *list, blocks *out)
{
    int64_t count = 0;
    qsort(list, (size_t)n, sizeof *list, compare_numbers);
    for (int64_t k = 0; k < n; k++) {
        count += k == 0 || list[k].row != list[k - 1].row || list[k].col != list[k - 1].col;
    }
    *out = (blocks){n_row, pl_alloc_zero((int64_t)n_row + 1, sizeof *out->row),
                    pl_alloc(count, sizeof *out->col), pl_alloc_zero(9 * count, sizeof *out->val)};
    if (out->row == NULL || out->col == NULL || out->val == NULL) return PL_ERROR_MEMORY;
    int64_t at = -1;
    for (int64_t k = 0; k < n; k++) {
        if (k == 0 || list[k].row != list[k - 1].row || list[k].col != list[k - 1].col) {
            out->col[++at] = list[k].col;
            out->row[list[k].row + 1]++;
        }
        out->val[9 * at + list[k].place] += list[k].value;
    }
    for (int32_t i = 0; i < n_row; i++) out->row[i + 1] += out->row[i];
    return PL_OK;
}

// What the parts of a block may differ by and still be the same, over its largest number.
static const double SAME = 1e-13;

// Takes rows G along the axes R apart: R^T G v = w v + v x r + S v. What is S by rounding alone is
// left out, so that the rows of bodies are those that ours have. Returns if there is an S.
static bool split_block(const double *R, const double *G, pl_term *term, double S[6])
{
    double N[9], most = 0, rest = 0;
    for (int e = 0; e < 9; e++) {
        const double *r = R + e / 3, *g = G + e % 3;
        N[e] = (r[0] * g[0] + r[3] * g[3]) + r[6] * g[6];
        most = fmax(most, fabs(G[e]));
    }
    double w = (N[0] + N[4] + N[8]) / 3;
    bool round = fmax(fabs(N[0] - w), fmax(fabs(N[4] - w), fabs(N[8] - w))) <= SAME * most;
    term->w = round ? w : 0;
    term->r[0] = 0.5 * (N[5] - N[7]);
    term->r[1] = 0.5 * (N[6] - N[2]);
    term->r[2] = 0.5 * (N[1] - N[3]);
    S[0] = round ? 0 : N[0], S[3] = round ? 0 : N[4], S[5] = round ? 0 : N[8];
    S[1] = 0.5 * (N[1] + N[3]);
    S[2] = 0.5 * (N[2] + N[6]);
    S[4] = 0.5 * (N[5] + N[7]);
    for (int e = 0; e < 6; e++) rest = fmax(rest, fabs(S[e]));
    for (int a = 0; a < 3; a++) {
        if (fabs(term->r[a]) <= SAME * most) term->r[a] = 0;
    }
    return rest > SAME * most;
}

static pl_status check_blocks(const pl_problem *problem, int32_t n, const int32_t *block)
{
    if (n < 0) return pl_fail(PL_ERROR_ARGUMENT, "a constraint of %d blocks", (int)n);
    for (int32_t t = 0; t < n; t++) {
        bool again = t > 0 && block[t] <= block[t - 1];
        if (block[t] >= 0 && block[t] < problem->A->n && !again) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "block %d of a constraint is %d: they ascend, below %d",
                       (int)t, (int)block[t], (int)problem->A->n);
    }
    return PL_OK;
}

pl_status pl_problem_add_blocks(pl_problem *problem, const pl_constraint_info *info, int32_t n,
                                const int32_t *block, const double *rows)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(info);
    if (n != 0) PL_REQUIRE(block);
    if (n != 0) PL_REQUIRE(rows);
    PL_TRY(check_blocks(problem, n, block));
    pl_term *term = pl_alloc(n, sizeof *term);
    if (term == NULL) return PL_ERROR_MEMORY;
    double S[6];
    int32_t before = problem->n_constraint, at = problem->n_term;
    for (int32_t t = 0; t < n; t++) {
        term[t].block = block[t];
        split_block(info->axes, rows + 9 * (int64_t)t, term + t, S);
    }
    pl_status status = pl_problem_add_constraint(problem, info, n, term);
    for (int32_t t = 0; t < n && status == PL_OK; t++) {
        bool stretched = split_block(info->axes, rows + 9 * (int64_t)t, term + t, S);
        if (stretched) status = pl_problem_stretch(problem, at + t, S);
    }
    if (status == PL_OK) status = pl_problem_check_constraint(problem, before);
    pl_free(term);
    if (status != PL_OK && problem->n_constraint > before) pl_problem_cut(problem, before);
    return status;
}

// What the constraints are made of, whatever the form. Constraint k is contact k, those after them
// are three equations each.
typedef struct plan {
    int32_t n_contact, dimension, n_equation;
    const double *mu, *w, *b; // c is -w, and -b
    blocks L;
} plan;

static int32_t count_constraints(const plan *p)
{
    return p->n_contact + (p->n_equation + 2) / 3;
}

// Where row i of the contacts, or of the equations, stands: 3 * constraint + axis.
static int64_t place_contact(const plan *p, int64_t i)
{
    return 3 * (i / p->dimension) + i % p->dimension;
}

static int64_t place_equation(const plan *p, int64_t i)
{
    return 3 * (int64_t)p->n_contact + i;
}

static pl_constraint_info describe(const plan *p, int32_t k)
{
    pl_constraint_info info = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (k < p->n_contact) {
        info.law = PL_LAW_CONE;
        info.mu = p->mu[k];
        for (int a = 0; a < p->dimension; a++) info.c[a] = -p->w[(int64_t)k * p->dimension + a];
        return info;
    }
    info.law = PL_LAW_BOX;
    for (int a = 0; a < 3; a++) {
        int64_t i = 3 * (int64_t)(k - p->n_contact) + a;
        if (i >= p->n_equation) continue; // lo = hi = 0: not used
        info.lo[a] = -INFINITY, info.hi[a] = INFINITY;
        info.c[a] = -p->b[i];
    }
    return info;
}

// Is G a turn times a number? Then R is that turn.
static bool find_frame(const double *G, double *R)
{
    double size = (G[0] * G[0] + G[1] * G[1]) + G[2] * G[2];
    for (int e = 0; e < 9; e++) {
        const double *a = G + 3 * (e / 3), *b = G + 3 * (e % 3);
        double dot = (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
        if (!(fabs(dot - (e % 4 == 0 ? size : 0)) <= SAME * size)) return false;
    }
    if (!(size > 0)) return false;
    for (int e = 0; e < 9; e++) R[e] = G[e] / sqrt(size);
    return true;
}

// The axes of a contact are those of the first of its blocks that is a turn: the linear velocity of
// a body, or of a vertex, has the same weight along each then, as in problems of ours.
static pl_status add_constraints(const plan *p, pl_problem *problem)
{
    int32_t n = count_constraints(p);
    for (int32_t k = 0; k < n; k++) {
        pl_constraint_info info = describe(p, k);
        int64_t first = p->L.row[k], last = p->L.row[k + 1];
        for (int64_t t = first; t < last && k < p->n_contact; t++) {
            if (find_frame(p->L.val + 9 * t, info.axes)) break;
        }
        PL_TRY(pl_problem_add_blocks(problem, &info, (int32_t)(last - first), p->L.col + first,
                                     p->L.val + 9 * first));
    }
    return PL_OK;
}

// --- The global form ---

static pl_status check_global(const pl_global_contacts *d, double dt)
{
    PL_TRY(check_counts(d->n_contact, d->dimension, dt));
    int64_t n = d->M.n_col, m = (int64_t)d->dimension * d->n_contact, p = d->G.n_col;
    PL_TRY(check_sparse(&d->M, "M", n, n));
    PL_TRY(check_sparse(&d->H, "H", n, m));
    if (p > 0) PL_TRY(check_sparse(&d->G, "G", n, p));
    PL_TRY(check_vector(d->f, "f", n));
    PL_TRY(check_vector(d->w, "w", m));
    PL_TRY(check_vector(d->b, "b", p));
    PL_TRY(check_friction(d->mu, d->n_contact));
    for (int32_t i = 0; i < n; i++) {
        double a = entry_of(&d->M, i, i);
        if (a > 0) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "M: row %d has a diagonal of %g", (int)i, a);
    }
    return PL_OK;
}

// A, with unit masses where the last block has no rows. Entries whose mirror is missing get one:
// the pattern of blocks must be symmetric.
static pl_status make_matrix(const pl_sparse *M, const double *val, blocks *out)
{
    int32_t n = M->n_col, n_block = (n + 2) / 3;
    int64_t nnz = n > 0 ? M->col[n] : 0, count = 0;
    number *list = pl_alloc(2 * nnz + 3 * (int64_t)n_block, sizeof *list);
    if (list == NULL) return PL_ERROR_MEMORY;
    for (int32_t j = 0; j < n; j++) {
        for (int64_t k = M->col[j]; k < M->col[j + 1]; k++) {
            int32_t i = M->row[k];
            list[count++] = (number){i / 3, j / 3, 3 * (i % 3) + j % 3, val[k]};
            list[count++] = (number){j / 3, i / 3, 3 * (j % 3) + i % 3, 0};
        }
    }
    for (int32_t i = 0; i < 3 * n_block; i++) {
        list[count++] = (number){i / 3, i / 3, 4 * (i % 3), i < n ? 0 : 1};
    }
    pl_status status = blocks_create(n_block, count, list, out);
    pl_free(list);
    return status;
}

static pl_status make_rows(const pl_global_contacts *d, plan *p)
{
    int64_t n_H = d->H.n_col > 0 ? d->H.col[d->H.n_col] : 0;
    int64_t n_G = d->G.n_col > 0 ? d->G.col[d->G.n_col] : 0, count = 0;
    number *list = pl_alloc(n_H + n_G, sizeof *list);
    if (list == NULL) return PL_ERROR_MEMORY;
    for (int which = 0; which < 2; which++) {
        const pl_sparse *S = which == 0 ? &d->H : &d->G;
        for (int32_t j = 0; j < S->n_col; j++) {
            int64_t place = which == 0 ? place_contact(p, j) : place_equation(p, j);
            for (int64_t k = S->col[j]; k < S->col[j + 1]; k++) {
                if (S->val[k] == 0) continue;
                int32_t i = S->row[k];
                list[count++] = (number){(int32_t)(place / 3), i / 3,
                                         (int32_t)(3 * (place % 3) + i % 3), S->val[k]};
            }
        }
    }
    pl_status status = blocks_create(count_constraints(p), count, list, &p->L);
    pl_free(list);
    return status;
}

static pl_status make_problem(const blocks *A, int64_t n, const double *b, double dt, const plan *p,
                              pl_problem **out)
{
    double *rhs = pl_alloc_zero(3 * (int64_t)A->n_row, sizeof *rhs);
    if (rhs == NULL) return PL_ERROR_MEMORY;
    if (n > 0 && b != NULL) memcpy(rhs, b, (size_t)n * sizeof *b);
    pl_status status = pl_problem_create(A->n_row, A->row, A->col, A->val, rhs, NULL, dt, out);
    pl_free(rhs);
    if (status == PL_OK) status = add_constraints(p, *out);
    if (status == PL_OK) return PL_OK;
    pl_problem_destroy(*out);
    *out = NULL;
    return status;
}

pl_status pl_problem_create_global(const pl_global_contacts *d, double dt, pl_problem **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(d);
    PL_TRY(check_global(d, dt));
    plan p = {d->n_contact, d->dimension, d->G.n_col, d->mu, d->w, d->b, {0}};
    blocks A = {0};
    double *val = pl_alloc(d->M.n_col > 0 ? d->M.col[d->M.n_col] : 0, sizeof *val);
    pl_status status = val != NULL ? make_symmetric(&d->M, "M", val) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = make_matrix(&d->M, val, &A);
    if (status == PL_OK) status = make_rows(d, &p);
    if (status == PL_OK) status = make_problem(&A, d->M.n_col, d->f, dt, &p, out);
    pl_free(val);
    blocks_free(&A);
    blocks_free(&p.L);
    return status;
}

// --- The local form ---

// [W V; V^T R], its rows where the constraints have them: 3 * constraint + axis.
typedef struct whole {
    int32_t n;
    int64_t *col;
    int32_t *row;
    double *val;
    double *symmetric; // the values with halves that are the same
} whole;

static void whole_free(whole *w)
{
    pl_free(w->col);
    pl_free(w->row);
    pl_free(w->val);
    pl_free(w->symmetric);
}

// Appends the entries of column j of S, moved.
static void put_column(const pl_sparse *S, int32_t j, const plan *p,
                       int64_t (*place)(const plan *p, int64_t i), whole *to, int64_t *at)
{
    for (int64_t k = S->col[j]; k < S->col[j + 1]; k++) {
        to->row[*at] = (int32_t)place(p, S->row[k]);
        to->val[(*at)++] = S->val[k];
    }
}

// Appends row i of V, which is a column of V^T. next (p): where each column of V goes on.
static void put_row(const pl_sparse *V, int32_t i, const plan *p, int64_t *next, whole *to,
                    int64_t *at)
{
    for (int32_t j = 0; j < V->n_col; j++) {
        if (next[j] == V->col[j + 1] || V->row[next[j]] != i) continue;
        to->row[*at] = (int32_t)place_equation(p, j);
        to->val[(*at)++] = V->val[next[j]++];
    }
}

static pl_status assemble(const pl_local_contacts *d, const plan *p, whole *out)
{
    int64_t nnz = d->W.n_col > 0 ? d->W.col[d->W.n_col] : 0, at = 0;
    if (d->V.n_col > 0) nnz += 2 * d->V.col[d->V.n_col] + d->R.col[d->R.n_col];
    out->n = 3 * count_constraints(p);
    out->col = pl_alloc_zero((int64_t)out->n + 1, sizeof *out->col);
    out->row = pl_alloc(nnz, sizeof *out->row);
    out->val = pl_alloc(nnz, sizeof *out->val);
    out->symmetric = pl_alloc(nnz, sizeof *out->symmetric);
    int64_t *next = pl_alloc(d->V.n_col, sizeof *next);
    bool all = out->col != NULL && out->row != NULL && out->val != NULL && next != NULL &&
               out->symmetric != NULL;
    for (int32_t j = 0; j < d->V.n_col && all; j++) next[j] = d->V.col[j];
    int64_t m = (int64_t)d->dimension * d->n_contact, column = 0;
    for (int32_t j = 0; j < m && all; j++) {
        int64_t place = place_contact(p, j);
        while (column < place) out->col[++column] = at; // tangents that are not there
        put_column(&d->W, j, p, place_contact, out, &at);
        put_row(&d->V, j, p, next, out, &at);
        out->col[++column] = at;
    }
    for (int32_t j = 0; j < d->V.n_col && all; j++) {
        while (column < place_equation(p, j)) out->col[++column] = at;
        put_column(&d->V, j, p, place_contact, out, &at);
        put_column(&d->R, j, p, place_equation, out, &at);
        out->col[++column] = at;
    }
    while (all && column < out->n) out->col[++column] = at;
    pl_free(next);
    return all ? PL_OK : PL_ERROR_MEMORY;
}

// How many blocks of velocities a part has.
static int32_t blocks_of(const pl_psd_factor *F, int32_t part)
{
    return (F->rank[part] + 2) / 3;
}

static pl_status rows_of_factor(const pl_psd_factor *F, plan *p)
{
    int64_t nnz = 0, count = 0, n = F->begin[F->n_part];
    for (int64_t k = 0; k < n; k++) nnz += F->B[k] != 0;
    number *list = pl_alloc(nnz, sizeof *list);
    if (list == NULL) return PL_ERROR_MEMORY;
    int32_t first = 0; // block of the part
    for (int32_t part = 0; part < F->n_part; part++) {
        int32_t m = F->start[part + 1] - F->start[part];
        for (int32_t j = 0; j < F->rank[part]; j++) {
            for (int32_t i = 0; i < m; i++) {
                double value = F->B[F->begin[part] + (int64_t)j * m + i];
                int32_t row = F->row[F->start[part] + i];
                if (value == 0) continue;
                list[count++] = (number){row / 3, first + j / 3, 3 * (row % 3) + j % 3, value};
            }
        }
        first += blocks_of(F, part);
    }
    pl_status status = blocks_create(count_constraints(p), count, list, &p->L);
    pl_free(list);
    return status;
}

// The unit matrix of n blocks.
static pl_status make_unit(int32_t n, blocks *out)
{
    *out = (blocks){n, pl_alloc((int64_t)n + 1, sizeof *out->row), pl_alloc(n, sizeof *out->col),
                    pl_alloc_zero(9 * (int64_t)n, sizeof *out->val)};
    if (out->row == NULL || out->col == NULL || out->val == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        out->row[i] = i;
        out->col[i] = i;
        for (int a = 0; a < 3; a++) out->val[9 * (int64_t)i + 4 * a] = 1;
    }
    out->row[n] = n;
    return PL_OK;
}

static pl_status check_local(const pl_local_contacts *d, double dt)
{
    PL_TRY(check_counts(d->n_contact, d->dimension, dt));
    int64_t m = (int64_t)d->dimension * d->n_contact, p = d->V.n_col;
    PL_TRY(check_sparse(&d->W, "W", m, m));
    if (p > 0) PL_TRY(check_sparse(&d->V, "V", m, p));
    if (p > 0) PL_TRY(check_sparse(&d->R, "R", p, p));
    PL_TRY(check_vector(d->q, "q", m));
    PL_TRY(check_vector(d->s, "s", p));
    for (int32_t i = 0; i < m; i++) {
        double a = entry_of(&d->W, i, i);
        if (a >= 0) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "W: row %d has a diagonal of %g", (int)i, a);
    }
    return check_friction(d->mu, d->n_contact);
}

static pl_status factor_whole(const whole *w, pl_psd_factor *out)
{
    int32_t *together = pl_alloc(w->n, sizeof *together);
    if (together == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < w->n; i++) together[i] = i / 3;
    const pl_sparse S = {w->n, w->n, w->col, w->row, w->symmetric};
    pl_status status = pl_psd_factor_create(&S, together, MOST_ROWS, out);
    pl_free(together);
    return status;
}

pl_status pl_problem_create_local(const pl_local_contacts *d, double dt, pl_problem **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(d);
    PL_TRY(check_local(d, dt));
    plan p = {d->n_contact, d->dimension, d->V.n_col, d->mu, d->q, d->s, {0}};
    blocks A = {0};
    whole w = {0};
    pl_psd_factor F = {0};
    pl_status status = assemble(d, &p, &w);
    const pl_sparse S = {w.n, w.n, w.col, w.row, w.val};
    if (status == PL_OK) status = make_symmetric(&S, "W", w.symmetric);
    if (status == PL_OK) status = factor_whole(&w, &F);
    if (status == PL_OK) status = rows_of_factor(&F, &p);
    int32_t n_block = 0;
    for (int32_t i = 0; i < F.n_part; i++) n_block += blocks_of(&F, i);
    if (status == PL_OK) status = make_unit(n_block, &A);
    if (status == PL_OK) status = make_problem(&A, 0, NULL, dt, &p, out);
    whole_free(&w);
    pl_psd_factor_free(&F);
    blocks_free(&A);
    blocks_free(&p.L);
    return status;
}
