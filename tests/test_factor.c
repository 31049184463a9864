// Factors from which rows are removed, against fresh ones; skylines against what a dense factor
// has; orders; the cache.

#include "lcps.h"
#include "../lcp/factor_cache.h"
#include "../lcp/rcm.h"

#include <stdio.h>
#include <unity.h>

static pl_arena arena;

void setUp(void)
{
    pl_arena_reset(&arena);
}

void tearDown(void)
{
    pl_arena_free(&arena);
}

static void *take(int64_t n, size_t size)
{
    void *block = pl_arena_take(&arena, n, size);
    TEST_ASSERT_NOT_NULL(block);
    return block;
}

// A band of `width` in a shuffled order, of which `keep` percent are there; diagonally dominant by
// `shift`.
static own_lcp banded_lcp(int32_t n, int32_t width, uint32_t keep, double shift)
{
    double *M = calloc((size_t)n * (size_t)n, sizeof *M), *q = random_vector(n);
    int32_t *at = malloc((size_t)n * sizeof *at);
    for (int32_t i = 0; i < n; i++) at[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t j = (int32_t)(random_bits() % (uint32_t)(i + 1)), swap = at[i];
        at[i] = at[j], at[j] = swap;
    }
    for (int32_t i = 0; i < n; i++) {
        M[at[i] + at[i] * n] += shift;
        for (int32_t j = i + 1; j < n && j <= i + width; j++) {
            if (random_bits() % 100 >= keep) continue;
            double a = random_number();
            M[at[i] + at[j] * n] = M[at[j] + at[i] * n] = a;
            M[at[i] + at[i] * n] += fabs(a);
            M[at[j] + at[j] * n] += fabs(a);
        }
    }
    own_lcp own = own_lcp_make(n, M, q);
    free(M), free(q), free(at);
    return own;
}

// The skyline of the rows that are not in `without` (may be NULL), in the order given.
static const int32_t *make_skyline(const pl_lcp *lcp, const int32_t *order, const uint8_t *without,
                                   bool narrow, pl_skyline *s)
{
    int32_t *place = take(lcp->n, sizeof *place), *root = take(lcp->n, sizeof *root);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_skyline_take(s, lcp->n, &arena));
    s->n = 0;
    for (int32_t k = 0; k < lcp->n; k++) {
        bool in = without == NULL || without[k] == 0;
        place[order[k]] = in ? s->n : -1;
        if (in) s->row[s->n++] = order[k];
    }
    if (narrow) {
        pl_skyline_find(s, lcp, place, root);
    } else {
        pl_skyline_fill(s);
    }
    return place;
}

static void make_factor(const pl_lcp *lcp, const int32_t *order, const uint8_t *without,
                        bool narrow, pl_skyline *s, pl_factor *L)
{
    const int32_t *place = make_skyline(lcp, order, without, narrow, s);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_factor_take(L, s, &arena));
    TEST_ASSERT_TRUE(pl_factor_make(L, lcp, NULL, s, place));
}

static int32_t *find_order(const pl_lcp *lcp)
{
    int32_t *order = take(lcp->n, sizeof *order);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_rcm(lcp->n, lcp->col, lcp->row, &arena, order));
    return order;
}

// --- Orders and skylines ---

// The farthest that an entry is from the diagonal.
static int32_t bandwidth(const pl_lcp *lcp, const int32_t *order)
{
    int32_t most = 0, *place = take(lcp->n, sizeof *place);
    memset(place, -1, (size_t)lcp->n * sizeof *place);
    for (int32_t k = 0; k < lcp->n; k++) {
        TEST_ASSERT_TRUE(order[k] >= 0 && order[k] < lcp->n && place[order[k]] < 0);
        place[order[k]] = k;
    }
    for (int32_t j = 0; j < lcp->n; j++) {
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            most = PL_MAX(most, abs(place[j] - place[lcp->row[k]]));
        }
    }
    return most;
}

static void test_orders_are_narrow(void)
{
    random_state = 3;
    own_lcp own = banded_lcp(200, 3, 100, 1);
    TEST_ASSERT_LESS_OR_EQUAL_INT32(6, bandwidth(&own.lcp, find_order(&own.lcp)));
    own_lcp_free(&own);
    own = banded_lcp(200, 1, 100, 1); // a chain: one of its two ends is first
    TEST_ASSERT_EQUAL_INT32(1, bandwidth(&own.lcp, find_order(&own.lcp)));
    own_lcp_free(&own);
    own = banded_lcp(150, 2, 25, 1); // many parts
    TEST_ASSERT_LESS_OR_EQUAL_INT32(6, bandwidth(&own.lcp, find_order(&own.lcp)));
    own_lcp_free(&own);
}

