// The energy balance of a step: see energy_step.h.

#include "energy_step.h"
#include "balance.h"
#include "constraint_step.h"
#include "contact_step.h"
#include "elements.h"
#include "integrator.h"
#include "joints.h"
#include "step.h"
#include "../rigid/inertia.h"
#include "../solvers/rows.h"

#include <math.h>

// All that is counted, at the start: kept in numerical_loss until the end.
void pl_energy_begin(const pl_world *world, pl_step_stats *stats)
{
    stats->numerical_loss = pl_kinetic_energy(world) + pl_gravity_energy(world);
}

// --- Losses of a part of a step ---

// w.M w and w.K w of each deformable body with damping.
static double damping_of_vertices(const pl_world *world)
{
    const pl_system *system = &world->system;
    const double *w = system->v_new;
    double *product = system->product, sum = 0, dt = world->dt;
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    const double *viscous = world->balance != NULL ? pl_balance_viscous(world) : NULL;
    double viscosity = integrator->viscosity(world);
    pl_bsr A = system->A;
    if (integrator->newton == PL_NEWTON_STATIC) return 0; // nothing moves
    if (viscous != NULL) A.val = (double *)viscous;
    bool stiff = false;
    for (int32_t b = 0; b < system->fem.n_bodies; b++)
        stiff = stiff || system->fem.body[b].stiffness_damping > 0;
    if (stiff) {
        pl_bsr_multiply(&A, w, product);
        if (viscous == NULL) { // its stiffness, from A
            integrator->inertia(world, system->inertia);
            pl_pull_inertia(world, system->inertia);
        }
    }
    for (int32_t b = 0; b < system->fem.n_bodies; b++) {
        const pl_fem_body *body = &system->fem.body[b];
        double alpha = body->mass_damping, beta = body->stiffness_damping;
        if (alpha == 0 && beta == 0) continue;
        double stiffness = viscous != NULL ? viscosity * beta : dt * dt + viscosity * beta;
        for (int64_t i = body->first; i < body->first + body->n_vert; i++) {
            const double *v = w + 3 * i;
            double square = pl_dot(v, v), elastic = 0;
            if (beta > 0) {
                elastic = pl_dot(v, product + 3 * i);
                if (viscous == NULL) elastic -= system->inertia[i] * square;
                elastic /= stiffness;
            }
            sum += dt * (alpha * system->fem.mass[i] * square + beta * elastic);
        }
    }
    return sum;
}

static double damping_of_rigid(const pl_world *world)
{
    double sum = 0;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_RIGID || b->asleep || b->damping == 0) continue;
        const double *A = world->system.rigid[b->rigid].A;
        const double *u = world->system.v_new + 3 * (int64_t)pl_world_rigid_block(world, b->rigid);
        double turned[3];
        pl_matrix_apply(A + 9, u + 3, turned);
        double twice = A[0] * pl_dot(u, u) + pl_dot(u + 3, turned); // by 1 + dt damping too much
        sum += world->dt * b->damping * twice / (1 + world->dt * b->damping);
    }
    return sum;
}

// What friction takes: f_t against the slip of each contact.
static pl_status add_friction(pl_world *world, pl_step_stats *stats)
{
    const pl_contact_step *contact = world->contact;
    if (contact == NULL) return PL_OK;
    pl_constraint_step *c = world->constraints;
    const pl_problem *problem = &c->blocks.problem;
    PL_TRY(pl_reserve((void **)&c->slip, &c->slip_capacity, 3 * (int64_t)problem->n_constraint,
                      sizeof *c->slip));
    if (problem->n_constraint == 0) return PL_OK;
    pl_rows_multiply(problem, NULL, true, world->system.v_new, c->slip);
    for (int32_t i = 0; i < pl_contacts_count(&contact->contacts); i++) {
        const double *f = pl_contacts_f(&contact->contacts, i);
        const double *u = c->slip + 3 * ((int64_t)contact->contacts.first + i);
        stats->friction_loss -= f[1] * u[1] + f[2] * u[2];
    }
    return PL_OK;
}

// --- Work of loads ---

static double work_on_vertices(const pl_world *world)
{
    double sum = 0, dt = world->dt;
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++)
        sum += dt * world->state.force[i] * world->system.v_new[i];
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_DEFORMABLE) continue;
        for (int32_t j = 0; j < b->n_pull; j++) {
            const pl_pull *p = &b->pull[j];
            int64_t at = 3 * (int64_t)(b->first + b->rank[p->vertex]);
            for (int k = 0; k < 3; k++) {
                double u = world->system.v_new[at + k], x1 = world->state.x[at + k] + dt * u;
                sum += dt * u * (p->stiffness * (p->target[k] - x1) - p->damping * u);
            }
        }
    }
    return sum;
}

// What acts on rigid bodies beside gravity and joints; pulls are among it.
static double work_on_rigid(const pl_world *world)
{
    double sum = 0;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_RIGID || b->asleep) continue;
        const pl_rigid_load *load = &world->system.load[b->rigid];
        const double *u = world->system.v_new + 3 * (int64_t)pl_world_rigid_block(world, b->rigid);
        const double *joints =
            world->joints != NULL ? world->joints->load + 6 * (int64_t)b->rigid : NULL;
        double mass = world->state.rigid[b->rigid].mass;
        for (int k = 0; k < 3; k++) {
            double force = load->force[k] - mass * world->options.gravity[k];
            double torque = load->torque[k];
            if (joints != NULL) force -= joints[k];
            if (joints != NULL) torque -= joints[3 + k];
            sum += world->dt * (force * u[k] + torque * u[3 + k]);
        }
    }
    return sum;
}

pl_status pl_energy_add(pl_world *world, pl_step_stats *stats)
{
    stats->work += pl_step_work(world);
    stats->load_work += work_on_vertices(world) + work_on_rigid(world);
    stats->damping_loss += damping_of_vertices(world) + damping_of_rigid(world);
    return add_friction(world, stats);
}

// --- The whole ---

void pl_energy_end(pl_world *world, pl_step_stats *stats)
{
    double before = stats->numerical_loss + stats->elastic_energy; // that of the start, until here
    stats->elastic_energy = pl_elements_energy(world, world->state.x);
    stats->kinetic_energy = pl_kinetic_energy(world);
    stats->gravity_energy = pl_gravity_energy(world);
    double after = stats->kinetic_energy + stats->elastic_energy + stats->gravity_energy;
    stats->numerical_loss = before + stats->work + stats->load_work - stats->friction_loss -
                            stats->damping_loss - after;
}
