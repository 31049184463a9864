// What W looks like, and the factors of the parts, come from solvers/reduced.c; its values are
// formed here. Sweeps go by colours where these are few, as for rigid bodies, of which each has a
// few contacts. All contacts of a deformable body answer to each other: then one group goes through
// all of them in order, as the CPU does, and its items share each row.

#include "reduced.h"
#include "kernels/types.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    FEW_COLOURS = 128,     // a sweep is no more launches than that
    MOST_BYTES = 64 << 20, // of right-hand sides that are solved for at once
};

// The result is looked at after one sweep, and again after this part more of those made.
static const double LOOK_AGAIN = 0.25;

static pl_status put(pl_gpu *gpu, pl_gpu_buffer *to, int64_t count, size_t size, const void *data)
{
    PL_TRY(pl_gpu_reserve(gpu, to, count, size));
    if (data != NULL) pl_gpu_write(gpu, to, 0, count * (int64_t)size, data);
    return PL_OK;
}

static void forget_sweep(pl_gpu_reduced *r, pl_gpu *gpu)
{
    pl_gpu_record_free(gpu, r->sweep);
    r->sweep = NULL;
}

void pl_gpu_reduced_free(pl_gpu_reduced *r, pl_gpu *gpu)
{
    forget_sweep(r, gpu);
    pl_gpu_buffer *buffer = (pl_gpu_buffer *)&r->on;
    size_t n = sizeof r->on / sizeof *buffer;
    for (size_t i = 0; i < n; i++) pl_gpu_drop(gpu, buffer + i);
}

// --- The order of sweeps ---

// Greedy: each constraint takes the first colour that none before it has which it answers to. From
// the arena.
static pl_status find_colours(const pl_reduced *W, pl_arena *arena, pl_gpu_colours *out)
{
    int32_t n = W->n;
    int32_t *colour = pl_arena_take(arena, n, sizeof *colour);
    int32_t *seen = pl_arena_take(arena, (int64_t)n + 1, sizeof *seen); // by whom, of each colour
    out->start = pl_arena_take(arena, (int64_t)n + 2, sizeof *out->start);
    out->order = pl_arena_take(arena, n, sizeof *out->order);
    if (colour == NULL || seen == NULL || out->start == NULL || out->order == NULL) {
        return PL_ERROR_MEMORY;
    }
    memset(out->start, 0, ((size_t)n + 2) * sizeof *out->start);
    for (int32_t c = 0; c <= n; c++) seen[c] = -1;
    out->n = 0;
    for (int32_t k = 0; k < n; k++) {
        colour[k] = -1;
        if (W->diag[k] < 0) continue;
        for (int64_t i = W->row[k]; i < W->diag[k]; i++) seen[colour[W->col[i]]] = k;
        for (colour[k] = 0; seen[colour[k]] == k;) colour[k]++;
        out->n = PL_MAX(out->n, colour[k] + 1);
        out->start[colour[k] + 2]++;
    }
    for (int32_t c = 0; c < out->n; c++) out->start[c + 2] += out->start[c + 1];
    for (int32_t k = 0; k < n; k++) {
        if (colour[k] >= 0) out->order[out->start[colour[k] + 1]++] = k;
    }
    return PL_OK;
}

static pl_status put_order(pl_gpu_reduced *r, pl_gpu *gpu, const pl_reduced *W, pl_arena *arena)
{
    PL_TRY(find_colours(W, arena, &r->colours));
    r->long_rows = r->colours.n > FEW_COLOURS;
    int32_t n = r->colours.start[r->colours.n];
    if (r->long_rows) { // in the order of the problem
        n = 0;
        for (int32_t k = 0; k < W->n; k++) {
            if (W->diag[k] >= 0) r->colours.order[n++] = k;
        }
    }
    return put(gpu, &r->on.order, n, 4, r->colours.order);
}

// --- W ---

