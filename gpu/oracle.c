#include "oracle.h"

#include <stdio.h>
#include <string.h>

static _Thread_local bool goes_backward;

void pl_oracle_go_backward(bool backward)
{
    goes_backward = backward;
}

static int32_t list(int32_t capacity, pl_gpu_info *info)
{
    if (capacity > 0) {
        *info = (pl_gpu_info){.kind = PL_GPU_ORACLE, .units = 1, .is_cpu = true, .lanes = 1};
        snprintf(info->name, sizeof info->name, "the kernels in C");
        snprintf(info->driver, sizeof info->driver, "none");
    }
    return 1;
}

static pl_status open_oracle(int32_t index, pl_gpu **out)
{
    (void)index; // there is one
    *out = pl_alloc_zero(1, sizeof **out);
    return *out != NULL ? PL_OK : PL_ERROR_MEMORY;
}

static void close_oracle(pl_gpu *gpu)
{
    pl_free(gpu);
}

static pl_status take(pl_gpu *gpu, int64_t size, void **handle)
{
    (void)gpu;
    *handle = pl_alloc(size, 1);
    return *handle != NULL ? PL_OK : PL_ERROR_MEMORY;
}

static void drop(pl_gpu *gpu, void *handle)
{
    (void)gpu;
    pl_free(handle);
}

static pl_status write_bytes(pl_gpu *gpu, void *to, int64_t offset, int64_t size, const void *data)
{
    (void)gpu;
    memcpy((char *)to + offset, data, (size_t)size);
    return PL_OK;
}

static pl_status read_bytes(pl_gpu *gpu, void *from, int64_t offset, int64_t size, void *data)
{
    (void)gpu;
    memcpy(data, (const char *)from + offset, (size_t)size);
    return PL_OK;
}

static pl_status copy_bytes(pl_gpu *gpu, void *from, void *to, int64_t size)
{
    (void)gpu;
    memcpy(to, from, (size_t)size);
    return PL_OK;
}

static pl_status launch(pl_gpu *gpu, const pl_gpu_launch_plan *plan)
{
    (void)gpu;
    const pl_gpu_kernel *kernel = pl_gpu_kernels + plan->kernel;
    void *arg[PL_GPU_MAX_ARGS];
    for (int32_t i = 0; i < plan->n_arg; i++) arg[i] = (void *)&plan->arg[i].as;
    for (int64_t g = 0; g < plan->n_group; g++) {
        int64_t group = goes_backward ? plan->n_group - 1 - g : g;
        pl_oracle_call(kernel, group, plan->size, goes_backward, arg);
    }
    return PL_OK;
}

static pl_status finish(pl_gpu *gpu)
{
    (void)gpu;
    return PL_OK;
}

const pl_gpu_backend pl_gpu_oracle = {
    .kind = PL_GPU_ORACLE,
    .list = list,
    .open = open_oracle,
    .close = close_oracle,
    .take = take,
    .drop = drop,
    .write = write_bytes,
    .read = read_bytes,
    .copy = copy_bytes,
    .launch = launch,
    .finish = finish,
};
