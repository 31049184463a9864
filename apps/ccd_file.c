#include "ccd_file.h"
#include "../base/scan.h"

#include <gmp.h>
#include <math.h>
#include <zlib.h>

enum {
    ROWS = 8,         // of a query
    DIGITS_MAX = 400, // of an integer; the denominator of the smallest double has 324
    FIRST_BYTES = 1 << 16,
};

typedef struct reader {
    pl_scan scan;
    mpq_t value, back;
    pl_ccd_queries queries;
    int64_t x_capacity, truth_capacity;
} reader;

// --- gzip ---

static bool is_gzip(const pl_bytes *bytes)
{
    return bytes->size >= 2 && memcmp(bytes->data, "\x1f\x8b", 2) == 0;
}

// Inflates all members of a gzip file into *block, which grows.
static pl_status inflate_members(z_stream *stream, const char *name, void **block, size_t *size)
{
    int64_t capacity = 0;
    for (;;) {
        PL_TRY(pl_reserve(block, &capacity, (int64_t)*size + FIRST_BYTES, 1));
        size_t room = PL_MIN((size_t)capacity - *size, (size_t)1 << 30);
        stream->next_out = (Bytef *)*block + *size;
        stream->avail_out = (uInt)room;
        int code = inflate(stream, Z_NO_FLUSH);
        *size += room - stream->avail_out;
        if (code == Z_STREAM_END) {
            if (stream->avail_in == 0) return PL_OK;
            code = inflateReset(stream);
        }
        if (code == Z_BUF_ERROR ||
            (code == Z_OK && stream->avail_in == 0 && stream->avail_out > 0)) {
            return pl_fail(PL_ERROR_FORMAT, "%s: the compressed data ends too early", name);
        }
        if (code == Z_MEM_ERROR) return pl_fail(PL_ERROR_MEMORY, "%s: no memory to inflate", name);
        if (code != Z_OK) return pl_fail(PL_ERROR_FORMAT, "%s: damaged gzip data", name);
    }
}

// Replaces the bytes of a gzip file by what they hold.
static pl_status unpack(const char *name, pl_bytes *bytes)
{
    if (bytes->size > UINT32_MAX) return pl_fail(PL_ERROR_FORMAT, "%s: larger than 4 GB", name);
    z_stream stream = {.next_in = (Bytef *)bytes->data, .avail_in = (uInt)bytes->size};
    if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) {
        return pl_fail(PL_ERROR_MEMORY, "%s: no memory to inflate", name);
    }
    void *block = NULL;
    size_t size = 0;
    pl_status status = inflate_members(&stream, name, &block, &size);
    inflateEnd(&stream);
    pl_bytes plain = {NULL, 0};
    if (status == PL_OK) status = pl_bytes_copy(block, size, &plain);
    pl_free(block);
    pl_bytes_free(bytes);
    *bytes = plain;
    return status;
}

// --- Rows ---

static pl_status read_integer(pl_scan *scan, mpz_t value)
{
    char text[DIGITS_MAX + 2];
    size_t sign = *scan->p == '-', length = sign;
    while (scan->p[length] >= '0' && scan->p[length] <= '9' && length <= DIGITS_MAX) length++;
    if (length == sign) return pl_scan_fail(scan, "expected an integer");
    if (length > DIGITS_MAX) return pl_scan_fail(scan, "an integer of over %d digits", DIGITS_MAX);
    memcpy(text, scan->p, length);
    text[length] = '\0';
    mpz_set_str(value, text, 10);
    scan->p += length;
    return PL_OK;
}

static pl_status read_comma(pl_scan *scan)
{
    if (*scan->p != ',') {
        return pl_scan_fail(scan, "expected x_num,x_den,y_num,y_den,z_num,z_den,truth");
    }
    scan->p++;
    return PL_OK;
}

