// A cursor over the text or bytes of a file, with failures that name the place. Internal.

#ifndef PL_SCAN_H
#define PL_SCAN_H

#include "file.h"
#include "number.h"

#include <string.h>

typedef struct pl_scan {
    const char *p;     // the cursor
    const char *begin; // of the bytes; they are followed by PL_BYTES_PAD zeros
    const char *end;
    const char *name; // for messages
    int64_t before;   // lines of the file that stand before `begin`
} pl_scan;

// The cursor starts behind a UTF-8 byte order mark, which some editors put before text.
static inline pl_scan pl_scan_start(const pl_bytes *bytes, const char *name)
{
    bool marked = bytes->size >= 3 && memcmp(bytes->data, "\xef\xbb\xbf", 3) == 0;
    return (pl_scan){bytes->data + (marked ? 3 : 0), bytes->data, bytes->data + bytes->size, name,
                     0};
}

// Lines that end before the cursor.
int64_t pl_scan_lines(const pl_scan *scan);

// "name:line: sentence" for text, "name: byte offset: sentence" for binary. Return PL_ERROR_FORMAT.
pl_status pl_scan_fail(const pl_scan *scan, const char *format, ...) PL_PRINTF(2, 3);
pl_status pl_scan_fail_byte(const pl_scan *scan, const char *format, ...) PL_PRINTF(2, 3);

static inline size_t pl_scan_left(const pl_scan *scan)
{
    return scan->p < scan->end ? (size_t)(scan->end - scan->p) : 0;
}

static inline bool pl_scan_at_end(const pl_scan *scan)
{
    return scan->p >= scan->end;
}

// Moves over white space (tabs and carriage returns too) but not over the end of the line.
static inline void pl_scan_blanks(pl_scan *scan)
{
    while (*scan->p == ' ' || (*scan->p >= '\t' && *scan->p <= '\r' && *scan->p != '\n')) scan->p++;
}

// Moves over all white space.
static inline void pl_scan_space(pl_scan *scan)
{
    while (*scan->p == ' ' || (*scan->p >= '\t' && *scan->p <= '\r')) scan->p++;
}

// Moves behind the next newline, or to the end.
static inline void pl_scan_next_line(pl_scan *scan)
{
    if (*scan->p == '\n') { // most often: the line was read to its end
        scan->p++;
        return;
    }
    const char *newline = memchr(scan->p, '\n', pl_scan_left(scan));
    scan->p = newline != NULL ? newline + 1 : scan->end;
}

// Moves over all white space and over comments from '#' to the end of the line.
static inline void pl_scan_comments(pl_scan *scan)
{
    for (pl_scan_space(scan); *scan->p == '#'; pl_scan_space(scan)) pl_scan_next_line(scan);
}

// After blanks: is this the end of the line (or of the file)?
static inline bool pl_scan_line_ends(pl_scan *scan)
{
    pl_scan_blanks(scan);
    return *scan->p == '\n' || pl_scan_at_end(scan);
}

// Does white space or the end of the file follow? A number that something else follows is none.
static inline bool pl_scan_separated(const pl_scan *scan)
{
    return *scan->p == ' ' || (*scan->p >= '\t' && *scan->p <= '\r') || pl_scan_at_end(scan);
}

// If the text at the cursor is `word`, and white space or the end follows, moves behind it.
static inline bool pl_scan_word(pl_scan *scan, const char *word)
{
    size_t length = strlen(word);
    if (pl_scan_left(scan) < length || memcmp(scan->p, word, length) != 0) return false;
    const char *after = scan->p + length;
    if (after < scan->end && *after != ' ' && !(*after >= '\t' && *after <= '\r')) return false;
    scan->p = after;
    return true;
}

// Numbers at the cursor, after blanks on the same line. False leaves the cursor where the number
// should have been.
static inline bool pl_scan_double(pl_scan *scan, double *value)
{
    pl_scan_blanks(scan);
    const char *after = pl_parse_double(scan->p, value);
    if (after == NULL || after > scan->end) return false;
    scan->p = after;
    return true;
}

static inline bool pl_scan_int64(pl_scan *scan, int64_t *value)
{
    pl_scan_blanks(scan);
    const char *after = pl_parse_int64(scan->p, value);
    if (after == NULL || after > scan->end) return false;
    scan->p = after;
    return true;
}

// Binary values of either byte order, unaligned. `swap` if the file's order is not the machine's.
static inline bool pl_scan_bytes(pl_scan *scan, void *to, size_t size)
{
    if (pl_scan_left(scan) < size) return false;
    memcpy(to, scan->p, size);
    scan->p += size;
    return true;
}

// Reverses the bytes of `count` values of `size` (1, 2, 4 or 8) bytes each, in place.
void pl_swap_bytes(void *values, size_t size, int64_t count);

#endif
