// Whole iterations of cr (solvers/cr.h has the method and its names) with the scalars on the
// device. What an iteration decides, its judges write into the scalars, and the kernels after them
// read it: all of them are launched in each iteration, and those that have nothing to do in this
// one end at once. Where the CPU does something between two steps (a look at the contacts of a
// problem that seems solved, a restart, a direction that has to be mended), that is an iteration of
// its own here; once the scalars say that all is done, what was launched changes nothing.
//
// Vectors of both kinds of rows stand in one buffer, the impulses behind the velocities. Contacts
// switch by solvers/cr_kernel.h.

#ifndef PL_GPU_CR_H
#define PL_GPU_CR_H

#include "../../solvers/contact_error_kernel.h"
#include "rows.h"
#include "types.h"

// Has a kernel that is there for `when` something to do?
#define PL_CR_RUNS_NOW(when)                                                                       \
    (!scalars[0].done && (((when)&PL_CR_WHEN_STEP && scalars[0].phase <= PL_CR_MEND) ||            \
                          ((when)&PL_CR_WHEN_RESTART && scalars[0].restart) ||                     \
                          ((when)&PL_CR_WHEN_TURN && scalars[0].turn)))

// sum (3) := L x of constraint k in the world's frame, x a buffer of both kinds.
#define PL_CR_ROWS(k, x, sum)                                                                      \
    for (int32_t t = first[k]; t < first[(k) + 1]; t++) {                                          \
        double pl_x[3];                                                                            \
        PL_LOAD(3, pl_x, x, block[t])                                                              \
        PL_TERM(pl_term_add, t, pl_x, sum)                                                         \
    }

// sum (3) += L^T of impulses in the world's frame, in the used block i.
#define PL_CR_PUSH(i, sum)                                                                         \
    for (int32_t j = start[i]; j < start[(i) + 1]; j++) {                                          \
        int32_t t = use[2 * j + 1];                                                                \
        double pl_x[3];                                                                            \
        PL_LOAD(3, pl_x, world, use[2 * j])                                                        \
        PL_TERM(pl_term_push, t, pl_x, sum)                                                        \
    }

// --- z := C^-1 x, three kernels ---

PL_KERNEL void cr_precond_A(int64_t n, int32_t when, PL_IN(pl_cr_scalars) scalars,
                            PL_IN(double) inv, PL_IN(double) x, PL_OUT(double) z)
{
    PL_EACH(i, PL_CR_RUNS_NOW(when) ? n : 0)
    {
        double m[6], r[3], y[3];
        PL_LOAD(6, m, inv, i)
        PL_LOAD(3, r, x, i)
        pl_symmetric_apply(m, r, y);
        for (int a = 0; a < 3; a++) z[3 * i + a] = y[a];
    }
}

// The constraint rows, which stand from `at` on, with S_d^-1 as inverse (9 each).
PL_KERNEL void cr_precond_S(int64_t n, int64_t at, int32_t when, int32_t stretched,
                            PL_IN(pl_cr_scalars) scalars, PL_IN(int32_t) first,
                            PL_IN(int32_t) block, PL_IN(int32_t) arm_of, PL_IN(double) w,
                            PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) R,
                            PL_IN(uint8_t) rows, PL_IN(double) inverse, PL_IN(double) x,
                            PL_OUT(double) z, PL_OUT(double) world)
{
    PL_EACH(k, PL_CR_RUNS_NOW(when) ? n : 0)
    {
        double sum[3] = {0, 0, 0}, frame[9], M[9], u[3] = {0, 0, 0}, y[3], g[3];
        double sign = scalars[0].full ? -1 : 1;
        PL_LOAD(9, frame, R, k)
        PL_LOAD(9, M, inverse, k)
        if (scalars[0].full) {
            PL_CR_ROWS(k, z, sum)
            pl_frame_from_world(frame, sum, u);
        }
        for (int a = 0; a < 3; a++) {
            u[a] = ((rows[k] >> a & 1) != 0 ? u[a] : 0) + x[at + 3 * k + a];
        }
        for (int a = 0; a < 3; a++) {
            y[a] = sign * ((M[3 * a] * u[0] + M[3 * a + 1] * u[1]) + M[3 * a + 2] * u[2]);
            z[at + 3 * k + a] = y[a];
        }
        pl_frame_to_world(frame, y, g);
        for (int a = 0; a < 3; a++) world[3 * k + a] = g[a];
    }
}

