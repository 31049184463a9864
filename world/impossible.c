#include "impossible.h"
#include "joint_step.h"
#include "../meshes/geometry.h"
#include "../solvers/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- Two that move as they are told ---

static bool all_given(const pl_world *world, const pl_feature_pair *pair)
{
    int32_t point[4];
    pl_pair_points(&world->contact->boundary, pair, point);
    for (int k = 0; k < 4; k++) {
        if (point[k] < 0) continue;
        if (!pl_boundary_is_given(&world->contact->boundary, world->system.prescribed, point[k]))
            return false;
    }
    return true;
}

// The joint that is off by the most, if no contact is to blame.
static pl_status fail_joint(const pl_world *world, double dt)
{
    double off;
    int32_t worst = pl_joint_step_worst(world, &off);
    if (worst < 0) {
        return pl_fail(PL_ERROR_NUMERICS,
                       "contacts still change after %d rounds in a step of %g s, the shortest that "
                       "halvings allow",
                       (int)world->options.rounds, dt);
    }
    const pl_joint *joint = &world->joints->joint[worst];
    char text[2][PL_BODY_NAME];
    const char *a =
        joint->a.body < 0 ? "the world" : pl_world_body_name(world, joint->a.body, text[0]);
    const char *b =
        joint->b.body < 0 ? "the world" : pl_world_body_name(world, joint->b.body, text[1]);
    return pl_fail(
        PL_ERROR_NUMERICS,
        "joint %d of %s and %s is off by %.3g (m or rad) after %d rounds in a step of %g "
        "s, the shortest that halvings allow; take smaller steps",
        (int)worst, a, b, off, (int)world->options.rounds, dt);
}

pl_status pl_fail_colliding(const pl_world *world, double dt)
{
    const pl_contact_step *contact = world->contact;
    if (contact == NULL || contact->detection.n_hit == 0) return fail_joint(world, dt);
    const pl_detection *d = &contact->detection;
    char text[2][PL_BODY_NAME];
    int64_t shown = 0;
    bool given = false;
    for (int64_t i = 0; i < d->n_hit && !given; i++) {
        given = all_given(world, &d->hit[i].pair);
        if (given) shown = i;
    }
    int32_t point[4];
    pl_pair_points(&contact->boundary, &d->hit[shown].pair, point);
    int second = d->hit[shown].pair.kind == PL_EDGE_EDGE ? 2 : 1;
    const char *a = pl_world_body_name(world, pl_contact_step_owner(world, point[0]), text[0]);
    const char *b = pl_world_body_name(world, pl_contact_step_owner(world, point[second]), text[1]);
    if (given) {
        return pl_fail(
            PL_ERROR_NUMERICS,
            "%s and %s run into each other where both move as they are told: no step can "
            "keep them apart; change one of the motions",
            a, b);
    }
    return pl_fail(PL_ERROR_NUMERICS,
                   "%s and %s still collide after %d rounds in a step of %g s, the shortest that "
                   "halvings allow",
                   a, b, (int)world->options.rounds, dt);
}

// --- Bodies without room ---
//
// The rows ask for J v >= c, with the normals' rows J of what is unknown, and in c what is known.
// Friction asks for more, never for less. Of all v, the one with the least |r|^2 + SLOW |v|^2,
// where r = max(c - J v, 0), leaves violations with J^T r = SLOW v, nearly 0. By Farkas' lemma they
// are the proof that there is no v: r . c is above r . (J v) for all of them that are not far too
// fast. It is found by Newton's method, with conjugate gradients for the rows that are violated.

enum { NEWTON_STEPS = 50, CG_STEPS = 300, HALVINGS = 20 };

static const double SLOW = 1e-5;

// So many times as fast as what comes near, nothing slips away: rows are linear, and in all larger
// motion bodies turn.
static const double SPEEDS = 10;

typedef struct rows {
    const pl_problem *p;
    const double *v_known;     // (3*A.n)
    int64_t n;                 // unknowns and known ones, 3*A.n
    double *scale;             // (A.n) of a block: 0 if it is known, 1/m for what turns
    double *c;                 // (n_constraint) [m/s]
    double *v, *y, *d, *q, *g; // (n)
    double *r, *u;             // (n_constraint)
} rows;

