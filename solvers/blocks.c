// The constraint blocks of a step.

#include "blocks.h"
#include "law.h"

#include <math.h>
#include <string.h>

void pl_blocks_free(pl_blocks *b)
{
    pl_problem_free(&b->problem);
    pl_free(b->id);
    pl_free(b->found);
    pl_free(b->f);
    pl_free(b->memory);
    pl_free(b->saved);
    pl_free(b->scratch);
    *b = (pl_blocks){0};
}

void pl_blocks_clear(pl_blocks *b)
{
    pl_problem_clear(&b->problem);
    b->recent = 0;
}

void pl_blocks_cut(pl_blocks *b, int32_t first)
{
    pl_problem_cut(&b->problem, first);
    b->recent = 0;
}

int pl_block_id_compare(const pl_block_id *a, const pl_block_id *b)
{
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    return 0;
}

// Blocks mostly come in order: from the last place on, in strides that double, and between two.
static const pl_remembered *find_memory(pl_blocks *b, const pl_block_id *id)
{
    int64_t lo = 0, hi = b->n_memory, stride = 1, next = PL_MIN(b->recent, hi);
    for (; next < hi && pl_block_id_compare(&b->memory[next].id, id) < 0; stride *= 2) {
        lo = next + 1;
        next = PL_MIN(next + stride, hi);
    }
    hi = next;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        int order = pl_block_id_compare(&b->memory[mid].id, id);
        if (order < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    b->recent = lo;
    bool found = lo < b->n_memory && pl_block_id_compare(&b->memory[lo].id, id) == 0;
    return found ? &b->memory[lo] : NULL;
}

// --- Blocks ---

void pl_blocks_impulse(const pl_blocks *b, int32_t k, double impulse[3])
{
    const double *f = b->f + 3 * (int64_t)k, *R = b->problem.constraint[k].R;
    for (int j = 0; j < 3; j++) impulse[j] = f[0] * R[j] + f[1] * R[3 + j] + f[2] * R[6 + j];
}

// Of a cone the tangents are shortened, and not the normal raised with them: what it pushed with
// stays.
static void set_in_cone(double mu, double f[3])
{
    f[0] = PL_MAX(f[0], 0);
    double slip = hypot(f[1], f[2]), most = mu * f[0];
    double shorter = slip > most ? most / slip : 1;
    f[1] *= shorter;
    f[2] *= shorter;
}

// f := `scale` times the vector F, in the frame of the block and moved into what its law allows.
static void set_allowed(const pl_constraint *constraint, const pl_limits *limits, double scale,
                        const double F[3], double f[3])
{
    for (int k = 0; k < 3; k++) {
        const double *e = constraint->R + 3 * k;
        f[k] = scale * (e[0] * F[0] + e[1] * F[1] + e[2] * F[2]);
    }
    if (limits == NULL || limits->law == PL_LAW_CONE) {
        set_in_cone(constraint->mu, f);
    } else {
        pl_law_project(limits, constraint->mu, f, f);
    }
}

void pl_blocks_set_impulse(pl_blocks *b, int32_t k, const double impulse[3])
{
    const pl_constraint *constraint = &b->problem.constraint[k];
    set_allowed(constraint, pl_limits_of(&b->problem, constraint), 1, impulse,
                b->f + 3 * (int64_t)k);
}

pl_status pl_blocks_add(pl_blocks *b, const pl_block_id *id, bool found, bool remembered,
                        const pl_constraint *constraint, const pl_limits *limits, int32_t n_term,
                        const pl_term *term)
{
    int64_t n = b->problem.n_constraint;
    PL_TRY(pl_reserve((void **)&b->id, &b->id_capacity, n + 1, sizeof *b->id));
    PL_TRY(pl_reserve((void **)&b->found, &b->found_capacity, n + 1, sizeof *b->found));
    PL_TRY(pl_reserve((void **)&b->f, &b->f_capacity, 3 * (n + 1), sizeof *b->f));
    const pl_remembered *last = remembered ? find_memory(b, id) : NULL;
    b->id[n] = *id;
    b->found[n] = found;
    memset(b->f + 3 * n, 0, 3 * sizeof *b->f);
    if (last != NULL) set_allowed(constraint, limits, b->problem.dt, last->force, b->f + 3 * n);
    return pl_problem_add_limited(&b->problem, constraint, limits, n_term, term);
}

// --- Memory ---

static int compare_memory(const void *a, const void *b)
{
    const pl_remembered *p = a, *q = b;
    return pl_block_id_compare(&p->id, &q->id);
}

// An identity may have several blocks: their forces are added, in the order of the blocks.
static int64_t merge_blocks(pl_remembered *memory, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (kept > 0 && compare_memory(&memory[kept - 1], &memory[i]) == 0) {
            for (int k = 0; k < 3; k++) memory[kept - 1].force[k] += memory[i].force[k];
            memory[kept - 1].found |= memory[i].found;
        } else {
            memory[kept++] = memory[i];
        }
    }
    return kept;
}

