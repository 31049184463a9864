// pliant bench gpu-fem: assembly by the first device of OpenCL beside that of the CPU's threads. In
// processor time of both, by turns, so that what else runs on the machine does not count.

#include "bench.h"
#include "../../base/hash.h"
#include "../../fem/fem.h"
#include "../../meshes/curve.h"

#include <stdio.h>

#ifdef PL_GPU

#include "../../gpu/elements.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

enum { REPEATS = 7 };

// At most this many times as long as the CPU's threads.
static const double GOAL = 3;

typedef struct problem {
    pl_fem fem;
    pl_bsr A;
    double *x, *f; // (3*n_vert)
    pl_gpu_elements elements;
    pl_gpu_buffer dx, dval, df;
} problem;

static void free_problem(pl_gpu *gpu, problem *p)
{
    pl_gpu_elements_free(gpu, &p->elements);
    pl_gpu_drop(gpu, &p->dx), pl_gpu_drop(gpu, &p->dval), pl_gpu_drop(gpu, &p->df);
    pl_fem_free(&p->fem);
    pl_bsr_free(&p->A);
    pl_free(p->x), pl_free(p->f);
}

// Bent by some percent, and a little rough.
static pl_status create_problem(pl_gpu *gpu, const pl_mesh *mesh, pl_material_kind kind, problem *p)
{
    pl_material_options material = pl_material_options_default();
    material.kind = kind;
    PL_TRY(pl_fem_create(1, &(pl_fem_source){mesh, &material}, &p->fem, &p->A));
    int64_t n = 3 * (int64_t)mesh->n_vert;
    p->x = pl_alloc(n, sizeof *p->x);
    p->f = pl_alloc(n, sizeof *p->f);
    if (p->x == NULL || p->f == NULL) return PL_ERROR_MEMORY;
    double size = 0;
    for (int64_t i = 0; i < n; i++) size = fmax(size, fabs(mesh->x[i]));
    for (int64_t i = 0; i < n; i++) {
        double along = mesh->x[i / 3 * 3 + (i + 1) % 3] / size;
        p->x[i] = mesh->x[i] * (1 + 0.05 * along) + 1e-4 * size * sin(1e3 * (double)i);
    }
    PL_TRY(pl_gpu_elements_create(gpu, &p->fem, &p->A, &p->elements));
    PL_TRY(pl_gpu_take(gpu, n, 8, &p->dx));
    PL_TRY(pl_gpu_take(gpu, n, 8, &p->df));
    PL_TRY(pl_gpu_take(gpu, 9 * p->A.nnz, 8, &p->dval));
    pl_gpu_write(gpu, &p->dx, 0, 8 * n, p->x);
    return pl_gpu_state(gpu);
}

static double processor_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static const pl_fem_weights weights = {1, 1e-3, 1e-6, 1e-3, 1};

static double by_cpu(problem *p)
{
    double start = processor_seconds();
    pl_fem_assemble(&p->fem, p->x, &weights, NULL, &p->A, p->f);
    return processor_seconds() - start;
}

static double by_device(pl_gpu *gpu, problem *p)
{
    double start = processor_seconds();
    pl_gpu_elements_assemble(gpu, &p->elements, &p->fem, &weights, &p->dx, NULL, &p->dval, &p->df);
    pl_gpu_finish(gpu);
    return processor_seconds() - start;
}

static uint64_t hash_of(const problem *p)
{
    uint64_t hash = pl_hash(PL_HASH_START, p->A.val, 72 * (size_t)p->A.nnz);
    return pl_hash(hash, p->f, 24 * (size_t)p->fem.n_vert);
}

static pl_status measure(pl_gpu *gpu, problem *p, const char *name)
{
    double cpu = INFINITY, device = INFINITY, n = p->fem.n_tet;
    by_device(gpu, p); // compiles
    for (int i = 0; i < REPEATS; i++) {
        cpu = fmin(cpu, by_cpu(p));
        device = fmin(device, by_device(gpu, p));
    }
    uint64_t expected = hash_of(p);
    memset(p->A.val, 0, 72 * (size_t)p->A.nnz);
    PL_TRY(pl_gpu_read(gpu, &p->dval, 0, 72 * p->A.nnz, p->A.val));
    PL_TRY(pl_gpu_read(gpu, &p->df, 0, 24 * (int64_t)p->fem.n_vert, p->f));
    bool same = hash_of(p) == expected;
    printf("%-17s %9.1f %9.1f %7.2f  %016" PRIx64 "%s%s\n", name, 1e9 * cpu / n, 1e9 * device / n,
           device / cpu, expected, same ? "" : "  WRONG", device / cpu <= GOAL ? "" : "  slow");
    return PL_OK;
}

static pl_status run(pl_gpu *gpu, const pl_mesh *mesh)
{
    static const struct {
        pl_material_kind kind;
        const char *name;
    } materials[] = {{PL_MATERIAL_COROTATIONAL, "co-rotational"},
                     {PL_MATERIAL_NEO_HOOKEAN, "neo-Hookean"},
                     {PL_MATERIAL_STVK, "StVK"}};
    printf("%s, %s: %d tets, ns of processor time each\n", pl_gpu_about(gpu)->name,
           pl_gpu_about(gpu)->driver, pl_mesh_tet_count(mesh));
    printf("%-17s %9s %9s %7s  %s\n", "material", "CPU", "device", "ratio", "hash of A and f");
    for (int i = 0; i < 3; i++) {
        problem p = {0};
        pl_status status = create_problem(gpu, mesh, materials[i].kind, &p);
        if (status == PL_OK) status = measure(gpu, &p, materials[i].name);
        free_problem(gpu, &p);
        PL_TRY(status);
    }
    return PL_OK;
}

pl_status pl_bench_gpu_fem(const pl_bench_options *options)
{
    pl_gpu *gpu;
    pl_mesh *mesh;
    pl_gpu_info info;
    if (!pl_gpu_has(PL_GPU_OPENCL) || pl_gpu_list(PL_GPU_OPENCL, 1, &info) == 0) {
        printf("nothing to measure: %s\n", pl_error_text());
        return PL_OK;
    }
    PL_TRY(pl_mesh_make(options->quick ? "box:cells=6" : "box:cells=30", &mesh));
    pl_status status = pl_mesh_along_curve(&mesh);
    if (status == PL_OK) status = pl_gpu_open(PL_GPU_OPENCL, 0, &gpu);
    if (status == PL_OK) {
        status = run(gpu, mesh);
        pl_gpu_close(gpu);
    }
    pl_mesh_destroy(mesh);
    return status;
}

#else

pl_status pl_bench_gpu_fem(const pl_bench_options *options)
{
    (void)options;
    printf("nothing to measure: this build of Pliant knows the CPU only\n");
    return PL_OK;
}

#endif
