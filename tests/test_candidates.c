// Candidates through whole simulated motions: what a continuous test of all pairs finds is in them.

#include "../collision/surfaces.h"
#include "pairs.h"
#include "worlds.h"

#include <math.h>

void setUp(void)
{
}
void tearDown(void)
{
}

// --- The surfaces of a world whose bodies pass through each other ---

enum { MAX_VERT = 1500, MAX_FACE = 1500, MAX_BODY = 4 };

typedef struct surfaces {
    int32_t n_vert, n_face, n_body;
    int32_t first[MAX_BODY];
    int32_t face[3 * MAX_FACE];
    bool used[MAX_VERT];
    double x0[3 * MAX_VERT], guess[3 * MAX_VERT], x1[3 * MAX_VERT];
    pl_collider collider[MAX_BODY];
} surfaces;

static surfaces S;

static void collect(const pl_world *world)
{
    S.n_vert = S.n_face = 0;
    memset(S.used, 0, sizeof S.used);
    S.n_body = pl_world_body_count(world);
    for (int32_t b = 0; b < S.n_body; b++) {
        const pl_mesh *mesh = pl_world_mesh(world, b);
        S.first[b] = S.n_vert;
        S.collider[b] = pl_collider_default();
        S.collider[b].n_face = pl_mesh_face_count(mesh);
        S.collider[b].face = S.face + 3 * S.n_face;
        for (int32_t i = 0; i < 3 * pl_mesh_face_count(mesh); i++) {
            int32_t v = S.n_vert + pl_mesh_faces(mesh)[i];
            S.face[3 * S.n_face + i] = v;
            S.used[v] = true;
        }
        S.n_vert += pl_mesh_vertex_count(mesh);
        S.n_face += pl_mesh_face_count(mesh);
        TEST_ASSERT_TRUE(S.n_vert <= MAX_VERT && S.n_face <= MAX_FACE);
    }
}

static void copy_positions(const pl_world *world, double *x)
{
    for (int32_t b = 0; b < S.n_body; b++) {
        size_t size = 3 * (size_t)pl_world_vertex_count(world, b) * sizeof *x;
        memcpy(x + 3 * S.first[b], pl_world_positions(world, b), size);
    }
}

// As a step would guess: on with the present velocities.
static void extrapolate(const pl_world *world, double dt)
{
    for (int32_t b = 0; b < S.n_body; b++) {
        const double *v = pl_world_velocities(world, b);
        for (int32_t i = 0; i < 3 * pl_world_vertex_count(world, b); i++) {
            S.guess[3 * S.first[b] + i] = S.x0[3 * S.first[b] + i] + dt * v[i];
        }
    }
}

// --- The continuous test of all pairs ---

static bool hits(pl_pair_kind kind, const int32_t point[4])
{
    double q0[12], q1[12];
    pl_impact impact;
    for (int k = 0; k < 4; k++) {
        memcpy(q0 + 3 * k, S.x0 + 3 * point[k], 3 * sizeof *q0);
        memcpy(q1 + 3 * k, S.x1 + 3 * point[k], 3 * sizeof *q1);
    }
    for (int k = 0; k < 3; k++) { // boxes first
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 4; i++) {
            int side = i >= (kind == PL_EDGE_EDGE ? 2 : 1);
            lo[side] = fmin(lo[side], fmin(q0[3 * i + k], q1[3 * i + k]));
            hi[side] = fmax(hi[side], fmax(q0[3 * i + k], q1[3 * i + k]));
        }
        if (lo[0] > hi[1] || lo[1] > hi[0]) return false;
    }
    return pl_ccd(kind, q0, q1, 0, &impact);
}

