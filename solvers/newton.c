// Newton's method in velocities, with sparse factors: for small systems that are stiff, thin, or
// have large mass ratios.
//
// With K, F and J as in cones.h, f being what the impulses are now,
//     r(v) = b + L^T F(L v - c) - A v = 0
// is solved for v; then f := F, and again. That is the proximal point method: with K = 1 / (d W), W
// how a contact answers its impulse, what is wrong with f falls by about d / (1 + d) in each round,
// whatever A is, and contacts that are redundant (four under a face) do no harm, since
// H = A + L^T J L is regular as A is. A step of Newton's solves
//     (A + L^T J L) e = r.
// J is not symmetric where contacts slip. Let H have its symmetric part, without J_tn, and C be the
// rest, by which tangents follow the normal velocities w of slipping contacts; from
//     H e + L_t^T C w = r,    w = L_n e
// follows a system for w alone, as large as there are contacts that slip,
//     (I + L_n H^-1 L_t^T C) w = L_n H^-1 r,
// which GMRES solves, with one solve with the factor of H per step. (Fixing the friction bound, and
// iterating on it, stagnates where slip and normal impulse depend on each other.)
//
// The step is taken whole, or to where the residual turns along it. F of stiff contacts is the
// difference of large numbers: F - J L e, what the linear system says, is taken in its place if the
// residual is less with it.
//
// Rows without bounds, those of joints, have no faces to find: their K is as large as can be, 1 /
// (1e-12 W), so that a round or two solve them, whatever hangs on them. F(u) would be all rounding
// then, eps K |u|. So their impulses lambda are unknowns, carried from step to step, with an
// equation of their own,
//     l = u + E lambda + (lambda - f) / K = 0,    dlambda = -J (l + L e),    J = 1 / (E + 1 / K),
// which, put into A e = r + L^T dlambda, leaves the same matrix, and r - L^T J l on the right.
//
// K that is too large makes the faces hard to find, one that is too small takes many rounds: d
// follows how it goes. Newton's method starts from the impulses given; if a few factors do not
// show the solution, interior points (newton_ipm.c) find about which faces it is on.

#include "newton.h"
#include "hessenberg.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

enum {
    WARM_FACTORS = 12, // from the impulses given, before interior points
    IPM_STEPS = 30,
    MOST_FACTORS = 200, // in all
    VAIN_STEPS = 40,    // in a row that do not bring the error down; two errors are judged in most
    INNER_STEPS = 60,   // of Newton's in a round
    OUTER_ROUNDS = 200,
    LINE_STEPS = 12,
    EASY = 12, // steps in a round, at most, that let d become smaller
    HARD = 25, // and at least, that make it larger
};

// d of rows that are carried; and at most, of other rows of boxes.
static const double D_CARRIED = 1e-12, D_BOX = 1e-3;
// d of all others at the start, its bounds, and by what it changes.
static const double D_START = 0.1, D_AFTER = 1, D_LEAST = 1e-8, D_MOST = 1, HARDER = 0.2,
                    SOFTER = 3;
// A round that leaves more of the error than this makes d smaller, if it was easy.
static const double SLOW = 0.3;
// What counts as bringing it down.
static const double GAIN = 0.9;
// It goes on below what is allowed, to this part of it: on the right faces that takes one step, and
// what stiff bodies are left with they have to start from in the next step in time.
static const double TARGET = 0.1;
// A round ends with so much of the error that is allowed, of the last round's, or of its first.
static const double INNER_ENOUGH = 0.02, INNER_LAST = 0.3, INNER_FIRST = 0.1;
// The step is taken whole if what is left along it is no more than this; else to where it is TURN.
static const double ENOUGH = 0.5, TURN = 0.1;
// Where the residual does not even fall along the step.
static const double SHORT_STEP = 0.1;
// Impulses at the edge of the cone slip in the first step, where edge is within this factor.
static const double SLIPS = 1 + 1e-6;
static const double GMRES_DROP = 0.01;
// A row of a box that hardly answers is taken to answer as this part of its neighbours.
static const double LEAST_ANSWER = 1e-6;
// A factor is used again if no stiffness has changed by more than this part of K.
static const double SAME_STIFFNESS = 1e-9;

