// What a world tells the log: each warning with its text, once, and none where all is well.

#include "logs.h"
#include "mechanisms.h"

void setUp(void)
{
    keep_log();
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

// --- Materials ---

static pl_world *with_material(double young, double density, double gravity, double dt)
{
    pl_world_options options = pl_world_options_default();
    options.gravity[2] = -gravity;
    options.dt = dt;
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.material.young = young;
    body.material.density = density;
    add_body(world, "box:size=1,1,2:cells=2,2,4", &body);
    step(world, 2);
    return world;
}

static void test_soft(void)
{
    // A column of 2 m, 1,000 kg/m^3: its foot bears 19,620 Pa.
    pl_world_destroy(with_material(2e4, 1000, 9.81, 1e-3));
    pl_world_destroy(with_material(500, 1000, 0, 1e-3));
    expect_no_warning();
    pl_world_destroy(with_material(1.9e4, 1000, 9.81, 1e-3));
    expect_warning("body 0: young 19000 Pa is too soft for a body 2 m high of 1000 kg/m^3",
                   "4e+05 Pa or more would bear it");
}

static void test_stiff(void)
{
    // Tets of the box have a volume of 1/48 m^3 and edges of about 0.56 m: at a density of 1,000
    // and dt 1 ms, a thousand of them are crossed in a step at 3.1e14 Pa.
    pl_world_destroy(with_material(2e14, 1000, 9.81, 1e-3));
    expect_no_warning();
    pl_world_destroy(with_material(4e14, 1000, 9.81, 1e-3));
    expect_warning("body 0: young 4e+14 Pa is too stiff for tets of 0.56 m and steps of 0.001 s",
                   "make the body rigid, or take 3e+14 Pa or less");
}

// --- Inverted tets ---

// A cube whose corners on one side have gone through to the other: what would help its material.
static void check_remedy(pl_material_kind kind, double limit, const char *remedy)
{
    pl_world_options options = no_contact();
    options.integrator = PL_INTEGRATOR_SEMI_IMPLICIT;
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    keep_log();
    body.material.kind = kind;
    body.material.stretch_limit = limit;
    int32_t cube = add_body(world, "cube:cells=1", &body);
    double x[24];
    memcpy(x, pl_world_positions(world, cube), sizeof x);
    for (int i = 0; i < 8; i++) x[3 * i + 2] = -x[3 * i + 2];
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, x, NULL));
    step(world, 5); // without a limit it finds back, and through itself again
    expect_warning("tets of body 0 are flat or inverted; ", remedy);
    pl_world_destroy(world);
}

static void test_remedies_of_inversion(void)
{
    check_remedy(PL_MATERIAL_STVK, 0.05, "a neo-Hookean one resists");
    check_remedy(PL_MATERIAL_STABLE_NEO_HOOKEAN, 0.05, "a neo-Hookean one resists");
    check_remedy(PL_MATERIAL_NEO_HOOKEAN, 0.05, "a smaller stretch_limit keeps");
    check_remedy(PL_MATERIAL_OGDEN, 0.05, "a smaller stretch_limit keeps");
    check_remedy(PL_MATERIAL_NEO_HOOKEAN, 0, "a smaller dt or a stiffer material keeps");
}

static void test_inverted(void)
{
    pl_world_options options = no_contact();
    pl_world *world = make_world(&options);
    add_body(world, "cube:cells=1", NULL);
    int32_t body = add_body(world, "cube:cells=1", NULL);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_name(world, body, "jelly"));
    double x[24];
    memcpy(x, pl_world_positions(world, body), sizeof x);
    for (int i = 0; i < 8; i++) x[3 * i + 2] = -x[3 * i + 2];
    step(world, 1);
    expect_no_warning();
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, body, x, NULL));
    step(world, 1);
    char whole[64];
    int n = (int)pl_mesh_tet_count(pl_world_mesh(world, body));
    snprintf(whole, sizeof whole, "step 2: %d of %d tets of jelly are flat or inverted; ", n, n);
    expect_warning(whole, "a smaller dt or a stiffer material");
    step(world, 3); // they still are, and it has been said
    expect_warning(whole, "neo-Hookean");
    pl_world_destroy(world);
}

static void test_inverted_in_two(void)
{
    pl_world_options options = no_contact();
    pl_world *world = make_world(&options);
    for (int32_t body = 0; body < 2; body++) {
        double x[24];
        add_body(world, "cube:cells=1", NULL);
        memcpy(x, pl_world_positions(world, body), sizeof x);
        for (int i = 0; i < 8; i++) x[3 * i] = -x[3 * i];
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, body, x, NULL));
    }
    step(world, 1);
    expect_warning("tets of body 0 are flat or inverted (", " in 2 bodies); ");
    pl_world_destroy(world);
}

