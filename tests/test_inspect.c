#include "../base/base.h"
#include "../meshes/triangles.h"
#include "surfaces.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_surface_report inspect(const pl_mesh *mesh)
{
    pl_surface_report report;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_inspect(mesh, &report));
    return report;
}

static void assert_clean(const pl_mesh *mesh, int parts)
{
    pl_surface_report r = inspect(mesh);
    TEST_ASSERT_TRUE(r.closed);
    TEST_ASSERT_EQUAL_INT(parts, r.n_parts);
    TEST_ASSERT_EQUAL_INT(0, r.n_open + r.n_nonmanifold + r.n_misoriented + r.n_pinched +
                                 r.n_degenerate + r.n_intersections);
    pl_surface_report_free(&r);
}

static const double tet_x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int32_t tet_face[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

// --- Sound surfaces ---

static void test_closed_surfaces_are_clean(void)
{
    pl_mesh *tet = make_mesh(4, tet_x, 4, tet_face);
    pl_mesh *sphere = make_sphere((double[3]){5, 0, 0}, 1, 12, 8);
    pl_mesh *both = join_meshes(tet, sphere);
    assert_clean(tet, 1);
    assert_clean(sphere, 1);
    assert_clean(both, 2);
    pl_mesh_destroy(tet);
    pl_mesh_destroy(sphere);
    pl_mesh_destroy(both);
}

static void test_scans_are_clean(void)
{
    const char *names[] = {"bunny", "armadillo"};
    for (int i = 0; i < 2; i++) {
        pl_mesh *scan = load_scan(names[i]);
        assert_clean(scan, 1);
        pl_mesh_destroy(scan);
    }
}

static void test_tets_are_inspected_by_their_boundary(void)
{
    pl_mesh *solid;
    int32_t tet[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_create(5, x, 0, NULL, 2, tet, &solid));
    assert_clean(solid, 1);
    pl_mesh_destroy(solid);
}

// --- One fault at a time ---

static void test_open_edges(void)
{
    pl_mesh *mesh = make_mesh(4, tet_x, 3, tet_face);
    pl_surface_report r = inspect(mesh);
    const int32_t expected[] = {0, 2, 0, 3, 2, 3};
    TEST_ASSERT_FALSE(r.closed);
    TEST_ASSERT_EQUAL_INT(3, r.n_open);
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, r.open, 6);
    pl_surface_report_free(&r);
    pl_mesh_destroy(mesh);
}

static void test_misoriented_edges(void)
{
    const int32_t face[] = {0, 1, 2, 0, 1, 3, 1, 2, 3, 2, 0, 3}; // the first one is turned
    pl_mesh *mesh = make_mesh(4, tet_x, 4, face);
    pl_surface_report r = inspect(mesh);
    const int32_t expected[] = {0, 1, 0, 2, 1, 2};
    TEST_ASSERT_TRUE(r.closed);
    TEST_ASSERT_EQUAL_INT(3, r.n_misoriented);
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, r.misoriented, 6);
    pl_surface_report_free(&r);
    pl_mesh_destroy(mesh);
}

static void test_nonmanifold_edge(void)
{
    const double x[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, -1, 1, 0, -1, -1, 0};
    const int32_t face[] = {0, 1, 2, 0, 1, 3, 0, 1, 4};
    pl_mesh *mesh = make_mesh(5, x, 3, face);
    pl_surface_report r = inspect(mesh);
    TEST_ASSERT_EQUAL_INT(1, r.n_nonmanifold);
    TEST_ASSERT_EQUAL_INT(0, r.nonmanifold[0]);
    TEST_ASSERT_EQUAL_INT(1, r.nonmanifold[1]);
    TEST_ASSERT_EQUAL_INT(6, r.n_open);
    TEST_ASSERT_EQUAL_INT(0, r.n_pinched);
    TEST_ASSERT_EQUAL_INT(0, r.n_intersections);
    pl_surface_report_free(&r);
    pl_mesh_destroy(mesh);
}

