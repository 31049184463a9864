// Cells that the surface cuts: what part of them is material, and the masses of their corners.

#include "euler.h"

#include <math.h>
#include <string.h>

// [VJ19] has tetrahedra; these are Kuhn's [1960], which fit those of the cells beside.
const uint8_t pl_euler_tets[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                     {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};

// Less material than this part of a cell is none.
static const double LEAST_FILL = 1e-6;

// Nodes with less mass than this part of that of a whole cell are light. By themselves they would
// take whatever velocity a contact asks of them, and be crushed.
static const double LIGHT = 0.1;

// --- Parts of tetrahedra ---

// How far from a to b the function is below 0, where a < 0 <= b.
static double below(double a, double b)
{
    return a / (a - b);
}

// One corner below: the product of the three edges' parts. Two, a and b, with c and d above: the
// tetrahedra (a, b, ac, ad), (b, bc, bd, ac) and (b, bd, ad, ac).
double pl_euler_part_below(const double phi[4])
{
    int32_t n = 0;
    double f[4]; // those below first
    for (int k = 0; k < 4; k++) {
        if (phi[k] < 0) f[n++] = phi[k];
    }
    int32_t at = n;
    for (int k = 0; k < 4; k++) {
        if (!(phi[k] < 0)) f[at++] = phi[k];
    }
    if (n == 0) return 0;
    if (n == 4) return 1;
    if (n == 1) return below(f[0], f[1]) * below(f[0], f[2]) * below(f[0], f[3]);
    if (n == 3)
        return 1 - (1 - below(f[0], f[3])) * (1 - below(f[1], f[3])) * (1 - below(f[2], f[3]));
    double ac = below(f[0], f[2]), ad = below(f[0], f[3]);
    double bc = below(f[1], f[2]), bd = below(f[1], f[3]);
    return ac * ad + bc * bd * (1 - ac) + bd * ac * (1 - ad);
}

static double find_fill(const pl_euler_window *w, int64_t cell)
{
    double phi[8], sum = 0;
    int32_t inside = 0;
    for (int c = 0; c < 8; c++) {
        int64_t at = pl_euler_corner(w, cell, c);
        if (w->node[at] == PL_NODE_NONE) return 0;
        phi[c] = w->phi[at];
        inside += phi[c] < 0;
    }
    if (inside == 0 || inside == 8) return inside == 8;
    for (int t = 0; t < 6; t++) {
        const uint8_t *corner = pl_euler_tets[t];
        const double f[4] = {phi[corner[0]], phi[corner[1]], phi[corner[2]], phi[corner[3]]};
        sum += pl_euler_part_below(f);
    }
    return sum / 6;
}

// --- Distances and cells ---

static void find_phi(void *context, int64_t first, int64_t last)
{
    const pl_euler_body *body = context;
    const pl_euler_window *w = &body->now;
    for (int64_t at = first; at < last; at++) {
        bool valid = w->node[at] != PL_NODE_NONE;
        w->phi[at] = valid ? pl_distance_at(&body->shape, w->X + 3 * at) : INFINITY;
    }
}

static void find_fills(void *context, int64_t first, int64_t last)
{
    const pl_euler_body *body = context;
    const pl_euler_window *w = &body->now;
    for (int64_t cell = first; cell < last; cell++) {
        int32_t place[3];
        pl_euler_place(w, cell, place);
        bool whole = place[0] + 1 < w->n[0] && place[1] + 1 < w->n[1] && place[2] + 1 < w->n[2];
        double fill = whole ? find_fill(w, cell) : 0;
        w->fill[cell] = fill < LEAST_FILL ? 0 : fill;
    }
}

static pl_status list_cells(pl_euler_body *body)
{
    const pl_euler_window *w = &body->now;
    body->n_cell = 0;
    for (int64_t at = 0; at < w->count; at++) body->n_cell += w->fill[at] > 0;
    PL_TRY(
        pl_reserve((void **)&body->cell, &body->cell_capacity, body->n_cell, sizeof *body->cell));
    PL_TRY(
        pl_reserve((void **)&body->data, &body->data_capacity, body->n_cell, sizeof *body->data));
    int64_t n = 0;
    for (int64_t at = 0; at < w->count; at++) {
        w->slot[at] = w->fill[at] > 0 ? (int32_t)n : -1;
        if (w->fill[at] > 0) body->cell[n++] = (int32_t)at;
    }
    return PL_OK;
}

// --- Masses ---

typedef struct mass_context {
    const pl_euler_body *body;
    double h;
} mass_context;

// The volume of the reference shape that stands in a cell, shared by its corners alike. It is det
// (grad X) at the centre, which is the mean over the cell to second order.
static void find_cell_masses(void *context, int64_t first, int64_t last)
{
    const mass_context *m = context;
    const pl_euler_body *body = m->body;
    const pl_euler_window *w = &body->now;
    for (int64_t s = first; s < last; s++) {
        int64_t cell = body->cell[s];
        double G[9] = {0};
        for (int c = 0; c < 8; c++) {
            const double *X = w->X + 3 * pl_euler_corner(w, cell, c);
            for (int k = 0; k < 3; k++) {
                double g = (c >> k & 1 ? 0.25 : -0.25) / m->h;
                for (int i = 0; i < 3; i++) G[3 * i + k] += X[i] * g;
            }
        }
        double det = G[0] * (G[4] * G[8] - G[5] * G[7]) - G[1] * (G[3] * G[8] - G[5] * G[6]) +
                     G[2] * (G[3] * G[7] - G[4] * G[6]);
        double mass = body->options.material.density * m->h * m->h * m->h * w->fill[cell] *
                      fmin(fmax(det, 0.05), 20);
        for (int c = 0; c < 8; c++) body->data[s].mass[c] = mass / 8;
    }
}

static void gather_masses(void *context, int64_t first, int64_t last)
{
    const pl_euler_body *body = ((const mass_context *)context)->body;
    const pl_euler_window *w = &body->now;
    for (int64_t at = first; at < last; at++) {
        int32_t place[3];
        double sum = 0;
        pl_euler_place(w, at, place);
        for (int c = 0; c < 8; c++) {
            bool there = place[0] >= (c & 1) && place[1] >= (c >> 1 & 1) && place[2] >= (c >> 2);
            if (!there) continue;
            int64_t cell = at - (pl_euler_corner(w, 0, c));
            if (w->slot[cell] >= 0) sum += body->data[w->slot[cell]].mass[c];
        }
        w->m[at] = sum;
        if (sum > 0) {
            w->node[at] = PL_NODE_MASS;
        } else if (w->node[at] >= PL_NODE_LIGHT) {
            w->node[at] = PL_NODE_EXTENDED;
        }
    }
}

// The heaviest neighbour of a light node; -1 if that is light, too.
static int32_t find_master(const pl_euler_window *w, int64_t at, double light)
{
    int32_t best = -1, place[3], to[3];
    pl_euler_place(w, at, place);
    for (int32_t c = 0; c < 27; c++) {
        to[0] = place[0] + c % 3 - 1;
        to[1] = place[1] + c / 3 % 3 - 1;
        to[2] = place[2] + c / 9 - 1;
        bool inside = true;
        for (int k = 0; k < 3; k++) inside = inside && to[k] >= 0 && to[k] < w->n[k];
        if (!inside) continue;
        int64_t other = pl_euler_at(w, to[0], to[1], to[2]);
        if (w->m[other] >= light && (best < 0 || w->m[other] > w->m[best])) best = (int32_t)other;
    }
    return best;
}

static void find_masters(void *context, int64_t first, int64_t last)
{
    const mass_context *x = context;
    const pl_euler_window *w = &x->body->now;
    double light = LIGHT * x->body->options.material.density * x->h * x->h * x->h;
    for (int64_t at = first; at < last; at++) {
        bool is_light = w->m[at] > 0 && w->m[at] < light;
        w->master[at] = is_light ? find_master(w, at, light) : -1;
    }
}

// Light nodes hand their mass over.
static void gather_light(pl_euler_window *w)
{
    for (int64_t at = 0; at < w->count; at++) {
        if (w->master[at] < 0) continue;
        w->m[w->master[at]] += w->m[at];
        w->m[at] = 0;
        w->node[at] = PL_NODE_LIGHT;
    }
}

// Every node has the mass that the body's total asks for.
static void weigh(pl_euler_body *body)
{
    const pl_euler_window *w = &body->now;
    double sum = 0;
    for (int64_t at = 0; at < w->count; at++) sum += w->m[at];
    body->weight = sum > 0 ? body->mass / sum : 1;
    for (int64_t at = 0; at < w->count; at++) w->m[at] *= body->weight;
}

enum { NODES_LEAST = 4096, CELLS_LEAST = 512 }; // of a chunk

pl_status pl_euler_measure(const pl_euler *e, pl_euler_body *body)
{
    mass_context context = {body, e->h};
    pl_loop(body->now.count, NODES_LEAST, find_phi, body);
    pl_loop(body->now.count, NODES_LEAST, find_fills, body);
    PL_TRY(list_cells(body));
    if (body->n_cell == 0) {
        return pl_fail(PL_ERROR_NUMERICS, "a body has left no trace on the grid");
    }
    pl_loop(body->n_cell, CELLS_LEAST, find_cell_masses, &context);
    pl_loop(body->now.count, NODES_LEAST, gather_masses, &context);
    if (!body->driven) {
        pl_loop(body->now.count, NODES_LEAST, find_masters, &context);
        gather_light(&body->now);
    }
    if (!body->driven) weigh(body);
    return PL_OK;
}

// --- Momenta ---

static void node_position(const pl_euler *e, const pl_euler_window *w, int64_t at, double x[3])
{
    int32_t place[3];
    pl_euler_place(w, at, place);
    for (int k = 0; k < 3; k++) x[k] = e->h * (w->lo[k] + place[k]);
}

void pl_euler_momenta(const pl_euler *e, const pl_euler_body *body, double P[3], double L[3])
{
    const pl_euler_window *w = &body->now;
    for (int k = 0; k < 3; k++) P[k] = L[k] = 0;
    for (int64_t at = 0; at < w->count; at++) {
        const double *v = w->v + 3 * at;
        double x[3];
        if (w->m[at] == 0) continue;
        node_position(e, w, at, x);
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            P[k] += w->m[at] * v[k];
            L[k] += w->m[at] * (x[i] * v[j] - x[j] * v[i]);
        }
    }
}

