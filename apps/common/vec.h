// 3-vectors and 4x4 matrices for the pictures. Doubles on this side; the graphics card gets floats.

#ifndef PL_VEC_H
#define PL_VEC_H

#include <math.h>
#include <stdint.h>

typedef struct vec3 {
    double x, y, z;
} vec3;

typedef struct mat4 {
    double m[16]; // column-major, as OpenGL reads it: element (row, column) is m[4 * column + row]
} mat4;

static inline vec3 vec3_of(const double v[3])
{
    return (vec3){v[0], v[1], v[2]};
}

static inline void vec3_store(vec3 a, double v[3])
{
    v[0] = a.x, v[1] = a.y, v[2] = a.z;
}

static inline vec3 vec3_add(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 vec3_sub(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_scale(vec3 a, double s)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

static inline double vec3_dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_length(vec3 a)
{
    return sqrt(vec3_dot(a, a));
}

// Six times the signed volume of the tet with the corners t, indices into x:
// (b-a) x (c-a) . (d-a).
static inline double vec3_tet_det(const double *x, const int32_t t[4])
{
    vec3 p[4];
    for (int k = 0; k < 4; k++) p[k] = vec3_of(x + 3 * (int64_t)t[k]);
    return vec3_dot(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])), vec3_sub(p[3], p[0]));
}

// The zero vector stays what it is.
static inline vec3 vec3_unit(vec3 a)
{
    double length = vec3_length(a);
    return length > 0 ? vec3_scale(a, 1 / length) : a;
}

// Two unit vectors that make a right-handed frame with the unit vector n, (u, v, n); u is
// horizontal.
static inline void vec3_frame(vec3 n, vec3 *u, vec3 *v)
{
    vec3 axis = fabs(n.z) < 0.999 ? (vec3){0, 0, 1} : (vec3){0, 1, 0};
    *u = vec3_unit(vec3_cross(axis, n));
    *v = vec3_cross(n, *u);
}

static inline mat4 mat4_multiply(const mat4 *a, const mat4 *b)
{
    mat4 c;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) sum += a->m[4 * k + i] * b->m[4 * j + k];
            c.m[4 * j + i] = sum;
        }
    }
    return c;
}

// World to a frame at `origin` with the orthonormal axes x, y, z.
static inline mat4 mat4_view(vec3 x, vec3 y, vec3 z, vec3 origin)
{
    return (mat4){{x.x, y.x, z.x, 0, x.y, y.y, z.y, 0, x.z, y.z, z.z, 0, -vec3_dot(x, origin),
                   -vec3_dot(y, origin), -vec3_dot(z, origin), 1}};
}

static inline void vec3_to_float(vec3 a, float out[3])
{
    out[0] = (float)a.x, out[1] = (float)a.y, out[2] = (float)a.z;
}

static inline void mat4_to_float(const mat4 *a, float out[16])
{
    for (int i = 0; i < 16; i++) out[i] = (float)a->m[i];
}

#endif
