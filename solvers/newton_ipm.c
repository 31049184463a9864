// Interior points, to find about which faces of the cones a solution is on.
//
// With s = mu |u_t| held for an iteration, Coulomb's law says that z = (u_n + s, mu u_t) and
// g = (f_n, f_t / mu) lie in the cone |x_t| <= x_n and that z . g = 0 [De Saxce & Feng 1998]. That
// is a convex problem, and the primal-dual method follows its central path: with Nesterov and
// Todd's scaling W, for which W g = W^-1 z = l,
//     W^-1 dz + W dg = l \ (sigma z.g - l o l - correction)        Mehrotra's predictor, corrector
//     dz = (du_n, mu du_t) + what z lacks,    A dv = r + L^T df
// so that (A + L^T D L) dv = ... with D = diag(1, mu, mu) W^-2 diag(1, mu, mu): the matrix of
// contact_matrix.h. s follows from the new velocities. Where slip and normal impulse depend on each
// other that does not come to an end, so that these iterations are a start, and no more.

#include "newton.h"

#include <math.h>
#include <string.h>

// Of the way to the edge of a cone.
static const double STEP = 0.99;
static const double LEAST_STEP = 1e-8;
// Contacts without friction have a little here: a cone has to have an inside.
static const double LEAST_MU = 1e-4;
// z at the start, as part of the largest relative velocity, and at least so many times
// contact_tolerance / dt.
static const double Z_START = 0.2, Z_LEAST = 10;
// Near enough for Newton's method to end it.
static const double NEAR = 0.1;
// Done when what is complementary is below this part of contact_tolerance: the rest is slip.
static const double CENTRED = 1e-3;

typedef struct inside {
    double mu;
    double z[3], g[3];         // strictly in the cone
    double lack[3];            // (u_n + s, mu u_t) - z
    double inv[6];             // W^-1: nn, n1, n2, t11, t12, t22
    double scale[6];           // W
    double l[3];               // W g
    double h[3], dz[3], dg[3]; // the right-hand side, the step
} inside;

static double det(const double *a)
{
    return a[0] * a[0] - a[1] * a[1] - a[2] * a[2];
}

static void multiply(const double *S, const double *x, double *y)
{
    y[0] = S[0] * x[0] + S[1] * x[1] + S[2] * x[2];
    y[1] = S[1] * x[0] + S[3] * x[1] + S[4] * x[2];
    y[2] = S[2] * x[0] + S[4] * x[1] + S[5] * x[2];
}

