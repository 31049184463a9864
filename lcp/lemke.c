// Lemke's method for matrices of any kind, with all kinds of bounds.
//
// The problem becomes a plain one, w = M z + q, z >= 0, w >= 0, z w = 0: a row with a finite lower
// bound has x = lo + z, one with only an upper one x = hi - z with the row and the column of M
// negated; a second bound is a row of its own, hi - lo - z >= 0 against a multiplier that is added
// to w. Rows with lo = hi go. What this makes of a positive semidefinite M is positive
// semidefinite. Free rows begin with their x basic and their w 0 for good: by pivots within them,
// and where that part of M is singular by one pivot together with a row that has bounds. Rows that
// begin between their bounds begin basic where they can, so that a start near the solution saves
// pivots.
//
// Then z0 with the covering vector 1 enters, and complements follow each other until it leaves, or
// until a column has no row that blocks: a ray. The lexicographic rule breaks ties, so that no
// basis recurs. For copositive-plus matrices, and so for all positive semidefinite ones, a ray
// means that there is no solution [Cottle, Pang & Stone 1992]; friction as of [Stewart & Trinkle
// 1996] is copositive, and has one. Otherwise a ray may mean nothing, and another covering vector
// is tried, N_COVERS in all.

#include "dense.h"
#include "dictionary.h"
#include "linear.h"

#include <string.h>

enum { N_COVERS = 4, SCALINGS = 4, CHECK_EVERY = 32, NONE = -1 };

// Entries of a scaled dictionary that are not above this are rounding, as are differences of
// ratios.
static const double SMALL = 1e-11;
// A pivot of the preparation is not below this.
static const double LEAST_PIVOT = 1e-9;
// Errors of the dictionary, in parts of its numbers, that make it anew.
static const double DRIFT = 1e-9;

typedef struct lemke {
    const pl_lcp *lcp;
    const pl_lcp_options *options;
    pl_lcp_work *work;
    pl_lcp_stats *stats;
    int32_t n;         // of the plain problem
    int32_t *row_of;   // (lcp->n) its row in the plain problem; NONE: fixed
    int32_t *box_of;   // (lcp->n) that of its second bound, NONE: it has none
    double *offset;    // (lcp->n) x = offset + sign z
    double *sign;      // (lcp->n) 1 or -1
    double *scale;     // (n) rows and columns are multiplied by it
    bool *free;        // (n) z has no sign, w is 0
    double *q, *cover; // (n) of the plain problem, scaled
    double *r;         // (max(n, lcp->n)) scratch
    double *trial;     // (lcp->n)
    bool *wanted;      // (2 n + 1) scratch, of the dictionary
    bool *dead;        // (2 n + 1) variables that never enter: w of free rows, z of no effect
    int32_t *origin;   // (n) the basis at the start of Lemke's pivots, by rows
    pl_dictionary d;
} lemke;

static bool is_free(const pl_lcp *lcp, int32_t i)
{
    return !isfinite(lcp->lo[i]) && !isfinite(lcp->hi[i]);
}

// --- The plain problem ---

static pl_status take(lemke *s)
{
    pl_arena *arena = s->work->arena;
    int64_t m = s->lcp->n, n = s->n;
    s->offset = pl_arena_take(arena, m, sizeof *s->offset);
    s->sign = pl_arena_take(arena, m, sizeof *s->sign);
    s->trial = pl_arena_take(arena, m, sizeof *s->trial);
    s->scale = pl_arena_take(arena, n, sizeof *s->scale);
    s->free = pl_arena_take(arena, n, sizeof *s->free);
    s->q = pl_arena_take(arena, n, sizeof *s->q);
    s->cover = pl_arena_take(arena, n, sizeof *s->cover);
    s->r = pl_arena_take(arena, PL_MAX(m, n), sizeof *s->r);
    s->wanted = pl_arena_take(arena, 2 * n + 1, sizeof *s->wanted);
    s->dead = pl_arena_take(arena, 2 * n + 1, sizeof *s->dead);
    s->origin = pl_arena_take(arena, n, sizeof *s->origin);
    bool ok = s->offset != NULL && s->sign != NULL && s->trial != NULL && s->scale != NULL &&
              s->free != NULL && s->q != NULL && s->cover != NULL && s->r != NULL &&
              s->wanted != NULL && s->dead != NULL && s->origin != NULL;
    return ok ? pl_dictionary_make(arena, s->n, &s->d) : PL_ERROR_MEMORY;
}

