// Rigid bodies: fall, angular momentum, energy and momentum, closed forms of free motion, what
// constraints do.

#include "../rigid/rigid.h"
#include "matrix3.h"
#include "worlds.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const double PI = 3.14159265358979323846;
static const pl_rigid_load NO_LOAD = {{0}, {0}, 0};

static void expect_near(const double *expected, const double *actual, int n, double within)
{
    for (int k = 0; k < n; k++) TEST_ASSERT_DOUBLE_WITHIN(within, expected[k], actual[k]);
}

static void random_vector(double length, double u[3])
{
    double square = 0;
    while (square < 0.01 || square > 1) {
        square = 0;
        for (int k = 0; k < 3; k++) {
            u[k] = random_between(-1, 1);
            square += u[k] * u[k];
        }
    }
    for (int k = 0; k < 3; k++) u[k] *= length / sqrt(square);
}

// A body with the given moments, at the origin.
static pl_rigid body_with(double a, double b, double c)
{
    return (pl_rigid){.mass = 1, .moment = {a, b, c}, .q = {1, 0, 0, 0}};
}

// Moments that a solid can have, in a ratio of up to about `ratio`; any orientation.
static pl_rigid random_body(double ratio)
{
    double c[3], u[3];
    for (int k = 0; k < 3; k++) c[k] = pow(ratio, random_between(-0.5, 0.5));
    pl_rigid body = body_with(c[1] + c[2], c[2] + c[0], c[0] + c[1]);
    random_vector(random_between(0, 6), u);
    pl_rotation_exp(u, body.q);
    return body;
}

static pl_rigid_system begin(const pl_rigid *body, const pl_rigid_load *load, double dt)
{
    pl_rigid_system system;
    pl_status status = pl_rigid_begin(body, load, dt, &system);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    return system;
}

static void step_free(pl_rigid *body, const pl_rigid_load *load, double dt)
{
    pl_rigid_system system = begin(body, load, dt);
    pl_rigid_advance(body, &system, system.u, NULL);
}

// The angular momentum in the body's frame.
static void body_spin(const pl_rigid *body, double p[3])
{
    double R[9];
    pl_rotation_matrix(body->q, R);
    pl_matrix_apply_back(R, body->angular_momentum, p);
}

// --- State ---

static void test_starts_where_the_mesh_is(void)
{
    pl_mesh *mesh = make_mesh("torus");
    double m[12], R[9];
    random_rotation(R);
    for (int k = 0; k < 12; k++) m[k] = k % 4 == 3 ? 5 + k : R[k / 4 * 3 + k % 4] * (1 + k % 4);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m)); // stretched, turned, moved
    const pl_weight weight = {.density = 3};
    pl_inertia inertia;
    TEST_ASSERT_EQUAL(PL_OK, pl_inertia_of_mesh(mesh, &weight, &inertia));
    pl_rigid body = pl_rigid_at_rest(&inertia);
    int32_t n = pl_mesh_vertex_count(mesh);
    double *r = malloc(3 * (size_t)n * sizeof *r), *x = malloc(3 * (size_t)n * sizeof *x);
    pl_rigid_local(&inertia, n, pl_mesh_positions(mesh), r);
    pl_rigid_points(&body, n, r, x);
    expect_near(pl_mesh_positions(mesh), x, 3 * n, 2e-14);
    double tensor[9];
    pl_rigid_tensor(&body, tensor);
    expect_near(inertia.tensor, tensor, 9, 1e-14 * largest3(tensor));
    free(r);
    free(x);
    pl_mesh_destroy(mesh);
}

