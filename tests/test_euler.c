// Bodies on a grid: what the map, masses and forces are worth, against formulas; contact with
// friction; what must not change: momenta, bits with any number of threads, the state after a step
// that fails.

#include "../euler/euler.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>

static const double NONE[3] = {0, 0, 0};

static pl_euler *euler;

void setUp(void)
{
    euler = NULL;
}

void tearDown(void)
{
    pl_euler_destroy(euler);
    fail_never();
}

// --- Bodies to test with ---

static pl_euler_options options_of(double spacing, double dt, const double gravity[3])
{
    pl_euler_options o = pl_euler_options_default();
    o.spacing = spacing;
    o.dt = dt;
    memcpy(o.gravity, gravity, sizeof o.gravity);
    return o;
}

static void create(const pl_euler_options *o)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_euler_create(o, &euler), pl_error_text());
}

static pl_deformable_options soft(double young, double poisson)
{
    pl_deformable_options o = pl_deformable_options_default();
    o.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    o.material.young = young;
    o.material.poisson = poisson;
    return o;
}

static pl_mesh *shape(const char *text, double x, double y, double z)
{
    pl_mesh *mesh;
    const double move[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_make(text, &mesh), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, move));
    return mesh;
}

static void add(const char *text, double x, double y, double z, const pl_deformable_options *o)
{
    pl_mesh *mesh = shape(text, x, y, z);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_euler_add_deformable(euler, mesh, o, NULL),
                              pl_error_text());
    pl_mesh_destroy(mesh);
}

static void add_plate(const char *text, double z, double friction, const double velocity[3])
{
    pl_kinematic_options o = pl_kinematic_options_default();
    o.surface.friction = friction;
    memcpy(o.motion.velocity, velocity, sizeof o.motion.velocity);
    o.motion.end = INFINITY;
    pl_mesh *mesh = shape(text, 0, 0, z);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_euler_add_kinematic(euler, mesh, &o, NULL),
                              pl_error_text());
    pl_mesh_destroy(mesh);
}

static pl_step_stats run(int32_t steps)
{
    pl_step_stats stats = {0};
    for (int32_t i = 0; i < steps; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_euler_step(euler, &stats), pl_error_text());
    }
    return stats;
}

// The mean place of a body's mass.
static void find_centre(int32_t number, double centre[3])
{
    const pl_euler_body *body = &euler->body[number];
    const pl_euler_window *w = &body->now;
    double mass = 0;
    for (int k = 0; k < 3; k++) centre[k] = 0;
    for (int64_t at = 0; at < w->count; at++) {
        int32_t place[3];
        pl_euler_place(w, at, place);
        mass += w->m[at];
        for (int k = 0; k < 3; k++) centre[k] += w->m[at] * euler->h * (w->lo[k] + place[k]);
    }
    for (int k = 0; k < 3; k++) centre[k] /= mass;
}

// The largest error of the map, which should be R^T (x - shift), at nodes with mass.
static double map_error(const double R[9], const double shift[3])
{
    const pl_euler_window *w = &euler->body[0].now;
    double most = 0;
    for (int64_t at = 0; at < w->count; at++) {
        int32_t place[3];
        if (w->node[at] != PL_NODE_MASS) continue;
        pl_euler_place(w, at, place);
        for (int k = 0; k < 3; k++) {
            double X = 0;
            for (int i = 0; i < 3; i++) {
                X += R[3 * i + k] * (euler->h * (w->lo[i] + place[i]) - shift[i]);
            }
            most = fmax(most, fabs(X - w->X[3 * at + k]));
        }
    }
    return most;
}

// --- Parts ---

