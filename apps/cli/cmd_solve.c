// pliant solve: problems of `pliant run --record` once more, with any solver; and for other
// programs.

#include "args.h"
#include "commands.h"
#include "problem_export.h"
#include "../common/csv.h"
#include "../common/paths.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_NOT_CONVERGED = 2 };

// Wall clock of one solve [s]: hundreds of times what the steps of any scene here take, and short
// enough to try every solver on a problem that some never solve.
static const double MAX_SECONDS = 60;

enum { ROW_MAX = 1024, NOTES_ROOM = 4096, NAME_LEAST = 7, SOLVER_WIDTH = 11 };

// What the command line asks for.
typedef struct job {
    const char *solver, *precond, *friction, *csv, *export;
    double residual_tolerance, contact_tolerance, max_seconds; // 0: not given
    int32_t max_iterations, threads;
    bool vj19, cold;
} job;

// A problem, solved once.
typedef struct result {
    const char *path; // of its file
    int32_t solver;
    const char *name; // of the solver
    int32_t contacts;
    int64_t unknowns; // velocities that are not given
    pl_solve_result solved;
} result;

typedef struct replay {
    pl_solve_options options;
    bool cold;
    const char *export;  // folder, or NULL
    int32_t first, last; // of the solvers, those to try

    char **path; // (n_path) the files
    int64_t n_path, path_capacity;
    size_t shared;  // the length of the folder that all of them begin with
    int name_width; // of the longest, without that folder

    result *result; // (n_result)
    int64_t n_result, result_capacity;
    int64_t refused; // files that could not be read, or hold no problem that can be solved
} replay;

// --- Files ---

static pl_status add_path(replay *r, const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    PL_TRY(pl_reserve((void **)&r->path, &r->path_capacity, r->n_path + 1, sizeof *r->path));
    char *path = pl_alloc((int64_t)room, 1);
    if (path == NULL) return PL_ERROR_MEMORY;
    size_t length = strlen(folder);
    const char *between = length > 0 && folder[length - 1] != '/' ? "/" : "";
    snprintf(path, room, "%s%s%s", folder, between, name);
    r->path[r->n_path++] = path;
    return PL_OK;
}

// By the numbers in them: step 1,000,000 has a digit more than the others.
static int compare_paths(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static pl_status add_folder(replay *r, const char *folder)
{
    int64_t first = r->n_path;
    DIR *dir = opendir(folder);
    if (dir == NULL) return pl_fail(PL_ERROR_FILE, "%s: %s", folder, strerror(errno));
    pl_status status = PL_OK;
    for (struct dirent *e = readdir(dir); e != NULL && status == PL_OK; e = readdir(dir)) {
        if (pl_has_extension(e->d_name, ".plp")) status = add_path(r, folder, e->d_name);
    }
    closedir(dir);
    PL_TRY(status);
    int64_t n = r->n_path - first;
    if (n == 0) return pl_fail(PL_ERROR_FILE, "%s: no problems in this folder (.plp)", folder);
    qsort(r->path + first, (size_t)n, sizeof *r->path, compare_paths);
    return PL_OK;
}

// The table names files without the folder that they share.
static void shorten_names(replay *r)
{
    r->shared = pl_shared_folder(r->n_path, r->path);
    r->name_width = NAME_LEAST;
    for (int64_t i = 0; i < r->n_path; i++) {
        r->name_width = PL_MAX(r->name_width, (int)strlen(r->path[i] + r->shared));
    }
}

static pl_status find_files(replay *r, int n_words, char **words)
{
    for (int i = 0; i < n_words; i++) {
        PL_TRY(pl_is_folder(words[i]) ? add_folder(r, words[i]) : add_path(r, "", words[i]));
    }
    shorten_names(r);
    return PL_OK;
}

// --- The table ---

static void print_head(const replay *r)
{
    printf("%-*s %8s %8s %-*s %-10s %10s %8s %8s %8s %9s %8s %8s %8s %8s %8s %8s %8s %16s\n",
           r->name_width, "problem", "contacts", "unknowns", SOLVER_WIDTH, "solver", "end",
           "iterations", "products", "restarts", "changes", "seconds", "residual", "penetr.",
           "normal", "friction", "cone", "fischer", "joints", "hash");
    fflush(stdout); // what is said of a file stands below
}

static void print_result(const replay *r, const result *one)
{
    const pl_solve_result *s = &one->solved;
    printf("%-*s %8" PRId32 " %8" PRId64 " %-*s %-10s %10" PRId32 " %8" PRId64 " %8" PRId64
           " %8" PRId64 " %9.4f",
           r->name_width, one->path + r->shared, one->contacts, one->unknowns, SOLVER_WIDTH,
           one->name, pl_solve_end_name(s->end), s->iterations, s->products, s->restarts,
           s->state_changes, s->seconds);
    const double errors[] = {s->residual, s->penetration, s->normal, s->friction,
                             s->cone,     s->fischer,     s->joint};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (isnan(s->residual)) { // not measured
            printf(" %8s", "-");
        } else {
            printf(" %8.2g", errors[i]);
        }
    }
    printf(" %016" PRIx64 "\n", s->hash);
    fflush(stdout);
}

