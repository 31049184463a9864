// Bodies, links between them, and the problem that they make. The mechanisms themselves are in
// mechanisms.c.

#include "mechanism.h"
#include "../../rigid/inertia.h"
#include "../../rigid/rotation.h"

#include <math.h>
#include <string.h>

static const double GRAVITY = 9.81;
// Of what joints and overlapping contacts are off by, this part is made good in a step.
static const double JOINT_GAIN = 0.3, CONTACT_GAIN = 0.2;

void pl_mechanism_free(pl_mechanism *m)
{
    pl_problem_free(&m->problem);
    pl_bsr_free(&m->A);
    pl_free(m->body), pl_free(m->link), pl_free(m->b), pl_free(m->v), pl_free(m->f);
    *m = (pl_mechanism){0};
}

static pl_status take(pl_mechanism *m)
{
    PL_TRY(pl_bsr_create(2 * m->n_body, 0, NULL, &m->A));
    m->b = pl_alloc_zero(6 * (int64_t)m->n_body, sizeof *m->b);
    m->v = pl_alloc_zero(6 * (int64_t)m->n_body, sizeof *m->v);
    m->f = pl_alloc_zero(3 * (int64_t)m->n_link, sizeof *m->f);
    return m->b != NULL && m->v != NULL && m->f != NULL ? PL_OK : PL_ERROR_MEMORY;
}

// --- The system ---

static void set_body(pl_mechanism *m, int32_t i)
{
    const pl_mechanism_body *body = m->body + i;
    double *M = m->A.val + 9 * m->A.diag[2 * i], *I = m->A.val + 9 * m->A.diag[2 * i + 1];
    double R[9], *b = m->b + 6 * (int64_t)i;
    pl_rotation_matrix(body->q, R);
    memset(I, 0, 9 * sizeof *I);
    for (int e = 0; e < 9; e++) {
        M[e] = e % 4 == 0 ? body->mass : 0;
        for (int k = 0; k < 3; k++) {
            I[e] += R[e / 3 * 3 + k] * body->moment[k] * R[e % 3 * 3 + k];
        }
    }
    pl_matrix_apply(I, body->u + 3, b + 3);
    for (int k = 0; k < 3; k++) {
        b[k] = body->mass * (body->u[k] - (k == 2 ? m->dt * GRAVITY : 0));
    }
    memcpy(m->v + 6 * (int64_t)i, body->u, sizeof body->u);
}

// Where a link's point is, and its arm from the centre of body i; the world's has none.
static void find_point(const pl_mechanism *m, int32_t i, const double *at, double *x, double *arm)
{
    memset(arm, 0, 3 * sizeof *arm);
    memcpy(x, at, 3 * sizeof *x);
    if (i < 0) return;
    double R[9];
    pl_rotation_matrix(m->body[i].q, R);
    pl_matrix_apply(R, at, arm);
    for (int k = 0; k < 3; k++) x[k] = m->body[i].x[k] + arm[k];
}

// The axes of a link in the world's frame.
static void find_axes(const pl_mechanism *m, const pl_mechanism_link *link, double *axes)
{
    memcpy(axes, link->R, sizeof link->R);
    if (link->a < 0) return;
    double R[9];
    pl_rotation_matrix(m->body[link->a].q, R);
    for (int k = 0; k < 3; k++) pl_matrix_apply(R, link->R + 3 * k, axes + 3 * k);
}

static int32_t list_terms(const pl_mechanism_link *link, const double *ra, const double *rb,
                          pl_term *term)
{
    int32_t n = 0;
    for (int side = 0; side < 2; side++) {
        int32_t i = side == 0 ? link->b : link->a;
        const double *r = side == 0 ? rb : ra, sign = side == 0 ? 1 : -1;
        if (i < 0) continue;
        if (link->turns) {
            term[n++] = (pl_term){2 * i + 1, sign, {0}};
            continue;
        }
        term[n++] = (pl_term){2 * i, sign, {0}};
        term[n++] = (pl_term){2 * i + 1, 0, {sign * r[0], sign * r[1], sign * r[2]}};
    }
    return n;
}

