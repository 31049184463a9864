#include "../apps/tetrahedra/tetrahedralize.h"
#include "failing_alloc.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char last_log[256];

static void keep_log(pl_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == PL_LOG_WARNING) snprintf(last_log, sizeof last_log, "%s", text);
}

void setUp(void)
{
    last_log[0] = '\0';
    pl_set_log(keep_log, NULL);
}

void tearDown(void)
{
    TEST_ASSERT_EQUAL(-1, waitpid(-1, NULL, WNOHANG)); // no zombie
    TEST_ASSERT_EQUAL(ECHILD, errno);
}

// --- Surfaces ---

// The six sides of [-1, 1]^3 in n x n squares, on the sphere if `round`; flat sides otherwise.
typedef struct builder {
    double x[3 * 20000];
    int32_t face[3 * 40000];
    int32_t n_vert, n_face;
} builder;

static builder built;

static int32_t vertex(builder *b, const double x[3])
{
    for (int32_t i = 0; i < b->n_vert; i++) {
        if (memcmp(b->x + 3 * i, x, 3 * sizeof *x) == 0) return i;
    }
    memcpy(b->x + 3 * b->n_vert, x, 3 * sizeof *x);
    return b->n_vert++;
}

static int32_t side_vertex(builder *b, int side, int n, int i, int j, bool round)
{
    int axis = side / 2;
    double sign = side % 2 == 0 ? 1 : -1, x[3];
    x[axis] = sign;
    x[(axis + 1) % 3] = sign * (2 * i - n) / n; // sides that meet compute the same bits
    x[(axis + 2) % 3] = (double)(2 * j - n) / n;
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < 3; k++) x[k] = (round ? x[k] / length : x[k]) + 0.0; // no -0
    return vertex(b, x);
}

static void add_face(builder *b, int32_t p, int32_t q, int32_t r)
{
    memcpy(b->face + 3 * b->n_face++, (int32_t[3]){p, q, r}, 3 * sizeof(int32_t));
}

// Adds a box or ball of this size around `centre`; `inward` turns it inside out.
static void add_part(int n, bool round, double size, double centre, bool inward)
{
    builder *b = &built;
    static builder part;
    part.n_vert = part.n_face = 0;
    for (int s = 0; s < 6 * n * n; s++) {
        int side = s / (n * n), i = s / n % n, j = s % n;
        int32_t p = side_vertex(&part, side, n, i, j, round);
        int32_t q = side_vertex(&part, side, n, i + 1, j, round);
        int32_t r = side_vertex(&part, side, n, i + 1, j + 1, round);
        int32_t t = side_vertex(&part, side, n, i, j + 1, round);
        add_face(&part, p, q, r);
        add_face(&part, p, r, t);
    }
    for (int32_t f = 0; f < part.n_face; f++) {
        const int32_t *v = part.face + 3 * f;
        add_face(b, b->n_vert + v[0], b->n_vert + v[inward ? 2 : 1], b->n_vert + v[inward ? 1 : 2]);
    }
    for (int32_t v = 0; v < part.n_vert; v++) {
        for (int k = 0; k < 3; k++) {
            b->x[3 * (b->n_vert + v) + k] = size * part.x[3 * v + k] + (k == 0 ? centre : 0);
        }
    }
    b->n_vert += part.n_vert;
}

static pl_mesh *finish(void)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(
        PL_OK, pl_mesh_create(built.n_vert, built.x, built.n_face, built.face, 0, NULL, &mesh));
    built.n_vert = built.n_face = 0;
    return mesh;
}

static pl_mesh *ball(int n)
{
    add_part(n, true, 1, 0, false);
    return finish();
}

static pl_mesh *box(int n)
{
    add_part(n, false, 0.5, 0.5, false);
    return finish();
}

// --- What every result must be ---

static void check_all_used(const pl_mesh *mesh)
{
    int32_t n_vert = pl_mesh_vertex_count(mesh);
    const int32_t *tet = pl_mesh_tets(mesh);
    char *used = calloc((size_t)n_vert, 1);
    for (int32_t i = 0; i < 4 * pl_mesh_tet_count(mesh); i++) used[tet[i]] = 1;
    TEST_ASSERT_NULL(memchr(used, 0, (size_t)n_vert));
    free(used);
}

