// A factor of a symmetric, positive semidefinite matrix, of whatever rank it has. Internal.

#ifndef PL_PSD_FACTOR_H
#define PL_PSD_FACTOR_H

#include "../base/base.h"

// W = B B^T as far as W says it: rows and columns in no order that matters, by parts that have no
// entry between them. Part p has the rows row[start[p]] .. row[start[p+1] - 1] of W and rank[p]
// columns, which stand one after the other in B from begin[p] on, each with a number per row.
typedef struct pl_psd_factor {
    int32_t n_part;
    int32_t *start; // (n_part + 1)
    int32_t *row;   // (n)
    int32_t *rank;  // (n_part)
    int64_t *begin; // (n_part + 1)
    double *B;      // (begin[n_part])
    double rest;    // the largest entry of W - B B^T
} pl_psd_factor;

void pl_psd_factor_free(pl_psd_factor *factor); // leaves it empty

// Factors by the largest pivots first, until what is left is rounding. W is taken to be checked:
// indices in range, numbers finite, symmetric. together (n) or NULL: rows of the same number,
// neighbours, are in one part. Fails with PL_ERROR_ARGUMENT if W is not positive semidefinite, or a
// part has more than `most` rows, and names the row; or with PL_ERROR_MEMORY.
pl_status pl_psd_factor_create(const pl_sparse *W, const int32_t *together, int32_t most,
                               pl_psd_factor *out);

#endif
