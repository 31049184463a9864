// What `newton` works with: the pattern, memory, and how each row answers its impulse.

#include "hessenberg.h"
#include "newton.h"

#include <math.h>
#include <string.h>

// A row of a box that hardly answers is taken to answer as this part of its neighbours.
static const double LEAST_ANSWER = 1e-6;

// d of rows that are carried: a round or two solve them, whatever hangs on them.
static const double D_CARRIED = 1e-12;

pl_status pl_newton_create(const pl_problem *problem, const pl_solver_options *options,
                           pl_workspace *ws, double *v, double *f, pl_newton *out)
{
    *out = (pl_newton){.problem = problem, .options = options, .ws = ws, .v = v, .f = f};
    out->n = 3 * (int64_t)problem->A->n;
    out->m = 3 * (int64_t)problem->n_constraint;
    out->best = out->least = INFINITY;
    out->d_carried = D_CARRIED;
    double **of_n[] = {&out->best_v, &out->r, &out->push};
    double **of_m[] = {&out->best_f, &out->u, &out->F};
    for (int i = 0; i < 3; i++) {
        *of_n[i] = pl_arena_take(&ws->arena, out->n, sizeof(double));
        *of_m[i] = pl_arena_take(&ws->arena, out->m, sizeof(double));
        if (*of_n[i] == NULL || *of_m[i] == NULL) return PL_ERROR_MEMORY;
    }
    return PL_OK;
}

pl_status pl_newton_analyze(pl_newton *s)
{
    return pl_contact_matrix_create(s->problem, &s->ws->uses, &s->ws->arena, &s->H);
}

double pl_newton_work(const pl_newton *s)
{
    return 27 * pl_cholesky_work_count(&s->H.factor);
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

// Memory for the rows that are carried, if there are any.
static pl_status take_carried(pl_newton *s)
{
    bool any = false;
    for (int64_t i = 0; i < s->m && s->problem->n_limits > 0; i++)
        any = any || pl_newton_is_carried(s, i);
    s->rhs = s->r;
    if (!any) return PL_OK;
    s->rhs = pl_arena_take(&s->ws->arena, s->n, sizeof *s->rhs);
    if (s->rhs == NULL) return PL_ERROR_MEMORY;
    double **of_m[] = {&s->lambda, &s->stiff, &s->lack, &s->shift, &s->last_w};
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
    double **of_n[] = {&s->e, &s->Ae, &s->x, &s->v_round};
    double **of_m[] = {&s->Le, &s->Fe, &s->K, &s->W};
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
