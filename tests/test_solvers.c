// Solvers of contact problems, each in all its ways: against slow oracles, formulas of mechanics,
// and themselves.

#include "contacts.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

// --- Oracles ---

// Where rows nearly contradict each other MINRES may drift away and not come back [VJ19, 7]; it
// must say so, and leave alone what it was given. True if it did.
static bool minres_gives_up(small *s, way w, double eps)
{
    if (strcmp(w.solver, "minres") != 0) return false;
    set_to_rest(s);
    if (solve_small(s, w, eps, eps) == PL_OK) return false;
    TEST_ASSERT_NOT_EQUAL(PL_SOLVE_CONVERGED, s->stats.end);
    for (int i = 0; i < 3 * s->A.n; i++) TEST_ASSERT_TRUE(fabs(s->v[i]) < 10);
    return true;
}

static void test_random_problems_equal_the_oracle(void)
{
    int given_up = 0;
    for (int trial = 0; trial < 40; trial++) {
        small s;
        int n_constraint = 1 + trial % 6;
        start_random(&s, 6 + trial % 4, n_constraint, trial % 4 == 0 ? 0 : 0.1 * (trial % 9));
        if (trial % 3 == 0) s.prescribed[1] = 1, s.v[3] = 0.5, s.v[4] = -0.2;
        for (int k = 0; k < n_constraint; k++) { // none of the prescribed block alone
            pl_constraint *contact = s.problem.constraint + k;
            if (contact->count == 1) s.problem.entry[contact->first].block = 0;
        }
        double *expected = random_vector(3 * s.A.n);
        reduced r = reduce(&s.problem, s.v);
        long double f[18];
        slow_solve(&s.problem, &r, f);
        velocities_of(&r, f, expected);
        for (int w = 0; w < WAYS; w++) {
            if (minres_gives_up(&s, ways[w], 1e-10)) {
                given_up++;
                continue;
            }
            solve_anew(&s, ways[w], 1e-10, 1e-10);
            for (int i = 0; i < 3 * s.A.n; i++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-7, expected[i], s.v[i]);
            }
        }
        free_reduced(&r);
        free(expected);
        end_small(&s);
    }
    TEST_ASSERT_TRUE(given_up <= 8); // of 80
}

// Without friction the velocities minimize E(v) under u_n >= 0: tries every set of active contacts,
// and takes the one that the conditions of Karush, Kuhn and Tucker hold for.
static void enumerate_sets(const reduced *r, int n_constraint, long double *f)
{
    for (int set = 0; set < 1 << n_constraint; set++) {
        int on[8], m = 0;
        for (int k = 0; k < n_constraint; k++) {
            if (set >> k & 1) on[m++] = 3 * k;
        }
        long double M[64], x[8];
        for (int i = 0; i < m; i++) {
            x[i] = -r->q[on[i]];
            for (int j = 0; j < m; j++) M[i * m + j] = r->W[on[i] * r->m + on[j]];
        }
        eliminate(m, 1, M, x);
        memset(f, 0, (size_t)r->m * sizeof *f);
        bool fits = true;
        for (int i = 0; i < m; i++) fits = fits && (f[on[i]] = x[i]) >= 0;
        for (int k = 0; k < r->m; k += 3) {
            long double u = r->q[k];
            for (int l = 0; l < r->m; l++) u += r->W[k * r->m + l] * f[l];
            fits = fits && u >= -1e-15L;
        }
        if (fits) return;
    }
    TEST_FAIL_MESSAGE("no set fits");
}

static void test_without_friction_it_is_a_quadratic_program(void)
{
    for (int trial = 0; trial < 20; trial++) {
        small s;
        start_random(&s, 6, 5, 0);
        double *expected = random_vector(18);
        reduced r = reduce(&s.problem, s.v);
        long double f[15];
        enumerate_sets(&r, 5, f);
        velocities_of(&r, f, expected);
        for (int w = 0; w < WAYS; w++) {
            solve_anew(&s, ways[w], 1e-10, 1e-10);
            for (int i = 0; i < 18; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-7, expected[i], s.v[i]);
        }
        free_reduced(&r);
        free(expected);
        end_small(&s);
    }
}

