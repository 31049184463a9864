// Proximal gradients, accelerated by conjugate directions, or by momentum [Beck & Teboulle 2009]
// with restart [O'Donoghue & Candes 2015].
//
// If there were no contacts, v would minimize E(v) = v . A v / 2 - b . v. Around a point y, with D
// the diagonal blocks of A and s so large that s D - A is positive semi-definite,
//     E(v) <= E(y) - g0 . (v - y) + s (v - y) . D (v - y) / 2,    g0 = b - A y.
// A step minimizes the right-hand side under the laws of contact instead of the left:
//     v = y + D^-1 (g0 + L^T f) / s,    u = L v - c and f obey Signorini and Coulomb,
// (or whatever law a constraint has; its compliance is s times as large for f / s, and its bounds
// are as much smaller), which couples contacts only through the blocks that they share: a few
// sweeps of Gauss-Seidel (sweeps.h) on f / s, warm from the last step, do. Where v = y, A v = b +
// L^T f holds and all is solved. Coulomb's law makes this a fixed-point iteration rather than a
// minimization; the friction is exact in every step, and there are no states to switch.
//
// The next y runs ahead. While the same contacts open, stick and slip, and y obeys them, the step
// d = v - y = D^-1 (g0 + L^T f) / s is the gradient of E within what they allow, projected in the
// metric of s D: conjugate gradients are near. The next y is the point y + alpha d + gamma p, with
// p the last way of y, where E is least:
//     ( d.Ad  d.Ap ) (alpha)   (d.g)
//     ( d.Ap  p.Ap ) (gamma) = (p.g),    g = g0 + L^T f = s D d,
// which are conjugate gradients if d is exact, and lets p go where it is not. That y keeps what
// both d and p keep, but where contacts have just closed or opened, d also takes back what y had
// broken, and more than d would be too much: if that part is a share of d, the next y is v. The
// share is
//     s sum (du^2 / scale) / (d . g),    du = L d, which is -u at y, in the rows that are held;
// see pl_contact_scales.
// Where sweeps do not get done, each d has an error of its own: gamma becomes small, and the
// residual hardly falls. Momentum can do with that, so that the steps go on by it:
//     y = v + beta (v - v_old), which is also v + beta (v - y) + beta (y - v_old).
//
// A y follows from A v, A y and A old, and A v from A y and A (v - y), so that a step costs one
// product with A, and the residual at v, b + L^T f - A v, is known at every step. A v itself must
// not be computed in between: an error of A y would then be multiplied in each step by what y runs
// ahead.
//
// A product reads the matrix once, and of a large one that is what a step takes its time for. There
// A (v - y) is computed in single precision, which halves it. Each such sum errs by 6e-8 |A| |v -
// y|, and all of them together by about 6e-8 |A| |v - v_start|: when the residual seems to be good
// enough, A v is computed once in double precision. If it is not, the steps go on from there,
// without running ahead once; A y and A old are corrected by as much: but for the last step their
// error is the same, and a step between a true and a false product would seem to show that s is too
// small.

#include "apg.h"
#include "bsr_single.h"
#include "device.h"
#include "kernel.h"
#include "vectors.h"

#include <math.h>

enum {
    // Per step, as many as take about as long as the rest of it, within limits: one contact counts
    // as so many unknowns. Twice as many after each step whose residual is good and whose contacts
    // are not, up to a limit; and from then on, after each few of these that make them no better.
    LEAST_SWEEPS = 5,
    MOST_SWEEPS = 10,
    SWEEP_UNKNOWNS = 8,
    MAX_SWEEPS = 320,
    HELD_STEPS = 5,
    // Once the residual is within this factor of good, small islands of contacts are swept so many
    // times as often: in a pile a few of them are what is left then, and all bodies would have to
    // wait for them.
    NEAR = 100,
    NEAR_TIMES = 4,
    // After so many steps it is A that takes long, and contacts have long been there: as many
    // sweeps
    // are enough then, of small islands too. Twelve tori in steps of 0.04 s gain an eighth, mats
    // and
    // piles of bunnies a twentieth to a tenth, for as many steps.
    LATE_STEPS = 20,
    LATE_SWEEPS = 2,
    // After so many steps whose sweeps did not end early, contacts of a cluster are swept one by
    // one, until the residual is good or for the first steps, where there are so few unknowns for
    // each row of contact that sweeps are what a step takes its time for: they find velocities as
    // soon, and solving clusters is dear. Where s is 1, as for rigid bodies alone, sweeps are all
    // there is, and clusters are what they are for.
    FULL_STEPS = 1,
    PLAIN_UNKNOWNS = 4,
    PLAIN_STEPS = 20,
    // Of the power method that finds s, and where that is to be near.
    POWER_STEPS = 2,
    NEAR_STEPS = 6,
    PART_ROWS = 512, // at least, per part of a sum: see kernel.h
    // What a thread takes at least.
    CHUNK_ROWS = 1024,
    CHUNK_USES = 128,
    CHUNK_BLOCKS = 4096,
};

