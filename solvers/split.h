// A problem taken apart: sets of blocks that neither A nor a constraint joins, and a problem of its
// own for each. Internal.
//
// Prescribed blocks join nothing: each set has copies of those that it needs.

#ifndef PL_SPLIT_H
#define PL_SPLIT_H

#include "solver.h"

typedef struct pl_split {
    const pl_problem *problem;
    int32_t n;      // sets
    int32_t *of;    // (A.n) the set of a block, in the order of their first blocks; -1: prescribed
    int32_t *start; // (n + 1) of each set among the blocks
    int32_t *block; // (start[n]) ascending in each set
    int32_t *first; // (n + 1) of each set among the constraints
    int32_t *constraint; // (first[n]) ascending in each set; those of prescribed blocks are nowhere
} pl_split;

// Lives as long as what is taken from the arena does.
pl_status pl_split_create(const pl_problem *problem, pl_arena *arena, pl_split *out);

// Sets of the split as one problem, which lives in the arena: never free it, nor add to it.
typedef struct pl_part {
    pl_problem problem;
    pl_bsr A;
    double *b, *v, *f;   // (3*n), (3*n), (3*n_constraint)
    uint8_t *prescribed; // (n)
    double *x;           // (3*n_x)
    int32_t *block;      // (n) where its blocks are in the whole, ascending
    int32_t *constraint; // (n_constraint) and its constraints
} pl_part;

// The sets set (n_set), ascending, without v and f. place (A.n of the whole) is scratch, all -1
// before and after.
pl_status pl_part_create(const pl_split *split, int32_t n_set, const int32_t *set, int32_t *place,
                         pl_arena *arena, pl_part *out);

// v and f of the part := those of the whole, and back, where they are its own.
void pl_part_gather(const pl_part *part, const double *v, const double *f);
void pl_part_scatter(const pl_part *part, double *v, double *f);

#endif
