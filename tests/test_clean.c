#include "../base/base.h"
#include "surfaces.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_clean_report clean(pl_mesh *mesh, const pl_clean_options *options)
{
    pl_clean_report report;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_clean(mesh, options, &report));
    return report;
}

static void assert_sound(const pl_mesh *mesh)
{
    pl_surface_report r;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_inspect(mesh, &r));
    TEST_ASSERT_TRUE(r.closed);
    TEST_ASSERT_EQUAL_INT(0, r.n_open + r.n_nonmanifold + r.n_misoriented + r.n_pinched +
                                 r.n_degenerate + r.n_intersections);
    pl_surface_report_free(&r);
}

// Turns around every face for which the next random number says so.
static pl_mesh *scramble(const pl_mesh *mesh)
{
    int n = pl_mesh_face_count(mesh);
    int32_t *face = malloc(3 * (size_t)n * sizeof *face);
    memcpy(face, pl_mesh_faces(mesh), 3 * (size_t)n * sizeof *face);
    for (int i = 0; i < n; i++) {
        if (random_int(2)) set3(face + 3 * i, face[3 * i + 1], face[3 * i], face[3 * i + 2]);
    }
    pl_mesh *r = make_mesh(pl_mesh_vertex_count(mesh), pl_mesh_positions(mesh), n, face);
    free(face);
    return r;
}

// The signed volume of the faces from..to-1.
static double volume_of(const pl_mesh *mesh, int from, int to)
{
    pl_mesh *part = make_mesh(pl_mesh_vertex_count(mesh), pl_mesh_positions(mesh), to - from,
                              pl_mesh_faces(mesh) + 3 * from);
    double volume = pl_mesh_volume(part);
    pl_mesh_destroy(part);
    return volume;
}

// --- Welding ---

static void test_soup_of_the_bunny_becomes_the_bunny(void)
{
    pl_mesh *bunny = load_scan("bunny");
    pl_mesh *soup = make_soup(bunny);
    pl_clean_report r = clean(soup, NULL);
    TEST_ASSERT_EQUAL_INT(37706, pl_mesh_vertex_count(soup));
    TEST_ASSERT_EQUAL_INT(75408, pl_mesh_face_count(soup));
    TEST_ASSERT_EQUAL_INT(3 * 75408 - 37706, r.welded);
    TEST_ASSERT_EQUAL_INT(0, r.degenerate + r.flipped + r.unused);
    TEST_ASSERT_TRUE(pl_mesh_volume(soup) == pl_mesh_volume(bunny) ||
                     fabs(pl_mesh_volume(soup) / pl_mesh_volume(bunny) - 1) < 1e-12);
    assert_sound(soup);
    pl_mesh_destroy(bunny);
    pl_mesh_destroy(soup);
}

static void test_both_zeros_are_equal(void)
{
    const double x[] = {0.0, 0, 0, 1, 0, 0, 0, 1, 0, -0.0, -0.0, 0, 1, -0.0, 0, 0, 0, 1};
    const int32_t face[] = {0, 1, 2, 3, 5, 4};
    pl_mesh *mesh = make_mesh(6, x, 2, face);
    TEST_ASSERT_EQUAL_INT(2, clean(mesh, NULL).welded);
    TEST_ASSERT_EQUAL_INT(4, pl_mesh_vertex_count(mesh));
    pl_mesh_destroy(mesh);
}

// By the definition: each vertex goes to the first kept one that is closer than the distance.
static void check_weld(int n, const double *x, double distance)
{
    int32_t face[300];
    int kept[100], n_kept = 0, expected[100];
    for (int v = 0; v < n; v++) {
        int k = 0;
        for (; k < n_kept; k++) {
            double sum = 0;
            for (int c = 0; c < 3; c++)
                sum += pow((x[3 * v + c] - x[3 * kept[k] + c]) / distance, 2);
            if (distance > 0 ? sum < 1 : memcmp(x + 3 * v, x + 3 * kept[k], 24) == 0) break;
        }
        if (k == n_kept) kept[n_kept++] = v;
        expected[v] = k;
        for (int c = 0; c < 3; c++) face[3 * v + c] = (v + c) % n;
    }
    pl_mesh *mesh = make_mesh(n, x, n, face);
    pl_clean_options o = {.weld_distance = distance};
    TEST_ASSERT_EQUAL_INT(n - n_kept, clean(mesh, &o).welded);
    TEST_ASSERT_EQUAL_INT(n_kept, pl_mesh_vertex_count(mesh));
    TEST_ASSERT_EQUAL_INT(n, pl_mesh_face_count(mesh));
    for (int i = 0; i < 3 * n; i++) {
        TEST_ASSERT_EQUAL_INT(expected[face[i]], pl_mesh_faces(mesh)[i]);
    }
    for (int k = 0; k < n_kept; k++) {
        TEST_ASSERT_EQUAL_MEMORY(x + 3 * kept[k], pl_mesh_positions(mesh) + 3 * k, 24);
    }
    pl_mesh_destroy(mesh);
}

