// Who sleeps: islands, falling asleep, waking.

#include "sleep.h"
#include "integrator.h"
#include "joints.h"
#include "step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Solvers leave contacts undone by a few micrometres, which is some 10 mm/s in steps of 1 ms, to
// and fro: what is at rest is not slow, but gets nowhere. So it may be as fast as sleep_speed, but
// get no farther than this part of what that takes it in sleep_time.
static const double DRIFT = 0.1;
// A driven vertex that is slower than this part of sleep_speed does not move: rounding does that.
static const double DRIVEN_REST = 1e-6;

// --- Life ---

pl_status pl_sleep_check(const pl_world_options *o)
{
    if (!(o->sleep_speed > 0 && isfinite(o->sleep_speed))) {
        return pl_fail(PL_ERROR_ARGUMENT, "sleep_speed: %g is not above 0 m/s", o->sleep_speed);
    }
    if (!(o->sleep_time >= 0 && isfinite(o->sleep_time))) {
        return pl_fail(PL_ERROR_ARGUMENT, "sleep_time: %g is not 0 s or above", o->sleep_time);
    }
    if (o->sleep && o->vj19) {
        return pl_fail(PL_ERROR_ARGUMENT, "sleep: the loop of vj19 does not know it; set one of "
                                          "them to false");
    }
    return PL_OK;
}

pl_status pl_sleep_create(pl_world *world)
{
    if (!world->options.sleep) return PL_OK;
    world->sleep = pl_alloc_zero(1, sizeof *world->sleep);
    return world->sleep != NULL ? PL_OK : PL_ERROR_MEMORY;
}

void pl_sleep_destroy(pl_sleep *sleep)
{
    if (sleep == NULL) return;
    pl_free(sleep->link);
    pl_free(sleep->anchor);
    pl_free(sleep->point);
    pl_free(sleep->force);
    pl_free(sleep->saved);
    pl_free(sleep->made_for);
    pl_bsr_free(&sleep->A);
    pl_free(sleep);
}

void pl_sleep_forget(pl_world *world)
{
    if (world->sleep == NULL) return;
    world->sleep->n_force = 0;
    world->sleep->n_anchor = 0;
    for (int64_t i = 0; i < world->bodies.n; i++) world->bodies.body[i].quiet = 0;
    pl_bsr_free(&world->sleep->A);
}

static bool sleeps(const pl_world *world, int32_t place)
{
    return place >= 0 && world->bodies.body[place].asleep;
}

// Does a contact that is kept still belong to somebody who sleeps?
static bool point_sleeps(const pl_world *world, const pl_contact_point *c)
{
    return sleeps(world, pl_world_place(world, c->body_a)) ||
           sleeps(world, pl_world_place(world, c->body_b));
}

void pl_sleep_tidy(pl_world *world)
{
    pl_sleep *s = world->sleep;
    int64_t kept = 0;
    for (int64_t i = 0; i < s->n_point; i++) {
        if (point_sleeps(world, &s->point[i])) s->point[kept++] = s->point[i];
    }
    s->n_point = kept;
    kept = 0;
    for (int64_t i = 0; i < s->n_force; i++) {
        if (sleeps(world, s->force[i].a) || sleeps(world, s->force[i].b))
            s->force[kept++] = s->force[i];
    }
    s->n_force = kept;
}

// --- Waking ---

static int compare_memory(const void *a, const void *b)
{
    const pl_remembered *p = a, *q = b;
    return pl_block_id_compare(&p->id, &q->id);
}

// The contacts get back the forces of who woke. They have none of these pairs: two bodies that were
// still have no rows.
static pl_status recall_forces(pl_world *world)
{
    pl_sleep *s = world->sleep;
    if (world->constraints == NULL) return PL_OK;
    pl_blocks *c = &world->constraints->blocks;
    int64_t before = c->n_memory;
    PL_TRY(pl_reserve((void **)&c->memory, &c->memory_capacity, before + s->n_force,
                      sizeof *c->memory));
    for (int64_t i = 0; i < s->n_force; i++) {
        pl_kept_force *kept = &s->force[i];
        if (kept->recalled || sleeps(world, kept->a) || sleeps(world, kept->b)) continue;
        kept->recalled = 1;
        c->memory[c->n_memory++] = kept->memory;
    }
    if (c->n_memory > before)
        qsort(c->memory, (size_t)c->n_memory, sizeof *c->memory, compare_memory);
    return PL_OK;
}

