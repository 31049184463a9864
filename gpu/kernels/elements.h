// Elastic elements: forces, stiffness and energy of each, and A and f gathered from them.
//
// Elements stand in batches of eight as in fem/fem.h, and the sums below have the order of
// fem/assemble.c: over the elements of an edge or a vertex within a patch, then over patches. So A,
// f and the energy are those of the CPU, to the bit. Every number is written by one item, which
// gathers what belongs to it: there are no atomic operations.
//
// An element has 12 numbers of force, corner by corner, and 54 of stiffness, the blocks of its six
// edges, column by column; those of the eight elements of a batch stand side by side.

#ifndef PL_GPU_ELEMENTS_H
#define PL_GPU_ELEMENTS_H

#include "launch.h"
#include "mathematics.h"

#define PL_BATCH 8

// Materials come as the bytes of pl_material.
#define PL_MATERIAL_WORDS ((int32_t)(sizeof(pl_material) / sizeof(double)))

typedef union pl_material_bytes {
    pl_material material;
    double word[sizeof(pl_material) / sizeof(double)];
} pl_material_bytes;

// --- Lanes in and out ---

#if PL_ELEMENT_LANES == 1

PL_INLINE real pl_element_load(PL_IN(double) from)
{
    return from[0];
}

PL_INLINE double pl_element_lane(real a, int32_t lane)
{
    (void)lane;
    return a;
}

PL_INLINE real pl_element_join(const double lane[PL_ELEMENT_LANES])
{
    return lane[0];
}

#else

PL_INLINE real pl_element_load(PL_IN(double) from)
{
    return vload8(0, from);
}

PL_INLINE real pl_element_join(const double lane[PL_ELEMENT_LANES])
{
    return vload8(0, lane);
}

#endif

// The numbers a[0] .. a[n - 1] of each lane one after the other, at to[lane * n].
PL_INLINE void pl_element_store(const real *a, int32_t n, PL_OUT(double) to)
{
#if PL_ELEMENT_LANES == 1
    for (int32_t k = 0; k < n; k++) to[k] = a[k];
#else
    for (int32_t k = 0; k < n; k++) {
        double lane[PL_ELEMENT_LANES];
        vstore8(a[k], 0, lane);
        for (int32_t l = 0; l < PL_ELEMENT_LANES; l++) to[l * n + k] = lane[l];
    }
#endif
}

// Where the stiffness of an element begins: those of a batch stand side by side, number by number.
PL_INLINE int64_t pl_fem_block(int64_t element)
{
    return 54 * PL_BATCH * (element / PL_BATCH) + element % PL_BATCH;
}

PL_INLINE void pl_element_store_blocks(const real a[54], PL_OUT(double) to)
{
    for (int32_t q = 0; q < 54; q++) {
#if PL_ELEMENT_LANES == 1
        to[PL_BATCH * q] = a[q];
#else
        vstore8(a[q], 0, to + PL_BATCH * q);
#endif
    }
}

// The rest shape of the elements i, i + 1, ... of an item.
PL_INLINE void pl_element_rest(int64_t i, PL_IN(double) shape, PL_IN(double) volume, pl_rest *rest)
{
    int64_t batch = i / PL_BATCH;
    int32_t lane = (int32_t)(i % PL_BATCH);
    for (int32_t k = 0; k < 9; k++) {
        rest->shape[k] = pl_element_load(shape + (9 * batch + k) * PL_BATCH + lane);
    }
    rest->volume = pl_element_load(volume + PL_BATCH * batch + lane);
}

// The same, and their corners.
PL_INLINE void pl_element_take(int64_t i, PL_IN(double) shape, PL_IN(double) volume,
                               PL_IN(int32_t) corner, PL_IN(double) x, pl_rest *rest, real at[4][3])
{
    int64_t batch = i / PL_BATCH;
    int32_t lane = (int32_t)(i % PL_BATCH);
    pl_element_rest(i, shape, volume, rest);
    for (int32_t a = 0; a < 4; a++) {
        for (int32_t k = 0; k < 3; k++) {
            double place[PL_ELEMENT_LANES];
            for (int32_t l = 0; l < PL_ELEMENT_LANES; l++) {
                int64_t v = corner[(4 * batch + a) * PL_BATCH + lane + l];
                place[l] = x[3 * v + k];
            }
            at[a][k] = pl_element_join(place);
        }
    }
}