// The product of the cone's algebra, and its inverse: y with l o y = b.
static void circle(const double *a, const double *b, double *y)
{
    y[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    y[1] = a[0] * b[1] + b[0] * a[1];
    y[2] = a[0] * b[2] + b[0] * a[2];
}

static void divide(const double *l, const double *b, double *y)
{
    y[0] = (l[0] * b[0] - l[1] * b[1] - l[2] * b[2]) / PL_MAX(det(l), 1e-300);
    y[1] = (b[1] - y[0] * l[1]) / l[0];
    y[2] = (b[2] - y[0] * l[2]) / l[0];
}

// How far from a along d the cone reaches.
static double reach(const double *a, const double *d)
{
    double A = det(d), B = a[0] * d[0] - a[1] * d[1] - a[2] * d[2], C = det(a);
    double most = d[0] < 0 ? -a[0] / d[0] : INFINITY, q = B * B - A * C;
    if (q < 0) return most;
    double root = sqrt(q), sum = B < 0 ? -B + root : -B - root; // A x^2 + 2 B x + C = 0
    double x1 = sum != 0 ? C / sum : INFINITY, x2 = A != 0 ? sum / A : INFINITY;
    if (x1 > 0) most = PL_MIN(most, x1);
    if (x2 > 0) most = PL_MIN(most, x2);
    return most;
}

static void find_scaling(inside *c)
{
    double dz = sqrt(PL_MAX(det(c->z), 1e-300)), dg = sqrt(PL_MAX(det(c->g), 1e-300));
    double zb[3], gb[3], w[3], dot = 0, eta = sqrt(dz / dg);
    for (int i = 0; i < 3; i++) {
        zb[i] = c->z[i] / dz, gb[i] = c->g[i] / dg;
        dot += zb[i] * gb[i];
    }
    double gamma = sqrt(0.5 * (1 + dot));
    for (int i = 0; i < 3; i++) w[i] = (zb[i] + (i == 0 ? gb[i] : -gb[i])) / (2 * gamma);
    double S[6] = {w[0],
                   w[1],
                   w[2],
                   1 + w[1] * w[1] / (1 + w[0]),
                   w[1] * w[2] / (1 + w[0]),
                   1 + w[2] * w[2] / (1 + w[0])};
    for (int i = 0; i < 6; i++) {
        c->scale[i] = eta * S[i];
        c->inv[i] = (i == 1 || i == 2 ? -S[i] : S[i]) / eta;
    }
    multiply(c->scale, c->g, c->l);
}

// D of the matrix.
static pl_sym3 stiffness(const inside *c)
{
    const double *S = c->inv;
    double mu = c->mu;
    return (pl_sym3){.nn = S[0] * S[0] + S[1] * S[1] + S[2] * S[2],
                     .n1 = mu * (S[0] * S[1] + S[1] * S[3] + S[2] * S[4]),
                     .n2 = mu * (S[0] * S[2] + S[1] * S[4] + S[2] * S[5]),
                     .t11 = mu * mu * (S[1] * S[1] + S[3] * S[3] + S[4] * S[4]),
                     .t12 = mu * mu * (S[1] * S[2] + S[3] * S[4] + S[4] * S[5]),
                     .t22 = mu * mu * (S[2] * S[2] + S[4] * S[4] + S[5] * S[5])};
}

// Is k a cone with an impulse that counts?
static bool answers(const pl_newton *s, int64_t k)
{
    return s->W[3 * k] > 0 && !pl_is_box(s->problem, k);
}

// What is not a cone: rows that are carried take part as in newton.c, with their impulse as it is
// for the f there; others keep the impulses they have.
static void take_others(const pl_newton *s, double *f)
{
    for (int64_t i = 0; i < s->m && s->problem->n_limits > 0; i++) {
        if (!pl_is_box(s->problem, i / 3)) continue;
        f[i] = s->stiff != NULL && s->stiff[i] > 0 ? s->lambda[i] : s->f[i];
    }
}

static bool has_soft_cones(const pl_problem *problem)
{
    for (int32_t i = 0; i < problem->n_limits; i++) {
        const pl_limits *limits = problem->limits + i;
        bool soft = limits->compliance[0] > 0 || limits->compliance[1] > 0;
        if (limits->law == PL_LAW_CONE && soft) return true;
    }
    return false;
}

// --- An iteration ---

static void start(const pl_newton *s, inside *all)
{
    double most = 0, least = Z_LEAST * s->options->contact_tolerance / s->problem->dt;
    pl_rows_multiply(s->problem, NULL, true, s->v, s->u);
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        for (int i = 0; i < 3; i++) most = PL_MAX(most, fabs(s->u[3 * k + i]));
    }
    double z = PL_MAX(Z_START * most, least);
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        if (!answers(s, k)) continue;
        all[k] = (inside){.mu = PL_MAX(s->problem->constraint[k].mu, LEAST_MU), .z = {z}};
        all[k].g[0] = z / s->W[3 * k];
    }
}

// The impulses that g stands for.
static void take_impulses(const pl_newton *s, const inside *all, double *f)
{
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const inside *c = all + k;
        if (pl_is_box(s->problem, k)) continue;
        memset(f + 3 * k, 0, 3 * sizeof *f);
        if (!answers(s, k)) continue;
        // Of no more friction than there is.
        double mu = s->problem->constraint[k].mu;
        f[3 * k] = c->g[0], f[3 * k + 1] = mu * c->g[1], f[3 * k + 2] = mu * c->g[2];
    }
    take_others(s, f);
}

// What z lacks, and the scaling; returns the sum of z . g.
static double prepare(pl_newton *s, inside *all)
{
    double sum = 0;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        inside *c = all + k;
        const double *u = s->u + 3 * k;
        const double *stiff = s->stiff != NULL ? s->stiff + 3 * k : NULL;
        s->D[k] = (pl_sym3){0};
        if (stiff != NULL) s->D[k] = (pl_sym3){.nn = stiff[0], .t11 = stiff[1], .t22 = stiff[2]};
        if (!answers(s, k)) continue;
        double slip = s->problem->constraint[k].mu * sqrt(u[1] * u[1] + u[2] * u[2]);
        c->lack[0] = u[0] + slip - c->z[0];
        c->lack[1] = c->mu * u[1] - c->z[1];
        c->lack[2] = c->mu * u[2] - c->z[2];
        find_scaling(c);
        s->D[k] = stiffness(c);
        sum += c->z[0] * c->g[0] + c->z[1] * c->g[1] + c->z[2] * c->g[2];
    }
    return sum;
}

