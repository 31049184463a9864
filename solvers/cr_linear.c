// The linear problem B y = d of the states as they are: products, residual, and the recurrences.
//
// An iteration of CR keeps z = C^-1 r, B z, B p and C^-1 B p by recurrence, so that it needs one
// product with A and one application of C^-1. The share of A in B y, B p and B z is kept apart: a
// switch changes only the rest, and no product is needed to restart [VJ19, 3.5].
//
// MINRES makes the same of y in another way: its directions, too, are such that all B p are
// orthogonal in C^-1, but they come from the last two of them instead of from z. With q = C^-1 B p
// and eta = B p . q,
//     p'' = (q' - (q' . B q' / eta') p' - (eta' / sqrt(eta)) p) / sqrt(eta'),
// Lanczos' recurrence for C^-1 B: the factor of p is q' . B q / eta with B q taken from the line
// before, and all older directions drop out. (The usual form [Paige & Saunders 1975] makes a basis
// from r by the same recurrence and turns it into directions by Givens rotations; this one has the
// vectors of CR.) It does not break down where z . B z = 0; C must be positive definite.
//
// GCR [Eisenstat, Elman & Schultz 1983] keeps the directions since the last restart, and makes B p
// of a new one orthogonal to all of theirs, in the scalar product of a positive definite M^-1: C
// itself with its sign turned in the constraint rows. So it needs no symmetry of C, and forgets
// nothing that a switch has made wrong, at the cost of PL_CR_KEPT directions and one more
// application of C^-1: with a restart at each switch it is what [VJ19, 7] leaves open. Where z and
// B z are orthogonal, the next direction comes from C^-1 B p in place of C^-1 r.

#include "cr.h"
#include "kernel.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

// Lanczos' vectors span all that they can where sqrt(eta), of about the size of the eigenvalues of
// C^-1 B, falls below this: the rest is rounding.
static const double EXHAUSTED = 1e-9;

enum { CHUNK_SIZE = 1 << 14 }; // what a thread takes at least [elements]

// --- Vectors ---

static pl_status take(pl_cr *cr, pl_cr_vector *x)
{
    x->v = pl_arena_take(&cr->ws->arena, cr->n, sizeof *x->v);
    x->f = pl_arena_take(&cr->ws->arena, cr->m, sizeof *x->f);
    if (x->v == NULL || x->f == NULL) return PL_ERROR_MEMORY;
    memset(x->f, 0, (size_t)cr->m * sizeof *x->f);
    return PL_OK;
}

static pl_status take_kept(pl_cr *cr)
{
    cr->kept = pl_arena_take(&cr->ws->arena, PL_CR_KEPT, sizeof *cr->kept);
    if (cr->kept == NULL) return PL_ERROR_MEMORY;
    for (int i = 0; i < PL_CR_KEPT; i++) {
        pl_cr_direction *d = cr->kept + i;
        PL_TRY(take(cr, &d->p));
        PL_TRY(take(cr, &d->Bp));
        PL_TRY(take(cr, &d->g));
        d->Ap = pl_arena_take(&cr->ws->arena, cr->n, sizeof *d->Ap);
        if (d->Ap == NULL) return PL_ERROR_MEMORY;
    }
    return PL_OK;
}

pl_status pl_cr_linear_create(pl_cr *cr)
{
    pl_cr_vector *vector[] = {&cr->y,  &cr->r, &cr->z,     &cr->p,     &cr->Bp,
                              &cr->Bz, &cr->q, &cr->p_old, &cr->Bp_old};
    double **part[] = {&cr->Ay, &cr->Ap, &cr->Az, &cr->Ap_old};
    bool lanczos = cr->method == PL_CR_LANCZOS;
    int n_vector = lanczos ? 9 : 7, n_part = lanczos ? 4 : 3;
    for (int i = 0; i < n_vector; i++) PL_TRY(take(cr, vector[i]));
    for (int i = 0; i < n_part; i++) {
        *part[i] = pl_arena_take(&cr->ws->arena, cr->n, sizeof(double));
        if (*part[i] == NULL) return PL_ERROR_MEMORY;
    }
    return cr->method == PL_CR_ORTHOGONAL ? take_kept(cr) : PL_OK;
}