static pl_status put_pattern(pl_gpu_reduced *r, pl_gpu *gpu, const pl_reduced *W, pl_arena *arena)
{
    int64_t n = W->n, nnz = W->row[n], n_block = W->problem->A->n;
    const pl_order *order = &W->G.order;
    pl_arena_mark mark = pl_arena_here(arena);
    int32_t *of = pl_arena_take(arena, nnz, sizeof *of);
    uint8_t *alone = pl_arena_take(arena, n_block, 1);
    if (of == NULL || alone == NULL) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < W->n; k++) {
        for (int64_t i = W->row[k]; i < W->row[k + 1]; i++) of[i] = k;
    }
    memset(alone, 0, (size_t)n_block);
    for (int32_t p = 0; p < order->n_part; p++) {
        if (order->part[p + 1] - order->part[p] == 1) alone[order->block[order->part[p]]] = 1;
    }
    PL_TRY(put(gpu, &r->on.row, n + 1, 8, W->row));
    PL_TRY(put(gpu, &r->on.col, nnz, 4, W->col));
    PL_TRY(put(gpu, &r->on.of, nnz, 4, of));
    PL_TRY(put(gpu, &r->on.diag, n, 8, W->diag));
    PL_TRY(put(gpu, &r->on.val, 9 * nnz, 8, NULL));
    PL_TRY(put(gpu, &r->on.alone, n_block, 1, alone));
    PL_TRY(put(gpu, &r->on.q, 3 * n, 8, W->q));
    PL_TRY(put(gpu, &r->on.f, 3 * n, 8, NULL));
    PL_TRY(put(gpu, &r->on.ratio, n, 8, NULL));
    pl_arena_back(arena, mark);
    return PL_OK;
}

static pl_status put_factors(pl_gpu_reduced *r, pl_gpu *gpu, const pl_reduced *W)
{
    const pl_cholesky *G = &W->G;
    int64_t n = G->order.n;
    PL_TRY(put(gpu, &r->on.place, W->problem->A->n, 4, G->place));
    PL_TRY(put(gpu, &r->on.touch, W->first[G->order.n_part], 4, W->touch));
    PL_TRY(put(gpu, &r->on.G_col, n + 1, 8, G->col));
    PL_TRY(put(gpu, &r->on.G_row, G->nnz, 4, G->row));
    PL_TRY(put(gpu, &r->on.G_val, 9 * G->nnz, 8, G->val));
    return put(gpu, &r->on.G_inv, 9 * n, 8, G->inv);
}

// What a part of several blocks brings, for some constraints at a time.
static pl_status add_part(pl_gpu_reduced *r, pl_gpu_system *s, const pl_reduced *W, int32_t part)
{
    pl_gpu *gpu = s->gpu;
    int32_t begin = W->G.order.part[part], end = W->G.order.part[part + 1];
    int64_t start = W->first[part], n_touch = W->first[part + 1] - start;
    int64_t most = PL_MAX(MOST_BYTES / (72 * (int64_t)(end - begin)), 1);
    double nnz = (double)(W->G.col[end] - W->G.col[begin]);
    PL_TRY(pl_gpu_reserve(gpu, &r->on.x, 9 * (int64_t)(end - begin) * PL_MIN(most, n_touch), 8));
    for (int64_t from = start; from < start + n_touch; from += most) {
        int64_t some = PL_MIN(most, start + n_touch - from), n = 3 * some, pairs = some * n_touch;
        pl_gpu_launch(gpu, "reduced_load", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(from), PL_ARG(begin), PL_ARG(end),
                              PL_ARG(s->stretched), PL_ARG(&r->on.touch), PL_ARG(&r->on.place),
                              PL_ARG(&s->on.first), PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of),
                              PL_ARG(&s->on.w), PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch),
                              PL_ARG(&s->on.R), PL_ARG(&r->on.x)));
        pl_gpu_launch(gpu, "reduced_solve", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(begin), PL_ARG(end), PL_ARG(&r->on.G_col),
                              PL_ARG(&r->on.G_row), PL_ARG(&r->on.G_val), PL_ARG(&r->on.G_inv),
                              PL_ARG(&r->on.x)));
        pl_gpu_note(gpu, nnz * (152 + 96 * (double)n), 36 * nnz * (double)n);
        pl_gpu_launch(gpu, "reduced_answer", pairs,
                      PL_ARGS(PL_ARG(pairs), PL_ARG(n), PL_ARG(from), PL_ARG(start),
                              PL_ARG(n_touch), PL_ARG(begin), PL_ARG(end), PL_ARG(s->stretched),
                              PL_ARG(&r->on.touch), PL_ARG(&r->on.place), PL_ARG(&r->on.row),
                              PL_ARG(&r->on.col), PL_ARG(&s->on.first), PL_ARG(&s->on.block),
                              PL_ARG(&s->on.arm_of), PL_ARG(&s->on.w), PL_ARG(&s->on.arm),
                              PL_ARG(&s->on.stretch), PL_ARG(&s->on.R), PL_ARG(&r->on.x),
                              PL_ARG(&r->on.val)));
        pl_gpu_note(gpu, 320 * (double)pairs, 54 * 4 * (double)pairs);
    }
    return PL_OK;
}

