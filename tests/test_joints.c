// Joints, motors, limits and springs: every solver that knows their laws, against dense solutions,
// a slow oracle, and formulas of mechanics.

#include "joints.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

// Solvers that know boxes and compliance.
static int32_t list_ways(way *out)
{
    int32_t n = 0;
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        unsigned all = PL_CAN_CONE | PL_CAN_BOX | PL_CAN_COMPLIANCE;
        if ((pl_solver_at(i)->can & all) == all)
            out[n++] = (way){pl_solver_at(i)->name, PL_PRECOND_FULL};
    }
    TEST_ASSERT_TRUE(n >= 2);
    return n;
}

// 1e-10 m/s in steps of 10 ms are 1e-12 m. Sweeps over plain cones leave 1e-12 of their impulse's
// velocity (REGULARIZE in sweeps.c), those over joints do not.
static const double EPS = 1e-13, EPS_CONES = 1e-12, CLOSE = 1e-10;

// All solvers come to v (3*A.n), from rest and from where the last one ended.
static void check_all(small *s, const double *v, double eps, double close)
{
    way all[16];
    int32_t n = list_ways(all);
    for (int32_t w = 0; w < n; w++) {
        solve_anew(s, all[w], eps, eps);
        for (int i = 0; i < 3 * s->A.n; i++) {
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(close, v[i], s->v[i], all[w].solver);
        }
        if (getenv("PL_SHOW") != NULL) {
            printf("%8s %4d iterations %3lld factors, joint %.1e residual %.1e\n", all[w].solver,
                   s->stats.iterations, (long long)s->stats.factorizations, s->stats.errors.joint,
                   s->stats.errors.residual);
        }
        pl_status status = solve_small(s, all[w], 10 * eps, 10 * eps); // warm
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    }
}

static void check_dense(small *s)
{
    double *v = random_vector(3 * s->A.n), *f = random_vector(3 * s->problem.n_constraint);
    dense_joints(&s->problem, v, f);
    check_all(s, v, EPS, CLOSE);
    free(v), free(f);
}

static void check_oracle(small *s, double close)
{
    reduced r = reduce(&s->problem, s->v);
    long double *f = calloc((size_t)r.m, sizeof *f);
    double *v = random_vector(r.n);
    slow_solve(&s->problem, &r, f);
    velocities_of(&r, f, v);
    check_all(s, v, EPS_CONES, close);
    free(f), free(v);
    free_reduced(&r);
}

// --- Joints ---

static void test_a_ball_joint(void)
{
    for (int trial = 0; trial < 5; trial++) {
        small s;
        start_bodies(&s, 2, (double[]){1, 1 + trial}, 0.01);
        add_ball(&s, 0, (double[]){0.3, -0.1, 0.2}, 1, (double[]){-0.2, 0.4, 0.1}, &BILATERAL);
        for (int i = 0; i < 3; i++) s.problem.constraint[0].c[i] = 0.1 * random_number();
        check_dense(&s);
        end_small(&s);
    }
}

static void test_a_hinge(void)
{
    small s;
    start_bodies(&s, 2, (double[]){2, 1}, 0.01);
    add_hinge(&s, 0, (double[]){0.3, -0.1, 0.2}, 1, (double[]){-0.2, 0.4, 0.1},
              (double[]){1, 2, 0.5});
    check_dense(&s);
    // It turns about its axis and no other way.
    const double *a = s.v + 3, *b = s.v + 9, d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    double along = (d[0] + 2 * d[1] + 0.5 * d[2]) / sqrt(5.25);
    TEST_ASSERT_TRUE(fabs(along) > 0.01);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, along * along, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    end_small(&s);
}

static void test_chains(void)
{
    for (int hinges = 0; hinges < 2; hinges++) {
        small s;
        start_chain(&s, 6, (double[]){1, 2, 1, 1.5, 1, 3}, hinges);
        check_dense(&s);
        end_small(&s);
    }
}

// --- Bounds ---

// A wheel on an axle through its centre: the motor brings it to its speed, or does what it can.
static void test_a_motor_has_its_strength(void)
{
    for (int strong = 0; strong < 2; strong++) {
        small s;
        pl_limits motor = BILATERAL;
        double strength = strong ? 10 : 0.2, before = 1.5, speed = 4, v[6] = {0};
        motor.lo[0] = -strength, motor.hi[0] = strength;
        start_masses(&s, 2, (double[]){1, 0.5}, 0.01); // a wheel with an inertia of 0.5
        s.b[5] = 0.5 * before;
        add_ball(&s, 0, (double[]){0, 0, 0}, -1, (double[]){0, 0, 0}, &BILATERAL);
        add_turning(&s, 0, -1, (double[]){0, 0, 1}, speed, &motor);
        v[5] = strong ? speed : before + strength / 0.5;
        check_all(&s, v, EPS, CLOSE);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, strong ? 0.5 * (speed - before) : strength, s.f[3]);
        end_small(&s);
    }
}

