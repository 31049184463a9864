// How a free body turns.
//
// In the body's frame the angular momentum is p and the angular velocity J^-1 p with J =
// diag(moment). While the body turns, R' = R [J^-1 p]x, the angular momentum stays where it is in
// the world, L = R p, so that p' = p x J^-1 p. That is the gyroscopic term: it belongs to the
// turning, not to the forces. A step turns the body by one rotation vector, R1 = R0 exp([u]x),
// since the solver knows one velocity per step. If L is kept, p1 = exp(-[u]x) p0, and all that is
// left to choose is u. We take
//
//   J u = dt (p0 + p1) / 2.                                                                   (1)
//
// - p1 is p0 turned about u, so that the energy E = p . J^-1 p / 2 changes by
//   (p0 + p1) . J^-1 (p1 - p0) / 2 = u . (p1 - p0) / dt = 0: none is won or lost, at any dt.
// - A turn about a principal axis has p1 = p0 and is exact at any dt.
// - Exchange of p0 and p1 turns u around: the scheme is symmetric in time, so of second order.
// - (1) has a solution for all dt: its right-hand side keeps the ball |J u| <= dt |p0|. Newton's
//   method finds it within a few iterations up to a turn of about 1; a larger one is composed of
//   several turns, each by (1), and then u is the logarithm of the whole.
//
// Measured over 10,000 steps of a tumbling brick of 1 x 2 x 3 m, 0.03 rad per step: an explicit
// term -dt w x I w makes 2.9 times the energy of it (at 0.3 rad it overflows within 230 steps);
// Newton's method on the backward Euler form loses half of it and turns L by a quarter of its
// length; keeping L with u = dt J^-1 p0 doubles the energy. With (1) both stay to 14 digits.
//
// Constraints change the angular momentum in the world's frame by what they give, so that two
// bodies that push each other keep the sum of theirs. How they change the turn is linear, by the
// inertia tensor in A: it is that of the body half-way through its free turn. Then a body that is
// stopped is left with the angular momentum (1 - cos(|u| / 2)) of what it had across u, by (1).
// With the tensor at the start it would be sin(|u| / 2). A row that takes energy in the solver's
// eyes may so make some, in one of a hundred cases: at most 0.1 |u|^2 of it up to 0.8 rad per step
// for bodies with second moments within a factor of 10 (0.17 with the tensor at the start; 1.7
// against 10 for a factor of 100).

#include "rigid.h"

#include <math.h>
#include <string.h>

// The most that one solution of (1) turns [rad].
static const double TURN = 1;

// The most parts of one step's turn.
enum { PARTS = 1024 };

// Of (1), relative to its right-hand side: a few roundings.
static const double TURN_TOLERANCE = 4e-15;

enum { TURN_ITERATIONS = 8 };

// --- State ---

pl_rigid pl_rigid_at_rest(const pl_inertia *inertia)
{
    pl_rigid body = {.mass = inertia->mass};
    memcpy(body.moment, inertia->moment, sizeof body.moment);
    memcpy(body.x, inertia->centre, sizeof body.x);
    pl_rotation_from_matrix(inertia->axes, body.q);
    return body;
}

void pl_rigid_local(const pl_inertia *inertia, int64_t n, const double *x, double *r)
{
    for (int64_t i = 0; i < n; i++) {
        double from_centre[3];
        pl_subtract(x + 3 * i, inertia->centre, from_centre);
        pl_matrix_apply_back(inertia->axes, from_centre, r + 3 * i);
    }
}

void pl_rigid_points(const pl_rigid *body, int64_t n, const double *r, double *x)
{
    double R[9];
    pl_rotation_matrix(body->q, R);
    for (int64_t i = 0; i < n; i++) {
        pl_matrix_apply(R, r + 3 * i, x + 3 * i);
        for (int k = 0; k < 3; k++) x[3 * i + k] += body->x[k];
    }
}

void pl_rigid_omega(const pl_rigid *body, double w[3])
{
    double R[9], p[3];
    pl_rotation_matrix(body->q, R);
    pl_matrix_apply_back(R, body->angular_momentum, p);
    for (int k = 0; k < 3; k++) p[k] /= body->moment[k];
    pl_matrix_apply(R, p, w);
}

void pl_rigid_set_omega(pl_rigid *body, const double w[3])
{
    double R[9], p[3];
    pl_rotation_matrix(body->q, R);
    pl_matrix_apply_back(R, w, p);
    for (int k = 0; k < 3; k++) p[k] *= body->moment[k];
    pl_matrix_apply(R, p, body->angular_momentum);
}

