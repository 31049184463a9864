// The integrators of a world: one table. Internal.
//
// A step is the same list for all of them (step.c): the loads, a guess, the system, its solution,
// the new state. What differs is in these functions. One that is NULL has nothing to do.

#ifndef PL_INTEGRATOR_H
#define PL_INTEGRATOR_H

#include "parts.h"
#include "world.h"

// Is a step solved once, or until forces balance at its end (balance.h)?
typedef enum pl_newton_kind {
    PL_NEWTON_NONE,
    PL_NEWTON_ADAPTIVE, // until they nearly do: mostly after one solve
    PL_NEWTON_STRICT,
    PL_NEWTON_STATIC, // strictly, and without inertia (static.c)
} pl_newton_kind;

struct pl_integrator_ops {
    const char *name; // "semi-implicit", ...
    pl_newton_kind newton;

    // Allocate and free the data that it keeps in world->past: called when the system is built and
    // freed.
    pl_status (*create)(pl_world *world);
    void (*destroy)(pl_world *world);

    // A and b of deformable bodies, for the current step of world->dt; v_new holds free fall, and
    // may get a better guess. Returns the elastic energy at its start [J].
    double (*assemble)(pl_world *world);
    // Of A as it is now: what vertices (n_vert) have on their diagonal beside stiffness and pulls
    // [kg]; and the factor of beta K in it [s], the other being dt^2.
    void (*inertia)(const pl_world *world, double *inertia);
    double (*viscosity)(const pl_world *world);
    // The same for rigid bodies, whose system of first order is in place.
    void (*assemble_rigid)(pl_world *world);
    // After rows were added to the contact problem: may change A and b.
    void (*meet_rows)(pl_world *world);
    // v_new := where the solver starts, after free fall was used to look for contacts.
    void (*predict)(pl_world *world);

    // Before the state advances by the velocities that were found.
    void (*solved)(pl_world *world);
    // The new places and velocities of vertices.
    void (*move)(pl_world *world);
    // After all bodies have moved.
    void (*settle)(pl_world *world);
    // The part of a body's momenta after the step that is known at its start; false: the usual one
    // (momentum.c).
    bool (*note_momenta)(const pl_world *world, pl_world_body *b);
    // After a part of a step, and after the whole: keeps what the next one needs.
    void (*remember)(pl_world *world);
    void (*finish)(pl_world *world);

    // Discards the history of a body: its next step is like a first one.
    void (*forget)(pl_world *world, const pl_world_body *b);
    // Sets the history of a body that falls asleep to that of a body at rest.
    void (*rest)(pl_world *world, const pl_world_body *b);
    // Saves the history before a step, and restores it if the step fails.
    void (*save)(pl_world *world);
    void (*go_back)(pl_world *world);

    // The history in a checkpoint: write it; check that what was read is valid; take it over, or
    // start without history if there is none. The system is built.
    void (*add_parts)(const pl_world *world, pl_parts *parts);
    bool (*check_parts)(const pl_world *world, const pl_parts *parts);
    void (*take_parts)(pl_world *world, const pl_parts *parts);
};

// One by its number, and that of the world's options.
const pl_integrator_ops *pl_integrator_at(pl_integrator integrator);
const pl_integrator_ops *pl_integrator_of(const pl_world *world);

extern const pl_integrator_ops pl_semi_implicit_ops; // backward_euler.c
extern const pl_integrator_ops pl_implicit_ops;
extern const pl_integrator_ops pl_auto_ops;
extern const pl_integrator_ops pl_bdf2_ops;   // bdf2.c
extern const pl_integrator_ops pl_static_ops; // static.c

// Do its steps go on by Newton's method, until forces balance or nearly do?
bool pl_integrator_iterates(const pl_world *world);

// x += dt v_new, v := v_new.
void pl_integrator_move(pl_world *world);

#endif
