#include "array.h"

#include <stdarg.h>

size_t pl_number_size(pl_number_type type)
{
    static const size_t size[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return size[type];
}

void pl_array_free(pl_array *array)
{
    pl_free(array->owned);
    *array = (pl_array){0};
}

// --- In ---

pl_status pl_array_bytes(pl_scan *scan, pl_number_type type, bool swap, int64_t count,
                         pl_array *out)
{
    size_t size = pl_number_size(type);
    size_t left = pl_scan_left(scan);
    if (count < 0 || (uint64_t)count > left / size) {
        return pl_scan_fail_byte(
            scan, "%lld values of %zu bytes should follow, but %zu bytes are left in the file",
            (long long)count, size, left);
    }
    *out = (pl_array){.data = scan->p,
                      .count = count,
                      .type = type,
                      .swap = swap && size > 1,
                      .from = PL_FROM_BYTES,
                      .origin = scan->p};
    scan->p += (size_t)count * size;
    return PL_OK;
}

pl_status pl_array_text(pl_scan *scan, pl_number_type type, int64_t count, pl_array *out)
{
    PL_ASSERT(type == PL_INT64 || type == PL_FLOAT64);
    size_t left = pl_scan_left(scan);
    if (count < 0 || (uint64_t)count > left / 2 + 1) { // a digit and a space each
        return pl_scan_fail(scan, "%lld numbers should follow, but %zu bytes are left in the file",
                            (long long)count, left);
    }
    void *values = pl_alloc(count, 8);
    if (values == NULL) return PL_ERROR_MEMORY;
    *out = (pl_array){.data = values,
                      .owned = values,
                      .count = count,
                      .type = type,
                      .from = PL_FROM_TEXT,
                      .origin = scan->p};
    pl_status status =
        type == PL_INT64 ? pl_scan_ints(scan, count, values) : pl_scan_doubles(scan, count, values);
    if (status != PL_OK) pl_array_free(out);
    return status;
}

static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static pl_status fail_number(pl_scan *scan, const char *at, const char *what, int64_t i, int64_t n)
{
    scan->p = at;
    if (pl_scan_at_end(scan)) {
        return pl_scan_fail(scan, "the file ends before %s %lld of %lld", what, (long long)i + 1,
                            (long long)n);
    }
    return pl_scan_fail(scan, "expected %s %lld of %lld", what, (long long)i + 1, (long long)n);
}

pl_status pl_scan_doubles(pl_scan *scan, int64_t n, double *out)
{
    const char *p = scan->p, *end = scan->end;
    for (int64_t i = 0; i < n; i++) {
        while (is_space(*p)) p++;
        const char *after = pl_parse_double(p, &out[i]);
        if (after == NULL || after > end) return fail_number(scan, p, "number", i, n);
        p = after;
    }
    scan->p = p;
    return PL_OK;
}

pl_status pl_scan_ints(pl_scan *scan, int64_t n, int64_t *out)
{
    const char *p = scan->p, *end = scan->end;
    for (int64_t i = 0; i < n; i++) {
        while (is_space(*p)) p++;
        const char *after = pl_parse_int64(p, &out[i]);
        if (after == NULL || after > end) return fail_number(scan, p, "integer", i, n);
        p = after;
    }
    scan->p = p;
    return PL_OK;
}

// --- Conversion ---

// One loop per type of the file: U is the unsigned integer that holds the bits of a T.
#define CONVERT(T, U, SWAP, OUT)                                                                   \
    do {                                                                                           \
        const char *from = array->data + (size_t)first * sizeof(T);                                \
        for (int64_t i = 0; i < n; i++, from += sizeof(T)) {                                       \
            U bits;                                                                                \
            T value;                                                                               \
            memcpy(&bits, from, sizeof bits);                                                      \
            if (array->swap) bits = (U)SWAP(bits);                                                 \
            memcpy(&value, &bits, sizeof value);                                                   \
            out[i] = (OUT)value;                                                                   \
        }                                                                                          \
        return;                                                                                    \
    } while (0)

#define AS_IS(bits) (bits)

void pl_array_ints(const pl_array *array, int64_t first, int64_t n, int64_t *out)
{
    PL_ASSERT(first >= 0 && n >= 0 && first + n <= array->count);
    PL_ASSERT(pl_number_is_integer(array->type));
    switch (array->type) {
    case PL_INT8:
        CONVERT(int8_t, uint8_t, AS_IS, int64_t);
    case PL_UINT8:
        CONVERT(uint8_t, uint8_t, AS_IS, int64_t);
    case PL_INT16:
        CONVERT(int16_t, uint16_t, __builtin_bswap16, int64_t);
    case PL_UINT16:
        CONVERT(uint16_t, uint16_t, __builtin_bswap16, int64_t);
    case PL_INT32:
        CONVERT(int32_t, uint32_t, __builtin_bswap32, int64_t);
    case PL_UINT32:
        CONVERT(uint32_t, uint32_t, __builtin_bswap32, int64_t);
    case PL_INT64:
    case PL_UINT64:
        CONVERT(int64_t, uint64_t, __builtin_bswap64, int64_t);
    case PL_FLOAT32:
    case PL_FLOAT64:
        return;
    }
}

void pl_array_doubles(const pl_array *array, int64_t first, int64_t n, double *out)
{
    PL_ASSERT(first >= 0 && n >= 0 && first + n <= array->count);
    switch (array->type) {
    case PL_INT8:
        CONVERT(int8_t, uint8_t, AS_IS, double);
    case PL_UINT8:
        CONVERT(uint8_t, uint8_t, AS_IS, double);
    case PL_INT16:
        CONVERT(int16_t, uint16_t, __builtin_bswap16, double);
    case PL_UINT16:
        CONVERT(uint16_t, uint16_t, __builtin_bswap16, double);
    case PL_INT32:
        CONVERT(int32_t, uint32_t, __builtin_bswap32, double);
    case PL_UINT32:
        CONVERT(uint32_t, uint32_t, __builtin_bswap32, double);
    case PL_INT64:
        CONVERT(int64_t, uint64_t, __builtin_bswap64, double);
    case PL_UINT64:
        CONVERT(uint64_t, uint64_t, __builtin_bswap64, double);
    case PL_FLOAT32:
        CONVERT(float, uint32_t, __builtin_bswap32, double);
    case PL_FLOAT64:
        if (!array->swap && n > 0) {
            memcpy(out, array->data + (size_t)first * sizeof(double), (size_t)n * sizeof(double));
            return;
        }
        CONVERT(double, uint64_t, __builtin_bswap64, double);
    }
}

// The loops of pl_array_gather and pl_array_match for one type. The compiler makes a copy for each
// constant group and swap, which is what makes them fast.
#define LOAD(T, U, SWAP, FROM)                                                                     \
    U bits;                                                                                        \
    T value;                                                                                       \
    memcpy(&bits, FROM, sizeof bits);                                                              \
    if (swap) bits = (U)SWAP(bits);                                                                \
    memcpy(&value, &bits, sizeof value)

#define DEFINE_LOOPS(NAME, T, U, SWAP)                                                             \
    static inline __attribute__((always_inline))                                                   \
    int64_t gather_##NAME(const char *from, int64_t stride, int group, bool swap, int64_t n,       \
                          uint64_t base, uint64_t limit, int32_t *out)                             \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++, from += (size_t)stride * sizeof(T), out += group) {        \
            bool good = true;                                                                      \
            for (int k = 0; k < group; k++) {                                                      \
                LOAD(T, U, SWAP, from + (size_t)k * sizeof(T));                                    \
                uint64_t shifted = (uint64_t)(int64_t)value - base;                                \
                good &= shifted < limit;                                                           \
                out[k] = (int32_t)shifted;                                                         \
            }                                                                                      \
            if (!good) return i;                                                                   \
        }                                                                                          \
        return n;                                                                                  \
    }                                                                                              \
    static inline __attribute__((always_inline)) int64_t match_##NAME(                             \
        const char *from, int64_t stride, bool swap, int64_t n, uint64_t expected, uint64_t step)  \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++, from += (size_t)stride * sizeof(T), expected += step) {    \
            LOAD(T, U, SWAP, from);                                                                \
            if ((uint64_t)(int64_t)value != expected) return i;                                    \
        }                                                                                          \
        return n;                                                                                  \
    }

