// Accelerated proximal gradients [Beck & Teboulle 2009] with restart [O'Donoghue & Candes 2015].
//
// If there were no contacts, v would minimize E(v) = v . A v / 2 - b . v. Around a point y, with D
// the diagonal blocks of A and s so large that s D - A is positive semi-definite,
//     E(v) <= E(y) - g0 . (v - y) + s (v - y) . D (v - y) / 2,    g0 = b - A y.
// A step minimizes the right-hand side under the laws of contact instead of the left:
//     v = y + D^-1 (g0 + L^T f) / s,    u = L v - c and f obey Signorini and Coulomb,
// which couples contacts only through the blocks that they share: a few sweeps of Gauss-Seidel
// (sweeps.h) on f / s, warm from the last step, do. Where v = y, A v = b + L^T f holds and all is
// solved. Coulomb's law makes this a fixed-point iteration rather than a minimization; the friction
// is exact in every step, and there are no states to switch.
//
// The next y runs ahead: y = v + beta (v - v_old), and A y follows from A v and A v_old, so that a
// step costs one product with A, and the residual at v, b + L^T f - A v, is known at every step.
//
// A product reads the matrix once, and of a large one that is what a step takes its time for. There
// A (v - v_old) is computed in single precision and added to A v_old, which halves it. Each such
// sum errs by 6e-8 |A| |v - v_old|, and all of them together by about 6e-8 |A| |v - v_start|: when
// the residual seems to be good enough, A v is computed once in double precision. If it is not, the
// steps go on from there, and A v_old is corrected by as much: but for the last step its error is
// the same, and a y between a true and a false product would seem to show that s is too small.

#include "apg.h"
#include "bsr_single.h"
#include "vectors.h"

#include <math.h>

enum {
    // Per step; twice as many after each step whose residual is good and whose contacts are not, up
    // to the second number.
    SWEEPS = 10,
    MAX_SWEEPS = 320,
    // With 3, s is too small for multigrid, and some solves take thousands of steps.
    POWER_STEPS = 6,
    PART_ROWS = 512, // at least, per part of a sum: see kernel.h
    SERIAL_ROWS = 2048,
    SERIAL_USES = 256,
    SERIAL_BLOCKS = 8192,
};

// Sweeps end early when they move a contact by less than this part of eps2. What they leave undone
// is noise in the steps: the part becomes smaller every so many steps, down to the least.
static const double SWEEP_SHARE = 0.01, SWEEP_SHARE_LEAST = 1e-7, SWEEP_SHARE_FACTOR = 0.2;
enum { SWEEP_SHARE_STEPS = 25 };
// So many steps with a good residual that bring the error of contacts no more than this part below
// the least before: what the contacts ask for cannot be had, such as room for a point that friction
// holds between walls which close. Impulses then grow without end.
static const double STUCK_SHARE = 0.01;
enum { STUCK_STEPS = 200 };
// Friction is no gradient of anything: steps may chase each other in circles around the solution,
// always forward, and the better contacts are solved in each the more so. They do if the residual
// of each of the last steps is that of a few steps before up to this part, and not all are alike.
// They then start anew, run ahead half as far at most, and contacts are swept one by one, half as
// often.
static const double CIRCLE_SAME = 0.1, CIRCLE_OTHER = 2; // of squares
enum { CIRCLE_STEPS = 6, CIRCLE_MOST = PL_APG_PAST - CIRCLE_STEPS };
// Where a step finds s too small it becomes what that step needed, times this, and at most twice
// what it was: very near to the solution the sums that say so are rounding.
static const double CURVATURE_MARGIN = 1.02;
// The bound that s is for may fail by this much, which is rounding.
static const double CURVATURE_SLACK = 1e-9, CURVATURE_SLACK_SINGLE = 1e-6;

