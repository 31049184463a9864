// The direct method. What all solvers have in common, tests/test_solvers.c tries.

#include "joints.h"
#include "../solvers/newton.h"
#include "../solvers/contact_matrix.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    pl_threads_set(2);
}

static const way NEWTON = {"newton", PL_PRECOND_FULL}, APG = {"apg", PL_PRECOND_FULL};
static const way AUTO = {"auto", PL_PRECOND_FULL};

// --- The matrix ---

// x := H^-1 r against elimination of the dense A + L^T D L, prescribed blocks left out.
static void test_the_matrix_is_that_of_its_formula(void)
{
    small s;
    start_random(&s, 9, 7, 0.5);
    s.prescribed[4] = 1;
    int n = 3 * s.A.n, m = 3 * s.problem.n_constraint;
    pl_uses uses;
    pl_contact_matrix M;
    pl_sym3 D[7] = {{0}};
    double *A = dense_copy(&s.A), *L = dense_rows(&s.problem), *r = random_vector(n);
    double *x = random_vector(n);
    long double *H = calloc((size_t)(n * n), sizeof *H), *b = calloc((size_t)n, sizeof *b);
    for (int k = 1; k < 7; k++) { // the first one does not count
        D[k] = (pl_sym3){.nn = 5, .n1 = 1, .n2 = -0.5, .t11 = 3, .t12 = 0.7, .t22 = 2};
    }
    for (int i = 0; i < n; i++) {
        b[i] = s.prescribed[i / 3] ? 0 : r[i];
        for (int j = 0; j < n; j++) {
            if (s.prescribed[i / 3] || s.prescribed[j / 3]) {
                H[i * n + j] = i == j;
                continue;
            }
            H[i * n + j] = A[i * n + j];
            for (int k = 0; k < m; k += 3) {
                const pl_sym3 *d = &D[k / 3];
                const double S[9] = {d->nn,  d->n1, d->n2,  d->n1, d->t11,
                                     d->t12, d->n2, d->t12, d->t22};
                for (int e = 0; e < 9; e++) {
                    H[i * n + j] += L[(k + e / 3) * n + i] * S[e] * L[(k + e % 3) * n + j];
                }
            }
        }
    }
    eliminate(n, 1, H, b);
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s.problem, &s.ws.arena, &uses));
    TEST_ASSERT_EQUAL(PL_OK, pl_contact_matrix_create(&s.problem, &uses, &s.ws.arena, &M));
    TEST_ASSERT_EQUAL(PL_OK, pl_contact_matrix_take(&M, &s.ws.arena));
    TEST_ASSERT_TRUE(pl_contact_matrix_set(&M, D));
    pl_contact_matrix_solve(&M, r, x);
    for (int i = 0; i < n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, (double)b[i], x[i]);
    for (int k = 0; k < 7; k++) D[k].nn = -1e3;
    TEST_ASSERT_FALSE(pl_contact_matrix_set(&M, D));
    free(A), free(L), free(r), free(x), free(H), free(b);
    end_small(&s);
}

// --- Solutions ---

// A block that is not the only one of a contact.
static int unneeded_block(const pl_problem *p)
{
    bool needed[64] = {0};
    for (int32_t k = 0; k < p->n_constraint; k++) {
        if (p->constraint[k].count == 1) needed[p->entry[p->constraint[k].first].block] = true;
    }
    int block = 0;
    while (needed[block]) block++;
    TEST_ASSERT_TRUE(block < p->A->n);
    return block;
}

