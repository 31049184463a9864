// Levels are made by the CPU (solvers/multigrid.c), once for a solve, and so is what contacts are
// to them, once for a step of Newton's; the cycles run here.

#include "multigrid.h"
#include "kernels/types.h"

#include <string.h>

enum { W = PL_GRID_WIDTH, M = PL_GRID_MODES };

_Static_assert(PL_MG_W == PL_GRID_WIDTH && PL_MG_M == PL_GRID_MODES, "widths of groups");

static pl_status put(pl_gpu *gpu, pl_gpu_buffer *to, int64_t count, size_t size, const void *data)
{
    PL_TRY(pl_gpu_reserve(gpu, to, count, size));
    if (data != NULL) pl_gpu_write(gpu, to, 0, count * (int64_t)size, data);
    return PL_OK;
}

// start (n + 1), list (of all): what stands where `of` (n_of) says, ascending.
static void sort_by(int32_t n_of, const int32_t *of, int32_t n, int32_t *start, int32_t *list)
{
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (int32_t i = 0; i < n_of; i++) start[of[i] + 1]++;
    for (int32_t a = 0; a < n; a++) start[a + 1] += start[a];
    for (int32_t i = 0; i < n_of; i++) list[start[of[i]]++] = i;
    for (int32_t a = n; a > 0; a--) start[a] = start[a - 1];
    start[0] = 0;
}

// --- Levels ---

static pl_status put_blocks(pl_gpu_multigrid *m, const pl_multigrid *mg, pl_arena *arena)
{
    pl_gpu *gpu = m->gpu;
    const pl_bsr *A = mg->problem->A;
    int64_t n = A->n, n_p = mg->p_row[n];
    uint8_t *moves = pl_arena_take(arena, n, 1);
    if (moves == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) moves[i] = !pl_is_prescribed(mg->problem, i);
    PL_TRY(put(gpu, &m->on.row, n + 1, 8, A->row));
    PL_TRY(put(gpu, &m->on.col, A->nnz, 4, A->col));
    PL_TRY(put(gpu, &m->on.A, 9 * A->nnz, 4, mg->A));
    PL_TRY(put(gpu, &m->on.moves, n, 1, moves));
    PL_TRY(put(gpu, &m->on.easy, 6 * n, 4, mg->easy));
    PL_TRY(put(gpu, &m->on.p_row, n + 1, 8, mg->p_row));
    PL_TRY(put(gpu, &m->on.p_col, n_p, 4, mg->p_col));
    PL_TRY(put(gpu, &m->on.p_val, 3 * W * n_p, 4, mg->p_val));
    PL_TRY(put(gpu, &m->on.q_row, (int64_t)mg->grid[0].n + 1, 8, mg->q_row));
    PL_TRY(put(gpu, &m->on.q_at, n_p, 8, mg->q_at));
    PL_TRY(put(gpu, &m->on.q_block, n_p, 4, mg->q_block));
    PL_TRY(put(gpu, &m->on.t, 3 * n, 4, NULL));
    return put(gpu, &m->on.z, 3 * n, 4, NULL);
}

static pl_status put_grid(pl_gpu *gpu, const pl_grid *g, const pl_grid *next, pl_gpu_grid *to,
                          pl_arena *arena)
{
    int64_t n = g->n, nnz = g->row[n];
    PL_TRY(put(gpu, &to->row, n + 1, 8, g->row));
    PL_TRY(put(gpu, &to->col, nnz, 4, g->col));
    PL_TRY(put(gpu, &to->val, M * W * nnz, 4, g->val));
    PL_TRY(put(gpu, &to->x, W * n, 4, NULL));
    PL_TRY(put(gpu, &to->r, W * n, 4, NULL));
    PL_TRY(put(gpu, &to->t, W * n, 4, NULL));
    if (next == NULL) return PL_OK;
    int32_t *start = pl_arena_take(arena, (int64_t)next->n + 1, sizeof *start);
    int32_t *member = pl_arena_take(arena, n, sizeof *member);
    if (start == NULL || member == NULL) return PL_ERROR_MEMORY;
    sort_by(g->n, g->parent, next->n, start, member);
    PL_TRY(put(gpu, &to->parent, n, 4, g->parent));
    PL_TRY(put(gpu, &to->T, M * W * n, 4, g->T));
    PL_TRY(put(gpu, &to->member_start, (int64_t)next->n + 1, 4, start));
    return put(gpu, &to->member, n, 4, member);
}

