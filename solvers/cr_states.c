// Which contacts are open, stick or slip, as printed [VJ19, Alg. 2 and 3] and as we do: the latter
// is for devices, too, and stands in cr_kernel.h.
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

#include <math.h>
#include <string.h>

// As printed.
static const double ANGLE_TOLERANCE_COS = 0.99978068; // of eps_theta = 1.2 degrees [VJ19, 3.2.1]
static const double ANGLE_STEP = 0.01;                // alpha_theta

// --- Contacts as the rules see them ---

static pl_cr_rules rules_of(const pl_cr *cr)
{
    return (pl_cr_rules){.e = cr->options->contact_tolerance / cr->problem.dt,
                         .mask = cr->mask,
                         .evaluations = (uint32_t)cr->evaluations,
                         .printed = cr->options->vj19,
                         .minimum = cr->minimum};
}

static void load(const pl_cr *cr, int32_t k, pl_cr_at *at)
{
    const pl_cr_contact *contact = cr->contact + k;
    const pl_constraint *constraint = cr->problem.constraint + k;
    *at = (pl_cr_at){contact->state, contact->n_switch, cr->rows[k], .mu = constraint->mu};
    memcpy(at->K, contact->K, sizeof at->K);
    memcpy(at->R, constraint->R, sizeof at->R);
    memcpy(at->c, constraint->c, sizeof at->c);
    memcpy(at->f, cr->y.f + 3 * (int64_t)k, sizeof at->f);
    memcpy(at->u, cr->u + 3 * (int64_t)k, sizeof at->u);
    memcpy(at->s, cr->ws->scale + 2 * (int64_t)k, sizeof at->s);
}

static void store(pl_cr *cr, int32_t k, const pl_cr_at *at)
{
    pl_cr_contact *contact = cr->contact + k;
    pl_constraint *constraint = cr->problem.constraint + k;
    contact->state = (uint8_t)at->state;
    contact->n_switch = at->n_switch;
    cr->rows[k] = (uint8_t)at->rows;
    memcpy(contact->K, at->K, sizeof at->K);
    memcpy(constraint->R, at->R, sizeof at->R);
    memcpy(constraint->c, at->c, sizeof at->c);
    memcpy(cr->y.f + 3 * (int64_t)k, at->f, sizeof at->f);
    memcpy(cr->u + 3 * (int64_t)k, at->u, sizeof at->u);
    pl_cr_precond_update(cr, k);
}

void pl_cr_states_start(pl_cr *cr)
{
    const pl_cr_rules rules = rules_of(cr);
    pl_rows_multiply(&cr->problem, NULL, true, cr->y.v, cr->u);
    for (int32_t k = 0; k < cr->problem.n_constraint; k++) {
        pl_cr_at at;
        load(cr, k, &at);
        pl_cr_start_at(&rules, &at);
        store(cr, k, &at);
        cr->contact[k].history = at.f[0];
    }
}

void pl_cr_states_finish(const pl_cr *cr, const pl_constraint *contact, double *f)
{
    for (int64_t k = 0; k < cr->problem.n_constraint; k++) {
        memcpy(f + 3 * k, cr->y.f + 3 * k, 3 * sizeof *f);
        pl_cr_turn_back(cr->problem.constraint[k].R, contact[k].R, f + 3 * k);
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
    if (!(change > contact_tolerance || distance > PL_CR_SWITCH_SHARE * contact_tolerance ||
          breaks))
        return false;
    const pl_cr_rules rules = rules_of(cr);
    pl_cr_at at;
    load(cr, k, &at);
    pl_cr_accept(&rules, state, f[0], f[1], f[2], x, y, &at);
    store(cr, k, &at);
    cr->contact[k].history = history;
    return true;
}

// --- As we do ---

static bool switch_tolerant(pl_cr *cr, const pl_cr_rules *rules, int32_t k)
{
    pl_cr_at at;
    load(cr, k, &at);
    if (!pl_cr_switch_at(rules, (uint32_t)k, &at, &cr->waits)) return false;
    store(cr, k, &at);
    return true;
}

bool pl_cr_states_update(pl_cr *cr)
{
    bool changed = false;
    pl_rows_multiply(&cr->problem, NULL, true, cr->y.v, cr->u);
    do {
        cr->evaluations++;
        cr->waits = false;
        const pl_cr_rules rules = rules_of(cr);
        for (int32_t k = 0; k < cr->problem.n_constraint; k++) {
            uint8_t before = cr->contact[k].state;
            bool one = cr->options->vj19 ? switch_printed(cr, k) : switch_tolerant(cr, &rules, k);
            cr->stats->state_changes += cr->contact[k].state != before;
            changed = changed || one;
        }
    } while (!changed && cr->waits); // then the next turn comes at once
    return changed;
}