// --- Falls ---

static void add_shifted(pl_world *world, pl_body_kind kind, const char *shape, double z)
{
    pl_mesh *mesh = make_mesh(shape);
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, up));
    pl_status status = kind == PL_BODY_RIGID ? pl_world_add_rigid(world, mesh, NULL, NULL)
                       : kind == PL_BODY_KINEMATIC
                           ? pl_world_add_kinematic(world, mesh, NULL, NULL)
                           : pl_world_add_deformable(world, mesh, NULL, NULL);
    TEST_ASSERT_EQUAL(PL_OK, status);
    pl_mesh_destroy(mesh);
}

static pl_world *falling(pl_body_kind kind, bool contact, bool floor)
{
    pl_world_options options = contact ? pl_world_options_default() : no_contact();
    options.dt = 0.01;
    pl_world *world = make_world(&options);
    add_shifted(world, kind, "cube:cells=1", 0.51);
    if (floor) add_shifted(world, PL_BODY_KINEMATIC, "box:size=4,4,1:cells=1", -0.5);
    return world;
}

// It has to fall by its own height twice, which takes 0.64 s.
static void test_falls(void)
{
    pl_body_kind kinds[2] = {PL_BODY_RIGID, PL_BODY_DEFORMABLE};
    for (int i = 0; i < 2; i++) {
        keep_log();
        pl_world *world = falling(kinds[i], true, false);
        step(world, 60);
        expect_no_warning();
        step(world, 20);
        expect_warning(": body 0 falls for ever: all that could stop it is ", " m above it; put a");
        pl_world_destroy(world);
    }
    keep_log();
    pl_world *world = falling(PL_BODY_RIGID, false, true);
    step(world, 120);
    expect_warning(": body 0 falls for ever", ", and contact is off");
    pl_world_destroy(world);
}

static void test_does_not_fall(void)
{
    pl_world *world = falling(PL_BODY_RIGID, true, true);
    step(world, 100);
    pl_world_destroy(world);
    // Without gravity bodies drift as they like.
    pl_world_options options = no_contact();
    options.gravity[2] = 0;
    world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.velocity[2] = -1e3;
    add_body(world, "cube:cells=1", &body);
    step(world, 100);
    pl_world_destroy(world);
    // What is held below all others by a spring, or moved by a vertex, does not fall.
    options = no_contact();
    options.dt = 0.01;
    world = make_world(&options);
    add_body(world, "cube:cells=1", NULL);
    add_body(world, "cube:cells=1", NULL);
    const pl_pull pull = {.vertex = 0, .target = {0, 0, -9}, .stiffness = 1e4, .damping = 1e3};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, 0, 1, &pull));
    pl_motion motion = pl_motion_default();
    motion.velocity[2] = -5;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, 1, 1, (const int32_t[1]){0}, &motion));
    step(world, 120);
    expect_no_warning();
    pl_world_destroy(world);
}

// --- Solvers that know no joints ---

// A pendulum by cr: every step is solved by auto, to the bit, and counted; without a rescue it
// fails.
static void test_joints_by_cr(void)
{
    uint64_t hash[2];
    for (int i = 0; i < 3; i++) {
        pl_world_options options = no_contact();
        pl_step_stats stats;
        options.solver = i == 0 ? "auto" : "cr";
        options.rescue = i < 2;
        pl_world *world = make_world(&options);
        int32_t body = add_rigid_at(world, "box:size=0.2,0.2,0.2", 1, 0, 0, 0);
        pl_joint_options joint = joint_at(PL_JOINT_HINGE, PL_WORLD, body, 0.5, 0, 0, 0, 1, 0);
        add_joint(world, &joint);
        for (int k = 0; k < 3 && i < 2; k++) {
            TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, &stats));
            TEST_ASSERT_TRUE(i == 0 ? stats.rescues == 0 : stats.rescues >= 1);
        }
        if (i < 2) hash[i] = pl_world_hash(world);
        if (i == 0) expect_no_warning();
        if (i == 1) expect_warning("cr does not know joints", "solved by auto");
        if (i == 2) {
            TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_world_step(world, &stats));
            TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "cr cannot do box constraints"));
        }
        pl_world_destroy(world);
    }
    TEST_ASSERT_TRUE(hash[0] == hash[1]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_soft);
    RUN_TEST(test_stiff);
    RUN_TEST(test_remedies_of_inversion);
    RUN_TEST(test_inverted);
    RUN_TEST(test_inverted_in_two);
    RUN_TEST(test_falls);
    RUN_TEST(test_does_not_fall);
    RUN_TEST(test_joints_by_cr);
    return UNITY_END();
}
