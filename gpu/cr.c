// The iterations are launched a few at a time, and then the scalars are looked at. What it comes to
// is measured on the CPU; where that is not solved yet, the rows are held to smaller errors, as in
// solvers/cr.c.

#include "cr.h"
#include "../solvers/cr.h"
#include "../solvers/vectors.h"
#include "kernels/types.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    LOOK = 8,   // iterations between two looks at the scalars
    N_SUMS = 3, // of cr_sums
};

// --- Memory ---

static pl_status take(pl_gpu_cr *cr, const pl_gpu_system *s)
{
    pl_gpu *gpu = s->gpu;
    int64_t n = 3 * (int64_t)s->n, m = s->n_constraint, total = n + 3 * m;
    pl_gpu_buffer *both[] = {&cr->on.y,  &cr->on.r,  &cr->on.z, &cr->on.p,
                             &cr->on.Bp, &cr->on.Bz, &cr->on.q};
    pl_gpu_buffer *blocks[] = {&cr->on.Ay, &cr->on.Ap, &cr->on.Az};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        PL_TRY(pl_gpu_reserve(gpu, both[i], total, 8));
        pl_gpu_launch(gpu, "vec_zero", total, PL_ARGS(PL_ARG(total), PL_ARG(both[i])));
    }
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        PL_TRY(pl_gpu_reserve(gpu, blocks[i], n, 8));
        pl_gpu_launch(gpu, "vec_zero", n, PL_ARGS(PL_ARG(n), PL_ARG(blocks[i])));
    }
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.R, 9 * m, 8));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.c, 3 * m, 8));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.turns, 2 * m, 4));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.note, m, 4));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.Z, m, 8));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.K, 3 * m, 8));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.inverse, 9 * m, 8));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.rows, m, 1));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.place, s->n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.f, 3 * m, 8));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.part, N_SUMS * pl_gpu_parts(total), 8));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.worst, pl_gpu_parts(total), 8));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.count, 2 * pl_gpu_parts(m), 4));
    PL_TRY(pl_gpu_reserve(gpu, &cr->on.totals, PL_CR_N_TOTALS, 8));
    return pl_gpu_reserve(gpu, &cr->on.scalars, 1, sizeof(pl_cr_scalars));
}

static void forget_iteration(pl_gpu_cr *cr, pl_gpu *gpu)
{
    pl_gpu_record_free(gpu, cr->iteration);
    cr->iteration = NULL;
}

void pl_gpu_cr_free(pl_gpu_cr *cr, pl_gpu *gpu)
{
    forget_iteration(cr, gpu);
    pl_gpu_buffer *buffer = (pl_gpu_buffer *)&cr->on;
    size_t n = sizeof cr->on / sizeof *buffer;
    for (size_t i = 0; i < n; i++) pl_gpu_drop(gpu, buffer + i);
}

// --- An iteration ---

// z := C^-1 x.
static void precondition(pl_gpu_cr *cr, pl_gpu_system *s, int32_t when, const pl_gpu_buffer *x,
                         const pl_gpu_buffer *z)
{
    int64_t n = s->n, m = s->n_constraint, n_use = s->n_use;
    pl_gpu_launch(s->gpu, "cr_precond_A", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(when), PL_ARG(&cr->on.scalars), PL_ARG(&s->on.inv),
                          PL_ARG(x), PL_ARG(z)));
    pl_gpu_note(s->gpu, 96 * (double)n, 15 * (double)n);
    pl_gpu_launch(s->gpu, "cr_precond_S", m,
                  PL_ARGS(PL_ARG(m), PL_ARG(3 * n), PL_ARG(when), PL_ARG(s->stretched),
                          PL_ARG(&cr->on.scalars), PL_ARG(&s->on.first), PL_ARG(&s->on.block),
                          PL_ARG(&s->on.arm_of), PL_ARG(&s->on.w), PL_ARG(&s->on.arm),
                          PL_ARG(&s->on.stretch), PL_ARG(&cr->on.R), PL_ARG(&cr->on.rows),
                          PL_ARG(&cr->on.inverse), PL_ARG(x), PL_ARG(z), PL_ARG(&s->on.world)));
    // Two matrices, three vectors; and some four terms with a velocity each
    pl_gpu_note(s->gpu, (double)m * (27 * 8 + 4 * (16 + 24)), (double)m * (45 + 4 * 6));
    pl_gpu_launch(s->gpu, "cr_precond_push", n_use,
                  PL_ARGS(PL_ARG(n_use), PL_ARG(when), PL_ARG(s->stretched),
                          PL_ARG(&cr->on.scalars), PL_ARG(&s->on.use_block),
                          PL_ARG(&s->on.use_start), PL_ARG(&s->on.use), PL_ARG(&s->on.arm_of),
                          PL_ARG(&s->on.w), PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch),
                          PL_ARG(&s->on.inv), PL_ARG(&s->on.world), PL_ARG(x), PL_ARG(z)));
    pl_gpu_note(s->gpu, (double)m * 4 * (8 + 16 + 24) + 96 * (double)n_use, (double)m * 4 * 6);
}

