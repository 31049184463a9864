// Queries: against formulas, and against all faces looked at one by one.

#include "failing_alloc.h"
#include "matrices.h"
#include "worlds.h"
#include "../meshes/geometry.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const uint32_t ALL = ~0u;
static const double ROUNDING = 1e-12; // relative to the size of the scene, of a few metres

// A body of one of the kinds, moved to `at`, with a category.
static int32_t add(pl_world *world, pl_body_kind kind, const char *shape, const double at[3],
                   uint32_t category)
{
    const double m[12] = {1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2]};
    pl_mesh *mesh = make_mesh(shape);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    pl_deformable_options soft = pl_deformable_options_default();
    pl_rigid_options rigid = pl_rigid_options_default();
    pl_kinematic_options kinematic = pl_kinematic_options_default();
    soft.surface.category = rigid.surface.category = kinematic.surface.category = category;
    soft.angular_velocity[1] = rigid.angular_velocity[0] = 3;
    soft.velocity[0] = 1;
    rigid.velocity[1] = -2;
    kinematic.motion.velocity[2] = 1;
    int32_t body = -1;
    pl_status status =
        kind == PL_BODY_DEFORMABLE ? pl_world_add_deformable(world, mesh, &soft, &body)
        : kind == PL_BODY_RIGID    ? pl_world_add_rigid(world, mesh, &rigid, &body)
                                   : pl_world_add_kinematic(world, mesh, &kinematic, &body);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

static pl_ray_hit ray(pl_world *world, const double origin[3], const double direction[3],
                      double most, uint32_t mask)
{
    pl_ray_hit hit;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_ray(world, origin, direction, most, mask, &hit),
                              pl_error_text());
    return hit;
}

static pl_closest_hit closest(pl_world *world, const double point[3], double most, uint32_t mask)
{
    pl_closest_hit hit;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_closest(world, point, most, mask, &hit),
                              pl_error_text());
    return hit;
}

static void expect_point(double x, double y, double z, const double p[3])
{
    TEST_ASSERT_DOUBLE_WITHIN(ROUNDING, x, p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(ROUNDING, y, p[1]);
    TEST_ASSERT_DOUBLE_WITHIN(ROUNDING, z, p[2]);
}

static void expect_nothing(const pl_ray_hit *hit)
{
    TEST_ASSERT_EQUAL(-1, hit->body);
    TEST_ASSERT_EQUAL(-1, hit->face);
    TEST_ASSERT_EQUAL(-1, hit->vertex[0]);
    TEST_ASSERT_TRUE(hit->distance == INFINITY);
}

// What a hit says fits together, and is where the body's surface is.
static void check_hit(const pl_world *world, const pl_ray_hit *hit)
{
    const pl_mesh *mesh = pl_world_mesh(world, hit->body);
    const double *x = pl_world_positions(world, hit->body);
    TEST_ASSERT_NOT_NULL(mesh);
    pl_mesh *surface;
    int32_t *map = malloc((size_t)pl_mesh_vertex_count(mesh) * sizeof *map);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, map, &surface));
    TEST_ASSERT_TRUE(hit->face >= 0 && hit->face < pl_mesh_face_count(surface));
    double p[3] = {0}, sum = 0, normal[3];
    const double *c[3];
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL(map[pl_mesh_faces(surface)[3 * hit->face + i]], hit->vertex[i]);
        TEST_ASSERT_TRUE(hit->weight[i] >= 0);
        sum += hit->weight[i];
        c[i] = x + 3 * hit->vertex[i];
        for (int k = 0; k < 3; k++) p[k] += hit->weight[i] * c[i][k];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1, sum);
    expect_point(p[0], p[1], p[2], hit->point);
    pl_face_normal(c[0], c[1], c[2], normal);
    double length = sqrt(pl_dot(normal, normal));
    expect_point(normal[0] / length, normal[1] / length, normal[2] / length, hit->normal);
    pl_mesh_destroy(surface);
    free(map);
}

// --- Against formulas ---

