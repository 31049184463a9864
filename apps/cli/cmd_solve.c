// pliant solve: problems of `pliant run --record` once more, with any solver; those of other
// programs, and made ones; compared, and written for other programs.

#include "args.h"
#include "commands.h"
#include "problem_export.h"
#include "../../base/text.h"
#include "../common/paths.h"
#include "../lab/collection.h"
#include "../lab/comparison.h"
#include "../lab/generate.h"

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

enum { NOTES_ROOM = 16384, NAME_LEAST = 7, MOST_SOLVERS = 64, NAME_ROOM = 40, DEPTH = 8 };

// What the command line asks for.
typedef struct job {
    const char *solver, *precond, *csv, *export, *plot, *convergence, *generate, *save, *friction,
        *collect, *param, *device;
    double tolerance, residual_tolerance, contact_tolerance, max_seconds; // 0: not given
    int32_t max_iterations, threads;
    bool vj19, cold, json, markdown;
} job;

// A name that --solver gives, and what it is a solver of.
typedef struct choice {
    char name[NAME_ROOM];
    bool contacts, rows;
} choice;

typedef struct replay {
    pl_attempt attempt;
    const char *export, *save; // or NULL
    bool quiet;                // the table comes at the end, in another form
    bool all;                  // of the solvers, those that know a problem's laws
    bool usual;                // nobody has named a solver
    choice choice[MOST_SOLVERS];
    int32_t n_choice;

    char **path; // (n_path) the files, or recipes
    int64_t n_path, path_capacity;
    size_t shared;  // the length of the folder that all of them begin with
    int name_width; // of the longest, without that folder
    bool made;      // paths are recipes

    pl_collection collection; // with --collect
    bool collects;
    pl_comparison results;
    int head;        // 0: no table has begun; 1: one of contacts; 2: one of rows
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

static pl_status add_folder(replay *r, const char *folder, int depth);

// A file or a folder within a folder: what is no problem is passed over.
static pl_status add_entry(replay *r, const char *folder, const char *name, int depth)
{
    char *path;
    if (name[0] == '.') return PL_OK;
    PL_TRY(pl_path_in(&path, folder, "%s", name));
    pl_status status = PL_OK;
    bool named = pl_has_extension(name, ".plp") || pl_has_extension(name, ".hdf5") ||
                 pl_has_extension(name, ".h5") || pl_has_extension(name, ".txt");
    if (pl_is_folder(path)) {
        if (depth < DEPTH) status = add_folder(r, path, depth + 1);
    } else if (named &&
               (pl_has_extension(name, ".plp") || pl_format_of(path) != PL_FORMAT_UNKNOWN)) {
        status = add_path(r, "", path);
    }
    pl_free(path);
    return status;
}

static pl_status add_entries(replay *r, const char *folder, int depth)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) return pl_fail(PL_ERROR_FILE, "%s: %s", folder, strerror(errno));
    pl_status status = PL_OK;
    for (struct dirent *e = readdir(dir); e != NULL && status == PL_OK; e = readdir(dir)) {
        status = add_entry(r, folder, e->d_name, depth);
    }
    closedir(dir);
    return status;
}

static pl_status add_folder(replay *r, const char *folder, int depth)
{
    int64_t first = r->n_path;
    if (pl_format_of(folder) != PL_FORMAT_UNKNOWN) return add_path(r, "", folder);
    PL_TRY(add_entries(r, folder, depth));
    if (depth > 0) return PL_OK;
    int64_t n = r->n_path - first;
    if (n == 0) {
        return pl_fail(PL_ERROR_FILE, "%s: no problems in this folder (.plp, .hdf5, .txt)", folder);
    }
    qsort(r->path + first, (size_t)n, sizeof *r->path, compare_paths);
    return PL_OK;
}

// The table names files without the folder that they share.
static void shorten_names(replay *r)
{
    r->shared = r->made ? 0 : pl_shared_folder(r->n_path, r->path);
    r->name_width = NAME_LEAST;
    for (int64_t i = 0; i < r->n_path; i++) {
        r->name_width = PL_MAX(r->name_width, (int)strlen(r->path[i] + r->shared));
    }
}

