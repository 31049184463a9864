// Binary values of a VTU file are a stream of bytes, raw or in base64, of one of two forms:
//
//   [bytes] values                                            as they are
//   [blocks] [block] [last] [compressed]*blocks deflated...   zlib, block by block
//
// where each [...] is a header of 4 or 8 bytes; `block` is the size of a block before compression
// and `last` that of the last one, 0 if it is full like the others.

#include "vtu.h"

#include <zlib.h>

enum { DEFLATE_RATIO = 1032 }; // no deflated data becomes more than this many times its size

// --- Bytes ---

typedef struct stream {
    pl_scan scan; // the cursor; ends where the bytes end
    bool base64;
    uint8_t rest[3]; // decoded, but not yet read
    int n_rest;
} stream;

// An upper bound for the bytes that can still be read.
static size_t stream_bound(const stream *s)
{
    size_t left = pl_scan_left(&s->scan);
    return s->base64 ? left / 4 * 3 + (size_t)s->n_rest : left;
}

// The value of a digit of base64, plus one; 0 for all else.
static const uint8_t base64_digit[256] = {['A'] = 1, 2,  3,  4,  5,  6,  7,  8,          9,
                                          10,        11, 12, 13, 14, 15, 16, 17,         18,
                                          19,        20, 21, 22, 23, 24, 25, 26,         ['a'] = 27,
                                          28,        29, 30, 31, 32, 33, 34, 35,         36,
                                          37,        38, 39, 40, 41, 42, 43, 44,         45,
                                          46,        47, 48, 49, 50, 51, 52, ['0'] = 53, 54,
                                          55,        56, 57, 58, 59, 60, 61, 62,         ['+'] = 63,
                                          ['/'] = 64};

// Four digits to three bytes; false if one of them is none.
static inline bool decode_group(const char *p, uint8_t to[3])
{
    uint32_t a = base64_digit[(uint8_t)p[0]] - 1u, b = base64_digit[(uint8_t)p[1]] - 1u;
    uint32_t c = base64_digit[(uint8_t)p[2]] - 1u, d = base64_digit[(uint8_t)p[3]] - 1u;
    uint32_t bits = a << 18 | b << 12 | c << 6 | d;
    to[0] = (uint8_t)(bits >> 16);
    to[1] = (uint8_t)(bits >> 8);
    to[2] = (uint8_t)bits;
    return (int32_t)(a | b | c | d) >= 0;
}

// The next group into `rest`. It may be padded, also in the middle: the header and the values are
// often encoded one by one.
static bool load_group(stream *s)
{
    pl_scan *scan = &s->scan;
    pl_scan_space(scan);
    if (pl_scan_left(scan) < 4) return false;
    char group[4];
    memcpy(group, scan->p, 4);
    s->n_rest = 3;
    if (group[3] == '=') {
        s->n_rest = group[2] == '=' ? 1 : 2;
        if (group[2] == '=') group[2] = 'A';
        group[3] = 'A';
    }
    if (!decode_group(group, s->rest)) {
        s->n_rest = 0;
        return false;
    }
    scan->p += 4;
    return true;
}

static bool read_base64(stream *s, uint8_t *to, size_t n)
{
    while (n > 0) {
        if (s->n_rest == 0) { // as far as the groups are whole and follow each other
            const char *p = s->scan.p;
            size_t groups = PL_MIN(n / 3, pl_scan_left(&s->scan) / 4), i = 0;
            while (i < groups && decode_group(p + 4 * i, to + 3 * i)) i++;
            s->scan.p += 4 * i;
            to += 3 * i;
            n -= 3 * i;
        }
        if (n == 0) break;
        if (s->n_rest == 0 && !load_group(s)) return false;
        *to++ = s->rest[0];
        n--;
        s->n_rest--;
        s->rest[0] = s->rest[1];
        s->rest[1] = s->rest[2];
    }
    return true;
}

static pl_status stream_read(stream *s, void *to, size_t n)
{
    bool read = n <= stream_bound(s) &&
                (s->base64 ? read_base64(s, to, n) : pl_scan_bytes(&s->scan, to, n));
    if (read) return PL_OK;
    return pl_scan_fail_byte(&s->scan, s->base64 ? "the values in base64 end or are damaged here"
                                                 : "the file ends inside of an array");
}

