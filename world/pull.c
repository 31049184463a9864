// Pulls: damped springs from vertices of a body to places that somebody outside names.
//
// A spring of stiffness k and damping c draws its vertex to the place p. Taken at the end of the
// step, as backward Euler takes all forces, its impulse over a step of length h is
//
//   j = h (k (p - x1) - c u),   x1 = x0 + h u,
//     = h k (p - x0) - s u,     s = h^2 k + h c,
//
// with u the velocity of the vertex. The first part is known and goes to the right-hand side, the
// second joins A, which it keeps symmetric positive definite: stable however stiff the spring is.
//
// Deformable bodies: u is an unknown of its own, so that s is added to the diagonal of its block,
// and nothing else. A vertex that is pulled is of first order in time, also with BDF2, and the
// momenta of its body are left as the solve has made them: see momentum.c.
//
// Rigid bodies: u = v + w x r with the lever arm r from the centre, u = J (v, w). Springs couple
// the velocities v of the centre and w of the turn, for which A has no room: their blocks of it
// stand by themselves. So the pulls are solved for beforehand, on a body that nothing touches,
//
//   (M + sum s J^T J) (v, w) = M (v, w)_free + sum J^T h k (p - x0),
//
// and what they give, M ((v, w) - (v, w)_free), acts in the step as an outer force. It is never
// more than what brings the free body to where the springs want it, and contacts make the body
// heavier, not lighter: so this is stable too. What it costs is that a body which is held back
// by contacts is pulled by less than its springs have.
//
// A pull is input, like an outer force: no part of the state, and of no checkpoint.

#include "sleep.h"
#include "step.h"

#include <math.h>
#include <string.h>

// --- For the outside ---

static pl_status check_pull(const pl_world_body *b, const pl_pull *pull)
{
    if (pull->vertex < 0 || pull->vertex >= b->mesh->n_vert) {
        return pl_fail(PL_ERROR_ARGUMENT, "vertex %d of %d", (int)pull->vertex,
                       (int)b->mesh->n_vert);
    }
    for (int k = 0; k < 3; k++) {
        if (!isfinite(pull->target[k])) return pl_fail(PL_ERROR_ARGUMENT, "target: not finite");
    }
    if (!(pull->stiffness >= 0 && isfinite(pull->stiffness))) {
        return pl_fail(PL_ERROR_ARGUMENT, "stiffness: %g is not 0 N/m or above", pull->stiffness);
    }
    if (!(pull->damping >= 0 && isfinite(pull->damping))) {
        return pl_fail(PL_ERROR_ARGUMENT, "damping: %g is not 0 N s/m or above", pull->damping);
    }
    return PL_OK;
}

pl_status pl_world_pull(pl_world *world, int32_t body, int32_t n, const pl_pull *pull)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    pl_world_body *b = &world->bodies.body[place];
    if (n < 0 || (n > 0 && pull == NULL)) return pl_fail(PL_ERROR_ARGUMENT, "pull: no array");
    if (b->kind == PL_BODY_KINEMATIC && n > 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d is kinematic: nothing pulls it", (int)body);
    }
    for (int32_t i = 0; i < n; i++) PL_TRY(check_pull(b, &pull[i]));
    PL_TRY(pl_reserve((void **)&b->pull, &b->pull_capacity, n, sizeof *b->pull));
    if (n > 0 || b->n_pull > 0) PL_TRY(pl_sleep_wake(world, place));
    if (n > 0) memcpy(b->pull, pull, (size_t)n * sizeof *pull);
    b->n_pull = n;
    return PL_OK;
}

// --- In a step ---

void pl_pull_assemble(const pl_world *world, double *val, double *load)
{
    double h = world->dt;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_DEFORMABLE) continue;
        for (int32_t j = 0; j < b->n_pull; j++) {
            const pl_pull *p = &b->pull[j];
            int64_t at = b->first + b->rank[p->vertex];
            double *diagonal = val + 9 * world->system.A.diag[at];
            for (int k = 0; k < 3; k++) {
                diagonal[4 * k] += h * h * p->stiffness + h * p->damping;
                load[3 * at + k] += h * p->stiffness * (p->target[k] - world->state.x[3 * at + k]);
            }
        }
    }
}