static void print_sums(const replay *r)
{
    for (int32_t i = r->first; i <= r->last; i++) {
        int64_t n = 0, converged = 0, iterations = 0, products = 0;
        double seconds = 0;
        pl_solver_info info;
        if (pl_solver_describe(i, &info) != PL_OK) return;
        for (int64_t k = 0; k < r->n_result; k++) {
            const result *one = &r->result[k];
            if (one->solver != i) continue;
            n++;
            converged += (one->solved.end == PL_SOLVE_CONVERGED);
            iterations += one->solved.iterations;
            products += one->solved.products;
            seconds += one->solved.seconds;
        }
        printf("%s: %" PRId64 " of %" PRId64 " converged, %" PRId64 " iterations, %" PRId64
               " products, %.4g s\n",
               info.name, converged, n, iterations, products, seconds);
    }
}

// --- The table as a file ---

static const char CSV_HEAD[] =
    "problem,contacts,unknowns,solver,end,iterations,products,restarts,state_changes,"
    "factorizations,seconds,residual,penetration,constraint_error,friction_error,cone,fb_error,"
    "joint_error,energy,hash\n";

// In quotation marks if it needs them, and then with every one of its own doubled.
static void write_name(pl_output *out, const char *name)
{
    bool quoted = strpbrk(name, ",\"\r\n") != NULL;
    if (quoted) pl_output_write(out, "\"", 1);
    for (const char *p = name; *p != '\0'; p++) {
        if (*p == '"') pl_output_write(out, "\"", 1);
        pl_output_write(out, p, 1);
    }
    if (quoted) pl_output_write(out, "\"", 1);
}

static void write_row(pl_output *out, const result *one)
{
    const pl_solve_result *s = &one->solved;
    char buffer[ROW_MAX];
    pl_text row = pl_text_start(buffer, sizeof buffer);
    pl_text_add(&row,
                ",%" PRId32 ",%" PRId64 ",%s,%s,%" PRId32 ",%" PRId64 ",%" PRId64 ",%" PRId64
                ",%" PRId64,
                one->contacts, one->unknowns, one->name, pl_solve_end_name(s->end), s->iterations,
                s->products, s->restarts, s->state_changes, s->factorizations);
    const double numbers[] = {s->seconds, s->residual, s->penetration, s->normal, s->friction,
                              s->cone,    s->fischer,  s->joint,       s->energy};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        bool measured = i == 0 || !isnan(s->residual);
        pl_text_add(&row, ",");
        pl_csv_add_number(&row, measured ? numbers[i] : NAN);
    }
    pl_text_add(&row, ",%016" PRIx64 "\n", s->hash);
    PL_ASSERT(row.length < sizeof buffer);
    write_name(out, one->path);
    pl_output_write(out, buffer, row.length);
}