// Numbers the rows of the plain problem.
static pl_status number_rows(lemke *s)
{
    const pl_lcp *lcp = s->lcp;
    s->row_of = pl_arena_take(s->work->arena, lcp->n, sizeof *s->row_of);
    s->box_of = pl_arena_take(s->work->arena, lcp->n, sizeof *s->box_of);
    if (s->row_of == NULL || s->box_of == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < lcp->n; i++) {
        s->row_of[i] = lcp->lo[i] < lcp->hi[i] ? s->n++ : NONE;
    }
    for (int32_t i = 0; i < lcp->n; i++) {
        bool box = s->row_of[i] != NONE && isfinite(lcp->lo[i]) && isfinite(lcp->hi[i]);
        s->box_of[i] = box ? s->n++ : NONE;
    }
    return PL_OK;
}

// Rows and columns alike are brought near 1 by their largest entries, which keeps the class of M.
static void scale_rows(lemke *s)
{
    const pl_lcp *lcp = s->lcp;
    for (int32_t k = 0; k < s->n; k++) s->scale[k] = 1;
    for (int32_t pass = 0; pass < SCALINGS; pass++) {
        memset(s->r, 0, (size_t)s->n * sizeof *s->r);
        for (int32_t j = 0; j < lcp->n; j++) {
            int32_t c = s->row_of[j];
            for (int64_t k = lcp->col[j]; k < lcp->col[j + 1] && c != NONE; k++) {
                int32_t r = s->row_of[lcp->row[k]];
                if (r == NONE) continue;
                double a = fabs(lcp->val[k]) * s->scale[r] * s->scale[c];
                s->r[r] = fmax(s->r[r], a);
                s->r[c] = fmax(s->r[c], a);
            }
        }
        for (int32_t k = 0; k < s->n; k++) {
            if (s->r[k] > 0) s->scale[k] /= sqrt(s->r[k]);
        }
    }
    for (int32_t i = 0; i < lcp->n; i++) { // the 1 of a second bound stays 1
        if (s->box_of[i] != NONE) s->scale[s->box_of[i]] = 1 / s->scale[s->row_of[i]];
    }
}

// Offsets, signs and q.
static void transform(lemke *s)
{
    const pl_lcp *lcp = s->lcp;
    for (int32_t i = 0; i < lcp->n; i++) {
        bool low = isfinite(lcp->lo[i]), high = isfinite(lcp->hi[i]);
        s->offset[i] = low ? lcp->lo[i] : high ? lcp->hi[i] : 0;
        s->sign[i] = !low && high ? -1 : 1;
        if (s->row_of[i] != NONE) s->free[s->row_of[i]] = is_free(lcp, i);
    }
    scale_rows(s);
    pl_lcp_multiply(lcp, s->offset, s->work->w);
    for (int32_t i = 0; i < lcp->n; i++) {
        int32_t k = s->row_of[i], box = s->box_of[i];
        if (k != NONE) s->q[k] = s->scale[k] * s->sign[i] * s->work->w[i];
        if (box == NONE) continue;
        s->q[box] = s->scale[box] * (lcp->hi[i] - lcp->lo[i]);
        s->free[box] = false;
    }
}

// The dictionary with all w basic.
static void fill(lemke *s)
{
    const pl_lcp *lcp = s->lcp;
    pl_dictionary *d = &s->d;
    pl_dictionary_begin(d);
    memset(d->T, 0, (size_t)d->n * (size_t)d->n * sizeof *d->T);
    for (int32_t j = 0; j < lcp->n; j++) {
        int32_t c = s->row_of[j], box = s->box_of[j];
        if (c == NONE) continue;
        double *column = d->T + (int64_t)c * d->n;
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int32_t i = lcp->row[k], r = s->row_of[i];
            if (r == NONE) continue;
            column[r] = s->scale[r] * s->sign[i] * lcp->val[k] * s->sign[j] * s->scale[c];
        }
        if (box == NONE) continue;
        column[box] = -1;
        d->T[c + (int64_t)box * d->n] = 1;
    }
    memcpy(d->T + (int64_t)d->n * d->n, s->cover, (size_t)d->n * sizeof *s->cover);
    memcpy(d->c, s->q, (size_t)d->n * sizeof *s->q);
}