static void measure(pl_gpu_cr *cr, pl_gpu_system *s, int32_t when)
{
    int64_t n = 3 * (int64_t)s->n, total = n + 3 * (int64_t)s->n_constraint;
    int64_t n_part = pl_gpu_parts(total);
    pl_gpu_launch_groups(s->gpu, "cr_measure", n_part,
                         PL_ARGS(PL_ARG(n), PL_ARG(total), PL_ARG(when), PL_ARG(&cr->on.scalars),
                                 PL_ARG(&cr->on.r), PL_ARG(&cr->on.part), PL_ARG(&cr->on.worst)));
    pl_gpu_note(s->gpu, 8 * (double)total, 2 * (double)total);
    pl_gpu_sum(s->gpu, n_part, &cr->on.part, 1, PL_CR_RR, &cr->on.totals);
}

static void look_at_contacts(pl_gpu_cr *cr, pl_gpu_system *s, int32_t begin)
{
    int64_t n = 3 * (int64_t)s->n, m = s->n_constraint, n_part = pl_gpu_parts(m);
    pl_gpu_launch(
        s->gpu, "cr_switch", m,
        PL_ARGS(PL_ARG(m), PL_ARG(n), PL_ARG(begin), PL_ARG(s->stretched), PL_ARG(&cr->on.scalars),
                PL_ARG(&s->on.first), PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of), PL_ARG(&s->on.w),
                PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch), PL_ARG(&s->on.mu), PL_ARG(&s->on.scale),
                PL_ARG(&cr->on.y), PL_ARG(&cr->on.R), PL_ARG(&cr->on.c), PL_ARG(&cr->on.turns),
                PL_ARG(&cr->on.K), PL_ARG(&cr->on.rows), PL_ARG(&cr->on.note)));
    pl_gpu_launch(s->gpu, "cr_invert", m,
                  PL_ARGS(PL_ARG(m), PL_ARG(begin), PL_ARG(s->stretched), PL_ARG(&cr->on.scalars),
                          PL_ARG(&s->on.first), PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of),
                          PL_ARG(&s->on.w), PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch),
                          PL_ARG(&cr->on.R), PL_ARG(&s->on.inv), PL_ARG(&cr->on.Z),
                          PL_ARG(&cr->on.K), PL_ARG(&cr->on.rows), PL_ARG(&cr->on.note),
                          PL_ARG(&cr->on.inverse)));
    if (begin) return;
    pl_gpu_launch_groups(
        s->gpu, "cr_count", n_part,
        PL_ARGS(PL_ARG(m), PL_ARG(&cr->on.scalars), PL_ARG(&cr->on.note), PL_ARG(&cr->on.count)));
    pl_gpu_launch(s->gpu, "cr_judge_contacts", 1,
                  PL_ARGS(PL_ARG(n_part), PL_ARG(&cr->on.count), PL_ARG(&cr->on.scalars)));
}

static void find_residual(pl_gpu_cr *cr, pl_gpu_system *s)
{
    int64_t n = s->n, m = s->n_constraint;
    pl_gpu_launch(s->gpu, "cr_residual_rows", m,
                  PL_ARGS(PL_ARG(m), PL_ARG(3 * n), PL_ARG(s->stretched), PL_ARG(&cr->on.scalars),
                          PL_ARG(&s->on.first), PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of),
                          PL_ARG(&s->on.w), PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch),
                          PL_ARG(&cr->on.R), PL_ARG(&cr->on.c), PL_ARG(&cr->on.rows),
                          PL_ARG(&cr->on.K), PL_ARG(&cr->on.y), PL_ARG(&cr->on.r),
                          PL_ARG(&s->on.world)));
    pl_gpu_launch(s->gpu, "cr_residual_blocks", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(s->stretched), PL_ARG(&cr->on.scalars),
                          PL_ARG(&s->on.moves), PL_ARG(&cr->on.place), PL_ARG(&s->on.use_start),
                          PL_ARG(&s->on.use), PL_ARG(&s->on.arm_of), PL_ARG(&s->on.w),
                          PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch), PL_ARG(&s->on.world),
                          PL_ARG(&s->on.b), PL_ARG(&cr->on.Ay), PL_ARG(&cr->on.r),
                          PL_ARG(&s->on.push)));
    pl_gpu_dot(s->gpu, 3 * (int64_t)s->n_use, &s->on.push, &s->on.push, &cr->on.part, PL_CR_PUSHES,
               &cr->on.totals);
}

