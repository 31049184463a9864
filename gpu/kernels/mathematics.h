// What kernels take from other rooms: their functions of private memory. Comes before all families,
// since fem/lanes.h has PL_KERNEL and PL_LANES for names of its own, which end here.

#ifndef PL_GPU_MATHEMATICS_H
#define PL_GPU_MATHEMATICS_H

// Elements that an item works on. On CPUs OpenCL's vectors of eight are what the machine's own are
// to fem/assemble.c; opencl.c says so to the compiler.
#ifdef PL_WIDE
#define PL_LANES 8
#define PL_ELEMENT_LANES 8
#else
#define PL_LANES 1
#define PL_ELEMENT_LANES 1
#endif

#include "../../fem/element_kernel.h"

#undef PL_LANES
#undef PL_KERNEL

#include "../../collision/bound_kernel.h"
#include "../../collision/apart_kernel.h"

#endif
