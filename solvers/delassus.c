// The reduced form [VJ19, 6.2.4]: W = L A^-1 L^T is built, and contacts are solved on it alone.
//
// With A = G G^T (cholesky.h), v0 = A^-1 b and q = L v0 - c, the impulses are such that u = q + W f
// obeys the laws of contact: projected Gauss-Seidel, contact by contact with exact friction. Then v
// = v0 + A^-1 L^T f.
//
// A contact answers to the impulses of another only if both touch one body, which is one of the
// parts of A that are not connected. So W is a sum over these parts, each a full matrix of the
// contacts that touch it [Daviet et al. 2011]: with m of them, m solves of three columns make it,
// and it has 9 m^2 entries. That is what limits this solver, before the sweeps do.

#include "cholesky.h"
#include "coulomb.h"
#include "solver.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

// What W may take, and what the factor may [bytes]; more is refused.
static const double MOST_BYTES = 2e9;

// The result is looked at after one sweep, and again after this part more of those made.
static const double LOOK_AGAIN = 0.25;

// The block of a contact may be singular where a lever arm alone answers: this much of its trace is
// added.
static const double REGULARIZE = 1e-12;

typedef struct delassus {
    const pl_problem *problem;
    pl_workspace *ws;
    pl_cholesky G;

    // Touches: contact and part. Those of a part stand together.
    int32_t *first;   // (order.n_part + 1) where those of a part start
    int32_t *contact; // (n_touch) ascending in a part
    int32_t *start;   // (n_constraint + 1) where those of a contact start in `touch`
    int32_t *touch;   // (n_touch)
    int32_t *part_of; // (n_touch) the part of each
    int64_t *offset;  // (order.n_part + 1) where W of a part starts
    double *W;        // of a part with m touches: (3*m, 3*m), symmetric [1/kg]
    double *f;        // (3*n_touch) the impulses, at each of their touches

    double *q;       // (3*n_constraint) relative velocities without impulses
    pl_coulomb *law; // (n_constraint) with the diagonal blocks
    double *v0, *v;  // (3*A.n)
    double *x;       // (9*order.n per thread) scratch
    double *impulse; // (3*n_constraint)
} delassus;

// --- Which contacts touch which parts ---

