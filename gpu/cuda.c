// Devices of CUDA, through the driver's own interface. Its library is looked for when it is needed,
// so that a program starts, and links, without it.

#include "backend.h"

#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(f)                                                                               \
    f(cuInit) f(cuDriverGetVersion) f(cuGetErrorName) f(cuDeviceGetCount) f(cuDeviceGet)           \
        f(cuDeviceGetName) f(cuDeviceGetAttribute) f(cuDeviceTotalMem) f(cuDevicePrimaryCtxRetain) \
            f(cuDevicePrimaryCtxRelease) f(cuCtxSetCurrent) f(cuStreamCreate) f(cuStreamDestroy)   \
                f(cuStreamSynchronize) f(cuModuleLoadData) f(cuModuleUnload)                       \
                    f(cuModuleGetFunction) f(cuMemAlloc) f(cuMemFree) f(cuMemcpyHtoDAsync)         \
                        f(cuMemcpyDtoHAsync) f(cuMemcpyDtoDAsync) f(cuLaunchKernel)                \
                            f(cuStreamBeginCapture) f(cuStreamEndCapture) f(cuGraphInstantiate)    \
                                f(cuGraphLaunch) f(cuGraphExecDestroy) f(cuGraphDestroy)

static struct {
#define POINTER(name) __typeof__(&name) name;
    FUNCTIONS(POINTER)
    bool tried, found;
    CUresult init;
} cu;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

typedef struct cuda {
    pl_gpu gpu;
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUmodule module;
    CUfunction *kernel; // (pl_gpu_n_kernel)
} cuda;

extern const char pl_gpu_fatbin[]; // fatbin.c

// Names of the driver's functions have versions, which the header knows.
#define TEXT_OF(name) #name
#define SYMBOL(name) TEXT_OF(name)

static bool load(void)
{
    pthread_mutex_lock(&loading);
    if (!cu.tried) {
        cu.tried = cu.found = true;
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
#define LOAD(name)                                                                                 \
    *(void **)&cu.name = library != NULL ? dlsym(library, SYMBOL(name)) : NULL;                    \
    cu.found = cu.found && cu.name != NULL;
        FUNCTIONS(LOAD)
        if (cu.found) cu.init = cu.cuInit(0);
    }
    pthread_mutex_unlock(&loading);
    return cu.found;
}

static pl_status judge(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS) return PL_OK;
    const char *name = "an unknown error";
    cu.cuGetErrorName(code, &name);
    return pl_fail(code == CUDA_ERROR_OUT_OF_MEMORY ? PL_ERROR_MEMORY : PL_ERROR_DEVICE,
                   "CUDA: %s: %s (%d)", what, name, (int)code);
}

// --- Which there are ---

static void describe(int32_t index, pl_gpu_info *info)
{
    *info = (pl_gpu_info){.kind = PL_GPU_CUDA, .lanes = 1, .index = index};
    int version = 0, units = 0, major = 0, minor = 0;
    size_t memory = 0;
    CUdevice device = 0;
    if (cu.cuDeviceGet(&device, index) != CUDA_SUCCESS) {
        info->lacks = "the driver does not answer for it";
        return;
    }
    cu.cuDeviceGetName(info->name, (int)sizeof info->name, device);
    cu.cuDriverGetVersion(&version);
    cu.cuDeviceTotalMem(&memory, device);
    cu.cuDeviceGetAttribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    cu.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    cu.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    snprintf(info->driver, sizeof info->driver, "CUDA %d.%d, compute capability %d.%d",
             version / 1000, version % 1000 / 10, major, minor);
    info->memory = (int64_t)memory;
    info->units = (int32_t)units;
    if (10 * major + minor < PL_CUDA_OLDEST) info->lacks = "it is too old for this build";
}

static int32_t list(int32_t capacity, pl_gpu_info *info)
{
    int n = 0;
    if (!load()) {
        pl_fail(PL_ERROR_DEVICE, "no CUDA: its driver, libcuda.so.1, is not installed");
        return 0;
    }
    if (cu.init != CUDA_SUCCESS || cu.cuDeviceGetCount(&n) != CUDA_SUCCESS || n <= 0) {
        const char *name = "there is no device";
        if (cu.init != CUDA_SUCCESS) cu.cuGetErrorName(cu.init, &name);
        pl_fail(PL_ERROR_DEVICE, "no CUDA: its driver finds no device (%s)", name);
        return 0;
    }
    for (int32_t i = 0; i < PL_MIN(n, capacity); i++) describe(i, info + i);
    return n;
}

// --- Opening ---

static void close_cuda(pl_gpu *gpu)
{
    cuda *c = (cuda *)gpu;
    if (c->context != NULL) cu.cuCtxSetCurrent(c->context);
    if (c->module != NULL) cu.cuModuleUnload(c->module);
    if (c->stream != NULL) cu.cuStreamDestroy(c->stream);
    if (c->context != NULL) cu.cuDevicePrimaryCtxRelease(c->device);
    pl_free(c->kernel);
    pl_free(c);
}