static void test_distance_to_a_ball_and_a_box(void)
{
    pl_distance d;
    pl_mesh *ball = shape("icosphere:radius=1:level=4", 0.1, 0.2, 0.3);
    TEST_ASSERT_EQUAL(PL_OK, pl_distance_create(ball, 0.1, 0.3, &d));
    for (int i = 0; i < 200; i++) {
        double t = 0.7 * i, z = -0.95 + i * 0.0095, r = 0.2 + 0.005 * i;
        const double X[3] = {0.1 + r * sqrt(1 - z * z) * cos(t), 0.2 + r * sqrt(1 - z * z) * sin(t),
                             0.3 + r * z};
        // the ball's facets, and what linear functions leave of its curvature, h^2 / r
        TEST_ASSERT_DOUBLE_WITHIN(0.02, r - 1, pl_distance_at(&d, X));
    }
    pl_distance_free(&d);
    pl_mesh_destroy(ball);
    pl_mesh *box = shape("box:size=1,2,3", 0, 0, 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_distance_create(box, 0.1, 0.3, &d));
    const double inside[3] = {0.3, 0.1, -0.2}, outside[3] = {0.7, 0.1, -0.2}, far[3] = {2.8, 0, 0};
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.2, pl_distance_at(&d, inside));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, pl_distance_at(&d, outside));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.3, pl_distance_at(&d, far));
    pl_distance_free(&d);
    pl_mesh_destroy(box);
}

static void test_an_open_surface_is_refused(void)
{
    const double x[9] = {0, 0, 0, 0, 1, 0, 0.2, 0, 1};
    const int32_t face[3] = {0, 1, 2};
    pl_distance d;
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3, x, 1, face, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_distance_create(mesh, 0.1, 0.1, &d));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "not closed"));
    pl_mesh_destroy(mesh);
}

// Against counting small tetrahedra: points of a lattice in barycentric coordinates.
static void test_part_of_a_tetrahedron(void)
{
    enum { N = 60 };
    const double cases[][4] = {{-1, 2, 3, 1},    {-1, -0.5, 2, 1}, {-1, -2, -0.3, 1},
                               {0.4, -1, 2, -1}, {1, 2, 3, 4},     {-1, -1, -1, -1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double *phi = cases[c];
        int32_t below = 0, all = 0;
        for (int32_t i = 0; i < N; i++) {
            for (int32_t j = 0; i + j < N; j++) {
                for (int32_t k = 0; i + j + k < N; k++) {
                    double a = (i + 0.25) / N, b = (j + 0.25) / N, d = (k + 0.25) / N;
                    all++;
                    below += phi[0] + a * (phi[1] - phi[0]) + b * (phi[2] - phi[0]) +
                                 d * (phi[3] - phi[0]) <
                             0;
                }
            }
        }
        TEST_ASSERT_DOUBLE_WITHIN(0.02, (double)below / all, pl_euler_part_below(phi));
    }
}

// Forces of a homogeneous stretch against the stress by hand; no sum, no torque.
static void test_forces_are_those_of_the_stress(void)
{
    const pl_euler_options o = options_of(0.25, 1e-3, NONE);
    const pl_deformable_options d = soft(1e5, 0.3);
    create(&o);
    add("box:size=1,1,1", 0, 0, 0, &d);
    run(1);
    pl_euler_body *body = &euler->body[0];
    const double stretch = 1.2, mu = body->mu, lambda = body->lambda;
    for (int64_t at = 0; at < body->now.count; at++) body->now.X[3 * at] /= stretch;
    pl_euler_stress(euler, body);
    // sigma_xx of F = diag(1.2, 1, 1), of which a cell's corner takes fill h^2 / 4
    double sigma = (mu * (stretch * stretch - 1) + lambda * log(stretch)) / stretch;
    double lateral = lambda * log(stretch) / stretch, h = euler->h;
    for (int64_t s = 0; s < body->n_cell; s++) {
        double fill = body->now.fill[body->cell[s]], force[3] = {0};
        for (int c = 0; c < 8; c++) {
            const double *f = body->data[s].number + 3 * c;
            double side = c & 1 ? -1 : 1, up = c & 4 ? -1 : 1;
            TEST_ASSERT_DOUBLE_WITHIN(1e-9 * sigma, side * sigma * fill * h * h / 4, f[0]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-9 * sigma, up * lateral * fill * h * h / 4, f[2]);
            for (int k = 0; k < 3; k++) force[k] += f[k];
        }
        for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-9 * sigma, 0, force[k]);
    }
}

