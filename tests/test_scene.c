// Scene files: what they mean, and complaints that name the key.

#include "../apps/scene.h"
#include "../base/file.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static char path[] = "/tmp/pliant_scene_XXXXXX";

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_status load(const char *text, pl_scene *scene)
{
    pl_output out;
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(path, &out));
    pl_output_write(&out, text, strlen(text));
    TEST_ASSERT_EQUAL(PL_OK, pl_output_close(&out));
    return pl_scene_load(path, scene);
}

static void refuse(const char *text, const char *complaint)
{
    pl_scene scene;
    TEST_ASSERT_NOT_EQUAL_MESSAGE(PL_OK, load(text, &scene), text);
    TEST_ASSERT_EQUAL_STRING_LEN(path, pl_error_text(), strlen(path));
    TEST_ASSERT_EQUAL_STRING(complaint, pl_error_text() + strlen(path));
    TEST_ASSERT_NULL(scene.bodies);
}

static void test_a_whole_scene(void)
{
    pl_scene scene;
    pl_status status = load("{\"comment\": \"x\", \"ground\": false,"
                            " \"camera\": {\"eye\": [1, 2, 3], \"angle\": 90},"
                            " \"bodies\": [{\"mesh\": \"cube\"},"
                            " {\"mesh\": \"box:size=2,2,2:cells=1\", \"scale\": 0.5,"
                            "  \"rotation\": [0, 0, 90], \"position\": [10, 0, 0],"
                            "  \"color\": \"#ff8000\", \"opacity\": 0.5, \"edges\": true,"
                            "  \"cut\": {\"normal\": [0, 1, 0], \"offset\": 0.25}}]}",
                            &scene);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_EQUAL_INT(2, scene.n_bodies);
    TEST_ASSERT_FALSE(scene.ground);
    TEST_ASSERT_TRUE(scene.has_camera);
    TEST_ASSERT_EQUAL_DOUBLE(2, scene.eye[1]);
    TEST_ASSERT_EQUAL_DOUBLE(0, scene.target[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, acos(-1) / 2, scene.view_angle);
    const pl_scene_body *b = &scene.bodies[1];
    double lo[3], hi[3];
    pl_mesh_bounds(b->mesh, lo, hi);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 9.5, lo[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 10.5, hi[0]);
    TEST_ASSERT_TRUE(b->has_color);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 128 / 255.0, b->color[1]);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, b->opacity);
    TEST_ASSERT_TRUE(b->edges);
    TEST_ASSERT_TRUE(b->cut.on);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, b->cut.offset);
    TEST_ASSERT_EQUAL_DOUBLE(0, b->cut.normal[0]);
    TEST_ASSERT_FALSE(scene.bodies[0].cut.on);
    TEST_ASSERT_FALSE(scene.bodies[0].has_color);
    pl_scene_free(&scene);
}

