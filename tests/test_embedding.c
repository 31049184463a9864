// Fine surfaces that a mesh carries: exact for affine motions, and by the tet that is nearest.

#include "../apps/scene/embedding.h"
#include "../meshes/geometry.h"
#include "../meshes/mesh.h"
#include "failing_alloc.h"
#include "matrices.h"
#include "worlds.h"

#include <math.h>

// A tet at the origin, and one with the same base below it.
static const double X[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0.2, -2};
static const int32_t TETS[] = {0, 1, 2, 3, 0, 2, 1, 4};

void setUp(void)
{
    random_state = 7;
    pl_threads_set(1);
}

void tearDown(void)
{
    fail_never();
}

// --- Meshes ---

static pl_mesh *make_solid(int32_t n_vert, const double *x, int32_t n_tet, const int32_t *tet)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n_vert, x, 0, NULL, n_tet, tet, &mesh));
    return mesh;
}

// A surface with these vertices, in this order.
static pl_mesh *surface_of_points(int32_t n, const double *x)
{
    int32_t *face = malloc(3 * (size_t)n * sizeof *face);
    for (int32_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) face[3 * i + k] = (i + k) % n;
    }
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n, x, n, face, 0, NULL, &mesh));
    free(face);
    return mesh;
}

static pl_embedding *embed(const pl_mesh *carrier, bool rigid, const pl_mesh *fine)
{
    pl_embedding *e;
    pl_status status = pl_embedding_create(carrier, rigid, fine, &e);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    return e;
}

static pl_embedding *embed_points(const pl_mesh *carrier, int32_t n, const double *x)
{
    pl_mesh *fine = surface_of_points(n, x);
    pl_embedding *e = embed(carrier, false, fine);
    TEST_ASSERT_EQUAL_INT(n, e->n);
    TEST_ASSERT_EQUAL_MEMORY(x, e->surface->x, 3 * (size_t)n * sizeof *x);
    pl_mesh_destroy(fine);
    return e;
}

static void apply(const double m[12], const double *x, double *out)
{
    for (int i = 0; i < 3; i++) out[i] = pl_dot(m + 4 * i, x) + m[4 * i + 3];
}

// Moves the carrier by m: the surface must go where m takes it, up to `tolerance` [m].
static void expect_motion(const pl_embedding *e, const pl_mesh *carrier, const double m[12],
                          double tolerance)
{
    double *x = malloc(3 * (size_t)carrier->n_vert * sizeof *x);
    double *out = malloc(3 * (size_t)e->n * sizeof *out);
    for (int64_t i = 0; i < carrier->n_vert; i++) apply(m, carrier->x + 3 * i, x + 3 * i);
    pl_embedding_move(e, x, out);
    for (int64_t i = 0; i < e->n; i++) {
        double expected[3];
        apply(m, e->surface->x + 3 * i, expected);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_DOUBLE_WITHIN(tolerance, expected[k], out[3 * i + k]);
        }
    }
    free(x);
    free(out);
}

// --- Affine motions ---

static const double IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static const double TURN[12] = {0.36, 0.48,  -0.8, 3,    -0.8, 0.6,
                                0,    -1000, 0.48, 0.64, 0.6,  20}; // to where digits are few
static const double SPIN[12] = {0.36, 0.48, -0.8, 0, -0.8, 0.6, 0, 0, 0.48, 0.64, 0.6, 0};
static const double SHEAR[12] = {1, 0.7, -0.3, 0, 0, 1, 2, 0, 0, 0, 1, 0};
static const double SCALE[12] = {3, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, -7, 0};

// Relative to the size of what is carried, or to its distance from the origin: weights of 10, which
// are not rare outside, on coordinates of 1,000 are 1e4 * 2^-52.
static const double EXACT = 1e-12;

static void expect_affine(const char *coarse, const char *fine, double scale)
{
    pl_mesh *carrier = make_mesh(coarse), *surface = make_mesh(fine);
    const double m[12] = {scale, 0, 0, 0.3, 0, scale, 0, 0.2, 0, 0, scale, 0.1};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(carrier, m));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(surface, m));
    pl_embedding *e = embed(carrier, false, surface);
    TEST_ASSERT_TRUE(e->n > 1000);
    expect_motion(e, carrier, IDENTITY, EXACT * scale);
    expect_motion(e, carrier, TURN, EXACT * 1000);
    expect_motion(e, carrier, SHEAR, EXACT * scale * 4);
    expect_motion(e, carrier, SCALE, EXACT * scale * 8);
    pl_embedding_destroy(e);
    pl_mesh_destroy(carrier);
    pl_mesh_destroy(surface);
}

