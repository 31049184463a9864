// A device in place of the CPU for the passes over elements: the same bits, and what happens when
// it fails.

#include "../fem/device.h"
#include "../gpu/device.h"
#include "failing_alloc.h"
#include "logs.h"

#include <stdlib.h>
#include <string.h>

static pl_mesh *mesh[2];
static pl_fem fem;
static pl_bsr A;
static pl_device *device;
static double *x;

static void create(void)
{
    pl_material_options material[2] = {pl_material_options_default(),
                                       pl_material_options_default()};
    material[1].kind = PL_MATERIAL_NEO_HOOKEAN;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make("cube:cells=9", &mesh[0]));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make("ring", &mesh[1]));
    const pl_fem_source source[2] = {{mesh[0], &material[0]}, {mesh[1], &material[1]}};
    TEST_ASSERT_EQUAL(PL_OK, pl_fem_create(2, source, &fem, &A));
    // Rigid bodies have rows behind those of the elements.
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_extend(&A, 6));
    x = malloc(24 * (size_t)fem.n_vert);
    for (int64_t i = 0, at = 0; i < 2; i++) {
        for (int64_t k = 0; k < 3 * mesh[i]->n_vert; k++, at++) {
            x[at] = 1.02 * mesh[i]->x[k] + 0.003 * (double)(at % 7);
        }
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(PL_GPU_ORACLE, 0, &device));
}

void setUp(void)
{
    create();
}

void tearDown(void)
{
    fail_never();
    pl_fem_free(&fem);
    pl_bsr_free(&A);
    pl_gpu_device_close(device);
    for (int i = 0; i < 2; i++) pl_mesh_destroy(mesh[i]);
    free(x);
}

// What the passes give, with and without base: A's values with the rows behind, f, energies.
typedef struct outcome {
    double *val, *f, energy[3];
    int32_t inverted;
} outcome;

static outcome run(void)
{
    const pl_fem_weights weights = {1, 0.1, 1e-2, 0.3, 1};
    size_t nnz = 9 * (size_t)A.nnz, n = 3 * (size_t)fem.n_vert;
    outcome o = {.val = malloc(2 * nnz * 8), .f = malloc(3 * n * 8)};
    double *base = malloc(nnz * 8);
    for (size_t i = 0; i < nnz; i++) A.val[i] = base[i] = (double)(i % 11);
    o.energy[0] = pl_fem_assemble(&fem, x, &weights, NULL, &A, o.f);
    memcpy(o.val, A.val, nnz * 8);
    o.energy[1] = pl_fem_assemble(&fem, x, &weights, base, &A, o.f + n);
    memcpy(o.val + nnz, A.val, nnz * 8);
    o.energy[2] = pl_fem_forces(&fem, x, o.f + 2 * n) + pl_fem_forces(&fem, x, NULL);
    o.inverted = pl_fem_inverted(&fem, x);
    free(base);
    return o;
}

static void expect_same(outcome a, outcome b)
{
    TEST_ASSERT_EQUAL_MEMORY(a.val, b.val, 144 * (size_t)A.nnz);
    TEST_ASSERT_EQUAL_MEMORY(a.f, b.f, 72 * (size_t)fem.n_vert);
    TEST_ASSERT_EQUAL_MEMORY(a.energy, b.energy, sizeof a.energy);
    TEST_ASSERT_EQUAL_INT32(a.inverted, b.inverted);
    free(a.val), free(a.f), free(b.val), free(b.f);
}

static void test_the_same_bits(void)
{
    outcome cpu = run();
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fem_use(&fem, device, &A), pl_error_text());
    TEST_ASSERT_TRUE(pl_fem_has_device(&fem));
    int64_t before = pl_gpu_look(pl_gpu_of(device))->launches;
    expect_same(cpu, run());
    TEST_ASSERT_TRUE(pl_gpu_look(pl_gpu_of(device))->launches >= before + 15);
    TEST_ASSERT_TRUE(pl_fem_has_device(&fem));
}

// Memory that fails in the middle of a run: the CPU does it, with one warning.
static void test_a_device_that_fails(void)
{
    outcome cpu = run();
    TEST_ASSERT_EQUAL(PL_OK, pl_fem_use(&fem, device, &A));
    keep_log();
    fail_nth(0); // the buffer for base
    outcome got = run();
    fail_never();
    pl_set_log(NULL, NULL);
    TEST_ASSERT_FALSE(pl_fem_has_device(&fem));
    expect_warning("without the device", "");
    expect_same(cpu, got);
}

// No memory from the start: the CPU, with a warning, and nothing is left.
static void test_no_memory(void)
{
    for (int64_t n = 0;; n++) {
        fail_nth(n);
        pl_status status = pl_fem_use(&fem, device, &A);
        fail_never();
        TEST_ASSERT_EQUAL(PL_OK, status);
        if (fem.device != NULL) break;
        TEST_ASSERT_EQUAL_INT64(0, pl_gpu_look(pl_gpu_of(device))->held);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_same_bits);
    RUN_TEST(test_a_device_that_fails);
    RUN_TEST(test_no_memory);
    return UNITY_END();
}
