#include "vectors.h"
#include "kernel.h"

#include <string.h>

enum {
    PART_SIZE = 2048, // at least [elements]: fewer are not worth a thread's attention
    LANES = 16,
    // Below this many elements one thread is faster than starting several.
    SERIAL_SIZE = 1 << 15,
};

PL_CLONES static double dot_part(int64_t n, const double *x, const double *y)
{
    pl_quad s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        s0 += PL_QUAD(x + i) * PL_QUAD(y + i);
        s1 += PL_QUAD(x + i + 4) * PL_QUAD(y + i + 4);
        s2 += PL_QUAD(x + i + 8) * PL_QUAD(y + i + 8);
        s3 += PL_QUAD(x + i + 12) * PL_QUAD(y + i + 12);
    }
    double lane[LANES];
    for (int l = 0; l < 4; l++) {
        lane[l] = s0[l];
        lane[4 + l] = s1[l];
        lane[8 + l] = s2[l];
        lane[12 + l] = s3[l];
    }
    for (int l = 0; i < n; i++, l++) lane[l] += x[i] * y[i];
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    }
    return lane[0];
}

double pl_vec_dot(int64_t n, const double *x, const double *y)
{
    double sum[PL_MAX_PARTS];
    int64_t size = pl_part_size(n, PART_SIZE), n_part = (n + size - 1) / size;
#pragma omp parallel for schedule(static) if (n >= SERIAL_SIZE)
    for (int64_t p = 0; p < n_part; p++) {
        sum[p] = dot_part(PL_MIN(size, n - p * size), x + p * size, y + p * size);
    }
    double total = 0;
    for (int64_t p = 0; p < n_part; p++) total += sum[p];
    return total;
}

void pl_vec_copy(int64_t n, const double *x, double *y)
{
    int64_t size = pl_part_size(n, PART_SIZE);
#pragma omp parallel for schedule(static) if (n >= SERIAL_SIZE)
    for (int64_t first = 0; first < n; first += size) {
        memcpy(y + first, x + first, (size_t)PL_MIN(size, n - first) * sizeof *x);
    }
}

PL_CLONES static void add_part(int64_t n, double a, const double *restrict x, double *restrict y)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

void pl_vec_add(int64_t n, double a, const double *x, double *y)
{
    int64_t size = pl_part_size(n, PART_SIZE);
#pragma omp parallel for schedule(static) if (n >= SERIAL_SIZE)
    for (int64_t first = 0; first < n; first += size) {
        add_part(PL_MIN(size, n - first), a, x + first, y + first);
    }
}

PL_CLONES static void advance_part(int64_t n, double alpha, double beta, const double *restrict z,
                                   double *restrict p, double *restrict x)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        p[i] = z[i] + beta * p[i];
    }
}

void pl_vec_advance(int64_t n, double alpha, double beta, const double *z, double *p, double *x)
{
    int64_t size = pl_part_size(n, PART_SIZE);
#pragma omp parallel for schedule(static) if (n >= SERIAL_SIZE)
    for (int64_t first = 0; first < n; first += size) {
        advance_part(PL_MIN(size, n - first), alpha, beta, z + first, p + first, x + first);
    }
}

// --- Single precision ---

PL_CLONES static double dotf_part(int64_t n, const float *restrict x, const float *restrict y)
{
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; l++) lane[l] += (double)x[i + l] * (double)y[i + l];
    }
    for (int l = 0; i < n; i++, l++) lane[l] += (double)x[i] * (double)y[i];
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    }
    return lane[0];
}

double pl_vecf_dot(int64_t n, const float *x, const float *y)
{
    double sum[PL_MAX_PARTS];
    int64_t size = pl_part_size(n, PART_SIZE), n_part = (n + size - 1) / size;
#pragma omp parallel for schedule(static) if (n >= SERIAL_SIZE)
    for (int64_t p = 0; p < n_part; p++) {
        sum[p] = dotf_part(PL_MIN(size, n - p * size), x + p * size, y + p * size);
    }
    double total = 0;
    for (int64_t p = 0; p < n_part; p++) total += sum[p];
    return total;
}

PL_CLONES static void addf_part(int64_t n, float a, const float *restrict x, float *restrict y)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

void pl_vecf_add(int64_t n, float a, const float *x, float *y)
{
    int64_t size = pl_part_size(n, PART_SIZE);
#pragma omp parallel for schedule(static) if (n >= SERIAL_SIZE)
    for (int64_t first = 0; first < n; first += size) {
        addf_part(PL_MIN(size, n - first), a, x + first, y + first);
    }
}

void pl_vecf_scale(int64_t n, float a, float *x)
{
#pragma omp parallel for schedule(static) if (n >= SERIAL_SIZE)
    for (int64_t i = 0; i < n; i++) x[i] *= a;
}