// Parents and last rows are those of the entries that a dense factor has: numbers are random, so
// that none is 0 by chance.
static void test_skylines_are_those_of_the_factor(void)
{
    random_state = 4;
    for (int32_t trial = 0; trial < 12; trial++) {
        int32_t n = 1 + 7 * trial;
        own_lcp own = banded_lcp(n, 1 + trial % 6, 30 + (uint32_t)trial * 5, 1);
        int32_t *order = find_order(&own.lcp);
        if (trial % 2 == 0) {
            for (int32_t i = 0; i < n; i++) order[i] = i;
        }
        pl_skyline dense, sky;
        pl_factor L, S;
        make_factor(&own.lcp, order, NULL, false, &dense, &L);
        make_factor(&own.lcp, order, NULL, true, &sky, &S);
        for (int32_t k = 0; k < n; k++) {
            int32_t parent = -1, last = k;
            for (int32_t i = n - 1; i > k; i--) {
                if (pl_factor_at(&L, i, k) == 0) continue;
                parent = i;
                last = PL_MAX(last, i);
            }
            TEST_ASSERT_EQUAL_INT32(parent, sky.parent[k]);
            TEST_ASSERT_EQUAL_INT32(last, sky.last[k]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, pl_factor_distance(&S, &L));
        TEST_ASSERT_TRUE(pl_skyline_factor_work(&sky) <= pl_skyline_factor_work(&dense));
        TEST_ASSERT_TRUE(S.factored <= pl_skyline_factor_work(&sky));
        own_lcp_free(&own);
        pl_arena_reset(&arena);
    }
}

// L L^T is M, against an independent solve.
static void hold_solve(const own_lcp *own, const pl_factor *L, const uint8_t *without,
                       const int32_t *order)
{
    int32_t n = own->lcp.n, m = 0;
    double *x = take(n, sizeof *x), *b = take(n, sizeof *b);
    double *K = take((int64_t)n * n, sizeof *K);
    int32_t *rows = take(n, sizeof *rows);
    for (int32_t k = 0; k < n; k++) {
        x[order[k]] = without[k] != 0 ? 7 : own->q[order[k]];
        if (without[k] == 0) b[m] = own->q[order[k]], rows[m++] = order[k];
    }
    for (int32_t c = 0; c < m; c++) {
        for (int32_t r = 0; r < m; r++) K[r + c * m] = own->dense[rows[r] + rows[c] * n];
    }
    TEST_ASSERT_TRUE(solve_dense(m, K, b));
    pl_factor_solve(L, x);
    for (int32_t r = 0; r < m; r++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, b[r], x[rows[r]]);
    for (int32_t k = 0; k < n; k++) {
        if (without[k] != 0) TEST_ASSERT_EQUAL_DOUBLE(7, x[order[k]]);
    }
}

// --- Removal ---

typedef enum { NONE, FIRST, LAST, ALL, EVEN, AT_RANDOM, N_CHOICES } choice;

static void choose(choice which, int32_t n, uint8_t *without)
{
    for (int32_t i = 0; i < n; i++) {
        without[i] = which == ALL || (which == FIRST && i == 0) || (which == LAST && i == n - 1) ||
                     (which == EVEN && i % 2 == 0) ||
                     (which == AT_RANDOM && random_bits() % 100 < 30);
    }
}

static void remove_rows(pl_factor *L, const uint8_t *without, int how)
{
    int32_t n = L->skyline->n, start = (int32_t)(random_bits() % (uint32_t)n), n_all = 0, *all;
    all = take(n, sizeof *all);
    for (int32_t i = 0; i < n && how == 3; i++) {
        if (without[i] != 0) all[n_all++] = i;
    }
    if (n_all > 0) pl_factor_remove(L, n_all, all);
    for (int32_t step = 0; step < n && how < 3; step++) {
        int32_t i = how == 0 ? step : how == 1 ? n - 1 - step : (start + step * 101) % n;
        if (without[i] != 0) pl_factor_remove(L, 1, &i);
    }
}

static void hold_removal(const own_lcp *own, bool narrow, choice which, int how)
{
    int32_t n = own->lcp.n, *order = find_order(&own->lcp);
    uint8_t *without = take(n, 1);
    pl_skyline s, left;
    pl_factor L, fresh;
    choose(which, n, without);
    make_factor(&own->lcp, order, NULL, narrow, &s, &L);
    remove_rows(&L, without, how);
    make_factor(&own->lcp, order, without, narrow, &left, &fresh);
    TEST_ASSERT_EQUAL_INT32(n - left.n, L.n_removed);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, pl_factor_distance(&L, &fresh));
    hold_solve(own, &L, without, order);
    hold_solve(own, &fresh, without, order);
}

