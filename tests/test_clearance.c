// Clearance, thin bodies and jams: nothing is pushed apart that has no room, with nothing moving in
// energy does not rise, and all of it stays free of penetration.

#include "worlds.h"
#include "../world/contact_step.h"

#include <math.h>

static const double GRAVITY[3] = {0, 0, -9.81}, NONE[3] = {0, 0, 0};
static const int32_t TET_CORNER[4] = {0, 1, 2, 3};

void setUp(void)
{
}

void tearDown(void)
{
}

// --- Scenes ---

static pl_world *make_space(const double gravity[3])
{
    pl_world_options options = pl_world_options_default();
    memcpy(options.gravity, gravity, sizeof options.gravity);
    return make_world(&options);
}

// A shape by name, scaled, turned about y, then moved.
static pl_mesh *place(const char *shape, double scale, double degrees, double x, double y, double z)
{
    pl_mesh *mesh = make_mesh(shape), *out;
    int32_t n = pl_mesh_vertex_count(mesh), n_face = pl_mesh_face_count(mesh);
    const double *from = pl_mesh_positions(mesh), a = degrees * 3.14159265358979323846 / 180;
    double *to = malloc(3 * (size_t)n * sizeof *to);
    for (int32_t i = 0; i < n; i++) {
        const double *p = from + 3 * i;
        to[3 * i] = scale * (cos(a) * p[0] + sin(a) * p[2]) + x;
        to[3 * i + 1] = scale * p[1] + y;
        to[3 * i + 2] = scale * (cos(a) * p[2] - sin(a) * p[0]) + z;
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n, to, n_face, pl_mesh_faces(mesh),
                                            pl_mesh_tet_count(mesh), pl_mesh_tets(mesh), &out));
    free(to);
    pl_mesh_destroy(mesh);
    return out;
}

// Adds a body and takes its mesh.
static void add(pl_world *world, pl_mesh *mesh, pl_body_kind kind, double mu, const double v[3],
                const double spin[3])
{
    pl_status status;
    if (kind == PL_BODY_DEFORMABLE) {
        pl_deformable_options o = pl_deformable_options_default();
        o.surface.friction = mu;
        memcpy(o.velocity, v, sizeof o.velocity);
        memcpy(o.angular_velocity, spin, sizeof o.angular_velocity);
        status = pl_world_add_deformable(world, mesh, &o, NULL);
    } else if (kind == PL_BODY_RIGID) {
        pl_rigid_options o = pl_rigid_options_default();
        o.surface.friction = mu;
        memcpy(o.velocity, v, sizeof o.velocity);
        memcpy(o.angular_velocity, spin, sizeof o.angular_velocity);
        status = pl_world_add_rigid(world, mesh, &o, NULL);
    } else {
        pl_kinematic_options o = pl_kinematic_options_default();
        o.surface.friction = mu;
        status = pl_world_add_kinematic(world, mesh, &o, NULL);
    }
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
}

// --- Runs ---

typedef struct outcome {
    double energy, last, rise; // at the start, at the end, the most above the start [J]
    double kinetic;            // at the end [J]
    int32_t iterations;        // the most in a step
    int32_t halvings, rounds;  // in all; the most in a step
    int32_t rows;              // the most in a step
    double gap;                // the smallest [m]
} outcome;

// At the end nothing intersects.
static outcome run(pl_world *world, int steps)
{
    outcome out = {.gap = INFINITY};
    for (int i = 0; i < steps; i++) {
        pl_step_stats s;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &s), pl_error_text());
        double energy = s.kinetic_energy + s.gravity_energy + s.elastic_energy;
        if (i == 0) out.energy = out.last = energy;
        if (i > 0) out.rise = fmax(out.rise, energy - out.energy);
        out.last = energy;
        out.kinetic = s.kinetic_energy;
        out.iterations = s.iterations > out.iterations ? s.iterations : out.iterations;
        out.rounds = s.rounds > out.rounds ? s.rounds : out.rounds;
        out.rows = s.constraints > out.rows ? s.constraints : out.rows;
        out.halvings += s.halvings;
        out.gap = fmin(out.gap, s.min_gap);
    }
    pl_audit_report report;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_audit(world, &report), pl_error_text());
    TEST_ASSERT_TRUE(report.clean);
    return out;
}

// --- Thin bodies ---

