// How the friction of contacts is modelled: as the cone of Coulomb, which is the default, or by
// something that solvers of complementarity problems can treat. Internal.
//
// A model replaces the law of every cone of a problem (problem.h):
//
//     cone         |f_t| <= mu f_n
//     pyramid:n    f_t in a polygon with n corners on that circle; n = 4 is the diamond
//                  |f_1| + |f_2| <= mu f_n of [Lit13, 4.26], in any n that of [Erl13]
//     outer:n      a polygon with n sides that touch the circle
//     box          |f_1|, |f_2| <= mu g with a known normal impulse g, of a solve without friction
//                  before [Ho22, 2.33, choice (a)]; the problem is solved `updates` times, each
//                  time with the g that was found, 1 is the thesis
//     box:last     g is the normal impulse that the solve starts from, as of the last step
//     box:follow   |f_1|, |f_2| <= mu f_n: the limit of many updates; the same as outer:4
//
// So the tangential forces of a box may be larger than Coulomb's by sqrt 2 across the axes, and
// those of a diamond smaller by as much between them. Solutions are comparable within one model
// only.

#ifndef PL_FRICTION_MODEL_H
#define PL_FRICTION_MODEL_H

#include "solver.h"

typedef enum pl_friction_kind {
    PL_FRICTION_CONE,
    PL_FRICTION_PYRAMID,
    PL_FRICTION_BOX,
    PL_FRICTION_BOX_LAST
} pl_friction_kind;

typedef struct pl_friction_model {
    pl_friction_kind kind;
    int32_t directions; // of a pyramid
    bool outer;
    int32_t updates; // of a box: solves with bounds from a solve before, 1 or more
} pl_friction_model;

// "cone", "diamond", "pyramid:8", "outer:8", "box", "box:3" (updates), "box:last", "box:follow".
// Fails with PL_ERROR_ARGUMENT.
pl_status pl_friction_model_parse(const char *text, pl_friction_model *out);

// A problem with another law in place of its cones. Its constraints and limits are its own, all
// else is borrowed. Begins as {0}.
typedef struct pl_modelled {
    pl_problem problem;
} pl_modelled;

void pl_modelled_free(pl_modelled *modelled);

// Solves `problem` by a model, see pl_solve; f holds the impulses to start from. modelled->problem
// is what was solved last, with friction.
pl_status pl_friction_solve(const pl_friction_model *model, const pl_solver *solver,
                            const pl_problem *problem, const pl_solver_options *options,
                            pl_workspace *ws, pl_modelled *modelled, double *v, double *f,
                            pl_solve_stats *stats);

// modelled->problem := the problem of a model, with the normal impulses of f (3*n_constraint) for
// the bounds of boxes.
pl_status pl_friction_apply(const pl_friction_model *model, const pl_problem *problem,
                            const double *f, pl_modelled *modelled);

#endif
