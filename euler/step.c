// One step: in parts that waves do not outrun, each of
//
//     next = v - dt D(v) v + dt f / m + dt g      [Lit13, 4.2], f from the map (elastic.c)
//     v    = next with contact impulses           [Lit13, 4.8-4.19] (contact.c)
//     X    = X - dt D(v) X                        [Lit13, 4.1.1] (advect.c)
//
// and then the layers around the body, its cells and masses anew, and its momenta: D(v) v is not in
// conservative form, and masses change as the map does. What momenta lack, or have too much, is
// given back as a rigid motion of the body.

#include "euler.h"

#include "../base/hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- Bodies that a motion drives ---

static void place_driven(const pl_euler *e, pl_euler_body *body, double time)
{
    double velocity[3];
    const pl_euler_window *w = &body->now;
    pl_euler_motion_at(&body->motion, time, body->offset, velocity);
    for (int64_t at = 0; at < w->count; at++) {
        int32_t place[3];
        pl_euler_place(w, at, place);
        w->node[at] = PL_NODE_EXTENDED;
        for (int k = 0; k < 3; k++) {
            w->X[3 * at + k] = e->h * (w->lo[k] + place[k]) - body->offset[k];
            w->v[3 * at + k] = w->next[3 * at + k] = velocity[k];
        }
    }
}

static pl_status move_driven(const pl_euler *e, pl_euler_body *body, double time)
{
    int32_t lo[3], hi[3];
    double velocity[3];
    pl_euler_motion_at(&body->motion, time, body->offset, velocity);
    for (int k = 0; k < 3; k++) {
        lo[k] = (int32_t)floor((body->lo[k] + body->offset[k]) / e->h);
        hi[k] = (int32_t)ceil((body->hi[k] + body->offset[k]) / e->h);
    }
    PL_TRY(pl_euler_window_move(body, lo, hi));
    place_driven(e, body, time);
    return pl_euler_measure(e, body);
}

// --- The start ---

static void start_free(const pl_euler *e, pl_euler_body *body)
{
    const pl_euler_window *w = &body->now;
    const pl_deformable_options *o = &body->options;
    double centre[3] = {0}, total = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t at = 0; at < w->count; at++) {
            int32_t place[3];
            double x[3];
            pl_euler_place(w, at, place);
            for (int k = 0; k < 3; k++) x[k] = e->h * (w->lo[k] + place[k]);
            for (int k = 0; k < 3 && pass == 0; k++) centre[k] += w->m[at] * x[k];
            total += pass == 0 ? w->m[at] : 0;
            for (int k = 0; k < 3 && pass == 1; k++) {
                int i = (k + 1) % 3, j = (k + 2) % 3;
                const double *a = o->angular_velocity;
                w->v[3 * at + k] =
                    o->velocity[k] + a[i] * (x[j] - centre[j]) - a[j] * (x[i] - centre[i]);
            }
        }
        for (int k = 0; k < 3 && pass == 0; k++) centre[k] /= total;
    }
}

// Free bodies begin in their rest shape.
static pl_status start_body(const pl_euler *e, pl_euler_body *body)
{
    PL_TRY(move_driven(e, body, 0));
    if (body->driven) return PL_OK;
    start_free(e, body);
    pl_euler_extend(e, body);
    PL_TRY(pl_euler_measure(e, body));
    pl_euler_momenta(e, body, body->P, body->L);
    return PL_OK;
}

pl_status pl_euler_start(pl_euler *e)
{
    for (int32_t i = 0; i < e->n_body && !e->started; i++) {
        pl_status status = start_body(e, &e->body[i]);
        if (status == PL_OK) continue;
        return pl_fail(status, "body %d: %s", (int)i, pl_error_text());
    }
    e->started = true;
    return PL_OK;
}

// --- A part of a step ---

