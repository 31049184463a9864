// Shapes by themselves: descriptions, surfaces, skeletons, inertia; hulls and height fields.

#include "worlds.h"
#include "../rigid/shape.h"

#include <math.h>

void setUp(void)
{
}
void tearDown(void)
{
}

static pl_shape parse(const char *description)
{
    pl_shape shape;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_shape_parse(description, &shape), pl_error_text());
    return shape;
}

static double volume_of(const pl_mesh *mesh)
{
    pl_surface_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_inspect(mesh, &report));
    TEST_ASSERT_TRUE(report.closed);
    TEST_ASSERT_EQUAL(0, report.n_nonmanifold + report.n_misoriented + report.n_degenerate +
                             report.n_intersections);
    pl_surface_report_free(&report);
    return pl_mesh_volume(mesh);
}

// --- Descriptions ---

static void test_descriptions(void)
{
    pl_shape s = parse("box:size=1,2,3:rounding=0.25");
    TEST_ASSERT_EQUAL(PL_SHAPE_BOX, s.kind);
    TEST_ASSERT_EQUAL_DOUBLE(2, s.size[1]);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, s.rounding);
    TEST_ASSERT_EQUAL_DOUBLE(0.125, parse("capsule:radius=0.125").radius);
    pl_shape out;
    expect_failure(PL_ERROR_ARGUMENT, pl_shape_parse("spere", &out), "sphere");
    expect_failure(PL_ERROR_ARGUMENT, pl_shape_parse("sphere:radus=1", &out), "radius");
    expect_failure(PL_ERROR_ARGUMENT, pl_shape_parse("sphere:radius=0", &out),
                   "sphere: radius: 0 is not a length above 0");
    expect_failure(PL_ERROR_ARGUMENT, pl_shape_parse("box:rounding=-1", &out), "of 0 or above 0");
    expect_failure(PL_ERROR_ARGUMENT, pl_shape_parse("torus:radius=1:tube=1", &out),
                   "torus: tube: 1 is not below the radius");
    char text[2000];
    TEST_ASSERT_TRUE(pl_shape_kind_help(text, sizeof text) < sizeof text);
    TEST_ASSERT_NOT_NULL(strstr(text, "capsule:radius=0.5:length=1:segments=32"));
}

// --- Surfaces and mass ---

// The closed forms against integrals over the surface that is drawn, with ever more segments: both
// differ by O(1/n^2). Turned and moved, and together with another shape.
static void check_inertia(const char *description, int32_t segments, double tolerance)
{
    pl_shape shape = parse(description);
    shape.segments = segments;
    for (int k = 0; k < 4; k++) shape.orientation[k] = sin(k + 1);
    for (int k = 0; k < 3; k++) shape.position[k] = cos(k + 1);
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_shapes_mesh(1, &shape, &mesh), pl_error_text());
    double volume = volume_of(mesh), mass, centre[3], I[9];
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(1, &shape, 700, &mass, centre, I));
    TEST_ASSERT_DOUBLE_WITHIN(tolerance * mass, 700 * volume, mass);
    pl_inertia of_mesh;
    const pl_weight weight = {.mass = mass};
    TEST_ASSERT_EQUAL(PL_OK, pl_inertia_of_mesh(mesh, &weight, &of_mesh));
    double most = fmax(I[0], fmax(I[4], I[8]));
    for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(tolerance, of_mesh.centre[k], centre[k]);
    for (int k = 0; k < 9; k++)
        TEST_ASSERT_DOUBLE_WITHIN(tolerance * most, of_mesh.tensor[k], I[k]);
    pl_mesh_destroy(mesh);
}

static void test_closed_forms_agree_with_surfaces(void)
{
    check_inertia("sphere:radius=0.7", 256, 2e-3);
    check_inertia("capsule:radius=0.3:length=1.1", 256, 2e-3);
    check_inertia("box:size=1,0.6,0.4", 32, 1e-12);
    check_inertia("box:size=1,0.6,0.4:rounding=0.1", 256, 1e-3);
    check_inertia("box:size=1,0.6,0.2:rounding=0.1", 256, 1e-3); // a plate
    check_inertia("cylinder:radius=0.3:length=0.9", 1000, 1e-4);
    check_inertia("cone:radius=0.5:length=0.8", 1000, 1e-4);
    check_inertia("torus:radius=0.5:tube=0.2", 300, 1e-3);
}

