#include "fclib.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void pl_fclib_free(pl_fclib *p)
{
    double *const vectors[] = {p->f, p->w, p->b,       p->mu,      p->v,       p->u,
                               p->r, p->l, p->v_guess, p->u_guess, p->r_guess, p->l_guess};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) pl_free(vectors[i]);
    pl_columns_free(&p->M);
    pl_columns_free(&p->H);
    pl_columns_free(&p->G);
    pl_columns_free(&p->K);
    *p = (pl_fclib){0};
}

static pl_sparse view(const pl_columns *c)
{
    return (pl_sparse){c->n_row, c->n_col, c->col, c->row, c->val};
}

// y += C x, or C^T x.
static void multiply(const pl_columns *C, bool transposed, const double *x, double *y)
{
    for (int32_t j = 0; j < C->n_col; j++) {
        for (int64_t k = C->col[j]; k < C->col[j + 1]; k++) {
            int32_t to = transposed ? j : C->row[k], from = transposed ? C->row[k] : j;
            y[to] += C->val[k] * x[from];
        }
    }
}

// --- The antisymmetric part ---

// Over the root of the product of the diagonals: beyond the first it is no rounding, beyond the
// second no matrix of contacts that a program would write.
static const double ASYMMETRY = 1e-7, DAMAGE = 0.05;

// Entry (i, j); 0 where there is none.
static double entry_of(const pl_columns *C, int32_t i, int32_t j)
{
    int64_t low = C->col[j], high = C->col[j + 1], end = high;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (C->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && C->row[low] == i ? C->val[low] : 0;
}

// Gives W an entry across the diagonal for each that it has.
static pl_status fill_pattern(pl_columns *W)
{
    int64_t nnz = W->col[W->n_col], n = 0;
    int32_t *row = pl_alloc(2 * nnz, sizeof *row), *col = pl_alloc(2 * nnz, sizeof *col);
    double *val = pl_alloc(2 * nnz, sizeof *val);
    bool all = row != NULL && col != NULL && val != NULL;
    for (int32_t j = 0; j < W->n_col && all; j++) {
        for (int64_t k = W->col[j]; k < W->col[j + 1]; k++) {
            row[n] = W->row[k], col[n] = j, val[n++] = W->val[k];
            row[n] = j, col[n] = W->row[k], val[n++] = 0;
        }
    }
    pl_columns filled = {0};
    pl_status status = PL_ERROR_MEMORY;
    if (all) status = pl_columns_from(W->n_row, W->n_col, n, row, col, val, &filled);
    pl_free(row);
    pl_free(col);
    pl_free(val);
    PL_TRY(status);
    pl_columns_free(W);
    *W = filled;
    return PL_OK;
}

// K := (W - W^T) / 2, entry by entry of W; *worst is the largest difference, as a share.
static pl_status find_difference(const pl_columns *W, pl_columns *K, double *worst)
{
    for (int32_t j = 0; j < W->n_col; j++) {
        K->col[j + 1] = W->col[j + 1];
        for (int64_t k = W->col[j]; k < W->col[j + 1]; k++) {
            int32_t i = W->row[k];
            double x = W->val[k], y = entry_of(W, j, i);
            double size = sqrt(fabs(entry_of(W, i, i) * entry_of(W, j, j)));
            K->row[k] = i;
            K->val[k] = 0.5 * (x - y);
            if (x != y) *worst = fmax(*worst, fabs(x - y) / size);
            if (x == y || fabs(x - y) <= DAMAGE * size) continue;
            return pl_fail(PL_ERROR_ARGUMENT,
                           "W is not symmetric: row %d, column %d has %.9g, and across the "
                           "diagonal stands %.9g",
                           (int)i, (int)j, x, y);
        }
    }
    return PL_OK;
}

pl_status pl_fclib_split(pl_fclib *p)
{
    pl_columns K;
    double worst = 0;
    if (!p->local || p->M.n_col == 0) return PL_OK;
    PL_TRY(fill_pattern(&p->M));
    PL_TRY(pl_columns_create(p->M.n_row, p->M.n_col, p->M.col[p->M.n_col], &K));
    pl_status status = find_difference(&p->M, &K, &worst);
    if (status == PL_OK && worst > ASYMMETRY) {
        p->K = K;
    } else {
        pl_columns_free(&K);
    }
    return status;
}

// --- As a problem ---

// Impulses as FCLIB has them -> three for each constraint, the equations after the contacts.
static void spread(const pl_fclib *p, const double *r, const double *l, double *f)
{
    int64_t m = (int64_t)p->dimension * p->n_contact;
    for (int64_t i = 0; i < m && r != NULL; i++) {
        f[3 * (i / p->dimension) + i % p->dimension] = r[i];
    }
    int32_t n_equation = p->local ? p->H.n_col : p->G.n_col;
    for (int32_t i = 0; i < n_equation && l != NULL; i++) f[3 * (int64_t)p->n_contact + i] = l[i];
}

static pl_status set_guess(const pl_fclib *p, pl_problem *problem)
{
    if (p->r_guess == NULL) return PL_OK;
    pl_problem_size size = pl_problem_sizes(problem);
    double *v = pl_alloc_zero(3 * (int64_t)size.blocks, sizeof *v);
    double *f = pl_alloc_zero(3 * (int64_t)size.constraints, sizeof *f);
    pl_status status = v != NULL && f != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        spread(p, p->r_guess, p->l_guess, f);
        // Of a local one, the velocities are ours: L^T f, as its A is 1.
        if (p->local) status = pl_problem_momentum(problem, f, v);
        bool given = !p->local && p->v_guess != NULL;
        if (given) memcpy(v, p->v_guess, (size_t)p->M.n_col * sizeof *v);
        if (status == PL_OK) status = pl_problem_set_start(problem, v, f);
    }
    pl_free(v);
    pl_free(f);
    return status;
}

