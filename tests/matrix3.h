// What the tests of elasticity share: random numbers, 3x3 matrices (row-major), shapes of
// deformation, the materials by name.

#ifndef PL_TESTS_MATRIX3_H
#define PL_TESTS_MATRIX3_H

#include "pliant.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// --- Random numbers ---

static uint64_t random_state = 88172645463325252u;

static inline double random_between(double low, double high)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return low + (high - low) * (double)(random_state >> 11) * 0x1p-53;
}

// --- Matrices ---

static inline void multiply3(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 9; i++) {
        const double *row = a + i / 3 * 3, *column = b + i % 3;
        out[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
    }
}

static inline void transpose3(const double a[9], double out[9])
{
    for (int i = 0; i < 9; i++) out[i] = a[i % 3 * 3 + i / 3];
}

static inline double determinant3(const double a[9])
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}

static inline double largest3(const double a[9])
{
    double size = 0;
    for (int i = 0; i < 9; i++) size = fmax(size, fabs(a[i]));
    return size;
}

// From a random unit quaternion.
static inline void random_rotation(double r[9])
{
    double q[4], square;
    do {
        square = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = random_between(-1, 1);
            square += q[i] * q[i];
        }
    } while (square > 1 || square < 0.01);
    for (int i = 0; i < 4; i++) q[i] /= sqrt(square);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(r, m, sizeof m);
}

// U diag(s) V^T with random rotations.
static inline void random_with_stretches(const double s[3], double f[9])
{
    double u[9], v[9], vt[9];
    random_rotation(u);
    random_rotation(v);
    transpose3(v, vt);
    for (int i = 0; i < 9; i++) u[i] *= s[i % 3];
    multiply3(u, vt, f);
}

// --- Materials ---

enum { N_MATERIALS = 7 };
static const char *const material_names[N_MATERIALS] = {
    "co-rotational",      "neo-Hookean", "fixed co-rotated", "StVK", "Mooney-Rivlin",
    "stable neo-Hookean", "Ogden"};

// Stretches to try a material with: rest, stretched, compressed below and around the stretch limit
// of 0.7, inverted, equal in pairs or all.
static const double stretch_cases[][3] = {
    {1, 1, 1},       {1.3, 1.1, 0.9},   {2.5, 1.2, 0.8},  {1.1, 0.65, 0.4},
    {0.6, 0.5, 0.3}, {1.5, 1.5, 0.8},   {1.5, 0.9, 0.9},  {0.5, 0.5, 0.5},
    {1.2, 1.2, 1.2}, {1.2, 0.8, -0.3},  {1.1, 1.1, -0.5}, {0.6, 0.5, -0.2},
    {3, 0.2, 0.1},   {1.4, 0.9, -0.85}, {1.01, 1, 0.99},  {1.3, 0.701, 0.699},
};
enum { N_STRETCH_CASES = sizeof stretch_cases / sizeof stretch_cases[0] };

#endif
