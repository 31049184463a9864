// pliant bench rigid: Pliant on the scenes of rigid bodies that tests/peers compares simulators on.

#include "bench.h"
#include "trial.h"
#include "../common/paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, SECONDS = 300 };

static pl_status run_all(const pl_bench_options *options, const char *problems, FILE *csv)
{
    static const pl_trial_engine *const pliant[] = {&pl_trial_pliant, &pl_trial_pliant_newton};
    int32_t n = options->simple ? pl_trial_simple_count() : pl_trial_count();
    pl_trial_csv_head(csv);
    for (int32_t i = 0; i < n; i++) {
        pl_trial trial;
        PL_TRY(pl_trial_make(i, options->quick, &trial));
        pl_status status =
            pl_trial_compare(&trial, 2, pliant, SECONDS, &(pl_trial_output){csv, problems});
        pl_trial_free(&trial);
        PL_TRY(status);
    }
    return PL_OK;
}

pl_status pl_bench_rigid(const pl_bench_options *options)
{
    char path[PATH_SIZE], problems[PATH_SIZE];
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
    pl_status status = run_all(options, problems, csv);
    if (fclose(csv) != 0 && status == PL_OK) {
        status = pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    return status;
}
