// Collision on devices: boxes with the bits of collision/bvh.c, the pairs of pl_surfaces_search,
// the closest points and the continuous test of collision/, to the bit.

#include "../collision/ccd.h"
#include "../collision/patch.h"
#include "../collision/search.h"
#include "../gpu/collision.h"
#include "../gpu/scan.h"
#include "colliders.h"
#include "devices.h"
#include "failing_alloc.h"

#include <stdio.h>
#include <stdlib.h>

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
}

// --- Prefix sums ---

static void test_scan(void)
{
    static const int64_t shapes[] = {0, 1, 15, 16, 17, 255, 4095, 4096, 4097, 8192, 20000};
    int32_t *count = malloc(20000 * 4), *want = malloc(20000 * 4), *got = malloc(20000 * 4);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int64_t n = shapes[i], sum = 0, total;
        for (int64_t k = 0; k < n; k++) {
            count[k] = pick(7);
            want[k] = (int32_t)sum;
            sum += count[k];
        }
        for (int d = 0; d < n_devices; d++) {
            for (int g = 0; g < N_GROUPS; g++) {
                pl_gpu *gpu = use_device(d, device_groups[g]);
                pl_gpu_buffer c = to_device(gpu, n, 4, count), s = to_device(gpu, n, 4, got);
                pl_gpu_buffer part = {0};
                TEST_ASSERT_EQUAL(PL_OK, pl_gpu_scan(gpu, n, &c, &part, &s, &total));
                TEST_ASSERT_EQUAL_INT64(sum, total);
                from_device(gpu, &s, 4 * n, got);
                expect_same_bits(devices + d, device_groups[g], want, got, 4 * n);
                pl_gpu_drop(gpu, &c), pl_gpu_drop(gpu, &part);
            }
        }
    }
    free(count), free(want), free(got);
}

// --- Boxes and pairs ---

static int order(const void *a, const void *b)
{
    return memcmp(a, b, 12);
}

// The pairs of a search as triples of kind and features, big-endian, sorted.
typedef struct triples {
    int64_t n;
    uint32_t *at;
} triples;

static void set_triple(uint32_t *to, int32_t kind, int32_t a, int32_t b)
{
    to[0] = __builtin_bswap32((uint32_t)kind);
    to[1] = __builtin_bswap32((uint32_t)a);
    to[2] = __builtin_bswap32((uint32_t)b);
}

static triples of_candidates(const pl_candidates *c)
{
    const int64_t n[4] = {c->n_vertex_vertex, c->n_vertex_edge, c->n_vertex_face, c->n_edge_edge};
    const int32_t *list[4] = {c->vertex_vertex, c->vertex_edge, c->vertex_face, c->edge_edge};
    triples t = {0, malloc(12 * (size_t)(n[0] + n[1] + n[2] + n[3]) + 12)};
    for (int k = 0; k < 4; k++) {
        for (int64_t i = 0; i < n[k]; i++) {
            set_triple(t.at + 3 * t.n++, k, list[k][2 * i], list[k][2 * i + 1]);
        }
    }
    qsort(t.at, (size_t)t.n, 12, order);
    return t;
}

// By vertices where it is points.
static triples of_features(const int32_t *feature, int64_t n)
{
    triples t = {n, malloc(12 * (size_t)n + 12)};
    for (int64_t i = 0; i < n; i++) {
        const int32_t *f = feature + 7 * i;
        int32_t b = f[0] == PL_VERTEX_VERTEX ? f[4] : f[2];
        set_triple(t.at + 3 * i, f[0], f[0] == PL_EDGE_EDGE ? f[1] : f[3], b);
    }
    qsort(t.at, (size_t)n, 12, order);
    return t;
}

static void expect_pairs(const pl_candidates *c, const int32_t *feature, int64_t n)
{
    triples want = of_candidates(c), got = of_features(feature, n);
    TEST_ASSERT_EQUAL_INT64(want.n, got.n);
    if (want.n > 0) TEST_ASSERT_EQUAL_MEMORY(want.at, got.at, 12 * (size_t)want.n);
    free(want.at), free(got.at);
}

// Boxes of the CPU's, as six numbers each.
static void expect_boxes(const device *d, int32_t size, pl_gpu *gpu, int64_t n,
                         const pl_bound *want, const pl_gpu_buffer *bound)
{
    float *box = malloc(24 * (size_t)n + 24), *expected = malloc(24 * (size_t)n + 24);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            expected[6 * i + k] = want[i].lo[k];
            expected[6 * i + 3 + k] = want[i].nhi[k];
        }
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_read(gpu, bound, 0, 24 * n, box));
    expect_same_bits(d, size, expected, box, 24 * n);
    free(box), free(expected);
}

