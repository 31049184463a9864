#include "backend.h"

#include <stdio.h>
#include <string.h>

// What is written down: plans, and copies between buffers, as a plan without a kernel.
struct pl_gpu_record {
    pl_gpu_launch_plan *plan;
    int64_t n, capacity;
    void *graph;         // of a backend that has them; NULL: the list above
    pl_gpu_counts delta; // what one replay counts
};

enum { COPY = -1, SIZE = 128, MOST = 256 };

static const pl_gpu_backend *backend_of(pl_gpu_kind kind)
{
    switch (kind) {
    case PL_GPU_ORACLE:
        return &pl_gpu_oracle;
    case PL_GPU_OPENCL:
#ifdef PL_OPENCL
        return &pl_gpu_opencl;
#else
        return NULL;
#endif
    case PL_GPU_CUDA:
#ifdef PL_CUDA
        return &pl_gpu_cuda;
#else
        return NULL;
#endif
    }
    return NULL;
}

const char *pl_gpu_kind_name(pl_gpu_kind kind)
{
    switch (kind) {
    case PL_GPU_ORACLE:
        return "oracle";
    case PL_GPU_OPENCL:
        return "opencl";
    case PL_GPU_CUDA:
        return "cuda";
    }
    return "unknown";
}

bool pl_gpu_has(pl_gpu_kind kind)
{
    return backend_of(kind) != NULL;
}

int32_t pl_gpu_list(pl_gpu_kind kind, int32_t capacity, pl_gpu_info *info)
{
    const pl_gpu_backend *backend = backend_of(kind);
    if (backend != NULL) return backend->list(capacity, info);
    pl_fail(PL_ERROR_DEVICE, "this build of Pliant has no %s", pl_gpu_kind_name(kind));
    return 0;
}

pl_status pl_gpu_open(pl_gpu_kind kind, int32_t index, pl_gpu **out)
{
    enum { MANY = 64 };
    *out = NULL;
    pl_gpu_info *info = pl_alloc(MANY, sizeof *info);
    if (info == NULL) return PL_ERROR_MEMORY;
    int32_t n = pl_gpu_list(kind, MANY, info);
    pl_status status = PL_OK;
    if (n == 0) {
        status = PL_ERROR_DEVICE;
    } else if (index < 0 || index >= PL_MIN(n, MANY)) {
        status = pl_fail(PL_ERROR_DEVICE, "there is no device %s:%d: there are %d, from 0",
                         pl_gpu_kind_name(kind), (int)index, (int)n);
    } else if (info[index].lacks != NULL) {
        status = pl_fail(PL_ERROR_DEVICE, "%s:%d, %s, cannot be used: %s", pl_gpu_kind_name(kind),
                         (int)index, info[index].name, info[index].lacks);
    } else {
        status = backend_of(kind)->open(index, out);
    }
    if (status == PL_OK) {
        (*out)->backend = backend_of(kind);
        (*out)->info = info[index];
        (*out)->size = SIZE;
    }
    pl_free(info);
    return status;
}

void pl_gpu_close(pl_gpu *gpu)
{
    if (gpu != NULL) gpu->backend->close(gpu);
}

const pl_gpu_info *pl_gpu_about(const pl_gpu *gpu)
{
    return &gpu->info;
}

void pl_gpu_set_group_size(pl_gpu *gpu, int32_t size)
{
    PL_ASSERT(size > 0 && size <= MOST && (size & (size - 1)) == 0);
    gpu->size = size;
}

int32_t pl_gpu_group_size(const pl_gpu *gpu)
{
    return gpu->size;
}

// --- Failures ---

// Keeps the first failure.
static void note(pl_gpu *gpu, pl_status status)
{
    if (status == PL_OK || gpu->status != PL_OK) return;
    gpu->status = status;
    snprintf(gpu->sentence, sizeof gpu->sentence, "%s", pl_error_text());
}

pl_status pl_gpu_state(const pl_gpu *gpu)
{
    return gpu->status == PL_OK ? PL_OK : pl_fail(gpu->status, "%s", gpu->sentence);
}

pl_status pl_gpu_finish(pl_gpu *gpu)
{
    gpu->counts.waits++;
    if (gpu->status == PL_OK) note(gpu, gpu->backend->finish(gpu));
    return pl_gpu_state(gpu);
}

// --- Buffers ---

