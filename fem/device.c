#include "device.h"

static void warn(void)
{
    pl_log(PL_LOG_WARNING, "elements are assembled without the device: %s", pl_error_text());
}

pl_status pl_fem_use(pl_fem *fem, struct pl_device *device, const pl_bsr *A)
{
    pl_status status = pl_fem_device_open(device, fem, A, &fem->device);
    if (status != PL_ERROR_MEMORY) return status;
    warn();
    return PL_OK;
}

bool pl_fem_device_did(pl_fem_device *device, pl_status status)
{
    device->lost = status != PL_OK;
    if (device->lost) warn();
    return !device->lost;
}

#ifndef PL_GPU

pl_status pl_fem_device_open(struct pl_device *device, const pl_fem *fem, const pl_bsr *A,
                             pl_fem_device **out)
{
    (void)device, (void)fem, (void)A;
    *out = NULL;
    return pl_fail(PL_ERROR_DEVICE, "this build of Pliant knows the CPU only");
}

#endif
