// What a view writes over its picture: statistics, help, messages, the hand. Used by view.c.

#ifndef PL_VIEW_TEXT_H
#define PL_VIEW_TEXT_H

#include "view.h"

// Brings the overlay up to date.
pl_status pl_view_write(pl_view *view, const pl_snapshot *now);

#endif
