// Linear complementarity problems for programs.

#include "params.h"
#include "../base/hash.h"
#include "../base/number.h"
#include "generate.h"
#include "lcp_file.h"

#include <stddef.h>

#include <stdio.h>
#include <string.h>

struct pl_complementarity {
    pl_lcp_owned owned;
    pl_arena arena;
};

static pl_status own(pl_complementarity **out)
{
    *out = pl_alloc_zero(1, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    (*out)->owned.condition = NAN;
    return PL_OK;
}

void pl_complementarity_destroy(pl_complementarity *problem)
{
    if (problem == NULL) return;
    pl_lcp_owned_free(&problem->owned);
    pl_arena_free(&problem->arena);
    pl_free(problem);
}

// Gives out what is complete, and destroys what is not.
static pl_status hand_over(pl_status status, pl_complementarity *problem, pl_complementarity **out)
{
    if (status == PL_OK) {
        *out = problem;
    } else {
        pl_complementarity_destroy(problem);
    }
    return status;
}

// --- Making, reading, writing ---

// *to := a copy of n elements; nothing for NULL.
static bool copy(const void *from, int64_t n, size_t size, void **to)
{
    *to = NULL;
    if (from == NULL) return true;
    *to = pl_alloc(n, size);
    if (*to != NULL && n > 0) memcpy(*to, from, (size_t)n * size);
    return *to != NULL;
}

static pl_status fill(const pl_complementarity_data *data, pl_lcp_owned *to)
{
    int64_t n = data->n;
    if (n < 0 || data->col[0] != 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "M: %d rows, the first column starts at %lld",
                       (int)data->n, (long long)data->col[0]);
    }
    for (int64_t j = 0; j < n; j++) {
        if (data->col[j + 1] >= data->col[j]) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "M: column %d ends before it starts", (int)j);
    }
    to->M.n_row = to->M.n_col = data->n;
    int64_t nnz = data->col[n];
    bool all = copy(data->col, n + 1, sizeof *data->col, (void **)&to->M.col) &&
               copy(data->row, nnz, sizeof *data->row, (void **)&to->M.row) &&
               copy(data->val, nnz, sizeof *data->val, (void **)&to->M.val) &&
               copy(data->q, n, sizeof *data->q, (void **)&to->q) &&
               copy(data->normal, n, sizeof *data->normal, (void **)&to->normal) &&
               copy(data->mu, n, sizeof *data->mu, (void **)&to->mu);
    to->lo = pl_alloc(n, sizeof *to->lo);
    to->hi = pl_alloc(n, sizeof *to->hi);
    if (!all || to->lo == NULL || to->hi == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        to->lo[i] = data->lo != NULL ? data->lo[i] : 0;
        to->hi[i] = data->hi != NULL ? data->hi[i] : INFINITY;
    }
    return pl_lcp_owned_finish(to);
}

pl_status pl_complementarity_create(const pl_complementarity_data *data, pl_complementarity **out)
{
    pl_complementarity *problem;
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(data);
    PL_REQUIRE(data->col);
    PL_REQUIRE(data->row);
    PL_REQUIRE(data->val);
    PL_REQUIRE(data->q);
    PL_TRY(own(&problem));
    return hand_over(fill(data, &problem->owned), problem, out);
}

pl_status pl_complementarity_read(const char *path, pl_complementarity **out)
{
    pl_complementarity *problem;
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(path);
    PL_TRY(own(&problem));
    return hand_over(pl_lcp_read(path, &problem->owned), problem, out);
}

pl_status pl_complementarity_write(const pl_complementarity *problem, const char *path)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(path);
    return pl_lcp_write(&problem->owned, path);
}

// --- Generating ---

enum { USUAL_ROWS = 100, NUMBER_ROOM = 64 };

// A number of a kind, by its name. Of `n` and `seed` the place is -1.
typedef struct parameter {
    const char *name;
    char type; // 'd' double, 'i' int32_t, 'b' bool
    size_t at; // in pl_lcp_params
} parameter;

#define PARAMETER(field, type)                                                                     \
    {                                                                                              \
#field, type, offsetof(pl_lcp_params, field)                                               \
    }

