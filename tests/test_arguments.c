// What a program passes in by mistake: NULL, numbers of bodies that are not there, negative counts.
// Every public function is called so; none crashes, and each answers as the header says.

#include "worlds.h"

#include <math.h>
#include <stdint.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// The call must fail with PL_ERROR_ARGUMENT and a sentence that it has made itself.
static void check_refusal(pl_status status, const char *call)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_ARGUMENT, status, call);
    TEST_ASSERT_TRUE_MESSAGE(pl_error_text()[0] != '\0', call);
    TEST_ASSERT_NULL_MESSAGE(strstr(pl_error_text(), "of before"), call);
}

// Leaves another sentence first.
static void forget_failure(void)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_mesh_make("of before", &mesh));
}

#define REFUSED(call) (forget_failure(), check_refusal(call, #call))

static const int32_t bad_bodies[] = {-1, 2, INT32_MAX, INT32_MIN};
enum { BAD_BODIES = sizeof bad_bodies / sizeof bad_bodies[0] };

// A deformable cube and a rigid one.
static pl_world *make_pair(void)
{
    pl_world *world = make_world(NULL);
    add_body(world, "cube:cells=1", NULL);
    pl_mesh *mesh = make_mesh("cube:cells=1");
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, up));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, mesh, NULL, NULL));
    pl_mesh_destroy(mesh);
    return world;
}

// --- Meshes ---

static void test_meshes(void)
{
    pl_mesh *mesh = make_mesh("cube:cells=1"), *out = mesh;
    const double m[12] = {1};
    REFUSED(pl_mesh_create(0, NULL, 0, NULL, 0, NULL, NULL));
    REFUSED(pl_mesh_create(1, NULL, 0, NULL, 0, NULL, &out));
    TEST_ASSERT_NULL(out);
    REFUSED(pl_mesh_create(-1, m, 0, NULL, 0, NULL, &out));
    REFUSED(pl_mesh_create(0, NULL, 1, NULL, 0, NULL, &out));
    REFUSED(pl_mesh_create(0, NULL, 0, NULL, INT32_MIN, NULL, &out));
    REFUSED(pl_mesh_copy(NULL, &out));
    REFUSED(pl_mesh_copy(mesh, NULL));
    REFUSED(pl_mesh_transform(NULL, m));
    REFUSED(pl_mesh_transform(mesh, NULL));
    REFUSED(pl_mesh_set_positions(NULL, m));
    REFUSED(pl_mesh_set_positions(mesh, NULL));
    int32_t number[64];
    REFUSED(pl_mesh_parts(NULL, number));
    REFUSED(pl_mesh_parts(mesh, NULL));
    REFUSED(pl_mesh_surface(NULL, NULL, &out));
    REFUSED(pl_mesh_surface(mesh, NULL, NULL));
    REFUSED(pl_mesh_make(NULL, &out));
    REFUSED(pl_mesh_make("cube", NULL));
    TEST_ASSERT_FALSE(pl_shape_known(NULL));
    REFUSED(pl_mesh_clean(NULL, NULL, NULL));
    pl_surface_report report;
    REFUSED(pl_mesh_inspect(NULL, &report));
    pl_surface_report_free(&report); // it is empty
    REFUSED(pl_mesh_inspect(mesh, NULL));
    REFUSED(pl_mesh_decimate(NULL, NULL, &out));
    REFUSED(pl_mesh_decimate(mesh, NULL, NULL));
    pl_mesh_quality quality;
    REFUSED(pl_mesh_measure(NULL, &quality, NULL, NULL));
    REFUSED(pl_mesh_measure(mesh, NULL, NULL, NULL));
    REFUSED(pl_mesh_neighbours(NULL, number));
    REFUSED(pl_mesh_neighbours(mesh, NULL));
    pl_place place[4];
    REFUSED(pl_mesh_locate(NULL, false, 4, m, place));
    REFUSED(pl_mesh_locate(mesh, false, 4, NULL, place));
    REFUSED(pl_mesh_locate(mesh, false, 4, m, NULL));
    REFUSED(pl_mesh_locate(mesh, true, -1, m, place));
    REFUSED(pl_mesh_locate(mesh, true, 1, (const double[3]){0, NAN, 0}, place));
    REFUSED(pl_mesh_improve(NULL, NULL));
    REFUSED(pl_mesh_improve(mesh, &(pl_improve_options){.goal = 0, .passes = 1}));
    REFUSED(pl_mesh_improve(mesh, &(pl_improve_options){.goal = NAN, .passes = 1}));
    REFUSED(pl_mesh_improve(mesh, &(pl_improve_options){.goal = 0.5, .passes = -1}));
    REFUSED(pl_mesh_carve(NULL, 0));
    REFUSED(pl_mesh_carve(mesh, -1));
    REFUSED(pl_mesh_carve(mesh, pl_mesh_vertex_count(mesh) + 1));
    pl_mesh_destroy(NULL);
    pl_surface_report_free(NULL);
    pl_mesh_destroy(mesh);
}

