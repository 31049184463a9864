// The iterations are launched a few at a time, and then the state is looked at: is it done, do the
// contacts need more sweeps. What it comes to is measured on the CPU, in double precision.

#include "apg.h"
#include "../solvers/apg.h"
#include "kernels/types.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    LOOK = 8,         // iterations between two looks at the state
    MAX_SWEEPS = 320, // of an iteration
    FEW = 512,        // constraints that one group sweeps over in one launch
    POWER_STEPS = 2,  // of the power method
    N_SUMS = 6,       // of pl_step_sums; totals has two more
};

// As in solvers/apg.c.
static const double POWER_MARGIN = 1.1, POWER_ROUNDING = 1e-9;
static const double CURVATURE_SLACK = 1e-6; // of products in single precision

// --- Memory ---

static pl_status take(pl_gpu_apg *a, const pl_gpu_system *s)
{
    pl_gpu *gpu = s->gpu;
    int64_t n = 3 * (int64_t)s->n, m = s->n_constraint;
    pl_gpu_buffer *vector[] = {&a->on.v,  &a->on.y,    &a->on.old, &a->on.Av,
                               &a->on.Ay, &a->on.Aold, &a->on.g,   &a->on.x};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        PL_TRY(pl_gpu_reserve(gpu, vector[i], n, 8));
    }
    PL_TRY(pl_gpu_reserve(gpu, &a->on.by, n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &a->on.f, 3 * m, 8));
    PL_TRY(pl_gpu_reserve(gpu, &a->on.u, 3 * m, 8));
    PL_TRY(pl_gpu_reserve(gpu, &a->on.uy, 3 * m, 8));
    PL_TRY(pl_gpu_reserve(gpu, &a->on.ratio, m, 8));
    int64_t most = PL_MAX(N_SUMS * pl_gpu_parts(n), pl_gpu_parts(3 * m));
    PL_TRY(pl_gpu_reserve(gpu, &a->on.part, most, 8));
    PL_TRY(pl_gpu_reserve(gpu, &a->on.worst, pl_gpu_parts(m), 8));
    PL_TRY(pl_gpu_reserve(gpu, &a->on.totals, N_SUMS + 2, 8));
    return pl_gpu_reserve(gpu, &a->on.state, 1, sizeof(pl_apg_state));
}

static void forget_iteration(pl_gpu_apg *a, pl_gpu *gpu)
{
    pl_gpu_record_free(gpu, a->iteration);
    a->iteration = NULL;
}

void pl_gpu_apg_free(pl_gpu_apg *a, pl_gpu *gpu)
{
    forget_iteration(a, gpu);
    pl_gpu_buffer *buffer = (pl_gpu_buffer *)&a->on;
    size_t n = sizeof a->on / sizeof *buffer;
    for (size_t i = 0; i < n; i++) pl_gpu_drop(gpu, buffer + i);
}

// --- The largest eigenvalue of D^-1 A ---

static void clear(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *x)
{
    pl_gpu_launch(gpu, "vec_zero", n, PL_ARGS(PL_ARG(n), PL_ARG(x)));
}

