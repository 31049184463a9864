// The world behind pl_world: bodies, state, and the system that a step solves. Internal.

#ifndef PL_WORLD_H
#define PL_WORLD_H

#include "../fem/fem.h"
#include "../solvers/block_jacobi.h"
#include "../solvers/cg.h"
#include "motion.h"

typedef struct pl_world_body {
    pl_mesh *mesh; // the rest shape, as it was given
    int32_t *rank; // (n_vert) of each vertex of the mesh, its place among the body's vertices here
    pl_material_options material;
    int32_t first, n_vert;       // in the world's arrays
    bool free;                   // no vertex is driven in this step
    double momentum[3], spin[3]; // if free: of the step, see momentum.c
} pl_world_body;

// A vertex that follows a motion.
typedef struct pl_driven {
    int32_t vertex; // in the world's arrays
    int32_t motion;
    double x0[3];
} pl_driven;

struct pl_world {
    pl_world_options options;
    double time;
    int64_t steps;

    pl_world_body *bodies; // (n_bodies)
    int64_t n_bodies, body_capacity;

    // State and loads, over the vertices of all bodies. Within a body they stand along a
    // space-filling curve, so that what is near in space is near in memory.
    int32_t n_vert;
    double *x, *v, *force; // (3*n_vert) positions [m], velocities [m/s], outer forces [N]
    int64_t x_capacity, v_capacity, force_capacity;
    double *x_shown, *v_shown; // (3*n_vert) the state in the order of the meshes, for the outside
    int64_t x_shown_capacity, v_shown_capacity;

    pl_path *paths; // (n_paths) the motions that vertices follow
    int64_t n_paths, path_capacity;
    pl_driven *driven; // (n_driven) by vertex, each once
    int64_t n_driven, driven_capacity;

    // The system; made by the first step, from what was added until then.
    bool ready;
    pl_fem fem;
    pl_bsr A;
    pl_block_jacobi jacobi;
    pl_cg cg;
    uint8_t *known;            // (n_vert) 1: the vertex's velocity is given in this step
    double *b, *v_new, *f_ext; // (3*n_vert)
    // For the implicit integrator only.
    double *damping;                    // (9*A.nnz) its constant part of A
    double *load, *direction, *scratch; // (3*n_vert)
};

// Copies the state to where the outside sees it.
void pl_world_show(pl_world *world);

// Builds the system if bodies were added since.
pl_status pl_world_prepare(pl_world *world);

#endif