// --- Memory ---

pl_status pl_newton_create(const pl_problem *problem, const pl_solver_options *options,
                           pl_workspace *ws, double *v, double *f, pl_newton *out)
{
    *out = (pl_newton){.problem = problem, .options = options, .ws = ws, .v = v, .f = f};
    out->n = 3 * (int64_t)problem->A->n;
    out->m = 3 * (int64_t)problem->n_constraint;
    out->best = INFINITY;
    return pl_contact_matrix_create(problem, &ws->uses, &ws->arena, &out->H);
}

// Parts of A that no block couples, such as bodies.
typedef struct parts {
    int32_t *of; // (A.n)
    double *sum; // (9 each) of all blocks of A in a part, without the prescribed ones
} parts;

static pl_status find_parts(const pl_problem *problem, pl_arena *arena, parts *out)
{
    const pl_bsr *A = problem->A;
    int32_t n = A->n, n_part = 0, *queue = pl_arena_take(arena, n, sizeof *queue);
    out->of = pl_arena_take(arena, n, sizeof *out->of);
    out->sum = pl_arena_take(arena, 9 * (int64_t)n, sizeof *out->sum);
    if (queue == NULL || out->of == NULL || out->sum == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) out->of[i] = -1;
    for (int32_t start = 0; start < n; start++) {
        if (out->of[start] >= 0 || pl_is_prescribed(problem, start)) continue;
        double *sum = out->sum + 9 * (int64_t)n_part;
        int32_t end = 0;
        memset(sum, 0, 9 * sizeof *sum);
        queue[end++] = start;
        out->of[start] = n_part;
        for (int32_t q = 0; q < end; q++) {
            for (int64_t k = A->row[queue[q]]; k < A->row[queue[q] + 1]; k++) {
                int32_t j = A->col[k];
                if (pl_is_prescribed(problem, j)) continue;
                for (int e = 0; e < 9; e++) sum[e] += A->val[9 * k + e];
                if (out->of[j] >= 0) continue;
                out->of[j] = n_part;
                queue[end++] = j;
            }
        }
        n_part++;
    }
    return PL_OK;
}

// n . S^-1 n for a symmetric S (9); 0 if it is singular.
static double answer_of(const double *S, const double *n)
{
    double c0 = S[4] * S[8] - S[5] * S[5], c1 = S[2] * S[5] - S[1] * S[8];
    double c2 = S[1] * S[5] - S[2] * S[4], c4 = S[0] * S[8] - S[2] * S[2];
    double c5 = S[1] * S[2] - S[0] * S[5], c8 = S[0] * S[4] - S[1] * S[1];
    double det = (S[0] * c0 + S[1] * c1) + S[2] * c2;
    double sum = (c0 * n[0] * n[0] + c4 * n[1] * n[1]) + c8 * n[2] * n[2] +
                 2 * ((c1 * n[0] * n[1] + c2 * n[0] * n[2]) + c5 * n[1] * n[2]);
    return det > 0 && sum > 0 ? sum / det : 0;
}

