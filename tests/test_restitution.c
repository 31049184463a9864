// Bodies that bounce: heights, Newton's cradle, energy and momenta, what an impact goes through.

#include "mechanisms.h"
#include "../apps/scene/scene.h"

void setUp(void)
{
}
void tearDown(void)
{
}

static pl_world *contact_world(double dt, double gravity)
{
    pl_world_options options = pl_world_options_default();
    options.dt = dt;
    options.gravity[2] = -gravity;
    return make_world(&options);
}

// The plane z = 0, as a body that does not move.
static int32_t add_floor(pl_world *world, double restitution)
{
    const double x[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    const int32_t face[6] = {0, 1, 2, 0, 2, 3};
    pl_kinematic_options options = pl_kinematic_options_default();
    options.surface.restitution = restitution;
    pl_mesh *mesh;
    int32_t body;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 2, face, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &options, &body));
    pl_mesh_destroy(mesh);
    return body;
}

static int32_t add_shape(pl_world *world, const char *description, const pl_rigid_options *given)
{
    pl_rigid_options options = *given;
    pl_shape shape;
    int32_t body;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_shape_parse(description, &shape), pl_error_text());
    options.shape = &shape;
    options.n_shape = 1;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_rigid(world, NULL, &options, &body),
                              pl_error_text());
    return body;
}

// With its origin where it is to be.
static int32_t add_at(pl_world *world, const char *description, double x, double y, double z,
                      const double velocity[3], double restitution)
{
    pl_rigid_options options = pl_rigid_options_default();
    options.surface.restitution = restitution;
    memcpy(options.velocity, velocity, sizeof options.velocity);
    int32_t body = add_shape(world, description, &options);
    pl_frame frame;
    const double centre[3] = {x, y, z};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, body, &frame));
    memcpy(frame.centre, centre, sizeof centre);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, body, &frame));
    return body;
}

static const double REST[3];

static void expect_clean(pl_world *world)
{
    pl_audit_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
    TEST_ASSERT_TRUE(report.clean);
}

// --- Heights ---

// The height above the floor, of a ball that falls from 1 m, between its first and second bounce.
static double height_after(double dt, double e, bool floor_bounces)
{
    pl_world *world = contact_world(dt, G);
    add_floor(world, floor_bounces ? e : 0);
    int32_t ball = add_at(world, "sphere:radius=0.1", 0, 0, 1.1, REST, floor_bounces ? 0 : e);
    double most = 0, fall = sqrt(2 / G);
    int64_t end = (int64_t)((1 + 1.5 * e) * fall / dt);
    bool up = false;
    for (int64_t i = 0; i < end; i++) {
        step(world, 1);
        pl_frame f = frame_of(world, ball);
        up = up || f.velocity[2] > 0;
        if (up) most = fmax(most, f.centre[2] - 0.1);
    }
    expect_clean(world);
    pl_world_destroy(world);
    return most;
}

