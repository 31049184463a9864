// Scenes of rigid bodies on which simulators are compared: what there is, and what a simulator must
// be able to do. `pliant bench rigid` runs Pliant on them, and beside it the simulators of
// tests/peers that are there. C and C++ read this file.

#ifndef PL_TRIAL_H
#define PL_TRIAL_H

#include "pliant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pl_trial_shape {
    PL_TRIAL_BOX,     // half: half of its sizes
    PL_TRIAL_CAPSULE, // half: radius, and half of the length of its axis, which is z
    PL_TRIAL_SOFT,    // an elastic box; not all simulators have them
} pl_trial_shape;

typedef struct pl_trial_pose {
    double x[3]; // centre of mass [m]
    double q[4]; // orientation, a unit quaternion, real part first
    double v[3]; // velocity of the centre [m/s]
    double w[3]; // angular velocity, in the axes of the world [rad/s]
} pl_trial_pose;

typedef struct pl_trial_body {
    pl_trial_shape shape;
    double half[3];      // [m]
    double mass;         // [kg]
    double force[3];     // that acts on its centre throughout, besides gravity [N]
    double young;        // of a soft one [Pa]; Poisson's ratio is 0.2
    pl_trial_pose start; // orientation 1 for boxes
} pl_trial_body;

typedef enum pl_trial_joint_kind { PL_TRIAL_BALL, PL_TRIAL_SLIDER } pl_trial_joint_kind;

// Ties body b to body a, or to the world (-1). Bodies of joints form a tree, parents first.
typedef struct pl_trial_joint {
    pl_trial_joint_kind kind;
    int32_t a, b;
    double point[3]; // of a ball, at the start [m]
    double axis[3];  // of a slider
} pl_trial_joint;

// Bodies stay where normal . x >= offset.
typedef struct pl_trial_plane {
    double normal[3], offset; // [1], [m]
} pl_trial_plane;

enum { PL_TRIAL_PLANES = 5 };

typedef struct pl_trial {
    const char *name, *title;
    int32_t n_body, n_joint, n_plane;
    pl_trial_body *body;
    pl_trial_joint *joint;
    pl_trial_plane plane[PL_TRIAL_PLANES];
    double friction;     // of all pairs
    double gravity[3];   // [m/s^2]
    double dt;           // [s]
    int32_t steps;       // to take
    bool touch;          // bodies touch each other
    int32_t settled;     // drift counts from this step on, ...
    double drift_of[3];  // ... along the axes with 1 here, ...
    int32_t drift_first; // ... of the bodies before this one
    bool closed;         // no force but gravity works on it: it cannot gain energy
} pl_trial;

// Those of bodies that fall, stand and swing come first, and then those of holding: slopes and
// grippers.
int32_t pl_trial_count(void);
int32_t pl_trial_simple_count(void);

// Trial number i; with few bodies and steps if `quick`. Free it after use; PL_ERROR_MEMORY.
pl_status pl_trial_make(int32_t i, bool quick, pl_trial *out);
void pl_trial_free(pl_trial *trial);

// The tetrahedra of a soft body, at its place.
pl_status pl_trial_soft_mesh(const pl_trial_body *body, pl_mesh **out);

// --- A simulator ---

typedef struct pl_trial_engine {
    const char *name;
    const char *setting; // its own: a solver, iterations
    const char *program; // of a simulator that is a process of its own, else NULL
    const char *without; // names of trials that it leaves out, or NULL
    // The scene at its start; NULL if it cannot.
    void *(*open)(const struct pl_trial_engine *engine, const pl_trial *trial);
    bool (*step)(void *sim, double *seconds);    // that the processor took for it
    void (*get)(void *sim, pl_trial_pose *pose); // (n_body)
    // A line of its own about the steps, to be printed below its row; may be NULL.
    void (*tell)(void *sim, char *line, int size);
    // Writes the contact problem of the last step to a file; may be NULL.
    void (*save)(void *sim, const char *path);
    void (*close)(void *sim);
} pl_trial_engine;

// Pliant on one thread, with the solver auto, and with newton.
extern const pl_trial_engine pl_trial_pliant, pl_trial_pliant_newton;

// Runs `program`, a path, with `setting` as its argument, and speaks with it over PL_TRIAL_SOCKET:
// it gets the trial, as pl_trial_write writes it, and answers with the poses at the start; then,
// for each byte that it gets, with those after one more step. An answer is one double, the
// processor time of the step [s], negative if it failed, and, if not, the poses (n_body).
enum { PL_TRIAL_SOCKET = 3 };
void *pl_trial_child_open(const pl_trial_engine *engine, const pl_trial *trial);
bool pl_trial_child_step(void *sim, double *seconds);
void pl_trial_child_get(void *sim, pl_trial_pose *pose);
void pl_trial_child_close(void *sim);

// As text: a keyword and numbers per line, and `end`. Soft bodies with their tetrahedra.
pl_status pl_trial_write(const pl_trial *trial, void *file);

typedef struct pl_trial_output {
    void *csv;            // a FILE for rows, or NULL
    const char *problems; // a folder for the problems of the slowest steps, or NULL
} pl_trial_output;

// Runs the trial by all simulators (n), by turns, and prints a table. None gets more than `seconds`
// of processor time.
pl_status pl_trial_compare(const pl_trial *trial, int32_t n, const pl_trial_engine *const *engine,
                           double seconds, const pl_trial_output *output);
// The first line of the CSV.
void pl_trial_csv_head(void *csv);

#ifdef __cplusplus
}
#endif

#endif
