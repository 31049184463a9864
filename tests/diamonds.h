// Problems of contact with friction in diamonds, for staggered projections.

#ifndef PL_TEST_DIAMONDS_H
#define PL_TEST_DIAMONDS_H

#include "../lcp/staggered.h"
#include "lcps.h"

typedef struct scene {
    own_lcp W;
    double *mu;
    pl_staggered problem;
} scene;

// n contacts in a row, each coupled with its next ones; W = J J^T + I / 4 with few columns in
// common.
static inline scene make_scene(int32_t n, double coupling, double mu)
{
    int32_t size = 3 * n, inner = 2 * n + 4;
    double *J = calloc((size_t)(size * inner), sizeof *J), *q = random_vector(size);
    double *M = calloc((size_t)(size * size), sizeof *M);
    for (int32_t i = 0; i < size; i++) {
        for (int32_t k = 0; k < 6; k++) {
            J[i + size * PL_MIN(inner - 1, 2 * (i / 3) + k)] = coupling * random_number();
        }
    }
    for (int32_t i = 0; i < size; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = i == j ? 0.5 : 0;
            for (int32_t k = 0; k < inner; k++) sum += J[i + size * k] * J[j + size * k];
            M[i + size * j] = M[j + size * i] = sum;
        }
        q[i] = i % 3 == 0 ? q[i] - 0.4 : 0.4 * q[i]; // most contacts close
    }
    scene s = {.W = own_lcp_make(size, M, q), .mu = malloc((size_t)n * sizeof(double) + 8)};
    for (int32_t c = 0; c < n; c++) s.mu[c] = c % 5 == 4 ? 0 : mu * (1 + 0.5 * random_number());
    s.problem = (pl_staggered){n, s.W.col, s.W.row, s.W.val, s.W.q, s.mu};
    free(J), free(M), free(q);
    return s;
}

static inline void free_scene(scene *s)
{
    own_lcp_free(&s->W);
    free(s->mu);
}

#endif
