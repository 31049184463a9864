// Simulators on one trial, by turns in one run, and the table of it.

#include "trial_judge.h"
#include "../../base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TURN 10 // steps of one simulator before the next has its turn

typedef struct entry {
    const pl_trial_engine *engine;
    void *sim;
    const char *end; // why it takes part no longer, or NULL
    int32_t n;       // steps taken
    int32_t n_late;  // of those, in the last quarter
    double seconds, late, worst;
    double overlap, overlap_late, stretch, gain, lowest, drift;
    double saved;           // the slowest step whose problem was written [s]
    pl_trial_pose *settled; // (n_body)
} entry;

// --- Steps ---

static void look(entry *e, const pl_trial *t, pl_trial_pose *pose)
{
    e->engine->get(e->sim, pose);
    pl_trial_verdict now = pl_trial_judge(t, pose);
    if (!now.finite) {
        e->end = "NaN";
        return;
    }
    e->overlap = fmax(e->overlap, now.overlap);
    if (4 * e->n > 3 * t->steps) e->overlap_late = fmax(e->overlap_late, now.overlap);
    e->stretch = fmax(e->stretch, now.stretch);
    if (e->n == 0) e->lowest = now.energy;
    e->lowest = fmin(e->lowest, now.energy);
    e->gain = fmax(e->gain, now.energy - e->lowest);
    if (e->n == t->settled) memcpy(e->settled, pose, (size_t)t->n_body * sizeof *pose);
    if (e->n > t->settled) e->drift = fmax(e->drift, pl_trial_drift(t, e->settled, pose));
}

// The problem of a step that is slower than all before, by enough to be worth a file.
static void save_slow(entry *e, const pl_trial *t, const char *folder, double took)
{
    char path[4096];
    if (folder == NULL || e->engine->save == NULL || took < 1.2 * e->saved) return;
    e->saved = took;
    if (snprintf(path, sizeof path, "%s/%s-%s.plp", folder, t->name, e->engine->setting) <
        (int)sizeof path) {
        e->engine->save(e->sim, path);
    }
}

static void take_turn(entry *e, const pl_trial *t, double limit, const char *problems,
                      pl_trial_pose *pose)
{
    for (int i = 0; i < TURN && e->end == NULL && e->n < t->steps; i++) {
        double took = 0;
        if (!e->engine->step(e->sim, &took)) {
            e->end = "failed";
            return;
        }
        e->n++;
        e->seconds += took;
        e->worst = fmax(e->worst, took);
        save_slow(e, t, problems, took);
        if (4 * e->n > 3 * t->steps) e->late += took, e->n_late++;
        look(e, t, pose);
        if (e->end == NULL && e->seconds > limit && e->n < t->steps) e->end = "late";
    }
}

// --- The table ---

static double chain_length(const pl_trial *t)
{
    double low = 0;
    for (int32_t i = 0; i < t->n_joint; i++) low = fmin(low, t->joint[i].point[2]);
    return -low;
}

static const char *number(char *text, size_t size, bool said, const char *format, double value)
{
    snprintf(text, size, said ? format : "-", value);
    return text;
}

static void print_row(const pl_trial *t, const entry *e, const entry *first, FILE *csv)
{
    char drift[32], stretch[32], gain[32], late[32], deep[32], line[256] = "";
    double ms = 1e3 * e->seconds / fmax(1, e->n), length = chain_length(t);
    double ratio = ms / (1e3 * first->seconds / fmax(1, first->n));
    double late_ms = e->n_late > 0 ? 1e3 * e->late / e->n_late : NAN;
    printf("  %-24s %5d %9.3f %7.2f %9s %9.3f %10.3g %9s %9s %9s %9s  %s\n", e->engine->name, e->n,
           ms, ratio, number(late, sizeof late, e->n_late > 0, "%.3f", late_ms), 1e3 * e->worst,
           1e3 * e->overlap,
           number(deep, sizeof deep, e->n_late > 0, "%.3g", 1e3 * e->overlap_late),
           number(drift, sizeof drift, e->n > t->settled, "%.3g", 1e3 * e->drift),
           number(stretch, sizeof stretch, length > 0, "%.3g", 100 * e->stretch / length),
           number(gain, sizeof gain, t->closed, "%.3g", e->gain), e->end != NULL ? e->end : "done");
    if (e->engine->tell != NULL && e->sim != NULL) e->engine->tell(e->sim, line, sizeof line);
    if (line[0] != '\0') printf("  %-24s %s\n", "", line);
    if (csv == NULL) return;
    fprintf(csv, "%s,%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%s\n", t->name,
            e->engine->name, e->n, ms, ratio, late_ms, 1e3 * e->worst, e->overlap, e->overlap_late,
            e->drift, length > 0 ? e->stretch / length : NAN, e->gain,
            e->end != NULL ? e->end : "done");
}