static void test_affine_motions_are_exact(void)
{
    expect_affine("icosphere:level=1:shells=2", "icosphere:level=4:shells=1", 1);
    expect_affine("torus", "icosphere:level=4:shells=1", 1); // much of it far from any tet
    expect_affine("cube:size=0.9:cells=3", "icosphere:level=4:shells=1:radius=0.7", 50);
}

// A sliver: four corners of a square, of which one is lifted by a little, and turned.
static void test_a_thin_tet_is_exact_too(void)
{
    enum { POINTS = 200 };
    static const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1e-6};
    double x[12], p[3 * POINTS];
    for (int i = 0; i < 4; i++) apply(SPIN, flat + 3 * i, x + 3 * i);
    for (int i = 0; i < POINTS; i++) {
        const double q[3] = {random_number(), random_number(), 1e-6 * random_number()};
        apply(SPIN, q, p + 3 * i);
    }
    pl_mesh *carrier = make_solid(4, x, 1, TETS);
    pl_embedding *e = embed_points(carrier, POINTS, p);
    expect_motion(e, carrier, IDENTITY, 1e-15);
    expect_motion(e, carrier, SHEAR, 1e-14);
    pl_embedding_destroy(e);
    pl_mesh_destroy(carrier);
}

// --- Which tet ---

static bool holds(const pl_mesh *mesh, const int32_t t[4], const double p[3])
{
    double whole = pl_tet_volume(mesh->x, t);
    for (int k = 0; k < 4; k++) {
        const double *c[4];
        for (int j = 0; j < 4; j++) c[j] = j == k ? p : mesh->x + 3 * (int64_t)t[j];
        if (pl_tet_det(c[0], c[1], c[2], c[3]) / 6 / whole < 0) return false;
    }
    return true;
}

// Over all four faces, and by another way to say what is inside.
static double distance_to_tet(const pl_mesh *mesh, const int32_t t[4], const double p[3])
{
    double distance = INFINITY;
    if (holds(mesh, t, p)) return 0;
    for (int k = 0; k < 4; k++) {
        double x[12];
        memcpy(x, p, 3 * sizeof *x);
        for (int j = 0; j < 3; j++) {
            memcpy(x + 3 + 3 * j, mesh->x + 3 * (int64_t)t[(k + j) % 4], 3 * sizeof *x);
        }
        pl_closest closest;
        pl_closest_points(PL_VERTEX_FACE, x, &closest);
        distance = fmin(distance, closest.distance);
    }
    return distance;
}

static void test_the_nearest_tet_of_all(void)
{
    enum { POINTS = 300 };
    static double p[3 * POINTS];
    pl_mesh *carrier = make_mesh("torus");
    for (int i = 0; i < 3 * POINTS; i++) p[i] = 0.7 * random_number();
    pl_embedding *e = embed_points(carrier, POINTS, p);
    int inside = 0;
    for (int i = 0; i < POINTS; i++) {
        double least = INFINITY;
        for (int32_t t = 0; t < carrier->n_tet; t++) {
            least = fmin(least, distance_to_tet(carrier, carrier->tet + 4 * (int64_t)t, p + 3 * i));
        }
        double found = distance_to_tet(carrier, e->corner + 4 * i, p + 3 * i);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, least, found);
        inside += least == 0;
    }
    TEST_ASSERT_TRUE(inside > 5 && inside < POINTS - 5);
    pl_embedding_destroy(e);
    pl_mesh_destroy(carrier);
}

// The point is next to a large tet, whose centre is farther away than that of a small one.
static void test_centres_do_not_count(void)
{
    static const double x[] = {0,  0,  0,   10, 0,  0,   0,  10, 0,   0,  0,  10,
                               -2, -2, 0.5, -1, -2, 0.5, -2, -1, 0.5, -2, -2, 1.5};
    static const int32_t tets[] = {4, 5, 6, 7, 0, 1, 2, 3};
    static const double p[9] = {-0.1, 0.3, 0.5, -0.1, 0.3, 0.6, -0.1, 0.3, 0.7};
    pl_mesh *carrier = make_solid(8, x, 2, tets);
    pl_embedding *e = embed_points(carrier, 3, p);
    for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_INT32_ARRAY(tets + 4, e->corner + 4 * i, 4);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, -0.01, e->weight[0]); // 0.1 outside, of a height of 10
    pl_embedding_destroy(e);
    pl_mesh_destroy(carrier);
}

