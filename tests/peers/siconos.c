// Contact problems by Siconos's solvers and by ours, cold, in one run: time and residual by one
// yardstick, the measure of FCLIB (apps/lab/fclib.h) or, of a global problem, what is wrong with
// its equation, |M v - H r - f| / |f|, where that is more.
//
//   siconos [--tol T] [--max-seconds S] [--repeat N] [--csv FILE] PROBLEM...
//
// A problem is a file that `pliant solve` reads, a folder of such, or a recipe of `pliant solve
// --generate`. Both
// sides get it in the terms of FCLIB: M v = H r + f, u = H^T v + w. A solver is asked for T by its
// own measure, and for a tenth until the yardstick says T; the time is that of the last of these
// solves alone. Each solve is a process of its own, with the clock of its processor.

#include "../../apps/bench/cpu_time.h"
#include "../../apps/common/subprocess.h"
#include "../../apps/common/paths.h"
#include "../../apps/lab/comparison.h"

#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SICONOS_ITERATIONS = 1000000, TIGHTER = 8, MOST_BLOCKS_OF_W = 4000 };

static const double LONG = 1; // [s]

// How W or M is stored for a solver.
typedef enum storage { GLOBAL, LOCAL_BLOCKS, LOCAL_SPARSE } storage;

typedef struct method {
    const char *name;
    int id; // 0: ours
    storage storage;
} method;

static const method methods[] = {
    {"apg", 0, GLOBAL},
    {"cone-newton", 0, GLOBAL},
    {"newton", 0, GLOBAL},
    {"auto", 0, GLOBAL},
    {"delassus", 0, GLOBAL},
    {"NSGS", SICONOS_FRICTION_3D_NSGS, LOCAL_BLOCKS},
    {"VI-EG", SICONOS_FRICTION_3D_VI_EG, LOCAL_BLOCKS},
    {"SOCLCP", SICONOS_FRICTION_3D_SOCLCP, LOCAL_BLOCKS},
    {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP, LOCAL_BLOCKS},
    {"NSN-AC", SICONOS_FRICTION_3D_NSN_AC, LOCAL_SPARSE},
    {"NSN-FB", SICONOS_FRICTION_3D_NSN_FB, LOCAL_SPARSE},
    {"PROX", SICONOS_FRICTION_3D_PROX, LOCAL_SPARSE},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, LOCAL_SPARSE},
    {"global NSN-AC", SICONOS_GLOBAL_FRICTION_3D_NSN_AC, GLOBAL},
    {"global ADMM", SICONOS_GLOBAL_FRICTION_3D_ADMM, GLOBAL},
    {"global IPM", SICONOS_GLOBAL_FRICTION_3D_IPM, GLOBAL},
};

enum { METHODS = sizeof methods / sizeof *methods };

typedef struct settings {
    double tolerance, max_seconds;
    int repeat;
    const char *csv;
} settings;

// What a process is told, and what it answers; (n) v and (m) r follow the answer.
typedef struct task {
    const method *method;
    const pl_fclib *problem;
    double tolerance, max_seconds;
    int repeat;
} task;

typedef struct answer {
    double reduce, solve; // [s] of the processor, least of all repeats
    int32_t iterations;
    bool finite;
} answer;

// --- Siconos ---

static NumericsMatrix *matrix_of(const pl_columns *c)
{
    NumericsMatrix *out = NM_create(NM_SPARSE, c->n_row, c->n_col);
    NM_triplet_alloc(out, c->col[c->n_col]);
    for (int32_t j = 0; j < c->n_col; j++) {
        for (int64_t k = c->col[j]; k < c->col[j + 1]; k++) NM_entry(out, c->row[k], j, c->val[k]);
    }
    NM_csc(out);
    return out;
}

static double *copy_of(const double *x, int64_t n)
{
    double *out = calloc((size_t)PL_MAX(n, 1), sizeof *out);
    if (out != NULL && x != NULL) memcpy(out, x, (size_t)n * sizeof *x);
    return out;
}

