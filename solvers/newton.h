// The solver `newton`, piece by piece: for `auto`, and for what it starts with. Internal.

#ifndef PL_NEWTON_H
#define PL_NEWTON_H

#include "cones.h"
#include "contact_matrix.h"
#include "solver.h"
#include "split.h"

typedef struct pl_newton {
    const pl_problem *problem;
    const pl_solver_options *options;
    pl_workspace *ws;
    int64_t n, m;            // 3*A.n, 3*n_constraint
    double *v, *f;           // (n), (m) as they are, f those that F starts from; not owned
    double *best_v, *best_f; // of all so far
    double best;             // their error: 1 is solved
    double least;            // error since it last began
    double loose;            // the error that is enough after loose_from factors; 0: none is
    int64_t loose_from;
    double *W; // (m) about how a row answers its impulse [1/kg], the same for both tangents of a
               // cone; 0 where it does not
    pl_contact_matrix H;
    double *u, *F;        // (m) at v: relative velocities, impulses
    double *push;         // (n) L^T F
    double *r;            // (n) at v and F: b + push - A v
    double residual;      // its error: 1 is what is allowed
    double *K;            // (m) 1 / (d W)
    double *lambda;       // (m) impulses of the rows that are carried; NULL: there are none
    double *stiff;        // (m) their J; 0 in other rows
    double *lack;         // (m) l of newton.c in these rows, 0 in others
    double *shift;        // (m) what they are not asked for, since they contradict each other [m/s]
    double *last_w;       // (m) w of them after the last round
    double d_carried;     // what K W of the rows that are carried is the inverse of
    bool indefinite;      // a factor failed
    bool hopeless;        // impulses grow without end: there is no solution, or none that it finds
    int32_t shifts;       // how often that was found; 0: `shift` is 0
    double *rhs;          // (n) r - L^T J l; r itself if there are none
    double *e, *Ae, *Le;  // (n), (n), (m) the step, A and L times it
    double *Fe;           // (m) F at its end
    double *x;            // (n) scratch
    double *v_round;      // (n) v where a round began
    const double *held;   // (n_constraint) mu |w_t| that interior points hold; NULL: that of u
    pl_slope *J;          // (n_constraint)
    pl_sym3 *D;           // (n_constraint) of the factor
    bool factored;        // there is one
    double *basis;        // of GMRES, n_constraint numbers each
    int64_t most_factors; // stats->factorizations at which it gives up
    int64_t n_judged, improved_at; // errors that were judged, and the last that was less
} pl_newton;

// What it takes to judge v and f.
pl_status pl_newton_create(const pl_problem *problem, const pl_solver_options *options,
                           pl_workspace *ws, double *v, double *f, pl_newton *out);

// The pattern and the order of elimination; and the multiplications that a factor then takes.
pl_status pl_newton_analyze(pl_newton *s);
double pl_newton_work(const pl_newton *s);

// All else that it works with.
pl_status pl_newton_take(pl_newton *s);

// Are v and f within the tolerances as they are, or far within where there are joints? Impulses of
// constraints that nothing answers become 0.
bool pl_newton_is_solved(pl_newton *s, pl_solve_stats *stats);

// Improves v and f, once it has been looked at if they are solved. PL_SOLVE_STALLED if it gives up;
// PL_SOLVE_CONTRADICTING if all is solved but for rows without bounds that contradict each other;
// PL_SOLVE_LOOSE if the options allow it and that is what it comes to.
pl_solve_end pl_newton_run(pl_newton *s, pl_solve_stats *stats);

// --- Set by set (newton_sets.c) ---

// Sets of a problem, each to be solved by itself.
typedef struct pl_newton_sets {
    const pl_split *split;
    const uint8_t *chosen; // (split.n) not 0: solve it; NULL: all
    double most_work;      // multiplications of a factor; a set that takes more is not solved
    const double *v, *f;   // what a set starts from that is not solved as it is; NULL: as it is
    pl_solve_end *end;     // (split.n) out, of those that are chosen; NULL: not asked for
} pl_newton_sets;

// Improves v and f there. stats->end is the worst of them, and counts are those of the set that
// took most.
pl_status pl_newton_solve_sets(const pl_newton_sets *sets, const pl_solver_options *options,
                               pl_workspace *ws, double *v, double *f, pl_solve_stats *stats);

// Of two ends, that which leaves more to be done.
pl_solve_end pl_worse_end(pl_solve_end a, pl_solve_end b);

// --- The parts of it ---

// Interior points, at most so many iterations: a start for cold problems. Leaves the best of them
// in v and f. PL_SOLVE_STALLED if they do not solve it.
pl_solve_end pl_newton_ipm(pl_newton *s, int32_t n, pl_solve_stats *stats);

// Sweeps over the contacts of rigid bodies without joints, from f; v and f := what they come to.
bool pl_newton_can_sweep(const pl_newton *s);
pl_status pl_newton_sweep(pl_newton *s, pl_solve_stats *stats);

// Rounds, until stats->factorizations is `most`. `warm`: from the faces that f is on.
pl_solve_end pl_newton_rounds(pl_newton *s, bool warm, int64_t most, pl_solve_stats *stats);

// Do the rows without bounds contradict each other, whatever the others are? Then they are asked
// for less. One factor.
void pl_newton_check_joints(pl_newton *s, pl_solve_stats *stats);

// The first step: on the faces that the impulses given are on, whatever the velocities, of which a
// first guess knows less. False if there is none.
bool pl_newton_begin(pl_newton *s, pl_solve_stats *stats);

// v goes along a step. *whole: all of it, and Fe holds what the linear system says. False if there
// is none.
bool pl_newton_advance(pl_newton *s, bool *whole, pl_solve_stats *stats);

// Impulses in v and f, once solved, that push nothing become 0, as far as rows without bounds share
// what they bear with others.
void pl_newton_clear_idle(pl_newton *s, pl_solve_stats *stats);

// --- What they share ---

// u, r and the error of v and f; keeps them if they are the best so far.
double pl_newton_judge(pl_newton *s, const double *f, pl_solve_stats *stats);

// Counts anew what was in vain; stats->factorizations may become `most`.
void pl_newton_begin_stage(pl_newton *s, int64_t most);

// The factor of H with D, which is counted. False if there is none.
bool pl_newton_factor(pl_newton *s, pl_solve_stats *stats);

// K of all rows for d, and `stiff` of those that are carried.
void pl_newton_set_stiffness(pl_newton *s, double d);

// Is row i one of those that are carried?
bool pl_newton_is_carried(const pl_newton *s, int64_t i);

// lambda := f.
void pl_newton_start_carried(pl_newton *s);

// lack := l of the rows that are carried, at u, and F := their impulses. rhs follows from r and
// lack.
void pl_newton_look_at_carried(pl_newton *s);
void pl_newton_set_rhs(pl_newton *s);

// The impulses of these rows go with the step, whose L e is in Le, by a part t of it.
void pl_newton_carry(pl_newton *s, double t);

// PL_SOLVE_CONVERGED: it may go on.
pl_solve_end pl_newton_limits(const pl_newton *s, const pl_solve_stats *stats);

#endif
