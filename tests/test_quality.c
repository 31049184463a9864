#include "../meshes/quality.h"
#include "../meshes/mesh.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// Rounding of a few dozen operations on numbers near 1.
static const double rounding = 1e-14;

static const double regular[4][3] = {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double flat[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const double point[4][3] = {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}, {2, 3, 4}};

static double ratio_of(const double t[4][3])
{
    return pl_tet_radius_ratio(t[0], t[1], t[2], t[3]);
}

static void test_radius_ratio_of_known_tets(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(rounding, 1, ratio_of(regular));
    // r = 1 / (3 + sqrt 3), R = sqrt(3) / 2
    TEST_ASSERT_DOUBLE_WITHIN(rounding, sqrt(3) - 1, ratio_of(corner));
    TEST_ASSERT_TRUE(ratio_of(flat) == 0);
    TEST_ASSERT_TRUE(ratio_of(point) == 0);
    double inverted[4][3];
    memcpy(inverted, corner, sizeof inverted);
    inverted[3][2] = -1;
    TEST_ASSERT_DOUBLE_WITHIN(rounding, 1 - sqrt(3), ratio_of(inverted));
}

static void test_radius_ratio_depends_on_neither_size_nor_order(void)
{
    static const int even[4][4] = {{0, 1, 2, 3}, {1, 2, 0, 3}, {1, 0, 3, 2}, {3, 1, 0, 2}};
    static const double scale[] = {1e-200, 1e-100, 1e-3, 1, 1e60, 1e200};
    static const double t[4][3] = {
        {0.1, 0.2, 0}, {1.3, 0.1, 0.4}, {0.2, 0.9, 0.1}, {0.3, 0.4, 0.8}};
    double expected = ratio_of(t);
    TEST_ASSERT_TRUE(expected > 0.3);
    for (size_t s = 0; s < sizeof scale / sizeof *scale; s++) {
        for (int p = 0; p < 4; p++) {
            double u[4][3];
            for (int i = 0; i < 12; i++) u[i / 3][i % 3] = scale[s] * t[even[p][i / 3]][i % 3];
            TEST_ASSERT_DOUBLE_WITHIN(10 * rounding, expected, ratio_of(u));
        }
    }
}

static void test_nearly_flat_tets_give_small_numbers_and_no_nan(void)
{
    for (double h = 1; h > 1e-320; h /= 10) {
        const double t[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, 0.3, h}};
        double angle[6], ratio = ratio_of(t);
        pl_tet_dihedrals(t[0], t[1], t[2], t[3], angle);
        TEST_ASSERT_TRUE(ratio >= 0 && ratio <= 6 * h * h * 10);
        for (int k = 0; k < 6; k++) TEST_ASSERT_TRUE(angle[k] >= 0 && angle[k] <= M_PI);
    }
}

static void test_dihedrals_of_known_tets(void)
{
    double angle[6], right = M_PI / 2, slant = acos(1 / sqrt(3));
    pl_tet_dihedrals(regular[0], regular[1], regular[2], regular[3], angle);
    for (int k = 0; k < 6; k++) TEST_ASSERT_DOUBLE_WITHIN(rounding, acos(1.0 / 3), angle[k]);
    pl_tet_dihedrals(corner[0], corner[1], corner[2], corner[3], angle);
    for (int k = 0; k < 6; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(rounding, k < 3 ? right : slant, angle[k]);
    }
    // A square folded flat: two diagonals (ac, bd) and four sides.
    pl_tet_dihedrals(flat[0], flat[1], flat[2], flat[3], angle);
    for (int k = 0; k < 6; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(rounding, k == 1 || k == 4 ? M_PI : 0, angle[k]);
    }
    pl_tet_dihedrals(point[0], point[1], point[2], point[3], angle);
    for (int k = 0; k < 6; k++) TEST_ASSERT_TRUE(angle[k] == 0);
}

static pl_mesh *two_tets(void)
{
    // A corner tet and one below it of half the height, inverted.
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -0.5};
    const int32_t tet[] = {0, 1, 2, 3, 0, 1, 2, 4};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(5, x, 0, NULL, 2, tet, &mesh));
    return mesh;
}