// Against a dense answer, with friction and without, prescribed blocks and lever arms among them.
static void test_small_problems_against_a_slow_answer(void)
{
    const double mus[] = {0, 0.3, 0.8};
    for (int trial = 0; trial < 15; trial++) {
        small s;
        start_random(&s, 10, 6, mus[trial % 3]);
        if (trial % 2 == 1) {
            int prescribed = unneeded_block(&s.problem);
            s.prescribed[prescribed] = 1;
            for (int i = 3 * prescribed; i < 3 * prescribed + 3; i++) s.v[i] = random_number();
        }
        reduced r = reduce(&s.problem, s.v);
        long double *f = calloc((size_t)r.m, sizeof *f);
        double *v = calloc((size_t)r.n, sizeof *v);
        slow_solve(&s.problem, &r, f);
        velocities_of(&r, f, v);
        solve_anew(&s, NEWTON, 1e-10, 1e-10);
        TEST_ASSERT_TRUE(s.stats.factorizations > 0);
        // contact_tolerance over dt, times what A^-1 L^T makes of it
        for (int i = 0; i < r.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, v[i], s.v[i]);
        free(f), free(v);
        free_reduced(&r);
        end_small(&s);
    }
}

static void test_a_floor_agrees_with_apg(void)
{
    small s;
    start_floor(&s, 5);
    solve_anew(&s, APG, 1e-11, 1e-11);
    double *v = random_vector(3 * s.A.n);
    memcpy(v, s.v, 3 * (size_t)s.A.n * sizeof *v);
    solve_anew(&s, NEWTON, 1e-11, 1e-11);
    for (int32_t i = 0; i < 3 * s.A.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, v[i], s.v[i]);
    // What is solved needs no factor.
    TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, NEWTON, 1e-9, 1e-9));
    TEST_ASSERT_EQUAL_INT64(0, s.stats.factorizations);
    TEST_ASSERT_EQUAL_INT32(0, s.stats.iterations);
    free(v);
    end_small(&s);
}

// --- Masses ---

// A stack of n blocks on the ground, each the given times as heavy as the one below; a rigid body
// has two blocks, and four contacts hold it to the next.
static void start_stack(small *s, int n, double ratio, int contacts)
{
    double mass[2 * 8];
    for (int i = 0; i < n; i++) {
        mass[2 * i] = pow(ratio, i), mass[2 * i + 1] = mass[2 * i] / 6;
    }
    start_masses(s, 2 * n, mass, 0.01);
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    for (int i = 0; i < n; i++) {
        s->b[6 * i + 2] = -0.1 * mass[2 * i]; // falls by 0.1 m/s
        for (int k = 0; k < contacts; k++) {
            double a = 6.2831853 * (k + 0.5) / contacts, x = 0.6 * cos(a), y = 0.6 * sin(a);
            pl_term term[4] = {{2 * i, 1, {0}},
                               {2 * i + 1, 0, {x, y, -0.5}},
                               {2 * i - 2, -1, {0}},
                               {2 * i - 1, 0, {-x, -y, -0.5}}};
            add_contact(s, &contact, i > 0 ? 4 : 2, term);
        }
    }
}

// The impulse on the ground carries all, whatever the masses.
static void test_mass_ratios(void)
{
    const double ratios[] = {1, 1e2, 1e4, 1e6};
    for (int r = 0; r < 4; r++) {
        small s;
        start_stack(&s, 2, ratios[r], 4);
        solve_anew(&s, NEWTON, 1e-10, 1e-9);
        TEST_ASSERT_TRUE(s.stats.iterations < 60);
        double sum = 0, all = 0.1 * (1 + ratios[r]);
        for (int k = 0; k < 4; k++) sum += s.f[3 * k];
        TEST_ASSERT_DOUBLE_WITHIN(1e-6 * all, all, sum);
        for (int i = 0; i < 12; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, s.v[i]);
        // auto gets there as well, and soon.
        solve_anew(&s, AUTO, 1e-10, 1e-9);
        TEST_ASSERT_TRUE(s.stats.iterations < 300);
        TEST_ASSERT_TRUE(ratios[r] < 1e6 || s.stats.factorizations > 0);
        end_small(&s);
    }
}

// Up to 64 contacts under each face, of which three would do: the system stays regular.
static void test_redundant_contacts(void)
{
    const int counts[] = {4, 16, 64};
    for (int c = 0; c < 3; c++) {
        small s;
        start_stack(&s, 3, 10, counts[c]);
        for (int i = 0; i < 3; i++)
            s.b[6 * i] = 0.01 * s.A.val[9 * s.A.diag[2 * i]]; // and sideways
        solve_anew(&s, NEWTON, 1e-10, 1e-9);
        TEST_ASSERT_TRUE(s.stats.iterations < 60);
        for (int i = 0; i < 18; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, s.v[i]);
        end_small(&s);
    }
}