// --- Distances and the continuous test ---

enum { MOST_TESTED = 3000 };

static void expect_closest(const device *d, int32_t size, pl_gpu *gpu, int64_t n,
                           const int32_t *feature, const pl_gpu_buffer *list,
                           const pl_gpu_buffer *x)
{
    double *want = malloc(64 * (size_t)n + 8), *got = malloc(64 * (size_t)n + 8);
    pl_gpu_buffer closest = to_device(gpu, 8 * n, 8, got);
    pl_gpu_closest(gpu, n, PL_GPU_FEATURE, list, x, &closest);
    for (int64_t i = 0; i < n; i++) {
        double p[12];
        pl_closest c;
        for (int k = 0; k < 12; k++) p[k] = S.x0[3 * feature[7 * i + 3 + k / 3] + k % 3];
        pl_closest_points((pl_pair_kind)feature[7 * i], p, &c);
        want[8 * i] = c.distance;
        for (int k = 0; k < 4; k++) want[8 * i + 1 + k] = c.weight[k];
        for (int k = 0; k < 3; k++) want[8 * i + 5 + k] = c.normal[k];
    }
    from_device(gpu, &closest, 64 * n, got);
    expect_same_bits(d, size, want, got, 64 * n);
    free(want), free(got);
}

typedef struct tests {
    int32_t *hit;
    double *time, *closest, *separation, *radii;
} tests;

static tests make_tests(int64_t n)
{
    size_t room = (size_t)n + 1;
    return (tests){malloc(4 * room), malloc(8 * room), malloc(64 * room), malloc(8 * room),
                   malloc(8 * room)};
}

static void free_tests(tests *t)
{
    free(t->hit), free(t->time), free(t->closest), free(t->separation), free(t->radii);
}

static bool test_on_cpu(const int32_t *f, const tests *t, int64_t i, bool halve, pl_impact *out)
{
    double a[12], b[12];
    if (halve) {
        return pl_ccd_vertices((pl_pair_kind)f[0], f + 3, S.x0, S.x1, t->separation[i], out);
    }
    for (int k = 0; k < 12; k++) {
        a[k] = S.x0[3 * f[3 + k / 3] + k % 3];
        b[k] = S.x1[3 * f[3 + k / 3] + k % 3];
    }
    return pl_ccd_round((pl_pair_kind)f[0], a, b, t->radii[i], t->separation[i], out);
}

static int64_t expect_ccd(const device *d, int32_t size, pl_gpu *gpu, int64_t n,
                          const int32_t *feature, const pl_gpu_buffer *list,
                          const pl_gpu_buffer *x0, const pl_gpu_buffer *x1, bool halve)
{
    tests t = make_tests(n);
    int64_t hits = 0;
    for (int64_t i = 0; i < n; i++) {
        t.separation[i] = uniform(1e-4, 2e-2);
        t.radii[i] = halve ? 0 : 0.3 * (double)(i % 3) * t.separation[i];
    }
    pl_gpu_buffer separation = to_device(gpu, n, 8, t.separation);
    pl_gpu_buffer radii = to_device(gpu, n, 8, t.radii), hit = to_device(gpu, n, 4, t.hit);
    pl_gpu_buffer time = to_device(gpu, n, 8, t.time),
                  closest = to_device(gpu, 8 * n, 8, t.closest);
    pl_gpu_ccd(gpu, n, list, x0, x1, &separation, &radii, halve, &hit, &time, &closest);
    from_device(gpu, &hit, 4 * n, t.hit);
    from_device(gpu, &time, 8 * n, t.time);
    from_device(gpu, &closest, 64 * n, t.closest);
    for (int64_t i = 0; i < n; i++) {
        pl_impact impact;
        bool want = test_on_cpu(feature + 7 * i, &t, i, halve, &impact);
        TEST_ASSERT_EQUAL_INT32(want, t.hit[i]);
        if (!want) continue;
        hits++;
        expect_same_bits(d, size, &impact.time, t.time + i, 8);
        expect_same_bits(d, size, &impact.closest.distance, t.closest + 8 * i, 8);
        expect_same_bits(d, size, impact.closest.weight, t.closest + 8 * i + 1, 32);
        expect_same_bits(d, size, impact.closest.normal, t.closest + 8 * i + 5, 24);
    }
    pl_gpu_drop(gpu, &separation), pl_gpu_drop(gpu, &radii);
    free_tests(&t);
    return hits;
}

