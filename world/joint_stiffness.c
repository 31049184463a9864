// The geometric stiffness of joints: see joint_step.h.

#include "joint_step.h"
#include "../rigid/inertia.h"

#include <math.h>
#include <string.h>

// dt^2 stiffness / inertia of a direction, below which the step is stable without, and from which
// on all of it is taken.
static const double STABLE = 0.1, STIFF = 1;

// A solve whose forces change the stiffness of a body by more than this part of what it has, with
// its inertia, is made again with them.
static const double CHANGE = 0.5;

// d of joint_step.h.
static const double DAMPED = 0.5;

// The frame in which a body's inertia is 1: columns of R D^1/2, and of R D^-1/2.
static void metric(const pl_rigid *body, double up[9], double down[9])
{
    double R[9];
    pl_rotation_matrix(body->q, R);
    for (int k = 0; k < 9; k++) {
        double root = sqrt(body->moment[k % 3]);
        up[k] = R[k] * root;
        down[k] = R[k] / root;
    }
}

// out := B^T G B, or with `back` B G B^T.
static void congruence(const double B[9], const double G[9], bool back, double out[9])
{
    double T[9];
    for (int i = 0; i < 9; i++) { // T = G B, or G B^T
        T[i] = 0;
        for (int k = 0; k < 3; k++)
            T[i] += G[3 * (i / 3) + k] * (back ? B[3 * (i % 3) + k] : B[3 * k + i % 3]);
    }
    for (int i = 0; i < 9; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] += (back ? B[3 * (i / 3) + k] : B[3 * k + i / 3]) * T[3 * k + i % 3];
    }
}

// G := dt^2 times it, as far as it is to be in A.
static void keep_stiff(const pl_rigid *body, double dt, double G[9])
{
    double up[9], down[9], unit[9], value[3], V[9], kept[9];
    metric(body, up, down);
    congruence(down, G, false, unit);
    pl_symmetric_eigen(unit, value, V);
    for (int k = 0; k < 3; k++) {
        double z = dt * dt * value[k];
        value[k] = z * PL_MAX(0, PL_MIN(1, (z - STABLE) / (STIFF - STABLE)));
    }
    for (int i = 0; i < 9; i++) {
        kept[i] = 0;
        for (int k = 0; k < 3; k++) kept[i] += V[3 * (i / 3) + k] * value[k] * V[3 * (i % 3) + k];
    }
    congruence(up, kept, true, G);
}

// Adds (F . r) (1 - e e^T), e = r / |r|, of a force at x.
static void add_force(const pl_world *world, const pl_side *side, const double x[3],
                      const double force[3], double sign, double *stiffness)
{
    if (side->kind != PL_SIDE_RIGID) return;
    double *G = stiffness + 9 * (int64_t)world->bodies.body[side->body].rigid;
    double r[3];
    pl_subtract(x, side->carrier.x, r);
    double square = pl_dot(r, r), dot = pl_dot(r, force);
    for (int i = 0; i < 9 && square > 0; i++) {
        double along = r[i / 3] * r[i % 3] / square;
        G[i] += sign * dot * ((i % 4 == 0 ? 1 : 0) - along);
    }
}

// stiffness (9*n_rigid) := that of the joints' forces. Returns if any of it is not 0.
static bool find_stiffness(const pl_world *world, double *stiffness)
{
    const pl_joints *joints = world->joints;
    bool any = false;
    memset(stiffness, 0, 9 * (size_t)world->state.n_rigid * sizeof *stiffness);
    for (int64_t i = 0; i < joints->n; i++) {
        const pl_joint *j = &joints->joint[i];
        if (!pl_joint_holds(j)) continue;
        const double *at = j->kind == PL_JOINT_DISTANCE ? j->pose_a.x : j->pose_b.x;
        add_force(world, &j->b, j->pose_b.x, j->force, 1, stiffness);
        add_force(world, &j->a, at, j->force, -1, stiffness);
    }
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        double *G = stiffness + 9 * r;
        keep_stiff(&world->state.rigid[r], world->dt, G);
        for (int k = 0; k < 9; k++) any = any || G[k] != 0;
    }
    return any;
}

static void put(pl_world *world, const double *stiffness, double sign)
{
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        int64_t block = pl_world_rigid_block(world, (int32_t)r) + 1;
        double *to = world->system.A.val + 9 * world->system.A.diag[block], given[3];
        for (int k = 0; k < 9; k++) to[k] += sign * stiffness[9 * r + k];
        pl_matrix_apply(stiffness + 9 * r, world->joints->v + 3 * block, given);
        for (int k = 0; k < 3; k++)
            world->system.b[3 * block + k] += sign * (1 - DAMPED) * given[k];
    }
}

pl_status pl_joint_stiffness_add(pl_world *world)
{
    pl_joints *joints = world->joints;
    if (joints == NULL || world->state.n_rigid == 0) return PL_OK;
    PL_TRY(pl_reserve((void **)&joints->stiffness, &joints->stiffness_capacity,
                      18 * world->state.n_rigid, sizeof *joints->stiffness));
    joints->stiff = find_stiffness(world, joints->stiffness);
    if (joints->stiff) put(world, joints->stiffness, 1);
    return PL_OK;
}

// How much the stiffness of a body differs, as a part of what is there.
static double change(const pl_rigid *body, const double *now, const double *then)
{
    double up[9], down[9], d[9], unit[9], had[9], most = 0, trace;
    metric(body, up, down);
    for (int k = 0; k < 9; k++) d[k] = now[k] - then[k];
    congruence(down, d, false, unit);
    congruence(down, then, false, had);
    for (int k = 0; k < 9; k++) most = PL_MAX(most, fabs(unit[k]));
    trace = had[0] + had[4] + had[8];
    return most / (1 + trace);
}

bool pl_joint_stiffness_update(pl_world *world)
{
    pl_joints *joints = world->joints;
    if (joints == NULL || world->state.n_rigid == 0) return false;
    double *old = joints->stiffness, *now = old + 9 * world->state.n_rigid, most = 0;
    pl_joint_step_forces(world);
    bool any = find_stiffness(world, now);
    for (int64_t r = 0; r < world->state.n_rigid; r++)
        most = PL_MAX(most, change(&world->state.rigid[r], now + 9 * r, old + 9 * r));
    if (!(most > CHANGE)) return false;
    put(world, old, -1);
    put(world, now, 1);
    memcpy(old, now, 9 * (size_t)world->state.n_rigid * sizeof *old);
    joints->stiff = any;
    return true;
}

void pl_joint_stiffness_impulse(const pl_world *world, double *impulse)
{
    if (world->joints == NULL || !world->joints->stiff) return;
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        const double *w =
            world->system.v_new + 3 * (int64_t)(pl_world_rigid_block(world, (int32_t)r) + 1);
        const double *before = world->joints->v + (w - world->system.v_new);
        double change[3], back[3];
        for (int k = 0; k < 3; k++) change[k] = w[k] - (1 - DAMPED) * before[k];
        pl_matrix_apply(world->joints->stiffness + 9 * r, change, back);
        for (int k = 0; k < 3; k++) impulse[6 * r + 3 + k] -= back[k];
    }
}
