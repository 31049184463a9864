// The frames of a run: bodies of every kind in one grid, contacts as points.

#include "../apps/export/series.h"
#include "../base/team.h"
#include "../meshes/mesh.h"
#include "runs.h"
#include "worlds.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// `description` lifted by z; only its surface, if so wanted.
static pl_mesh *make_at(const char *description, double z, bool surface)
{
    const double m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z};
    pl_mesh *mesh = make_mesh(description), *skin;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    if (!surface) return mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, NULL, &skin));
    pl_mesh_destroy(mesh);
    return skin;
}

// A soft cube on a rigid one that has tets, on a rigid one without, on a floor of triangles.
static pl_world *make_tower(void)
{
    pl_world *world = make_world(NULL);
    pl_mesh *floor = make_at("box:size=3,3,0.1:cells=1", -0.05, true);
    pl_mesh *low = make_at("cube:cells=1", 0.51, true);
    pl_mesh *middle = make_at("cube:size=0.8:cells=1", 1.42, false);
    pl_mesh *top = make_at("cube:size=0.6:cells=2", 2.13, false);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, floor, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, top, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, low, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, middle, NULL, NULL));
    pl_mesh_destroy(floor);
    pl_mesh_destroy(low);
    pl_mesh_destroy(middle);
    pl_mesh_destroy(top);
    return world;
}

static void test_bodies_of_every_kind(void)
{
    pl_world *world = make_tower();
    pl_series series;
    pl_mesh *frame;
    TEST_ASSERT_EQUAL(PL_OK, pl_series_open(in_folder("tower"), world, true, false, &series));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_series_write(&series, world), pl_error_text());
    step(world, 100);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_series_write(&series, world), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_series_write(&series, world)); // it has this step already
    TEST_ASSERT_EQUAL_INT64(2, series.states.n_frames);
    TEST_ASSERT_EQUAL_INT64(2, series.touches.n_frames);
    pl_series_free(&series);

    // The tets of bodies 1 and 3, the triangles of 0 and 2, each where the body is.
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_read(in_folder("tower/frame-000100.vtu"), &frame));
    int32_t n_tet = 0, n_face = 0;
    int64_t at = 0;
    for (int32_t i = 0; i < 4; i++) {
        const pl_mesh *mesh = pl_world_mesh(world, i);
        const double *x = pl_world_positions(world, i);
        n_tet += i % 2 == 1 ? mesh->n_tet : 0;
        n_face += i % 2 == 0 ? mesh->n_face : 0;
        for (int32_t k = 0; k < 3 * mesh->n_vert; k++) {
            TEST_ASSERT_TRUE(frame->x[at++] == x[k]);
        }
    }
    TEST_ASSERT_EQUAL_INT32(at, 3 * frame->n_vert);
    TEST_ASSERT_EQUAL_INT32(n_tet, frame->n_tet);
    TEST_ASSERT_EQUAL_INT32(n_face, frame->n_face);
    const pl_mesh *floor = pl_world_mesh(world, 0);
    TEST_ASSERT_EQUAL_INT32_ARRAY(floor->face, frame->face, 3 * floor->n_face);
    pl_mesh_destroy(frame);
    pl_world_destroy(world);
    if (!has_vtk()) TEST_IGNORE_MESSAGE("python3-vtk9 is not installed");
    char words[256];
    snprintf(words, sizeof words, "series %s/tower/series.pvd 0 0.1", folder);
    TEST_ASSERT_EQUAL_INT(0, run_vtk(words));
    snprintf(words, sizeof words, "contacts %s/tower/contacts.pvd 0 0.1", folder);
    TEST_ASSERT_EQUAL_INT(0, run_vtk(words));
}

// A series that goes on keeps what its lists name up to the step that it begins with.
static void test_goes_on(void)
{
    pl_world *world = make_tower();
    pl_series series;
    TEST_ASSERT_EQUAL(PL_OK, pl_series_open(in_folder("on"), world, true, false, &series));
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_series_write(&series, world));
        if (i == 1) TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, in_folder("on.plc")));
        step(world, 1);
    }
    pl_series_free(&series);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load(world, in_folder("on.plc")));
    TEST_ASSERT_EQUAL(PL_OK, pl_series_open(in_folder("on"), world, true, true, &series));
    TEST_ASSERT_EQUAL_INT64(2, series.states.n_frames);
    TEST_ASSERT_EQUAL_INT64(2, series.touches.n_frames);
    TEST_ASSERT_EQUAL_INT64(1, series.touches.frames[1].step);
    pl_series_free(&series);
    // Without contacts, nothing is said about them.
    TEST_ASSERT_EQUAL(PL_OK, pl_series_open(in_folder("off"), world, false, true, &series));
    TEST_ASSERT_EQUAL(PL_OK, pl_series_write(&series, world));
    pl_series_free(&series);
    TEST_ASSERT_TRUE(exists("off/series.pvd"));
    TEST_ASSERT_FALSE(exists("off/contacts.pvd"));
    pl_world_destroy(world);
}

// Each allocation that the frames need fails in turn; what is there afterwards is whole.
static void test_allocations_fail(void)
{
    pl_world *world = make_tower();
    step(world, 100);
    int n = 0;
    for (pl_status status = PL_ERROR_MEMORY; status != PL_OK; n++) {
        pl_series series;
        TEST_ASSERT_TRUE(n < 100);
        fail_nth(n);
        status = pl_series_open(in_folder("short"), world, true, true, &series);
        if (status == PL_OK) status = pl_series_write(&series, world);
        pl_series_free(&series);
        fail_never();
        TEST_ASSERT_EQUAL_INT64(0, live_blocks);
        TEST_ASSERT_TRUE(status == PL_OK || status == PL_ERROR_MEMORY);
    }
    TEST_ASSERT_TRUE(n > 16);
    pl_world_destroy(world);
    TEST_ASSERT_NOT_NULL(strstr(read_whole("short/series.pvd"), "frame-000100.vtu"));
    TEST_ASSERT_NOT_NULL(strstr(read_whole("short/contacts.pvd"), "contacts-000100.vtu"));
    TEST_ASSERT_EQUAL_INT(0, shell("test $(ls $T/short | wc -l) = 4"));
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    pl_threads_set(1); // bodies too small for more
    UNITY_BEGIN();
    RUN_TEST(test_bodies_of_every_kind);
    RUN_TEST(test_goes_on);
    RUN_TEST(test_allocations_fail);
    shell("rm -rf $T");
    return UNITY_END();
}
