// Which pairs get rows: what comes near; of hits, those that do not contradict each other, those
// that the next steps keep, and those that are expected.

#include "worlds.h"
#include "../world/contact_step.h"

#include <math.h>

void setUp(void)
{
    pl_threads_set(1);
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

// A plate with a diagonal from -1, -1 to 1, 1, at z = 0.
static pl_mesh *make_plate(void)
{
    const double x[15] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 0, -1};
    const int32_t tet[8] = {0, 1, 2, 4, 0, 2, 3, 4};
    pl_mesh *mesh;
    pl_status status = pl_mesh_create(5, x, 0, NULL, 2, tet, &mesh);
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

static const double STEP = 0.01; // [s]

// A tet over the ground, which is taken, ready to step; its lowest corner is x[0].
static pl_world *make_scene(pl_mesh *ground, const double x[12])
{
    pl_world_options options = pl_world_options_default();
    options.dt = STEP;
    pl_world *world = make_world(&options);
    pl_mesh *tet;
    const int32_t corner[4] = {0, 1, 3, 2};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 0, NULL, 1, corner, &tet));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_kinematic(world, ground, NULL, NULL),
                              pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_deformable(world, tet, NULL, NULL),
                              pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_prepare(world), pl_error_text());
    world->dt = STEP;
    pl_mesh_destroy(ground);
    pl_mesh_destroy(tet);
    return world;
}

// Where a step starts, with the velocities v for a guess.
static void place(const pl_world *world, const double *v)
{
    pl_places_start(world, &world->contact->boundary);
    pl_places_guess(world, v, STEP, STEP, &world->contact->boundary);
}

static void take_step(const pl_world *world, pl_contacts *contacts)
{
    contacts->blocks->problem.dt = STEP;
    contacts->step = world->options.dt;
    contacts->contact_tolerance = world->options.contact_tolerance;
}

// The lowest corner of a tet cuts through the ridge: in through one side, which pushes it up, and
// out through the other from the inside, which would push it down.
static void test_a_hit_from_the_inside_gets_no_row(void)
{
    const double x[12] = {-0.5, 0.03, 0.17, -0.6, 0.01, 0.6, -0.4, 0.1, 0.6, -0.5, -0.1, 0.6};
    pl_world *world = make_scene(make_roof(), x);
    pl_contact_step *contact = world->contact;
    pl_boundary *boundary = &contact->boundary;
    pl_detection *d = &contact->detection;
    double v[12];
    int32_t hits;
    for (int i = 0; i < 12; i++) v[i] = i % 3 == 0 ? 1 / STEP : 0;
    place(world, v);
    TEST_ASSERT_EQUAL(PL_OK, pl_candidates_find(&d->candidates, boundary));
    pl_places_end(world, v, STEP, STEP, boundary);
    TEST_ASSERT_EQUAL(PL_OK, pl_detect_hits(d, boundary, &contact->contacts, &hits));
    double worst = 1; // of all hits, so that the scene is one
    for (int64_t i = 0; i < d->n_hit; i++) {
        for (int64_t j = 0; j < i; j++) {
            worst = fmin(worst, oppose(boundary, &d->hit[i], &d->hit[j]));
        }
    }
    TEST_ASSERT_TRUE(worst < -0.9);
    int32_t n = pl_contacts_count(&contact->contacts);
    TEST_ASSERT_EQUAL(d->n_hit, hits); // each counts: the way is not free
    TEST_ASSERT_TRUE(n > 0 && n < hits);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            const pl_row *row[2] = {&contact->contacts.row[i], &contact->contacts.row[j]};
            pl_hit hit[2] = {{.pair = row[0]->pair}, {.pair = row[1]->pair}};
            const double *R[2] = {world->constraints->blocks.problem.constraint[i].R,
                                  world->constraints->blocks.problem.constraint[j].R};
            for (int k = 0; k < 2; k++) {
                memcpy(hit[k].impact.closest.weight, row[k]->weight, sizeof row[k]->weight);
                memcpy(hit[k].impact.closest.normal, R[k], 3 * sizeof(double));
            }
            TEST_ASSERT_TRUE(oppose(boundary, &hit[0], &hit[1]) > -0.51);
        }
    }
    pl_world_destroy(world);
}

static const pl_row *find_row(const pl_contacts *contacts, const pl_feature_pair *pair)
{
    for (int32_t i = 0; i < pl_contacts_count(contacts); i++) {
        if (pl_block_id_compare(&contacts->row[i].pair, pair) == 0) return &contacts->row[i];
    }
    return NULL;
}

static const double SAFETY = 0.003 * 0.5; // [m]: the shortest edges are near to 0.5