static pl_status prepare(cuda *c, int32_t index)
{
    PL_TRY(judge(cu.cuDeviceGet(&c->device, index), "a device"));
    PL_TRY(judge(cu.cuDevicePrimaryCtxRetain(&c->context, c->device), "its context"));
    PL_TRY(judge(cu.cuCtxSetCurrent(c->context), "its context"));
    PL_TRY(judge(cu.cuStreamCreate(&c->stream, CU_STREAM_NON_BLOCKING), "its stream"));
    PL_TRY(judge(cu.cuModuleLoadData(&c->module, pl_gpu_fatbin), "its kernels"));
    c->kernel = pl_alloc_zero(pl_gpu_n_kernel, sizeof(CUfunction));
    if (c->kernel == NULL) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < pl_gpu_n_kernel; k++) {
        const char *name = pl_gpu_kernels[k].name;
        PL_TRY(judge(cu.cuModuleGetFunction(c->kernel + k, c->module, name), name));
    }
    return PL_OK;
}

static pl_status open_cuda(int32_t index, pl_gpu **out)
{
    cuda *c = pl_alloc_zero(1, sizeof *c);
    if (c == NULL) return PL_ERROR_MEMORY;
    pl_status status = prepare(c, index);
    if (status != PL_OK) {
        close_cuda(&c->gpu);
        return status;
    }
    *out = &c->gpu;
    return PL_OK;
}

// The stream for a call, whichever thread that is from.
static CUstream stream_of(pl_gpu *gpu)
{
    cuda *c = (cuda *)gpu;
    cu.cuCtxSetCurrent(c->context);
    return c->stream;
}

// --- Buffers ---

static CUdeviceptr address(void *handle)
{
    return (CUdeviceptr)(uintptr_t)handle;
}

static pl_status take(pl_gpu *gpu, int64_t size, void **handle)
{
    CUdeviceptr at = 0;
    stream_of(gpu);
    PL_TRY(judge(cu.cuMemAlloc(&at, (size_t)size), "a buffer"));
    *handle = (void *)(uintptr_t)at;
    return PL_OK;
}

static void drop(pl_gpu *gpu, void *handle)
{
    stream_of(gpu);
    cu.cuMemFree(address(handle));
}

// From memory that is not pinned: it may be changed when this returns.
static pl_status write_bytes(pl_gpu *gpu, void *to, int64_t offset, int64_t size, const void *data)
{
    CUstream stream = stream_of(gpu);
    CUdeviceptr at = address(to) + (CUdeviceptr)offset;
    return judge(cu.cuMemcpyHtoDAsync(at, data, (size_t)size, stream), "a copy to the device");
}

static pl_status read_bytes(pl_gpu *gpu, void *from, int64_t offset, int64_t size, void *data)
{
    CUstream stream = stream_of(gpu);
    CUdeviceptr at = address(from) + (CUdeviceptr)offset;
    PL_TRY(judge(cu.cuMemcpyDtoHAsync(data, at, (size_t)size, stream), "a copy from the device"));
    return judge(cu.cuStreamSynchronize(stream), "waiting for the device");
}

static pl_status copy_bytes(pl_gpu *gpu, void *from, void *to, int64_t size)
{
    CUstream stream = stream_of(gpu);
    return judge(cu.cuMemcpyDtoDAsync(address(to), address(from), (size_t)size, stream), "a copy");
}

// --- Launches ---

static pl_status launch(pl_gpu *gpu, const pl_gpu_launch_plan *plan)
{
    void *arg[PL_GPU_MAX_ARGS];
    for (int32_t i = 0; i < plan->n_arg; i++) arg[i] = (void *)&plan->arg[i].as;
    CUstream stream = stream_of(gpu);
    CUfunction kernel = ((cuda *)gpu)->kernel[plan->kernel];
    return judge(cu.cuLaunchKernel(kernel, (unsigned)plan->n_group, 1, 1, (unsigned)plan->size, 1,
                                   1, 0, stream, arg, NULL),
                 pl_gpu_kernels[plan->kernel].name);
}

static pl_status finish(pl_gpu *gpu)
{
    return judge(cu.cuStreamSynchronize(stream_of(gpu)), "waiting for the device");
}

// --- Graphs ---

static pl_status graph_begin(pl_gpu *gpu)
{
    return judge(cu.cuStreamBeginCapture(stream_of(gpu), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                 "a graph");
}

static pl_status graph_end(pl_gpu *gpu, void **graph)
{
    CUgraph captured = NULL;
    CUgraphExec ready = NULL;
    *graph = NULL;
    pl_status status = judge(cu.cuStreamEndCapture(stream_of(gpu), &captured), "a graph");
    if (status == PL_OK) status = judge(cu.cuGraphInstantiate(&ready, captured, 0), "a graph");
    if (captured != NULL) cu.cuGraphDestroy(captured);
    *graph = ready;
    return status;
}

static pl_status graph_run(pl_gpu *gpu, void *graph)
{
    return judge(cu.cuGraphLaunch(graph, stream_of(gpu)), "a graph");
}

static void graph_free(pl_gpu *gpu, void *graph)
{
    stream_of(gpu);
    cu.cuGraphExecDestroy(graph);
}

const pl_gpu_backend pl_gpu_cuda = {
    .kind = PL_GPU_CUDA,
    .list = list,
    .open = open_cuda,
    .close = close_cuda,
    .take = take,
    .drop = drop,
    .write = write_bytes,
    .read = read_bytes,
    .copy = copy_bytes,
    .launch = launch,
    .finish = finish,
    .graph_begin = graph_begin,
    .graph_end = graph_end,
    .graph_run = graph_run,
    .graph_free = graph_free,
};
