// Inertia: formulas of simple solids, far away, turned, tiny and huge; what is no solid.

#include "../rigid/inertia.h"
#include "../meshes/mesh.h"
#include "failing_alloc.h"
#include "matrix3.h"
#include "worlds.h"

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
}

static const double PI = 3.14159265358979323846;
static const pl_weight DENSITY_2 = {.density = 2}, MASS_1 = {.mass = 1};

static pl_inertia inertia_of(const pl_mesh *mesh, const pl_weight *weight)
{
    pl_inertia out;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_inertia_of_mesh(mesh, weight, &out), pl_error_text());
    return out;
}

static pl_mesh *surface_of(const pl_mesh *mesh)
{
    pl_mesh *surface;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, NULL, &surface));
    return surface;
}

static void expect_near(const double *expected, const double *actual, int n, double within)
{
    for (int k = 0; k < n; k++) TEST_ASSERT_DOUBLE_WITHIN(within, expected[k], actual[k]);
}

// tensor = axes diag(moment) axes^T with a rotation.
static void check_axes(const pl_inertia *inertia, double relative)
{
    double scaled[9], transposed[9], product[9];
    for (int k = 0; k < 9; k++) scaled[k] = inertia->axes[k] * inertia->moment[k % 3];
    transpose3(inertia->axes, transposed);
    multiply3(scaled, transposed, product);
    expect_near(inertia->tensor, product, 9, relative * largest3(inertia->tensor));
    multiply3(inertia->axes, transposed, product);
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    expect_near(identity, product, 9, 5e-15); // after some 15 turns
    TEST_ASSERT_DOUBLE_WITHIN(5e-15, 1, determinant3(inertia->axes));
}

// From tets and from faces alike. `moment` in the order of the coordinate axes.
static void check_shape(const char *description, const pl_weight *weight, double mass,
                        const double moment[3], double relative)
{
    pl_mesh *mesh = make_mesh(description), *surface = surface_of(mesh);
    for (int i = 0; i < 2; i++) {
        pl_inertia out = inertia_of(i == 0 ? mesh : surface, weight);
        double size = fmax(moment[0], fmax(moment[1], moment[2])) * relative;
        TEST_ASSERT_DOUBLE_WITHIN(relative * mass, mass, out.mass);
        expect_near(moment, out.moment, 3, size);
        for (int k = 0; k < 9; k++)
            TEST_ASSERT_DOUBLE_WITHIN(size, k % 4 == 0 ? moment[k / 4] : 0, out.tensor[k]);
        check_axes(&out, 1e-14);
    }
    pl_mesh_destroy(surface);
    pl_mesh_destroy(mesh);
}

static void test_box(void)
{
    const double moment[3] = {12.0 / 12 * 13, 12.0 / 12 * 10, 12.0 / 12 * 5};
    check_shape("box:size=1,2,3", &DENSITY_2, 12, moment, 1e-14);
    const double light[3] = {13.0 / 12, 10.0 / 12, 5.0 / 12};
    check_shape("box:size=1,2,3:cells=1,2,3", &MASS_1, 1, light, 1e-14);
    // A thread: the moment about it has its digits too.
    const double thin[3] = {2e-10 / 12, (1 + 1e-10) / 12, (1 + 1e-10) / 12};
    check_shape("box:size=1,1e-5,1e-5:cells=7,1,1", &MASS_1, 1, thin, 1e-14);
    pl_mesh *mesh = make_mesh("box:size=1,1e-5,1e-5:cells=7,1,1");
    TEST_ASSERT_DOUBLE_WITHIN(1e-14 * thin[0], thin[0], inertia_of(mesh, &MASS_1).moment[0]);
    pl_mesh_destroy(mesh);
}

// The axes of a body along the coordinate axes, or of one without axes, are those and stay in
// order.
static void test_axes_stay(void)
{
    const char *const shapes[] = {"box:size=1,2,3", "box:size=3,2,1", "cube", "icosphere",
                                  "cylinder",       "torus",          "rod"};
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 7; i++) {
        pl_mesh *mesh = make_mesh(shapes[i]);
        pl_inertia out = inertia_of(mesh, &MASS_1);
        if (i < 3) expect_near(identity, out.axes, 9, 1e-14);
        check_axes(&out, 1e-14);
        pl_mesh_destroy(mesh);
    }
}

