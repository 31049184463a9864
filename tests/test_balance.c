// Newton's method around the contact solve: forces balance at the end of a step, whatever acts; a
// step that is accepted at once is the semi-implicit one; hard impacts invert nothing.

#include "../world/balance.h"
#include "worlds.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
    pl_threads_set(0);
}

static const double LOWER[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.25};

static void add_ground(pl_world *world)
{
    pl_mesh *mesh = make_mesh("box:size=6,6,0.5");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, LOWER));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, NULL, NULL));
    pl_mesh_destroy(mesh);
}

static int32_t add_at(pl_world *world, const char *shape, double height,
                      const pl_deformable_options *options)
{
    int32_t body;
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, height};
    pl_mesh *mesh = make_mesh(shape);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, up));
    pl_status status = pl_world_add_deformable(world, mesh, options, &body);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

// --- The balance itself ---

// The largest residual of m (1 + a dt) v - m v0 + b dt K0 v - dt (f(x1) + f_ext) - pulls, relative
// to the largest of dt f: all made here of elements, masses and what was asked for.
static double imbalance(pl_world *world, const double *x0, const double *v0, double alpha,
                        double beta, const double *force, int32_t pulled, const pl_pull *pull)
{
    const pl_fem *fem = &world->system.fem;
    int64_t n = 3 * (int64_t)world->state.n_vert;
    double dt = world->options.dt, worst = 0, size = 0;
    double *f = calloc((size_t)n, sizeof *f), *Kv = calloc((size_t)n, sizeof *Kv),
           *v = calloc((size_t)n, sizeof *v), *ignored = calloc((size_t)n, sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = (world->state.x[i] - x0[i]) / dt;
    pl_fem_forces(fem, world->state.x, f);
    pl_bsr K = world->system.A;
    K.val = calloc(9 * ((size_t)K.nnz + 1), sizeof *K.val); // products read a little beyond
    const pl_fem_weights weights = {.stiffness = 1, .project = 1};
    pl_fem_assemble(fem, x0, &weights, NULL, &K, ignored);
    pl_bsr_multiply(&K, v, Kv);
    for (int64_t i = 0; i < n; i++) {
        double m = fem->mass[i / 3];
        double r = m * (1 + alpha * dt) * v[i] - m * v0[i] + beta * dt * Kv[i] -
                   dt * (f[i] + force[i] + m * world->options.gravity[i % 3]);
        if (i / 3 == pulled) {
            double there = world->state.x[i];
            r -= dt * (pull->stiffness * (pull->target[i % 3] - there) - pull->damping * v[i]);
        }
        worst = fmax(worst, fabs(r));
        size = fmax(size, fabs(dt * f[i]));
    }
    free(f);
    free(Kv);
    free(v);
    free(ignored);
    free(K.val);
    return worst / size;
}

// A cube that is stretched, thrown, damped both ways, pulled and loaded, in a step of 20 ms.
static void test_forces_balance(void)
{
    double semi_implicit = 0;
    for (int k = 0; k < 2; k++) {
        pl_world_options options = no_contact();
        options.integrator = k == 0 ? PL_INTEGRATOR_SEMI_IMPLICIT : PL_INTEGRATOR_IMPLICIT;
        options.dt = 0.02;
        options.newton_tolerance = 1e-9;
        pl_world *world = make_world(&options);
        pl_deformable_options o = pl_deformable_options_default();
        o.material.kind = PL_MATERIAL_NEO_HOOKEAN;
        o.material.mass_damping = 3;
        o.material.stiffness_damping = 0.02;
        o.velocity[1] = 2;
        o.angular_velocity[2] = 6;
        int32_t cube = add_body(world, "cube:cells=3", &o), n = pl_world_vertex_count(world, cube);
        double *x = malloc(3 * (size_t)n * sizeof *x), *load = calloc(3 * (size_t)n, sizeof *x);
        memcpy(x, pl_world_positions(world, cube), 3 * (size_t)n * sizeof *x);
        for (int32_t i = 0; i < n; i++) x[3 * i] *= 1.4;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, x, NULL));
        load[5] = 900;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_forces(world, cube, load));
        const pl_pull pull = {.vertex = 7, .target = {1, 2, 3}, .stiffness = 4000, .damping = 50};
        TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, cube, 1, &pull));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_prepare(world));
        double *x0 = malloc(3 * (size_t)n * sizeof *x), *v0 = malloc(3 * (size_t)n * sizeof *x);
        memcpy(x0, world->state.x, 3 * (size_t)n * sizeof *x);
        memcpy(v0, world->state.v, 3 * (size_t)n * sizeof *x);
        step(world, 1);
        const int32_t *rank = world->bodies.body[cube].rank;
        for (int32_t i = 0; i < 3 * n; i++) x[3 * rank[i / 3] + i % 3] = load[i];
        double left = imbalance(world, x0, v0, 3, 0.02, x, rank[7], &pull);
        if (k == 0) semi_implicit = left;
        if (k == 1) {
            TEST_ASSERT_TRUE(left < 1e-8);
        }
        free(x);
        free(load);
        free(x0);
        free(v0);
        pl_world_destroy(world);
    }
    TEST_ASSERT_TRUE(semi_implicit > 0.01); // there was something to do
}

