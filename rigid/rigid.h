// One rigid body: its state, its part of the system that a step solves, its motion. Internal.

#ifndef PL_RIGID_H
#define PL_RIGID_H

#include "inertia.h"
#include "rotation.h"

// The body's frame has its origin at the centre of mass and the principal axes of inertia. A point
// r of it is at x + R(q) r.
typedef struct pl_rigid {
    double mass;      // [kg]
    double moment[3]; // principal moments of inertia [kg m^2]
    double x[3];      // the centre [m]
    double q[4];      // the orientation, a unit quaternion
    double v[3];      // velocity of the centre [m/s]
    double
        angular_momentum[3]; // angular momentum about the centre [kg m^2/s]: what a free body keeps
} pl_rigid;

// At rest where the mesh was. `inertia` is of pl_inertia_of_mesh.
pl_rigid pl_rigid_at_rest(const pl_inertia *inertia);

// r (3*n): the points x (3*n) of the mesh in the body's frame. r may be x.
void pl_rigid_local(const pl_inertia *inertia, int64_t n, const double *x, double *r);

// x (3*n): where the points r (3*n) of the body's frame are.
void pl_rigid_points(const pl_rigid *body, int64_t n, const double *r, double *x);

// Angular velocity [rad/s]: that which belongs to the angular momentum, and the reverse.
void pl_rigid_omega(const pl_rigid *body, double w[3]);
void pl_rigid_set_omega(pl_rigid *body, const double w[3]);

// The inertia tensor along the world's axes (9).
void pl_rigid_tensor(const pl_rigid *body, double tensor[9]);

// v (3*n) := the velocities of its points x (3*n) [m].
void pl_rigid_velocities(const pl_rigid *body, int64_t n, const double *x, double *v);

double pl_rigid_kinetic_energy(const pl_rigid *body); // [J]

// --- The step: pl_rigid_begin, solve A u = b + impulses for all bodies, pl_rigid_advance ---

// Constant over a step, in the world's frame.
typedef struct pl_rigid_load {
    double force[3];  // at the centre [N]
    double torque[3]; // about the centre [N m]
    double damping;   // of all motion, proportional to mass [1/s], at least 0
} pl_rigid_load;

// Unknowns u (6): velocity of the centre and angular velocity. The body moves by dt times the
// first, and turns by exp(dt times the second).
typedef struct pl_rigid_system {
    double A[18];               // the two blocks on the diagonal, both symmetric positive definite
    double b[6];                // [N s, N m s]
    double u[6];                // A u = b: the motion without constraints
    double angular_momentum[3]; // angular momentum after the step without constraints
    double dt;                  // [s]
    double response;            // what a unit of impulse adds to the momentum, 1 / (1 + dt damping)
} pl_rigid_system;

// Fails with PL_ERROR_NUMERICS if the body's state is not finite, or turns too far in one step.
pl_status pl_rigid_begin(const pl_rigid *body, const pl_rigid_load *load, double dt,
                         pl_rigid_system *out);

// Moves the body by the velocities u (6) that were solved for. `impulse` (6) is the sum of all that
// constraints have given to the body; with it momentum is kept to rounding, whatever residual the
// solver has left. NULL: A u - b.
void pl_rigid_advance(pl_rigid *body, const pl_rigid_system *system, const double u[6],
                      const double *impulse);

#endif
