// Newton methods for complementarity: the reformulations, directions and line searches, order of
// convergence, friction by Stewart and Trinkle; interior points.

#include "../lcp/generate.h"
#include "../lcp/newton.h"
#include "lcps.h"

#include <stdio.h>
#include <unity.h>

static pl_arena arena;
static pl_lcp_data data;

void setUp(void)
{
}

void tearDown(void)
{
    pl_arena_free(&arena);
    pl_lcp_data_free(&data);
}

static const pl_lcp_form forms[3] = {PL_LCP_FORM_FISCHER, PL_LCP_FORM_PENALISED,
                                     PL_LCP_FORM_MINMAP};

static pl_equations equations_of(pl_lcp_form form)
{
    return (pl_equations){.form = form, .penalty = 0.95, .unit = 1};
}

static const pl_lcp_solver *solver_of(const char *name)
{
    const pl_lcp_solver *solver;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, pl_lcp_solver_find(name, &solver), pl_error_text());
    return solver;
}

// --- The reformulations [Erl13] ---

static const double samples[] = {-2, -1, -1e-9, 0, 1e-9, 0.5, 1, 2};
enum { N_SAMPLES = sizeof samples / sizeof *samples };

// phi and the minimum are 0 exactly where a and b are complementary, and of one sign only where
// both are positive.
static void test_signs(void)
{
    for (int k = 0; k < N_SAMPLES * N_SAMPLES; k++) {
        double a = samples[k % N_SAMPLES], b = samples[k / N_SAMPLES];
        double least = fmin(a, b), value = pl_fischer(a, b).value;
        TEST_ASSERT_EQUAL(least > 0, a > 0 && b > 0);
        TEST_ASSERT_EQUAL(least == 0, a >= 0 && b >= 0 && a * b == 0);
        TEST_ASSERT_EQUAL(least > 0, value < 0);
        TEST_ASSERT_EQUAL(least == 0, value == 0);
        for (int f = 0; f < 3; f++) {
            pl_equations e = equations_of(forms[f]);
            double sign = forms[f] == PL_LCP_FORM_MINMAP ? -1 : 1;
            double row = sign * pl_equations_row(&e, 1, 0, INFINITY, a, b).value;
            TEST_ASSERT_EQUAL(least > 0, row < 0);
            TEST_ASSERT_EQUAL(least == 0, row == 0);
        }
        for (double s = 0.25; s < 5; s *= 4) { // the fixed-point form
            TEST_ASSERT_EQUAL(least == 0, a == fmax(0, a - s * b));
        }
    }
}

// With bounds of all kinds the equations are 0 exactly where the row obeys.
static void test_boxes(void)
{
    const double inf = INFINITY;
    const double bounds[6][2] = {{-inf, inf}, {0, inf}, {-inf, 0}, {-1, 0.5}, {0, 2}, {0.5, 0.5}};
    for (int k = 0; k < 6 * N_SAMPLES * N_SAMPLES; k++) {
        double lo = bounds[k % 6][0], hi = bounds[k % 6][1];
        double x = samples[k / 6 % N_SAMPLES], w = samples[k / 6 / N_SAMPLES];
        double natural = pl_lcp_clamp(w, x - hi, x - lo);
        for (int f = 0; f < 3; f++) {
            pl_equations e = equations_of(forms[f]);
            double row = pl_equations_row(&e, 1, lo, hi, x, w).value;
            TEST_ASSERT_EQUAL(natural == 0, row == 0);
            if (forms[f] == PL_LCP_FORM_MINMAP) TEST_ASSERT_DOUBLE_WITHIN(1e-15, natural, row);
        }
    }
}

// Of phi at large and small arguments, which the formula as it stands would lose; and at 0, where
// the rule of [Erl13] is v - (1, 1) with |v| = 1, an element of the B-subdifferential.
static void test_fischer_is_accurate(void)
{
    pl_equation e = pl_fischer(1e8, 1e-8);
    TEST_ASSERT_DOUBLE_WITHIN(1e-22, -1e-8, e.value);
    TEST_ASSERT_DOUBLE_WITHIN(1e-44, -0.5e-32, e.dx);
    e = pl_fischer(1e-200, 1e-200); // squares that vanish
    TEST_ASSERT_DOUBLE_WITHIN(1e-214, (sqrt(2) - 2) * 1e-200, e.value);
    e = pl_fischer(0, 0);
    TEST_ASSERT_EQUAL_DOUBLE(1, hypot(e.dx + 1, e.dw + 1));
}

