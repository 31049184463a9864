// Pivoting that drives one row at a time: Dantzig's and Cottle's method as [Baraff 1994] uses it,
// and Keller's.
//
// x of one row that violates the rule moves away from its bound until its w is 0 or its other bound
// is reached, while w of the free rows stays 0. What blocks on the way changes its set, and the row
// goes on. `dantzig` takes rows in their order and keeps those that are right so: a free row blocks
// at a bound, a tight one where its w reaches 0. `keller` takes the row that violates most and
// watches the free rows alone: x stays between its bounds, and x^T M x / 2 + q^T x falls. M is
// symmetric and positive semidefinite. The factor of the free rows stays positive definite, since
// a row enters where its w changes as it is driven; one that nothing blocks and whose w does not
// change shows that there is no solution.
//
// The start need not be tight: the rows that begin between their bounds are solved for, those that
// leave them become tight, and so on.

#include "dense.h"
#include "sets.h"

#include <string.h>

// As many times a new factor at the end shows that the one that was kept up to date had drifted.
enum { MAX_ROUNDS = 20, LOOSE = 3 };

// w that changes by less than this part of the curvature of its row and of the driven one does not.
static const double NO_CURVATURE = 1e-12;

typedef struct drive {
    const pl_lcp *lcp;
    const pl_lcp_options *options;
    pl_lcp_work *work;
    pl_lcp_stats *stats;
    double *x, *w;    // (n)
    bool watch_tight; // Dantzig's way
    pl_lcp_sets sets; // LOOSE: a row without bounds that the factor cannot take; list and place
                      // are in the order of the factor
    double *L;        // (ld * ld)
    int64_t ld;
    double *dx, *dw, *b; // (n)
} drive;

typedef struct event {
    int32_t row; // -1: none
    double t;    // how far
    uint8_t state;
} event;

static pl_status take(drive *p, pl_lcp_end *end)
{
    pl_arena *arena = p->work->arena;
    p->ld = p->lcp->n;
    if (p->ld * p->ld * (int64_t)sizeof *p->L > PL_DENSE_MOST) {
        *end = PL_LCP_SIZE;
        return PL_OK;
    }
    p->L = pl_arena_take(arena, p->ld * p->ld, sizeof *p->L);
    p->dx = pl_arena_take(arena, p->ld, sizeof *p->dx);
    p->dw = pl_arena_take(arena, p->ld, sizeof *p->dw);
    p->b = pl_arena_take(arena, p->ld + 1, sizeof *p->b);
    if (p->L == NULL || p->dx == NULL || p->dw == NULL || p->b == NULL) return PL_ERROR_MEMORY;
    return pl_lcp_sets_make(arena, p->lcp->n, &p->sets);
}

// --- The factor of the free rows ---

// b := column i of M in the rows of the factor.
static void gather(const drive *p, int32_t i, double *b)
{
    memset(b, 0, (size_t)p->sets.n_free * sizeof *b);
    for (int64_t k = p->lcp->col[i]; k < p->lcp->col[i + 1]; k++) {
        int32_t at = p->sets.place[p->lcp->row[k]];
        if (at >= 0) b[at] = p->lcp->val[k];
    }
}

// Row i becomes free; false, and it does not, if M of the free rows were singular.
static bool enter(drive *p, int32_t i)
{
    int32_t m = p->sets.n_free;
    gather(p, i, p->b);
    p->b[m] = p->work->diag[i];
    if (!pl_dense_cholesky_append(m, p->L, p->ld, p->b)) return false;
    p->sets.list[m] = i;
    p->sets.place[i] = m;
    p->sets.state[i] = PL_LCP_FREE;
    p->sets.n_free++;
    p->stats->updates++;
    return true;
}

static void leave(drive *p, int32_t i, uint8_t state)
{
    int32_t at = p->sets.place[i];
    pl_dense_cholesky_remove(p->sets.n_free, p->L, p->ld, at);
    p->sets.n_free--;
    for (int32_t c = at; c < p->sets.n_free; c++) {
        p->sets.list[c] = p->sets.list[c + 1];
        p->sets.place[p->sets.list[c]] = c;
    }
    p->sets.place[i] = -1;
    p->sets.state[i] = state;
    p->stats->updates++;
}

// The bound that x is nearer to; LOOSE: there is none.
static uint8_t nearest_bound(const drive *p, int32_t i)
{
    double lo = p->lcp->lo[i], hi = p->lcp->hi[i];
    if (!isfinite(lo) && !isfinite(hi)) return LOOSE;
    return p->x[i] - lo <= hi - p->x[i] ? PL_LCP_AT_LO : PL_LCP_AT_HI;
}

static void tighten(drive *p)
{
    for (int32_t i = 0; i < p->sets.n; i++) {
        if (p->sets.state[i] == PL_LCP_AT_LO) p->x[i] = p->lcp->lo[i];
        if (p->sets.state[i] == PL_LCP_AT_HI) p->x[i] = p->lcp->hi[i];
    }
}

