// All bodies in one OBJ or PLY file. What others read of them: test_export.c.

#include "../apps/export/frame_files.h"
#include "../base/team.h"
#include "exports.h"

static pl_scene scene;
static pl_world *world;
static pl_export_bodies bodies;

void setUp(void)
{
    make_export_scene(&scene, &world);
    TEST_ASSERT_EQUAL(PL_OK, pl_export_bodies_make(&scene, &bodies));
    step(world, 2); // to positions that have no short decimals
    pl_export_bodies_move(&bodies, world);
}

void tearDown(void)
{
    pl_export_bodies_free(&bodies);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

// The file holds all bodies, one after the other, bit for bit.
static void expect_bodies(const char *name)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_read(in_folder(name), &mesh), pl_error_text());
    TEST_ASSERT_EQUAL_INT32(bodies.n_vert, mesh->n_vert);
    TEST_ASSERT_EQUAL_INT32(bodies.n_face, mesh->n_face);
    TEST_ASSERT_EQUAL_MEMORY(bodies.x, mesh->x, 3 * sizeof(double) * (size_t)mesh->n_vert);
    for (int32_t i = 0; i < bodies.n; i++) {
        const pl_export_body *body = &bodies.body[i];
        for (int32_t k = 3 * body->face; k < 3 * (body->face + body->n_face); k++) {
            TEST_ASSERT_EQUAL_INT32(bodies.face[k] + body->vert, mesh->face[k]);
        }
    }
    pl_mesh_destroy(mesh);
}

static void test_obj(void)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_write_frame_obj(&bodies, in_folder("a.obj")));
    expect_bodies("a.obj");
    const char *text = read_whole("a.obj"), *at = text;
    for (int32_t i = 0; i < bodies.n; i++) { // in the order of the scene
        char line[32];
        snprintf(line, sizeof line, "o %s\nv ", bodies.body[i].name);
        at = strstr(at, line);
        TEST_ASSERT_NOT_NULL_MESSAGE(at, line);
    }
}

static void test_one_body(void)
{
    pl_mesh *mesh;
    const pl_export_body *body = &bodies.body[3];
    TEST_ASSERT_EQUAL(PL_OK, pl_write_body_obj(&bodies, 3, in_folder("one.obj")));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_read(in_folder("one.obj"), &mesh));
    TEST_ASSERT_EQUAL_INT32(body->n_vert, mesh->n_vert);
    TEST_ASSERT_EQUAL_INT32(body->n_face, mesh->n_face);
    TEST_ASSERT_EQUAL_MEMORY(bodies.x + 3 * body->vert, mesh->x,
                             3 * sizeof(double) * (size_t)mesh->n_vert);
    TEST_ASSERT_EQUAL_INT32_ARRAY(bodies.face + 3 * body->face, mesh->face, 3 * mesh->n_face);
    pl_mesh_destroy(mesh);
}

static void test_ply(void)
{
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_OK, pl_write_frame_ply(&bodies, in_folder("a.ply")));
    expect_bodies("a.ply");
    // Colours of vertices and bodies of faces, which our reader skips.
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(in_folder("a.ply"), &bytes));
    const char *data = strstr(bytes.data, "end_header\n") + 11;
    const char *end = data + 27 * bodies.n_vert + 17 * bodies.n_face;
    TEST_ASSERT_EQUAL_PTR(bytes.data + bytes.size, end);
    const unsigned char orange[3] = {255, 128, 0};
    TEST_ASSERT_EQUAL_MEMORY(orange, data + 24, 3);
    TEST_ASSERT_EQUAL_MEMORY(orange, data + 27 * 25 + 24, 3);
    TEST_ASSERT_TRUE(memcmp(orange, data + 27 * 26 + 24, 3) != 0);
    int32_t last;
    memcpy(&last, end - 4, sizeof last);
    TEST_ASSERT_EQUAL_INT32(3, last);
    pl_bytes_free(&bytes);
}

static pl_status write_both(void *user)
{
    (void)user;
    PL_TRY(pl_write_frame_obj(&bodies, in_folder("b.obj")));
    return pl_write_frame_ply(&bodies, in_folder("b.ply"));
}

static void test_failures(void)
{
    fail_each_allocation(write_both, NULL);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_write_frame_obj(&bodies, in_folder("none/a.obj")));
    expect_failure(PL_ERROR_FILE, pl_write_frame_ply(&bodies, in_folder("none/a.ply")),
                   "none/a.ply: cannot write: No such file or directory");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    pl_threads_set(1);
    UNITY_BEGIN();
    RUN_TEST(test_obj);
    RUN_TEST(test_one_body);
    RUN_TEST(test_ply);
    RUN_TEST(test_failures);
    shell("rm -rf $T");
    return UNITY_END();
}
