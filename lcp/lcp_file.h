// Files of linear complementarity problems. Internal.

#ifndef PL_LCP_FILE_H
#define PL_LCP_FILE_H

#include "../base/matrix_market.h"
#include "lcp.h"

// A problem that owns its arrays.
typedef struct pl_lcp_owned {
    pl_lcp lcp;   // points into what follows
    pl_columns M; // (n*n)
    double *q, *lo, *hi;
    int32_t *normal; // may be NULL, with mu
    double *mu;
    double *solution; // (n_solution*n) that the file had
    int32_t n_solution;
    double *start;    // (n) or NULL: 0
    double condition; // of M; NAN: unknown
} pl_lcp_owned;

void pl_lcp_owned_free(pl_lcp_owned *owned); // leaves it empty

// Sets owned->lcp from the arrays, and whether M is symmetric; fails as pl_lcp_check does.
pl_status pl_lcp_owned_finish(pl_lcp_owned *owned);

// The text format. Fails with PL_ERROR_FORMAT (the line is named) or PL_ERROR_MEMORY.
pl_status pl_lcp_parse(const pl_bytes *bytes, const char *name, pl_lcp_owned *out);

// A text file, or a folder with M.mtx and q.mtx. Fails with PL_ERROR_FILE, too; *out is then empty.
pl_status pl_lcp_read(const char *path, pl_lcp_owned *out);

// Text or, if the path ends in '/', .mtx files in this folder. Fails with PL_ERROR_ARGUMENT where a
// text cannot hold the bounds, or with PL_ERROR_FILE.
pl_status pl_lcp_write(const pl_lcp_owned *owned, const char *path);

#endif
