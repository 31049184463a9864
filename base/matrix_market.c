// Matrix Market: a line that says what follows, comments, sizes, numbers. By coordinates, a line
// has row, column (from 1) and value; an array has values alone, column by column.

#include "matrix_market.h"
#include "scan.h"

#include <math.h>

static const char BANNER[] = "%%MatrixMarket";

// The least that an entry by coordinates and a number of an array take in a file: "1 1 1\n", "1\n".
enum { ENTRY_BYTES = 6, NUMBER_BYTES = 2 };

typedef struct banner {
    bool array, symmetric, skew;
} banner;

// --- Compressed columns ---

void pl_columns_free(pl_columns *columns)
{
    pl_free(columns->col);
    pl_free(columns->row);
    pl_free(columns->val);
    *columns = (pl_columns){0};
}

pl_status pl_columns_create(int32_t n_row, int32_t n_col, int64_t n, pl_columns *out)
{
    *out = (pl_columns){n_row, n_col, pl_alloc_zero((int64_t)n_col + 1, sizeof *out->col),
                        pl_alloc(n, sizeof *out->row), pl_alloc(n, sizeof *out->val)};
    if (out->col != NULL && out->row != NULL && out->val != NULL) return PL_OK;
    pl_columns_free(out);
    return PL_ERROR_MEMORY;
}

// Transposes: entries of `from` come out with their rows in order.
static pl_status transpose(const pl_columns *from, pl_columns *to)
{
    PL_TRY(pl_columns_create(from->n_col, from->n_row, from->col[from->n_col], to));
    int64_t n = from->col[from->n_col];
    for (int64_t k = 0; k < n; k++) to->col[from->row[k] + 1]++;
    for (int32_t j = 0; j < to->n_col; j++) to->col[j + 1] += to->col[j];
    for (int32_t j = 0; j < from->n_col; j++) {
        for (int64_t k = from->col[j]; k < from->col[j + 1]; k++) {
            int64_t at = to->col[from->row[k]]++;
            to->row[at] = j;
            to->val[at] = from->val[k];
        }
    }
    for (int32_t j = to->n_col; j > 0; j--) to->col[j] = to->col[j - 1];
    to->col[0] = 0;
    return PL_OK;
}

// Adds up neighbours of the same row.
static void add_up(pl_columns *c)
{
    int64_t at = 0, begin = 0;
    for (int32_t j = 0; j < c->n_col; j++) {
        int64_t first = at, end = c->col[j + 1];
        for (int64_t k = begin; k < end; k++) {
            if (at > first && c->row[at - 1] == c->row[k]) {
                c->val[at - 1] += c->val[k];
                continue;
            }
            c->row[at] = c->row[k];
            c->val[at++] = c->val[k];
        }
        begin = end;
        c->col[j + 1] = at;
    }
}

pl_status pl_columns_from(int32_t n_row, int32_t n_col, int64_t n, const int32_t *row,
                          const int32_t *column, const double *val, pl_columns *out)
{
    pl_columns loose, turned;
    *out = (pl_columns){0};
    PL_TRY(pl_columns_create(n_row, n_col, n, &loose));
    for (int64_t k = 0; k < n; k++) loose.col[column[k] + 1]++;
    for (int32_t j = 0; j < n_col; j++) loose.col[j + 1] += loose.col[j];
    for (int64_t k = 0; k < n; k++) {
        int64_t at = loose.col[column[k]]++;
        loose.row[at] = row[k];
        loose.val[at] = val[k];
    }
    for (int32_t j = n_col; j > 0; j--) loose.col[j] = loose.col[j - 1];
    loose.col[0] = 0;
    pl_status status = transpose(&loose, &turned);
    pl_columns_free(&loose);
    PL_TRY(status);
    status = transpose(&turned, out);
    pl_columns_free(&turned);
    if (status == PL_OK) add_up(out);
    return status;
}

// --- Reading ---

bool pl_is_matrix_market(const pl_bytes *bytes)
{
    return bytes->size >= sizeof BANNER - 1 && memcmp(bytes->data, BANNER, sizeof BANNER - 1) == 0;
}

// A word of the banner, which may be in capitals.
static bool take_word(pl_scan *scan, const char *word)
{
    size_t n = strlen(word);
    pl_scan_blanks(scan);
    if (pl_scan_left(scan) < n || strncasecmp(scan->p, word, n) != 0) return false;
    scan->p += n;
    return pl_scan_separated(scan);
}

