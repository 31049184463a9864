// Energy of bodies that touch what moves by itself: it rises by the work that is done on them, and
// by no more.

#include "../base/team.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

void setUp(void)
{
    pl_threads_set(1);
}

void tearDown(void)
{
}

static const double FLOOR_RATE = 2;    // [rad/s]
static const double PRESS_SPEED = 0.3; // [m/s]
static const double PRESS_TIME = 0.5;  // of going down, and of going up again [s]

static pl_mesh *mesh_at(const char *shape, double x, double y, double z)
{
    pl_mesh *mesh = make_mesh(shape);
    const double m[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    return mesh;
}

static int32_t add_plate(pl_world *world, double z, const pl_motion *motion)
{
    int32_t body;
    pl_kinematic_options options = pl_kinematic_options_default();
    options.motion = *motion;
    pl_mesh *mesh = mesh_at("box:size=3,3,0.1:cells=3,3,1", 0, 0, z);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &options, &body));
    pl_mesh_destroy(mesh);
    return body;
}

// --- The scene: a pile on a floor that turns, under a plate that presses and rises again ---

enum { FLOOR, PRESS, BODIES = 5 };

static pl_world *make_scene(double dt)
{
    pl_world_options options = pl_world_options_default();
    options.dt = dt;
    pl_world *world = make_world(&options);
    pl_motion turn = pl_motion_default(), press = pl_motion_default();
    turn.axis[2] = 1;
    turn.rate = FLOOR_RATE;
    const double depth = PRESS_SPEED * PRESS_TIME;
    const pl_motion_key keys[] = {
        {0, {0}, 0}, {PRESS_TIME, {0, 0, -depth}, 0}, {2 * PRESS_TIME, {0}, 0}};
    press.key = keys;
    press.n_key = 3;
    TEST_ASSERT_EQUAL(FLOOR, add_plate(world, -0.05, &turn));
    TEST_ASSERT_EQUAL(PRESS, add_plate(world, 0.75, &press));
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    soft.material.young = 2e5;
    for (int i = 0; i < BODIES; i++) {
        bool ring = i % 2 == 0, rigid = i == 1;
        const char *shape = ring ? "ring:radius=0.2:section=0.1" : "cube:size=0.2:cells=3";
        double z = i < 3 ? 0.11 : 0.45;
        pl_mesh *mesh = mesh_at(shape, 0.7 * (i % 3 - 1), i < 3 ? 0 : 0.1, z);
        pl_status status = rigid ? pl_world_add_rigid(world, mesh, NULL, NULL)
                                 : pl_world_add_deformable(world, mesh, &soft, NULL);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        pl_mesh_destroy(mesh);
    }
    return world;
}

static double total(pl_world *world)
{
    pl_energy e;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &e));
    return e.kinetic + e.elastic + e.gravity;
}

// --- Work, as the outside can compute it ---

// How far the place p of a kinematic body has come in the step that ended at the time t.
static void displacement(int32_t body, const double p[3], double t, double dt, double by[3])
{
    memset(by, 0, 3 * sizeof *by);
    if (body == FLOOR) {
        double c = cos(FLOOR_RATE * dt), s = sin(FLOOR_RATE * dt);
        by[0] = p[0] - (c * p[0] + s * p[1]);
        by[1] = p[1] - (c * p[1] - s * p[0]);
    } else {
        double end = fmin(t, 2 * PRESS_TIME), start = fmin(t - dt, 2 * PRESS_TIME);
        by[2] = PRESS_SPEED * (fabs(end - PRESS_TIME) - fabs(start - PRESS_TIME));
    }
}

// The work of floor and press in the last step by the forces of contacts; *size is the sum of the
// absolute values of its parts.
static double work_of_contacts(const pl_world *world, double dt, double *size)
{
    int32_t n;
    const pl_contact_point *c = pl_world_contacts(world, &n);
    double work = 0;
    *size = 0;
    for (int32_t i = 0; i < n; i++) {
        bool first = c[i].body_a <= PRESS, second = c[i].body_b <= PRESS;
        if (!first && !second) continue;
        double by[3], part = 0;
        displacement(first ? c[i].body_a : c[i].body_b, c[i].point, pl_world_time(world), dt, by);
        for (int k = 0; k < 3; k++) {
            part += (c[i].force * c[i].normal[k] + c[i].friction[k]) * by[k];
        }
        work += first ? -part : part;
        *size += fabs(part);
    }
    return work;
}

