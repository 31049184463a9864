// A primal-dual interior-point method with predictor and corrector [Mehrotra 1992], for M with
// x^T M x >= 0, symmetric or not, and bounds of all kinds. With s the ways to the bounds and z the
// two signs of w,
//
//     M x + q = z_lo - z_hi,  x - lo = s_lo,  hi - x = s_hi,  s z = mu,  s > 0,  z > 0
//
// is followed to mu = 0 from a start that need not obey the equations. Rows with lo = hi stay out;
// an infinite bound has no s and no z. Steps of x and z are equally long, since M couples them.
//
// An x inside its bounds never obeys exactly: what is measured, and left, has the rows at their
// bound where z is more than M_ii s. Once mu is small those sets are solved for exactly [Ye 1992],
// since rows with s = z = 0, which tend there as slowly as sqrt(mu), are right in either set.

#include "polish.h"
#include "watch.h"

#include <string.h>

enum {
    PATIENCE = 60,   // iterations without a lower error
    MOST_SHORT = 5,  // steps in a row that hardly move
    MOST_SHIFTS = 8, // of a singular matrix
};

static const double BOUNDARY = 0.01; // of the way to the boundary that a step leaves, at most
static const double SHORT = 1e-10;   // a step that hardly moves
static const double SMALL = 1e-4;    // mu, parts of that of the start, from which sets are tried
static const double FIRST_SHIFT = 1e-12; // of a singular matrix, parts of M_ii; times 100 in turn

// One side of all rows: where `has` is 0 the bound is infinite, and nothing else is set.
typedef struct side {
    uint8_t *has;     // (n)
    double sign;      // of x in s: 1 below, -1 above
    const double *at; // (n) the bound
    double *s, *z;    // (n) [unit of x], [unit of w]
    double *ds, *dz;  // (n) a step
    double *gap;      // (n) the way to the bound less s
} side;

typedef struct ipm {
    const pl_lcp *lcp;
    side side[2];
    int32_t n_pair;         // of s and z
    double *scale;          // (n) M_ii, or 1 where it is not above 0
    double *x, *r;          // (n) inside; M x + q - z_lo + z_hi
    double *shift, *b, *dx; // (n)
    uint8_t *free;          // (n) rows with lo < hi
    pl_shifted shifted;
    pl_polish polish;
} ipm;

static pl_status take(const pl_lcp *lcp, pl_lcp_work *work, ipm *m)
{
    *m = (ipm){.lcp = lcp, .side = {{.sign = 1, .at = lcp->lo}, {.sign = -1, .at = lcp->hi}}};
    side *l = &m->side[0], *u = &m->side[1];
    double **array[16] = {&l->s,  &l->z,   &l->ds,    &l->dz, &l->gap, &u->s,     &u->z, &u->ds,
                          &u->dz, &u->gap, &m->scale, &m->x,  &m->r,   &m->shift, &m->b, &m->dx};
    uint8_t **flag[3] = {&l->has, &u->has, &m->free};
    for (int i = 0; i < 16; i++) {
        *array[i] = pl_arena_take(work->arena, lcp->n, sizeof(double));
        if (*array[i] == NULL) return PL_ERROR_MEMORY;
    }
    for (int i = 0; i < 3; i++) {
        *flag[i] = pl_arena_take(work->arena, lcp->n, sizeof(uint8_t));
        if (*flag[i] == NULL) return PL_ERROR_MEMORY;
    }
    PL_TRY(pl_polish_take(lcp->n, work->arena, &m->polish));
    return pl_shifted_take(lcp, work->arena, &m->shifted);
}