// About how a contact answers: at least as its blocks do alone, and at least as they do when each
// part moves as one, which is what stiff bodies do: g . A^-1 g >= (g . x)^2 / (x . A x) for any x.
static void find_answers(pl_newton *s, const parts *p)
{
    const pl_problem *problem = s->problem;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        const pl_entry *entry = problem->entry + constraint->first;
        double S[9], as_one[3] = {0}, *W = s->W + 3 * (int64_t)k;
        pl_contact_block(problem, &s->ws->D, k, S);
        for (int32_t a = 0; a < constraint->count;
             a++) { // the weights of a part, at its first term
            int32_t part = p->of[entry[a].block], first = a;
            double w = 0;
            for (int32_t b = constraint->count - 1; b >= 0 && part >= 0; b--) {
                if (p->of[entry[b].block] != part) continue;
                w += entry[b].w;
                first = b;
            }
            if (part < 0 || first < a) continue;
            for (int d = 0; d < 3; d++) {
                as_one[d] += w * w * answer_of(p->sum + 9 * (int64_t)part, constraint->R + 3 * d);
            }
        }
        bool answers = s->ws->scale[2 * (int64_t)k] > 0 && S[0] > 0 && S[4] + S[8] > 0;
        W[0] = answers ? PL_MAX(S[0], as_one[0]) : 0;
        W[1] = W[2] = answers ? 0.5 * PL_MAX(S[4] + S[8], as_one[1] + as_one[2]) : 0;
        if (!pl_is_box(problem, k)) continue;
        double most = PL_MAX(PL_MAX(S[0], S[4]), S[8]);
        for (int d = 0; d < 3; d++) {
            double own = PL_MAX(S[4 * d], as_one[d]);
            W[d] = s->ws->scale[2 * (int64_t)k] > 0 ? PL_MAX(own, LEAST_ANSWER * most) : 0;
        }
    }
}

// Is row i one of those that are carried?
static bool is_carried(const pl_newton *s, int64_t i)
{
    const pl_limits *limits = pl_limits_of(s->problem, s->problem->constraint + i / 3);
    return pl_is_bilateral(limits, (int)(i % 3));
}

// Memory for the rows that are carried, if there are any.
static pl_status take_carried(pl_newton *s)
{
    bool any = false;
    for (int64_t i = 0; i < s->m && s->problem->n_limits > 0; i++) any = any || is_carried(s, i);
    s->rhs = s->r;
    if (!any) return PL_OK;
    s->rhs = pl_arena_take(&s->ws->arena, s->n, sizeof *s->rhs);
    if (s->rhs == NULL) return PL_ERROR_MEMORY;
    double **of_m[] = {&s->lambda, &s->stiff, &s->lack};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++) {
        *of_m[i] = pl_arena_take(&s->ws->arena, s->m, sizeof(double));
        if (*of_m[i] == NULL) return PL_ERROR_MEMORY;
        memset(*of_m[i], 0, (size_t)s->m * sizeof(double));
    }
    return PL_OK;
}

pl_status pl_newton_take(pl_newton *s)
{
    pl_arena *arena = &s->ws->arena;
    int64_t n_constraint = s->problem->n_constraint;
    double **of_n[] = {&s->best_v, &s->r, &s->e, &s->Ae, &s->x};
    double **of_m[] = {&s->best_f, &s->u, &s->F, &s->Le, &s->Fe, &s->K, &s->W};
    parts p;
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) {
        *of_n[i] = pl_arena_take(arena, s->n, sizeof(double));
        if (*of_n[i] == NULL) return PL_ERROR_MEMORY;
    }
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++) {
        *of_m[i] = pl_arena_take(arena, s->m, sizeof(double));
        if (*of_m[i] == NULL) return PL_ERROR_MEMORY;
    }
    s->J = pl_arena_take(arena, n_constraint, sizeof *s->J);
    s->D = pl_arena_take(arena, n_constraint, sizeof *s->D);
    s->basis = pl_arena_take(arena, (PL_HESSENBERG_STEPS + 1) * n_constraint, sizeof *s->basis);
    if (s->J == NULL || s->D == NULL || s->basis == NULL) return PL_ERROR_MEMORY;
    PL_TRY(take_carried(s));
    PL_TRY(pl_contact_matrix_take(&s->H, arena));
    PL_TRY(find_parts(s->problem, arena, &p));
    find_answers(s, &p);
    return PL_OK;
}

// --- Errors ---

