// A search that serves several steps finds what one in every step does.

#include "failing_alloc.h"
#include "matrices.h"
#include "worlds.h"
#include "../world/contact_step.h"

#include <math.h>
#include <unistd.h>

void setUp(void)
{
    pl_threads_set(1);
}

void tearDown(void)
{
    fail_never();
}

// --- Worlds ---

static pl_mesh *shape_at(const char *shape, double x, double y, double z, double turn)
{
    pl_mesh *mesh = make_mesh(shape);
    double c = cos(turn), s = sin(turn);
    const double m[12] = {c, -s, 0, x, s, c, 0, y, 0, 0, 1, z};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    return mesh;
}

static void add_kinematic(pl_world *world, const char *shape, double x, double z, double speed)
{
    pl_kinematic_options options = pl_kinematic_options_default();
    options.motion.velocity[0] = speed;
    options.motion.end = 0.2;
    pl_mesh *mesh = shape_at(shape, x, 0, z, 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &options, NULL));
    pl_mesh_destroy(mesh);
}

static int32_t add_soft(pl_world *world, const char *shape, double x, double y, double z,
                        double turn, const pl_deformable_options *options)
{
    int32_t body;
    pl_mesh *mesh = shape_at(shape, x, y, z, turn);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_deformable(world, mesh, options, &body),
                              pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

enum { PILE = 9 }; // bodies

// Cubes on each other, a ring that folds, a rigid ball that spins and falls on them, and a wall
// that pushes; the shot comes from the side.
static pl_world *make_pile(double shot)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 2e-3;
    pl_world *world = make_world(&options);
    add_kinematic(world, "box:size=4,4,0.2:cells=2,2,1", 0, -0.1, 0);
    add_kinematic(world, "box:size=0.1,1,1:cells=1,2,2", -0.36, 0.52, 0.5);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.young = 3e4;
    for (int i = 0; i < 4; i++) {
        soft.velocity[2] = -0.2 * i;
        add_soft(world, "cube:size=0.2:cells=2", 0.02 * i, 0.01 * i, 0.102 + 0.205 * i, 0.2 * i,
                 &soft);
    }
    soft.velocity[2] = -3;
    soft.material.young = 5e3;
    add_soft(world, "torus:radius=0.12:tube=0.03:around=12:sides=5", 0.4, 0.1, 0.08, 0, &soft);
    soft.velocity[0] = -shot, soft.velocity[2] = 0;
    add_soft(world, "cube:size=0.1:cells=1", 0.9, 0, 0.5, 0.4, &soft);
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.velocity[2] = -2;
    rigid.angular_velocity[0] = 30;
    rigid.angular_velocity[1] = 5;
    pl_mesh *ball = shape_at("icosphere:radius=0.1:level=1:shells=1", 0.03, 0.02, 1.05, 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, ball, &rigid, NULL));
    pl_mesh_destroy(ball);
    return world;
}

// --- Searches ---

static void check_same_rows(const pl_world *a, const pl_world *b)
{
    const pl_contacts *p = &a->contact->contacts, *q = &b->contact->contacts;
    TEST_ASSERT_EQUAL(pl_contacts_count(p), pl_contacts_count(q));
    for (int32_t i = 0; i < pl_contacts_count(p); i++) {
        TEST_ASSERT_EQUAL(p->row[i].pair.kind, q->row[i].pair.kind);
        TEST_ASSERT_EQUAL(p->row[i].pair.a, q->row[i].pair.a);
        TEST_ASSERT_EQUAL(p->row[i].pair.b, q->row[i].pair.b);
        TEST_ASSERT_EQUAL_DOUBLE(p->row[i].gap, q->row[i].gap);
    }
}

