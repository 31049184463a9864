// A contact opens, sticks or slips, and the cases are tried in that order.
//
// Open: q_n >= 0, and f = 0 does.
// Stick: u = 0, f = -S^-1 q, if that lies in the cone.
// Slip: u_n = 0 and u_t = -a f_t with some a > 0, |f_t| = mu f_n. From the normal row
//     f_n = -(q_n + S_nt f_t) / S_nn,
// and put into the tangential rows, with T = S_tt - S_tn S_nt / S_nn and p = q_t - S_tn q_n / S_nn,
//     (T + a I) f_t = -p.
// What is left is one equation for a: h(a) = |f_t(a)| - mu f_n(a) = 0. At a = 0 it is the sticking
// impulse, outside of the cone, so that h > 0; as a grows, f_t vanishes and h tends to mu q_n /
// S_nn < 0. So there is a root, and with it f_n = |f_t| / mu >= 0. As in trust-region methods, 1 /
// |f_t| is nearly linear in a: Newton's method on 1 / |f_t| - 1 / (mu f_n), kept inside of a
// bracket.

#include "coulomb.h"

#include <math.h>
#include <stdbool.h>

// The relative width of a bracket, or mismatch of |f_t| and mu f_n, that rounding allows.
static const double ROOT_TOLERANCE = 1e-14;

enum { MAX_STEPS = 100 };

typedef struct slip {
    double nn, n1, n2;    // S_nn, S_nt
    double t11, t12, t22; // T
    double p1, p2;        // p
    double qn, mu;
} slip;

typedef struct slip_point {
    double fn, f1, f2;
    double length; // |f_t|
    double h;
} slip_point;

static slip_point evaluate(const slip *s, double a)
{
    double d11 = s->t11 + a, d22 = s->t22 + a, det = d11 * d22 - s->t12 * s->t12;
    slip_point at;
    at.f1 = -(d22 * s->p1 - s->t12 * s->p2) / det;
    at.f2 = -(d11 * s->p2 - s->t12 * s->p1) / det;
    at.fn = -(s->qn + s->n1 * at.f1 + s->n2 * at.f2) / s->nn;
    at.length = sqrt(at.f1 * at.f1 + at.f2 * at.f2);
    at.h = at.length - s->mu * at.fn;
    return at;
}

// Newton's step from a. With F = |f_t| and N = mu f_n, (1/F - 1/N)' = -F'/F^2 + N'/N^2.
static double newton(const slip *s, double a, const slip_point *at)
{
    double d11 = s->t11 + a, d22 = s->t22 + a, det = d11 * d22 - s->t12 * s->t12;
    double g1 = -(d22 * at->f1 - s->t12 * at->f2) / det; // f_t' = -(T + a I)^-1 f_t
    double g2 = -(d11 * at->f2 - s->t12 * at->f1) / det;
    double F = at->length, N = s->mu * at->fn;
    double dF = (at->f1 * g1 + at->f2 * g2) / F;
    double dN = -s->mu * (s->n1 * g1 + s->n2 * g2) / s->nn;
    return a - (1 / F - 1 / N) / (dN / (N * N) - dF / (F * F));
}

static slip_point find_slip(const slip *s, double *guess)
{
    double low = 0, high = INFINITY, a = *guess, t = 0.5 * (s->t11 + s->t22);
    // As if T were a multiple of I, and S_nt = 0.
    if (!(a > 0)) a = -sqrt(s->p1 * s->p1 + s->p2 * s->p2) * s->nn / (s->mu * s->qn) - t;
    if (!(a > 0)) a = 0.5 * t;
    slip_point at = evaluate(s, a);
    for (int i = 0; i < MAX_STEPS; i++) {
        if (fabs(at.h) <= ROOT_TOLERANCE * at.length) break;
        if (at.h > 0) {
            low = a;
        } else {
            high = a;
        }
        if (isfinite(high) && high - low <= ROOT_TOLERANCE * high) break;
        double next = at.fn > 0 ? newton(s, a, &at) : -1;
        if (!(next > low && next < high)) {
            next = isinf(high) ? 4 * low + t : 0.5 * (low + high);
        }
        a = next;
        at = evaluate(s, a);
    }
    *guess = a;
    return at;
}

void pl_coulomb_solve(const double *S, const double *q, double mu, double *ratio, double *f)
{
    f[0] = f[1] = f[2] = 0;
    if (q[0] >= 0) return;
    if (mu == 0) {
        f[0] = -q[0] / S[0];
        return;
    }
    const slip s = {.nn = S[0],
                    .n1 = S[1],
                    .n2 = S[2],
                    .t11 = S[4] - S[1] * S[1] / S[0],
                    .t12 = S[5] - S[1] * S[2] / S[0],
                    .t22 = S[8] - S[2] * S[2] / S[0],
                    .p1 = q[1] - S[1] * q[0] / S[0],
                    .p2 = q[2] - S[2] * q[0] / S[0],
                    .qn = q[0],
                    .mu = mu};
    slip_point at = evaluate(&s, 0);
    if (!(at.fn >= 0 && at.h <= 0)) {
        at = find_slip(&s, ratio);
        // The cone's edge, whatever the root's rounding left.
        double limit = mu * at.fn;
        if (at.length > limit) {
            at.f1 *= limit / at.length;
            at.f2 *= limit / at.length;
        }
    }
    f[0] = at.fn, f[1] = at.f1, f[2] = at.f2;
}

void pl_coulomb_project(double mu, const double *x, double *p)
{
    double n = x[0] > 0 ? x[0] : 0, length = sqrt(x[1] * x[1] + x[2] * x[2]), limit = mu * n;
    double shorten = length > limit ? limit / length : 1;
    p[0] = n, p[1] = shorten * x[1], p[2] = shorten * x[2];
}
