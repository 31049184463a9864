// Devices of OpenCL 1.2 with double precision. The loader of the system's drivers, libOpenCL, is
// looked for when it is needed, so that a program starts without it.

#include "backend.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(f)                                                                               \
    f(clGetPlatformIDs) f(clGetPlatformInfo) f(clGetDeviceIDs) f(clGetDeviceInfo)                  \
        f(clCreateContext) f(clReleaseContext) f(clCreateCommandQueue) f(clReleaseCommandQueue)    \
            f(clCreateProgramWithSource) f(clBuildProgram) f(clGetProgramBuildInfo)                \
                f(clReleaseProgram) f(clCreateKernel) f(clReleaseKernel) f(clSetKernelArg)         \
                    f(clCreateBuffer) f(clReleaseMemObject) f(clEnqueueWriteBuffer)                \
                        f(clEnqueueReadBuffer) f(clEnqueueCopyBuffer) f(clEnqueueNDRangeKernel)    \
                            f(clFinish) f(clFlush)

static struct {
#define POINTER(name) __typeof__(&name) name;
    FUNCTIONS(POINTER)
    bool tried, found;
} cl;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

typedef struct opencl {
    pl_gpu gpu;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel *kernel; // (pl_gpu_n_kernel)
} opencl;

static bool load(void)
{
    pthread_mutex_lock(&loading);
    if (!cl.tried) {
        cl.tried = cl.found = true;
        void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
#define LOAD(name)                                                                                 \
    *(void **)&cl.name = library != NULL ? dlsym(library, #name) : NULL;                           \
    cl.found = cl.found && cl.name != NULL;
        FUNCTIONS(LOAD)
    }
    pthread_mutex_unlock(&loading);
    return cl.found;
}

// --- Which there are ---

static void read_text(cl_device_id device, cl_device_info what, char *to, size_t size)
{
    to[0] = '\0';
    if (cl.clGetDeviceInfo(device, what, size, to, NULL) != CL_SUCCESS) {
        snprintf(to, size, "(its name is too long)");
    }
}

// On CPUs an item of some kernels works on the lanes of a vector: kernels/mathematics.h.
static int32_t lanes_of(cl_device_id device)
{
    cl_device_type type = 0;
    cl.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return (type & CL_DEVICE_TYPE_CPU) != 0 ? 8 : 1;
}

static void describe(cl_platform_id platform, cl_device_id device, int32_t index, pl_gpu_info *info)
{
    *info = (pl_gpu_info){.kind = PL_GPU_OPENCL, .index = index};
    read_text(device, CL_DEVICE_NAME, info->name, sizeof info->name);
    char name[PL_GPU_NAME / 2] = "", version[PL_GPU_NAME / 2 - 2] = "";
    cl.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    read_text(device, CL_DRIVER_VERSION, version, sizeof version);
    snprintf(info->driver, sizeof info->driver, "%s %s", name, version);
    cl_ulong memory = 0;
    cl_uint units = 0;
    cl_device_type type = 0;
    cl_device_fp_config precision = 0;
    cl_bool available = CL_FALSE, compiler = CL_FALSE;
    size_t group = 0;
    cl.clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    cl.clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    cl.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    cl.clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof precision, &precision, NULL);
    cl.clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
    cl.clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
    cl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    info->memory = (int64_t)memory;
    info->units = (int32_t)units;
    info->lanes = lanes_of(device);
    info->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    if (precision == 0) info->lacks = "it has no double precision";
    if (!compiler) info->lacks = "its driver has no compiler";
    if (!available) info->lacks = "it is not available";
    if (group < 256) info->lacks = "its groups have fewer than 256 items";
}

enum { PLATFORMS = 16, DEVICES = 16 }; // of a platform