static pl_status write_csv(const replay *r, const char *path)
{
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_write(&out, CSV_HEAD, sizeof CSV_HEAD - 1);
    for (int64_t i = 0; i < r->n_result; i++) write_row(&out, &r->result[i]);
    return pl_output_close(&out);
}

// --- Solving ---

// A problem with room for its solution.
typedef struct loaded {
    pl_problem *problem;
    pl_problem_size size;
    double *v, *f;
} loaded;

static pl_status load(const char *path, loaded *out)
{
    PL_TRY(pl_problem_read(path, &out->problem));
    out->size = pl_problem_sizes(out->problem);
    out->v = pl_alloc(3 * (int64_t)out->size.blocks, sizeof *out->v);
    out->f = pl_alloc(3 * (int64_t)out->size.constraints, sizeof *out->f);
    return out->v != NULL && out->f != NULL ? PL_OK : PL_ERROR_MEMORY;
}

static void unload(loaded *l)
{
    pl_problem_destroy(l->problem);
    pl_free(l->v);
    pl_free(l->f);
}

static pl_status solve(replay *r, const char *path, loaded *l, int32_t solver)
{
    pl_solver_info info;
    PL_TRY(
        pl_reserve((void **)&r->result, &r->result_capacity, r->n_result + 1, sizeof *r->result));
    PL_TRY(pl_solver_describe(solver, &info));
    result one = {.path = path,
                  .solver = solver,
                  .name = info.name,
                  .contacts = l->size.constraints,
                  .unknowns = l->size.unknowns};
    PL_TRY(pl_problem_start(l->problem, r->cold, l->v, l->f));
    PL_TRY(pl_problem_solve(l->problem, info.name, &r->options, l->v, l->f, &one.solved));
    r->result[r->n_result++] = one;
    print_result(r, &one);
    // The table cannot tell where these failed.
    bool obscure = one.solved.end == PL_SOLVE_IMPOSSIBLE || one.solved.end == PL_SOLVE_BREAKDOWN;
    if (obscure) fprintf(stderr, "pliant: %s: %s\n", path, pl_error_text());
    return PL_OK;
}

// Does a solver know what a friction model makes of cones?
static bool knows_friction(const pl_solver_info *info, const char *model)
{
    if (strcmp(model, "cone") == 0) return info->cones;
    if (strcmp(model, "box:follow") == 0 || strcmp(model, "outer:4") == 0) return info->following;
    return strncmp(model, "box", 3) == 0 ? info->boxes : info->pyramids;
}

// Does a solver know the laws of the constraints?
static bool knows_laws(const pl_solver_info *info, const loaded *l, const char *friction)
{
    for (int32_t k = 0; k < l->size.constraints; k++) {
        pl_constraint_info c;
        if (pl_problem_constraint(l->problem, k, &c) != PL_OK) return false;
        bool soft = c.compliance[0] > 0 || c.compliance[1] > 0 || c.compliance[2] > 0;
        bool square = c.outer && c.directions == 4;
        bool knows = c.law == PL_LAW_CONE  ? knows_friction(info, friction)
                     : c.law == PL_LAW_BOX ? info->boxes
                     : square              ? info->following
                                           : info->pyramids;
        if (!knows || (soft && !info->compliance)) return false;
    }
    return true;
}

// By the solvers asked for; of all of them, those that know its laws.
static pl_status solve_loaded(replay *r, const char *path, loaded *l)
{
    for (int32_t i = r->first; i <= r->last; i++) {
        pl_solver_info info;
        PL_TRY(pl_solver_describe(i, &info));
        if (r->first < r->last && !knows_laws(&info, l, r->options.friction_model)) continue;
        PL_TRY(solve(r, path, l, i));
    }
    return r->export != NULL ? pl_problem_export(l->problem, l->v, l->f, path, r->export) : PL_OK;
}