void pl_trial_csv_head(void *csv)
{
    fprintf(csv, "trial,simulator,steps,ms_cpu,ratio,ms_last_quarter,ms_worst,overlap_m,overlap_"
                 "last_quarter_m,drift_m,"
                 "stretch,energy_gain,end\n");
}

static void print_table(const pl_trial *t, int32_t n, const entry *entries, FILE *csv)
{
    printf("%s: %s; dt 1/%.0f s\n", t->name, t->title, 1 / t->dt);
    printf("  %-24s %5s %9s %7s %9s %9s %10s %9s %9s %9s %9s  %s\n", "simulator", "steps", "cpu ms",
           "ratio", "last 1/4", "worst ms", "overlap mm", "last 1/4", "drift mm", "stretch %",
           "gain J", "end");
    for (int32_t i = 0; i < n; i++) print_row(t, &entries[i], &entries[0], csv);
    printf("\n");
    fflush(stdout);
    if (csv != NULL) fflush(csv);
}

// --- A trial ---

static bool takes_part(const pl_trial_engine *engine, const pl_trial *t)
{
    if (engine->without == NULL) return true;
    size_t n = strlen(t->name);
    for (const char *at = engine->without; (at = strstr(at, t->name)) != NULL; at += n) {
        if ((at == engine->without || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return false;
    }
    return true;
}

static pl_status open_entry(entry *e, const pl_trial *t, pl_trial_pose *pose)
{
    e->settled = pl_alloc_zero(t->n_body, sizeof *e->settled);
    if (e->settled == NULL) return PL_ERROR_MEMORY;
    e->sim = e->engine->open(e->engine, t);
    if (e->sim == NULL) e->end = "refused";
    if (e->sim != NULL) look(e, t, pose);
    return PL_OK;
}

static void run(const pl_trial *t, int32_t n, entry *entries, double limit, const char *problems,
                pl_trial_pose *pose)
{
    for (bool going = true; going;) {
        going = false;
        for (int32_t i = 0; i < n; i++) {
            take_turn(&entries[i], t, limit, problems, pose);
            going = going || (entries[i].end == NULL && entries[i].n < t->steps);
        }
    }
}

pl_status pl_trial_compare(const pl_trial *trial, int32_t n, const pl_trial_engine *const *engine,
                           double seconds, const pl_trial_output *output)
{
    entry *entries = pl_alloc_zero(n, sizeof *entries);
    pl_trial_pose *pose = pl_alloc_zero(trial->n_body, sizeof *pose);
    pl_status status = entries == NULL || pose == NULL ? PL_ERROR_MEMORY : PL_OK;
    int32_t taking = 0;
    for (int32_t i = 0; i < n && status == PL_OK; i++) {
        if (!takes_part(engine[i], trial)) continue;
        entries[taking].engine = engine[i];
        status = open_entry(&entries[taking++], trial, pose);
    }
    if (status == PL_OK) {
        run(trial, taking, entries, seconds, output->problems, pose);
        print_table(trial, taking, entries, output->csv);
    }
    for (int32_t i = 0; i < taking; i++) {
        if (entries[i].sim != NULL) entries[i].engine->close(entries[i].sim);
        pl_free(entries[i].settled);
    }
    pl_free(entries);
    pl_free(pose);
    return status;
}