// --- The whole ---

static void expect_no_item_with_itself(pl_gpu *gpu, const pl_gpu_surfaces *g)
{
    int32_t *pair = malloc(8 * (size_t)g->n_pair + 8);
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_read(gpu, &g->pair, 0, 8 * g->n_pair, pair));
    for (int64_t i = 0; i < g->n_pair; i++) TEST_ASSERT_TRUE(pair[2 * i] != pair[2 * i + 1]);
    free(pair);
}

// Which trees meet, and the patches that cannot touch themselves, as the CPU says.
static void find_tasks_and_patches(pl_surfaces *s)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_reserve((void **)&s->leaf_patch, &s->leaf_patch_capacity, s->n_leaf,
                                        sizeof *s->leaf_patch));
    TEST_ASSERT_EQUAL(PL_OK, pl_search_tasks(s));
    pl_patch_list(s);
}

static pl_status try_move_and_refit(pl_gpu *gpu, pl_gpu_surfaces *g, const pl_gpu_buffer *x0,
                                    const pl_gpu_buffer *x1, double margin, int32_t *bad)
{
    const pl_surfaces *s = g->surfaces;
    float *root = malloc(28 * (size_t)(s->n_chunk + s->n_body) + 28);
    pl_status status = pl_gpu_surfaces_move(gpu, g, x0, x1, margin, NULL, bad);
    if (status == PL_OK) status = pl_gpu_surfaces_refit(gpu, g, root);
    free(root);
    return status;
}

static void move_and_refit(pl_gpu *gpu, pl_gpu_surfaces *g, const pl_gpu_buffer *x0,
                           const pl_gpu_buffer *x1, double margin)
{
    int32_t bad;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, try_move_and_refit(gpu, g, x0, x1, margin, &bad),
                              pl_error_text());
    TEST_ASSERT_EQUAL_INT32(INT32_MAX, bad);
}

static void hold(int n_groups, double margin, int64_t *pairs, int64_t *hits)
{
    pl_surfaces *s = build();
    pl_candidates c;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_surfaces_search(s, S.x0, S.x1, margin, &c),
                              pl_error_text());
    find_tasks_and_patches(s);
    int32_t *first = NULL;
    int64_t n_first = 0;
    for (int d = 0; d < n_devices; d++) {
        for (int k = 0; k < n_groups; k++) {
            int32_t size = device_groups[n_groups > 1 ? k : 3];
            pl_gpu *gpu = use_device(d, size);
            pl_gpu_surfaces g;
            TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_gpu_surfaces_create(gpu, s, &g), pl_error_text());
            pl_gpu_buffer x0 = to_device(gpu, 3 * S.n_vert, 8, S.x0);
            pl_gpu_buffer x1 = to_device(gpu, 3 * S.n_vert, 8, S.x1);
            move_and_refit(gpu, &g, &x0, &x1, margin);
            expect_boxes(devices + d, size, gpu, s->n_point, s->point_bound, &g.point_bound);
            expect_boxes(devices + d, size, gpu, s->n_item, s->item_bound, &g.item_bound);
            expect_boxes(devices + d, size, gpu, s->n_node, s->node_bound, &g.bound);
            TEST_ASSERT_EQUAL_MESSAGE(
                PL_OK, pl_gpu_surfaces_search(gpu, &g, s->leaf_patch, s->smooth), pl_error_text());
            expect_no_item_with_itself(gpu, &g);
            int32_t *feature = malloc(28 * (size_t)g.n_feature + 28);
            TEST_ASSERT_EQUAL(PL_OK, pl_gpu_read(gpu, &g.feature, 0, 28 * g.n_feature, feature));
            expect_pairs(&c, feature, g.n_feature);
            int64_t n = PL_MIN(g.n_feature, MOST_TESTED);
            expect_closest(devices + d, size, gpu, n, feature, &g.feature, &x0);
            *hits += expect_ccd(devices + d, size, gpu, n, feature, &g.feature, &x0, &x1, k % 2);
            *pairs += g.n_feature;
            if (first == NULL) {
                first = feature;
                n_first = g.n_feature;
            } else { // in the same order everywhere
                TEST_ASSERT_EQUAL_INT64(n_first, g.n_feature);
                expect_same_bits(devices + d, size, first, feature, 28 * n_first);
                free(feature);
            }
            pl_gpu_surfaces_free(gpu, &g);
            pl_gpu_drop(gpu, &x0), pl_gpu_drop(gpu, &x1);
        }
    }
    free(first);
    pl_surfaces_destroy(s);
}