pl_status pl_fclib_skew(const pl_fclib *problem, const double *d, double *out)
{
    const pl_columns *K = &problem->K;
    double *u = pl_alloc_zero(K->n_row, sizeof *u);
    *out = 0;
    if (u == NULL) return PL_ERROR_MEMORY;
    multiply(K, false, d, u);
    for (int32_t i = 0; i < K->n_row; i++) *out = fmax(*out, fabs(u[i]));
    pl_free(u);
    return PL_OK;
}

// With the symmetric part of W, and q + K r.
static pl_status make_local(const pl_fclib *p, const double *r, pl_problem **out)
{
    int64_t m = p->M.n_col, nnz = p->M.col[m];
    double *q = pl_alloc(m, sizeof *q), *W = pl_alloc(nnz, sizeof *W);
    pl_status status = q != NULL && W != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        if (m > 0) memcpy(q, p->w, (size_t)m * sizeof *q);
        if (nnz > 0) memcpy(W, p->M.val, (size_t)nnz * sizeof *W);
        for (int64_t k = 0; k < nnz && p->K.n_col > 0; k++) W[k] -= p->K.val[k]; // of one pattern
        if (r != NULL) multiply(&p->K, false, r, q);
        pl_sparse symmetric = view(&p->M);
        symmetric.val = W;
        const pl_local_contacts local = {
            p->n_contact, p->dimension, symmetric, view(&p->H), view(&p->G), q, p->b, p->mu};
        status = pl_problem_create_local(&local, 1, out);
    }
    pl_free(q);
    pl_free(W);
    return status;
}

pl_status pl_fclib_problem(const pl_fclib *p, const double *r, pl_problem **out)
{
    pl_status status;
    if (p->local) {
        status = make_local(p, r, out);
    } else {
        const pl_global_contacts global = {p->n_contact, p->dimension, view(&p->M),
                                           view(&p->H),  view(&p->G),  p->f,
                                           p->w,         p->b,         p->mu};
        status = pl_problem_create_global(&global, 1, out);
    }
    PL_TRY(status);
    status = set_guess(p, *out);
    if (status == PL_OK) return PL_OK;
    pl_problem_destroy(*out);
    *out = NULL;
    return status;
}

// --- From a problem ---

// Where the parts of a problem go.
typedef struct export
{
    const pl_problem *problem;
    pl_problem_size size;
    const double *v; // velocities of prescribed blocks are taken from here; NULL: they rest
    int32_t *block;  // (blocks) where an unknown block stands in FCLIB's; -1: prescribed
    int32_t n_block;
    int32_t *equation; // (constraints) the first equation of a box; -1: it is a contact
    int32_t *contact;  // (constraints) or its number
    int32_t n_equation;
}
export;

