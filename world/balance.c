// Newton's method around the solve of a step: see balance.h.

#include "balance.h"
#include "elements.h"
#include "integrator.h"
#include "step.h"
#include "constraint_step.h"
#include "../fem/volume_bound.h"
#include "../solvers/vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The share of its volume that each tet keeps in an iteration.
static const double KEEP = 0.2;
static const double ARMIJO = 1e-4; // c of the header
enum { SHORTENINGS = 30 };
// After so many steps in a row that are so short nothing is to be hoped for: bodies are crushed on
// the way to where no solution is found, and a shorter step has better prospects.
static const double SHORT = 0.03;
// A solve that has not converged goes on so many times before a matrix is made where it has led to.
enum { STUCK = 3, REPEATS = 1 };
// Of the negative curvature that is taken away: the least that is tried, and the factor from one
// try to the next.
static const double LEAST_SHARE = 1.0 / 64, MORE_SHARE = 4;
// Linear systems are solved to this part of the imbalance: the next iteration corrects the rest.
static const double FORCING = 1e-3;
// Those with constraints to such a residual at most, and such a share of what the last direction
// was, and of the tolerance.
static const double ROUGH_RESIDUAL = 1e-3, ROUGH_SHARE = 0.1;
// Corrections of this size are enough, relative as newton_tolerance is, also where it is larger:
// then the imbalance is known better than by est.
static const double SMALL = 1e-3;
// The share of a strict tolerance up to which est, which knows no couplings, is trusted: what
// deforms nothing needs no second solve.
static const double TRUSTED = 0.03;
// newton_tolerance by default: of steps that are to be good enough, and of those that are to be
// solved. world/README.md has what was measured.
static const double ADAPTIVE = 0.1, STRICT = 1e-3;
// Rounding of places and of sums, in units of the last place of their size; generous.
static const double ROUNDING = 32;

// --- Life ---

static pl_status allocate(const pl_world *world, pl_balance *s)
{
    int64_t n = 3 * (int64_t)world->state.n_vert, all = 3 * (int64_t)world->system.n_block;
    double **const of_vertices[] = {&s->place, &s->force, &s->given, &s->x, &s->dx};
    double **const of_blocks[] = {&s->lin, &s->target, &s->d, &s->y, &s->w};
    bool ok = true;
    for (int i = 0; i < 5; i++)
        ok = ok && (*of_vertices[i] = pl_alloc_zero(n, sizeof **of_vertices[i])) != NULL;
    for (int i = 0; i < 5; i++)
        ok = ok && (*of_blocks[i] = pl_alloc_zero(all, sizeof **of_blocks[i])) != NULL;
    s->inertia = pl_alloc(world->state.n_vert, sizeof *s->inertia);
    ok = ok && s->inertia != NULL;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        bool deforms = b->kind == PL_BODY_DEFORMABLE;
        s->is_viscous = s->is_viscous || (deforms && b->material.stiffness_damping > 0);
    }
    if (ok && s->is_viscous) {
        s->viscous = pl_alloc_zero(9 * (world->system.A.nnz + 1), sizeof *s->viscous);
        ok = s->viscous != NULL;
    }
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_balance_create(pl_world *world)
{
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    bool is_static = integrator->newton == PL_NEWTON_STATIC;
    // Rigid bodies are solved at once.
    if (!pl_integrator_iterates(world) || (world->state.n_vert == 0 && !is_static)) return PL_OK;
    pl_balance *s = world->balance = pl_alloc_zero(1, sizeof *s);
    if (s == NULL) return PL_ERROR_MEMORY;
    s->is_static = is_static;
    s->adaptive = integrator->newton == PL_NEWTON_ADAPTIVE;
    s->tolerance = world->options.newton_tolerance;
    if (s->tolerance == 0) s->tolerance = s->adaptive ? ADAPTIVE : STRICT;
    return allocate(world, s); // destroy gives it back
}

void pl_balance_destroy(pl_world *world)
{
    pl_balance *s = world->balance;
    world->balance = NULL;
    if (s == NULL) return;
    double *const array[] = {s->lin,    s->place, s->force, s->inertia, s->given, s->viscous,
                             s->target, s->d,     s->y,     s->w,       s->x,     s->dx};
    for (int i = 0; i < (int)(sizeof array / sizeof *array); i++) pl_free(array[i]);
    pl_free(s);
}