// --- Free rows, and the start ---

static double entry(const lemke *s, int32_t basic, int32_t other)
{
    return pl_dictionary_column(&s->d, other)[s->d.place[basic]];
}

// z of a free row that is not basic, or w of one that is.
static bool is_left(const lemke *s, int32_t k, bool z)
{
    int32_t variable = z ? s->d.n + k : k;
    return s->free[k] && !s->dead[variable] && pl_dictionary_is_basic(&s->d, variable) != z;
}

// Exchanges the w and the z of free rows whose entry is the largest; false: none is left, or those
// that are make a singular part.
static bool pivot_free(lemke *s)
{
    int32_t row = NONE, column = NONE;
    double most = LEAST_PIVOT;
    for (int32_t c = 0; c < s->d.n; c++) {
        for (int32_t r = 0; r < s->d.n && is_left(s, c, true); r++) {
            if (!is_left(s, r, false)) continue;
            double a = fabs(entry(s, r, s->d.n + c));
            if (a > most) most = a, row = r, column = c;
        }
    }
    if (row == NONE) return false;
    pl_dictionary_exchange(&s->d, s->d.place[row], s->d.n + column);
    s->dead[row] = true;
    return true;
}

// The same by way of a row j with bounds: z of a free row takes the place of w_j, and z_j that of w
// of a free row.
static bool pivot_pair(lemke *s)
{
    int32_t row = NONE, column = NONE, by = NONE, n = s->d.n;
    double most = LEAST_PIVOT;
    for (int32_t c = 0; c < n; c++) {
        for (int32_t r = 0; r < n && is_left(s, c, true); r++) {
            if (!is_left(s, r, false)) continue;
            for (int32_t j = 0; j < n; j++) {
                if (s->free[j] || !pl_dictionary_is_basic(&s->d, j)) continue;
                double a = fmin(fabs(entry(s, j, n + c)), fabs(entry(s, r, n + j)));
                if (a > most) most = a, row = r, column = c, by = j;
            }
        }
    }
    if (row == NONE) return false;
    pl_dictionary_exchange(&s->d, s->d.place[by], n + column);
    pl_dictionary_exchange(&s->d, s->d.place[row], n + by);
    s->dead[row] = true;
    return true;
}

// x between its bounds: z basic. x at the second one: it, and the multiplier of that bound.
static void begin_between(lemke *s, const double *x)
{
    const pl_lcp *lcp = s->lcp;
    for (int32_t i = 0; i < lcp->n; i++) {
        int32_t k = s->row_of[i], box = s->box_of[i], n = s->d.n;
        if (k == NONE || s->free[k] || !pl_dictionary_is_basic(&s->d, k)) continue;
        bool between = x[i] > lcp->lo[i] && x[i] < lcp->hi[i];
        if (between && fabs(entry(s, k, n + k)) > 1e-6) {
            pl_dictionary_exchange(&s->d, s->d.place[k], n + k);
        } else if (box != NONE && x[i] >= lcp->hi[i] && fabs(entry(s, box, n + k)) > 1e-6 &&
                   fabs(entry(s, k, n + box)) > 1e-6) {
            pl_dictionary_exchange(&s->d, s->d.place[box], n + k);
            pl_dictionary_exchange(&s->d, s->d.place[k], n + box);
        }
    }
}

// Makes a basis with one of each pair, and all z of free rows as far as they have an effect.
static void prepare(lemke *s, const double *x)
{
    memset(s->cover, 0, (size_t)s->n * sizeof *s->cover);
    memset(s->dead, 0, 2 * (size_t)s->n + 1);
    fill(s);
    while (pivot_free(s) || pivot_pair(s)) continue;
    for (int32_t k = 0; k < s->n; k++) {
        s->dead[k] = s->free[k];
        // Nothing in the problem depends on it, or only what is singular: it stays 0.
        s->dead[s->n + k] = s->free[k] && !pl_dictionary_is_basic(&s->d, s->n + k);
    }
    begin_between(s, x);
    memcpy(s->origin, s->d.basic, (size_t)s->n * sizeof *s->origin);
}

