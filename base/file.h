// Whole files in, whole files out. Internal.

#ifndef PL_FILE_H
#define PL_FILE_H

#include "base.h"

#include <stdio.h>

// The last '.' of the file's name and what follows; "" if there is none.
const char *pl_extension_of(const char *path);
// In either case: ".png" is the extension of "a.PNG".
bool pl_has_extension(const char *path, const char *extension);

// A reader may look this many bytes past the end of a pl_bytes: they are zero.
enum { PL_BYTES_PAD = 64 };

typedef struct pl_bytes {
    char *data; // (size + PL_BYTES_PAD)
    size_t size;
} pl_bytes;

// Loads a regular file. Fails with PL_ERROR_FILE (missing, a directory, unreadable) or
// PL_ERROR_MEMORY.
pl_status pl_bytes_load(const char *path, pl_bytes *out);
pl_status pl_bytes_copy(const void *data, size_t size, pl_bytes *out);
void pl_bytes_free(pl_bytes *bytes);

// A buffered file that appears under its name only when it is complete and on its way to the disk.
// Write errors are sticky: write freely, look at the status of pl_output_close.
typedef struct pl_output {
    char *path, *temporary; // `temporary` lies beside `path`
    char *buffer;
    size_t used;
    int fd;
    int error; // errno of the first failure, 0 if none
} pl_output;

// Fails with PL_ERROR_FILE if the directory does not exist or cannot be written, PL_ERROR_MEMORY.
pl_status pl_output_open(const char *path, pl_output *out);
void pl_output_write(pl_output *out, const void *data, size_t size);
void pl_output_printf(pl_output *out, const char *format, ...) PL_PRINTF(2, 3);
// The shortest decimal that reads back as the same double.
void pl_output_double(pl_output *out, double value);
void pl_output_int(pl_output *out, int64_t value);
// Renames to the final name and returns PL_OK, or removes the temporary file and says what failed.
pl_status pl_output_close(pl_output *out);
// Removes the temporary file: for a caller that failed half-way.
void pl_output_abandon(pl_output *out);
// Fails as pl_output_open would, and leaves no trace: to know before work of minutes.
pl_status pl_output_try(const char *path);

#endif
