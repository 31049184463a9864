// [VJ19, 3.4] The inverse of B by blocks, with A replaced by A_d and S = L A^-1 L^T + K by S_d:
//     y = -S_d^-1 (c + L A_d^-1 a),    x = A_d^-1 (a + L^T y)    for C (x, y) = (a, c).
// As printed, A_d and S_d are the diagonals. Otherwise they are the 3x3 blocks on them, which cost
// the same to apply and do not depend on the axes.
//
// PL_PRECOND_SCHUR has all of S = L A_d^-1 L^T + K, with what contacts do to each other. Contacts
// at nearly the same place make that singular, and a proximal term P, a small share of its
// diagonal, holds their impulses; in a preconditioner it changes no solution. With Q = (K + P)^-1,
//     S^-1 = Q - Q L H^-1 L^T Q,    H = A_d + L^T Q L,    A_d^-1 L^T S^-1 w = H^-1 L^T Q w,
// where H has the blocks that contacts touch and is factored (touched.h): it is no larger where
// many contacts share a few of them.
//
// That is B = U^T diag(A, -S) U with U = (I, -A^-1 L^T; 0, I), inverted factor by factor: it is as
// indefinite as B. MINRES must have a positive definite C. Its full one has S for -S, which only
// turns the sign of y, and would leave C^-1 B the eigenvalues 1 and -1 if A_d and S_d were exact;
// how [VJ19, 7] made Full fit, it does not say.

#include "cr.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

// P in parts of the diagonal of S. With less, the linear problem takes fewer iterations still, and
// states go in circles more often.
static const double PROXIMAL = 0.01;

// --- Near-duplicates [VJ19, 3.4.1] ---

static double weight_in(const pl_problem *problem, const pl_constraint *contact, int32_t block)
{
    for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
        if (problem->entry[t].block == block) return problem->entry[t].w;
    }
    return 0;
}

// The product of (1 - |difference of weights|) over the blocks that a and b share. Their other
// blocks do not count, so that contacts which share one vertex of little weight may pass as alike.
static double similarity_printed(const pl_problem *problem, const pl_constraint *a,
                                 const pl_constraint *b)
{
    double product = 1;
    for (int32_t t = a->first; t < a->first + a->count; t++) {
        const pl_entry *entry = problem->entry + t;
        double other = weight_in(problem, b, entry->block);
        if (other != 0) product *= 1 - PL_MIN(fabs(fabs(entry->w) - fabs(other)), 1);
    }
    return product;
}

// The same over the blocks of both, and with the cosine between the normals: 0 unless they act on
// the same blocks in the same direction.
static double similarity(const pl_problem *problem, const pl_constraint *a, const pl_constraint *b)
{
    const double *n = a->R, *o = b->R;
    double product = PL_MAX(n[0] * o[0] + n[1] * o[1] + n[2] * o[2], 0);
    for (int32_t t = a->first; t < a->first + a->count; t++) {
        const pl_entry *entry = problem->entry + t;
        double other = weight_in(problem, b, entry->block);
        product *= 1 - PL_MIN(fabs(entry->w - other), 1);
    }
    for (int32_t t = b->first; t < b->first + b->count; t++) {
        const pl_entry *entry = problem->entry + t;
        if (weight_in(problem, a, entry->block) == 0) product *= 1 - PL_MIN(fabs(entry->w), 1);
    }
    return product;
}

// The contacts of a block that turns belong to a rigid body, all of whose contacts count as alike.
static bool is_angular(const pl_problem *problem, const pl_use *use)
{
    return problem->entry[use->term].w == 0;
}

