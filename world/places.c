#include "places.h"
#include "step.h"

#include <string.h>

// --- What contact/ knows of bodies ---

static pl_carrier carrier_of(const pl_world_body *b)
{
    return b->kind == PL_BODY_DEFORMABLE ? PL_CARRIER_VERTICES
           : b->kind == PL_BODY_RIGID    ? PL_CARRIER_RIGID
                                         : PL_CARRIER_PATH;
}

// Collider k of the body in a place.
static pl_boundary_body describe(const pl_world *world, int64_t place, int32_t k)
{
    const pl_world_body *b = &world->bodies.body[place];
    pl_boundary_body out = {.carrier = carrier_of(b),
                            .mesh = b->mesh,
                            .owner = (int32_t)place,
                            .rank = b->kind == PL_BODY_DEFORMABLE ? b->rank : NULL,
                            .block = -1,
                            .added = b->mesh->x,
                            .late = b->late,
                            .surface = b->surface};
    if (b->kind == PL_BODY_DEFORMABLE) out.block = b->first;
    if (b->kind == PL_BODY_RIGID) out.block = pl_world_rigid_block(world, b->rigid);
    if (b->n_collider == 0) return out;
    const pl_world_collider *c = &b->collider[k];
    out.skeleton = &c->skeleton;
    out.surface.radius = c->skeleton.radius;
    out.surface.friction = c->friction;
    return out;
}

// --- Colliders ---

int32_t pl_places_colliders(const pl_world *world, int64_t place)
{
    return PL_MAX(world->bodies.body[place].n_collider, 1);
}

int64_t pl_places_count(const pl_world *world, int64_t place)
{
    int64_t n = 0;
    for (int64_t i = 0; i < place; i++) n += pl_places_colliders(world, i);
    return n;
}

// Which colliders pass through each other, because their bodies do.
static pl_status list_ignored(const pl_world *world, pl_places_source *out)
{
    int64_t n = 0;
    const int32_t *pair = world->bodies.ignored;
    for (int64_t i = 0; i < world->bodies.n_ignored; i++) {
        n += (int64_t)pl_places_colliders(world, pair[2 * i]) *
             pl_places_colliders(world, pair[2 * i + 1]);
    }
    out->ignored = pl_alloc(2 * n, sizeof *out->ignored);
    if (out->ignored == NULL) return PL_ERROR_MEMORY;
    out->source.n_ignored = n;
    out->source.ignored = out->ignored;
    int32_t *to = out->ignored;
    for (int64_t i = 0; i < world->bodies.n_ignored; i++) {
        int32_t a = pair[2 * i], b = pair[2 * i + 1];
        for (int32_t k = 0; k < pl_places_colliders(world, a); k++) {
            for (int32_t m = 0; m < pl_places_colliders(world, b); m++) {
                *to++ = (int32_t)out->first[a] + k;
                *to++ = (int32_t)out->first[b] + m;
            }
        }
    }
    return PL_OK;
}

// Where the vertices of a body were at the time 0, by its path.
static void place_on_path(const pl_world_body *b, double *x)
{
    for (int64_t i = 0; i < b->mesh->n_vert; i++) {
        pl_path_apply(&b->path, 0, b->mesh->x + 3 * i, x + 3 * i);
    }
}

pl_status pl_places_describe(const pl_world *world, pl_places_source *out)
{
    int64_t n_collider = pl_places_count(world, world->bodies.n), n = 0;
    *out = (pl_places_source){.body = pl_alloc(n_collider, sizeof *out->body),
                              .first = pl_alloc(world->bodies.n + 1, sizeof *out->first)};
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind == PL_BODY_KINEMATIC) n += b->mesh->n_vert;
    }
    out->added = pl_alloc(3 * n, sizeof *out->added);
    if (out->body == NULL || out->added == NULL || out->first == NULL) {
        pl_places_source_free(out);
        return PL_ERROR_MEMORY;
    }
    double *added = out->added;
    int64_t to = 0;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        bool moves = b->kind == PL_BODY_KINEMATIC;
        if (moves) place_on_path(b, added);
        out->first[i] = to;
        for (int32_t k = 0; k < pl_places_colliders(world, i); k++) {
            out->body[to] = describe(world, i, k);
            if (moves) out->body[to].added = added;
            to++;
        }
        if (moves) added += 3 * (int64_t)b->mesh->n_vert;
    }
    out->first[world->bodies.n] = to;
    out->source = (pl_boundary_source){.n_body = (int32_t)n_collider,
                                       .body = out->body,
                                       .contact_distance = world->options.contact_distance,
                                       .friction_pair = world->bodies.friction_pair,
                                       .n_friction_pair = world->bodies.n_friction_pair};
    pl_status status = list_ignored(world, out);
    if (status != PL_OK) pl_places_source_free(out);
    return status;
}

void pl_places_source_free(pl_places_source *source)
{
    pl_free(source->body);
    pl_free(source->added);
    pl_free(source->first);
    pl_free(source->ignored);
    *source = (pl_places_source){0};
}