// Both s and z of every row are at least what makes s z the largest M_ii d^2 of the start, with d
// its natural map: an energy, so that rows of different units add up.
static void start(ipm *m, const pl_lcp_work *work, const double *x)
{
    const pl_lcp *lcp = m->lcp;
    double energy = 0;
    for (int32_t i = 0; i < lcp->n; i++) {
        double scale = m->scale[i] = work->diag[i] > 0 ? work->diag[i] : 1;
        double d = pl_lcp_clamp(work->w[i] / scale, x[i] - lcp->hi[i], x[i] - lcp->lo[i]);
        energy = fmax(energy, scale * d * d);
        m->x[i] = x[i];
        m->free[i] = lcp->lo[i] < lcp->hi[i];
    }
    for (int32_t i = 0; i < lcp->n; i++) {
        for (int c = 0; c < 2; c++) {
            side *e = &m->side[c];
            e->has[i] = m->free[i] != 0 && isfinite(e->at[i]);
            if (e->has[i] == 0) continue;
            e->s[i] = fmax(e->sign * (x[i] - e->at[i]), sqrt(energy / m->scale[i]));
            e->z[i] = fmax(e->sign * work->w[i], sqrt(energy * m->scale[i]));
            m->n_pair++;
        }
    }
}

// The mean of s z, after a step along ds, dz.
static double mean_product(const ipm *m, double step)
{
    double sum = 0;
    for (int c = 0; c < 2; c++) {
        const side *e = &m->side[c];
        for (int32_t i = 0; i < m->lcp->n; i++) {
            if (e->has[i] == 0) continue;
            double s = e->s[i], z = e->z[i];
            sum += step > 0 ? (s + step * e->ds[i]) * (z + step * e->dz[i]) : s * z;
        }
    }
    return m->n_pair > 0 ? sum / m->n_pair : 0;
}

static bool factor(ipm *m, pl_lcp_stats *stats)
{
    int32_t n = m->lcp->n;
    memset(m->shift, 0, (size_t)n * sizeof *m->shift);
    for (int c = 0; c < 2; c++) {
        const side *e = &m->side[c];
        for (int32_t i = 0; i < n; i++) {
            if (e->has[i] != 0) m->shift[i] += e->z[i] / e->s[i];
        }
    }
    double part = FIRST_SHIFT;
    for (int turn = 0; turn < MOST_SHIFTS; turn++, part *= 100) {
        if (pl_shifted_factor(&m->shifted, m->shift, m->free, stats)) return true;
        stats->shifts++;
        for (int32_t i = 0; i < n; i++) m->shift[i] += part * m->scale[i];
    }
    return false;
}

// dx, ds, dz towards s z = target, with ds dz of the predictor in the corrector.
static void direction(ipm *m, double target, bool corrector, pl_lcp_stats *stats)
{
    int32_t n = m->lcp->n;
    for (int32_t i = 0; i < n; i++) {
        m->b[i] = -m->r[i];
        m->dx[i] = 0;
    }
    // s dz + z ds = -(s z - target + ds dz) and ds = sign dx + gap; dz without dx goes to e->dz
    for (int c = 0; c < 2; c++) {
        side *e = &m->side[c];
        for (int32_t i = 0; i < n; i++) {
            if (e->has[i] == 0) continue;
            double gap = e->sign * (m->x[i] - e->at[i]) - e->s[i];
            double more = corrector ? e->ds[i] * e->dz[i] : 0;
            e->gap[i] = gap;
            e->dz[i] = (target - more - e->z[i] * gap) / e->s[i] - e->z[i];
            m->b[i] += e->sign * e->dz[i];
        }
    }
    pl_shifted_solve(&m->shifted, m->b, m->dx, stats);
    for (int c = 0; c < 2; c++) {
        side *e = &m->side[c];
        for (int32_t i = 0; i < n; i++) {
            if (e->has[i] == 0) continue;
            double along = e->sign * m->dx[i];
            e->ds[i] = along + e->gap[i];
            e->dz[i] -= e->z[i] / e->s[i] * along;
        }
    }
}

// How far a step may go before an s or z is 0, at most 1.
static double room(const ipm *m)
{
    double step = 1;
    for (int c = 0; c < 2; c++) {
        const side *e = &m->side[c];
        for (int32_t i = 0; i < m->lcp->n; i++) {
            if (e->has[i] == 0) continue;
            if (e->ds[i] < 0) step = fmin(step, -e->s[i] / e->ds[i]);
            if (e->dz[i] < 0) step = fmin(step, -e->z[i] / e->dz[i]);
        }
    }
    return step;
}

