// Continuous detection against exact arithmetic: no miss, whatever the pair. PLIANT_CCD_PAIRS sets
// how many pairs are tried (20,000; make ccd-million: 1,000,000) and prints the counts.

#include "../apps/cli/ccd_file.h"
#include "../collision/ccd.h"
#include "../collision/distance.h"
#include "exact_ccd.h"
#include "surfaces.h"

#include <unistd.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// --- Pairs ---

typedef struct motion {
    double x0[12], x1[12];
} motion;

static void random_vector(double size, double v[3])
{
    for (int k = 0; k < 3; k++) v[k] = size * (2 * random_unit() - 1);
}

static double small_number(void)
{
    return pow(10, -18 * random_unit());
}

enum { SORTS = 10 };
static const char *const sort_names[SORTS] = {
    "any",          "nearly parallel", "in one plane", "nearly in one plane", "on a lattice",
    "hardly moves", "small and fast",  "nearly hit",   "nearly graze",        "degenerate"};

// In [0, 1], at its ends as well.
static double random_weight(void)
{
    return random_int(4) > 0 ? random_unit() : random_int(2);
}

// A pair that nearly meets, by about `miss`, at some time and some place of the features. If it
// grazes, the two points that meet move alike but for a motion in the plane of the features.
static void near_hit(pl_pair_kind kind, bool graze, double miss, motion *m)
{
    double c[3], e[3], f[3], v[4][3], t = random_unit(), a = random_weight(), b = random_weight();
    if (kind == PL_VERTEX_FACE && a + b > 1) b = 1 - a;
    random_vector(1, c);
    random_vector(1, e);
    random_vector(1, f);
    for (int i = 0; i < 4; i++) random_vector(1, v[i]);
    const double corner[2][4][2] = {{{0, 0}, {-a, -b}, {1 - a, -b}, {-a, 1 - b}},
                                    {{-a, 0}, {1 - a, 0}, {0, -b}, {0, 1 - b}}};
    double along_e = random_unit() - 0.5, along_f = random_unit() - 0.5;
    for (int k = 0; k < 3 && graze; k++) {
        double slide = along_e * e[k] + along_f * f[k];
        if (kind == PL_VERTEX_FACE) {
            v[0][k] = slide + (1 - a - b) * v[1][k] + a * v[2][k] + b * v[3][k];
        } else { // the second edge turns only
            v[0][k] = slide + a * v[2][k];
            v[1][k] = slide - (1 - a) * v[2][k];
            v[3][k] = (b - 1) * v[3][k];
            v[2][k] = b < 1 ? -b / (1 - b) * v[3][k] : 0;
        }
    }
    for (int i = 0; i < 4; i++) {
        const double *w = corner[kind == PL_EDGE_EDGE][i];
        for (int k = 0; k < 3; k++) {
            double x = c[k] + w[0] * e[k] + w[1] * f[k] + miss * (2 * random_unit() - 1);
            m->x0[3 * i + k] = x - t * v[i][k];
            m->x1[3 * i + k] = x + (1 - t) * v[i][k];
        }
    }
}

static void make_motion(int sort, pl_pair_kind kind, motion *m)
{
    double u[2][3], v[2][3], thin = small_number();
    for (int t = 0; t < 2; t++) {
        random_vector(1, u[t]);
        random_vector(1, v[t]);
    }
    if (sort == 7 || sort == 8) {
        near_hit(kind, sort == 8, random_int(4) == 0 ? 0 : small_number(), m);
        return;
    }
    int equal = random_int(4); // for degenerate ones: this corner is the same as the next
    for (int t = 0; t < 2; t++) {
        double *x = t == 0 ? m->x0 : m->x1;
        for (int i = 0; i < 12; i++) {
            int k = i % 3;
            double a = random_int(17) - 8, b = random_int(17) - 8, noise = 2 * random_unit() - 1;
            x[i] = noise;
            if (sort == 1) x[i] = (2 * random_unit() - 1) * u[t][k] + thin * noise;
            if (sort == 2) x[i] = k == 2 ? 0.25 * (t + x[0]) : noise;
            if (sort == 3) x[i] = a * u[t][k] + b * v[t][k] + thin * noise;
            if (sort == 4) x[i] = random_int(4);
            if (sort == 5 && t == 1) x[i] = m->x0[i] + (random_int(3) == 0 ? thin * noise : 0);
            if (sort == 6) x[i] = (t == 0 ? -u[0][k] : u[0][k]) * (i < 6) + thin * noise;
        }
        if (sort == 2) { // one plane, which may be any of the three
            int axis = random_int(3);
            for (int i = 0; i < 4; i++) {
                double swap = x[3 * i + axis];
                x[3 * i + axis] = x[2];
                x[3 * i + 2] = i == 0 ? x[2] : swap;
            }
        }
        for (int k = 0; k < 3 && sort == 9; k++) x[3 * equal + k] = x[3 * ((equal + 1) % 4) + k];
    }
}