PL_INLINE void pl_element_material(PL_IN(double) material, int32_t body, pl_material *out)
{
    pl_material_bytes bytes;
    for (int32_t k = 0; k < PL_MATERIAL_WORDS; k++) {
        bytes.word[k] = material[PL_MATERIAL_WORDS * (int64_t)body + k];
    }
    *out = bytes.material;
}

// --- Elements ---

// The elements first ... of which `block` has the first one's at its start. Kernels of elements are
// launched for n / PL_ELEMENT_LANES items: pl_gpu_info.lanes.
//
// shape (9*8*n_batch), volume (8*n_batch) and corner (4*8*n_batch) as in pl_fem_batch, vertices of
// the whole; body (n_batch), material and scale of bodies.
PL_KERNEL void fem_elements(int64_t n, int64_t first, PL_IN(double) shape, PL_IN(double) volume,
                            PL_IN(int32_t) corner, PL_IN(int32_t) body, PL_IN(double) material,
                            PL_IN(double) scale, double project, PL_IN(double) x,
                            PL_OUT(double) energy, PL_OUT(double) force, PL_OUT(double) block)
{
    PL_EACH(item, n / PL_ELEMENT_LANES)
    {
        int64_t i = first + item * PL_ELEMENT_LANES;
        pl_rest rest;
        pl_material m;
        real at[4][3], f[4][3], k[6][9], columns[54], all[12];
        int32_t b = body[i / PL_BATCH];
        pl_element_material(material, b, &m);
        pl_element_take(i, shape, volume, corner, x, &rest, at);
        real e = pl_element_evaluate(&m, &rest, at, scale[b], project, f, k);
        for (int32_t q = 0; q < 54; q++) columns[q] = k[q / 9][q % 9 % 3 * 3 + q % 9 / 3];
        for (int32_t q = 0; q < 12; q++) all[q] = f[q / 3][q % 3];
        pl_element_store(&e, 1, energy + i);
        pl_element_store(all, 12, force + 12 * i);
        pl_element_store_blocks(columns, block + pl_fem_block(i - first));
    }
}

// What an element keeps from one half of the kernel below to the next.
typedef struct pl_element_pulled {
    real p[9], energy;
} pl_element_pulled;

// The same without stiffness. In two phases, of which the second reads the rest shape once more: to
// keep it would take more registers than two groups of 256 on a multiprocessor have.
PL_KERNEL void fem_element_forces(int64_t n, PL_IN(double) shape, PL_IN(double) volume,
                                  PL_IN(int32_t) corner, PL_IN(int32_t) body,
                                  PL_IN(double) material, PL_IN(double) x, PL_OUT(double) energy,
                                  PL_OUT(double) force)
{
    PL_PRIVATE(pl_element_pulled, pulled);
    PL_EACH(item, n / PL_ELEMENT_LANES)
    {
        int64_t i = item * PL_ELEMENT_LANES;
        pl_rest rest;
        pl_material m;
        real at[4][3];
        pl_element_material(material, body[i / PL_BATCH], &m);
        pl_element_take(i, shape, volume, corner, x, &rest, at);
        PL_MINE(pulled).energy = pl_element_pull(&m, &rest, at, PL_MINE(pulled).p);
    }
    PL_BARRIER;
    PL_EACH(item, n / PL_ELEMENT_LANES)
    {
        int64_t i = item * PL_ELEMENT_LANES;
        pl_rest rest;
        real f[4][3], all[12];
        pl_element_rest(i, shape, volume, &rest);
        pl_element_force(&rest, PL_MINE(pulled).p, f);
        real e = pl_element_energy(&rest, PL_MINE(pulled).energy);
        for (int32_t q = 0; q < 12; q++) all[q] = f[q / 3][q % 3];
        pl_element_store(&e, 1, energy + i);
        pl_element_store(all, 12, force + 12 * i);
    }
}

