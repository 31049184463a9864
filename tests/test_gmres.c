// Flexible GMRES in single precision, against dense elimination.

#include "contacts.h"
#include "../solvers/gmres.h"

void setUp(void)
{
    random_state = 7;
}

void tearDown(void)
{
    fail_never();
}

enum { MOST = 64 };

// A dense system and a dense preconditioner, row-major; NULL: none.
typedef struct dense {
    int n, calls;
    double A[MOST * MOST], *M;
} dense;

static void apply(int n, const double *A, const float *x, float *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += A[i * n + j] * (double)x[j];
        y[i] = (float)sum;
    }
}

static void multiply(void *context, const float *x, float *y)
{
    dense *d = context;
    d->calls++;
    apply(d->n, d->A, x, y);
}

static void precondition(void *context, const float *x, float *y)
{
    const dense *d = context;
    if (d->M != NULL) {
        apply(d->n, d->M, x, y);
    } else {
        memcpy(y, x, (size_t)d->n * sizeof *y);
    }
}

// Not symmetric, and not singular.
static void fill(dense *d, int n, double diagonal)
{
    *d = (dense){.n = n};
    for (int i = 0; i < n * n; i++) d->A[i] = random_number();
    for (int i = 0; i < n; i++) d->A[(n + 1) * i] += diagonal;
}

// |r - A e| / |r|.
static double residual(const dense *d, const double *r, const double *e)
{
    double sum = 0, norm = 0;
    for (int i = 0; i < d->n; i++) {
        double s = r[i];
        for (int j = 0; j < d->n; j++) s -= d->A[i * d->n + j] * e[j];
        sum += s * s;
        norm += r[i] * r[i];
    }
    return sqrt(sum / norm);
}

static void test_exact_in_n_steps(void)
{
    pl_arena arena = {0};
    for (int trial = 0; trial < 30; trial++) {
        dense d;
        pl_gmres gmres;
        int n = 1 + trial % 10;
        fill(&d, n, 3);
        double *r = random_vector(n), e[MOST];
        pl_arena_reset(&arena);
        TEST_ASSERT_EQUAL(PL_OK, pl_gmres_create(n, &arena, &gmres));
        int32_t k = pl_gmres_solve(&gmres, multiply, precondition, &d, 1e-5, 12, r, e);
        TEST_ASSERT_TRUE(k >= 1 && k <= n);
        TEST_ASSERT_EQUAL(k, d.calls);
        TEST_ASSERT_TRUE(residual(&d, r, e) < 2e-5);
        free(r);
    }
    pl_arena_free(&arena);
}

// The residual has fallen as far as it says; one step fewer would not have done.
static void test_drop_is_honoured(void)
{
    pl_arena arena = {0};
    pl_gmres gmres;
    dense d;
    fill(&d, MOST, 30);
    double *r = random_vector(MOST), e[MOST];
    TEST_ASSERT_EQUAL(PL_OK, pl_gmres_create(MOST, &arena, &gmres));
    for (double drop = 0.5; drop > 1e-4; drop *= 0.3) {
        int32_t k = pl_gmres_solve(&gmres, multiply, precondition, &d, drop, 12, r, e);
        TEST_ASSERT_TRUE(k > 0 && k < 12);
        TEST_ASSERT_TRUE(residual(&d, r, e) <= drop + 1e-6);
        TEST_ASSERT_EQUAL(k - 1,
                          pl_gmres_solve(&gmres, multiply, precondition, &d, drop, k - 1, r, e));
        TEST_ASSERT_TRUE(k == 1 || residual(&d, r, e) > drop - 1e-6);
    }
    TEST_ASSERT_EQUAL(12, pl_gmres_solve(&gmres, multiply, precondition, &d, 0, 1000, r, e));
    free(r);
    pl_arena_free(&arena);
}

// Each step's residual is the smallest over the space of Krylov: A^0 r .. A^(k-1) r, by dense
// normal equations.
static void test_residuals_are_the_smallest(void)
{
    pl_arena arena = {0};
    pl_gmres gmres;
    dense d;
    int n = 20;
    fill(&d, n, 6);
    double *r = random_vector(n), e[MOST];
    TEST_ASSERT_EQUAL(PL_OK, pl_gmres_create(n, &arena, &gmres));
    long double K[6][MOST]; // A times the space
    for (int k = 1; k <= 5; k++) {
        for (int c = 0; c < k; c++) {
            for (int i = 0; i < n; i++) {
                long double s = 0;
                for (int j = 0; j < n; j++) {
                    s += d.A[i * n + j] * (c == 0 ? (long double)r[j] : K[c - 1][j]);
                }
                K[c][i] = s;
            }
        }
        long double N[25], y[5], best = 0;
        for (int a = 0; a < k; a++) {
            y[a] = 0;
            for (int i = 0; i < n; i++) y[a] += K[a][i] * r[i];
            for (int b = 0; b < k; b++) {
                N[a * k + b] = 0;
                for (int i = 0; i < n; i++) N[a * k + b] += K[a][i] * K[b][i];
            }
        }
        eliminate(k, 1, N, y);
        double norm = 0;
        for (int i = 0; i < n; i++) {
            long double s = r[i];
            for (int a = 0; a < k; a++) s -= y[a] * K[a][i];
            best += s * s;
            norm += r[i] * r[i];
        }
        pl_gmres_solve(&gmres, multiply, precondition, &d, 0, k, r, e);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, sqrt((double)best / norm), residual(&d, r, e));
    }
    free(r);
    pl_arena_free(&arena);
}