// As find_curvature of solvers/apg.c.
static pl_status find_curvature(pl_gpu_apg *a, pl_gpu_system *s, pl_workspace *ws, double *out)
{
    int64_t n = 3 * (int64_t)s->n, n_block = s->n;
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    double *noise = pl_arena_take(&ws->arena, n, sizeof *noise), dots[2];
    if (noise == NULL) return PL_ERROR_MEMORY;
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        noise[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    pl_gpu_write(s->gpu, &a->on.g, 0, 8 * n, noise);
    pl_arena_back(&ws->arena, mark);
    *out = 1;
    for (int step = 0; step < POWER_STEPS; step++) {
        const pl_gpu_buffer *Dx = step % 2 == 0 ? &a->on.g : &a->on.Ay;
        const pl_gpu_buffer *Ax = step % 2 == 0 ? &a->on.Ay : &a->on.g;
        pl_gpu_launch(s->gpu, "jacobi_apply", n_block,
                      PL_ARGS(PL_ARG(n_block), PL_ARG(&s->on.inv), PL_ARG(Dx), PL_ARG(&a->on.y)));
        pl_gpu_multiply(s, &a->on.y, NULL, Ax);
        pl_gpu_dot(s->gpu, n, &a->on.y, Dx, &a->on.part, 0, &a->on.totals);
        pl_gpu_dot(s->gpu, n, &a->on.y, Ax, &a->on.part, 1, &a->on.totals);
        PL_TRY(pl_gpu_read(s->gpu, &a->on.totals, 0, sizeof dots, dots));
        if (!(dots[0] > 0)) return PL_OK;
        *out = PL_MAX(dots[1] / dots[0], 1);
    }
    return PL_OK;
}

// --- An iteration ---

static void sweep(pl_gpu_apg *a, pl_gpu_system *s, int32_t sweeps)
{
    const pl_gpu_colours *c = &s->colours;
    if (s->n_constraint <= FEW) {
        pl_gpu_launch_groups(
            s->gpu, "sweep_few", 1,
            PL_ARGS(PL_ARG(sweeps), PL_ARG(c->n), PL_ARG(&s->on.colour), PL_ARG(s->stretched),
                    PL_ARG(&a->on.state), PL_ARG(&s->on.order), PL_ARG(&s->on.first),
                    PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of), PL_ARG(&s->on.w),
                    PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch), PL_ARG(&s->on.R), PL_ARG(&s->on.mu),
                    PL_ARG(&s->on.law), PL_ARG(&s->on.bounds), PL_ARG(&s->on.moves),
                    PL_ARG(&s->on.inv), PL_ARG(&s->on.response), PL_ARG(&a->on.u), PL_ARG(&a->on.x),
                    PL_ARG(&a->on.f), PL_ARG(&a->on.ratio)));
    }
    for (int32_t i = 0; i < sweeps && s->n_constraint > FEW; i++) {
        for (int32_t at = 0; at < c->n; at++) {
            int64_t first = c->start[at], n = c->start[at + 1] - first;
            pl_gpu_launch(s->gpu, "sweep_colour", n,
                          PL_ARGS(PL_ARG(n), PL_ARG(first), PL_ARG(s->stretched),
                                  PL_ARG(&a->on.state), PL_ARG(&s->on.order), PL_ARG(&s->on.first),
                                  PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of), PL_ARG(&s->on.w),
                                  PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch), PL_ARG(&s->on.R),
                                  PL_ARG(&s->on.mu), PL_ARG(&s->on.law), PL_ARG(&s->on.bounds),
                                  PL_ARG(&s->on.moves), PL_ARG(&s->on.inv), PL_ARG(&s->on.response),
                                  PL_ARG(&a->on.u), PL_ARG(&a->on.x), PL_ARG(&a->on.f),
                                  PL_ARG(&a->on.ratio)));
        }
    }
    // A frame, S, u0, f; and some four terms whose velocities are read, and read and written again
    double n = (double)sweeps * s->n_constraint;
    pl_gpu_note(s->gpu, n * (9 * 16 + 9 * 8 + 4 * (16 + 24 + 48 + 48)), n * (250 + 4 * 40));
}

static void sum_contacts(pl_gpu_apg *a, pl_gpu_system *s, double dt)
{
    int64_t m = s->n_constraint, n_push = 3 * (int64_t)s->n_use;
    pl_gpu_rows(s, true, &s->on.mask, &a->on.v, &a->on.u);
    pl_gpu_rows(s, true, &s->on.mask, &a->on.y, &a->on.uy);
    pl_gpu_dot(s->gpu, n_push, &s->on.push, &s->on.push, &a->on.part, N_SUMS, &a->on.totals);
    pl_gpu_launch_groups(s->gpu, "apg_contacts", pl_gpu_parts(m),
                         PL_ARGS(PL_ARG(m), PL_ARG(dt), PL_ARG(&s->on.law), PL_ARG(&s->on.mu),
                                 PL_ARG(&s->on.bounds), PL_ARG(&s->on.scale), PL_ARG(&a->on.u),
                                 PL_ARG(&a->on.uy), PL_ARG(&a->on.f), PL_ARG(&a->on.worst),
                                 PL_ARG(&a->on.part)));
    pl_gpu_note(s->gpu, (double)m * 12 * 8, (double)m * 120);
    pl_gpu_sum(s->gpu, pl_gpu_parts(m), &a->on.part, 1, N_SUMS + 1, &a->on.totals);
}

