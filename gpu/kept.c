#include "kept.h"

#include <string.h>

pl_status pl_gpu_kept_take(pl_gpu *gpu, int64_t size, pl_gpu_kept *out)
{
    *out = (pl_gpu_kept){.size = size, .sent = pl_alloc(size, 1)};
    return out->sent != NULL ? pl_gpu_take(gpu, size, 1, &out->buffer) : PL_ERROR_MEMORY;
}

void pl_gpu_kept_drop(pl_gpu *gpu, pl_gpu_kept *kept)
{
    pl_gpu_drop(gpu, &kept->buffer);
    pl_free(kept->sent);
    *kept = (pl_gpu_kept){0};
}

bool pl_gpu_kept_is(const pl_gpu_kept *kept, const void *data)
{
    return kept->has && (kept->size == 0 || memcmp(kept->sent, data, (size_t)kept->size) == 0);
}

void pl_gpu_kept_send(pl_gpu *gpu, pl_gpu_kept *kept, const void *data)
{
    if (kept->size == 0 || pl_gpu_kept_is(kept, data)) return;
    pl_gpu_write(gpu, &kept->buffer, 0, kept->size, data);
    memcpy(kept->sent, data, (size_t)kept->size);
    kept->has = true;
}
