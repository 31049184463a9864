#include "gmres.h"
#include "../solvers/gmres.h"
#include "../solvers/hessenberg.h"
#include "../solvers/vectors.h"
#include "kernels/types.h"
#include "system.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    LOOK = 3, // steps between two looks at the residual
    N_DOTS = 2 * PL_GMRES_MOST + 1,
};

_Static_assert(PL_GMRES_MOST == PL_GMRES_STEPS, "steps of GMRES");

static pl_status take(pl_gpu_gmres *g, pl_gpu *gpu, int64_t n)
{
    PL_TRY(pl_gpu_reserve(gpu, &g->on.basis, (PL_GMRES_MOST + 1) * n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &g->on.moved, PL_GMRES_MOST * n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &g->on.x, n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &g->on.z, n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &g->on.w, n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &g->on.e, n, 8));
    PL_TRY(pl_gpu_reserve(gpu, &g->on.y, PL_GMRES_MOST, 8));
    PL_TRY(pl_gpu_reserve(gpu, &g->on.part, PL_GMRES_MOST * pl_gpu_parts(n), 8));
    PL_TRY(pl_gpu_reserve(gpu, &g->on.dots, N_DOTS, 8));
    return pl_gpu_reserve(gpu, &g->on.scalars, 1, sizeof(pl_gmres_scalars));
}

void pl_gpu_gmres_free(pl_gpu_gmres *g, pl_gpu *gpu)
{
    pl_gpu_buffer *buffer = (pl_gpu_buffer *)&g->on;
    size_t n = sizeof g->on / sizeof *buffer;
    for (size_t i = 0; i < n; i++) pl_gpu_drop(gpu, buffer + i);
}

// w less what the basis has of it; the products stand in dots[from], ...
static void make_orthogonal(pl_gpu_gmres *g, pl_gpu *gpu, int64_t n, int32_t from)
{
    int64_t n_part = pl_gpu_parts(n);
    pl_gpu_launch_groups(gpu, "gmres_dots", n_part,
                         PL_ARGS(PL_ARG(n), PL_ARG(n_part), PL_ARG(&g->on.scalars),
                                 PL_ARG(&g->on.basis), PL_ARG(&g->on.w), PL_ARG(&g->on.part)));
    pl_gpu_sum(gpu, n_part, &g->on.part, PL_GMRES_MOST, from, &g->on.dots);
    pl_gpu_launch(gpu, "gmres_subtract", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(from), PL_ARG(&g->on.scalars), PL_ARG(&g->on.basis),
                          PL_ARG(&g->on.dots), PL_ARG(&g->on.w)));
    // As many vectors as there are in the middle of a solve
    pl_gpu_note(gpu, 2 * (PL_GMRES_MOST / 2 + 1) * 4 * (double)n, 2 * PL_GMRES_MOST * (double)n);
}

static void step(pl_gpu_gmres *g, pl_gpu_multigrid *m)
{
    pl_gpu *gpu = m->gpu;
    int64_t n = 3 * (int64_t)m->n, n_part = pl_gpu_parts(n);
    pl_gpu_launch(
        gpu, "gmres_load", n,
        PL_ARGS(PL_ARG(n), PL_ARG(&g->on.scalars), PL_ARG(&g->on.basis), PL_ARG(&g->on.x)));
    pl_gpu_multigrid_cycle(m, &g->on.x, &g->on.z);
    pl_gpu_multigrid_multiply(m, &g->on.z, &g->on.w);
    make_orthogonal(g, gpu, n, 0);
    make_orthogonal(g, gpu, n, PL_GMRES_MOST);
    pl_gpu_launch_groups(gpu, "gmres_norm", n_part,
                         PL_ARGS(PL_ARG(n), PL_ARG(&g->on.w), PL_ARG(&g->on.part)));
    pl_gpu_sum(gpu, n_part, &g->on.part, 1, 2 * PL_GMRES_MOST, &g->on.dots);
    pl_gpu_launch(gpu, "gmres_keep", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&g->on.scalars), PL_ARG(&g->on.dots), PL_ARG(&g->on.w),
                          PL_ARG(&g->on.z), PL_ARG(&g->on.basis), PL_ARG(&g->on.moved)));
    pl_gpu_launch(gpu, "gmres_note", 1, PL_ARGS(PL_ARG(&g->on.dots), PL_ARG(&g->on.scalars)));
}

// e := what the steps that were made have come to.
static pl_status combine(pl_gpu_gmres *g, pl_gpu *gpu, int64_t n, const pl_gmres_scalars *scalars,
                         double *e)
{
    pl_hessenberg ls = {0};
    double y[PL_GMRES_MOST] = {0};
    for (int j = 0; j < scalars->k; j++) {
        memcpy(ls.R[j], scalars->R[j], sizeof scalars->R[j]);
        ls.g[j] = scalars->g[j];
    }
    pl_hessenberg_solve(&ls, scalars->k, y);
    pl_gpu_write(gpu, &g->on.y, 0, sizeof y, y);
    pl_gpu_launch(gpu, "gmres_combine", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(scalars->k), PL_ARG(&g->on.y), PL_ARG(&g->on.moved),
                          PL_ARG(&g->on.e)));
    return pl_gpu_read(gpu, &g->on.e, 0, 8 * n, e);
}

static pl_status run(pl_gpu_gmres *g, pl_gpu_multigrid *m, pl_gpu_record *iteration, int32_t steps,
                     pl_gmres_scalars *scalars)
{
    for (int32_t made = 0; made < steps && !scalars->done;) {
        int32_t some = PL_MIN(LOOK, steps - made);
        for (int32_t i = 0; i < some; i++) pl_gpu_replay(m->gpu, iteration);
        PL_TRY(pl_gpu_read(m->gpu, &g->on.scalars, 0, sizeof *scalars, scalars));
        made += some;
    }
    return PL_OK;
}

pl_status pl_gpu_gmres_solve(pl_gpu_gmres *g, pl_gpu_multigrid *m, double drop, int32_t steps,
                             const double *r, double *e, pl_arena *arena, int32_t *made)
{
    pl_gpu *gpu = m->gpu;
    int64_t n = 3 * (int64_t)m->n;
    double norm = sqrt(pl_vec_dot(n, r, r));
    *made = 0;
    memset(e, 0, (size_t)n * sizeof *e);
    if (!(norm > 0) || !isfinite(norm)) return PL_OK;
    pl_arena_mark mark = pl_arena_here(arena);
    float *first = pl_arena_take(arena, n, sizeof *first);
    if (first == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) first[i] = (float)(r[i] / norm);
    pl_gmres_scalars scalars = {.g = {norm}, .enough = drop * norm};
    PL_TRY(take(g, gpu, n));
    pl_gpu_write(gpu, &g->on.basis, 0, 4 * n, first);
    pl_gpu_write(gpu, &g->on.scalars, 0, sizeof scalars, &scalars);
    pl_arena_back(arena, mark);
    pl_gpu_record *iteration;
    PL_TRY(pl_gpu_record_begin(gpu));
    step(g, m);
    PL_TRY(pl_gpu_record_end(gpu, &iteration));
    pl_status status = run(g, m, iteration, PL_MIN(steps, PL_GMRES_MOST), &scalars);
    pl_gpu_record_free(gpu, iteration);
    PL_TRY(status);
    *made = scalars.k;
    return combine(g, gpu, n, &scalars, e);
}