DEFINE_LOOPS(i8, int8_t, uint8_t, AS_IS)
DEFINE_LOOPS(u8, uint8_t, uint8_t, AS_IS)
DEFINE_LOOPS(i16, int16_t, uint16_t, __builtin_bswap16)
DEFINE_LOOPS(u16, uint16_t, uint16_t, __builtin_bswap16)
DEFINE_LOOPS(i32, int32_t, uint32_t, __builtin_bswap32)
DEFINE_LOOPS(u32, uint32_t, uint32_t, __builtin_bswap32)
DEFINE_LOOPS(i64, int64_t, uint64_t, __builtin_bswap64)

// return CALL(name of the type) for the type of the array.
#define DISPATCH(CALL)                                                                             \
    switch (array->type) {                                                                         \
    case PL_INT8:                                                                                  \
        return CALL(i8);                                                                           \
    case PL_UINT8:                                                                                 \
        return CALL(u8);                                                                           \
    case PL_INT16:                                                                                 \
        return CALL(i16);                                                                          \
    case PL_UINT16:                                                                                \
        return CALL(u16);                                                                          \
    case PL_INT32:                                                                                 \
        return CALL(i32);                                                                          \
    case PL_UINT32:                                                                                \
        return CALL(u32);                                                                          \
    case PL_INT64:                                                                                 \
    case PL_UINT64:                                                                                \
        return CALL(i64);                                                                          \
    case PL_FLOAT32:                                                                               \
    case PL_FLOAT64:                                                                               \
        break;                                                                                     \
    }                                                                                              \
    return 0

