// Judges a state, of whichever simulator: what intersects, how deep, and how much energy there is.

#ifndef PEER_JUDGE_H
#define PEER_JUDGE_H

#include "peer.h"
#include "../../include/pliant.h"

typedef struct judge judge;

typedef struct judge_verdict {
    bool finite;                      // all numbers are; else the rest is 0
    int32_t intersections;            // pairs of triangles, by the exact audit
    int32_t inside;                   // vertices of one body inside of another
    double depth;                     // of the deepest of them below that body's surface [m]
    double sunk;                      // of the deepest vertex in the ground or a wall [m]
    double kinetic, elastic, gravity; // [J], by Pliant's own measure
    double centre[2];                 // of mass of all bodies, along the ground [m]
} judge_verdict;

// NULL if it cannot be made; it said why on standard error.
judge *judge_create(const peer_workload *workload);
void judge_destroy(judge *j);

// Reads x and v (3*n_vert) from a checkpoint of the workload's scene.
bool judge_resume(judge *j, const char *path, double *x, double *v);

// x and v (3*n_vert).
judge_verdict judge_state(judge *j, const double *x, const double *v);

#endif
