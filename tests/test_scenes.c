// The scenes of apps/scenes: each loads, starts free of overlap and takes two steps. The large ones
// do so only with PLIANT_SCENES=all.

#include "../apps/scene/scene_grid.h"
#include "../base/team.h"
#include "../meshes/geometry.h"
#include "../meshes/mesh.h"
#include "../rigid/rotation.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static const char FOLDER[] = "apps/scenes";

enum { TETS_MOST = 200000 }; // of the scenes that are tried without being asked for

void setUp(void)
{
}

void tearDown(void)
{
}

// All scenes, or without those whose meshes `make meshes` has not made yet.
static bool load(const char *name, pl_scene *scene)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    if (pl_scene_load(path, scene) == PL_OK) return true;
    bool unmade = strstr(pl_error_text(), "nor in a folder of meshes") != NULL &&
                  strstr(pl_error_text(), "No such file") != NULL;
    TEST_ASSERT_TRUE_MESSAGE(unmade, pl_error_text());
    return false;
}

static int64_t count_tets(const pl_scene *scene)
{
    int64_t n = 0;
    for (int32_t i = 0; i < scene->n_bodies; i++) n += scene->bodies[i].mesh->n_tet;
    return n;
}

// --- Overlap ---

// The surfaces of all bodies of a world in one, and the body of each face; -1 if it cannot be moved
// by others: two of those may overlap.
static pl_mesh *merge(const pl_world *world, int32_t **body)
{
    int32_t n_vert = 0, n_face = 0, n = pl_world_body_count(world);
    pl_mesh **surface = malloc((size_t)n * sizeof *surface), *all;
    for (int32_t i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(pl_world_mesh(world, i), NULL, &surface[i]));
        n_vert += surface[i]->n_vert;
        n_face += surface[i]->n_face;
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_alloc(n_vert, n_face, 0, &all));
    *body = malloc((size_t)n_face * sizeof **body);
    int64_t vert = 0, face = 0;
    for (int32_t i = 0; i < n; i++) {
        const pl_mesh *s = surface[i];
        memcpy(all->x + 3 * vert, s->x, 3 * (size_t)s->n_vert * sizeof *s->x);
        for (int64_t k = 0; k < 3 * (int64_t)s->n_face; k++) {
            all->face[3 * face + k] = s->face[k] + (int32_t)vert;
            (*body)[face + k / 3] = pl_world_kind(world, i) == PL_BODY_KINEMATIC ? -1 : i;
        }
        vert += s->n_vert;
        face += s->n_face;
        pl_mesh_destroy(surface[i]);
    }
    free(surface);
    return all;
}

// Those that a joint ties may overlap; -1 is any body that does not move by itself.
static bool are_joined(const pl_world *world, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < pl_world_joint_count(world); i++) {
        pl_joint_state joint;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_joint_state(world, i, &joint));
        int32_t pair[2] = {joint.body_a, joint.body_b};
        for (int k = 0; k < 2; k++) {
            if (pl_world_kind(world, pair[k]) == PL_BODY_KINEMATIC) pair[k] = -1;
        }
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) return true;
    }
    return false;
}

// Do two bodies of the scene pass through each other by their groups?
static bool ignore_each_other(const pl_scene *scene, int32_t a, int32_t b)
{
    if (a < 0 || b < 0 || a >= scene->n_bodies || b >= scene->n_bodies) return false;
    const pl_surface_options *s = &scene->bodies[a].rigid.surface;
    const pl_surface_options *t = &scene->bodies[b].rigid.surface;
    return (s->category & t->mask) == 0 || (t->category & s->mask) == 0;
}

static void check_start(const pl_scene *scene, const pl_world *world, const char *name)
{
    int32_t *body;
    pl_mesh *all = merge(world, &body);
    pl_surface_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_inspect(all, &report));
    for (int64_t i = 0; i < report.n_intersections; i++) {
        int32_t a = body[report.intersections[2 * i]], b = body[report.intersections[2 * i + 1]];
        char text[320];
        snprintf(text, sizeof text, "%.250s: bodies %d and %d overlap", name, a, b);
        bool shapes = a == b && pl_world_kind(world, a) == PL_BODY_RIGID; // those of one may
        bool may =
            (a < 0 && b < 0) || shapes || are_joined(world, a, b) || ignore_each_other(scene, a, b);
        TEST_ASSERT_TRUE_MESSAGE(may, text);
    }
    pl_surface_report_free(&report);
    pl_mesh_destroy(all);
    free(body);
}

// --- Tests ---