// p and q against differences, scale included, away from kinks.
static void test_partial_derivatives(void)
{
    const double h = 1e-6, kink = 1e-3;
    random_state = 3;
    for (int k = 0; k < 3000; k++) {
        pl_equations e = equations_of(forms[k % 3]);
        double lo = k / 3 % 2 == 0 ? -INFINITY : -0.5 + 0.3 * random_number();
        double hi = k / 6 % 2 == 0 ? INFINITY : 0.5 + 0.3 * random_number();
        double scale = 1 + 0.9 * random_number(), x = 2 * random_number(), w = 2 * random_number();
        double to = scale * x - w;
        bool near = fabs(to - scale * lo) < kink || fabs(to - scale * hi) < kink ||
                    fabs(x - lo) < kink || fabs(x - hi) < kink || fabs(w) < kink;
        if (near) continue;
        pl_equation at = pl_equations_row(&e, scale, lo, hi, x, w);
        double dx = (pl_equations_row(&e, scale, lo, hi, x + h, w).value -
                     pl_equations_row(&e, scale, lo, hi, x - h, w).value) /
                    (2 * h);
        double dw = (pl_equations_row(&e, scale, lo, hi, x, w + h).value -
                     pl_equations_row(&e, scale, lo, hi, x, w - h).value) /
                    (2 * h);
        // h^2 times the third derivative, which is up to 1 / kink^2
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, dx, at.dx);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, dw, at.dw);
    }
}

// --- Gradients and directions ---

typedef struct setup {
    pl_lcp_newton newton;
    pl_lcp_options options;
    pl_lcp_work work;
    double *x;
} setup;

static void prepare(setup *s, const pl_lcp *lcp, pl_lcp_form form, pl_lcp_inner inner)
{
    pl_arena_reset(&arena);
    s->options = pl_lcp_options_default();
    s->work = (pl_lcp_work){.arena = &arena};
    s->work.diag = pl_arena_take(&arena, lcp->n, sizeof(double));
    s->work.w = pl_arena_take(&arena, lcp->n, sizeof(double));
    s->x = pl_arena_take(&arena, lcp->n, sizeof(double));
    for (int32_t j = 0; j < lcp->n; j++) {
        s->x[j] = random_number();
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            if (lcp->row[k] == j) s->work.diag[j] = lcp->val[k];
        }
    }
    s->newton = (pl_lcp_newton){.lcp = lcp,
                                .options = &s->options,
                                .work = &s->work,
                                .inner = inner,
                                .equations = equations_of(form),
                                .x = s->x};
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_newton_take(&s->newton));
    pl_lcp_multiply(lcp, s->x, s->work.w);
    pl_lcp_newton_linearize(&s->newton, s->x, s->work.w);
    s->newton.first = sqrt(2 * s->newton.theta);
}

static double theta_at(const setup *s, const double *x)
{
    double w[64], sum = 0;
    pl_lcp_multiply(s->newton.lcp, x, w);
    for (int32_t i = 0; i < s->newton.lcp->n; i++) {
        double value = pl_lcp_newton_row(&s->newton, i, x[i], w[i]).value;
        sum += 0.5 * value * value;
    }
    return sum;
}

static void hold_gradient(setup *s, double tolerance)
{
    double x[64];
    for (int32_t i = 0; i < s->newton.lcp->n; i++) {
        const double h = 1e-5;
        memcpy(x, s->x, (size_t)s->newton.lcp->n * sizeof *x);
        x[i] += h;
        double above = theta_at(s, x);
        x[i] -= 2 * h;
        double difference = (above - theta_at(s, x)) / (2 * h);
        TEST_ASSERT_DOUBLE_WITHIN(tolerance, difference, s->newton.grad[i]);
    }
}

