// [VJ19, Alg. 1] The loop around switching states, lines 7-25: what comes after line 25
// (collisions, new linearizations) is the caller's, who appends contacts and solves again.
//
// An iteration keeps z = C^-1 r, B z, B p and C^-1 B p by recurrence, so that it needs one product
// with A and one application of C^-1. The share of A in B y, B p and B z is kept apart: a switch
// changes only the rest, and no product is needed to restart [VJ19, 3.5].

#include "cr.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

// Where contacts are not evaluated as printed: when the residual has dropped by this factor since
// the last restart, or after this many iterations. Evaluating more often restarts the recurrence
// before it has gained anything.
static const double EVALUATE_DROP = 0.1;
enum { EVALUATE_AFTER = 60 };

// How far below the tolerances the linear problem is solved, so that a contact on which its rows
// and the rules of switching just agree is within eps2; where that is not enough, by halves, down
// to the least.
static const double LINEAR_SHARE = 0.5, LINEAR_SHARE_MIN = 1e-3;

// Below this cosine between C^-1 r and B C^-1 r the step of line 9 would be rounding.
static const double ORTHOGONAL = 1e-12;

// Below this part of its first value the norm of B C^-1 r says that no step helps [VJ19, 4.3].
static const double GRADIENT_MIN = 1e-14;

// --- Vectors ---

