// Staggered projections of ../lcp for contacts with friction in diamonds [Lit13, Alg. 4.1, 4.2].

#include "../lcp/staggered.h"
#include "device.h"
#include "scalar_form.h"

// The programs are solved to this part of what contacts may lack, and to less by as much again
// where that turns out not to be enough.
static const double PART = 0.01;
enum { TRIES = 3 };

// What a solve works with.
typedef struct turns {
    pl_scalar_form form;
    pl_staggered staggered;
    double *mu; // (n_contact)
    double *x;  // (3*n_contact)
} turns;

static pl_status create(const pl_reduced *reduced, pl_arena *arena, turns *t)
{
    PL_TRY(pl_scalar_form_create(reduced, PL_SCALAR_DIAMONDS, arena, &t->form));
    const pl_lcp *lcp = &t->form.lcp;
    t->mu = pl_arena_take(arena, lcp->n / 3, sizeof *t->mu);
    t->x = pl_arena_take(arena, lcp->n, sizeof *t->x);
    if (t->mu == NULL || t->x == NULL) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < lcp->n / 3; k++) t->mu[k] = t->form.mu[3 * k + 1];
    t->staggered = (pl_staggered){.n_contact = lcp->n / 3,
                                  .col = lcp->col,
                                  .row = lcp->row,
                                  .val = lcp->val,
                                  .q = lcp->q,
                                  .mu = t->mu};
    return PL_OK;
}

// On the device of the workspace, if it has one, and without it from x once more where it fails.
static pl_status project(const turns *t, const pl_staggered_options *options, pl_workspace *ws,
                         pl_staggered_stats *stats)
{
    pl_device *device = ws->device;
    pl_staggered_options o = *options;
    bool has = device != NULL && device->saddles != NULL && !device->lost;
    if (has) o.engine = device->saddles(device);
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    pl_status status = pl_staggered_solve(&t->staggered, &o, &ws->arena, t->x, stats);
    pl_arena_back(&ws->arena, mark);
    if (o.engine == NULL || status == PL_OK || status == PL_ERROR_NUMERICS) return status;
    pl_device_failed(device, status);
    return pl_staggered_solve(&t->staggered, options, &ws->arena, t->x, stats);
}

static pl_status solve(bool schurpa, const pl_problem *problem, const pl_solver_options *options,
                       pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    turns t;
    pl_staggered_stats sp;
    pl_staggered_options o = pl_staggered_options_default();
    PL_TRY(create(ws->reduced, &ws->arena, &t));
    pl_scalar_form_take(&t.form, f, t.x);
    o.schurpa = schurpa;
    o.qp_tolerance = PART * options->contact_tolerance / problem->dt;
    for (int i = 0; i < TRIES; i++, o.qp_tolerance *= PART) {
        o.max_iterations = PL_MIN(o.max_iterations, options->max_iterations);
        if (options->max_seconds > 0) {
            o.max_seconds = options->max_seconds - (pl_seconds() - ws->started);
            stats->end = PL_SOLVE_TIME;
            if (o.max_seconds <= 0) return PL_OK;
        }
        pl_arena_mark mark = pl_arena_here(&ws->arena);
        pl_status status = project(&t, &o, ws, &sp);
        pl_arena_back(&ws->arena, mark);
        if (options->staggered != NULL && i == 0) *options->staggered = sp;
        if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
        stats->iterations += sp.iterations;
        stats->factorizations += sp.contact.sum.factorizations + sp.friction.sum.factorizations;
        stats->end = pl_scalar_end(sp.end);
        pl_scalar_form_give(&t.form, t.x, f);
        pl_reduced_velocities(ws->reduced, f, v);
        if (pl_is_solved(problem, options, ws, v, f, stats)) stats->end = PL_SOLVE_CONVERGED;
        if (sp.end != PL_LCP_SOLVED || stats->end == PL_SOLVE_CONVERGED) return PL_OK;
    }
    return PL_OK;
}

pl_status pl_sp_direct_solve(const pl_problem *problem, const pl_solver_options *options,
                             pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    return solve(false, problem, options, ws, v, f, stats);
}

pl_status pl_sp_schurpa_solve(const pl_problem *problem, const pl_solver_options *options,
                              pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    return solve(true, problem, options, ws, v, f, stats);
}