// Recipes with ';' between them.
static pl_status add_recipes(replay *r, const char *text)
{
    r->made = true;
    for (const char *at = text;;) {
        char recipe[256];
        size_t length = strcspn(at, ";");
        if (length == 0 || length >= sizeof recipe) {
            return pl_fail(PL_ERROR_ARGUMENT, "--generate: \"%s\": KIND[:NAME=NUMBER,...] expected",
                           at);
        }
        snprintf(recipe, sizeof recipe, "%.*s", (int)length, at);
        PL_TRY(add_path(r, "", recipe));
        if (at[length] == '\0') return PL_OK;
        at += length + 1;
    }
}

static pl_status find_files(replay *r, const job *j, int n_words, char **words)
{
    if (j->generate != NULL && n_words > 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "--generate makes problems, and takes no files");
    }
    if (j->generate != NULL) PL_TRY(add_recipes(r, j->generate));
    for (int i = 0; i < n_words; i++) {
        PL_TRY(pl_is_folder(words[i]) ? add_folder(r, words[i], 0) : add_path(r, "", words[i]));
    }
    if (r->n_path == 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "no problem: a file, a folder, or --generate KIND");
    }
    shorten_names(r);
    return PL_OK;
}

// --- What is printed ---

static void print_outcome(replay *r, const pl_outcome *o)
{
    if (r->quiet) return;
    int head = o->rows ? 2 : 1;
    if (r->head != head) pl_table_head(o->rows, r->name_width);
    r->head = head;
    pl_table_row(o, o->path + r->shared, r->name_width);
}

static void print_sums(const replay *r)
{
    const pl_comparison *c = &r->results;
    for (int64_t first = 0; first < c->n; first++) {
        const char *name = c->outcome[first].solver;
        int64_t n = 0, converged = 0, iterations = 0, products = 0;
        double seconds = 0;
        bool seen = false;
        for (int64_t i = 0; i < first; i++) seen = seen || strcmp(c->outcome[i].solver, name) == 0;
        for (int64_t i = first; i < c->n && !seen; i++) {
            const pl_outcome *o = &c->outcome[i];
            if (strcmp(o->solver, name) != 0) continue;
            n++;
            converged += o->solved;
            iterations += o->iterations;
            products += o->rows ? 0 : o->contact.products;
            seconds += o->seconds;
        }
        if (seen) continue;
        printf("%s: %" PRId64 " of %" PRId64 " converged, %" PRId64 " iterations, %" PRId64
               " products, %.4g s\n",
               name, converged, n, iterations, products, seconds);
    }
}

// --- Solving ---

// Does a solver know what a friction model makes of cones?
static bool knows_friction(const pl_solver_info *info, const char *model)
{
    if (strcmp(model, "cone") == 0) return info->cones;
    if (strcmp(model, "box:follow") == 0 || strcmp(model, "outer:4") == 0) return info->following;
    if (strcmp(model, "diamond") == 0 || strcmp(model, "pyramid:4") == 0) return info->diamonds;
    return strncmp(model, "box", 3) == 0 ? info->boxes : info->pyramids;
}

// Does a solver of contacts know the laws of a problem?
static bool knows_laws(const char *name, const char *friction, const pl_instance *instance)
{
    pl_solver_info info;
    int32_t number;
    if (pl_solver_number(name, &number) != PL_OK) return false;
    if (pl_solver_describe(number, &info) != PL_OK) return false;
    for (int32_t k = 0; k < instance->size.constraints; k++) {
        pl_constraint_info c;
        if (pl_problem_constraint(instance->problem, k, &c) != PL_OK) return false;
        bool soft = c.compliance[0] > 0 || c.compliance[1] > 0 || c.compliance[2] > 0;
        bool four = c.directions == 4;
        bool knows = c.law == PL_LAW_CONE  ? knows_friction(&info, friction)
                     : c.law == PL_LAW_BOX ? info.boxes
                     : four && c.outer     ? info.following
                     : four                ? info.diamonds
                                           : info.pyramids;
        if (!knows || (soft && !info.compliance)) return false;
    }
    return true;
}