static void test_no_contacts_is_a_linear_system(void)
{
    small s;
    start_random(&s, 8, 0, 0);
    reduced r = reduce(&s.problem, s.v);
    for (int w = 0; w < WAYS; w++) {
        solve_anew(&s, ways[w], 1e-10, 1e-10);
        for (int i = 0; i < 24; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, (double)r.v0[i], s.v[i]);
    }
    free_reduced(&r);
    end_small(&s);
}

// Residuals are relative to what is asked of the unknown blocks, with what the prescribed ones
// push.
static void test_the_measure_of_residuals(void)
{
    small s;
    start_floor(&s, 5);
    s.problem.n_constraint = s.problem.n_term = 0;
    for (int i = 30; i < 60; i += 3) s.prescribed[i] = 1, s.v[3 * i] = 2, s.v[3 * i + 2] = -1;
    int64_t n = 3 * (int64_t)s.A.n;
    double *Av = random_vector(n), sum = 0;
    pl_bsr_multiply(&s.A, s.v, Av); // what is not prescribed is at rest
    for (int64_t i = 0; i < n; i++) sum += s.prescribed[i / 3] ? 0 : pow(s.b[i] - Av[i], 2);
    solve_anew(&s, ways[0], 1e-8, 1e-8);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13 * sqrt(sum), sqrt(sum), s.ws.b_norm);
    free(Av);
    end_small(&s);
}

// --- Mechanics ---

// A block of 2 kg on a slope of tan 0.5, through a step from rest.
static void test_a_block_on_a_slope_sticks_or_slides(void)
{
    const double g = 9.81, dt = 0.01, length = sqrt(1.25), sine = 0.5 / length, cosine = 1 / length;
    for (int w = 0; w < WAYS; w++) {
        for (int i = 0; i < 2; i++) {
            double mu = i == 0 ? 0.51 : 0.49;
            small s;
            start_masses(&s, 1, (double[]){2}, dt);
            s.b[2] = -2 * g * dt;
            pl_constraint contact = contact_along(-0.5, 0, 1, mu); // rises along x
            add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
            solve_anew(&s, ways[w], 1e-10, 1e-10);
            double down = -(s.v[0] * cosine + s.v[2] * sine);
            double expected = i == 0 ? 0 : g * (sine - mu * cosine) * dt;
            TEST_ASSERT_DOUBLE_WITHIN(1e-8, expected, down);
            TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0, s.v[1]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-8, 2 * g * cosine * dt, s.f[0]);
            end_small(&s);
        }
    }
}

static void test_two_masses_that_meet_go_on_together(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_masses(&s, 2, (double[]){1, 3}, 0.01);
        s.b[0] = 1 * 2.0;  // 2 m/s
        s.b[3] = 3 * -1.0; // -1 m/s
        pl_constraint contact = contact_along(1, 0, 0, 0.3);
        add_contact(&s, &contact, 2, (pl_term[]){{1, 1, {0}}, {0, -1, {0}}});
        solve_anew(&s, ways[w], 1e-10, 1e-10);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, -0.25, s.v[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, -0.25, s.v[3]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 2.25, s.f[0]);
        s.problem.constraint[0].c[0] = 0.5; // and part at 0.5 m/s where the gap asks for it
        solve_anew(&s, ways[w], 1e-10, 1e-10);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.5, s.v[3] - s.v[0]);
        end_small(&s);
    }
}

