// pliant bench gpu-model: what the parts of a step launch on a device, what that moves and
// computes, the bounds which that sets on cards of known bandwidth, and the time that the same
// takes on the CPU, natively and by the kernels. No card is measured here.

#include "bench.h"

#ifdef PL_GPU

#include "cpu_time.h"
#include "gpu_stages.h"
#include "../../base/team.h"
#include "../../gpu/apg.h"

#include <stdio.h>
#include <string.h>

enum {
    SIDE = 45, // vertices along an edge of the cube
    QUICK_SIDE = 10,
    FEW = 8,
    MANY = 40,
    TURNS = 5,
    PRODUCTS = 10, // in a turn
};

// What the makers say: NVIDIA's data sheets of the A100 80GB SXM (2022) and H100 SXM (2023), the
// GeForce pages of the RTX 3060 and 4090, whose rate of double precision is 1/64 of single (Ampere
// and Ada whitepapers); what passes the bus in one direction is that of PCI Express 4.0 or 5.0 x16
// (PCI-SIG), which these name.
typedef struct card {
    const char *name;
    double bandwidth, doubles, bus; // [bytes/s], [operations/s], [bytes/s]
} card;

static const card cards[] = {{"GeForce RTX 3060", 360e9, 12.7e12 / 64, 31.5e9},
                             {"GeForce RTX 4090", 1008e9, 82.6e12 / 64, 31.5e9},
                             {"A100 80GB SXM", 2039e9, 9.7e12, 31.5e9},
                             {"H100 SXM", 3350e9, 34e12, 63e9}};

typedef struct model {
    pl_bsr A;
    double *b, *v, *f;
    pl_problem problem;
    pl_workspace ws;
    pl_device *device;
    pl_gpu *gpu; // of the device
    pl_gpu_system system;
    pl_gpu_apg apg;
} model;

// --- The problem: a cube of springs that lies on the ground ---

static pl_status make_matrix(int32_t side, pl_bsr *A)
{
    int32_t n = side * side * side;
    int32_t *edge = pl_alloc(2 * 7 * (int64_t)n, sizeof *edge);
    if (edge == NULL) return PL_ERROR_MEMORY;
    int64_t n_edge = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t to = 1; to < 8; to++) {
            int32_t x = i % side + to % 2, y = i / side % side + to / 2 % 2;
            int32_t z = i / (side * side) + to / 4;
            if (x == side || y == side || z == side) continue;
            edge[2 * n_edge] = i;
            edge[2 * n_edge++ + 1] = x + side * (y + side * z);
        }
    }
    pl_status status = pl_bsr_create(n, n_edge, edge, A);
    pl_free(edge);
    for (int32_t i = 0; i < n && status == PL_OK; i++) {
        double *diagonal = A->val + 9 * A->diag[i];
        for (int c = 0; c < 3; c++) diagonal[4 * c] = 0.1;
        for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
            if (k == A->diag[i]) continue;
            for (int e = 0; e < 9; e++) {
                double K = (e % 4 == 0) + 0.1;
                A->val[9 * k + e] = -K;
                diagonal[e] += K;
            }
        }
    }
    return status;
}

static pl_status make(int32_t side, model *m)
{
    PL_TRY(make_matrix(side, &m->A));
    int32_t n = m->A.n;
    m->problem = (pl_problem){.A = &m->A, .dt = 0.01};
    for (int32_t i = 0; i < side * side; i++) {
        pl_constraint contact = {.R = {0, 0, 1, 1, 0, 0, 0, 1, 0}, .mu = 0.5};
        pl_term term = {.block = i, .w = 1};
        PL_TRY(pl_problem_add(&m->problem, &contact, 1, &term));
    }
    m->b = pl_alloc(3 * (int64_t)n, sizeof *m->b);
    m->v = pl_alloc(3 * (int64_t)n, sizeof *m->v);
    m->f = pl_alloc(3 * (int64_t)m->problem.n_constraint, sizeof *m->f);
    if (m->b == NULL || m->v == NULL || m->f == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < 3 * n; i++) m->b[i] = (i * 31 % 101) * 0.01 - 0.5 - (i % 3 == 2);
    m->problem.b = m->b;
    pl_gpu_info info;
    bool opencl = pl_gpu_has(PL_GPU_OPENCL) && pl_gpu_list(PL_GPU_OPENCL, 1, &info) > 0;
    PL_TRY(pl_gpu_device_open(opencl ? PL_GPU_OPENCL : PL_GPU_ORACLE, 0, &m->device));
    m->gpu = pl_gpu_of(m->device);
    m->system.gpu = m->gpu;
    return PL_OK;
}

