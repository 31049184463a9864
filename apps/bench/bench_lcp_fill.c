// Sparse Cholesky factors of the matrices of scenes: ours in blocks of three with nested dissection
// (solvers/cholesky.h), CXSparse's with minimum degree, and CHOLMOD's, with minimum degree and with
// METIS.
//
// CHOLMOD is GPL in parts, so that nothing of it is linked: it is loaded here if the machine has
// it, and in one thread.

#include "bench_lcp.h"
#include "bench_scene.h"
#include "cpu_time.h"
#include "../../base/hash.h"
#include "../../solvers/cholesky.h"
#include "../../world/world.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifdef PL_CXSPARSE
#include <cs.h>
#endif
#if __has_include(<suitesparse/cholmod.h>)
#include <suitesparse/cholmod.h>
#define HAVE_CHOLMOD
#endif

// A, and its lower triangle, scalar by scalar, without rows that are prescribed.
typedef struct matrix {
    const pl_bsr *A;
    const uint8_t *prescribed;
    int32_t n;      // scalar rows
    int32_t *place; // (3*A->n) -1: left out
    int64_t *col;   // (n + 1) SuiteSparse's long integer is as wide
    int64_t *row;   // (col[n])
    double *val;    // (col[n])
    double *b, *x;  // (n)
    int repeats;
} matrix;

static void free_matrix(matrix *m)
{
    pl_free(m->place), pl_free(m->col), pl_free(m->row);
    pl_free(m->val), pl_free(m->b), pl_free(m->x);
}

static pl_status make_matrix(const pl_bsr *A, const uint8_t *prescribed, matrix *m)
{
    *m = (matrix){.A = A, .prescribed = prescribed, .repeats = 3};
    m->place = pl_alloc(3 * (int64_t)A->n, sizeof *m->place);
    m->col = pl_alloc(3 * (int64_t)A->n + 1, sizeof *m->col);
    m->row = pl_alloc(9 * A->nnz, sizeof *m->row);
    m->val = pl_alloc(9 * A->nnz, sizeof *m->val);
    m->b = pl_alloc(3 * (int64_t)A->n, sizeof *m->b);
    m->x = pl_alloc(3 * (int64_t)A->n, sizeof *m->x);
    if (m->place == NULL || m->col == NULL || m->row == NULL || m->val == NULL || m->b == NULL ||
        m->x == NULL) {
        return PL_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < 3 * A->n; i++) {
        bool out = prescribed != NULL && prescribed[i / 3] != 0;
        m->place[i] = out ? -1 : m->n++;
    }
    int64_t at = 0;
    for (int32_t j = 0; j < 3 * A->n; j++) {
        if (m->place[j] < 0) continue;
        m->col[m->place[j]] = at;
        m->b[m->place[j]] = m->place[j] * 31 % 101 * 0.01 - 0.5;
        for (int64_t k = A->row[j / 3]; k < A->row[j / 3 + 1]; k++) {
            for (int32_t c = 0; c < 3; c++) {
                int32_t i = 3 * A->col[k] + c;
                if (i < j || m->place[i] < 0) continue;
                m->row[at] = m->place[i];
                m->val[at++] = A->val[9 * k + j % 3 + 3 * c]; // row j is column j
            }
        }
    }
    m->col[m->n] = at;
    return PL_OK;
}

// |A x - b| / |b|, the largest entries.
static double residual(const matrix *m)
{
    double *r = pl_alloc(m->n, sizeof *r), most = 0, largest = 0;
    if (r == NULL) return NAN;
    for (int32_t i = 0; i < m->n; i++) r[i] = -m->b[i];
    for (int32_t j = 0; j < m->n; j++) {
        for (int64_t k = m->col[j]; k < m->col[j + 1]; k++) {
            int64_t i = m->row[k];
            r[i] += m->val[k] * m->x[j];
            if (i != j) r[j] += m->val[k] * m->x[i];
        }
    }
    for (int32_t i = 0; i < m->n; i++) {
        most = fmax(most, fabs(r[i]));
        largest = fmax(largest, fabs(m->b[i]));
    }
    pl_free(r);
    return most / largest;
}

typedef struct times {
    double analyze, factor, solve; // least [s]
    double nnz;                    // of the factor, its diagonal included
} times;

static void print_times(const matrix *m, const char *label, const times *t, const times *ours)
{
    printf("  %-18s %10.0f %6.2f %9.2f %9.2f %6.2f %9.3f %8.1e  %016" PRIx64 "\n", label, t->nnz,
           t->nnz / ours->nnz, 1e3 * t->analyze, 1e3 * t->factor, t->factor / ours->factor,
           1e3 * t->solve, residual(m), pl_hash(PL_HASH_START, m->x, (size_t)m->n * sizeof *m->x));
}

