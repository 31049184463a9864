// Models of friction in place of the cone: their names, a block that is pushed at an angle, the
// rows that solvers of linear complementarity problems get, and worlds.

#include "../lcp/lcp.h"
#include "../solvers/friction_model.h"
#include "../solvers/scalar_form.h"
#include "contacts.h"

#include <stdio.h>
#include <unity.h>

void setUp(void)
{
}
void tearDown(void)
{
}

static void test_names(void)
{
    static const char *const good[] = {"cone", "diamond", "pyramid:8", "outer:64",
                                       "box",  "box:3",   "box:last",  "box:follow"};
    static const char *const bad[] = {"",        "con",   "pyramid", "pyramid:5", "pyramid:66",
                                      "outer:2", "box:0", "box:33",  "box:",      "box:2x"};
    pl_friction_model model;
    const char *name;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_friction_model_parse(good[i], &model));
        TEST_ASSERT_EQUAL(PL_OK, pl_friction_model_find(good[i], &name));
        TEST_ASSERT_EQUAL_STRING(good[i], name);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_friction_model_parse(bad[i], &model));
        TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), bad[i]));
    }
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_friction_model_find(NULL, &name));
    TEST_ASSERT_EQUAL(PL_OK, pl_friction_model_parse("box:3", &model));
    TEST_ASSERT_EQUAL(3, model.updates);
}

// The friction impulse on a block of 2 kg that is pressed down with 3 N s and slides fast at an
// angle to the tangents, over mu times the normal impulse.
static double slide(const char *name, const char *solver, double angle)
{
    enum { N = 1 };
    const double mass = 2, mu = 0.4, press = 3, speed = 10;
    small s;
    const pl_solver *found;
    pl_friction_model model;
    pl_modelled modelled = {0};
    pl_solver_options options = pl_solver_options_default();
    start_masses(&s, N, &mass, 0.01);
    pl_constraint contact = contact_along(0, 0, 1, mu);
    add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
    const double *t1 = s.problem.constraint[0].R + 3, *t2 = t1 + 3;
    for (int a = 0; a < 3; a++) {
        double along = cos(angle) * t1[a] + sin(angle) * t2[a];
        s.b[a] = mass * speed * along - (a == 2 ? press : 0);
    }
    s.f[0] = press; // of the last step
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(solver, &found));
    TEST_ASSERT_EQUAL(PL_OK, pl_friction_model_parse(name, &model));
    pl_status status = pl_friction_solve(&model, found, &s.problem, &options, &s.ws, &modelled, s.v,
                                         s.f, &s.stats);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, press, s.f[0]);
    double size = hypot(s.f[1], s.f[2]) / (mu * s.f[0]);
    // It works against the motion.
    TEST_ASSERT_TRUE(s.f[1] * cos(angle) + s.f[2] * sin(angle) < 0);
    pl_modelled_free(&modelled);
    end_small(&s);
    return size;
}

// Cone: always 1. Boxes: both rows are at their bounds, sqrt 2, but along a tangent. Diamond: at a
// corner, 1. Eight corners: 1; eight sides: 1 / cos(pi / 8) at a corner between them.
static void test_a_block_slides_at_an_angle(void)
{
    static const struct {
        const char *model;
        double along, across; // at 0, and at 0.3 rad
    } rows[] = {{"cone", 1, 1},
                {"diamond", 1, 1},
                {"pyramid:8", 1, 1},
                {"outer:8", 1, 1.0823922002923938},
                {"box", 1, 1.4142135623730951},
                {"box:3", 1, 1.4142135623730951},
                {"box:last", 1, 1.4142135623730951},
                {"box:follow", 1, 1.4142135623730951}};
    static const char *const solvers[] = {"auto", "apg", "newton", "delassus", "ica"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
            double across = slide(rows[i].model, solvers[k], 0.3);
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, rows[i].across, across, rows[i].model);
            // Along a tangent, friction along the other one may be anything that does not work: 0
            // is what moves least, but outer polygons have a side there.
            if (rows[i].across > 1) continue;
            double along = slide(rows[i].model, solvers[k], 0);
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, rows[i].along, along, rows[i].model);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.4142135623730951, slide("box", "pgs", 0.3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.4142135623730951, slide("box:follow", "pgs", 0.3));
}

// --- Rows ---

// A problem by a model, solved, and its rows, whose x is made of the impulses.
typedef struct rows {
    small s;
    pl_modelled modelled;
    pl_reduced reduced;
    pl_scalar_form form;
    double *x, *w;
} rows;