static void test_compounds_add_up(void)
{
    // A dumbbell: two spheres of different density and a rod, by Steiner's theorem.
    pl_shape s[3] = {parse("sphere:radius=0.2"), parse("sphere:radius=0.2"),
                     parse("cylinder:radius=0.05:length=0.6")};
    s[0].position[2] = -0.5;
    s[1].position[2] = 0.5;
    s[1].density = 3000;
    double pi = acos(-1), ball = 4.0 / 3 * pi * 0.008, rod = pi * 0.0025 * 0.6;
    const double m[3] = {1000 * ball, 3000 * ball, 1000 * rod}, z[3] = {-0.5, 0.5, 0};
    double mass, centre[3], I[9], sum = 0, at = 0, across = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(3, s, 1000, &mass, centre, I));
    for (int i = 0; i < 3; i++) sum += m[i], at += m[i] * z[i];
    at /= sum;
    for (int i = 0; i < 3; i++) {
        double own = i < 2 ? 0.4 * 0.04 : 0.0025 / 4 + 0.36 / 12;
        across += m[i] * (own + (z[i] - at) * (z[i] - at));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * sum, sum, mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, at, centre[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * across, across, I[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * across, across, I[4]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * across, 0, I[1]);
    // Four boxes as one mesh.
    pl_shape part[4];
    for (int i = 0; i < 4; i++) {
        part[i] = parse("box:size=0.5,0.3,0.2");
        part[i].position[0] = 0.5 * (i % 2);
        part[i].position[1] = 0.3 * (i / 2);
    }
    pl_shape whole = parse("box:size=1,0.6,0.2");
    double J[9], other;
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(4, part, 1000, &mass, centre, I));
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(1, &whole, 1000, &other, NULL, J));
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, other, mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.25, centre[0]);
    for (int k = 0; k < 9; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, J[k], I[k]);
}

// --- Skeletons ---

static void check_skeleton(const char *description, int32_t face, int32_t edge, int32_t point,
                           double radius)
{
    pl_shape shape = parse(description);
    pl_shape_skeleton s;
    TEST_ASSERT_EQUAL(PL_OK, pl_shape_find_skeleton(&shape, &s));
    TEST_ASSERT_EQUAL(face, s.skeleton.n_face);
    TEST_ASSERT_EQUAL(edge, s.skeleton.n_edge);
    TEST_ASSERT_EQUAL(point, s.skeleton.n_point);
    TEST_ASSERT_EQUAL_DOUBLE(radius, s.skeleton.radius);
    pl_shape_skeleton_free(&s);
}

static void test_skeletons(void)
{
    check_skeleton("sphere:radius=0.5", 0, 0, 1, 0.5);
    check_skeleton("capsule:radius=0.5:length=0", 0, 0, 1, 0.5);
    check_skeleton("capsule:radius=0.25:length=1", 0, 1, 0, 0.25);
    check_skeleton("box", 12, 0, 0, 0);
    check_skeleton("box:rounding=0.125", 12, 0, 0, 0.125);
    check_skeleton("box:size=1,1,0.25:rounding=0.125", 2, 0, 0, 0.125);
    check_skeleton("box:size=1,0.25,0.25:rounding=0.125", 0, 1, 0, 0.125);
    check_skeleton("box:size=0.25:rounding=0.125", 0, 0, 1, 0.125);
    check_skeleton("torus:segments=12:tube=0.125", 0, 12, 0, 0.125);
    check_skeleton("cylinder:segments=12", 48, 0, 0, 0);
    check_skeleton("cone:segments=12", 24, 0, 0, 0);
}

// --- Hulls ---

