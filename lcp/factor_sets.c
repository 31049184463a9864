#include "factor_sets.h"
#include "rcm.h"

#include <string.h>

// --- Memory and order ---

static pl_status take(pl_factor_sets *f, pl_arena *arena)
{
    int32_t n = f->lcp->n;
    int32_t **const integers[] = {&f->order,         &f->place, &f->place_some[0],
                                  &f->place_some[1], &f->root,  &f->list};
    double **const numbers[] = {&f->path, &f->shift, &f->x};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        *integers[i] = pl_arena_take(arena, n, sizeof **integers[i]);
        if (*integers[i] == NULL) return PL_ERROR_MEMORY;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = pl_arena_take(arena, n, sizeof **numbers[i]);
        if (*numbers[i] == NULL) return PL_ERROR_MEMORY;
    }
    f->tight = pl_arena_take(arena, n, sizeof *f->tight);
    f->before = pl_arena_take(arena, (int64_t)n + 1, sizeof *f->before);
    if (f->tight == NULL || f->before == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_skyline_take(&f->some[0], n, arena));
    PL_TRY(pl_skyline_take(&f->some[1], n, arena));
    return pl_skyline_take(&f->all, n, arena);
}

// The skyline of the rows whose state is free (all, if NULL), in f->order.
static void find_skyline(pl_factor_sets *f, const uint8_t *state, pl_skyline *s, int32_t *place)
{
    s->n = 0;
    for (int32_t k = 0; k < f->lcp->n; k++) {
        int32_t row = f->order[k];
        bool in = state == NULL || state[row] == PL_LCP_FREE;
        place[row] = in ? s->n : -1;
        if (in) s->row[s->n++] = row;
    }
    if (f->narrow) {
        pl_skyline_find(s, f->lcp, place, f->root);
    } else {
        pl_skyline_fill(s);
    }
}

pl_status pl_factor_sets_make(pl_factor_sets *f, const pl_lcp *lcp, pl_factor_way way, bool narrow,
                              int64_t cache_bytes, pl_arena *arena, pl_lcp_end *end)
{
    *f = (pl_factor_sets){.lcp = lcp, .way = way, .narrow = narrow};
    PL_TRY(take(f, arena));
    for (int32_t i = 0; i < lcp->n; i++) f->order[i] = i;
    if (narrow) PL_TRY(pl_rcm(lcp->n, lcp->col, lcp->row, arena, f->order));
    find_skyline(f, NULL, &f->all, f->place);
    if (2 * f->all.col[lcp->n] * (int64_t)sizeof *f->work.val > PL_DENSE_MOST) {
        *end = PL_LCP_SIZE;
        return PL_OK;
    }
    pl_skyline_path_cost(&f->all, PL_REMOVAL_COST, PL_STEP_COST, f->path);
    memset(f->shift, 0, (size_t)lcp->n * sizeof *f->shift);
    PL_TRY(pl_factor_take(&f->work, &f->all, arena));
    if (way != PL_FACTOR_ANEW) PL_TRY(pl_factor_take(&f->base, &f->all, arena));
    if (way != PL_FACTOR_CACHE) return PL_OK;
    return pl_factor_cache_make(&f->cache, &f->all, f->path, cache_bytes, arena);
}

// --- The ways to a factor ---

static void make_base(pl_factor_sets *f)
{
    f->made++;
    f->read += (double)f->lcp->col[f->lcp->n];
    f->has_base = pl_factor_make(&f->base, f->lcp, f->shift, &f->all, f->place);
    f->failed = !f->has_base;
}

// `work` := a factor of M_FF, whose skyline is some[which].
static bool make_anew(pl_factor_sets *f, int32_t which)
{
    f->made++;
    f->read += (double)f->lcp->col[f->lcp->n];
    f->current = which;
    f->has_work = pl_factor_make(&f->work, f->lcp, f->shift, &f->some[which], f->place_some[which]);
    return f->has_work;
}

