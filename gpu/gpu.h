// Devices that run the kernels of kernels/: buffers, launches by name, copies. Internal.
//
// A device has one queue, and does what it is told in order. Launches and copies to it return at
// once; the first failure is kept, everything after it is left out, and pl_gpu_read or
// pl_gpu_finish, which wait, return it: so an iteration is a list of calls without tests in
// between. A device belongs to one thread at a time.

#ifndef PL_GPU_H
#define PL_GPU_H

#include "../base/base.h"

typedef enum pl_gpu_kind { PL_GPU_ORACLE, PL_GPU_OPENCL, PL_GPU_CUDA } pl_gpu_kind;

enum { PL_GPU_NAME = 128, PL_GPU_MAX_ARGS = 32 };

typedef struct pl_gpu_info {
    pl_gpu_kind kind;
    int32_t index;            // among those of its kind, from 0
    char name[PL_GPU_NAME];   // of the device
    char driver[PL_GPU_NAME]; // and what drives it, with its version
    int64_t memory;           // [bytes]
    int32_t units;            // multiprocessors, compute units
    bool is_cpu;              // it is no faster than we are
    int32_t lanes;            // elements that an item of kernels/elements.h works on at once
    const char *lacks;        // why it cannot be used, one sentence; NULL: it can
} pl_gpu_info;

// "oracle", "opencl", "cuda".
const char *pl_gpu_kind_name(pl_gpu_kind kind);

// Is this kind part of the build? The oracle always is.
bool pl_gpu_has(pl_gpu_kind kind);

// The devices of a kind, at most `capacity` of them; returns how many there are. 0 with a sentence
// in pl_error_text() if there is no driver, or it says that there are none.
int32_t pl_gpu_list(pl_gpu_kind kind, int32_t capacity, pl_gpu_info *info);

typedef struct pl_gpu pl_gpu;

// Fails with PL_ERROR_DEVICE without a driver or such a device, or where the kernels do not
// compile.
pl_status pl_gpu_open(pl_gpu_kind kind, int32_t index, pl_gpu **out);
void pl_gpu_close(pl_gpu *gpu); // NULL is fine; buffers and records must have been given back

const pl_gpu_info *pl_gpu_about(const pl_gpu *gpu);

// Items of a group in launches from now on, a power of two up to 256; at the start 128.
void pl_gpu_set_group_size(pl_gpu *gpu, int32_t size);
int32_t pl_gpu_group_size(const pl_gpu *gpu);

// --- Buffers ---

typedef struct pl_gpu_buffer {
    void *handle; // the device's
    int64_t size; // [bytes]
} pl_gpu_buffer;

// `count` elements of `size` bytes, not cleared; a count of 0 gives a valid buffer. Fails with
// PL_ERROR_MEMORY where the device has no more, which leaves it usable.
pl_status pl_gpu_take(pl_gpu *gpu, int64_t count, size_t size, pl_gpu_buffer *out);
void pl_gpu_drop(pl_gpu *gpu, pl_gpu_buffer *buffer); // leaves it empty; an empty one is fine

// Makes room for at least `count` elements; what was in it is lost if it has to grow.
pl_status pl_gpu_reserve(pl_gpu *gpu, pl_gpu_buffer *buffer, int64_t count, size_t size);

// Bytes at `offset` of a buffer. `data` may be changed at once after a write.
void pl_gpu_write(pl_gpu *gpu, const pl_gpu_buffer *to, int64_t offset, int64_t size,
                  const void *data);
pl_status pl_gpu_read(pl_gpu *gpu, const pl_gpu_buffer *from, int64_t offset, int64_t size,
                      void *data); // waits
void pl_gpu_copy(pl_gpu *gpu, const pl_gpu_buffer *from, const pl_gpu_buffer *to, int64_t size);

// --- Launches ---

