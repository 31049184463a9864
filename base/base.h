// What every room stands on: failures, the log, memory, assertions. Internal.

#ifndef PL_BASE_H
#define PL_BASE_H

#include "pliant.h"

#include <assert.h>

// A programmer's mistake. Bad input is never one: it gets a pl_status.
#define PL_ASSERT(condition) assert(condition)

#if defined(__GNUC__)
#define PL_PRINTF(format_index, first_argument)                                                    \
    __attribute__((format(printf, format_index, first_argument)))
#else
#define PL_PRINTF(format_index, first_argument)
#endif

// Leaves a function on the first failure. Use where nothing has to be cleaned up.
#define PL_TRY(expression)                                                                         \
    do {                                                                                           \
        pl_status pl_try_status = (expression);                                                    \
        if (pl_try_status != PL_OK) return pl_try_status;                                          \
    } while (0)

// Compiles a function once per instruction set; the loader picks. Without contraction (see the
// Makefile) all give the same bits. The thread sanitizer is not up yet when the loader picks.
// `make PLAIN=1` compiles none, for tools that do not know all instructions: valgrind 3.19
// believes that there is AVX2, and ends with SIGILL at the encoding (66 0F D6) that the assembler
// has for a vmovq between registers. The loader picks before there is an environment to look at, so
// that no variable can choose.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_THREAD__) && !defined(PL_PLAIN)
#define PL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PL_CLONES
#endif

// Fails if a pointer that the caller of a public function must give is NULL.
#define PL_REQUIRE(pointer)                                                                        \
    do {                                                                                           \
        if ((pointer) == NULL)                                                                     \
            return pl_fail(PL_ERROR_ARGUMENT, "%s: %s is NULL", __func__, #pointer);               \
    } while (0)

#define PL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define PL_MAX(a, b) ((a) > (b) ? (a) : (b))

// Records the sentence for pl_error_text() and returns `status`: `return pl_fail(PL_ERROR_FILE,
// ...)`.
pl_status pl_fail(pl_status status, const char *format, ...) PL_PRINTF(2, 3);

// Puts "prefix: " in front of the recorded sentence, for callers that know more about the place.
void pl_fail_prefix(const char *prefix);

// One line to the log hook.
void pl_log(pl_log_level level, const char *format, ...) PL_PRINTF(2, 3);

// 64-byte aligned memory for `count` elements of `size` bytes; NULL (with pl_error_text set) if it
// cannot be had or the product overflows. A count of 0 gives a valid block. Give back with pl_free.
void *pl_alloc(int64_t count, size_t size);
void *pl_alloc_zero(int64_t count, size_t size);
void pl_free(void *block); // NULL is fine

// Makes room for at least `need` elements in *block, growing *capacity by half at least; keeps the
// contents. On failure returns PL_ERROR_MEMORY and leaves the block as it was.
pl_status pl_reserve(void **block, int64_t *capacity, int64_t need, size_t size);

// Seconds from a steady clock.
double pl_seconds(void);

// The nearest of `names` (n) by edit distance, NULL if none is near enough to be meant.
const char *pl_nearest(const char *name, const char *const *names, int n);

// Fails with `unknown WHAT "word"`, and suggests the nearest of `names` (n), or else tells all of
// them, as far as there is room. `length` bounds `word`, which need
// not be terminated there.
pl_status pl_fail_unknown(pl_status status, const char *what, const char *word, size_t length,
                          const char *const *names, int n);

#endif
