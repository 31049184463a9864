#include "pdasm.h"

#include <string.h>

pl_pdasm_options pl_pdasm_options_of(const pl_lcp_options *options, bool schurpa)
{
    return (pl_pdasm_options){.max_solves = schurpa ? options->max_solves : 0,
                              .column_bytes = options->cache_bytes,
                              .tolerance = options->tolerance,
                              .pivot_tolerance =
                                  fmin(options->pivot_tolerance, 0.5 * options->tolerance),
                              .max_iterations = options->max_iterations,
                              .max_seconds = options->max_seconds,
                              .started = pl_seconds()};
}

static void find_diagonal(const pl_lcp *lcp, double *diag)
{
    for (int32_t j = 0; j < lcp->n; j++) {
        diag[j] = 0;
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1] && lcp->row[k] <= j; k++) {
            if (lcp->row[k] == j) diag[j] = lcp->val[k];
        }
    }
}

pl_status pl_pdasm_create(const pl_lcp *lcp, const pl_pdasm_options *options, pl_arena *arena,
                          pl_pdasm *out)
{
    int32_t n = lcp->n;
    *out = (pl_pdasm){.lcp = lcp, .options = *options, .arena = arena};
    out->diag = pl_arena_take(arena, n, sizeof *out->diag);
    out->x = pl_arena_take(arena, n, sizeof *out->x);
    out->w = pl_arena_take(arena, n, sizeof *out->w);
    if (out->diag == NULL || out->x == NULL || out->w == NULL) return PL_ERROR_MEMORY;
    find_diagonal(lcp, out->diag);
    PL_TRY(
        pl_schurpa_create(lcp, options->max_solves, options->column_bytes, arena, &out->systems));
    return options->engine != NULL ? pl_saddle_use(&out->systems.K, options->engine) : PL_OK;
}

void pl_pdasm_start(const pl_lcp *lcp, const double *diag, const double *x, const double *w,
                    pl_lcp_sets *sets)
{
    for (int32_t i = 0; i < lcp->n; i++) {
        double at = x[i] - w[i] / pl_lcp_scale(diag[i]);
        bool fixed = lcp->lo[i] == lcp->hi[i];
        sets->state[i] = fixed || at < lcp->lo[i] ? PL_LCP_AT_LO
                         : at > lcp->hi[i]        ? PL_LCP_AT_HI
                                                  : PL_LCP_FREE;
    }
    pl_lcp_sets_index(sets);
}

// --- One system ---

// x and w of the set.
static pl_status solve_system(pl_pdasm *p, const pl_lcp_sets *sets, pl_lcp_end *end)
{
    PL_TRY(pl_schurpa_solve(&p->systems, sets->state, p->x, end));
    if (*end != PL_LCP_N_END) return PL_OK;
    p->stats.iterations++;
    pl_lcp_multiply(p->lcp, p->x, p->w);
    if (!p->options.refine) return p->systems.K.status;
    pl_schurpa_refine(&p->systems, sets->state, p->w, p->x);
    pl_lcp_multiply(p->lcp, p->x, p->w);
    p->stats.refinements++;
    return p->systems.K.status;
}

// Rounding is above the tolerance although the set is right: a factor of that very set may do
// better, and a step of refinement does.
static pl_status polish(pl_pdasm *p, const pl_lcp_sets *sets, pl_lcp_end *end)
{
    if (p->systems.n_column > 0) {
        pl_schurpa_reset(&p->systems);
        PL_TRY(pl_schurpa_solve(&p->systems, sets->state, p->x, end));
        if (*end != PL_LCP_N_END) return PL_OK;
        pl_lcp_multiply(p->lcp, p->x, p->w);
    }
    pl_schurpa_refine(&p->systems, sets->state, p->w, p->x);
    pl_lcp_multiply(p->lcp, p->x, p->w);
    p->stats.refinements++;
    return p->systems.K.status;
}

