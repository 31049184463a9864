// pliant bench lit13: nine cylinders that collide on a grid [Lit13, 7.2]. The contact problem of
// the last part of each step is solved once more from where its solve started, by DIRECT and by
// SCHURPA in turns.

#include "bench_scene.h"
#include "cpu_time.h"
#include "../../base/file.h"
#include "../../euler/euler.h"
#include "../../solvers/scalar_form.h"
#include "../scene/scene_find.h"
#include "../scene/scene_grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECT, SCHURPA, REPEATS = 3, QUICK_STEPS = 24 };

static const double QUICK_SPACING = 0.6;
// As solvers/diamond_solve.c: programs are solved to this part of what contacts may lack.
static const double PART = 0.01;
static const double SAME = 1e-8; // what two methods may differ by, relative

// What one of the two did, with its least times.
typedef struct outcome {
    pl_staggered_stats stats;
    double contact, friction; // processor time of factors and solves [s]
    double *f;                // (3*contacts)
    int64_t capacity;
} outcome;

// A step with contact.
typedef struct row {
    double time;              // since the first contact [s]
    int32_t m, free, reduced; // contacts; dimensions of G^C and G^F
    double band;              // rho^C / m
    double by_cell;           // share of contacts whose state is that of their cell before
} row;

typedef struct bench {
    pl_scene scene;
    pl_euler *euler;
    pl_workspace ws;
    pl_reduced reduced;
    pl_scalar_form form;
    double *mu;
    outcome of[2];
    pl_euler_contact *past; // (n_past) with alpha in f[0]
    int64_t n_past, past_capacity;
    double first;       // time of the first contact [s]
    double total[2][2]; // processor time of contact and friction, by method [s]
    int32_t steps, most, sp_most, qp_most[2], sum_most[2], resets[2], cold_factors;
    int64_t factors[2];
    double share[2], least_share[2], by_cell; // sums, and the least after the onset
    double band_most, band_least, band_sum;
    double peak_ratio[2], peak_energy, peak_time; // at the most contacts; most elastic energy
    bool same;
} bench;

// --- The problem ---

static pl_status prepare(bench *b)
{
    const pl_problem *problem = &b->euler->problem;
    pl_workspace *ws = &b->ws;
    pl_arena_reset(&ws->arena);
    PL_TRY(pl_workspace_prepare(problem, ws, b->euler->v_start));
    PL_TRY(pl_reduced_create(problem, &ws->uses, &ws->D, ws->scale, b->euler->v_start, true, 4e9,
                             &ws->arena, &b->reduced));
    PL_TRY(pl_scalar_form_create(&b->reduced, PL_SCALAR_DIAMONDS, &ws->arena, &b->form));
    b->mu = pl_arena_take(&ws->arena, problem->n_constraint, sizeof *b->mu);
    if (b->mu == NULL) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < problem->n_constraint; k++) b->mu[k] = b->form.mu[3 * k + 1];
    return PL_OK;
}

static pl_status solve(bench *b, int kind, outcome *out)
{
    const pl_lcp *lcp = &b->form.lcp;
    const pl_staggered problem = {lcp->n / 3, lcp->col, lcp->row, lcp->val, lcp->q, b->mu};
    pl_staggered_options o = pl_staggered_options_default();
    o.schurpa = kind == SCHURPA;
    o.clock = pl_cpu_seconds;
    o.qp_tolerance = PART * b->euler->options.contact_tolerance / b->euler->problem.dt;
    PL_TRY(pl_reserve((void **)&out->f, &out->capacity, lcp->n, sizeof *out->f));
    pl_scalar_form_take(&b->form, b->euler->f_start, out->f);
    pl_arena_mark mark = pl_arena_here(&b->ws.arena);
    pl_status status = pl_staggered_solve(&problem, &o, &b->ws.arena, out->f, &out->stats);
    pl_arena_back(&b->ws.arena, mark);
    return status == PL_ERROR_NUMERICS ? PL_OK : status;
}