// theta is smooth although F is not, and its gradient J^T F for whatever element of the generalized
// Jacobian: also where x and w are 0 in some rows.
static void test_gradient(void)
{
    pl_lcp_params params = pl_lcp_params_default();
    setup s;
    random_state = 8;
    for (int k = 0; k < 8; k++) {
        params.mixed_bounds = k % 2 == 1;
        params.tight = params.degenerate = 0.7;
        TEST_ASSERT_EQUAL_INT(
            PL_OK, pl_lcp_generate(PL_LCP_KIND_P_MATRIX, 12, (uint64_t)k, &params, &data));
        prepare(&s, &data.lcp, forms[k / 2 % 2], PL_LCP_INNER_EXACT);
        hold_gradient(&s, 1e-5);
        for (int32_t i = 0; i < 6; i++) s.x[i] = data.x[i]; // kinks, in part
        pl_lcp_multiply(&data.lcp, s.x, s.work.w);
        pl_lcp_newton_linearize(&s.newton, s.x, s.work.w);
        hold_gradient(&s, 1e-4);
        pl_lcp_data_free(&data);
    }
}

// grad . dx = -2 theta for a step that solves J dx = -F; less is left of it by Krylov's methods,
// but never so much that dx would not descend.
static void test_directions(void)
{
    pl_lcp_stats stats = {0};
    random_state = 4;
    for (int k = 0; k < 48; k++) {
        pl_lcp_params params = pl_lcp_params_default();
        pl_lcp_inner inner = (pl_lcp_inner)(k / 3 % 3);
        params.mixed_bounds = k / 9 % 2 == 1;
        setup s;
        TEST_ASSERT_EQUAL_INT(PL_OK,
                              pl_lcp_generate(k % 2 == 0 ? PL_LCP_KIND_SPD : PL_LCP_KIND_P_MATRIX,
                                              30, (uint64_t)k, &params, &data));
        prepare(&s, &data.lcp, forms[k % 3], inner);
        TEST_ASSERT_TRUE(pl_lcp_newton_direction(&s.newton, &stats));
        double slope = 0, theta = s.newton.theta;
        for (int32_t i = 0; i < 30; i++) slope += s.newton.grad[i] * s.newton.dx[i];
        // conjugate gradients weigh rows otherwise than |F| does
        double part = inner == PL_LCP_INNER_EXACT    ? 1e-10
                      : inner == PL_LCP_INNER_KRYLOV ? 0.1
                                                     : 0.2;
        TEST_ASSERT_DOUBLE_WITHIN(part * 2 * theta, -2 * theta, slope);
        pl_lcp_data_free(&data);
    }
}

// A singular J: rows of a free block of zeros. A shift of the diagonal finds a step all the same.
static void test_singular_systems(void)
{
    double M[4] = {0, 0, 0, 0}, q[2] = {1, -1};
    own_lcp own = own_lcp_make(2, M, q);
    own.lo[0] = own.lo[1] = -INFINITY;
    setup s;
    pl_lcp_stats stats = {0};
    prepare(&s, &own.lcp, PL_LCP_FORM_FISCHER, PL_LCP_INNER_EXACT);
    TEST_ASSERT_TRUE(pl_lcp_newton_direction(&s.newton, &stats));
    TEST_ASSERT_EQUAL_INT64(1, stats.shifts);
    own_lcp_free(&own);
}

