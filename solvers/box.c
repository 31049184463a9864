// The impulse minimizes f . S f / 2 + q . f within the bounds: S is positive definite, so that
// there is one, and it lies on one of the box's faces, of which there are 27 at most. On a face
// each row is free, with w = 0, or at one of its bounds. The face without bounds comes first, which
// is all that joints need; then all others, in a fixed order, until one fits: its free rows are
// within their bounds, and the velocities of the others point outwards. Rounding may let none fit
// where the solution is at an edge between two: the one that fits best is taken then.

#include "box.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { FREE, AT_LO, AT_HI, PLACES };

typedef struct face {
    int place[3]; // of each row
    double f[3];
    double excess; // by how much it does not fit [m/s]
} face;

// x (n) := the solution of M x = x, M (n x n, row-major) symmetric positive definite.
static void solve_small(int n, double M[3][3], double *x)
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
static void evaluate(const pl_box_law *box, const double *q, face *at)
{
    const double *S = box->S;
    int row[3] = {0}, n = 0;
    double M[3][3], x[3];
    for (int a = 0; a < 3; a++) {
        at->f[a] = at->place[a] == AT_HI ? box->hi[a] : box->lo[a];
        if (at->place[a] == FREE) row[n++] = a;
    }
    for (int i = 0; i < n; i++) {
        x[i] = -q[row[i]];
        for (int b = 0; b < 3; b++) {
            if (at->place[b] != FREE) x[i] -= S[3 * row[i] + b] * at->f[b];
        }
        for (int j = 0; j < n; j++) M[i][j] = S[3 * row[i] + row[j]];
    }
    solve_small(n, M, x);
    for (int i = 0; i < n; i++) at->f[row[i]] = x[i];
    at->excess = 0;
    for (int a = 0; a < 3; a++) {
        double e = 0;
        if (at->place[a] == FREE) {
            e = S[4 * a] * fmax(box->lo[a] - at->f[a], at->f[a] - box->hi[a]);
        } else if (box->lo[a] < box->hi[a]) {
            double w =
                q[a] + (S[3 * a] * at->f[0] + S[3 * a + 1] * at->f[1]) + S[3 * a + 2] * at->f[2];
            e = at->place[a] == AT_LO ? -w : w;
        }
        at->excess = fmax(at->excess, e);
    }
}

// Is there such a place?
static bool is_possible(const pl_box_law *box, int a, int place)
{
    if (!(box->lo[a] < box->hi[a])) return place == AT_LO;
    return place == FREE || isfinite(place == AT_LO ? box->lo[a] : box->hi[a]);
}

void pl_box_law_solve(const pl_box_law *box, const double *q, double *f)
{
    face best = {.excess = INFINITY};
    for (int i = 0; i < PLACES * PLACES * PLACES && best.excess > 0; i++) {
        face at = {.place = {i % PLACES, i / PLACES % PLACES, i / PLACES / PLACES}};
        bool possible = true;
        for (int a = 0; a < 3; a++) possible = possible && is_possible(box, a, at.place[a]);
        if (!possible) continue;
        evaluate(box, q, &at);
        if (at.excess < best.excess) best = at;
    }
    for (int a = 0; a < 3; a++) {
        f[a] = isfinite(best.excess) ? pl_clamp(best.f[a], box->lo[a], box->hi[a]) : NAN;
    }
}

double pl_box_law_relax(const pl_box_law *box, const double *w, double *f)
{
    const double *S = box->S;
    double q[3], old[3] = {f[0], f[1], f[2]}, most = 0;
    for (int a = 0; a < 3; a++) {
        q[a] = w[a] - ((S[3 * a] * f[0] + S[3 * a + 1] * f[1]) + S[3 * a + 2] * f[2]);
    }
    pl_box_law_solve(box, q, f);
    for (int a = 0; a < 3; a++) {
        double change = S[4 * a] * fabs(f[a] - old[a]);
        if (!(change <= most)) most = change;
    }
    return most;
}
