#include "warnings.h"
#include "../fem/volume_bound.h"
#include "../fem/material.h"
#include "../meshes/geometry.h"

#include <math.h>
#include <stdio.h>

// A column of height L that stands under its own weight is pressed together at its foot by the
// strain rho g L / E. At 1 nothing of its shape is left; this is nearly always a modulus in kPa or
// MPa where Pa are wanted, or a mesh in millimetres.
static const double SOFT_STRAIN = 1;
static const double FIRM_STRAIN = 0.05; // what is suggested in its place

// Elements that a sound wave, sqrt(E / rho) fast, crosses in a step. Its square is the ratio of
// stiffness to mass in A, and with that its condition: at 1e6 the body is rigid for all that a step
// resolves, and solvers pay for what nobody sees. Steel in elements of 1 cm, dt 1 ms, has 500.
static const double STIFF_CROSSED = 1000;

bool pl_warn_first(pl_world *world, pl_warning warning)
{
    bool first = (world->warnings.warned & (uint32_t)warning) == 0;
    world->warnings.warned |= (uint32_t)warning;
    return first;
}

// --- Materials ---

static double length_of(const double v[3])
{
    return sqrt(pl_dot(v, v));
}

// The extent of points (3*n) along a direction.
static void extent(int64_t n, const double *x, const double direction[3], double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double at = pl_dot(x + 3 * i, direction);
        *lo = fmin(*lo, at);
        *hi = fmax(*hi, at);
    }
}

static void check_soft(pl_world *world, int64_t body, const double down[3])
{
    const pl_world_body *b = &world->bodies.body[body];
    const pl_material_options *m = &b->material;
    char name[PL_BODY_NAME];
    double lo, hi, g = length_of(world->options.gravity);
    extent(b->mesh->n_vert, b->mesh->x, down, &lo, &hi);
    double weight = m->density * g * (hi - lo); // of a column, by its area [Pa]
    if (!(weight > SOFT_STRAIN * m->young) || !pl_warn_first(world, PL_WARNING_SOFT)) return;
    pl_log(
        PL_LOG_WARNING,
        "%s: young %g Pa is too soft for a body %.3g m high of %g kg/m^3: its own weight presses "
        "it flat; %.1g Pa or more would bear it",
        pl_world_body_name(world, body, name), m->young, hi - lo, m->density, weight / FIRM_STRAIN);
}

static void check_stiff(pl_world *world, int64_t body)
{
    const pl_world_body *b = &world->bodies.body[body];
    const pl_material_options *m = &b->material;
    char name[PL_BODY_NAME];
    double edge = cbrt(6 * sqrt(2) * pl_mesh_volume(b->mesh) / b->mesh->n_tet); // of regular tets
    double speed = sqrt(m->young / m->density), dt = world->options.dt;
    double most = STIFF_CROSSED * edge / dt;
    if (!(speed > most) || !pl_warn_first(world, PL_WARNING_STIFF)) return;
    pl_log(PL_LOG_WARNING,
           "%s: young %g Pa is too stiff for tets of %.2g m and steps of %g s: nobody can tell it "
           "from rigid, and solvers are slow; make the body rigid, or take %.1g Pa or less",
           pl_world_body_name(world, body, name), m->young, edge, dt, m->density * most * most);
}

void pl_warn_start(pl_world *world)
{
    const double *gravity = world->options.gravity;
    double g = length_of(gravity), lo, hi;
    const double down[3] = {gravity[0] / g, gravity[1] / g, gravity[2] / g};
    for (int64_t i = 0; i < world->bodies.n; i++) {
        if (world->bodies.body[i].kind != PL_BODY_DEFORMABLE) continue;
        check_stiff(world, i);
        if (g > 0) check_soft(world, i, down);
    }
    if (!(g > 0)) return;
    extent(world->published.n, world->published.x, down, &lo, &hi);
    world->warnings.deepest = hi;
    world->warnings.height = hi - lo;
}

// --- Inverted tets ---

static int32_t count_inverted(const pl_world *world, const pl_world_body *b)
{
    const double *x = world->published.x + 3 * (int64_t)b->published;
    int32_t n = 0;
    for (int64_t i = 0; i < b->mesh->n_tet; i++) n += !(pl_tet_volume(x, b->mesh->tet + 4 * i) > 0);
    return n;
}

static bool keeps_volume(const pl_material_options *m)
{
    pl_material material;
    return pl_material_setup(m, &material) == PL_OK && pl_material_keeps_volume(&material);
}

