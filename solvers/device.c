#include "device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

pl_device_info pl_device_cpu(bool chosen)
{
    pl_device_info info = {.name = "cpu", .driver = "the library itself", .chosen = chosen};
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    info.units = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
    info.memory = pages > 0 && page > 0 ? (int64_t)pages * page : 0;
    snprintf(info.model, sizeof info.model, "the cores of this machine");
    return info;
}

#define EACH(kind)                                                                                 \
    kind, kind ":0", kind ":1", kind ":2", kind ":3", kind ":4", kind ":5", kind ":6", kind ":7"

static const char *const names[] = {"cpu", "auto", EACH("cuda"), EACH("opencl")};

pl_status pl_device_find(const char *text, const char **name)
{
    static const char *const kinds[] = {"cpu", "auto", "cuda", "opencl"};
    for (size_t i = 0; text != NULL && i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *name = names[i];
        return PL_OK;
    }
    if (text == NULL) return pl_fail(PL_ERROR_ARGUMENT, "device: none is named");
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "device", text, strlen(text), kinds, 4);
}

void pl_device_close(pl_device *device)
{
    if (device != NULL) device->close(device);
}

pl_status pl_workspace_use(pl_workspace *ws, const char *name)
{
    const char *own;
    PL_TRY(pl_device_find(name, &own));
    if (ws->device != NULL && ws->device->name == own) return PL_OK;
    pl_device_close(ws->device);
    ws->device = NULL;
    PL_TRY(pl_device_open(own, &ws->device));
    if (ws->device != NULL) ws->device->name = own;
    return PL_OK;
}

#ifndef PL_GPU

pl_status pl_device_check(const char *name)
{
    if (strcmp(name, "cpu") == 0 || strcmp(name, "auto") == 0) return PL_OK;
    return pl_fail(PL_ERROR_DEVICE, "device %s: this build of Pliant knows the CPU only", name);
}

pl_status pl_device_open(const char *name, pl_device **out)
{
    *out = NULL;
    return pl_device_check(name);
}

int32_t pl_device_list(int32_t capacity, pl_device_info *out)
{
    if (capacity > 0) *out = pl_device_cpu(true);
    return 1;
}

const char *pl_device_missing(const char *kind)
{
    (void)kind;
    return "this build of Pliant knows the CPU only";
}

#endif

void pl_device_failed(pl_device *device, pl_status status)
{
    device->lost = status != PL_ERROR_MEMORY;
    if (device->lost) {
        pl_log(PL_LOG_WARNING,
               "the device is lost, and the CPU goes on from the last good state: %s",
               pl_error_text());
    } else if (!device->warned) {
        pl_log(PL_LOG_WARNING, "the device has not enough memory, and the CPU does its work: %s",
               pl_error_text());
        device->warned = true;
    }
}

static void improve(pl_device_solve_fn *solve, const pl_problem *problem,
                    const pl_solver_options *options, pl_workspace *ws, int32_t n, double *v,
                    double *f, pl_solve_stats *stats)
{
    const pl_solve_stats before = *stats;
    pl_status status = solve(ws->device, problem, options, ws, n, v, f, stats);
    if (status == PL_OK) return;
    *stats = before; // what it did is lost
    pl_device_failed(ws->device, status);
}

static bool is_there(const pl_workspace *ws)
{
    return ws->device != NULL && !ws->device->lost;
}

void pl_device_apg(const pl_problem *problem, const pl_solver_options *options, pl_workspace *ws,
                   int32_t n, double *v, double *f, pl_solve_stats *stats)
{
    stats->end = PL_SOLVE_LIMIT;
    if (!is_there(ws) || ws->device->apg == NULL) return;
    improve(ws->device->apg, problem, options, ws, n, v, f, stats);
}

void pl_device_cr(const pl_problem *problem, const pl_solver_options *options, pl_workspace *ws,
                  int32_t n, double *v, double *f, pl_solve_stats *stats)
{
    stats->end = PL_SOLVE_LIMIT;
    if (!is_there(ws) || ws->device->cr == NULL) return;
    improve(ws->device->cr, problem, options, ws, n, v, f, stats);
}