#define GATHER_GROUP(NAME, GROUP)                                                                  \
    (array->swap                                                                                   \
         ? gather_##NAME(from, stride, GROUP, true, n, (uint64_t)base, (uint64_t)limit, out)       \
         : gather_##NAME(from, stride, GROUP, false, n, (uint64_t)base, (uint64_t)limit, out))
#define GATHER(NAME) (group == 4 ? GATHER_GROUP(NAME, 4) : GATHER_GROUP(NAME, 3))
#define MATCH(NAME)                                                                                \
    (array->swap ? match_##NAME(from, stride, true, n, (uint64_t)start, (uint64_t)step)            \
                 : match_##NAME(from, stride, false, n, (uint64_t)start, (uint64_t)step))

int64_t pl_array_gather(const pl_array *array, int64_t first, int64_t stride, int group, int64_t n,
                        int64_t base, int64_t limit, int32_t *out)
{
    PL_ASSERT((group == 3 || group == 4) && limit <= INT32_MAX);
    PL_ASSERT(n == 0 || first + stride * (n - 1) + group <= array->count);
    const char *from = array->data + (size_t)first * pl_number_size(array->type);
    DISPATCH(GATHER);
}

int64_t pl_array_match(const pl_array *array, int64_t first, int64_t stride, int64_t n,
                       int64_t start, int64_t step)
{
    PL_ASSERT(n == 0 || first + stride * (n - 1) < array->count);
    const char *from = array->data + (size_t)first * pl_number_size(array->type);
    DISPATCH(MATCH);
}

int64_t pl_first_not_finite(const double *values, int64_t n)
{
    // All exponent bits set: infinite or not a number. In integers, a comparison is all it takes.
    const uint64_t limit = 0x7ff0000000000000u;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & ~((uint64_t)1 << 63)) >= limit) return i;
    }
    return n;
}

// --- Messages ---

static const char *find_word(const char *p, const char *end, int64_t i)
{
    for (;; i--) {
        while (p < end && is_space(*p)) p++;
        if (i == 0 || p >= end) return p;
        while (p < end && !is_space(*p)) p++;
    }
}

void pl_array_drop_first(pl_array *array)
{
    PL_ASSERT(array->count > 0);
    size_t size = pl_number_size(array->type);
    array->data += size;
    array->count--;
    if (array->from == PL_FROM_BYTES) array->origin += size;
    if (array->from == PL_FROM_TEXT) {
        while (is_space(*array->origin)) array->origin++;
        while (!is_space(*array->origin) && *array->origin != '\0') array->origin++;
    }
}

pl_status pl_array_fail(const pl_array *array, const pl_scan *scan, int64_t i, const char *format,
                        ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pl_scan place = *scan;
    place.p = array->origin;
    if (array->from == PL_FROM_TEXT) {
        place.p = find_word(array->origin, scan->end, i);
        return pl_scan_fail(&place, "%s", sentence);
    }
    if (array->from == PL_FROM_BYTES) place.p += (size_t)i * pl_number_size(array->type);
    return pl_scan_fail_byte(&place, "%s", sentence);
}

void pl_log_skipped(const char *file, const int64_t *skipped, const char *const *names, int n)
{
    char text[512];
    size_t used = 0;
    for (int i = 0; i < n && used < sizeof text; i++) {
        if (skipped[i] == 0) continue;
        const char *comma = used > 0 ? ", " : "";
        size_t room = sizeof text - used;
        int length =
            names[i] != NULL
                ? snprintf(text + used, room, "%s%lld %s", comma, (long long)skipped[i], names[i])
                : snprintf(text + used, room, "%s%lld of type %d", comma, (long long)skipped[i], i);
        used += (size_t)length;
    }
    if (used > 0) {
        pl_log(PL_LOG_WARNING, "%s: skipped %s: only triangles, polygons and linear tets are read",
               file, text);
    }
}

// --- Room ---

pl_status pl_builder_reserve_vertices(pl_mesh_builder *builder, int64_t n, const char *name)
{
    if (n > PL_MESH_MAX - builder->n_vert) {
        return pl_fail(PL_ERROR_FORMAT, "%s: a mesh of more than %d vertices", name, PL_MESH_MAX);
    }
    return pl_reserve((void **)&builder->x, &builder->x_capacity,
                      PL_MAX(1, 3 * (builder->n_vert + n)), sizeof(double));
}

pl_status pl_builder_reserve_faces(pl_mesh_builder *builder, int64_t n)
{
    return pl_reserve((void **)&builder->face, &builder->face_capacity,
                      PL_MAX(1, 3 * (builder->n_face + n)), sizeof(int32_t));
}

pl_status pl_builder_reserve_tets(pl_mesh_builder *builder, int64_t n)
{
    return pl_reserve((void **)&builder->tet, &builder->tet_capacity,
                      PL_MAX(1, 4 * (builder->n_tet + n)), sizeof(int32_t));
}
