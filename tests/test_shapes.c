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

// Between the walls there is nothing but the room.
static void test_frame(void)
{
    check("frame", 16, 32, 24, (2.2 * 2.2 - 2 * 2) * 1);
    check("frame:size=1,2,3:wall=0.5", 16, 32, 24, (2 * 3 - 1 * 2) * 3);
    pl_mesh *mesh = make("frame:size=1,2,3:wall=0.5");
    for (int i = 0; i < mesh->n_vert; i++) {
        const double *x = mesh->x + 3 * i;
        TEST_ASSERT_TRUE(fabs(x[0]) >= 0.5 && fabs(x[1]) >= 1 && fabs(x[2]) == 1.5);
    }
    pl_mesh_destroy(mesh);
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

// The grade moves points along the sphere and shells toward it: at a pole the lengths become
// 1/grade.
static void test_graded_icosphere(void)
{
    enum { POINTS = 2562, SHELLS = 4, GRADE = 5 };
    pl_mesh *even = make("icosphere:radius=1:level=4:shells=4");
    pl_mesh *ball = make("icosphere:radius=1:level=4:shells=4:grade=5");
    TEST_ASSERT_EQUAL_INT(pl_mesh_vertex_count(even), pl_mesh_vertex_count(ball));
    TEST_ASSERT_EQUAL_INT(pl_mesh_tet_count(even), pl_mesh_tet_count(ball));
    double last = 1;
    for (int shell = 0; shell < SHELLS; shell++) {
        double radius = NAN, depth = (double)shell / SHELLS;
        for (int i = 0; i < POINTS; i++) {
            const double *x = pl_mesh_positions(ball) + 3 * (shell * POINTS + i);
            const double *e = pl_mesh_positions(even) + 3 * (shell * POINTS + i);
            double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            if (i == 0) radius = r;
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, radius, r);
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, atan2(hypot(e[0], e[1]), GRADE * e[2]),
                                      atan2(hypot(x[0], x[1]), x[2]));
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, x[0] * e[1] - x[1] * e[0]); // the same meridian
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1 - depth / (GRADE - (GRADE - 1) * depth), radius);
        TEST_ASSERT_TRUE(shell == 0 || radius < last);
        last = radius;
    }
    double volume = 4.0 / 3 * acos(-1);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * volume, volume, pl_mesh_volume(ball));
    pl_mesh_destroy(even);
    pl_mesh_destroy(ball);
}

static void test_wedge(void)
{
    check("wedge", 15 * 3, 2 * 16 + 6 * 4 * 2, 3 * 16 * 2, 1);
    check("wedge:size=3,0.2,1.5:cells=1:across=1", 6, 8, 3, 0.5 * 3 * 0.2 * 1.5);
    check("wedge:cells=7:across=3", 36 * 4, 2 * 49 + 6 * 7 * 3, 3 * 49 * 3, 1);
    pl_mesh *mesh = make("wedge:size=4,1,1");
    for (int i = 0; i < mesh->n_vert; i++) { // nothing above the slope
        const double *x = mesh->x + 3 * i;
        TEST_ASSERT_TRUE(x[2] <= x[0] / 4 + 1e-15);
    }
    pl_mesh_destroy(mesh);
}

// The joints of a stone are planes through the arch's axis, so that stones fit each other.
static void test_voussoir(void)
{
    double half = acos(-1) / 18;
    check("voussoir", 27, 48, 48, 0.5 * (1.69 - 1) * sin(half) * cos(half));
    check("voussoir:inner=2:outer=3:depth=4:stones=2:cells=1,3,2", 2 * 4 * 3, 4 * (3 + 6 + 2), 36,
          4 * (9 - 4) * 0.5);
    pl_mesh *mesh = make("voussoir:cells=3,1,4");
    int joints = 0;
    for (int i = 0; i < mesh->n_vert; i++) {
        const double *x = mesh->x + 3 * i;
        double angle = fabs(atan2(x[0], x[2]));
        TEST_ASSERT_TRUE(angle <= half + 1e-15);
        joints += angle > half - 1e-15;
    }
    TEST_ASSERT_EQUAL_INT(2 * 2 * 5, joints);
    pl_mesh_destroy(mesh);
}