static void test_mesh_files(void)
{
    pl_mesh *mesh = make_mesh("cube:cells=1"), *out;
    REFUSED(pl_mesh_read(NULL, &out));
    REFUSED(pl_mesh_read("a.off", NULL));
    REFUSED(pl_mesh_read_memory("OFF", 3, NULL, &out));
    REFUSED(pl_mesh_read_memory(NULL, 3, "a.off", &out));
    REFUSED(pl_mesh_read_memory("OFF", 3, "a.off", NULL));
    REFUSED(pl_mesh_write(NULL, "/tmp/a.off", NULL));
    REFUSED(pl_mesh_write(mesh, NULL, NULL));
    REFUSED(pl_mesh_writable(NULL));
    pl_write_options options = pl_write_options_default();
    options.n_fields = 1;
    REFUSED(pl_mesh_write(mesh, "/tmp/no.vtu", &options));
    options.n_fields = -1;
    REFUSED(pl_mesh_write(mesh, "/tmp/no.vtu", &options));
    options.n_fields = 0, options.cells = (pl_vtu_cells)17;
    REFUSED(pl_mesh_write(mesh, "/tmp/no.vtu", &options));
    const pl_field field = {.name = NULL, .components = 1};
    options = (pl_write_options){.n_fields = 1, .fields = &field};
    REFUSED(pl_mesh_write(mesh, "/tmp/no.vtu", &options));
    pl_mesh_destroy(mesh);
}

static void test_looking_at_no_mesh(void)
{
    double lo[3], hi[3];
    TEST_ASSERT_EQUAL(0, pl_mesh_vertex_count(NULL));
    TEST_ASSERT_EQUAL(0, pl_mesh_face_count(NULL));
    TEST_ASSERT_EQUAL(0, pl_mesh_tet_count(NULL));
    TEST_ASSERT_NULL(pl_mesh_positions(NULL));
    TEST_ASSERT_NULL(pl_mesh_faces(NULL));
    TEST_ASSERT_NULL(pl_mesh_tets(NULL));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_mesh_volume(NULL));
    pl_mesh_bounds(NULL, lo, hi);
    TEST_ASSERT_TRUE(lo[0] > hi[0] && lo[1] > hi[1] && lo[2] > hi[2]);
    pl_mesh_bounds(NULL, NULL, NULL);
}

// A length is told also where there is no buffer.
static void test_texts(void)
{
    char buffer[8] = "before";
    TEST_ASSERT_EQUAL(0, pl_mesh_quality_text(NULL, buffer, sizeof buffer));
    TEST_ASSERT_EQUAL_STRING("", buffer);
    TEST_ASSERT_TRUE(pl_shape_help(NULL, 100) > 100);
    TEST_ASSERT_TRUE(pl_solver_help(NULL, 100) > 100);
    TEST_ASSERT_EQUAL_STRING("unknown", pl_status_name((pl_status)-7));
}

static void test_solvers(void)
{
    pl_solver_info info;
    int32_t number;
    REFUSED(pl_solver_describe(-1, &info));
    REFUSED(pl_solver_describe(INT32_MAX, &info));
    REFUSED(pl_solver_describe(0, NULL));
    REFUSED(pl_solver_number(NULL, &number));
    REFUSED(pl_solver_number("apg", NULL));
    REFUSED(pl_precond_number(NULL, &number));
    REFUSED(pl_precond_number("full", NULL));
    TEST_ASSERT_NULL(pl_precond_name(-1));
    TEST_ASSERT_NULL(pl_precond_name(INT32_MAX));
}