static void make_tensor(const double R[9], const double moment[3], double tensor[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            const double *a = R + 3 * i, *b = R + 3 * j;
            tensor[3 * i + j] = tensor[3 * j + i] =
                moment[0] * (a[0] * b[0]) + moment[1] * (a[1] * b[1]) + moment[2] * (a[2] * b[2]);
        }
    }
}

void pl_rigid_tensor(const pl_rigid *body, double tensor[9])
{
    double R[9];
    pl_rotation_matrix(body->q, R);
    make_tensor(R, body->moment, tensor);
}

void pl_rigid_velocities(const pl_rigid *body, int64_t n, const double *x, double *v)
{
    double w[3];
    pl_rigid_omega(body, w);
    for (int64_t i = 0; i < n; i++) {
        double r[3];
        pl_subtract(x + 3 * i, body->x, r);
        pl_cross(w, r, v + 3 * i);
        for (int k = 0; k < 3; k++) v[3 * i + k] += body->v[k];
    }
}

double pl_rigid_kinetic_energy(const pl_rigid *body)
{
    double w[3];
    pl_rigid_omega(body, w);
    return 0.5 * (body->mass * pl_dot(body->v, body->v) + pl_dot(w, body->angular_momentum));
}

// --- The turn of a free body ---

// Solves the 3x3 system M d = f by Cramer's rule; the rows of M are its arguments' three.
static void solve3(const double M[9], const double f[3], double d[3])
{
    double c0[3], c1[3], c2[3]; // columns of the adjugate
    pl_cross(M + 3, M + 6, c0);
    pl_cross(M + 6, M, c1);
    pl_cross(M, M + 3, c2);
    double det = pl_dot(M, c0);
    for (int k = 0; k < 3; k++) d[k] = (c0[k] * f[0] + c1[k] * f[1] + c2[k] * f[2]) / det;
}

// The residual f of (1) at u, with j = J / max J and g = dt p0 / max J; g1 = dt p1 / max J. Returns
// its length.
static double turn_residual(const double j[3], const double g[3], const double u[3], double g1[3],
                            double f[3])
{
    double q[4], back[3] = {-u[0], -u[1], -u[2]};
    pl_rotation_exp(back, q);
    pl_rotation_displace(q, g, g1);
    for (int k = 0; k < 3; k++) {
        f[k] = j[k] * u[k] - (g[k] + 0.5 * g1[k]);
        g1[k] += g[k];
    }
    return sqrt(pl_dot(f, f));
}

// One step of Newton's method. A change du of u turns g1 = exp(-[u]x) g by -D du, with the
// derivative of the exponential
//   D = (sin t / t) 1 + (1 - sin t / t) n n^T - ((1 - cos t) / t) [n]x,   u = t n,
// so that the Jacobian of f is j + (1/2) [-g1]x .. = j - (1/2) [g1]x D.
static void turn_newton(const double j[3], const double g1[3], const double f[3], double u[3])
{
    double t = sqrt(pl_dot(u, u)), n[3] = {0}, M[9], d[3];
    for (int k = 0; k < 3 && t > 0; k++) n[k] = u[k] / t;
    double a = t > 0 ? sin(t) / t : 1, half = sin(0.5 * t), b = t > 0 ? 2 * half * half / t : 0;
    for (int c = 0; c < 3; c++) { // by columns of D
        double e[3] = {0}, column[3], ne[3];
        e[c] = 1;
        pl_cross(n, e, ne);
        for (int k = 0; k < 3; k++) e[k] = a * e[k] + (1 - a) * n[c] * n[k] - b * ne[k];
        pl_cross(g1, e, column);
        for (int k = 0; k < 3; k++) M[3 * k + c] = (k == c ? j[k] : 0) - 0.5 * column[k];
    }
    solve3(M, f, d);
    for (int k = 0; k < 3; k++) u[k] -= d[k];
}

// Solves (1) for u, from the guess u = J^-1 dt p0, and moves g on to g1. False if it does not
// converge.
static bool turn_once(const double j[3], double g[3], int iterations, double u[3])
{
    double g1[3], f[3], tolerance = TURN_TOLERANCE * sqrt(pl_dot(g, g));
    for (int k = 0; k < 3; k++) u[k] = g[k] / j[k];
    for (int i = 0; turn_residual(j, g, u, g1, f) > tolerance; i++) {
        if (i == iterations) return false;
        turn_newton(j, g1, f, u);
    }
    memcpy(g, g1, sizeof g1);
    return true;
}

