#include "elements.h"

#include <string.h>

enum { BATCH = PL_FEM_LANES, WORDS = sizeof(pl_material) / sizeof(double) };

static_assert(sizeof(pl_material) % sizeof(double) == 0, "materials travel as doubles");

// --- Lists ---

// Items of n places, each in the order in which they are added: counted, then put.
typedef struct lists {
    int32_t n;
    int32_t *start; // (n + 1)
    int32_t *item;  // (start[n])
} lists;

static void free_lists(lists *l)
{
    pl_free(l->start);
    pl_free(l->item);
    *l = (lists){0};
}

// Calls visit(context, place, item) for every item, in order.
typedef void put_fn(lists *l, int32_t place, int32_t item);
typedef void visit_fn(const pl_fem *fem, lists *l, put_fn *put);

static void count_item(lists *l, int32_t place, int32_t item)
{
    (void)item;
    l->start[place + 1]++;
}

static void put_item(lists *l, int32_t place, int32_t item)
{
    l->item[l->start[place]++] = item;
}

static pl_status make_lists(const pl_fem *fem, int64_t n, visit_fn *visit, lists *out)
{
    *out = (lists){.n = (int32_t)n, .start = pl_alloc_zero(n + 1, sizeof *out->start)};
    if (out->start == NULL) return PL_ERROR_MEMORY;
    visit(fem, out, count_item);
    for (int64_t i = 0; i < n; i++) out->start[i + 1] += out->start[i];
    out->item = pl_alloc(out->start[n], sizeof *out->item);
    if (out->item == NULL) {
        free_lists(out);
        return PL_ERROR_MEMORY;
    }
    visit(fem, out, put_item);
    memmove(out->start + 1, out->start, (size_t)n * sizeof *out->start);
    out->start[0] = 0;
    return PL_OK;
}

// The orders below are those of fem/assemble.c: add_blocks, add_forces, write_stiffness, and the
// seams.

static void visit_blocks(const pl_fem *fem, lists *l, put_fn *put)
{
    for (int32_t p = 0; p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        for (int32_t b = patch->batch; b < patch->batch + patch->n_batch; b++) {
            const pl_fem_batch *batch = &fem->batch[b];
            for (int32_t k = 0; k < 6 * BATCH; k++) {
                int32_t e = k / BATCH, lane = k % BATCH;
                if (batch->tet[lane] < 0) continue;
                put(l, patch->edge + batch->edge[e][lane], 6 * (BATCH * b + lane) + e);
            }
        }
    }
}

static void visit_corners(const pl_fem *fem, lists *l, put_fn *put)
{
    for (int32_t p = 0; p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        for (int32_t b = patch->batch; b < patch->batch + patch->n_batch; b++) {
            const pl_fem_batch *batch = &fem->batch[b];
            for (int32_t k = 0; k < 4 * BATCH; k++) {
                int32_t a = k / BATCH, lane = k % BATCH;
                if (batch->tet[lane] < 0) continue;
                put(l, patch->vert + batch->corner[a][lane], 4 * (BATCH * b + lane) + a);
            }
        }
    }
}

static void visit_around(const pl_fem *fem, lists *l, put_fn *put)
{
    for (int32_t p = 0; p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        for (int32_t e = patch->edge; e < patch->edge + patch->n_edge; e++) {
            for (int32_t k = 0; k < 2; k++) put(l, patch->vert + fem->edge[e].end[k], e);
        }
    }
}

static void visit_verts(const pl_fem *fem, lists *l, put_fn *put)
{
    for (int32_t p = 0; p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        for (int32_t v = patch->vert; v < patch->vert + patch->n_vert; v++) {
            put(l, fem->vert[v], v);
        }
    }
}

// Edges that several patches have are told by their blocks of A; fem has them in seam_edges.
typedef struct seam_edges {
    int32_t n;
    int32_t *start, *part, *slot, *mirror;
} seam_edges;