static bool suits_rows(const char *name, const pl_instance *instance)
{
    int32_t number;
    return pl_complementarity_number(name, &number) == PL_OK &&
           pl_complementarity_suits(instance->rows, number);
}

static pl_status solve(replay *r, const char *path, pl_instance *instance, const char *solver)
{
    PL_TRY(pl_comparison_solve(&r->results, &r->attempt, path, solver, instance));
    const pl_outcome *o = &r->results.outcome[r->results.n - 1];
    print_outcome(r, o);
    // The table cannot tell where these failed.
    bool obscure = strcmp(o->end, "impossible") == 0 || strcmp(o->end, "breakdown") == 0;
    if (obscure) fprintf(stderr, "pliant: %s: %s\n", path, pl_error_text());
    return PL_OK;
}

// By the solvers asked for; of several, those that know its laws or have what they need.
static pl_status solve_instance(replay *r, const char *path, pl_instance *instance)
{
    bool rows = instance->rows != NULL, tried = false;
    for (int32_t i = 0; i < r->n_choice; i++) {
        const choice *c = &r->choice[i];
        if (rows ? !c->rows : !c->contacts) continue;
        const char *friction = r->attempt.contact.friction_model;
        bool fits = rows ? suits_rows(c->name, instance) : knows_laws(c->name, friction, instance);
        if ((r->all || r->n_choice > 1) && !fits) continue;
        PL_TRY(solve(r, path, instance, c->name));
        tried = true;
        if (rows && r->usual && r->results.outcome[r->results.n - 1].solved) break;
    }
    if (!tried) {
        return pl_fail(PL_ERROR_ARGUMENT, "none of these solvers is one for %s",
                       rows ? "plain rows" : "contacts");
    }
    if (r->save != NULL) PL_TRY(pl_instance_write(instance, r->save));
    if (r->collects) {
        PL_TRY(pl_collection_add(&r->collection, path + r->shared, instance,
                                 &r->results.outcome[r->results.n - 1]));
    }
    if (r->export == NULL || rows) return PL_OK;
    return pl_problem_export(instance->problem, instance->v, instance->f, path, r->export);
}

static pl_status solve_file(replay *r, const char *path)
{
    pl_instance instance;
    r->results.n_file++;
    pl_status status =
        r->made ? pl_instance_make(path, &instance) : pl_instance_read(path, &instance);
    if (status != PL_OK) {
        if (r->made) pl_fail_prefix("--generate");
        return status;
    }
    status = solve_instance(r, path, &instance);
    if (status != PL_OK) pl_fail_prefix(path);
    pl_instance_free(&instance);
    return status;
}

// A file that is refused does not keep the others from being solved.
static pl_status solve_all(replay *r)
{
    for (int64_t i = 0; i < r->n_path; i++) {
        pl_status status = solve_file(r, r->path[i]);
        if (status == PL_ERROR_MEMORY) return status;
        if (status == PL_OK) continue;
        r->refused++;
        pl_command_failed();
    }
    if (r->n_path > 1 && !r->quiet) print_sums(r);
    return PL_OK;
}

// --- The command ---

static void add_choice(replay *r, const char *name, bool contacts, bool rows)
{
    for (int32_t i = 0; i < r->n_choice; i++) {
        if (strcmp(r->choice[i].name, name) != 0) continue;
        r->choice[i].contacts = r->choice[i].contacts || contacts;
        r->choice[i].rows = r->choice[i].rows || rows;
        return;
    }
    if (r->n_choice == MOST_SOLVERS) return;
    choice *c = &r->choice[r->n_choice++];
    *c = (choice){.contacts = contacts, .rows = rows};
    snprintf(c->name, sizeof c->name, "%s", name);
}

