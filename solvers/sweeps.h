// Gauss-Seidel over contacts, each solved exactly, in the metric of a block-diagonal D. Internal.
//
// For given relative velocities u0 it looks for impulses f such that u = u0 + S f, S = L D^-1 L^T,
// obeys the laws of contact. S stands in compressed rows of 3x3 blocks, in the order of the sweeps.
// A block of D with many contacts, as those of a rigid body, would give S the square of their
// number: such blocks are left out of S, and carry the velocity that all their impulses make.
//
// Islands of contacts (islands.h) are swept apart, each as often as it needs, in parallel; in a
// large one contacts of one colour are. So the result does not depend on the number of threads.
//
// Contacts at nearly the same place hand impulses to each other in steps of u / S, which may take
// thousands of sweeps: such clusters are solved together (cluster.h).

#ifndef PL_SWEEPS_H
#define PL_SWEEPS_H

#include "islands.h"

// A contact at a block that carries its velocity.
typedef struct pl_sweep_link {
    double G[9], H[9]; // see rows.h
    int32_t node, block;
} pl_sweep_link;

typedef struct pl_sweep_node {
    double S[9]; // its diagonal block
    double mu;
    double ratio; // of slip and friction when it slipped last
    int32_t contact;
    int32_t row, n_row;   // its other blocks of S
    int32_t link, n_link; // its links
} pl_sweep_node;

// How often a cluster could not be solved, and how many sweeps it waits for the next try.
typedef struct pl_cluster_luck {
    int32_t failures, wait;
} pl_cluster_luck;

typedef struct pl_sweeps {
    int32_t n; // contacts with a block that is not known
    pl_islands islands;
    pl_sweep_node *node; // (n) in the order of the islands
    int32_t *col;        // of S: nodes
    double *val;         // 9 each, column by column
    int64_t n_link;
    pl_sweep_link *link;        // (n_link) in the order of the nodes
    int32_t n_carry;            // blocks that carry their velocity:
    int32_t *carry_start;       // (n_carry + 1) where the links of each begin ...
    int32_t *carry_link;        // (n_link) ... in their order
    double *u0, *f;             // (3*n) by node
    double *carry;              // (3*A.n) D^-1 L^T f, in the blocks of links
    struct pl_cluster *cluster; // one for each thread
    pl_cluster_luck *luck;      // (islands.n_cluster)
    bool plain;                 // clusters are swept like other contacts; false unless set
} pl_sweeps;

// Lives as long as what is taken from the arena does. D^-1 must be 0 in the known blocks; scale as
// pl_contact_scales makes it.
pl_status pl_sweeps_create(const pl_problem *problem, const pl_block_jacobi *D, const pl_uses *uses,
                           const double *scale, pl_arena *arena, pl_sweeps *out);

// At most `n` sweeps over f (3*n_contact) for u0 (3*n_contact); over each island up to the first
// that changes none of its relative velocities by more than `enough` [m/s]. Returns how many sweeps
// the island with the most had.
int32_t pl_sweeps_run(pl_sweeps *sweeps, int32_t n, double enough, const double *u0, double *f);

#endif