static void free_seams(seam_edges *u)
{
    pl_free(u->start);
    pl_free(u->part);
    pl_free(u->slot);
    pl_free(u->mirror);
    *u = (seam_edges){0};
}

// The edge of a patch whose part of a seam has this number.
static void number_parts(const pl_fem *fem, int32_t *edge_of_part)
{
    for (int32_t p = 0; p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        for (int32_t e = patch->n_inner_edge; e < patch->n_edge; e++) {
            edge_of_part[patch->edge_part + e - patch->n_inner_edge] = patch->edge + e;
        }
    }
}

static void fill_seams(const pl_fem *fem, const int32_t *edge_of_part, seam_edges *u)
{
    const pl_fem_seam *seam = &fem->seam_edges;
    int32_t at = 0;
    u->start[0] = 0;
    for (int32_t i = 0; i < seam->n; i++) {
        for (int32_t k = seam->start[i]; k < seam->start[i + 1]; k++) {
            u->part[at++] = edge_of_part[seam->part[k]];
        }
        u->slot[i] = fem->edge[seam->item[i]].slot;
        u->mirror[i] = fem->edge[seam->item[i]].mirror;
        u->start[i + 1] = at;
    }
    u->n = seam->n;
}

static pl_status make_seams(const pl_fem *fem, seam_edges *u)
{
    int32_t *edge_of_part = pl_alloc(fem->seam_edges.n_part, sizeof *edge_of_part);
    *u = (seam_edges){.start = pl_alloc((int64_t)fem->n_edge + 1, sizeof *u->start),
                      .part = pl_alloc(fem->n_edge, sizeof *u->part),
                      .slot = pl_alloc(fem->n_edge, sizeof *u->slot),
                      .mirror = pl_alloc(fem->n_edge, sizeof *u->mirror)};
    bool ok = edge_of_part != NULL && u->start != NULL && u->part != NULL && u->slot != NULL &&
              u->mirror != NULL;
    if (ok) {
        number_parts(fem, edge_of_part);
        fill_seams(fem, edge_of_part, u);
    } else {
        free_seams(u);
    }
    pl_free(edge_of_part);
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// --- What stays on the device ---

// A new buffer with `count` elements of data.
static pl_status send(pl_gpu *gpu, int64_t count, size_t size, const void *data, pl_gpu_buffer *out)
{
    PL_TRY(pl_gpu_take(gpu, count, size, out));
    pl_gpu_write(gpu, out, 0, count * (int64_t)size, data);
    return PL_OK;
}

static pl_status put_lists(pl_gpu *gpu, const pl_fem *fem, int64_t n, visit_fn *visit,
                           pl_gpu_buffer *start, pl_gpu_buffer *item)
{
    lists l;
    PL_TRY(make_lists(fem, n, visit, &l));
    pl_status status = send(gpu, n + 1, sizeof *l.start, l.start, start);
    if (status == PL_OK) status = send(gpu, l.start[n], sizeof *l.item, l.item, item);
    free_lists(&l);
    return status;
}

static pl_status put_seams(pl_gpu *gpu, const pl_fem *fem, pl_gpu_elements *e)
{
    seam_edges u;
    PL_TRY(make_seams(fem, &u));
    e->n_seam = u.n;
    pl_status status = send(gpu, (int64_t)u.n + 1, 4, u.start, &e->seam_start);
    if (status == PL_OK) status = send(gpu, u.start[u.n], 4, u.part, &e->seam_part);
    if (status == PL_OK) status = send(gpu, u.n, 4, u.slot, &e->seam_slot);
    if (status == PL_OK) status = send(gpu, u.n, 4, u.mirror, &e->seam_mirror);
    free_seams(&u);
    return status;
}

// A's blocks of the edges of patches, -1 for those on seams.
static pl_status put_slots(pl_gpu *gpu, const pl_fem *fem, pl_gpu_elements *e)
{
    int32_t *slot = pl_alloc(fem->n_edge, sizeof *slot);
    int32_t *mirror = pl_alloc(fem->n_edge, sizeof *mirror);
    pl_status status = slot != NULL && mirror != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int32_t p = 0; status == PL_OK && p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        for (int32_t i = 0; i < patch->n_edge; i++) {
            const pl_fem_edge *edge = &fem->edge[patch->edge + i];
            bool inner = i < patch->n_inner_edge;
            e->n_inner += inner;
            slot[patch->edge + i] = inner ? edge->slot : -1;
            mirror[patch->edge + i] = inner ? edge->mirror : -1;
        }
    }
    if (status == PL_OK) status = send(gpu, fem->n_edge, 4, slot, &e->slot);
    if (status == PL_OK) status = send(gpu, fem->n_edge, 4, mirror, &e->mirror);
    pl_free(slot);
    pl_free(mirror);
    return status;
}

