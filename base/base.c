#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    ERROR_TEXT_SIZE = 1024,
    LOG_TEXT_SIZE = 1024,
    ALIGNMENT = 64,
    NEAREST_MAX = 63,
    NAMES_MAX = 400
};
enum { HUGE_PAGE = 2 << 20 };

#define STRING_OF(x) #x
#define VERSION_STRING(a, b, c) STRING_OF(a) "." STRING_OF(b) "." STRING_OF(c)

const char *pl_version(void)
{
    return VERSION_STRING(PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
}

// --- Errors ---

static _Thread_local char error_text[ERROR_TEXT_SIZE];

const char *pl_status_name(pl_status status)
{
    switch (status) {
    case PL_OK:
        return "ok";
    case PL_ERROR_ARGUMENT:
        return "argument";
    case PL_ERROR_MEMORY:
        return "memory";
    case PL_ERROR_FILE:
        return "file";
    case PL_ERROR_FORMAT:
        return "format";
    case PL_ERROR_UNSUPPORTED:
        return "unsupported";
    case PL_ERROR_GEOMETRY:
        return "geometry";
    case PL_ERROR_NUMERICS:
        return "numerics";
    case PL_ERROR_TIME:
        return "time";
    case PL_ERROR_DEVICE:
        return "device";
    }
    return "unknown";
}

const char *pl_error_text(void)
{
    return error_text;
}

pl_status pl_fail(pl_status status, const char *format, ...)
{
    // Formatted aside, because an argument may be the present text.
    char text[ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(error_text, text, sizeof text);
    return status;
}

void pl_fail_prefix(const char *prefix)
{
    char text[2 * ERROR_TEXT_SIZE];
    int length = snprintf(text, ERROR_TEXT_SIZE, "%s: ", prefix);
    length = PL_MIN(length, ERROR_TEXT_SIZE - 1);
    memcpy(text + length, error_text, sizeof error_text);
    memcpy(error_text, text, sizeof error_text - 1); // the last byte stays 0
}

// --- Log ---

static pl_log_fn *log_hook;
static void *log_user;

void pl_set_log(pl_log_fn *log, void *user)
{
    log_hook = log;
    log_user = user;
}

void pl_log(pl_log_level level, const char *format, ...)
{
    if (log_hook == NULL) return;
    char text[LOG_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_hook(level, text, log_user);
}

// --- Memory ---

// Filling fresh pages of 4 KB costs more than reading a file does: asks for huge ones inside the
// block. That they are refused is no failure. The block itself is not aligned to them, because
// glibc recycles no mapped blocks of such an alignment.
static void use_huge_pages(void *block, size_t size)
{
    uintptr_t begin = ((uintptr_t)block + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = ((uintptr_t)block + size) / HUGE_PAGE * HUGE_PAGE;
    if (begin < end) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

static void *default_alloc(size_t size, size_t alignment, void *user)
{
    (void)user;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    void *block = rounded < size ? NULL : aligned_alloc(alignment, rounded);
    if (block != NULL && size >= 2 * HUGE_PAGE) use_huge_pages(block, size);
    return block;
}

static void default_release(void *block, void *user)
{
    (void)user;
    free(block);
}

static const pl_allocator default_allocator = {default_alloc, default_release, NULL};
static pl_allocator allocator = {default_alloc, default_release, NULL};

void pl_set_allocator(const pl_allocator *custom)
{
    bool whole = custom != NULL && custom->alloc != NULL && custom->release != NULL;
    allocator = whole ? *custom : default_allocator;
}

void *pl_alloc(int64_t count, size_t size)
{
    PL_ASSERT(count >= 0 && size > 0);
    size_t n = count > 0 ? (size_t)count : 1;
    void *block =
        n > (SIZE_MAX / 2) / size ? NULL : allocator.alloc(n * size, ALIGNMENT, allocator.user);
    if (block == NULL) {
        pl_fail(PL_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes could not be allocated",
                n, size);
    }
    return block;
}

void *pl_alloc_zero(int64_t count, size_t size)
{
    void *block = pl_alloc(count, size);
    if (block != NULL) memset(block, 0, (size_t)PL_MAX(count, 1) * size);
    return block;
}

void pl_free(void *block)
{
    if (block != NULL) allocator.release(block, allocator.user);
}

pl_status pl_reserve(void **block, int64_t *capacity, int64_t need, size_t size)
{
    if (need <= *capacity) return PL_OK;
    int64_t grown = PL_MAX(need, *capacity + *capacity / 2 + 16);
    void *fresh = pl_alloc(grown, size);
    if (fresh == NULL) return PL_ERROR_MEMORY;
    if (*block != NULL) memcpy(fresh, *block, (size_t)*capacity * size);
    pl_free(*block);
    *block = fresh;
    *capacity = grown;
    return PL_OK;
}

// --- Odds and ends ---

double pl_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Levenshtein's distance, one row of the table at a time; of b, the first NEAREST_MAX bytes count.
static int edit_distance(const char *a, const char *b)
{
    int n = (int)strnlen(b, NEAREST_MAX);
    int row[NEAREST_MAX + 1];
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 0; a[i] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < n; j++) {
            int substitute = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = PL_MIN(substitute, 1 + PL_MIN(row[j], diagonal));
        }
    }
    return row[n];
}

const char *pl_nearest(const char *name, const char *const *names, int n)
{
    const char *best = NULL;
    int best_distance =
        1 + PL_MAX(2, (int)strlen(name) / 3); // more typos than this are another word
    for (int i = 0; i < n; i++) {
        if (names[i][0] == '\0') continue;
        int distance = edit_distance(name, names[i]);
        if (distance < best_distance) {
            best_distance = distance;
            best = names[i];
        }
    }
    return best;
}

// None of the names is near: all of them, or as many as there is room for.
static pl_status fail_unlike(pl_status status, const char *what, const char *name,
                             const char *const *names, int n)
{
    char list[NAMES_MAX + 8] = "";
    size_t length = 0;
    for (int i = 0; i < n; i++) {
        size_t more = strlen(names[i]);
        if (more == 0) continue;
        if (length + more + 2 > NAMES_MAX) {
            strcpy(list + length, length > 0 ? ", ..." : "...");
            break;
        }
        length += (size_t)sprintf(list + length, "%s%s", length > 0 ? ", " : "", names[i]);
    }
    if (list[0] == '\0') return pl_fail(status, "unknown %s \"%s\": there are none", what, name);
    return pl_fail(status, "unknown %s \"%s\" (known: %s)", what, name, list);
}

pl_status pl_fail_unknown(pl_status status, const char *what, const char *word, size_t length,
                          const char *const *names, int n)
{
    char name[NEAREST_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)PL_MIN(length, (size_t)NEAREST_MAX), word);
    const char *best = pl_nearest(name, names, n);
    if (best == NULL) return fail_unlike(status, what, name, names, n);
    return pl_fail(status, "unknown %s \"%s\", did you mean \"%s\"?", what, name, best);
}