// The tensor and the points turn together: inertia of the moved mesh is that of the moved body.
static void test_tensor_of_a_turned_body(void)
{
    pl_mesh *mesh = make_mesh("box:size=1,2,3:cells=1,1,1");
    const pl_weight weight = {.mass = 2};
    pl_inertia inertia, moved;
    TEST_ASSERT_EQUAL(PL_OK, pl_inertia_of_mesh(mesh, &weight, &inertia));
    pl_rigid body = pl_rigid_at_rest(&inertia);
    double w[3], R[9], tensor[9];
    random_vector(2, w);
    random_vector(3, body.v);
    pl_rigid_set_omega(&body, w);
    for (int i = 0; i < 10; i++) step_free(&body, &NO_LOAD, 0.1);
    pl_rotation_matrix(body.q, R);
    double m[12];
    for (int k = 0; k < 12; k++) m[k] = k % 4 == 3 ? body.x[k / 4] : R[k / 4 * 3 + k % 4];
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    TEST_ASSERT_EQUAL(PL_OK, pl_inertia_of_mesh(mesh, &weight, &moved));
    pl_rigid_tensor(&body, tensor);
    expect_near(moved.tensor, tensor, 9, 1e-13);
    expect_near(moved.centre, body.x, 3, 1e-13);
    pl_mesh_destroy(mesh);
}

static void test_velocity_and_omega(void)
{
    for (int round = 0; round < 100; round++) {
        pl_rigid body = random_body(100);
        double w[3], again[3], r[3], at[3], v[3], later[3], h = 1e-6;
        random_vector(1, w);
        random_vector(1, body.v);
        random_vector(2, body.x);
        random_vector(1, r);
        pl_rigid_set_omega(&body, w);
        pl_rigid_omega(&body, again);
        expect_near(w, again, 3, 1e-13);
        pl_rigid_points(&body, 1, r, at);
        pl_rigid_velocities(&body, 1, at, v);
        step_free(&body, &NO_LOAD, h);
        pl_rigid_points(&body, 1, r, later);
        for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-4, v[k], (later[k] - at[k]) / h);
    }
}

// --- Free motion ---

static void test_fall(void)
{
    pl_rigid body = body_with(1, 2, 2.5);
    body.mass = 3;
    body.v[0] = 0.7;
    const pl_rigid_load weight = {.force = {0, 0, -30}};
    for (int i = 0; i < 100; i++) step_free(&body, &weight, 0.01);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, -10, body.v[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, -10 * 1e-4 * 100 * 101 / 2, body.x[2]);
    TEST_ASSERT_EQUAL_DOUBLE(0.7, body.v[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.7, body.x[0]);
}

// At rest with nothing to do: not a bit changes.
static void test_rest(void)
{
    pl_rigid body = random_body(10), before = body;
    for (int i = 0; i < 10; i++) step_free(&body, &NO_LOAD, 0.01);
    TEST_ASSERT_EQUAL_MEMORY(&before, &body, sizeof body);
}

static void test_torque_and_damping(void)
{
    pl_rigid body = body_with(2, 3, 4);
    const pl_rigid_load push = {.torque = {0, 0, 8}};
    double angle = 0;
    for (int i = 1; i <= 50; i++) {
        step_free(&body, &push, 0.01);
        angle += 0.01 * 2 * 0.01 * i;
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4, body.angular_momentum[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, sin(angle / 2), body.q[3]);
    const pl_rigid_load slow = {.damping = 5};
    random_vector(3, body.v);
    random_vector(3, body.angular_momentum);
    pl_rigid before = body;
    for (int i = 0; i < 20; i++) step_free(&body, &slow, 0.01);
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, before.v[k] * pow(1.05, -20), body.v[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, before.angular_momentum[k] * pow(1.05, -20),
                                  body.angular_momentum[k]);
    }
}

// From slow to several turns per step, from balls to needles: the angular momentum keeps its bits,
// the energy its digits; both also by what the world sees, tensor times angular velocity.
static void test_free_bodies_keep_momentum_and_energy(void)
{
    const double angles[] = {1e-6, 0.01, 0.1, 0.5, 1, 3, 20};
    for (int i = 0; i < 7; i++) {
        for (int round = 0; round < 4; round++) {
            int steps = round == 0 ? 10000 : 1000;
            pl_rigid body = random_body(round == 3 ? 1e6 : 10);
            double w[3], spin[3], tensor[9], seen[3];
            random_vector(angles[i] / 0.01, w);
            pl_rigid_set_omega(&body, w);
            memcpy(spin, body.angular_momentum, sizeof spin);
            double energy = pl_rigid_kinetic_energy(&body), most = 0;
            for (int n = 0; n < steps; n++) {
                step_free(&body, &NO_LOAD, 0.01);
                most = fmax(most, fabs(pl_rigid_kinetic_energy(&body) - energy));
            }
            TEST_ASSERT_EQUAL_MEMORY(spin, body.angular_momentum, sizeof spin);
            // Rounding of some 1e-16 per rad and part of a turn, at random.
            TEST_ASSERT_DOUBLE_WITHIN(1e-12 * energy * fmax(1, angles[i]), 0, most);
            pl_rigid_omega(&body, w);
            pl_rigid_tensor(&body, tensor);
            pl_matrix_apply(tensor, w, seen);
            double size = sqrt(pl_dot(spin, spin)), fast = sqrt(pl_dot(w, w));
            expect_near(spin, seen, 3, 1e-14 * (size + largest3(tensor) * fast));
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1,
                                      body.q[0] * body.q[0] + pl_dot(body.q + 1, body.q + 1));
        }
    }
}

