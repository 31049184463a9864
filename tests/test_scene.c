// Scene files: what they mean, and complaints that name the key.

#include "../apps/scene/scene.h"
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

// A mesh that is called by its name alone.
#define UNFOUND ", nor in a folder of meshes; `make meshes` makes those of Pliant's scenes"

static void refuse(const char *text, const char *complaint)
{
    pl_scene scene;
    TEST_ASSERT_NOT_EQUAL_MESSAGE(PL_OK, load(text, &scene), text);
    TEST_ASSERT_EQUAL_STRING_LEN(path, pl_error_text(), strlen(path));
    TEST_ASSERT_EQUAL_STRING(complaint, pl_error_text() + strlen(path));
    TEST_ASSERT_NULL(scene.bodies);
}

static void test_a_scene_in_memory(void)
{
    pl_scene scene;
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_parse("{\"bodies\": [{\"mesh\": \"cube\"}]}", "x", &scene));
    TEST_ASSERT_EQUAL_INT(1, scene.n_bodies);
    pl_scene_free(&scene);
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_scene_parse("{\"bodies\": 1}", "x", &scene));
    TEST_ASSERT_EQUAL_STRING("x: bodies: an array [...] expected", pl_error_text());
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_scene_parse("{\n 1}", "x", &scene));
    TEST_ASSERT_EQUAL_STRING("x:2:3: not valid JSON", pl_error_text());
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
    TEST_ASSERT_EQUAL_INT(1, scene.n_shots);
    const pl_shot *shot = &scene.shots[0].shot;
    TEST_ASSERT_EQUAL(PL_SHOT_FIXED, shot->kind);
    TEST_ASSERT_EQUAL_DOUBLE(2, shot->eye[1]);
    TEST_ASSERT_EQUAL_DOUBLE(0, shot->target[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, acos(-1) / 2, shot->fov_y);
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
    refuse("{\"gravity\": [0, 0, 0], \"bodies\": []}",
           ": unknown key \"gravity\": \"world\" has it");
    refuse("{\"gravitty\": [0, 0, 0], \"bodies\": []}",
           ": unknown key \"gravitty\", did you mean \"gravity\" of \"world\"?");
    refuse("{\"bodies\": [], \"zebra\": 1}",
           ": unknown key \"zebra\" (known: comment, bodies, "
           "joints, couplings, motors, cables, instances, assemblies, "
           "ground, camera, cameras, world, friction_pairs, grid)");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"young\": 1e5}]}",
           ": bodies[0]: unknown key \"young\": \"material\" has it");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"material\": {\"friction\": 1}}]}",
           ": bodies[0].material: unknown key \"friction\": \"bodies\" has it");
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
           ": bodies[0].mesh: /tmp/none.off: No such file or directory" UNFOUND);
    refuse(
        "{\"bodies\": [{\"mesh\": \"rnig\"}]}",
        ": bodies[0].mesh: rnig: no such file, and unknown shape \"rnig\", did you mean \"ring\"?");
    refuse("{\"bodies\": [{\"mesh\": \"build/meshes/none.msh\"}]}",
           ": bodies[0].mesh: /tmp/build/meshes/none.msh: No such file or directory; `make meshes` "
           "makes those of Pliant's scenes");
    refuse("{\"camera\": {\"target\": [0, 0, 0]}, \"bodies\": []}",
           ": camera: the key \"eye\" is missing");
    refuse("{\"camera\": {\"eye\": [0, 0, 0]}, \"bodies\": []}",
           ": camera: eye and target must differ");
}

// --- What is drawn ---