static void test_friction_is_against_the_slip(void)
{
    for (int w = 0; w < WAYS; w++) {
        for (int i = 0; i < 24; i++) {
            double angle = 0.2618 * i, speed[2] = {cos(angle), sin(angle)};
            small s;
            random_matrix(1, 1, 6, &s.A); // not the same in all directions
            start_small(&s, 0.01);
            pl_constraint contact = contact_along(0.3, 0.1, 1, 0.4);
            add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
            const double *R = s.problem.constraint[0].R, *a = s.A.val;
            for (int c = 0; c < 3; c++) {
                for (int d = 0; d < 3; d++) {
                    double v = 2 * (R[3 + d] * speed[0] + R[6 + d] * speed[1]) - R[d];
                    s.b[c] += a[3 * d + c] * v;
                }
            }
            solve_anew(&s, ways[w], 1e-9, 1e-9);
            double u[3];
            pl_rows_multiply(&s.problem, NULL, true, s.v, u);
            double ut = hypot(u[1], u[2]), ft = hypot(s.f[1], s.f[2]);
            TEST_ASSERT_TRUE(ut > 0.5);
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.4 * s.f[0], ft);
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, -1, (u[1] * s.f[1] + u[2] * s.f[2]) / ut / ft);
            end_small(&s);
        }
    }
}

static void test_a_known_block_pushes(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_masses(&s, 3, (double[]){1, 1, 5}, 0.01);
        s.prescribed[0] = 1;
        s.v[0] = 2, s.v[1] = 1; // a plate that comes from below, along x, and slides along y
        s.b[0] = NAN;           // its row does not count
        s.b[0] = 1e6;
        pl_constraint contact = contact_along(1, 0, 0, 0.25);
        add_contact(&s, &contact, 2, (pl_term[]){{1, 1, {0}}, {0, -1, {0}}});
        solve_anew(&s, ways[w], 1e-10, 1e-10);
        TEST_ASSERT_EQUAL_DOUBLE(2, s.v[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 2, s.v[3]);   // taken along,
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.5, s.v[4]); // and dragged by mu times the push
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0, s.v[6]);
        end_small(&s);
    }
}

// A rigid body of mass m and inertia I: blocks 0 (linear) and 1 (angular).
static void test_lever_arms(void)
{
    const double m = 2, I = 0.3;
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_masses(&s, 2, (double[]){m, I}, 0.01);
        s.b[2] = -m; // falls at 1 m/s on a support below, at the arm (0.4, 0, 0)
        pl_constraint contact = contact_along(0, 0, 1, 0);
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, 0, {0.4, 0, 0}}});
        solve_anew(&s, ways[w], 1e-10, 1e-10);
        double p = 1 / (1 / m + 0.16 / I);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, p, s.f[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, -1 + p / m, s.v[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, -0.4 * p / I, s.v[4]); // r x n p = (0, -0.4 p, 0)
        // A ball that slides at 1 m/s and is pressed down: with much friction it rolls,
        // v = omega r, and m (1 - v) r = I omega. With little it slips on.
        pl_problem_clear(&s.problem);
        contact.mu = 10;
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, 0, {0, 0, -0.5}}});
        s.b[0] = m;
        solve_anew(&s, ways[w], 1e-10, 1e-10);
        double v = m * 0.25 / (I + m * 0.25);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, v, s.v[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, v / 0.5, s.v[4]);
        s.problem.constraint[0].mu = 0.1;
        solve_anew(&s, ways[w], 1e-10, 1e-10);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 1 - 0.1, s.v[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.1 * m * 0.5 / I, s.v[4]);
        end_small(&s);
    }
}

// --- Many contacts for few blocks ---

static void test_duplicates(void)
{
    for (int copies = 2; copies <= 4; copies += 2) {
        for (int w = 0; w < WAYS; w++) {
            small s;
            random_state = 5;
            start_random(&s, 8, 5, 0.5);
            solve_anew(&s, ways[w], 1e-8, 1e-8);
            double alone[24];
            memcpy(alone, s.v, sizeof alone);
            for (int32_t k = 0; k < 5; k++) {
                for (int c = 1; c < copies; c++) {
                    pl_constraint contact = s.problem.constraint[k];
                    pl_term term[4];
                    for (int t = 0; t < contact.count; t++) {
                        term[t] = pl_problem_term(&s.problem, contact.first + t);
                        term[t].w *= 1 + 1e-7 * random_number();
                    }
                    contact.c[0] += 1e-7 * random_number();
                    add_contact(&s, &contact, contact.count, term);
                }
            }
            solve_anew(&s, ways[w], 1e-6, 1e-6);
            for (int i = 0; i < 24; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-4, alone[i], s.v[i]);
            end_small(&s);
        }
    }
}

