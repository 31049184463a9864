#include "grab.h"

#include <math.h>
#include <string.h>

// The hand as an oscillator with the mass of the body: its frequency [rad/s], such that a body that
// hangs from it sags by g / HAND^2 = 4 cm, and its damping (1: critical).
static const double HAND = 15, HAND_DAMPING = 0.7;
// How far the hand reaches on a soft body, in parts of its diagonal.
static const double REACH = 0.12;

static double distance(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static double mass_of(const pl_world *world, int32_t body, double density)
{
    pl_frame frame;
    if (pl_world_kind(world, body) == PL_BODY_RIGID) {
        return pl_world_frame(world, body, &frame) == PL_OK ? frame.mass : 0;
    }
    return density * pl_mesh_volume(pl_world_mesh(world, body));
}

static pl_status add(pl_grab *grab, int32_t vertex, double share)
{
    int64_t n = grab->n + 1;
    PL_TRY(pl_reserve((void **)&grab->vertex, &grab->vertex_capacity, n, sizeof *grab->vertex));
    PL_TRY(pl_reserve((void **)&grab->share, &grab->share_capacity, n, sizeof *grab->share));
    PL_TRY(pl_reserve((void **)&grab->pull, &grab->pull_capacity, n, sizeof *grab->pull));
    grab->vertex[grab->n] = vertex;
    grab->share[grab->n++] = share;
    return PL_OK;
}

// The vertices within reach, also those inside: they are what the surface is held by.
static pl_status take_around(pl_grab *grab, const pl_world *world, int32_t body, const double at[3])
{
    const double *x = pl_world_positions(world, body);
    int32_t n = pl_world_vertex_count(world, body), nearest = 0;
    double lo[3], hi[3];
    pl_mesh_bounds(pl_world_mesh(world, body), lo, hi);
    double reach = REACH * distance(lo, hi);
    for (int32_t i = 0; i < n; i++) {
        double d = distance(x + 3 * (int64_t)i, at);
        if (d < distance(x + 3 * (int64_t)nearest, at)) nearest = i;
        if (d < reach) PL_TRY(add(grab, i, 1 - d / reach));
    }
    return grab->n > 0 ? PL_OK : add(grab, nearest, 1);
}

// Where the vertices are that are held: their mean by share.
static void find_mean(const pl_grab *grab, const pl_world *world, double mean[3])
{
    const double *x = pl_world_positions(world, grab->body);
    memset(mean, 0, 3 * sizeof *mean);
    for (int32_t i = 0; i < grab->n; i++) {
        for (int k = 0; k < 3; k++) mean[k] += grab->share[i] * x[3 * (int64_t)grab->vertex[i] + k];
    }
}

static void share_out(pl_grab *grab, const pl_world *world, const double at[3])
{
    double sum = 0, mean[3];
    for (int32_t i = 0; i < grab->n; i++) sum += grab->share[i];
    for (int32_t i = 0; i < grab->n; i++) grab->share[i] /= sum;
    find_mean(grab, world, mean);
    for (int k = 0; k < 3; k++) grab->offset[k] = at[k] - mean[k];
}

pl_status pl_grab_take(pl_grab *grab, const pl_world *world, int32_t body, double density,
                       const double at[3], const int32_t corner[3], const double weight[3])
{
    grab->n = 0;
    grab->body = -1;
    if (pl_world_kind(world, body) == PL_BODY_RIGID) {
        for (int k = 0; k < 3; k++) PL_TRY(add(grab, corner[k], weight[k]));
    } else {
        PL_TRY(take_around(grab, world, body, at));
    }
    grab->body = body;
    share_out(grab, world, at);
    double mass = mass_of(world, body, density);
    grab->stiffness = mass * HAND * HAND;
    grab->damping = 2 * HAND_DAMPING * mass * HAND;
    return PL_OK;
}

pl_status pl_grab_pull(pl_grab *grab, pl_world *world, const double target[3])
{
    const double *x = pl_world_positions(world, grab->body);
    double mean[3];
    find_mean(grab, world, mean);
    for (int32_t i = 0; i < grab->n; i++) {
        pl_pull *pull = &grab->pull[i];
        *pull = (pl_pull){.vertex = grab->vertex[i],
                          .stiffness = grab->share[i] * grab->stiffness,
                          .damping = grab->share[i] * grab->damping};
        for (int k = 0; k < 3; k++) {
            pull->target[k] =
                x[3 * (int64_t)grab->vertex[i] + k] + target[k] - grab->offset[k] - mean[k];
        }
    }
    return pl_world_pull(world, grab->body, grab->n, grab->pull);
}

void pl_grab_point(const pl_grab *grab, const pl_world *world, double out[3])
{
    find_mean(grab, world, out);
    for (int k = 0; k < 3; k++) out[k] += grab->offset[k];
}

pl_status pl_grab_release(pl_grab *grab, pl_world *world)
{
    int32_t body = grab->body;
    grab->body = -1;
    return body >= 0 ? pl_world_pull(world, body, 0, NULL) : PL_OK;
}

void pl_grab_free(pl_grab *grab)
{
    pl_free(grab->vertex);
    pl_free(grab->share);
    pl_free(grab->pull);
    *grab = (pl_grab){.body = -1};
}
