// What a kind of devices brings: gpu.c does everything else. Internal.

#ifndef PL_GPU_BACKEND_H
#define PL_GPU_BACKEND_H

#include "gpu.h"

// A kernel of kernels/: the table is made by embed.sh.
typedef struct pl_gpu_kernel {
    const char *name, *kinds;       // of each argument, as embed.sh has them
    void (*call)(void *const *arg); // one group, in C
} pl_gpu_kernel;

extern const pl_gpu_kernel pl_gpu_kernels[]; // (pl_gpu_n_kernel)
extern const int32_t pl_gpu_n_kernel;

typedef struct pl_gpu_launch_plan {
    int32_t kernel; // of the table
    int32_t size;   // of a group
    int64_t n_group;
    int32_t n_arg;
    pl_gpu_arg arg[PL_GPU_MAX_ARGS];
} pl_gpu_launch_plan;

// The functions return PL_OK, or fail with a sentence.
typedef struct pl_gpu_backend {
    pl_gpu_kind kind;
    int32_t (*list)(int32_t capacity, pl_gpu_info *info);
    pl_status (*open)(int32_t index, pl_gpu **out);
    void (*close)(pl_gpu *gpu);
    pl_status (*take)(pl_gpu *gpu, int64_t size, void **handle); // size > 0
    void (*drop)(pl_gpu *gpu, void *handle);
    pl_status (*write)(pl_gpu *gpu, void *to, int64_t offset, int64_t size, const void *data);
    pl_status (*read)(pl_gpu *gpu, void *from, int64_t offset, int64_t size, void *data);
    pl_status (*copy)(pl_gpu *gpu, void *from, void *to, int64_t size);
    pl_status (*launch)(pl_gpu *gpu, const pl_gpu_launch_plan *plan);
    pl_status (*finish)(pl_gpu *gpu);
    // Graphs; NULL: records are lists of plans. Between the first two, launches and copies are
    // written down.
    pl_status (*graph_begin)(pl_gpu *gpu);
    pl_status (*graph_end)(pl_gpu *gpu,
                           void **graph); // also ends a failed one, *graph is NULL then
    pl_status (*graph_run)(pl_gpu *gpu, void *graph);
    void (*graph_free)(pl_gpu *gpu, void *graph);
} pl_gpu_backend;

// Every device begins with this.
struct pl_gpu {
    const pl_gpu_backend *backend;
    pl_gpu_info info;
    int32_t size;             // of groups
    pl_status status;         // the first failure
    char sentence[256];       // of it
    pl_gpu_record *recording; // NULL: what is told is done
    pl_gpu_counts counts;
};

extern const pl_gpu_backend pl_gpu_oracle; // oracle.c
#ifdef PL_OPENCL
extern const pl_gpu_backend pl_gpu_opencl; // opencl.c
extern const char pl_gpu_source[];         // of all kernels: embed.sh
#endif
#ifdef PL_CUDA
extern const pl_gpu_backend pl_gpu_cuda; // cuda.c
#endif

#endif
