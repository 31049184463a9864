// Contact cells [Lit13, 4.1.2]: cells with material of two bodies that the surface between them
// crosses. That surface is where both distances are the same, phi_a = phi_b, in triangles of the
// six tetrahedra of the cell. Its normal n is that of the cell; J and T are integrals over it,
// divided by its area, so that rows are mean velocities and impulses those of the whole cell.

#include "euler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A surface that takes less of a cell than this [of h^2] is left to the cells beside.
static const double LEAST_AREA = 0.01;
// Bodies meet in a part of a step if they are no farther apart than so many times the way that
// their fastest nodes make in it, and a part of h more.
static const double REACH_WAY = 2, REACH_MORE = 0.05;
// Which part of an overlap a step takes back, and how much of h it does at most.
static const double RECOVERY = 0.1, RECOVERY_MOST = 0.01;

typedef struct pl_euler_patch {
    int32_t cell[3];
    int32_t a, b;
    double n[3]; // from b to a
    double w[8]; // the mean of phi_N over the surface
    double gap;  // mean distance of the two bodies' surfaces there [m]
} pl_euler_patch;

// --- The surface between two bodies ---

typedef struct cutting {
    double phi[2][8]; // of a and b at the corners of the cell
    double h;
    double reach;                      // what is farther apart than this does not meet [m]
    double area, normal[3], w[8], gap; // sums so far
} cutting;

static void weights_at(const double t[3], double w[8])
{
    for (int c = 0; c < 8; c++) {
        w[c] = (c & 1 ? t[0] : 1 - t[0]) * (c & 2 ? t[1] : 1 - t[1]) * (c & 4 ? t[2] : 1 - t[2]);
    }
}

// How far the surfaces of the bodies are apart at t, by distances in the world: phi / |grad phi|.
static double gap_at(const cutting *x, const double t[3], const double w[8])
{
    double gap = 0;
    for (int side = 0; side < 2; side++) {
        const double *phi = x->phi[side];
        double value = 0, grad[3] = {0};
        for (int c = 0; c < 8; c++) {
            value += w[c] * phi[c];
            for (int k = 0; k < 3; k++) {
                int i = (k + 1) % 3, j = (k + 2) % 3;
                double across = (c >> i & 1 ? t[i] : 1 - t[i]) * (c >> j & 1 ? t[j] : 1 - t[j]);
                grad[k] += (c >> k & 1 ? 1 : -1) * across * phi[c] / x->h;
            }
        }
        double size = sqrt(grad[0] * grad[0] + grad[1] * grad[1] + grad[2] * grad[2]);
        gap += value / fmax(size, 0.1); // in a map that is far from rigid
    }
    return gap;
}

// A triangle of the surface, its corners in units of the cell; `side`: a point where psi < 0.
static void add_triangle(cutting *x, const double p[3][3], const double side[3])
{
    double u[3], v[3], n[3], t[3], w[8], towards = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = x->h * (p[1][k] - p[0][k]);
        v[k] = x->h * (p[2][k] - p[0][k]);
        t[k] = (p[0][k] + p[1][k] + p[2][k]) / 3;
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = 0.5 * (u[i] * v[j] - u[j] * v[i]);
        towards += n[k] * (side[k] - t[k]);
    }
    double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    weights_at(t, w);
    double gap = gap_at(x, t, w);
    if (area == 0 || gap > x->reach) return;
    x->area += area;
    x->gap += area * gap;
    for (int k = 0; k < 3; k++) x->normal[k] += towards < 0 ? -n[k] : n[k];
    for (int c = 0; c < 8; c++) x->w[c] += area * w[c];
}

