// Arrays of numbers as mesh files hold them: text, or binary of any type and byte order. Internal.

#ifndef PL_ARRAY_H
#define PL_ARRAY_H

#include "io.h"

typedef enum pl_number_type {
    PL_INT8,
    PL_UINT8,
    PL_INT16,
    PL_UINT16,
    PL_INT32,
    PL_UINT32,
    PL_INT64,
    PL_UINT64,
    PL_FLOAT32,
    PL_FLOAT64,
} pl_number_type;

size_t pl_number_size(pl_number_type type);

static inline bool pl_number_is_integer(pl_number_type type)
{
    return type < PL_FLOAT32;
}

// Where the values of an array were found, so that a message can name the place of each.
typedef enum pl_array_origin {
    PL_FROM_BYTES,    // value i lies at origin + i * size
    PL_FROM_TEXT,     // value i is the i-th word from origin
    PL_FROM_ENCODING, // somewhere behind origin
} pl_array_origin;

typedef struct pl_array {
    const char *data; // the values, not necessarily aligned
    void *owned;      // the block that holds them, NULL if they lie in the file itself
    int64_t count;
    pl_number_type type;
    bool swap; // the byte order is not the machine's
    pl_array_origin from;
    const char *origin;
} pl_array;

void pl_array_free(pl_array *array);

// The `count` values of `type` at the cursor, left where they are; moves behind them. Fails if the
// file ends before.
pl_status pl_array_bytes(pl_scan *scan, pl_number_type type, bool swap, int64_t count,
                         pl_array *out);

// The next `count` words as PL_INT64 or PL_FLOAT64; moves behind them.
pl_status pl_array_text(pl_scan *scan, pl_number_type type, int64_t count, pl_array *out);

// Values [first, first + n) converted. An unsigned value above INT64_MAX comes out negative.
void pl_array_ints(const pl_array *array, int64_t first, int64_t n, int64_t *out);
void pl_array_doubles(const pl_array *array, int64_t first, int64_t n, double *out);

// Picks `group` (3 or 4) out of every `stride` values from `first` on, n times:
//     out[group*i + k] = value[first + stride*i + k] - base,   i < n, k < group.
// Returns n, or the first i where a result is not in [0, limit), limit <= INT32_MAX.
int64_t pl_array_gather(const pl_array *array, int64_t first, int64_t stride, int group, int64_t n,
                        int64_t base, int64_t limit, int32_t *out);

// Compares every `stride`-th value from `first` on with start, start + step, start + 2*step, ...
// Returns n if the first n are equal to these, else how many are before one is not.
int64_t pl_array_match(const pl_array *array, int64_t first, int64_t stride, int64_t n,
                       int64_t start, int64_t step);

// Forgets the first value, which must exist.
void pl_array_drop_first(pl_array *array);

// A failure at value i: with its line in text, with its byte else.
pl_status pl_array_fail(const pl_array *array, const pl_scan *scan, int64_t i, const char *format,
                        ...) PL_PRINTF(4, 5);

// n numbers at the cursor, separated by any white space.
pl_status pl_scan_doubles(pl_scan *scan, int64_t n, double *out);
pl_status pl_scan_ints(pl_scan *scan, int64_t n, int64_t *out);

// The index of the first value that is not finite, or n.
int64_t pl_first_not_finite(const double *values, int64_t n);

// n more vertices, faces or tets fit into the builder afterwards, whose array is then not NULL,
// also for n = 0. Fails with PL_ERROR_MEMORY, or with PL_ERROR_FORMAT if there would be more
// vertices than a pl_mesh can have.
pl_status pl_builder_reserve_vertices(pl_mesh_builder *builder, int64_t n, const char *name);
pl_status pl_builder_reserve_faces(pl_mesh_builder *builder, int64_t n);
pl_status pl_builder_reserve_tets(pl_mesh_builder *builder, int64_t n);

// One warning that counts the elements left out: skipped (n) by type, with the plural of each in
// names (n), NULL where it has none. Says nothing if all counts are 0.
void pl_log_skipped(const char *file, const int64_t *skipped, const char *const *names, int n);

#endif
