// BDF2 with contact.
//
// With a step of dt after one of dt / r, and y' = f(y), the formula reads
//
//   y1 - y0 = kappa (y0 - y_) + gamma dt f(y1),
//   gamma = (1 + r) / (1 + 2 r),  kappa = r^2 / (1 + 2 r),
//
// where y_, y0 and y1 are the values one step ago, now and after the step. It is of second order,
// and like backward Euler L-stable; without a past, r = 0, it is backward Euler. It stays stable
// while steps grow by less than 1 + sqrt 2 each time.
//
// For positions, with the mean velocities over a step, w = (x1 - x0) / dt and w_ of the last one,
// it says w = (1 - gamma) w_ + gamma v1. So w can be the unknown: contact rows, the test of the
// whole way, driven vertices and the work they do speak of the displacement dt w, and stay what
// they are. The velocities follow,
//
//   v1 = (w - (1 - gamma) w_) / gamma,                                                        (1)
//
// and from M (v1 - v0 - kappa (v0 - v_)) = gamma dt (f(x1) - C v1), divided by gamma so that the
// stiffness gets dt^2 whatever gamma is,
//
//   M w / gamma^2 + dt C v1 - dt f(x0 + dt w)
//     = M ((1 - gamma) w_ / gamma^2 + (v0 + kappa (v0 - v_)) / gamma).                        (2)
//
// What touches. A velocity that jumps in an impact must not be taken for a past: by (1) a point
// that falls on the floor at the speed V, w = 0, leaves it with V / 2, and kappa (v0 - v_) makes
// 5/4 V of that in the steps that follow, more than it came with. An impact asks for first order,
// and captured in a step it has no more than that. In (2) each vertex may have a gamma of its own,
// since M is diagonal and K has the same factor everywhere: A stays symmetric. So a vertex that a
// contact row acts on in this step, or was pushed in the last one, has gamma = 1 and no past: it
// moves by backward Euler, M (w - v0) = dt f + its impulse, v1 = w, where nothing comes out of an
// impact that did not go in, both sides of a contact get the same impulse, and what rests has v =
// 0. Contact vertices lose little by this, because contacts say where they are. All others, the
// inside of the body above all, stay at second order.
//
// Is a mixture stable? Velocities may be mixed by the usual argument (M is diagonal, and the energy
// norm of each formula falls); for positions we have no proof, but looked for a counterexample: of
// 3,000 chains of up to 8 random springs and masses with random vertices of first order, dt from
// 1e-3 to 1e3 of a natural time, all had a spectral radius below 1. Where vertices changed their
// order at random, with steps that change by factors of 2, or so that the energy is the highest of
// 12 choices in each step, 1,650 runs of 100 to 200 steps never had more energy than at the start;
// single steps brought back up to 6 % of it.
//
// Forces. f(x1) is linearized at x* = x0 + dt w*,
//
//   f(x1) = f(x*) - K dt (w - w*).
//
// With w* = 0, as in backward Euler, that would be enough for second order if K were the stiffness.
// But it is projected to positive semi-definite, and what the projection takes away in compressed
// elements, K' dt w, resists like a damping of first order: a swinging cantilever then lost energy
// in proportion to dt, not to dt^2. With w* = v0 it resists dt (w - v0) only, which is of second
// order. This is the better linearization wherever motion is smooth, also for bodies that turn. It
// is not where an impact stops a part of a body within a step that the rest would go through it;
// such bodies have w* = 0 until the next step, see IMPACT.
//
// Damping. C = alpha M + beta K. The first is diagonal and takes v1 by (1) and each vertex's gamma.
// The second takes (w - (1 - gamma) w_) / gamma for all vertices, lest A lose its symmetry, with v0
// in place of w_ where the past does not count.
//
// Rigid bodies have no stiffness and need no past. Without a row a body moves by the mean of its
// velocities before and after, as it turns by the mean of its spins (rigid.c): exact under gravity,
// and of second order but for damping. With a row it moves by the velocity after, as at first
// order.