// The zeros of psi = phi_a - phi_b in a tetrahedron: a triangle, or two.
static void cut_tet(cutting *x, const uint8_t corner[4])
{
    double psi[4], at[4][3], p[4][3];
    int below[4], above[4], n_below = 0, n_above = 0;
    for (int k = 0; k < 4; k++) {
        psi[k] = x->phi[0][corner[k]] - x->phi[1][corner[k]];
        for (int i = 0; i < 3; i++) at[k][i] = corner[k] >> i & 1;
        if (psi[k] < 0) {
            below[n_below++] = k;
        } else {
            above[n_above++] = k;
        }
    }
    if (n_below == 0 || n_above == 0) return;
    // around the quadrilateral: below 0 - above 0, below 0 - above 1, below 1 - above 1, ...
    const int pair[3][4][2] = {{{0, 0}, {0, 1}, {0, 2}, {0, 2}},
                               {{0, 0}, {0, 1}, {1, 1}, {1, 0}},
                               {{0, 0}, {1, 0}, {2, 0}, {2, 0}}};
    for (int q = 0; q < 4; q++) {
        int a = below[pair[n_below - 1][q][0]], b = above[pair[n_below - 1][q][1]];
        double t = psi[a] / (psi[a] - psi[b]);
        for (int i = 0; i < 3; i++) p[q][i] = at[a][i] + t * (at[b][i] - at[a][i]);
    }
    const double first[3][3] = {
        {p[0][0], p[0][1], p[0][2]}, {p[1][0], p[1][1], p[1][2]}, {p[2][0], p[2][1], p[2][2]}};
    add_triangle(x, first, at[below[0]]);
    if (n_below != 2) return;
    const double second[3][3] = {
        {p[0][0], p[0][1], p[0][2]}, {p[2][0], p[2][1], p[2][2]}, {p[3][0], p[3][1], p[3][2]}};
    add_triangle(x, second, at[below[0]]);
}

static pl_status try_cell(pl_euler *e, int32_t a, int32_t b, double reach, const int32_t place[3])
{
    cutting x = {.h = e->h, .reach = reach};
    const int32_t of[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        const pl_euler_window *w = &e->body[of[side]].now;
        int64_t cell =
            pl_euler_at(w, place[0] - w->lo[0], place[1] - w->lo[1], place[2] - w->lo[2]);
        if (w->slot[cell] < 0) return PL_OK;
        for (int c = 0; c < 8; c++) x.phi[side][c] = w->phi[pl_euler_corner(w, cell, c)];
    }
    for (int t = 0; t < 6; t++) cut_tet(&x, pl_euler_tets[t]);
    const double *n = x.normal;
    double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(size > LEAST_AREA * e->h * e->h)) return PL_OK;
    pl_euler_patch patch = {.a = a, .b = b, .gap = x.gap / x.area};
    for (int k = 0; k < 3; k++) {
        patch.cell[k] = place[k];
        patch.n[k] = n[k] / size;
    }
    for (int c = 0; c < 8; c++) patch.w[c] = x.w[c] / x.area;
    e->min_gap = fmin(e->min_gap, patch.gap);
    PL_TRY(pl_reserve((void **)&e->patch, &e->patch_capacity, e->n_patch + 1, sizeof patch));
    e->patch[e->n_patch++] = patch;
    return PL_OK;
}

static pl_status find_patches(pl_euler *e, int32_t a, int32_t b, double dt)
{
    const pl_euler_window *A = &e->body[a].now, *B = &e->body[b].now;
    int32_t lo[3], hi[3], at[3];
    double way = dt * (e->body[a].fastest + e->body[b].fastest);
    double reach = REACH_MORE * e->h + REACH_WAY * way;
    if (e->body[a].driven && e->body[b].driven) return PL_OK;
    for (int k = 0; k < 3; k++) {
        lo[k] = PL_MAX(A->lo[k], B->lo[k]);
        hi[k] = PL_MIN(A->lo[k] + A->n[k], B->lo[k] + B->n[k]) - 1;
    }
    for (at[0] = lo[0]; at[0] < hi[0]; at[0]++) {
        for (at[1] = lo[1]; at[1] < hi[1]; at[1]++) {
            for (at[2] = lo[2]; at[2] < hi[2]; at[2]++) PL_TRY(try_cell(e, a, b, reach, at));
        }
    }
    return PL_OK;
}