static void rouse(pl_world *world, pl_world_body *b)
{
    b->asleep = false;
    b->quiet = 0;
    world->sleep->n--;
    world->sleep->woke = true;
    if (b->kind == PL_BODY_DEFORMABLE && world->system.ready)
        pl_fem_set_still(&world->system.fem, b->fem, false);
}

pl_status pl_sleep_wake(pl_world *world, int64_t place)
{
    if (world->sleep == NULL || !world->bodies.body[place].asleep) return PL_OK;
    int32_t island = world->bodies.body[place].island;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        pl_world_body *b = &world->bodies.body[i];
        if (b->asleep && b->island == island) rouse(world, b);
    }
    return recall_forces(world);
}

pl_status pl_sleep_disturb(pl_world *world, int64_t place)
{
    if (world->sleep == NULL) return PL_OK;
    PL_TRY(pl_sleep_wake(world, place));
    int32_t id = pl_world_id(world, place);
    for (int64_t i = 0; i < world->sleep->n_point; i++) {
        const pl_contact_point *c = &world->sleep->point[i];
        if (c->body_a != id && c->body_b != id) continue;
        int32_t other = pl_world_place(world, c->body_a != id ? c->body_a : c->body_b);
        if (other >= 0) PL_TRY(pl_sleep_wake(world, other));
    }
    return PL_OK;
}

pl_status pl_sleep_wake_all(pl_world *world)
{
    if (world->sleep == NULL || world->sleep->n == 0) return PL_OK;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        if (world->bodies.body[i].asleep) rouse(world, &world->bodies.body[i]);
    }
    return recall_forces(world);
}

// --- The start of a step ---

pl_status pl_sleep_save(pl_world *world)
{
    pl_sleep *s = world->sleep;
    if (s == NULL) return PL_OK;
    pl_sleep_tidy(world);
    PL_TRY(pl_reserve((void **)&s->saved, &s->saved_capacity, world->bodies.n, sizeof *s->saved));
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        s->saved[i] = (pl_sleep_state){b->quiet, b->asleep, b->island};
    }
    return PL_OK;
}

void pl_sleep_go_back(pl_world *world)
{
    pl_sleep *s = world->sleep;
    if (s == NULL) return;
    s->n = 0;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        pl_world_body *b = &world->bodies.body[i];
        b->quiet = s->saved[i].quiet;
        b->asleep = s->saved[i].asleep != 0;
        b->island = s->saved[i].island;
        s->n += b->asleep;
    }
    for (int64_t i = 0; i < s->n_force; i++) s->force[i].recalled = 0;
}

// The first driven vertex that is no lower than `vertex`.
static int64_t find_driven(const pl_bodies *bodies, int32_t vertex)
{
    int64_t low = 0, high = bodies->n_driven;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (bodies->driven[middle].vertex < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool belongs(const pl_bodies *bodies, int64_t driven, const pl_world_body *b)
{
    return driven < bodies->n_driven && bodies->driven[driven].vertex < b->first + b->mesh->n_vert;
}

// Does a driven vertex of a body move on the way to the time t, or become driven or free?
static bool is_driven(const pl_world *world, const pl_world_body *b, double t)
{
    const pl_bodies *bodies = &world->bodies;
    if (b->kind != PL_BODY_DEFORMABLE) return false;
    double most = DRIVEN_REST * world->options.sleep_speed * (t - world->time);
    for (int64_t i = find_driven(bodies, b->first); belongs(bodies, i, b); i++) {
        const pl_driven *d = &bodies->driven[i];
        const pl_path *path = &bodies->paths[d->motion];
        double target[3], by[3], slack = PL_TIME_SLACK * (t - world->time);
        bool active = pl_path_active(path, t, slack);
        if (active != pl_path_active(path, world->time, slack)) return true;
        if (!active) continue;
        pl_path_apply(path, t, d->x0, target);
        pl_subtract(target, world->state.x + 3 * (int64_t)d->vertex, by);
        if (pl_dot(by, by) > most * most) return true;
    }
    return false;
}

bool pl_sleep_is_total(const pl_world *world, double t)
{
    if (world->sleep == NULL || world->sleep->n == 0) return false;
    if (world->sleep->n < world->bodies.n_deformable + world->state.n_rigid) return false;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind == PL_BODY_KINEMATIC && !pl_path_rests(&b->path, world->time, t)) return false;
        if (is_driven(world, b, t)) return false;
    }
    return true;
}

