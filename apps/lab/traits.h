// What a contact problem is like, in numbers, for the manifest of a collection.

#ifndef PL_TRAITS_H
#define PL_TRAITS_H

#include "../../base/base.h"

typedef struct pl_traits {
    int32_t blocks, contacts, boxes; // contacts are cones
    int64_t unknowns;                // numbers of velocities that are not given
    int64_t rows;                    // of constraints that are used
    double rows_per_unknown;
    int64_t rank;       // of the rows, estimated; -1: too many to look at
    double hyperstatic; // rows beyond the rank, over rows; NAN if the rank is unknown
    double
        diagonal_ratio; // of A: the largest number over the smallest; of masses, for bodies alike
    double condition;   // of the part of W that is not singular, estimated; NAN as above
    double mu_least, mu_most;
} pl_traits;

// Rows are compared as A's diagonal weighs them. Fails with PL_ERROR_MEMORY.
pl_status pl_traits_of(const pl_problem *problem, pl_traits *out);

#endif