// Up to a turn of 1 rad it is one solution of (1) in rigid.c, found by a few Newton iterations.
static void test_turn_is_the_one_of_the_scheme(void)
{
    for (int round = 0; round < 1000; round++) {
        pl_rigid body = random_body(5);
        double w[3], p0[3], p1[3], R[9], u[3];
        random_vector(random_between(0, 1), w);
        pl_rigid_set_omega(&body, w);
        pl_rigid_system s = begin(&body, &NO_LOAD, 1);
        pl_rotation_matrix(body.q, R);
        pl_matrix_apply_back(R, s.u + 3, u);
        body_spin(&body, p0);
        pl_rigid_advance(&body, &s, s.u, NULL);
        body_spin(&body, p1);
        for (int k = 0; k < 3; k++)
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, (p0[k] + p1[k]) / 2, body.moment[k] * u[k]);
    }
}

// About a principal axis any step is exact, however far it turns.
static void test_principal_axis_is_exact(void)
{
    for (int axis = 0; axis < 3; axis++) {
        for (double rate = 1e-3; rate < 1e7; rate *= 10) {
            pl_rigid body = body_with(1, 2, 2.9);
            double w[3] = {0};
            w[axis] = rate;
            pl_rigid_set_omega(&body, w);
            for (int i = 0; i < 5; i++) step_free(&body, &NO_LOAD, 1);
            TEST_ASSERT_DOUBLE_WITHIN(1e-15 * (1 + rate), fabs(sin(2.5 * rate)),
                                      fabs(body.q[1 + axis]));
        }
    }
}

// The axis e of a symmetric body goes round L at |L| / a, where a is its moment across e. Returns
// the error of the place of e after one second [rad].
static double precession_error(int steps)
{
    pl_rigid body = body_with(2, 2, 3.5);
    const double w[3] = {1.5, 0, 4}, axis[3] = {0, 0, 1};
    pl_rigid_set_omega(&body, w);
    double size = sqrt(pl_dot(body.angular_momentum, body.angular_momentum)), turn[3], q[4],
           expected[3], e[3], d[3];
    for (int k = 0; k < 3; k++) turn[k] = body.angular_momentum[k] / 2;
    pl_rotation_exp(turn, q);
    pl_rotation_displace(q, axis, expected);
    expected[2] += 1;
    for (int i = 0; i < steps; i++) step_free(&body, &NO_LOAD, 1.0 / steps);
    pl_rigid_points(&body, 1, axis, e);
    // The cone keeps its angle.
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 3.5 * 4 / size, pl_dot(body.angular_momentum, e) / size);
    pl_subtract(e, expected, d);
    return sqrt(pl_dot(d, d));
}

static void test_precession(void)
{
    double last = precession_error(100);
    TEST_ASSERT_TRUE(last < 2e-3);
    for (int steps = 200; steps <= 1600; steps *= 2) {
        double error = precession_error(steps);
        TEST_ASSERT_DOUBLE_WITHIN(0.05, 4, last / error); // second order
        last = error;
    }
}

