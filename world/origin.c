#include "origin.h"
#include "contact_step.h"
#include "warnings.h"
#include "../base/hash.h"

#include <stdio.h>
#include <string.h>

// Number by number: between the fields of a struct there may be anything.
static uint64_t hash_material(uint64_t hash, const pl_material_options *m)
{
    const double numbers[] = {m->young,        m->poisson,           m->density,
                              m->mass_damping, m->stiffness_damping, m->stretch_limit,
                              m->mooney_share};
    int32_t kind = (int32_t)m->kind;
    hash = pl_hash(pl_hash(hash, &kind, sizeof kind), numbers, sizeof numbers);
    if (m->kind != PL_MATERIAL_OGDEN) return hash;
    return pl_hash(hash, &m->ogden_exponent, sizeof m->ogden_exponent);
}

static uint64_t hash_materials(const pl_world *world)
{
    uint64_t hash = PL_HASH_START;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        const double surface[2] = {b->surface.friction, b->surface.radius};
        hash = pl_hash(hash, surface, sizeof surface);
        if (b->surface.restitution > 0) {
            hash = pl_hash(hash, &b->surface.restitution, sizeof b->surface.restitution);
        }
        if (b->kind == PL_BODY_DEFORMABLE) hash = hash_material(hash, &b->material);
        if (b->kind != PL_BODY_RIGID) continue;
        const double rigid[2] = {world->state.rigid[b->rigid].mass, b->damping};
        hash = pl_hash(hash, rigid, sizeof rigid);
    }
    const pl_bodies *bodies = &world->bodies;
    for (int64_t i = 0; i < bodies->n_friction_pair; i++) {
        const pl_friction_pair *pair = &bodies->friction_pair[i];
        const double numbers[3] = {pair->a, pair->b, pair->mu};
        hash = pl_hash(hash, numbers, sizeof numbers);
    }
    return hash;
}

pl_origin pl_origin_of(const pl_world *world)
{
    return (pl_origin){.dt = world->options.dt, .materials = hash_materials(world)};
}

void pl_origin_compare(const pl_origin *origin, const pl_origin *here, pl_world *world,
                       const char *path)
{
    bool step = origin->dt != here->dt, material = origin->materials != here->materials;
    char dt[96] = "";
    if (!step && !material) return;
    if (!pl_warn_first(world, PL_WARNING_CHECKPOINT)) return;
    if (step) snprintf(dt, sizeof dt, "dt %g s (here %g s)", origin->dt, here->dt);
    pl_log(PL_LOG_WARNING,
           "%s: the run that wrote it had %s%s%s: from here on this one goes another way", path, dt,
           step && material ? " and " : "", material ? "other materials, masses or friction" : "");
}
