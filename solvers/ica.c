// Iterative Constraint Anticipation [Otaduy et al. 2009] as [VJ19, 6.2.2] has it.
//
// Velocities are relaxed by Gauss-Seidel on A v = b + L^T f, block row by block row. Before each
// such sweep the impulses are made anew, for the velocities that a step of Jacobi would lead to,
//     v' = v + D^-1 (b + L^T f - A v),    u = L v' - c = L (v + D^-1 (b - A v)) - c + S f,
// with D the diagonal blocks of A and S = L D^-1 L^T: f is such that u obeys the laws of contact,
// by plain projected Gauss-Seidel (sweeps.h) with exact friction, warm from the last one. Where v
// no longer moves, A v = b + L^T f, v' = v, and all is solved.
//
// An iteration costs one product, whose residual also says how good the last iteration was, and the
// sweep, which is as much as another. Nothing is accelerated, so that errors fall by a factor that
// depends on A's condition. And since f is for v' and not for the v that the sweep makes, they may
// even grow, where blocks are strongly coupled and contacts hold most of what could move (by up to
// 1.3 per iteration in random systems of a few unknowns).
//
// Where we leave the text, and why:
// - There is no unconstrained velocity to begin with and no collision detection for it [VJ19, 7
//   advises so]: all solvers start from the same guess, on the same contacts.
// - Friction has the exact cone instead of 8 facets or a box, as in apg.
// - The sweep over A runs on one thread: its order is what makes the result.

#include "solver.h"
#include "sweeps.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 200 }; // over the contacts, per iteration

// They end early when they move no contact by more than this part of contact_tolerance.
static const double SWEEP_SHARE = 0.01;

// It has diverged where the residual is this many times as large as all that it began with.
static const double DIVERGED = 1e6;

typedef struct ica {
    const pl_problem *problem;
    pl_workspace *ws;
    int64_t n;     // 3*A.n
    double *v, *f; // (n), (3*n_constraint)
    double *r;     // (n) b - A v, 0 in prescribed rows
    double *push;  // (n) L^T f
    double *next;  // (n) v + D^-1 (b - A v)
    pl_sweeps sweeps;
} ica;

static pl_status create(const pl_problem *problem, pl_workspace *ws, const double *v,
                        const double *f, ica *a)
{
    int64_t n = 3 * (int64_t)problem->A->n, m = 3 * (int64_t)problem->n_constraint;
    *a = (ica){.problem = problem, .ws = ws, .n = n};
    double **vector[] = {&a->v, &a->r, &a->push, &a->next};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        *vector[i] = pl_arena_take(&ws->arena, n, sizeof(double));
        if (*vector[i] == NULL) return PL_ERROR_MEMORY;
    }
    a->f = pl_arena_take(&ws->arena, m, sizeof(double));
    if (a->f == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_sweeps_create(problem, &ws->D, &ws->uses, ws->scale, &ws->arena, &a->sweeps));
    a->sweeps.plain = true;
    memcpy(a->v, v, (size_t)n * sizeof *v);
    memset(a->push, 0, (size_t)n * sizeof *a->push);
    for (int64_t i = 0; i < m; i++) a->f[i] = ws->scale[2 * (i / 3)] > 0 ? f[i] : 0;
    pl_sweeps_set(&a->sweeps, a->f);
    return PL_OK;
}

// push := L^T f, which stays 0 in the blocks without contacts.
static void find_push(ica *a)
{
    const pl_uses *uses = &a->ws->uses;
    for (int32_t i = 0; i < uses->n; i++) {
        double *push = a->push + 3 * (int64_t)uses->block[i];
        memcpy(push, a->sweeps.push + 3 * (int64_t)i, 3 * sizeof *push);
    }
}