// What an entry of a contact does to the velocity along its normal: the gradient.
static void gradient(const pl_problem *p, const pl_constraint *block, const pl_entry *entry,
                     double out[3])
{
    double turn[3];
    pl_cross(pl_entry_arm(p, entry), block->R, turn); // n . (v x r) = v . (r x n)
    for (int k = 0; k < 3; k++) out[k] = entry->w * block->R[k] + turn[k];
}

// u := J v; only the rows with active > 0, if it is not NULL, others are 0.
static void multiply(const rows *s, const double *v, const double *active, double *u)
{
    for (int32_t i = 0; i < s->p->n_constraint; i++) {
        const pl_constraint *block = &s->p->constraint[i];
        u[i] = 0;
        if (active != NULL && !(active[i] > 0)) continue;
        for (int32_t t = block->first; t < block->first + block->count; t++) {
            const pl_entry *entry = &s->p->entry[t];
            double g[3];
            gradient(s->p, block, entry, g);
            u[i] += s->scale[entry->block] * pl_dot(g, v + 3 * (int64_t)entry->block);
        }
    }
}

// y := J^T r.
static void multiply_transpose(const rows *s, const double *r, double *y)
{
    memset(y, 0, (size_t)s->n * sizeof *y);
    for (int32_t i = 0; i < s->p->n_constraint; i++) {
        const pl_constraint *block = &s->p->constraint[i];
        for (int32_t t = block->first; t < block->first + block->count && r[i] != 0; t++) {
            const pl_entry *entry = &s->p->entry[t];
            double g[3];
            gradient(s->p, block, entry, g);
            for (int k = 0; k < 3; k++) {
                y[3 * (int64_t)entry->block + k] += s->scale[entry->block] * r[i] * g[k];
            }
        }
    }
}

// r := max(c - J v, 0); returns what is to be least.
static double violations(const rows *s, const double *v)
{
    double sum = SLOW * pl_vec_dot(s->n, v, v);
    multiply(s, v, NULL, s->u);
    for (int32_t i = 0; i < s->p->n_constraint; i++) {
        s->r[i] = fmax(s->c[i] - s->u[i], 0);
        sum += s->r[i] * s->r[i];
    }
    return sum;
}

// d := the change of v that is best for the rows that are violated; y holds half the way down.
static void newton_direction(const rows *s)
{
    double *p = s->q, *residual = s->g, *Jp = s->u, rho = pl_vec_dot(s->n, s->y, s->y);
    const double enough = 1e-24 * rho;
    memset(s->d, 0, (size_t)s->n * sizeof *s->d);
    pl_vec_copy(s->n, s->y, p);
    pl_vec_copy(s->n, s->y, residual);
    for (int i = 0; i < CG_STEPS && rho > enough; i++) {
        multiply(s, p, s->r, Jp);
        multiply_transpose(s, Jp, s->y);
        for (int64_t k = 0; k < s->n; k++) s->y[k] += SLOW * p[k];
        double step = rho / pl_vec_dot(s->n, p, s->y);
        for (int64_t k = 0; k < s->n; k++) {
            s->d[k] += step * p[k];
            residual[k] -= step * s->y[k];
        }
        double next = pl_vec_dot(s->n, residual, residual);
        for (int64_t k = 0; k < s->n; k++) p[k] = residual[k] + next / rho * p[k];
        rho = next;
    }
}

// Leaves the least violations in r.
static void minimize(const rows *s)
{
    double sum = violations(s, s->v);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        multiply_transpose(s, s->r, s->y);
        for (int64_t k = 0; k < s->n; k++) s->y[k] -= SLOW * s->v[k];
        newton_direction(s);
        double before = sum, step = 1;
        for (int k = 0; k < HALVINGS; k++, step /= 2) {
            for (int64_t j = 0; j < s->n; j++) s->q[j] = s->v[j] + step * s->d[j];
            sum = violations(s, s->q);
            if (sum < before) break;
        }
        if (!(sum < before)) break;
        pl_vec_copy(s->n, s->q, s->v);
    }
    (void)violations(s, s->v);
}

static bool take(const pl_problem *p, const double *v, rows *s)
{
    int64_t n = 3 * (int64_t)p->A->n, m = p->n_constraint;
    *s = (rows){.p = p, .v_known = v, .n = n};
    s->scale = pl_alloc_zero(p->A->n, sizeof *s->scale);
    s->c = pl_alloc(3 * m, sizeof *s->c);
    s->v = pl_alloc_zero(5 * n, sizeof *s->v);
    if (s->scale == NULL || s->c == NULL || s->v == NULL) return false;
    s->r = s->c + m;
    s->u = s->r + m;
    s->y = s->v + n;
    s->d = s->y + n;
    s->q = s->d + n;
    s->g = s->q + n;
    return true;
}

