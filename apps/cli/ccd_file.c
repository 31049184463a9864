#include "ccd_file.h"
#include "../../base/scan.h"

#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <zlib.h>

enum {
    ROWS = 8,         // of a query
    DIGITS_MAX = 400, // of an integer; the denominator of the smallest double has 324
    WINDOW = 1 << 20, // of a compressed file, so much text is in memory at a time ...
    LEAST = 1 << 16,  // ... and no less than this, which holds a query, unless it ends
};

// More text in one compressed file is refused: a few kilobytes can stand for any amount of it.
static const int64_t TEXT_MAX = INT64_C(1) << 30;

typedef struct reader {
    pl_scan scan;
    mpq_t value, back;
    pl_ccd_queries queries;
    int64_t x_capacity, truth_capacity;
    // Of a compressed file.
    bool packed, inflated; // it is one; all of it is in the window, or was
    z_stream stream;
    pl_bytes window; // (WINDOW) in which the cursor is
    int64_t text;    // bytes so far
} reader;

// --- gzip ---

static bool is_gzip(const pl_bytes *bytes)
{
    return bytes->size >= 2 && memcmp(bytes->data, "\x1f\x8b", 2) == 0;
}

// A member of the file has ended, and another may follow.
static pl_status end_member(reader *r)
{
    r->inflated = r->stream.avail_in == 0;
    if (r->inflated || inflateReset(&r->stream) == Z_OK) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s: damaged gzip data", r->scan.name);
}

// Appends text to the window of `size` bytes, until that is full or the file ends.
static pl_status inflate_more(reader *r, size_t *size)
{
    const char *name = r->scan.name;
    while (*size < WINDOW && !r->inflated) {
        uInt room = (uInt)(WINDOW - *size);
        r->stream.next_out = (Bytef *)r->window.data + *size;
        r->stream.avail_out = room;
        int code = inflate(&r->stream, Z_NO_FLUSH);
        *size += room - r->stream.avail_out;
        r->text += room - r->stream.avail_out;
        if (r->text > TEXT_MAX) {
            return pl_fail(PL_ERROR_FORMAT, "%s: more than %" PRId64 " MB of text; split the file",
                           name, TEXT_MAX >> 20);
        }
        if (code == Z_MEM_ERROR) return pl_fail(PL_ERROR_MEMORY, "%s: no memory to inflate", name);
        bool ends = code == Z_OK && r->stream.avail_in == 0 && r->stream.avail_out > 0;
        if (code == Z_BUF_ERROR || ends) {
            return pl_fail(PL_ERROR_FORMAT, "%s: the compressed data ends too early", name);
        }
        if (code == Z_STREAM_END) {
            PL_TRY(end_member(r));
        } else if (code != Z_OK) {
            return pl_fail(PL_ERROR_FORMAT, "%s: damaged gzip data", name);
        }
    }
    return PL_OK;
}

// Makes sure that a whole query follows the cursor, or all that is left of the file.
static pl_status refill(reader *r)
{
    pl_scan *scan = &r->scan;
    size_t left = pl_scan_left(scan);
    if (!r->packed || r->inflated || left >= LEAST) return PL_OK;
    scan->before = pl_scan_lines(scan);
    memmove(r->window.data, scan->p, left);
    PL_TRY(inflate_more(r, &left));
    memset(r->window.data + left, 0, PL_BYTES_PAD);
    scan->p = scan->begin = r->window.data;
    scan->end = r->window.data + left;
    return PL_OK;
}

static pl_status start_inflating(reader *r, const pl_bytes *bytes)
{
    const char *name = r->scan.name;
    if (bytes->size > UINT32_MAX) return pl_fail(PL_ERROR_FORMAT, "%s: larger than 4 GB", name);
    r->stream = (z_stream){.next_in = (Bytef *)bytes->data, .avail_in = (uInt)bytes->size};
    r->window.data = pl_alloc(WINDOW + PL_BYTES_PAD, 1);
    if (r->window.data == NULL) return PL_ERROR_MEMORY;
    if (inflateInit2(&r->stream, MAX_WBITS + 16) != Z_OK) {
        return pl_fail(PL_ERROR_MEMORY, "%s: no memory to inflate", name);
    }
    r->packed = true;
    r->scan.p = r->scan.begin = r->scan.end = r->window.data;
    return PL_OK;
}

// Moves over white space, however much there is.
static pl_status skip_space(reader *r)
{
    do {
        pl_scan_space(&r->scan);
        PL_TRY(refill(r));
    } while (*r->scan.p == ' ' || (*r->scan.p >= '\t' && *r->scan.p <= '\r'));
    return PL_OK;
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
        PL_TRY(skip_space(r));
    }
    q->n++;
    return PL_OK;
}

static pl_status read_all(reader *r, const pl_bytes *bytes)
{
    if (is_gzip(bytes)) PL_TRY(start_inflating(r, bytes));
    PL_TRY(refill(r));
    PL_TRY(skip_space(r));
    while (!pl_scan_at_end(&r->scan)) PL_TRY(read_query(r));
    if (r->queries.n > 0) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s: holds no queries", r->scan.name);
}

// --- Files ---

// Takes the bytes.
static pl_status read_any(pl_bytes *bytes, const char *name, pl_ccd_queries *out)
{
    reader r = {.scan = pl_scan_start(bytes, name)};
    mpq_inits(r.value, r.back, NULL);
    pl_status status = read_all(&r, bytes);
    mpq_clears(r.value, r.back, NULL);
    if (r.packed) inflateEnd(&r.stream);
    pl_bytes_free(&r.window);
    pl_bytes_free(bytes);
    if (status == PL_OK) *out = r.queries;
    if (status != PL_OK) pl_ccd_queries_free(&r.queries);
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