static void test_vertices_edges_and_faces(void)
{
    enum { POINTS = 5 + 9 + 7 };
    static const int edge[9][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                   {2, 3}, {0, 4}, {1, 4}, {2, 4}};
    static const int face[7][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3},
                                   {0, 1, 4}, {0, 2, 4}, {1, 2, 4}};
    double p[3 * POINTS];
    for (int i = 0; i < 5; i++) memcpy(p + 3 * i, X + 3 * i, 3 * sizeof *p);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 9; i++) {
            p[3 * (5 + i) + k] = 0.3 * X[3 * edge[i][0] + k] + 0.7 * X[3 * edge[i][1] + k];
        }
        for (int i = 0; i < 7; i++) {
            const int *f = face[i];
            p[3 * (14 + i) + k] =
                0.2 * X[3 * f[0] + k] + 0.5 * X[3 * f[1] + k] + (1 - 0.2 - 0.5) * X[3 * f[2] + k];
        }
    }
    pl_mesh *carrier = make_solid(5, X, 2, TETS);
    pl_embedding *e = embed_points(carrier, POINTS, p);
    for (int i = 0; i < POINTS; i++) {
        const double *w = e->weight + 3 * i;
        for (int k = 0; k < 3; k++) TEST_ASSERT_TRUE(w[k] > -1e-15 && w[k] < 1 + 1e-15);
        TEST_ASSERT_TRUE(w[0] + w[1] + w[2] < 1 + 1e-15);
    }
    expect_motion(e, carrier, IDENTITY, 1e-15);
    // Whatever tet carries a point, it goes where the feature goes.
    double moved[15], out[3 * POINTS];
    for (int i = 0; i < 15; i++) moved[i] = X[i] + random_number();
    pl_embedding_move(e, moved, out);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 5; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, moved[3 * i + k], out[3 * i + k]);
        }
        for (int i = 0; i < 9; i++) {
            double expected = 0.3 * moved[3 * edge[i][0] + k] + 0.7 * moved[3 * edge[i][1] + k];
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, expected, out[3 * (5 + i) + k]);
        }
        for (int i = 0; i < 7; i++) {
            const int *f = face[i];
            double expected = 0.2 * moved[3 * f[0] + k] + 0.5 * moved[3 * f[1] + k] +
                              (1 - 0.2 - 0.5) * moved[3 * f[2] + k];
            TEST_ASSERT_DOUBLE_WITHIN(2e-15, expected, out[3 * (14 + i) + k]);
        }
    }
    pl_embedding_destroy(e);
    pl_mesh_destroy(carrier);
}

// Beyond a common edge, the tet in which less is extrapolated: not the thin one.
static void test_ties_avoid_thin_tets(void)
{
    static const double x[] = {0, -1, 0, 0, 1, 0, 1, 0, 0.01, 1, 0, 0, 0.5, 0, -2};
    static const int32_t tets[] = {0, 3, 1, 2, 0, 3, 4, 1};
    static const double p[9] = {-0.3, 0, 0.001, -0.3, 0.1, 0.001, -0.3, -0.1, 0.001};
    pl_mesh *carrier = make_solid(5, x, 2, tets);
    pl_embedding *e = embed_points(carrier, 3, p);
    for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_INT32_ARRAY(tets + 4, e->corner + 4 * i, 4);
    pl_embedding_destroy(e);
    pl_mesh_destroy(carrier);
}

static void test_the_same_bits_for_any_number_of_threads(void)
{
    pl_mesh *carrier = make_mesh("icosphere:level=2:shells=3");
    pl_mesh *fine = make_mesh("icosphere:level=5:shells=1");
    pl_embedding *one = embed(carrier, false, fine);
    pl_threads_set(4);
    pl_embedding *four = embed(carrier, false, fine);
    size_t n = (size_t)one->n;
    TEST_ASSERT_EQUAL_MEMORY(one->corner, four->corner, 4 * n * sizeof *one->corner);
    TEST_ASSERT_EQUAL_MEMORY(one->weight, four->weight, 3 * n * sizeof *one->weight);
    pl_embedding_destroy(one);
    pl_embedding_destroy(four);
    pl_mesh_destroy(carrier);
    pl_mesh_destroy(fine);
}

// --- Rigid bodies ---

static void expect_rigid(const char *coarse, bool faces_only, double tolerance)
{
    pl_mesh *body = make_mesh(coarse), *carrier = body, *fine = make_mesh("icosphere:level=3");
    if (faces_only) TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(body, NULL, &carrier));
    pl_embedding *e = embed(carrier, true, fine);
    expect_motion(e, carrier, IDENTITY, tolerance);
    expect_motion(e, carrier, TURN, tolerance * 1000);
    if (faces_only) pl_mesh_destroy(carrier);
    pl_embedding_destroy(e);
    pl_mesh_destroy(body);
    pl_mesh_destroy(fine);
}

