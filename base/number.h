// Decimal text to numbers and back, exactly rounded and independent of the locale. Internal.

#ifndef PL_NUMBER_H
#define PL_NUMBER_H

#include "base.h"

#include <string.h>

// Digits are taken in steps of at most 8, and a step may look at the 8 bytes that follow the last
// digit. So the text must be followed by 8 bytes that may be read, and the first of them must not
// belong to a number (pl_bytes guarantees both).
enum { PL_DIGITS_STEP = 8 };

enum { PL_DOUBLE_TEXT = 32 }; // enough for any double as text

// Reads [+-]digits[.digits][e[+-]digits] at p and stores the nearest double. Returns the end of the
// number, or NULL if there is none or it overflows. No leading space is skipped; "nan" and "inf"
// are no numbers.
const char *pl_parse_double(const char *p, double *value);

// Counts the digits at p, 8 at most, and gives their value. Free of branches: the lengths of the
// numbers in a file vary, and a branch guessed wrong costs more than all of this.
static inline int pl_parse_digits(const char *p, uint64_t *value)
{
    uint64_t t;
    memcpy(&t, p, sizeof t);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    t = __builtin_bswap64(t);
#endif
    t ^= 0x3030303030303030u; // digits are 0 to 9 now; of all else, mark the bytes' top bits
    uint64_t other = (((t & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | t) & 0x8080808080808080u;
    int n = other != 0 ? __builtin_ctzll(other) / 8 : 8;
    // Move the n digits to the end, zeros before them; then add up pairs, fours, all eight.
    t = n > 0 ? t << (64 - 8 * n) : 0;
    t = t * 10 + (t >> 8);
    *value = (((t & 0x000000ff000000ffu) * 0x000f424000000064u) +
              (((t >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
             32;
    return n;
}

const char *pl_parse_long_int64(const char *p, int64_t *value);

// The same for [+-]digits; NULL if there is none or it does not fit into 18 digits.
static inline const char *pl_parse_int64(const char *p, int64_t *value)
{
    const char *first = p + (*p == '-' || *p == '+');
    uint64_t w;
    int n = pl_parse_digits(first, &w);
    if (n == PL_DIGITS_STEP) return pl_parse_long_int64(p, value);
    *value = *p == '-' ? -(int64_t)w : (int64_t)w;
    return n > 0 ? first + n : NULL;
}

// The shortest text that pl_parse_double reads back as `value` (finite), terminated; returns its
// length.
size_t pl_double_text(double value, char text[PL_DOUBLE_TEXT]);

#endif
