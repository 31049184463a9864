#include "../meshes/mesh.h"
#include "../meshes/neighbours.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_mesh *create(int32_t n_vert, const double *x, int32_t n_tet, const int32_t *tet)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n_vert, x, 0, NULL, n_tet, tet, &mesh));
    return mesh;
}

static pl_mesh_quality measure(const pl_mesh *mesh)
{
    pl_mesh_quality q;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_measure(mesh, &q, NULL, NULL));
    return q;
}

enum { N = 7, N_VERT = (N + 1) * (N + 1) * (N + 1), N_TET = 6 * N * N * N };

static int32_t grid(int i, int j, int k)
{
    return (i * (N + 1) + j) * (N + 1) + k;
}

// The six tets around the diagonal of a cell: one per order of the axes.
static void fill_cell(const int at[3], int32_t tet[24])
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int o = 0; o < 6; o++) {
        int p[3] = {at[0], at[1], at[2]};
        int32_t *t = tet + 4 * o;
        t[0] = grid(p[0], p[1], p[2]);
        for (int s = 0; s < 3; s++) {
            p[orders[o][s]]++;
            t[s + 1] = grid(p[0], p[1], p[2]);
        }
        if (o < 3) continue; // odd orders come out inverted
        int32_t swap = t[1];
        t[1] = t[2];
        t[2] = swap;
    }
}

// A cube of N^3 cells with its interior vertices scattered by up to this fraction of a cell.
static pl_mesh *cube(double scatter)
{
    static double x[3 * N_VERT];
    static int32_t tet[4 * N_TET];
    uint32_t random = 12345;
    for (int v = 0; v < N_VERT; v++) {
        int at[3] = {v / ((N + 1) * (N + 1)), v / (N + 1) % (N + 1), v % (N + 1)};
        bool inside = true;
        for (int k = 0; k < 3; k++) inside = inside && at[k] > 0 && at[k] < N;
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            x[3 * v + k] = at[k] + (inside ? scatter * (random / 2147483648.0 - 1) : 0);
        }
    }
    for (int c = 0; c < N * N * N; c++) {
        fill_cell((int[3]){c / (N * N), c / N % N, c % N}, tet + 24 * c);
    }
    return create(N_VERT, x, N_TET, tet);
}

static int compare_facets(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(int32_t));
}

// The boundary of a mesh in an order that depends on the faces alone.
static pl_facet *sorted_boundary(const pl_mesh *mesh, int32_t *n)
{
    int32_t *across = malloc(4 * (size_t)mesh->n_tet * sizeof *across);
    pl_facet *facets = malloc(4 * (size_t)mesh->n_tet * sizeof *facets);
    TEST_ASSERT_EQUAL(PL_OK, pl_tet_neighbours(mesh->n_vert, mesh->n_tet, mesh->tet, across));
    *n = 0;
    for (int32_t i = 0; i < 4 * mesh->n_tet; i++) {
        if (across[i] < 0) facets[(*n)++] = pl_facet_at(mesh->tet, i);
        if (across[i] >= 0) TEST_ASSERT_EQUAL(i, across[across[i]]);
    }
    qsort(facets, (size_t)*n, sizeof *facets, compare_facets);
    free(across);
    return facets;
}

static void test_scattered_cube_gets_better_and_keeps_its_boundary(void)
{
    pl_mesh *before = cube(0.3), *after;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_copy(before, &after));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_improve(after, NULL));
    pl_mesh_quality q = measure(before), r = measure(after);
    TEST_ASSERT_TRUE(q.min_radius_ratio < 0.05);
    TEST_ASSERT_TRUE(r.min_radius_ratio >= pl_improve_options_default().goal);
    TEST_ASSERT_TRUE(r.mean_radius_ratio > q.mean_radius_ratio);
    TEST_ASSERT_EQUAL(0, r.n_inverted);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, N * N * N, r.total_volume);
    TEST_ASSERT_EQUAL(before->n_vert, after->n_vert);
    int32_t n, m;
    pl_facet *f = sorted_boundary(before, &n), *g = sorted_boundary(after, &m);
    TEST_ASSERT_EQUAL(12 * N * N, n);
    TEST_ASSERT_EQUAL(n, m);
    for (int32_t i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL_INT(0, pl_facet_compare(&f[i], &g[i]));
        for (int k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)f[i].v[k];
            TEST_ASSERT_EQUAL_MEMORY(before->x + at, after->x + at, 3 * sizeof(double));
        }
    }
    free(f);
    free(g);
    pl_mesh_destroy(before);
    pl_mesh_destroy(after);
}

static void test_the_same_input_gives_the_same_mesh(void)
{
    pl_mesh *a = cube(0.3), *b = cube(0.3);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_improve(a, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_improve(b, NULL));
    TEST_ASSERT_EQUAL(a->n_tet, b->n_tet);
    TEST_ASSERT_EQUAL_MEMORY(a->tet, b->tet, 4 * (size_t)a->n_tet * sizeof *a->tet);
    TEST_ASSERT_EQUAL_MEMORY(a->x, b->x, 3 * (size_t)a->n_vert * sizeof *a->x);
    pl_mesh_destroy(a);
    pl_mesh_destroy(b);
}

static void test_every_pass_leaves_the_worst_no_worse(void)
{
    pl_mesh *mesh = cube(0.3);
    double worst = measure(mesh).min_radius_ratio;
    for (int i = 0; i < 5; i++) {
        pl_improve_options options = {.goal = 0.2 * (i + 1), .passes = 1};
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_improve(mesh, &options));
        double now = measure(mesh).min_radius_ratio;
        TEST_ASSERT_TRUE(now >= worst);
        worst = now;
    }
    pl_mesh_destroy(mesh);
}

