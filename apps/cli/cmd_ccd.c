// pliant ccd: continuous detection on files of queries whose answers are known.

#include "args.h"
#include "ccd_file.h"
#include "commands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILES_MAX = 1 << 20, PASSES_MAX = 1000 };
#define LEAST_TIME 0.05 // of the passes over a file [s]

typedef struct job {
    const char *kind; // "vf", "ee" or NULL: by the names of the files
    double separation;
    bool verbose;
} job;

typedef struct result {
    int64_t queries, hits, misses, alarms;
    double gap;  // the largest distance at which a false alarm was given [m]
    double time; // of one pass over all queries [s]
} result;

enum { KINDS = 2 };
static const pl_pair_kind kinds[KINDS] = {PL_VERTEX_FACE, PL_EDGE_EDGE};
static const char *const kind_names[KINDS] = {"vertex-face", "edge-edge"};
static const char *const kind_letters[KINDS] = {"vf", "ee"};

// The kind's place in the tables: by --kind, else by the start of the file's name or a folder.
static pl_status find_kind(const job *j, const char *path, int *kind)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (int i = 0; i < KINDS; i++) {
        bool named = j->kind != NULL ? strcmp(j->kind, kind_letters[i]) == 0
                                     : strncmp(name, kind_letters[i], 2) == 0 ||
                                           strstr(path, kind_names[i]) != NULL;
        *kind = i;
        if (named) return PL_OK;
    }
    if (j->kind != NULL) return pl_fail(PL_ERROR_ARGUMENT, "--kind: it is vf or ee");
    return pl_fail(PL_ERROR_ARGUMENT, "%s: vertex-face or edge-edge? Say --kind vf or --kind ee",
                   path);
}

static void judge(const job *j, const char *path, int kind, const pl_ccd_queries *q, result *r)
{
    for (int64_t i = 0; i < q->n; i++) {
        pl_impact hit = {0};
        const double *x = q->x + 24 * i;
        bool yes = pl_ccd(kinds[kind], x, x + 12, j->separation, &hit);
        r->hits += q->truth[i];
        if (yes == q->truth[i]) continue;
        if (yes) {
            r->alarms++;
            r->gap = fmax(r->gap, hit.closest.distance);
        } else {
            r->misses++;
        }
        if (!j->verbose) continue;
        printf("%s: query %" PRId64 ": ", path, i);
        if (yes) {
            printf("false alarm, %g m apart at time %.17g\n", hit.closest.distance, hit.time);
        } else {
            printf("missed\n");
        }
    }
    r->queries += q->n;
}

// The shortest of several passes.
static double measure(const job *j, int kind, const pl_ccd_queries *q)
{
    double shortest = INFINITY, start = pl_seconds();
    for (int pass = 0; pass < PASSES_MAX && pl_seconds() - start < LEAST_TIME; pass++) {
        double begin = pl_seconds();
        for (int64_t i = 0; i < q->n; i++) {
            pl_impact hit;
            pl_ccd(kinds[kind], q->x + 24 * i, q->x + 24 * i + 12, j->separation, &hit);
        }
        shortest = fmin(shortest, pl_seconds() - begin);
    }
    return shortest;
}

static pl_status process(const job *j, const char *path, result results[KINDS])
{
    int kind;
    PL_TRY(find_kind(j, path, &kind));
    pl_ccd_queries queries;
    PL_TRY(pl_ccd_queries_read(path, &queries));
    judge(j, path, kind, &queries, &results[kind]);
    results[kind].time += measure(j, kind, &queries);
    pl_ccd_queries_free(&queries);
    return PL_OK;
}

static void print_results(const result results[KINDS])
{
    printf(
        "kind          queries     true   misses  false alarms            at most    ns/query\n");
    for (int i = 0; i < KINDS; i++) {
        const result *r = &results[i];
        if (r->queries == 0) continue;
        double false_queries = fmax((double)(r->queries - r->hits), 1);
        printf("%-11s %9" PRId64 " %8" PRId64 " %8" PRId64 " %8" PRId64 " (%5.2f %%) %9.2g m apart"
               " %8.1f\n",
               kind_names[i], r->queries, r->hits, r->misses, r->alarms,
               100 * (double)r->alarms / false_queries, r->gap, 1e9 * r->time / (double)r->queries);
    }
}

static pl_status run(const job *j, int n_files, char **files)
{
    result results[KINDS] = {0};
    for (int i = 0; i < n_files; i++) PL_TRY(process(j, files[i], results));
    print_results(results);
    int64_t misses = 0, hits = 0;
    for (int i = 0; i < KINDS; i++) {
        misses += results[i].misses;
        hits += results[i].hits;
    }
    if (misses == 0) return PL_OK;
    return pl_fail(PL_ERROR_NUMERICS, "%" PRId64 " of %" PRId64 " hits were missed", misses, hits);
}

int pl_command_ccd(int argc, char **argv)
{
    job j = {0};
    const pl_option options[] = {
        {"--separation", PL_OPTION_NUMBER, &j.separation, "S",
         "ask whether the features come within S [m]; default 0: whether they meet"},
        {"--kind", PL_OPTION_TEXT, &j.kind, "vf|ee",
         "vertex-face or edge-edge; default: as the files are called"},
        {"--verbose", PL_OPTION_FLAG, &j.verbose, NULL, "print every miss and every false alarm"},
    };
    const pl_command command = {
        .usage = "ccd FILE.csv[.gz]... [options]",
        .summary = "Runs continuous collision detection on queries with known answers; exit code 1 "
                   "on a miss.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes =
            "A query is eight rows x_num,x_den,y_num,y_den,z_num,z_den,truth: four points at the "
            "start\n"
            "of a motion, the same at its end. vertex-face: the vertex, then the corners; "
            "edge-edge: "
            "the\n"
            "ends of one, then of the other. The truth is about meeting, so that with --separation "
            "a\n"
            "false alarm may be right: \"at most\" is how far apart they were at the time of the "
            "alarm.\n",
        .least = 1,
        .most = FILES_MAX,
    };
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    return run(&j, n_words, argv) == PL_OK ? 0 : pl_command_failed();
}