// In ascending, descending and a mixed order; 101 is prime to all n here. And all at once.
static void test_removal_is_a_fresh_factor(void)
{
    random_state = 6;
    static const int32_t sizes[] = {1, 2, 9, 40, 75};
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
        for (int32_t kind = 0; kind < 3; kind++) {
            own_lcp own = kind == 0 ? random_spd_lcp(sizes[z], sizes[z], 0.5)
                                    : banded_lcp(sizes[z], 4, kind == 1 ? 100 : 40, 0.2);
            for (int32_t t = 0; t < 8 * N_CHOICES; t++) {
                hold_removal(&own, t % 2 == 0, (choice)(t / 8), t / 2 % 4);
                pl_arena_reset(&arena);
            }
            own_lcp_free(&own);
        }
    }
}

// What rotations are for: a row that is all but a copy of another one, with a compliance of 1e-10
// between them. The pivot is 1e-5, what is removed 1.
static void test_small_pivots(void)
{
    enum { N = 24 };
    random_state = 8;
    double M[N * N], q[N];
    own_lcp from = random_spd_lcp(N, N, 1);
    for (int32_t j = 0; j < N; j++) {
        q[j] = random_number();
        for (int32_t i = 0; i < N; i++) {
            M[i + j * N] = from.dense[i / 2 + j / 2 * N] + (i == j ? 1e-10 : 0);
        }
    }
    own_lcp own = own_lcp_make(N, M, q);
    int32_t order[N];
    uint8_t without[N];
    for (int32_t i = 0; i < N; i++) order[i] = i, without[i] = i % 4 == 0;
    pl_skyline s, left;
    pl_factor L, fresh;
    make_factor(&own.lcp, order, NULL, true, &s, &L);
    remove_rows(&L, without, 0);
    make_factor(&own.lcp, order, without, true, &left, &fresh);
    // a pivot of 1e-10 is known to rounding of 1: 1e-6 of itself, 1e-11 as the root of 1e-10
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, pl_factor_distance(&L, &fresh));
    own_lcp_free(&from), own_lcp_free(&own);
}

static void test_what_has_no_factor(void)
{
    double M[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1}, q[3] = {0}; // semidefinite
    int32_t order[3] = {0, 1, 2};
    own_lcp own = own_lcp_make(3, M, q);
    pl_skyline s;
    pl_factor L;
    double shift[3] = {0, 0.5, 0}, x[3] = {1, 1.5, 2};
    const int32_t *place = make_skyline(&own.lcp, order, NULL, true, &s);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_factor_take(&L, &s, &arena));
    TEST_ASSERT_FALSE(pl_factor_make(&L, &own.lcp, NULL, &s, place));
    TEST_ASSERT_TRUE(pl_factor_make(&L, &own.lcp, shift, &s, place));
    pl_factor_solve(&L, x); // 1 1; 1 1.5
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1, x[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2, x[2]);
    own.val[0] = NAN;
    TEST_ASSERT_FALSE(pl_factor_make(&L, &own.lcp, shift, &s, place));
    own_lcp_free(&own);
}

// --- The cache ---

typedef struct kept {
    own_lcp own;
    pl_skyline s;
    pl_factor base, L;
    double *path;
    pl_factor_cache cache;
} kept;

static void make_kept(int32_t n, int32_t entries, kept *k)
{
    *k = (kept){.own = banded_lcp(n, 3, 100, 0.5)};
    make_factor(&k->own.lcp, find_order(&k->own.lcp), NULL, true, &k->s, &k->base);
    k->path = take(n, sizeof *k->path);
    pl_skyline_path_cost(&k->s, 1, 0, k->path);
    // What an entry takes, a cache without any says.
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_factor_cache_make(&k->cache, &k->s, k->path, 0, &arena));
    TEST_ASSERT_EQUAL_INT32(0, k->cache.capacity);
    int64_t budget = entries * k->cache.bytes + k->cache.bytes / 2;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_factor_cache_make(&k->cache, &k->s, k->path, budget, &arena));
    TEST_ASSERT_EQUAL_INT32(entries, k->cache.capacity);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_factor_take(&k->L, &k->s, &arena));
}

