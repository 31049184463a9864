// Obstacles of loose edges and points, and half-spaces: what a mesh keeps of them, what touches,
// the audit, the continuous test against brute force, and worlds.

#include "failing_alloc.h"
#include "worlds.h"
#include "../meshes/skeleton.h"
#include "../rigid/inertia.h"

#include <math.h>
#include <string.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_mesh *loose_mesh(int n_vert, const double *x, int n_edge, const int32_t *edge,
                           int n_point, const int32_t *point)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n_vert, x, 0, NULL, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_set_loose(mesh, n_edge, edge, n_point, point),
                              pl_error_text());
    return mesh;
}

// --- Meshes ---

static void test_bad_loose(void)
{
    const double x[6] = {0, 0, 0, 1, 0, 0};
    const int32_t far[2] = {0, 2}, same[2] = {1, 1}, good[2] = {0, 1};
    pl_mesh *mesh = loose_mesh(2, x, 1, good, 0, NULL);
    expect_failure(PL_ERROR_ARGUMENT, pl_mesh_set_loose(mesh, 1, far, 0, NULL),
                   "edge 0: vertex 2 of 2");
    expect_failure(PL_ERROR_ARGUMENT, pl_mesh_set_loose(mesh, 1, same, 0, NULL),
                   "edge 0: both ends are vertex 1");
    expect_failure(PL_ERROR_ARGUMENT, pl_mesh_set_loose(mesh, 0, NULL, 2, far),
                   "point 1: vertex 2 of 2");
    expect_failure(PL_ERROR_ARGUMENT, pl_mesh_set_loose(mesh, -1, NULL, 0, NULL), "negative");
    expect_failure(PL_ERROR_ARGUMENT, pl_mesh_set_loose(mesh, 1, NULL, 0, NULL), "NULL array");
    TEST_ASSERT_EQUAL_INT32(1, pl_mesh_edge_count(mesh)); // as it was
    TEST_ASSERT_EQUAL_INT32(0, pl_mesh_edge_count(NULL));
    TEST_ASSERT_NULL(pl_mesh_points(NULL));
    pl_mesh_destroy(mesh);
}

// A triangle, an edge of it, another edge twice, one of its corners, an end, a point twice.
static void test_each_feature_once(void)
{
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0};
    const int32_t face[3] = {0, 1, 2}, edge[6] = {1, 0, 3, 4, 4, 3}, point[4] = {2, 4, 5, 5};
    pl_mesh *mesh, *copy;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(6, x, 1, face, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_set_loose(mesh, 3, edge, 4, point));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_copy(mesh, &copy));
    pl_skeleton s;
    TEST_ASSERT_EQUAL(PL_OK, pl_skeleton_of_mesh(copy, &s));
    TEST_ASSERT_EQUAL_INT32(1, s.n_face);
    TEST_ASSERT_EQUAL_INT32(1, s.n_edge);
    TEST_ASSERT_EQUAL_INT32(3, s.edge[0]);
    TEST_ASSERT_EQUAL_INT32(4, s.edge[1]);
    TEST_ASSERT_EQUAL_INT32(1, s.n_point);
    TEST_ASSERT_EQUAL_INT32(5, s.point[0]);
    pl_skeleton_free(&s);
    pl_mesh_destroy(copy);
    // What is drawn: the face, a capsule and a ball, which reach as far as they should.
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_thicken(mesh, 0.1, 12, &copy));
    double lo[3], hi[3];
    pl_mesh_bounds(copy, lo, hi);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4.1, hi[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.1, lo[2]);
    TEST_ASSERT_EQUAL_INT32(0, pl_mesh_edge_count(copy));
    pl_mesh_destroy(copy);
    pl_mesh_destroy(mesh);
    const double at[6] = {0, 0, 0, 5, 0, 0};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(2, at, 0, NULL, 0, NULL, &mesh)); // a cloud
    TEST_ASSERT_TRUE(pl_mesh_is_loose(mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_skeleton_of_mesh(mesh, &s));
    TEST_ASSERT_EQUAL_INT32(2, s.n_point);
    pl_skeleton_free(&s);
    pl_mesh_destroy(mesh);
}

