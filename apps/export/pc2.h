// Point caches in the format PC2: the places of the same points at one time after the other, as
// Blender's modifier Mesh Cache and others read them. Little-endian:
//
//     bytes 0 to 11   "POINTCACHE2" and a zero
//           12        int32: version, 1
//           16        int32: number of points
//           20        float: the frame of the first sample
//           24        float: frames from one sample to the next, 1 here
//           28        int32: number of samples
//           32        the samples: three floats per point [m]
//
// A cache grows in place, because it may be large: a sample is added behind the last, and only then
// does the header count it. So it is whole at any time, and what a killed run leaves behind the
// last sample is not looked at.

#ifndef PL_PC2_H
#define PL_PC2_H

#include "../../base/base.h"

// A cache without samples, in place of what has this name. Fails with PL_ERROR_FILE.
pl_status pl_pc2_create(const char *path, int32_t n_points, double first_frame);

// Adds sample number `n_samples` (there are so many), x (3*n_points). On failure, PL_ERROR_FILE,
// the cache is as before.
pl_status pl_pc2_append(const char *path, int32_t n_points, int32_t n_samples, const float *x);

// Is this a cache of so many points, with at least so many samples? PL_ERROR_FILE or
// PL_ERROR_FORMAT if not.
pl_status pl_pc2_check(const char *path, int32_t n_points, int32_t n_samples);

// Drops all samples but the first n_samples, of which it has at least so many.
pl_status pl_pc2_keep(const char *path, int32_t n_points, int32_t n_samples);

// For reading what pl_pc2_check has accepted.
typedef struct pl_pc2 {
    const char *path; // borrowed
    int fd;           // -1 if it is closed
    int32_t n_points;
} pl_pc2;

pl_status pl_pc2_open(const char *path, int32_t n_points, pl_pc2 *out);
// The points from `first` on, x (3*n), of a sample.
pl_status pl_pc2_read(const pl_pc2 *cache, int64_t sample, int32_t first, int32_t n, float *x);
void pl_pc2_close(pl_pc2 *cache);

#endif