// One iteration; what it decides stays on the device.
static void iterate(pl_gpu_apg *a, pl_gpu_system *s, double dt)
{
    pl_gpu *gpu = s->gpu;
    int64_t n_block = s->n, n = 3 * n_block, n_use = s->n_use, n_part = pl_gpu_parts(n);
    int64_t n_worst = pl_gpu_parts(s->n_constraint);
    pl_gpu_launch(gpu, "apg_descend", n_block,
                  PL_ARGS(PL_ARG(n_block), PL_ARG(&a->on.state), PL_ARG(&s->on.moves),
                          PL_ARG(&s->on.b), PL_ARG(&s->on.inv), PL_ARG(&a->on.v), PL_ARG(&a->on.y),
                          PL_ARG(&a->on.old), PL_ARG(&a->on.Av), PL_ARG(&a->on.Ay),
                          PL_ARG(&a->on.Aold), PL_ARG(&a->on.g), PL_ARG(&a->on.by)));
    pl_gpu_note(gpu, (double)n * (7 * 8 + 16 + 6 * 8 + 4), (double)n * 20);
    pl_gpu_rows(s, true, &s->on.mask, &a->on.v, &a->on.u);
    pl_gpu_launch(gpu, "sweep_start", n_use,
                  PL_ARGS(PL_ARG(n_use), PL_ARG(&a->on.state), PL_ARG(&s->on.use_block),
                          PL_ARG(&s->on.inv), PL_ARG(&s->on.push), PL_ARG(&a->on.x)));
    sweep(a, s, a->sweeps);
    pl_gpu_push(s, &a->on.f);
    pl_gpu_launch(gpu, "apg_follow", n_use,
                  PL_ARGS(PL_ARG(n_use), PL_ARG(&a->on.state), PL_ARG(&s->on.use_block),
                          PL_ARG(&s->on.inv), PL_ARG(&s->on.push), PL_ARG(&a->on.y),
                          PL_ARG(&a->on.g), PL_ARG(&a->on.v), PL_ARG(&a->on.by)));
    pl_gpu_multiply_single(s, &a->on.by, &a->on.Ay, &a->on.Av);
    pl_gpu_launch_groups(gpu, "apg_sums", n_part,
                         PL_ARGS(PL_ARG(n), PL_ARG(&s->on.moves), PL_ARG(&a->on.v),
                                 PL_ARG(&a->on.y), PL_ARG(&a->on.old), PL_ARG(&a->on.Av),
                                 PL_ARG(&a->on.Ay), PL_ARG(&a->on.Aold), PL_ARG(&a->on.g),
                                 PL_ARG(n_part), PL_ARG(&a->on.part)));
    pl_gpu_note(gpu, (double)n * 57, (double)n * 17);
    pl_gpu_sum(gpu, n_part, &a->on.part, N_SUMS, 0, &a->on.totals);
    sum_contacts(a, s, dt);
    pl_gpu_launch(gpu, "apg_judge", 1,
                  PL_ARGS(PL_ARG(&a->on.totals), PL_ARG(n_worst), PL_ARG(&a->on.worst),
                          PL_ARG(&a->on.state)));
}

static pl_status record_iteration(pl_gpu_apg *a, pl_gpu_system *s, double dt, int32_t sweeps)
{
    forget_iteration(a, s->gpu);
    a->sweeps = sweeps;
    PL_TRY(pl_gpu_record_begin(s->gpu));
    iterate(a, s, dt);
    return pl_gpu_record_end(s->gpu, &a->iteration);
}

// --- From start to end ---

static pl_status start(pl_gpu_apg *a, pl_gpu_system *s, const pl_problem *problem,
                       const pl_solver_options *options, pl_workspace *ws, const double *v,
                       const double *f)
{
    pl_gpu *gpu = s->gpu;
    int64_t n = 3 * (int64_t)s->n, m = 3 * (int64_t)s->n_constraint;
    if (!(ws->curvature > 0)) {
        double found;
        PL_TRY(find_curvature(a, s, ws, &found));
        ws->curvature = found > 1 + POWER_ROUNDING ? POWER_MARGIN * found : 1;
    }
    for (int64_t i = 0; i < m; i++) ws->world[i] = ws->scale[2 * (i / 3)] > 0 ? f[i] : 0;
    pl_gpu_write(gpu, &a->on.f, 0, 8 * m, ws->world);
    pl_gpu_write(gpu, &a->on.v, 0, 8 * n, v);
    clear(gpu, n, &a->on.x);
    clear(gpu, s->n_constraint, &a->on.ratio);
    clear(gpu, N_SUMS + 2, &a->on.totals);
    pl_gpu_push(s, &a->on.f);
    pl_gpu_multiply(s, &a->on.v, NULL, &a->on.Av);
    pl_gpu_copy(gpu, &a->on.v, &a->on.y, 8 * n);
    pl_gpu_copy(gpu, &a->on.v, &a->on.old, 8 * n);
    pl_gpu_copy(gpu, &a->on.Av, &a->on.Ay, 8 * n);
    pl_gpu_copy(gpu, &a->on.Av, &a->on.Aold, 8 * n);
    pl_apg_state state = {.control.s = ws->curvature,
                          .residual_tolerance = options->residual_tolerance,
                          .contact_tolerance = options->contact_tolerance,
                          .b_norm = ws->b_norm,
                          .dt = problem->dt,
                          .slack = CURVATURE_SLACK,
                          .least = INFINITY};
    pl_ahead_start(&state.ahead);
    pl_gpu_write(gpu, &a->on.state, 0, sizeof state, &state);
    return record_iteration(a, s, problem->dt, pl_apg_usual_sweeps(problem));
}

