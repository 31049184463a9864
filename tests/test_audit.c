// The audit: planted intersections and near misses, all pairs, exact insides and distances, motion,
// threads, memory, size.

#include "../base/team.h"
#include "../meshes/predicates.h"
#include "../meshes/tree.h"
#include "../meshes/triangles.h"
#include "rational.h"
#include "surfaces.h"

void setUp(void)
{
    pl_threads_set(2);
}

void tearDown(void)
{
    pl_threads_set(2);
}

static int64_t full_size(int64_t quick, int64_t full)
{
    return getenv("PLIANT_FULL") != NULL ? full : quick;
}

// --- Scenes ---

enum { VERTS_MAX = 4000, FACES_MAX = 8000, BODIES_MAX = 64 };

// Faces of a body stand together.
typedef struct state {
    int32_t n_vert, n_face, n_body;
    double x[3 * VERTS_MAX];
    int32_t face[3 * FACES_MAX];
    int32_t start[BODIES_MAX + 1];
} state;

static void begin_body(state *s)
{
    s->start[s->n_body++] = s->n_face;
    s->start[s->n_body] = s->n_face;
}

static int32_t add_vertex(state *s, double x, double y, double z)
{
    double *p = s->x + 3 * s->n_vert;
    p[0] = x, p[1] = y, p[2] = z;
    return s->n_vert++;
}

static void add_face(state *s, int32_t a, int32_t b, int32_t c)
{
    set3(s->face + 3 * s->n_face++, a, b, c);
    s->start[s->n_body] = s->n_face;
}

// A triangle with vertices of its own, given as nine numbers.
static void add_triangle(state *s, const double p[9])
{
    int32_t a = s->n_vert;
    for (int k = 0; k < 3; k++) add_vertex(s, p[3 * k], p[3 * k + 1], p[3 * k + 2]);
    add_face(s, a, a + 1, a + 2);
}

// Outward, or inward as the wall of a cavity.
static void add_box(state *s, const double lo[3], const double hi[3], bool inward)
{
    static const int quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    int32_t first = s->n_vert;
    for (int i = 0; i < 8; i++) {
        add_vertex(s, i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]);
    }
    for (int q = 0; q < 6; q++) {
        for (int k = 1; k < 3; k++) {
            int32_t a = first + quad[q][0], b = first + quad[q][k], c = first + quad[q][k + 1];
            add_face(s, a, inward ? c : b, inward ? b : c);
        }
    }
}

static void add_cube(state *s, double centre, double half, bool inward)
{
    const double lo[3] = {centre - half, centre - half, centre - half};
    const double hi[3] = {centre + half, centre + half, centre + half};
    add_box(s, lo, hi, inward);
}

static void add_mesh(state *s, const pl_mesh *mesh, const double shift[3])
{
    int32_t first = s->n_vert;
    const double *x = pl_mesh_positions(mesh);
    for (int32_t v = 0; v < pl_mesh_vertex_count(mesh); v++) {
        add_vertex(s, x[3 * v] + shift[0], x[3 * v + 1] + shift[1], x[3 * v + 2] + shift[2]);
    }
    for (int32_t f = 0; f < pl_mesh_face_count(mesh); f++) {
        const int32_t *v = pl_mesh_faces(mesh) + 3 * f;
        add_face(s, first + v[0], first + v[1], first + v[2]);
    }
}

static pl_status create(const state *s, const pl_audit_options *options, pl_audit **out)
{
    pl_audit_body body[BODIES_MAX];
    for (int b = 0; b < s->n_body; b++) {
        body[b] = (pl_audit_body){.n_face = s->start[b + 1] - s->start[b],
                                  .face = s->face + 3 * s->start[b]};
    }
    return pl_audit_create(s->n_vert, s->n_body, body, options, out);
}

static pl_audit *made;

// The report lives until the next call.
static pl_audit_report audit_with(const state *s, const pl_audit_options *options)
{
    pl_audit_destroy(made);
    pl_audit_report report;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, create(s, options, &made), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_audit_run(made, s->x, &report), pl_error_text());
    return report;
}

static pl_audit_report audit(const state *s)
{
    return audit_with(s, NULL);
}

static state scene; // large, so not on the stack

static state *fresh(void)
{
    scene.n_vert = scene.n_face = scene.n_body = 0;
    scene.start[0] = 0;
    return &scene;
}

// --- Planted cases ---

// Everything again at other scales and places. The cases are on a lattice of powers of two, and so
// are the shifts, so that every copy is exact; a case of one ulp has its ulp planted afterwards.
typedef struct placement {
    double scale, shift;
} placement;

static const placement placements[] = {{1, 0},        {0x1p-20, 0},      {0x1p20, 0},
                                       {1, 0x1p20},   {0x1p-20, 0x1p10}, {0x1p20, -0x1p30},
                                       {0x1p-300, 0}, {0x1p300, 0}};
enum { PLACEMENTS = sizeof placements / sizeof placements[0] };

static void place(state *s, placement at)
{
    for (int i = 0; i < 3 * s->n_vert; i++) s->x[i] = at.scale * s->x[i] + at.shift;
}

typedef struct planted {
    const char *name;
    double a[9], b[9];
    int meet;   // as it is
    int nudged; // with coordinate `which` of b moved by one ulp upwards
    int which;
} planted;

static const planted planted_cases[] = {
    {"vertex on a face", {0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, 0, 1, 1, 4, 2, 1, 4}, 1, 0, 2},
    {"vertex through a face", {0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, -1, 1, 1, 4, 2, 1, 4}, 1, 1, 2},
    {"vertex on an edge", {0, 0, 0, 4, 0, 0, 0, 4, 0}, {2, 2, 0, 4, 4, 1, 4, 4, 3}, 1, 0, 0},
    {"vertex on a vertex", {0, 0, 0, 4, 0, 0, 0, 4, 0}, {4, 0, 0, 8, 0, 1, 8, 0, 3}, 1, 0, 0},
    {"edge across an edge", {0, 0, 0, 4, 0, 0, 2, 0, -4}, {2, -2, 0, 2, 2, 0, 2, 0, 4}, 1, 0, 2},
    {"edge on an edge", {0, 0, 0, 4, 0, 0, 2, 0, -4}, {1, 0, 0, 3, 0, 0, 2, 1, 4}, 1, 1, 8},
    {"in one plane, overlapping",
     {0, 0, 2, 4, 0, 2, 0, 4, 2},
     {1, 1, 2, 5, 1, 2, 1, 5, 2},
     1,
     0,
     2},
    {"in one plane, one in the other",
     {0, 0, 2, 8, 0, 2, 0, 8, 2},
     {1, 1, 2, 2, 1, 2, 1, 2, 2},
     1,
     1,
     2},
    {"in one plane, edge to edge",
     {0, 0, 2, 4, 0, 2, 0, 4, 2},
     {4, 0, 2, 4, 4, 2, 0, 4, 2},
     1,
     1,
     0},
    {"in one plane, apart", {0, 0, 2, 4, 0, 2, 0, 4, 2}, {4, 1, 2, 6, 1, 2, 4, 5, 2}, 0, 0, 0},
    {"the same twice", {0, 0, 2, 4, 0, 1, 0, 4, 2}, {0, 0, 2, 4, 0, 1, 0, 4, 2}, 1, 1, 2},
    {"parallel planes", {0, 0, 2, 4, 0, 2, 0, 4, 2}, {0, 0, 3, 4, 0, 3, 0, 4, 3}, 0, 0, 0},
    {"an edge through a face", {0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, 1, 1, 1, -1, 9, 9, 1}, 1, 1, 2},
    {"a flat one through a face",
     {0, 0, 0, 4, 0, 0, 0, 4, 0},
     {1, 1, 1, 1, 1, -1, 1, 1, 3},
     1,
     1,
     2},
    {"a flat one on a face", {0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, 0, 1, 1, 1, 1, 1, 3}, 1, 0, 2},
    {"a point on a face", {0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, 0, 1, 1, 0, 1, 1, 0}, 1, 1, 2},
    {"a point beside a face", {0, 0, 0, 4, 0, 0, 0, 4, 0}, {3, 3, 0, 3, 3, 0, 3, 3, 0}, 0, 0, 2},
};

