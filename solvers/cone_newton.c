// Newton's method on the faces of the friction cones, with multigrid, between steps of apg.
//
// With K, F and J as in cones.h, at a solution F(u) = f, and
//     r(v) = b + L^T F(L v - c) - A v = 0,
// which is piecewise smooth: a step of Newton's solves (A + L^T J L) e = r. The matrix is not
// symmetric where contacts slip; its symmetric part is what the multigrid cycle takes, and GMRES
// does the rest. Then f := F(u) at the new velocities, as in the method of multipliers: what is
// left of u falls by about 1 / (1 + K L A^-1 L^T) in each round, so that K need not be large, and A
// + L^T K L stays well conditioned: K is a few times the stiffness with which the blocks of A
// answer.
//
// Newton's step alone may cycle between faces. It is shortened to where the residual turns along
// it, and steps of apg, which find faces well but spread slowly through large bodies, come first.

#include "cone_newton.h"
#include "cones.h"
#include "device.h"
#include "gmres.h"
#include "multigrid.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_STEPS = 5, // of apg before a step of Newton's; twice as many where it does not help
    MOST_STEPS = 40,
    VAIN_ROUNDS = 10,  // in a row that do not bring the error down, and the rest is left to others
    NEWTON_STEPS = 10, // of GMRES at most;
    GOOD_STEPS = 12,   // after a good step
    LINE_STEPS = 8,
};

// K in units of a contact's own answer. Larger ones make the residual noisy, smaller ones need more
// rounds; from 3 to 10 measured alike.
static const double STIFFNESS = 5;
// A step of Newton's is solved until its residual has fallen by this factor, or as far as to so
// much of what is allowed if the second factor does that: it is the last then.
static const double DROP = 0.1, LEAST_DROP = 0.01, LAST = 0.4;
// A full step is taken if the residual along it falls by this factor, and is good with the second.
static const double ENOUGH = 0.5, GOOD = 0.3;
// Where it is to be shortened: of the residual along it, where that turns.
static const double TURN = 0.1;
// Good steps follow each other without apg as long as each reduces the error by this factor.
static const double GAIN = 0.5;
// Of errors before steps of Newton's, from one to the next.
static const double SLOW = 0.4, FAST = 0.15;

typedef struct state {
    const pl_problem *problem;
    const pl_solver_options *options;
    pl_workspace *ws;
    int64_t n, m;
    double *v, *f;            // (n), (m) the result so far
    double *K;                // (m) of each row; 0 where a contact does not answer
    double *u, *F;            // (m) at v
    double *r;                // (n) r(v)
    double *e, *Ae, *Le, *Fe; // the step; A and L times it; F at its end
    pl_stiffness *J;          // (n_constraint) the symmetric part
    float *couple;            // (2*n_constraint) J_tn
    pl_apg *apg;
    int32_t most; // iterations that it may come to
    pl_multigrid mg;
    pl_gmres gmres;
    double error;   // how far from solved: 1 is
    bool on_device; // the levels are there
    bool no_device; // it has failed in this solve
} state;

static pl_status create(const pl_problem *problem, const pl_solver_options *options,
                        pl_workspace *ws, double *v, double *f, state *out)
{
    int64_t n = 3 * (int64_t)problem->A->n, m = 3 * (int64_t)problem->n_constraint;
    out->problem = problem, out->options = options, out->ws = ws;
    out->n = n, out->m = m, out->v = v, out->f = f;
    double **of_n[] = {&out->r, &out->e, &out->Ae};
    double **of_m[] = {&out->u, &out->F, &out->Le, &out->Fe, &out->K};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) {
        *of_n[i] = pl_arena_take(&ws->arena, n, sizeof(double));
        if (*of_n[i] == NULL) return PL_ERROR_MEMORY;
    }
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++) {
        *of_m[i] = pl_arena_take(&ws->arena, m, sizeof(double));
        if (*of_m[i] == NULL) return PL_ERROR_MEMORY;
    }
    out->J = pl_arena_take(&ws->arena, problem->n_constraint, sizeof *out->J);
    out->couple = pl_arena_take(&ws->arena, m, sizeof *out->couple);
    if (out->J == NULL || out->couple == NULL) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        double S[9];
        bool answers = ws->scale[2 * (int64_t)k] > 0;
        pl_contact_block(problem, &ws->D, k, S);
        double *K = out->K + 3 * (int64_t)k;
        K[0] = answers && S[0] > 0 ? STIFFNESS / S[0] : 0;
        K[1] = K[2] = answers && S[4] + S[8] > 0 ? 2 * STIFFNESS / (S[4] + S[8]) : 0;
    }
    PL_TRY(pl_multigrid_create(problem, &ws->D, &ws->uses, out->apg->single, out->apg->s,
                               &ws->arena, &out->mg));
    return pl_gmres_create(n, &ws->arena, &out->gmres);
}

