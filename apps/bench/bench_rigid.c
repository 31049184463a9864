// pliant bench rigid: Pliant on scenes of rigid bodies, beside those simulators that `make peers`
// has built. They are programs of their own (tests/peers): nothing of theirs is linked into the
// command. With --papers: the tables of papers on rigid bodies, ours beside theirs.

#include "bench.h"
#include "bench_papers.h"
#include "trial.h"
#include "../common/paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, SECONDS = 300, MOST = 16 };

#define SOFT "slope-soft grip-soft"
#define SIMPLE "wall boxes stack chain capsules"

// Other simulators, with settings that their programs read; tests/peers/README.md says why these.
static const struct {
    const char *name, *program, *setting, *without;
} peers[] = {
    {"Bullet 10 iterations", "rigid-bullet", "10", SOFT},
    {"Bullet 100", "rigid-bullet", "100", SOFT},
    {"Bullet 100, double", "rigid-bullet-double", "100", SOFT},
    {"ODE quick 20", "rigid-ode", "20", SOFT},
    {"ODE quick 100", "rigid-ode", "100", SOFT},
    {"ODE", "rigid-ode", "0", "wall capsules " SOFT},
    {"MuJoCo", "rigid-mujoco", "1 1 0", SOFT},
    {"MuJoCo 8 parts", "rigid-mujoco", "8 1 0", NULL},
    {"MuJoCo 8, impratio 100", "rigid-mujoco", "8 100 0", SIMPLE},
    {"MuJoCo 8, noslip 100", "rigid-mujoco", "8 1 100", SIMPLE " " SOFT},
    {"Newton XPBD 8", "rigid-newton", "xpbd 8 20", SIMPLE " " SOFT},
    {"Newton VBD 8", "rigid-newton", "vbd 8 20", SIMPLE},
};
enum { PEERS = sizeof peers / sizeof peers[0] };

typedef struct field {
    int32_t n;
    const pl_trial_engine *engine[MOST];
    pl_trial_engine peer[PEERS];
    char program[PEERS][PATH_SIZE];
} field;

// Pliant, and those whose programs are there.
static pl_status gather(bool quick, field *out)
{
    char folder[PATH_SIZE / 2];
    out->engine[out->n++] = &pl_trial_pliant;
    out->engine[out->n++] = &pl_trial_pliant_newton;
    PL_TRY(pl_bench_peers_folder(folder, sizeof folder));
    for (int i = 0; i < PEERS; i++) {
        snprintf(out->program[i], PATH_SIZE, "%s/%s", folder, peers[i].program);
        bool slow = strcmp(peers[i].program, "rigid-newton") == 0; // compiles for minutes
        if ((quick && slow) || access(out->program[i], X_OK) != 0) continue;
        out->peer[i] = (pl_trial_engine){.name = peers[i].name,
                                         .setting = peers[i].setting,
                                         .program = out->program[i],
                                         .without = peers[i].without,
                                         .open = pl_trial_child_open,
                                         .step = pl_trial_child_step,
                                         .get = pl_trial_child_get,
                                         .close = pl_trial_child_close};
        out->engine[out->n++] = &out->peer[i];
    }
    return PL_OK;
}

static pl_status run_all(const pl_bench_options *options, const field *f, const char *problems,
                         FILE *csv)
{
    int32_t n = options->simple ? pl_trial_simple_count() : pl_trial_count(), found = 0;
    pl_trial_csv_head(csv);
    for (int32_t i = 0; i < n; i++) {
        pl_trial trial;
        PL_TRY(pl_trial_make(i, options->quick, &trial));
        bool wanted = options->only == NULL || strcmp(options->only, trial.name) == 0;
        pl_status status = PL_OK;
        if (wanted) {
            found++;
            status = pl_trial_compare(&trial, f->n, f->engine, SECONDS,
                                      &(pl_trial_output){csv, problems});
        }
        pl_trial_free(&trial);
        PL_TRY(status);
    }
    if (found > 0) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "--only: there is no scene \"%s\"", options->only);
}

pl_status pl_bench_rigid(const pl_bench_options *options)
{
    if (options->beside_papers) return pl_bench_papers(options);
    static field all;
    char path[PATH_SIZE], problems[PATH_SIZE];
    all.n = 0;
    PL_TRY(gather(options->quick, &all));
    PL_TRY(pl_make_folder(options->out));
    if (snprintf(path, sizeof path, "%s/rigid.csv", options->out) >= (int)sizeof path ||
        snprintf(problems, sizeof problems, "%s/slowest", options->out) >= (int)sizeof problems) {
        return pl_fail(PL_ERROR_ARGUMENT, "--out: the path is too long");
    }
    PL_TRY(pl_make_folder(problems));
    FILE *csv = fopen(path, "w");
    if (csv == NULL) return pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(errno));
    printf("One thread, time of the processor; overlap is the deepest of any step, by the poses. "
           "The\nproblems of the slowest steps are in %s.\n\n",
           problems);
    if (all.n == 2) printf("Other simulators take part after 'make peers-rigid'.\n\n");
    pl_status status = run_all(options, &all, problems, csv);
    if (fclose(csv) != 0 && status == PL_OK) {
        status = pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    return status;
}