// What these push, in the blocks that constraints use; of the full one.
PL_KERNEL void cr_precond_push(int64_t n, int32_t when, int32_t stretched,
                               PL_IN(pl_cr_scalars) scalars, PL_IN(int32_t) used,
                               PL_IN(int32_t) start, PL_IN(int32_t) use, PL_IN(int32_t) arm_of,
                               PL_IN(double) w, PL_IN(double) arm, PL_IN(double) stretch,
                               PL_IN(double) inv, PL_IN(double) world, PL_IN(double) x,
                               PL_OUT(double) z)
{
    PL_EACH(i, PL_CR_RUNS_NOW(when) && scalars[0].full ? n : 0)
    {
        double sum[3] = {0, 0, 0}, m[6], y[3];
        int64_t b = used[i];
        PL_CR_PUSH(i, sum)
        PL_LOAD(6, m, inv, b)
        for (int a = 0; a < 3; a++) sum[a] += x[3 * b + a];
        pl_symmetric_apply(m, sum, y);
        for (int a = 0; a < 3; a++) z[3 * b + a] = y[a];
    }
}

// --- A step ---

PL_KERNEL void cr_judge_step(PL_IN(double) totals, PL_OUT(pl_cr_scalars) scalars)
{
    PL_EACH(i, scalars[0].done ? 0 : 1)
    {
        pl_cr_scalars at = scalars[i];
        at.broken = at.mended;
        at.mended = 0;
        at.alpha = 0;
        if (at.phase == PL_CR_MEND) {
            at.rho = totals[PL_CR_ETA];
            at.mended = 1;
        } else if (at.phase == PL_CR_STEP) {
            at.since++;
            at.alpha = at.rho / totals[PL_CR_ETA];
            if (!isfinite(at.alpha)) at.alpha = 0;
            if (at.alpha == 0) at.broken = 1;
        }
        at.iterations += at.phase == PL_CR_STEP || at.phase == PL_CR_LOOK;
        scalars[i] = at;
    }
}

// n: numbers of velocities; total: of both kinds. To mend, z := C^-1 B p.
PL_KERNEL void cr_step(int64_t n, int64_t total, PL_IN(pl_cr_scalars) scalars, PL_IN(double) p,
                       PL_IN(double) Ap, PL_IN(double) Bp, PL_IN(double) q, PL_OUT(double) y,
                       PL_OUT(double) Ay, PL_OUT(double) r, PL_OUT(double) z)
{
    PL_EACH(i, PL_CR_RUNS_NOW(PL_CR_WHEN_STEP) ? total : 0)
    {
        double alpha = scalars[0].alpha;
        if (scalars[0].phase == PL_CR_MEND) {
            z[i] = q[i];
        } else {
            y[i] += alpha * p[i];
            if (i < n) Ay[i] += alpha * Ap[i];
            r[i] -= alpha * Bp[i];
            z[i] -= alpha * q[i];
        }
    }
}

// part[p] := the share of part p in |r|^2 of the velocities, worst[p] := the largest row of its
// constraints.
PL_KERNEL void cr_measure(int64_t n, int64_t total, int32_t when, PL_IN(pl_cr_scalars) scalars,
                          PL_IN(double) r, PL_OUT(double) part, PL_OUT(double) worst)
{
    PL_LOCAL double sum[PL_LANES];
    PL_LOCAL double most[PL_LANES];
    PL_PHASE
    {
        int64_t first = PL_GROUP * PL_PART;
        int64_t last = first + PL_PART < total ? first + PL_PART : total;
        if (!PL_CR_RUNS_NOW(when)) last = first;
        PL_EACH_LANE(l)
        {
            double s = 0, e = 0;
            for (int64_t i = first + l; i < last; i += PL_LANES) {
                if (i < n) {
                    s += r[i] * r[i];
                } else {
                    e = pl_larger(e, fabs(r[i]));
                }
            }
            sum[l] = s, most[l] = e;
        }
    }
    PL_BARRIER;
    PL_ADD_LANES(sum);
    PL_PHASE
    {
        if (PL_ITEM == 0) {
            double e = 0;
            for (int32_t l = 0; l < PL_LANES; l++) e = pl_larger(e, most[l]);
            part[PL_GROUP] = sum[0];
            worst[PL_GROUP] = e;
        }
    }
}

PL_INLINE void pl_cr_measured(double rr, double worst, pl_cr_scalars *at)
{
    double r = sqrt(rr), size = at->b_norm > at->pushes ? at->b_norm : at->pushes;
    at->velocity = (r == 0 ? 0 : size > 0 ? r / size : 1e100) / at->residual_tolerance;
    at->worst = at->dt * worst / (at->share * at->contact_tolerance);
    if (!isfinite(at->velocity + at->worst)) at->done = PL_CR_BREAKS_DOWN;
}

