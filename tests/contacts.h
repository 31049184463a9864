// Small contact problems for the tests of their solvers, and slow independent answers to them.

#ifndef PL_TESTS_CONTACTS_H
#define PL_TESTS_CONTACTS_H

#include "failing_alloc.h"
#include "matrices.h"
#include "../solvers/solver.h"

typedef struct small {
    pl_bsr A;
    double *b, *v;       // (3*A.n)
    double *f;           // (3*room)
    uint8_t *prescribed; // (A.n)
    pl_problem problem;
    pl_workspace ws;
    pl_solve_stats stats;
} small;

enum { SMALL_ROOM = 4096 }; // contacts

// Around A, which must be set: b, v and f are 0, nothing is prescribed.
static inline void start_small(small *s, double dt)
{
    size_t n = (size_t)s->A.n;
    s->b = calloc(3 * n + 1, sizeof *s->b);
    s->v = calloc(3 * n + 1, sizeof *s->v);
    s->f = calloc(3 * SMALL_ROOM, sizeof *s->f);
    s->prescribed = calloc(n + 1, 1);
    s->problem = (pl_problem){.A = &s->A, .b = s->b, .prescribed = s->prescribed, .dt = dt};
    s->ws = (pl_workspace){0};
}

static inline void end_small(small *s)
{
    pl_problem_free(&s->problem);
    pl_workspace_free(&s->ws);
    pl_bsr_free(&s->A);
    free(s->b), free(s->v), free(s->f), free(s->prescribed);
}

// Blocks that are not coupled: `mass` (n) times I each.
static inline void start_masses(small *s, int32_t n, const double *mass, double dt)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(n, 0, NULL, &s->A));
    for (int32_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) s->A.val[9 * s->A.diag[i] + 4 * c] = mass[i];
    }
    start_small(s, dt);
}

// A frame with the normal n, which is normalized.
static inline pl_constraint contact_along(double x, double y, double z, double mu)
{
    pl_constraint contact = {.mu = mu, .limits = -1};
    double *n = contact.R, *t1 = n + 3, *t2 = n + 6, l = sqrt(x * x + y * y + z * z);
    n[0] = x / l, n[1] = y / l, n[2] = z / l;
    int axis = fabs(n[0]) < 0.7 ? 0 : 1, a = (axis + 1) % 3, b = (axis + 2) % 3;
    l = sqrt(n[a] * n[a] + n[b] * n[b]);
    t1[axis] = 0, t1[a] = n[b] / l, t1[b] = -n[a] / l;
    for (int i = 0; i < 3; i++) {
        t2[i] = n[(i + 1) % 3] * t1[(i + 2) % 3] - n[(i + 2) % 3] * t1[(i + 1) % 3];
    }
    return contact;
}

static inline pl_constraint random_contact(double mu)
{
    pl_constraint contact =
        contact_along(random_number(), random_number(), random_number() + 0.1, mu);
    for (int i = 0; i < 3; i++) contact.c[i] = 0.3 * random_number();
    return contact;
}

static inline void add_contact(small *s, const pl_constraint *contact, int32_t n_term,
                               const pl_term *term)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add(&s->problem, contact, n_term, term));
}

// A positive definite system with random contacts; some blocks turn (have lever arms).
static inline void start_random(small *s, int32_t n, int32_t n_constraint, double mu)
{
    random_matrix(n, 2 * n, 8, &s->A);
    start_small(s, 0.1);
    for (int32_t i = 0; i < 3 * n; i++) s->b[i] = 3 * random_number();
    for (int32_t k = 0; k < n_constraint; k++) {
        pl_constraint contact = random_contact(mu);
        pl_term term[4];
        int32_t n_term = 1 + (int32_t)(random_bits() % 4);
        for (int32_t t = 0; t < n_term; t++) {
            term[t] = (pl_term){(int32_t)(random_bits() % (uint32_t)n), random_number(), {0}};
            for (int i = 0; i < 3 && term[t].block % 3 == 2; i++) term[t].r[i] = random_number();
        }
        term[0].w = 1;
        add_contact(s, &contact, n_term, term);
    }
}