// The last one is a thousand times smaller than what it carries: rounding has that lever.
static void test_rigid_bodies_carry_everything(void)
{
    expect_rigid("torus", false, 1e-14);
    expect_rigid("box:size=1,2,0.5", true, 1e-14);
    expect_rigid("cube:size=0.001", true, 1e-11);
}

static void test_a_sheet_carries_too(void)
{
    static const double x[] = {0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    static const int32_t face[] = {0, 1, 2, 0, 2, 3};
    pl_mesh *sheet, *fine = make_mesh("icosphere:level=3");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 2, face, 0, NULL, &sheet));
    pl_embedding *e = embed(sheet, true, fine);
    expect_motion(e, sheet, TURN, 1e-12);
    pl_embedding_destroy(e);
    pl_mesh_destroy(sheet);
    pl_mesh_destroy(fine);
}

// --- Numbers on the surface ---

// Of a linear function: exact inside; outside, between the least and the largest of the corners.
static void expect_scalars(const pl_mesh *carrier, bool rigid)
{
    pl_mesh *fine = make_mesh("icosphere:level=3:radius=0.6");
    pl_embedding *e = embed(carrier, rigid, fine);
    double *value = malloc((size_t)carrier->n_vert * sizeof *value);
    double *out = malloc((size_t)e->n * sizeof *out);
    static const double g[3] = {2, -3, 5};
    for (int64_t i = 0; i < carrier->n_vert; i++) value[i] = 1 + pl_dot(g, carrier->x + 3 * i);
    pl_embedding_scalar(e, value, out);
    int exact = 0;
    for (int64_t i = 0; i < e->n; i++) {
        double lo = INFINITY, hi = -INFINITY, truth = 1 + pl_dot(g, e->surface->x + 3 * i);
        for (int k = 0; k < 4; k++) {
            lo = fmin(lo, value[e->corner[4 * i + k]]);
            hi = fmax(hi, value[e->corner[4 * i + k]]);
        }
        TEST_ASSERT_TRUE(out[i] >= lo - 1e-14 && out[i] <= hi + 1e-14);
        bool inside = !rigid && holds(carrier, e->corner + 4 * i, e->surface->x + 3 * i);
        if (inside) TEST_ASSERT_DOUBLE_WITHIN(1e-13, truth, out[i]);
        exact += inside;
    }
    TEST_ASSERT_TRUE(exact < e->n && (rigid || exact > 10));
    // A constant stays one.
    for (int64_t i = 0; i < carrier->n_vert; i++) value[i] = 42;
    pl_embedding_scalar(e, value, out);
    for (int64_t i = 0; i < e->n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-13, 42, out[i]);
    free(value);
    free(out);
    pl_embedding_destroy(e);
    pl_mesh_destroy(fine);
}

static void test_scalars(void)
{
    pl_mesh *cube = make_mesh("cube:size=1:cells=3");
    expect_scalars(cube, false);
    expect_scalars(cube, true);
    pl_mesh_destroy(cube);
}