static void test_problems(void)
{
    pl_problem *problem;
    pl_solve_result result;
    pl_constraint_info info;
    double v[3] = {0}, f[3] = {0}, S[9] = {0};
    REFUSED(pl_problem_read(NULL, &problem));
    TEST_ASSERT_NULL(problem);
    REFUSED(pl_problem_read("/tmp/no.plp", NULL));
    REFUSED(pl_problem_create(0, NULL, NULL, NULL, NULL, NULL, 1, &problem));
    REFUSED(pl_problem_add_constraint(NULL, &info, 0, NULL));
    REFUSED(pl_problem_write(NULL, "/tmp/no.plp"));
    REFUSED(pl_world_problem(NULL, &problem));
    REFUSED(pl_problem_solve(NULL, "apg", NULL, v, f, &result));
    REFUSED(pl_problem_measure(NULL, v, f, &result));
    REFUSED(pl_problem_matrix(NULL, NULL, NULL, NULL));
    REFUSED(pl_problem_rows(NULL, NULL, NULL, NULL));
    REFUSED(pl_problem_constraint(NULL, 0, &info));
    REFUSED(pl_problem_multiply(NULL, v, f));
    REFUSED(pl_problem_relative(NULL, v, f));
    REFUSED(pl_problem_momentum(NULL, f, v));
    REFUSED(pl_problem_solve_one(NULL, 0, S, v, f));
    REFUSED(pl_problem_start(NULL, true, v, f));
    REFUSED(pl_problem_set_start(NULL, v, f));
    TEST_ASSERT_EQUAL(0, pl_problem_sizes(NULL).blocks);
    TEST_ASSERT_NULL(pl_problem_rhs(NULL));
    TEST_ASSERT_NULL(pl_problem_prescribed(NULL));
    TEST_ASSERT_FALSE(pl_solve_done(NULL) || pl_solve_late(NULL));
    TEST_ASSERT_NULL(pl_solve_memory(NULL, 1, 1));
    pl_problem_destroy(NULL);
}

