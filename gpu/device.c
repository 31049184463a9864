#include "device.h"
#include "apg.h"
#include "cr.h"
#include "gmres.h"
#include "reduced.h"
#include "saddle.h"

typedef struct gpu_device {
    pl_device device;
    pl_gpu *gpu;
    pl_gpu_system system;
    pl_gpu_apg apg;
    pl_gpu_cr cr;
    pl_gpu_multigrid multigrid;
    pl_gpu_gmres gmres;
    pl_gpu_reduced reduced;
    pl_gpu_saddles saddles;
} gpu_device;

pl_gpu *pl_gpu_of(pl_device *device)
{
    return ((gpu_device *)device)->gpu;
}

// Pyramids of friction are left to the CPU.
static bool is_for_us(const pl_problem *problem)
{
    for (int32_t i = 0; i < problem->n_limits; i++) {
        if (problem->limits[i].law == PL_LAW_PYRAMID) return false;
    }
    return problem->A->n > 0;
}

// What the device holds of problems.
static void let_go(gpu_device *d)
{
    pl_gpu_apg_free(&d->apg, d->gpu);
    pl_gpu_cr_free(&d->cr, d->gpu);
    pl_gpu_multigrid_free(&d->multigrid);
    pl_gpu_gmres_free(&d->gmres, d->gpu);
    pl_gpu_reduced_free(&d->reduced, d->gpu);
    pl_gpu_system_free(&d->system);
}

// What a call took from the arena goes back, and without memory all that the device holds.
static pl_status give_back(gpu_device *d, pl_status status, pl_arena *arena, pl_arena_mark mark)
{
    pl_arena_back(arena, mark);
    if (status == PL_ERROR_MEMORY) let_go(d);
    return status;
}

static pl_status solve_apg(pl_device *device, const pl_problem *problem,
                           const pl_solver_options *options, pl_workspace *ws, int32_t n, double *v,
                           double *f, pl_solve_stats *stats)
{
    gpu_device *d = (gpu_device *)device;
    stats->end = PL_SOLVE_LIMIT;
    if (!is_for_us(problem) || n <= 0) return PL_OK;
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    pl_status status = pl_gpu_apg_solve(&d->apg, &d->system, problem, options, ws, n, v, f, stats);
    return give_back(d, status, &ws->arena, mark);
}

static pl_status solve_cr(pl_device *device, const pl_problem *problem,
                          const pl_solver_options *options, pl_workspace *ws, int32_t n, double *v,
                          double *f, pl_solve_stats *stats)
{
    gpu_device *d = (gpu_device *)device;
    stats->end = PL_SOLVE_LIMIT;
    if (!is_for_us(problem) || n <= 0) return PL_OK;
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    pl_status status = pl_gpu_cr_solve(&d->cr, &d->system, problem, options, ws, n, v, f, stats);
    return give_back(d, status, &ws->arena, mark);
}

static pl_status make_inner(gpu_device *d, const pl_multigrid *mg, bool fresh,
                            const pl_stiffness *J, const float *couple, double drop, int32_t steps,
                            const double *r, double *e, pl_arena *arena, int32_t *made)
{
    if (fresh) PL_TRY(pl_gpu_multigrid_create(&d->multigrid, mg, arena));
    PL_TRY(pl_gpu_multigrid_set(&d->multigrid, J, couple, arena));
    return pl_gpu_gmres_solve(&d->gmres, &d->multigrid, drop, steps, r, e, arena, made);
}

static pl_status solve_inner(pl_device *device, const pl_multigrid *mg, bool fresh,
                             const pl_stiffness *J, const float *couple, double drop, int32_t steps,
                             const double *r, double *e, pl_arena *arena, int32_t *made)
{
    gpu_device *d = (gpu_device *)device;
    pl_status status = make_inner(d, mg, fresh, J, couple, drop, steps, r, e, arena, made);
    if (status == PL_ERROR_MEMORY) let_go(d);
    return status;
}

static pl_status solve_reduced(pl_device *device, const pl_reduced *reduced,
                               const pl_solver_options *options, pl_workspace *ws, double *v,
                               double *f, pl_solve_stats *stats)
{
    gpu_device *d = (gpu_device *)device;
    stats->end = PL_SOLVE_LIMIT;
    if (!is_for_us(reduced->problem) || options->max_iterations == 0) return PL_OK;
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    pl_status status =
        pl_gpu_reduced_solve(&d->reduced, &d->system, reduced, options, ws, v, f, stats);
    pl_arena_back(&ws->arena, mark);
    if (status == PL_ERROR_MEMORY) let_go(d);
    return status;
}

static const pl_saddle_engine *find_saddles(pl_device *device)
{
    gpu_device *d = (gpu_device *)device;
    pl_gpu_saddles_reset(&d->saddles);
    return &d->saddles.engine;
}

pl_status pl_gpu_device_open(pl_gpu_kind kind, int32_t index, pl_device **out)
{
    *out = NULL;
    gpu_device *d = pl_alloc_zero(1, sizeof *d);
    if (d == NULL) return PL_ERROR_MEMORY;
    pl_status status = pl_gpu_open(kind, index, &d->gpu);
    if (status != PL_OK) {
        pl_free(d);
        return status;
    }
    d->system.gpu = d->multigrid.gpu = d->gpu;
    d->device.apg = solve_apg;
    d->device.cr = solve_cr;
    d->device.inner = solve_inner;
    d->device.reduced = solve_reduced;
    d->device.saddles = find_saddles;
    pl_gpu_saddles_create(d->gpu, &d->saddles);
    d->device.close = pl_gpu_device_close;
    *out = &d->device;
    return PL_OK;
}

void pl_gpu_device_close(pl_device *device)
{
    if (device == NULL) return;
    gpu_device *d = (gpu_device *)device;
    let_go(d);
    pl_gpu_saddles_free(&d->saddles);
    pl_gpu_close(d->gpu);
    pl_free(d);
}
