// One contact with friction in a pyramid instead of a cone, solved exactly. Internal.
//
// The tangential impulse lies in a regular polygon of 2l corners or sides around the normal one, of
// size mu f_n, and does as much work against the slip as it can there:
//
//     f_t in mu f_n P,   w_t . (g - f_t) >= 0 for all g in mu f_n P
//
// P inside of the unit circle has its corners at the directions 2 pi k / n from the first tangent,
// k = 0 .. n - 1: with n = 4 it is the diamond |f_1| + |f_2| <= mu f_n of [Lit13, 4.26] and of the
// directions +-t1, +-t2 of [Erl13]. P outside of it has its sides there: with n = 4 it is the box
// |f_1| <= mu f_n, |f_2| <= mu f_n, whose bounds follow the normal impulse.

#ifndef PL_PYRAMID_H
#define PL_PYRAMID_H

#include <stdbool.h>
#include <stdint.h>

enum { PL_PYRAMID_LEAST = 4, PL_PYRAMID_MOST = 64 }; // corners, an even number of them

// A polygon of the size 1. Corner k is at the angle pi (2 k + shift) / n.
typedef struct pl_polygon {
    int32_t n;
    int32_t shift;          // 0: a corner on the first tangent; 1: a side
    double radius, apothem; // of the corners and of the sides from the centre
} pl_polygon;

pl_polygon pl_polygon_make(int32_t directions, bool outer);

// g (2) := corner k, which may be -1 .. n.
void pl_polygon_corner(const pl_polygon *polygon, int32_t k, double *g);

// Where the nearest point of a polygon lies.
typedef struct pl_polygon_place {
    enum { PL_POLYGON_INSIDE, PL_POLYGON_SIDE, PL_POLYGON_CORNER } kind;
    double d[2]; // SIDE: its outward normal; CORNER: the corner of the polygon of size 1
} pl_polygon_place;

// p (2) := the point of the polygon of size `size` >= 0 that is nearest to x (2). No alias.
pl_polygon_place pl_polygon_project(const pl_polygon *polygon, double size, const double *x,
                                    double *p);

// How a contact answers its impulse: w = S f + q.
typedef struct pl_pyramid {
    double S[9]; // symmetric positive definite, with the compliance on its diagonal [1/kg]
    double mu;
    pl_polygon polygon;
} pl_pyramid;

// f (3) := the impulse such that w = S f + q and f obey Signorini's law and that of the pyramid, to
// rounding.
void pl_pyramid_solve(const pl_pyramid *law, const double *q, double *f);

// f (3) := that impulse for the q that belongs to the velocity w (3) and the impulse f; returns by
// how much it changes the relative velocity: the larger of its normal and its tangential part.
double pl_pyramid_relax(const pl_pyramid *law, const double *w, double *f);

// p (3) := x with its normal part clamped to 0 and its tangential part moved to the nearest point
// of mu p_n P.
pl_polygon_place pl_pyramid_project(const pl_polygon *polygon, double mu, const double *x,
                                    double *p);

#endif
