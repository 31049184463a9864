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
#include "integrator.h"
#include "balance.h"
#include "elements.h"
#include "step.h"
#include "contact_step.h"

#include <math.h>
#include <string.h>

// A vertex that moves less than this part of an element in a step rests.
static const double STILL = 1e-4;
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
    s->first = pl_alloc_zero(world->system.n_block, sizeof *s->first);
    s->pushed = pl_alloc_zero(world->state.n_vert, sizeof *s->pushed);
    s->ahead = pl_alloc_zero(world->bodies.n, sizeof *s->ahead);
    s->damping = pl_alloc(2 * (int64_t)world->state.n_vert, sizeof *s->damping);
    s->size = pl_alloc_zero(world->bodies.n, sizeof *s->size);
    s->p = pl_alloc_zero(3 * (int64_t)world->system.n_block, sizeof *s->p);
    s->q = pl_alloc_zero(3 * (int64_t)world->system.n_block, sizeof *s->q);
    return s->first != NULL && s->pushed != NULL && s->ahead != NULL && s->damping != NULL &&
           s->size != NULL && s->p != NULL && s->q != NULL &&
           allocate_history(world->state.n_vert, &s->last) &&
           allocate_history(world->state.n_vert, &s->saved);
}

static pl_status create(pl_world *world)
{
    pl_bdf2 *s = world->past.bdf2 = pl_alloc_zero(1, sizeof *s);
    if (s == NULL || !allocate(world, s)) return PL_ERROR_MEMORY; // destroy gives it back
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
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

static void destroy(pl_world *world)
{
    pl_bdf2 *s = world->past.bdf2;
    world->past.bdf2 = NULL;
    if (s == NULL) return;
    free_history(&s->last);
    free_history(&s->saved);
    pl_free(s->first);
    pl_free(s->pushed);
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
    const pl_bdf2 *s = world->past.bdf2;
    int64_t at = 3 * vertex + k;
    return (1 - s->gamma) * mass_factor(s, world->dt, vertex) * s->last.w[at] +
           (world->state.v[at] + s->kappa * s->last.dv[at]) / s->gamma;
}

// Takes a block to first order, in A and b.
static void make_first(pl_world *world, int64_t block)
{
    pl_bdf2 *s = world->past.bdf2;
    if (s->first[block]) return;
    s->first[block] = 1;
    double *b = world->system.b + 3 * block;
    if (block >= world->state.n_vert) {
        int64_t part = block - world->state.n_vert;
        memcpy(b, world->system.rigid[part / 2].b + 3 * (part % 2), 3 * sizeof *b);
        return;
    }
    double *given = world->balance != NULL && world->balance->is_given
                        ? world->balance->given + 3 * block
                        : NULL;
    double m = world->system.fem.mass[block],
           *A = world->system.A.val + 9 * world->system.A.diag[block];
    double excess = mass_factor(s, world->dt, block) - (1 + world->dt * s->damping[2 * block]);
    for (int k = 0; k < 3; k++) {
        double more = m * (world->state.v[3 * block + k] - past_velocity(world, block, k));
        A[4 * k] -= m * excess;
        b[k] += more;
        if (given != NULL) given[k] += more;
    }
}

// Which bodies are linearized where they are going.
static void look_ahead(pl_world *world)
{
    pl_bdf2 *s = world->past.bdf2;
    s->any_ahead = false;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
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
    double *w = world->past.bdf2->p;
    memset(w, 0, 3 * (size_t)world->system.n_block * sizeof *w);
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (!world->past.bdf2->ahead[i]) continue;
        int64_t begin = 3 * (int64_t)b->first, end = begin + 3 * (int64_t)b->mesh->n_vert;
        for (int64_t j = begin; j < end; j++) {
            w[j] =
                world->system.prescribed[j / 3] != 0 ? world->system.v_new[j] : world->state.v[j];
        }
    }
}

// b += K z with z = dt^2 w* + dt beta (1 - gamma) / gamma w_, which is what the linearization and
// the damping leave on the right-hand side. The product is A's, less what the mass has in it.
static void add_stiffness(pl_world *world)
{
    pl_bdf2 *s = world->past.bdf2;
    double dt = world->dt, before = dt * (1 - s->gamma) / s->gamma, *z = s->p, *Az = s->q;
    int64_t n = 3 * (int64_t)world->state.n_vert;
    for (int64_t i = 0; i < n; i++) {
        const double *w = s->last.struck[i / 3] != 0 ? world->state.v : s->last.w;
        z[i] = dt * dt * z[i] + before * s->damping[2 * (i / 3) + 1] * w[i];
    }
    pl_bsr_multiply(&world->system.A, z, Az);
    for (int64_t i = 0; i < n; i++) {
        double mass = world->system.fem.mass[i / 3] * mass_factor(s, dt, i / 3);
        double stiffness = dt * dt + dt / s->gamma * s->damping[2 * (i / 3) + 1];
        world->system.b[i] += (Az[i] - mass * z[i]) / stiffness;
    }
}