static pl_status add_link(pl_mechanism *m, const pl_mechanism_link *link)
{
    pl_constraint constraint = {.mu = link->mu};
    double xa[3], xb[3], ra[3], rb[3];
    pl_term term[4];
    find_point(m, link->a, link->at_a, xa, ra);
    find_point(m, link->b, link->at_b, xb, rb);
    find_axes(m, link, constraint.R);
    // The axes go with a, so that contacts act where b is now.
    for (int k = 0; k < 3 && link->cone && link->a >= 0; k++) ra[k] = xb[k] - m->body[link->a].x[k];
    for (int row = 0; row < 3; row++) {
        const double *axis = constraint.R + 3 * row;
        double gap = 0;
        for (int k = 0; k < 3; k++) gap += axis[k] * (xb[k] - xa[k]);
        constraint.c[row] = link->speed[row];
        if (link->turns) continue;
        if (!link->cone) constraint.c[row] -= JOINT_GAIN * gap / m->dt;
        if (link->cone && row == 0) constraint.c[0] -= (gap > 0 ? 1 : CONTACT_GAIN) * gap / m->dt;
    }
    int32_t n_term = list_terms(link, ra, rb, term);
    if (link->cone) return pl_problem_add(&m->problem, &constraint, n_term, term);
    pl_limits limits = link->limits;
    for (int row = 0; row < 3; row++) limits.lo[row] *= m->dt, limits.hi[row] *= m->dt;
    return pl_problem_add_limited(&m->problem, &constraint, &limits, n_term, term);
}

// A += dt^2 sym(-[F]x [r]x) of a body, without what is negative of it: as a body turns, the arm r
// that the force F pulls at turns with it. F r^T and its transpose, half of each, are subtracted
// from (F . r) I.
static void stiffen(pl_mechanism *m, int32_t i, double sign, const double *impulse, const double *r)
{
    if (i < 0) return;
    double S[9], value[3], axes[9], *I = m->A.val + 9 * m->A.diag[2 * i + 1], dot = 0;
    for (int k = 0; k < 3; k++) dot += impulse[k] * r[k];
    for (int e = 0; e < 9; e++) {
        double outer = 0.5 * (impulse[e / 3] * r[e % 3] + impulse[e % 3] * r[e / 3]);
        S[e] = sign * m->dt * ((e % 4 == 0 ? dot : 0) - outer);
    }
    pl_symmetric_eigen(S, value, axes);
    for (int e = 0; e < 9; e++) {
        for (int k = 0; k < 3; k++) {
            I[e] += PL_MAX(value[k], 0) * axes[e / 3 * 3 + k] * axes[e % 3 * 3 + k];
        }
    }
}

static void stiffen_by(pl_mechanism *m, int32_t k)
{
    const pl_mechanism_link *link = m->link + k;
    double xa[3], xb[3], ra[3], rb[3], axes[9], impulse[3] = {0};
    if (link->cone || link->turns) return;
    find_point(m, link->a, link->at_a, xa, ra);
    find_point(m, link->b, link->at_b, xb, rb);
    find_axes(m, link, axes);
    for (int e = 0; e < 9; e++) impulse[e % 3] += m->f[3 * (int64_t)k + e / 3] * axes[e];
    stiffen(m, link->b, 1, impulse, rb);
    stiffen(m, link->a, -1, impulse, ra);
}

pl_status pl_mechanism_build(pl_mechanism *m)
{
    if (m->A.n == 0) PL_TRY(take(m));
    for (int32_t i = 0; i < m->n_body; i++) set_body(m, i);
    for (int32_t k = 0; k < m->n_link && m->stiffens; k++) stiffen_by(m, k);
    pl_problem_clear(&m->problem);
    m->problem.A = &m->A;
    m->problem.b = m->b;
    m->problem.dt = m->dt;
    for (int32_t k = 0; k < m->n_link; k++) PL_TRY(add_link(m, m->link + k));
    return PL_OK;
}

void pl_mechanism_advance(pl_mechanism *m)
{
    for (int32_t i = 0; i < m->n_body; i++) {
        pl_mechanism_body *body = m->body + i;
        double turn[3], q[4];
        memcpy(body->u, m->v + 6 * (int64_t)i, sizeof body->u);
        for (int k = 0; k < 3; k++) {
            body->x[k] += m->dt * body->u[k];
            turn[k] = m->dt * body->u[3 + k];
        }
        pl_rotation_exp(turn, q);
        pl_rotation_compose(q, body->q, body->q);
    }
}

double pl_mechanism_drift(const pl_mechanism *m)
{
    double most = 0;
    for (int32_t k = 0; k < m->n_link; k++) {
        const pl_mechanism_link *link = m->link + k;
        double xa[3], xb[3], r[3], sum = 0;
        if (link->cone || link->turns) continue;
        find_point(m, link->a, link->at_a, xa, r);
        find_point(m, link->b, link->at_b, xb, r);
        for (int e = 0; e < 3; e++) sum += (xb[e] - xa[e]) * (xb[e] - xa[e]);
        most = PL_MAX(most, sqrt(sum));
    }
    return most;
}
