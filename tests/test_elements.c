// Looks at elements: whoever asks for the matrix where one was made gets it, with the bits of a
// pass of its own; and whatever changes between or within steps, they go on as if there had been
// none.

#include "../world/elements.h"
#include "worlds.h"

void setUp(void)
{
}

void tearDown(void)
{
    pl_threads_set(0);
}

static void add_at(pl_world *world, const char *shape, double x, double height,
                   pl_material_kind kind, double damping)
{
    const double up[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, height};
    pl_mesh *mesh = make_mesh(shape);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, up));
    pl_deformable_options o = pl_deformable_options_default();
    o.material.kind = kind;
    o.material.young = 2e4;
    o.material.stiffness_damping = damping;
    o.material.mass_damping = 2 * damping;
    o.velocity[2] = -2;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, mesh, &o, NULL));
    pl_mesh_destroy(mesh);
}

// Its rows of A turn with it, and no element fills them.
static void add_rigid(pl_world *world)
{
    const double up[12] = {1, 0, 0, -2, 0, 1, 0, 0, 0, 0, 1, 0.5};
    pl_mesh *mesh = make_mesh("box:size=0.6,0.4,0.2:cells=1");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, up));
    pl_rigid_options o = pl_rigid_options_default();
    o.velocity[2] = -1;
    o.angular_velocity[0] = 5, o.angular_velocity[1] = 3;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, mesh, &o, NULL));
    pl_mesh_destroy(mesh);
}

// Two soft bodies that fall on the ground, one on the other or, if they may sleep, beside it; and
// a rigid one that turns.
static pl_world *make_fall(pl_integrator integrator, double dt, double damping, bool sleep)
{
    pl_world_options options = pl_world_options_default();
    options.integrator = integrator;
    options.dt = dt;
    options.sleep = sleep;
    options.sleep_speed = 0.2;
    options.sleep_time = 0.05;
    if (dt == 0.01) options.rounds = 1; // what lacks a row is halved
    pl_world *world = make_world(&options);
    pl_mesh *ground = make_mesh("box:size=6,6,1");
    const double down[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.5};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(ground, down));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, ground, NULL, NULL));
    pl_mesh_destroy(ground);
    add_at(world, "cube:cells=3", 0, 0.52, PL_MATERIAL_NEO_HOOKEAN, damping);
    add_at(world, "cube:cells=2", sleep ? 2 : 0, 1.58, PL_MATERIAL_COROTATIONAL,
           sleep ? damping : 0);
    add_rigid(world);
    return world;
}

// --- A matrix that was made ahead ---

static void test_taken_over(void)
{
    pl_world *world = make_fall(PL_INTEGRATOR_SEMI_IMPLICIT, 0.002, 0.01, false);
    step(world, 30); // into the ground
    pl_elements *e = world->elements;
    TEST_ASSERT_TRUE(e->made && e->looks == 1);
    size_t n = 3 * (size_t)world->state.n_vert, nnz = 9 * (size_t)world->system.A.nnz;
    double *f = malloc(n * sizeof *f), *g = malloc(n * sizeof *g);
    pl_bsr A = world->system.A;
    A.val = calloc(nnz + 9, sizeof *A.val);
    pl_fem_weights weights = e->weights;
    double energy = pl_fem_assemble(&world->system.fem, world->state.x, &weights, NULL, &A, f);
    const double *ahead = e->val, *past = world->system.A.val;
    double *x = malloc(n * sizeof *x);
    memcpy(x, world->state.x, n * sizeof *x);

    // Elsewhere, or with other weights, it is not the one.
    x[1] += 1e-9;
    pl_elements_assemble(world, x, &weights, NULL, g);
    TEST_ASSERT_EQUAL_PTR(past, world->system.A.val);
    TEST_ASSERT_TRUE(memcmp(f, g, n * sizeof *f) != 0);
    weights.stiffness *= 2;
    pl_elements_assemble(world, world->state.x, &weights, NULL, g);
    TEST_ASSERT_EQUAL_PTR(past, world->system.A.val);
    TEST_ASSERT_TRUE(memcmp(A.val, world->system.A.val, nnz * sizeof *f) != 0);

    // There it is, after those with its weights have been asked for again.
    weights.stiffness /= 2;
    e->weights = weights;
    TEST_ASSERT_EQUAL_DOUBLE(energy,
                             pl_elements_assemble(world, world->state.x, &weights, NULL, g));
    TEST_ASSERT_EQUAL_PTR(ahead, world->system.A.val);
    TEST_ASSERT_EQUAL_MEMORY(f, g, n * sizeof *f);
    int64_t vertices = A.row[world->state.n_vert];
    TEST_ASSERT_EQUAL_MEMORY(A.val, world->system.A.val, 9 * (size_t)vertices * sizeof *f);
    TEST_ASSERT_EQUAL_DOUBLE(energy, pl_elements_energy(world, world->state.x));
    TEST_ASSERT_FALSE(e->made); // once
    free(f);
    free(g);
    free(x);
    free(A.val);
    pl_world_destroy(world);
}

