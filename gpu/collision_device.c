// The heavy passes over surfaces on a device, as collision/ sees them (../collision/device.h).
//
// Where points are stays on the device from one call to the next: what is there already, bit for
// bit, is not sent again, and the end of one step is mostly the start of the next.

#include "../collision/device.h"
#include "collision.h"
#include "device.h"
#include "kept.h"

#include <string.h>

typedef struct collision_device {
    pl_collision_device device;
    pl_gpu *gpu;
    pl_gpu_surfaces surfaces;
    pl_gpu_kept x0, x1; // (3*n_vert) where points are
    // Pairs: kinds and vertices, distances, and what comes back.
    pl_gpu_buffer pair, separation, radii, hit, closest;
    void *host; // scratch
    int64_t host_capacity;
} collision_device;

static void close_device(pl_collision_device *device)
{
    collision_device *d = (collision_device *)device;
    pl_gpu_buffer *all[] = {&d->pair, &d->separation, &d->radii, &d->hit, &d->closest};
    pl_gpu_surfaces_free(d->gpu, &d->surfaces);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_gpu_drop(d->gpu, all[i]);
    pl_gpu_kept_drop(d->gpu, &d->x0);
    pl_gpu_kept_drop(d->gpu, &d->x1);
    pl_free(d->host);
    pl_free(d);
}

static pl_status room(collision_device *d, int64_t bytes)
{
    return pl_reserve(&d->host, &d->host_capacity, bytes, 1);
}

// Where points are at both ends of a way, whose start is mostly the end of the last one.
static void send_way(collision_device *d, const double *x0, const double *x1)
{
    if (!pl_gpu_kept_is(&d->x0, x0) && pl_gpu_kept_is(&d->x1, x0)) {
        pl_gpu_kept end = d->x1;
        d->x1 = d->x0;
        d->x0 = end;
    }
    pl_gpu_kept_send(d->gpu, &d->x0, x0);
    pl_gpu_kept_send(d->gpu, &d->x1, x1);
}

// --- Boxes ---

static pl_status move(pl_collision_device *device, pl_surfaces *s, int32_t *bad)
{
    collision_device *d = (collision_device *)device;
    int64_t n = s->n_point;
    send_way(d, s->x0, s->x1);
    PL_TRY(pl_gpu_surfaces_move(d->gpu, &d->surfaces, &d->x0.buffer, &d->x1.buffer, s->margin,
                                s->stale, bad));
    if (*bad != INT32_MAX) return PL_OK;
    PL_TRY(room(d, 24 * n));
    PL_TRY(pl_gpu_read(d->gpu, &d->surfaces.point_bound, 0, 24 * n, d->host));
    const float *side = d->host;
    for (int64_t p = 0; p < n; p++, side += 6) {
        s->point_bound[p] =
            (pl_bound){{side[0], side[1], side[2], 0}, {side[3], side[4], side[5], 0}};
    }
    return PL_OK;
}

static pl_status refit(pl_collision_device *device, pl_surfaces *s, pl_root_box *chunk,
                       pl_root_box *body)
{
    collision_device *d = (collision_device *)device;
    if (s->sorted[0] < s->sorted[1]) {
        PL_TRY(pl_gpu_surfaces_take_items(d->gpu, &d->surfaces, s->sorted[0], s->sorted[1]));
    }
    s->sorted[0] = INT32_MAX, s->sorted[1] = 0;
    int64_t n_chunk = s->n_chunk, n_body = s->n_body, size = sizeof *chunk;
    PL_TRY(room(d, size * (n_chunk + n_body)));
    PL_TRY(pl_gpu_surfaces_refit(d->gpu, &d->surfaces, d->host));
    const pl_root_box *root = d->host;
    if (n_chunk > 0) memcpy(chunk, root, (size_t)(size * n_chunk));
    if (n_body > 0) memcpy(body, root + n_chunk, (size_t)(size * n_body));
    return PL_OK;
}

static pl_status leaving(pl_collision_device *device, const pl_surfaces *s, int32_t *n,
                         const int32_t **list)
{
    collision_device *d = (collision_device *)device;
    send_way(d, s->x0, s->x1);
    return pl_gpu_surfaces_leaving(d->gpu, &d->surfaces, &d->x0.buffer, &d->x1.buffer, n, list);
}

static pl_status take_boxes(pl_collision_device *device, const pl_surfaces *s)
{
    collision_device *d = (collision_device *)device;
    int64_t n = s->n_point;
    PL_TRY(room(d, 24 * n));
    float *side = d->host;
    for (int64_t p = 0; p < n; p++, side += 6) {
        for (int k = 0; k < 3; k++) {
            side[k] = s->point_bound[p].lo[k];
            side[3 + k] = s->point_bound[p].nhi[k];
        }
    }
    pl_gpu_write(d->gpu, &d->surfaces.point_bound, 0, 24 * n, d->host);
    return pl_gpu_state(d->gpu);
}

// --- Pairs ---