static void free_model(model *m)
{
    if (m->gpu != NULL) {
        pl_gpu_apg_free(&m->apg, m->gpu);
        pl_gpu_system_free(&m->system);
        pl_gpu_device_close(m->device);
    }
    pl_problem_free(&m->problem);
    pl_workspace_free(&m->ws);
    pl_bsr_free(&m->A);
    pl_free(m->b), pl_free(m->v), pl_free(m->f);
}

// --- Iterations ---

// n iterations from rest, on the device or by the library itself; *seconds of processors.
static pl_status iterate(model *m, bool device, int32_t n, double *seconds)
{
    pl_solver_options options = pl_solver_options_default();
    pl_solve_stats stats = {0};
    options.residual_tolerance = 1e-30; // out of reach
    options.max_iterations = n;
    memset(m->v, 0, 3 * (size_t)m->A.n * sizeof *m->v);
    memset(m->f, 0, 3 * (size_t)m->problem.n_constraint * sizeof *m->f);
    pl_arena_reset(&m->ws.arena);
    PL_TRY(pl_workspace_prepare(&m->problem, &m->ws, m->v));
    m->ws.curvature = 2;
    double start = pl_cpu_seconds();
    if (device) {
        PL_TRY(pl_gpu_apg_solve(&m->apg, &m->system, &m->problem, &options, &m->ws, n, m->v, m->f,
                                &stats));
    } else {
        PL_TRY(pl_apg_solve(&m->problem, &options, &m->ws, m->v, m->f, &stats));
    }
    *seconds = pl_cpu_seconds() - start;
    return PL_OK;
}

static pl_status measure_iteration(model *m, bool device, double *seconds)
{
    double few = 1e30, many = 1e30, now;
    for (int i = 0; i < TURNS; i++) {
        PL_TRY(iterate(m, device, FEW, &now));
        few = PL_MIN(few, now);
        PL_TRY(iterate(m, device, MANY, &now));
        many = PL_MIN(many, now);
    }
    *seconds = (many - few) / (MANY - FEW);
    return PL_OK;
}

// What an iteration launches.
static pl_status count_iteration(model *m, pl_gpu_counts *out)
{
    pl_gpu_counts at[3];
    double seconds;
    for (int i = 0; i < 3; i++) {
        at[i] = *pl_gpu_look(m->gpu);
        if (i < 2) PL_TRY(iterate(m, true, i == 0 ? FEW : MANY, &seconds));
    }
    double n = MANY - FEW;
    *out = (pl_gpu_counts){0};
    out->launches = (at[2].launches - at[1].launches) - (at[1].launches - at[0].launches);
    out->launches = (int64_t)((double)out->launches / n + 0.5);
    out->traffic = ((at[2].traffic - at[1].traffic) - (at[1].traffic - at[0].traffic)) / n;
    out->up = (int64_t)((double)((at[2].up - at[1].up) - (at[1].up - at[0].up)) / n);
    out->down = (int64_t)((double)((at[2].down - at[1].down) - (at[1].down - at[0].down)) / n);
    out->flops = ((at[2].flops - at[1].flops) - (at[1].flops - at[0].flops)) / n;
    return PL_OK;
}

// --- Products ---

