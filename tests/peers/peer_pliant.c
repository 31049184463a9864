// Pliant, by its public interface, as the scene describes it.

#include "peer.h"
#include "../../apps/scene/scene.h"
#include "../../base/team.h"

#include <stdio.h>
#include <string.h>

static const peer_workload *work;
static pl_world *world;

static bool held(pl_status status)
{
    if (status != PL_OK) fprintf(stderr, "Pliant: %s\n", pl_error_text());
    return status == PL_OK;
}

bool peer_open(const peer_workload *workload, int threads)
{
    work = workload;
    pl_threads_set(threads);
    return held(pl_scene_world(workload->scene, &world));
}

bool peer_advance(peer_step *out)
{
    pl_step_stats stats;
    if (!held(pl_world_step(world, &stats))) return false;
    out->fem = 1e3 * stats.t_fem;
    out->collision = 1e3 * stats.t_collision;
    out->solve = 1e3 * stats.t_solve;
    out->contacts = stats.contacts;
    return true;
}

void peer_get(double *x, double *v)
{
    for (int32_t i = 0; i < work->n_body; i++) {
        const peer_body *body = &work->bodies[i];
        size_t size = 3 * (size_t)body->n_vert * sizeof *x;
        memcpy(x + 3 * body->first, pl_world_positions(world, i), size);
        memcpy(v + 3 * body->first, pl_world_velocities(world, i), size);
    }
}

bool peer_set(const double *x, const double *v)
{
    for (int32_t i = 0; i < work->n_body; i++) {
        int32_t at = 3 * work->bodies[i].first;
        if (!held(pl_world_set_state(world, i, x + at, v + at))) return false;
    }
    return true;
}
