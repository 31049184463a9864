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
    pl_body_kind kind;       // PL_BODY_NONE: the place is empty, and its mesh too
    int32_t generation;      // of the place: how many bodies were there before
    void *user;              // the program's own
    char name[PL_BODY_NAME]; // "" if it was given none
    pl_mesh *mesh;           // the rest shape, as it was given
    pl_surface_options surface;
    int32_t published; // where its vertices begin in the arrays for the outside
    bool late;         // it was added to a world that had stepped
    bool asleep;       // see sleep.h
    int32_t island;    // if so: bodies that sleep together have the same
    double quiet;      // for so long it has been slow [s]

    // Deformable.
    int32_t *rank; // (n_vert) of each vertex of the mesh, its place among the body's vertices here
    pl_material_options material;
    int32_t first;                           // of its vertices in the world's arrays
    int32_t fem;                             // its number among the deformable ones
    bool free;                               // no vertex is driven or pulled in this step
    double momentum[3], angular_momentum[3]; // if free: of the step, see momentum.c
    double share; // of the step, in which forces act on them: bdf2.c's gamma
    double impulse[3], angular_impulse[3]; // of contacts in the step, about the origin [N s, N m s]

    // Rigid and kinematic.
    double *local;      // (3*n_vert) rigid: the mesh in the body's frame
    double unturned[4]; // rigid: the inverse of its orientation at the start
    int32_t rigid;      // its number among the rigid ones
    double damping;
    double force[3], torque[3]; // rigid: from outside, kept until set again [N, N m]
    pl_path path;               // kinematic

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

// The bodies, and what they are told.
typedef struct pl_bodies {
    pl_world_body *body; // (n)
    int64_t n, capacity; // places; some may be empty
    int64_t n_empty;     // that may be used again
    int32_t n_deformable;
    int32_t *ignored; // (2*n_ignored) bodies that pass through each other
    int64_t n_ignored, ignored_capacity;
    pl_path *paths; // (n_paths) the motions that vertices follow
    int64_t n_paths, path_capacity;
    pl_driven *driven; // (n_driven) by vertex, each once
    int64_t n_driven, driven_capacity;
} pl_bodies;

// The state and the loads. Vertices are those of all deformable bodies; within a body they stand
// along a space-filling curve, so that what is near in space is near in memory.
typedef struct pl_state {
    int32_t n_vert;
    double *x, *v, *force; // (3*n_vert) positions [m], velocities [m/s], outer forces [N]
    int64_t x_capacity, v_capacity, force_capacity;
    pl_rigid *rigid; // (n_rigid)
    int64_t n_rigid, rigid_capacity;
    bool moved; // positions were set from outside: are the bodies still apart?
} pl_state;

// The state of all bodies in the order of their meshes, for the outside.
typedef struct pl_published {
    int32_t n;     // vertices of all bodies
    double *x, *v; // (3*n)
    int64_t x_capacity, v_capacity;
    int64_t version; // rises whenever x is set
} pl_published;

// The linear system of a step. Made by the first step, from the bodies that were added until then.
typedef struct pl_system {
    bool ready;
    int32_t n_block; // vertices, and two for each rigid body
    pl_fem fem;
    pl_bsr A;
    const pl_bsr *solved; // what is solved with: A, or without what sleeps, see sleep_matrix.c
    pl_block_jacobi jacobi;
    pl_cg cg;
    pl_arena direct;         // of factors, where conjugate gradients take long
    uint8_t *prescribed;     // (n_block) 1: the velocity is given in this step
    double *b, *v_new;       // (3*n_block)
    double *f_ext;           // (3*n_vert) gravity and outer forces [N]
    pl_rigid_system *rigid;  // (n_rigid) what each rigid body brings to A and b
    pl_rigid *rigid_end;     // (n_rigid) scratch: rigid bodies at the end of the step
    double *contact_impulse; // (6*n_rigid) of contacts, linear and angular [N s, N m s]
} pl_system;

// What a step that fails goes back to.
typedef struct pl_saved {
    double time;
    double *x, *v;   // (3*n_vert)
    pl_rigid *rigid; // (n_rigid)
} pl_saved;