// [Erl13] prints dx := max(0, dx): x can never shrink, and a start above the solution stays there.
static void test_the_slides_projection_fails(void)
{
    enum { N = 20 };
    pl_lcp_stats stats = {0};
    pl_lcp_params params = pl_lcp_params_default();
    double x[N], w[N], theta = 0;
    setup s;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_generate(PL_LCP_KIND_SPD, N, 6, &params, &data));
    prepare(&s, &data.lcp, PL_LCP_FORM_FISCHER, PL_LCP_INNER_EXACT);
    for (int32_t i = 0; i < N; i++) s.x[i] = 10;
    for (int32_t iteration = 0; iteration < 100; iteration++) {
        pl_lcp_multiply(&data.lcp, s.x, s.work.w);
        pl_lcp_newton_linearize(&s.newton, s.x, s.work.w);
        theta = s.newton.theta;
        TEST_ASSERT_TRUE(pl_lcp_newton_direction(&s.newton, &stats));
        for (double tau = 1; tau > 1e-14; tau *= 0.5) {
            for (int32_t i = 0; i < N; i++) x[i] = s.x[i] + tau * fmax(0, s.newton.dx[i]);
            if (theta_at(&s, x) > theta * (1 - 0.002 * tau)) continue;
            memcpy(s.x, x, sizeof x);
            break;
        }
    }
    TEST_ASSERT_TRUE_MESSAGE(theta > 1, "the slide's form has converged");
    for (int32_t i = 0; i < N; i++) x[i] = 10;
    pl_arena_reset(&arena);
    TEST_ASSERT_EQUAL_INT(PL_OK,
                          pl_lcp_solve(solver_of("fischer"), &data.lcp, NULL, &arena, x, &stats));
    TEST_ASSERT_TRUE(stats.iterations <= 12);
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_lcp_measure(&data.lcp, x, w).primal);
}

// --- Convergence ---

typedef struct errors {
    double at[256];
    int32_t n;
} errors;

static void note(int32_t iteration, double error, void *user)
{
    errors *e = user;
    if (iteration < 256) e->at[iteration] = error;
    e->n = iteration + 1;
}

static pl_lcp_stats solve(const char *name, const pl_lcp *lcp, pl_lcp_options options, double *x)
{
    pl_lcp_stats stats;
    pl_arena_reset(&arena);
    pl_lcp_solve(solver_of(name), lcp, &options, &arena, x, &stats);
    return stats;
}

// The exponent e of error' = c error^e over the last three errors above rounding, from two ratios.
static double order_of(const errors *e)
{
    for (int32_t k = e->n - 1; k >= 2; k--) {
        if (!(e->at[k] > 1e-14)) continue;
        return log(e->at[k] / e->at[k - 1]) / log(e->at[k - 1] / e->at[k - 2]);
    }
    return 0;
}

// Faster than linear in the last steps, as the theory has it for exact steps, and for inexact ones
// whose residual shrinks with the error; mean of 10 problems without degenerate rows.
static void test_order_of_convergence(void)
{
    static const char *const names[] = {"fischer", "fischer-krylov", "penalised"};
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (uint64_t seed = 0; seed < 10; seed++) {
            pl_lcp_params params = pl_lcp_params_default();
            pl_lcp_options options = pl_lcp_options_default();
            double x[60] = {0};
            errors e = {.n = 0};
            params.degenerate = 0;
            options.tolerance = 1e-12;
            options.inner_tolerance = 1e-15;
            options.trace = note;
            options.trace_user = &e;
            TEST_ASSERT_EQUAL_INT(
                PL_OK, pl_lcp_generate(seed % 2 == 0 ? PL_LCP_KIND_SPD : PL_LCP_KIND_P_MATRIX, 60,
                                       seed, &params, &data));
            TEST_ASSERT_EQUAL_INT(PL_LCP_SOLVED, solve(names[k], &data.lcp, options, x).end);
            sum += order_of(&e) / 10;
            pl_lcp_data_free(&data);
        }
        char text[64];
        snprintf(text, sizeof text, "%s: order %.2f", names[k], sum);
        TEST_ASSERT_TRUE_MESSAGE(sum >= 1.5, text);
    }
}

// Iterations hardly depend on the number of rows.
static void test_iterations_and_size(void)
{
    static const char *const names[] = {"fischer", "fischer-krylov", "penalised", "minmap", "ipm"};
    for (int k = 0; k < 5; k++) {
        int32_t few = 0, many = 0;
        for (int32_t n = 20; n <= 160; n *= 8) {
            for (uint64_t seed = 0; seed < 3; seed++) {
                double x[160] = {0};
                TEST_ASSERT_EQUAL_INT(PL_OK,
                                      pl_lcp_generate(PL_LCP_KIND_MONOTONE, n, seed, NULL, &data));
                pl_lcp_stats stats = solve(names[k], &data.lcp, pl_lcp_options_default(), x);
                TEST_ASSERT_EQUAL_INT_MESSAGE(PL_LCP_SOLVED, stats.end, names[k]);
                *(n == 20 ? &few : &many) += stats.iterations;
                pl_lcp_data_free(&data);
            }
        }
        char text[64];
        snprintf(text, sizeof text, "%s: %d, %d iterations", names[k], few, many);
        TEST_ASSERT_TRUE_MESSAGE(many <= 2 * few && many <= 60, text);
    }
}

