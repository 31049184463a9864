// The rounds of `newton`: errors, rows that are carried, and the proximal point method around
// Newton's.
//
// With f what the impulses are now, a round solves r(v) = 0 (newton.c), then f := F. K that is too
// large makes the faces hard to find, one that is too small takes many rounds: d follows how it
// goes.
//
// Rows without bounds that contradict each other, as those of a loop that does not close, have no
// solution. The rounds then find velocities between what they ask for, w stays what it is, and
// lambda grows by -K w in each round, which pushes nothing: L^T K w = 0. So where w stays, the rows
// are asked for what they can have, c + w, and lambda starts over from 0: it comes to the least
// that does it.

#include "newton.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

enum {
    VAIN_STEPS = 400, // in a row that do not bring the error down; two errors are judged in most
    INNER_STEPS = 30, // of Newton's in a round, after which it is lost
    LOST_STEPS = 15,  // after which a round is lost that has more left than it began with
    MORE_FACTORS = 6, // at most, for what is below what is allowed already
    OUTER_ROUNDS = 200,
    EASY = 12,       // steps in a round, at most, that let d become smaller
    HARD = 25,       // and at least, that make it larger
    MOST_SHIFTS = 3, // that contradicting rows are asked for less
    JOINT_ROUNDS = 6,
    GROWING = 5, // rounds in a row after which impulses that grow have no end
};

// d of other rows of boxes than those that are carried, at most.
static const double D_BOX = 1e-3;
// d of all others at the start, from the impulses given and from interior points, its bounds, and
// by what it changes.
static const double D_START = 0.03, D_AFTER = 0.01, D_LEAST = 1e-8, D_MOST = 1, HARDER = 0.2,
                    SOFTER = 2;
// After a round that was lost d stays above this, times that of the round, which easy rounds that
// gain little make less; and a round is lost that has so many times what it began with.
static const double HOLD = 2, FORGET = 0.8, LOST = 1e3;
// A round that leaves more of the error than this makes d smaller, if it was easy.
static const double SLOW = 0.3;
// What counts as bringing it down.
static const double GAIN = 0.9;
// It goes on below what is allowed, to this part of it: on the right faces that takes one step, and
// what stiff bodies are left with they have to start from in the next step in time.
static const double TARGET = 0.1;
// A round ends with so much of the error that is allowed, of the last round's, or of its first.
static const double INNER_ENOUGH = 0.02, INNER_LAST = 0.3, INNER_FIRST = 0.1;
// Rows contradict each other if a round leaves more of w than this, squared, if the round itself is
// solved to that part of it,
static const double STAYS = 0.25, SOLVED = 0.1;
// if this is the least cosine of the angle between what two rounds leave,
// and if it pushes nothing.
static const double ALONG = 0.9;
// What impulses along w push with is no more than this part of their sizes.
static const double NOTHING = 1e-4;
// Impulses that grow by this factor in rounds that do not bring the error down have no end.
static const double GROWS = 2;
// What rounding leaves of a sum of impulses, as part of the sum of their sizes.
static const double ROUNDING = 8e-16;

// --- Errors ---

// u := L v - c, less what contradicting rows are not asked for.
static void find_relative(pl_newton *s)
{
    pl_rows_multiply(s->problem, NULL, true, s->v, s->u);
    for (int64_t i = 0; i < s->m && s->shifts > 0; i++) s->u[i] -= s->shift[i];
}

// push := L^T F, r := b + push - A v.
static void find_residual(pl_newton *s, pl_solve_stats *stats)
{
    const pl_problem *problem = s->problem;
    memset(s->push, 0, (size_t)s->n * sizeof *s->push);
    pl_rows_transpose_add(problem, &s->ws->uses, 1, s->F, s->ws->world, s->push);
    pl_bsr_multiply(problem->A, s->v, s->r);
    stats->products++;
    for (int64_t i = 0; i < s->n; i++) {
        bool prescribed = pl_is_prescribed(problem, i / 3);
        s->r[i] = prescribed ? 0 : (problem->b[i] + s->push[i]) - s->r[i];
    }
}