static pl_status search(pl_collision_device *device, const pl_surfaces *s,
                        const int32_t *leaf_patch, int64_t *n, const int32_t **name)
{
    collision_device *d = (collision_device *)device;
    PL_TRY(pl_gpu_surfaces_search(d->gpu, &d->surfaces, leaf_patch, s->smooth));
    *n = d->surfaces.n_feature;
    return pl_gpu_surfaces_names(d->gpu, &d->surfaces, name);
}

// Sends what is to be tested. Are there pairs without radii, and with?
static pl_status send_tested(collision_device *d, int64_t n, const pl_tested_pair *pair,
                             bool any[2])
{
    PL_TRY(pl_gpu_reserve(d->gpu, &d->pair, 5 * n, 4));
    PL_TRY(pl_gpu_reserve(d->gpu, &d->separation, n, 8));
    PL_TRY(pl_gpu_reserve(d->gpu, &d->radii, n, 8));
    PL_TRY(pl_gpu_reserve(d->gpu, &d->hit, n, 1));
    PL_TRY(room(d, 20 * n));
    int32_t *number = d->host;
    for (int64_t i = 0; i < n; i++) {
        any[pair[i].radii > 0] = true;
        number[5 * i] = pair[i].kind;
        memcpy(number + 5 * i + 1, pair[i].vertex, sizeof pair[i].vertex);
    }
    pl_gpu_write(d->gpu, &d->pair, 0, 20 * n, number);
    double *distance = d->host;
    for (int64_t i = 0; i < n; i++) distance[i] = pair[i].separation;
    pl_gpu_write(d->gpu, &d->separation, 0, 8 * n, distance);
    for (int64_t i = 0; i < n; i++) distance[i] = pair[i].radii;
    pl_gpu_write(d->gpu, &d->radii, 0, 8 * n, distance);
    return PL_OK;
}

static pl_status test(pl_collision_device *device, const double *x0, const double *x1, int64_t n,
                      const pl_tested_pair *pair, uint8_t *hit)
{
    collision_device *d = (collision_device *)device;
    bool any[2] = {false, false};
    if (n == 0) return PL_OK;
    send_way(d, x0, x1);
    PL_TRY(send_tested(d, n, pair, any));
    pl_gpu_hit(d->gpu, n, &d->pair, &d->x0.buffer, &d->x1.buffer, &d->separation, &d->radii, any[0],
               any[1], &d->hit);
    return pl_gpu_read(d->gpu, &d->hit, 0, n, hit);
}

static pl_status closest(pl_collision_device *device, const double *x, int64_t n,
                         const int32_t *pair, pl_closest *out)
{
    collision_device *d = (collision_device *)device;
    if (n == 0) return PL_OK;
    bool at_end = pl_gpu_kept_is(&d->x1, x);
    if (!at_end) pl_gpu_kept_send(d->gpu, &d->x0, x);
    PL_TRY(pl_gpu_reserve(d->gpu, &d->pair, 5 * n, 4));
    PL_TRY(pl_gpu_reserve(d->gpu, &d->closest, PL_GPU_CLOSEST * n, 8));
    PL_TRY(room(d, 8 * PL_GPU_CLOSEST * n));
    pl_gpu_write(d->gpu, &d->pair, 0, 20 * n, pair);
    pl_gpu_closest(d->gpu, n, 5, &d->pair, at_end ? &d->x1.buffer : &d->x0.buffer, &d->closest);
    PL_TRY(pl_gpu_read(d->gpu, &d->closest, 0, 8 * PL_GPU_CLOSEST * n, d->host));
    const double *number = d->host;
    for (int64_t i = 0; i < n; i++, number += PL_GPU_CLOSEST) {
        out[i] = (pl_closest){.distance = number[0]};
        memcpy(out[i].weight, number + 1, sizeof out[i].weight);
        memcpy(out[i].normal, number + 5, sizeof out[i].normal);
        for (int k = 0; k < 4; k++) out[i].support |= (uint32_t)(number[1 + k] != 0) << k;
    }
    return PL_OK;
}

// --- Life ---

static pl_status take(collision_device *d, const pl_surfaces *s)
{
    PL_TRY(pl_gpu_kept_take(d->gpu, 24 * (int64_t)s->n_vert, &d->x0));
    PL_TRY(pl_gpu_kept_take(d->gpu, 24 * (int64_t)s->n_vert, &d->x1));
    return pl_gpu_surfaces_create(d->gpu, s, &d->surfaces);
}

pl_status pl_collision_device_open(struct pl_device *device, const pl_surfaces *s,
                                   pl_collision_device **out)
{
    *out = NULL;
    collision_device *d = pl_alloc_zero(1, sizeof *d);
    if (d == NULL) return PL_ERROR_MEMORY;
    d->gpu = pl_gpu_of(device);
    d->device = (pl_collision_device){.close = close_device,
                                      .move = move,
                                      .refit = refit,
                                      .leaving = leaving,
                                      .take_boxes = take_boxes,
                                      .search = search,
                                      .test = test,
                                      .closest = closest};
    pl_status status = take(d, s);
    if (status != PL_OK) {
        close_device(&d->device);
        return status;
    }
    *out = &d->device;
    return PL_OK;
}