// By cell, x first [Lit13, 5.2.1], then by bodies.
static int order(const int32_t cell[3], int32_t a, int32_t b, const int32_t other[3], int32_t c,
                 int32_t d)
{
    for (int k = 0; k < 3; k++) {
        if (cell[k] != other[k]) return cell[k] < other[k] ? -1 : 1;
    }
    if (a != c) return a < c ? -1 : 1;
    return (b > d) - (b < d);
}

static int compare_patches(const void *left, const void *right)
{
    const pl_euler_patch *p = left, *q = right;
    return order(p->cell, p->a, p->b, q->cell, q->a, q->b);
}

static int compare_contacts(const void *left, const void *right)
{
    const pl_euler_contact *p = left, *q = right;
    return order(p->cell, p->a, p->b, q->cell, q->a, q->b);
}

// --- The problem ---

// Gives blocks to the nodes that contacts touch, in the order in which they do.
static int32_t number_nodes(pl_euler *e)
{
    int32_t n = 0;
    for (int64_t i = 0; i < e->n_patch; i++) {
        const pl_euler_patch *p = &e->patch[i];
        const int32_t of[2] = {p->a, p->b};
        for (int side = 0; side < 2; side++) {
            const pl_euler_body *body = &e->body[of[side]];
            const pl_euler_window *w = &body->now;
            int64_t cell =
                pl_euler_at(w, p->cell[0] - w->lo[0], p->cell[1] - w->lo[1], p->cell[2] - w->lo[2]);
            for (int c = 0; c < 8 && !body->driven; c++) {
                int32_t *block = &w->block[pl_euler_stands_for(w, pl_euler_corner(w, cell, c))];
                if (*block < 0) *block = n++;
            }
        }
    }
    return n;
}

// A: one block per node, its mass.
static pl_status make_system(pl_euler *e, int32_t n)
{
    pl_bsr *A = &e->A;
    PL_TRY(pl_reserve((void **)&A->row, &e->row_capacity, n + 1, sizeof *A->row));
    PL_TRY(pl_reserve((void **)&A->col, &e->col_capacity, n, sizeof *A->col));
    PL_TRY(pl_reserve((void **)&A->diag, &e->diag_capacity, n, sizeof *A->diag));
    PL_TRY(pl_reserve((void **)&A->val, &e->val_capacity, 9 * ((int64_t)n + 1), sizeof *A->val));
    PL_TRY(pl_reserve((void **)&e->b, &e->b_capacity, 3 * (int64_t)n, sizeof *e->b));
    PL_TRY(pl_reserve((void **)&e->v, &e->v_capacity, 3 * (int64_t)n, sizeof *e->v));
    PL_TRY(pl_reserve((void **)&e->v_start, &e->v_start_capacity, 3 * (int64_t)n, sizeof *e->v));
    A->n = n;
    A->nnz = n;
    memset(A->val, 0, 9 * ((size_t)n + 1) * sizeof *A->val);
    for (int32_t i = 0; i < n; i++) A->row[i] = A->diag[i] = A->col[i] = i;
    A->row[n] = n;
    for (int32_t i = 0; i < e->n_body; i++) {
        const pl_euler_window *w = &e->body[i].now;
        for (int64_t at = 0; at < w->count && !e->body[i].driven; at++) {
            if (w->block[at] < 0) continue;
            int64_t block = w->block[at];
            for (int k = 0; k < 3; k++) {
                A->val[9 * block + 4 * k] = w->m[at];
                e->v[3 * block + k] = w->next[3 * at + k];
                e->b[3 * block + k] = w->m[at] * w->next[3 * at + k];
            }
        }
    }
    memcpy(e->v_start, e->v, 3 * (size_t)n * sizeof *e->v);
    pl_bsr_set_parts(A);
    return PL_OK;
}

