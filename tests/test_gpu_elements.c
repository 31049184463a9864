// Elements on devices: A, forces and energies have the bits of fem/, whatever the device and the
// size of its groups.

#include "../fem/fem.h"
#include "../gpu/elements.h"
#include "devices.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static uint64_t state = 1;

static double noise(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 9.3e18;
}

// --- Bodies, and what fem/ makes of them ---

enum { MOST_BODIES = 4 };

typedef struct system_of_bodies {
    int n;
    pl_mesh *mesh[MOST_BODIES];
    pl_material_options material[MOST_BODIES];
    pl_fem fem;
    pl_bsr A;
    double *x, *base;
    pl_fem_weights weights;
    // Of the CPU, and of a device.
    double *val[2], *f[2], *f_alone[2], energy[2][2];
    int32_t flat[2];
} bodies;

static pl_mesh *single_tet(void)
{
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t face[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}, tet[4] = {0, 1, 2, 3};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 4, face, 1, tet, &mesh));
    return mesh;
}

static void add(bodies *s, const char *shape, int kind)
{
    if (shape == NULL) {
        s->mesh[s->n] = single_tet();
    } else {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_make(shape, &s->mesh[s->n]), pl_error_text());
    }
    s->material[s->n] = pl_material_options_default();
    s->material[s->n].kind = (pl_material_kind)kind;
    s->material[s->n].mass_damping = 0.1 * s->n;
    s->material[s->n].stiffness_damping = 0.01 * (s->n + 1);
    s->n++;
}

static double *numbers(int64_t n)
{
    double *x = malloc((size_t)n * sizeof *x + 8);
    for (int64_t i = 0; i < n; i++) x[i] = noise();
    return x;
}

// Moves vertices by up to `size` and lets fem/ work.
static void create(bodies *s, double size)
{
    pl_fem_source source[MOST_BODIES];
    for (int b = 0; b < s->n; b++) source[b] = (pl_fem_source){s->mesh[b], &s->material[b]};
    pl_status status = pl_fem_create(s->n, source, &s->fem, &s->A);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    int64_t n = 3 * (int64_t)s->fem.n_vert, nnz = 9 * s->A.nnz;
    s->x = numbers(n);
    s->base = numbers(nnz);
    for (int k = 0; k < 2; k++) s->val[k] = numbers(nnz), s->f[k] = numbers(n);
    for (int k = 0; k < 2; k++) s->f_alone[k] = numbers(n);
    for (int b = 0, at = 0; b < s->n; b++) {
        for (int64_t i = 0; i < 3 * s->mesh[b]->n_vert; i++, at++) {
            s->x[at] = s->mesh[b]->x[i] + size * s->x[at];
        }
    }
    s->weights = (pl_fem_weights){1.25, 0.125, 3e-3, 0.4, 1};
}

static void destroy(bodies *s)
{
    for (int b = 0; b < s->n; b++) pl_mesh_destroy(s->mesh[b]);
    pl_fem_free(&s->fem);
    pl_bsr_free(&s->A);
    free(s->x), free(s->base);
    for (int k = 0; k < 2; k++) free(s->val[k]), free(s->f[k]), free(s->f_alone[k]);
}

static void run_cpu(bodies *s, bool with_base)
{
    s->energy[0][0] =
        pl_fem_assemble(&s->fem, s->x, &s->weights, with_base ? s->base : NULL, &s->A, s->f[0]);
    memcpy(s->val[0], s->A.val, (size_t)s->A.nnz * 72);
    s->energy[0][1] = pl_fem_forces(&s->fem, s->x, s->f_alone[0]);
    s->flat[0] = pl_fem_inverted(&s->fem, s->x);
}

static void run_device(pl_gpu *gpu, bodies *s, bool with_base)
{
    int64_t n = 3 * (int64_t)s->fem.n_vert, nnz = 9 * s->A.nnz;
    pl_gpu_elements e;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_gpu_elements_create(gpu, &s->fem, &s->A, &e),
                              pl_error_text());
    pl_gpu_buffer x = to_device(gpu, n, 8, s->x), base = to_device(gpu, nnz, 8, s->base);
    pl_gpu_buffer val = to_device(gpu, nnz, 8, s->val[1]), f = to_device(gpu, n, 8, s->f[1]);
    pl_gpu_buffer alone = to_device(gpu, n, 8, s->f_alone[1]);
    // Twice, as the next step does.
    for (int k = 0; k < 2; k++) {
        pl_gpu_elements_assemble(gpu, &e, &s->fem, &s->weights, &x, with_base ? &base : NULL, &val,
                                 &f);
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_elements_energy(gpu, &e, &s->energy[1][0]));
    pl_gpu_elements_forces(gpu, &e, &x, &alone);
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_elements_energy(gpu, &e, &s->energy[1][1]));
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_elements_inverted(gpu, &e, &x, &s->flat[1]));
    from_device(gpu, &val, nnz * 8, s->val[1]);
    from_device(gpu, &f, n * 8, s->f[1]);
    from_device(gpu, &alone, n * 8, s->f_alone[1]);
    pl_gpu_drop(gpu, &x), pl_gpu_drop(gpu, &base);
    pl_gpu_elements_free(gpu, &e);
}