static void test_pinched_vertex(void)
{
    // Two tets tip to tip at vertex 3.
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 1, 0, 2, 0, 1, 2};
    const int32_t face[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 4, 5, 6, 4, 3, 5, 5, 3, 6, 6, 3, 4};
    pl_mesh *mesh = make_mesh(7, x, 8, face);
    pl_surface_report r = inspect(mesh);
    TEST_ASSERT_TRUE(r.closed);
    TEST_ASSERT_EQUAL_INT(1, r.n_parts);
    TEST_ASSERT_EQUAL_INT(1, r.n_pinched);
    TEST_ASSERT_EQUAL_INT(3, r.pinched[0]);
    TEST_ASSERT_EQUAL_INT(0, r.n_misoriented + r.n_intersections + r.n_nonmanifold);
    pl_surface_report_free(&r);
    pl_mesh_destroy(mesh);
}

static void test_degenerate_faces(void)
{
    const double x[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 0};
    const int32_t face[] = {0, 1, 2, 0, 1, 3, 0, 0, 1, 3, 3, 3};
    pl_mesh *mesh = make_mesh(4, x, 4, face);
    pl_surface_report r = inspect(mesh);
    const int32_t expected[] = {0, 2, 3};
    TEST_ASSERT_EQUAL_INT(3, r.n_degenerate);
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, r.degenerate, 3);
    TEST_ASSERT_EQUAL_INT(0, r.n_intersections);
    TEST_ASSERT_EQUAL_INT(4, r.n_open); // only faces 0 and 1 have edges; they share one
    pl_surface_report_free(&r);
    pl_mesh_destroy(mesh);
}

static void test_touching_spheres_intersect(void)
{
    pl_mesh *a = make_sphere((double[3]){0, 0, 0}, 1, 8, 6);
    pl_mesh *b = make_sphere((double[3]){0, 0, 2}, 1, 8, 6); // pole to pole, in one point
    pl_mesh *both = join_meshes(a, b);
    pl_surface_report r = inspect(both);
    TEST_ASSERT_EQUAL_INT(64, r.n_intersections); // 8 faces around either pole
    TEST_ASSERT_EQUAL_INT(2, r.n_parts);
    pl_surface_report_free(&r);
    pl_mesh_destroy(a);
    pl_mesh_destroy(b);
    pl_mesh_destroy(both);
}

// --- Against all pairs ---

static int compare_all_pairs(const pl_mesh *mesh)
{
    pl_surface_report r = inspect(mesh);
    const double *x = pl_mesh_positions(mesh);
    const int32_t *face = pl_mesh_faces(mesh);
    int n = pl_mesh_face_count(mesh), found = 0;
    bool *degenerate = calloc((size_t)n, 1);
    for (int i = 0; i < r.n_degenerate; i++) degenerate[r.degenerate[i]] = true;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (degenerate[i] || degenerate[j]) continue;
            if (!pl_faces_meet(x, face + 3 * i, face + 3 * j)) continue;
            TEST_ASSERT_LESS_THAN_INT(r.n_intersections, found);
            TEST_ASSERT_EQUAL_INT(i, r.intersections[2 * found]);
            TEST_ASSERT_EQUAL_INT(j, r.intersections[2 * found + 1]);
            found++;
        }
    }
    TEST_ASSERT_EQUAL_INT(found, r.n_intersections);
    free(degenerate);
    pl_surface_report_free(&r);
    return found;
}

// Faces over shared random vertices: on a small lattice (lattice > 0), or of a given size anywhere.
static pl_mesh *random_soup(int n_vert, int n_face, int lattice, double scale)
{
    double x[3 * 512];
    int32_t face[3 * 512];
    for (int i = 0; i < 3 * n_vert; i++) {
        x[i] = scale * (lattice > 0 ? random_int(lattice) : random_unit());
    }
    for (int i = 0; i < 3 * n_face; i++) face[i] = random_int(n_vert);
    return make_mesh(n_vert, x, n_face, face);
}