// Arithmetic-geometric mean: the complete elliptic integral K(k) = pi / (2 agm(1, sqrt(1 - k^2))).
static double elliptic_k(double square)
{
    double a = 1, b = sqrt(1 - square);
    for (int i = 0; i < 40; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return PI / (2 * a);
}

// How long a body that is spun about its middle axis takes to flip over and back; closed form, and
// measured between passes of the first component of the angular momentum through 0.
static double flip_period(double dt, double *closed_form)
{
    pl_rigid body = body_with(1, 2, 2.8);
    const double w[3] = {0.02, 5, 0.03};
    pl_rigid_set_omega(&body, w);
    const double *J = body.moment;
    double L2 = pl_dot(body.angular_momentum, body.angular_momentum),
           E2 = 2 * pl_rigid_kinetic_energy(&body);
    // Landau & Lifshitz, Mechanics, 37: for L^2 > 2 E J2; otherwise axes 1 and 3 change places.
    double J1 = J[0], J3 = J[2];
    if (L2 < E2 * J[1]) J1 = J[2], J3 = J[0];
    double rate = sqrt((J3 - J[1]) * (L2 - E2 * J1) / (J1 * J[1] * J3));
    double k2 = (J[1] - J1) * (E2 * J3 - L2) / ((J3 - J[1]) * (L2 - E2 * J1));
    *closed_form = 4 * elliptic_k(k2) / rate;
    double before[3], p[3], first = -1;
    body_spin(&body, before);
    for (int i = 1; i < 1000000; i++) {
        step_free(&body, &NO_LOAD, dt);
        body_spin(&body, p);
        if (before[1] < 0 && p[1] >= 0) { // the middle axis comes back
            double t = dt * (i - p[1] / (p[1] - before[1]));
            if (first >= 0) return t - first;
            first = t;
        }
        memcpy(before, p, sizeof p);
    }
    TEST_FAIL_MESSAGE("never flips");
    return 0;
}

static void test_flips_about_the_middle_axis(void)
{
    double exact, last = 0;
    for (double dt = 0.02; dt > 0.002; dt /= 2) {
        double error = flip_period(dt, &exact) - exact;
        TEST_ASSERT_DOUBLE_WITHIN(0.01 * exact, 0, error);
        if (last != 0) TEST_ASSERT_DOUBLE_WITHIN(0.3, 4, last / error);
        last = error;
    }
}

static void orientation_after(int steps, double q[4])
{
    pl_rigid body = body_with(1, 2, 2.8);
    const double w[3] = {2, 3, -1};
    pl_rigid_set_omega(&body, w);
    for (int i = 0; i < steps; i++) step_free(&body, &NO_LOAD, 2.0 / steps);
    memcpy(q, body.q, sizeof body.q);
}

static void test_second_order(void)
{
    double exact[4], q[4], last = 0;
    orientation_after(50000, exact);
    for (int steps = 50; steps <= 800; steps *= 2) {
        orientation_after(steps, q);
        double square = 0;
        for (int k = 0; k < 4; k++) square += (q[k] - exact[k]) * (q[k] - exact[k]);
        if (last > 0) TEST_ASSERT_DOUBLE_WITHIN(0.15, 4, last / sqrt(square));
        last = sqrt(square);
    }
    TEST_ASSERT_TRUE(last < 1e-4);
}

// A film of free motion, run backwards, ends where it began.
static void test_reversible(void)
{
    for (int round = 0; round < 10; round++) {
        pl_rigid body = random_body(5), start;
        double w[3];
        random_vector(30, w);
        pl_rigid_set_omega(&body, w);
        random_vector(1, body.v);
        start = body;
        for (int i = 0; i < 100; i++) step_free(&body, &NO_LOAD, 0.01);
        for (int k = 0; k < 3; k++) {
            body.v[k] = -body.v[k];
            body.angular_momentum[k] = -body.angular_momentum[k];
        }
        for (int i = 0; i < 100; i++) step_free(&body, &NO_LOAD, 0.01);
        expect_near(start.q, body.q, 4, 1e-11);
        expect_near(start.x, body.x, 3, 1e-13);
    }
}

// --- The system ---

static void test_system_is_symmetric_positive_definite(void)
{
    for (int round = 0; round < 200; round++) {
        pl_rigid body = random_body(1e4);
        pl_rigid_load load = {.damping = random_between(0, 3)};
        double w[3], x[3], Ax[3];
        random_vector(random_between(0, 200), w);
        random_vector(1, load.force);
        random_vector(1, load.torque);
        pl_rigid_set_omega(&body, w);
        pl_rigid_system s = begin(&body, &load, 0.01);
        for (int block = 0; block < 2; block++) {
            const double *A = s.A + 9 * block;
            TEST_ASSERT_EQUAL_DOUBLE(A[1], A[3]);
            TEST_ASSERT_EQUAL_DOUBLE(A[2], A[6]);
            TEST_ASSERT_EQUAL_DOUBLE(A[5], A[7]);
            TEST_ASSERT_TRUE(determinant3(A) > 0);
            random_vector(1, x);
            pl_matrix_apply(A, x, Ax);
            TEST_ASSERT_TRUE(pl_dot(x, Ax) > 0);
            pl_matrix_apply(A, s.u + 3 * block, Ax);
            expect_near(s.b + 3 * block, Ax, 3, 1e-14 * largest3(A) * (1 + 200));
        }
        for (int k = 0; k < 3; k++) // the momentum of the centre by itself
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, body.mass * body.v[k] + 0.01 * load.force[k], s.b[k]);
    }
}

