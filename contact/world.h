// The world behind pl_world: bodies, state, and the system that a step solves. Internal.
//
// Unknown are velocities in blocks of three: first those of the vertices of all deformable bodies,
// then two per rigid body, of its centre and its turning.

#ifndef PL_WORLD_H
#define PL_WORLD_H

#include "../fem/fem.h"
#include "../rigid/rigid.h"
#include "../solvers/block_jacobi.h"
#include "../solvers/cg.h"
#include "../solvers/direct.h"
#include "motion.h"

enum { PL_BODY_NAME = 48 }; // bytes of what errors and warnings call a body

typedef struct pl_world_body {
    pl_body_kind kind;
    char name[PL_BODY_NAME]; // "" if it was given none
    pl_mesh *mesh;           // the rest shape, as it was given
    pl_surface_options surface;
    int32_t shown; // where its vertices begin in the arrays for the outside
    bool late;     // it was added to a world that had stepped

    // Deformable.
    int32_t *rank; // (n_vert) of each vertex of the mesh, its place among the body's vertices here
    pl_material_options material;
    int32_t first;               // of its vertices in the world's arrays
    int32_t fem;                 // its number among the deformable ones
    bool free;                   // no vertex is driven or pulled in this step
    double momentum[3], spin[3]; // if free: of the step, see momentum.c
    double share;                // of the step, in which forces act on them: bdf2.c's gamma
    double push[3], torque[3];   // of contacts in the step, about the origin [N s, N m s]

    // Rigid and kinematic.
    double *local;      // (3*n_vert) rigid: the mesh in the body's frame
    double unturned[4]; // rigid: the inverse of its turn at the start
    int32_t rigid;      // its number among the rigid ones
    double damping;
    pl_path path; // kinematic

    pl_pull *pull; // (n_pull) see pull.c
    int32_t n_pull;
    int64_t pull_capacity;
} pl_world_body;

// A vertex that follows a motion.
typedef struct pl_driven {
    int32_t vertex; // in the world's arrays
    int32_t motion;
    double x0[3];
} pl_driven;

// What a step that fails goes back to.
typedef struct pl_saved {
    double time;
    double *x, *v;   // (3*n_vert)
    pl_rigid *rigid; // (n_rigid)
} pl_saved;

struct pl_world {
    pl_world_options options;
    double time;
    double dt; // of the step under way, or of the last one: less than the options' where it had to
               // be halved [s]
    int64_t steps;
    double started;         // the step under way, by the wall clock [s]
    uint32_t warned;        // see warnings.h
    double deepest, height; // of all bodies before the first step, along gravity [m]; warnings.c

    pl_world_body *bodies; // (n_bodies)
    int64_t n_bodies, body_capacity;
    int32_t n_deformable;

    // State and loads of the deformable bodies, over the vertices of all of them. Within a body
    // they stand along a space-filling curve, so that what is near in space is near in memory.
    int32_t n_vert;
    double *x, *v, *force; // (3*n_vert) positions [m], velocities [m/s], outer forces [N]
    int64_t x_capacity, v_capacity, force_capacity;

    pl_rigid *rigid; // (n_rigid) the state of the rigid bodies
    int64_t n_rigid, rigid_capacity;

    // The state of all bodies in the order of their meshes, for the outside.
    int32_t n_shown;
    double *x_shown, *v_shown; // (3*n_shown)
    int64_t x_shown_capacity, v_shown_capacity;

    int32_t *ignored; // (2*n_ignored) bodies that pass through each other
    int64_t n_ignored, ignored_capacity;

    pl_path *paths; // (n_paths) the motions that vertices follow
    int64_t n_paths, path_capacity;
    pl_driven *driven; // (n_driven) by vertex, each once
    int64_t n_driven, driven_capacity;

    // The system; made by the first step, from what was added until then.
    bool ready;
    bool moved;      // by pl_world_set_state: are the bodies still apart?
    int32_t n_block; // n_vert + 2 n_rigid
    pl_fem fem;
    pl_bsr A;
    pl_block_jacobi jacobi;
    pl_cg cg;
    pl_arena direct;       // of factors, where conjugate gradients take long
    uint8_t *known;        // (n_block) 1: the velocity is given in this step
    double *b, *v_new;     // (3*n_block)
    double *f_ext;         // (3*n_vert)
    double *gain;          // (3*n_vert) of velocities in the last step; NULL: not needed
    bool gained;           // it is known
    pl_rigid_system *turn; // (n_rigid)
    double *impulse;       // (6*n_rigid) of contacts
    pl_saved saved;
    struct pl_touch *touch;     // what contacts need, NULL without
    struct pl_auditor *auditor; // see audit_world.c
    struct pl_bdf2 *bdf2;       // the past, NULL with another integrator
    // For the implicit integrator only.
    double *damping;                    // (9*A.nnz) its constant part of A
    double *load, *direction, *scratch; // (3*n_vert)
};

// Copies the state to where the outside sees it, of one body or of all.
void pl_world_show_body(pl_world *world, int64_t body);
void pl_world_show(pl_world *world);

// Gives the system back; the next step builds it anew.
void pl_world_unprepare(pl_world *world);

// Is there such a body?
static inline bool pl_world_has(const pl_world *world, int32_t body)
{
    return world != NULL && body >= 0 && body < world->n_bodies;
}

// PL_ERROR_ARGUMENT if there is no such body, or no world.
pl_status pl_world_check_body(const pl_world *world, int32_t body);

// What to call a body: the name that it was given, or "body 3" in `text`.
const char *pl_world_body_name(const pl_world *world, int64_t body, char text[PL_BODY_NAME]);

// From the order of the mesh of a deformable body to ours (3*n_vert each).
void pl_world_permute(const pl_world_body *b, const double *from, double *to);

#endif