static void test_problems_of_others(void)
{
    pl_problem *problem;
    pl_constraint_info info = {0};
    pl_global_contacts global = {0};
    pl_local_contacts local = {0};
    int32_t block = 0;
    REFUSED(pl_problem_create_global(NULL, 1, &problem));
    REFUSED(pl_problem_create_global(&global, 1, &problem)); // of 0 dimensions
    REFUSED(pl_problem_create_global(&global, 1, NULL));
    REFUSED(pl_problem_create_local(NULL, 1, &problem));
    REFUSED(pl_problem_create_local(&local, 1, &problem));
    local.dimension = 3;
    REFUSED(pl_problem_create_local(&local, 0, &problem));
    REFUSED(pl_problem_create_local(&local, 1, NULL));
    TEST_ASSERT_NULL(problem);
    REFUSED(pl_problem_add_blocks(NULL, &info, 0, &block, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_create_local(&local, 1, &problem)); // of nothing
    REFUSED(pl_problem_add_blocks(problem, NULL, 0, NULL, NULL));
    REFUSED(pl_problem_add_blocks(problem, &info, 1, NULL, NULL));
    REFUSED(pl_problem_add_blocks(problem, &info, 1, &block, info.axes)); // there is no block
    REFUSED(pl_problem_add_blocks(problem, &info, -1, &block, info.axes));
    pl_problem_destroy(problem);
}

static void test_complementarity(void)
{
    pl_complementarity *problem = NULL;
    pl_complementarity_data data = {0};
    pl_complementarity_solver solver;
    pl_complementarity_result result;
    double x[1] = {0};
    int32_t number;
    REFUSED(pl_complementarity_create(NULL, &problem));
    REFUSED(pl_complementarity_create(&data, &problem));
    REFUSED(pl_complementarity_create(&data, NULL));
    REFUSED(pl_complementarity_read(NULL, &problem));
    REFUSED(pl_complementarity_read("/tmp/no.txt", NULL));
    REFUSED(pl_complementarity_write(NULL, "/tmp/no.txt"));
    REFUSED(pl_complementarity_generate(NULL, &problem));
    REFUSED(pl_complementarity_generate("spd", NULL));
    TEST_ASSERT_NULL(problem);
    REFUSED(pl_complementarity_view(NULL, &data));
    REFUSED(pl_complementarity_start(NULL, x));
    REFUSED(pl_complementarity_multiply(NULL, x, x));
    REFUSED(pl_complementarity_describe(-1, &solver));
    REFUSED(pl_complementarity_describe(INT32_MAX, &solver));
    REFUSED(pl_complementarity_describe(0, NULL));
    REFUSED(pl_complementarity_number(NULL, &number));
    REFUSED(pl_complementarity_number("pgs", NULL));
    REFUSED(pl_complementarity_solve(NULL, "pgs", NULL, x, &result));
    REFUSED(pl_complementarity_measure(NULL, x, &result));
    TEST_ASSERT_EQUAL(PL_OK, pl_complementarity_generate("spd:n=1", &problem));
    REFUSED(pl_complementarity_view(problem, NULL));
    REFUSED(pl_complementarity_start(problem, NULL));
    REFUSED(pl_complementarity_multiply(problem, NULL, x));
    REFUSED(pl_complementarity_write(problem, NULL));
    REFUSED(pl_complementarity_solve(problem, NULL, NULL, x, &result));
    REFUSED(pl_complementarity_solve(problem, "pgs", NULL, NULL, &result));
    REFUSED(pl_complementarity_solve(problem, "pgs", NULL, x, NULL));
    REFUSED(pl_complementarity_measure(problem, x, NULL));
    TEST_ASSERT_FALSE(pl_complementarity_suits(NULL, 0) || pl_complementarity_suits(problem, -1));
    TEST_ASSERT_FALSE(pl_complementarity_is_symmetric(NULL));
    TEST_ASSERT_TRUE(isnan(pl_complementarity_condition(NULL)));
    TEST_ASSERT_EQUAL_INT32(0, pl_complementarity_solutions(NULL, NULL));
    TEST_ASSERT_NULL(pl_complementarity_kind(-1));
    pl_complementarity_destroy(NULL);
    pl_complementarity_destroy(problem);
}

static void test_hooks(void)
{
    const pl_allocator none = {0};
    pl_set_allocator(&none);
    pl_mesh_destroy(make_mesh("cube:cells=1"));
    pl_set_allocator(NULL);
    pl_set_log(NULL, NULL);
}

// --- Collision ---

static void test_surfaces(void)
{
    const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int32_t face[3] = {0, 1, 2};
    pl_collider collider = pl_collider_default();
    collider.n_face = 1, collider.face = face;
    pl_surfaces *surfaces;
    pl_candidates found;
    int32_t grown;
    REFUSED(pl_surfaces_create(3, x, 1, &collider, NULL));
    REFUSED(pl_surfaces_create(3, NULL, 1, &collider, &surfaces));
    REFUSED(pl_surfaces_create(-3, x, 1, &collider, &surfaces));
    REFUSED(pl_surfaces_create(3, x, 1, NULL, &surfaces));
    REFUSED(pl_surfaces_create(3, x, -1, &collider, &surfaces));
    collider.face = NULL;
    REFUSED(pl_surfaces_create(3, x, 1, &collider, &surfaces));
    collider.n_face = 0, collider.n_edge = -1;
    REFUSED(pl_surfaces_create(3, x, 1, &collider, &surfaces));
    TEST_ASSERT_NULL(surfaces);
    collider.n_edge = 0, collider.n_face = 1, collider.face = face;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_create(3, x, 1, &collider, &surfaces));
    REFUSED(pl_surfaces_ignore(NULL, 0, 0));
    REFUSED(pl_surfaces_ignore(surfaces, -1, 0));
    REFUSED(pl_surfaces_ignore(surfaces, 0, 1));
    REFUSED(pl_surfaces_search(NULL, x, x, 0, &found));
    REFUSED(pl_surfaces_search(surfaces, NULL, x, 0, &found));
    REFUSED(pl_surfaces_search(surfaces, x, NULL, 0, &found));
    REFUSED(pl_surfaces_search(surfaces, x, x, 0, NULL));
    REFUSED(pl_surfaces_search(surfaces, x, x, -1, &found));
    REFUSED(pl_surfaces_extend(surfaces, x, x, &found, &grown)); // nothing was searched yet
    REFUSED(pl_surfaces_extend(NULL, x, x, &found, &grown));
    REFUSED(pl_surfaces_extend(surfaces, x, x, &found, NULL));
    TEST_ASSERT_EQUAL(0, pl_surfaces_edge_count(NULL));
    TEST_ASSERT_NULL(pl_surfaces_edges(NULL));
    pl_surfaces_destroy(NULL);
    pl_surfaces_destroy(surfaces);
}