static void check_result(const pl_mesh *surface, const pl_mesh *mesh)
{
    size_t n_vert = (size_t)pl_mesh_vertex_count(surface);
    size_t n_face = (size_t)pl_mesh_face_count(surface);
    TEST_ASSERT_EQUAL_MEMORY(pl_mesh_positions(surface), pl_mesh_positions(mesh),
                             3 * n_vert * sizeof(double));
    TEST_ASSERT_EQUAL(n_face, pl_mesh_face_count(mesh));
    TEST_ASSERT_EQUAL_MEMORY(pl_mesh_faces(surface), pl_mesh_faces(mesh),
                             3 * n_face * sizeof(int32_t));
    pl_mesh_quality q;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_measure(mesh, &q, NULL, NULL));
    TEST_ASSERT_EQUAL(0, q.n_inverted);
    TEST_ASSERT_TRUE(q.min_volume > 0);
    double volume = pl_mesh_volume(surface);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * volume, volume, q.total_volume);
    check_all_used(mesh);
    pl_mesh *skin;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, NULL, &skin));
    TEST_ASSERT_EQUAL(n_face, pl_mesh_face_count(skin));
    TEST_ASSERT_EQUAL(n_vert, pl_mesh_vertex_count(skin));
    pl_mesh_destroy(skin);
}

static void mesh_and_check(const pl_mesh *surface, const pl_tetrahedralize_options *options,
                           pl_mesh **out)
{
    pl_status status = pl_tetrahedralize(surface, options, out);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    check_result(surface, *out);
}

static void expect_failure(pl_mesh *surface, const pl_tetrahedralize_options *options,
                           pl_status expected, const char *words)
{
    pl_mesh *out = surface;
    TEST_ASSERT_EQUAL(expected, pl_tetrahedralize(surface, options, &out));
    TEST_ASSERT_NULL(out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), words), pl_error_text());
}

// --- Tests ---

static void test_ball_and_box(void)
{
    pl_mesh *surfaces[] = {ball(6), box(1), box(5)}, *mesh;
    for (int i = 0; i < 3; i++) {
        mesh_and_check(surfaces[i], NULL, &mesh);
        pl_mesh_quality q;
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_measure(mesh, &q, NULL, NULL));
        TEST_ASSERT_TRUE(q.min_radius_ratio > 0.15);
        TEST_ASSERT_TRUE(q.min_dihedral > 10 * M_PI / 180);
        pl_mesh_destroy(mesh);
        pl_mesh_destroy(surfaces[i]);
    }
}

static void test_the_same_input_gives_the_same_mesh(void)
{
    pl_mesh *surface = ball(6), *a, *b;
    pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
    options.tets = 3000;
    mesh_and_check(surface, &options, &a);
    mesh_and_check(surface, &options, &b);
    int32_t n = pl_mesh_vertex_count(a), m = pl_mesh_tet_count(a);
    TEST_ASSERT_EQUAL(n, pl_mesh_vertex_count(b));
    TEST_ASSERT_EQUAL(m, pl_mesh_tet_count(b));
    TEST_ASSERT_EQUAL_MEMORY(pl_mesh_positions(a), pl_mesh_positions(b),
                             3 * (size_t)n * sizeof(double));
    TEST_ASSERT_EQUAL_MEMORY(pl_mesh_tets(a), pl_mesh_tets(b), 4 * (size_t)m * sizeof(int32_t));
    pl_mesh_destroy(a);
    pl_mesh_destroy(b);
    pl_mesh_destroy(surface);
}

static void test_target_counts(void)
{
    static const int32_t wanted[] = {700, 900, 1500, 4000, 20000};
    pl_mesh *surface = ball(6), *mesh; // 432 faces
    for (int i = 0; i < 5; i++) {
        pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
        options.tets = wanted[i];
        mesh_and_check(surface, &options, &mesh);
        double ratio = (double)pl_mesh_tet_count(mesh) / wanted[i];
        TEST_ASSERT_TRUE_MESSAGE(ratio > 0.95 && ratio < 1.05, last_log);
        TEST_ASSERT_EQUAL_STRING("", last_log);
        pl_mesh_destroy(mesh);
    }
    pl_mesh_destroy(surface);
}