static pl_status solve_file(replay *r, const char *path)
{
    loaded l = {0};
    pl_status status = load(path, &l);
    if (status == PL_OK) {
        status = solve_loaded(r, path, &l);
        if (status != PL_OK) pl_fail_prefix(path);
    }
    unload(&l);
    return status;
}

// A file that is refused does not keep the others from being solved.
static pl_status solve_all(replay *r)
{
    print_head(r);
    for (int64_t i = 0; i < r->n_path; i++) {
        pl_status status = solve_file(r, r->path[i]);
        if (status == PL_ERROR_MEMORY) return status;
        if (status == PL_OK) continue;
        r->refused++;
        pl_command_failed();
    }
    if (r->n_path > 1) print_sums(r);
    return PL_OK;
}

// --- The command ---

static pl_status choose_solvers(const job *j, replay *r)
{
    const char *usual = j->vj19 ? "cr" : pl_world_options_default().solver;
    const char *name = j->solver != NULL ? j->solver : usual;
    if (strcmp(name, "all") == 0) {
        r->first = 0;
        r->last = pl_solver_count() - 1;
        return PL_OK;
    }
    pl_status status = pl_solver_number(name, &r->first);
    r->last = r->first;
    if (status != PL_OK) pl_fail_prefix("--solver");
    return status;
}

static void warn_unused(const job *j, const replay *r)
{
    bool precond = false;
    for (int32_t i = r->first; i <= r->last; i++) {
        pl_solver_info info;
        precond = precond || (pl_solver_describe(i, &info) == PL_OK && info.has_precond);
    }
    pl_args_no_effect(j->precond != NULL && !precond, "--precond",
                      "only cr, minres and gcr have one");
    pl_args_no_effect(j->vj19 && !precond, "--vj19", "only cr, minres and gcr know the difference");
}

static pl_status choose_options(const job *j, replay *r)
{
    r->options = pl_solve_options_default();
    if (j->precond != NULL) {
        int32_t number;
        pl_status status = pl_precond_number(j->precond, &number);
        if (status != PL_OK) pl_fail_prefix("--precond");
        PL_TRY(status);
        r->options.precond = j->precond;
    }
    if (j->friction != NULL) r->options.friction_model = j->friction;
    if (j->residual_tolerance >= 1) {
        return pl_fail(PL_ERROR_ARGUMENT, "--residual-tolerance: %g is not between 0 and 1",
                       j->residual_tolerance);
    }
    if (j->residual_tolerance > 0) r->options.residual_tolerance = j->residual_tolerance;
    if (j->contact_tolerance > 0) r->options.contact_tolerance = j->contact_tolerance;
    if (j->max_iterations > 0) r->options.max_iterations = j->max_iterations;
    r->options.max_seconds = j->max_seconds > 0 ? j->max_seconds : MAX_SECONDS;
    r->options.vj19 = j->vj19;
    r->cold = j->cold;
    r->export = j->export;
    r->options.threads = j->threads;
    PL_TRY(choose_solvers(j, r));
    warn_unused(j, r);
    return PL_OK;
}

static void free_replay(replay *r)
{
    for (int64_t i = 0; i < r->n_path; i++) pl_free(r->path[i]);
    pl_free(r->path);
    pl_free(r->result);
}

static pl_status run(const job *j, int n_words, char **words, replay *r)
{
    PL_TRY(choose_options(j, r));
    PL_TRY(find_files(r, n_words, words));
    if (j->csv != NULL) PL_TRY(pl_output_try(j->csv));
    PL_TRY(solve_all(r));
    return j->csv != NULL ? write_csv(r, j->csv) : PL_OK;
}

