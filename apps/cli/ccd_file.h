// Files of collision queries in the format of Wang et al. 2021: eight rows per query,
// x_num,x_den,y_num,y_den,z_num,z_den,truth, four points at the start, then the same at the end.

#ifndef PL_CCD_FILE_H
#define PL_CCD_FILE_H

#include "../../base/base.h"

typedef struct pl_ccd_queries {
    int64_t n;
    double *x;   // (24*n) per query the points at the start (12) and at the end (12)
    bool *truth; // (n) do they meet?
} pl_ccd_queries;

// Reads a file, plain or gzip. Fails with PL_ERROR_FILE or PL_ERROR_FORMAT; the text names the
// line.
pl_status pl_ccd_queries_read(const char *path, pl_ccd_queries *out);
// The same from memory; `name` stands for the path.
pl_status pl_ccd_queries_read_memory(const void *data, size_t size, const char *name,
                                     pl_ccd_queries *out);
void pl_ccd_queries_free(pl_ccd_queries *queries);

#endif
