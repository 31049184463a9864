#include "system.h"
#include "colours.h"
#include "kernels/types.h"

#include <string.h>

// How much longer slices may be than their rows.
static const double PADDING = 1.5;

// --- The layout ---

// start (slices + 1) := the first block of each slice, NULL: not wanted; returns how many in all.
static int64_t slice_rows(const pl_bsr *A, int64_t *start)
{
    int64_t sum = 0;
    for (int32_t first = 0; first < A->n; first += PL_SLICE) {
        int64_t longest = 0;
        for (int32_t i = first; i < PL_MIN(first + PL_SLICE, A->n); i++) {
            longest = PL_MAX(longest, A->row[i + 1] - A->row[i]);
        }
        if (start != NULL) start[first / PL_SLICE] = sum;
        sum += longest;
    }
    if (start != NULL) start[(A->n + PL_SLICE - 1) / PL_SLICE] = sum;
    return sum;
}

bool pl_gpu_is_sliced(const pl_bsr *A, bool is_cpu)
{
    if (is_cpu) return false;
    return (double)(PL_SLICE * slice_rows(A, NULL)) <= PADDING * (double)A->nnz;
}

// --- Copies ---

static pl_status put(pl_gpu *gpu, pl_gpu_buffer *to, int64_t count, size_t size, const void *data)
{
    PL_TRY(pl_gpu_reserve(gpu, to, count, size));
    if (data != NULL) pl_gpu_write(gpu, to, 0, count * (int64_t)size, data);
    return PL_OK;
}

static pl_status set_matrix(pl_gpu_system *s, const pl_bsr *A, pl_arena *arena)
{
    pl_gpu *gpu = s->gpu;
    PL_TRY(put(gpu, &s->on.row, (int64_t)A->n + 1, 8, A->row));
    PL_TRY(put(gpu, &s->on.col, A->nnz, 4, A->col));
    PL_TRY(put(gpu, &s->on.val, 9 * A->nnz, 8, A->val));
    if (!s->sliced) {
        if (!s->single) return PL_OK;
        PL_TRY(put(gpu, &s->on.product_single, 9 * A->nnz, 4, NULL));
        int64_t n = 9 * A->nnz;
        pl_gpu_launch(gpu, "vec_round", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(&s->on.val), PL_ARG(&s->on.product_single)));
        return PL_OK;
    }
    int64_t n = A->n, n_slice = (n + PL_SLICE - 1) / PL_SLICE;
    int64_t *start = pl_arena_take(arena, n_slice + 1, sizeof *start);
    if (start == NULL) return PL_ERROR_MEMORY;
    int64_t size = PL_SLICE * slice_rows(A, start);
    PL_TRY(put(gpu, &s->on.slice, n_slice + 1, 8, start));
    PL_TRY(put(gpu, &s->on.product_col, size, 4, NULL));
    PL_TRY(put(gpu, &s->on.product_val, 9 * size, 8, NULL));
    pl_gpu_launch(gpu, "bsr_slice", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&s->on.row), PL_ARG(&s->on.col), PL_ARG(&s->on.val),
                          PL_ARG(&s->on.slice), PL_ARG(&s->on.product_col),
                          PL_ARG(&s->on.product_val)));
    if (!s->single) return PL_OK;
    PL_TRY(put(gpu, &s->on.product_single, 9 * size, 4, NULL));
    pl_gpu_launch(gpu, "bsr_slice_single", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&s->on.row), PL_ARG(&s->on.col), PL_ARG(&s->on.val),
                          PL_ARG(&s->on.slice), PL_ARG(&s->on.product_col),
                          PL_ARG(&s->on.product_single)));
    return PL_OK;
}