// The part that block `block` is in, or -1.
static int32_t find_part(const pl_cholesky *G, int32_t block)
{
    int32_t place = G->place[block], low = 0, high = G->order.n_part;
    if (place < 0) return -1;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (G->order.part[middle] <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Lists the parts that contact k touches, each once; returns how many.
static int32_t list_parts(const delassus *d, int32_t k, int32_t *part)
{
    const pl_constraint *contact = d->problem->constraint + k;
    int32_t n = 0;
    if (!(d->ws->scale[2 * (int64_t)k] > 0)) return 0;
    for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
        int32_t p = find_part(&d->G, d->problem->entry[t].block), i = 0;
        while (i < n && part[i] != p) i++;
        if (p >= 0 && i == n) part[n++] = p;
    }
    return n;
}

static pl_status take_touches(delassus *d)
{
    pl_arena *arena = &d->ws->arena;
    int64_t n_part = d->G.order.n_part, n_term = d->problem->n_term;
    d->first = pl_arena_take(arena, n_part + 1, sizeof *d->first);
    d->offset = pl_arena_take(arena, n_part + 1, sizeof *d->offset);
    d->start = pl_arena_take(arena, (int64_t)d->problem->n_constraint + 1, sizeof *d->start);
    d->contact = pl_arena_take(arena, n_term, sizeof *d->contact);
    d->touch = pl_arena_take(arena, n_term, sizeof *d->touch);
    d->part_of = pl_arena_take(arena, n_term, sizeof *d->part_of);
    d->f = pl_arena_take(arena, 3 * n_term, sizeof *d->f);
    bool all = d->first != NULL && d->offset != NULL && d->start != NULL && d->contact != NULL &&
               d->touch != NULL && d->part_of != NULL && d->f != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status find_touches(delassus *d)
{
    PL_TRY(take_touches(d));
    int32_t n_part = d->G.order.n_part, n_constraint = d->problem->n_constraint;
    int32_t *list = pl_arena_take(&d->ws->arena, d->problem->n_term, sizeof *list);
    int32_t *next = pl_arena_take(&d->ws->arena, n_part, sizeof *next);
    if (list == NULL || next == NULL) return PL_ERROR_MEMORY;
    memset(d->first, 0, ((size_t)n_part + 1) * sizeof *d->first);
    d->start[0] = 0;
    for (int32_t k = 0; k < n_constraint; k++) {
        int32_t n = list_parts(d, k, list);
        for (int32_t i = 0; i < n; i++) d->first[list[i] + 1]++;
        d->start[k + 1] = d->start[k] + n;
    }
    d->offset[0] = 0;
    for (int32_t p = 0; p < n_part; p++) {
        int64_t m = d->first[p + 1];
        d->offset[p + 1] = d->offset[p] + 9 * m * m;
        d->first[p + 1] += d->first[p];
        next[p] = d->first[p];
    }
    for (int32_t k = 0; k < n_constraint; k++) {
        int32_t n = list_parts(d, k, list);
        for (int32_t i = 0; i < n; i++) {
            int32_t touch = next[list[i]]++;
            d->contact[touch] = k;
            d->part_of[touch] = list[i];
            d->touch[d->start[k] + i] = touch;
        }
    }
    return PL_OK;
}

// --- W ---

// x := the three columns of L^T of contact k in the part, 0 elsewhere.
static void load_columns(const delassus *d, int32_t part, int32_t k, double *x)
{
    int32_t first = d->G.order.part[part], last = d->G.order.part[part + 1];
    const pl_constraint *contact = d->problem->constraint + k;
    memset(x, 0, 9 * (size_t)(last - first) * sizeof *x);
    for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
        const pl_entry *entry = d->problem->entry + t;
        int32_t place = d->G.place[entry->block];
        if (place < first || place >= last) continue;
        double rows[9], *to = x + 9 * (int64_t)(place - first);
        pl_entry_rows(d->problem, contact, entry, rows);
        for (int i = 0; i < 9; i++) to[i] = rows[i % 3 * 3 + i / 3];
    }
}

// The rows of W for the touch: what each contact of the part answers to A^-1 L^T of this one.
static void fill_rows(const delassus *d, int32_t touch, double *x)
{
    int32_t part = d->part_of[touch], first = d->G.order.part[part];
    int32_t last = d->G.order.part[part + 1];
    int64_t m = 3 * (int64_t)(d->first[part + 1] - d->first[part]);
    double *W = d->W + d->offset[part] + 3 * m * (touch - d->first[part]);
    load_columns(d, part, d->contact[touch], x);
    pl_cholesky_solve(&d->G, first, last, 3, x);
    for (int32_t i = d->first[part]; i < d->first[part + 1]; i++) {
        const pl_constraint *contact = d->problem->constraint + d->contact[i];
        double B[9] = {0}; // row: of the other contact, column: of this one
        for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
            const pl_entry *entry = d->problem->entry + t;
            int32_t place = d->G.place[entry->block];
            if (place < first || place >= last) continue;
            double rows[9];
            const double *y = x + 9 * (int64_t)(place - first);
            pl_entry_rows(d->problem, contact, entry, rows);
            for (int e = 0; e < 9; e++) {
                const double *g = rows + e / 3 * 3, *h = y + e % 3;
                B[e] += (g[0] * h[0] + g[1] * h[3]) + g[2] * h[6];
            }
        }
        for (int e = 0; e < 9; e++) W[e % 3 * m + 3 * (i - d->first[part]) + e / 3] = B[e];
    }
}

static void add_diagonals(const delassus *d)
{
    for (int32_t k = 0; k < d->problem->n_constraint; k++) {
        double S[9] = {0};
        for (int32_t i = d->start[k]; i < d->start[k + 1]; i++) {
            int32_t touch = d->touch[i], part = d->part_of[touch];
            int64_t m = 3 * (int64_t)(d->first[part + 1] - d->first[part]);
            int64_t at = 3 * (int64_t)(touch - d->first[part]);
            for (int e = 0; e < 9; e++) {
                S[e] += d->W[d->offset[part] + (at + e / 3) * m + at + e % 3];
            }
        }
        double trace = S[0] + S[4] + S[8];
        for (int a = 0; a < 3; a++) S[4 * a] += REGULARIZE * trace;
        pl_coulomb_prepare(S, d->problem->constraint[k].mu, d->law + k);
    }
}

static void fill_some(void *context, int64_t first, int64_t last)
{
    delassus *d = context;
    double *x = d->x + 9 * (int64_t)d->G.order.n * pl_thread_slot();
    for (int64_t i = first; i < last; i++) fill_rows(d, (int32_t)i, x);
}

static void build(delassus *d)
{
    pl_loop(d->first[d->G.order.n_part], 8, fill_some, d);
    add_diagonals(d);
}

// --- Velocities ---

