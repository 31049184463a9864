// Every solver of lcp/ on the classes of lcp/generate.h: iterations, factors, and CPU time in
// products with M, which are measured in the same run.

#include "bench.h"
#include "cpu_time.h"
#include "../../base/hash.h"
#include "../../lcp/generate.h"

#include <stdio.h>
#include <string.h>

enum { N_SEED = 3, MAX_ITERATIONS = 20000, MIN_PRODUCTS = 20 };

static const double MAX_SECONDS = 60; // of a solve [s]

typedef struct problem_class {
    pl_lcp_kind kind;
    int32_t n, quick; // sizes
} problem_class;

static const problem_class classes[] = {
    {PL_LCP_KIND_SPD, 200, 20},      {PL_LCP_KIND_PSD, 200, 20},   {PL_LCP_KIND_P_MATRIX, 200, 20},
    {PL_LCP_KIND_MONOTONE, 200, 20}, {PL_LCP_KIND_UNIFORM, 12, 6}, {PL_LCP_KIND_FLUID_2D, 20, 5},
    {PL_LCP_KIND_FLUID_3D, 7, 3},    {PL_LCP_KIND_BAND, 800, 40},
};

typedef struct problems {
    pl_lcp_data data[N_SEED];
    double product; // [s] of CPU, of one with M
    double *x;      // (n)
} problems;

// What one solver did with all problems of a class: sums.
typedef struct outcome {
    int32_t solved, refused;
    double iterations, inner, factors, seconds, error;
    uint64_t hash;
} outcome;

static pl_status make(const problem_class *c, bool quick, problems *p)
{
    int32_t n = quick ? c->quick : c->n;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        pl_lcp_params params = pl_lcp_params_default();
        params.half_bandwidth = n / 8;
        params.inverted = n / 40; // of a band: how many rows of the start are wrong
        PL_TRY(pl_lcp_generate(c->kind, n, seed, &params, &p->data[seed]));
    }
    int32_t rows = p->data[0].lcp.n;
    p->x = pl_alloc_zero(2 * (int64_t)rows, sizeof *p->x);
    if (p->x == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < rows; i++) p->x[i] = 1; // zeros would be skipped
    double started = pl_cpu_seconds(), now = started;
    int32_t done = 0;
    for (; done < MIN_PRODUCTS || now - started < 0.01; done++, now = pl_cpu_seconds()) {
        pl_lcp_multiply(&p->data[0].lcp, p->x, p->x + rows);
    }
    p->product = (now - started) / done;
    return PL_OK;
}

static pl_status solve(const pl_lcp_solver *solver, pl_lcp_inner inner, const pl_lcp_data *data,
                       pl_arena *arena, double *x, outcome *out)
{
    pl_lcp_options options = pl_lcp_options_default();
    pl_lcp_stats stats;
    size_t size = (size_t)data->lcp.n * sizeof *x;
    options.max_iterations = MAX_ITERATIONS;
    options.max_seconds = MAX_SECONDS;
    options.inner = inner;
    memset(x, 0, size);
    if (data->start != NULL) memcpy(x, data->start, size);
    pl_arena_reset(arena);
    double started = pl_cpu_seconds();
    pl_status status = pl_lcp_solve(solver, &data->lcp, &options, arena, x, &stats);
    out->seconds += pl_cpu_seconds() - started;
    out->refused += status == PL_ERROR_ARGUMENT;
    if (status == PL_ERROR_ARGUMENT) return PL_OK;
    if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
    out->solved += status == PL_OK;
    out->iterations += stats.iterations;
    out->inner += (double)stats.inner;
    out->factors += (double)stats.factorizations;
    out->error = fmax(out->error, stats.errors.natural);
    out->hash = pl_hash(out->hash, x, size);
    return PL_OK;
}

// One row, unless the solver can do nothing with the class.
static pl_status run_solver(const pl_lcp_solver *solver, pl_lcp_inner inner, problems *p,
                            pl_arena *arena)
{
    outcome o = {.hash = PL_HASH_START};
    for (int seed = 0; seed < N_SEED; seed++) {
        PL_TRY(solve(solver, inner, &p->data[seed], arena, p->x, &o));
    }
    if (o.refused > 0) return PL_OK;
    char name[32];
    snprintf(name, sizeof name, "%s%s", solver->name,
             inner == PL_LCP_INNER_KRYLOV ? " krylov" : "");
    printf("  %-15s %4d/%d %10.1f %10.1f %8.1f %10.1f %8.1e  %016llx\n", name, o.solved, N_SEED,
           o.iterations / N_SEED, o.inner / N_SEED, o.factors / N_SEED,
           o.seconds / N_SEED / p->product, o.error, (unsigned long long)o.hash);
    return PL_OK;
}

static pl_status run_class(const problem_class *c, bool quick, problems *p, pl_arena *arena)
{
    const pl_lcp_solver *minmap;
    PL_TRY(make(c, quick, p));
    printf("\n%s: %d rows, condition %.1e, a product in %.3f ms\n", pl_lcp_kind_name(c->kind),
           p->data[0].lcp.n, p->data[0].condition, 1e3 * p->product);
    printf("  %-15s %6s %10s %10s %8s %10s %8s  %s\n", "solver", "solved", "iterations", "inner",
           "factors", "products", "error", "hash");
    for (int32_t s = 0; s < pl_lcp_solver_count(); s++) {
        PL_TRY(run_solver(pl_lcp_solver_at(s), PL_LCP_INNER_EXACT, p, arena));
    }
    PL_TRY(pl_lcp_solver_find("minmap", &minmap));
    return run_solver(minmap, PL_LCP_INNER_KRYLOV, p, arena);
}

pl_status pl_bench_classes(const pl_bench_options *options)
{
    pl_status status = PL_OK;
    pl_arena arena = {0};
    printf("Means of %d problems. Products: CPU time over that of one product with M.\n", N_SEED);
    for (size_t k = 0; k < sizeof classes / sizeof *classes && status == PL_OK; k++) {
        problems p = {0};
        status = run_class(&classes[k], options->quick, &p, &arena);
        for (int seed = 0; seed < N_SEED; seed++) pl_lcp_data_free(&p.data[seed]);
        pl_free(p.x);
    }
    pl_arena_free(&arena);
    return status;
}