// The batches, field by field.
typedef struct batches {
    double *shape, *volume;
    int32_t *corner, *tet, *body;
} batches;

static void fill_batches(const pl_fem *fem, batches *all)
{
    for (int32_t p = 0; p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        const int32_t *vert = fem->vert + patch->vert;
        for (int64_t b = patch->batch; b < patch->batch + patch->n_batch; b++) {
            const pl_fem_batch *batch = &fem->batch[b];
            memcpy(all->shape + 9 * BATCH * b, batch->shape, sizeof batch->shape);
            memcpy(all->volume + BATCH * b, batch->volume, sizeof batch->volume);
            memcpy(all->tet + BATCH * b, batch->tet, sizeof batch->tet);
            for (int32_t k = 0; k < 4 * BATCH; k++) {
                all->corner[4 * BATCH * b + k] = vert[batch->corner[k / BATCH][k % BATCH]];
            }
            all->body[b] = patch->body;
        }
    }
}

static pl_status put_batches(pl_gpu *gpu, const pl_fem *fem, pl_gpu_elements *e)
{
    int64_t n = fem->n_batch;
    batches all = {.shape = pl_alloc(9 * BATCH * n, sizeof *all.shape),
                   .volume = pl_alloc(BATCH * n, sizeof *all.volume),
                   .corner = pl_alloc(4 * BATCH * n, sizeof *all.corner),
                   .tet = pl_alloc(BATCH * n, sizeof *all.tet),
                   .body = pl_alloc(n, sizeof *all.body)};
    bool ok = all.shape != NULL && all.volume != NULL && all.corner != NULL && all.tet != NULL &&
              all.body != NULL;
    pl_status status = ok ? PL_OK : PL_ERROR_MEMORY;
    if (ok) fill_batches(fem, &all);
    if (status == PL_OK) status = send(gpu, 9 * BATCH * n, 8, all.shape, &e->shape);
    if (status == PL_OK) status = send(gpu, BATCH * n, 8, all.volume, &e->volume);
    if (status == PL_OK) status = send(gpu, 4 * BATCH * n, 4, all.corner, &e->corner);
    if (status == PL_OK) status = send(gpu, BATCH * n, 4, all.tet, &e->tet);
    if (status == PL_OK) status = send(gpu, n, 4, all.body, &e->batch_body);
    pl_free(all.shape);
    pl_free(all.volume);
    pl_free(all.corner);
    pl_free(all.tet);
    pl_free(all.body);
    return status;
}