// What keeps the tets of a material in shape. Energies that are finite for a flat tet cannot.
static const char *inversion_remedy(const pl_material_options *m)
{
    switch (m->kind) {
    case PL_MATERIAL_NEO_HOOKEAN:
    case PL_MATERIAL_MOONEY_RIVLIN:
    case PL_MATERIAL_OGDEN:
        return keeps_volume(m) ? "a smaller dt or a stiffer material keeps their shape"
                               : "a smaller dt, a stiffer material or a smaller stretch_limit "
                                 "keeps their shape";
    default:
        return "a smaller dt or a stiffer material keeps their shape; a neo-Hookean one resists, "
               "where the energy of this one stays finite";
    }
}

// Names the body that has most of them.
static void warn_inverted(const pl_world *world, const pl_step_stats *stats)
{
    int64_t worst = 0;
    int32_t most = 0, bodies = 0;
    char name[PL_BODY_NAME], others[64] = "";
    for (int64_t i = 0; i < world->bodies.n; i++) {
        if (world->bodies.body[i].kind != PL_BODY_DEFORMABLE) continue;
        int32_t n = count_inverted(world, &world->bodies.body[i]);
        bodies += n > 0;
        if (n <= most) continue;
        most = n;
        worst = i;
    }
    if (bodies > 1) {
        snprintf(others, sizeof others, " (%d in %d bodies)", (int)stats->inverted, (int)bodies);
    }
    pl_log(PL_LOG_WARNING, "step %lld: %d of %d tets of %s %s flat or inverted%s; %s",
           (long long)stats->step, (int)most, (int)world->bodies.body[worst].mesh->n_tet,
           pl_world_body_name(world, worst, name), most == 1 ? "is" : "are", others,
           inversion_remedy(&world->bodies.body[worst].material));
}

// --- Bodies that fall for ever ---

// Is a body in free fall below `depth` as a whole, and on its way down? That one vertex is above
// ends it for nearly all bodies.
static bool falls_below(const pl_world *world, const pl_world_body *b, const double down[3],
                        double depth)
{
    const double *x = world->published.x + 3 * (int64_t)b->published;
    const double *v = world->published.v + 3 * (int64_t)b->published;
    if (b->kind == PL_BODY_NONE || b->kind == PL_BODY_KINEMATIC) return false;
    if (pl_dot(x, down) <= depth) return false;
    bool held = b->n_pull > 0 || (b->kind == PL_BODY_DEFORMABLE && !b->free);
    bool pushed = b->impulse[0] != 0 || b->impulse[1] != 0 || b->impulse[2] != 0;
    if (held || pushed || !(pl_dot(v, down) > 0)) return false;
    double lo, hi;
    extent(b->mesh->n_vert, x, down, &lo, &hi);
    return lo > depth;
}

// The deepest place of what may still catch it: where bodies began, and where those are now that
// move as they are told.
static double deepest_hold(const pl_world *world, const double down[3])
{
    double deepest = world->warnings.deepest;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        double lo, hi;
        if (b->kind != PL_BODY_KINEMATIC) continue;
        extent(b->mesh->n_vert, world->published.x + 3 * (int64_t)b->published, down, &lo, &hi);
        deepest = fmax(deepest, hi);
    }
    return deepest;
}

// Deeper than all that could stop it by the height of all bodies at the start: what hangs from
// something that moves is not that deep.
static void check_fall(pl_world *world, const pl_step_stats *stats)
{
    const double *gravity = world->options.gravity;
    double g = length_of(gravity);
    if (!(g > 0)) return;
    const double down[3] = {gravity[0] / g, gravity[1] / g, gravity[2] / g};
    char name[PL_BODY_NAME];
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (!falls_below(world, b, down, world->warnings.deepest + world->warnings.height))
            continue;
        double hold = deepest_hold(world, down);
        if (!falls_below(world, b, down, hold + world->warnings.height)) continue;
        if (!pl_warn_first(world, PL_WARNING_FALL)) return;
        pl_log(PL_LOG_WARNING,
               "step %lld: %s falls for ever: all that could stop it is %.3g m above it%s",
               (long long)stats->step, pl_world_body_name(world, i, name),
               pl_dot(world->published.x + 3 * (int64_t)b->published, down) - hold,
               world->options.contact ? "; put a ground below it, or a larger one"
                                      : ", and contact is off");
        return;
    }
}

void pl_warn_solver(pl_world *world, const char *solver, const char *fallback)
{
    if (!pl_warn_first(world, PL_WARNING_SOLVER)) return;
    pl_log(PL_LOG_WARNING,
           "%s does not know joints: what has any is solved by %s (the statistics count it as "
           "rescues)",
           solver, fallback);
}

void pl_warn_step(pl_world *world, const pl_step_stats *stats)
{
    if (stats->inverted > 0 && pl_warn_first(world, PL_WARNING_INVERTED)) {
        warn_inverted(world, stats);
    }
    if ((world->warnings.warned & PL_WARNING_FALL) == 0) check_fall(world, stats);
}
