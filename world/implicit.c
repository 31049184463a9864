// Backward Euler by Newton's method.
//
// The new velocity w minimises
//
//   E(w) = 1/2 w^T ((1 + alpha dt) M + beta dt K0) w - w^T (M v + dt f_ext) + psi(x + dt w)
//
// with psi the elastic energy and K0 the stiffness at the start of the step, projected to positive
// semi-definite and frozen for the damping. Its gradient set to 0 is the equation of motion at the
// end of the step. Each iteration solves H dw = -grad E with H = (1 + alpha dt) M + beta dt K0 +
// dt^2 K(x + dt w) and shortens dw until E falls enough [Armijo].
//
// K is the true stiffness where H is positive definite with it [Longva et al. 2023]; elsewhere,
// only as much of each element's negative curvature is taken away as makes it so, in a few tries.
// Taking away all of it always is safe but slow: where elements are crushed, an element's negative
// curvature balances its neighbours', the steps become too short, and what should converge
// quadratically gains a tenth per iteration.

#include "integrator.h"
#include "step.h"
#include "../solvers/vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double ARMIJO = 1e-4; // the part of the promised decrease that must come true
static const double SHORTEN = 0.5;
static const int SHORTENINGS = 40;
// Of the negative curvature that is taken away: the least that is tried, and the factor from one
// try to the next.
static const double LEAST_SHARE = 1.0 / 64;
static const double MORE_SHARE = 4;
// Linear systems are solved to this part of the gradient: Newton corrects the rest.
static const double FORCING = 1e-3;
// Rounding of a sum of n terms, in units of the last place of its magnitude; generous.
static const double ROUNDING = 32;

// What it works on, made when the system is built.
typedef struct pl_implicit {
    double *damping;                    // (9*A.nnz) the constant part of A
    double *load, *direction, *scratch; // (3*n_vert)
} pl_implicit;

static pl_status create(pl_world *world)
{
    int64_t n = 3 * (int64_t)world->state.n_vert;
    pl_implicit *s = world->past.implicit = pl_alloc_zero(1, sizeof *s);
    if (s == NULL) return PL_ERROR_MEMORY;
    s->damping = pl_alloc(9 * (world->system.A.nnz + 1), sizeof *s->damping);
    s->load = pl_alloc(n, sizeof *s->load);
    s->direction = pl_alloc(n, sizeof *s->direction);
    s->scratch = pl_alloc(n, sizeof *s->scratch);
    bool all = s->damping != NULL && s->load != NULL && s->direction != NULL && s->scratch != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static void destroy(pl_world *world)
{
    pl_implicit *s = world->past.implicit;
    world->past.implicit = NULL;
    if (s == NULL) return;
    pl_free(s->damping);
    pl_free(s->load);
    pl_free(s->direction);
    pl_free(s->scratch);
    pl_free(s);
}

// What stays the same during a step, and what the iterations know of rounding.
typedef struct newton {
    pl_world *world;
    int64_t n;    // 3*n_vert
    pl_bsr H0;    // (1 + alpha dt) M + beta dt K0: A's pattern, its own values
    double *load; // M v + dt f_ext
    double share; // of the elements' negative curvature, taken away from A
    double scale; // the size of what cancels in the gradient: |load| + dt |f|
    double grain; // what a change of the positions in their last place does to the gradient ...
    double haze;  // ... and to E
} newton;

static double norm(int64_t n, const double *a)
{
    return sqrt(pl_vec_dot(n, a, a));
}

static void start(newton *s)
{
    pl_world *world = s->world;
    double dt = world->dt, *load = s->load;
    s->H0 = world->system.A;
    s->H0.val = world->past.implicit->damping;
    const pl_fem_weights weights = {
        .mass = 1, .mass_alpha = dt, .stiffness_beta = dt, .project = 1};
    pl_fem_assemble(&world->system.fem, world->state.x, &weights, NULL, &s->H0, load);
    for (int32_t i = 0; i < world->state.n_vert; i++) {
        for (int k = 0; k < 3; k++) {
            int64_t at = 3 * (int64_t)i + k;
            load[at] =
                world->system.fem.mass[i] * world->state.v[at] + dt * world->system.f_ext[at];
        }
    }
    pl_pull_assemble(world, s->H0.val, load);
}

static void place(const pl_world *world, const double *w, double *x)
{
    double dt = world->dt;
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++)
        x[i] = world->state.x[i] + dt * w[i];
}

// E(w), up to a constant; *size is the sum of its parts' magnitudes.
static double merit(const newton *s, const double *w, double *size)
{
    pl_world *world = s->world;
    place(world, w, world->past.implicit->scratch);
    double elastic = pl_fem_forces(&world->system.fem, world->past.implicit->scratch, NULL);
    pl_bsr_multiply(&s->H0, w, world->past.implicit->scratch);
    double quadratic = 0.5 * pl_vec_dot(s->n, w, world->past.implicit->scratch);
    double linear = pl_vec_dot(s->n, w, s->load);
    *size = fabs(elastic) + quadratic + norm(s->n, w) * norm(s->n, s->load);
    return elastic + quadratic - linear;
}

