// pliant bench lcp: rows removed from a factor against new factors [Lef20, Fig. 2.4], with what a
// multiplication of each takes; then the parts of bench_lcp.h.

#include "bench_lcp.h"
#include "bench_figure.h"
#include "cpu_time.h"
#include "../../base/hash.h"
#include "../../lcp/dense.h"
#include "../../lcp/factor_sets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Problems ---

double pl_bench_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 32) / 2147483648.0 - 1;
}

void pl_bench_rows_free(pl_bench_rows *r)
{
    void *blocks[] = {r->start, r->col, r->row, r->val, r->q, r->lo, r->hi, r->x};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) pl_free(blocks[i]);
    *r = (pl_bench_rows){0};
}

static pl_status take_rows(int32_t n, int64_t nnz, pl_bench_rows *r)
{
    double **const numbers[] = {&r->start, &r->q, &r->lo, &r->hi, &r->x};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = pl_alloc_zero(n, sizeof **numbers[i]);
        if (*numbers[i] == NULL) return PL_ERROR_MEMORY;
    }
    r->col = pl_alloc_zero((int64_t)n + 1, sizeof *r->col);
    r->row = pl_alloc(nnz, sizeof *r->row);
    r->val = pl_alloc(nnz, sizeof *r->val);
    if (r->col == NULL || r->row == NULL || r->val == NULL) return PL_ERROR_MEMORY;
    r->lcp = (pl_lcp){.n = n,
                      .col = r->col,
                      .row = r->row,
                      .val = r->val,
                      .symmetric = true,
                      .q = r->q,
                      .lo = r->lo,
                      .hi = r->hi};
    return PL_OK;
}

// A number that depends on both ends alike.
static double entry_of(int32_t i, int32_t j, uint64_t seed)
{
    uint64_t state = seed + 1000003u * (uint64_t)PL_MIN(i, j) + (uint64_t)PL_MAX(i, j);
    pl_bench_number(&state);
    pl_bench_number(&state);
    return pl_bench_number(&state);
}