static GlobalFrictionContactProblem *global_of(const pl_fclib *p)
{
    GlobalFrictionContactProblem *out = globalFrictionContactProblem_new();
    out->dimension = p->dimension;
    out->numberOfContacts = p->n_contact;
    out->M = matrix_of(&p->M);
    out->H = matrix_of(&p->H);
    out->q = copy_of(p->f, p->M.n_col);
    out->b = copy_of(p->w, (int64_t)p->dimension * p->n_contact);
    out->mu = copy_of(p->mu, p->n_contact);
    return out;
}

static FrictionContactProblem *local_of(const pl_fclib *p)
{
    if (!p->local) {
        return globalFrictionContact_reformulation_FrictionContact(global_of(p));
    }
    FrictionContactProblem *out = frictionContactProblem_new();
    out->dimension = p->dimension;
    out->numberOfContacts = p->n_contact;
    out->M = matrix_of(&p->M);
    out->q = copy_of(p->w, (int64_t)p->dimension * p->n_contact);
    out->mu = copy_of(p->mu, p->n_contact);
    return out;
}

// W in blocks of three, which its Gauss-Seidel is made for.
static void store_blocks(FrictionContactProblem *local)
{
    int n = local->M->size0;
    SparseBlockStructuredMatrix *blocks = SBM_new();
    SBM_from_csparse(local->dimension, NM_csc(local->M), blocks);
    local->M = NM_create_from_data(NM_SPARSE_BLOCK, n, n, blocks);
}

static SolverOptions *options_of(const task *t)
{
    SolverOptions *o = solver_options_create(t->method->id);
    o->dparam[SICONOS_DPARAM_TOL] = t->tolerance;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = MOST_SICONOS_ITERATIONS;
    return o;
}

static void solve_theirs(const task *t, double *v, double *r, answer *out)
{
    int64_t m = (int64_t)t->problem->dimension * t->problem->n_contact;
    double *u = copy_of(NULL, m), started = pl_cpu_seconds();
    SolverOptions *options = options_of(t);
    memset(r, 0, (size_t)m * sizeof *r);
    if (t->method->storage == GLOBAL) {
        GlobalFrictionContactProblem *global = global_of(t->problem);
        out->reduce = 0;
        started = pl_cpu_seconds();
        gfc3d_driver(global, r, u, v, options);
        out->solve = pl_cpu_seconds() - started;
    } else {
        FrictionContactProblem *local = local_of(t->problem);
        if (t->method->storage == LOCAL_BLOCKS) store_blocks(local);
        out->reduce = pl_cpu_seconds() - started;
        started = pl_cpu_seconds();
        fc3d_driver(local, r, u, options);
        out->solve = pl_cpu_seconds() - started;
        if (!t->problem->local)
            globalFrictionContact_computeGlobalVelocity(global_of(t->problem), r, v);
    }
    out->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    free(u);
}

// --- Ours ---

// An instance that borrows the problem.
static pl_status open_ours(const pl_fclib *p, pl_instance *out)
{
    *out = (pl_instance){.format = PL_FORMAT_FCLIB, .fclib = *p};
    PL_TRY(pl_fclib_problem(p, NULL, &out->problem));
    out->size = pl_problem_sizes(out->problem);
    out->v = copy_of(NULL, 3 * (int64_t)out->size.blocks);
    out->f = copy_of(NULL, 3 * (int64_t)out->size.constraints);
    return pl_problem_start(out->problem, true, out->v, out->f);
}

static int solve_ours(const task *t, double *v, double *r, answer *out)
{
    const pl_fclib *p = t->problem;
    int64_t m = (int64_t)p->dimension * p->n_contact;
    pl_instance instance;
    pl_solve_result result = {0};
    pl_comparison all = {0};
    pl_attempt attempt = {.contact = pl_solve_options_default(), .cold = true};
    pl_solve_options *o = &attempt.contact;
    o->residual_tolerance = o->contact_tolerance = t->tolerance;
    o->max_seconds = t->max_seconds;
    o->threads = 1;
    if (open_ours(p, &instance) != PL_OK) return 1;
    double started = pl_cpu_seconds();
    // Where W is not symmetric, in rounds, as `pliant solve` does.
    pl_status status = p->K.n_col > 0
                           ? pl_comparison_solve(&all, &attempt, "", t->method->name, &instance)
                           : pl_problem_solve(instance.problem, t->method->name, o, instance.v,
                                              instance.f, &result);
    if (status != PL_OK) return 1;
    *out = (answer){0, pl_cpu_seconds() - started, result.iterations, true};
    if (all.n > 0) out->iterations = all.outcome[0].iterations;
    for (int64_t i = 0; i < m; i++) r[i] = instance.f[3 * (i / p->dimension) + i % p->dimension];
    if (!p->local) memcpy(v, instance.v, (size_t)p->M.n_col * sizeof *v);
    return 0;
}