static bool path_moves(const pl_world *world, int32_t place, double t)
{
    const pl_world_body *b = place >= 0 ? &world->bodies.body[place] : NULL;
    return b != NULL && b->kind == PL_BODY_KINEMATIC && !pl_path_rests(&b->path, world->time, t);
}

// Wakes what rests on a kinematic body that moves, or is joined to it.
static pl_status wake_carried(pl_world *world, double t)
{
    const pl_joints *joints = world->joints;
    for (int64_t i = 0; joints != NULL && i < joints->n; i++) {
        const pl_joint *j = &joints->joint[i];
        if (!pl_joint_holds(j)) continue;
        if (path_moves(world, j->a.body, t) && j->b.body >= 0)
            PL_TRY(pl_sleep_wake(world, j->b.body));
        if (path_moves(world, j->b.body, t) && j->a.body >= 0)
            PL_TRY(pl_sleep_wake(world, j->a.body));
    }
    for (int64_t i = 0; i < world->sleep->n_point; i++) {
        const pl_contact_point *c = &world->sleep->point[i];
        int32_t a = pl_world_place(world, c->body_a), b = pl_world_place(world, c->body_b);
        if (a < 0 || b < 0 || sleeps(world, a) == sleeps(world, b)) continue;
        int32_t sleeper = sleeps(world, a) ? a : b, other = sleeps(world, a) ? b : a;
        if (path_moves(world, other, t)) PL_TRY(pl_sleep_wake(world, sleeper));
    }
    return PL_OK;
}

pl_status pl_sleep_begin(pl_world *world, double t)
{
    if (world->sleep == NULL) return PL_OK;
    PL_TRY(wake_carried(world, t));
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->asleep && is_driven(world, b, t)) PL_TRY(pl_sleep_wake(world, i));
    }
    for (int64_t i = 0; i < world->bodies.n; i++) {
        pl_world_body *b = &world->bodies.body[i];
        b->rests = b->kind == PL_BODY_KINEMATIC && pl_path_rests(&b->path, world->time, t);
        if (b->kind == PL_BODY_DEFORMABLE) pl_fem_set_still(&world->system.fem, b->fem, b->asleep);
    }
    for (int32_t i = 0; world->contact != NULL && i < world->contact->boundary.n_body; i++) {
        const pl_world_body *b = &world->bodies.body[world->contact->boundary.owner[i]];
        world->contact->boundary.still[i] = b->asleep || b->rests;
    }
    world->sleep->woke = false;
    return PL_OK;
}

void pl_sleep_prescribe(pl_world *world)
{
    if (world->sleep == NULL || world->sleep->n == 0) return;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (!b->asleep) continue;
        bool rigid = b->kind == PL_BODY_RIGID;
        int64_t first = rigid ? pl_world_rigid_block(world, b->rigid) : b->first;
        size_t n = rigid ? 2 : (size_t)b->mesh->n_vert;
        memset(world->system.prescribed + first, 1, n);
        memset(world->system.v_new + 3 * first, 0, 3 * n * sizeof *world->system.v_new);
    }
}

// --- Who is touched ---

// Is the motion of one of a pair's points in the body given, and not 0?
static bool moves_by_itself(const pl_world *world, const pl_near *at, int32_t body)
{
    const pl_boundary *boundary = &world->contact->boundary;
    if (boundary->carrier[body] == PL_CARRIER_PATH) return !boundary->still[body];
    if (boundary->carrier[body] != PL_CARRIER_VERTICES) return false;
    for (int k = 0; k < 4 && at->point[k] >= 0; k++) {
        if (boundary->body[at->point[k]] != body) continue;
        int64_t block = boundary->vertex[at->point[k]];
        const double *v = world->system.v_new + 3 * block;
        if (world->system.prescribed[block] && pl_dot(v, v) > 0) return true;
    }
    return false;
}

pl_status pl_sleep_wake_near(pl_world *world)
{
    if (world->sleep == NULL || world->sleep->n == 0) return PL_OK;
    const pl_boundary *boundary = &world->contact->boundary;
    const pl_candidate_set *c = &world->contact->detection.candidates;
    for (int64_t k = 0; k < c->n_near; k++) {
        const pl_near *at = &c->near[k];
        bool first = sleeps(world, boundary->owner[at->a]);
        if (first == sleeps(world, boundary->owner[at->b])) continue;
        int32_t sleeper = first ? at->a : at->b;
        if (!moves_by_itself(world, at, sleeper == at->a ? at->b : at->a)) continue;
        pl_contact_pair p = {
            .pair = pl_candidate_pair(&c->candidate[at->candidate]), .a = at->a, .b = at->b};
        memcpy(p.point, at->point, sizeof p.point);
        double near = pl_boundary_near(boundary, at->a, at->b) +
                      pl_candidates_approach(c, p.pair.kind, at->point);
        if (pl_contact_pair_closest(&p, boundary->x0).distance <= near)
            PL_TRY(pl_sleep_wake(world, boundary->owner[sleeper]));
    }
    return PL_OK;
}

