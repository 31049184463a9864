// One constraint of up to three bounded rows, solved exactly; for C, CUDA and OpenCL. Internal.
//
// The impulse minimizes f . S f / 2 + q . f within the bounds: S is positive definite, so that
// there is one, and it lies on one of the box's faces, of which there are 27 at most. On a face
// each row is free, with w = 0, or at one of its bounds. The face without bounds comes first, which
// is all that joints need; then all others, in a fixed order, until one fits: its free rows are
// within their bounds, and the velocities of the others point outwards. Rounding may let none fit
// where the solution is at an edge between two: the one that fits best is taken then.

#ifndef PL_BOX_KERNEL_H
#define PL_BOX_KERNEL_H

#include "../base/portable.h"

// How a box answers its impulse: the velocities of its rows, with their compliance, are
// w = S f + q.
typedef struct pl_box_law {
    double S[9];         // symmetric positive definite, with the compliance on its diagonal [1/kg]
    double lo[3], hi[3]; // [N s]
} pl_box_law;

// The nearest number within the bounds.
PL_INLINE double pl_clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

#define PL_BOX_FREE 0
#define PL_BOX_LO 1
#define PL_BOX_HI 2
#define PL_BOX_PLACES 3

typedef struct pl_box_face {
    int place[3]; // of each row
    double f[3];
    double excess; // by how much it does not fit [m/s]
} pl_box_face;

// x (n) := the solution of M x = x, M (n x n, row-major) symmetric positive definite.
PL_INLINE void pl_box_solve_small(int n, double M[3][3], double *x)
{
    for (int p = 0; p < n; p++) {
        for (int i = p + 1; i < n; i++) {
            double factor = M[i][p] / M[p][p];
            for (int j = p + 1; j < n; j++) M[i][j] -= factor * M[p][j];
            x[i] -= factor * x[p];
        }
    }
    for (int p = n - 1; p >= 0; p--) {
        for (int j = p + 1; j < n; j++) x[p] -= M[p][j] * x[j];
        x[p] /= M[p][p];
    }
}

// The impulse on a face, and how it fits.
PL_INLINE void pl_box_evaluate(const pl_box_law *box, const double *q, pl_box_face *at)
{
    const double *S = box->S;
    int row[3] = {0, 0, 0}, n = 0;
    double M[3][3], x[3];
    for (int a = 0; a < 3; a++) {
        at->f[a] = at->place[a] == PL_BOX_HI ? box->hi[a] : box->lo[a];
        if (at->place[a] == PL_BOX_FREE) row[n++] = a;
    }
    for (int i = 0; i < n; i++) {
        x[i] = -q[row[i]];
        for (int b = 0; b < 3; b++) {
            if (at->place[b] != PL_BOX_FREE) x[i] -= S[3 * row[i] + b] * at->f[b];
        }
        for (int j = 0; j < n; j++) M[i][j] = S[3 * row[i] + row[j]];
    }
    pl_box_solve_small(n, M, x);
    for (int i = 0; i < n; i++) at->f[row[i]] = x[i];
    at->excess = 0;
    for (int a = 0; a < 3; a++) {
        double e = 0;
        if (at->place[a] == PL_BOX_FREE) {
            e = S[4 * a] * fmax(box->lo[a] - at->f[a], at->f[a] - box->hi[a]);
        } else if (box->lo[a] < box->hi[a]) {
            double w =
                q[a] + (S[3 * a] * at->f[0] + S[3 * a + 1] * at->f[1]) + S[3 * a + 2] * at->f[2];
            e = at->place[a] == PL_BOX_LO ? -w : w;
        }
        at->excess = fmax(at->excess, e);
    }
}

// Is there such a place?
PL_INLINE bool pl_box_is_possible(const pl_box_law *box, int a, int place)
{
    if (!(box->lo[a] < box->hi[a])) return place == PL_BOX_LO;
    return place == PL_BOX_FREE || isfinite(place == PL_BOX_LO ? box->lo[a] : box->hi[a]);
}

PL_INLINE void pl_box_solve_at(const pl_box_law *box, const double *q, double *f)
{
    pl_box_face best;
    best.excess = INFINITY;
    for (int i = 0; i < PL_BOX_PLACES * PL_BOX_PLACES * PL_BOX_PLACES && best.excess > 0; i++) {
        pl_box_face at;
        at.place[0] = i % PL_BOX_PLACES;
        at.place[1] = i / PL_BOX_PLACES % PL_BOX_PLACES;
        at.place[2] = i / PL_BOX_PLACES / PL_BOX_PLACES;
        bool possible = true;
        for (int a = 0; a < 3; a++) possible = possible && pl_box_is_possible(box, a, at.place[a]);
        if (!possible) continue;
        pl_box_evaluate(box, q, &at);
        if (at.excess < best.excess) best = at;
    }
    for (int a = 0; a < 3; a++) {
        f[a] = isfinite(best.excess) ? pl_clamp(best.f[a], box->lo[a], box->hi[a]) : NAN;
    }
}

PL_INLINE double pl_box_relax_at(const pl_box_law *box, const double *w, double *f)
{
    const double *S = box->S;
    double q[3], most = 0;
    double old[3] = {f[0], f[1], f[2]};
    for (int a = 0; a < 3; a++) {
        q[a] = w[a] - ((S[3 * a] * f[0] + S[3 * a + 1] * f[1]) + S[3 * a + 2] * f[2]);
    }
    pl_box_solve_at(box, q, f);
    for (int a = 0; a < 3; a++) {
        double change = S[4 * a] * fabs(f[a] - old[a]);
        if (!(change <= most)) most = change;
    }
    return most;
}

#endif
