// The passes over all elements, vectorised over the lanes of a batch.

#include "device.h"

#define PL_LANES 8
#include "element_kernel.h"

#include <string.h>

static_assert((int)PL_LANES == (int)PL_FEM_LANES, "a batch is one vector");

enum {
    FETCH_AHEAD = 32, // how far ahead of their use blocks are asked for [edges or vertices]
    SEAM_CHUNKS = 64, // of each seam, for threads to share
};

// --- A patch at work ---

// What a patch adds up, over its own vertices and edges. Vectors are padded to a quad.
typedef struct sums {
    double x[PL_PATCH_VERTS][4]; // positions
    double force[PL_PATCH_VERTS][4];
    double edge[PL_PATCH_EDGES][9]; // blocks, column by column
    double diag[PL_PATCH_VERTS][9];
} sums;

static void load_positions(const pl_fem *fem, const pl_fem_patch *patch, const double *x, sums *s)
{
    const int32_t *vert = fem->vert + patch->vert;
    for (int32_t i = 0; i < patch->n_vert; i++) {
        for (int k = 0; k < 3; k++) s->x[i][k] = x[3 * (int64_t)vert[i] + k];
        s->x[i][3] = 0;
    }
}

// --- Batches in and out of vectors ---

typedef double quad __attribute__((vector_size(32)));

PL_KERNEL real load(const double *lanes)
{
    real r = {0};
    memcpy(&r, lanes, sizeof r);
    return r;
}

PL_KERNEL quad load_quad(const double *from)
{
    quad q;
    memcpy(&q, from, sizeof q);
    return q;
}

PL_KERNEL void add_quad(double *to, quad value)
{
    quad sum = load_quad(to) + value;
    memcpy(to, &sum, sizeof sum);
}

// Four vectors over four lanes each become four vectors of one lane each, and back.
PL_KERNEL void transpose(const quad in[4], quad out[4])
{
    quad a = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6);
    quad b = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
    quad c = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6);
    quad d = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

PL_KERNEL void gather_rest(const pl_fem_batch *b, pl_rest *rest)
{
    for (int k = 0; k < 9; k++) rest->shape[k] = load(b->shape[k]);
    rest->volume = load(b->volume);
}

// The positions of the corners.
PL_KERNEL void gather_corners(const pl_fem_batch *b, const sums *s, real out[4][3])
{
    for (int a = 0; a < 4; a++) {
        quad in[PL_LANES], low[4], high[4];
        for (int lane = 0; lane < PL_LANES; lane++) in[lane] = load_quad(s->x[b->corner[a][lane]]);
        transpose(in, low);
        transpose(in + 4, high);
        for (int k = 0; k < 3; k++) {
            out[a][k] = __builtin_shufflevector(low[k], high[k], 0, 1, 2, 3, 4, 5, 6, 7);
        }
    }
}

PL_KERNEL quad half_of(real r, int half)
{
    return half == 0 ? __builtin_shufflevector(r, r, 0, 1, 2, 3)
                     : __builtin_shufflevector(r, r, 4, 5, 6, 7);
}

PL_KERNEL void add_forces(const pl_fem_batch *b, const real f[4][3], sums *s)
{
    for (int a = 0; a < 4; a++) {
        for (int half = 0; half < 2; half++) {
            quad in[4] = {half_of(f[a][0], half), half_of(f[a][1], half), half_of(f[a][2], half)};
            quad out[4];
            transpose(in, out);
            for (int k = 0; k < 4; k++) add_quad(s->force[b->corner[a][4 * half + k]], out[k]);
        }
    }
}

