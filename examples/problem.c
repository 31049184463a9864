// Takes the contact problem of a step out of a world, writes it, and has every solver try it.

#include <pliant.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(void)
{
    fprintf(stderr, "%s\n", pl_error_text());
    return 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "problem.plp";
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    pl_world *world;
    pl_mesh *plate, *cube;
    if (pl_world_create(&options, &world) != PL_OK) return fail();
    if (pl_mesh_make("box:size=4,4,0.2", &plate) != PL_OK) return fail();
    if (pl_world_add_kinematic(world, plate, NULL, NULL) != PL_OK) return fail();
    pl_mesh_destroy(plate);
    for (int i = 0; i < 3; i++) {
        const double up[12] = {1, 0, 0, 0.05 * i, 0, 1, 0, 0, 0, 0, 1, 0.305 + 0.405 * i};
        if (pl_mesh_make("box:size=0.4,0.4,0.4:cells=2", &cube) != PL_OK) return fail();
        if (pl_mesh_transform(cube, up) != PL_OK) return fail();
        if (pl_world_add_deformable(world, cube, NULL, NULL) != PL_OK) return fail();
        pl_mesh_destroy(cube);
    }
    for (int i = 0; i < 40; i++) {
        if (pl_world_step(world, NULL) != PL_OK) return fail();
    }
    pl_problem *problem;
    if (pl_world_problem(world, &problem) != PL_OK) return fail();
    if (pl_problem_write(problem, path) != PL_OK) return fail();
    pl_world_destroy(world);

    pl_problem_size size = pl_problem_sizes(problem);
    double *v = malloc(3 * sizeof *v * (size_t)size.blocks);
    double *f = malloc(3 * sizeof *f * (size_t)size.constraints);
    printf("%d contacts, %d unknowns; A has %d blocks, L %d\n", (int)size.constraints,
           (int)size.unknowns, (int)size.matrix_blocks, (int)size.row_blocks);
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        pl_solver_info solver;
        pl_solve_result result;
        pl_solve_options how = pl_solve_options_default();
        how.max_seconds = 2;
        if (pl_solver_describe(i, &solver) != PL_OK) return fail();
        if (!solver.cones) continue; // it needs another model of friction
        if (pl_problem_start(problem, true, v, f) != PL_OK) return fail(); // from rest
        if (pl_problem_solve(problem, solver.name, &how, v, f, &result) != PL_OK) return fail();
        printf("%-12s %-10s %5d iterations, friction error %.1e m\n", solver.name,
               pl_solve_end_name(result.end), (int)result.iterations, result.friction);
    }
    free(v), free(f);
    pl_problem_destroy(problem);
    return 0;
}