static double time_of(const pl_staggered_program *p)
{
    return p->sum.form_seconds + p->sum.factor_seconds + p->sum.solve_seconds;
}

// In turns, so that both meet the same machine.
static pl_status solve_both(bench *b)
{
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (int kind = DIRECT; kind <= SCHURPA; kind++) {
            outcome *out = &b->of[kind];
            PL_TRY(solve(b, kind, out));
            double contact = time_of(&out->stats.contact), friction = time_of(&out->stats.friction);
            out->contact = repeat == 0 ? contact : fmin(out->contact, contact);
            out->friction = repeat == 0 ? friction : fmin(out->friction, friction);
        }
    }
    return PL_OK;
}

// --- What there is to know about it ---

// The half-bandwidth of H^C with contacts in the order of their cells: the farthest two that share
// a node of a body.
static int32_t half_bandwidth(const pl_problem *problem, int32_t *first)
{
    int32_t most = 0;
    for (int32_t i = 0; i < problem->A->n; i++) first[i] = -1;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *c = &problem->constraint[k];
        for (int32_t t = c->first; t < c->first + c->count; t++) {
            int32_t block = problem->entry[t].block;
            if (first[block] < 0) first[block] = k;
            most = PL_MAX(most, k - first[block]);
        }
    }
    return most;
}

static const pl_euler_contact *find_past(const bench *b, const pl_euler_contact *c)
{
    for (int64_t i = 0; i < b->n_past; i++) {
        const pl_euler_contact *p = &b->past[i];
        if (memcmp(p->cell, c->cell, sizeof c->cell) == 0 && p->a == c->a && p->b == c->b) return p;
    }
    return NULL;
}

// A_0 by cells [Lit13, 7.2]: a contact is without impulse if its cell had one that was.
static double share_by_cell(const bench *b)
{
    int32_t n = b->euler->problem.n_constraint, right = 0;
    for (int32_t i = 0; i < n; i++) {
        const pl_euler_contact *past = find_past(b, &b->euler->contact[i]);
        bool tight = past != NULL && past->f[0] == 0;
        right += tight == (b->of[SCHURPA].f[3 * i] == 0);
    }
    return (double)right / n;
}

static pl_status remember(bench *b)
{
    int32_t n = b->euler->problem.n_constraint;
    PL_TRY(pl_reserve((void **)&b->past, &b->past_capacity, n, sizeof *b->past));
    b->n_past = n;
    for (int32_t i = 0; i < n; i++) {
        b->past[i] = b->euler->contact[i];
        b->past[i].f[0] = b->of[SCHURPA].f[3 * i];
    }
    return PL_OK;
}

static bool is_same(const bench *b)
{
    const outcome *d = &b->of[DIRECT], *s = &b->of[SCHURPA];
    double size = 0, away = 0;
    for (int32_t i = 0; i < 3 * b->euler->problem.n_constraint; i++) {
        size = fmax(size, fabs(d->f[i]));
        away = fmax(away, fabs(d->f[i] - s->f[i]));
    }
    return d->stats.iterations == s->stats.iterations &&
           d->stats.contact.sum.iterations == s->stats.contact.sum.iterations &&
           d->stats.contact.sum.pivots == s->stats.contact.sum.pivots &&
           d->stats.friction.sum.iterations == s->stats.friction.sum.iterations &&
           d->stats.friction.sum.pivots == s->stats.friction.sum.pivots && away <= SAME * size;
}

// Free contacts, and free directions of friction: alpha (1 - 1 / sqrt 2) inside of the diamond.
static void count_free(const bench *b, row *r)
{
    for (int32_t i = 0; i < r->m; i++) {
        const double *f = b->of[SCHURPA].f + 3 * (int64_t)i;
        double gamma = b->mu[i] * f[0], slack = 1e-9 * gamma;
        r->free += f[0] > 0;
        r->reduced += f[0] > 0 && fabs(f[1] + f[2]) < gamma - slack;
        r->reduced += f[0] > 0 && fabs(f[1] - f[2]) < gamma - slack;
    }
}

