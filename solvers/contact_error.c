#include "contact_error.h"

#include <math.h>

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

void pl_contact_errors_update(const pl_problem *problem, const double *scale, const double *u,
                              const double *f, pl_contact_errors *errors)
{
    *errors = (pl_contact_errors){.residual = errors->residual};
    for (int64_t k = 0; k < problem->n_contact; k++) {
        const double *s = scale + 2 * k;
        errors->penetration = larger(errors->penetration, -problem->dt * u[3 * k]);
        if (!(s[0] > 0 && s[1] > 0)) continue;
        errors->energy +=
            update(problem->dt, problem->contact[k].mu, s, u + 3 * k, f + 3 * k, errors);
    }
    double tangential = larger(errors->fischer_stick, errors->fischer_slip);
    errors->fischer = larger(errors->fischer_normal, tangential);
    if (problem->n_contact > 0) errors->energy /= problem->n_contact;
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

void pl_contact_residual(const pl_problem *problem, const pl_uses *uses, const double *v,
                         const double *f, double *world, double *r)
{
    pl_bsr_multiply(problem->A, v, r);
    for (int64_t i = 0; i < problem->A->n; i++) {
        bool known = pl_is_known(problem, i);
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) r[k] = known ? 0 : problem->b[k] - r[k];
    }
    pl_rows_transpose_add(problem, uses, 1, f, world, r);
}