// One step of both, of which the second searches anew; both must do the same.
static void step_both(pl_world *a, pl_world *b)
{
    pl_step_stats of_a, of_b;
    if (b->contact != NULL) b->contact->detection.candidates.current = false;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(a, &of_a), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(b, &of_b), pl_error_text());
    check_same_rows(a, b);
    TEST_ASSERT_EQUAL(of_a.rounds, of_b.rounds);
    TEST_ASSERT_EQUAL(of_a.relinearizations, of_b.relinearizations);
    TEST_ASSERT_EQUAL_DOUBLE(of_a.min_gap, of_b.min_gap);
    TEST_ASSERT_EQUAL_HEX64(of_a.hash, of_b.hash);
}

// Each candidate is there once.
static void check_ordered(const pl_candidate_set *c)
{
    for (int64_t i = 1; i < c->n; i++) {
        const pl_feature_pair before = pl_candidate_pair(&c->candidate[i - 1]);
        const pl_feature_pair after = pl_candidate_pair(&c->candidate[i]);
        TEST_ASSERT_TRUE(pl_block_id_compare(&before, &after) < 0);
    }
}

// Is the search that served the last step older than that?
static bool is_old(const pl_world *world)
{
    const pl_contact_step *contact = world->contact;
    size_t size = 3 * (size_t)contact->boundary.n * sizeof(double);
    return contact->detection.candidates.current &&
           memcmp(contact->detection.candidates.from, contact->boundary.x0, size) != 0;
}

// How many steps were served by a search before them.
static int compare_with_new_searches(double shot, int steps)
{
    pl_world *a = make_pile(shot), *b = make_pile(shot);
    int old = 0;
    for (int i = 0; i < steps; i++) {
        step_both(a, b);
        old += is_old(a);
        TEST_ASSERT_FALSE(is_old(b));
    }
    pl_world_destroy(a);
    pl_world_destroy(b);
    return old;
}

static void test_an_old_search_finds_what_a_new_one_does(void)
{
    int old = compare_with_new_searches(0, 200);
    TEST_ASSERT_TRUE(old > 50);
}

static void test_fast_bodies(void)
{
    int old = compare_with_new_searches(60, 40);
    TEST_ASSERT_TRUE(old > 0); // more than its size in a step
}

// Of the pile, how many bodies were searched for in the last step.
static int32_t count_new(const pl_world *world)
{
    const pl_contact_step *contact = world->contact;
    int32_t n = 0;
    for (int32_t b = 2; b < PILE; b++) { // those that move
        int32_t first = contact->boundary.first[b], last = contact->boundary.first[b + 1];
        n +=
            memcmp(contact->detection.candidates.from + 3 * first, contact->boundary.x0 + 3 * first,
                   3 * (size_t)(last - first) * sizeof(double)) == 0;
    }
    return n;
}

// Among many others the bodies of the pile are few, so that they are searched for one by one.
static void test_bodies_in_a_crowd(void)
{
    pl_world *both[2];
    int some = 0;
    for (int w = 0; w < 2; w++) {
        both[w] = make_pile(5);
        for (int i = 0; i < 10 * PILE; i++) {
            add_kinematic(both[w], "cube:size=0.1:cells=1", 0.15 * (i % 10), 3 + 0.15 * (i / 10.0),
                          0);
        }
    }
    for (int i = 0; i < 150; i++) {
        step_both(both[0], both[1]);
        int32_t n = count_new(both[0]);
        some += n > 0 && n < PILE - 2;
        TEST_ASSERT_EQUAL(PILE - 2, count_new(both[1]));
        check_ordered(&both[0]->contact->detection.candidates);
    }
    TEST_ASSERT_TRUE(some > 20);
    for (int w = 0; w < 2; w++) pl_world_destroy(both[w]);
}

// A body that is put elsewhere is found there: at once on the floor, near, and far.
static void test_a_body_that_is_put_elsewhere(void)
{
    pl_world *a = make_pile(0), *b = make_pile(0);
    pl_world *both[2] = {a, b};
    for (int i = 0; i < 6; i++) step_both(a, b);
    for (int k = 0; k < 3; k++) {
        const double by[3][3] = {{-0.3, 0.3, -0.4485}, {0.0001, 0, 0}, {0.2, -0.9, 0.1}};
        for (int w = 0; w < 2; w++) {
            int32_t n = pl_world_vertex_count(both[w], 7);
            double *x = malloc(3 * (size_t)n * sizeof *x);
            memcpy(x, pl_world_positions(both[w], 7), 3 * (size_t)n * sizeof *x);
            for (int32_t i = 0; i < 3 * n; i++) x[i] += by[k][i % 3];
            TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(both[w], 7, x, NULL));
            free(x);
        }
        for (int i = 0; i < 25; i++) step_both(a, b);
    }
    pl_world_destroy(a);
    pl_world_destroy(b);
}