// worst (n_worst): with the totals, r after a step.
PL_KERNEL void cr_judge_residual(PL_IN(double) totals, int64_t n_worst, PL_IN(double) worst,
                                 PL_OUT(pl_cr_scalars) scalars)
{
    PL_EACH(i, scalars[0].done ? 0 : 1)
    {
        pl_cr_scalars at = scalars[i];
        at.look = at.phase == PL_CR_LOOK;
        at.restart = at.phase == PL_CR_RESTART;
        if (at.phase == PL_CR_STEP) {
            double most = 0;
            for (int64_t p = 0; p < n_worst; p++) most = pl_larger(most, worst[p]);
            pl_cr_measured(totals[PL_CR_RR], most, &at);
            double size = at.velocity > at.worst ? at.velocity : at.worst;
            bool falls = size <= PL_CR_EVALUATE_DROP * at.start;
            bool time = at.alpha > 0 && (falls || at.since >= PL_CR_EVALUATE_AFTER);
            at.ends = size < 1;
            at.rules.minimum = 0;
            at.restart = at.broken;
            at.look = !at.broken && (time || at.ends);
        }
        at.rules.evaluations += at.look != 0;
        at.turn = at.phase <= PL_CR_MEND || at.restart;
        if (at.done) at.look = at.restart = at.turn = 0;
        scalars[i] = at;
    }
}

// --- Contacts ---

// Looks at all contacts, with y (impulses from `at` on); note := what that came to. begin: gives
// them the states that the solve starts with. turns (2 each): state, and how often it has changed.
PL_KERNEL void cr_switch(int64_t n, int64_t at, int32_t begin, int32_t stretched,
                         PL_IN(pl_cr_scalars) scalars, PL_IN(int32_t) first, PL_IN(int32_t) block,
                         PL_IN(int32_t) arm_of, PL_IN(double) w, PL_IN(double) arm,
                         PL_IN(double) stretch, PL_IN(double) mu, PL_IN(double) scale,
                         PL_OUT(double) y, PL_OUT(double) R, PL_OUT(double) c,
                         PL_OUT(int32_t) turns, PL_OUT(double) K, PL_OUT(uint8_t) rows,
                         PL_OUT(int32_t) note)
{
    PL_EACH(k, begin || (!scalars[0].done && scalars[0].look) ? n : 0)
    {
        pl_cr_at contact;
        pl_cr_rules rules = scalars[0].rules;
        double sum[3] = {0, 0, 0};
        bool waits = false, changed = true;
        contact.state = turns[2 * k], contact.n_switch = (uint32_t)turns[2 * k + 1];
        contact.rows = rows[k], contact.mu = mu[k];
        PL_LOAD(3, contact.K, K, k)
        PL_LOAD(9, contact.R, R, k)
        PL_LOAD(3, contact.c, c, k)
        PL_LOAD(2, contact.s, scale, k)
        for (int a = 0; a < 3; a++) contact.f[a] = y[at + 3 * k + a];
        PL_CR_ROWS(k, y, sum)
        pl_frame_from_world(contact.R, sum, contact.u);
        for (int a = 0; a < 3; a++) contact.u[a] -= contact.c[a];
        if (begin) {
            pl_cr_start_at(&rules, &contact);
        } else {
            changed = pl_cr_switch_at(&rules, (uint32_t)k, &contact, &waits);
        }
        note[k] = (changed ? PL_CR_NOTE_CHANGED : 0) | (waits ? PL_CR_NOTE_WAITS : 0) |
                  (contact.state != turns[2 * k] ? PL_CR_NOTE_STATE : 0);
        if (changed) {
            turns[2 * k] = contact.state, turns[2 * k + 1] = (int32_t)contact.n_switch;
            rows[k] = (uint8_t)contact.rows;
            for (int a = 0; a < 3; a++) {
                K[3 * k + a] = contact.K[a];
                c[3 * k + a] = contact.c[a];
                y[at + 3 * k + a] = contact.f[a];
            }
            for (int e = 0; e < 9; e++) R[9 * k + e] = contact.R[e];
        }
    }
}