// B z, and its scalar products.
static void multiply(pl_gpu_cr *cr, pl_gpu_system *s)
{
    int64_t n = s->n, m = s->n_constraint, total = 3 * (n + m), n_part = pl_gpu_parts(total);
    pl_gpu_multiply(s, &cr->on.z, NULL, &cr->on.Az);
    pl_gpu_launch(s->gpu, "cr_multiply_rows", m,
                  PL_ARGS(PL_ARG(m), PL_ARG(3 * n), PL_ARG(s->stretched), PL_ARG(&cr->on.scalars),
                          PL_ARG(&s->on.first), PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of),
                          PL_ARG(&s->on.w), PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch),
                          PL_ARG(&cr->on.R), PL_ARG(&cr->on.rows), PL_ARG(&cr->on.K),
                          PL_ARG(&cr->on.z), PL_ARG(&cr->on.Bz), PL_ARG(&s->on.world)));
    pl_gpu_note(s->gpu, (double)m * (21 * 8 + 4 * (16 + 24)), (double)m * (36 + 4 * 6));
    pl_gpu_launch(s->gpu, "cr_multiply_blocks", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(s->stretched), PL_ARG(&cr->on.scalars),
                          PL_ARG(&s->on.moves), PL_ARG(&cr->on.place), PL_ARG(&s->on.use_start),
                          PL_ARG(&s->on.use), PL_ARG(&s->on.arm_of), PL_ARG(&s->on.w),
                          PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch), PL_ARG(&s->on.world),
                          PL_ARG(&cr->on.Az), PL_ARG(&cr->on.Bz)));
    pl_gpu_note(s->gpu, 53 * (double)n + (double)m * 4 * (8 + 16 + 24), (double)m * 4 * 6);
    pl_gpu_launch_groups(s->gpu, "cr_sums", n_part,
                         PL_ARGS(PL_ARG(total), PL_ARG(&cr->on.scalars), PL_ARG(&cr->on.z),
                                 PL_ARG(&cr->on.Bz), PL_ARG(n_part), PL_ARG(&cr->on.part)));
    pl_gpu_note(s->gpu, 16 * (double)total, 6 * (double)total);
    pl_gpu_sum(s->gpu, n_part, &cr->on.part, N_SUMS, PL_CR_SUMS, &cr->on.totals);
}

static void iterate(pl_gpu_cr *cr, pl_gpu_system *s)
{
    int64_t n = 3 * (int64_t)s->n, total = n + 3 * (int64_t)s->n_constraint;
    int64_t n_part = pl_gpu_parts(total);
    precondition(cr, s, PL_CR_WHEN_STEP, &cr->on.Bp, &cr->on.q);
    pl_gpu_dot(s->gpu, total, &cr->on.Bp, &cr->on.q, &cr->on.part, PL_CR_ETA, &cr->on.totals);
    pl_gpu_launch(s->gpu, "cr_judge_step", 1,
                  PL_ARGS(PL_ARG(&cr->on.totals), PL_ARG(&cr->on.scalars)));
    pl_gpu_launch(s->gpu, "cr_step", total,
                  PL_ARGS(PL_ARG(n), PL_ARG(total), PL_ARG(&cr->on.scalars), PL_ARG(&cr->on.p),
                          PL_ARG(&cr->on.Ap), PL_ARG(&cr->on.Bp), PL_ARG(&cr->on.q),
                          PL_ARG(&cr->on.y), PL_ARG(&cr->on.Ay), PL_ARG(&cr->on.r),
                          PL_ARG(&cr->on.z)));
    pl_gpu_note(s->gpu, 72 * (double)total + 24 * (double)n, 6 * (double)total);
    measure(cr, s, PL_CR_WHEN_STEP);
    pl_gpu_launch(s->gpu, "cr_judge_residual", 1,
                  PL_ARGS(PL_ARG(&cr->on.totals), PL_ARG(n_part), PL_ARG(&cr->on.worst),
                          PL_ARG(&cr->on.scalars)));
    look_at_contacts(cr, s, false);
    find_residual(cr, s);
    measure(cr, s, PL_CR_WHEN_RESTART);
    precondition(cr, s, PL_CR_WHEN_RESTART, &cr->on.r, &cr->on.z);
    multiply(cr, s);
    pl_gpu_launch(s->gpu, "cr_judge_turn", 1,
                  PL_ARGS(PL_ARG(&cr->on.totals), PL_ARG(n_part), PL_ARG(&cr->on.worst),
                          PL_ARG(&cr->on.scalars)));
    pl_gpu_launch(s->gpu, "cr_turn", total,
                  PL_ARGS(PL_ARG(n), PL_ARG(total), PL_ARG(&cr->on.scalars), PL_ARG(&cr->on.z),
                          PL_ARG(&cr->on.Az), PL_ARG(&cr->on.Bz), PL_ARG(&cr->on.p),
                          PL_ARG(&cr->on.Ap), PL_ARG(&cr->on.Bp)));
    pl_gpu_note(s->gpu, 48 * (double)total + 24 * (double)n, 4 * (double)total);
}

