// A quick proof that a pair of moving features stays apart.

#include "apart.h"
#include "../base/base.h"
#include "../meshes/geometry.h"

#include <math.h>
#include <string.h>

// Heights along a unit vector are rounded by less than this part of the largest coordinate.
static const double HEIGHT_ROUNDING = 1e-14;

static const int N_FIRST[] = {1, 1, 1, 2}, N_SECOND[] = {1, 2, 3, 2}; // points of the features

// The least height of the first feature above the second, along n.
static double height(pl_pair_kind kind, const double *x, const double n[3])
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < N_FIRST[kind]; i++) low = PL_MIN(low, pl_dot(n, x + 3 * i));
    for (int j = 0; j < N_SECOND[kind]; j++) {
        high = PL_MAX(high, pl_dot(n, x + 3 * (N_FIRST[kind] + j)));
    }
    return low - high;
}

static bool normalize(double n[3])
{
    double size = sqrt(pl_dot(n, n));
    if (!(size > 0)) return false;
    for (int k = 0; k < 3; k++) n[k] /= size;
    return true;
}

// n := upright on u, where it was nearly so.
static bool set_upright(const double u[3], double n[3])
{
    double square = pl_dot(u, u);
    if (!(square > 0)) return false;
    double part = pl_dot(u, n) / square;
    for (int k = 0; k < 3; k++) n[k] -= part * u[k];
    return normalize(n);
}

// n := along `up`, on its own side.
static bool set_along(const double up[3], double n[3])
{
    double side = pl_dot(up, n) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) n[k] = side * up[k];
    return normalize(n);
}

// best := the trial, if it separates the features better.
static void keep_better(pl_pair_kind kind, const double *x, const double trial[3], double *most,
                        double best[3])
{
    double h = height(kind, x, trial);
    if (!(h > *most)) return;
    *most = h;
    memcpy(best, trial, 3 * sizeof *best);
}

// A direction that separates the features. That of the closest points does; but of features that
// are nearer than 1e-6 of their size it is known to few digits, and with the edges or the face, on
// which it is upright, to all.
static void find_direction(pl_pair_kind kind, const double *x, double best[3])
{
    static const int edge[4][3][2] = {[PL_VERTEX_EDGE] = {{1, 2}},
                                      [PL_VERTEX_FACE] = {{1, 2}, {2, 3}, {3, 1}},
                                      [PL_EDGE_EDGE] = {{0, 1}, {2, 3}}};
    static const int n_edge[4] = {[PL_VERTEX_EDGE] = 1, [PL_VERTEX_FACE] = 3, [PL_EDGE_EDGE] = 2};
    pl_closest closest;
    pl_closest_points(kind, x, &closest);
    memcpy(best, closest.normal, 3 * sizeof *best);
    double most = height(kind, x, best), u[3][3], up[3], trial[3];
    for (int e = 0; e < n_edge[kind]; e++) {
        pl_subtract(x + 3 * edge[kind][e][1], x + 3 * edge[kind][e][0], u[e]);
        memcpy(trial, closest.normal, sizeof trial);
        if (set_upright(u[e], trial)) keep_better(kind, x, trial, &most, best);
    }
    if (n_edge[kind] < 2) return;
    pl_cross(u[0], u[1], up); // upright on the face, or on both edges
    memcpy(trial, closest.normal, sizeof trial);
    if (set_along(up, trial)) keep_better(kind, x, trial, &most, best);
}

static double largest_of(int n, const double *x0, const double *x1)
{
    double largest = 0;
    for (int i = 0; i < 3 * n; i++) largest = PL_MAX(largest, PL_MAX(fabs(x0[i]), fabs(x1[i])));
    return largest;
}

// Along (1 - t) n0 + t n1, which is no longer than 1, the height of a point above another is a
// quadratic in t: no less than the least of its coefficients in Bernstein's form. Are all above
// `least`?
static bool directions_separate(pl_pair_kind kind, const double *x0, const double n0[3],
                                const double *x1, const double n1[3], double least)
{
    int first = N_FIRST[kind], n = first + N_SECOND[kind];
    for (int i = 0; i < first; i++) {
        for (int j = first; j < n; j++) {
            double d0[3], d1[3];
            pl_subtract(x0 + 3 * i, x0 + 3 * j, d0);
            pl_subtract(x1 + 3 * i, x1 + 3 * j, d1);
            double middle = 0.5 * (pl_dot(n0, d1) + pl_dot(n1, d0));
            double low = PL_MIN(PL_MIN(pl_dot(n0, d0), pl_dot(n1, d1)), middle);
            if (!(low > least)) return false;
        }
    }
    return true;
}

bool pl_stays_apart(pl_pair_kind kind, const double *x0, const double *x1, double separation)
{
    double n0[3], n1[3];
    double largest = largest_of(N_FIRST[kind] + N_SECOND[kind], x0, x1);
    find_direction(kind, x0, n0);
    find_direction(kind, x1, n1);
    return directions_separate(kind, x0, n0, x1, n1, separation + HEIGHT_ROUNDING * largest);
}

// --- In pieces ---

// A piece in which the pair turns by the angle a loses a^2 / 8 of its distance. Shorter ones than
// the part are not tried, nor more of them than the number.
static const double PIECE_LEAST = 1.0 / 4096;
enum { PIECES_MAX = 200 };

void pl_pair_at(pl_pair_kind kind, const double *x0, const double *x1, double t, double *x)
{
    for (int i = 0; i < 3 * (N_FIRST[kind] + N_SECOND[kind]); i++) {
        x[i] = (1 - t) * x0[i] + t * x1[i];
    }
}

double pl_apart_until(pl_pair_kind kind, const double *x0, const double *x1, double separation)
{
    double from[12], to[12], n0[3], n1[3], t = 0, length = 1;
    double largest = largest_of(N_FIRST[kind] + N_SECOND[kind], x0, x1);
    double least = separation + HEIGHT_ROUNDING * largest;
    pl_pair_at(kind, x0, x1, 0, from);
    find_direction(kind, from, n0);
    for (int piece = 0; piece < PIECES_MAX; piece++) {
        double end = PL_MIN(t + length, 1);
        pl_pair_at(kind, x0, x1, end, to);
        find_direction(kind, to, n1);
        if (!directions_separate(kind, from, n0, to, n1, least)) {
            length *= 0.5;
            if (length < PIECE_LEAST || !(height(kind, from, n0) > least)) break;
            continue;
        }
        if (end >= 1) return 1;
        t = end;
        length *= 2;
        memcpy(from, to, sizeof from);
        memcpy(n0, n1, sizeof n0);
    }
    return t;
}