// A cube on the floor by its four lower corners, rigid: 12 rows for 6 unknowns.
static void test_a_rigid_box_on_four_corners(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_masses(&s, 2, (double[]){1, 1.0 / 6}, 0.001);
        s.b[2] = -9.81e-3;
        s.b[0] = 1e-3; // and pushed a little: sticks
        pl_constraint contact = contact_along(0, 0, 1, 0.5);
        for (int k = 0; k < 4; k++) {
            const pl_term term[2] = {{0, 1, {0}},
                                     {1, 0, {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5}}};
            add_contact(&s, &contact, 2, term);
        }
        solve_anew(&s, ways[w], 1e-9, 1e-9);
        for (int i = 0; i < 6; i++) TEST_ASSERT_DOUBLE_WITHIN(3e-6, 0, s.v[i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 9.81e-3, s.f[0] + s.f[3] + s.f[6] + s.f[9]);
        end_small(&s);
    }
}

// A rigid plate on n^2 supports, and pushed: all contacts have a block in common.
static void start_plate(small *s, int n)
{
    start_masses(s, 2, (double[]){3, 0.5}, 0.001);
    s->b[2] = -3 * 9.81e-3;
    s->b[0] = 3 * 9.81e-3 * 0.6; // beyond friction
    s->b[5] = 1e-3;              // and turned
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    for (int k = 0; k < n * n; k++) {
        double x = k % n / (n - 1.0) - 0.5, y = k / n / (n - 1.0) - 0.5;
        add_contact(s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, 0, {x, y, -0.01}}});
    }
}

static void test_a_rigid_plate_on_many_supports(void)
{
    double first[6];
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_plate(&s, 10);
        solve_anew(&s, ways[w], 1e-8, 1e-8);
        double push = 0;
        for (int k = 0; k < 300; k += 3) push += s.f[k];
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, 3 * 9.81e-3, push);
        TEST_ASSERT_TRUE(s.v[0] > 5e-4); // slips, but not faster than 0.1 g allows
        TEST_ASSERT_TRUE(s.v[0] < 0.6 * 9.81e-3);
        if (w == 0) memcpy(first, s.v, sizeof first);
        // What each support bears is not unique, nor then how a plate slides that turns: interior
        // points go to the middle, all others stay near where they start.
        double close = strcmp(ways[w].solver, "ipm-cone") == 0 ? 4e-4 : 1e-4;
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(close, first[i], s.v[i], ways[w].solver);
        }
        end_small(&s);
    }
}

// Two contacts ask for v >= 1 and v >= 0.5, and the guess says that both push: as equations they
// contradict each other, and neither pulls.
static void test_rows_that_contradict_each_other(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_masses(&s, 1, (double[]){1}, 0.01);
        for (int k = 0; k < 2; k++) {
            pl_constraint contact = contact_along(1, 0, 0, 0);
            contact.c[0] = k == 0 ? 1 : 0.5;
            add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
            s.f[3 * k] = 1;
        }
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, solve_small(&s, ways[w], 1e-8, 1e-8), pl_error_text());
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, s.v[0]);
        end_small(&s);
    }
}