// --- One solve ---

static int work(int to, const void *argument)
{
    const task *t = argument;
    int64_t n = t->problem->M.n_col, m = (int64_t)t->problem->dimension * t->problem->n_contact;
    double *v = copy_of(NULL, n), *r = copy_of(NULL, m);
    answer best = {.solve = INFINITY, .finite = true};
    double started = pl_cpu_seconds(); // no repeats of what takes long
    for (int i = 0; i < t->repeat && (i == 0 || pl_cpu_seconds() - started < LONG); i++) {
        answer a = {0};
        if (t->method->id != 0) solve_theirs(t, v, r, &a);
        if (t->method->id == 0 && solve_ours(t, v, r, &a) != 0) return 1;
        if (a.solve < best.solve) best.solve = a.solve, best.iterations = a.iterations;
        best.reduce = i == 0 ? a.reduce : fmin(best.reduce, a.reduce);
    }
    for (int64_t i = 0; i < n; i++) best.finite = best.finite && isfinite(v[i]);
    for (int64_t i = 0; i < m; i++) best.finite = best.finite && isfinite(r[i]);
    bool sent = pl_subprocess_send(to, &best, sizeof best) &&
                pl_subprocess_send(to, v, (size_t)n * sizeof *v) &&
                pl_subprocess_send(to, r, (size_t)m * sizeof *r);
    return sent ? 0 : 1;
}

// y += factor * C x.
static void add_product(const pl_columns *C, double factor, const double *x, double *y)
{
    for (int32_t j = 0; j < C->n_col; j++) {
        for (int64_t k = C->col[j]; k < C->col[j + 1]; k++)
            y[C->row[k]] += factor * C->val[k] * x[j];
    }
}

static pl_status measure(const pl_fclib *p, const double *v, const double *r, double *out)
{
    PL_TRY(pl_fclib_measure(p, v, r, NULL, out));
    if (p->local) return PL_OK;
    int64_t n = p->M.n_col;
    double *left = copy_of(p->f, n), wrong = 0, size = 0;
    if (left == NULL) return PL_ERROR_MEMORY;
    add_product(&p->M, -1, v, left);
    add_product(&p->H, 1, r, left);
    for (int64_t i = 0; i < n; i++) wrong += left[i] * left[i], size += p->f[i] * p->f[i];
    free(left);
    wrong = sqrt(wrong) / fmax(sqrt(size), 1e-300);
    *out = isfinite(wrong) ? fmax(*out, wrong) : INFINITY;
    return PL_OK;
}

typedef struct result {
    answer a;
    double tolerance, error; // asked for; by the yardstick, NAN: none
    char why[160];
} result;

static pl_status solve_once(const task *t, result *out)
{
    int64_t n = t->problem->M.n_col, m = (int64_t)t->problem->dimension * t->problem->n_contact;
    size_t size = sizeof(answer) + (size_t)(n + m) * sizeof(double);
    const pl_subprocess_limits limits = {t->max_seconds + LONG, (int64_t)1 << 33};
    pl_bytes bytes;
    PL_TRY(pl_subprocess_run(t->method->name, work, t, &limits, &bytes));
    pl_status status = PL_ERROR_NUMERICS;
    if (bytes.size == size) {
        double *x = copy_of(NULL, n + m);
        memcpy(&out->a, bytes.data, sizeof out->a);
        memcpy(x, bytes.data + sizeof out->a, (size_t)(n + m) * sizeof *x);
        status = measure(t->problem, x, x + n, &out->error);
        free(x);
    }
    pl_bytes_free(&bytes);
    return status;
}