static const parameter parameters[] = {
    PARAMETER(planted, 'b'),   PARAMETER(mixed_bounds, 'b'),
    PARAMETER(tight, 'd'),     PARAMETER(degenerate, 'd'),
    PARAMETER(shift, 'd'),     PARAMETER(rank, 'd'),
    PARAMETER(skew, 'd'),      PARAMETER(imbalance, 'd'),
    PARAMETER(length, 'd'),    PARAMETER(density, 'd'),
    PARAMETER(dt, 'd'),        PARAMETER(divergence, 'd'),
    PARAMETER(free_slip, 'b'), PARAMETER(half_bandwidth, 'i'),
    PARAMETER(inverted, 'i'),
};

enum { N_PARAMETERS = sizeof parameters / sizeof *parameters };

typedef struct recipe {
    pl_lcp_kind kind;
    int32_t n;
    uint64_t seed;
    pl_lcp_params params;
} recipe;

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) <= INT32_MAX;
}

static pl_status set_parameter(const char *name, size_t length, double value, recipe *r)
{
    const char *names[N_PARAMETERS + 2] = {"n", "seed"};
    bool is_n = length == 1 && name[0] == 'n';
    bool is_seed = length == 4 && memcmp(name, "seed", 4) == 0;
    if ((is_n || is_seed) && !(is_whole(value) && value >= 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s=%g: a whole number, 0 or more", is_n ? "n" : "seed",
                       value);
    }
    if (is_n) r->n = (int32_t)value;
    if (is_seed) r->seed = (uint64_t)value;
    if (is_n || is_seed) return PL_OK;
    for (int i = 0; i < N_PARAMETERS; i++) {
        const parameter *p = &parameters[i];
        names[2 + i] = p->name;
        if (strlen(p->name) != length || memcmp(p->name, name, length) != 0) continue;
        char *to = (char *)&r->params + p->at;
        if (p->type != 'd' && !is_whole(value)) {
            return pl_fail(PL_ERROR_ARGUMENT, "%s=%g: a whole number", p->name, value);
        }
        if (p->type == 'd') memcpy(to, &value, sizeof value);
        if (p->type == 'i') memcpy(to, &(int32_t){(int32_t)value}, sizeof(int32_t));
        if (p->type == 'b') memcpy(to, &(bool){value != 0}, sizeof(bool));
        return PL_OK;
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "number", name, length, names, N_PARAMETERS + 2);
}

// "name=value,name=value".
static pl_status read_parameters(const char *text, recipe *r)
{
    while (*text != '\0') {
        size_t length = strcspn(text, ","), name = strcspn(text, "=,");
        char number[NUMBER_ROOM] = {0};
        double value;
        if (name >= length || length - name - 1 >= sizeof number - PL_DIGITS_STEP) {
            return pl_fail(PL_ERROR_ARGUMENT, "\"%.*s\": NAME=NUMBER expected", (int)length, text);
        }
        memcpy(number, text + name + 1, length - name - 1);
        const char *end = pl_parse_double(number, &value);
        if (end == NULL || *end != '\0') {
            return pl_fail(PL_ERROR_ARGUMENT, "\"%.*s\": NAME=NUMBER expected", (int)length, text);
        }
        PL_TRY(set_parameter(text, name, value, r));
        text += length + (text[length] == ',');
    }
    return PL_OK;
}

static pl_status read_recipe(const char *text, recipe *r)
{
    char kind[NUMBER_ROOM];
    size_t length = strcspn(text, ":");
    *r = (recipe){.n = USUAL_ROWS, .seed = 1, .params = pl_lcp_params_default()};
    snprintf(kind, sizeof kind, "%.*s", (int)PL_MIN(length, sizeof kind - 1), text);
    PL_TRY(pl_lcp_kind_find(kind, &r->kind));
    return read_parameters(text + length + (text[length] == ':'), r);
}

