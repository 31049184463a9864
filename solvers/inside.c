#include "inside.h"

#include <math.h>
#include <string.h>

// Contacts without friction have a little here: a cone has to have an inside.
static const double LEAST_MU = 1e-4;
// Numbers that must not be 0.
static const double TINY = 1e-300;

// --- The algebra of a cone ---

static double det(const double *a)
{
    return a[0] * a[0] - a[1] * a[1] - a[2] * a[2];
}

static void multiply(const double *S, const double *x, double *y)
{
    y[0] = S[0] * x[0] + S[1] * x[1] + S[2] * x[2];
    y[1] = S[1] * x[0] + S[3] * x[1] + S[4] * x[2];
    y[2] = S[2] * x[0] + S[4] * x[1] + S[5] * x[2];
}

// T := S S.
static void square(const double *S, double *T)
{
    T[0] = S[0] * S[0] + S[1] * S[1] + S[2] * S[2];
    T[1] = S[0] * S[1] + S[1] * S[3] + S[2] * S[4];
    T[2] = S[0] * S[2] + S[1] * S[4] + S[2] * S[5];
    T[3] = S[1] * S[1] + S[3] * S[3] + S[4] * S[4];
    T[4] = S[1] * S[2] + S[3] * S[4] + S[4] * S[5];
    T[5] = S[2] * S[2] + S[4] * S[4] + S[5] * S[5];
}

// S := S^-1, of a positive definite one.
static void invert(double *S)
{
    double c0 = S[3] * S[5] - S[4] * S[4], c1 = S[2] * S[4] - S[1] * S[5];
    double c2 = S[1] * S[4] - S[2] * S[3], c3 = S[0] * S[5] - S[2] * S[2];
    double c4 = S[1] * S[2] - S[0] * S[4], c5 = S[0] * S[3] - S[1] * S[1];
    double d = PL_MAX((S[0] * c0 + S[1] * c1) + S[2] * c2, TINY);
    const double T[6] = {c0 / d, c1 / d, c2 / d, c3 / d, c4 / d, c5 / d};
    memcpy(S, T, sizeof T);
}

