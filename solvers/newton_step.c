// A step of `newton`: the matrix, its factor, what slip adds to it, and how far to go.
//
// J is not symmetric where contacts slip. Let H have its symmetric part, without J_tn, and C be the
// rest, by which tangents follow the normal velocities w of slipping contacts; from
//     H e + L_t^T C w = r,    w = L_n e
// follows a system for w alone, as large as there are contacts that slip,
//     (I + L_n H^-1 L_t^T C) w = L_n H^-1 r,
// which GMRES solves, with one solve with the factor of H per step. (Fixing the friction bound, and
// iterating on it, stagnates where slip and normal impulse depend on each other.)
//
// The step is taken whole, or to where the residual turns along it. F of stiff contacts is the
// difference of large numbers: F - J L e, what the linear system says, is kept in its place for
// where the residual is less with it.

#include "hessenberg.h"
#include "newton.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

enum { LINE_STEPS = 12 };
// The step is taken whole if what is left along it is no more than this; else to where it is TURN.
static const double ENOUGH = 0.5, TURN = 0.1;
// Where the residual does not even fall along the step.
static const double SHORT_STEP = 0.1;
// Impulses at the edge of the cone slip in the first step, where edge is within this factor.
static const double SLIPS = 1 + 1e-6;
static const double GMRES_DROP = 1e-4;
// A factor is used again if no stiffness has changed by more than this part of K.
static const double SAME_STIFFNESS = 1e-9;

// Rows of a box may have very different K.
static bool is_same_box(const pl_sym3 *a, const pl_sym3 *b, const double *K)
{
    return fabs(a->nn - b->nn) <= SAME_STIFFNESS * K[0] &&
           fabs(a->t11 - b->t11) <= SAME_STIFFNESS * K[1] &&
           fabs(a->t22 - b->t22) <= SAME_STIFFNESS * K[2];
}

static bool is_same(const pl_sym3 *a, const pl_sym3 *b, const double *K)
{
    double slack = SAME_STIFFNESS * PL_MAX(K[0], K[1]);
    return fabs(a->nn - b->nn) <= slack && fabs(a->t11 - b->t11) <= slack &&
           fabs(a->t12 - b->t12) <= slack && fabs(a->t22 - b->t22) <= slack && a->n1 == b->n1 &&
           a->n2 == b->n2;
}

static bool slips(const pl_slope *J)
{
    return J->n1 != 0 || J->n2 != 0;
}

// J at v.
static void linearize(pl_newton *s)
{
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_constraint *constraint = s->problem->constraint + k;
        s->J[k] = pl_law_slope(pl_limits_of(s->problem, constraint), constraint->mu, s->K + 3 * k,
                               s->f + 3 * k, s->u + 3 * k, s->F + 3 * k);
    }
}

// The factor of H with the symmetric part of J. *slip: there is more to J than that.
static bool factorize(pl_newton *s, bool *slip, pl_solve_stats *stats)
{
    bool same = s->factored;
    *slip = false;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_slope *J = s->J + k;
        const pl_sym3 D = {.nn = J->nn, .t11 = J->t11, .t12 = J->t12, .t22 = J->t22};
        *slip = *slip || slips(J);
        same = same && (pl_is_box(s->problem, k) ? is_same_box(&D, s->D + k, s->K + 3 * k)
                                                 : is_same(&D, s->D + k, s->K + 3 * k));
    }
    if (same) return true;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_slope *J = s->J + k;
        s->D[k] = (pl_sym3){.nn = J->nn, .t11 = J->t11, .t12 = J->t12, .t22 = J->t22};
    }
    return s->factored = pl_newton_factor(s, stats);
}

// x := L_t^T C w.
static void follow_slip(const pl_newton *s, const double *w, double *x)
{
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        double *g = s->ws->u + 3 * k;
        g[0] = 0, g[1] = s->J[k].n1 * w[k], g[2] = s->J[k].n2 * w[k];
    }
    memset(x, 0, (size_t)s->n * sizeof *x);
    pl_rows_transpose_add(s->problem, &s->ws->uses, 1, s->ws->u, s->ws->world, x);
}

// w := L_n x where contacts slip, 0 elsewhere.
static void take_normals(const pl_newton *s, const double *x, double *w)
{
    pl_rows_multiply(s->problem, NULL, false, x, s->ws->u);
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        w[k] = slips(s->J + k) ? s->ws->u[3 * k] : 0;
    }
}

// w := the normal velocities of the step where contacts slip; e holds H^-1 r.
static void find_slip(pl_newton *s, double *w, pl_solve_stats *stats)
{
    int64_t m = s->problem->n_constraint;
    double y[PL_HESSENBERG_STEPS], *basis = s->basis;
    pl_hessenberg ls = {0};
    take_normals(s, s->e, basis);
    ls.g[0] = sqrt(pl_vec_dot(m, basis, basis));
    memset(w, 0, (size_t)m * sizeof *w);
    if (!(ls.g[0] > 0)) return;
    for (int64_t i = 0; i < m; i++) basis[i] /= ls.g[0];
    double first = ls.g[0];
    int k = 0;
    while (k < PL_HESSENBERG_STEPS && fabs(ls.g[k]) > GMRES_DROP * first &&
           stats->iterations < s->options->max_iterations) {
        const double *from = basis + k * m;
        double *to = basis + (k + 1) * m;
        follow_slip(s, from, s->x);
        pl_contact_matrix_solve(&s->H, s->x, s->Ae);
        stats->iterations++;
        take_normals(s, s->Ae, to);
        for (int64_t i = 0; i < m; i++) to[i] += from[i];
        for (int i = 0; i <= k; i++) {
            ls.R[k][i] = pl_vec_dot(m, basis + i * m, to);
            pl_vec_add(m, -ls.R[k][i], basis + i * m, to);
        }
        double length = sqrt(pl_vec_dot(m, to, to));
        if (!isfinite(length)) break;
        ls.R[k][k + 1] = length;
        pl_hessenberg_add(&ls, k++);
        if (!(length > 0)) break;
        for (int64_t i = 0; i < m; i++) to[i] /= length;
    }
    pl_hessenberg_solve(&ls, k, y);
    for (int i = 0; i < k; i++) pl_vec_add(m, y[i], basis + i * m, w);
}