pl_status pl_sleep_wake_pushed(pl_world *world, bool any)
{
    if (world->sleep == NULL || world->sleep->n == 0 || world->contact == NULL) return PL_OK;
    const pl_contacts *c = &world->contact->contacts;
    for (int32_t i = 0; i < pl_contacts_count(c); i++) {
        const pl_row *row = &c->row[i];
        if (!any && !(pl_contacts_f(c, i)[0] > 0 || row->impact[0] > 0)) continue;
        int second = row->pair.kind == PL_EDGE_EDGE ? 2 : 1;
        PL_TRY(pl_sleep_wake(world, pl_contact_step_owner(world, row->point[0])));
        PL_TRY(pl_sleep_wake(world, pl_contact_step_owner(world, row->point[second])));
    }
    return PL_OK;
}

// --- Contacts that are kept ---

int64_t pl_sleep_count_points(const pl_world *world)
{
    return world->sleep != NULL ? world->sleep->n_point : 0;
}

int32_t pl_sleep_publish(const pl_world *world, pl_contact_point *point)
{
    int32_t n = 0;
    for (int64_t i = 0; i < pl_sleep_count_points(world); i++) {
        if (point_sleeps(world, &world->sleep->point[i])) point[n++] = world->sleep->point[i];
    }
    return n;
}

double pl_sleep_gap(const pl_world *world)
{
    double least = INFINITY;
    for (int64_t i = 0; i < pl_sleep_count_points(world); i++) {
        const pl_contact_point *c = &world->sleep->point[i];
        if (point_sleeps(world, c)) least = PL_MIN(least, c->gap);
    }
    return least;
}

// Room for all that may be kept after a step.
static pl_status reserve(pl_world *world)
{
    pl_sleep *s = world->sleep;
    int32_t n;
    int64_t n_anchor = 3 * (int64_t)world->published.n;
    pl_world_contacts(world, &n);
    int64_t n_force = world->constraints != NULL ? world->constraints->blocks.n_memory : 0;
    PL_TRY(pl_reserve((void **)&s->link, &s->link_capacity, 2 * world->bodies.n, sizeof *s->link));
    PL_TRY(pl_reserve((void **)&s->anchor, &s->anchor_capacity, n_anchor, sizeof *s->anchor));
    PL_TRY(pl_reserve((void **)&s->point, &s->point_capacity, s->n_point + n, sizeof *s->point));
    PL_TRY(
        pl_reserve((void **)&s->force, &s->force_capacity, s->n_force + n_force, sizeof *s->force));
    if (s->n_anchor == n_anchor) return PL_OK;
    memcpy(s->anchor, world->published.x, (size_t)n_anchor * sizeof *s->anchor);
    s->n_anchor = n_anchor;
    return PL_OK;
}

// Contacts of the last step with bodies that are about to sleep: those with a link.
static void keep_points(pl_world *world)
{
    pl_sleep *s = world->sleep;
    int32_t n;
    const pl_contact_point *c = pl_world_contacts(world, &n);
    for (int32_t i = 0; i < n; i++) {
        int32_t a = pl_world_place(world, c[i].body_a), b = pl_world_place(world, c[i].body_b);
        if (a < 0 || b < 0) continue;
        if (s->link[a] >= 0 || s->link[b] >= 0) s->point[s->n_point++] = c[i];
    }
}

// Likewise the forces that solvers start from, which the contacts then no longer have.
static void keep_forces(pl_world *world)
{
    pl_sleep *s = world->sleep;
    if (world->contact == NULL) return;
    pl_blocks *c = &world->constraints->blocks;
    const pl_boundary *boundary = &world->contact->boundary;
    int64_t left = 0;
    for (int64_t i = 0; i < c->n_memory; i++) {
        int32_t point[4], a, b;
        if (c->memory[i].id.kind >= PL_BLOCK_OTHER) { // no contact
            c->memory[left++] = c->memory[i];
            continue;
        }
        pl_pair_points(boundary, &c->memory[i].id, point);
        pl_pair_bodies(boundary, &c->memory[i].id, point, &a, &b);
        a = boundary->owner[a];
        b = boundary->owner[b];
        if (s->link[a] >= 0 || s->link[b] >= 0) {
            s->force[s->n_force++] = (pl_kept_force){.memory = c->memory[i], .a = a, .b = b};
        } else {
            c->memory[left++] = c->memory[i];
        }
    }
    c->n_memory = left;
}

