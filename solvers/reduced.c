#include "reduced.h"

#include <math.h>
#include <string.h>

enum { CHUNK_ROWS = 8 }; // of W, what a thread takes at least

// --- Which constraints touch which parts ---

// The part that block `block` is in, or -1.
static int32_t find_part(const pl_cholesky *G, int32_t block)
{
    int32_t place = G->place[block], low = 0, high = G->order.n_part;
    if (place < 0) return -1;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (G->order.part[middle] <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Lists the parts that constraint k touches, each once; returns how many.
static int32_t list_parts(const pl_reduced *r, const double *scale, int32_t k, int32_t *part)
{
    const pl_constraint *constraint = r->problem->constraint + k;
    int32_t n = 0;
    if (!(scale[2 * (int64_t)k] > 0)) return 0;
    for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
        int32_t p = find_part(&r->G, r->problem->entry[t].block), i = 0;
        while (i < n && part[i] != p) i++;
        if (p >= 0 && i == n) part[n++] = p;
    }
    return n;
}

static pl_status find_touches(pl_reduced *r, const double *scale, pl_arena *arena)
{
    int32_t n_part = r->G.order.n_part;
    int64_t n_term = r->problem->n_term;
    r->first = pl_arena_take(arena, (int64_t)n_part + 1, sizeof *r->first);
    r->start = pl_arena_take(arena, (int64_t)r->n + 1, sizeof *r->start);
    r->touch = pl_arena_take(arena, n_term, sizeof *r->touch);
    r->part = pl_arena_take(arena, n_term, sizeof *r->part);
    int32_t *next = pl_arena_take(arena, n_part, sizeof *next);
    bool all =
        r->first != NULL && r->start != NULL && r->touch != NULL && r->part != NULL && next != NULL;
    if (!all) return PL_ERROR_MEMORY;
    memset(r->first, 0, ((size_t)n_part + 1) * sizeof *r->first);
    r->start[0] = 0;
    for (int32_t k = 0; k < r->n; k++) {
        int32_t *part = r->part + r->start[k], n = list_parts(r, scale, k, part);
        for (int32_t i = 0; i < n; i++) r->first[part[i] + 1]++;
        r->start[k + 1] = r->start[k] + n;
    }
    for (int32_t p = 0; p < n_part; p++) {
        r->first[p + 1] += r->first[p];
        next[p] = r->first[p];
    }
    for (int32_t k = 0; k < r->n; k++) {
        for (int32_t i = r->start[k]; i < r->start[k + 1]; i++) r->touch[next[r->part[i]]++] = k;
    }
    return PL_OK;
}

// --- The pattern ---

// What W takes at least [bytes]: all constraints of a part answer each other.
static double least_bytes(const pl_reduced *r)
{
    double most = 0;
    for (int32_t p = 0; p < r->G.order.n_part; p++) {
        double m = r->first[p + 1] - r->first[p];
        most = PL_MAX(most, m * m);
    }
    return 9 * most * sizeof *r->val;
}

// The columns of row k, in no order; returns how many. mark (n) holds the last row that met each.
static int32_t list_columns(const pl_reduced *r, int32_t k, int32_t *mark, int32_t *col)
{
    int32_t n = 0;
    for (int32_t i = r->start[k]; i < r->start[k + 1]; i++) {
        int32_t part = r->part[i];
        for (int32_t j = r->first[part]; j < r->first[part + 1]; j++) {
            int32_t other = r->touch[j];
            if (mark[other] == k) continue;
            mark[other] = k;
            col[n++] = other;
        }
    }
    return n;
}

static pl_status count_rows(pl_reduced *r, int32_t *mark, int32_t *list, pl_arena *arena)
{
    r->row = pl_arena_take(arena, (int64_t)r->n + 1, sizeof *r->row);
    r->diag = pl_arena_take(arena, r->n, sizeof *r->diag);
    if (r->row == NULL || r->diag == NULL) return PL_ERROR_MEMORY;
    r->row[0] = 0;
    for (int32_t k = 0; k < r->n; k++) mark[k] = -1;
    for (int32_t k = 0; k < r->n; k++) r->row[k + 1] = r->row[k] + list_columns(r, k, mark, list);
    r->W_bytes = 9 * (double)r->row[r->n] * sizeof *r->val;
    return PL_OK;
}

// Each constraint is written into the rows of those it answers to, so that all have their columns
// in order. Not if W would take more than `most` bytes.
static pl_status find_pattern(pl_reduced *r, double most, pl_arena *arena)
{
    int32_t *mark = pl_arena_take(arena, r->n, sizeof *mark);
    int32_t *list = pl_arena_take(arena, r->n, sizeof *list);
    int64_t *end = pl_arena_take(arena, r->n, sizeof *end); // of each row so far
    if (mark == NULL || list == NULL || end == NULL) return PL_ERROR_MEMORY;
    PL_TRY(count_rows(r, mark, list, arena));
    if (r->W_bytes > most) return PL_OK;
    r->col = pl_arena_take(arena, r->row[r->n], sizeof *r->col);
    r->val = pl_arena_take(arena, 9 * r->row[r->n], sizeof *r->val);
    if (r->col == NULL || r->val == NULL) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < r->n; k++) mark[k] = -1, r->diag[k] = -1, end[k] = r->row[k];
    for (int32_t k = 0; k < r->n; k++) {
        int32_t n = list_columns(r, k, mark, list);
        for (int32_t i = 0; i < n; i++) {
            if (list[i] == k) r->diag[k] = end[k];
            r->col[end[list[i]]++] = k;
        }
    }
    return PL_OK;
}

