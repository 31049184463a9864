// Which contacts are open, stick or slip, as printed [VJ19, Alg. 2 and 3] and as we do.
//
// In the paper's terms lambda = f_n, gamma (stick) and gamma' (slip) are -f_t, delta is the
// direction of slip, which here is always t1: the tangents turn with it. So gamma' = (mu lambda',
// 0).
//
// Where we leave the text, and why:
// - Its tests compare with 0, which constraints that hold to rounding never cross for good. Ours
//   compare with shares of contact_tolerance.
// - Line 19 measures a change by the change of impulses, which is 0 for an activation and for slip
//   to stick: these are measured by the distance that they correct. (As printed, too: else nothing
//   would ever be activated.)
// - Line 19 drops turns of delta, which are small by alpha_theta = 0.01 of Alg. 3 line 8, so that a
//   solve can end with friction far off the slip. We turn t1 at once, to where the natural map has
//   it, -(s f_t - u_t) with s the contact's scale (rows.h); and we let the
//   linear problem turn it further: along t2, f_t2 = -mu f_n u_t2 / |u_t| is a row
//   u_t2 + K f_t2 = 0 with K = |u_t| / (mu f_n). With that, the moving average of f_n is no longer
//   needed: on piles of boxes and rings it took more iterations than none.
// - Active rows may contradict each other. The linear problem then ends in a local minimum [4.3],
//   where the printed tests may see nothing to switch. There a contact whose row stays open opens,
//   whatever its impulse, and |s f_t - u_t| > s mu f_n says slip.
// - States may go in circles. A contact that has switched often may do so in fewer evaluations, and
//   not in the same ones as its neighbours.

#include "cr.h"
#include "coulomb.h"

#include <math.h>

// As printed.
static const double ANGLE_TOLERANCE_COS = 0.99978068; // of eps_theta = 1.2 degrees [VJ19, 3.2.1]
static const double ANGLE_STEP = 0.01;                // alpha_theta

// Distances below this share of contact_tolerance are not worth a switch: the sum of several stays
// below contact_tolerance.
static const double SWITCH_SHARE = 0.5;
// For a switch back, or to open, or a turn: less, so that small wrong impulses do not stay.
static const double RETURN_SHARE = 0.3;
// The largest K over s: from there on f_t2 is too small to matter.
static const double COMPLIANCE_MAX = 1e3;

// From this part of mu f_n on, friction is near the cone's edge.
static const double NEAR_EDGE = 0.999;

enum {
    FREE_SWITCHES = 6, // before a contact has to wait
    MAX_WAIT = 5,      // up to 2^this evaluations
};

static void set_rows(pl_cr *cr, int32_t k)
{
    const pl_cr_contact *contact = cr->contact + k;
    bool across =
        !cr->options->vj19 && cr->problem.constraint[k].mu > 0 && cr->y.f[3 * (int64_t)k + 1] != 0;
    switch ((pl_cr_state)contact->state) {
    case PL_CR_OPEN:
        cr->rows[k] = 0;
        break;
    case PL_CR_STICK:
        cr->rows[k] = PL_ROWS_ALL;
        break;
    case PL_CR_SLIP:
        cr->rows[k] = across ? PL_ROW_NORMAL | 4 : PL_ROW_NORMAL;
        break;
    }
    cr->rows[k] &= cr->mask;
}

// Turns t1 to the direction (x, y) of the tangents, not 0; what is stated along them follows.
static void turn(pl_cr *cr, int32_t k, double x, double y)
{
    pl_constraint *contact = cr->problem.constraint + k;
    double length = sqrt(x * x + y * y), *t1 = contact->R + 3, *t2 = contact->R + 6;
    x /= length, y /= length;
    double *pair[] = {contact->c, cr->y.f + 3 * (int64_t)k, cr->u + 3 * (int64_t)k};
    for (int i = 0; i < 3; i++) {
        double a = x * t1[i] + y * t2[i], b = x * t2[i] - y * t1[i];
        t1[i] = a, t2[i] = b;
        double *p = pair[i];
        a = x * p[1] + y * p[2], b = x * p[2] - y * p[1];
        p[1] = a, p[2] = b;
    }
}

// t1 against the impulse, or along the velocity if there is none.
static void turn_along_slip(pl_cr *cr, int32_t k)
{
    const double *f = cr->y.f + 3 * (int64_t)k, *u = cr->u + 3 * (int64_t)k;
    if (f[1] != 0 || f[2] != 0) {
        turn(cr, k, -f[1], -f[2]);
    } else if (u[1] != 0 || u[2] != 0) {
        turn(cr, k, u[1], u[2]);
    }
}