// The factor without the rows listed, ended by -1, from the nearest one kept; returns how many rows
// were removed.
static int32_t without(kept *k, const int32_t *rows)
{
    uint8_t tight[64] = {0};
    int32_t removed = 0;
    for (int32_t i = 0; rows[i] >= 0; i++) tight[rows[i]] = 1;
    if (!pl_factor_cache_find(&k->cache, tight, &k->L)) pl_factor_copy(&k->L, &k->base);
    for (int32_t i = 0; i < k->s.n; i++) {
        if (tight[i] == 0 || k->L.removed[i] != 0) continue;
        pl_factor_remove(&k->L, 1, &i);
        pl_factor_cache_store(&k->cache, &k->L);
        removed++;
    }
    return removed;
}

// The example of [Lef20, 3.1], and {2, 6, 7}, for which the printed rule can use nothing.
static void test_the_cache_finds_subsets(void)
{
    kept k;
    make_kept(20, 16, &k);
    static const int32_t first[] = {1, 2, 5, -1}, second[] = {1, 2, 6, 7, -1}, none[] = {-1},
                         third[] = {2, 6, 7, -1}, fourth[] = {1, 2, 6, 7, 9, -1};
    TEST_ASSERT_EQUAL_INT32(3, without(&k, first));
    TEST_ASSERT_EQUAL_INT32(2, without(&k, second));
    TEST_ASSERT_EQUAL_INT32(3, without(&k, third)); // {2} was never kept
    TEST_ASSERT_EQUAL_INT32(1, without(&k, fourth));
    TEST_ASSERT_EQUAL_INT32(0, without(&k, second));
    TEST_ASSERT_EQUAL_INT32(0, without(&k, third));
    TEST_ASSERT_EQUAL_INT32(0, without(&k, none));
    TEST_ASSERT_EQUAL_INT64(3, k.cache.misses);
    TEST_ASSERT_EQUAL_INT64(4, k.cache.hits);
    TEST_ASSERT_EQUAL_INT32(9, k.cache.n);
    static const int32_t subset[] = {2, 6, 8, -1}; // from {2, 6}, kept on the way to {2, 6, 7}
    TEST_ASSERT_EQUAL_INT32(1, without(&k, subset));
    pl_factor_cache_clear(&k.cache);
    TEST_ASSERT_EQUAL_INT32(3, without(&k, first));
    own_lcp_free(&k.own);
}

// What was not used for longest goes, and the memory stays within its limit.
static void test_the_cache_is_bounded(void)
{
    kept k;
    make_kept(30, 4, &k);
    static const int32_t a[] = {1, -1}, b[] = {2, -1}, c[] = {3, -1}, d[] = {4, -1}, e[] = {5, -1};
    without(&k, a), without(&k, b), without(&k, c), without(&k, d);
    TEST_ASSERT_EQUAL_INT64(0, k.cache.evictions);
    TEST_ASSERT_EQUAL_INT32(0, without(&k, a)); // now b is the oldest
    TEST_ASSERT_EQUAL_INT32(1, without(&k, e));
    TEST_ASSERT_EQUAL_INT64(1, k.cache.evictions);
    TEST_ASSERT_EQUAL_INT32(0, without(&k, a));
    TEST_ASSERT_EQUAL_INT32(0, without(&k, c));
    TEST_ASSERT_EQUAL_INT32(1, without(&k, b));
    int64_t before = arena.most;
    for (int32_t t = 0; t < 200; t++) {
        int32_t rows[] = {t % 7, 8 + t % 5, 15 + t % 11, -1};
        without(&k, rows);
    }
    TEST_ASSERT_EQUAL_INT32(4, k.cache.n);
    TEST_ASSERT_EQUAL_INT64(before, arena.most);
    own_lcp_free(&k.own);
}

// The same results, to rounding, whatever way led there.
static void test_the_cache_changes_nothing(void)
{
    kept k;
    make_kept(40, 6, &k);
    for (int32_t t = 0; t < 60; t++) {
        int32_t rows[41], n = 0;
        uint8_t tight[64] = {0};
        for (int32_t i = 0; i < 40; i++) {
            if (i % 5 == 0 && random_bits() % 3 == 0) rows[n++] = i, tight[i] = 1;
        }
        rows[n] = -1;
        without(&k, rows);
        hold_solve(&k.own, &k.L, tight, k.s.row);
    }
    TEST_ASSERT_TRUE(k.cache.hits > 10 && k.cache.evictions > 10);
    own_lcp_free(&k.own);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_orders_are_narrow);
    RUN_TEST(test_skylines_are_those_of_the_factor);
    RUN_TEST(test_removal_is_a_fresh_factor);
    RUN_TEST(test_small_pivots);
    RUN_TEST(test_what_has_no_factor);
    RUN_TEST(test_the_cache_finds_subsets);
    RUN_TEST(test_the_cache_is_bounded);
    RUN_TEST(test_the_cache_changes_nothing);
    return UNITY_END();
}
