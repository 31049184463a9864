// Devices for the tests of kernels: the oracle forward and backward, and OpenCL if there is a
// driver.

#ifndef PL_TESTS_DEVICES_H
#define PL_TESTS_DEVICES_H

#include "../gpu/gpu.h"
#include "../gpu/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

// What kernels are tried on, and with which sizes of groups.
typedef struct device {
    const char *name;
    pl_gpu *gpu;
    bool backward;
} device;

enum { MAX_DEVICES = 4 };

static device devices[MAX_DEVICES];
static int n_devices;

static inline void add_device(const char *name, pl_gpu_kind kind, bool backward)
{
    device d = {.name = name, .backward = backward};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_gpu_open(kind, 0, &d.gpu), pl_error_text());
    devices[n_devices++] = d;
}

// The first is the oracle, which the others are held against.
static inline void open_devices(void)
{
    pl_gpu_info info;
    add_device("oracle", PL_GPU_ORACLE, false);
    add_device("oracle backwards", PL_GPU_ORACLE, true);
    if (pl_gpu_list(PL_GPU_OPENCL, 1, &info) > 0 && info.lacks == NULL) {
        add_device("opencl", PL_GPU_OPENCL, false);
    }
}

static inline void close_devices(void)
{
    for (int d = 0; d < n_devices; d++) {
        int64_t held = pl_gpu_look(devices[d].gpu)->held;
        if (held != 0) { // outside of a test: an assertion would have nowhere to go
            printf("%s: %lld bytes were not given back\n", devices[d].name, (long long)held);
            Unity.TestFailures++;
        }
        pl_gpu_close(devices[d].gpu);
    }
    n_devices = 0;
}

// The device for what follows, with groups of so many items.
static inline pl_gpu *use_device(int d, int32_t size)
{
    pl_oracle_go_backward(devices[d].backward);
    pl_gpu_set_group_size(devices[d].gpu, size);
    return devices[d].gpu;
}

static inline pl_gpu_buffer new_on_device(pl_gpu *gpu, int64_t count, size_t size)
{
    pl_gpu_buffer buffer;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_gpu_take(gpu, count, size, &buffer), pl_error_text());
    return buffer;
}

static inline pl_gpu_buffer to_device(pl_gpu *gpu, int64_t count, size_t size, const void *data)
{
    pl_gpu_buffer buffer = new_on_device(gpu, count, size);
    pl_gpu_write(gpu, &buffer, 0, count * (int64_t)size, data);
    return buffer;
}

// Reads what a buffer has into memory of the caller's, and gives the buffer back.
static inline void from_device(pl_gpu *gpu, pl_gpu_buffer *buffer, int64_t size, void *data)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_gpu_read(gpu, buffer, 0, size, data), pl_error_text());
    pl_gpu_drop(gpu, buffer);
}

// What kernels leave must be the same on every device, to the bit.
static inline void expect_same_bits(const device *d, int32_t size, const void *expected,
                                    const void *actual, int64_t bytes)
{
    if (bytes == 0 || memcmp(expected, actual, (size_t)bytes) == 0) return;
    int64_t at = 0;
    while (((const char *)expected)[at] == ((const char *)actual)[at]) at++;
    char text[128];
    snprintf(text, sizeof text, "%s, groups of %d: byte %lld of %lld differs", d->name, (int)size,
             (long long)at, (long long)bytes);
    TEST_FAIL_MESSAGE(text);
}

// Shapes around the sizes of groups and of parts of a sum, and group sizes.
static const int64_t device_shapes[] = {0,   1,   2,   63,  64,   65,   127,  128,  129,
                                        255, 256, 257, 300, 4095, 4096, 4097, 10000};
static const int32_t device_groups[] = {1, 32, 64, 128, 256};

enum {
    N_SHAPES = sizeof device_shapes / sizeof *device_shapes,
    N_GROUPS = sizeof device_groups / sizeof *device_groups
};

#endif