// The same contact twice: any share of its impulse solves it.
static void test_a_contact_that_stands_twice(void)
{
    small s;
    start_masses(&s, 1, (double[]){2}, 0.01);
    s.b[0] = 0.3, s.b[2] = -1;
    pl_constraint contact = contact_along(0, 0, 1, 0.2);
    for (int k = 0; k < 2; k++) add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
    solve_anew(&s, NEWTON, 1e-10, 1e-10);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 1, s.f[0] + s.f[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.05, s.v[0]); // (0.3 - 0.2) / 2
    end_small(&s);
}

// A block that slides: friction is exactly mu times the normal impulse, against the slip, also
// where a lever arm makes both depend on each other.
static void test_sliding_is_exact(void)
{
    for (int k = 0; k < 8; k++) {
        small s;
        double angle = 0.7 * k;
        start_stack(&s, 1, 1, 4);
        s.b[0] = 0.2 * cos(angle), s.b[1] = 0.2 * sin(angle);
        solve_anew(&s, NEWTON, 1e-11, 1e-11);
        double push[3] = {0}, slip = sqrt(s.v[0] * s.v[0] + s.v[1] * s.v[1]);
        for (int i = 0; i < 4; i++) {
            double t = sqrt(s.f[3 * i + 1] * s.f[3 * i + 1] + s.f[3 * i + 2] * s.f[3 * i + 2]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5 * s.f[3 * i], t);
            for (int a = 0; a < 3; a++) {
                for (int e = 0; e < 3; e++) {
                    push[e] += s.f[3 * i + a] * s.problem.constraint[i].R[3 * a + e];
                }
            }
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, push[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.05 * s.v[0] / slip, push[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.05 * s.v[1] / slip, push[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.15, slip);
        end_small(&s);
    }
}

// --- Stiff systems ---

// A rod of 200 blocks, M + stiff K, that falls on a floor with every tenth of them.
static void start_rod(small *s, double stiff)
{
    enum { N = 200 };
    int32_t edge[2 * (N - 1)];
    for (int32_t i = 0; i < N - 1; i++) edge[2 * i] = i, edge[2 * i + 1] = i + 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(N, N - 1, edge, &s->A));
    for (int32_t i = 0; i < N; i++) {
        for (int64_t k = s->A.row[i]; k < s->A.row[i + 1]; k++) {
            double neighbours = (double)(s->A.row[i + 1] - s->A.row[i] - 1);
            double value = k == s->A.diag[i] ? 1 + neighbours * stiff : -stiff;
            for (int c = 0; c < 3; c++) s->A.val[9 * k + 4 * c] = value;
        }
    }
    start_small(s, 0.01);
    for (int32_t i = 0; i < N; i++) {
        for (int e = 0; e < 3; e++) s->b[3 * i + e] = random_number() - 0.5 * (e == 2);
        pl_constraint contact = contact_along(0.1 * random_number(), 0.1 * random_number(), 1, 0.5);
        if (i % 10 == 0) add_contact(s, &contact, 1, &(pl_term){i, 1, {0}});
    }
}

// From soft to 1e12 times as stiff: few iterations. auto takes newton where apg does not get there.
static void test_stiffness_costs_nothing(void)
{
    int n_hard = 0;
    for (int k = 0; k < 7; k++) {
        small s;
        start_rod(&s, pow(100, k));
        solve_anew(&s, NEWTON, 1e-6, 1e-6);
        TEST_ASSERT_TRUE(s.stats.iterations < 100);
        solve_anew(&s, APG, 1e-6, 1e-6);
        bool hard = s.stats.iterations > 300;
        n_hard += hard;
        solve_anew(&s, AUTO, 1e-6, 1e-6);
        TEST_ASSERT_TRUE(s.stats.iterations < 300);
        TEST_ASSERT_TRUE(!hard || s.stats.factorizations > 0);
        end_small(&s);
    }
    TEST_ASSERT_TRUE(n_hard > 0);
}

// --- Joints ---

// Links of 0.1 kg, and a load at the end: up to 4.4e6 times as heavy. The residual that rounding
// leaves is the machine's precision times the tension over the mass of a link; the velocities of a
// chain add up what its joints leave.
static void test_a_load_on_a_chain(void)
{
    enum { N = 24 };
    const double load[] = {0.1, 500, 440000};
    for (int k = 0; k < 6; k++) {
        double mass[N], v[6 * N], f[6 * N];
        small s;
        for (int i = 0; i < N; i++) mass[i] = i < N - 1 ? 0.1 : load[k / 2];
        start_chain(&s, N, mass, k % 2 == 1);
        dense_joints(&s.problem, v, f);
        solve_anew(&s, NEWTON, 1e-10, k < 4 ? 1e-12 : 1e-10);
        TEST_ASSERT_TRUE(s.stats.factorizations <= 2);
        TEST_ASSERT_TRUE(s.stats.iterations <= 12);
        double close = k < 4 ? 1e-9 : 1e-7, tension = load[k / 2] * 0.0981;
        for (int i = 0; i < 6 * N; i++) TEST_ASSERT_DOUBLE_WITHIN(close, v[i], s.v[i]);
        for (int i = 0; i < 3 * s.problem.n_constraint; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-8 * (1 + tension), f[i], s.f[i]);
        }
        // auto knows when sweeps get nowhere.
        solve_anew(&s, AUTO, 1e-10, k < 4 ? 1e-12 : 1e-10);
        TEST_ASSERT_TRUE(s.stats.factorizations > 0 && s.stats.iterations <= 8);
        for (int i = 0; i < 6 * N; i++) TEST_ASSERT_DOUBLE_WITHIN(close, v[i], s.v[i]);
        end_small(&s);
    }
}

// A motor that is too weak, in one block with the rows of its hinge: a bound that is met costs a
// factor.
static void test_a_motor_that_gives_way(void)
{
    small s;
    pl_limits motor = BILATERAL;
    motor.lo[0] = -0.2, motor.hi[0] = 0.2;
    start_bodies(&s, 2, (double[]){1, 2}, 0.01);
    add_ball(&s, 0, (double[]){0.3, -0.1, 0.2}, 1, (double[]){-0.2, 0.4, 0.1}, &BILATERAL);
    add_turning(&s, 0, 1, (double[]){1, 2, 0.5}, 40, &motor);
    solve_anew(&s, NEWTON, 1e-12, 1e-13);
    TEST_ASSERT_EQUAL_DOUBLE(0.2, s.f[3]);
    TEST_ASSERT_TRUE(s.stats.iterations <= 8);
    TEST_ASSERT_TRUE(s.stats.factorizations <= 3);
    end_small(&s);
}

// Two bodies held to each other twice, in the same way: which of the joints pulls is open, the
// velocities are not.
static void test_joints_that_stand_twice(void)
{
    small s;
    double v[12], f[6];
    start_bodies(&s, 2, (double[]){1, 3}, 0.01);
    const double r[3] = {0.3, -0.1, 0.2}, q[3] = {-0.2, 0.4, 0.1};
    add_ball(&s, 0, r, 1, q, &BILATERAL);
    dense_joints(&s.problem, v, f);
    add_ball(&s, 0, r, 1, q, &BILATERAL);
    add_ball(&s, 0, r, 1, q, &BILATERAL);
    solve_anew(&s, NEWTON, 1e-12, 1e-13);
    for (int i = 0; i < 12; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-10, v[i], s.v[i]);
    end_small(&s);
}

// Interior points take joints along: what is left after them is what the contacts leave.
static void test_interior_points_hold_joints(void)
{
    const double r[3] = {0.5, 0, 0}, q[3] = {0.5, 0, -1}, top[3] = {0, 0.2, 0.5};
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = options.contact_tolerance = 1e-10;
    small s;
    start_stack(&s, 4, 3, 4);
    add_ball(&s, 0, r, 1, q, &BILATERAL);
    add_ball(&s, 3, top, -1, q, &BILATERAL);
    solve_anew(&s, NEWTON, 1e-10, 1e-10); // and the workspace is ready
    double *v = random_vector(3 * s.A.n);
    memcpy(v, s.v, 3 * (size_t)s.A.n * sizeof *v);
    set_to_rest(&s);
    for (int i = 0; i < 4; i++) s.v[6 * i + 2] = -0.1; // they fall
    pl_newton n;
    pl_solve_stats stats = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_newton_create(&s.problem, &options, &s.ws, s.v, s.f, &n));
    TEST_ASSERT_EQUAL(PL_OK, pl_newton_analyze(&n));
    TEST_ASSERT_EQUAL(PL_OK, pl_newton_take(&n));
    n.least = INFINITY;
    n.most_factors = 100;
    pl_newton_ipm(&n, 40, &stats);
    TEST_ASSERT_TRUE(stats.factorizations > 3);
    TEST_ASSERT_TRUE(n.best < 1e3); // 1e-7 m
    pl_contact_errors errors = {0};
    pl_newton_judge(&n, n.f, &stats);
    pl_contact_errors_update(&s.problem, s.ws.scale, n.u, n.f, &errors);
    TEST_ASSERT_TRUE(errors.joint < 1e-12);
    for (int i = 0; i < 3 * s.A.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-4, v[i], s.v[i]);
    free(v);
    end_small(&s);
}