// (2) as if all vertices were of second order; for those that are, free fall by it is the guess.
static double assemble_second(pl_world *world)
{
    pl_bdf2 *s = world->past.bdf2;
    double dt = world->dt, g = s->gamma, *x = s->q;
    const pl_fem_weights weights = {.stiffness = dt * dt, .stiffness_beta = dt / g, .project = 1};
    predict(world);
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++)
        x[i] = world->state.x[i] + dt * s->p[i];
    double before = s->any_ahead ? pl_elements_energy(world, world->state.x) : 0;
    double energy = pl_elements_assemble(world, x, &weights, NULL, world->system.b);
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        double factor = 1 / (g * g) + dt / g * s->damping[2 * i];
        world->system.inertia[i] = factor * world->system.fem.mass[i];
    }
    pl_elements_add_inertia(world, world->system.inertia);
    pl_balance_note(world, s->any_ahead ? s->p : NULL, world->system.b, energy);
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        bool second = world->system.prescribed[i] == 0 && s->last.struck[i] == 0;
        for (int k = 0; k < 3; k++) {
            double *b = &world->system.b[3 * i + k], m = world->system.fem.mass[i];
            double given = m * past_velocity(world, i, k) + dt * world->system.f_ext[3 * i + k];
            if (second) world->system.v_new[3 * i + k] = given / (m * mass_factor(s, dt, i));
            *b = given + dt * *b;
        }
    }
    if (s->any_ahead || (s->viscous && g < 1)) add_stiffness(world);
    return s->any_ahead ? before : energy;
}

static double assemble(pl_world *world)
{
    pl_bdf2 *s = world->past.bdf2;
    choose_formula(s, world->dt);
    look_ahead(world);
    double energy = assemble_second(world);
    memset(s->first, 0, (size_t)world->system.n_block * sizeof *s->first);
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        if (world->system.prescribed[i] != 0 || s->last.struck[i] != 0) make_first(world, i);
    }
    return energy;
}

static void inertia(const pl_world *world, double *out)
{
    const pl_bdf2 *s = world->past.bdf2;
    for (int64_t i = 0; i < world->state.n_vert; i++) {
        double first = 1 + world->dt * s->damping[2 * i];
        double factor = s->first[i] ? first : mass_factor(s, world->dt, i);
        out[i] = factor * world->system.fem.mass[i];
    }
}

static double viscosity(const pl_world *world)
{
    return world->dt / world->past.bdf2->gamma;
}

// A pull acts as a contact does: on what it meets at first order.
static void meet_pulls(pl_world *world)
{
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        bool rigid = b->kind == PL_BODY_RIGID;
        for (int32_t j = 0; j < b->n_pull; j++) {
            make_first(world, rigid ? pl_world_rigid_block(world, b->rigid)
                                    : b->first + b->rank[b->pull[j].vertex]);
        }
    }
}

// b for rigid bodies, and a better guess in v_new. What is pulled goes to first order: pull.c adds
// to that.
static void assemble_rigid(pl_world *world)
{
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        const pl_rigid_system *system = &world->system.rigid[r];
        int64_t at = 3 * (int64_t)pl_world_rigid_block(world, (int32_t)r);
        if (world->system.prescribed[at / 3] != 0) continue; // it sleeps
        for (int k = 0; k < 3; k++) {
            double mean = 0.5 * (world->state.rigid[r].v[k] + system->u[k]);
            world->system.b[at + k] = system->A[0] * mean;
            world->system.v_new[at + k] = mean;
        }
    }
    meet_pulls(world);
}

// What rows act on goes to first order.
static void meet_rows(pl_world *world)
{
    const pl_problem *problem = &world->constraints->blocks.problem;
    for (int32_t t = 0; t < problem->n_term; t++) make_first(world, problem->entry[t].block);
}

// --- Momenta ---