static void choose_all(replay *r)
{
    r->all = true;
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        pl_solver_info info;
        if (pl_solver_describe(i, &info) == PL_OK) add_choice(r, info.name, true, false);
    }
    for (int32_t i = 0; i < pl_complementarity_solver_count(); i++) {
        pl_complementarity_solver solver;
        if (pl_complementarity_describe(i, &solver) == PL_OK) {
            add_choice(r, solver.name, false, true);
        }
    }
}

// Plain rows get one solver after the other, until one has solved them.
static void choose_usual(const job *j, replay *r)
{
    r->usual = true;
    add_choice(r, j->vj19 ? "cr" : pl_world_options_default().solver, true, false);
    for (int32_t i = pl_complementarity_solver_count() - 1; i >= 0; i--) {
        pl_complementarity_solver solver;
        if (pl_complementarity_describe(i, &solver) == PL_OK) {
            add_choice(r, solver.name, false, true);
        }
    }
}

static pl_status choose_one(replay *r, const char *name)
{
    int32_t number;
    pl_solver_info info;
    bool rows = pl_complementarity_number(name, &number) == PL_OK;
    bool contacts = pl_solver_number(name, &number) == PL_OK;
    if (!rows && !contacts) {
        pl_complementarity_number(name, &number); // that table has the words of the other kind
        pl_status status = pl_solver_number(name, &number);
        pl_fail_prefix("--solver");
        return status;
    }
    bool named = contacts && pl_solver_describe(number, &info) == PL_OK;
    add_choice(r, named ? info.name : name, contacts, rows);
    return PL_OK;
}

static pl_status choose_solvers(const job *j, replay *r)
{
    if (j->solver == NULL) {
        choose_usual(j, r);
        return PL_OK;
    }
    if (strcmp(j->solver, "all") == 0) {
        choose_all(r);
        return PL_OK;
    }
    for (const char *at = j->solver;;) {
        char name[NAME_ROOM];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)PL_MIN(length, sizeof name - 1), at);
        PL_TRY(choose_one(r, name));
        if (at[length] == '\0') return PL_OK;
        at += length + 1;
    }
}

static void warn_unused(const job *j, const replay *r)
{
    bool precond = false;
    for (int32_t i = 0; i < r->n_choice; i++) {
        pl_solver_info info;
        int32_t number;
        if (!r->choice[i].contacts || pl_solver_number(r->choice[i].name, &number) != PL_OK)
            continue;
        precond = precond || (pl_solver_describe(number, &info) == PL_OK && info.has_precond);
    }
    pl_args_no_effect(j->precond != NULL && !precond, "--precond",
                      "only cr, minres and gcr have one");
    pl_args_no_effect(j->vj19 && !precond, "--vj19", "only cr, minres and gcr know the difference");
}

static pl_status choose_limits(const job *j, replay *r)
{
    pl_solve_options *contact = &r->attempt.contact;
    pl_complementarity_options *rows = &r->attempt.rows;
    *contact = pl_solve_options_default();
    *rows = pl_complementarity_options_default();
    if (j->residual_tolerance >= 1) {
        return pl_fail(PL_ERROR_ARGUMENT, "--residual-tolerance: %g is not between 0 and 1",
                       j->residual_tolerance);
    }
    if (j->tolerance > 0) {
        contact->residual_tolerance = contact->contact_tolerance = rows->tolerance = j->tolerance;
    }
    if (j->residual_tolerance > 0) contact->residual_tolerance = j->residual_tolerance;
    if (j->contact_tolerance > 0) contact->contact_tolerance = j->contact_tolerance;
    if (j->max_iterations > 0) {
        contact->max_iterations = rows->max_iterations = j->max_iterations;
    }
    contact->max_seconds = rows->max_seconds = j->max_seconds > 0 ? j->max_seconds : MAX_SECONDS;
    contact->threads = j->threads;
    if (j->device != NULL) contact->device = j->device;
    contact->vj19 = j->vj19;
    contact->parameters = rows->parameters = j->param;
    if (j->friction != NULL) contact->friction_model = j->friction;
    return PL_OK;
}