// 0 .. INFINITY in the first row only is a contact without friction.
static void test_a_unilateral_row_is_a_contact(void)
{
    const pl_limits unilateral = {PL_LAW_BOX, {0}, {0, 0, 0}, {INFINITY, 0, 0}, 0, false};
    for (int trial = 0; trial < 10; trial++) {
        small a, b;
        random_state = 7 + (uint64_t)trial;
        start_random(&a, 6, 5, 0);
        random_state = 7 + (uint64_t)trial;
        start_random(&b, 6, 0, 0);
        for (int k = 0; k < 5; k++) {
            const pl_constraint *c = a.problem.constraint + k;
            pl_term term[8];
            for (int t = 0; t < c->count; t++) term[t] = pl_problem_term(&a.problem, c->first + t);
            add_limited(&b, c, &unilateral, c->count, term);
        }
        memcpy(b.b, a.b, 18 * sizeof *a.b);
        solve_anew(&a, (way){"apg", PL_PRECOND_FULL}, EPS_CONES, EPS_CONES);
        check_all(&b, a.v, EPS, 1e-9);
        end_small(&a), end_small(&b);
    }
}

// Joints, limits, motors, soft ones and contacts with friction, on bodies that turn.
static void test_everything_together(void)
{
    for (int trial = 0; trial < 12; trial++) {
        small s;
        start_bodies(&s, 3, (double[]){1, 2, 1}, 0.01);
        pl_limits limits = BILATERAL, soft = {.law = PL_LAW_CONE, .compliance = {0.1, 0.2, 0.2}};
        limits.compliance[1] = trial % 2 == 0 ? 0.3 : 0;
        add_ball(&s, 0, (double[]){0.3, -0.1, 0.2}, 1, (double[]){-0.2, 0.4, 0.1}, &limits);
        limits = (pl_limits){PL_LAW_BOX, {0, 0, 0.1}, {-0.1, 0, 0}, {0.1, INFINITY, 0}, 0, false};
        add_turning(&s, 0, 1, (double[]){1, 0, 1}, 0.5, &limits);
        for (int k = 0; k < 4; k++) {
            pl_constraint contact = random_contact(0.3);
            const pl_term term[2] = {{2 * (k % 3), 1, {0}},
                                     {2 * (k % 3) + 1, 0, {0.3, random_number(), -0.2}}};
            add_limited(&s, &contact, k == 2 ? &soft : NULL, 2, term);
        }
        check_oracle(&s, 1e-8);
        end_small(&s);
    }
}

// --- Springs ---

// A mass on a spring with a damper, in steps of implicit Euler: m (v' - v) = h (g - k x' - b v'),
// x' = x + h v'.
static void test_a_soft_row_is_a_spring_with_a_damper(void)
{
    const double h = 0.01, m = 2, k = 300, b = 5, g = -20;
    const double gamma = h * k / (b + h * k);
    way all[16];
    int32_t n = list_ways(all);
    for (int32_t w = 0; w < n; w++) {
        double x = 0.1, v = 0.4, xe = x, ve = v;
        for (int step = 0; step < 20; step++) {
            small s;
            pl_constraint row = contact_along(0, 0, 1, 0);
            const pl_limits limits = {
                PL_LAW_BOX, {1 / (h * b + h * h * k), 0, 0}, {-INFINITY, 0, 0}, {INFINITY, 0, 0}, 0,
                false};
            start_masses(&s, 1, &m, h);
            s.b[2] = m * v + h * g;
            row.c[0] = -gamma * x / h;
            add_limited(&s, &row, &limits, 1, &(pl_term){0, 1, {0}});
            solve_anew(&s, all[w], EPS, EPS);
            v = s.v[2];
            x += h * v;
            ve = (m * ve + h * g - h * k * xe) / (m + h * b + h * h * k);
            xe += h * ve;
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, ve, v);
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, h * (-k * xe - b * ve), s.f[0]);
            end_small(&s);
        }
    }
}

