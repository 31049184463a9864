// pliant bench ensemble: solvers on rigid bodies and mechanisms of many kinds, from rest, and hit
// at random. One thread; times are of the wall clock.
//
// First, cold solves. One counts as solved if the errors of constraints, and max |A_ii^-1 r_i|
// over the bodies, times dt, are within the tolerance: the yardstick's `residual` would be that of
// the heaviest body. `usual` is 1e-6 m, `tight` 1e-8 m/s. Then steps of
// mechanisms, each from the impulses of the last: time of the first, the median and the most of
// others.

#include "bench.h"
#include "bench_scene.h"
#include "mechanism.h"
#include "../../base/file.h"
#include "../../base/hash.h"
#include "../../base/team.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 6, SEEDS_QUICK = 1, LEVELS = 2 };

// Of random numbers; the settings of solvers were chosen on others (100, 200, 300).
static const uint64_t FIRST_SEED = 5000;
static const double MAX_SECONDS = 3, MAX_SECONDS_QUICK = 0.5;

static const char *const solvers[] = {"newton", "auto", "apg", "delassus"};

typedef struct level {
    const char *name;
    double tolerance; // of constraints [m]
    double residual;  // []
} level;

static const level levels[LEVELS] = {{"tight", 1e-8 / 60, 1e-8}, {"usual", 1e-6, 1e-5}};

// --- The kinds ---

typedef pl_status make_fn(pl_mechanism *m, int32_t i, uint64_t seed);

static pl_status make_pile(pl_mechanism *m, int32_t i, uint64_t seed)
{
    return pl_mechanism_pile(m, 90, 0.3 + 0.1 * i, 1, seed);
}

static pl_status make_masses(pl_mechanism *m, int32_t i, uint64_t seed)
{
    return pl_mechanism_pile(m, 90, 0.6, 1e3, seed + 20 + (uint64_t)i);
}

static pl_status hit_wall(pl_mechanism *m, int32_t i, uint64_t seed)
{
    PL_TRY(pl_mechanism_wall(m, 6, 5));
    pl_mechanism_hit(m, seed + 30 + (uint64_t)i);
    return PL_OK;
}

static pl_status push_brick(pl_mechanism *m, int32_t i, uint64_t seed)
{
    (void)seed;
    PL_TRY(pl_mechanism_wall(m, 7, 6));
    double *u = m->body[4 + 5 * i].u;
    u[0] = 0.3, u[1] = 2.5, u[2] = 0.3;
    return PL_OK;
}

static pl_status hit_tower(pl_mechanism *m, int32_t i, uint64_t seed)
{
    PL_TRY(pl_mechanism_tower(m, 18));
    pl_mechanism_hit(m, seed + 40 + (uint64_t)i);
    return PL_OK;
}

static pl_status push_tower(pl_mechanism *m, int32_t i, uint64_t seed)
{
    (void)seed;
    PL_TRY(pl_mechanism_tower(m, 44));
    double *u = m->body[m->n_body - 1].u;
    u[0] = 0.1, u[1] = 0.15 + 0.2 * i;
    return PL_OK;
}

static pl_status hit_stack(pl_mechanism *m, int32_t i, uint64_t seed)
{
    PL_TRY(pl_mechanism_stacks(m, 1, 9, 1.5, 0, seed));
    pl_mechanism_hit(m, seed + 50 + (uint64_t)i);
    return PL_OK;
}

static pl_status make_rest(pl_mechanism *m, int32_t i, uint64_t seed)
{
    switch (i % 6) {
    case 0:
        return pl_mechanism_wall(m, 7, 5);
    case 1:
        return pl_mechanism_wall(m, 9, 6);
    case 2:
        return pl_mechanism_tower(m, 24);
    case 3:
        return pl_mechanism_tower(m, 50);
    case 4:
        return pl_mechanism_stacks(m, 1, 12, 1, 0, seed);
    default:
        return pl_mechanism_stacks(m, 1, 7, 4, 0, seed);
    }
}