static void expect_meeting(int expected, const planted *p, int place_index, const char *what)
{
    char message[256];
    snprintf(message, sizeof message, "%s, %s, placement %d", p->name, what, place_index);
    pl_audit_report r = audit(&scene);
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, r.n_intersections, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected == 0, r.clean, message);
    TEST_ASSERT_TRUE_MESSAGE(r.complete, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.n_inside, message);
    if (scene.n_body == 1) return;
    TEST_ASSERT_TRUE_MESSAGE(expected == 0 || r.distance == 0, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.nearest.face[0], message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.nearest.body[1], message);
}

// As two bodies and as one, in both orders.
static void test_planted_triangles(void)
{
    for (size_t i = 0; i < sizeof planted_cases / sizeof planted_cases[0]; i++) {
        const planted *p = &planted_cases[i];
        for (int k = 0; k < 4 * PLACEMENTS; k++) {
            state *s = fresh();
            bool swapped = k % 2 == 1, one_body = k % 4 >= 2;
            begin_body(s);
            add_triangle(s, swapped ? p->b : p->a);
            if (!one_body) begin_body(s);
            add_triangle(s, swapped ? p->a : p->b);
            place(s, placements[k / 4]);
            expect_meeting(p->meet, p, k / 4, "exactly");
            double *x = s->x + (swapped ? 0 : 9) + p->which;
            *x = nextafter(*x, INFINITY);
            if (placements[k / 4].shift == 0 || p->meet == p->nudged) {
                expect_meeting(p->nudged, p, k / 4, "nudged");
            }
        }
    }
}

// A tip that goes through a face by one ulp, comes to lie on it, and stays above it by one.
static void test_one_ulp(void)
{
    for (int k = 0; k < PLACEMENTS; k++) {
        state *s = fresh();
        begin_body(s);
        add_triangle(s, (const double[9]){0, 0, 1, 4, 0, 1, 0, 4, 1});
        begin_body(s);
        add_triangle(s, (const double[9]){1, 1, 1, 1, 1, 4, 2, 1, 4});
        place(s, placements[k]);
        double height = s->x[11];
        for (int above = -1; above <= 1; above++) {
            s->x[11] = above == 0 ? height : nextafter(height, above > 0 ? INFINITY : -INFINITY);
            pl_audit_report r = audit(s);
            TEST_ASSERT_EQUAL_INT(above <= 0, r.n_intersections);
            TEST_ASSERT_TRUE(above <= 0 ? r.distance == 0 : r.distance == s->x[11] - height);
        }
    }
}

// --- Faces with vertices in common ---

static void test_neighbours(void)
{
    for (int k = 0; k < PLACEMENTS; k++) {
        state *s = fresh();
        begin_body(s);
        for (int i = 0; i < 9; i++) {
            add_vertex(s, (const double[]){0, 4, 0, 4, 2, -1, 1, 1, 4}[i],
                       (const double[]){0, 0, 4, 4, 1, -1, 2, 1, 4}[i],
                       (const double[]){0, 0, 0, 0, 0, 0, 1, -1, 1}[i]);
        }
        place(s, placements[k]);
        struct {
            int32_t other[3];
            int meet;
        } cases[] = {
            {{1, 3, 2}, 0}, // the other half of a square
            {{1, 2, 4}, 1}, // folded back onto it
            {{0, 4, 3}, 1}, // in the same plane, out of its corner
            {{0, 5, 4}, 1}, // along a ray into it
            {{0, 6, 7}, 1}, // through it, from its corner
            {{0, 5, 6}, 0}, // away from it
            {{1, 2, 6}, 0}, // folded up
            {{6, 7, 8}, 1}, // strange to it, through it
            {{2, 1, 0}, 1}, // itself, from behind
            {{0, 0, 1}, 0}, // its edge
            {{0, 0, 4}, 1}, // a segment into it
            {{5, 5, 0}, 0}, // a segment away from it
            {{4, 4, 4}, 1}, // a point on it
            {{2, 2, 2}, 0}, // its corner
        };
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            for (int bodies = 1; bodies <= 2; bodies++) {
                s->n_face = 0, s->n_body = 0;
                begin_body(s);
                add_face(s, 0, 1, 2);
                if (bodies == 2) begin_body(s);
                add_face(s, cases[i].other[0], cases[i].other[1], cases[i].other[2]);
                pl_audit_report r = audit(s);
                char name[64];
                snprintf(name, sizeof name, "case %d, placement %d", (int)i, k);
                TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].meet, r.n_intersections, name);
            }
        }
        // Folded onto a neighbour, but for one ulp.
        s->n_face = 0, s->n_body = 0;
        begin_body(s);
        add_face(s, 0, 1, 2);
        add_face(s, 1, 2, 4);
        s->x[14] = nextafter(s->x[14], INFINITY);
        TEST_ASSERT_TRUE(audit(s).clean);
    }
}