// --- Worth it? ---

// Which look of a run made a matrix: of one step, after some.
static bool makes_ahead(pl_integrator integrator, double damping, bool sleep, int steps)
{
    pl_world *world = make_fall(integrator, 0.002, damping, sleep);
    step(world, steps);
    bool made = world->elements->made;
    pl_world_destroy(world);
    return made;
}

static void test_where_it_pays(void)
{
    TEST_ASSERT_TRUE(makes_ahead(PL_INTEGRATOR_SEMI_IMPLICIT, 0.01, false, 3));
    TEST_ASSERT_TRUE(makes_ahead(PL_INTEGRATOR_AUTO, 0.01, false, 3));
    TEST_ASSERT_TRUE(makes_ahead(PL_INTEGRATOR_AUTO, 0.01, true, 3));   // nobody sleeps yet
    TEST_ASSERT_FALSE(makes_ahead(PL_INTEGRATOR_BDF2, 0.01, false, 3)); // it begins elsewhere
}

// --- As if there had been no look ---

// What a program, or a step, changes on the way.
static void change(pl_world *world, int i)
{
    int32_t body = 1, n = pl_world_vertex_count(world, body);
    if (i == 5) {
        double *x = malloc(3 * (size_t)n * sizeof *x);
        memcpy(x, pl_world_positions(world, body), 3 * (size_t)n * sizeof *x);
        for (int32_t k = 0; k < n; k++) x[3 * k] += 0.01 * x[3 * k + 2];
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, body, x, NULL));
        free(x);
    }
    if (i == 9) TEST_ASSERT_EQUAL(PL_OK, pl_world_set_dt(world, 0.7 * world->options.dt));
    if (i == 13) {
        pl_material_options material = world->bodies.body[body].material;
        material.young *= 3;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_material(world, body, &material));
    }
    if (i == 17) {
        const pl_pull pull = {.vertex = 3, .target = {0, 0, 2}, .stiffness = 500, .damping = 5};
        TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, body, 1, &pull));
    }
    if (i == 88) { // wakes, and stays where it is
        double *load = calloc(3 * (size_t)n, sizeof *load);
        load[1] = 1e-6;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_forces(world, body, load));
        free(load);
    }
    if (i == 21) TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, body, 0, NULL));
}

// Each step beside one of a world that forgets, before it, that it has ever looked.
static void compare(pl_integrator integrator, double dt, double damping, bool sleep, int steps,
                    int32_t *newton, int32_t *halvings, int32_t *asleep)
{
    char text[80];
    pl_world *looks = make_fall(integrator, dt, damping, sleep);
    pl_world *forgets = make_fall(integrator, dt, damping, sleep);
    *newton = *halvings = *asleep = 0;
    for (int i = 0; i < steps; i++) {
        pl_step_stats s, t;
        change(looks, i);
        change(forgets, i);
        if (forgets->elements != NULL) forgets->elements->looks = -1;
        snprintf(text, sizeof text, "integrator %d, dt %g, step %d", (int)integrator, dt, i);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(looks, &s), text);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(forgets, &t), text);
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(t.hash, s.hash, text);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&t.elastic_energy, &s.elastic_energy, 8, text);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&t.imbalance, &s.imbalance, 8, text);
        *newton += s.newton;
        *halvings += s.halvings;
        *asleep = PL_MAX(*asleep, s.asleep);
    }
    pl_world_destroy(looks);
    pl_world_destroy(forgets);
}

static void test_as_without(void)
{
    const pl_integrator all[] = {PL_INTEGRATOR_SEMI_IMPLICIT, PL_INTEGRATOR_AUTO,
                                 PL_INTEGRATOR_IMPLICIT, PL_INTEGRATOR_BDF2};
    int32_t newton, halvings, asleep, most = 0;
    for (int k = 0; k < 8; k++) {
        double dt = k < 4 ? 0.002 : 0.04;
        compare(all[k % 4], dt, k % 4 < 2 ? 0.01 : 0, false, 30, &newton, &halvings, &asleep);
        most = PL_MAX(most, newton);
    }
    TEST_ASSERT_TRUE(most > 60); // of 30 steps: Newton's method had work
    compare(PL_INTEGRATOR_SEMI_IMPLICIT, 0.01, 0, false, 25, &newton, &halvings, &asleep);
    TEST_ASSERT_TRUE(halvings > 0);
    compare(PL_INTEGRATOR_AUTO, 0.02, 0.2, true, 100, &newton, &halvings, &asleep);
    TEST_ASSERT_TRUE(asleep > 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_taken_over);
    RUN_TEST(test_where_it_pays);
    RUN_TEST(test_as_without);
    return UNITY_END();
}
