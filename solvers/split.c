#include "split.h"

#include <stdlib.h>
#include <string.h>

// --- Sets ---

static int32_t find_root(int32_t *parent, int32_t k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

// The root of a tree is its first block.
static void unite(int32_t *parent, int32_t a, int32_t b)
{
    a = find_root(parent, a), b = find_root(parent, b);
    parent[PL_MAX(a, b)] = PL_MIN(a, b);
}

static void join_blocks(const pl_problem *problem, int32_t *parent)
{
    const pl_bsr *A = problem->A;
    for (int32_t i = 0; i < A->n; i++) parent[i] = i;
    for (int32_t i = 0; i < A->n; i++) {
        if (pl_is_prescribed(problem, i)) continue;
        for (int64_t k = A->row[i]; k < A->row[i + 1] && A->col[k] < i; k++) {
            if (!pl_is_prescribed(problem, A->col[k])) unite(parent, A->col[k], i);
        }
    }
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        int32_t before = -1;
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            int32_t block = problem->entry[t].block;
            if (pl_is_prescribed(problem, block)) continue;
            if (before >= 0) unite(parent, before, block);
            before = block;
        }
    }
}

// The set of a constraint; -1 if all its blocks are prescribed.
static int32_t set_of(const pl_split *split, int32_t k)
{
    const pl_constraint *constraint = split->problem->constraint + k;
    for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
        int32_t set = split->of[split->problem->entry[t].block];
        if (set >= 0) return set;
    }
    return -1;
}

// Lists what is in each set, in order: start (n + 1), list; `next` (n) is scratch.
static void list_blocks(const pl_split *split, int32_t *next)
{
    memset(split->start, 0, ((size_t)split->n + 1) * sizeof *split->start);
    for (int32_t i = 0; i < split->problem->A->n; i++) {
        if (split->of[i] >= 0) split->start[split->of[i] + 1]++;
    }
    for (int32_t s = 0; s < split->n; s++) {
        next[s] = split->start[s];
        split->start[s + 1] += split->start[s];
    }
    for (int32_t i = 0; i < split->problem->A->n; i++) {
        if (split->of[i] >= 0) split->block[next[split->of[i]]++] = i;
    }
}

static void list_constraints(const pl_split *split, int32_t *next)
{
    memset(split->first, 0, ((size_t)split->n + 1) * sizeof *split->first);
    for (int32_t k = 0; k < split->problem->n_constraint; k++) {
        int32_t set = set_of(split, k);
        if (set >= 0) split->first[set + 1]++;
    }
    for (int32_t s = 0; s < split->n; s++) {
        next[s] = split->first[s];
        split->first[s + 1] += split->first[s];
    }
    for (int32_t k = 0; k < split->problem->n_constraint; k++) {
        int32_t set = set_of(split, k);
        if (set >= 0) split->constraint[next[set]++] = k;
    }
}

pl_status pl_split_create(const pl_problem *problem, pl_arena *arena, pl_split *out)
{
    int64_t n = problem->A->n;
    *out = (pl_split){.problem = problem};
    int32_t *parent = pl_arena_take(arena, n, sizeof *parent);
    int32_t **of_n[] = {&out->of, &out->block};
    int32_t **more[] = {&out->start, &out->first};
    for (int i = 0; i < 2; i++) {
        *of_n[i] = pl_arena_take(arena, n, sizeof **of_n[i]);
        *more[i] = pl_arena_take(arena, n + 1, sizeof **more[i]);
        if (*of_n[i] == NULL || *more[i] == NULL) return PL_ERROR_MEMORY;
    }
    out->constraint = pl_arena_take(arena, problem->n_constraint, sizeof *out->constraint);
    if (parent == NULL || out->constraint == NULL) return PL_ERROR_MEMORY;
    join_blocks(problem, parent);
    for (int32_t i = 0; i < n; i++) {
        int32_t root = find_root(parent, i);
        out->of[i] = pl_is_prescribed(problem, i) ? -1 : root == i ? out->n++ : out->of[root];
    }
    list_blocks(out, parent);
    list_constraints(out, parent);
    return PL_OK;
}