// --- Judging it ---

typedef struct search {
    double *x, *w;                // of the caller: the best so far, x within bounds
    bool moved;                   // x was not, before: w is to be computed anew
    double least, error;          // of the best, and of the set at hand
    int32_t fewest, wrong, first; // rows that are wrong: in any set so far, in this one; the first
    bool single;
    uint64_t run, sets_run; // salts of the keys of sets that were visited
} search;

// Keeps x of the set if it is better than what there was; is it a solution?
static bool judge(pl_pdasm *p, search *s)
{
    const pl_lcp *lcp = p->lcp;
    s->error = pl_lcp_natural(lcp, p->diag, p->x, p->w);
    if (!(s->error < s->least)) return false;
    s->least = s->error;
    s->moved = false;
    for (int32_t i = 0; i < lcp->n; i++) {
        s->x[i] = pl_lcp_clamp(p->x[i], lcp->lo[i], lcp->hi[i]);
        s->moved = s->moved || s->x[i] != p->x[i];
    }
    if (!s->moved) memcpy(s->w, p->w, (size_t)lcp->n * sizeof *s->w);
    if (!(s->error <= p->options.tolerance)) return false;
    if (s->moved) pl_lcp_multiply(lcp, s->x, s->w);
    s->moved = false;
    return pl_lcp_natural(lcp, p->diag, s->x, s->w) <= p->options.tolerance;
}

static bool was_visited(const pl_pdasm *p, uint64_t key, uint64_t run)
{
    return pl_lcp_visited_has(&p->visited, key + run * 0x9e3779b97f4a7c15u);
}

// The rows that change, all or the first, for the next set; or *end, if there is none.
static pl_status choose_changes(pl_pdasm *p, search *s, const pl_lcp_sets *sets, pl_lcp_end *end)
{
    uint64_t key = pl_lcp_sets_hash(sets);
    if (s->wrong < s->fewest) s->single = false;
    if (!s->single && was_visited(p, key, s->sets_run)) {
        s->single = true;
        s->run = ++p->runs;
    }
    if (s->single && (p->options.no_singles || was_visited(p, key, s->run))) {
        *end = PL_LCP_CYCLING;
        return PL_OK;
    }
    s->fewest = PL_MIN(s->fewest, s->wrong);
    uint64_t run = s->single ? s->run : s->sets_run;
    return pl_lcp_visited_add(p->arena, &p->visited, key + run * 0x9e3779b97f4a7c15u);
}

static void change_set(pl_pdasm *p, const search *s, pl_lcp_sets *sets)
{
    int32_t last = s->single ? s->first : sets->n - 1;
    p->stats.singles += s->single;
    for (int32_t i = s->first; i <= last; i++) {
        pl_lcp_state next =
            pl_lcp_sets_next(p->lcp, p->diag, sets, p->x, p->w, p->options.pivot_tolerance, i);
        p->stats.pivots += next != (pl_lcp_state)sets->state[i];
        sets->state[i] = (uint8_t)next;
    }
    pl_lcp_sets_index(sets);
}

// --- The method ---

// Solves for the set and judges it; *end := PL_LCP_N_END if there is more to do.
static pl_status visit(pl_pdasm *p, search *s, const pl_lcp_sets *sets, int32_t iteration,
                       pl_lcp_end *end)
{
    const pl_pdasm_options *o = &p->options;
    PL_TRY(solve_system(p, sets, end));
    if (*end != PL_LCP_N_END) return PL_OK;
    bool solved = judge(p, s);
    if (o->trace != NULL) o->trace(iteration, sets->state, p->x, s->error, o->trace_user);
    s->wrong =
        pl_lcp_sets_violations(p->lcp, p->diag, sets, p->x, p->w, o->pivot_tolerance, &s->first);
    if (!solved && s->wrong == 0) {
        PL_TRY(polish(p, sets, end));
        if (*end != PL_LCP_N_END) return PL_OK;
        solved = judge(p, s);
        s->wrong = pl_lcp_sets_violations(p->lcp, p->diag, sets, p->x, p->w, o->pivot_tolerance,
                                          &s->first);
    }
    *end = solved ? PL_LCP_SOLVED : s->wrong == 0 ? PL_LCP_STALLED : PL_LCP_N_END;
    return PL_OK;
}