static double dot(const pl_cr *cr, const pl_cr_vector *x, const pl_cr_vector *y)
{
    return pl_vec_dot(cr->n, x->v, y->v) + pl_vec_dot(cr->m, x->f, y->f);
}

// y := y + a x
static void add(const pl_cr *cr, double a, const pl_cr_vector *x, const pl_cr_vector *y)
{
    pl_vec_add(cr->n, a, x->v, y->v);
    pl_vec_add(cr->m, a, x->f, y->f);
}

static void copy(const pl_cr *cr, const pl_cr_vector *from, const pl_cr_vector *to)
{
    memcpy(to->v, from->v, (size_t)cr->n * sizeof *to->v);
    memcpy(to->f, from->f, (size_t)cr->m * sizeof *to->f);
}

static void clear_known(const pl_cr *cr, double *x)
{
    if (cr->problem.prescribed == NULL) return;
    for (int64_t i = 0; i < cr->n; i++) {
        if (cr->problem.prescribed[i / 3]) x[i] = 0;
    }
}

// --- Products ---

// Ax := A x, and Bx := B x, in the rows that are not prescribed and in the active rows.
static void multiply(pl_cr *cr, const pl_cr_vector *x, double *Ax, const pl_cr_vector *Bx)
{
    pl_bsr_multiply(cr->problem.A, x->v, Ax);
    cr->stats->products++;
    memcpy(Bx->v, Ax, (size_t)cr->n * sizeof *Ax);
    clear_known(cr, Bx->v);
    pl_rows_transpose_add(&cr->problem, &cr->ws->uses, -1, x->f, cr->ws->world, Bx->v);
    pl_rows_multiply(&cr->problem, cr->rows, false, x->v, Bx->f);
    for (int64_t i = 0; i < cr->m; i++) {
        Bx->f[i] = -Bx->f[i] - cr->contact[i / 3].K[i % 3] * x->f[i];
    }
}

// The friction of contacts that slip is among the impulses, and so in r and not in d.
void pl_cr_residual(pl_cr *cr)
{
    for (int64_t i = 0; i < cr->n; i++) cr->r.v[i] = cr->problem.b[i] - cr->Ay[i];
    clear_known(cr, cr->r.v);
    memset(cr->ws->r, 0, (size_t)cr->n * sizeof(double));
    pl_rows_transpose_add(&cr->problem, &cr->ws->uses, 1, cr->y.f, cr->ws->world, cr->ws->r);
    cr->pushes = sqrt(pl_vec_dot(cr->n, cr->ws->r, cr->ws->r));
    pl_vec_add(cr->n, 1, cr->ws->r, cr->r.v);
    pl_rows_multiply(&cr->problem, cr->rows, true, cr->y.v, cr->r.f);
    for (int64_t i = 0; i < cr->m; i++) {
        bool active = cr->rows[i / 3] >> (i % 3) & 1;
        if (active) cr->r.f[i] += cr->contact[i / 3].K[i % 3] * cr->y.f[i];
    }
}

void pl_cr_restart(pl_cr *cr)
{
    pl_cr_residual(cr);
    pl_cr_precond_apply(cr, &cr->r, &cr->z);
    multiply(cr, &cr->z, cr->Az, &cr->Bz);
    copy(cr, &cr->z, &cr->p);
    copy(cr, &cr->Bz, &cr->Bp);
    memcpy(cr->Ap, cr->Az, (size_t)cr->n * sizeof *cr->Ap);
    cr->rho = dot(cr, &cr->z, &cr->Bz);
    cr->since = 0;
    cr->n_kept = 0;
    cr->idle = false;
}

double pl_cr_gradient(pl_cr *cr)
{
    if (cr->method == PL_CR_LANCZOS && cr->since > 0) multiply(cr, &cr->z, cr->Az, &cr->Bz);
    return sqrt(dot(cr, &cr->Bz, &cr->Bz));
}

