// What a simulator must be able to do to be compared, and the workload that all of them are given.
// Each simulator is a program of its own: peer_X.c (or .cc) with the functions below, linked with
// serve.c, which obeys peers.c over a socket. C and C++ read this file.

#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// An elastic body: a mesh of tets at the place where it has no stress.
typedef struct peer_body {
    int32_t n_vert, n_tet;
    const double *x;    // (3*n_vert) [m]
    const int32_t *tet; // (4*n_tet)
    const double *mass; // (n_vert) a quarter of each tet's at its corners [kg]
    int32_t first;      // number of its first vertex among those of all bodies
} peer_body;

// A wall that never moves.
typedef struct peer_box {
    double lo[3], hi[3]; // [m]
} peer_box;

typedef struct peer_workload {
    struct pl_scene *scene; // what the rest is taken from
    int32_t n_body, n_vert; // vertices of all bodies
    peer_body *bodies;      // (n_body)
    double *mass;           // (n_vert) [kg]
    int32_t n_box;
    peer_box box[4];                // the ground is none of them: z >= 0
    double young, poisson, density; // of all bodies [Pa], [kg/m^3]
    double friction;                // of all pairs
    double dt, gravity[3];          // [s], [m/s^2]
} peer_workload;

// The workload of a scene file, in which all bodies have one material, one friction and no damping,
// and walls are frames. Says on standard error what else there is, and returns false.
bool peer_workload_load(const char *path, peer_workload *out);
void peer_workload_free(peer_workload *workload);

// What a step took.
typedef struct peer_step {
    double wall, cpu;             // [ms], of this process
    double fem, collision, solve; // parts of the wall time, 0 where the simulator does not tell
    int32_t contacts;             // that it found
    bool failed;
} peer_step;

// --- What a simulator implements ---

// Makes its world, at the rest positions and at rest. False: it said why on standard error.
bool peer_open(const peer_workload *workload, int threads);
// Advances by dt; fills in what it knows of parts and contacts.
bool peer_advance(peer_step *out);
// Positions [m] and velocities [m/s] of all vertices, (3*n_vert) each.
void peer_get(double *x, double *v);
bool peer_set(const double *x, const double *v);

// --- What peers.c sends to serve.c on PEER_SOCKET; all numbers as they lie in memory ---

#define PEER_SOCKET 100

typedef enum peer_order {
    PEER_OPEN, // answer: an int32_t, 0 if it failed
    PEER_STEP, // n steps; answer: (n) peer_step, ended early by one that failed
    PEER_GET,  // answer: x and v
    PEER_SET,  // x and v follow; answer: an int32_t, 0 if it failed
} peer_order;

typedef struct peer_request {
    int32_t order, n;
} peer_request;

#ifdef __cplusplus
}
#endif

#endif