static int by_row(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

// place: of a row in the band; at: the row at a place.
static void fill_band(pl_bench_rows *r, int32_t width, double shift, uint64_t seed,
                      const int32_t *place, const int32_t *at)
{
    int64_t k = 0;
    for (int32_t j = 0; j < r->lcp.n; j++) {
        int32_t p = place[j], first = PL_MAX(0, p - width);
        int32_t last = PL_MIN(r->lcp.n - 1, p + width);
        for (int32_t o = first; o <= last; o++) r->row[k + o - first] = at[o];
        qsort(r->row + k, (size_t)(last - first + 1), sizeof *r->row, by_row);
        double sum = shift;
        for (int32_t o = first; o <= last; o++) sum += o == p ? 0 : fabs(entry_of(o, p, seed));
        for (int32_t e = 0; e <= last - first; e++, k++) {
            int32_t o = place[r->row[k]];
            r->val[k] = o == p ? sum : entry_of(o, p, seed);
        }
        r->col[j + 1] = k;
    }
}

pl_status pl_bench_rows_band(int32_t n, int32_t width, double tight, double shift, uint64_t seed,
                             pl_bench_rows *out)
{
    *out = (pl_bench_rows){.tolerance = 1e-10};
    int32_t *place = pl_alloc(n, sizeof *place), *at = pl_alloc(n, sizeof *at);
    pl_status status = take_rows(n, (int64_t)n * (2 * width + 1), out);
    if (place == NULL || at == NULL) status = PL_ERROR_MEMORY;
    if (status == PL_OK) {
        uint64_t state = seed;
        for (int32_t i = 0; i < n; i++) at[i] = i;
        for (int32_t i = n - 1; i > 0; i--) {
            int32_t j = (int32_t)(0.5 * (pl_bench_number(&state) + 1) * (i + 1)), swap = at[i];
            at[i] = at[j], at[j] = swap;
        }
        for (int32_t i = 0; i < n; i++) place[at[i]] = i;
        fill_band(out, width, shift, seed, place, at);
        for (int32_t i = 0; i < n; i++) { // x is planted: q := w - M x
            bool is_tight = 0.5 * (pl_bench_number(&state) + 1) < tight;
            out->x[i] = is_tight ? 0 : 0.1 + fabs(pl_bench_number(&state));
            out->start[i] = is_tight ? 0.1 + fabs(pl_bench_number(&state)) : 0; // w
            out->hi[i] = INFINITY;
        }
        double *w = out->hi; // scratch
        pl_lcp_multiply(&out->lcp, out->x, w);
        for (int32_t i = 0; i < n; i++) out->q[i] = out->start[i] - w[i];
        for (int32_t i = 0; i < n; i++) out->hi[i] = INFINITY, out->start[i] = 1;
        snprintf(out->name, sizeof out->name, "band %d of %d, %.0f %% tight", width, n,
                 100 * tight);
    } else {
        pl_bench_rows_free(out);
    }
    pl_free(place);
    pl_free(at);
    return status;
}

// --- Removal against a new factor ---

static const double shares[] = {0.01, 0.05, 0.10, 0.15, 0.20, 0.25};
static const char *const share_names[] = {"1 % tight",  "5 % tight",  "10 % tight",
                                          "15 % tight", "20 % tight", "25 % tight"};
enum { SHARES = sizeof shares / sizeof *shares };

typedef struct times {
    double anew, removal, copy; // least [s]
    double factored, rotated, copied;
} times;

typedef struct gain {
    pl_factor_sets anew, removal;
    pl_lcp_sets sets;
    double *dense; // (n*n)
    double plain;  // of lcp/dense.c [s]
} gain;

static pl_status start_gain(const pl_lcp *lcp, double share, uint64_t seed, pl_arena *arena,
                            gain *g)
{
    pl_lcp_end end = PL_LCP_N_END;
    PL_TRY(pl_lcp_sets_make(arena, lcp->n, &g->sets));
    PL_TRY(pl_factor_sets_make(&g->anew, lcp, PL_FACTOR_ANEW, false, 0, arena, &end));
    PL_TRY(pl_factor_sets_make(&g->removal, lcp, PL_FACTOR_REMOVE, false, 0, arena, &end));
    g->dense = pl_arena_take(arena, (int64_t)lcp->n * lcp->n, sizeof *g->dense);
    if (g->dense == NULL) return PL_ERROR_MEMORY;
    for (int32_t left = (int32_t)lround(share * lcp->n); left > 0;) {
        int32_t i = (int32_t)(0.5 * (pl_bench_number(&seed) + 1) * lcp->n);
        left -= g->sets.state[i] == PL_LCP_FREE;
        g->sets.state[i] = PL_LCP_AT_LO;
    }
    pl_lcp_sets_index(&g->sets);
    // makes the factor of all rows
    return pl_factor_sets_factor(&g->removal, &g->sets, NULL) ? PL_OK : PL_ERROR_NUMERICS;
}

static void load_dense(const pl_lcp *lcp, gain *g)
{
    for (int32_t c = 0; c < g->sets.n_free; c++) {
        int32_t j = g->sets.list[c];
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int32_t r = g->sets.place[lcp->row[k]];
            if (r >= 0) g->dense[r + (int64_t)c * g->sets.n_free] = lcp->val[k];
        }
    }
}

static bool factor_plainly(const pl_lcp *lcp, gain *g, double *least)
{
    load_dense(lcp, g);
    int32_t n = g->sets.n_free;
    return pl_dense_cholesky(n, g->dense, n, least) == n;
}

static times measure_gain(const pl_lcp *lcp, int repeats, gain *g)
{
    times t = {1e30, 1e30, 1e30, 0, 0, 0};
    double anew = g->anew.work.factored, rotated = g->removal.work.rotated;
    bool ok = true;
    g->plain = 1e30;
    for (int r = 0; r < repeats; r++) {
        double start = pl_cpu_seconds();
        ok = pl_factor_sets_factor(&g->anew, &g->sets, NULL) && ok;
        t.anew = PL_MIN(t.anew, pl_cpu_seconds() - start);
        start = pl_cpu_seconds();
        ok = factor_plainly(lcp, g, g->anew.x) && ok;
        g->plain = PL_MIN(g->plain, pl_cpu_seconds() - start);
        start = pl_cpu_seconds();
        pl_factor_copy(&g->removal.work, &g->removal.base);
        t.copy = PL_MIN(t.copy, pl_cpu_seconds() - start);
        start = pl_cpu_seconds();
        ok = pl_factor_sets_factor(&g->removal, &g->sets, NULL) && ok;
        t.removal = PL_MIN(t.removal, pl_cpu_seconds() - start);
    }
    PL_ASSERT(ok);
    t.factored = (g->anew.work.factored - anew) / repeats;
    t.rotated = (g->removal.work.rotated - rotated) / repeats;
    t.copied = (double)g->removal.all.col[lcp->n];
    return t;
}