// Where A is its diagonal blocks and no two contacts share one, the full preconditioner is the
// inverse of B: one step before the contacts become active, and one after.
static void test_the_full_preconditioner_is_an_inverse(void)
{
    small s;
    double mass[20];
    for (int i = 0; i < 20; i++) mass[i] = 2 + random_number();
    start_masses(&s, 20, mass, 0.01);
    for (int i = 0; i < 20; i += 2) {
        for (int a = 0; a < 6; a++) s.b[3 * i + a] = random_number();
        pl_constraint contact = random_contact(0);
        add_contact(&s, &contact, 2, (pl_term[]){{i, 1, {0}}, {i + 1, -1, {0, 0.3, 0}}});
    }
    solve_anew(&s, ways[1], 1e-8, 1e-8);
    TEST_ASSERT_TRUE(s.stats.iterations <= 4);
    end_small(&s);
}

// --- Starts ---

static void test_a_solved_problem_stays_solved(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_random(&s, 9, 6, 0.4);
        solve_anew(&s, ways[w], 1e-8, 1e-8);
        int32_t cold = s.stats.iterations;
        TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, ways[w], 1e-7, 1e-7));
        TEST_ASSERT_TRUE(s.stats.iterations <= 1 && s.stats.iterations < cold);
        end_small(&s);
    }
}

static void test_contacts_are_added_and_solved_again(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_random(&s, 10, 3, 0.4);
        solve_anew(&s, ways[w], 1e-8, 1e-8);
        for (int round = 0; round < 3; round++) {
            pl_constraint contact = random_contact(0.4);
            pl_term term[2] = {{round, 1, {0}}, {5 + round, -0.5, {0}}};
            add_contact(&s, &contact, 2, term);
            TEST_ASSERT_EQUAL_MESSAGE(PL_OK, solve_small(&s, ways[w], 1e-8, 1e-8), pl_error_text());
        }
        double *warm = random_vector(30);
        memcpy(warm, s.v, 30 * sizeof *warm);
        solve_anew(&s, ways[w], 1e-8, 1e-8);
        for (int i = 0; i < 30; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-5, s.v[i], warm[i]);
        free(warm);
        end_small(&s);
    }
}

// --- Failures ---

static void test_bad_numbers_are_refused(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_random(&s, 5, 3, 0.5);
        s.b[4] = NAN;
        TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, solve_small(&s, ways[w], 1e-6, 1e-6));
        s.b[4] = 0;
        s.A.val[9 * (s.A.diag[2] == 0) + 1] = NAN; // off the diagonal
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, ways[w], 1e-6, 1e-6));
        for (int i = 0; i < 15; i++) TEST_ASSERT_TRUE(isfinite(s.v[i]));
        end_small(&s);
        start_random(&s, 5, 3, 0.5);
        s.A.val[9 * s.A.diag[2]] = -1;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, ways[w], 1e-6, 1e-6));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "block row 2"), pl_error_text());
        TEST_ASSERT_EQUAL(PL_SOLVE_BREAKDOWN, s.stats.end);
        end_small(&s);
    }
}

static void test_bad_options_are_refused(void)
{
    small s;
    start_random(&s, 5, 3, 0.5);
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = 0;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT,
                      pl_solve(pl_solver_at(0), &s.problem, &options, &s.ws, s.v, s.f, &s.stats));
    options = pl_solver_options_default();
    options.max_seconds = -1;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT,
                      pl_solve(pl_solver_at(0), &s.problem, &options, &s.ws, s.v, s.f, &s.stats));
    const pl_solver *solver;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_solver_find("apq", &solver));
    TEST_ASSERT_NULL(solver);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "apg"), pl_error_text());
    end_small(&s);
}

// Two walls that close on a mass: no velocity will do. It must end, with a status.
static void test_a_crushed_block_ends(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_masses(&s, 1, (double[]){1}, 0.01);
        for (int side = -1; side <= 1; side += 2) {
            pl_constraint contact = contact_along(side, 0, 0, 0.5);
            contact.c[0] = 1;
            add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
        }
        const pl_solver *solver;
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(ways[w].solver, &solver));
        pl_solver_options options = pl_solver_options_default();
        options.precond = ways[w].precond;
        options.max_iterations = 3000;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                          pl_solve(solver, &s.problem, &options, &s.ws, s.v, s.f, &s.stats));
        TEST_ASSERT_NOT_EQUAL(PL_SOLVE_CONVERGED, s.stats.end);
        for (int i = 0; i < 3; i++) TEST_ASSERT_TRUE(isfinite(s.v[i]) && isfinite(s.f[i]));
        end_small(&s);
    }
}