// Returns how many pairs hit; all of them must be candidates.
static int64_t check_all_pairs(const pl_surfaces *s, const pl_candidates *c)
{
    int64_t n = 0;
    for (int32_t v = 0; v < S.n_vert; v++) {
        for (int32_t f = 0; f < S.n_face && S.used[v]; f++) {
            const int32_t *t = S.face + 3 * f;
            if (t[0] == v || t[1] == v || t[2] == v) continue;
            if (!hits(PL_VERTEX_FACE, (const int32_t[]){v, t[0], t[1], t[2]})) continue;
            n++;
            TEST_ASSERT_TRUE(listed(c->vertex_face, c->n_vertex_face, v, f));
        }
    }
    const int32_t *edge = pl_surfaces_edges(s);
    for (int32_t e = 0; e < pl_surfaces_edge_count(s); e++) {
        for (int32_t g = e + 1; g < pl_surfaces_edge_count(s); g++) {
            const int32_t *p = edge + 2 * e, *q = edge + 2 * g;
            if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
            if (!hits(PL_EDGE_EDGE, (const int32_t[]){p[0], p[1], q[0], q[1]})) continue;
            n++;
            TEST_ASSERT_TRUE(listed(c->edge_edge, c->n_edge_edge, e, g));
        }
    }
    return n;
}

// Steps the world, which has no contact, and holds every step's candidates against all pairs.
static int64_t follow(pl_world *world, int steps, double dt)
{
    collect(world);
    copy_positions(world, S.x0);
    pl_surfaces *s;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_create(S.n_vert, S.x0, S.n_body, S.collider, &s));
    int64_t found = 0;
    for (int i = 0; i < steps; i++) {
        pl_candidates c;
        int32_t grown;
        copy_positions(world, S.x0);
        extrapolate(world, dt);
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_search(s, S.x0, S.guess, 0, &c));
        step(world, 1);
        copy_positions(world, S.x1);
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_extend(s, S.x0, S.x1, &c, &grown));
        found += check_all_pairs(s, &c);
    }
    pl_surfaces_destroy(s);
    return found;
}

static void throw_body(pl_world *world, const char *shape, const double at[3],
                       const double velocity[3], const double spin[3])
{
    pl_deformable_options options = pl_deformable_options_default();
    memcpy(options.velocity, velocity, sizeof options.velocity);
    memcpy(options.angular_velocity, spin, sizeof options.angular_velocity);
    options.material.young = 2e4;
    pl_mesh *mesh = make_mesh(shape);
    const double m[12] = {1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2]};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, mesh, &options, NULL));
    pl_mesh_destroy(mesh);
}

static pl_world *empty_world(double dt)
{
    pl_world_options options = pl_world_options_default();
    options.dt = dt;
    options.contact = false;
    return make_world(&options);
}

static void test_bodies_that_pass_through_each_other(void)
{
    pl_world *world = empty_world(0.01);
    throw_body(world, "ring", (const double[]){0, 0, 0}, (const double[]){1, 0, 0},
               (const double[]){2, 5, 0});
    throw_body(world, "cube:size=0.5:cells=3", (const double[]){0.9, 0.1, 0.1},
               (const double[]){-3, 0, 0}, (const double[]){0, 3, 9});
    throw_body(world, "torus:around=14:sides=6", (const double[]){0, 0, 0.9},
               (const double[]){0, 0, -4}, (const double[]){5, 0, 0});
    TEST_ASSERT_TRUE(follow(world, 40, 0.01) > 1000);
    pl_world_destroy(world);
}

// A soft plate is wrung until it goes through itself.
static void test_a_body_that_is_wrung(void)
{
    pl_world *world = empty_world(0.01);
    throw_body(world, "box:size=1.2,0.3,0.05:cells=24,6,1", (const double[]){0, 0, 0},
               (const double[]){0, 0, 0}, (const double[]){0, 0, 0});
    int32_t *left, *right;
    int32_t n_left = select_vertices(world, 0, 0, -0.61, -0.59, &left);
    int32_t n_right = select_vertices(world, 0, 0, 0.59, 0.61, &right);
    pl_motion motion = pl_motion_default();
    motion.axis[0] = 1;
    motion.axis[2] = 0;
    motion.rate = 25;
    motion.velocity[0] = -1.5;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, 0, n_left, left, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, 0, n_right, right, &motion));
    TEST_ASSERT_TRUE(follow(world, 60, 0.01) > 100);
    free(left);
    free(right);
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bodies_that_pass_through_each_other);
    RUN_TEST(test_a_body_that_is_wrung);
    return UNITY_END();
}
