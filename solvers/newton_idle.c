// Impulses of `newton` that push nothing.
//
// Rows of a loop that say the same, as those of two coaxial hinges of a door, leave open how they
// share what they bear: any z with L^T z = 0 may be added to their impulses lambda. Rounds add some
// of it wherever rows differ by rounding, or by what bodies turn in a step, and it stays: a step
// starts from the impulses of the last one. What is asked for here is the share without z. For
// rows without bounds or compliance, L^T lambda being p, and H = A' + L^T K L the factor at hand,
//     lambda' = K L H^-1 p = (W + 1 / K)^-1 W lambda,    W = L A'^-1 L^T,
// has nothing of z and all but a part 1 / (K W) of the rest, which repeating it on p - L^T lambda'
// brings back.

#include "newton.h"

#include <math.h>
#include <string.h>

enum { REPEATS = 4 };
// What is left of p may be this part of it.
static const double LEFT = 1e-13;
// Errors, in units of what is allowed, that are not worth keeping idle impulses for.
static const double HARMLESS = 1e-3;

static bool is_shared(const pl_newton *s, int64_t i)
{
    if (!(s->stiff[i] > 0)) return false;
    const pl_limits *limits = pl_limits_of(s->problem, s->problem->constraint + i / 3);
    return limits->compliance[i % 3] == 0;
}

// The factor of H, with rows that are carried alone if there is none.
static bool have_factor(pl_newton *s, pl_solve_stats *stats)
{
    if (s->factored) return true;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const double *stiff = s->stiff + 3 * k;
        s->D[k] = (pl_sym3){.nn = stiff[0], .t11 = stiff[1], .t22 = stiff[2]};
    }
    return s->factored = pl_newton_factor(s, stats);
}

// x := L^T of f in the rows that share. Returns the largest of it.
static double push_of(pl_newton *s, const double *f, double *x)
{
    double most = 0;
    for (int64_t i = 0; i < s->m; i++) s->ws->u[i] = is_shared(s, i) ? f[i] : 0;
    memset(x, 0, (size_t)s->n * sizeof *x);
    pl_rows_transpose_add(s->problem, &s->ws->uses, 1, s->ws->u, s->ws->world, x);
    for (int64_t i = 0; i < s->n; i++) most = PL_MAX(most, fabs(x[i]));
    return most;
}

void pl_newton_clear_idle(pl_newton *s, pl_solve_stats *stats)
{
    if (s->lambda == NULL || !(s->best <= 1) || !have_factor(s, stats)) return;
    double *lambda = s->Fe, *left = s->lambda;
    double first = push_of(s, s->f, s->x), most = first;
    memcpy(lambda, s->f, (size_t)s->m * sizeof *lambda);
    for (int64_t i = 0; i < s->m; i++) {
        if (is_shared(s, i)) lambda[i] = 0;
    }
    for (int k = 0; k < REPEATS && most > LEFT * first; k++) {
        pl_contact_matrix_solve(&s->H, s->x, s->e);
        stats->iterations++;
        pl_rows_multiply(s->problem, NULL, false, s->e, s->Le);
        for (int64_t i = 0; i < s->m; i++) {
            if (is_shared(s, i)) lambda[i] += s->stiff[i] * s->Le[i];
            left[i] = s->f[i] - lambda[i];
        }
        most = push_of(s, left, s->x);
    }
    double best = s->best;
    if (pl_newton_judge(s, lambda, stats) > PL_MAX(best, HARMLESS)) return;
    memcpy(s->f, lambda, (size_t)s->m * sizeof *lambda);
}
