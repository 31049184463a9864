// Impacts of rigid bodies that bounce, as a part of a step: see contact/restitution.h.

#include "contact_step.h"

#include <string.h>

// The inverse of a symmetric positive definite matrix.
static void invert(const double A[9], double inverse[9])
{
    double column[3];
    for (int k = 0; k < 3; k++) {
        pl_cross(A + 3 * ((k + 1) % 3), A + 3 * ((k + 2) % 3), column);
        memcpy(inverse + 3 * k, column, sizeof column);
    }
    double scale = 1 / pl_dot(A, inverse);
    for (int k = 0; k < 9; k++) inverse[k] *= scale;
}

static void describe_body(const pl_world *world, int64_t i, pl_restitution *r)
{
    const pl_rigid *state = &world->state.rigid[i];
    const pl_rigid_system *system = &world->system.rigid[i];
    double *start = r->start + 6 * i;
    memcpy(start, state->v, 3 * sizeof *start);
    pl_rigid_omega(state, start + 3);
    for (int k = 0; k < 6; k++) r->change[6 * i + k] = system->u[k] - start[k];
    for (int k = 0; k < 2; k++) invert(system->A + 9 * k, r->inverse + 9 * (2 * i + k));
}

pl_status pl_contact_step_begin_bounce(pl_world *world)
{
    pl_contact_step *contact = world->contact;
    pl_restitution *r = &contact->restitution;
    if (!contact->boundary.bounces) return PL_OK;
    PL_TRY(pl_restitution_begin(r, world->state.n_vert, 2 * (int32_t)world->state.n_rigid));
    for (int64_t i = 0; i < world->state.n_rigid; i++) describe_body(world, i, r);
    return PL_OK;
}

pl_status pl_contact_step_bounce(pl_world *world, double t)
{
    pl_contact_step *contact = world->contact;
    pl_restitution *r = &contact->restitution;
    if (!contact->boundary.bounces) return PL_OK;
    int64_t first = 3 * (int64_t)r->first_block, n = 3 * (int64_t)r->n_block;
    double *b = world->system.b + first, *v = world->system.v_new + first;
    pl_places_end(world, world->system.v_new, world->dt, t, &contact->boundary);
    for (int64_t i = 0; i < n; i++) b[i] -= r->impulse[i];
    memcpy(r->before, r->impulse, (size_t)n * sizeof *b);
    PL_TRY(pl_restitution_solve(r, &contact->boundary, &contact->contacts));
    for (int64_t i = 0; i < n; i++) b[i] += r->impulse[i];
    for (int64_t i = 0; i < n; i++) r->before[i] = r->impulse[i] - r->before[i];
    for (int64_t block = 0; block < r->n_block; block++) {
        bool given = world->system.prescribed[r->first_block + block] != 0; // it sleeps
        for (int k = 0; k < 3 && !given; k++) {
            v[3 * block + k] += pl_dot(r->inverse + 9 * block + 3 * k, r->before + 3 * block);
        }
    }
    return PL_OK;
}

void pl_contact_step_add_impacts(const pl_world *world, double *impulse)
{
    const pl_contact_step *contact = world->contact;
    const pl_restitution *r = &contact->restitution;
    if (!contact->boundary.bounces) return;
    for (int64_t i = 0; i < 3 * (int64_t)r->n_block; i++) impulse[i] += r->impulse[i];
}
