// Momentum, energy, and the correction that keeps a free body's momentum to the last digits.
//
// A linearised implicit step loses angular momentum: its stiffness K is not blind to the straight
// velocity field of a rotation, omega x r, which stretches what it turns, and K v resists that.
// A body that spins at omega loses about (omega dt)^2 of its angular momentum per step; and the sum
// of an iterative solve's residual is lost or gained besides. Both are artefacts, and what they
// should have been is known: over a step the momentum P and the angular momentum L about the origin
// change by the outer forces and by mass damping only,
//
//   (1 + alpha dt) P' = P + dt sum f,     (1 + alpha dt) L' = L + dt sum (c + x' - c') x f
//
// with c the centre of mass. The lever arms about it are those at the end of the step, as befits an
// implicit scheme: with those at its start, a body that hangs in dead loads would keep for ever
// what angular momentum it has when it comes to rest. The centre itself counts where it was, since
// c x P' = c' x P'. So after x has advanced, a rigid velocity field dv + domega x (x' - c') is
// added to the stored velocities that gives the body these momenta. Positions are not touched: they
// stay where the solve has put them. Contacts are outer forces here like any other. A body with
// driven vertices, or one that is pulled, is held by forces we do not sum, and is left alone.
//
// With BDF2 a body that nothing touches follows that formula in its momentum and its angular
// momentum about the centre of mass, which bdf2.c supplies, with gamma dt in place of dt. One that
// something touches follows the above, unless it stands: that is left alone, too.

#include "step.h"
#include "integrator.h"

#include <math.h>
#include <string.h>

static void cross_add(const double a[3], const double b[3], double scale, double out[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] += scale * (a[i] * b[j] - a[j] * b[i]);
    }
}

// Sums of a body over its vertices: of m v and x x m v.
static void sum_momentum(const pl_world *world, const pl_world_body *b, const double *x,
                         const double *v, double p[3], double l[3])
{
    memset(p, 0, 3 * sizeof *p);
    memset(l, 0, 3 * sizeof *l);
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        double m = world->system.fem.mass[i];
        for (int k = 0; k < 3; k++) p[k] += m * v[3 * i + k];
        cross_add(x + 3 * i, v + 3 * i, m, l);
    }
}

// Returns the body's mass; *centre is its centre.
static double find_centre(const pl_world *world, const pl_world_body *b, double centre[3])
{
    double mass = 0;
    memset(centre, 0, 3 * sizeof *centre);
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        double m = world->system.fem.mass[i];
        mass += m;
        for (int k = 0; k < 3; k++) centre[k] += m * world->state.x[3 * i + k];
    }
    for (int k = 0; k < 3; k++) centre[k] /= mass;
    return mass;
}

// The part of the step's momenta that is known at its start.
static void note_body(const pl_world *world, pl_world_body *b)
{
    double centre[3], dt = world->dt;
    b->free = b->n_pull == 0;
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++)
        b->free &= world->system.prescribed[i] == 0;
    b->share = 1;
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    if (!b->free) return;
    if (integrator->note_momenta != NULL && integrator->note_momenta(world, b)) return;
    find_centre(world, b, centre);
    sum_momentum(world, b, world->state.x, world->state.v, b->momentum, b->angular_momentum);
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        for (int k = 0; k < 3; k++) b->momentum[k] += dt * world->system.f_ext[3 * i + k];
        cross_add(centre, world->system.f_ext + 3 * i, dt, b->angular_momentum);
    }
    for (int k = 0; k < 3; k++) {
        b->momentum[k] += b->impulse[k];
        b->angular_momentum[k] += b->angular_impulse[k];
    }
}

// Solves the symmetric 3x3 system I w = l by cofactors. False if I is not positive definite: a body
// on a line has no inertia about it, and is left as it is.
static bool solve3(const double I[6], const double l[3], double w[3])
{
    double xx = I[0], yy = I[1], zz = I[2], xy = I[3], xz = I[4], yz = I[5];
    double c0 = yy * zz - yz * yz, c1 = xz * yz - xy * zz, c2 = xy * yz - xz * yy;
    double det = xx * c0 + xy * c1 + xz * c2, trace = xx + yy + zz;
    if (!(det > 1e-12 * trace * trace * trace)) return false;
    w[0] = (c0 * l[0] + c1 * l[1] + c2 * l[2]) / det;
    w[1] = (c1 * l[0] + (xx * zz - xz * xz) * l[1] + (xy * xz - xx * yz) * l[2]) / det;
    w[2] = (c2 * l[0] + (xy * xz - xx * yz) * l[1] + (xx * yy - xy * xy) * l[2]) / det;
    return true;
}

