// Boxes around features: what they say is far is far, by the distances themselves.

#include "failing_alloc.h"
#include "matrices.h"
#include "../contact/boxes.h"

#include <omp.h>

void setUp(void)
{
    random_state = 13;
}

void tearDown(void)
{
    fail_never();
    omp_set_num_threads(2);
}

// Two bodies of random points, of which random edges and faces are made; a pair has a feature of
// either.
enum { N = 12, BODIES = 2 };

typedef struct scene {
    pl_boundary boundary;
    int32_t body[N], edge[2 * N], face[3 * N];
    double x0[3 * N], x1[3 * N], size[BODIES], radius[BODIES];
    double reach;
} scene;

static int32_t pick(int32_t body)
{
    return body * N / BODIES + (int32_t)(random_bits() % (N / BODIES));
}

static void make_scene(int trial, scene *s)
{
    double where = trial % 4 == 0 ? 1000 : 1, apart = 0.7 + 0.3 * random_number();
    double slow = pow(10, -2 - 2 * random_number()), thick = trial % 3 == 0 ? 0 : 0.2;
    *s = (scene){.reach = trial % 2 == 0 ? 0.02 : 0.5};
    s->boundary = (pl_boundary){.n = N,
                                .n_body = BODIES,
                                .body = s->body,
                                .n_edge = N,
                                .edge = s->edge,
                                .n_face = N,
                                .face = s->face,
                                .x0 = s->x0,
                                .x1 = s->x1,
                                .size = s->size,
                                .radius = s->radius};
    for (int b = 0; b < BODIES; b++) {
        s->size[b] = 0.3 + 0.2 * random_number();
        s->radius[b] = thick * (1 + random_number());
    }
    s->boundary.smallest = PL_MIN(s->size[0], s->size[1]);
    s->boundary.largest = PL_MAX(s->size[0], s->size[1]);
    if (trial % 5 == 0) s->size[1] = 100, s->boundary.largest = s->size[0]; // a floor
    double shift[3] = {where * random_number(), where * random_number(), where * random_number()};
    for (int i = 0; i < 3 * N; i++) {
        s->body[i / 3] = i / 3 * BODIES / N;
        s->x0[i] = shift[i % 3] + 0.3 * random_number() + (i % 3 == 0 ? apart * s->body[i / 3] : 0);
        s->x1[i] = s->x0[i] + slow * random_number();
    }
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 2; k++) s->edge[2 * i + k] = pick(i * BODIES / N);
        for (int k = 0; k < 3; k++) s->face[3 * i + k] = pick(i * BODIES / N);
    }
}

// A pair of a random kind, between the bodies.
static pl_feature_pair random_pair(void)
{
    pl_feature_pair pair = {.kind = (int32_t)(random_bits() % 4)};
    pair.a = pick(random_bits() % 2);
    pair.b = pick(pair.a < N / 2 ? 1 : 0);
    return pair;
}

static double distance_at(const scene *s, const pl_feature_pair *pair, const double *x)
{
    const int32_t *e = s->edge + 2 * pair->b, *f = s->face + 3 * pair->b;
    int32_t point[4] = {pair->a, pair->b, -1, -1};
    if (pair->kind == PL_VERTEX_EDGE) point[1] = e[0], point[2] = e[1];
    if (pair->kind == PL_VERTEX_FACE) point[1] = f[0], point[2] = f[1], point[3] = f[2];
    if (pair->kind == PL_EDGE_EDGE) {
        point[0] = s->edge[2 * pair->a], point[1] = s->edge[2 * pair->a + 1];
        point[2] = e[0], point[3] = e[1];
    }
    double q[12] = {0};
    pl_closest closest;
    for (int k = 0; k < 4 && point[k] >= 0; k++) memcpy(q + 3 * k, x + 3 * point[k], 24);
    pl_closest_points((pl_pair_kind)pair->kind, q, &closest);
    return closest.distance;
}