// F := P(f - K u) for all contacts.
static void push(const state *s, const double *u, double *F)
{
    pl_cones_push(s->problem, s->K, s->f, u, F);
}

// J of all contacts at u.
static void linearize(state *s)
{
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_constraint *constraint = s->problem->constraint + k;
        pl_slope J = pl_law_slope(pl_limits_of(s->problem, constraint), constraint->mu,
                                  s->K + 3 * k, s->f + 3 * k, s->u + 3 * k, s->F + 3 * k);
        s->J[k] = (pl_stiffness){(float)J.nn, (float)J.t11, (float)J.t12, (float)J.t22};
        s->couple[2 * k] = (float)J.n1;
        s->couple[2 * k + 1] = (float)J.n2;
    }
}

static void precondition(void *context, const float *x, float *y)
{
    state *s = context;
    pl_multigrid_cycle(&s->mg, x, y);
}

// y := (A + L^T J L) x, 0 in the prescribed blocks.
static void multiply(void *context, const float *x, float *y)
{
    state *s = context;
    const pl_grid_rows *rows = &s->mg.rows;
    pl_multigrid_multiply(&s->mg, x, y);
    for (int32_t k = 0; k < s->problem->n_constraint; k++) {
        int32_t first = rows->start[k], last = rows->start[k + 1];
        if (first == last) continue;
        float u[3] = {0};
        for (int32_t e = first; e < last; e++) {
            const float *G = rows->val + 9 * (int64_t)e, *w = x + 3 * (int64_t)rows->col[e];
            for (int a = 0; a < 3; a++)
                u[a] += (G[3 * a] * w[0] + G[3 * a + 1] * w[1]) + G[3 * a + 2] * w[2];
        }
        const pl_stiffness *J = s->J + k;
        const float *couple = s->couple + 2 * (int64_t)k;
        const float f[3] = {J->nn * u[0], couple[0] * u[0] + (J->t11 * u[1] + J->t12 * u[2]),
                            couple[1] * u[0] + (J->t12 * u[1] + J->t22 * u[2])};
        for (int32_t e = first; e < last; e++) {
            const float *G = rows->val + 9 * (int64_t)e;
            float *to = y + 3 * (int64_t)rows->col[e];
            for (int c = 0; c < 3; c++) to[c] += (G[c] * f[0] + G[3 + c] * f[1]) + G[6 + c] * f[2];
        }
    }
    if (s->problem->prescribed == NULL) return;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->problem->prescribed[i / 3] != 0) y[i] = 0;
    }
}

// How far to go: all the way, or to where the residual turns. *good if the step did what it should.
static double search(const state *s, bool *good)
{
    const pl_cone_line line = {.problem = s->problem,
                               .K = s->K,
                               .f = s->f,
                               .u = s->u,
                               .F = s->F,
                               .Le = s->Le,
                               .er = pl_vec_dot(s->n, s->e, s->r),
                               .eAe = pl_vec_dot(s->n, s->e, s->Ae),
                               .at = s->ws->u,
                               .Fe = s->Fe};
    double end = pl_cone_line_at(&line, 1);
    *good = fabs(end) < GOOD * fabs(line.er);
    if (!(line.er > 0)) return 0;
    return end > -ENOUGH * line.er ? 1 : pl_cone_line_turn(&line, end, TURN, LINE_STEPS);
}

// u, F and r at v; and the error, of F.
static void evaluate(state *s)
{
    pl_rows_multiply(s->problem, NULL, true, s->v, s->u);
    push(s, s->u, s->F);
    pl_contact_residual(s->problem, &s->ws->uses, s->v, s->F, s->ws->world, s->r);
}

// e := about the solution of (A + L^T J L) e = r, on the device if there is one; returns the steps.
static int32_t solve_inner(state *s, double drop, int32_t most)
{
    pl_device *device = s->ws->device;
    if (device != NULL && device->inner != NULL && !device->lost && !s->no_device) {
        int32_t n = 0;
        pl_arena_mark mark = pl_arena_here(&s->ws->arena);
        pl_status status = device->inner(device, &s->mg, !s->on_device, s->J, s->couple, drop, most,
                                         s->r, s->e, &s->ws->arena, &n);
        pl_arena_back(&s->ws->arena, mark);
        s->on_device = status == PL_OK;
        if (s->on_device) return n;
        s->no_device = true;
        pl_device_failed(device, status);
    }
    return pl_gmres_solve(&s->gmres, multiply, precondition, s, drop, most, s->r, s->e);
}

// Iterations that are allowed still.
static int32_t left(const state *s, const pl_solve_stats *stats)
{
    return s->options->max_iterations - stats->iterations;
}

