// The loop of a step as VJ19 prints it: the 15-degree rule, sliding off, constraints that agree
// with the geometry, piles without a collision, the same bits on any number of threads.

#include "../contact/local_minimum.h"
#include "../world/contact_step.h"
#include "../solvers/rows.h"
#include "failing_alloc.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

static const double DEGREE = 3.14159265358979323846 / 180;

void setUp(void)
{
}
void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

// --- [VJ19, Eq. 21] ---

// A vertex above a face that is turned about the y axis by an angle [degrees].
static void tilt(double angle, double q[12])
{
    double c = cos(angle * DEGREE), s = sin(angle * DEGREE);
    const double flat[12] = {0, 0, 0.1, -1, -1, 0, 1, -1, 0, 0, 1, 0};
    for (int k = 0; k < 12; k += 3) {
        q[k] = c * flat[k] + s * flat[k + 2];
        q[k + 1] = flat[k + 1];
        q[k + 2] = c * flat[k + 2] - s * flat[k];
    }
}

// Two edges, one above the other, of which the first turns out of the horizontal.
static void tilt_edge(double angle, double q[12])
{
    double c = cos(angle * DEGREE), s = sin(angle * DEGREE);
    const double edges[12] = {-c, 0, 0.1 - s, c, 0, 0.1 + s, 0, -1, 0, 0, 1, 0};
    memcpy(q, edges, sizeof edges);
}

typedef void make_fn(double angle, double q[12]);

// Turning to `angle` and no farther than 15 degrees at a time: in how many steps?
static int turns(pl_pair_kind kind, make_fn *make, double angle)
{
    double q[12], now[12], w = 0;
    pl_closest closest, there;
    int n = 0;
    make(0, q);
    make(angle, now);
    pl_closest_points(kind, q, &closest);
    for (; w < 1 && n < 20; n++) {
        double before[3], start[12];
        memcpy(before, closest.normal, sizeof before);
        memcpy(start, q, sizeof start);
        w = pl_vj19_approach(kind, now, q, &closest);
        // What it says of the new configuration holds there.
        pl_closest_points(kind, q, &there);
        for (int k = 0; k < 12; k++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, (1 - w) * start[k] + w * now[k], q[k]);
        }
        TEST_ASSERT_EQUAL_DOUBLE_ARRAY(there.normal, closest.normal, 3);
        TEST_ASSERT_EQUAL_DOUBLE_ARRAY(there.weight, closest.weight, 4);
        double turned = acos(fmin(1, pl_dot(before, closest.normal))) / DEGREE;
        TEST_ASSERT_TRUE(turned < 15);
        TEST_ASSERT_TRUE(w == 1 || turned > 14.9); // and as far as allowed
    }
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(now, q, 12);
    return n;
}

static void test_normals_turn_by_15_degrees(void)
{
    TEST_ASSERT_EQUAL(1, turns(PL_VERTEX_FACE, tilt, 0));
    TEST_ASSERT_EQUAL(1, turns(PL_VERTEX_FACE, tilt, 14.9));
    TEST_ASSERT_EQUAL(2, turns(PL_VERTEX_FACE, tilt, 15.1));
    TEST_ASSERT_EQUAL(3, turns(PL_VERTEX_FACE, tilt, -40));
    TEST_ASSERT_EQUAL(1, turns(PL_EDGE_EDGE, tilt_edge, 14.9));
    TEST_ASSERT_EQUAL(3, turns(PL_EDGE_EDGE, tilt_edge, 44));
}

// --- Worlds ---

static pl_world *make_printed(double dt, const char *solver)
{
    pl_world_options options = pl_world_options_default();
    options.dt = dt;
    options.vj19 = true;
    options.solver = solver;
    options.residual_tolerance = 5e-5; // [VJ19, 6.3]
    options.contact_tolerance = 5e-6;
    options.rounds = 30;
    return make_world(&options);
}

static pl_mesh *mesh_at(const char *shape, double x, double z, double turn)
{
    pl_mesh *mesh = make_mesh(shape);
    const double m[12] = {cos(turn), -sin(turn), 0, x, sin(turn), cos(turn), 0, 0, 0, 0, 1, z};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    return mesh;
}

