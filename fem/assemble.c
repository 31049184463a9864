// The passes over all elements, vectorised over the lanes of a batch.

#include "fem.h"

#define PL_LANES 8
#include "element_kernel.h"

#include <string.h>

static_assert((int)PL_LANES == (int)PL_FEM_LANES, "a batch is one vector");

// --- Batches in and out of vectors ---

PL_KERNEL real load(const double *lanes)
{
    real r = {0};
    memcpy(&r, lanes, sizeof r);
    return r;
}

PL_KERNEL void gather_rest(const pl_fem_batch *b, pl_rest *rest)
{
    for (int k = 0; k < 9; k++) rest->shape[k] = load(b->shape[k]);
    rest->volume = load(b->volume);
}

// The values of the corners, from an array of 3-vectors.
PL_KERNEL void gather_corners(const pl_fem_batch *b, const double *x, real out[4][3])
{
    for (int a = 0; a < 4; a++) {
        for (int k = 0; k < 3; k++) {
            real r = {0};
            for (int lane = 0; lane < PL_LANES; lane++) r[lane] = x[3 * b->vertex[a][lane] + k];
            out[a][k] = r;
        }
    }
}

PL_KERNEL void scatter_corners(const pl_fem_batch *b, const real f[4][3], double *out)
{
    for (int a = 0; a < 4; a++) {
        for (int lane = 0; lane < PL_LANES; lane++) {
            double *to = out + 3 * b->vertex[a][lane];
            for (int k = 0; k < 3; k++) to[k] += f[a][k][lane];
        }
    }
}

// --- Blocks into A: nine numbers of eight tets, turned into nine numbers for each tet ---

typedef double quad __attribute__((vector_size(32)));

// Four vectors over four lanes each become four vectors of one lane each.
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

PL_KERNEL void add_quad(double *to, quad value)
{
    quad sum;
    memcpy(&sum, to, sizeof sum);
    sum += value;
    memcpy(to, &sum, sizeof sum);
}

// Adds k[order[0]] ... k[order[8]] of each lane to the nine numbers of its slot.
PL_KERNEL void add_blocks(const int32_t slot[PL_LANES], int n_lane, const real k[9],
                          const int order[9], double *val)
{
    for (int half = 0; half < PL_LANES; half += 4) {
        quad in[8], first[4], second[4];
        for (int i = 0; i < 8; i++)
            memcpy(&in[i], (const double *)&k[order[i]] + half, sizeof in[i]);
        transpose(in, first);
        transpose(in + 4, second);
        for (int lane = 0; lane < 4; lane++) {
            if (half + lane >= n_lane) return;
            double *to = val + 9 * (int64_t)slot[half + lane];
            add_quad(to, first[lane]);
            add_quad(to + 4, second[lane]);
            to[8] += k[order[8]][half + lane];
        }
    }
}

// Adds the block k of corners (a, b) to A, and its transpose for (b, a). A's blocks stand column by
// column.
PL_KERNEL void scatter_block(const pl_fem_batch *b, int corner_a, int corner_b, const real k[9],
                             double *val)
{
    static const int by_column[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8},
                     by_row[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    add_blocks(b->slot[4 * corner_a + corner_b], b->n, k, by_column, val);
    if (corner_a != corner_b) add_blocks(b->slot[4 * corner_b + corner_a], b->n, k, by_row, val);
}

// From the six blocks of the corners 1 .. 3 to all of A: rows and columns sum to 0.
PL_KERNEL void scatter_stiffness(const pl_fem_batch *b, real k[6][9], double *val)
{
    real k0[4][9]; // blocks (0, b)
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int ij = 3 * i + j, ji = 3 * j + i;
            k0[1][ij] = -(k[0][ij] + k[3][ji] + k[4][ji]);
            k0[2][ij] = -(k[3][ij] + k[1][ij] + k[5][ji]);
            k0[3][ij] = -(k[4][ij] + k[5][ij] + k[2][ij]);
            k0[0][ij] = -(k0[1][ij] + k0[2][ij] + k0[3][ij]);
        }
    }
    for (int c = 0; c < 4; c++) scatter_block(b, 0, c, k0[c], val);
    for (int c = 0; c < 3; c++) scatter_block(b, c + 1, c + 1, k[c], val);
    for (int m = 0; m < 3; m++) {
        scatter_block(b, pl_pair[m][0] + 1, pl_pair[m][1] + 1, k[3 + m], val);
    }
}

PL_KERNEL double sum_lanes(real r)
{
    double sum = 0;
    for (int lane = 0; lane < PL_LANES; lane++) sum += r[lane];
    return sum;
}

// --- Patches ---