static pl_status record_iteration(pl_gpu_cr *cr, pl_gpu_system *s)
{
    forget_iteration(cr, s->gpu);
    PL_TRY(pl_gpu_record_begin(s->gpu));
    iterate(cr, s);
    return pl_gpu_record_end(s->gpu, &cr->iteration);
}

// --- From start to end ---

static pl_status write_contacts(pl_gpu_cr *cr, pl_gpu_system *s, const pl_problem *problem,
                                pl_workspace *ws)
{
    int64_t n = s->n, m = s->n_constraint;
    int32_t *seen = pl_arena_take(&ws->arena, m, sizeof *seen);
    int32_t *place = pl_arena_take(&ws->arena, n, sizeof *place);
    double *Z = pl_arena_take(&ws->arena, m, sizeof *Z);
    if (seen == NULL || place == NULL || Z == NULL) return PL_ERROR_MEMORY;
    pl_cr_weigh(problem, &ws->uses, false, seen, place, Z);
    for (int64_t i = 0; i < n; i++) place[i] = -1;
    for (int32_t i = 0; i < ws->uses.n; i++) place[ws->uses.block[i]] = i;
    pl_gpu_write(s->gpu, &cr->on.Z, 0, 8 * m, Z);
    pl_gpu_write(s->gpu, &cr->on.place, 0, 4 * n, place);
    pl_gpu_copy(s->gpu, &s->on.R, &cr->on.R, 72 * m);
    pl_gpu_copy(s->gpu, &s->on.c, &cr->on.c, 24 * m);
    pl_gpu_copy(s->gpu, &s->on.mask, &cr->on.rows, m);
    return PL_OK;
}

static pl_status start(pl_gpu_cr *cr, pl_gpu_system *s, const pl_problem *problem,
                       const pl_solver_options *options, pl_workspace *ws, const double *v,
                       const double *f)
{
    pl_gpu *gpu = s->gpu;
    int64_t n = 3 * (int64_t)s->n, m = 3 * (int64_t)s->n_constraint, n_total = PL_CR_N_TOTALS;
    PL_TRY(write_contacts(cr, s, problem, ws));
    pl_gpu_write(gpu, &cr->on.y, 0, 8 * n, v);
    pl_gpu_write(gpu, &cr->on.y, 8 * n, 8 * m, f);
    pl_gpu_launch(gpu, "vec_zero", n_total, PL_ARGS(PL_ARG(n_total), PL_ARG(&cr->on.totals)));
    pl_gpu_multiply(s, &cr->on.y, NULL, &cr->on.Ay);
    pl_cr_scalars scalars = {
        .rules = {.e = options->contact_tolerance / problem->dt, .mask = PL_ROWS_ALL},
        .residual_tolerance = options->residual_tolerance,
        .contact_tolerance = options->contact_tolerance,
        .b_norm = ws->b_norm,
        .dt = problem->dt,
        .share = PL_CR_LINEAR_SHARE,
        .full = options->precond == PL_PRECOND_FULL,
        .phase = PL_CR_RESTART,
    };
    pl_gpu_write(gpu, &cr->on.scalars, 0, sizeof scalars, &scalars);
    look_at_contacts(cr, s, true);
    return record_iteration(cr, s);
}

