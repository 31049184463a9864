// Exact meeting of triangles against separating axes in integers and against the corners of the
// intersection in rational numbers, on lattices so small that touching, coplanar and degenerate
// cases come up all the time.

#include "../meshes/triangles.h"
#include "rational.h"
#include "surfaces.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// --- The reference: convex polygons are disjoint iff some axis separates them strictly ---

typedef struct vec {
    int64_t at[3];
} vec;

typedef struct polygon {
    int n;
    vec point[4];
} polygon;

static vec sub(vec a, vec b)
{
    return (vec){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static vec cross(vec a, vec b)
{
    return (vec){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                  a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static void project(const polygon *p, vec axis, int64_t *lo, int64_t *hi)
{
    *lo = INT64_MAX;
    *hi = INT64_MIN;
    for (int i = 0; i < p->n; i++) {
        int64_t d = 0;
        for (int k = 0; k < 3; k++) d += axis.at[k] * p->point[i].at[k];
        if (d < *lo) *lo = d;
        if (d > *hi) *hi = d;
    }
}

static bool separates(const polygon *a, const polygon *b, vec axis)
{
    int64_t a_lo, a_hi, b_lo, b_hi;
    project(a, axis, &a_lo, &a_hi);
    project(b, axis, &b_lo, &b_hi);
    return a_hi < b_lo || b_hi < a_lo;
}

// All directions between points, their cross products, and the products of those with the
// directions: more than the theorem asks for, so that degenerate polygons are covered as well.
static bool polygons_meet(const polygon *a, const polygon *b)
{
    vec d[64];
    int n = 0;
    for (int i = 0; i < a->n; i++) d[n++] = sub(a->point[(i + 1) % a->n], a->point[i]);
    for (int i = 0; i < b->n; i++) d[n++] = sub(b->point[(i + 1) % b->n], b->point[i]);
    for (int i = 0; i < a->n * b->n; i++) d[n++] = sub(a->point[i / b->n], b->point[i % b->n]);
    for (int i = 0; i < n; i++) {
        if (separates(a, b, d[i])) return false;
        for (int j = 0; j < i; j++) {
            vec normal = cross(d[i], d[j]);
            if (separates(a, b, normal)) return false;
            for (int k = 0; k < a->n + b->n; k++) {
                if (separates(a, b, cross(normal, d[k]))) return false;
            }
            if (separates(a, b, cross(normal, d[i])) || separates(a, b, cross(normal, d[j]))) {
                return false;
            }
        }
    }
    return true;
}

// The vertices of a case on the lattice; a and b index into them.
typedef struct pair {
    vec x[6];
    int32_t a[3], b[3];
} pair;

static bool is_shared(const pair *p, int32_t v)
{
    return v == p->b[0] || v == p->b[1] || v == p->b[2];
}

enum { CUT = 200 }; // finer than any ratio of lengths on the lattice

// Triangle a times CUT, with what it shares with b cut off by a thin slice.
static polygon cut_triangle(const pair *p)
{
    polygon r = {0};
    for (int k = 0; k < 3; k++) {
        int32_t v = p->a[k];
        if (!is_shared(p, v)) {
            for (int c = 0; c < 3; c++) r.point[r.n].at[c] = CUT * p->x[v].at[c];
            r.n++;
            continue;
        }
        for (int l = 0; l < 2; l++) { // towards the corner before, then towards the corner after
            int32_t w = p->a[(k + (l == 0 ? 2 : 1)) % 3];
            if (is_shared(p, w)) continue;
            for (int c = 0; c < 3; c++) {
                r.point[r.n].at[c] = (CUT - 1) * p->x[v].at[c] + p->x[w].at[c];
            }
            r.n++;
        }
    }
    return r;
}

static bool reference(const pair *p)
{
    polygon a = cut_triangle(p), b = {.n = 3};
    if (a.n == 0) return true; // all three corners shared
    for (int k = 0; k < 9; k++) b.point[k / 3].at[k % 3] = CUT * p->x[p->b[k / 3]].at[k % 3];
    return polygons_meet(&a, &b);
}

// --- Cases ---

// Meeting does not change under an affine map, and this one is exact in doubles: a shear by large
// integers, which takes the planes off the axes and the filter to its limits, and a power of two.
static void map_points(const pair *p, int kind, double x[18])
{
    double scale = kind == 0 ? 1 : ldexp(1, random_int(1800) - 900);
    double s = kind < 2 ? 0 : random_int(1 << 22), t = kind < 2 ? 0 : random_int(1 << 22);
    int turn = random_int(3);
    for (int i = 0; i < 6; i++) {
        double u = (double)p->x[i].at[0], v = (double)p->x[i].at[1], w = (double)p->x[i].at[2];
        x[3 * i + turn] = scale * (u + s * v + t * w);
        x[3 * i + (turn + 1) % 3] = scale * (v + t * w);
        x[3 * i + (turn + 2) % 3] = scale * w;
    }
}

static void check(const pair *p, int *meeting)
{
    bool expected = reference(p);
    *meeting += expected;
    for (int kind = 0; kind < 3; kind++) {
        double x[18];
        map_points(p, kind, x);
        TEST_ASSERT_EQUAL_INT(expected, pl_faces_meet(x, p->a, p->b));
        TEST_ASSERT_EQUAL_INT(expected, pl_faces_meet(x, p->b, p->a));
        int32_t turned[3] = {p->a[1], p->a[0], p->a[2]};
        TEST_ASSERT_EQUAL_INT(expected, pl_faces_meet(x, turned, p->b));
    }
}

static bool flat(const pair *p, const int32_t t[3])
{
    vec n = cross(sub(p->x[t[1]], p->x[t[0]]), sub(p->x[t[2]], p->x[t[0]]));
    return n.at[0] == 0 && n.at[1] == 0 && n.at[2] == 0;
}

// Random pairs that share `shared` vertices, on a lattice of `size` points per axis, `planar` with
// one height for all.
static void run(int shared, int size, bool planar, bool degenerate, int cases)
{
    int meeting = 0, n = 0;
    while (n < cases) {
        pair p;
        for (int i = 0; i < 18; i++) p.x[i / 3].at[i % 3] = random_int(size);
        for (int i = 0; i < 6 && planar; i++) p.x[i].at[2] = 1;
        int turn = random_int(3);
        for (int k = 0; k < 3; k++) {
            p.a[k] = k;
            p.b[(k + turn) % 3] = k < shared ? k : 3 + k;
        }
        if ((flat(&p, p.a) || flat(&p, p.b)) != degenerate) continue;
        check(&p, &meeting);
        n++;
    }
    TEST_ASSERT_GREATER_THAN_INT(cases / 50, meeting);
    if (shared < 3) TEST_ASSERT_LESS_THAN_INT(cases - cases / 50, meeting);
}

static void test_strangers(void)
{
    run(0, 3, false, false, 4000);
    run(0, 5, false, false, 4000);
    run(0, 3, true, false, 2000);
    run(0, 6, true, false, 2000);
}

static void test_degenerate_strangers(void)
{
    run(0, 3, false, true, 3000);
    run(0, 4, true, true, 2000);
}

static void test_one_shared_vertex(void)
{
    run(1, 3, false, false, 3000);
    run(1, 5, false, false, 2000);
    run(1, 4, true, false, 2000);
}

static void test_one_shared_edge(void)
{
    run(2, 3, false, false, 3000);
    run(2, 5, true, false, 2000);
}

static void test_same_corners_meet(void)
{
    run(3, 4, false, false, 100);
}

// Any indices, repeated ones too, on any points, equal ones too.
static void run_rational(int n_vert, int size, bool planar, int cases)
{
    int meeting[3] = {0}, parting[3] = {0}; // by vertices shared
    for (int n = 0; n < cases; n++) {
        double x[18];
        int32_t a[3], b[3];
        for (int i = 0; i < 18; i++) x[i] = random_int(size);
        for (int i = 0; i < 6 && planar; i++) x[3 * i + 2] = x[3 * i] + x[3 * i + 1];
        for (int k = 0; k < 3; k++) {
            a[k] = random_int(n_vert);
            b[k] = random_int(n_vert);
        }
        int shared = shared_vertices(a, b, NULL);
        if (shared == 3) continue;
        bool expected = rational_meet(x, a, b);
        *(expected ? &meeting[shared] : &parting[shared]) += 1;
        TEST_ASSERT_EQUAL_INT(expected, pl_faces_meet(x, a, b));
        TEST_ASSERT_EQUAL_INT(expected, pl_faces_meet(x, b, a));
    }
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_GREATER_THAN_INT(cases / 200, meeting[k]);
        TEST_ASSERT_GREATER_THAN_INT(cases / 200, parting[k]);
    }
}

static void test_against_rationals(void)
{
    run_rational(6, 2, false, 4000);
    run_rational(6, 3, false, 4000);
    run_rational(5, 5, false, 4000);
    run_rational(5, 2, true, 4000);
    run_rational(6, 4, true, 4000);
}

static void test_near_misses(void)
{
    // A tip above the middle of a face, at the height of the last bit.
    double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, 0, 0.3, 0.3, 1, 0.2, 0.3, 1};
    int32_t a[3] = {0, 1, 2}, b[3] = {3, 4, 5};
    TEST_ASSERT_TRUE(pl_faces_meet(x, a, b));
    x[11] = 5e-324;
    TEST_ASSERT_FALSE(pl_faces_meet(x, a, b));
    x[11] = -5e-324;
    TEST_ASSERT_TRUE(pl_faces_meet(x, a, b));
    // A tip at an edge from outside, in the plane.
    x[9] = 0.5, x[10] = 0.5, x[11] = 0, x[12] = 1, x[13] = 1, x[14] = 0, x[15] = 2, x[16] = 1;
    TEST_ASSERT_TRUE(pl_faces_meet(x, a, b));
    x[9] = nextafter(0.5, 1);
    TEST_ASSERT_FALSE(pl_faces_meet(x, a, b));
}

static void test_flatness(void)
{
    double a[3] = {0.1, 0.2, 0.3}, b[3] = {0.3, 0.6, 0.9}, c[3] = {0.2, 0.4, 0.6};
    TEST_ASSERT_FALSE(pl_triangle_flat(a, b, c)); // not on a line in doubles
    for (int k = 0; k < 3; k++) c[k] = 2 * a[k], b[k] = 4 * a[k];
    TEST_ASSERT_TRUE(pl_triangle_flat(a, b, c));
    TEST_ASSERT_TRUE(pl_triangle_flat(a, a, c));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_strangers);
    RUN_TEST(test_degenerate_strangers);
    RUN_TEST(test_one_shared_vertex);
    RUN_TEST(test_one_shared_edge);
    RUN_TEST(test_same_corners_meet);
    RUN_TEST(test_against_rationals);
    RUN_TEST(test_near_misses);
    RUN_TEST(test_flatness);
    return UNITY_END();
}