static void test_empty_and_single(void)
{
    int64_t pairs = 0, hits = 0;
    begin(1);
    hold(1, 0.01, &pairs, &hits);
    begin(2);
    add_soup(1, 1);
    hold(1, 0.01, &pairs, &hits);
    begin(3);
    add_balls(1, 0.1);
    hold(1, 0.01, &pairs, &hits);
    TEST_ASSERT_EQUAL_INT64(0, pairs);
}

// Boxes that share a plane, and no more, meet: on either side.
static void test_touching(void)
{
    int64_t pairs = 0, hits = 0;
    begin(4);
    for (int i = 0; i < 3; i++) {
        pl_collider *c = collider();
        double x = (i + 1) % 3;
        c->face = S.index + S.n_index;
        c->n_face = 1;
        int32_t face[3] = {vertex(x, 0, 0), vertex(x + 1, 0, 0), vertex(x, 1, 0.5)};
        indices(3, face);
    }
    hold(1, 0, &pairs, &hits);
    TEST_ASSERT_TRUE(pairs > 0);
}

// Faces, edges and points of all sizes, with radii, that move past each other.
static void test_random_surfaces(void)
{
    int64_t pairs = 0, hits = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        begin(seed);
        add_soup(3 + (int32_t)(seed * seed * 5), 1);
        add_soup(40, 1);
        if (seed % 2 == 0) add_balls(30, 0.05);
        if (seed % 3 == 0) add_string(40, 0.02);
        if (seed % 3 == 1) add_cloth(6, 2, 0.1, (double[]){-0.5, -0.5, 0});
        shake(0.2);
        hold(seed == 8 ? N_GROUPS : 1, seed % 2 == 0 ? 0 : 0.03, &pairs, &hits);
    }
    TEST_ASSERT_TRUE(pairs > 10000 && hits > 100);
}

// A motion that is no number is told.
static void test_motion_that_is_not_finite(void)
{
    begin(5);
    add_soup(20, 1);
    S.x1[3 * 17 + 1] = NAN;
    pl_surfaces *s = build();
    for (int d = 0; d < n_devices; d++) {
        pl_gpu *gpu = use_device(d, 64);
        pl_gpu_surfaces g;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_surfaces_create(gpu, s, &g));
        pl_gpu_buffer x0 = to_device(gpu, 3 * S.n_vert, 8, S.x0);
        pl_gpu_buffer x1 = to_device(gpu, 3 * S.n_vert, 8, S.x1);
        int32_t bad;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_surfaces_move(gpu, &g, &x0, &x1, 0, NULL, &bad));
        TEST_ASSERT_EQUAL_INT32(17, s->point[bad]);
        pl_gpu_surfaces_free(gpu, &g);
        pl_gpu_drop(gpu, &x0), pl_gpu_drop(gpu, &x1);
    }
    pl_surfaces_destroy(s);
}

static pl_surfaces *wanted;

static pl_status create_and_search(void *user)
{
    pl_gpu *gpu = user;
    pl_gpu_surfaces g = {0};
    pl_gpu_buffer x = {0};
    pl_status status = pl_gpu_take(gpu, 3 * S.n_vert, 8, &x);
    if (status == PL_OK) pl_gpu_write(gpu, &x, 0, 24 * (int64_t)S.n_vert, S.x0);
    if (status == PL_OK) status = pl_gpu_surfaces_create(gpu, wanted, &g);
    int32_t bad;
    const int32_t *name;
    if (status == PL_OK) status = try_move_and_refit(gpu, &g, &x, &x, 0.1, &bad);
    if (status == PL_OK)
        status = pl_gpu_surfaces_search(gpu, &g, wanted->leaf_patch, wanted->smooth);
    if (status == PL_OK) status = pl_gpu_surfaces_names(gpu, &g, &name);
    pl_gpu_surfaces_free(gpu, &g);
    pl_gpu_drop(gpu, &x);
    return status;
}

static void test_no_memory(void)
{
    begin(6);
    add_soup(30, 1);
    wanted = build();
    pl_candidates c;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(wanted, S.x0, S.x0, 0.1, &c));
    find_tasks_and_patches(wanted);
    fail_each_allocation(create_and_search, use_device(0, 64));
    pl_surfaces_destroy(wanted);
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_scan);
    RUN_TEST(test_empty_and_single);
    RUN_TEST(test_touching);
    RUN_TEST(test_random_surfaces);
    RUN_TEST(test_motion_that_is_not_finite);
    RUN_TEST(test_no_memory);
    close_devices();
    return UNITY_END();
}
