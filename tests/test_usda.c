// A run as USD in text. What Pixar's library reads of it: test_export.c.

#include "../apps/export/usda.h"
#include "../apps/export/pc2.h"
#include "../base/team.h"
#include "exports.h"

#include <math.h>

enum { FRAMES = 3 };

static pl_scene scene;
static pl_world *world;
static pl_export_bodies bodies;
static pl_series_frame frames[FRAMES];
static float *x[FRAMES]; // (3*n_vert) at each frame
static char cache[256];
static pl_usda usda;

// A cache of three frames, the bodies falling. Frames lie at 0, 0.02 and 0.04 s.
void setUp(void)
{
    make_export_scene(&scene, &world);
    TEST_ASSERT_EQUAL(PL_OK, pl_export_bodies_make(&scene, &bodies));
    snprintf(cache, sizeof cache, "%s", in_folder("scene.pc2"));
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_create(cache, bodies.n_vert, 0));
    for (int i = 0; i < FRAMES; i++) {
        frames[i] = (pl_series_frame){pl_world_steps(world), pl_world_time(world)};
        pl_export_bodies_move(&bodies, world);
        x[i] = malloc(3 * sizeof(float) * (size_t)bodies.n_vert);
        for (int32_t k = 0; k < 3 * bodies.n_vert; k++) x[i][k] = (float)bodies.x[k];
        TEST_ASSERT_EQUAL(PL_OK, pl_pc2_append(cache, bodies.n_vert, i, x[i]));
        step(world, 2);
    }
    usda = (pl_usda){&scene, &bodies, cache, frames, FRAMES, 50};
}

