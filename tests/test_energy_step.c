// Where the energy of steps goes, against formulas.

#include "worlds.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// Sums over steps, and that each step's balance is that of the states before and after.
typedef struct sums {
    double work, load_work, friction, damping, numerical; // [J]
    double first, last;                                   // energy at the start and end [J]
} sums;

static double energy_of(pl_world *world)
{
    pl_energy e;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &e));
    return e.kinetic + e.elastic + e.gravity;
}

static sums run(pl_world *world, int steps, double scale)
{
    sums out = {.first = energy_of(world)};
    out.last = out.first;
    for (int i = 0; i < steps; i++) {
        pl_step_stats s;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &s), pl_error_text());
        double now = s.kinetic_energy + s.elastic_energy + s.gravity_energy;
        double grown = s.work + s.load_work - s.friction_loss - s.damping_loss - s.numerical_loss;
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * scale, energy_of(world), now);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * scale, now - out.last, grown);
        out.last = now;
        out.work += s.work;
        out.load_work += s.load_work;
        out.friction += s.friction_loss;
        out.damping += s.damping_loss;
        out.numerical += s.numerical_loss;
    }
    return out;
}

static const pl_integrator KINDS[] = {PL_INTEGRATOR_SEMI_IMPLICIT, PL_INTEGRATOR_IMPLICIT,
                                      PL_INTEGRATOR_AUTO};
enum { N_KINDS = 3 };

// Backward Euler in free fall loses m (g dt)^2 / 2 in each step, and nothing else.
static void test_free_fall(void)
{
    for (int k = 0; k < N_KINDS; k++) {
        pl_world_options options = no_contact();
        options.integrator = KINDS[k];
        options.dt = 0.01;
        pl_world *world = make_world(&options);
        add_body(world, "cube:cells=2", NULL); // 1000 kg
        sums s = run(world, 50, 1e4);
        double lost = 50 * 0.5 * 1000 * pow(9.81 * 0.01, 2);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, lost, s.numerical);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, s.friction);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, s.damping + s.work + s.load_work);
        pl_world_destroy(world);
    }
}

// A box slides on the ground until it stops: friction takes its kinetic energy.
static void test_friction(void)
{
    for (int soft = 0; soft < 2; soft++) {
        pl_world_options options = pl_world_options_default();
        options.dt = 0.005;
        pl_world *world = make_world(&options);
        pl_mesh *ground = make_mesh("box:size=8,4,0.5"), *box = make_mesh("cube:cells=1");
        const double down[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.25};
        const double up[12] = {1, 0, 0, -2, 0, 1, 0, 0, 0, 0, 1, 0.505};
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(ground, down));
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(box, up));
        pl_kinematic_options floor = pl_kinematic_options_default();
        floor.surface.friction = 0.3;
        int32_t body;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, ground, &floor, &body));
        if (soft == 1) {
            pl_deformable_options o = pl_deformable_options_default();
            o.material.young = 1e8;
            o.velocity[0] = 2;
            o.surface.friction = 0.3;
            TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, box, &o, &body));
        } else {
            pl_rigid_options o = pl_rigid_options_default();
            o.velocity[0] = 2;
            o.surface.friction = 0.3;
            TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, box, &o, &body));
        }
        sums s = run(world, 200, 1e4);
        double kinetic = 0.5 * 1000 * 4;
        TEST_ASSERT_DOUBLE_WITHIN(0.03 * kinetic, kinetic, s.friction);
        TEST_ASSERT_TRUE(s.numerical > -1e-3 * kinetic && s.numerical < 0.05 * kinetic);
        pl_world_destroy(world);
        pl_mesh_destroy(ground);
        pl_mesh_destroy(box);
    }
}

// A drifting body with mass damping alone: v_n = v0 / (1 + a dt)^n, what damping takes is a dt m
// v_n^2 in step n, and half the square of the change is numerical.
static void test_mass_damping(void)
{
    for (int k = 0; k < N_KINDS; k++) {
        pl_world_options options = no_contact();
        options.integrator = KINDS[k];
        options.dt = 0.01;
        memset(options.gravity, 0, sizeof options.gravity);
        pl_world *world = make_world(&options);
        pl_deformable_options body = pl_deformable_options_default();
        body.velocity[1] = 3;
        body.material.mass_damping = 2;
        add_body(world, "cube:cells=2", &body);
        pl_mesh *box = make_mesh("cube:cells=1");
        pl_rigid_options rigid = pl_rigid_options_default();
        rigid.velocity[1] = 3;
        const double aside[12] = {1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0};
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(box, aside));
        rigid.damping = 2;
        int32_t id;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, box, &rigid, &id));
        sums s = run(world, 20, 1e4);
        double v = 3, damping = 0, numerical = 0;
        for (int i = 0; i < 20; i++) {
            double next = v / 1.02;
            damping += 0.02 * 2000 * next * next;
            numerical += 0.5 * 2000 * (v - next) * (v - next);
            v = next;
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, damping, s.damping);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, numerical, s.numerical);
        pl_world_destroy(world);
        pl_mesh_destroy(box);
    }
}

// A stretched cube that swings with stiffness damping comes to rest: in small steps nearly all of
// its energy goes by damping; pulled, the energy comes by the pull.
static void test_stiffness_damping_and_pulls(void)
{
    for (int k = 0; k < N_KINDS; k++) {
        pl_world_options options = no_contact();
        options.integrator = KINDS[k];
        options.dt = 2e-4;
        memset(options.gravity, 0, sizeof options.gravity);
        pl_world *world = make_world(&options);
        pl_deformable_options body = pl_deformable_options_default();
        body.material.stiffness_damping = 0.02;
        int32_t cube = add_body(world, "cube:cells=2", &body);
        int32_t n = 3 * pl_world_vertex_count(world, cube);
        double *x = malloc((size_t)n * sizeof *x);
        memcpy(x, pl_world_positions(world, cube), (size_t)n * sizeof *x);
        for (int32_t i = 0; i < n; i += 3) x[i] *= 1.1;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, x, NULL));
        free(x);
        sums s = run(world, 1500, 1e4);
        TEST_ASSERT_TRUE(s.last < 1e-3 * s.first);
        TEST_ASSERT_DOUBLE_WITHIN(0.03 * s.first, s.first, s.damping);
        pl_pull pull = {.vertex = 0, .target = {2, 0, 0}, .stiffness = 100, .damping = 5};
        TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, cube, 1, &pull));
        sums pulled = run(world, 500, 1e4);
        TEST_ASSERT_TRUE(pulled.load_work > 0);
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * pulled.load_work, pulled.load_work,
                                  pulled.last - pulled.first + pulled.damping);
        pl_world_destroy(world);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_free_fall);
    RUN_TEST(test_friction);
    RUN_TEST(test_mass_damping);
    RUN_TEST(test_stiffness_damping_and_pulls);
    return UNITY_END();
}
