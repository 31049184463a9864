// The system of a step without what sleeps.
//
// The rows of a body that sleeps are prescribed. They have no columns in common with those of other
// bodies, so that all but their diagonal can be left out: products with A then cost what the awake
// bodies have. The pattern is made when the bodies that sleep are others than in the last step.

#include "sleep.h"

#include <string.h>

// Marks the blocks of deformable bodies that sleep.
static void mark_blocks(const pl_world *world, uint8_t *marked)
{
    memset(marked, 0, (size_t)world->system.n_block);
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_DEFORMABLE || !b->asleep) continue;
        memset(marked + b->first, 1, (size_t)b->mesh->n_vert);
    }
}

// s->A := the pattern without these.
static pl_status make_pattern(pl_world *world)
{
    pl_sleep *s = world->sleep;
    int64_t n = world->bodies.n;
    uint8_t *marked = s->made_for + n;
    bool same = s->A.row != NULL;
    for (int64_t i = 0; i < n; i++) {
        same = same && s->made_for[i] == world->bodies.body[i].asleep;
        s->made_for[i] = world->bodies.body[i].asleep;
    }
    if (same) return PL_OK;
    mark_blocks(world, marked);
    pl_bsr_free(&s->A);
    PL_TRY(pl_bsr_cut(&world->system.A, marked, &s->A));
    for (int64_t i = 0; i < world->system.n_block; i++) {
        for (int k = 0; k < 3 && marked[i]; k++) s->A.val[9 * s->A.diag[i] + 4 * k] = 1;
    }
    return PL_OK;
}

// The blocks first .. first + n - 1 of awake bodies.
static void copy_rows(const pl_bsr *from, int64_t first, int64_t n, pl_bsr *to)
{
    int64_t at = from->row[first], end = from->row[first + n];
    memcpy(to->val + 9 * to->row[first], from->val + 9 * at,
           9 * (size_t)(end - at) * sizeof *to->val);
}

static void copy_values(const pl_world *world, pl_bsr *to)
{
    const pl_bsr *A = &world->system.A;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind == PL_BODY_DEFORMABLE && !b->asleep)
            copy_rows(A, b->first, b->mesh->n_vert, to);
        if (b->kind == PL_BODY_RIGID) copy_rows(A, pl_world_rigid_block(world, b->rigid), 2, to);
    }
}

// b := 0 for who sleeps. True if one is deformable.
static bool clear_loads(pl_world *world)
{
    bool any = false;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind != PL_BODY_DEFORMABLE || !b->asleep) continue;
        memset(world->system.b + 3 * (int64_t)b->first, 0,
               3 * (size_t)b->mesh->n_vert * sizeof *world->system.b);
        any = true;
    }
    return any;
}

pl_status pl_sleep_cut(pl_world *world)
{
    pl_sleep *s = world->sleep;
    world->system.solved = &world->system.A;
    if (s == NULL || s->n == 0 || !clear_loads(world)) return PL_OK;
    PL_TRY(pl_reserve((void **)&s->made_for, &s->made_capacity,
                      world->bodies.n + world->system.n_block, 1));
    PL_TRY(make_pattern(world));
    copy_values(world, &s->A);
    world->system.solved = &s->A;
    return PL_OK;
}