// Interior points know motors, limits and soft contacts: without slip they come to the
// end.
static void test_interior_points_between_bounds(void)
{
    for (int trial = 0; trial < 10; trial++) {
        const double r[3] = {0.3, -0.1, 0.2}, q[3] = {-0.2, 0.4, 0.1}, axis[3] = {1, 2, 0.5};
        const pl_limits limits = {
            PL_LAW_BOX, {0, 0.1, 0}, {-0.05 * trial, 0, 0}, {0.02 * trial, INFINITY, 0}, 0, false};
        const pl_limits soft = {PL_LAW_CONE, {0.2, 0.1, 0.1}, {0}, {0}, 0, false};
        pl_solver_options options = pl_solver_options_default();
        options.residual_tolerance = options.contact_tolerance = 1e-8;
        small s;
        start_bodies(&s, 3, (double[]){1, 2, 3}, 0.01);
        add_ball(&s, 0, r, 1, q, &BILATERAL);
        add_turning(&s, 0, 1, axis, 2, &limits);
        add_turning(&s, 1, 2, axis, -1, &limits);
        pl_constraint contact = contact_along(0.1, 0, 1, 0);
        const pl_term term[2] = {{4, 1, {0}}, {5, 0, {0.2, 0.1, -0.3}}};
        s.b[14] -= 1;
        add_limited(&s, &contact, trial % 2 == 0 ? &soft : NULL, 2, term);
        solve_anew(&s, NEWTON, 1e-9, 1e-10); // and the workspace is ready
        double v[18];
        memcpy(v, s.v, sizeof v);
        set_to_rest(&s);
        pl_newton n;
        pl_solve_stats stats = {0};
        TEST_ASSERT_EQUAL(PL_OK, pl_newton_create(&s.problem, &options, &s.ws, s.v, s.f, &n));
        TEST_ASSERT_EQUAL(PL_OK, pl_newton_analyze(&n));
        TEST_ASSERT_EQUAL(PL_OK, pl_newton_take(&n));
        pl_newton_begin_stage(&n, 100);
        pl_newton_ipm(&n, 40, &stats); // with friction of 1e-4, to have cones
        for (int i = 0; i < 18; i++) TEST_ASSERT_DOUBLE_WITHIN(2e-4, v[i], s.v[i]);
        end_small(&s);
    }
}

