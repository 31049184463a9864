// The other side of fake_cuda.c: how it answers, and what it holds.

#ifndef PL_TESTS_FAKE_CUDA_H
#define PL_TESTS_FAKE_CUDA_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct fake_cuda_state {
    int devices, capability;
    size_t most;          // a buffer larger than this is not to be had [bytes]
    int calls_until_lost; // 0: never
    bool lost;
    int contexts, buffers, graphs; // that have not been given back
    // Of the test: runs all groups of a kernel; how many arguments it has.
    void (*launch)(const char *kernel, unsigned groups, unsigned size, void **arg);
    int (*count_args)(const char *kernel);
} fake_cuda_state;

extern fake_cuda_state fake_cuda;

#endif
