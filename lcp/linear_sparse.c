// The reduced system by sparse Cholesky factors of CXSparse [Davis 2006]. Built only where that is
// there.
//
// The order, of minimum degree [Amestoy, Davis & Duff 1996], is found once for M. It is good for
// every subset, whose fill is within that of M, so that only what is linear in the entries, the
// tree and the counts of columns, is found again for a set. `bpp-sparse` factors M_FF each time;
// `bpp-sparse-down` removes tight rows from the factor of M by sparse updates [Davis & Hager 1999],
// which change only the columns on a way up the tree.
//
// CXSparse takes its memory from the heap.

#ifdef PL_CXSPARSE

#include "dense.h"
#include "linear.h"

#include <cs.h>
#include <string.h>

typedef struct sparse_linear {
    const pl_lcp *lcp;
    pl_lcp_stats *stats;
    pl_arena *arena;
    int32_t *order; // (lcp->n) of elimination
    int32_t *place; // (lcp->n) of a row of M in the matrix factored last, -1: it is not there
    int32_t *list;  // (lcp->n) the free rows,
    int32_t n_free; // and their number
    double *x;      // (lcp->n) scratch
    cs_dl C;        // the upper triangle of M_FF in that order
    cs_dls S;       // its tree, and the counts of its columns
    cs_dln *L;      // its factor
    // Of removal.
    bool removes, tried, has_base; // was M factored? Is it positive definite?
    double *base;                  // (nnz of L) the factor of M
    double *shift;                 // (lcp->n) of its diagonal
    cs_dl column;                  // what is removed
    cs_long_t *row_start;          // (lcp->n + 1) where the entries of each row of L
    cs_long_t *row_entry;          // (nnz of L) are
} sparse_linear;

static void forget(sparse_linear *s)
{
    cs_dl_nfree(s->L);
    s->L = NULL;
    s->S.parent = cs_dl_free(s->S.parent);
    s->S.cp = cs_dl_free(s->S.cp);
}

static void stop(void *self)
{
    forget(self);
}

static pl_status take(sparse_linear *s, pl_arena *arena)
{
    int64_t n = s->lcp->n, nnz = s->lcp->col[n];
    int32_t **const integers[] = {&s->order, &s->place, &s->list};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        *integers[i] = pl_arena_take(arena, n, sizeof **integers[i]);
        if (*integers[i] == NULL) return PL_ERROR_MEMORY;
    }
    s->x = pl_arena_take(arena, n, sizeof *s->x);
    s->shift = pl_arena_take(arena, n, sizeof *s->shift);
    s->C = (cs_dl){.nz = -1, .nzmax = nnz};
    s->C.p = pl_arena_take(arena, n + 1, sizeof *s->C.p);
    s->C.i = pl_arena_take(arena, nnz, sizeof *s->C.i);
    s->C.x = pl_arena_take(arena, nnz, sizeof *s->C.x);
    bool all = s->x != NULL && s->shift != NULL && s->C.p != NULL && s->C.i != NULL;
    return all && s->C.x != NULL ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status find_order(sparse_linear *s)
{
    const pl_lcp *lcp = s->lcp;
    for (int32_t j = 0; j <= lcp->n; j++) s->C.p[j] = lcp->col[j];
    for (int64_t k = 0; k < lcp->col[lcp->n]; k++) s->C.i[k] = lcp->row[k], s->C.x[k] = 0;
    s->C.m = s->C.n = lcp->n;
    cs_long_t *order = cs_dl_amd(1, &s->C);
    if (order == NULL) return pl_fail(PL_ERROR_MEMORY, "no memory for an order of elimination");
    for (int32_t k = 0; k < lcp->n; k++) s->order[k] = (int32_t)order[k];
    cs_dl_free(order);
    return PL_OK;
}

static pl_status start(bool removes, const pl_lcp *lcp, pl_lcp_work *work, pl_lcp_stats *stats,
                       void **self)
{
    sparse_linear *s = pl_arena_take(work->arena, 1, sizeof *s);
    if (s == NULL) return PL_ERROR_MEMORY;
    *s = (sparse_linear){.lcp = lcp, .stats = stats, .arena = work->arena, .removes = removes};
    PL_TRY(take(s, work->arena));
    *self = s;
    return find_order(s);
}

// --- Factors from scratch ---