void pl_pull_inertia(const pl_world *world, double *inertia)
{
    double h = world->dt;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_DEFORMABLE) continue;
        for (int32_t j = 0; j < b->n_pull; j++) {
            const pl_pull *p = &b->pull[j];
            inertia[b->first + b->rank[p->vertex]] += h * h * p->stiffness + h * p->damping;
        }
    }
}

// Solves S y = y for a symmetric positive definite S by Cholesky's factors, which take its place.
static void solve6(double S[6][6], double y[6])
{
    for (int j = 0; j < 6; j++) {
        for (int i = j; i < 6; i++) {
            for (int k = 0; k < j; k++) S[i][j] -= S[i][k] * S[j][k];
            S[i][j] = i == j ? sqrt(S[i][j]) : S[i][j] / S[j][j];
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++) y[i] -= S[i][k] * y[k];
        y[i] /= S[i][i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) y[i] -= S[k][i] * y[k];
        y[i] /= S[i][i];
    }
}

// S += s J^T J and y += J^T g, J = [1 -[r]x]: J^T g = (g, r x g), and the columns of J^T J are J^T
// of those of J, which are the axes e and e x r.
static void add_spring(const double r[3], double s, const double g[3], double S[6][6], double y[6])
{
    double torque[3];
    pl_cross(r, g, torque);
    for (int c = 0; c < 6; c++) {
        double e[3] = {0}, column[3], turned[3];
        e[c % 3] = 1;
        if (c < 3) {
            memcpy(column, e, sizeof column);
        } else {
            pl_cross(e, r, column);
        }
        pl_cross(r, column, turned);
        for (int k = 0; k < 3; k++) {
            S[k][c] += s * column[k];
            S[3 + k][c] += s * turned[k];
        }
        y[c] += c < 3 ? g[c] : torque[c - 3];
    }
}

void pl_pull_rigid(const pl_world *world, const pl_world_body *b, pl_rigid_load *load)
{
    const pl_rigid *state = &world->state.rigid[b->rigid];
    double h = world->dt, damped = 1 + h * load->damping, tensor[9], free[6], y[6], S[6][6] = {0};
    if (b->n_pull == 0) return;
    pl_rigid_tensor(state, tensor);
    pl_rigid_omega(state, free + 3);
    for (int k = 0; k < 3; k++) {
        free[k] = (state->v[k] + h * load->force[k] / state->mass) / damped;
        free[3 + k] /= damped;
        S[k][k] = damped * state->mass;
        for (int c = 0; c < 3; c++) S[3 + k][3 + c] = damped * tensor[3 * k + c];
    }
    for (int k = 0; k < 3; k++) y[k] = S[k][k] * free[k];
    for (int k = 3; k < 6; k++) y[k] = pl_dot(S[k] + 3, free + 3);
    if (load->torque[0] != 0 || load->torque[1] != 0 || load->torque[2] != 0) {
        double alone[6][6]; // the body without springs: an outer torque turns it, too
        for (int k = 0; k < 3; k++) y[3 + k] += h * load->torque[k];
        memcpy(alone, S, sizeof alone);
        memcpy(free, y, sizeof free);
        solve6(alone, free);
    }
    double M = S[0][0], inertia[9];
    for (int k = 0; k < 9; k++) inertia[k] = damped * tensor[k];
    for (int32_t j = 0; j < b->n_pull; j++) {
        const pl_pull *p = &b->pull[j];
        double at[3], r[3], g[3];
        pl_rigid_points(state, 1, b->local + 3 * (int64_t)p->vertex, at);
        pl_subtract(at, state->x, r);
        for (int k = 0; k < 3; k++) g[k] = h * p->stiffness * (p->target[k] - at[k]);
        add_spring(r, h * h * p->stiffness + h * p->damping, g, S, y);
    }
    solve6(S, y);
    for (int k = 0; k < 6; k++) y[k] -= free[k];
    for (int k = 0; k < 3; k++) {
        load->force[k] += M * y[k] / h;
        load->torque[k] += pl_dot(inertia + 3 * k, y + 3) / h;
    }
}