static void test_clean_and_parts(void)
{
    // Vertices 1 and 2 are one place, 5 is used by nothing.
    const double x[18] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0, 9, 0, 0, 7, 7, 7};
    const int32_t edge[6] = {0, 1, 2, 3, 1, 2}, point[1] = {4};
    pl_mesh *mesh = loose_mesh(6, x, 3, edge, 1, point);
    pl_clean_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_clean(mesh, NULL, &report));
    TEST_ASSERT_EQUAL_INT32(1, report.welded);
    TEST_ASSERT_EQUAL_INT32(1, report.unused);
    TEST_ASSERT_EQUAL_INT32(4, pl_mesh_vertex_count(mesh));
    const int32_t edges[4] = {0, 1, 1, 2};
    TEST_ASSERT_EQUAL_INT32(2, pl_mesh_edge_count(mesh));
    TEST_ASSERT_EQUAL_INT32_ARRAY(edges, pl_mesh_edges(mesh), 4);
    TEST_ASSERT_EQUAL_INT32(3, pl_mesh_points(mesh)[0]);
    int32_t part[4];
    const int32_t parts[4] = {0, 0, 0, 3};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_parts(mesh, part));
    TEST_ASSERT_EQUAL_INT32_ARRAY(parts, part, 4);
    pl_mesh_destroy(mesh);
}

// --- Mass ---

// One edge is a capsule, one point a ball; two edges far apart have Steiner's parts.
static void test_mass_of_edges(void)
{
    const double x[6] = {0, 0, 1, 2, 0, 1};
    const int32_t edge[2] = {0, 1};
    pl_mesh *mesh = loose_mesh(2, x, 1, edge, 0, NULL);
    pl_shape wire = pl_shape_default(PL_SHAPE_MESH), capsule = pl_shape_default(PL_SHAPE_CAPSULE);
    wire.mesh = mesh;
    wire.rounding = capsule.radius = 0.25;
    capsule.length = 2;
    capsule.position[0] = capsule.position[2] = 1;
    const double half = sqrt(0.5), q[4] = {half, 0, half, 0}; // z to x
    memcpy(capsule.orientation, q, sizeof q);
    double mass[2], centre[2][3], inertia[2][9];
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(1, &wire, 700, &mass[0], centre[0], inertia[0]));
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(1, &capsule, 700, &mass[1], centre[1], inertia[1]));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * mass[1], mass[1], mass[0]);
    for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, centre[1][k], centre[0][k]);
    for (int k = 0; k < 9; k++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-11 * mass[1], inertia[1][k], inertia[0][k]);
    pl_mesh_destroy(mesh);
    // A wire of two edges and a point is two capsules and a ball.
    const double y[15] = {0, 0, 0, 1, 1, 0, -1, 2, 0, -1, 2, 3, 0.5, -2, 1};
    const int32_t edges[4] = {0, 1, 2, 3}, point[1] = {4};
    mesh = loose_mesh(5, y, 2, edges, 1, point);
    wire.mesh = mesh;
    wire.rounding = 0.1;
    pl_shape parts[3] = {pl_shape_default(PL_SHAPE_CAPSULE), pl_shape_default(PL_SHAPE_CAPSULE),
                         pl_shape_default(PL_SHAPE_SPHERE)};
    for (int i = 0; i < 3; i++) parts[i].radius = 0.1;
    parts[0].length = sqrt(2), parts[1].length = 3;
    const double at[3][3] = {{0.5, 0.5, 0}, {-1, 2, 1.5}, {0.5, -2, 1}};
    for (int i = 0; i < 3; i++) memcpy(parts[i].position, at[i], sizeof at[i]);
    const double to_xy[4] = {half, -0.5, 0.5,
                             0}; // z to (1, 1, 0) / sqrt 2: a quarter about (-1, 1, 0)
    memcpy(parts[0].orientation, to_xy, sizeof to_xy);
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(1, &wire, 700, &mass[0], centre[0], inertia[0]));
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(3, parts, 700, &mass[1], centre[1], inertia[1]));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * mass[1], mass[1], mass[0]);
    for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, centre[1][k], centre[0][k]);
    for (int k = 0; k < 9; k++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-11 * mass[1], inertia[1][k], inertia[0][k]);
    wire.rounding = 0;
    expect_failure(PL_ERROR_GEOMETRY, pl_shapes_inertia(1, &wire, 700, NULL, NULL, NULL),
                   "give one above 0");
    pl_mesh_destroy(mesh);
}