// A point in the corner of two walls that close, each at an angle a to the vertical. With friction
// below tan(a) it slides up; with more the walls hold it, and no impulse helps: these solvers say
// so soon.
static void test_a_point_between_walls_that_close(void)
{
    const char *solvers[] = {"apg", "cone-newton", "auto"};
    for (int i = 0; i < 6; i++) {
        bool locked = i >= 3;
        small s;
        start_masses(&s, 1, (double[]){1}, 0.01);
        for (int side = -1; side <= 1; side += 2) {
            pl_constraint contact =
                contact_along(0.8 * side, 0, 0.6, locked ? 0.8 : 0.7); // tan: 0.75
            contact.c[0] = 1;
            add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
        }
        way w = {solvers[i % 3], PL_PRECOND_FULL};
        if (locked) {
            TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, w, 1e-8, 1e-8));
            TEST_ASSERT_EQUAL(PL_SOLVE_STALLED, s.stats.end);
            TEST_ASSERT_TRUE(s.stats.iterations < 400);
        } else {
            solve_anew(&s, w, 1e-8, 1e-8);
            TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1 / 0.6, s.v[2]);
        }
        end_small(&s);
    }
}

static void test_a_contact_of_known_blocks(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_masses(&s, 2, (double[]){1, 1}, 0.01);
        s.prescribed[0] = 1, s.v[2] = -1, s.b[5] = -1;
        pl_constraint contact = contact_along(0, 0, 1, 0.5);
        contact.c[0] = -2; // the gap allows -2
        add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
        contact.c[0] = 0;
        add_contact(&s, &contact, 1, &(pl_term){1, 1, {0}});
        solve_anew(&s, ways[w], 1e-8, 1e-8);
        TEST_ASSERT_EQUAL_DOUBLE(0, s.f[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, s.v[5]);
        s.problem.constraint[0].c[0] = 0;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, ways[w], 1e-8, 1e-8));
        TEST_ASSERT_EQUAL(PL_SOLVE_IMPOSSIBLE, s.stats.end);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "contact 0"), pl_error_text());
        end_small(&s);
    }
}

static void test_limits(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_random(&s, 12, 8, 0.5);
        const pl_solver *solver;
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(ways[w].solver, &solver));
        pl_solver_options options = pl_solver_options_default();
        options.precond = ways[w].precond;
        options.residual_tolerance = options.contact_tolerance = 1e-12;
        options.max_iterations = 3;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                          pl_solve(solver, &s.problem, &options, &s.ws, s.v, s.f, &s.stats));
        TEST_ASSERT_EQUAL(PL_SOLVE_LIMIT, s.stats.end);
        TEST_ASSERT_EQUAL(3, s.stats.iterations);
        options.max_iterations = 100000;
        options.max_seconds = 1e-9;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                          pl_solve(solver, &s.problem, &options, &s.ws, s.v, s.f, &s.stats));
        TEST_ASSERT_EQUAL(PL_SOLVE_TIME, s.stats.end);
        end_small(&s);
    }
}

// --- Memory and threads ---

static void test_allocations_that_fail(void)
{
    small s;
    start_floor(&s, 8); // more than fits into an arena's first chunk
    for (int w = 0; w < WAYS; w++) {
        fresh_small f = {&s, ways[w]};
        fail_each_allocation(solve_fresh_small, &f);
    }
    end_small(&s);
}