// A body turns round where the step begins that would hit, which is v dt above the floor at most:
// of that height it keeps all, of what it fell e^2. So heights are e^2 of the first, and up to (1 -
// e^2) v dt more; and e = 1 comes back to the height itself.
static void test_heights(void)
{
    const double e[] = {0.3, 0.5, 0.8, 0.9, 1}, v = sqrt(2 * G);
    for (int i = 0; i < 5; i++) {
        for (double dt = 1e-3; dt < 0.005; dt *= 2) {
            double h = height_after(dt, e[i], i % 2), least = e[i] * e[i];
            char text[96];
            snprintf(text, sizeof text, "e %g, dt %g: %g", e[i], dt, h);
            TEST_ASSERT_MESSAGE(h > least - 2e-4 - 0.6 * G * dt * dt, text);
            TEST_ASSERT_MESSAGE(h < least + (1 - least) * v * dt + 2e-4, text);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, height_after(1e-3, 0, false));
}

static void test_it_comes_to_rest(void)
{
    pl_world *world = contact_world(1.0 / 60, G);
    add_floor(world, 0);
    int32_t ball = add_at(world, "sphere:radius=0.1", 0, 0, 0.6, REST, 0.7);
    step(world, 300);
    pl_frame f = frame_of(world, ball);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.1, f.centre[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, f.velocity[2]);
    expect_clean(world);
    pl_world_destroy(world);
}

// A box that falls flat has four corners that hit at once, and does not turn; one that falls on an
// edge turns, and gains no energy.
static void test_boxes(void)
{
    pl_world *world = contact_world(2e-3, G);
    add_floor(world, 0);
    int32_t flat = add_at(world, "box:size=0.4,0.2,0.1", 0, 0, 0.55, REST, 0.8);
    int32_t turned = add_at(world, "box:size=0.4,0.2,0.1", 2, 0, 0.8, REST, 1);
    pl_frame f = frame_of(world, turned);
    const double q[4] = {cos(0.3), 0, sin(0.3), 0};
    memcpy(f.orientation, q, sizeof q);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, turned, &f));
    pl_step_stats stats;
    double first = 0, most = 0;
    bool up = false;
    for (int i = 0; i < 400; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        double energy = stats.kinetic_energy + stats.gravity_energy;
        if (i == 0) first = energy;
        TEST_ASSERT_TRUE(energy < first + 1e-9 + 0.02 * fabs(first));
        f = frame_of(world, flat);
        up = up || f.velocity[2] > 0;
        if (up) most = fmax(most, f.centre[2] - 0.05);
        for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, f.angular_velocity[k]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.64 * 0.5, most);
    f = frame_of(world, turned);
    double w = hypot(f.angular_velocity[0], hypot(f.angular_velocity[1], f.angular_velocity[2]));
    TEST_ASSERT_TRUE(w > 1);
    expect_clean(world);
    pl_world_destroy(world);
}

// --- Through others ---

// `moving` of five equal balls run into the others, which rest, `gap` apart.
static void check_row(int moving, double gap, double dt)
{
    pl_world *world = contact_world(dt, 0);
    const double velocity[3] = {1, 0, 0};
    int32_t ball[5];
    for (int i = 0; i < 5; i++) {
        double x = i * (0.1 + gap) - (i < moving ? 0.2 : 0);
        ball[i] = add_at(world, "sphere:radius=0.05", x, 0, 1, i < moving ? velocity : REST, 1);
    }
    step(world, (int)(0.5 / dt));
    for (int i = 0; i < 5; i++) {
        double goes = i >= 5 - moving;
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, goes, frame_of(world, ball[i]).velocity[0]);
    }
    expect_clean(world);
    pl_world_destroy(world);
}

static void test_a_row_of_balls(void)
{
    for (int moving = 1; moving <= 4; moving++) {
        check_row(moving, 1e-3, 1e-3);
        check_row(moving, 1e-3, 1.0 / 60); // all in one step
    }
    check_row(2, 2e-4, 1e-3); // nearly touching
    check_row(1, 0.02, 0.01);
}

// Two balls of masses m and 3 m that meet centrally: v = (m v - e 3 m v) / (4 m), as the books say;
// momentum stays to rounding.
static void test_two_balls(void)
{
    pl_world *world = contact_world(1e-3, 0);
    const double velocity[3] = {2, 0, 0}, e = 0.6;
    pl_rigid_options options = pl_rigid_options_default();
    options.surface.restitution = e;
    options.mass = 1;
    memcpy(options.velocity, velocity, sizeof velocity);
    int32_t light = add_shape(world, "sphere:radius=0.1", &options);
    int32_t heavy = add_at(world, "sphere:radius=0.1", 0.5, 0, 0, REST, 0.2);
    double mass = frame_of(world, heavy).mass;
    step(world, 400);
    double a = frame_of(world, light).velocity[0], b = frame_of(world, heavy).velocity[0];
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2 * (1 - e * mass) / (1 + mass), a);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, a + mass * b);
    pl_world_destroy(world);
}

// --- Friction, walls, joints ---