// Device `wanted`, or all of them: into `info`.
static int32_t look(int32_t capacity, pl_gpu_info *info, int32_t wanted, cl_device_id *found)
{
    cl_platform_id platform[PLATFORMS];
    cl_uint n_platform = 0;
    int32_t n = 0;
    if (!load()) {
        pl_fail(PL_ERROR_DEVICE, "no OpenCL: libOpenCL.so.1 is not installed");
        return 0;
    }
    if (cl.clGetPlatformIDs(PLATFORMS, platform, &n_platform) != CL_SUCCESS) n_platform = 0;
    for (cl_uint p = 0; p < PL_MIN(n_platform, PLATFORMS); p++) {
        cl_device_id device[DEVICES];
        cl_uint n_device = 0;
        cl_int code =
            cl.clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, DEVICES, device, &n_device);
        if (code != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < PL_MIN(n_device, DEVICES); d++, n++) {
            if (n < capacity) describe(platform[p], device[d], n, info + n);
            if (n == wanted && found != NULL) *found = device[d];
        }
    }
    if (n == 0) pl_fail(PL_ERROR_DEVICE, "no OpenCL: there is no driver with a device");
    return n;
}

static int32_t list(int32_t capacity, pl_gpu_info *info)
{
    return look(capacity, info, -1, NULL);
}

// --- Opening ---

static const char *name_of(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return "no memory for a buffer";
    case CL_OUT_OF_RESOURCES:
        return "out of resources";
    case CL_OUT_OF_HOST_MEMORY:
        return "no memory of the host";
    case CL_DEVICE_NOT_AVAILABLE:
        return "the device is not available";
    case CL_INVALID_BUFFER_SIZE:
        return "a buffer is too large";
    default:
        return "it failed";
    }
}

static pl_status judge(cl_int code, const char *what)
{
    if (code == CL_SUCCESS) return PL_OK;
    bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                  code == CL_INVALID_BUFFER_SIZE;
    return pl_fail(memory ? PL_ERROR_MEMORY : PL_ERROR_DEVICE, "OpenCL: %s: %s (%d)", what,
                   name_of(code), (int)code);
}

static void close_opencl(pl_gpu *gpu)
{
    opencl *o = (opencl *)gpu;
    for (int32_t k = 0; o->kernel != NULL && k < pl_gpu_n_kernel; k++) {
        if (o->kernel[k] != NULL) cl.clReleaseKernel(o->kernel[k]);
    }
    if (o->program != NULL) cl.clReleaseProgram(o->program);
    if (o->queue != NULL) cl.clReleaseCommandQueue(o->queue);
    if (o->context != NULL) cl.clReleaseContext(o->context);
    pl_free(o->kernel);
    pl_free(o);
}