// |diag(H) x| / dt in units of the last place: positions have that much grain, velocities 1 / dt of
// it.
static double measure_grain(const pl_world *world, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        const double *d = world->system.A.val + 9 * world->system.A.diag[i];
        for (int k = 0; k < 3; k++) {
            double part = d[4 * k] * x[3 * i + k];
            sum += part * part;
        }
    }
    return DBL_EPSILON * sqrt(sum) / world->dt;
}

// H at w into A, and b := -grad E on the vertices that are free. Returns the elastic energy.
static double linearize(newton *s, const double *w)
{
    pl_world *world = s->world;
    double dt = world->dt, *b = world->system.b, *x = world->past.implicit->scratch;
    place(world, w, x);
    const pl_fem_weights weights = {.stiffness = dt * dt, .project = s->share};
    double energy =
        pl_fem_assemble(&world->system.fem, x, &weights, s->H0.val, &world->system.A, b);
    double force = norm(s->n, b);
    s->scale = dt * force + norm(s->n, s->load);
    s->haze = DBL_EPSILON * force * norm(s->n, x);
    s->grain = measure_grain(world, x);
    pl_bsr_multiply(&s->H0, w, world->past.implicit->scratch);
    for (int64_t i = 0; i < s->n; i++) {
        double g = world->past.implicit->scratch[i] - s->load[i] - dt * b[i];
        b[i] = world->system.prescribed[i / 3] != 0 ? 0 : -g;
    }
    return energy;
}

// H dw = b, with more and more projection until H is positive definite. The next iteration begins
// with less.
static pl_status find_direction(newton *s, const double *w, double *dw, pl_step_stats *stats)
{
    for (;;) {
        memset(dw, 0, (size_t)s->n * sizeof *dw);
        pl_status status = pl_step_solve(s->world, s->world->system.b, FORCING, dw, stats);
        if (status == PL_OK) break;
        if (status != PL_ERROR_NUMERICS || s->share == 1) return status;
        s->share = PL_MIN(PL_MAX(LEAST_SHARE, MORE_SHARE * s->share), 1);
        double begin = pl_seconds();
        linearize(s, w);
        stats->t_fem += pl_seconds() - begin;
    }
    s->share = s->share > LEAST_SHARE ? s->share / MORE_SHARE : 0;
    return PL_OK;
}

// Goes along dw until E has fallen enough. PL_ERROR_NUMERICS if it does not fall at all.
static pl_status search(const newton *s, double *w, const double *dw)
{
    double size, before = merit(s, w, &size);
    double slope = -pl_vec_dot(s->n, s->world->system.b, dw), step = 1;
    double rounding = ROUNDING * (DBL_EPSILON * size + s->haze);
    pl_vec_add(s->n, step, dw, w);
    for (int i = 0; i < SHORTENINGS; i++) {
        double after = merit(s, w, &size);
        if (after <= before + ARMIJO * step * slope + rounding) return PL_OK;
        pl_vec_add(s->n, -(1 - SHORTEN) * step, dw, w);
        step *= SHORTEN;
    }
    return pl_fail(PL_ERROR_NUMERICS, "Newton's method: no decrease along its direction");
}

// Starts from free fall, which w holds, or from standing still, whichever has less E: a step so
// long that the body comes to rest in it would else begin with a leap.
static void choose_start(const newton *s, double *w, double *still)
{
    double size;
    for (int64_t i = 0; i < s->n; i++)
        still[i] = s->world->system.prescribed[i / 3] != 0 ? w[i] : 0;
    if (!(merit(s, w, &size) <= merit(s, still, &size))) memcpy(w, still, (size_t)s->n * sizeof *w);
}

static pl_status solve(pl_world *world, pl_step_stats *stats)
{
    newton s = {
        .world = world, .n = 3 * (int64_t)world->state.n_vert, .load = world->past.implicit->load};
    double *w = world->system.v_new, *dw = world->past.implicit->direction;
    start(&s);
    choose_start(&s, w, dw);
    for (int32_t i = 0; i <= world->options.newton_iterations; i++) {
        double begin = pl_seconds();
        double energy = linearize(&s, w);
        if (i == 0) stats->elastic_energy = energy;
        stats->t_fem += pl_seconds() - begin;
        stats->newton = i;
        double size = norm(s.n, world->system.b);
        stats->residual = s.scale > 0 ? size / s.scale : 0;
        if (!isfinite(size)) return pl_fail(PL_ERROR_NUMERICS, "a force is not finite");
        if (size <= world->options.newton_tolerance * s.scale + ROUNDING * s.grain) return PL_OK;
        PL_TRY(find_direction(&s, w, dw, stats));
        begin = pl_seconds();
        PL_TRY(search(&s, w, dw));
        stats->t_fem += pl_seconds() - begin;
    }
    return pl_fail(PL_ERROR_NUMERICS, "Newton's method: not converged after %d iterations",
                   (int)world->options.newton_iterations);
}

const pl_integrator_ops pl_implicit_ops = {.name = "implicit",
                                           .create = create,
                                           .destroy = destroy,
                                           .solve = solve,
                                           .move = pl_integrator_move};