// The second solve makes one chunk of several.
static void test_later_solves_make_no_heap_call(void)
{
    for (int w = 0; w < WAYS; w++) {
        small s;
        start_floor(&s, 8);
        fail_nth(-1);
        solve_anew(&s, ways[w], 1e-6, 1e-6);
        TEST_ASSERT_TRUE(allocations > 0);
        fail_nth(-1);
        solve_anew(&s, ways[w], 1e-6, 1e-6);
        TEST_ASSERT_TRUE(allocations <= 1);
        fail_nth(-1);
        solve_anew(&s, ways[w], 1e-6, 1e-6);
        TEST_ASSERT_EQUAL(0, allocations);
        pl_workspace_free(&s.ws); // by the allocator that gave it
        fail_never();
        pl_problem_free(&s.problem);
        pl_bsr_free(&s.A);
        free(s.b), free(s.v), free(s.f), free(s.prescribed);
    }
}

static void test_threads_do_not_change_bits(void)
{
    small s;
    start_floor(&s, 22); // 10,648 rows, 3,552 contacts: all loops run in parallel, apg is single
    int64_t n = 3 * (int64_t)s.A.n, m = 3 * (int64_t)s.problem.n_constraint;
    double *v = random_vector(n), *f = random_vector(m);
    for (int w = 0; w < WAYS_OF_MANY; w++) {
        bool slow = w >= 3; // some of these are, and so are more threads than cores
        int most = slow ? 2 : 4;
        for (int threads = 1; threads <= most; threads *= 2) {
            pl_threads_set(threads);
            solve_anew(&s, ways[w], slow ? 1e-2 : 1e-4, slow ? 1e-3 : 1e-5);
            if (threads == 1) memcpy(v, s.v, (size_t)n * sizeof *v);
            if (threads == 1) memcpy(f, s.f, (size_t)m * sizeof *f);
            TEST_ASSERT_TRUE(same_bits(v, s.v, n));
            TEST_ASSERT_TRUE(same_bits(f, s.f, m));
        }
    }
    free(v), free(f);
    end_small(&s);
}

static void test_threads_do_not_change_bits_of_rigid_bodies(void)
{
    small s;
    start_plate(&s, 40);
    double v[6];
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_threads_set(threads);
        solve_anew(&s, ways[0], 1e-6, 1e-6);
        if (threads == 1) memcpy(v, s.v, sizeof v);
        TEST_ASSERT_TRUE(same_bits(v, s.v, 6));
    }
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_problems_equal_the_oracle);
    RUN_TEST(test_without_friction_it_is_a_quadratic_program);
    RUN_TEST(test_no_contacts_is_a_linear_system);
    RUN_TEST(test_the_measure_of_residuals);
    RUN_TEST(test_a_block_on_a_slope_sticks_or_slides);
    RUN_TEST(test_two_masses_that_meet_go_on_together);
    RUN_TEST(test_friction_is_against_the_slip);
    RUN_TEST(test_a_known_block_pushes);
    RUN_TEST(test_lever_arms);
    RUN_TEST(test_duplicates);
    RUN_TEST(test_a_rigid_box_on_four_corners);
    RUN_TEST(test_a_rigid_plate_on_many_supports);
    RUN_TEST(test_rows_that_contradict_each_other);
    RUN_TEST(test_the_full_preconditioner_is_an_inverse);
    RUN_TEST(test_a_solved_problem_stays_solved);
    RUN_TEST(test_contacts_are_added_and_solved_again);
    RUN_TEST(test_bad_numbers_are_refused);
    RUN_TEST(test_bad_options_are_refused);
    RUN_TEST(test_a_crushed_block_ends);
    RUN_TEST(test_a_point_between_walls_that_close);
    RUN_TEST(test_a_contact_of_known_blocks);
    RUN_TEST(test_limits);
    RUN_TEST(test_allocations_that_fail);
    RUN_TEST(test_later_solves_make_no_heap_call);
    RUN_TEST(test_threads_do_not_change_bits);
    RUN_TEST(test_threads_do_not_change_bits_of_rigid_bodies);
    return UNITY_END();
}