// v += A^-1 r, where r (3*A.n) is used up.
static void add_solution(const delassus *d, double *r, double *v)
{
    const pl_order *order = &d->G.order;
    for (int64_t i = 0; i < order->n; i++) {
        memcpy(d->x + 3 * i, r + 3 * (int64_t)order->block[i], 3 * sizeof *r);
    }
    pl_cholesky_solve(&d->G, 0, order->n, 1, d->x);
    for (int64_t i = 0; i < order->n; i++) {
        for (int c = 0; c < 3; c++) v[3 * (int64_t)order->block[i] + c] += d->x[3 * i + c];
    }
}

// v0 := v + A^-1 (b - A v), q := L v0 - c.
static void find_unconstrained(delassus *d, const double *v, pl_solve_stats *stats)
{
    int64_t n = 3 * (int64_t)d->problem->A->n;
    memcpy(d->v0, v, (size_t)n * sizeof *v);
    pl_bsr_multiply(d->problem->A, v, d->ws->r);
    stats->products++;
    for (int64_t i = 0; i < n; i++) d->ws->r[i] = d->problem->b[i] - d->ws->r[i];
    add_solution(d, d->ws->r, d->v0);
    pl_rows_multiply(d->problem, NULL, true, d->v0, d->q);
}

// v := v0 + A^-1 L^T f, for the impulses as they are.
static void find_velocities(delassus *d)
{
    int64_t n = 3 * (int64_t)d->problem->A->n;
    memcpy(d->v, d->v0, (size_t)n * sizeof *d->v);
    memset(d->ws->r, 0, (size_t)n * sizeof *d->ws->r);
    pl_rows_transpose_add(d->problem, &d->ws->uses, 1, d->impulse, d->ws->world, d->ws->r);
    add_solution(d, d->ws->r, d->v);
}

// Are v and f within the tolerances?
static bool is_solved(delassus *d, const pl_solver_options *options, const double *v,
                      const double *f, pl_solve_stats *stats)
{
    int64_t n = 3 * (int64_t)d->problem->A->n;
    memset(d->ws->r, 0, (size_t)n * sizeof *d->ws->r);
    pl_rows_transpose_add(d->problem, &d->ws->uses, 1, f, d->ws->world, d->ws->r);
    double pushes = sqrt(pl_vec_dot(n, d->ws->r, d->ws->r));
    pl_contact_residual(d->problem, &d->ws->uses, v, f, d->ws->world, d->ws->r);
    stats->products++;
    double r = sqrt(pl_vec_dot(n, d->ws->r, d->ws->r));
    if (!(pl_relative_residual(d->ws, pushes, r) <= options->eps1)) return false;
    pl_contact_errors errors = {0};
    pl_rows_multiply(d->problem, NULL, true, v, d->ws->u);
    pl_contact_errors_update(d->problem, d->ws->scale, d->ws->u, f, &errors);
    return pl_contact_errors_within(&errors, options->eps2);
}

// --- Sweeps ---

PL_CLONES static double row_times(int64_t n, const double *restrict row, const double *restrict f)
{
    double lane[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int l = 0; l < 4; l++) lane[l] += row[i + l] * f[i + l];
    }
    for (int l = 0; i < n; i++, l++) lane[l] += row[i] * f[i];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

// Solves contact k with all others held; returns the change of its relative velocity that its new
// impulse makes.
static double relax(delassus *d, int32_t k)
{
    double *f = d->impulse + 3 * (int64_t)k, u[3];
    memcpy(u, d->q + 3 * (int64_t)k, sizeof u);
    for (int32_t i = d->start[k]; i < d->start[k + 1]; i++) {
        int32_t touch = d->touch[i], part = d->part_of[touch];
        int64_t m = 3 * (int64_t)(d->first[part + 1] - d->first[part]);
        const double *W = d->W + d->offset[part] + 3 * m * (touch - d->first[part]);
        const double *others = d->f + 3 * (int64_t)d->first[part];
        for (int a = 0; a < 3; a++) u[a] += row_times(m, W + a * m, others);
    }
    double change = pl_coulomb_relax(d->law + k, u, f);
    for (int32_t i = d->start[k]; i < d->start[k + 1]; i++) {
        memcpy(d->f + 3 * (int64_t)d->touch[i], f, 3 * sizeof *f);
    }
    return isnan(f[0] + f[1] + f[2]) ? NAN : change;
}

static double sweep(delassus *d)
{
    double most = 0;
    for (int32_t k = 0; k < d->problem->n_constraint; k++) {
        if (d->start[k + 1] == d->start[k]) continue;
        double change = relax(d, k);
        if (!(change <= most)) most = change;
        if (isnan(most)) break;
    }
    return most;
}

