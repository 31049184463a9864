// Incomplete Cholesky factors, column by column: a column takes what all columns on its left give
// it, found by lists of the columns whose next row it is. So a factorization can be taken up again
// at any column, and fill has a place to grow.

#include "precond.h"

#include <stdlib.h>
#include <string.h>

// The first shift, in parts of the diagonal; each later one is twice as large. [Ho22, 4.1.2] names
// none.
static const double FIRST_SHIFT = 1e-3;
// gamma of the partial shift [Ho22, 4.1.4].
static const double PARTIAL_SHIFT = 1e-4;
enum { MOST_PARTIAL = 200 }; // of one column: 2^200 will not help, if 2^199 did not
// An imaginary pivot is at least this part of its diagonal entry.
static const double LEAST_PIVOT = 1e-14;
// A shift that is past this part of the diagonal will not help.
static const double MOST_SHIFT = 1e6;

pl_status pl_precond_make(const pl_lcp *lcp, const pl_lcp_options *options, pl_arena *arena,
                          pl_precond *P)
{
    int64_t n = lcp->n, entries = 0;
    *P = (pl_precond){.kind = options->precond,
                      .prescale = options->prescale,
                      .drop = options->drop,
                      .fill = PL_MAX(options->fill, 0)};
    P->scale = pl_arena_take(arena, n, sizeof *P->scale);
    if (P->scale == NULL) return PL_ERROR_MEMORY;
    if (P->kind <= PL_LCP_PRECOND_JACOBI) return PL_OK;
    entries = P->kind == PL_LCP_PRECOND_ICT ? n * (1 + (int64_t)PL_MIN(P->fill, lcp->n))
                                            : lcp->col[n] / 2 + n;
    P->col = pl_arena_take(arena, n + 1, sizeof *P->col);
    P->row = pl_arena_take(arena, entries, sizeof *P->row);
    P->val = pl_arena_take(arena, entries, sizeof *P->val);
    P->work = pl_arena_take(arena, n, sizeof *P->work);
    P->diag = pl_arena_take(arena, n, sizeof *P->diag);
    P->sign = pl_arena_take(arena, n, sizeof *P->sign);
    P->mark = pl_arena_take(arena, n, sizeof *P->mark);
    P->pattern = pl_arena_take(arena, n, sizeof *P->pattern);
    P->list = pl_arena_take(arena, n, sizeof *P->list);
    P->next = pl_arena_take(arena, n, sizeof *P->next);
    P->at = pl_arena_take(arena, n, sizeof *P->at);
    P->shifted = pl_arena_take(arena, n, sizeof *P->shifted);
    bool ok = P->col != NULL && P->row != NULL && P->val != NULL && P->work != NULL &&
              P->diag != NULL && P->sign != NULL && P->mark != NULL && P->pattern != NULL &&
              P->list != NULL && P->next != NULL && P->at != NULL && P->shifted != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// --- Columns ---

// Column j of L waits for its next row, if it has one.
static void enlist(pl_precond *P, int32_t j)
{
    if (P->at[j] == P->col[j + 1]) return;
    int32_t row = P->row[P->at[j]];
    P->next[j] = P->list[row];
    P->list[row] = j;
}

// The lists as they are before column k, with the columns on its left done.
static void enlist_before(pl_precond *P, int32_t k)
{
    for (int32_t i = 0; i < P->n; i++) P->list[i] = -1;
    for (int32_t j = 0; j < k; j++) {
        P->at[j] = P->col[j] + 1;
        while (P->at[j] < P->col[j + 1] && P->row[P->at[j]] < k) P->at[j]++;
        enlist(P, j);
    }
}

// Column k of S A S from the diagonal down into work; returns how many entries it has.
static int32_t load(pl_precond *P, const pl_lcp_reduced *A, int32_t k)
{
    int32_t count = 0;
    P->pattern[count++] = k;
    P->work[k] = P->diag[k];
    P->mark[k] = k + 1;
    for (int64_t e = A->col[k]; e < A->col[k + 1]; e++) {
        int32_t i = A->row[e];
        if (i <= k) continue;
        P->pattern[count++] = i;
        P->work[i] = P->scale[i] * A->val[e] * P->scale[k];
        P->mark[i] = k + 1;
    }
    return count;
}

// Takes from column k what the columns on its left give. Entries that it does not have are left
// out, or become fill if they are not below `least`. Returns how many it has then.
static int32_t update(pl_precond *P, int32_t k, int32_t count, double least)
{
    for (int32_t j = P->list[k], after; j >= 0; j = after) {
        after = P->next[j];
        double factor = P->sign[j] * P->val[P->at[j]];
        for (int64_t e = P->at[j]; e < P->col[j + 1]; e++) {
            int32_t i = P->row[e];
            double change = factor * P->val[e];
            if (P->mark[i] != k + 1) {
                if (!(fabs(change) >= least)) continue;
                P->mark[i] = k + 1;
                P->work[i] = 0;
                P->pattern[count++] = i;
            }
            P->work[i] -= change;
        }
        P->at[j]++;
        enlist(P, j);
    }
    return count;
}

// The pivot of column k: false if it may not be one.
static bool take_pivot(pl_precond *P, int32_t k)
{
    double d = P->work[k];
    P->sign[k] = 1;
    if (P->kind == PL_LCP_PRECOND_IMAGINARY) {
        if (d < 0) P->sign[k] = -1, P->n_imaginary++, d = -d;
        if (d < LEAST_PIVOT * P->diag[k]) d = LEAST_PIVOT * P->diag[k], P->shifts++;
    }
    if (!(d > 0 && isfinite(d))) return false;
    P->work[k] = sqrt(d);
    return true;
}

// Puts column k, whose pivot is taken, into L.
static void store(pl_precond *P, int32_t k, int32_t count)
{
    int64_t at = P->col[k];
    P->row[at] = k;
    P->val[at++] = P->work[k];
    double factor = P->sign[k] / P->work[k];
    for (int32_t e = 1; e < count; e++) {
        P->row[at] = P->pattern[e];
        P->val[at++] = P->work[P->pattern[e]] * factor;
    }
    P->col[k + 1] = at;
    P->at[k] = P->col[k] + 1;
    enlist(P, k);
}

// L on the pattern of A from column `first` on. Returns n, or the column whose pivot failed.
static int32_t factor_from(pl_precond *P, const pl_lcp_reduced *A, int32_t first)
{
    memset(P->mark, 0, (size_t)P->n * sizeof *P->mark);
    enlist_before(P, first);
    P->col[0] = 0;
    for (int32_t k = first; k < P->n; k++) {
        int32_t count = update(P, k, load(P, A, k), INFINITY);
        if (!take_pivot(P, k)) return k;
        store(P, k, count);
    }
    return P->n;
}

// --- With a threshold [Ho22, Alg. 5; Lin & More 1999] ---

static double norm_of(const pl_precond *P, int32_t count)
{
    double sum = 0;
    for (int32_t e = 0; e < count; e++) sum += P->work[P->pattern[e]] * P->work[P->pattern[e]];
    return sqrt(sum);
}

// Leaves the diagonal, which is first, and entries not below `least`.
static int32_t drop_below(pl_precond *P, int32_t count, double least)
{
    int32_t kept = 1;
    for (int32_t e = 1; e < count; e++) {
        int32_t i = P->pattern[e];
        if (fabs(P->work[i]) >= least) P->pattern[kept++] = i;
    }
    return kept;
}

static void swap(int32_t *a, int32_t *b)
{
    int32_t c = *a;
    *a = *b;
    *b = c;
}

// Of two rows of a column: is a to be kept rather than b?
static bool is_larger(const pl_precond *P, int32_t a, int32_t b)
{
    double size_a = fabs(P->work[a]), size_b = fabs(P->work[b]);
    return size_a > size_b || (size_a == size_b && a < b);
}

// Brings the `kept` largest of pattern[1..count) to its front (quickselect).
static void select_largest(pl_precond *P, int32_t count, int32_t kept)
{
    int32_t *p = P->pattern + 1, low = 0, high = count - 2;
    while (low < high) {
        int32_t pivot = p[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (is_larger(P, p[i], pivot)) i++;
            while (is_larger(P, pivot, p[j])) j--;
            if (i <= j) swap(&p[i++], &p[j--]);
        }
        if (kept - 1 <= j) {
            high = j;
        } else if (kept - 1 >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Entries below drop |a_k| go, before and after the division, and as fill; the `fill` largest stay.
static int32_t factor_with_threshold(pl_precond *P, const pl_lcp_reduced *A)
{
    memset(P->mark, 0, (size_t)P->n * sizeof *P->mark);
    enlist_before(P, 0);
    P->col[0] = 0;
    for (int32_t k = 0; k < P->n; k++) {
        int32_t count = load(P, A, k);
        double least = P->drop * norm_of(P, count);
        count = drop_below(P, update(P, k, count, least), least);
        if (!take_pivot(P, k)) return k;
        // An entry is to be at least `least` after its division as well.
        count = drop_below(P, count, least * P->work[k]);
        if (count - 1 > P->fill) {
            select_largest(P, count, P->fill);
            count = P->fill + 1;
        }
        qsort(P->pattern + 1, (size_t)count - 1, sizeof *P->pattern, compare);
        store(P, k, count);
    }
    return P->n;
}

// --- Shifts ---

// S, and the diagonal of S A S; false: it has an entry that is not positive.
static bool begin(pl_precond *P, const pl_lcp_reduced *A)
{
    P->n = A->n;
    P->n_imaginary = 0;
    for (int32_t k = 0; k < A->n; k++) {
        double diag = 0;
        for (int64_t e = A->col[k]; e < A->col[k + 1]; e++) {
            if (A->row[e] == k) diag = A->val[e];
        }
        if (!(diag > 0 && isfinite(diag))) return false;
        if (P->kind == PL_LCP_PRECOND_JACOBI) {
            P->scale[k] = 1 / diag;
            continue;
        }
        // [Ho22, 4.1.6] prints 1 / diag, which leaves no unit diagonal on both sides.
        P->scale[k] = P->prescale ? 1 / sqrt(diag) : 1;
        P->diag[k] = P->scale[k] * diag * P->scale[k];
    }
    return true;
}

static int32_t factor_all(pl_precond *P, const pl_lcp_reduced *A)
{
    return P->kind == PL_LCP_PRECOND_ICT ? factor_with_threshold(P, A) : factor_from(P, A, 0);
}

// A + gamma diag(A), with gamma as large as it takes.
static bool factor_shifted(pl_precond *P, const pl_lcp_reduced *A)
{
    double before = 0;
    for (double gamma = FIRST_SHIFT; factor_all(P, A) < P->n; gamma *= 2) {
        if (!(gamma < MOST_SHIFT)) return false;
        for (int32_t k = 0; k < P->n; k++) P->diag[k] *= (1 + gamma) / (1 + before);
        before = gamma;
        P->shifts++;
    }
    return true;
}

// [Ho22, 4.1.4]: where a pivot fails, the columns that took from it are shifted, by more each time,
// and made anew from the first of them. gamma is in parts of the diagonal here.
static bool factor_partial(pl_precond *P, const pl_lcp_reduced *A)
{
    int32_t from = 0, failed;
    memset(P->shifted, 0, (size_t)P->n * sizeof *P->shifted);
    while ((failed = factor_from(P, A, from)) < P->n) {
        from = failed;
        for (int32_t j = failed - 1; j >= 0; j--) {
            bool takes = false;
            for (int64_t e = P->col[j] + 1; e < P->col[j + 1] && P->row[e] <= failed; e++) {
                takes = P->row[e] == failed && P->val[e] != 0;
            }
            if (!takes) continue;
            int32_t p = P->shifted[j]++; // so far by gamma (1 + 2 + .. 2^(p - 1))
            P->diag[j] *= (1 + PARTIAL_SHIFT * (ldexp(1, p + 1) - 1)) /
                          (1 + PARTIAL_SHIFT * (ldexp(1, p) - 1));
            if (p > MOST_PARTIAL) return false;
            P->shifts++;
            from = j;
        }
        if (from == failed) return false; // nothing took from it: A_kk itself is no pivot
    }
    return true;
}

bool pl_precond_factor(pl_precond *P, const pl_lcp_reduced *A)
{
    P->n = A->n;
    switch (P->kind) {
    case PL_LCP_PRECOND_JACOBI:
        return begin(P, A);
    case PL_LCP_PRECOND_IC:
    case PL_LCP_PRECOND_IMAGINARY:
        return begin(P, A) && factor_all(P, A) == P->n;
    case PL_LCP_PRECOND_IC_SHIFT:
    case PL_LCP_PRECOND_ICT:
        return begin(P, A) && factor_shifted(P, A);
    case PL_LCP_PRECOND_IC_PARTIAL:
        return begin(P, A) && factor_partial(P, A);
    default:
        return true;
    }
}

// --- Solves ---

static void apply_factor(const pl_precond *P, const double *r, double *z)
{
    for (int32_t k = 0; k < P->n; k++) z[k] = P->scale[k] * r[k];
    for (int32_t k = 0; k < P->n; k++) {
        z[k] /= P->val[P->col[k]];
        for (int64_t e = P->col[k] + 1; e < P->col[k + 1]; e++) {
            z[P->row[e]] -= P->val[e] * z[k];
        }
    }
    for (int32_t k = P->n - 1; k >= 0; k--) {
        double sum = z[k];
        for (int64_t e = P->col[k] + 1; e < P->col[k + 1]; e++) sum -= P->val[e] * z[P->row[e]];
        z[k] = sum / P->val[P->col[k]];
    }
    for (int32_t k = 0; k < P->n; k++) z[k] *= P->scale[k];
}

void pl_precond_apply(const pl_precond *P, const double *r, double *z)
{
    if (P->kind > PL_LCP_PRECOND_JACOBI) {
        apply_factor(P, r, z);
        return;
    }
    for (int32_t k = 0; k < P->n; k++) {
        z[k] = P->kind == PL_LCP_PRECOND_JACOBI ? P->scale[k] * r[k] : r[k];
    }
}