// What a step of a world with two bodies starts with, whose first guess moves the second by `by`
// (3) safety distances: has the pair of these edges a row? If `pushed`, it did so in the last step,
// and was found by its hit. Each edge is given by its ends (6).
static bool gets_row(pl_world *world, const double *a, const double *b, const double by[3],
                     bool pushed)
{
    pl_contact_step *contact = world->contact;
    pl_candidate_set *c = &contact->detection.candidates;
    double v[12];
    for (int i = 0; i < 12; i++) v[i] = by[i % 3] * SAFETY / STEP;
    place(world, v);
    TEST_ASSERT_EQUAL(PL_OK, pl_candidates_find(c, &contact->boundary));
    pl_feature_pair pair = {.kind = -1};
    for (int64_t i = 0; i < c->n; i++) {
        int32_t point[4];
        double q[12];
        const pl_feature_pair at = pl_candidate_pair(&c->candidate[i]);
        if (at.kind != PL_EDGE_EDGE) continue;
        pl_pair_points(&contact->boundary, &at, point);
        pl_pair_gather(point, contact->boundary.x0, q);
        if (memcmp(q, a, 6 * sizeof *q) == 0 && memcmp(q + 6, b, 6 * sizeof *q) == 0) pair = at;
    }
    TEST_ASSERT_EQUAL(PL_EDGE_EDGE, pair.kind);
    pl_remembered memory = {.id = pair, .found = pushed, .force = {0, 0, 1}};
    pl_blocks blocks = {.problem = world->constraints->blocks.problem,
                        .memory = &memory,
                        .n_memory = 1,
                        .memory_capacity = 1};
    pl_contacts contacts = {.blocks = &blocks};
    take_step(world, &contacts);
    pl_detection *d = &contact->detection;
    TEST_ASSERT_EQUAL(PL_OK, pl_detect_start(d, &contact->boundary, &contacts));
    const pl_row *row = find_row(&contacts, &pair);
    bool has = row != NULL;
    for (int32_t i = 0; i < pl_contacts_count(&contacts); i++) {
        TEST_ASSERT_EQUAL(&contacts.row[i] == row, blocks.found[i] != 0);
    }
    blocks.memory = NULL;
    pl_blocks_free(&blocks);
    pl_contacts_free(&contacts);
    pl_world_destroy(world);
    return has;
}

static const double RIDGE[6] = {0, -1, 0.2, 0, 1, 0.2};

// The lowest corner of a tet stands `height` safety distances over the ridge. An edge that leads up
// from it is no local minimum with the ridge, now or while it falls by `fall`.
static bool corner_gets_row(double height, double fall, bool pushed)
{
    double z = 0.2 + height * SAFETY;
    const double x[12] = {0, 0.03, z, -0.2, 0.01, z + 0.45, 0.2, 0.1, z + 0.45, 0, -0.2, z + 0.45};
    const double by[3] = {0, 0, -fall};
    return gets_row(make_scene(make_roof(), x), RIDGE, x, by, pushed);
}

static void test_what_was_found_by_a_hit_keeps_its_row(void)
{
    TEST_ASSERT_TRUE(corner_gets_row(1, 0, true));
    TEST_ASSERT_FALSE(corner_gets_row(1, 0, false));
    TEST_ASSERT_FALSE(corner_gets_row(3, 0, true)); // it went away
}

// The lowest edge of a tet lies across the ridge, `height` safety distances over it and `before` of
// them in front of its end, so that it is no local minimum. By the first guess it moves on by `on`
// and falls by `fall`.
static bool edge_gets_row(double height, double before, double on, double fall)
{
    double y = -1 - before * SAFETY, z = 0.2 + height * SAFETY;
    const double x[12] = {-0.3, y, z, 0.3, y, z, 0, y - 0.2, z + 0.4, 0, y + 0.2, z + 0.4};
    const double by[3] = {0, on, -fall};
    return gets_row(make_scene(make_roof(), x), RIDGE, x, by, false);
}

static void test_what_hits_on_the_way_of_the_first_guess_gets_a_row(void)
{
    TEST_ASSERT_TRUE(edge_gets_row(3, 2, 8, 4));
    TEST_ASSERT_FALSE(edge_gets_row(3, 2, 8, 1));    // it stays away
    TEST_ASSERT_FALSE(edge_gets_row(0.7, 2, 8, 1));  // it has no room
    TEST_ASSERT_FALSE(edge_gets_row(20, 2, 80, 22)); // it is far
    TEST_ASSERT_FALSE(corner_gets_row(3, 4, false)); // nor is it a local minimum then
}

// --- What comes near ---

