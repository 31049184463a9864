// Candidates of moving surfaces against all pairs.

#include "colliders.h"
#include "failing_alloc.h"

void setUp(void)
{
}
void tearDown(void)
{
}

// --- Tests ---

static void test_soups_equal_all_pairs(void)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        begin(seed);
        double size = pow(10, uniform(-3, 3));
        int32_t bodies = 1 + pick(4);
        for (int32_t b = 0; b < bodies; b++) add_soup(1 + pick(60), size);
        shake(size * pow(10, uniform(-4, -0.5)));
        double margin = seed % 3 == 0 ? 0 : size * pow(10, uniform(-4, -1));
        pl_surfaces *s = build();
        pl_candidates c;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, margin, &c));
        TEST_ASSERT_EQUAL(0, compare(s, &c, margin, false));
        pl_surfaces_destroy(s);
    }
}

static void test_thick_features_equal_all_pairs(void)
{
    int64_t n_vertex_vertex = 0, n_vertex_edge = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        begin(seed + 1000);
        add_soup(1 + pick(30), 1);
        add_balls(1 + pick(40), uniform(0, 0.2));
        add_string(1 + pick(40), uniform(0, 0.1));
        add_string(1 + pick(10), 0);
        shake(uniform(0, 0.2));
        pl_surfaces *s = build();
        pl_candidates c;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.01, &c));
        compare(s, &c, 0.01, false);
        n_vertex_vertex += c.n_vertex_vertex;
        n_vertex_edge += c.n_vertex_edge;
        pl_surfaces_destroy(s);
    }
    TEST_ASSERT_TRUE(n_vertex_vertex > 50);
    TEST_ASSERT_TRUE(n_vertex_edge > 50);
}

static void test_filters(void)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        begin(seed + 2000);
        for (int b = 0; b < 6; b++) add_soup(1 + pick(20), 1);
        for (int b = 0; b < 6; b++) {
            S.collider[b].fixed = pick(3) == 0;
            S.collider[b].self = pick(2) == 0;
            S.collider[b].category = 1u << pick(3);
            S.collider[b].mask = (uint32_t)pick(8);
        }
        shake(0.1);
        pl_surfaces *s = build();
        pl_candidates c;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.02, &c));
        compare(s, &c, 0.02, false);
        pl_surfaces_destroy(s);
    }
}

// Pairs of bodies that are ignored leave no candidate, and others stay.
static void test_ignored_pairs(void)
{
    begin(77);
    for (int b = 0; b < 5; b++) add_soup(120, 1);
    pl_surfaces *s = build();
    pl_candidates c;
    const int32_t ignored[4][2] = {{3, 1}, {0, 4}, {2, 2}, {1, 3}};
    for (int i = 0; i < 4; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_ignore(s, ignored[i][0], ignored[i][1]));
    }
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_surfaces_ignore(s, 0, 5));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_surfaces_ignore(s, -1, 0));
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0, &c));
    int seen[5][5] = {{0}};
    for (int64_t i = 0; i < c.n_vertex_face; i++) {
        int32_t a = c.vertex_face[2 * i] / 360, b = c.vertex_face[2 * i + 1] / 120;
        seen[a][b] = seen[b][a] = 1;
    }
    for (int a = 0; a < 5; a++) {
        for (int b = 0; b < 5; b++) {
            bool off = (a == 2 && b == 2) || (a + b == 4 && a != 2);
            TEST_ASSERT_EQUAL(!off, seen[a][b]);
        }
    }
    pl_surfaces_destroy(s);
}

static void test_folded_cloth(void)
{
    int64_t left_out = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        begin(seed + 3000);
        int folds = 1 + pick(4);
        double gap = pow(10, uniform(-3, -0.5));
        add_cloth(5 + pick(15), folds, gap, (const double[3]){0, 0, 0});
        if (seed % 2 == 0) add_cloth(6, 1, 0.1, (const double[3]){0.1, 0.1, gap / 2});
        shake(uniform(0, 0.05) * gap);
        pl_surfaces *s = build();
        pl_candidates c;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.1 * gap, &c));
        left_out += compare(s, &c, 0.1 * gap, true);
        pl_surfaces_destroy(s);
    }
    TEST_ASSERT_TRUE(left_out > 10000); // smooth patches were found
}

