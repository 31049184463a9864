// A device as solvers see it. Internal.

#ifndef PL_GPU_DEVICE_H
#define PL_GPU_DEVICE_H

#include "../solvers/device.h"
#include "gpu.h"

// Opens a device for solvers; fails like pl_gpu_open.
pl_status pl_gpu_device_open(pl_gpu_kind kind, int32_t index, pl_device **out);
void pl_gpu_device_close(pl_device *device); // NULL is fine

pl_gpu *pl_gpu_of(pl_device *device);

#endif
