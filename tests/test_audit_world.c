// The audit of a world: what it holds against each other, what it names, and what a first step says
// about bodies that overlap.

#include "failing_alloc.h"
#include "worlds.h"
#include "../world/audit_world.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const pl_surface_options SURFACE = {.friction = 0.5, .category = 1, .mask = ~0u};

// A cube of 1 m around (at, 0, 0), of one of the kinds.
static int32_t add_cube(pl_world *world, pl_body_kind kind, double at, pl_surface_options surface)
{
    const double m[12] = {1, 0, 0, at, 0, 1, 0, 0, 0, 0, 1, 0};
    pl_mesh *mesh = make_mesh("cube:cells=1");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    pl_deformable_options soft = pl_deformable_options_default();
    pl_rigid_options rigid = pl_rigid_options_default();
    pl_kinematic_options kinematic = pl_kinematic_options_default();
    soft.surface = rigid.surface = kinematic.surface = surface;
    int32_t body = -1;
    pl_status status =
        kind == PL_BODY_DEFORMABLE ? pl_world_add_deformable(world, mesh, &soft, &body)
        : kind == PL_BODY_RIGID    ? pl_world_add_rigid(world, mesh, &rigid, &body)
                                   : pl_world_add_kinematic(world, mesh, &kinematic, &body);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

static bool is_clean(pl_world *world)
{
    pl_audit_report report;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_audit(world, &report), pl_error_text());
    return report.clean;
}

// --- Which pairs ---

static void test_kinds_of_bodies(void)
{
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            pl_world *world = make_world(NULL);
            add_cube(world, (pl_body_kind)a, 0, SURFACE);
            add_cube(world, (pl_body_kind)b, 1.5, SURFACE);
            TEST_ASSERT_TRUE(is_clean(world));
            add_cube(world, (pl_body_kind)b, 0.75, SURFACE); // between them: the audit is made anew
            bool both_told = a == PL_BODY_KINEMATIC && b == PL_BODY_KINEMATIC;
            TEST_ASSERT_EQUAL(both_told, is_clean(world));
            pl_world_destroy(world);
        }
    }
}

static void test_filters(void)
{
    pl_surface_options second = SURFACE;
    second.category = 2;
    second.mask = 2; // its own kind only
    pl_world *world = make_world(NULL);
    add_cube(world, PL_BODY_RIGID, 0, SURFACE);
    add_cube(world, PL_BODY_RIGID, 0.5, second);
    TEST_ASSERT_TRUE(is_clean(world));
    int32_t last = add_cube(world, PL_BODY_DEFORMABLE, 0.75, second);
    TEST_ASSERT_FALSE(is_clean(world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_ignore(world, last, 1));
    TEST_ASSERT_TRUE(is_clean(world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, NULL));
    TEST_ASSERT_TRUE(is_clean(world));
    pl_world_destroy(world);
}

// A deformable body whose top was pushed through its bottom intersects itself, if it minds.
static void test_self(void)
{
    for (int self = 0; self < 2; self++) {
        pl_surface_options surface = SURFACE;
        surface.self = self == 1;
        pl_world *world = make_world(NULL);
        int32_t body = add_cube(world, PL_BODY_DEFORMABLE, 0, surface);
        TEST_ASSERT_TRUE(is_clean(world));
        int32_t n = pl_world_vertex_count(world, body);
        double x[3 * 8];
        TEST_ASSERT_EQUAL(8, n);
        memcpy(x, pl_world_positions(world, body), sizeof x);
        for (int i = 0; i < 8; i++) {
            if (x[3 * i + 2] > 0 && x[3 * i] > 0) x[3 * i + 2] -= 1.5;
        }
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, body, x, NULL));
        TEST_ASSERT_EQUAL(self == 0, is_clean(world));
        pl_world_destroy(world);
    }
}

// --- What it names ---

// Whether the three vertices are a face of the cube: on one of its sides.
static bool is_face(const pl_world *world, int32_t body, int32_t face)
{
    int32_t v[3];
    pl_world_audit_face(world, body, face, v);
    const double *x = pl_world_positions(world, body);
    bool found = false;
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_TRUE(v[k] >= 0 && v[k] < pl_world_vertex_count(world, body));
        double a = x[3 * v[0] + k], b = x[3 * v[1] + k], c = x[3 * v[2] + k];
        found = found || (a == b && b == c);
    }
    return found && v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
}