pl_status pl_gpu_multigrid_create(pl_gpu_multigrid *m, const pl_multigrid *mg, pl_arena *arena)
{
    m->mg = mg;
    m->n = mg->problem->A->n, m->n_constraint = mg->problem->n_constraint;
    pl_arena_mark mark = pl_arena_here(arena);
    PL_TRY(put_blocks(m, mg, arena));
    for (int32_t i = 0; i < mg->n_grid; i++) {
        const pl_grid *next = i + 1 < mg->n_grid ? mg->grid + i + 1 : NULL;
        PL_TRY(put_grid(m->gpu, mg->grid + i, next, m->grid + i, arena));
    }
    pl_arena_back(arena, mark);
    return pl_gpu_state(m->gpu);
}

// --- Contacts ---

// use: of each of n columns the contacts and entries in which it stands.
static pl_status put_rows(pl_gpu *gpu, const pl_grid_rows *rows, int32_t n_constraint,
                          int64_t width, int32_t n, pl_gpu_grid_rows *to, pl_arena *arena)
{
    int32_t n_entry = rows->start[n_constraint];
    pl_arena_mark mark = pl_arena_here(arena);
    int32_t *start = pl_arena_take(arena, (int64_t)n + 1, sizeof *start);
    int32_t *list = pl_arena_take(arena, n_entry, sizeof *list);
    int32_t *of = pl_arena_take(arena, n_entry, sizeof *of);
    int32_t *use = pl_arena_take(arena, 2 * (int64_t)n_entry, sizeof *use);
    if (start == NULL || list == NULL || of == NULL || use == NULL) return PL_ERROR_MEMORY;
    sort_by(n_entry, rows->col, n, start, list);
    for (int32_t k = 0; k < n_constraint; k++) {
        for (int32_t e = rows->start[k]; e < rows->start[k + 1]; e++) of[e] = k;
    }
    for (int32_t i = 0; i < n_entry; i++) use[2 * i] = of[list[i]], use[2 * i + 1] = list[i];
    PL_TRY(put(gpu, &to->start, (int64_t)n_constraint + 1, 4, rows->start));
    PL_TRY(put(gpu, &to->col, n_entry, 4, rows->col));
    PL_TRY(put(gpu, &to->val, 3 * width * n_entry, 4, rows->val));
    PL_TRY(put(gpu, &to->use_start, (int64_t)n + 1, 4, start));
    PL_TRY(put(gpu, &to->use, 2 * (int64_t)n_entry, 4, use));
    pl_arena_back(arena, mark);
    return PL_OK;
}

// The rows of a factor, which stands by columns, and the step in which each can be solved for.
typedef struct schedule {
    int64_t *row, *at;  // (n + 1), (nnz)
    int32_t *of, *step; // (nnz), (n)
    int32_t *level, *order;
    int32_t n_level;
} schedule;

static pl_status make_schedule(const pl_cholesky *G, pl_arena *arena, schedule *s)
{
    int32_t n = G->order.n;
    s->row = pl_arena_take(arena, (int64_t)n + 2, sizeof *s->row);
    s->at = pl_arena_take(arena, G->nnz, sizeof *s->at);
    s->of = pl_arena_take(arena, G->nnz, sizeof *s->of);
    s->step = pl_arena_take(arena, n, sizeof *s->step);
    s->level = pl_arena_take(arena, (int64_t)n + 2, sizeof *s->level);
    s->order = pl_arena_take(arena, n, sizeof *s->order);
    bool all = s->row != NULL && s->at != NULL && s->of != NULL && s->step != NULL &&
               s->level != NULL && s->order != NULL;
    if (!all) return PL_ERROR_MEMORY;
    memset(s->row, 0, ((size_t)n + 2) * sizeof *s->row);
    for (int64_t k = 0; k < G->nnz; k++) s->row[G->row[k] + 2]++;
    for (int32_t i = 0; i < n; i++) s->row[i + 2] += s->row[i + 1], s->step[i] = 0;
    s->n_level = 0;
    for (int32_t j = 0; j < n; j++) { // its step is final: all columns before it have been seen
        s->n_level = PL_MAX(s->n_level, s->step[j] + 1);
        for (int64_t k = G->col[j]; k < G->col[j + 1]; k++) {
            int32_t i = G->row[k];
            int64_t to = s->row[i + 1]++;
            s->of[to] = j, s->at[to] = k;
            s->step[i] = PL_MAX(s->step[i], s->step[j] + 1);
        }
    }
    sort_by(n, s->step, s->n_level, s->level, s->order);
    return PL_OK;
}