#include "bdf2.h"
#include "step.h"
#include "touch.h"

#include <math.h>
#include <string.h>

// A step this many times longer than the last one starts without a past.
static const double LONGEST = 2;
// A body is linearized where it is unless the last step changed the velocities of its vertices that
// were struck by so little that, over a step, it makes less than this part of an element.
static const double IMPACT = 0.1;

// --- Life ---

static bool allocate_history(int64_t n_vert, pl_history *h)
{
    h->w = pl_alloc_zero(3 * n_vert, sizeof *h->w);
    h->dv = pl_alloc_zero(3 * n_vert, sizeof *h->dv);
    h->struck = pl_alloc_zero(n_vert, sizeof *h->struck);
    return h->w != NULL && h->dv != NULL && h->struck != NULL;
}

static void free_history(pl_history *h)
{
    pl_free(h->w);
    pl_free(h->dv);
    pl_free(h->struck);
}

static bool allocate(const pl_world *world, pl_bdf2 *s)
{
    s->first = pl_alloc_zero(world->n_block, sizeof *s->first);
    s->ahead = pl_alloc_zero(world->n_bodies, sizeof *s->ahead);
    s->damping = pl_alloc(2 * (int64_t)world->n_vert, sizeof *s->damping);
    s->size = pl_alloc_zero(world->n_bodies, sizeof *s->size);
    s->p = pl_alloc_zero(3 * (int64_t)world->n_block, sizeof *s->p);
    s->q = pl_alloc_zero(3 * (int64_t)world->n_block, sizeof *s->q);
    return s->first != NULL && s->ahead != NULL && s->damping != NULL && s->size != NULL &&
           s->p != NULL && s->q != NULL && allocate_history(world->n_vert, &s->last) &&
           allocate_history(world->n_vert, &s->saved);
}

pl_status pl_bdf2_create(const pl_world *world, pl_bdf2 **out)
{
    pl_bdf2 *s = *out = pl_alloc_zero(1, sizeof *s);
    if (s == NULL) return PL_ERROR_MEMORY;
    if (!allocate(world, s)) {
        pl_bdf2_destroy(s);
        *out = NULL;
        return PL_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < world->n_bodies; i++) {
        const pl_world_body *b = &world->bodies[i];
        if (b->kind != PL_BODY_DEFORMABLE) continue;
        s->size[i] = cbrt(pl_mesh_volume(b->mesh) / b->mesh->n_tet);
        s->viscous = s->viscous || b->material.stiffness_damping > 0;
        for (int64_t j = b->first; j < b->first + b->mesh->n_vert; j++) {
            s->damping[2 * j] = b->material.mass_damping;
            s->damping[2 * j + 1] = b->material.stiffness_damping;
        }
    }
    return PL_OK;
}

void pl_bdf2_destroy(pl_bdf2 *s)
{
    if (s == NULL) return;
    free_history(&s->last);
    free_history(&s->saved);
    pl_free(s->first);
    pl_free(s->ahead);
    pl_free(s->damping);
    pl_free(s->size);
    pl_free(s->p);
    pl_free(s->q);
    pl_free(s);
}

// --- The system ---

static void choose_formula(pl_bdf2 *s, double dt)
{
    double r = s->last.dt > 0 ? dt / s->last.dt : 0;
    if (r > LONGEST) r = 0;
    s->gamma = (1 + r) / (1 + 2 * r);
    s->kappa = r * r / (1 + 2 * r);
}

// What stands before the mass in A, and with the mass in b, of a vertex of second order: element k
// of its vectors.
static double mass_factor(const pl_bdf2 *s, double dt, int64_t vertex)
{
    return (1 / s->gamma + dt * s->damping[2 * vertex]) / s->gamma;
}