// The impulses of what answers, from f, with their copies.
static void load_impulses(delassus *d, const double *f)
{
    for (int32_t k = 0; k < d->problem->n_constraint; k++) {
        bool answers = d->start[k + 1] > d->start[k];
        for (int a = 0; a < 3; a++) {
            d->impulse[3 * (int64_t)k + a] = answers ? f[3 * (int64_t)k + a] : 0;
        }
        for (int32_t i = d->start[k]; i < d->start[k + 1]; i++) {
            memcpy(d->f + 3 * (int64_t)d->touch[i], f + 3 * (int64_t)k, 3 * sizeof *f);
        }
    }
}

static pl_solve_end iterate(delassus *d, const pl_solver_options *options, pl_solve_stats *stats)
{
    for (int32_t look = 1;;) {
        if (stats->iterations == options->max_iterations) return PL_SOLVE_LIMIT;
        if (pl_solve_is_late(d->ws, options)) return PL_SOLVE_TIME;
        double change = sweep(d);
        stats->iterations++;
        if (!isfinite(change)) return PL_SOLVE_BREAKDOWN;
        if (stats->iterations < look && change > 0) continue;
        look = stats->iterations + 1 + (int32_t)(LOOK_AGAIN * stats->iterations);
        find_velocities(d);
        if (is_solved(d, options, d->v, d->impulse, stats)) return PL_SOLVE_CONVERGED;
        if (change == 0) return PL_SOLVE_STALLED;
    }
}

// --- The solver ---

static pl_status take(delassus *d)
{
    pl_arena *arena = &d->ws->arena;
    int64_t n = 3 * (int64_t)d->problem->A->n, n_constraint = d->problem->n_constraint;
    d->W = pl_arena_take(arena, d->offset[d->G.order.n_part], sizeof *d->W);
    d->q = pl_arena_take(arena, 3 * n_constraint, sizeof *d->q);
    d->law = pl_arena_take(arena, n_constraint, sizeof *d->law);
    d->impulse = pl_arena_take(arena, 3 * n_constraint, sizeof *d->impulse);
    d->v0 = pl_arena_take(arena, n, sizeof *d->v0);
    d->v = pl_arena_take(arena, n, sizeof *d->v);
    d->x = pl_arena_take(arena, 9 * (int64_t)d->G.order.n * pl_threads(), sizeof *d->x);
    bool all = d->W != NULL && d->q != NULL && d->law != NULL && d->impulse != NULL &&
               d->v0 != NULL && d->v != NULL && d->x != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

// What is factored: parts of more than one block.
static int64_t count_factors(const pl_order *order)
{
    int64_t n = 0;
    for (int32_t p = 0; p < order->n_part; p++) n += order->part[p + 1] - order->part[p] > 1;
    return n;
}

pl_status pl_delassus_solve(const pl_problem *problem, const pl_solver_options *options,
                            pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    delassus d = {.problem = problem, .ws = ws};
    if (is_solved(&d, options, v, f, stats)) {
        stats->end = PL_SOLVE_CONVERGED;
        return PL_OK;
    }
    PL_TRY(pl_cholesky_analyze(problem->A, problem->known, &ws->arena, &d.G));
    PL_TRY(find_touches(&d));
    double W = (double)d.offset[d.G.order.n_part] * sizeof *d.W, G = pl_cholesky_bytes(&d.G);
    if (W > MOST_BYTES || G > MOST_BYTES) {
        stats->end = PL_SOLVE_SIZE;
        pl_fail(PL_ERROR_NUMERICS,
                "delassus: W of %d contacts would take %.3g GB and the factor of A %.3g GB, and "
                "%.3g GB is the limit of each; take another solver",
                problem->n_constraint, 1e-9 * W, 1e-9 * G, 1e-9 * MOST_BYTES);
        return PL_OK;
    }
    PL_TRY(take(&d));
    PL_TRY(pl_cholesky_take(&d.G, &ws->arena));
    pl_status status = pl_cholesky_factor(&d.G, problem->A);
    if (status != PL_OK) return status == PL_ERROR_NUMERICS ? PL_OK : status;
    stats->factorizations += count_factors(&d.G.order);
    build(&d);
    find_unconstrained(&d, v, stats);
    load_impulses(&d, f);
    stats->end = iterate(&d, options, stats);
    if (stats->end == PL_SOLVE_BREAKDOWN) return PL_OK;
    if (stats->end != PL_SOLVE_CONVERGED) find_velocities(&d);
    memcpy(v, d.v, 3 * (size_t)problem->A->n * sizeof *v);
    memcpy(f, d.impulse, 3 * (size_t)problem->n_constraint * sizeof *f);
    return PL_OK;
}
