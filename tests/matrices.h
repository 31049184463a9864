// Matrices for the tests of solvers/: random numbers, random graphs, springs, dense copies.

#ifndef PL_TEST_MATRICES_H
#define PL_TEST_MATRICES_H

#include "../solvers/bsr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

static uint64_t random_state = 1;

static inline uint32_t random_bits(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

// Between -1 and 1.
static inline double random_number(void)
{
    return (double)random_bits() / 2147483648.0 - 1;
}

static inline double *random_vector(int64_t size)
{
    double *v = malloc((size_t)(size > 0 ? size : 1) * sizeof *v);
    for (int64_t i = 0; i < size; i++) v[i] = random_number();
    return v;
}

// A graph with loops and repeated edges; vertex 0 has an edge to every eighth.
static inline int32_t *random_edges(int32_t n, int64_t n_edge)
{
    int32_t *edge = calloc((size_t)(2 * n_edge + 1), sizeof *edge);
    for (int64_t e = 0; e < 2 * n_edge; e++) edge[e] = (int32_t)(random_bits() % (uint32_t)n);
    for (int64_t e = 0; e < n_edge; e += 8) edge[2 * e] = 0;
    return edge;
}

static inline void set_block(pl_bsr *A, int32_t i, int32_t j, const double block[9])
{
    double *at = A->val + 9 * pl_bsr_find(A, i, j), *mirror = A->val + 9 * pl_bsr_find(A, j, i);
    for (int e = 0; e < 9; e++) {
        at[e] = block[e];
        mirror[e / 3 + e % 3 * 3] = block[e];
    }
}

// Symmetric, with random blocks off the diagonal, and on it a random symmetric one plus `shift` I.
static inline void fill_random(pl_bsr *A, double shift)
{
    for (int32_t i = 0; i < A->n; i++) {
        for (int64_t k = A->row[i]; k < A->row[i + 1] && A->col[k] <= i; k++) {
            double block[9];
            for (int e = 0; e < 9; e++) block[e] = random_number();
            if (A->col[k] == i) {
                block[3] = block[1], block[6] = block[2], block[7] = block[5];
                for (int c = 0; c < 3; c++) block[4 * c] += shift;
            }
            set_block(A, i, A->col[k], block);
        }
    }
}

static inline void random_matrix(int32_t n, int64_t n_edge, double shift, pl_bsr *A)
{
    int32_t *edge = random_edges(n, n_edge);
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(n, n_edge, edge, A));
    free(edge);
    fill_random(A, shift);
}

// Springs along the edges of a grid of side^3 vertices whose cells are cut into six tets, as
// anisotropic 3x3 blocks K, and `mass` I on the diagonal: positive definite if mass > 0, with the
// three translations as its null space if it is 0.
static inline void grid_matrix(int32_t side, double mass, pl_bsr *A)
{
    static const int step[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0},
                                   {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    int32_t n = side * side * side, *edge = calloc(14 * (size_t)n, sizeof *edge);
    int64_t n_edge = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int s = 0; s < 7; s++) {
            int32_t x = i % side + step[s][0], y = i / side % side + step[s][1];
            int32_t z = i / (side * side) + step[s][2];
            if (x >= side || y >= side || z >= side) continue;
            edge[2 * n_edge] = i;
            edge[2 * n_edge++ + 1] = x + side * (y + side * z);
        }
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(n, n_edge, edge, A));
    for (int32_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) A->val[9 * A->diag[i] + 4 * c] = mass;
    }
    for (int64_t e = 0; e < n_edge; e++) {
        int32_t i = edge[2 * e], j = edge[2 * e + 1];
        double block[9], d[3] = {random_number(), random_number(), random_number()};
        for (int k = 0; k < 9; k++) {
            block[k] = -(0.1 * (k % 4 == 0) + d[k / 3] * d[k % 3]);
            A->val[9 * A->diag[i] + k] -= block[k];
            A->val[9 * A->diag[j] + k] -= block[k];
        }
        set_block(A, i, j, block);
    }
    free(edge);
}

// Row-major, (3*n) x (3*n).
static inline double *dense_copy(const pl_bsr *A)
{
    size_t size = 3 * (size_t)A->n;
    double *D = calloc(size * size + 1, sizeof *D);
    for (int32_t i = 0; i < A->n; i++) {
        for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
            for (int e = 0; e < 9; e++) {
                D[(3 * (size_t)i + (size_t)(e % 3)) * size + 3 * (size_t)A->col[k] +
                  (size_t)(e / 3)] = A->val[9 * k + e];
            }
        }
    }
    return D;
}

static inline bool same_bits(const double *a, const double *b, int64_t n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

#endif