// A ball with spin w hits the floor: friction lets it stick, if mu is high, and it leaves with
// v_x + r w = 0 at the contact; or gives mu (1 + e) v_z at most.
static void test_spin(void)
{
    for (int sticks = 0; sticks < 2; sticks++) {
        pl_world *world = contact_world(1e-3, 0);
        add_floor(world, 0);
        pl_rigid_options options = pl_rigid_options_default();
        options.surface.restitution = 0.5;
        options.surface.friction = sticks ? 2 : 0.002; // with the floor's 0.5: 1, 0.0316
        options.velocity[2] = -2;
        options.angular_velocity[1] = 10;
        int32_t ball = add_shape(world, "sphere:radius=0.1", &options);
        pl_frame f = frame_of(world, ball);
        f.centre[2] = 0.5;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, ball, &f));
        step(world, 400);
        f = frame_of(world, ball);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, f.velocity[2]);
        // Sticking: m v = p, I (w0 - w) = r p, v = r w: v = r w0 / (1 + m r^2 / I) = r w0 / 3.5.
        double slide = sqrt(0.001) * 1.5 * 2, vx = sticks ? 1.0 / 3.5 : slide;
        TEST_ASSERT_DOUBLE_WITHIN(5e-3 * vx, vx, f.velocity[0]);
        pl_world_destroy(world);
    }
}

// A wall that comes with 1 m/s throws a ball off with (1 + e) m/s.
static void test_a_moving_wall(void)
{
    pl_world *world = contact_world(1e-3, 0);
    pl_mesh *mesh = make_mesh("box:size=0.2,1,1");
    pl_kinematic_options options = pl_kinematic_options_default();
    options.motion.velocity[0] = 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &options, NULL));
    pl_mesh_destroy(mesh);
    int32_t ball = add_at(world, "sphere:radius=0.1", 0.5, 0, 0, REST, 0.5);
    step(world, 500);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1.5, frame_of(world, ball).velocity[0]);
    pl_world_destroy(world);
}

// Two balls that a joint makes one: only the first hits, and the impact has to turn both.
static void test_joined_bodies_bounce(void)
{
    pl_world *world = contact_world(1e-3, G);
    add_floor(world, 0);
    int32_t low = add_at(world, "sphere:radius=0.1", 0, 0, 0.6, REST, 0.8);
    int32_t high = add_at(world, "sphere:radius=0.1", 0, 0, 0.9, REST, 0.8);
    pl_joint_options o = joint_at(PL_JOINT_FIXED, low, high, 0, 0, 0.75, 0, 0, 1);
    add_joint(world, &o);
    double most = 0;
    bool up = false;
    for (int i = 0; i < 650; i++) {
        step(world, 1);
        pl_frame f = frame_of(world, low);
        up = up || f.velocity[2] > 0;
        if (up) most = fmax(most, f.centre[2] - 0.1);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.004, 0.64 * 0.5, most);
    pl_world_destroy(world);
}

// An impact wakes who sleeps, and finds the mass and not a wall.
static void test_sleep(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 2e-3;
    options.sleep = true;
    pl_world *world = make_world(&options);
    add_floor(world, 0);
    const double velocity[3] = {3, 0, 0};
    int32_t still = add_at(world, "box:size=0.2,0.2,0.2", 0, 0, 0.1005, REST, 0);
    step(world, 500);
    TEST_ASSERT_FALSE(pl_world_awake(world, still));
    int32_t ball = add_at(world, "sphere:radius=0.1", -0.4, 0, 0.12, velocity, 1);
    step(world, 60);
    TEST_ASSERT_TRUE(frame_of(world, still).velocity[0] > 0.3);
    TEST_ASSERT_TRUE(frame_of(world, ball).velocity[0] < 1.5);
    pl_world_destroy(world);
}

// --- Bits, errors ---

static pl_world *make_pile(const pl_world_options *options, double restitution)
{
    pl_world *world = make_world(options);
    add_floor(world, 0);
    for (int i = 0; i < 18; i++) {
        double x = 0.25 * (i % 3) + 0.03 * (i / 9), y = 0.25 * (i / 3 % 3) + 0.02 * (i / 9);
        add_at(world, i % 2 ? "sphere:radius=0.1" : "box:size=0.2,0.18,0.16", x, y,
               0.5 + 0.3 * (i / 9), REST, restitution);
    }
    return world;
}

static uint64_t run(pl_world *world, int n)
{
    pl_step_stats stats = {0};
    for (int i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
    }
    expect_clean(world);
    return stats.hash;
}

