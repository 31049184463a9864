// Interior points, to find about which faces of the cones a solution is on.
//
// inside.h has the laws. From df = D (what is known) - D du follows
//     (A + L^T D L) dv = r + L^T D (what is known):
// the matrix of contact_matrix.h. The slip s in each cone follows from the new velocities. Where
// slip and normal impulse depend on each other that does not come to an end, so that these
// iterations are a start, and no more.

#include "inside.h"
#include "newton.h"

#include <math.h>
#include <string.h>

// Of the way to the edge of a cone.
static const double STEP = 0.99;
static const double LEAST_STEP = 1e-8;
// z at the start, as part of the largest relative velocity, and at least so many times
// contact_tolerance / dt.
static const double Z_START = 0.2, Z_LEAST = 10;
// Near enough for Newton's method to end it.
static const double NEAR = 0.1;
// Done when what is complementary is below this part of contact_tolerance: the rest is slip.
static const double CENTRED = 1e-3;

static const pl_limits *limits_of(const pl_newton *s, int64_t k)
{
    return pl_limits_of(s->problem, s->problem->constraint + k);
}

static void start(pl_newton *s, pl_inside *all, pl_solve_stats *stats)
{
    double most = 0, least = Z_LEAST * s->options->contact_tolerance / s->problem->dt;
    pl_newton_judge(s, s->f, stats); // for u
    for (int64_t i = 0; i < s->m; i++) most = PL_MAX(most, fabs(s->u[i]));
    double z = PL_MAX(Z_START * most, least);
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        pl_inside_start(all + k, limits_of(s, k), s->problem->constraint[k].mu, s->W + 3 * k, z);
    }
}

// The impulses of all: rows that are carried have theirs in lambda, others keep what they have.
static void take_impulses(const pl_newton *s, const pl_inside *all, double *f)
{
    if (f != s->f) memcpy(f, s->f, (size_t)s->m * sizeof *f);
    for (int64_t k = 0; k < s->problem->n_constraint; k++) pl_inside_impulse(all + k, f + 3 * k);
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        if (s->stiff[i] > 0) f[i] = s->lambda[i];
    }
}

// mu |w_t|, as pl_inside_look has it.
static double slip_of(const pl_newton *s, const pl_inside *c, int64_t k)
{
    double f[3] = {0}, w[3];
    if (c->box || !c->used) return 0;
    pl_inside_impulse(c, f);
    pl_law_velocity(limits_of(s, k), s->u + 3 * k, f, w);
    return c->mu * sqrt(w[1] * w[1] + w[2] * w[2]);
}

// What z lacks, and the scaling; returns the sum of what is complementary.
static double prepare(pl_newton *s, pl_inside *all)
{
    double sum = 0;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const double *stiff = s->stiff != NULL ? s->stiff + 3 * k : NULL;
        double u[3] = {s->u[3 * k], s->u[3 * k + 1], s->u[3 * k + 2]};
        if (s->held != NULL) u[0] += s->held[k] - slip_of(s, all + k, k);
        sum += pl_inside_look(all + k, u, s->D + k);
        if (stiff == NULL) continue;
        s->D[k].nn += stiff[0], s->D[k].t11 += stiff[1], s->D[k].t22 += stiff[2];
    }
    return sum;
}

// The step that leaves `centre` of each pair; with the last one's correction if `corrects`. Returns
// how far the cones let it go.
static double find_step(pl_newton *s, pl_inside *all, double centre, bool corrects)
{
    const pl_problem *problem = s->problem;
    for (int64_t k = 0; k < problem->n_constraint; k++) {
        double *f = s->Fe + 3 * k;
        for (int i = 0; i < 3; i++) {
            f[i] = s->stiff != NULL ? -s->stiff[3 * k + i] * s->lack[3 * k + i] : 0;
        }
        pl_inside_push(all + k, centre, corrects, f);
    }
    memcpy(s->x, s->r, (size_t)s->n * sizeof *s->x);
    pl_rows_transpose_add(problem, &s->ws->uses, 1, s->Fe, s->ws->world, s->x);
    pl_contact_matrix_solve(&s->H, s->x, s->e);
    pl_rows_multiply(problem, NULL, false, s->e, s->Le);
    double most = 1;
    for (int64_t k = 0; k < problem->n_constraint; k++) {
        most = PL_MIN(most, STEP * pl_inside_step(all + k, s->Le + 3 * k));
    }
    return most;
}

