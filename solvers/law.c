#include "law.h"
#include "contact_error_kernel.h"

#include <math.h>
#include <string.h>

static bool is_box(const pl_limits *limits)
{
    return limits != NULL && limits->law == PL_LAW_BOX;
}

// --- A block with all others held ---

void pl_block_prepare(pl_block *block, const pl_limits *limits, double mu, const double *S,
                      double unit)
{
    double T[9];
    memcpy(T, S, sizeof T);
    for (int a = 0; a < 3 && limits != NULL; a++) T[4 * a] += unit * limits->compliance[a];
    pl_block_set(block, limits, mu, T, unit);
}

void pl_block_set(pl_block *block, const pl_limits *limits, double mu, const double *S, double unit)
{
    if (pl_law_is_pyramid(limits)) {
        block->pyramid = (pl_pyramid){.mu = mu, .polygon = pl_law_polygon(limits)};
        memcpy(block->pyramid.S, S, sizeof block->pyramid.S);
        return;
    }
    if (!is_box(limits)) {
        pl_coulomb_prepare(S, mu, &block->cone);
        return;
    }
    memcpy(block->box.S, S, sizeof block->box.S);
    for (int a = 0; a < 3; a++) {
        block->box.lo[a] = limits->lo[a] / unit;
        block->box.hi[a] = limits->hi[a] / unit;
    }
}

double pl_block_relax(pl_block *block, const pl_limits *limits, const double *w, double *f)
{
    if (pl_law_is_pyramid(limits)) return pl_pyramid_relax(&block->pyramid, w, f);
    return is_box(limits) ? pl_box_law_relax(&block->box, w, f)
                          : pl_coulomb_relax(&block->cone, w, f);
}

// --- What a block pushes with ---

void pl_law_project(const pl_limits *limits, double mu, const double *x, double *p)
{
    if (pl_law_is_pyramid(limits)) {
        pl_polygon polygon = pl_law_polygon(limits);
        pl_pyramid_project(&polygon, mu, x, p);
        return;
    }
    if (!is_box(limits)) {
        pl_coulomb_project(mu, x, p);
        return;
    }
    for (int a = 0; a < 3; a++) p[a] = pl_clamp(x[a], limits->lo[a], limits->hi[a]);
}

// K (3) and f (3) over 1 + K eps.
static void soften(const pl_limits *limits, const double *K, const double *f, double *soft_K,
                   double *soft_f)
{
    memcpy(soft_K, K, 3 * sizeof *K);
    memcpy(soft_f, f, 3 * sizeof *f);
    for (int a = 0; a < 3 && limits != NULL; a++) {
        double by = 1 + K[a] * limits->compliance[a];
        soft_K[a] /= by;
        soft_f[a] /= by;
    }
}

void pl_law_push(const pl_limits *limits, double mu, const double *K, const double *f,
                 const double *u, double *F)
{
    double k[3], g[3];
    soften(limits, K, f, k, g);
    const double z[3] = {g[0] - k[0] * u[0], g[1] - k[1] * u[1], g[2] - k[2] * u[2]};
    pl_law_project(limits, mu, z, F);
    if (K[0] == 0 && !is_box(limits)) memset(F, 0, 3 * sizeof *F);
}

static pl_slope cone_slope(double mu, const double *K, const double *f, const double *u,
                           const double *F)
{
    pl_slope J = {0};
    if (!(F[0] > 0)) return J;
    double p1 = f[1] - K[1] * u[1], p2 = f[2] - K[1] * u[2], length = sqrt(p1 * p1 + p2 * p2);
    J.nn = K[0];
    if (length <= mu * F[0]) {
        J.t11 = J.t22 = K[1];
        return J;
    }
    double d1 = p1 / length, d2 = p2 / length, across = mu * F[0] / length * K[1];
    J.t11 = across * d2 * d2;
    J.t12 = -across * d1 * d2;
    J.t22 = across * d1 * d1;
    J.n1 = mu * K[0] * d1;
    J.n2 = mu * K[0] * d2;
    return J;
}

static pl_slope pyramid_slope(const pl_limits *limits, double mu, const double *K, const double *f,
                              const double *u)
{
    pl_polygon polygon = pl_law_polygon(limits);
    const double z[3] = {f[0] - K[0] * u[0], f[1] - K[1] * u[1], f[2] - K[2] * u[2]};
    double p[3], e1, e2, by;
    if (!(z[0] > 0)) return (pl_slope){0};
    pl_polygon_place place = pl_pyramid_project(&polygon, mu, z, p);
    if (place.kind == PL_POLYGON_INSIDE) return (pl_slope){K[0], K[1], 0, K[1], 0, 0};
    e1 = place.d[0], e2 = place.d[1];
    if (place.kind == PL_POLYGON_CORNER) {
        return (pl_slope){K[0], 0, 0, 0, mu * K[0] * e1, mu * K[0] * e2};
    }
    by = polygon.apothem * mu * K[0];
    return (pl_slope){K[0], K[1] * e2 * e2, -K[1] * e1 * e2, K[1] * e1 * e1, by * e1, by * e2};
}

pl_slope pl_law_slope(const pl_limits *limits, double mu, const double *K, const double *f,
                      const double *u, const double *F)
{
    double k[3], g[3];
    soften(limits, K, f, k, g);
    if (pl_law_is_pyramid(limits)) return pyramid_slope(limits, mu, k, g, u);
    if (!is_box(limits)) return cone_slope(mu, k, g, u, F);
    for (int a = 0; a < 3; a++) {
        if (!(F[a] > limits->lo[a] && F[a] < limits->hi[a])) k[a] = 0;
    }
    return (pl_slope){.nn = k[0], .t11 = k[1], .t22 = k[2]};
}

// --- How well a block obeys ---

void pl_law_velocity(const pl_limits *limits, const double *u, const double *f, double *w)
{
    for (int a = 0; a < 3; a++) w[a] = limits != NULL ? u[a] + limits->compliance[a] * f[a] : u[a];
}

void pl_box_map(const pl_limits *limits, double s, const double *u, const double *f, double *d)
{
    pl_box_map_at(limits->lo, limits->hi, limits->compliance, s, u, f, d);
}

double pl_law_impossible(const pl_limits *limits, const double *u)
{
    if (!is_box(limits)) {
        return limits == NULL || limits->compliance[0] == 0 ? fmax(-u[0], 0) : 0;
    }
    double most = 0;
    for (int a = 0; a < 3; a++) {
        if (limits->compliance[a] > 0) continue;
        if (limits->lo[a] == -INFINITY && limits->lo[a] < limits->hi[a]) most = fmax(most, u[a]);
        if (limits->hi[a] == INFINITY) most = fmax(most, -u[a]);
    }
    return most;
}
