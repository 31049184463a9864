// Parts of a step on a device and on the CPU, for `pliant bench gpu-model`: assembly, the search
// for pairs, the continuous test.

#ifndef PL_GPU_STAGES_H
#define PL_GPU_STAGES_H

#include "bench.h"
#include "../../gpu/device.h"

// What a part launches and moves, and the processor time it takes, natively and by the kernels [s].
typedef struct pl_gpu_stage {
    const char *name;
    pl_gpu_counts counts;
    double native, kernels;
    bool same; // the results, to the bit
} pl_gpu_stage;

enum { PL_GPU_STAGES = 4 };

// What they are measured on, in a few words.
const char *pl_gpu_stages_size(bool quick);

// Measures all of them; `quick` on small meshes.
pl_status pl_gpu_stages_measure(pl_device *device, bool quick, pl_gpu_stage out[PL_GPU_STAGES]);

#endif