static pl_status take(const pl_problem *problem, pl_workspace *ws, pl_apg *a)
{
    int64_t n = 3 * (int64_t)problem->A->n, m = 3 * (int64_t)problem->n_contact;
    *a = (pl_apg){.problem = problem, .ws = ws, .n = n, .least = INFINITY};
    PL_TRY(pl_sweeps_create(problem, &ws->D, &ws->uses, ws->scale, &ws->arena, &a->sweeps));
    double **vector[] = {&a->v, &a->old, &a->before, &a->Av, &a->Aold, &a->Abefore, &a->g};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        *vector[i] = pl_arena_take(&ws->arena, n, sizeof(double));
        if (*vector[i] == NULL) return PL_ERROR_MEMORY;
    }
    if (problem->A->nnz >= PL_SINGLE_BLOCKS) {
        a->single = pl_single_take(problem->A, &ws->arena);
        a->by = pl_arena_take(&ws->arena, n + 1, sizeof *a->by);
        if (a->single == NULL || a->by == NULL) return PL_ERROR_MEMORY;
        a->by[n] = 0;
    }
    a->f = pl_arena_take(&ws->arena, m, sizeof(double));
    a->impulse = pl_arena_take(&ws->arena, m, sizeof(double));
    return a->f != NULL && a->impulse != NULL ? PL_OK : PL_ERROR_MEMORY;
}

// --- Products ---

// Rows of Av := A v.
static void multiply_rows(pl_apg *a, int64_t first, int64_t last)
{
    const pl_bsr *A = a->problem->A;
    if (a->single == NULL) {
        pl_bsr_multiply_rows(A, (int32_t)first, (int32_t)last, a->v, a->Av);
    } else {
        pl_single_multiply_rows(A, a->single, (int32_t)first, (int32_t)last, a->by, a->Aold, a->Av);
    }
}

static double dot_rows(const double *x, const double *y, int64_t first, int64_t last)
{
    double sum[3] = {0};
    for (int64_t i = 3 * first; i < 3 * last; i += 3) {
        for (int k = 0; k < 3; k++) sum[k] += x[i + k] * y[i + k];
    }
    return (sum[0] + sum[1]) + sum[2];
}

// Ax := A x; returns x . A x.
static double multiply_dot(pl_apg *a, const double *x, double *Ax)
{
    const pl_bsr *A = a->problem->A;
    if (a->single == NULL) return pl_bsr_multiply_dot(A, x, Ax);
    double part[PL_MAX_PARTS], sum = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->n; i++) a->by[i] = (float)x[i];
#pragma omp parallel for schedule(static)
    for (int32_t p = 0; p < A->n_part; p++) {
        int32_t first = A->part[p], last = A->part[p + 1];
        pl_single_multiply_rows(A, a->single, first, last, a->by, NULL, Ax);
        part[p] = dot_rows(x, Ax, first, last);
    }
    for (int32_t p = 0; p < A->n_part; p++) sum += part[p];
    return sum;
}