static uint64_t pile_hash(int32_t threads, double restitution, int n)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    options.threads = threads;
    pl_world *world = make_pile(&options, restitution);
    uint64_t hash = run(world, n);
    pl_world_destroy(world);
    return hash;
}

static void test_bits(void)
{
    uint64_t hash = pile_hash(1, 0.7, 120);
    TEST_ASSERT_EQUAL_UINT64(hash, pile_hash(2, 0.7, 120));
    TEST_ASSERT_TRUE(hash != pile_hash(1, 0, 120));
}

// A world that is loaded goes on with the same bits.
static void test_checkpoints(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    pl_world *world = make_pile(&options, 0.7), *other = make_pile(&options, 0.7);
    size_t size;
    run(world, 50);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, NULL, 0, &size));
    void *data = malloc(size);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, data, size, &size));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load_memory(other, data, size));
    TEST_ASSERT_EQUAL_UINT64(run(world, 40), run(other, 40));
    free(data);
    pl_world_destroy(world);
    pl_world_destroy(other);
}

// With BDF2, whose unknown is another velocity, and in the loop of VJ19 balls bounce alike.
static void test_other_steps(void)
{
    for (int kind = 0; kind < 2; kind++) {
        pl_world_options options = pl_world_options_default();
        options.dt = 2e-3;
        options.vj19 = kind == 0;
        options.integrator = kind == 0 ? PL_INTEGRATOR_SEMI_IMPLICIT : PL_INTEGRATOR_BDF2;
        pl_world *world = make_world(&options);
        double most = 0;
        bool up = false;
        add_floor(world, 0.8);
        int32_t ball = add_at(world, "sphere:radius=0.1", 0, 0, 1.1, REST, 0);
        for (int i = 0; i < 430; i++) {
            step(world, 1);
            pl_frame f = frame_of(world, ball);
            up = up || f.velocity[2] > 0;
            if (up) most = fmax(most, f.centre[2] - 0.1);
        }
        TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.645, most);
        pl_world_destroy(world);
    }
}

static void test_scenes(void)
{
    pl_scene scene;
#define BODY(keys)                                                                                 \
    "{\"ground\": {\"restitution\": 0.3}, \"bodies\": [{\"mesh\": \"cube\", " keys "}]}"
    TEST_ASSERT_EQUAL_MESSAGE(
        PL_OK, pl_scene_parse(BODY("\"type\": \"rigid\", \"restitution\": 0.7"), "x", &scene),
        pl_error_text());
    TEST_ASSERT_EQUAL_DOUBLE(0.7, scene.bodies[0].rigid.surface.restitution);
    TEST_ASSERT_EQUAL_DOUBLE(0.3, scene.ground_surface.restitution);
    pl_scene_free(&scene);
    expect_failure(PL_ERROR_FORMAT, pl_scene_parse(BODY("\"restitution\": 0.7"), "x", &scene),
                   "restitution");
}

static void test_errors(void)
{
    pl_world *world = contact_world(1e-3, G);
    pl_mesh *mesh = make_mesh("cube");
    pl_rigid_options o = pl_rigid_options_default();
    const double bad[] = {-0.1, 1.1, NAN};
    for (int i = 0; i < 3; i++) {
        o.surface.restitution = bad[i];
        expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, mesh, &o, NULL), "restitution");
    }
    pl_deformable_options soft = pl_deformable_options_default();
    soft.surface.restitution = 0.5;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_deformable(world, mesh, &soft, NULL),
                   "elasticity");
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_heights);
    RUN_TEST(test_it_comes_to_rest);
    RUN_TEST(test_boxes);
    RUN_TEST(test_a_row_of_balls);
    RUN_TEST(test_two_balls);
    RUN_TEST(test_spin);
    RUN_TEST(test_a_moving_wall);
    RUN_TEST(test_joined_bodies_bounce);
    RUN_TEST(test_sleep);
    RUN_TEST(test_bits);
    RUN_TEST(test_checkpoints);
    RUN_TEST(test_other_steps);
    RUN_TEST(test_scenes);
    RUN_TEST(test_errors);
    return UNITY_END();
}