// Its sides are 0.01 of the usual safety distance apart. It was blown up to 19.7 kJ in 0.3 s.
static void test_a_sheet_at_rest_rests(void)
{
    pl_world *world = make_space(NONE);
    add(world, make_mesh("box:size=1,1,1e-5:cells=3,3,1"), PL_BODY_DEFORMABLE, 0.5, NONE, NONE);
    outcome out = run(world, 300);
    TEST_ASSERT_TRUE(out.last < 1e-20); // rounding
    TEST_ASSERT_EQUAL(0, out.rows);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5e-6, world->contact->boundary.safety[0]);
    pl_world_destroy(world);
}

// Its sides are no contact of their own, even if they are to keep more than there is between them.
static void test_a_sheet_rests_whatever_distance_is_asked_for(void)
{
    pl_world *world = make_space(NONE);
    pl_deformable_options options = pl_deformable_options_default();
    options.surface.contact_distance = 1e-3;
    add_body(world, "box:size=1,1,1e-4:cells=3,3,1", &options);
    outcome out = run(world, 100);
    TEST_ASSERT_TRUE(out.last < 1e-20);
    TEST_ASSERT_EQUAL(0, out.rows);
    TEST_ASSERT_EQUAL_DOUBLE(1e-3, world->contact->boundary.safety[0]);
    pl_world_destroy(world);
}

// The same for a radius.
static void test_a_radius_does_not_blow_a_body_up(void)
{
    pl_world *world = make_space(NONE);
    pl_deformable_options options = pl_deformable_options_default();
    options.surface.radius = 0.01;
    add_body(world, "box:size=1,1,0.01:cells=3,3,1", &options);
    outcome out = run(world, 100);
    TEST_ASSERT_TRUE(out.last < 1e-20);
    TEST_ASSERT_EQUAL(0, out.rows);
    pl_world_destroy(world);
}

// --- Clearance ---

// A cube of 1 m, moving along x through a tunnel with 0.1 mm of clearance on four sides.
static pl_world *make_tunnel(pl_body_kind kind, double mu, const double v[3], const double spin[3])
{
    pl_world *world = make_space(NONE);
    add(world, make_mesh("cube:size=1:cells=2"), kind, mu, v, spin);
    for (int side = -1; side <= 1; side += 2) {
        add(world, place("box:size=6,3,0.5:cells=6,3,1", 1, 0, 2, 0, side * 0.7501),
            PL_BODY_KINEMATIC, mu, NONE, NONE);
        add(world, place("box:size=6,0.5,0.999:cells=6,1,2", 1, 0, 2, side * 0.7501, 0),
            PL_BODY_KINEMATIC, mu, NONE, NONE);
    }
    return world;
}

// It was accelerated, or stopped at once.
static void test_a_cube_slides_through_a_narrow_tunnel(void)
{
    const double v[3] = {10, 0, 0};
    for (int soft = 0; soft < 2; soft++) {
        pl_body_kind kind = soft != 0 ? PL_BODY_DEFORMABLE : PL_BODY_RIGID;
        pl_world *world = make_tunnel(kind, 0.5, v, NONE);
        outcome out = run(world, 200);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6 * out.energy, out.energy, out.last);
        pl_world_destroy(world);
    }
}

// With some sideways motion it rattles, and loses energy.
static void test_a_cube_rattles_in_a_tunnel(void)
{
    const double v[3] = {10, 0.5, 0.3}, spin[3] = {0.35, 0.5, 0.17};
    for (int soft = 0; soft < 2; soft++) {
        pl_body_kind kind = soft != 0 ? PL_BODY_DEFORMABLE : PL_BODY_RIGID;
        pl_world *world = make_tunnel(kind, 0.3, v, spin);
        outcome out = run(world, 200);
        TEST_ASSERT_TRUE(out.rise <= 1e-9 * out.energy);
        TEST_ASSERT_TRUE(out.kinetic > 0.5 * out.energy); // and is not stuck
        TEST_ASSERT_EQUAL(0, out.halvings);
        TEST_ASSERT_TRUE(out.gap > 1e-6);
        pl_world_destroy(world);
    }
}