// Adds the least of the times since *start, and moves it.
static void lap(double *start, double *least)
{
    double now = pl_cpu_seconds();
    *least = PL_MIN(*least, now - *start);
    *start = pl_cpu_seconds();
}

// --- Ours ---

static pl_status measure_ours(const matrix *m, times *t)
{
    pl_arena arena = {0};
    pl_status status = PL_OK;
    double *x = pl_alloc(3 * (int64_t)m->A->n, sizeof *x);
    if (x == NULL) return PL_ERROR_MEMORY;
    *t = (times){1e30, 1e30, 1e30, 0};
    for (int r = 0; r < m->repeats && status == PL_OK; r++) {
        pl_cholesky G;
        pl_arena_reset(&arena);
        double start = pl_cpu_seconds();
        status = pl_cholesky_analyze(m->A, m->prescribed, &arena, &G);
        lap(&start, &t->analyze);
        if (status == PL_OK) status = pl_cholesky_take(&G, &arena);
        if (status == PL_OK) status = pl_cholesky_factor(&G, m->A);
        lap(&start, &t->factor);
        if (status != PL_OK) break;
        t->nnz = 9.0 * (double)G.nnz + 6.0 * G.order.n;
        for (int32_t i = 0; i < 3 * G.order.n; i++) {
            x[i] = m->b[m->place[3 * G.order.block[i / 3] + i % 3]];
        }
        start = pl_cpu_seconds();
        pl_cholesky_solve(&G, 0, G.order.n, 1, x);
        lap(&start, &t->solve);
        for (int32_t i = 0; i < 3 * G.order.n; i++) {
            m->x[m->place[3 * G.order.block[i / 3] + i % 3]] = x[i];
        }
    }
    pl_free(x);
    pl_arena_free(&arena);
    return status;
}

// --- CXSparse's ---

#ifdef PL_CXSPARSE

static bool measure_cxsparse(const matrix *m, times *t)
{
    // The rows of the lower triangle are the columns of the upper one, which it wants.
    cs_dl lower = {.nz = -1,
                   .nzmax = m->col[m->n],
                   .m = m->n,
                   .n = m->n,
                   .p = m->col,
                   .i = m->row,
                   .x = m->val};
    cs_dl *A = cs_dl_transpose(&lower, 1);
    double *y = cs_dl_malloc(m->n, sizeof *y);
    bool ok = A != NULL && y != NULL;
    *t = (times){1e30, 1e30, 1e30, 0};
    for (int r = 0; r < m->repeats && ok; r++) {
        double start = pl_cpu_seconds();
        cs_dls *S = cs_dl_schol(1, A);
        lap(&start, &t->analyze);
        cs_dln *N = S != NULL ? cs_dl_chol(A, S) : NULL;
        lap(&start, &t->factor);
        ok = N != NULL;
        if (ok) {
            t->nnz = (double)N->L->p[m->n];
            cs_dl_ipvec(S->pinv, m->b, y, m->n);
            cs_dl_lsolve(N->L, y);
            cs_dl_ltsolve(N->L, y);
            cs_dl_pvec(S->pinv, y, m->x, m->n);
            lap(&start, &t->solve);
        }
        cs_dl_nfree(N);
        cs_dl_sfree(S);
    }
    cs_dl_free(y);
    cs_dl_spfree(A);
    return ok;
}

#endif

// --- CHOLMOD's ---

#ifdef HAVE_CHOLMOD

typedef struct cholmod {
    void *library;
    int (*start)(cholmod_common *);
    int (*finish)(cholmod_common *);
    cholmod_factor *(*analyze)(cholmod_sparse *, cholmod_common *);
    int (*factorize)(cholmod_sparse *, cholmod_factor *, cholmod_common *);
    cholmod_dense *(*solve)(int, cholmod_factor *, cholmod_dense *, cholmod_common *);
    int (*free_factor)(cholmod_factor **, cholmod_common *);
    int (*free_dense)(cholmod_dense **, cholmod_common *);
} cholmod;

static bool load_cholmod(cholmod *c)
{
    *c = (cholmod){.library = dlopen("libcholmod.so."
                                     "3",
                                     RTLD_NOW)};
    if (c->library == NULL) return false;
    const struct {
        const char *name;
        void *to;
    } symbols[] = {
        {"cholmod_l_start", &c->start},          {"cholmod_l_finish", &c->finish},
        {"cholmod_l_analyze", &c->analyze},      {"cholmod_l_factorize", &c->factorize},
        {"cholmod_l_solve", &c->solve},          {"cholmod_l_free_factor", &c->free_factor},
        {"cholmod_l_free_dense", &c->free_dense}};
    bool all = true;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(c->library, symbols[i].name);
        memcpy(symbols[i].to, &symbol,
               sizeof symbol); // a pointer to an object is one to a function
        all = all && symbol != NULL;
    }
    void (*set_threads)(int);
    void *symbol = dlsym(c->library, "openblas_set_num_threads");
    memcpy(&set_threads, &symbol, sizeof symbol);
    if (set_threads != NULL) set_threads(1);
    return all;
}