// --- Pivots ---

// Does the variable of a row have a sign to keep?
static bool is_signed(const lemke *s, int32_t variable)
{
    int32_t k = variable < s->n ? variable : variable - s->n;
    return variable == 2 * s->n || !s->free[k];
}

// The covering vector, in the column of z0: 1, or on later tries random between 1 and 2.
static void set_cover(lemke *s, int32_t attempt)
{
    uint64_t h = (uint64_t)attempt;
    double *column = pl_dictionary_column(&s->d, 2 * s->n);
    for (int32_t i = 0; i < s->n; i++) {
        h = h * 6364136223846793005u + 1442695040888963407u;
        double u = attempt == 0 ? 0 : (double)(h >> 11) * 0x1p-53;
        column[i] = is_signed(s, s->d.basic[i]) ? 1 + u : 0;
    }
}

// The covering vector as it would be with all w basic, for a dictionary made anew: (cover)_w := the
// column of w = M z + q + cover z0 that gives the one at hand.
static void remember_cover(lemke *s)
{
    const double *column = pl_dictionary_column(&s->d, 2 * s->n);
    const pl_lcp *lcp = s->lcp;
    for (int32_t k = 0; k < s->n; k++) {
        s->cover[k] = pl_dictionary_is_basic(&s->d, k) ? column[s->d.place[k]] : 0;
        int32_t z = s->n + k;
        s->r[k] = pl_dictionary_is_basic(&s->d, z) ? column[s->d.place[z]] : 0;
    }
    for (int32_t j = 0; j < lcp->n; j++) {
        int32_t c = s->row_of[j], box = s->box_of[j];
        if (c == NONE) continue;
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int32_t i = lcp->row[k], r = s->row_of[i];
            if (r == NONE) continue;
            s->cover[r] -=
                s->scale[r] * s->sign[i] * lcp->val[k] * s->sign[j] * s->scale[c] * s->r[c];
        }
        if (box == NONE) continue;
        s->cover[box] += s->r[c];
        s->cover[c] -= s->r[box];
    }
}

// The part of the perturbation number k of the lexicographic rule in a row.
static double perturbation(const lemke *s, int32_t row, int32_t k)
{
    int32_t variable = s->origin[k];
    if (!is_signed(s, variable)) return 0;
    if (s->d.place[variable] >= 0) return s->d.place[variable] == row ? 1 : 0;
    return -pl_dictionary_column(&s->d, variable)[row];
}

// Is row a before row b, whose ratios are the same?
static bool is_before(const lemke *s, const double *column, int32_t a, int32_t b)
{
    if (fabs(column[a]) < 1e-6 * fabs(column[b])) return false;
    if (fabs(column[b]) < 1e-6 * fabs(column[a])) return true;
    for (int32_t k = 0; k < s->n; k++) {
        double difference = perturbation(s, a, k) / -column[a] - perturbation(s, b, k) / -column[b];
        if (fabs(difference) > SMALL) return difference < 0;
    }
    return false;
}

// The row that blocks first as `entering` grows; NONE: a ray.
static int32_t find_row(const lemke *s, int32_t entering)
{
    const double *column = pl_dictionary_column(&s->d, entering), *c = s->d.c;
    double most = 0, least = INFINITY;
    for (int32_t i = 0; i < s->n; i++) most = fmax(most, fabs(column[i]));
    double small = SMALL * fmax(most, 1);
    for (int32_t i = 0; i < s->n; i++) {
        if (column[i] >= -small || !is_signed(s, s->d.basic[i])) continue;
        least = fmin(least, fmax(c[i], 0) / -column[i]);
    }
    int32_t best = NONE;
    double tie = least + SMALL * (1 + least);
    for (int32_t i = 0; i < s->n; i++) {
        if (column[i] >= -small || !is_signed(s, s->d.basic[i])) continue;
        if (fmax(c[i], 0) / -column[i] > tie) continue;
        if (s->d.basic[i] == 2 * s->n) return i; // z0 leaves: the end
        if (best == NONE || is_before(s, column, i, best)) best = i;
    }
    return best;
}