// A loop of four hinges in a plane: three rows of 20 are redundant. As long as it closes, one
// factor does; if it does not, velocities are between what the hinges ask for, and impulses as
// before.
static void test_a_loop_that_does_not_close(void)
{
    const double at[4][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}}, axis[3] = {0, 1, 0};
    const double middle[3][3] = {{0, 0, 0.5}, {0.5, 0, 1}, {1, 0, 0.5}};
    double most[3] = {0};
    for (int trial = 0; trial < 3; trial++) {
        small s;
        start_bodies(&s, 3, (double[]){1, 1, 1}, 0.01);
        random_state = 3;
        for (int i = 0; i < 18; i++) s.b[i] = random_number();
        for (int k = 0; k < 4; k++) {
            int a = k < 3 ? k : 2, b = k < 3 ? k - 1 : -1;
            double r[3], q[3];
            for (int e = 0; e < 3; e++) r[e] = at[k][e] - middle[a][e];
            for (int e = 0; e < 3; e++) q[e] = b >= 0 ? at[k][e] - middle[b][e] : at[k][e];
            add_hinge(&s, a, r, b, q, axis);
        }
        if (trial > 0) s.problem.constraint[0].c[0] = trial == 1 ? 1e-3 : 1;
        if (trial > 0) s.problem.constraint[7].c[1] = trial == 1 ? 1e-3 : 1;
        pl_status status = solve_small(&s, NEWTON, 1e-8, 1e-8);
        TEST_ASSERT_EQUAL(trial == 0 ? PL_OK : PL_ERROR_NUMERICS, status);
        if (trial > 0) TEST_ASSERT_EQUAL(PL_SOLVE_CONTRADICTING, s.stats.end);
        TEST_ASSERT_TRUE(s.stats.factorizations <= 1);
        TEST_ASSERT_TRUE(s.stats.errors.residual < 1e-8);
        for (int i = 0; i < 3 * s.problem.n_constraint; i++) {
            most[trial] = fmax(most[trial], fabs(s.f[i]));
        }
        end_small(&s);
    }
    TEST_ASSERT_TRUE(most[1] < 1.1 * most[0]);
    TEST_ASSERT_TRUE(most[2] < 10 * most[0]);
}