static void add_table(pl_world *world, const char *shape, double z, double friction)
{
    pl_kinematic_options options = pl_kinematic_options_default();
    options.surface.friction = friction;
    pl_mesh *mesh = mesh_at(shape, 0, z, 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &options, NULL));
    pl_mesh_destroy(mesh);
}

// Every constraint that pushes is, at the end of the step, as far from the other feature as the
// solver believes, and has not slid off, unless in the very step in which it was hit. Returns how
// many.
static int check_constraints(const pl_world *world)
{
    const pl_contact_step *contact = world->contact;
    const pl_contacts *contacts = &contact->contacts;
    const pl_boundary *boundary = &contact->boundary;
    double *u = malloc((3 * (size_t)pl_contacts_count(contacts) + 1) * sizeof *u);
    pl_rows_multiply(&contacts->blocks->problem, NULL, true, world->system.v_new, u);
    int n = 0;
    for (int64_t i = 0; i < contact->vj19.n; i++) {
        const pl_vj19_constraint *c = &contact->vj19.constraint[i];
        if (c->row < 0 || contacts->blocks->f[3 * c->row] <= 0) continue;
        double q[12] = {0};
        for (int k = 0; k < 4; k++) {
            int32_t point = contacts->row[c->row].point[k];
            if (point >= 0) memcpy(q + 3 * k, boundary->x1 + 3 * point, 3 * sizeof *q);
        }
        pl_closest closest;
        pl_closest_points((pl_pair_kind)c->pair.kind, q, &closest);
        TEST_ASSERT_DOUBLE_WITHIN(world->options.contact_tolerance,
                                  c->keep + world->dt * u[3 * c->row], closest.distance);
        const pl_instant end = {boundary->x1, boundary->x1, 0};
        TEST_ASSERT_TRUE(c->hit || pl_local_minimum(boundary, &end, &c->pair, &closest));
        n++;
    }
    free(u);
    return n;
}

static pl_step_stats step_cleanly(pl_world *world)
{
    pl_step_stats stats;
    pl_audit_report report;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
    TEST_ASSERT_TRUE(stats.min_gap > 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
    TEST_ASSERT_TRUE(report.clean);
    TEST_ASSERT_EQUAL(stats.contacts, check_constraints(world));
    return stats;
}

// A box slides over the edge of a table: where it has slid off, nothing holds it.
static void test_a_box_slides_off_a_table(void)
{
    pl_world *world = make_printed(2e-3, "apg");
    add_table(world, "box:size=1,1,0.1:cells=8,8,1", -0.05, 0);
    pl_rigid_options options = pl_rigid_options_default();
    options.velocity[0] = 1;
    pl_mesh *box = mesh_at("box:size=0.2,0.2,0.2:cells=2,2,2", 0.2, 0.1003, 0.1);
    int32_t body, n = 0, touching = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, box, &options, &body));
    pl_mesh_destroy(box);
    pl_frame frame;
    for (int i = 0; i < 300; i++) {
        step_cleanly(world);
        const pl_contact_point *contact = pl_world_contacts(world, &n);
        // Contacts lie on the table, up to the 2 mm that the box moves in a step.
        for (int32_t k = 0; k < n; k++) TEST_ASSERT_TRUE(contact[k].point[0] < 0.5 + 2e-3);
        touching += n > 0;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, body, &frame));
        TEST_ASSERT_TRUE(frame.centre[0] > 0.45 || fabs(frame.velocity[0] - 1) < 0.05);
    }
    TEST_ASSERT_TRUE(touching > 50);
    TEST_ASSERT_EQUAL(0, n);
    TEST_ASSERT_TRUE(frame.centre[2] < -0.1); // it fell
    pl_world_destroy(world);
}

// A ball rolls: faces turn, and its contacts with them.
static void test_a_ball_rolls(void)
{
    pl_world *world = make_printed(4e-3, "apg");
    add_table(world, "box:size=4,4,0.1:cells=10,10,1", -0.05, 0.8);
    pl_rigid_options options = pl_rigid_options_default();
    options.surface.friction = 0.8;
    options.velocity[0] = 2;
    options.angular_velocity[1] = 10;
    pl_mesh *ball = mesh_at("icosphere:radius=0.2:level=2:shells=1", -1.5, 0.201, 0);
    int32_t body, changed = 0, touching = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, ball, &options, &body));
    pl_mesh_destroy(ball);
    for (int i = 0; i < 250; i++) {
        pl_step_stats stats = step_cleanly(world);
        changed += stats.relinearizations;
        touching += stats.contacts > 0;
    }
    pl_frame frame;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, body, &frame));
    TEST_ASSERT_TRUE(touching > 50 && changed > 20);
    TEST_ASSERT_TRUE(frame.velocity[0] > 1); // its edges brake it
    TEST_ASSERT_DOUBLE_WITHIN(0.3, frame.velocity[0], 0.2 * frame.angular_velocity[1]);
    pl_world_destroy(world);
}