// C := the upper triangle of M_FF + shift in the order; all of M if state is NULL.
static void load(sparse_linear *s, const uint8_t *state, const double *shift)
{
    const pl_lcp *lcp = s->lcp;
    int32_t n = 0;
    cs_long_t at = 0;
    for (int32_t k = 0; k < lcp->n; k++) {
        int32_t row = s->order[k];
        s->place[row] = state == NULL || state[row] == PL_LCP_FREE ? n++ : -1;
    }
    for (int32_t k = 0; k < lcp->n; k++) {
        int32_t row = s->order[k], j = s->place[row];
        if (j < 0) continue;
        s->C.p[j] = at;
        for (int64_t e = lcp->col[row]; e < lcp->col[row + 1]; e++) {
            int32_t i = s->place[lcp->row[e]];
            if (i < 0 || i > j) continue;
            s->C.i[at] = i;
            s->C.x[at++] = lcp->val[e] + (i == j && shift != NULL ? shift[row] : 0);
        }
    }
    s->C.p[n] = at;
    s->C.m = s->C.n = n;
}

// The tree and the counts; NULL where there is no memory.
static cs_long_t *analyze(sparse_linear *s)
{
    cs_long_t n = s->C.n;
    s->S = (cs_dls){0};
    s->S.parent = cs_dl_etree(&s->C, 0);
    cs_long_t *post = s->S.parent != NULL ? cs_dl_post(s->S.parent, n) : NULL;
    cs_long_t *count = post != NULL ? cs_dl_counts(&s->C, s->S.parent, post, 0) : NULL;
    s->S.cp = count != NULL ? cs_dl_malloc(n + 1, sizeof *s->S.cp) : NULL;
    if (s->S.cp != NULL) s->S.lnz = s->S.unz = cs_dl_cumsum(s->S.cp, count, n);
    cs_dl_free(post);
    cs_dl_free(count);
    return s->S.cp;
}

// Is no pivot of L rounding?
static bool is_definite(const sparse_linear *s)
{
    const cs_dl *L = s->L->L;
    for (int32_t k = 0; k < s->lcp->n; k++) {
        int32_t row = s->order[k], j = s->place[row];
        if (j < 0) continue;
        double diag = 0, pivot = L->x[L->p[j]] * L->x[L->p[j]];
        for (cs_long_t e = s->C.p[j]; e < s->C.p[j + 1]; e++)
            diag = s->C.i[e] == j ? s->C.x[e] : diag;
        if (!(pivot > PL_DENSE_PIVOT * diag) || !isfinite(pivot)) return false;
    }
    return true;
}

static bool is_too_large(const sparse_linear *s)
{
    return s->S.lnz * (double)sizeof(double) > (double)PL_DENSE_MOST;
}

// L := the factor of C; *ok is false where there is none.
static pl_status make_factor(sparse_linear *s, bool *ok)
{
    forget(s);
    s->stats->factorizations++;
    if (analyze(s) == NULL) return pl_fail(PL_ERROR_MEMORY, "no memory for a sparse factor");
    *ok = !is_too_large(s);
    if (!*ok) return PL_OK;
    s->L = cs_dl_chol(&s->C, &s->S); // NULL: not positive definite, or no memory
    *ok = s->L != NULL && is_definite(s);
    return PL_OK;
}

// --- Removal ---

// Lists the entries of each row of L.
static void list_rows(sparse_linear *s)
{
    const cs_dl *L = s->L->L;
    int64_t n = L->n, nnz = L->p[n];
    memset(s->row_start, 0, ((size_t)n + 1) * sizeof *s->row_start);
    for (int64_t e = 0; e < nnz; e++) s->row_start[L->i[e] + 1]++;
    for (int64_t i = 0; i < n; i++) s->row_start[i + 1] += s->row_start[i];
    for (int64_t j = 0; j < n; j++) { // starts move on to the next row's, and back below
        for (cs_long_t e = L->p[j]; e < L->p[j + 1]; e++) s->row_entry[s->row_start[L->i[e]]++] = e;
    }
    for (int64_t i = n; i > 0; i--) s->row_start[i] = s->row_start[i - 1];
    s->row_start[0] = 0;
}

// Keeps L, the factor of M. Its pattern is the same whatever the diagonal, so that memory is taken
// once.
static pl_status keep_base(sparse_linear *s)
{
    const cs_dl *L = s->L->L;
    int64_t n = L->n, nnz = L->p[n];
    if (s->base == NULL) {
        s->row_start = pl_arena_take(s->arena, n + 1, sizeof *s->row_start);
        s->row_entry = pl_arena_take(s->arena, nnz, sizeof *s->row_entry);
        s->column = (cs_dl){.nz = -1, .nzmax = n, .m = n, .n = 1};
        s->column.p = pl_arena_take(s->arena, 2, sizeof *s->column.p);
        s->column.i = pl_arena_take(s->arena, n, sizeof *s->column.i);
        s->column.x = pl_arena_take(s->arena, n, sizeof *s->column.x);
        s->base = pl_arena_take(s->arena, nnz, sizeof *s->base);
        if (s->row_start == NULL || s->row_entry == NULL || s->column.p == NULL ||
            s->column.i == NULL || s->column.x == NULL || s->base == NULL) {
            return PL_ERROR_MEMORY;
        }
        list_rows(s);
    }
    memcpy(s->base, L->x, (size_t)nnz * sizeof *s->base);
    return PL_OK;
}