static void give_back(rows *s)
{
    pl_free(s->scale);
    pl_free(s->c);
    pl_free(s->v);
}

// Turning is measured by what it does at the longest arm, so that all unknowns are alike.
static void fill(rows *s)
{
    const pl_problem *p = s->p;
    for (int32_t t = 0; t < p->n_term; t++) {
        const double *arm = pl_entry_arm(p, &p->entry[t]);
        double *longest = &s->scale[p->entry[t].block];
        *longest = fmax(*longest, sqrt(pl_dot(arm, arm)));
    }
    for (int64_t i = 0; i < p->A->n; i++) {
        s->scale[i] = pl_is_prescribed(p, i) ? 0 : s->scale[i] > 0 ? 1 / s->scale[i] : 1;
    }
    for (int32_t i = 0; i < p->n_constraint; i++) {
        const pl_constraint *block = &p->constraint[i];
        s->c[i] = block->c[0];
        for (int32_t t = block->first; t < block->first + block->count; t++) {
            const pl_entry *entry = &p->entry[t];
            double g[3];
            if (!pl_is_prescribed(p, entry->block)) continue;
            gradient(p, block, entry, g);
            s->c[i] -= pl_dot(g, s->v_known + 3 * (int64_t)entry->block);
        }
    }
}

// Do the violations that are left prove that no velocities hold all rows to `tolerance` [m/s]?
static bool prove(const rows *s, double tolerance)
{
    double sum = 0, asked = 0, fastest = 0, leftover = 0;
    multiply_transpose(s, s->r, s->y);
    for (int32_t i = 0; i < s->p->n_constraint; i++) {
        sum += s->r[i];
        asked += s->r[i] * s->c[i];
        fastest = fmax(fastest, fabs(s->c[i]));
    }
    for (int64_t k = 0; k < s->n; k++) leftover += fabs(s->y[k]);
    return asked - SPEEDS * fastest * leftover > tolerance * sum;
}

// --- Saying it ---

// A solve that failed is laid to a joint if that is off by so many contact tolerances.
static const double MUCH = 100;

// The body of a kind, kinematic or not, that has the most of the violations, other than `but`; -1
// if none has any.
static int32_t find_most(const pl_world *world, const double *share, bool kinematic, int32_t but)
{
    int32_t best = -1;
    for (int32_t i = 0; i < world->bodies.n; i++) {
        bool fits = (world->bodies.body[i].kind == PL_BODY_KINEMATIC) == kinematic && i != but;
        if (fits && share[i] > 0 && (best < 0 || share[i] > share[best])) best = i;
    }
    return best;
}

// `a` and `b` move as they are told; b may be -1.
static pl_status fail_crushed(const pl_world *world, pl_status status, const double *share,
                              int32_t body, int32_t a, int32_t b)
{
    char text[3][PL_BODY_NAME], others[32] = "", and[PL_BODY_NAME + 8] = "";
    int32_t n = 0;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        n += world->bodies.body[i].kind != PL_BODY_KINEMATIC && share[i] > 0;
    }
    if (n > 1) snprintf(others, sizeof others, " (and %d more)", (int)n - 1);
    if (b >= 0) snprintf(and, sizeof and, " and %s", pl_world_body_name(world, b, text[2]));
    bool rigid = world->bodies.body[body].kind == PL_BODY_RIGID;
    return pl_fail(status,
                   "%s%s is crushed: %s%s, moving as told, leave%s no room for it, and no step can "
                   "make any; let what moves stop earlier%s",
                   pl_world_body_name(world, body, text[0]), others,
                   pl_world_body_name(world, a, text[1]), and, b >= 0 ? "" : "s",
                   rigid ? ", or make the body elastic" : "");
}

// Each body's part in the violations, which come in fractions of the largest.
static void share_out(const pl_world *world, const rows *s, double *share)
{
    const pl_contact_step *contact = world->contact;
    double most = 0;
    for (int32_t i = 0; i < s->p->n_constraint; i++) most = fmax(most, s->r[i]);
    for (int32_t i = 0; i < s->p->n_constraint; i++) {
        const pl_row *row = &contact->contacts.row[i];
        int second = row->pair.kind == PL_EDGE_EDGE ? 2 : 1;
        if (!(s->r[i] > 1e-3 * most)) continue;
        share[pl_contact_step_owner(world, row->point[0])] += s->r[i];
        share[pl_contact_step_owner(world, row->point[second])] += s->r[i];
    }
}