// The first candidate from i on that has no body for which a new search is due.
static int64_t next_fresh(const pl_contact_step *contact, int64_t i)
{
    const pl_candidate_set *c = &contact->detection.candidates;
    for (; i < c->n; i++) {
        int32_t point[4], a, b;
        const pl_feature_pair pair = pl_candidate_pair(&c->candidate[i]);
        pl_pair_points(&contact->boundary, &pair, point);
        pl_pair_bodies(&contact->boundary, &pair, point, &a, &b);
        if (!c->stale[a] && !c->stale[b]) break;
    }
    return i;
}

// The candidates of b, of a new search from where that of a was made, are among those of a, which
// may know less of their distance, and then keep some more.
static void check_same_candidates(const pl_contact_step *a, const pl_contact_step *b)
{
    const pl_candidate_set *c = &a->detection.candidates, *d = &b->detection.candidates;
    TEST_ASSERT_EQUAL(c->current, d->current);
    if (!c->current) return;
    TEST_ASSERT_EQUAL_UINT8_ARRAY(c->stale, d->stale, a->boundary.n_body);
    int64_t i = next_fresh(a, 0), n = 0, more = 0;
    for (int64_t j = next_fresh(b, 0); j < d->n; j = next_fresh(b, j + 1), n++) {
        const pl_feature_pair q = pl_candidate_pair(&d->candidate[j]);
        for (;; i = next_fresh(a, i + 1), more++) {
            TEST_ASSERT_TRUE(i < c->n);
            const pl_feature_pair p = pl_candidate_pair(&c->candidate[i]);
            if (pl_block_id_compare(&p, &q) == 0) break;
        }
        TEST_ASSERT_TRUE(c->candidate[i].distance <= d->candidate[j].distance);
        i = next_fresh(a, i + 1);
    }
    TEST_ASSERT_TRUE(n > 100 && 10 * more < n);
}

// A run that is resumed while a search serves goes on with the same pairs.
static void test_resume_in_the_life_of_a_search(void)
{
    char path[64] = "/tmp/pliant-candidates-XXXXXX";
    int file = mkstemp(path), old = 0;
    TEST_ASSERT_TRUE(file >= 0);
    close(file);
    pl_world *whole = make_pile(5);
    step(whole, 30);
    for (int k = 0; k < 6; k++) {
        pl_world *resumed = make_pile(5);
        step(whole, 3);
        old += is_old(whole);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_save(whole, path));
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(resumed, path), pl_error_text());
        check_same_candidates(whole->contact, resumed->contact);
        for (int i = 0; i < 8; i++) {
            step(whole, 1);
            step(resumed, 1);
            check_same_rows(whole, resumed);
            TEST_ASSERT_EQUAL_HEX64(pl_world_hash(whole), pl_world_hash(resumed));
        }
        pl_world_destroy(resumed);
    }
    TEST_ASSERT_TRUE(old > 2);
    pl_world_destroy(whole);
    unlink(path);
}

// A cube that flies towards others: searches find more from one to the next.
static pl_world *make_flight(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 2e-3;
    options.gravity[2] = 0;
    pl_world *world = make_world(&options);
    pl_deformable_options soft = pl_deformable_options_default();
    for (int i = 0; i < 3; i++) {
        soft.velocity[0] = i == 0 ? 10 : 0;
        add_soft(world, "cube:size=0.1:cells=2", i == 0 ? -0.35 : 0.12 * i, 0.01 * i, 0, 0.1 * i,
                 &soft);
    }
    return world;
}