static void go(pl_newton *s, pl_inside *all, double t)
{
    for (int64_t i = 0; i < s->n; i++) s->v[i] += t * s->e[i];
    pl_newton_carry(s, t);
    for (int64_t k = 0; k < s->problem->n_constraint; k++) pl_inside_go(all + k, t);
}

// What is complementary after a part t of the step.
static double complementarity(const pl_newton *s, const pl_inside *all, double t)
{
    double sum = 0;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) sum += pl_inside_gap(all + k, t);
    return sum;
}

// Is there nothing left but what s changes?
static bool is_centred(const pl_newton *s, const pl_inside *all)
{
    double most = 0;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const double *W = s->W + 3 * k;
        double zg = pl_inside_gap(all + k, 0);
        most = PL_MAX(most, PL_MAX(W[0], PL_MAX(W[1], W[2])) * PL_MAX(zg, 0));
    }
    return s->problem->dt * sqrt(most) < CENTRED * s->options->contact_tolerance;
}

// best_v (n) and best_f (m) := the best of these iterations.
static pl_solve_end iterate(pl_newton *s, pl_inside *all, int32_t n, double *best_v, double *best_f,
                            pl_solve_stats *stats)
{
    int64_t n_pair = 0;
    double best = INFINITY;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) n_pair += all[k].n;
    if (n_pair == 0) return PL_SOLVE_STALLED;
    for (int32_t i = 0; i <= n; i++) {
        take_impulses(s, all, s->F);
        double error = pl_newton_judge(s, s->F, stats);
        if (error < best || (s->held != NULL && isfinite(error))) { // held: the last solves it
            best = error;
            memcpy(best_v, s->v, (size_t)s->n * sizeof *best_v);
            memcpy(best_f, s->F, (size_t)s->m * sizeof *best_f);
        }
        if (error <= NEAR) return PL_SOLVE_CONVERGED;
        if (!isfinite(error) || i == n || is_centred(s, all)) break;
        pl_solve_end end = pl_newton_limits(s, stats);
        if (end != PL_SOLVE_CONVERGED) return end;
        if (s->lambda != NULL) memcpy(s->f, s->F, (size_t)s->m * sizeof *s->f);
        pl_newton_look_at_carried(s);
        double gap = prepare(s, all);
        if (!(gap > 0) || !pl_newton_factor(s, stats)) break;
        double t = find_step(s, all, 0, false);
        if (++stats->iterations < s->options->max_iterations) {
            double sigma = pow(PL_MAX(complementarity(s, all, t), 0) / gap, 3);
            t = find_step(s, all, sigma * gap / (double)n_pair, true);
            stats->iterations++;
        }
        if (!(t > LEAST_STEP)) break;
        go(s, all, t);
    }
    return PL_SOLVE_STALLED;
}

pl_solve_end pl_newton_ipm(pl_newton *s, int32_t n, pl_solve_stats *stats)
{
    pl_arena *arena = &s->ws->arena;
    pl_arena_mark mark = pl_arena_here(arena);
    pl_inside *all = pl_arena_take(arena, s->problem->n_constraint, sizeof *all);
    double *best_v = pl_arena_take(arena, s->n, sizeof *best_v);
    double *best_f = pl_arena_take(arena, s->m, sizeof *best_f);
    if (all == NULL || best_v == NULL || best_f == NULL) return PL_SOLVE_STALLED;
    memcpy(best_v, s->v, (size_t)s->n * sizeof *best_v);
    memcpy(best_f, s->f, (size_t)s->m * sizeof *best_f);
    pl_newton_set_stiffness(s, 1); // for the rows that are carried
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) s->lambda[i] = s->f[i];
    start(s, all, stats);
    pl_solve_end end = iterate(s, all, n, best_v, best_f, stats);
    memcpy(s->v, best_v, (size_t)s->n * sizeof *best_v);
    memcpy(s->f, best_f, (size_t)s->m * sizeof *best_f);
    s->factored = false;
    pl_arena_back(arena, mark);
    return end;
}
