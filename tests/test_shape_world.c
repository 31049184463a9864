// Bodies of shapes in a world: they roll, stack, pile up and stop what is fast, as the formulas
// say.

#include "failing_alloc.h"
#include "worlds.h"
#include "../base/base.h"

#include <math.h>

void setUp(void)
{
}
void tearDown(void)
{
}

static const double G = 9.81;

// A square of two triangles around the origin, turned by an angle about y.
static void add_plate(pl_world *world, double half, double angle, double friction)
{
    double x[12] = {-half, -half, 0, half, -half, 0, half, half, 0, -half, half, 0};
    const int32_t face[6] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 4; i++) {
        x[3 * i + 2] = -sin(angle) * x[3 * i];
        x[3 * i] *= cos(angle);
    }
    pl_kinematic_options options = pl_kinematic_options_default();
    options.surface.friction = friction;
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 2, face, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &options, NULL));
    pl_mesh_destroy(mesh);
}

static pl_shape shape_at(const char *description, double x, double y, double z)
{
    pl_shape shape;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_shape_parse(description, &shape), pl_error_text());
    shape.position[0] = x;
    shape.position[1] = y;
    shape.position[2] = z;
    return shape;
}

static int32_t add_shapes(pl_world *world, int32_t n, const pl_shape *shape, double friction)
{
    pl_rigid_options options = pl_rigid_options_default();
    int32_t body;
    options.shape = shape;
    options.n_shape = n;
    options.surface.friction = friction;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_rigid(world, NULL, &options, &body),
                              pl_error_text());
    return body;
}

static void expect_clean(pl_world *world)
{
    pl_audit_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
    TEST_ASSERT_TRUE(report.clean);
}

static pl_frame frame_of(const pl_world *world, int32_t body)
{
    pl_frame frame;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, body, &frame));
    return frame;
}

// --- Rolling ---

// What speeds up by g sin / (1 + I / (m r^2)) down a slope. Friction acts half-way in the gap,
// which is a lever of r + gap / 2 in place of r: with a gap of 1e-4 r, 3e-5 of the acceleration at
// most.
static void check_rolling(const pl_shape *shape, double radius, double factor)
{
    const double angle = 0.2, gap = 1e-4 * radius;
    pl_world_options options = pl_world_options_default();
    options.dt = 2e-3;
    options.contact_distance = gap;
    pl_world *world = make_world(&options);
    add_plate(world, 10, angle, 1);
    pl_shape placed = *shape;
    placed.position[0] = sin(angle) * (radius + 2 * gap);
    placed.position[2] = cos(angle) * (radius + 2 * gap);
    int32_t body = add_shapes(world, 1, &placed, 1);
    double before = 0, since = 0;
    for (int i = 0; i < 500; i++) {
        step(world, 1);
        pl_frame f = frame_of(world, body);
        double v = cos(angle) * f.velocity[0] - sin(angle) * f.velocity[2];
        if (i == 99) before = v, since = pl_world_time(world);
        if (i < 499) continue;
        double a = (v - before) / (pl_world_time(world) - since);
        TEST_ASSERT_DOUBLE_WITHIN(5e-5 * G, factor * G * sin(angle), a);
        TEST_ASSERT_DOUBLE_WITHIN(1e-4 * v, v, radius * f.angular_velocity[1]);
    }
    expect_clean(world);
    pl_world_destroy(world);
}

static void test_a_sphere_rolls(void)
{
    pl_shape sphere = shape_at("sphere:radius=0.1", 0, 0, 0);
    check_rolling(&sphere, 0.1, 5.0 / 7);
}

// A capsule across the slope. Its moment about the axis is that of a cylinder and a ball.
static void test_a_capsule_rolls(void)
{
    pl_shape capsule = shape_at("capsule:radius=0.1:length=0.4", 0, 0, 0);
    capsule.orientation[0] = capsule.orientation[1] = sqrt(0.5); // z to -y
    double mass, centre[3], I[9];
    TEST_ASSERT_EQUAL(PL_OK, pl_shapes_inertia(1, &capsule, 1000, &mass, centre, I));
    check_rolling(&capsule, 0.1, 1 / (1 + I[4] / (mass * 0.01)));
}

// A kinematic roller that turns about its axis, whose skeleton stands still, carries a plank.
static void test_a_spinning_surface_carries(void)
{
    pl_world_options options = pl_world_options_default();
    options.gravity[2] = -G;
    pl_world *world = make_world(&options);
    pl_shape roller = shape_at("capsule:radius=0.2:length=2", 0, 0, 0);
    roller.orientation[0] = roller.orientation[1] = sqrt(0.5);
    pl_kinematic_options kinematic = pl_kinematic_options_default();
    kinematic.shape = &roller;
    kinematic.n_shape = 1;
    kinematic.surface.friction = 1;
    kinematic.motion.axis[1] = 1;
    kinematic.motion.axis[2] = 0;
    kinematic.motion.rate = 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, NULL, &kinematic, NULL));
    pl_shape plank = shape_at("box:size=1,0.2,0.05:rounding=0.02", 0, 0, 0.2265);
    int32_t body = add_shapes(world, 1, &plank, 1);
    step(world, 60);
    pl_frame f = frame_of(world, body);
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.2, f.velocity[0]);
    pl_world_destroy(world);
}