// A cube between two walls and on a floor, 0.1 mm from all three.
static void test_a_tight_cube_stays_in_its_slot(void)
{
    for (int soft = 0; soft < 2; soft++) {
        for (int heavy = 0; heavy < 2; heavy++) {
            pl_world *world = make_space(heavy != 0 ? GRAVITY : NONE);
            add(world, make_mesh("cube:size=1:cells=3"),
                soft != 0 ? PL_BODY_DEFORMABLE : PL_BODY_RIGID, 0.5, NONE, NONE);
            for (int side = -1; side <= 1; side += 2) {
                add(world, place("box:size=0.5,2,1:cells=1,4,2", 1, 0, side * 0.7501, 0, 0),
                    PL_BODY_KINEMATIC, 0.5, NONE, NONE);
            }
            add(world, place("box:size=3,2,0.5:cells=4,4,1", 1, 0, 0, 0, -0.7501),
                PL_BODY_KINEMATIC, 0.5, NONE, NONE);
            outcome out = run(world, 150);
            TEST_ASSERT_TRUE(out.rise < 1e-3); // its weight of 9.8 kN, by what a solver leaves
            if (heavy == 0) TEST_ASSERT_EQUAL_DOUBLE(0, out.last);
            pl_world_destroy(world);
        }
    }
}

// A square peg in its hole, with 1e-5 m on each side, pushed and turned.
static void test_a_peg_falls_through_its_hole(void)
{
    const double v[3] = {0.1, 0.05, -1}, spin[3] = {0.35, 0.17, 0.09};
    for (int soft = 0; soft < 2; soft++) {
        for (int pushed = 0; pushed < 2; pushed++) {
            pl_world *world = make_space(GRAVITY);
            add(world, place("box:size=0.2,0.2,0.6:cells=2,2,4", 1, 0, 0, 0, 0.5),
                soft != 0 ? PL_BODY_DEFORMABLE : PL_BODY_RIGID, 0.3, pushed != 0 ? v : NONE,
                pushed != 0 ? spin : NONE);
            add(world, place("frame:size=0.20002,0.20002,0.5:wall=0.1", 1, 0, 0, 0, 0.25),
                PL_BODY_KINEMATIC, 0.3, NONE, NONE);
            outcome out = run(world, 150);
            TEST_ASSERT_TRUE(out.rise <= 1e-9 * fabs(out.energy));
            TEST_ASSERT_TRUE(out.kinetic > 10); // it falls
            TEST_ASSERT_EQUAL(0, out.halvings);
            pl_world_destroy(world);
        }
    }
}

// --- Jams ---

// The tip of a tet, 0.27 mm above the bottom of a groove of 45 degrees. From mu = 1 on it is
// jammed, and nothing can part it from both walls. That took 12,158 iterations and 32 halvings a
// step.
static void test_a_jammed_tip_stays_where_it_is(void)
{
    const double mu[] = {0.5, 0.8, 0.99, 1, 1.01, 1.5, 2}, up = 0.00027;
    const double x[12] = {0,    0,     up,       -0.05, -0.06, 0.1 + up,
                          0.07, -0.05, 0.1 + up, 0,     0.08,  0.1 + up};
    for (size_t i = 0; i < 2 * sizeof mu / sizeof *mu; i++) {
        pl_world *world = make_space(GRAVITY);
        pl_mesh *tip;
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 0, NULL, 1, TET_CORNER, &tip));
        add(world, tip, i % 2 != 0 ? PL_BODY_DEFORMABLE : PL_BODY_RIGID, mu[i / 2], NONE, NONE);
        for (int side = -1; side <= 1; side += 2) {
            double r = sqrt(0.5), along = 0.50001 * r, out = 0.1 * r;
            add(world,
                place("box:size=1,1,0.2:cells=1,1,1", 1, -45 * side, side * (along + out), 0,
                      along - out),
                PL_BODY_KINEMATIC, mu[i / 2], NONE, NONE);
        }
        outcome out = run(world, 100);
        TEST_ASSERT_TRUE(out.rise < 1e-6); // its weight of 1.3 N, by what a solver leaves
        TEST_ASSERT_TRUE(out.iterations < 300);
        TEST_ASSERT_TRUE(out.halvings <= 1);
        pl_world_destroy(world);
    }
}