// --- Dense ---

// Blocks of a grid of springs, some of them on a floor.
static inline void start_floor(small *s, int32_t side)
{
    grid_matrix(side, 1, &s->A);
    start_small(s, 0.01);
    for (int32_t i = 0; i < 3 * s->A.n; i++) s->b[i] = random_number() - (i % 3 == 2);
    for (int32_t i = 0; i < s->A.n && s->problem.n_constraint < SMALL_ROOM; i += i < 9 ? 1 : 3) {
        pl_constraint contact = contact_along(0.1 * random_number(), 0.1 * random_number(), 1, 0.5);
        pl_term term[2] = {{i, 1, {0}}, {(i + 1) % s->A.n, 0.3, {0}}};
        add_contact(s, &contact, 2, term);
    }
}

// L, row-major (3*n_constraint) x (3*A.n), from the definition: u = R^T sum (w v + v x r).
static inline double *dense_rows(const pl_problem *p)
{
    size_t n = 3 * (size_t)p->A->n;
    double *L = calloc(3 * (size_t)p->n_constraint * n + 1, sizeof *L);
    for (int32_t k = 0; k < p->n_constraint; k++) {
        const pl_constraint *c = p->constraint + k;
        for (int32_t t = c->first; t < c->first + c->count; t++) {
            const pl_term term = pl_problem_term(p, t);
            for (int j = 0; j < 3; j++) {
                double e[3] = {j == 0, j == 1, j == 2}, u[3];
                u[0] = term.w * e[0] + e[1] * term.r[2] - e[2] * term.r[1];
                u[1] = term.w * e[1] + e[2] * term.r[0] - e[0] * term.r[2];
                u[2] = term.w * e[2] + e[0] * term.r[1] - e[1] * term.r[0];
                for (int a = 0; a < 3; a++) {
                    const double *x = c->R + 3 * a;
                    L[(3 * (size_t)k + (size_t)a) * n + 3 * (size_t)term.block + (size_t)j] +=
                        x[0] * u[0] + x[1] * u[1] + x[2] * u[2];
                }
            }
        }
    }
    return L;
}

// Solves M X = B in place by elimination with pivots: M (n x n), B (n x m), row-major.
static inline void eliminate(int n, int m, long double *M, long double *B)
{
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++) {
            if (fabsl(M[i * n + p]) > fabsl(M[best * n + p])) best = i;
        }
        for (int j = 0; j < n && best != p; j++) {
            long double t = M[p * n + j];
            M[p * n + j] = M[best * n + j], M[best * n + j] = t;
        }
        for (int j = 0; j < m && best != p; j++) {
            long double t = B[p * m + j];
            B[p * m + j] = B[best * m + j], B[best * m + j] = t;
        }
        for (int i = 0; i < n; i++) {
            long double factor = M[i * n + p] / M[p * n + p];
            if (i == p || factor == 0) continue;
            for (int j = p; j < n; j++) M[i * n + j] -= factor * M[p * n + j];
            for (int j = 0; j < m; j++) B[i * m + j] -= factor * B[p * m + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) B[i * m + j] /= M[i * n + i];
    }
}

// The reduced form of a problem whose prescribed velocities are v: v = v0 + Y f, u = q + W f.
typedef struct reduced {
    int n, m;        // 3*A.n, 3*n_constraint
    long double *v0; // (n) without impulses
    long double *Y;  // (n x m) A^-1 L^T; 0 in prescribed rows
    long double *q;  // (m)
    long double *W;  // (m x m)
} reduced;