// Copies share one surface, and each carries it to where it would be as a body by itself.
static void test_render_mesh(void)
{
#define COPIES                                                                                     \
    "\"scale\": 2, \"rotation\": [10, 20, 30], \"position\": [1, 2, 3],"                           \
    " \"copies\": {\"count\": [2, 1, 2], \"spacing\": [9, 9, 9], \"turn\": true}}"
    pl_scene scene;
    pl_status status = load("{\"bodies\": [{\"mesh\": \"cube\", \"render_mesh\":"
                            " \"icosphere:level=3:radius=0.7\", " COPIES
                            ", {\"mesh\": \"icosphere:level=3:radius=0.7\", " COPIES
                            ", {\"mesh\": \"cube\", \"render_mesh\": \"cube\"}]}",
                            &scene);
#undef COPIES
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_EQUAL_INT(9, scene.n_bodies);
    TEST_ASSERT_EQUAL_INT(2, scene.n_embeddings);
    for (int i = 0; i < 4; i++) {
        TEST_ASSERT_EQUAL_PTR(scene.embeddings[0], scene.bodies[i].embedding);
        TEST_ASSERT_NULL(scene.bodies[4 + i].embedding);
        pl_mesh *carried, *alone;
        TEST_ASSERT_EQUAL(PL_OK, pl_scene_body_surface(&scene.bodies[i], &carried));
        TEST_ASSERT_EQUAL(PL_OK, pl_scene_body_surface(&scene.bodies[4 + i], &alone));
        int32_t n = pl_mesh_vertex_count(alone), m = pl_mesh_face_count(alone);
        TEST_ASSERT_EQUAL_INT(642, n);
        TEST_ASSERT_EQUAL_INT(n, pl_mesh_vertex_count(carried));
        TEST_ASSERT_EQUAL_INT(m, pl_mesh_face_count(carried));
        TEST_ASSERT_EQUAL_MEMORY(pl_mesh_faces(alone), pl_mesh_faces(carried),
                                 3 * (size_t)m * sizeof(int32_t));
        for (int k = 0; k < 3 * n; k++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, pl_mesh_positions(alone)[k],
                                      pl_mesh_positions(carried)[k]);
        }
        pl_mesh_destroy(carried);
        pl_mesh_destroy(alone);
    }
    TEST_ASSERT_EQUAL_PTR(scene.embeddings[1], scene.bodies[8].embedding);
    pl_scene_free(&scene);
}

// Only what bends carries by its tets: others may carry what is far away.
static void test_render_mesh_of_any_type(void)
{
    static const char *const types[] = {"\"type\": \"deformable\"", "\"type\": \"rigid\"",
                                        "\"type\": \"kinematic\"", "\"type\": \"static\"",
                                        "\"material\": null"};
    for (int i = 0; i < 5; i++) {
        char text[256];
        pl_scene scene;
        snprintf(text, sizeof text,
                 "{\"bodies\": [{\"mesh\": \"cube\", %s, \"render_mesh\": \"cube:size=%d\"}]}",
                 types[i], i == 0 ? 2 : 100);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, load(text, &scene), pl_error_text());
        TEST_ASSERT_EQUAL(i > 0, scene.bodies[0].embedding->rigid);
        pl_scene_free(&scene);
    }
}

static void test_complaints_about_render_meshes(void)
{
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"render_mesh\": 3}]}",
           ": bodies[0].render_mesh: a \"text\" expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"render_mash\": \"cube\"}]}",
           ": bodies[0]: unknown key \"render_mash\", did you mean \"render_mesh\"?");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"render_mesh\": \"none.off\"}]}",
           ": bodies[0].render_mesh: /tmp/none.off: No such file or directory" UNFOUND);
    refuse("{\"bodies\": [{\"mesh\": \"cube\"}, {\"mesh\": \"cube:size=2:cells=1\","
           " \"render_mesh\": \"box:size=40,1,1:cells=1,1,1\"}]}",
           ": bodies[1].render_mesh: vertex 0 is 19 m away from the body, whose nearest "
           "tetrahedron has a size of 3.46 m: a surface that it carries must have its scale and "
           "place");
    // The mesh is the one to blame if there is nothing to carry it.
    refuse("{\"bodies\": [{\"mesh\": \"none.off\", \"render_mesh\": \"cube\"}]}",
           ": bodies[0].mesh: /tmp/none.off: No such file or directory" UNFOUND);
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
    TEST_ASSERT_EQUAL(
        PL_OK,
        load("{\"world\": {\"dt\": 0.25, \"gravity\": [1, 2, 3], \"duration\": 4,"
             " \"integrator\": \"implicit\", \"tolerance\": 0.5,"
             " \"max_iterations\": 6, \"newton_tolerance\": 0.125,"
             " \"max_newton\": 8, \"contact\": true, \"solver\": \"cr\","
             " \"precond\": \"diag\", \"residual_tolerance\": 0.25, \"contact_tolerance\": 2,"
             " \"contact_iterations\": 9, \"rounds\": 3, \"halvings\": 2,"
             " \"vj19\": true, \"sleep\": true, \"sleep_speed\": 0.5, \"sleep_time\": 0.75},"
             " \"bodies\": []}",
             &scene));
    TEST_ASSERT_EQUAL_DOUBLE(0.25, scene.world.dt);
    TEST_ASSERT_EQUAL_DOUBLE(3, scene.world.gravity[2]);
    TEST_ASSERT_EQUAL_DOUBLE(4, scene.duration);
    TEST_ASSERT_EQUAL(PL_INTEGRATOR_IMPLICIT, scene.world.integrator);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, scene.world.tolerance);
    TEST_ASSERT_EQUAL_INT(6, scene.world.max_iterations);
    TEST_ASSERT_EQUAL_DOUBLE(0.125, scene.world.newton_tolerance);
    TEST_ASSERT_EQUAL_INT(8, scene.world.max_newton);
    TEST_ASSERT_TRUE(scene.world.contact);
    TEST_ASSERT_EQUAL_STRING("cr", scene.world.solver);
    TEST_ASSERT_EQUAL_STRING("diag", scene.world.precond);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, scene.world.residual_tolerance);
    TEST_ASSERT_EQUAL_DOUBLE(2, scene.world.contact_tolerance);
    TEST_ASSERT_EQUAL_INT(9, scene.world.contact_iterations);
    TEST_ASSERT_EQUAL_INT(3, scene.world.rounds);
    TEST_ASSERT_EQUAL_INT(2, scene.world.halvings);
    TEST_ASSERT_TRUE(scene.world.vj19);
    TEST_ASSERT_TRUE(scene.world.sleep);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, scene.world.sleep_speed);
    TEST_ASSERT_EQUAL_DOUBLE(0.75, scene.world.sleep_time);
    pl_scene_free(&scene);
}

