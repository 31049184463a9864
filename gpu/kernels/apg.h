// Whole iterations of apg (solvers/apg.c has the method and its names) with the scalars on the
// device: what an iteration decides, apg_judge writes into the state, and the next one reads it. So
// iterations follow each other without a word from outside, and once the state says that they are
// done, the rest of those that were launched change nothing.
//
// The vectors y and A y that run ahead, and the last ones, stay in their buffers: where the CPU
// exchanges pointers, a value moves. Impulses are impulses here, not impulses over s.

#ifndef PL_GPU_APG_H
#define PL_GPU_APG_H

#include "../../solvers/ahead_kernel.h"
#include "../../solvers/contact_error_kernel.h"
#include "sweeps.h"
#include "types.h"

// As in solvers/apg.c, which says what each is for.
#define PL_APG_STUCK_SHARE 0.01
#define PL_APG_STUCK_STEPS 200
#define PL_APG_CURVATURE_MARGIN 1.02
#define PL_APG_TAKES_BACK 0.1
#define PL_APG_SLIPS (1 - 1e-6)
#define PL_APG_LARGE 1e100

// The next y, unless the step is made again, g := b - A y, and v := y + D^-1 g / s.
PL_KERNEL void apg_descend(int64_t n, PL_IN(pl_apg_state) state, PL_IN(uint8_t) moves,
                           PL_IN(double) b, PL_IN(double) inv, PL_OUT(double) v, PL_OUT(double) y,
                           PL_OUT(double) old, PL_OUT(double) Av, PL_OUT(double) Ay,
                           PL_OUT(double) Aold, PL_OUT(double) g, PL_OUT(float) by)
{
    PL_EACH(i, state[0].control.done ? 0 : n)
    {
        double of_step = state[0].ahead.of_step, of_last = state[0].ahead.of_last;
        double is = 1 / state[0].control.s, m[6], gi[3], d[3];
        for (int a = 0; a < 3; a++) {
            int64_t k = 3 * i + a;
            if (!state[0].again) {
                double at = y[k], A_at = Ay[k];
                y[k] = v[k] + of_step * (v[k] - at) + of_last * (at - old[k]);
                Ay[k] = Av[k] + of_step * (Av[k] - A_at) + of_last * (A_at - Aold[k]);
                old[k] = state[0].ahead.conjugate ? at : v[k];
                Aold[k] = state[0].ahead.conjugate ? A_at : Av[k];
            }
            gi[a] = moves[i] ? b[k] - Ay[k] : 0;
        }
        PL_LOAD(6, m, inv, i)
        pl_symmetric_apply(m, gi, d);
        for (int a = 0; a < 3; a++) {
            g[3 * i + a] = gi[a];
            v[3 * i + a] = y[3 * i + a] + is * d[a];
            by[3 * i + a] = (float)(is * d[a]);
        }
    }
}

// The impulses join g in the blocks that they reach, `push` being L^T f there, and v follows.
PL_KERNEL void apg_follow(int64_t n, PL_IN(pl_apg_state) state, PL_IN(int32_t) block,
                          PL_IN(double) inv, PL_IN(double) push, PL_IN(double) y, PL_OUT(double) g,
                          PL_OUT(double) v, PL_OUT(float) by)
{
    PL_EACH(u, state[0].control.done ? 0 : n)
    {
        int64_t i = block[u];
        double is = 1 / state[0].control.s, m[6], gi[3], d[3];
        for (int a = 0; a < 3; a++) gi[a] = g[3 * i + a] + push[3 * u + a];
        PL_LOAD(6, m, inv, i)
        pl_symmetric_apply(m, gi, d);
        for (int a = 0; a < 3; a++) {
            g[3 * i + a] = gi[a];
            v[3 * i + a] = y[3 * i + a] + is * d[a];
            by[3 * i + a] = (float)(is * d[a]);
        }
    }
}