// --- Places ---

static const pl_world_body *body_of(const pl_world *world, const pl_boundary *boundary, int64_t p)
{
    return &world->bodies.body[boundary->owner[boundary->body[p]]];
}

// Where points are, or will be at the velocities v.
typedef struct place_loop {
    pl_boundary *boundary;
    const pl_world *world;
    const double *v;
    double dt, t;
} place_loop;

static void place_at_start(void *context, int64_t first, int64_t last)
{
    const place_loop *l = context;
    const pl_boundary *boundary = l->boundary;
    const pl_world *world = l->world;
    for (int64_t p = first; p < last; p++) {
        const pl_world_body *b = body_of(world, boundary, p);
        double *x = boundary->x0 + 3 * p;
        int64_t v = 3 * (int64_t)boundary->vertex[p];
        if (b->kind == PL_BODY_DEFORMABLE) {
            memcpy(x, world->state.x + v, 3 * sizeof *x);
        } else if (b->kind == PL_BODY_RIGID) {
            pl_rigid_points(&world->state.rigid[b->rigid], 1, b->local + v, x);
        } else {
            pl_path_apply(&b->path, world->time, b->mesh->x + v, x);
        }
    }
}

void pl_places_start(const pl_world *world, pl_boundary *boundary)
{
    for (int64_t i = 0; i < boundary->n_body; i++) {
        const pl_world_body *b = &world->bodies.body[boundary->owner[i]];
        if (b->kind != PL_BODY_RIGID) continue;
        memcpy(boundary->centre + 3 * i, world->state.rigid[b->rigid].x, 3 * sizeof(double));
    }
    pl_loop(boundary->n, PL_STEP_CHUNK, place_at_start,
            &(place_loop){.boundary = boundary, .world = world});
}

static void guess_points(void *context, int64_t first, int64_t last)
{
    const place_loop *l = context;
    const pl_boundary *boundary = l->boundary;
    for (int64_t p = first; p < last; p++) {
        const pl_world_body *b = body_of(l->world, boundary, p);
        const double *x0 = boundary->x0 + 3 * p;
        double *by = boundary->guess + 3 * p;
        if (b->kind == PL_BODY_KINEMATIC) {
            double x[3];
            pl_path_apply(&b->path, l->t, b->mesh->x + 3 * (int64_t)boundary->vertex[p], x);
            pl_subtract(x, x0, by);
        } else {
            pl_anchor anchor = pl_boundary_anchor(boundary, (int32_t)p, x0);
            pl_anchor_velocity(&anchor, l->v, by);
            for (int k = 0; k < 3; k++) by[k] *= l->dt;
        }
    }
}

void pl_places_guess(const pl_world *world, const double *v, double dt, double t,
                     pl_boundary *boundary)
{
    pl_loop(boundary->n, PL_STEP_CHUNK, guess_points, &(place_loop){boundary, world, v, dt, t});
}

static void place_at_end(void *context, int64_t first, int64_t last)
{
    const place_loop *l = context;
    const pl_boundary *boundary = l->boundary;
    const pl_world *world = l->world;
    for (int64_t p = first; p < last; p++) {
        const pl_world_body *b = body_of(world, boundary, p);
        double *x = boundary->x1 + 3 * p;
        int64_t at = 3 * (int64_t)boundary->vertex[p];
        if (b->kind == PL_BODY_DEFORMABLE) {
            for (int k = 0; k < 3; k++) x[k] = world->state.x[at + k] + l->dt * l->v[at + k];
        } else if (b->kind == PL_BODY_RIGID) {
            pl_rigid_points(&world->system.rigid_end[b->rigid], 1, b->local + at, x);
        } else {
            pl_path_apply(&b->path, l->t, b->mesh->x + at, x);
        }
    }
}

void pl_places_move_rigid(const pl_world *world, const double *v)
{
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        const double *u = v + 3 * (int64_t)pl_world_rigid_block(world, (int32_t)r);
        world->system.rigid_end[r] = world->state.rigid[r];
        if (world->system.prescribed[pl_world_rigid_block(world, (int32_t)r)] != 0) continue;
        pl_rigid_advance(&world->system.rigid_end[r], &world->system.rigid[r], u, NULL);
    }
}

void pl_places_end(const pl_world *world, const double *v, double dt, double t,
                   pl_boundary *boundary)
{
    pl_places_move_rigid(world, v);
    for (int64_t i = 0; i < boundary->n_body; i++) {
        const pl_world_body *b = &world->bodies.body[boundary->owner[i]];
        if (b->kind != PL_BODY_KINEMATIC || boundary->radius[i] == 0) continue;
        double at[3], u[6];
        pl_path_step(&b->path, world->time, t, at, u);
        for (int k = 0; k < 3; k++) boundary->turn[3 * i + k] = u[3 + k] * (t - world->time);
    }
    pl_loop(boundary->n, PL_STEP_CHUNK, place_at_end, &(place_loop){boundary, world, v, dt, t});
}