static void test_faces_without_area_and_equal_vertices(void)
{
    // A fan whose middle has moved onto its rim: the two faces that are left touch.
    state *s = fresh();
    begin_body(s);
    const double x[5][2] = {{0, 0}, {4, 0}, {2, 0}, {2, 3}, {2, -3}};
    for (int i = 0; i < 5; i++) add_vertex(s, x[i][0], x[i][1], 0);
    add_face(s, 0, 1, 2); // flat
    add_face(s, 2, 1, 3);
    add_face(s, 0, 2, 3);
    TEST_ASSERT_TRUE(audit(s).clean); // 2 is a vertex of all
    add_face(s, 1, 0, 4);             // at the edge 0-1, on which 2 lies
    pl_audit_report r = audit(s);
    TEST_ASSERT_EQUAL_INT(2, r.n_intersections);
    TEST_ASSERT_EQUAL_INT(1, r.intersections[0].face[0]);
    TEST_ASSERT_EQUAL_INT(2, r.intersections[1].face[0]);
    TEST_ASSERT_EQUAL_INT(3, r.intersections[1].face[1]);
    // Two vertices in one place are two.
    s = fresh();
    begin_body(s);
    add_triangle(s, (const double[9]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    add_triangle(s, (const double[9]){0, 0, 0, -1, 0, 0, 0, -1, 0});
    TEST_ASSERT_EQUAL_INT(1, audit(s).n_intersections);
}

// --- Inside and outside ---

static void expect_inside(const state *s, const int (*expected)[2], int n)
{
    pl_audit_report r = audit(s);
    TEST_ASSERT_EQUAL_INT(0, r.n_intersections);
    TEST_ASSERT_EQUAL_INT(n, r.n_inside);
    TEST_ASSERT_EQUAL_INT(n == 0, r.clean);
    for (int i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL_INT(expected[i][0], r.inside[i].body);
        TEST_ASSERT_EQUAL_INT(expected[i][1], r.inside[i].other);
    }
}

static void test_nested_cubes(void)
{
    for (int k = 0; k < PLACEMENTS; k++) {
        // Three, one in the other, centred or not: rays go through edges and vertices.
        for (int centred = 0; centred < 2; centred++) {
            state *s = fresh();
            for (int i = 0; i < 3; i++) {
                begin_body(s);
                add_cube(s, centred ? 0 : 0.25 * i, 4 >> i, false);
            }
            place(s, placements[k]);
            expect_inside(s, (const int[3][2]){{1, 0}, {2, 0}, {2, 1}}, 3);
        }
        // A solid with a cavity; what is in the cavity is not in the solid.
        state *s = fresh();
        begin_body(s);
        add_cube(s, 0, 16, false);
        add_cube(s, 0, 8, true);
        begin_body(s);
        add_cube(s, 0, 4, false);
        begin_body(s);
        add_cube(s, 12, 1, false); // in its wall
        begin_body(s);
        add_cube(s, 32, 1, false); // nowhere
        begin_body(s);
        add_triangle(s, (const double[9]){0, 0, 0, 1, 0, 0, 0, 1, 0}); // in the second
        place(s, placements[k]);
        expect_inside(s, (const int[2][2]){{2, 0}, {4, 1}}, 2);
    }
}

static void test_open_bodies_have_no_inside(void)
{
    state *s = fresh();
    begin_body(s);
    add_cube(s, 0, 4, false);
    begin_body(s);
    add_cube(s, 0, 1, false);
    s->n_face--; // the inner one is open now, but still inside
    s->start[2]--;
    expect_inside(s, (const int[1][2]){{1, 0}}, 1);
    s = fresh();
    begin_body(s);
    add_cube(s, 0, 4, false);
    s->n_face--;
    s->start[1]--;
    begin_body(s);
    add_cube(s, 0, 1, false);
    expect_inside(s, NULL, 0);
    // A closed part beside an open one has an inside all the same.
    s = fresh();
    begin_body(s);
    add_triangle(s, (const double[9]){9, 0, 0, 9, 1, 0, 9, 0, 1});
    add_cube(s, 0, 4, false);
    begin_body(s);
    add_cube(s, 0, 1, false);
    expect_inside(s, (const int[1][2]){{1, 0}}, 1);
}

// Two overlapping cubes as one body that may intersect itself: their overlap is inside, too.
static void test_winding(void)
{
    state *s = fresh();
    begin_body(s);
    add_cube(s, 0, 4, false);
    add_cube(s, 2, 4, false);
    begin_body(s);
    add_cube(s, 1, 0.5, false);
    const int32_t self[2] = {0, 0};
    pl_audit_options options = pl_audit_options_default();
    options.exclude = self;
    options.n_exclude = 1;
    pl_audit_report r = audit_with(s, &options);
    TEST_ASSERT_EQUAL_INT(0, r.n_intersections);
    TEST_ASSERT_EQUAL_INT(1, r.n_inside);
    TEST_ASSERT_GREATER_THAN_INT(0, audit(s).n_intersections);
}

static const int32_t tet_face[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

// x (12): the corners.
static bool strictly_inside_tet(const double *x, const double *p)
{
    int sides = 0;
    for (int f = 0; f < 4; f++) {
        const int32_t *v = tet_face + 3 * f;
        sides += pl_orient3d(x + 3 * v[0], x + 3 * v[1], x + 3 * v[2], p);
    }
    return abs(sides) == 4;
}

// Random tets on a small lattice, some with faces turned around, against their four planes; the
// probes are triangles of which the first corner counts, so they may meet anything.
static void test_inside_of_tets(void)
{
    int inside = 0;
    for (int round = 0; round < 400; round++) {
        state *s = fresh();
        for (int b = 0; b < 4; b++) {
            begin_body(s);
            int32_t v = s->n_vert;
            for (int i = 0; i < 4; i++) {
                add_vertex(s, random_int(7), random_int(7), random_int(7));
            }
            bool oriented = random_int(2) == 0, outward = random_int(2) == 0;
            for (int f = 0; f < 4; f++) {
                const int32_t *t = tet_face + 3 * f;
                bool turn = oriented ? outward : random_int(2) == 0;
                add_face(s, v + t[0], v + t[turn ? 2 : 1], v + t[turn ? 1 : 2]);
            }
        }
        for (int b = 4; b < 34; b++) {
            begin_body(s);
            int32_t v = add_vertex(s, random_int(7), random_int(7), random_int(7));
            add_face(s, v, v, v);
        }
        pl_audit_report r = audit(s);
        int found = 0;
        for (int b = 0; b < 34; b++) {
            for (int other = 0; other < 4; other++) {
                const double *p = s->x + 3 * s->face[3 * s->start[b]];
                if (b == other || !strictly_inside_tet(s->x + 12 * other, p)) continue;
                TEST_ASSERT_LESS_THAN_INT(r.n_inside, found);
                TEST_ASSERT_EQUAL_INT(b, r.inside[found].body);
                TEST_ASSERT_EQUAL_INT(other, r.inside[found].other);
                TEST_ASSERT_EQUAL_INT(s->face[3 * s->start[b]], r.inside[found].vertex);
                found++;
            }
        }
        TEST_ASSERT_EQUAL_INT(found, r.n_inside);
        inside += found;
    }
    TEST_ASSERT_GREATER_THAN_INT(400, inside);
}

// A sheet that hangs on a vertex of a cube goes inside, or outside, or both ways.
static void test_bodies_with_common_vertices(void)
{
    for (int way = 0; way < 4; way++) {
        state *s = fresh();
        begin_body(s);
        add_cube(s, 0, 4, false); // vertex 7 is at (4, 4, 4)
        begin_body(s);
        if (way & 1) add_face(s, 7, add_vertex(s, 3, 2, 1), add_vertex(s, 3, 1, 2));
        if (way & 2) add_face(s, 7, add_vertex(s, 9, 8, 9), add_vertex(s, 8, 9, 9));
        expect_inside(s, (const int[2][2]){{1, 0}, {1, 0}}, way & 1 ? 2 : 0);
        TEST_ASSERT_TRUE(audit(s).distance > 0); // the common vertex does not count
    }
    // A box and its lid are open each for itself, though no edge is open in both together.
    state *s = fresh();
    begin_body(s);
    add_cube(s, 0, 4, false);
    s->n_face -= 2;
    s->start[1] -= 2;
    begin_body(s);
    s->n_face += 2;
    s->start[2] += 2;
    begin_body(s);
    add_cube(s, 0, 1, false);
    expect_inside(s, NULL, 0);
}

static void test_scans_in_a_box(void)
{
    pl_mesh *bunny = load_scan("bunny");
    double lo[3], hi[3];
    pl_mesh_bounds(bunny, lo, hi);
    int32_t n = pl_mesh_face_count(bunny), n_vert = pl_mesh_vertex_count(bunny);
    double *x = malloc((24 + 3 * (size_t)n_vert) * sizeof *x);
    memcpy(x, pl_mesh_positions(bunny), 3 * (size_t)n_vert * sizeof *x);
    state *s = fresh();
    s->n_vert = 0;
    for (int k = 0; k < 3; k++) {
        double margin = 0.25 * (hi[k] - lo[k]);
        lo[k] -= margin, hi[k] += margin;
    }
    begin_body(s);
    add_box(s, lo, hi, false);
    memcpy(x + 3 * n_vert, s->x, 24 * sizeof *x);
    for (int i = 0; i < 36; i++) s->face[i] += n_vert;
    const pl_audit_body body[2] = {{.n_face = n, .face = pl_mesh_faces(bunny)},
                                   {.n_face = 12, .face = s->face}};
    pl_audit *a;
    pl_audit_report r;
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(n_vert + 8, 2, body, NULL, &a));
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(a, x, &r));
    TEST_ASSERT_EQUAL_INT(0, r.n_intersections);
    TEST_ASSERT_EQUAL_INT(1, r.n_inside);
    TEST_ASSERT_EQUAL_INT(0, r.inside[0].body);
    for (int i = 0; i < 8; i++) x[3 * (n_vert + i)] += 4 * (hi[0] - lo[0]); // the box goes away
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(a, x, &r));
    TEST_ASSERT_TRUE(r.clean);
    double gap = x[3 * n_vert] - (hi[0] - (hi[0] - lo[0]) / 6);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, gap, r.distance);
    pl_audit_destroy(a);
    pl_mesh_destroy(bunny);
    free(x);
}

