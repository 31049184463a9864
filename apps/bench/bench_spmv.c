// pliant bench spmv: the sparse product and iterations of CG and of the solvers of contact, against
// a plain pass over the bytes that they must touch.

#include "bench.h"
#include "bench_pass.h"
#include "../../base/hash.h"
#include "../../solvers/bsr_single.h"
#include "../../solvers/cg.h"
#include "../../solvers/solver.h"
#include "../../solvers/vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    // Vertices along an edge of the cube. The matrix is several times what caches hold: iterations
    // follow each other, so that nothing can flush them in between.
    SIDE = 61,
    QUICK_SIDE = 12,
    REPEATS = 100,
    SOLVES = 8,
    // An iteration of a solver is the difference of two solves over the difference of these.
    FEW = 2,
    MANY = 12,
    MAX_THREADS = 2,
    // Written before each measurement, so that it starts with nothing of its own in the caches.
    FLUSH_BYTES = 64 << 20,
};

// Fast is what takes at most this multiple of the time of the plain pass.
static const double PRODUCT_GOAL = 1.15, ITERATION_GOAL = 1.5;

typedef struct problem {
    pl_bsr A;
    pl_block_jacobi M;
    pl_cg cg;
    double *x, *b; // (3*n)
    void *flush;   // (FLUSH_BYTES) NULL: the problem is to stay in the caches
    pl_workspace ws;
} problem;

// --- The matrix: springs in a cube of side^3 vertices ---

// Of the 26 vertices around each, KEPT_PERCENT are neighbours: about the 14 blocks per row of a
// mesh of tets, and as irregular.
enum { KEPT_PERCENT = 56 };

static pl_status make_pattern(int32_t side, pl_bsr *A)
{
    int32_t n = side * side * side;
    int32_t *edge = pl_alloc(2 * 13 * (int64_t)n, sizeof *edge);
    if (edge == NULL) return PL_ERROR_MEMORY;
    int64_t n_edge = 0;
    uint64_t random = 1;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t around = 14; around < 27; around++) { // 13 is the vertex itself
            int32_t x = i % side + around % 3 - 1, y = i / side % side + around / 3 % 3 - 1;
            int32_t z = i / (side * side) + around / 9 - 1;
            random = random * 6364136223846793005u + 1442695040888963407u;
            bool inside = x >= 0 && x < side && y >= 0 && y < side && z < side;
            if (!inside || random >> 33 > (UINT64_C(1) << 31) / 100 * KEPT_PERCENT) continue;
            edge[2 * n_edge] = i;
            edge[2 * n_edge++ + 1] = x + side * (y + side * z);
        }
    }
    pl_status status = pl_bsr_create(n, n_edge, edge, A);
    pl_free(edge);
    return status;
}

// Off the diagonal -K, and on it 0.1 I + the sum of the row's K, where K = I + d d^T.
static void fill(pl_bsr *A)
{
    for (int32_t i = 0; i < A->n; i++) {
        double *sum = A->val + 9 * A->diag[i];
        for (int c = 0; c < 3; c++) sum[4 * c] = 0.1;
        for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
            if (k == A->diag[i]) continue;
            int32_t low = PL_MIN(i, A->col[k]), high = PL_MAX(i, A->col[k]);
            const double d[3] = {low % 7 * 0.1, high % 11 * -0.1, (low + high) % 13 * 0.1};
            for (int e = 0; e < 9; e++) {
                double entry = (e % 4 == 0) + d[e % 3] * d[e / 3];
                A->val[9 * k + e] = -entry;
                sum[e] += entry;
            }
        }
    }
}

static pl_status make_problem(int32_t side, bool flush, problem *out)
{
    *out = (problem){0};
    PL_TRY(make_pattern(side, &out->A));
    fill(&out->A);
    PL_TRY(pl_block_jacobi_create(out->A.n, &out->M));
    PL_TRY(pl_block_jacobi_update(&out->M, &out->A));
    PL_TRY(pl_cg_create(out->A.n, &out->cg));
    int64_t size = 3 * (int64_t)out->A.n;
    out->x = pl_alloc_zero(size, sizeof *out->x);
    out->b = pl_alloc(size, sizeof *out->b);
    if (flush) out->flush = pl_alloc_zero(FLUSH_BYTES, 1);
    if (out->x == NULL || out->b == NULL || (flush && out->flush == NULL)) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < size; i++) out->b[i] = (double)(i * 31 % 101) * 0.01 - 0.5;
    return PL_OK;
}

static uint64_t hash_result(const problem *p)
{
    return pl_hash(PL_HASH_START, p->x, 3 * (size_t)p->A.n * sizeof *p->x);
}

static void free_problem(problem *p)
{
    pl_bsr_free(&p->A);
    pl_block_jacobi_free(&p->M);
    pl_cg_free(&p->cg);
    pl_free(p->x);
    pl_free(p->b);
    pl_free(p->flush);
    pl_workspace_free(&p->ws);
}

// --- The plain passes ---

