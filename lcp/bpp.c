// Principal pivoting: block principal pivoting (Judice & Pires) [Ho22, Alg. 1] and, of one row at a
// time, Murty's least-index method [Ho22, 2.5.2], with any solver of the reduced system (bpp.h),
// and adaptive regularization [Ho22, Alg. 9].
//
// A set that recurs is not taken. Its block pivot is replaced by single ones, of the least index,
// which is also done when the number of rows that violate the rule has not fallen for `patience`
// block pivots (Judice & Pires, in [Lef20, 1.3.2]). Blocks return once that number is below the
// least before, or after a run of single pivots: the first has `patience` of them, each later one
// that brought nothing twice as many. So runs become as long as needed: for a matrix all of whose
// principal minors are positive, single pivots end [Murty 1974], if only after 2^n, and so does
// this. If a set recurs within a run of single pivots the matrix is none such, or too
// ill-conditioned, and the x of the set with the fewest violations is the result.

#include "bpp.h"

#include "linear.h"

#include <string.h>

enum { MAX_REFINEMENTS = 3 };

typedef struct pivoting {
    const pl_bpp_linear *linear;
    void *self;
    const pl_lcp *lcp;
    const pl_lcp_options *options;
    pl_lcp_work *work;
    pl_lcp_stats *stats;
    double *x;
    pl_lcp_sets sets;
    double *b;     // (n) of the reduced system
    double *best;  // (n) x of the set with the fewest violations
    int32_t least; // violations of that set
    pl_lcp_softening softening;
    // Cycles.
    pl_lcp_visited visited; // sets, each with the run it was met in
    uint64_t run;           // 0: block pivots, else the number of a run of single ones
    uint64_t runs;
    int32_t idle;     // block pivots since the number of violations last fell
    int64_t left;     // single pivots of this run
    int64_t next_run; // the length of the next run
} pivoting;

static pl_status take(pivoting *p)
{
    int32_t n = p->lcp->n;
    PL_TRY(pl_lcp_sets_make(p->work->arena, n, &p->sets));
    p->b = pl_arena_take(p->work->arena, n, sizeof *p->b);
    p->best = pl_arena_take(p->work->arena, n, sizeof *p->best);
    if (p->b == NULL || p->best == NULL) return PL_ERROR_MEMORY;
    memcpy(p->best, p->x, (size_t)n * sizeof *p->best);
    p->least = INT32_MAX;
    p->next_run = p->options->patience;
    return pl_lcp_softening_make(p->lcp, p->options, p->work->arena, &p->softening);
}

// w := (M + shift) x + q.
static void multiply(const pivoting *p, double *w)
{
    pl_lcp_multiply(p->lcp, p->x, w);
    pl_lcp_softening_add(&p->softening, p->lcp->n, p->x, w);
}

// What is left of w in free rows is solved for once more while it is above half of the tolerance
// and falls.
static pl_status refine(pivoting *p, pl_lcp_end *end)
{
    double *w = p->work->w, before = INFINITY;
    for (int32_t k = 0; k < MAX_REFINEMENTS; k++) {
        double most = 0;
        for (int32_t c = 0; c < p->sets.n_free; c++) {
            p->b[c] = -w[p->sets.list[c]];
            most = fmax(most, fabs(p->b[c]));
        }
        if (!(most > 0.5 * p->options->tolerance) || !(most < 0.5 * before)) return PL_OK;
        before = most;
        PL_TRY(p->linear->solve(p->self, p->b, end));
        if (*end != PL_LCP_N_END) return PL_OK;
        for (int32_t c = 0; c < p->sets.n_free; c++) p->x[p->sets.list[c]] += p->b[c];
        multiply(p, w);
    }
    return PL_OK;
}

