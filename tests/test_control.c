// What a program changes while a world runs: against formulas.

#include "worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void setUp(void)
{
}
void tearDown(void)
{
}

static pl_world *make(double dt, bool gravity)
{
    pl_world_options options = pl_world_options_default();
    options.dt = dt;
    if (!gravity) memset(options.gravity, 0, sizeof options.gravity);
    return make_world(&options);
}

static int32_t add_rigid(pl_world *world, double mass, double z)
{
    const double place[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z};
    pl_rigid_options o = pl_rigid_options_default();
    pl_mesh *mesh = make_mesh("box:size=0.4,0.4,0.4:cells=1,1,1");
    int32_t body;
    o.mass = mass;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, place));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, mesh, &o, &body));
    pl_mesh_destroy(mesh);
    return body;
}

static pl_frame frame_of(const pl_world *world, int32_t body)
{
    pl_frame f;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, body, &f));
    return f;
}

// v = F t / m, omega = T t / I of a cube, I = m a^2 / 6.
static void test_forces_and_torques(void)
{
    pl_world *world = make(1e-2, false);
    int32_t body = add_rigid(world, 3, 0);
    const double force[3] = {6, 0, -3}, torque[3] = {0, 0.02, 0};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_force(world, body, force, torque));
    step(world, 50);
    pl_frame f = frame_of(world, body);
    double inertia = 3 * 0.4 * 0.4 / 6;
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 * force[k] / 3, f.velocity[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.5 * torque[k] / inertia, f.angular_velocity[k]);
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_force(world, body, NULL, NULL));
    step(world, 10);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, f.velocity[0], frame_of(world, body).velocity[0]);
    pl_world_destroy(world);
}

// At a point off the centre it turns the body: the momenta are those of the impulse.
static void test_impulses(void)
{
    pl_world *world = make(1e-2, false);
    int32_t body = add_rigid(world, 2, 0.5);
    const double impulse[3] = {0, 1, 0}, point[3] = {0.2, 0, 0.5};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_apply_impulse(world, body, impulse, point));
    pl_frame f = frame_of(world, body);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.5, f.velocity[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2 / (2 * 0.4 * 0.4 / 6), f.angular_velocity[2]);
    // What is published has it already.
    TEST_ASSERT_TRUE(pl_world_velocities(world, body)[1] != 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_apply_impulse(world, body, impulse, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1, frame_of(world, body).velocity[1]);
    pl_energy e;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &e));
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 2, e.momentum[1]);
    pl_world_destroy(world);
}

static void test_frames(void)
{
    pl_world *world = make(1e-2, false);
    int32_t body = add_rigid(world, 2, 0);
    add_rigid(world, 1, 2);
    pl_frame f = frame_of(world, body), got;
    double half = 0.35;
    f.centre[0] = 1, f.centre[2] = -4;
    f.orientation[0] = cos(half), f.orientation[2] = sin(half);
    f.velocity[1] = 3, f.angular_velocity[0] = -2;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_set_frame(world, body, &f), pl_error_text());
    got = frame_of(world, body);
    TEST_ASSERT_EQUAL_MEMORY(f.centre, got.centre, sizeof f.centre);
    for (int k = 0; k < 4; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, f.orientation[k], got.orientation[k]);
    }
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, f.angular_velocity[k], got.angular_velocity[k]);
    }
    step(world, 10);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3, frame_of(world, body).centre[1]);
    f.centre[0] = 0, f.centre[1] = 0, f.centre[2] = 2.1; // into the other one
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, body, &f));
    expect_failure(PL_ERROR_GEOMETRY, pl_world_step(world, NULL), "at the start");
    f.orientation[0] = 2;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_frame(world, body, &f), "orientation");
    pl_world_destroy(world);
}

// Free fall in steps that change, under gravity that changes.
static void test_gravity_and_dt(void)
{
    pl_world *world = make(1e-2, true);
    int32_t body = add_rigid(world, 2, 0);
    step(world, 10);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.981, frame_of(world, body).velocity[2]);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_gravity(world, (const double[3]){2, 0, 0}));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_dt(world, 5e-3));
    TEST_ASSERT_EQUAL_DOUBLE(5e-3, pl_world_get_options(world)->dt);
    step(world, 10);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.981, frame_of(world, body).velocity[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, frame_of(world, body).velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.15, pl_world_time(world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_damping(world, body, 4));
    step(world, 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.981 / 1.02, frame_of(world, body).velocity[2]);
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_dt(world, 0), "dt");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_damping(world, body, -1), "damping");
    pl_world_destroy(world);
}