typedef struct pl_gpu_arg {
    char kind; // b a buffer; i l an integer of 32 or 64 bits; d f a number
    union {
        void *handle;
        int32_t i;
        int64_t l;
        double d;
        float f;
    } as;
} pl_gpu_arg;

static inline pl_gpu_arg pl_gpu_arg_b(const pl_gpu_buffer *buffer)
{
    return (pl_gpu_arg){.kind = 'b', .as.handle = buffer->handle};
}
static inline pl_gpu_arg pl_gpu_arg_i(int32_t i)
{
    return (pl_gpu_arg){.kind = 'i', .as.i = i};
}
static inline pl_gpu_arg pl_gpu_arg_l(int64_t l)
{
    return (pl_gpu_arg){.kind = 'l', .as.l = l};
}
static inline pl_gpu_arg pl_gpu_arg_d(double d)
{
    return (pl_gpu_arg){.kind = 'd', .as.d = d};
}
static inline pl_gpu_arg pl_gpu_arg_f(float f)
{
    return (pl_gpu_arg){.kind = 'f', .as.f = f};
}

// An argument of a kernel: a pointer to a buffer, or a number of just the kernel's type.
#define PL_ARG(x)                                                                                  \
    _Generic((x),                                                                                  \
        pl_gpu_buffer *: pl_gpu_arg_b,                                                             \
        const pl_gpu_buffer *: pl_gpu_arg_b,                                                       \
        int32_t: pl_gpu_arg_i,                                                                     \
        int64_t: pl_gpu_arg_l,                                                                     \
        double: pl_gpu_arg_d,                                                                      \
        float: pl_gpu_arg_f)(x)

// Runs a kernel for n items, or for n groups; not at all for n = 0. The arguments must be those of
// its signature, and a buffer that it writes must not be given to it twice.
void pl_gpu_launch(pl_gpu *gpu, const char *kernel, int64_t n, int32_t n_arg,
                   const pl_gpu_arg *arg);
void pl_gpu_launch_groups(pl_gpu *gpu, const char *kernel, int64_t n, int32_t n_arg,
                          const pl_gpu_arg *arg);

#define PL_ARGS(...)                                                                               \
    (int32_t)(sizeof((pl_gpu_arg[]){__VA_ARGS__}) / sizeof(pl_gpu_arg)), (pl_gpu_arg[])            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

// What it has been told has been done. Returns the first failure since it was opened, with its
// sentence: PL_ERROR_MEMORY, or PL_ERROR_DEVICE where the device is lost. It stays failed.
pl_status pl_gpu_finish(pl_gpu *gpu);

// The first failure that is known so far, without waiting.
pl_status pl_gpu_state(const pl_gpu *gpu);

// --- Records ---

// Launches and copies within the device, once written down, to be done again by one call: a CUDA
// graph, a list elsewhere. While it is written down nothing is done, and nothing may be read or
// written. One at a time.
typedef struct pl_gpu_record pl_gpu_record;

pl_status pl_gpu_record_begin(pl_gpu *gpu);
pl_status pl_gpu_record_end(pl_gpu *gpu, pl_gpu_record **out); // fails with what failed since begin
void pl_gpu_replay(pl_gpu *gpu, pl_gpu_record *record);
void pl_gpu_record_free(pl_gpu *gpu, pl_gpu_record *record); // NULL is fine

// --- What it did ---

typedef struct pl_gpu_counts {
    int64_t launches;      // of kernels
    int64_t waits;         // for the device: reads and finishes
    int64_t up, down;      // copied to the device and back [bytes]
    int64_t held, most;    // memory in buffers, now and at most [bytes]
    double traffic, flops; // of launches, as told by pl_gpu_note [bytes, operations]
} pl_gpu_counts;

// What the launch before took: memory that must pass at least once, and operations.
void pl_gpu_note(pl_gpu *gpu, double traffic, double flops);

const pl_gpu_counts *pl_gpu_look(const pl_gpu *gpu);

#endif