// --- Parts of the system ---

static int64_t count(const pl_world *world)
{
    return 3 * (int64_t)world->state.n_vert;
}

static double norm(int64_t n, const double *a)
{
    return sqrt(pl_vec_dot(n, a, a));
}

// D, as it is now: rows may have changed it.
static void find_inertia(const pl_world *world)
{
    pl_integrator_of(world)->inertia(world, world->balance->inertia);
    pl_pull_inertia(world, world->balance->inertia);
}

static void place(const pl_world *world, const double *v, double *x)
{
    for (int64_t i = 0; i < count(world); i++) x[i] = world->state.x[i] + world->dt * v[i];
}

// V z into out (3*n_block).
static void multiply_viscous(const pl_world *world, const double *z, double *out)
{
    pl_bsr V = world->system.A;
    V.val = world->balance->viscous;
    pl_bsr_multiply(&V, z, out);
}

// product (3*n_block), A z with the matrix of the last solve: to dt^2 K z in the rows of vertices.
static void leave_stiffness(const pl_world *world, const double *z, double *product)
{
    const pl_balance *s = world->balance;
    double dt = world->dt;
    for (int64_t i = 0; i < count(world); i++) product[i] -= s->inertia[i / 3] * z[i];
    if (!s->is_viscous) return;
    if (s->is_given) { // V has its own K
        multiply_viscous(world, z, s->w);
        for (int64_t i = 0; i < count(world); i++) product[i] -= s->w[i];
        return;
    }
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_DEFORMABLE) continue;
        double share = dt * dt / (dt * dt + s->viscosity * b->material.stiffness_damping);
        int64_t first = 3 * (int64_t)b->first, last = first + 3 * (int64_t)b->mesh->n_vert;
        for (int64_t k = first; k < last; k++) product[k] *= share;
    }
}

void pl_balance_note(pl_world *world, const double *lin, const double *force, double energy)
{
    pl_balance *s = world->balance;
    if (s == NULL) return;
    size_t n = 3 * (size_t)world->system.n_block;
    if (lin != NULL) memcpy(s->lin, lin, n * sizeof *lin);
    if (lin == NULL) memset(s->lin, 0, n * sizeof *s->lin);
    memcpy(s->force, force, (size_t)count(world) * sizeof *force);
    s->energy = energy;
    s->starts_ahead = lin != NULL;
}

void pl_balance_begin(pl_world *world)
{
    pl_balance *s = world->balance;
    for (int32_t i = 0; i < world->system.n_block; i++) {
        if (world->system.prescribed[i] != 0)
            memcpy(s->target + 3 * (int64_t)i, world->system.v_new + 3 * (int64_t)i,
                   3 * sizeof *s->target);
    }
    place(world, s->lin, s->place);
    s->viscosity = pl_integrator_of(world)->viscosity(world);
    s->is_given = s->enough = s->rough = s->unfinished = false;
    s->iteration = 1;
    s->stuck = s->repeats = 0;
    s->unsolved = false;
    s->share = 0;
    s->step = 1;
}

// g of the header, and V, once they are needed: before the first matrix is given up.
static void find_given(pl_world *world)
{
    pl_balance *s = world->balance;
    double dt = world->dt;
    pl_bsr_multiply(&world->system.A, s->lin, s->y);
    leave_stiffness(world, s->lin, s->y);
    for (int64_t i = 0; i < count(world); i++)
        s->given[i] = world->system.b[i] - dt * s->force[i] - s->y[i];
    s->is_given = true;
    if (!s->is_viscous) return;
    pl_bsr V = world->system.A;
    V.val = s->viscous;
    const pl_fem_weights weights = {.stiffness_beta = s->viscosity, .project = 1};
    pl_fem_assemble(&world->system.fem, s->place, &weights, NULL, &V, s->dx);
}