// x of the dictionary.
static void extract(const lemke *s, double *x)
{
    for (int32_t i = 0; i < s->lcp->n; i++) {
        int32_t k = s->row_of[i];
        double z = k == NONE ? 0 : s->scale[k] * pl_dictionary_value(&s->d, s->n + k);
        x[i] = s->offset[i] + s->sign[i] * z;
    }
}

// Makes the dictionary of this basis anew if w - M z - q - cover z0 is not small in it.
static bool check_drift(lemke *s)
{
    const pl_lcp *lcp = s->lcp;
    double z0 = pl_dictionary_value(&s->d, 2 * s->n), most = 0, size = 0;
    for (int32_t k = 0; k < s->n; k++) {
        s->r[k] = pl_dictionary_value(&s->d, k) - s->q[k] - s->cover[k] * z0;
        size = fmax(size, fmax(fabs(s->q[k]), fabs(s->cover[k] * z0)));
    }
    for (int32_t j = 0; j < lcp->n; j++) {
        int32_t c = s->row_of[j], box = s->box_of[j];
        if (c == NONE) continue;
        double z = pl_dictionary_value(&s->d, s->n + c) * s->scale[c] * s->sign[j];
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1] && z != 0; k++) {
            int32_t i = lcp->row[k], r = s->row_of[i];
            if (r == NONE) continue;
            s->r[r] -= s->scale[r] * s->sign[i] * lcp->val[k] * z;
        }
        if (box == NONE) continue;
        s->r[box] += pl_dictionary_value(&s->d, s->n + c);
        s->r[c] -= pl_dictionary_value(&s->d, s->n + box);
    }
    for (int32_t k = 0; k < s->n; k++) most = fmax(most, fabs(s->r[k]));
    if (most <= DRIFT * size) return true;
    for (int32_t v = 0; v <= 2 * s->n; v++) s->wanted[v] = pl_dictionary_is_basic(&s->d, v);
    fill(s);
    s->stats->factorizations++;
    return pl_dictionary_reach(&s->d, s->wanted);
}

static void trace(const lemke *s)
{
    if (s->options->trace == NULL) return;
    extract(s, s->trial);
    pl_lcp_multiply(s->lcp, s->trial, s->work->w);
    double error = pl_lcp_natural(s->lcp, s->work->diag, s->trial, s->work->w);
    s->options->trace(s->stats->iterations, error, s->options->trace_user);
}

// The first row that z0 leaves: the most negative one, the last of several, as the perturbation of
// the first is largest. NONE: no row is negative, and all is solved.
static int32_t first_row(const lemke *s)
{
    const double *column = pl_dictionary_column(&s->d, 2 * s->n), *c = s->d.c;
    int32_t best = NONE;
    double least = 0;
    for (int32_t i = 0; i < s->n; i++) {
        if (column[i] <= 0 || c[i] >= 0 || c[i] / column[i] > least) continue;
        least = c[i] / column[i];
        best = i;
    }
    return best;
}

static pl_lcp_end follow(lemke *s)
{
    int32_t row = first_row(s), entering = 2 * s->n;
    for (int64_t steps = 1; row != NONE; steps++) {
        trace(s);
        if (s->stats->iterations == s->options->max_iterations) return PL_LCP_LIMIT;
        if (pl_lcp_is_late(s->work, s->options)) return PL_LCP_TIME;
        int32_t leaving = s->d.basic[row];
        pl_dictionary_exchange(&s->d, row, entering);
        s->stats->iterations++;
        s->stats->pivots++;
        if (leaving == 2 * s->n) return PL_LCP_SOLVED;
        if (steps % CHECK_EVERY == 0 && !check_drift(s)) return PL_LCP_BREAKDOWN;
        entering = pl_dictionary_complement(&s->d, leaving);
        row = s->dead[entering] ? NONE : find_row(s, entering);
        if (row == NONE) return PL_LCP_RAY;
    }
    return PL_LCP_SOLVED;
}

// --- The result ---

