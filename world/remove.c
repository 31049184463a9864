// Removing bodies from a world.

#include "contact_step.h"
#include "joints.h"
#include "sleep.h"

#include <string.h>

// Takes `count` elements out of an array of n, from `first` on.
static void cut(void *array, int64_t n, int64_t first, int64_t count, size_t size)
{
    char *a = array;
    int64_t behind = n - first - count;
    if (behind <= 0) return;
    memmove(a + (size_t)first * size, a + (size_t)(first + count) * size, (size_t)behind * size);
}

// The vertices of a deformable body; those of others move up.
static void remove_vertices(pl_world *world, const pl_world_body *gone)
{
    pl_state *s = &world->state;
    pl_bodies *bodies = &world->bodies;
    int32_t n = gone->mesh->n_vert, first = gone->first, kept = 0;
    cut(s->x, s->n_vert, first, n, 3 * sizeof *s->x);
    cut(s->v, s->n_vert, first, n, 3 * sizeof *s->v);
    cut(s->force, s->n_vert, first, n, 3 * sizeof *s->force);
    s->n_vert -= n;
    bodies->n_deformable--;
    for (int64_t i = 0; i < bodies->n; i++) {
        pl_world_body *b = &bodies->body[i];
        if (b->kind != PL_BODY_DEFORMABLE || b->first <= first) continue;
        b->first -= n;
        b->fem--;
    }
    for (int64_t i = 0; i < bodies->n_driven; i++) {
        pl_driven *d = &bodies->driven[i];
        if (d->vertex >= first && d->vertex < first + n) continue;
        bodies->driven[kept] = *d;
        if (d->vertex >= first) bodies->driven[kept].vertex -= n;
        kept++;
    }
    bodies->n_driven = kept;
}

static void remove_rigid(pl_world *world, const pl_world_body *gone)
{
    pl_state *s = &world->state;
    cut(s->rigid, s->n_rigid, gone->rigid, 1, sizeof *s->rigid);
    s->n_rigid--;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        pl_world_body *b = &world->bodies.body[i];
        if (b->kind == PL_BODY_RIGID && b->rigid > gone->rigid) b->rigid--;
    }
}

static void remove_published(pl_world *world, const pl_world_body *gone)
{
    pl_published *p = &world->published;
    int32_t n = gone->mesh->n_vert, first = gone->published;
    cut(p->x, p->n, first, n, 3 * sizeof *p->x);
    cut(p->v, p->n, first, n, 3 * sizeof *p->v);
    p->n -= n;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        pl_world_body *b = &world->bodies.body[i];
        if (b->published > first) b->published -= n;
    }
}

static void remove_ignored(pl_world *world, int32_t place)
{
    pl_bodies *bodies = &world->bodies;
    int64_t kept = 0;
    for (int64_t i = 0; i < bodies->n_ignored; i++) {
        const int32_t *pair = bodies->ignored + 2 * i;
        if (pair[0] == place || pair[1] == place) continue;
        memmove(bodies->ignored + 2 * kept++, pair, 2 * sizeof *pair);
    }
    bodies->n_ignored = kept;
}

static void remove_friction_pairs(pl_world *world, int32_t place)
{
    pl_bodies *bodies = &world->bodies;
    int64_t kept = 0;
    for (int64_t i = 0; i < bodies->n_friction_pair; i++) {
        pl_friction_pair pair = bodies->friction_pair[i];
        if (pair.a != place && pair.b != place) bodies->friction_pair[kept++] = pair;
    }
    bodies->n_friction_pair = kept;
}

void pl_world_body_free(pl_world_body *b)
{
    pl_mesh_destroy(b->mesh);
    pl_free(b->rank);
    pl_free(b->local);
    pl_path_free(&b->path);
    pl_free(b->pull);
    pl_free(b->collider);
    pl_free(b->skeletons);
}

pl_status pl_world_remove(pl_world *world, int32_t body)
{
    int32_t place;
    pl_mesh *nothing;
    PL_TRY(pl_world_find(world, body, &place));
    PL_TRY(pl_mesh_create(0, NULL, 0, NULL, 0, NULL, &nothing));
    pl_world_body *b = &world->bodies.body[place];
    pl_status status = pl_sleep_disturb(world, place);
    if (status != PL_OK) {
        pl_mesh_destroy(nothing);
        return status;
    }
    pl_world_unprepare(world);
    pl_world_forget_surfaces(world);
    if (b->kind == PL_BODY_DEFORMABLE) remove_vertices(world, b);
    if (b->kind == PL_BODY_RIGID) remove_rigid(world, b);
    pl_joints_remove_body(world, place);
    remove_published(world, b);
    remove_ignored(world, place);
    remove_friction_pairs(world, place);
    int32_t generation = b->generation + 1;
    pl_world_body_free(b);
    *b = (pl_world_body){.kind = PL_BODY_NONE,
                         .generation = generation,
                         .mesh = nothing,
                         .published = world->published.n};
    world->bodies.n_empty += generation < PL_GENERATIONS;
    return PL_OK;
}
