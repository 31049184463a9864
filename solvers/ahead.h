// How far the steps of apg run ahead: by conjugate directions or by momentum. Internal.

#ifndef PL_AHEAD_H
#define PL_AHEAD_H

#include "../base/base.h"

enum { PL_AHEAD_PAST = 5 };

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
    bool conjugate;             // by conjugate directions, else by momentum
    double of_step, of_last;    // the next y is ahead of v by these parts of d and p
    double coherence;           // of conjugate steps: the mean of the last `of_last`
    double theta;               // of momentum
    bool slow;                  // which runs less far ahead
    int32_t patience;           // steps of momentum without a lower residual, before that changes
    double lowest;              // squared residual of the steps since the start, or the last change
    int32_t n_vain;             // steps since then
    double past[PL_AHEAD_PAST]; // squared residuals of the last steps, in a ring
    int32_t n_past;             // steps since the start: where the next goes
} pl_ahead;

void pl_ahead_start(pl_ahead *ahead);

// Notes the residual of a step, squared; if the step counts, as one that is to make it less.
// Friction is no gradient of anything: steps of momentum may chase each other around the solution,
// always forward. Where the residual has stood for many steps they become slow ones; where it has
// stood for as many of these too, they become fast again, and are left to it for twice as long.
// True if that has changed.
bool pl_ahead_note(pl_ahead *ahead, double rr, bool counts);

// After that: how the next step runs ahead. free: y kept what the contacts ask for, so that it may
// go along d and p. Returns true if the steps start anew from v.
bool pl_ahead_look(pl_ahead *ahead, const pl_step_sums *sum, bool free, bool changed);

#endif