// x and w of the sets.
static pl_status solve_sets(pivoting *p, pl_lcp_end *end)
{
    pl_lcp_sets_tighten(p->lcp, &p->sets, p->x);
    PL_TRY(p->linear->factor(p->self, &p->sets, p->softening.shift, end));
    if (*end != PL_LCP_N_END) return PL_OK;
    pl_lcp_reduce_rhs(p->lcp, &p->sets, p->x, p->b);
    if (p->sets.n_free > 0) PL_TRY(p->linear->solve(p->self, p->b, end));
    if (*end != PL_LCP_N_END) return PL_OK;
    for (int32_t c = 0; c < p->sets.n_free; c++) p->x[p->sets.list[c]] = p->b[c];
    multiply(p, p->work->w);
    return refine(p, end);
}

// --- Pivots ---

static pl_lcp_state next_state(const pivoting *p, int32_t i)
{
    return pl_lcp_sets_next(p->lcp, p->work->diag, &p->sets, p->x, p->work->w,
                            p->options->pivot_tolerance, i);
}

static void change(pivoting *p, int32_t i, pl_lcp_state state)
{
    if (p->sets.state[i] == state) return;
    p->sets.state[i] = (uint8_t)state;
    p->stats->pivots++;
    pl_lcp_softening_count(&p->softening, i);
}

// A key of the set in the run: a set that single pivots met is not one that block pivots did.
static uint64_t key_of(const pivoting *p)
{
    return pl_lcp_sets_hash(&p->sets) + p->run * 0x9e3779b97f4a7c15u;
}

// The number of violations has fallen, or not: which way goes on. `block` is what the user wants.
static void choose_run(pivoting *p, bool fell, bool block)
{
    if (fell) p->next_run = p->options->patience;
    if (p->run == 0) {
        p->idle = fell ? 0 : p->idle + 1;
        if (!block || p->idle > p->options->patience) p->run = ++p->runs, p->left = p->next_run;
    } else if (block && (fell || p->left == 0)) {
        p->run = 0;
        p->idle = 0;
        if (!fell) p->next_run *= 2;
    }
}

// The states before a block pivot, in the room of b.
static void keep_states(pivoting *p, bool back)
{
    if (back) {
        memcpy(p->sets.state, p->b, (size_t)p->sets.n);
    } else {
        memcpy(p->b, p->sets.state, (size_t)p->sets.n);
    }
}

// Pivots all rows that violate; false, with nothing changed, if block pivots met that set before.
static bool pivot_block(pivoting *p)
{
    int64_t before = p->stats->pivots;
    keep_states(p, false);
    // The rule of a row looks at no state but its own.
    for (int32_t i = 0; i < p->sets.n; i++) {
        pl_lcp_state next = next_state(p, i);
        p->stats->pivots += next != p->sets.state[i];
        p->sets.state[i] = (uint8_t)next;
    }
    if (pl_lcp_visited_has(&p->visited, key_of(p))) {
        keep_states(p, true);
        p->stats->pivots = before;
        return false;
    }
    const uint8_t *old = (const uint8_t *)p->b;
    for (int32_t i = 0; i < p->sets.n; i++) {
        if (p->sets.state[i] != old[i]) pl_lcp_softening_count(&p->softening, i);
    }
    return true;
}

// From sets that violate the rule to others; `first` is the least row. *cycles: single pivots came
// back to a set of their run.
static pl_status pivot(pivoting *p, bool block, int32_t first, bool *cycles)
{
    if (p->run == 0 && !pivot_block(p)) p->run = ++p->runs, p->left = p->next_run;
    if (p->run > 0) {
        PL_TRY(pl_lcp_visited_add(p->work->arena, &p->visited, key_of(p)));
        change(p, first, next_state(p, first));
        p->left--;
        p->stats->fallbacks += block;
        *cycles = pl_lcp_visited_has(&p->visited, key_of(p));
    }
    pl_lcp_sets_index(&p->sets);
    return pl_lcp_visited_add(p->work->arena, &p->visited, key_of(p));
}

