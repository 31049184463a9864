// Dictionaries of Lemke's method.

#include "dictionary.h"

#include <math.h>

pl_status pl_dictionary_make(pl_arena *arena, int32_t n, pl_dictionary *d)
{
    *d = (pl_dictionary){.n = n};
    d->T = pl_arena_take(arena, (int64_t)n * (n + 2), sizeof *d->T);
    d->basic = pl_arena_take(arena, n, sizeof *d->basic);
    d->other = pl_arena_take(arena, (int64_t)n + 1, sizeof *d->other);
    d->place = pl_arena_take(arena, 2 * (int64_t)n + 1, sizeof *d->place);
    bool ok = d->T != NULL && d->basic != NULL && d->other != NULL && d->place != NULL;
    if (ok) d->c = d->T + (int64_t)n * (n + 1);
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

void pl_dictionary_begin(pl_dictionary *d)
{
    for (int32_t k = 0; k < d->n; k++) {
        d->basic[k] = k;
        d->place[k] = k;
    }
    for (int32_t k = 0; k <= d->n; k++) {
        d->other[k] = d->n + k;
        d->place[d->n + k] = -1 - k;
    }
}

// y (n) += factor x.
PL_CLONES
static void add(int32_t n, double factor, const double *restrict x, double *restrict y)
{
    for (int32_t i = 0; i < n; i++) y[i] += factor * x[i];
}

// With p = T(row, entering), y_e = (y_r - c_r - sum of T_rj y_j over the others) / p is put into
// all other rows.
void pl_dictionary_exchange(pl_dictionary *d, int32_t row, int32_t entering)
{
    int32_t n = d->n, s = -1 - d->place[entering], leaving = d->basic[row];
    double *column = d->T + (int64_t)s * n, p = column[row];
    column[row] = 0; // so that `add` leaves the row alone
    for (int32_t j = 0; j < n + 2; j++) {
        double *other = d->T + (int64_t)j * n;
        if (j == s || other[row] == 0) continue;
        double factor = -other[row] / p;
        add(n, factor, column, other);
        other[row] = factor;
    }
    for (int32_t i = 0; i < n; i++) column[i] /= p;
    column[row] = 1 / p;
    d->basic[row] = entering;
    d->place[entering] = row;
    d->other[s] = leaving;
    d->place[leaving] = -1 - s;
}

// The largest entry of a column in rows whose variable is not wanted; -1: none is above 0.
static int32_t largest_row(const pl_dictionary *d, const bool *wanted, int32_t entering,
                           double *most)
{
    const double *column = pl_dictionary_column(d, entering);
    int32_t best = -1;
    *most = 0;
    for (int32_t i = 0; i < d->n; i++) {
        if (wanted[d->basic[i]] || !(fabs(column[i]) > *most)) continue;
        *most = fabs(column[i]);
        best = i;
    }
    return best;
}

bool pl_dictionary_reach(pl_dictionary *d, const bool *wanted)
{
    for (;;) {
        int32_t entering = -1;
        double most = 0;
        for (int32_t v = 0; v <= 2 * d->n; v++) {
            double pivot;
            if (!wanted[v] || pl_dictionary_is_basic(d, v)) continue;
            entering = entering < 0 ? v : entering;
            int32_t row = largest_row(d, wanted, v, &pivot);
            most = fmax(most, pivot);
            // Any pivot that is not small will do, which saves looking at all columns.
            if (row < 0 || pivot < 1e-3) continue;
            pl_dictionary_exchange(d, row, v);
            entering = -1;
            most = INFINITY;
            break;
        }
        if (most == INFINITY) continue;
        if (entering < 0) return true;
        if (most < 1e-14) return false;
        for (int32_t v = 0; v <= 2 * d->n; v++) { // the column with the largest
            double pivot;
            if (!wanted[v] || pl_dictionary_is_basic(d, v)) continue;
            int32_t row = largest_row(d, wanted, v, &pivot);
            if (pivot < most) continue;
            pl_dictionary_exchange(d, row, v);
            break;
        }
    }
}