// inverse := that of Z S + K in the active rows, of the contacts that have changed, S their block
// of L A_d^-1 L^T.
PL_KERNEL void cr_invert(int64_t n, int32_t begin, int32_t stretched, PL_IN(pl_cr_scalars) scalars,
                         PL_IN(int32_t) first, PL_IN(int32_t) block, PL_IN(int32_t) arm_of,
                         PL_IN(double) w, PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) R,
                         PL_IN(double) inv, PL_IN(double) Z, PL_IN(double) K, PL_IN(uint8_t) rows,
                         PL_IN(int32_t) note, PL_OUT(double) inverse)
{
    PL_EACH(k, begin || (!scalars[0].done && scalars[0].look) ? n : 0)
    {
        if ((note[k] & PL_CR_NOTE_CHANGED) != 0) {
            double S[9], out[9];
            PL_RESPONSE(k, S)
            for (int e = 0; e < 9; e++) S[e] = Z[k] * S[e];
            for (int a = 0; a < 3; a++) S[4 * a] += K[3 * k + a];
            pl_cr_invert_rows(S, rows[k], out);
            for (int e = 0; e < 9; e++) inverse[9 * k + e] = out[e];
        }
    }
}

// count[p] (2 each) := how many contacts of part p changed their state; all their notes.
PL_KERNEL void cr_count(int64_t n, PL_IN(pl_cr_scalars) scalars, PL_IN(int32_t) note,
                        PL_OUT(int32_t) count)
{
    PL_LOCAL int32_t sum[PL_LANES];
    PL_LOCAL int32_t any[PL_LANES];
    PL_PHASE
    {
        int64_t first = PL_GROUP * PL_PART, last = first + PL_PART < n ? first + PL_PART : n;
        if (scalars[0].done || !scalars[0].look) last = first;
        PL_EACH_LANE(l)
        {
            int32_t s = 0, bits = 0;
            for (int64_t k = first + l; k < last; k += PL_LANES) {
                s += (note[k] & PL_CR_NOTE_STATE) != 0;
                bits |= note[k];
            }
            sum[l] = s, any[l] = bits;
        }
    }
    PL_BARRIER;
    PL_PHASE
    {
        if (PL_ITEM == 0) {
            int32_t s = 0, bits = 0;
            for (int32_t l = 0; l < PL_LANES; l++) s += sum[l], bits |= any[l];
            count[2 * PL_GROUP] = s, count[2 * PL_GROUP + 1] = bits;
        }
    }
}

PL_KERNEL void cr_judge_contacts(int64_t n_part, PL_IN(int32_t) count,
                                 PL_OUT(pl_cr_scalars) scalars)
{
    PL_EACH(i, scalars[0].done ? 0 : 1)
    {
        pl_cr_scalars at = scalars[i];
        at.waits = 0;
        if (at.look) {
            int32_t bits = 0;
            for (int64_t p = 0; p < n_part; p++) {
                at.changes += count[2 * p];
                bits |= count[2 * p + 1];
            }
            bool changed = (bits & PL_CR_NOTE_CHANGED) != 0;
            if (changed) {
                at.restart = at.turn = 1;
            } else if ((bits & PL_CR_NOTE_WAITS) != 0) {
                at.waits = 1; // then the next turn comes at once
            } else if (at.ends) {
                at.done = PL_CR_SEEMS_SOLVED;
            }
        }
        scalars[i] = at;
    }
}

// --- r := d - B y, with A y as it is ---

PL_KERNEL void cr_residual_rows(int64_t n, int64_t at, int32_t stretched,
                                PL_IN(pl_cr_scalars) scalars, PL_IN(int32_t) first,
                                PL_IN(int32_t) block, PL_IN(int32_t) arm_of, PL_IN(double) w,
                                PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) R,
                                PL_IN(double) c, PL_IN(uint8_t) rows, PL_IN(double) K,
                                PL_IN(double) y, PL_OUT(double) r, PL_OUT(double) world)
{
    PL_EACH(k, PL_CR_RUNS_NOW(PL_CR_WHEN_RESTART) ? n : 0)
    {
        double sum[3] = {0, 0, 0}, frame[9], u[3], f[3], g[3];
        PL_CR_ROWS(k, y, sum)
        PL_LOAD(9, frame, R, k)
        pl_frame_from_world(frame, sum, u);
        for (int a = 0; a < 3; a++) {
            f[a] = y[at + 3 * k + a];
            u[a] -= c[3 * k + a];
            r[at + 3 * k + a] = (rows[k] >> a & 1) != 0 ? u[a] + K[3 * k + a] * f[a] : 0;
        }
        pl_frame_to_world(frame, f, g);
        for (int a = 0; a < 3; a++) world[3 * k + a] = g[a];
    }
}