// A and b about lin, of the vertices; those of rigid bodies stay.
static void assemble(pl_world *world)
{
    pl_balance *s = world->balance;
    pl_system *system = &world->system;
    double dt = world->dt;
    bool free = world->constraints->blocks.problem.n_constraint == 0;
    // Without V beta is 0, and its weight that of the first matrix.
    const pl_fem_weights weights = {.stiffness = dt * dt,
                                    .stiffness_beta = s->is_viscous ? 0 : s->viscosity,
                                    .project = free ? s->share : 1};
    s->energy = pl_elements_assemble(world, s->place, &weights, s->viscous, s->force);
    pl_bsr_multiply(&system->A, s->lin, s->y);
    if (s->is_viscous) multiply_viscous(world, s->lin, s->w);
    for (int64_t i = 0; i < count(world); i++) {
        double stiff = s->y[i] - (s->is_viscous ? s->w[i] : 0);
        system->b[i] = s->given[i] + dt * s->force[i] + stiff;
    }
    pl_elements_add_inertia(world, s->inertia);
}

// --- One iteration ---

// What the direction is worth.
typedef struct direction {
    double square;  // d.A d
    double elastic; // of that, d.dt^2 K d
    double slope;   // dt f_el(x_k).d
} direction;

// y := A d. A first solve without constraints ends with the residual b - A v, and the product is
// known but in prescribed rows.
static void find_product(const pl_world *world)
{
    const pl_balance *s = world->balance;
    const pl_system *system = &world->system;
    bool constrained = world->constraints->blocks.problem.n_constraint > 0;
    if (constrained || s->iteration > 1 || s->starts_ahead) {
        pl_bsr_multiply(system->solved, s->d, s->y);
        return;
    }
    for (int32_t i = 0; i < system->n_block; i++) {
        if (system->prescribed[i] != 0) pl_bsr_multiply_rows(system->solved, i, i + 1, s->d, s->y);
        for (int64_t k = 3 * (int64_t)i; k < 3 * (int64_t)i + 3 && system->prescribed[i] == 0; k++)
            s->y[k] = system->b[k] - system->cg.r[k];
    }
}

// d, y := dt^2 K d in the rows of vertices, dx := dt d.
static direction find_direction(pl_world *world)
{
    pl_balance *s = world->balance;
    direction out = {0};
    int64_t all = 3 * (int64_t)world->system.n_block, n = count(world);
    for (int64_t i = 0; i < all; i++) s->d[i] = world->system.v_new[i] - s->lin[i];
    find_product(world);
    out.square = pl_vec_dot(all, s->d, s->y);
    find_inertia(world);
    leave_stiffness(world, s->d, s->y);
    out.elastic = pl_vec_dot(n, s->d, s->y);
    out.slope = world->dt * pl_vec_dot(n, s->d, s->force);
    for (int64_t i = 0; i < n; i++) s->dx[i] = world->dt * s->d[i];
    return out;
}

// Does the elastic energy at x_k + t dx, which is `energy`, stay below the tangent by enough?
static bool falls(const pl_world *world, const direction *d, double t, double energy)
{
    const pl_balance *s = world->balance;
    double curve = energy - s->energy + t * d->slope + 0.5 * t * t * (d->square - d->elastic);
    double most = (1 - ARMIJO) * t * d->square;
    if (curve <= most) return true;
    double haze = norm(count(world), s->force) * norm(count(world), s->place);
    return curve <= most + ROUNDING * DBL_EPSILON * (fabs(energy) + fabs(s->energy) + haze);
}

// Of all the way: bit for bit as the world will put them.
static void try_places(const pl_world *world, double t)
{
    const pl_balance *s = world->balance;
    if (t == 1) place(world, world->system.v_new, s->x);
    for (int64_t i = 0; i < count(world) && t < 1; i++) s->x[i] = s->place[i] + t * s->dx[i];
}

// The elastic energy at the trial places. The forces there are looked at if they are all the way.
static double look(pl_world *world)
{
    const pl_balance *s = world->balance;
    if (s->step < 1) return pl_fem_forces(&world->system.fem, s->x, NULL);
    return pl_elements_look(world, s->iteration == 1 ? PL_LOOK_FIRST : PL_LOOK_LATER, s->x)->energy;
}

// How far to go.
static pl_status find_step(pl_world *world, const direction *d)
{
    pl_balance *s = world->balance;
    const pl_fem *fem = &world->system.fem;
    s->step = pl_fem_volume_bound(fem, s->place, s->dx, KEEP, NULL);
    for (int i = 0; i < SHORTENINGS; i++, s->step *= 0.5) {
        try_places(world, s->step);
        if (falls(world, d, s->step, look(world))) return PL_OK;
    }
    return pl_fail(PL_ERROR_NUMERICS, "Newton's method: no decrease along its direction");
}