pl_status pl_gpu_take(pl_gpu *gpu, int64_t count, size_t size, pl_gpu_buffer *out)
{
    *out = (pl_gpu_buffer){0};
    PL_TRY(pl_gpu_state(gpu));
    if (count < 0 || count > INT64_MAX / (int64_t)size) {
        return pl_fail(PL_ERROR_MEMORY, "%lld elements of %zu bytes cannot be had",
                       (long long)count, size);
    }
    int64_t bytes = PL_MAX(count, 1) * (int64_t)size;
    PL_TRY(gpu->backend->take(gpu, bytes, &out->handle));
    out->size = bytes;
    gpu->counts.held += bytes;
    gpu->counts.most = PL_MAX(gpu->counts.most, gpu->counts.held);
    return PL_OK;
}

void pl_gpu_drop(pl_gpu *gpu, pl_gpu_buffer *buffer)
{
    if (buffer->handle == NULL) return;
    gpu->backend->drop(gpu, buffer->handle);
    gpu->counts.held -= buffer->size;
    *buffer = (pl_gpu_buffer){0};
}

pl_status pl_gpu_reserve(pl_gpu *gpu, pl_gpu_buffer *buffer, int64_t count, size_t size)
{
    int64_t room = buffer->size / (int64_t)size;
    if (buffer->handle != NULL && count <= room) return PL_OK;
    pl_gpu_drop(gpu, buffer);
    return pl_gpu_take(gpu, PL_MAX(count, room + room / 2), size, buffer);
}

void pl_gpu_write(pl_gpu *gpu, const pl_gpu_buffer *to, int64_t offset, int64_t size,
                  const void *data)
{
    PL_ASSERT(gpu->recording == NULL && offset >= 0 && offset + size <= to->size);
    if (gpu->status != PL_OK || size == 0) return;
    note(gpu, gpu->backend->write(gpu, to->handle, offset, size, data));
    gpu->counts.up += size;
}

pl_status pl_gpu_read(pl_gpu *gpu, const pl_gpu_buffer *from, int64_t offset, int64_t size,
                      void *data)
{
    PL_ASSERT(gpu->recording == NULL && offset >= 0 && offset + size <= from->size);
    if (size == 0) return pl_gpu_state(gpu);
    if (gpu->status == PL_OK) {
        note(gpu, gpu->backend->read(gpu, from->handle, offset, size, data));
        gpu->counts.down += size;
        gpu->counts.waits++;
    }
    return pl_gpu_state(gpu);
}

// --- Launches ---

static int32_t find(const char *name)
{
    for (int32_t k = 0; k < pl_gpu_n_kernel; k++) {
        if (strcmp(pl_gpu_kernels[k].name, name) == 0) return k;
    }
    return -1;
}

// Are these the arguments that the kernel asks for, and no buffer that it writes among them twice?
static bool fits(const pl_gpu_launch_plan *plan)
{
    const char *kinds = pl_gpu_kernels[plan->kernel].kinds;
    if ((int32_t)strlen(kinds) != plan->n_arg) return false;
    for (int32_t i = 0; i < plan->n_arg; i++) {
        bool buffer = kinds[i] == 'r' || kinds[i] == 'w';
        if (plan->arg[i].kind != (buffer ? 'b' : kinds[i])) return false;
        for (int32_t j = 0; j < plan->n_arg && kinds[i] == 'w'; j++) {
            bool same =
                plan->arg[j].kind == 'b' && plan->arg[j].as.handle == plan->arg[i].as.handle;
            if (i != j && same) return false;
        }
    }
    return true;
}

static void do_plan(pl_gpu *gpu, const pl_gpu_launch_plan *plan)
{
    if (plan->kernel == COPY) {
        note(gpu, gpu->backend->copy(gpu, plan->arg[0].as.handle, plan->arg[1].as.handle,
                                     plan->n_group));
    } else {
        note(gpu, gpu->backend->launch(gpu, plan));
    }
}

// Does it, or writes it down. A graph writes down what it is told.
static void submit(pl_gpu *gpu, const pl_gpu_launch_plan *plan)
{
    pl_gpu_record *record = gpu->recording;
    gpu->counts.launches += plan->kernel != COPY;
    if (record == NULL || gpu->backend->graph_begin != NULL) {
        do_plan(gpu, plan);
        return;
    }
    pl_status status =
        pl_reserve((void **)&record->plan, &record->capacity, record->n + 1, sizeof *record->plan);
    note(gpu, status);
    if (status == PL_OK) record->plan[record->n++] = *plan;
}

