// The bound of a step by volumes: cubics against brute force, tets against their determinants.

#include "../fem/volume_bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
    pl_threads_set(0);
}

// Between -1 and 1.
static double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9.3e18;
}

// --- Cubics ---

static long double value(const double c[4], long double t)
{
    return c[0] + t * (c[1] + t * ((long double)c[2] + t * c[3]));
}

// The first place in (0, 1] where the cubic is not above 0: on a grid, then by halving. 1 if none.
static double brute(const double c[4])
{
    enum { GRID = 20000 };
    for (int i = 1; i <= GRID; i++) {
        long double low = (long double)(i - 1) / GRID, high = (long double)i / GRID;
        if (value(c, high) > 0) continue;
        for (int k = 0; k < 60; k++) {
            long double middle = 0.5L * (low + high);
            if (value(c, middle) > 0)
                low = middle;
            else
                high = middle;
        }
        return (double)low;
    }
    return 1;
}

static void check_cubic(const double c[4])
{
    double t = pl_cubic_positive(c, 1), exact = brute(c);
    char text[200];
    snprintf(text, sizeof text, "%.17g %.17g %.17g %.17g: %g, not %g", c[0], c[1], c[2], c[3], t,
             exact);
    TEST_ASSERT_TRUE_MESSAGE(t <= exact * (1 + 1e-14), text);
    // Nearer than 0.1 %, unless the cubic comes near to 0 before.
    double least = INFINITY;
    for (int i = 0; i < 2000; i++) least = fmin(least, (double)value(c, exact * 0.98 * i / 2000));
    double all = fabs(c[0]) + fabs(c[1]) + fabs(c[2]) + fabs(c[3]);
    if (least > 1e-3 * all) {
        TEST_ASSERT_TRUE_MESSAGE(t >= 0.999 * exact, text);
    }
}

static void test_cubics(void)
{
    uint64_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        double scale = pow(10, 30 * random_number(&seed)), c[4];
        for (int k = 0; k < 4; k++) {
            c[k] = scale * random_number(&seed) *
                   (i % 5 == k ? pow(10, -12 * fabs(random_number(&seed))) : 1);
        }
        c[0] = fabs(c[0]) + 1e-3 * scale;
        check_cubic(c);
    }
    // Three roots, of which the first counts; a double one; leading coefficients that are nothing.
    check_cubic((double[4]){0.1 * 0.5 * 0.8, -(0.05 + 0.08 + 0.4), 0.1 + 0.5 + 0.8 + 0.0, -1});
    check_cubic((double[4]){0.25, -1, 1, 0});
    check_cubic((double[4]){1, -2, 1e-300, -1e-300});
    check_cubic((double[4]){1, 0, -4, 0});
    check_cubic((double[4]){1, 0, 0, -8});
    TEST_ASSERT_EQUAL_DOUBLE(1, pl_cubic_positive((double[4]){1, 2, 3, 4}, 1));
    TEST_ASSERT_EQUAL_DOUBLE(0.25, pl_cubic_positive((double[4]){1, -0.5, 0, 0}, 0.25));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_cubic_positive((double[4]){0, 1, 0, 0}, 1));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_cubic_positive((double[4]){-1, 10, 0, 0}, 1));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_cubic_positive((double[4]){NAN, 1, 1, 1}, 1));
}

// --- Tets ---

typedef struct set {
    pl_mesh *mesh;
    pl_fem fem;
    pl_bsr A;
    double *x, *d; // (3*n_vert)
} set;

static set create(const char *shape, pl_material_kind kind, double stretch_limit)
{
    set s = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make(shape, &s.mesh));
    pl_material_options material = pl_material_options_default();
    material.kind = kind;
    material.stretch_limit = stretch_limit;
    const pl_fem_source source = {s.mesh, &material};
    TEST_ASSERT_EQUAL(PL_OK, pl_fem_create(1, &source, &s.fem, &s.A));
    size_t n = 3 * (size_t)s.mesh->n_vert;
    s.x = malloc(n * sizeof *s.x);
    s.d = calloc(n, sizeof *s.d);
    memcpy(s.x, s.mesh->x, n * sizeof *s.x);
    return s;
}

