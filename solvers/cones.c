#include "cones.h"

#include <math.h>

void pl_cones_push(const pl_problem *problem, const double *K, const double *f, const double *u,
                   double *F)
{
    for (int64_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        pl_law_push(pl_limits_of(problem, constraint), constraint->mu, K + 3 * k, f + 3 * k,
                    u + 3 * k, F + 3 * k);
    }
}

double pl_cone_line_at(const pl_cone_line *line, double t)
{
    int64_t m = 3 * (int64_t)line->problem->n_constraint;
    double sum = 0;
    for (int64_t i = 0; i < m; i++) line->at[i] = line->u[i] + t * line->Le[i];
    pl_cones_push(line->problem, line->K, line->f, line->at, line->Fe);
    for (int64_t i = 0; i < m; i++) {
        bool linear = line->linear != NULL && line->linear[i] > 0;
        double change = linear ? -t * line->linear[i] * line->Le[i] : line->Fe[i] - line->F[i];
        sum += line->Le[i] * change;
    }
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