// A step that memory fails in can be made again: what it left behind is no search.
static void test_steps_go_on_after_failing_allocations(void)
{
    enum { STEPS = 24 };
    pl_world *whole = make_flight();
    step(whole, STEPS);
    TEST_ASSERT_TRUE(pl_contacts_count(&whole->contact->contacts) > 0);
    uint64_t hash = pl_world_hash(whole);
    pl_world_destroy(whole);
    for (int64_t n = 0, failed = 1; failed > 0; n++) {
        failed = 0;
        fail_nth(-1);
        pl_world *world = make_flight();
        step(world, 1);
        fail_nth(n);
        while (pl_world_steps(world) < STEPS) {
            pl_status status = pl_world_step(world, NULL);
            failed += status == PL_ERROR_MEMORY;
            TEST_ASSERT_TRUE(status == PL_OK || status == PL_ERROR_MEMORY);
        }
        TEST_ASSERT_EQUAL_HEX64(hash, pl_world_hash(world));
        pl_world_destroy(world);
        fail_never();
        TEST_ASSERT_TRUE(n > 5 || failed > 0);
    }
}

// Without a candidate there is nothing to look at.
static void test_a_body_alone(void)
{
    pl_world_options options = pl_world_options_default();
    pl_world *world = make_world(&options);
    pl_step_stats stats;
    pl_deformable_options soft = pl_deformable_options_default();
    soft.surface.self = false;
    add_body(world, "cube:cells=1", &soft);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        TEST_ASSERT_EQUAL_DOUBLE(INFINITY, stats.min_gap);
        TEST_ASSERT_EQUAL(0, stats.constraints);
    }
    TEST_ASSERT_EQUAL_INT64(0, world->contact->detection.candidates.n);
    pl_world_destroy(world);
}

// --- Bodies that leave what was searched ---

// A body that lies apart is thrown through a pile: what the search did not have is added, listed
// and tested, and what was listed before is still what it was.
static void test_what_is_added_is_tested(void)
{
    enum { THROWN = PILE - 2 };
    pl_world *world = make_pile(0);
    step(world, 5);
    pl_detection *d = &world->contact->detection;
    pl_candidate_set *c = &d->candidates;
    pl_boundary *boundary = &world->contact->boundary;
    int64_t n = c->n, n_near = c->n_near, hits = 0;
    for (int32_t p = boundary->first[THROWN]; p < boundary->first[THROWN + 1]; p++) {
        boundary->x1[3 * p] -= 2;
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_detect_way(d, boundary));
    TEST_ASSERT_TRUE(n_near > 100 && c->n > n + 100 && c->n_near > n_near + 100);
    for (int64_t k = 0; k < c->n_near; k++) {
        const pl_near *near = &c->near[k];
        pl_feature_pair pair = pl_candidate_pair(&c->candidate[near->candidate]);
        int32_t point[4];
        pl_pair_points(boundary, &pair, point);
        TEST_ASSERT_EQUAL_INT32_ARRAY(point, near->point, 4);
    }
    pl_feature_pair hit;
    pl_impact impact;
    for (int64_t next = 0; pl_detect_next_hit(d, boundary, &next, &hit, &impact);) {
        int32_t point[4], a, b;
        pl_pair_points(boundary, &hit, point);
        pl_pair_bodies(boundary, &hit, point, &a, &b);
        TEST_ASSERT_TRUE((a == THROWN) != (b == THROWN));
        hits++;
    }
    TEST_ASSERT_TRUE(hits > 10 && hits == d->n_hit);
    pl_world_destroy(world);
}

// --- Bounds ---