static bool measure_cholmod(const cholmod *c, const matrix *m, int ordering, times *t)
{
    cholmod_common common;
    c->start(&common);
    common.nmethods = 1;
    common.method[0].ordering = ordering;
    common.print = 0;
    cholmod_sparse A = {.nrow = (size_t)m->n,
                        .ncol = (size_t)m->n,
                        .nzmax = (size_t)m->col[m->n],
                        .p = m->col,
                        .i = m->row,
                        .x = m->val,
                        .stype = -1,
                        .itype = CHOLMOD_LONG,
                        .xtype = CHOLMOD_REAL,
                        .dtype = CHOLMOD_DOUBLE,
                        .sorted = 1,
                        .packed = 1};
    cholmod_dense b = {.nrow = (size_t)m->n,
                       .ncol = 1,
                       .nzmax = (size_t)m->n,
                       .d = (size_t)m->n,
                       .x = m->b,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    bool ok = true;
    *t = (times){1e30, 1e30, 1e30, 0};
    for (int r = 0; r < m->repeats && ok; r++) {
        double start = pl_cpu_seconds();
        cholmod_factor *L = c->analyze(&A, &common);
        lap(&start, &t->analyze);
        ok = L != NULL && c->factorize(&A, L, &common) && common.status == CHOLMOD_OK;
        lap(&start, &t->factor);
        cholmod_dense *x = ok ? c->solve(CHOLMOD_A, L, &b, &common) : NULL;
        lap(&start, &t->solve);
        ok = x != NULL;
        if (ok) memcpy(m->x, x->x, (size_t)m->n * sizeof *m->x);
        t->nnz = common.lnz;
        c->free_dense(&x, &common);
        c->free_factor(&L, &common);
    }
    c->finish(&common);
    return ok;
}

static void print_cholmod(const matrix *m, const times *ours)
{
    cholmod c;
    times t;
    if (!load_cholmod(&c)) return;
    if (measure_cholmod(&c, m, CHOLMOD_AMD, &t)) print_times(m, "CHOLMOD, AMD", &t, ours);
    if (measure_cholmod(&c, m, CHOLMOD_METIS, &t)) print_times(m, "CHOLMOD, METIS", &t, ours);
}

#endif

// --- The scenes ---

static pl_status measure_matrix(const char *name, const pl_bsr *A, const uint8_t *prescribed)
{
    matrix m;
    times ours, t;
    pl_status status = make_matrix(A, prescribed, &m);
    if (status == PL_OK) status = measure_ours(&m, &ours);
    if (status == PL_OK) {
        printf("%s: %d rows, %" PRId64 " entries of the lower triangle\n", name, m.n, m.col[m.n]);
        printf("  %-18s %10s %6s %9s %9s %6s %9s %8s  %s\n", "", "entries", "", "order ms",
               "factor ms", "", "solve ms", "error", "hash");
        print_times(&m, "ours", &ours, &ours);
#ifdef PL_CXSPARSE
        if (measure_cxsparse(&m, &t)) print_times(&m, "CXSparse, AMD", &t, &ours);
#endif
#ifdef HAVE_CHOLMOD
        print_cholmod(&m, &ours);
#endif
    }
    (void)t;
    free_matrix(&m);
    return status;
}

static pl_status measure_scene(const pl_bench_scene *scene)
{
    const pl_bench_change change = {0};
    pl_play play;
    PL_TRY(pl_bench_start(scene, &change, &play));
    pl_status status = pl_play_step(&play);
    const pl_system *s = &play.world->system;
    if (status == PL_OK) status = measure_matrix(scene->name, &s->A, s->prescribed);
    pl_play_close(&play);
    return status;
}

pl_status pl_bench_lcp_fill(const pl_bench_options *options)
{
    static const char *const scenes[] = {"rings", "cubes", "mixed", "pyramid", "bunnies"};
    printf("Sparse factors of the matrices of scenes after a step, least times, one thread; the\n"
           "columns without a head are ratios to ours. The time of an order includes the\n"
           "analysis.\n\n");
    for (size_t i = 0; i < (options->quick ? 2 : sizeof scenes / sizeof *scenes); i++) {
        const pl_bench_scene *scene = pl_bench_scene_find(scenes[i], options->quick);
        pl_status status = measure_scene(scene);
        if (!pl_bench_skips(scene, status)) PL_TRY(status);
    }
    return PL_OK;
}
