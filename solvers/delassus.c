// Gauss-Seidel on the reduced form [VJ19, 6.2.4]: W = L A^-1 L^T is built (reduced.h), and impulses
// such that w = q + W f obeys the laws are found constraint by constraint, each solved exactly with
// the others held. Then v = v0 + A^-1 L^T f.

#include "device.h"
#include "reduced.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

// The result is looked at after one sweep, and again after this part more of those made.
static const double LOOK_AGAIN = 0.25;

// The block of a constraint may be singular where a lever arm alone answers: this much of its trace
// is added, against changes of the impulse.
static const double REGULARIZE = 1e-12;

typedef struct delassus {
    const pl_problem *problem;
    pl_workspace *ws;
    const pl_reduced *W;
    pl_block *law; // (n_constraint) with the diagonal blocks
    double *f;     // (3*n_constraint)
    double *v;     // (3*A.n)
} delassus;

// w (3) := row k of q + W f.
static inline void multiply_row(const pl_reduced *W, int32_t k, const double *restrict f, double *w)
{
    const double *q = W->q + 3 * (int64_t)k;
    double w0 = q[0], w1 = q[1], w2 = q[2];
    for (int64_t i = W->row[k]; i < W->row[k + 1]; i++) {
        const double *B = W->val + 9 * i, *g = f + 3 * (int64_t)W->col[i];
        w0 += (B[0] * g[0] + B[1] * g[1]) + B[2] * g[2];
        w1 += (B[3] * g[0] + B[4] * g[1]) + B[5] * g[2];
        w2 += (B[6] * g[0] + B[7] * g[1]) + B[8] * g[2];
    }
    w[0] = w0, w[1] = w1, w[2] = w2;
}

// Solves constraint k with all others held; returns the change of its relative velocity that its
// new impulse makes.
static double relax(delassus *d, int32_t k)
{
    const pl_limits *limits = pl_limits_of(d->problem, d->problem->constraint + k);
    double *f = d->f + 3 * (int64_t)k, w[3];
    multiply_row(d->W, k, d->f, w);
    double change = pl_block_relax(d->law + k, limits, w, f);
    return isnan(f[0] + f[1] + f[2]) ? NAN : change;
}

static double sweep(delassus *d)
{
    double most = 0;
    for (int32_t k = 0; k < d->W->n; k++) {
        if (d->W->diag[k] < 0) continue;
        double change = relax(d, k);
        if (!(change <= most)) most = change;
        if (isnan(most)) break;
    }
    return most;
}

static pl_solve_end iterate(delassus *d, const pl_solver_options *options, pl_solve_stats *stats)
{
    for (int32_t look = 1;;) {
        if (stats->iterations == options->max_iterations) return PL_SOLVE_LIMIT;
        if (pl_solve_is_late(d->ws, options)) return PL_SOLVE_TIME;
        double change = sweep(d);
        stats->iterations++;
        if (!isfinite(change)) return PL_SOLVE_BREAKDOWN;
        if (stats->iterations < look && change > 0) continue;
        look = stats->iterations + 1 + (int32_t)(LOOK_AGAIN * stats->iterations);
        pl_reduced_velocities(d->W, d->f, d->v);
        if (pl_is_solved(d->problem, options, d->ws, d->v, d->f, stats)) return PL_SOLVE_CONVERGED;
        if (change == 0) return PL_SOLVE_STALLED;
    }
}

// What answers starts from its impulse in f.
static void start(delassus *d, const double *f)
{
    for (int32_t k = 0; k < d->W->n; k++) {
        const pl_constraint *constraint = d->problem->constraint + k;
        double S[9], *to = d->f + 3 * (int64_t)k;
        memset(to, 0, 3 * sizeof *to);
        if (d->W->diag[k] < 0) continue;
        memcpy(to, f + 3 * (int64_t)k, 3 * sizeof *to);
        memcpy(S, d->W->val + 9 * d->W->diag[k], sizeof S);
        double trace = S[0] + S[4] + S[8];
        for (int a = 0; a < 3; a++) S[4 * a] += REGULARIZE * trace;
        pl_block_set(d->law + k, pl_limits_of(d->problem, constraint), constraint->mu, S, 1);
    }
}

// On the device of the workspace, if it has one. False where that is not the end: the CPU goes on
// from what it has left in f.
static bool solve_on_device(delassus *d, const pl_solver_options *options, double *f,
                            pl_solve_stats *stats)
{
    pl_device *device = d->ws->device;
    size_t size = 3 * sizeof *f;
    stats->end = PL_SOLVE_LIMIT;
    if (device == NULL || device->lost || device->reduced == NULL) return false;
    for (int64_t k = 0; k < d->W->n; k++) {
        memset(d->f + 3 * k, 0, size);
        if (d->W->diag[k] >= 0) memcpy(d->f + 3 * k, f + 3 * k, size);
    }
    const pl_solve_stats before = *stats;
    pl_status status = device->reduced(device, d->W, options, d->ws, d->v, d->f, stats);
    if (status != PL_OK) {
        pl_device_failed(device, status);
        *stats = before; // what it did is lost
    }
    if (status != PL_OK || stats->iterations == 0 || stats->end == PL_SOLVE_BREAKDOWN) return false;
    if (stats->end != PL_SOLVE_STALLED) return true;
    memcpy(f, d->f, (size_t)d->W->n * size);
    return false;
}

pl_status pl_delassus_solve(const pl_problem *problem, const pl_solver_options *options,
                            pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    int64_t n = 3 * (int64_t)problem->A->n, m = 3 * (int64_t)problem->n_constraint;
    delassus d = {.problem = problem, .ws = ws, .W = ws->reduced};
    d.law = pl_arena_take(&ws->arena, problem->n_constraint, sizeof *d.law);
    d.f = pl_arena_take(&ws->arena, m, sizeof *d.f);
    d.v = pl_arena_take(&ws->arena, n, sizeof *d.v);
    if (d.law == NULL || d.f == NULL || d.v == NULL) return PL_ERROR_MEMORY;
    if (!solve_on_device(&d, options, f, stats)) {
        pl_reduced_fill(ws->reduced);
        start(&d, f);
        stats->end = iterate(&d, options, stats);
    }
    if (stats->end == PL_SOLVE_BREAKDOWN) return PL_OK;
    if (stats->end != PL_SOLVE_CONVERGED) pl_reduced_velocities(d.W, d.f, d.v);
    memcpy(v, d.v, (size_t)n * sizeof *v);
    memcpy(f, d.f, (size_t)m * sizeof *f);
    return PL_OK;
}