// x first, then y, then z: a box of 2 x 4 x 6 turned by 90 degrees about x and z.
static void test_rotation_order(void)
{
    pl_scene scene;
    TEST_ASSERT_EQUAL(PL_OK, load("{\"bodies\": [{\"mesh\": \"box:size=2,4,6\","
                                  " \"rotation\": [90, 0, 90]}]}",
                                  &scene));
    double lo[3], hi[3];
    pl_mesh_bounds(scene.bodies[0].mesh, lo, hi);
    // About x: (2, 6, 4); then about z: (6, 2, 4).
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 6, hi[0] - lo[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2, hi[1] - lo[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4, hi[2] - lo[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 48, pl_mesh_volume(scene.bodies[0].mesh));
    pl_scene_free(&scene);
}

static void test_complaints_name_the_key(void)
{
    refuse("", ":1:1: not valid JSON");
    refuse("{\n \"bodies\": [}", ":2:13: not valid JSON");
    refuse("{\"bodies\": []} x", ":1:16: not valid JSON");
    refuse("[]", ": an object {...} expected");
    refuse("{}", ": the key \"bodies\" is missing");
    refuse("{\"bodys\": []}", ": unknown key \"bodys\", did you mean \"bodies\"?");
    refuse("{\"bodies\": 3}", ": bodies: an array [...] expected");
    refuse("{\"bodies\": [], \"bodies\": []}", ": the key \"bodies\" stands twice");
    refuse("{\"bodies\": [{}]}", ": bodies[0]: the key \"mesh\" is missing");
    refuse("{\"bodies\": [{\"mesh\": 3}]}", ": bodies[0].mesh: a \"text\" expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"scale\": 0}]}",
           ": bodies[0].scale: a number above 0 expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"scale\": 1e999}]}",
           ": bodies[0].scale: a finite number expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"scale\": NaN}]}", ":1:39: not valid JSON");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"position\": [1, 2]}]}",
           ": bodies[0].position: three numbers [x, y, z] expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"position\": [1, 2, \"3\"]}]}",
           ": bodies[0].position[2]: a number expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"color\": \"red\"}]}",
           ": bodies[0].color: a colour \"#rrggbb\" expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"edges\": 1}]}",
           ": bodies[0].edges: true or false expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\"}, {\"mesh\": \"cube:cells=0\"}]}",
           ": bodies[1].mesh: cube: cells: 0 is not a whole number from 1 to 100000");
    refuse("{\"bodies\": [{\"mesh\": \"none.off\"}]}",
           ": bodies[0].mesh: /tmp/none.off: No such file or directory");
    refuse("{\"camera\": {\"target\": [0, 0, 0]}, \"bodies\": []}",
           ": camera: the key \"eye\" is missing");
    refuse("{\"camera\": {\"eye\": [0, 0, 0]}, \"bodies\": []}",
           ": camera: eye and target must differ");
}

// --- How it moves ---

static pl_world *world_of(const char *text)
{
    pl_scene scene;
    pl_world *world;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, load(text, &scene), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    pl_scene_free(&scene);
    return world;
}

// The scene is well-formed, but there is no such world.
static void refuse_world(const char *text, const char *complaint)
{
    pl_scene scene;
    pl_world *world = (pl_world *)1;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, load(text, &scene), pl_error_text());
    TEST_ASSERT_NOT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), text);
    TEST_ASSERT_NULL(world);
    TEST_ASSERT_EQUAL_STRING_LEN(path, pl_error_text(), strlen(path));
    TEST_ASSERT_EQUAL_STRING(complaint, pl_error_text() + strlen(path));
    pl_scene_free(&scene);
}

static void test_world_keys(void)
{
    pl_scene scene;
    TEST_ASSERT_EQUAL(PL_OK, load("{\"bodies\": []}", &scene));
    TEST_ASSERT_EQUAL_DOUBLE(pl_world_options_default().dt, scene.world.dt);
    TEST_ASSERT_EQUAL_DOUBLE(1, scene.duration);
    pl_scene_free(&scene);
    TEST_ASSERT_EQUAL(PL_OK,
                      load("{\"world\": {\"dt\": 0.25, \"gravity\": [1, 2, 3], \"duration\": 4,"
                           " \"integrator\": \"implicit\", \"tolerance\": 0.5,"
                           " \"max_iterations\": 6, \"newton_tolerance\": 0.125,"
                           " \"newton_iterations\": 8}, \"bodies\": []}",
                           &scene));
    TEST_ASSERT_EQUAL_DOUBLE(0.25, scene.world.dt);
    TEST_ASSERT_EQUAL_DOUBLE(3, scene.world.gravity[2]);
    TEST_ASSERT_EQUAL_DOUBLE(4, scene.duration);
    TEST_ASSERT_EQUAL(PL_INTEGRATOR_IMPLICIT, scene.world.integrator);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, scene.world.tolerance);
    TEST_ASSERT_EQUAL_INT(6, scene.world.max_iterations);
    TEST_ASSERT_EQUAL_DOUBLE(0.125, scene.world.newton_tolerance);
    TEST_ASSERT_EQUAL_INT(8, scene.world.newton_iterations);
    pl_scene_free(&scene);
}

