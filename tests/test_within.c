// Distances against radii: exactly, and on the way.

#include "../base/base.h"
#include "../collision/apart.h"
#include "../collision/ccd.h"
#include "../meshes/within.h"

#include <math.h>
#include <unity.h>

void setUp(void)
{
}
void tearDown(void)
{
}

static uint64_t state = 7;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

// --- Exactly ---

// 3-4-5, 1-2-2 and so on: distances that doubles hold, and their neighbours.
static void test_the_last_bit_counts(void)
{
    const double point[1][3] = {{0, 0, 0}}, other[1][3] = {{3, 4, 0}};
    TEST_ASSERT_TRUE(pl_within(1, point, 1, other, 2, 3));
    TEST_ASSERT_FALSE(pl_within(1, point, 1, other, 2, nextafter(3, 0)));
    const double edge[2][3] = {{3, 4, -1e3}, {3, 4, 1e-3}};
    TEST_ASSERT_TRUE(pl_within(1, point, 2, edge, 5, 0));
    TEST_ASSERT_FALSE(pl_within(2, edge, 1, point, nextafter(5, 0), 0));
    // The plane x + 2 y + 2 z = 9 has the distance 3 from the origin, at (1, 2, 2).
    const double face[3][3] = {{9, 0, 0}, {-1, 5, 0}, {-1, 0, 5}};
    TEST_ASSERT_TRUE(pl_within(1, point, 3, face, 1, 2));
    TEST_ASSERT_FALSE(pl_within(1, point, 3, face, 1, nextafter(2, 0)));
    // Crossing edges one unit in the last place apart.
    const double a[2][3] = {{-1, 0, 1}, {1, 0, 1}},
                 b[2][3] = {{0, -1, 1 + 0x1p-52}, {0, 1, 1 + 0x1p-52}};
    TEST_ASSERT_TRUE(pl_within(2, a, 2, b, 0, 0x1p-52));
    TEST_ASSERT_FALSE(pl_within(2, a, 2, b, 0, nextafter(0x1p-52, 0)));
}

// What crosses is within any radius, however far its corners are; touching counts.
static void test_what_crosses(void)
{
    const double face[3][3] = {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
    const double edge[2][3] = {{0, 0, -5}, {0, 0, 5}},
                 other[3][3] = {{0, 0, -5}, {1, 0, 5}, {0, 1, 5}};
    TEST_ASSERT_TRUE(pl_within(3, face, 2, edge, 0, 0));
    TEST_ASSERT_TRUE(pl_within(3, other, 3, face, 0, 1e-300));
    const double above[1][3] = {{0, 0, 5e-324}};
    TEST_ASSERT_FALSE(pl_within(1, above, 3, face, 0, 0));
    TEST_ASSERT_TRUE(pl_within(1, above, 3, face, 0, 5e-324));
}

// Against the distance in doubles, where that is clear; degenerate simplices too.
static void test_random_simplices(void)
{
    for (int trial = 0; trial < 3000; trial++) {
        static const int corners[4][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 2}};
        double x[12], a[2][3], b[3][3];
        int kind = trial % 4, n = corners[kind][0], m = corners[kind][1];
        for (int i = 0; i < 12; i++) x[i] = uniform();
        if (trial % 5 == 0 && kind > 0) { // an edge of no length
            for (int k = 0; k < 3; k++) x[3 * n + k] = x[3 * (n + 1) + k];
        }
        pl_closest closest;
        pl_closest_points((pl_pair_kind)kind, x, &closest);
        for (int i = 0; i < 3 * n; i++) a[i / 3][i % 3] = x[i];
        for (int i = 0; i < 3 * m; i++) b[i / 3][i % 3] = x[3 * n + i];
        TEST_ASSERT_TRUE(pl_within(n, a, m, b, closest.distance, 1e-14));
        if (closest.distance < 1e-12) continue;
        TEST_ASSERT_FALSE(pl_within(n, a, m, b, 0, closest.distance * (1 - 1e-12)));
        TEST_ASSERT_TRUE(pl_within(m, b, n, a, closest.distance, 1e-14));
    }
}

// --- On the way ---

// A motion of a pair in which features slide, turn and come near, some edges without length.
static void random_motion(int kind, double *x0, double *x1)
{
    double scale = pow(10, -2 * uniform());
    for (int i = 0; i < 12; i++) {
        x0[i] = uniform() - 0.5;
        x1[i] = x0[i] + scale * (uniform() - 0.5);
    }
    if (uniform() < 0.2 && kind > 0) {
        int at = kind == PL_EDGE_EDGE ? 2 : 1;
        for (int k = 0; k < 3; k++) {
            x0[3 * at + k] = x0[3 * (at + 1) + k];
            x1[3 * at + k] = x1[3 * (at + 1) + k];
        }
    }
}

// The least distance on the way, by dense sampling: an upper bound of the true one.
static double sample(pl_pair_kind kind, const double *x0, const double *x1, double until)
{
    double least = INFINITY, x[12];
    for (int i = 0; i <= 400; i++) {
        pl_closest closest;
        pl_pair_at(kind, x0, x1, until * i / 400, x);
        pl_closest_points(kind, x, &closest);
        least = fmin(least, closest.distance);
    }
    return least;
}

static void test_nothing_is_missed(void)
{
    int hits = 0, misses = 0;
    for (int trial = 0; trial < 6000; trial++) {
        pl_pair_kind kind = (pl_pair_kind)(trial % 4);
        double x0[12], x1[12];
        random_motion(kind, x0, x1);
        double least = sample(kind, x0, x1, 1);
        double separation = least * (0.9 + 0.2 * uniform()), radii = 0.99 * separation;
        pl_impact impact;
        bool hit = pl_ccd_round(kind, x0, x1, radii, separation, &impact);
        double until = pl_apart_until(kind, x0, x1, separation);
        TEST_ASSERT_TRUE(hit || least > separation);
        TEST_ASSERT_TRUE(sample(kind, x0, x1, until) >= separation || until == 0);
        double early = hit ? impact.time : 0;
        TEST_ASSERT_TRUE(early == 0 || sample(kind, x0, x1, early) >= separation * (1 - 1e-12));
        TEST_ASSERT_TRUE(until < 1 || least > separation);
        hits += least <= separation;
        misses += until >= 1;
    }
    TEST_ASSERT_TRUE(hits > 1000);
    TEST_ASSERT_TRUE(misses > 1000);
}

// Two that turn about each other at a thousandth of the radii beyond them do not hit.
static void test_rolling_is_no_hit(void)
{
    for (int trial = 0; trial < 500; trial++) {
        double angle = 0.2 * uniform(), d = 0.1 * (1 + 1e-3), c = cos(angle), s = sin(angle);
        // A point a quarter of the way along an edge along x, which turns about y and keeps its
        // distance: chords take angle^2 / 8 of it, the continuous test alone gives up.
        double x0[9] = {0, 0, d, -0.1, 0, 0, 0.3, 0, 0};
        double x1[9] = {d * s, 0, d * c, -0.1 * c, 0, 0.1 * s, 0.3 * c, 0, -0.3 * s};
        double chord = angle * angle / 8 * d;
        double until = pl_apart_until(PL_VERTEX_EDGE, x0, x1, 0.1 * (1 + 2e-4) - chord);
        TEST_ASSERT_EQUAL_DOUBLE(1, until);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_last_bit_counts);
    RUN_TEST(test_what_crosses);
    RUN_TEST(test_random_simplices);
    RUN_TEST(test_nothing_is_missed);
    RUN_TEST(test_rolling_is_no_hit);
    return UNITY_END();
}