// The inverse as preconditioner: one step.
static void test_a_perfect_preconditioner(void)
{
    pl_arena arena = {0};
    pl_gmres gmres;
    dense d;
    int n = 30;
    fill(&d, n, 6);
    long double *M = calloc((size_t)(n * n), sizeof *M), *B = calloc((size_t)(n * n), sizeof *B);
    d.M = calloc((size_t)(n * n), sizeof *d.M);
    for (int i = 0; i < n * n; i++) M[i] = d.A[i];
    for (int i = 0; i < n; i++) B[(n + 1) * i] = 1;
    eliminate(n, n, M, B);
    for (int i = 0; i < n * n; i++) d.M[i] = (double)B[i];
    double *r = random_vector(n), e[MOST];
    TEST_ASSERT_EQUAL(PL_OK, pl_gmres_create(n, &arena, &gmres));
    TEST_ASSERT_EQUAL(1, pl_gmres_solve(&gmres, multiply, precondition, &d, 1e-4, 12, r, e));
    TEST_ASSERT_TRUE(residual(&d, r, e) < 1e-5);
    free(M), free(B), free(d.M), free(r);
    pl_arena_free(&arena);
}

static void test_nothing_to_do(void)
{
    pl_arena arena = {0};
    pl_gmres gmres;
    dense d;
    fill(&d, 5, 3);
    double zero[5] = {0}, e[5] = {1, 1, 1, 1, 1};
    TEST_ASSERT_EQUAL(PL_OK, pl_gmres_create(5, &arena, &gmres));
    TEST_ASSERT_EQUAL(0, pl_gmres_solve(&gmres, multiply, precondition, &d, 0.1, 12, zero, e));
    for (int i = 0; i < 5; i++) TEST_ASSERT_EQUAL_DOUBLE(0, e[i]);
    zero[2] = NAN;
    TEST_ASSERT_EQUAL(0, pl_gmres_solve(&gmres, multiply, precondition, &d, 0.1, 12, zero, e));
    for (int i = 0; i < 5; i++) TEST_ASSERT_EQUAL_DOUBLE(0, e[i]);
    zero[2] = 1;
    TEST_ASSERT_EQUAL(0, pl_gmres_solve(&gmres, multiply, precondition, &d, 0.1, 0, zero, e));
    for (int i = 0; i < 5; i++) TEST_ASSERT_EQUAL_DOUBLE(0, e[i]);
    pl_arena_free(&arena);
}

// A space that ends early, a map that is 0, one that breaks: what is left is finite.
static void test_breakdown(void)
{
    pl_arena arena = {0};
    pl_gmres gmres;
    dense d;
    double r[6] = {1, 2, 0, 0, 0, 0}, e[6];
    TEST_ASSERT_EQUAL(PL_OK, pl_gmres_create(6, &arena, &gmres));
    fill(&d, 6, 0);
    memset(d.A, 0, sizeof d.A);
    for (int i = 0; i < 6; i++) d.A[7 * i] = 4; // solved after one step, exactly
    TEST_ASSERT_EQUAL(1, pl_gmres_solve(&gmres, multiply, precondition, &d, 0, 12, r, e));
    for (int i = 0; i < 6; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, r[i] / 4, e[i]);
    memset(d.A, 0, sizeof d.A);
    pl_gmres_solve(&gmres, multiply, precondition, &d, 0.1, 12, r, e);
    for (int i = 0; i < 6; i++) TEST_ASSERT_EQUAL_DOUBLE(0, e[i]);
    d.A[0] = NAN;
    TEST_ASSERT_EQUAL(0, pl_gmres_solve(&gmres, multiply, precondition, &d, 0.1, 12, r, e));
    for (int i = 0; i < 6; i++) TEST_ASSERT_EQUAL_DOUBLE(0, e[i]);
    pl_arena_free(&arena);
}

static pl_status create(void *user)
{
    pl_arena arena = {0};
    pl_gmres gmres;
    (void)user;
    pl_status status = pl_gmres_create(100000, &arena, &gmres);
    pl_arena_free(&arena);
    return status;
}

static void test_allocations_that_fail(void)
{
    fail_each_allocation(create, NULL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_exact_in_n_steps);
    RUN_TEST(test_drop_is_honoured);
    RUN_TEST(test_residuals_are_the_smallest);
    RUN_TEST(test_a_perfect_preconditioner);
    RUN_TEST(test_nothing_to_do);
    RUN_TEST(test_breakdown);
    RUN_TEST(test_allocations_that_fail);
    return UNITY_END();
}
