// Do two triangles of a surface meet where they should not? Exact. Internal.

#ifndef PL_TRIANGLES_H
#define PL_TRIANGLES_H

#include <stdbool.h>
#include <stdint.h>

// True if the corners lie on one line.
bool pl_triangle_flat(const double a[3], const double b[3], const double c[3]);

// True if the closed segment pq and the closed triangle abc have a point in common; both may be
// degenerate.
bool pl_segment_meets_triangle(const double p[3], const double q[3], const double a[3],
                               const double b[3], const double c[3]);

// True if the closed triangles a and b (indices into x) have a point in common that is not on a
// vertex or edge with the same indices in both. Two triangles with the same three different corners
// do. Triangles may be flat and may repeat a corner.
bool pl_faces_meet(const double *x, const int32_t a[3], const int32_t b[3]);

#endif
