#include "contact_error.h"
#include "kernel.h"

#include <math.h>

enum {
    PART_CONTACTS = 256, // at least, per part of a sum: see kernel.h
    // What a thread takes at least.
    CHUNK_CONTACTS = 256,
    CHUNK_ROWS = 1024,
};

// The same for a pyramid, w its velocities with compliance. `cone` is how far f_t is from the
// polygon.
static double update_pyramid(double dt, const pl_limits *limits, double mu, const double *s,
                             const double *w, const double *f, pl_contact_errors *e)
{
    pl_polygon polygon = pl_law_polygon(limits);
    const double x[2] = {f[1] - w[1] / s[1], f[2] - w[2] / s[1]};
    double limit = mu * PL_MAX(f[0], 0), p[2], g[2];
    pl_polygon_project(&polygon, limit, x, p);
    pl_polygon_project(&polygon, limit, f + 1, g);
    double d1 = s[1] * (f[1] - p[0]), d2 = s[1] * (f[2] - p[1]);
    double o1 = s[1] * (f[1] - g[0]), o2 = s[1] * (f[2] - g[1]);
    double dn = fabs(PL_MIN(w[0], s[0] * f[0])), dd = d1 * d1 + d2 * d2;
    e->normal = pl_larger(e->normal, dt * dn);
    e->friction = pl_larger(e->friction, dt * sqrt(dd));
    e->cone = pl_larger(e->cone, dt * PL_MAX(sqrt(o1 * o1 + o2 * o2), -s[0] * f[0]));
    e->fischer_normal = pl_larger(e->fischer_normal, pl_fischer(dt * s[0] * f[0], dt * w[0]));
    return 0.5 * (dn * dn / s[0] + dd / s[1]);
}

// The same for a constraint that is not a plain cone; s (2) may be 0.
static double update_limited(double dt, const pl_limits *limits, double mu, const double *s,
                             const double *u, const double *f, pl_contact_errors *e)
{
    bool answers = s[0] > 0 && s[1] > 0;
    double w[3];
    if (limits->law == PL_LAW_BOX) {
        const double *E = limits->compliance;
        return answers ? pl_box_errors(dt, limits->lo, limits->hi, E, s[0], u, f, e) : 0;
    }
    pl_law_velocity(limits, u, f, w);
    e->penetration = pl_larger(e->penetration, -dt * w[0]);
    if (!answers) return 0;
    return pl_law_is_pyramid(limits) ? update_pyramid(dt, limits, mu, s, w, f, e)
                                     : pl_cone_errors(dt, mu, s, w, f, e);
}

// Of the constraints first .. last - 1; the energy is their sum.
static pl_contact_errors update_part(const pl_problem *problem, const double *scale,
                                     const double *u, const double *f, int64_t first, int64_t last)
{
    pl_contact_errors e = {0};
    for (int64_t k = first; k < last; k++) {
        const double *s = scale + 2 * k;
        const pl_constraint *constraint = problem->constraint + k;
        if (constraint->limits >= 0) {
            e.energy += update_limited(problem->dt, pl_limits_of(problem, constraint),
                                       constraint->mu, s, u + 3 * k, f + 3 * k, &e);
            continue;
        }
        e.penetration = pl_larger(e.penetration, -problem->dt * u[3 * k]);
        if (!(s[0] > 0 && s[1] > 0)) continue;
        e.energy += pl_cone_errors(problem->dt, constraint->mu, s, u + 3 * k, f + 3 * k, &e);
    }
    return e;
}

typedef struct update_loop {
    const pl_problem *problem;
    const double *scale, *u, *f;
    int64_t size; // of a part [contacts]
    pl_contact_errors *part;
} update_loop;

static void update_parts(void *context, int64_t first, int64_t last)
{
    const update_loop *l = context;
    for (int64_t p = first; p < last; p++) {
        int64_t from = p * l->size, to = PL_MIN(from + l->size, l->problem->n_constraint);
        l->part[p] = update_part(l->problem, l->scale, l->u, l->f, from, to);
    }
}

void pl_contact_errors_update(const pl_problem *problem, const double *scale, const double *u,
                              const double *f, pl_contact_errors *errors)
{
    int64_t n = problem->n_constraint, size = pl_part_size(n, PART_CONTACTS);
    int64_t n_part = (n + size - 1) / size;
    pl_contact_errors part[PL_MAX_PARTS], sum = {.residual = errors->residual};
    pl_loop(n_part, PL_MAX(1, CHUNK_CONTACTS / size), update_parts,
            &(update_loop){problem, scale, u, f, size, part});
    for (int64_t p = 0; p < n_part; p++) {
        sum.penetration = pl_larger(sum.penetration, part[p].penetration);
        sum.normal = pl_larger(sum.normal, part[p].normal);
        sum.friction = pl_larger(sum.friction, part[p].friction);
        sum.cone = pl_larger(sum.cone, part[p].cone);
        sum.fischer_normal = pl_larger(sum.fischer_normal, part[p].fischer_normal);
        sum.fischer_stick = pl_larger(sum.fischer_stick, part[p].fischer_stick);
        sum.fischer_slip = pl_larger(sum.fischer_slip, part[p].fischer_slip);
        sum.joint = pl_larger(sum.joint, part[p].joint);
        sum.energy += part[p].energy;
    }
    double tangential = pl_larger(sum.fischer_stick, sum.fischer_slip);
    sum.fischer = pl_larger(sum.fischer_normal, tangential);
    if (n > 0) sum.energy /= (double)n;
    *errors = sum;
}

double pl_contact_errors_worst(const pl_contact_errors *e)
{
    double other = pl_larger(pl_larger(e->friction, e->cone), pl_larger(e->fischer, e->joint));
    return pl_larger(pl_larger(e->penetration, e->normal), other);
}

bool pl_contact_errors_within(const pl_contact_errors *errors, double contact_tolerance)
{
    return pl_contact_errors_worst(errors) <= contact_tolerance;
}

typedef struct subtraction {
    const pl_problem *problem;
    const double *Av;
    double *r;
} subtraction;

static void subtract_rows(void *context, int64_t first, int64_t last)
{
    const subtraction *s = context;
    const double *b = s->problem->b, *Av = s->Av;
    for (int64_t i = first; i < last; i++) {
        bool prescribed = pl_is_prescribed(s->problem, i);
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) s->r[k] = prescribed ? 0 : b[k] - Av[k];
    }
}

void pl_contact_residual_from(const pl_problem *problem, const pl_uses *uses, const double *Av,
                              const double *f, double *world, double *r)
{
    pl_loop(problem->A->n, CHUNK_ROWS, subtract_rows, &(subtraction){problem, Av, r});
    pl_rows_transpose_add(problem, uses, 1, f, world, r);
}

void pl_contact_residual(const pl_problem *problem, const pl_uses *uses, const double *v,
                         const double *f, double *world, double *r)
{
    pl_bsr_multiply(problem->A, v, r);
    pl_contact_residual_from(problem, uses, r, f, world, r);
}