// Along a step rows that are carried are linear, whatever F(u) is there.
static void test_a_line_with_linear_rows(void)
{
    small s;
    start_masses(&s, 1, (double[]){2}, 0.01);
    pl_constraint frame = contact_along(0, 0, 1, 0);
    add_limited(&s, &frame, &BILATERAL, 1, &(pl_term){0, 1, {0}});
    double at[3], Fe[3];
    const double K[3] = {1e12, 1e12, 1e12}, f[3] = {0}, u[3] = {0.5, 0.25, 0.125}, F[3] = {7, 8, 9};
    const double Le[3] = {0.3, -0.2, 0.1}, linear[3] = {10, 20, 30};
    pl_cone_line line = {.problem = &s.problem, .K = K, .f = f, .u = u, .F = F, .Le = Le};
    line.er = 4, line.eAe = 3, line.at = at, line.Fe = Fe, line.linear = linear;
    double slope = 3 + 10 * 0.09 + 20 * 0.04 + 30 * 0.01;
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4 - 0.5 * slope, pl_cone_line_at(&line, 0.5));
    end_small(&s);
}

// Two joints that contradict each other: there is no solution, and that is said. What is left is
// between the two.
static void test_joints_that_contradict(void)
{
    small s;
    start_bodies(&s, 2, (double[]){1, 3}, 0.01);
    const double r[3] = {0.3, -0.1, 0.2}, q[3] = {-0.2, 0.4, 0.1};
    add_ball(&s, 0, r, 1, q, &BILATERAL);
    add_ball(&s, 0, r, 1, q, &BILATERAL);
    s.problem.constraint[1] = s.problem.constraint[0]; // in the same frame
    s.problem.constraint[1].c[0] = 0.01;
    for (int w = 0; w < 2; w++) {
        set_to_rest(&s);
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, w == 0 ? NEWTON : AUTO, 1e-6, 1e-6));
        TEST_ASSERT_EQUAL(PL_SOLVE_CONTRADICTING, s.stats.end);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 5e-5, s.stats.errors.joint);
        TEST_ASSERT_TRUE(s.stats.errors.residual < 1e-9);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "joints "), pl_error_text());
        for (int i = 0; i < 12; i++) TEST_ASSERT_TRUE(fabs(s.v[i]) < 30);
        // The impulses are those of one joint, shared.
        for (int i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, s.f[i], s.f[3 + i]);
        TEST_ASSERT_TRUE(s.stats.factorizations <= 2);
    }
    end_small(&s);
}

