// Points strictly inside of cones and boxes, for interior points. Internal.
//
// With s = mu |w_t| held for an iteration, Coulomb's law says that z = (w_n + s, mu w_t) and
// g = (f_n, f_t / mu) lie in the cone |x_t| <= x_n and that z . g = 0 [De Saxce & Feng 1998], with
// w = u + E f. The primal-dual method follows the path on which z o g = a small multiple of the
// cone's unit: with Nesterov and Todd's scaling W, for which W g = W^-1 z = l,
//     W^-1 dz + W dg = h,    h = l \ (sigma z.g - l o l - correction)    Mehrotra's corrector
//     dz = M (du + E df) + what z lacks,    df = M dg,    M = diag(1, mu, mu)
// so that df = D (what is known) - D du, with D = M (W^2 + M E M)^-1 M. A row between bounds has
//     w = z_lo - z_hi,    z_lo (f - lo) and z_hi (hi - f) = a small number,
// and df = D (h - lack - du) with D = 1 / (E + z_lo / (f - lo) + z_hi / (hi - f)).

#ifndef PL_INSIDE_H
#define PL_INSIDE_H

#include "contact_matrix.h"
#include "law.h"

// A row between bounds.
typedef struct pl_between {
    double f, z[2]; // the impulse, and z of lo and hi: 0 if that is infinite
    double room[2]; // f - lo, hi - f
    double E, D;    // D is 0 if the row is not used, or is one without bounds
    double lack, h;
    double k[2]; // what z times room is to become more
    double df, dz[2];
} pl_between;

typedef struct pl_within {
    double mu, E[2];           // E of the normal, of the tangents, over mu^2
    double z[3], g[3];         // strictly in the cone
    double lack[3];            // (w_n + s, mu w_t) - z
    double inv[6];             // W^-1: nn, n1, n2, t11, t12, t22
    double scale[6];           // W
    double both[6];            // (W^2 + M E M)^-1 if it is soft
    double l[3];               // W g
    double h[3], dz[3], dg[3]; // the right-hand side, the step
} pl_within;

// One constraint.
typedef struct pl_inside {
    const pl_limits *limits; // NULL: a plain cone
    double mu;               // friction as it is; `cone` has a little more than none
    bool box, used;          // `used`: it takes part
    int32_t n;               // pairs of z and g, or of z and room
    union {
        pl_within cone;
        pl_between row[3];
    };
} pl_inside;

// Starts with velocities z [m/s] in all, and impulses of z / W. W (3) is how the rows answer, 0:
// they do not. Rows without bounds take no part.
void pl_inside_start(pl_inside *c, const pl_limits *limits, double mu, const double *W, double z);

// f (3) := its impulses, in the cone that it really has; rows that take no part are left.
void pl_inside_impulse(const pl_inside *c, double *f);

// What it lacks at u (3), and D [kg], to which rows that take no part add nothing. Returns the sum
// of what is complementary.
double pl_inside_look(pl_inside *c, const double *u, pl_sym3 *D);

// f (3) := what the step pushes with where du = 0, for the part `centre` of each pair that is to be
// left; `corrects`: with the last step's correction. Rows that take no part are left.
void pl_inside_push(pl_inside *c, double centre, bool corrects, double *f);

// The step, for du (3). Returns how far it may go.
double pl_inside_step(pl_inside *c, const double *du);

void pl_inside_go(pl_inside *c, double t);

// What is complementary after a part t of the step.
double pl_inside_gap(const pl_inside *c, double t);

#endif
