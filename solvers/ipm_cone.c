// Interior points on the convex relaxation of Coulomb's law, and the fixed point around them.
//
// With s = mu |w_t| held in each cone the problem is a second-order cone program, which interior
// points (newton_ipm.c, inside.h) solve from any start in some ten factors: Coulomb's law holds but
// for s. Then s follows the slip, until both agree [Acary & Cadoux 2013; De Saxce & Feng 1998]. The
// faces that this comes to are solved for exactly in a few rounds of `newton`'s, which matters
// where mu is 0: a cone has to have an inside. `newton` itself lets s follow in every iteration,
// and goes on by rounds from wherever that ends.

#include "newton.h"

#include <math.h>
#include <string.h>

enum {
    STEPS = 60,      // of interior points, for one s
    OUTER = 200,     // times that s follows
    OUTER_VAIN = 20, // in a row that bring nothing
    LINEAR_FACTORS = 12,
    POLISH_FACTORS = 40,
};

// What counts as bringing the error down.
static const double GAIN = 0.95;
// Where it does not fall, s goes half as far of its way as before, but no less than this part.
static const double LEAST_PART = 0.1;
// s stays if it goes no farther than this part of the largest.
static const double SETTLED = 1e-3;

// held goes by a part of the way to mu |w_t| at u; returns how far that was for any, as a part of
// the largest.
static double follow_slip(pl_newton *s, double part, double *held)
{
    double most = 0, way = 0;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_constraint *constraint = s->problem->constraint + k;
        double w[3];
        if (pl_is_box(s->problem, k)) continue;
        pl_law_velocity(pl_limits_of(s->problem, constraint), s->u + 3 * k, s->f + 3 * k, w);
        double slip = constraint->mu * sqrt(w[1] * w[1] + w[2] * w[2]);
        most = PL_MAX(most, slip);
        way = PL_MAX(way, fabs(slip - held[k]));
        held[k] += part * (slip - held[k]);
    }
    return most > 0 ? way / most : 0;
}

// v := what it would be with the impulses f and no others: it tells how fast things are.
static bool let_go(pl_newton *s, pl_solve_stats *stats)
{
    memset(s->D, 0, (size_t)s->problem->n_constraint * sizeof *s->D);
    stats->factorizations++;
    if (!pl_contact_matrix_set(&s->H, s->D)) return false;
    pl_contact_matrix_solve(&s->H, s->r, s->e);
    for (int64_t i = 0; i < s->n; i++) s->v[i] += s->e[i];
    return true;
}

// The fixed point, until s stays or nothing gets better. PL_SOLVE_STALLED: the rest is for
// `polish`.
static pl_solve_end run(pl_newton *s, double *held, pl_solve_stats *stats)
{
    double least = INFINITY, last = INFINITY, part = 1;
    for (int32_t round = 0, vain = 0; round < OUTER && vain < OUTER_VAIN; round++) {
        double error = pl_newton_judge(s, s->f, stats);
        if (error <= 1) return PL_SOLVE_CONVERGED;
        if (round == 0 && !let_go(s, stats)) return PL_SOLVE_BREAKDOWN;
        if (round == 0) pl_newton_judge(s, s->f, stats);
        vain = error < GAIN * least ? 0 : vain + 1;
        if (round > 1 && error > GAIN * last) part = PL_MAX(0.5 * part, LEAST_PART);
        least = PL_MIN(least, error);
        last = error;
        if (follow_slip(s, part, held) <= SETTLED && round > 0) break;
        pl_newton_begin_stage(s, INT64_MAX);
        pl_solve_end end = pl_newton_ipm(s, STEPS, stats);
        if (end != PL_SOLVE_STALLED && end != PL_SOLVE_CONVERGED) return end;
    }
    return PL_SOLVE_STALLED;
}

static pl_solve_end polish(pl_newton *s, pl_solve_stats *stats)
{
    memcpy(s->v, s->best_v, (size_t)s->n * sizeof *s->v);
    memcpy(s->f, s->best_f, (size_t)s->m * sizeof *s->f);
    pl_newton_begin_stage(s, stats->factorizations + POLISH_FACTORS);
    return pl_newton_rounds(s, false, stats->factorizations + POLISH_FACTORS, stats);
}

// Is there nothing with an inside, so that a linear system is all there is?
static bool is_linear(const pl_newton *s)
{
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_limits *limits = pl_limits_of(s->problem, s->problem->constraint + k);
        if (!pl_is_box(s->problem, k)) return false;
        for (int a = 0; a < 3; a++) {
            if (limits->lo[a] < limits->hi[a] && !pl_is_bilateral(limits, a)) return false;
        }
    }
    return true;
}

pl_status pl_ipm_cone_solve(const pl_problem *problem, const pl_solver_options *options,
                            pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    pl_newton s;
    double *held = pl_arena_take(&ws->arena, problem->n_constraint, sizeof *held);
    if (held == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_newton_create(problem, options, ws, v, f, &s));
    stats->end = PL_SOLVE_CONVERGED;
    if (pl_newton_is_solved(&s, stats)) return PL_OK;
    PL_TRY(pl_newton_analyze(&s));
    PL_TRY(pl_newton_take(&s));
    for (int64_t i = 0; i < s.m; i++) f[i] = s.W[i - i % 3] > 0 ? f[i] : 0;
    memset(held, 0, (size_t)problem->n_constraint * sizeof *held);
    s.held = held;
    stats->end =
        is_linear(&s) ? pl_newton_rounds(&s, true, LINEAR_FACTORS, stats) : run(&s, held, stats);
    if (stats->end == PL_SOLVE_STALLED && isfinite(s.best)) stats->end = polish(&s, stats);
    if (!isfinite(s.best)) return PL_OK;
    memcpy(v, s.best_v, (size_t)s.n * sizeof *v);
    memcpy(f, s.best_f, (size_t)s.m * sizeof *f);
    if (s.best <= 1) stats->end = PL_SOLVE_CONVERGED;
    return PL_OK;
}