// Bodies on a grid take two steps, and touch nobody yet.
static void check_grid(const char *name, const pl_scene *scene)
{
    pl_euler *euler;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_euler(scene, &euler), pl_error_text());
    for (int i = 0; i < 2; i++) {
        pl_step_stats stats;
        pl_status status = pl_scene_euler_step(euler, &stats);
        if (status != PL_OK) pl_fail_prefix(name);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, stats.inverted, name);
        TEST_ASSERT_TRUE_MESSAGE(stats.min_gap > -0.1 * scene->grid.options.spacing, name);
    }
    pl_euler_destroy(euler);
}

static void check_scene(const char *name, pl_scene *scene)
{
    pl_world *world;
    if (scene->grid.on) {
        check_grid(name, scene);
        return;
    }
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(scene, &world), pl_error_text());
    if (scene->world.contact) check_start(scene, world, name);
    for (int i = 0; i < 2; i++) {
        pl_step_stats stats;
        pl_status status = pl_world_step(world, &stats);
        if (status != PL_OK) pl_fail_prefix(name);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, stats.halvings, name);
        TEST_ASSERT_TRUE_MESSAGE(stats.min_gap > 0 || !scene->world.contact, name);
    }
    pl_scene_pose(scene, world);
    pl_world_destroy(world);
}

static void test_scenes_start(void)
{
    const char *wish = getenv("PLIANT_SCENES");
    bool all = wish != NULL && strcmp(wish, "all") == 0;
    DIR *folder = opendir(FOLDER);
    TEST_ASSERT_NOT_NULL_MESSAGE(folder, FOLDER);
    int tried = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        pl_scene scene;
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".json") != 0) continue;
        if (!all && strcmp(entry->d_name, "armadillo.json") == 0) continue; // seconds to read
        if (!all && strcmp(entry->d_name, "gallery.json") == 0) continue;   // the same mesh, twice
        if (!load(entry->d_name, &scene)) continue;
        bool try = all || count_tets(&scene) <= TETS_MOST;
        if (try) check_scene(entry->d_name, &scene);
        tried += try;
        pl_scene_free(&scene);
    }
    closedir(folder);
    TEST_ASSERT_TRUE(tried >= 10);
}

// The counts of the paper [VJ19, Table 1 and 6.2].
// Of the stiffness of a mesh: nine for each vertex and for each end of an edge.
static double count_entries(const pl_mesh *mesh)
{
    static const int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    int64_t n = mesh->n_vert, seen = 0;
    uint8_t *joined = calloc((size_t)(n * n), 1); // of small meshes
    TEST_ASSERT_NOT_NULL(joined);
    for (int64_t t = 0; t < 6 * mesh->n_tet; t++) {
        const int32_t *v = mesh->tet + 4 * (t / 6);
        int64_t a = v[edge[t % 6][0]], b = v[edge[t % 6][1]];
        seen += joined[a * n + b] == 0;
        joined[a * n + b] = joined[b * n + a] = 1;
    }
    free(joined);
    return 9 * (double)(n + 2 * seen);
}

static void test_counts(void)
{
    static const struct {
        const char *name;
        int bodies;
        int64_t least, most; // tets of the bodies that deform
        int64_t rows;        // of A in [VJ19, Table 1]; 0: not given there
        double entries;      // in a row of A: 3 (1 + neighbours). [VJ19] has 17
    } cases[] = {{"rings.json", 120, 12960, 12960, 25920, 24},
                 {"rings-stiff.json", 120, 12960, 12960, 25920, 24},
                 {"pyramid.json", 140, 60480, 60480, 109200, 0},
                 {"bunnies.json", 120, 150000, 155000, 147600, 0},
                 {"bearing.json", 9, 114000, 117000, 0, 0},
                 {"mixed.json", 201, 147000, 153000, 0, 0},
                 {"cubes.json", 2000, 87000, 89000, 0, 0},
                 {"armadillo.json", 1, 366000, 405000, 0, 0}}; // 385,739 there
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pl_scene scene;
        if (!load(cases[i].name, &scene)) continue;
        int bodies = 0;
        int64_t tets = 0, vertices = 0;
        double entries = 0;
        for (int32_t k = 0; k < scene.n_bodies; k++) {
            if (scene.bodies[k].kind != PL_BODY_DEFORMABLE) continue;
            bodies++;
            tets += scene.bodies[k].mesh->n_tet;
            vertices += scene.bodies[k].mesh->n_vert;
            if (cases[i].entries > 0) entries += count_entries(scene.bodies[k].mesh);
        }
        TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].bodies, bodies, cases[i].name);
        TEST_ASSERT_TRUE_MESSAGE(tets >= cases[i].least && tets <= cases[i].most, cases[i].name);
        double rows = 3 * (double)vertices;
        if (cases[i].rows > 0) { // bunnies are meshed by another program
            double slack = strcmp(cases[i].name, "bunnies.json") == 0 ? 0.06 : 0;
            TEST_ASSERT_DOUBLE_WITHIN((double)cases[i].rows * slack, (double)cases[i].rows, rows);
        }
        if (cases[i].entries > 0) TEST_ASSERT_EQUAL_DOUBLE(cases[i].entries, entries / rows);
        pl_scene_free(&scene);
    }
}