static pl_status sort_constraint(export *e, int32_t k, pl_fclib *out)
{
    pl_constraint_info info;
    PL_TRY(pl_problem_constraint(e->problem, k, &info));
    e->contact[k] = e->equation[k] = -1;
    for (int a = 0; a < 3; a++) {
        if (info.compliance[a] == 0) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "constraint %d has compliance, which FCLIB has not",
                       (int)k);
    }
    if (info.law == PL_LAW_CONE) {
        e->contact[k] = out->n_contact++;
        return PL_OK;
    }
    if (info.law != PL_LAW_BOX) {
        return pl_fail(PL_ERROR_ARGUMENT, "constraint %d has friction in a pyramid, not in a cone",
                       (int)k);
    }
    e->equation[k] = e->n_equation;
    for (int a = 0; a < 3; a++) {
        if (info.lo[a] == 0 && info.hi[a] == 0) continue;
        if (info.lo[a] != -INFINITY || info.hi[a] != INFINITY) {
            return pl_fail(PL_ERROR_ARGUMENT,
                           "constraint %d is a box with bounds %g .. %g, which FCLIB has not",
                           (int)k, info.lo[a], info.hi[a]);
        }
        e->n_equation++;
    }
    return PL_OK;
}

static pl_status plan_export(export *e, pl_fclib *out)
{
    const uint8_t *prescribed = pl_problem_prescribed(e->problem);
    e->block = pl_alloc(e->size.blocks, sizeof *e->block);
    e->equation = pl_alloc(e->size.constraints, sizeof *e->equation);
    e->contact = pl_alloc(e->size.constraints, sizeof *e->contact);
    if (e->block == NULL || e->equation == NULL || e->contact == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < e->size.blocks; i++) {
        bool given = prescribed != NULL && prescribed[i] != 0;
        e->block[i] = given ? -1 : e->n_block++;
    }
    for (int32_t k = 0; k < e->size.constraints; k++) PL_TRY(sort_constraint(e, k, out));
    if (out->n_contact > 0) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "there are no contacts, which files of FCLIB must have");
}

// Numbers of a matrix by coordinates.
typedef struct list {
    int32_t *row, *col;
    double *val;
    int64_t n;
} list;

