// How kernels are declared and launched in the three languages: C17 (the oracle), CUDA C++ and
// OpenCL C 1.2. ../README.md explains the dialect.
//
// A kernel is launched for a number of groups of PL_SIZE items. It is written in phases: between
// two barriers, what each item does, and no item reads what another one of its group writes in the
// same phase. On a device a phase is done by all items at once, and PL_BARRIER is the barrier. In C
// a phase is a loop over the items of the group, so that everything of a phase is done before the
// next one begins: just what a barrier means. As phases do not depend on the order of their items,
// the oracle can run them backwards, too, and a kernel that reads what it must not gives itself
// away; two phases without a barrier are an assertion there. Barriers cannot diverge: they stand
// outside of phases, in code that is the same for all items of a group.

#ifndef PL_GPU_LAUNCH_H
#define PL_GPU_LAUNCH_H

#include "../../base/portable.h"

// Items of a group, at most; a power of two.
#define PL_SIZE_MAX 256

#if defined(__OPENCL_VERSION__)

#define PL_KERNEL __kernel
#define PL_IN(type) __global const type *restrict
#define PL_OUT(type) __global type *restrict
#define PL_LOCAL __local
#define PL_SIZE ((int32_t)get_local_size(0))
#define PL_ITEM ((int32_t)get_local_id(0))
#define PL_GROUP ((int64_t)get_group_id(0))
#define PL_PHASE
#define PL_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define PL_PRIVATE(type, name) type name[1]
#define PL_MINE(name) name[0]

#elif defined(__CUDACC__)

#define PL_KERNEL extern "C" __global__ __launch_bounds__(PL_SIZE_MAX)
#define PL_IN(type) const type *__restrict__
#define PL_OUT(type) type *__restrict__
#define PL_LOCAL __shared__
#define PL_SIZE ((int32_t)blockDim.x)
#define PL_ITEM ((int32_t)threadIdx.x)
#define PL_GROUP ((int64_t)blockIdx.x)
#define PL_PHASE
#define PL_BARRIER __syncthreads()
#define PL_PRIVATE(type, name) type name[1]
#define PL_MINE(name) name[0]

#else

#include <assert.h>

// Where the oracle is: set for each group of a launch, and by the phases.
typedef struct pl_item_place {
    int64_t group;
    int32_t size, item;
    int32_t step; // through the items: 1, or -1 backwards
    bool open;    // a phase has begun since the last barrier
} pl_item_place;

static _Thread_local pl_item_place pl_at;

// Between two phases there is a barrier. A missing one would change no result here, and none of a
// driver that has barriers of its own around loops.
static inline void pl_phase_begin(void)
{
    assert(!pl_at.open);
    pl_at.open = true;
    pl_at.item = pl_at.step > 0 ? 0 : pl_at.size - 1;
}

#define PL_KERNEL static
#define PL_IN(type) const type *restrict
#define PL_OUT(type) type *restrict
#define PL_LOCAL
#define PL_SIZE (pl_at.size)
#define PL_ITEM (pl_at.item)
#define PL_GROUP (pl_at.group)
#define PL_PHASE                                                                                   \
    for (pl_phase_begin(); 0 <= pl_at.item && pl_at.item < pl_at.size; pl_at.item += pl_at.step)
#define PL_BARRIER (pl_at.open = false)
#define PL_PRIVATE(type, name) type name[PL_SIZE_MAX]
#define PL_MINE(name) name[pl_at.item]

#endif

// A kernel of one phase, one item for each of n elements: PL_EACH(i, n) y[i] = ...
#define PL_EACH(i, n) PL_PHASE for (int64_t i = PL_GROUP * PL_SIZE + PL_ITEM; i < (n); i = (n))

// Lanes of a sum: PL_LANES of them, whatever the size of a group, so that the order of a sum does
// not depend on that. In a phase: PL_EACH_LANE(l) sum[l] = ...
#define PL_LANES 256
#define PL_EACH_LANE(l) for (int32_t l = PL_ITEM; l < PL_LANES; l += PL_SIZE)

// sum[0] := the sum of sum (PL_LANES, local memory), by halves. Ends with a barrier.
#define PL_ADD_LANES(sum)                                                                          \
    for (int32_t pl_half = PL_LANES / 2; pl_half > 0; pl_half /= 2) {                              \
        PL_PHASE                                                                                   \
        {                                                                                          \
            for (int32_t pl_l = PL_ITEM; pl_l < pl_half; pl_l += PL_SIZE)                          \
                (sum)[pl_l] += (sum)[pl_l + pl_half];                                              \
        }                                                                                          \
        PL_BARRIER;                                                                                \
    }

#endif