// What a step knows of those before it.
typedef struct pl_past {
    pl_saved saved;
    // Of the integrators (integrator.h); NULL where it is another one's.
    double *change;  // (3*n_vert) of the velocities in the last step [m/s]
    bool has_change; // it is known
    struct pl_bdf2 *bdf2;
    struct pl_implicit *implicit;
} pl_past;

// Two bodies that touch, by their ids.
typedef struct pl_touching {
    int32_t a, b;    // a <= b
    double impulse;  // of the last step, along the normals [N s]
    double point[3]; // where, by the forces [m]
} pl_touching;

// Which bodies began and ceased to touch: see events.c.
typedef struct pl_events {
    pl_touching *now, *last; // (n_now), (n_last) by a and b
    pl_contact_event *event; // (n_event) of the last step
    int64_t n_now, n_last, n_event, now_capacity, last_capacity, event_capacity;
} pl_events;

// What warnings.c has said, and what it compares with.
typedef struct pl_warning_state {
    uint32_t warned;        // bits of pl_warning
    double deepest, height; // of all bodies before the first step, along gravity [m]
} pl_warning_state;

typedef struct pl_integrator_ops pl_integrator_ops;

struct pl_world {
    pl_world_options options;
    double time;
    double dt; // of the step under way, or of the last one: less than the options' where it had to
               // be halved [s]
    int64_t steps;
    double started; // the step under way, by the wall clock [s]
    int32_t parts;  // of the step under way that are done: more than one if it had to be halved
    pl_bodies bodies;
    pl_state state;
    pl_published published;
    pl_system system;
    pl_past past;
    struct pl_contact_step *contact; // NULL without contact
    struct pl_auditor *auditor;      // see audit_world.c
    pl_events events;                // see events.c
    struct pl_sleep *sleep;          // see sleep.h; NULL without the option
    struct pl_queries *queries;      // see query.c
    pl_warning_state warnings;
};

// Copies the state to where the outside sees it, of one body or of all.
void pl_world_publish_body(pl_world *world, int64_t body);
void pl_world_publish(pl_world *world);

// Gives the system back; the next step builds it anew.
void pl_world_unprepare(pl_world *world);

// Gives back what audits and queries keep of the surfaces; the next ones make it anew.
void pl_world_forget_surfaces(pl_world *world);

// A body is known to the outside by an id: its place among the bodies, and above these bits the
// generation of the place, so that the id of a body that was removed is not that of another one.
enum { PL_ID_BITS = 20, PL_GENERATIONS = 1 << (31 - PL_ID_BITS) };

static inline int32_t pl_world_id(const pl_world *world, int64_t place)
{
    return (int32_t)place | world->bodies.body[place].generation << PL_ID_BITS;
}

// The place of a body, -1 if there is no such body, or no world.
static inline int32_t pl_world_place(const pl_world *world, int32_t id)
{
    int32_t place = id & ((1 << PL_ID_BITS) - 1);
    if (world == NULL || id < 0 || place >= world->bodies.n) return -1;
    const pl_world_body *b = &world->bodies.body[place];
    return b->kind != PL_BODY_NONE && b->generation == id >> PL_ID_BITS ? place : -1;
}

// The block of a rigid body's centre; that of its turning follows it.
static inline int32_t pl_world_rigid_block(const pl_world *world, int32_t rigid)
{
    return world->state.n_vert + 2 * rigid;
}

// *place := that of a body. PL_ERROR_ARGUMENT if there is no such body, or no world.
pl_status pl_world_find(const pl_world *world, int32_t id, int32_t *place);

// PL_ERROR_ARGUMENT if it is no unit quaternion.
pl_status pl_orientation_check(const double q[4]);

// Gives back what a body holds.
void pl_world_body_free(pl_world_body *b);

// What to call a body, by its place: the name that it was given, or "body 3" in `text`.
const char *pl_world_body_name(const pl_world *world, int64_t place, char text[PL_BODY_NAME]);

// From the order of the mesh of a deformable body to ours (3*n_vert each).
void pl_world_permute(const pl_world_body *b, const double *from, double *to);

#endif