// The residual in units of what is allowed: as the yardstick has it, and of each block, so that a
// light body beside a heavy one counts as much.
static double residual_error(const pl_newton *s)
{
    pl_workspace *ws = s->ws;
    double pushes, worst = 0;
    memset(ws->r, 0, (size_t)s->n * sizeof *ws->r);
    pl_rows_transpose_add(s->problem, &ws->uses, 1, s->F, ws->world, ws->r);
    pushes = sqrt(pl_vec_dot(s->n, ws->r, ws->r));
    double r = pl_relative_residual(ws, pushes, sqrt(pl_vec_dot(s->n, s->r, s->r)));
    pl_block_jacobi_apply(&ws->D, s->r, ws->r);
    for (int64_t i = 0; i < s->n; i++) worst = PL_MAX(worst, fabs(ws->r[i]));
    return PL_MAX(r / s->options->residual_tolerance,
                  s->problem->dt * worst / s->options->contact_tolerance);
}

// The same, and what the rows that are carried lack.
static double round_error(const pl_newton *s)
{
    double worst = 0;
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) worst = PL_MAX(worst, fabs(s->lack[i]));
    return PL_MAX(residual_error(s), s->problem->dt * worst / s->options->contact_tolerance);
}

double pl_newton_judge(pl_newton *s, const double *f, pl_solve_stats *stats)
{
    if (f != s->F) memcpy(s->F, f, (size_t)s->m * sizeof *f);
    pl_rows_multiply(s->problem, NULL, true, s->v, s->u);
    pl_contact_residual(s->problem, &s->ws->uses, s->v, s->F, s->ws->world, s->r);
    stats->products++;
    double error = pl_solve_error(s->problem, s->options, s->ws, s->r, s->u, s->F);
    error = isfinite(error) ? PL_MAX(error, residual_error(s)) : error;
    s->n_judged++;
    if (error < GAIN * s->least) {
        s->least = error;
        s->improved_at = s->n_judged;
    }
    if (error < s->best) {
        s->best = error;
        memcpy(s->best_v, s->v, (size_t)s->n * sizeof *s->v);
        memcpy(s->best_f, s->F, (size_t)s->m * sizeof *s->F);
    }
    return error;
}

pl_solve_end pl_newton_limits(const pl_newton *s, const pl_solve_stats *stats)
{
    if (stats->iterations >= s->options->max_iterations) return PL_SOLVE_LIMIT;
    if (pl_solve_is_late(s->ws, s->options)) return PL_SOLVE_TIME;
    if (stats->factorizations >= s->most_factors) return PL_SOLVE_STALLED;
    if (s->n_judged >= s->improved_at + VAIN_STEPS) return PL_SOLVE_STALLED;
    return PL_SOLVE_CONVERGED;
}

// --- Rows that are carried ---

static void start_carried(pl_newton *s)
{
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        s->lambda[i] = s->f[i];
        s->lack[i] = 0;
    }
}

void pl_newton_look_at_carried(pl_newton *s)
{
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        if (!(s->stiff[i] > 0)) continue;
        const pl_limits *limits = pl_limits_of(s->problem, s->problem->constraint + i / 3);
        double w = s->u[i] + limits->compliance[i % 3] * s->lambda[i];
        s->lack[i] = w + (s->lambda[i] - s->f[i]) / s->K[i];
        s->F[i] = s->lambda[i];
    }
}

void pl_newton_set_rhs(pl_newton *s)
{
    if (s->lambda == NULL) return;
    for (int64_t i = 0; i < s->m; i++) s->ws->u[i] = s->stiff[i] * s->lack[i];
    memcpy(s->rhs, s->r, (size_t)s->n * sizeof *s->r);
    pl_rows_transpose_add(s->problem, &s->ws->uses, -1, s->ws->u, s->ws->world, s->rhs);
}

void pl_newton_carry(pl_newton *s, double t)
{
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        if (s->stiff[i] > 0) s->lambda[i] -= t * s->stiff[i] * (s->lack[i] + s->Le[i]);
    }
}

