// Hits that contradict each other.

#include "worlds.h"
#include "../contact/touch.h"

#include <math.h>
#include <omp.h>

void setUp(void)
{
    omp_set_num_threads(1);
}

void tearDown(void)
{
}

// A roof with a blunt ridge along y, at x = 0 and z = 0.2.
static pl_mesh *make_roof(void)
{
    const double x[18] = {-1, -1, 0, 1, -1, 0, 0, -1, 0.2, -1, 1, 0, 1, 1, 0, 0, 1, 0.2};
    const int32_t tet[12] = {0, 1, 2, 3, 1, 4, 2, 3, 2, 4, 5, 3};
    pl_mesh *mesh;
    pl_status status = pl_mesh_create(6, x, 0, NULL, 3, tet, &mesh);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    return mesh;
}

// The cosine of the angle between the pushes of two hits on a point that bears much of both; 1 if
// there is none.
static double oppose(const pl_boundary *boundary, const pl_hit *a, const pl_hit *b)
{
    int32_t p[4], q[4];
    double least = 1, along = 0;
    const pl_closest *ca = &a->impact.closest, *cb = &b->impact.closest;
    pl_pair_points(boundary, &a->pair, p);
    pl_pair_points(boundary, &b->pair, q);
    for (int k = 0; k < 3; k++) along += ca->normal[k] * cb->normal[k];
    for (int k = 0; k < 16; k++) {
        double wa = ca->weight[k / 4], wb = cb->weight[k % 4];
        if (p[k / 4] < 0 || p[k / 4] != q[k % 4] || fabs(wa) < 0.3 || fabs(wb) < 0.3) continue;
        least = fmin(least, wa * wb > 0 ? along : -along);
    }
    return least;
}

// The lowest corner of a tet cuts through the ridge: in through one side, which pushes it up, and
// out through the other from the inside, which would push it down.
static void test_a_hit_from_the_inside_gets_no_row(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 0.01;
    pl_world *world = make_world(&options);
    pl_mesh *roof = make_roof(), *tet;
    const double x[12] = {-0.5, 0.03, 0.17, -0.6, 0.01, 0.6, -0.4, 0.1, 0.6, -0.5, -0.1, 0.6};
    const int32_t corner[4] = {0, 1, 3, 2};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 0, NULL, 1, corner, &tet));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_kinematic(world, roof, NULL, NULL),
                              pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_deformable(world, tet, NULL, NULL),
                              pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_prepare(world), pl_error_text());
    pl_touch *touch = world->touch;
    pl_boundary *boundary = &touch->boundary;
    pl_detection *d = &touch->detection;
    world->dt = options.dt;
    double v[12];
    int32_t hits;
    for (int i = 0; i < 12; i++) v[i] = i % 3 == 0 ? 1 / options.dt : 0;
    TEST_ASSERT_EQUAL(
        PL_OK, pl_candidates_find(&d->candidates, world, boundary, v, options.dt, options.dt));
    pl_boundary_end(boundary, world, v, options.dt, options.dt);
    TEST_ASSERT_EQUAL(PL_OK, pl_detect_hits(d, world, boundary, &touch->contacts, &hits));
    double worst = 1; // of all hits, so that the scene is one
    for (int64_t i = 0; i < d->n_hit; i++) {
        for (int64_t j = 0; j < i; j++) {
            worst = fmin(worst, oppose(boundary, &d->hit[i], &d->hit[j]));
        }
    }
    TEST_ASSERT_TRUE(worst < -0.9);
    int32_t n = touch->contacts.problem.n_contact;
    TEST_ASSERT_EQUAL(d->n_hit, hits); // each counts: the way is not free
    TEST_ASSERT_TRUE(n > 0 && n < hits);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            const pl_row *row[2] = {&touch->contacts.row[i], &touch->contacts.row[j]};
            pl_hit hit[2] = {{.pair = row[0]->pair}, {.pair = row[1]->pair}};
            const double *R[2] = {touch->contacts.problem.contact[i].R,
                                  touch->contacts.problem.contact[j].R};
            for (int k = 0; k < 2; k++) {
                memcpy(hit[k].impact.closest.weight, row[k]->weight, sizeof row[k]->weight);
                memcpy(hit[k].impact.closest.normal, R[k], 3 * sizeof(double));
            }
            TEST_ASSERT_TRUE(oppose(boundary, &hit[0], &hit[1]) > -0.51);
        }
    }
    pl_mesh_destroy(roof);
    pl_mesh_destroy(tet);
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_hit_from_the_inside_gets_no_row);
    return UNITY_END();
}
