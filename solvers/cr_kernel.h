// When one contact opens, closes, sticks and slips, as we do (cr_states.c says where and why that
// is not as printed), and what its iterations ask for; for C, CUDA and OpenCL. Internal.

#ifndef PL_CR_KERNEL_H
#define PL_CR_KERNEL_H

#include "coulomb_kernel.h"
#include "rows_kernel.h"

typedef enum pl_cr_state { PL_CR_OPEN, PL_CR_STICK, PL_CR_SLIP } pl_cr_state;

// Contacts are looked at when the residual has dropped by this factor since the last restart, or
// after this many iterations. Doing so more often restarts the recurrence before it has gained
// anything.
#define PL_CR_EVALUATE_DROP 0.1
#define PL_CR_EVALUATE_AFTER 60

// How far below the tolerances the linear problem is solved, so that a contact on which its rows
// and the rules of switching just agree is within contact_tolerance; where that is not enough, by
// halves, down to the least.
#define PL_CR_LINEAR_SHARE 0.5
#define PL_CR_LINEAR_SHARE_MIN 1e-3

// Below this part of its first value the norm of B C^-1 r says that no step helps [VJ19, 4.3].
#define PL_CR_GRADIENT_MIN 1e-14

// Below this cosine between C^-1 r and B C^-1 r the step of [Alg. 1, line 9] would be rounding.
#define PL_CR_COSINE_MIN 1e-12

// Distances below this share of contact_tolerance are not worth a switch: the sum of several stays
// below contact_tolerance.
#define PL_CR_SWITCH_SHARE 0.5
// For a switch back, or to open, or a turn: less, so that small wrong impulses do not stay.
#define PL_CR_RETURN_SHARE 0.3
// The largest K over s: from there on f_t2 is too small to matter.
#define PL_CR_COMPLIANCE_MAX 1e3
// From this part of mu f_n on, friction is near the cone's edge.
#define PL_CR_NEAR_EDGE 0.999

#define PL_CR_FREE_SWITCHES 6 // before a contact has to wait,
#define PL_CR_MAX_WAIT 5      // up to 2^this evaluations

// A pivot that is nothing but rounding.
#define PL_CR_PIVOT_MIN 1e-13

// What holds for all contacts of an evaluation.
typedef struct pl_cr_rules {
    double e;             // contact_tolerance, as a velocity [m/s]
    uint32_t mask;        // rows that may be active
    uint32_t evaluations; // so far
    int32_t printed;      // tangents do not give way
    int32_t minimum;      // the active rows contradict each other: see [VJ19, 4.3]
} pl_cr_rules;

// A contact, whose t1 turns along its slip.
typedef struct pl_cr_at {
    int32_t state;     // pl_cr_state
    uint32_t n_switch; // how often it has changed
    uint32_t rows;     // bits of the active ones
    double K[3];       // compliance of its rows [1/kg]
    double R[9], c[3], mu;
    double f[3], u[3]; // impulse, and velocity L v - c
    double s[2];       // see pl_contact_scales
} pl_cr_at;

PL_INLINE void pl_cr_set_rows(const pl_cr_rules *rules, pl_cr_at *at)
{
    bool across = !rules->printed && at->mu > 0 && at->f[1] != 0;
    uint32_t slip = across ? PL_ROW_NORMAL | 4 : PL_ROW_NORMAL;
    at->rows = at->state == PL_CR_OPEN ? 0 : at->state == PL_CR_STICK ? PL_ROWS_ALL : slip;
    at->rows &= rules->mask;
}

PL_INLINE void pl_cr_turn_pair(double x, double y, double *p)
{
    double a = x * p[1] + y * p[2], b = x * p[2] - y * p[1];
    p[1] = a, p[2] = b;
}

// Turns t1 to the direction (x, y) of the tangents, not 0; what is stated along them follows.
PL_INLINE void pl_cr_turn_frame(double x, double y, pl_cr_at *at)
{
    double length = sqrt(x * x + y * y);
    x /= length, y /= length;
    for (int i = 0; i < 3; i++) {
        double t1 = at->R[3 + i], t2 = at->R[6 + i];
        at->R[3 + i] = x * t1 + y * t2;
        at->R[6 + i] = x * t2 - y * t1;
    }
    pl_cr_turn_pair(x, y, at->c);
    pl_cr_turn_pair(x, y, at->f);
    pl_cr_turn_pair(x, y, at->u);
}

// t1 against the impulse, or along the velocity if there is none.
PL_INLINE void pl_cr_turn_along_slip(pl_cr_at *at)
{
    if (at->f[1] != 0 || at->f[2] != 0) {
        pl_cr_turn_frame(-at->f[1], -at->f[2], at);
    } else if (at->u[1] != 0 || at->u[2] != 0) {
        pl_cr_turn_frame(at->u[1], at->u[2], at);
    }
}

