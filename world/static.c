// Statics: each step goes to where all forces balance, friction and contact among them.
//
// There is no inertia: what is sought is the displacement dt w over the step, by loads and motions
// as they are at its end, with
//
//   0 = dt f_el(x0 + dt w) + dt f_ext + L^T f,
//
// contacts and friction by their laws for that displacement, as in any other step. A body that
// nothing but friction or contacts hold makes the matrix dt^2 K singular, so Newton's iterates are
// tied to each other by a mass, as if each were a step of backward Euler of the length tau from
// rest,
//
//   (P + dt^2 K_k) w = dt f_el(x_k) + dt^2 K_k w_k + dt f_ext + P w_k + L^T f,   P = M dt^2 /
//   tau^2.
//
// Where the iterates come to rest, P (w - w_k) vanishes, and the balance is that of the forces
// alone (the proximal point method). tau grows from iteration to iteration. A body that can move
// freely never comes to rest; then the step fails, and says who.

#include "balance.h"
#include "elements.h"
#include "integrator.h"
#include "step.h"

#include <math.h>

// tau of the first iterate [s], and of the last; what it grows by after an iteration without cuts.
static const double FIRST = 1, LAST = 1e3, GROWTH = 4;
// A step that takes anything so many times as far as all bodies extend is on its way to infinity.
static const double FAR = 100;

static void inertia(const pl_world *world, double *out)
{
    for (int32_t i = 0; i < world->state.n_vert; i++)
        out[i] = world->balance->tie * world->system.fem.mass[i];
}

static double assemble(pl_world *world)
{
    pl_system *s = &world->system;
    double dt = world->dt;
    world->balance->tie = dt * dt / (FIRST * FIRST);
    const pl_fem_weights weights = {.stiffness = dt * dt, .project = 1};
    double energy = pl_elements_assemble(world, world->state.x, &weights, NULL, s->b);
    inertia(world, s->inertia);
    pl_elements_add_inertia(world, s->inertia);
    pl_balance_note(world, NULL, s->b, energy);
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++)
        s->b[i] = dt * (s->b[i] + s->f_ext[i]);
    return energy;
}

// Their system is M u = dt F: they are at rest.
static void assemble_rigid(pl_world *world)
{
    pl_bsr *A = &world->system.A;
    for (int64_t i = world->state.n_vert; i < world->system.n_block; i++)
        for (int k = 0; k < 9; k++) A->val[9 * A->diag[i] + k] *= world->balance->tie;
}

static double viscosity(const pl_world *world)
{
    (void)world;
    return 0;
}

// How far all bodies extend.
static double extent(const pl_world *world)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * (int64_t)world->published.n; i++) {
        low[i % 3] = fmin(low[i % 3], world->published.x[i]);
        high[i % 3] = fmax(high[i % 3], world->published.x[i]);
    }
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

// The body of a block of unknowns.
static int64_t body_of(const pl_world *world, int64_t block)
{
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        int64_t first = b->first, n = b->kind == PL_BODY_DEFORMABLE ? b->mesh->n_vert : 2;
        if (b->kind == PL_BODY_RIGID) first = pl_world_rigid_block(world, b->rigid);
        if (b->kind != PL_BODY_KINEMATIC && b->kind != PL_BODY_NONE && block >= first &&
            block < first + n) {
            return i;
        }
    }
    return 0;
}

// The farthest that a block moves in this step by velocities (3*n_block) [m], and whose it is.
static double farthest(const pl_world *world, const double *v, int64_t *body)
{
    double most = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < world->system.n_block; i++) {
        bool turns = i >= world->state.n_vert && (i - world->state.n_vert) % 2 == 1;
        double far = turns ? 0 : world->dt * sqrt(pl_dot(v + 3 * i, v + 3 * i));
        if (far > most) {
            most = far;
            at = i;
        }
    }
    *body = body_of(world, at);
    return most;
}

pl_status pl_static_check(const pl_world *world)
{
    int64_t body;
    char text[PL_BODY_NAME];
    if (farthest(world, world->system.v_new, &body) > FAR * extent(world)) {
        return pl_fail(
            PL_ERROR_NUMERICS,
            "static: there is no equilibrium: nothing holds %s; fix it, or let it rest on "
            "something",
            pl_world_body_name(world, body, text));
    }
    if (world->balance->iteration < world->options.max_newton) return PL_OK;
    double most = farthest(world, world->balance->d, &body);
    return pl_fail(
        PL_ERROR_NUMERICS,
        "static: no equilibrium after %d iterations (max_newton); %s still moves, by %.3g "
        "m: is it held, or is the step of loads too large?",
        (int)world->options.max_newton, pl_world_body_name(world, body, text), most);
}

void pl_static_retie(pl_world *world, const double *last, const double *now)
{
    pl_balance *s = world->balance;
    double old = s->tie;
    if (s->step == 1)
        s->tie = fmax(s->tie / (GROWTH * GROWTH), world->dt * world->dt / (LAST * LAST));
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++)
        s->given[i] += world->system.fem.mass[i / 3] * (s->tie * now[i] - old * last[i]);
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        for (int k = 0; k < 2; k++) {
            int64_t block = pl_world_rigid_block(world, (int32_t)r) + k;
            const double *M = world->system.rigid[r].A + 9 * k;
            double *A = world->system.A.val + 9 * world->system.A.diag[block], to[3], from[3];
            pl_matrix_apply(M, now + 3 * block, to);
            pl_matrix_apply(M, last + 3 * block, from);
            for (int j = 0; j < 9; j++) A[j] += (s->tie - old) * M[j];
            for (int j = 0; j < 3; j++)
                world->system.b[3 * block + j] += s->tie * to[j] - old * from[j];
        }
    }
}

// Nothing moves any more.
static void settle(pl_world *world)
{
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++) world->state.v[i] = 0;
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        pl_rigid *body = &world->state.rigid[r];
        for (int k = 0; k < 3; k++) body->v[k] = body->angular_momentum[k] = 0;
    }
}

const pl_integrator_ops pl_static_ops = {.name = "static",
                                         .newton = PL_NEWTON_STATIC,
                                         .assemble = assemble,
                                         .assemble_rigid = assemble_rigid,
                                         .inertia = inertia,
                                         .viscosity = viscosity,
                                         .move = pl_integrator_move,
                                         .settle = settle};
