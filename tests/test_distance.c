// Distances and closest points against exact arithmetic, on shapes chosen to hurt.

#include "../collision/distance.h"
#include "exact_pairs.h"
#include "surfaces.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// --- Pairs ---

static double random_sign_power(int least)
{
    return (random_int(2) ? 1 : -1) * pow(10, -random_int(-least + 1) * random_unit());
}

static void random_vector(double size, double v[3])
{
    for (int k = 0; k < 3; k++) v[k] = size * (2 * random_unit() - 1);
}

enum { SHAPES = 8 };
static const char *const shape_names[SHAPES] = {"any",         "lattice",        "nearly collinear",
                                                "nearly flat", "tiny feature",   "coincident",
                                                "line",        "nearly touching"};

// Points of extent about 1.
static void make_shape(int shape, double x[12])
{
    double u[3], v[3], thin = fabs(random_sign_power(-18));
    random_vector(1, u);
    random_vector(1, v);
    for (int i = 0; i < 4; i++) {
        double a = 2 * random_unit() - 1, b = 2 * random_unit() - 1, noise[3];
        random_vector(thin, noise);
        if (shape == 0) random_vector(1, x + 3 * i);
        for (int k = 0; k < 3; k++) {
            double *c = &x[3 * i + k];
            if (shape == 1) *c = random_int(3);
            if (shape == 2) *c = a * u[k] + noise[k]; // parallel edges, slivers
            if (shape == 3) *c = a * u[k] + b * v[k] + noise[k];
            if (shape == 4) *c = i < 2 ? a * u[k] : v[k] + noise[k];
            if (shape == 5) *c = i < random_int(5) ? u[k] : v[k];
            if (shape == 6) *c = random_int(5) * u[k];
        }
    }
    if (shape == 7) { // the sum of the weights is 0 up to `thin`
        double s = random_unit(), t = random_unit() * (1 - s);
        for (int i = 1; i < 4; i++) random_vector(1, x + 3 * i);
        for (int k = 0; k < 3; k++) {
            x[k] = x[3 + k] + s * (x[6 + k] - x[3 + k]) + t * (x[9 + k] - x[3 + k]) + thin * u[k];
        }
    }
}

static double size_of(pl_pair_kind kind, const double *x)
{
    double z[3], e[3], f[3];
    pl_pair_figure(kind, x, z, e, f);
    return sqrt(pl_dot(z, z) + pl_dot(e, e) + pl_dot(f, f));
}

static void check_weights(pl_pair_kind kind, const double *x, const pl_closest *c, double size)
{
    double sum[2] = {0}, d[3] = {0};
    for (int i = 0; i < 4; i++) {
        bool first = i < first_count[kind];
        TEST_ASSERT_TRUE(first ? c->weight[i] >= 0 : c->weight[i] <= 0);
        TEST_ASSERT_EQUAL_INT(c->weight[i] != 0, c->support >> i & 1);
        sum[first] += c->weight[i];
        if (i >= point_count[kind]) {
            TEST_ASSERT_TRUE(c->weight[i] == 0);
            continue;
        }
        // Relative to one point: far from the origin the products would round to more.
        for (int k = 0; k < 3; k++) d[k] += c->weight[i] * (x[3 * i + k] - x[k]);
    }
    TEST_ASSERT_TRUE(fabs(sum[1] - 1) <= 2 * DBL_EPSILON && fabs(sum[0] + 1) <= 2 * DBL_EPSILON);
    TEST_ASSERT_TRUE(fabs(sqrt(pl_dot(d, d)) - c->distance) <= PL_DISTANCE_ERROR * size);
    TEST_ASSERT_TRUE(fabs(pl_dot(c->normal, c->normal) - 1) <= 4 * DBL_EPSILON);
    double along = pl_dot(c->normal, d);
    TEST_ASSERT_TRUE(fabs(along - c->distance) <= 2 * PL_DISTANCE_ERROR * size);
}