// The turn of `parts` times g / parts.
static bool turn_in_parts(const double j[3], const double g[3], int parts, double u[3])
{
    double now[3], near[3], q[4] = {1, 0, 0, 0};
    for (int k = 0; k < 3; k++) now[k] = g[k] / parts;
    memset(near, 0, sizeof near);
    for (int i = 0; i < parts; i++) {
        double part[4];
        if (!turn_once(j, now, TURN_ITERATIONS, u)) return false;
        pl_rotation_exp(u, part);
        pl_rotation_compose(q, part, q); // in the body's frame later turns stand on the right
        for (int k = 0; k < 3; k++) near[k] += u[k];
    }
    if (parts > 1) pl_rotation_log(q, near, u);
    return true;
}

// u (3): the rotation vector of the free body over dt, in its frame; p is the angular momentum
// there.
static pl_status free_turn(const double moment[3], const double p[3], double dt, double u[3])
{
    double most = fmax(moment[0], fmax(moment[1], moment[2])), j[3], g[3], copy[3];
    for (int k = 0; k < 3; k++) {
        j[k] = moment[k] / most;
        copy[k] = g[k] = dt * p[k] / most;
        u[k] = g[k] / j[k];
    }
    double angle = sqrt(pl_dot(u, u));
    if (turn_once(j, copy, 0, u)) return PL_OK; // about a principal axis
    for (double parts = fmax(1, ceil(angle / TURN)); parts <= PARTS; parts *= 2) {
        if (turn_in_parts(j, g, (int)parts, u)) return PL_OK;
    }
    return pl_fail(PL_ERROR_NUMERICS, "a rigid body turns by %g rad in a step of %g s", angle, dt);
}

// --- The step ---

pl_status pl_rigid_begin(const pl_rigid *body, const pl_rigid_load *load, double dt,
                         pl_rigid_system *out)
{
    double damped = 1 + dt * load->damping, R[9], p[3], turn[3], half[4];
    *out = (pl_rigid_system){.dt = dt, .response = 1 / damped};
    for (int k = 0; k < 3; k++) {
        out->u[k] = (body->v[k] + dt * load->force[k] / body->mass) / damped;
        out->angular_momentum[k] = (body->angular_momentum[k] + dt * load->torque[k]) / damped;
    }
    pl_rotation_matrix(body->q, R);
    pl_matrix_apply_back(R, out->angular_momentum, p);
    PL_TRY(free_turn(body->moment, p, dt, turn));
    for (int k = 0; k < 3; k++) p[k] = turn[k] / dt;
    pl_matrix_apply(R, p, out->u + 3);
    for (int k = 0; k < 3; k++) turn[k] *= 0.5;
    pl_rotation_exp(turn, half);
    pl_rotation_compose(body->q, half, half);
    pl_rotation_matrix(half, R);
    make_tensor(R, body->moment, out->A + 9);
    for (int k = 0; k < 9; k++) {
        out->A[k] = k % 4 == 0 ? damped * body->mass : 0;
        out->A[9 + k] *= damped;
    }
    for (int k = 0; k < 3; k++) out->b[k] = out->A[0] * out->u[k];
    pl_matrix_apply(out->A + 9, out->u + 3, out->b + 3);
    for (int k = 0; k < 6; k++) {
        if (!isfinite(out->b[k]) || !isfinite(out->u[k])) {
            return pl_fail(PL_ERROR_NUMERICS, "the velocity of a rigid body is not finite");
        }
    }
    return PL_OK;
}

void pl_rigid_advance(pl_rigid *body, const pl_rigid_system *system, const double u[6],
                      const double *impulse)
{
    double given[6], turn[3], q[4];
    for (int k = 0; k < 3; k++) { // A (u - system->u), free of the rounding of b
        given[k] = system->A[0] * (u[k] - system->u[k]);
        turn[k] = u[3 + k] - system->u[3 + k];
    }
    pl_matrix_apply(system->A + 9, turn, given + 3);
    if (impulse == NULL) impulse = given;
    for (int k = 0; k < 3; k++) {
        body->x[k] += system->dt * u[k];
        turn[k] = system->dt * u[3 + k];
        body->v[k] = system->u[k] + system->response * impulse[k] / body->mass;
        body->angular_momentum[k] = system->angular_momentum[k] + system->response * impulse[3 + k];
    }
    pl_rotation_exp(turn, q);
    pl_rotation_compose(q, body->q, body->q);
}