// --- A part ---

typedef struct parting {
    const pl_split *split;
    const pl_problem *whole;
    int32_t *place; // (A.n of the whole) in the part; -1
    pl_arena *arena;
    pl_part *out;
    int64_t n_entry, n_arm, n_limits;
} parting;

// Marks a block, and those that are prescribed beside it in A.
static void mark_block(parting *p, int32_t i, int32_t *n)
{
    const pl_bsr *A = p->whole->A;
    p->place[i] = 0;
    ++*n;
    for (int64_t k = A->row[i]; k < A->row[i + 1] && p->whole->prescribed != NULL; k++) {
        int32_t j = A->col[k];
        if (p->place[j] >= 0 || !pl_is_prescribed(p->whole, j)) continue;
        p->place[j] = 0;
        ++*n;
    }
}

// Finds the blocks and the sizes of all else.
static pl_status find_blocks(parting *p, int32_t n_set, const int32_t *set)
{
    const pl_split *split = p->split;
    pl_part *out = p->out;
    int32_t n = 0, n_constraint = 0, at = 0;
    for (int32_t s = 0; s < n_set; s++) {
        for (int32_t i = split->start[set[s]]; i < split->start[set[s] + 1]; i++) {
            mark_block(p, split->block[i], &n);
        }
        n_constraint += split->first[set[s] + 1] - split->first[set[s]];
    }
    out->constraint = pl_arena_take(p->arena, n_constraint, sizeof *out->constraint);
    if (out->constraint == NULL) return PL_ERROR_MEMORY;
    for (int32_t s = 0; s < n_set; s++) {
        for (int32_t i = split->first[set[s]]; i < split->first[set[s] + 1]; i++) {
            out->constraint[at++] = split->constraint[i];
        }
    }
    for (int32_t k = 0; k < n_constraint; k++) {
        const pl_constraint *constraint = p->whole->constraint + out->constraint[k];
        p->n_entry += constraint->count;
        p->n_limits += constraint->limits >= 0;
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            const pl_entry *entry = p->whole->entry + t;
            p->n_arm += entry->arm >= 0;
            if (p->place[entry->block] >= 0) continue;
            p->place[entry->block] = 0;
            n++;
        }
    }
    out->A.n = n;
    out->problem.n_constraint = n_constraint;
    return PL_OK;
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Lists the marked blocks in order: of one set, by sorting them, so that many small parts do not
// take a pass over the whole each.
static pl_status list_part(parting *p, int32_t n_set, const int32_t *set)
{
    pl_part *out = p->out;
    int32_t at = 0;
    out->block = pl_arena_take(p->arena, out->A.n, sizeof *out->block);
    if (out->block == NULL) return PL_ERROR_MEMORY;
    const pl_split *split = p->split;
    const pl_bsr *A = p->whole->A;
    for (int32_t s = 0; s < n_set; s++) {
        for (int32_t i = split->start[set[s]]; i < split->start[set[s] + 1]; i++) {
            int32_t block = split->block[i];
            if (p->place[block] == 0) out->block[at++] = block, p->place[block] = 1;
            for (int64_t k = A->row[block]; k < A->row[block + 1]; k++) {
                int32_t j = A->col[k];
                if (p->place[j] == 0 && pl_is_prescribed(p->whole, j)) {
                    out->block[at++] = j, p->place[j] = 1;
                }
            }
        }
    }
    for (int32_t k = 0; k < out->problem.n_constraint; k++) {
        const pl_constraint *constraint = p->whole->constraint + out->constraint[k];
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            int32_t j = p->whole->entry[t].block;
            if (p->place[j] == 0) out->block[at++] = j, p->place[j] = 1;
        }
    }
    PL_ASSERT(at == out->A.n);
    bool sorted = true;
    for (int32_t i = 1; i < at && sorted; i++) sorted = out->block[i - 1] < out->block[i];
    if (!sorted) qsort(out->block, (size_t)at, sizeof *out->block, compare);
    sorted = true;
    for (int32_t i = 1; i < out->problem.n_constraint && sorted; i++) {
        sorted = out->constraint[i - 1] < out->constraint[i];
    }
    if (!sorted) {
        qsort(out->constraint, (size_t)out->problem.n_constraint, sizeof *out->constraint, compare);
    }
    for (int32_t i = 0; i < at; i++) p->place[out->block[i]] = i;
    return PL_OK;
}