// --- Steps ---

// Line 9 breaks down where z = C^-1 r and B z are orthogonal, and r is not 0: as after the
// activation of a contact in a problem that is solved but for that, when r has constraint rows
// only, on which B has no diagonal. The gradient of r . C^-1 r, which is -2 B z, then leads on: p
// := C^-1 B z. Returns whether it was so; the recurrence has to be restarted after the step.
static bool mend_direction(pl_cr *cr)
{
    double zz = dot(cr, &cr->z, &cr->z), gradient = dot(cr, &cr->Bz, &cr->Bz);
    if (cr->since > 0 || fabs(cr->rho) > PL_CR_COSINE_MIN * sqrt(zz * gradient)) return false;
    pl_cr_precond_apply(cr, &cr->Bz, &cr->p);
    multiply(cr, &cr->p, cr->Ap, &cr->Bp);
    cr->rho = dot(cr, &cr->Bz, &cr->p);
    return true;
}

// The step of GCR: the least r in the norm of M^-1 along p.
static double step_orthogonal(pl_cr *cr, bool *broken)
{
    cr->positive = true;
    pl_cr_precond_apply(cr, &cr->Bp, &cr->q);
    cr->positive = false;
    cr->eta = dot(cr, &cr->Bp, &cr->q);
    cr->since++;
    double fall = dot(cr, &cr->r, &cr->q), alpha = fall / cr->eta;
    double size = sqrt(dot(cr, &cr->r, &cr->r) * dot(cr, &cr->q, &cr->q));
    bool idle = fabs(fall) <= PL_CR_COSINE_MIN * size;
    *broken = !(cr->eta > 0) || !isfinite(alpha) || (idle && cr->idle);
    cr->idle = idle;
    if (*broken) return 0;
    add(cr, alpha, &cr->p, &cr->y);
    pl_vec_add(cr->n, alpha, cr->Ap, cr->Ay);
    add(cr, -alpha, &cr->Bp, &cr->r);
    return alpha;
}

static void keep_direction(pl_cr *cr)
{
    pl_cr_direction *d = cr->kept + cr->n_kept++;
    copy(cr, &cr->p, &d->p);
    copy(cr, &cr->Bp, &d->Bp);
    copy(cr, &cr->q, &d->g);
    memcpy(d->Ap, cr->Ap, (size_t)cr->n * sizeof *d->Ap);
    d->eta = cr->eta;
}

static void turn_orthogonal(pl_cr *cr)
{
    if (cr->n_kept == PL_CR_KEPT) cr->n_kept = 0;
    keep_direction(cr);
    pl_cr_precond_apply(cr, cr->idle ? &cr->Bp : &cr->r, &cr->z);
    multiply(cr, &cr->z, cr->Az, &cr->Bz);
    copy(cr, &cr->z, &cr->p);
    copy(cr, &cr->Bz, &cr->Bp);
    memcpy(cr->Ap, cr->Az, (size_t)cr->n * sizeof *cr->Ap);
    for (int32_t i = 0; i < cr->n_kept; i++) {
        const pl_cr_direction *d = cr->kept + i;
        double beta = -dot(cr, &cr->Bp, &d->g) / d->eta;
        add(cr, beta, &d->p, &cr->p);
        add(cr, beta, &d->Bp, &cr->Bp);
        pl_vec_add(cr->n, beta, d->Ap, cr->Ap);
    }
}

double pl_cr_step(pl_cr *cr, bool *broken)
{
    bool lanczos = cr->method == PL_CR_LANCZOS;
    if (cr->method == PL_CR_ORTHOGONAL) return step_orthogonal(cr, broken);
    *broken = !lanczos && mend_direction(cr);
    pl_cr_precond_apply(cr, &cr->Bp, &cr->q);
    cr->eta_old = cr->eta;
    cr->eta = dot(cr, &cr->Bp, &cr->q);
    cr->since++;
    bool exhausted = lanczos && cr->since > 1 && !(cr->eta > EXHAUSTED * EXHAUSTED);
    double alpha = exhausted ? NAN : cr->rho / cr->eta;
    if (!isfinite(alpha) || (alpha == 0 && !lanczos)) *broken = true;
    if (!isfinite(alpha)) return 0;
    add(cr, alpha, &cr->p, &cr->y);
    pl_vec_add(cr->n, alpha, cr->Ap, cr->Ay);
    add(cr, -alpha, &cr->Bp, &cr->r);
    add(cr, -alpha, &cr->q, &cr->z);
    if (lanczos) cr->gain = alpha * cr->rho / dot(cr, &cr->r, &cr->z);
    return alpha;
}

