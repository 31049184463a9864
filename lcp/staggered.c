#include "staggered.h"

#include "diamond.h"

#include <string.h>

pl_staggered_options pl_staggered_options_default(void)
{
    const pl_lcp_options usual = pl_lcp_options_default();
    return (pl_staggered_options){.schurpa = true,
                                  .tolerance = 1e-12,
                                  .qp_tolerance = usual.tolerance,
                                  .max_iterations = 200,
                                  .max_qp_iterations = 1000,
                                  .max_solves = usual.max_solves,
                                  .column_bytes = usual.cache_bytes};
}

// One of the two programs: contact (n = n_contact) or friction in the axes of diamond.h (twice
// that).
typedef struct program {
    pl_pdasm pdasm;
    pl_lcp_sets sets;
    uint8_t *start; // (n) the first set of a turn
    double *x, *w;  // (n)
    pl_lcp_end end;
    pl_staggered_program *stats;
} program;

typedef struct solve {
    const pl_staggered *problem;
    const pl_staggered_options *options;
    pl_arena *arena;
    pl_lcp contact; // W_nn
    double *q;      // (n_contact) of it
    pl_diamond diamond;
    program c, f;
    double *gamma;             // (n_contact)
    double *d, *beta, *before; // (2*n_contact) -(q_t + W_tn alpha); friction, and that of last turn
    double *u, *product;       // (2*n_contact) scratch
    double *snapshot;          // (2*n_contact) friction of turn `taken`
    int32_t taken, next;       // and the turn for the next one
    double *best;              // (3*n_contact) f
    double least;              // its error
    pl_staggered_stats *stats;
} solve;

// --- The parts of W ---

// How many of W's entries join rows of a kind: normals, or tangents.
static int64_t count_entries(const pl_staggered *p, bool normals)
{
    int64_t count = 0;
    for (int32_t j = 0; j < 3 * p->n_contact; j++) {
        if ((j % 3 == 0) != normals) continue;
        for (int64_t k = p->col[j]; k < p->col[j + 1]; k++) {
            count += (p->row[k] % 3 == 0) == normals;
        }
    }
    return count;
}

typedef struct part {
    int64_t *col;
    int32_t *row;
    double *val;
} part;

// W_nn or W_tt, rows renumbered.
static pl_status take_part(const pl_staggered *p, bool normals, pl_arena *arena, part *out)
{
    int32_t per = normals ? 1 : 2, at_row = 0;
    int64_t at = 0, entries = count_entries(p, normals);
    out->col = pl_arena_take(arena, (int64_t)per * p->n_contact + 1, sizeof *out->col);
    out->row = pl_arena_take(arena, entries, sizeof *out->row);
    out->val = pl_arena_take(arena, entries, sizeof *out->val);
    if (out->col == NULL || out->row == NULL || out->val == NULL) return PL_ERROR_MEMORY;
    out->col[0] = 0;
    for (int32_t j = 0; j < 3 * p->n_contact; j++) {
        if ((j % 3 == 0) != normals) continue;
        for (int64_t k = p->col[j]; k < p->col[j + 1]; k++) {
            int32_t i = p->row[k];
            if ((i % 3 == 0) != normals) continue;
            out->row[at] = normals ? i / 3 : 2 * (i / 3) + i % 3 - 1;
            out->val[at++] = p->val[k];
        }
        out->col[++at_row] = at;
    }
    return PL_OK;
}

// q (n_contact) := q_n + W_nt beta.
static void find_contact_q(solve *s)
{
    const pl_staggered *p = s->problem;
    for (int32_t c = 0; c < p->n_contact; c++) s->q[c] = p->q[3 * c];
    for (int32_t i = 0; i < 2 * p->n_contact; i++) {
        int32_t j = 3 * (i / 2) + 1 + i % 2;
        if (s->beta[i] == 0) continue;
        for (int64_t k = p->col[j]; k < p->col[j + 1]; k++) {
            if (p->row[k] % 3 == 0) s->q[p->row[k] / 3] += p->val[k] * s->beta[i];
        }
    }
}