// The energy's derivative by the velocities of nodes is the power of the forces.
static void test_forces_are_derivatives_of_the_energy(void)
{
    const pl_euler_options o = options_of(0.25, 1e-3, NONE);
    const pl_deformable_options d = soft(1e5, 0.3);
    create(&o);
    add("icosphere:radius=0.6", 0, 0, 0, &d);
    run(1);
    pl_euler_body *body = &euler->body[0];
    const pl_euler_window *w = &body->now;
    // A homogeneous map, whose gradient moves by dG/dt = -G D with the velocities x -> D x.
    const double G[9] = {1.1, 0.1, 0, -0.05, 0.9, 0.2, 0.1, 0, 1.05};
    const double D[9] = {0.2, -0.4, 0.1, 0.5, 0.3, -0.2, 0.6, -0.1, 0.25};
    double energy[3], power = 0, div = D[0] + D[4] + D[8], eps = 1e-5;
    for (int side = 0; side < 3; side++) {
        double t = side == 0 ? -eps : side == 1 ? eps : 0;
        for (int64_t at = 0; at < w->count; at++) {
            int32_t place[3];
            double x[3], y[3];
            pl_euler_place(w, at, place);
            for (int k = 0; k < 3; k++) x[k] = euler->h * (w->lo[k] + place[k]);
            for (int k = 0; k < 3; k++) {
                y[k] = x[k] - t * (D[3 * k] * x[0] + D[3 * k + 1] * x[1] + D[3 * k + 2] * x[2]);
            }
            for (int k = 0; k < 3; k++) {
                w->X[3 * at + k] = G[3 * k] * y[0] + G[3 * k + 1] * y[1] + G[3 * k + 2] * y[2];
            }
        }
        pl_euler_stress(euler, body);
        // the material takes 1 + t div D of the room that it took
        energy[side] = body->energy * (1 + t * div);
    }
    for (int64_t s = 0; s < body->n_cell; s++) {
        int32_t place[3];
        pl_euler_place(w, body->cell[s], place);
        for (int c = 0; c < 8; c++) {
            double x[3];
            for (int k = 0; k < 3; k++) x[k] = euler->h * (w->lo[k] + place[k] + (c >> k & 1));
            for (int k = 0; k < 3; k++) {
                double v = D[3 * k] * x[0] + D[3 * k + 1] * x[1] + D[3 * k + 2] * x[2];
                power += body->weight * body->data[s].number[3 * c + k] * v;
            }
        }
    }
    double rate = (energy[1] - energy[0]) / (2 * eps);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * fabs(rate), -rate, power);
}

// --- Motion without contact ---

static void test_translation_is_exact(void)
{
    const pl_euler_options o = options_of(0.1, 5e-3, NONE);
    pl_deformable_options d = soft(5e5, 0.3);
    const double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, v[3] = {1, -0.5, 0.3};
    memcpy(d.velocity, v, sizeof v);
    create(&o);
    add("box:size=0.8,0.6,0.7", 0, 0, 0, &d);
    pl_step_stats stats = run(100);
    const double shift[3] = {0.5, -0.25, 0.15};
    // Velocities get back what masses that change take from them, which turns the body a little.
    TEST_ASSERT_DOUBLE_WITHIN(0.03 * 0.1, 0, map_error(R, shift));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, stats.elastic_energy / stats.kinetic_energy);
}

// A turn of half a radian on two grids: the error is of first order.
static void test_rotation_is_of_first_order(void)
{
    double error[2];
    for (int i = 0; i < 2; i++) {
        double h = i == 0 ? 0.1 : 0.05, dt = i == 0 ? 5e-3 : 2.5e-3;
        const pl_euler_options o = options_of(h, dt, NONE);
        pl_deformable_options d = soft(5e5, 0.3);
        d.angular_velocity[2] = 1;
        create(&o);
        add("box:size=0.8,0.6,0.5", 0, 0, 0, &d);
        run(i == 0 ? 100 : 200);
        const double R[9] = {cos(0.5), -sin(0.5), 0, sin(0.5), cos(0.5), 0, 0, 0, 1};
        error[i] = map_error(R, NONE);
        pl_euler_destroy(euler);
        euler = NULL;
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.5 * 0.1, 0, error[0]);
    TEST_ASSERT_TRUE_MESSAGE(error[1] < 0.7 * error[0], "finer is not better");
}