static void test_names_elements(void)
{
    pl_audit_report report;
    pl_world *world = make_world(NULL);
    add_cube(world, PL_BODY_KINEMATIC, 0, SURFACE);
    add_cube(world, PL_BODY_RIGID, 5, SURFACE);
    add_cube(world, PL_BODY_DEFORMABLE, 5.75, SURFACE);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
    TEST_ASSERT_FALSE(report.clean);
    TEST_ASSERT_TRUE(report.complete);
    TEST_ASSERT_TRUE(report.n_intersections > 0);
    for (int32_t i = 0; i < report.n_intersections; i++) {
        const pl_audit_pair *pair = &report.intersections[i];
        TEST_ASSERT_EQUAL_INT(1, pair->body[0]);
        TEST_ASSERT_EQUAL_INT(2, pair->body[1]);
        TEST_ASSERT_TRUE(is_face(world, 1, pair->face[0]));
        TEST_ASSERT_TRUE(is_face(world, 2, pair->face[1]));
    }
    expect_failure(PL_ERROR_GEOMETRY, pl_world_step(world, NULL), "body 1, face ");
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "meets body 2, face "));
    TEST_ASSERT_EQUAL_INT64(0, pl_world_steps(world));
    pl_world_destroy(world);
}

static void test_names_what_is_inside(void)
{
    const double small[12] = {0.1, 0, 0, 5.2, 0, 0.1, 0, 0, 0, 0, 0.1, 0};
    pl_audit_report report;
    pl_mesh *mesh = make_mesh("cube:cells=1");
    pl_world *world = make_world(NULL);
    add_cube(world, PL_BODY_RIGID, 0, SURFACE);
    add_cube(world, PL_BODY_RIGID, 5, SURFACE);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, small));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, mesh, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
    TEST_ASSERT_EQUAL_INT(0, report.n_intersections);
    TEST_ASSERT_EQUAL_INT(1, report.n_inside);
    TEST_ASSERT_EQUAL_INT(2, report.inside[0].body);
    TEST_ASSERT_EQUAL_INT(1, report.inside[0].other);
    TEST_ASSERT_TRUE(report.inside[0].vertex >= 0 && report.inside[0].vertex < 8);
    expect_failure(PL_ERROR_GEOMETRY, pl_world_step(world, NULL), "body 2, vertex ");
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "is inside of body 1 at the start"));
    pl_world_destroy(world);
    pl_mesh_destroy(mesh);
}

// Without contact nothing is asked at the start, but the audit can be.
static void test_without_contact(void)
{
    pl_world_options options = pl_world_options_default();
    options.contact = false;
    pl_world *world = make_world(&options);
    add_cube(world, PL_BODY_RIGID, 0, SURFACE);
    add_cube(world, PL_BODY_RIGID, 0.5, SURFACE);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, NULL));
    TEST_ASSERT_FALSE(is_clean(world));
    pl_world_destroy(world);
}

// --- Memory ---

static pl_status audit_overlap(void *user)
{
    pl_audit_report report;
    pl_world *world;
    (void)user;
    pl_status status = pl_world_create(NULL, &world);
    for (int i = 0; i < 3 && status == PL_OK; i++) {
        pl_mesh *mesh = NULL;
        status = pl_mesh_make(i == 0 ? "cube:size=0.5" : "cube", &mesh);
        if (status == PL_OK) status = pl_world_add_rigid(world, mesh, NULL, NULL);
        pl_mesh_destroy(mesh);
    }
    if (status == PL_OK) status = pl_world_audit(world, &report);
    if (status == PL_OK) status = report.clean ? PL_ERROR_GEOMETRY : PL_OK;
    pl_world_destroy(world);
    return status;
}

static void test_allocations_fail(void)
{
    TEST_ASSERT_TRUE(fail_each_allocation(audit_overlap, NULL) > 20);
}

// An audit that finds nothing takes nothing from the heap, but for the first.
static void test_audits_without_allocations(void)
{
    fail_nth(-1);
    pl_world *world = make_world(NULL);
    add_cube(world, PL_BODY_RIGID, 0, SURFACE);
    add_cube(world, PL_BODY_DEFORMABLE, 1.5, SURFACE);
    TEST_ASSERT_TRUE(is_clean(world));
    fail_nth(0);
    bool clean = is_clean(world);
    fail_nth(-1);
    pl_world_destroy(world);
    fail_never();
    TEST_ASSERT_TRUE(clean);
}

// What audits keep is given back, and the next one has it again.
static void test_ended_audits(void)
{
    fail_nth(-1);
    live_blocks = 0;
    pl_world *world = make_world(NULL);
    add_cube(world, PL_BODY_RIGID, 0, SURFACE);
    add_cube(world, PL_BODY_DEFORMABLE, 1.5, SURFACE);
    int64_t before = live_blocks;
    bool clean = true;
    for (int i = 0; i < 2; i++) {
        clean = clean && is_clean(world) && live_blocks > before;
        pl_world_end_audits(world);
        clean = clean && live_blocks == before;
    }
    pl_world_end_audits(world); // there is none
    pl_world_destroy(world);
    fail_never();
    TEST_ASSERT_TRUE(clean);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_kinds_of_bodies);
    RUN_TEST(test_filters);
    RUN_TEST(test_self);
    RUN_TEST(test_names_elements);
    RUN_TEST(test_names_what_is_inside);
    RUN_TEST(test_without_contact);
    RUN_TEST(test_allocations_fail);
    RUN_TEST(test_audits_without_allocations);
    RUN_TEST(test_ended_audits);
    return UNITY_END();
}
