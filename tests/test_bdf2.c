// Second order in time: how errors fall with the step, what contacts do to it, and that a run that
// goes back, is resumed or has more threads is the same.

#include "../base/team.h"
#include "failing_alloc.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

void setUp(void)
{
    pl_threads_set(1);
}

void tearDown(void)
{
    fail_never();
}

static pl_mesh *mesh_at(const char *shape, double x, double y, double z)
{
    pl_mesh *mesh = make_mesh(shape);
    const double m[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    return mesh;
}

static void add_at(pl_world *world, const char *shape, double x, double y, double z,
                   pl_body_kind kind, const pl_deformable_options *soft)
{
    pl_mesh *mesh = mesh_at(shape, x, y, z);
    pl_status status = kind == PL_BODY_RIGID ? pl_world_add_rigid(world, mesh, NULL, NULL)
                       : kind == PL_BODY_KINEMATIC
                           ? pl_world_add_kinematic(world, mesh, NULL, NULL)
                           : pl_world_add_deformable(world, mesh, soft, NULL);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
}

static double total(pl_world *world)
{
    pl_energy e;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &e));
    return e.kinetic + e.elastic + e.gravity;
}

static double distance(const double *a, const double *b, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / n);
}

// --- Order ---

static const double SWING = 0.32; // of the cantilever, from rest to low [s]

enum { MOST_VALUES = 3000 };

// A cantilever that is let go in the horizontal. Elements are compressed by some percent, where K
// is projected.
static pl_world *make_cantilever(pl_integrator integrator, double dt, double mass_damping,
                                 double stiffness_damping)
{
    pl_world_options options = no_contact();
    options.integrator = integrator;
    options.dt = dt;
    options.tolerance = 1e-11;
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.material.mass_damping = mass_damping;
    body.material.stiffness_damping = stiffness_damping;
    int32_t beam = add_body(world, "box:size=1,0.15,0.15:cells=6,1,1", &body), *end;
    int32_t n = select_vertices(world, beam, 0, -1, -0.49, &end);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, beam, n, end, NULL));
    free(end);
    return world;
}

// Positions and velocities, n and n of them.
static int32_t take_state(const pl_world *world, double *out)
{
    int32_t n = 3 * pl_world_vertex_count(world, 0);
    TEST_ASSERT_TRUE(2 * n <= MOST_VALUES);
    memcpy(out, pl_world_positions(world, 0), (size_t)n * sizeof *out);
    memcpy(out + n, pl_world_velocities(world, 0), (size_t)n * sizeof *out);
    return n;
}

static int32_t swing(pl_integrator integrator, int steps, double mass_damping,
                     double stiffness_damping, double *out)
{
    pl_world *world = make_cantilever(integrator, SWING / steps, mass_damping, stiffness_damping);
    step(world, steps);
    int32_t n = take_state(world, out);
    pl_world_destroy(world);
    return n;
}

static char path[] = "/tmp/pliant-bdf2-XXXXXX";

// The same with steps that change all the time: two of a length, then four of half of it.
static void swing_by_turns(int steps, double stiffness_damping, double *out)
{
    pl_world *world[2];
    for (int k = 0; k < 2; k++) {
        double dt = SWING / steps / (1 + k);
        world[k] = make_cantilever(PL_INTEGRATOR_BDF2, dt, 0, stiffness_damping);
    }
    for (int i = 0; i < steps / 2; i++) {
        int now = i % 2;
        step(world[now], 2 * (1 + now));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world[now], path));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_load(world[1 - now], path));
    }
    take_state(world[0], out);
    for (int k = 0; k < 2; k++) pl_world_destroy(world[k]);
}

// How much less the error gets from one step length to its half: 2 to the order.
static void check_order(pl_integrator integrator, double mass_damping, double stiffness_damping,
                        double least, double most)
{
    static double exact[MOST_VALUES], now[MOST_VALUES];
    double last[2] = {0};
    int32_t n = swing(PL_INTEGRATOR_BDF2, 4096, mass_damping, stiffness_damping, exact);
    for (int steps = 64; steps <= 256; steps *= 2) {
        swing(integrator, steps, mass_damping, stiffness_damping, now);
        for (int k = 0; k < 2; k++) { // positions, velocities
            double error = distance(now + k * n, exact + k * n, n), ratio = last[k] / error;
            TEST_ASSERT_TRUE(steps == 64 || (ratio > least && ratio < most));
            last[k] = error;
        }
    }
}

