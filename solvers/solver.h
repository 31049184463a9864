// Solvers of contact problems: what they share, and the table of all of them. Internal.
//
// To add one: write a function of the type pl_solve_fn in a file of its own, declare it below, and
// give it a line in the table of registry.c. A program adds its own by pl_solver_register.

#ifndef PL_SOLVER_H
#define PL_SOLVER_H

#include "../base/arena.h"
#include "contact_error.h"
#include "reduced.h"

typedef enum pl_precond {
    PL_PRECOND_FULL, // [VJ19, Eq. 22] with approximate A and S
    PL_PRECOND_DIAG, // the diagonals of the same
    PL_PRECOND_NONE,
    PL_PRECOND_SCHUR, // as full with 3x3 blocks, and with what contacts do to each other in S
} pl_precond;

enum { PL_N_PRECOND = 4 };
extern const char *const pl_precond_names[PL_N_PRECOND]; // "full", "diag", "none", "schur"

// Fails with PL_ERROR_ARGUMENT on an unknown name, and suggests the nearest.
pl_status pl_precond_find(const char *name, pl_precond *out);

// What `cr` has at the beginning of an iteration: the norms of [VJ19, Fig. 6].
typedef struct pl_trace_point {
    int32_t iteration;
    double residual;                  // of the velocities, as in pl_contact_errors
    double preconditioned;            // |C^-1/2 r|, by the sizes of what C is made of if it is full
    double constraint;                // the largest of the active rows [m]
    double preconditioned_constraint; // the largest of a contact, |S^-1/2 r| with its block S
    bool update;                      // contacts have changed since the last iteration
} pl_trace_point;

typedef void pl_trace_fn(const pl_trace_point *point, void *user);

typedef struct pl_solver_options {
    double residual_tolerance; // on pl_contact_errors.residual; > 0
    double contact_tolerance;  // on the other errors of a contact [m]; > 0
    double loose_tolerance; // as contact_tolerance, where bodies move fast and the solver gets no
                            // nearer; of `newton` and `auto`, see newton.c. 0: never
    int32_t max_iterations; // 0 or more
    int32_t rescue_iterations; // of `auto`: at most so many of other solvers for what newton, if it
                               // was the first, did not solve; 0: as many as there are left
    double max_seconds;        // wall clock; 0: no limit. Looked at between iterations
    pl_precond precond;        // of `cr`, `minres` and `gcr`
    bool vj19;                 // the solver as its paper prints it, with the paper's parameters
    pl_trace_fn *trace;        // of `cr`, `minres` and `gcr`; NULL: nobody looks
    void *trace_user;
    struct pl_staggered_stats *staggered; // of the first solve by `sp-direct` or `sp-schurpa`
                                          // (../lcp/staggered.h); NULL: nobody looks
    const char *parameters;               // of ../lcp/params.h, checked; NULL: none
    bool same_matrix; // A is that of the last solve with this workspace: what was found out
                      // about it still holds
} pl_solver_options;

// 1e-5, 1e-6 m, 20,000 iterations, no limit of time, full, not as printed.
pl_solver_options pl_solver_options_default(void);

typedef struct pl_solve_stats {
    pl_solve_end end;
    int32_t iterations;
    int64_t products;       // with A
    int64_t state_changes;  // of contacts: open, stick, slip
    int64_t restarts;       // of a recurrence
    int64_t factorizations; // of matrices larger than 3x3
    double seconds;
    pl_contact_errors errors; // of the result, measured alike for every solver; the residual is
                              // not a number where there was no solve to measure
} pl_solve_stats;

// What a solver works on: memory, and what pl_solve has made before it calls one.
typedef struct pl_workspace {
    pl_arena arena; // to take from
    pl_uses uses;
    pl_block_jacobi D;   // the inverse diagonal blocks of A; 0 in the prescribed blocks
    double *scale;       // (2*n_constraint) see pl_contact_scales
    double *world;       // (3*n_constraint) scratch of pl_rows_transpose_add
    double *r;           // (3*A.n) scratch
    double *u;           // (3*n_constraint) scratch
    double b_norm;       // |b'|, see pl_contact_errors
    double started;      // [s] of pl_seconds
    double curvature;    // of A, as apg found it; 0: not yet
    bool direct;         // newton has solved with this A where apg did not: auto begins with it
    pl_reduced *reduced; // for solvers of that form; NULL for others
    const struct pl_solver *solver; // that pl_solve calls
    const double *Av;               // A times the result, if the solver has computed that; or NULL
    struct pl_workspace *slot;      // (n_slot) for parts of the problem, one for each thread
    int32_t n_slot;
    struct pl_device *device; // see device.h; NULL: none
} pl_workspace;

void pl_workspace_free(pl_workspace *ws); // leaves it empty; one begins as {0}

// What pl_solve makes before it calls a solver, for a part of a problem; takes from ws->arena.
pl_status pl_workspace_prepare(const pl_problem *problem, pl_workspace *ws, const double *v);

// ws->slot := one workspace for each thread that a loop may have, ready for parts of the solve that
// ws is of: their arenas are empty, and each has room for what any of them ever took.
pl_status pl_workspace_open_slots(pl_workspace *ws);