static char remark[256];

static void keep_remark(pl_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == PL_LOG_WARNING) snprintf(remark, sizeof remark, "%s", text);
}

// Scenes of before still work, and learn the new names.
static void test_old_keys(void)
{
    pl_scene scene;
    const char *old[] = {"eps1", "eps2", "paper"};
    const char *now[] = {"residual_tolerance", "contact_tolerance", "vj19"};
    pl_set_log(keep_remark, NULL);
    for (int i = 0; i < 3; i++) {
        char text[128], expected[512];
        snprintf(text, sizeof text, "{\"world\": {\"%s\": %s}, \"bodies\": []}", old[i],
                 i == 2 ? "true" : "0.25");
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, load(text, &scene), pl_error_text());
        double value[] = {scene.world.residual_tolerance, scene.world.contact_tolerance,
                          0.25 * scene.world.vj19};
        TEST_ASSERT_EQUAL_DOUBLE(0.25, value[i]);
        snprintf(expected, sizeof expected, "%s: world.%s is now called %s", path, old[i], now[i]);
        TEST_ASSERT_EQUAL_STRING(expected, remark);
        pl_scene_free(&scene);
    }
    pl_set_log(NULL, NULL);
    refuse("{\"world\": {\"eps1\": 0.1, \"residual_tolerance\": 0.2}, \"bodies\": []}",
           ": world: the key \"residual_tolerance\" stands twice");
}

// Bodies touch unless the scene says otherwise, or uses the integrator that knows no contact.
static void test_contact_by_default(void)
{
    static const struct {
        const char *world;
        bool contact;
    } cases[] = {{"{}", true},
                 {"{\"contact\": false}", false},
                 {"{\"integrator\": \"implicit\"}", true},
                 {"{\"integrator\": \"semi-implicit\"}", true},
                 {"{\"integrator\": \"bdf2\"}", true}};
    for (int i = 0; i < 5; i++) {
        char text[128];
        pl_scene scene;
        snprintf(text, sizeof text, "{\"world\": %s, \"bodies\": []}", cases[i].world);
        TEST_ASSERT_EQUAL(PL_OK, load(text, &scene));
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].contact, scene.world.contact, text);
        pl_scene_free(&scene);
    }
}