// x := I^-1 b for symmetric I, in full.
static void solve3(const double I[9], const double b[3], double x[3])
{
    double cof[9];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cof[3 * r + c] = I[3 * r1 + c1] * I[3 * r2 + c2] - I[3 * r1 + c2] * I[3 * r2 + c1];
        }
    }
    double det = I[0] * cof[0] + I[1] * cof[1] + I[2] * cof[2];
    for (int k = 0; k < 3; k++) {
        x[k] = (cof[k] * b[0] + cof[3 + k] * b[1] + cof[6 + k] * b[2]) / det;
    }
}

void pl_euler_set_momenta(const pl_euler *e, pl_euler_body *body, const double P[3],
                          const double L[3])
{
    const pl_euler_window *w = &body->now;
    double P0[3], L0[3], centre[3] = {0}, M = 0, I[9] = {0}, dV[3], dL[3], turn[3];
    pl_euler_momenta(e, body, P0, L0);
    for (int64_t at = 0; at < w->count; at++) {
        double x[3];
        if (w->m[at] == 0) continue;
        node_position(e, w, at, x);
        M += w->m[at];
        for (int k = 0; k < 3; k++) centre[k] += w->m[at] * x[k];
    }
    for (int k = 0; k < 3; k++) centre[k] /= M;
    for (int64_t at = 0; at < w->count; at++) {
        double r[3];
        if (w->m[at] == 0) continue;
        node_position(e, w, at, r);
        for (int k = 0; k < 3; k++) r[k] -= centre[k];
        double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int k = 0; k < 9; k++) {
            I[k] += w->m[at] * ((k % 4 == 0 ? r2 : 0) - r[k / 3] * r[k % 3]);
        }
    }
    for (int k = 0; k < 3; k++) dV[k] = (P[k] - P0[k]) / M;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        dL[k] = L[k] - L0[k] - M * (centre[i] * dV[j] - centre[j] * dV[i]);
    }
    solve3(I, dL, turn);
    for (int64_t at = 0; at < w->count; at++) {
        double r[3];
        if (w->node[at] == PL_NODE_NONE) continue;
        node_position(e, w, at, r);
        for (int k = 0; k < 3; k++) r[k] -= centre[k];
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            w->v[3 * at + k] += dV[k] + turn[i] * r[j] - turn[j] * r[i];
        }
    }
}

double pl_euler_kinetic(const pl_euler_body *body)
{
    const pl_euler_window *w = &body->now;
    double sum = 0;
    for (int64_t at = 0; at < w->count; at++) {
        const double *v = w->v + 3 * at;
        sum += 0.5 * w->m[at] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sum;
}

double pl_euler_gravity_energy(const pl_euler *e, const pl_euler_body *body)
{
    const pl_euler_window *w = &body->now;
    double sum = 0;
    for (int64_t at = 0; at < w->count; at++) {
        double x[3];
        if (w->m[at] == 0) continue;
        node_position(e, w, at, x);
        for (int k = 0; k < 3; k++) sum -= w->m[at] * e->options.gravity[k] * x[k];
    }
    return sum;
}