// A cube of each kind, 3 m apart along x.
static pl_world *make_cubes(int32_t body[3])
{
    pl_world_options options = no_contact();
    pl_world *world = make_world(&options);
    for (int i = 0; i < 3; i++) {
        body[i] =
            add(world, (pl_body_kind)i, "cube:cells=2", (const double[3]){3.0 * i, 0, 0}, 1u << i);
    }
    return world;
}

static void test_rays_at_cubes(void)
{
    int32_t body[3];
    pl_world *world = make_cubes(body);
    for (int i = 0; i < 3; i++) {
        double x = 3.0 * i + 0.1;
        for (double length = 1e-200; length < 1e201; length *= 1e200) {
            const double down[3] = {0, 0, -length};
            pl_ray_hit hit = ray(world, (const double[3]){x, 0.2, 4}, down, INFINITY, ALL);
            TEST_ASSERT_EQUAL(body[i], hit.body);
            TEST_ASSERT_DOUBLE_WITHIN(ROUNDING, 3.5, hit.distance);
            expect_point(x, 0.2, 0.5, hit.point);
            expect_point(0, 0, 1, hit.normal);
            check_hit(world, &hit);
        }
        const double up[3] = {0, 0, 2}, inside[3] = {x, 0.2, 0.1}; // from inside
        pl_ray_hit hit = ray(world, inside, up, INFINITY, ALL);
        TEST_ASSERT_EQUAL(body[i], hit.body);
        TEST_ASSERT_DOUBLE_WITHIN(ROUNDING, 0.4, hit.distance);
        expect_point(0, 0, 1, hit.normal);
        hit = ray(world, (const double[3]){x, 0.2, 0.5}, up, 0, ALL); // on the surface
        TEST_ASSERT_EQUAL(body[i], hit.body);
        TEST_ASSERT_EQUAL_DOUBLE(0, hit.distance);
        hit = ray(world, (const double[3]){x, 0.2, 0.51}, up, INFINITY, ALL);
        expect_nothing(&hit);
    }
    pl_world_destroy(world);
}

static void test_how_far_and_which(void)
{
    int32_t body[3];
    pl_world *world = make_cubes(body);
    const double origin[3] = {-2, 0.1, 0.2}, along[3] = {1, 0, 0};
    for (int i = 0; i < 3; i++) {
        pl_ray_hit hit = ray(world, origin, along, INFINITY, ALL << i);
        TEST_ASSERT_EQUAL(body[i], hit.body);
        TEST_ASSERT_DOUBLE_WITHIN(ROUNDING, 1.5 + 3 * i, hit.distance);
        expect_point(-1, 0, 0, hit.normal);
        hit = ray(world, origin, along, 1.5 + 3 * i, ALL << i);
        TEST_ASSERT_EQUAL(body[i], hit.body);
        hit = ray(world, origin, along, 1.49 + 3 * i, ALL << i);
        expect_nothing(&hit);
        pl_closest_hit near = closest(world, origin, INFINITY, ALL << i);
        TEST_ASSERT_EQUAL(body[i], near.body);
        TEST_ASSERT_DOUBLE_WITHIN(ROUNDING, 1.5 + 3 * i, near.distance);
        expect_point(-0.5 + 3 * i, 0.1, 0.2, near.point);
        expect_point(-1, 0, 0, near.normal);
        check_hit(world, &near);
        near = closest(world, origin, 1.5 + 3 * i, ALL << i);
        TEST_ASSERT_EQUAL(body[i], near.body);
        near = closest(world, origin, 1.49 + 3 * i, ALL << i);
        expect_nothing(&near);
    }
    pl_ray_hit hit = ray(world, origin, along, INFINITY, 8);
    expect_nothing(&hit);
    hit = closest(world, origin, INFINITY, 0);
    expect_nothing(&hit);
    hit = closest(world, (const double[3]){1e300, -1e300, 1e300}, INFINITY, ALL); // too far to tell
    expect_nothing(&hit);
    pl_world_destroy(world);
}

