// Every shape has the counts its formula promises, positive tets, a closed surface and its volume.

#include "../meshes/mesh.h"

#include <math.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_mesh *make(const char *description)
{
    pl_mesh *mesh = NULL;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_make(description, &mesh), pl_error_text());
    return mesh;
}

static void check(const char *description, int n_vert, int n_face, int n_tet, double volume)
{
    pl_mesh *mesh = make(description);
    TEST_ASSERT_EQUAL_INT_MESSAGE(n_vert, pl_mesh_vertex_count(mesh), description);
    TEST_ASSERT_EQUAL_INT_MESSAGE(n_face, pl_mesh_face_count(mesh), description);
    TEST_ASSERT_EQUAL_INT_MESSAGE(n_tet, pl_mesh_tet_count(mesh), description);
    // The sum of some thousand products: rounding stays far below this.
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12 * volume, volume, pl_mesh_volume(mesh), description);
    pl_mesh_quality quality;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_measure(mesh, &quality, NULL, NULL));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, quality.n_inverted, description);
    pl_surface_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_inspect(mesh, &report));
    TEST_ASSERT_TRUE_MESSAGE(report.closed, description);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, report.n_parts, description);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, report.n_nonmanifold, description);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, report.n_misoriented, description);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, report.n_intersections, description);
    pl_surface_report_free(&report);
    // The faces are the boundary: their enclosed volume is the tets'.
    pl_mesh *surface;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, NULL, &surface));
    TEST_ASSERT_EQUAL_INT(n_face, pl_mesh_face_count(surface));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * volume, volume, pl_mesh_volume(surface));
    pl_mesh_destroy(surface);
    pl_mesh_destroy(mesh);
}

// The area of a regular polygon of n sides in a circle of radius r.
static double polygon(int n, double r)
{
    return 0.5 * n * r * r * sin(2 * acos(-1) / n);
}

static void test_paper_objects(void)
{
    check("ring", 72, 144, 108, 0.2 * (polygon(18, 0.5) - polygon(18, 0.3)));
    check("plate", 260, 528, 432, 72 * (1.2 / 24) * (0.3 / 6) * 0.05);
}

static void test_boxes(void)
{
    check("box", 125, 192, 384, 1);
    check("box:size=1,2,0.5:cells=2,3,1", 3 * 4 * 2, 2 * 2 * (6 + 2 + 3), 36, 1);
    check("cube", 27, 48, 48, 1);
    check("cube:size=0.1:cells=1", 8, 12, 6, 1e-3);
    check("box:size=2", 125, 192, 384, 8);
}

static void test_round_ones(void)
{
    check("cylinder", 9 * 33, 2 * 48 + 2 * 16 * 8, 3 * 8 * 48, polygon(16, 0.25));
    check("cylinder:around=5:rings=1:along=1:length=2", 12, 20, 15, 2 * polygon(5, 0.25));
    check("rod", 51 * 7, 2 * 6 + 2 * 6 * 50, 3 * 6 * 50, polygon(6, 0.01));
    // Pappus for a polygonal path: a cut at any height is a ring of regular polygons.
    double path = 24 * sin(2 * acos(-1) / 24) * 0.4;
    check("torus", 24 * 11, 2 * 10 * 24, 3 * 10 * 24, path * polygon(10, 0.15));
}

static void test_icosphere(void)
{
    double edge = 0.5 / sin(0.4 * acos(-1)); // of the icosahedron in a sphere of radius 0.5
    check("icosphere:level=0:shells=1", 13, 20, 20, 5.0 / 12 * (3 + sqrt(5)) * pow(edge, 3));
    pl_mesh *ball = make("icosphere:radius=2:level=4:shells=2");
    TEST_ASSERT_EQUAL_INT(2 * 2562 + 1, pl_mesh_vertex_count(ball));
    TEST_ASSERT_EQUAL_INT(5120, pl_mesh_face_count(ball));
    TEST_ASSERT_EQUAL_INT(4 * 5120, pl_mesh_tet_count(ball));
    double volume = 4.0 / 3 * acos(-1) * 8;
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * volume, volume, pl_mesh_volume(ball));
    for (int i = 0; i < 2562; i++) {
        const double *x = pl_mesh_positions(ball) + 3 * i;
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
    pl_mesh_destroy(ball);
}

