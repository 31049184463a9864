#include "friction_model.h"

#include <stdio.h>
#include <string.h>
#include <threads.h>

// Bounds are found anew at most so often.
enum { MOST_UPDATES = 32, NAME_ROOM = 16, MAX_NAMES = 128 };

// --- Names ---

// All models and their names, which stay.
static struct {
    char name[NAME_ROOM];
    pl_friction_model model;
} models[MAX_NAMES];
static int32_t n_models;
static once_flag models_once = ONCE_FLAG_INIT;

static void add_model(const char *name, int32_t number, pl_friction_model model)
{
    snprintf(models[n_models].name, NAME_ROOM, number > 0 ? "%s:%d" : "%s", name, (int)number);
    models[n_models++].model = model;
}

static void fill_models(void)
{
    const pl_friction_model cone = {.kind = PL_FRICTION_CONE};
    const pl_friction_model last = {.kind = PL_FRICTION_BOX_LAST};
    pl_friction_model box = {.kind = PL_FRICTION_BOX, .updates = 1};
    pl_friction_model pyramid = {.kind = PL_FRICTION_PYRAMID, .directions = 4}, outer = pyramid;
    outer.outer = true;
    add_model("cone", 0, cone);
    add_model("diamond", 0, pyramid);
    add_model("box", 0, box);
    add_model("box:last", 0, last);
    add_model("box:follow", 0, outer);
    for (int32_t n = PL_PYRAMID_LEAST; n <= PL_PYRAMID_MOST; n += 2) {
        pyramid.directions = outer.directions = n;
        add_model("pyramid", n, pyramid);
        add_model("outer", n, outer);
    }
    for (box.updates = 1; box.updates <= MOST_UPDATES; box.updates++) {
        add_model("box", box.updates, box);
    }
}

static int32_t find_model(const char *text)
{
    call_once(&models_once, fill_models);
    for (int32_t i = 0; i < n_models; i++) {
        if (strcmp(models[i].name, text) == 0) return i;
    }
    pl_fail(PL_ERROR_ARGUMENT,
            "friction model \"%.40s\": one of cone, diamond, pyramid:N and outer:N (N even, %d to "
            "%d), box, box:N (1 to %d updates), box:last, box:follow",
            text, PL_PYRAMID_LEAST, PL_PYRAMID_MOST, MOST_UPDATES);
    return -1;
}

pl_status pl_friction_model_parse(const char *text, pl_friction_model *out)
{
    int32_t i = find_model(text);
    *out = models[PL_MAX(i, 0)].model;
    return i >= 0 ? PL_OK : PL_ERROR_ARGUMENT;
}

pl_status pl_friction_model_find(const char *text, const char **name)
{
    PL_REQUIRE(text);
    PL_REQUIRE(name);
    int32_t i = find_model(text);
    if (i >= 0) *name = models[i].name;
    return i >= 0 ? PL_OK : PL_ERROR_ARGUMENT;
}

// --- Problems ---

void pl_modelled_free(pl_modelled *modelled)
{
    pl_free(modelled->problem.constraint);
    pl_free(modelled->problem.limits);
    *modelled = (pl_modelled){0};
}

// modelled->problem := the problem, with room for limits of each of its constraints.
static pl_status copy(const pl_problem *problem, pl_modelled *modelled)
{
    pl_problem *to = &modelled->problem, own = *to;
    int64_t n = problem->n_constraint;
    PL_TRY(
        pl_reserve((void **)&to->constraint, &to->constraint_capacity, n, sizeof *to->constraint));
    PL_TRY(pl_reserve((void **)&to->limits, &to->limits_capacity, n + problem->n_limits,
                      sizeof *to->limits));
    own.constraint = to->constraint, own.constraint_capacity = to->constraint_capacity;
    own.limits = to->limits, own.limits_capacity = to->limits_capacity;
    *to = *problem;
    to->constraint = own.constraint, to->constraint_capacity = own.constraint_capacity;
    to->limits = own.limits, to->limits_capacity = own.limits_capacity;
    if (n > 0) memcpy(to->constraint, problem->constraint, (size_t)n * sizeof *to->constraint);
    if (problem->n_limits > 0) {
        memcpy(to->limits, problem->limits, (size_t)problem->n_limits * sizeof *to->limits);
    }
    return PL_OK;
}