// --- The run ---

static void add_program(bench *b, int which, const pl_staggered_program *p, bool settled)
{
    b->qp_most[which] = PL_MAX(b->qp_most[which], p->most_iterations);
    b->sum_most[which] = PL_MAX(b->sum_most[which], (int32_t)p->sum.iterations);
    b->resets[which] += p->sum.resets > 0;
    b->share[which] += p->first_share;
    if (settled) b->least_share[which] = fmin(b->least_share[which], p->first_share);
}

static void add_up(bench *b, const row *r)
{
    const outcome *d = &b->of[DIRECT], *s = &b->of[SCHURPA];
    bool settled = r->time > 0.02; // [s] four steps
    b->steps++;
    b->same = b->same && is_same(b);
    add_program(b, 0, &s->stats.contact, settled);
    add_program(b, 1, &s->stats.friction, settled);
    b->by_cell += r->by_cell;
    b->sp_most = PL_MAX(b->sp_most, s->stats.iterations);
    b->band_most = fmax(b->band_most, r->band);
    b->band_least = fmin(b->band_least, r->band);
    b->band_sum += r->band;
    for (int kind = 0; kind < 2; kind++) {
        b->total[kind][0] += b->of[kind].contact;
        b->total[kind][1] += b->of[kind].friction;
        b->factors[kind] += b->of[kind].stats.contact.sum.factorizations +
                            b->of[kind].stats.friction.sum.factorizations;
    }
    if (r->m <= b->most) return;
    b->most = r->m;
    b->peak_ratio[0] = d->contact / s->contact;
    b->peak_ratio[1] = d->friction / s->friction;
}

static void write_row(const bench *b, const row *r, pl_output *csv)
{
    pl_output_printf(csv, "%.6g,%d,%d,%d,%.6g,%.6g", r->time, r->m, r->free, r->reduced, r->band,
                     r->by_cell);
    for (int kind = 0; kind < 2; kind++) {
        const pl_staggered_stats *s = &b->of[kind].stats;
        pl_output_printf(csv, ",%d,%s", s->iterations, pl_lcp_end_name(s->end));
        const pl_staggered_program *of[2] = {&s->contact, &s->friction};
        for (int k = 0; k < 2; k++) {
            const pl_pdasm_stats *p = &of[k]->sum;
            pl_output_printf(csv,
                             ",%.4g,%" PRId64 ",%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%.4g,%.4g",
                             of[k]->first_share, p->iterations, of[k]->most_iterations,
                             p->factorizations, p->solves, p->resets, 1e3 * p->factor_seconds,
                             1e3 * (k == 0 ? b->of[kind].contact : b->of[kind].friction));
        }
    }
    pl_output_printf(csv, "\n");
}

static void write_header(pl_output *csv)
{
    static const char *const kinds[] = {"direct", "schurpa"}, *const of[] = {"contact", "friction"};
    pl_output_printf(csv, "time,contacts,free,reduced,band,share_by_cell");
    for (int kind = 0; kind < 2; kind++) {
        pl_output_printf(csv, ",%s_turns,%s_end", kinds[kind], kinds[kind]);
        for (int k = 0; k < 2; k++) {
            static const char *const columns[] = {"share",     "iterations", "most_iterations",
                                                  "factors",   "solves",     "resets",
                                                  "factor_ms", "ms"};
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
                pl_output_printf(csv, ",%s_%s_%s", kinds[kind], of[k], columns[c]);
            }
        }
    }
    pl_output_printf(csv, "\n");
}

