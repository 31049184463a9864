#include "gpu_stages.h"

#ifdef PL_GPU

#include "cpu_time.h"
#include "../../base/hash.h"
#include "../../collision/device.h"
#include "../../fem/device.h"
#include "../../meshes/curve.h"
#include "../../meshes/mesh.h"

#include <math.h>
#include <string.h>

enum {
    CELLS = 24,
    QUICK_CELLS = 6,
    BODIES = 8, // that lie on each other
    TURNS = 5,
};

static const double GAP = 0.02; // between them, in edge lengths

// --- Measuring ---

// What a part does once, and a hash of its result.
typedef struct part {
    const char *name;
    pl_status (*run)(void *context);
    uint64_t (*hash)(const void *context);
} part;

static pl_status measure(const part *p, void *context, double *seconds)
{
    *seconds = INFINITY;
    for (int turn = 0; turn < TURNS; turn++) {
        double start = pl_cpu_seconds();
        PL_TRY(p->run(context));
        *seconds = fmin(*seconds, pl_cpu_seconds() - start);
    }
    return PL_OK;
}

static pl_gpu_counts less(const pl_gpu_counts *a, const pl_gpu_counts *b)
{
    return (pl_gpu_counts){.launches = a->launches - b->launches,
                           .waits = a->waits - b->waits,
                           .up = a->up - b->up,
                           .down = a->down - b->down,
                           .traffic = a->traffic - b->traffic,
                           .flops = a->flops - b->flops};
}

// The same part here and there; what it counts is that of one turn more.
static pl_status measure_both(pl_gpu *gpu, const part *p, void *here, void *there,
                              pl_gpu_stage *out)
{
    *out = (pl_gpu_stage){.name = p->name};
    PL_TRY(measure(p, here, &out->native));
    PL_TRY(measure(p, there, &out->kernels));
    const pl_gpu_counts before = *pl_gpu_look(gpu);
    PL_TRY(p->run(there));
    out->counts = less(pl_gpu_look(gpu), &before);
    out->same = p->hash(here) == p->hash(there);
    return PL_OK;
}

// --- Elements ---

typedef struct elements {
    pl_fem fem;
    pl_bsr A;
    double *x, *f;
} elements;

static const pl_fem_weights weights = {1, 1e-3, 1e-6, 1e-3, 1};

static pl_status assemble(void *context)
{
    elements *e = context;
    pl_fem_assemble(&e->fem, e->x, &weights, NULL, &e->A, e->f);
    return PL_OK;
}

static pl_status find_forces(void *context)
{
    elements *e = context;
    pl_fem_forces(&e->fem, e->x, e->f);
    return PL_OK;
}

static uint64_t hash_forces(const void *context)
{
    const elements *e = context;
    return pl_hash(PL_HASH_START, e->f, 24 * (size_t)e->fem.n_vert);
}

static uint64_t hash_assembled(const void *context)
{
    const elements *e = context;
    return pl_hash(hash_forces(e), e->A.val, 72 * (size_t)e->A.nnz);
}

// Bent a little.
static pl_status create_elements(const pl_mesh *mesh, elements *e)
{
    const pl_material_options material = pl_material_options_default();
    PL_TRY(pl_fem_create(1, &(pl_fem_source){mesh, &material}, &e->fem, &e->A));
    int64_t n = 3 * (int64_t)mesh->n_vert;
    e->x = pl_alloc(n, sizeof *e->x);
    e->f = pl_alloc(n, sizeof *e->f);
    if (e->x == NULL || e->f == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) e->x[i] = 1.01 * mesh->x[i] + 1e-3 * sin((double)i);
    return PL_OK;
}

static void free_elements(elements *e)
{
    pl_fem_free(&e->fem);
    pl_bsr_free(&e->A);
    pl_free(e->x), pl_free(e->f);
}

static pl_status measure_elements(pl_device *device, bool quick, pl_gpu_stage out[2])
{
    static const part assembly = {"assembly", assemble, hash_assembled};
    static const part forces = {"forces", find_forces, hash_forces};
    elements e[2] = {{.x = NULL}, {.x = NULL}};
    pl_gpu *gpu = pl_gpu_of(device);
    pl_mesh *mesh;
    PL_TRY(pl_mesh_make(quick ? "box:cells=6" : "box:cells=24", &mesh));
    pl_status status = pl_mesh_along_curve(&mesh);
    for (int i = 0; i < 2 && status == PL_OK; i++) status = create_elements(mesh, &e[i]);
    if (status == PL_OK) status = pl_fem_use(&e[1].fem, device, &e[1].A);
    if (status == PL_OK) status = measure_both(gpu, &assembly, &e[0], &e[1], out);
    if (status == PL_OK) status = measure_both(gpu, &forces, &e[0], &e[1], out + 1);
    for (int i = 0; i < 2; i++) free_elements(&e[i]);
    pl_mesh_destroy(mesh);
    return status;
}

// --- Surfaces ---

typedef struct heap {
    pl_surfaces *surfaces;
    const double *x0, *x1;
    double margin;
    pl_candidates found;
    int64_t n_pair;
    pl_tested_pair *pair; // (n_pair)
    uint8_t *hit;
} heap;

static pl_status search(void *context)
{
    heap *h = context;
    return pl_surfaces_search(h->surfaces, h->x0, h->x1, h->margin, &h->found);
}

static uint64_t hash_found(const void *context)
{
    const pl_candidates *c = &((const heap *)context)->found;
    uint64_t hash = pl_hash(PL_HASH_START, c->vertex_face, 8 * (size_t)c->n_vertex_face);
    return pl_hash(hash, c->edge_edge, 8 * (size_t)c->n_edge_edge);
}