static void test_audits(void)
{
    const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int32_t face[3] = {0, 1, 2}, pair[2] = {0, 1};
    pl_audit_body body = {.n_face = 1, .face = face};
    pl_audit *audit;
    pl_audit_report report;
    REFUSED(pl_audit_create(3, 1, &body, NULL, NULL));
    REFUSED(pl_audit_create(3, 1, NULL, NULL, &audit));
    REFUSED(pl_audit_create(-3, 1, &body, NULL, &audit));
    REFUSED(pl_audit_create(3, -1, &body, NULL, &audit));
    pl_audit_options options = {.exclude = pair, .n_exclude = 1};
    REFUSED(pl_audit_create(3, 1, &body, &options, &audit)); // there is no body 1
    options.exclude = NULL;
    REFUSED(pl_audit_create(3, 1, &body, &options, &audit));
    options.n_exclude = -1;
    REFUSED(pl_audit_create(3, 1, &body, &options, &audit));
    body.face = NULL;
    REFUSED(pl_audit_create(3, 1, &body, NULL, &audit));
    TEST_ASSERT_NULL(audit);
    body.face = face;
    TEST_ASSERT_EQUAL(PL_OK, pl_audit_create(3, 1, &body, NULL, &audit));
    REFUSED(pl_audit_run(NULL, x, &report));
    REFUSED(pl_audit_run(audit, NULL, &report));
    REFUSED(pl_audit_run(audit, x, NULL));
    pl_audit_destroy(audit);
    pl_audit_destroy(NULL);
}

// --- Worlds ---

static void test_making_worlds(void)
{
    pl_world *world;
    REFUSED(pl_world_create(NULL, NULL));
    pl_world_options options = pl_world_options_default();
    options.solver = NULL;
    REFUSED(pl_world_create(&options, &world));
    options = pl_world_options_default(), options.precond = NULL;
    REFUSED(pl_world_create(&options, &world));
    options = pl_world_options_default(), options.integrator = (pl_integrator)-1;
    REFUSED(pl_world_create(&options, &world));
    options = pl_world_options_default(), options.halvings = -1;
    REFUSED(pl_world_create(&options, &world));
    options = pl_world_options_default(), options.max_seconds = NAN;
    REFUSED(pl_world_create(&options, &world));
    TEST_ASSERT_NULL(world);
    pl_world_destroy(NULL);
}

static void test_adding_bodies(void)
{
    pl_world *world = make_world(NULL);
    pl_mesh *mesh = make_mesh("cube:cells=1");
    REFUSED(pl_world_add_deformable(NULL, mesh, NULL, NULL));
    REFUSED(pl_world_add_deformable(world, NULL, NULL, NULL));
    REFUSED(pl_world_add_rigid(NULL, mesh, NULL, NULL));
    REFUSED(pl_world_add_rigid(world, NULL, NULL, NULL));
    REFUSED(pl_world_add_kinematic(NULL, mesh, NULL, NULL));
    REFUSED(pl_world_add_kinematic(world, NULL, NULL, NULL));
    pl_deformable_options elastic = pl_deformable_options_default();
    elastic.material.kind = (pl_material_kind)99;
    REFUSED(pl_world_add_deformable(world, mesh, &elastic, NULL));
    pl_kinematic_options moved = pl_kinematic_options_default();
    moved.motion.n_key = 1;
    REFUSED(pl_world_add_kinematic(world, mesh, &moved, NULL));
    moved.motion.n_key = -1;
    REFUSED(pl_world_add_kinematic(world, mesh, &moved, NULL));
    TEST_ASSERT_EQUAL(0, pl_world_body_count(world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, NULL)); // of nothing
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
}