static void flush_caches(const problem *p)
{
    const pl_span all = {p->flush, FLUSH_BYTES, true};
    if (p->flush != NULL) pl_pass_over(&all, 1);
}

enum { MOST_SPANS = 11 };

// What y := A x touches.
static int list_product(const pl_bsr *A, double *x, double *y, pl_span *out)
{
    int64_t vector = 3 * (int64_t)A->n * (int64_t)sizeof(double);
    out[0] = (pl_span){A->val, 9 * A->nnz * (int64_t)sizeof *A->val, false};
    out[1] = (pl_span){A->col, A->nnz * (int64_t)sizeof *A->col, false};
    out[2] = (pl_span){A->row, A->n * (int64_t)sizeof *A->row, false};
    out[3] = (pl_span){x, vector, false};
    out[4] = (pl_span){y, vector, true};
    return 5;
}

// What an iteration touches, pass by pass: see solvers/cg.c.
static int list_iteration(const problem *p, pl_span *out)
{
    int64_t vector = 3 * (int64_t)p->A.n * (int64_t)sizeof(double);
    int n = list_product(&p->A, p->cg.p, p->cg.q, out);
    out[n++] = (pl_span){p->M.inv, 2 * vector, false};
    out[n++] = (pl_span){p->cg.r, vector, true};
    out[n++] = (pl_span){p->cg.q, vector, true};
    out[n++] = (pl_span){p->cg.q, vector, false};
    out[n++] = (pl_span){p->cg.p, vector, true};
    out[n++] = (pl_span){p->x, vector, true};
    return n;
}

// --- What is measured ---

static void run_product(problem *p)
{
    pl_bsr_multiply(&p->A, p->b, p->x);
}

// The first iteration from x = 0, without the start (see solvers/cg.c).
static void prepare_iteration(problem *p)
{
    size_t bytes = 3 * (size_t)p->A.n * sizeof *p->x;
    memset(p->x, 0, bytes);
    memcpy(p->cg.r, p->b, bytes);
    pl_block_jacobi_apply(&p->M, p->cg.r, p->cg.p);
}

static void run_iteration(problem *p)
{
    pl_cg *cg = &p->cg;
    double curvature = pl_bsr_multiply_dot(&p->A, cg->p, cg->q);
    pl_residual_sums sums = pl_block_jacobi_step(&p->M, NULL, 1 / curvature, cg->r, cg->q);
    pl_vec_advance(3 * (int64_t)cg->n, 1 / curvature, sums.rz, cg->q, cg->p, p->x);
}

typedef struct kernel {
    const char *label;
    void (*prepare)(problem *p); // not timed; may be NULL
    void (*run)(problem *p);     // leaves its result in x
    double goal;                 // 0: none is claimed
} kernel;

static void print_row(const problem *p, const char *label, int threads, const pl_span *spans,
                      int n_span, double pass, double run, double goal)
{
    double bytes = 0;
    for (int i = 0; i < n_span; i++) bytes += (double)spans[i].bytes * (spans[i].write ? 2 : 1);
    bool slow = goal > 0 && run > goal * pass;
    printf("%-13s %7d %8.1f %8.1f %8.3f %8.3f %6.2f  %016" PRIx64 "%s\n", label, threads,
           bytes * 1e-6, bytes / pass * 1e-9, 1e3 * pass, 1e3 * run, run / pass, hash_result(p),
           slow ? "  slow" : "");
}

static void measure(const kernel *k, problem *p, int threads, const pl_span *spans, int n_span)
{
    pl_threads_set(threads);
    if (k->prepare != NULL) k->prepare(p);
    k->run(p); // every page is there before the clock runs
    double pass = 1e30, run = 1e30;
    for (int i = 0; i < REPEATS; i++) {
        flush_caches(p);
        double start = pl_seconds();
        pl_pass_over(spans, n_span);
        pass = PL_MIN(pass, pl_seconds() - start);
        if (k->prepare != NULL) k->prepare(p);
        flush_caches(p);
        start = pl_seconds();
        k->run(p);
        run = PL_MIN(run, pl_seconds() - start);
    }
    print_row(p, k->label, threads, spans, n_span, pass, run, k->goal);
}

// --- Solvers of contact, on a problem without any ---

typedef struct method {
    const char *solver;
    double n_read, n_write; // vectors that an iteration reads or writes, beside the matrix
    bool single;            // its products are of single precision if the matrix is large
} method;

// apg: b, D^-1 (as large as two); v, y, the last one and A times each, g, and v - y in single
// precision. cr: D^-1; y, p, and A times both; r, z, B p, C^-1 B p, A z, B z.
static const method methods[] = {{"apg", 3, 7.5, true}, {"cr", 2, 10, false}};
enum { METHODS = sizeof methods / sizeof *methods, MOST_VECTORS = 12 };