// --- Accepted at once: the same bits ---

static uint64_t drop(pl_integrator integrator, double dt, int steps, int threads, int *most)
{
    pl_world_options options = pl_world_options_default();
    options.integrator = integrator;
    options.dt = dt;
    options.threads = threads;
    pl_world *world = make_world(&options);
    add_ground(world);
    pl_deformable_options o = pl_deformable_options_default();
    o.velocity[0] = 1;
    add_at(world, "icosphere:radius=0.3:level=2:shells=2", 0.31, &o);
    o.material.stiffness_damping = 0.01;
    add_at(world, "cube:cells=2", 1.2, &o);
    *most = 0;
    for (int i = 0; i < steps; i++) {
        pl_step_stats s;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &s), pl_error_text());
        *most = s.newton > *most ? s.newton : *most;
    }
    uint64_t hash = pl_world_hash(world);
    pl_world_destroy(world);
    return hash;
}

static void test_same_bits(void)
{
    int none, most;
    uint64_t plain = drop(PL_INTEGRATOR_SEMI_IMPLICIT, 1e-3, 150, 1, &none);
    TEST_ASSERT_EQUAL_HEX64(plain, drop(PL_INTEGRATOR_AUTO, 1e-3, 150, 1, &most));
    TEST_ASSERT_EQUAL_INT(0, none);
    TEST_ASSERT_TRUE(most > 0);
    for (int k = 0; k < 2; k++) {
        pl_integrator integrator = k == 0 ? PL_INTEGRATOR_IMPLICIT : PL_INTEGRATOR_BDF2;
        uint64_t one = drop(integrator, 0.02, 25, 1, &most);
        TEST_ASSERT_TRUE(most > 1);
        TEST_ASSERT_EQUAL_HEX64(one, drop(integrator, 0.02, 25, 2, &most));
        TEST_ASSERT_EQUAL_HEX64(one, drop(integrator, 0.02, 25, 4, &most));
    }
}

// --- Impacts ---

// A soft ball that hits the ground: no tet is inverted, no energy comes in, nothing intersects.
static void hit(pl_integrator integrator, double speed, double dt)
{
    char text[80];
    pl_world_options options = pl_world_options_default();
    options.integrator = integrator;
    options.dt = dt;
    pl_world *world = make_world(&options);
    add_ground(world);
    pl_deformable_options o = pl_deformable_options_default();
    o.material = (pl_material_options){.kind = PL_MATERIAL_NEO_HOOKEAN,
                                       .young = 1e5,
                                       .poisson = 0.4,
                                       .density = 1000,
                                       .stretch_limit = 0.001};
    o.velocity[2] = -speed;
    add_at(world, "icosphere:radius=0.5:level=2:shells=3", 0.52, &o);
    pl_energy e;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &e));
    double first = e.kinetic + e.elastic + e.gravity, last = first;
    for (int i = 0; i < 20; i++) {
        pl_step_stats s;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &s), pl_error_text());
        snprintf(text, sizeof text, "%g m/s, dt %g, step %d", speed, dt, i);
        double now = s.kinetic_energy + s.elastic_energy + s.gravity_energy;
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, s.inverted, text);
        TEST_ASSERT_TRUE_MESSAGE(now <= last + 0.01 * first, text);
        TEST_ASSERT_TRUE_MESSAGE(now <= first, text);
        // No solve takes long, and none that is rough is the last: its residual is a tenth of the
        // tolerance at most.
        bool strict = integrator == PL_INTEGRATOR_IMPLICIT;
        if (s.halvings == 0) {
            int32_t most = (strict ? 0 : 300) + 2 * 60 * s.newton;
            TEST_ASSERT_TRUE_MESSAGE(s.iterations <= most, text);
        }
        double finest = s.constraints == 0 ? 1 : strict ? 1e-4 : 1e-3;
        TEST_ASSERT_TRUE_MESSAGE(s.residual <= finest, text);
        last = now;
    }
    pl_audit_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
    TEST_ASSERT_TRUE(report.clean);
    pl_world_destroy(world);
}

static void test_hard_impacts(void)
{
    static const double speed[] = {10, 30, 100};
    for (int i = 0; i < 3; i++) {
        hit(PL_INTEGRATOR_AUTO, speed[i], 0.01);
        hit(PL_INTEGRATOR_AUTO, speed[i], 0.0025);
        hit(PL_INTEGRATOR_IMPLICIT, speed[i], 0.0025);
    }
    hit(PL_INTEGRATOR_IMPLICIT, 30, 0.01);
    hit(PL_INTEGRATOR_IMPLICIT, 100, 0.01);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_forces_balance);
    RUN_TEST(test_same_bits);
    RUN_TEST(test_hard_impacts);
    return UNITY_END();
}
