// Newton's method in velocities, with sparse factors: for systems that are stiff, thin, or have
// large mass ratios, and for mechanisms.
//
// With K, F and J as in law.h, f being what the impulses are now,
//     r(v) = b + L^T F(L v - c) - A v = 0
// is solved for v; then f := F, and again. That is the proximal point method: with K = 1 / (d W), W
// how a contact answers its impulse, what is wrong with f falls by about d / (1 + d) in each round,
// whatever A is, and contacts that are redundant (four under a face) do no harm, since
// H = A + L^T J L is regular as A is. A step of Newton's solves
//     (A + L^T J L) e = r.
//
// Rows without bounds, those of joints, have no faces to find: their K is as large as can be, 1 /
// (1e-12 W), so that a round or two solve them, whatever hangs on them. F(u) would be all rounding
// then, eps K |u|. So their impulses lambda are unknowns, carried from step to step, with an
// equation of their own,
//     l = u + E lambda + (lambda - f) / K = 0,    dlambda = -J (l + L e),    J = 1 / (E + 1 / K),
// which, put into A e = r + L^T dlambda, leaves the same matrix, and r - L^T J l on the right.
//
// Six files: newton_setup.c has the memory, newton_step.c a step, newton_rounds.c the rounds,
// newton_sweeps.c sweeps, newton_ipm.c interior points, and newton_idle.c what redundant joints
// bear against each other. Here is the order in which things are tried. From impulses that are
// given a few factors show the solution, or not. If not, a hundred sweeps of Gauss-Seidel and a few
// rounds solve what is easy, of rigid bodies without joints. For what is not, or if no impulses are
// given and there are contacts, interior points find about which faces the solution is on, and
// rounds end it: so what begins at rest begins there as exactly as rounds can. Where these get
// nowhere, sweeps lead to another place to start from.

#include "apg.h"
#include "newton.h"

#include <math.h>
#include <string.h>

enum {
    WARM_FACTORS = 6,    // from the impulses given, before interior points
    HIT_FACTORS = 30,    // the same where LOOSE will do
    LOOSE_FACTORS = 60,  // after which it does, below
    LINEAR_FACTORS = 12, // without contacts
    SWEPT_FACTORS = 100, // after sweeps of rigid bodies
    IPM_STEPS = 30,
    MOST_FACTORS = 200, // after interior points, and after sweeps
    SWEEP_STAGES = 3,
    SWEEP_STEPS = 5, // of apg in the first of them
    SWEEP_MORE = 4,  // times as many in each that follows
};

// Where there are joints or motors, a start is left as it is only if its error is this part of what
// is allowed: a step of Newton's is exact there, and what is left in a motor's speed, or along a
// chain, would stay for ever.
static const double AS_IS = 1e-6;

// Rounds follow on sweeps that leave no more than this, in units of what is allowed.
static const double NEAR = 100;

// A link whose inertia about its own axis is some 1e-5 of that across, as that of a thin string,
// has next to nothing left of it beside K of rows that are carried, and H is not definite to
// rounding. Then it is tried with a d of theirs that is so many times as large, up to this.
static const double CARRIED_SOFTER = 100, CARRIED_MOST = 1e-8;

// Where a hit goes through a hundred bodies the last digits of the impulses take more factors than
// all before, and sometimes are not to be had. If the caller allows it, errors are enough then,
// that are no more than this part of the fastest relative motion in the step: that is exact beside
// what a step in time knows of a hit. Of rigid bodies only, and not where there are joints, which
// would come apart.
static const double LOOSE = 1e-3;

static double loose_error(const pl_newton *s)
{
    const pl_problem *problem = s->problem;
    double fastest = 0;
    bool rigid = problem->A->nnz == problem->A->n;
    if (!(s->options->loose_tolerance > 0) || !rigid || problem->n_limits > 0) return 0;
    pl_rows_multiply(problem, NULL, false, s->v, s->Le);
    for (int64_t i = 0; i < s->m; i++) fastest = PL_MAX(fastest, fabs(s->Le[i]));
    double most = PL_MIN(LOOSE * problem->dt * fastest, s->options->loose_tolerance);
    return most / s->options->contact_tolerance;
}

static void take_best(const pl_newton *s)
{
    if (!isfinite(s->best)) return;
    memcpy(s->v, s->best_v, (size_t)s->n * sizeof *s->v);
    memcpy(s->f, s->best_f, (size_t)s->m * sizeof *s->f);
}

static bool has_cones(const pl_problem *problem)
{
    if (problem->n_limits < problem->n_constraint) return true;
    for (int64_t k = 0; k < problem->n_constraint; k++) {
        if (!pl_is_box(problem, k)) return true;
    }
    return false;
}

static bool is_cold(const pl_newton *s)
{
    for (int64_t i = 0; i < s->m; i++) {
        if (s->f[i] != 0) return false;
    }
    return true;
}

// Is there something to be tried after this end?
static bool goes_on(const pl_newton *s, pl_solve_end end)
{
    return s->best > 1 && !s->hopeless && (end == PL_SOLVE_STALLED || end == PL_SOLVE_BREAKDOWN);
}

static pl_solve_end run_cold(pl_newton *s, pl_solve_stats *stats)
{
    take_best(s);
    pl_newton_check_joints(s, stats);
    pl_newton_begin_stage(s, stats->factorizations + IPM_STEPS + 1);
    pl_solve_end end = pl_newton_ipm(s, IPM_STEPS, stats);
    if (end != PL_SOLVE_STALLED) return end;
    // What is solved already is made better while that is cheap.
    int64_t more = s->best <= 1 ? WARM_FACTORS : MOST_FACTORS;
    return pl_newton_rounds(s, false, stats->factorizations + more, stats);
}