static pl_status take(pl_cr *cr, pl_cr_vector *x)
{
    x->v = pl_arena_take(&cr->ws->arena, cr->n, sizeof *x->v);
    x->f = pl_arena_take(&cr->ws->arena, cr->m, sizeof *x->f);
    if (x->v == NULL || x->f == NULL) return PL_ERROR_MEMORY;
    memset(x->f, 0, (size_t)cr->m * sizeof *x->f);
    return PL_OK;
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

// y := x + a y
static void chase(int64_t n, double a, const double *x, double *y)
{
#pragma omp parallel for simd schedule(static) if (n >= 1 << 15)
    for (int64_t i = 0; i < n; i++) y[i] = x[i] + a * y[i];
}

static void copy(const pl_cr *cr, const pl_cr_vector *from, const pl_cr_vector *to)
{
    memcpy(to->v, from->v, (size_t)cr->n * sizeof *to->v);
    memcpy(to->f, from->f, (size_t)cr->m * sizeof *to->f);
}

static void clear_known(const pl_cr *cr, double *x)
{
    if (cr->problem.known == NULL) return;
    for (int64_t i = 0; i < cr->n; i++) {
        if (cr->problem.known[i / 3]) x[i] = 0;
    }
}

// --- Products ---

// Ax := A x, and Bx := B x, in the rows that are not known and in the active rows.
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

// r := d - B y, with A y as it is [VJ19, 3.5]. The friction of contacts that slip is among the
// impulses, and so in r and not in d.
static void find_residual(pl_cr *cr)
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

// Lines 19-21. Returns r . C^-1 B C^-1 r.
static double restart(pl_cr *cr)
{
    find_residual(cr);
    pl_cr_precond_apply(cr, &cr->r, &cr->z);
    multiply(cr, &cr->z, cr->Az, &cr->Bz);
    copy(cr, &cr->z, &cr->p);
    copy(cr, &cr->Bz, &cr->Bp);
    memcpy(cr->Ap, cr->Az, (size_t)cr->n * sizeof *cr->Ap);
    return dot(cr, &cr->z, &cr->Bz);
}

// --- How good y is ---

typedef struct residuals {
    double velocity;   // relative, over eps1
    double constraint; // the largest of the active rows, times dt, over eps2
} residuals;

static residuals measure(const pl_cr *cr)
{
    double largest = 0, r = sqrt(pl_vec_dot(cr->n, cr->r.v, cr->r.v));
    for (int64_t i = 0; i < cr->m; i++) largest = fmax(largest, fabs(cr->r.f[i]));
    residuals out = {pl_relative_residual(cr->ws, cr->pushes, r) / cr->options->eps1,
                     cr->problem.dt * largest / (cr->share * cr->options->eps2)};
    if (!cr->options->paper) return out;
    // As printed, one norm of all rows, in which rows are displacements, relative to b.
    double rows = cr->problem.dt * cr->problem.dt * pl_vec_dot(cr->m, cr->r.f, cr->r.f);
    out.velocity = pl_relative_residual(cr->ws, 0, sqrt(r * r + rows)) / cr->options->eps1;
    return out;
}

// [Alg. 2, lines 2, 3] The logarithm is the natural one; which, the paper does not say.
static bool is_time_printed(double r, int32_t j)
{
    double l = log(PL_MAX(r, 1));
    int32_t interval = PL_MAX(1, (int32_t)(l * l / 3));
    return j % interval == 0;
}

// Is all well, contacts that the linear problem does not know of included? A y is made anew.
static bool is_solved(pl_cr *cr)
{
    pl_bsr_multiply(cr->problem.A, cr->y.v, cr->Ay);
    cr->stats->products++;
    find_residual(cr);
    if (cr->options->paper) return true;
    pl_contact_errors errors = {0};
    pl_contact_errors_update(&cr->problem, cr->ws->scale, cr->u, cr->y.f, &errors);
    return measure(cr).velocity <= 1 && pl_contact_errors_within(&errors, cr->options->eps2);
}

// --- Algorithm 1 ---

typedef struct progress {
    double rho;      // r . C^-1 B C^-1 r
    double start;    // the residual at the last restart
    int32_t since;   // iterations since
    double gradient; // |B C^-1 r| of the first iteration
} progress;

// Line 9 breaks down where z = C^-1 r and B z are orthogonal, and r is not 0: as after the
// activation of a contact in a problem that is solved but for that, when r has constraint rows
// only, on which B has no diagonal. The gradient of r . C^-1 r, which is -2 B z, then leads on: p
// := C^-1 B z. Returns whether it was so; the recurrence has to be restarted after the step.
static bool mend_direction(pl_cr *cr, progress *at)
{
    double zz = dot(cr, &cr->z, &cr->z), gradient = dot(cr, &cr->Bz, &cr->Bz);
    if (at->since > 0 || fabs(at->rho) > ORTHOGONAL * sqrt(zz * gradient)) return false;
    pl_cr_precond_apply(cr, &cr->Bz, &cr->p);
    multiply(cr, &cr->p, cr->Ap, &cr->Bp);
    at->rho = dot(cr, &cr->Bz, &cr->p);
    return true;
}

// Lines 9-11. Returns alpha, 0 where no step is left.
static double advance(pl_cr *cr, const progress *at)
{
    pl_cr_precond_apply(cr, &cr->Bp, &cr->q);
    double alpha = at->rho / dot(cr, &cr->Bp, &cr->q);
    if (!isfinite(alpha)) return 0;
    add(cr, alpha, &cr->p, &cr->y);
    pl_vec_add(cr->n, alpha, cr->Ap, cr->Ay);
    add(cr, -alpha, &cr->Bp, &cr->r);
    add(cr, -alpha, &cr->q, &cr->z);
    return alpha;
}

// Lines 15-17.
static void turn_direction(pl_cr *cr, progress *at)
{
    multiply(cr, &cr->z, cr->Az, &cr->Bz);
    double rho = dot(cr, &cr->z, &cr->Bz), beta = rho / at->rho;
    at->rho = rho;
    if (!isfinite(beta)) beta = 0;
    chase(cr->n, beta, cr->z.v, cr->p.v);
    chase(cr->m, beta, cr->z.f, cr->p.f);
    chase(cr->n, beta, cr->Bz.v, cr->Bp.v);
    chase(cr->m, beta, cr->Bz.f, cr->Bp.f);
    chase(cr->n, beta, cr->Az, cr->Ap);
}

// [VJ19, 4.3] As printed, |B C^-1 r| < eps1; it has units, so that we ask for a part of its start.
static bool is_minimum(const pl_cr *cr, const progress *at)
{
    double gradient = sqrt(dot(cr, &cr->Bz, &cr->Bz));
    return gradient <= (cr->options->paper ? cr->options->eps1 : GRADIENT_MIN * at->gradient);
}

static bool is_time(const pl_cr *cr, const residuals *r, const progress *at, double alpha)
{
    if (!(alpha > 0)) return false; // line 12
    if (cr->options->paper) return is_time_printed(r->velocity, cr->stats->iterations);
    double size = PL_MAX(r->velocity, r->constraint);
    return size <= EVALUATE_DROP * at->start || at->since >= EVALUATE_AFTER;
}

static pl_solve_end iterate(pl_cr *cr)
{
    progress at = {.rho = restart(cr)};
    at.gradient = sqrt(dot(cr, &cr->Bz, &cr->Bz));
    residuals r = measure(cr);
    at.start = PL_MAX(r.velocity, r.constraint);
    for (;; cr->stats->iterations++) {
        if (!isfinite(r.velocity + r.constraint)) return PL_SOLVE_BREAKDOWN;
        bool solved = r.velocity < 1 && r.constraint < 1;
        cr->minimum = !solved && is_minimum(cr, &at);
        bool ends = solved || cr->minimum; // line 22
        if (ends && !pl_cr_states_update(cr)) {
            if (is_solved(cr)) return PL_SOLVE_CONVERGED;
            if (cr->share < LINEAR_SHARE_MIN) return PL_SOLVE_STALLED;
            cr->share *= 0.5;
        }
        if (cr->stats->iterations == cr->options->max_iterations) return PL_SOLVE_LIMIT;
        if (pl_solve_is_late(cr->ws, cr->options)) return PL_SOLVE_TIME;
        bool changed = ends;
        if (!ends) {
            bool mended = mend_direction(cr, &at);
            double alpha = advance(cr, &at);
            r = measure(cr);
            at.since++;
            changed =
                mended || alpha == 0 || (is_time(cr, &r, &at, alpha) && pl_cr_states_update(cr));
            if (!changed) turn_direction(cr, &at);
        }
        if (changed) {
            at.rho = restart(cr);
            cr->stats->restarts++;
            r = measure(cr);
            at.start = PL_MAX(r.velocity, r.constraint);
            at.since = 0;
        }
    }
}

static pl_status create(const pl_problem *problem, const pl_solver_options *options,
                        pl_workspace *ws, pl_solve_stats *stats, pl_cr *cr)
{
    *cr = (pl_cr){.problem = *problem, .options = options, .ws = ws, .stats = stats};
    cr->n = 3 * (int64_t)problem->A->n;
    cr->m = 3 * (int64_t)problem->n_contact;
    cr->share = options->paper ? 1 : LINEAR_SHARE;
    pl_cr_vector *vector[] = {&cr->y, &cr->r, &cr->z, &cr->p, &cr->Bp, &cr->Bz, &cr->q};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) PL_TRY(take(cr, vector[i]));
    double **part[] = {&cr->Ay, &cr->Ap, &cr->Az};
    for (int i = 0; i < 3; i++) {
        *part[i] = pl_arena_take(&ws->arena, cr->n, sizeof(double));
        if (*part[i] == NULL) return PL_ERROR_MEMORY;
    }
    int64_t n_contact = problem->n_contact;
    cr->u = pl_arena_take(&ws->arena, cr->m, sizeof *cr->u);
    cr->rows = pl_arena_take(&ws->arena, n_contact, sizeof *cr->rows);
    cr->contact = pl_arena_take(&ws->arena, n_contact, sizeof *cr->contact);
    cr->problem.contact = pl_arena_take(&ws->arena, n_contact, sizeof *cr->problem.contact);
    if (cr->u == NULL || cr->rows == NULL || cr->contact == NULL || cr->problem.contact == NULL) {
        return PL_ERROR_MEMORY;
    }
    if (n_contact > 0) {
        memcpy(cr->problem.contact, problem->contact, (size_t)n_contact * sizeof(pl_contact));
    }
    return pl_cr_precond_create(cr);
}

pl_status pl_cr_solve(const pl_problem *problem, const pl_solver_options *options, pl_workspace *ws,
                      double *v, double *f, pl_solve_stats *stats)
{
    pl_cr cr;
    PL_TRY(create(problem, options, ws, stats, &cr));
    memcpy(cr.y.v, v, (size_t)cr.n * sizeof *v);
    memcpy(cr.y.f, f, (size_t)cr.m * sizeof *f);
    pl_cr_states_start(&cr);
    pl_bsr_multiply(problem->A, v, cr.Ay);
    stats->products++;
    stats->end = iterate(&cr);
    if (stats->end == PL_SOLVE_BREAKDOWN) return PL_OK;
    memcpy(v, cr.y.v, (size_t)cr.n * sizeof *v);
    pl_cr_states_finish(&cr, problem->contact, f);
    return PL_OK;
}