// The sizes of the impulses f that meet in a block, however little is left of their sum.
static double sizes_in(const pl_newton *s, int32_t use, const double *f)
{
    const pl_uses *uses = &s->ws->uses;
    double sum = 0;
    for (int32_t j = uses->start[use]; j < uses->start[use + 1]; j++) {
        const pl_entry *entry = s->problem->entry + uses->use[j].term;
        const double *g = f + 3 * (int64_t)uses->use[j].constraint;
        const double *arm = pl_entry_arm(s->problem, entry);
        const double *S = pl_entry_stretch(s->problem, entry);
        double weight = fabs(entry->w) + fabs(arm[0]) + fabs(arm[1]) + fabs(arm[2]);
        for (int e = 0; e < 6 && S != NULL; e++) weight += fabs(S[e]);
        sum += weight * (fabs(g[0]) + fabs(g[1]) + fabs(g[2]));
    }
    return sum;
}

// The velocity that rounding leaves in a block.
static double floor_of(const pl_newton *s, int32_t use)
{
    int64_t block = s->ws->uses.block[use];
    const double *inv = s->ws->D.inv + 6 * block, *b = s->problem->b + 3 * block;
    double sum = (fabs(b[0]) + fabs(b[1]) + fabs(b[2])) + sizes_in(s, use, s->F);
    return ROUNDING * sum * PL_MAX(inv[0], PL_MAX(inv[3], inv[5]));
}

// max |A_ii^-1 r_i| [m/s], without what is rounding.
static double worst_block(const pl_newton *s, double enough)
{
    const pl_uses *uses = &s->ws->uses;
    double worst = 0;
    pl_block_jacobi_apply(&s->ws->D, s->r, s->ws->r);
    for (int64_t i = 0; i < s->n; i++) worst = PL_MAX(worst, fabs(s->ws->r[i]));
    if (!(worst > enough)) return worst;
    for (int32_t i = 0; i < uses->n; i++) {
        double *x = s->ws->r + 3 * (int64_t)uses->block[i];
        double most = PL_MAX(fabs(x[0]), PL_MAX(fabs(x[1]), fabs(x[2])));
        if (most > enough && most <= floor_of(s, i)) x[0] = x[1] = x[2] = 0;
    }
    worst = 0;
    for (int64_t i = 0; i < s->n; i++) worst = PL_MAX(worst, fabs(s->ws->r[i]));
    return worst;
}

// The residual in units of what is allowed: as the yardstick has it, and of each block, so that a
// light body beside a heavy one counts as much.
static double residual_error(const pl_newton *s)
{
    double enough = s->options->contact_tolerance / s->problem->dt;
    double r = sqrt(pl_vec_dot(s->n, s->r, s->r)),
           pushes = sqrt(pl_vec_dot(s->n, s->push, s->push));
    return PL_MAX(pl_relative_residual(s->ws, pushes, r) / s->options->residual_tolerance,
                  worst_block(s, INNER_ENOUGH * enough) / enough);
}

// The same, and what the rows that are carried lack.
static double round_error(const pl_newton *s)
{
    double worst = 0;
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) worst = PL_MAX(worst, fabs(s->lack[i]));
    return PL_MAX(s->residual, s->problem->dt * worst / s->options->contact_tolerance);
}