// A tet on a corner, and one on an edge.
static const double TET[12] = {0, 0, 0, -0.2, 0.1, 0.4, 0.3, 0.1, 0.4, 0, -0.3, 0.4};
static const double EDGE[12] = {-0.3, 0.3, 0, 0.3, -0.3, 0, -0.2, -0.2, 0.4, 0.2, 0.2, 0.4};

static double safety_of(const double x[12])
{
    double sum = 0;
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < a; b++) {
            double d[3];
            for (int k = 0; k < 3; k++) d[k] = x[3 * a + k] - x[3 * b + k];
            sum += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    }
    return 0.003 * sum / 6;
}

// The gap of the only row of this kind, in safety distances, if a tet starts at a place over the
// ground and the first guess moves it, both in safety distances too; NAN if there is no row.
static double find_gap(int kind, pl_mesh *ground, const double tet[12], const double at[3],
                       const double by[3])
{
    double x[12], v[12], safety = safety_of(tet), gap = NAN;
    for (int i = 0; i < 12; i++) x[i] = tet[i] + at[i % 3] * safety;
    for (int i = 0; i < 12; i++) v[i] = by[i % 3] * safety / STEP;
    pl_world *world = make_scene(ground, x);
    pl_contact_step *contact = world->contact;
    contact->boundary.n_close = 0; // it came there later
    pl_blocks blocks = {.problem = world->constraints->blocks.problem};
    pl_contacts contacts = {.blocks = &blocks};
    take_step(world, &contacts);
    place(world, v);
    TEST_ASSERT_EQUAL(PL_OK, pl_detect_start(&contact->detection, &contact->boundary, &contacts));
    for (int32_t i = 0; i < pl_contacts_count(&contacts); i++) {
        if (contacts.row[i].pair.kind != kind) continue;
        TEST_ASSERT_TRUE(isnan(gap));
        gap = contacts.row[i].gap / safety;
    }
    pl_blocks_free(&blocks);
    pl_contacts_free(&contacts);
    pl_world_destroy(world);
    return gap;
}

static double vertex_gap(double height, double aside, double fall)
{
    const double at[3] = {80, -80, height}, by[3] = {aside, 0, -fall};
    return find_gap(PL_VERTEX_FACE, make_plate(), TET, at, by);
}

static void test_what_comes_near_gets_a_row(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.4, vertex_gap(1.4, 0, 0));
    TEST_ASSERT_TRUE(isnan(vertex_gap(1.6, 0, 0)));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3, vertex_gap(4, 0, 2.6)); // it comes near
    TEST_ASSERT_TRUE(isnan(vertex_gap(4, 0, 1.9)));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.4, vertex_gap(1.4, 0, -1)); // it goes away
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3, vertex_gap(4, 18, 0));     // it may be turned aside
    TEST_ASSERT_TRUE(isnan(vertex_gap(4, 15, 0)));
}

// The lowest edge of a tet over the diagonal of the plate, across it.
static double crossing_gap(double height, double fall)
{
    const double at[3] = {0, 0, height}, by[3] = {0, 0, -fall};
    return find_gap(PL_EDGE_EDGE, make_plate(), EDGE, at, by);
}

// The same over a ridge.
static double ridge_gap(double height)
{
    const double at[3] = {0, 0, 0.2 / safety_of(EDGE) + height}, by[3] = {0};
    return find_gap(PL_EDGE_EDGE, make_roof(), EDGE, at, by);
}

// The same over the border of a plate that is nothing but its surface.
static double border_gap(double height)
{
    const double x[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    const int32_t face[6] = {0, 1, 2, 0, 2, 3};
    const double at[3] = {1 / safety_of(EDGE), 0, height}, by[3] = {0};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 2, face, 0, NULL, &mesh));
    return find_gap(PL_EDGE_EDGE, mesh, EDGE, at, by);
}

static void test_edges_that_cross_on_a_plate_leave_it_to_the_vertices(void)
{
    TEST_ASSERT_TRUE(isnan(crossing_gap(0.92, 0)));
    TEST_ASSERT_TRUE(isnan(crossing_gap(1, 0.05)));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.3, crossing_gap(1, 0.11)); // it comes nearer
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.18, crossing_gap(0.88, 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, crossing_gap(0.7, 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.2, ridge_gap(1.2)); // no vertex does the work there
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, ridge_gap(1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.2, border_gap(1.2));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_comes_near_gets_a_row);
    RUN_TEST(test_edges_that_cross_on_a_plate_leave_it_to_the_vertices);
    RUN_TEST(test_a_hit_from_the_inside_gets_no_row);
    RUN_TEST(test_what_was_found_by_a_hit_keeps_its_row);
    RUN_TEST(test_what_hits_on_the_way_of_the_first_guess_gets_a_row);
    return UNITY_END();
}