// Along t2 a contact that slips gives way by K, from the velocity as it is.
PL_INLINE void pl_cr_set_compliance(pl_cr_at *at)
{
    double friction = -at->f[1], along = at->u[1] > 0 ? at->u[1] : 0;
    double most = PL_CR_COMPLIANCE_MAX * at->s[1];
    double K = friction > 0 ? along / friction : 0;
    at->K[2] = K < most ? K : most;
}

// Does the first guess say that the contact sticks? Near the cone's edge the natural map decides.
PL_INLINE bool pl_cr_sticks(const pl_cr_at *at)
{
    const double *u = at->u, *f = at->f;
    double limit = at->mu * f[0], s = at->s[1];
    double x = s * f[1] - u[1], y = s * f[2] - u[2];
    if (limit == 0) return false;
    double edge = PL_CR_NEAR_EDGE * PL_CR_NEAR_EDGE * limit * limit;
    if (f[1] * f[1] + f[2] * f[2] < edge) return true;
    return x * x + y * y < s * limit * s * limit;
}

// The state for the impulse that the solve starts from.
PL_INLINE void pl_cr_start_at(const pl_cr_rules *rules, pl_cr_at *at)
{
    bool given = rules->mask == PL_ROW_NORMAL; // friction is
    bool closes = at->u[0] < -PL_CR_SWITCH_SHARE * rules->e;
    at->state = PL_CR_OPEN;
    at->n_switch = 0;
    for (int i = 0; i < 3; i++) at->K[i] = 0;
    if (!(at->s[0] > 0)) {
        for (int i = 0; i < 3; i++) at->f[i] = 0;
    } else if (given) {
        at->f[0] = at->f[0] > 0 ? at->f[0] : 0;
        if (at->f[0] > 0 || closes) at->state = PL_CR_SLIP;
    } else {
        pl_coulomb_project_at(at->mu, at->f, at->f);
        bool active = at->f[0] > 0 || (closes && rules->mask == PL_ROWS_ALL);
        at->state = !active ? PL_CR_OPEN : pl_cr_sticks(at) ? PL_CR_STICK : PL_CR_SLIP;
        if (at->state == PL_CR_SLIP) {
            pl_cr_turn_along_slip(at);
            if (!rules->printed) pl_cr_set_compliance(at);
        }
    }
    pl_cr_set_rows(rules, at);
}

// Takes over the state, the impulse f (in the frame as it is) and then t1 at (x, y).
PL_INLINE void pl_cr_accept(const pl_cr_rules *rules, int32_t state, double f0, double f1,
                            double f2, double x, double y, pl_cr_at *at)
{
    at->n_switch += at->state != state;
    at->state = state;
    at->f[0] = f0, at->f[1] = f1, at->f[2] = f2;
    if (x != 1 || y != 0) pl_cr_turn_frame(x, y, at);
    pl_cr_set_rows(rules, at);
}

// May contact k switch in this evaluation? Those that have switched often wait for their turn.
PL_INLINE bool pl_cr_has_turn(const pl_cr_rules *rules, uint32_t k, const pl_cr_at *at, bool *waits)
{
    uint32_t n = at->n_switch / PL_CR_FREE_SWITCHES;
    uint32_t turns = 1u << (n < PL_CR_MAX_WAIT ? n : PL_CR_MAX_WAIT);
    uint32_t phase = k * 2654435761u >> 16;
    bool turn = (rules->evaluations + phase) % turns == 0;
    *waits = *waits || !turn;
    return turn;
}

// It slips against (x, y), not 0, with the friction given.
PL_INLINE void pl_cr_slip_on(const pl_cr_rules *rules, double x, double y, double friction,
                             pl_cr_at *at)
{
    double length = sqrt(x * x + y * y);
    x /= length, y /= length;
    pl_cr_accept(rules, PL_CR_SLIP, at->f[0], friction * x, friction * y, friction > 0 ? -x : 1,
                 friction > 0 ? -y : 0, at);
    pl_cr_set_compliance(at);
}

// A contact that sticks.
PL_INLINE bool pl_cr_may_slip(const pl_cr_rules *rules, uint32_t k, pl_cr_at *at, bool *waits)
{
    const double *u = at->u, *f = at->f;
    double limit = at->mu * (f[0] > 0 ? f[0] : 0), s = at->s[1], e = PL_CR_SWITCH_SHARE * rules->e;
    double push = sqrt(f[1] * f[1] + f[2] * f[2]), x = f[1], y = f[2];
    bool against = u[1] * f[1] + u[2] * f[2] < e * push;
    bool slips = against && s * (push - limit) > e;
    if (rules->minimum) {
        x = s * f[1] - u[1], y = s * f[2] - u[2];
        slips = sqrt(x * x + y * y) - s * limit > e;
    }
    if (!slips || !pl_cr_has_turn(rules, k, at, waits)) return false;
    pl_cr_slip_on(rules, x, y, limit, at);
    return true;
}

