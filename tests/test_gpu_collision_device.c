// A device in place of the CPU for surfaces (collision/device.h): the same pairs and the same bits
// of what decides about trees, through searches, extensions and renewals while bodies deform; the
// same hits; and what happens when it fails.

#include "../collision/device.h"
#include "../gpu/device.h"
#include "../gpu/oracle.h"
#include "colliders.h"
#include "failing_alloc.h"
#include "logs.h"

#include <stdlib.h>

// What the tests run on, with which sizes of groups.
static const struct {
    const char *name;
    pl_gpu_kind kind;
    bool backward;
    int32_t group;
} modes[] = {{"the oracle", PL_GPU_ORACLE, false, 128},
             {"the oracle backwards", PL_GPU_ORACLE, true, 32},
             {"OpenCL", PL_GPU_OPENCL, false, 1},
             {"OpenCL", PL_GPU_OPENCL, false, 256}};

static size_t mode;
static pl_device *device;

void setUp(void)
{
    pl_oracle_go_backward(modes[mode].backward);
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(modes[mode].kind, 0, &device));
    pl_gpu_set_group_size(pl_gpu_of(device), modes[mode].group);
}

void tearDown(void)
{
    fail_never();
    TEST_ASSERT_EQUAL_INT64(0, pl_gpu_look(pl_gpu_of(device))->held);
    pl_gpu_device_close(device);
}

static void expect_same_candidates(const pl_candidates *a, const pl_candidates *b)
{
    const int64_t n[4] = {a->n_vertex_vertex, a->n_vertex_edge, a->n_vertex_face, a->n_edge_edge};
    const int64_t m[4] = {b->n_vertex_vertex, b->n_vertex_edge, b->n_vertex_face, b->n_edge_edge};
    const int32_t *p[4] = {a->vertex_vertex, a->vertex_edge, a->vertex_face, a->edge_edge};
    const int32_t *q[4] = {b->vertex_vertex, b->vertex_edge, b->vertex_face, b->edge_edge};
    for (int k = 0; k < 4; k++) {
        TEST_ASSERT_EQUAL_INT64(n[k], m[k]);
        if (n[k] > 0) TEST_ASSERT_EQUAL_MEMORY(p[k], q[k], 8 * (size_t)n[k]);
    }
}

// The order of trees and their costs, and the boxes of points.
static void expect_same_trees(pl_surfaces *a, pl_surfaces *b)
{
    size_t size = pl_surfaces_state_size(a);
    char *one = malloc(size), *two = malloc(size);
    pl_surfaces_get_state(a, one);
    pl_surfaces_get_state(b, two);
    TEST_ASSERT_EQUAL_MEMORY(one, two, size);
    for (int32_t p = 0; p < a->n_point; p++) {
        TEST_ASSERT_EQUAL_MEMORY(&a->point_bound[p], &b->point_bound[p], sizeof(pl_bound));
    }
    free(one), free(two);
}

// Cloths, soup, balls and strings, all of whose points stand together.
static void make_scene(uint64_t seed)
{
    begin(seed);
    add_cloth(24, 3, 0.12, (double[]){-0.5, -0.5, 0});
    add_soup(60, 1);
    add_balls(30, 0.04);
    add_string(30, 0.02);
    add_cloth(6, 1, 0.1, (double[]){0, 0, 0.4});
}

// The next motion: from where the last one ended, by `most`; of one body, or of all (-1).
static void go_on(double most, int32_t first, int32_t last)
{
    for (int32_t v = 0; v < S.n_vert; v++) {
        for (int k = 0; k < 3; k++) {
            int32_t at = 3 * v + k;
            S.x0[at] = S.x1[at];
            if (v >= first && v < last) S.x1[at] += uniform(-most, most);
        }
    }
}

// A long fold, so that trees decay and are sorted anew.
static void deform(double by)
{
    for (int32_t v = 0; v < S.n_vert; v++) {
        double *x = S.x1 + 3 * v, *from = S.x0 + 3 * v;
        memcpy(from, x, 3 * sizeof *x);
        x[0] += by * sin(7 * from[1]);
        x[2] += by * cos(5 * from[0]);
    }
}

static int32_t stale_of(pl_surfaces *s, uint8_t *stale)
{
    memset(stale, 0, MAX_COLLIDER);
    return pl_surfaces_stale(s, S.x0, S.x1, stale);
}

static void renew_both(pl_surfaces *s, pl_surfaces *t, double margin)
{
    uint8_t stale[MAX_COLLIDER], other[MAX_COLLIDER];
    pl_candidates c, d;
    TEST_ASSERT_EQUAL(stale_of(s, stale), stale_of(t, other));
    TEST_ASSERT_EQUAL_MEMORY(stale, other, MAX_COLLIDER);
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_renew(s, S.x0, S.x1, margin, stale, &c));
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_renew(t, S.x0, S.x1, margin, stale, &d));
    expect_same_candidates(&c, &d);
    expect_same_trees(s, t);
}

