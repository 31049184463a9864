// `newton`, set by set: sets of blocks that nothing joins (split.h) are problems of their own, each
// with its own faces to find, so that a hard one costs what it costs and the others what they do.
// Small ones run in parallel; a large one has the threads for itself. Each starts from the same
// numbers and is solved by one thread or by kernels that do not depend on their number, so that
// bits do not, either.

#include "newton.h"
#include "vectors.h"
#include "../base/team.h"

#include <math.h>
#include <string.h>

// Sets with as many constraints or blocks are solved one after the other.
enum { LARGE_CONSTRAINTS = 512, LARGE_BLOCKS = 2048 };

// Residuals of sets are relative to their own impulses; so small, all together are within what is
// allowed for the whole, of which max(|b|, |L^T f|) may be less than what these are relative to, by
// a factor of the root of 2.
static const double SHARE = 0.7;

typedef struct solving {
    const pl_newton_sets *sets;
    pl_solver_options options; // of a set
    pl_workspace *ws;
    double *v, *f;         // of the whole, as they become
    int32_t *place;        // (n_slot*A.n) -1
    int32_t *todo;         // (n_todo) the small sets
    pl_status *status;     // (split.n)
    pl_solve_stats *stats; // (split.n)
} solving;

static bool is_large(const pl_split *split, int32_t set)
{
    return split->first[set + 1] - split->first[set] >= LARGE_CONSTRAINTS ||
           split->start[set + 1] - split->start[set] >= LARGE_BLOCKS;
}

// Blocks that stand alone: v := A^-1 b.
static bool solve_free(const solving *s, int32_t set)
{
    const pl_split *split = s->sets->split;
    const pl_problem *problem = split->problem;
    if (split->first[set + 1] > split->first[set]) return false;
    for (int32_t i = split->start[set]; i < split->start[set + 1]; i++) {
        int32_t block = split->block[i];
        if (problem->A->row[block + 1] - problem->A->row[block] > 1) return false;
    }
    for (int32_t i = split->start[set]; i < split->start[set + 1]; i++) {
        int64_t block = split->block[i];
        const double *D = s->ws->D.inv + 6 * block, *b = problem->b + 3 * block;
        double *v = s->v + 3 * block;
        v[0] = (D[0] * b[0] + D[1] * b[1]) + D[2] * b[2];
        v[1] = (D[1] * b[0] + D[3] * b[1]) + D[4] * b[2];
        v[2] = (D[2] * b[0] + D[4] * b[1]) + D[5] * b[2];
    }
    return true;
}

// With what stands in v and f; then from those given.
static pl_status solve_with(const solving *s, const pl_problem *problem, pl_workspace *ws,
                            double *v, double *f, const pl_part *part, pl_solve_stats *stats)
{
    pl_newton n;
    PL_TRY(pl_newton_create(problem, &s->options, ws, v, f, &n));
    stats->end = PL_SOLVE_CONVERGED;
    if (pl_newton_is_solved(&n, stats)) return PL_OK;
    if (s->sets->v != NULL) {
        if (part != NULL) pl_part_gather(part, s->sets->v, s->sets->f);
        if (part == NULL) pl_vec_copy(n.n, s->sets->v, v);
        if (part == NULL) pl_vec_copy(n.m, s->sets->f, f);
        if (pl_newton_is_solved(&n, stats)) return PL_OK;
    }
    stats->end = PL_SOLVE_STALLED;
    PL_TRY(pl_newton_analyze(&n));
    if (pl_newton_work(&n) > s->sets->most_work) return PL_OK;
    PL_TRY(pl_newton_take(&n));
    stats->end = pl_newton_run(&n, stats);
    return PL_OK;
}

static pl_status solve_part(const solving *s, int32_t set, pl_solve_stats *stats)
{
    int32_t slot = pl_thread_slot();
    pl_workspace *ws = s->ws->slot + slot;
    pl_part part;
    int32_t *place = s->place + (int64_t)slot * s->sets->split->problem->A->n;
    pl_status status = pl_part_create(s->sets->split, 1, &set, place, &ws->arena, &part);
    if (status != PL_OK) {
        memset(place, -1, (size_t)s->sets->split->problem->A->n * sizeof *place);
        return status;
    }
    pl_part_gather(&part, s->v, s->f);
    ws->curvature = 0;
    PL_TRY(pl_workspace_prepare(&part.problem, ws, part.v));
    PL_TRY(solve_with(s, &part.problem, ws, part.v, part.f, &part, stats));
    pl_part_scatter(&part, s->v, s->f);
    return PL_OK;
}

static void solve_set(const solving *s, int32_t set)
{
    pl_arena *arena = &s->ws->slot[pl_thread_slot()].arena;
    pl_arena_mark mark = pl_arena_here(arena);
    s->stats[set] = (pl_solve_stats){.end = PL_SOLVE_CONVERGED};
    s->status[set] = PL_OK;
    if (solve_free(s, set)) return;
    s->status[set] = solve_part(s, set, s->stats + set);
    if (s->status[set] == PL_ERROR_NUMERICS) { // a block of A is not positive definite
        s->stats[set].end = PL_SOLVE_BREAKDOWN;
        s->status[set] = PL_OK;
    }
    pl_arena_back(arena, mark);
}

