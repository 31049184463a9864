// The solver `newton`, piece by piece: for `auto`, and for what it starts with. Internal.

#ifndef PL_NEWTON_H
#define PL_NEWTON_H

#include "cones.h"
#include "contact_matrix.h"
#include "solver.h"

typedef struct pl_newton {
    const pl_problem *problem;
    const pl_solver_options *options;
    pl_workspace *ws;
    int64_t n, m;            // 3*A.n, 3*n_constraint
    double *v, *f;           // (n), (m) as they are, f those that F starts from; not owned
    double *best_v, *best_f; // of all so far
    double best;             // their error: 1 is solved
    double least;            // error since it last began
    double *W; // (m) about how a row answers its impulse [1/kg], the same for both tangents of a
               // cone; 0 where it does not
    pl_contact_matrix H;
    double *u, *F; // (m) at v: relative velocities, impulses
    double *r;     // (n) at v and F: b + L^T F - A v
    // Of newton.c
    double *K;            // (m) 1 / (d W)
    double *lambda;       // (m) impulses of the rows that are carried; NULL: there are none
    double *stiff;        // (m) their J; 0 in other rows
    double *lack;         // (m) l of newton.c in these rows, 0 in others
    double *rhs;          // (n) r - L^T J l; r itself if there are none
    double *e, *Ae, *Le;  // (n), (n), (m) the step, A and L times it
    double *Fe;           // (m) F at its end
    double *x;            // (n) scratch
    pl_slope *J;          // (n_constraint)
    pl_sym3 *D;           // (n_constraint) of the factor
    bool factored;        // there is one
    double *basis;        // of GMRES, n_constraint numbers each
    int64_t most_factors; // stats->factorizations at which it gives up
    int64_t n_judged, improved_at; // errors that were judged, and the last that was less
} pl_newton;

// Finds the pattern, and nothing more.
pl_status pl_newton_create(const pl_problem *problem, const pl_solver_options *options,
                           pl_workspace *ws, double *v, double *f, pl_newton *out);

// All that it works with.
pl_status pl_newton_take(pl_newton *s);

// Improves v and f. PL_SOLVE_STALLED if it gives up.
pl_solve_end pl_newton_run(pl_newton *s, pl_solve_stats *stats);

// Interior points, at most so many iterations: a start for cold problems. Leaves the best in v and
// f. PL_SOLVE_STALLED if they do not solve it.
pl_solve_end pl_newton_ipm(pl_newton *s, int32_t n, pl_solve_stats *stats);

// --- What both share ---

// u, r and the error of v and f; keeps them if they are the best so far.
double pl_newton_judge(pl_newton *s, const double *f, pl_solve_stats *stats);

// K of all rows for d, and `stiff` of those that are carried.
void pl_newton_set_stiffness(pl_newton *s, double d);

// lack := l of the rows that are carried, at u, and F := their impulses. rhs follows from r and
// lack.
void pl_newton_look_at_carried(pl_newton *s);
void pl_newton_set_rhs(pl_newton *s);

// The impulses of these rows go with the step, whose L e is in Le, by a part t of it.
void pl_newton_carry(pl_newton *s, double t);

// PL_SOLVE_CONVERGED: it may go on.
pl_solve_end pl_newton_limits(const pl_newton *s, const pl_solve_stats *stats);

#endif