// Prescribed rows keep their diagonal block only.
static pl_status copy_matrix(parting *p)
{
    const pl_bsr *from = p->whole->A;
    pl_bsr *A = &p->out->A;
    A->row = pl_arena_take(p->arena, (int64_t)A->n + 1, sizeof *A->row);
    A->diag = pl_arena_take(p->arena, A->n, sizeof *A->diag);
    if (A->row == NULL || A->diag == NULL) return PL_ERROR_MEMORY;
    A->row[0] = 0;
    for (int32_t i = 0; i < A->n; i++) {
        int32_t block = p->out->block[i];
        bool prescribed = pl_is_prescribed(p->whole, block);
        int64_t count = prescribed ? 1 : from->row[block + 1] - from->row[block];
        A->row[i + 1] = A->row[i] + count;
    }
    A->nnz = A->row[A->n];
    A->col = pl_arena_take(p->arena, A->nnz, sizeof *A->col);
    A->val = pl_arena_take(p->arena, 9 * (A->nnz + 1), sizeof *A->val);
    if (A->col == NULL || A->val == NULL) return PL_ERROR_MEMORY;
    memset(A->val + 9 * A->nnz, 0, 9 * sizeof *A->val);
    for (int32_t i = 0; i < A->n; i++) {
        int32_t block = p->out->block[i];
        bool prescribed = pl_is_prescribed(p->whole, block);
        int64_t to = A->row[i], k = prescribed ? from->diag[block] : from->row[block];
        for (int64_t end = k + A->row[i + 1] - A->row[i]; k < end; k++, to++) {
            A->col[to] = p->place[from->col[k]];
            if (A->col[to] == i) A->diag[i] = to;
            memcpy(A->val + 9 * to, from->val + 9 * k, 9 * sizeof *A->val);
        }
    }
    pl_bsr_set_parts(A);
    return PL_OK;
}

static pl_status copy_vectors(parting *p)
{
    pl_part *out = p->out;
    int64_t n = out->A.n;
    double **of_n[] = {&out->b, &out->v, &out->x};
    for (int i = 0; i < 3; i++) {
        *of_n[i] = pl_arena_take(p->arena, 3 * n, sizeof(double));
        if (*of_n[i] == NULL) return PL_ERROR_MEMORY;
    }
    out->f = pl_arena_take(p->arena, 3 * (int64_t)out->problem.n_constraint, sizeof(double));
    out->prescribed = pl_arena_take(p->arena, n, sizeof *out->prescribed);
    if (out->f == NULL || out->prescribed == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        int64_t block = out->block[i];
        memcpy(out->b + 3 * i, p->whole->b + 3 * block, 3 * sizeof *out->b);
        out->prescribed[i] = pl_is_prescribed(p->whole, block);
        if (block >= p->whole->n_x) continue;
        memcpy(out->x + 3 * i, p->whole->x + 3 * block, 3 * sizeof *out->x);
        out->problem.n_x++;
    }
    return PL_OK;
}