// v and f := y if that is solved, or else no further from balance than `most`: where it does not
// converge it may be far astray.
static pl_status read_result(pl_gpu_cr *cr, pl_gpu_system *s, const pl_problem *problem,
                             const pl_solver_options *options, pl_workspace *ws, double most,
                             double *v, double *f, pl_solve_stats *stats)
{
    int64_t n = 3 * (int64_t)s->n, m = s->n_constraint;
    pl_gpu_launch(s->gpu, "cr_finish", m,
                  PL_ARGS(PL_ARG(m), PL_ARG(n), PL_ARG(&cr->on.R), PL_ARG(&s->on.R),
                          PL_ARG(&cr->on.y), PL_ARG(&cr->on.f)));
    double *x = pl_arena_take(&ws->arena, n, sizeof *x);
    double *g = pl_arena_take(&ws->arena, 3 * m, sizeof *g);
    if (x == NULL || g == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_gpu_read(s->gpu, &cr->on.y, 0, 8 * n, x));
    PL_TRY(pl_gpu_read(s->gpu, &cr->on.f, 0, 24 * m, g));
    bool solved = pl_is_solved(problem, options, ws, x, g, stats); // ws->r: the residual
    double r = sqrt(pl_vec_dot(n, ws->r, ws->r));
    bool finite = isfinite(r);
    for (int64_t i = 0; i < 3 * m; i++) finite = finite && isfinite(g[i]);
    if (solved) stats->end = PL_SOLVE_CONVERGED;
    if (!solved && !(finite && r <= most)) return PL_OK;
    memcpy(v, x, (size_t)n * sizeof *v);
    if (m > 0) memcpy(f, g, 3 * (size_t)m * sizeof *f);
    return PL_OK;
}

// Goes on where what seemed to be solved is not, with A y as it is.
static void demand_more(pl_gpu_cr *cr, pl_gpu_system *s, pl_cr_scalars *scalars)
{
    pl_gpu_multiply(s, &cr->on.y, NULL, &cr->on.Ay);
    scalars->share *= 0.5;
    scalars->done = PL_CR_RUNS;
    scalars->phase = PL_CR_RESTART;
    pl_gpu_write(s->gpu, &cr->on.scalars, 0, sizeof *scalars, scalars);
}

static pl_status run(pl_gpu_cr *cr, pl_gpu_system *s, const pl_problem *problem,
                     const pl_solver_options *options, pl_workspace *ws, int32_t n, double most,
                     double *v, double *f, pl_solve_stats *stats)
{
    pl_cr_scalars scalars = {0};
    int64_t before = stats->products;
    for (;;) {
        for (int32_t i = 0; i < PL_MIN(LOOK, n - scalars.iterations); i++) {
            pl_gpu_replay(s->gpu, cr->iteration);
        }
        PL_TRY(pl_gpu_read(s->gpu, &cr->on.scalars, 0, sizeof scalars, &scalars));
        stats->iterations = scalars.iterations;
        stats->restarts = scalars.restarts, stats->state_changes = scalars.changes;
        bool seems = scalars.done == PL_CR_SEEMS_SOLVED;
        stats->end = scalars.done == PL_CR_BREAKS_DOWN ? PL_SOLVE_BREAKDOWN
                     : pl_solve_is_late(ws, options)   ? PL_SOLVE_TIME
                                                       : PL_SOLVE_LIMIT;
        stats->products = before + scalars.products;
        if (stats->end == PL_SOLVE_BREAKDOWN) return PL_OK;
        bool ends = stats->end != PL_SOLVE_LIMIT || scalars.iterations >= n;
        if (!seems && !ends) continue;
        pl_arena_mark mark = pl_arena_here(&ws->arena);
        pl_status status = read_result(cr, s, problem, options, ws, most, v, f, stats);
        pl_arena_back(&ws->arena, mark);
        if (status != PL_OK || stats->end == PL_SOLVE_CONVERGED || ends) return status;
        if (scalars.share < PL_CR_LINEAR_SHARE_MIN) {
            stats->end = PL_SOLVE_STALLED;
            return PL_OK;
        }
        demand_more(cr, s, &scalars);
    }
}

pl_status pl_gpu_cr_solve(pl_gpu_cr *cr, pl_gpu_system *s, const pl_problem *problem,
                          const pl_solver_options *options, pl_workspace *ws, int32_t n, double *v,
                          double *f, pl_solve_stats *stats)
{
    bool sliced = pl_gpu_is_sliced(problem->A, pl_gpu_about(s->gpu)->is_cpu);
    PL_TRY(pl_gpu_system_set(s, problem, ws, false, sliced));
    PL_TRY(take(cr, s));
    PL_TRY(start(cr, s, problem, options, ws, v, f));
    pl_contact_residual(problem, &ws->uses, v, f, ws->world, ws->r);
    double r = sqrt(pl_vec_dot(3 * (int64_t)s->n, ws->r, ws->r));
    return run(cr, s, problem, options, ws, n, PL_MAX(r, ws->b_norm), v, f, stats);
}