static int exit_code_of(const replay *r)
{
    if (r->refused > 0) return 1;
    for (int64_t i = 0; i < r->n_result; i++) {
        if (r->result[i].solved.end != PL_SOLVE_CONVERGED) return EXIT_NOT_CONVERGED;
    }
    return 0;
}

static const char NOTES[] =
    "A folder stands for all problems in it (.plp), in the order of their steps. A solve starts\n"
    "where the recorded one did. Errors are the largest of any contact [m], but for the residual,\n"
    "which is relative: how far it penetrates, the natural maps of its normal and its friction, "
    "how\n"
    "far the impulse is out of the friction cone, and the Fischer-Burmeister function. The hash "
    "is\n"
    "of the solution, the same for any number of threads.\n\n"
    "--export writes for each problem DIR/NAME/A.mtx, L.mtx, b.mtx, c.mtx, v.mtx and f.mtx "
    "(Matrix\n"
    "Market: matrix, rows, right-hand side, offsets, and the solution by the last solver) and\n"
    "problem.json (dt, prescribed blocks; law, mu, axes, compliance and bounds of constraints).\n\n"
    "Exit code: 0 if all converged, 2 if some did not, 1 if something failed; a file that is no\n"
    "problem is named, and the others are solved.\n\n";

static const char *solver_name(int32_t i)
{
    return i == pl_solver_count() ? "all" : pl_choice_solver(i);
}

static const pl_choice CHOICES[] = {
    {"SOLVER", solver_name}, {"PRECOND", pl_precond_name}, {NULL, NULL}};

int pl_command_solve(int argc, char **argv)
{
    job j = {0};
    const pl_option options[] = {
        {"--solver", PL_OPTION_TEXT, &j.solver, "SOLVER", "see below, or all; default that of run"},
        {"--precond", PL_OPTION_TEXT, &j.precond, "PRECOND",
         "of cr, minres and gcr: full, diag, schur or none"},
        {"--friction", PL_OPTION_TEXT, &j.friction, "MODEL",
         "in place of cones: diamond, pyramid:N, outer:N, box, box:N, box:last, box:follow"},
        {"--residual-tolerance", PL_OPTION_NUMBER, &j.residual_tolerance, "X",
         "relative residual; default 1e-5"},
        {"--contact-tolerance", PL_OPTION_NUMBER, &j.contact_tolerance, "X",
         "error of a contact [m]; default 1e-6"},
        {"--vj19", PL_OPTION_FLAG, &j.vj19, NULL,
         "as VJ19 prints it, with the solver cr unless one is named"},
        {"--max-iterations", PL_OPTION_COUNT, &j.max_iterations, "N", "of a solve; default 20000"},
        {"--max-seconds", PL_OPTION_NUMBER, &j.max_seconds, "T", "of a solve; default 60"},
        {"--cold", PL_OPTION_FLAG, &j.cold, NULL, "start from rest and without impulses"},
        {"--threads", PL_OPTION_THREADS, &j.threads, "N", "default one per core; same results"},
        {"--csv", PL_OPTION_TEXT, &j.csv, "FILE.csv", "write the table to a file, too"},
        {"--export", PL_OPTION_TEXT, &j.export, "DIR",
         "write problem and solution for other programs, see below"},
    };
    char notes[NOTES_ROOM];
    int length = snprintf(notes, sizeof notes, "%sSolvers:\n\n", NOTES);
    pl_solver_help(notes + length, sizeof notes - (size_t)length);
    const pl_command command = {
        .usage = "solve PROBLEM.plp|FOLDER... [options]",
        .summary = "Solves contact problems that 'pliant run --record' wrote, or a "
                   "step that failed, once more.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes = notes,
        .least = 1,
        .most = INT32_MAX,
        .choices = CHOICES,
    };
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    replay r = {0};
    pl_status status = run(&j, n_words, argv, &r);
    exit_code = status == PL_OK ? exit_code_of(&r) : pl_command_failed();
    free_replay(&r);
    return exit_code;
}