// All inner solves of all methods, on singular and on nonsymmetric problems with bounds of all
// kinds; the solution of the second kind is the only one.
static void test_inner_solves(void)
{
    static const char *const names[] = {"fischer", "penalised", "minmap"};
    for (int k = 0; k < 9 * 8; k++) {
        pl_lcp_kind kind = k / 9 % 2 == 0 ? PL_LCP_KIND_PSD : PL_LCP_KIND_P_MATRIX;
        pl_lcp_params params = pl_lcp_params_default();
        pl_lcp_options options = pl_lcp_options_default();
        double x[30] = {0};
        char text[64];
        params.mixed_bounds = true;
        options.inner = (pl_lcp_inner)(k / 3 % 3);
        TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_generate(kind, 30, (uint64_t)k / 9, &params, &data));
        pl_lcp_stats stats = solve(names[k % 3], &data.lcp, options, x);
        snprintf(text, sizeof text, "%s, inner %d, %s %d: %s", names[k % 3], (int)options.inner,
                 pl_lcp_kind_name(kind), k / 9, pl_lcp_end_name(stats.end));
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_LCP_SOLVED, stats.end, text);
        TEST_ASSERT_EQUAL(options.inner == PL_LCP_INNER_KRYLOV, stats.inner > 0);
        for (int32_t i = 0; i < 30 && kind == PL_LCP_KIND_P_MATRIX; i++) {
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-7, data.x[i], x[i], text);
        }
        pl_lcp_data_free(&data);
    }
}

// --- Friction by Stewart and Trinkle ---

enum { NORMAL, PLUS_X, PLUS_Y, MINUS_X, MINUS_Y, BETA, N_ROWS };

// One contact with friction mu whose velocity is B f + free, in x, y and the normal: rows of the
// normal, of four directions x, y, -x, -y, and of beta [Erl13].
static own_lcp contact(double B[9], const double free[3], double mu)
{
    static const double direction[5][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    double M[N_ROWS * N_ROWS] = {0}, q[N_ROWS] = {0};
    for (int i = 0; i < 5; i++) {
        for (int a = 0; a < 9; a++) {
            for (int j = 0; j < 5; j++) {
                M[i + j * N_ROWS] += direction[i][a % 3] * B[a] * direction[j][a / 3];
            }
        }
        for (int a = 0; a < 3; a++) q[i] += direction[i][a] * free[a];
        if (i != NORMAL) M[i + BETA * N_ROWS] = 1, M[BETA + i * N_ROWS] = -1;
    }
    M[BETA + NORMAL * N_ROWS] = mu;
    return own_lcp_make(N_ROWS, M, q);
}

// The conditions of a contact that moves with v, to 1e-12.
static void hold_contact(const double *x, const double v[3], double mu, const char *text)
{
    const double tol = 1e-12;
    double fx = x[PLUS_X] - x[MINUS_X], fy = x[PLUS_Y] - x[MINUS_Y];
    double speed = fmax(fabs(v[0]), fabs(v[1])), sum = 0;
    for (int i = 0; i < N_ROWS; i++) TEST_ASSERT_TRUE_MESSAGE(x[i] >= -tol, text);
    for (int i = PLUS_X; i <= MINUS_Y; i++) sum += x[i];
    TEST_ASSERT_TRUE_MESSAGE(sum <= mu * x[NORMAL] + tol, text);
    TEST_ASSERT_TRUE_MESSAGE(x[BETA] >= speed - tol, text);
    if (v[2] > 0) { // apart: no forces, and beta may be more than the speed
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol, 0, x[NORMAL] + sum, text);
        return;
    }
    TEST_ASSERT_TRUE_MESSAGE(x[NORMAL] > 0.1, text);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol, speed, x[BETA], text);
    if (speed == 0) return;
    // all of mu lambda_n, along the directions that v is most against
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol, mu * x[NORMAL], sum, text);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol * 100, -speed * sum, fx * v[0] + fy * v[1], text);
}

