// Preconditioners of the reduced system: Jacobi and incomplete Cholesky factors. Internal.
//
// P = L L^T with L on the pattern of A, or with some fill (PL_LCP_PRECOND_ICT). Where a pivot is
// not positive, shifts of the diagonal help, or the imaginary factor [Ho22, Alg. 6]: a column of
// pivot d < 0 gets the entry sqrt(-d) and the sign -1, so that A = L diag(sign) L^T on the pattern,
// and the sign is left out of P. As L is real, P is symmetric and positive definite, and solves are
// L y = r, L^T z = y. [Ho22, Alg. 7] as printed is neither symmetric nor definite once there is a
// sign -1.

#ifndef PL_LCP_PRECOND_H
#define PL_LCP_PRECOND_H

#include "sets.h"

typedef struct pl_precond {
    pl_lcp_precond kind;
    bool prescale;
    double drop;  // of ICT
    int32_t fill; // of ICT, off-diagonal entries of a column

    int32_t n;           // of the factor at hand
    int64_t *col;        // (n + 1)
    int32_t *row;        // (col[n]) ascending, so that the diagonal is first
    double *val;         // (col[n]) L
    double *scale;       // (n) S: S A S was factored; Jacobi: the inverse of the diagonal
    int32_t n_imaginary; // columns with a pivot below 0
    int64_t shifts;      // of diagonals, since pl_precond_make

    // Scratch, (n) each.
    double *work;     // a column in the making
    double *diag;     // of S A S, with shifts
    double *sign;     // of pivots
    int32_t *mark;    // the column that an entry of work belongs to, + 1
    int32_t *pattern; // its entries
    int32_t *list;    // columns whose next row is this one: the first of them
    int32_t *next;    // the next one of that list
    int64_t *at;      // where their next row is
    int32_t *shifted; // how often the column was
} pl_precond;

// Takes room for reduced systems of lcp of any size.
pl_status pl_precond_make(const pl_lcp *lcp, const pl_lcp_options *options, pl_arena *arena,
                          pl_precond *P);

// P of A, which is all of a symmetric matrix. False: a pivot was not positive, for
// PL_LCP_PRECOND_IC; or a number was not finite, or the diagonal has an entry that is not positive.
bool pl_precond_factor(pl_precond *P, const pl_lcp_reduced *A);

// z := P^-1 r, both (n).
void pl_precond_apply(const pl_precond *P, const double *r, double *z);

#endif