// place (n): where a block stands among those that constraints use, or -1.
PL_KERNEL void cr_residual_blocks(int64_t n, int32_t stretched, PL_IN(pl_cr_scalars) scalars,
                                  PL_IN(uint8_t) moves, PL_IN(int32_t) place, PL_IN(int32_t) start,
                                  PL_IN(int32_t) use, PL_IN(int32_t) arm_of, PL_IN(double) w,
                                  PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) world,
                                  PL_IN(double) b, PL_IN(double) Ay, PL_OUT(double) r,
                                  PL_OUT(double) push)
{
    PL_EACH(i, PL_CR_RUNS_NOW(PL_CR_WHEN_RESTART) ? n : 0)
    {
        double sum[3] = {0, 0, 0};
        int64_t u = place[i];
        if (u >= 0) {
            PL_CR_PUSH(u, sum)
            for (int a = 0; a < 3; a++) push[3 * u + a] = sum[a];
        }
        for (int a = 0; a < 3; a++) {
            r[3 * i + a] = moves[i] ? b[3 * i + a] - Ay[3 * i + a] + sum[a] : 0;
        }
    }
}

// --- B z, with A z at hand ---

PL_KERNEL void cr_multiply_rows(int64_t n, int64_t at, int32_t stretched,
                                PL_IN(pl_cr_scalars) scalars, PL_IN(int32_t) first,
                                PL_IN(int32_t) block, PL_IN(int32_t) arm_of, PL_IN(double) w,
                                PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) R,
                                PL_IN(uint8_t) rows, PL_IN(double) K, PL_IN(double) z,
                                PL_OUT(double) Bz, PL_OUT(double) world)
{
    PL_EACH(k, PL_CR_RUNS_NOW(PL_CR_WHEN_TURN) ? n : 0)
    {
        double sum[3] = {0, 0, 0}, frame[9], u[3], f[3], g[3];
        PL_CR_ROWS(k, z, sum)
        PL_LOAD(9, frame, R, k)
        pl_frame_from_world(frame, sum, u);
        for (int a = 0; a < 3; a++) {
            f[a] = z[at + 3 * k + a];
            Bz[at + 3 * k + a] = -((rows[k] >> a & 1) != 0 ? u[a] : 0) - K[3 * k + a] * f[a];
        }
        pl_frame_to_world(frame, f, g);
        for (int a = 0; a < 3; a++) world[3 * k + a] = g[a];
    }
}

PL_KERNEL void cr_multiply_blocks(int64_t n, int32_t stretched, PL_IN(pl_cr_scalars) scalars,
                                  PL_IN(uint8_t) moves, PL_IN(int32_t) place, PL_IN(int32_t) start,
                                  PL_IN(int32_t) use, PL_IN(int32_t) arm_of, PL_IN(double) w,
                                  PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) world,
                                  PL_IN(double) Az, PL_OUT(double) Bz)
{
    PL_EACH(i, PL_CR_RUNS_NOW(PL_CR_WHEN_TURN) ? n : 0)
    {
        double sum[3] = {0, 0, 0};
        int64_t u = place[i];
        if (u >= 0) {
            PL_CR_PUSH(u, sum)
        }
        for (int a = 0; a < 3; a++) Bz[3 * i + a] = moves[i] ? Az[3 * i + a] - sum[a] : 0;
    }
}

// --- The next direction ---

// part[k * n_part + p] := the share of part p in z . B z, |B z|^2, |z|^2.
PL_KERNEL void cr_sums(int64_t total, PL_IN(pl_cr_scalars) scalars, PL_IN(double) z,
                       PL_IN(double) Bz, int64_t n_part, PL_OUT(double) part)
{
    PL_LOCAL double sum0[PL_LANES];
    PL_LOCAL double sum1[PL_LANES];
    PL_LOCAL double sum2[PL_LANES];
    PL_PHASE
    {
        int64_t first = PL_GROUP * PL_PART;
        int64_t last = first + PL_PART < total ? first + PL_PART : total;
        if (!PL_CR_RUNS_NOW(PL_CR_WHEN_TURN)) last = first;
        PL_EACH_LANE(l)
        {
            double s0 = 0, s1 = 0, s2 = 0;
            for (int64_t i = first + l; i < last; i += PL_LANES) {
                s0 += z[i] * Bz[i];
                s1 += Bz[i] * Bz[i];
                s2 += z[i] * z[i];
            }
            sum0[l] = s0, sum1[l] = s1, sum2[l] = s2;
        }
    }
    PL_BARRIER;
    PL_ADD_LANES(sum0);
    PL_ADD_LANES(sum1);
    PL_ADD_LANES(sum2);
    PL_PHASE
    {
        if (PL_ITEM == 0) {
            part[PL_GROUP] = sum0[0];
            part[n_part + PL_GROUP] = sum1[0];
            part[2 * n_part + PL_GROUP] = sum2[0];
        }
    }
}

