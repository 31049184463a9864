#include "../base/base.h"
#include "surfaces.h"

static char log_text[1024];

static void keep_log(pl_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == PL_LOG_WARNING) snprintf(log_text, sizeof log_text, "%s", text);
}

void setUp(void)
{
    log_text[0] = '\0';
    pl_set_log(keep_log, NULL);
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

static pl_mesh *decimate(const pl_mesh *mesh, int faces)
{
    pl_decimate_options o = pl_decimate_options_default();
    o.faces = faces;
    pl_mesh *out;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, pl_mesh_decimate(mesh, &o, &out), pl_error_text());
    return out;
}

static void assert_sound(const pl_mesh *mesh, int parts)
{
    pl_surface_report r;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_inspect(mesh, &r));
    TEST_ASSERT_TRUE(r.closed);
    TEST_ASSERT_EQUAL_INT(parts, r.n_parts);
    TEST_ASSERT_EQUAL_INT(0, r.n_open + r.n_nonmanifold + r.n_misoriented + r.n_pinched +
                                 r.n_degenerate + r.n_intersections);
    pl_surface_report_free(&r);
}

// The smallest angle of any face [degrees].
static double smallest_angle(const pl_mesh *mesh)
{
    double smallest = 180;
    for (int i = 0; i < 3 * pl_mesh_face_count(mesh); i++) {
        const int32_t *f = pl_mesh_faces(mesh) + (i - i % 3);
        const double *x = pl_mesh_positions(mesh);
        const double *a = x + 3 * f[i % 3], *b = x + 3 * f[(i + 1) % 3],
                     *c = x + 3 * f[(i + 2) % 3];
        double uv = 0, uu = 0, vv = 0;
        for (int k = 0; k < 3; k++) {
            uv += (b[k] - a[k]) * (c[k] - a[k]);
            uu += (b[k] - a[k]) * (b[k] - a[k]);
            vv += (c[k] - a[k]) * (c[k] - a[k]);
        }
        smallest = fmin(smallest, acos(uv / sqrt(uu * vv)) * 180 / 3.14159265358979323846);
    }
    return smallest;
}

// The farthest that a vertex of `from` is from the nearest vertex of `to`, relative to the size of
// `to`. Coarse, but independent of everything in the library.
static double farthest_vertex(const pl_mesh *from, const pl_mesh *to)
{
    double lo[3], hi[3], size = 0, farthest = 0;
    pl_mesh_bounds(to, lo, hi);
    for (int k = 0; k < 3; k++) size += (hi[k] - lo[k]) * (hi[k] - lo[k]);
    for (int i = 0; i < pl_mesh_vertex_count(from); i++) {
        const double *p = pl_mesh_positions(from) + 3 * i;
        double nearest = INFINITY;
        for (int j = 0; j < pl_mesh_vertex_count(to); j++) {
            const double *q = pl_mesh_positions(to) + 3 * j;
            double d = 0;
            for (int k = 0; k < 3; k++) d += (p[k] - q[k]) * (p[k] - q[k]);
            nearest = fmin(nearest, d);
        }
        farthest = fmax(farthest, nearest);
    }
    return sqrt(farthest / size);
}

// --- Scans ---

// The limits leave room over what is measured: 0.2 % of volume and 16 degrees for the bunny; 0.02,
// 0.3, 0.7, 1.6 % and 11 to 19 degrees for the armadillo.
static void check_scan(const char *name, int faces, double volume_error, double angle)
{
    pl_mesh *scan = load_scan(name), *coarse = decimate(scan, faces);
    TEST_ASSERT_EQUAL_INT(faces, pl_mesh_face_count(coarse));
    TEST_ASSERT_EQUAL_STRING("", log_text);
    assert_sound(coarse, 1);
    double ratio = pl_mesh_volume(coarse) / pl_mesh_volume(scan);
    TEST_ASSERT_DOUBLE_WITHIN(volume_error, 1, ratio);
    TEST_ASSERT_TRUE(smallest_angle(coarse) > angle);
    TEST_ASSERT_TRUE(faces > 3000 || farthest_vertex(coarse, scan) < 0.025);
    pl_mesh_destroy(scan);
    pl_mesh_destroy(coarse);
}

static void test_bunny(void)
{
    check_scan("bunny", 738, 0.006, 12);
}

static void test_armadillo(void)
{
    check_scan("armadillo", 21000, 0.001, 8);
    check_scan("armadillo", 2000, 0.008, 12);
    check_scan("armadillo", 1000, 0.015, 12);
    check_scan("armadillo", 500, 0.03, 12);
}

