// The dictionary of a complementarity problem, for Lemke's method: basic variables as functions of
// the others,
//
//     y_B = c + T y_N,    at first w = q + M z + cover z0
//
// dense, with one row per basic variable, and exchanges of one basic with one other variable.
// Internal.

#ifndef PL_LCP_DICTIONARY_H
#define PL_LCP_DICTIONARY_H

#include "../base/arena.h"

// Variables by number: w_k is k, z_k is n + k, z0 is 2 n.
typedef struct pl_dictionary {
    int32_t n;      // rows
    double *T;      // (n * (n + 2)) by columns: n + 1 that are not basic, then c
    double *c;      // (n) the last of them
    int32_t *basic; // (n) the variable of each row
    int32_t *other; // (n + 1) the variable of each column
    int32_t *place; // (2 n + 1) of a variable: its row, or -1 - its column
} pl_dictionary;

pl_status pl_dictionary_make(pl_arena *arena, int32_t n, pl_dictionary *d);

// All w basic; T and c are left to be filled.
void pl_dictionary_begin(pl_dictionary *d);

static inline int32_t pl_dictionary_complement(const pl_dictionary *d, int32_t variable)
{
    return variable < d->n ? variable + d->n : variable - d->n;
}

static inline bool pl_dictionary_is_basic(const pl_dictionary *d, int32_t variable)
{
    return d->place[variable] >= 0;
}

// The column of a variable that is not basic.
static inline double *pl_dictionary_column(const pl_dictionary *d, int32_t variable)
{
    return d->T + (int64_t)(-1 - d->place[variable]) * d->n;
}

// The value of a variable at the point of the dictionary, where all that are not basic are 0.
static inline double pl_dictionary_value(const pl_dictionary *d, int32_t variable)
{
    return d->place[variable] >= 0 ? d->c[d->place[variable]] : 0;
}

// The basic variable of row `row` and the other one `entering` change places. T(row, entering) is
// not 0.
void pl_dictionary_exchange(pl_dictionary *d, int32_t row, int32_t entering);

// From all w basic to the variables that `wanted` (2 n + 1) names, as many as rows, by partial
// pivoting; false if they are no basis, with the dictionary somewhere between.
bool pl_dictionary_reach(pl_dictionary *d, const bool *wanted);

#endif
