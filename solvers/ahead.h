// How far the steps of apg run ahead: by conjugate directions or by momentum. Internal.

#ifndef PL_AHEAD_H
#define PL_AHEAD_H

#include "../base/base.h"
#include "ahead_kernel.h"

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