// An estimate from below of the largest eigenvalue of D^-1 A: Rayleigh's quotient x . A x / x . D x
// after some steps of the power method. What it lacks, the steps find out.
static double find_curvature(pl_apg *a, pl_solve_stats *stats)
{
    double *x = a->before, *Ax = a->Abefore, *Dx = a->g, s = 1;
    uint64_t state = 1;
    for (int64_t i = 0; i < a->n; i++) { // Dx begins as noise
        state = state * 6364136223846793005u + 1442695040888963407u;
        Dx[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    for (int step = 0; step < POWER_STEPS; step++) {
        pl_block_jacobi_apply(&a->ws->D, Dx, x); // 0 in the known blocks
        double xDx = pl_vec_dot(a->n, x, Dx);
        if (!(xDx > 0)) return 1;
        double xAx = multiply_dot(a, x, Ax);
        s = xAx / xDx;
#pragma omp parallel for schedule(static) if (a->n / 3 >= SERIAL_ROWS)
        for (int64_t i = 0; i < a->n; i++) Dx[i] = Ax[i] / sqrt(xDx);
    }
    stats->products += POWER_STEPS;
    return PL_MAX(s, 1);
}

// --- A step ---

// y and A y, ahead of the last velocities by beta. They are computed where they are needed, from
// two vectors: to keep them would be to write two more in each step.
static inline double ahead(double last, double before, double beta)
{
    return last + beta * (last - before);
}

// v := y + is D^-1 g in block i, `is` being 1 / s.
static inline void follow(const pl_apg *a, double is, int64_t i)
{
    const double *m = a->ws->D.inv + 6 * i, *g = a->g + 3 * i;
    const double *old = a->old + 3 * i, *before = a->before + 3 * i;
    double *v = a->v + 3 * i, beta = a->beta;
    double by[3] = {is * ((m[0] * g[0] + m[1] * g[1]) + m[2] * g[2]),
                    is * ((m[1] * g[0] + m[3] * g[1]) + m[4] * g[2]),
                    is * ((m[2] * g[0] + m[4] * g[1]) + m[5] * g[2])};
    for (int k = 0; k < 3; k++) v[k] = ahead(old[k], before[k], beta) + by[k];
    if (a->by == NULL) return;
    for (int k = 0; k < 3; k++) a->by[3 * i + k] = (float)(v[k] - old[k]);
}

// g := b - A y and the v that follows from it, in rows.
static void descend(pl_apg *a, double is, int64_t first, int64_t last)
{
    const pl_problem *problem = a->problem;
    double beta = a->beta;
    for (int64_t i = first; i < last; i++) {
        bool known = pl_is_known(problem, i);
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
            double Ay = ahead(a->Aold[k], a->Abefore[k], beta);
            a->g[k] = known ? 0 : problem->b[k] - Ay;
        }
        follow(a, is, i);
    }
}

// Descends; then the impulses that v calls for join g, and v follows in the blocks that they reach.
static void step(pl_apg *a, double enough)
{
    const pl_problem *problem = a->problem;
    const pl_uses *uses = &a->ws->uses;
    int64_t n = problem->A->n, size = pl_part_size(n, PART_ROWS);
    double is = 1 / a->s;
#pragma omp parallel for schedule(static) if (n >= SERIAL_ROWS)
    for (int64_t first = 0; first < n; first += size) {
        descend(a, is, first, PL_MIN(first + size, n));
    }
    pl_rows_multiply(problem, NULL, true, a->v, a->ws->u);
    pl_sweeps_run(&a->sweeps, a->n_sweep, enough, a->ws->u, a->f);
#pragma omp parallel for schedule(static) if (uses->n >= SERIAL_USES)
    for (int32_t i = 0; i < uses->n; i++) {
        double *g = a->g + 3 * (int64_t)uses->block[i];
        for (int k = 0; k < 3; k++) g[k] += a->s * a->sweeps.push[3 * (int64_t)i + k];
        follow(a, is, uses->block[i]);
    }
}

// v becomes `old`, and the next step runs ahead of it by beta.
static void accept(pl_apg *a, double beta)
{
    double *v = a->before, *Av = a->Abefore;
    a->before = a->old, a->Abefore = a->Aold;
    a->old = a->v, a->Aold = a->Av;
    a->v = v, a->Av = Av;
    a->beta = beta;
}

// What a step is judged by.
typedef struct sums {
    double rr;      // |b + L^T f - A v|^2 in the rows that are not known
    double model;   // (v - y) . g, which is s (v - y) . D (v - y)
    double true_;   // (v - y) . A (v - y)
    double forward; // g . (v - old): negative where the step turns back
} sums;

static sums add_rows(const pl_apg *a, int64_t first, int64_t last)
{
    sums s = {0};
    double beta = a->beta;
    for (int64_t i = first; i < last; i++) {
        bool known = pl_is_known(a->problem, i);
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
            double d = a->v[k] - ahead(a->old[k], a->before[k], beta);
            double Ad = a->Av[k] - ahead(a->Aold[k], a->Abefore[k], beta);
            double r = known ? 0 : a->g[k] - Ad;
            s.rr += r * r;
            s.model += d * a->g[k];
            s.true_ += d * Ad;
            s.forward += a->g[k] * (a->v[k] - a->old[k]);
        }
    }
    return s;
}

// Av := A v, and what follows from it, part by part: what a product leaves in a cache is used
// there.
static sums multiply_and_judge(pl_apg *a)
{
    sums part[PL_MAX_PARTS], total = {0};
    int64_t n = a->n / 3, size = pl_part_size(n, PART_ROWS), n_part = (n + size - 1) / size;
#pragma omp parallel for schedule(static) if (a->problem->A->nnz >= SERIAL_BLOCKS)
    for (int64_t p = 0; p < n_part; p++) {
        int64_t first = p * size, last = PL_MIN((p + 1) * size, n);
        multiply_rows(a, first, last);
        part[p] = add_rows(a, first, last);
    }
    for (int64_t p = 0; p < n_part; p++) {
        total.rr += part[p].rr;
        total.model += part[p].model;
        total.true_ += part[p].true_;
        total.forward += part[p].forward;
    }
    return total;
}