// Along t2 a contact that slips gives way by K, from the velocity as it is.
static void set_compliance(pl_cr *cr, int32_t k)
{
    double s = cr->ws->scale[2 * (int64_t)k + 1], friction = -cr->y.f[3 * (int64_t)k + 1];
    double along = PL_MAX(cr->u[3 * (int64_t)k + 1], 0);
    cr->contact[k].K[2] = friction > 0 ? PL_MIN(along / friction, COMPLIANCE_MAX * s) : 0;
}

// Does the first guess say that contact k sticks? Near the cone's edge the natural map decides.
static bool sticks(const pl_cr *cr, int32_t k)
{
    const double *u = cr->u + 3 * (int64_t)k, *f = cr->y.f + 3 * (int64_t)k;
    double limit = cr->problem.constraint[k].mu * f[0], s = cr->ws->scale[2 * (int64_t)k + 1];
    double x = s * f[1] - u[1], y = s * f[2] - u[2];
    if (limit == 0) return false;
    if (f[1] * f[1] + f[2] * f[2] < NEAR_EDGE * NEAR_EDGE * limit * limit) return true;
    return x * x + y * y < s * limit * s * limit;
}

// Friction is given: a contact is open, or not.
static void start_normal(pl_cr *cr, int32_t k, double e)
{
    double *f = cr->y.f + 3 * (int64_t)k;
    f[0] = PL_MAX(f[0], 0);
    bool active = f[0] > 0 || cr->u[3 * (int64_t)k] < -e;
    cr->contact[k].state = active ? PL_CR_SLIP : PL_CR_OPEN;
}

static void start(pl_cr *cr, int32_t k, double e)
{
    double *f = cr->y.f + 3 * (int64_t)k;
    pl_cr_contact *contact = cr->contact + k;
    pl_coulomb_project(cr->problem.constraint[k].mu, f, f);
    bool closes = cr->u[3 * (int64_t)k] < -e && cr->mask == PL_ROWS_ALL;
    bool active = f[0] > 0 || closes;
    contact->state = !active ? PL_CR_OPEN : sticks(cr, k) ? PL_CR_STICK : PL_CR_SLIP;
    contact->history = f[0];
    if (contact->state == PL_CR_SLIP) {
        turn_along_slip(cr, k);
        if (!cr->options->vj19) set_compliance(cr, k);
    }
}

void pl_cr_states_start(pl_cr *cr)
{
    double e = SWITCH_SHARE * cr->options->contact_tolerance / cr->problem.dt;
    pl_rows_multiply(&cr->problem, NULL, true, cr->y.v, cr->u);
    for (int32_t k = 0; k < cr->problem.n_constraint; k++) {
        cr->contact[k].n_switch = 0;
        cr->contact[k].state = PL_CR_OPEN;
        for (int i = 0; i < 3; i++) cr->contact[k].K[i] = 0;
        bool answers = cr->ws->scale[2 * (int64_t)k] > 0;
        if (!answers) {
            for (int i = 0; i < 3; i++) cr->y.f[3 * (int64_t)k + i] = 0;
        } else if (cr->mask == PL_ROW_NORMAL) {
            start_normal(cr, k, e);
        } else {
            start(cr, k, e);
        }
        set_rows(cr, k);
        pl_cr_precond_update(cr, k);
    }
}

void pl_cr_states_finish(const pl_cr *cr, const pl_constraint *contact, double *f)
{
    for (int64_t k = 0; k < cr->problem.n_constraint; k++) {
        const double *R = cr->problem.constraint[k].R, *to = contact[k].R, *from = cr->y.f + 3 * k;
        double t[3];
        for (int i = 0; i < 3; i++) t[i] = R[3 + i] * from[1] + R[6 + i] * from[2];
        f[3 * k] = from[0];
        f[3 * k + 1] = to[3] * t[0] + to[4] * t[1] + to[5] * t[2];
        f[3 * k + 2] = to[6] * t[0] + to[7] * t[1] + to[8] * t[2];
    }
}

// --- As printed ---

// [Alg. 3] for a contact that slips. Returns the new friction; t1 is turned by the caller, to
// (*x, *y).
static double update_kinetic(const pl_cr *cr, int32_t k, double *x, double *y)
{
    const double *f = cr->y.f + 3 * (int64_t)k, *u = cr->u + 3 * (int64_t)k;
    double mu = cr->problem.constraint[k].mu, normal = PL_MAX(f[0], 0);
    double speed = sqrt(u[1] * u[1] + u[2] * u[2]);
    *x = 1, *y = 0;
    if (-f[1] == mu * f[0]) return -f[1]; // line 3
    // Line 6; below contact_tolerance the direction of slip is noise [VJ19, Fig. 4].
    bool fast = speed * cr->problem.dt > cr->options->contact_tolerance;
    if (fast && u[1] > 0 && u[1] < ANGLE_TOLERANCE_COS * speed) {
        *x += ANGLE_STEP * (u[1] / speed - 1); // lines 7, 8
        *y += ANGLE_STEP * (u[2] / speed);
    }
    return mu * 0.5 * (cr->contact[k].history + normal); // lines 4, 5: a moving average of 2
}