static inline reduced reduce(const pl_problem *p, const double *v)
{
    int n = 3 * p->A->n, m = 3 * p->n_constraint, cols = m + 1;
    reduced r = {n,
                 m,
                 calloc((size_t)n, sizeof *r.v0),
                 calloc((size_t)(n * m) + 1, sizeof *r.Y),
                 calloc((size_t)m + 1, sizeof *r.q),
                 calloc((size_t)(m * m) + 1, sizeof *r.W)};
    double *D = dense_copy(p->A), *L = dense_rows(p);
    long double *M = calloc((size_t)(n * n), sizeof *M), *B = calloc((size_t)(n * cols), sizeof *B);
    for (int i = 0; i < n; i++) {
        bool prescribed = pl_is_prescribed(p, i / 3);
        for (int j = 0; j < n; j++) M[i * n + j] = prescribed ? (i == j) : D[i * n + j];
        for (int k = 0; k < m; k++) B[i * cols + k] = prescribed ? 0 : L[k * n + i];
        B[i * cols + m] = prescribed ? v[i] : p->b[i];
    }
    eliminate(n, cols, M, B);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) r.Y[i * m + k] = B[i * cols + k];
        r.v0[i] = B[i * cols + m];
    }
    for (int k = 0; k < m; k++) {
        r.q[k] = -p->constraint[k / 3].c[k % 3];
        for (int i = 0; i < n; i++) {
            r.q[k] += L[k * n + i] * r.v0[i];
            for (int l = 0; l < m; l++) r.W[k * m + l] += L[k * n + i] * r.Y[i * m + l];
        }
    }
    free(D), free(L), free(M), free(B);
    return r;
}

static inline void free_reduced(reduced *r)
{
    free(r->v0), free(r->Y), free(r->q), free(r->W);
}

// v (n) := the velocities under the impulses f (m).
static inline void velocities_of(const reduced *r, const long double *f, double *v)
{
    for (int i = 0; i < r->n; i++) {
        long double sum = r->v0[i];
        for (int k = 0; k < r->m; k++) sum += r->Y[i * r->m + k] * f[k];
        v[i] = (double)sum;
    }
}

// The rows of a box, one after the other, from w (3).
static inline void slow_box(const reduced *r, int k, const pl_limits *limits, long double *w,
                            long double *f)
{
    for (int a = 0; a < 3; a++) {
        long double next = f[k + a], answer = r->W[(k + a) * r->m + k + a] + limits->compliance[a];
        if (limits->lo[a] < limits->hi[a]) next -= w[a] / answer;
        if (next < limits->lo[a]) next = limits->lo[a];
        if (next > limits->hi[a]) next = limits->hi[a];
        for (int b = 0; b < 3; b++) w[b] += r->W[(k + b) * r->m + k + a] * (next - f[k + a]);
        f[k + a] = next;
    }
}

// f (m) := projected Gauss-Seidel, row by row, on W, until nothing moves; fails if that takes too
// long. Shares no code with the solvers.
static inline void slow_solve(const pl_problem *p, const reduced *r, long double *f)
{
    int m = r->m;
    long double moved = 1;
    memset(f, 0, (size_t)m * sizeof *f);
    for (int sweep = 0; moved > 1e-15L; sweep++) {
        TEST_ASSERT_TRUE_MESSAGE(sweep < 400000, "the oracle does not end");
        moved = 0;
        for (int k = 0; k < m; k += 3) {
            long double u[3], old[3] = {f[k], f[k + 1], f[k + 2]};
            const pl_limits *limits = pl_limits_of(p, p->constraint + k / 3);
            const double *e = limits != NULL ? limits->compliance : (double[3]){0};
            for (int a = 0; a < 3; a++) {
                u[a] = r->q[k + a] + e[a] * f[k + a];
                for (int l = 0; l < m; l++) u[a] += r->W[(k + a) * m + l] * f[l];
            }
            if (limits != NULL && limits->law == PL_LAW_BOX) {
                slow_box(r, k, limits, u, f);
                for (int a = 0; a < 3; a++) moved = fmaxl(moved, fabsl(f[k + a] - old[a]));
                continue;
            }
            long double wn = r->W[k * m + k] + e[0];
            long double wt = r->W[(k + 1) * m + k + 1] + r->W[(k + 2) * m + k + 2] + 2 * e[1];
            long double next = f[k] - u[0] / wn;
            f[k] = next > 0 ? next : 0;
            for (int a = 1; a < 3; a++) u[a] += r->W[(k + a) * m + k] * (f[k] - old[0]);
            f[k + 1] -= u[1] / wt, f[k + 2] -= u[2] / wt;
            long double length = sqrtl(f[k + 1] * f[k + 1] + f[k + 2] * f[k + 2]);
            long double limit = p->constraint[k / 3].mu * f[k];
            if (length > limit) f[k + 1] *= limit / length, f[k + 2] *= limit / length;
            for (int a = 0; a < 3; a++) {
                long double d = fabsl(f[k + a] - old[a]);
                if (d > moved) moved = d;
            }
        }
    }
}