static double past_velocity(const pl_world *world, int64_t vertex, int k)
{
    const pl_bdf2 *s = world->bdf2;
    int64_t at = 3 * vertex + k;
    return (1 - s->gamma) * mass_factor(s, world->dt, vertex) * s->last.w[at] +
           (world->v[at] + s->kappa * s->last.dv[at]) / s->gamma;
}

// Takes a block to first order, in A and b.
static void make_first(pl_world *world, int64_t block)
{
    pl_bdf2 *s = world->bdf2;
    if (s->first[block]) return;
    s->first[block] = 1;
    double *b = world->b + 3 * block;
    if (block >= world->n_vert) {
        int64_t part = block - world->n_vert;
        memcpy(b, world->turn[part / 2].b + 3 * (part % 2), 3 * sizeof *b);
        return;
    }
    double m = world->fem.mass[block], *A = world->A.val + 9 * world->A.diag[block];
    double excess = mass_factor(s, world->dt, block) - (1 + world->dt * s->damping[2 * block]);
    for (int k = 0; k < 3; k++) {
        A[4 * k] -= m * excess;
        b[k] += m * (world->v[3 * block + k] - past_velocity(world, block, k));
    }
}

// Which bodies are linearized where they are going.
static void look_ahead(pl_world *world)
{
    pl_bdf2 *s = world->bdf2;
    s->any_ahead = false;
    for (int64_t i = 0; i < world->n_bodies; i++) {
        const pl_world_body *b = &world->bodies[i];
        s->ahead[i] = 0;
        if (b->kind != PL_BODY_DEFORMABLE || s->gamma == 1) continue;
        double most = 0;
        for (int64_t j = b->first; j < b->first + b->mesh->n_vert; j++) {
            if (s->last.struck[j])
                most = fmax(most, pl_dot(s->last.dv + 3 * j, s->last.dv + 3 * j));
        }
        s->ahead[i] = world->dt * sqrt(most) < IMPACT * s->size[i];
        s->any_ahead = s->any_ahead || s->ahead[i];
    }
}

// p := w*.
static void predict(pl_world *world)
{
    double *w = world->bdf2->p;
    memset(w, 0, 3 * (size_t)world->n_block * sizeof *w);
    for (int64_t i = 0; i < world->n_bodies; i++) {
        const pl_world_body *b = &world->bodies[i];
        if (!world->bdf2->ahead[i]) continue;
        int64_t begin = 3 * (int64_t)b->first, end = begin + 3 * (int64_t)b->mesh->n_vert;
        for (int64_t j = begin; j < end; j++) {
            w[j] = world->known[j / 3] != 0 ? world->v_new[j] : world->v[j];
        }
    }
}

// b += K z with z = dt^2 w* + dt beta (1 - gamma) / gamma w_, which is what the linearization and
// the damping leave on the right-hand side. The product is A's, less what the mass has in it.
static void add_stiffness(pl_world *world)
{
    pl_bdf2 *s = world->bdf2;
    double dt = world->dt, before = dt * (1 - s->gamma) / s->gamma, *z = s->p, *Az = s->q;
    int64_t n = 3 * (int64_t)world->n_vert;
    for (int64_t i = 0; i < n; i++) {
        const double *w = s->last.struck[i / 3] != 0 ? world->v : s->last.w;
        z[i] = dt * dt * z[i] + before * s->damping[2 * (i / 3) + 1] * w[i];
    }
    pl_bsr_multiply(&world->A, z, Az);
    for (int64_t i = 0; i < n; i++) {
        double mass = world->fem.mass[i / 3] * mass_factor(s, dt, i / 3);
        double stiffness = dt * dt + dt / s->gamma * s->damping[2 * (i / 3) + 1];
        world->b[i] += (Az[i] - mass * z[i]) / stiffness;
    }
}

