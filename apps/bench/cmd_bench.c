// pliant bench: measures Pliant on this machine.

#include "../cli/args.h"
#include "bench.h"
#include "../cli/commands.h"
#include "../../base/text.h"

#include <stdio.h>
#include <string.h>

typedef struct bench {
    const char *name;
    pl_status (*run)(const pl_bench_options *options);
    const char *summary;
} bench;

static const bench benches[] = {
    {"mesh", pl_bench_mesh, "the mesh readers against a plain pass over the bytes"},
    {"fem", pl_bench_fem, "force and stiffness assembly, likewise"},
    {"gpu-fem", pl_bench_gpu_fem, "assembly by a device of OpenCL beside the CPU's threads"},
    {"collision", pl_bench_collision, "refitted trees and candidates of piles that grow"},
    {"spmv", pl_bench_spmv, "the sparse product and iterations of solvers, likewise"},
    {"gpu-model", pl_bench_gpu_model,
     "what iterations on a device move and compute, and bounds for known cards"},
    {"lcp", pl_bench_lcp, "factors from which rows are removed, and sparse ones, against new ones"},
    {"classes", pl_bench_classes, "the solvers of lcp/ on classes of problems by their matrix"},
    {"ensemble", pl_bench_ensemble, "solvers on rigid bodies and mechanisms, hit at random"},
    {"table1", pl_bench_table1, "all solvers on the problems of VJ19, Table 1, and of a stack"},
    {"growth", pl_bench_growth,
     "time per step of piles of 15 to 960 rings, blocks of 10k to 1M tets"},
    {"threads", pl_bench_threads, "the stages of a step with one thread and with several"},
    {"busy", pl_bench_busy, "threads against one thread beside busy processes"},
    {"stiffness", pl_bench_stiffness,
     "iterations over Young's modulus and mass ratios, of small scenes"},
    {"steps", pl_bench_steps_of_time, "simulated time in steps of 2.5 to 100 ms"},
    {"memory", pl_bench_memory, "peak memory of scenes, against VJ19, 6.2.6"},
    {"schurpa", pl_bench_schurpa, "random banded programs, one factor bordered against many"},
    {"lit13", pl_bench_lit13, "nine cylinders that collide on a grid, against Lit13, 7.2"},
    {"rigid", pl_bench_rigid,
     "rigid bodies beside other simulators; --papers: beside papers' tables"},
    {"impact", pl_bench_impact, "a soft ball that hits the ground, or is squeezed; by a bunny"},
    {"friction", pl_bench_friction, "how far the motions of friction models part"},
    {"ho22", pl_bench_ho22,
     "pivoting by factors and by conjugate gradients, against Ho22's tables"},
    {"lef20", pl_bench_lef20,
     "rows removed from factors, on the scenes of Lef20, against its tables and figures"},
    {"peers", pl_bench_peers, "Bullet and MuJoCo on the same workloads; needs 'make peers'"},
    {"siconos", pl_bench_siconos,
     "contact problems by Siconos's solvers and by ours; needs 'make peers-siconos'"},
    {"figures", pl_bench_figures, "figures 6 and 9 to 13 of VJ19, from our runs, as CSV and SVG"},
};

enum { BENCHES = sizeof benches / sizeof benches[0], NOTES_SIZE = 2048 };

static void list_benches(char *notes)
{
    pl_text text = pl_text_start(notes, NOTES_SIZE);
    pl_text_add(&text, "NAME is\n");
    for (int i = 0; i < BENCHES; i++) {
        pl_text_add(&text, "  %-9s %s\n", benches[i].name, benches[i].summary);
    }
}

static pl_status run_bench(const char *name, const pl_bench_options *options)
{
    const char *names[BENCHES];
    for (int i = 0; i < BENCHES; i++) {
        if (strcmp(name, benches[i].name) == 0) return benches[i].run(options);
        names[i] = benches[i].name;
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "benchmark", name, strlen(name), names, BENCHES);
}

static const char *bench_name(int32_t i)
{
    return i < BENCHES ? benches[i].name : NULL;
}

static const pl_choice choices[] = {{"NAME", bench_name}, {NULL, NULL}};

int pl_command_bench(int argc, char **argv)
{
    pl_bench_options bench = {.out = "out/bench"};
    const pl_option options[] = {
        {"--quick", PL_OPTION_FLAG, &bench.quick, NULL, "small sizes, to see that it runs"},
        {"--simple", PL_OPTION_FLAG, &bench.simple, NULL, "of rigid: no slopes and grippers"},
        {"--papers", PL_OPTION_FLAG, &bench.beside_papers, NULL,
         "of rigid: the tables of Ho22, Lef20 and Lit13, ours beside theirs"},
        {"--stretch", PL_OPTION_COUNT, &bench.stretch, "N",
         "of table1: N steps of each method of VJ19 on its own trajectory, in place of problems"},
        {"--only", PL_OPTION_TEXT, &bench.only, "SCENE",
         "of rigid, steps, impact, ho22, lef20 and table1 --stretch: this scene and no other"},
        {"--ball", PL_OPTION_TEXT, &bench.ball, "FILE",
         "of impact: its mesh of tets; default build/meshes/ball.msh"},
        {"--bunny", PL_OPTION_TEXT, &bench.bunny, "FILE",
         "of impact: the mesh that it is measured by; default build/meshes/bunny.msh"},
        {"--problems", PL_OPTION_TEXT, &bench.problems, "DIR",
         "of lcp and siconos: recorded problems (run --record)"},
        {"--out", PL_OPTION_TEXT, &bench.out, "DIR", "of tables and figures; default out/bench"},
    };
    char notes[NOTES_SIZE];
    list_benches(notes);
    const pl_command command = {
        .usage = "bench NAME [--quick] [--simple] [--papers] [--stretch N] [--only SCENE] [--ball "
                 "FILE] [--bunny "
                 "FILE] "
                 "[--problems DIR] [--out DIR]",
        .summary = "Measures Pliant on this machine. Claims are ratios of two times taken in the "
                   "same run.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes = notes,
        .least = 1,
        .most = 1,
        .choices = choices,
    };
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    if (run_bench(argv[0], &bench) != PL_OK) return pl_command_failed();
    if (bench.quick) printf("--quick: the sizes are too small for the ratios to mean anything.\n");
    return 0;
}