// With damping that stills what no step resolves.
static void test_order(void)
{
    check_order(PL_INTEGRATOR_SEMI_IMPLICIT, 0, 2e-3, 1.7, 2.2);
    check_order(PL_INTEGRATOR_BDF2, 0, 2e-3, 3.6, 4.4);
    check_order(PL_INTEGRATOR_BDF2, 2, 2e-3, 3.6, 4.4);
}

static void test_order_with_changing_steps(void)
{
    static double exact[MOST_VALUES], now[MOST_VALUES];
    double error[2];
    int32_t n = swing(PL_INTEGRATOR_BDF2, 4096, 0, 2e-3, exact);
    for (int k = 0; k < 2; k++) {
        swing_by_turns(128 << k, 2e-3, now);
        error[k] = distance(now, exact, n);
    }
    TEST_ASSERT_TRUE(error[0] > 3.5 * error[1] && error[0] < 4.5 * error[1]);
}

// The part of its energy that a cantilever has lost after swinging for 1 s without damping. It
// starts from the horizontal; the energy is that which it falls through.
static double lost(pl_integrator integrator)
{
    pl_world *world = make_cantilever(integrator, 2e-3, 0, 0);
    double start = total(world), lowest = 0;
    for (int i = 0; i < 500; i++) {
        step(world, 1);
        pl_energy e;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &e));
        lowest = fmin(lowest, e.gravity);
    }
    double part = (start - total(world)) / -lowest;
    pl_world_destroy(world);
    return part;
}

static void test_damping(void)
{
    double first = lost(PL_INTEGRATOR_SEMI_IMPLICIT), second = lost(PL_INTEGRATOR_BDF2);
    if (getenv("PLIANT_FIGURES") != NULL) printf("lost in 1 s: %.4g, %.4g\n", first, second);
    TEST_ASSERT_TRUE(first > 0.02);
    TEST_ASSERT_TRUE(second > 0 && second < 0.02 * first);
}

// --- Free flight ---

// A soft body starts with one step of first order: that leaves it 3/4 g dt^2 too low for ever. A
// rigid one flies as it should.
static void test_flight(void)
{
    pl_world_options options = no_contact();
    options.integrator = PL_INTEGRATOR_BDF2;
    options.dt = 0.01;
    pl_world *world = make_world(&options);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.velocity[0] = 1.5;
    add_at(world, "cube:cells=2", 0, 0, 0, PL_BODY_DEFORMABLE, &soft);
    add_at(world, "cube:cells=2", 0, 0, 5, PL_BODY_RIGID, NULL);
    step(world, 100);
    pl_frame frame;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 1, &frame));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5 - 0.5 * 9.81, frame.centre[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -9.81, frame.velocity[2]);
    const double *X = pl_mesh_positions(pl_world_mesh(world, 0)), *x = pl_world_positions(world, 0);
    const double *v = pl_world_velocities(world, 0);
    for (int32_t i = 0; i < 3 * pl_world_vertex_count(world, 0); i += 3) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, X[i] + 1.5, x[i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, X[i + 2] - 9.81 * (0.5 + 0.75e-4), x[i + 2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, -9.81, v[i + 2]);
    }
    pl_world_destroy(world);
}

// A soft box, thrown and spinning, after 0.5 s.
static pl_energy throw_box(double dt, double mass_damping, double speed, double gravity)
{
    pl_world_options options = no_contact();
    options.integrator = PL_INTEGRATOR_BDF2;
    options.dt = dt;
    options.gravity[2] = gravity;
    pl_world *world = make_world(&options);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.mass_damping = mass_damping;
    soft.velocity[0] = speed;
    for (int k = 0; k < 3; k++) soft.angular_velocity[k] = 5 - 3 * k;
    add_body(world, "box:size=0.3,0.5,0.4:cells=2,2,2", &soft);
    step(world, (int)lround(0.5 / dt));
    pl_energy e;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &e));
    pl_world_destroy(world);
    return e;
}