// The place of a row of M in `work`, -1 if it is not there.
static int32_t place_in_work(const pl_factor_sets *f, int32_t row)
{
    int32_t at = f->work.skyline == &f->all ? f->place[row] : f->place_some[f->current][row];
    return at >= 0 && f->work.removed[at] == 0 ? at : -1;
}

// Removes from `work` what is tight, in ascending order; row by row if each factor is to be kept.
static void remove_tight(pl_factor_sets *f, const pl_lcp_sets *sets)
{
    int32_t n = 0;
    for (int32_t k = 0; k < f->lcp->n; k++) {
        int32_t row = f->order[k], at;
        if (sets->state[row] == PL_LCP_FREE || (at = place_in_work(f, row)) < 0) continue;
        f->taken++;
        f->root[n++] = at;
        if (f->way != PL_FACTOR_CACHE) continue;
        pl_factor_remove(&f->work, 1, &at);
        pl_factor_cache_store(&f->cache, &f->work);
    }
    if (f->way != PL_FACTOR_CACHE && n > 0) pl_factor_remove(&f->work, n, f->root);
}

static void copy_base(pl_factor_sets *f)
{
    pl_factor_copy(&f->work, &f->base);
    f->has_work = true;
}

static void write_tight(pl_factor_sets *f, const pl_lcp_sets *sets)
{
    for (int32_t i = 0; i < f->lcp->n; i++) f->tight[f->place[i]] = sets->state[i] != PL_LCP_FREE;
}

// --- The cheapest way ---

// Of removing from a factor with skyline `s`, of which the rows in `removed` (NULL: none) have gone
// before, what is tight. Each column that stays takes up one more of every row that is removed
// above it in the tree, PL_FACTOR_BATCH of them in a step; infinite if a free row has gone.
static double cost_of_removing(const pl_factor_sets *f, const pl_skyline *s, const uint8_t *removed,
                               const pl_lcp_sets *sets)
{
    int32_t *n_row = f->root; // that come to a column
    double sum = 0;
    memset(n_row, 0, (size_t)s->n * sizeof *n_row);
    for (int32_t k = 0; k < s->n; k++) {
        bool tight = sets->state[s->row[k]] != PL_LCP_FREE,
             gone = removed != NULL && removed[k] != 0;
        if (!tight && gone) return INFINITY;
        if (!tight && n_row[k] > 0) {
            int32_t steps = (n_row[k] + PL_FACTOR_BATCH - 1) / PL_FACTOR_BATCH;
            sum += PL_REMOVAL_COST * 4 * n_row[k] * (s->last[k] - k + 1) + PL_STEP_COST * steps;
        }
        if (s->parent[k] >= 0) n_row[s->parent[k]] += n_row[k] + (tight && !gone);
    }
    return sum;
}

// From `work` as it is; infinite where a free row is not in it any more.
static double cost_of_going_on(const pl_factor_sets *f, const pl_lcp_sets *sets)
{
    if (!f->has_work) return INFINITY;
    for (int32_t i = 0; i < f->lcp->n; i++) {
        if (sets->state[i] == PL_LCP_FREE && place_in_work(f, i) < 0) return INFINITY;
    }
    return cost_of_removing(f, f->work.skyline, f->work.removed, sets);
}

static double cost_from_base(const pl_factor_sets *f, const pl_lcp_sets *sets)
{
    double copy = PL_COPY_COST * (double)f->all.col[f->all.n];
    return cost_of_removing(f, &f->all, NULL, sets) + copy;
}

// Of a new factor: within the skyline of all rows, of whose columns only the free rows are left. It
// may be narrower, but to know that takes as long as reading M.
static double cost_anew(const pl_factor_sets *f, const pl_lcp_sets *sets)
{
    int32_t n = f->all.n;
    double sum = 0;
    f->before[0] = 0; // free rows before each place
    for (int32_t k = 0; k < n; k++) {
        f->before[k + 1] = f->before[k] + (sets->state[f->order[k]] == PL_LCP_FREE);
    }
    for (int32_t k = 0; k < n; k++) {
        if (f->before[k + 1] == f->before[k]) continue;
        double below = f->before[f->all.last[k] + 1] - f->before[k + 1];
        sum += 0.5 * below * (below + 3);
    }
    return sum + PL_ENTRY_COST * (double)f->lcp->col[n];
}