// Its volume has no formula, but nears that of the section times the length [Pappus].
static void test_coil(void)
{
    const char *const shapes[] = {"coil", "coil:pitch=0.0202", "coil:radius=0.011:pitch=1",
                                  "coil:turns=1:around=90:sides=20"};
    const int around[] = {24, 24, 24, 90}, turns[] = {4, 4, 4, 1}, sides[] = {6, 6, 6, 20};
    const double radius[] = {0.1, 0.1, 0.011, 0.1}, pitch[] = {0.05, 0.0202, 1, 0.05};
    for (int i = 0; i < 4; i++) {
        pl_mesh *mesh = make(shapes[i]);
        int n = sides[i], m = around[i] * turns[i];
        TEST_ASSERT_EQUAL_INT((1 + n) * (m + 1), pl_mesh_vertex_count(mesh));
        TEST_ASSERT_EQUAL_INT(2 * n + 2 * n * m, pl_mesh_face_count(mesh));
        TEST_ASSERT_EQUAL_INT(3 * n * m, pl_mesh_tet_count(mesh));
        double length = turns[i] * hypot(2 * acos(-1) * radius[i], pitch[i]);
        double volume = length * polygon(n, 0.01);
        TEST_ASSERT_DOUBLE_WITHIN(0.03 * volume, volume, pl_mesh_volume(mesh));
        pl_mesh_quality quality;
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_measure(mesh, &quality, NULL, NULL));
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, quality.n_inverted, shapes[i]);
        pl_surface_report report;
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_inspect(mesh, &report));
        TEST_ASSERT_TRUE(report.closed);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, report.n_intersections, shapes[i]);
        pl_surface_report_free(&report);
        pl_mesh_destroy(mesh);
    }
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

static void test_points_and_needles(void)
{
    pl_mesh *mesh = make("points:count=3,2,2:spacing=0.5");
    TEST_ASSERT_EQUAL_INT32(12, pl_mesh_vertex_count(mesh));
    TEST_ASSERT_EQUAL_INT32(12, pl_mesh_point_count(mesh));
    TEST_ASSERT_EQUAL_INT32(0, pl_mesh_edge_count(mesh));
    const double *x = pl_mesh_positions(mesh);
    const double first[3] = {-0.5, -0.25, -0.25}, last[3] = {0.5, 0.25, 0.25};
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(first, x, 3);
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(last, x + 33, 3);
    pl_mesh_destroy(mesh);
    mesh = make("needles:count=2,3:spacing=1:length=0.25");
    TEST_ASSERT_EQUAL_INT32(12, pl_mesh_vertex_count(mesh));
    TEST_ASSERT_EQUAL_INT32(6, pl_mesh_edge_count(mesh));
    for (int i = 0; i < 6; i++) {
        const int32_t *e = pl_mesh_edges(mesh) + 2 * i;
        const double *a = pl_mesh_positions(mesh) + 3 * e[0],
                     *b = pl_mesh_positions(mesh) + 3 * e[1];
        const double tip[3] = {a[0], a[1], 0};
        TEST_ASSERT_EQUAL_DOUBLE(-0.25, a[2]);
        TEST_ASSERT_EQUAL_DOUBLE_ARRAY(tip, b, 3);
    }
    pl_mesh_destroy(mesh);
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
    refuse("", "unknown shape \"\" (known: ring, plate, box, cube, frame, cylinder, icosphere, "
               "torus, rod, coil, wedge, voussoir, points, needles)");
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
    refuse("voussoir:inner=2", "voussoir: inner: must be less than the outer");
    refuse("voussoir:stones=1", "voussoir: stones: 1 is not a whole number from 2 to 100000");
    refuse("icosphere:grade=0", "icosphere: grade: 0 is not a whole number from 1 to 10");
    refuse("coil:wire=0.1", "coil: wire: must be less than the radius");
    refuse("coil:pitch=0.02", "coil: pitch: the turns touch each other");
    refuse("coil:turns=100000:around=100000", "coil: too many cells");
    refuse("box:cells=100000", "box: too many cells");
    refuse("rod:along=100000:sides=100000",
           "rod: a mesh of more than 536870911 vertices, faces or tets");
    refuse("points:count=100000", "points: count: more than 268435455 in all");
    refuse("needles:length=0", "needles: length: 0 is not a length above 0");
}

static void test_help_names_every_shape(void)
{
    char text[4096];
    size_t length = pl_shape_help(text, sizeof text);
    TEST_ASSERT_EQUAL_UINT64(strlen(text), length);
    const char *names[] = {"ring",  "plate", "box",  "cube",  "cylinder", "icosphere",
                           "torus", "rod",   "coil", "wedge", "voussoir"};
    for (int i = 0; i < 11; i++) {
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
    RUN_TEST(test_frame);
    RUN_TEST(test_round_ones);
    RUN_TEST(test_icosphere);
    RUN_TEST(test_graded_icosphere);
    RUN_TEST(test_wedge);
    RUN_TEST(test_voussoir);
    RUN_TEST(test_coil);
    RUN_TEST(test_sizes_beyond_cubes);
    RUN_TEST(test_points_and_needles);
    RUN_TEST(test_refusals);
    RUN_TEST(test_help_names_every_shape);
    return UNITY_END();
}
