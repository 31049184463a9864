// A solver of one's own: Gauss-Seidel over the contacts. Worlds and problems then know it by name.

#include <pliant.h>
#include <stdio.h>
#include <string.h>

// w = q + W f in the rows of contact k; each contact in turn is solved exactly, the others held.
static void sweep(const pl_solve_job *job)
{
    const pl_block_matrix *W = job->W;
    for (int32_t k = 0; k < W->n; k++) {
        double q[3], *f = job->f + 3 * (int64_t)k;
        if (W->diag[k] < 0) continue; // its velocities are prescribed
        memcpy(q, job->q + 3 * (int64_t)k, sizeof q);
        for (int64_t i = W->row[k]; i < W->row[k + 1]; i++) {
            const double *B = W->val + 9 * i, *g = job->f + 3 * (int64_t)W->col[i];
            for (int a = 0; a < 9 && i != W->diag[k]; a++) q[a / 3] += B[a] * g[a % 3];
        }
        pl_problem_solve_one(job->problem, k, W->val + 9 * W->diag[k], q, f);
    }
}

static pl_status solve(pl_solve_job *job, void *user)
{
    (void)user;
    for (job->end = PL_SOLVE_LIMIT; job->iterations < job->options->max_iterations;) {
        if (pl_solve_late(job)) job->end = PL_SOLVE_TIME;
        if (pl_solve_done(job)) job->end = PL_SOLVE_CONVERGED;
        if (job->end != PL_SOLVE_LIMIT) break;
        sweep(job);
        job->iterations++;
    }
    return PL_OK;
}

// How high the upper of two soft cubes is after a second, by a solver.
static pl_status simulate(const char *solver, double *height)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    options.solver = solver;
    options.rescue = false; // no other solver helps
    pl_world *world;
    if (pl_world_create(&options, &world) != PL_OK) return PL_ERROR_ARGUMENT;
    pl_status status = PL_OK;
    for (int i = 0; i < 3 && status == PL_OK; i++) {
        const char *shapes[] = {"box:size=4,4,0.2", "cube:size=0.4:cells=2",
                                "cube:size=0.3:cells=2"};
        const double up[12] = {1, 0, 0, 0.02 * i, 0, 1, 0, 0, 0, 0, 1, i > 0 ? 0.38 * i - 0.05 : 0};
        pl_mesh *mesh;
        status = pl_mesh_make(shapes[i], &mesh);
        if (status == PL_OK) status = pl_mesh_transform(mesh, up);
        if (status == PL_OK) {
            status = i == 0 ? pl_world_add_kinematic(world, mesh, NULL, NULL)
                            : pl_world_add_deformable(world, mesh, NULL, NULL);
        }
        pl_mesh_destroy(mesh);
    }
    for (int i = 0; i < 200 && status == PL_OK; i++) status = pl_world_step(world, NULL);
    if (status == PL_OK) *height = pl_world_positions(world, 2)[2];
    pl_world_destroy(world);
    return status;
}

int main(void)
{
    const pl_solver_def mine = {
        .name = "mine", .reduced = true, .boxes = true, .compliance = true, .solve = solve};
    double height[2];
    bool ok = pl_solver_register(&mine) == PL_OK && simulate("mine", &height[0]) == PL_OK &&
              simulate("auto", &height[1]) == PL_OK;
    if (!ok) return fprintf(stderr, "%s\n", pl_error_text()), 1;
    printf("height %.6f m by mine, %.6f m by auto\n", height[0], height[1]);
    return 0;
}