// Adds the blocks k, row by row, to the edges.
PL_KERNEL void add_blocks(const pl_fem_batch *b, const real k[6][9], sums *s)
{
    static const int by_column[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
    for (int e = 0; e < 6; e++) {
        for (int half = 0; half < 2; half++) {
            quad in[8], first[4], second[4];
            for (int i = 0; i < 8; i++) in[i] = half_of(k[e][by_column[i]], half);
            transpose(in, first);
            transpose(in + 4, second);
            for (int lane = 0; lane < 4; lane++) {
                double *to = s->edge[b->edge[e][4 * half + lane]];
                add_quad(to, first[lane]);
                add_quad(to + 4, second[lane]);
                to[8] += k[e][8][4 * half + lane];
            }
        }
    }
}

PL_KERNEL double sum_lanes(real r)
{
    double sum = 0;
    for (int lane = 0; lane < PL_LANES; lane++) sum += r[lane];
    return sum;
}

// --- The elements of a patch ---

// Asks for the blocks of A that the i-th batch's share of the patch's edges will be written to.
PL_KERNEL void fetch_blocks(const pl_fem *fem, const pl_fem_patch *patch, int32_t i,
                            const double *val)
{
    int32_t first = patch->n_inner_edge * i / patch->n_batch;
    int32_t last = patch->n_inner_edge * (i + 1) / patch->n_batch;
    for (const pl_fem_edge *e = fem->edge + patch->edge + first; e < fem->edge + patch->edge + last;
         e++) {
        __builtin_prefetch(val + 9 * (int64_t)e->slot, 1);
        __builtin_prefetch(val + 9 * (int64_t)e->mirror, 1);
    }
}

// Adds up the forces and the stiffness of a patch. Returns its energy.
PL_CLONES static double stiffness_patch(const pl_fem *fem, const pl_fem_patch *patch, double scale,
                                        double project, const double *val, sums *s)
{
    const pl_fem_body *body = &fem->body[patch->body];
    double energy = 0;
    memset(s->force, 0, (size_t)patch->n_vert * sizeof s->force[0]);
    memset(s->edge, 0, (size_t)patch->n_edge * sizeof s->edge[0]);
    for (int32_t i = 0; i < patch->n_batch; i++) {
        const pl_fem_batch *batch = &fem->batch[patch->batch + i];
        pl_rest rest;
        real corner[4][3], force[4][3], k[6][9];
        fetch_blocks(fem, patch, i, val);
        gather_rest(batch, &rest);
        gather_corners(batch, s, corner);
        energy += sum_lanes(
            pl_element_evaluate(&body->material, &rest, corner, scale, project, force, k));
        add_forces(batch, force, s);
        add_blocks(batch, k, s);
    }
    return energy;
}

// Adds up the forces alone. Returns the energy.
PL_CLONES static double force_patch(const pl_fem *fem, const pl_fem_patch *patch, sums *s)
{
    const pl_fem_body *body = &fem->body[patch->body];
    double energy = 0;
    memset(s->force, 0, (size_t)patch->n_vert * sizeof s->force[0]);
    for (int32_t i = 0; i < patch->n_batch; i++) {
        const pl_fem_batch *batch = &fem->batch[patch->batch + i];
        pl_rest rest;
        real corner[4][3], force[4][3];
        gather_rest(batch, &rest);
        gather_corners(batch, s, corner);
        energy += sum_lanes(pl_element_forces(&body->material, &rest, corner, force));
        add_forces(batch, force, s);
    }
    return energy;
}

// How many tets of a patch have det F <= 0, or none.
PL_CLONES static int32_t count_inverted(const pl_fem *fem, const pl_fem_patch *patch, const sums *s)
{
    int32_t n = 0;
    for (int32_t i = 0; i < patch->n_batch; i++) {
        const pl_fem_batch *batch = &fem->batch[patch->batch + i];
        pl_rest rest;
        real corner[4][3], f[9];
        gather_rest(batch, &rest);
        gather_corners(batch, s, corner);
        pl_element_gradient(&rest, corner, f);
        real det = f[0] * (f[4] * f[8] - f[5] * f[7]) + f[1] * (f[5] * f[6] - f[3] * f[8]) +
                   f[2] * (f[3] * f[7] - f[4] * f[6]);
        for (int lane = 0; lane < PL_LANES; lane++) n += batch->tet[lane] >= 0 && !(det[lane] > 0);
    }
    return n;
}

// --- From sums to A and f ---

// A block in registers.
typedef struct block {
    quad first, second; // the numbers 0 .. 3 and 4 .. 7
    double last;
} block;

PL_KERNEL block load_block(const double *from)
{
    return (block){load_quad(from), load_quad(from + 4), from[8]};
}

PL_KERNEL void store_block(block b, double *to)
{
    memcpy(to, &b.first, sizeof b.first);
    memcpy(to + 4, &b.second, sizeof b.second);
    to[8] = b.last;
}

PL_KERNEL block add(block a, block b)
{
    return (block){a.first + b.first, a.second + b.second, a.last + b.last};
}

PL_KERNEL block subtract(block a, block b)
{
    return (block){a.first - b.first, a.second - b.second, a.last - b.last};
}

PL_KERNEL block transpose_block(block b)
{
    return (block){__builtin_shufflevector(b.first, b.second, 0, 3, 6, 1),
                   __builtin_shufflevector(b.first, b.second, 4, 7, 2, 5), b.last};
}

// A block has parts of two lines of the cache, most often.
PL_KERNEL void fetch_block(const double *val, int64_t slot)
{
    __builtin_prefetch(val + 9 * slot, 1);
    __builtin_prefetch(val + 9 * slot + 8, 1);
}

// Blocks (i, j) and (j, i) of A := base + the sum, and its transpose.
PL_KERNEL void write_edge(const pl_fem_edge *e, block sum, const double *base, double *val)
{
    int64_t slot = 9 * (int64_t)e->slot, mirror = 9 * (int64_t)e->mirror;
    block turned = transpose_block(sum);
    if (base != NULL) {
        sum = add(load_block(base + slot), sum);
        turned = add(load_block(base + mirror), turned);
    }
    store_block(sum, val + slot);
    store_block(turned, val + mirror);
}

// The diagonal block of vertex v := base + mass - the sum of the row's others, given without regard
// to which of them are transposed: what is skew in their sum is rounding, or should have been
// transposed.
PL_KERNEL void write_diagonal(const pl_bsr *A, int32_t v, double mass, const double sum[9],
                              const double *base)
{
    double *to = A->val + 9 * A->diag[v];
    for (int k = 0; k < 9; k++) {
        double value = 0.5 * (sum[k] + sum[k % 3 * 3 + k / 3]);
        if (k % 4 == 0) value += mass;
        to[k] = base == NULL ? value : base[9 * A->diag[v] + k] + value;
    }
}

static void write_force(const pl_fem *fem, const pl_fem_patch *patch, const sums *s, double *f)
{
    const int32_t *vert = fem->vert + patch->vert;
    for (int32_t i = 0; i < patch->n_vert; i++) {
        int32_t part = patch->vert_part + i - patch->n_inner_vert;
        double *to = i < patch->n_inner_vert ? f + 3 * (int64_t)vert[i]
                                             : fem->part_force + 3 * (int64_t)part;
        for (int k = 0; k < 3; k++) to[k] = s->force[i][k];
    }
}

PL_CLONES static void write_stiffness(const pl_fem *fem, const pl_fem_patch *patch, double mass,
                                      const double *base, sums *s, pl_bsr *A)
{
    const pl_fem_edge *edge = fem->edge + patch->edge;
    const int32_t *vert = fem->vert + patch->vert;
    memset(s->diag, 0, (size_t)patch->n_vert * sizeof s->diag[0]);
    for (int32_t i = 0; i < patch->n_edge; i++) {
        if (i + FETCH_AHEAD < patch->n_inner_edge) {
            fetch_block(A->val, edge[i + FETCH_AHEAD].slot);
            fetch_block(A->val, edge[i + FETCH_AHEAD].mirror);
        }
        double *first = s->diag[edge[i].end[0]], *second = s->diag[edge[i].end[1]];
        block sum = load_block(s->edge[i]);
        store_block(subtract(load_block(first), sum), first);
        store_block(subtract(load_block(second), sum), second);
        if (i < patch->n_inner_edge) write_edge(&edge[i], sum, base, A->val);
    }
    for (int32_t i = 0; i < patch->n_inner_vert; i++) {
        write_diagonal(A, vert[i], mass * fem->mass[vert[i]], s->diag[i], base);
    }
    int32_t n_edge = patch->n_edge - patch->n_inner_edge;
    int32_t n_vert = patch->n_vert - patch->n_inner_vert;
    memcpy(fem->part_edge + 9 * (int64_t)patch->edge_part, s->edge[patch->n_inner_edge],
           (size_t)n_edge * sizeof s->edge[0]);
    memcpy(fem->part_diag + 9 * (int64_t)patch->vert_part, s->diag[patch->n_inner_vert],
           (size_t)n_vert * sizeof s->diag[0]);
}

// --- Seams ---

// Items first .. last - 1 of a seam.
typedef struct range {
    int32_t first, last;
} range;

static range chunk_of(const pl_fem_seam *seam, int64_t i)
{
    return (range){(int32_t)(seam->n * i / SEAM_CHUNKS),
                   (int32_t)(seam->n * (i + 1) / SEAM_CHUNKS)};
}

// The sum of the parts of the i-th item on the seam, whose blocks stand in `from`.
PL_KERNEL block sum_parts(const pl_fem_seam *seam, int32_t i, const double *from)
{
    block sum = {0};
    for (int32_t p = seam->start[i]; p < seam->start[i + 1]; p++) {
        sum = add(sum, load_block(from + 9 * (int64_t)seam->part[p]));
    }
    return sum;
}

PL_KERNEL void fetch_parts(const pl_fem_seam *seam, int32_t i, const double *from)
{
    for (int32_t p = seam->start[i]; p < seam->start[i + 1]; p++) fetch_block(from, seam->part[p]);
}

PL_CLONES static void close_edges(const pl_fem *fem, range range, const double *base, pl_bsr *A)
{
    const pl_fem_seam *seam = &fem->seam_edges;
    for (int32_t i = range.first; i < range.last; i++) {
        int32_t ahead = PL_MIN(i + FETCH_AHEAD, range.last - 1);
        fetch_block(A->val, fem->edge[seam->item[ahead]].slot);
        fetch_block(A->val, fem->edge[seam->item[ahead]].mirror);
        fetch_parts(seam, ahead, fem->part_edge);
        write_edge(&fem->edge[seam->item[i]], sum_parts(seam, i, fem->part_edge), base, A->val);
    }
}

// The body of a vertex.
static const pl_fem_body *find_body(const pl_fem *fem, int32_t vert)
{
    int32_t low = 0, high = fem->n_bodies;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (fem->body[middle].first <= vert) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &fem->body[low];
}

static double mass_factor(const pl_fem_weights *weights, const pl_fem_body *body)
{
    return weights->mass + weights->mass_alpha * body->mass_damping;
}

PL_CLONES static void close_diagonals(const pl_fem *fem, range range, const pl_fem_weights *weights,
                                      const double *base, pl_bsr *A)
{
    const pl_fem_seam *seam = &fem->seam_verts;
    for (int32_t i = range.first; i < range.last; i++) {
        int32_t ahead = PL_MIN(i + FETCH_AHEAD, range.last - 1);
        fetch_block(A->val, A->diag[fem->vert[seam->item[ahead]]]);
        fetch_parts(seam, ahead, fem->part_diag);
        int32_t v = fem->vert[seam->item[i]];
        double sum[9];
        store_block(sum_parts(seam, i, fem->part_diag), sum);
        write_diagonal(A, v, mass_factor(weights, find_body(fem, v)) * fem->mass[v], sum, base);
    }
}

static void close_forces(const pl_fem *fem, range range, double *f)
{
    const pl_fem_seam *seam = &fem->seam_verts;
    for (int32_t i = range.first; i < range.last; i++) {
        double *to = f + 3 * (int64_t)fem->vert[seam->item[i]];
        for (int k = 0; k < 3; k++) to[k] = 0;
        for (int32_t p = seam->start[i]; p < seam->start[i + 1]; p++) {
            for (int k = 0; k < 3; k++) to[k] += fem->part_force[3 * (int64_t)seam->part[p] + k];
        }
    }
}

// --- The whole ---

static double sum_energy(const pl_fem *fem)
{
    double sum = 0;
    for (int32_t i = 0; i < fem->n_patch; i++) sum += fem->energy[i];
    return sum;
}

enum { KNOWN_MATRIX = 1, KNOWN_ENERGY = 2, KNOWN_INVERTED = 4 };

// Is all of that known of a patch, because its body is still? If not, it is from now on.
static bool is_known(const pl_fem *fem, int64_t patch, int what)
{
    if (!fem->still[fem->patch[patch].body]) return false;
    bool known = (fem->known[patch] & what) == what;
    fem->known[patch] = (uint8_t)(fem->known[patch] | what);
    return known;
}

// What patches are summed from and into.
typedef struct patch_loop {
    const pl_fem *fem;
    const double *x;
    const pl_fem_weights *weights;
    const double *base;
    pl_bsr *A;
    double *f;
} patch_loop;

static void assemble_patches(void *context, int64_t first, int64_t last)
{
    const patch_loop *l = context;
    const pl_fem *fem = l->fem;
    const pl_fem_weights *weights = l->weights;
    for (int64_t i = first; i < last; i++) {
        const pl_fem_patch *patch = &fem->patch[i];
        const pl_fem_body *body = &fem->body[patch->body];
        double k = weights->stiffness + weights->stiffness_beta * body->stiffness_damping;
        sums s;
        if (is_known(fem, i, KNOWN_MATRIX | KNOWN_ENERGY)) continue;
        load_positions(fem, patch, l->x, &s);
        fem->energy[i] = stiffness_patch(fem, patch, k, weights->project, l->A->val, &s);
        write_stiffness(fem, patch, mass_factor(weights, body), l->base, &s, l->A);
        write_force(fem, patch, &s, l->f);
    }
}

static void close_seams(void *context, int64_t first, int64_t last)
{
    const patch_loop *l = context;
    const pl_fem *fem = l->fem;
    for (int32_t i = (int32_t)first; i < last; i++) {
        range edges = chunk_of(&fem->seam_edges, i), verts = chunk_of(&fem->seam_verts, i);
        close_edges(fem, edges, l->base, l->A);
        close_diagonals(fem, verts, l->weights, l->base, l->A);
        close_forces(fem, verts, l->f);
    }
}

double pl_fem_assemble(const pl_fem *fem, const double *x, const pl_fem_weights *weights,
                       const double *base, pl_bsr *A, double *f)
{
    const patch_loop l = {fem, x, weights, base, A, f};
    double energy;
    if (pl_fem_has_device(fem)) {
        pl_status status = fem->device->assemble(fem->device, fem, x, weights, base, A, f, &energy);
        if (pl_fem_device_did(fem->device, status)) return energy;
    }
    pl_loop(fem->n_patch, 1, assemble_patches, &l);
    pl_loop(SEAM_CHUNKS, fem->n_patch > 1 ? 1 : SEAM_CHUNKS, close_seams, &l);
    return sum_energy(fem);
}

static void sum_forces(void *context, int64_t first, int64_t last)
{
    const patch_loop *l = context;
    const pl_fem *fem = l->fem;
    for (int64_t i = first; i < last; i++) {
        const pl_fem_patch *patch = &fem->patch[i];
        sums s;
        if (is_known(fem, i, KNOWN_ENERGY)) continue;
        load_positions(fem, patch, l->x, &s);
        fem->energy[i] = force_patch(fem, patch, &s);
        if (l->f != NULL) write_force(fem, patch, &s, l->f);
    }
}

double pl_fem_forces(const pl_fem *fem, const double *x, double *f)
{
    double energy;
    if (pl_fem_has_device(fem)) {
        pl_status status = fem->device->forces(fem->device, x, f, &energy);
        if (pl_fem_device_did(fem->device, status)) return energy;
    }
    pl_loop(fem->n_patch, 1, sum_forces, &(patch_loop){.fem = fem, .x = x, .f = f});
    if (f != NULL) close_forces(fem, (range){0, fem->seam_verts.n}, f);
    return sum_energy(fem);
}

typedef struct inverted_loop {
    const pl_fem *fem;
    const double *x;
} inverted_loop;

static void count_in_patches(void *context, int64_t first, int64_t last)
{
    const inverted_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        sums s;
        if (is_known(l->fem, i, KNOWN_INVERTED)) continue;
        load_positions(l->fem, &l->fem->patch[i], l->x, &s);
        l->fem->inverted[i] = count_inverted(l->fem, &l->fem->patch[i], &s);
    }
}

int32_t pl_fem_inverted(const pl_fem *fem, const double *x)
{
    int32_t n = 0;
    if (pl_fem_has_device(fem)) {
        pl_status status = fem->device->inverted(fem->device, x, &n);
        if (pl_fem_device_did(fem->device, status)) return n;
        n = 0;
    }
    pl_loop(fem->n_patch, 1, count_in_patches, &(inverted_loop){fem, x});
    for (int32_t i = 0; i < fem->n_patch; i++) n += fem->inverted[i];
    return n;
}