static void test_a_long_diagonal_is_removed(void)
{
    // An octahedron cut along its long axis. Along a short one its tets are fatter.
    const double x[] = {1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0, 0, 0, 3, 0, 0, -3};
    const int32_t tet[] = {5, 4, 0, 1, 5, 4, 1, 2, 5, 4, 2, 3, 5, 4, 3, 0};
    pl_mesh *mesh = create(6, x, 4, tet);
    double before = measure(mesh).min_radius_ratio;
    TEST_ASSERT_TRUE(before > 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_improve(mesh, NULL));
    TEST_ASSERT_TRUE(measure(mesh).min_radius_ratio > 1.2 * before);
    TEST_ASSERT_EQUAL(4, mesh->n_tet);
    for (int32_t i = 0; i < 4; i++) {
        int ends = 0;
        for (int k = 0; k < 4; k++) ends += mesh->tet[4 * i + k] >= 4;
        TEST_ASSERT_EQUAL(1, ends);
    }
    pl_mesh_destroy(mesh);
}

static void test_a_low_double_pyramid_becomes_three_tets(void)
{
    double s = sqrt(3) / 2;
    const double x[] = {1, 0, 0, -0.5, s, 0, -0.5, -s, 0, 0, 0, 0.4, 0, 0, -0.4};
    const int32_t tet[] = {0, 1, 2, 3, 0, 2, 1, 4};
    pl_mesh *mesh = create(5, x, 2, tet);
    double before = measure(mesh).min_radius_ratio;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_improve(mesh, NULL));
    TEST_ASSERT_EQUAL(3, mesh->n_tet);
    TEST_ASSERT_TRUE(measure(mesh).min_radius_ratio > before);
    // And a high one of three becomes two.
    for (int v = 3; v < 5; v++) mesh->x[3 * v + 2] *= 3;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_improve(mesh, &(pl_improve_options){.goal = 1, .passes = 1}));
    TEST_ASSERT_EQUAL(2, mesh->n_tet);
    TEST_ASSERT_EQUAL(0, measure(mesh).n_inverted);
    pl_mesh_destroy(mesh);
}

static void test_flat_tets_are_mended(void)
{
    pl_mesh *mesh = cube(0);
    double *v = mesh->x + 3 * grid(3, 3, 3);
    v[0] = 4; // into the far face of one of its tets
    v[1] = 3.6;
    v[2] = 3.3;
    TEST_ASSERT_TRUE(measure(mesh).min_radius_ratio == 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_improve(mesh, NULL));
    TEST_ASSERT_EQUAL(0, measure(mesh).n_inverted);
    TEST_ASSERT_TRUE(measure(mesh).min_radius_ratio > 0.4);
    pl_mesh_destroy(mesh);
}

static void test_an_inverted_tet_is_refused(void)
{
    pl_mesh *mesh = cube(0);
    mesh->x[3 * grid(3, 3, 3)] = 4.5;
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_mesh_improve(mesh, NULL));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "is inverted"));
    TEST_ASSERT_TRUE(mesh->x[3 * grid(3, 3, 3)] == 4.5);
    pl_mesh_destroy(mesh);
}

static void test_three_tets_on_a_face_are_refused(void)
{
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0, 0, -1};
    const int32_t tet[] = {0, 1, 2, 3, 0, 1, 2, 4, 0, 2, 1, 5};
    pl_mesh *mesh = create(6, x, 3, tet);
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_mesh_improve(mesh, NULL));
    TEST_ASSERT_EQUAL_STRING("the face of the vertices 0, 1 and 2 belongs to three tets",
                             pl_error_text());
    pl_mesh_destroy(mesh);
}

// --- Memory that runs out ---

static pl_status improve_or_keep(void *user)
{
    const pl_mesh *before = user;
    pl_mesh *mesh;
    PL_TRY(pl_mesh_copy(before, &mesh));
    pl_status status = pl_mesh_improve(mesh, NULL);
    if (status != PL_OK) {
        TEST_ASSERT_EQUAL(before->n_tet, mesh->n_tet);
        TEST_ASSERT_EQUAL_MEMORY(before->tet, mesh->tet, 4 * sizeof(int32_t) * N_TET);
        TEST_ASSERT_EQUAL_MEMORY(before->x, mesh->x, 3 * sizeof(double) * N_VERT);
    }
    pl_mesh_destroy(mesh);
    return status;
}

static void test_without_memory_the_mesh_is_unchanged(void)
{
    pl_mesh *mesh = cube(0.3);
    TEST_ASSERT_GREATER_THAN_INT64(9, fail_each_allocation(improve_or_keep, mesh));
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_scattered_cube_gets_better_and_keeps_its_boundary);
    RUN_TEST(test_the_same_input_gives_the_same_mesh);
    RUN_TEST(test_every_pass_leaves_the_worst_no_worse);
    RUN_TEST(test_a_long_diagonal_is_removed);
    RUN_TEST(test_a_low_double_pyramid_becomes_three_tets);
    RUN_TEST(test_flat_tets_are_mended);
    RUN_TEST(test_an_inverted_tet_is_refused);
    RUN_TEST(test_three_tets_on_a_face_are_refused);
    RUN_TEST(test_without_memory_the_mesh_is_unchanged);
    return UNITY_END();
}