// A x by turns, natively and on the device.
static pl_status measure_product(model *m, pl_gpu_stage *out)
{
    pl_gpu_buffer x = {0}, y = {0};
    int64_t n = 3 * (int64_t)m->A.n;
    out->native = out->kernels = 1e30;
    pl_gpu_counts before = {0};
    pl_status status = pl_gpu_take(m->gpu, n, 8, &x);
    if (status == PL_OK) status = pl_gpu_take(m->gpu, n, 8, &y);
    if (status == PL_OK) pl_gpu_write(m->gpu, &x, 0, 8 * n, m->b);
    for (int turn = 0; turn < TURNS && status == PL_OK; turn++) {
        double start = pl_cpu_seconds();
        for (int i = 0; i < PRODUCTS; i++) pl_bsr_multiply(&m->A, m->b, m->v);
        double middle = pl_cpu_seconds();
        before = *pl_gpu_look(m->gpu);
        for (int i = 0; i < PRODUCTS; i++) pl_gpu_multiply(&m->system, &x, NULL, &y);
        status = pl_gpu_finish(m->gpu);
        double end = pl_cpu_seconds();
        out->native = PL_MIN(out->native, (middle - start) / PRODUCTS);
        out->kernels = PL_MIN(out->kernels, (end - middle) / PRODUCTS);
    }
    const pl_gpu_counts *now = pl_gpu_look(m->gpu);
    out->counts.launches = (now->launches - before.launches) / PRODUCTS;
    out->counts.traffic = (now->traffic - before.traffic) / PRODUCTS;
    out->counts.flops = (now->flops - before.flops) / PRODUCTS;
    pl_gpu_drop(m->gpu, &x);
    pl_gpu_drop(m->gpu, &y);
    return status;
}

// --- The report ---

enum { PARTS = PL_GPU_STAGES + 2 };

static void print_part(const pl_gpu_stage *part)
{
    const pl_gpu_counts *c = &part->counts;
    printf("%-26s %6lld %8.2f %8.2f %8.2f %8.2f %9.2f %9.2f %6.2f%s\n", part->name,
           (long long)c->launches, 1e-6 * (double)c->up, 1e-6 * (double)c->down, 1e-6 * c->traffic,
           1e-6 * c->flops, 1e3 * part->native, 1e3 * part->kernels, part->kernels / part->native,
           part->same ? "" : "  WRONG");
}

static void print_cards(const pl_gpu_stage *part)
{
    printf("\n%-26s", "at least, in ms");
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) printf(" %16s", cards[i].name);
    printf(" %9s\n", "CPU");
    for (int p = 0; p < PARTS; p++) {
        const pl_gpu_counts *c = &part[p].counts;
        printf("%-26s", part[p].name);
        for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
            double bytes = c->traffic / cards[i].bandwidth, of = c->flops / cards[i].doubles;
            printf(" %7.3f +%7.3f", 1e3 * PL_MAX(bytes, of),
                   1e3 * (double)(c->up + c->down) / cards[i].bus);
        }
        printf(" %9.2f\n", 1e3 * part[p].native);
    }
    printf(
        "The first number is the larger of bytes by bandwidth and operations by their rate, all\n"
        "taken as double precision, which those of products are not; the second is the bus. By\n"
        "the makers' figures: nobody ran it. Launches take some microseconds each besides, and\n"
        "trees are counted once through, however often they are walked. The CPU is measured,\n"
        "in time of one processor.\n");
}

static pl_status run(model *m, bool quick)
{
    pl_gpu_stage part[PARTS] = {{.name = "iteration of apg", .same = true},
                                {.name = "product, double precision", .same = true}};
    PL_TRY(count_iteration(m, &part[0].counts));
    PL_TRY(measure_iteration(m, false, &part[0].native));
    PL_TRY(measure_iteration(m, true, &part[0].kernels));
    PL_TRY(measure_product(m, &part[1]));
    PL_TRY(pl_gpu_stages_measure(m->device, quick, part + 2));
    printf("%d block rows, %lld blocks of 3x3, %d contacts; %s; kernels on %s\n\n", m->A.n,
           (long long)m->A.nnz, m->problem.n_constraint, pl_gpu_stages_size(quick),
           pl_gpu_about(m->gpu)->name);
    printf("%-26s %6s %8s %8s %8s %8s %9s %9s %6s\n", "", "launch", "MB up", "MB down", "MB",
           "Mflop", "ms CPU", "kernels", "ratio");
    for (int p = 0; p < PARTS; p++) print_part(&part[p]);
    print_cards(part);
    return PL_OK;
}

pl_status pl_bench_gpu_model(const pl_bench_options *options)
{
    model m = {.A = {0}};
    pl_status status = make(options->quick ? QUICK_SIDE : SIDE, &m);
    if (status == PL_OK) status = run(&m, options->quick);
    free_model(&m);
    return status;
}

#else

pl_status pl_bench_gpu_model(const pl_bench_options *options)
{
    (void)options;
    return pl_fail(PL_ERROR_UNSUPPORTED, "this build of Pliant knows the CPU only");
}

#endif
