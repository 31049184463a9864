// The world behind pl_world: bodies, state, and the system that a step solves. Internal.
//
// Unknown are velocities in blocks of three: first those of the vertices of all deformable bodies,
// then two per rigid body: the velocity of its centre and its angular velocity.

#ifndef PL_WORLD_H
#define PL_WORLD_H

#include "../fem/fem.h"
#include "../meshes/skeleton.h"
#include "../rigid/rigid.h"
#include "../solvers/block_jacobi.h"
#include "../solvers/cg.h"
#include "../solvers/direct.h"
#include "motion.h"

enum { PL_BODY_NAME = 48 }; // size of a body's name in errors and warnings, with its 0

// A shape of a body, as contacts see it: see shape_body.h.
typedef struct pl_world_collider {
    pl_skeleton skeleton; // its arrays are the body's
    double friction;
} pl_world_collider;

typedef struct pl_world_body {
    pl_body_kind kind;       // PL_BODY_NONE: the place is empty, and mesh is NULL
    int32_t generation;      // how many bodies had this place before
    void *user;              // pl_world_set_user_data
    char name[PL_BODY_NAME]; // "" if it was given none
    pl_mesh *mesh;           // the rest shape, as it was given
    pl_surface_options surface;
    pl_world_collider *collider; // (n_collider) what touches others; none: the mesh's surface
    int32_t n_collider;
    int32_t *skeletons; // the arrays of these
    int32_t published;  // index of its first vertex in pl_published
    bool late;          // it was added to a world that had stepped
    bool rests;         // kinematic, with the option `sleep`: it does not move in this step
    bool asleep;        // see sleep.h
    int32_t island;     // if so: bodies that sleep together have the same
    double quiet;       // for so long it has been slow [s]

    // Deformable.
    int32_t *rank; // (n_vert) index of each mesh vertex among the body's vertices in the state
    pl_material_options material;
    int32_t first;                           // index of its first vertex in the state
    int32_t fem;                             // its index among the deformable bodies
    bool free;                               // no vertex is driven or pulled in this step
    double momentum[3], angular_momentum[3]; // if free: of the step, see momentum.c
    double share; // factor of dt by which forces change the momenta: gamma of bdf2.c, else 1
    double impulse[3], angular_impulse[3]; // of contacts in the step, about the origin [N s, N m s]

    // Rigid and kinematic.
    double *local;      // (3*n_vert) rigid: mesh vertices in the frame of the principal axes [m]
    double unturned[4]; // rigid: inverse of its orientation when it was added
    int32_t rigid;      // its index among the rigid bodies
    double damping;
    double force[3], torque[3]; // rigid: external, kept until set again [N, N m]
    pl_path path;               // kinematic

    pl_pull *pull; // (n_pull) see pull.c
    int32_t n_pull;
    int64_t pull_capacity;
} pl_world_body;

// A vertex that follows a motion.
typedef struct pl_driven {
    int32_t vertex; // in the world's arrays
    int32_t motion; // index in pl_bodies.paths
    double x0[3];   // its position when the motion was set [m]
} pl_driven;

// The bodies, and their prescribed motions.
typedef struct pl_bodies {
    pl_world_body *body; // (n)
    int64_t n, capacity; // places; some may be empty
    int64_t n_empty;     // empty places, which new bodies take first
    int32_t n_deformable;
    int32_t *ignored; // (2*n_ignored) bodies that pass through each other
    int64_t n_ignored, ignored_capacity;
    struct pl_friction_pair *friction_pair; // (n_friction_pair) in order, by places
    int64_t n_friction_pair, friction_pair_capacity;
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
    bool moved; // positions were set from outside: test for intersections before the next step
} pl_state;

// Positions and velocities of all bodies in the order of their meshes, as the public API returns
// them.
typedef struct pl_published {
    int32_t n;     // vertices of all bodies
    double *x, *v; // (3*n)
    int64_t x_capacity, v_capacity;
    int64_t version; // incremented whenever x is set
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
    pl_arena direct;           // memory of sparse factors, used where cg takes too many iterations
    uint8_t *prescribed;       // (n_block) 1: the velocity is prescribed in this step
    double *b, *v_new;         // (3*n_block) right-hand side [N s], unknown velocities [m/s]
    double *f_ext;             // (3*n_vert) gravity and external forces [N]
    double *product, *inertia; // (3*n_block), (n_vert) scratch of energy_step.c
    pl_rigid_load *load;       // (n_rigid) all forces but those of constraints
    pl_rigid_system *rigid;    // (n_rigid) blocks of each rigid body in A and b
    pl_rigid *rigid_end;       // (n_rigid) scratch: rigid bodies at the end of the step
    double
        *impulse; // (6*n_rigid) of constraints on each rigid body, linear and angular [N s, N m s]
} pl_system;