static pl_status put_touched(pl_gpu_multigrid *m, pl_arena *arena)
{
    pl_gpu *gpu = m->gpu;
    const pl_touched *touched = &m->mg->touched;
    const pl_cholesky *G = &touched->factor;
    int64_t n = G->order.n, nnz = G->nnz;
    schedule s;
    pl_arena_mark mark = pl_arena_here(arena);
    PL_TRY(make_schedule(G, arena, &s));
    int32_t *block = pl_arena_take(arena, n, sizeof *block);
    if (block == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) block[i] = touched->uses->block[G->order.block[i]];
    m->n_level = s.n_level;
    PL_TRY(put(gpu, &m->on.level, (int64_t)s.n_level + 1, 4, s.level));
    PL_TRY(put(gpu, &m->on.order, n, 4, s.order));
    PL_TRY(put(gpu, &m->on.lower_row, n + 1, 8, s.row));
    PL_TRY(put(gpu, &m->on.lower_of, nnz, 4, s.of));
    PL_TRY(put(gpu, &m->on.lower_at, nnz, 8, s.at));
    PL_TRY(put(gpu, &m->on.col_start, n + 1, 8, G->col));
    PL_TRY(put(gpu, &m->on.below, nnz, 4, G->row));
    PL_TRY(put(gpu, &m->on.val, 9 * nnz, 8, G->val));
    PL_TRY(put(gpu, &m->on.inv, 9 * n, 8, G->inv));
    PL_TRY(put(gpu, &m->on.block, n, 4, block));
    PL_TRY(put(gpu, &m->on.solved, 3 * n, 8, NULL));
    pl_arena_back(arena, mark);
    return PL_OK;
}

pl_status pl_gpu_multigrid_set(pl_gpu_multigrid *m, const pl_stiffness *J, const float *couple,
                               pl_arena *arena)
{
    const pl_multigrid *mg = m->mg;
    int32_t n_constraint = m->n_constraint;
    PL_TRY(put(m->gpu, &m->on.K, 4 * (int64_t)n_constraint, 4, mg->K));
    PL_TRY(put(m->gpu, &m->on.J, 4 * (int64_t)n_constraint, 4, J));
    PL_TRY(put(m->gpu, &m->on.couple, 2 * (int64_t)n_constraint, 4, couple));
    PL_TRY(put(m->gpu, &m->on.f, 3 * (int64_t)n_constraint, 4, NULL));
    PL_TRY(put_rows(m->gpu, &mg->rows, n_constraint, 3, m->n, &m->rows, arena));
    if (mg->is_factored) PL_TRY(put_touched(m, arena));
    for (int32_t i = 0; i < mg->n_grid; i++) {
        const pl_grid *g = mg->grid + i;
        PL_TRY(put(m->gpu, &m->grid[i].smooth, M * W * (int64_t)g->n, 4, g->smooth));
        PL_TRY(put_rows(m->gpu, &g->rows, n_constraint, W, g->n, &m->grid[i].rows, arena));
    }
    int64_t n = M * (int64_t)mg->grid[mg->n_grid - 1].n;
    if (mg->is_dense) PL_TRY(put(m->gpu, &m->on.dense, n * n, 8, mg->dense));
    return pl_gpu_state(m->gpu);
}

static void drop_all(pl_gpu *gpu, void *buffers, size_t size)
{
    pl_gpu_buffer *buffer = buffers;
    for (size_t i = 0; i < size / sizeof *buffer; i++) pl_gpu_drop(gpu, buffer + i);
}

void pl_gpu_multigrid_free(pl_gpu_multigrid *m)
{
    drop_all(m->gpu, &m->on, sizeof m->on);
    drop_all(m->gpu, &m->rows, sizeof m->rows);
    drop_all(m->gpu, m->grid, sizeof m->grid);
}