// [Ho22, Alg. 9].
static void regularize(pivoting *p)
{
    int32_t shifted = pl_lcp_softening_update(p->lcp, p->options, &p->sets, &p->softening);
    if (shifted == 0) return;
    p->stats->shifts += shifted;
    // It is another matrix: sets may be met again.
    p->visited.count = 0;
    if (p->visited.capacity > 0) {
        memset(p->visited.key, 0, (size_t)p->visited.capacity * sizeof *p->visited.key);
    }
    p->idle = 0;
}

// --- The loop ---

static pl_lcp_end limit(const pivoting *p)
{
    return p->stats->iterations >= p->options->max_iterations ? PL_LCP_LIMIT
           : pl_lcp_is_late(p->work, p->options)              ? PL_LCP_TIME
                                                              : PL_LCP_N_END;
}

static void trace(const pivoting *p)
{
    if (p->options->trace == NULL) return;
    pl_lcp_multiply(p->lcp, p->x, p->b);
    double error = pl_lcp_natural(p->lcp, p->work->diag, p->x, p->b);
    p->options->trace(p->stats->iterations, error, p->options->trace_user);
}

// Rows may pivot for ever on what is less than the user asks for: single pivots look at that, too.
static bool is_within_tolerance(const pivoting *p)
{
    double error = pl_lcp_natural(p->lcp, p->work->diag, p->x, p->work->w);
    return error <= p->options->tolerance;
}

static pl_status iterate(pivoting *p, bool block, pl_lcp_end *end)
{
    PL_TRY(pl_lcp_visited_add(p->work->arena, &p->visited, key_of(p)));
    for (;; p->stats->iterations++) {
        bool cycles = false;
        int32_t first;
        trace(p);
        *end = limit(p);
        if (*end != PL_LCP_N_END) return PL_OK;
        PL_TRY(solve_sets(p, end));
        if (*end != PL_LCP_N_END) return PL_OK;
        int32_t count = pl_lcp_sets_violations(p->lcp, p->work->diag, &p->sets, p->x, p->work->w,
                                               p->options->pivot_tolerance, &first);
        bool fell = count < p->least;
        if (fell) {
            p->least = count;
            memcpy(p->best, p->x, (size_t)p->lcp->n * sizeof *p->best);
        }
        if (count == 0 || (p->run > 0 && is_within_tolerance(p))) {
            *end = PL_LCP_SOLVED;
            return PL_OK;
        }
        choose_run(p, fell, block);
        PL_TRY(pivot(p, block, first, &cycles));
        if (cycles) {
            *end = PL_LCP_CYCLING;
            return PL_OK;
        }
        regularize(p);
    }
}

pl_status pl_bpp_run(const pl_bpp_linear *linear, pl_bpp_mode mode, const pl_lcp *lcp,
                     const pl_lcp_options *options, pl_lcp_work *work, double *x,
                     pl_lcp_stats *stats)
{
    pivoting p = {
        .linear = linear, .lcp = lcp, .options = options, .work = work, .stats = stats, .x = x};
    pl_lcp_end end = PL_LCP_N_END;
    PL_TRY(take(&p));
    pl_lcp_sets_start(lcp, x, &p.sets);
    pl_status status = linear->start(lcp, options, work, stats, &p.self, &end);
    if (status == PL_OK && end == PL_LCP_N_END) status = iterate(&p, mode == PL_BPP_BLOCK, &end);
    if (linear->stop != NULL && p.self != NULL) linear->stop(p.self);
    if (status != PL_OK) return status;
    stats->end = end;
    if (end == PL_LCP_SOLVED) return PL_OK;
    for (int32_t i = 0; i < lcp->n; i++) x[i] = pl_lcp_clamp(p.best[i], lcp->lo[i], lcp->hi[i]);
    return PL_OK;
}

pl_status pl_lcp_bpp(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work, double *x,
                     pl_lcp_stats *stats)
{
    return pl_bpp_run(&pl_bpp_dense, PL_BPP_BLOCK, lcp, options, work, x, stats);
}

pl_status pl_lcp_murty(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       double *x, pl_lcp_stats *stats)
{
    return pl_bpp_run(&pl_bpp_dense, PL_BPP_SINGLE, lcp, options, work, x, stats);
}