static void test_momenta_are_kept_to_rounding(void)
{
    const pl_euler_options o = options_of(0.1, 4e-3, NONE);
    pl_deformable_options d = soft(2e5, 0.3);
    const double v[3] = {0.7, -0.2, 0.4}, spin[3] = {0.5, 3, -1};
    double P[2][3], L[2][3];
    memcpy(d.velocity, v, sizeof v);
    memcpy(d.angular_velocity, spin, sizeof spin);
    create(&o);
    add("torus:radius=0.5:tube=0.2", 0.1, 0.2, 0.3, &d);
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_momentum(euler, 0, P[0], L[0]));
    pl_step_stats first = run(1), last = run(100);
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_momentum(euler, 0, P[1], L[1]));
    double mass = euler->body[0].mass;
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * mass, v[k] * mass, P[1][k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * mass, P[0][k], P[1][k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * mass, L[0][k], L[1][k]);
    }
    double before = first.kinetic_energy + first.elastic_energy;
    double after = last.kinetic_energy + last.elastic_energy;
    TEST_ASSERT_TRUE_MESSAGE(after < 1.01 * before && after > 0.8 * before, "energy");
}

static void test_rest_stays_rest_to_the_bit(void)
{
    const pl_euler_options o = options_of(0.1, 5e-3, NONE);
    const pl_deformable_options d = soft(5e5, 0.3);
    create(&o);
    add("torus:radius=0.5:tube=0.2", 0.013, -0.02, 0.3, &d);
    pl_step_stats stats = run(50);
    const pl_euler_window *w = &euler->body[0].now;
    // The map's gradient is 1 but for rounding.
    TEST_ASSERT_DOUBLE_WITHIN(1e-16 * 5e5, 0, stats.elastic_energy);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, stats.v_rms);
    for (int64_t at = 0; at < w->count; at++) {
        int32_t place[3];
        if (w->node[at] != PL_NODE_MASS) continue;
        pl_euler_place(w, at, place);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1 * (w->lo[k] + place[k]), w->X[3 * at + k]);
        }
    }
}

static void test_free_fall(void)
{
    const double g[3] = {0, 0, -9.81};
    const pl_euler_options o = options_of(0.1, 4e-3, g);
    const pl_deformable_options d = soft(5e5, 0.3);
    double centre[2][3], P[3], L[3];
    create(&o);
    add("box:size=0.6,0.6,0.6", 0, 0, 0, &d);
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_momentum(euler, 0, P, L)); // puts it where it begins
    find_centre(0, centre[0]);
    run(100);
    find_centre(0, centre[1]);
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_momentum(euler, 0, P, L));
    double t = 0.4, mass = 1000 * 0.216;
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * mass, -9.81 * t * mass, P[2]);
    // Symplectic Euler is half a step ahead, and a cut cell's mass stands at its centre.
    TEST_ASSERT_DOUBLE_WITHIN(0.1 * 0.1 + 0.5 * 9.81 * t * 4e-3, -0.5 * 9.81 * t * t,
                              centre[1][2] - centre[0][2]);
}

// The longest wave of a free bar, v = sin(pi x / L) along it, with nu = 0: f = sqrt(E / rho) / (2
// L).
static void test_frequency_of_a_bar(void)
{
    const double L = 2, young = 1e6, dt = 1e-3;
    const pl_euler_options o = options_of(0.1, dt, NONE);
    const pl_deformable_options d = soft(young, 0);
    create(&o);
    add("box:size=2,0.4,0.4", 0, 0, 0, &d);
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_start(euler));
    pl_euler_window *w = &euler->body[0].now;
    for (int64_t at = 0; at < w->count; at++) {
        int32_t place[3];
        pl_euler_place(w, at, place);
        w->v[3 * at] = 0.05 * sin(3.14159265358979 * 0.1 * (w->lo[0] + place[0]) / L);
    }
    double before = 1, crossing[3];
    int32_t found = 0;
    for (int32_t i = 0; i < 400 && found < 3; i++) {
        run(1);
        w = &euler->body[0].now;
        double now = 0;
        for (int64_t at = 0; at < w->count; at++) {
            int32_t place[3];
            pl_euler_place(w, at, place);
            now +=
                w->m[at] * w->v[3 * at] * sin(3.14159265358979 * 0.1 * (w->lo[0] + place[0]) / L);
        }
        if (now * before < 0) crossing[found++] = dt * (i + fabs(before) / fabs(before - now));
        before = now;
    }
    TEST_ASSERT_EQUAL(3, found);
    double frequency = 1 / (crossing[2] - crossing[0]), exact = sqrt(young / 1000) / (2 * L);
    // 20 cells and symplectic Euler: the error is of second order in h / L.
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * exact, exact, frequency);
}