// Twenty boxes on each other, and the lowest on the ground, that start 1e-6 m apart.
static pl_world *make_tower(pl_body_kind kind, const double gravity[3], int n)
{
    const double ground[9] = {-90, -50, 0, 90, -50, 0, 0, 100, 0};
    const int32_t face[3] = {0, 1, 2};
    pl_world *world = make_space(gravity);
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3, ground, 1, face, 0, NULL, &mesh));
    add(world, mesh, PL_BODY_KINEMATIC, 0.5, NONE, NONE);
    for (int i = 0; i < n; i++) {
        add(world, place("cube:size=0.2:cells=1", 1, 0, 0, 0, 0.1 + 1e-6 + i * (0.2 + 1e-6)), kind,
            0.5, NONE, NONE);
    }
    return world;
}

static void test_boxes_that_nearly_touch_stay(void)
{
    for (int soft = 0; soft < 2; soft++) {
        pl_world *world = make_tower(soft != 0 ? PL_BODY_DEFORMABLE : PL_BODY_RIGID, NONE, 20);
        TEST_ASSERT_TRUE(run(world, 50).last < 1e-20);
        pl_world_destroy(world);
    }
}

// They sink by their weight, in one round per step, and come no nearer.
static void test_boxes_that_nearly_touch_settle(void)
{
    pl_world *world = make_tower(PL_BODY_DEFORMABLE, GRAVITY, 20);
    outcome out = run(world, 150);
    TEST_ASSERT_TRUE(out.rise <= 0);
    TEST_ASSERT_EQUAL(0, out.halvings);
    TEST_ASSERT_EQUAL(1, out.rounds);
    TEST_ASSERT_TRUE(out.gap > 0.4e-6);
    pl_world_destroy(world);
    world = make_tower(PL_BODY_RIGID, GRAVITY, 6); // more take solvers long
    out = run(world, 200);
    TEST_ASSERT_TRUE(out.rise <= 1e-4); // weights of 78 N each, by 1e-7 m
    TEST_ASSERT_EQUAL(0, out.halvings);
    TEST_ASSERT_TRUE(out.gap > 0.1e-6);
    pl_world_destroy(world);
}

// --- Sizes ---

// Cubes that fall on each other and on the ground, all lengths times `scale`. With gravity and
// stiffness to match, all sizes do the same in the same steps.
static outcome drop(double scale)
{
    const double ground[9] = {-9, -5, 0, 9, -5, 0, 0, 10, 0}, g[3] = {0, 0, -9.81 * scale};
    const int32_t face[3] = {0, 1, 2};
    pl_world *world = make_space(g);
    pl_deformable_options options = pl_deformable_options_default();
    options.material.young = 5e5 * scale * scale;
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3, ground, 1, face, 0, NULL, &mesh));
    add(world, mesh, PL_BODY_KINEMATIC, 0.5, NONE, NONE);
    for (int i = 0; i < 3; i++) {
        mesh = place("cube:size=0.2:cells=2", scale, 7 * i, scale * 0.03 * (i % 2),
                     scale * 0.02 * i, scale * (0.105 + 0.24 * i));
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_deformable(world, mesh, &options, NULL),
                                  pl_error_text());
        pl_mesh_destroy(mesh);
    }
    outcome out = run(world, 250);
    pl_world_destroy(world);
    return out;
}

// Five rigid cubes of `size` that fall on each other under ordinary gravity.
static outcome stack_up(double size)
{
    const double ground[9] = {-9, -5, 0, 9, -5, 0, 0, 10, 0};
    const int32_t face[3] = {0, 1, 2};
    pl_world *world = make_space(GRAVITY);
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3, ground, 1, face, 0, NULL, &mesh));
    add(world, mesh, PL_BODY_KINEMATIC, 0.5, NONE, NONE);
    for (int i = 0; i < 5; i++) {
        add(world,
            place("cube:size=1:cells=2", size, 0, size * 0.15 * (i % 2), size * 0.1 * (i % 3),
                  size * (0.525 + 1.1 * i)),
            PL_BODY_RIGID, 0.5, NONE, NONE);
    }
    outcome out = run(world, 200);
    pl_world_destroy(world);
    return out;
}

// An contact_tolerance of 1e-6 m is more than the distance that contacts of such small bodies
// keep, 3.4e-7 m: steps were halved.
static void test_errors_are_small_for_small_bodies(void)
{
    outcome out = stack_up(2e-4);
    TEST_ASSERT_EQUAL(0, out.halvings);
    TEST_ASSERT_TRUE(out.rounds <= 2);
    TEST_ASSERT_TRUE(out.gap > 1.2e-7);
}

