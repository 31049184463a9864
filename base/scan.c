#include "scan.h"

#include <stdarg.h>

static pl_status fail_at(const pl_scan *scan, const char *place, const char *format,
                         va_list arguments)
{
    char sentence[512];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    return pl_fail(PL_ERROR_FORMAT, "%s%s: %s", scan->name, place, sentence);
}

// Lines are counted only when someone wants to know: parsing pays nothing for it.
int64_t pl_scan_lines(const pl_scan *scan)
{
    int64_t n = scan->before;
    const char *here = PL_MIN(scan->p, scan->end);
    for (const char *p = scan->begin; (p = memchr(p, '\n', (size_t)(here - p))) != NULL; p++) n++;
    return n;
}

pl_status pl_scan_fail(const pl_scan *scan, const char *format, ...)
{
    char place[32];
    snprintf(place, sizeof place, ":%lld", (long long)pl_scan_lines(scan) + 1);
    va_list arguments;
    va_start(arguments, format);
    pl_status status = fail_at(scan, place, format, arguments);
    va_end(arguments);
    return status;
}

pl_status pl_scan_fail_byte(const pl_scan *scan, const char *format, ...)
{
    char place[32];
    snprintf(place, sizeof place, ": byte %lld", (long long)(scan->p - scan->begin));
    va_list arguments;
    va_start(arguments, format);
    pl_status status = fail_at(scan, place, format, arguments);
    va_end(arguments);
    return status;
}

void pl_swap_bytes(void *values, size_t size, int64_t count)
{
    char *v = values;
    for (int64_t i = 0; i < count; i++, v += size) {
        if (size == 2) {
            uint16_t x;
            memcpy(&x, v, 2);
            x = __builtin_bswap16(x);
            memcpy(v, &x, 2);
        } else if (size == 4) {
            uint32_t x;
            memcpy(&x, v, 4);
            x = __builtin_bswap32(x);
            memcpy(v, &x, 4);
        } else if (size == 8) {
            uint64_t x;
            memcpy(&x, v, 8);
            x = __builtin_bswap64(x);
            memcpy(v, &x, 8);
        }
    }
}
