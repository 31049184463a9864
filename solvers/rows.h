// The rows of contacts: products with L and L^T, and the 3x3 blocks of L D^-1 L^T. Internal.

#ifndef PL_ROWS_H
#define PL_ROWS_H

#include "block_jacobi.h"
#include "problem.h"
#include "../base/arena.h"

// Where each block that is not prescribed stands in contacts: L^T f is gathered block by block, so
// that each sum has one order whatever the number of threads. The uses of block[i] are
// use[start[i]] .. use[start[i+1]-1], in the order of the contacts.
typedef struct pl_use {
    int32_t constraint, term;
} pl_use;

typedef struct pl_uses {
    int32_t n;
    int32_t *block; // (n) ascending
    int32_t *start; // (n + 1)
    pl_use *use;    // (start[n])
} pl_uses;

// Lives as long as what is taken from the arena does.
pl_status pl_uses_create(const pl_problem *problem, pl_arena *arena, pl_uses *out);

// u (3*n_constraint) := L v, or L v - c if `offset`. Rows whose bit is not in `rows` (n_constraint;
// NULL: all are) become 0.
void pl_rows_multiply(const pl_problem *problem, const uint8_t *rows, bool offset, const double *v,
                      double *u);

// y (3*uses.n) := L^T f, block by block. f, world (3*n_constraint); world is scratch. No alias.
void pl_rows_transpose(const pl_problem *problem, const pl_uses *uses, const double *f,
                       double *world, double *y);

// y := y + scale L^T f in the blocks of `uses`. f (3*n_constraint), y (3*A.n); world
// (3*n_constraint) is scratch. No alias.
void pl_rows_transpose_add(const pl_problem *problem, const pl_uses *uses, double scale,
                           const double *f, double *world, double *y);

// G (9, row-major) := the contact's three rows in the block of an entry.
static inline void pl_entry_rows(const pl_problem *problem, const pl_constraint *constraint,
                                 const pl_entry *entry, double *G)
{
    pl_term_rows(constraint->R, entry->w, pl_entry_arm(problem, entry),
                 pl_entry_stretch(problem, entry), G);
}

// S (9, symmetric) := the diagonal block of L D^-1 L^T of contact k [1/kg]. D^-1 must be 0 in the
// prescribed blocks.
void pl_contact_block(const pl_problem *problem, const pl_block_jacobi *D, int32_t k, double *S);

// scale (2*n_constraint) := how much the normal and the tangential velocity of each contact answer
// when it and all contacts that share its blocks get the same impulse [1/kg]: S_nn, and the mean of
// S_t1t1 and S_t2t2, each term's share times the sum of the weights (|w| + |r|) in its block over
// its own. That bounds the sum of a row of |S|, so that many small errors on one body are not taken
// for small. Rows of a box that are used have the largest of theirs, both numbers. 0 where all
// blocks are prescribed. D^-1 as above; sum (A.n) is scratch.
void pl_contact_scales(const pl_problem *problem, const pl_block_jacobi *D, const pl_uses *uses,
                       double *sum, double *scale);

#endif