// A chain that hangs down on a box, which stands on a floor, with a load of 500 kg between: the box
// carries what the chain lets through. And the same with a motor at every joint.
static void test_joints_and_contacts(void)
{
    enum { N = 12 };
    for (int motors = 0; motors < 2; motors++) {
        double mass[N];
        small s;
        for (int i = 0; i < N; i++) mass[i] = i == N - 2 ? 500 : 1;
        start_bodies(&s, N, mass, 0.01);
        const double up[3] = {0, 0, 0.25}, down[3] = {0, 0, -0.25};
        for (int i = 0; i < N - 1; i++) {
            s.b[6 * i + 2] -= 0.0981 * mass[i];
            add_ball(&s, i, up, i - 1, down, &BILATERAL);
            const pl_limits motor = {PL_LAW_BOX, {0}, {-0.1, 0, 0}, {0.1, 0, 0}, 0, false};
            if (motors) add_turning(&s, i, i - 1, (double[]){1, i % 2, 0}, 0.2, &motor);
        }
        for (int k = 0; k < 8; k++) { // the load on the box, the box on the floor
            pl_constraint contact = contact_along(0, 0, 1, 0.5);
            double x = k % 2 - 0.5, y = k / 2 % 2 - 0.5;
            const pl_term term[4] = {{2 * N - 2, k < 4 ? -1 : 1, {0}},
                                     {2 * N - 1, 0, {k < 4 ? -x : x, k < 4 ? -y : y, -0.3}},
                                     {2 * N - 4, 1, {0}},
                                     {2 * N - 3, 0, {x, y, -0.3}}};
            add_contact(&s, &contact, k < 4 ? 4 : 2, term);
        }
        solve_anew(&s, NEWTON, 1e-10, 1e-12);
        TEST_ASSERT_TRUE(s.stats.factorizations < 60);
        double *v = random_vector(3 * s.A.n);
        memcpy(v, s.v, 3 * (size_t)s.A.n * sizeof *v);
        solve_anew(&s, AUTO, 1e-9, 1e-11);
        for (int i = 0; i < 3 * s.A.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, v[i], s.v[i]);
        free(v);
        end_small(&s);
    }
}

// --- Limits, threads, memory ---

static void test_limits(void)
{
    small s;
    start_stack(&s, 4, 100, 4);
    const pl_solver *solver;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find("newton", &solver));
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = options.contact_tolerance = 1e-30; // never
    for (int32_t limit = 0; limit < 8; limit++) {
        set_to_rest(&s);
        options.max_iterations = limit;
        pl_status status = pl_solve(solver, &s.problem, &options, &s.ws, s.v, s.f, &s.stats);
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, status);
        TEST_ASSERT_EQUAL(PL_SOLVE_LIMIT, s.stats.end);
        TEST_ASSERT_TRUE(s.stats.iterations <= limit + 1); // an interior point takes two
    }
    set_to_rest(&s);
    options.max_iterations = 100000;
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                      pl_solve(solver, &s.problem, &options, &s.ws, s.v, s.f, &s.stats));
    TEST_ASSERT_EQUAL(PL_SOLVE_STALLED, s.stats.end);
    TEST_ASSERT_TRUE(s.stats.errors.normal < 1e-9); // what it has is good all the same
    end_small(&s);
}

