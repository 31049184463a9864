// Matrices and vectors in files of the Matrix Market format. Internal.

#ifndef PL_MATRIX_MARKET_H
#define PL_MATRIX_MARKET_H

#include "file.h"

// In compressed columns, rows ascending; of a symmetric file both triangles. Entries that a file
// has twice are added up.
typedef struct pl_columns {
    int32_t n_row, n_col;
    int64_t *col; // (n_col + 1)
    int32_t *row; // (col[n_col])
    double *val;  // (col[n_col])
} pl_columns;

void pl_columns_free(pl_columns *columns); // leaves it empty

// One with room for n entries. Fails with PL_ERROR_MEMORY.
pl_status pl_columns_create(int32_t n_row, int32_t n_col, int64_t n, pl_columns *out);

// From n entries (row[k], column[k], val[k]) in any order, which are in range. Fails with
// PL_ERROR_MEMORY.
pl_status pl_columns_from(int32_t n_row, int32_t n_col, int64_t n, const int32_t *row,
                          const int32_t *column, const double *val, pl_columns *out);

// Does the text begin as a file of Matrix Market does?
bool pl_is_matrix_market(const pl_bytes *bytes);

// Reads a matrix of real or integer numbers, by coordinates or as an array; `most` rows or columns
// at most, so that no file asks for more memory than there is reason to. Fails with PL_ERROR_FILE,
// PL_ERROR_FORMAT (named, with its line; "inf" and "nan" are no numbers) or PL_ERROR_MEMORY.
pl_status pl_matrix_market_read(const char *path, int64_t most, pl_columns *out);
pl_status pl_matrix_market_parse(const pl_bytes *bytes, const char *name, int64_t most,
                                 pl_columns *out);

// Reads a column of numbers, (*n); infinite ones if they may be.
pl_status pl_vector_market_read(const char *path, bool infinite, int64_t *n, double **out);

// Writes all entries, 0 or not; of a symmetric one the lower triangle.
pl_status pl_matrix_market_write(const pl_columns *columns, bool symmetric, const char *path);
pl_status pl_vector_market_write(int64_t n, const double *x, const char *path);

#endif