// --- Products ---

// f := K Y x.
static void press(pl_gpu_multigrid *m, const pl_gpu_grid_rows *rows, int32_t width, bool newton,
                  const pl_gpu_buffer *x)
{
    int64_t n = m->n_constraint;
    pl_gpu_launch(m->gpu, "mg_contacts", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(width), PL_ARG((int32_t)newton), PL_ARG(&rows->start),
                          PL_ARG(&rows->col), PL_ARG(&rows->val),
                          PL_ARG(newton ? &m->on.J : &m->on.K), PL_ARG(&m->on.couple), PL_ARG(x),
                          PL_ARG(&m->on.f)));
    pl_gpu_note(m->gpu, (double)n * (40 + 4 * 16 * width), (double)n * (15 + 4 * 6 * width));
}

// y := r - (A + L^T K L) x, or (A + L^T J L) x without r.
static void multiply(pl_gpu_multigrid *m, const pl_gpu_buffer *x, const pl_gpu_buffer *r,
                     const pl_gpu_buffer *y)
{
    int64_t n = m->n, nnz = m->mg->problem->A->nnz;
    press(m, &m->rows, 3, r == NULL, x);
    pl_gpu_launch(m->gpu, "mg_multiply", n,
                  PL_ARGS(PL_ARG(n), PL_ARG((int32_t)(r != NULL)), PL_ARG(&m->on.row),
                          PL_ARG(&m->on.col), PL_ARG(&m->on.A), PL_ARG(&m->on.moves),
                          PL_ARG(&m->rows.use_start), PL_ARG(&m->rows.use), PL_ARG(&m->rows.val),
                          PL_ARG(&m->on.f), PL_ARG(x), PL_ARG(r != NULL ? r : x), PL_ARG(y)));
    pl_gpu_note(m->gpu, 40 * (double)nnz + 57 * (double)n, 18 * (double)nnz);
}

void pl_gpu_multigrid_multiply(pl_gpu_multigrid *m, const pl_gpu_buffer *x, const pl_gpu_buffer *y)
{
    multiply(m, x, NULL, y);
}

// --- The cycle ---

// z := (sigma D + L^T K L)^-1 r.
static void smooth_blocks(pl_gpu_multigrid *m, const pl_gpu_buffer *r, const pl_gpu_buffer *z)
{
    int64_t n = m->n;
    pl_gpu_launch(m->gpu, "mg_easy", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&m->on.easy), PL_ARG(r), PL_ARG(z)));
    pl_gpu_note(m->gpu, 48 * (double)n, 15 * (double)n);
    if (!m->mg->is_factored || m->n_level == 0) return;
    pl_gpu_launch_groups(m->gpu, "mg_touched", 1,
                         PL_ARGS(PL_ARG(m->n_level), PL_ARG(&m->on.level), PL_ARG(&m->on.order),
                                 PL_ARG(&m->on.lower_row), PL_ARG(&m->on.lower_of),
                                 PL_ARG(&m->on.lower_at), PL_ARG(&m->on.col_start),
                                 PL_ARG(&m->on.below), PL_ARG(&m->on.val), PL_ARG(&m->on.inv),
                                 PL_ARG(&m->on.block), PL_ARG(r), PL_ARG(&m->on.solved),
                                 PL_ARG(z)));
    double nnz = (double)m->mg->touched.factor.nnz;
    pl_gpu_note(m->gpu, 2 * nnz * (72 + 24 + 12), 36 * nnz);
}

// t := r - (C + Y^T K Y) x of a level.
static void find_residual(pl_gpu_multigrid *m, int32_t level)
{
    const pl_gpu_grid *g = m->grid + level;
    const pl_grid *of = m->mg->grid + level;
    int64_t n = W * (int64_t)of->n;
    press(m, &g->rows, W, false, &g->x);
    pl_gpu_launch(m->gpu, "mg_residual", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&g->row), PL_ARG(&g->col), PL_ARG(&g->val),
                          PL_ARG(&g->rows.use_start), PL_ARG(&g->rows.use), PL_ARG(&g->rows.val),
                          PL_ARG(&m->on.f), PL_ARG(&g->r), PL_ARG(&g->x), PL_ARG(&g->t)));
    pl_gpu_note(m->gpu, (double)of->row[of->n] * 196 + 12 * (double)n, (double)of->row[of->n] * 96);
}