// --- Tests ---

// In each step the energy rises by the work of floor and press at most. The bound is that of a pile
// at rest: a millionth of what there is.
static void check_steps(double dt)
{
    pl_world *world = make_scene(dt);
    double start = total(world), last = start, pressed = 0;
    int32_t n = (int32_t)(1.5 / dt), halvings = 0;
    for (int32_t i = 0; i < n; i++) {
        pl_step_stats stats;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        double now = total(world), size, work = work_of_contacts(world, dt, &size);
        TEST_ASSERT_TRUE_MESSAGE(now - last - stats.work < 1e-6 * start, "energy out of nothing");
        // Points are told where they are at the end, between both surfaces.
        if (stats.halvings == 0) TEST_ASSERT_DOUBLE_WITHIN(2e-3 * size + 1e-9, work, stats.work);
        TEST_ASSERT_TRUE(stats.min_gap > 0);
        TEST_ASSERT_EQUAL(0, stats.inverted);
        // contact_tolerance, and the two parts that Fischer and Burmeister's function has.
        TEST_ASSERT_TRUE(stats.fb_error < 2e-6 && stats.constraint_error < 1e-6);
        TEST_ASSERT_TRUE(stats.friction_error < 1e-6);
        pressed += fmax(stats.work, 0);
        halvings += stats.halvings;
        last = now;
    }
    TEST_ASSERT_TRUE(pressed > 0.3 * start); // it was worth watching
    TEST_ASSERT_TRUE(halvings <= 1);
    pl_world_destroy(world);
}

static void test_energy_rises_by_the_work_that_is_done(void)
{
    check_steps(2e-3);
    check_steps(8e-3);
}

static pl_world *make_heap(double dt)
{
    pl_world_options options = pl_world_options_default();
    options.dt = dt;
    pl_world *world = make_world(&options);
    const pl_motion still = pl_motion_default();
    add_plate(world, -0.05, &still);
    const char *shape[] = {"cube:size=0.4:cells=3", "ring:radius=0.2:section=0.1",
                           "cube:size=0.3:cells=2"};
    const double z[] = {0.21, 0.52, 0.78};
    for (int i = 0; i < 3; i++) {
        pl_mesh *mesh = mesh_at(shape[i], 0.02 * i, 0.01 * i, z[i]);
        pl_status status = i == 2 ? pl_world_add_rigid(world, mesh, NULL, NULL)
                                  : pl_world_add_deformable(world, mesh, NULL, NULL);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        pl_mesh_destroy(mesh);
    }
    return world;
}

// A heap comes to rest, and stays there with steps of another length, to 0.1 mm/s: what the
// tolerances leave undone in a step does not shake it.
static void test_a_settled_heap_stays_at_rest(void)
{
    char path[] = "/tmp/pliant-energy-XXXXXX";
    close(mkstemp(path));
    pl_step_stats stats;
    pl_world *world = make_heap(1e-2);
    for (int i = 0; i < 400; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
    }
    TEST_ASSERT_TRUE(stats.contacts > 10);
    TEST_ASSERT_TRUE(stats.v_rms < 1e-4);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    pl_world_destroy(world);
    world = make_heap(1e-3);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(world, path), pl_error_text());
    for (int i = 0; i < 300; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        TEST_ASSERT_TRUE(i < 50 || stats.v_rms < 1e-4);
    }
    pl_world_destroy(world);
    remove(path);
}

// What a step tells about its end is what the state says: a rigid cube and a soft one that fall.
static void test_energies_of_a_step(void)
{
    pl_world *world = make_world(NULL);
    pl_mesh *low = mesh_at("cube:size=0.1", 0, 0, 1), *high = mesh_at("cube:size=0.1", 0, 0, 3);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, low, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, high, NULL, NULL));
    pl_step_stats stats;
    for (int i = 0; i < 100; i++) TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, &stats));
    double v = 9.81 * 0.1, fallen = 0.5 * 9.81 * 0.1 * 0.101; // of 1 kg each
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, v, stats.v_rms);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, v * v, stats.kinetic_energy);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 9.81 * (4 - 2 * fallen), stats.gravity_energy);
    TEST_ASSERT_TRUE(stats.work == 0 && stats.inverted == 0);
    pl_mesh_destroy(low);
    pl_mesh_destroy(high);
    pl_world_destroy(world);
}