// x (3*N) := somewhere that the boxes are for. Every point moves as far as it can for START.
static void place(const scene *s, pl_boxes_of of, double *x)
{
    double t = of == PL_BOXES_END ? 1 : 0.5 + 0.5 * random_number();
    for (int p = 0; p < N; p++) {
        double d[3], way = 0, length = 0;
        for (int k = 0; k < 3; k++) {
            double by = s->x1[3 * p + k] - s->x0[3 * p + k];
            d[k] = random_number() + (k == 0 ? (s->body[p] ? -2 : 2) : 0); // mostly inward
            way += by * by, length += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++) {
            double start = s->x0[3 * p + k], end = s->x1[3 * p + k];
            x[3 * p + k] = of == PL_BOXES_START ? start + (1 - 1e-12) * sqrt(way / length) * d[k]
                                                : start + t * (end - start);
        }
    }
}

static void test_what_does_not_overlap_is_far(void)
{
    int far = 0, close = 0, overlap = 0;
    pl_boxes boxes = {0};
    for (int trial = 0; trial < 900; trial++) {
        scene s;
        pl_boxes_of of = (pl_boxes_of)(trial / 3 % 3);
        make_scene(trial, &s);
        TEST_ASSERT_EQUAL(PL_OK, pl_boxes_set(&boxes, &s.boundary, of, s.reach));
        double promised = s.radius[0] + s.radius[1] + s.reach * PL_MIN(s.size[0], s.size[1]);
        for (int i = 0; i < 60; i++) {
            double x[3 * N];
            pl_feature_pair pair = random_pair();
            if (pl_boxes_overlap(&boxes, &pair)) {
                overlap++;
                continue;
            }
            far++;
            for (int k = 0; k < 8; k++) {
                place(&s, of, x);
                double d = distance_at(&s, &pair, x);
                TEST_ASSERT_TRUE(d > promised);
                close += d < 1.1 * promised;
            }
        }
    }
    TEST_ASSERT_TRUE(far > 5000 && overlap > 5000 && close > 500); // it was put to the test
    pl_boxes_free(&boxes);
}

// They are not larger than they need to be: what is far along an axis does not overlap.
static void test_what_is_far_along_an_axis_does_not_overlap(void)
{
    pl_boxes boxes = {0};
    for (int trial = 0; trial < 60; trial++) {
        scene s;
        make_scene(trial, &s);
        double need = s.radius[0] + s.radius[1] + s.reach * s.boundary.largest, lo = 0, hi = 0;
        for (int p = 0; p < N; p++) {
            double to = PL_MAX(s.x0[3 * p], s.x1[3 * p]), from = PL_MIN(s.x0[3 * p], s.x1[3 * p]);
            hi = p == 0 || (p < N / 2 && to > hi) ? to : hi;
            lo = p == N / 2 || (p > N / 2 && from < lo) ? from : lo;
        }
        double by = hi + need - lo + 1e-3;
        for (int p = N / 2; p < N; p++) s.x0[3 * p] += by, s.x1[3 * p] += by;
        TEST_ASSERT_EQUAL(PL_OK, pl_boxes_set(&boxes, &s.boundary, PL_BOXES_WAY, s.reach));
        for (int i = 0; i < 20; i++) {
            pl_feature_pair pair = random_pair();
            TEST_ASSERT_FALSE(pl_boxes_overlap(&boxes, &pair));
        }
    }
    pl_boxes_free(&boxes);
}

static pl_status set(void *user)
{
    pl_boxes boxes = {0};
    pl_status status = pl_boxes_set(&boxes, user, PL_BOXES_START, 0.1);
    pl_boxes_free(&boxes);
    return status;
}

static void test_allocations_that_fail(void)
{
    scene s;
    make_scene(1, &s);
    fail_each_allocation(set, &s.boundary);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_does_not_overlap_is_far);
    RUN_TEST(test_what_is_far_along_an_axis_does_not_overlap);
    RUN_TEST(test_allocations_that_fail);
    return UNITY_END();
}