// For each rigid body, as printed, the number of its contacts stands in for their similarities; the
// paper counts per pair of bodies, which a list of blocks does not know.
void pl_cr_weigh(const pl_problem *problem, const pl_uses *uses, bool printed, int32_t *seen,
                 int32_t *at, double *Z)
{
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        Z[k] = 1;
        seen[k] = -1;
    }
    for (int32_t i = 0; i < uses->n; i++) {
        for (int32_t a = uses->start[i]; a < uses->start[i + 1]; a++) {
            int32_t k = uses->use[a].constraint;
            if (is_angular(problem, uses->use + a)) {
                double count = uses->start[i + 1] - uses->start[i];
                Z[k] = PL_MAX(Z[k], count);
            }
        }
    }
    const pl_constraint *contact = problem->constraint;
    for (int32_t i = 0; i < uses->n; i++) at[uses->block[i]] = i;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        seen[k] = k;
        for (int32_t t = contact[k].first; t < contact[k].first + contact[k].count; t++) {
            const pl_entry *entry = problem->entry + t;
            if (pl_is_prescribed(problem, entry->block) || entry->w == 0) continue;
            int32_t i = at[entry->block];
            for (int32_t b = uses->start[i]; b < uses->start[i + 1]; b++) {
                int32_t other = uses->use[b].constraint;
                if (seen[other] == k || problem->entry[uses->use[b].term].w == 0) continue;
                seen[other] = k;
                Z[k] += printed ? similarity_printed(problem, contact + k, contact + other)
                                : similarity(problem, contact + k, contact + other);
            }
        }
    }
}

// --- A_d and S_d ---

static void approximate_A(pl_cr *cr)
{
    const pl_bsr *A = cr->problem.A;
    bool none = cr->options->precond == PL_PRECOND_NONE;
    bool printed = cr->options->vj19 && cr->options->precond != PL_PRECOND_SCHUR;
    for (int64_t i = 0; i < A->n; i++) {
        double *inv = cr->A_d.inv + 6 * i;
        const double *a = A->val + 9 * A->diag[i];
        if (pl_is_prescribed(&cr->problem, i)) {
            memset(inv, 0, 6 * sizeof *inv);
        } else if (none || printed) {
            inv[0] = none ? 1 : 1 / a[0];
            inv[3] = none ? 1 : 1 / a[4];
            inv[5] = none ? 1 : 1 / a[8];
            inv[1] = inv[2] = inv[4] = 0;
        } else {
            memcpy(inv, cr->ws->D.inv + 6 * i, 6 * sizeof *inv);
        }
    }
}

static bool is_full(const pl_cr *cr)
{
    pl_precond precond = cr->options->precond;
    return precond == PL_PRECOND_FULL || precond == PL_PRECOND_SCHUR;
}

static pl_status create_schur(pl_cr *cr)
{
    pl_cr_schur *s = &cr->schur;
    pl_arena *arena = &cr->ws->arena;
    s->stiffness = pl_arena_take(arena, cr->problem.n_constraint, sizeof *s->stiffness);
    s->x = pl_arena_take(arena, 3 * (int64_t)cr->ws->uses.n, sizeof *s->x);
    s->v = pl_arena_take(arena, cr->n, sizeof *s->v);
    s->u = pl_arena_take(arena, cr->m, sizeof *s->u);
    bool all = s->stiffness != NULL && s->x != NULL && s->v != NULL && s->u != NULL;
    if (!all) return PL_ERROR_MEMORY;
    memset(s->v, 0, (size_t)cr->n * sizeof *s->v);
    s->stale = true;
    return pl_touched_create(&cr->problem, &cr->ws->uses, arena, &s->touched);
}

// Without a preconditioner the kinds of rows need a common scale: as printed, rows are
// displacements, dt times ours. Otherwise rows of L become as large as A's mean diagonal.
static double scale_of_rows(const pl_cr *cr)
{
    if (cr->options->vj19) return cr->problem.dt * cr->problem.dt;
    const pl_bsr *A = cr->problem.A;
    double sum = 0;
    for (int64_t i = 0; i < A->n; i++) {
        const double *a = A->val + 9 * A->diag[i];
        sum += a[0] + a[4] + a[8];
    }
    double mean = sum / (3 * (double)A->n);
    return mean * mean;
}