static void test_momenta(void)
{
    const double alpha = 0.8, mass = 60;
    pl_energy one = throw_box(0.25, 0, 0, 0), many = throw_box(0.01, 0, 0, 0);
    for (int k = 0; k < 3; k++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, one.angular_momentum[k], many.angular_momentum[k]);
    many = throw_box(0.01, 0, 1, -9.81);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11 * mass, mass, many.momentum[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11 * mass, -mass * 9.81 * 0.5, many.momentum[2]);
    // Damped, momentum falls exponentially, to second order; so does the angular momentum.
    double p[2], l[2], left = exp(-0.5 * alpha);
    for (int i = 0; i < 2; i++) {
        pl_energy e = throw_box(i == 0 ? 0.01 : 0.005, alpha, 1, 0);
        p[i] = fabs(e.momentum[0] - mass * left);
        e = throw_box(i == 0 ? 0.01 : 0.005, alpha, 0, 0);
        l[i] = fabs(e.angular_momentum[0] - one.angular_momentum[0] * left);
    }
    TEST_ASSERT_TRUE(p[0] > 3.5 * p[1] && p[0] < 4.5 * p[1]);
    TEST_ASSERT_TRUE(l[0] > 3.5 * l[1] && l[0] < 4.5 * l[1]);
}

// --- Contact ---

static pl_world_options with_contact(double dt)
{
    pl_world_options options = pl_world_options_default();
    options.integrator = PL_INTEGRATOR_BDF2;
    options.dt = dt;
    return options;
}

static void add_floor(pl_world *world)
{
    add_at(world, "box:size=3,3,0.1:cells=3,3,1", 0, 0, -0.05, PL_BODY_KINEMATIC, NULL);
}

// A rigid body that falls flat on the floor stays there: an impact is no past.
static void test_rigid_impact(void)
{
    pl_world_options options = with_contact(2e-3);
    pl_world *world = make_world(&options);
    add_floor(world);
    add_at(world, "cube:size=0.2:cells=2", 0, 0, 0.3, PL_BODY_RIGID, NULL);
    pl_step_stats stats;
    double fastest = 0, up = 0;
    for (int i = 0; i < 300; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        pl_frame frame;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 1, &frame));
        fastest = fmin(fastest, frame.velocity[2]);
        up = fmax(up, frame.velocity[2]);
    }
    TEST_ASSERT_TRUE(fastest < -1.9); // sqrt(2 g 0.2)
    TEST_ASSERT_TRUE(up < 1e-2);
    TEST_ASSERT_TRUE(stats.v_rms < 1e-4);
    pl_world_destroy(world);
}

// A soft cube hits the floor with an edge: what is left of its energy.
static double bounce(pl_integrator integrator, double speed, double dt)
{
    pl_world_options options = with_contact(dt);
    options.integrator = integrator;
    options.gravity[2] = 0;
    pl_world *world = make_world(&options);
    add_floor(world);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    soft.velocity[2] = -speed;
    pl_mesh *cube = make_mesh("cube:size=0.3:cells=3");
    const double tilt[12] = {0.8, 0, -0.6, 0, 0, 1, 0, 0, 0.6, 0, 0.8, 0.22};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(cube, tilt));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, cube, &soft, NULL));
    pl_mesh_destroy(cube);
    double start = total(world), last = start;
    for (int i = 0; i < (int)(0.15 / dt); i++) {
        pl_step_stats stats;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        double now = total(world);
        TEST_ASSERT_TRUE_MESSAGE(now <= last + 1e-6 * start, "energy out of nothing");
        TEST_ASSERT_TRUE(stats.min_gap > 0 && stats.inverted == 0);
        last = now;
    }
    pl_world_destroy(world);
    return last / start;
}

static void test_bounce(void)
{
    static const double speed[] = {2, 5, 20}, dt[] = {1e-3, 5e-3, 1e-2};
    for (int i = 0; i < 3; i++) {
        double first = bounce(PL_INTEGRATOR_SEMI_IMPLICIT, speed[i], dt[i]);
        double second = bounce(PL_INTEGRATOR_BDF2, speed[i], dt[i]);
        if (getenv("PLIANT_FIGURES") != NULL) {
            printf("%g m/s, %g s: left %.4g, %.4g\n", speed[i], dt[i], first, second);
        }
        TEST_ASSERT_TRUE(second > first && second < 1);
    }
}

// A heap of soft bodies and a rigid one.
static pl_world *make_heap(const pl_world_options *options)
{
    pl_world *world = make_world(options);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.mass_damping = 4;
    soft.material.stiffness_damping = 2e-3;
    add_floor(world);
    add_at(world, "cube:size=0.4:cells=3", 0, 0, 0.25, PL_BODY_DEFORMABLE, &soft);
    add_at(world, "ring:radius=0.2:section=0.1", 0.02, 0.01, 0.6, PL_BODY_DEFORMABLE, &soft);
    add_at(world, "cube:size=0.3:cells=2", 0.04, 0.02, 0.9, PL_BODY_RIGID, NULL);
    return world;
}