// --- The audit ---

static pl_audit_report audit(int n_vert, const double *x, int n, const pl_audit_body *body)
{
    static pl_audit *keep;
    pl_audit_report report;
    pl_audit_destroy(keep);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_audit_create(n_vert, n, body, NULL, &keep),
                              pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(keep, x, &report));
    if (n_vert == 0) {
        pl_audit_destroy(keep);
        keep = NULL;
    }
    return report;
}

static void forget_audit(void)
{
    (void)audit(0, NULL, 0, NULL);
}

// An edge without a radius against a triangle: through its middle, touching it, on its border, past
// it by one unit in the last place.
static void test_audit_of_edges(void)
{
    double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, -1, 0.25, 0.25, 1};
    const int32_t face[3] = {0, 1, 2}, edge[2] = {3, 4};
    const pl_audit_body body[2] = {{.n_face = 1, .face = face}, {.n_edge = 1, .edge = edge}};
    TEST_ASSERT_FALSE(audit(5, x, 2, body).clean); // pierces
    x[14] = 0;
    TEST_ASSERT_FALSE(audit(5, x, 2, body).clean); // stands on it
    x[14] = -1e-9;
    pl_audit_report report = audit(5, x, 2, body);
    TEST_ASSERT_TRUE(report.clean);
    TEST_ASSERT_EQUAL_DOUBLE(1e-9, report.distance);
    x[14] = 1;
    x[9] = x[12] = 0.75; // through the border x + y = 1
    TEST_ASSERT_FALSE(audit(5, x, 2, body).clean);
    x[9] = x[12] = nextafter(0.75, 1);
    TEST_ASSERT_TRUE(audit(5, x, 2, body).clean);
    forget_audit();
}

// A point: on the triangle, and inside of a closed body.
static void test_audit_of_points(void)
{
    double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.1, 0.1};
    const int32_t face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, point[1] = {4};
    const pl_audit_body body[2] = {{.n_face = 4, .face = face}, {.n_point = 1, .point = point}};
    pl_audit_report report = audit(5, x, 2, body);
    TEST_ASSERT_FALSE(report.clean);
    TEST_ASSERT_EQUAL_INT32(0, report.n_intersections);
    TEST_ASSERT_EQUAL_INT32(1, report.n_inside);
    TEST_ASSERT_EQUAL_INT32(4, report.inside[0].vertex);
    x[14] = 0;
    report = audit(5, x, 2, body);
    TEST_ASSERT_EQUAL_INT32(1, report.n_intersections);
    x[14] = -1e-12;
    TEST_ASSERT_TRUE(audit(5, x, 2, body).clean);
    forget_audit();
}

// --- The continuous test, against brute force ---

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

