// Sparse factors and the orders of elimination for them.

#include "failing_alloc.h"
#include "matrices.h"
#include "../solvers/cholesky.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    fail_never();
}

// Every block that is not left out stands in the order once, and no block couples two parts.
static void check_order(const pl_bsr *A, const uint8_t *skip, const pl_order *order)
{
    int32_t *part = malloc(((size_t)A->n + 1) * sizeof *part), n = 0;
    for (int32_t i = 0; i < A->n; i++) part[i] = -1;
    TEST_ASSERT_EQUAL_INT32(order->n, order->part[order->n_part]);
    for (int32_t p = 0; p < order->n_part; p++) {
        TEST_ASSERT_TRUE(order->part[p] < order->part[p + 1]);
        for (int32_t i = order->part[p]; i < order->part[p + 1]; i++) {
            TEST_ASSERT_EQUAL_INT32(-1, part[order->block[i]]);
            part[order->block[i]] = p;
        }
    }
    for (int32_t i = 0; i < A->n; i++) {
        bool out = skip != NULL && skip[i];
        n += !out;
        TEST_ASSERT_EQUAL(out, part[i] < 0);
        for (int64_t k = A->row[i]; k < A->row[i + 1] && !out; k++) {
            int32_t other = part[A->col[k]];
            TEST_ASSERT_TRUE(other < 0 || other == part[i]);
        }
    }
    TEST_ASSERT_EQUAL_INT32(n, order->n);
    free(part);
}

// Solves with random right-hand sides, in one column and in three, and multiplies back.
static void check_solves(const pl_bsr *A, const pl_cholesky *G)
{
    int64_t n = 3 * (int64_t)A->n, m = G->order.n;
    for (int width = 1; width <= 3; width += 2) {
        double *x = random_vector(3 * width * m), *b = random_vector(3 * width * m);
        double *v = random_vector(n), *Av = random_vector(n);
        memcpy(x, b, (size_t)(3 * width * m) * sizeof *x);
        for (int32_t p = 0; p < G->order.n_part; p++) {
            int32_t first = G->order.part[p], last = G->order.part[p + 1];
            pl_cholesky_solve(G, first, last, width, x + 3 * (int64_t)width * first);
        }
        for (int c = 0; c < width; c++) {
            memset(v, 0, (size_t)n * sizeof *v);
            for (int64_t i = 0; i < m; i++) {
                for (int a = 0; a < 3; a++) {
                    v[3 * G->order.block[i] + a] = x[3 * width * i + a * width + c];
                }
            }
            pl_bsr_multiply(A, v, Av);
            for (int64_t i = 0; i < m; i++) {
                for (int a = 0; a < 3; a++) {
                    double expected = b[3 * width * i + a * width + c];
                    TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected, Av[3 * G->order.block[i] + a]);
                }
            }
        }
        free(x), free(b), free(v), free(Av);
    }
}

static void check(const pl_bsr *A, const uint8_t *skip)
{
    pl_arena arena = {0};
    pl_cholesky G;
    TEST_ASSERT_EQUAL(PL_OK, pl_cholesky_analyze(A, skip, &arena, &G));
    check_order(A, skip, &G.order);
    TEST_ASSERT_EQUAL(PL_OK, pl_cholesky_take(&G, &arena));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_cholesky_factor(&G, A), pl_error_text());
    for (int32_t j = 0; j < G.order.n; j++) {
        for (int64_t k = G.col[j]; k < G.col[j + 1]; k++) {
            TEST_ASSERT_TRUE(G.row[k] > (k == G.col[j] ? j : G.row[k - 1]));
        }
        int32_t parent = G.col[j] < G.col[j + 1] ? G.row[G.col[j]] : -1;
        TEST_ASSERT_EQUAL_INT32(parent, G.parent[j]);
    }
    check_solves(A, &G);
    pl_arena_free(&arena);
}

static void test_random_matrices(void)
{
    for (int trial = 0; trial < 60; trial++) {
        pl_bsr A;
        int32_t n = 1 + trial % 30;
        random_matrix(n, trial % 4 * n / 2, 8, &A); // few edges: several parts
        uint8_t skip[30] = {0};
        for (int32_t i = 0; i < n && trial % 2 == 1; i++) skip[i] = random_bits() % 4 == 0;
        check(&A, trial % 2 == 1 ? skip : NULL);
        pl_bsr_free(&A);
    }
}

static void test_a_matrix_of_nothing(void)
{
    pl_bsr A;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(0, 0, NULL, &A));
    check(&A, NULL);
    pl_bsr_free(&A);
    const uint8_t skip[3] = {1, 1, 1};
    random_matrix(3, 3, 8, &A);
    check(&A, skip);
    pl_bsr_free(&A);
}

