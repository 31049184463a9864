// One constraint of up to three bounded rows, solved exactly. Internal.

#ifndef PL_BOX_H
#define PL_BOX_H

// How a box answers its impulse: the velocities of its rows, with their compliance, are
// w = S f + q.
typedef struct pl_box_law {
    double S[9];         // symmetric positive definite, with the compliance on its diagonal [1/kg]
    double lo[3], hi[3]; // [N s]
} pl_box_law;

// f (3) := the impulse within the bounds for which w > 0 only in rows at lo, w < 0 only in rows at
// hi, to rounding. Rows with lo = hi have that impulse, whatever their velocity.
void pl_box_law_solve(const pl_box_law *box, const double *q, double *f);

// f (3) := that impulse for the q that belongs to the velocity w (3) and the impulse f; returns by
// how much it changes the velocities: the most that a row does by itself.
double pl_box_law_relax(const pl_box_law *box, const double *w, double *f);

// The nearest number within the bounds.
static inline double pl_clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

#endif