// On a rigid body, that of the nearest point of its surface, also if its mesh has tets inside.
static void test_scalars_of_the_nearest_face(void)
{
    static const double p[9] = {0.9, 0.1, 0.2, 0.2, -0.8, 0.1, 0.1, 0.2, 3};
    pl_mesh *cube = make_mesh("cube:size=1:cells=4"), *fine = surface_of_points(3, p);
    pl_embedding *e = embed(cube, true, fine);
    double *value = malloc((size_t)cube->n_vert * sizeof *value), out[3];
    for (int64_t i = 0; i < cube->n_vert; i++)
        value[i] = pl_dot(cube->x + 3 * i, (double[]){1, 2, 4});
    pl_embedding_scalar(e, value, out);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.5 + 2 * 0.1 + 4 * 0.2, out[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.2 - 2 * 0.5 + 4 * 0.1, out[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.1 + 2 * 0.2 + 4 * 0.5, out[2]);
    free(value);
    pl_embedding_destroy(e);
    pl_mesh_destroy(cube);
    pl_mesh_destroy(fine);
}

// --- What is refused ---

static void refuse(const pl_mesh *carrier, bool rigid, const pl_mesh *fine, const char *part)
{
    pl_embedding *e = (pl_embedding *)1;
    expect_failure(PL_ERROR_GEOMETRY, pl_embedding_create(carrier, rigid, fine, &e), part);
    TEST_ASSERT_NULL(e);
}

static void test_far_vertices_are_named(void)
{
    double p[9] = {0.1, 0.1, 0.1, -5.6, 0, 0, 0.2, 0, 0}; // the longest edge is sqrt(2)
    pl_mesh *carrier = make_solid(4, X, 1, TETS);
    pl_embedding *e = embed_points(carrier, 3, p);
    pl_embedding_destroy(e);
    p[3] = -5.7;
    pl_mesh *fine = surface_of_points(3, p);
    refuse(carrier, false, fine,
           "vertex 1 is 5.7 m away from the body, whose nearest tetrahedron has a size of 1.41 m");
    fine->x[6] = -9;
    refuse(carrier, false, fine, "vertex 2 is 9 m away"); // the farthest
    fine->x[6] = -1e300;
    refuse(carrier, false, fine, "vertex 2 is too far away");
    refuse(carrier, true, fine, "vertex 2 is too far away");
    pl_mesh_destroy(fine);
    pl_mesh_destroy(carrier);
}

static void test_what_carries_nothing(void)
{
    static const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const double line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    static const int32_t face[] = {0, 1, 2};
    pl_mesh *fine = make_mesh("icosphere"), *nothing, *points, *needle;
    pl_mesh *sheet = make_solid(4, flat, 1, TETS);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(0, NULL, 0, NULL, 0, NULL, &nothing));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, flat, 0, NULL, 0, NULL, &points));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3, line, 1, face, 0, NULL, &needle));
    refuse(nothing, false, fine, "no tetrahedra");
    refuse(sheet, false, fine, "no tetrahedra");
    refuse(nothing, true, fine, "no faces");
    refuse(points, true, fine, "no faces");
    refuse(needle, true, fine, "no area");
    refuse(fine, false, nothing, "has no faces");
    refuse(fine, true, points, "has no faces");
    pl_mesh_destroy(fine);
    pl_mesh_destroy(nothing);
    pl_mesh_destroy(points);
    pl_mesh_destroy(needle);
    pl_mesh_destroy(sheet);
}

// Flat tets are passed over, and inverted ones carry like others.
static void test_flat_and_inverted_tets(void)
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.3, 0.3, 0};
    static const int32_t tets[] = {0, 1, 2, 4, 0, 2, 1, 3};
    static const double p[9] = {0.3, 0.3, 0.01, 0.2, 0.2, 0, 0.1, 0.3, -0.1};
    pl_mesh *carrier = make_solid(5, x, 2, tets);
    pl_embedding *e = embed_points(carrier, 3, p);
    for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_INT32_ARRAY(tets + 4, e->corner + 4 * i, 4);
    expect_motion(e, carrier, SHEAR, 1e-15);
    pl_embedding_destroy(e);
    pl_mesh_destroy(carrier);
}

typedef struct request {
    const pl_mesh *carrier, *fine;
    bool rigid;
} request;

static pl_status create_and_destroy(void *user)
{
    const request *r = user;
    pl_embedding *e;
    pl_status status = pl_embedding_create(r->carrier, r->rigid, r->fine, &e);
    TEST_ASSERT_EQUAL(status == PL_OK, e != NULL);
    pl_embedding_destroy(e);
    return status;
}

static void test_allocations_fail(void)
{
    pl_mesh *carrier = make_mesh("cube"), *fine = make_mesh("icosphere:level=2");
    for (int rigid = 0; rigid < 2; rigid++) {
        request r = {carrier, fine, rigid};
        TEST_ASSERT_GREATER_OR_EQUAL_INT64(8, fail_each_allocation(create_and_destroy, &r));
    }
    pl_mesh_destroy(carrier);
    pl_mesh_destroy(fine);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_affine_motions_are_exact);
    RUN_TEST(test_a_thin_tet_is_exact_too);
    RUN_TEST(test_the_nearest_tet_of_all);
    RUN_TEST(test_centres_do_not_count);
    RUN_TEST(test_vertices_edges_and_faces);
    RUN_TEST(test_ties_avoid_thin_tets);
    RUN_TEST(test_the_same_bits_for_any_number_of_threads);
    RUN_TEST(test_rigid_bodies_carry_everything);
    RUN_TEST(test_a_sheet_carries_too);
    RUN_TEST(test_scalars);
    RUN_TEST(test_scalars_of_the_nearest_face);
    RUN_TEST(test_far_vertices_are_named);
    RUN_TEST(test_what_carries_nothing);
    RUN_TEST(test_flat_and_inverted_tets);
    RUN_TEST(test_allocations_fail);
    return UNITY_END();
}