static pl_status set_blocks(pl_gpu_system *s, const pl_problem *problem, const pl_workspace *ws,
                            pl_arena *arena)
{
    int64_t n = problem->A->n;
    uint8_t *moves = pl_arena_take(arena, n, 1);
    if (moves == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) moves[i] = !pl_is_prescribed(problem, i);
    PL_TRY(put(s->gpu, &s->on.b, 3 * n, 8, problem->b));
    PL_TRY(put(s->gpu, &s->on.moves, n, 1, moves));
    PL_TRY(put(s->gpu, &s->on.inv, 6 * n, 8, ws->D.inv));
    PL_TRY(put(s->gpu, &s->on.use_block, ws->uses.n, 4, ws->uses.block));
    PL_TRY(put(s->gpu, &s->on.use_start, (int64_t)ws->uses.n + 1, 4, ws->uses.start));
    PL_TRY(put(s->gpu, &s->on.use, ws->uses.start[ws->uses.n], sizeof(pl_use), ws->uses.use));
    return put(s->gpu, &s->on.push, 3 * (int64_t)ws->uses.n, 8, NULL);
}

static pl_status set_terms(pl_gpu_system *s, const pl_problem *problem, pl_arena *arena)
{
    int64_t n = problem->n_term;
    int32_t *block = pl_arena_take(arena, n, 4), *arm_of = pl_arena_take(arena, n, 4);
    double *w = pl_arena_take(arena, n, 8);
    if (block == NULL || arm_of == NULL || w == NULL) return PL_ERROR_MEMORY;
    for (int64_t t = 0; t < n; t++) {
        const pl_entry *entry = problem->entry + t;
        block[t] = entry->block, arm_of[t] = entry->arm, w[t] = entry->w;
    }
    PL_TRY(put(s->gpu, &s->on.block, n, 4, block));
    PL_TRY(put(s->gpu, &s->on.arm_of, n, 4, arm_of));
    PL_TRY(put(s->gpu, &s->on.w, n, 8, w));
    PL_TRY(put(s->gpu, &s->on.arm, 3 * (int64_t)problem->n_arm, 8, problem->arm));
    s->stretched = problem->stretch != NULL;
    return put(s->gpu, &s->on.stretch, s->stretched ? 6 * (int64_t)problem->n_arm : 0, 8,
               problem->stretch);
}

// Of each of the limits: lo, hi, compliance.
static pl_status set_limits(pl_gpu_system *s, const pl_problem *problem, pl_arena *arena)
{
    int64_t n = problem->n_limits;
    double *bounds = pl_arena_take(arena, 9 * n, 8);
    if (bounds == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        const pl_limits *limits = problem->limits + i;
        for (int a = 0; a < 3; a++) {
            bounds[9 * i + a] = limits->lo[a];
            bounds[9 * i + 3 + a] = limits->hi[a];
            bounds[9 * i + 6 + a] = limits->compliance[a];
        }
    }
    return put(s->gpu, &s->on.bounds, 9 * n, 8, bounds);
}

static pl_status set_constraints(pl_gpu_system *s, const pl_problem *problem,
                                 const pl_workspace *ws, pl_arena *arena)
{
    int64_t n = problem->n_constraint;
    int32_t *first = pl_arena_take(arena, n + 1, 4), *law = pl_arena_take(arena, n, 4);
    double *R = pl_arena_take(arena, 9 * n, 8), *c = pl_arena_take(arena, 3 * n, 8);
    double *mu = pl_arena_take(arena, n, 8);
    uint8_t *mask = pl_arena_take(arena, n, 1);
    if (first == NULL || law == NULL || R == NULL || c == NULL || mu == NULL || mask == NULL) {
        return PL_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < n; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        first[k] = constraint->first;
        law[k] = constraint->limits < 0 ? -1 : 2 * constraint->limits + pl_is_box(problem, k);
        memcpy(R + 9 * k, constraint->R, sizeof constraint->R);
        memcpy(c + 3 * k, constraint->c, sizeof constraint->c);
        mu[k] = constraint->mu;
        mask[k] = PL_ROWS_ALL;
    }
    first[n] = problem->n_term; // terms stand in the order of their constraints
    PL_TRY(put(s->gpu, &s->on.first, n + 1, 4, first));
    PL_TRY(put(s->gpu, &s->on.law, n, 4, law));
    PL_TRY(put(s->gpu, &s->on.R, 9 * n, 8, R));
    PL_TRY(put(s->gpu, &s->on.c, 3 * n, 8, c));
    PL_TRY(put(s->gpu, &s->on.mu, n, 8, mu));
    PL_TRY(put(s->gpu, &s->on.mask, n, 1, mask));
    PL_TRY(put(s->gpu, &s->on.scale, 2 * n, 8, ws->scale));
    PL_TRY(put(s->gpu, &s->on.world, 3 * n, 8, NULL));
    return put(s->gpu, &s->on.response, 9 * n, 8, NULL);
}