// Row i becomes that of the identity, and its column is added to the rest: see factor.c. What was
// removed is 0 but for the diagonal, so that a later update passes by without change.
static pl_status remove_row(sparse_linear *s, int32_t i)
{
    cs_dl *L = s->L->L;
    cs_long_t n = 0;
    for (cs_long_t e = L->p[i] + 1; e < L->p[i + 1]; e++) {
        if (L->x[e] != 0) s->column.i[n] = L->i[e], s->column.x[n++] = L->x[e];
        L->x[e] = 0;
    }
    L->x[L->p[i]] = 1;
    for (cs_long_t e = s->row_start[i]; e < s->row_start[i + 1]; e++) {
        if (s->row_entry[e] != L->p[i]) L->x[s->row_entry[e]] = 0;
    }
    s->column.p[0] = 0;
    s->column.p[1] = n;
    s->stats->updates++;
    bool done = n == 0 || cs_dl_updown(L, 1, &s->column, s->S.parent) != 0;
    return done ? PL_OK : pl_fail(PL_ERROR_MEMORY, "no memory to remove a row");
}

// Did the diagonal change since M was factored?
static bool take_shift(sparse_linear *s, const double *shift)
{
    bool same = s->tried;
    for (int32_t i = 0; i < s->lcp->n; i++) {
        double is = shift != NULL ? shift[i] : 0;
        same = same && s->shift[i] == is;
        s->shift[i] = is;
    }
    s->tried = true;
    return !same;
}

static pl_status remove_tight(sparse_linear *s, const pl_lcp_sets *sets)
{
    cs_dl *L = s->L->L;
    memcpy(L->x, s->base, (size_t)L->p[L->n] * sizeof *L->x);
    for (int32_t k = 0; k < s->lcp->n; k++) {
        if (sets->state[s->order[k]] != PL_LCP_FREE) PL_TRY(remove_row(s, k));
    }
    return PL_OK;
}

// --- As solvers ---

static pl_status factor(void *self, const pl_lcp_sets *sets, const double *shift, pl_lcp_end *end)
{
    sparse_linear *s = self;
    bool ok = true;
    s->n_free = sets->n_free;
    memcpy(s->list, sets->list, (size_t)sets->n_free * sizeof *s->list);
    if (s->removes && take_shift(s, shift)) {
        load(s, NULL, shift);
        PL_TRY(make_factor(s, &s->has_base));
        if (s->has_base) PL_TRY(keep_base(s));
    }
    if (s->has_base) return remove_tight(s, sets);
    load(s, sets->state, shift); // M_FF may be positive definite where M is not
    PL_TRY(make_factor(s, &ok));
    if (!ok) *end = s->L == NULL && is_too_large(s) ? PL_LCP_SIZE : PL_LCP_BREAKDOWN;
    return PL_OK;
}

static pl_status solve(void *self, double *b, pl_lcp_end *end)
{
    sparse_linear *s = self;
    memset(s->x, 0, (size_t)s->lcp->n * sizeof *s->x);
    for (int32_t i = 0; i < s->n_free; i++) s->x[s->place[s->list[i]]] = b[i];
    cs_dl_lsolve(s->L->L, s->x);
    cs_dl_ltsolve(s->L->L, s->x);
    for (int32_t i = 0; i < s->n_free; i++) b[i] = s->x[s->place[s->list[i]]];
    s->stats->solves++;
    (void)end;
    return PL_OK;
}

static pl_status start_factor(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                              pl_lcp_stats *stats, void **self, pl_lcp_end *end)
{
    (void)options, (void)end;
    return start(false, lcp, work, stats, self);
}

static pl_status start_removal(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                               pl_lcp_stats *stats, void **self, pl_lcp_end *end)
{
    (void)options, (void)end;
    return start(true, lcp, work, stats, self);
}

const pl_bpp_linear pl_bpp_sparse = {start_factor, factor, solve, stop};
const pl_bpp_linear pl_bpp_sparse_down = {start_removal, factor, solve, stop};

pl_status pl_lcp_bpp_sparse(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                            double *x, pl_lcp_stats *stats)
{
    return pl_bpp_run(&pl_bpp_sparse, PL_BPP_BLOCK, lcp, options, work, x, stats);
}

pl_status pl_lcp_bpp_sparse_down(const pl_lcp *lcp, const pl_lcp_options *options,
                                 pl_lcp_work *work, double *x, pl_lcp_stats *stats)
{
    return pl_bpp_run(&pl_bpp_sparse_down, PL_BPP_BLOCK, lcp, options, work, x, stats);
}

#endif