// flat[i] := is tet i of the batches flat or inverted? tet (8*n_batch) is negative in lanes without
// one.
PL_KERNEL void fem_element_flat(int64_t n, PL_IN(double) shape, PL_IN(double) volume,
                                PL_IN(int32_t) corner, PL_IN(int32_t) tet, PL_IN(double) x,
                                PL_OUT(int32_t) flat)
{
    PL_EACH(item, n / PL_ELEMENT_LANES)
    {
        int64_t i = item * PL_ELEMENT_LANES;
        pl_rest rest;
        real at[4][3], f[9];
        pl_element_take(i, shape, volume, corner, x, &rest, at);
        pl_element_gradient(&rest, at, f);
        real det = f[0] * (f[4] * f[8] - f[5] * f[7]) + f[1] * (f[5] * f[6] - f[3] * f[8]) +
                   f[2] * (f[3] * f[7] - f[4] * f[6]);
        real whole = real_flag(det > 0);
#if PL_ELEMENT_LANES == 1
        flat[i] = tet[i] >= 0 && whole == 0;
#else
        double lane[PL_ELEMENT_LANES];
        vstore8(whole, 0, lane);
        for (int32_t l = 0; l < PL_ELEMENT_LANES; l++) {
            flat[i + l] = tet[i + l] >= 0 && lane[l] == 0;
        }
#endif
    }
}

// --- Gathering ---

// The blocks (i, j) and (j, i) of A, which are each other's transpose: s, and base if there is one.
PL_INLINE void pl_fem_write_edge(const double s[9], int64_t slot, int64_t mirror, int32_t has_base,
                                 PL_IN(double) base, PL_OUT(double) val)
{
    for (int32_t q = 0; q < 9; q++) {
        double turned = s[q % 3 * 3 + q / 3];
        val[9 * slot + q] = has_base ? base[9 * slot + q] + s[q] : s[q];
        val[9 * mirror + q] = has_base ? base[9 * mirror + q] + turned : turned;
    }
}