// The step for a centring sigma z.g; with the last one's correction if `corrects`. Returns how far
// the cones let it go.
static double find_step(pl_newton *s, inside *all, double centre, bool corrects)
{
    const pl_problem *problem = s->problem;
    for (int64_t k = 0; k < problem->n_constraint; k++) {
        inside *c = all + k;
        double *f = s->Fe + 3 * k, q[3], a[3], b[3], t[3];
        for (int i = 0; i < 3; i++) {
            f[i] = s->stiff != NULL ? -s->stiff[3 * k + i] * s->lack[3 * k + i] : 0;
        }
        if (!answers(s, k)) continue;
        circle(c->l, c->l, q);
        for (int i = 0; i < 3; i++) q[i] = -q[i];
        if (corrects) {
            multiply(c->inv, c->dz, a);
            multiply(c->scale, c->dg, b);
            circle(a, b, t);
            for (int i = 0; i < 3; i++) q[i] -= t[i];
        }
        q[0] += centre;
        divide(c->l, q, c->h);
        multiply(c->inv, c->lack, a);
        for (int i = 0; i < 3; i++) a[i] = c->h[i] - a[i];
        multiply(c->inv, a, t);
        f[0] = t[0], f[1] = c->mu * t[1], f[2] = c->mu * t[2];
    }
    memcpy(s->x, s->r, (size_t)s->n * sizeof *s->x);
    pl_rows_transpose_add(problem, &s->ws->uses, 1, s->Fe, s->ws->world, s->x);
    pl_contact_matrix_solve(&s->H, s->x, s->e);
    pl_rows_multiply(problem, NULL, false, s->e, s->Le);
    double most = 1;
    for (int64_t k = 0; k < problem->n_constraint; k++) {
        inside *c = all + k;
        double a[3];
        if (!answers(s, k)) continue;
        for (int i = 0; i < 3; i++) {
            c->dz[i] = (i == 0 ? 1 : c->mu) * s->Le[3 * k + i] + c->lack[i];
        }
        multiply(c->inv, c->dz, a);
        for (int i = 0; i < 3; i++) a[i] = c->h[i] - a[i];
        multiply(c->inv, a, c->dg);
        most = PL_MIN(most, STEP * PL_MIN(reach(c->z, c->dz), reach(c->g, c->dg)));
    }
    return most;
}

static void go(pl_newton *s, inside *all, double t)
{
    for (int64_t i = 0; i < s->n; i++) s->v[i] += t * s->e[i];
    pl_newton_carry(s, t);
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        for (int i = 0; i < 3 && answers(s, k); i++) {
            all[k].z[i] += t * all[k].dz[i];
            all[k].g[i] += t * all[k].dg[i];
        }
    }
}

// The sum of z . g after a part t of the step.
static double complementarity(const pl_newton *s, const inside *all, double t)
{
    double sum = 0;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const inside *c = all + k;
        for (int i = 0; i < 3 && answers(s, k); i++) {
            sum += (c->z[i] + t * c->dz[i]) * (c->g[i] + t * c->dg[i]);
        }
    }
    return sum;
}

// Is there nothing left but what s changes?
static bool is_centred(const pl_newton *s, const inside *all)
{
    double most = 0;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const inside *c = all + k;
        if (!answers(s, k)) continue;
        double zg = c->z[0] * c->g[0] + c->z[1] * c->g[1] + c->z[2] * c->g[2];
        most = PL_MAX(most, s->W[3 * k] * PL_MAX(zg, 0));
    }
    return s->problem->dt * sqrt(most) < CENTRED * s->options->contact_tolerance;
}

static pl_solve_end iterate(pl_newton *s, inside *all, int32_t n, pl_solve_stats *stats)
{
    int64_t n_answer = 0;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) n_answer += answers(s, k);
    if (n_answer == 0) return PL_SOLVE_STALLED;
    for (int32_t i = 0; i <= n; i++) {
        take_impulses(s, all, s->F);
        double error = pl_newton_judge(s, s->F, stats);
        if (error <= NEAR) return PL_SOLVE_CONVERGED;
        if (!isfinite(error) || i == n || is_centred(s, all)) break;
        pl_solve_end end = pl_newton_limits(s, stats);
        if (end != PL_SOLVE_CONVERGED) return end;
        if (s->lambda != NULL) memcpy(s->f, s->F, (size_t)s->m * sizeof *s->f);
        pl_newton_look_at_carried(s);
        double gap = prepare(s, all);
        stats->factorizations++;
        if (!pl_contact_matrix_set(&s->H, s->D)) break;
        double t = find_step(s, all, 0, false);
        double sigma = pow(PL_MAX(complementarity(s, all, t), 0) / gap, 3);
        t = find_step(s, all, sigma * gap / (double)n_answer, true);
        stats->iterations += 2;
        if (!(t > LEAST_STEP)) break;
        go(s, all, t);
    }
    return PL_SOLVE_STALLED;
}

pl_solve_end pl_newton_ipm(pl_newton *s, int32_t n, pl_solve_stats *stats)
{
    if (has_soft_cones(s->problem)) return PL_SOLVE_STALLED; // they would change the matrix
    pl_arena_mark mark = pl_arena_here(&s->ws->arena);
    inside *all = pl_arena_take(&s->ws->arena, s->problem->n_constraint, sizeof *all);
    if (all == NULL) return PL_SOLVE_STALLED;
    pl_newton_set_stiffness(s, 1); // for the rows that are carried
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) s->lambda[i] = s->f[i];
    start(s, all);
    pl_solve_end end = iterate(s, all, n, stats);
    take_impulses(s, all, s->f);
    pl_arena_back(&s->ws->arena, mark);
    return end;
}