static void destroy(set *s)
{
    pl_mesh_destroy(s->mesh);
    pl_fem_free(&s->fem);
    pl_bsr_free(&s->A);
    free(s->x);
    free(s->d);
}

static set barrier(const char *shape)
{
    return create(shape, PL_MATERIAL_NEO_HOOKEAN, 0.001);
}

static long double volume(const set *s, int32_t tet, double t)
{
    const int32_t *corner = s->mesh->tet + 4 * (int64_t)tet;
    long double D[3][3];
    for (int e = 0; e < 3; e++) {
        for (int k = 0; k < 3; k++) {
            int64_t a = 3 * (int64_t)corner[0] + k, b = 3 * (int64_t)corner[e + 1] + k;
            D[e][k] = ((long double)s->x[b] + (long double)t * s->d[b]) -
                      ((long double)s->x[a] + (long double)t * s->d[a]);
        }
    }
    return D[0][0] * (D[1][1] * D[2][2] - D[1][2] * D[2][1]) +
           D[0][1] * (D[1][2] * D[2][0] - D[1][0] * D[2][2]) +
           D[0][2] * (D[1][0] * D[2][1] - D[1][1] * D[2][0]);
}

// Does each tet have more than the share on the way to t?
static bool keeps(const set *s, double keep, double t)
{
    for (int i = 1; i <= 60; i++) {
        for (int32_t tet = 0; tet < s->mesh->n_tet; tet++) {
            long double now = volume(s, tet, t * i / 60), had = volume(s, tet, 0);
            if (!(now > keep * had) || !(now > 0)) return false;
        }
    }
    return true;
}

static void test_random_ways(void)
{
    uint64_t seed = 3;
    for (int i = 0; i < 40; i++) {
        set s = barrier("box:cells=2,2,2");
        double keep = i % 2 == 0 ? 0.2 : 0, size = 0.05 * (1 + i);
        for (int64_t k = 0; k < 3 * (int64_t)s.mesh->n_vert; k++) {
            s.x[k] += 0.05 * random_number(&seed);
            s.d[k] = size * random_number(&seed);
        }
        int32_t flat;
        double t = pl_fem_volume_bound(&s.fem, s.x, s.d, keep, &flat);
        TEST_ASSERT_EQUAL_INT(0, flat);
        TEST_ASSERT_TRUE(t > 0 && t <= 1);
        TEST_ASSERT_TRUE(keeps(&s, keep, t));
        if (t < 1) {
            TEST_ASSERT_FALSE(keeps(&s, keep, t * 1.002));
        }
        for (int threads = 2; threads <= 4; threads++) {
            pl_threads_set(threads);
            TEST_ASSERT_EQUAL_DOUBLE(t, pl_fem_volume_bound(&s.fem, s.x, s.d, keep, NULL));
        }
        destroy(&s);
    }
}

