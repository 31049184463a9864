#include "csv.h"
#include "../../base/scan.h"

#include <math.h>

enum { COLUMNS_MAX = 10000, SHOWN = 40 };

// --- Writing ---

void pl_csv_add_number(pl_text *row, double value)
{
    char text[PL_DOUBLE_TEXT] = "nan";
    if (isfinite(value)) {
        pl_double_text(value, text);
    } else if (!isnan(value)) {
        strcpy(text, value > 0 ? "inf" : "-inf");
    }
    pl_text_add(row, "%s", text);
}

// --- Reading ---

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

// The length of the value at p, without blanks behind it; *next is what follows: a comma or the end
// of the line. Every line has an end.
static size_t value_at(const char *p, const char **next)
{
    const char *end = p;
    while (*end != ',' && !ends_line(*end)) end++;
    *next = end;
    while (end > p && (end[-1] == ' ' || end[-1] == '\t')) end--;
    return (size_t)(end - p);
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

static int32_t count_values(const char *line)
{
    int32_t n = 1;
    for (; !ends_line(*line); line++) n += *line == ',';
    return n;
}

static pl_status read_header(pl_scan *scan, pl_csv *csv)
{
    int32_t n = count_values(scan->p);
    if (n > COLUMNS_MAX) return pl_scan_fail(scan, "more than %d columns", (int)COLUMNS_MAX);
    csv->name = pl_alloc_zero(n, sizeof *csv->name);
    csv->value = pl_alloc_zero(n, sizeof *csv->value);
    if (csv->name == NULL || csv->value == NULL) return PL_ERROR_MEMORY;
    for (const char *p = scan->p, *next; csv->n_column < n; p = next + 1) {
        p = skip_blanks(p);
        size_t length = value_at(p, &next);
        char *name = pl_alloc((int64_t)length + 1, 1);
        if (name == NULL) return PL_ERROR_MEMORY;
        memcpy(name, p, length);
        name[length] = '\0';
        bool again = pl_csv_find(csv, name) >= 0;
        csv->name[csv->n_column++] = name;
        if (length == 0) return pl_scan_fail(scan, "column %d has no name", (int)csv->n_column);
        if (again) return pl_scan_fail(scan, "two columns are named \"%.*s\"", SHOWN, name);
    }
    return PL_OK;
}

static pl_status read_rows(pl_scan *scan, pl_csv *csv)
{
    for (; !pl_scan_at_end(scan); pl_scan_next_line(scan)) {
        if (ends_line(*scan->p)) continue;
        int32_t n = count_values(scan->p);
        if (n != csv->n_column) {
            return pl_scan_fail(scan, "%d values, where the header names %d columns", (int)n,
                                (int)csv->n_column);
        }
        PL_TRY(
            pl_reserve((void **)&csv->row, &csv->row_capacity, csv->n_row + 1, sizeof *csv->row));
        csv->row[csv->n_row++] = scan->p;
    }
    return PL_OK;
}

static pl_status read_all(const char *path, pl_csv *csv)
{
    PL_TRY(pl_bytes_load(path, &csv->bytes));
    pl_scan scan = pl_scan_start(&csv->bytes, path);
    while (scan.end > scan.p && scan.end[-1] != '\n') scan.end--; // a line under way
    if (pl_scan_at_end(&scan)) return pl_fail(PL_ERROR_FORMAT, "%s: empty, not a table", path);
    for (pl_scan at = scan; at.p < at.end; at.p++) {
        if (*at.p == '\0') return pl_scan_fail(&at, "a zero byte: not a table");
        if (*at.p == '"') return pl_scan_fail(&at, "a quotation mark: not a table of numbers");
    }
    PL_TRY(read_header(&scan, csv));
    pl_scan_next_line(&scan);
    return read_rows(&scan, csv);
}

pl_status pl_csv_read(const char *path, pl_csv *out)
{
    *out = (pl_csv){.path = path};
    pl_status status = read_all(path, out);
    if (status != PL_OK) pl_csv_free(out);
    return status;
}

void pl_csv_free(pl_csv *csv)
{
    for (int32_t i = 0; i < csv->n_column; i++) {
        pl_free(csv->name[i]);
        pl_free(csv->value[i]);
    }
    pl_free(csv->name);
    pl_free(csv->value);
    pl_free(csv->row);
    pl_bytes_free(&csv->bytes);
    *csv = (pl_csv){0};
}

int32_t pl_csv_find(const pl_csv *csv, const char *name)
{
    for (int32_t i = 0; i < csv->n_column; i++) {
        if (strcmp(csv->name[i], name) == 0) return i;
    }
    return -1;
}

// --- Numbers ---

static bool parse(const char *p, size_t length, double *value)
{
    static const struct {
        const char *text;
        double value;
    } others[] = {{"nan", NAN}, {"-nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strlen(others[i].text) == length && memcmp(others[i].text, p, length) == 0) {
            *value = others[i].value;
            return true;
        }
    }
    return length > 0 && pl_parse_double(p, value) == p + length;
}

static pl_status read_column(const pl_csv *csv, int32_t column, double *value)
{
    for (int64_t i = 0; i < csv->n_row; i++) {
        const char *p = csv->row[i], *next;
        for (int32_t k = 0; k < column; k++) p = strchr(p, ',') + 1;
        p = skip_blanks(p);
        size_t length = value_at(p, &next);
        if (parse(p, length, &value[i])) continue;
        const char *begin = csv->bytes.data, *end = begin + csv->bytes.size;
        pl_scan scan = {.p = p, .begin = begin, .end = end, .name = csv->path};
        return pl_scan_fail(&scan, "%s: \"%.*s\" is not a number", csv->name[column],
                            (int)PL_MIN(length, (size_t)SHOWN), p);
    }
    return PL_OK;
}

pl_status pl_csv_numbers(pl_csv *csv, int32_t column, const double **out)
{
    *out = NULL;
    if (csv->value[column] == NULL) {
        double *value = pl_alloc(csv->n_row, sizeof *value);
        if (value == NULL) return PL_ERROR_MEMORY;
        pl_status status = read_column(csv, column, value);
        if (status != PL_OK) {
            pl_free(value);
            return status;
        }
        csv->value[column] = value;
    }
    *out = csv->value[column];
    return PL_OK;
}