static pl_status get_banner(pl_scan *scan, banner *out)
{
    *out = (banner){0};
    if (pl_scan_left(scan) < sizeof BANNER - 1 || memcmp(scan->p, BANNER, sizeof BANNER - 1) != 0) {
        return pl_scan_fail(scan, "not a file of Matrix Market");
    }
    scan->p += sizeof BANNER - 1;
    if (!take_word(scan, "matrix")) return pl_scan_fail(scan, "not a matrix");
    out->array = take_word(scan, "array");
    if (!out->array && !take_word(scan, "coordinate")) {
        return pl_scan_fail(scan, "neither \"coordinate\" nor \"array\"");
    }
    if (!take_word(scan, "real") && !take_word(scan, "integer") && !take_word(scan, "double")) {
        return pl_scan_fail(scan, "numbers must be real or integer");
    }
    out->skew = take_word(scan, "skew-symmetric");
    out->symmetric = !out->skew && take_word(scan, "symmetric");
    if (!out->skew && !out->symmetric && !take_word(scan, "general")) {
        return pl_scan_fail(scan, "neither general nor symmetric nor skew-symmetric");
    }
    for (pl_scan_next_line(scan); !pl_scan_at_end(scan); pl_scan_next_line(scan)) {
        if (!pl_scan_line_ends(scan) && *scan->p != '%') break;
    }
    return PL_OK;
}

static pl_status get_sizes(pl_scan *scan, const banner *b, int64_t most, int64_t *n_row,
                           int64_t *n_col, int64_t *n)
{
    bool there = pl_scan_int64(scan, n_row) && pl_scan_int64(scan, n_col);
    if (there && !b->array) there = pl_scan_int64(scan, n);
    if (!there || !pl_scan_line_ends(scan)) return pl_scan_fail(scan, "sizes expected");
    most = PL_MIN(most, INT32_MAX - 1);
    if (*n_row < 0 || *n_col < 0 || *n_row > most || *n_col > most) {
        return pl_scan_fail(scan, "%lld rows and %lld columns; more than %lld do not fit here",
                            (long long)*n_row, (long long)*n_col, (long long)most);
    }
    if ((b->symmetric || b->skew) && *n_row != *n_col) {
        return pl_scan_fail(scan, "symmetric, with %lld rows and %lld columns", (long long)*n_row,
                            (long long)*n_col);
    }
    int64_t bytes = b->array ? NUMBER_BYTES : ENTRY_BYTES, left = (int64_t)pl_scan_left(scan);
    if (b->array) *n = *n_row * *n_col; // both are below 2^31
    bool half = b->array && (b->symmetric || b->skew);
    if (*n < 0 || (half ? *n / 2 : *n) > left / bytes + 1) {
        return pl_scan_fail(scan, "%lld entries, more than the file can hold", (long long)*n);
    }
    return PL_OK;
}

// A number; "inf" and "-inf", too, if `infinite`.
static pl_status get_number(pl_scan *scan, bool infinite, double *out)
{
    pl_scan_space(scan);
    bool minus = *scan->p == '-';
    const char *word = scan->p + (*scan->p == '-' || *scan->p == '+');
    if (infinite && strncasecmp(word, "inf", 3) == 0) {
        scan->p = word + 3;
        *out = minus ? -INFINITY : INFINITY;
    } else if (!pl_scan_double(scan, out)) {
        return pl_scan_fail(scan, "a number expected");
    }
    return pl_scan_separated(scan) ? PL_OK : pl_scan_fail(scan, "a number expected");
}

// Entries as they stand in the file, and those across the diagonal.
typedef struct entries {
    int64_t n;
    int32_t *row, *column;
    double *val;
} entries;

static void add_entry(entries *e, const banner *b, int64_t i, int64_t j, double value)
{
    bool mirrored = i != j && (b->symmetric || b->skew);
    e->row[e->n] = (int32_t)i, e->column[e->n] = (int32_t)j, e->val[e->n++] = value;
    if (!mirrored) return;
    e->row[e->n] = (int32_t)j, e->column[e->n] = (int32_t)i;
    e->val[e->n++] = b->skew ? -value : value;
}

static pl_status get_coordinates(pl_scan *scan, const banner *b, int64_t n_row, int64_t n_col,
                                 int64_t n, entries *e)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t i, j;
        double value;
        pl_scan_next_line(scan);
        while (pl_scan_line_ends(scan) && !pl_scan_at_end(scan)) pl_scan_next_line(scan);
        if (!pl_scan_int64(scan, &i) || !pl_scan_int64(scan, &j)) {
            return pl_scan_fail(scan, "entry %lld of %lld expected: row, column, value",
                                (long long)k + 1, (long long)n);
        }
        if (i < 1 || i > n_row || j < 1 || j > n_col) {
            return pl_scan_fail(scan, "row %lld, column %lld of %lld and %lld", (long long)i,
                                (long long)j, (long long)n_row, (long long)n_col);
        }
        PL_TRY(get_number(scan, false, &value));
        add_entry(e, b, i - 1, j - 1, value);
    }
    return PL_OK;
}

static pl_status get_array(pl_scan *scan, const banner *b, int64_t n_row, int64_t n_col, entries *e)
{
    for (int64_t j = 0; j < n_col; j++) {
        int64_t first = b->symmetric ? j : b->skew ? j + 1 : 0;
        for (int64_t i = first; i < n_row; i++) {
            double value;
            PL_TRY(get_number(scan, false, &value));
            if (value != 0) add_entry(e, b, i, j, value);
        }
    }
    return PL_OK;
}