// Scales by 10^-6 to 10^6 and moves away from the origin, by up to a million sizes.
static void place(motion *m)
{
    double scale = pow(10, random_int(13) - 6), far[3] = {0};
    if (random_int(3) == 0) random_vector(scale * pow(10, random_int(7)), far);
    for (int i = 0; i < 12; i++) {
        m->x0[i] = scale * m->x0[i] + far[i % 3];
        m->x1[i] = scale * m->x1[i] + far[i % 3];
    }
}

// The largest distance between the features' points, at the start or at the end.
static double size_of(pl_pair_kind kind, const motion *m)
{
    double most[3] = {0};
    int n = first_count[kind];
    for (int i = 0; i < n; i++) {
        for (int j = n; j < point_count[kind]; j++) {
            for (int k = 0; k < 3; k++) {
                most[k] = fmax(most[k], fabs(m->x0[3 * i + k] - m->x0[3 * j + k]));
                most[k] = fmax(most[k], fabs(m->x1[3 * i + k] - m->x1[3 * j + k]));
            }
        }
    }
    return sqrt(pl_dot(most, most));
}

// --- What holds for every answer ---

typedef struct tally {
    int64_t pairs, hits, open, alarms;
    int64_t early; // yes, although not that close yet
    int64_t far;   // false alarms among those
} tally;

// A yes: the time is before the first meeting, the distance there is what it says.
static void check_impact(pl_pair_kind kind, const motion *m, double separation,
                         const pl_impact *hit, tally *counts)
{
    double size = size_of(kind, m), eps = DBL_EPSILON * size;
    TEST_ASSERT_TRUE(hit->time >= 0 && hit->time <= 1);
    if (size == 0) return;
    double distance = size * exact_distance_at(kind, m->x0, m->x1, hit->time, size);
    TEST_ASSERT_TRUE(fabs(distance - hit->closest.distance) <= 32 * eps);
    TEST_ASSERT_TRUE(hit->time == 0 || distance > separation);
    counts->early += distance > separation * (1 + 1.0 / 64) + 300 * eps;
    double start = size * exact_distance_at(kind, m->x0, m->x1, 0, size);
    TEST_ASSERT_TRUE(hit->time > 0 || start <= 2 * separation + 600 * eps);
}

static void check_against_exact(pl_pair_kind kind, const motion *m, const char *name, tally *counts)
{
    double until = 0;
    verdict truth = exact_ccd(kind, m->x0, m->x1, &until);
    pl_impact hit;
    bool yes = pl_ccd(kind, m->x0, m->x1, 0, &hit);
    counts->pairs++;
    counts->hits += truth == VERDICT_YES;
    counts->open += truth == VERDICT_OPEN;
    counts->alarms += truth == VERDICT_NO && yes;
    char text[128];
    snprintf(text, sizeof text, "%s, %s: pair %lld", kind_names[kind], name,
             (long long)counts->pairs);
    TEST_ASSERT_TRUE_MESSAGE(truth != VERDICT_YES || yes, text);
    TEST_ASSERT_TRUE_MESSAGE(truth != VERDICT_YES || hit.time <= until, text);
    int64_t early = counts->early;
    if (yes) check_impact(kind, m, 0, &hit, counts);
    if (truth == VERDICT_NO) counts->far += counts->early - early;
}

static int64_t pair_count(void)
{
    const char *text = getenv("PLIANT_CCD_PAIRS");
    return text != NULL ? atoll(text) : 20000;
}

static void print_tally(const char *sort, const char *kind, const tally *c)
{
    if (getenv("PLIANT_CCD_PAIRS") == NULL) return;
    printf("  %-20s %-13s %8lld pairs %7lld hits %6lld open %6lld early %6lld false alarms, %lld "
           "far\n",
           sort, kind, (long long)c->pairs, (long long)c->hits, (long long)c->open,
           (long long)c->early, (long long)c->alarms, (long long)c->far);
}