static void test_body_keys(void)
{
    pl_scene scene;
    pl_status status =
        load("{\"bodies\": [{\"mesh\": \"cube\", \"velocity\": [1, 2, 3],"
             " \"angular_velocity\": [0, 180, 0], \"material\": {\"kind\": \"mooney-rivlin\","
             " \"young\": 7, \"poisson\": 0.25, \"density\": 3, \"mass_damping\": 4,"
             " \"stiffness_damping\": 5, \"stretch_limit\": 0.5, \"mooney_share\": 0.25}},"
             " {\"mesh\": \"cube\", \"material\": null}, {\"mesh\": \"cube\"},"
             " {\"mesh\": \"cube\", \"position\": [3, 0, 0], \"material\": {\"kind\": \"ogden\","
             " \"ogden_exponent\": -5, \"stretch_limit\": 0}},"
             " {\"mesh\": \"cube\", \"position\": [6, 0, 0],"
             " \"material\": {\"kind\": \"stable-neo-hookean\"}}]}",
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
    const pl_material_options *ogden = &scene.bodies[3].deformable.material;
    TEST_ASSERT_EQUAL(PL_MATERIAL_OGDEN, ogden->kind);
    TEST_ASSERT_EQUAL_DOUBLE(-5, ogden->ogden_exponent);
    TEST_ASSERT_EQUAL_DOUBLE(0, ogden->stretch_limit);
    TEST_ASSERT_EQUAL(PL_MATERIAL_STABLE_NEO_HOOKEAN, scene.bodies[4].deformable.material.kind);
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_world(&scene, &world));
    TEST_ASSERT_EQUAL_INT(4 + 1, pl_world_body_count(world)); // and the ground
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

static void test_types(void)
{
    pl_scene scene;
    pl_status status = load(
        "{\"ground\": false, \"bodies\": [{\"mesh\": \"cube\", \"type\": \"rigid\", \"density\": 3,"
        " \"damping\": 4, \"velocity\": [1, 2, 3], \"angular_velocity\": [0, 0, 90],"
        " \"friction\": 0.25, \"radius\": 0.125, \"contact_distance\": 0.002},"
        " {\"mesh\": \"cube\", \"position\": [3, 0, 0], \"type\": \"static\"},"
        " {\"mesh\": \"cube\", \"position\": [6, 0, 0], \"type\": \"kinematic\","
        "  \"motion\": {\"rate\": 180, \"keys\": [{\"time\": 2}]}},"
        " {\"mesh\": \"cube\", \"position\": [9, 0, 0], \"type\": \"deformable\","
        "  \"self\": false},"
        " {\"mesh\": \"cube\", \"position\": [0, 3, 0], \"type\": \"rigid\", \"mass\": 7}]}",
        &scene);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    static const pl_body_kind kinds[] = {PL_BODY_RIGID, PL_BODY_KINEMATIC, PL_BODY_KINEMATIC,
                                         PL_BODY_DEFORMABLE, PL_BODY_RIGID};
    const pl_rigid_options *o = &scene.bodies[0].rigid;
    TEST_ASSERT_EQUAL_DOUBLE(3, o->density);
    TEST_ASSERT_EQUAL_DOUBLE(4, o->damping);
    TEST_ASSERT_EQUAL_DOUBLE(2, o->velocity[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, acos(-1) / 2, o->angular_velocity[2]);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, o->surface.friction);
    TEST_ASSERT_EQUAL_DOUBLE(0.125, o->surface.radius);
    TEST_ASSERT_EQUAL_DOUBLE(0.002, o->surface.contact_distance);
    TEST_ASSERT_EQUAL_DOUBLE(0, scene.bodies[1].kinematic.motion.rate);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, acos(-1), scene.bodies[2].kinematic.motion.rate);
    TEST_ASSERT_EQUAL_DOUBLE(2, scene.bodies[2].kinematic.motion.key[0].time);
    TEST_ASSERT_FALSE(scene.bodies[3].deformable.surface.self);
    pl_world *world;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    TEST_ASSERT_EQUAL_INT(5, pl_world_body_count(world));
    for (int i = 0; i < 5; i++) TEST_ASSERT_EQUAL(kinds[i], pl_world_kind(world, i));
    pl_frame frame;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 0, &frame));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, frame.mass);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 4, &frame));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 7, frame.mass);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

// The ground is the last body, and only where it can carry: not without contact, not if it is off.
static void test_ground(void)
{
#define GROUND(ground, contact)                                                                    \
    "{\"ground\": " ground ", \"world\": {\"contact\": " contact                                   \
    "}, \"bodies\": [{\"mesh\": \"cube\", \"position\": [0, 0, 9]}]}"
    static const struct {
        const char *text;
        int bodies;
    } cases[] = {{GROUND("true", "true"), 2},
                 {GROUND("{\"friction\": 0.25, \"size\": 8}", "true"), 2},
                 {GROUND("false", "true"), 1},
                 {GROUND("true", "false"), 1}};
    for (int i = 0; i < 4; i++) {
        pl_world *world = world_of(cases[i].text);
        TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].bodies, pl_world_body_count(world), cases[i].text);
        pl_world_destroy(world);
    }
    pl_scene scene;
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_OK, load(cases[1].text, &scene));
    TEST_ASSERT_TRUE(scene.ground);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, scene.ground_surface.friction);
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_world(&scene, &world));
    TEST_ASSERT_EQUAL(PL_BODY_KINEMATIC, pl_world_kind(world, 1));
    const double *x = pl_world_positions(world, 1);
    for (int i = 0; i < 3; i++) { // behind the square that is drawn
        // A line through two corners passes the square's corners at 4 sqrt(2) m from its middle.
        const double *a = x + 3 * (4 + i), *b = x + 3 * (4 + (i + 1) % 3);
        TEST_ASSERT_EQUAL_DOUBLE(0, a[2]);
        double cross = a[0] * b[1] - a[1] * b[0];
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4 * sqrt(2), cross / hypot(b[0] - a[0], b[1] - a[1]));
    }
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

