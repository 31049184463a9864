// Sleep: bodies at rest, which steps do not compute. Internal.
//
// Bodies that press on each other form an island, which falls asleep and wakes as a whole. A body
// that sleeps has a velocity of 0 that is prescribed: it stays where it is bit for bit, and is an
// obstacle like any other. Its elements are not looked at, its rows of A are cut to the diagonal,
// and pairs of features of two bodies that do not move are not listed (pl_boundary.still): they
// are as far apart after the step as before. What pressed on it when it fell asleep is kept here,
// for the outside to see and for the solver to start from when it wakes.
//
// Who presses on a sleeping body shows in the solution of a step in which it was an obstacle. It
// then wakes, with its island, and the step is solved once more before anything has moved: so an
// impact finds the masses that it would find without sleep.
//
// With world->sleep NULL nobody sleeps, and all of these functions do nothing.

#ifndef PL_SLEEP_H
#define PL_SLEEP_H

#include "contact_step.h"
#include "parts.h"

// The force of a pair when one of its bodies fell asleep.
typedef struct pl_kept_force {
    pl_remembered memory;
    int32_t a, b;     // bodies, by their places
    int64_t recalled; // 1: it woke, and the contacts have its force again
} pl_kept_force;

// Of a body at the start of a step.
typedef struct pl_sleep_state {
    double quiet;
    int32_t asleep, island;
} pl_sleep_state;

typedef struct pl_sleep {
    int32_t n;     // bodies asleep
    bool woke;     // somebody did since this was last set
    int32_t *link; // (2*bodies.n) scratch: islands as trees, and which of them are restless
    int64_t link_capacity;
    double *anchor; // (n_anchor) where vertices were when their body began to be quiet [m]
    int64_t n_anchor, anchor_capacity; // 3*published.n, or 0 if bodies came or went
    pl_contact_point *point; // (n_point) of what sleeps; others, until the next step begins
    int64_t n_point, point_capacity;
    pl_kept_force *force; // (n_force) likewise
    int64_t n_force, force_capacity;
    pl_sleep_state *saved; // (bodies.n) what a step that fails goes back to
    int64_t saved_capacity;
    pl_bsr A;          // the system's without what sleeps: see sleep_matrix.c
    uint8_t *made_for; // (bodies.n) who sleeps in that; (n_block) scratch behind it
    int64_t made_capacity;
} pl_sleep;

// The options of sleep, checked: PL_ERROR_ARGUMENT names the bad one.
pl_status pl_sleep_check(const pl_world_options *options);
pl_status pl_sleep_create(pl_world *world); // if the options want it
void pl_sleep_destroy(pl_sleep *sleep);     // NULL is fine

// The system is given back: features are numbered anew, so that kept forces are lost.
void pl_sleep_forget(pl_world *world);

// --- Waking ---

// The body in a place and its island, if it sleeps; and what sleeps and touches it besides,
// whatever it is itself; and all.
pl_status pl_sleep_wake(pl_world *world, int64_t place);
pl_status pl_sleep_disturb(pl_world *world, int64_t place);
pl_status pl_sleep_wake_all(pl_world *world);

// --- A step, in this order ---

// Notes who sleeps, and goes back to what was noted.
pl_status pl_sleep_save(pl_world *world);
void pl_sleep_go_back(pl_world *world);

// Do all bodies sleep, and will nothing move up to the time t? Then that is the step.
bool pl_sleep_is_total(const pl_world *world, double t);

// Wakes what is driven, or rests on what moves, on the way to the time t. Marks who is still.
pl_status pl_sleep_begin(pl_world *world, double t);

// Prescribes the velocity 0 to who sleeps.
void pl_sleep_prescribe(pl_world *world);

// world->system.solved := A, or what it is without who sleeps; after A or b was assembled.
pl_status pl_sleep_cut(pl_world *world);

// Wakes who is near to what moves by itself; rows cannot tell, since nothing in them is unknown.
// After rows were found.
pl_status pl_sleep_wake_near(pl_world *world);

// Wakes who bears a force of the contacts that were solved for; or, if `any`, has a row.
pl_status pl_sleep_wake_pushed(pl_world *world, bool any);

// Contacts that are kept: how many; appends them to `point` and returns how many they are; the
// smallest gap of them, INFINITY if there is none [m].
int64_t pl_sleep_count_points(const pl_world *world);
int32_t pl_sleep_publish(const pl_world *world, pl_contact_point *point);
double pl_sleep_gap(const pl_world *world);

// After the whole step: makes room; then, its state being published, who has come to rest falls
// asleep.
pl_status pl_sleep_reserve(pl_world *world);
void pl_sleep_update(pl_world *world);

// --- Checkpoints: see pl_integrator_ops ---

// The bodies of the part, to be added while it is packed (bodies.n; NULL if there are none to add).
pl_status pl_sleep_list(const pl_world *world, pl_sleep_state **out);
void pl_sleep_add_parts(const pl_world *world, const pl_sleep_state *list, pl_parts *parts);
bool pl_sleep_check_parts(const pl_world *world, const pl_parts *parts);
// Makes room for what the parts have, which is all that can fail; takes them, or all bodies are
// awake where there are none.
pl_status pl_sleep_reserve_parts(pl_world *world, const pl_parts *parts);
void pl_sleep_take_parts(pl_world *world, const pl_parts *parts);

// Forgets the contacts of who is awake.
void pl_sleep_tidy(pl_world *world);

#endif