// What detection knows of distances is true, in every step of a pile.
static void test_known_distances(void)
{
    pl_world *world = make_pile(20);
    int64_t exact = 0, bounds = 0, tight = 0;
    for (int i = 0; i < 60; i++) {
        step(world, 1);
        const pl_detection *d = &world->contact->detection;
        const pl_candidate_set *c = &d->candidates;
        const pl_boundary *boundary = &world->contact->boundary;
        TEST_ASSERT_EQUAL_INT64(c->listing, d->listing);
        for (int64_t k = 0; k < c->n_near; k++) {
            const pl_feature_pair pair = pl_candidate_pair(&c->candidate[c->near[k].candidate]);
            int32_t point[4];
            double q[12] = {0};
            pl_closest start, end;
            pl_pair_points(boundary, &pair, point);
            pl_pair_gather(point, boundary->x0, q);
            pl_closest_points((pl_pair_kind)pair.kind, q, &start);
            pl_pair_gather(point, boundary->x1, q);
            pl_closest_points((pl_pair_kind)pair.kind, q, &end);
            TEST_ASSERT_TRUE(d->bound[k].start <= start.distance);
            TEST_ASSERT_TRUE(d->bound[k].end <= end.distance);
            if (d->bound[k].exact) TEST_ASSERT_EQUAL_DOUBLE(start.distance, d->bound[k].start);
            exact += d->bound[k].exact;
            bounds += !d->bound[k].exact;
            tight += d->bound[k].end > 0.9 * end.distance;
        }
    }
    TEST_ASSERT_TRUE(exact > 1000 && bounds > 1000 && tight > 1000);
    pl_world_destroy(world);
}

// Bounds by directions hold on the whole way, and are good if the direction is that of the closest
// points.
static void test_bounds_by_directions(void)
{
    const int32_t point[4] = {0, 1, 2, 3};
    const pl_candidate_set c = {.blur = 1e-12};
    int good = 0, clear = 0, n = 20000;
    for (int trial = 0; trial < n; trial++) {
        pl_candidate candidate = {.kind = (int8_t)(trial % 4)};
        double x[3][12], normal[3] = {random_number(), random_number(), random_number()};
        for (int i = 0; i < 12; i++) {
            x[0][i] = random_number() + (i % 3 == 2 && i / 3 < pl_pair_first(trial % 4));
            x[2][i] = x[0][i] + 0.1 * random_number();
        }
        pl_closest closest;
        pl_closest_points((pl_pair_kind)candidate.kind, x[0], &closest);
        double length = sqrt(pl_dot(normal, normal));
        for (int k = 0; k < 3; k++) normal[k] /= length;
        pl_candidate_turn(&candidate, trial % 3 == 0 ? normal : closest.normal);
        double start = pl_candidate_bound(&c, &candidate, point, x[0]);
        double end = pl_candidate_bound(&c, &candidate, point, x[2]);
        TEST_ASSERT_TRUE(start <= closest.distance);
        good += trial % 3 != 0 && start > 0.99 * closest.distance - 0.01 * 2;
        clear += fmin(start, end) > 0;
        for (int k = 0; k <= 8; k++) {
            for (int i = 0; i < 12; i++) x[1][i] = x[0][i] + k / 8.0 * (x[2][i] - x[0][i]);
            pl_closest_points((pl_pair_kind)candidate.kind, x[1], &closest);
            TEST_ASSERT_TRUE(fmin(start, end) <= closest.distance);
        }
    }
    TEST_ASSERT_TRUE(good >= n / 3 * 2 - 2 && clear > n / 4);
}