pl_status pl_cr_precond_create(pl_cr *cr)
{
    int64_t n_constraint = cr->problem.n_constraint, n_block = cr->problem.A->n;
    cr->A_d = (pl_block_jacobi){(int32_t)n_block,
                                pl_arena_take(&cr->ws->arena, 6 * n_block, sizeof(double))};
    int32_t *seen = pl_arena_take(&cr->ws->arena, n_constraint + n_block, sizeof *seen);
    double *Z = pl_arena_take(&cr->ws->arena, n_constraint, sizeof *Z);
    if (cr->A_d.inv == NULL || seen == NULL || Z == NULL) return PL_ERROR_MEMORY;
    if (cr->options->trace != NULL) {
        cr->looked.v = pl_arena_take(&cr->ws->arena, cr->n, sizeof(double));
        cr->looked.f = pl_arena_take(&cr->ws->arena, cr->m, sizeof(double));
        if (cr->looked.v == NULL || cr->looked.f == NULL) return PL_ERROR_MEMORY;
    }
    approximate_A(cr);
    cr->none = scale_of_rows(cr);
    pl_cr_weigh(&cr->problem, &cr->ws->uses, cr->options->vj19, seen, seen + n_constraint, Z);
    for (int64_t k = 0; k < n_constraint; k++) cr->contact[k].Z = Z[k];
    return cr->options->precond == PL_PRECOND_SCHUR ? create_schur(cr) : PL_OK;
}

void pl_cr_precond_update(pl_cr *cr, int32_t k)
{
    pl_cr_contact *contact = cr->contact + k;
    pl_contact_block(&cr->problem, &cr->A_d, k, contact->S);
    double M[9];
    for (int i = 0; i < 9; i++) {
        bool diagonal = i % 4 == 0;
        M[i] = diagonal || !cr->options->vj19 ? contact->Z * contact->S[i] : 0;
        if (diagonal) M[i] += contact->K[i / 4];
    }
    pl_cr_invert_rows(M, cr->rows[k], contact->inverse);
    cr->schur.stale = true;
}

// --- C^-1 ---

// y (m) := factor S_d^-1 x, in the active rows.
static void apply_S(const pl_cr *cr, double factor, const double *x, double *y)
{
    for (int64_t k = 0; k < cr->problem.n_constraint; k++) {
        const double *M = cr->contact[k].inverse, *a = x + 3 * k;
        for (int i = 0; i < 3; i++) {
            y[3 * k + i] = factor * ((M[3 * i] * a[0] + M[3 * i + 1] * a[1]) + M[3 * i + 2] * a[2]);
        }
    }
}

// (K + P)^-1 of one row of a contact.
static float row_stiffness(const pl_cr *cr, int32_t k, int row)
{
    const pl_cr_contact *contact = cr->contact + k;
    double give = PROXIMAL * contact->S[4 * row] + contact->K[row];
    bool counts = (cr->rows[k] >> row & 1) != 0 && contact->S[4 * row] > 0;
    return counts ? (float)(1 / give) : 0;
}

static void factor_schur(pl_cr *cr)
{
    pl_cr_schur *s = &cr->schur;
    for (int32_t k = 0; k < cr->problem.n_constraint; k++) {
        s->stiffness[k] = (pl_stiffness){
            .nn = row_stiffness(cr, k, 0),
            .t11 = row_stiffness(cr, k, 1),
            .t22 = row_stiffness(cr, k, 2),
        };
    }
    s->factored = pl_touched_set(&s->touched, 1, s->stiffness);
    s->stale = false;
    cr->stats->factorizations++;
}

// u := Q u
static void stiffen(const pl_cr *cr, double *u)
{
    for (int64_t k = 0; k < cr->problem.n_constraint; k++) {
        const pl_stiffness *Q = cr->schur.stiffness + k;
        u[3 * k] *= (double)Q->nn, u[3 * k + 1] *= (double)Q->t11, u[3 * k + 2] *= (double)Q->t22;
    }
}

