#include "scalar_form.h"

#include <string.h>

enum { CORNER = 3, SLIP = -1 };

// How a constraint becomes rows.
typedef enum shape { EMPTY, BOX, SQUARE, CORNERS } shape;

typedef struct maker {
    pl_scalar_form *form;
    const pl_reduced *W;
    bool following;
    int64_t nnz;
} maker;

static const pl_limits *limits_of(const maker *m, int32_t k)
{
    return pl_limits_of(m->W->problem, m->W->problem->constraint + k);
}

static shape shape_of(const maker *m, int32_t k)
{
    const pl_limits *limits = limits_of(m, k);
    if (m->W->diag[k] < 0) return EMPTY;
    if (!pl_law_is_pyramid(limits)) return BOX;
    return m->following && limits->outer && limits->directions == 4 ? SQUARE : CORNERS;
}

static bool is_used(const pl_limits *limits, int a)
{
    return limits->lo[a] < limits->hi[a] || limits->lo[a] != 0;
}

// --- Rows ---

static int32_t count_rows(const maker *m, int32_t k)
{
    const pl_limits *limits = limits_of(m, k);
    int32_t n = 0;
    switch (shape_of(m, k)) {
    case EMPTY:
        return 0;
    case SQUARE:
        return 3;
    case CORNERS:
        return 2 + limits->directions;
    case BOX:
        break;
    }
    for (int a = 0; a < 3; a++) n += is_used(limits, a);
    return n;
}

static int32_t add_row(const maker *m, int32_t at, int32_t kind, double q, double lo, double hi)
{
    pl_scalar_form *form = m->form;
    form->kind[at] = kind;
    form->q[at] = q, form->lo[at] = lo, form->hi[at] = hi;
    form->normal[at] = -1, form->mu[at] = 0;
    return at + 1;
}

// A contact with a box for its friction has a unilateral first row and finite, symmetric others.
static bool is_contact(const pl_limits *limits)
{
    bool friction = true;
    for (int a = 1; a < 3; a++) {
        friction = friction && isfinite(limits->hi[a]) && limits->lo[a] == -limits->hi[a];
    }
    return friction && limits->lo[0] == 0 && limits->hi[0] == INFINITY;
}

static void add_box(const maker *m, int32_t k)
{
    const pl_limits *limits = limits_of(m, k);
    const double *q = m->W->q + 3 * (int64_t)k;
    int32_t first = m->form->first[k], at = first;
    for (int a = 0; a < 3; a++) {
        if (is_used(limits, a)) at = add_row(m, at, a, q[a], limits->lo[a], limits->hi[a]);
    }
    for (int32_t i = first + 1; i < at && is_contact(limits); i++) m->form->normal[i] = first;
}

static void add_square(const maker *m, int32_t k)
{
    const double *q = m->W->q + 3 * (int64_t)k, mu = m->W->problem->constraint[k].mu;
    int32_t first = m->form->first[k];
    add_row(m, first, 0, q[0], 0, INFINITY);
    for (int32_t a = 1; a < 3; a++) {
        add_row(m, first + a, a, q[a], -INFINITY, INFINITY);
        m->form->normal[first + a] = first;
        m->form->mu[first + a] = mu;
    }
}

static void add_corners(const maker *m, int32_t k)
{
    const double *q = m->W->q + 3 * (int64_t)k;
    pl_polygon polygon = pl_law_polygon(limits_of(m, k));
    int32_t at = add_row(m, m->form->first[k], 0, q[0], 0, INFINITY);
    for (int32_t c = 0; c < polygon.n; c++) {
        double g[2];
        pl_polygon_corner(&polygon, c, g);
        at = add_row(m, at, CORNER + c, g[0] * q[1] + g[1] * q[2], 0, INFINITY);
    }
    add_row(m, at, SLIP, 0, 0, INFINITY);
}

// e (3) := along which axes row i of constraint k goes; 0 for a slip.
static void axis_of(const maker *m, int32_t k, int32_t i, double *e)
{
    int32_t kind = m->form->kind[i];
    e[0] = kind == 0, e[1] = kind == 1, e[2] = kind == 2;
    if (kind < CORNER) return;
    pl_polygon polygon = pl_law_polygon(limits_of(m, k));
    pl_polygon_corner(&polygon, kind - CORNER, e + 1);
}