// The natural order of a grid fills its band: n side^2 blocks. The gain grows with the side.
static void test_dissection_leaves_few_blocks(void)
{
    pl_bsr A;
    pl_arena arena = {0};
    pl_cholesky G;
    const int side = 16, n = side * side * side;
    grid_matrix(side, 1, &A);
    TEST_ASSERT_EQUAL_INT32(n, A.n);
    TEST_ASSERT_EQUAL(PL_OK, pl_cholesky_analyze(&A, NULL, &arena, &G));
    check_order(&A, NULL, &G.order);
    TEST_ASSERT_EQUAL_INT32(1, G.order.n_part);
    TEST_ASSERT_TRUE((double)G.nnz < 0.7 * n * side * side);
    TEST_ASSERT_EQUAL_DOUBLE(76.0 * (double)G.nnz, pl_cholesky_bytes(&G));
    TEST_ASSERT_EQUAL(PL_OK, pl_cholesky_take(&G, &arena));
    TEST_ASSERT_EQUAL(PL_OK, pl_cholesky_factor(&G, &A));
    TEST_ASSERT_EQUAL(PL_OK, pl_cholesky_factor(&G, &A)); // again
    check_solves(&A, &G);
    pl_arena_free(&arena);
    pl_bsr_free(&A);
}

// Two grids and a chain, renumbered at random: parts, and sets that fall apart when divided.
static void test_parts(void)
{
    enum { SIDE = 5, GRID = SIDE * SIDE * SIDE, CHAIN = 200, N = 2 * GRID + CHAIN };
    static int32_t edge[2 * 4 * N], name[N];
    int64_t n_edge = 0;
    for (int32_t i = 0; i < N; i++) name[i] = i;
    for (int32_t i = N - 1; i > 0; i--) {
        int32_t j = (int32_t)(random_bits() % (uint32_t)(i + 1)), t = name[i];
        name[i] = name[j], name[j] = t;
    }
    for (int32_t i = 0; i < N; i++) {
        int32_t at = i % GRID, step[3] = {1, SIDE, SIDE * SIDE};
        for (int a = 0; a < 3; a++) {
            bool inside = i < 2 * GRID ? at / step[a] % SIDE + 1 < SIDE : a == 0 && i + 1 < N;
            if (!inside) continue;
            edge[2 * n_edge] = name[i], edge[2 * n_edge + 1] = name[i + step[a]];
            n_edge++;
        }
    }
    pl_bsr A;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(N, n_edge, edge, &A));
    for (int32_t i = 0; i < N; i++) {
        for (int64_t k = A.row[i]; k < A.row[i + 1]; k++) {
            for (int c = 0; c < 3; c++) A.val[9 * k + 4 * c] = A.col[k] == i ? 7 : -1;
        }
    }
    check(&A, NULL);
    pl_arena arena = {0};
    pl_order order;
    TEST_ASSERT_EQUAL(PL_OK, pl_order_create(&A, NULL, &arena, &order));
    TEST_ASSERT_EQUAL_INT32(3, order.n_part);
    pl_arena_free(&arena);
    pl_bsr_free(&A);
}

// --- Failures ---

static void test_what_is_not_positive_definite(void)
{
    const double bad[] = {-1, 0, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        for (int at = 0; at < 9; at += 4) {
            pl_bsr A;
            pl_arena arena = {0};
            pl_cholesky G;
            random_matrix(8, 16, 8, &A);
            A.val[9 * A.diag[5] + at] = bad[i];
            TEST_ASSERT_EQUAL(PL_OK, pl_cholesky_analyze(&A, NULL, &arena, &G));
            TEST_ASSERT_EQUAL(PL_OK, pl_cholesky_take(&G, &arena));
            TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, pl_cholesky_factor(&G, &A));
            TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "block row"));
            pl_arena_free(&arena);
            pl_bsr_free(&A);
        }
    }
}

static pl_status factor(void *user)
{
    pl_arena arena = {0};
    pl_cholesky G;
    pl_status status = pl_cholesky_analyze(user, NULL, &arena, &G);
    if (status == PL_OK) status = pl_cholesky_take(&G, &arena);
    if (status == PL_OK) status = pl_cholesky_factor(&G, user);
    pl_arena_free(&arena);
    return status;
}

static void test_allocations_that_fail(void)
{
    pl_bsr A;
    grid_matrix(7, 1, &A);
    fail_each_allocation(factor, &A);
    pl_bsr_free(&A);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_matrices);
    RUN_TEST(test_a_matrix_of_nothing);
    RUN_TEST(test_dissection_leaves_few_blocks);
    RUN_TEST(test_parts);
    RUN_TEST(test_what_is_not_positive_definite);
    RUN_TEST(test_allocations_that_fail);
    return UNITY_END();
}