// --- W ---

// x := the three columns of L^T of constraint k in the blocks first .. last - 1 of the order.
static void load_columns(const pl_reduced *r, int32_t first, int32_t last, int32_t k, double *x)
{
    const pl_constraint *constraint = r->problem->constraint + k;
    memset(x, 0, 9 * (size_t)(last - first) * sizeof *x);
    for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
        const pl_entry *entry = r->problem->entry + t;
        int32_t place = r->G.place[entry->block];
        if (place < first || place >= last) continue;
        double rows[9], *to = x + 9 * (int64_t)(place - first);
        pl_entry_rows(r->problem, constraint, entry, rows);
        for (int i = 0; i < 9; i++) to[i] = rows[i % 3 * 3 + i / 3];
    }
}

// B (9) += what constraint k answers in the blocks first .. last - 1 to those of another,
// transposed as the rows of that one have it; x holds A^-1 L^T of the other.
static void add_answer(const pl_reduced *r, int32_t first, int32_t last, int32_t k, const double *x,
                       double *B)
{
    const pl_constraint *constraint = r->problem->constraint + k;
    for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
        const pl_entry *entry = r->problem->entry + t;
        int32_t place = r->G.place[entry->block];
        if (place < first || place >= last) continue;
        double rows[9];
        const double *y = x + 9 * (int64_t)(place - first);
        pl_entry_rows(r->problem, constraint, entry, rows);
        for (int e = 0; e < 9; e++) {
            const double *g = rows + e % 3 * 3, *h = y + e / 3;
            B[e] += (g[0] * h[0] + g[1] * h[3]) + g[2] * h[6];
        }
    }
}

// The entry of a constraint in a block, which it has once.
static const pl_entry *find_entry(const pl_problem *problem, int32_t k, int32_t block)
{
    const pl_entry *entry = problem->entry + problem->constraint[k].first;
    while (entry->block != block) entry++;
    return entry;
}

// Adds what a part makes of row k of W.
static void add_part(const pl_reduced *r, int32_t k, int32_t part, double *x)
{
    const pl_problem *problem = r->problem;
    int32_t first = r->G.order.part[part], last = r->G.order.part[part + 1];
    int32_t block = r->G.order.block[first];
    bool single = last - first == 1;
    double rows[9];
    if (single) {
        pl_entry_rows(problem, problem->constraint + k, find_entry(problem, k, block), rows);
    } else {
        load_columns(r, first, last, k, x);
        pl_cholesky_solve(&r->G, first, last, 3, x);
    }
    int64_t at = r->row[k]; // both lists ascend
    for (int32_t i = r->first[part]; i < r->first[part + 1]; i++) {
        int32_t other = r->touch[i];
        while (r->col[at] < other) at++;
        double *B = r->val + 9 * at;
        if (single) {
            double K[9];
            pl_entry_rows(problem, problem->constraint + other, find_entry(problem, other, block),
                          K);
            pl_add_response(rows, r->D->inv + 6 * (int64_t)block, K, B);
        } else {
            add_answer(r, first, last, other, x, B);
        }
    }
}

static void fill_rows(void *context, int64_t first, int64_t last)
{
    const pl_reduced *r = context;
    double *x = r->x + 9 * (int64_t)r->G.order.n * pl_thread_slot();
    for (int64_t k = first; k < last; k++) {
        const pl_limits *limits = pl_limits_of(r->problem, r->problem->constraint + k);
        int64_t n = r->row[k + 1] - r->row[k];
        memset(r->val + 9 * r->row[k], 0, 9 * (size_t)n * sizeof *r->val);
        for (int32_t i = r->start[k]; i < r->start[k + 1]; i++) {
            add_part(r, (int32_t)k, r->part[i], x);
        }
        for (int a = 0; a < 3 && limits != NULL && r->diag[k] >= 0; a++) {
            r->val[9 * r->diag[k] + 4 * a] += limits->compliance[a];
        }
    }
}

// --- Velocities ---

// v += A^-1 push.
static void add_solution(const pl_reduced *r, const double *push, double *v)
{
    const pl_order *order = &r->G.order;
    for (int64_t i = 0; i < order->n; i++) {
        memcpy(r->x + 3 * i, push + 3 * (int64_t)order->block[i], 3 * sizeof *push);
    }
    pl_cholesky_solve(&r->G, 0, order->n, 1, r->x);
    for (int64_t i = 0; i < order->n; i++) {
        for (int c = 0; c < 3; c++) v[3 * (int64_t)order->block[i] + c] += r->x[3 * i + c];
    }
}