static void test_weld_against_its_definition(void)
{
    for (int n = 0; n < 600; n++) {
        double x[300], scale = n % 2 == 0 ? 1 : ldexp(1, random_int(1900) - 950);
        double distance = scale * (n % 5 == 0 ? 0 : n % 5 == 1 ? 1e-20 : 0.3 * random_unit());
        for (int i = 0; i < 300; i++) {
            x[i] = scale * (n % 3 == 0   ? 1 + random_int(4)
                            : n % 3 == 1 ? random_unit() - 0.5
                                         : 1e6);
            if (n % 7 == 0) x[i] += distance * random_int(3);
        }
        check_weld(100, x, distance);
    }
}

static void test_extreme_distances(void)
{
    double x[] = {-1.7e308, 0, 0, 1.7e308, 0, 0, 0, 1e-300, 0, 0, 2e-300, 0, 0, 0, 5e-324};
    const double distances[] = {0, 5e-324, 1e-310, 1.5e-300, 1, 1e300, 1.7e308};
    for (int i = 0; i < 7; i++) check_weld(5, x, distances[i]);
    pl_mesh *mesh = make_mesh(5, x, 0, NULL);
    pl_clean_options o = pl_clean_options_default();
    o.weld_distance = -1;
    TEST_ASSERT_EQUAL_INT(PL_ERROR_ARGUMENT, pl_mesh_clean(mesh, &o, NULL));
    o.weld_distance = NAN;
    TEST_ASSERT_EQUAL_INT(PL_ERROR_ARGUMENT, pl_mesh_clean(mesh, &o, NULL));
    TEST_ASSERT_EQUAL_INT(5, pl_mesh_vertex_count(mesh));
    pl_mesh_destroy(mesh);
}

// A crowd within the distance and a million vertices on a grid: neither is quadratic.
static void test_many_vertices(void)
{
    enum { N = 1000000 };
    double *x = malloc(3 * N * sizeof *x);
    for (int i = 0; i < N; i++) {
        x[3 * i] = i % 2 == 0 ? 1e-9 * i : i % 100;
        x[3 * i + 1] = i % 2 == 0 ? 0 : i / 100 % 100;
        x[3 * i + 2] = i % 2 == 0 ? 0 : i / 10000;
    }
    pl_mesh *mesh = make_mesh(N, x, 0, NULL);
    pl_clean_options o = {.weld_distance = 0.01};
    TEST_ASSERT_EQUAL_INT(N / 2 - 1, clean(mesh, &o).welded);
    pl_mesh_destroy(mesh);
    free(x);
}

// --- Dropping ---

static void test_bad_faces_are_dropped(void)
{
    const double x[] = {9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0, 0};
    const int32_t face[] = {1, 3, 2, 1, 2, 5, 1, 2, 4, 2, 3, 1, 2, 2, 3, 2, 3, 4, 3, 1, 4, 4, 1, 3};
    pl_mesh *mesh = make_mesh(6, x, 8, face);
    pl_clean_report r = clean(mesh, NULL);
    TEST_ASSERT_EQUAL_INT(4, r.degenerate); // flat, repeated corner, two duplicates
    TEST_ASSERT_EQUAL_INT(2, r.unused);
    TEST_ASSERT_EQUAL_INT(4, pl_mesh_face_count(mesh));
    TEST_ASSERT_EQUAL_INT(4, pl_mesh_vertex_count(mesh));
    assert_sound(mesh);
    pl_mesh_destroy(mesh);
}

static void test_steps_can_be_switched_off(void)
{
    const double x[] = {9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t face[] = {1, 2, 3, 1, 2, 4, 2, 2, 3, 1, 2, 3};
    pl_mesh *mesh = make_mesh(5, x, 4, face), *before;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_copy(mesh, &before));
    pl_clean_options o = {0};
    pl_clean_report r = clean(mesh, &o);
    TEST_ASSERT_EQUAL_INT(0, r.welded + r.degenerate + r.flipped + r.unused);
    TEST_ASSERT_TRUE(same_mesh(mesh, before));
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(before);
}