pl_status pl_gpu_reduced_create(pl_gpu_reduced *r, pl_gpu_system *s, const pl_reduced *reduced,
                                pl_workspace *ws)
{
    const pl_order *order = &reduced->G.order;
    int64_t nnz = reduced->row[reduced->n];
    bool sliced = false; // there are no products with A
    PL_TRY(pl_gpu_system_set(s, reduced->problem, ws, false, sliced));
    PL_TRY(put_pattern(r, s->gpu, reduced, &ws->arena));
    PL_TRY(put_factors(r, s->gpu, reduced));
    PL_TRY(put_order(r, s->gpu, reduced, &ws->arena));
    pl_gpu_launch(s->gpu, "reduced_masses", nnz,
                  PL_ARGS(PL_ARG(nnz), PL_ARG(s->stretched), PL_ARG(&r->on.of), PL_ARG(&r->on.col),
                          PL_ARG(&s->on.first), PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of),
                          PL_ARG(&s->on.w), PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch),
                          PL_ARG(&s->on.R), PL_ARG(&s->on.inv), PL_ARG(&r->on.alone),
                          PL_ARG(&s->on.law), PL_ARG(&s->on.bounds), PL_ARG(&r->on.val)));
    pl_gpu_note(s->gpu, (double)nnz * (80 + 2 * 300), (double)nnz * 2 * 150);
    for (int32_t p = 0; p < order->n_part; p++) {
        bool touched = reduced->first[p + 1] > reduced->first[p];
        if (touched && order->part[p + 1] - order->part[p] > 1) PL_TRY(add_part(r, s, reduced, p));
    }
    return pl_gpu_state(s->gpu);
}

void pl_gpu_reduced_multiply(pl_gpu_reduced *r, const pl_gpu_system *s, const pl_gpu_buffer *f,
                             const pl_gpu_buffer *y)
{
    int64_t n = s->n_constraint;
    pl_gpu_launch(s->gpu, "reduced_multiply", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&r->on.row), PL_ARG(&r->on.col), PL_ARG(&r->on.val),
                          PL_ARG(&r->on.q), PL_ARG(f), PL_ARG(y)));
}

// --- Gauss-Seidel ---

