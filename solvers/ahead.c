#include "ahead.h"

void pl_ahead_start(pl_ahead *ahead)
{
    pl_ahead_start_at(ahead);
}

bool pl_ahead_note(pl_ahead *ahead, double rr, bool counts)
{
    return pl_ahead_note_at(ahead, rr, counts);
}

bool pl_ahead_look(pl_ahead *ahead, const pl_step_sums *sum, bool free, bool changed)
{
    return pl_ahead_look_at(ahead, sum, free, changed);
}
