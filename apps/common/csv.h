// Tables as comma-separated values: a header that names the columns, and one line per row.

#ifndef PL_CSV_H
#define PL_CSV_H

#include "../../base/file.h"
#include "../../base/text.h"

// The shortest text that reads back as the same double; nan, inf or -inf.
void pl_csv_add_number(pl_text *row, double value);

typedef struct pl_csv {
    const char *path; // borrowed
    pl_bytes bytes;
    char **name;    // (n_column)
    double **value; // (n_column) of n_rows each, NULL until they are asked for
    int32_t n_column;
    const char **row; // (n_row) where they begin
    int64_t n_row, row_capacity;
} pl_csv;

// Reads a table. A last line without its end counts as not yet written. Fails with PL_ERROR_FILE,
// PL_ERROR_FORMAT (no header, a column without a name or with that of another, a row with more or
// fewer values than columns, a quotation mark; the line is named) or PL_ERROR_MEMORY.
pl_status pl_csv_read(const char *path, pl_csv *out);
void pl_csv_free(pl_csv *csv); // leaves it empty

// -1 if there is none of this name.
int32_t pl_csv_find(const pl_csv *csv, const char *name);

// The numbers of a column, (n_row); they may be nan and inf, and live as long as the table. Fails
// with PL_ERROR_FORMAT if a value is no number; line and column are named.
pl_status pl_csv_numbers(pl_csv *csv, int32_t column, const double **out);

#endif
