// An array on a device that knows what it holds: what is there already, bit for bit, is not sent
// again. Internal.

#ifndef PL_GPU_KEPT_H
#define PL_GPU_KEPT_H

#include "gpu.h"

typedef struct pl_gpu_kept {
    pl_gpu_buffer buffer;
    void *sent; // what it holds
    int64_t size;
    bool has;
} pl_gpu_kept;

// Of `size` bytes. Fails like pl_gpu_take; drop it also then.
pl_status pl_gpu_kept_take(pl_gpu *gpu, int64_t size, pl_gpu_kept *out);
void pl_gpu_kept_drop(pl_gpu *gpu, pl_gpu_kept *kept); // leaves it empty; an empty one is fine

bool pl_gpu_kept_is(const pl_gpu_kept *kept, const void *data);
void pl_gpu_kept_send(pl_gpu *gpu, pl_gpu_kept *kept, const void *data);

#endif