// The sets of the dictionary.
static void find_sets(const lemke *s, pl_lcp_sets *sets)
{
    for (int32_t i = 0; i < s->lcp->n; i++) {
        int32_t k = s->row_of[i], box = s->box_of[i];
        bool between = k != NONE && pl_dictionary_is_basic(&s->d, s->n + k);
        bool high = box != NONE && pl_dictionary_is_basic(&s->d, s->n + box);
        sets->state[i] = (uint8_t)(high || (!between && s->sign[i] < 0) ? PL_LCP_AT_HI
                                   : between                            ? PL_LCP_FREE
                                                                        : PL_LCP_AT_LO);
        // A free row without effect stays at 0 with the others that are solved for.
        if (k != NONE && s->free[k]) sets->state[i] = PL_LCP_FREE;
    }
    pl_lcp_sets_index(sets);
}

// Natural error of x; w is left in work->w.
static double error_of(const lemke *s, const double *x)
{
    pl_lcp_multiply(s->lcp, x, s->work->w);
    return pl_lcp_natural(s->lcp, s->work->diag, x, s->work->w);
}

// Solves the sets of the dictionary by a factor of M itself, as Lemke's pivots gather rounding; x
// is what is better.
static pl_status polish(lemke *s, double *x)
{
    pl_lcp plain = *s->lcp; // LU: sets of an indefinite M may be so, too
    pl_lcp_sets sets;
    pl_lcp_end end = PL_LCP_N_END;
    void *self = NULL;
    double error = error_of(s, x);
    plain.symmetric = false;
    PL_TRY(pl_lcp_sets_make(s->work->arena, plain.n, &sets));
    find_sets(s, &sets);
    PL_TRY(pl_bpp_dense.start(&plain, s->options, s->work, s->stats, &self, &end));
    if (end == PL_LCP_N_END) PL_TRY(pl_bpp_dense.factor(self, &sets, NULL, &end));
    if (end != PL_LCP_N_END) return PL_OK; // x stays
    memcpy(s->trial, x, (size_t)plain.n * sizeof *x);
    pl_lcp_sets_tighten(&plain, &sets, s->trial);
    for (int32_t k = 0; k < 3 && error > 0; k++) {
        pl_lcp_multiply(&plain, s->trial, s->work->w);
        for (int32_t c = 0; c < sets.n_free; c++) s->r[c] = -s->work->w[sets.list[c]];
        PL_TRY(pl_bpp_dense.solve(self, s->r, &end));
        for (int32_t c = 0; c < sets.n_free; c++) s->trial[sets.list[c]] += s->r[c];
        double now = error_of(s, s->trial);
        if (!(now < error)) break;
        error = now;
        memcpy(x, s->trial, (size_t)plain.n * sizeof *x);
    }
    return PL_OK;
}

// The start, or where the pivots ended, whichever is better.
static void keep_better(lemke *s, double *x)
{
    double before = error_of(s, x);
    extract(s, s->trial);
    for (int32_t i = 0; i < s->lcp->n; i++) {
        s->trial[i] = pl_lcp_clamp(s->trial[i], s->lcp->lo[i], s->lcp->hi[i]);
    }
    if (error_of(s, s->trial) < before) {
        memcpy(x, s->trial, (size_t)s->lcp->n * sizeof *x);
    }
}

pl_status pl_lcp_lemke(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       double *x, pl_lcp_stats *stats)
{
    lemke s = {.lcp = lcp, .options = options, .work = work, .stats = stats};
    PL_TRY(number_rows(&s));
    if ((int64_t)s.n * (s.n + 2) * (int64_t)sizeof(double) > PL_DENSE_MOST) {
        stats->end = PL_LCP_SIZE;
        return PL_OK;
    }
    PL_TRY(take(&s));
    transform(&s);
    for (int32_t attempt = 0; attempt < N_COVERS; attempt++) {
        prepare(&s, x);
        set_cover(&s, attempt);
        remember_cover(&s);
        stats->end = follow(&s);
        if (stats->end != PL_LCP_RAY) break;
        stats->fallbacks++;
    }
    if (stats->end != PL_LCP_SOLVED) {
        keep_better(&s, x);
        return PL_OK;
    }
    extract(&s, x);
    return polish(&s, x);
}
