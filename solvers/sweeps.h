// Gauss-Seidel over constraints, each solved exactly, in the metric of a block-diagonal D.
// Internal.
//
// For given relative velocities u0 it looks for impulses f such that u = u0 + S f, S = L D^-1 L^T,
// obeys the laws of law.h. S is not made but for the 3x3 blocks on its diagonal, and for clusters
// (see below): each block of D carries the velocity that all impulses make, v = D^-1 L^T f, and a
// contact whose impulse changes adds what that makes to its few blocks.
//
// What is at rest is not solved again: after the first sweep of a run a contact is looked at only
// if a block of its has changed since, by more than is enough, which in most places it has not.
//
// Islands of contacts (islands.h) are swept apart, each as often as it needs, in parallel; in a
// large one every second of its strips is. So the result does not depend on the number of threads.
//
// Contacts at nearly the same place hand impulses to each other in steps of u / S, which may take
// thousands of sweeps: such clusters are solved together (cluster.h).

#ifndef PL_SWEEPS_H
#define PL_SWEEPS_H

#include "islands.h"
#include "law.h"

// What a block adds to a contact's relative velocity: w v, or w v + v x r (see problem.h).
typedef struct pl_sweep_link {
    double w;
    int32_t block;
} pl_sweep_link;

typedef struct pl_sweep_arm {
    double r[3];
} pl_sweep_arm;

typedef struct pl_sweep_node {
    union {
        pl_coulomb law; // with its diagonal block of S
        pl_block block; // if it has limits
    };
    double held; // what was added to the diagonal of S, without the compliance [1/kg]
    double R[9]; // see problem.h
    double u0[3], f[3];
    double drift; // of its relative velocity by its own impulse, since its blocks were told
    int32_t constraint;
    int32_t link, n_link; // its links,
    int32_t arm, n_arm;   // the last of which have arms
    int32_t limits;       // see problem.h
} pl_sweep_node;

// Of those that are not prescribed.
typedef struct pl_sweep_block {
    double v[3];
    double inv[6]; // of D^-1, see block_jacobi.h
    int64_t when;  // it changed by more than is enough
} pl_sweep_block;

typedef struct pl_sweep_cluster {
    int64_t when; // it was solved
    // Of several contacts.
    double *S; // (3*n, 3*n) see cluster.h, once `made`
    bool made;
    int32_t failures, wait; // how often it could not be solved, and for how many sweeps it waits
} pl_sweep_cluster;

typedef struct pl_sweeps {
    const pl_problem *problem;
    const pl_block_jacobi *D;
    const pl_uses *uses;
    int32_t n; // contacts that answer to something
    pl_islands islands;
    pl_sweep_node *node;       // (n) in the order of the islands
    pl_sweep_link *link;       // in the order of the nodes
    pl_sweep_arm *arm;         // in the order of the nodes
    double *stretch;           // (6 each) of the arms; NULL: none has one
    pl_sweep_block *block;     // (uses.n)
    double *push;              // (3*uses.n) L^T f, block by block
    double *world;             // (3*n_constraint) scratch
    bool *wide;                // (islands.n_large) swept by all threads
    pl_sweep_cluster *cluster; // (islands.n_cluster)
    int64_t n_phase;           // of all runs, see `time_of`
    struct pl_cluster *solver; // one for each thread
    bool plain;                // clusters are swept like other contacts; false unless set
    int32_t n_small;           // small islands are swept so many times as often; 1 unless set
    double unit;               // of impulses; 1 unless set
} pl_sweeps;

// Borrows the problem, D and the uses; lives as long as what is taken from the arena does. D^-1
// must be 0 in the prescribed blocks; scale as pl_contact_scales makes it.
pl_status pl_sweeps_create(const pl_problem *problem, const pl_block_jacobi *D, const pl_uses *uses,
                           const double *scale, pl_arena *arena, pl_sweeps *out);

// Impulses are to be in units of `unit`, those that were set stay as they are: u0, u and S f are
// velocities, of which S is what they answer to a unit, and bounds and compliance follow.
void pl_sweeps_set_unit(pl_sweeps *sweeps, double unit);

// Its impulses become f (3*n_constraint), and `push` what belongs to them.
void pl_sweeps_set(pl_sweeps *sweeps, const double *f);

// At most `n` sweeps (or n_small times that) for u0 (3*n_constraint), from the impulses that were
// set or that the last run ended with; over each island up to the first that changes none of its
// relative velocities by more than `enough` [m/s]. f, which must hold those impulses, becomes the
// new ones; `push` goes with it. Returns how many sweeps the island with the most had.
int32_t pl_sweeps_run(pl_sweeps *sweeps, int32_t n, double enough, const double *u0, double *f);

#endif