// A step of Newton's. False if it led nowhere.
static bool newton(state *s, double error, bool *good, pl_solve_stats *stats)
{
    double drop = PL_MAX(PL_MIN(DROP, LAST / error), LEAST_DROP);
    if (LEAST_DROP * error > LAST) drop = DROP;
    linearize(s);
    pl_multigrid_set(&s->mg, s->J);
    stats->factorizations++;
    int32_t most = PL_MIN(*good ? GOOD_STEPS : NEWTON_STEPS, left(s, stats));
    int32_t n = solve_inner(s, drop, most);
    stats->iterations += n;
    stats->products += 3 * n; // one, and two in a cycle
    pl_bsr_multiply(s->problem->A, s->e, s->Ae);
    stats->products++;
    pl_rows_multiply(s->problem, NULL, false, s->e, s->Le);
    double t = n > 0 ? search(s, good) : 0;
    if (!(t > 0)) return *good = false;
    *good = *good && t == 1;
    for (int64_t i = 0; i < s->n; i++) s->v[i] += t * s->e[i];
    for (int64_t i = 0; i < s->m; i++) s->ws->u[i] = s->u[i] + t * s->Le[i];
    push(s, s->ws->u, s->Fe);
    memcpy(s->f, s->Fe, (size_t)s->m * sizeof *s->f);
    return true;
}

// Is it solved as it is?
static bool is_solved(state *s, pl_solve_stats *stats)
{
    pl_rows_multiply(s->problem, NULL, true, s->v, s->u);
    pl_contact_residual(s->problem, &s->ws->uses, s->v, s->f, s->ws->world, s->r);
    stats->products++;
    s->error = pl_solve_error(s->problem, s->options, s->ws, s->r, s->u, s->f);
    return s->error <= 1;
}

// Steps of Newton's and of apg in turn. PL_SOLVE_STALLED: after `most` iterations, or where these
// do not help.
static pl_solve_end iterate(state *s, pl_solve_stats *stats)
{
    int32_t n_apg = LEAST_STEPS, n_vain = 0;
    bool good = false;
    double last = INFINITY, least = INFINITY, after = INFINITY;
    for (;;) {
        if (left(s, stats) == 0) return PL_SOLVE_LIMIT;
        if (stats->iterations >= s->most) return PL_SOLVE_STALLED;
        if (pl_solve_is_late(s->ws, s->options)) return PL_SOLVE_TIME;
        evaluate(s);
        stats->products++;
        double error = pl_solve_error(s->problem, s->options, s->ws, s->r, s->u, s->F);
        if (!isfinite(error)) return PL_SOLVE_BREAKDOWN;
        n_vain = error < SLOW * least ? 0 : n_vain + 1;
        if (n_vain == 0) least = error;
        if (n_vain == VAIN_ROUNDS) return PL_SOLVE_STALLED;
        if (error > SLOW * last) n_apg = PL_MIN(2 * n_apg, MOST_STEPS);
        if (error < FAST * last) n_apg = PL_MAX(n_apg / 2, LEAST_STEPS);
        last = error;
        if (newton(s, error, &good, stats) && is_solved(s, stats)) return PL_SOLVE_CONVERGED;
        bool gains = good && s->error < GAIN * after;
        after = s->error;
        if (gains) continue;
        pl_solve_end end =
            pl_apg_improve(s->apg, s->options, PL_MIN(n_apg, left(s, stats)), s->v, s->f, stats);
        if (end != PL_SOLVE_LIMIT) return end;
    }
}

pl_status pl_cone_newton_go_on(const pl_problem *problem, const pl_solver_options *options,
                               pl_workspace *ws, pl_apg *apg, int32_t most, double *v, double *f,
                               pl_solve_stats *stats)
{
    state s = {.apg = apg, .most = most};
    pl_apg_settle(apg, stats);
    PL_TRY(create(problem, options, ws, v, f, &s));
    stats->end = iterate(&s, stats);
    return PL_OK;
}

pl_status pl_cone_newton_solve(const pl_problem *problem, const pl_solver_options *options,
                               pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    pl_apg apg;
    int32_t most = options->max_iterations;
    PL_TRY(pl_apg_create(problem, ws, stats, &apg));
    stats->end = pl_apg_improve(&apg, options, PL_MIN(LEAST_STEPS, most), v, f, stats);
    if (stats->end == PL_SOLVE_LIMIT && stats->iterations < most) {
        PL_TRY(pl_cone_newton_go_on(problem, options, ws, &apg, most, v, f, stats));
    }
    if (stats->end == PL_SOLVE_STALLED && stats->iterations < most) {
        stats->end = pl_apg_improve(&apg, options, most - stats->iterations, v, f, stats);
    }
    return PL_OK;
}
