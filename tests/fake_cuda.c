// A driver of CUDA for the test of gpu/cuda.c on machines without one: libcuda.so.1 with the
// functions that it calls. Memory is the host's; a launch is handed to the test, which runs the
// kernel in C; streams are in order; a capture writes launches and copies down. It fails where it
// is told to.

#include "fake_cuda.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST_ARGS = 32 };

typedef struct command {
    const char *kernel; // NULL: a copy
    unsigned groups, size;
    uint64_t arg[MOST_ARGS];
    struct command *next;
} command;

struct CUgraph_st {
    command *first, *last;
};

EXPORT fake_cuda_state fake_cuda = {.devices = 1, .capability = 86};

static CUgraph capturing;

static CUresult check(void)
{
    if (fake_cuda.lost) return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (fake_cuda.calls_until_lost > 0 && --fake_cuda.calls_until_lost == 0) fake_cuda.lost = true;
    return fake_cuda.lost ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

static void run(const command *c)
{
    void *arg[MOST_ARGS];
    for (int i = 0; i < MOST_ARGS; i++) arg[i] = (void *)&c->arg[i];
    if (c->kernel == NULL) {
        memcpy((void *)(uintptr_t)c->arg[0], (const void *)(uintptr_t)c->arg[1], (size_t)c->arg[2]);
    } else {
        fake_cuda.launch(c->kernel, c->groups, c->size, arg);
    }
}

// Does it now, or writes it down.
static CUresult submit(const command *c)
{
    CUresult code = check();
    if (code != CUDA_SUCCESS) return code;
    if (capturing == NULL) {
        run(c);
        return CUDA_SUCCESS;
    }
    command *own = malloc(sizeof *own);
    *own = *c;
    own->next = NULL;
    *(capturing->first == NULL ? &capturing->first : &capturing->last->next) = own;
    capturing->last = own;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuInit(unsigned flags)
{
    (void)flags;
    return fake_cuda.devices > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorName(CUresult code, const char **name)
{
    *name = code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OTHER";
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *n)
{
    *n = fake_cuda.devices;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int index)
{
    *device = index;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    (void)device;
    strncpy(name, "a fake", (size_t)size);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute what, CUdevice device)
{
    (void)device;
    *value = what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? fake_cuda.capability / 10
             : what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? fake_cuda.capability % 10
                                                                    : 4;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    (void)device;
    *bytes = (size_t)8 << 30;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = (CUcontext)&fake_cuda;
    fake_cuda.contexts++;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    (void)device;
    fake_cuda.contexts--;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    return context == (CUcontext)&fake_cuda ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    (void)flags;
    *stream = (CUstream)&fake_cuda;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy(CUstream stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    (void)stream;
    return check();
}

EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    // What nvcc makes begins with this number.
    *module = (CUmodule)&fake_cuda;
    return *(const uint32_t *)image == 0xba55ed50u ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

EXPORT CUresult cuModuleUnload(CUmodule module)
{
    (void)module;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    (void)module;
    *function = (CUfunction)(uintptr_t)name;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAlloc(CUdeviceptr *at, size_t size)
{
    if (size > fake_cuda.most) return CUDA_ERROR_OUT_OF_MEMORY;
    *at = (CUdeviceptr)(uintptr_t)malloc(size);
    fake_cuda.buffers++;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFree(CUdeviceptr at)
{
    free((void *)(uintptr_t)at);
    fake_cuda.buffers--;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
    (void)stream;
    CUresult code = capturing != NULL ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : check();
    if (code == CUDA_SUCCESS) memcpy((void *)(uintptr_t)to, from, size);
    return code;
}

EXPORT CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
    (void)stream;
    CUresult code = capturing != NULL ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : check();
    if (code == CUDA_SUCCESS) memcpy(to, (const void *)(uintptr_t)from, size);
    return code;
}

EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    (void)stream;
    const command c = {.arg = {to, from, size}};
    return submit(&c);
}

EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, CUstream stream,
                               void **arg, void **extra)
{
    (void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
    command c = {.kernel = (const char *)f, .groups = gx, .size = bx};
    int n = fake_cuda.count_args(c.kernel);
    for (int i = 0; i < n; i++) memcpy(&c.arg[i], arg[i], sizeof c.arg[i]);
    return submit(&c);
}

EXPORT CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    (void)stream, (void)mode;
    capturing = calloc(1, sizeof *capturing);
    return CUDA_SUCCESS;
}

static void free_graph(CUgraph graph)
{
    command *c = graph->first;
    while (c != NULL) {
        command *next = c->next;
        free(c);
        c = next;
    }
    free(graph);
}

EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    (void)stream;
    CUresult code = check();
    if (code != CUDA_SUCCESS) free_graph(capturing);
    *graph = code == CUDA_SUCCESS ? capturing : NULL;
    capturing = NULL;
    return code;
}

// The graph itself serves as what is run: it is given back with that.
EXPORT CUresult cuGraphInstantiate(CUgraphExec *ready, CUgraph graph, unsigned long long flags)
{
    (void)flags;
    *ready = (CUgraphExec)graph;
    fake_cuda.graphs++;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphDestroy(CUgraph graph)
{
    (void)graph;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphLaunch(CUgraphExec ready, CUstream stream)
{
    (void)stream;
    CUresult code = check();
    for (command *c = ((CUgraph)ready)->first; c != NULL && code == CUDA_SUCCESS; c = c->next) {
        run(c);
    }
    return code;
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec ready)
{
    free_graph((CUgraph)ready);
    fake_cuda.graphs--;
    return CUDA_SUCCESS;
}