// z.f := sign S^-1 w, z.v := z.v + sign A_d^-1 L^T S^-1 w.
static void apply_schur(const pl_cr *cr, double sign, const double *w, const pl_cr_vector *z)
{
    const pl_cr_schur *s = &cr->schur;
    const pl_uses *uses = &cr->ws->uses;
    for (int64_t i = 0; i < cr->m; i++) s->u[i] = sign * w[i];
    memcpy(z->f, s->u, (size_t)cr->m * sizeof *s->u);
    stiffen(cr, s->u);
    pl_rows_transpose(&cr->problem, uses, s->u, cr->ws->world, s->x);
    pl_touched_apply(&s->touched, s->x);
    for (int32_t i = 0; i < uses->n; i++) {
        int64_t at = 3 * (int64_t)uses->block[i];
        memcpy(s->v + at, s->x + 3 * (int64_t)i, 3 * sizeof *s->v);
        for (int c = 0; c < 3; c++) z->v[at + c] += s->v[at + c];
    }
    pl_rows_multiply(&cr->problem, cr->rows, false, s->v, s->u);
    for (int64_t i = 0; i < cr->m; i++) z->f[i] -= s->u[i];
    stiffen(cr, z->f);
}

void pl_cr_precond_apply(pl_cr *cr, const pl_cr_vector *r, const pl_cr_vector *z)
{
    pl_block_jacobi_apply(&cr->A_d, r->v, z->v);
    switch (cr->options->precond) {
    case PL_PRECOND_NONE:
        for (int64_t i = 0; i < cr->m; i++) z->f[i] = cr->none * r->f[i];
        return;
    case PL_PRECOND_DIAG:
        apply_S(cr, 1, r->f, z->f);
        return;
    case PL_PRECOND_FULL:
    case PL_PRECOND_SCHUR:
        break;
    }
    double *x = cr->ws->u, *push = cr->ws->r, sign = cr->positive ? 1 : -1;
    pl_rows_multiply(&cr->problem, cr->rows, false, z->v, x);
    for (int64_t i = 0; i < cr->m; i++) x[i] += r->f[i];
    if (cr->options->precond == PL_PRECOND_SCHUR) {
        if (cr->schur.stale) factor_schur(cr);
        if (cr->schur.factored) {
            apply_schur(cr, sign, x, z);
            return;
        }
    }
    apply_S(cr, sign, x, z->f);
    memcpy(push, r->v, (size_t)cr->n * sizeof *push);
    pl_rows_transpose_add(&cr->problem, &cr->ws->uses, 1, z->f, cr->ws->world, push);
    pl_block_jacobi_apply(&cr->A_d, push, z->v);
}

// With z = C^-1 r, the square of the first is r . z if C is positive, as all are but the full one
// of CR. That has the factors
//     r . z = a . A_d^-1 a - w . S_d^-1 w,    r = (a, c),   w = c + L A_d^-1 a,   y = -S_d^-1 w,
// and the norm is that with a plus in place of the minus: r . z - 2 w . y.
void pl_cr_precond_norms(pl_cr *cr, double *all, double *contact)
{
    const pl_cr_vector *r = &cr->r, *z = &cr->looked;
    pl_cr_precond_apply(cr, r, z);
    double square = pl_vec_dot(cr->n, r->v, z->v) + pl_vec_dot(cr->m, r->f, z->f);
    if (is_full(cr) && !cr->positive) {
        square -= 2 * pl_vec_dot(cr->m, cr->ws->u, z->f); // w is left there
    }
    *all = sqrt(fmax(square, 0));
    *contact = 0;
    for (int64_t k = 0; k < cr->problem.n_constraint; k++) {
        const double *M = cr->contact[k].inverse, *c = r->f + 3 * k;
        double sum = 0;
        for (int i = 0; i < 9; i++) sum += c[i / 3] * M[i] * c[i % 3];
        *contact = fmax(*contact, sqrt(fmax(sum, 0)));
    }
}