// Of F at v; u is known.
static double judge(pl_newton *s, pl_solve_stats *stats)
{
    pl_contact_errors errors = {0};
    find_residual(s, stats);
    s->residual = residual_error(s);
    pl_contact_errors_update(s->problem, s->ws->scale, s->u, s->F, &errors);
    double worst = pl_contact_errors_worst(&errors) / s->options->contact_tolerance;
    double error = isfinite(worst + s->residual) ? PL_MAX(worst, s->residual) : INFINITY;
    s->n_judged++;
    if (error <= 1 && !(s->best <= 1)) {
        s->most_factors = PL_MIN(s->most_factors, stats->factorizations + MORE_FACTORS);
    }
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

double pl_newton_judge(pl_newton *s, const double *f, pl_solve_stats *stats)
{
    if (f != s->F) memcpy(s->F, f, (size_t)s->m * sizeof *f);
    find_relative(s);
    return judge(s, stats);
}

pl_solve_end pl_newton_limits(const pl_newton *s, const pl_solve_stats *stats)
{
    if (stats->iterations >= s->options->max_iterations) return PL_SOLVE_LIMIT;
    if (pl_solve_is_late(s->ws, s->options)) return PL_SOLVE_TIME;
    if (stats->factorizations >= s->loose_from && s->best <= s->loose) return PL_SOLVE_LOOSE;
    if (stats->factorizations >= s->most_factors) return PL_SOLVE_STALLED;
    if (s->n_judged >= s->improved_at + VAIN_STEPS) return PL_SOLVE_STALLED;
    return PL_SOLVE_CONVERGED;
}

void pl_newton_begin_stage(pl_newton *s, int64_t most)
{
    s->most_factors = most;
    s->improved_at = s->n_judged;
    s->least = INFINITY;
    s->factored = false;
}

// --- Rows that are carried ---

bool pl_newton_is_carried(const pl_newton *s, int64_t i)
{
    const pl_limits *limits = pl_limits_of(s->problem, s->problem->constraint + i / 3);
    return pl_is_bilateral(limits, (int)(i % 3));
}

void pl_newton_start_carried(pl_newton *s)
{
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        s->lambda[i] = s->f[i];
        s->lack[i] = 0;
    }
}

// w = u + E lambda of a row.
static double velocity_of(const pl_newton *s, int64_t i)
{
    const pl_limits *limits = pl_limits_of(s->problem, s->problem->constraint + i / 3);
    return s->u[i] + limits->compliance[i % 3] * s->lambda[i];
}

