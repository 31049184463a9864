// Forces as a product, against weight, stick, slip and closed forms; events.

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

static const double G = 9.81;

// A plate, and on it a box of a kind that is already at rest on it; gravity is at an angle to the
// plate [degrees].
typedef struct resting {
    pl_world *world;
    int32_t plate, box;
    double mass;
} resting;

static resting make(bool rigid, double mu, double degrees, bool events)
{
    pl_world_options options = pl_world_options_default();
    resting r;
    double angle = degrees * acos(-1) / 180;
    options.dt = 2e-3;
    options.events = events;
    options.gravity[0] = G * sin(angle), options.gravity[2] = -G * cos(angle);
    r.world = make_world(&options);
    const double place[12] = {1, 0, 0, 0.2, 0, 1, 0, -0.1, 0, 0, 1, 0.2506};
    pl_mesh *mesh = make_mesh("box:size=4,4,0.1:cells=1,1,1");
    pl_kinematic_options k = pl_kinematic_options_default();
    k.surface.friction = mu;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(r.world, mesh, &k, &r.plate));
    pl_mesh_destroy(mesh);
    mesh = make_mesh("box:size=0.4,0.4,0.4:cells=3,3,3");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, place));
    pl_rigid_options o = pl_rigid_options_default();
    pl_deformable_options d = pl_deformable_options_default();
    o.surface.friction = d.surface.friction = mu;
    d.material.young = 1e7;
    d.material.mass_damping = 20;
    TEST_ASSERT_EQUAL(PL_OK, rigid ? pl_world_add_rigid(r.world, mesh, &o, &r.box)
                                   : pl_world_add_deformable(r.world, mesh, &d, &r.box));
    pl_mesh_destroy(mesh);
    r.mass = 1000 * 0.064;
    return r;
}

// The sums over vertices, over faces, and the resultant are the same force.
static void expect_force(const resting *r, const double expected[3], double within)
{
    int32_t n = pl_world_vertex_count(r->world, r->box);
    double *force = calloc(3 * (size_t)n, sizeof *force), sum[3] = {0}, over_faces[3] = {0};
    pl_mesh *surface;
    int32_t *vertex = calloc((size_t)n, sizeof *vertex);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_contact_forces(r->world, r->box, force));
    for (int32_t i = 0; i < 3 * n; i++) sum[i % 3] += force[i];
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(pl_world_mesh(r->world, r->box), vertex, &surface));
    int32_t n_face = pl_mesh_face_count(surface);
    double *traction = calloc(3 * (size_t)n_face, sizeof *traction);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_contact_traction(r->world, r->box, traction));
    for (int32_t i = 0; i < n_face; i++) {
        const int32_t *f = pl_mesh_faces(surface) + 3 * i;
        const double *x[3];
        double e[2][3], area[3];
        for (int k = 0; k < 3; k++) {
            x[k] = pl_world_positions(r->world, r->box) + 3 * (int64_t)vertex[f[k]];
        }
        for (int k = 0; k < 3; k++) e[0][k] = x[1][k] - x[0][k], e[1][k] = x[2][k] - x[0][k];
        for (int k = 0; k < 3; k++) {
            area[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
        }
        double size = 0.5 * sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        for (int k = 0; k < 3; k++) over_faces[k] += size * traction[3 * i + k];
    }
    pl_resultant all, by_plate, on_plate;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_resultant(r->world, r->box, -1, &all));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_resultant(r->world, r->box, r->plate, &by_plate));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_resultant(r->world, r->plate, r->box, &on_plate));
    TEST_ASSERT_EQUAL_MEMORY(&all, &by_plate, sizeof all);
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(within, expected[k], all.force[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * r->mass, all.force[k], sum[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * r->mass, all.force[k], over_faces[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * r->mass, -all.force[k], on_plate.force[k]);
    }
    pl_mesh_destroy(surface);
    free(force), free(vertex), free(traction);
}

static void test_weight(void)
{
    for (int rigid = 0; rigid < 2; rigid++) {
        resting r = make(rigid != 0, 0.5, 0, false);
        step(r.world, 400);
        const double weight[3] = {0, 0, r.mass * G};
        expect_force(&r, weight, 1e-3 * r.mass * G);
        pl_resultant all;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_resultant(r.world, r.box, r.plate, &all));
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.2, all.centre[0]); // below the middle of the box
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, -0.1, all.centre[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.05, all.centre[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * all.pressing, all.force[2], all.pressing);
        int32_t n;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_body_contacts(r.world, r.box, 0, NULL, &n));
        TEST_ASSERT_EQUAL(all.contacts, n);
        pl_world_destroy(r.world);
    }
}

// tan 20 degrees is 0.364.
static void test_stick_and_slip(void)
{
    double angle = 20 * acos(-1) / 180;
    resting r = make(true, 0.5, 20, false);
    step(r.world, 300);
    double N = r.mass * G * cos(angle);
    const double sticks[3] = {-r.mass * G * sin(angle), 0, N};
    expect_force(&r, sticks, 1e-3 * N);
    pl_world_destroy(r.world);
    r = make(true, 0.2, 20, false);
    step(r.world, 300);
    const double slips[3] = {-0.2 * N, 0, N};
    expect_force(&r, slips, 1e-3 * N);
    pl_world_destroy(r.world);
}