static pl_status build(opencl *o)
{
    const char *text = pl_gpu_source;
    cl_int code;
    o->program = cl.clCreateProgramWithSource(o->context, 1, &text, NULL, &code);
    PL_TRY(judge(code, "its compiler"));
    // Division and root of single precision as exact as on a CPU, where it can.
    cl_device_fp_config single = 0;
    cl.clGetDeviceInfo(o->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL);
    bool exact = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    char options[128];
    snprintf(options, sizeof options, "-cl-std=CL1.2 -Werror%s%s",
             exact ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
             lanes_of(o->device) > 1 ? " -DPL_WIDE" : "");
    code = cl.clBuildProgram(o->program, 1, &o->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        char log[512] = "";
        size_t size = 0;
        cl.clGetProgramBuildInfo(o->program, o->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
        char *whole = pl_alloc((int64_t)size + 1, 1);
        if (whole == NULL) return PL_ERROR_MEMORY;
        whole[0] = '\0';
        cl.clGetProgramBuildInfo(o->program, o->device, CL_PROGRAM_BUILD_LOG, size, whole, NULL);
        snprintf(log, sizeof log, "%s", whole);
        pl_free(whole);
        return pl_fail(PL_ERROR_DEVICE, "OpenCL: the kernels do not compile: %s", log);
    }
    o->kernel = pl_alloc_zero(pl_gpu_n_kernel, sizeof *o->kernel);
    return o->kernel != NULL ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status open_opencl(int32_t index, pl_gpu **out)
{
    opencl *o = pl_alloc_zero(1, sizeof *o);
    if (o == NULL) return PL_ERROR_MEMORY;
    look(0, NULL, index, &o->device);
    cl_int code;
    o->context = cl.clCreateContext(NULL, 1, &o->device, NULL, NULL, &code);
    pl_status status = judge(code, "its context");
    if (status == PL_OK) {
        o->queue = cl.clCreateCommandQueue(o->context, o->device, 0, &code);
        status = judge(code, "its queue");
    }
    if (status == PL_OK) status = build(o);
    if (status != PL_OK) {
        close_opencl(&o->gpu);
        return status;
    }
    *out = &o->gpu;
    return PL_OK;
}

// --- Buffers ---

static pl_status take(pl_gpu *gpu, int64_t size, void **handle)
{
    cl_int code;
    opencl *o = (opencl *)gpu;
    *handle = cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, (size_t)size, NULL, &code);
    return judge(code, "a buffer");
}

static void drop(pl_gpu *gpu, void *handle)
{
    (void)gpu;
    cl.clReleaseMemObject(handle);
}

static pl_status write_bytes(pl_gpu *gpu, void *to, int64_t offset, int64_t size, const void *data)
{
    return judge(cl.clEnqueueWriteBuffer(((opencl *)gpu)->queue, to, CL_TRUE, (size_t)offset,
                                         (size_t)size, data, 0, NULL, NULL),
                 "a copy to the device");
}

static pl_status read_bytes(pl_gpu *gpu, void *from, int64_t offset, int64_t size, void *data)
{
    return judge(cl.clEnqueueReadBuffer(((opencl *)gpu)->queue, from, CL_TRUE, (size_t)offset,
                                        (size_t)size, data, 0, NULL, NULL),
                 "a copy from the device");
}

static pl_status copy_bytes(pl_gpu *gpu, void *from, void *to, int64_t size)
{
    return judge(
        cl.clEnqueueCopyBuffer(((opencl *)gpu)->queue, from, to, 0, 0, (size_t)size, 0, NULL, NULL),
        "a copy");
}

// --- Launches ---

static size_t size_of(char kind)
{
    switch (kind) {
    case 'b':
        return sizeof(cl_mem);
    case 'i':
    case 'f':
        return 4;
    default:
        return 8;
    }
}

static pl_status launch(pl_gpu *gpu, const pl_gpu_launch_plan *plan)
{
    opencl *o = (opencl *)gpu;
    const char *name = pl_gpu_kernels[plan->kernel].name;
    cl_kernel *kernel = o->kernel + plan->kernel;
    cl_int code = CL_SUCCESS;
    if (*kernel == NULL) *kernel = cl.clCreateKernel(o->program, name, &code);
    PL_TRY(judge(code, name));
    for (int32_t i = 0; i < plan->n_arg && code == CL_SUCCESS; i++) {
        code = cl.clSetKernelArg(*kernel, (cl_uint)i, size_of(plan->arg[i].kind), &plan->arg[i].as);
    }
    PL_TRY(judge(code, name));
    size_t local = (size_t)plan->size, global = local * (size_t)plan->n_group;
    return judge(
        cl.clEnqueueNDRangeKernel(o->queue, *kernel, 1, NULL, &global, &local, 0, NULL, NULL),
        name);
}

static pl_status finish(pl_gpu *gpu)
{
    return judge(cl.clFinish(((opencl *)gpu)->queue), "waiting for the device");
}

const pl_gpu_backend pl_gpu_opencl = {
    .kind = PL_GPU_OPENCL,
    .list = list,
    .open = open_opencl,
    .close = close_opencl,
    .take = take,
    .drop = drop,
    .write = write_bytes,
    .read = read_bytes,
    .copy = copy_bytes,
    .launch = launch,
    .finish = finish,
};