void pl_newton_look_at_carried(pl_newton *s)
{
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        if (!(s->stiff[i] > 0)) continue;
        s->lack[i] = velocity_of(s, i) + (s->lambda[i] - s->f[i]) / s->K[i];
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

// --- Rows that contradict each other ---

// Do impulses along K w, by which lambda grows, push nothing?
static bool pushes_nothing(const pl_newton *s)
{
    const pl_uses *uses = &s->ws->uses;
    double sizes = 0, pushes = 0, *f = s->ws->u, *x = s->ws->r;
    for (int64_t i = 0; i < s->m; i++) f[i] = s->stiff[i] > 0 ? s->K[i] * s->last_w[i] : 0;
    memset(x, 0, (size_t)s->n * sizeof *x);
    pl_rows_transpose_add(s->problem, uses, 1, f, s->ws->world, x);
    for (int64_t i = 0; i < s->n; i++) pushes = PL_MAX(pushes, fabs(x[i]));
    for (int32_t i = 0; i < uses->n; i++) sizes = PL_MAX(sizes, sizes_in(s, i, f));
    return pushes <= NOTHING * sizes;
}

// Has a round that is solved left w of the rows that are carried as it was? last_w becomes w.
static bool contradicts(pl_newton *s)
{
    double worst = 0, lack = 0, ww = 0, wo = 0, oo = 0;
    for (int64_t i = 0; i < s->m && s->lambda != NULL; i++) {
        if (!(s->stiff[i] > 0)) continue;
        double w = velocity_of(s, i), K = s->K[i], old = s->last_w[i];
        ww += K * w * w, wo += K * w * old, oo += K * old * old;
        worst = PL_MAX(worst, fabs(w)), lack = PL_MAX(lack, fabs(s->lack[i]));
        s->last_w[i] = w;
    }
    bool much = s->problem->dt * worst > s->options->contact_tolerance && lack <= SOLVED * worst;
    bool stays = ww > STAYS * oo && wo > ALONG * sqrt(ww * oo);
    return much && stays && pushes_nothing(s);
}

static void forget_velocities(pl_newton *s)
{
    if (s->lambda != NULL) memset(s->last_w, 0, (size_t)s->m * sizeof *s->last_w);
}

static double largest(const pl_newton *s, const double *w)
{
    double most = 0;
    for (int64_t i = 0; i < s->m; i++) most = PL_MAX(most, fabs(w[i]));
    return most;
}

// From now on they are asked for what they can have.
static void ask_for_less(pl_newton *s)
{
    for (int64_t i = 0; i < s->m; i++) {
        if (!(s->stiff[i] > 0)) continue;
        s->shift[i] += velocity_of(s, i);
        s->f[i] = 0;
    }
    s->shifts++;
    s->best = INFINITY;
    pl_newton_start_carried(s);
}

void pl_newton_check_joints(pl_newton *s, pl_solve_stats *stats)
{
    if (s->lambda == NULL) return;
    forget_velocities(s);
    memcpy(s->x, s->v, (size_t)s->n * sizeof *s->v);
    memcpy(s->Fe, s->f, (size_t)s->m * sizeof *s->f);
    pl_newton_set_stiffness(s, 1);
    pl_newton_start_carried(s);
    for (int64_t k = 0; k < s->problem->n_constraint; k++) {
        const double *stiff = s->stiff + 3 * k;
        s->D[k] = (pl_sym3){.nn = stiff[0], .t11 = stiff[1], .t22 = stiff[2]};
    }
    bool goes_on = pl_newton_factor(s, stats);
    s->factored = false;
    memcpy(s->F, s->f, (size_t)s->m * sizeof *s->f);
    for (int32_t round = 0; round < 2 * JOINT_ROUNDS && goes_on; round++) {
        find_relative(s);
        pl_newton_look_at_carried(s);
        find_residual(s, stats);
        if (round % 2 == 0 && round > 0) { // each is solved twice, to be sure of it
            if (contradicts(s)) {
                ask_for_less(s);
                break;
            }
            goes_on = s->problem->dt * largest(s, s->last_w) > s->options->contact_tolerance;
            memcpy(s->f, s->lambda, (size_t)s->m * sizeof *s->f);
            pl_newton_look_at_carried(s);
        }
        pl_newton_set_rhs(s);
        pl_contact_matrix_solve(&s->H, s->rhs, s->e);
        stats->iterations++;
        pl_rows_multiply(s->problem, NULL, false, s->e, s->Le);
        pl_newton_carry(s, 1);
        pl_vec_add(s->n, 1, s->e, s->v);
    }
    memcpy(s->v, s->x, (size_t)s->n * sizeof *s->v);
    memcpy(s->f, s->Fe, (size_t)s->m * sizeof *s->f);
    for (int64_t i = 0; i < s->m && s->shifts > 0; i++) {
        if (s->stiff[i] > 0) s->f[i] = 0;
    }
}

// --- Rounds ---

bool pl_newton_factor(pl_newton *s, pl_solve_stats *stats)
{
    stats->factorizations++;
    bool made = pl_contact_matrix_set(&s->H, s->D);
    s->indefinite = s->indefinite || !made;
    return made;
}

void pl_newton_set_stiffness(pl_newton *s, double d)
{
    for (int64_t i = 0; i < s->m; i++) {
        s->K[i] = s->W[i] > 0 ? 1 / (d * s->W[i]) : 0;
    }
    for (int64_t i = 0; i < s->m && s->problem->n_limits > 0; i++) {
        const pl_limits *limits = pl_limits_of(s->problem, s->problem->constraint + i / 3);
        bool carried = pl_newton_is_carried(s, i);
        if (limits == NULL || limits->law != PL_LAW_BOX || !(s->W[i] > 0)) {
            if (s->stiff != NULL) s->stiff[i] = 0;
            continue;
        }
        s->K[i] = 1 / ((carried ? s->d_carried : PL_MIN(d, D_BOX)) * s->W[i]);
        if (s->stiff == NULL) continue;
        s->stiff[i] = carried ? s->K[i] / (1 + s->K[i] * limits->compliance[i % 3]) : 0;
    }
}

// The error at v with the impulses F(u). *linear: the residual with those of the linear system, in
// Fe, if there are any.
static double evaluate(pl_newton *s, bool whole, double *linear, pl_solve_stats *stats)
{
    *linear = INFINITY;
    find_relative(s);
    if (whole) {
        memcpy(s->F, s->Fe, (size_t)s->m * sizeof *s->F);
        double error = judge(s, stats);
        if (error <= TARGET) return error;
        pl_newton_look_at_carried(s);
        *linear = round_error(s);
    }
    pl_cones_push(s->problem, s->K, s->f, s->u, s->F);
    pl_newton_look_at_carried(s);
    return judge(s, stats);
}

// How a round went.
typedef struct round_result {
    int32_t n_step;
    double error;
    bool lost; // it came to no solution: v is anywhere
} round_result;

// Newton's method with K and f as they are. PL_SOLVE_STALLED if that came to its end and there is
// more to do, PL_SOLVE_SIZE if there were too many factors.
static pl_solve_end run_round(pl_newton *s, double last, round_result *out, pl_solve_stats *stats)
{
    double first = 0, linear;
    bool whole = false;
    *out = (round_result){0};
    for (;; out->n_step++) {
        out->error = evaluate(s, whole, &linear, stats);
        if (out->error <= TARGET) return PL_SOLVE_CONVERGED;
        if (!isfinite(out->error)) return PL_SOLVE_BREAKDOWN;
        double r = round_error(s);
        if (out->n_step == 0) first = r;
        double enough = PL_MAX(INNER_ENOUGH, PL_MIN(INNER_LAST * last, INNER_FIRST * first));
        if (r <= enough) return PL_SOLVE_STALLED;
        if (linear <= enough) {
            out->error = pl_newton_judge(s, s->Fe, stats);
            return PL_SOLVE_STALLED;
        }
        out->lost = out->n_step == INNER_STEPS || r > LOST * first ||
                    (out->n_step >= LOST_STEPS && r > first);
        if (out->lost) return PL_SOLVE_STALLED;
        pl_solve_end end = pl_newton_limits(s, stats);
        if (end != PL_SOLVE_CONVERGED) return end == PL_SOLVE_STALLED ? PL_SOLVE_SIZE : end;
        if (!pl_newton_advance(s, &whole, stats)) return PL_SOLVE_BREAKDOWN;
    }
}

// d for the next round. *floor: it was lost with less.
static double next_d(double d, const round_result *round, double last, double *floor)
{
    if (round->lost) *floor = HOLD * d;
    if (round->lost || round->n_step >= HARD) return PL_MIN(D_MOST, SOFTER * d);
    if (round->error <= SLOW * last || round->n_step > EASY) return d;
    double next = PL_MIN(d, PL_MAX(PL_MAX(D_LEAST, *floor), HARDER * d));
    *floor *= FORGET;
    return next;
}

// A round that was lost is made again from where it began, with another d: from where it ended, it
// would have to find back first.
pl_solve_end pl_newton_rounds(pl_newton *s, bool warm, int64_t most, pl_solve_stats *stats)
{
    double d = warm ? D_START : D_AFTER, last = INFINITY, last_size = INFINITY, floor = 0;
    int32_t n_growing = 0;
    forget_velocities(s);
    pl_newton_begin_stage(s, most);
    pl_newton_set_stiffness(s, d);
    pl_newton_start_carried(s);
    if (warm && !pl_newton_begin(s, stats)) return PL_SOLVE_STALLED;
    for (int32_t i = 0; i < OUTER_ROUNDS; i++) {
        round_result round;
        memcpy(s->v_round, s->v, (size_t)s->n * sizeof *s->v);
        pl_newton_set_stiffness(s, d);
        pl_solve_end end = run_round(s, last, &round, stats);
        if (end == PL_SOLVE_SIZE) return PL_SOLVE_STALLED;
        if (end != PL_SOLVE_STALLED) return end;
        if (round.lost) {
            if (d >= D_MOST) return PL_SOLVE_STALLED;
            memcpy(s->v, s->v_round, (size_t)s->n * sizeof *s->v);
            pl_newton_start_carried(s);
            d = next_d(d, &round, last, &floor);
            continue;
        }
        memcpy(s->f, s->F, (size_t)s->m * sizeof *s->f);
        if (contradicts(s)) {
            if (s->shifts == MOST_SHIFTS) return PL_SOLVE_STALLED;
            ask_for_less(s);
            last = INFINITY;
            continue;
        }
        double size = largest(s, s->f);
        n_growing = round.error > GAIN * last && size > GROWS * last_size ? n_growing + 1 : 0;
        s->hopeless = n_growing >= GROWING;
        if (s->hopeless) return PL_SOLVE_STALLED;
        last_size = size;
        d = next_d(d, &round, last, &floor);
        last = round.error;
    }
    return PL_SOLVE_STALLED;
}