// Its diagonal blocks are positive definite, and it is not: the factor shows it, where no contact
// holds the blocks.
static void test_an_indefinite_matrix(void)
{
    small s;
    const int32_t edge[2] = {0, 1};
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(2, 1, edge, &s.A));
    for (int64_t k = 0; k < 4; k++) {
        for (int c = 0; c < 3; c++) s.A.val[9 * k + 4 * c] = k == 0 || k == 3 ? 1 : 2;
    }
    start_small(&s, 0.01);
    s.b[2] = 1;
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, NEWTON, 1e-6, 1e-6));
    for (int i = 0; i < 6; i++) TEST_ASSERT_TRUE(isfinite(s.v[i]));
    end_small(&s);
}

static void test_threads_do_not_change_bits(void)
{
    enum { N = 2400, HIGH = 8 }; // columns of eight: enough blocks and contacts for all loops
    double mass[N];
    small s;
    for (int i = 0; i < N; i++) mass[i] = 1 + i % 7;
    start_masses(&s, N, mass, 0.01);
    for (int i = 0; i < N; i++) {
        pl_constraint contact = contact_along(0.2 * random_number(), 0.2 * random_number(), 1, 0.4);
        for (int e = 0; e < 3; e++) s.b[3 * i + e] = 0.3 * random_number() - (e == 2);
        add_contact(&s, &contact, i % HIGH > 0 ? 2 : 1, (pl_term[]){{i, 1, {0}}, {i - 1, -1, {0}}});
    }
    int64_t n = 3 * (int64_t)s.A.n, m = 3 * (int64_t)s.problem.n_constraint;
    double *v = random_vector(n), *f = random_vector(m);
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_threads_set(threads);
        solve_anew(&s, NEWTON, 1e-7, 1e-7);
        if (threads == 1) memcpy(v, s.v, (size_t)n * sizeof *v);
        if (threads == 1) memcpy(f, s.f, (size_t)m * sizeof *f);
        TEST_ASSERT_TRUE(same_bits(v, s.v, n));
        TEST_ASSERT_TRUE(same_bits(f, s.f, m));
    }
    free(v), free(f);
    end_small(&s);
}

static void test_memory(void)
{
    small s;
    start_stack(&s, 4, 100, 4);
    fresh_small fresh = {&s, NEWTON};
    TEST_ASSERT_TRUE(fail_each_allocation(solve_fresh_small, &fresh) > 0);
    // Once the arena has grown, a solve makes no heap call.
    s.ws = (pl_workspace){0};
    for (int i = 0; i < 2; i++) solve_anew(&s, NEWTON, 1e-9, 1e-9);
    const char *chunk = s.ws.arena.chunk[0];
    solve_anew(&s, NEWTON, 1e-9, 1e-9);
    TEST_ASSERT_EQUAL_INT32(1, s.ws.arena.n_chunk);
    TEST_ASSERT_TRUE(s.ws.arena.chunk[0] == chunk);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_matrix_is_that_of_its_formula);
    RUN_TEST(test_small_problems_against_a_slow_answer);
    RUN_TEST(test_a_floor_agrees_with_apg);
    RUN_TEST(test_mass_ratios);
    RUN_TEST(test_redundant_contacts);
    RUN_TEST(test_a_contact_that_stands_twice);
    RUN_TEST(test_sliding_is_exact);
    RUN_TEST(test_stiffness_costs_nothing);
    RUN_TEST(test_a_load_on_a_chain);
    RUN_TEST(test_a_motor_that_gives_way);
    RUN_TEST(test_joints_that_stand_twice);
    RUN_TEST(test_interior_points_hold_joints);
    RUN_TEST(test_interior_points_between_bounds);
    RUN_TEST(test_a_loop_that_does_not_close);
    RUN_TEST(test_a_line_with_linear_rows);
    RUN_TEST(test_joints_that_contradict);
    RUN_TEST(test_joints_and_contacts);
    RUN_TEST(test_limits);
    RUN_TEST(test_an_indefinite_matrix);
    RUN_TEST(test_threads_do_not_change_bits);
    RUN_TEST(test_memory);
    return UNITY_END();
}