static pl_status read_header(const pl_vtu_source *source, stream *s, uint64_t *value)
{
    uint32_t narrow;
    if (source->header_size == 4) {
        PL_TRY(stream_read(s, &narrow, sizeof narrow));
        *value = source->swap ? __builtin_bswap32(narrow) : narrow;
    } else {
        PL_TRY(stream_read(s, value, sizeof *value));
        if (source->swap) *value = __builtin_bswap64(*value);
    }
    return PL_OK;
}

static pl_status fail_bytes(const stream *s, uint64_t found, size_t size)
{
    return pl_scan_fail_byte(&s->scan, "an array of %llu bytes, where %zu are needed",
                             (unsigned long long)found, size);
}

// --- As they are ---

static pl_status load_plain(const pl_vtu_source *source, stream *s, size_t size, pl_array *out)
{
    uint64_t found;
    PL_TRY(read_header(source, s, &found));
    if (found != size) return fail_bytes(s, found, size);
    if (size > stream_bound(s)) {
        return pl_scan_fail_byte(&s->scan, "the file ends inside of an array of %zu bytes", size);
    }
    out->origin = s->scan.p;
    if (!s->base64) {
        out->data = s->scan.p;
        out->from = PL_FROM_BYTES;
        s->scan.p += size;
        return PL_OK;
    }
    out->data = out->owned = pl_alloc((int64_t)size, 1);
    if (out->owned == NULL) return PL_ERROR_MEMORY;
    return stream_read(s, out->owned, size);
}

// --- Compressed ---

static void *zlib_alloc(void *user, uInt count, uInt size)
{
    (void)user;
    return pl_alloc((int64_t)count, size);
}

static void zlib_release(void *user, void *block)
{
    (void)user;
    pl_free(block);
}

typedef struct blocks {
    uint64_t count, size, last_size;
    uint64_t *compressed; // (count)
    uint64_t largest;     // among `compressed`
} blocks;

// Reads the headers and holds them against the values that are wanted and the bytes that are there.
static pl_status read_blocks(const pl_vtu_source *source, stream *s, size_t size, blocks *b)
{
    PL_TRY(read_header(source, s, &b->count));
    if (b->count == 0) return size == 0 ? PL_OK : fail_bytes(s, 0, size);
    PL_TRY(read_header(source, s, &b->size));
    PL_TRY(read_header(source, s, &b->last_size));
    if (b->last_size == 0) b->last_size = b->size;
    if (b->count > stream_bound(s) / source->header_size) {
        return pl_scan_fail_byte(&s->scan, "%llu compressed blocks do not fit into the file",
                                 (unsigned long long)b->count);
    }
    bool fits = b->size <= UINT32_MAX && b->last_size <= b->size &&
                (b->size == 0 || b->count - 1 <= size / b->size);
    if (!fits || (b->count - 1) * b->size + b->last_size != size) {
        return pl_scan_fail_byte(&s->scan,
                                 "%llu compressed blocks of %llu bytes, the last of %llu, where %zu"
                                 " bytes are needed",
                                 (unsigned long long)b->count, (unsigned long long)b->size,
                                 (unsigned long long)b->last_size, size);
    }
    b->compressed = pl_alloc((int64_t)b->count, sizeof *b->compressed);
    if (b->compressed == NULL) return PL_ERROR_MEMORY;
    uint64_t total = 0;
    for (uint64_t i = 0; i < b->count; i++) {
        PL_TRY(read_header(source, s, &b->compressed[i]));
        b->largest = PL_MAX(b->largest, b->compressed[i]);
        if (b->compressed[i] > stream_bound(s) - PL_MIN(total, stream_bound(s))) {
            return pl_scan_fail_byte(&s->scan, "block %llu of %llu bytes exceeds the file",
                                     (unsigned long long)i, (unsigned long long)b->compressed[i]);
        }
        total += b->compressed[i];
    }
    if (size / DEFLATE_RATIO > total) {
        return pl_scan_fail_byte(&s->scan, "%llu compressed bytes cannot hold %zu",
                                 (unsigned long long)total, size);
    }
    return PL_OK;
}

