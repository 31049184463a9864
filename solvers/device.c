#include "device.h"

void pl_device_apg(const pl_problem *problem, const pl_solver_options *options, pl_workspace *ws,
                   int32_t n, double *v, double *f, pl_solve_stats *stats)
{
    pl_device *device = ws->device;
    stats->end = PL_SOLVE_LIMIT;
    if (device == NULL || device->lost) return;
    pl_status status = device->apg(device, problem, options, ws, n, v, f, stats);
    if (status == PL_OK) return;
    stats->end = PL_SOLVE_LIMIT;
    device->lost = status != PL_ERROR_MEMORY;
    if (device->lost) {
        pl_log(PL_LOG_WARNING,
               "the device is lost, and the CPU goes on from the last good state: %s",
               pl_error_text());
    } else if (!device->is_warning) {
        pl_log(PL_LOG_WARNING, "the device has not enough memory, and the CPU does its work: %s",
               pl_error_text());
        device->is_warning = true;
    }
}