static void test_no_miss_against_exact_arithmetic(void)
{
    int64_t rounds = pair_count() / 2 / (2 * SORTS);
    for (int sort = 0; sort < SORTS; sort++) {
        for (int kind = PL_VERTEX_FACE; kind <= PL_EDGE_EDGE; kind++) {
            tally counts = {0};
            for (int64_t round = 0; round < rounds; round++) {
                motion m;
                make_motion(sort, (pl_pair_kind)kind, &m);
                place(&m);
                check_against_exact((pl_pair_kind)kind, &m, sort_names[sort], &counts);
            }
            print_tally(sort_names[sort], kind_names[kind], &counts);
            TEST_ASSERT_TRUE(sort != 0 || (counts.alarms == 0 && counts.open == 0));
        }
    }
}

// --- Planted hits: on a grid, so that all of it is exact ---

static void grid_vector(int bits, double v[3])
{
    for (int k = 0; k < 3; k++) v[k] = random_int(2 << bits) - (1 << bits);
}

// Two features that meet at *time exactly, or are exactly `gap` apart there. Times and weights are
// sixteenths, also 0 and 1; positions are whole numbers.
static void plant(pl_pair_kind kind, double gap, motion *m, double *time)
{
    double c[3], e[3], f[3], v[4][3], way[2] = {0}, t = random_int(17) / 16.0;
    double a = random_int(17) / 16.0, b = random_int(17) / 16.0;
    if (kind == PL_VERTEX_FACE && a + b > 1) b = 1 - a;
    grid_vector(12, c);
    grid_vector(random_int(2) ? 12 : 2, e);
    grid_vector(random_int(2) ? 12 : 2, f);
    for (int i = 0; i < 4; i++) grid_vector(random_int(3) ? 10 : 0, v[i]);
    if (random_int(8) == 0) memcpy(f, e, sizeof f);
    if (random_int(8) == 0) memset(f, 0, sizeof f);
    int axis = random_int(3);
    if (gap > 0) e[axis] = f[axis] = 0;
    const double corner[4][4][2] = {{{0}, {0}},
                                    {{0}, {-a}, {1 - a}},
                                    {{0}, {-a, -b}, {1 - a, -b}, {-a, 1 - b}},
                                    {{-a, 0}, {1 - a, 0}, {0, -b}, {0, 1 - b}}};
    const double weight[4][4] = {{1, 1}, {1, 1 - a, a}, {1, 1 - a - b, a, b}, {1 - a, a, 1 - b, b}};
    if (random_int(2)) { // graze: in the plane, seen from the second feature
        for (int i = 0; i < 2; i++) way[i] = random_int(33) / 16.0 - 1;
        for (int k = 0; k < 3; k++) {
            double second = 0;
            for (int i = first_count[kind]; i < point_count[kind]; i++) {
                second += weight[kind][i] * v[i][k];
            }
            double first = second + way[0] * e[k] + way[1] * f[k];
            if (kind == PL_EDGE_EDGE) v[1][k] = v[0][k] = first;
            if (kind != PL_EDGE_EDGE) v[0][k] = first;
        }
    }
    double scale = ldexp(1, random_int(41) - 20), far[3];
    grid_vector(random_int(2) ? 24 : 0, far);
    for (int i = 0; i < point_count[kind]; i++) {
        for (int k = 0; k < 3; k++) {
            double x = 16 * (c[k] + far[k]) + 16 * (corner[kind][i][0] * e[k]) +
                       16 * (corner[kind][i][1] * f[k]);
            if (i < first_count[kind] && k == axis) x += 16 * gap;
            m->x0[3 * i + k] = scale * (x - t * 16 * v[i][k]);
            m->x1[3 * i + k] = scale * (x + (1 - t) * 16 * v[i][k]);
        }
    }
    *time = t;
}