static pl_status copy_constraints(parting *p)
{
    pl_problem *to = &p->out->problem;
    const pl_problem *from = p->whole;
    to->constraint = pl_arena_take(p->arena, to->n_constraint, sizeof *to->constraint);
    to->entry = pl_arena_take(p->arena, p->n_entry, sizeof *to->entry);
    to->arm = pl_arena_take(p->arena, 3 * p->n_arm, sizeof *to->arm);
    if (from->stretch != NULL) {
        to->stretch = pl_arena_take(p->arena, 6 * p->n_arm, sizeof *to->stretch);
        if (to->stretch == NULL) return PL_ERROR_MEMORY;
    }
    to->limits = pl_arena_take(p->arena, p->n_limits, sizeof *to->limits);
    bool all = to->constraint != NULL && to->entry != NULL && to->arm != NULL && to->limits != NULL;
    if (!all) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < to->n_constraint; k++) {
        pl_constraint *constraint = to->constraint + k;
        *constraint = from->constraint[p->out->constraint[k]];
        const pl_entry *entry = from->entry + constraint->first;
        if (constraint->limits >= 0) {
            to->limits[to->n_limits] = from->limits[constraint->limits];
            constraint->limits = to->n_limits++;
        }
        constraint->first = to->n_term;
        for (int32_t t = 0; t < constraint->count; t++, to->n_term++) {
            pl_entry *own = to->entry + to->n_term;
            *own = entry[t];
            own->block = p->place[own->block];
            if (own->arm < 0) continue;
            memcpy(to->arm + 3 * (int64_t)to->n_arm, from->arm + 3 * (int64_t)own->arm,
                   3 * sizeof *to->arm);
            if (from->stretch != NULL) {
                memcpy(to->stretch + 6 * (int64_t)to->n_arm, from->stretch + 6 * (int64_t)own->arm,
                       6 * sizeof *to->stretch);
            }
            own->arm = to->n_arm++;
        }
    }
    return PL_OK;
}

static pl_status copy(parting *p, int32_t n_set, const int32_t *set)
{
    PL_TRY(list_part(p, n_set, set));
    PL_TRY(copy_matrix(p));
    PL_TRY(copy_vectors(p));
    return copy_constraints(p);
}

pl_status pl_part_create(const pl_split *split, int32_t n_set, const int32_t *set, int32_t *place,
                         pl_arena *arena, pl_part *out)
{
    *out = (pl_part){0};
    parting p = {split, split->problem, place, arena, out, 0, 0, 0};
    pl_status status = find_blocks(&p, n_set, set);
    if (status == PL_OK) status = copy(&p, n_set, set);
    for (int32_t i = 0; i < out->A.n && out->block != NULL; i++) place[out->block[i]] = -1;
    PL_TRY(status);
    out->problem.A = &out->A;
    out->problem.b = out->b;
    out->problem.prescribed = split->problem->prescribed != NULL ? out->prescribed : NULL;
    out->problem.dt = split->problem->dt;
    out->problem.x = split->problem->x != NULL ? out->x : NULL;
    return PL_OK;
}

void pl_part_gather(const pl_part *part, const double *v, const double *f)
{
    for (int64_t i = 0; i < part->A.n; i++) {
        memcpy(part->v + 3 * i, v + 3 * (int64_t)part->block[i], 3 * sizeof *v);
    }
    for (int64_t k = 0; k < part->problem.n_constraint; k++) {
        memcpy(part->f + 3 * k, f + 3 * (int64_t)part->constraint[k], 3 * sizeof *f);
    }
}

void pl_part_scatter(const pl_part *part, double *v, double *f)
{
    for (int64_t i = 0; i < part->A.n; i++) {
        if (part->prescribed[i]) continue;
        memcpy(v + 3 * (int64_t)part->block[i], part->v + 3 * i, 3 * sizeof *v);
    }
    for (int64_t k = 0; k < part->problem.n_constraint; k++) {
        memcpy(f + 3 * (int64_t)part->constraint[k], part->f + 3 * k, 3 * sizeof *f);
    }
}