// --- A step ---

// Rows of a box may have very different K.
static bool is_same_box(const pl_sym3 *a, const pl_sym3 *b, const double *K)
{
    return fabs(a->nn - b->nn) <= SAME_STIFFNESS * K[0] &&
           fabs(a->t11 - b->t11) <= SAME_STIFFNESS * K[1] &&
           fabs(a->t22 - b->t22) <= SAME_STIFFNESS * K[2];
}

static bool is_same(const pl_sym3 *a, const pl_sym3 *b, const double *K)
{
    double slack = SAME_STIFFNESS * PL_MAX(K[0], K[1]);
    return fabs(a->nn - b->nn) <= slack && fabs(a->t11 - b->t11) <= slack &&
           fabs(a->t12 - b->t12) <= slack && fabs(a->t22 - b->t22) <= slack && a->n1 == b->n1 &&
           a->n2 == b->n2;
}

static bool slips(const pl_slope *J)
{
    return J->n1 != 0 || J->n2 != 0;
}

// J at v.
static void linearize(pl_newton *s)
{
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_constraint *constraint = s->problem->constraint + k;
        s->J[k] = pl_law_slope(pl_limits_of(s->problem, constraint), constraint->mu, s->K + 3 * k,
                               s->f + 3 * k, s->u + 3 * k, s->F + 3 * k);
    }
}

// The factor of H with the symmetric part of J. *slip: there is more to J than that.
static bool factorize(pl_newton *s, bool *slip, pl_solve_stats *stats)
{
    bool same = s->factored;
    *slip = false;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_slope *J = s->J + k;
        const pl_sym3 D = {.nn = J->nn, .t11 = J->t11, .t12 = J->t12, .t22 = J->t22};
        *slip = *slip || slips(J);
        same = same && (pl_is_box(s->problem, k) ? is_same_box(&D, s->D + k, s->K + 3 * k)
                                                 : is_same(&D, s->D + k, s->K + 3 * k));
    }
    if (same) return true;
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_slope *J = s->J + k;
        s->D[k] = (pl_sym3){.nn = J->nn, .t11 = J->t11, .t12 = J->t12, .t22 = J->t22};
    }
    stats->factorizations++;
    return s->factored = pl_contact_matrix_set(&s->H, s->D);
}

// x := L_t^T C w.
static void follow_slip(const pl_newton *s, const double *w, double *x)
{
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        double *g = s->ws->u + 3 * k;
        g[0] = 0, g[1] = s->J[k].n1 * w[k], g[2] = s->J[k].n2 * w[k];
    }
    memset(x, 0, (size_t)s->n * sizeof *x);
    pl_rows_transpose_add(s->problem, &s->ws->uses, 1, s->ws->u, s->ws->world, x);
}

// w := L_n x where contacts slip, 0 elsewhere.
static void take_normals(const pl_newton *s, const double *x, double *w)
{
    pl_rows_multiply(s->problem, NULL, false, x, s->ws->u);
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        w[k] = slips(s->J + k) ? s->ws->u[3 * k] : 0;
    }
}