// Of a body that is not there, in a world and in none.
static void check_no_body(pl_world *world, int32_t body)
{
    double value[300] = {0};
    const int32_t vertex = 0;
    const pl_pull pull = {.stiffness = 1};
    pl_frame frame;
    int32_t corner[3];
    TEST_ASSERT_EQUAL(PL_BODY_NONE, pl_world_kind(world, body));
    TEST_ASSERT_EQUAL(0, pl_world_vertex_count(world, body));
    TEST_ASSERT_NULL(pl_world_positions(world, body));
    TEST_ASSERT_NULL(pl_world_velocities(world, body));
    TEST_ASSERT_NULL(pl_world_mesh(world, body));
    REFUSED(pl_world_drive(world, body, 1, &vertex, NULL));
    REFUSED(pl_world_set_forces(world, body, value));
    REFUSED(pl_world_pull(world, body, 1, &pull));
    REFUSED(pl_world_set_friction(world, body, 0.1));
    REFUSED(pl_world_frame(world, body, &frame));
    REFUSED(pl_world_set_state(world, body, value, value));
    REFUSED(pl_world_stress(world, body, value, value));
    REFUSED(pl_world_ignore(world, body, 0));
    REFUSED(pl_world_ignore(world, 0, body));
    pl_world_audit_face(world, body, 0, corner);
    TEST_ASSERT_TRUE(corner[0] == -1 && corner[1] == -1 && corner[2] == -1);
}

static void test_bodies_that_are_not_there(void)
{
    pl_world *world = make_pair();
    for (int i = 0; i < BAD_BODIES; i++) {
        check_no_body(world, bad_bodies[i]);
        check_no_body(NULL, bad_bodies[i]);
    }
    check_no_body(NULL, 0);
    pl_world_destroy(world);
}

static void test_bodies_that_are(void)
{
    pl_world *world = make_pair();
    const int32_t vertex[1] = {-1};
    pl_pull pull = {.vertex = INT32_MAX, .stiffness = 1};
    REFUSED(pl_world_drive(world, 0, 1, NULL, NULL));
    REFUSED(pl_world_drive(world, 0, -1, vertex, NULL));
    REFUSED(pl_world_drive(world, 0, 1, vertex, NULL));
    REFUSED(pl_world_pull(world, 0, 1, NULL));
    REFUSED(pl_world_pull(world, 0, -1, &pull));
    REFUSED(pl_world_pull(world, 0, 1, &pull));
    REFUSED(pl_world_frame(world, 1, NULL));
    REFUSED(pl_world_set_state(world, 1, NULL, NULL)); // it is rigid
    REFUSED(pl_world_stress(world, 1, NULL, NULL));
    REFUSED(pl_world_set_friction(world, 0, NAN));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, 0, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_stress(world, 0, NULL, NULL));
    pl_world_destroy(world);
}

static void test_audit_faces(void)
{
    pl_world *world = make_pair();
    pl_audit_report report;
    const int32_t bad_faces[] = {-1, 12, INT32_MAX, INT32_MIN};
    int32_t corner[3];
    pl_world_audit_face(world, 0, 0, corner); // before the first audit
    TEST_ASSERT_EQUAL(-1, corner[0]);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
    pl_world_audit_face(world, 1, 11, corner);
    TEST_ASSERT_TRUE(corner[0] >= 0 && corner[0] < 8);
    for (int i = 0; i < 4; i++) {
        pl_world_audit_face(world, 0, bad_faces[i], corner);
        TEST_ASSERT_TRUE(corner[0] == -1 && corner[1] == -1 && corner[2] == -1);
        pl_world_audit_face(world, bad_bodies[i], 0, corner);
        TEST_ASSERT_TRUE(corner[0] == -1 && corner[1] == -1 && corner[2] == -1);
    }
    pl_world_audit_face(world, 0, 0, NULL);
    pl_world_destroy(world);
}