// --- Solving ---

typedef struct way {
    const char *solver;
    pl_precond precond;
} way;

static const way ways[] = {
    {"apg", PL_PRECOND_FULL},      {"cr", PL_PRECOND_FULL},       {"cr", PL_PRECOND_DIAG},
    {"minres", PL_PRECOND_FULL},   {"minres", PL_PRECOND_DIAG},   {"ica", PL_PRECOND_FULL},
    {"sp-cr", PL_PRECOND_FULL},    {"sp-as", PL_PRECOND_FULL},    {"cone-newton", PL_PRECOND_FULL},
    {"gcr", PL_PRECOND_FULL},      {"gcr", PL_PRECOND_DIAG},      {"sp-minres", PL_PRECOND_FULL},
    {"auto", PL_PRECOND_FULL},     {"cr", PL_PRECOND_SCHUR},      {"minres", PL_PRECOND_SCHUR},
    {"delassus", PL_PRECOND_FULL}, {"cr", PL_PRECOND_NONE},       {"newton", PL_PRECOND_FULL},
    {"ipm-cone", PL_PRECOND_FULL}, {"admm-cone", PL_PRECOND_FULL}};
enum { WAYS = sizeof ways / sizeof *ways };
enum { WAYS_OF_MANY = WAYS - 5 }; // that thousands of contacts are not too much for

static inline pl_status solve_small(small *s, way w, double residual_tolerance,
                                    double contact_tolerance)
{
    const pl_solver *solver;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(w.solver, &solver));
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = residual_tolerance, options.contact_tolerance = contact_tolerance,
    options.precond = w.precond;
    return pl_solve(solver, &s->problem, &options, &s->ws, s->v, s->f, &s->stats);
}

static inline void set_to_rest(small *s)
{
    for (int32_t i = 0; i < 3 * s->A.n; i++) {
        if (!s->prescribed[i / 3]) s->v[i] = 0;
    }
    memset(s->f, 0, 3 * (size_t)s->problem.n_constraint * sizeof *s->f);
}

// From rest and without impulses; must converge.
static inline void solve_anew(small *s, way w, double residual_tolerance, double contact_tolerance)
{
    set_to_rest(s);
    pl_status status = solve_small(s, w, residual_tolerance, contact_tolerance);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, s->stats.end);
    TEST_ASSERT_TRUE(s->stats.errors.residual <= residual_tolerance);
    TEST_ASSERT_TRUE(pl_contact_errors_within(&s->stats.errors, contact_tolerance));
}

// Solves from rest with a new workspace, for fail_each_allocation.
typedef struct fresh_small {
    small *s;
    way w;
} fresh_small;

static inline pl_status solve_fresh_small(void *user)
{
    const fresh_small *f = user;
    f->s->ws = (pl_workspace){0};
    memset(f->s->v, 0, 3 * (size_t)f->s->A.n * sizeof *f->s->v);
    pl_status status = solve_small(f->s, f->w, 1e-6, 1e-6);
    pl_workspace_free(&f->s->ws);
    return status;
}

#endif