static pl_world *make_pile(double dt, const char *solver)
{
    pl_world *world = make_printed(dt, solver);
    add_table(world, "box:size=6,6,0.2:cells=6,6,1", -0.1, 0.5);
    for (int i = 0; i < 5; i++) {
        pl_mesh *mesh =
            mesh_at(i % 2 ? "cube:size=0.4:cells=3" : "ring", 0.05 * i, 0.2 + 0.45 * i, 0.3 * i);
        pl_status status = i == 2 ? pl_world_add_rigid(world, mesh, NULL, NULL)
                                  : pl_world_add_deformable(world, mesh, NULL, NULL);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        pl_mesh_destroy(mesh);
    }
    return world;
}

static void test_piles_never_collide(void)
{
    const char *const solver[] = {"apg", "cr"};
    for (int k = 0; k < 2; k++) {
        pl_world *world = make_pile(4e-3, solver[k]);
        int32_t rounds = 0, changed = 0, contacts = 0, n = k == 0 ? 110 : 70;
        for (int i = 0; i < n; i++) {
            pl_step_stats stats = step_cleanly(world);
            rounds += stats.rounds;
            changed += stats.relinearizations;
            contacts = stats.contacts;
            TEST_ASSERT_TRUE(stats.relinearizations < stats.rounds);
        }
        TEST_ASSERT_TRUE(changed > 10 && rounds < 10 * n && contacts > 10);
        pl_world_destroy(world);
    }
}

static void test_same_bits_for_any_threads_and_after_a_checkpoint(void)
{
    uint64_t hash = 0;
    char path[] = "/tmp/pliant-printed-XXXXXX";
    close(mkstemp(path));
    for (int threads = 1; threads <= 2; threads++) {
        pl_threads_set(threads);
        pl_world *world = make_pile(4e-3, "apg");
        step(world, 70);
        if (threads == 1) TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
        step(world, 30);
        if (threads == 1) hash = pl_world_hash(world);
        TEST_ASSERT_TRUE(hash == pl_world_hash(world));
        pl_world_destroy(world);
    }
    pl_world *resumed = make_pile(4e-3, "apg");
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(resumed, path), pl_error_text());
    step(resumed, 30);
    TEST_ASSERT_TRUE(hash == pl_world_hash(resumed));
    pl_world_destroy(resumed);
    remove(path);
}

static pl_status fall_and_touch(void *user)
{
    const pl_mesh *const *mesh = user;
    pl_world_options options = pl_world_options_default();
    options.vj19 = true;
    pl_world *world;
    PL_TRY(pl_world_create(&options, &world));
    pl_status status = pl_world_add_kinematic(world, mesh[0], NULL, NULL);
    if (status == PL_OK) status = pl_world_add_rigid(world, mesh[1], NULL, NULL);
    for (int i = 0; i < 8 && status == PL_OK; i++) status = pl_world_step(world, NULL);
    int32_t n = 0;
    if (status == PL_OK) pl_world_contacts(world, &n);
    TEST_ASSERT_TRUE(status != PL_OK || n > 0);
    pl_world_destroy(world);
    return status;
}

static void test_every_allocation_may_fail(void)
{
    pl_mesh *mesh[2] = {mesh_at("box:size=2,2,0.2", 0, -0.1, 0),
                        mesh_at("cube:size=0.2", 0, 0.1001, 0.3)};
    TEST_ASSERT_TRUE(fail_each_allocation(fall_and_touch, mesh) > 50);
    for (int i = 0; i < 2; i++) pl_mesh_destroy(mesh[i]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_normals_turn_by_15_degrees);
    RUN_TEST(test_a_box_slides_off_a_table);
    RUN_TEST(test_a_ball_rolls);
    RUN_TEST(test_piles_never_collide);
    RUN_TEST(test_same_bits_for_any_threads_and_after_a_checkpoint);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