static pl_status time_solve(problem *p, const pl_solver *solver, int32_t n, double *seconds)
{
    const pl_problem system = {.A = &p->A, .b = p->b, .dt = 1};
    pl_solver_options options = pl_solver_options_default();
    pl_solve_stats stats;
    double none[3] = {0};
    options.residual_tolerance = 1e-15; // out of reach
    options.max_iterations = n;
    memset(p->x, 0, 3 * (size_t)p->A.n * sizeof *p->x);
    pl_status status = pl_solve(solver, &system, &options, &p->ws, p->x, none, &stats);
    *seconds = stats.seconds;
    return stats.end == PL_SOLVE_LIMIT ? PL_OK : status;
}

static pl_status measure_method(problem *p, const method *m, int threads, double *vectors)
{
    const pl_solver *solver;
    int64_t vector = (3 * (int64_t)p->A.n + 15) / 16 * 16; // half of it is whole lines of the cache
    pl_span spans[MOST_SPANS];
    double few = 1e30, many = 1e30, pass = 1e30, seconds;
    PL_TRY(pl_solver_find(m->solver, &solver));
    pl_threads_set(threads);
    int n = list_product(&p->A, vectors, vectors + vector, spans) - 2; // without its vectors
    if (m->single && p->A.nnz >= PL_SINGLE_BLOCKS) spans[0].bytes /= 2;
    int64_t n_read = (int64_t)(m->n_read * (double)vector);
    int64_t n_write = (int64_t)(m->n_write * (double)vector);
    spans[n++] = (pl_span){vectors, n_read * (int64_t)sizeof *vectors, false};
    spans[n++] = (pl_span){vectors + n_read, n_write * (int64_t)sizeof *vectors, true};
    for (int i = 0; i < SOLVES; i++) {
        PL_TRY(time_solve(p, solver, FEW, &seconds));
        few = PL_MIN(few, seconds);
        PL_TRY(time_solve(p, solver, MANY, &seconds));
        many = PL_MIN(many, seconds);
        pl_pass_over(spans, n); // one after the other, as iterations are
        double start = pl_seconds();
        for (int k = 0; k < MANY - FEW; k++) pl_pass_over(spans, n);
        pass = PL_MIN(pass, (pl_seconds() - start) / (MANY - FEW));
    }
    char label[32];
    snprintf(label, sizeof label, "%s iteration", m->solver);
    double goal = p->flush != NULL ? ITERATION_GOAL : 0, run = (many - few) / (MANY - FEW);
    print_row(p, label, threads, spans, n, pass, run, goal);
    return PL_OK;
}

static pl_status measure_methods(problem *p)
{
    double *vectors = pl_alloc_zero(MOST_VECTORS * (3 * (int64_t)p->A.n + 16), sizeof *vectors);
    pl_status status = vectors != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int i = 0; i < METHODS * MAX_THREADS && status == PL_OK; i++) {
        status = measure_method(p, &methods[i % METHODS], 1 + i / METHODS, vectors);
    }
    pl_free(vectors);
    return status;
}

static void measure_all(problem *p)
{
    const kernel product = {"product", NULL, run_product, p->flush != NULL ? PRODUCT_GOAL : 0};
    const kernel iteration = {"CG iteration", prepare_iteration, run_iteration, 0};
    printf("%d block rows, %" PRId64 " blocks of 3x3\n", p->A.n, p->A.nnz);
    printf("%-13s %7s %8s %8s %8s %8s %6s  %s\n", "", "threads", "MB", "GB/s", "plain ms", "ms",
           "ratio", "hash of the result");
    for (int threads = 1; threads <= MAX_THREADS; threads++) {
        pl_span spans[MOST_SPANS];
        measure(&product, p, threads, spans, list_product(&p->A, p->b, p->x, spans));
        measure(&iteration, p, threads, spans, list_iteration(p, spans));
    }
}

static pl_status solve(problem *p)
{
    memset(p->x, 0, 3 * (size_t)p->A.n * sizeof *p->x);
    pl_cg_options options = pl_cg_options_default();
    pl_cg_stats stats;
    double start = pl_seconds();
    PL_TRY(pl_cg_solve(&p->cg, &p->A, &p->M, p->b, NULL, &options, p->x, &stats));
    printf("CG: %d iterations, %.1f ms, residual %.2e, hash %016" PRIx64 "\n", stats.iterations,
           1e3 * (pl_seconds() - start), stats.residual, hash_result(p));
    return PL_OK;
}

pl_status pl_bench_spmv(const pl_bench_options *options)
{
    problem p;
    int threads = pl_threads();
    pl_status status = make_problem(options->quick ? QUICK_SIDE : SIDE, !options->quick, &p);
    if (status == PL_OK) measure_all(&p);
    if (status == PL_OK) status = measure_methods(&p);
    if (status == PL_OK) {
        printf("plain: reads or writes the same bytes once. The product should stay below a ratio "
               "of %.2f, an\niteration of a solver below %.2f.\n",
               PRODUCT_GOAL, ITERATION_GOAL);
    }
    if (status == PL_OK) status = solve(&p);
    free_problem(&p);
    pl_threads_set(threads);
    return status;
}
