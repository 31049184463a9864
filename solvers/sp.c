// Staggered projections [Kaufman et al. 2008] as [VJ19, 6.2.3] has them, in the full form.
//
// The impulses of contact are projected in turns. With friction given, those along the normals are
// the solution of a quadratic program, and so is friction with those given:
//     E(v) least with u_n >= 0, where A v = b + L_t^T f_t + L_n^T f_n,
//     E(v) + c . f_t least with |f_t| <= mu f_n, where v is what f_t makes of it.
// Both are solved in full by cr's machinery: the same states, with the rows of the other kind left
// out and their impulses held. Where both agree, v and f obey Coulomb's law. That they come to
// agree is not certain: the turns may cycle or diverge, most of all under large friction, and the
// solve then ends as stalled.
//
// sp-as lets contacts switch only when the linear problem is solved, which makes an active-set
// method of it [VJ19, 3.5]; sp-minres is the same with MINRES for the linear problems [VJ19, 7];
// sp-cr lets them switch on the way, as cr does ("SP (2xCR Diag)").
//
// Where we leave the text, and why:
// - Its programs are in impulses, W = L A^-1 L^T, and need the unconstrained velocity first. The
//   same programs in v and f need neither.
// - Friction stays in the cone, which the paper replaces by a pyramid of 4 facets (bounds of f_t1
//   and f_t2): a slip that is not along an axis would leave errors far above contact_tolerance, and
//   methods are to be compared at the same ones. cr's tangents turn with the slip, so that the
//   facet that counts is the right one.
// - It ends where the errors of contact_error.h do, not where the change of friction becomes small.

#include "cr.h"

#include <math.h>

enum {
    // Turns without a better one among them, after which there is no use in more.
    HOPELESS_TURNS = 60,
};

// How far y is from a solution: the largest of its errors over their tolerances.
static double find_error(pl_cr *cr)
{
    pl_contact_errors e = {0};
    pl_rows_multiply(&cr->problem, NULL, true, cr->y.v, cr->u);
    pl_contact_errors_update(&cr->problem, cr->ws->scale, cr->u, cr->y.f, &e);
    double error = PL_MAX(PL_MAX(e.penetration, e.normal), PL_MAX(e.friction, e.cone));
    return PL_MAX(error, e.fischer) / cr->options->contact_tolerance;
}

// One of the programs, from y as it is.
static pl_solve_end project(pl_cr *cr, uint8_t rows)
{
    cr->mask = rows;
    pl_cr_states_start(cr);
    return pl_cr_iterate(cr);
}

// Turns until both programs agree. Each ends with the residual of the velocities as it should be;
// v and f become the best of them.
static pl_solve_end iterate(pl_cr *cr, const pl_constraint *contact, double *v, double *f)
{
    double best = INFINITY;
    for (int32_t turn = 0, hopeless = 0; hopeless < HOPELESS_TURNS; turn++, hopeless++) {
        pl_solve_end end = project(cr, turn % 2 == 0 ? PL_ROW_NORMAL : PL_ROWS_TANGENT);
        if (end != PL_SOLVE_CONVERGED) return end;
        double error = find_error(cr);
        if (!(error < best)) continue;
        pl_cr_unload(cr, contact, v, f);
        if (error <= 1) return PL_SOLVE_CONVERGED;
        best = error;
        hopeless = -1;
    }
    return PL_SOLVE_STALLED;
}

static pl_status solve(const pl_problem *problem, const pl_solver_options *options,
                       pl_workspace *ws, pl_cr_method method, bool patient, double *v, double *f,
                       pl_solve_stats *stats)
{
    // [VJ19, 6.2.3]: Full was tried here, and failed.
    pl_solver_options own = *options;
    own.precond = PL_PRECOND_DIAG;
    own.vj19 = false;
    pl_cr cr;
    PL_TRY(pl_cr_create(problem, &own, ws, stats, method, &cr));
    cr.patient = patient;
    pl_cr_load(&cr, v, f);
    stats->end = iterate(&cr, problem->constraint, v, f);
    return PL_OK;
}

pl_status pl_sp_cr_solve(const pl_problem *problem, const pl_solver_options *options,
                         pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    return solve(problem, options, ws, PL_CR_RESIDUALS, false, v, f, stats);
}

pl_status pl_sp_as_solve(const pl_problem *problem, const pl_solver_options *options,
                         pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    return solve(problem, options, ws, PL_CR_RESIDUALS, true, v, f, stats);
}

pl_status pl_sp_minres_solve(const pl_problem *problem, const pl_solver_options *options,
                             pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    return solve(problem, options, ws, PL_CR_LANCZOS, true, v, f, stats);
}
