// Contact solvers on piles of elastic bodies: everything must converge, and agree.
//
// A quick size by default; PLIANT_PILE_STEPS=20 compares more steps and prints what each way took.

#include "piles.h"

#include <stdio.h>

void setUp(void)
{
    random_state = 1;
    pl_threads_set(1);
}

void tearDown(void)
{
    pl_threads_set(2);
}

typedef struct way {
    const char *name, *solver;
    pl_precond precond;
    bool paper;
    bool must; // converge
} way;

static const way ways[] = {{"apg", "apg", PL_PRECOND_FULL, false, true},
                           {"cr full", "cr", PL_PRECOND_FULL, false, true},
                           {"cr diag", "cr", PL_PRECOND_DIAG, false, true},
                           {"cr schur", "cr", PL_PRECOND_SCHUR, false, true},
                           {"cr none", "cr", PL_PRECOND_NONE, false, false},
                           {"paper full", "cr", PL_PRECOND_FULL, true, false},
                           {"paper diag", "cr", PL_PRECOND_DIAG, true, false},
                           {"paper none", "cr", PL_PRECOND_NONE, true, false}};
enum { WAYS = sizeof ways / sizeof *ways };

static int steps_asked(void)
{
    const char *text = getenv("PLIANT_PILE_STEPS");
    return text == NULL ? 0 : atoi(text);
}

static void print_way(const way *w, const pl_solve_stats *s)
{
    const pl_contact_errors *e = &s->errors;
    printf("%-10s %s %5d iterations %6.0f ms  changes %5d  residual %.1e  penetration %.1e  "
           "normal %.1e  friction %.1e m\n",
           w->name, s->end == PL_SOLVE_CONVERGED ? "ok  " : "fail", s->iterations, 1e3 * s->seconds,
           (int)s->state_changes, e->residual, e->penetration, e->normal, e->friction);
}

static pl_status solve(const pile *p, const way *w, pl_workspace *ws, double *v, double *f,
                       pl_solve_stats *stats)
{
    const pl_solver *solver;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(w->solver, &solver));
    pl_solver_options options = pl_solver_options_default();
    options.precond = w->precond;
    options.vj19 = w->paper;
    memcpy(v, p->v, 3 * (size_t)p->n_vert * sizeof *v);
    memcpy(f, p->impulse, 3 * (size_t)p->problem.n_constraint * sizeof *f);
    return pl_solve(solver, &p->problem, &options, ws, v, f, stats);
}

// Every way from the same start; then a step with the first.
static void compare(pile *p, pl_workspace *ws, bool all)
{
    int n = 3 * p->n_vert, m = 3 * p->problem.n_constraint;
    pile_update(p);
    m = 3 * p->problem.n_constraint;
    double *v = random_vector(n), *f = random_vector(m), *v0 = random_vector(n),
           *f0 = random_vector(m);
    if (all) printf("%d contacts\n", p->problem.n_constraint);
    for (int w = 0; w < WAYS; w++) {
        pl_solve_stats stats;
        if (!all && !ways[w].must) continue;
        pl_status status = solve(p, &ways[w], ws, v, f, &stats);
        if (all) print_way(&ways[w], &stats);
        if (w == 0) memcpy(v0, v, (size_t)n * sizeof *v);
        if (w == 0) memcpy(f0, f, (size_t)m * sizeof *f);
        if (!ways[w].must) continue;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        TEST_ASSERT_TRUE(stats.errors.residual <= 1e-5);
        TEST_ASSERT_TRUE(pl_contact_errors_within(&stats.errors, 1e-6));
        double most = 0; // displacements differ by a few tolerances
        for (int i = 0; i < n; i++) most = fmax(most, p->options.dt * fabs(v[i] - v0[i]));
        TEST_ASSERT_TRUE(most < 2e-5);
    }
    memcpy(p->v, v0, (size_t)n * sizeof *v0);
    memcpy(p->impulse, f0, (size_t)m * sizeof *f0);
    for (int i = 0; i < n; i++) p->x[i] += p->options.dt * p->v[i];
    free(v), free(f), free(v0), free(f0);
}

static void run(const pile_options *options, int before, int least_contacts)
{
    pile p;
    pl_workspace ws = {0};
    pile_create(options, &p);
    for (int i = 0; i < before; i++) pile_step(&p, "apg", &ws, &(pl_solve_stats){0});
    int asked = steps_asked();
    for (int i = 0; i < (asked > 0 ? asked : 2); i++) compare(&p, &ws, asked > 0);
    TEST_ASSERT_TRUE(p.problem.n_constraint > least_contacts);
    pl_workspace_free(&ws);
    pile_free(&p);
}

static void test_boxes(void)
{
    run(&pile_of_boxes, 30, 1000);
}

static void test_rings(void)
{
    run(&pile_of_rings, 60, 1000);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_boxes);
    RUN_TEST(test_rings);
    return UNITY_END();
}