// Sets the rows of A and f that no patch before this one has written, while they are near, and asks
// for the others: where they lie is no pattern that the machine could guess.
static void open_patch(const pl_fem *fem, const pl_fem_patch *patch, double mass,
                       const double *base, pl_bsr *A, double *f)
{
    const int32_t *list = fem->touch + patch->touch;
    for (int32_t i = 0; i < patch->n_touch; i++) {
        int64_t v = list[i], start = 9 * A->row[v], end = 9 * A->row[v + 1];
        if (i >= patch->n_new) {
            for (int64_t k = start; k < end; k += 8) __builtin_prefetch(A->val + k, 1);
            continue;
        }
        size_t size = (size_t)(end - start) * sizeof(double);
        if (base != NULL) {
            memcpy(A->val + start, base + start, size);
        } else {
            memset(A->val + start, 0, size);
        }
        double *diag = A->val + 9 * A->diag[v];
        for (int k = 0; k < 9; k += 4) diag[k] += mass * fem->mass[v];
        for (int k = 0; k < 3; k++) f[3 * v + k] = 0;
    }
}

// Adds a patch's stiffness to the blocks `val` and its forces to f. Returns its energy.
PL_CLONES static double stiffness_patch(const pl_fem *fem, const pl_fem_patch *patch,
                                        const double *x, double scale, double project, double *val,
                                        double *f)
{
    const pl_fem_body *body = &fem->body[patch->body];
    double energy = 0;
    for (int32_t i = patch->first; i < patch->first + patch->n; i++) {
        const pl_fem_batch *batch = &fem->batch[i];
        pl_rest rest;
        pl_deformed d;
        real corner[4][3], force[4][3], k[6][9];
        gather_rest(batch, &rest);
        gather_corners(batch, x, corner);
        pl_element_deform(&body->material, &rest, corner, &d);
        energy += sum_lanes(rest.volume * d.stress.energy);
        pl_element_force(&rest, &d, force);
        scatter_corners(batch, force, f);
        if (project > 0) pl_stress_project(&d.stress, project);
        pl_element_stiffness(&rest, &d, scale, k);
        scatter_stiffness(batch, k, val);
    }
    return energy;
}

// Energy, and forces if f is not NULL.
PL_CLONES static double force_patch(const pl_fem *fem, const pl_fem_patch *patch, const double *x,
                                    double *f)
{
    const pl_fem_body *body = &fem->body[patch->body];
    double energy = 0;
    for (int32_t i = patch->first; i < patch->first + patch->n; i++) {
        const pl_fem_batch *batch = &fem->batch[i];
        pl_rest rest;
        pl_deformed d;
        real corner[4][3], force[4][3];
        gather_rest(batch, &rest);
        gather_corners(batch, x, corner);
        pl_element_deform(&body->material, &rest, corner, &d);
        energy += sum_lanes(rest.volume * d.stress.energy);
        if (f == NULL) continue;
        pl_element_force(&rest, &d, force);
        scatter_corners(batch, force, f);
    }
    return energy;
}

// --- The whole ---

static double sum_partial(const pl_fem *fem)
{
    double sum = 0;
    for (int32_t i = 0; i < fem->n_patch; i++) sum += fem->partial[i];
    return sum;
}

double pl_fem_assemble(const pl_fem *fem, const double *x, const pl_fem_weights *weights,
                       const double *base, pl_bsr *A, double *f)
{
    for (int32_t c = 0; c < fem->n_color; c++) {
#pragma omp parallel for schedule(dynamic, 1) if (fem->color[c + 1] - fem->color[c] > 1)
        for (int32_t i = fem->color[c]; i < fem->color[c + 1]; i++) {
            const pl_fem_patch *patch = &fem->patch[i];
            const pl_fem_body *body = &fem->body[patch->body];
            double mass = weights->mass + weights->mass_alpha * body->mass_damping;
            double k = weights->stiffness + weights->stiffness_beta * body->stiffness_damping;
            open_patch(fem, patch, mass, base, A, f);
            fem->partial[i] = stiffness_patch(fem, patch, x, k, weights->project, A->val, f);
        }
    }
    return sum_partial(fem);
}

double pl_fem_forces(const pl_fem *fem, const double *x, double *f)
{
    if (f != NULL) memset(f, 0, 3 * (size_t)fem->n_vert * sizeof *f);
    for (int32_t c = 0; c < fem->n_color; c++) {
#pragma omp parallel for schedule(dynamic, 1) if (fem->color[c + 1] - fem->color[c] > 1)
        for (int32_t i = fem->color[c]; i < fem->color[c + 1]; i++) {
            fem->partial[i] = force_patch(fem, &fem->patch[i], x, f);
        }
    }
    return sum_partial(fem);
}