static pl_status get_end(pl_scan *scan)
{
    pl_scan_space(scan);
    return pl_scan_at_end(scan) ? PL_OK : pl_scan_fail(scan, "it goes on after its last entry");
}

static pl_status get_entries(pl_scan *scan, int64_t most, entries *e, pl_columns *out)
{
    banner b;
    int64_t n_row, n_col, n = 0;
    PL_TRY(get_banner(scan, &b));
    PL_TRY(get_sizes(scan, &b, most, &n_row, &n_col, &n));
    int64_t room = (b.symmetric || b.skew ? 2 : 1) * n;
    e->row = pl_alloc(room, sizeof *e->row);
    e->column = pl_alloc(room, sizeof *e->column);
    e->val = pl_alloc(room, sizeof *e->val);
    if (e->row == NULL || e->column == NULL || e->val == NULL) return PL_ERROR_MEMORY;
    PL_TRY(b.array ? get_array(scan, &b, n_row, n_col, e)
                   : get_coordinates(scan, &b, n_row, n_col, n, e));
    PL_TRY(get_end(scan));
    return pl_columns_from((int32_t)n_row, (int32_t)n_col, e->n, e->row, e->column, e->val, out);
}

pl_status pl_matrix_market_parse(const pl_bytes *bytes, const char *name, int64_t most,
                                 pl_columns *out)
{
    entries e = {0};
    pl_scan scan = pl_scan_start(bytes, name);
    *out = (pl_columns){0};
    pl_status status = get_entries(&scan, most, &e, out);
    pl_free(e.row);
    pl_free(e.column);
    pl_free(e.val);
    return status;
}

pl_status pl_matrix_market_read(const char *path, int64_t most, pl_columns *out)
{
    pl_bytes bytes;
    *out = (pl_columns){0};
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_status status = pl_matrix_market_parse(&bytes, path, most, out);
    pl_bytes_free(&bytes);
    return status;
}

static pl_status get_vector(pl_scan *scan, bool infinite, int64_t *n, double **out)
{
    banner b;
    int64_t n_row, n_col, ignored;
    PL_TRY(get_banner(scan, &b));
    if (!b.array) return pl_scan_fail(scan, "a vector must be an array");
    PL_TRY(get_sizes(scan, &b, INT32_MAX, &n_row, &n_col, &ignored));
    if (n_col != 1)
        return pl_scan_fail(scan, "a vector has one column, not %lld", (long long)n_col);
    *n = n_row;
    *out = pl_alloc(n_row, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n_row; i++) PL_TRY(get_number(scan, infinite, *out + i));
    return get_end(scan);
}

pl_status pl_vector_market_read(const char *path, bool infinite, int64_t *n, double **out)
{
    pl_bytes bytes;
    *out = NULL;
    *n = 0;
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_scan scan = pl_scan_start(&bytes, path);
    pl_status status = get_vector(&scan, infinite, n, out);
    pl_bytes_free(&bytes);
    if (status != PL_OK) {
        pl_free(*out);
        *out = NULL;
    }
    return status;
}

// --- Writing ---

static void put_number(pl_output *out, double x)
{
    if (isfinite(x)) {
        pl_output_double(out, x);
    } else {
        pl_output_printf(out, x > 0 ? "inf" : "-inf");
    }
    pl_output_write(out, "\n", 1);
}

static bool is_written(const pl_columns *c, bool symmetric, int32_t j, int64_t k)
{
    return !symmetric || c->row[k] >= j;
}

pl_status pl_matrix_market_write(const pl_columns *c, bool symmetric, const char *path)
{
    pl_output out;
    int64_t n = 0;
    PL_TRY(pl_output_open(path, &out));
    for (int32_t j = 0; j < c->n_col; j++) {
        for (int64_t k = c->col[j]; k < c->col[j + 1]; k++) n += is_written(c, symmetric, j, k);
    }
    pl_output_printf(&out, "%s matrix coordinate real %s\n%d %d %lld\n", BANNER,
                     symmetric ? "symmetric" : "general", (int)c->n_row, (int)c->n_col,
                     (long long)n);
    for (int32_t j = 0; j < c->n_col; j++) {
        for (int64_t k = c->col[j]; k < c->col[j + 1]; k++) {
            if (!is_written(c, symmetric, j, k)) continue;
            pl_output_int(&out, c->row[k] + 1);
            pl_output_write(&out, " ", 1);
            pl_output_int(&out, j + 1);
            pl_output_write(&out, " ", 1);
            put_number(&out, c->val[k]);
        }
    }
    return pl_output_close(&out);
}

pl_status pl_vector_market_write(int64_t n, const double *x, const char *path)
{
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_printf(&out, "%s matrix array real general\n%lld 1\n", BANNER, (long long)n);
    for (int64_t i = 0; i < n; i++) put_number(&out, x[i]);
    return pl_output_close(&out);
}