static void test_body_keys(void)
{
    pl_scene scene;
    pl_status status =
        load("{\"bodies\": [{\"mesh\": \"cube\", \"velocity\": [1, 2, 3],"
             " \"angular_velocity\": [0, 180, 0], \"material\": {\"kind\": \"mooney-rivlin\","
             " \"young\": 7, \"poisson\": 0.25, \"density\": 3, \"mass_damping\": 4,"
             " \"stiffness_damping\": 5, \"stretch_limit\": 0.5, \"mooney_share\": 0.25}},"
             " {\"mesh\": \"cube\", \"material\": null}, {\"mesh\": \"cube\"}]}",
             &scene);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    const pl_deformable_options *o = &scene.bodies[0].deformable;
    TEST_ASSERT_EQUAL(PL_MATERIAL_MOONEY_RIVLIN, o->material.kind);
    TEST_ASSERT_EQUAL_DOUBLE(7, o->material.young);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, o->material.poisson);
    TEST_ASSERT_EQUAL_DOUBLE(3, o->material.density);
    TEST_ASSERT_EQUAL_DOUBLE(4, o->material.mass_damping);
    TEST_ASSERT_EQUAL_DOUBLE(5, o->material.stiffness_damping);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, o->material.stretch_limit);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, o->material.mooney_share);
    TEST_ASSERT_EQUAL_DOUBLE(2, o->velocity[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, acos(-1), o->angular_velocity[1]);
    TEST_ASSERT_TRUE(scene.bodies[0].simulated);
    TEST_ASSERT_FALSE(scene.bodies[1].simulated);
    TEST_ASSERT_TRUE(scene.bodies[2].simulated);
    TEST_ASSERT_EQUAL_DOUBLE(5e5, scene.bodies[2].deformable.material.young);
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_world(&scene, &world));
    TEST_ASSERT_EQUAL_INT(2, pl_world_body_count(world));
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

// The corners of a cube of one cell have x, y, z = -0.5 or 0.5; here it is moved up by 1.
static void expect_selection(const char *selection, int n, const int32_t *expected)
{
    char text[256];
    pl_scene scene;
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"mesh\": \"cube:cells=1\", \"position\": [0, 0, 1], \"fixed\": %s}]}",
             selection);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, load(text, &scene), pl_error_text());
    TEST_ASSERT_EQUAL_INT_MESSAGE(n, scene.bodies[0].n_fixed, selection);
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, scene.bodies[0].fixed, (unsigned)n);
    pl_scene_free(&scene);
}

static void test_selections(void)
{
    // How the shape numbers its corners.
    pl_mesh *cube;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make("cube:cells=1", &cube));
    const double *x = pl_mesh_positions(cube);
    int32_t high[8], right[8], edge[8], n_high = 0, n_right = 0, n_edge = 0;
    for (int32_t i = 0; i < 8; i++) {
        bool is_high = x[3 * i + 2] > 0, is_right = x[3 * i] > 0;
        if (is_high) high[n_high++] = i;
        if (is_right) right[n_right++] = i;
        if (is_high && is_right) edge[n_edge++] = i;
    }
    pl_mesh_destroy(cube);
    expect_selection("[7, 2, 2, 0]", 3, (const int32_t[]){0, 2, 7});
    expect_selection("{\"above\": 1.5}", n_high, high); // bounds belong to it
    expect_selection("{\"above\": 0, \"axis\": \"x\"}", n_right, right);
    expect_selection("{\"above\": 1.2, \"box\": {\"min\": [0, -9, -9], \"max\": [9, 9, 9]}}",
                     n_edge, edge);
    expect_selection("{}", 8, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7});
}