// Until the yardstick says that the tolerance holds.
static void solve(const settings *s, const method *by, const pl_fclib *problem, result *out)
{
    task t = {by, problem, s->tolerance, s->max_seconds, s->repeat};
    *out = (result){.error = NAN};
    for (int i = 0; i <= TIGHTER; i++, t.tolerance *= 0.1) {
        out->tolerance = t.tolerance;
        if (solve_once(&t, out) != PL_OK) {
            snprintf(out->why, sizeof out->why, "%s", pl_error_text());
            return;
        }
        if (out->error <= s->tolerance) return;
    }
    snprintf(out->why, sizeof out->why, "the tolerance is not reached");
}

// --- Problems ---

static void print_row(const method *by, const result *r, const char *name, FILE *csv)
{
    bool ok = r->why[0] == '\0';
    printf("  %-18s %-8s", by->name, by->id == 0 ? "Pliant" : "Siconos");
    if (ok) {
        printf(" %10.2f %10.2f %9d %9.1e %9.1e\n", 1e3 * r->a.reduce, 1e3 * r->a.solve,
               (int)r->a.iterations, r->tolerance, r->error);
    } else {
        printf("  -  %s%s\n", isfinite(r->error) ? "" : "no result: ", r->why);
    }
    fflush(stdout);
    if (csv == NULL) return;
    fprintf(csv, "\"%s\",%s,\"%s\",%d,%g,%g,%d,%g,%g\n", name, by->id == 0 ? "Pliant" : "Siconos",
            by->name, ok, 1e3 * r->a.reduce, 1e3 * r->a.solve, (int)r->a.iterations, r->tolerance,
            r->error);
}

static bool fits(const method *by, const pl_fclib *p)
{
    if (by->id == 0) return true;
    return by->storage == GLOBAL ? !p->local : p->n_contact <= MOST_BLOCKS_OF_W;
}

static void compare(const settings *s, const char *name, const pl_fclib *p, FILE *csv)
{
    double ours = INFINITY, theirs = INFINITY, with_w = INFINITY;
    const char *our_name = "", *their_name = "";
    printf("\n%s: %d contacts, %s\n", name, (int)p->n_contact,
           p->local ? "local (W)" : "global (M, H)");
    printf("  %-18s %-8s %10s %10s %9s %9s %9s\n", "", "", "W ms", "solve ms", "iter.", "asked",
           "error");
    for (int i = 0; i < METHODS; i++) {
        const method *by = &methods[i];
        result r;
        if (!fits(by, p)) continue;
        solve(s, by, p, &r);
        print_row(by, &r, name, csv);
        if (r.why[0] != '\0') continue;
        if (by->id == 0 && r.a.solve < ours) ours = r.a.solve, our_name = by->name;
        if (by->id != 0 && r.a.solve < theirs) theirs = r.a.solve, their_name = by->name;
        if (by->id != 0) with_w = fmin(with_w, r.a.solve + r.a.reduce);
    }
    if (isfinite(ours) && isfinite(theirs)) {
        printf("  Pliant's best, %s, takes %.3g of the time of Siconos's best, %s; %.3g with what "
               "makes W\n",
               our_name, ours / theirs, their_name, ours / with_w);
    }
}

// The problem in the terms of FCLIB; false: it has none.
static pl_status open_problem(const char *path, pl_instance *instance, pl_fclib *own, bool *is_own)
{
    bool file = pl_format_of(path) != PL_FORMAT_UNKNOWN;
    PL_TRY(file ? pl_instance_read(path, instance) : pl_instance_make(path, instance));
    *is_own = false;
    if (instance->problem == NULL) {
        pl_instance_free(instance);
        return pl_fail(PL_ERROR_ARGUMENT, "%s: plain rows, no contacts", path);
    }
    pl_status status = PL_OK;
    if (instance->format != PL_FORMAT_FCLIB) {
        status = pl_fclib_from(instance->problem, instance->v, instance->f, own);
        *is_own = status == PL_OK;
    }
    const pl_fclib *p = *is_own ? own : &instance->fclib;
    if (status == PL_OK && (p->G.n_col > 0 || (p->local && p->H.n_col > 0) || p->dimension != 3)) {
        status = pl_fail(PL_ERROR_ARGUMENT,
                         "it has equations or two dimensions, which these solvers do not know");
    }
    if (status == PL_OK) return PL_OK;
    pl_fail_prefix(path);
    if (*is_own) pl_fclib_free(own);
    pl_instance_free(instance);
    return status;
}

