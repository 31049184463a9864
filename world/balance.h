// Newton's method around the solve of a step: until the forces at its end balance. Internal.
//
// What backward Euler asks of the velocities v, with the impulses f of all constraints, is
//
//   D v + V v - dt f_el(x0 + dt v) = g + L^T f                                             (1)
//
// where D is diagonal (masses, mass damping, pulls), V = dt beta K0 the damping by the stiffness
// where the step was first linearized, and g known. BDF2 has the same form (bdf2.c). About
// velocities v_k the elastic forces are f_el(x_k) - dt K_k (v - v_k), which makes it the problem
// that solvers know,
//
//   A v = b + L^T f,   A = D + V + dt^2 K_k,   b = g + dt f_el(x_k) + dt^2 K_k v_k.        (2)
//
// The integrator makes the first one, at the start of the step: so what the semi-implicit step
// solves is Newton's first iterate, bit for bit. Rows are those of the step, gathered in rounds as
// ever: they are not changed nor removed, the impulses of the last iterate start the next.
//
// From v_k with the solution v* of (2) go in the direction d = v* - v_k by t <= 1:
//
// - each tet of a material that keeps its volume (fem/volume_bound.h) keeps at least 0.2 of it;
// - the elastic energy does not rise above its tangent by more than the quadratic model allows,
//
//     psi(x_k + t dt d) - psi(x_k) + t dt f_el(x_k).d + t^2/2 d.(D + V) d <= (1 - c) t d.A d.
//
//   That is Armijo's rule for phi(v) = E(v) - (L^T f + j).v, where E is the incremental potential
//   with the gradient (1) and the impulses f, and those j that keep prescribed vertices on their
//   way, count as constant loads: for d.A d = -d.grad phi(v_k) by (2), whether or not a row is
//   violated at v_k. All that is not elastic is quadratic and needs no looking at.
//
// Proved: A is positive definite (K is projected), so d is a direction of descent of phi, and with
// f fixed phi falls in each iteration; the loop ends, because each pass uses up one of `max_newton`
// matrices or one of `rounds` rounds. Not proved: that it converges. phi changes with f, and with
// friction the problem (2) need not have but one solution. Where it does not, the step is halved.
//
// When is it enough? What the imbalance r of (1) at v* leaves is r = dt f_el(x_k) - dt^2 K_k d -
// dt f_el(x*), since (2) holds. est = sum r^2 / diag A is, but for the missing couplings, the
// energy that the next correction would have; scale is the larger of twice the kinetic energy at
// the start and v.A v of the first solution. With the tolerance tau = newton_tolerance,
//
//   adaptive:  est <= tau^2 scale: one pass over the forces, no other matrix;
//   strict:    the correction d itself is small, d.A d <= tau^2 scale, or est <= (0.03 tau)^2
//   scale,
//
// or either is within what rounding, or with constraints their tolerance, leaves of places. Only a
// full step, t = 1, of a problem that the solver has solved can be enough.
//
// Until then (2) need not be solved well. Its residual may be a share of what the last direction
// was, and where bodies are crushed on the way, with A beyond any solver, a few iterations are all
// it gets: the next matrix, where they are less so, is the better place for more. Only the first
// solve of an adaptive step, which is mostly the last, is solved as that of semi-implicit is,
// unless it takes so long that it would hardly be.

#ifndef PL_BALANCE_H
#define PL_BALANCE_H

#include "world.h"

typedef struct pl_balance {
    // Where (2) is linearized.
    double *lin;   // (3*n_block) v_k [m/s]
    double *place; // (3*n_vert) x_k [m]
    double *force; // (3*n_vert) elastic forces there [N]
    double energy; // and energy [J]
    // The parts of (1).
    double *inertia;         // (n_vert) D [kg]
    double *given;           // (3*n_vert) g [N s]; once a second matrix was needed
    double *viscous;         // (9*A.nnz) V, likewise; NULL: no body has any
    double viscosity;        // V = viscosity beta K [s]
    bool is_given;           // these are there
    bool is_viscous;         // some body has stiffness damping
    double *target;          // (3*n_block) of prescribed blocks: their velocity [m/s]
    double *d, *y, *w;       // (3*n_block) the direction, its product; scratch
    double *x, *dx;          // (3*n_vert) trial places, a way
    double scale, tolerance; // of the step [J], and of est and corrections []
    double share;            // of the elements' negative curvature that is taken away from K
    double step;             // t of the last pass
    int32_t iteration;       // matrices of this step that were used up
    int32_t stuck;           // the last so many of them led to short steps
    double tie;              // of iterates to each other, without inertia: P / M of static.c
    int32_t repeats;         // the last so many solves went on with the same matrix
    double square;           // d.A d of the last direction [J]
    bool unsolved;           // the last pass has not moved: its solve is to go on
    bool starts_ahead;       // it was first linearized elsewhere than at the start of the step
    bool adaptive, is_static;
    bool rough;      // the last solve was good enough to go on, but not to be the last
    bool unfinished; // it did not converge
    bool enough;     // the last pass was
} pl_balance;

// Made with the system, if the integrator of the world iterates.
pl_status pl_balance_create(pl_world *world);
void pl_balance_destroy(pl_world *world);

// For integrators: A and b are linearized about the velocities `lin` (3*n_block; NULL: 0), with the
// elastic forces (3*n_vert) and the elastic energy there. Nothing if the world does not iterate.
void pl_balance_note(pl_world *world, const double *lin, const double *force, double energy);

// Before the first solve of a step, or a part of one: A and b are assembled.
void pl_balance_begin(pl_world *world);

// The relative residual that (2) is to be solved to, where what is left is corrected later
// [Eisenstat & Walker 1996]: a share of the last direction, and in the end of the tolerance.
double pl_balance_forcing(const pl_balance *balance);
double pl_balance_finest(const pl_balance *balance);

// After a solve: v_new becomes the next iterate. balance->enough says if it is the last; if not,
// but also where a row was missing, go on with one of the two below.
pl_status pl_balance_move(pl_world *world, pl_step_stats *stats);

// A and b about v_new. PL_ERROR_NUMERICS if the step has no iteration left.
pl_status pl_balance_linearize(pl_world *world, pl_step_stats *stats);

// Solves (2) where it has no constraints, about v_k: the correction, to a part of its size.
pl_status pl_balance_solve_free(pl_world *world, pl_step_stats *stats);

// static.c: has everything got somewhere, and are there iterations left? And ties the iterate that
// comes, about the velocities `now`, where those about `last` were tied (3*n_block).
pl_status pl_static_check(const pl_world *world);
void pl_static_retie(pl_world *world, const double *last, const double *now);

// V of the header, at the velocities that were found; NULL if A has it as a part of its own K.
const double *pl_balance_viscous(const pl_world *world);

// For materials that keep their volume: does each tet have some at the end of the step, by more
// than rounding, unless there were as many without at its start? What is accepted at once has it
// all along the straight way. Later iterates have come by several ways, each of which kept a share;
// the straight one, along which only surfaces are tested, may turn a tet by more than half.
bool pl_balance_keeps_volume(pl_world *world);

#endif