static pl_status take_data(const pl_lcp_data *data, pl_lcp_owned *to)
{
    const pl_lcp *l = &data->lcp;
    const pl_complementarity_data numbers = {.n = l->n,
                                             .col = l->col,
                                             .row = l->row,
                                             .val = l->val,
                                             .q = l->q,
                                             .lo = l->lo,
                                             .hi = l->hi,
                                             .normal = l->normal,
                                             .mu = l->mu};
    PL_TRY(fill(&numbers, to));
    to->condition = data->condition;
    to->n_solution = data->x != NULL;
    bool all = copy(data->x, l->n, sizeof *data->x, (void **)&to->solution) &&
               copy(data->start, l->n, sizeof *data->start, (void **)&to->start);
    return all ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_complementarity_generate(const char *text, pl_complementarity **out)
{
    pl_complementarity *problem;
    pl_lcp_data data;
    recipe r;
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(text);
    PL_TRY(read_recipe(text, &r));
    PL_TRY(pl_lcp_generate(r.kind, r.n, r.seed, &r.params, &data));
    pl_status status = own(&problem);
    if (status == PL_OK) status = hand_over(take_data(&data, &problem->owned), problem, out);
    pl_lcp_data_free(&data);
    return status;
}

const char *pl_complementarity_kind(int32_t kind)
{
    return kind >= 0 && kind < PL_LCP_N_KIND ? pl_lcp_kind_name((pl_lcp_kind)kind) : NULL;
}

pl_status pl_complementarity_start(const pl_complementarity *problem, double *x)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(x);
    const pl_lcp_owned *o = &problem->owned;
    for (int32_t i = 0; i < o->lcp.n; i++) {
        x[i] = pl_lcp_clamp(o->start != NULL ? o->start[i] : 0, o->lo[i], o->hi[i]);
    }
    return PL_OK;
}

double pl_complementarity_condition(const pl_complementarity *problem)
{
    return problem != NULL ? problem->owned.condition : NAN;
}

// --- Taking apart ---

pl_status pl_complementarity_view(const pl_complementarity *problem, pl_complementarity_data *out)
{
    PL_REQUIRE(out);
    *out = (pl_complementarity_data){0};
    PL_REQUIRE(problem);
    const pl_lcp *lcp = &problem->owned.lcp;
    *out = (pl_complementarity_data){.n = lcp->n,
                                     .col = lcp->col,
                                     .row = lcp->row,
                                     .val = lcp->val,
                                     .q = lcp->q,
                                     .lo = lcp->lo,
                                     .hi = lcp->hi,
                                     .normal = lcp->normal,
                                     .mu = lcp->mu};
    return PL_OK;
}

bool pl_complementarity_is_symmetric(const pl_complementarity *problem)
{
    return problem != NULL && problem->owned.lcp.symmetric;
}

int32_t pl_complementarity_solutions(const pl_complementarity *problem, const double **out)
{
    bool any = problem != NULL && problem->owned.n_solution > 0;
    if (out != NULL) *out = any ? problem->owned.solution : NULL;
    return any ? problem->owned.n_solution : 0;
}

pl_status pl_complementarity_multiply(const pl_complementarity *problem, const double *x, double *w)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(x);
    PL_REQUIRE(w);
    pl_lcp_multiply(&problem->owned.lcp, x, w);
    return PL_OK;
}

// --- Solvers ---

int32_t pl_complementarity_solver_count(void)
{
    return pl_lcp_solver_count();
}

static pl_status check_number(int32_t solver)
{
    if (solver >= 0 && solver < pl_lcp_solver_count()) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "solver %d of %d: the first is 0", (int)solver,
                   (int)pl_lcp_solver_count());
}

pl_status pl_complementarity_describe(int32_t solver, pl_complementarity_solver *out)
{
    PL_REQUIRE(out);
    *out = (pl_complementarity_solver){0};
    PL_TRY(check_number(solver));
    const pl_lcp_solver *s = pl_lcp_solver_at(solver);
    *out = (pl_complementarity_solver){.name = s->name,
                                       .guarantee = s->guarantee,
                                       .paper = s->paper,
                                       .symmetric = (s->needs & PL_LCP_NEEDS_SYMMETRIC) != 0,
                                       .diagonal = (s->needs & PL_LCP_NEEDS_DIAGONAL) != 0,
                                       .follows = (s->needs & PL_LCP_KNOWS_FOLLOWING) != 0};
    return PL_OK;
}