// What a solver's velocities and the impulses behind them say is the same.
static void test_impulse(void)
{
    pl_rigid one = random_body(10), two;
    const pl_rigid_load load = {.force = {1, 2, 3}, .torque = {0.1, 0, 0}, .damping = 2};
    double w[3], impulse[6], u[6];
    random_vector(20, w);
    pl_rigid_set_omega(&one, w);
    random_vector(1, one.v);
    const pl_rigid before = two = one;
    pl_rigid_system s = begin(&one, &load, 0.01);
    for (int k = 0; k < 6; k++) u[k] = s.u[k] + random_between(-1, 1);
    for (int k = 0; k < 6; k++) {
        const double *row = s.A + 3 * k, *x = u + k / 3 * 3;
        impulse[k] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] - s.b[k];
    }
    pl_rigid_advance(&one, &s, u, NULL);
    pl_rigid_advance(&two, &s, u, impulse);
    for (int k = 0; k < 3; k++) { // (1 + dt damping) times the momentum is all that was given
        double v = (before.v[k] + 0.01 * load.force[k] + impulse[k]) / 1.02;
        double spin = (before.angular_momentum[k] + 0.01 * load.torque[k] + impulse[3 + k]) / 1.02;
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, v, two.v[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, spin, two.angular_momentum[k]);
    }
    expect_near(one.angular_momentum, two.angular_momentum, 3, 1e-12);
    expect_near(one.v, two.v, 3, 1e-13);
    TEST_ASSERT_EQUAL_MEMORY(one.q, two.q, sizeof one.q);
    TEST_ASSERT_EQUAL_MEMORY(one.x, two.x, sizeof one.x);
}

// Two bodies that kick each other at a common point, step after step: what they have together,
// about the origin, stays.
static void test_exchange_keeps_momentum(void)
{
    pl_rigid body[2] = {random_body(10), random_body(10)};
    double total[6] = {0}, size = 0;
    for (int step = 0; step <= 1000; step++) {
        double sum[6] = {0}, kick[3], point[3];
        for (int i = 0; i < 2; i++) {
            if (step == 0) {
                double w[3];
                random_vector(20, w);
                pl_rigid_set_omega(&body[i], w);
                random_vector(1, body[i].v);
                random_vector(2, body[i].x);
            }
            double orbital[3];
            pl_cross(body[i].x, body[i].v, orbital);
            for (int k = 0; k < 3; k++) {
                sum[k] += body[i].mass * body[i].v[k];
                sum[3 + k] += body[i].mass * orbital[k] + body[i].angular_momentum[k];
            }
            size += step == 0 ? sqrt(pl_dot(body[i].angular_momentum, body[i].angular_momentum)) + 2
                              : 0;
        }
        if (step == 0) memcpy(total, sum, sizeof total);
        expect_near(total, sum, 6, 1e-12 * size);
        random_vector(0.1, kick);
        random_vector(1, point);
        for (int i = 0; i < 2; i++) {
            pl_rigid_system s = begin(&body[i], &NO_LOAD, 0.01);
            double lever[3], impulse[6], u[6];
            pl_subtract(point, body[i].x, lever);
            for (int k = 0; k < 3; k++) impulse[k] = i == 0 ? kick[k] : -kick[k];
            pl_cross(lever, impulse, impulse + 3);
            for (int k = 0; k < 6; k++) u[k] = s.u[k];
            for (int k = 0; k < 3; k++) u[k] += impulse[k] / body[i].mass;
            pl_rigid_advance(&body[i], &s, u, impulse); // u[3..5] as a poor solver leaves them
        }
    }
}