// A body whose vertices change places: boxes that were small are not, and are sorted anew.
static void test_trees_are_mended(void)
{
    begin(5);
    add_soup(1500, 1);
    add_soup(100, 1);
    pl_surfaces *s = build();
    pl_candidates c;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0, &c));
    float before = s->chunk[0].cost;
    pl_item first = s->item[0];
    for (int32_t f = 0; f < 1500; f++) { // to a far place, each its own way
        double by[3] = {uniform(-9, 9), uniform(-9, 9), uniform(-9, 9)};
        for (int i = 0; i < 9; i++) S.x0[9 * f + i] += by[i % 3];
    }
    shake(0.01);
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0, &c));
    TEST_ASSERT_TRUE(memcmp(&first, &s->item[0], sizeof first) != 0);
    compare(s, &c, 0, false);
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0, &c)); // notes the cost
    TEST_ASSERT_TRUE(s->chunk[0].cost > 0 && s->chunk[0].cost < 3 * before);
    pl_surfaces_destroy(s);
}

// Vertices leave their boxes: the candidates of both motions are there, and no others but those
// whose boxes meet after they were extended.
static void test_extension_holds_both_motions(void)
{
    int64_t grown_total = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        begin(seed + 4000);
        for (int b = 0; b < 3; b++) add_soup(1 + pick(40), 1);
        add_cloth(8, 2, 0.1, (const double[3]){-0.5, -0.5, 0});
        add_balls(10, 0.05);
        shake(0.02);
        pl_surfaces *s = build();
        pl_candidates c, other;
        int32_t grown;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.01, &c));
        for (int32_t v = 0; v < S.n_vert; v++) { // some stay, some go far
            double far = pick(4) == 0 ? uniform(0, 0.3) : 0;
            for (int k = 0; k < 3; k++) S.x1[3 * v + k] += uniform(-far, far);
        }
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_extend(s, S.x0, S.x1, &c, &grown));
        grown_total += grown;
        pl_surfaces *fresh = build();
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(fresh, S.x0, S.x1, 0, &other));
        for (int64_t i = 0; i < other.n_vertex_face; i++) {
            const int32_t *p = other.vertex_face + 2 * i;
            TEST_ASSERT_TRUE(listed(c.vertex_face, c.n_vertex_face, p[0], p[1]));
        }
        for (int64_t i = 0; i < other.n_edge_edge; i++) {
            const int32_t *p = other.edge_edge + 2 * i;
            TEST_ASSERT_TRUE(listed(c.edge_edge, c.n_edge_edge, p[0], p[1]));
        }
        TEST_ASSERT_TRUE(other.n_vertex_vertex <= c.n_vertex_vertex);
        check_sorted(c.vertex_face, c.n_vertex_face);
        check_sorted(c.edge_edge, c.n_edge_edge);
        TEST_ASSERT_TRUE(c.n_vertex_face < 3 * other.n_vertex_face + 1000);
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_extend(s, S.x0, S.x1, &c, &grown));
        TEST_ASSERT_EQUAL(0, grown);
        pl_surfaces_destroy(s);
        pl_surfaces_destroy(fresh);
    }
    TEST_ASSERT_TRUE(grown_total > 1000);
}

// --- Bodies by themselves ---

static int32_t body_of_face(int32_t face)
{
    int32_t b = 0;
    while (face >= S.collider[b].n_face) face -= S.collider[b++].n_face;
    return b;
}

static int32_t body_of_edge(const pl_surfaces *s, int32_t edge)
{
    return s->point_body[s->edge_point[2 * edge]];
}

static int64_t count_patches(const pl_surfaces *s)
{
    int64_t n = 0;
    for (int64_t k = 0; k < s->n_block; k++) {
        if (s->block[k]->kind == PL_PAIR_PATCH) n += s->block[k]->n;
    }
    return n;
}

// Of the pairs that a search for all bodies finds, `some` are those with a body that is marked.
static void check_some(const pl_surfaces *s, const uint8_t *stale, const pl_candidates *all,
                       const pl_candidates *some)
{
    int64_t n_face = 0, n_edge = 0;
    for (int64_t i = 0; i < all->n_vertex_face; i++) {
        const int32_t *p = all->vertex_face + 2 * i;
        if (!stale[s->point_body[p[0]]] && !stale[body_of_face(p[1])]) continue;
        n_face++;
        TEST_ASSERT_TRUE(listed(some->vertex_face, some->n_vertex_face, p[0], p[1]));
    }
    for (int64_t i = 0; i < all->n_edge_edge; i++) {
        const int32_t *p = all->edge_edge + 2 * i;
        if (!stale[body_of_edge(s, p[0])] && !stale[body_of_edge(s, p[1])]) continue;
        n_edge++;
        TEST_ASSERT_TRUE(listed(some->edge_edge, some->n_edge_edge, p[0], p[1]));
    }
    TEST_ASSERT_EQUAL_INT64(n_face, some->n_vertex_face);
    TEST_ASSERT_EQUAL_INT64(n_edge, some->n_edge_edge);
}