// --- Contact ---

static void two_blocks(const char *solver, int32_t threads)
{
    pl_euler_options o = options_of(0.1, 2e-3, NONE);
    pl_deformable_options d = soft(5e5, 0.3);
    o.solver = solver;
    o.threads = threads;
    create(&o);
    d.velocity[0] = 1;
    add("box:size=1,1,1", -0.55, 0, 0, &d);
    d.velocity[0] = -1;
    add("box:size=1,1,1", 0.56, 0.13, 0.04, &d);
}

static void test_blocks_collide_and_part(void)
{
    double P[2][3], L[2][3], before[3] = {0}, after[3] = {0}, energy = 1050; // from 1,000 J
    int32_t touched = 0;
    two_blocks("sp-schurpa", 1);
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_euler_momentum(euler, i, P[i], L[i]));
        for (int k = 0; k < 3; k++) before[k] += L[i][k];
    }
    pl_step_stats stats = {0};
    for (int32_t i = 0; i < 150; i++) {
        stats = run(1);
        touched += stats.contacts > 0;
        TEST_ASSERT_EQUAL(0, stats.rescues);
        TEST_ASSERT_TRUE_MESSAGE(stats.min_gap > -0.15 * 0.1, "overlap of 0.15 of a cell");
        double now = stats.kinetic_energy + stats.elastic_energy;
        TEST_ASSERT_TRUE_MESSAGE(now < energy, "energy grows");
        energy = 1.02 * now; // what is stored is that of the part before
    }
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_euler_momentum(euler, i, P[i], L[i]));
    }
    TEST_ASSERT_TRUE(touched > 10);
    TEST_ASSERT_EQUAL(0, stats.contacts);
    TEST_ASSERT_TRUE(P[0][0] < -500 && P[1][0] > 500);
    // 2,000 N s of momentum went to and fro.
    for (int k = 0; k < 3; k++) {
        after[k] = L[0][k] + L[1][k];
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * 2000, 0, P[0][k] + P[1][k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * 2000, before[k], after[k]);
    }
    TEST_ASSERT_TRUE_MESSAGE(energy > 800, "more than a fifth of the energy is lost");
}

// DIRECT and SCHURPA visit the same sets: as many of them, with the same changes.
static void test_schurpa_visits_what_direct_does(void)
{
    static pl_staggered_stats seen[2][40];
    static double f[2][3 * 2000];
    int32_t rows[2] = {0}, factors[2] = {0}, programs = 0, more = 0;
    for (int kind = 0; kind < 2; kind++) {
        two_blocks(kind == 0 ? "sp-direct" : "sp-schurpa", 1);
        run(25);
        for (int32_t i = 0; i < 40; i++) {
            run(1);
            seen[kind][i] = euler->staggered;
            factors[kind] += (int32_t)(euler->staggered.contact.sum.factorizations +
                                       euler->staggered.friction.sum.factorizations);
        }
        rows[kind] = euler->problem.n_constraint;
        memcpy(f[kind], euler->f, 3 * (size_t)rows[kind] * sizeof *euler->f);
        pl_euler_destroy(euler);
        euler = NULL;
    }
    TEST_ASSERT_EQUAL(rows[0], rows[1]);
    TEST_ASSERT_TRUE(rows[0] > 50);
    for (int32_t i = 0; i < 40; i++) {
        const pl_staggered_stats *a = &seen[0][i], *b = &seen[1][i];
        TEST_ASSERT_EQUAL(a->iterations, b->iterations);
        TEST_ASSERT_EQUAL_INT64(a->contact.sum.iterations, b->contact.sum.iterations);
        TEST_ASSERT_EQUAL_INT64(a->contact.sum.pivots, b->contact.sum.pivots);
        TEST_ASSERT_EQUAL_INT64(a->friction.sum.iterations, b->friction.sum.iterations);
        TEST_ASSERT_EQUAL_INT64(a->friction.sum.pivots, b->friction.sum.pivots);
        if (a->iterations == 0) continue;
        programs++;
        more += a->contact.sum.factorizations > 1;
        TEST_ASSERT_EQUAL_INT64(1 + b->contact.sum.resets, b->contact.sum.factorizations);
    }
    TEST_ASSERT_TRUE_MESSAGE(programs > 10 && more > 5, "too little contact to compare");
    TEST_ASSERT_TRUE(factors[1] < factors[0]);
    double size = 0, away = 0;
    for (int32_t i = 0; i < 3 * rows[0]; i++) {
        size = fmax(size, fabs(f[0][i]));
        away = fmax(away, fabs(f[0][i] - f[1][i]));
    }
    TEST_ASSERT_TRUE_MESSAGE(size > 0 && away < 1e-6 * size, "impulses differ");
}

