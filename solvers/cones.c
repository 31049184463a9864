#include "cones.h"
#include "coulomb.h"

#include <math.h>
#include <string.h>

void pl_cones_push(const pl_problem *problem, const double *K, const double *f, const double *u,
                   double *F)
{
    for (int64_t k = 0; k < problem->n_constraint; k++) {
        const double *kk = K + 2 * k, *g = f + 3 * k, *w = u + 3 * k;
        const double z[3] = {g[0] - kk[0] * w[0], g[1] - kk[1] * w[1], g[2] - kk[1] * w[2]};
        pl_coulomb_project(problem->constraint[k].mu, z, F + 3 * k);
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

double pl_cone_line_at(const pl_cone_line *line, double t)
{
    int64_t m = 3 * (int64_t)line->problem->n_constraint;
    double sum = 0;
    for (int64_t i = 0; i < m; i++) line->at[i] = line->u[i] + t * line->Le[i];
    pl_cones_push(line->problem, line->K, line->f, line->at, line->Fe);
    for (int64_t i = 0; i < m; i++) sum += line->Le[i] * (line->Fe[i] - line->F[i]);
    return line->er - t * line->eAe + sum;
}

// Regula falsi, halved where one end stays [Illinois].
double pl_cone_line_turn(const pl_cone_line *line, double end, double share, int steps)
{
    double low = 0, high = 1, at_low = line->er, at_high = end, t = 0;
    for (int i = 0; i < steps; i++) {
        t = (low * at_high - high * at_low) / (at_high - at_low);
        double at = pl_cone_line_at(line, t);
        if (fabs(at) <= share * line->er) break;
        if (at > 0) {
            low = t, at_low = at, at_high *= 0.5;
        } else {
            high = t, at_high = at, at_low *= 0.5;
        }
    }
    return t;
}