// Of bodies, vertices and patches.
static pl_status put_others(pl_gpu *gpu, const pl_fem *fem, const pl_bsr *A, pl_gpu_elements *e)
{
    PL_TRY(pl_gpu_take(gpu, fem->n_bodies, sizeof(pl_material), &e->material));
    PL_TRY(pl_gpu_take(gpu, fem->n_vert, sizeof(int32_t), &e->vert_body));
    PL_TRY(pl_gpu_take(gpu, (int64_t)fem->n_patch + 1, sizeof(int32_t), &e->patch_batch));
    for (int32_t b = 0; b < fem->n_bodies; b++) {
        const pl_fem_body *body = &fem->body[b];
        int64_t size = sizeof body->material;
        pl_gpu_write(gpu, &e->material, b * size, size, &body->material);
    }
    int32_t *number = pl_alloc((int64_t)PL_MAX(fem->n_vert, fem->n_patch) + 1, sizeof *number);
    if (number == NULL) return PL_ERROR_MEMORY;
    for (int32_t b = 0; b < fem->n_bodies; b++) {
        const pl_fem_body *body = &fem->body[b];
        for (int32_t v = body->first; v < body->first + body->n_vert; v++) number[v] = b;
    }
    pl_gpu_write(gpu, &e->vert_body, 0, (int64_t)fem->n_vert * 4, number);
    for (int32_t p = 0; p < fem->n_patch; p++) number[p] = fem->patch[p].batch;
    number[fem->n_patch] = fem->n_batch;
    pl_gpu_write(gpu, &e->patch_batch, 0, ((int64_t)fem->n_patch + 1) * 4, number);
    pl_free(number);
    PL_TRY(send(gpu, fem->n_vert, sizeof *fem->mass, fem->mass, &e->mass));
    return send(gpu, fem->n_vert, sizeof *A->diag, A->diag, &e->diag);
}

// Elements of a portion, about: their blocks take 432 bytes each. A GPU wants many at once.
enum { PORTION_CPU = 8192, PORTION_GPU = 1 << 17 };

// Cuts the patches into portions. Returns how many elements the largest has.
static int64_t make_portions(const pl_gpu *gpu, const pl_fem *fem, pl_gpu_elements *e)
{
    int64_t enough = pl_gpu_about(gpu)->is_cpu ? PORTION_CPU : PORTION_GPU, most = 0,
            *to = e->portion;
    e->n_portion = 0;
    to[0] = to[1] = 0;
    for (int32_t p = 0; p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        to[2] = BATCH * ((int64_t)patch->batch + patch->n_batch);
        to[3] = (int64_t)patch->edge + patch->n_edge;
        most = PL_MAX(most, to[2] - to[0]);
        if (to[2] - to[0] < enough && p + 1 < fem->n_patch) continue;
        e->n_portion++;
        to += 2;
    }
    return most;
}