static bool run_one(const settings *s, const char *path, FILE *csv)
{
    pl_instance instance;
    pl_fclib own;
    bool is_own;
    if (open_problem(path, &instance, &own, &is_own) != PL_OK) {
        fprintf(stderr, "siconos: %s\n", pl_error_text());
        return false;
    }
    compare(s, path, is_own ? &own : &instance.fclib, csv);
    if (is_own) pl_fclib_free(&own);
    pl_instance_free(&instance);
    return true;
}

// All files of a folder that are problems, in the order of their names.
static bool run_folder(const settings *s, const char *folder, FILE *csv)
{
    struct dirent **entry;
    bool ok = true;
    int n = scandir(folder, &entry, NULL, versionsort);
    if (n < 0) perror(folder);
    for (int i = 0; i < n; i++) {
        char *path;
        if (pl_path_in(&path, folder, "%s", entry[i]->d_name) == PL_OK) {
            bool problem = !pl_is_folder(path) && pl_format_of(path) != PL_FORMAT_UNKNOWN;
            if (problem) ok = run_one(s, path, csv) && ok;
            pl_free(path);
        }
        free(entry[i]);
    }
    if (n >= 0) free(entry);
    return ok && n >= 0;
}

static int run_all(const settings *s, int n, char **paths)
{
    FILE *csv = s->csv != NULL ? fopen(s->csv, "w") : NULL;
    int code = 0;
    if (s->csv != NULL && csv == NULL) {
        perror(s->csv);
        return 1;
    }
    if (csv != NULL)
        fprintf(csv, "problem,by,solver,solved,w_ms,solve_ms,iterations,asked,error\n");
    printf("Cold, to %.0e by the measure of FCLIB; time of the processor, least of %d, one thread; "
           "'W' is\nwhat makes the matrix of local solvers. At most %g s each.\n",
           s->tolerance, s->repeat, s->max_seconds);
    for (int i = 0; i < n; i++) {
        bool folder = pl_is_folder(paths[i]) && pl_format_of(paths[i]) == PL_FORMAT_UNKNOWN;
        bool ok = folder ? run_folder(s, paths[i], csv) : run_one(s, paths[i], csv);
        if (!ok) code = 1;
    }
    if (csv != NULL && fclose(csv) != 0) code = 1;
    return code;
}

static bool number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out > 0 && isfinite(*out);
}

int main(int argc, char **argv)
{
    settings s = {1e-6, 10, 3, NULL};
    int i = 1;
    double repeat = s.repeat;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        bool ok = true;
        if (strcmp(argv[i], "--tol") == 0) {
            ok = number(argv[i + 1], &s.tolerance);
        } else if (strcmp(argv[i], "--max-seconds") == 0) {
            ok = number(argv[i + 1], &s.max_seconds);
        } else if (strcmp(argv[i], "--repeat") == 0) {
            ok = number(argv[i + 1], &repeat) && repeat <= 1000;
        } else if (strcmp(argv[i], "--csv") == 0) {
            s.csv = argv[i + 1];
        } else {
            ok = false;
        }
        if (ok) continue;
        fprintf(stderr, "siconos: %s %s: --tol, --max-seconds, --repeat or --csv expected\n",
                argv[i], argv[i + 1]);
        return 1;
    }
    s.repeat = (int)fmax(repeat, 1);
    if (i == argc) {
        fprintf(stderr, "siconos: no problem: a file, or a recipe as wall:n=10\n");
        return 1;
    }
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    return run_all(&s, argc - i, argv + i);
}
