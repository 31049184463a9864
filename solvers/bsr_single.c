#include "bsr_single.h"

#include <string.h>

enum { PREFETCH_BLOCKS = 128 }; // see bsr.c; 64 to 256 measured alike

typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));
#define QUAD(p) (*(const quad *)(p))

// A product, or a conversion, part by part.
typedef struct product {
    const pl_bsr *A;
    const float *val, *x;
    float *to;
} product;

static void round_parts(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    const pl_bsr *A = p->A;
    int64_t end = 9 * A->row[A->part[last]];
    for (int64_t i = 9 * A->row[A->part[first]]; i < end; i++) p->to[i] = (float)A->val[i];
}

float *pl_single_take(const pl_bsr *A, pl_arena *arena)
{
    float *val = pl_arena_take(arena, 9 * (A->nnz + 1), sizeof *val);
    if (val == NULL) return NULL;
    pl_bsr_loop(A, round_parts, &(product){.A = A, .to = val});
    memset(val + 9 * A->nnz, 0, 9 * sizeof *val);
    return val;
}

// Row i of A x, and a fourth number that means nothing: see pl_bsr_multiply_rows.
static inline quad multiply_row(const pl_bsr *A, const float *restrict val, int32_t i,
                                const float *restrict x)
{
    quad s0 = {0}, s1 = {0}, s2 = {0};
    const int32_t *col = A->col + A->row[i], *end = A->col + A->row[i + 1];
    for (const float *a = val + 9 * A->row[i]; col < end; col++, a += 9) {
        quad v = QUAD(x + 3 * (int64_t)*col);
        __builtin_prefetch(a + 9 * PREFETCH_BLOCKS);
        s0 += QUAD(a) * __builtin_shufflevector(v, v, 0, 0, 0, 0);
        s1 += QUAD(a + 3) * __builtin_shufflevector(v, v, 1, 1, 1, 1);
        s2 += QUAD(a + 6) * __builtin_shufflevector(v, v, 2, 2, 2, 2);
    }
    return (s0 + s1) + s2;
}

PL_CLONES static void multiply_part(const pl_bsr *A, const float *restrict val, int32_t first,
                                    int32_t last, const float *restrict x, float *restrict y)
{
    for (int32_t i = first; i < last; i++) {
        quad sum = multiply_row(A, val, i, x);
        float *to = y + 3 * (int64_t)i;
        to[0] = sum[0], to[1] = sum[1], to[2] = sum[2];
    }
}

static void multiply_parts(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    multiply_part(p->A, p->val, p->A->part[first], p->A->part[last], p->x, p->to);
}

void pl_single_multiply(const pl_bsr *A, const float *val, const float *x, float *y)
{
    pl_bsr_loop(A, multiply_parts, &(product){A, val, x, y});
}

PL_CLONES void pl_single_multiply_rows(const pl_bsr *A, const float *val, int32_t first,
                                       int32_t last, const float *x, const double *z, double *y)
{
    for (int32_t i = first; i < last; i++) {
        quad sum = multiply_row(A, val, i, x);
        for (int64_t k = 0, at = 3 * (int64_t)i; k < 3; k++, at++) {
            y[at] = z != NULL ? z[at] + (double)sum[k] : (double)sum[k];
        }
    }
}
