// What a header needs that is compiled as C17, as CUDA C++ and as OpenCL C 1.2: names of types and
// how its functions are declared. Internal.
//
// Such a header uses no library but mathematics (sqrt, fabs, fmin, fmax, isfinite, INFINITY), takes
// pointers to private memory only, has no mutable statics, no variadic macros and no recursion.
// ../gpu/README.md has the rest of the dialect.

#ifndef PL_PORTABLE_H
#define PL_PORTABLE_H

#if defined(__OPENCL_VERSION__)

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef uchar uint8_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;

#define PL_INLINE static inline
#define PL_CONSTANT __constant

#elif defined(__CUDACC__)

#include <math.h>
#include <stdint.h>

#define PL_INLINE static __device__ __forceinline__
#define PL_CONSTANT static __device__ const

#else

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define PL_INLINE static inline
#define PL_CONSTANT static const

#endif

#endif