static void start_rows(rows *r, const char *model_name, bool following)
{
    pl_friction_model model;
    const pl_solver *solver;
    pl_solver_options options = pl_solver_options_default();
    options.contact_tolerance = 1e-11, options.residual_tolerance = 1e-11;
    *r = (rows){0};
    start_random(&r->s, 12, 7, 0.5);
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find("newton", &solver));
    TEST_ASSERT_EQUAL(PL_OK, pl_friction_model_parse(model_name, &model));
    small *s = &r->s;
    pl_status status = pl_friction_solve(&model, solver, &s->problem, &options, &s->ws,
                                         &r->modelled, s->v, s->f, &s->stats);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    const pl_problem *p = &r->modelled.problem;
    pl_arena_reset(&s->ws.arena);
    TEST_ASSERT_EQUAL(PL_OK, pl_workspace_prepare(p, &s->ws, s->v));
    TEST_ASSERT_EQUAL(PL_OK, pl_reduced_create(p, &s->ws.uses, &s->ws.D, s->ws.scale, s->v, true,
                                               1e9, &s->ws.arena, &r->reduced));
    TEST_ASSERT_EQUAL(PL_OK, pl_scalar_form_create(&r->reduced, following, &s->ws.arena, &r->form));
    r->x = calloc((size_t)r->form.lcp.n + 1, sizeof *r->x);
    r->w = calloc((size_t)r->form.lcp.n + 1, sizeof *r->w);
    pl_scalar_form_take(&r->form, s->f, r->x);
}

static void end_rows(rows *r)
{
    free(r->x), free(r->w);
    pl_modelled_free(&r->modelled);
    end_small(&r->s);
}

static void hold_rows(const char *model, bool following, int32_t n_rows)
{
    rows r;
    double back[21];
    start_rows(&r, model, following);
    if (n_rows > 0) TEST_ASSERT_EQUAL_INT32(n_rows, r.form.lcp.n);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_lcp_check(&r.form.lcp), pl_error_text());
    pl_scalar_form_give(&r.form, r.x, back);
    for (int i = 0; i < 21; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, r.s.f[i], back[i]);
    // The slip of a pyramid is the least speed that no corner is driven beyond.
    pl_lcp_multiply(&r.form.lcp, r.x, r.w);
    for (int32_t k = 0; k < 7 && n_rows > 21; k++) {
        int32_t last = r.form.first[k + 1] - 1;
        for (int32_t i = r.form.first[k] + 1; i < last; i++) r.x[last] = fmax(r.x[last], -r.w[i]);
    }
    pl_lcp_errors e = pl_lcp_measure(&r.form.lcp, r.x, r.w);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-8, 0, e.natural, model); // 1e-11 m in 0.1 s, and rounding
    end_rows(&r);
}

static void test_rows_of_models(void)
{
    hold_rows("box", false, 0); // contacts that open have no rows of friction
    hold_rows("box:last", false, 0);
    hold_rows("box:follow", true, 21);
    hold_rows("box:follow", false, 7 * 6);
    hold_rows("diamond", false, 7 * 6);
    hold_rows("pyramid:8", true, 7 * 10);
}

// --- Worlds ---

// A cube slides on the ground at 30 degrees to the tangents and stops after v^2 / (2 mu g), or less
// where friction is larger.
static double slide_in_a_world(const char *model)
{
    pl_world_options options = pl_world_options_default();
    pl_rigid_options rigid = pl_rigid_options_default();
    pl_world *world;
    pl_mesh *cube, *floor;
    int32_t body;
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.1001};
    const double down[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.1};
    options.dt = 0.005;
    options.friction_model = model;
    rigid.velocity[0] = 0.8660254037844386, rigid.velocity[1] = 0.5;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_create(&options, &world), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make("box:size=0.2,0.2,0.2", &cube));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make("box:size=9,9,0.2", &floor));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(cube, up));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(floor, down));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, floor, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, cube, &rigid, &body));
    double x = pl_world_positions(world, body)[0], y = pl_world_positions(world, body)[1];
    for (int i = 0; i < 120; i++) {
        pl_step_stats stats;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        TEST_ASSERT_EQUAL(0, stats.rescues);
    }
    double way =
        hypot(pl_world_positions(world, body)[0] - x, pl_world_positions(world, body)[1] - y);
    pl_mesh_destroy(cube);
    pl_mesh_destroy(floor);
    pl_world_destroy(world);
    return way;
}

static void test_worlds(void)
{
    double cone = slide_in_a_world("cone"), box = slide_in_a_world("box");
    // 1 m/s, mu 0.5: 0.102 m, of which a step's end may be 0.005 m more or less.
    TEST_ASSERT_DOUBLE_WITHIN(0.006, 1 / (2 * 0.5 * 9.81), cone);
    // A diamond brakes along one axis as long as that is the larger part of the velocity.
    TEST_ASSERT_TRUE(slide_in_a_world("diamond") > 1.01 * cone);
    TEST_ASSERT_TRUE(box < 0.9 * cone);
    TEST_ASSERT_DOUBLE_WITHIN(0.1 * box, box, slide_in_a_world("box:follow"));
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * cone, cone, slide_in_a_world("pyramid:32"));
}

static void test_worlds_refuse(void)
{
    pl_world_options options = pl_world_options_default();
    pl_world *world;
    options.friction_model = "circle";
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_world_create(&options, &world));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "friction model \"circle\""));
    options.friction_model = "box";
    options.vj19 = true;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_world_create(&options, &world));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "vj19"));
    options.friction_model = NULL;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_world_create(&options, &world));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_names);
    RUN_TEST(test_a_block_slides_at_an_angle);
    RUN_TEST(test_rows_of_models);
    RUN_TEST(test_worlds);
    RUN_TEST(test_worlds_refuse);
    return UNITY_END();
}