// Vertex 0 is fixed, 1 moves along z for half a second, 2 is turned about x by keys, 3 is named
// twice: the later motion counts.
static void test_motions(void)
{
    pl_world *world = world_of(
        "{\"world\": {\"dt\": 0.0625, \"gravity\": [0, 0, 0]},"
        " \"bodies\": [{\"mesh\": \"cube:cells=1\", \"fixed\": [0, 3], \"driven\": ["
        " {\"select\": [1], \"motion\": {\"velocity\": [0, 0, 0.25], \"end\": 0.5}},"
        " {\"select\": [2], \"motion\": {\"axis\": [2, 0, 0], \"centre\": [0, 0.5, 0], \"keys\":"
        "  [{\"time\": 0}, {\"time\": 0.25, \"angle\": 90, \"offset\": [0.125, 0, 0]}]}},"
        " {\"select\": [3], \"motion\": {\"rate\": 360}}]}]}");
    double before[24];
    memcpy(before, pl_world_positions(world, 0), sizeof before);
    for (int i = 0; i < 8; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, NULL), pl_error_text());
    }
    const double *x = pl_world_positions(world, 0);
    const double rounding = 1e-14; // of a few sums of numbers near 1
    TEST_ASSERT_EQUAL_DOUBLE(before[1], x[1]);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, before[5] + 0.125, x[5]);
    double y = before[7] - 0.5, z = before[8];
    TEST_ASSERT_DOUBLE_WITHIN(rounding, before[6] + 0.125, x[6]);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, 0.5 - z, x[7]);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, y, x[8]);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, -before[9], x[9]); // half a turn
    TEST_ASSERT_DOUBLE_WITHIN(rounding, -before[10], x[10]);
    pl_world_destroy(world);
}

// The forces on a free body are its change of momentum, whatever they are spread over.
static void test_forces(void)
{
    pl_world *world =
        world_of("{\"world\": {\"dt\": 0.125, \"gravity\": [0, 0, 0]}, \"bodies\": [{\"mesh\":"
                 " \"cube\", \"forces\": [{\"total\": [4, 0, 0]}, {\"total\": [0, 0, 2],"
                 " \"select\": {\"above\": 0.4}}]}]}");
    pl_energy energy;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &energy));
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.5, energy.momentum[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.25, energy.momentum[2]);
    pl_world_destroy(world);
}

static void test_pose(void)
{
    pl_scene scene;
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_OK, load("{\"bodies\": [{\"mesh\": \"ring\", \"material\": null},"
                                  " {\"mesh\": \"cube\", \"velocity\": [1, 0, 0]},"
                                  " {\"mesh\": \"cube\", \"velocity\": [0, 3, 0]}]}",
                                  &scene));
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_world(&scene, &world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, NULL));
    double lo[3], hi[3];
    pl_scene_pose(&scene, world);
    pl_mesh_bounds(scene.bodies[0].mesh, lo, hi);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, lo[0] + hi[0]);
    pl_mesh_bounds(scene.bodies[1].mesh, lo, hi);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2 * 1e-3, lo[0] + hi[0]); // the default step of 1 ms
    pl_mesh_bounds(scene.bodies[2].mesh, lo, hi);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 6 * 1e-3, lo[1] + hi[1]);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

#define BODY(keys) "{\"bodies\": [{\"mesh\": \"cube:cells=1\", " keys "}]}"
#define WORLD(keys) "{\"world\": {" keys "}, \"bodies\": [{\"mesh\": \"cube\"}]}"

