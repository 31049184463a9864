// Prefix sums on a device. Internal.

#ifndef PL_GPU_SCAN_HOST_H
#define PL_GPU_SCAN_HOST_H

#include "gpu.h"

// start[i] (n) := the sum of the counts before i; *total of all. Waits for the total. `part` is
// scratch that grows. Fails with PL_ERROR_MEMORY where the total does not fit an int32_t.
pl_status pl_gpu_scan(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *count, pl_gpu_buffer *part,
                      const pl_gpu_buffer *start, int64_t *total);

#endif