// Random motions of points and edges: no sample of the way may be nearer than the separation before
// the time that the test gives, and where samples are well within it, the test must say so.
static void test_ccd_against_samples(void)
{
    enum { MOTIONS = 400, SAMPLES = 400 };
    static const int points[] = {
        [PL_VERTEX_VERTEX] = 2, [PL_VERTEX_EDGE] = 3, [PL_VERTEX_FACE] = 4, [PL_EDGE_EDGE] = 4};
    uint64_t state = 7;
    int hits = 0;
    for (int kind = PL_VERTEX_VERTEX; kind <= PL_EDGE_EDGE; kind++) {
        for (int m = 0; m < MOTIONS; m++) {
            double x0[12] = {0}, x1[12] = {0}, q[12];
            int n = 3 * points[kind];
            for (int i = 0; i < n; i++) {
                x0[i] = uniform(&state);
                x1[i] = x0[i] + 1.5 * (uniform(&state) - 0.5);
            }
            pl_closest closest;
            pl_closest_points((pl_pair_kind)kind, x0, &closest);
            double separation = PL_MIN(0.01, 0.5 * closest.distance), least = INFINITY, first = 2;
            for (int s = 0; s <= SAMPLES; s++) {
                double t = (double)s / SAMPLES;
                for (int i = 0; i < n; i++) q[i] = x0[i] + t * (x1[i] - x0[i]);
                pl_closest_points((pl_pair_kind)kind, q, &closest);
                least = fmin(least, closest.distance);
                if (first > 1 && closest.distance <= separation) first = t;
            }
            pl_impact impact;
            bool hit = pl_ccd((pl_pair_kind)kind, x0, x1, separation, &impact);
            hits += hit;
            TEST_ASSERT_TRUE(hit || least > separation);
            TEST_ASSERT_TRUE(!hit || first > 1 || impact.time <= first);
            TEST_ASSERT_TRUE(!hit || least <= 1.1 * separation + 0.02);
        }
    }
    TEST_ASSERT_GREATER_THAN_INT(50, hits);
}

// --- Worlds ---

static pl_mesh *make(const char *description)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_make(description, &mesh), pl_error_text());
    return mesh;
}

static pl_mesh *lifted(const char *description, double z)
{
    const double m[12] = {1, 0, 0, 0.013, 0, 1, 0, 0.021, 0, 0, 1, z};
    pl_mesh *mesh = make(description);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    return mesh;
}

static pl_world *soft_above(const pl_mesh *obstacle, double z)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 0.005;
    options.contact = true;
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_create(&options, &world));
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.young = 5e4;
    soft.material.mass_damping = 8;
    pl_mesh *ball = lifted("icosphere:radius=0.25:level=1:shells=2", z);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, ball, &soft, NULL));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_kinematic(world, obstacle, NULL, NULL),
                              pl_error_text());
    pl_mesh_destroy(ball);
    return world;
}

static void step_audited(pl_world *world, int n)
{
    for (int i = 0; i < n; i++) {
        pl_audit_report report;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, NULL), pl_error_text());
        TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
        TEST_ASSERT_TRUE(report.clean);
    }
}

static double mean_height(const pl_world *world, int32_t body)
{
    double sum = 0;
    int32_t n = pl_world_vertex_count(world, body);
    for (int64_t i = 0; i < n; i++) sum += pl_world_positions(world, body)[3 * i + 2];
    return sum / n;
}

// A ball falls on obstacles without any thickness: it stays above, and they bear its weight.
static void falls_on(pl_mesh *obstacle)
{
    pl_world *world = soft_above(obstacle, 0.3);
    step_audited(world, 240);
    double weight = 0, up = 0;
    int32_t n;
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    TEST_ASSERT_GREATER_THAN_INT32(0, n);
    for (int32_t i = 0; i < n; i++) {
        double f = contact[i].force * contact[i].normal[2] + contact[i].friction[2];
        up += contact[i].body_a == 0 ? f : -f;
    }
    weight = 9.81 * 1000 * pl_mesh_volume(pl_world_mesh(world, 0));
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * weight, weight, up); // it may still swing a little
    TEST_ASSERT_TRUE(mean_height(world, 0) > 0.1);
    pl_world_destroy(world);
    pl_mesh_destroy(obstacle);
}

static void test_falls_on_points(void)
{
    falls_on(make("points:count=9,9,1:spacing=0.06"));
}

static void test_falls_on_needles(void)
{
    falls_on(make("needles:count=9,9:spacing=0.06:length=0.2"));
}