static int64_t grow_both(pl_surfaces *s, pl_surfaces *t)
{
    uint8_t stale[MAX_COLLIDER] = {0}, other[MAX_COLLIDER] = {0};
    pl_candidates c, d;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_grow(s, S.x0, S.x1, stale, &c));
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_grow(t, S.x0, S.x1, other, &d));
    TEST_ASSERT_EQUAL_MEMORY(stale, other, MAX_COLLIDER);
    expect_same_candidates(&c, &d);
    expect_same_trees(s, t);
    return c.n_vertex_face + c.n_edge_edge + c.n_vertex_edge + c.n_vertex_vertex;
}

static int64_t search_both(pl_surfaces *s, pl_surfaces *t, double margin)
{
    pl_candidates c, d;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, margin, &c));
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(t, S.x0, S.x1, margin, &d));
    expect_same_candidates(&c, &d);
    expect_same_trees(s, t);
    return c.n_vertex_face + c.n_edge_edge;
}

static bool has_patches(const pl_surfaces *s)
{
    for (int64_t k = 0; k < s->n_block; k++) {
        if (s->block[k]->kind == PL_PAIR_PATCH && s->block[k]->n > 0) return true;
    }
    return false;
}

static void test_the_same_searches(void)
{
    int64_t pairs = 0, added = 0;
    bool patches = false;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        make_scene(seed);
        pl_surfaces *s = build(), *t = build();
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_surfaces_use(t, device), pl_error_text());
        shake(0.01);
        pairs += search_both(s, t, 0.02);
        patches = patches || has_patches(t);
        for (int step = 0; step < 6; step++) {
            go_on(step % 2 == 0 ? 1e-4 : 0.03, 0, S.n_vert);
            added += grow_both(s, t);
            go_on(0.05, 0, 40); // of the first body only
            renew_both(s, t, 0.01);
            deform(0.3);
            pairs += search_both(s, t, step % 2 == 0 ? 0 : 0.01);
        }
        TEST_ASSERT_TRUE(pl_surfaces_has_device(t));
        pl_surfaces_destroy(s), pl_surfaces_destroy(t);
    }
    TEST_ASSERT_TRUE(pairs > 10000 && added > 100 && patches);
}

// Trees that were sorted anew on the way are part of what is compared above: some are.
static void test_trees_are_sorted_anew(void)
{
    make_scene(5);
    pl_surfaces *s = build(), *t = build();
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_use(t, device));
    size_t size = pl_surfaces_state_size(s);
    char *before = malloc(size), *after = malloc(size);
    search_both(s, t, 0);
    pl_surfaces_get_state(t, before);
    for (int step = 0; step < 5; step++) {
        deform(0.5);
        memcpy(S.x0, S.x1, sizeof S.x0);
        search_both(s, t, 0);
    }
    pl_surfaces_get_state(t, after);
    TEST_ASSERT_TRUE(memcmp(before, after, size) != 0);
    free(before), free(after);
    pl_surfaces_destroy(s), pl_surfaces_destroy(t);
}

// A state that is set has another order of items.
static void test_states(void)
{
    make_scene(6);
    pl_surfaces *s = build(), *t = build();
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_use(t, device));
    deform(0.5);
    search_both(s, t, 0);
    void *state = malloc(pl_surfaces_state_size(s));
    pl_surfaces_get_state(s, state);
    pl_surfaces *u = build();
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_use(u, device));
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_set_state(u, state));
    search_both(t, u, 0.01);
    free(state);
    pl_surfaces_destroy(s), pl_surfaces_destroy(t), pl_surfaces_destroy(u);
}

static void test_a_motion_that_is_not_finite(void)
{
    pl_candidates c;
    make_scene(7);
    S.x1[3 * 17 + 1] = NAN;
    pl_surfaces *t = build();
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_use(t, device));
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, pl_surfaces_search(t, S.x0, S.x1, 0, &c));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "vertex 17"));
    TEST_ASSERT_TRUE(pl_surfaces_has_device(t)); // which has done nothing wrong
    pl_surfaces_destroy(t);
}

// --- The continuous test ---

enum { TESTED = 4000 };

static int64_t make_tests(pl_tested_pair *pair)
{
    for (int64_t i = 0; i < TESTED; i++) {
        pl_tested_pair *p = &pair[i];
        *p = (pl_tested_pair){.kind = pick(4), .separation = pow(10, uniform(-4, -1))};
        if (i % 3 == 0) p->radii = p->separation * uniform(0.5, 1);
        for (int k = 0; k < 4; k++) p->vertex[k] = (int32_t)(4 * (i % (S.n_vert / 4))) + k;
    }
    return TESTED;
}