static void test_tets_are_renumbered(void)
{
    const double x[] = {9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t tet[] = {3, 2, 4, 5, 1, 3, 4, 5};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_create(6, x, 0, NULL, 2, tet, &mesh));
    pl_clean_report r = clean(mesh, NULL);
    const int32_t expected[] = {0, 1, 2, 3};
    TEST_ASSERT_EQUAL_INT(1, r.welded);
    TEST_ASSERT_EQUAL_INT(1, r.unused);
    TEST_ASSERT_EQUAL_INT(1, pl_mesh_tet_count(mesh)); // the other one lost a corner
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, pl_mesh_tets(mesh), 4);
    pl_mesh_destroy(mesh);
}

// --- Orientation ---

static void test_scrambled_sphere_is_turned_outward(void)
{
    pl_mesh *sphere = make_sphere((double[3]){3, -2, 1}, 1, 16, 12);
    pl_mesh *mixed = scramble(sphere);
    int flipped = 0;
    for (int i = 0; i < pl_mesh_face_count(sphere); i++) {
        flipped += pl_mesh_faces(sphere)[3 * i] != pl_mesh_faces(mixed)[3 * i];
    }
    TEST_ASSERT_EQUAL_INT(flipped, clean(mixed, NULL).flipped);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, pl_mesh_volume(sphere), pl_mesh_volume(mixed));
    assert_sound(mixed);
    TEST_ASSERT_EQUAL_INT(0, clean(mixed, NULL).flipped);
    pl_mesh_destroy(sphere);
    pl_mesh_destroy(mixed);
}

// Five spheres: four nested ones and one beside; scrambled, at several scales.
static void test_cavities_point_inward(void)
{
    for (int scale = 0; scale < 5; scale++) {
        double s = pow(10, 70 * (scale - 2));
        pl_mesh *all = make_sphere((double[3]){0, 0, 0}, 4 * s, 12, 8);
        for (int i = 1; i < 5; i++) {
            double centre[3] = {i == 4 ? 20 * s : 0.1 * s * i, 0, 0};
            pl_mesh *next = make_sphere(centre, (4 - i % 4) * s, 12, 8);
            pl_mesh *joined = join_meshes(all, next);
            pl_mesh_destroy(all);
            pl_mesh_destroy(next);
            all = joined;
        }
        pl_mesh *mixed = scramble(all);
        clean(mixed, NULL);
        int n = pl_mesh_face_count(all) / 5;
        const int sign[5] = {1, -1, 1, -1, 1};
        for (int i = 0; i < 5 && scale == 2; i++) {
            TEST_ASSERT_TRUE(volume_of(mixed, i * n, (i + 1) * n) * sign[i] > 0.1);
        }
        for (int i = 0; i < 3 * n; i++) { // the outermost as it was, up to a turn of the corners
            const int32_t *a = pl_mesh_faces(all) + 3 * (i / 3);
            const int32_t *b = pl_mesh_faces(mixed) + 3 * (i / 3);
            int k = b[0] == a[0] ? 0 : b[0] == a[1] ? 1 : 2;
            TEST_ASSERT_EQUAL_INT(a[(i + k) % 3], b[i % 3]);
        }
        pl_mesh_destroy(all);
        pl_mesh_destroy(mixed);
    }
}

// A cube inside a cube, all rays along the axes hit edges or lie in planes of faces.
static void test_cavity_on_a_lattice(void)
{
    double x[48];
    int32_t face[72];
    const int32_t cube[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                              2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    for (int i = 0; i < 16; i++) {
        double size = i < 8 ? 1 : 3;
        for (int k = 0; k < 3; k++) x[3 * i + k] = (i >> k & 1 ? size : -size);
    }
    for (int i = 0; i < 72; i++) face[i] = cube[i % 36] + (i < 36 ? 0 : 8);
    pl_mesh *mesh = make_mesh(16, x, 24, face);
    TEST_ASSERT_EQUAL_INT(12, clean(mesh, NULL).flipped);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -8, volume_of(mesh, 0, 12));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 216, volume_of(mesh, 12, 24));
    pl_mesh_destroy(mesh);
}

