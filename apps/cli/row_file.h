// Comma-separated values that grow with a run: a header and one row per step, each on its way to
// the disk when the next step begins.

#ifndef PL_ROW_FILE_H
#define PL_ROW_FILE_H

#include "../../base/text.h"

typedef struct pl_row_file {
    const char *path, *header; // borrowed; the header with its newline
    int fd;
    int64_t keep; // bytes of rows that stay when the file is begun
} pl_row_file;

// Opens the file and looks at it, but changes nothing yet. With `resumed`, the rows up to step
// `last`, which is in their first column, stay; a file with another header is then refused. Fails
// with PL_ERROR_FILE or PL_ERROR_FORMAT.
pl_status pl_row_file_open(const char *path, const char *header, bool resumed, int64_t last,
                           pl_row_file *out);

// Cuts off what does not stay, and writes the header of a new file.
pl_status pl_row_file_begin(const pl_row_file *file);
pl_status pl_row_file_write(const pl_row_file *file, const char *row, size_t size);
// Fails if what was written did not reach the file. Fine for a file that is not open.
pl_status pl_row_file_close(pl_row_file *file);

// Adds a comma and a number to a row.
void pl_row_add(pl_text *row, double value);

#endif