// Are v and f good enough? The contacts are looked at only where the residual is; if they are what
// is left to do, the next step sweeps more.
static bool is_solved(pl_apg *a, const pl_solver_options *options, double r)
{
    a->residual = 0;
    if (r > options->eps1 * a->ws->b_norm) {
        const double *push = a->sweeps.push;
        double pushes = a->s * sqrt(pl_vec_dot(3 * (int64_t)a->ws->uses.n, push, push));
        a->residual = pl_relative_residual(a->ws, pushes, r) / options->eps1;
    }
    if (a->residual > 1) {
        a->n_sweep = a->n_usual;
        return false;
    }
    pl_contact_errors errors = {0};
    int64_t m = 3 * (int64_t)a->problem->n_contact;
    for (int64_t i = 0; i < m; i++) a->impulse[i] = a->s * a->f[i];
    pl_rows_multiply(a->problem, NULL, true, a->v, a->ws->u);
    pl_contact_errors_update(a->problem, a->ws->scale, a->ws->u, a->impulse, &errors);
    a->n_sweep = PL_MIN(2 * a->n_sweep, MAX_SWEEPS);
    double worst = pl_contact_errors_worst(&errors);
    bool falls = worst < (1 - STUCK_SHARE) * a->least;
    a->n_stuck = falls ? 0 : a->n_stuck + 1;
    if (falls) a->least = worst;
    return worst <= options->eps2;
}

static void set_curvature(pl_apg *a, double s)
{
    for (int64_t i = 0; i < 3 * (int64_t)a->problem->n_contact; i++) a->f[i] *= a->s / s;
    a->s = a->ws->curvature = s;
    pl_sweeps_set(&a->sweeps, a->f);
}

// The share of eps2 that sweeps leave undone.
static double sweep_share(const pl_apg *a)
{
    double share = SWEEP_SHARE * pow(SWEEP_SHARE_FACTOR, (a->n_step + 1) / SWEEP_SHARE_STEPS);
    return PL_MAX(share, SWEEP_SHARE_LEAST);
}

// Rows of Av := A v in double precision; Aold is corrected by as much.
static void correct_rows(pl_apg *a, int64_t first, int64_t last)
{
    double *Av = a->ws->r;
    pl_bsr_multiply_rows(a->problem->A, (int32_t)first, (int32_t)last, a->v, Av);
    for (int64_t i = 3 * first; i < 3 * last; i++) {
        a->Aold[i] += Av[i] - a->Av[i];
        a->Av[i] = Av[i];
    }
}

// As is_solved, and if A v was computed in single precision, once more in double.
static bool is_surely_solved(pl_apg *a, const pl_solver_options *options, double r,
                             pl_solve_stats *stats)
{
    if (!is_solved(a, options, r)) return false;
    if (a->single == NULL) return true;
    const pl_bsr *A = a->problem->A;
#pragma omp parallel for schedule(static)
    for (int32_t p = 0; p < A->n_part; p++) correct_rows(a, A->part[p], A->part[p + 1]);
    stats->products++;
    double *rest = a->ws->r;
    pl_contact_residual_from(a->problem, &a->ws->uses, a->Av, a->impulse, a->ws->world, rest);
    return is_solved(a, options, sqrt(pl_vec_dot(a->n, rest, rest)));
}

// The residual of the step i steps ago, squared.
static double past(const pl_apg *a, int32_t i)
{
    return a->past[(a->n_past - 1 - i) % PL_APG_PAST];
}

static bool goes_in_circles(const pl_apg *a)
{
    if (a->n_past < PL_APG_PAST) return false;
    for (int32_t period = 2; period <= CIRCLE_MOST; period++) {
        double least = past(a, 0), most = least;
        int32_t i = 0;
        for (; i < CIRCLE_STEPS; i++) {
            double now = past(a, i);
            if (fabs(now - past(a, i + period)) > CIRCLE_SAME * now) break;
            least = PL_MIN(least, now);
            most = PL_MAX(most, now);
        }
        if (i == CIRCLE_STEPS && most > CIRCLE_OTHER * least) return true;
    }
    return false;
}