// d := -(q_t + W_tn alpha), gamma := mu alpha, and the program of friction with these.
static void set_friction(solve *s)
{
    const pl_staggered *p = s->problem;
    for (int32_t i = 0; i < 2 * p->n_contact; i++) s->d[i] = -p->q[3 * (i / 2) + 1 + i % 2];
    for (int32_t c = 0; c < p->n_contact; c++) {
        double alpha = s->c.x[c];
        s->gamma[c] = p->mu[c] * alpha;
        if (alpha == 0) continue;
        for (int64_t k = p->col[3 * c]; k < p->col[3 * c + 1]; k++) {
            int32_t i = p->row[k];
            if (i % 3 != 0) s->d[2 * (i / 3) + i % 3 - 1] -= p->val[k] * alpha;
        }
    }
    pl_diamond_set(&s->diamond, s->d, s->gamma);
}

// --- Programs ---

static pl_status create_program(solve *s, const pl_lcp *lcp, pl_staggered_program *stats,
                                program *out)
{
    const pl_staggered_options *o = s->options;
    const pl_pdasm_options options = {.max_solves = o->schurpa ? o->max_solves : 0,
                                      .column_bytes = o->column_bytes,
                                      .refine = o->refine,
                                      .engine = o->engine,
                                      .tolerance = o->qp_tolerance,
                                      .pivot_tolerance = 0.5 * o->qp_tolerance,
                                      .max_iterations = o->max_qp_iterations,
                                      .max_seconds = o->max_seconds,
                                      .started = pl_seconds()};
    out->stats = stats;
    PL_TRY(pl_pdasm_create(lcp, &options, s->arena, &out->pdasm));
    if (o->clock != NULL) out->pdasm.systems.K.clock = o->clock;
    PL_TRY(pl_lcp_sets_make(s->arena, lcp->n, &out->sets));
    out->start = pl_arena_take(s->arena, lcp->n, sizeof *out->start);
    out->x = pl_arena_take(s->arena, lcp->n, sizeof *out->x);
    out->w = pl_arena_take(s->arena, lcp->n, sizeof *out->w);
    return out->start != NULL && out->x != NULL && out->w != NULL ? PL_OK : PL_ERROR_MEMORY;
}

// From x at hand and w of it, with q and bounds as they are now.
static pl_status run_program(program *p, int32_t turn)
{
    const pl_lcp *lcp = p->pdasm.lcp;
    int32_t iterations, right = 0;
    pl_lcp_multiply(lcp, p->x, p->w);
    pl_pdasm_start(lcp, p->pdasm.diag, p->x, p->w, &p->sets);
    memcpy(p->start, p->sets.state, (size_t)lcp->n);
    for (int32_t i = 0; i < lcp->n; i++) p->x[i] = pl_lcp_clamp(p->x[i], lcp->lo[i], lcp->hi[i]);
    PL_TRY(pl_pdasm_solve(&p->pdasm, &p->sets, p->x, p->w, &p->end, &iterations));
    for (int32_t i = 0; i < lcp->n; i++) right += p->start[i] == p->sets.state[i];
    double share = lcp->n > 0 ? (double)right / lcp->n : 1;
    if (turn == 0) p->stats->first_share = share;
    p->stats->mean_share += (share - p->stats->mean_share) / (turn + 1);
    p->stats->most_iterations = PL_MAX(p->stats->most_iterations, iterations);
    p->stats->sum = p->pdasm.stats;
    return PL_OK;
}

// --- Turns ---

static double energy(const solve *s, const double *a, const double *b)
{
    int32_t n = 2 * s->problem->n_contact;
    const pl_lcp *lcp = &s->diamond.lcp;
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        s->u[i] = a[i] - (b != NULL ? b[i] : 0);
        s->product[i] = 0;
    }
    pl_diamond_turn(n / 2, s->u, s->u);
    for (int32_t j = 0; j < n; j++) {
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1] && s->u[j] != 0; k++) {
            s->product[lcp->row[k]] += lcp->val[k] * s->u[j];
        }
    }
    for (int32_t i = 0; i < n; i++) sum += s->u[i] * s->product[i];
    return sum;
}