// A prism over a regular polygon of n sides in a circle of radius r: about its axis
// m r^2 (2 + cos(2 pi / n)) / 6.
static void test_prism(void)
{
    double about = 0.09 * (2 + cos(2 * PI / 7)) / 6, across = about / 2 + 4.0 / 12;
    const double moment[3] = {across, across, about};
    check_shape("cylinder:around=7:radius=0.3:length=2", &MASS_1, 1, moment, 1e-13);
}

static void test_tetrahedron(void)
{
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t tet[4] = {0, 1, 2, 3}, face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    for (int i = 0; i < 2; i++) {
        pl_mesh *mesh;
        pl_status status = i == 0 ? pl_mesh_create(4, x, 0, NULL, 1, tet, &mesh)
                                  : pl_mesh_create(4, x, 4, face, 0, NULL, &mesh);
        TEST_ASSERT_EQUAL(PL_OK, status);
        pl_inertia out = inertia_of(mesh, &DENSITY_2);
        double m = 2.0 / 6;
        const double centre[3] = {0.25, 0.25, 0.25};
        TEST_ASSERT_DOUBLE_WITHIN(1e-16, 1.0 / 6, out.volume);
        TEST_ASSERT_DOUBLE_WITHIN(1e-16, m, out.mass);
        expect_near(centre, out.centre, 3, 1e-16);
        // int x x^T / V about the centre is 3/80 on the diagonal, -1/80 beside it.
        for (int k = 0; k < 9; k++)
            TEST_ASSERT_DOUBLE_WITHIN(1e-17, (k % 4 == 0 ? 6 : 1) * m / 80, out.tensor[k]);
        check_axes(&out, 1e-15);
        pl_mesh_destroy(mesh);
    }
}

static void test_ball_converges(void)
{
    double last = 0;
    for (int level = 1; level <= 5; level++) {
        char description[64];
        snprintf(description, sizeof description, "icosphere:radius=3:shells=1:level=%d", level);
        pl_mesh *mesh = make_mesh(description);
        pl_inertia out = inertia_of(mesh, &MASS_1);
        double error = 0.4 * 9 - out.moment[0];
        for (int k = 1; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-13, out.moment[0], out.moment[k]);
        if (level > 1) TEST_ASSERT_DOUBLE_WITHIN(0.3, 4, last / error); // second order
        last = error;
        pl_mesh_destroy(mesh);
    }
    TEST_ASSERT_DOUBLE_WITHIN(5e-3, 0, last);
}

static void test_torus_converges(void)
{
    // m (R^2 + 3/4 a^2) about the axis, m (R^2 / 2 + 5/8 a^2) across.
    const double expected[3] = {0.5 * 0.16 + 0.625 * 0.0225, 0.5 * 0.16 + 0.625 * 0.0225,
                                0.16 + 0.75 * 0.0225};
    double last[3] = {0};
    for (int n = 32; n <= 128; n *= 2) {
        char description[64];
        snprintf(description, sizeof description, "torus:around=%d:sides=%d", n, n);
        pl_mesh *mesh = make_mesh(description), *surface = surface_of(mesh);
        pl_inertia out = inertia_of(mesh, &MASS_1), other = inertia_of(surface, &MASS_1);
        expect_near(out.moment, other.moment, 3, 1e-13); // 50,000 tets
        for (int k = 0; k < 3; k++) {
            double error = expected[k] - out.moment[k];
            if (n > 32) TEST_ASSERT_DOUBLE_WITHIN(0.1, 4, last[k] / error);
            last[k] = error;
        }
        pl_mesh_destroy(surface);
        pl_mesh_destroy(mesh);
    }
    TEST_ASSERT_DOUBLE_WITHIN(3e-4, 0, last[2]);
}

static void place(pl_mesh *mesh, const double R[9], double size, const double t[3])
{
    double m[12];
    for (int k = 0; k < 12; k++) m[k] = k % 4 == 3 ? t[k / 4] : size * R[k / 4 * 3 + k % 4];
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
}