// w := the normal velocities of the step where contacts slip; e holds H^-1 r.
static void find_slip(pl_newton *s, double *w, pl_solve_stats *stats)
{
    int64_t m = s->problem->n_constraint;
    double y[PL_HESSENBERG_STEPS], *basis = s->basis;
    pl_hessenberg ls = {0};
    take_normals(s, s->e, basis);
    ls.g[0] = sqrt(pl_vec_dot(m, basis, basis));
    memset(w, 0, (size_t)m * sizeof *w);
    if (!(ls.g[0] > 0)) return;
    for (int64_t i = 0; i < m; i++) basis[i] /= ls.g[0];
    double first = ls.g[0];
    int k = 0;
    while (k < PL_HESSENBERG_STEPS && fabs(ls.g[k]) > GMRES_DROP * first &&
           stats->iterations < s->options->max_iterations) {
        const double *from = basis + k * m;
        double *to = basis + (k + 1) * m;
        follow_slip(s, from, s->x);
        pl_contact_matrix_solve(&s->H, s->x, s->Ae);
        stats->iterations++;
        take_normals(s, s->Ae, to);
        for (int64_t i = 0; i < m; i++) to[i] += from[i];
        for (int i = 0; i <= k; i++) {
            ls.R[k][i] = pl_vec_dot(m, basis + i * m, to);
            pl_vec_add(m, -ls.R[k][i], basis + i * m, to);
        }
        double length = sqrt(pl_vec_dot(m, to, to));
        if (!isfinite(length)) break;
        ls.R[k][k + 1] = length;
        pl_hessenberg_add(&ls, k++);
        if (!(length > 0)) break;
        for (int64_t i = 0; i < m; i++) to[i] /= length;
    }
    pl_hessenberg_solve(&ls, k, y);
    for (int i = 0; i < k; i++) pl_vec_add(m, y[i], basis + i * m, w);
}

// e := the step. False if there is none.
static bool find_step(pl_newton *s, pl_solve_stats *stats)
{
    bool slip;
    if (!factorize(s, &slip, stats)) return false;
    pl_newton_set_rhs(s);
    pl_contact_matrix_solve(&s->H, s->rhs, s->e);
    stats->iterations++;
    if (!slip) return true;
    double *w = s->Fe; // as scratch
    find_slip(s, w, stats);
    follow_slip(s, w, s->x);
    for (int64_t i = 0; i < s->n; i++) s->x[i] = s->rhs[i] - s->x[i];
    pl_contact_matrix_solve(&s->H, s->x, s->e);
    return true;
}

// How far to go.
static double search(const pl_newton *s)
{
    const pl_cone_line line = {.problem = s->problem,
                               .K = s->K,
                               .f = s->f,
                               .u = s->u,
                               .F = s->F,
                               .Le = s->Le,
                               .er = pl_vec_dot(s->n, s->e, s->rhs),
                               .eAe = pl_vec_dot(s->n, s->e, s->Ae),
                               .at = s->ws->u,
                               .Fe = s->Fe,
                               .linear = s->stiff};
    double end = pl_cone_line_at(&line, 1);
    if (!(line.er > 0)) return SHORT_STEP;
    return end > -ENOUGH * line.er ? 1 : pl_cone_line_turn(&line, end, TURN, LINE_STEPS);
}

// z (3) := F - J w.
static void follow_one(const pl_slope *J, const double *w, const double *F, double *z)
{
    z[0] = F[0] - J->nn * w[0];
    z[1] = F[1] - (J->n1 * w[0] + (J->t11 * w[1] + J->t12 * w[2]));
    z[2] = F[2] - (J->n2 * w[0] + (J->t12 * w[1] + J->t22 * w[2]));
}

// Fe := what the linear system says of the impulses at the end of the whole step, in the cones.
static void follow_impulses(const pl_newton *s)
{
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        double z[3];
        follow_one(s->J + k, s->Le + 3 * k, s->F + 3 * k, z);
        const pl_constraint *constraint = s->problem->constraint + k;
        pl_law_project(pl_limits_of(s->problem, constraint), constraint->mu, z, s->Fe + 3 * k);
    }
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        if (s->stiff[i] > 0) s->Fe[i] = s->lambda[i];
    }
}

// v goes along the step. *whole: all of it, and Fe holds what the linear system says.
static bool advance(pl_newton *s, bool *whole, pl_solve_stats *stats)
{
    linearize(s);
    if (!find_step(s, stats)) return false;
    pl_bsr_multiply(s->problem->A, s->e, s->Ae);
    stats->products++;
    pl_rows_multiply(s->problem, NULL, false, s->e, s->Le);
    double t = search(s);
    if (!isfinite(t)) return false;
    *whole = t == 1;
    pl_newton_carry(s, t);
    if (*whole) follow_impulses(s);
    pl_vec_add(s->n, t, s->e, s->v);
    return true;
}

