// A contact opens, sticks, slips along a side of the polygon or at a corner, and the cases are
// tried in that order. In each the impulse has a linear equation:
//
// Open: q_n >= 0 and f = 0.
// Stick: w = 0, f = -S^-1 q, if f_t is in mu f_n P.
// Side with the outward normal e and the direction s along it: f_t = a mu f_n e + g s with the
//     apothem a, w_n = 0 and w_s = 0 give f_n and g; it holds if |g| <= mu f_n half its length and
//     w_e <= 0.
// Corner c: f_t = mu f_n c and w_n = 0 give f_n; it holds if neither neighbour of the corner works
//     harder against w_t.
//
// With friction the problem need not be that of a minimum, and cases may overlap or, by rounding,
// all fail by a little: the one that is least wrong by the natural map is taken.

#include "pyramid.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

pl_polygon pl_polygon_make(int32_t directions, bool outer)
{
    double half = cos(PI / directions);
    return (pl_polygon){.n = directions,
                        .shift = outer ? 1 : 0,
                        .radius = outer ? 1 / half : 1,
                        .apothem = outer ? 1 : half};
}

// The unit vector at the angle pi i / n; exact at multiples of a quarter turn.
static void unit(int32_t i, int32_t n, double *e)
{
    i = (i % (2 * n) + 2 * n) % (2 * n);
    e[0] = 2 * i == n || 2 * i == 3 * n ? 0 : cos(PI * i / n);
    e[1] = i == 0 || i == n ? 0 : sin(PI * i / n);
}

void pl_polygon_corner(const pl_polygon *polygon, int32_t k, double *g)
{
    unit(2 * k + polygon->shift, polygon->n, g);
    g[0] *= polygon->radius, g[1] *= polygon->radius;
}

pl_polygon_place pl_polygon_project(const pl_polygon *polygon, double size, const double *x,
                                    double *p)
{
    // The side whose middle is nearest in angle: between corners k and k + 1.
    double turn = atan2(x[1], x[0]) / (2 * PI) * polygon->n - 0.5 * polygon->shift;
    double e[2];
    int32_t k = (int32_t)floor(turn);
    pl_polygon_place place = {PL_POLYGON_INSIDE, {0, 0}};
    unit(2 * k + 1 + polygon->shift, polygon->n, e);
    double along = e[0] * x[1] - e[1] * x[0], over = e[0] * x[0] + e[1] * x[1];
    double reach = size * polygon->radius * sin(PI / polygon->n); // half the length of a side
    p[0] = x[0], p[1] = x[1];
    if (over <= size * polygon->apothem) return place;
    if (fabs(along) <= reach) {
        double back = over - size * polygon->apothem;
        place.kind = PL_POLYGON_SIDE;
        place.d[0] = e[0], place.d[1] = e[1];
        p[0] -= back * e[0], p[1] -= back * e[1];
        return place;
    }
    place.kind = PL_POLYGON_CORNER;
    pl_polygon_corner(polygon, along > 0 ? k + 1 : k, place.d);
    p[0] = size * place.d[0], p[1] = size * place.d[1];
    return place;
}

pl_polygon_place pl_pyramid_project(const pl_polygon *polygon, double mu, const double *x,
                                    double *p)
{
    double n = x[0] > 0 ? x[0] : 0, t[2];
    pl_polygon_place place = pl_polygon_project(polygon, mu * n, x + 1, t);
    p[0] = n, p[1] = t[0], p[2] = t[1];
    return place;
}

// --- One contact with all others held ---

// By how much f, with w = S f + q, fails its law: the natural map in the units of w.
static double mismatch(const pl_pyramid *law, const double *q, const double *f)
{
    const double *S = law->S;
    double w[3], s = S[0], t = 0.5 * (S[4] + S[8]), g[2], p[2];
    for (int a = 0; a < 3; a++) {
        w[a] = q[a] + ((S[3 * a] * f[0] + S[3 * a + 1] * f[1]) + S[3 * a + 2] * f[2]);
    }
    g[0] = f[1] - w[1] / t, g[1] = f[2] - w[2] / t;
    pl_polygon_project(&law->polygon, law->mu * fmax(f[0], 0), g, p);
    double d1 = t * (f[1] - p[0]), d2 = t * (f[2] - p[1]);
    return fmax(fabs(fmin(w[0], s * f[0])), sqrt(d1 * d1 + d2 * d2));
}