static pl_status look_at_step(bench *b, pl_output *csv)
{
    const pl_problem *problem = &b->euler->problem;
    row r = {.m = problem->n_constraint};
    int32_t *first = pl_alloc(problem->A->n, sizeof *first);
    if (first == NULL) return PL_ERROR_MEMORY;
    r.band = (double)half_bandwidth(problem, first) / r.m;
    pl_free(first);
    PL_TRY(prepare(b));
    PL_TRY(solve_both(b));
    count_free(b, &r);
    if (r.free > 0 && b->first < 0) b->first = pl_euler_time(b->euler);
    if (b->first < 0) return remember(b);
    r.time = pl_euler_time(b->euler) - b->first;
    r.by_cell = share_by_cell(b);
    add_up(b, &r);
    write_row(b, &r, csv);
    return remember(b);
}

// Momenta of all bodies.
static pl_status sum_momenta(const pl_euler *e, double P[3], double L[3])
{
    for (int k = 0; k < 3; k++) P[k] = L[k] = 0;
    for (int32_t i = 0; i < pl_euler_body_count(e); i++) {
        double p[3], l[3];
        PL_TRY(pl_euler_momentum(e, i, p, l));
        for (int k = 0; k < 3; k++) P[k] += p[k], L[k] += l[k];
    }
    return PL_OK;
}

static double sum_energy(const pl_step_stats *s)
{
    return s->kinetic_energy + s->elastic_energy;
}

static pl_status run(bench *b, int32_t steps, pl_output *csv)
{
    pl_step_stats stats = {0};
    double P[2][3], L[2][3], energy = 0, worst = 0;
    PL_TRY(sum_momenta(b->euler, P[0], L[0]));
    for (int32_t i = 0; i < steps; i++) {
        PL_TRY(pl_scene_euler_step(b->euler, &stats));
        if (i == 0) energy = sum_energy(&stats);
        if (stats.elastic_energy > b->peak_energy) {
            b->peak_energy = stats.elastic_energy;
            b->peak_time = stats.time;
        }
        if (b->euler->problem.n_constraint > 0) PL_TRY(look_at_step(b, csv));
    }
    PL_TRY(sum_momenta(b->euler, P[1], L[1]));
    double one = 0; // momentum of one cylinder
    for (int32_t i = 0; i < b->euler->n_body; i++) one = fmax(one, 4 * b->euler->body[i].mass);
    for (int k = 0; k < 3; k++) {
        worst = fmax(worst, fabs(P[1][k] - P[0][k]));
        worst = fmax(worst, fabs(L[1][k] - L[0][k]));
    }
    printf("%d steps, hash %016" PRIx64 "; energy %.4g J before, %.4g J after (%.1f %%); momenta "
           "change by %.1e of that of a cylinder\n",
           steps, pl_euler_hash(b->euler), energy, sum_energy(&stats),
           100 * sum_energy(&stats) / energy, worst / one);
    return PL_OK;
}

// --- What is printed ---

static void say(bool so, const char *text)
{
    printf("  %-3s  %s\n", so ? "yes" : "NO", text);
}

