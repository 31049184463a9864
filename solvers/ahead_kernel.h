// How far the steps of apg run ahead, for C, CUDA and OpenCL; ahead.h says what each function does.
// Internal.

#ifndef PL_AHEAD_KERNEL_H
#define PL_AHEAD_KERNEL_H

#include "../base/portable.h"

#define PL_AHEAD_PAST 5

// What a step is judged by: d = v - y is the step, p = y - old the last way; see apg.c.
typedef struct pl_step_sums {
    double rr;     // |b + L^T f - A v|^2 in the rows that are not prescribed
    double model;  // d . g, which is s d . D d
    double true_;  // d . A d
    double last;   // p . g
    double cross;  // d . A p
    double last_A; // p . A p
} pl_step_sums;

typedef struct pl_ahead {
    int32_t conjugate;          // by conjugate directions, else by momentum
    double of_step, of_last;    // the next y is ahead of v by these parts of d and p
    double coherence;           // of conjugate steps: the mean of the last `of_last`
    double theta;               // of momentum
    int32_t slow;               // which runs less far ahead
    int32_t patience;           // steps of momentum without a lower residual, before that changes
    double lowest;              // squared residual of the steps since the start, or the last change
    int32_t n_vain;             // steps since then
    double past[PL_AHEAD_PAST]; // squared residuals of the last steps, in a ring
    int32_t n_past;             // steps since the start: where the next goes
} pl_ahead;

// Conjugate steps end if their coherence is below this and the residual has not halved within some
// steps; or if none of many steps had the least residual.
#define PL_AHEAD_COHERENT 0.4
#define PL_AHEAD_NEW 0.3
#define PL_AHEAD_HALVED (PL_AHEAD_PAST - 1)
#define PL_AHEAD_VAIN 60
// Of momentum: what counts as a lower residual, squared; and how far slow steps run ahead at most.
#define PL_AHEAD_LESS 0.8
#define PL_AHEAD_SLOW 0.5
// A last way whose sine with the step is no more than the root of this is left out.
#define PL_AHEAD_PARALLEL 1e-6

PL_INLINE void pl_ahead_start_at(pl_ahead *ahead)
{
    ahead->conjugate = 1;
    ahead->of_step = ahead->of_last = 0;
    ahead->coherence = ahead->theta = 1;
    ahead->slow = 0;
    ahead->patience = PL_AHEAD_VAIN;
    ahead->lowest = INFINITY;
    ahead->n_vain = ahead->n_past = 0;
    for (int32_t i = 0; i < PL_AHEAD_PAST; i++) ahead->past[i] = 0;
}

// --- The past ---

// The residual of the step i steps ago, squared.
PL_INLINE double pl_ahead_past(const pl_ahead *ahead, int32_t i)
{
    return ahead->past[(ahead->n_past - 1 - i) % PL_AHEAD_PAST];
}

PL_INLINE bool pl_ahead_note_at(pl_ahead *ahead, double rr, bool counts)
{
    double least = ahead->conjugate ? ahead->lowest : PL_AHEAD_LESS * ahead->lowest;
    ahead->past[ahead->n_past++ % PL_AHEAD_PAST] = rr;
    if (rr < least) {
        ahead->lowest = rr;
        ahead->n_vain = 0;
    } else {
        ahead->n_vain += counts;
    }
    if (ahead->conjugate || ahead->n_vain <= ahead->patience) return false;
    if (ahead->slow) ahead->patience *= 2;
    ahead->slow = !ahead->slow;
    ahead->lowest = rr;
    ahead->n_vain = 0;
    return true;
}

// --- The next step ---

PL_INLINE void pl_ahead_conjugate(pl_ahead *ahead, const pl_step_sums *sum, bool free)
{
    double alpha = 1, gamma = 0;
    if (free) {
        double det = sum->true_ * sum->last_A - sum->cross * sum->cross;
        if (det > PL_AHEAD_PARALLEL * sum->true_ * sum->last_A) {
            alpha = (sum->model * sum->last_A - sum->last * sum->cross) / det;
            gamma = (sum->last * sum->true_ - sum->model * sum->cross) / det;
        } else if (sum->true_ > 0) {
            alpha = sum->model / sum->true_;
        }
    }
    ahead->of_step = alpha - 1;
    ahead->of_last = gamma;
    ahead->coherence += PL_AHEAD_NEW * (gamma - ahead->coherence);
}

// Have conjugate steps ceased to help?
PL_INLINE bool pl_ahead_is_astray(const pl_ahead *ahead)
{
    double now = pl_ahead_past(ahead, 0);
    bool halved =
        ahead->n_past <= PL_AHEAD_HALVED || now < 0.25 * pl_ahead_past(ahead, PL_AHEAD_HALVED);
    return ahead->n_vain > PL_AHEAD_VAIN || (!halved && ahead->coherence < PL_AHEAD_COHERENT);
}

PL_INLINE void pl_ahead_momentum(pl_ahead *ahead, bool anew)
{
    double most = ahead->slow ? PL_AHEAD_SLOW : 1;
    if (anew) ahead->theta = 1;
    double next = 0.5 * (1 + sqrt(1 + 4 * ahead->theta * ahead->theta));
    ahead->of_step = ahead->of_last = anew ? 0 : fmin((ahead->theta - 1) / next, most);
    ahead->theta = next;
}

PL_INLINE bool pl_ahead_look_at(pl_ahead *ahead, const pl_step_sums *sum, bool free, bool changed)
{
    if (ahead->conjugate && !pl_ahead_is_astray(ahead)) {
        pl_ahead_conjugate(ahead, sum, free);
        return false;
    }
    bool back = sum->model + sum->last < 0; // g . (v - old)
    bool anew = ahead->conjugate || changed || back;
    if (ahead->conjugate) {
        ahead->conjugate = 0;
        ahead->n_vain = 0;
        ahead->lowest = sum->rr;
    }
    pl_ahead_momentum(ahead, anew);
    return anew;
}

#endif
