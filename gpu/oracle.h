// The kernels on the CPU, as C17, one group after the other: what they are held against. Internal.

#ifndef PL_GPU_ORACLE_H
#define PL_GPU_ORACLE_H

#include "backend.h"

// The order of groups, and of items in a phase: results must not depend on it. Of the calling
// thread; forward at the start.
void pl_oracle_go_backward(bool backward);

// One group of a kernel, from the table that embed.sh makes.
void pl_oracle_call(const pl_gpu_kernel *kernel, int64_t group, int32_t size, bool backward,
                    void *const *arg);

#endif
