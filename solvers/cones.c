#include "cones.h"
#include "coulomb.h"

#include <math.h>
#include <string.h>

void pl_cones_push(const pl_problem *problem, const double *K, const double *f, const double *u,
                   double *F)
{
    for (int64_t k = 0; k < problem->n_contact; k++) {
        const double *kk = K + 2 * k, *g = f + 3 * k, *w = u + 3 * k;
        const double z[3] = {g[0] - kk[0] * w[0], g[1] - kk[1] * w[1], g[2] - kk[1] * w[2]};
        pl_coulomb_project(problem->contact[k].mu, z, F + 3 * k);
        if (kk[0] == 0) memset(F + 3 * k, 0, 3 * sizeof *F);
    }
}

pl_cone_slope pl_cone_slope_at(double mu, const double *K, const double *f, const double *u,
                               const double *F)
{
    pl_cone_slope J = {0};
    if (!(F[0] > 0)) return J;
    double p1 = f[1] - K[1] * u[1], p2 = f[2] - K[1] * u[2], length = sqrt(p1 * p1 + p2 * p2);
    J.nn = K[0];
    if (length <= mu * F[0]) {
        J.t11 = J.t22 = K[1];
        return J;
    }
    double d1 = p1 / length, d2 = p2 / length, across = mu * F[0] / length * K[1];
    J.t11 = across * d2 * d2;
    J.t12 = -across * d1 * d2;
    J.t22 = across * d1 * d1;
    J.n1 = mu * K[0] * d1;
    J.n2 = mu * K[0] * d2;
    return J;
}
