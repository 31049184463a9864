// Preconditioned generalized conjugate gradients: O'Leary's method [Ho22, Alg. 11]. Conjugate
// gradients on the free rows, whose steps end at the first bound; a row that reaches it becomes
// tight, and the gradients begin anew. Once r is small, tight rows with the wrong sign of w become
// free, all at once. x stays between its bounds, and x^T M x / 2 + q^T x falls.
//
// The listing has the test of its inner loop reversed, refers to conjugate gradients without a
// preconditioner for the length of a step, changes the direction before the residual, and z never;
// here they are as they must be.

#include "pcg.h"

enum { MAX_IDLE = 3, LOOK_AT_CLOCK = 64 };

// A direction with less curvature than this part of what its entries would have alone has none.
static const double NO_CURVATURE = 1e-14;

typedef struct pgcg {
    const pl_lcp *lcp;
    const pl_lcp_options *options;
    pl_lcp_work *work;
    pl_lcp_stats *stats;
    double *x;
    pl_lcp_sets sets;
    pl_lcp_softening softening;
    pl_pcg cg;
    bool moved; // since the outer iteration began
} pgcg;

static void multiply(pgcg *p)
{
    pl_lcp_multiply(p->lcp, p->x, p->work->w);
    pl_lcp_softening_add(&p->softening, p->lcp->n, p->x, p->work->w);
}

// The gradients begin: r of the free rows, their preconditioner. false: it does not exist.
static bool begin(pgcg *p, double *rz)
{
    multiply(p);
    for (int32_t c = 0; c < p->sets.n_free; c++) p->cg.r[c] = -p->work->w[p->sets.list[c]];
    if (!pl_pcg_factor(&p->cg, &p->sets, p->softening.shift)) return false;
    *rz = pl_pcg_begin(&p->cg);
    return true;
}

// How far x can go along q [Ho22, 5.1].
static double longest_step(const pgcg *p)
{
    double most = INFINITY;
    for (int32_t c = 0; c < p->sets.n_free; c++) {
        int32_t i = p->sets.list[c];
        double q = p->cg.q[c], bound = q < 0 ? p->lcp->lo[i] : p->lcp->hi[i];
        if (q != 0) most = fmin(most, fmax((bound - p->x[i]) / q, 0));
    }
    return most;
}

// x of free rows += alpha q. Rows whose bound that reaches or passes become tight there; returns
// how many.
static int32_t move(pgcg *p, double alpha)
{
    int32_t reached = 0;
    for (int32_t c = 0; c < p->sets.n_free; c++) {
        int32_t i = p->sets.list[c];
        double q = p->cg.q[c], bound = q < 0 ? p->lcp->lo[i] : p->lcp->hi[i], before = p->x[i];
        p->x[i] += alpha * q;
        bool at = q != 0 && (q < 0 ? p->x[i] <= bound : p->x[i] >= bound);
        // The row that limits the step reaches its bound, whatever rounding says.
        at = at || (q != 0 && alpha == fmax((bound - before) / q, 0));
        if (at) {
            p->x[i] = bound;
            p->sets.state[i] = (uint8_t)(q < 0 ? PL_LCP_AT_LO : PL_LCP_AT_HI);
            pl_lcp_softening_count(&p->softening, i);
            p->stats->pivots++;
            reached++;
        }
        p->moved = p->moved || p->x[i] != before;
    }
    if (reached > 0) pl_lcp_sets_index(&p->sets);
    return reached;
}

static double own_curvature(const pgcg *p)
{
    double sum = 0;
    for (int32_t c = 0; c < p->sets.n_free; c++) {
        sum += p->cg.q[c] * p->cg.q[c] * fabs(p->work->diag[p->sets.list[c]]);
    }
    return sum;
}

// Until r of the free rows is small.
static pl_lcp_end iterate_inside(pgcg *p)
{
    double rz;
    if (!begin(p, &rz)) return PL_LCP_BREAKDOWN;
    for (int32_t j = 0; j < p->options->max_inner; j++) {
        int32_t n = p->sets.n_free;
        if (!(sqrt(pl_pcg_dot(n, p->cg.r, p->cg.r)) > p->options->inner_tolerance)) break;
        double curvature = pl_pcg_curvature(&p->cg), own = own_curvature(p);
        if (!(rz > 0 && curvature >= -NO_CURVATURE * own && isfinite(rz))) return PL_LCP_BREAKDOWN;
        double most = longest_step(p);
        double alpha = curvature > NO_CURVATURE * own ? fmin(rz / curvature, most) : most;
        if (!isfinite(alpha)) return PL_LCP_UNBOUNDED;
        p->stats->inner++;
        if (move(p, alpha) > 0) {
            if (!begin(p, &rz)) return PL_LCP_BREAKDOWN;
        } else {
            rz = pl_pcg_advance(&p->cg, alpha, rz);
        }
        if (j % LOOK_AT_CLOCK == LOOK_AT_CLOCK - 1 && pl_lcp_is_late(p->work, p->options)) {
            return PL_LCP_TIME;
        }
    }
    return PL_LCP_N_END;
}

// Tight rows that violate the rule become free; returns how many.
static int32_t release(pgcg *p)
{
    int32_t released = 0;
    for (int32_t i = 0; i < p->lcp->n; i++) {
        if (p->sets.state[i] == PL_LCP_FREE) continue;
        pl_lcp_state next = pl_lcp_sets_next(p->lcp, p->work->diag, &p->sets, p->x, p->work->w,
                                             p->options->pivot_tolerance, i);
        if (next != PL_LCP_FREE) continue;
        p->sets.state[i] = PL_LCP_FREE;
        pl_lcp_softening_count(&p->softening, i);
        p->stats->pivots++;
        released++;
    }
    if (released > 0) pl_lcp_sets_index(&p->sets);
    return released;
}

static pl_lcp_end iterate(pgcg *p)
{
    int32_t idle = 0;
    for (;; p->stats->iterations++) {
        if (p->options->trace != NULL) {
            pl_lcp_multiply(p->lcp, p->x, p->work->w);
            double error = pl_lcp_natural(p->lcp, p->work->diag, p->x, p->work->w);
            p->options->trace(p->stats->iterations, error, p->options->trace_user);
        }
        if (p->stats->iterations >= p->options->max_iterations) return PL_LCP_LIMIT;
        if (pl_lcp_is_late(p->work, p->options)) return PL_LCP_TIME;
        p->moved = false;
        pl_lcp_end end = iterate_inside(p);
        if (end != PL_LCP_N_END) return end;
        multiply(p);
        double error = pl_lcp_natural(p->lcp, p->work->diag, p->x, p->work->w);
        if (error <= p->options->tolerance) return PL_LCP_SOLVED;
        int32_t released = release(p);
        idle = p->moved && released > 0 ? 0 : idle + 1;
        if (idle > MAX_IDLE) return PL_LCP_STALLED;
        p->stats->shifts += pl_lcp_softening_update(p->lcp, p->options, &p->sets, &p->softening);
    }
}

pl_status pl_lcp_pgcg(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                      double *x, pl_lcp_stats *stats)
{
    pgcg p = {.lcp = lcp, .options = options, .work = work, .stats = stats, .x = x};
    PL_TRY(pl_lcp_sets_make(work->arena, lcp->n, &p.sets));
    PL_TRY(pl_lcp_softening_make(lcp, options, work->arena, &p.softening));
    PL_TRY(pl_pcg_make(lcp, options, work, stats, &p.cg));
    pl_lcp_sets_start(lcp, x, &p.sets);
    stats->end = iterate(&p);
    return PL_OK;
}
