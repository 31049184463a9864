// Smooth patches that are left out of the search: never one that touches itself.

#include "../collision/patch.h"
#include "colliders.h"

void setUp(void)
{
}
void tearDown(void)
{
}

// A sheet of n x m cells, x (u, v) for u and v in [0, 1]; at the end of the motion y (u, v).
typedef void place(double u, double v, double x[3]);

static void add_sheet(int32_t n, int32_t m, place *start, place *end)
{
    pl_collider *c = collider();
    c->face = S.index + S.n_index;
    c->n_face = 2 * n * m;
    int32_t first = S.n_vert;
    for (int32_t j = 0; j <= m; j++) {
        for (int32_t i = 0; i <= n; i++) {
            int32_t at = vertex(0, 0, 0);
            start((double)i / n, (double)j / m, S.x0 + 3 * at);
            end((double)i / n, (double)j / m, S.x1 + 3 * at);
        }
    }
    for (int32_t j = 0; j < m; j++) {
        for (int32_t i = 0; i < n; i++) {
            int32_t a = first + j * (n + 1) + i, b = a + 1, d = a + n + 1, e = d + 1;
            indices(6, (const int32_t[]){a, b, e, a, e, d});
        }
    }
}

static int64_t left_out_pairs(int64_t *n_listed)
{
    pl_surfaces *s = build();
    pl_candidates c;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0, &c));
    int64_t left_out = compare(s, &c, 0, true);
    *n_listed = c.n_vertex_face + c.n_edge_edge;
    pl_surfaces_destroy(s);
    return left_out;
}

static void flat(double u, double v, double x[3])
{
    x[0] = u;
    x[1] = v;
    x[2] = 0;
}

static void bowl(double u, double v, double x[3])
{
    x[0] = u;
    x[1] = v;
    x[2] = 0.4 * ((u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5));
}

// Normals up, but the second turn lies above the first.
static void staircase(double u, double v, double x[3])
{
    double angle = 4 * 3.14159265358979 * u, r = 0.5 + v;
    x[0] = r * cos(angle);
    x[1] = r * sin(angle);
    x[2] = 0.02 * angle;
}

// The same, flat: the second turn lies in the first.
static void two_turns(double u, double v, double x[3])
{
    staircase(u, v, x);
    x[2] = 0;
}

// Folded along the middle, flat on itself.
static void folded(double u, double v, double x[3])
{
    x[0] = u < 0.5 ? u : 1 - u;
    x[1] = v;
    x[2] = u < 0.5 ? 0 : 0.001;
}

static void test_a_flat_or_hollow_sheet_is_smooth(void)
{
    int64_t listed_pairs;
    begin(1);
    add_sheet(8, 8, flat, bowl);
    TEST_ASSERT_TRUE(left_out_pairs(&listed_pairs) > 100);
    TEST_ASSERT_EQUAL(0, listed_pairs);
}

// A pair of features at the two ends of the sheet's u, one above the other.
static bool turns_are_listed(void)
{
    pl_surfaces *s = build();
    pl_candidates c;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.3, &c));
    bool found = false;
    for (int64_t i = 0; i < c.n_vertex_face; i++) {
        double v = c.vertex_face[2 * i] % 65, f = c.vertex_face[2 * i + 1] / 2 % 64;
        found = found || fabs(v - f) > 25;
    }
    pl_surfaces_destroy(s);
    return found;
}

static void test_a_spiral_staircase_is_not(void)
{
    begin(2);
    add_sheet(64, 2, staircase, staircase);
    TEST_ASSERT_TRUE(turns_are_listed());
    begin(3);
    add_sheet(64, 2, staircase, two_turns);
    TEST_ASSERT_TRUE(turns_are_listed());
}

static void test_a_sheet_that_folds_on_its_way_is_not(void)
{
    int64_t listed_pairs, flat_out;
    begin(4);
    add_sheet(8, 8, flat, flat);
    flat_out = left_out_pairs(&listed_pairs);
    begin(4);
    add_sheet(8, 8, flat, folded);
    TEST_ASSERT_TRUE(left_out_pairs(&listed_pairs) < 3 * flat_out);
    TEST_ASSERT_TRUE(listed_pairs > 500);
}

// Half a turn in straight lines, and three times as large: at a quarter of the way everything meets
// in one point.
static void turned(double u, double v, double x[3])
{
    x[0] = 2 - 3 * u;
    x[1] = 2 - 3 * v;
    x[2] = 0;
}

static void test_a_sheet_that_passes_through_a_point_is_not(void)
{
    int64_t listed_pairs;
    begin(6);
    add_sheet(6, 6, flat, turned);
    TEST_ASSERT_EQUAL(0, left_out_pairs(&listed_pairs));
    TEST_ASSERT_TRUE(listed_pairs > 500);
}

// A mushroom: smooth outline, normals down under the brim.
static void mushroom(double u, double v, double x[3])
{
    double a = 2 * u - 1, b = 2 * v - 1, r = fmax(fabs(a), fabs(b));
    double wide = r < 0.5 ? 1.4 * r : r < 0.75 ? 0.7 - 2 * (r - 0.5) : 0.2 + 3.2 * (r - 0.75);
    x[0] = r > 0 ? a / r * wide : 0;
    x[1] = r > 0 ? b / r * wide : 0;
    x[2] = 1 - r;
}

static void test_an_overhang_is_not(void)
{
    int64_t listed_pairs;
    begin(7);
    add_sheet(16, 16, mushroom, mushroom);
    left_out_pairs(&listed_pairs);
    TEST_ASSERT_TRUE(listed_pairs > 100);
}