static void test_worlds(void)
{
    pl_world *world = make_pair();
    pl_energy energy;
    pl_audit_report report;
    int32_t n = 7;
    REFUSED(pl_world_energy(NULL, &energy));
    REFUSED(pl_world_energy(world, NULL));
    REFUSED(pl_world_step(NULL, NULL));
    REFUSED(pl_world_prepare(NULL));
    double gap;
    REFUSED(pl_world_measure_gap(NULL, &gap));
    REFUSED(pl_world_measure_gap(world, NULL));
    pl_world_end_audits(NULL);
    char text[8] = "before";
    TEST_ASSERT_EQUAL(0, pl_world_name(NULL, 0, text, sizeof text));
    TEST_ASSERT_EQUAL_STRING("", text);
    TEST_ASSERT_TRUE(pl_world_name(world, 0, NULL, 0) > 0);
    for (int i = 0; i < BAD_BODIES; i++) {
        TEST_ASSERT_EQUAL(0, pl_world_name(world, bad_bodies[i], text, sizeof text));
        TEST_ASSERT_EQUAL(0, pl_world_way_out(world, bad_bodies[i], 0, text, sizeof text));
        TEST_ASSERT_EQUAL(0, pl_world_way_out(world, 0, bad_bodies[i], text, sizeof text));
    }
    TEST_ASSERT_EQUAL(0, pl_world_way_out(NULL, 0, 1, text, sizeof text));
    TEST_ASSERT_TRUE(pl_world_way_out(world, 0, 1, NULL, 0) > 0);
    REFUSED(pl_world_set_solver(NULL, "apg", "full"));
    REFUSED(pl_world_set_solver(world, NULL, "full"));
    REFUSED(pl_world_set_solver(world, "apg", NULL));
    REFUSED(pl_world_set_max_seconds(NULL, 1));
    REFUSED(pl_world_set_threads(NULL, 1));
    REFUSED(pl_world_set_max_seconds(world, -1));
    REFUSED(pl_world_audit(NULL, &report));
    REFUSED(pl_world_audit(world, NULL));
    const double at[3] = {0, 0, 9}, down[3] = {0, 0, -1};
    pl_ray_hit hit;
    REFUSED(pl_world_ray(NULL, at, down, 1, ~0u, &hit));
    REFUSED(pl_world_ray(world, NULL, down, 1, ~0u, &hit));
    REFUSED(pl_world_ray(world, at, NULL, 1, ~0u, &hit));
    REFUSED(pl_world_ray(world, at, (const double[3]){0}, 1, ~0u, &hit));
    REFUSED(pl_world_ray(world, at, down, -1, ~0u, &hit));
    REFUSED(pl_world_ray(world, at, down, 1, ~0u, NULL));
    REFUSED(pl_world_closest(NULL, at, 1, ~0u, &hit));
    REFUSED(pl_world_closest(world, NULL, 1, ~0u, &hit));
    REFUSED(pl_world_closest(world, at, NAN, ~0u, &hit));
    REFUSED(pl_world_closest(world, at, 1, ~0u, NULL));
    REFUSED(pl_world_overlap(NULL, down, at, ~0u, 1, &n, &n));
    REFUSED(pl_world_overlap(world, NULL, at, ~0u, 1, &n, &n));
    REFUSED(pl_world_overlap(world, down, NULL, ~0u, 1, &n, &n));
    REFUSED(pl_world_overlap(world, at, down, ~0u, 1, &n, &n));
    REFUSED(pl_world_overlap(world, down, at, ~0u, 1, NULL, &n));
    REFUSED(pl_world_overlap(world, down, at, ~0u, -1, &n, &n));
    REFUSED(pl_world_overlap(world, down, at, ~0u, 1, &n, NULL));
    n = 7;
    REFUSED(pl_world_save_problem(NULL, "/tmp/no.plp"));
    REFUSED(pl_world_save_problem(world, NULL));
    REFUSED(pl_world_save(NULL, "/tmp/no.plc"));
    REFUSED(pl_world_save(world, NULL));
    REFUSED(pl_world_load(NULL, "/tmp/no.plc"));
    REFUSED(pl_world_load(world, NULL));
    REFUSED(pl_world_contact_forces(NULL, 0, &(double){0}));
    REFUSED(pl_world_contact_forces(world, 0, NULL));
    REFUSED(pl_world_contact_forces(world, -1, &(double){0}));
    REFUSED(pl_world_contact_traction(NULL, 0, &(double){0}));
    REFUSED(pl_world_contact_traction(world, 0, NULL));
    REFUSED(pl_world_resultant(NULL, 0, -1, &(pl_resultant){0}));
    REFUSED(pl_world_resultant(world, 0, -1, NULL));
    REFUSED(pl_world_resultant(world, 0, -2, &(pl_resultant){0}));
    REFUSED(pl_world_body_contacts(NULL, 0, 0, NULL, &(int32_t){0}));
    REFUSED(pl_world_body_contacts(world, 0, 1, NULL, &(int32_t){0}));
    REFUSED(pl_world_body_contacts(world, 0, 0, NULL, NULL));
    REFUSED(pl_world_stress_tensor(NULL, 0, NULL, NULL));
    REFUSED(pl_world_stress_tensor(world, -1, NULL, NULL));
    TEST_ASSERT_NULL(pl_world_contact_events(NULL, NULL));
    REFUSED(pl_world_remove(NULL, 0));
    REFUSED(pl_world_remove(world, -1));
    REFUSED(pl_world_set_user_data(NULL, 0, NULL));
    REFUSED(pl_world_set_user_data(world, 1 << 30, NULL));
    TEST_ASSERT_NULL(pl_world_user_data(NULL, 0));
    TEST_ASSERT_NULL(pl_world_user_data(world, -5));
    TEST_ASSERT_EQUAL(-1, pl_world_body_at(NULL, 0));
    TEST_ASSERT_EQUAL(-1, pl_world_body_at(world, 1 << 25));
    TEST_ASSERT_NULL(pl_world_get_options(NULL));
    const double numbers[4] = {1, 0, 0, 0}, bad[4] = {NAN, NAN, NAN, NAN};
    REFUSED(pl_world_set_gravity(NULL, numbers));
    REFUSED(pl_world_set_gravity(world, NULL));
    REFUSED(pl_world_set_gravity(world, bad));
    REFUSED(pl_world_set_dt(NULL, 1));
    REFUSED(pl_world_set_dt(world, NAN));
    REFUSED(pl_world_set_material(NULL, 0, NULL));
    REFUSED(pl_world_set_material(world, -1, &(pl_material_options){0}));
    REFUSED(pl_world_set_damping(NULL, 0, 1));
    REFUSED(pl_world_set_damping(world, -1, 1));
    REFUSED(pl_world_set_force(NULL, 0, numbers, numbers));
    REFUSED(pl_world_set_force(world, -1, numbers, numbers));
    REFUSED(pl_world_apply_impulse(NULL, 0, numbers, NULL));
    REFUSED(pl_world_apply_impulse(world, 0, NULL, NULL));
    REFUSED(pl_world_set_frame(NULL, 0, &(pl_frame){0}));
    REFUSED(pl_world_set_frame(world, 0, NULL));
    REFUSED(pl_world_move_to(NULL, 0, numbers, numbers));
    REFUSED(pl_world_move_to(world, 0, NULL, numbers));
    REFUSED(pl_world_move_to(world, 0, numbers, NULL));
    REFUSED(pl_world_save_memory(NULL, NULL, 0, &(size_t){0}));
    REFUSED(pl_world_save_memory(world, NULL, 0, NULL));
    REFUSED(pl_world_load_memory(NULL, "", 0));
    REFUSED(pl_world_load_memory(world, NULL, 0));
    TEST_ASSERT_NULL(pl_world_contacts(NULL, &n));
    TEST_ASSERT_EQUAL(0, n);
    TEST_ASSERT_NULL(pl_world_contacts(world, NULL));
    TEST_ASSERT_EQUAL(0, pl_world_body_count(NULL));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_world_time(NULL));
    TEST_ASSERT_EQUAL(0, pl_world_steps(NULL));
    TEST_ASSERT_EQUAL_HEX64(0, pl_world_hash(NULL));
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_meshes);
    RUN_TEST(test_mesh_files);
    RUN_TEST(test_looking_at_no_mesh);
    RUN_TEST(test_texts);
    RUN_TEST(test_solvers);
    RUN_TEST(test_problems);
    RUN_TEST(test_problems_of_others);
    RUN_TEST(test_complementarity);
    RUN_TEST(test_hooks);
    RUN_TEST(test_surfaces);
    RUN_TEST(test_audits);
    RUN_TEST(test_making_worlds);
    RUN_TEST(test_adding_bodies);
    RUN_TEST(test_bodies_that_are_not_there);
    RUN_TEST(test_bodies_that_are);
    RUN_TEST(test_audit_faces);
    RUN_TEST(test_worlds);
    return UNITY_END();
}