static void relax(pl_gpu_multigrid *m, int32_t level, int sweeps)
{
    const pl_gpu_grid *g = m->grid + level;
    int64_t n = W * (int64_t)m->mg->grid[level].n;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        find_residual(m, level);
        pl_gpu_launch(m->gpu, "mg_smooth", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(&g->smooth), PL_ARG(&g->t), PL_ARG(&g->x)));
        pl_gpu_note(m->gpu, 36 * (double)n, 12 * (double)n);
    }
}

static void zero(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *x)
{
    pl_gpu_launch(gpu, "mg_zero", n, PL_ARGS(PL_ARG(n), PL_ARG(x)));
}

// x of a level := about (C + Y^T K Y)^-1 r.
static void cycle_grid(pl_gpu_multigrid *m, int32_t level)
{
    const pl_gpu_grid *g = m->grid + level, *next = g + 1;
    const pl_multigrid *mg = m->mg;
    int64_t n = W * (int64_t)mg->grid[level].n;
    zero(m->gpu, n, &g->x);
    if (level == mg->n_grid - 1 && mg->is_dense) {
        int32_t size = M * mg->grid[level].n;
        PL_ASSERT(size <= PL_MG_DENSE);
        pl_gpu_launch_groups(
            m->gpu, "mg_dense", 1,
            PL_ARGS(PL_ARG(size), PL_ARG(&m->on.dense), PL_ARG(&g->r), PL_ARG(&g->x)));
        pl_gpu_note(m->gpu, 16 * (double)size * size, 4 * (double)size * size);
        return;
    }
    if (level == mg->n_grid - 1) {
        relax(m, level, PL_GRID_LAST_SWEEPS);
        return;
    }
    int64_t n_next = W * (int64_t)mg->grid[level + 1].n;
    relax(m, level, PL_GRID_SWEEPS);
    find_residual(m, level);
    pl_gpu_launch(m->gpu, "mg_collect", n_next,
                  PL_ARGS(PL_ARG(n_next), PL_ARG(&g->member_start), PL_ARG(&g->member),
                          PL_ARG(&g->T), PL_ARG(&g->t), PL_ARG(&next->r)));
    cycle_grid(m, level + 1);
    pl_gpu_launch(
        m->gpu, "mg_spread", n,
        PL_ARGS(PL_ARG(n), PL_ARG(&g->parent), PL_ARG(&g->T), PL_ARG(&next->x), PL_ARG(&g->x)));
    relax(m, level, PL_GRID_SWEEPS);
}

void pl_gpu_multigrid_cycle(pl_gpu_multigrid *m, const pl_gpu_buffer *r, const pl_gpu_buffer *z)
{
    int64_t n = m->n, n_group = W * (int64_t)m->mg->grid[0].n, n3 = 3 * n;
    double n_p = (double)m->mg->p_row[n];
    smooth_blocks(m, r, z);
    multiply(m, z, r, &m->on.t);
    pl_gpu_launch(m->gpu, "mg_restrict", n_group,
                  PL_ARGS(PL_ARG(n_group), PL_ARG(&m->on.q_row), PL_ARG(&m->on.q_at),
                          PL_ARG(&m->on.q_block), PL_ARG(&m->on.p_val), PL_ARG(&m->on.t),
                          PL_ARG(&m->grid[0].r)));
    pl_gpu_note(m->gpu, n_p * (96 + 12 + 12), 48 * n_p);
    cycle_grid(m, 0);
    pl_gpu_launch(m->gpu, "mg_prolong", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&m->on.p_row), PL_ARG(&m->on.p_col),
                          PL_ARG(&m->on.p_val), PL_ARG(&m->grid[0].x), PL_ARG(z)));
    pl_gpu_note(m->gpu, n_p * (96 + 4 + 32) + 24 * (double)n, 48 * n_p);
    multiply(m, z, r, &m->on.t);
    smooth_blocks(m, &m->on.t, &m->on.z);
    pl_gpu_launch(m->gpu, "mg_add", n3, PL_ARGS(PL_ARG(n3), PL_ARG(&m->on.z), PL_ARG(z)));
    pl_gpu_note(m->gpu, 12 * (double)n3, (double)n3);
}