// Notes the residual of a step, squared. True if steps went in circles.
static bool slow_down(pl_apg *a, double rr)
{
    a->past[a->n_past++ % PL_APG_PAST] = rr;
    if (!goes_in_circles(a)) return false;
    a->n_past = 0;
    a->most *= 0.5;
    a->n_usual = PL_MAX(a->n_usual / 2, 1);
    a->sweeps.plain = true;
    return true;
}

pl_solve_end pl_apg_run(pl_apg *a, const pl_solver_options *options, int32_t n,
                        pl_solve_stats *stats)
{
    double slack = a->single != NULL ? CURVATURE_SLACK_SINGLE : CURVATURE_SLACK;
    for (int32_t last = stats->iterations + n;; stats->iterations++, a->n_step++) {
        if (stats->iterations == last) return PL_SOLVE_LIMIT;
        if (pl_solve_is_late(a->ws, options)) return PL_SOLVE_TIME;
        step(a, sweep_share(a) * options->eps2 / a->problem->dt);
        sums sum = multiply_and_judge(a);
        stats->products++;
        if (!isfinite(sum.rr + sum.model + sum.true_)) return PL_SOLVE_BREAKDOWN;
        if (sum.true_ > (1 + slack) * sum.model && sum.model > 0) {
            set_curvature(a, a->s * PL_MIN(CURVATURE_MARGIN * sum.true_ / sum.model, 2));
            continue;
        }
        if (is_surely_solved(a, options, sqrt(sum.rr), stats)) {
            accept(a, 0);
            a->ws->Av = a->Aold; // of double precision
            stats->iterations++;
            return PL_SOLVE_CONVERGED;
        }
        if (a->n_stuck >= STUCK_STEPS) return PL_SOLVE_STALLED;
        bool back = sum.forward < 0, circles = slow_down(a, sum.rr);
        back = back || circles;
        if (back) a->theta = 1;
        stats->restarts += back;
        double next = 0.5 * (1 + sqrt(1 + 4 * a->theta * a->theta));
        accept(a, back ? 0 : PL_MIN((a->theta - 1) / next, a->most));
        a->theta = next;
    }
}

pl_status pl_apg_create(const pl_problem *problem, pl_workspace *ws, pl_solve_stats *stats,
                        pl_apg *out)
{
    PL_TRY(take(problem, ws, out));
    if (!(ws->curvature > 0)) ws->curvature = find_curvature(out, stats);
    out->s = ws->curvature;
    return PL_OK;
}

void pl_apg_start(pl_apg *a, const double *v, const double *f, pl_solve_stats *stats)
{
    for (int64_t i = 0; i < 3 * (int64_t)a->problem->n_contact; i++) {
        bool answers = a->ws->scale[2 * (i / 3)] > 0;
        a->f[i] = answers ? f[i] / a->s : 0;
    }
    pl_sweeps_set(&a->sweeps, a->f);
    pl_vec_copy(a->n, v, a->old);
    pl_bsr_multiply(a->problem->A, v, a->Aold);
    stats->products++;
    pl_vec_copy(a->n, v, a->before);
    pl_vec_copy(a->n, a->Aold, a->Abefore);
    a->beta = 0;
    a->most = 1;
    a->n_past = 0;
    a->theta = 1;
    a->n_step = 0;
    a->n_sweep = a->n_usual = SWEEPS;
    a->sweeps.plain = false;
}

void pl_apg_result(const pl_apg *a, double *v, double *f)
{
    pl_vec_copy(a->n, a->old, v);
    for (int64_t i = 0; i < 3 * (int64_t)a->problem->n_contact; i++) f[i] = a->s * a->f[i];
}

pl_status pl_apg_solve(const pl_problem *problem, const pl_solver_options *options,
                       pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    pl_apg a;
    PL_TRY(pl_apg_create(problem, ws, stats, &a));
    pl_apg_start(&a, v, f, stats);
    stats->end = pl_apg_run(&a, options, options->max_iterations, stats);
    if (stats->end != PL_SOLVE_BREAKDOWN) pl_apg_result(&a, v, f);
    return PL_OK;
}
