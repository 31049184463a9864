#include "coulomb.h"

void pl_coulomb_prepare(const double *S, double mu, pl_coulomb *law)
{
    pl_coulomb_prepare_at(S, mu, law);
}

void pl_coulomb_solve(pl_coulomb *law, const double *q, double *f)
{
    pl_coulomb_solve_at(law, q, f);
}

double pl_coulomb_relax(pl_coulomb *law, const double *u, double *f)
{
    return pl_coulomb_relax_at(law, u, f);
}

void pl_coulomb_project(double mu, const double *x, double *p)
{
    pl_coulomb_project_at(mu, x, p);
}
