// The part of a step that keeps bodies apart.

#include "contact_step.h"
#include "../collision/device.h"
#include "integrator.h"
#include "sleep.h"
#include "step.h"

#include <math.h>
#include <string.h>

enum { CHUNK_CONTACTS = 250 }; // contacts that a thread takes at least

// --- Life ---

pl_status pl_contact_step_check(const pl_world_options *o)
{
    if (!(o->contact_distance >= 0 && isfinite(o->contact_distance))) {
        return pl_fail(PL_ERROR_ARGUMENT, "contact_distance: %g is not 0 m or above",
                       o->contact_distance);
    }
    if (o->rounds < 1) return pl_fail(PL_ERROR_ARGUMENT, "rounds: below 1");
    if (o->halvings < 0 || o->halvings > 20) {
        return pl_fail(PL_ERROR_ARGUMENT, "halvings: %d is not from 0 to 20", (int)o->halvings);
    }
    return PL_OK;
}

// The surfaces of all bodies, where they are now.
static pl_status build_boundary(const pl_world *world, pl_boundary *out)
{
    pl_places_source places;
    PL_TRY(pl_places_describe(world, &places));
    pl_status status = pl_boundary_create(&places.source, out);
    if (status == PL_OK) {
        pl_places_start(world, out);
        status = pl_boundary_finish(&places.source, out);
    }
    pl_places_source_free(&places);
    return status;
}

pl_status pl_contact_step_create(const pl_world *world, pl_contact_step **out)
{
    *out = NULL;
    pl_contact_step *contact = pl_alloc_zero(1, sizeof *contact);
    if (contact == NULL) return PL_ERROR_MEMORY;
    contact->contacts.blocks = &world->constraints->blocks;
    pl_status status = build_boundary(world, &contact->boundary);
    if (pl_integrator_of(world)->newton == PL_NEWTON_STATIC) contact->boundary.bounces = false;
    struct pl_device *device = pl_constraint_step_device(world->constraints);
    if (status == PL_OK && device != NULL) {
        status = pl_surfaces_use(contact->boundary.surfaces, device);
    }
    if (status != PL_OK) {
        pl_contact_step_destroy(contact);
        return status;
    }
    *out = contact;
    return PL_OK;
}

void pl_contact_step_destroy(pl_contact_step *contact)
{
    if (contact == NULL) return;
    pl_boundary_free(&contact->boundary);
    pl_contacts_free(&contact->contacts);
    pl_detection_free(&contact->detection);
    pl_restitution_free(&contact->restitution);
    pl_vj19_free(&contact->vj19);
    pl_free(contact->published);
    pl_free(contact);
}

// --- In the rounds ---

pl_status pl_contact_step_find(pl_world *world, double t, pl_step_stats *stats)
{
    pl_contact_step *contact = world->contact;
    double start = pl_seconds();
    pl_contacts_begin(&contact->contacts);
    contact->contacts.step = world->options.dt;
    contact->contacts.contact_tolerance = world->options.contact_tolerance;
    pl_places_start(world, &contact->boundary);
    pl_places_guess(world, world->system.v_new, world->dt, t, &contact->boundary);
    PL_TRY(world->options.vj19
               ? pl_vj19_start(&contact->vj19, &contact->detection, &contact->boundary,
                               &contact->contacts)
               : pl_detect_start(&contact->detection, &contact->boundary, &contact->contacts));
    PL_TRY(pl_sleep_wake_near(world));
    stats->t_collision += pl_seconds() - start;
    return PL_OK;
}

void pl_contact_step_update(pl_world *world, double t)
{
    pl_contact_step *contact = world->contact;
    pl_places_end(world, world->system.v_new, world->dt, t, &contact->boundary);
    pl_contacts_update(&contact->contacts, &contact->boundary, world->system.v_new);
}

pl_status pl_contact_step_test(pl_world *world, double t, pl_step_stats *stats, bool *clear)
{
    pl_contact_step *contact = world->contact;
    int32_t hits = 0; // rows that were added or changed, at least
    double start = pl_seconds();
    pl_places_end(world, world->system.v_new, world->dt, t, &contact->boundary);
    PL_TRY(
        world->options.vj19
            ? pl_vj19_check(&contact->vj19, &contact->detection, world->system.v_new,
                            &contact->boundary, &contact->contacts, &hits)
            : pl_detect_hits(&contact->detection, &contact->boundary, &contact->contacts, &hits));
    stats->t_collision += pl_seconds() - start;
    stats->rounds++;
    stats->relinearizations += hits > 0;
    *clear = hits == 0;
    return PL_OK;
}

// --- After the rounds ---

