#include "events.h"
#include "contact_step.h"

#include <stdlib.h>
#include <string.h>

void pl_events_free(pl_events *events)
{
    pl_free(events->now);
    pl_free(events->last);
    pl_free(events->event);
    *events = (pl_events){0};
}

static int compare_bodies(const pl_touching *p, const pl_touching *q)
{
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

// Among the same bodies, by impulse: sums then have one order.
static int compare(const void *a, const void *b)
{
    const pl_touching *p = a, *q = b;
    int order = compare_bodies(p, q);
    return order != 0 ? order : (p->impulse > q->impulse) - (p->impulse < q->impulse);
}

// Each two bodies once, with the sum of their impulses.
static int64_t merge(pl_touching *list, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        pl_touching *last = kept > 0 ? &list[kept - 1] : NULL;
        if (last != NULL && compare_bodies(last, &list[i]) == 0) {
            last->impulse += list[i].impulse;
            for (int k = 0; k < 3; k++) last->point[k] += list[i].point[k];
        } else {
            list[kept++] = list[i];
        }
    }
    for (int64_t i = 0; i < kept; i++) {
        for (int k = 0; k < 3; k++) list[i].point[k] /= list[i].impulse;
    }
    return kept;
}

static pl_status list_touching(const pl_world *world, pl_events *e)
{
    int32_t n;
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    PL_TRY(pl_reserve((void **)&e->now, &e->now_capacity, n, sizeof *e->now));
    for (int32_t i = 0; i < n; i++) {
        const pl_contact_point *c = &contact[i];
        pl_touching t = {
            PL_MIN(c->body_a, c->body_b), PL_MAX(c->body_a, c->body_b), world->dt * c->force, {0}};
        for (int k = 0; k < 3; k++) t.point[k] = t.impulse * c->point[k];
        e->now[i] = t;
    }
    if (n > 1) qsort(e->now, (size_t)n, sizeof *e->now, compare);
    e->n_now = merge(e->now, n);
    return PL_OK;
}

static pl_contact_event event_of(pl_contact_event_kind kind, const pl_touching *t)
{
    pl_contact_event event = {kind, t->a, t->b, kind == PL_CONTACT_END ? 0 : t->impulse, {0}};
    memcpy(event.point, t->point, sizeof event.point);
    return event;
}

pl_status pl_events_update(pl_world *world)
{
    pl_events *e = &world->events;
    pl_touching *before = e->last;
    int64_t capacity = e->last_capacity;
    e->last = e->now, e->last_capacity = e->now_capacity, e->n_last = e->n_now;
    e->now = before, e->now_capacity = capacity;
    PL_TRY(list_touching(world, e));
    PL_TRY(
        pl_reserve((void **)&e->event, &e->event_capacity, e->n_now + e->n_last, sizeof *e->event));
    e->n_event = 0;
    for (int64_t i = 0, j = 0; i < e->n_now || j < e->n_last;) {
        int order = i == e->n_now    ? 1
                    : j == e->n_last ? -1
                                     : compare_bodies(&e->now[i], &e->last[j]);
        if (order < 0) {
            e->event[e->n_event++] = event_of(PL_CONTACT_BEGIN, &e->now[i++]);
        } else if (order > 0) {
            e->event[e->n_event++] = event_of(PL_CONTACT_END, &e->last[j++]);
        } else {
            e->event[e->n_event++] = event_of(PL_CONTACT_STAY, &e->now[i++]);
            j++;
        }
    }
    return PL_OK;
}

const pl_contact_event *pl_world_contact_events(const pl_world *world, int32_t *n)
{
    int64_t count = world != NULL ? world->events.n_event : 0;
    if (n != NULL) *n = (int32_t)count;
    return count > 0 ? world->events.event : NULL;
}
