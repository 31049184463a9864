// The statistics of a run as rows of a file. apps/README.md says what the columns mean.

#ifndef PL_STATS_FILE_H
#define PL_STATS_FILE_H

#include "row_file.h"

pl_status pl_stats_open(const char *path, bool resumed, int64_t last, pl_row_file *out);
pl_status pl_stats_write(const pl_row_file *file, const pl_step_stats *stats);

#endif