static void test_falls_on_edges(void)
{
    const double m[12] = {1, 0, 0, 0, 0, 0, -1, -0.5, 0, 1, 0, 0}; // z to -y
    pl_mesh *knives = make("needles:count=7,1:spacing=0.1:length=1");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(knives, m));
    falls_on(knives);
}

// A cloud, as some readers make it, is points.
static void test_falls_on_cloud(void)
{
    pl_mesh *points = make("points:count=9,9,1:spacing=0.06"), *cloud;
    TEST_ASSERT_EQUAL(PL_OK,
                      pl_mesh_create(81, pl_mesh_positions(points), 0, NULL, 0, NULL, &cloud));
    pl_mesh_destroy(points);
    falls_on(cloud);
}

// A rigid body of edges falls on the ground, turns and rests on its ends; the same bits for two
// threads.
static void test_rigid_wires(void)
{
    uint64_t hash[2];
    const double x[12] = {0, 0, 1, 0.4, 0, 1, 0, 0.4, 1.05, -0.2, -0.2, 1.3};
    const int32_t edge[6] = {0, 1, 0, 2, 0, 3};
    for (int i = 0; i < 2; i++) {
        pl_world_options options = pl_world_options_default();
        options.dt = 0.005;
        options.contact = true;
        options.threads = 1 + i;
        pl_world *world;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_create(&options, &world));
        pl_mesh *wires = loose_mesh(4, x, 3, edge, 0, NULL);
        pl_rigid_options rigid = pl_rigid_options_default();
        rigid.surface.radius = 0.02;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_rigid(world, wires, &rigid, NULL),
                                  pl_error_text());
        pl_shape plane = pl_shape_default(PL_SHAPE_HALFSPACE);
        pl_kinematic_options ground = pl_kinematic_options_default();
        ground.shape = &plane;
        ground.n_shape = 1;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, NULL, &ground, NULL));
        step_audited(world, 300);
        pl_frame frame;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 0, &frame));
        double lowest = INFINITY;
        for (int k = 0; k < 4; k++) lowest = fmin(lowest, pl_world_positions(world, 0)[3 * k + 2]);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.02, lowest);
        TEST_ASSERT_TRUE(fabs(frame.velocity[2]) < 0.1);
        hash[i] = pl_world_hash(world);
        pl_world_destroy(world);
        pl_mesh_destroy(wires);
    }
    TEST_ASSERT_TRUE(hash[0] == hash[1]);
}

// --- Half-spaces ---

static void add_plane(pl_world *world, const double point[3], const double orientation[4],
                      const pl_motion *motion)
{
    pl_shape plane = pl_shape_default(PL_SHAPE_HALFSPACE);
    pl_kinematic_options options = pl_kinematic_options_default();
    memcpy(plane.position, point, sizeof plane.position);
    if (orientation != NULL) memcpy(plane.orientation, orientation, sizeof plane.orientation);
    if (motion != NULL) options.motion = *motion;
    options.shape = &plane;
    options.n_shape = 1;
    options.surface.friction = 0;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_kinematic(world, NULL, &options, NULL),
                              pl_error_text());
}

// A box on a slope of 30 degrees without friction slides with g sin.
static void test_halfspace_slope(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 0.005;
    options.contact = true;
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_create(&options, &world));
    double c = cos(acos(-1.0) / 12), s = sin(acos(-1.0) / 12);
    const double q[4] = {c, 0, s, 0}, origin[3] = {0, 0, 0};
    pl_shape box = pl_shape_default(PL_SHAPE_BOX);
    for (int k = 0; k < 3; k++) box.size[k] = 0.2;
    memcpy(box.orientation, q, sizeof q);
    box.position[0] = 0.101 * 0.5; // along the normal (1/2, 0, sqrt 3/2)
    box.position[2] = 0.101 * sqrt(0.75);
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.shape = &box;
    rigid.n_shape = 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, NULL, &rigid, NULL));
    add_plane(world, origin, q, NULL);
    step_audited(world, 100);
    pl_frame frame;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 0, &frame));
    double along = frame.velocity[0] * sqrt(0.75) - frame.velocity[2] * 0.5;
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.5 * 9.81 * 0.5, along);
    pl_world_destroy(world);
}