// --- M, column by column ---

// Block (other, k) of W, transposed from the lower triangle so that M is symmetric to the bit.
static double entry_of(const double *B, bool transposed, const double *e, const double *g)
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) sum += e[a] * B[transposed ? 3 * b + a : 3 * a + b] * g[b];
    }
    return sum;
}

static const double *find_block(const pl_reduced *W, int32_t i, int32_t j)
{
    int64_t low = W->row[i], high = W->row[i + 1] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (W->col[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return W->val + 9 * low;
}

static void put(maker *m, int32_t row, double value)
{
    m->form->row[m->nnz] = row;
    m->form->val[m->nnz++] = value;
}

// The column of a slip: mu f_n - sum l_k in its own row's place is what the rows below have.
static void put_slip_column(maker *m, int32_t k, int32_t j)
{
    for (int32_t i = m->form->first[k] + 1; i < j; i++) put(m, i, 1);
    put(m, j, 0);
}

static void put_column(maker *m, int32_t k, int32_t j)
{
    const pl_reduced *W = m->W;
    const pl_scalar_form *form = m->form;
    double g[3];
    if (form->kind[j] == SLIP) {
        put_slip_column(m, k, j);
        return;
    }
    axis_of(m, k, j, g);
    for (int64_t at = W->row[k]; at < W->row[k + 1]; at++) {
        int32_t other = W->col[at];
        bool upper = other < k; // of M: the block stands in row k of W's lower triangle
        const double *B = upper ? W->val + 9 * at : find_block(W, other, k);
        for (int32_t i = form->first[other]; i < form->first[other + 1]; i++) {
            double e[3];
            if (form->kind[i] == SLIP) {
                if (other == k) put(m, i, form->kind[j] == 0 ? W->problem->constraint[k].mu : -1);
                continue;
            }
            axis_of(m, other, i, e);
            double value = other == k && i > j ? entry_of(B, false, g, e) // one triangle counts
                           : upper             ? entry_of(B, true, e, g)
                                               : entry_of(B, false, e, g);
            if (i == j) value += PL_SCALAR_COMPLIANCE * value;
            put(m, i, value);
        }
    }
}

// --- All of it ---

static int64_t count_entries(const maker *m)
{
    const pl_reduced *W = m->W;
    const int32_t *first = m->form->first;
    int64_t n = 0;
    for (int32_t k = 0; k < W->n; k++) {
        int64_t rows = first[k + 1] - first[k];
        for (int64_t at = W->row[k]; at < W->row[k + 1]; at++) {
            n += rows * (first[W->col[at] + 1] - first[W->col[at]]);
        }
    }
    return n;
}

static pl_status take(maker *m, pl_arena *arena)
{
    pl_scalar_form *form = m->form;
    int64_t n = form->lcp.n, nnz = count_entries(m);
    form->kind = pl_arena_take(arena, n, sizeof *form->kind);
    form->normal = pl_arena_take(arena, n, sizeof *form->normal);
    form->mu = pl_arena_take(arena, n, sizeof *form->mu);
    form->q = pl_arena_take(arena, n, sizeof *form->q);
    form->lo = pl_arena_take(arena, n, sizeof *form->lo);
    form->hi = pl_arena_take(arena, n, sizeof *form->hi);
    form->col = pl_arena_take(arena, n + 1, sizeof *form->col);
    form->row = pl_arena_take(arena, nnz, sizeof *form->row);
    form->val = pl_arena_take(arena, nnz, sizeof *form->val);
    bool all = form->kind != NULL && form->normal != NULL && form->mu != NULL && form->q != NULL &&
               form->lo != NULL && form->hi != NULL && form->col != NULL && form->row != NULL &&
               form->val != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static void add_rows(const maker *m, int32_t k)
{
    switch (shape_of(m, k)) {
    case EMPTY:
        break;
    case BOX:
        add_box(m, k);
        break;
    case SQUARE:
        add_square(m, k);
        break;
    case CORNERS:
        add_corners(m, k);
        break;
    }
}

pl_status pl_scalar_form_create(const pl_reduced *reduced, bool following, pl_arena *arena,
                                pl_scalar_form *out)
{
    maker m = {.form = out, .W = reduced, .following = following};
    int32_t n = reduced->n;
    bool symmetric = true, follows = false;
    *out = (pl_scalar_form){.reduced = reduced};
    out->first = pl_arena_take(arena, (int64_t)n + 1, sizeof *out->first);
    if (out->first == NULL) return PL_ERROR_MEMORY;
    out->first[0] = 0;
    for (int32_t k = 0; k < n; k++) {
        out->first[k + 1] = out->first[k] + count_rows(&m, k);
        symmetric = symmetric && shape_of(&m, k) != CORNERS;
        follows = follows || shape_of(&m, k) == SQUARE;
    }
    out->lcp.n = out->first[n];
    PL_TRY(take(&m, arena));
    for (int32_t k = 0; k < n; k++) add_rows(&m, k);
    out->col[0] = 0;
    for (int32_t k = 0; k < n; k++) {
        for (int32_t j = out->first[k]; j < out->first[k + 1]; j++) {
            put_column(&m, k, j);
            out->col[j + 1] = m.nnz;
        }
    }
    out->lcp = (pl_lcp){.n = out->lcp.n,
                        .col = out->col,
                        .row = out->row,
                        .val = out->val,
                        .symmetric = symmetric,
                        .q = out->q,
                        .lo = out->lo,
                        .hi = out->hi,
                        .normal = out->normal,
                        .mu = follows ? out->mu : NULL};
    return PL_OK;
}

// --- Impulses ---

// The shares l_k of two neighbouring corners whose sum is the tangential impulse t.
static void share(const pl_polygon *polygon, const double *t, double *l)
{
    for (int32_t c = 0; c < polygon->n; c++) l[c] = 0;
    for (int32_t c = 0; c < polygon->n; c++) {
        double g[2], h[2];
        pl_polygon_corner(polygon, c, g);
        pl_polygon_corner(polygon, c + 1, h);
        double det = g[0] * h[1] - g[1] * h[0];
        double a = (t[0] * h[1] - t[1] * h[0]) / det, b = (g[0] * t[1] - g[1] * t[0]) / det;
        if (a < 0 || b < 0) continue;
        l[c] = a;
        l[(c + 1) % polygon->n] += b;
        return;
    }
}

void pl_scalar_form_take(const pl_scalar_form *form, const double *f, double *x)
{
    const pl_problem *problem = form->reduced->problem;
    for (int32_t k = 0; k < form->reduced->n; k++) {
        const double *g = f + 3 * (int64_t)k;
        for (int32_t i = form->first[k]; i < form->first[k + 1]; i++) {
            int32_t kind = form->kind[i];
            if (kind >= 0 && kind < CORNER) x[i] = g[kind];
            if (kind == SLIP) x[i] = 0;
            if (kind != CORNER) continue;
            pl_polygon polygon = pl_law_polygon(pl_limits_of(problem, problem->constraint + k));
            share(&polygon, g + 1, x + i);
        }
    }
}

void pl_scalar_form_give(const pl_scalar_form *form, const double *x, double *f)
{
    const pl_problem *problem = form->reduced->problem;
    for (int32_t k = 0; k < form->reduced->n; k++) {
        double *g = f + 3 * (int64_t)k;
        memset(g, 0, 3 * sizeof *g);
        for (int32_t i = form->first[k]; i < form->first[k + 1]; i++) {
            int32_t kind = form->kind[i];
            if (kind >= 0 && kind < CORNER) g[kind] = x[i];
            if (kind < CORNER) continue;
            double corner[2];
            pl_polygon polygon = pl_law_polygon(pl_limits_of(problem, problem->constraint + k));
            pl_polygon_corner(&polygon, kind - CORNER, corner);
            g[1] += x[i] * corner[0], g[2] += x[i] * corner[1];
        }
    }
}
