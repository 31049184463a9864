// The quick proof that a pair stays apart: it is never wrong, and finds what it is there for.

#include "../collision/apart.h"

#include <math.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static const int POINTS[] = {2, 3, 4, 4};

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

// The smallest distance on the way, at many instants.
static double least_distance(pl_pair_kind kind, const double *x0, const double *x1)
{
    double least = INFINITY;
    for (int i = 0; i <= 400; i++) {
        double x[12];
        pl_closest closest;
        for (int k = 0; k < 3 * POINTS[kind]; k++) x[k] = x0[k] + i / 400.0 * (x1[k] - x0[k]);
        pl_closest_points(kind, x, &closest);
        least = fmin(least, closest.distance);
    }
    return least;
}

static void test_what_it_proves_is_so(void)
{
    uint64_t seed = 1;
    int proved = 0, clear = 0;
    for (int i = 0; i < 8000; i++) {
        pl_pair_kind kind = (pl_pair_kind)(i % 4);
        double x0[12], x1[12], motion = i % 3 == 0 ? 2 : 0.3;
        for (int k = 0; k < 3 * POINTS[kind]; k++) {
            x0[k] = uniform(&seed);
            x1[k] = x0[k] + motion * uniform(&seed);
        }
        double separation = 0.02, least = least_distance(kind, x0, x1);
        clear += least > separation;
        if (!pl_stays_apart(kind, x0, x1, separation)) continue;
        proved++;
        TEST_ASSERT_TRUE(least > separation);
    }
    TEST_ASSERT_TRUE(proved > clear / 2); // mostly it suffices
}

// Two edges of boxes that lie on each other, 1e-6 m apart, while one slides by 1 mm and both tilt.
// The direction between their ends, computed from these, misses the tilt.
static void test_edges_that_slide_past_each_other_are_told_apart(void)
{
    const double x0[12] = {0.1, 0.1, 0.0, 0.1, 0.1, 0.2, -0.1, -0.1, 0.2003247, 0.1, 0.1, 0.200001};
    double y0[12], y1[12];
    memcpy(y0, x0, sizeof y0);
    y0[8] = 0.20000032; // 3e-7 above the end of the other, at 0.28 m from it
    memcpy(y1, y0, sizeof y1);
    for (int k = 0; k < 2; k++) {
        y1[6 + k] += 1e-3;
        y1[9 + k] += 1e-3;
    }
    y1[8] -= 6e-7;
    TEST_ASSERT_TRUE(pl_stays_apart(PL_EDGE_EDGE, y0, y1, 2e-7));
    y1[11] -= 0.9e-6;
    TEST_ASSERT_FALSE(pl_stays_apart(PL_EDGE_EDGE, y0, y1, 2e-7));
}

// A corner that slides over a face, a micrometre above it, through a metre.
static void test_a_corner_that_slides_over_a_face_is_told_apart(void)
{
    const double x0[12] = {-0.5, 0, 1e-6, -1, -1, 0, 1, -1, 0, 0, 1, 0};
    double x1[12];
    memcpy(x1, x0, sizeof x1);
    x1[0] = 0.5;
    TEST_ASSERT_TRUE(pl_stays_apart(PL_VERTEX_FACE, x0, x1, 5e-7));
    TEST_ASSERT_FALSE(pl_stays_apart(PL_VERTEX_FACE, x0, x1, 1e-6));
    x1[2] = -1e-6;
    TEST_ASSERT_FALSE(pl_stays_apart(PL_VERTEX_FACE, x0, x1, 0));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_it_proves_is_so);
    RUN_TEST(test_edges_that_slide_past_each_other_are_told_apart);
    RUN_TEST(test_a_corner_that_slides_over_a_face_is_told_apart);
    return UNITY_END();
}