static void turn_by_residual(pl_cr *cr)
{
    multiply(cr, &cr->z, cr->Az, &cr->Bz);
    double rho = dot(cr, &cr->z, &cr->Bz), beta = rho / cr->rho;
    cr->rho = rho;
    if (!isfinite(beta)) beta = 0;
    pl_vec_chase(cr->n, beta, cr->z.v, cr->p.v);
    pl_vec_chase(cr->m, beta, cr->z.f, cr->p.f);
    pl_vec_chase(cr->n, beta, cr->Bz.v, cr->Bp.v);
    pl_vec_chase(cr->m, beta, cr->Bz.f, cr->Bp.f);
    pl_vec_chase(cr->n, beta, cr->Az, cr->Ap);
}

// The factors of MINRES' next direction: w q - s p - t old.
typedef struct lanczos {
    double w, s, t;
} lanczos;

typedef struct turn_loop {
    const lanczos *l;
    const double *q, *last;
    double *next;
} turn_loop;

static void turn_elements(void *context, int64_t first, int64_t last)
{
    const turn_loop *t = context;
    for (int64_t i = first; i < last; i++) {
        t->next[i] = (t->l->w * t->q[i] - t->l->s * t->last[i]) - t->l->t * t->next[i];
    }
}

// *old := w q - s p - t *old, and then it takes the place of *p, which becomes the old one.
static void turn_array(int64_t n, const lanczos *l, const double *q, double **p, double **old)
{
    double *next = *old, *last = *p;
    *p = next, *old = last;
    pl_loop(n, CHUNK_SIZE, turn_elements, &(turn_loop){l, q, last, next});
}

static void turn_by_lanczos(pl_cr *cr)
{
    multiply(cr, &cr->q, cr->Az, &cr->Bz); // of q, for which there is no other room
    bool first = cr->since == 1;
    if (first) {
        memset(cr->p_old.v, 0, (size_t)cr->n * sizeof(double));
        memset(cr->p_old.f, 0, (size_t)cr->m * sizeof(double));
        memset(cr->Bp_old.v, 0, (size_t)cr->n * sizeof(double));
        memset(cr->Bp_old.f, 0, (size_t)cr->m * sizeof(double));
        memset(cr->Ap_old, 0, (size_t)cr->n * sizeof(double));
    }
    double w = 1 / sqrt(cr->eta);
    const lanczos l = {w, w * dot(cr, &cr->q, &cr->Bz) / cr->eta,
                       first ? 0 : w * cr->eta / sqrt(cr->eta_old)};
    turn_array(cr->n, &l, cr->q.v, &cr->p.v, &cr->p_old.v);
    turn_array(cr->m, &l, cr->q.f, &cr->p.f, &cr->p_old.f);
    turn_array(cr->n, &l, cr->Bz.v, &cr->Bp.v, &cr->Bp_old.v);
    turn_array(cr->m, &l, cr->Bz.f, &cr->Bp.f, &cr->Bp_old.f);
    turn_array(cr->n, &l, cr->Az, &cr->Ap, &cr->Ap_old);
    cr->rho = dot(cr, &cr->z, &cr->Bp);
}

void pl_cr_turn(pl_cr *cr)
{
    switch (cr->method) {
    case PL_CR_RESIDUALS:
        turn_by_residual(cr);
        break;
    case PL_CR_LANCZOS:
        turn_by_lanczos(cr);
        break;
    case PL_CR_ORTHOGONAL:
        turn_orthogonal(cr);
        break;
    }
}