// A sphere of flat faces lies between that of its corners and the one inside its faces.
static void test_sphere(void)
{
    pl_world_options options = no_contact();
    const double INSIDE = 0.96; // of the radius: level 2 has edges of at most 0.33 radii
    for (int kind = 0; kind < 3; kind++) {
        pl_world *world = make_world(&options);
        const double centre[3] = {0.5, -1, 2};
        add(world, (pl_body_kind)kind, "icosphere:radius=1:level=2:shells=1", centre, 1);
        for (int i = 0; i < 200; i++) {
            double d[3], from[3], back[3];
            for (int k = 0; k < 3; k++) d[k] = random_number();
            double length = sqrt(pl_dot(d, d));
            for (int k = 0; k < 3; k++) {
                from[k] = centre[k] + 3 * d[k] / length;
                back[k] = -d[k];
            }
            pl_ray_hit hit = ray(world, from, back, INFINITY, ALL);
            TEST_ASSERT_TRUE(hit.distance >= 2 - ROUNDING && hit.distance < 3 - INSIDE);
            TEST_ASSERT_TRUE(pl_dot(hit.normal, d) / length > INSIDE);
            pl_closest_hit near = closest(world, from, INFINITY, ALL);
            TEST_ASSERT_TRUE(near.distance >= 2 - ROUNDING && near.distance <= hit.distance);
        }
        pl_world_destroy(world);
    }
}

// Rays from the inside through every corner and the middle of every edge: all are stopped.
static void test_nothing_slips_through(void)
{
    pl_world_options options = no_contact();
    pl_world *world = make_world(&options);
    const double centre[3] = {0.1, 0.7, -0.3};
    int32_t body = add(world, PL_BODY_KINEMATIC, "icosphere:radius=1:level=2", centre, 1);
    const double *x = pl_world_positions(world, body);
    const pl_mesh *mesh = pl_world_mesh(world, body);
    const int32_t *face = pl_mesh_faces(mesh);
    TEST_ASSERT_TRUE(pl_mesh_face_count(mesh) > 300);
    for (int32_t i = 0; i < 3 * pl_mesh_face_count(mesh); i++) {
        const double *a = x + 3 * face[i], *b = x + 3 * face[i - i % 3 + (i + 1) % 3];
        for (int half = 0; half < 2; half++) {
            double d[3];
            for (int k = 0; k < 3; k++) {
                d[k] = (half == 0 ? a[k] : 0.5 * (a[k] + b[k])) - centre[k];
            }
            pl_ray_hit hit = ray(world, centre, d, INFINITY, ALL);
            TEST_ASSERT_EQUAL(body, hit.body);
            TEST_ASSERT_DOUBLE_WITHIN(ROUNDING, sqrt(pl_dot(d, d)), hit.distance);
        }
    }
    pl_world_destroy(world);
}

// From afar at the edges of a cube that two faces in sight share, where boxes of faces have no
// thickness and end: the ray meets one of them.
static void test_edges_from_afar(void)
{
    int32_t body[3];
    pl_world *world = make_cubes(body);
    for (int i = 0; i < 3000; i++) {
        double from[3], at[3] = {0.5, 0.5, 0.5}, d[3];
        at[i % 3] = 0.5 * random_number();
        for (int k = 0; k < 3; k++) from[k] = 1 + 50 * fabs(random_number());
        pl_subtract(at, from, d);
        double length = sqrt(pl_dot(d, d));
        pl_ray_hit hit = ray(world, from, d, INFINITY, 1);
        TEST_ASSERT_EQUAL(body[0], hit.body);
        TEST_ASSERT_DOUBLE_WITHIN(ROUNDING * length, length, hit.distance);
    }
    pl_world_destroy(world);
}

// --- Against all faces ---