// Before the work, and not once for each problem.
static pl_status check_parameters(const job *j, const replay *r)
{
    pl_status status = pl_complementarity_parameters_check(j->param);
    if (status != PL_OK) pl_fail_prefix("--param");
    PL_TRY(status);
    for (const char *at = j->param; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        bool chosen = false;
        for (int32_t i = 0; i < r->n_choice; i++) {
            size_t n = strlen(r->choice[i].name);
            chosen = chosen || (strncmp(at, r->choice[i].name, n) == 0 && at[n] == '.');
        }
        pl_args_no_effect(!chosen, "--param", "its solver is not among those of --solver");
    }
    return PL_OK;
}

static pl_status choose_options(const job *j, replay *r)
{
    const char *device;
    if (j->device != NULL && pl_device_find(j->device, &device) != PL_OK) {
        pl_fail_prefix("--device");
        return PL_ERROR_ARGUMENT;
    }
    PL_TRY(choose_limits(j, r));
    if (j->precond != NULL) {
        int32_t number;
        pl_status status = pl_precond_number(j->precond, &number);
        if (status != PL_OK) pl_fail_prefix("--precond");
        PL_TRY(status);
        r->attempt.contact.precond = j->precond;
    }
    r->attempt.cold = j->cold;
    r->attempt.trace = j->convergence != NULL;
    r->export = j->export;
    r->save = j->save;
    r->quiet = j->json || j->markdown;
    PL_TRY(choose_solvers(j, r));
    PL_TRY(check_parameters(j, r));
    warn_unused(j, r);
    return PL_OK;
}

static void free_replay(replay *r)
{
    for (int64_t i = 0; i < r->n_path; i++) pl_free(r->path[i]);
    pl_free(r->path);
    pl_comparison_free(&r->results);
    pl_collection_free(&r->collection);
}

// Before the work: can all be written?
static pl_status try_outputs(const job *j, const replay *r)
{
    const char *const paths[] = {j->csv, j->plot, j->convergence};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] != NULL) PL_TRY(pl_output_try(paths[i]));
    }
    if (j->save == NULL || r->n_path == 1) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "--save: one problem goes into a file, and there are %lld",
                   (long long)r->n_path);
}

static pl_status draw(const job *j, const replay *r)
{
    bool drawn = true;
    if (j->plot != NULL) PL_TRY(pl_profile_draw(&r->results, j->plot));
    if (j->convergence != NULL) {
        PL_TRY(pl_convergence_draw(&r->results, j->convergence, &drawn));
        pl_args_no_effect(!drawn, "--convergence", "none of these solvers tells its errors");
    }
    return PL_OK;
}

static pl_status run(const job *j, int n_words, char **words, replay *r)
{
    PL_TRY(choose_options(j, r));
    PL_TRY(find_files(r, j, n_words, words));
    PL_TRY(try_outputs(j, r));
    r->collects = j->collect != NULL;
    if (r->collects) PL_TRY(pl_collection_open(j->collect, &r->collection));
    PL_TRY(solve_all(r));
    if (r->collects) PL_TRY(pl_collection_close(&r->collection));
    if (j->json) pl_table_json(&r->results);
    if (j->markdown) pl_table_markdown(&r->results);
    PL_TRY(draw(j, r));
    return j->csv != NULL ? pl_table_csv(&r->results, j->csv) : PL_OK;
}

static int exit_code_of(const replay *r)
{
    if (r->refused > 0) return 1;
    for (int64_t i = 0; i < r->results.n; i++) {
        bool last =
            i + 1 == r->results.n || r->results.outcome[i + 1].file != r->results.outcome[i].file;
        // Of the usual ones for rows, the last one counts.
        bool counts = !(r->usual && r->results.outcome[i].rows) || last;
        if (counts && !r->results.outcome[i].solved) return EXIT_NOT_CONVERGED;
    }
    return 0;
}

