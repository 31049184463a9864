// Decimal text to numbers and back, exactly rounded and independent of the locale. Internal.

#ifndef PL_NUMBER_H
#define PL_NUMBER_H

#include "base.h"

enum { PL_DOUBLE_TEXT = 32 }; // enough for any double as text

// Reads [+-]digits[.digits][e[+-]digits] at p and stores the nearest double. Returns the end of the
// number, or NULL if there is none or it overflows. No leading space is skipped; "nan" and "inf"
// are no numbers. The text must end in a byte that cannot belong to a number (pl_bytes guarantees
// it).
const char *pl_parse_double(const char *p, double *value);

// The same for [+-]digits; NULL if there is none or it does not fit.
const char *pl_parse_int64(const char *p, int64_t *value);

// The shortest text that pl_parse_double reads back as `value`, not terminated; returns its length.
size_t pl_double_text(double value, char text[PL_DOUBLE_TEXT]);

#endif