// Moeller and Trumbore; INFINITY if the ray misses.
static double ray_face(const double o[3], const double d[3], const double *const c[3])
{
    double e[3], f[3], p[3], q[3], r[3];
    pl_subtract(c[1], c[0], e);
    pl_subtract(c[2], c[0], f);
    pl_subtract(o, c[0], r);
    pl_cross(d, f, p);
    pl_cross(r, e, q);
    double det = pl_dot(e, p), u = pl_dot(r, p) / det, v = pl_dot(d, q) / det;
    double t = pl_dot(f, q) / det;
    bool met = u >= 0 && v >= 0 && u + v <= 1 && t >= 0;
    return met ? t * sqrt(pl_dot(d, d)) : INFINITY;
}

static double point_segment(const double p[3], const double a[3], const double b[3])
{
    double e[3], r[3], d[3];
    pl_subtract(b, a, e);
    pl_subtract(p, a, r);
    double t = fmin(fmax(pl_dot(r, e) / pl_dot(e, e), 0), 1);
    for (int k = 0; k < 3; k++) d[k] = r[k] - t * e[k];
    return sqrt(pl_dot(d, d));
}

// By the foot on the plane, if the line across it through the point meets the face; else by edges.
static double point_face(const double p[3], const double *const c[3])
{
    double n[3], back[3];
    pl_face_normal(c[0], c[1], c[2], n);
    for (int k = 0; k < 3; k++) back[k] = -n[k];
    double on_plane = fmin(ray_face(p, n, c), ray_face(p, back, c));
    double on_edge = fmin(point_segment(p, c[0], c[1]),
                          fmin(point_segment(p, c[1], c[2]), point_segment(p, c[2], c[0])));
    return fmin(on_plane, on_edge);
}

typedef struct found {
    double ray, closest;
} found;

static found look_at_all(const pl_world *world, const double o[3], const double d[3], int skip)
{
    found best = {INFINITY, INFINITY};
    for (int32_t place = 0; place < pl_world_body_count(world); place++) {
        int32_t body = pl_world_body_at(world, place);
        if (body < 0 || place == skip) continue;
        const double *x = pl_world_positions(world, body);
        const pl_mesh *mesh = pl_world_mesh(world, body);
        int32_t *map = malloc((size_t)pl_mesh_vertex_count(mesh) * sizeof *map);
        pl_mesh *surface;
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, map, &surface));
        for (int32_t i = 0; i < pl_mesh_face_count(surface); i++) {
            const double *c[3];
            for (int k = 0; k < 3; k++) c[k] = x + 3 * map[pl_mesh_faces(surface)[3 * i + k]];
            best.ray = fmin(best.ray, ray_face(o, d, c));
            best.closest = fmin(best.closest, point_face(o, c));
        }
        pl_mesh_destroy(surface);
        free(map);
    }
    return best;
}

static void expect_same(double expected, double found)
{
    if (expected == INFINITY) {
        TEST_ASSERT_TRUE(found == INFINITY);
    } else {
        TEST_ASSERT_DOUBLE_WITHIN(ROUNDING * fmax(1, expected), expected, found);
    }
}

// Returns how many rays met something.
static int compare(pl_world *world, int n, uint32_t mask, int skip)
{
    int hits = 0;
    for (int i = 0; i < n; i++) {
        double o[3], d[3];
        int32_t place = (int32_t)(random_bits() % (uint32_t)pl_world_body_count(world));
        const double *x = pl_world_positions(world, pl_world_body_at(world, place));
        for (int k = 0; k < 3; k++) { // towards a body, if there is one in that place
            o[k] = 3 * random_number();
            d[k] = (x != NULL ? x[k] - o[k] : 0) + 0.3 * random_number();
        }
        found all = look_at_all(world, o, d, skip);
        pl_ray_hit hit = ray(world, o, d, INFINITY, mask);
        expect_same(all.ray, hit.distance);
        if (hit.body >= 0) {
            double length = sqrt(pl_dot(d, d)), t = hit.distance / length;
            check_hit(world, &hit);
            expect_point(o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2], hit.point);
            hits++;
        }
        hit = closest(world, o, INFINITY, mask);
        expect_same(all.closest, hit.distance);
        check_hit(world, &hit);
        double r[3];
        pl_subtract(hit.point, o, r);
        expect_same(hit.distance, sqrt(pl_dot(r, r)));
    }
    return hits;
}