// A row that stops a body's turning altogether leaves nearly nothing of it, also at large steps.
static void test_stopped_body_stays(void)
{
    for (int round = 0; round < 300; round++) {
        pl_rigid body = random_body(10);
        double w[3], u[6] = {0};
        random_vector(0.3, w);
        pl_rigid_set_omega(&body, w);
        double energy = pl_rigid_kinetic_energy(&body);
        pl_rigid_system s = begin(&body, &NO_LOAD, 1);
        pl_rigid_advance(&body, &s, u, NULL);
        // (1 - cos 0.15) of the angular momentum is left at most, which may lie along a lighter
        // axis.
        TEST_ASSERT_TRUE(pl_rigid_kinetic_energy(&body) < 1e-3 * energy);
    }
}

// Rows that take energy in the solver's eyes, in all directions: what they may make of it is of
// second order in the turn of the step.
static void test_rows_make_little_energy(void)
{
    for (int round = 0; round < 20000; round++) {
        double angle = random_between(0, 0.8), w[3], d[3], x[3], u[6];
        pl_rigid body = random_body(10);
        random_vector(angle, w);
        pl_rigid_set_omega(&body, w);
        double energy = pl_rigid_kinetic_energy(&body);
        pl_rigid_system s = begin(&body, &NO_LOAD, 1);
        // The velocity along A x is taken out: lambda x = A^-1 (the row).
        random_vector(1, x);
        pl_matrix_apply(s.A + 9, x, d);
        double lambda = pl_dot(d, s.u + 3) / pl_dot(d, x);
        memcpy(u, s.u, sizeof u);
        for (int k = 0; k < 3; k++) u[3 + k] -= lambda * x[k];
        pl_rigid_advance(&body, &s, u, NULL);
        TEST_ASSERT_TRUE(pl_rigid_kinetic_energy(&body) <= energy * (1 + 0.1 * angle * angle));
    }
}

static void solve3(const double A[9], const double f[3], double x[3])
{
    for (int c = 0; c < 3; c++) { // Cramer's rule
        double B[9];
        memcpy(B, A, sizeof B);
        for (int k = 0; k < 3; k++) B[3 * k + c] = f[k];
        x[c] = determinant3(B) / determinant3(A);
    }
}

// A step in which the point r of the body's frame ends at the origin. The impulse acts on the lever
// arm at the start of the step, and is found by iteration, since the place at its end is not linear
// in u.
static void step_pinned(pl_rigid *body, const double r[3], const pl_rigid_load *load, double dt)
{
    pl_rigid_system s = begin(body, load, dt);
    double R[9], lever[3], u[6], impulse[6] = {0};
    pl_rotation_matrix(body->q, R);
    pl_matrix_apply(R, r, lever);
    memcpy(u, s.u, sizeof u);
    for (int round = 0; round < 5; round++) {
        pl_rigid end = *body;
        double gap[3], W[9], kick[3];
        pl_rigid_advance(&end, &s, u, impulse);
        pl_rigid_points(&end, 1, r, gap);
        for (int c = 0; c < 3; c++) { // by columns: how the point answers a unit impulse
            double e[3] = {0}, torque[3], w[3], v[3];
            e[c] = 1;
            pl_cross(lever, e, torque);
            solve3(s.A + 9, torque, w);
            pl_cross(w, lever, v);
            for (int k = 0; k < 3; k++) W[3 * k + c] = -dt * (v[k] + e[k] / s.A[0]);
        }
        solve3(W, gap, kick);
        double torque[3], w[3];
        pl_cross(lever, kick, torque);
        solve3(s.A + 9, torque, w);
        for (int k = 0; k < 3; k++) {
            u[k] += kick[k] / s.A[0];
            u[3 + k] += w[k];
            impulse[k] += kick[k];
            impulse[3 + k] += torque[k];
        }
    }
    pl_rigid_advance(body, &s, u, impulse);
}