static pl_mesh *cloud(int32_t n, const double *x)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n, x, 0, NULL, 0, NULL, &mesh));
    return mesh;
}

// Every point is on or below the plane of every face; a grid has many in one plane and on one line.
static void check_hull(int32_t n, const double *x, double volume)
{
    pl_mesh *points = cloud(n, x), *hull;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_hull(points, &hull), pl_error_text());
    double found = volume_of(hull);
    if (volume > 0) TEST_ASSERT_DOUBLE_WITHIN(1e-12 * volume, volume, found);
    for (int32_t f = 0; f < hull->n_face; f++) {
        const double *c[3];
        for (int k = 0; k < 3; k++) c[k] = hull->x + 3 * hull->face[3 * f + k];
        for (int32_t i = 0; i < n; i++) {
            double most = 1e-13;
            const double *p = x + 3 * i;
            double u[3], v[3], w[3];
            for (int k = 0; k < 3; k++) {
                u[k] = c[1][k] - c[0][k], v[k] = c[2][k] - c[0][k], w[k] = p[k] - c[0][k];
            }
            double det = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
                         u[2] * (v[0] * w[1] - v[1] * w[0]);
            TEST_ASSERT_TRUE(det <= most);
        }
    }
    pl_mesh_destroy(points);
    pl_mesh_destroy(hull);
}

static void test_hulls(void)
{
    double x[3 * 400];
    for (int i = 0; i < 125; i++) {
        for (int k = 0; k < 3; k++)
            x[3 * i + k] = (k == 0 ? i % 5 : k == 1 ? i / 5 % 5 : i / 25) / 4.0;
    }
    check_hull(125, x, 1);
    uint64_t state = 1;
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < 3 * 400; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x[i] = (double)(state >> 40) / (1 << 24) - 0.5;
            if (trial % 2 == 1) x[i] = floor(8 * x[i]) / 8; // on a grid, many of them twice
        }
        check_hull(trial < 2 ? 400 : 5 + 15 * trial, x, 0);
    }
    for (int i = 0; i < 100; i++) x[3 * i + 2] = 0.3;
    pl_mesh *flat = cloud(100, x), *hull;
    expect_failure(PL_ERROR_GEOMETRY, pl_mesh_hull(flat, &hull), "lie in one plane");
    TEST_ASSERT_NULL(hull);
    pl_mesh_destroy(flat);
}

static void test_a_hull_is_a_shape(void)
{
    pl_mesh *ring = make_mesh("ring");
    pl_shape shape = pl_shape_default(PL_SHAPE_HULL);
    shape.mesh = ring;
    double mass;
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(1, &shape, 1000, &mass, NULL, NULL));
    TEST_ASSERT_TRUE(mass > 1.2 * 1000 * pl_mesh_volume(ring)); // its hole is filled
    pl_mesh_destroy(ring);
}

static void test_height_fields(void)
{
    double height[12];
    for (int i = 0; i < 12; i++) height[i] = 0.1 * (i % 4) + 1; // rises along x
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK,
                      pl_mesh_height_field(4, 3, height, (const double[]){0.5, 1}, 0.2, &mesh));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.5 * 2 * (0.2 + 0.15), volume_of(mesh));
    pl_mesh_destroy(mesh);
    expect_failure(PL_ERROR_ARGUMENT,
                   pl_mesh_height_field(1, 3, height, (const double[]){1, 1}, 1, &mesh), "1 x 3");
    height[5] = NAN;
    expect_failure(PL_ERROR_ARGUMENT,
                   pl_mesh_height_field(4, 3, height, (const double[]){1, 1}, 1, &mesh),
                   "height 1, 1: not finite");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_descriptions);
    RUN_TEST(test_closed_forms_agree_with_surfaces);
    RUN_TEST(test_compounds_add_up);
    RUN_TEST(test_skeletons);
    RUN_TEST(test_hulls);
    RUN_TEST(test_a_hull_is_a_shape);
    RUN_TEST(test_height_fields);
    return UNITY_END();
}