static pl_status make_chain(pl_mechanism *m, int32_t i, uint64_t seed)
{
    PL_TRY(pl_mechanism_chain(m, 20 + 20 * i, 0.25, 500, true));
    pl_mechanism_hit(m, seed + 60 + (uint64_t)i);
    return PL_OK;
}

static pl_status make_heavy_chain(pl_mechanism *m, int32_t i, uint64_t seed)
{
    PL_TRY(pl_mechanism_chain(m, 20 + 20 * i, 0.1, 4.4e5, false));
    pl_mechanism_hit(m, seed + 70 + (uint64_t)i);
    return PL_OK;
}

static pl_status make_four_bars(pl_mechanism *m, int32_t i, uint64_t seed)
{
    PL_TRY(pl_mechanism_four_bars(m, 10, 1 + i, 3 + 10 * i));
    pl_mechanism_hit(m, seed + 80 + (uint64_t)i);
    return PL_OK;
}

static pl_status make_arm(pl_mechanism *m, int32_t i, uint64_t seed)
{
    PL_TRY(pl_mechanism_arm(m, 4 + i, 200, 300 * (i + 1)));
    pl_mechanism_hit(m, seed + 90 + (uint64_t)i);
    return PL_OK;
}

static pl_status make_joints(pl_mechanism *m, int32_t i, uint64_t seed)
{
    return pl_mechanism_stacks(m, 1, 4 + 2 * i, 1 + 0.5 * (i % 3), 0.6, seed + (uint64_t)i);
}

static pl_status hit_joints(pl_mechanism *m, int32_t i, uint64_t seed)
{
    PL_TRY(make_joints(m, i, seed));
    pl_mechanism_hit(m, seed + 100 + (uint64_t)i);
    return PL_OK;
}

static const struct kind {
    const char *name;
    make_fn *make;
} kinds[] = {
    {"pile", make_pile},
    {"pile with masses 1e3 : 1", make_masses},
    {"wall hit", hit_wall},
    {"wall: a brick at 2.5 m/s", push_brick},
    {"tower hit", hit_tower},
    {"tower pushed", push_tower},
    {"stack hit", hit_stack},
    {"walls and towers at rest", make_rest},
    {"chain 2e3 : 1", make_chain},
    {"chain 4.4e6 : 1", make_heavy_chain},
    {"ten four-bars with motors", make_four_bars},
    {"arm with motors and load", make_arm},
    {"stack with joints: hit", hit_joints},
    {"stack with joints: at rest", make_joints},
};

enum { KINDS = sizeof kinds / sizeof *kinds, SOLVERS = sizeof solvers / sizeof *solvers };

// --- One solve ---

typedef struct outcome {
    double factors, seconds;
    bool solved;
    uint64_t hash;
} outcome;

// The largest error [m].
static pl_status find_error(const pl_mechanism *m, const pl_solver_options *options, double *error)
{
    pl_workspace ws = {0};
    pl_solve_stats stats;
    int64_t n = 3 * (int64_t)m->A.n;
    double *x = pl_alloc_zero(n, sizeof *x);
    pl_status status = x != NULL ? pl_solve_measure(&m->problem, options, &ws, m->v, m->f, &stats)
                                 : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        *error = pl_contact_errors_worst(&stats.errors);
        pl_contact_residual(&m->problem, &ws.uses, m->v, m->f, ws.world, ws.r);
        pl_block_jacobi_apply(&ws.D, ws.r, x);
        for (int64_t i = 0; i < n; i++) *error = PL_MAX(*error, m->dt * fabs(x[i]));
    }
    pl_free(x);
    pl_workspace_free(&ws);
    return status;
}