// push := L^T f.
static void find_push(const pl_reduced *r, const double *f)
{
    memset(r->push, 0, 3 * (size_t)r->problem->A->n * sizeof *r->push);
    pl_rows_transpose_add(r->problem, r->uses, 1, f, r->world, r->push);
}

void pl_reduced_velocities(const pl_reduced *r, const double *f, double *v)
{
    memcpy(v, r->v0, 3 * (size_t)r->problem->A->n * sizeof *v);
    find_push(r, f);
    add_solution(r, r->push, v);
}

void pl_reduced_multiply(const pl_reduced *r, const double *f, double *w)
{
    const pl_order *order = &r->G.order;
    find_push(r, f);
    for (int64_t i = 0; i < order->n; i++) {
        memcpy(r->x + 3 * i, r->push + 3 * (int64_t)order->block[i], 3 * sizeof *f);
    }
    pl_cholesky_solve(&r->G, 0, order->n, 1, r->x);
    memset(r->push, 0, 3 * (size_t)r->problem->A->n * sizeof *r->push);
    for (int64_t i = 0; i < order->n; i++) {
        memcpy(r->push + 3 * (int64_t)order->block[i], r->x + 3 * i, 3 * sizeof *f);
    }
    pl_rows_multiply(r->problem, NULL, false, r->push, w);
    for (int64_t k = 0; k < r->n && r->problem->n_limits > 0; k++) {
        const pl_limits *limits = pl_limits_of(r->problem, r->problem->constraint + k);
        for (int a = 0; a < 3 && limits != NULL; a++) {
            w[3 * k + a] += limits->compliance[a] * f[3 * k + a];
        }
    }
}

// v0 := v + A^-1 (b - A v), q := L v0 - c.
static void find_unconstrained(pl_reduced *r, const double *v)
{
    int64_t n = 3 * (int64_t)r->problem->A->n;
    memcpy(r->v0, v, (size_t)n * sizeof *v);
    pl_bsr_multiply(r->problem->A, v, r->push);
    for (int64_t i = 0; i < n; i++) r->push[i] = r->problem->b[i] - r->push[i];
    add_solution(r, r->push, r->v0);
    pl_rows_multiply(r->problem, NULL, true, r->v0, r->q);
}

int64_t pl_reduced_count_factors(const pl_reduced *r)
{
    const pl_order *order = &r->G.order;
    int64_t n = 0;
    for (int32_t p = 0; p < order->n_part; p++) n += order->part[p + 1] - order->part[p] > 1;
    return n;
}

// --- All of it ---

static pl_status take(pl_reduced *r, pl_arena *arena)
{
    int64_t n = 3 * (int64_t)r->problem->A->n;
    r->q = pl_arena_take(arena, 3 * (int64_t)r->n, sizeof *r->q);
    r->world = pl_arena_take(arena, 3 * (int64_t)r->n, sizeof *r->world);
    r->v0 = pl_arena_take(arena, n, sizeof *r->v0);
    r->push = pl_arena_take(arena, n, sizeof *r->push);
    r->x = pl_arena_take(arena, 9 * (int64_t)r->G.order.n * pl_threads(), sizeof *r->x);
    bool all = r->q != NULL && r->world != NULL && r->v0 != NULL && r->push != NULL && r->x != NULL;
    return all ? pl_cholesky_take(&r->G, arena) : PL_ERROR_MEMORY;
}

pl_status pl_reduced_plan(const pl_problem *problem, const pl_uses *uses, const pl_block_jacobi *D,
                          const double *scale, const double *v, bool build, double most,
                          pl_arena *arena, pl_reduced *out)
{
    *out = (pl_reduced){.problem = problem, .uses = uses, .D = D, .n = problem->n_constraint};
    PL_TRY(pl_cholesky_analyze(problem->A, problem->prescribed, arena, &out->G));
    out->G_bytes = pl_cholesky_bytes(&out->G);
    PL_TRY(find_touches(out, scale, arena));
    if (build) {
        out->W_bytes = least_bytes(out);
        if (out->W_bytes <= most) PL_TRY(find_pattern(out, most, arena));
    }
    out->fits = out->W_bytes <= most && out->G_bytes <= most;
    if (!out->fits) return PL_OK;
    PL_TRY(take(out, arena));
    PL_TRY(pl_cholesky_factor(&out->G, problem->A));
    find_unconstrained(out, v);
    return PL_OK;
}

void pl_reduced_fill(pl_reduced *reduced)
{
    pl_loop(reduced->n, CHUNK_ROWS, fill_rows, reduced);
}

pl_status pl_reduced_create(const pl_problem *problem, const pl_uses *uses,
                            const pl_block_jacobi *D, const double *scale, const double *v,
                            bool build, double most, pl_arena *arena, pl_reduced *out)
{
    PL_TRY(pl_reduced_plan(problem, uses, D, scale, v, build, most, arena, out));
    if (build && out->fits) pl_reduced_fill(out);
    return PL_OK;
}