static void test_random_soups_against_all_pairs(void)
{
    int total = 0;
    for (int n = 0; n < 400; n++) {
        int lattice = n % 4 == 0 ? 0 : 2 + n % 7;
        double scale = n % 3 == 0 ? ldexp(1, random_int(1900) - 950) : 1;
        int n_face = 1 + random_int(80);
        pl_mesh *soup = random_soup(3 + random_int(100), n_face, lattice, scale);
        total += compare_all_pairs(soup);
        pl_mesh_destroy(soup);
    }
    TEST_ASSERT_GREATER_THAN_INT(1000, total);
}

// Small faces spread out, and one that crosses everything.
static void test_small_faces_and_a_huge_one_against_all_pairs(void)
{
    double x[3 * 999];
    int32_t face[999];
    for (int f = 0; f < 333; f++) {
        for (int c = 0; c < 3; c++) {
            double shift = random_unit();
            for (int k = 0; k < 3; k++) x[9 * f + 3 * k + c] = shift + 0.05 * random_unit();
        }
    }
    for (int i = 0; i < 999; i++) face[i] = i;
    const double huge[9] = {-1e6, -1e6, 0.5, 1e6, -1e6, 0.5, 0, 1e6, 0.501};
    memcpy(x + 9 * 200, huge, sizeof huge);
    pl_mesh *mesh = make_mesh(999, x, 333, face);
    TEST_ASSERT_GREATER_THAN_INT(5, compare_all_pairs(mesh));
    pl_mesh_destroy(mesh);
}

// A sphere and a copy of it, moved by the last bits: a mass of near touches.
static void test_almost_touching_spheres_against_all_pairs(void)
{
    for (int n = 0; n < 8; n++) {
        double shift = n == 0 ? 0 : ldexp(1, -56 + n);
        pl_mesh *a = make_sphere((double[3]){0, 0, 0}, 1, 8, 8);
        pl_mesh *b = make_sphere((double[3]){shift, -shift, shift}, 1, 8, 8);
        pl_mesh *both = join_meshes(a, b);
        TEST_ASSERT_GREATER_THAN_INT(20, compare_all_pairs(both));
        pl_mesh_destroy(a);
        pl_mesh_destroy(b);
        pl_mesh_destroy(both);
    }
}

// --- Hubs ---