// --- Deformable bodies ---

static void test_joints_of_vertices(void)
{
    small s;
    grid_matrix(3, 1, &s.A);
    start_small(&s, 0.01);
    for (int32_t i = 0; i < 3 * s.A.n; i++) s.b[i] = random_number();
    for (int32_t i = 0; i < 9; i += 2) {
        pl_constraint frame = random_contact(0);
        pl_limits limits = BILATERAL;
        limits.compliance[i % 3] = 0.01 * (i % 3);
        if (i == 4) limits.lo[1] = limits.hi[1] = 0;
        add_limited(&s, &frame, &limits, 2, (pl_term[]){{i, 1, {0}}, {i + 14, -0.5, {0}}});
    }
    check_dense(&s);
    end_small(&s);
}

// A solve that knows of the matrix from the last one: bounds and compliance are in its units at
// once.
static void test_the_same_matrix_again(void)
{
    small s;
    const pl_solver *solver;
    grid_matrix(3, 1, &s.A);
    start_small(&s, 0.01);
    for (int32_t i = 0; i < 3 * s.A.n; i++) s.b[i] = random_number();
    for (int32_t i = 0; i < 9; i++) {
        pl_constraint frame = random_contact(0);
        pl_limits limits = {PL_LAW_BOX, {0.2, 0.1, 0}, {-INFINITY, -0.1, 0}, {INFINITY, 0.1, 0},
                            0,          false};
        add_limited(&s, &frame, &limits, 1, &(pl_term){i, 1, {0}});
    }
    double *v = random_vector(3 * s.A.n);
    way all[16];
    int32_t n = list_ways(all);
    for (int32_t w = 0; w < n; w++) {
        solve_anew(&s, all[w], 1e-6, 1e-8);
        memcpy(v, s.v, 3 * (size_t)s.A.n * sizeof *v);
        set_to_rest(&s);
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(all[w].solver, &solver));
        pl_solver_options options = pl_solver_options_default();
        options.residual_tolerance = 1e-6,
        options.contact_tolerance = 1e-8; // loose: rounding would let apg look for units again
        options.same_matrix = true;
        pl_status status = pl_solve(solver, &s.problem, &options, &s.ws, s.v, s.f, &s.stats);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        for (int i = 0; i < 3 * s.A.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-4, v[i], s.v[i]);
    }
    free(v);
    end_small(&s);
}

// Vertices are held, pushed and rubbed at once, and one block is prescribed.
static void test_joints_and_contacts_of_vertices(void)
{
    small s;
    grid_matrix(3, 1, &s.A);
    start_small(&s, 0.01);
    s.prescribed[26] = 1;
    s.v[80] = 0.1;
    for (int32_t i = 0; i < 3 * s.A.n; i++) s.b[i] = random_number() - (i % 3 == 2);
    for (int32_t i = 0; i < 9; i++) {
        pl_constraint contact = contact_along(0.1 * random_number(), 0.1 * random_number(), 1, 0.4);
        pl_limits limits = {PL_LAW_BOX, {0}, {-0.1, -INFINITY, 0}, {0.1, INFINITY, 0}, 0, false};
        if (i % 3 == 0) {
            add_limited(&s, &contact, &limits, 2, (pl_term[]){{i, 1, {0}}, {26, -1, {0}}});
        } else {
            add_contact(&s, &contact, 1, &(pl_term){i, 1, {0}});
        }
    }
    check_oracle(&s, 1e-9);
    end_small(&s);
}

// --- What is refused ---

static void test_solvers_say_what_they_cannot(void)
{
    small s;
    const pl_solver *solver;
    start_bodies(&s, 2, (double[]){1, 1}, 0.01);
    add_ball(&s, 0, (double[]){0.3, 0, 0}, 1, (double[]){-0.3, 0, 0}, &BILATERAL);
    const char *cannot[] = {"cr", "minres", "sp-cr", "sp-as"};
    for (int i = 0; i < 4; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s cannot do box constraints; apg, ", cannot[i]);
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(cannot[i], &solver));
        TEST_ASSERT_EQUAL_UINT(PL_CAN_CONE, solver->can);
        way w = {cannot[i], PL_PRECOND_FULL};
        TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, solve_small(&s, w, 1e-6, 1e-6));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), text), pl_error_text());
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), " can"), pl_error_text());
    }
    s.problem.limits[0] = (pl_limits){.law = PL_LAW_CONE, .compliance = {0.1, 0, 0}};
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, solve_small(&s, (way){"cr", PL_PRECOND_FULL}, 1e-6, 1e-6));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "cr cannot do compliance; apg"),
                                 pl_error_text());
    // A cone without compliance is a cone.
    s.problem.limits[0].compliance[0] = 0;
    TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, (way){"cr", PL_PRECOND_FULL}, 1e-6, 1e-6));
    end_small(&s);
}

