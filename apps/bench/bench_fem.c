// pliant bench fem: force and stiffness assembly, against a plain pass over the bytes it must
// touch.

#include "bench.h"
#include "bench_pass.h"
#include "../../base/hash.h"
#include "../../fem/fem.h"
#include "../../meshes/curve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { REPEATS = 9, MAX_THREADS = 2 };

typedef struct goal {
    pl_material_kind kind;
    const char *name;
    double ratio; // at most this many times the plain pass
} goal;

static const goal goals[] = {
    {PL_MATERIAL_COROTATIONAL, "co-rotational", 6},
    {PL_MATERIAL_NEO_HOOKEAN, "neo-Hookean", 15},
    {PL_MATERIAL_FIXED_COROTATED, "fixed co-rotated", INFINITY},
    {PL_MATERIAL_STVK, "StVK", INFINITY},
    {PL_MATERIAL_MOONEY_RIVLIN, "Mooney-Rivlin", INFINITY},
    {PL_MATERIAL_STABLE_NEO_HOOKEAN, "stable neo-Hookean", INFINITY},
    {PL_MATERIAL_OGDEN, "Ogden", INFINITY},
};

typedef struct problem {
    pl_fem fem;
    pl_bsr A;
    double *x, *f; // (3*n_vert)
} problem;

static void free_problem(problem *p)
{
    pl_fem_free(&p->fem);
    pl_bsr_free(&p->A);
    pl_free(p->x);
    pl_free(p->f);
}

// The mesh, bent and stretched by some percent and a little rough, so that no element is at rest.
static void deform(const pl_mesh *mesh, double *x)
{
    double lo[3], hi[3], size = 0;
    pl_mesh_bounds(mesh, lo, hi);
    for (int k = 0; k < 3; k++) size = fmax(size, hi[k] - lo[k]);
    for (int64_t i = 0; i < mesh->n_vert; i++) {
        const double *p = mesh->x + 3 * i;
        double angle = 0.5 * (p[2] - lo[2]) / size, rough = 1e-4 * size * sin(1e3 * (double)i);
        x[3 * i] = cos(angle) * p[0] - sin(angle) * p[1] + rough;
        x[3 * i + 1] = sin(angle) * p[0] + cos(angle) * p[1];
        x[3 * i + 2] = 1.05 * p[2];
    }
}

static pl_status make_problem(const pl_mesh *mesh, pl_material_kind kind, problem *p)
{
    *p = (problem){0};
    pl_material_options material = pl_material_options_default();
    material.kind = kind;
    const pl_fem_source source = {mesh, &material};
    pl_status status = pl_fem_create(1, &source, &p->fem, &p->A);
    p->x = pl_alloc(3 * (int64_t)mesh->n_vert, sizeof *p->x);
    p->f = pl_alloc(3 * (int64_t)mesh->n_vert, sizeof *p->f);
    if (status == PL_OK && (p->x == NULL || p->f == NULL)) status = PL_ERROR_MEMORY;
    if (status == PL_OK) deform(mesh, p->x);
    if (status != PL_OK) free_problem(p);
    return status;
}

// Reads the elements and the edges of their patches, reads and writes A.
static double plain_pass(const problem *p)
{
    const pl_span spans[] = {
        {p->fem.batch, (int64_t)p->fem.n_batch * (int64_t)sizeof *p->fem.batch, false},
        {p->fem.edge, (int64_t)p->fem.n_edge * (int64_t)sizeof *p->fem.edge, false},
        {p->A.val, 9 * p->A.nnz * (int64_t)sizeof *p->A.val, true},
    };
    double start = pl_seconds();
    pl_pass_over(spans, sizeof spans / sizeof *spans);
    return pl_seconds() - start;
}

static double assemble(problem *p, double *energy)
{
    const pl_fem_weights weights = {1, 1e-3, 1e-6, 1e-3, 1};
    double start = pl_seconds();
    *energy = pl_fem_assemble(&p->fem, p->x, &weights, NULL, &p->A, p->f);
    return pl_seconds() - start;
}

static uint64_t hash_result(const problem *p)
{
    uint64_t hash = pl_hash(PL_HASH_START, p->A.val, 9 * (size_t)p->A.nnz * sizeof(double));
    return pl_hash(hash, p->f, 3 * (size_t)p->fem.n_vert * sizeof(double));
}

static void measure(problem *p, const goal *g)
{
    double first = 0;
    for (int threads = 1; threads <= MAX_THREADS; threads++) {
        pl_threads_set(threads);
        double plain = INFINITY, best = INFINITY, energy = 0;
        for (int i = 0; i < REPEATS; i++) {
            plain = fmin(plain, plain_pass(p));
            best = fmin(best, assemble(p, &energy));
        }
        if (threads == 1) first = best;
        double n = p->fem.n_tet, ratio = best / plain;
        printf("%-17s %7d %9.1f %9.2f %7.2f %8.2f  %016" PRIx64 "%s\n", g->name, threads,
               1e9 * best / n, 1e-6 * n / best, ratio, first / best, hash_result(p),
               ratio <= g->ratio ? "" : "  slow");
    }
    pl_threads_set(0);
}

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

// The armadillo of `make meshes` if it is there, else a box of about as many tets.
static pl_status load(bool quick, pl_mesh **mesh)
{
    if (quick) return pl_mesh_make("box:cells=8", mesh);
    if (pl_mesh_read("build/meshes/armadillo.msh", mesh) == PL_OK) return PL_OK;
    return pl_mesh_make("box:cells=40", mesh);
}

pl_status pl_bench_fem(const pl_bench_options *options)
{
    pl_mesh *mesh;
    PL_TRY(load(options->quick, &mesh));
    pl_status status = pl_mesh_along_curve(&mesh);
    printf("%d vertices, %d tets; plain: reads the elements and edges, reads and writes A\n",
           pl_mesh_vertex_count(mesh), pl_mesh_tet_count(mesh));
    printf("%-17s %7s %9s %9s %7s %8s  %s\n", "material", "threads", "ns/tet", "Mtet/s", "ratio",
           "speed-up", "hash of A and f");
    int n = (int)(sizeof goals / sizeof goals[0]);
    for (int i = 0; i < n && status == PL_OK; i++) {
        problem p;
        status = make_problem(mesh, goals[i].kind, &p);
        if (status != PL_OK) break;
        measure(&p, &goals[i]);
        free_problem(&p);
    }
    if (status == PL_OK) {
        printf("peak memory: %.0f bytes per tet\n", peak_bytes() / pl_mesh_tet_count(mesh));
    }
    pl_mesh_destroy(mesh);
    return status;
}
