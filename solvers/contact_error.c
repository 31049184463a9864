#include "contact_error.h"
#include "kernel.h"

#include <math.h>

enum {
    PART_CONTACTS = 256, // at least, per part of a sum: see kernel.h
    SERIAL_CONTACTS = 512,
    SERIAL_ROWS = 2048,
};

static inline double larger(double a, double b) // NaN wins
{
    return b > a || isnan(b) ? b : a;
}

static double fischer(double x, double y)
{
    return fabs(x + y - sqrt(x * x + y * y));
}

// The errors of one contact; returns its energy. s (2) is not 0.
static double update(double dt, double mu, const double *s, const double *u, const double *f,
                     pl_contact_errors *e)
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]), ft = sqrt(f[1] * f[1] + f[2] * f[2]);
    double limit = mu * PL_MAX(f[0], 0);
    double x = f[1] - u[1] / s[1], y = f[2] - u[2] / s[1], length = sqrt(x * x + y * y);
    double shorten = length > limit ? limit / length : 1;
    double d1 = s[1] * (f[1] - shorten * x), d2 = s[1] * (f[2] - shorten * y);
    double dn = fabs(PL_MIN(u[0], s[0] * f[0])), dd = d1 * d1 + d2 * d2;
    e->normal = larger(e->normal, dt * dn);
    e->friction = larger(e->friction, dt * sqrt(dd));
    e->cone = larger(e->cone, dt * PL_MAX(s[1] * (ft - mu * f[0]), -s[0] * f[0]));
    double slack = dt * s[1] * (limit - ft);
    double *tangential = slack < dt * slip ? &e->fischer_slip : &e->fischer_stick;
    *tangential = larger(*tangential, fischer(slack, dt * slip));
    e->fischer_normal = larger(e->fischer_normal, fischer(dt * s[0] * f[0], dt * u[0]));
    return 0.5 * (dn * dn / s[0] + dd / s[1]);
}

// Of the contacts first .. last - 1; the energy is their sum.
static pl_contact_errors update_part(const pl_problem *problem, const double *scale,
                                     const double *u, const double *f, int64_t first, int64_t last)
{
    pl_contact_errors e = {0};
    for (int64_t k = first; k < last; k++) {
        const double *s = scale + 2 * k;
        e.penetration = larger(e.penetration, -problem->dt * u[3 * k]);
        if (!(s[0] > 0 && s[1] > 0)) continue;
        e.energy += update(problem->dt, problem->contact[k].mu, s, u + 3 * k, f + 3 * k, &e);
    }
    return e;
}

void pl_contact_errors_update(const pl_problem *problem, const double *scale, const double *u,
                              const double *f, pl_contact_errors *errors)
{
    int64_t n = problem->n_contact, size = pl_part_size(n, PART_CONTACTS);
    int64_t n_part = (n + size - 1) / size;
    pl_contact_errors part[PL_MAX_PARTS], sum = {.residual = errors->residual};
#pragma omp parallel for schedule(static) if (n >= SERIAL_CONTACTS)
    for (int64_t p = 0; p < n_part; p++) {
        part[p] = update_part(problem, scale, u, f, p * size, PL_MIN((p + 1) * size, n));
    }
    for (int64_t p = 0; p < n_part; p++) {
        sum.penetration = larger(sum.penetration, part[p].penetration);
        sum.normal = larger(sum.normal, part[p].normal);
        sum.friction = larger(sum.friction, part[p].friction);
        sum.cone = larger(sum.cone, part[p].cone);
        sum.fischer_normal = larger(sum.fischer_normal, part[p].fischer_normal);
        sum.fischer_stick = larger(sum.fischer_stick, part[p].fischer_stick);
        sum.fischer_slip = larger(sum.fischer_slip, part[p].fischer_slip);
        sum.energy += part[p].energy;
    }
    double tangential = larger(sum.fischer_stick, sum.fischer_slip);
    sum.fischer = larger(sum.fischer_normal, tangential);
    if (n > 0) sum.energy /= (double)n;
    *errors = sum;
}

double pl_contact_errors_worst(const pl_contact_errors *e)
{
    double other = larger(larger(e->friction, e->cone), e->fischer);
    return larger(larger(e->penetration, e->normal), other);
}

bool pl_contact_errors_within(const pl_contact_errors *errors, double eps2)
{
    return pl_contact_errors_worst(errors) <= eps2;
}

void pl_contact_residual_from(const pl_problem *problem, const pl_uses *uses, const double *Av,
                              const double *f, double *world, double *r)
{
#pragma omp parallel for schedule(static) if (problem->A->n >= SERIAL_ROWS)
    for (int64_t i = 0; i < problem->A->n; i++) {
        bool known = pl_is_known(problem, i);
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) r[k] = known ? 0 : problem->b[k] - Av[k];
    }
    pl_rows_transpose_add(problem, uses, 1, f, world, r);
}

void pl_contact_residual(const pl_problem *problem, const pl_uses *uses, const double *v,
                         const double *f, double *world, double *r)
{
    pl_bsr_multiply(problem->A, v, r);
    pl_contact_residual_from(problem, uses, r, f, world, r);
}