// A cube falls on the ground and stays there; one that ignores the ground falls through it.
static void test_the_ground_carries(void)
{
    pl_world *world = world_of(
        "{\"bodies\": [{\"mesh\": \"cube\", \"position\": [0, 0, 0.51], \"type\": \"rigid\"},"
        " {\"mesh\": \"cube\", \"position\": [2, 0, 0.51], \"ignore\": [\"ground\"]}]}");
    for (int i = 0; i < 100; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, NULL), pl_error_text());
    }
    double least[2] = {1, 1};
    for (int b = 0; b < 2; b++) {
        const double *x = pl_world_positions(world, b);
        for (int i = 0; i < 27; i++) least[b] = fmin(least[b], x[3 * i + 2]);
    }
    TEST_ASSERT_TRUE(least[0] > 0 && least[0] < 0.01);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.01 - 0.5 * 9.81 * 0.1 * 0.1, least[1]);
    pl_world_destroy(world);
}

static void test_groups(void)
{
    pl_scene scene;
    TEST_ASSERT_EQUAL_MESSAGE(
        PL_OK,
        load(
            "{\"bodies\": [{\"mesh\": \"cube\", \"group\": \"a\", \"ignore\": [\"b\", \"ground\"]},"
            " {\"mesh\": \"cube\", \"group\": \"b\"}, {\"mesh\": \"cube\", \"group\": \"a\","
            " \"ignore\": [\"a\"]}, {\"mesh\": \"cube\"}]}",
            &scene),
        pl_error_text());
    const pl_surface_options *s[4];
    for (int i = 0; i < 4; i++) s[i] = &scene.bodies[i].deformable.surface;
    static const bool touch[4][4] = {// by the rule of pl_surface_options
                                     {1, 0, 0, 1},
                                     {0, 1, 1, 1},
                                     {0, 1, 0, 1},
                                     {1, 1, 1, 1}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            bool meet = (s[i]->category & s[j]->mask) != 0 && (s[j]->category & s[i]->mask) != 0;
            TEST_ASSERT_EQUAL(touch[i][j], meet);
        }
        bool ground = (scene.ground_surface.category & s[i]->mask) != 0;
        TEST_ASSERT_EQUAL(i != 0, ground);
    }
    pl_scene_free(&scene);
}

// --- Copies ---

// The middle of a body's box.
static void middle(const pl_scene *scene, int i, double out[3])
{
    double lo[3], hi[3];
    pl_mesh_bounds(scene->bodies[i].mesh, lo, hi);
    for (int k = 0; k < 3; k++) out[k] = 0.5 * (lo[k] + hi[k]);
}

static void test_a_pyramid(void)
{
    pl_scene scene;
    TEST_ASSERT_EQUAL_MESSAGE(
        PL_OK,
        load("{\"bodies\": [{\"mesh\": \"ring\"}, {\"mesh\": \"cube\", \"position\": [10, 20, 5],"
             " \"copies\": {\"count\": [3, 4, 2], \"shrink\": [1, 2], \"spacing\": [2, 3, 4]}}]}",
             &scene),
        pl_error_text());
    TEST_ASSERT_EQUAL_INT(1 + 12 + 4, scene.n_bodies);
    TEST_ASSERT_EQUAL_INT(0, scene.bodies[0].entry);
    TEST_ASSERT_EQUAL_INT(1, scene.bodies[1].entry);
    TEST_ASSERT_EQUAL_INT(1, scene.bodies[16].entry);
    static const double places[][4] = {{1, 8, 15.5, 5},   {2, 10, 15.5, 5}, {4, 8, 18.5, 5},
                                       {12, 12, 24.5, 5}, {13, 9, 18.5, 9}, {16, 11, 21.5, 9}};
    for (int i = 0; i < 6; i++) {
        double x[3];
        middle(&scene, (int)places[i][0], x);
        for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-14, places[i][k + 1], x[k]);
    }
    pl_scene_free(&scene);
}