// A bar that is pulled slowly: the work goes into its elastic energy, but for what the step damps.
static void test_work_of_driven_vertices(void)
{
    pl_world_options options = no_contact();
    options.gravity[2] = 0;
    pl_world *world = make_world(&options);
    int32_t bar = add_body(world, "box:size=1,0.1,0.1:cells=10,2,2", NULL), *end;
    pl_motion pull = pl_motion_default();
    pull.velocity[0] = 0.1;
    int32_t n = select_vertices(world, bar, 0, 0.49, 1, &end);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, bar, n, end, &pull));
    free(end);
    n = select_vertices(world, bar, 0, -1, -0.49, &end);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, bar, n, end, NULL));
    free(end);
    double work = 0, start = total(world);
    for (int i = 0; i < 1000; i++) {
        pl_step_stats stats;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        work += stats.work;
    }
    // E A e^2 l / 2 with e = 0.1; its cross section is held at both ends.
    double gained = total(world) - start;
    TEST_ASSERT_DOUBLE_WITHIN(1.5, 25, gained);
    TEST_ASSERT_TRUE(gained <= work && gained > 0.95 * work);
    pl_world_destroy(world);
}

// --- Crushed bodies, of the default stretch limit ---

// A soft ball on the ground at dt 0.01, with a speed and a stretch limit; 0: the default.
static pl_world *make_ball(double speed, double limit)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 0.01;
    pl_world *world = make_world(&options);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    soft.material.young = 1e5;
    soft.material.poisson = 0.4;
    if (limit > 0) soft.material.stretch_limit = limit;
    soft.velocity[2] = -speed;
    pl_mesh *mesh = mesh_at("icosphere:radius=0.5:level=2:shells=2", 0, 0, 0.56);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, mesh, &soft, NULL));
    pl_mesh_destroy(mesh);
    pl_motion rest = pl_motion_default();
    add_plate(world, -0.05, &rest);
    return world;
}

// At 30 m/s, 0.3 m in a step, tets invert. They are back within a few steps, each of which is
// solved without trouble.
static void test_an_impact_untangles_by_itself(void)
{
    pl_world *world = make_ball(30, 0);
    pl_step_stats stats;
    int32_t most = 0;
    for (int i = 0; i < 20; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        most = PL_MAX(most, stats.iterations);
        TEST_ASSERT_TRUE_MESSAGE(i < 8 || stats.inverted == 0, "still inverted");
    }
    TEST_ASSERT_LESS_THAN(400, most);
    pl_world_destroy(world);
}

// The energy that a ball stores when a plate has pressed it to a tenth of its height.
static double press_ball(double limit, int32_t *inverted)
{
    pl_world *world = make_ball(0, limit);
    pl_motion press = pl_motion_default();
    const pl_motion_key keys[] = {{0, {0}, 0}, {1, {0, 0, -0.98}, 0}};
    pl_step_stats stats = {0};
    pl_energy energy;
    press.key = keys;
    press.n_key = 2;
    add_plate(world, 1.13, &press);
    for (int i = 0; i < 100; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
    }
    *inverted = stats.inverted;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &energy));
    pl_world_destroy(world);
    return energy.elastic;
}

// A limit of 0.7 stored a quarter of it, and left many tets inverted; now at most 1 % of 1,280 are.
static void test_a_flattened_ball_stores_what_its_material_says(void)
{
    int32_t inverted;
    double exact = press_ball(0.01, &inverted), energy = press_ball(0, &inverted);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * exact, exact, energy);
    TEST_ASSERT_LESS_THAN(13, inverted);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_energy_rises_by_the_work_that_is_done);
    RUN_TEST(test_a_settled_heap_stays_at_rest);
    RUN_TEST(test_energies_of_a_step);
    RUN_TEST(test_work_of_driven_vertices);
    RUN_TEST(test_an_impact_untangles_by_itself);
    RUN_TEST(test_a_flattened_ball_stores_what_its_material_says);
    return UNITY_END();
}