// A body turned and put elsewhere has the turned tensor. Its vertices have the rounding of their
// distance: about 1e-16 per metre.
static void test_turned_and_far(void)
{
    const double away[3] = {1, 1e3, 1e6}, within[3] = {1e-14, 1e-12, 1e-9};
    for (int round = 0; round < 30; round++) {
        pl_mesh *mesh = make_mesh(round % 2 ? "torus" : "box:size=1,2,3:cells=2,2,2");
        if (round % 3 == 0) {
            pl_mesh *surface = surface_of(mesh);
            pl_mesh_destroy(mesh);
            mesh = surface;
        }
        pl_inertia before = inertia_of(mesh, &DENSITY_2), after;
        double R[9], Rt[9], RT[9], RTR[9], far = away[round % 3], relative = within[round % 3];
        const double t[3] = {far, -0.5 * far, 0.7 * far};
        random_rotation(R);
        place(mesh, R, 1, t);
        after = inertia_of(mesh, &DENSITY_2);
        transpose3(R, Rt);
        multiply3(R, before.tensor, RT);
        multiply3(RT, Rt, RTR);
        TEST_ASSERT_DOUBLE_WITHIN(relative * before.mass, before.mass, after.mass);
        expect_near(RTR, after.tensor, 9, relative * largest3(RTR));
        expect_near(t, after.centre, 3, 1e-15 * far + 1e-14);
        check_axes(&after, 1e-14);
        pl_mesh_destroy(mesh);
    }
}

static void test_tiny_and_huge(void)
{
    const double origin[3] = {0};
    for (int e = -140; e <= 140; e += 20) {
        pl_mesh *mesh = make_mesh("box:size=1,2,3");
        double R[9], size = pow(10, e);
        random_rotation(R);
        pl_inertia before = inertia_of(mesh, &MASS_1);
        place(mesh, R, size, origin);
        pl_inertia after = inertia_of(mesh, &MASS_1);
        double sum = 0, sum_before = 0;
        for (int k = 0; k < 3; k++) {
            sum += after.moment[k];
            sum_before += before.moment[k];
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, 1, sum / size / size / sum_before);
        check_axes(&after, 1e-14);
        pl_mesh_destroy(mesh);
    }
    pl_inertia out;
    pl_mesh *huge = make_mesh("cube:size=1e200");
    expect_failure(PL_ERROR_GEOMETRY, pl_inertia_of_mesh(huge, &MASS_1, &out), "too large");
    pl_mesh_destroy(huge);
    pl_mesh *tiny = make_mesh("cube:size=1e-110");
    expect_failure(PL_ERROR_GEOMETRY, pl_inertia_of_mesh(tiny, &DENSITY_2, &out), "too small");
    pl_mesh_destroy(tiny);
}

// The faces of two meshes; those of the second turned around if `hole`.
static pl_mesh *unite(const char *first, const char *second, const double shift[3], bool hole)
{
    pl_mesh *a = make_mesh(first), *b = make_mesh(second), *out;
    int32_t n = pl_mesh_vertex_count(a), m = pl_mesh_face_count(a);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_alloc(n + b->n_vert, m + b->n_face, 0, &out));
    memcpy(out->x, a->x, 3 * (size_t)n * sizeof *a->x);
    memcpy(out->face, a->face, 3 * (size_t)m * sizeof *a->face);
    for (int32_t i = 0; i < 3 * b->n_vert; i++) out->x[3 * n + i] = b->x[i] + shift[i % 3];
    for (int32_t i = 0; i < 3 * b->n_face; i++) {
        int32_t corner = hole ? 2 - i % 3 : i % 3;
        out->face[3 * m + i / 3 * 3 + corner] = n + b->face[i];
    }
    pl_mesh_destroy(a);
    pl_mesh_destroy(b);
    return out;
}

static void test_cavity_and_parts(void)
{
    const double origin[3] = {0}, aside[3] = {10, 0, 0};
    pl_mesh *hollow = unite("cube:size=4", "cube:size=2", origin, true);
    pl_inertia out = inertia_of(hollow, &DENSITY_2);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2 * (64 - 8), out.mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 128.0 * 16 / 6 - 16.0 * 4 / 6, out.moment[0]);
    pl_mesh_destroy(hollow);
    pl_mesh *two = unite("cube:size=2", "cube:size=2", aside, false);
    out = inertia_of(two, &DENSITY_2);
    const double centre[3] = {5, 0, 0};
    expect_near(centre, out.centre, 3, 1e-14);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 32.0 * 4 / 6, out.moment[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 32.0 * 4 / 6 + 32 * 25, out.moment[1]);
    pl_mesh_destroy(two);
}

static void refuse(pl_mesh *mesh, const pl_weight *weight, pl_status status, const char *part)
{
    pl_inertia out;
    expect_failure(status, pl_inertia_of_mesh(mesh, weight, &out), part);
    pl_mesh_destroy(mesh);
}

static pl_mesh *cube_surface(void)
{
    pl_mesh *mesh = make_mesh("cube:cells=1"), *surface = surface_of(mesh);
    pl_mesh_destroy(mesh);
    return surface;
}

