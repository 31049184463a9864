// A problem on a device: its products are those of the CPU, to the bit, on every device, in both
// layouts, for any size of groups; colours keep constraints apart; sweeps solve.

#include "contacts.h"
#include "devices.h"
#include "../gpu/system.h"
#include "../solvers/bsr_single.h"

#include <stdio.h>

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

// A random problem, ready for a solver.
static void start_problem(small *s, int32_t n, int32_t n_constraint)
{
    start_random(s, n, n_constraint, 0.5);
    if (n > 4) s->prescribed[4] = 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_workspace_prepare(&s->problem, &s->ws, s->v));
}

typedef struct outcome {
    double *Ax, *zAx, *single, *u, *some, *push, *response, *jacobi;
} outcome;

static outcome new_outcome(int64_t n, int64_t m, int64_t n_use)
{
    return (outcome){.Ax = random_vector((int)n),
                     .zAx = random_vector((int)n),
                     .single = random_vector((int)n),
                     .u = random_vector((int)m),
                     .some = random_vector((int)m),
                     .push = random_vector((int)(3 * n_use)),
                     .response = random_vector((int)(3 * m)),
                     .jacobi = random_vector((int)n)};
}

static void free_outcome(outcome *o)
{
    free(o->Ax), free(o->zAx), free(o->single), free(o->u), free(o->some);
    free(o->push), free(o->response), free(o->jacobi);
}

static void run_all(pl_gpu *gpu, small *s, bool sliced, const double *x, const float *by,
                    const double *z, const double *f, const uint8_t *mask, outcome *out)
{
    int64_t n = 3 * (int64_t)s->A.n, m = 3 * (int64_t)s->problem.n_constraint;
    pl_gpu_system system = {.gpu = gpu};
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_system_set(&system, &s->problem, &s->ws, true, sliced));
    pl_gpu_buffer bx = to_device(gpu, n, 8, x), bz = to_device(gpu, n, 8, z);
    pl_gpu_buffer bf = to_device(gpu, m, 8, f), bby = to_device(gpu, n, 4, by);
    pl_gpu_buffer y[4], u = new_on_device(gpu, m, 8), some = new_on_device(gpu, m, 8);
    pl_gpu_buffer rows = to_device(gpu, m / 3, 1, mask);
    int64_t n_block = s->A.n;
    for (int i = 0; i < 4; i++) y[i] = new_on_device(gpu, n, 8);
    pl_gpu_multiply(&system, &bx, NULL, &y[0]);
    pl_gpu_multiply(&system, &bx, &bz, &y[1]);
    pl_gpu_multiply_single(&system, &bby, &bz, &y[2]);
    pl_gpu_rows(&system, true, &system.on.mask, &bx, &u);
    pl_gpu_rows(&system, false, &rows, &bx, &some);
    pl_gpu_push(&system, &bf);
    pl_gpu_launch(gpu, "jacobi_apply", n_block,
                  PL_ARGS(PL_ARG(n_block), PL_ARG(&system.on.inv), PL_ARG(&bx), PL_ARG(&y[3])));
    from_device(gpu, &y[0], 8 * n, out->Ax);
    from_device(gpu, &y[1], 8 * n, out->zAx);
    from_device(gpu, &y[2], 8 * n, out->single);
    from_device(gpu, &y[3], 8 * n, out->jacobi);
    from_device(gpu, &u, 8 * m, out->u);
    from_device(gpu, &some, 8 * m, out->some);
    from_device(gpu, &system.on.push, 24 * (int64_t)s->ws.uses.n, out->push);
    from_device(gpu, &system.on.response, 24 * m, out->response);
    pl_gpu_drop(gpu, &bx), pl_gpu_drop(gpu, &bz), pl_gpu_drop(gpu, &bf), pl_gpu_drop(gpu, &bby);
    pl_gpu_drop(gpu, &rows);
    pl_gpu_system_free(&system);
}