void pl_contact_step_sum(pl_world *world)
{
    const pl_contact_step *contact = world->contact;
    for (int32_t i = 0; i < pl_contacts_count(&contact->contacts); i++) {
        const pl_row *row = &contact->contacts.row[i];
        int second = row->pair.kind == PL_EDGE_EDGE ? 2 : 1;
        double f[3], F[3], torque[3];
        pl_contacts_total(&contact->contacts, i, f, F);
        pl_cross(row->middle, F, torque);
        pl_world_body *a = &world->bodies.body[pl_contact_step_owner(world, row->point[0])];
        pl_world_body *b = &world->bodies.body[pl_contact_step_owner(world, row->point[second])];
        for (int k = 0; k < 3; k++) {
            a->impulse[k] += F[k];
            a->angular_impulse[k] += torque[k];
            b->impulse[k] -= F[k];
            b->angular_impulse[k] -= torque[k];
        }
    }
}

// A contact as the outside sees it, where the bodies are now.
static void publish_contact(const pl_world *world, int32_t i, pl_contact_point *out)
{
    const pl_contact_step *contact = world->contact;
    const pl_boundary *boundary = &contact->boundary;
    const pl_row *row = &contact->contacts.row[i];
    const pl_constraint *block = pl_contacts_block(&contact->contacts, i);
    const double *R = block->R;
    double f[3], F[3];
    pl_contacts_total(&contact->contacts, i, f, F);
    int second = row->pair.kind == PL_EDGE_EDGE ? 2 : 1;
    int32_t a = boundary->body[row->point[0]], b = boundary->body[row->point[second]];
    *out = (pl_contact_point){.body_a = pl_world_id(world, boundary->owner[a]),
                              .body_b = pl_world_id(world, boundary->owner[b]),
                              .n_a = second};
    double apart[3] = {0};
    for (int k = 0; k < 4; k++) {
        out->vertex[k] = row->point[k] >= 0 ? boundary->given[row->point[k]] : -1;
        out->weight[k] = row->point[k] >= 0 ? row->weight[k] : 0;
    }
    for (int k = 0; k < 4 && row->point[k] >= 0; k++) {
        const double *x = boundary->x1 + 3 * (int64_t)row->point[k];
        for (int j = 0; j < 3; j++) {
            out->point[j] += 0.5 * fabs(row->weight[k]) * x[j];
            apart[j] += row->weight[k] * x[j];
        }
    }
    memcpy(out->normal, R, sizeof out->normal);
    double by = 0.5 * (boundary->radius[b] - boundary->radius[a]);
    for (int j = 0; j < 3 && row->round; j++) out->point[j] += by * R[j];
    out->gap = pl_dot(apart, R) - pl_boundary_radii(boundary, a, b);
    out->force = f[0] / world->dt;
    for (int j = 0; j < 3; j++) out->friction[j] = (f[1] * R[3 + j] + f[2] * R[6 + j]) / world->dt;
    out->slips = hypot(f[1], f[2]) >= (1 - 1e-6) * block->mu * f[0];
}

static void publish_some(void *context, int64_t first, int64_t last)
{
    const pl_world *world = context;
    pl_contact_point *published = world->contact->published;
    for (int64_t k = first; k < last; k++)
        publish_contact(world, published[k].body_a, &published[k]);
}

static pl_status publish_contacts(pl_world *world)
{
    pl_contact_step *contact = world->contact;
    const pl_contacts *c = &contact->contacts;
    contact->n_published = 0;
    PL_TRY(pl_reserve((void **)&contact->published, &contact->published_capacity,
                      pl_contacts_count(c) + pl_sleep_count_points(world),
                      sizeof *contact->published));
    for (int32_t i = 0; i < pl_contacts_count(c); i++) {
        if (pl_contacts_f(c, i)[0] + c->row[i].impact[0] > 0)
            contact->published[contact->n_published++].body_a = i; // for now
    }
    pl_loop(contact->n_published, CHUNK_CONTACTS, publish_some, world);
    contact->n_published += pl_sleep_publish(world, contact->published + contact->n_published);
    return PL_OK;
}

pl_status pl_contact_step_finish(pl_world *world, pl_step_stats *stats)
{
    pl_contact_step *contact = world->contact;
    PL_TRY(publish_contacts(world));
    stats->contacts = contact->n_published;
    double start = pl_seconds();
    double gap = pl_detect_gap(&contact->detection, &contact->boundary);
    stats->min_gap = PL_MIN(gap, pl_sleep_gap(world));
    stats->t_collision += pl_seconds() - start;
    return PL_OK;
}

pl_status pl_contact_step_rest(pl_world *world, pl_step_stats *stats)
{
    pl_contact_step *contact = world->contact;
    pl_contacts_begin(&contact->contacts);
    PL_TRY(publish_contacts(world));
    stats->contacts = contact->n_published;
    stats->min_gap = pl_sleep_gap(world);
    return PL_OK;
}

// --- For the outside ---

const pl_contact_point *pl_world_contacts(const pl_world *world, int32_t *n)
{
    int32_t count = world != NULL && world->contact != NULL ? world->contact->n_published : 0;
    if (n != NULL) *n = count;
    return count > 0 ? world->contact->published : NULL;
}
