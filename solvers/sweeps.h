// Gauss-Seidel over contacts, each solved exactly, in the metric of a block-diagonal D. Internal.
//
// For given relative velocities u0 it looks for impulses f such that u = u0 + S f, S = L D^-1 L^T,
// obeys the laws of contact. S stands in compressed rows of 3x3 blocks, in the order of the sweeps.
// A block of D with many contacts, as those of a rigid body, would give S the square of their
// number: such blocks are left out of S, and carry the velocity that all their impulses make.
//
// Contacts of one colour share no block of D, and run in parallel; colours run in order. So the
// result does not depend on the number of threads.

#ifndef PL_SWEEPS_H
#define PL_SWEEPS_H

#include "rows.h"

// The last colour holds what the others do not, such as the many contacts of one rigid body: its
// contacts run one after the other.
enum { PL_COLORS = 64 };

// A contact at a block that carries its velocity.
typedef struct pl_sweep_link {
    double G[9], H[9]; // see rows.h
    int32_t block;
} pl_sweep_link;

typedef struct pl_sweep_node {
    double S[9]; // its diagonal block
    double mu;
    double ratio; // of slip and friction when it slipped last
    int32_t contact;
    int32_t row, n_row;   // its other blocks of S
    int32_t link, n_link; // its links
} pl_sweep_node;

typedef struct pl_sweeps {
    int32_t n;                    // contacts with a block that is not known
    int32_t color[PL_COLORS + 1]; // colour i has the nodes color[i] .. color[i+1] - 1
    pl_sweep_node *node;          // (n)
    int32_t *col;                 // of S: nodes
    double *val;                  // 9 each, row-major
    pl_sweep_link *link;
    double *u0, *f; // (3*n) by node
    double *carry;  // (3*A.n) D^-1 L^T f, in the blocks of links
} pl_sweeps;

// Lives as long as what is taken from the arena does. D^-1 must be 0 in the known blocks; scale as
// pl_contact_scales makes it.
pl_status pl_sweeps_create(const pl_problem *problem, const pl_block_jacobi *D, const pl_uses *uses,
                           const double *scale, pl_arena *arena, pl_sweeps *out);

// At most `n` sweeps over f (3*n_contact) for u0 (3*n_contact), up to the first that changes no
// relative velocity by more than `enough` [m/s]. Returns how many it made.
int32_t pl_sweeps_run(pl_sweeps *sweeps, int32_t n, double enough, const double *u0, double *f);

#endif