// How far a block of a joint is from its law, as motion in the step [m, rad].
static double off_law(const pl_world *world, int32_t k)
{
    const pl_blocks *blocks = &world->constraints->blocks;
    const pl_problem *p = &blocks->problem;
    const pl_constraint *c = &p->constraint[k];
    const pl_limits *limits = pl_limits_of(p, c);
    double sum[3] = {0}, turned[3], worst = 0;
    if (limits == NULL) return 0;
    for (int32_t t = c->first; t < c->first + c->count; t++) {
        const pl_entry *entry = &p->entry[t];
        const double *v = world->system.v_new + 3 * (int64_t)entry->block;
        pl_cross(v, pl_entry_arm(p, entry), turned);
        for (int j = 0; j < 3; j++) sum[j] += entry->w * v[j] + turned[j];
    }
    for (int r = 0; r < 3; r++) {
        double f = blocks->f[3 * (int64_t)k + r];
        double w = pl_dot(c->R + 3 * r, sum) - c->c[r] + limits->compliance[r] * f;
        if (f <= limits->lo[r]) w = PL_MIN(w, 0);
        if (f >= limits->hi[r]) w = PL_MAX(w, 0);
        worst = PL_MAX(worst, fabs(w));
    }
    return world->dt * worst;
}

// A solve that did not converge because of a joint: which.
static pl_status explain_joint(const pl_world *world, pl_status status)
{
    const pl_constraint_step *step = world->constraints;
    double most = 0;
    int32_t joint = -1;
    char text[640], names[2][PL_BODY_NAME];
    for (int32_t k = 0; k < step->blocks.problem.n_constraint; k++) {
        bool couples = step->blocks.id[k].a >= world->joints->n;
        if (step->blocks.id[k].kind != PL_BLOCK_OTHER || couples) continue;
        double off = off_law(world, k);
        if (off > most) most = off, joint = step->blocks.id[k].a;
    }
    if (!(most > MUCH * world->options.contact_tolerance)) return status;
    const pl_joint *j = &world->joints->joint[joint];
    snprintf(text, sizeof text, "%s", pl_error_text());
    return pl_fail(
        status,
        "joint %d of %s and %s is off by %.3g (m or rad) in what it asks for, which other "
        "joints, ranges or motors may contradict (%s)",
        (int)joint, j->a.body < 0 ? "the world" : pl_world_body_name(world, j->a.body, names[0]),
        j->b.body < 0 ? "the world" : pl_world_body_name(world, j->b.body, names[1]), most, text);
}

pl_status pl_explain_failure(const pl_world *world, pl_status status)
{
    const pl_contact_step *contact = world->contact;
    bool ours = status == PL_ERROR_NUMERICS || status == PL_ERROR_TIME;
    bool unsolved =
        status == PL_ERROR_NUMERICS && world->constraints != NULL && world->constraints->unsolved;
    if (unsolved && world->joints != NULL) return explain_joint(world, status);
    if (!ours || contact == NULL || pl_contacts_count(&contact->contacts) == 0) return status;
    if (contact->contacts.first > 0) return status; // the proof knows contacts alone
    char text[1024];                                // what is said if this finds nothing
    snprintf(text, sizeof text, "%s", pl_error_text());
    rows s;
    double *share = pl_alloc_zero(world->bodies.n, sizeof *share);
    bool crushed = false;
    if (take(&world->constraints->blocks.problem, world->system.v_new, &s) && share != NULL) {
        fill(&s);
        minimize(&s);
        crushed = prove(&s, world->constraints->options.contact_tolerance / world->dt);
    }
    if (crushed) share_out(world, &s, share);
    int32_t body = crushed ? find_most(world, share, false, -1) : -1;
    int32_t a = crushed ? find_most(world, share, true, -1) : -1;
    int32_t b = crushed ? find_most(world, share, true, a) : -1;
    pl_fail(status, "%s", text);
    if (body >= 0 && a >= 0) {
        fail_crushed(world, status, share, body, a, b);
        snprintf(text, sizeof text, "max_seconds: the step was given up after %g s of wall clock",
                 world->options.max_seconds);
        if (status == PL_ERROR_TIME) pl_fail_prefix(text);
    }
    give_back(&s);
    pl_free(share);
    return status;
}