static void test_bits_do_not_depend_on_threads(void)
{
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        two_blocks("sp-schurpa", i == 0 ? 1 : 3);
        hash[i] = run(80).hash;
        pl_euler_destroy(euler);
        euler = NULL;
    }
    TEST_ASSERT_EQUAL_UINT64(hash[0], hash[1]);
}

// A block on a plate under gravity that is tilted by the angle; how fast it slides after `steps`,
// and how many turns the solver took at most once it lay.
static double slide(double angle, double friction, int32_t steps, int32_t *turns)
{
    const double g[3] = {9.81 * sin(angle), 0, -9.81 * cos(angle)};
    const pl_euler_options o = options_of(0.1, 2e-3, g);
    pl_deformable_options d = soft(1e6, 0.3);
    double P[3], L[3];
    d.material.stiffness_damping = 4e-3;
    d.surface.friction = friction;
    create(&o);
    add("box:size=1,1,0.4", 0, 0, 0.2, &d);
    add_plate("box:size=4,2,0.4", -0.2, friction, NONE);
    *turns = 0;
    for (int32_t i = 0; i < steps; i++) {
        run(1);
        if (i > steps / 2) *turns = PL_MAX(*turns, euler->staggered.iterations);
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_momentum(euler, 0, P, L));
    double mass = euler->body[0].mass;
    pl_euler_destroy(euler);
    euler = NULL;
    return P[0] / mass;
}

static void test_friction_sticks_and_slips(void)
{
    int32_t turns;
    double angle = 0.3, t = 0.4;
    // tan 0.3 = 0.31
    double sticks = slide(angle, 0.5, 200, &turns);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0, sticks);
    TEST_ASSERT_TRUE_MESSAGE(turns <= 3, "a warm start takes more than three turns");
    double slips = slide(angle, 0.1, 200, &turns),
           exact = 9.81 * t * (sin(angle) - 0.1 * cos(angle));
    // It comes to lie on the plate in the first hundredths of a second.
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * exact, exact, slips);
    TEST_ASSERT_TRUE_MESSAGE(turns <= 3, "a warm start takes more than three turns");
}

// Under its own weight it comes to rest, and stays there.
static void test_a_ball_comes_to_rest(void)
{
    const double g[3] = {0, 0, -9.81};
    const pl_euler_options o = options_of(0.1, 2e-3, g);
    pl_deformable_options d = soft(3e5, 0.3);
    double centre[2][3];
    d.material.mass_damping = 15;
    create(&o);
    add("icosphere:radius=0.4:level=3", 0, 0, 0.4, &d);
    add_plate("box:size=2,2,0.4", -0.2, 1, NONE);
    run(350);
    find_centre(0, centre[0]);
    pl_step_stats stats = run(100);
    find_centre(0, centre[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, stats.v_rms);
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(0.005, centre[0][k], centre[1][k]); // a twentieth of a cell
    }
    TEST_ASSERT_TRUE(stats.min_gap > -0.01);
}

