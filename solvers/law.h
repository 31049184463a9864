// The laws of constraints, one block of three rows at a time: the only place that tells cones,
// boxes and pyramids apart. Internal.
//
// The names are those of problem.h: u the relative velocities, f the impulses, w = u + E f with the
// compliance E, and the law is between w and f. `limits` is NULL for a plain cone.

#ifndef PL_LAW_H
#define PL_LAW_H

#include "box.h"
#include "coulomb.h"
#include "problem.h"
#include "pyramid.h"

#include <math.h>

// --- A block with all others held ---

// How a block answers its impulse.
typedef union pl_block {
    pl_coulomb cone;
    pl_box_law box;
    pl_pyramid pyramid;
} pl_block;

// For u = S f + q; S (9) without the compliance. Impulses are in units of `unit` [1], which makes
// bounds smaller and compliance larger by as much: S is what u answers to such a unit.
void pl_block_prepare(pl_block *block, const pl_limits *limits, double mu, const double *S,
                      double unit);

// The same where the compliance is in S.
void pl_block_set(pl_block *block, const pl_limits *limits, double mu, const double *S,
                  double unit);

// f (3) := the impulse that obeys the law, for the q that belongs to w (3) and f; to rounding.
// Returns by how much it changes w: the larger of its normal and its tangential part, or the most
// of a row.
double pl_block_relax(pl_block *block, const pl_limits *limits, const double *w, double *f);

// --- What a block pushes with at a given velocity ---
//
// With a stiffness K for each row, and impulses f to start from,
//     F(u) = P(f - K w),    w = u + E F,
// where P is the projection below: so f solves the block if F(u) = f. F stands on both sides of
// F = P(z), z = f - K u - K eps F. But a row that P leaves alone has F = z, that is F (1 + K eps) =
// f - K u; one that is clamped to lo has z <= lo, that is f - K u <= (1 + K eps) lo; and slipping
// tangents have F_t along z_t, so along f_t - K_t u_t, and |z_t| >= mu F_n, that is |f_t - K_t u_t|
// >= (1 + K_t eps) mu F_n. So with
//     K' = K / (1 + K eps),    f' = f / (1 + K eps)
// it is F(u) = P(f' - K' u), the form of a hard block. On a face dF = -J du:
//     a row of a box: J = K' between the bounds, 0 at one of them;
//     a cone [Alart & Curnier 1991]: open: J = 0;    stick: J = K';
//         slip, with p = f'_t - K'_t u_t, d = p / |p|:  J_nn = K'_n,  J_tn = mu K'_n d,
//             J_tt = (mu F_n / |p|) K'_t (I - d d^T)
//     a pyramid: open and stick as a cone;
//         slip along a side with the outward normal e and the apothem a: J_nn = K'_n,
//             J_tn = a mu K'_n e,  J_tt = K'_t (I - e e^T)
//         slip at a corner c: J_nn = K'_n,  J_tn = mu K'_n c,  J_tt = 0
// K of an unused row is 0, or F is 0 by its bounds.

// J of a block [kg].
typedef struct pl_slope {
    double nn, t11, t12, t22; // symmetric
    double n1, n2;            // J_tn, by which it is not: of the tangents by the normal velocity
} pl_slope;

// p (3) := the point of the cone (pl_coulomb_project), of the box or of the pyramid that x (3) is
// projected to.
void pl_law_project(const pl_limits *limits, double mu, const double *x, double *p);

// F (3) := F(u). K (3), the same for both tangents of a cone; one with K[0] = 0 has F = 0.
void pl_law_push(const pl_limits *limits, double mu, const double *K, const double *f,
                 const double *u, double *F);

// J at u (3), where the block pushes with F (3).
pl_slope pl_law_slope(const pl_limits *limits, double mu, const double *K, const double *f,
                      const double *u, const double *F);

static inline bool pl_law_is_pyramid(const pl_limits *limits)
{
    return limits != NULL && limits->law == PL_LAW_PYRAMID;
}

// The polygon of a pyramid.
static inline pl_polygon pl_law_polygon(const pl_limits *limits)
{
    return pl_polygon_make(limits->directions, limits->outer);
}

// Is the row of a box used, and without bounds?
static inline bool pl_is_bilateral(const pl_limits *limits, int a)
{
    return limits != NULL && limits->law == PL_LAW_BOX && limits->lo[a] == -INFINITY &&
           limits->hi[a] == INFINITY;
}

// --- How well a block obeys ---

// w (3) := u + E f.
void pl_law_velocity(const pl_limits *limits, const double *u, const double *f, double *w);

// d (3) := the natural map of a box, s |f - clamp(f - w / s)| with s [1/kg] how its rows answer:
// |w| where a row is free, and how far the impulse is from the bound that w points at, times s.
void pl_box_map(const pl_limits *limits, double s, const double *u, const double *f, double *d);

// Can velocities u (3) that no impulse changes never obey? Returns by how much [m/s], 0 if they do:
// there is an impulse for them.
double pl_law_impossible(const pl_limits *limits, const double *u);

#endif