static void test_physics_complaints(void)
{
    refuse(WORLD("\"dT\": 1"), ": world: unknown key \"dT\", did you mean \"dt\"?");
    refuse(WORLD("\"dt\": \"x\""), ": world.dt: a number expected");
    refuse(WORLD("\"dt\": 1e999"), ": world.dt: a finite number expected");
    refuse(WORLD("\"integrator\": \"explicit\""),
           ": world.integrator: unknown integrator \"explicit\", did you mean \"implicit\"?");
    refuse(WORLD("\"max_iterations\": 1.5"),
           ": world.max_iterations: a whole number, 0 or more, expected");
    refuse(WORLD("\"duration\": 0"), ": world.duration: a number above 0 expected");
    refuse(BODY("\"materiel\": {}"),
           ": bodies[0]: unknown key \"materiel\", did you mean \"material\"?");
    refuse(BODY("\"material\": 3"), ": bodies[0].material: an object {...} expected");
    refuse(BODY("\"material\": {\"kind\": \"neohookean\"}"),
           ": bodies[0].material.kind: unknown kind \"neohookean\", did you mean \"neo-hookean\"?");
    refuse(BODY("\"material\": null, \"fixed\": [0]"),
           ": bodies[0].fixed: the body is only drawn (\"material\": null)");
    refuse(BODY("\"fixed\": [0, 8]"), ": bodies[0].fixed[1]: vertex 8 of 8: the first is 0");
    refuse(BODY("\"fixed\": [-1]"), ": bodies[0].fixed[0]: a whole number, 0 or more, expected");
    refuse(BODY("\"fixed\": []"), ": bodies[0].fixed: no vertex of the body lies there");
    refuse(BODY("\"fixed\": 0"),
           ": bodies[0].fixed: a list of vertices [...] or a region {...} expected");
    refuse(BODY("\"fixed\": {\"above\": 2}"),
           ": bodies[0].fixed: no vertex of the body lies there");
    refuse(BODY("\"fixed\": {\"box\": {\"min\": [0, 0, 0]}}"),
           ": bodies[0].fixed.box: the key \"max\" is missing");
    refuse(BODY("\"driven\": [{\"motion\": {}}]"),
           ": bodies[0].driven[0]: the key \"select\" is missing");
    refuse(BODY("\"driven\": [{\"select\": [0], \"motion\": {\"keys\": [{\"time\": 1},"
                " {\"time\": 1}]}}]"),
           ": bodies[0].driven[0].motion.keys[1].time: not later than that of the key before");
    refuse(BODY("\"driven\": [{\"select\": [0], \"motion\": {\"keys\": [{}]}}]"),
           ": bodies[0].driven[0].motion.keys[0]: the key \"time\" is missing");
    refuse(BODY("\"forces\": [{}]"), ": bodies[0].forces[0]: the key \"total\" is missing");
    refuse(BODY("\"forces\": [{\"total\": [0, 0, 1], \"select\": [9]}]"),
           ": bodies[0].forces[0].select[0]: vertex 9 of 8: the first is 0");
}

static void test_world_complaints(void)
{
    refuse_world("{\"bodies\": []}", ": bodies: none of them is simulated");
    refuse_world(WORLD("\"dt\": 0"), ": world.dt: 0 is not above 0 s");
    refuse_world(WORLD("\"dt\": -1"), ": world.dt: -1 is not above 0 s");
    refuse_world(WORLD("\"tolerance\": 1"), ": world.tolerance: 1 is not between 0 and 1");
    refuse_world(WORLD("\"max_iterations\": 0"), ": world.max_iterations: below 1");
    refuse_world(BODY("\"material\": {\"young\": -5}"),
                 ": bodies[0].material.young: -5 is not above 0 Pa");
    refuse_world(BODY("\"material\": {\"poisson\": 0.5}"),
                 ": bodies[0].material.poisson: 0.5 is not between -1 and 0.5");
    refuse_world(BODY("\"material\": {\"density\": 0}"),
                 ": bodies[0].material.density: 0 is not above 0 kg/m^3");
    refuse_world(BODY("\"driven\": [{\"select\": [0], \"motion\": {\"start\": 1, \"end\": 0}}]"),
                 ": bodies[0].driven[0].motion.end: before the start");
    refuse_world(BODY("\"driven\": [{\"select\": [0], \"motion\": {\"rate\": 1,"
                      " \"axis\": [0, 0, 0]}}]"),
                 ": bodies[0].driven[0].motion.axis: has no direction");
}