// part[k * n_part + p] := the share of part p (PL_PART elements) in sum k of pl_step_sums.
PL_KERNEL void apg_sums(int64_t n, PL_IN(uint8_t) moves, PL_IN(double) v, PL_IN(double) y,
                        PL_IN(double) old, PL_IN(double) Av, PL_IN(double) Ay, PL_IN(double) Aold,
                        PL_IN(double) g, int64_t n_part, PL_OUT(double) part)
{
    PL_LOCAL double sum0[PL_LANES];
    PL_LOCAL double sum1[PL_LANES];
    PL_LOCAL double sum2[PL_LANES];
    PL_LOCAL double sum3[PL_LANES];
    PL_LOCAL double sum4[PL_LANES];
    PL_LOCAL double sum5[PL_LANES];
    PL_PHASE
    {
        int64_t first = PL_GROUP * PL_PART, last = first + PL_PART < n ? first + PL_PART : n;
        PL_EACH_LANE(l)
        {
            double s[6] = {0, 0, 0, 0, 0, 0};
            for (int64_t i = first + l; i < last; i += PL_LANES) {
                double d = v[i] - y[i], p = y[i] - old[i], Ad = Av[i] - Ay[i];
                double Ap = Ay[i] - Aold[i], gi = moves[i / 3] ? g[i] : Ad;
                s[0] += (gi - Ad) * (gi - Ad);
                s[1] += d * gi;
                s[2] += d * Ad;
                s[3] += p * gi;
                s[4] += d * Ap;
                s[5] += p * Ap;
            }
            sum0[l] = s[0], sum1[l] = s[1], sum2[l] = s[2];
            sum3[l] = s[3], sum4[l] = s[4], sum5[l] = s[5];
        }
    }
    PL_BARRIER;
    PL_ADD_LANES(sum0);
    PL_ADD_LANES(sum1);
    PL_ADD_LANES(sum2);
    PL_ADD_LANES(sum3);
    PL_ADD_LANES(sum4);
    PL_ADD_LANES(sum5);
    PL_PHASE
    {
        if (PL_ITEM == 0) {
            part[PL_GROUP] = sum0[0];
            part[n_part + PL_GROUP] = sum1[0];
            part[2 * n_part + PL_GROUP] = sum2[0];
            part[3 * n_part + PL_GROUP] = sum3[0];
            part[4 * n_part + PL_GROUP] = sum4[0];
            part[5 * n_part + PL_GROUP] = sum5[0];
        }
    }
}

// The error of one constraint [m], and what its held rows have at y, over how they answer.
PL_INLINE double pl_apg_error(double dt, int32_t law, double mu, const double *bound,
                              const double *s, const double *u, const double *f)
{
    pl_contact_errors e = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    double w[3];
    for (int a = 0; a < 3; a++) w[a] = u[a] + bound[6 + a] * f[a];
    bool answers = s[0] > 0 && s[1] > 0;
    if (law >= 0 && law % 2 == 1) {
        if (answers) pl_box_errors(dt, bound, bound + 3, bound + 6, s[0], u, f, &e);
        return e.joint;
    }
    e.penetration = pl_larger(0, -dt * w[0]);
    if (answers) pl_cone_errors(dt, mu, s, w, f, &e);
    double fischer = pl_larger(pl_larger(e.fischer_normal, e.fischer_stick), e.fischer_slip);
    return pl_larger(pl_larger(pl_larger(e.penetration, e.normal), pl_larger(e.friction, e.cone)),
                     fischer);
}

PL_INLINE double pl_apg_broken(int32_t law, double mu, const double *bound, const double *scale,
                               const double *u, const double *f)
{
    double sum = 0, most = PL_APG_SLIPS * mu * f[0];
    bool sticks = f[0] > 0 && f[1] * f[1] + f[2] * f[2] < most * most;
    for (int a = 0; a < 3; a++) {
        double w = u[a] + bound[6 + a] * f[a], s = scale[a > 0 ? 1 : 0];
        bool held = a == 0 ? f[0] > 0 : sticks;
        if (law >= 0 && law % 2 == 1) held = f[a] > bound[a] && f[a] < bound[3 + a];
        if (held && s > 0) sum += w * w / s;
    }
    return sum;
}