static void test_small_bodies_move_like_large_ones(void)
{
    outcome large = drop(1);
    for (double scale = 0.1; scale > 5e-4; scale *= 0.1) {
        outcome small = drop(scale);
        TEST_ASSERT_TRUE(small.rise <= 0);
        TEST_ASSERT_EQUAL(0, small.halvings);
        TEST_ASSERT_TRUE(small.rounds <= large.rounds + 1);
        TEST_ASSERT_TRUE(small.iterations <= 2 * large.iterations);
        TEST_ASSERT_DOUBLE_WITHIN(0.2 * large.gap, large.gap, small.gap / scale);
        double unit = pow(scale, 5); // of energies: mass times length times gravity
        TEST_ASSERT_DOUBLE_WITHIN(0.01 * large.energy, large.last, small.last / unit);
    }
}

// --- The setting ---

static void test_the_distance_can_be_chosen(void)
{
    pl_world_options options = pl_world_options_default();
    options.contact_distance = 2e-4;
    pl_world *world = make_world(&options);
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.surface.contact_distance = 5e-5;
    pl_mesh *cube = make_mesh("cube:size=0.2:cells=1");
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, cube, &rigid, NULL));
    pl_mesh_destroy(cube);
    add(world, place("box:size=1,1,0.2:cells=1,1,1", 1, 0, 0, 0, -0.201), PL_BODY_KINEMATIC, 0.5,
        NONE, NONE);
    outcome out = run(world, 200);
    TEST_ASSERT_EQUAL_DOUBLE(2e-4, world->contact->boundary.safety[1]);
    TEST_ASSERT_DOUBLE_WITHIN(2e-6, 5e-5, out.gap); // the smaller one counts
    pl_world_destroy(world);
}

static void test_bad_distances_are_named(void)
{
    pl_world_options options = pl_world_options_default();
    pl_world *world;
    options.contact_distance = -1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_create(&options, &world), "contact_distance: -1");
    world = make_space(NONE);
    pl_mesh *cube = make_mesh("cube");
    pl_deformable_options soft = pl_deformable_options_default();
    soft.surface.contact_distance = INFINITY;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_deformable(world, cube, &soft, NULL),
                   "contact_distance: inf");
    pl_mesh_destroy(cube);
    pl_world_destroy(world);
}

// What is neither thin nor near keeps the usual distance, exactly.
static void test_bodies_with_room_keep_the_default(void)
{
    pl_world *world = make_space(NONE);
    add(world, make_mesh("icosphere"), PL_BODY_DEFORMABLE, 0.5, NONE, NONE);
    add(world, place("torus", 1, 0, 0, 0, 2), PL_BODY_RIGID, 0.5, NONE, NONE);
    add(world, place("rod", 1, 0, 0, 0, 4), PL_BODY_DEFORMABLE, 0.5, NONE, NONE);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_prepare(world), pl_error_text());
    const pl_boundary *b = &world->contact->boundary;
    for (int i = 0; i < 3; i++) TEST_ASSERT_TRUE(b->safety[i] == PL_SAFETY * b->size[i]);
    TEST_ASSERT_EQUAL(0, b->n_close);
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_sheet_at_rest_rests);
    RUN_TEST(test_a_sheet_rests_whatever_distance_is_asked_for);
    RUN_TEST(test_a_radius_does_not_blow_a_body_up);
    RUN_TEST(test_a_cube_slides_through_a_narrow_tunnel);
    RUN_TEST(test_a_cube_rattles_in_a_tunnel);
    RUN_TEST(test_a_tight_cube_stays_in_its_slot);
    RUN_TEST(test_a_peg_falls_through_its_hole);
    RUN_TEST(test_a_jammed_tip_stays_where_it_is);
    RUN_TEST(test_boxes_that_nearly_touch_stay);
    RUN_TEST(test_boxes_that_nearly_touch_settle);
    RUN_TEST(test_errors_are_small_for_small_bodies);
    RUN_TEST(test_small_bodies_move_like_large_ones);
    RUN_TEST(test_the_distance_can_be_chosen);
    RUN_TEST(test_bad_distances_are_named);
    RUN_TEST(test_bodies_with_room_keep_the_default);
    return UNITY_END();
}
