// Alternating directions on cones and boxes, with a penalty that adapts [Boyd et al.
// 2011], for the convex relaxation of Coulomb's law.
//
// With s = mu |w_t| held in each cone, z = (w_n + s, w_t) is in the dual cone, f in the cone and
// z . f = 0 [De Saxce & Feng 1998]: what is solved for is convex. An iteration is
//     v := (A + L^T K L)^-1 (b + L^T (f + K (z + c))),   y := a (L v - c) + (1 - a) z,
//     f := P(f - K (y + s n)),   z := y + (what f has changed by) / K
// with K = rho / W, W how a constraint answers, and P the nearest point of the cone or box. So K is
// the same in all directions of a cone. One factor serves until rho changes, which follows the
// ratio of the residuals [Stellato et al. 2020]. Around it, s follows the slip [Acary & Cadoux
// 2013]: as soon as the iterations are nearer to what s asks for than s is to the slip.

#include "newton.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

enum {
    PATIENCE = 5000,  // iterations without a lower error
    ADAPT_EVERY = 10, // iterations between looks at rho, at first; twice as many after each change
};

static const double RELAX = 1.6; // a
static const double CHANGE = 5;  // rho changes if it would by this factor or more
static const double LEAST_RHO = 1e-6, MOST_RHO = 1e6;
// K of rows without bounds, which have no faces to find, is so many times that of others.
static const double EQUATION = 1e3;
// s follows where the residuals are this part of what it is off by.
static const double SHARE = 1;

typedef struct admm {
    pl_newton newton; // A + L^T K L, and the errors
    double rho;
    double *K, *z, *f;        // (3*n_constraint)
    double *s;                // (n_constraint)
    double primal, dual, off; // [m/s]: |L v - c - z|, W |change of f|, |mu |w_t| - s|, the largest
    double size, force;       // of z, of W f [m/s]
} admm;

static pl_status take(const pl_problem *problem, const pl_solver_options *options, pl_workspace *ws,
                      double *v, double *f, admm *out)
{
    *out = (admm){.rho = 1};
    PL_TRY(pl_newton_create(problem, options, ws, v, f, &out->newton));
    PL_TRY(pl_newton_analyze(&out->newton));
    PL_TRY(pl_newton_take(&out->newton));
    double **of_m[] = {&out->K, &out->z, &out->f};
    for (int i = 0; i < 3; i++) {
        *of_m[i] = pl_arena_take(&ws->arena, out->newton.m, sizeof(double));
        if (*of_m[i] == NULL) return PL_ERROR_MEMORY;
    }
    out->s = pl_arena_take(&ws->arena, problem->n_constraint, sizeof *out->s);
    return out->s != NULL ? PL_OK : PL_ERROR_MEMORY;
}

// How a constraint answers, the same for all rows of a cone.
static double answer_of(const pl_newton *n, int64_t k, int a)
{
    const double *W = n->W + 3 * k;
    return pl_is_box(n->problem, k) ? W[a] : PL_MAX(W[0], PL_MAX(W[1], W[2]));
}

// K for rho, and the factor.
static bool factor(admm *s, pl_solve_stats *stats)
{
    const pl_newton *n = &s->newton;
    for (int64_t k = 0; k < n->problem->n_constraint; k++) {
        const pl_limits *limits = pl_limits_of(n->problem, n->problem->constraint + k);
        double *K = s->K + 3 * k;
        for (int a = 0; a < 3; a++) {
            double W = answer_of(n, k, a), by = pl_is_bilateral(limits, a) ? EQUATION : 1;
            bool used =
                limits == NULL || limits->law != PL_LAW_BOX || limits->lo[a] < limits->hi[a];
            K[a] = W > 0 && used ? by * s->rho / W : 0;
        }
        n->D[k] = (pl_sym3){.nn = K[0], .t11 = K[1], .t22 = K[2]};
    }
    stats->factorizations++;
    return pl_contact_matrix_set(&s->newton.H, n->D);
}

// g (3) := P(f - K (y + s n)). Compliance, which adds E f to y, is within P as far as it is the
// same in all directions; the rest of it is that of the last f.
static void project(const pl_limits *limits, double mu, const double *K, double s, const double *f,
                    const double *y, double *g)
{
    double shifted[3] = {y[0] + s, y[1], y[2]}, soft = 0;
    if (limits != NULL && limits->law == PL_LAW_BOX) {
        pl_law_push(limits, mu, K, f, y, g);
        for (int a = 0; a < 3; a++) g[a] = K[a] > 0 ? g[a] : 0;
        return;
    }
    for (int a = 0; a < 3 && limits != NULL; a++) soft = PL_MAX(soft, limits->compliance[a]);
    for (int a = 0; a < 3; a++) {
        if (limits != NULL) shifted[a] += (limits->compliance[a] - soft) * f[a];
        g[a] = (f[a] - K[a] * shifted[a]) / (1 + K[a] * soft);
    }
    double t = sqrt(g[1] * g[1] + g[2] * g[2]);
    if (!(K[0] > 0) || mu * t <= -g[0]) {
        g[0] = g[1] = g[2] = 0;
    } else if (t > mu * g[0]) {
        double n = (g[0] + mu * t) / (1 + mu * mu), by = mu * n / t;
        g[0] = n, g[1] *= by, g[2] *= by;
    }
}