static void stick(const pl_pyramid *law, const double *q, double *f)
{
    const double *S = law->S;
    double n1 = S[1] / S[0], n2 = S[2] / S[0];
    double t11 = S[4] - S[1] * n1, t12 = S[5] - S[1] * n2, t22 = S[8] - S[2] * n2;
    double p1 = q[1] - n1 * q[0], p2 = q[2] - n2 * q[0], det = 1 / (t11 * t22 - t12 * t12);
    f[1] = -det * (t22 * p1 - t12 * p2);
    f[2] = -det * (t11 * p2 - t12 * p1);
    f[0] = -(q[0] / S[0] + n1 * f[1] + n2 * f[2]);
}

static void slip_along(const pl_pyramid *law, int32_t k, const double *q, double *f)
{
    const double *S = law->S;
    double e[2], a = law->mu * law->polygon.apothem;
    unit(2 * k + 1 + law->polygon.shift, law->polygon.n, e);
    double s[2] = {-e[1], e[0]};
    double ne = S[1] * e[0] + S[2] * e[1], ns = S[1] * s[0] + S[2] * s[1];
    double se = s[0] * (S[4] * e[0] + S[5] * e[1]) + s[1] * (S[5] * e[0] + S[8] * e[1]);
    double ss = s[0] * (S[4] * s[0] + S[5] * s[1]) + s[1] * (S[5] * s[0] + S[8] * s[1]);
    double qs = s[0] * q[1] + s[1] * q[2], m11 = S[0] + a * ne, m21 = ns + a * se;
    double det = m11 * ss - ns * m21, g = (m21 * q[0] - m11 * qs) / det;
    f[0] = (ns * qs - ss * q[0]) / det;
    f[1] = a * f[0] * e[0] + g * s[0];
    f[2] = a * f[0] * e[1] + g * s[1];
}

static void slip_at_corner(const pl_pyramid *law, int32_t k, const double *q, double *f)
{
    const double *S = law->S;
    double c[2];
    pl_polygon_corner(&law->polygon, k, c);
    f[0] = -q[0] / (S[0] + law->mu * (S[1] * c[0] + S[2] * c[1]));
    f[1] = law->mu * f[0] * c[0];
    f[2] = law->mu * f[0] * c[1];
}

void pl_pyramid_solve(const pl_pyramid *law, const double *q, double *f)
{
    double best = INFINITY, trial[3];
    memset(f, 0, 3 * sizeof *f);
    if (q[0] >= 0) return;
    // What rounding leaves of a case that holds.
    double enough = 1e-14 * (fabs(q[0]) + fabs(q[1]) + fabs(q[2]));
    for (int32_t i = 0; i < 1 + 2 * law->polygon.n && best > enough; i++) {
        if (i == 0) {
            stick(law, q, trial);
        } else if (i % 2 == 1) {
            slip_along(law, i / 2, q, trial);
        } else {
            slip_at_corner(law, i / 2 - 1, q, trial);
        }
        double wrong = mismatch(law, q, trial);
        if (!(trial[0] >= 0) || !(wrong < best)) continue;
        best = wrong;
        pl_pyramid_project(&law->polygon, law->mu, trial, f); // whatever rounding left
    }
}

double pl_pyramid_relax(const pl_pyramid *law, const double *w, double *f)
{
    const double *S = law->S;
    double q[3], old[3] = {f[0], f[1], f[2]};
    for (int a = 0; a < 3; a++) {
        q[a] = w[a] - ((S[3 * a] * f[0] + S[3 * a + 1] * f[1]) + S[3 * a + 2] * f[2]);
    }
    pl_pyramid_solve(law, q, f);
    double dn = S[0] * fabs(f[0] - old[0]);
    double d1 = S[4] * (f[1] - old[1]), d2 = S[8] * (f[2] - old[2]), dt = sqrt(d1 * d1 + d2 * d2);
    return dn > dt ? dn : dt;
}