// One vertex crosses an edge of its ring just at the end of the motion.
static void test_a_vertex_that_leaves_its_ring_is_not(void)
{
    int64_t listed_pairs;
    begin(8);
    add_sheet(8, 8, flat, flat);
    S.x1[3 * (4 * 9 + 4)] += 0.2;
    left_out_pairs(&listed_pairs);
    TEST_ASSERT_TRUE(listed_pairs > 0);
    for (int i = 0; i < 3 * S.n_vert; i++) { // and the way back
        double x = S.x0[i];
        S.x0[i] = S.x1[i];
        S.x1[i] = x;
    }
    left_out_pairs(&listed_pairs);
    TEST_ASSERT_TRUE(listed_pairs > 0);
}

// Faces around one vertex, twice around: normals up, outline round.
static void test_a_double_cover_is_not(void)
{
    enum { SIDES = 24 };
    begin(9);
    pl_collider *c = collider();
    c->face = S.index + S.n_index;
    c->n_face = SIDES;
    int32_t hub = vertex(0, 0, 0);
    for (int i = 0; i < SIDES; i++) {
        double angle = 4 * 3.14159265358979 * i / SIDES;
        vertex(cos(angle), sin(angle), 0.1 * sin(angle / 2));
    }
    for (int i = 0; i < SIDES; i++) {
        indices(3, (const int32_t[]){hub, hub + 1 + i, hub + 1 + (i + 1) % SIDES});
    }
    int64_t listed_pairs;
    left_out_pairs(&listed_pairs);
    TEST_ASSERT_TRUE(listed_pairs >= SIDES / 2);
}

// Faces around one vertex that do not close, but wind a little more than once: the last lies above
// the first.
static void test_an_open_fan_is_not(void)
{
    enum { SIDES = 20 };
    for (int start = 0; start < SIDES; start++) {
        begin(10);
        pl_collider *c = collider();
        c->face = S.index + S.n_index;
        c->n_face = SIDES;
        int32_t hub = vertex(0, 0, 0);
        for (int i = 0; i <= SIDES; i++) {
            double angle = 2 * 3.14159265358979 * (1.06 * i + start) / SIDES;
            vertex(cos(angle), sin(angle), 1e-3 * i);
        }
        for (int i = 0; i < SIDES; i++) {
            indices(3, (const int32_t[]){hub, hub + 1 + i, hub + 2 + i});
        }
        pl_surfaces *s = build();
        pl_candidates list;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.1, &list));
        TEST_ASSERT_TRUE(listed(list.vertex_face, list.n_vertex_face, hub + 1 + SIDES, 0));
        pl_surfaces_destroy(s);
    }
}

// After the search, the motion is changed to one that folds: the pairs appear.
static void test_the_extension_opens_patches(void)
{
    begin(5);
    add_sheet(8, 8, flat, flat);
    pl_surfaces *s = build();
    pl_candidates c;
    int32_t grown;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 1, &c));
    TEST_ASSERT_EQUAL(0, c.n_vertex_face);
    for (int32_t v = 0; v < S.n_vert; v++) { // inside of the wide boxes
        folded(S.x0[3 * v], S.x0[3 * v + 1], S.x1 + 3 * v);
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_extend(s, S.x0, S.x1, &c, &grown));
    TEST_ASSERT_TRUE(c.n_vertex_face > 500);
    pl_surfaces_destroy(s);
}

// Fans whose corners move by no more than their room are smooth, as a test of their own motion
// says.
static void test_fans_within_their_room_are_smooth(void)
{
    int64_t smooth = 0, moved = 0, opened = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        begin(seed);
        add_sheet(8, 8, bowl, bowl);
        pl_surfaces *s = build(), *fresh = build();
        pl_candidates c;
        int32_t grown;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 1, &c));
        double by = 0.004 * (double)seed; // up to more than an edge
        for (int32_t i = 0; i < 3 * S.n_vert; i++) {
            S.x0[i] += by * uniform(-1, 1);
            S.x1[i] = S.x0[i] + by * uniform(-1, 1);
        }
        int64_t before = 0;
        for (int32_t p = 0; p < s->n_point; p++) before += s->smooth[p];
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_extend(s, S.x0, S.x1, &c, &grown));
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(fresh, S.x0, S.x1, 1, &c));
        for (int32_t p = 0; p < s->n_point; p++) {
            smooth += s->smooth[p];
            moved += s->smooth[p] && by > 0.02;
            TEST_ASSERT_TRUE(!s->smooth[p] || fresh->smooth[p]);
            before -= s->smooth[p];
        }
        opened += before;
        pl_surfaces_destroy(s);
        pl_surfaces_destroy(fresh);
    }
    TEST_ASSERT_TRUE(smooth > 300 && moved > 100 && opened > 300);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_flat_or_hollow_sheet_is_smooth);
    RUN_TEST(test_a_spiral_staircase_is_not);
    RUN_TEST(test_a_sheet_that_folds_on_its_way_is_not);
    RUN_TEST(test_a_sheet_that_passes_through_a_point_is_not);
    RUN_TEST(test_an_overhang_is_not);
    RUN_TEST(test_a_vertex_that_leaves_its_ring_is_not);
    RUN_TEST(test_a_double_cover_is_not);
    RUN_TEST(test_an_open_fan_is_not);
    RUN_TEST(test_the_extension_opens_patches);
    RUN_TEST(test_fans_within_their_room_are_smooth);
    return UNITY_END();
}