// Marks what impulses of constraints act on in this step.
static void mark_pushed(const pl_world *world, uint8_t *pushed)
{
    const pl_blocks *b = &world->constraints->blocks;
    for (int32_t i = 0; i < b->problem.n_constraint; i++) {
        const pl_constraint *block = &b->problem.constraint[i];
        const double *f = b->f + 3 * (int64_t)i;
        if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
        for (int32_t t = block->first; t < block->first + block->count; t++) {
            int32_t at = b->problem.entry[t].block;
            if (at < world->state.n_vert) pushed[at] = 1;
        }
    }
}

// Momentum, centre of mass and the angular momentum about it, from positions and velocities of the
// body's vertices less `back` times and `less` times their past.
static void sum_up(const pl_world *world, const pl_world_body *b, double back, double less,
                   double p[3], double angular_momentum[3])
{
    const pl_history *h = &world->past.bdf2->last;
    const double *origin =
        world->state.x + 3 * (int64_t)b->first; // any near place: it saves digits
    double mass = 0, centre[3] = {0}, cross[3];
    memset(p, 0, 3 * sizeof *p);
    memset(angular_momentum, 0, 3 * sizeof *angular_momentum);
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        double m = world->system.fem.mass[i], x[3], mv[3];
        mass += m;
        for (int k = 0; k < 3; k++) {
            x[k] = world->state.x[3 * i + k] - origin[k] - back * h->w[3 * i + k];
            mv[k] = m * (world->state.v[3 * i + k] - less * h->dv[3 * i + k]);
            centre[k] += m * x[k];
            p[k] += mv[k];
        }
        pl_cross(x, mv, cross);
        for (int k = 0; k < 3; k++) angular_momentum[k] += cross[k];
    }
    pl_cross(centre, p, cross);
    for (int k = 0; k < 3; k++) angular_momentum[k] -= cross[k] / mass;
}

// Does a body stand? What pushes it are the vertices that did in the last step, and they rest.
static bool stands(const pl_world *world, const pl_world_body *b)
{
    const pl_bdf2 *s = world->past.bdf2;
    double most = STILL * s->size[b - world->bodies.body] / world->dt;
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        const double *w = world->system.v_new + 3 * i;
        if (s->pushed[i] != s->last.struck[i]) return false;
        if (s->pushed[i] && pl_dot(w, w) > most * most) return false;
    }
    return true;
}

// Of a deformable body that is of second order all over; see momentum.c. One that is in a part has
// momenta by neither formula. To correct them by the first makes it of first order as a whole, but
// takes what an impact, or friction of what moves, would bring in by the mixture: so only where the
// body stands, the momenta of the solve are left to it.
static bool note_momenta(const pl_world *world, pl_world_body *b)
{
    const pl_bdf2 *s = world->past.bdf2;
    bool any = false;
    if (s->gamma == 1) return false;
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) any = any || s->first[i];
    if (any) b->free = !stands(world, b);
    if (any) return !b->free;
    double p[3], angular_momentum[3];
    sum_up(world, b, 0, 0, b->momentum, b->angular_momentum);
    sum_up(world, b, s->last.dt, 1, p, angular_momentum);
    b->share = s->gamma;
    for (int k = 0; k < 3; k++) {
        b->momentum[k] += s->kappa * (b->momentum[k] - p[k]);
        b->angular_momentum[k] += s->kappa * (b->angular_momentum[k] - angular_momentum[k]);
    }
    for (int64_t i = b->first; i < b->first + b->mesh->n_vert; i++) {
        for (int k = 0; k < 3; k++) {
            b->momentum[k] += s->gamma * world->dt * world->system.f_ext[3 * i + k];
        }
    }
    return true;
}

// What the momenta of this step need to know of its solution.
static void look_back(pl_world *world)
{
    pl_bdf2 *s = world->past.bdf2;
    memset(s->pushed, 0, (size_t)world->state.n_vert);
    mark_pushed(world, s->pushed);
}

// --- The new state ---

// By v_new, the mean velocities over the step, and to those at its end.
static void move(pl_world *world)
{
    pl_bdf2 *s = world->past.bdf2;
    double dt = world->dt, g = s->gamma, *before = s->p;
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++) {
        double w = world->system.v_new[i];
        before[i] = world->state.v[i];
        world->state.x[i] += dt * w;
        world->state.v[i] = s->first[i / 3] != 0 ? w : (w - (1 - g) * s->last.w[i]) / g;
    }
}

static void remember(pl_world *world)
{
    pl_history *h = &world->past.bdf2->last;
    const double *before = world->past.bdf2->p;
    h->dt = world->dt;
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++) {
        h->w[i] = world->system.v_new[i];
        h->dv[i] = world->state.v[i] - before[i];
    }
    for (int64_t i = 0; i < world->state.n_vert; i++) h->struck[i] = world->system.prescribed[i];
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_DEFORMABLE) continue;
        for (int32_t j = 0; j < b->n_pull; j++)
            h->struck[b->first + b->rank[b->pull[j].vertex]] = 1;
    }
    mark_pushed(world, h->struck);
}