pl_status pl_gpu_system_set(pl_gpu_system *s, const pl_problem *problem, pl_workspace *ws,
                            bool single, bool sliced)
{
    pl_arena *arena = &ws->arena;
    s->n = problem->A->n, s->nnz = problem->A->nnz;
    s->n_constraint = problem->n_constraint, s->n_use = ws->uses.n;
    s->single = single, s->sliced = sliced;
    PL_TRY(pl_gpu_colour(problem, ws->scale, arena, &s->colours));
    pl_arena_mark mark = pl_arena_here(arena);
    PL_TRY(set_matrix(s, problem->A, arena));
    PL_TRY(set_blocks(s, problem, ws, arena));
    PL_TRY(set_terms(s, problem, arena));
    PL_TRY(set_limits(s, problem, arena));
    PL_TRY(set_constraints(s, problem, ws, arena));
    PL_TRY(put(s->gpu, &s->on.order, s->colours.start[s->colours.n], 4, s->colours.order));
    PL_TRY(put(s->gpu, &s->on.colour, (int64_t)s->colours.n + 1, 4, s->colours.start));
    pl_arena_back(arena, mark);
    int64_t n = s->n_constraint;
    pl_gpu_launch(s->gpu, "rows_response", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(s->stretched), PL_ARG(&s->on.first),
                          PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of), PL_ARG(&s->on.w),
                          PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch), PL_ARG(&s->on.R),
                          PL_ARG(&s->on.inv), PL_ARG(&s->on.response)));
    return pl_gpu_state(s->gpu);
}

void pl_gpu_system_free(pl_gpu_system *s)
{
    pl_gpu_buffer *buffer = (pl_gpu_buffer *)&s->on;
    size_t n = sizeof s->on / sizeof *buffer;
    for (size_t i = 0; i < n; i++) pl_gpu_drop(s->gpu, buffer + i);
}

// --- Products ---

// Bytes of a product that must pass: the matrix, x and y once.
static void note_product(pl_gpu_system *s, size_t size, bool add)
{
    double nnz = (double)s->nnz, n = 3 * (double)s->n;
    pl_gpu_note(s->gpu,
                nnz * (9 * (double)size + 4) + 8 * n / 3 + n * ((double)size + (add ? 16 : 8)),
                18 * nnz);
}

void pl_gpu_multiply(pl_gpu_system *s, const pl_gpu_buffer *x, const pl_gpu_buffer *z,
                     const pl_gpu_buffer *y)
{
    int64_t n = s->n;
    int32_t add = z != NULL;
    if (!add) z = x; // not read
    if (s->sliced) {
        pl_gpu_launch(s->gpu, "bsr_multiply_sliced", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(add), PL_ARG(&s->on.row), PL_ARG(&s->on.slice),
                              PL_ARG(&s->on.product_col), PL_ARG(&s->on.product_val), PL_ARG(x),
                              PL_ARG(z), PL_ARG(y)));
    } else {
        pl_gpu_launch(s->gpu, "bsr_multiply", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(add), PL_ARG(&s->on.row), PL_ARG(&s->on.col),
                              PL_ARG(&s->on.val), PL_ARG(x), PL_ARG(z), PL_ARG(y)));
    }
    note_product(s, 8, add);
}