static void print(const bench *b)
{
    double n = b->steps;
    printf("%-66s %10s %10s\n", "", "ours", "Lit13");
    printf("%-66s %10.2f %10s\n", "most elastic energy, after first contact [s]",
           b->peak_time - b->first, "0.1");
    printf("%-66s %10d %10s\n", "contacts, at most", (int)b->most, "");
    printf("%-66s %10.2f %10s\n", "share of right rows in the first set: contact, mean",
           b->share[0] / n, "> 0.8");
    printf("%-66s %10.2f %10s\n", "  friction, mean", b->share[1] / n, "> 0.8");
    printf("%-66s %10.2f %10s\n", "  contact, least from 0.02 s on", b->least_share[0], "> 0.8");
    printf("%-66s %10.2f %10s\n", "  friction, least from 0.02 s on", b->least_share[1], "> 0.8");
    printf("%-66s %10.2f %10s\n", "  contact by cells as in the thesis, mean", b->by_cell / n,
           "> 0.8");
    printf("%-66s %10d %10d\n", "turns of staggered projections, at most", b->sp_most, 2);
    printf("%-66s %10d %10d\n", "iterations of SCHURPA in one program, at most: contact",
           b->qp_most[0], 8);
    printf("%-66s %10d %10d\n", "  friction", b->qp_most[1], 11);
    printf("%-66s %10d %10s\n", "  in all turns of a step: contact", b->sum_most[0], "");
    printf("%-66s %10d %10s\n", "  friction", b->sum_most[1], "");
    printf("%-66s %10d %10d\n", "steps with resets: contact", b->resets[0], 0);
    printf("%-66s %10d %10d\n", "  friction", b->resets[1], 8);
    printf("%-66s %10.2f %10.2f\n", "rho^C / m: largest", b->band_most, 0.48);
    printf("%-66s %10.2f %10.2f\n", "  least", b->band_least, 0.04);
    printf("%-66s %10.2f %10.2f\n", "  mean", b->band_sum / n, 0.18);
    printf("%-66s %10.2f %10s\n", "factorizations of a step, contact and friction: SCHURPA",
           (double)b->factors[SCHURPA] / n, "2");
    printf("%-66s %10.2f %10s\n", "  DIRECT", (double)b->factors[DIRECT] / n, "to 19");
    printf("%-66s %10.2f %10s\n", "time, DIRECT / SCHURPA, with most contacts: contact",
           b->peak_ratio[0], "4");
    printf("%-66s %10.2f %10s\n", "  friction", b->peak_ratio[1], "3");
    printf("%-66s %10.2f %10s\n", "  over all steps: contact", b->total[0][0] / b->total[1][0], "");
    printf("%-66s %10.2f %10s\n", "  friction", b->total[0][1] / b->total[1][1], "");
    printf("What [Lit13, 7.2] concludes:\n");
    say(b->same,
        "SCHURPA and DIRECT visit as many sets, change as many rows, find the same impulses");
    say(b->sp_most <= 3, "staggered projections take 3 turns at most");
    say(b->share[0] / n > 0.8 && b->share[1] / n > 0.8, "first sets are right in more than 0.8");
    say(b->factors[SCHURPA] < b->factors[DIRECT], "SCHURPA factors less often");
    say(b->peak_ratio[0] > 1 && b->peak_ratio[1] > 1, "and takes less time with most contacts");
}

static pl_status open_scene(bench *b, bool quick)
{
    char *path;
    PL_TRY(pl_scene_find("euler-cylinders", &path));
    pl_status status = pl_scene_load_unseen(path, &b->scene);
    pl_free(path);
    PL_TRY(status);
    b->scene.world.threads = 1;
    if (quick) b->scene.grid.options.spacing = QUICK_SPACING;
    return pl_scene_euler(&b->scene, &b->euler);
}

static pl_status measure(bench *b, const pl_bench_options *options, pl_output *csv)
{
    PL_TRY(open_scene(b, options->quick));
    int32_t steps = (int32_t)lround(b->scene.duration / b->scene.world.dt);
    printf("euler-cylinders, spacing %g m, dt %g s; the problem of the last part of each step, "
           "processor time, least of %d runs\n",
           b->scene.grid.options.spacing, b->scene.world.dt, REPEATS);
    fflush(stdout);
    write_header(csv);
    PL_TRY(run(b, options->quick ? QUICK_STEPS : steps, csv));
    if (b->steps == 0) return pl_fail(PL_ERROR_NUMERICS, "the cylinders have not met");
    print(b);
    return PL_OK;
}

static void free_bench(bench *b)
{
    pl_euler_destroy(b->euler);
    pl_scene_free(&b->scene);
    pl_workspace_free(&b->ws);
    for (int kind = 0; kind < 2; kind++) pl_free(b->of[kind].f);
    pl_free(b->past);
}

pl_status pl_bench_lit13(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    bench b = {.first = -1, .band_least = INFINITY, .least_share = {1, 1}, .same = true};
    PL_TRY(pl_bench_path(options, "", "lit13.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    status = measure(&b, options, &csv);
    free_bench(&b);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