// e := the step. False if there is none.
static bool find_step(pl_newton *s, pl_solve_stats *stats)
{
    bool slip;
    if (!factorize(s, &slip, stats)) return false;
    pl_newton_set_rhs(s);
    pl_contact_matrix_solve(&s->H, s->rhs, s->e);
    stats->iterations++;
    if (!slip) return true;
    double *w = s->Fe; // as scratch
    find_slip(s, w, stats);
    follow_slip(s, w, s->x);
    for (int64_t i = 0; i < s->n; i++) s->x[i] = s->rhs[i] - s->x[i];
    pl_contact_matrix_solve(&s->H, s->x, s->e);
    return true;
}

// How far to go.
static double search(const pl_newton *s)
{
    const pl_cone_line line = {.problem = s->problem,
                               .K = s->K,
                               .f = s->f,
                               .u = s->u,
                               .F = s->F,
                               .Le = s->Le,
                               .er = pl_vec_dot(s->n, s->e, s->rhs),
                               .eAe = pl_vec_dot(s->n, s->e, s->Ae),
                               .at = s->ws->u,
                               .Fe = s->Fe,
                               .linear = s->stiff};
    double end = pl_cone_line_at(&line, 1);
    if (!(line.er > 0)) return SHORT_STEP;
    return end > -ENOUGH * line.er ? 1 : pl_cone_line_turn(&line, end, TURN, LINE_STEPS);
}

// z (3) := F - J w.
static void follow_one(const pl_slope *J, const double *w, const double *F, double *z)
{
    z[0] = F[0] - J->nn * w[0];
    z[1] = F[1] - (J->n1 * w[0] + (J->t11 * w[1] + J->t12 * w[2]));
    z[2] = F[2] - (J->n2 * w[0] + (J->t12 * w[1] + J->t22 * w[2]));
}

// Fe := what the linear system says of the impulses at the end of the whole step, in the cones.
static void follow_impulses(const pl_newton *s)
{
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        double z[3];
        follow_one(s->J + k, s->Le + 3 * k, s->F + 3 * k, z);
        const pl_constraint *constraint = s->problem->constraint + k;
        pl_law_project(pl_limits_of(s->problem, constraint), constraint->mu, z, s->Fe + 3 * k);
    }
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        if (s->stiff[i] > 0) s->Fe[i] = s->lambda[i];
    }
}

bool pl_newton_advance(pl_newton *s, bool *whole, pl_solve_stats *stats)
{
    linearize(s);
    if (!find_step(s, stats)) return false;
    pl_bsr_multiply(s->problem->A, s->e, s->Ae);
    stats->products++;
    pl_rows_multiply(s->problem, NULL, false, s->e, s->Le);
    double t = search(s);
    if (!isfinite(t)) return false;
    *whole = t == 1;
    pl_newton_carry(s, t);
    if (*whole) follow_impulses(s);
    pl_vec_add(s->n, t, s->e, s->v);
    return true;
}

bool pl_newton_begin(pl_newton *s, pl_solve_stats *stats)
{
    static const double rest[3] = {0};
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_constraint *constraint = s->problem->constraint + k;
        const pl_limits *limits = pl_limits_of(s->problem, constraint);
        double *f = s->f + 3 * k, z[3], mu = constraint->mu;
        pl_law_project(limits, mu, f, s->F + 3 * k);
        for (int i = 0; i < 3; i++) {
            double soft = limits != NULL ? 1 + s->K[3 * k + i] * limits->compliance[i] : 1;
            z[i] = (i == 0 ? 1 : SLIPS) * s->F[3 * k + i] * soft;
        }
        s->J[k] = pl_law_slope(limits, mu, s->K + 3 * k, z, rest, s->F + 3 * k);
        follow_one(s->J + k, s->u + 3 * k, s->F + 3 * k, s->Fe + 3 * k);
    }
    pl_newton_start_carried(s);
    pl_newton_look_at_carried(s);
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        if (s->stiff[i] > 0) s->Fe[i] = s->lambda[i];
    }
    pl_contact_residual(s->problem, &s->ws->uses, s->v, s->Fe, s->ws->world, s->r);
    stats->products++;
    if (!find_step(s, stats)) return false;
    pl_vec_add(s->n, 1, s->e, s->v);
    if (s->lambda != NULL) pl_rows_multiply(s->problem, NULL, false, s->e, s->Le);
    pl_newton_carry(s, 1);
    return true;
}
