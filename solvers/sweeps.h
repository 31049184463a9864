// Gauss-Seidel over contacts, each solved exactly, in the metric of a block-diagonal D. Internal.
//
// For given x it looks for v = x + D^-1 L^T f such that v and f obey the laws of contact: sweeps
// over S = L D^-1 L^T, without S. A contact keeps its rows G and its answer H = D^-1 G^T per block,
// and the velocities carry the impulses of the others: 4 or 5 blocks to read and write, where S has
// a row of all contacts that share a block, which for a rigid body with n contacts is n^2 blocks.
//
// Contacts of one colour share no block, and run in parallel; colours run in order. So the result
// does not depend on the number of threads.

#ifndef PL_SWEEPS_H
#define PL_SWEEPS_H

#include "rows.h"

// The last colour holds what the others do not, such as the many contacts of one rigid body: its
// contacts run one after the other.
enum { PL_COLORS = 64 };

typedef struct pl_sweep_link {
    double G[9], H[9]; // row-major
    int32_t block;
} pl_sweep_link;

typedef struct pl_sweep_node {
    double S[9], c[3], mu; // c with the known velocities taken out
    int32_t contact;
    int32_t first, count; // links
} pl_sweep_node;

typedef struct pl_sweeps {
    int32_t n;                    // contacts with a block that is not known
    int32_t color[PL_COLORS + 1]; // colour i has the nodes color[i] .. color[i+1] - 1
    pl_sweep_node *node;          // (n)
    pl_sweep_link *link;
} pl_sweeps;

// Lives as long as what is taken from the arena does. D^-1 must be 0 in the known blocks, whose
// velocities are v (3*A.n). scale as pl_contact_scales makes it.
pl_status pl_sweeps_create(const pl_problem *problem, const pl_block_jacobi *D, const double *scale,
                           const double *v, pl_arena *arena, pl_sweeps *out);

// At most `n` sweeps over v (3*A.n) = x + D^-1 L^T f and f (3*n_contact), up to the first that
// changes no relative velocity by more than `enough` [m/s]. Returns how many it made.
int32_t pl_sweeps_run(const pl_sweeps *sweeps, int32_t n, double enough, double *v, double *f);

#endif