// The velocity of a body's centre of mass; each tet gives its vertices a quarter of its mass.
static void find_drift(const pl_scene *scene, const pl_world *world, int32_t body, double drift[3])
{
    const pl_mesh *mesh = scene->bodies[body].mesh;
    const double *v = pl_world_velocities(world, body);
    double volume = 0, sum[3] = {0, 0, 0};
    for (int64_t t = 0; t < mesh->n_tet; t++) {
        const int32_t *at = mesh->tet + 4 * t;
        double part = pl_tet_volume(mesh->x, at);
        volume += part;
        for (int k = 0; k < 12; k++) sum[k % 3] += 0.25 * part * v[3 * (int64_t)at[k / 3] + k % 3];
    }
    for (int k = 0; k < 3; k++) drift[k] = sum[k] / volume;
}

// Two balls meet along x: momentum and angular momentum are kept to rounding, nothing is gained,
// and what is left of the speed between them is near 1: these balls meet slowly beside the speed of
// sound in them (2 of 14 m/s). A fifth of the step leaves 0.97.
static void test_impact(void)
{
    const double ROUNDING = 1e-11, RESTITUTION = 0.96;
    pl_scene scene;
    pl_world *world;
    pl_energy start, end;
    double one[3], other[3];
    TEST_ASSERT_TRUE(load("impact.json", &scene));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &start));
    find_drift(&scene, world, 0, one);
    find_drift(&scene, world, 1, other);
    double before = one[0] - other[0], scale = start.momentum[0];
    for (int i = (int)lround(scene.duration / scene.world.dt); i > 0; i--) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, NULL), pl_error_text());
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &end));
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(ROUNDING * scale, start.momentum[k], end.momentum[k]);
        TEST_ASSERT_DOUBLE_WITHIN(ROUNDING * scale, start.angular_momentum[k],
                                  end.angular_momentum[k]);
    }
    TEST_ASSERT_TRUE(end.kinetic + end.elastic < start.kinetic);
    find_drift(&scene, world, 0, one);
    find_drift(&scene, world, 1, other);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, RESTITUTION, (other[0] - one[0]) / before);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

// The distance of two points.
static double between(const double a[3], const double b[3])
{
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(pl_dot(d, d));
}

// Each upper cable of the spinner [Ho22, 6.1] hangs tight from the world to the plate, 25,000 times
// a link below it, while that turns: its ends are as far apart as they were, to within what its own
// weight lets it sag, which is less than a thousandth.
static void test_spinner(void)
{
    const double STRETCH = 1e-3, TOP[3] = {0.2, 0.2, 7.5}, END[3] = {0.2, 0.2, 0.015};
    enum { STEPS = 30 };
    pl_scene scene;
    pl_world *world;
    pl_frame plate;
    double start[3], end[3];
    TEST_ASSERT_TRUE(load("spinner.json", &scene));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 0, &plate));
    for (int k = 0; k < 3; k++) start[k] = plate.centre[k] + END[k];
    for (int i = 0; i < STEPS; i++) {
        pl_step_stats stats;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        TEST_ASSERT_EQUAL_INT(0, stats.halvings);
        TEST_ASSERT_TRUE(stats.joint_gap < 1e-5); // [m]; drift would add up over 61 joints
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 0, &plate));
    pl_rotation_displace(plate.orientation, END, end);
    for (int k = 0; k < 3; k++) end[k] += plate.centre[k] + END[k];
    TEST_ASSERT_DOUBLE_WITHIN(STRETCH, 1, between(TOP, end) / between(TOP, start));
    TEST_ASSERT_TRUE(between(start, end) > 0.1); // it turns [m]
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

int main(void)
{
    pl_threads_set(1); // two steps of small bodies give more of them nothing to do
    UNITY_BEGIN();
    RUN_TEST(test_scenes_start);
    RUN_TEST(test_counts);
    RUN_TEST(test_impact);
    RUN_TEST(test_spinner);
    return UNITY_END();
}