// The first step: on the faces that the impulses given are on, whatever the velocities, of which a
// first guess knows less. False if there is none.
static bool begin(pl_newton *s, pl_solve_stats *stats)
{
    static const double rest[3] = {0};
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const pl_constraint *constraint = s->problem->constraint + k;
        const pl_limits *limits = pl_limits_of(s->problem, constraint);
        double *f = s->f + 3 * k, z[3], mu = constraint->mu;
        pl_law_project(limits, mu, f, s->F + 3 * k);
        for (int i = 0; i < 3; i++) {
            double soft = limits != NULL ? 1 + s->K[3 * k + i] * limits->compliance[i] : 1;
            z[i] = (i == 0 ? 1 : SLIPS) * s->F[3 * k + i] * soft;
        }
        s->J[k] = pl_law_slope(limits, mu, s->K + 3 * k, z, rest, s->F + 3 * k);
        follow_one(s->J + k, s->u + 3 * k, s->F + 3 * k, s->Fe + 3 * k);
    }
    start_carried(s);
    pl_newton_look_at_carried(s);
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        if (s->stiff[i] > 0) s->Fe[i] = s->lambda[i];
    }
    pl_contact_residual(s->problem, &s->ws->uses, s->v, s->Fe, s->ws->world, s->r);
    stats->products++;
    if (!find_step(s, stats)) return false;
    pl_vec_add(s->n, 1, s->e, s->v);
    if (s->lambda != NULL) pl_rows_multiply(s->problem, NULL, false, s->e, s->Le);
    pl_newton_carry(s, 1);
    return true;
}

// --- Rounds ---

void pl_newton_set_stiffness(pl_newton *s, double d)
{
    for (int64_t i = 0; i < s->m; i++) {
        s->K[i] = s->W[i] > 0 ? 1 / (d * s->W[i]) : 0;
    }
    for (int64_t i = 0; i < s->m && s->problem->n_limits > 0; i++) {
        const pl_limits *limits = pl_limits_of(s->problem, s->problem->constraint + i / 3);
        bool carried = is_carried(s, i);
        if (limits == NULL || limits->law != PL_LAW_BOX || !(s->W[i] > 0)) {
            if (s->stiff != NULL) s->stiff[i] = 0;
            continue;
        }
        s->K[i] = 1 / ((carried ? D_CARRIED : PL_MIN(d, D_BOX)) * s->W[i]);
        if (s->stiff == NULL) continue;
        s->stiff[i] = carried ? s->K[i] / (1 + s->K[i] * limits->compliance[i % 3]) : 0;
    }
}

// The error at v with the impulses F(u). *linear: the residual with those of the linear system, in
// Fe, if there are any.
static double evaluate(pl_newton *s, bool whole, double *linear, pl_solve_stats *stats)
{
    *linear = INFINITY;
    if (whole) {
        double error = pl_newton_judge(s, s->Fe, stats);
        if (error <= TARGET) return error;
        pl_newton_look_at_carried(s);
        *linear = round_error(s);
    }
    pl_rows_multiply(s->problem, NULL, true, s->v, s->u);
    pl_cones_push(s->problem, s->K, s->f, s->u, s->F);
    pl_newton_look_at_carried(s);
    return pl_newton_judge(s, s->F, stats);
}