static pl_status take_scratch(pl_gpu *gpu, const pl_fem *fem, pl_gpu_elements *e)
{
    e->portion = pl_alloc(2 * ((int64_t)fem->n_patch + 1), sizeof *e->portion);
    if (e->portion == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_gpu_take(gpu, fem->n_bodies, 8, &e->scale));
    PL_TRY(pl_gpu_take(gpu, fem->n_bodies, 8, &e->mass_scale));
    PL_TRY(pl_gpu_take(gpu, e->n_lane, 8, &e->energy));
    PL_TRY(pl_gpu_take(gpu, 12 * e->n_lane, 8, &e->force));
    PL_TRY(pl_gpu_take(gpu, 54 * make_portions(gpu, fem, e), 8, &e->block));
    PL_TRY(pl_gpu_take(gpu, 9 * e->n_edge, 8, &e->edge_sum));
    PL_TRY(pl_gpu_take(gpu, fem->n_patch, 8, &e->patch_energy));
    PL_TRY(pl_gpu_take(gpu, e->n_lane, 4, &e->flat));
    PL_TRY(pl_gpu_take(gpu, fem->n_patch, 4, &e->patch_flat));
    e->host = pl_alloc(PL_MAX(fem->n_patch, 2 * (int64_t)fem->n_bodies), sizeof(double));
    return e->host != NULL ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status create(pl_gpu *gpu, const pl_fem *fem, const pl_bsr *A, pl_gpu_elements *e)
{
    int64_t places = 0; // of vertices in patches
    for (int32_t p = 0; p < fem->n_patch; p++) places += fem->patch[p].n_vert;
    if (54 * e->n_lane > INT32_MAX) {
        return pl_fail(PL_ERROR_MEMORY, "%d tets are too many for a device", fem->n_tet);
    }
    PL_TRY(put_batches(gpu, fem, e));
    PL_TRY(put_others(gpu, fem, A, e));
    PL_TRY(put_lists(gpu, fem, fem->n_edge, visit_blocks, &e->edge_start, &e->edge_item));
    PL_TRY(put_slots(gpu, fem, e));
    PL_TRY(put_seams(gpu, fem, e));
    PL_TRY(put_lists(gpu, fem, fem->n_vert, visit_verts, &e->vert_start, &e->vert_part));
    PL_TRY(put_lists(gpu, fem, places, visit_around, &e->around_start, &e->around_item));
    PL_TRY(put_lists(gpu, fem, places, visit_corners, &e->corner_start, &e->corner_item));
    PL_TRY(take_scratch(gpu, fem, e));
    return pl_gpu_state(gpu);
}

pl_status pl_gpu_elements_create(pl_gpu *gpu, const pl_fem *fem, const pl_bsr *A,
                                 pl_gpu_elements *out)
{
    *out = (pl_gpu_elements){.n_lane = BATCH * (int64_t)fem->n_batch,
                             .n_bodies = fem->n_bodies,
                             .n_batch = fem->n_batch,
                             .n_patch = fem->n_patch,
                             .n_vert = fem->n_vert,
                             .n_edge = fem->n_edge};
    pl_status status = create(gpu, fem, A, out);
    if (status != PL_OK) pl_gpu_elements_free(gpu, out);
    return status;
}

void pl_gpu_elements_free(pl_gpu *gpu, pl_gpu_elements *e)
{
    pl_gpu_buffer *all[] = {
        &e->shape,        &e->volume,       &e->corner,      &e->tet,          &e->batch_body,
        &e->material,     &e->edge_start,   &e->edge_item,   &e->seam_start,   &e->seam_part,
        &e->slot,         &e->seam_slot,    &e->seam_mirror, &e->mirror,       &e->vert_start,
        &e->vert_part,    &e->around_start, &e->around_item, &e->corner_start, &e->corner_item,
        &e->mass,         &e->vert_body,    &e->diag,        &e->patch_batch,  &e->scale,
        &e->mass_scale,   &e->energy,       &e->force,       &e->block,        &e->edge_sum,
        &e->patch_energy, &e->flat,         &e->patch_flat,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_gpu_drop(gpu, all[i]);
    pl_free(e->portion);
    pl_free(e->host);
    *e = (pl_gpu_elements){0};
}

// --- Passes ---

// What an element is read as, and what is made of it [bytes]; and what is counted in
// fem/element_kernel.h for the co-rotational one, the cheapest.
enum { ELEMENT_IN = 80 + 16 + 96, ELEMENT_OUT = 8 * (1 + 12), BLOCKS_OUT = 8 * 54 };
enum { FORCE_FLOPS = 700, BLOCK_FLOPS = 1300 };

// Items with large private arrays, which a CPU has on the stacks of its threads, once for each item
// of a group.
enum { CPU_GROUP = 4 };

// A kernel of elements.
static void launch_elements(pl_gpu *gpu, const char *kernel, int64_t n, int32_t n_arg,
                            const pl_gpu_arg *arg)
{
    const pl_gpu_info *info = pl_gpu_about(gpu);
    int32_t size = pl_gpu_group_size(gpu);
    if (info->lanes > 1) pl_gpu_set_group_size(gpu, PL_MIN(size, CPU_GROUP));
    pl_gpu_launch(gpu, kernel, n / info->lanes, n_arg, arg);
    pl_gpu_set_group_size(gpu, size);
}

static void sum_energy(pl_gpu *gpu, pl_gpu_elements *e)
{
    pl_gpu_launch(gpu, "fem_sum_energy", e->n_patch,
                  PL_ARGS(PL_ARG((int64_t)e->n_patch), PL_ARG(&e->patch_batch), PL_ARG(&e->energy),
                          PL_ARG(&e->patch_energy)));
    pl_gpu_note(gpu, 8.0 * (double)e->n_lane, (double)e->n_lane);
}

static void write_forces(pl_gpu *gpu, pl_gpu_elements *e, const pl_gpu_buffer *f)
{
    pl_gpu_launch(gpu, "fem_write_forces", e->n_vert,
                  PL_ARGS(PL_ARG((int64_t)e->n_vert), PL_ARG(&e->vert_start), PL_ARG(&e->vert_part),
                          PL_ARG(&e->corner_start), PL_ARG(&e->corner_item), PL_ARG(&e->force),
                          PL_ARG(f)));
    pl_gpu_note(gpu, 112.0 * (double)e->n_lane + 32.0 * e->n_vert, 12.0 * (double)e->n_lane);
}

static void send_weights(pl_gpu *gpu, pl_gpu_elements *e, const pl_fem *fem,
                         const pl_fem_weights *w)
{
    double *scale = e->host, *mass = scale + e->n_bodies;
    for (int32_t b = 0; b < e->n_bodies; b++) {
        const pl_fem_body *body = &fem->body[b];
        scale[b] = w->stiffness + w->stiffness_beta * body->stiffness_damping;
        mass[b] = w->mass + w->mass_alpha * body->mass_damping;
    }
    pl_gpu_write(gpu, &e->scale, 0, 8 * (int64_t)e->n_bodies, scale);
    pl_gpu_write(gpu, &e->mass_scale, 0, 8 * (int64_t)e->n_bodies, mass);
}

// The blocks of the elements of a portion, and their sums over its edges.
static void assemble_portion(pl_gpu *gpu, pl_gpu_elements *e, int32_t portion, double project,
                             const pl_gpu_buffer *x, int32_t has_base, const pl_gpu_buffer *base,
                             const pl_gpu_buffer *val)
{
    const int64_t *at = e->portion + 2 * (int64_t)portion;
    int64_t first = at[0], n = at[2] - first, edge = at[1], n_edge = at[3] - edge;
    launch_elements(gpu, "fem_elements", n,
                    PL_ARGS(PL_ARG(n), PL_ARG(first), PL_ARG(&e->shape), PL_ARG(&e->volume),
                            PL_ARG(&e->corner), PL_ARG(&e->batch_body), PL_ARG(&e->material),
                            PL_ARG(&e->scale), PL_ARG(project), PL_ARG(x), PL_ARG(&e->energy),
                            PL_ARG(&e->force), PL_ARG(&e->block)));
    pl_gpu_note(gpu, (ELEMENT_IN + ELEMENT_OUT + BLOCKS_OUT) * (double)n,
                (FORCE_FLOPS + BLOCK_FLOPS) * (double)n);
    pl_gpu_launch(gpu, "fem_sum_edges", n_edge,
                  PL_ARGS(PL_ARG(n_edge), PL_ARG(edge), PL_ARG(6 * first), PL_ARG(&e->edge_start),
                          PL_ARG(&e->edge_item), PL_ARG(&e->block), PL_ARG(&e->slot),
                          PL_ARG(&e->mirror), PL_ARG(has_base), PL_ARG(base), PL_ARG(&e->edge_sum),
                          PL_ARG(val)));
    pl_gpu_note(gpu, (BLOCKS_OUT + 24) * (double)n + (228 + 144 * has_base) * (double)n_edge,
                54 * (double)n);
}

void pl_gpu_elements_assemble(pl_gpu *gpu, pl_gpu_elements *e, const pl_fem *fem,
                              const pl_fem_weights *weights, const pl_gpu_buffer *x,
                              const pl_gpu_buffer *base, const pl_gpu_buffer *val,
                              const pl_gpu_buffer *f)
{
    int32_t has_base = base != NULL;
    if (base == NULL) base = x; // not looked at
    send_weights(gpu, e, fem, weights);
    for (int32_t p = 0; p < e->n_portion; p++) {
        assemble_portion(gpu, e, p, weights->project, x, has_base, base, val);
    }
    pl_gpu_launch(gpu, "fem_write_edges", e->n_seam,
                  PL_ARGS(PL_ARG(e->n_seam), PL_ARG(&e->seam_start), PL_ARG(&e->seam_part),
                          PL_ARG(&e->edge_sum), PL_ARG(&e->seam_slot), PL_ARG(&e->seam_mirror),
                          PL_ARG(has_base), PL_ARG(base), PL_ARG(val)));
    pl_gpu_note(gpu, (310 + 144 * has_base) * (double)e->n_seam, 18 * (double)e->n_seam);
    pl_gpu_launch(gpu, "fem_write_diagonals", e->n_vert,
                  PL_ARGS(PL_ARG((int64_t)e->n_vert), PL_ARG(&e->vert_start), PL_ARG(&e->vert_part),
                          PL_ARG(&e->around_start), PL_ARG(&e->around_item), PL_ARG(&e->edge_sum),
                          PL_ARG(&e->mass), PL_ARG(&e->vert_body), PL_ARG(&e->mass_scale),
                          PL_ARG(&e->diag), PL_ARG(has_base), PL_ARG(base), PL_ARG(val)));
    pl_gpu_note(gpu, 80 * (double)e->n_edge + (100 + 72 * has_base) * (double)e->n_vert,
                18 * (double)e->n_edge);
    write_forces(gpu, e, f);
    sum_energy(gpu, e);
}

void pl_gpu_elements_forces(pl_gpu *gpu, pl_gpu_elements *e, const pl_gpu_buffer *x,
                            const pl_gpu_buffer *f)
{
    launch_elements(gpu, "fem_element_forces", e->n_lane,
                    PL_ARGS(PL_ARG(e->n_lane), PL_ARG(&e->shape), PL_ARG(&e->volume),
                            PL_ARG(&e->corner), PL_ARG(&e->batch_body), PL_ARG(&e->material),
                            PL_ARG(x), PL_ARG(&e->energy), PL_ARG(&e->force)));
    pl_gpu_note(gpu, (ELEMENT_IN + ELEMENT_OUT) * (double)e->n_lane,
                FORCE_FLOPS * (double)e->n_lane);
    if (f != NULL) write_forces(gpu, e, f);
    sum_energy(gpu, e);
}

pl_status pl_gpu_elements_energy(pl_gpu *gpu, pl_gpu_elements *e, double *out)
{
    double sum = 0, *energy = e->host;
    PL_TRY(pl_gpu_read(gpu, &e->patch_energy, 0, 8 * (int64_t)e->n_patch, energy));
    for (int32_t p = 0; p < e->n_patch; p++) sum += energy[p];
    *out = sum;
    return PL_OK;
}

pl_status pl_gpu_elements_inverted(pl_gpu *gpu, pl_gpu_elements *e, const pl_gpu_buffer *x,
                                   int32_t *out)
{
    int32_t *count = e->host, sum = 0;
    launch_elements(gpu, "fem_element_flat", e->n_lane,
                    PL_ARGS(PL_ARG(e->n_lane), PL_ARG(&e->shape), PL_ARG(&e->volume),
                            PL_ARG(&e->corner), PL_ARG(&e->tet), PL_ARG(x), PL_ARG(&e->flat)));
    pl_gpu_note(gpu, (ELEMENT_IN + 8) * (double)e->n_lane, 60 * (double)e->n_lane);
    pl_gpu_launch(gpu, "fem_sum_flat", e->n_patch,
                  PL_ARGS(PL_ARG((int64_t)e->n_patch), PL_ARG(&e->patch_batch), PL_ARG(&e->flat),
                          PL_ARG(&e->patch_flat)));
    PL_TRY(pl_gpu_read(gpu, &e->patch_flat, 0, 4 * (int64_t)e->n_patch, count));
    for (int32_t p = 0; p < e->n_patch; p++) sum += count[p];
    *out = sum;
    return PL_OK;
}
