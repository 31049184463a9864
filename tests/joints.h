// Rigid bodies with joints, motors and limits built by hand, for the tests of solvers, and the
// dense answer to joints without bounds.

#ifndef PL_TESTS_JOINTS_H
#define PL_TESTS_JOINTS_H

#include "contacts.h"

static const pl_limits BILATERAL = {
    PL_LAW_BOX, {0}, {-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}, 0, false};

// Bodies of two blocks each, linear and angular velocity, with random inertias.
static inline void start_bodies(small *s, int32_t n, const double *mass, double dt)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(2 * n, 0, NULL, &s->A));
    for (int32_t i = 0; i < n; i++) {
        double *M = s->A.val + 9 * s->A.diag[2 * i], *I = s->A.val + 9 * s->A.diag[2 * i + 1];
        double B[9];
        for (int e = 0; e < 9; e++) B[e] = random_number();
        for (int e = 0; e < 9; e++) {
            const double *x = B + e / 3, *y = B + e % 3;
            M[e] = e % 4 == 0 ? mass[i] : 0;
            I[e] = mass[i] * (0.1 * (x[0] * y[0] + x[3] * y[3] + x[6] * y[6]) + 0.1 * (e % 4 == 0));
        }
    }
    start_small(s, dt);
    for (int32_t i = 0; i < 6 * n; i++) s->b[i] = mass[i / 6] * random_number();
}

static inline void add_limited(small *s, const pl_constraint *frame, const pl_limits *limits,
                               int32_t n_term, const pl_term *term)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_limited(&s->problem, frame, limits, n_term, term));
}

// The points r of body a and q of body b (-1: the world) move as one: three rows.
static inline void add_ball(small *s, int32_t a, const double *r, int32_t b, const double *q,
                            const pl_limits *limits)
{
    pl_constraint frame = contact_along(random_number(), random_number(), random_number(), 0);
    const pl_term term[4] = {{2 * a, 1, {0}},
                             {2 * a + 1, 0, {r[0], r[1], r[2]}},
                             {2 * b, -1, {0}},
                             {2 * b + 1, 0, {-q[0], -q[1], -q[2]}}};
    add_limited(s, &frame, limits, b < 0 ? 2 : 4, term);
}

// How bodies a and b (-1: the world) turn against each other about an axis, the first row, and the
// two directions across it.
static inline void add_turning(small *s, int32_t a, int32_t b, const double *axis, double speed,
                               const pl_limits *limits)
{
    pl_constraint frame = contact_along(axis[0], axis[1], axis[2], 0);
    frame.c[0] = speed;
    const pl_term term[2] = {{2 * a + 1, 1, {0}}, {2 * b + 1, -1, {0}}};
    add_limited(s, &frame, limits, b < 0 ? 1 : 2, term);
}

// A hinge: they turn freely about the axis, unless the first row is a motor's.
static inline void add_hinge(small *s, int32_t a, const double *r, int32_t b, const double *q,
                             const double *axis)
{
    pl_limits limits = BILATERAL;
    limits.lo[0] = limits.hi[0] = 0;
    add_ball(s, a, r, b, q, &BILATERAL);
    add_turning(s, a, b, axis, 0, &limits);
}

// A chain of bodies from the world down, by balls or hinges.
static inline void start_chain(small *s, int32_t n, const double *mass, bool hinges)
{
    const double up[3] = {0.01, 0.02, 0.5}, down[3] = {-0.02, 0, -0.5};
    start_bodies(s, n, mass, 0.01);
    for (int32_t i = 0; i < n; i++) {
        s->b[6 * i + 2] -= 0.0981 * mass[i];
        const double axis[3] = {i % 2, 1, 0.1 * i};
        if (hinges) {
            add_hinge(s, i, up, i - 1, down, axis);
        } else {
            add_ball(s, i, up, i - 1, down, &BILATERAL);
        }
    }
}

// v (n) and f (m) := the solution where no bound is met: [A -L^T; L E] (v, f) = (b, c), dense, in
// long double; rows that are not used have f = 0. Without known blocks.
static inline void dense_joints(const pl_problem *p, double *v, double *f)
{
    int n = 3 * p->A->n, m = 3 * p->n_constraint, all = n + m;
    double *D = dense_copy(p->A), *L = dense_rows(p);
    long double *M = calloc((size_t)(all * all), sizeof *M), *x = calloc((size_t)all, sizeof *x);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) M[i * all + j] = D[i * n + j];
        for (int k = 0; k < m; k++) M[i * all + n + k] = -L[k * n + i];
        x[i] = p->b[i];
    }
    for (int k = 0; k < m; k++) {
        const pl_constraint *c = p->constraint + k / 3;
        const pl_limits *limits = pl_limits_of(p, c);
        bool used = limits->lo[k % 3] < limits->hi[k % 3];
        for (int j = 0; j < n && used; j++) M[(n + k) * all + j] = L[k * n + j];
        M[(n + k) * all + n + k] = used ? limits->compliance[k % 3] : 1;
        x[n + k] = used ? c->c[k % 3] : 0;
    }
    eliminate(all, 1, M, x);
    for (int i = 0; i < n; i++) v[i] = (double)x[i];
    for (int k = 0; k < m; k++) f[k] = (double)x[n + k];
    free(D), free(L), free(M), free(x);
}

#endif