// --- All pairs ---

static bool excluded_by(const pl_audit_options *options, int a, int b)
{
    for (int i = 0; i < options->n_exclude; i++) {
        int c = options->exclude[2 * i], d = options->exclude[2 * i + 1];
        if ((a == c && b == d) || (a == d && b == c)) return true;
    }
    return false;
}

static int body_of(const state *s, int f)
{
    int b = 0;
    while (s->start[b + 1] <= f) b++;
    return b;
}

static void expect_all_pairs(const state *s, const pl_audit_options *options)
{
    pl_audit_report r = audit_with(s, options);
    int n = 0;
    for (int f = 0; f < s->n_face; f++) {
        for (int g = f + 1; g < s->n_face; g++) {
            int a = body_of(s, f), b = body_of(s, g);
            if (excluded_by(options, a, b)) continue;
            if (!pl_faces_meet(s->x, s->face + 3 * f, s->face + 3 * g)) continue;
            TEST_ASSERT_LESS_THAN_INT(r.n_intersections, n);
            TEST_ASSERT_EQUAL_INT(a, r.intersections[n].body[0]);
            TEST_ASSERT_EQUAL_INT(b, r.intersections[n].body[1]);
            TEST_ASSERT_EQUAL_INT(f - s->start[a], r.intersections[n].face[0]);
            TEST_ASSERT_EQUAL_INT(g - s->start[b], r.intersections[n].face[1]);
            n++;
        }
    }
    TEST_ASSERT_EQUAL_INT(n, r.n_intersections);
}

// Soups on a lattice or not, of few vertices (hubs) or many, bodies that share vertices.
static void test_random_soups(void)
{
    for (int round = 0; round < 60; round++) {
        state *s = fresh();
        int n_vert = round % 3 == 0 ? 30 : 300, n_face = 100 + random_int(300);
        int n_body = 1 + random_int(6);
        bool lattice = round % 2 == 0;
        for (int v = 0; v < n_vert; v++) {
            double p[3];
            for (int k = 0; k < 3; k++) p[k] = lattice ? random_int(6) : 6 * random_unit();
            add_vertex(s, p[0], p[1], p[2]);
        }
        for (int b = 0; b < n_body; b++) {
            begin_body(s);
            for (int f = b * n_face / n_body; f < (b + 1) * n_face / n_body; f++) {
                add_face(s, random_int(n_vert), random_int(n_vert), random_int(n_vert));
            }
        }
        int32_t exclude[6];
        for (int i = 0; i < 6; i++) exclude[i] = random_int(n_body);
        pl_audit_options options = pl_audit_options_default();
        options.exclude = exclude;
        options.n_exclude = round % 4;
        expect_all_pairs(s, &options);
    }
}

// One body of several blocks.
static void test_large_soup(void)
{
    state *s = fresh();
    begin_body(s);
    for (int f = 0; f < 1300; f++) {
        double p[9];
        for (int k = 0; k < 9; k++) p[k] = k < 3 ? 6 * random_unit() : p[k % 3] + random_unit();
        add_triangle(s, p);
    }
    pl_audit_options options = pl_audit_options_default();
    expect_all_pairs(s, &options);
}

// Spheres side by side whose surfaces come within rounding of each other.
static void test_spheres_that_almost_touch(void)
{
    pl_audit_options options = pl_audit_options_default();
    for (int round = -2; round <= 2; round++) {
        state *s = fresh();
        pl_mesh *sphere = make_sphere((double[3]){0, 0, 0}, 1, 16, 12);
        for (int i = 0; i < 8; i++) {
            double step = 2 + 1e-16 * round;
            begin_body(s);
            add_mesh(s, sphere, (double[3]){step * (i & 1), step * (i >> 1 & 1), step * (i >> 2)});
        }
        pl_mesh_destroy(sphere);
        expect_all_pairs(s, &options);
    }
}

// --- Distances ---