static pl_status solve(const pl_solver *solver, pl_mechanism *m, const level *level,
                       double max_seconds, outcome *out)
{
    pl_workspace ws = {0};
    pl_solve_stats stats;
    pl_solver_options options = pl_solver_options_default();
    double error = INFINITY;
    options.contact_tolerance = level->tolerance;
    options.residual_tolerance = level->residual;
    options.max_seconds = max_seconds;
    options.max_iterations = 10000000;
    pl_status status = pl_solve(solver, &m->problem, &options, &ws, m->v, m->f, &stats);
    pl_workspace_free(&ws);
    if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
    PL_TRY(find_error(m, &options, &error));
    *out = (outcome){.factors = (double)stats.factorizations, .seconds = stats.seconds};
    out->solved = error <= level->tolerance;
    out->hash = pl_hash(PL_HASH_START, m->v, 6 * (size_t)m->n_body * sizeof *m->v);
    return PL_OK;
}

// --- Tables ---

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct row {
    int32_t n, solved;
    double factors, most_factors, milliseconds, seconds;
    uint64_t hash;
} row;

static pl_status run_kind(const struct kind *kind, const pl_solver *solver, const level *level,
                          const pl_bench_options *options, row *out)
{
    double factors[SEEDS] = {0}, seconds[SEEDS] = {0};
    *out = (row){.n = options->quick ? SEEDS_QUICK : SEEDS, .hash = PL_HASH_START};
    for (int32_t i = 0; i < out->n; i++) {
        pl_mechanism m = {0};
        outcome result = {0};
        pl_status status = kind->make(&m, i, FIRST_SEED + (uint64_t)i);
        if (status == PL_OK) status = pl_mechanism_build(&m);
        if (status == PL_OK) {
            double limit = options->quick ? MAX_SECONDS_QUICK : MAX_SECONDS;
            status = solve(solver, &m, level, limit, &result);
        }
        pl_mechanism_free(&m);
        PL_TRY(status);
        factors[i] = result.factors, seconds[i] = result.seconds;
        out->solved += result.solved;
        out->seconds += result.seconds;
        out->hash = pl_hash(out->hash, &result.hash, sizeof result.hash);
    }
    qsort(factors, (size_t)out->n, sizeof *factors, compare);
    qsort(seconds, (size_t)out->n, sizeof *seconds, compare);
    out->factors = factors[out->n / 2], out->most_factors = factors[out->n - 1];
    out->milliseconds = 1e3 * seconds[out->n / 2];
    return PL_OK;
}

static pl_status run_solver(const char *name, const level *level, const pl_bench_options *options,
                            pl_output *csv)
{
    const pl_solver *solver;
    int32_t solved = 0, n = 0;
    double seconds = 0;
    PL_TRY(pl_solver_find(name, &solver));
    for (int k = 0; k < KINDS; k++) {
        row r;
        PL_TRY(run_kind(kinds + k, solver, level, options, &r));
        printf("%-9s %-6s %-30s %d of %d  factors %4.0f, most %4.0f  %9.3f ms  %016" PRIx64 "\n",
               name, level->name, kinds[k].name, r.solved, r.n, r.factors, r.most_factors,
               r.milliseconds, r.hash);
        pl_output_printf(csv, "%s,%s,%s,%d,%d,%g,%g,%g,%g,%016" PRIx64 "\n", name, level->name,
                         kinds[k].name, r.solved, r.n, r.factors, r.most_factors, r.milliseconds,
                         r.seconds, r.hash);
        fflush(stdout);
        solved += r.solved, n += r.n, seconds += r.seconds;
    }
    printf("%-9s %-6s all: %d of %d solved, %.2f s\n", name, level->name, solved, n, seconds);
    return PL_OK;
}

// --- Steps ---

static pl_status pull_chain(pl_mechanism *m, int32_t i, uint64_t seed)
{
    (void)i, (void)seed;
    return pl_mechanism_chain(m, 100, 0.25, 500, true);
}

static pl_status stand_in_columns(pl_mechanism *m, int32_t i, uint64_t seed)
{
    (void)i;
    return pl_mechanism_stacks(m, 100, 10, 1, 0, seed);
}

static pl_status stand_in_a_tower(pl_mechanism *m, int32_t i, uint64_t seed)
{
    (void)i, (void)seed;
    return pl_mechanism_tower(m, 80);
}