// --- Resting ---

static void test_spheres_stack(void)
{
    pl_world *world = make_world(NULL);
    int32_t body[5];
    add_plate(world, 2, 0, 0.5);
    for (int i = 0; i < 5; i++) {
        pl_shape sphere = shape_at("sphere:radius=0.1", 0, 0, 0.1007 + 0.2007 * i);
        body[i] = add_shapes(world, 1, &sphere, 0.5);
    }
    step(world, 200);
    for (int i = 0; i < 5; i++) {
        pl_frame f = frame_of(world, body[i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.1006 + 0.2006 * i, f.centre[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, hypot(f.centre[0], f.centre[1]));
    }
    pl_resultant r;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_resultant(world, 0, -1, &r));
    double weight = 5 * 1000 * 4.0 / 3 * acos(-1) * 1e-3 * G;
    TEST_ASSERT_DOUBLE_WITHIN(1e-2 * weight, weight, r.pressing);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, r.centre[2]);
    expect_clean(world);
    pl_world_destroy(world);
}

// Fifty capsules fall into a heap; every step is audited.
static void test_a_pile_of_capsules(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    pl_world *world = make_world(&options);
    add_plate(world, 5, 0, 0.5);
    for (int i = 0; i < 50; i++) {
        pl_shape c = shape_at("capsule:radius=0.05:length=0.2", 0.32 * (i % 2) + 1e-3 * i,
                              0.32 * (i / 2 % 2), 0.25 + 0.35 * (i / 4));
        for (int k = 0; k < 4; k++) c.orientation[k] = sin(1 + 3.7 * i + 2.3 * k);
        add_shapes(world, 1, &c, 0.5);
    }
    for (int i = 0; i < 200; i++) {
        step(world, 1);
        expect_clean(world);
    }
    pl_energy energy;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &energy));
    TEST_ASSERT_TRUE(isfinite(energy.kinetic));
    pl_world_destroy(world);
}

// Logs of one direction on two others: their axes are parallel, and both ends bear.
static void test_parallel_capsules_rest_on_each_other(void)
{
    pl_world_options options = pl_world_options_default();
    options.sleep = true;
    pl_world *world = make_world(&options);
    add_plate(world, 2, 0, 1);
    int32_t top = -1;
    for (int i = 0; i < 3; i++) {
        double y = i < 2 ? 0.0601 * (2 * i - 1) : 0, z = i < 2 ? 0.05 : 0.1305;
        pl_shape c = shape_at("capsule:radius=0.05:length=0.5", 0, y, z + 0.0005);
        c.orientation[0] = c.orientation[2] = sqrt(0.5); // along x
        top = add_shapes(world, 1, &c, 1);
    }
    step(world, 1500);
    pl_frame f = frame_of(world, top);
    TEST_ASSERT_DOUBLE_WITHIN(5e-3, 0.131, f.centre[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, 0, f.centre[0]);
    TEST_ASSERT_FALSE(pl_world_awake(world, top));
    pl_world_destroy(world);
}

// A sphere comes to rest in the groove between two edges of boxes, and balances on a corner.
static void test_a_sphere_on_edges_and_on_a_vertex(void)
{
    pl_world *world = make_world(NULL);
    for (int side = -1; side <= 1; side += 2) {
        pl_shape box = shape_at("box:size=0.4,1,0.2", 0.28 * side, 0, 0);
        pl_kinematic_options options = pl_kinematic_options_default();
        options.shape = &box;
        options.n_shape = 1;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, NULL, &options, NULL));
    }
    pl_shape sphere = shape_at("sphere:radius=0.1", 0, 0, 0.18);
    int32_t groove = add_shapes(world, 1, &sphere, 0.5);
    const double x[15] = {5, 0, 1, 5.5, -0.5, 0, 5.5, 0.5, 0, 4.5, 0.5, 0, 4.5, -0.5, 0};
    const int32_t face[18] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1, 1, 4, 3, 1, 3, 2};
    pl_mesh *spike;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(5, x, 6, face, 0, NULL, &spike));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, spike, NULL, NULL));
    pl_mesh_destroy(spike);
    sphere = shape_at("sphere:radius=0.1", 5, 0, 1.101);
    int32_t tip = add_shapes(world, 1, &sphere, 0.5);
    step(world, 300);
    // The corners of the boxes are at x = 0.08, z = 0.1: 0.06 below the centre, and the gap.
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.16, frame_of(world, groove).centre[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, frame_of(world, groove).centre[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1.1006, frame_of(world, tip).centre[2]);
    expect_clean(world);
    pl_world_destroy(world);
}

