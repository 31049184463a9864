// A few contacts with friction at nearly the same place, solved together. Internal.

#ifndef PL_CLUSTER_H
#define PL_CLUSTER_H

#include "../base/arena.h"
#include "coulomb.h"

// How an active contact may move in its frame: its impulse is a sum of `n` columns, and as many
// rows of its relative velocity are to become 0.
typedef struct pl_cluster_face {
    int32_t contact;
    int32_t at, n;         // its unknowns: all three if it sticks, two or one if it slips
    double row[9], col[9]; // (3*n)
    double compliance;     // of the last unknown [1/kg]
} pl_cluster_face;

// u = q + S f is to obey the laws of contact (problem.h). One for each thread.
typedef struct pl_cluster {
    int32_t capacity;
    int32_t n;       // contacts, at most the capacity
    double *S;       // (3*n, 3*n) row-major, symmetric [1/kg]
    double *q;       // (3*n) [m/s]
    pl_coulomb *law; // (n) with the diagonal blocks of S
    double *f;       // (3*n) impulses: a guess, then the solution
    // Scratch.
    pl_cluster_face *face;
    uint8_t *out; // (n) contacts that a step leaves open
    double *M, *y, *from, *to, *swept;
} pl_cluster;

// Lives as long as what is taken from the arena does.
pl_status pl_cluster_create(int32_t capacity, pl_arena *arena, pl_cluster *out);

// Improves f until a sweep over the contacts changes no relative velocity by more than `enough`
// [m/s]. False if it does not come to that: f is then what one sweep makes of it.
bool pl_cluster_solve(pl_cluster *c, double enough);

#endif