// est of the header, after a full step; *most is the largest part of a velocity in it [m/s].
static double estimate(const pl_world *world, double *most)
{
    const pl_balance *s = world->balance;
    const pl_bsr *A = &world->system.A;
    const double *end = world->elements->force;
    double sum = 0, dt = world->dt;
    *most = 0;
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        if (world->system.prescribed[i] != 0) continue;
        const double *diagonal = A->val + 9 * A->diag[i];
        pl_bsr_fetch_diagonal(A, i);
        for (int k = 0; k < 3; k++) {
            int64_t at = 3 * i + k;
            double r = dt * (s->force[at] - end[at]) - s->y[at];
            double u = r / diagonal[4 * k];
            sum += r * u;
            *most = PL_MAX(*most, fabs(u));
        }
    }
    return sum;
}

// Twice the kinetic energy of the vertices at the start of the step.
static double motion(const pl_world *world)
{
    double sum = 0;
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        const double *v = world->state.v + 3 * i;
        sum += world->system.fem.mass[i] * pl_dot(v, v);
    }
    return sum;
}

static double largest(int64_t n, const double *a)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = PL_MAX(most, fabs(a[i]));
    return most;
}

double pl_balance_finest(const pl_balance *s)
{
    return PL_MIN(ROUGH_RESIDUAL, ROUGH_SHARE * s->tolerance);
}

double pl_balance_forcing(const pl_balance *s)
{
    if (s->is_static) return pl_balance_finest(s); // it asks for more than others from the start
    double last = s->iteration > 1 ? sqrt(s->square / s->scale) : 1;
    // What is left of a solve may itself be the next direction: so less is left each time.
    double most = ldexp(ROUGH_RESIDUAL, 1 - s->iteration);
    return PL_MAX(PL_MIN(ROUGH_SHARE * last, most), pl_balance_finest(s));
}

// What rounding of places leaves of velocities.
static double grain(const pl_world *world)
{
    return ROUNDING * DBL_EPSILON * largest(count(world), world->state.x) / world->dt;
}

// Are the forces balanced as they are asked to be?
static bool is_enough(pl_world *world, const direction *d, pl_step_stats *stats)
{
    pl_balance *s = world->balance;
    const pl_constraint_step *c = world->constraints;
    bool alone = c->blocks.problem.n_constraint == 0, corrects = s->iteration > 1;
    double most, est = estimate(world, &most);
    double small = s->adaptive ? PL_MIN(s->tolerance, SMALL) : s->tolerance;
    double trusted = s->adaptive ? s->tolerance : TRUSTED * s->tolerance;
    stats->imbalance = s->scale > 0 ? sqrt(est / s->scale) : 0;
    if (!isfinite(est)) return false;
    // The first direction is no correction but all of the motion; in statics the tie is not in est.
    if (corrects && d->square <= small * small * s->scale) return true;
    if (!s->is_static && est <= trusted * trusted * s->scale) return true;
    double fine = grain(world);
    double least = alone ? fine : PL_MAX(fine, c->options.contact_tolerance / world->dt);
    if (largest(3 * (int64_t)world->system.n_block, s->d) <= least) return true;
    return !s->is_static && most <= (s->adaptive ? least : fine);
}

pl_status pl_balance_move(pl_world *world, pl_step_stats *stats)
{
    pl_balance *s = world->balance;
    double start = pl_seconds();
    direction d = find_direction(world);
    if (s->iteration == 1) s->scale = PL_MAX(motion(world), d.square);
    // A solve that has not converged may lead anywhere: one that leads farther than the last
    // direction goes on with what it has.
    s->unsolved =
        s->unfinished && s->iteration > 1 && d.square > s->square && ++s->repeats <= REPEATS;
    if (s->unsolved) return PL_OK;
    s->square = d.square;
    s->repeats = 0;
    PL_TRY(find_step(world, &d));
    s->stuck = s->step < SHORT ? s->stuck + 1 : 0;
    if (s->stuck >= STUCK) return pl_fail(PL_ERROR_NUMERICS, "Newton's method: stuck");
    s->enough = s->step == 1 && is_enough(world, &d, stats) && !s->rough;
    stats->newton++;
    int64_t all = 3 * (int64_t)world->system.n_block;
    for (int64_t i = 0; i < all && s->step < 1; i++)
        world->system.v_new[i] = s->lin[i] + s->step * s->d[i];
    stats->t_fem += pl_seconds() - start;
    return PL_OK;
}