static void try_shape(int32_t n, int32_t n_constraint)
{
    small s;
    start_problem(&s, n, n_constraint);
    int m = 3 * n_constraint, n_use = s.ws.uses.n;
    double *x = random_vector(3 * n), *z = random_vector(3 * n), *f = random_vector(m);
    double *world = random_vector(m);
    float *by = malloc((size_t)(3 * n + 1) * sizeof *by); // the CPU reads one more
    for (int i = 0; i < 3 * n; i++) by[i] = (float)x[i];
    by[3 * n] = 0;
    outcome want = new_outcome(3 * n, m, n_use), got = new_outcome(3 * n, m, n_use);
    float *single = pl_single_take(&s.A, &s.ws.arena);
    pl_bsr_multiply(&s.A, x, want.Ax);
    for (int i = 0; i < 3 * n; i++) want.zAx[i] = z[i] + want.Ax[i];
    pl_single_multiply_rows(&s.A, single, 0, n, by, z, want.single);
    pl_rows_multiply(&s.problem, NULL, true, x, want.u);
    uint8_t *mask = malloc((size_t)n_constraint + 1); // all kinds of rows
    for (int k = 0; k < n_constraint; k++) mask[k] = (uint8_t)((5 * k + 3) % 8);
    pl_rows_multiply(&s.problem, mask, false, x, want.some);
    pl_block_jacobi_apply(&s.ws.D, x, want.jacobi);
    pl_rows_transpose(&s.problem, &s.ws.uses, f, world, want.push);
    for (int k = 0; k < n_constraint; k++) {
        pl_contact_block(&s.problem, &s.ws.D, k, want.response + 9 * k);
    }
    for (int d = 0; d < n_devices; d++) {
        for (int g = 0; g < N_GROUPS; g++) {
            for (int sliced = 0; sliced < 2; sliced++) {
                int32_t size = device_groups[g];
                run_all(use_device(d, size), &s, sliced, x, by, z, f, mask, &got);
                expect_same_bits(devices + d, size, want.Ax, got.Ax, 24 * n);
                expect_same_bits(devices + d, size, want.zAx, got.zAx, 24 * n);
                expect_same_bits(devices + d, size, want.single, got.single, 24 * n);
                expect_same_bits(devices + d, size, want.u, got.u, 8 * m);
                expect_same_bits(devices + d, size, want.some, got.some, 8 * m);
                expect_same_bits(devices + d, size, want.jacobi, got.jacobi, 24 * n);
                expect_same_bits(devices + d, size, want.push, got.push, 24 * n_use);
                expect_same_bits(devices + d, size, want.response, got.response, 24 * m);
            }
        }
    }
    free(x), free(z), free(f), free(world), free(by), free(mask);
    free_outcome(&want), free_outcome(&got);
    end_small(&s);
}

static void test_products_have_the_bits_of_the_cpu(void)
{
    try_shape(1, 0);
    try_shape(1, 1);
    try_shape(31, 20);
    try_shape(32, 63);
    try_shape(33, 64);
    try_shape(65, 129);
    try_shape(150, 257);
}

static void test_colours_keep_constraints_apart(void)
{
    small s;
    start_problem(&s, 40, 300);
    pl_gpu_system system = {.gpu = use_device(0, 64)};
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_system_set(&system, &s.problem, &s.ws, false, false));
    const pl_gpu_colours *c = &system.colours;
    int seen = 0;
    for (int32_t at = 0; at < c->n; at++) {
        int last[40];
        for (int i = 0; i < 40; i++) last[i] = -1;
        for (int32_t i = c->start[at]; i < c->start[at + 1]; i++, seen++) {
            const pl_constraint *k = s.problem.constraint + c->order[i];
            for (int32_t t = k->first; t < k->first + k->count; t++) {
                int32_t block = s.problem.entry[t].block;
                if (s.prescribed[block]) continue;
                TEST_ASSERT_EQUAL_MESSAGE(-1, last[block], "two of a colour share a block");
                last[block] = c->order[i];
            }
        }
    }
    for (int k = 0; k < 300; k++) seen -= s.ws.scale[2 * k] > 0;
    TEST_ASSERT_EQUAL(0, seen); // all but those whose blocks are prescribed
    pl_gpu_system_free(&system);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_products_have_the_bits_of_the_cpu);
    RUN_TEST(test_colours_keep_constraints_apart);
    close_devices();
    return UNITY_END();
}