// By a line between the two shares around a gain of 1, in its logarithm.
static void print_break_even(int32_t m, const double *gains)
{
    for (int i = 1; i < SHARES; i++) {
        if (gains[i] > 1) continue;
        double a = log(gains[i - 1]), b = log(gains[i]);
        printf("break-even at m = %d: %.0f %% tight\n", m,
               100 * (shares[i - 1] + (shares[i] - shares[i - 1]) * a / (a - b)));
        return;
    }
    printf("break-even at m = %d: above %.0f %% tight\n", m, 100 * shares[SHARES - 1]);
}

static void print_costs(const times *sum)
{
    double unit = sum->anew / sum->factored;
    printf("a multiplication of a new factor: %.3f ns; of a removal: %.2f times that "
           "(PL_REMOVAL_COST %.2f); an entry of a copy: %.2f times (PL_COPY_COST %.2f)\n",
           1e9 * unit, sum->removal / sum->rotated / unit, PL_REMOVAL_COST,
           sum->copy / sum->copied / unit, PL_COPY_COST);
}

static uint64_t hash_left(const gain *g)
{
    const pl_factor *L = &g->removal.work;
    uint64_t hash = PL_HASH_START;
    for (int32_t k = 0; k < L->skyline->n; k++) {
        for (int32_t i = k; i < L->skyline->n && L->removed[k] == 0; i++) {
            double a = pl_factor_at(L, i, k);
            if (L->removed[i] == 0) hash = pl_hash(hash, &a, sizeof a);
        }
    }
    return hash;
}

static pl_status measure_size(int32_t m, bool quick, pl_arena *arena, pl_figure *figure)
{
    times sum = {0};
    pl_bench_rows rows;
    double gains[SHARES];
    PL_TRY(pl_bench_rows_band(m, m, 0.1, 1, 5, &rows));
    for (int s = 0; s < SHARES; s++) {
        gain g;
        pl_arena_reset(arena);
        pl_status status = start_gain(&rows.lcp, shares[s], 17 + (uint64_t)s, arena, &g);
        if (status != PL_OK) {
            pl_bench_rows_free(&rows);
            return status;
        }
        times t = measure_gain(&rows.lcp, quick ? 2 : m > 400 ? 5 : 15, &g);
        gains[s] = PL_MIN(t.anew, g.plain) / t.removal;
        status = pl_figure_add(figure, 0, share_names[s], m, gains[s]);
        if (status != PL_OK) {
            pl_bench_rows_free(&rows);
            return status;
        }
        printf("%5d %5.0f %9.3f %9.3f %9.3f %6.2f %9.1e  %016" PRIx64 "\n", m, 100 * shares[s],
               1e3 * t.anew, 1e3 * g.plain, 1e3 * t.removal, gains[s],
               pl_factor_distance(&g.removal.work, &g.anew.work), hash_left(&g));
        sum.anew += t.anew, sum.factored += t.factored;
        sum.removal += t.removal - t.copy, sum.rotated += t.rotated;
        sum.copy += t.copy, sum.copied += t.copied;
    }
    print_break_even(m, gains);
    print_costs(&sum);
    pl_bench_rows_free(&rows);
    return PL_OK;
}

pl_status pl_bench_lcp_gains(const pl_bench_options *options)
{
    static const int32_t sizes[] = {100, 200, 400, 800}, quick[] = {40, 80};
    pl_arena arena = {0};
    pl_status status = PL_OK;
    pl_figure figure = {.title = "Rows removed against a new dense factor [Lef20, Fig. 2.4]",
                        .x_label = "rows"};
    figure.panel[0].title = "Gain";
    figure.panel[0].log = true;
    printf("Dense factors without tight rows: a new one (two ways: 'anew' in columns as removal\n"
           "has them, 'dense' of lcp/dense.c), and removal from a copy; 'gain' is the faster new\n"
           "one over removal, 'error' the largest difference of entries over the largest entry.\n"
           "\n    m tight%%   anew ms  dense ms    rem ms   gain     error  hash\n");
    for (int i = 0; i < (options->quick ? 2 : 4) && status == PL_OK; i++) {
        status =
            measure_size(options->quick ? quick[i] : sizes[i], options->quick, &arena, &figure);
    }
    pl_arena_free(&arena);
    if (status == PL_OK) status = pl_figure_write(&figure, options, "lef20-2.4");
    pl_figure_free(&figure);
    printf("\n");
    return status;
}

pl_status pl_bench_lcp(const pl_bench_options *options)
{
    PL_TRY(pl_bench_lcp_gains(options));
    PL_TRY(pl_bench_lcp_table(options));
    return pl_bench_lcp_fill(options);
}
