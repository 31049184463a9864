#include "device.h"
#include "apart.h"

#include <string.h>

enum { CHUNK_PAIRS = 250 }; // that a thread takes at least

static void warn(void)
{
    pl_log(PL_LOG_WARNING, "surfaces are searched and tested without the device: %s",
           pl_error_text());
}

pl_status pl_surfaces_use(pl_surfaces *s, struct pl_device *device)
{
    int64_t n_root = (int64_t)s->n_chunk + s->n_body;
    PL_TRY(pl_reserve((void **)&s->root, &s->root_capacity, n_root, sizeof *s->root));
    PL_TRY(pl_reserve((void **)&s->leaf_patch, &s->leaf_patch_capacity, s->n_leaf,
                      sizeof *s->leaf_patch));
    pl_status status = pl_collision_device_open(device, s, &s->device);
    if (status != PL_ERROR_MEMORY) return status;
    warn();
    return PL_OK;
}

bool pl_collision_device_did(pl_collision_device *device, pl_status status)
{
    device->lost = status != PL_OK;
    if (device->lost) warn();
    return !device->lost;
}

typedef struct test_loop {
    const double *x0, *x1;
    const pl_tested_pair *pair;
    uint8_t *hit;
} test_loop;

static void test_some(void *context, int64_t first, int64_t last)
{
    const test_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        const pl_tested_pair *p = &l->pair[i];
        double q0[12], q1[12];
        pl_impact impact;
        for (int k = 0; k < 4; k++) {
            memcpy(q0 + 3 * k, l->x0 + 3 * (int64_t)p->vertex[k], 3 * sizeof *q0);
            memcpy(q1 + 3 * k, l->x1 + 3 * (int64_t)p->vertex[k], 3 * sizeof *q1);
        }
        l->hit[i] = pl_pair_impact((pl_pair_kind)p->kind, q0, q1, p->radii, p->separation, &impact);
    }
}

void pl_surfaces_test(pl_surfaces *s, const double *x0, const double *x1, int64_t n,
                      const pl_tested_pair *pair, uint8_t *hit)
{
    bool done =
        pl_surfaces_has_device(s) &&
        pl_collision_device_did(s->device, s->device->test(s->device, x0, x1, n, pair, hit));
    if (!done) pl_loop(n, CHUNK_PAIRS, test_some, &(test_loop){x0, x1, pair, hit});
}

typedef struct closest_loop {
    const double *x;
    const int32_t *pair;
    pl_closest *out;
} closest_loop;

static void find_some_closest(void *context, int64_t first, int64_t last)
{
    const closest_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        const int32_t *p = l->pair + 5 * i;
        double q[12];
        for (int k = 0; k < 4; k++) {
            memcpy(q + 3 * k, l->x + 3 * (int64_t)p[1 + k], 3 * sizeof *q);
        }
        pl_closest_points((pl_pair_kind)p[0], q, &l->out[i]);
    }
}

void pl_surfaces_closest(pl_surfaces *s, const double *x, int64_t n, const int32_t *pair,
                         pl_closest *out)
{
    bool done = pl_surfaces_has_device(s) &&
                pl_collision_device_did(s->device, s->device->closest(s->device, x, n, pair, out));
    if (!done) pl_loop(n, CHUNK_PAIRS, find_some_closest, &(closest_loop){x, pair, out});
}

#ifndef PL_GPU

pl_status pl_collision_device_open(struct pl_device *device, const pl_surfaces *s,
                                   pl_collision_device **out)
{
    (void)device, (void)s;
    *out = NULL;
    return pl_fail(PL_ERROR_DEVICE, "this build of Pliant knows the CPU only");
}

#endif