// By how much friction moved from `from` to `to` [Lit13, 4.19].
static double ratio_of(const solve *s, const double *from, const double *to)
{
    double moved = energy(s, to, from), size = energy(s, from, NULL);
    if (size == 0) size = energy(s, to, NULL);
    return size > 0 ? moved / size : moved > 0 ? INFINITY : 0;
}

// The error of alpha and beta together; keeps them if it is the least so far.
static double judge(solve *s)
{
    int32_t n = s->problem->n_contact;
    find_contact_q(s);
    pl_lcp_multiply(&s->contact, s->c.x, s->c.w);
    double contact = pl_lcp_natural(&s->contact, s->c.pdasm.diag, s->c.x, s->c.w);
    double friction = pl_lcp_natural(&s->diamond.lcp, s->f.pdasm.diag, s->f.x, s->f.w);
    double error = fmax(contact, friction);
    if (!(error < s->least)) return error;
    s->least = error;
    for (int32_t c = 0; c < n; c++) {
        s->best[3 * c] = s->c.x[c];
        s->best[3 * c + 1] = s->beta[2 * c];
        s->best[3 * c + 2] = s->beta[2 * c + 1];
    }
    return error;
}

// A friction that was there before, while turns still move it by far more, comes again and again:
// alpha follows from it. Turns 1, 2, 4, 8, ... are kept for comparison, each until the next
// [Brent 1980].
static bool is_cycle(solve *s, int32_t turn)
{
    const double again = fmax(s->options->tolerance, 1e-20), still = 100 * again;
    size_t bytes = 2 * (size_t)s->problem->n_contact * sizeof *s->beta;
    if (s->taken >= 0 && s->stats->ratio > still && ratio_of(s, s->snapshot, s->beta) <= again) {
        s->stats->period = turn - s->taken;
        return true;
    }
    if (turn >= s->next) {
        memcpy(s->snapshot, s->beta, bytes);
        s->taken = turn;
        s->next = 2 * turn + 1;
    }
    return false;
}

// Contact, friction, and how they fit; *end := PL_LCP_N_END if turns go on.
static pl_status take_turn(solve *s, int32_t turn, pl_lcp_end *end)
{
    const pl_staggered_options *o = s->options;
    int32_t n = s->problem->n_contact;
    *end = PL_LCP_N_END;
    find_contact_q(s);
    PL_TRY(run_program(&s->c, turn));
    if (s->c.end != PL_LCP_SOLVED) *end = s->c.end;
    if (*end != PL_LCP_N_END) return PL_OK;
    set_friction(s);
    PL_TRY(run_program(&s->f, turn));
    if (s->f.end != PL_LCP_SOLVED) *end = s->f.end;
    if (*end != PL_LCP_N_END) return PL_OK;
    memcpy(s->before, s->beta, 2 * (size_t)n * sizeof *s->before);
    pl_diamond_turn(n, s->f.x, s->beta);
    s->stats->ratio = ratio_of(s, s->before, s->beta);
    double error = judge(s);
    if (o->trace != NULL) o->trace(turn, s->stats->ratio, error, o->trace_user);
    bool late = o->max_seconds > 0 && pl_seconds() - s->c.pdasm.options.started > o->max_seconds;
    if (s->stats->ratio <= o->tolerance || error <= o->qp_tolerance) {
        *end = PL_LCP_SOLVED;
    } else if (!isfinite(error) || !isfinite(s->stats->ratio)) {
        *end = PL_LCP_BREAKDOWN;
    } else if (is_cycle(s, turn)) {
        *end = PL_LCP_CYCLING;
    } else if (late) {
        *end = PL_LCP_TIME;
    }
    return PL_OK;
}

// --- The solve ---