static void test_the_same_hits(void)
{
    static pl_tested_pair pair[TESTED];
    static uint8_t here[TESTED], there[TESTED];
    int64_t hits = 0, n_tests = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        begin(seed);
        for (int i = 0; i < 1000; i++) {
            double size = pow(10, uniform(-3, 0));
            for (int k = 0; k < 4; k++) {
                vertex(uniform(0, size), uniform(0, size), uniform(0, size));
            }
        }
        pl_collider *c = collider();
        c->point = indices(2, (int32_t[]){0, 1});
        c->n_point = 2;
        shake(pow(10, uniform(-3, 0)));
        pl_surfaces *s = build(), *t = build();
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_use(t, device));
        int64_t n = make_tests(pair);
        int64_t before = pl_gpu_look(pl_gpu_of(device))->launches;
        pl_surfaces_test(s, S.x0, S.x1, n, pair, here);
        pl_surfaces_test(t, S.x0, S.x1, n, pair, there);
        TEST_ASSERT_EQUAL_MEMORY(here, there, (size_t)n);
        TEST_ASSERT_EQUAL_INT64(before + 2, pl_gpu_look(pl_gpu_of(device))->launches);
        for (int64_t i = 0; i < n; i++) hits += here[i];
        n_tests += n;
        pl_surfaces_test(t, S.x0, S.x1, 0, pair, there);
        pl_surfaces_destroy(s), pl_surfaces_destroy(t);
    }
    TEST_ASSERT_TRUE(hits > n_tests / 10 && hits < n_tests - n_tests / 10);
}

static void test_the_same_closest_points(void)
{
    static int32_t pair[5 * TESTED];
    static pl_closest here[TESTED], there[TESTED];
    begin(11);
    add_soup(400, 1);
    shake(0.1);
    pl_surfaces *s = build(), *t = build();
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_use(t, device));
    for (int i = 0; i < TESTED; i++) {
        pair[5 * i] = pick(4);
        for (int k = 0; k < 4; k++) pair[5 * i + 1 + k] = (i + 7 * k * (1 + i % 3)) % S.n_vert;
    }
    const double *at[] = {S.x0, S.x1, S.x1, S.x0};
    memset(here, 0, sizeof here), memset(there, 0, sizeof there);
    for (int k = 0; k < 4; k++) {
        pl_surfaces_closest(s, at[k], TESTED, pair, here);
        pl_surfaces_closest(t, at[k], TESTED, pair, there);
        TEST_ASSERT_EQUAL_MEMORY(here, there, sizeof here);
    }
    pl_surfaces_closest(t, S.x0, 0, pair, there);
    TEST_ASSERT_TRUE(pl_surfaces_has_device(t));
    pl_surfaces_destroy(s), pl_surfaces_destroy(t);
}

// --- Failures ---

// Memory that fails in the middle: the CPU does it, with one warning, and finds the same.
static void test_a_device_that_fails(void)
{
    bool failed = true;
    int times = 0;
    for (int64_t n = 0; failed; n++) {
        make_scene(8);
        pl_surfaces *s = build(), *t = build();
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_use(t, device));
        search_both(s, t, 0);
        deform(0.3);
        pl_candidates c, d;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.02, &c));
        keep_log();
        fail_nth(n);
        pl_status status = pl_surfaces_search(t, S.x0, S.x1, 0.02, &d);
        fail_never();
        pl_set_log(NULL, NULL);
        failed = !pl_surfaces_has_device(t) || status != PL_OK;
        if (status == PL_OK) {
            expect_same_candidates(&c, &d);
            if (failed) expect_warning("without the device", "");
        }
        times += failed;
        go_on(0.02, 0, S.n_vert);
        if (status == PL_OK) grow_both(s, t);
        pl_surfaces_destroy(s), pl_surfaces_destroy(t);
    }
    TEST_ASSERT_TRUE(times > 2);
}

// No memory from the start: the CPU, with a warning, and nothing is left.
static void test_no_memory(void)
{
    make_scene(9);
    pl_surfaces *t = build();
    for (int64_t n = 2;; n++) { // after those of the CPU
        fail_nth(n);
        pl_status status = pl_surfaces_use(t, device);
        fail_never();
        TEST_ASSERT_EQUAL(PL_OK, status);
        if (t->device != NULL) break;
        TEST_ASSERT_EQUAL_INT64(0, pl_gpu_look(pl_gpu_of(device))->held);
    }
    pl_surfaces_destroy(t);
}

int main(void)
{
    UNITY_BEGIN();
    for (mode = 0; mode < sizeof modes / sizeof *modes; mode++) {
        pl_gpu_info info;
        if (pl_gpu_list(modes[mode].kind, 1, &info) == 0 || info.lacks != NULL) continue;
        printf("%s, groups of %d\n", modes[mode].name, (int)modes[mode].group);
        RUN_TEST(test_the_same_searches);
        RUN_TEST(test_trees_are_sorted_anew);
        RUN_TEST(test_states);
        RUN_TEST(test_a_motion_that_is_not_finite);
        RUN_TEST(test_the_same_hits);
        RUN_TEST(test_the_same_closest_points);
        if (modes[mode].kind != PL_GPU_ORACLE) continue; // whose memory fails on demand
        RUN_TEST(test_a_device_that_fails);
        RUN_TEST(test_no_memory);
    }
    return UNITY_END();
}