static void set_law(const pl_friction_model *model, double mu, double normal, pl_limits *limits)
{
    if (model->kind == PL_FRICTION_PYRAMID) {
        limits->law = PL_LAW_PYRAMID;
        limits->directions = model->directions;
        limits->outer = model->outer;
        return;
    }
    limits->law = PL_LAW_BOX;
    limits->lo[0] = 0, limits->hi[0] = INFINITY;
    for (int a = 1; a < 3; a++) {
        limits->hi[a] = mu * PL_MAX(normal, 0);
        limits->lo[a] = -limits->hi[a];
    }
}

pl_status pl_friction_apply(const pl_friction_model *model, const pl_problem *problem,
                            const double *f, pl_modelled *modelled)
{
    PL_TRY(copy(problem, modelled));
    pl_problem *to = &modelled->problem;
    for (int32_t k = 0; k < to->n_constraint && model->kind != PL_FRICTION_CONE; k++) {
        pl_constraint *constraint = to->constraint + k;
        pl_limits limits = {.law = PL_LAW_CONE};
        if (constraint->limits >= 0) limits = to->limits[constraint->limits];
        if (limits.law != PL_LAW_CONE) continue;
        set_law(model, constraint->mu, f[3 * (int64_t)k], &limits);
        if (constraint->limits < 0) constraint->limits = to->n_limits++;
        to->limits[constraint->limits] = limits;
    }
    return PL_OK;
}

// What several solves took together.
static void add_counts(const pl_solve_stats *before, pl_solve_stats *stats)
{
    stats->iterations += before->iterations;
    stats->products += before->products;
    stats->state_changes += before->state_changes;
    stats->restarts += before->restarts;
    stats->factorizations += before->factorizations;
    stats->seconds += before->seconds;
}

// The normal impulses of a solve without friction.
static pl_status presolve(const pl_solver *solver, const pl_problem *problem,
                          const pl_solver_options *options, pl_workspace *ws, pl_modelled *modelled,
                          double *v, double *f, pl_solve_stats *stats)
{
    const pl_friction_model box = {.kind = PL_FRICTION_BOX_LAST};
    PL_TRY(pl_friction_apply(&box, problem, f, modelled));
    pl_problem *to = &modelled->problem;
    for (int32_t k = 0; k < to->n_constraint; k++) {
        const pl_limits *was = pl_limits_of(problem, problem->constraint + k);
        if (was != NULL && was->law != PL_LAW_CONE) continue;
        pl_limits *limits = to->limits + to->constraint[k].limits;
        for (int a = 1; a < 3; a++) limits->lo[a] = limits->hi[a] = f[3 * (int64_t)k + a] = 0;
    }
    return pl_solve(solver, to, options, ws, v, f, stats);
}

pl_status pl_friction_solve(const pl_friction_model *model, const pl_solver *solver,
                            const pl_problem *problem, const pl_solver_options *options,
                            pl_workspace *ws, pl_modelled *modelled, double *v, double *f,
                            pl_solve_stats *stats)
{
    if (model->kind == PL_FRICTION_CONE) {
        return pl_solve(solver, problem, options, ws, v, f, stats);
    }
    pl_solve_stats sum = {0};
    pl_solver_options again = *options;
    if (model->kind == PL_FRICTION_BOX) {
        PL_TRY(presolve(solver, problem, options, ws, modelled, v, f, stats));
        sum = *stats;
        again.same_matrix = true;
    }
    pl_status status = PL_OK;
    int32_t solves = model->kind == PL_FRICTION_BOX ? model->updates : 1;
    for (int32_t i = 0; i < solves && status == PL_OK; i++, again.same_matrix = true) {
        PL_TRY(pl_friction_apply(model, problem, f, modelled));
        status = pl_solve(solver, &modelled->problem, &again, ws, v, f, stats);
        add_counts(&sum, stats);
        sum = *stats;
    }
    return status;
}
