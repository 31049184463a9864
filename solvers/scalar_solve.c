// A solver of ../lcp on the rows of a contact problem.

#include "../lcp/params.h"
#include "scalar_form.h"
#include "solver.h"

#include <string.h>

// The tolerance of the rows is this part of that of the contacts, and less by as much again where
// that turns out not to be enough: rows are measured by their own answer, contacts also by that of
// their neighbours.
static const double PART = 0.1;
enum { TRIES = 4 };

pl_solve_end pl_scalar_end(pl_lcp_end end)
{
    static const pl_solve_end ends[PL_LCP_N_END] = {
        [PL_LCP_SOLVED] = PL_SOLVE_STALLED, // until the contacts say so
        [PL_LCP_LIMIT] = PL_SOLVE_LIMIT,         [PL_LCP_TIME] = PL_SOLVE_TIME,
        [PL_LCP_STALLED] = PL_SOLVE_STALLED,     [PL_LCP_CYCLING] = PL_SOLVE_STALLED,
        [PL_LCP_RAY] = PL_SOLVE_STALLED,         [PL_LCP_UNBOUNDED] = PL_SOLVE_STALLED,
        [PL_LCP_BREAKDOWN] = PL_SOLVE_BREAKDOWN, [PL_LCP_SIZE] = PL_SOLVE_SIZE,
    };
    return ends[end];
}

// One solve of the rows; v and f are then those of x.
static pl_status solve_rows(const pl_scalar_form *form, const pl_lcp_options *lcp_options,
                            const pl_problem *problem, const pl_solver_options *options,
                            pl_workspace *ws, double *x, double *v, double *f,
                            pl_solve_stats *stats)
{
    pl_lcp_stats lcp;
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    pl_status status = pl_lcp_solve(ws->solver->lcp, &form->lcp, lcp_options, &ws->arena, x, &lcp);
    pl_arena_back(&ws->arena, mark);
    if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
    stats->iterations += lcp.iterations;
    stats->state_changes += lcp.pivots;
    stats->factorizations += lcp.factorizations;
    stats->end = pl_scalar_end(lcp.end);
    pl_scalar_form_give(form, x, f);
    pl_reduced_velocities(ws->reduced, f, v);
    if (pl_is_solved(problem, options, ws, v, f, stats)) stats->end = PL_SOLVE_CONVERGED;
    return PL_OK;
}

pl_status pl_scalar_solve(const pl_problem *problem, const pl_solver_options *options,
                          pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    bool following = (ws->solver->lcp->needs & PL_LCP_KNOWS_FOLLOWING) != 0;
    pl_scalar_form form;
    pl_lcp_options lcp = pl_lcp_options_default();
    PL_TRY(pl_lcp_params_apply(options->parameters, ws->solver->name, &lcp));
    lcp.tolerance = PART * options->contact_tolerance / problem->dt;
    PL_TRY(pl_scalar_form_create(ws->reduced, following ? PL_SCALAR_FOLLOWING : PL_SCALAR_CORNERS,
                                 &ws->arena, &form));
    double *x = pl_arena_take(&ws->arena, form.lcp.n, sizeof *x);
    if (x == NULL) return PL_ERROR_MEMORY;
    pl_scalar_form_take(&form, f, x);
    for (int i = 0; i < TRIES; i++, lcp.tolerance *= PART) {
        lcp.max_iterations = options->max_iterations - stats->iterations;
        lcp.inner_tolerance = PL_MIN(lcp.inner_tolerance, PART * lcp.tolerance);
        lcp.pivot_tolerance = PL_MIN(lcp.pivot_tolerance, PART * lcp.tolerance);
        if (options->max_seconds > 0) {
            lcp.max_seconds = options->max_seconds - (pl_seconds() - ws->started);
            if (lcp.max_seconds <= 0) stats->end = PL_SOLVE_TIME;
            if (lcp.max_seconds <= 0) return PL_OK;
        }
        PL_TRY(solve_rows(&form, &lcp, problem, options, ws, x, v, f, stats));
        if (stats->end != PL_SOLVE_STALLED) return PL_OK;
    }
    return PL_OK;
}