// (2) as if all vertices were of second order; for those that are, free fall by it is the guess.
static double assemble_second(pl_world *world)
{
    pl_bdf2 *s = world->bdf2;
    double dt = world->dt, g = s->gamma, *x = s->q;
    const pl_fem_weights weights = {.mass = 1 / (g * g),
                                    .mass_alpha = dt / g,
                                    .stiffness = dt * dt,
                                    .stiffness_beta = dt / g,
                                    .project = 1};
    predict(world);
    for (int64_t i = 0; i < 3 * (int64_t)world->n_vert; i++) x[i] = world->x[i] + dt * s->p[i];
    double energy = pl_fem_assemble(&world->fem, x, &weights, NULL, &world->A, world->b);
    for (int64_t i = 0; i < world->n_vert; i++) {
        bool second = world->known[i] == 0 && s->last.struck[i] == 0;
        for (int k = 0; k < 3; k++) {
            double *b = &world->b[3 * i + k], m = world->fem.mass[i];
            double given = m * past_velocity(world, i, k) + dt * world->f_ext[3 * i + k];
            if (second) world->v_new[3 * i + k] = given / (m * mass_factor(s, dt, i));
            *b = given + dt * *b;
        }
    }
    if (s->any_ahead || (s->viscous && g < 1)) add_stiffness(world);
    return s->any_ahead ? pl_fem_forces(&world->fem, world->x, NULL) : energy;
}

double pl_bdf2_assemble(pl_world *world)
{
    pl_bdf2 *s = world->bdf2;
    choose_formula(s, world->dt);
    look_ahead(world);
    double energy = assemble_second(world);
    memset(s->first, 0, (size_t)world->n_block * sizeof *s->first);
    for (int64_t i = 0; i < world->n_vert; i++) {
        if (world->known[i] != 0 || s->last.struck[i] != 0) make_first(world, i);
    }
    return energy;
}

// A pull acts as a contact does: on what it meets at first order.
static void meet_pulls(pl_world *world)
{
    for (int64_t i = 0; i < world->n_bodies; i++) {
        const pl_world_body *b = &world->bodies[i];
        bool rigid = b->kind == PL_BODY_RIGID;
        for (int32_t j = 0; j < b->n_pull; j++) {
            make_first(world, rigid ? world->n_vert + 2 * (int64_t)b->rigid
                                    : b->first + b->rank[b->pull[j].vertex]);
        }
    }
}

void pl_bdf2_assemble_rigid(pl_world *world)
{
    if (world->bdf2 == NULL) return;
    for (int64_t r = 0; r < world->n_rigid; r++) {
        const pl_rigid_system *system = &world->turn[r];
        int64_t at = 3 * (world->n_vert + 2 * r);
        for (int k = 0; k < 3; k++) {
            double mean = 0.5 * (world->rigid[r].v[k] + system->u[k]);
            world->b[at + k] = system->A[0] * mean;
            world->v_new[at + k] = mean;
        }
    }
    meet_pulls(world);
}

void pl_bdf2_meet(pl_world *world)
{
    if (world->bdf2 == NULL) return;
    const pl_problem *problem = &world->touch->contacts.problem;
    for (int32_t t = 0; t < problem->n_term; t++) make_first(world, problem->entry[t].block);
}

// --- Momenta ---

// Momentum, centre of mass and the spin about it, from positions and velocities of the body's
// vertices less `back` times and `less` times their past.
static void sum_up(const pl_world *world, const pl_world_body *b, double back, double less,
                   double p[3], double spin[3])
{
    const pl_history *h = &world->bdf2->last;
    const double *origin = world->x + 3 * (int64_t)b->first; // any near place: it saves digits
    double mass = 0, centre[3] = {0}, cross[3];
    memset(p, 0, 3 * sizeof *p);
    memset(spin, 0, 3 * sizeof *spin);
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        double m = world->fem.mass[i], x[3], mv[3];
        mass += m;
        for (int k = 0; k < 3; k++) {
            x[k] = world->x[3 * i + k] - origin[k] - back * h->w[3 * i + k];
            mv[k] = m * (world->v[3 * i + k] - less * h->dv[3 * i + k]);
            centre[k] += m * x[k];
            p[k] += mv[k];
        }
        pl_cross(x, mv, cross);
        for (int k = 0; k < 3; k++) spin[k] += cross[k];
    }
    pl_cross(centre, p, cross);
    for (int k = 0; k < 3; k++) spin[k] -= cross[k] / mass;
}