// worst[p] := the largest error of the constraints of part p (PL_PART of them) with u, their
// velocities at v; broken[p] := what is taken back of y, where they have uy.
PL_KERNEL void apg_contacts(int64_t n, double dt, PL_IN(int32_t) law, PL_IN(double) mu,
                            PL_IN(double) bounds, PL_IN(double) scale, PL_IN(double) u,
                            PL_IN(double) uy, PL_IN(double) f, PL_OUT(double) worst,
                            PL_OUT(double) broken)
{
    PL_LOCAL double sum[PL_LANES];
    PL_LOCAL double most[PL_LANES];
    PL_PHASE
    {
        int64_t first = PL_GROUP * PL_PART, last = first + PL_PART < n ? first + PL_PART : n;
        PL_EACH_LANE(l)
        {
            double s = 0, e = 0;
            for (int64_t k = first + l; k < last; k += PL_LANES) {
                double bound[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, own[2], uk[3], uyk[3], fk[3];
                if (law[k] >= 0) PL_LOAD(9, bound, bounds, law[k] / 2)
                PL_LOAD(2, own, scale, k)
                PL_LOAD(3, uk, u, k)
                PL_LOAD(3, uyk, uy, k)
                PL_LOAD(3, fk, f, k)
                s += pl_apg_broken(law[k], mu[k], bound, own, uyk, fk);
                e = pl_larger(e, pl_apg_error(dt, law[k], mu[k], bound, own, uk, fk));
            }
            sum[l] = s, most[l] = e;
        }
    }
    PL_BARRIER;
    PL_ADD_LANES(sum);
    PL_PHASE
    {
        if (PL_ITEM == 0) {
            broken[PL_GROUP] = sum[0];
            double e = 0;
            for (int32_t l = 0; l < PL_LANES; l++) e = pl_larger(e, most[l]);
            worst[PL_GROUP] = e;
        }
    }
}

// What solvers/apg.c does after a product: is the bound of s kept, is it solved, how does the next
// step run ahead. totals: the six of pl_step_sums, |L^T f|^2, what is taken back.
PL_INLINE void pl_apg_look(pl_apg_state *at, const double *totals, double worst)
{
    pl_step_sums sum;
    sum.rr = totals[0], sum.model = totals[1], sum.true_ = totals[2];
    sum.last = totals[3], sum.cross = totals[4], sum.last_A = totals[5];
    at->iterations++;
    if (!isfinite(sum.rr + sum.model + sum.true_)) {
        at->control.done = PL_APG_BREAKS_DOWN;
        return;
    }
    at->again = sum.true_ > (1 + at->slack) * sum.model && sum.model > 0;
    if (at->again) {
        at->control.s *= fmin(PL_APG_CURVATURE_MARGIN * sum.true_ / sum.model, 2.0);
        return;
    }
    double r = sqrt(sum.rr), size = sqrt(totals[6]);
    size = at->b_norm > size ? at->b_norm : size;
    at->residual = 0;
    if (r > at->residual_tolerance * at->b_norm) {
        at->residual = (r == 0 ? 0 : size > 0 ? r / size : PL_APG_LARGE) / at->residual_tolerance;
    }
    at->worst = worst;
    if (at->residual <= 1) {
        bool falls = worst < (1 - PL_APG_STUCK_SHARE) * at->least;
        at->n_stuck = falls ? 0 : at->n_stuck + 1;
        if (falls) at->least = worst;
        if (worst <= at->contact_tolerance) {
            at->control.done = PL_APG_SEEMS_SOLVED;
            return;
        }
    }
    if (at->n_stuck >= PL_APG_STUCK_STEPS) {
        at->control.done = PL_APG_STALLS;
        return;
    }
    bool changed = pl_ahead_note_at(&at->ahead, sum.rr, at->residual > 1);
    bool free = at->ahead.conjugate && at->control.s * totals[7] / sum.model < PL_APG_TAKES_BACK;
    at->restarts += pl_ahead_look_at(&at->ahead, &sum, free, changed);
}

// totals (8), worst (n_worst): what the parts of an iteration have come to.
PL_KERNEL void apg_judge(PL_IN(double) totals, int64_t n_worst, PL_IN(double) worst,
                         PL_OUT(pl_apg_state) state)
{
    PL_EACH(i, state[0].control.done ? 0 : 1)
    {
        double total[8], most = 0;
        for (int k = 0; k < 8; k++) total[k] = totals[k];
        for (int64_t p = 0; p < n_worst; p++) most = pl_larger(most, worst[p]);
        pl_apg_state at = state[i];
        pl_apg_look(&at, total, most);
        state[i] = at;
    }
}

// Goes on after what seemed to be solved was not: A v was computed once more, as true_Av, and what
// it differs by goes to A y and the last one, too. The next step does not run ahead.
PL_KERNEL void apg_correct(int64_t n, PL_IN(double) true_Av, PL_OUT(double) Av, PL_OUT(double) Ay,
                           PL_OUT(double) Aold)
{
    PL_EACH(i, n)
    {
        double by = true_Av[i] - Av[i];
        Av[i] += by, Ay[i] += by, Aold[i] += by;
    }
}

#endif