// After a restart: how good y is, and what comes next.
PL_INLINE void pl_cr_restarted(const double *total, double worst, pl_cr_scalars *at)
{
    bool first = at->products == 0;
    at->pushes = sqrt(total[PL_CR_PUSHES]);
    pl_cr_measured(total[PL_CR_RR], worst, at);
    at->start = at->velocity > at->worst ? at->velocity : at->worst;
    at->restarts += !first;
    if (first) at->gradient = sqrt(total[PL_CR_SUMS + 1]);
    at->since = 0;
    at->beta = 0;
    at->rho = total[PL_CR_SUMS];
    at->ends = at->start < 1;
}

// worst (n_worst): with the totals, r after a restart.
PL_KERNEL void cr_judge_turn(PL_IN(double) totals, int64_t n_worst, PL_IN(double) worst,
                             PL_OUT(pl_cr_scalars) scalars)
{
    PL_EACH(i, scalars[0].done ? 0 : 1)
    {
        pl_cr_scalars at = scalars[i];
        int32_t was = at.phase;
        at.phase = at.waits ? PL_CR_LOOK : PL_CR_STEP;
        if (at.turn) {
            double total[PL_CR_N_TOTALS], most = 0;
            for (int k = 0; k < PL_CR_N_TOTALS; k++) total[k] = totals[k];
            double zBz = total[PL_CR_SUMS], BzBz = total[PL_CR_SUMS + 1];
            double zz = total[PL_CR_SUMS + 2];
            for (int64_t p = 0; p < n_worst; p++) most = pl_larger(most, worst[p]);
            if (at.restart) {
                pl_cr_restarted(total, most, &at);
            } else if (was == PL_CR_STEP) {
                at.beta = zBz / at.rho;
                at.rho = zBz;
                if (!isfinite(at.beta)) at.beta = 0;
            } else {
                at.beta = 0; // rho belongs to the direction that was mended
            }
            bool least = was != PL_CR_MEND && sqrt(BzBz) <= PL_CR_GRADIENT_MIN * at.gradient;
            bool across = fabs(at.rho) <= PL_CR_COSINE_MIN * sqrt(zz * BzBz);
            at.rules.minimum = least && !at.ends;
            if (at.restart && !at.ends && !least && across) at.phase = PL_CR_MEND;
            if (least || (at.restart && at.ends)) {
                at.ends = 1;
                at.phase = PL_CR_LOOK;
            }
            at.products++;
        }
        scalars[i] = at;
    }
}

// p := z + beta p, and so A p and B p.
PL_KERNEL void cr_turn(int64_t n, int64_t total, PL_IN(pl_cr_scalars) scalars, PL_IN(double) z,
                       PL_IN(double) Az, PL_IN(double) Bz, PL_OUT(double) p, PL_OUT(double) Ap,
                       PL_OUT(double) Bp)
{
    PL_EACH(i, PL_CR_RUNS_NOW(PL_CR_WHEN_TURN) ? total : 0)
    {
        double beta = scalars[0].beta;
        p[i] = beta == 0 ? z[i] : z[i] + beta * p[i];
        Bp[i] = beta == 0 ? Bz[i] : Bz[i] + beta * Bp[i];
        if (i < n) Ap[i] = beta == 0 ? Az[i] : Az[i] + beta * Ap[i];
    }
}

// --- The end ---

// f := the impulses of y, which stand from `at` on, in the frames of the problem.
PL_KERNEL void cr_finish(int64_t n, int64_t at, PL_IN(double) R, PL_IN(double) to, PL_IN(double) y,
                         PL_OUT(double) f)
{
    PL_EACH(k, n)
    {
        double turned[9], frame[9], x[3];
        PL_LOAD(9, turned, R, k)
        PL_LOAD(9, frame, to, k)
        for (int a = 0; a < 3; a++) x[a] = y[at + 3 * k + a];
        pl_cr_turn_back(turned, frame, x);
        for (int a = 0; a < 3; a++) f[3 * k + a] = x[a];
    }
}

#endif