// Bodies that move, are removed, are added and are put elsewhere: queries see where they are.
static void test_against_all_faces(void)
{
    pl_world_options options = no_contact();
    options.dt = 0.02;
    pl_world *world = make_world(&options);
    static const char *const shape[3] = {"torus", "icosphere:radius=0.5:level=2:shells=1",
                                         "cube:cells=3"};
    int32_t body[6];
    for (int i = 0; i < 6; i++) {
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = 1.5 * random_number();
        body[i] = add(world, (pl_body_kind)(i % 3), shape[i < 3 ? 2 : 1], at, 1u << i);
    }
    int hits = compare(world, 50, ALL, -1);
    for (int i = 0; i < 6; i++) {
        step(world, 5);
        hits += compare(world, 50, ALL, -1);
    }
    for (int i = 0; i < 6; i++) hits += compare(world, 50, ALL & ~(1u << i), i);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, body[1]));
    hits += compare(world, 50, ALL, -1);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, body[3]));
    hits += compare(world, 50, ALL, -1);
    int32_t late = add(world, PL_BODY_RIGID, shape[0], (const double[3]){0, 0, 0}, 64);
    hits += compare(world, 50, ALL, -1);
    TEST_ASSERT_TRUE(late != body[1] && late != body[3]);
    pl_frame frame;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, late, &frame));
    frame.centre[2] += 0.7;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, late, &frame));
    hits += compare(world, 50, ALL, -1);
    TEST_ASSERT_TRUE(hits > 300); // of 850
    pl_world_destroy(world);
}

// What a rigid body's removal leaves: the ray goes on to the next.
static void test_removed_bodies(void)
{
    int32_t body[3];
    pl_world *world = make_cubes(body);
    const double origin[3] = {-2, 0.1, 0.2}, along[3] = {1, 0, 0};
    for (int i = 0; i < 3; i++) {
        pl_ray_hit hit = ray(world, origin, along, INFINITY, ALL);
        TEST_ASSERT_EQUAL(body[i], hit.body);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, body[i]));
    }
    pl_ray_hit hit = ray(world, origin, along, INFINITY, ALL);
    expect_nothing(&hit);
    hit = closest(world, origin, INFINITY, ALL);
    expect_nothing(&hit);
    int32_t again = add(world, PL_BODY_RIGID, "cube:cells=2", (const double[3]){0, 0, 0}, 1);
    hit = ray(world, origin, along, INFINITY, ALL);
    TEST_ASSERT_EQUAL(again, hit.body);
    TEST_ASSERT_TRUE(again != body[0]); // in its place, but another id
    pl_world_destroy(world);
}

// --- Boxes ---

static int32_t overlap(pl_world *world, double x, double y, double z, double half, uint32_t mask,
                       int32_t *body)
{
    const double lo[3] = {x - half, y - half, z - half}, hi[3] = {x + half, y + half, z + half};
    int32_t n = -1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_overlap(world, lo, hi, mask, 3, body, &n));
    return n;
}

static void test_boxes(void)
{
    int32_t body[3], met[3];
    pl_world *world = make_cubes(body);
    for (int i = 0; i < 3; i++) {
        double x = 3.0 * i;
        TEST_ASSERT_EQUAL(1, overlap(world, x + 0.5, 0, 0, 0.25, ALL, met));
        TEST_ASSERT_EQUAL(body[i], met[0]);
        TEST_ASSERT_EQUAL(1, overlap(world, x, 0, 0.75, 0.25, ALL, met)); // touches
        TEST_ASSERT_EQUAL(0, overlap(world, x, 0, 0.76, 0.25, ALL, met));
        TEST_ASSERT_EQUAL(0, overlap(world, x, 0, 0, 0.25, ALL, met)); // inside: no face is there
        TEST_ASSERT_EQUAL(0, overlap(world, x + 0.5, 0, 0, 0.25, ALL & ~(1u << i), met));
        TEST_ASSERT_EQUAL(1, overlap(world, x, 0, 0, 1, ALL, met)); // holds the whole body
    }
    TEST_ASSERT_EQUAL(3, overlap(world, 0, 0, 0, 5.6, ALL, met));
    for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL(body[i], met[i]);
    int32_t n, one[2] = {-7, -7};
    const double lo[3] = {-9, -9, -9}, hi[3] = {9, 9, 9};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_overlap(world, lo, hi, ALL, 1, one, &n));
    TEST_ASSERT_TRUE(n == 3 && one[0] == body[0] && one[1] == -7);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_overlap(world, lo, hi, ALL, 0, NULL, &n));
    TEST_ASSERT_EQUAL(3, n);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, body[1]));
    TEST_ASSERT_EQUAL(2, overlap(world, 0, 0, 0, 9, ALL, met));
    TEST_ASSERT_TRUE(met[0] == body[0] && met[1] == body[2]);
    pl_world_destroy(world);
}