static void test_results_repeat(void)
{
    pl_mesh *scan = load_scan("armadillo");
    pl_mesh *a = decimate(scan, 5000), *b = decimate(scan, 5000);
    TEST_ASSERT_TRUE(same_mesh(a, b));
    pl_mesh_destroy(scan);
    pl_mesh_destroy(a);
    pl_mesh_destroy(b);
}

// Every face in four, by the midpoints of its edges.
static pl_mesh *subdivide(const pl_mesh *mesh)
{
    int n = pl_mesh_face_count(mesh);
    double *x = malloc(36 * (size_t)n * sizeof *x);
    for (int f = 0; f < n; f++) {
        for (int k = 0; k < 9; k++) {
            const int32_t *v = pl_mesh_faces(mesh) + 3 * f;
            const double *p = pl_mesh_positions(mesh);
            int i = k / 3, c = k % 3;
            double a = p[3 * v[i] + c], b = p[3 * v[(i + 1) % 3] + c],
                   d = p[3 * v[(i + 2) % 3] + c];
            x[36 * f + 9 * i + c] = a;
            x[36 * f + 9 * i + 3 + c] = 0.5 * (a + b);
            x[36 * f + 9 * i + 6 + c] = 0.5 * (a + d);
            x[36 * f + 27 + k] = 0.5 * (a + b);
        }
    }
    int32_t *face = malloc(12 * (size_t)n * sizeof *face);
    for (int i = 0; i < 12 * n; i++) face[i] = i;
    pl_mesh *r = make_mesh(12 * n, x, 4 * n, face);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_clean(r, NULL, NULL));
    free(x);
    free(face);
    return r;
}

// Four faces to a plane everywhere, up to the last bit.
static void test_subdivided_surface(void)
{
    pl_mesh *scan = load_scan("armadillo"), *coarse = decimate(scan, 5000);
    pl_mesh *fine = subdivide(coarse);
    TEST_ASSERT_EQUAL_INT(20000, pl_mesh_face_count(fine));
    pl_mesh *again = decimate(fine, 4000);
    TEST_ASSERT_EQUAL_INT(4000, pl_mesh_face_count(again));
    assert_sound(again, 1);
    TEST_ASSERT_DOUBLE_WITHIN(0.002, 1, pl_mesh_volume(again) / pl_mesh_volume(fine));
    pl_mesh_destroy(scan);
    pl_mesh_destroy(coarse);
    pl_mesh_destroy(fine);
    pl_mesh_destroy(again);
}

// --- Shapes ---

// The surface of a box of n cells per edge.
static pl_mesh *make_box(int n, double size)
{
    int n_quad = 6 * n * n;
    double *x = malloc(12 * (size_t)n_quad * sizeof *x);
    int32_t *face = malloc(6 * (size_t)n_quad * sizeof *face);
    for (int q = 0; q < n_quad; q++) {
        int axis = q / (2 * n * n), side = q / (n * n) % 2, i = q / n % n, j = q % n;
        for (int c = 0; c < 4; c++) {
            double *p = x + 12 * q + 3 * c;
            p[axis] = side * size;
            p[(axis + 1) % 3] = size * ((double)(i + (c == 1 || c == 2)) / n);
            p[(axis + 2) % 3] = size * ((double)(j + (c >= 2)) / n);
        }
        set3(face + 6 * q, 4 * q, 4 * q + (side ? 1 : 2), 4 * q + (side ? 2 : 1));
        set3(face + 6 * q + 3, 4 * q, 4 * q + (side ? 2 : 3), 4 * q + (side ? 3 : 2));
    }
    pl_mesh *mesh = make_mesh(4 * n_quad, x, 2 * n_quad, face);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_clean(mesh, NULL, NULL));
    free(x);
    free(face);
    return mesh;
}

// Flat faces and sharp edges: the box stays a box down to its 12 faces, at any scale.
static void test_box_keeps_its_shape(void)
{
    const double sizes[] = {1, 1e-290, 1e290};
    for (int i = 0; i < 3; i++) {
        pl_mesh *box = make_box(12, sizes[i]), *coarse = decimate(box, 12);
        TEST_ASSERT_EQUAL_INT(12, pl_mesh_face_count(coarse));
        assert_sound(coarse, 1);
        for (int k = 0; k < 3 * 8; k++) {
            double at = pl_mesh_positions(coarse)[k] / sizes[i];
            TEST_ASSERT_TRUE(fabs(at) < 0.02 || fabs(at - 1) < 0.02);
        }
        pl_mesh_destroy(box);
        pl_mesh_destroy(coarse);
    }
}