static void test_measure_counts_and_sums(void)
{
    pl_mesh *mesh = two_tets();
    pl_mesh_quality q;
    double ratio[2], angle[2];
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_measure(mesh, &q, ratio, angle));
    TEST_ASSERT_EQUAL(2, q.n_tet);
    TEST_ASSERT_EQUAL(1, q.n_inverted);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, 1.0 / 6, q.max_volume);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, -1.0 / 12, q.min_volume);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, 1.0 / 12, q.total_volume);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, sqrt(3) - 1, ratio[0]);
    TEST_ASSERT_TRUE(ratio[1] < 0);
    TEST_ASSERT_TRUE(q.min_radius_ratio == ratio[1]);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, (ratio[0] + ratio[1]) / 2, q.mean_radius_ratio);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, acos(1 / sqrt(3)), angle[0]);
    TEST_ASSERT_TRUE(q.min_dihedral == angle[1]);
    TEST_ASSERT_DOUBLE_WITHIN(rounding, M_PI / 2, q.max_dihedral);
    int64_t angles = 0, ratios = 0;
    for (int i = 0; i < PL_QUALITY_BINS; i++) {
        angles += q.dihedral_bins[i];
        ratios += q.ratio_bins[i];
    }
    TEST_ASSERT_EQUAL(12, angles);
    TEST_ASSERT_EQUAL(2, ratios);
    TEST_ASSERT_EQUAL(1, q.ratio_bins[0]);
    TEST_ASSERT_EQUAL(1, q.ratio_bins[13]); // 0.732 * 18 = 13.2
    pl_mesh_destroy(mesh);
}

static void test_measure_needs_tets(void)
{
    pl_mesh *mesh;
    pl_mesh_quality q;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(0, NULL, 0, NULL, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_mesh_measure(mesh, &q, NULL, NULL));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "no tets"));
    pl_mesh_destroy(mesh);
}

static void test_text_is_terminated_whatever_the_size(void)
{
    pl_mesh *mesh = two_tets();
    pl_mesh_quality q;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_measure(mesh, &q, NULL, NULL));
    static char whole[8192], part[8192];
    size_t length = pl_mesh_quality_text(&q, whole, sizeof whole);
    TEST_ASSERT_EQUAL(length, strlen(whole));
    TEST_ASSERT_EQUAL(length, pl_mesh_quality_text(&q, NULL, 0));
    for (size_t size = 1; size <= length + 1; size++) {
        memset(part, 'x', sizeof part);
        TEST_ASSERT_EQUAL(length, pl_mesh_quality_text(&q, part, size));
        TEST_ASSERT_EQUAL(size - 1, strlen(part));
        TEST_ASSERT_EQUAL(0, memcmp(part, whole, size - 1));
        TEST_ASSERT_EQUAL('x', part[size]);
    }
    pl_mesh_destroy(mesh);
}

static void test_text_fits_a_terminal_and_shows_single_tets(void)
{
    pl_mesh_quality q = {.n_tet = INT32_MAX / 4, .min_volume = -1.25e-300, .max_volume = 1.25e300};
    q.dihedral_bins[0] = 1;
    q.dihedral_bins[7] = 4000000000;
    q.ratio_bins[17] = INT32_MAX / 4;
    static char text[8192];
    pl_mesh_quality_text(&q, text, sizeof text);
    int lines = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        TEST_ASSERT_LESS_OR_EQUAL(80, strlen(line));
        for (char *c = line; *c != '\0'; c++) TEST_ASSERT_TRUE(*c >= ' ' && *c < 127);
        if (strncmp(line, "  0 -  10 |", 11) == 0) TEST_ASSERT_EQUAL('.', line[11]);
        if (strncmp(line, " 70 -  80 |", 11) == 0) TEST_ASSERT_EQUAL('#', line[11]);
        if (strncmp(line, " 80 -  90 |", 11) == 0) TEST_ASSERT_EQUAL(' ', line[11]);
        lines++;
    }
    TEST_ASSERT_EQUAL(4 + 1 + PL_QUALITY_BINS, lines);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_radius_ratio_of_known_tets);
    RUN_TEST(test_radius_ratio_depends_on_neither_size_nor_order);
    RUN_TEST(test_nearly_flat_tets_give_small_numbers_and_no_nan);
    RUN_TEST(test_dihedrals_of_known_tets);
    RUN_TEST(test_measure_counts_and_sums);
    RUN_TEST(test_measure_needs_tets);
    RUN_TEST(test_text_is_terminated_whatever_the_size);
    RUN_TEST(test_text_fits_a_terminal_and_shows_single_tets);
    return UNITY_END();
}