// Merges the runs start .. mid - 1 and mid .. end - 1 of a into b.
static void merge_runs(const pl_remembered *a, int64_t start, int64_t mid, int64_t end,
                       pl_remembered *b)
{
    for (int64_t i = start, j = mid, k = start; k < end; k++) {
        bool left = j == end || (i < mid && compare_memory(&a[i], &a[j]) <= 0);
        b[k] = left ? a[i++] : a[j++];
    }
}

// Sorts by merging neighbouring runs: stable, and without a heap call. Blocks come in order, but
// for those of hits behind them.
static void sort_memory(pl_remembered *a, pl_remembered *b, int64_t n)
{
    int64_t sorted = n > 0 ? 1 : 0;
    while (sorted < n && compare_memory(&a[sorted - 1], &a[sorted]) <= 0) sorted++;
    if (sorted == n) return;
    for (int64_t width = 1; width < n - sorted; width *= 2) {
        for (int64_t start = sorted; start < n; start += 2 * width) {
            merge_runs(a, start, PL_MIN(start + width, n), PL_MIN(start + 2 * width, n), b);
        }
        memcpy(a + sorted, b + sorted, (size_t)(n - sorted) * sizeof *a);
    }
    merge_runs(a, 0, sorted, n, b);
    memcpy(a, b, (size_t)n * sizeof *a);
}

pl_status pl_blocks_remember(pl_blocks *b)
{
    int64_t n = b->problem.n_constraint, used = 0;
    PL_TRY(pl_reserve((void **)&b->memory, &b->memory_capacity, n, sizeof *b->memory));
    PL_TRY(pl_reserve((void **)&b->scratch, &b->scratch_capacity, n, sizeof *b->scratch));
    for (int64_t i = 0; i < n; i++) {
        const double *f = b->f + 3 * i;
        if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
        pl_remembered *m = &b->memory[used++];
        m->id = b->id[i];
        m->found = b->found[i];
        pl_blocks_impulse(b, (int32_t)i, m->force);
        for (int k = 0; k < 3; k++) m->force[k] /= b->problem.dt;
    }
    sort_memory(b->memory, b->scratch, used);
    b->n_memory = merge_blocks(b->memory, used);
    return PL_OK;
}

pl_status pl_blocks_save(pl_blocks *b)
{
    PL_TRY(pl_reserve((void **)&b->saved, &b->saved_capacity, b->n_memory, sizeof *b->saved));
    if (b->n_memory > 0) memcpy(b->saved, b->memory, (size_t)b->n_memory * sizeof *b->saved);
    b->n_saved = b->n_memory;
    return PL_OK;
}

void pl_blocks_go_back(pl_blocks *b)
{
    if (b->n_saved > 0) memcpy(b->memory, b->saved, (size_t)b->n_saved * sizeof *b->saved);
    b->n_memory = b->n_saved;
}