static void test_a_target_out_of_reach_warns(void)
{
    pl_mesh *surface = ball(6), *mesh;
    pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
    options.tets = 100;
    mesh_and_check(surface, &options, &mesh);
    TEST_ASSERT_EQUAL(pl_mesh_vertex_count(surface), pl_mesh_vertex_count(mesh));
    TEST_ASSERT_NOT_NULL(strstr(last_log, "100 tets wanted"));
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);
}

static void test_max_volume_moves_the_count(void)
{
    pl_mesh *surface = ball(6), *mesh;
    pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
    int32_t n[2];
    for (int i = 0; i < 2; i++) {
        options.max_volume = i == 0 ? 2e-3 : 1e-3;
        mesh_and_check(surface, &options, &mesh);
        n[i] = pl_mesh_tet_count(mesh);
        TEST_ASSERT_TRUE(n[i] > pl_mesh_volume(surface) / options.max_volume);
        pl_mesh_destroy(mesh);
    }
    TEST_ASSERT_TRUE(n[1] > 1.5 * n[0]);
    options.max_volume = 1e-12;
    expect_failure(surface, &options, PL_ERROR_ARGUMENT, "max_volume: ");
    pl_mesh_destroy(surface);
}

static void test_a_large_face_limits_the_count(void)
{
    pl_mesh *surface = box(1), *mesh;
    pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
    options.tets = 5000;
    mesh_and_check(surface, &options, &mesh);
    TEST_ASSERT_NOT_NULL(strstr(last_log, "no more without being split"));
    pl_mesh_destroy(mesh);
    options.keep_surface = false;
    TEST_ASSERT_EQUAL(PL_OK, pl_tetrahedralize(surface, &options, &mesh));
    TEST_ASSERT_INT_WITHIN(500, 5000, pl_mesh_tet_count(mesh)); // symmetry makes steps
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);
}

static void test_a_cavity_stays_empty(void)
{
    add_part(6, true, 1, 0, false);
    add_part(4, true, 0.4, 0.3, true);
    pl_mesh *surface = finish(), *mesh;
    pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
    options.tets = 5000;
    mesh_and_check(surface, &options, &mesh);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);
}

static void test_two_separate_parts(void)
{
    add_part(4, true, 1, 0, false);
    add_part(3, false, 1, 3, false);
    pl_mesh *surface = finish(), *mesh;
    mesh_and_check(surface, NULL, &mesh);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);
}

static void test_the_surface_may_be_split(void)
{
    add_part(2, false, 1, 0, false);
    add_part(2, true, 0.5, 0, true);
    pl_mesh *surface = finish(), *mesh, *skin;
    pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
    options.keep_surface = false;
    options.max_volume = 0.01;
    TEST_ASSERT_EQUAL(PL_OK, pl_tetrahedralize(surface, &options, &mesh));
    TEST_ASSERT_TRUE(pl_mesh_face_count(mesh) > pl_mesh_face_count(surface));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, pl_mesh_volume(surface), pl_mesh_volume(mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, NULL, &skin));
    TEST_ASSERT_EQUAL(pl_mesh_face_count(mesh), pl_mesh_face_count(skin));
    pl_mesh_destroy(skin);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);
}