static void sweep(pl_gpu_reduced *r, pl_gpu_system *s, double nnz)
{
    const pl_gpu_colours *c = &r->colours;
    int64_t all = c->start[c->n];
    if (r->long_rows) {
        pl_gpu_launch_groups(s->gpu, "reduced_sweep_rows", 1,
                             PL_ARGS(PL_ARG(all), PL_ARG(&r->on.order), PL_ARG(&r->on.row),
                                     PL_ARG(&r->on.col), PL_ARG(&r->on.diag), PL_ARG(&r->on.val),
                                     PL_ARG(&r->on.q), PL_ARG(&s->on.mu), PL_ARG(&s->on.law),
                                     PL_ARG(&s->on.bounds), PL_ARG(&r->on.f),
                                     PL_ARG(&r->on.ratio)));
    }
    for (int32_t at = 0; at < c->n && !r->long_rows; at++) {
        int64_t from = c->start[at], n = c->start[at + 1] - from;
        pl_gpu_launch(s->gpu, "reduced_sweep", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(from), PL_ARG(&r->on.order), PL_ARG(&r->on.row),
                              PL_ARG(&r->on.col), PL_ARG(&r->on.diag), PL_ARG(&r->on.val),
                              PL_ARG(&r->on.q), PL_ARG(&s->on.mu), PL_ARG(&s->on.law),
                              PL_ARG(&s->on.bounds), PL_ARG(&r->on.f), PL_ARG(&r->on.ratio)));
    }
    pl_gpu_note(s->gpu, nnz * 100 + (double)all * 200, nnz * 18 + (double)all * 250);
}

// f := what the sweeps have come to; false if that is not finite, and it stays.
static pl_status read_impulses(pl_gpu_reduced *r, pl_gpu *gpu, int64_t n, double *to, double *f,
                               bool *changed, bool *finite)
{
    *finite = true;
    PL_TRY(pl_gpu_read(gpu, &r->on.f, 0, 8 * n, to));
    for (int64_t i = 0; i < n; i++) *finite = *finite && isfinite(to[i]);
    *changed = n > 0 && memcmp(f, to, (size_t)n * sizeof *f) != 0;
    if (*finite && n > 0) memcpy(f, to, (size_t)n * sizeof *f);
    return PL_OK;
}

static pl_status run(pl_gpu_reduced *r, pl_gpu_system *s, const pl_reduced *reduced,
                     const pl_solver_options *options, pl_workspace *ws, double *v, double *f,
                     pl_solve_stats *stats)
{
    int64_t n = 3 * (int64_t)reduced->n;
    double *read = pl_arena_take(&ws->arena, n, sizeof *read);
    if (read == NULL) return PL_ERROR_MEMORY;
    for (int32_t look = 1;;) {
        for (; stats->iterations < PL_MIN(look, options->max_iterations); stats->iterations++) {
            pl_gpu_replay(s->gpu, r->sweep);
        }
        bool changed, finite;
        PL_TRY(read_impulses(r, s->gpu, n, read, f, &changed, &finite));
        stats->end = PL_SOLVE_BREAKDOWN;
        if (!finite) return PL_OK;
        pl_reduced_velocities(reduced, f, v);
        stats->end = PL_SOLVE_CONVERGED;
        if (pl_is_solved(reduced->problem, options, ws, v, f, stats)) return PL_OK;
        stats->end = !changed                                       ? PL_SOLVE_STALLED
                     : stats->iterations >= options->max_iterations ? PL_SOLVE_LIMIT
                                                                    : PL_SOLVE_TIME;
        if (stats->end != PL_SOLVE_TIME || pl_solve_is_late(ws, options)) return PL_OK;
        look = stats->iterations + 1 + (int32_t)(LOOK_AGAIN * stats->iterations);
    }
}

pl_status pl_gpu_reduced_solve(pl_gpu_reduced *r, pl_gpu_system *s, const pl_reduced *reduced,
                               const pl_solver_options *options, pl_workspace *ws, double *v,
                               double *f, pl_solve_stats *stats)
{
    int64_t n = reduced->n;
    PL_TRY(pl_gpu_reduced_create(r, s, reduced, ws));
    pl_gpu_write(s->gpu, &r->on.f, 0, 24 * n, f);
    pl_gpu_launch(s->gpu, "vec_zero", n, PL_ARGS(PL_ARG(n), PL_ARG(&r->on.ratio)));
    forget_sweep(r, s->gpu);
    PL_TRY(pl_gpu_record_begin(s->gpu));
    sweep(r, s, (double)reduced->row[reduced->n]);
    PL_TRY(pl_gpu_record_end(s->gpu, &r->sweep));
    return run(r, s, reduced, options, ws, v, f, stats);
}
