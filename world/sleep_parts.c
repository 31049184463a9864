// Sleep in checkpoints: who sleeps, and the contacts that are kept.

#include "sleep.h"

#include <math.h>
#include <string.h>

static const char SLEEP[] = "sleep", POINTS[] = "sleep-contacts", FORCES[] = "sleep-forces",
                  ANCHORS[] = "sleep-anchors";

// --- Writing ---

pl_status pl_sleep_list(const pl_world *world, pl_sleep_state **out)
{
    *out = NULL;
    if (world->sleep == NULL) return PL_OK;
    *out = pl_alloc_zero(world->bodies.n, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        (*out)[i] = (pl_sleep_state){b->quiet, b->asleep, b->asleep ? b->island : 0};
    }
    return PL_OK;
}

void pl_sleep_add_parts(const pl_world *world, const pl_sleep_state *list, pl_parts *parts)
{
    const pl_sleep *s = world->sleep;
    if (s == NULL) return;
    pl_parts_add(parts, SLEEP, 1, list, (size_t)world->bodies.n * sizeof *list);
    if (s->n_anchor > 0)
        pl_parts_add(parts, ANCHORS, 1, s->anchor, (size_t)s->n_anchor * sizeof *s->anchor);
    if (s->n == 0) return;
    pl_parts_add(parts, POINTS, 1, s->point, (size_t)s->n_point * sizeof *s->point);
    pl_parts_add(parts, FORCES, 1, s->force, (size_t)s->n_force * sizeof *s->force);
}

// --- Reading ---

// What the parts have; all is NULL if there are none, or if they do not count.
typedef struct content {
    const pl_sleep_state *state;
    const double *anchor; // NULL: nobody is quiet
    const pl_contact_point *point;
    const pl_kept_force *force;
    int64_t n_point, n_force;
} content;

// The data of a part of any number of elements.
static const void *find_list(const pl_parts *parts, const char *name, size_t size, int64_t *n,
                             bool *fits)
{
    int32_t i = pl_parts_find(parts, name);
    *n = 0;
    if (i < 0) return NULL;
    *n = (int64_t)(parts->part[i].size / size);
    *fits = *fits && parts->part[i].version == 1 && parts->part[i].size % size == 0;
    return parts->data[i];
}

static content find(const pl_world *world, const pl_parts *parts, bool *fits)
{
    content c = {0};
    if (world->sleep == NULL) return c;
    c.state = pl_parts_data(parts, SLEEP, 1, (size_t)world->bodies.n * sizeof *c.state, fits);
    if (c.state == NULL) return c;
    c.anchor = pl_parts_doubles(parts, ANCHORS, 3 * (int64_t)world->published.n, fits);
    c.point = find_list(parts, POINTS, sizeof *c.point, &c.n_point, fits);
    c.force = find_list(parts, FORCES, sizeof *c.force, &c.n_force, fits);
    return c;
}

static bool check_state(const pl_world *world, int64_t place, const pl_sleep_state *s)
{
    const pl_world_body *b = &world->bodies.body[place];
    bool can = b->kind == PL_BODY_DEFORMABLE || b->kind == PL_BODY_RIGID;
    return isfinite(s->quiet) && s->quiet >= 0 && (s->asleep == 0 || (s->asleep == 1 && can)) &&
           s->island >= 0 && s->island < world->bodies.n;
}

static bool all_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

static bool check_point(const pl_world *world, const pl_contact_point *c)
{
    int32_t place[2] = {pl_world_place(world, c->body_a), pl_world_place(world, c->body_b)};
    unsigned char slips;
    memcpy(&slips, &c->slips, 1);
    if (place[0] < 0 || place[1] < 0 || c->n_a < 1 || c->n_a > 2 || slips > 1) return false;
    for (int k = 0; k < 4; k++) {
        int32_t n = world->bodies.body[place[k >= c->n_a]].mesh->n_vert;
        if (c->vertex[k] < -1 || c->vertex[k] >= n) return false;
    }
    return all_finite(3, c->point) && all_finite(3, c->normal) && all_finite(3, c->friction) &&
           all_finite(4, c->weight) && isfinite(c->gap) && isfinite(c->force) && c->force >= 0;
}

static bool check_force(const pl_world *world, const pl_kept_force *f)
{
    return f->a >= 0 && f->a < world->bodies.n && f->b >= 0 && f->b < world->bodies.n &&
           (f->recalled == 0 || f->recalled == 1) &&
           (f->memory.found == 0 || f->memory.found == 1) && all_finite(3, f->memory.force);
}

bool pl_sleep_check_parts(const pl_world *world, const pl_parts *parts)
{
    bool fits = true;
    content c = find(world, parts, &fits);
    if (!fits || c.state == NULL) return fits;
    for (int64_t i = 0; i < world->bodies.n; i++) fits = fits && check_state(world, i, &c.state[i]);
    for (int64_t i = 0; i < c.n_point; i++) fits = fits && check_point(world, &c.point[i]);
    for (int64_t i = 0; i < c.n_force; i++) fits = fits && check_force(world, &c.force[i]);
    return fits;
}

pl_status pl_sleep_reserve_parts(pl_world *world, const pl_parts *parts)
{
    pl_sleep *s = world->sleep;
    bool fits = true;
    content c = find(world, parts, &fits);
    if (s == NULL) return PL_OK;
    PL_TRY(pl_reserve((void **)&s->anchor, &s->anchor_capacity, 3 * (int64_t)world->published.n,
                      sizeof *s->anchor));
    PL_TRY(pl_reserve((void **)&s->point, &s->point_capacity, c.n_point, sizeof *s->point));
    return pl_reserve((void **)&s->force, &s->force_capacity, c.n_force, sizeof *s->force);
}

void pl_sleep_take_parts(pl_world *world, const pl_parts *parts)
{
    pl_sleep *s = world->sleep;
    bool fits = true;
    content c = find(world, parts, &fits);
    if (s == NULL) return;
    s->n = 0;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        pl_world_body *b = &world->bodies.body[i];
        b->asleep = c.state != NULL && c.state[i].asleep != 0;
        b->quiet = c.anchor != NULL ? c.state[i].quiet : 0;
        b->island = c.state != NULL ? c.state[i].island : 0;
        s->n += b->asleep;
        if (b->kind == PL_BODY_DEFORMABLE && world->system.ready) { // it may be elsewhere
            pl_fem_set_still(&world->system.fem, b->fem, false);
        }
    }
    s->n_anchor = c.anchor != NULL ? 3 * (int64_t)world->published.n : 0;
    if (s->n_anchor > 0) memcpy(s->anchor, c.anchor, (size_t)s->n_anchor * sizeof *s->anchor);
    s->n_point = c.n_point;
    s->n_force = c.n_force;
    if (c.n_point > 0) memcpy(s->point, c.point, (size_t)c.n_point * sizeof *s->point);
    if (c.n_force > 0) memcpy(s->force, c.force, (size_t)c.n_force * sizeof *s->force);
    pl_sleep_tidy(world); // somebody may have been woken after the last step
}
