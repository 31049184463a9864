// Conjugate residuals with switching contacts [VJ19, Alg. 1-3]: what its files share, and what
// MINRES and staggered projections take from it. Internal.
//
// Contacts are open, stick or slip, and with these states held the problem is linear,
//     A v - L^T f = b + (friction of those that slip),   -L v - K f = -c   in the active rows,
// B y = d in short, symmetric and indefinite. Rows that are not active are left out, and so are
// their impulses. K is 0 as printed; see cr_states.c for what it does otherwise.
//
// The paper turns tangents nowhere; we let a contact's t1 turn along its slip, in a copy.

#ifndef PL_CR_H
#define PL_CR_H

#include "cr_kernel.h"
#include "solver.h"
#include "touched.h"

// How the directions of the linear problem are made: see cr_linear.c.
typedef enum pl_cr_method { PL_CR_RESIDUALS, PL_CR_LANCZOS, PL_CR_ORTHOGONAL } pl_cr_method;

// Directions that PL_CR_ORTHOGONAL keeps; with so many it starts over.
enum { PL_CR_KEPT = 30 };

typedef struct pl_cr_contact {
    uint8_t state;     // pl_cr_state
    uint32_t n_switch; // how often it has changed
    double K[3];       // compliance of its rows [1/kg]
    double history;    // f_n at the last update of its kinetic friction [N s]
    double Z;          // how many contacts it counts for [VJ19, 3.4.1]
    double S[9];       // its block of L A_d^-1 L^T
    double inverse[9]; // of Z S + K in its active rows, 0 in the others
} pl_cr_contact;

// Vectors of both kinds of rows.
typedef struct pl_cr_vector {
    double *v; // (3*A.n)
    double *f; // (3*n_constraint)
} pl_cr_vector;

// S = L A_d^-1 L^T + K + P of the active rows, by a factor of A_d + L^T (K + P)^-1 L: see
// cr_precond.c.
typedef struct pl_cr_schur {
    pl_touched touched;
    pl_stiffness *stiffness; // (n_constraint) (K + P)^-1, 0 in the rows that are not active
    double *x;               // (3*uses.n) scratch
    double *v;               // (3*A.n) scratch; 0 in the blocks that no contact touches
    double *u;               // (3*n_constraint) scratch
    bool stale, factored;    // contacts have changed since; it was positive definite
} pl_cr_schur;

// A direction that is kept.
typedef struct pl_cr_direction {
    pl_cr_vector p, Bp, g; // g = M^-1 B p
    double *Ap;            // (n)
    double eta;            // B p . g
} pl_cr_direction;

typedef struct pl_cr {
    pl_problem problem; // with a copy of the contacts, whose tangents turn
    const pl_solver_options *options;
    pl_workspace *ws;
    pl_solve_stats *stats;
    int64_t n, m;                       // 3*A.n, 3*n_constraint
    pl_cr_vector y, r, z, p, Bp, Bz, q; // solution, residual, C^-1 r, direction, B p, B z, C^-1 B p
    double *Ay, *Ap, *Az;               // (n) the share of A: a switch leaves it as it is
    pl_cr_method method;
    bool positive; // C is positive definite: of PL_CR_LANCZOS, and for the norm of PL_CR_ORTHOGONAL
    double gain;   // of its last step, in parts of r . C^-1 r
    pl_cr_vector p_old, Bp_old; // of PL_CR_LANCZOS
    double *Ap_old;             // (n) if so
    pl_cr_direction *kept;      // (PL_CR_KEPT) of PL_CR_ORTHOGONAL
    int32_t n_kept;
    bool idle;  // the last of its steps gained nothing: the next direction follows from B p, not r
    double rho; // r . C^-1 B p; of CR also r . C^-1 B C^-1 r
    double eta, eta_old; // B p . C^-1 B p, and that of the direction before
    int32_t since;       // the last restart: iterations
    double *u;           // (m) L v - c of all rows
    uint8_t *rows;       // (n_constraint) bits of the active ones
    pl_cr_contact *contact;
    pl_block_jacobi A_d; // the approximate inverse of A: 0 in prescribed blocks
    pl_cr_schur schur;   // of PL_PRECOND_SCHUR
    pl_cr_vector looked; // scratch of pl_cr_precond_norms, if there is a trace
    double none;         // what PL_PRECOND_NONE multiplies constraint rows by
    double pushes;       // |L^T f| at the last restart
    double share;        // of contact_tolerance that the linear problem may leave in its rows
    int64_t evaluations;
    uint8_t mask; // rows that may be active; the impulses of the others stay as they are
    bool patient; // no switch before the linear problem is solved: an active-set method
    bool minimum; // the active rows contradict each other: see [VJ19, 4.3]
    bool waits;   // a contact would switch, and it was not its turn
} pl_cr;

// --- cr.c ---

// Lives as long as what is taken from the arena does.
pl_status pl_cr_create(const pl_problem *problem, const pl_solver_options *options,
                       pl_workspace *ws, pl_solve_stats *stats, pl_cr_method method, pl_cr *cr);
// Takes v (n) and f (m) as y; then come the states, and iterations until the laws hold that the
// rows of `mask` are there for.
void pl_cr_load(pl_cr *cr, const double *v, const double *f);
pl_solve_end pl_cr_iterate(pl_cr *cr);
// Gives y back, in the frames of the caller's contacts.
void pl_cr_unload(const pl_cr *cr, const pl_constraint *contact, double *v, double *f);

// --- cr_linear.c ---

// Takes the vectors.
pl_status pl_cr_linear_create(pl_cr *cr);
// r := d - B y, with A y as it is [VJ19, 3.5].
void pl_cr_residual(pl_cr *cr);
// [Alg. 1, lines 19-21] The residual and a first direction.
void pl_cr_restart(pl_cr *cr);
// |B C^-1 r|
double pl_cr_gradient(pl_cr *cr);
// [Alg. 1, lines 9-11] Returns alpha. *broken: the recurrence has to be restarted.
double pl_cr_step(pl_cr *cr, bool *broken);
// [Alg. 1, lines 15-17] The next direction.
void pl_cr_turn(pl_cr *cr);

// --- cr_precond.c ---

// Z[k] := 1 + the similarities of contact k and all others that share a block with it. Z, seen
// (n_constraint), at (A.n); the last two are scratch.
void pl_cr_weigh(const pl_problem *problem, const pl_uses *uses, bool printed, int32_t *seen,
                 int32_t *at, double *Z);
// Makes A_d, and Z and S of every contact.
pl_status pl_cr_precond_create(pl_cr *cr);
// After the rows, the frame or K of a contact have changed.
void pl_cr_precond_update(pl_cr *cr, int32_t k);
// z := C^-1 r. No alias.
void pl_cr_precond_apply(pl_cr *cr, const pl_cr_vector *r, const pl_cr_vector *z);
// The norms of r that C gives: of all rows, and the largest of a contact's. For a trace.
void pl_cr_precond_norms(pl_cr *cr, double *all, double *contact);

// --- cr_states.c ---

// States, rows and tangents for the impulses that the solve starts from.
void pl_cr_states_start(pl_cr *cr);
// [VJ19, Alg. 2 and 3]: looks at all contacts, and returns whether one has changed.
bool pl_cr_states_update(pl_cr *cr);
// Turns the impulses back to the frames of the caller's problem, whose contacts are given.
void pl_cr_states_finish(const pl_cr *cr, const pl_constraint *contact, double *f);

#endif