void tearDown(void)
{
    for (int i = 0; i < FRAMES; i++) free(x[i]);
    pl_export_bodies_free(&bodies);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

static const char *written(void)
{
    pl_status status = pl_usda_write(&usda, in_folder("scene.usda"));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    return read_whole("scene.usda");
}

// What follows `key` after `from`.
static const char *after(const char *from, const char *key)
{
    const char *at = strstr(from, key);
    TEST_ASSERT_NOT_NULL_MESSAGE(at, key);
    return at + strlen(key);
}

// The points (n) that stand at `at`, bit for bit.
static void expect_points(const char *at, const float *points, int32_t n)
{
    TEST_ASSERT_EQUAL_INT('[', *at);
    for (int32_t i = 0; i < n; i++) {
        float p[3];
        int length = 0;
        at += i > 0 ? 3 : 1; // behind "), " or "["
        sscanf(at, "(%f, %f, %f%n", &p[0], &p[1], &p[2], &length);
        at += length;
        TEST_ASSERT_EQUAL_MEMORY(points + 3 * i, p, sizeof p);
    }
    TEST_ASSERT_EQUAL_STRING_LEN(")]", at, 2);
}

static void test_head(void)
{
    const char *text = written();
    TEST_ASSERT_EQUAL_STRING_LEN("#usda 1.0\n(\n", text, 12);
    after(text, "\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    timeCodesPerSecond = 50\n");
    after(text, "\n    startTimeCode = 0\n    endTimeCode = 2\n)\n");
}

// Bodies that move have their points at each time, others have them once.
static void test_points(void)
{
    const char *text = written();
    for (int32_t i = 0; i < bodies.n; i++) {
        const pl_export_body *body = &bodies.body[i];
        char key[64];
        snprintf(key, sizeof key, "def Mesh \"%s\"", body->name);
        const char *mesh = after(text, key);
        if (body->number < 0) {
            expect_points(after(mesh, "point3f[] points = "), x[0] + 3 * body->vert, body->n_vert);
            continue;
        }
        const char *at = after(mesh, "point3f[] points.timeSamples = {\n");
        for (int frame = 0; frame < FRAMES; frame++) {
            snprintf(key, sizeof key, "                %d: ", frame);
            TEST_ASSERT_EQUAL_STRING_LEN(key, at, strlen(key));
            expect_points(at + strlen(key), x[frame] + 3 * body->vert, body->n_vert);
            at = after(at, ",\n");
        }
        TEST_ASSERT_EQUAL_STRING_LEN("            }\n", at, 14);
    }
    const float corners[] = {-5, -5, 0, 5, -5, 0, 5, 5, 0, -5, 5, 0};
    const char *ground = after(text, "def Mesh \"ground\"");
    expect_points(after(ground, "point3f[] points = "), corners, 4);
}

// The scene's orange is linear in USD.
static void test_looks(void)
{
    const char *text = written(), *material = after(text, "def Material \"body_000\"");
    after(material,
          "inputs:diffuseColor = (1, 0.215861, 0)\n                float inputs:opacity = "
          "0.5\n");
    const char *mesh = after(text, "def Mesh \"body_000\"");
    after(mesh, "rel material:binding = </World/materials/body_000>\n");
    after(mesh, "primvars:displayColor = [(1, 0.215861, 0)]");
    after(mesh, "primvars:displayOpacity = [0.5]");
    scene.ground = false;
    TEST_ASSERT_NULL(strstr(written(), "ground"));
}

// A camera on the y axis that looks at the origin: its x is the world's -x, its y is z.
static void test_camera(void)
{
    pl_scene_shot shot = {.shot = {.eye = {0, 4, 0}, .fov_y = 2 * atan(0.5)}};
    scene.shots = &shot;
    scene.n_shots = 1;
    const char *camera = after(written(), "def Camera \"camera\"\n");
    scene.shots = NULL;
    scene.n_shots = 0;
    after(camera, "float focalLength = 0.24\n");
    after(camera, "float verticalAperture = 0.24\n");
    after(camera, "float focusDistance = 4\n");
    double m[16];
    sscanf(after(camera, "xformOp:transform = ( "),
           "(%lf, %lf, %lf, %lf), (%lf, %lf, %lf, %lf), (%lf, %lf, %lf, %lf), (%lf, %lf, %lf, %lf)",
           m, m + 1, m + 2, m + 3, m + 4, m + 5, m + 6, m + 7, m + 8, m + 9, m + 10, m + 11, m + 12,
           m + 13, m + 14, m + 15);
    const double expected[16] = {-1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 4, 0, 1};
    for (int i = 0; i < 16; i++) TEST_ASSERT_EQUAL_DOUBLE(expected[i], m[i]);
}

// Cameras that move have their place at each time.
static void test_moving_camera(void)
{
    pl_scene_shot shot = {.shot = {.kind = PL_SHOT_FOLLOW, .fov_y = 1, .eye = {0, -4, 0}}};
    shot.shot.body = 1; // the rigid ball, which falls
    shot.shot.n_bodies = 1;
    scene.shots = &shot;
    scene.n_shots = 1;
    const char *camera = after(written(), "def Camera \"camera\"\n");
    shot.shot.kind = PL_SHOT_ORBIT;
    shot.shot.radius = 2;
    const char *orbit = after(written(), "def Camera \"camera\"\n");
    scene.shots = NULL;
    scene.n_shots = 0;
    const char *at = after(camera, "matrix4d xformOp:transform.timeSamples = {\n");
    for (int i = 0; i < FRAMES; i++) {
        double eye[3], lo = INFINITY, hi = -INFINITY;
        for (int32_t v = 0; v < bodies.body[1].n_vert; v++) {
            double z = x[i][3 * (bodies.body[1].vert + v) + 2];
            lo = fmin(lo, z);
            hi = fmax(hi, z);
        }
        at = after(at, ": ( ");
        for (int row = 0; row < 3; row++) at = after(at, "), (");
        TEST_ASSERT_EQUAL_INT(3, sscanf(at, "%lf, %lf, %lf", &eye[0], &eye[1], &eye[2]));
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 * (lo + hi), eye[2]);
    }
    after(orbit, "float focusDistance.timeSamples = {\n            0: 2,\n            1: 2,\n");
    after(orbit, "float focalLength.timeSamples = {\n");
}

static pl_status write_again(void *user)
{
    (void)user;
    return pl_usda_write(&usda, in_folder("again.usda"));
}

static void test_failures(void)
{
    fail_each_allocation(write_again, NULL);
    expect_failure(PL_ERROR_FILE, pl_usda_write(&usda, in_folder("none/a.usda")),
                   "none/a.usda: cannot write: No such file or directory");
    // A cache that lost its end: nothing is left behind, and the file that was there stays.
    TEST_ASSERT_EQUAL(0, truncate(cache, 32 + 12 * (off_t)bodies.n_vert * 2));
    expect_failure(PL_ERROR_FILE, write_again(NULL), "scene.pc2: cannot read: No data available");
    TEST_ASSERT_TRUE(exists("again.usda"));
    TEST_ASSERT_EQUAL_INT(0, shell("! ls $T | grep part"));
    TEST_ASSERT_EQUAL(0, unlink(cache));
    expect_failure(PL_ERROR_FILE, write_again(NULL), "scene.pc2: No such file");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    pl_threads_set(1);
    UNITY_BEGIN();
    RUN_TEST(test_head);
    RUN_TEST(test_points);
    RUN_TEST(test_looks);
    RUN_TEST(test_camera);
    RUN_TEST(test_moving_camera);
    RUN_TEST(test_failures);
    shell("rm -rf $T");
    return UNITY_END();
}