static void forget(pl_world *world, const pl_world_body *b)
{
    if (world->past.bdf2 == NULL) return; // the system is not built yet
    memset(world->past.bdf2->last.struck + b->first, 1, (size_t)b->mesh->n_vert);
}

static void rest(pl_world *world, const pl_world_body *b)
{
    if (world->past.bdf2 == NULL) return;
    pl_history *h = &world->past.bdf2->last;
    size_t n = (size_t)b->mesh->n_vert, at = (size_t)b->first;
    memset(h->w + 3 * at, 0, 3 * n * sizeof *h->w);
    memset(h->dv + 3 * at, 0, 3 * n * sizeof *h->dv);
    memset(h->struck + at, 1, n);
}

static void copy_history(const pl_world *world, const pl_history *from, pl_history *to)
{
    size_t n = (size_t)world->state.n_vert;
    to->dt = from->dt;
    memcpy(to->w, from->w, 3 * n * sizeof *to->w);
    memcpy(to->dv, from->dv, 3 * n * sizeof *to->dv);
    memcpy(to->struck, from->struck, n * sizeof *to->struck);
}

static void save(pl_world *world)
{
    copy_history(world, &world->past.bdf2->last, &world->past.bdf2->saved);
}

static void go_back(pl_world *world)
{
    copy_history(world, &world->past.bdf2->saved, &world->past.bdf2->last);
}

// --- Checkpoints ---

static const char LAST_DT[] = "bdf2-dt", LAST_W[] = "bdf2-mean-velocities",
                  LAST_DV[] = "bdf2-changes", STRUCK[] = "bdf2-struck";

static void add_parts(const pl_world *world, pl_parts *parts)
{
    const pl_history *h = world->past.bdf2 != NULL ? &world->past.bdf2->last : NULL;
    size_t n = (size_t)world->state.n_vert;
    if (h == NULL || !(h->dt > 0)) return;
    pl_parts_add(parts, LAST_DT, 1, &h->dt, sizeof h->dt);
    pl_parts_add(parts, LAST_W, 1, h->w, 3 * n * sizeof *h->w);
    pl_parts_add(parts, LAST_DV, 1, h->dv, 3 * n * sizeof *h->dv);
    pl_parts_add(parts, STRUCK, 1, h->struck, n * sizeof *h->struck);
}

// A history in the parts: *fits is false if it could not be one. dt is 0 if there is none.
static pl_history find_history(const pl_world *world, const pl_parts *parts, bool *fits)
{
    int64_t n = world->state.n_vert;
    const double *dt = pl_parts_doubles(parts, LAST_DT, 1, fits);
    pl_history h = {.dt = dt != NULL ? *dt : 0,
                    .w = pl_parts_doubles(parts, LAST_W, 3 * n, fits),
                    .dv = pl_parts_doubles(parts, LAST_DV, 3 * n, fits),
                    .struck = pl_parts_flags(parts, STRUCK, n, fits)};
    bool all = h.w != NULL && h.dv != NULL && h.struck != NULL;
    *fits = *fits && (dt == NULL || (all && *dt > 0));
    return h;
}

static bool check_parts(const pl_world *world, const pl_parts *parts)
{
    bool fits = true;
    find_history(world, parts, &fits);
    return fits;
}

static void take_parts(pl_world *world, const pl_parts *parts)
{
    bool fits = true;
    pl_history h = find_history(world, parts, &fits);
    world->past.bdf2->last.dt = 0;
    if (h.dt > 0) copy_history(world, &h, &world->past.bdf2->last);
}

const pl_integrator_ops pl_bdf2_ops = {.name = "bdf2",
                                       .newton = PL_NEWTON_ADAPTIVE,
                                       .create = create,
                                       .destroy = destroy,
                                       .assemble = assemble,
                                       .inertia = inertia,
                                       .viscosity = viscosity,
                                       .assemble_rigid = assemble_rigid,
                                       .meet_rows = meet_rows,
                                       .move = move,
                                       .solved = look_back,
                                       .note_momenta = note_momenta,
                                       .remember = remember,
                                       .forget = forget,
                                       .rest = rest,
                                       .save = save,
                                       .go_back = go_back,
                                       .add_parts = add_parts,
                                       .check_parts = check_parts,
                                       .take_parts = take_parts};