static pl_status inflate_blocks(stream *s, const blocks *b, z_stream *z, uint8_t *scratch,
                                uint8_t *to)
{
    for (uint64_t i = 0; i < b->count; i++) {
        const uint8_t *from = scratch;
        pl_scan start = s->scan;
        if (s->base64) {
            PL_TRY(stream_read(s, scratch, b->compressed[i]));
        } else {
            from = (const uint8_t *)s->scan.p;
            s->scan.p += b->compressed[i];
        }
        uint64_t size = i + 1 < b->count ? b->size : b->last_size;
        inflateReset(z);
        z->next_in = (z_const Bytef *)(uintptr_t)from;
        z->avail_in = (uInt)b->compressed[i];
        z->next_out = to;
        z->avail_out = (uInt)size;
        int result = inflate(z, Z_FINISH);
        if (result == Z_MEM_ERROR) return PL_ERROR_MEMORY;
        if (result != Z_STREAM_END || z->avail_out != 0) {
            return pl_scan_fail_byte(&start, "compressed block %llu does not yield %llu bytes: %s",
                                     (unsigned long long)i, (unsigned long long)size,
                                     z->msg != NULL ? z->msg : "it ends too early or too late");
        }
        to += size;
    }
    return PL_OK;
}

static pl_status load_blocks(stream *s, const blocks *b, size_t size, pl_array *out)
{
    if (b->largest > UINT32_MAX) return pl_scan_fail_byte(&s->scan, "a block of 4 GB or more");
    out->origin = s->scan.p;
    out->data = out->owned = pl_alloc((int64_t)size, 1);
    uint8_t *scratch = s->base64 ? pl_alloc((int64_t)b->largest, 1) : NULL;
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_release};
    pl_status status = PL_ERROR_MEMORY;
    if (out->owned != NULL && (scratch != NULL || !s->base64) && inflateInit(&z) == Z_OK) {
        status = inflate_blocks(s, b, &z, scratch, out->owned);
        inflateEnd(&z);
    }
    pl_free(scratch);
    return status;
}

static pl_status load_compressed(const pl_vtu_source *source, stream *s, size_t size, pl_array *out)
{
    blocks b = {0};
    pl_status status = read_blocks(source, s, size, &b);
    if (status == PL_OK) status = load_blocks(s, &b, size, out);
    pl_free(b.compressed);
    return status;
}

// --- All kinds ---

static pl_status load_text(pl_scan *scan, const pl_vtu_array *array, int64_t count, pl_array *out)
{
    bool integers = pl_number_is_integer(array->type) && array->components == 1;
    PL_TRY(pl_array_text(scan, integers ? PL_INT64 : PL_FLOAT64, count, out));
    pl_scan_space(scan);
    if (*scan->p != '<') {
        pl_array_free(out);
        return pl_scan_fail(scan, "more than the %lld values that are needed", (long long)count);
    }
    return PL_OK;
}

// Where the bytes of the array begin, and where they end at the latest.
static pl_status open_stream(const pl_vtu_source *source, const pl_vtu_array *array, stream *s)
{
    *s = (stream){.scan = source->scan, .base64 = true};
    s->scan.p = array->tag;
    if (array->format == PL_VTU_APPENDED) {
        if (source->appended == NULL) return pl_scan_fail(&s->scan, "there is no AppendedData");
        if (array->offset >= source->scan.end - source->appended) {
            return pl_scan_fail(&s->scan, "the offset %lld lies beyond the end of the file",
                                (long long)array->offset);
        }
        s->scan.p = source->appended + array->offset;
        s->base64 = source->appended_base64;
    } else {
        if (array->text == NULL) return pl_scan_fail(&s->scan, "an array without values");
        s->scan.p = array->text;
    }
    return PL_OK;
}

pl_status pl_vtu_load(pl_vtu_source *source, const pl_vtu_array *array, int64_t count,
                      pl_array *out)
{
    stream s;
    *out = (pl_array){0};
    PL_TRY(open_stream(source, array, &s));
    if (array->format == PL_VTU_ASCII) return load_text(&s.scan, array, count, out);
    size_t size = pl_number_size(array->type);
    if (count < 0 || (uint64_t)count > (uint64_t)INT64_MAX / size) {
        return pl_scan_fail_byte(&s.scan, "an array of %lld values", (long long)count);
    }
    *out = (pl_array){.count = count,
                      .type = array->type,
                      .swap = source->swap && size > 1,
                      .from = PL_FROM_ENCODING};
    size *= (size_t)count;
    const char *start = s.scan.p;
    pl_status status =
        source->zlib ? load_compressed(source, &s, size, out) : load_plain(source, &s, size, out);
    // Arrays that share their bytes would let a small file ask for any amount of memory.
    source->consumed += (size_t)(s.scan.p - start);
    if (status == PL_OK && source->consumed > (size_t)(source->scan.end - source->scan.begin)) {
        status = pl_scan_fail_byte(&s.scan, "arrays overlap");
    }
    if (status != PL_OK) pl_array_free(out);
    return status;
}
