// Backward Euler: one linear system per step [VJ19, Eq. 4-5], or Newton's method from there.

#include "integrator.h"
#include "balance.h"
#include "elements.h"

#include <string.h>

static void inertia(const pl_world *world, double *out)
{
    const pl_fem *fem = &world->system.fem;
    for (int32_t b = 0; b < fem->n_bodies; b++) {
        const pl_fem_body *body = &fem->body[b];
        double factor = 1 + world->dt * body->mass_damping;
        for (int32_t i = body->first; i < body->first + body->n_vert; i++)
            out[i] = factor * fem->mass[i];
    }
}

// [VJ19, Eq. 4] A = M + dt C + dt^2 K with C = alpha M + beta K. Its f is the net force, which
// contains -C v: on the right-hand side the damping cancels, b = M v + dt (f_elastic + f_ext).
static double assemble(pl_world *world)
{
    pl_system *s = &world->system;
    double dt = world->dt;
    const pl_fem_weights weights = {.stiffness = dt * dt, .stiffness_beta = dt, .project = 1};
    double energy = pl_elements_assemble(world, world->state.x, &weights, NULL, s->b);
    inertia(world, s->inertia);
    pl_elements_add_inertia(world, s->inertia);
    pl_balance_note(world, NULL, s->b, energy);
    for (int32_t i = 0; i < world->state.n_vert; i++) {
        for (int k = 0; k < 3; k++) {
            int64_t at = 3 * (int64_t)i + k;
            s->b[at] = s->fem.mass[i] * world->state.v[at] + dt * (s->b[at] + s->f_ext[at]);
        }
    }
    return energy;
}

static double viscosity(const pl_world *world)
{
    return world->dt;
}

// --- The last step's change of velocities, which this one may well repeat ---

static pl_status create(pl_world *world)
{
    if (world->options.vj19) return PL_OK; // it starts from free fall
    world->past.change = pl_alloc(3 * (int64_t)world->state.n_vert, sizeof(double));
    return world->past.change != NULL ? PL_OK : PL_ERROR_MEMORY;
}

static void destroy(pl_world *world)
{
    pl_free(world->past.change);
    world->past.change = NULL;
    world->past.has_change = false;
}

static void predict(pl_world *world)
{
    double steps = world->dt / world->options.dt;
    if (!world->past.has_change) return;
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        for (int64_t k = 3 * i; k < 3 * i + 3 && !world->system.prescribed[i]; k++) {
            world->system.v_new[k] = world->state.v[k] + steps * world->past.change[k];
        }
    }
}

static void finish(pl_world *world)
{
    if (world->past.change == NULL) return;
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++) {
        world->past.change[i] = world->state.v[i] - world->past.saved.v[i];
    }
    world->past.has_change = true;
}

static void forget(pl_world *world, const pl_world_body *b)
{
    (void)b;
    world->past.has_change = false;
}

static void rest(pl_world *world, const pl_world_body *b)
{
    if (world->past.change == NULL) return;
    memset(world->past.change + 3 * (int64_t)b->first, 0,
           3 * (size_t)b->mesh->n_vert * sizeof *world->past.change);
}

static const char CHANGE[] = "velocity-change";

static void add_parts(const pl_world *world, pl_parts *parts)
{
    size_t size = 3 * (size_t)world->state.n_vert * sizeof(double);
    if (world->past.has_change) pl_parts_add(parts, CHANGE, 1, world->past.change, size);
}

static bool check_parts(const pl_world *world, const pl_parts *parts)
{
    bool fits = true;
    pl_parts_doubles(parts, CHANGE, 3 * (int64_t)world->state.n_vert, &fits);
    return fits;
}

static void take_parts(pl_world *world, const pl_parts *parts)
{
    bool fits = true;
    int64_t n = 3 * (int64_t)world->state.n_vert;
    const double *change = pl_parts_doubles(parts, CHANGE, n, &fits);
    world->past.has_change = change != NULL && world->past.change != NULL;
    if (!world->past.has_change || n == 0) return;
    memcpy(world->past.change, change, (size_t)n * sizeof *change);
}

#define OPS(called, kind)                                                                          \
    {                                                                                              \
        .name = called, .newton = kind, .create = create, .destroy = destroy,                      \
        .assemble = assemble, .inertia = inertia, .viscosity = viscosity, .predict = predict,      \
        .move = pl_integrator_move, .finish = finish, .forget = forget, .rest = rest,              \
        .add_parts = add_parts, .check_parts = check_parts, .take_parts = take_parts               \
    }

const pl_integrator_ops pl_semi_implicit_ops = OPS("semi-implicit", PL_NEWTON_NONE);
const pl_integrator_ops pl_implicit_ops = OPS("implicit", PL_NEWTON_STRICT);
const pl_integrator_ops pl_auto_ops = OPS("auto", PL_NEWTON_ADAPTIVE);
