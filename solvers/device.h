// What solvers ask of a device that has another set of the same kernels (../gpu). Internal.

#ifndef PL_DEVICE_H
#define PL_DEVICE_H

#include "solver.h"

// Improves v and f as a solver does, for n iterations at most; stats->end is PL_SOLVE_CONVERGED
// only if they were measured on the CPU and are within the tolerances. Where it fails
// (PL_ERROR_MEMORY, PL_ERROR_DEVICE) v and f are as they were. PL_SOLVE_LIMIT without an iteration:
// the problem is not one for the device.
typedef pl_status pl_device_solve_fn(struct pl_device *device, const pl_problem *problem,
                                     const pl_solver_options *options, pl_workspace *ws, int32_t n,
                                     double *v, double *f, pl_solve_stats *stats);

struct pl_multigrid;
struct pl_stiffness;

// An inner solve of cone-newton, as pl_gmres_solve with the cycle of `mg` makes it: e := about the
// solution of (A + L^T J L) e = r. `fresh`: the levels have not been seen before; J, couple: see
// cone_newton.c. Where it fails e is anything.
typedef pl_status pl_device_inner_fn(struct pl_device *device, const struct pl_multigrid *mg,
                                     bool fresh, const struct pl_stiffness *J, const float *couple,
                                     double drop, int32_t steps, const double *r, double *e,
                                     pl_arena *arena, int32_t *made);

// Gauss-Seidel on the reduced form, whose W is formed there (its values here are not needed): f
// (3*n) improves, and v with it; ends as pl_device_solve_fn does. Where it fails v and f may be
// those of an earlier look.
typedef pl_status pl_device_reduced_fn(struct pl_device *device, const pl_reduced *reduced,
                                       const pl_solver_options *options, pl_workspace *ws,
                                       double *v, double *f, pl_solve_stats *stats);

typedef struct pl_device {
    const char *name; // by which it was opened
    void (*close)(struct pl_device *device);
    pl_device_solve_fn *apg, *cr; // NULL: it cannot
    pl_device_inner_fn *inner;    // NULL: it cannot
    pl_device_reduced_fn *reduced;
    // Factors and solves of ../lcp/saddle.h, with memory that the next call uses again.
    const struct pl_saddle_engine *(*saddles)(struct pl_device *device);
    bool lost;   // it has failed, and is not asked again
    bool warned; // that it has no memory has been said
} pl_device;

// The CPU, for pl_device_list.
pl_device_info pl_device_cpu(bool chosen);

// Fails with PL_ERROR_DEVICE if there is no such device.
pl_status pl_device_check(const char *name);

// NULL for the CPU, and for "auto" where that is best. Fails with PL_ERROR_DEVICE or
// PL_ERROR_MEMORY.
pl_status pl_device_open(const char *name, pl_device **out);
void pl_device_close(pl_device *device); // NULL is fine

// ws->device := that with this name, which stays open until another one is asked for.
pl_status pl_workspace_use(pl_workspace *ws, const char *name);

// What is said and noted of a device that has failed.
void pl_device_failed(pl_device *device, pl_status status);

// As pl_device_solve_fn on the device of the workspace, if it has one: a failure becomes a warning,
// and stats->end PL_SOLVE_LIMIT.
void pl_device_apg(const pl_problem *problem, const pl_solver_options *options, pl_workspace *ws,
                   int32_t n, double *v, double *f, pl_solve_stats *stats);
void pl_device_cr(const pl_problem *problem, const pl_solver_options *options, pl_workspace *ws,
                  int32_t n, double *v, double *f, pl_solve_stats *stats);

#endif