// A plate moves down on a ball, and away: it takes its shape again.
static void test_squeezed_and_released_it_returns(void)
{
    const pl_euler_options o = options_of(0.1, 4e-3, NONE);
    pl_deformable_options d = soft(2e5, 0.3);
    const pl_motion_key keys[3] = {
        {0, {0, 0, 0}, 0}, {0.2, {0, 0, -0.4}, 0}, {0.4, {0, 0, 0.1}, 0}};
    d.material.stiffness_damping = 0.01;
    d.surface.friction = 0.2;
    create(&o);
    add("icosphere:radius=0.5:level=3", 0, 0, 0, &d);
    add_plate("box:size=2,2,0.4", -0.72, 0.2, NONE);
    pl_kinematic_options k = pl_kinematic_options_default();
    k.motion.key = keys;
    k.motion.n_key = 3;
    k.motion.end = INFINITY;
    pl_mesh *mesh = shape("box:size=2,2,0.4", 0, 0, 0.72), *surface;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_euler_add_kinematic(euler, mesh, &k, NULL),
                              pl_error_text());
    pl_mesh_destroy(mesh);
    double lo[3], hi[3];
    run(50);
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_surface(euler, 0, 2, &surface));
    pl_mesh_bounds(surface, lo, hi);
    pl_mesh_destroy(surface);
    TEST_ASSERT_TRUE_MESSAGE(hi[2] - lo[2] < 0.7 && hi[0] - lo[0] > 1.05, "it is not squeezed");
    run(350);
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_surface(euler, 0, 2, &surface));
    pl_mesh_bounds(surface, lo, hi);
    double volume = pl_mesh_volume(surface);
    pl_mesh_destroy(surface);
    for (int i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(0.02, 1, hi[i] - lo[i]);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 4.0 / 3 * 3.14159265 * 0.125, volume);
}

// --- What programs see ---

static void test_surface_is_closed_and_in_place(void)
{
    const pl_euler_options o = options_of(0.1, 4e-3, NONE);
    const pl_deformable_options d = soft(2e5, 0.3);
    pl_mesh *surface;
    pl_surface_report report;
    create(&o);
    add("torus:radius=0.5:tube=0.2", 0.03, 0.02, 0.01, &d);
    double exact = euler->body[0].mass / d.material.density;
    for (int32_t refine = 1; refine <= 3; refine++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_euler_surface(euler, 0, refine, &surface),
                                  pl_error_text());
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_inspect(surface, &report));
        TEST_ASSERT_TRUE(report.closed);
        pl_surface_report_free(&report);
        // chords of the tube: h^2 / (8 r) = 3 % of r, so 6 % of its volume, a fourth of that for h
        // / 2
        double share = 0.08 / (refine * refine) + 0.02;
        TEST_ASSERT_DOUBLE_WITHIN(share * exact, exact, pl_mesh_volume(surface));
        pl_mesh_destroy(surface);
    }
    const double x[6] = {0.53, 0.02, 0.01, 5, 5, 5};
    double X[6];
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_reference(euler, 0, 2, x, X));
    for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, x[k], X[k]);
    TEST_ASSERT_TRUE(isnan(X[3]));
}

static void test_problem_is_the_one_that_was_solved(void)
{
    pl_problem *problem;
    two_blocks("sp-schurpa", 1);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_euler_problem(euler, &problem));
    run(65);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_euler_problem(euler, &problem), pl_error_text());
    TEST_ASSERT_EQUAL(euler->problem.n_constraint, problem->n_constraint);
    pl_problem_destroy(problem);
}

static void expect(pl_status status, const char *word, pl_status actual)
{
    TEST_ASSERT_EQUAL(status, actual);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), word), pl_error_text());
}

static void test_bad_input_is_named(void)
{
    pl_euler_options o = pl_euler_options_default();
    o.spacing = 0;
    expect(PL_ERROR_ARGUMENT, "spacing", pl_euler_create(&o, &euler));
    o = pl_euler_options_default();
    o.cfl = 1.5;
    expect(PL_ERROR_ARGUMENT, "cfl", pl_euler_create(&o, &euler));
    o = pl_euler_options_default();
    o.solver = "cr";
    expect(PL_ERROR_ARGUMENT, "diamonds", pl_euler_create(&o, &euler));
    o.solver = "sp-shurpa";
    expect(PL_ERROR_ARGUMENT, "sp-schurpa", pl_euler_create(&o, &euler));
    o = pl_euler_options_default();
    create(&o);
    pl_mesh *mesh = shape("box:size=1,1,1", 0, 0, 0);
    pl_deformable_options d = pl_deformable_options_default();
    expect(PL_ERROR_ARGUMENT, "material.kind", pl_euler_add_deformable(euler, mesh, &d, NULL));
    d = soft(-1, 0.3);
    expect(PL_ERROR_ARGUMENT, "young", pl_euler_add_deformable(euler, mesh, &d, NULL));
    pl_kinematic_options k = pl_kinematic_options_default();
    k.motion.rate = 1;
    expect(PL_ERROR_ARGUMENT, "do not turn", pl_euler_add_kinematic(euler, mesh, &k, NULL));
    d = soft(1e5, 0.3);
    TEST_ASSERT_EQUAL(PL_OK, pl_euler_add_deformable(euler, mesh, &d, NULL));
    run(1);
    expect(PL_ERROR_ARGUMENT, "before the first step",
           pl_euler_add_deformable(euler, mesh, &d, NULL));
    pl_mesh_destroy(mesh);
    expect(PL_ERROR_ARGUMENT, "body 7", pl_euler_surface(euler, 7, 1, &mesh));
}

