// Friction in a pyramid: the polygon against its corners, a contact by itself against the law, and
// pyramids of many sides against the cone.

#include "../solvers/coulomb.h"
#include "../solvers/pyramid.h"
#include "matrices.h"

#include <unity.h>

void setUp(void)
{
}
void tearDown(void)
{
}

// The nearest point on the border by looking at every side.
static double border_distance(const pl_polygon *polygon, double size, const double *x, double *p)
{
    double least = INFINITY;
    for (int32_t k = 0; k < polygon->n; k++) {
        double a[2], b[2];
        pl_polygon_corner(polygon, k, a);
        pl_polygon_corner(polygon, k + 1, b);
        double d[2] = {size * (b[0] - a[0]), size * (b[1] - a[1])};
        double y[2] = {x[0] - size * a[0], x[1] - size * a[1]};
        double t = (d[0] * y[0] + d[1] * y[1]) / (d[0] * d[0] + d[1] * d[1]);
        t = fmin(fmax(t, 0), 1);
        double q[2] = {size * a[0] + t * d[0], size * a[1] + t * d[1]};
        double away = hypot(x[0] - q[0], x[1] - q[1]);
        if (away < least) least = away, p[0] = q[0], p[1] = q[1];
    }
    return least;
}

static bool is_inside(const pl_polygon *polygon, double size, const double *x)
{
    for (int32_t k = 0; k < polygon->n; k++) {
        double a[2], b[2];
        pl_polygon_corner(polygon, k, a);
        pl_polygon_corner(polygon, k + 1, b);
        double cross = (b[0] - a[0]) * (x[1] - size * a[1]) - (b[1] - a[1]) * (x[0] - size * a[0]);
        if (cross < 0) return false;
    }
    return true;
}

static void test_the_nearest_point(void)
{
    for (int trial = 0; trial < 5000; trial++) {
        pl_polygon polygon = pl_polygon_make(4 + 2 * (trial % 6), trial % 2 == 1);
        double x[2] = {2 * random_number(), 2 * random_number()}, p[2], q[2];
        pl_polygon_place place = pl_polygon_project(&polygon, 0.7, x, p);
        bool inside = is_inside(&polygon, 0.7, x);
        TEST_ASSERT_EQUAL(inside, place.kind == PL_POLYGON_INSIDE);
        if (inside) {
            TEST_ASSERT_EQUAL_DOUBLE(x[0], p[0]);
            continue;
        }
        border_distance(&polygon, 0.7, x, q);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, q[0], p[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, q[1], p[1]);
    }
}

// Four corners inside of the circle are the diamond, four sides outside the square.
static void test_diamond_and_square(void)
{
    pl_polygon diamond = pl_polygon_make(4, false), square = pl_polygon_make(4, true);
    double g[2];
    pl_polygon_corner(&diamond, 0, g);
    TEST_ASSERT_EQUAL_DOUBLE(1, g[0]);
    TEST_ASSERT_EQUAL_DOUBLE(0, g[1]);
    pl_polygon_corner(&square, 0, g);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, g[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, g[1]);
    const double in[2] = {0.49, 0.5}, out[2] = {0.51, 0.5};
    TEST_ASSERT_TRUE(is_inside(&diamond, 1, in));
    TEST_ASSERT_FALSE(is_inside(&diamond, 1, out));
}

static void random_answer(double *S)
{
    double B[9];
    for (int i = 0; i < 9; i++) B[i] = random_number();
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            S[3 * a + b] = a == b ? 0.2 : 0;
            for (int k = 0; k < 3; k++) S[3 * a + b] += B[3 * a + k] * B[3 * b + k];
        }
    }
}

// w_n f_n = 0, and no corner works harder against w_t than f_t does.
static void test_one_contact_obeys(void)
{
    int slips = 0, sticks = 0;
    for (int trial = 0; trial < 5000; trial++) {
        pl_pyramid law = {.mu = 0.2 * (trial % 5),
                          .polygon = pl_polygon_make(4 + 2 * (trial % 6), trial % 3 == 0)};
        double q[3], f[3], w[3];
        random_answer(law.S);
        for (int a = 0; a < 3; a++) q[a] = random_number();
        pl_pyramid_solve(&law, q, f);
        for (int a = 0; a < 3; a++) {
            const double *row = law.S + 3 * a;
            w[a] = q[a] + row[0] * f[0] + row[1] * f[1] + row[2] * f[2];
        }
        TEST_ASSERT_TRUE(f[0] >= 0);
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0, fmin(w[0], f[0]));
        TEST_ASSERT_TRUE(w[0] > -1e-11);
        double work = w[1] * f[1] + w[2] * f[2];
        for (int32_t k = 0; k < law.polygon.n; k++) {
            double g[2];
            pl_polygon_corner(&law.polygon, k, g);
            TEST_ASSERT_TRUE(work <= law.mu * f[0] * (w[1] * g[0] + w[2] * g[1]) + 1e-11);
        }
        double size = law.mu * f[0] * (1 + 1e-9);
        TEST_ASSERT_TRUE(f[0] == 0 || size == 0 || is_inside(&law.polygon, size, f + 1));
        slips += f[0] > 0 && hypot(w[1], w[2]) > 1e-9;
        sticks += f[0] > 0 && hypot(w[1], w[2]) < 1e-12;
    }
    TEST_ASSERT_TRUE(slips > 1000);
    TEST_ASSERT_TRUE(sticks > 100);
}

// 64 sides leave out 1 - cos(pi / 64) = 1.2e-3 of the circle.
static void test_many_sides_are_a_cone(void)
{
    for (int trial = 0; trial < 1000; trial++) {
        pl_pyramid law = {.mu = 0.5, .polygon = pl_polygon_make(64, false)};
        pl_coulomb cone;
        double q[3], f[3], g[3];
        random_answer(law.S);
        for (int a = 0; a < 3; a++) q[a] = random_number();
        pl_coulomb_prepare(law.S, law.mu, &cone);
        pl_coulomb_solve(&cone, q, g);
        pl_pyramid_solve(&law, q, f);
        double size = fabs(g[0]) + fabs(g[1]) + fabs(g[2]);
        for (int a = 0; a < 3; a++) TEST_ASSERT_DOUBLE_WITHIN(0.2 * size, g[a], f[a]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_nearest_point);
    RUN_TEST(test_diamond_and_square);
    RUN_TEST(test_one_contact_obeys);
    RUN_TEST(test_many_sides_are_a_cone);
    return UNITY_END();
}