static const char NOTES[] =
    "A file is what its content says: a recorded problem (.plp), one of FCLIB (HDF5, global or\n"
    "local), a linear complementarity problem as text (\"n m\", n + m rows of M, q, the number of\n"
    "solutions, these; the first n rows are equations); or a folder with M.mtx and q.mtx, or with\n"
    "what --export wrote. Any other folder stands for all problems in it, in the order of their\n"
    "numbers. A solve starts where the recorded one did.\n\n"
    "Errors of contacts are the largest of any [m], but for the residual, which is relative: how\n"
    "far it penetrates, the natural maps of its normal and its friction, how far the impulse is "
    "out\n"
    "of the friction cone, the Fischer-Burmeister function, and the energy that the error would "
    "have\n"
    "[J]. fclib is the measure that is usual for files of FCLIB: |r - P(r - u')| / (1 + "
    "|q|^(1/2)). In\n"
    "those files velocities count as they are (dt is 1). Errors of plain rows have the unit of w, "
    "the\n"
    "energy that of w times x, the primal one that of x. The hash is of the solution, the same "
    "for\n"
    "any number of threads.\n\n"
    "--plot draws performance profiles: the share of problems that a solver solves within 2^x "
    "times\n"
    "the time, and the iterations, of the best. --convergence draws the error before each "
    "iteration,\n"
    "over iterations and, in PLOT-time.svg, over seconds: of solvers of plain rows, cr and "
    "minres.\n\n"
    "--export writes for each problem DIR/NAME/A.mtx, L.mtx, b.mtx, c.mtx, v.mtx and f.mtx "
    "(Matrix\n"
    "Market: matrix, rows, right-hand side, offsets, and the solution by the last solver) and\n"
    "problem.json (dt, prescribed blocks; law, mu, axes, compliance and bounds of constraints).\n"
    "--save writes the problem once more, as FILE.plp or FILE.hdf5 (contacts), FILE.txt or DIR/ "
    "(rows).\n"
    "--collect writes each as one of FCLIB, or as .plp where FCLIB has no such law, with the "
    "solution\n"
    "of the last solver, and manifest.csv and manifest.json: how many rows, their rank, how much "
    "of\n"
    "them is beyond it (hyperstatic), the condition of what is not, both estimated.\n\n"
    "Exit code: 0 if all converged, 2 if some did not, 1 if something failed; a file that is no\n"
    "problem is named, and the others are solved.\n\n";

static const char *solver_name(int32_t i)
{
    return i == pl_solver_count() ? "all" : pl_choice_solver(i);
}

static const char *kind_name(int32_t i)
{
    int32_t n = 0;
    while (pl_contact_kind(n) != NULL) n++;
    return i < n ? pl_contact_kind(i) : pl_complementarity_kind(i - n);
}

static const pl_choice CHOICES[] = {{"SOLVER,...", solver_name},
                                    {"PRECOND", pl_precond_name},
                                    {"KIND[:n=N,...]", kind_name},
                                    {NULL, NULL}};

// The kinds of --generate, and the solvers.
static void add_lists(char *notes, size_t room)
{
    pl_text text = pl_text_start(notes, room);
    pl_text_add(&text, "%s", NOTES);
    pl_text_add(&text, "Kinds of --generate, with n, seed, mu, ratio (of masses) and dt:\n\n");
    for (int32_t i = 0; pl_contact_kind(i) != NULL; i++) {
        pl_text_add(&text, "%-12s %s\n", pl_contact_kind(i), pl_contact_kind_help(i));
    }
    pl_text_add(&text, "\nand plain rows, with the numbers that lcp/generate.h names:\n\n");
    for (int32_t i = 0; pl_complementarity_kind(i) != NULL; i++) {
        pl_text_add(&text, "%s%s", i > 0 ? ", " : "", pl_complementarity_kind(i));
    }
    pl_text_add(&text, "\n\nSolvers:\n\n");
    size_t used = PL_MIN(text.length, room - 1);
    text.length += pl_solver_help(notes + used, room - used);
    text = (pl_text){notes, room, text.length};
    pl_text_add(&text, "\nThese know plain rows, and contacts with another friction than cones:\n");
    for (int32_t i = 0; i < pl_complementarity_solver_count(); i++) {
        pl_complementarity_solver solver;
        if (pl_complementarity_describe(i, &solver) != PL_OK) continue;
        pl_text_add(&text, "%s%s", i == 0 ? "" : i % 8 == 0 ? ",\n" : ", ", solver.name);
    }
    pl_text_add(&text, ".\n\nTheir parameters, for --param, and which of them have each:\n\n");
    used = PL_MIN(text.length, room - 1);
    text.length += pl_complementarity_parameter_help(notes + used, room - used);
    PL_ASSERT(text.length < room);
}

