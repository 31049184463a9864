// One contact with friction, solved exactly; for C, CUDA and OpenCL. Internal.
//
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

#ifndef PL_COULOMB_KERNEL_H
#define PL_COULOMB_KERNEL_H

#include "../base/portable.h"

// How a contact answers its impulse, with what solving it needs: the relative velocity is u = S f
// + q.
typedef struct pl_coulomb {
    double S[9];          // symmetric positive definite [1/kg]
    double mu;            // friction coefficient
    double ratio;         // |u_t| / |f_t| when it slipped last [1/kg], a guess for the next time
    double nn;            // 1 / S_nn
    double n1, n2;        // S_nt / S_nn
    double t11, t12, t22; // T
    double i11, i12, i22; // T^-1
} pl_coulomb;

// The relative width of a bracket, or mismatch of |f_t| and mu f_n, that rounding allows.
#define PL_SLIP_TOLERANCE 1e-14
#define PL_SLIP_STEPS 100

// Where the search for a is.
typedef struct pl_slip {
    double a, fn, f1, f2;
    double det;    // 1 / det (T + a I)
    double length; // |f_t|
    double h;
} pl_slip;

PL_INLINE void pl_coulomb_prepare_at(const double *S, double mu, pl_coulomb *law)
{
    law->mu = mu;
    law->ratio = 0;
    law->nn = 1 / S[0];
    for (int i = 0; i < 9; i++) law->S[i] = S[i];
    law->n1 = S[1] * law->nn;
    law->n2 = S[2] * law->nn;
    law->t11 = S[4] - S[1] * law->n1;
    law->t12 = S[5] - S[1] * law->n2;
    law->t22 = S[8] - S[2] * law->n2;
    double det = 1 / (law->t11 * law->t22 - law->t12 * law->t12);
    law->i11 = det * law->t22;
    law->i12 = -det * law->t12;
    law->i22 = det * law->t11;
}

// qn is q_n / S_nn.
PL_INLINE pl_slip pl_slip_evaluate(const pl_coulomb *law, double qn, double p1, double p2, double a)
{
    double d11 = law->t11 + a, d22 = law->t22 + a;
    pl_slip at;
    at.a = a;
    at.det = 1 / (d11 * d22 - law->t12 * law->t12);
    at.f1 = at.det * (law->t12 * p2 - d22 * p1);
    at.f2 = at.det * (law->t12 * p1 - d11 * p2);
    at.fn = -(qn + law->n1 * at.f1 + law->n2 * at.f2);
    at.length = sqrt(at.f1 * at.f1 + at.f2 * at.f2);
    at.h = at.length - law->mu * at.fn;
    return at;
}

// Where Newton's method goes. With F = |f_t|, N = mu f_n and f_t' = g = -(T + a I)^-1 f_t, so that
// F' = f_t . g / F and N' = -mu n . g, the step -(1/F - 1/N) / (1/F - 1/N)' is, times F^3 N^2 in
// both parts, (F - N) F^2 N / (N' F^3 - f_t . g N^2).
PL_INLINE double pl_slip_newton(const pl_coulomb *law, const pl_slip *at)
{
    double d11 = law->t11 + at->a, d22 = law->t22 + at->a, F = at->length, N = law->mu * at->fn;
    double g1 = at->det * (law->t12 * at->f2 - d22 * at->f1);
    double g2 = at->det * (law->t12 * at->f1 - d11 * at->f2);
    double fg = at->f1 * g1 + at->f2 * g2, dN = -law->mu * (law->n1 * g1 + law->n2 * g2);
    return at->a + at->h * (F * F) * N / (dN * (F * F * F) - fg * (N * N));
}

PL_INLINE pl_slip pl_slip_find(pl_coulomb *law, double qn, double p1, double p2)
{
    double low = 0, high = INFINITY, a = law->ratio, t = 0.5 * (law->t11 + law->t22);
    // As if T were a multiple of I, and S_nt = 0.
    if (!(a > 0)) a = -sqrt(p1 * p1 + p2 * p2) / (law->mu * qn) - t;
    if (!(a > 0)) a = 0.5 * t;
    pl_slip at = pl_slip_evaluate(law, qn, p1, p2, a);
    for (int i = 0; i < PL_SLIP_STEPS; i++) {
        if (fabs(at.h) <= PL_SLIP_TOLERANCE * at.length) break;
        if (at.h > 0) {
            low = a;
        } else {
            high = a;
        }
        if (isfinite(high) && high - low <= PL_SLIP_TOLERANCE * high) break;
        double next = at.fn > 0 ? pl_slip_newton(law, &at) : -1;
        if (!(next > low && next < high)) {
            next = isinf(high) ? 4 * low + t : 0.5 * (low + high);
        }
        a = next;
        at = pl_slip_evaluate(law, qn, p1, p2, a);
    }
    law->ratio = a;
    return at;
}

PL_INLINE void pl_coulomb_solve_at(pl_coulomb *law, const double *q, double *f)
{
    f[0] = f[1] = f[2] = 0;
    if (q[0] >= 0) return;
    double qn = q[0] * law->nn, mu = law->mu;
    if (mu == 0) {
        f[0] = -qn;
        return;
    }
    double p1 = q[1] - law->n1 * q[0], p2 = q[2] - law->n2 * q[0];
    f[1] = -(law->i11 * p1 + law->i12 * p2);
    f[2] = -(law->i12 * p1 + law->i22 * p2);
    f[0] = -(qn + law->n1 * f[1] + law->n2 * f[2]);
    double limit = mu * f[0];
    if (limit >= 0 && f[1] * f[1] + f[2] * f[2] <= limit * limit) return; // it sticks
    pl_slip at = pl_slip_find(law, qn, p1, p2);
    // The cone's edge, whatever the root's rounding left.
    limit = mu * at.fn;
    double shorten = at.length > limit ? limit / at.length : 1;
    f[0] = at.fn, f[1] = shorten * at.f1, f[2] = shorten * at.f2;
}

PL_INLINE double pl_coulomb_relax_at(pl_coulomb *law, const double *u, double *f)
{
    const double *S = law->S;
    double q[3];
    double old[3] = {f[0], f[1], f[2]};
    for (int a = 0; a < 3; a++) {
        q[a] = u[a] - ((S[3 * a] * f[0] + S[3 * a + 1] * f[1]) + S[3 * a + 2] * f[2]);
    }
    pl_coulomb_solve_at(law, q, f);
    double dn = S[0] * fabs(f[0] - old[0]);
    double d1 = S[4] * (f[1] - old[1]), d2 = S[8] * (f[2] - old[2]), dt = sqrt(d1 * d1 + d2 * d2);
    return dn > dt ? dn : dt;
}

PL_INLINE void pl_coulomb_project_at(double mu, const double *x, double *p)
{
    double n = x[0] > 0 ? x[0] : 0, length = sqrt(x[1] * x[1] + x[2] * x[2]), limit = mu * n;
    double shorten = length > limit ? limit / length : 1;
    p[0] = n, p[1] = shorten * x[1], p[2] = shorten * x[2];
}

#endif