// --- Islands ---

static int32_t find_root(int32_t *link, int32_t place)
{
    while (link[place] != place) place = link[place] = link[link[place]];
    return place;
}

// The root is the lowest place of an island.
static void join(int32_t *link, int32_t a, int32_t b)
{
    a = find_root(link, a);
    b = find_root(link, b);
    link[PL_MAX(a, b)] = PL_MIN(a, b);
}

// The bodies of each joint, and those of all joints of a coupling.
static void join_joints(pl_world *world)
{
    const pl_joints *joints = world->joints;
    int32_t *link = world->sleep->link;
    for (int64_t i = 0; joints != NULL && i < joints->n; i++) {
        const pl_joint *j = &joints->joint[i];
        int32_t a = j->a.body, b = j->b.body;
        if (!pl_joint_holds(j) || a < 0 || b < 0) continue;
        if (link[a] >= 0 && link[b] >= 0) join(link, a, b);
    }
    for (int64_t i = 0; joints != NULL && i < joints->n_coupling; i++) {
        const pl_coupling *c = &joints->coupling[i];
        int32_t first = -1;
        for (int k = 0; k < c->options.n && c->there; k++) {
            const pl_joint *j = &joints->joint[c->options.joint[k]];
            const int32_t place[2] = {j->a.body, j->b.body};
            for (int side = 0; side < 2; side++) {
                if (place[side] < 0 || link[place[side]] < 0) continue;
                if (first >= 0) join(link, first, place[side]);
                first = place[side];
            }
        }
    }
}

// s->link (bodies.n) := the island of each body that is awake and can sleep, -1 for the others.
static void find_islands(pl_world *world)
{
    pl_sleep *s = world->sleep;
    int32_t n, n_body = (int32_t)world->bodies.n;
    for (int32_t i = 0; i < n_body; i++) {
        pl_body_kind kind = world->bodies.body[i].kind;
        bool can = kind == PL_BODY_DEFORMABLE || kind == PL_BODY_RIGID;
        s->link[i] = can && !sleeps(world, i) ? i : -1;
    }
    const pl_contact_point *c = pl_world_contacts(world, &n);
    for (int32_t i = 0; i < n; i++) {
        int32_t a = pl_world_place(world, c[i].body_a), b = pl_world_place(world, c[i].body_b);
        if (a >= 0 && b >= 0 && s->link[a] >= 0 && s->link[b] >= 0) join(s->link, a, b);
    }
    join_joints(world);
    for (int32_t i = 0; i < n_body; i++) {
        if (s->link[i] >= 0) s->link[i] = find_root(s->link, i);
    }
}

// --- Falling asleep ---

static void stop(pl_world *world, int32_t place, int32_t island)
{
    pl_world_body *b = &world->bodies.body[place];
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    b->asleep = true;
    b->island = island;
    world->sleep->n++;
    if (b->kind == PL_BODY_RIGID) {
        pl_rigid *r = &world->state.rigid[b->rigid];
        memset(r->v, 0, sizeof r->v);
        memset(r->angular_momentum, 0, sizeof r->angular_momentum);
    } else {
        memset(world->state.v + 3 * (int64_t)b->first, 0,
               3 * (size_t)b->mesh->n_vert * sizeof *world->state.v);
        if (integrator->rest != NULL) integrator->rest(world, b);
    }
    pl_world_publish_body(world, place);
}

// Sets all islands to sleep that are left in s->link.
static void lull(pl_world *world)
{
    const int32_t *link = world->sleep->link;
    keep_points(world);
    keep_forces(world);
    for (int32_t i = 0; i < world->bodies.n; i++) {
        if (link[i] >= 0) stop(world, i, link[i]);
    }
}

// Has a body moved neither fast nor far since it is quiet?
static bool is_slow(const pl_world *world, const pl_world_body *b)
{
    const double *v = world->published.v + 3 * (int64_t)b->published;
    const double *x = world->published.x + 3 * (int64_t)b->published;
    const double *anchor = world->sleep->anchor + 3 * (int64_t)b->published;
    double speed = world->options.sleep_speed, far = DRIFT * speed * world->options.sleep_time;
    for (int64_t i = 0; i < 3 * (int64_t)b->mesh->n_vert; i += 3) {
        double by[3];
        if (!(pl_dot(v + i, v + i) < speed * speed)) return false;
        if (b->quiet == 0) continue;
        pl_subtract(x + i, anchor + i, by);
        if (!(pl_dot(by, by) <= far * far)) return false;
    }
    return true;
}

