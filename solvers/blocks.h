// The constraint blocks of a step: the problem, who each block is, and the impulses that it starts
// from. Internal.
//
// A block is known from step to step by an identity of its own, whatever it comes from: a contact
// by its pair of features, anything else by a kind beyond those of pairs. The forces of an accepted
// step are remembered by it, along the world's axes, so that a block may have another frame then.

#ifndef PL_BLOCKS_H
#define PL_BLOCKS_H

#include "problem.h"

// Blocks are ordered by kind, then a, then b.
typedef struct pl_block_id {
    int32_t kind; // of a contact pl_pair_kind; else PL_BLOCK_OTHER or above
    int32_t a, b; // of a contact its features; else as the kind has them
} pl_block_id;

enum { PL_BLOCK_OTHER = 8 }; // the first kind that is no pair of features

// The force of a block in the step before, to start from.
typedef struct pl_remembered {
    pl_block_id id;
    int32_t found;   // of a contact, as in pl_row: 0 or 1
    double force[3]; // along the world's axes; of a contact on its first feature [N]
} pl_remembered;

typedef struct pl_blocks {
    pl_problem problem;
    pl_block_id *id; // (problem.n_constraint)
    uint8_t *found;  // (problem.n_constraint) of contacts, see pl_row
    double *f;       // (3*problem.n_constraint) impulses in the frames of the blocks [N s]
    int64_t id_capacity, found_capacity, f_capacity;
    pl_remembered *memory;                     // (n_memory) by identity, each once
    int64_t n_memory, memory_capacity, recent; // where one was looked up last
    pl_remembered *saved;                      // (n_saved) the memory at the start of the step
    int64_t n_saved, saved_capacity;
    pl_remembered *scratch;
    int64_t scratch_capacity;
} pl_blocks;

// Blocks begin as {0}.
void pl_blocks_free(pl_blocks *blocks);

// Forgets the blocks, not the memory.
void pl_blocks_clear(pl_blocks *blocks);

// Forgets those from block `first` on, which must have been added last.
void pl_blocks_cut(pl_blocks *blocks, int32_t first);

// Negative, 0 or positive: a before b, the same, after b.
int pl_block_id_compare(const pl_block_id *a, const pl_block_id *b);

// Appends a block, which starts from the remembered impulse, moved into what its law allows, if
// `remembered`, else from 0. As pl_problem_add_limited otherwise.
pl_status pl_blocks_add(pl_blocks *blocks, const pl_block_id *id, bool found, bool remembered,
                        const pl_constraint *constraint, const pl_limits *limits, int32_t n_term,
                        const pl_term *term);

// The impulse of block k along the world's axes [N s]; and setting it, moved into what its law
// allows.
void pl_blocks_impulse(const pl_blocks *blocks, int32_t k, double impulse[3]);
void pl_blocks_set_impulse(pl_blocks *blocks, int32_t k, const double impulse[3]);

// Keeps the forces of an accepted step for the next.
pl_status pl_blocks_remember(pl_blocks *blocks);

// Notes the memory, and goes back to what was noted: a step in parts may fail after one of them has
// been accepted.
pl_status pl_blocks_save(pl_blocks *blocks);
void pl_blocks_go_back(pl_blocks *blocks);

#endif