pl_status pl_complementarity_number(const char *name, int32_t *out)
{
    const pl_lcp_solver *solver;
    PL_REQUIRE(name);
    PL_REQUIRE(out);
    PL_TRY(pl_lcp_solver_find(name, &solver));
    for (*out = 0; pl_lcp_solver_at(*out) != solver;) ++*out;
    return PL_OK;
}

bool pl_complementarity_suits(const pl_complementarity *problem, int32_t solver)
{
    if (problem == NULL || check_number(solver) != PL_OK) return false;
    return pl_lcp_suits(pl_lcp_solver_at(solver), &problem->owned.lcp) == PL_OK;
}

pl_complementarity_options pl_complementarity_options_default(void)
{
    pl_lcp_options o = pl_lcp_options_default();
    return (pl_complementarity_options){
        .tolerance = o.tolerance, .max_iterations = o.max_iterations, .max_seconds = o.max_seconds};
}

static void report(const pl_lcp *lcp, const double *x, double tolerance, const pl_lcp_stats *s,
                   pl_complementarity_result *out)
{
    const pl_lcp_errors *e = &s->errors;
    *out =
        (pl_complementarity_result){.solved = e->natural <= tolerance && s->end == PL_LCP_SOLVED,
                                    .end = pl_lcp_end_name(s->end),
                                    .iterations = s->iterations,
                                    .inner = s->inner,
                                    .pivots = s->pivots,
                                    .factorizations = s->factorizations,
                                    .updates = s->updates,
                                    .solves = s->solves,
                                    .seconds = s->seconds,
                                    .natural = e->natural,
                                    .worst = e->worst,
                                    .energy = e->energy,
                                    .mean_energy = e->mean_energy,
                                    .primal = e->primal,
                                    .dual = e->dual,
                                    .complementarity = e->complementarity,
                                    .hash = pl_hash(PL_HASH_START, x, (size_t)lcp->n * sizeof *x)};
}

pl_status pl_complementarity_solve(pl_complementarity *problem, const char *solver,
                                   const pl_complementarity_options *options, double *x,
                                   pl_complementarity_result *out)
{
    const pl_complementarity_options usual = pl_complementarity_options_default();
    const pl_lcp_solver *found;
    pl_lcp_stats stats;
    if (options == NULL) options = &usual;
    PL_REQUIRE(out);
    PL_REQUIRE(problem);
    PL_REQUIRE(solver);
    PL_REQUIRE(x);
    PL_TRY(pl_lcp_solver_find(solver, &found));
    pl_lcp_options o = pl_lcp_options_default();
    o.tolerance = options->tolerance;
    o.max_iterations = options->max_iterations;
    o.max_seconds = options->max_seconds;
    o.trace = options->trace;
    o.trace_user = options->trace_user;
    PL_TRY(pl_lcp_params_apply(options->parameters, found->name, &o));
    pl_arena_reset(&problem->arena);
    pl_status status = pl_lcp_solve(found, &problem->owned.lcp, &o, &problem->arena, x, &stats);
    if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
    report(&problem->owned.lcp, x, o.tolerance, &stats, out);
    return PL_OK;
}

pl_status pl_complementarity_measure(pl_complementarity *problem, const double *x,
                                     pl_complementarity_result *out)
{
    PL_REQUIRE(out);
    PL_REQUIRE(problem);
    PL_REQUIRE(x);
    const pl_lcp *lcp = &problem->owned.lcp;
    double tolerance = pl_lcp_options_default().tolerance;
    pl_arena_reset(&problem->arena);
    double *w = pl_arena_take(&problem->arena, lcp->n, sizeof *w);
    if (w == NULL) return PL_ERROR_MEMORY;
    pl_lcp_stats stats = {.errors = pl_lcp_measure(lcp, x, w)};
    stats.end = stats.errors.natural <= tolerance ? PL_LCP_SOLVED : PL_LCP_LIMIT;
    report(lcp, x, tolerance, &stats, out);
    return PL_OK;
}