static void test_refuses_what_is_no_solid(void)
{
    pl_mesh *mesh = cube_surface();
    mesh->n_face--;
    refuse(mesh, &MASS_1, PL_ERROR_GEOMETRY, "the surface is open at its edge between");
    mesh = cube_surface();
    pl_swap(mesh->face, mesh->face + 1);
    refuse(mesh, &MASS_1, PL_ERROR_GEOMETRY, "face 0: the surface is open");
    mesh = cube_surface();
    for (int i = 0; i < mesh->n_face; i++) pl_swap(mesh->face + 3 * i, mesh->face + 3 * i + 1);
    refuse(mesh, &MASS_1, PL_ERROR_GEOMETRY, "the volume, -1 m^3, is not above 0");
    mesh = cube_surface();
    for (int i = 0; i < mesh->n_vert; i++) mesh->x[3 * i + 2] = 0.3 * mesh->x[3 * i];
    refuse(mesh, &MASS_1, PL_ERROR_GEOMETRY, "is not above 0");
    mesh = cube_surface();
    for (int i = 0; i < 3 * mesh->n_vert; i++) mesh->x[i] = 0.3;
    refuse(mesh, &MASS_1, PL_ERROR_GEOMETRY, "is not above 0");
    mesh = cube_surface();
    mesh->n_face = 0;
    refuse(mesh, &MASS_1, PL_ERROR_GEOMETRY, "neither tets nor faces");
    mesh = cube_surface();
    mesh->x[3 * 5 + 1] = NAN;
    refuse(mesh, &MASS_1, PL_ERROR_ARGUMENT, "vertex 5");
    mesh = make_mesh("cube");
    pl_swap(mesh->tet + 4 * 7, mesh->tet + 4 * 7 + 1);
    refuse(mesh, &MASS_1, PL_ERROR_GEOMETRY, "tet 7");
    // A part inside out far away: more volume than it takes, but negative moments.
    const double aside[3] = {100, 0, 0};
    refuse(unite("cube:size=4", "cube:size=2", aside, true), &MASS_1, PL_ERROR_GEOMETRY,
           "not those of a solid");
}

static void test_refuses_weights(void)
{
    const pl_weight bad[] = {{0, 0},   {1, 1},   {-1, 0},       {0, -1},
                             {NAN, 0}, {0, NAN}, {INFINITY, 0}, {0, INFINITY}};
    for (int i = 0; i < 8; i++) {
        refuse(cube_surface(), &bad[i], PL_ERROR_ARGUMENT, "density");
    }
}

static pl_status run_surface(void *user)
{
    pl_inertia out;
    return pl_inertia_of_mesh(user, &MASS_1, &out);
}

static void test_allocation_failures(void)
{
    pl_mesh *mesh = cube_surface();
    fail_each_allocation(run_surface, mesh);
    pl_mesh_destroy(mesh);
}

// --- Principal axes ---

static void check_eigen(const double a[9])
{
    pl_inertia out;
    memcpy(out.tensor, a, sizeof out.tensor);
    pl_symmetric_eigen(a, out.moment, out.axes);
    check_axes(&out, 5e-15);
}

static void test_eigen(void)
{
    for (int round = 0; round < 2000; round++) {
        double R[9], Rt[9], D[9] = {0}, RD[9], a[9];
        random_rotation(R);
        for (int k = 0; k < 3; k++) D[4 * k] = pow(10, random_between(-3, 3)) * (k - 0.5);
        if (round % 3 == 1) D[4] = D[8];
        if (round % 3 == 2) D[4] = D[8] = D[0] * (1 + random_between(-1, 1) * 1e-15);
        transpose3(R, Rt);
        multiply3(R, D, RD);
        multiply3(RD, Rt, a);
        a[1] = a[3], a[2] = a[6], a[5] = a[7];
        check_eigen(a);
    }
    const double zero[9] = {0}, crossed[9] = {0, 1, 0, 1, 0, 0, 0, 0, 0};
    check_eigen(zero);
    check_eigen(crossed);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_box);
    RUN_TEST(test_axes_stay);
    RUN_TEST(test_prism);
    RUN_TEST(test_tetrahedron);
    RUN_TEST(test_ball_converges);
    RUN_TEST(test_torus_converges);
    RUN_TEST(test_turned_and_far);
    RUN_TEST(test_tiny_and_huge);
    RUN_TEST(test_cavity_and_parts);
    RUN_TEST(test_refuses_what_is_no_solid);
    RUN_TEST(test_refuses_weights);
    RUN_TEST(test_allocation_failures);
    RUN_TEST(test_eigen);
    return UNITY_END();
}