static void test_sphere_to_a_tetrahedron(void)
{
    pl_mesh *sphere = make_sphere((double[3]){1, 2, 3}, 1, 40, 30);
    for (int faces = 4; faces < 40; faces += 6) {
        pl_mesh *coarse = decimate(sphere, faces);
        TEST_ASSERT_EQUAL_INT(faces, pl_mesh_face_count(coarse));
        assert_sound(coarse, 1);
        pl_mesh_destroy(coarse);
    }
    pl_mesh_destroy(sphere);
}

// The hole and the loops around the tube must not be pinched: V - E + F stays 0.
static void test_torus_keeps_its_hole(void)
{
    enum { AROUND = 40, TUBE = 10, N = AROUND * TUBE };
    double x[3 * N];
    int32_t face[6 * N];
    for (int i = 0; i < N; i++) {
        int a = i / TUBE, t = i % TUBE, b = (a + 1) % AROUND, s = (t + 1) % TUBE;
        double phi = 2 * 3.14159265358979323846 * a / AROUND;
        double psi = 2 * 3.14159265358979323846 * t / TUBE, r = 1 + 0.2 * cos(psi);
        x[3 * i] = r * cos(phi), x[3 * i + 1] = r * sin(phi), x[3 * i + 2] = 0.2 * sin(psi);
        set3(face + 6 * i, i, b * TUBE + t, b * TUBE + s);
        set3(face + 6 * i + 3, i, b * TUBE + s, a * TUBE + s);
    }
    pl_mesh *torus = make_mesh(N, x, 2 * N, face);
    for (int faces = 14; faces < 120; faces += 10) {
        pl_mesh *coarse = decimate(torus, faces);
        assert_sound(coarse, 1);
        TEST_ASSERT_EQUAL_INT(pl_mesh_face_count(coarse), 2 * pl_mesh_vertex_count(coarse));
        TEST_ASSERT_TRUE(pl_mesh_face_count(coarse) == faces || faces < 40);
        pl_mesh_destroy(coarse);
    }
    pl_mesh_destroy(torus);
}

// Two vertices with thousands of faces each, all of them needles.
static void test_hubs(void)
{
    pl_mesh *spindle = make_sphere((double[3]){0, 0, 0}, 1, 1500, 4),
            *coarse = decimate(spindle, 200);
    TEST_ASSERT_EQUAL_INT(200, pl_mesh_face_count(coarse));
    assert_sound(coarse, 1);
    pl_mesh_destroy(spindle);
    pl_mesh_destroy(coarse);
}

// Two spheres, one in the other with a thin gap: they must not run into each other.
static void test_thin_shell_stays_apart(void)
{
    pl_mesh *outer = make_sphere((double[3]){0, 0, 0}, 1, 60, 40);
    pl_mesh *inner = make_sphere((double[3]){0.001, 0, 0}, 0.99, 60, 40);
    pl_mesh *shell = join_meshes(outer, inner);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_clean(shell, NULL, NULL));
    const int faces[] = {4000, 1000, 300, 100};
    for (int i = 0; i < 4; i++) {
        pl_mesh *coarse = decimate(shell, faces[i]);
        assert_sound(coarse, 2);
        TEST_ASSERT_TRUE(pl_mesh_face_count(coarse) == faces[i] || log_text[0] != '\0');
        pl_mesh_destroy(coarse);
    }
    pl_mesh_destroy(outer);
    pl_mesh_destroy(inner);
    pl_mesh_destroy(shell);
}

static void test_odd_counts_are_rounded_down(void)
{
    pl_mesh *sphere = make_sphere((double[3]){0, 0, 0}, 1, 20, 10), *coarse = decimate(sphere, 101);
    TEST_ASSERT_EQUAL_INT(100, pl_mesh_face_count(coarse));
    pl_mesh_destroy(sphere);
    pl_mesh_destroy(coarse);
}

static void test_a_target_above_the_count_copies(void)
{
    pl_mesh *sphere = make_sphere((double[3]){0, 0, 0}, 1, 20, 10), *copy = decimate(sphere, 10000);
    TEST_ASSERT_TRUE(same_mesh(sphere, copy));
    pl_mesh_destroy(sphere);
    pl_mesh_destroy(copy);
}