// sum of the edges `first` ... of all patches, n of them: over the blocks item[start[i]] ... of
// elements, of which `block` begins with that numbered first_block. Those that no other patch has
// go to A, too: slot and mirror are not negative.
PL_KERNEL void fem_sum_edges(int64_t n, int64_t first, int64_t first_block, PL_IN(int32_t) start,
                             PL_IN(int32_t) item, PL_IN(double) block, PL_IN(int32_t) slot,
                             PL_IN(int32_t) mirror, int32_t has_base, PL_IN(double) base,
                             PL_OUT(double) sum, PL_OUT(double) val)
{
    PL_EACH(e, n)
    {
        int64_t i = first + e;
        double s[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        for (int32_t at = start[i]; at < start[i + 1]; at++) {
            int64_t of = item[at] - first_block, element = of / 6;
            int64_t from = pl_fem_block(element) + 9 * PL_BATCH * (of % 6);
            for (int32_t q = 0; q < 9; q++) s[q] += block[from + PL_BATCH * q];
        }
        for (int32_t q = 0; q < 9; q++) sum[9 * i + q] = s[q];
        if (slot[i] >= 0) pl_fem_write_edge(s, slot[i], mirror[i], has_base, base, val);
    }
}

// The blocks of A of edge i of the seams: the sum of what the patches part[start[i]] ... have of
// it.
PL_KERNEL void fem_write_edges(int64_t n, PL_IN(int32_t) start, PL_IN(int32_t) part,
                               PL_IN(double) sum, PL_IN(int32_t) slot, PL_IN(int32_t) mirror,
                               int32_t has_base, PL_IN(double) base, PL_OUT(double) val)
{
    PL_EACH(i, n)
    {
        double s[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        for (int32_t at = start[i]; at < start[i + 1]; at++) {
            int64_t from = 9 * (int64_t)part[at];
            for (int32_t q = 0; q < 9; q++) s[q] += sum[from + q];
        }
        pl_fem_write_edge(s, slot[i], mirror[i], has_base, base, val);
    }
}

// The diagonal blocks: mass, less the blocks of all edges of a vertex, patch by patch. part: the
// places of a vertex in the lists of patches; edges item[first[p]] ... end in place p. mass_scale:
// of bodies.
PL_KERNEL void fem_write_diagonals(int64_t n_vert, PL_IN(int32_t) start, PL_IN(int32_t) part,
                                   PL_IN(int32_t) first, PL_IN(int32_t) item, PL_IN(double) sum,
                                   PL_IN(double) mass, PL_IN(int32_t) body,
                                   PL_IN(double) mass_scale, PL_IN(int64_t) diag, int32_t has_base,
                                   PL_IN(double) base, PL_OUT(double) val)
{
    PL_EACH(v, n_vert)
    {
        double all[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        int64_t to = 9 * diag[v];
        for (int32_t at = start[v]; at < start[v + 1]; at++) {
            double s[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
            int32_t p = part[at];
            for (int32_t e = first[p]; e < first[p + 1]; e++) {
                int64_t from = 9 * (int64_t)item[e];
                for (int32_t q = 0; q < 9; q++) s[q] -= sum[from + q];
            }
            for (int32_t q = 0; q < 9; q++) all[q] += s[q];
        }
        for (int32_t q = 0; q < 9; q++) {
            double value = 0.5 * (all[q] + all[q % 3 * 3 + q / 3]);
            if (q % 4 == 0) value += mass_scale[body[v]] * mass[v];
            val[to + q] = has_base ? base[to + q] + value : value;
        }
    }
}

// f (3*n_vert), likewise: corners item[first[p]] ... of elements are at place p.
PL_KERNEL void fem_write_forces(int64_t n_vert, PL_IN(int32_t) start, PL_IN(int32_t) part,
                                PL_IN(int32_t) first, PL_IN(int32_t) item, PL_IN(double) force,
                                PL_OUT(double) f)
{
    PL_EACH(v, n_vert)
    {
        double all[3] = {0, 0, 0};
        for (int32_t at = start[v]; at < start[v + 1]; at++) {
            double s[3] = {0, 0, 0};
            int32_t p = part[at];
            for (int32_t c = first[p]; c < first[p + 1]; c++) {
                int64_t from = 3 * (int64_t)item[c];
                for (int32_t k = 0; k < 3; k++) s[k] += force[from + k];
            }
            for (int32_t k = 0; k < 3; k++) all[k] += s[k];
        }
        for (int32_t k = 0; k < 3; k++) f[3 * v + k] = all[k];
    }
}

// The energy of each patch: over its batches first[p] ...
PL_KERNEL void fem_sum_energy(int64_t n_patch, PL_IN(int32_t) first, PL_IN(double) energy,
                              PL_OUT(double) sum)
{
    PL_EACH(p, n_patch)
    {
        double all = 0;
        for (int64_t b = first[p]; b < first[p + 1]; b++) {
            double s = 0;
            for (int32_t l = 0; l < PL_BATCH; l++) s += energy[PL_BATCH * b + l];
            all += s;
        }
        sum[p] = all;
    }
}

// How many tets of each patch are flat.
PL_KERNEL void fem_sum_flat(int64_t n_patch, PL_IN(int32_t) first, PL_IN(int32_t) flat,
                            PL_OUT(int32_t) sum)
{
    PL_EACH(p, n_patch)
    {
        int32_t all = 0;
        for (int64_t i = PL_BATCH * (int64_t)first[p]; i < PL_BATCH * (int64_t)first[p + 1]; i++) {
            all += flat[i];
        }
        sum[p] = all;
    }
}

#endif