// --- The next one ---

static void aim(pl_world *world)
{
    const pl_balance *s = world->balance;
    for (int64_t i = 0; i < 3 * (int64_t)world->system.n_block; i++) {
        if (world->system.prescribed[i / 3] != 0) world->system.v_new[i] = s->target[i];
    }
}

pl_status pl_balance_linearize(pl_world *world, pl_step_stats *stats)
{
    pl_balance *s = world->balance;
    double start = pl_seconds();
    if (s->is_static) PL_TRY(pl_static_check(world));
    if (s->iteration >= world->options.max_newton) {
        return pl_fail(PL_ERROR_NUMERICS, "Newton's method: not converged after %d iterations",
                       (int)world->options.max_newton);
    }
    s->iteration++;
    if (!s->is_given) find_given(world);
    if (s->is_static) {
        pl_static_retie(world, s->lin, world->system.v_new);
        find_inertia(world);
    }
    memcpy(s->lin, world->system.v_new, 3 * (size_t)world->system.n_block * sizeof *s->lin);
    memcpy(s->place, s->x, (size_t)count(world) * sizeof *s->x);
    assemble(world);
    aim(world);
    stats->t_fem += pl_seconds() - start;
    return PL_OK;
}

// g + dt f_el - D v_k - V v_k of the free vertices, without the digits that b and A v_k lose.
static void find_imbalance(pl_world *world, double *out)
{
    const pl_balance *s = world->balance;
    int64_t all = 3 * (int64_t)world->system.n_block;
    pl_bsr_multiply(&world->system.A, s->lin, out);
    for (int64_t i = 0; i < all; i++) out[i] = world->system.b[i] - out[i];
    if (s->is_viscous) multiply_viscous(world, s->lin, s->w);
    for (int64_t i = 0; i < count(world); i++) {
        out[i] = s->given[i] + world->dt * s->force[i] - s->inertia[i / 3] * s->lin[i];
        if (s->is_viscous) out[i] -= s->w[i];
    }
}

pl_status pl_balance_solve_free(pl_world *world, pl_step_stats *stats)
{
    pl_balance *s = world->balance;
    int64_t all = 3 * (int64_t)world->system.n_block;
    pl_status status;
    for (;;) {
        find_imbalance(world, s->y);
        for (int64_t i = 0; i < all; i++) {
            bool given = world->system.prescribed[i / 3] != 0;
            s->d[i] = given ? s->target[i] - s->lin[i] : 0;
        }
        status = pl_step_solve(world, s->y, FORCING, s->d, stats);
        if (status != PL_ERROR_NUMERICS || s->share == 1) break;
        s->share = PL_MIN(PL_MAX(LEAST_SHARE, MORE_SHARE * s->share), 1);
        double start = pl_seconds();
        assemble(world);
        stats->t_fem += pl_seconds() - start;
    }
    PL_TRY(status);
    s->share = s->share > LEAST_SHARE ? s->share / MORE_SHARE : 0;
    for (int64_t i = 0; i < all; i++) world->system.v_new[i] = s->lin[i] + s->d[i];
    return PL_OK;
}

bool pl_balance_keeps_volume(pl_world *world)
{
    pl_balance *s = world->balance;
    const pl_fem *fem = &world->system.fem;
    int32_t flat, before;
    if (s->iteration == 1 && s->step == 1 && !s->starts_ahead) return true; // all the way
    if (!pl_fem_keeps_volume(fem)) return true;
    place(world, world->system.v_new, s->x); // as the world will put them
    memset(s->dx, 0, (size_t)count(world) * sizeof *s->dx);
    pl_fem_volume_bound(fem, s->x, s->dx, 0, &flat);
    if (flat == 0) return true;
    pl_fem_volume_bound(fem, world->state.x, s->dx, 0, &before);
    return flat <= before;
}

const double *pl_balance_viscous(const pl_world *world)
{
    return world->balance->is_given ? world->balance->viscous : NULL;
}