// Newton's method with K and f as they are. PL_SOLVE_STALLED if that came to its end and there is
// more to do, PL_SOLVE_SIZE if there were too many factors; *n_step is how many steps it took.
static pl_solve_end run_round(pl_newton *s, double last, int32_t *n_step, double *error,
                              pl_solve_stats *stats)
{
    double first = 0, linear;
    bool whole = false;
    for (*n_step = 0;; ++*n_step) {
        *error = evaluate(s, whole, &linear, stats);
        if (*error <= TARGET) return PL_SOLVE_CONVERGED;
        if (!isfinite(*error)) return PL_SOLVE_BREAKDOWN;
        double r = round_error(s);
        if (*n_step == 0) first = r;
        double enough = PL_MAX(INNER_ENOUGH, PL_MIN(INNER_LAST * last, INNER_FIRST * first));
        if (r <= enough || *n_step == INNER_STEPS) return PL_SOLVE_STALLED;
        if (linear <= enough) {
            *error = pl_newton_judge(s, s->Fe, stats);
            return PL_SOLVE_STALLED;
        }
        pl_solve_end end = pl_newton_limits(s, stats);
        if (end != PL_SOLVE_CONVERGED) return end == PL_SOLVE_STALLED ? PL_SOLVE_SIZE : end;
        if (!advance(s, &whole, stats)) return PL_SOLVE_BREAKDOWN;
    }
}

static pl_solve_end run_rounds(pl_newton *s, bool warm, int64_t most, pl_solve_stats *stats)
{
    double d = warm ? D_START : D_AFTER, last = INFINITY;
    s->most_factors = most;
    s->improved_at = s->n_judged;
    s->least = INFINITY;
    s->factored = false;
    pl_newton_set_stiffness(s, d);
    start_carried(s);
    if (warm && !begin(s, stats)) return PL_SOLVE_STALLED;
    for (int32_t round = 0; round < OUTER_ROUNDS; round++) {
        int32_t n_step;
        double error;
        pl_newton_set_stiffness(s, d);
        pl_solve_end end = run_round(s, last, &n_step, &error, stats);

        if (end == PL_SOLVE_SIZE) return PL_SOLVE_STALLED;
        if (end != PL_SOLVE_STALLED) return end;
        memcpy(s->f, s->F, (size_t)s->m * sizeof *s->f);
        if (n_step >= HARD) {
            d = PL_MIN(D_MOST, SOFTER * d);
        } else if (error > SLOW * last && n_step <= EASY) {
            d = PL_MAX(D_LEAST, HARDER * d);
        }
        last = error;
    }
    return PL_SOLVE_STALLED;
}

static void take_best(const pl_newton *s)
{
    if (!isfinite(s->best)) return;
    memcpy(s->v, s->best_v, (size_t)s->n * sizeof *s->v);
    memcpy(s->f, s->best_f, (size_t)s->m * sizeof *s->f);
}

pl_solve_end pl_newton_run(pl_newton *s, pl_solve_stats *stats)
{
    for (int64_t i = 0; i < s->m; i++) {
        if (!(s->W[i - i % 3] > 0)) s->f[i] = 0;
    }
    if (pl_newton_judge(s, s->f, stats) <= 1) return PL_SOLVE_CONVERGED;
    int64_t start = stats->factorizations;
    pl_solve_end end = run_rounds(s, true, start + WARM_FACTORS, stats);
    if (end == PL_SOLVE_STALLED || end == PL_SOLVE_BREAKDOWN) {
        take_best(s);
        s->most_factors = start + MOST_FACTORS;
        s->improved_at = s->n_judged;
        s->least = INFINITY;
        end = pl_newton_ipm(s, IPM_STEPS, stats);
        int64_t most = s->best <= 1 ? stats->factorizations + WARM_FACTORS : s->most_factors;
        if (end == PL_SOLVE_STALLED) end = run_rounds(s, false, most, stats);
    }
    take_best(s);
    return s->best <= 1 ? PL_SOLVE_CONVERGED : end;
}

pl_status pl_newton_solve(const pl_problem *problem, const pl_solver_options *options,
                          pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    pl_newton s;
    PL_TRY(pl_newton_create(problem, options, ws, v, f, &s));

    PL_TRY(pl_newton_take(&s));
    stats->end = pl_newton_run(&s, stats);
    return PL_OK;
}