// Each copy stays in its own cell, however it is turned and moved; the seed says how.
static void test_random_copies(void)
{
#define HEAP(seed)                                                                                 \
    "{\"bodies\": [{\"mesh\": \"cube\", \"copies\": {\"count\": [3, 3, 4], \"jitter\": 0.5,"       \
    " \"turn\": true, \"seed\": " seed "}}]}"
    pl_scene scene, same, other;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, load(HEAP("7"), &scene), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, load(HEAP("7"), &same));
    TEST_ASSERT_EQUAL(PL_OK, load(HEAP("8"), &other));
    TEST_ASSERT_EQUAL_INT(36, scene.n_bodies);
    const double cell = 1.05 * sqrt(3) + 0.5; // of the ball around a cube, and the jitter
    double mean_turn = 0;
    for (int i = 0; i < 36; i++) {
        double x[3], lo[3], hi[3];
        const double at[3] = {cell * (i % 3 - 1), cell * (i / 3 % 3 - 1), cell * (i / 9)};
        middle(&scene, i, x);
        pl_mesh_bounds(scene.bodies[i].mesh, lo, hi);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_DOUBLE_WITHIN(0.25 + 1e-12, at[k], x[k]);
            mean_turn += (hi[k] - lo[k]) / (3 * 36);
        }
        size_t size = 3 * 27 * sizeof(double);
        const double *y = pl_mesh_positions(scene.bodies[i].mesh);
        TEST_ASSERT_EQUAL_MEMORY(pl_mesh_positions(same.bodies[i].mesh), y, size);
        TEST_ASSERT_TRUE(memcmp(pl_mesh_positions(other.bodies[i].mesh), y, size) != 0);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, pl_mesh_volume(scene.bodies[i].mesh));
    }
    // A turned cube is as wide as |a|+|b|+|c| of a random unit vector, 3/2 in the mean; 108 of
    // them.
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 1.5, mean_turn);
    pl_scene_free(&scene);
    pl_scene_free(&same);
    pl_scene_free(&other);
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
        "{\"world\": {\"dt\": 0.0625, \"gravity\": [0, 0, 0], \"contact\": false},"
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
        world_of("{\"world\": {\"dt\": 0.125, \"gravity\": [0, 0, 0]}, \"ground\": false, "
                 "\"bodies\": [{\"mesh\":"
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
    TEST_ASSERT_EQUAL(PL_OK, load("{\"world\": {\"contact\": false},"
                                  " \"bodies\": [{\"mesh\": \"ring\", \"material\": null},"
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

static void test_contact_complaints(void)
{
    refuse(WORLD("\"solver\": \"agp\""),
           ": world.solver: unknown solver \"agp\", did you mean \"apg\"?");
    refuse(WORLD("\"precond\": \"fall\""),
           ": world.precond: unknown precond \"fall\", did you mean \"full\"?");
    refuse(WORLD("\"contact\": 1"), ": world.contact: true or false expected");
    refuse_world(WORLD("\"contact_tolerance\": 0"),
                 ": world.contact_tolerance: 0 is not above 0 m");
    refuse_world(WORLD("\"rounds\": 0"), ": world.rounds: below 1");
    refuse_world(WORLD("\"max_newton\": 0"), ": world.max_newton: below 1");
    refuse_world(WORLD("\"newton_tolerance\": 1"),
                 ": world.newton_tolerance: 1 is not between 0 and 1");
    refuse("{\"ground\": 1, \"bodies\": []}", ": ground: true, false or an object {...} expected");
    refuse("{\"ground\": {\"size\": 0}, \"bodies\": []}",
           ": ground.size: a number above 0 expected");
    refuse("{\"ground\": {\"friction\": -1}, \"bodies\": []}",
           ": ground.friction: a number, 0 or above, expected");
    refuse(
        BODY("\"type\": \"solid\""),
        ": bodies[0].type: unknown type \"solid\" (known: deformable, rigid, static, kinematic)");
    refuse(BODY("\"type\": \"ridgid\""),
           ": bodies[0].type: unknown type \"ridgid\", did you mean \"rigid\"?");
    refuse(BODY("\"type\": \"rigid\", \"material\": {}"),
           ": bodies[0].material: a rigid body has no such key");
    refuse(BODY("\"type\": \"static\", \"motion\": {}"),
           ": bodies[0].motion: a static body has no such key");
    refuse(BODY("\"type\": \"kinematic\", \"velocity\": [0, 0, 1]"),
           ": bodies[0].velocity: a kinematic body has no such key; its \"motion\" has");
    refuse(BODY("\"density\": 5"),
           ": bodies[0].density: a deformable body has no such key; its \"material\" has");
    refuse(BODY("\"material\": null, \"friction\": 1"),
           ": bodies[0].friction: the body is only drawn (\"material\": null)");
    refuse(BODY("\"friction\": -0.5"), ": bodies[0].friction: a number, 0 or above, expected");
    refuse(BODY("\"friction\": 1e999"), ": bodies[0].friction: a finite number expected");
    refuse(BODY("\"type\": \"static\", \"friction\": -0.5"),
           ": bodies[0].friction: a number, 0 or above, expected");
    refuse(BODY("\"type\": \"rigid\", \"friction\": -0.5"),
           ": bodies[0].friction: a number, 0 or above, expected");
    refuse(BODY("\"radius\": -1"), ": bodies[0].radius: a number, 0 or above, expected");
    refuse(BODY("\"contact_distance\": -1"),
           ": bodies[0].contact_distance: a number, 0 or above, expected");
    refuse(BODY("\"type\": \"rigid\", \"mass\": 0"), ": bodies[0].mass: a number above 0 expected");
    refuse(BODY("\"type\": \"rigid\", \"mass\": 1, \"density\": 1"),
           ": bodies[0]: density and mass: give one of them");
    refuse(BODY("\"group\": \"rings\", \"ignore\": [\"ring\"]"),
           ": bodies[0].ignore[0]: unknown group \"ring\", did you mean \"rings\"?");
#define LONG                                                                                       \
    "a group whose name is longer than any word that is compared: longer than sixty-three bytes"
    refuse(BODY("\"group\": \"" LONG "\", \"ignore\": [\"ring\"]"),
           ": bodies[0].ignore[0]: unknown group \"ring\" (known: ground, " LONG ")");
#undef LONG
    refuse(BODY("\"ignore\": [0]"), ": bodies[0].ignore[0]: the \"name\" of a group expected");
    refuse_world(BODY("\"type\": \"kinematic\", \"motion\": {\"start\": 1, \"end\": 0}"),
                 ": bodies[0].motion.end: before the start");
    refuse_world(BODY("\"type\": \"rigid\", \"density\": 0"),
                 ": bodies[0].density: 0 is not above 0 kg/m^3");
    refuse_world(BODY("\"type\": \"rigid\", \"damping\": -1"),
                 ": bodies[0].damping: -1 is not 0 or above");
}

static void test_copies_complaints(void)
{
    refuse(BODY("\"copies\": {}"), ": bodies[0].copies: the key \"count\" is missing");
    refuse(BODY("\"copies\": {\"count\": 5}"), ": bodies[0].copies.count: an array [...] expected");
    refuse(BODY("\"copies\": {\"count\": [5, 5]}"),
           ": bodies[0].copies.count: three numbers expected");
    refuse(BODY("\"copies\": {\"count\": [5, 0, 5]}"),
           ": bodies[0].copies.count[1]: at least 1 expected");
    refuse(BODY("\"copies\": {\"count\": [100, 100, 11]}"),
           ": bodies[0].copies: count: more than 100000 bodies");
    refuse(BODY("\"copies\": {\"count\": [2, 9, 3], \"shrink\": [1, 0]}"),
           ": bodies[0].copies: shrink: nothing is left for layer 3");
    refuse(BODY("\"copies\": {\"count\": [2, 1, 1], \"spacing\": [1, 1, 1]}"),
           ": bodies[0].copies: spacing: copies would touch along x: each takes 1 m there");
    refuse(BODY("\"copies\": {\"count\": [1, 1, 2], \"spacing\": [0, 0, 1.2], \"jitter\": 0.25}"),
           ": bodies[0].copies: spacing: copies would touch along z: each takes 1.25 m there");
    refuse(BODY("\"copies\": {\"count\": [1, 1, 1], \"jitters\": 1}"),
           ": bodies[0].copies: unknown key \"jitters\", did you mean \"jitter\"?");
    refuse_world(BODY("\"copies\": {\"count\": [2, 2, 2]}, \"material\": {\"young\": 0}"),
                 ": bodies[0].material.young: 0 is not above 0 Pa");
}

static void test_world_complaints(void)
{
    refuse_world("{\"bodies\": []}", ": bodies: none of them is simulated");
    refuse_world(WORLD("\"dt\": 0"), ": world.dt: 0 is not above 0 s");
    refuse_world(WORLD("\"dt\": -1"), ": world.dt: -1 is not above 0 s");
    refuse_world(WORLD("\"tolerance\": 1"), ": world.tolerance: 1 is not between 0 and 1");
    refuse_world(WORLD("\"max_iterations\": 0"), ": world.max_iterations: below 1");
    refuse_world(WORLD("\"max_seconds\": -1"), ": world.max_seconds: -1 is not 0 s or above");
    refuse(WORLD("\"gravity\": [0, 0, 1e999]"), ": world.gravity[2]: a finite number expected");
    refuse(BODY("\"forces\": [{\"total\": [0, 0, 1e999]}]"),
           ": bodies[0].forces[0].total[2]: a finite number expected");
    refuse_world(BODY("\"forces\": [{\"select\": [0], \"total\": [1.5e308, 0, 0]},"
                      " {\"select\": [0], \"total\": [1.5e308, 0, 0]}]"),
                 ": bodies[0].forces: their sum is not finite");
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
        "{\"bodies\": [{\"mesh\": \"cube\", \"type\": \"kinematic\", \"motion\": {\"keys\":"
        " [{\"time\": 0}]}, \"copies\": {\"count\": [1, 2, 1]}, \"render_mesh\": \"cube\"},"
        " {\"mesh\": \"cube\", \"render_mesh\": \"icosphere\", \"fixed\": [0], \"driven\": "
        "[{\"select\":"
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

// --- Shapes ---

static void test_shapes(void)
{
    pl_scene scene;
    const char *text =
        "{\"bodies\": [{\"type\": \"rigid\", \"scale\": 2, \"position\": [0, 0, 5], "
        "\"rotation\": [0, 90, 0], \"shapes\": [{\"shape\": \"sphere:radius=0.25\"}, "
        "{\"shape\": \"capsule:radius=0.1:length=1\", \"position\": [0, 0, 1], "
        "\"density\": 10, \"friction\": 0.25}]}, "
        "{\"type\": \"static\", \"shape\": \"hull\", \"mesh\": \"ring\"}]}";
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_parse(text, "test.json", &scene), pl_error_text());
    const pl_rigid_options *o = &scene.bodies[0].rigid;
    TEST_ASSERT_EQUAL(2, o->n_shape);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, o->shape[0].radius);
    TEST_ASSERT_EQUAL_DOUBLE(2, o->shape[1].length);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, o->shape[1].friction);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2, o->shape[1].position[0]); // z was turned to x
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 5, o->shape[1].position[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, sqrt(0.5), fabs(o->shape[1].orientation[2]));
    TEST_ASSERT_EQUAL(PL_SHAPE_HULL, scene.bodies[1].kinematic.shape[0].kind);
    pl_world *world;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    TEST_ASSERT_EQUAL(3, pl_world_body_count(world));
    pl_scene_pose(&scene, world);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

#define SHAPED(keys) "{\"bodies\": [{\"type\": \"rigid\", " keys "}]}"

static void test_shape_complaints(void)
{
    refuse(SHAPED("\"shape\": \"spere\""),
           ": bodies[0].shape: unknown shape \"spere\", did you mean \"sphere\"?");
    refuse(SHAPED("\"shape\": \"box:rounding=3\""),
           ": bodies[0].shape: box: rounding: 3 is more than the 0.5 m that the box has room for");
    refuse(SHAPED("\"shape\": \"sphere\", \"shapes\": []"),
           ": bodies[0]: shape and shapes: give one of them");
    refuse(SHAPED("\"shapes\": []"), ": bodies[0].shapes: one shape at least expected");
    refuse(SHAPED("\"shapes\": [{\"shape\": \"hull\"}]"),
           ": bodies[0].shapes[0]: the key \"mesh\" is missing");
    refuse(SHAPED("\"shapes\": [{\"shape\": \"box\", \"mesh\": \"ring\"}]"),
           ": bodies[0].shapes[0].mesh: only a hull and a mesh have one");
    refuse(SHAPED("\"shapes\": [{\"shape\": \"box\", \"size\": 1}]"),
           ": bodies[0].shapes[0]: unknown key \"size\" (known: shape, mesh, position, rotation, "
           "density, friction)");
    refuse("{\"bodies\": [{\"shape\": \"sphere\"}]}",
           ": bodies[0].shape: a deformable body has no such key");
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    UNITY_BEGIN();
    RUN_TEST(test_a_scene_in_memory);
    RUN_TEST(test_a_whole_scene);
    RUN_TEST(test_rotation_order);
    RUN_TEST(test_complaints_name_the_key);
    RUN_TEST(test_render_mesh);
    RUN_TEST(test_render_mesh_of_any_type);
    RUN_TEST(test_complaints_about_render_meshes);
    RUN_TEST(test_world_keys);
    RUN_TEST(test_old_keys);
    RUN_TEST(test_contact_by_default);
    RUN_TEST(test_body_keys);
    RUN_TEST(test_types);
    RUN_TEST(test_ground);
    RUN_TEST(test_the_ground_carries);
    RUN_TEST(test_groups);
    RUN_TEST(test_a_pyramid);
    RUN_TEST(test_random_copies);
    RUN_TEST(test_selections);
    RUN_TEST(test_motions);
    RUN_TEST(test_forces);
    RUN_TEST(test_pose);
    RUN_TEST(test_physics_complaints);
    RUN_TEST(test_contact_complaints);
    RUN_TEST(test_copies_complaints);
    RUN_TEST(test_world_complaints);
    RUN_TEST(test_a_body_without_tets);
    RUN_TEST(test_allocations_fail);
    RUN_TEST(test_hostile_nesting);
    RUN_TEST(test_hostile_size);
    unlink(path);
    RUN_TEST(test_shapes);
    RUN_TEST(test_shape_complaints);
    return UNITY_END();
}