// It comes to rest without more energy in any step, and nothing intersects.
static void test_heap(void)
{
    pl_world_options options = with_contact(1e-2);
    pl_world *world = make_heap(&options);
    double start = total(world), last = start;
    pl_step_stats stats;
    for (int i = 0; i < 260; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        pl_audit_report report;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
        TEST_ASSERT_TRUE(report.clean);
        double now = total(world);
        TEST_ASSERT_TRUE_MESSAGE(now <= last + 1e-6 * start, "energy out of nothing");
        TEST_ASSERT_TRUE(stats.fb_error < 2e-6 && stats.constraint_error < 1e-6);
        last = now;
    }
    if (getenv("PLIANT_FIGURES") != NULL) printf("settled: %.2g m/s\n", stats.v_rms);
    TEST_ASSERT_TRUE(stats.contacts > 10);
    TEST_ASSERT_TRUE(stats.v_rms < 1e-4);
    pl_world_destroy(world);
}

// A soft cube and a rigid one on a turning floor, which brings them up to speed. Its work is
// counted with the forces at the end of each step, (omega dt)^2 of the kinetic energy too little.
static void test_turning_floor(void)
{
    const double rate = 2, dt = 8e-3;
    pl_world_options options = with_contact(dt);
    pl_world *world = make_world(&options);
    pl_kinematic_options floor = pl_kinematic_options_default();
    floor.motion.axis[2] = 1;
    floor.motion.rate = rate;
    pl_mesh *mesh = mesh_at("box:size=3,3,0.1:cells=3,3,1", 0, 0, -0.05);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &floor, NULL));
    pl_mesh_destroy(mesh);
    add_at(world, "cube:size=0.3:cells=3", 0.7, 0, 0.16, PL_BODY_DEFORMABLE, NULL);
    add_at(world, "cube:size=0.2:cells=2", -0.5, 0, 0.11, PL_BODY_RIGID, NULL);
    double start = total(world), last = start, worst = 0, work = 0;
    for (int i = 0; i < 125; i++) {
        pl_step_stats stats;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        double now = total(world), more = now - last - stats.work;
        double bound = rate * dt * rate * dt * stats.kinetic_energy + 1e-6 * start;
        TEST_ASSERT_TRUE_MESSAGE(more <= bound, "energy out of nothing");
        worst = fmax(worst, more / bound);
        work += stats.work;
        last = now;
    }
    if (getenv("PLIANT_FIGURES") != NULL) printf("turning floor: %.2g of the bound\n", worst);
    TEST_ASSERT_TRUE(work > 10); // [J] it was worth watching
    pl_world_destroy(world);
}

// --- The same bits ---

static uint64_t run_heap(int threads)
{
    pl_threads_set(threads);
    pl_world_options options = with_contact(5e-3);
    pl_world *world = make_heap(&options);
    step(world, 45);
    uint64_t hash = pl_world_hash(world);
    pl_world_destroy(world);
    pl_threads_set(1);
    return hash;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL(file);
    char *data = malloc(1 << 22);
    *size = fread(data, 1, 1 << 22, file);
    fclose(file);
    return data;
}

static void test_threads(void)
{
    uint64_t hash = run_heap(1);
    TEST_ASSERT_EQUAL_HEX64(hash, run_heap(2));
    TEST_ASSERT_EQUAL_HEX64(hash, run_heap(4));
}

static void test_resume(void)
{
    pl_world_options options = with_contact(5e-3);
    pl_world *whole = make_heap(&options), *resumed = make_heap(&options);
    step(whole, 35); // the lower two touch
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(whole, path));
    step(whole, 25);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(resumed, path), pl_error_text());
    step(resumed, 25);
    TEST_ASSERT_EQUAL_HEX64(pl_world_hash(whole), pl_world_hash(resumed));
    pl_world_destroy(resumed);
    // Another integrator takes the state without the past, and ours a state that has none.
    options.integrator = PL_INTEGRATOR_SEMI_IMPLICIT;
    pl_world *other = make_heap(&options);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(other, path), pl_error_text());
    TEST_ASSERT_EQUAL_INT64(35, pl_world_steps(other));
    step(other, 1);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(other, path));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(whole, path), pl_error_text());
    TEST_ASSERT_EQUAL_HEX64(pl_world_hash(other), pl_world_hash(whole));
    step(whole, 1);
    pl_world_destroy(other);
    pl_world_destroy(whole);
}

