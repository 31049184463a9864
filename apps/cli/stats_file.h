// The statistics of a run as comma-separated values: a header and one row per step, each on its way
// to the disk when the next step begins. apps/README.md says what the columns mean.

#ifndef PL_STATS_FILE_H
#define PL_STATS_FILE_H

#include "../../base/base.h"

typedef struct pl_stats_file {
    const char *path; // borrowed
    int fd;
    int64_t keep; // bytes of rows that stay when the file is begun
} pl_stats_file;

// Opens the file and looks at it, but changes nothing yet. With `resumed`, the rows up to `last`
// stay; a file that holds anything but statistics is then refused. Fails with PL_ERROR_FILE or
// PL_ERROR_FORMAT.
pl_status pl_stats_open(const char *path, bool resumed, int64_t last, pl_stats_file *out);

// Cuts off what does not stay, and writes the header of a new file.
pl_status pl_stats_begin(pl_stats_file *file);
pl_status pl_stats_write(pl_stats_file *file, const pl_step_stats *stats);
// Fails if what was written did not reach the file. Fine for a file that is not open.
pl_status pl_stats_close(pl_stats_file *file);

#endif