// The five velocities of the slide, each made the outcome of a contact by the free motion that goes
// with it; the second contact couples the normal with the tangents.
static void test_friction_of_stewart_and_trinkle(void)
{
    static const char *const names[] = {"fischer", "fischer-krylov", "penalised", "minmap"};
    // velocities, and forces that belong to them with mu = 0.5 and 2 along the normal
    static const double v[5][3] = {
        {5, 1, 0}, {-35, 15, 0}, {-35, -35, 0}, {0, 0, 0}, {-35, 15, 0.01}};
    static const double f[5][3] = {{-1, 0, 2}, {1, 0, 2}, {0.3, 0.7, 2}, {0.2, -0.4, 2}, {0, 0, 0}};
    double B[2][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {2, 0.1, 0.3, 0.1, 1.5, -0.2, 0.3, -0.2, 1}};
    for (int k = 0; k < 4 * 5 * 2; k++) {
        const char *name = names[k % 4];
        int which = k / 4 % 5;
        double free[3], x[N_ROWS] = {0}, got[3], *b = B[k / 20];
        char text[64];
        pl_lcp_options options = pl_lcp_options_default();
        options.tolerance = 1e-13;
        for (int i = 0; i < 3; i++) {
            free[i] = v[which][i];
            for (int j = 0; j < 3; j++) free[i] -= b[i + 3 * j] * f[which][j];
        }
        own_lcp own = contact(b, free, 0.5);
        pl_lcp_stats stats = solve(name, &own.lcp, options, x);
        snprintf(text, sizeof text, "%s, velocity %d, contact %d: %s, %.1e", name, which, k / 20,
                 pl_lcp_end_name(stats.end), stats.errors.natural);
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_LCP_SOLVED, stats.end, text);
        for (int i = 0; i < 3; i++) {
            double force[3] = {x[PLUS_X] - x[MINUS_X], x[PLUS_Y] - x[MINUS_Y], x[NORMAL]};
            got[i] = free[i];
            for (int j = 0; j < 3; j++) got[i] += b[i + 3 * j] * force[j];
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12, v[which][i], got[i], text);
        }
        hold_contact(x, v[which], 0.5, text);
        own_lcp_free(&own);
    }
}

// --- Interior points ---

// With a solution that is not strictly complementary, and infeasible starts: few iterations, and an
// exact end.
static void test_interior_points_end_exactly(void)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        pl_lcp_params params = pl_lcp_params_default();
        double x[50];
        params.degenerate = 0.5;
        params.mixed_bounds = seed % 2 == 1;
        TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_generate(PL_LCP_KIND_SPD, 50, seed, &params, &data));
        for (int32_t i = 0; i < 50; i++) x[i] = 1e3;
        pl_lcp_stats stats = solve("ipm", &data.lcp, pl_lcp_options_default(), x);
        TEST_ASSERT_EQUAL_INT(PL_LCP_SOLVED, stats.end);
        TEST_ASSERT_TRUE(stats.iterations <= 15 && stats.errors.natural < 1e-12);
        pl_lcp_data_free(&data);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_signs);
    RUN_TEST(test_boxes);
    RUN_TEST(test_fischer_is_accurate);
    RUN_TEST(test_partial_derivatives);
    RUN_TEST(test_gradient);
    RUN_TEST(test_directions);
    RUN_TEST(test_singular_systems);
    RUN_TEST(test_the_slides_projection_fails);
    RUN_TEST(test_order_of_convergence);
    RUN_TEST(test_iterations_and_size);
    RUN_TEST(test_inner_solves);
    RUN_TEST(test_friction_of_stewart_and_trinkle);
    RUN_TEST(test_interior_points_end_exactly);
    return UNITY_END();
}