// A bar that hangs from one end, four times as heavy and four times as stiff: the same stretch;
// four times as soft: four times the stretch.
static void test_materials(void)
{
    pl_world_options options = no_contact();
    options.integrator = PL_INTEGRATOR_IMPLICIT;
    options.dt = 10;
    pl_world *world = make_world(&options);
    pl_deformable_options o = pl_deformable_options_default();
    o.material.poisson = 0;
    int32_t body = add_body(world, "box:size=0.1,0.1,1:cells=1,1,10", &o);
    const double *x = pl_mesh_positions(pl_world_mesh(world, body));
    int32_t top[4], n = 0, low = 0;
    for (int32_t i = 0; i < pl_world_vertex_count(world, body); i++) {
        if (x[3 * i + 2] > 0.49) top[n++] = i;
        if (x[3 * i + 2] < x[3 * low + 2]) low = i;
    }
    TEST_ASSERT_EQUAL(4, n);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, body, 4, top, NULL));
    double stretch[3];
    const double young[3] = {5e5, 20e5, 5e5}, density[3] = {100, 400, 400};
    for (int i = 0; i < 3; i++) {
        o.material.young = young[i], o.material.density = density[i];
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_material(world, body, &o.material));
        step(world, 8);
        stretch[i] = x[3 * low + 2] - pl_world_positions(world, body)[3 * low + 2];
    }
    // rho g L^2 / (2 E), as well as cells as wide as the bar can have it: masses are lumped.
    TEST_ASSERT_DOUBLE_WITHIN(5e-5, 100 * 9.81 / 2 / 5e5, stretch[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, stretch[0], stretch[1]);
    TEST_ASSERT_DOUBLE_WITHIN(3e-4, 4 * stretch[0], stretch[2]);
    o.material.young = -1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_material(world, body, &o.material), "young");
    pl_world_destroy(world);
}

// --- Kinematic bodies that are sent ---

static int32_t add_plate(pl_world *world)
{
    pl_mesh *mesh = make_mesh("box:size=1,1,0.1:cells=1,1,1");
    int32_t body;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, NULL, &body));
    pl_mesh_destroy(mesh);
    return body;
}

// It is where it was sent to, after one step, and rests there.
static void test_a_plate_goes_where_it_is_sent(void)
{
    pl_world *world = make(1e-2, true);
    int32_t plate = add_plate(world), n = pl_world_vertex_count(world, plate);
    const double *rest = pl_mesh_positions(pl_world_mesh(world, plate));
    double q[4] = {1, 0, 0, 0}, at[3] = {0};
    for (int i = 1; i <= 7; i++) { // turns about changing axes
        double u[3] = {0.1 * i, 0.05, -0.02 * i},
               half = 0.5 * sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        q[0] = cos(half);
        for (int k = 0; k < 3; k++) {
            q[1 + k] = sin(half) * u[k] / (2 * half);
            at[k] += 0.01 * (k + 1);
        }
        TEST_ASSERT_EQUAL(PL_OK, pl_world_move_to(world, plate, at, q));
        step(world, i == 7 ? 3 : 1);
        for (int32_t v = 0; v < n; v++) {
            const double *r = rest + 3 * v, *x = pl_world_positions(world, plate) + 3 * v;
            // q r q* by the double cross product.
            double a[3], b[3];
            for (int k = 0; k < 3; k++) {
                a[k] = q[1 + (k + 1) % 3] * r[(k + 2) % 3] - q[1 + (k + 2) % 3] * r[(k + 1) % 3];
            }
            for (int k = 0; k < 3; k++) {
                b[k] = q[1 + (k + 1) % 3] * a[(k + 2) % 3] - q[1 + (k + 2) % 3] * a[(k + 1) % 3];
                TEST_ASSERT_DOUBLE_WITHIN(1e-13, at[k] + r[k] + 2 * (q[0] * a[k] + b[k]), x[k]);
            }
        }
    }
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_world_velocities(world, plate)[0]);
    pl_world_destroy(world);
}

// A box on a plate that is lifted at 0.5 m/s goes with it; a run that is resumed does the same.
static void test_what_stands_on_it_is_lifted(void)
{
    pl_world *world = make(1e-2, true), *resumed = make(1e-2, true);
    size_t size;
    int32_t box = 0;
    char *data = NULL;
    for (int i = 0; i < 2; i++) {
        add_plate(i == 0 ? world : resumed);
        box = add_rigid(i == 0 ? world : resumed, 2, 0.2505);
    }
    const double q[4] = {1, 0, 0, 0};
    step(world, 10);
    for (int i = 1; i <= 40; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_world_move_to(world, 0, (const double[3]){0, 0, 5e-3 * i}, q));
        step(world, 1);
        if (i != 20) continue;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, NULL, 0, &size));
        data = malloc(size);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, data, size, &size));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.5, frame_of(world, box).velocity[2]);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load_memory(resumed, data, size), pl_error_text());
    for (int i = 21; i <= 40; i++) {
        TEST_ASSERT_EQUAL(PL_OK,
                          pl_world_move_to(resumed, 0, (const double[3]){0, 0, 5e-3 * i}, q));
        step(resumed, 1);
    }
    TEST_ASSERT_EQUAL_HEX64(pl_world_hash(world), pl_world_hash(resumed));
    expect_failure(PL_ERROR_ARGUMENT, pl_world_move_to(world, box, (const double[3]){0}, q),
                   "kinematic");
    free(data);
    pl_world_destroy(world), pl_world_destroy(resumed);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_forces_and_torques);
    RUN_TEST(test_impulses);
    RUN_TEST(test_frames);
    RUN_TEST(test_gravity_and_dt);
    RUN_TEST(test_materials);
    RUN_TEST(test_a_plate_goes_where_it_is_sent);
    RUN_TEST(test_what_stands_on_it_is_lifted);
    return UNITY_END();
}