static pl_status prepare(solve *s, const double *f)
{
    const pl_staggered *p = s->problem;
    int64_t n = p->n_contact;
    part nn, tt;
    PL_TRY(take_part(p, true, s->arena, &nn));
    PL_TRY(take_part(p, false, s->arena, &tt));
    PL_TRY(pl_diamond_create(p->n_contact, tt.col, tt.row, tt.val, s->arena, &s->diamond));
    double *bounds = pl_arena_take(s->arena, 2 * n, sizeof *bounds);
    double **take[] = {&s->q, &s->gamma,   &s->d,        &s->beta, &s->before,
                       &s->u, &s->product, &s->snapshot, &s->best};
    for (size_t k = 0; k < sizeof take / sizeof *take; k++) {
        *take[k] = pl_arena_take(s->arena, 3 * n, sizeof **take[k]);
        if (*take[k] == NULL) return PL_ERROR_MEMORY;
    }
    if (bounds == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) bounds[i] = 0, bounds[n + i] = INFINITY;
    s->contact = (pl_lcp){.n = p->n_contact,
                          .col = nn.col,
                          .row = nn.row,
                          .val = nn.val,
                          .symmetric = true,
                          .q = s->q,
                          .lo = bounds,
                          .hi = bounds + n};
    PL_TRY(create_program(s, &s->contact, &s->stats->contact, &s->c));
    PL_TRY(create_program(s, &s->diamond.lcp, &s->stats->friction, &s->f));
    memcpy(s->best, f, 3 * (size_t)n * sizeof *f);
    for (int32_t c = 0; c < n; c++) {
        s->c.x[c] = fmax(f[3 * c], 0);
        s->beta[2 * c] = f[3 * c + 1];
        s->beta[2 * c + 1] = f[3 * c + 2];
    }
    pl_diamond_turn(p->n_contact, s->beta, s->f.x);
    return PL_OK;
}

static pl_status check(const pl_staggered *p, const pl_staggered_options *o)
{
    if (!(o->tolerance >= 0) || !(o->qp_tolerance > 0) || o->max_iterations < 0 ||
        o->max_qp_iterations < 0 || !(o->max_seconds >= 0) || o->max_solves < 1) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "staggered projections: tolerances of %g and %g, limits of %d and %d "
                       "iterations, %d solves and %g s",
                       o->tolerance, o->qp_tolerance, o->max_iterations, o->max_qp_iterations,
                       o->max_solves, o->max_seconds);
    }
    for (int32_t c = 0; c < p->n_contact; c++) {
        if (p->mu[c] >= 0 && isfinite(p->mu[c])) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "contact %d: friction of %g", c, p->mu[c]);
    }
    return PL_OK;
}

pl_status pl_staggered_solve(const pl_staggered *problem, const pl_staggered_options *options,
                             pl_arena *arena, double *f, pl_staggered_stats *stats)
{
    const pl_staggered_options usual = pl_staggered_options_default();
    if (options == NULL) options = &usual;
    double started = pl_seconds();
    *stats = (pl_staggered_stats){.end = PL_LCP_BREAKDOWN, .error = NAN};
    PL_TRY(check(problem, options));
    solve s = {.problem = problem,
               .options = options,
               .arena = arena,
               .taken = -1,
               .least = INFINITY,
               .stats = stats};
    PL_TRY(prepare(&s, f));
    stats->end = PL_LCP_N_END;
    while (stats->end == PL_LCP_N_END && stats->iterations < options->max_iterations) {
        PL_TRY(take_turn(&s, stats->iterations++, &stats->end));
    }
    if (stats->end == PL_LCP_N_END) stats->end = PL_LCP_LIMIT;
    memcpy(f, s.best, 3 * (size_t)problem->n_contact * sizeof *f);
    stats->error = s.least;
    stats->seconds = pl_seconds() - started;
    if (stats->end == PL_LCP_SOLVED) return PL_OK;
    return pl_fail(PL_ERROR_NUMERICS, "%s: %s after %d turns: an error of %.3g",
                   options->schurpa ? "sp-schurpa" : "sp-direct", pl_lcp_end_name(stats->end),
                   stats->iterations, stats->error);
}