// The part of a polygon (n corners) on one side of a plane across an axis; returns its corners.
static int clip(int n, double p[][3], int axis, double at, double side)
{
    double out[16][3];
    int m = 0;
    for (int i = 0; i < n; i++) {
        const double *a = p[i], *b = p[(i + 1) % n];
        double da = side * (a[axis] - at), db = side * (b[axis] - at);
        if (da >= 0) memcpy(out[m++], a, sizeof out[0]);
        if ((da >= 0) == (db >= 0)) continue;
        for (int k = 0; k < 3; k++) out[m][k] = a[k] + da / (da - db) * (b[k] - a[k]);
        m++;
    }
    memcpy(p, out, (size_t)m * sizeof out[0]);
    return m;
}

// A box overlaps a face if something is left of it, clipped by the six planes.
static void test_oblique_face(void)
{
    static const double x[9] = {0.1, -0.9, 0.3, 0.8, 0.4, -0.6, -0.7, 0.5, 0.2};
    static const int32_t face[3] = {0, 1, 2};
    pl_world_options options = no_contact();
    pl_world *world = make_world(&options);
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3, x, 1, face, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, NULL, NULL));
    int met[2] = {0, 0};
    for (int i = 0; i < 20000; i++) {
        double lo[3], hi[3], p[16][3];
        for (int k = 0; k < 3; k++) {
            lo[k] = random_number();
            hi[k] = lo[k] + 0.4 * fabs(random_number());
        }
        int n = 3;
        int32_t found;
        memcpy(p, x, sizeof x);
        for (int k = 0; k < 3; k++) {
            n = clip(n, p, k, lo[k], 1);
            n = clip(n, p, k, hi[k], -1);
        }
        TEST_ASSERT_EQUAL(PL_OK, pl_world_overlap(world, lo, hi, ALL, 0, NULL, &found));
        TEST_ASSERT_EQUAL(n > 0, found);
        met[n > 0]++;
    }
    TEST_ASSERT_TRUE(met[0] > 1000 && met[1] > 1000);
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
}

// --- Refusals and memory ---

static void test_bad_arguments(void)
{
    int32_t body[3], n;
    pl_world *world = make_cubes(body);
    pl_ray_hit hit;
    const double p[3] = {0, 0, 5}, d[3] = {0, 0, -1}, zero[3] = {0}, bad[3] = {0, NAN, 0};
    const pl_status A = PL_ERROR_ARGUMENT;
    expect_failure(A, pl_world_ray(world, bad, d, 1, ALL, &hit), "origin");
    expect_nothing(&hit);
    expect_failure(A, pl_world_ray(world, p, bad, 1, ALL, &hit), "direction");
    expect_failure(A, pl_world_ray(world, p, zero, 1, ALL, &hit), "direction");
    expect_failure(A, pl_world_ray(world, p, d, -1, ALL, &hit), "max_distance");
    expect_failure(A, pl_world_ray(world, p, d, NAN, ALL, &hit), "max_distance");
    expect_failure(A, pl_world_closest(world, bad, 1, ALL, &hit), "point");
    expect_failure(A, pl_world_closest(world, p, -1, ALL, &hit), "max_distance");
    expect_failure(A, pl_world_overlap(world, bad, p, ALL, 3, body, &n), "lo");
    expect_failure(A, pl_world_overlap(world, p, bad, ALL, 3, body, &n), "hi");
    expect_failure(A, pl_world_overlap(world, p, zero, ALL, 3, body, &n), "above hi");
    expect_failure(A, pl_world_overlap(world, zero, p, ALL, -1, body, &n), "capacity");
    TEST_ASSERT_EQUAL(0, n);
    pl_world_destroy(world);
}