// A fraction that is a double; rounding it would change the question.
static pl_status read_coordinate(reader *r, double *x)
{
    PL_TRY(read_integer(&r->scan, mpq_numref(r->value)));
    PL_TRY(read_comma(&r->scan));
    PL_TRY(read_integer(&r->scan, mpq_denref(r->value)));
    PL_TRY(read_comma(&r->scan));
    if (mpz_sgn(mpq_denref(r->value)) == 0) return pl_scan_fail(&r->scan, "a denominator is 0");
    mpq_canonicalize(r->value);
    *x = mpq_get_d(r->value);
    if (!isfinite(*x)) return pl_scan_fail(&r->scan, "a coordinate is too large for a double");
    mpq_set_d(r->back, *x);
    if (!mpq_equal(r->value, r->back)) {
        return pl_scan_fail(&r->scan, "a coordinate is not exactly a double");
    }
    return PL_OK;
}

static pl_status read_row(reader *r, double x[3], bool *truth)
{
    for (int k = 0; k < 3; k++) PL_TRY(read_coordinate(r, &x[k]));
    if (*r->scan.p != '0' && *r->scan.p != '1') {
        return pl_scan_fail(&r->scan, "expected 0 or 1 for the truth");
    }
    *truth = *r->scan.p++ == '1';
    if (!pl_scan_line_ends(&r->scan)) return pl_scan_fail(&r->scan, "more than seven columns");
    return PL_OK;
}

static pl_status read_query(reader *r)
{
    pl_ccd_queries *q = &r->queries;
    PL_TRY(pl_reserve((void **)&q->x, &r->x_capacity, 24 * (q->n + 1), sizeof *q->x));
    PL_TRY(pl_reserve((void **)&q->truth, &r->truth_capacity, q->n + 1, sizeof *q->truth));
    for (int row = 0; row < ROWS; row++) {
        if (pl_scan_at_end(&r->scan)) {
            return pl_scan_fail(&r->scan, "the last query has %d rows, not %d", row, ROWS);
        }
        bool truth = false;
        PL_TRY(read_row(r, q->x + 24 * q->n + 3 * row, &truth));
        if (row > 0 && truth != q->truth[q->n]) {
            return pl_scan_fail(&r->scan, "the rows of a query disagree about its truth");
        }
        q->truth[q->n] = truth;
        pl_scan_space(&r->scan);
    }
    q->n++;
    return PL_OK;
}

static pl_status read_bytes(const pl_bytes *bytes, const char *name, pl_ccd_queries *out)
{
    reader r = {.scan = pl_scan_start(bytes, name)};
    mpq_inits(r.value, r.back, NULL);
    pl_status status = PL_OK;
    pl_scan_space(&r.scan);
    while (status == PL_OK && !pl_scan_at_end(&r.scan)) status = read_query(&r);
    if (status == PL_OK && r.queries.n == 0) {
        status = pl_fail(PL_ERROR_FORMAT, "%s: holds no queries", name);
    }
    mpq_clears(r.value, r.back, NULL);
    if (status == PL_OK) *out = r.queries;
    if (status != PL_OK) pl_ccd_queries_free(&r.queries);
    return status;
}

// --- Files ---

// Takes the bytes.
static pl_status read_any(pl_bytes *bytes, const char *name, pl_ccd_queries *out)
{
    pl_status status = is_gzip(bytes) ? unpack(name, bytes) : PL_OK;
    if (status == PL_OK) status = read_bytes(bytes, name, out);
    pl_bytes_free(bytes);
    return status;
}

pl_status pl_ccd_queries_read(const char *path, pl_ccd_queries *out)
{
    *out = (pl_ccd_queries){0};
    pl_bytes bytes;
    PL_TRY(pl_bytes_load(path, &bytes));
    return read_any(&bytes, path, out);
}

pl_status pl_ccd_queries_read_memory(const void *data, size_t size, const char *name,
                                     pl_ccd_queries *out)
{
    *out = (pl_ccd_queries){0};
    pl_bytes bytes;
    PL_TRY(pl_bytes_copy(data, size, &bytes));
    return read_any(&bytes, name, out);
}

void pl_ccd_queries_free(pl_ccd_queries *queries)
{
    pl_free(queries->x);
    pl_free(queries->truth);
    *queries = (pl_ccd_queries){0};
}