// With one round, steps in which something new is hit are halved.
static void test_halving(void)
{
    pl_world_options options = with_contact(1e-2);
    options.rounds = 1;
    int32_t halvings = 0;
    pl_world *world = make_heap(&options);
    double start = total(world), last = start;
    for (int i = 0; i < 100; i++) {
        pl_step_stats stats;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        double now = total(world);
        TEST_ASSERT_TRUE_MESSAGE(now <= last + 1e-6 * start, "energy out of nothing");
        halvings += stats.halvings;
        last = now;
    }
    TEST_ASSERT_TRUE(halvings > 0);
    pl_world_destroy(world);
}

// A press shuts on a rigid brick, with room for a half of the last step and none for the other. The
// state and its past are then what they were, also those of the soft body that falls beside it.
static void test_failure(void)
{
    pl_world_options options = with_contact(1e-3);
    options.contact_iterations = 300;
    pl_world *world = make_world(&options);
    add_floor(world);
    add_at(world, "cube:size=0.3:cells=1", 0, 0, 0.1502, PL_BODY_RIGID, NULL);
    add_at(world, "cube:size=0.2:cells=2", 1, 0, 0.2, PL_BODY_DEFORMABLE, NULL);
    pl_kinematic_options press = pl_kinematic_options_default();
    press.motion.velocity[2] = -0.4;
    pl_mesh *mesh = mesh_at("box:size=1,1,0.1:cells=2,2,1", 0, 0, 0.36);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &press, NULL));
    pl_mesh_destroy(mesh);
    pl_status status = PL_OK;
    pl_step_stats stats = {0};
    size_t before = 0, after;
    char *a = NULL;
    for (int i = 0; i < 100 && status == PL_OK; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
        free(a);
        a = read_file(path, &before);
        status = pl_world_step(world, &stats);
    }
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, status);
    TEST_ASSERT_TRUE(stats.contacts > 0); // of a half that was accepted
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    char *b = read_file(path, &after);
    TEST_ASSERT_TRUE(before == after && memcmp(a, b, before) == 0);
    free(a);
    free(b);
    pl_world_destroy(world);
}

// --- Interventions ---

// What is set by hand has no past: a body stopped in its fall begins to fall anew.
static void test_set_state(void)
{
    pl_world_options options = no_contact();
    options.integrator = PL_INTEGRATOR_BDF2;
    pl_world *world = make_world(&options);
    int32_t cube = add_body(world, "cube:cells=2", NULL);
    int32_t n = 3 * pl_world_vertex_count(world, cube);
    step(world, 10);
    double *still = calloc((size_t)n, sizeof *still), height = pl_world_positions(world, cube)[2];
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, NULL, still));
    free(still);
    step(world, 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -9.81e-3, pl_world_velocities(world, cube)[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, height - 9.81e-6, pl_world_positions(world, cube)[2]);
    step(world, 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -19.62e-3, pl_world_velocities(world, cube)[2]);
    pl_world_destroy(world);
}

static pl_status build_and_step(void *user)
{
    (void)user;
    pl_world_options options = with_contact(1e-3);
    pl_world *world = NULL;
    pl_mesh *mesh = NULL;
    pl_status status = pl_mesh_make("cube", &mesh);
    if (status == PL_OK) status = pl_world_create(&options, &world);
    if (status == PL_OK) status = pl_world_add_deformable(world, mesh, NULL, NULL);
    if (status == PL_OK) status = pl_world_step(world, NULL);
    pl_world_destroy(world);
    pl_mesh_destroy(mesh);
    return status;
}

static void test_allocation_failures(void)
{
    fail_each_allocation(build_and_step, NULL);
}

int main(void)
{
    close(mkstemp(path));
    UNITY_BEGIN();
    RUN_TEST(test_order);
    RUN_TEST(test_order_with_changing_steps);
    RUN_TEST(test_damping);
    RUN_TEST(test_flight);
    RUN_TEST(test_momenta);
    RUN_TEST(test_rigid_impact);
    RUN_TEST(test_bounce);
    RUN_TEST(test_heap);
    RUN_TEST(test_turning_floor);
    RUN_TEST(test_threads);
    RUN_TEST(test_resume);
    RUN_TEST(test_halving);
    RUN_TEST(test_failure);
    RUN_TEST(test_set_state);
    RUN_TEST(test_allocation_failures);
    remove(path);
    return UNITY_END();
}