static pl_status pull_cables(pl_mechanism *m, int32_t i, uint64_t seed)
{
    (void)i, (void)seed;
    return pl_mechanism_cables(m, 18, 50);
}

static pl_status stand_in_a_wall(pl_mechanism *m, int32_t i, uint64_t seed)
{
    (void)i, (void)seed;
    return pl_mechanism_wall(m, 10, 9);
}

static pl_status move_an_arm(pl_mechanism *m, int32_t i, uint64_t seed)
{
    (void)i, (void)seed;
    return pl_mechanism_arm(m, 6, 200, 3000);
}

static const struct kind moving[] = {
    {"100 links and 500 kg", pull_chain},       {"100 columns of 10 boxes", stand_in_columns},
    {"160 logs and 2500 kg", stand_in_a_tower}, {"18 cables of 50 links and 2 t", pull_cables},
    {"wall of 95 bricks", stand_in_a_wall},     {"arm with motors and load", move_an_arm},
};

enum { MOVING = sizeof moving / sizeof *moving, STEPS = 60, STEPS_QUICK = 3 };

// Each from the velocities and impulses of the last one, with the usual tolerances.
static pl_status take_steps(const struct kind *kind, const char *name, int32_t n)
{
    double factors[STEPS] = {0}, seconds[STEPS] = {0};
    int32_t failed = 0;
    const pl_solver *solver;
    pl_workspace ws = {0};
    pl_mechanism m = {0};
    PL_TRY(pl_solver_find(name, &solver));
    pl_status status = kind->make(&m, 0, FIRST_SEED);
    for (int32_t i = 0; i < n && status == PL_OK; i++) {
        pl_solve_stats stats;
        status = pl_mechanism_build(&m);
        if (status != PL_OK) break;
        status = pl_solve(solver, &m.problem, NULL, &ws, m.v, m.f, &stats);
        failed += status != PL_OK;
        if (status == PL_ERROR_NUMERICS) status = PL_OK;
        factors[i] = (double)stats.factorizations, seconds[i] = stats.seconds;
        pl_mechanism_advance(&m);
    }
    qsort(factors + 1, (size_t)n - 1, sizeof *factors, compare);
    qsort(seconds + 1, (size_t)n - 1, sizeof *seconds, compare);
    uint64_t hash = pl_hash(PL_HASH_START, m.v, 6 * (size_t)m.n_body * sizeof *m.v);
    printf("%-9s steps  %-30s %6d rows  %d failed  first %7.2f ms, then %7.3f ms, most %7.2f; "
           "factors %3.0f, %2.0f, %3.0f  drift %.1e m  %016" PRIx64 "\n",
           name, kind->name, 3 * m.n_link, failed, 1e3 * seconds[0], 1e3 * seconds[n / 2],
           1e3 * seconds[n - 1], factors[0], factors[n / 2], factors[n - 1], pl_mechanism_drift(&m),
           hash);
    pl_mechanism_free(&m);
    pl_workspace_free(&ws);
    return status;
}

static pl_status run_all(const pl_bench_options *options, pl_output *csv)
{
    pl_output_printf(csv, "solver,level,kind,solved,of,factors,most_factors,ms,seconds,hash\n");
    for (int l = 0; l < LEVELS; l++) {
        for (int i = 0; i < SOLVERS; i++) PL_TRY(run_solver(solvers[i], levels + l, options, csv));
    }
    for (int k = 0; k < MOVING; k++) {
        for (int i = 0; i < 2; i++) {
            PL_TRY(take_steps(moving + k, solvers[i], options->quick ? STEPS_QUICK : STEPS));
        }
    }
    return PL_OK;
}

pl_status pl_bench_ensemble(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    PL_TRY(pl_bench_path(options, "", "ensemble.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    int32_t threads = pl_threads_enter(1);
    status = run_all(options, &csv);
    pl_threads_set(threads);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
