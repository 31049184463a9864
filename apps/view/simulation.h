// A simulation in a thread of its own, for a window that must never wait for it. The thread owns
// the world. Others send it commands, which it obeys between steps, and take snapshots of what it
// has found last; neither ever waits for a step.

#ifndef PL_SIMULATION_H
#define PL_SIMULATION_H

#include "../render/quantity.h"
#include "../scene/scene.h"

typedef struct pl_simulation pl_simulation;

// A body as it is drawn: so many vertices and faces of the snapshot's arrays, from these on. Faces
// count from the body's first vertex.
typedef struct pl_view_body {
    int32_t vert, n_vert, face, n_face;
    double color[3], opacity;
    bool edges;
    bool movable; // a hand can pull it
    bool colored; // by the quantity
} pl_view_body;

enum { PL_VIEW_TEXT = 256 };

typedef struct pl_snapshot {
    int64_t number;     // rises from one to the next
    int32_t generation; // of the bodies; with another one, all that is drawn must be made anew
    int32_t n_bodies, n_vert, n_face;
    pl_view_body *body; // (n_bodies)
    int32_t *face;      // (3*n_face)
    double *x;          // (3*n_vert) [m]
    pl_quantity quantity;
    double *value;             // (n_vert) of the quantity, unless that is none
    double range;              // where its colours should end
    pl_contact_point *contact; // (n_contacts)
    int32_t n_contacts;
    pl_joint_state *joint; // (n_joints)
    int32_t n_joints;
    char motor[PL_VIEW_TEXT]; // the motor that keys drive, and what it does; "" if there is none

    pl_step_stats stats;     // of the last step
    double steps_per_second; // in the last second of wall clock
    double pace;             // simulated time by wall-clock time, over the same
    double speed;            // what is aimed at: 1, or less for slow motion
    bool paused;
    double friction; // factor on that of all bodies
    const char *solver, *precond;
    int32_t held;               // the body that is pulled, -1 if none is
    double point[3], target[3]; // where it is held, and where to [m]
    char message[PL_VIEW_TEXT]; // what went wrong, or was done, last; "" if nothing
    int32_t messages;           // so many so far

    int64_t body_room, face_room, x_room, value_room, contact_room, joint_room;
} pl_snapshot;

// Starts a thread that simulates `scene` in real time, paused if asked; the scene is its own from
// now on, also if this fails. `threads` as in pl_world_options. Fails like pl_scene_world.
pl_status pl_simulation_start(pl_scene *scene, int32_t threads, bool paused, pl_simulation **out);

// Ends the thread, after the step it is in.
void pl_simulation_stop(pl_simulation *simulation);

// The newest snapshot; it stays as it is until the next call. One thread may ask. Never NULL.
const pl_snapshot *pl_simulation_look(pl_simulation *simulation);

// --- Commands: they return at once ---

void pl_simulation_pause(pl_simulation *simulation);           // or go on
void pl_simulation_step(pl_simulation *simulation);            // one, and pause
void pl_simulation_reset(pl_simulation *simulation);           // to the beginning
void pl_simulation_faster(pl_simulation *simulation, bool up); // between 1/64 and 1 times real time
void pl_simulation_next_solver(pl_simulation *simulation);
void pl_simulation_next_precond(pl_simulation *simulation);
void pl_simulation_rougher(pl_simulation *simulation, bool up);
void pl_simulation_next_motor(pl_simulation *simulation);     // which the next two drive
void pl_simulation_drive(pl_simulation *simulation, bool up); // its target up or down
void pl_simulation_show(pl_simulation *simulation, pl_quantity quantity);

// Grabs a body of the drawing at a point of one of its faces (see pick.h), and draws this point to
// `target`.
void pl_simulation_grab(pl_simulation *simulation, int32_t body, int32_t face,
                        const double weight[3], const double target[3]);
void pl_simulation_drag(pl_simulation *simulation, const double target[3]);
void pl_simulation_release(pl_simulation *simulation);

// Loads a mesh file and lets it fall in from above, as large as the largest body that moves. A
// failure becomes the snapshot's message, and nothing is changed.
void pl_simulation_drop(pl_simulation *simulation, const char *path);

#endif