static void hold(bodies *s, int n_groups)
{
    int64_t n = 3 * (int64_t)s->fem.n_vert, nnz = 9 * s->A.nnz;
    for (int with_base = 0; with_base < 2; with_base++) {
        run_cpu(s, with_base);
        for (int d = 0; d < n_devices; d++) {
            for (int g = 0; g < n_groups; g++) {
                int32_t size = n_groups > 1 ? device_groups[g] : 64;
                run_device(use_device(d, size), s, with_base);
                expect_same_bits(devices + d, size, s->val[0], s->val[1], nnz * 8);
                expect_same_bits(devices + d, size, s->f[0], s->f[1], n * 8);
                expect_same_bits(devices + d, size, s->f_alone[0], s->f_alone[1], n * 8);
                expect_same_bits(devices + d, size, s->energy[0], s->energy[1], 16);
                TEST_ASSERT_EQUAL_INT32(s->flat[0], s->flat[1]);
            }
        }
    }
}

// --- Tests ---

static void test_no_bodies(void)
{
    bodies s = {0};
    create(&s, 0);
    hold(&s, 1);
    destroy(&s);
}

static void test_one_element(void)
{
    for (int kind = 0; kind <= PL_MATERIAL_OGDEN; kind++) {
        bodies s = {0};
        add(&s, NULL, kind);
        create(&s, 0.3);
        hold(&s, kind == 0 ? N_GROUPS : 1);
        destroy(&s);
    }
}

// Counts of tets around those of batches and groups; gentle, rough, and with inverted tets.
static void test_boxes(void)
{
    static const char *const shapes[] = {"box:cells=1,1,1", "box:cells=1,1,2", "box:cells=1,3,3",
                                         "box:cells=2,3,4"};
    for (int i = 0; i < 4; i++) {
        for (int rough = 0; rough < 3; rough++) {
            bodies s = {0};
            add(&s, shapes[i], (i + rough) % (PL_MATERIAL_OGDEN + 1));
            create(&s, (double[]){0, 0.05, 0.6}[rough]);
            hold(&s, 1);
            destroy(&s);
        }
    }
}

// Several bodies and materials, with seams between patches, and elements inside out.
static void test_seams(void)
{
    bodies s = {0};
    add(&s, "cube:cells=9", PL_MATERIAL_COROTATIONAL);
    add(&s, "ring", PL_MATERIAL_NEO_HOOKEAN);
    add(&s, "cube:cells=9", PL_MATERIAL_STVK);
    add(&s, "cube:cells=3", PL_MATERIAL_FIXED_COROTATED);
    create(&s, 0.05);
    TEST_ASSERT_TRUE(s.fem.seam_edges.n > 0 && s.fem.seam_verts.n > 0);
    hold(&s, N_GROUPS);
    TEST_ASSERT_TRUE(s.flat[0] > 0);
    destroy(&s);
}

// Still bodies are remembered by the CPU, and looked at again by devices.
static void test_still_bodies(void)
{
    bodies s = {0};
    add(&s, "cube:cells=3", PL_MATERIAL_NEO_HOOKEAN);
    add(&s, "ring", PL_MATERIAL_COROTATIONAL);
    create(&s, 0.02);
    pl_fem_set_still(&s.fem, 0, true);
    run_cpu(&s, true);
    run_cpu(&s, true);
    run_device(use_device(n_devices - 1, 64), &s, true);
    expect_same_bits(devices, 64, s.val[0], s.val[1], 72 * s.A.nnz);
    destroy(&s);
}

// No memory at any place: told, and nothing stays.
static bodies *wanted;

static pl_status create_and_free(void *gpu)
{
    pl_gpu_elements e;
    PL_TRY(pl_gpu_elements_create(gpu, &wanted->fem, &wanted->A, &e));
    pl_gpu_elements_free(gpu, &e);
    return PL_OK;
}

static void test_no_memory(void)
{
    bodies s = {0};
    add(&s, "cube:cells=2", PL_MATERIAL_COROTATIONAL);
    create(&s, 0);
    wanted = &s;
    fail_each_allocation(create_and_free, use_device(0, 64));
    destroy(&s);
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_no_bodies);
    RUN_TEST(test_one_element);
    RUN_TEST(test_boxes);
    RUN_TEST(test_seams);
    RUN_TEST(test_still_bodies);
    RUN_TEST(test_no_memory);
    close_devices();
    return UNITY_END();
}