void pl_gpu_multiply_single(pl_gpu_system *s, const pl_gpu_buffer *x, const pl_gpu_buffer *z,
                            const pl_gpu_buffer *y)
{
    int64_t n = s->n;
    if (s->sliced) {
        pl_gpu_launch(s->gpu, "bsr_multiply_sliced_single", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(&s->on.row), PL_ARG(&s->on.slice),
                              PL_ARG(&s->on.product_col), PL_ARG(&s->on.product_single), PL_ARG(x),
                              PL_ARG(z), PL_ARG(y)));
    } else {
        pl_gpu_launch(s->gpu, "bsr_multiply_single", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(&s->on.row), PL_ARG(&s->on.col),
                              PL_ARG(&s->on.product_single), PL_ARG(x), PL_ARG(z), PL_ARG(y)));
    }
    note_product(s, 4, true);
}

void pl_gpu_rows(pl_gpu_system *s, bool offset, const pl_gpu_buffer *mask, const pl_gpu_buffer *v,
                 const pl_gpu_buffer *u)
{
    int64_t n = s->n_constraint;
    pl_gpu_launch(s->gpu, "rows_multiply", n,
                  PL_ARGS(PL_ARG(n), PL_ARG((int32_t)offset), PL_ARG(s->stretched),
                          PL_ARG(&s->on.first), PL_ARG(&s->on.block), PL_ARG(&s->on.arm_of),
                          PL_ARG(&s->on.w), PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch),
                          PL_ARG(&s->on.R), PL_ARG(&s->on.c), PL_ARG(mask), PL_ARG(v), PL_ARG(u)));
    // A frame, an offset, u; and some four terms with a velocity each
    pl_gpu_note(s->gpu, (double)n * (15 * 8 + 4 * (16 + 24)), (double)n * (15 + 4 * 6));
}

void pl_gpu_push(pl_gpu_system *s, const pl_gpu_buffer *f)
{
    int64_t n = s->n_constraint, n_use = s->n_use;
    pl_gpu_launch(s->gpu, "rows_to_world", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&s->on.R), PL_ARG(f), PL_ARG(&s->on.world)));
    pl_gpu_launch(s->gpu, "rows_gather", n_use,
                  PL_ARGS(PL_ARG(n_use), PL_ARG(s->stretched), PL_ARG(&s->on.use_start),
                          PL_ARG(&s->on.use), PL_ARG(&s->on.arm_of), PL_ARG(&s->on.w),
                          PL_ARG(&s->on.arm), PL_ARG(&s->on.stretch), PL_ARG(&s->on.world),
                          PL_ARG(&s->on.push)));
    pl_gpu_note(s->gpu, (double)n * (15 * 8 + 4 * (8 + 16 + 24)) + 24 * (double)n_use,
                (double)n * (15 + 4 * 6));
}

// --- Sums ---

int64_t pl_gpu_parts(int64_t n)
{
    return (n + PL_PART - 1) / PL_PART;
}

void pl_gpu_sum(pl_gpu *gpu, int64_t n_part, const pl_gpu_buffer *part, int32_t n_sum,
                int32_t first, const pl_gpu_buffer *to)
{
    pl_gpu_launch_groups(gpu, "vec_sum", n_sum,
                         PL_ARGS(PL_ARG(n_part), PL_ARG(part), PL_ARG(first), PL_ARG(to)));
}

void pl_gpu_dot(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *x, const pl_gpu_buffer *y,
                const pl_gpu_buffer *part, int32_t first, const pl_gpu_buffer *to)
{
    int64_t n_part = pl_gpu_parts(n);
    pl_gpu_launch_groups(gpu, "vec_dot", n_part,
                         PL_ARGS(PL_ARG(n), PL_ARG(x), PL_ARG(y), PL_ARG(part)));
    pl_gpu_note(gpu, 16 * (double)n, 2 * (double)n);
    pl_gpu_sum(gpu, n_part, part, 1, first, to);
}