// A bar that hangs: sigma_zz = rho g (z - low), and nothing else.
static void test_stress_of_a_bar(void)
{
    pl_world_options options = no_contact();
    options.integrator = PL_INTEGRATOR_IMPLICIT;
    options.dt = 10;
    pl_world *world = make_world(&options);
    pl_deformable_options o = pl_deformable_options_default();
    o.material.poisson = 0;
    int32_t body = add_body(world, "box:size=0.1,0.1,1:cells=2,2,20", &o);
    const pl_mesh *mesh = pl_world_mesh(world, body);
    const double *x = pl_mesh_positions(mesh);
    int32_t n = pl_mesh_vertex_count(mesh), n_tet = pl_mesh_tet_count(mesh), top[64], n_top = 0;
    for (int32_t i = 0; i < n; i++) {
        if (x[3 * i + 2] > 0.499) top[n_top++] = i;
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, body, n_top, top, NULL));
    step(world, 8);
    double *tet = calloc(6 * (size_t)n_tet, sizeof *tet),
           *vertex = calloc(6 * (size_t)n, sizeof *tet);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_stress_tensor(world, body, tet, vertex));
    double most = 1000 * G;
    for (int32_t i = 0; i < n; i++) {
        double z = x[3 * i + 2];
        if (fabs(z) > 0.4) continue; // away from the ends
        TEST_ASSERT_DOUBLE_WITHIN(0.03 * most, 1000 * G * (z + 0.5), vertex[6 * i + 2]);
        for (int k = 0; k < 6; k++) {
            if (k != 2) TEST_ASSERT_DOUBLE_WITHIN(0.03 * most, 0, vertex[6 * i + k]);
        }
    }
    // Invariants are those that pl_world_stress has.
    double *mises = calloc((size_t)n_tet, sizeof *mises), *p = calloc(3 * (size_t)n_tet, sizeof *p);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_stress(world, body, mises, p));
    for (int32_t i = 0; i < n_tet; i++) {
        const double *s = tet + 6 * i;
        double J = 0.5 * (pow(s[0] - s[1], 2) + pow(s[1] - s[2], 2) + pow(s[2] - s[0], 2)) +
                   3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * most, mises[i], sqrt(J));
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * most, p[3 * i] + p[3 * i + 1] + p[3 * i + 2],
                                  s[0] + s[1] + s[2]);
    }
    free(tet), free(vertex), free(mises), free(p);
    pl_world_destroy(world);
}

// It begins once with the impulse that stops the box, stays, and ends when the box is taken away.
static void test_events(void)
{
    resting r = make(true, 0.5, 0, true);
    const double down[3] = {0, 0, -r.mass * 0.5};
    int32_t n, begun = 0, ended = 0, at = 1000;
    double impact = 0;
    TEST_ASSERT_NULL(pl_world_contact_events(r.world, &n));
    pl_frame f;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(r.world, r.box, &f));
    f.centre[2] += 0.05;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(r.world, r.box, &f));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_apply_impulse(r.world, r.box, down, NULL));
    for (int i = 0; i < 200; i++) {
        if (i == 150) { // up again
            TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(r.world, r.box, &f));
        }
        step(r.world, 1);
        const pl_contact_event *event = pl_world_contact_events(r.world, &n);
        TEST_ASSERT_TRUE(n <= 1);
        if (n == 0) continue;
        TEST_ASSERT_EQUAL(r.plate, event->body_a);
        TEST_ASSERT_EQUAL(r.box, event->body_b);
        if (event->kind == PL_CONTACT_BEGIN) {
            begun++;
            at = i;
            TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.2, event->point[0]);
        }
        if (i < at + 3) impact += event->impulse; // it takes two steps
        if (event->kind == PL_CONTACT_STAY && i > at + 10) {
            TEST_ASSERT_DOUBLE_WITHIN(0.2 * G * r.mass * 2e-3, G * r.mass * 2e-3, event->impulse);
        }
        if (event->kind == PL_CONTACT_END) {
            ended++;
            TEST_ASSERT_EQUAL(150, i);
            TEST_ASSERT_EQUAL_DOUBLE(0, event->impulse);
        }
    }
    TEST_ASSERT_EQUAL(1, begun);
    double speed = sqrt(0.25 + 2 * G * 0.0506);
    TEST_ASSERT_DOUBLE_WITHIN(0.06 * speed * r.mass, (speed + 3 * G * 2e-3) * r.mass, impact);
    TEST_ASSERT_EQUAL(1, ended);
    pl_world_destroy(r.world);
}

// What a world did before it goes back to another state has no part in its events.
static void test_events_after_a_load(void)
{
    resting r = make(false, 0.5, 0, true);
    size_t size;
    int32_t n;
    step(r.world, 20);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(r.world, NULL, 0, &size));
    void *state = malloc(size);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(r.world, state, size, &size));
    TEST_ASSERT_NOT_NULL(pl_world_contact_events(r.world, &n));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load_memory(r.world, state, size));
    TEST_ASSERT_NULL(pl_world_contacts(r.world, NULL));
    TEST_ASSERT_NULL(pl_world_contact_events(r.world, &n));
    step(r.world, 1);
    const pl_contact_event *event = pl_world_contact_events(r.world, &n);
    TEST_ASSERT_EQUAL_INT32(1, n);
    TEST_ASSERT_EQUAL(PL_CONTACT_BEGIN, event->kind);
    free(state);
    pl_world_destroy(r.world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_weight);
    RUN_TEST(test_stick_and_slip);
    RUN_TEST(test_stress_of_a_bar);
    RUN_TEST(test_events);
    RUN_TEST(test_events_after_a_load);
    return UNITY_END();
}