static void test_an_unreachable_target_warns(void)
{
    pl_mesh *a = make_sphere((double[3]){0, 0, 0}, 1, 8, 6);
    pl_mesh *b = make_sphere((double[3]){3, 0, 0}, 1, 8, 6), *both = join_meshes(a, b);
    pl_mesh *coarse = decimate(both, 4);
    TEST_ASSERT_EQUAL_INT(8, pl_mesh_face_count(coarse)); // a tetrahedron each
    TEST_ASSERT_NOT_NULL(strstr(log_text, "8 faces, 4 wanted"));
    assert_sound(coarse, 2);
    pl_mesh_destroy(a);
    pl_mesh_destroy(b);
    pl_mesh_destroy(both);
    pl_mesh_destroy(coarse);
}

static void test_tets_are_decimated_by_their_boundary(void)
{
    double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    int32_t tet[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    pl_mesh *solid, *coarse;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_create(5, x, 0, NULL, 2, tet, &solid));
    coarse = decimate(solid, 4);
    TEST_ASSERT_EQUAL_INT(0, pl_mesh_tet_count(coarse));
    TEST_ASSERT_EQUAL_INT(4, pl_mesh_face_count(coarse));
    pl_mesh_destroy(solid);
    pl_mesh_destroy(coarse);
}

// --- What cannot be decimated ---

static void assert_refused(pl_mesh *mesh, const char *reason)
{
    pl_decimate_options o = {.faces = 4};
    pl_mesh *out = mesh;
    TEST_ASSERT_EQUAL_INT(PL_ERROR_GEOMETRY, pl_mesh_decimate(mesh, &o, &out));
    TEST_ASSERT_NULL(out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), reason), pl_error_text());
    pl_mesh_destroy(mesh);
}

static void test_faulty_surfaces_are_refused(void)
{
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.1, 0.1};
    const int32_t open[] = {0, 2, 1, 0, 1, 3, 1, 2, 3};
    const int32_t turned[] = {0, 1, 2, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const int32_t flat[] = {0, 2, 1, 0, 1, 2};
    const double line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    assert_refused(make_mesh(0, NULL, 0, NULL), "no faces");
    assert_refused(make_mesh(4, x, 3, open), "edge 0-2 is open");
    assert_refused(make_mesh(4, x, 4, turned), "edge 0-1 are oriented differently");
    assert_refused(make_mesh(3, x, 2, flat), "faces 0 and 1 intersect");
    assert_refused(make_mesh(3, line, 2, flat), "face 0 has no area");
    pl_mesh *a = make_sphere((double[3]){0, 0, 0}, 1, 8, 6);
    pl_mesh *b = make_sphere((double[3]){1, 0.1, 0.1}, 1, 8, 6);
    assert_refused(join_meshes(a, b), "intersect");
    pl_decimate_options o = {.faces = 3};
    pl_mesh *out;
    TEST_ASSERT_EQUAL_INT(PL_ERROR_ARGUMENT, pl_mesh_decimate(a, &o, &out));
    pl_mesh_destroy(a);
    pl_mesh_destroy(b);
}

static pl_status decimate_and_free(void *user)
{
    pl_decimate_options o = {.faces = 40};
    pl_mesh *out;
    pl_status status = pl_mesh_decimate(user, &o, &out);
    TEST_ASSERT_TRUE((status == PL_OK) == (out != NULL));
    pl_mesh_destroy(out);
    return status;
}

static void test_each_allocation_may_fail(void)
{
    pl_mesh *sphere = make_sphere((double[3]){0, 0, 0}, 1, 20, 10);
    fail_each_allocation(decimate_and_free, sphere);
    pl_mesh_destroy(sphere);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bunny);
    RUN_TEST(test_armadillo);
    RUN_TEST(test_results_repeat);
    RUN_TEST(test_subdivided_surface);
    RUN_TEST(test_box_keeps_its_shape);
    RUN_TEST(test_sphere_to_a_tetrahedron);
    RUN_TEST(test_torus_keeps_its_hole);
    RUN_TEST(test_hubs);
    RUN_TEST(test_thin_shell_stays_apart);
    RUN_TEST(test_odd_counts_are_rounded_down);
    RUN_TEST(test_a_target_above_the_count_copies);
    RUN_TEST(test_an_unreachable_target_warns);
    RUN_TEST(test_tets_are_decimated_by_their_boundary);
    RUN_TEST(test_faulty_surfaces_are_refused);
    RUN_TEST(test_each_allocation_may_fail);
    return UNITY_END();
}