static pl_status test(void *context)
{
    heap *h = context;
    pl_surfaces_test(h->surfaces, h->x0, h->x1, h->n_pair, h->pair, h->hit);
    return PL_OK;
}

static uint64_t hash_hits(const void *context)
{
    const heap *h = context;
    return pl_hash(PL_HASH_START, h->hit, (size_t)h->n_pair);
}

// All pairs that the search finds, of vertices and faces.
static pl_status list_pairs(heap *h, const int32_t *face)
{
    PL_TRY(search(h));
    const pl_candidates c = h->found;
    h->n_pair = c.n_vertex_face;
    h->pair = pl_alloc(h->n_pair, sizeof *h->pair);
    h->hit = pl_alloc(h->n_pair, sizeof *h->hit);
    if (h->pair == NULL || h->hit == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < h->n_pair; i++) {
        const int32_t *f = face + 3 * (int64_t)c.vertex_face[2 * i + 1];
        h->pair[i] = (pl_tested_pair){.kind = PL_VERTEX_FACE,
                                      .vertex = {c.vertex_face[2 * i], f[0], f[1], f[2]},
                                      .separation = 0.1 * h->margin};
    }
    return PL_OK;
}

// Copies of a surface above each other, that move a little.
typedef struct copies {
    pl_collider collider[BODIES];
    int32_t *face;
    double *x0, *x1;
    int32_t n_vert;
} copies;

static pl_status copy_surface(const pl_mesh *surface, double length, copies *out)
{
    int64_t n_vert = surface->n_vert, n_face = surface->n_face;
    out->n_vert = BODIES * surface->n_vert;
    out->face = pl_alloc(3 * BODIES * n_face, sizeof *out->face);
    out->x0 = pl_alloc(3 * BODIES * n_vert, sizeof *out->x0);
    out->x1 = pl_alloc(3 * BODIES * n_vert, sizeof *out->x1);
    if (out->face == NULL || out->x0 == NULL || out->x1 == NULL) return PL_ERROR_MEMORY;
    double low = INFINITY, high = -INFINITY;
    for (int64_t v = 0; v < n_vert; v++) {
        low = fmin(low, surface->x[3 * v + 2]);
        high = fmax(high, surface->x[3 * v + 2]);
    }
    for (int64_t b = 0; b < BODIES; b++) {
        int32_t *face = out->face + 3 * b * n_face;
        double *x0 = out->x0 + 3 * b * n_vert, *x1 = out->x1 + 3 * b * n_vert;
        for (int64_t i = 0; i < 3 * n_face; i++) {
            face[i] = surface->face[i] + (int32_t)(b * n_vert);
        }
        for (int64_t i = 0; i < 3 * n_vert; i++) {
            double up = i % 3 == 2 ? (high - low + GAP * length) * (double)b : 0;
            x0[i] = surface->x[i] + up + 0.1 * GAP * length * sin((double)i);
            x1[i] = x0[i] + 0.3 * GAP * length * cos((double)(i + b));
        }
        out->collider[b] = pl_collider_default();
        out->collider[b].face = face;
        out->collider[b].n_face = (int32_t)n_face;
    }
    return PL_OK;
}

static pl_status measure_heap(pl_device *device, const copies *c, double length,
                              pl_gpu_stage out[2])
{
    static const part of_search = {"search", search, hash_found};
    static const part of_test = {"continuous test", test, hash_hits};
    heap heaps[2] = {{.surfaces = NULL}, {.surfaces = NULL}};
    pl_gpu *gpu = pl_gpu_of(device);
    pl_status status = PL_OK;
    for (int i = 0; i < 2 && status == PL_OK; i++) {
        heap *h = &heaps[i];
        *h = (heap){.x0 = c->x0, .x1 = c->x1, .margin = GAP * length};
        status = pl_surfaces_create(c->n_vert, c->x0, BODIES, c->collider, &h->surfaces);
        if (status == PL_OK) status = list_pairs(h, c->face);
    }
    if (status == PL_OK) status = pl_surfaces_use(heaps[1].surfaces, device);
    if (status == PL_OK) status = measure_both(gpu, &of_search, &heaps[0], &heaps[1], out);
    if (status == PL_OK) status = measure_both(gpu, &of_test, &heaps[0], &heaps[1], out + 1);
    for (int i = 0; i < 2; i++) {
        pl_surfaces_destroy(heaps[i].surfaces);
        pl_free(heaps[i].pair), pl_free(heaps[i].hit);
    }
    return status;
}

static pl_status measure_surfaces(pl_device *device, bool quick, pl_gpu_stage out[2])
{
    copies c = {.n_vert = 0};
    pl_mesh *mesh, *surface = NULL;
    PL_TRY(pl_mesh_make(quick ? "box:cells=6" : "box:cells=24", &mesh));
    double length = 1.0 / (quick ? QUICK_CELLS : CELLS);
    pl_status status = pl_mesh_surface(mesh, NULL, &surface);
    if (status == PL_OK) status = copy_surface(surface, length, &c);
    if (status == PL_OK) status = measure_heap(device, &c, length, out);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);
    pl_free(c.face), pl_free(c.x0), pl_free(c.x1);
    return status;
}

const char *pl_gpu_stages_size(bool quick)
{
    return quick ? "1,296 tets; 8 boxes of 432 faces" : "82,944 tets; 8 boxes of 6,912 faces";
}

pl_status pl_gpu_stages_measure(pl_device *device, bool quick, pl_gpu_stage out[PL_GPU_STAGES])
{
    PL_TRY(measure_elements(device, quick, out));
    return measure_surfaces(device, quick, out + 2);
}

#endif