// Bodies that leave their boxes are found to, and searched for by themselves: again and again, the
// pairs and the patches are those of one search for the last motion of each.
static void test_bodies_are_searched_for_by_themselves(void)
{
    int64_t n_some = 0, n_all = 0, n_patch = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint8_t stale[MAX_COLLIDER] = {0}, found[MAX_COLLIDER];
        begin(seed + 5000);
        for (int b = 0; b < 5; b++) add_soup(1 + pick(40), 1);
        add_cloth(16, 1, 0.1, (const double[3]){-0.5, -0.5, 0});
        const int32_t sheet = S.n_collider - 1;
        shake(1e-3);
        pl_surfaces *s = build();
        pl_candidates some, all;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.01, &all));
        TEST_ASSERT_EQUAL(0, pl_surfaces_stale(s, S.x0, S.x1, stale));
        for (int turn = 0; turn < 4; turn++) {
            int32_t n = 0;
            for (int32_t b = 0; b < S.n_collider; b++) n += stale[b] = pick(3) == 0;
            for (int32_t v = 0; v < S.n_vert; v++) { // the sheet as a whole, so that it is smooth
                int32_t body = s->point_body[v];
                double far = body == sheet ? 1e-3 : 0.1, along = body == sheet ? 0.05 : 0;
                if (!stale[body]) continue;
                for (int k = 0; k < 3; k++) {
                    S.x1[3 * v + k] = S.x0[3 * v + k] += along + uniform(-far, far);
                }
            }
            memset(found, 0, sizeof found);
            TEST_ASSERT_EQUAL(n, pl_surfaces_stale(s, S.x0, S.x1, found));
            TEST_ASSERT_EQUAL_MEMORY(stale, found, (size_t)S.n_collider);
            TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_renew(s, S.x0, S.x1, 0.01, stale, &some));
            pl_surfaces *fresh = build();
            void *order = pl_alloc((int64_t)pl_surfaces_state_size(s), 1);
            pl_surfaces_get_state(s, order);
            TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_set_state(fresh, order));
            TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(fresh, S.x0, S.x1, 0.01, &all));
            check_some(s, stale, &all, &some);
            TEST_ASSERT_EQUAL_INT64(count_patches(fresh), count_patches(s));
            n_patch += count_patches(s);
            n_some += some.n_edge_edge;
            n_all += all.n_edge_edge;
            // Patches were left out by both, and are found by both where they are smooth no longer.
            double *bent = pl_alloc(3 * (int64_t)S.n_vert, sizeof *bent);
            for (int32_t i = 0; i < 3 * S.n_vert; i++) bent[i] = S.x1[i] + uniform(-0.05, 0.05);
            memset(found, 0, sizeof found);
            int32_t grown;
            if (turn == 3) {
                TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_grow(s, S.x0, bent, found, &some));
                TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_extend(fresh, S.x0, bent, &all, &grown));
                for (int64_t i = 0; i < some.n_edge_edge; i++) {
                    const int32_t *p = some.edge_edge + 2 * i;
                    TEST_ASSERT_TRUE(listed(all.edge_edge, all.n_edge_edge, p[0], p[1]));
                    TEST_ASSERT_TRUE(found[body_of_edge(s, p[0])] || found[body_of_edge(s, p[1])]);
                }
                TEST_ASSERT_TRUE(some.n_edge_edge > 0 && some.n_edge_edge <= all.n_edge_edge);
            }
            pl_free(bent);
            pl_free(order);
            pl_surfaces_destroy(fresh);
        }
        pl_surfaces_destroy(s);
    }
    TEST_ASSERT_TRUE(n_some > 1000 && n_some < n_all && n_patch > 100);
}