static pl_status list_create(int64_t n, list *out)
{
    *out = (list){pl_alloc(n, sizeof *out->row), pl_alloc(n, sizeof *out->col),
                  pl_alloc(n, sizeof *out->val), 0};
    bool all = out->row != NULL && out->col != NULL && out->val != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static void list_free(list *l)
{
    pl_free(l->row);
    pl_free(l->col);
    pl_free(l->val);
}

static void list_add(list *l, int64_t row, int64_t col, double value)
{
    if (value == 0) return;
    l->row[l->n] = (int32_t)row;
    l->col[l->n] = (int32_t)col;
    l->val[l->n++] = value;
}

static pl_status list_pack(const list *l, int32_t n_row, int32_t n_col, pl_columns *out)
{
    return pl_columns_from(n_row, n_col, l->n, l->row, l->col, l->val, out);
}

// The blocks of a matrix of the problem.
typedef struct table {
    int64_t *row;
    int32_t *col;
    double *val;
} table;

static pl_status table_create(int64_t n_row, int64_t n, table *out)
{
    *out = (table){pl_alloc(n_row + 1, sizeof *out->row), pl_alloc(n, sizeof *out->col),
                   pl_alloc(9 * n, sizeof *out->val)};
    bool all = out->row != NULL && out->col != NULL && out->val != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static void table_free(table *t)
{
    pl_free(t->row);
    pl_free(t->col);
    pl_free(t->val);
}

static double given(const export *e, int64_t i)
{
    return e->v != NULL ? e->v[i] : 0;
}

// M and f: f = b less what the prescribed velocities bring.
static pl_status export_matrix(const export *e, pl_fclib *out)
{
    table A;
    list l = {0};
    const double *b = pl_problem_rhs(e->problem);
    pl_status status = table_create(e->size.blocks, e->size.matrix_blocks, &A);
    if (status == PL_OK) status = list_create(9 * e->size.matrix_blocks, &l);
    out->f = pl_alloc_zero(3 * (int64_t)e->n_block, sizeof *out->f);
    if (status == PL_OK && out->f == NULL) status = PL_ERROR_MEMORY;
    if (status == PL_OK) status = pl_problem_matrix(e->problem, A.row, A.col, A.val);
    for (int32_t i = 0; i < e->size.blocks && status == PL_OK; i++) {
        if (e->block[i] < 0) continue;
        double *f = out->f + 3 * (int64_t)e->block[i];
        for (int a = 0; a < 3; a++) f[a] = b[3 * (int64_t)i + a];
        for (int64_t k = A.row[i]; k < A.row[i + 1]; k++) {
            int32_t j = e->block[A.col[k]];
            for (int c = 0; c < 9; c++) {
                double x = A.val[9 * k + c];
                if (j >= 0) {
                    list_add(&l, 3 * (int64_t)e->block[i] + c / 3, 3 * (int64_t)j + c % 3, x);
                } else {
                    f[c / 3] -= x * given(e, 3 * (int64_t)A.col[k] + c % 3);
                }
            }
        }
    }
    if (status == PL_OK) status = list_pack(&l, 3 * e->n_block, 3 * e->n_block, &out->M);
    table_free(&A);
    list_free(&l);
    return status;
}

// Rows of one constraint: into H and w, or G and b.
static void export_row(const export *e, const table *L, int32_t k, const pl_constraint_info *info,
                       list *H, list *G, pl_fclib *out)
{
    int32_t next = e->equation[k];
    for (int a = 0; a < 3; a++) {
        bool is_contact = e->contact[k] >= 0;
        bool unused = !is_contact && info->lo[a] == 0 && info->hi[a] == 0;
        if (unused) continue;
        int64_t column = is_contact ? 3 * (int64_t)e->contact[k] + a : next++;
        double offset = -info->c[a];
        for (int64_t t = L->row[k]; t < L->row[k + 1]; t++) {
            int32_t i = e->block[L->col[t]];
            for (int c = 0; c < 3; c++) {
                double x = L->val[9 * t + 3 * a + c];
                if (i >= 0) {
                    list_add(is_contact ? H : G, 3 * (int64_t)i + c, column, x);
                } else {
                    offset += x * given(e, 3 * (int64_t)L->col[t] + c);
                }
            }
        }
        (is_contact ? out->w : out->b)[column] = offset;
        if (is_contact) out->mu[e->contact[k]] = info->mu;
    }
}

static pl_status export_rows(const export *e, pl_fclib *out)
{
    table L;
    list H = {0}, G = {0};
    int32_t m = 3 * out->n_contact;
    pl_status status = table_create(e->size.constraints, e->size.row_blocks, &L);
    if (status == PL_OK) status = list_create(9 * e->size.row_blocks, &H);
    if (status == PL_OK) status = list_create(9 * e->size.row_blocks, &G);
    out->w = pl_alloc_zero(m, sizeof *out->w);
    out->b = pl_alloc_zero(e->n_equation, sizeof *out->b);
    out->mu = pl_alloc_zero(out->n_contact, sizeof *out->mu);
    bool all = out->w != NULL && out->b != NULL && out->mu != NULL;
    if (status == PL_OK && !all) status = PL_ERROR_MEMORY;
    if (status == PL_OK) status = pl_problem_rows(e->problem, L.row, L.col, L.val);
    for (int32_t k = 0; k < e->size.constraints && status == PL_OK; k++) {
        pl_constraint_info info;
        status = pl_problem_constraint(e->problem, k, &info);
        export_row(e, &L, k, &info, &H, &G, out);
    }
    if (status == PL_OK) status = list_pack(&H, 3 * e->n_block, m, &out->H);
    if (status == PL_OK && e->n_equation > 0) {
        status = list_pack(&G, 3 * e->n_block, e->n_equation, &out->G);
    }
    table_free(&L);
    list_free(&H);
    list_free(&G);
    return status;
}

// v, u, r and l of the solution.
static pl_status export_solution(const export *e, const double *f, pl_fclib *out)
{
    out->v = pl_alloc_zero(3 * (int64_t)e->n_block, sizeof *out->v);
    out->u = pl_alloc_zero(3 * (int64_t)out->n_contact, sizeof *out->u);
    out->r = pl_alloc_zero(3 * (int64_t)out->n_contact, sizeof *out->r);
    out->l = pl_alloc_zero(e->n_equation, sizeof *out->l);
    double *u = pl_alloc(3 * (int64_t)e->size.constraints, sizeof *u);
    bool all = out->v != NULL && out->u != NULL && out->r != NULL && out->l != NULL && u != NULL;
    pl_status status = all ? pl_problem_relative(e->problem, e->v, u) : PL_ERROR_MEMORY;
    for (int32_t i = 0; i < e->size.blocks && status == PL_OK; i++) {
        if (e->block[i] < 0) continue;
        memcpy(out->v + 3 * (int64_t)e->block[i], e->v + 3 * (int64_t)i, 3 * sizeof *u);
    }
    for (int32_t k = 0; k < e->size.constraints && status == PL_OK; k++) {
        pl_constraint_info info;
        status = pl_problem_constraint(e->problem, k, &info);
        int32_t next = e->equation[k];
        for (int a = 0; a < 3; a++) {
            int64_t from = 3 * (int64_t)k + a, to = 3 * (int64_t)e->contact[k] + a;
            if (e->contact[k] >= 0) {
                out->u[to] = u[from];
                out->r[to] = f[from];
            } else if (info.lo[a] != 0 || info.hi[a] != 0) {
                out->l[next++] = f[from];
            }
        }
    }
    pl_free(u);
    return status;
}

pl_status pl_fclib_from(const pl_problem *problem, const double *v, const double *f, pl_fclib *out)
{
    *out = (pl_fclib){.dimension = 3};
    export e = {.problem = problem, .size = pl_problem_sizes(problem), .v = v};
    pl_status status = plan_export(&e, out);
    if (status == PL_OK) status = export_matrix(&e, out);
    if (status == PL_OK) status = export_rows(&e, out);
    if (status == PL_OK && v != NULL && f != NULL) status = export_solution(&e, f, out);
    pl_free(e.block);
    pl_free(e.equation);
    pl_free(e.contact);
    snprintf(out->title, sizeof out->title, "Pliant");
    if (status != PL_OK) pl_fclib_free(out);
    return status;
}

// --- The usual measure ---

// Projects x (d) on the cone |x_t| <= mu x_n.
static void project(int32_t d, double mu, double *x)
{
    double t = 0;
    for (int32_t a = 1; a < d; a++) t += x[a] * x[a];
    t = sqrt(t);
    if (t <= mu * x[0]) return;
    double along = (x[0] + mu * t) / (1 + mu * mu); // on the edge
    if (mu * t <= -x[0]) along = 0;
    x[0] = along;
    for (int32_t a = 1; a < d; a++) x[a] = t > 0 ? x[a] * (mu * along / t) : 0;
}

// *u (m) := W r + V l + q, or H^T v + w.
static pl_status find_velocities(const pl_fclib *p, const double *v, const double *r,
                                 const double *l, double **u)
{
    int64_t m = (int64_t)p->dimension * p->n_contact;
    *u = pl_alloc(m, sizeof **u);
    if (*u == NULL) return PL_ERROR_MEMORY;
    if (m > 0) memcpy(*u, p->w, (size_t)m * sizeof **u);
    if (p->local) {
        multiply(&p->M, false, r, *u);
        if (l != NULL) multiply(&p->H, false, l, *u);
    } else {
        multiply(&p->H, true, v, *u);
    }
    return PL_OK;
}

// *to := a copy of n numbers.
static bool replace(double **to, int64_t n, const double *from)
{
    pl_free(*to);
    *to = pl_alloc(n, sizeof **to);
    if (*to != NULL && n > 0) memcpy(*to, from, (size_t)n * sizeof **to);
    return *to != NULL;
}

pl_status pl_fclib_set_solution(pl_fclib *p, const double *v, const double *r, const double *l)
{
    double *u;
    int32_t n_equation = p->local ? p->H.n_col : p->G.n_col;
    PL_TRY(find_velocities(p, v, r, l, &u));
    pl_free(p->u);
    p->u = u;
    bool all = replace(&p->r, (int64_t)p->dimension * p->n_contact, r) &&
               replace(&p->l, n_equation, l) && (p->local || replace(&p->v, p->M.n_col, v));
    return all ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_fclib_measure(const pl_fclib *p, const double *v, const double *r, const double *l,
                           double *out)
{
    int32_t d = p->dimension;
    int64_t m = (int64_t)d * p->n_contact;
    double sum = 0, size = 0, *u;
    PL_TRY(find_velocities(p, v, r, l, &u));
    for (int64_t i = 0; i < m; i++) size += p->w[i] * p->w[i];
    for (int32_t k = 0; k < p->n_contact; k++) {
        double x[3] = {0}, slip = 0, *w = u + (int64_t)k * d;
        const double *f = r + (int64_t)k * d;
        for (int32_t a = 1; a < d; a++) slip += w[a] * w[a];
        for (int32_t a = 0; a < d; a++) x[a] = f[a] - w[a];
        x[0] -= p->mu[k] * sqrt(slip);
        project(d, p->mu[k], x);
        for (int32_t a = 0; a < d; a++) sum += (f[a] - x[a]) * (f[a] - x[a]);
    }
    pl_free(u);
    *out = sqrt(sum) / (1 + sqrt(sqrt(size)));
    return PL_OK;
}