static void test_distance_is_exact_to_rounding(void)
{
    const char *rounds_text = getenv("PLIANT_DISTANCE_ROUNDS");
    int rounds = rounds_text != NULL ? atoi(rounds_text) : 5000;
    double worst = 0;
    for (int round = 0; round < rounds; round++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            double x[12], far[3], scale = pow(10, random_int(13) - 6);
            make_shape(shape, x);
            random_vector(round % 3 == 0 ? 1e6 * scale : 0, far);
            for (int i = 0; i < 12; i++) x[i] = scale * x[i] + far[i % 3];
            for (int kind = 0; kind < 4; kind++) {
                int mark = dyadic_mark();
                pl_closest c;
                pl_closest_points((pl_pair_kind)kind, x, &c);
                double size = size_of((pl_pair_kind)kind, x);
                double error = size == 0
                                   ? c.distance
                                   : error_of(c.distance, exact_square_of((pl_pair_kind)kind, x),
                                              DBL_EPSILON * size);
                worst = fmax(worst, fabs(error));
                char text[256];
                snprintf(text, sizeof text, "%s, %s, round %d: off by %g eps of the size",
                         kind_names[kind], shape_names[shape], round, error);
                TEST_ASSERT_TRUE_MESSAGE(fabs(error) <= PL_DISTANCE_ERROR / DBL_EPSILON, text);
                check_weights((pl_pair_kind)kind, x, &c, size);
                dyadic_back(mark);
            }
        }
    }
    if (rounds_text != NULL) printf("largest error: %.2f eps of the size\n", worst);
}

// --- What is known by heart ---

static pl_closest closest_of(pl_pair_kind kind, const double *x)
{
    pl_closest c;
    pl_closest_points(kind, x, &c);
    return c;
}

static void test_features_of_a_face(void)
{
    const struct {
        double p[3];
        uint32_t support;
        double distance;
    } cases[] = {{{1, 1, 2}, 15, 2},       {{-3, -4, 0}, 3, 5}, {{7, 0, 0}, 5, 3},
                 {{0, 7, 0}, 9, 3},        {{2, -1, 0}, 7, 1},  {{-1, 2, 0}, 11, 1},
                 {{4, 4, 0}, 13, sqrt(8)}, {{1, 1, 0}, 15, 0},  {{2, 0, 0}, 7, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double x[12] = {0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0};
        memcpy(x, cases[i].p, sizeof cases[i].p);
        pl_closest c = closest_of(PL_VERTEX_FACE, x);
        TEST_ASSERT_EQUAL_UINT32(cases[i].support, c.support);
        TEST_ASSERT_TRUE(fabs(c.distance - cases[i].distance) <= 4 * DBL_EPSILON);
        TEST_ASSERT_TRUE(c.distance != 0 || fabs(c.normal[2]) == 1);
    }
}

static void test_features_of_edges(void)
{
    // Crossing at right angles, one above the other; then parallel, end to end, of no length.
    const double crossing[12] = {-1, 0, 3, 1, 0, 3, 0, -1, 0, 0, 1, 0};
    pl_closest c = closest_of(PL_EDGE_EDGE, crossing);
    TEST_ASSERT_EQUAL_UINT32(15, c.support);
    TEST_ASSERT_TRUE(c.distance == 3 && c.normal[2] == 1);
    const double parallel[12] = {0, 0, 0, 2, 0, 0, 1, 1, 0, 5, 1, 0};
    c = closest_of(PL_EDGE_EDGE, parallel);
    TEST_ASSERT_TRUE(c.distance == 1 && c.normal[1] == -1);
    const double end_to_end[12] = {0, 0, 0, 1, 0, 0, 3, 0, 0, 4, 0, 0};
    c = closest_of(PL_EDGE_EDGE, end_to_end);
    TEST_ASSERT_EQUAL_UINT32(2 + 4, c.support);
    TEST_ASSERT_TRUE(c.distance == 2 && c.normal[0] == -1);
    const double points[12] = {0, 0, 0, 0, 0, 0, 3, 4, 0, 3, 4, 0};
    TEST_ASSERT_TRUE(closest_of(PL_EDGE_EDGE, points).distance == 5);
}

static void test_touching_pairs_have_a_normal(void)
{
    const double crossing[12] = {-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0};
    TEST_ASSERT_TRUE(fabs(closest_of(PL_EDGE_EDGE, crossing).normal[2]) == 1);
    const double same[12] = {-1, 0, 0, 1, 0, 0, -1, 0, 0, 1, 0, 0};
    TEST_ASSERT_TRUE(closest_of(PL_EDGE_EDGE, same).normal[0] == 0);
    const double nothing[12] = {0};
    for (int kind = 0; kind < 4; kind++) {
        pl_closest c = closest_of((pl_pair_kind)kind, nothing);
        TEST_ASSERT_TRUE(c.distance == 0 && c.normal[0] == 1);
    }
    const double on_edge[9] = {1, 1, 0, 0, 0, 0, 2, 2, 0};
    pl_closest c = closest_of(PL_VERTEX_EDGE, on_edge);
    TEST_ASSERT_TRUE(c.distance == 0 && c.normal[0] + c.normal[1] == 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_distance_is_exact_to_rounding);
    RUN_TEST(test_features_of_a_face);
    RUN_TEST(test_features_of_edges);
    RUN_TEST(test_touching_pairs_have_a_normal);
    return UNITY_END();
}