static void test_bad_options_are_named(void)
{
    pl_mesh *surface = box(1);
    pl_tetrahedralize_options good = pl_tetrahedralize_options_default(), o;
#define BAD(field, value)                                                                          \
    o = good;                                                                                      \
    o.field = value;                                                                               \
    expect_failure(surface, &o, PL_ERROR_ARGUMENT, #field ": ")
    BAD(quality, 0.99);
    BAD(quality, NAN);
    BAD(quality, INFINITY);
    BAD(min_dihedral, -0.1);
    BAD(min_dihedral, 1.3);
    BAD(min_dihedral, NAN);
    BAD(max_volume, -1);
    BAD(max_volume, NAN);
    BAD(max_volume, INFINITY);
    BAD(tets, -1);
    BAD(tets, INT32_MAX);
    BAD(time_limit, 0);
    BAD(time_limit, NAN);
    BAD(memory_limit, 0);
#undef BAD
    pl_mesh_destroy(surface);
}

static void test_bad_surfaces_are_named(void)
{
    pl_mesh *mesh, *surface = box(2);
    int32_t n_vert = pl_mesh_vertex_count(surface), n_face = pl_mesh_face_count(surface);
    const double *x = pl_mesh_positions(surface);
    const int32_t *face = pl_mesh_faces(surface);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n_vert, x, n_face - 1, face, 0, NULL, &mesh));
    expect_failure(mesh, NULL, PL_ERROR_GEOMETRY, "open at the edge");
    pl_mesh_destroy(mesh);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n_vert, x, 0, NULL, 0, NULL, &mesh));
    expect_failure(mesh, NULL, PL_ERROR_GEOMETRY, "no faces");
    pl_mesh_destroy(mesh);
    TEST_ASSERT_EQUAL(PL_OK, pl_tetrahedralize(surface, NULL, &mesh));
    expect_failure(mesh, NULL, PL_ERROR_ARGUMENT, "has tets already");
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);

    add_part(2, false, 1, 0, false);
    add_part(2, false, 1, 0.7, false);
    mesh = finish();
    expect_failure(mesh, NULL, PL_ERROR_GEOMETRY, "intersect");
    pl_mesh_destroy(mesh);

    add_part(2, false, 1, 0, false);
    vertex(&built, (double[3]){5, 5, 5});
    mesh = finish();
    expect_failure(mesh, NULL, PL_ERROR_GEOMETRY, "belongs to no face");
    pl_mesh_destroy(mesh);

    add_part(2, false, 1, 0, true);
    mesh = finish();
    expect_failure(mesh, NULL, PL_ERROR_GEOMETRY, "inside out");
    pl_mesh_destroy(mesh);

    add_part(2, false, 1, 0, false);
    add_part(2, false, 0.5, 0, false);
    mesh = finish();
    expect_failure(mesh, NULL, PL_ERROR_GEOMETRY, "inside another");
    pl_mesh_destroy(mesh);
}

static void test_limits_end_tetgen(void)
{
    pl_mesh *surface = ball(6);
    pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
    options.max_volume = 1e-8; // 5 * 10^8 tets
    options.time_limit = 0.3;
    expect_failure(surface, &options, PL_ERROR_GEOMETRY, "did not finish within 0.3 s");
// The sanitizers keep their heap in address space that is reserved beforehand.
#ifndef PL_OWN_HEAP
    options.time_limit = 60;
    options.memory_limit = 50 << 20;
    expect_failure(surface, &options, PL_ERROR_MEMORY, "memory");
#endif
    pl_mesh_destroy(surface);
}

// --- Memory that runs out ---

static pl_status fill_and_free(void *user)
{
    pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
    options.tets = 300;
    pl_mesh *mesh;
    pl_status status = pl_tetrahedralize(user, &options, &mesh);
    pl_mesh_destroy(mesh);
    return status;
}

static void test_every_allocation_may_fail(void)
{
    pl_mesh *surface = box(2);
    TEST_ASSERT_GREATER_THAN_INT64(10, fail_each_allocation(fill_and_free, surface));
    pl_mesh_destroy(surface);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_ball_and_box);
    RUN_TEST(test_the_same_input_gives_the_same_mesh);
    RUN_TEST(test_target_counts);
    RUN_TEST(test_a_target_out_of_reach_warns);
    RUN_TEST(test_max_volume_moves_the_count);
    RUN_TEST(test_a_large_face_limits_the_count);
    RUN_TEST(test_a_cavity_stays_empty);
    RUN_TEST(test_two_separate_parts);
    RUN_TEST(test_the_surface_may_be_split);
    RUN_TEST(test_bad_options_are_named);
    RUN_TEST(test_bad_surfaces_are_named);
    RUN_TEST(test_limits_end_tetgen);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