// What is below a half-space is inside of it, for the audit and for the start, although nothing
// touches but the plane.
static void test_halfspace_has_an_inside(void)
{
    const double point[3] = {0, 0, 2};
    pl_world_options options = pl_world_options_default();
    options.contact = true;
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_create(&options, &world));
    pl_mesh *cube = make("cube:size=0.5");
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, cube, NULL, NULL));
    add_plane(world, point, NULL, NULL);
    expect_failure(PL_ERROR_GEOMETRY, pl_world_step(world, NULL), "is inside of body 1");
    pl_rigid_options rigid = pl_rigid_options_default();
    pl_shape plane = pl_shape_default(PL_SHAPE_HALFSPACE);
    rigid.shape = &plane;
    rigid.n_shape = 1;
    expect_failure(PL_ERROR_GEOMETRY, pl_world_add_rigid(world, NULL, &rigid, NULL),
                   "a half-space has no mass");
    plane.span = 0;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, NULL, &rigid, NULL),
                   "span: 0 is not above 0 m");
    pl_mesh_destroy(cube);
    pl_world_destroy(world);
}

// Two planes close on a ball and carry it up between them.
static void test_moving_halfspaces(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 0.005;
    options.contact = true;
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_create(&options, &world));
    pl_mesh *ball = make("icosphere:radius=0.25:level=1:shells=2");
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.young = 5e4;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, ball, &soft, NULL));
    const double below[3] = {0, 0, -0.26}, above[3] = {0, 0, 0.26}, over[4] = {0, 1, 0, 0};
    pl_motion up = pl_motion_default(), down = pl_motion_default();
    up.velocity[2] = 0.4;
    down.velocity[2] = 0.2; // follows more slowly
    add_plane(world, below, NULL, &up);
    add_plane(world, above, over, &down);
    step_audited(world, 200);
    double h = mean_height(world, 0);
    TEST_ASSERT_TRUE(h > -0.26 + 0.4);
    TEST_ASSERT_TRUE(h < 0.26 + 0.2);
    pl_mesh_destroy(ball);
    pl_world_destroy(world);
}

// --- Memory ---

static pl_status add_needles(void *user)
{
    const pl_mesh *mesh = user;
    pl_world *world;
    pl_status status = pl_world_create(NULL, &world);
    if (status == PL_OK) status = pl_world_add_kinematic(world, mesh, NULL, NULL);
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.surface.radius = 0.01;
    if (status == PL_OK) status = pl_world_add_rigid(world, mesh, &rigid, NULL);
    pl_mesh *thick = NULL;
    if (status == PL_OK) status = pl_mesh_thicken(mesh, 0, 8, &thick);
    pl_mesh_destroy(thick);
    pl_world_destroy(world);
    return status;
}

static void test_memory(void)
{
    pl_mesh *mesh = make("needles:count=2,2");
    fail_each_allocation(add_needles, mesh);
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bad_loose);
    RUN_TEST(test_each_feature_once);
    RUN_TEST(test_clean_and_parts);
    RUN_TEST(test_mass_of_edges);
    RUN_TEST(test_audit_of_edges);
    RUN_TEST(test_audit_of_points);
    RUN_TEST(test_ccd_against_samples);
    RUN_TEST(test_falls_on_points);
    RUN_TEST(test_falls_on_needles);
    RUN_TEST(test_falls_on_edges);
    RUN_TEST(test_falls_on_cloud);
    RUN_TEST(test_rigid_wires);
    RUN_TEST(test_halfspace_slope);
    RUN_TEST(test_halfspace_has_an_inside);
    RUN_TEST(test_moving_halfspaces);
    RUN_TEST(test_memory);
    return UNITY_END();
}