static void test_open_and_one_sided_parts(void)
{
    // An open strip keeps what most faces say; Moebius' band ends.
    const double x[] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 2, 0, 1, 2, 1, 1};
    const int32_t strip[] = {0, 1, 2, 2, 3, 1, 2, 3, 4, 5, 4, 3};
    pl_mesh *mesh = make_mesh(6, x, 4, strip);
    TEST_ASSERT_EQUAL_INT(1, clean(mesh, NULL).flipped);
    pl_mesh_destroy(mesh);
    const int32_t band[] = {0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5, 4, 5, 1, 1, 5, 0};
    mesh = make_mesh(6, x, 6, band);
    clean(mesh, NULL);
    TEST_ASSERT_EQUAL_INT(6, pl_mesh_face_count(mesh));
    pl_mesh_destroy(mesh);
}

// --- Hostile input ---

static void test_nothing_and_next_to_nothing(void)
{
    const double x[9] = {0};
    const int32_t face[3] = {0, 1, 2};
    for (int n = 0; n < 2; n++) {
        pl_mesh *mesh = make_mesh(3 * n, x, n, face);
        pl_clean_report r = clean(mesh, NULL);
        TEST_ASSERT_EQUAL_INT(2 * n, r.welded);
        TEST_ASSERT_EQUAL_INT(n, r.degenerate);
        TEST_ASSERT_EQUAL_INT(n, r.unused);
        TEST_ASSERT_EQUAL_INT(0, pl_mesh_vertex_count(mesh));
        TEST_ASSERT_EQUAL_INT(0, pl_mesh_face_count(mesh));
        pl_mesh_destroy(mesh);
    }
}

static void test_many_parts(void)
{
    enum { N = 20000 };
    double *x = malloc(12 * N * sizeof *x);
    int32_t *face = malloc(12 * N * sizeof *face);
    const int32_t tet[12] = {0, 1, 2, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    for (int i = 0; i < 12 * N; i++) {
        int part = i / 12, vertex = i / 3 % 4, k = i % 3;
        x[i] = (k == 0   ? part % 30
                : k == 1 ? part / 30 % 30
                         : part / 900) +
               (vertex == k + 1) * 0.5;
        face[i] = 4 * part + tet[i % 12];
    }
    pl_mesh *mesh = make_mesh(4 * N, x, 4 * N, face);
    TEST_ASSERT_EQUAL_INT(N, clean(mesh, NULL).flipped);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, N * 0.125 / 6, pl_mesh_volume(mesh));
    pl_mesh_destroy(mesh);
    free(x);
    free(face);
}

static pl_status clean_copy(void *user)
{
    pl_mesh *copy;
    PL_TRY(pl_mesh_copy(user, &copy));
    pl_clean_options o = pl_clean_options_default();
    o.weld_distance = 1e-6;
    pl_status status = pl_mesh_clean(copy, &o, NULL);
    TEST_ASSERT_TRUE(status == PL_OK || same_mesh(user, copy)); // a failure changes nothing
    pl_mesh_destroy(copy);
    return status;
}

static void test_each_allocation_may_fail(void)
{
    pl_mesh *a = make_sphere((double[3]){0, 0, 0}, 2, 6, 4);
    pl_mesh *b = make_sphere((double[3]){0, 0, 0}, 1, 6, 4);
    pl_mesh *both = join_meshes(a, b), *soup = make_soup(both);
    fail_each_allocation(clean_copy, soup);
    pl_mesh_destroy(a);
    pl_mesh_destroy(b);
    pl_mesh_destroy(both);
    pl_mesh_destroy(soup);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_soup_of_the_bunny_becomes_the_bunny);
    RUN_TEST(test_both_zeros_are_equal);
    RUN_TEST(test_weld_against_its_definition);
    RUN_TEST(test_extreme_distances);
    RUN_TEST(test_many_vertices);
    RUN_TEST(test_bad_faces_are_dropped);
    RUN_TEST(test_steps_can_be_switched_off);
    RUN_TEST(test_tets_are_renumbered);
    RUN_TEST(test_scrambled_sphere_is_turned_outward);
    RUN_TEST(test_cavities_point_inward);
    RUN_TEST(test_cavity_on_a_lattice);
    RUN_TEST(test_open_and_one_sided_parts);
    RUN_TEST(test_nothing_and_next_to_nothing);
    RUN_TEST(test_many_parts);
    RUN_TEST(test_each_allocation_may_fail);
    return UNITY_END();
}
