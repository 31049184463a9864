// The matrix of a system with the stiffness of contacts in it, and its factor. Internal.
//
// H = A + L^T D L, with a symmetric 3x3 block of D for each contact, has the blocks of A and one
// for each two blocks that share a contact. The pattern and the order of elimination are found
// once; values change with D.

#ifndef PL_CONTACT_MATRIX_H
#define PL_CONTACT_MATRIX_H

#include "cholesky.h"
#include "rows.h"

// A symmetric matrix over normal, tangent, tangent [kg].
typedef struct pl_sym3 {
    double nn, n1, n2, t11, t12, t22;
} pl_sym3;

typedef struct pl_contact_matrix {
    const pl_problem *problem;
    pl_bsr H;      // of A.n block rows, from the arena; prescribed ones have their diagonal only
    int64_t *of_A; // (A.nnz) where each block of A stands in H; -1: it is not there, or above the
                   // diagonal in the order of elimination, where H has no values
    int64_t *of_pair; // where the pairs of terms stand: count^2 of each contact, or -1
    int64_t *start;   // (n_constraint + 1) of each contact in of_pair
    pl_cholesky factor;
    double *x; // (3*A.n) scratch
} pl_contact_matrix;

// The pattern and the order, no values. Lives as long as what is taken from the arena and the
// problem do.
pl_status pl_contact_matrix_create(const pl_problem *problem, const pl_uses *uses, pl_arena *arena,
                                   pl_contact_matrix *out);

// Takes the memory of the values.
pl_status pl_contact_matrix_take(pl_contact_matrix *M, pl_arena *arena);

// The values for D (n_constraint), and the factor. False if H is not positive definite, or not
// finite.
bool pl_contact_matrix_set(pl_contact_matrix *M, const pl_sym3 *D);

// x := H^-1 r, 0 in the prescribed blocks. r, x (3*A.n), no alias.
void pl_contact_matrix_solve(const pl_contact_matrix *M, const double *r, double *x);

#endif