// Two tangents: along the axes as far as that goes.
static void find_frame(const double n[3], double R[9])
{
    int least = 0;
    for (int k = 1; k < 3; k++) {
        if (fabs(n[k]) < fabs(n[least])) least = k;
    }
    double t[3], size = 0;
    for (int k = 0; k < 3; k++) {
        t[k] = (k == least) - n[least] * n[k];
        size += t[k] * t[k];
    }
    size = sqrt(size);
    for (int k = 0; k < 3; k++) {
        R[k] = n[k];
        R[3 + k] = t[k] / size;
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        R[6 + k] = R[i] * R[3 + j] - R[j] * R[3 + i];
    }
}

static pl_status add_contact(pl_euler *e, const pl_euler_patch *p, double dt)
{
    static const pl_limits DIAMOND = {.law = PL_LAW_PYRAMID, .directions = 4};
    pl_term term[16];
    pl_constraint constraint = {.mu = sqrt(e->body[p->a].options.surface.friction *
                                           e->body[p->b].options.surface.friction)};
    int32_t n = 0;
    const int32_t of[2] = {p->a, p->b};
    find_frame(p->n, constraint.R);
    for (int side = 0; side < 2; side++) {
        const pl_euler_body *body = &e->body[of[side]];
        const pl_euler_window *w = &body->now;
        double sign = side == 0 ? 1 : -1;
        int64_t cell =
            pl_euler_at(w, p->cell[0] - w->lo[0], p->cell[1] - w->lo[1], p->cell[2] - w->lo[2]);
        for (int c = 0; c < 8 && !body->driven; c++) {
            int32_t block = w->block[pl_euler_stands_for(w, pl_euler_corner(w, cell, c))];
            term[n++] = (pl_term){.block = block, .w = sign * p->w[c]};
        }
        for (int k = 0; k < 3 && body->driven; k++) {
            const double *v = w->next + 3 * cell; // all nodes have the same
            const double *r = constraint.R + 3 * k;
            constraint.c[k] -= sign * (r[0] * v[0] + r[1] * v[1] + r[2] * v[2]);
        }
    }
    double back = fmin(-RECOVERY * p->gap, RECOVERY_MOST * e->h);
    constraint.c[0] += (p->gap > 0 ? -p->gap : back) / dt;
    return pl_problem_add_limited(&e->problem, &constraint, &DIAMOND, n, term);
}

// The impulse of the same cell in the part of a step before, along the axes of the row.
static void start_from_past(pl_euler *e, int32_t row)
{
    const double *R = e->problem.constraint[row].R;
    const pl_euler_contact *known = NULL;
    if (e->n_past > 0) {
        known = bsearch(&e->contact[row], e->past, (size_t)e->n_past, sizeof *e->past,
                        compare_contacts);
    }
    for (int k = 0; k < 3; k++) {
        const double *r = R + 3 * k;
        double f = known == NULL ? 0 : r[0] * known->f[0] + r[1] * known->f[1] + r[2] * known->f[2];
        e->f[3 * row + k] = k == 0 ? fmax(f, 0) : f;
    }
}

// What friction can bear, as the normal impulse may be smaller in the new frame.
static void shrink_friction(const pl_constraint *constraint, double f[3])
{
    double most = constraint->mu * f[0], size = fabs(f[1]) + fabs(f[2]);
    if (size <= most) return;
    f[1] *= most / size;
    f[2] *= most / size;
}