// A contact that slips.
PL_INLINE bool pl_cr_may_stick(const pl_cr_rules *rules, uint32_t k, pl_cr_at *at, bool *waits)
{
    const double *u = at->u, *f = at->f;
    double mu = at->mu, s = at->s[1], least = PL_CR_RETURN_SHARE * rules->e;
    double speed = sqrt(u[1] * u[1] + u[2] * u[2]), friction = mu * (f[0] > 0 ? f[0] : 0);
    if (mu > 0 && u[1] <= -least && speed > PL_CR_SWITCH_SHARE * rules->e &&
        pl_cr_has_turn(rules, k, at, waits)) {
        at->K[2] = 0;
        pl_cr_accept(rules, PL_CR_STICK, f[0], f[1], f[2], 1, 0, at);
        return true;
    }
    double x = s * f[1] - u[1], y = s * f[2] - u[2], length = sqrt(x * x + y * y);
    if (!(length > 0)) return false;
    double d1 = friction * x / length - f[1], d2 = friction * y / length - f[2];
    if (!(s * sqrt(d1 * d1 + d2 * d2) > least)) return false;
    pl_cr_slip_on(rules, x, y, friction, at);
    return true;
}

PL_INLINE bool pl_cr_switch_friction(const pl_cr_rules *rules, uint32_t k, pl_cr_at *at,
                                     bool *waits)
{
    if (at->state == PL_CR_OPEN) return false;
    return at->state == PL_CR_STICK ? pl_cr_may_slip(rules, k, at, waits)
                                    : pl_cr_may_stick(rules, k, at, waits);
}

// Looks at contact k; returns whether it has changed. *waits becomes true if it would, and it is
// not its turn.
PL_INLINE bool pl_cr_switch_at(const pl_cr_rules *rules, uint32_t k, pl_cr_at *at, bool *waits)
{
    double e = rules->e, s = at->s[0], u = at->u[0], f = at->f[0];
    if (!(s > 0)) return false;
    if (rules->mask == PL_ROWS_TANGENT) return pl_cr_switch_friction(rules, k, at, waits);
    bool given = rules->mask == PL_ROW_NORMAL; // friction is
    double f1 = given ? at->f[1] : 0, f2 = given ? at->f[2] : 0;
    if (at->state == PL_CR_OPEN) {
        if (!(-u > PL_CR_SWITCH_SHARE * e) || !pl_cr_has_turn(rules, k, at, waits)) return false;
        at->K[2] = 0;
        bool moves = !given && (at->u[1] != 0 || at->u[2] != 0);
        pl_cr_accept(rules, PL_CR_SLIP, 0, f1, f2, moves ? at->u[1] : 1, moves ? at->u[2] : 0, at);
        return true;
    }
    bool pulls = f <= 0 && u >= -PL_CR_RETURN_SHARE * e;
    bool gives_up = rules->minimum && u > PL_CR_SWITCH_SHARE * e;
    bool opens = -s * f > PL_CR_RETURN_SHARE * e || u > PL_CR_SWITCH_SHARE * e;
    if ((gives_up || (pulls && opens)) && pl_cr_has_turn(rules, k, at, waits)) {
        pl_cr_accept(rules, PL_CR_OPEN, 0, f1, f2, 1, 0, at);
        return true;
    }
    return !given && pl_cr_switch_friction(rules, k, at, waits);
}

// f (3), along the axes R of a contact that has turned, along those of `to`, whose normal it has.
PL_INLINE void pl_cr_turn_back(const double *R, const double *to, double *f)
{
    double t[3];
    for (int i = 0; i < 3; i++) t[i] = R[3 + i] * f[1] + R[6 + i] * f[2];
    f[1] = to[3] * t[0] + to[4] * t[1] + to[5] * t[2];
    f[2] = to[6] * t[0] + to[7] * t[1] + to[8] * t[2];
}

// out (9) := the inverse of the rows and columns of M in `rows`, 0 elsewhere; by Gauss-Jordan, as M
// is positive definite. A pivot that is nothing but rounding leaves its row out.
PL_INLINE void pl_cr_invert_rows(const double *M, uint32_t rows, double *out)
{
    double work[9], unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            work[3 * i + j] = (rows >> i & rows >> j & 1) != 0 ? M[3 * i + j] : i == j;
        }
    }
    for (int p = 0; p < 3; p++) {
        double pivot = work[4 * p];
        if (!(pivot > PL_CR_PIVOT_MIN * M[4 * p])) {
            rows &= ~(1u << p);
            for (int i = 0; i < 3; i++) work[3 * p + i] = work[3 * i + p] = i == p;
            continue;
        }
        for (int j = 0; j < 3; j++) work[3 * p + j] /= pivot, unit[3 * p + j] /= pivot;
        for (int i = 0; i < 3; i++) {
            double factor = work[3 * i + p];
            if (i == p || factor == 0) continue;
            for (int j = 0; j < 3; j++) {
                work[3 * i + j] -= factor * work[3 * p + j];
                unit[3 * i + j] -= factor * unit[3 * p + j];
            }
        }
    }
    for (int i = 0; i < 9; i++) {
        out[i] = (rows >> (i / 3) & rows >> (i % 3) & 1) != 0 ? unit[i] : 0;
    }
}

#endif