// Takes over what [Alg. 2] wants of contact k: its state, impulse f (in the frame as it is) and
// then t1 at (x, y).
static void accept(pl_cr *cr, int32_t k, pl_cr_state state, const double *f, double x, double y)
{
    pl_cr_contact *contact = cr->contact + k;
    double *to = cr->y.f + 3 * (int64_t)k;
    cr->stats->state_changes += contact->state != state;
    contact->n_switch += contact->state != state;
    contact->state = (uint8_t)state;
    for (int i = 0; i < 3; i++) to[i] = f[i];
    if (x != 1 || y != 0) turn(cr, k, x, y);
    set_rows(cr, k);
    pl_cr_precond_update(cr, k);
}

// [Alg. 2, lines 5-22] for contact k.
static bool switch_printed(pl_cr *cr, int32_t k)
{
    const pl_cr_contact *contact = cr->contact + k;
    const double *u = cr->u + 3 * (int64_t)k, *old = cr->y.f + 3 * (int64_t)k;
    double mu = cr->problem.constraint[k].mu, dt = cr->problem.dt,
           contact_tolerance = cr->options->contact_tolerance;
    double f[3] = {old[0], old[1], old[2]}, x = 1, y = 0, distance = 0;
    pl_cr_state state = contact->state;
    if (state != PL_CR_OPEN && u[0] >= 0 && f[0] <= 0) { // lines 6, 7
        state = PL_CR_OPEN;
        f[0] = f[1] = f[2] = 0;
        distance = dt * u[0];
    } else if (state == PL_CR_OPEN && u[0] <= 0) { // lines 8, 9
        state = PL_CR_SLIP;
        distance = -dt * u[0];
        if (u[1] != 0 || u[2] != 0) x = u[1], y = u[2];
    }
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]), gamma = sqrt(f[1] * f[1] + f[2] * f[2]);
    if (state == PL_CR_STICK) {
        if (gamma > mu * f[0] && u[1] * f[1] + u[2] * f[2] < 0) { // line 12; lambda' = gamma / mu
            state = PL_CR_SLIP;
            x = -f[1], y = -f[2];
        }
    } else if (contact->state == PL_CR_SLIP && state == PL_CR_SLIP && u[1] <= 0) { // line 15
        state = PL_CR_STICK;
        distance = dt * slip;
    }
    double history = contact->history;
    if (contact->state == PL_CR_SLIP && state == PL_CR_SLIP) { // line 18
        double friction = update_kinetic(cr, k, &x, &y), length = sqrt(x * x + y * y);
        f[1] = -friction * x / length;
        f[2] = -friction * y / length;
        history = PL_MAX(f[0], 0);
    } else if (state == PL_CR_SLIP) {
        history = contact->state == PL_CR_STICK && mu > 0 ? gamma / mu : 0;
    }
    const double *s = contact->S; // line 19, in metres
    double dn = s[0] * (f[0] - old[0]), d1 = s[4] * (f[1] - old[1]), d2 = s[8] * (f[2] - old[2]);
    double change = dt * sqrt(dn * dn + d1 * d1 + d2 * d2) / contact->Z;
    // Stick to slip changes neither gamma + gamma' nor a distance: it is always taken.
    bool breaks = contact->state == PL_CR_STICK && state == PL_CR_SLIP;
    if (!(change > contact_tolerance || distance > SWITCH_SHARE * contact_tolerance || breaks))
        return false;
    cr->contact[k].history = history;
    accept(cr, k, state, f, x, y);
    return true;
}

// --- As we do ---

// May contact k switch in this evaluation? Those that have switched often wait for their turn.
static bool has_turn(pl_cr *cr, int32_t k)
{
    uint32_t n = cr->contact[k].n_switch / FREE_SWITCHES;
    uint32_t turns = 1u << PL_MIN(n, MAX_WAIT);
    uint32_t phase = (uint32_t)k * 2654435761u >> 16;
    bool turn = ((uint32_t)cr->evaluations + phase) % turns == 0;
    cr->waits = cr->waits || !turn;
    return turn;
}

// Contact k slips against t (2, not 0), with the friction given.
static void slip_on(pl_cr *cr, int32_t k, const double *t, double friction)
{
    double length = sqrt(t[0] * t[0] + t[1] * t[1]), x = t[0] / length, y = t[1] / length;
    double f[3] = {cr->y.f[3 * (int64_t)k], friction * x, friction * y};
    accept(cr, k, PL_CR_SLIP, f, friction > 0 ? -x : 1, friction > 0 ? -y : 0);
    set_compliance(cr, k);
    pl_cr_precond_update(cr, k);
}