// A surface can be drawn, but not simulated.
static void test_a_body_without_tets(void)
{
    static char surface[] = "/tmp/pliant_scene_XXXXXX.off";
    int fd = mkstemps(surface, 4);
    TEST_ASSERT_TRUE(fd >= 0);
    static const char off[] = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
                              "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
    TEST_ASSERT_EQUAL_INT(sizeof off - 1, write(fd, off, sizeof off - 1));
    close(fd);
    char text[128];
    snprintf(text, sizeof text, "{\"bodies\": [{\"mesh\": \"%s\"}]}", surface);
    refuse_world(text, ": bodies[0].mesh: the mesh has no tets; 'pliant mesh --fill' makes them");
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"mesh\": \"%s\", \"forces\": [{\"total\": [1, 0, 0]}]}]}", surface);
    refuse(text, ": bodies[0].forces[0]: there is no tet for it to act on");
    unlink(surface);
}

// Each allocation that reading a scene and making its world need fails in turn.
static void test_allocations_fail(void)
{
    const char *text =
        "{\"bodies\": [{\"mesh\": \"cube\", \"fixed\": [0], \"driven\": [{\"select\":"
        " [1], \"motion\": {\"keys\": [{\"time\": 0}]}}], \"forces\": [{\"total\":"
        " [1, 0, 0], \"select\": [1]}]}]}";
    pl_scene scene;
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_OK, load(text, &scene)); // leaves the file in place
    pl_scene_free(&scene);
    int n = 0;
    for (pl_status status = PL_ERROR_MEMORY; status != PL_OK; n++) {
        TEST_ASSERT_TRUE(n < 1000);
        fail_nth(n);
        status = pl_scene_load(path, &scene);
        if (status == PL_OK) {
            status = pl_scene_world(&scene, &world);
            if (status == PL_OK) pl_world_destroy(world);
            pl_scene_free(&scene);
        }
        fail_never();
        TEST_ASSERT_EQUAL_INT64(0, live_blocks);
        TEST_ASSERT_TRUE(status == PL_OK || strstr(pl_error_text(), "memory") != NULL);
    }
    TEST_ASSERT_TRUE(n > 10);
}

// Nesting is bounded: a file of brackets is an error at a byte, not a crash.
static void test_hostile_nesting(void)
{
    int n = 1000000;
    char *text = malloc((size_t)n + 1);
    memset(text, '[', (size_t)n);
    text[n] = '\0';
    pl_scene scene;
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, load(text, &scene));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "not valid JSON"));
    free(text);
}

// So is the size, whose tree would fill the memory.
static void test_hostile_size(void)
{
    pl_scene scene;
    TEST_ASSERT_EQUAL(0, truncate(path, 100 << 20));
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_scene_load(path, &scene));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), ": byte 16777216: "), pl_error_text());
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    UNITY_BEGIN();
    RUN_TEST(test_a_whole_scene);
    RUN_TEST(test_rotation_order);
    RUN_TEST(test_complaints_name_the_key);
    RUN_TEST(test_world_keys);
    RUN_TEST(test_body_keys);
    RUN_TEST(test_selections);
    RUN_TEST(test_motions);
    RUN_TEST(test_forces);
    RUN_TEST(test_pose);
    RUN_TEST(test_physics_complaints);
    RUN_TEST(test_world_complaints);
    RUN_TEST(test_a_body_without_tets);
    RUN_TEST(test_allocations_fail);
    RUN_TEST(test_hostile_nesting);
    RUN_TEST(test_hostile_size);
    unlink(path);
    return UNITY_END();
}