// Points far away that rush along together: single precision must not tell less than the truth.
static void test_approaches_are_not_rounded_away(void)
{
    enum { N = 4 };
    int32_t first[] = {0, N};
    double x0[3 * N], x1[3 * N], size[] = {1};
    pl_boundary boundary = {.n = N, .n_body = 1, .first = first, .x0 = x0, .x1 = x1, .size = size};
    pl_candidate_set c = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_candidates_reserve(&c, &boundary));
    memset(c.since, 0, sizeof *c.since);
    memset(c.ahead, 0, sizeof *c.ahead);
    const int n_point[] = {2, 3, 4, 4};
    for (int trial = 0; trial < 20000; trial++) {
        int kind = trial % 4;
        double fast = pow(10, 2 * random_number()), each = pow(10, -4 + 4 * random_number());
        double common[3] = {fast * random_number(), fast * random_number(), fast * random_number()};
        for (int i = 0; i < 3 * N; i++) {
            x0[i] = 1000 * random_number();
            x1[i] = x0[i] + common[i % 3] + each * random_number();
        }
        TEST_ASSERT_EQUAL(PL_OK, pl_candidates_follow(&c, &boundary));
        double mean[3] = {0}, most[2] = {0};
        for (int i = 0; i < 3 * n_point[kind]; i++) mean[i % 3] += (x1[i] - x0[i]) / n_point[kind];
        for (int p = 0; p < n_point[kind]; p++) {
            double square = 0;
            for (int k = 0; k < 3; k++) {
                double by = x1[3 * p + k] - x0[3 * p + k] - mean[k];
                square += by * by;
            }
            int side = p >= pl_pair_first(kind);
            most[side] = fmax(most[side], sqrt(square));
        }
        const int32_t point[4] = {0, 1, 2, 3};
        double by = pl_candidates_approach(&c, kind, point);
        TEST_ASSERT_TRUE(by >= most[0] + most[1]);
        TEST_ASSERT_TRUE(by <= 1.001 * (most[0] + most[1]) + 1e-5 * fast);
    }
    pl_candidates_free(&c);
}

// The normal impulse that a row should start with, by the memory of its pair.
static double remembered(const pl_contacts *c, int32_t i)
{
    const pl_blocks *b = c->blocks;
    for (int64_t m = 0; m < b->n_memory; m++) {
        if (pl_block_id_compare(&b->memory[m].id, &c->row[i].pair) != 0) continue;
        return fmax(b->problem.dt * pl_dot(b->memory[m].force, pl_contacts_block(c, i)->R), 0);
    }
    return 0;
}

// In whatever order they come.
static void test_rows_start_from_the_forces_of_their_pairs(void)
{
    pl_world *world = make_pile(5);
    step(world, 60);
    pl_contact_step *contact = world->contact;
    pl_contacts *c = &contact->contacts;
    int started = 0;
    pl_contacts_clear(c);
    pl_places_start(world, &contact->boundary);
    pl_places_guess(world, world->system.v_new, world->dt, world->time + world->dt,
                    &contact->boundary);
    TEST_ASSERT_EQUAL(PL_OK, pl_detect_start(&contact->detection, &contact->boundary, c));
    int32_t n = pl_contacts_count(c);
    for (int32_t i = 0; i < 3 * n; i++) {
        int32_t k = i < 2 * n ? n - 1 - i % n : i * 7 % n; // backwards, and mixed
        const pl_row row = c->row[k];
        const pl_constraint *of = pl_contacts_block(c, k);
        pl_closest closest = {.distance = 1};
        memcpy(closest.weight, row.weight, sizeof row.weight);
        memcpy(closest.normal, of->R, sizeof closest.normal);
        TEST_ASSERT_EQUAL(PL_OK, pl_contacts_add(c, &contact->boundary, &row.pair, &closest,
                                                 row.gap, true, false));
    }
    TEST_ASSERT_EQUAL(4 * n, pl_contacts_count(c));
    for (int32_t i = 0; i < 4 * n; i++) {
        double f = remembered(c, i);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * fmax(f, 1e-3), f, pl_contacts_f(c, i)[0]);
        started += f > 0;
    }
    TEST_ASSERT_TRUE(started > 100);
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_old_search_finds_what_a_new_one_does);
    RUN_TEST(test_fast_bodies);
    RUN_TEST(test_bodies_in_a_crowd);
    RUN_TEST(test_a_body_that_is_put_elsewhere);
    RUN_TEST(test_resume_in_the_life_of_a_search);
    RUN_TEST(test_steps_go_on_after_failing_allocations);
    RUN_TEST(test_a_body_alone);
    RUN_TEST(test_what_is_added_is_tested);
    RUN_TEST(test_known_distances);
    RUN_TEST(test_bounds_by_directions);
    RUN_TEST(test_approaches_are_not_rounded_away);
    RUN_TEST(test_rows_start_from_the_forces_of_their_pairs);
    return UNITY_END();
}