// Squeezed by a straight motion, turned, moved away, scaled by a large number, far from the origin.
static void test_ways_with_a_formula(void)
{
    set s = barrier("box:cells=3,3,3");
    int32_t n = s.mesh->n_vert, flat;
    for (int32_t i = 0; i < n; i++) s.d[3 * i + 2] = -2 * s.x[3 * i + 2]; // height 1 - 2 t
    TEST_ASSERT_DOUBLE_WITHIN(5e-4, 0.4, pl_fem_volume_bound(&s.fem, s.x, s.d, 0.2, &flat));
    TEST_ASSERT_DOUBLE_WITHIN(5e-4, 0.5, pl_fem_volume_bound(&s.fem, s.x, s.d, 0, &flat));
    for (int32_t i = 0; i < n; i++) { // by 120 degrees: 1 - 3 t + 3 t^2 >= 1/4
        const double *x = s.x + 3 * i, c = -0.5, h = sqrt(0.75);
        s.d[3 * i] = (c - 1) * x[0] - h * x[1];
        s.d[3 * i + 1] = h * x[0] + (c - 1) * x[1];
        s.d[3 * i + 2] = 0;
    }
    TEST_ASSERT_EQUAL_DOUBLE(1, pl_fem_volume_bound(&s.fem, s.x, s.d, 0.2, &flat));
    double t = pl_fem_volume_bound(&s.fem, s.x, s.d, 0.5, &flat); // 1 - 3 t + 3 t^2 = 0.5
    TEST_ASSERT_DOUBLE_WITHIN(5e-4, 0.5 - sqrt(1.0 / 12), t);
    for (int32_t i = 0; i < n; i++) { // by 180 degrees, through a line
        s.d[3 * i] = -2 * s.x[3 * i];
        s.d[3 * i + 1] = -2 * s.x[3 * i + 1];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.5, pl_fem_volume_bound(&s.fem, s.x, s.d, 0, &flat));
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) s.d[i] = 1e6 * (double)(i % 3 + 1);
    TEST_ASSERT_EQUAL_DOUBLE(1, pl_fem_volume_bound(&s.fem, s.x, s.d, 0.2, &flat));
    TEST_ASSERT_EQUAL_INT(0, flat);
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) { // so far away that corners are 1e-3 apart
        s.x[i] += 1e13;
        s.d[i] = 0;
    }
    t = pl_fem_volume_bound(&s.fem, s.x, s.d, 0, &flat);
    TEST_ASSERT_TRUE(t == 1 && flat <= s.mesh->n_tet);
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) s.x[i] = 1e16;
    pl_fem_volume_bound(&s.fem, s.x, s.d, 0, &flat);
    TEST_ASSERT_EQUAL_INT(s.mesh->n_tet, flat);
    destroy(&s);
}

// The end of the way as doubles: a bound of 1 means that they keep what was asked for.
static void test_rounded_ends(void)
{
    set s = barrier("box:cells=2,2,2");
    uint64_t seed = 11;
    int reached = 0;
    for (int i = 0; i < 200; i++) {
        double by = 1e8 * random_number(&seed), least = 1e-9 * (1 + i);
        for (int32_t k = 0; k < s.mesh->n_vert; k++) {
            for (int j = 0; j < 3; j++) s.x[3 * k + j] = s.mesh->x[3 * k + j] + by;
            double height = s.x[3 * k + 2] - by;
            s.d[3 * k + 2] = -(1 - least) * height; // to almost nothing
        }
        if (pl_fem_volume_bound(&s.fem, s.x, s.d, 0, NULL) < 1) continue;
        reached++;
        for (int64_t k = 0; k < 3 * (int64_t)s.mesh->n_vert; k++) s.x[k] += s.d[k];
        TEST_ASSERT_EQUAL_INT(0, pl_fem_inverted(&s.fem, s.x));
    }
    TEST_ASSERT_TRUE(reached > 0 && reached < 200);
    destroy(&s);
}

// Those that do not keep their volume are not bound.
static void test_materials(void)
{
    for (int kind = 0; kind <= PL_MATERIAL_OGDEN; kind++) {
        for (int low = 0; low < 2; low++) {
            set s = create("box:cells=1,1,1", (pl_material_kind)kind, low == 1 ? 0.001 : 0.05);
            bool logarithmic = kind == PL_MATERIAL_NEO_HOOKEAN ||
                               kind == PL_MATERIAL_MOONEY_RIVLIN || kind == PL_MATERIAL_OGDEN;
            bool keeps_volume = low == 1 && logarithmic;
            for (int32_t i = 0; i < s.mesh->n_vert; i++) s.d[3 * i] = -4 * s.x[3 * i];
            TEST_ASSERT_EQUAL(keeps_volume, pl_fem_keeps_volume(&s.fem));
            TEST_ASSERT_EQUAL(keeps_volume, pl_fem_volume_bound(&s.fem, s.x, s.d, 0.2, NULL) < 1);
            destroy(&s);
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_cubics);
    RUN_TEST(test_random_ways);
    RUN_TEST(test_ways_with_a_formula);
    RUN_TEST(test_rounded_ends);
    RUN_TEST(test_materials);
    return UNITY_END();
}