// Lengths whose cubes underflow or overflow: the tets are turned as those of any other size.
static void test_sizes_beyond_cubes(void)
{
    const char *const sizes[] = {"cube:size=1e-200", "cube:size=1e200"};
    pl_mesh *usual = make("cube");
    for (int i = 0; i < 2; i++) {
        pl_mesh *odd = make(sizes[i]);
        TEST_ASSERT_EQUAL_INT32_ARRAY(pl_mesh_tets(usual), pl_mesh_tets(odd), 4 * 48);
        TEST_ASSERT_EQUAL_INT32_ARRAY(pl_mesh_faces(usual), pl_mesh_faces(odd), 3 * 48);
        pl_mesh_destroy(odd);
    }
    pl_mesh_destroy(usual);
}

static void refuse(const char *description, const char *sentence)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_ARGUMENT, pl_mesh_make(description, &mesh), description);
    TEST_ASSERT_NULL(mesh);
    TEST_ASSERT_EQUAL_STRING(sentence, pl_error_text());
}

static void test_refusals(void)
{
    refuse("rng", "unknown shape \"rng\", did you mean \"ring\"?");
    refuse("", "unknown shape \"\"");
    refuse("box:siez=1", "box: unknown key \"siez\", did you mean \"size\"?");
    refuse("box:size", "box: size: '=' expected");
    refuse("box:size=", "box: size: up to three numbers expected at \"\"");
    refuse("box:size=1,2", "box: size: one or 3 numbers expected, not 2");
    refuse("box:size=1,2,3,4", "box: size: up to three numbers expected at \"4\"");
    refuse("box:size=1x", "box: ':' or the end expected at \"x\"");
    refuse("box:size=nan", "box: size: up to three numbers expected at \"nan\"");
    refuse("box:size=0", "box: size: 0 is not a length above 0");
    refuse("box:cells=1.5", "box: cells: 1.5 is not a whole number from 1 to 100000");
    refuse("ring:segments=2", "ring: segments: 2 is not a whole number from 3 to 100000");
    refuse("ring:section=0.8", "ring: section: must be less than twice the radius");
    refuse("torus:tube=0.4", "torus: tube: must be less than the radius");
    refuse("box:cells=100000", "box: too many cells");
    refuse("rod:along=100000:sides=100000",
           "rod: a mesh of more than 536870911 vertices, faces or tets");
}

static void test_help_names_every_shape(void)
{
    char text[4096];
    size_t length = pl_shape_help(text, sizeof text);
    TEST_ASSERT_EQUAL_UINT64(strlen(text), length);
    const char *names[] = {"ring", "plate", "box", "cube", "cylinder", "icosphere", "torus", "rod"};
    for (int i = 0; i < 8; i++) {
        TEST_ASSERT_NOT_NULL(strstr(text, names[i]));
        TEST_ASSERT_TRUE(pl_shape_known(names[i]));
    }
    TEST_ASSERT_FALSE(pl_shape_known("rings"));
    char little[8];
    TEST_ASSERT_EQUAL_UINT64(length, pl_shape_help(little, sizeof little));
    TEST_ASSERT_EQUAL_UINT64(7, strlen(little));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_paper_objects);
    RUN_TEST(test_boxes);
    RUN_TEST(test_round_ones);
    RUN_TEST(test_icosphere);
    RUN_TEST(test_sizes_beyond_cubes);
    RUN_TEST(test_refusals);
    RUN_TEST(test_help_names_every_shape);
    return UNITY_END();
}