// Improves v (3*A.n) and f (3*n_constraint), which hold a first guess and, in prescribed blocks,
// the velocities that stay. Sets stats->end and its counts; returns a failure only if it could not
// work at all (memory). What it leaves in v and f is finite.
typedef pl_status pl_solve_fn(const pl_problem *problem, const pl_solver_options *options,
                              pl_workspace *ws, double *v, double *f, pl_solve_stats *stats);

typedef enum pl_form {
    PL_FORM_FULL,    // works on A and L
    PL_FORM_REDUCED, // works on W = L A^-1 L^T + E, which pl_solve builds (reduced.h)
    PL_FORM_SCALAR,  // the same row by row: a solver of ../lcp (scalar_form.h)
} pl_form;

// The laws that a solver knows (problem.h), and if they may have compliance. PL_CAN_FOLLOWING: of
// pyramids those whose four sides are at the tangents, which are boxes that follow their normal
// row; PL_CAN_DIAMOND: those whose four corners are there.
enum {
    PL_CAN_CONE = 1,
    PL_CAN_BOX = 2,
    PL_CAN_COMPLIANCE = 4,
    PL_CAN_PYRAMID = 8,
    PL_CAN_FOLLOWING = 16,
    PL_CAN_DIAMOND = 32
};

typedef struct pl_solver {
    const char *name;
    pl_form form;
    unsigned can;          // bits of the above: pl_solve refuses what is not among them
    const char *guarantee; // one line for a person who chooses
    const char *paper;     // where it is from
    pl_solve_fn *solve;
    const struct pl_lcp_solver *lcp; // of the scalar form, which pl_scalar_solve calls
    pl_user_solve_fn *own;           // of pl_solver_register, which pl_user_solve calls; else NULL
    void *user;
} pl_solver;

// Solver 0 .. pl_solver_count() - 1: those of the library, then those of the program.
const pl_solver *pl_solver_at(int32_t i);

// Fails with PL_ERROR_ARGUMENT on an unknown name, and suggests the nearest.
pl_status pl_solver_find(const char *name, const pl_solver **out);

// What the constraints of a problem ask for and the solver does not know: bits of the above.
unsigned pl_solver_lacks(const pl_solver *solver, const pl_problem *problem);

// Does the option `precond` make a difference to it?
bool pl_solver_has_precond(const pl_solver *solver);

// Solves, and measures the result. Returns PL_OK only if it ended with PL_SOLVE_CONVERGED;
// PL_ERROR_NUMERICS if not, with v and f the best that the solver has; PL_ERROR_ARGUMENT (see
// pl_problem_check, options out of range, and laws that the solver does not know) or
// PL_ERROR_MEMORY, with v and f as they were. `options` may be NULL for the defaults; *stats is
// always set.
pl_status pl_solve(const pl_solver *solver, const pl_problem *problem,
                   const pl_solver_options *options, pl_workspace *ws, double *v, double *f,
                   pl_solve_stats *stats);

// The errors of v and f; stats->end is PL_SOLVE_CONVERGED if they are within the options'
// tolerances, else PL_SOLVE_LIMIT. Fails like pl_solve over arguments and memory.
pl_status pl_solve_measure(const pl_problem *problem, const pl_solver_options *options,
                           pl_workspace *ws, const double *v, const double *f,
                           pl_solve_stats *stats);

// |r| relative to max(|b'|, |L^T f|), where `pushes` is |L^T f|; 0 for 0 of 0, and very
// large for anything else of 0.
double pl_relative_residual(const pl_workspace *ws, double pushes, double r);

// How far from solved v and f are: 1 is. r (3*A.n) is the residual, u (3*n_constraint) the relative
// velocities. Infinite where a number is not finite. ws->r and ws->world are scratch.
double pl_solve_error(const pl_problem *problem, const pl_solver_options *options,
                      const pl_workspace *ws, const double *r, const double *u, const double *f);

// Are v and f within the tolerances? One product with A, which is counted. ws->r, ws->u and
// ws->world are scratch.
bool pl_is_solved(const pl_problem *problem, const pl_solver_options *options,
                  const pl_workspace *ws, const double *v, const double *f, pl_solve_stats *stats);

// Has the time that the options allow passed?
bool pl_solve_is_late(const pl_workspace *ws, const pl_solver_options *options);

pl_solve_fn pl_apg_solve;         // apg.c
pl_solve_fn pl_cone_newton_solve; // cone_newton.c
pl_solve_fn pl_auto_solve;        // auto.c
pl_solve_fn pl_newton_solve;      // newton.c
pl_solve_fn pl_cr_solve;          // cr.c
pl_solve_fn pl_minres_solve;      // cr.c
pl_solve_fn pl_gcr_solve;         // cr.c
pl_solve_fn pl_ica_solve;         // ica.c
pl_solve_fn pl_sp_cr_solve;       // sp.c
pl_solve_fn pl_sp_as_solve;       // sp.c
pl_solve_fn pl_sp_minres_solve;   // sp.c
pl_solve_fn pl_delassus_solve;    // delassus.c
pl_solve_fn pl_scalar_solve;      // scalar_solve.c
pl_solve_fn pl_sp_direct_solve;   // diamond_solve.c
pl_solve_fn pl_sp_schurpa_solve;  // diamond_solve.c
pl_solve_fn pl_admm_cone_solve;   // admm_cone.c
pl_solve_fn pl_ipm_cone_solve;    // ipm_cone.c
pl_solve_fn pl_user_solve;        // user_solver.c

#endif