// Exact squares of distances between a point and a point of the line, plane or second line that is
// nearest, where this lies inside of the features. Negative for those where it does not.
static double exact_square(const rational_point *p, const rational_point *q)
{
    mpq_t d, sum;
    mpq_init(d);
    mpq_init(sum);
    for (int k = 0; k < 3; k++) {
        mpq_sub(d, p->at[k], q->at[k]);
        mpq_mul(d, d, d);
        mpq_add(sum, sum, d);
    }
    double square = mpq_get_d(sum);
    mpq_clear(d);
    mpq_clear(sum);
    return square;
}

static void keep_least(double *least, const rational_point *p, const rational_point *q)
{
    *least = fmin(*least, exact_square(p, q));
}

static void point_to_triangle(double *least, const rational_point *p, const rational_point t[3])
{
    rational_point n, zero, end, foot;
    point_init(&n);
    point_init(&zero);
    point_init(&end);
    point_init(&foot);
    point_cross(&n, &t[0], &t[1], &t[0], &t[2]);
    for (int k = 0; k < 3; k++) mpq_add(end.at[k], p->at[k], n.at[k]);
    if (line_hits_plane(&foot, p, &end, &n, &t[0]) && point_in_triangle(&foot, t)) {
        keep_least(least, p, &foot);
    }
    for (int i = 0; i < 3; i++) {
        const rational_point *a = &t[i], *b = &t[(i + 1) % 3];
        for (int k = 0; k < 3; k++) mpq_sub(n.at[k], b->at[k], a->at[k]);
        if (line_hits_plane(&foot, a, b, &n, p) && point_on_segment(&foot, a, b)) {
            keep_least(least, p, &foot);
        }
        keep_least(least, p, a);
    }
    point_clear(&n);
    point_clear(&zero);
    point_clear(&end);
    point_clear(&foot);
}

// The plane through the second edge and the common normal cuts the first where it is nearest.
static void edge_to_edge(double *least, const rational_point *p, const rational_point *p1,
                         const rational_point *q, const rational_point *q1)
{
    rational_point n, m, zero, x, y;
    point_init(&n);
    point_init(&m);
    point_init(&zero);
    point_init(&x);
    point_init(&y);
    point_cross(&n, p, p1, q, q1);
    point_cross(&m, &zero, &n, q, q1);
    bool crosses = line_hits_plane(&x, p, p1, &m, q);
    point_cross(&m, &zero, &n, p, p1);
    crosses = crosses && line_hits_plane(&y, q, q1, &m, p);
    if (crosses && point_on_segment(&x, p, p1) && point_on_segment(&y, q, q1)) {
        keep_least(least, &x, &y);
    }
    point_clear(&n);
    point_clear(&m);
    point_clear(&zero);
    point_clear(&x);
    point_clear(&y);
}

static double exact_distance(const state *s, int f, int g)
{
    rational_point t[2][3];
    double least = INFINITY;
    for (int k = 0; k < 6; k++) {
        point_init(&t[k / 3][k % 3]);
        point_set(&t[k / 3][k % 3], s->x + 3 * s->face[3 * (k < 3 ? f : g) + k % 3]);
    }
    for (int i = 0; i < 3; i++) {
        point_to_triangle(&least, &t[0][i], t[1]);
        point_to_triangle(&least, &t[1][i], t[0]);
        for (int j = 0; j < 3; j++) {
            edge_to_edge(&least, &t[0][i], &t[0][(i + 1) % 3], &t[1][j], &t[1][(j + 1) % 3]);
        }
    }
    for (int k = 0; k < 6; k++) point_clear(&t[k / 3][k % 3]);
    return sqrt(least);
}

// Two triangles of size 1: apart, long, far from the origin, or almost the same, so that all edges
// are almost parallel. The bounds are those of collision/README.md.
static void test_distance_of_triangles(void)
{
    double worst = 0, worst_parallel = 0;
    for (int round = 0; round < full_size(2000, 60000); round++) {
        state *s = fresh();
        bool parallel = round % 4 == 3;
        double p[18], away = round % 5 == 0 ? 1e6 * random_unit() : 0;
        double near = pow(10, -1 - random_int(12));
        for (int i = 0; i < 18; i++) {
            p[i] = round % 2 == 0 ? random_unit() : 0.25 * random_int(5);
            if (round % 3 == 1 && i % 3 != 0) p[i] *= 1e-6; // needles
            if (i >= 9 && i % 3 == 2) p[i] += random_unit();
            if (i >= 9 && parallel) p[i] = p[i - 9] + near * random_unit();
        }
        for (int i = 0; i < 18; i++) p[i] += away;
        for (int b = 0; b < 2; b++) {
            begin_body(s);
            add_triangle(s, p + 9 * b);
        }
        pl_audit_report r = audit(s);
        if (r.n_intersections > 0) continue;
        double error = fabs(r.distance - exact_distance(s, 0, 1));
        if (parallel) worst_parallel = fmax(worst_parallel, error);
        if (!parallel) worst = fmax(worst, error);
    }
    TEST_ASSERT_TRUE(worst < 1e-15);
    TEST_ASSERT_TRUE(worst_parallel < 1e-15);
}

// Along the axis where it is the largest.
static double box_gap(const state *s, int f, int g)
{
    pl_box a = pl_face_box(s->x, s->face + 3 * f), b = pl_face_box(s->x, s->face + 3 * g);
    double gap = 0;
    for (int k = 0; k < 3; k++) gap = fmax(gap, fmax(b.lo[k] - a.hi[k], a.lo[k] - b.hi[k]));
    return gap;
}

// The nearest faces of several bodies, against all pairs.
static void test_distance_of_bodies(void)
{
    for (int round = 0; round < 12; round++) {
        state *s = fresh();
        double scale = (const double[]){1, 1e-6, 1e6, 1e-160, 1e160, 1e300}[round % 6];
        pl_mesh *sphere = make_sphere((double[3]){0, 0, 0}, 1, 6, 4);
        for (int b = 0; b < 4; b++) {
            begin_body(s);
            double y = 4 * random_unit(), z = 4 * random_unit();
            add_mesh(s, sphere, (double[3]){3 * b + random_unit(), y, z});
        }
        pl_mesh_destroy(sphere);
        double least = INFINITY;
        for (int f = 0; f < s->n_face && round < 3; f++) {
            for (int g = s->start[body_of(s, f) + 1]; g < s->n_face; g++) {
                if (box_gap(s, f, g) > least) continue;
                least = fmin(least, exact_distance(s, f, g));
            }
        }
        double plain = audit(s).distance;
        for (int i = 0; i < 3 * s->n_vert; i++) s->x[i] *= scale;
        pl_audit_report r = audit(s);
        TEST_ASSERT_TRUE(r.clean);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14 * plain, plain, r.distance / scale);
        if (round < 3) TEST_ASSERT_DOUBLE_WITHIN(1e-14, least, plain);
        int f = r.nearest.face[0] + s->start[r.nearest.body[0]];
        int g = r.nearest.face[1] + s->start[r.nearest.body[1]];
        TEST_ASSERT_TRUE(r.nearest.body[0] < r.nearest.body[1]);
        if (round < 3)
            TEST_ASSERT_DOUBLE_WITHIN(1e-14 * scale, r.distance, exact_distance(s, f, g));
    }
}

