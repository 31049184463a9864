#include "vectors.h"
#include "kernel.h"

#include <string.h>

enum {
    PART_SIZE = 2048, // at least [elements]: fewer are not worth a thread's attention
    LANES = 16,
    CHUNK_SIZE = 1 << 14, // what a thread takes at least [elements]
};

// A sum over the elements of two vectors, in parts.
typedef struct sum {
    int64_t n, size; // elements, of which a part has so many
    const void *x, *y;
    double part[PL_MAX_PARTS];
} sum;

static double add_up(sum *s, pl_loop_fn *body)
{
    int64_t n_part = (s->n + s->size - 1) / s->size;
    double total = 0;
    pl_loop(n_part, PL_MAX(1, CHUNK_SIZE / s->size), body, s);
    for (int64_t p = 0; p < n_part; p++) total += s->part[p];
    return total;
}

// An update of every element: what it reads and what it writes.
typedef struct update {
    double a, b;
    const double *x;
    double *y, *z;
} update;

typedef struct updatef {
    float a;
    const float *x;
    float *y;
} updatef;

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

static void dot_parts(void *context, int64_t first, int64_t last)
{
    sum *s = context;
    for (int64_t p = first; p < last; p++) {
        int64_t at = p * s->size, n = PL_MIN(s->size, s->n - at);
        s->part[p] = dot_part(n, (const double *)s->x + at, (const double *)s->y + at);
    }
}

double pl_vec_dot(int64_t n, const double *x, const double *y)
{
    sum s; // its parts are for the loop to set
    s.n = n, s.size = pl_part_size(n, PART_SIZE), s.x = x, s.y = y;
    return add_up(&s, dot_parts);
}

static void copy(void *context, int64_t first, int64_t last)
{
    const update *u = context;
    memcpy(u->y + first, u->x + first, (size_t)(last - first) * sizeof *u->x);
}

void pl_vec_copy(int64_t n, const double *x, double *y)
{
    pl_loop(n, CHUNK_SIZE, copy, &(update){.x = x, .y = y});
}

PL_CLONES static void add_part(int64_t n, double a, const double *restrict x, double *restrict y)
{
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

static void add(void *context, int64_t first, int64_t last)
{
    const update *u = context;
    add_part(last - first, u->a, u->x + first, u->y + first);
}

void pl_vec_add(int64_t n, double a, const double *x, double *y)
{
    pl_loop(n, CHUNK_SIZE, add, &(update){.a = a, .x = x, .y = y});
}

PL_CLONES static void advance_part(int64_t n, double alpha, double beta, const double *restrict z,
                                   double *restrict p, double *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        p[i] = z[i] + beta * p[i];
    }
}

static void advance(void *context, int64_t first, int64_t last)
{
    const update *u = context;
    advance_part(last - first, u->a, u->b, u->x + first, u->y + first, u->z + first);
}

void pl_vec_advance(int64_t n, double alpha, double beta, const double *z, double *p, double *x)
{
    pl_loop(n, CHUNK_SIZE, advance, &(update){.a = alpha, .b = beta, .x = z, .y = p, .z = x});
}

PL_CLONES static void chase_part(int64_t n, double a, const double *restrict x, double *restrict y)
{
    for (int64_t i = 0; i < n; i++) y[i] = x[i] + a * y[i];
}

static void chase(void *context, int64_t first, int64_t last)
{
    const update *u = context;
    chase_part(last - first, u->a, u->x + first, u->y + first);
}

void pl_vec_chase(int64_t n, double a, const double *x, double *y)
{
    pl_loop(n, CHUNK_SIZE, chase, &(update){.a = a, .x = x, .y = y});
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

static void dotf_parts(void *context, int64_t first, int64_t last)
{
    sum *s = context;
    for (int64_t p = first; p < last; p++) {
        int64_t at = p * s->size, n = PL_MIN(s->size, s->n - at);
        s->part[p] = dotf_part(n, (const float *)s->x + at, (const float *)s->y + at);
    }
}

double pl_vecf_dot(int64_t n, const float *x, const float *y)
{
    sum s; // its parts are for the loop to set
    s.n = n, s.size = pl_part_size(n, PART_SIZE), s.x = x, s.y = y;
    return add_up(&s, dotf_parts);
}

PL_CLONES static void addf_part(int64_t n, float a, const float *restrict x, float *restrict y)
{
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

static void addf(void *context, int64_t first, int64_t last)
{
    const updatef *u = context;
    addf_part(last - first, u->a, u->x + first, u->y + first);
}

void pl_vecf_add(int64_t n, float a, const float *x, float *y)
{
    pl_loop(n, CHUNK_SIZE, addf, &(updatef){.a = a, .x = x, .y = y});
}

static void scale_all(void *context, int64_t first, int64_t last)
{
    const updatef *u = context;
    for (int64_t i = first; i < last; i++) u->y[i] *= u->a;
}

void pl_vecf_scale(int64_t n, float a, float *x)
{
    pl_loop(n, CHUNK_SIZE, scale_all, &(updatef){.a = a, .y = x});
}
