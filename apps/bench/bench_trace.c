#include "bench_trace.h"
#include "../../base/file.h"
#include "../../world/constraint_step.h"

// The loop of the paper has no limit of rounds; one of ours ends with the step halved.
enum { MOST_STEPS = 60, MOST_ITERATIONS = 3000, MOST_ROUNDS = 100 };

typedef struct tracing {
    pl_output out;
    pl_bench_traced *so_far;
} tracing;

static void write_point(const pl_trace_point *point, void *user)
{
    tracing *t = user;
    t->so_far->rounds += point->iteration == 0;
    bool again = point->iteration == 0 && t->so_far->rounds > 1;
    pl_output_printf(&t->out, "%d,%.9g,%.9g,%.9g,%.9g,", t->so_far->iterations++, point->residual,
                     point->preconditioned, point->constraint, point->preconditioned_constraint);
    pl_output_printf(&t->out, "%.9g,%.9g\n", point->update ? point->residual : NAN,
                     again ? point->residual : NAN);
}

static pl_status trace_step(pl_play *play, const char *path, pl_bench_traced *out, bool *enough)
{
    tracing t = {.so_far = out};
    pl_solver_options *options = &play->world->constraints->options;
    *out = (pl_bench_traced){0};
    PL_TRY(pl_output_open(path, &t.out));
    pl_output_printf(&t.out, "iteration,residual,preconditioned,constraint,"
                             "preconditioned_constraint,update,relinearization\n");
    options->max_iterations = MOST_ITERATIONS;
    play->world->options.rounds = MOST_ROUNDS;
    options->trace = write_point;
    options->trace_user = &t;
    pl_status status = pl_play_step(play);
    options->trace = NULL;
    out->step = pl_world_steps(play->world);
    out->stats = play->stats;
    *enough = *enough || out->rounds > 1;
    if (status == PL_OK && *enough) return pl_output_close(&t.out);
    pl_output_abandon(&t.out);
    return status;
}

pl_status pl_bench_trace_step(const pl_bench_scene *scene, const pl_bench_options *options,
                              pl_precond precond, const char *path, pl_bench_traced *out)
{
    const pl_bench_change change = {
        .solver = "cr", .precond = pl_precond_names[precond], .vj19 = true};
    pl_play play;
    PL_TRY(pl_bench_open(scene, options, &change, &play));
    pl_status status = PL_OK;
    bool enough = false;
    for (int32_t i = 1; i <= MOST_STEPS && status == PL_OK && !enough; i++) {
        enough = i == MOST_STEPS; // whatever it has
        status = trace_step(&play, path, out, &enough);
    }
    pl_play_close(&play);
    return status;
}