// r := b - A v. Returns |r + L^T f|; *pushes becomes |L^T f|.
static double find_residual(ica *a, double *pushes)
{
    const pl_problem *problem = a->problem;
    double *sum = a->next;
    pl_bsr_multiply(problem->A, a->v, a->r);
    for (int64_t i = 0; i < a->n; i++) {
        a->r[i] = pl_is_prescribed(problem, i / 3) ? 0 : problem->b[i] - a->r[i];
        sum[i] = a->r[i] + a->push[i];
    }
    *pushes = sqrt(pl_vec_dot(a->n, a->push, a->push));
    return sqrt(pl_vec_dot(a->n, sum, sum));
}

static bool contacts_are_well(ica *a, double contact_tolerance)
{
    pl_contact_errors errors = {0};
    pl_rows_multiply(a->problem, NULL, true, a->v, a->ws->u);
    pl_contact_errors_update(a->problem, a->ws->scale, a->ws->u, a->f, &errors);
    return pl_contact_errors_within(&errors, contact_tolerance);
}

// The impulses for the velocities that a step of Jacobi would lead to.
static void anticipate(ica *a, double enough)
{
    pl_block_jacobi_apply(&a->ws->D, a->r, a->next);
    pl_vec_add(a->n, 1, a->v, a->next);
    pl_rows_multiply(a->problem, NULL, true, a->next, a->ws->u);
    pl_sweeps_run(&a->sweeps, MAX_SWEEPS, enough, a->ws->u, a->f);
    find_push(a);
}

// A sweep of Gauss-Seidel on A v = b + L^T f; D^-1 is 0 in the prescribed blocks, which stay.
static void relax(ica *a)
{
    const pl_bsr *A = a->problem->A;
    for (int64_t i = 0; i < A->n; i++) {
        double r[3];
        for (int c = 0; c < 3; c++) r[c] = a->problem->b[3 * i + c] + a->push[3 * i + c];
        for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
            const double *m = A->val + 9 * k, *v = a->v + 3 * (int64_t)A->col[k];
            for (int c = 0; c < 3; c++) r[c] -= (m[c] * v[0] + m[3 + c] * v[1]) + m[6 + c] * v[2];
        }
        const double *d = a->ws->D.inv + 6 * i;
        double *v = a->v + 3 * i;
        v[0] += (d[0] * r[0] + d[1] * r[1]) + d[2] * r[2];
        v[1] += (d[1] * r[0] + d[3] * r[1]) + d[4] * r[2];
        v[2] += (d[2] * r[0] + d[4] * r[1]) + d[5] * r[2];
    }
}

static pl_solve_end iterate(ica *a, const pl_solver_options *options, pl_solve_stats *stats)
{
    double pushes, start = 0;
    find_push(a);
    for (;; stats->iterations++) {
        double r = find_residual(a, &pushes);
        stats->products++;
        if (!isfinite(r)) return PL_SOLVE_BREAKDOWN;
        double relative = pl_relative_residual(a->ws, pushes, r);
        if (relative <= options->residual_tolerance &&
            contacts_are_well(a, options->contact_tolerance)) {
            return PL_SOLVE_CONVERGED;
        }
        if (stats->iterations == 0) start = PL_MAX(r, PL_MAX(a->ws->b_norm, pushes));
        if (r > DIVERGED * start) return PL_SOLVE_STALLED;
        if (stats->iterations == options->max_iterations) return PL_SOLVE_LIMIT;
        if (pl_solve_is_late(a->ws, options)) return PL_SOLVE_TIME;
        anticipate(a, SWEEP_SHARE * options->contact_tolerance / a->problem->dt);
        relax(a);
        stats->products++;
    }
}

// Where it diverges, v and f stay as they were.
pl_status pl_ica_solve(const pl_problem *problem, const pl_solver_options *options,
                       pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    ica a;
    PL_TRY(create(problem, ws, v, f, &a));
    stats->end = iterate(&a, options, stats);
    if (stats->end == PL_SOLVE_BREAKDOWN || stats->end == PL_SOLVE_STALLED) return PL_OK;
    memcpy(v, a.v, (size_t)a.n * sizeof *v);
    memcpy(f, a.f, 3 * (size_t)problem->n_constraint * sizeof *f);
    return PL_OK;
}