// --- Fast ---

// 600 m/s, 0.6 m in a step, against a sheet without thickness, in any direction.
static void test_a_bullet_does_not_pass(void)
{
    for (int i = 0; i < 8; i++) {
        pl_world_options options = pl_world_options_default();
        pl_world *world = make_world(&options);
        add_plate(world, 5, 0.1 * i, 0.5);
        pl_shape ball = shape_at("sphere:radius=0.003", 0.3 * sin(i), 0.3 * cos(i), 1.5);
        pl_rigid_options rigid = pl_rigid_options_default();
        rigid.shape = &ball;
        rigid.n_shape = 1;
        rigid.velocity[0] = 100 * sin(2 * i);
        rigid.velocity[2] = -600;
        int32_t body;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, NULL, &rigid, &body));
        for (int k = 0; k < 20; k++) {
            step(world, 1);
            pl_frame f = frame_of(world, body);
            double above = cos(0.1 * i) * f.centre[2] + sin(0.1 * i) * f.centre[0];
            TEST_ASSERT_TRUE(fabs(f.centre[0]) > 4 || above > 0.003);
        }
        pl_world_destroy(world);
    }
}

// --- Compounds ---

// A sled with a slippery and a rough end stays where the rough end alone would bear enough.
static void test_each_shape_has_its_friction(void)
{
    double way[2];
    for (int rough = 0; rough < 2; rough++) {
        pl_world *world = make_world(NULL);
        add_plate(world, 5, 0.2, 1);
        pl_shape sled[3] = {shape_at("box:size=0.6,0.2,0.05", 0, 0, 0.1),
                            shape_at("capsule:radius=0.04:length=0.1", -0.25, 0, 0.045),
                            shape_at("capsule:radius=0.04:length=0.1", 0.25, 0, 0.045)};
        for (int k = 0; k < 3; k++) {
            double c = cos(0.1), s = sin(0.1), *p = sled[k].position, x = p[0], z = p[2] + 1e-3;
            p[0] = cos(0.2) * x + sin(0.2) * z;
            p[2] = cos(0.2) * z - sin(0.2) * x;
            const double tilt[4] = {c, 0, s, 0}, lying[4] = {sqrt(0.5), sqrt(0.5), 0, 0};
            const double *b = k == 0 ? (const double[4]){1, 0, 0, 0} : lying;
            double *q = sled[k].orientation;
            q[0] = tilt[0] * b[0] - tilt[2] * b[2];
            q[1] = tilt[0] * b[1] + tilt[2] * b[3];
            q[2] = tilt[0] * b[2] + tilt[2] * b[0];
            q[3] = tilt[0] * b[3] - tilt[2] * b[1];
            sled[k].friction = 0;
        }
        if (rough) sled[2].friction = 1;
        int32_t body = add_shapes(world, 3, sled, 0.5);
        step(world, 300);
        pl_frame f = frame_of(world, body);
        way[rough] = f.centre[0];
        int32_t n;
        const pl_contact_point *c = pl_world_contacts(world, &n);
        TEST_ASSERT_TRUE(n >= 2);
        for (int32_t i = 0; i < n; i++) TEST_ASSERT_EQUAL(body, c[i].body_a + c[i].body_b);
        pl_world_destroy(world);
    }
    TEST_ASSERT_TRUE(way[0] > 0.05);                 // 0.5 g sin cos t^2 = 0.086
    TEST_ASSERT_TRUE(way[1] < 0.05 * way[0] + 0.03); // half of the weight times 1 > tan 0.2
}

// Sleep, and a checkpoint in the middle, change no bit of a world of compounds.
static pl_world *make_jacks(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    options.sleep = true;
    pl_world *world = make_world(&options);
    add_plate(world, 3, 0, 0.5);
    for (int i = 0; i < 4; i++) {
        pl_shape jack[3];
        for (int k = 0; k < 3; k++) {
            jack[k] = shape_at("capsule:radius=0.03:length=0.2", 0.02 * i, 0, 0.3 + 0.3 * i);
            if (k > 0) jack[k].orientation[0] = jack[k].orientation[k] = sqrt(0.5);
        }
        add_shapes(world, 3, jack, 0.5);
    }
    return world;
}

