// `pliant run --device opencl`: audited clean, where the CPU goes within the tolerance of contacts,
// the same bits for any number of compute units and threads. `pliant info` lists it; a device that
// is not there is one sentence and exit code 1.

#include "runs.h"
#include "../gpu/gpu.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

enum { STEPS = 26, GRID_STEPS = 13, NUMBERS = 1 << 20 };
static const double CONTACT_TOLERANCE = 1e-6; // of worlds [m]

// The coordinates of all vertices in the files of a frame.
static int read_places(const char *run, int step, double *x)
{
    char words[128];
    int n = 0;
    FILE *pipe;
    snprintf(words, sizeof words, "cat %s/%s/*%06d*.obj | grep '^v '", folder, run, step);
    pipe = popen(words, "r");
    TEST_ASSERT_NOT_NULL(pipe);
    while (n + 3 <= NUMBERS && fscanf(pipe, "v %lf %lf %lf ", x + n, x + n + 1, x + n + 2) == 3) {
        n += 3;
    }
    pclose(pipe);
    return n;
}

static void test_a_run_goes_where_the_cpu_goes(void)
{
    static double x[NUMBERS], y[NUMBERS];
    expect(0,
           "$P run pyramid --steps 26 --out $T/cpu --format obj --every 26 --quiet && "
           "$P run pyramid --steps 26 --out $T/cl --format obj --every 26 --audit --device opencl "
           "--quiet && echo clean",
           "clean");
    int n = read_places("cpu", STEPS, x);
    double most = 0;
    TEST_ASSERT_GREATER_THAN(1000, n);
    TEST_ASSERT_EQUAL(n, read_places("cl", STEPS, y));
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    printf("largest distance after %d steps: %.2g m\n", STEPS, most);
    // They meet after 20. Each solve leaves each contact some tolerances, in displacement of its
    // step: that goes on as a velocity, so that it adds up twice.
    TEST_ASSERT_TRUE(most <= 2 * CONTACT_TOLERANCE * STEPS * (STEPS + 1) / 2);
    TEST_ASSERT_TRUE(most > 0); // it is another solver
}

// Bodies on a grid, by working sets on the device: they visit those of the CPU, so that only
// rounding differs. Contact begins after 10 steps.
static void test_bodies_on_a_grid(void)
{
    static double x[NUMBERS], y[NUMBERS];
    expect(0,
           "for d in cpu opencl; do $P run euler-cylinders --steps 13 --every 13 --out $T/grid-$d "
           "--stats $T/grid-$d.csv --device $d --quiet || exit 1; done; "
           "for d in cpu opencl; do cut -d, -f5-8 $T/grid-$d.csv >$T/grid-$d.sets; done; "
           "cmp $T/grid-cpu.sets $T/grid-opencl.sets && echo same sets",
           "same sets");
    int n = read_places("grid-cpu", GRID_STEPS, x);
    double most = 0;
    TEST_ASSERT_GREATER_THAN(1000, n);
    TEST_ASSERT_EQUAL(n, read_places("grid-opencl", GRID_STEPS, y));
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    printf("largest distance on the grid: %.2g m\n", most);
    TEST_ASSERT_TRUE(most <= 1e-10 && most > 0);
}

static void test_compute_units_and_threads_do_not_matter(void)
{
    expect(0,
           "for n in 1 2; do POCL_MAX_PTHREAD_COUNT=$n $P run pyramid --steps 24 --threads $n "
           "--device opencl --stats $T/$n.csv --quiet; cut -d, -f20 $T/$n.csv >$T/$n.hash; done; "
           "cmp $T/1.hash $T/2.hash && grep -c . $T/1.hash",
           "25");
}

static void test_what_is_not_there_is_one_sentence(void)
{
    expect(1, "$P run rings --steps 1 --device opencl:7 --quiet", "device opencl:7: ");
    expect(1, "$P run rings --steps 1 --device opncl --quiet", "did you mean \"opencl\"?");
    expect(1, "$P run euler-cylinders --steps 1 --device opencl:7 --quiet", "device opencl:7: ");
    expect(1, "OCL_ICD_VENDORS=/nonexistent $P run rings --steps 1 --device opencl --quiet",
           "device opencl: no OpenCL");
    expect(1, "$P solve nothing.plp --device opncl", "--device: unknown device");
    expect(0, "$P info", "opencl:0");
}

int main(void)
{
    pl_gpu_info info;
    UNITY_BEGIN();
    if (!pl_gpu_has(PL_GPU_OPENCL) || pl_gpu_list(PL_GPU_OPENCL, 1, &info) == 0) {
        printf("skipped: no OpenCL\n");
        return UNITY_END();
    }
    if (mkdtemp(folder) == NULL) return 1;
    RUN_TEST(test_a_run_goes_where_the_cpu_goes);
    RUN_TEST(test_bodies_on_a_grid);
    RUN_TEST(test_compute_units_and_threads_do_not_matter);
    RUN_TEST(test_what_is_not_there_is_one_sentence);
    shell("rm -rf $T");
    return UNITY_END();
}
