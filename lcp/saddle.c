#include "saddle.h"

#include "rcm.h"

#include <string.h>

// --- The order ---

// The half-bandwidth with rows in `order` (NULL: as they are); place (n) is scratch.
static int32_t bandwidth(const pl_lcp *lcp, const int32_t *order, int32_t *place)
{
    int32_t rho = 0;
    for (int32_t i = 0; i < lcp->n; i++) place[order != NULL ? order[i] : i] = i;
    for (int32_t j = 0; j < lcp->n; j++) {
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            rho = PL_MAX(rho, place[lcp->row[k]] - place[j]);
        }
    }
    return rho;
}

// Half the entries of the longest column: no order has a narrower band.
static int32_t least_bandwidth(const pl_lcp *lcp)
{
    int64_t longest = 1;
    for (int32_t j = 0; j < lcp->n; j++) longest = PL_MAX(longest, lcp->col[j + 1] - lcp->col[j]);
    return (int32_t)(longest / 2);
}

static pl_status choose_order(pl_saddle *K)
{
    const pl_lcp *lcp = K->lcp;
    int32_t rho = bandwidth(lcp, NULL, K->place);
    if (rho <= least_bandwidth(lcp)) return PL_OK;
    K->order = pl_arena_take(K->arena, lcp->n, sizeof *K->order);
    if (K->order == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_rcm(lcp->n, lcp->col, lcp->row, K->arena, K->order));
    if (bandwidth(lcp, K->order, K->place) >= rho) K->order = NULL;
    return PL_OK;
}

pl_status pl_saddle_create(const pl_lcp *lcp, bool blocks, pl_arena *arena, pl_saddle *out)
{
    *out = (pl_saddle){.lcp = lcp, .arena = arena, .blocks = blocks, .clock = pl_seconds};
    out->row = pl_arena_take(arena, lcp->n, sizeof *out->row);
    out->place = pl_arena_take(arena, lcp->n, sizeof *out->place);
    if (out->row == NULL || out->place == NULL) return PL_ERROR_MEMORY;
    return choose_order(out);
}

pl_status pl_saddle_use(pl_saddle *K, const pl_saddle_engine *engine)
{
    pl_status status = engine->open(engine->user, K, &K->work);
    if (status == PL_OK) K->engine = engine;
    if (status != PL_ERROR_MEMORY) return status;
    pl_log(PL_LOG_WARNING, "contacts are solved for without the device: %s", pl_error_text());
    return PL_OK;
}

// --- The factor ---

// Room for `need` doubles in *block; what it held is lost.
static pl_status make_room(pl_saddle *K, double **block, int64_t *capacity, int64_t need)
{
    if (need <= *capacity && *block != NULL) return PL_OK;
    int64_t size = PL_MAX(need, *capacity + *capacity / 2);
    double *piece = pl_arena_take(K->arena, size, sizeof *piece);
    if (piece == NULL) return PL_ERROR_MEMORY;
    *block = piece;
    *capacity = size;
    return PL_OK;
}

static void list_free_rows(pl_saddle *K, const uint8_t *state)
{
    K->n_free = 0;
    for (int32_t k = 0; k < K->lcp->n; k++) {
        int32_t i = K->order != NULL ? K->order[k] : k;
        bool is_free = state[i] == PL_LCP_FREE;
        K->place[i] = is_free ? K->n_free : -1;
        if (is_free) K->row[K->n_free++] = i;
    }
}

// The half-bandwidth of M_FF.
static int32_t free_bandwidth(const pl_saddle *K)
{
    const pl_lcp *lcp = K->lcp;
    int32_t rho = 0;
    for (int32_t at = 0; at < K->n_free; at++) {
        int32_t j = K->row[at];
        for (int64_t k = lcp->col[j + 1] - 1; k >= lcp->col[j]; k--) {
            int32_t place = K->place[lcp->row[k]];
            rho = PL_MAX(rho, place - at);
            if (K->order == NULL && place >= 0) break; // the others are above it
        }
    }
    return rho;
}

static void form(pl_saddle *K)
{
    const pl_lcp *lcp = K->lcp;
    for (int32_t at = 0; at < K->n_free; at++) {
        int32_t j = K->row[at];
        double *column = K->band.val + at * (int64_t)K->band.ld;
        for (int64_t k = lcp->col[j + 1] - 1; k >= lcp->col[j]; k--) {
            int32_t below = K->place[lcp->row[k]] - at;
            if (below >= 0) column[below] = lcp->val[k];
            if (K->order == NULL && lcp->row[k] <= j) break; // the rest is above the diagonal
        }
    }
}

static pl_status invert(pl_saddle *K)
{
    int32_t n = K->n_free, s = pl_band_block(n, K->band.rho);
    int64_t entries = pl_band_inverse_entries(n, s);
    PL_TRY(make_room(K, &K->band.inverse, &K->inverse_capacity, entries));
    PL_TRY(make_room(K, &K->scratch, &K->scratch_capacity, (int64_t)K->band.rho * PL_SADDLE_BATCH));
    pl_band_invert(&K->band, s, K->band.inverse);
    return PL_OK;
}

