// Bodies that are removed, and their ids.

#include "worlds.h"

#include <math.h>
#include <string.h>

void setUp(void)
{
}
void tearDown(void)
{
}

enum { SOFT, RIGID, KINEMATIC };

// A body of a kind at height z; returns its id.
static int32_t add(pl_world *world, int kind, double x, double z)
{
    const double place[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, z};
    pl_mesh *mesh = make_mesh("box:size=0.4,0.4,0.4:cells=2,2,2");
    int32_t body = -1;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, place));
    pl_status status = kind == SOFT    ? pl_world_add_deformable(world, mesh, NULL, &body)
                       : kind == RIGID ? pl_world_add_rigid(world, mesh, NULL, &body)
                                       : pl_world_add_kinematic(world, mesh, NULL, &body);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

static pl_world *make(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    return make_world(&options);
}

// What is left moves as if the others had never been there.
static void test_what_is_left_goes_on(void)
{
    pl_world *many = make(), *few = make();
    int32_t gone[3], kept[4], alone[4];
    for (int i = 0; i < 3; i++) gone[i] = add(many, i, 3.0 + i, 0.5);
    for (int i = 0; i < 4; i++) {
        kept[i] = add(many, i == 0 ? KINEMATIC : i == 3 ? RIGID : i - 1, 0.01 * i, 0.45 * i);
        alone[i] = add(few, i == 0 ? KINEMATIC : i == 3 ? RIGID : i - 1, 0.01 * i, 0.45 * i);
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_ignore(many, gone[0], kept[2]));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(many, gone[0], 2, (const int32_t[2]){0, 5}, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(many, kept[1], 1, (const int32_t[1]){3}, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(few, alone[1], 1, (const int32_t[1]){3}, NULL));
    for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(many, gone[i]));
    step(many, 30), step(few, 30);
    int32_t n;
    pl_world_contacts(few, &n);
    TEST_ASSERT_TRUE(n > 0);
    TEST_ASSERT_EQUAL_HEX64(pl_world_hash(few), pl_world_hash(many));
    for (int i = 0; i < 4; i++) {
        size_t size = 3 * (size_t)pl_world_vertex_count(many, kept[i]) * sizeof(double);
        TEST_ASSERT_TRUE(size > 0);
        TEST_ASSERT_EQUAL_MEMORY(pl_world_positions(few, alone[i]),
                                 pl_world_positions(many, kept[i]), size);
    }
    pl_world_destroy(many), pl_world_destroy(few);
}

// In the middle of a run: the one above falls on what is below.
static void test_a_body_is_removed_from_a_stack(void)
{
    pl_world *world = make();
    int32_t floor = add(world, KINEMATIC, 0, 0), middle = add(world, RIGID, 0, 0.41);
    int32_t top = add(world, SOFT, 0, 0.82);
    step(world, 20);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, middle));
    pl_audit_report report;
    int32_t touched = 0;
    for (int i = 0; i < 80; i++) {
        int32_t n;
        step(world, 1);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
        TEST_ASSERT_TRUE(report.clean);
        const pl_contact_point *contact = pl_world_contacts(world, &n);
        touched += n > 0;
        for (int32_t k = 0; k < n; k++) {
            TEST_ASSERT_TRUE(contact[k].body_a == top || contact[k].body_a == floor);
            TEST_ASSERT_TRUE(contact[k].body_b == top || contact[k].body_b == floor);
        }
    }
    TEST_ASSERT_TRUE(touched > 0);
    pl_world_destroy(world);
}

// A place is used again, its id is not.
static void test_ids(void)
{
    pl_world *world = make();
    int32_t a = add(world, SOFT, 0, 0), b = add(world, RIGID, 1, 0), mark;
    TEST_ASSERT_EQUAL(0, a);
    TEST_ASSERT_EQUAL(1, b);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_user_data(world, a, &mark));
    TEST_ASSERT_EQUAL_PTR(&mark, pl_world_user_data(world, a));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, a));
    TEST_ASSERT_EQUAL(2, pl_world_body_count(world));
    TEST_ASSERT_EQUAL(-1, pl_world_body_at(world, 0));
    TEST_ASSERT_EQUAL(b, pl_world_body_at(world, 1));
    TEST_ASSERT_EQUAL(PL_BODY_NONE, pl_world_kind(world, a));
    TEST_ASSERT_NULL(pl_world_positions(world, a));
    TEST_ASSERT_NULL(pl_world_user_data(world, a));
    expect_failure(PL_ERROR_ARGUMENT, pl_world_remove(world, a), "removed");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_friction(world, a, 1), "removed");
    int32_t c = add(world, KINEMATIC, 2, 0);
    TEST_ASSERT_TRUE(c != a && c != b && c >= 0);
    TEST_ASSERT_EQUAL(2, pl_world_body_count(world));
    TEST_ASSERT_EQUAL(c, pl_world_body_at(world, 0));
    TEST_ASSERT_EQUAL(PL_BODY_NONE, pl_world_kind(world, a));
    TEST_ASSERT_EQUAL(PL_BODY_KINEMATIC, pl_world_kind(world, c));
    TEST_ASSERT_NULL(pl_world_user_data(world, c));
    step(world, 2);
    pl_world_destroy(world);
}

// A place that has had its number of bodies is not used any more.
static void test_places_wear_out(void)
{
    pl_world *world = make();
    int32_t last = -1;
    for (int i = 0; i < 2100; i++) {
        int32_t body = add(world, KINEMATIC, 0, 0);
        TEST_ASSERT_TRUE(body != last && body >= 0);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, body));
        last = body;
    }
    TEST_ASSERT_EQUAL(2, pl_world_body_count(world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, NULL));
    pl_world_destroy(world);
}

// Ids stand in what audits say, too.
static void test_audits_name_ids(void)
{
    pl_world_options options = no_contact();
    pl_world *world = make_world(&options);
    int32_t first = add(world, SOFT, 0, 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, first));
    int32_t a = add(world, SOFT, 0, 0), b = add(world, SOFT, 0.1, 0.1);
    pl_audit_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
    TEST_ASSERT_FALSE(report.clean);
    TEST_ASSERT_TRUE(report.n_intersections > 0);
    TEST_ASSERT_EQUAL(a, report.intersections[0].body[0]);
    TEST_ASSERT_EQUAL(b, report.intersections[0].body[1]);
    int32_t vertex[3];
    pl_world_audit_face(world, a, report.intersections[0].face[0], vertex);
    TEST_ASSERT_TRUE(vertex[0] >= 0 && vertex[0] < pl_world_vertex_count(world, a));
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_is_left_goes_on);
    RUN_TEST(test_a_body_is_removed_from_a_stack);
    RUN_TEST(test_ids);
    RUN_TEST(test_places_wear_out);
    RUN_TEST(test_audits_name_ids);
    return UNITY_END();
}