static void move(ipm *m, double step)
{
    for (int32_t i = 0; i < m->lcp->n; i++) {
        m->x[i] += step * m->dx[i];
        for (int c = 0; c < 2; c++) {
            side *e = &m->side[c];
            if (e->has[i] == 0) continue;
            e->s[i] += step * e->ds[i];
            e->z[i] += step * e->dz[i];
        }
    }
}

// x := what is inside, with tight rows at their bound; m->polish.free: the others.
static void settle(ipm *m, double *x)
{
    for (int32_t i = 0; i < m->lcp->n; i++) {
        x[i] = pl_lcp_clamp(m->x[i], m->lcp->lo[i], m->lcp->hi[i]);
        m->polish.free[i] = m->free[i];
        for (int c = 0; c < 2; c++) {
            const side *e = &m->side[c];
            if (e->has[i] == 0 || !(e->z[i] > m->scale[i] * e->s[i])) continue;
            x[i] = e->at[i];
            m->polish.free[i] = 0;
        }
    }
}

// x := the solution, if its sets are the right ones.
static void finish(ipm *m, double first, double tolerance, const pl_lcp_work *work, double *x,
                   pl_lcp_stats *stats)
{
    double error;
    if (mean_product(m, 0) > SMALL * first || !pl_polish_is_due(&m->polish, m->lcp->n, 0)) return;
    bool ok = pl_polish_solve(&m->polish, &m->shifted, work, x, stats, &error);
    if (ok && error <= tolerance) memcpy(x, m->polish.x, (size_t)m->lcp->n * sizeof *x);
}

// One iteration; the length of its step.
static double iterate(ipm *m, double first, pl_lcp_stats *stats)
{
    const pl_lcp *lcp = m->lcp;
    pl_lcp_multiply(lcp, m->x, m->r);
    for (int c = 0; c < 2; c++) {
        const side *e = &m->side[c];
        for (int32_t i = 0; i < lcp->n; i++) {
            if (e->has[i] != 0) m->r[i] -= e->sign * e->z[i];
        }
    }
    if (!factor(m, stats)) return 0;
    double mu = mean_product(m, 0), target = 0;
    direction(m, 0, false, stats);
    if (mu > 0) {
        double ratio = mean_product(m, room(m)) / mu;
        target = ratio * ratio * ratio * mu;
        direction(m, target, true, stats);
    }
    double step = room(m);
    if (step < 1) step *= 1 - fmin(BOUNDARY, mu / first);
    move(m, step);
    return step;
}

pl_status pl_lcp_ipm(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work, double *x,
                     pl_lcp_stats *stats)
{
    pl_lcp_watch watch;
    ipm m;
    int32_t in_a_row = 0;
    double first = 0;
    PL_TRY(pl_lcp_watch_make(lcp, PATIENCE, work, &watch));
    PL_TRY(take(lcp, work, &m));
    stats->end = PL_LCP_SIZE;
    if (!m.shifted.fits) return PL_OK;
    for (double error;; stats->iterations++) {
        pl_lcp_multiply(lcp, x, work->w);
        if (!pl_lcp_watch_look(&watch, lcp, options, work, x, work->w, stats, &error)) return PL_OK;
        if (stats->iterations == 0) {
            start(&m, work, x);
            first = mean_product(&m, 0);
        }
        double step = iterate(&m, first, stats);
        in_a_row = step > SHORT ? 0 : in_a_row + 1;
        if (in_a_row >= MOST_SHORT) {
            pl_lcp_watch_leave(&watch, lcp, PL_LCP_STALLED, x, stats);
            return PL_OK;
        }
        settle(&m, x);
        finish(&m, first, options->tolerance, work, x, stats);
    }
}