static pl_status factor_by_engine(pl_saddle *K, int32_t rho, pl_lcp_end *end)
{
    double started = K->clock();
    int32_t good;
    PL_TRY(make_room(K, &K->rhs, &K->rhs_capacity, (int64_t)K->n_free * PL_SADDLE_BATCH));
    K->factorizations++;
    PL_TRY(K->engine->factor(K->work, K, rho, &good));
    if (good < K->n_free) *end = PL_LCP_BREAKDOWN;
    K->factor_seconds += K->clock() - started;
    return PL_OK;
}

pl_status pl_saddle_factor(pl_saddle *K, const uint8_t *state, pl_lcp_end *end)
{
    double started = K->clock();
    *end = PL_LCP_N_END;
    list_free_rows(K, state);
    int32_t n = K->n_free;
    if (n == 0) {
        K->band.n = 0;
        return PL_OK;
    }
    int32_t rho = free_bandwidth(K);
    int64_t entries = pl_band_entries(n, rho), s = pl_band_block(n, rho);
    int64_t all = entries + (K->blocks ? pl_band_inverse_entries(n, (int32_t)s) : 0);
    if (all > PL_SADDLE_MOST / (int64_t)sizeof(double)) {
        *end = PL_LCP_SIZE;
        return PL_OK;
    }
    if (K->engine != NULL) return factor_by_engine(K, rho, end);
    double *inverse = K->band.inverse;
    PL_TRY(make_room(K, &K->band.val, &K->val_capacity, entries));
    PL_TRY(make_room(K, &K->rhs, &K->rhs_capacity, (int64_t)n * (K->blocks ? PL_SADDLE_BATCH : 1)));
    pl_band_start(&K->band, n, rho, K->band.val);
    K->band.inverse = inverse;
    form(K);
    double formed = K->clock();
    K->form_seconds += formed - started;
    K->factorizations++;
    if (pl_band_factor(&K->band) < n) *end = PL_LCP_BREAKDOWN;
    if (*end == PL_LCP_N_END && K->blocks) PL_TRY(invert(K));
    K->factor_seconds += K->clock() - formed;
    return PL_OK;
}

// --- Solves ---

// The k right-hand sides in K->rhs := M_FF^-1 of them.
static void solve_free(pl_saddle *K, int32_t k)
{
    double started = K->clock();
    K->solves += k;
    if (K->n_free == 0) return;
    if (K->engine != NULL) {
        pl_status status = K->engine->solve(K->work, k, K->rhs);
        if (K->status == PL_OK) K->status = status;
    } else if (K->blocks) {
        pl_band_solve(&K->band, k, K->rhs, K->scratch);
    } else {
        for (int32_t c = 0; c < k; c++) {
            pl_band_substitute(&K->band, K->rhs + c * (int64_t)K->n_free);
        }
    }
    K->solve_seconds += K->clock() - started;
}

// rhs (n_free) -= M_Fj x_j.
static void subtract_column(const pl_saddle *K, int32_t j, double xj, double *rhs)
{
    const pl_lcp *lcp = K->lcp;
    for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
        int32_t place = K->place[lcp->row[k]];
        if (place >= 0) rhs[place] -= lcp->val[k] * xj;
    }
}

double pl_saddle_row(const pl_saddle *K, int32_t i, const double *x)
{
    const pl_lcp *lcp = K->lcp;
    double sum = 0;
    for (int64_t k = lcp->col[i]; k < lcp->col[i + 1]; k++) sum += lcp->val[k] * x[lcp->row[k]];
    return sum;
}

void pl_saddle_solve(pl_saddle *K, const double *c, const double *b, double *x, double *lambda)
{
    int32_t n = K->lcp->n;
    for (int32_t at = 0; at < K->n_free; at++) K->rhs[at] = c[K->row[at]];
    for (int32_t i = 0; i < n; i++) {
        if (K->place[i] >= 0) continue;
        x[i] = b[i];
        if (x[i] != 0) subtract_column(K, i, x[i], K->rhs);
    }
    solve_free(K, 1);
    for (int32_t at = 0; at < K->n_free; at++) x[K->row[at]] = K->rhs[at];
    if (lambda == NULL) return;
    for (int32_t i = 0; i < n; i++) {
        lambda[i] = K->place[i] >= 0 ? 0 : c[i] - pl_saddle_row(K, i, x);
    }
}

void pl_saddle_columns(pl_saddle *K, int32_t k, const int32_t *rows, double *const *x)
{
    PL_ASSERT(K->blocks);
    int32_t n = K->lcp->n, n_free = K->n_free;
    for (int32_t from = 0; from < k; from += PL_SADDLE_BATCH) {
        int32_t size = PL_MIN(PL_SADDLE_BATCH, k - from);
        if (n_free > 0) memset(K->rhs, 0, (size_t)n_free * (size_t)size * sizeof *K->rhs);
        for (int32_t c = 0; c < size; c++) {
            int32_t i = rows[from + c];
            double *rhs = K->rhs + c * (int64_t)n_free;
            if (K->place[i] >= 0) {
                rhs[K->place[i]] = 1;
            } else {
                subtract_column(K, i, 1, rhs);
            }
        }
        solve_free(K, size);
        for (int32_t c = 0; c < size; c++) {
            int32_t i = rows[from + c];
            double *to = x[from + c];
            memset(to, 0, (size_t)n * sizeof *to);
            if (K->place[i] < 0) to[i] = 1;
            for (int32_t at = 0; at < n_free; at++) {
                to[K->row[at]] = K->rhs[c * (int64_t)n_free + at];
            }
        }
    }
}