// A new factor of the free rows; those that would make it singular become tight.
static void factor(drive *p)
{
    const pl_lcp *lcp = p->lcp;
    pl_lcp_sets_index(&p->sets);
    for (;;) {
        int32_t m = p->sets.n_free;
        for (int32_t c = 0; c < m; c++) {
            gather(p, p->sets.list[c], p->L + c * p->ld);
        }
        int32_t done = pl_dense_cholesky(m, p->L, p->ld, p->b);
        p->stats->factorizations++;
        if (done == m) return;
        int32_t i = p->sets.list[done];
        p->sets.state[i] = nearest_bound(p, i);
        if (p->sets.state[i] != LOOSE) p->x[i] = pl_lcp_clamp(p->x[i], lcp->lo[i], lcp->hi[i]);
        pl_lcp_sets_index(&p->sets);
    }
}

// x of the free rows := the solution, w anew; then rows that are beyond a bound become tight, until
// none is.
static void settle(drive *p)
{
    bool changed = true;
    while (changed) {
        changed = false;
        factor(p);
        tighten(p);
        pl_lcp_multiply(p->lcp, p->x, p->w);
        for (int32_t k = 0; k < 2; k++) { // the second time refines
            for (int32_t c = 0; c < p->sets.n_free; c++) p->b[c] = -p->w[p->sets.list[c]];
            pl_dense_cholesky_solve(p->sets.n_free, p->L, p->ld, p->b);
            p->stats->solves++;
            for (int32_t c = 0; c < p->sets.n_free; c++) p->x[p->sets.list[c]] += p->b[c];
            pl_lcp_multiply(p->lcp, p->x, p->w);
        }
        for (int32_t i = 0; i < p->sets.n; i++) {
            if (p->sets.state[i] != PL_LCP_FREE) continue;
            p->sets.state[i] = (uint8_t)pl_lcp_sets_next(p->lcp, p->work->diag, &p->sets, p->x,
                                                         p->w, p->options->pivot_tolerance, i);
            changed = changed || p->sets.state[i] != PL_LCP_FREE;
        }
    }
}

// --- One row ---

// The way that x of row i has to go: 1, -1, or 0 if it violates nothing.
static double direction_of(const drive *p, int32_t i)
{
    double w = p->w[i], tolerance = p->options->pivot_tolerance;
    uint8_t state = p->sets.state[i];
    if (state == PL_LCP_FREE || p->lcp->lo[i] == p->lcp->hi[i]) return 0;
    if (w < -tolerance && state != PL_LCP_AT_HI) return 1;
    return w > tolerance && state != PL_LCP_AT_LO ? -1 : 0;
}

// dx and dw as x_i changes by `sign`, and what is left of M_ii: below 0 it is indefinite.
static double direct(drive *p, int32_t i, double sign)
{
    const pl_lcp *lcp = p->lcp;
    int32_t m = p->sets.n_free;
    double curvature = p->work->diag[i];
    gather(p, i, p->b);
    pl_dense_forward(m, p->L, p->ld, p->b);
    for (int32_t c = 0; c < m; c++) curvature -= p->b[c] * p->b[c];
    pl_dense_backward(m, p->L, p->ld, p->b);
    p->stats->solves++;
    memset(p->dx, 0, (size_t)lcp->n * sizeof *p->dx);
    memset(p->dw, 0, (size_t)lcp->n * sizeof *p->dw);
    for (int32_t c = 0; c < m; c++) p->dx[p->sets.list[c]] = -sign * p->b[c];
    p->dx[i] = sign;
    for (int32_t j = 0; j < lcp->n; j++) {
        double d = p->dx[j];
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1] && d != 0; k++) {
            p->dw[lcp->row[k]] += lcp->val[k] * d;
        }
    }
    for (int32_t c = 0; c < m; c++) p->dw[p->sets.list[c]] = 0;
    // What is far below 0 is no rounding: M is not positive semidefinite.
    double least = NO_CURVATURE * fabs(p->work->diag[i]);
    if (curvature < -1000 * least) return curvature;
    bool flat = curvature <= least;
    p->dw[i] = flat ? 0 : sign * curvature;
    return flat ? 0 : curvature;
}

// The first of events, of several at once that of the least row.
static void consider(event *first, int32_t row, double t, uint8_t state)
{
    if (t < first->t) *first = (event){row, fmax(t, 0), state};
}

// How far x_j can go in its direction: to lo or hi.
static void consider_bounds(const drive *p, event *first, int32_t j)
{
    double dx = p->dx[j];
    if (dx < 0 && isfinite(p->lcp->lo[j])) {
        consider(first, j, (p->lcp->lo[j] - p->x[j]) / dx, PL_LCP_AT_LO);
    } else if (dx > 0 && isfinite(p->lcp->hi[j])) {
        consider(first, j, (p->lcp->hi[j] - p->x[j]) / dx, PL_LCP_AT_HI);
    }
}