static void test_planted_hits(void)
{
    int64_t rounds = pair_count() / 2 / 8;
    for (int kind = 0; kind < 4; kind++) {
        tally counts = {0};
        for (int64_t round = 0; round < rounds; round++) {
            motion m;
            double t;
            plant((pl_pair_kind)kind, 0, &m, &t);
            TEST_ASSERT_TRUE(exact_distance_at((pl_pair_kind)kind, m.x0, m.x1, t, 1) == 0);
            pl_impact hit;
            bool yes = pl_ccd((pl_pair_kind)kind, m.x0, m.x1, 0, &hit);
            TEST_ASSERT_TRUE_MESSAGE(yes, kind_names[kind]);
            TEST_ASSERT_TRUE_MESSAGE(hit.time <= t, kind_names[kind]);
            check_impact((pl_pair_kind)kind, &m, 0, &hit, &counts);
            counts.pairs++;
            counts.hits++;
        }
        print_tally("planted", kind_names[kind], &counts);
    }
}

static void test_planted_separations(void)
{
    int64_t rounds = pair_count() / 2 / 8;
    for (int kind = 0; kind < 4; kind++) {
        tally counts = {0};
        for (int64_t round = 0; round < rounds; round++) {
            motion m;
            double t, gap = 1 + random_int(1000);
            plant((pl_pair_kind)kind, gap, &m, &t);
            double distance = exact_distance_at((pl_pair_kind)kind, m.x0, m.x1, t, 1);
            pl_impact hit;
            bool yes = pl_ccd((pl_pair_kind)kind, m.x0, m.x1, distance, &hit);
            TEST_ASSERT_TRUE_MESSAGE(yes, kind_names[kind]);
            TEST_ASSERT_TRUE_MESSAGE(hit.time <= t, kind_names[kind]);
            check_impact((pl_pair_kind)kind, &m, distance, &hit, &counts);
            counts.pairs++;
            counts.hits++;
        }
        print_tally("planted, separated", kind_names[kind], &counts);
    }
}

// --- The benchmark of Wang et al. 2021 ---

// The least distance over a short time after t, where it falls and rises again, in units.
static double least_after(pl_pair_kind kind, const motion *m, double t, double unit)
{
    double a = t, b = PL_MIN(t + 1e-6, 1), least = INFINITY;
    for (int i = 0; i < 120; i++) {
        double u = a + (b - a) / 3, v = b - (b - a) / 3;
        double at_u = exact_distance_at(kind, m->x0, m->x1, u, unit);
        double at_v = exact_distance_at(kind, m->x0, m->x1, v, unit);
        least = fmin(least, fmin(at_u, at_v));
        if (at_u < at_v) b = v;
        if (at_u >= at_v) a = u;
    }
    return least;
}

// False alarms are few, and each is explained: the pair comes so close that the exact distance is
// but a few eps of its size.
static void check_benchmark(pl_pair_kind kind, const char *path)
{
    pl_ccd_queries q;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, pl_ccd_queries_read(path, &q), pl_error_text());
    int64_t alarms = 0, hits = 0;
    double farthest = 0;
    for (int64_t i = 0; i < q.n; i++) {
        motion m;
        memcpy(&m, q.x + 24 * i, sizeof m);
        pl_impact hit;
        bool yes = pl_ccd(kind, m.x0, m.x1, 0, &hit);
        hits += q.truth[i];
        TEST_ASSERT_TRUE_MESSAGE(yes || !q.truth[i], path);
        if (!yes || q.truth[i]) continue;
        alarms++;
        double size = size_of(kind, &m);
        farthest = fmax(farthest, least_after(kind, &m, hit.time, DBL_EPSILON * size));
    }
    if (getenv("PLIANT_CCD_PAIRS") != NULL) {
        printf("  %s: %lld false alarms, the farthest %.2f eps apart\n", path, (long long)alarms,
               farthest);
    }
    TEST_ASSERT_TRUE(hits > 0 && 20 * alarms < q.n - hits);
    TEST_ASSERT_TRUE_MESSAGE(farthest <= 2, "a false alarm without a reason");
    pl_ccd_queries_free(&q);
}

static void test_benchmark(void)
{
    if (access("../shared/data/ccd/vf.csv.gz", R_OK) != 0) {
        TEST_IGNORE_MESSAGE("../shared/data is not here");
    }
    check_benchmark(PL_VERTEX_FACE, "../shared/data/ccd/vf.csv.gz");
    check_benchmark(PL_EDGE_EDGE, "../shared/data/ccd/ee.csv.gz");
}

// --- Known by heart ---