static void test_a_step_that_fails_changes_nothing(void)
{
    pl_euler_options o = options_of(0.1, 2e-3, NONE);
    pl_deformable_options d = soft(5e5, 0.3);
    o.max_parts = 2;
    d.velocity[0] = 1;
    create(&o);
    add("box:size=0.6,0.6,0.6", 0, 0, 0, &d);
    run(3);
    uint64_t hash = pl_euler_hash(euler);
    euler->options.dt = 0.05; // needs far more parts
    expect(PL_ERROR_NUMERICS, "max_parts", pl_euler_step(euler, NULL));
    TEST_ASSERT_EQUAL_UINT64(hash, pl_euler_hash(euler));
    euler->options.dt = 2e-3;
    run(1);
}

static void test_a_steady_step_allocates_nothing(void)
{
    two_blocks("sp-schurpa", 1);
    pl_euler_destroy(euler);
    fail_nth(-1); // counts
    two_blocks("sp-schurpa", 1);
    run(70);
    allocations = 0;
    run(5);
    // windows that move, or more contacts than ever, may take more memory: not in most steps
    int64_t least = allocations;
    for (int32_t i = 0; i < 6; i++) {
        allocations = 0;
        run(1);
        least = PL_MIN(least, allocations);
    }
    pl_euler_destroy(euler);
    euler = NULL;
    fail_never();
    TEST_ASSERT_EQUAL_INT64(0, least);
}

static pl_status make_and_step(void *user)
{
    pl_euler *e;
    const pl_mesh *mesh = user;
    const pl_euler_options o = options_of(0.2, 2e-3, NONE);
    const pl_deformable_options d = soft(5e5, 0.3);
    pl_status status = pl_euler_create(&o, &e);
    if (status == PL_OK) status = pl_euler_add_deformable(e, mesh, &d, NULL);
    if (status == PL_OK) status = pl_euler_add_kinematic(e, mesh, NULL, NULL);
    if (status == PL_OK) status = pl_euler_step(e, NULL);
    pl_euler_destroy(e);
    return status;
}

static void test_every_allocation_may_fail(void)
{
    pl_mesh *mesh = shape("box:size=0.6,0.6,0.6", 0, 0, 0);
    fail_each_allocation(make_and_step, mesh);
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_distance_to_a_ball_and_a_box);
    RUN_TEST(test_an_open_surface_is_refused);
    RUN_TEST(test_part_of_a_tetrahedron);
    RUN_TEST(test_forces_are_those_of_the_stress);
    RUN_TEST(test_forces_are_derivatives_of_the_energy);
    RUN_TEST(test_translation_is_exact);
    RUN_TEST(test_rotation_is_of_first_order);
    RUN_TEST(test_momenta_are_kept_to_rounding);
    RUN_TEST(test_rest_stays_rest_to_the_bit);
    RUN_TEST(test_free_fall);
    RUN_TEST(test_frequency_of_a_bar);
    RUN_TEST(test_blocks_collide_and_part);
    RUN_TEST(test_schurpa_visits_what_direct_does);
    RUN_TEST(test_bits_do_not_depend_on_threads);
    RUN_TEST(test_friction_sticks_and_slips);
    RUN_TEST(test_a_ball_comes_to_rest);
    RUN_TEST(test_squeezed_and_released_it_returns);
    RUN_TEST(test_surface_is_closed_and_in_place);
    RUN_TEST(test_problem_is_the_one_that_was_solved);
    RUN_TEST(test_bad_input_is_named);
    RUN_TEST(test_a_step_that_fails_changes_nothing);
    RUN_TEST(test_a_steady_step_allocates_nothing);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