static void test_same_lists_for_any_threads(void)
{
    begin(9);
    add_cloth(30, 5, 0.02, (const double[3]){0, 0, 0});
    add_soup(1000, 0.5);
    add_balls(200, 0.03);
    shake(0.02);
    int32_t *first = NULL;
    int64_t n_first = 0;
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_threads_set(threads);
        pl_surfaces *s = build();
        pl_candidates c;
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.01, &c));
        if (first == NULL) {
            n_first = c.n_edge_edge;
            first = pl_alloc(2 * n_first, sizeof *first);
            memcpy(first, c.edge_edge, 2 * (size_t)n_first * sizeof *first);
        }
        TEST_ASSERT_EQUAL_INT64(n_first, c.n_edge_edge);
        TEST_ASSERT_EQUAL_MEMORY(first, c.edge_edge, 2 * (size_t)n_first * sizeof *first);
        pl_surfaces_destroy(s);
    }
    pl_free(first);
}

// Another handle that gets the state of one whose trees were mended finds the same candidates.
static void test_state_can_be_handed_over(void)
{
    begin(8);
    add_cloth(30, 1, 0.3, (const double[3]){0, 0, 0});
    add_soup(200, 1);
    pl_surfaces *a = build(), *b = build();
    pl_candidates ca, cb;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(a, S.x0, S.x1, 0, &ca));
    for (int32_t i = 0; i < S.n_vert; i++) { // the sheet rolls up
        double *x = S.x0 + 3 * i, angle = 9 * x[0];
        x[0] = cos(angle);
        x[2] = sin(angle) + 0.3 * angle;
    }
    shake(1e-3);
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(a, S.x0, S.x1, 0, &ca));
    }
    void *state = pl_alloc((int64_t)pl_surfaces_state_size(a), 1);
    pl_surfaces_get_state(a, state);
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_set_state(b, state));
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(a, S.x0, S.x1, 0, &ca));
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(b, S.x0, S.x1, 0, &cb));
    TEST_ASSERT_EQUAL_INT64(ca.n_vertex_face, cb.n_vertex_face);
    TEST_ASSERT_EQUAL_INT64(ca.n_edge_edge, cb.n_edge_edge);
    size_t size = 2 * (size_t)ca.n_edge_edge * sizeof(int32_t);
    TEST_ASSERT_EQUAL_MEMORY(ca.edge_edge, cb.edge_edge, size);
    for (int32_t c = 0; c < a->n_chunk; c++) {
        TEST_ASSERT_TRUE(a->chunk[c].cost == b->chunk[c].cost);
    }
    *(int32_t *)state = 99999;
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_surfaces_set_state(b, state));
    pl_free(state);
    pl_surfaces_destroy(a);
    pl_surfaces_destroy(b);
}

// --- Bad input ---

static void refuse(pl_status expected, const char *words)
{
    pl_surfaces *s = (pl_surfaces *)1;
    TEST_ASSERT_EQUAL(expected, pl_surfaces_create(S.n_vert, S.x0, S.n_collider, S.collider, &s));
    TEST_ASSERT_NULL(s);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), words), pl_error_text());
}

static void test_bad_colliders(void)
{
    begin(1);
    add_soup(3, 1);
    add_soup(2, 1);
    int32_t *face = S.index + 9; // of the second collider
    int32_t kept = face[1];
    face[1] = 15;
    refuse(PL_ERROR_ARGUMENT, "collider 1: face 0: no vertex 15");
    face[1] = -1;
    refuse(PL_ERROR_ARGUMENT, "collider 1: face 0: no vertex -1");
    face[1] = face[2];
    refuse(PL_ERROR_ARGUMENT, "collider 1: face 0 has vertex 11 twice");
    face[1] = 3;
    refuse(PL_ERROR_ARGUMENT, "vertex 3 belongs to colliders 0 and 1");
    face[1] = kept;
    S.collider[1].radius = -1;
    refuse(PL_ERROR_ARGUMENT, "collider 1: bad radius");
    S.collider[1].radius = 0;
    S.collider[1].n_face = -1;
    refuse(PL_ERROR_ARGUMENT, "collider 1: bad number of faces");
    S.collider[1].n_face = 2;
    S.x0[3 * 7 + 1] = NAN;
    refuse(PL_ERROR_NUMERICS, "vertex 7");
}

static void test_bad_motion(void)
{
    begin(2);
    add_soup(30, 1);
    pl_surfaces *s = build();
    pl_candidates c;
    int32_t grown;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_surfaces_extend(s, S.x0, S.x1, &c, &grown));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_surfaces_search(s, S.x0, S.x1, -1, &c));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_surfaces_search(s, S.x0, S.x1, NAN, &c));
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e31};
    for (int i = 0; i < 4; i++) {
        S.x1[3 * 13 + 2] = bad[i];
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, pl_surfaces_search(s, S.x0, S.x1, 0, &c));
        TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "vertex 13"));
        TEST_ASSERT_EQUAL(0, c.n_vertex_face);
    }
    S.x1[3 * 13 + 2] = S.x0[3 * 13 + 2];
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0, &c));
    S.x1[0] = NAN;
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, pl_surfaces_extend(s, S.x0, S.x1, &c, &grown));
    pl_surfaces_destroy(s);
}