static void test_checkpoints_hold_shapes(void)
{
    pl_world *a = make_jacks(), *b = make_jacks();
    size_t size;
    step(a, 100);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(a, NULL, 0, &size));
    void *data = malloc(size);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(a, data, size, &size));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load_memory(b, data, size), pl_error_text());
    free(data);
    step(a, 100);
    step(b, 100);
    TEST_ASSERT_EQUAL_HEX64(pl_world_hash(a), pl_world_hash(b));
    expect_clean(a);
    step(a, 600);
    for (int i = 1; i < 5; i++) TEST_ASSERT_FALSE(pl_world_awake(a, i));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(a, 1));
    step(a, 20);
    pl_world_destroy(a);
    pl_world_destroy(b);
}

// --- Overlaps, gaps and bad input ---

static void test_overlap_is_refused(void)
{
    pl_world *world = make_world(NULL);
    pl_shape a = shape_at("sphere:radius=0.1", 0, 0, 0), b = a;
    b.position[0] = 0.2; // they touch
    add_shapes(world, 1, &a, 0.5);
    int32_t second = add_shapes(world, 1, &b, 0.5);
    expect_failure(PL_ERROR_GEOMETRY, pl_world_step(world, NULL), "body 0, face 0 meets body 1");
    pl_frame f = frame_of(world, second);
    f.centre[0] = 0.25;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, second, &f));
    double gap;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_measure_gap(world, &gap));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.05, gap);
    step(world, 1);
    pl_world_destroy(world);
}

static void test_bad_shapes(void)
{
    pl_world *world = make_world(NULL);
    pl_shape shape[2] = {pl_shape_default(PL_SHAPE_SPHERE), pl_shape_default(PL_SHAPE_BOX)};
    pl_rigid_options options = pl_rigid_options_default();
    pl_kinematic_options kinematic = pl_kinematic_options_default();
    options.shape = kinematic.shape = shape;
    options.n_shape = kinematic.n_shape = 2;
    shape[1].rounding = 0.6;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, NULL, &options, NULL),
                   "shape 1: rounding: 0.6 is more than the 0.5 m that the box has room for");
    shape[1].kind = PL_SHAPE_HULL;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_kinematic(world, NULL, &kinematic, NULL),
                   "shape 1: mesh: there is none");
    shape[0].radius = NAN;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, NULL, &options, NULL),
                   "shape 0: radius: nan");
    options.n_shape = -1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, NULL, &options, NULL), "-1 shapes");
    options.n_shape = 0;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, NULL, &options, NULL));
    TEST_ASSERT_EQUAL(0, pl_world_body_count(world));
    pl_world_destroy(world);
}

// A hull, a sphere and a capsule in one, on a kinematic box: made, prepared and audited.
static pl_status build_and_audit(void *user)
{
    const pl_mesh *mesh = user;
    pl_shape part[3] = {pl_shape_default(PL_SHAPE_HULL), pl_shape_default(PL_SHAPE_SPHERE),
                        pl_shape_default(PL_SHAPE_CAPSULE)},
             floor = pl_shape_default(PL_SHAPE_BOX);
    part[0].mesh = mesh;
    floor.position[2] = -3;
    floor.rounding = 0.1;
    pl_rigid_options rigid = pl_rigid_options_default();
    pl_kinematic_options kinematic = pl_kinematic_options_default();
    rigid.shape = part;
    rigid.n_shape = 3;
    kinematic.shape = &floor;
    kinematic.n_shape = 1;
    pl_world_options options = pl_world_options_default();
    options.threads = 1;
    pl_world *world;
    pl_audit_report report;
    double gap;
    PL_TRY(pl_world_create(&options, &world));
    pl_status status = pl_world_add_rigid(world, NULL, &rigid, NULL);
    if (status == PL_OK) status = pl_world_add_kinematic(world, NULL, &kinematic, NULL);
    if (status == PL_OK) status = pl_world_prepare(world);
    if (status == PL_OK) status = pl_world_audit(world, &report);
    if (status == PL_OK) status = pl_world_measure_gap(world, &gap);
    pl_world_destroy(world);
    return status;
}

static void test_every_allocation_may_fail(void)
{
    pl_mesh *mesh = make_mesh("cube");
    TEST_ASSERT_TRUE(fail_each_allocation(build_and_audit, mesh) > 50);
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_sphere_rolls);
    RUN_TEST(test_a_capsule_rolls);
    RUN_TEST(test_a_spinning_surface_carries);
    RUN_TEST(test_spheres_stack);
    RUN_TEST(test_a_pile_of_capsules);
    RUN_TEST(test_parallel_capsules_rest_on_each_other);
    RUN_TEST(test_a_sphere_on_edges_and_on_a_vertex);
    RUN_TEST(test_a_bullet_does_not_pass);
    RUN_TEST(test_each_shape_has_its_friction);
    RUN_TEST(test_checkpoints_hold_shapes);
    RUN_TEST(test_overlap_is_refused);
    RUN_TEST(test_bad_shapes);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