// A contact that sticks.
static bool may_slip(pl_cr *cr, int32_t k, double e)
{
    const double *u = cr->u + 3 * (int64_t)k, *f = cr->y.f + 3 * (int64_t)k;
    double limit = cr->problem.constraint[k].mu * PL_MAX(f[0], 0);
    double s = cr->ws->scale[2 * (int64_t)k + 1], push = sqrt(f[1] * f[1] + f[2] * f[2]);
    bool against = u[1] * f[1] + u[2] * f[2] < SWITCH_SHARE * e * push;
    bool slips = against && s * (push - limit) > SWITCH_SHARE * e;
    double t[2] = {f[1], f[2]};
    if (cr->minimum) {
        for (int i = 0; i < 2; i++) t[i] = s * f[1 + i] - u[1 + i];
        slips = sqrt(t[0] * t[0] + t[1] * t[1]) - s * limit > SWITCH_SHARE * e;
    }
    if (!slips || !has_turn(cr, k)) return false;
    slip_on(cr, k, t, limit);
    return true;
}

// A contact that slips.
static bool may_stick(pl_cr *cr, int32_t k, double e)
{
    const double *u = cr->u + 3 * (int64_t)k, *f = cr->y.f + 3 * (int64_t)k;
    double mu = cr->problem.constraint[k].mu, s = cr->ws->scale[2 * (int64_t)k + 1];
    double speed = sqrt(u[1] * u[1] + u[2] * u[2]), friction = mu * PL_MAX(f[0], 0);
    if (mu > 0 && u[1] <= -RETURN_SHARE * e && speed > SWITCH_SHARE * e && has_turn(cr, k)) {
        cr->contact[k].K[2] = 0;
        accept(cr, k, PL_CR_STICK, f, 1, 0);
        return true;
    }
    double t[2] = {s * f[1] - u[1], s * f[2] - u[2]}, length = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (!(length > 0)) return false;
    double d1 = friction * t[0] / length - f[1], d2 = friction * t[1] / length - f[2];
    if (!(s * sqrt(d1 * d1 + d2 * d2) > RETURN_SHARE * e)) return false;
    slip_on(cr, k, t, friction);
    return true;
}

static bool switch_friction(pl_cr *cr, int32_t k, double e)
{
    switch ((pl_cr_state)cr->contact[k].state) {
    case PL_CR_OPEN:
        return false;
    case PL_CR_STICK:
        return may_slip(cr, k, e);
    case PL_CR_SLIP:
        break;
    }
    return may_stick(cr, k, e);
}

static bool switch_tolerant(pl_cr *cr, int32_t k)
{
    pl_cr_contact *contact = cr->contact + k;
    const double *u = cr->u + 3 * (int64_t)k, *f = cr->y.f + 3 * (int64_t)k;
    double e = cr->options->contact_tolerance / cr->problem.dt, s = cr->ws->scale[2 * (int64_t)k];
    if (!(s > 0)) return false;
    if (cr->mask == PL_ROWS_TANGENT) return switch_friction(cr, k, e);
    bool given = cr->mask == PL_ROW_NORMAL; // friction is
    const double none[3] = {0, given ? f[1] : 0, given ? f[2] : 0};
    if (contact->state == PL_CR_OPEN) {
        if (!(-u[0] > SWITCH_SHARE * e) || !has_turn(cr, k)) return false;
        contact->K[2] = 0;
        bool moves = !given && (u[1] != 0 || u[2] != 0);
        accept(cr, k, PL_CR_SLIP, none, moves ? u[1] : 1, moves ? u[2] : 0);
        return true;
    }
    bool pulls = f[0] <= 0 && u[0] >= -RETURN_SHARE * e;
    bool gives_up = cr->minimum && u[0] > SWITCH_SHARE * e;
    if ((gives_up || (pulls && (-s * f[0] > RETURN_SHARE * e || u[0] > SWITCH_SHARE * e))) &&
        has_turn(cr, k)) {
        accept(cr, k, PL_CR_OPEN, none, 1, 0);
        return true;
    }
    return !given && switch_friction(cr, k, e);
}

bool pl_cr_states_update(pl_cr *cr)
{
    bool changed = false;
    pl_rows_multiply(&cr->problem, NULL, true, cr->y.v, cr->u);
    do {
        cr->evaluations++;
        cr->waits = false;
        for (int32_t k = 0; k < cr->problem.n_constraint; k++) {
            bool one = cr->options->vj19 ? switch_printed(cr, k) : switch_tolerant(cr, k);
            changed = changed || one;
        }
    } while (!changed && cr->waits); // then the next turn comes at once
    return changed;
}