// A fan of n faces from x[0] to a rim: around it (the vertices in order), or closed by a second
// hub. Its faces come first.
static pl_mesh *make_hub(int n, const double hub[3], const double *rim, const double second[3])
{
    double *x = malloc(3 * (size_t)(n + 2) * sizeof *x);
    int32_t *face = malloc(6 * (size_t)n * sizeof *face);
    memcpy(x, hub, 3 * sizeof *x);
    memcpy(x + 3, second != NULL ? second : hub, 3 * sizeof *x);
    memcpy(x + 6, rim, 3 * (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) {
        set3(face + 3 * i, 0, 2 + i, 2 + (i + 1) % n);
        set3(face + 3 * (n + i), 1, 2 + (i + 1) % n, 2 + i);
    }
    pl_mesh *mesh = make_mesh(n + 2, x, second != NULL ? 2 * n : n, face);
    free(x);
    free(face);
    return mesh;
}

// Points on a wavy circle in a tilted plane, `noise` away from it.
static void make_rim(int n, double waves, double noise, double *rim)
{
    for (int i = 0; i < n; i++) {
        double angle = 6.283185307179586 * i / n, r = 1 + waves * cos(5 * angle);
        rim[3 * i] = r * cos(angle) + noise * random_unit();
        rim[3 * i + 1] = 0.8 * r * sin(angle) + noise * random_unit();
        rim[3 * i + 2] = 0.6 * r * sin(angle) + noise * random_unit();
    }
}

// Fans that fold over themselves, touch other fans, hold other faces in their hub or cross them.
static void test_hubs_against_all_pairs(void)
{
    static const double hubs[4][3] = {{0, 0, 0}, {0.9, 0, 0}, {2, 1, 3}, {0, 0, 1e-9}};
    static const double seconds[3][3] = {{0, -0.6, 0.8}, {0, 0.3, -0.4}, {0, 0, 1e-12}};
    enum { N = 150 };
    double rim[3 * N];
    int total = 0;
    for (int n = 0; n < 96; n++) {
        double waves = n % 3 * 0.4, noise = n % 4 == 0 ? 0 : ldexp(1, -(n % 4) * n / 8);
        make_rim(N, waves, noise, rim);
        pl_mesh *fan = make_hub(N, hubs[n % 4], rim, n % 2 == 0 ? NULL : seconds[n % 3]);
        pl_mesh *soup = random_soup(30, 40, n % 5, n % 2 == 0 ? 0.5 : 2);
        pl_mesh *both = join_meshes(fan, soup);
        total += compare_all_pairs(fan);
        total += compare_all_pairs(both);
        pl_mesh_destroy(fan);
        pl_mesh_destroy(soup);
        pl_mesh_destroy(both);
    }
    TEST_ASSERT_GREATER_THAN_INT(10000, total);
}

// Few vertices and many faces: nearly all are hubs, many of them joined by edges.
static void test_soups_of_hubs_against_all_pairs(void)
{
    int total = 0;
    for (int n = 0; n < 12; n++) {
        double scale = ldexp(1, n % 3 == 0 ? 0 : n % 3 == 1 ? 1020 : -1060);
        pl_mesh *soup = random_soup(12 + n, 500, n % 2 == 0 ? 4 : 0, scale);
        total += compare_all_pairs(soup);
        pl_mesh_destroy(soup);
    }
    TEST_ASSERT_GREATER_THAN_INT(10000, total);
}

static double seconds_for_fan(int n, const double hub[3], const double second[3])
{
    double *rim = malloc(3 * (size_t)n * sizeof *rim);
    make_rim(n, 0, 0, rim);
    pl_mesh *mesh = make_hub(n, hub, rim, second);
    double start = pl_seconds();
    pl_surface_report r = inspect(mesh);
    double seconds = pl_seconds() - start;
    TEST_ASSERT_EQUAL_INT(0, r.n_intersections);
    pl_surface_report_free(&r);
    pl_mesh_destroy(mesh);
    free(rim);
    return seconds;
}

// All pairs of 100,000 faces would take minutes.
static void test_hub_of_many_faces(void)
{
    // The centre of a cap; a corner of its rim, as a polygon split into a fan has it; two cones.
    static const double centre[3] = {0, 0, 0}, beside[3] = {1, -1e-5, 0};
    static const double above[3] = {0, -0.6, 0.8}, below[3] = {0, 0.6, -0.8};
    TEST_ASSERT_TRUE(seconds_for_fan(100000, centre, NULL) < 20);
    TEST_ASSERT_TRUE(seconds_for_fan(100000, beside, NULL) < 20);
    TEST_ASSERT_TRUE(seconds_for_fan(50000, above, below) < 20);
}

// --- Hostile input ---

static void test_empty_mesh(void)
{
    pl_mesh *mesh = make_mesh(0, NULL, 0, NULL);
    pl_surface_report r = inspect(mesh);
    TEST_ASSERT_FALSE(r.closed);
    TEST_ASSERT_EQUAL_INT(0, r.n_parts);
    pl_surface_report_free(&r);
    pl_surface_report_free(&r);
    pl_mesh_destroy(mesh);
}

static void test_all_vertices_equal(void)
{
    double x[30] = {0};
    int32_t face[30];
    for (int i = 0; i < 30; i++) face[i] = (i + i / 3) % 10;
    pl_mesh *mesh = make_mesh(10, x, 10, face);
    pl_surface_report r = inspect(mesh);
    TEST_ASSERT_EQUAL_INT(10, r.n_degenerate);
    TEST_ASSERT_EQUAL_INT(0, r.n_intersections);
    pl_surface_report_free(&r);
    pl_mesh_destroy(mesh);
}

// A quarter of a million faces in one spot: the pairs are cut off at the limit.
static void test_faces_in_one_spot(void)
{
    enum { N = 250000 };
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int32_t *face = malloc(3 * N * sizeof *face);
    for (int i = 0; i < N; i++) set3(face + 3 * i, 0, 1, 2);
    pl_mesh *mesh = make_mesh(3, x, N, face);
    pl_surface_report r = inspect(mesh);
    TEST_ASSERT_EQUAL_INT(PL_INTERSECTIONS_MAX, r.n_intersections);
    TEST_ASSERT_EQUAL_INT(0, r.intersections[0]);
    TEST_ASSERT_EQUAL_INT(1, r.intersections[1]);
    TEST_ASSERT_EQUAL_INT(3, r.n_nonmanifold);
    pl_surface_report_free(&r);
    pl_mesh_destroy(mesh);
    free(face);
}

// A million faces and one vertex far away; the time limit is for a slow machine.
static void test_million_faces(void)
{
    pl_mesh *sphere = make_sphere((double[3]){0.1, 0.2, 0.3}, 1, 1000, 500);
    pl_mesh *tet =
        make_mesh(4, (double[]){1e9, 0, 0, 2e9, 0, 0, 1e9, 1e9, 0, 1e9, 0, 1e9}, 4, tet_face);
    pl_mesh *both = join_meshes(sphere, tet);
    double start = pl_seconds();
    assert_clean(both, 2);
    TEST_ASSERT_TRUE(pl_seconds() - start < 60);
    pl_mesh_destroy(sphere);
    pl_mesh_destroy(tet);
    pl_mesh_destroy(both);
}

// --- Memory ---

static pl_status inspect_and_free(void *user)
{
    pl_surface_report r;
    pl_status status = pl_mesh_inspect(user, &r);
    if (status == PL_OK) {
        TEST_ASSERT_GREATER_THAN_INT(0, r.n_intersections);
        pl_surface_report_free(&r);
    }
    TEST_ASSERT_NULL(r.open);
    return status;
}

static void test_each_allocation_may_fail(void)
{
    pl_mesh *soup = random_soup(40, 60, 4, 1), *hubs = random_soup(9, 300, 4, 1);
    fail_each_allocation(inspect_and_free, soup);
    fail_each_allocation(inspect_and_free, hubs);
    pl_mesh_destroy(soup);
    pl_mesh_destroy(hubs);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_closed_surfaces_are_clean);
    RUN_TEST(test_scans_are_clean);
    RUN_TEST(test_tets_are_inspected_by_their_boundary);
    RUN_TEST(test_open_edges);
    RUN_TEST(test_misoriented_edges);
    RUN_TEST(test_nonmanifold_edge);
    RUN_TEST(test_pinched_vertex);
    RUN_TEST(test_degenerate_faces);
    RUN_TEST(test_touching_spheres_intersect);
    RUN_TEST(test_random_soups_against_all_pairs);
    RUN_TEST(test_small_faces_and_a_huge_one_against_all_pairs);
    RUN_TEST(test_almost_touching_spheres_against_all_pairs);
    RUN_TEST(test_hubs_against_all_pairs);
    RUN_TEST(test_soups_of_hubs_against_all_pairs);
    RUN_TEST(test_hub_of_many_faces);
    RUN_TEST(test_empty_mesh);
    RUN_TEST(test_all_vertices_equal);
    RUN_TEST(test_faces_in_one_spot);
    RUN_TEST(test_million_faces);
    RUN_TEST(test_each_allocation_may_fail);
    return UNITY_END();
}