bool pl_bdf2_note(const pl_world *world, pl_world_body *b)
{
    const pl_bdf2 *s = world->bdf2;
    if (s == NULL || s->gamma == 1) return false;
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        if (s->first[i]) return false;
    }
    double p[3], spin[3];
    sum_up(world, b, 0, 0, b->momentum, b->spin);
    sum_up(world, b, s->last.dt, 1, p, spin);
    b->share = s->gamma;
    for (int k = 0; k < 3; k++) {
        b->momentum[k] += s->kappa * (b->momentum[k] - p[k]);
        b->spin[k] += s->kappa * (b->spin[k] - spin[k]);
    }
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        for (int k = 0; k < 3; k++) {
            b->momentum[k] += s->gamma * world->dt * world->f_ext[3 * i + k];
        }
    }
    return true;
}

// --- The new state ---

void pl_bdf2_move(pl_world *world)
{
    pl_bdf2 *s = world->bdf2;
    double dt = world->dt, g = s->gamma, *before = s->p;
    for (int64_t i = 0; i < 3 * (int64_t)world->n_vert; i++) {
        double w = world->v_new[i];
        before[i] = world->v[i];
        world->x[i] += dt * w;
        world->v[i] = s->first[i / 3] != 0 ? w : (w - (1 - g) * s->last.w[i]) / g;
    }
}

void pl_bdf2_remember(pl_world *world)
{
    if (world->bdf2 == NULL) return;
    pl_history *h = &world->bdf2->last;
    const double *before = world->bdf2->p;
    h->dt = world->dt;
    for (int64_t i = 0; i < 3 * (int64_t)world->n_vert; i++) {
        h->w[i] = world->v_new[i];
        h->dv[i] = world->v[i] - before[i];
    }
    for (int64_t i = 0; i < world->n_vert; i++) h->struck[i] = world->known[i];
    for (int64_t i = 0; i < world->n_bodies; i++) {
        const pl_world_body *b = &world->bodies[i];
        if (b->kind != PL_BODY_DEFORMABLE) continue;
        for (int32_t j = 0; j < b->n_pull; j++)
            h->struck[b->first + b->rank[b->pull[j].vertex]] = 1;
    }
    if (world->touch == NULL) return;
    const pl_contacts *c = &world->touch->contacts;
    for (int32_t i = 0; i < c->problem.n_constraint; i++) {
        const pl_constraint *contact = &c->problem.constraint[i];
        const double *f = c->f + 3 * (int64_t)i;
        if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
        for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
            int32_t block = c->problem.entry[t].block;
            if (block < world->n_vert) h->struck[block] = 1;
        }
    }
}

void pl_bdf2_forget(pl_world *world, const pl_world_body *b)
{
    if (world->bdf2 == NULL) return;
    memset(world->bdf2->last.struck + b->first, 1, (size_t)b->mesh->n_vert);
}

static void copy_history(const pl_world *world, const pl_history *from, pl_history *to)
{
    size_t n = (size_t)world->n_vert;
    to->dt = from->dt;
    memcpy(to->w, from->w, 3 * n * sizeof *to->w);
    memcpy(to->dv, from->dv, 3 * n * sizeof *to->dv);
    memcpy(to->struck, from->struck, n * sizeof *to->struck);
}

void pl_bdf2_save(pl_world *world)
{
    if (world->bdf2 != NULL) copy_history(world, &world->bdf2->last, &world->bdf2->saved);
}

void pl_bdf2_go_back(pl_world *world)
{
    if (world->bdf2 != NULL) copy_history(world, &world->bdf2->saved, &world->bdf2->last);
}