// What this does not solve goes on from where it was before: interior points find more from there.
static pl_solve_end run_swept(pl_newton *s, pl_solve_stats *stats)
{
    pl_arena *arena = &s->ws->arena;
    pl_arena_mark mark = pl_arena_here(arena);
    double *v = pl_arena_take(arena, s->n, sizeof *v), *f = pl_arena_take(arena, s->m, sizeof *f);
    double best = s->best;
    if (v == NULL || f == NULL) return PL_SOLVE_BREAKDOWN;
    take_best(s);
    memcpy(v, s->v, (size_t)s->n * sizeof *v);
    memcpy(f, s->f, (size_t)s->m * sizeof *f);
    if (pl_newton_sweep(s, stats) != PL_OK) return PL_SOLVE_BREAKDOWN;
    double swept = pl_newton_judge(s, s->f, stats);
    int64_t more = s->best <= 1 ? WARM_FACTORS : SWEPT_FACTORS;
    pl_solve_end end = PL_SOLVE_STALLED;
    if (swept <= NEAR) {
        end = pl_newton_rounds(s, false, stats->factorizations + more, stats);
    }
    if (goes_on(s, end)) {
        memcpy(s->v, v, (size_t)s->n * sizeof *v);
        memcpy(s->f, f, (size_t)s->m * sizeof *f);
        memcpy(s->best_v, v, (size_t)s->n * sizeof *v);
        memcpy(s->best_f, f, (size_t)s->m * sizeof *f);
        s->best = best;
    }
    pl_arena_back(arena, mark);
    return end;
}

static pl_solve_end run_after_sweeps(pl_newton *s, int32_t steps, pl_solve_stats *stats)
{
    pl_arena *arena = &s->ws->arena;
    pl_arena_mark mark = pl_arena_here(arena);
    pl_apg apg;
    take_best(s);
    if (pl_apg_create(s->problem, s->ws, stats, &apg) != PL_OK) return PL_SOLVE_BREAKDOWN;
    int32_t left = s->options->max_iterations - stats->iterations;
    pl_solve_end end = pl_apg_improve(&apg, s->options, PL_MIN(steps, left), s->v, s->f, stats);
    pl_arena_back(arena, mark);
    if (end == PL_SOLVE_TIME) return end;
    if (pl_newton_judge(s, s->f, stats) <= 1) return PL_SOLVE_CONVERGED;
    return pl_newton_rounds(s, false, stats->factorizations + MOST_FACTORS, stats);
}

bool pl_newton_is_solved(pl_newton *s, pl_solve_stats *stats)
{
    for (int64_t i = 0; i < s->m; i++) {
        if (!(s->ws->scale[2 * (i / 3)] > 0)) s->f[i] = 0;
    }
    return pl_newton_judge(s, s->f, stats) <= (s->problem->n_limits > 0 ? AS_IS : 1);
}

// With d_carried as it is.
static pl_solve_end run(pl_newton *s, pl_solve_stats *stats)
{
    bool cones = has_cones(s->problem), cold = is_cold(s);
    pl_solve_end end = PL_SOLVE_STALLED;
    for (int64_t i = 0; i < s->m; i++) {
        if (!(s->W[i - i % 3] > 0)) s->f[i] = 0;
    }
    if (!cones || !cold || s->best <= 1) {
        int64_t warm = s->loose > 1 ? HIT_FACTORS : WARM_FACTORS;
        int64_t most = stats->factorizations + (cones ? warm : LINEAR_FACTORS);
        end = pl_newton_rounds(s, true, most, stats);
    }
    if (goes_on(s, end) && cones && !cold && pl_newton_can_sweep(s)) end = run_swept(s, stats);
    if (goes_on(s, end)) end = run_cold(s, stats);
    bool sweeps = s->shifts == 0 && end == PL_SOLVE_STALLED;
    for (int32_t i = 0, n = SWEEP_STEPS; i < SWEEP_STAGES && sweeps && goes_on(s, end); i++) {
        end = run_after_sweeps(s, n, stats);
        n *= SWEEP_MORE; // or it could all come out as before
    }
    take_best(s);
    return s->best <= 1 ? PL_SOLVE_CONVERGED : end;
}

pl_solve_end pl_newton_run(pl_newton *s, pl_solve_stats *stats)
{
    pl_solve_end end = PL_SOLVE_STALLED;
    s->loose = loose_error(s);
    s->loose_from = stats->factorizations + LOOSE_FACTORS;
    for (; s->d_carried <= CARRIED_MOST; s->d_carried *= CARRIED_SOFTER) {
        s->indefinite = false;
        end = run(s, stats);
        if (!goes_on(s, end) || !s->indefinite || s->lambda == NULL) break;
    }
    pl_newton_clear_idle(s, stats);
    return end == PL_SOLVE_CONVERGED && s->shifts > 0 ? PL_SOLVE_CONTRADICTING : end;
}

pl_status pl_newton_solve(const pl_problem *problem, const pl_solver_options *options,
                          pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    pl_newton s;
    pl_split split;
    PL_TRY(pl_newton_create(problem, options, ws, v, f, &s));
    bool solved = pl_newton_is_solved(&s, stats);
    pl_arena_back(&ws->arena, mark);
    stats->end = PL_SOLVE_CONVERGED;
    if (solved) return PL_OK;
    PL_TRY(pl_split_create(problem, &ws->arena, &split));
    const pl_newton_sets all = {.split = &split, .most_work = INFINITY};
    return pl_newton_solve_sets(&all, options, ws, v, f, stats);
}