// Of many faces at the same distance the first are named, whichever thread finds its own first.
static void test_equal_distances(void)
{
    state *s = fresh();
    for (int b = 0; b < 60; b++) {
        begin_body(s);
        add_box(s, (double[3]){3 * (b % 8), 3 * (b / 8), 0},
                (double[3]){3 * (b % 8) + 2, 3 * (b / 8) + 2, 2}, false);
    }
    pl_mesh *sphere = make_sphere((double[3]){0, 0, 99}, 1, 20, 20); // for several threads
    begin_body(s);
    add_mesh(s, sphere, (double[3]){0, 0, 0});
    pl_mesh_destroy(sphere);
    int32_t first = 0, second = s->start[1];
    while (exact_distance(s, first, second) > 1) {
        if (++second == s->start[60]) first++, second = s->start[1];
    }
    for (int threads = 1; threads <= 4; threads++) {
        pl_threads_set(threads);
        pl_audit_report r = audit(s);
        TEST_ASSERT_TRUE(r.distance == 1);
        TEST_ASSERT_EQUAL_INT(first, r.nearest.face[0]);
        TEST_ASSERT_EQUAL_INT(second, s->start[r.nearest.body[1]] + r.nearest.face[1]);
    }
}

static void test_distance_leaves_out(void)
{
    state *s = fresh();
    for (int b = 0; b < 3; b++) {
        begin_body(s);
        add_cube(s, 3 * b * b, 1, false);
    }
    double between = sqrt(3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, between, audit(s).distance);
    const int32_t exclude[2] = {1, 0};
    pl_audit_options options = pl_audit_options_default();
    options.exclude = exclude;
    options.n_exclude = 1;
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 7 * between, audit_with(s, &options).distance);
    options.distance = false;
    pl_audit_report r = audit_with(s, &options);
    TEST_ASSERT_TRUE(isnan(r.distance));
    TEST_ASSERT_EQUAL_INT(-1, r.nearest.face[0]);
    TEST_ASSERT_TRUE(r.clean);
    s->n_body = 1;
    r = audit(s);
    TEST_ASSERT_TRUE(isinf(r.distance));
    TEST_ASSERT_EQUAL_INT(-1, r.nearest.body[0]);
}

// --- Motion and threads ---

// A copy that outlives the audit.
typedef struct kept {
    int64_t size;
    double distance;
    pl_audit_pair nearest;
    unsigned char *bytes;
} kept;

static kept keep(const pl_audit_report *r)
{
    size_t pairs = (size_t)r->n_intersections * sizeof *r->intersections;
    size_t inside = (size_t)r->n_inside * sizeof *r->inside;
    kept k = {(int64_t)(pairs + inside), r->distance, r->nearest, malloc(pairs + inside + 1)};
    if (pairs > 0) memcpy(k.bytes, r->intersections, pairs);
    if (inside > 0) memcpy(k.bytes + pairs, r->inside, inside);
    return k;
}

static void expect_same(const kept *a, const pl_audit_report *r)
{
    kept b = keep(r);
    TEST_ASSERT_EQUAL_INT64(a->size, b.size);
    if (a->size > 0) TEST_ASSERT_EQUAL_MEMORY(a->bytes, b.bytes, (size_t)a->size);
    TEST_ASSERT_EQUAL_MEMORY(&a->distance, &b.distance, sizeof a->distance);
    TEST_ASSERT_EQUAL_MEMORY(&a->nearest, &b.nearest, sizeof a->nearest);
    free(b.bytes);
}

static void make_pile(state *s, int n, double spread)
{
    pl_mesh *sphere = make_sphere((double[3]){0, 0, 0}, 1, 80, 4); // its poles are hubs
    for (int i = 0; i < n; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) p[k] = i == 0 ? spread / 2 : spread * random_unit();
        begin_body(s);
        add_mesh(s, sphere, p);
    }
    begin_body(s);
    add_cube(s, spread / 2, 0.1, false);
    pl_mesh_destroy(sphere);
}

// An audit that has seen other positions tells the same as a new one, whatever the threads.
static void test_moving_bodies(void)
{
    state *s = fresh();
    make_pile(s, 10, 6);
    pl_audit *moving;
    pl_audit_report r;
    int met = 0, was_inside = 0;
    TEST_ASSERT_EQUAL(PL_OK, create(s, NULL, &moving));
    for (int round = 0; round < 12; round++) {
        for (int b = 0; b < s->n_body; b++) { // bodies jump about, and some of their vertices too
            double p[3];
            for (int k = 0; k < 3; k++) p[k] = 3 * random_unit() - 1.5;
            for (int v = b * 242; v < PL_MIN((b + 1) * 242, s->n_vert); v++) {
                double more = round % 4 == 3 ? random_unit() : 0;
                for (int k = 0; k < 3; k++) s->x[3 * v + k] += p[k] + more;
            }
        }
        r = audit(s);
        kept fresh_one = keep(&r);
        for (int threads = 1; threads <= 5; threads += 2) {
            pl_threads_set(threads);
            TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(moving, s->x, &r));
            expect_same(&fresh_one, &r);
        }
        pl_threads_set(2);
        met += r.n_intersections > 0;
        was_inside += r.n_inside > 0;
        free(fresh_one.bytes);
    }
    TEST_ASSERT_GREATER_THAN_INT(0, met);
    TEST_ASSERT_GREATER_THAN_INT(0, was_inside);
    pl_audit_destroy(moving);
}

static void test_no_heap_call_when_clean(void)
{
    state *s = fresh();
    pl_mesh *sphere = make_sphere((double[3]){0, 0, 0}, 1, 80, 4);
    for (int i = 0; i < 5; i++) {
        begin_body(s);
        add_mesh(s, sphere, (double[3]){3 * i, 0, 0});
    }
    pl_mesh_destroy(sphere);
    pl_audit *a;
    pl_audit_report r;
    live_blocks = 0;
    fail_nth(-1);
    pl_status status = create(s, NULL, &a);
    allocations = 0;
    for (int round = 0; round < 5 && status == PL_OK; round++) {
        status = pl_audit_run(a, s->x, &r);
        for (int v = 242; v < 484; v++) s->x[3 * v + 1] *= round == 2 ? -50 : 1.5; // arranged again
    }
    int64_t calls = allocations;
    pl_audit_destroy(a);
    fail_never();
    TEST_ASSERT_EQUAL(PL_OK, status);
    TEST_ASSERT_TRUE(r.clean);
    TEST_ASSERT_EQUAL_INT64(0, calls);
    TEST_ASSERT_EQUAL_INT64(0, live_blocks);
}