static void test_a_vertex_falls_on_a_face(void)
{
    const double x0[12] = {0.25, 0.25, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    double x1[12];
    memcpy(x1, x0, sizeof x1);
    x1[2] = -1;
    pl_impact hit;
    TEST_ASSERT_TRUE(pl_ccd(PL_VERTEX_FACE, x0, x1, 0, &hit));
    TEST_ASSERT_TRUE(fabs(hit.time - 0.5) <= 1e-14 && hit.time <= 0.5);
    TEST_ASSERT_TRUE(fabs(hit.closest.weight[1] + 0.5) <= 1e-14);
    TEST_ASSERT_TRUE(fabs(hit.closest.normal[2] - 1) <= 1e-14 && hit.closest.support == 15);
    TEST_ASSERT_TRUE(pl_ccd(PL_VERTEX_FACE, x0, x1, 0.5, &hit));
    TEST_ASSERT_TRUE(hit.time > 0.24 && hit.time <= 0.25);
    TEST_ASSERT_TRUE(pl_ccd(PL_VERTEX_FACE, x0, x1, 0.5, NULL));
    x1[2] = 0.125;
    TEST_ASSERT_FALSE(pl_ccd(PL_VERTEX_FACE, x0, x1, 0.12, &hit));
    TEST_ASSERT_TRUE(pl_ccd(PL_VERTEX_FACE, x0, x1, 0.13, &hit));
    TEST_ASSERT_TRUE(pl_ccd(PL_VERTEX_FACE, x0, x0, 1, &hit));
    TEST_ASSERT_TRUE(hit.time == 0);
    TEST_ASSERT_FALSE(pl_ccd(PL_VERTEX_FACE, x0, x0, 0.98, &hit));
}

// Starts and ends above the face: a test of the end alone would see nothing.
static void test_a_face_passes_through_a_vertex_and_back(void)
{
    const double x0[12] = {0.3, 0.3, 0.1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double x1[12] = {5.3, 0.3, 0.1, 0, 0, 0.5, 1, 0, 0, 0, 1, 0};
    TEST_ASSERT_FALSE(pl_ccd(PL_VERTEX_FACE, x0, x1, 0, NULL));
    const double x2[12] = {0.3, 0.3, 0.1, 0, 0, 0.5, 1, 0, 0, 0, 1, 0};
    TEST_ASSERT_TRUE(pl_ccd(PL_VERTEX_FACE, x0, x2, 0, NULL));
}

static void test_vertices_of_a_mesh(void)
{
    const double x0[15] = {9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, 1e-3};
    double x1[15];
    memcpy(x1, x0, sizeof x1);
    const int32_t pair[4] = {4, 1, 2, 3};
    pl_impact hit;
    // At rest, closer than the separation: no hit. Half way down: one, on its way.
    TEST_ASSERT_FALSE(pl_ccd_vertices(PL_VERTEX_FACE, pair, x0, x1, 1, &hit));
    x1[14] = 0.45e-3;
    TEST_ASSERT_TRUE(pl_ccd_vertices(PL_VERTEX_FACE, pair, x0, x1, 1, &hit));
    TEST_ASSERT_TRUE(hit.time > 0.8 && hit.closest.distance > 0.5e-3);
    x1[14] = 0.55e-3;
    TEST_ASSERT_FALSE(pl_ccd_vertices(PL_VERTEX_FACE, pair, x0, x1, 1, &hit));
}

// Not asked for by the interface, but a walk that never ends would be worse than any answer.
static void test_what_is_no_number_ends(void)
{
    double x0[12] = {0}, x1[12] = {1, NAN, INFINITY};
    for (int kind = 0; kind < 4; kind++) pl_ccd((pl_pair_kind)kind, x0, x1, 0, NULL);
    x0[5] = 1e300;
    x1[8] = -1e300;
    for (int kind = 0; kind < 4; kind++) pl_ccd((pl_pair_kind)kind, x0, x1, 0, NULL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_no_miss_against_exact_arithmetic);
    RUN_TEST(test_planted_hits);
    RUN_TEST(test_planted_separations);
    RUN_TEST(test_benchmark);
    RUN_TEST(test_a_vertex_falls_on_a_face);
    RUN_TEST(test_a_face_passes_through_a_vertex_and_back);
    RUN_TEST(test_vertices_of_a_mesh);
    RUN_TEST(test_what_is_no_number_ends);
    return UNITY_END();
}