// The state at the start of a step, restored if the step fails.
typedef struct pl_saved {
    double time;
    double *x, *v;   // (3*n_vert)
    pl_rigid *rigid; // (n_rigid)
} pl_saved;

// What integrators keep from earlier steps.
typedef struct pl_past {
    pl_saved saved;
    // Of the integrators (integrator.h); NULL where it is another one's.
    double *change;  // (3*n_vert) change of the velocities in the last step [m/s]
    bool has_change; // change holds the values of the last step
    struct pl_bdf2 *bdf2;
} pl_past;

// Two bodies that touch, by their ids.
typedef struct pl_touching {
    int32_t a, b;    // a <= b
    double impulse;  // sum of normal impulses in the last step [N s]
    double point[3]; // mean contact point, weighted by force [m]
} pl_touching;

// Contact events: see events.c.
typedef struct pl_events {
    pl_touching *now, *last; // (n_now), (n_last) by a and b
    pl_contact_event *event; // (n_event) of the last step
    int64_t n_now, n_last, n_event, now_capacity, last_capacity, event_capacity;
} pl_events;

// Warnings that were given, and data for later ones (warnings.c).
typedef struct pl_warning_state {
    uint32_t warned;        // bits of pl_warning that were given
    double deepest, height; // lowest point and extent along gravity of all bodies at the start [m]
} pl_warning_state;

typedef struct pl_integrator_ops pl_integrator_ops;

struct pl_world {
    pl_world_options options;
    double time;
    double dt; // length of the current step or part of a step, or of the last one: less than the
               // options' where a step is halved [s]
    int64_t steps;
    double started; // wall-clock time at which the current step began [s]
    int32_t parts;  // completed parts of the current step: more than one if it was halved
    pl_bodies bodies;
    pl_state state;
    pl_published published;
    pl_system system;
    pl_past past;
    struct pl_elements *elements;           // see elements.h; with the system
    struct pl_balance *balance;             // see balance.h; NULL if steps do not iterate
    struct pl_constraint_step *constraints; // with the system
    struct pl_contact_step *contact;        // NULL without contact
    struct pl_auditor *auditor;             // see audit_world.c
    pl_events events;                       // see events.c
    struct pl_joints *joints;               // see joints.h; NULL without any
    struct pl_sleep *sleep;                 // see sleep.h; NULL without the option
    struct pl_queries *queries;             // see query.c
    pl_warning_state warnings;
};

// Copies the state of one body, or of all, to world->published.
void pl_world_publish_body(pl_world *world, int64_t body);
void pl_world_publish(pl_world *world);

// Frees the system; the next step rebuilds it.
void pl_world_unprepare(pl_world *world);

// A material as a body of this world has it: with a stretch limit, if none was named.
pl_material_options pl_world_material(const pl_world *world, const pl_material_options *given);

// Frees the surfaces that audits and queries keep; the next ones rebuild them.
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

// The block of a rigid body's linear velocity; that of its angular velocity follows.
static inline int32_t pl_world_rigid_block(const pl_world *world, int32_t rigid)
{
    return world->state.n_vert + 2 * rigid;
}

// *place := that of a body. PL_ERROR_ARGUMENT if there is no such body, or no world.
pl_status pl_world_find(const pl_world *world, int32_t id, int32_t *place);

// PL_ERROR_ARGUMENT if it is no unit quaternion.
pl_status pl_orientation_check(const double q[4]);

// Frees the arrays of a body.
void pl_world_body_free(pl_world_body *b);

// The name of a body for messages, by its place: the name that it was given, or "body 3" in `text`.
const char *pl_world_body_name(const pl_world *world, int64_t place, char text[PL_BODY_NAME]);

// From the order of the mesh of a deformable body to ours (3*n_vert each).
void pl_world_permute(const pl_world_body *b, const double *from, double *to);

#endif