static double find_fastest(const pl_euler_body *body)
{
    const pl_euler_window *w = &body->now;
    double v2 = 0;
    for (int64_t at = 0; at < w->count; at++) {
        const double *v = w->v + 3 * at;
        if (w->node[at] != PL_NODE_MASS) continue;
        v2 = fmax(v2, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sqrt(v2);
}

// The longest part of a step: elastic waves of frequency w = 2 c / h, damped by xi = beta w / 2,
// are stable below 2 (sqrt(1 + xi^2) - xi) / w, and differences against the wind below h / |v|.
static double longest_part(const pl_euler *e)
{
    double longest = INFINITY;
    for (int32_t i = 0; i < e->n_body; i++) {
        const pl_euler_body *body = &e->body[i];
        double c = body->driven ? 0 : body->speed;
        double wave = 2 * c / e->h, way = body->fastest / e->h;
        double xi = body->driven ? 0 : 0.5 * body->options.material.stiffness_damping * wave;
        double elastic = c > 0 ? 2 * (sqrt(1 + xi * xi) - xi) / wave : INFINITY;
        longest = fmin(longest, e->options.cfl / (1 / elastic + way));
    }
    return longest;
}

// What gravity and damping do to the momenta. Elastic forces change none.
static void count_impulses(const pl_euler *e, pl_euler_body *body, double dt)
{
    const pl_euler_window *w = &body->now;
    double damping = 1 / (1 + dt * body->options.material.mass_damping), x[3] = {0};
    const double *g = e->options.gravity;
    for (int64_t at = 0; at < w->count; at++) {
        int32_t place[3];
        if (w->m[at] == 0) continue;
        pl_euler_place(w, at, place);
        for (int k = 0; k < 3; k++) x[k] += w->m[at] * e->h * (w->lo[k] + place[k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        body->P[k] = damping * (body->P[k] + dt * body->mass * g[k]);
        body->L[k] = damping * (body->L[k] + dt * (x[i] * g[j] - x[j] * g[i]));
    }
}

// Velocities without contact, in `next`.
static void push(pl_euler *e, pl_euler_body *body, double dt)
{
    if (body->driven) return;
    pl_euler_advect_velocity(e, body, dt);
    pl_euler_push(e, body, dt);
    count_impulses(e, body, dt);
}

static bool is_finite(const pl_euler_body *body)
{
    const pl_euler_window *w = &body->now;
    double sum = 0;
    for (int64_t i = 0; i < 3 * w->count; i++) sum += fabs(w->v[i]) + fabs(w->X[i]);
    return isfinite(sum);
}

static pl_status move(const pl_euler *e, pl_euler_body *body, double dt)
{
    const pl_euler_window *w = &body->now;
    for (int64_t at = 0; at < w->count; at++) {
        if (w->node[at] < PL_NODE_LIGHT) continue;
        memcpy(w->v + 3 * at, w->next + 3 * pl_euler_stands_for(w, at), 3 * sizeof *w->v);
    }
    pl_euler_advect_map(e, body, dt);
    pl_euler_extend(e, body);
    if (!is_finite(body)) return pl_fail(PL_ERROR_NUMERICS, "a body's velocities overflow");
    PL_TRY(pl_euler_measure(e, body));
    const double *before = w->X;
    PL_TRY(pl_euler_window_follow(body));
    if (w->X != before) PL_TRY(pl_euler_measure(e, body));
    pl_euler_set_momenta(e, body, body->P, body->L);
    return PL_OK;
}

static pl_status make_part(pl_euler *e, double time, double dt)
{
    for (int32_t i = 0; i < e->n_body; i++) push(e, &e->body[i], dt);
    double started = pl_seconds();
    PL_TRY(pl_euler_find_contacts(e, dt));
    e->t_contact = pl_seconds() - started;
    PL_TRY(pl_euler_solve_contacts(e));
    e->t_solve = pl_seconds() - started - e->t_contact;
    for (int32_t i = 0; i < e->n_body; i++) {
        pl_euler_body *body = &e->body[i];
        PL_TRY(body->driven ? move_driven(e, body, time + dt) : move(e, body, dt));
        if (!body->driven) pl_euler_stress(e, body);
    }
    return PL_OK;
}

// --- What a step that fails goes back to ---

static pl_status keep(pl_euler *e)
{
    for (int32_t i = 0; i < e->n_body; i++) {
        PL_TRY(pl_euler_window_copy(&e->body[i].now, &e->body[i].saved));
        memcpy(e->body[i].saved_P, e->body[i].P, sizeof e->body[i].P);
        memcpy(e->body[i].saved_L, e->body[i].L, sizeof e->body[i].L);
    }
    return PL_OK;
}

// The first failure is the one to tell.
static pl_status go_back(pl_euler *e, pl_status status)
{
    char text[512];
    snprintf(text, sizeof text, "%s", pl_error_text());
    e->n_past = 0;
    for (int32_t i = 0; i < e->n_body; i++) {
        pl_euler_body *body = &e->body[i];
        pl_euler_window now = body->now;
        body->now = body->saved;
        body->saved = now;
        memcpy(body->P, body->saved_P, sizeof body->P);
        memcpy(body->L, body->saved_L, sizeof body->L);
        if (pl_euler_measure(e, body) == PL_OK) pl_euler_stress(e, body);
    }
    return pl_fail(status, "%s", text);
}

// --- The step ---

typedef struct tally {
    int32_t parts, iterations, contacts, constraints, rescues;
    double solve, collision;
} tally;

static void count(const pl_euler *e, tally *t)
{
    t->parts++;
    t->iterations += e->solve.iterations;
    t->constraints = e->problem.n_constraint;
    t->rescues += e->rescued;
    t->contacts = 0;
    for (int32_t i = 0; i < e->problem.n_constraint; i++) t->contacts += e->f[3 * i] > 0;
    t->solve += e->t_solve;
    t->collision += e->t_contact;
}

static pl_status make_parts(pl_euler *e, tally *t)
{
    double done = 0, dt = e->options.dt;
    for (int32_t i = 0; i < e->n_body; i++) {
        if (!e->body[i].driven) pl_euler_stress(e, &e->body[i]);
    }
    while (done < dt) {
        for (int32_t i = 0; i < e->n_body; i++) e->body[i].fastest = find_fastest(&e->body[i]);
        double left = dt - done, n = ceil(left / longest_part(e) - 1e-9);
        if (!(n + t->parts <= e->options.max_parts)) {
            return pl_fail(PL_ERROR_NUMERICS,
                           "the step takes more than %d parts: material and speeds ask for %.3g s "
                           "each; take a smaller dt, a larger spacing or a softer material, or "
                           "raise max_parts",
                           (int)e->options.max_parts, longest_part(e));
        }
        n = fmax(n, 1);
        PL_TRY(make_part(e, e->time + done, left / n));
        done = n > 1 ? done + left / n : dt;
        count(e, t);
    }
    return PL_OK;
}

static void fill_stats(const pl_euler *e, const tally *t, double seconds, pl_step_stats *s)
{
    const pl_contact_errors *errors = &e->solve.errors;
    *s = (pl_step_stats){.step = e->steps,
                         .time = e->time,
                         .dt = e->options.dt,
                         .bodies = e->n_body,
                         .contacts = t->contacts,
                         .constraints = t->constraints,
                         .iterations = t->iterations,
                         .rounds = 1,
                         .halvings = t->parts - 1,
                         .rescues = t->rescues,
                         .t_collision = t->collision,
                         .t_solve = t->solve,
                         .t_total = seconds,
                         .min_gap = e->min_gap};
    s->t_fem = fmax(seconds - t->collision - t->solve, 0);
    if (e->problem.n_constraint > 0) {
        s->residual = errors->residual;
        s->constraint_error = fmax(errors->penetration, errors->normal);
        s->friction_error = fmax(errors->friction, errors->cone);
        s->fb_error = s->fb_normal = errors->fischer_normal;
    }
    double mass = 0;
    for (int32_t i = 0; i < e->n_body; i++) {
        const pl_euler_body *body = &e->body[i];
        if (body->driven) continue;
        s->kinetic_energy += pl_euler_kinetic(body);
        s->elastic_energy += body->energy;
        s->gravity_energy += pl_euler_gravity_energy(e, body);
        s->inverted += body->inverted;
        mass += body->mass;
    }
    s->v_rms = mass > 0 ? sqrt(2 * s->kinetic_energy / mass) : 0;
    s->hash = pl_euler_hash(e);
}

pl_status pl_euler_make_step(pl_euler *e, pl_step_stats *stats)
{
    double started = pl_seconds();
    tally t = {0};
    PL_TRY(pl_euler_start(e));
    PL_TRY(keep(e));
    pl_status status = make_parts(e, &t);
    if (status != PL_OK) return go_back(e, status);
    e->steps++;
    e->time = (double)e->steps * e->options.dt;
    if (stats != NULL) fill_stats(e, &t, pl_seconds() - started, stats);
    return PL_OK;
}