// s := the slip at velocities u, compliance included; returns by how much that is more or less.
static double follow_slip(admm *s, const double *u, bool take_it)
{
    const pl_problem *problem = s->newton.problem;
    double most = 0;
    for (int64_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        double w[3];
        if (pl_is_box(problem, k) || !(s->K[3 * k] > 0)) continue;
        pl_law_velocity(pl_limits_of(problem, constraint), u + 3 * k, s->f + 3 * k, w);
        double slip = constraint->mu * sqrt(w[1] * w[1] + w[2] * w[2]);
        most = PL_MAX(most, fabs(slip - s->s[k]));
        if (take_it) s->s[k] = slip;
    }
    return most;
}

// f and z after v has been moved, u being the velocities L v - c.
static void push(admm *s, const double *u)
{
    const pl_newton *n = &s->newton;
    s->primal = s->dual = s->size = s->force = 0;
    for (int64_t k = 0; k < n->problem->n_constraint; k++) {
        const pl_constraint *constraint = n->problem->constraint + k;
        double y[3], g[3], *f = s->f + 3 * k, *z = s->z + 3 * k, *K = s->K + 3 * k;
        for (int a = 0; a < 3; a++) y[a] = RELAX * u[3 * k + a] + (1 - RELAX) * z[a];
        project(pl_limits_of(n->problem, constraint), constraint->mu, K, s->s[k], f, y, g);
        for (int a = 0; a < 3; a++) {
            double to = K[a] > 0 ? y[a] + (g[a] - f[a]) / K[a] : y[a];
            double W = K[a] > 0 ? s->rho / K[a] : 0;
            if (K[a] > 0) s->primal = PL_MAX(s->primal, fabs(u[3 * k + a] - to));
            s->dual = PL_MAX(s->dual, W * K[a] * fabs(to - z[a]));
            s->size = PL_MAX(s->size, PL_MAX(fabs(to), fabs(u[3 * k + a])));
            s->force = PL_MAX(s->force, W * fabs(g[a]));
            z[a] = to;
            f[a] = g[a];
        }
    }
}

// One iteration, from what pl_newton_judge has found at v and f.
static void iterate(admm *s)
{
    pl_newton *n = &s->newton;
    for (int64_t i = 0; i < n->m; i++) n->Fe[i] = s->K[i] * (s->z[i] - n->u[i]);
    pl_vec_copy(n->n, n->r, n->x);
    pl_rows_transpose_add(n->problem, &n->ws->uses, 1, n->Fe, n->ws->world, n->x);
    pl_contact_matrix_solve(&n->H, n->x, n->e);
    pl_vec_add(n->n, 1, n->e, n->v);
    pl_rows_multiply(n->problem, NULL, false, n->e, n->Le);
    for (int64_t i = 0; i < n->m; i++) n->Le[i] += n->u[i];
    push(s, n->Le);
    s->off = follow_slip(s, n->Le, false);
    if (PL_MAX(s->primal, s->dual) <= SHARE * s->off) follow_slip(s, n->Le, true);
}

// rho by the residuals; false if there is no factor.
static bool adapt(admm *s, bool *changed, pl_solve_stats *stats)
{
    double primal = s->primal / PL_MAX(s->size, 1e-300), dual = s->dual / PL_MAX(s->force, 1e-300);
    double to = s->rho * sqrt(primal / PL_MAX(dual, 1e-300));
    *changed = false;
    if (!isfinite(to)) return true;
    to = pl_clamp(to, LEAST_RHO, MOST_RHO);
    if (to < CHANGE * s->rho && to > s->rho / CHANGE) return true;
    s->rho = to;
    *changed = true;
    return factor(s, stats);
}

static pl_solve_end run(admm *s, pl_solve_stats *stats)
{
    pl_newton *n = &s->newton;
    int32_t every = ADAPT_EVERY, since = 0, vain = 0;
    if (!factor(s, stats)) return PL_SOLVE_BREAKDOWN;
    for (;; stats->iterations++) {
        double before = n->best, error = pl_newton_judge(n, s->f, stats);
        bool changed = false;
        if (error <= 1) return PL_SOLVE_CONVERGED;
        if (!isfinite(error) && stats->iterations > 0) return PL_SOLVE_BREAKDOWN;
        if (stats->iterations >= n->options->max_iterations) return PL_SOLVE_LIMIT;
        if (pl_solve_is_late(n->ws, n->options)) return PL_SOLVE_TIME;
        vain = n->best < before ? 0 : vain + 1;
        if (vain > PATIENCE) return PL_SOLVE_STALLED;
        if (stats->iterations == 0) {
            pl_vec_copy(n->m, n->u, s->z);
            follow_slip(s, n->u, true);
        } else if (++since >= every) {
            if (!adapt(s, &changed, stats)) return PL_SOLVE_BREAKDOWN;
            every = changed ? 2 * every : every;
            since = 0;
        }
        iterate(s);
    }
}

pl_status pl_admm_cone_solve(const pl_problem *problem, const pl_solver_options *options,
                             pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    admm s;
    PL_TRY(take(problem, options, ws, v, f, &s));
    for (int64_t i = 0; i < s.newton.m; i++) s.f[i] = s.newton.W[i - i % 3] > 0 ? f[i] : 0;
    memset(s.s, 0, (size_t)problem->n_constraint * sizeof *s.s);
    stats->end = run(&s, stats);
    if (!isfinite(s.newton.best)) return PL_OK;
    memcpy(v, s.newton.best_v, (size_t)s.newton.n * sizeof *v);
    memcpy(f, s.newton.best_f, (size_t)s.newton.m * sizeof *f);
    return PL_OK;
}