// A top on its tip in steady precession: with the moments c about its axis and a across it through
// the tip, c w Omega - a Omega^2 cos(tilt) = m g l. Turns of 0.19 rad per step, for 4 seconds.
static void test_top(void)
{
    const double l = 0.1, g = 9.81, tilt = 0.5, precession = 3, c = 0.004, a = 0.01 + l * l;
    double rate = (g * l + a * precession * precession * cos(tilt)) / (c * precession);
    const double turn[3] = {0, tilt, 0}, tip[3] = {0, 0, -l}, axis[3] = {sin(tilt), 0, cos(tilt)};
    const pl_rigid_load weight = {.force = {0, 0, -g}};
    pl_rigid body = body_with(0.01, 0.01, c);
    double w[3], angle = 0;
    pl_rotation_exp(turn, body.q);
    for (int k = 0; k < 3; k++) {
        body.x[k] = l * axis[k];
        w[k] = (k == 2 ? precession : 0) + (rate - precession * cos(tilt)) * axis[k];
    }
    pl_rigid_set_omega(&body, w);
    pl_cross(w, body.x, body.v);
    double energy = pl_rigid_kinetic_energy(&body) + g * body.x[2];
    for (int i = 0; i < 2000; i++) {
        double before[3];
        memcpy(before, body.x, sizeof before);
        step_pinned(&body, tip, &weight, 0.002);
        angle += atan2(before[0] * body.x[1] - before[1] * body.x[0],
                       before[0] * body.x[0] + before[1] * body.x[1]);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3, tilt, acos(body.x[2] / l)); // of first order in dt
        double now = pl_rigid_kinetic_energy(&body) + g * body.x[2];
        TEST_ASSERT_DOUBLE_WITHIN(1e-5 * energy, energy, now);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * precession, precession, angle / 4);
}

// --- Failures ---

static void test_refuses(void)
{
    pl_rigid_system s;
    pl_rigid body = body_with(1, 2, 2.5);
    body.angular_momentum[1] = NAN;
    expect_failure(PL_ERROR_NUMERICS, pl_rigid_begin(&body, &NO_LOAD, 0.01, &s), "not finite");
    body.angular_momentum[1] = 0;
    body.v[0] = INFINITY;
    expect_failure(PL_ERROR_NUMERICS, pl_rigid_begin(&body, &NO_LOAD, 0.01, &s), "not finite");
    body.v[0] = 0;
    const pl_rigid_load bad = {.torque = {NAN, 0, 0}};
    expect_failure(PL_ERROR_NUMERICS, pl_rigid_begin(&body, &bad, 0.01, &s), "not finite");
    const double w[3] = {1e6, 1e6, 0};
    pl_rigid_set_omega(&body, w);
    expect_failure(PL_ERROR_NUMERICS, pl_rigid_begin(&body, &NO_LOAD, 0.01, &s), "turns by 14142");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_starts_where_the_mesh_is);
    RUN_TEST(test_tensor_of_a_turned_body);
    RUN_TEST(test_velocity_and_omega);
    RUN_TEST(test_fall);
    RUN_TEST(test_rest);
    RUN_TEST(test_torque_and_damping);
    RUN_TEST(test_free_bodies_keep_momentum_and_energy);
    RUN_TEST(test_turn_is_the_one_of_the_scheme);
    RUN_TEST(test_principal_axis_is_exact);
    RUN_TEST(test_precession);
    RUN_TEST(test_flips_about_the_middle_axis);
    RUN_TEST(test_second_order);
    RUN_TEST(test_reversible);
    RUN_TEST(test_system_is_symmetric_positive_definite);
    RUN_TEST(test_impulse);
    RUN_TEST(test_exchange_keeps_momentum);
    RUN_TEST(test_stopped_body_stays);
    RUN_TEST(test_rows_make_little_energy);
    RUN_TEST(test_top);
    RUN_TEST(test_refuses);
    return UNITY_END();
}
