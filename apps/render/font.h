// Letters as strokes of a pen, on a grid of units: an "a" is 10 units high, an "A" 14.

#ifndef PL_FONT_H
#define PL_FONT_H

#include "../../base/base.h"

enum {
    PL_FONT_EM = 22,        // units from line to line
    PL_FONT_ASCENT = 17,    // from the top of a line to its base line
    PL_FONT_GAP = 4,        // between letters
    PL_FONT_SEGMENTS = 160, // of a letter, at most
};

extern const double PL_FONT_STROKE; // width of the pen [units]

// A piece of a stroke, from (x0, y0) to (x1, y1), y up from the base line [units].
typedef struct pl_font_segment {
    double x0, y0, x1, y1;
} pl_font_segment;

// The width of a letter without the gap [units]. What is not printable ASCII counts as "?".
int32_t pl_font_width(char letter);

// The letter's pieces, the number of which it returns.
int32_t pl_font_segments(char letter, pl_font_segment out[PL_FONT_SEGMENTS]);

#endif