// v and f := those of the last iteration; as they were where that fails.
static pl_status read_result(pl_gpu_apg *a, pl_gpu_system *s, pl_workspace *ws, double *v,
                             double *f)
{
    int64_t n = 3 * (int64_t)s->n, m = 3 * (int64_t)s->n_constraint;
    PL_TRY(pl_gpu_read(s->gpu, &a->on.v, 0, 8 * n, ws->r));
    PL_TRY(pl_gpu_read(s->gpu, &a->on.f, 0, 8 * m, ws->world));
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(ws->r[i])) return PL_OK;
    }
    for (int64_t i = 0; i < m; i++) {
        if (!isfinite(ws->world[i])) return PL_OK;
    }
    memcpy(v, ws->r, (size_t)n * sizeof *v);
    memcpy(f, ws->world, (size_t)m * sizeof *f);
    return PL_OK;
}

// Goes on where what seemed to be solved is not: with A v as it is.
static void correct(pl_gpu_apg *a, pl_gpu_system *s, pl_apg_state *state)
{
    int64_t n = 3 * (int64_t)s->n;
    pl_gpu_multiply(s, &a->on.v, NULL, &a->on.g);
    pl_gpu_launch(s->gpu, "apg_correct", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&a->on.g), PL_ARG(&a->on.Av), PL_ARG(&a->on.Ay),
                          PL_ARG(&a->on.Aold)));
    state->control.done = PL_APG_RUNS;
    state->ahead.of_step = state->ahead.of_last = 0;
    pl_gpu_write(s->gpu, &a->on.state, 0, sizeof *state, state);
}

static pl_status run(pl_gpu_apg *a, pl_gpu_system *s, const pl_problem *problem,
                     const pl_solver_options *options, pl_workspace *ws, int32_t n, double *v,
                     double *f, pl_solve_stats *stats)
{
    pl_apg_state state = {0};
    for (;;) {
        int32_t left = n - state.iterations;
        for (int32_t i = 0; i < PL_MIN(LOOK, left); i++) pl_gpu_replay(s->gpu, a->iteration);
        PL_TRY(pl_gpu_read(s->gpu, &a->on.state, 0, sizeof state, &state));
        stats->iterations = state.iterations, stats->restarts = state.restarts;
        ws->curvature = state.control.s;
        bool seems = state.control.done == PL_APG_SEEMS_SOLVED;
        stats->end = state.control.done == PL_APG_BREAKS_DOWN ? PL_SOLVE_BREAKDOWN
                     : state.control.done == PL_APG_STALLS    ? PL_SOLVE_STALLED
                     : pl_solve_is_late(ws, options)          ? PL_SOLVE_TIME
                                                              : PL_SOLVE_LIMIT;
        if (stats->end == PL_SOLVE_BREAKDOWN) return PL_OK;
        if (seems || stats->end != PL_SOLVE_LIMIT || state.iterations >= n) {
            PL_TRY(read_result(a, s, ws, v, f));
            bool solved = seems && pl_is_solved(problem, options, ws, v, f, stats);
            if (solved) stats->end = PL_SOLVE_CONVERGED;
            if (solved || !seems || stats->end != PL_SOLVE_LIMIT || state.iterations >= n) {
                return PL_OK;
            }
            correct(a, s, &state);
        } else if (state.residual <= 1 && a->sweeps < MAX_SWEEPS) {
            PL_TRY(record_iteration(a, s, problem->dt, PL_MIN(2 * a->sweeps, MAX_SWEEPS)));
        }
    }
}

pl_status pl_gpu_apg_solve(pl_gpu_apg *a, pl_gpu_system *s, const pl_problem *problem,
                           const pl_solver_options *options, pl_workspace *ws, int32_t n, double *v,
                           double *f, pl_solve_stats *stats)
{
    bool sliced = pl_gpu_is_sliced(problem->A, pl_gpu_about(s->gpu)->is_cpu);
    PL_TRY(pl_gpu_system_set(s, problem, ws, true, sliced));
    PL_TRY(take(a, s));
    PL_TRY(start(a, s, problem, options, ws, v, f));
    PL_TRY(run(a, s, problem, options, ws, n, v, f, stats));
    stats->products += stats->iterations + 1;
    return PL_OK;
}