static void solve_small(void *context, int64_t first, int64_t last)
{
    const solving *s = context;
    for (int64_t i = first; i < last; i++) solve_set(s, s->todo[i]);
}

// --- All of them ---

static pl_status take(solving *s)
{
    const pl_split *split = s->sets->split;
    pl_arena *arena = &s->ws->arena;
    int64_t n = split->problem->A->n;
    PL_TRY(pl_workspace_open_slots(s->ws));
    s->v = pl_arena_take(arena, 3 * n, sizeof *s->v);
    s->f = pl_arena_take(arena, 3 * (int64_t)split->problem->n_constraint, sizeof *s->f);
    s->place = pl_arena_take(arena, s->ws->n_slot * n, sizeof *s->place);
    s->todo = pl_arena_take(arena, split->n, sizeof *s->todo);
    s->status = pl_arena_take(arena, split->n, sizeof *s->status);
    s->stats = pl_arena_take(arena, split->n, sizeof *s->stats);
    bool all = s->v != NULL && s->f != NULL && s->place != NULL && s->todo != NULL &&
               s->status != NULL && s->stats != NULL;
    if (all) memset(s->place, -1, (size_t)(s->ws->n_slot * n) * sizeof *s->place);
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static int severity(pl_solve_end end)
{
    static const int of[] = {
        [PL_SOLVE_CONVERGED] = 0, [PL_SOLVE_LOOSE] = 1, [PL_SOLVE_CONTRADICTING] = 2,
        [PL_SOLVE_STALLED] = 3,   [PL_SOLVE_SIZE] = 3,  [PL_SOLVE_BREAKDOWN] = 4,
        [PL_SOLVE_LIMIT] = 5,     [PL_SOLVE_TIME] = 6,  [PL_SOLVE_IMPOSSIBLE] = 6};
    return of[end];
}

pl_solve_end pl_worse_end(pl_solve_end a, pl_solve_end b)
{
    return severity(b) > severity(a) ? b : a;
}

// *all takes up what a set took.
static void add_stats(const pl_solve_stats *one, pl_solve_stats *all)
{
    all->end = pl_worse_end(all->end, one->end);
    all->iterations = PL_MAX(all->iterations, one->iterations);
    all->products = PL_MAX(all->products, one->products);
    all->factorizations = PL_MAX(all->factorizations, one->factorizations);
}

static bool is_chosen(const pl_newton_sets *sets, int32_t i)
{
    return sets->chosen == NULL || sets->chosen[i] != 0;
}

static pl_status solve_chosen(solving *s, double *v, double *f, pl_solve_stats *stats)
{
    const pl_split *split = s->sets->split;
    int64_t n = 3 * (int64_t)split->problem->A->n, m = 3 * (int64_t)split->problem->n_constraint;
    int32_t n_todo = 0;
    PL_TRY(take(s));
    pl_vec_copy(n, v, s->v);
    pl_vec_copy(m, f, s->f);
    for (int32_t i = 0; i < split->n; i++) {
        if (!is_chosen(s->sets, i)) continue;
        if (is_large(split, i)) solve_set(s, i);
        if (!is_large(split, i)) s->todo[n_todo++] = i;
    }
    pl_loop(n_todo, 1, solve_small, s);
    pl_solve_stats all = {.end = PL_SOLVE_CONVERGED};
    for (int32_t i = 0; i < split->n; i++) {
        if (!is_chosen(s->sets, i)) continue;
        PL_TRY(s->status[i]);
        add_stats(s->stats + i, &all);
        if (s->sets->end != NULL) s->sets->end[i] = s->stats[i].end;
    }
    pl_vec_copy(n, s->v, v);
    pl_vec_copy(m, s->f, f);
    stats->end = all.end;
    stats->iterations += all.iterations;
    stats->products += all.products;
    stats->factorizations += all.factorizations;
    return PL_OK;
}

pl_status pl_newton_solve_sets(const pl_newton_sets *sets, const pl_solver_options *options,
                               pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    solving s = {.sets = sets, .options = *options, .ws = ws};
    if (sets->split->n == 1 && is_chosen(sets, 0)) {
        PL_TRY(solve_with(&s, sets->split->problem, ws, v, f, NULL, stats));
        if (sets->end != NULL) sets->end[0] = stats->end;
    } else {
        s.options.residual_tolerance *= SHARE;
        s.options.max_iterations = PL_MAX(options->max_iterations - stats->iterations, 0);
        PL_TRY(solve_chosen(&s, v, f, stats));
    }
    pl_arena_back(&ws->arena, mark);
    return PL_OK;
}