// Nothing, one triangle, triangles without area, vertices in one place.
static void test_odd_surfaces(void)
{
    begin(3);
    pl_candidates c;
    pl_surfaces *s = build();
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0, &c));
    pl_surfaces_destroy(s);

    collider();
    add_soup(1, 1);
    collider();
    s = build();
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0, &c));
    TEST_ASSERT_EQUAL(0, c.n_vertex_face + c.n_edge_edge);
    pl_surfaces_destroy(s);

    begin(4);
    add_soup(40, 1);
    for (int i = 0; i < 3 * S.n_vert; i++) S.x0[i] = S.x1[i] = i % 9 < 3 ? 0.5 : S.x0[i % 9];
    s = build();
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0, &c));
    compare(s, &c, 0, false);
    TEST_ASSERT_EQUAL(40 * 39 * 3, c.n_vertex_face); // all in one place
    pl_surfaces_destroy(s);
}

// Copies in one place have no end of pairs: an error, not a hang.
static void test_a_heap_of_copies_is_refused(void)
{
    enum { COPIES = 20000 };
    double *x = pl_alloc(9 * COPIES, sizeof *x);
    int32_t *face = pl_alloc(3 * COPIES, sizeof *face);
    const double corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (int32_t i = 0; i < COPIES; i++) {
        memcpy(x + 9 * i, corner, sizeof corner);
        for (int k = 0; k < 3; k++) face[3 * i + k] = 3 * i + k;
    }
    pl_collider c = pl_collider_default();
    c.n_face = COPIES;
    c.face = face;
    pl_surfaces *s = NULL;
    pl_candidates out;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_create(3 * COPIES, x, 1, &c, &s));
    TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, pl_surfaces_search(s, x, x, 0, &out));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "same place"));
    pl_surfaces_destroy(s);
    pl_free(x);
    pl_free(face);
}

static pl_status build_and_search(void *user)
{
    (void)user;
    pl_surfaces *s;
    PL_TRY(pl_surfaces_create(S.n_vert, S.x0, S.n_collider, S.collider, &s));
    pl_candidates c;
    pl_status status = pl_surfaces_ignore(s, 0, 1);
    if (status == PL_OK) status = pl_surfaces_search(s, S.x0, S.x1, 0.01, &c);
    pl_surfaces_destroy(s);
    return status;
}

static void test_every_allocation_may_fail(void)
{
    begin(6);
    add_cloth(12, 2, 0.05, (const double[3]){0, 0, 0});
    add_soup(40, 1);
    add_balls(20, 0.1);
    TEST_ASSERT_TRUE(fail_each_allocation(build_and_search, NULL) > 20);
}

// Searching again takes no memory.
static void test_no_allocation_in_a_steady_search(void)
{
    begin(7);
    add_cloth(20, 3, 0.05, (const double[3]){0, 0, 0});
    add_soup(300, 0.5);
    shake(0.01);
    pl_candidates c;
    fail_nth(-1);
    pl_surfaces *s = build();
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.01, &c));
    }
    int64_t before = allocations;
    for (int i = 0; i < 10; i++) {
        shake(0.01);
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.x1, 0.01, &c));
    }
    TEST_ASSERT_EQUAL(before, allocations);
    pl_surfaces_destroy(s);
    fail_never();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_soups_equal_all_pairs);
    RUN_TEST(test_thick_features_equal_all_pairs);
    RUN_TEST(test_filters);
    RUN_TEST(test_ignored_pairs);
    RUN_TEST(test_folded_cloth);
    RUN_TEST(test_trees_are_mended);
    RUN_TEST(test_extension_holds_both_motions);
    RUN_TEST(test_bodies_are_searched_for_by_themselves);
    RUN_TEST(test_same_lists_for_any_threads);
    RUN_TEST(test_state_can_be_handed_over);
    RUN_TEST(test_bad_colliders);
    RUN_TEST(test_bad_motion);
    RUN_TEST(test_odd_surfaces);
    RUN_TEST(test_a_heap_of_copies_is_refused);
    RUN_TEST(test_every_allocation_may_fail);
    RUN_TEST(test_no_allocation_in_a_steady_search);
    return UNITY_END();
}