static void test_empty_world(void)
{
    pl_world *world = make_world(NULL);
    const double p[3] = {0, 0, 5}, d[3] = {0, 0, -1};
    pl_ray_hit hit = ray(world, p, d, INFINITY, ALL);
    expect_nothing(&hit);
    hit = closest(world, p, INFINITY, ALL);
    expect_nothing(&hit);
    int32_t body[3];
    TEST_ASSERT_EQUAL(0, overlap(world, 0, 0, 0, 1, ALL, body));
    pl_world_destroy(world);
}

static pl_status query_once(void *user)
{
    pl_ray_hit hit;
    pl_mesh *mesh = NULL;
    pl_world *world = NULL;
    (void)user;
    pl_status status = pl_world_create(NULL, &world);
    if (status == PL_OK) status = pl_mesh_make("cube:cells=2", &mesh);
    if (status == PL_OK) status = pl_world_add_rigid(world, mesh, NULL, NULL);
    const double p[3] = {0.1, 0.1, 5}, d[3] = {0, 0, -1};
    if (status == PL_OK) status = pl_world_ray(world, p, d, INFINITY, ALL, &hit);
    if (status == PL_OK) status = hit.body == 0 ? PL_OK : PL_ERROR_GEOMETRY;
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
    return status;
}

static void test_allocations_fail(void)
{
    TEST_ASSERT_TRUE(fail_each_allocation(query_once, NULL) > 10);
}

// Queries take nothing from the heap but for the first, wherever the bodies go.
static void test_queries_without_allocations(void)
{
    fail_nth(-1);
    int32_t body[3], met[3], n;
    pl_world *world = make_cubes(body);
    const double p[3] = {0.1, 0.1, 5}, d[3] = {0, 0, -1}, lo[3] = {-9, -9, -9}, hi[3] = {9, 9, 9};
    pl_ray_hit hit;
    bool fine = pl_world_ray(world, p, d, INFINITY, ALL, &hit) == PL_OK;
    for (int i = 0; i < 20 && fine; i++) {
        pl_frame frame;
        fine = pl_world_frame(world, body[1], &frame) == PL_OK;
        frame.centre[1] = i * i; // far enough for another shape of the tree
        fine = fine && pl_world_set_frame(world, body[1], &frame) == PL_OK;
        fail_nth(0);
        fine = fine && pl_world_ray(world, p, d, INFINITY, ALL, &hit) == PL_OK;
        fine = fine && pl_world_closest(world, p, INFINITY, ALL, &hit) == PL_OK;
        fine = fine && pl_world_overlap(world, lo, hi, ALL, 3, met, &n) == PL_OK;
        fine = fine && allocations == 0;
        fail_nth(-1);
    }
    pl_world_destroy(world);
    fail_never();
    TEST_ASSERT_TRUE(fine);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_rays_at_cubes);
    RUN_TEST(test_how_far_and_which);
    RUN_TEST(test_sphere);
    RUN_TEST(test_nothing_slips_through);
    RUN_TEST(test_edges_from_afar);
    RUN_TEST(test_against_all_faces);
    RUN_TEST(test_removed_bodies);
    RUN_TEST(test_boxes);
    RUN_TEST(test_oblique_face);
    RUN_TEST(test_bad_arguments);
    RUN_TEST(test_empty_world);
    RUN_TEST(test_allocations_fail);
    RUN_TEST(test_queries_without_allocations);
    return UNITY_END();
}