// The product of the cone's algebra, and its inverse: y with l o y = b.
static void circle(const double *a, const double *b, double *y)
{
    y[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    y[1] = a[0] * b[1] + b[0] * a[1];
    y[2] = a[0] * b[2] + b[0] * a[2];
}

static void divide(const double *l, const double *b, double *y)
{
    y[0] = (l[0] * b[0] - l[1] * b[1] - l[2] * b[2]) / PL_MAX(det(l), TINY);
    y[1] = (b[1] - y[0] * l[1]) / l[0];
    y[2] = (b[2] - y[0] * l[2]) / l[0];
}

// How far from a along d the cone reaches.
static double reach(const double *a, const double *d)
{
    double A = det(d), B = a[0] * d[0] - a[1] * d[1] - a[2] * d[2], C = det(a);
    double most = d[0] < 0 ? -a[0] / d[0] : INFINITY, q = B * B - A * C;
    if (q < 0) return most;
    double root = sqrt(q), sum = B < 0 ? -B + root : -B - root; // A x^2 + 2 B x + C = 0
    double x1 = sum != 0 ? C / sum : INFINITY, x2 = A != 0 ? sum / A : INFINITY;
    if (x1 > 0) most = PL_MIN(most, x1);
    if (x2 > 0) most = PL_MIN(most, x2);
    return most;
}

static void find_scaling(pl_within *c)
{
    double dz = sqrt(PL_MAX(det(c->z), TINY)), dg = sqrt(PL_MAX(det(c->g), TINY));
    double zb[3], gb[3], w[3], dot = 0, eta = sqrt(dz / dg);
    for (int i = 0; i < 3; i++) {
        zb[i] = c->z[i] / dz, gb[i] = c->g[i] / dg;
        dot += zb[i] * gb[i];
    }
    double gamma = sqrt(0.5 * (1 + dot));
    for (int i = 0; i < 3; i++) w[i] = (zb[i] + (i == 0 ? gb[i] : -gb[i])) / (2 * gamma);
    double S[6] = {w[0],
                   w[1],
                   w[2],
                   1 + w[1] * w[1] / (1 + w[0]),
                   w[1] * w[2] / (1 + w[0]),
                   1 + w[2] * w[2] / (1 + w[0])};
    for (int i = 0; i < 6; i++) {
        c->scale[i] = eta * S[i];
        c->inv[i] = (i == 1 || i == 2 ? -S[i] : S[i]) / eta;
    }
    multiply(c->scale, c->g, c->l);
    if (c->E[0] == 0 && c->E[1] == 0) {
        square(c->inv, c->both);
        return;
    }
    square(c->scale, c->both);
    c->both[0] += c->E[0], c->both[3] += c->E[1], c->both[5] += c->E[1];
    invert(c->both);
}

// --- The start ---

static void start_row(pl_inside *c, int a, const double *W, double z)
{
    const pl_limits *limits = c->limits;
    pl_between *row = c->row + a;
    double lo = limits->lo[a], hi = limits->hi[a], step = z / PL_MAX(W[a], TINY);
    *row = (pl_between){.E = limits->compliance[a]};
    if (pl_is_bilateral(limits, a) || !(lo < hi) || !(W[a] > 0)) return;
    row->f = isinf(lo) ? hi - step : isinf(hi) ? lo + step : 0.5 * (lo + hi);
    row->room[0] = row->f - lo, row->room[1] = hi - row->f;
    for (int i = 0; i < 2; i++) row->z[i] = isinf(row->room[i]) ? 0 : z;
    c->n += (row->z[0] > 0) + (row->z[1] > 0);
    row->D = 1;
    c->used = true;
}

void pl_inside_start(pl_inside *c, const pl_limits *limits, double mu, const double *W, double z)
{
    *c = (pl_inside){.limits = limits, .mu = mu};
    c->box = limits != NULL && limits->law == PL_LAW_BOX;
    for (int a = 0; a < 3 && c->box; a++) start_row(c, a, W, z);
    if (c->box || !(W[0] > 0)) return;
    c->used = true;
    c->n = 1;
    c->cone = (pl_within){.mu = PL_MAX(mu, LEAST_MU), .z = {z}, .g = {z / W[0]}};
    if (limits == NULL) return;
    c->cone.E[0] = limits->compliance[0];
    c->cone.E[1] = c->cone.mu * c->cone.mu * limits->compliance[1];
}

void pl_inside_impulse(const pl_inside *c, double *f)
{
    for (int a = 0; a < 3 && c->box; a++) {
        if (c->row[a].D > 0) f[a] = c->row[a].f;
    }
    if (c->box) return;
    const double *g = c->cone.g;
    for (int a = 0; a < 3; a++) f[a] = c->used ? (a == 0 ? 1 : c->mu) * g[a] : 0;
}

// --- The step ---

static double look_at_row(pl_between *row, double u)
{
    if (!(row->D > 0)) return 0;
    row->lack = u + row->E * row->f - (row->z[0] - row->z[1]);
    double stiff = row->E, sum = 0;
    for (int i = 0; i < 2; i++) {
        if (!(row->z[i] > 0)) continue;
        stiff += row->z[i] / row->room[i];
        sum += row->z[i] * row->room[i];
    }
    row->D = 1 / PL_MAX(stiff, TINY);
    return sum;
}

double pl_inside_look(pl_inside *c, const double *u, pl_sym3 *D)
{
    *D = (pl_sym3){0};
    if (!c->used) return 0;
    if (c->box) {
        double sum = 0;
        for (int a = 0; a < 3; a++) sum += look_at_row(c->row + a, u[a]);
        *D = (pl_sym3){.nn = c->row[0].D, .t11 = c->row[1].D, .t22 = c->row[2].D};
        return sum;
    }
    pl_within *k = &c->cone;
    double w[3], f[3], mu = k->mu;
    for (int a = 0; a < 3; a++) f[a] = (a == 0 ? 1 : mu) * k->g[a];
    pl_law_velocity(c->limits, u, f, w);
    k->lack[0] = w[0] + c->mu * sqrt(w[1] * w[1] + w[2] * w[2]) - k->z[0];
    k->lack[1] = mu * w[1] - k->z[1];
    k->lack[2] = mu * w[2] - k->z[2];
    find_scaling(k);
    const double *S = k->both;
    *D = (pl_sym3){.nn = S[0],
                   .n1 = mu * S[1],
                   .n2 = mu * S[2],
                   .t11 = mu * mu * S[3],
                   .t12 = mu * mu * S[4],
                   .t22 = mu * mu * S[5]};
    return k->z[0] * k->g[0] + k->z[1] * k->g[1] + k->z[2] * k->g[2];
}

static double push_row(pl_between *row, double centre, bool corrects)
{
    row->h = 0;
    for (int i = 0; i < 2; i++) {
        if (!(row->z[i] > 0)) continue;
        double sign = i == 0 ? 1 : -1;
        row->k[i] = centre - row->z[i] * row->room[i];
        if (corrects) row->k[i] -= sign * row->df * row->dz[i];
        row->h += sign * row->k[i] / row->room[i];
    }
    return row->D * (row->h - row->lack);
}

// dg := what follows from M du = m.
static void follow(pl_within *k, const double *m)
{
    double a[3], b[3];
    if (k->E[0] == 0 && k->E[1] == 0) {
        for (int i = 0; i < 3; i++) a[i] = k->lack[i] + m[i];
        multiply(k->inv, a, b);
        for (int i = 0; i < 3; i++) b[i] = k->h[i] - b[i];
        multiply(k->inv, b, k->dg);
        return;
    }
    multiply(k->scale, k->h, a);
    for (int i = 0; i < 3; i++) b[i] = a[i] - k->lack[i] - m[i];
    multiply(k->both, b, k->dg);
}

void pl_inside_push(pl_inside *c, double centre, bool corrects, double *f)
{
    static const double none[3] = {0};
    for (int a = 0; a < 3 && c->box && c->used; a++) {
        if (c->row[a].D > 0) f[a] = push_row(c->row + a, centre, corrects);
    }
    if (c->box || !c->used) return;
    pl_within *k = &c->cone;
    double q[3], a[3], b[3], t[3];
    circle(k->l, k->l, q);
    for (int i = 0; i < 3; i++) q[i] = -q[i];
    if (corrects) {
        multiply(k->inv, k->dz, a);
        multiply(k->scale, k->dg, b);
        circle(a, b, t);
        for (int i = 0; i < 3; i++) q[i] -= t[i];
    }
    q[0] += centre;
    divide(k->l, q, k->h);
    follow(k, none);
    f[0] = k->dg[0], f[1] = k->mu * k->dg[1], f[2] = k->mu * k->dg[2];
}

static double step_row(pl_between *row, double du)
{
    double most = INFINITY;
    if (!(row->D > 0)) return most;
    row->df = row->D * (row->h - row->lack - du);
    for (int i = 0; i < 2; i++) {
        if (!(row->z[i] > 0)) continue;
        double by = i == 0 ? row->df : -row->df;
        row->dz[i] = (row->k[i] - row->z[i] * by) / row->room[i];
        if (by < 0) most = PL_MIN(most, -row->room[i] / by);
        if (row->dz[i] < 0) most = PL_MIN(most, -row->z[i] / row->dz[i]);
    }
    return most;
}

double pl_inside_step(pl_inside *c, const double *du)
{
    double most = INFINITY;
    if (!c->used) return most;
    for (int a = 0; a < 3 && c->box; a++) most = PL_MIN(most, step_row(c->row + a, du[a]));
    if (c->box) return most;
    pl_within *k = &c->cone;
    const double m[3] = {du[0], k->mu * du[1], k->mu * du[2]};
    follow(k, m);
    for (int i = 0; i < 3; i++) k->dz[i] = m[i] + k->E[i > 0] * k->dg[i] + k->lack[i];
    return PL_MIN(reach(k->z, k->dz), reach(k->g, k->dg));
}

static void go_row(pl_between *row, double t)
{
    row->f += t * row->df;
    for (int i = 0; i < 2; i++) {
        if (!(row->z[i] > 0)) continue;
        row->z[i] += t * row->dz[i];
        row->room[i] += i == 0 ? t * row->df : -t * row->df;
    }
}

void pl_inside_go(pl_inside *c, double t)
{
    if (!c->used) return;
    for (int a = 0; a < 3; a++) {
        if (c->box && c->row[a].D > 0) go_row(c->row + a, t);
        if (c->box) continue;
        c->cone.z[a] += t * c->cone.dz[a];
        c->cone.g[a] += t * c->cone.dg[a];
    }
}

double pl_inside_gap(const pl_inside *c, double t)
{
    double sum = 0;
    if (!c->used) return 0;
    for (int a = 0; a < 3; a++) {
        const pl_between *row = c->row + a;
        if (!c->box) {
            sum += (c->cone.z[a] + t * c->cone.dz[a]) * (c->cone.g[a] + t * c->cone.dg[a]);
        }
        for (int i = 0; i < 2 && c->box && row->D > 0; i++) {
            if (!(row->z[i] > 0)) continue;
            double room = row->room[i] + (i == 0 ? t * row->df : -t * row->df);
            sum += (row->z[i] + t * row->dz[i]) * room;
        }
    }
    return sum;
}