static void set_anchor(const pl_world *world, const pl_world_body *b)
{
    int64_t at = 3 * (int64_t)b->published;
    memcpy(world->sleep->anchor + at, world->published.x + at,
           3 * (size_t)b->mesh->n_vert * sizeof *world->sleep->anchor);
}

// Do driven vertices of a body move in the step that was made?
static bool was_driven(const pl_world *world, const pl_world_body *b)
{
    const pl_bodies *bodies = &world->bodies;
    if (b->kind != PL_BODY_DEFORMABLE) return false;
    double most = DRIVEN_REST * world->options.sleep_speed;
    for (int64_t i = find_driven(bodies, b->first); belongs(bodies, i, b); i++) {
        int64_t vertex = bodies->driven[i].vertex;
        const double *v = world->system.v_new + 3 * vertex;
        if (world->system.prescribed[vertex] && pl_dot(v, v) > most * most) return true;
    }
    return false;
}

// For how long every body has been slow.
static void count_time(pl_world *world)
{
    int32_t n;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        pl_world_body *b = &world->bodies.body[i];
        if (world->sleep->link[i] < 0) continue;
        bool slow = is_slow(world, b) && !was_driven(world, b);
        if (!slow || b->quiet == 0) set_anchor(world, b);
        b->quiet = slow ? b->quiet + world->options.dt : 0;
    }
    const pl_contact_point *c = pl_world_contacts(world, &n);
    for (int32_t i = 0; i < n; i++) { // what moves keeps awake what it touches
        int32_t place[2] = {pl_world_place(world, c[i].body_a), pl_world_place(world, c[i].body_b)};
        for (int k = 0; k < 2; k++) {
            const pl_world_body *other = &world->bodies.body[place[1 - k]];
            bool moves = other->kind == PL_BODY_KINEMATIC && !other->rests;
            if (moves) world->bodies.body[place[k]].quiet = 0;
        }
    }
}

// Leaves the islands in s->link of which every body has been slow for long enough.
static void drop_restless(pl_world *world)
{
    pl_sleep *s = world->sleep;
    int64_t n = world->bodies.n;
    int32_t *restless = s->link + n; // by islands
    // A sum of steps must not miss the time by rounding.
    double enough = world->options.sleep_time - PL_TIME_SLACK * world->options.dt;
    memset(restless, 0, (size_t)n * sizeof *restless);
    for (int64_t i = 0; i < n; i++) {
        if (s->link[i] >= 0 && world->bodies.body[i].quiet < enough) restless[s->link[i]] = 1;
    }
    for (int64_t i = 0; i < n; i++) {
        if (s->link[i] >= 0 && restless[s->link[i]]) s->link[i] = -1;
    }
}

pl_status pl_sleep_reserve(pl_world *world)
{
    return world->sleep != NULL ? reserve(world) : PL_OK;
}

void pl_sleep_update(pl_world *world)
{
    if (world->sleep == NULL) return;
    pl_sleep_tidy(world);
    find_islands(world);
    count_time(world);
    drop_restless(world);
    lull(world);
}

// --- For the outside ---

bool pl_world_awake(const pl_world *world, int32_t body)
{
    int32_t place = pl_world_place(world, body);
    return place >= 0 && !world->bodies.body[place].asleep;
}

pl_status pl_world_set_awake(pl_world *world, int32_t body, bool awake)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    if (world->bodies.body[place].kind == PL_BODY_KINEMATIC) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d is kinematic, which neither sleeps nor wakes",
                       (int)body);
    }
    world->bodies.body[place].quiet = awake ? 0 : world->bodies.body[place].quiet;
    if (awake) return pl_sleep_wake(world, place);
    if (world->sleep == NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d cannot sleep: the world's option sleep is off",
                       (int)body);
    }
    if (world->bodies.body[place].asleep) return PL_OK;
    PL_TRY(reserve(world));
    pl_sleep_tidy(world);
    find_islands(world);
    int32_t *link = world->sleep->link, island = link[place];
    for (int64_t i = 0; i < world->bodies.n; i++) link[i] = link[i] == island ? island : -1;
    lull(world);
    return PL_OK;
}