static pl_status iterate(pl_pdasm *p, search *s, pl_lcp_sets *sets, pl_lcp_end *end,
                         int32_t *iterations)
{
    const pl_pdasm_options *o = &p->options;
    for (*iterations = 0;;) {
        bool late = o->max_seconds > 0 && pl_seconds() - o->started > o->max_seconds;
        if (late || *iterations >= o->max_iterations) {
            *end = late ? PL_LCP_TIME : PL_LCP_LIMIT;
            return PL_OK;
        }
        PL_TRY(visit(p, s, sets, (*iterations)++, end));
        if (*end == PL_LCP_N_END) PL_TRY(choose_changes(p, s, sets, end));
        if (*end != PL_LCP_N_END) return PL_OK;
        change_set(p, s, sets);
    }
}

// The parts of the solver count for themselves.
static void gather(pl_pdasm *p)
{
    const pl_saddle *K = &p->systems.K;
    p->stats.factorizations = K->factorizations;
    p->stats.solves = K->solves;
    p->stats.columns = p->systems.columns;
    p->stats.resets = p->systems.resets;
    p->stats.form_seconds = K->form_seconds;
    p->stats.factor_seconds = K->factor_seconds;
    p->stats.solve_seconds = K->solve_seconds;
}

pl_status pl_pdasm_solve(pl_pdasm *p, pl_lcp_sets *sets, double *x, double *w, pl_lcp_end *end,
                         int32_t *iterations)
{
    search s = {.x = x, .w = w, .moved = true, .least = INFINITY, .fewest = p->lcp->n + 1};
    int32_t count;
    s.sets_run = ++p->runs;
    pl_schurpa_set_rhs(&p->systems);
    pl_status status = iterate(p, &s, sets, end, iterations != NULL ? iterations : &count);
    gather(p);
    if (status == PL_OK && s.moved) pl_lcp_multiply(p->lcp, x, w);
    return status;
}

// --- As solvers of the table ---

static void trace(int32_t iteration, const uint8_t *state, const double *x, double error,
                  void *user)
{
    const pl_lcp_options *options = user;
    (void)state, (void)x;
    options->trace(iteration, error, options->trace_user);
}

static pl_status solve(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       bool schurpa, double *x, pl_lcp_stats *stats)
{
    pl_pdasm p;
    pl_lcp_sets sets;
    pl_pdasm_options o = pl_pdasm_options_of(options, schurpa);
    o.started = work->started;
    if (options->trace != NULL) {
        o.trace = trace;
        o.trace_user = (void *)options;
    }
    PL_TRY(pl_pdasm_create(lcp, &o, work->arena, &p));
    PL_TRY(pl_lcp_sets_make(work->arena, lcp->n, &sets));
    pl_lcp_sets_start(lcp, x, &sets);
    PL_TRY(pl_pdasm_solve(&p, &sets, x, work->w, &stats->end, &stats->iterations));
    stats->pivots = p.stats.pivots;
    stats->factorizations = p.stats.factorizations;
    stats->updates = p.stats.columns;
    stats->solves = p.stats.solves;
    stats->fallbacks = p.stats.singles;
    return PL_OK;
}

pl_status pl_lcp_pdasm(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       double *x, pl_lcp_stats *stats)
{
    return solve(lcp, options, work, false, x, stats);
}

pl_status pl_lcp_schurpa(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                         double *x, pl_lcp_stats *stats)
{
    return solve(lcp, options, work, true, x, stats);
}