static event next_event(const drive *p, int32_t i, double curvature)
{
    event first = {.row = -1, .t = INFINITY};
    if (curvature > 0) consider(&first, i, fabs(p->w[i]) / curvature, PL_LCP_FREE);
    for (int32_t j = 0; j < p->lcp->n; j++) {
        uint8_t state = p->sets.state[j];
        if (j == i || state == PL_LCP_FREE) {
            consider_bounds(p, &first, j);
            continue;
        }
        if (!p->watch_tight || p->lcp->lo[j] == p->lcp->hi[j] || direction_of(p, j) != 0) continue;
        bool falls =
            (state == PL_LCP_AT_LO && p->dw[j] < 0) || (state == PL_LCP_AT_HI && p->dw[j] > 0);
        double least = NO_CURVATURE * sqrt(p->work->diag[i] * p->work->diag[j]);
        if (falls && fabs(p->dw[j]) > least) consider(&first, j, -p->w[j] / p->dw[j], PL_LCP_FREE);
    }
    return first;
}

static pl_lcp_end limit(const drive *p)
{
    return p->stats->iterations >= p->options->max_iterations ? PL_LCP_LIMIT
           : pl_lcp_is_late(p->work, p->options)              ? PL_LCP_TIME
                                                              : PL_LCP_N_END;
}

static void trace(const drive *p)
{
    if (p->options->trace == NULL) return;
    double error = pl_lcp_natural(p->lcp, p->work->diag, p->x, p->w);
    p->options->trace(p->stats->iterations, error, p->options->trace_user);
}

// Until row i violates nothing.
static pl_lcp_end drive_row(drive *p, int32_t i, double sign)
{
    for (;;) {
        trace(p);
        pl_lcp_end end = limit(p);
        if (end != PL_LCP_N_END) return end;
        double curvature = direct(p, i, sign);
        if (!(curvature >= 0)) return PL_LCP_BREAKDOWN;
        event e = next_event(p, i, curvature);
        if (e.row < 0) return PL_LCP_UNBOUNDED;
        p->stats->iterations++;
        p->stats->pivots++;
        for (int32_t j = 0; j < p->lcp->n; j++) {
            p->x[j] += e.t * p->dx[j];
            p->w[j] += e.t * p->dw[j];
        }
        if (e.state == PL_LCP_FREE) {
            p->w[e.row] = 0;
            bool ok = enter(p, e.row);
            if (e.row == i) return ok ? PL_LCP_N_END : PL_LCP_BREAKDOWN;
            continue;
        }
        p->x[e.row] = e.state == PL_LCP_AT_LO ? p->lcp->lo[e.row] : p->lcp->hi[e.row];
        if (e.row == i) {
            p->sets.state[i] = e.state;
            return PL_LCP_N_END;
        }
        leave(p, e.row, e.state);
    }
}

// The row to drive: the first that violates, or the one that does most; -1: none.
static int32_t choose(const drive *p)
{
    int32_t best = -1;
    double most = 0;
    for (int32_t i = 0; i < p->lcp->n; i++) {
        if (direction_of(p, i) == 0) continue;
        if (p->watch_tight) return i;
        double gain = p->w[i] * p->w[i] / pl_lcp_scale(p->work->diag[i]);
        if (gain > most) most = gain, best = i;
    }
    return best;
}

static pl_lcp_end run(drive *p)
{
    pl_lcp_sets_start(p->lcp, p->x, &p->sets);
    for (int32_t round = 0; round < MAX_ROUNDS; round++) {
        settle(p);
        int32_t i = choose(p);
        double error = pl_lcp_natural(p->lcp, p->work->diag, p->x, p->w);
        if (i < 0 || (round > 0 && error <= p->options->tolerance)) return PL_LCP_SOLVED;
        for (; i >= 0; i = choose(p)) {
            pl_lcp_end end = drive_row(p, i, direction_of(p, i));
            if (end != PL_LCP_N_END) return end;
        }
    }
    return PL_LCP_STALLED;
}

static pl_status solve(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       bool watch_tight, double *x, pl_lcp_stats *stats)
{
    drive p = {.lcp = lcp, .options = options, .work = work, .stats = stats};
    pl_lcp_end end = PL_LCP_N_END;
    p.x = x;
    p.w = work->w;
    p.watch_tight = watch_tight;
    PL_TRY(take(&p, &end));
    stats->end = end != PL_LCP_N_END ? end : run(&p);
    for (int32_t i = 0; i < lcp->n && stats->end != PL_LCP_SOLVED; i++) {
        x[i] = pl_lcp_clamp(x[i], lcp->lo[i], lcp->hi[i]);
    }
    return PL_OK;
}

pl_status pl_lcp_dantzig(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                         double *x, pl_lcp_stats *stats)
{
    return solve(lcp, options, work, true, x, stats);
}

pl_status pl_lcp_keller(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                        double *x, pl_lcp_stats *stats)
{
    return solve(lcp, options, work, false, x, stats);
}