static pl_status audit_once(void *user)
{
    const state *s = user;
    pl_audit *a;
    pl_audit_report r;
    pl_status status = create(s, NULL, &a);
    if (status == PL_OK) status = pl_audit_run(a, s->x, &r);
    pl_audit_destroy(a);
    return status;
}

static void test_each_allocation_may_fail(void)
{
    state *s = fresh();
    make_pile(s, 3, 2);
    pl_audit_report r = audit(s);
    TEST_ASSERT_GREATER_THAN_INT(0, r.n_intersections);
    TEST_ASSERT_GREATER_THAN_INT(0, r.n_inside);
    TEST_ASSERT_GREATER_THAN_INT64(20, fail_each_allocation(audit_once, s));
}

// --- Bad input and none ---

static void expect_refusal(pl_status expected, pl_status status, const char *part)
{
    TEST_ASSERT_EQUAL(expected, status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
}

static void test_positions_that_are_not_finite(void)
{
    state *s = fresh();
    begin_body(s);
    add_cube(s, 0, 1, false);
    pl_audit *a;
    pl_audit_report r;
    TEST_ASSERT_EQUAL(PL_OK, create(s, NULL, &a));
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        double good = s->x[3 * 5 + i];
        s->x[3 * 5 + i] = bad[i];
        char text[64];
        snprintf(text, sizeof text, "audit: vertex 5: coordinate %d is not finite", i);
        expect_refusal(PL_ERROR_NUMERICS, pl_audit_run(a, s->x, &r), text);
        TEST_ASSERT_FALSE(r.clean);
        s->x[3 * 5 + i] = good;
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(a, s->x, &r));
    TEST_ASSERT_TRUE(r.clean);
    pl_audit_destroy(a);
}

static void test_bad_arguments(void)
{
    pl_audit *a = (pl_audit *)1;
    const int32_t face[6] = {0, 1, 2, 2, 1, 3};
    const pl_audit_body body[2] = {{.n_face = 1, .face = face}, {.n_face = 2, .face = face}};
    expect_refusal(PL_ERROR_ARGUMENT, pl_audit_create(3, 2, body, NULL, &a),
                   "audit: body 1: face 1: vertex 3 of 3");
    TEST_ASSERT_NULL(a);
    expect_refusal(PL_ERROR_ARGUMENT, pl_audit_create(-1, 2, body, NULL, &a), "-1 vertices");
    expect_refusal(PL_ERROR_ARGUMENT, pl_audit_create(4, -1, body, NULL, &a), "-1 bodies");
    expect_refusal(PL_ERROR_ARGUMENT, pl_audit_create(4, 1, NULL, NULL, &a), "NULL");
    expect_refusal(PL_ERROR_ARGUMENT,
                   pl_audit_create(4, 1, &(pl_audit_body){.n_face = -1, .face = face}, NULL, &a),
                   "body 0: -1 faces");
    expect_refusal(PL_ERROR_ARGUMENT,
                   pl_audit_create(4, 1, &(pl_audit_body){.n_face = 1, .face = NULL}, NULL, &a),
                   "NULL");
    pl_audit_options options = pl_audit_options_default();
    const int32_t exclude[4] = {0, 1, 1, 2};
    options.exclude = exclude;
    options.n_exclude = 2;
    expect_refusal(PL_ERROR_ARGUMENT, pl_audit_create(4, 2, body, &options, &a),
                   "audit: exclude: pair 1: body 2 of 2");
    options.n_exclude = -1;
    expect_refusal(PL_ERROR_ARGUMENT, pl_audit_create(4, 2, body, &options, &a), "exclude: -1");
    pl_audit_destroy(NULL);
}

static void test_nothing_to_audit(void)
{
    pl_audit *a;
    pl_audit_report r;
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(0, 0, NULL, NULL, &a));
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(a, NULL, &r));
    TEST_ASSERT_TRUE(r.clean && r.complete && isinf(r.distance));
    pl_audit_destroy(a);
    state *s = fresh();
    begin_body(s); // takes no part
    begin_body(s);
    add_triangle(s, (const double[9]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    begin_body(s);
    r = audit(s);
    TEST_ASSERT_TRUE(r.clean && r.complete && isinf(r.distance));
}

// --- Size ---

// Copies of one triangle, as one body and as one for each: the list is cut off, and the same for
// any number of threads.
static void test_copies_of_one_triangle(void)
{
    int32_t n = (int32_t)full_size(200000, 10000000);
    int32_t *face = malloc(3 * (size_t)n * sizeof *face);
    for (int32_t i = 0; i < 3 * n; i++) face[i] = i;
    double *x = malloc(9 * (size_t)n * sizeof *x);
    const double one[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (int64_t i = 0; i < 9 * (int64_t)n; i++) x[i] = one[i % 9];
    for (int bodies = 1; bodies <= 2; bodies++) {
        int32_t n_body = bodies == 1 ? 1 : n;
        pl_audit_body *body = malloc((size_t)n_body * sizeof *body);
        for (int32_t b = 0; b < n_body; b++) {
            body[b] = (pl_audit_body){.n_face = n / n_body, .face = face + 3 * (int64_t)b};
        }
        pl_audit *a;
        pl_audit_report r;
        kept first = {0};
        TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(3 * n, n_body, body, NULL, &a));
        for (int threads = 1; threads <= 2; threads++) {
            pl_threads_set(threads);
            TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(a, x, &r));
            TEST_ASSERT_FALSE(r.complete);
            TEST_ASSERT_FALSE(r.clean);
            TEST_ASSERT_EQUAL_INT(PL_INTERSECTIONS_MAX, r.n_intersections);
            TEST_ASSERT_TRUE(bodies == 1 ? isnan(r.distance) : r.distance == 0);
            if (threads == 1) first = keep(&r);
            expect_same(&first, &r);
        }
        free(first.bytes);
        free(body);
        pl_audit_destroy(a);
    }
    free(face);
    free(x);
}

// More cubes in one another than can be listed.
static void test_deep_nesting(void)
{
    int32_t n = 1500;
    int32_t *face = malloc(36 * (size_t)n * sizeof *face);
    double *x = malloc(24 * (size_t)n * sizeof *x);
    pl_audit_body *body = malloc((size_t)n * sizeof *body);
    for (int32_t b = 0; b < n; b++) {
        state *s = fresh();
        begin_body(s);
        add_cube(s, 0, b + 1, false);
        memcpy(x + 24 * b, s->x, 24 * sizeof *x);
        for (int i = 0; i < 36; i++) face[36 * b + i] = 8 * b + s->face[i];
        body[b] = (pl_audit_body){.n_face = 12, .face = face + 36 * b};
    }
    pl_audit *a;
    pl_audit_report r;
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(8 * n, n, body, NULL, &a));
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(a, x, &r));
    TEST_ASSERT_FALSE(r.complete);
    TEST_ASSERT_EQUAL_INT(0, r.n_intersections);
    TEST_ASSERT_EQUAL_INT(PL_INTERSECTIONS_MAX, r.n_inside);
    TEST_ASSERT_EQUAL_INT(0, r.inside[0].body);
    TEST_ASSERT_EQUAL_INT(1, r.inside[0].other);
    TEST_ASSERT_EQUAL_INT(2, r.inside[1].other);
    TEST_ASSERT_TRUE(r.distance == 1);
    pl_audit_destroy(a);
    free(face);
    free(x);
    free(body);
}