// Both bodies of a joint move as they are told to, and not as one.
static void test_a_joint_that_cannot_hold(void)
{
    small s;
    way all[16];
    int32_t n = list_ways(all);
    start_bodies(&s, 2, (double[]){1, 1}, 0.01);
    add_ball(&s, 0, (double[]){0.3, 0, 0}, 1, (double[]){-0.3, 0, 0}, &BILATERAL);
    memset(s.prescribed, 1, 4);
    s.v[0] = 0.5;
    for (int32_t w = 0; w < n; w++) {
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, all[w], 1e-6, 1e-6));
        TEST_ASSERT_EQUAL(PL_SOLVE_IMPOSSIBLE, s.stats.end);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "constraint 0 is off by"),
                                     pl_error_text());
    }
    s.problem.limits[0].lo[0] = -1, s.problem.limits[0].hi[0] = 1; // gives way
    for (int a = 1; a < 3; a++) s.problem.limits[0].compliance[a] = 1;
    for (int32_t w = 0; w < n; w++) {
        TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, all[w], 1e-6, 1e-6));
    }
    end_small(&s);
}

// --- Threads, memory ---

static void test_threads_do_not_change_bits(void)
{
    enum { N = 1200 };
    double mass[N];
    small s;
    way all[16];
    int32_t n_way = list_ways(all);
    for (int i = 0; i < N; i++) mass[i] = 1 + i % 3;
    start_bodies(&s, N, mass, 0.01);
    for (int i = 0; i < N; i++) {
        const double r[3] = {0.3, 0.1, 0.2}, q[3] = {-0.3, 0, 0.1};
        if (i % 6 > 0) add_ball(&s, i, r, i - 1, q, &BILATERAL);
        if (i % 6 != 0) continue;
        pl_constraint contact = contact_along(0.1, 0.2, 1, 0.5);
        add_contact(&s, &contact, 2, (pl_term[]){{2 * i, 1, {0}}, {2 * i + 1, 0, {0, 0, -0.3}}});
    }
    int64_t n = 3 * (int64_t)s.A.n, m = 3 * (int64_t)s.problem.n_constraint;
    double *v = random_vector(n), *f = random_vector(m);
    for (int32_t w = 0; w < n_way; w++) {
        for (int threads = 1; threads <= 4; threads *= 2) {
            pl_threads_set(threads);
            solve_anew(&s, all[w], 1e-6, 1e-6);
            if (threads == 1) memcpy(v, s.v, (size_t)n * sizeof *v);
            if (threads == 1) memcpy(f, s.f, (size_t)m * sizeof *f);
            TEST_ASSERT_TRUE_MESSAGE(same_bits(v, s.v, n), all[w].solver);
            TEST_ASSERT_TRUE_MESSAGE(same_bits(f, s.f, m), all[w].solver);
        }
    }
    free(v), free(f);
    end_small(&s);
}

static void test_memory(void)
{
    way all[16];
    int32_t n = list_ways(all);
    for (int32_t w = 0; w < n; w++) {
        small s;
        start_chain(&s, 4, (double[]){1, 2, 1, 1.5}, true);
        fresh_small fresh = {&s, all[w]};
        TEST_ASSERT_TRUE(fail_each_allocation(solve_fresh_small, &fresh) > 0);
        end_small(&s);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_ball_joint);
    RUN_TEST(test_a_hinge);
    RUN_TEST(test_chains);
    RUN_TEST(test_a_motor_has_its_strength);
    RUN_TEST(test_a_unilateral_row_is_a_contact);
    RUN_TEST(test_everything_together);
    RUN_TEST(test_a_soft_row_is_a_spring_with_a_damper);
    RUN_TEST(test_joints_of_vertices);
    RUN_TEST(test_joints_and_contacts_of_vertices);
    RUN_TEST(test_the_same_matrix_again);
    RUN_TEST(test_solvers_say_what_they_cannot);
    RUN_TEST(test_a_joint_that_cannot_hold);
    RUN_TEST(test_threads_do_not_change_bits);
    RUN_TEST(test_memory);
    return UNITY_END();
}