// Sweeps end early when they move a contact by less than this part of contact_tolerance. What they
// leave undone is noise in the steps: the part becomes smaller every so many steps, and after one
// that does not halve the residual although its sweeps ended early, down to the least.
static const double SWEEP_SHARE = 0.01, SWEEP_SHARE_LEAST = 1e-7, SWEEP_SHARE_FACTOR = 0.2;
enum { SWEEP_SHARE_STEPS = 25 };
// So many steps with a good residual that bring the error of contacts no more than this part below
// the least before: what the contacts ask for cannot be had, such as room for a point that friction
// holds between walls which close. Impulses then grow without end.
static const double STUCK_SHARE = 0.01;
enum { STUCK_STEPS = 200 };
// What few steps of the power method find is too small by about this much, unless it is 1: then A
// is D, as for rigid bodies alone, up to rounding.
static const double POWER_MARGIN = 1.1, POWER_ROUNDING = 1e-9;
// Where a step finds s too small it becomes what that step needed, times this, and at most twice
// what it was: very near to the solution the sums that say so are rounding.
static const double CURVATURE_MARGIN = 1.02;
// A step that takes back more than this share of it ends without running ahead.
static const double TAKES_BACK = 0.1;
// Friction above this part of the cone slips.
static const double SLIPS = 1 - 1e-6;
// Products of double precision that were summed are good for residuals above this.
static const double SUM_ROUNDING = 1e-10;
// The bound that s is for may fail by this much, which is rounding.
static const double CURVATURE_SLACK = 1e-9, CURVATURE_SLACK_SINGLE = 1e-6;

static pl_status take(const pl_problem *problem, pl_workspace *ws, pl_apg *a)
{
    int64_t n = 3 * (int64_t)problem->A->n, m = 3 * (int64_t)problem->n_constraint;
    *a = (pl_apg){.problem = problem, .ws = ws, .n = n, .least = INFINITY};
    PL_TRY(pl_sweeps_create(problem, &ws->D, &ws->uses, ws->scale, &ws->arena, &a->sweeps));
    double **vector[] = {&a->v, &a->y, &a->old, &a->Av, &a->Ay, &a->Aold, &a->g};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        *vector[i] = pl_arena_take(&ws->arena, n, sizeof(double));
        if (*vector[i] == NULL) return PL_ERROR_MEMORY;
    }
    if (problem->A->nnz >= PL_SINGLE_BLOCKS) {
        a->single = pl_single_take(problem->A, &ws->arena);
        a->by = pl_arena_take(&ws->arena, n + 1, sizeof *a->by);
        if (a->single == NULL || a->by == NULL) return PL_ERROR_MEMORY;
        a->by[n] = 0;
    } else {
        a->d = pl_arena_take(&ws->arena, n, sizeof *a->d);
        if (a->d == NULL) return PL_ERROR_MEMORY;
    }
    a->f = pl_arena_take(&ws->arena, m, sizeof(double));
    a->impulse = pl_arena_take(&ws->arena, m, sizeof(double));
    return a->f != NULL && a->impulse != NULL ? PL_OK : PL_ERROR_MEMORY;
}

// --- Products ---