// Where the first set is not all rows, nobody knows whether their factor will pay. It is made when
// it would have saved as much as it costs [the rule of the rented skis]: the cost is then never
// more than twice that of the better way.
static bool choose(pl_factor_sets *f, const pl_lcp_sets *sets)
{
    double going_on = cost_of_going_on(f, sets), from_base = cost_from_base(f, sets);
    double anew = cost_anew(f, sets), least = PL_MIN(going_on, anew);
    if (!f->has_base && !f->failed) {
        f->regret += PL_MAX(least - from_base, 0);
        double whole = pl_skyline_factor_work(&f->all);
        whole += PL_ENTRY_COST * (double)f->lcp->col[f->lcp->n];
        if (f->regret >= whole || sets->n_free == f->lcp->n) make_base(f);
    }
    if (f->has_base && sets->n_free == f->lcp->n) {
        f->now = &f->base;
        return true;
    }
    if (f->has_base && from_base < least) {
        copy_base(f);
    } else if (anew < going_on) {
        int32_t other = f->has_work && f->work.skyline != &f->all ? 1 - f->current : 0;
        find_skyline(f, sets->state, &f->some[other], f->place_some[other]);
        if (!make_anew(f, other)) return false;
        return true;
    } else {
        f->kept++;
    }
    remove_tight(f, sets);
    return true;
}

// --- All ways ---

// Another diagonal is another matrix.
static void take_shift(pl_factor_sets *f, const double *shift)
{
    bool same = true;
    for (int32_t i = 0; i < f->lcp->n; i++) {
        double is = shift != NULL ? shift[i] : 0;
        same = same && f->shift[i] == is;
        f->shift[i] = is;
    }
    if (same) return;
    f->has_base = f->has_work = f->failed = false;
    if (f->way == PL_FACTOR_CACHE) pl_factor_cache_clear(&f->cache);
}

bool pl_factor_sets_factor(pl_factor_sets *f, const pl_lcp_sets *sets, const double *shift)
{
    take_shift(f, shift);
    f->n_free = sets->n_free;
    f->now = &f->work;
    memcpy(f->list, sets->list, (size_t)sets->n_free * sizeof *f->list);
    if (f->way == PL_FACTOR_CHOOSE) return choose(f, sets);
    if (f->way != PL_FACTOR_ANEW && !f->has_base && !f->failed) make_base(f);
    if (!f->has_base) { // M_FF may be positive definite where M is not
        find_skyline(f, sets->state, &f->some[0], f->place_some[0]);
        return make_anew(f, 0);
    }
    if (f->way == PL_FACTOR_CACHE) write_tight(f, sets);
    if (f->way == PL_FACTOR_REMOVE || !pl_factor_cache_find(&f->cache, f->tight, &f->work)) {
        copy_base(f);
    }
    remove_tight(f, sets);
    return true;
}

void pl_factor_sets_solve(pl_factor_sets *f, double *b)
{
    for (int32_t i = 0; i < f->n_free; i++) f->x[f->list[i]] = b[i];
    pl_factor_solve(f->now, f->x);
    for (int32_t i = 0; i < f->n_free; i++) b[i] = f->x[f->list[i]];
}

double pl_factor_sets_cost(const pl_factor_sets *f)
{
    const pl_factor *L[2] = {&f->base, &f->work};
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        sum += L[i]->factored + PL_COPY_COST * L[i]->copied;
        sum += PL_REMOVAL_COST * L[i]->rotated + PL_STEP_COST * L[i]->steps;
    }
    return sum + PL_ENTRY_COST * f->read;
}