static void restore_body(pl_world *world, const pl_world_body *b)
{
    double p[3], l[3], p_now[3], l_now[3], centre[3], inertia[6] = {0}, w[3];
    double dt = b->share * world->dt, damped = 1 / (1 + dt * b->material.mass_damping);
    double mass = find_centre(world, b, centre);
    memcpy(p, b->momentum, sizeof p);
    memcpy(l, b->angular_momentum, sizeof l);
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        double r[3];
        for (int k = 0; k < 3; k++) r[k] = world->state.x[3 * i + k] - centre[k];
        cross_add(r, world->system.f_ext + 3 * i, dt, l);
    }
    if (b->share < 1) cross_add(centre, p, 1, l); // it was about the centre
    sum_momentum(world, b, world->state.x, world->state.v, p_now, l_now);
    for (int k = 0; k < 3; k++) { // what is missing
        p[k] = damped * p[k] - p_now[k];
        l[k] = damped * l[k] - l_now[k];
    }
    cross_add(centre, p, -1, l); // about the centre
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        double m = world->system.fem.mass[i], r[3];
        for (int k = 0; k < 3; k++) r[k] = world->state.x[3 * i + k] - centre[k];
        inertia[0] += m * (r[1] * r[1] + r[2] * r[2]);
        inertia[1] += m * (r[0] * r[0] + r[2] * r[2]);
        inertia[2] += m * (r[0] * r[0] + r[1] * r[1]);
        inertia[3] -= m * r[0] * r[1];
        inertia[4] -= m * r[0] * r[2];
        inertia[5] -= m * r[1] * r[2];
    }
    if (!solve3(inertia, l, w)) memset(w, 0, sizeof w);
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        double r[3];
        for (int k = 0; k < 3; k++) {
            r[k] = world->state.x[3 * i + k] - centre[k];
            world->state.v[3 * i + k] += p[k] / mass;
        }
        cross_add(w, r, 1, world->state.v + 3 * i);
    }
}

// A body is summed by one thread, in order.
static void note_bodies(void *context, int64_t first, int64_t last)
{
    pl_world *world = context;
    for (int64_t i = first; i < last; i++) {
        if (world->bodies.body[i].kind == PL_BODY_DEFORMABLE)
            note_body(world, &world->bodies.body[i]);
    }
}

void pl_momentum_note(pl_world *world)
{
    pl_loop(world->bodies.n, pl_world_least_bodies(world), note_bodies, world);
}

static void restore_bodies(void *context, int64_t first, int64_t last)
{
    pl_world *world = context;
    for (int64_t i = first; i < last; i++) {
        if (world->bodies.body[i].free) restore_body(world, &world->bodies.body[i]);
    }
}

void pl_momentum_restore(pl_world *world)
{
    pl_loop(world->bodies.n, pl_world_least_bodies(world), restore_bodies, world);
}

// --- For people to look at ---

double pl_kinetic_energy(const pl_world *world)
{
    double sum = 0;
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        const double *v = world->state.v + 3 * i;
        sum += world->system.fem.mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    sum *= 0.5;
    for (int64_t r = 0; r < world->state.n_rigid; r++)
        sum += pl_rigid_kinetic_energy(&world->state.rigid[r]);
    return sum;
}

double pl_total_mass(const pl_world *world)
{
    double sum = 0;
    for (int64_t i = 0; i < world->state.n_vert; i++) sum += world->system.fem.mass[i];
    for (int64_t r = 0; r < world->state.n_rigid; r++) sum += world->state.rigid[r].mass;
    return sum;
}

double pl_gravity_energy(const pl_world *world)
{
    const double *g = world->options.gravity;
    double sum = 0;
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        sum -= world->system.fem.mass[i] * pl_dot(g, world->state.x + 3 * i);
    }
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        sum -= world->state.rigid[r].mass * pl_dot(g, world->state.rigid[r].x);
    }
    return sum;
}

pl_status pl_world_energy(pl_world *world, pl_energy *out)
{
    PL_REQUIRE(world);
    PL_REQUIRE(out);
    *out = (pl_energy){0};
    PL_TRY(pl_world_prepare(world));
    out->kinetic = pl_kinetic_energy(world);
    int32_t before = pl_threads_enter(world->options.threads);
    out->elastic = pl_fem_forces(&world->system.fem, world->state.x, NULL);
    pl_threads_set(before);
    out->gravity = pl_gravity_energy(world);
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        double p[3] = {0}, l[3] = {0};
        if (b->kind == PL_BODY_DEFORMABLE)
            sum_momentum(world, b, world->state.x, world->state.v, p, l);
        if (b->kind == PL_BODY_RIGID) {
            const pl_rigid *r = &world->state.rigid[b->rigid];
            for (int k = 0; k < 3; k++) p[k] = r->mass * r->v[k];
            memcpy(l, r->angular_momentum, sizeof l);
            cross_add(r->x, p, 1, l);
        }
        for (int k = 0; k < 3; k++) {
            out->momentum[k] += p[k];
            out->angular_momentum[k] += l[k];
        }
    }
    return PL_OK;
}

pl_status pl_world_stress(pl_world *world, int32_t body, double *von_mises, double *principal)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    if (world->bodies.body[place].kind != PL_BODY_DEFORMABLE) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d is not deformable", (int)body);
    }
    PL_TRY(pl_world_prepare(world));
    int32_t before = pl_threads_enter(world->options.threads);
    pl_fem_stress(&world->system.fem, world->bodies.body[place].fem, world->state.x, von_mises,
                  principal, NULL);
    pl_threads_set(before);
    return PL_OK;
}