pl_status pl_euler_find_contacts(pl_euler *e, double dt)
{
    e->n_patch = 0;
    e->min_gap = INFINITY;
    for (int32_t a = 0; a < e->n_body; a++) {
        for (int32_t b = a + 1; b < e->n_body; b++) PL_TRY(find_patches(e, a, b, dt));
    }
    pl_problem_clear(&e->problem);
    if (e->n_patch == 0) return PL_OK;
    qsort(e->patch, (size_t)e->n_patch, sizeof *e->patch, compare_patches);
    int64_t n = e->n_patch;
    PL_TRY(make_system(e, number_nodes(e)));
    PL_TRY(pl_reserve((void **)&e->f, &e->f_capacity, 3 * n, sizeof *e->f));
    PL_TRY(pl_reserve((void **)&e->f_start, &e->f_start_capacity, 3 * n, sizeof *e->f));
    PL_TRY(pl_reserve((void **)&e->contact, &e->contact_capacity, n, sizeof *e->contact));
    e->problem.A = &e->A;
    e->problem.b = e->b;
    e->problem.dt = dt;
    for (int32_t i = 0; i < n; i++) {
        const pl_euler_patch *p = &e->patch[i];
        PL_TRY(add_contact(e, p, dt));
        e->contact[i] = (pl_euler_contact){.a = p->a, .b = p->b};
        memcpy(e->contact[i].cell, p->cell, sizeof p->cell);
        start_from_past(e, i);
        shrink_friction(&e->problem.constraint[i], e->f + 3 * (int64_t)i);
    }
    memcpy(e->f_start, e->f, 3 * (size_t)n * sizeof *e->f);
    return PL_OK;
}

// --- Its solution ---

static void take_velocities(pl_euler *e)
{
    for (int32_t i = 0; i < e->n_body; i++) {
        const pl_euler_window *w = &e->body[i].now;
        for (int64_t at = 0; at < w->count && !e->body[i].driven; at++) {
            if (w->block[at] < 0) continue;
            memcpy(w->next + 3 * at, e->v + 3 * (int64_t)w->block[at], 3 * sizeof *w->next);
            w->block[at] = -1;
        }
    }
}

// The impulse of a contact changes the momenta of its bodies by as much, one up and one down: it
// acts at the same place of both, the mean of the surface in the cell.
static void count_impulse(pl_euler *e, const pl_euler_patch *p, const double f[3])
{
    double x[3] = {0};
    for (int c = 0; c < 8; c++) {
        for (int k = 0; k < 3; k++) x[k] += p->w[c] * e->h * (p->cell[k] + (c >> k & 1));
    }
    const int32_t of[2] = {p->a, p->b};
    for (int side = 0; side < 2; side++) {
        pl_euler_body *body = &e->body[of[side]];
        double sign = side == 0 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            body->P[k] += sign * f[k];
            body->L[k] += sign * (x[i] * f[j] - x[j] * f[i]);
        }
    }
}

static pl_status remember(pl_euler *e)
{
    int32_t n = e->problem.n_constraint;
    for (int32_t i = 0; i < n; i++) {
        const double *R = e->problem.constraint[i].R, *f = e->f + 3 * (int64_t)i;
        for (int k = 0; k < 3; k++) {
            e->contact[i].f[k] = R[k] * f[0] + R[3 + k] * f[1] + R[6 + k] * f[2];
        }
        count_impulse(e, &e->patch[i], e->contact[i].f);
    }
    e->n_past = n;
    if (n == 0) return PL_OK;
    PL_TRY(pl_reserve((void **)&e->past, &e->past_capacity, n, sizeof *e->past));
    memcpy(e->past, e->contact, (size_t)n * sizeof *e->past);
    return PL_OK;
}

// Turns may cycle; "auto" then takes over.
static pl_status solve(pl_euler *e, const pl_solver_options *options)
{
    const pl_solver *rescuer;
    pl_status status = pl_solve(e->solver, &e->problem, options, &e->ws, e->v, e->f, &e->solve);
    if (status != PL_ERROR_NUMERICS) return status;
    PL_TRY(pl_solver_find("auto", &rescuer));
    e->rescued = true;
    return pl_solve(rescuer, &e->problem, options, &e->ws, e->v, e->f, &e->solve);
}

pl_status pl_euler_solve_contacts(pl_euler *e)
{
    e->solve = (pl_solve_stats){0};
    e->staggered = (pl_staggered_stats){0};
    e->rescued = false;
    if (e->problem.n_constraint > 0) {
        pl_solver_options options = pl_solver_options_default();
        options.contact_tolerance = e->options.contact_tolerance;
        options.max_iterations = e->options.max_iterations;
        options.staggered = &e->staggered;
        PL_TRY(solve(e, &options));
    }
    take_velocities(e);
    return remember(e);
}