// A grid of spheres, close but clean.
static void test_many_faces(void)
{
    int side = (int)full_size(4, 18), around = 40, along = 22, n_body = side * side * side;
    pl_mesh *sphere = make_sphere((double[3]){0, 0, 0}, 1, around, along);
    int32_t nv = pl_mesh_vertex_count(sphere), nf = pl_mesh_face_count(sphere);
    double *x = malloc(3 * (size_t)nv * (size_t)n_body * sizeof *x);
    int32_t *face = malloc(3 * (size_t)nf * (size_t)n_body * sizeof *face);
    pl_audit_body *body = malloc((size_t)n_body * sizeof *body);
    for (int b = 0; b < n_body; b++) {
        const double at[3] = {2.01 * (b % side), 2.01 * (b / side % side),
                              2.01 * (b / side / side)};
        for (int i = 0; i < 3 * nv; i++) {
            x[3 * (int64_t)nv * b + i] = pl_mesh_positions(sphere)[i] + at[i % 3];
        }
        for (int i = 0; i < 3 * nf; i++) {
            face[3 * (int64_t)nf * b + i] = pl_mesh_faces(sphere)[i] + nv * b;
        }
        body[b] = (pl_audit_body){.n_face = nf, .face = face + 3 * (int64_t)nf * b};
    }
    pl_audit *a;
    pl_audit_report r;
    double begin = pl_seconds();
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(nv * n_body, n_body, body, NULL, &a));
    double created = pl_seconds();
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(a, x, &r));
    double first = pl_seconds();
    TEST_ASSERT_TRUE(r.clean);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.01, r.distance);
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(a, x, &r));
    double second = pl_seconds();
    if (getenv("PLIANT_FULL") != NULL) {
        printf("%d faces: made in %.2f s, first run %.2f s, second %.2f s\n", nf * n_body,
               created - begin, first - created, second - first);
    }
    pl_audit_destroy(a);
    pl_mesh_destroy(sphere);
    free(x);
    free(face);
    free(body);
}

// Bodies with a radius: a sphere, a capsule, a rounded triangle and a sheet. Touching counts, to
// the last bit; what is inside of a closed body is found by one vertex.
static void test_radii(void)
{
    const double x[] = {0, 0, 5, 0, 0, 0, 4, 0, 0, 2, 3, -1, 3, 3, 4, 1, 4, 4};
    static const int32_t point[1] = {0}, edge[2] = {1, 2}, face[3] = {3, 4, 5};
    pl_audit_body body[3] = {{.n_point = 1, .point = point, .radius = 2},
                             {.n_edge = 1, .edge = edge, .radius = 2.5},
                             {.n_face = 1, .face = face}};
    pl_audit *audit;
    pl_audit_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(6, 3, body, NULL, &audit));
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(audit, x, &report));
    TEST_ASSERT_TRUE(report.clean);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, report.distance); // sphere and capsule: 5 - 4.5
    pl_audit_destroy(audit);
    body[0].radius = 2.5; // they touch
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(6, 3, body, NULL, &audit));
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(audit, x, &report));
    TEST_ASSERT_FALSE(report.clean);
    TEST_ASSERT_EQUAL(1, report.n_intersections);
    TEST_ASSERT_EQUAL(1, report.intersections[0].body[1]);
    TEST_ASSERT_EQUAL_DOUBLE(0, report.distance);
    pl_audit_destroy(audit);
    body[0].radius = nextafter(2.5, 0); // they do not
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(6, 3, body, NULL, &audit));
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(audit, x, &report));
    TEST_ASSERT_TRUE(report.clean);
    pl_audit_destroy(audit);
    body[1].radius = -1;
    expect_refusal(PL_ERROR_ARGUMENT, pl_audit_create(6, 3, body, NULL, &audit),
                   "body 1: radius: -1 is not 0 m or above");
    body[1].radius = 1;
    body[1].n_point = 1;
    body[1].point = (const int32_t[]){6};
    expect_refusal(PL_ERROR_ARGUMENT, pl_audit_create(6, 3, body, NULL, &audit),
                   "body 1: point 0: vertex 6 of 6");
}

// A small ball in the middle of a large tetrahedron touches none of its faces.
static void test_a_point_inside(void)
{
    const double x[] = {0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 0, 10, 1, 1, 1};
    static const int32_t face[12] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1}, point[1] = {4};
    const pl_audit_body body[2] = {{.n_face = 4, .face = face},
                                   {.n_point = 1, .point = point, .radius = 0.1}};
    pl_audit *audit;
    pl_audit_report report;
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(5, 2, body, NULL, &audit));
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_run(audit, x, &report));
    TEST_ASSERT_EQUAL(0, report.n_intersections);
    TEST_ASSERT_EQUAL(1, report.n_inside);
    TEST_ASSERT_EQUAL(4, report.inside[0].vertex);
    TEST_ASSERT_FALSE(report.clean);
    pl_audit_destroy(audit);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_planted_triangles);
    RUN_TEST(test_one_ulp);
    RUN_TEST(test_neighbours);
    RUN_TEST(test_faces_without_area_and_equal_vertices);
    RUN_TEST(test_nested_cubes);
    RUN_TEST(test_open_bodies_have_no_inside);
    RUN_TEST(test_winding);
    RUN_TEST(test_inside_of_tets);
    RUN_TEST(test_bodies_with_common_vertices);
    RUN_TEST(test_scans_in_a_box);
    RUN_TEST(test_random_soups);
    RUN_TEST(test_large_soup);
    RUN_TEST(test_spheres_that_almost_touch);
    RUN_TEST(test_distance_of_triangles);
    RUN_TEST(test_distance_of_bodies);
    RUN_TEST(test_equal_distances);
    RUN_TEST(test_distance_leaves_out);
    RUN_TEST(test_moving_bodies);
    RUN_TEST(test_no_heap_call_when_clean);
    RUN_TEST(test_each_allocation_may_fail);
    RUN_TEST(test_positions_that_are_not_finite);
    RUN_TEST(test_bad_arguments);
    RUN_TEST(test_nothing_to_audit);
    RUN_TEST(test_copies_of_one_triangle);
    RUN_TEST(test_deep_nesting);
    RUN_TEST(test_many_faces);
    pl_audit_destroy(made);
    RUN_TEST(test_radii);
    RUN_TEST(test_a_point_inside);
    return UNITY_END();
}