int pl_command_solve(int argc, char **argv)
{
    job j = {0};
    const pl_option options[] = {
        {"--solver", PL_OPTION_TEXT, &j.solver, "SOLVER,...",
         "see below, or all; default that of run, and for plain rows the first that solves them"},
        {"--generate", PL_OPTION_TEXT, &j.generate, "KIND[:n=N,...]",
         "make a problem, see below; several with ';' between them"},
        {"--precond", PL_OPTION_TEXT, &j.precond, "PRECOND",
         "of cr, minres and gcr: full, diag, schur or none"},
        {"--friction", PL_OPTION_TEXT, &j.friction, "MODEL",
         "in place of cones: diamond, pyramid:N, outer:N, box, box:N, box:last, box:follow"},
        {"--param", PL_OPTION_TEXT, &j.param, "SOLVER.NAME=X,...",
         "of solvers of plain rows, as psor.relaxation=1.8; see below"},
        {"--tol", PL_OPTION_NUMBER, &j.tolerance, "X",
         "all tolerances; of plain rows the only one, default 1e-10"},
        {"--residual-tolerance", PL_OPTION_NUMBER, &j.residual_tolerance, "X",
         "relative residual; default 1e-5"},
        {"--contact-tolerance", PL_OPTION_NUMBER, &j.contact_tolerance, "X",
         "error of a contact [m]; default 1e-6"},
        {"--vj19", PL_OPTION_FLAG, &j.vj19, NULL,
         "as VJ19 prints it, with the solver cr unless one is named"},
        {"--max-iterations", PL_OPTION_COUNT, &j.max_iterations, "N",
         "of a solve; default 20000, of plain rows 1000"},
        {"--max-seconds", PL_OPTION_NUMBER, &j.max_seconds, "T", "of a solve; default 60"},
        {"--cold", PL_OPTION_FLAG, &j.cold, NULL, "start from rest and without impulses"},
        {"--threads", PL_OPTION_THREADS, &j.threads, "N", "default one per core; same results"},
        {"--device", PL_OPTION_TEXT, &j.device, "DEVICE",
         "of contacts by auto and apg: cpu, cuda[:N], opencl[:N] or auto; see 'pliant info'"},
        {"--csv", PL_OPTION_TEXT, &j.csv, "FILE.csv", "write the table to a file, too"},
        {"--json", PL_OPTION_FLAG, &j.json, NULL, "print the results as JSON, not as a table"},
        {"--markdown", PL_OPTION_FLAG, &j.markdown, NULL, "print a table of Markdown"},
        {"--plot", PL_OPTION_TEXT, &j.plot, "PLOT.svg", "draw performance profiles, see below"},
        {"--convergence", PL_OPTION_TEXT, &j.convergence, "PLOT.svg", "draw errors, see below"},
        {"--export", PL_OPTION_TEXT, &j.export, "DIR",
         "write problem and solution for other programs, see below"},
        {"--save", PL_OPTION_TEXT, &j.save, "OUT", "write the problem, see below"},
        {"--collect", PL_OPTION_TEXT, &j.collect, "DIR", "write all, with a manifest, see below"},
    };
    char notes[NOTES_ROOM];
    add_lists(notes, sizeof notes);
    const pl_command command = {
        .usage = "solve [FILE|FOLDER...] [options]",
        .summary = "Solves contact problems that 'pliant run --record' wrote, or a "
                   "step that failed, once more; and problems of other programs.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes = notes,
        .least = 0,
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