static void launch(pl_gpu *gpu, const char *kernel, int64_t n_group, int32_t n_arg,
                   const pl_gpu_arg *arg)
{
    pl_gpu_launch_plan plan = {find(kernel), gpu->size, n_group, n_arg, {{0}}};
    PL_ASSERT(plan.kernel >= 0 && n_arg <= PL_GPU_MAX_ARGS);
    if (gpu->status != PL_OK || n_group == 0) return;
    memcpy(plan.arg, arg, (size_t)n_arg * sizeof *arg);
    PL_ASSERT(fits(&plan));
    submit(gpu, &plan);
}

void pl_gpu_launch(pl_gpu *gpu, const char *kernel, int64_t n, int32_t n_arg, const pl_gpu_arg *arg)
{
    launch(gpu, kernel, (n + gpu->size - 1) / gpu->size, n_arg, arg);
}

void pl_gpu_launch_groups(pl_gpu *gpu, const char *kernel, int64_t n, int32_t n_arg,
                          const pl_gpu_arg *arg)
{
    launch(gpu, kernel, n, n_arg, arg);
}

void pl_gpu_copy(pl_gpu *gpu, const pl_gpu_buffer *from, const pl_gpu_buffer *to, int64_t size)
{
    PL_ASSERT(size >= 0 && size <= from->size && size <= to->size);
    if (gpu->status != PL_OK || size == 0) return;
    pl_gpu_launch_plan plan = {COPY, 0, size, 2, {pl_gpu_arg_b(from), pl_gpu_arg_b(to)}};
    submit(gpu, &plan);
    pl_gpu_note(gpu, 2 * (double)size, 0);
}

// --- Records ---

pl_status pl_gpu_record_begin(pl_gpu *gpu)
{
    PL_ASSERT(gpu->recording == NULL);
    PL_TRY(pl_gpu_state(gpu));
    pl_gpu_record *record = pl_alloc_zero(1, sizeof *record);
    if (record == NULL) return PL_ERROR_MEMORY;
    if (gpu->backend->graph_begin != NULL) {
        pl_status status = gpu->backend->graph_begin(gpu);
        if (status != PL_OK) {
            note(gpu, status);
            pl_free(record);
            return status;
        }
    }
    record->delta = gpu->counts;
    gpu->recording = record;
    return PL_OK;
}

pl_status pl_gpu_record_end(pl_gpu *gpu, pl_gpu_record **out)
{
    pl_gpu_record *record = gpu->recording;
    PL_ASSERT(record != NULL);
    gpu->recording = NULL;
    pl_gpu_counts before = record->delta, *now = &gpu->counts;
    record->delta = (pl_gpu_counts){.launches = now->launches - before.launches,
                                    .traffic = now->traffic - before.traffic,
                                    .flops = now->flops - before.flops};
    now->launches = before.launches, now->traffic = before.traffic, now->flops = before.flops;
    if (gpu->backend->graph_end != NULL) note(gpu, gpu->backend->graph_end(gpu, &record->graph));
    *out = record;
    if (gpu->status == PL_OK) return PL_OK;
    pl_gpu_record_free(gpu, record);
    *out = NULL;
    return pl_gpu_state(gpu);
}

void pl_gpu_replay(pl_gpu *gpu, pl_gpu_record *record)
{
    PL_ASSERT(gpu->recording == NULL);
    if (gpu->status != PL_OK) return;
    if (record->graph != NULL) note(gpu, gpu->backend->graph_run(gpu, record->graph));
    for (int64_t i = 0; i < record->n && gpu->status == PL_OK; i++) do_plan(gpu, record->plan + i);
    gpu->counts.launches += record->delta.launches;
    pl_gpu_note(gpu, record->delta.traffic, record->delta.flops);
}

void pl_gpu_record_free(pl_gpu *gpu, pl_gpu_record *record)
{
    if (record == NULL) return;
    if (record->graph != NULL) gpu->backend->graph_free(gpu, record->graph);
    pl_free(record->plan);
    pl_free(record);
}

// --- What it did ---

void pl_gpu_note(pl_gpu *gpu, double traffic, double flops)
{
    gpu->counts.traffic += traffic;
    gpu->counts.flops += flops;
}

const pl_gpu_counts *pl_gpu_look(const pl_gpu *gpu)
{
    return &gpu->counts;
}