// Rows of Av := A y + A (v - y).
static void multiply_rows(pl_apg *a, int64_t first, int64_t last)
{
    const pl_bsr *A = a->problem->A;
    if (a->single == NULL) {
        pl_bsr_multiply_rows(A, (int32_t)first, (int32_t)last, a->d, a->Av);
        for (int64_t i = 3 * first; i < 3 * last; i++) a->Av[i] += a->Ay[i];
    } else {
        pl_single_multiply_rows(A, a->single, (int32_t)first, (int32_t)last, a->by, a->Ay, a->Av);
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

typedef struct product {
    const pl_apg *apg;
    const double *x;
    double *Ax, *part;
} product;

static void round_elements(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    for (int64_t i = first; i < last; i++) p->apg->by[i] = (float)p->x[i];
}

static void multiply_dot_parts(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    const pl_bsr *A = p->apg->problem->A;
    for (int64_t i = first; i < last; i++) {
        int32_t from = A->part[i], to = A->part[i + 1];
        pl_single_multiply_rows(A, p->apg->single, from, to, p->apg->by, NULL, p->Ax);
        p->part[i] = dot_rows(p->x, p->Ax, from, to);
    }
}

// Ax := A x; returns x . A x.
static double multiply_dot(pl_apg *a, const double *x, double *Ax)
{
    const pl_bsr *A = a->problem->A;
    if (a->single == NULL) return pl_bsr_multiply_dot(A, x, Ax);
    double part[PL_MAX_PARTS], sum = 0;
    const product p = {a, x, Ax, part};
    pl_loop(a->n, 3 * CHUNK_ROWS, round_elements, &p);
    pl_bsr_loop(A, multiply_dot_parts, &p);
    for (int32_t i = 0; i < A->n_part; i++) sum += part[i];
    return sum;
}

// An estimate from below of the largest eigenvalue of D^-1 A: Rayleigh's quotient x . A x / x . D x
// after n steps of the power method. What it lacks, the steps find out.
static double find_curvature(pl_apg *a, int n, pl_solve_stats *stats)
{
    double *x = a->y, *Ax = a->Ay, *Dx = a->g, s = 1;
    uint64_t state = 1;
    for (int64_t i = 0; i < a->n; i++) { // Dx begins as noise
        state = state * 6364136223846793005u + 1442695040888963407u;
        Dx[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    for (int step = 0; step < n; step++) {
        pl_block_jacobi_apply(&a->ws->D, Dx, x); // 0 in the prescribed blocks
        double xDx = pl_vec_dot(a->n, x, Dx);
        if (!(xDx > 0)) return 1;
        double xAx = multiply_dot(a, x, Ax);
        s = xAx / xDx;
        double length = sqrt(xDx);
        for (int64_t i = 0; i < a->n; i++) Dx[i] = Ax[i] / length;
    }
    stats->products += n;
    return PL_MAX(s, 1);
}

// --- A step ---

// Where v, y and the last one are, or A times each.
typedef struct track {
    double *v, *y, *old;
} track;

// y runs ahead of v by parts of v - y and y - old, in the place of old.
static void run_ahead(int64_t n, double of_step, double of_last, const double *restrict v,
                      const double *restrict y, double *restrict old)
{
    for (int64_t i = 0; i < n; i++) {
        old[i] = v[i] + of_step * (v[i] - y[i]) + of_last * (y[i] - old[i]);
    }
}

static void run_ahead_rows(const pl_apg *a, const track t[2], int64_t first, int64_t last)
{
    int64_t at = 3 * first, n = 3 * (last - first);
    for (int m = 0; m < 2; m++) {
        run_ahead(n, a->ahead.of_step, a->ahead.of_last, t[m].v + at, t[m].y + at, t[m].old + at);
    }
}

// The places after that: y is where the last one was, which is now y or, by momentum, v; the next v
// is to be computed all over.
static track run_on(track t, bool conjugate)
{
    return conjugate ? (track){.v = t.v, .y = t.old, .old = t.y}
                     : (track){.v = t.y, .y = t.old, .old = t.v};
}

// g of block i, and v := y + is D^-1 g there, `is` being 1 / s. Named numbers: an array would be
// stored and loaded again, which takes longer than the rest.
static inline void follow(const pl_apg *a, double is, int64_t i, double g0, double g1, double g2)
{
    const double *m = a->ws->D.inv + 6 * i, *y = a->y + 3 * i;
    double *v = a->v + 3 * i, *g = a->g + 3 * i;
    double d0 = is * ((m[0] * g0 + m[1] * g1) + m[2] * g2);
    double d1 = is * ((m[1] * g0 + m[3] * g1) + m[4] * g2);
    double d2 = is * ((m[2] * g0 + m[4] * g1) + m[5] * g2);
    g[0] = g0, g[1] = g1, g[2] = g2;
    v[0] = y[0] + d0, v[1] = y[1] + d1, v[2] = y[2] + d2;
    if (a->d != NULL) {
        double *d = a->d + 3 * i;
        d[0] = d0, d[1] = d1, d[2] = d2;
    } else {
        float *by = a->by + 3 * i;
        by[0] = (float)d0, by[1] = (float)d1, by[2] = (float)d2;
    }
}

// g := b - A y and the v that follows from it, in rows.
static void descend(pl_apg *a, double is, int64_t first, int64_t last)
{
    const pl_problem *problem = a->problem;
    for (int64_t i = first; i < last; i++) {
        const double *b = problem->b + 3 * i, *Ay = a->Ay + 3 * i;
        if (pl_is_prescribed(problem, i)) {
            follow(a, is, i, 0, 0, 0);
        } else {
            follow(a, is, i, b[0] - Ay[0], b[1] - Ay[1], b[2] - Ay[2]);
        }
    }
}

typedef struct step_loop {
    pl_apg *apg;
    double is;     // 1 / s
    track from[2]; // where v and A v were
} step_loop;

// A few rows at a time, so that what running ahead leaves in the cache is there for the descent.
static void descend_rows(void *context, int64_t first, int64_t last)
{
    const step_loop *l = context;
    for (; first < last; first += PART_ROWS) {
        int64_t end = PL_MIN(first + PART_ROWS, last);
        if (!l->apg->again) run_ahead_rows(l->apg, l->from, first, end);
        descend(l->apg, l->is, first, end);
    }
}

static void follow_blocks(void *context, int64_t first, int64_t last)
{
    const step_loop *l = context;
    const pl_apg *a = l->apg;
    const pl_uses *uses = &a->ws->uses;
    for (int64_t i = first; i < last; i++) {
        const double *g = a->g + 3 * (int64_t)uses->block[i], *push = a->sweeps.push + 3 * i;
        follow(a, l->is, uses->block[i], g[0] + a->s * push[0], g[1] + a->s * push[1],
               g[2] + a->s * push[2]);
    }
}

// Runs ahead unless the last step is made again, and descends; then the impulses that v calls for
// join g, and v follows in the blocks that they reach. True if the sweeps ended early.
static bool step(pl_apg *a, double enough)
{
    const step_loop l = {a, 1 / a->s, {{a->v, a->y, a->old}, {a->Av, a->Ay, a->Aold}}};
    const track *from = l.from;
    if (!a->again) {
        track to = run_on(from[0], a->ahead.conjugate), A_to = run_on(from[1], a->ahead.conjugate);
        a->v = to.v, a->y = to.y, a->old = to.old;
        a->Av = A_to.v, a->Ay = A_to.y, a->Aold = A_to.old;
    }
    pl_loop(a->problem->A->n, CHUNK_ROWS, descend_rows, &l);
    pl_rows_multiply(a->problem, NULL, true, a->v, a->ws->u);
    int32_t made = pl_sweeps_run(&a->sweeps, a->n_sweep, enough, a->ws->u, a->f);
    a->n_swept += made;
    pl_loop(a->ws->uses.n, CHUNK_USES, follow_blocks, &l);
    return made < a->n_sweep;
}

// Not a function: those of other vector units would hand it over in other registers.
#define ADD_LANES(q) (((q)[0] + (q)[2]) + ((q)[1] + (q)[3]))

// Four at a time: one by one each sum would wait for its last addition.
PL_CLONES static pl_step_sums add_part(int64_t n, const double *v, const double *y,
                                       const double *old, const double *Av, const double *Ay,
                                       const double *Aold, const double *g)
{
    pl_quad rr = {0}, model = {0}, true_ = {0}, last = {0}, cross = {0}, last_A = {0};
    for (int64_t i = 0; i < n; i += 4) {
        pl_quad d = {0}, p = {0}, Ad = {0}, Ap = {0}, gi = {0};
        if (i + 4 <= n) {
            d = PL_QUAD(v + i) - PL_QUAD(y + i);
            p = PL_QUAD(y + i) - PL_QUAD(old + i);
            Ad = PL_QUAD(Av + i) - PL_QUAD(Ay + i);
            Ap = PL_QUAD(Ay + i) - PL_QUAD(Aold + i);
            gi = PL_QUAD(g + i);
        } else {
            for (int64_t k = i; k < n; k++) {
                d[k - i] = v[k] - y[k];
                p[k - i] = y[k] - old[k];
                Ad[k - i] = Av[k] - Ay[k];
                Ap[k - i] = Ay[k] - Aold[k];
                gi[k - i] = g[k];
            }
        }
        rr += (gi - Ad) * (gi - Ad);
        model += d * gi;
        true_ += d * Ad;
        last += p * gi;
        cross += d * Ap;
        last_A += p * Ap;
    }
    return (pl_step_sums){.rr = ADD_LANES(rr),
                          .model = ADD_LANES(model),
                          .true_ = ADD_LANES(true_),
                          .last = ADD_LANES(last),
                          .cross = ADD_LANES(cross),
                          .last_A = ADD_LANES(last_A)};
}

// g becomes A (v - y) where blocks are prescribed, whose d and p are 0: they have no residual.
static pl_step_sums add_rows(pl_apg *a, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last && a->problem->prescribed != NULL; i++) {
        if (!a->problem->prescribed[i]) continue;
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) a->g[k] = a->Av[k] - a->Ay[k];
    }
    int64_t at = 3 * first;
    return add_part(3 * (last - first), a->v + at, a->y + at, a->old + at, a->Av + at, a->Ay + at,
                    a->Aold + at, a->g + at);
}

typedef struct judge_loop {
    pl_apg *apg;
    int64_t size; // of a part [rows]
    pl_step_sums *part;
} judge_loop;

static void judge_parts(void *context, int64_t first, int64_t last)
{
    const judge_loop *l = context;
    int64_t n = l->apg->n / 3;
    for (int64_t p = first; p < last; p++) {
        int64_t from = p * l->size, to = PL_MIN(from + l->size, n);
        multiply_rows(l->apg, from, to);
        l->part[p] = add_rows(l->apg, from, to);
    }
}

// Av := A v, and what follows from it, part by part: what a product leaves in a cache is used
// there.
static pl_step_sums multiply_and_judge(pl_apg *a)
{
    pl_step_sums part[PL_MAX_PARTS], total = {0};
    int64_t n = a->n / 3, size = pl_part_size(n, PART_ROWS), n_part = (n + size - 1) / size;
    int64_t of_part = a->problem->A->nnz / PL_MAX(n_part, 1) + 1;
    pl_loop(n_part, (CHUNK_BLOCKS + of_part - 1) / of_part, judge_parts,
            &(judge_loop){a, size, part});
    for (int64_t p = 0; p < n_part; p++) {
        total.rr += part[p].rr;
        total.model += part[p].model;
        total.true_ += part[p].true_;
        total.last += part[p].last;
        total.cross += part[p].cross;
        total.last_A += part[p].last_A;
    }
    return total;
}

static bool is_late(const pl_apg *a)
{
    return a->n_made >= LATE_STEPS;
}

// Are v and f good enough? The contacts are looked at only where the residual is; if they are what
// is left to do, the next step sweeps more.
static bool is_solved(pl_apg *a, const pl_solver_options *options, double r)
{
    a->residual = 0;
    if (r > options->residual_tolerance * a->ws->b_norm) {
        const double *push = a->sweeps.push;
        double pushes = a->s * sqrt(pl_vec_dot(3 * (int64_t)a->ws->uses.n, push, push));
        a->residual = pl_relative_residual(a->ws, pushes, r) / options->residual_tolerance;
    }
    if (a->residual < NEAR && !a->sweeps.plain) a->sweeps.n_small = is_late(a) ? 1 : NEAR_TIMES;
    if (a->residual <= 1 && !a->ahead.slow) a->sweeps.plain = false, a->n_full = 0;
    if (a->residual > 1) {
        a->n_sweep = is_late(a) ? PL_MIN(a->n_usual, LATE_SWEEPS) : a->n_usual;
        return false;
    }
    pl_contact_errors errors = {0};
    int64_t m = 3 * (int64_t)a->problem->n_constraint;
    for (int64_t i = 0; i < m; i++) a->impulse[i] = a->s * a->f[i];
    pl_rows_multiply(a->problem, NULL, true, a->v, a->ws->u);
    pl_contact_errors_update(a->problem, a->ws->scale, a->ws->u, a->impulse, &errors);
    a->n_sweep = PL_MIN(2 * a->n_sweep, MAX_SWEEPS);
    double worst = pl_contact_errors_worst(&errors);
    bool falls = worst < (1 - STUCK_SHARE) * a->least;
    a->n_stuck = falls ? 0 : a->n_stuck + 1;
    if (falls) a->least = worst;
    if (!falls && a->n_stuck % HELD_STEPS == 0) a->n_usual = PL_MIN(2 * a->n_usual, MAX_SWEEPS);
    return worst <= options->contact_tolerance;
}

// The share of contact_tolerance that sweeps leave undone.
static double sweep_share(const pl_apg *a)
{
    int32_t times = (a->n_step + 1) / SWEEP_SHARE_STEPS + a->n_noisy;
    double share = SWEEP_SHARE * pow(SWEEP_SHARE_FACTOR, times);
    return PL_MAX(share, SWEEP_SHARE_LEAST);
}

// Rows of Av := A v in double precision; Ay and Aold are corrected by as much.
static void correct_rows(pl_apg *a, int64_t first, int64_t last)
{
    double *Av = a->ws->r;
    pl_bsr_multiply_rows(a->problem->A, (int32_t)first, (int32_t)last, a->v, Av);
    for (int64_t i = 3 * first; i < 3 * last; i++) {
        double by = Av[i] - a->Av[i];
        a->Av[i] += by, a->Ay[i] += by, a->Aold[i] += by;
    }
}

static void correct_parts(void *context, int64_t first, int64_t last)
{
    pl_apg *a = context;
    const int32_t *part = a->problem->A->part;
    for (int64_t p = first; p < last; p++) correct_rows(a, part[p], part[p + 1]);
}

// As is_solved, and if A v may not be as good as that, it is computed once more: *corrected.
static bool is_surely_solved(pl_apg *a, const pl_solver_options *options, double r, bool *corrected,
                             pl_solve_stats *stats)
{
    *corrected = false;
    if (!is_solved(a, options, r)) return false;
    if (a->single == NULL && options->residual_tolerance > SUM_ROUNDING) return true;
    *corrected = true;
    pl_bsr_loop(a->problem->A, correct_parts, a);
    stats->products++;
    double *rest = a->ws->r;
    pl_contact_residual_from(a->problem, &a->ws->uses, a->Av, a->impulse, a->ws->world, rest);
    return is_solved(a, options, sqrt(pl_vec_dot(a->n, rest, rest)));
}

// --- Running ahead ---

static void set_curvature(pl_apg *a, double s)
{
    for (int64_t i = 0; i < 3 * (int64_t)a->problem->n_constraint; i++) a->f[i] *= a->s / s;
    a->s = a->ws->curvature = s;
    pl_sweeps_set_unit(&a->sweeps, s);
    pl_sweeps_set(&a->sweeps, a->f);
}

void pl_apg_settle(pl_apg *a, pl_solve_stats *stats)
{
    double s = find_curvature(a, NEAR_STEPS, stats);
    if (s > a->s) set_curvature(a, s);
}

// Of a constraint with limits: its f is over s.
static double add_broken_limited(const pl_apg *a, const pl_limits *limits, double mu,
                                 const double *scale, const double *u, const double *f)
{
    double sum = 0, most = SLIPS * mu * f[0];
    bool sticks = f[0] > 0 && f[1] * f[1] + f[2] * f[2] < most * most;
    for (int i = 0; i < 3; i++) {
        double g = a->s * f[i], w = u[i] + limits->compliance[i] * g, s = scale[i > 0];
        bool held = i == 0 ? f[0] > 0 : sticks;
        if (limits->law == PL_LAW_BOX) held = g > limits->lo[i] && g < limits->hi[i];
        if (held && s > 0) sum += w * w / s;
    }
    return sum;
}

// What the rows that are held have at y, whose relative velocities are ws->u, of some contacts.
static double add_broken(const pl_apg *a, int64_t first, int64_t last)
{
    const pl_problem *problem = a->problem;
    double sum = 0;
    for (int64_t k = first; k < last; k++) {
        const double *f = a->f + 3 * k, *u = a->ws->u + 3 * k, *scale = a->ws->scale + 2 * k;
        const pl_limits *limits = pl_limits_of(problem, problem->constraint + k);
        if (limits != NULL)
            sum += add_broken_limited(a, limits, problem->constraint[k].mu, scale, u, f);
        if (!(scale[0] > 0) || f[0] <= 0 || limits != NULL) continue;
        double most = SLIPS * problem->constraint[k].mu * f[0];
        bool sticks = f[1] * f[1] + f[2] * f[2] < most * most;
        sum += u[0] * u[0] / scale[0];
        if (sticks && scale[1] > 0) sum += (u[1] * u[1] + u[2] * u[2]) / scale[1];
    }
    return sum;
}

typedef struct broken_loop {
    const pl_apg *apg;
    int64_t size; // of a part [contacts]
    double *part;
} broken_loop;

static void add_broken_parts(void *context, int64_t first, int64_t last)
{
    const broken_loop *l = context;
    int64_t n = l->apg->problem->n_constraint;
    for (int64_t p = first; p < last; p++) {
        int64_t from = p * l->size;
        l->part[p] = add_broken(l->apg, from, PL_MIN(from + l->size, n));
    }
}

// The share of a step that takes back what y had broken: at v, rows that are held are at rest.
static double taken_back(const pl_apg *a, double model)
{
    double part[PL_MAX_PARTS], sum = 0;
    int64_t n = a->problem->n_constraint, size = pl_part_size(n, PART_ROWS);
    int64_t n_part = (n + size - 1) / size;
    pl_rows_multiply(a->problem, NULL, true, a->y, a->ws->u);
    pl_loop(n_part, 1, add_broken_parts, &(broken_loop){a, size, part});
    for (int64_t p = 0; p < n_part; p++) sum += part[p];
    return a->s * sum / model;
}

int32_t pl_apg_usual_sweeps(const pl_problem *problem)
{
    int64_t n = 3 * (int64_t)problem->A->n, m = SWEEP_UNKNOWNS * (int64_t)problem->n_constraint;
    return (int32_t)PL_MAX(LEAST_SWEEPS, PL_MIN(n / PL_MAX(m, 1), MOST_SWEEPS));
}

// Says how the next step runs ahead of this one. In slow steps contacts are swept one by one, half
// as often: the better they are solved in each step, the more steps chase each other.
static void look_ahead(pl_apg *a, const pl_step_sums *sum, pl_solve_stats *stats)
{
    bool changed = pl_ahead_note(&a->ahead, sum->rr, a->residual > 1);
    if (changed) {
        int32_t usual = pl_apg_usual_sweeps(a->problem);
        a->n_usual = a->ahead.slow ? PL_MAX(usual / 2, 1) : usual;
        a->sweeps.plain = a->ahead.slow;
        a->sweeps.n_small = 1;
    }
    bool free = a->ahead.conjugate && taken_back(a, sum->model) < TAKES_BACK;
    stats->restarts += pl_ahead_look(&a->ahead, sum, free, changed);
}

// Where sweeps do not end early, clusters are solved in vain.
static void note_sweeps(pl_apg *a, bool early)
{
    int64_t unknowns = PLAIN_UNKNOWNS * 3 * (int64_t)a->problem->n_constraint;
    bool dear = a->s > 1 && a->n < unknowns;
    a->n_full = early || !dear ? 0 : a->n_full + 1;
    if (a->n_step == PLAIN_STEPS) a->sweeps.plain = a->ahead.slow;
    if (a->n_full < FULL_STEPS || a->n_step >= PLAIN_STEPS || a->sweeps.plain) return;
    a->sweeps.plain = true;
    a->sweeps.n_small = 1;
}

pl_solve_end pl_apg_run(pl_apg *a, const pl_solver_options *options, int32_t n,
                        pl_solve_stats *stats)
{
    double slack = a->single != NULL ? CURVATURE_SLACK_SINGLE : CURVATURE_SLACK;
    for (int32_t last = stats->iterations + n;; stats->iterations++, a->n_step++, a->n_made++) {
        if (stats->iterations == last) return PL_SOLVE_LIMIT;
        if (a->most_swept > 0 && a->n_swept >= a->most_swept) return PL_SOLVE_LIMIT;
        if (pl_solve_is_late(a->ws, options)) return PL_SOLVE_TIME;
        bool early = step(a, sweep_share(a) * options->contact_tolerance / a->problem->dt);
        note_sweeps(a, early);
        pl_step_sums sum = multiply_and_judge(a);
        stats->products++;
        if (!isfinite(sum.rr + sum.model + sum.true_)) return PL_SOLVE_BREAKDOWN;
        a->again = sum.true_ > (1 + slack) * sum.model && sum.model > 0;
        if (a->again) {
            set_curvature(a, a->s * PL_MIN(CURVATURE_MARGIN * sum.true_ / sum.model, 2));
            continue;
        }
        bool corrected;
        if (is_surely_solved(a, options, sqrt(sum.rr), &corrected, stats)) {
            a->ws->Av = a->Av; // of double precision
            stats->iterations++;
            return PL_SOLVE_CONVERGED;
        }
        if (a->n_stuck >= STUCK_STEPS) return PL_SOLVE_STALLED;
        a->n_noisy += early && sum.rr > 0.25 * a->rr;
        a->rr = sum.rr;
        if (corrected) {
            a->ahead.of_step = a->ahead.of_last = 0; // what was summed is not true
        } else {
            look_ahead(a, &sum, stats);
        }
    }
}

pl_status pl_apg_create(const pl_problem *problem, pl_workspace *ws, pl_solve_stats *stats,
                        pl_apg *out)
{
    PL_TRY(take(problem, ws, out));
    if (!(ws->curvature > 0)) {
        double s = find_curvature(out, POWER_STEPS, stats);
        ws->curvature = s > 1 + POWER_ROUNDING ? POWER_MARGIN * s : 1;
    }
    out->s = ws->curvature;
    pl_sweeps_set_unit(&out->sweeps, out->s);
    return PL_OK;
}

void pl_apg_start(pl_apg *a, const double *v, const double *f, pl_solve_stats *stats)
{
    for (int64_t i = 0; i < 3 * (int64_t)a->problem->n_constraint; i++) {
        bool answers = a->ws->scale[2 * (i / 3)] > 0;
        a->f[i] = answers ? f[i] / a->s : 0;
    }
    pl_sweeps_set(&a->sweeps, a->f);
    pl_bsr_multiply(a->problem->A, v, a->Av);
    stats->products++;
    double *of_v[] = {a->v, a->y, a->old}, *of_Av[] = {a->Ay, a->Aold};
    for (int i = 0; i < 3; i++) pl_vec_copy(a->n, v, of_v[i]);
    for (int i = 0; i < 2; i++) pl_vec_copy(a->n, a->Av, of_Av[i]);
    a->again = false;
    pl_ahead_start(&a->ahead);
    a->n_step = a->n_noisy = 0;
    a->n_swept = 0;
    a->rr = INFINITY;
    a->n_sweep = a->n_usual = pl_apg_usual_sweeps(a->problem);
    a->sweeps.plain = false;
    a->n_full = 0;
    a->sweeps.n_small = 1;
}

void pl_apg_result(const pl_apg *a, double *v, double *f)
{
    pl_vec_copy(a->n, a->v, v);
    for (int64_t i = 0; i < 3 * (int64_t)a->problem->n_constraint; i++) f[i] = a->s * a->f[i];
}

pl_solve_end pl_apg_improve(pl_apg *a, const pl_solver_options *options, int32_t n, double *v,
                            double *f, pl_solve_stats *stats)
{
    pl_apg_start(a, v, f, stats);
    pl_solve_end end = pl_apg_run(a, options, n, stats);
    if (end != PL_SOLVE_BREAKDOWN) pl_apg_result(a, v, f);
    return end;
}

pl_status pl_apg_solve(const pl_problem *problem, const pl_solver_options *options,
                       pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    pl_apg a;
    pl_device_apg(problem, options, ws, options->max_iterations, v, f, stats);
    int32_t left = options->max_iterations - stats->iterations;
    if (stats->end != PL_SOLVE_LIMIT || (stats->iterations > 0 && left == 0)) return PL_OK;
    PL_TRY(pl_apg_create(problem, ws, stats, &a));
    stats->end = pl_apg_improve(&a, options, left, v, f, stats);
    return PL_OK;
}
