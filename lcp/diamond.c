#include "diamond.h"

#include <string.h>

static const double HALF_ROOT = 0.70710678118654752440; // 1 / sqrt(2)

void pl_diamond_turn(int32_t n_contact, const double *from, double *to)
{
    for (int32_t c = 0; c < n_contact; c++) {
        double a = from[2 * c], b = from[2 * c + 1];
        to[2 * c] = HALF_ROOT * (a + b);
        to[2 * c + 1] = HALF_ROOT * (a - b);
    }
}

// --- The matrix ---

typedef struct gathering {
    int32_t *at;      // (n_contact) where a contact is in `list`, -1: it is not
    int32_t *list;    // (n_contact) contacts that the column at hand has blocks with
    double (*sum)[4]; // (n_contact) the blocks of these, column by column
} gathering;

// Lists the blocks of the two columns of contact c; returns how many.
static int32_t gather(const gathering *g, const int64_t *col, const int32_t *row, const double *val,
                      int32_t c)
{
    int32_t count = 0;
    for (int32_t side = 0; side < 2; side++) {
        for (int64_t k = col[2 * c + side]; k < col[2 * c + side + 1]; k++) {
            int32_t i = row[k] / 2;
            if (g->at[i] < 0) {
                g->at[i] = count;
                memset(g->sum[count], 0, sizeof g->sum[count]);
                g->list[count++] = i;
            }
            g->sum[g->at[i]][row[k] % 2 + 2 * side] = val[k];
        }
    }
    return count;
}

// Blocks in the order of their contacts; few, and mostly in order.
static void sort(const gathering *g, int32_t count)
{
    for (int32_t k = 1; k < count; k++) {
        int32_t i = g->list[k], to = k;
        double block[4];
        memcpy(block, g->sum[k], sizeof block);
        for (; to > 0 && g->list[to - 1] > i; to--) {
            g->list[to] = g->list[to - 1];
            memcpy(g->sum[to], g->sum[to - 1], sizeof block);
        }
        g->list[to] = i;
        memcpy(g->sum[to], block, sizeof block);
    }
}

// R B R with R = (1 1; 1 -1) / sqrt(2). Sums are paired so that the transpose of B gives the
// transpose, to the bit.
static void turn_block(const double B[4], double out[4])
{
    double a = B[0], c = B[1], b = B[2], d = B[3];
    out[0] = 0.5 * ((a + d) + (b + c));
    out[1] = 0.5 * ((a - d) + (b - c));
    out[2] = 0.5 * ((a - d) + (c - b));
    out[3] = 0.5 * ((a + d) - (b + c));
}

// Column 2 c + side of M, from the blocks.
static int64_t put_column(const gathering *g, int32_t count, int32_t side, int64_t at,
                          pl_diamond *out)
{
    for (int32_t k = 0; k < count; k++) {
        double block[4];
        turn_block(g->sum[k], block);
        for (int32_t r = 0; r < 2; r++) {
            out->row[at] = 2 * g->list[k] + r;
            out->val[at++] = block[r + 2 * side];
        }
    }
    return at;
}

static pl_status take_memory(pl_diamond *out, int64_t entries, pl_arena *arena)
{
    int64_t n = out->lcp.n;
    out->col = pl_arena_take(arena, n + 1, sizeof *out->col);
    out->row = pl_arena_take(arena, entries, sizeof *out->row);
    out->val = pl_arena_take(arena, entries, sizeof *out->val);
    out->q = pl_arena_take(arena, n, sizeof *out->q);
    out->lo = pl_arena_take(arena, n, sizeof *out->lo);
    out->hi = pl_arena_take(arena, n, sizeof *out->hi);
    bool ok = out->col != NULL && out->row != NULL && out->val != NULL && out->q != NULL &&
              out->lo != NULL && out->hi != NULL;
    if (!ok) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) out->q[i] = out->lo[i] = out->hi[i] = 0;
    return PL_OK;
}

pl_status pl_diamond_create(int32_t n_contact, const int64_t *col, const int32_t *row,
                            const double *val, pl_arena *arena, pl_diamond *out)
{
    *out = (pl_diamond){.n_contact = n_contact, .lcp = {.n = 2 * n_contact, .symmetric = true}};
    // an entry alone becomes a block of four
    PL_TRY(take_memory(out, 4 * col[2 * n_contact], arena));
    pl_arena_mark mark = pl_arena_here(arena);
    gathering g = {.at = pl_arena_take(arena, n_contact, sizeof *g.at),
                   .list = pl_arena_take(arena, n_contact, sizeof *g.list),
                   .sum = pl_arena_take(arena, n_contact, sizeof *g.sum)};
    if (g.at == NULL || g.list == NULL || g.sum == NULL) return PL_ERROR_MEMORY;
    for (int32_t c = 0; c < n_contact; c++) g.at[c] = -1;
    out->col[0] = 0;
    for (int32_t c = 0; c < n_contact; c++) {
        int32_t count = gather(&g, col, row, val, c);
        for (int32_t k = 0; k < count; k++) g.at[g.list[k]] = -1;
        sort(&g, count);
        for (int32_t side = 0; side < 2; side++) {
            out->col[2 * c + side + 1] = put_column(&g, count, side, out->col[2 * c + side], out);
        }
    }
    pl_arena_back(arena, mark);
    pl_lcp *lcp = &out->lcp;
    lcp->col = out->col, lcp->row = out->row, lcp->val = out->val;
    lcp->q = out->q, lcp->lo = out->lo, lcp->hi = out->hi;
    return PL_OK;
}

void pl_diamond_set(pl_diamond *diamond, const double *d, const double *gamma)
{
    pl_diamond_turn(diamond->n_contact, d, diamond->q);
    for (int32_t i = 0; i < 2 * diamond->n_contact; i++) {
        diamond->q[i] = -diamond->q[i];
        diamond->hi[i] = HALF_ROOT * gamma[i / 2];
        diamond->lo[i] = -diamond->hi[i];
    }
}

// --- The saddle point system ---

void pl_diamond_solve(pl_saddle *K, const uint8_t *state, const double *d, const double *b,
                      double *beta, double *nu, double *scratch)
{
    int32_t n = K->lcp->n;
    double *c = scratch, *bound = scratch + n, *u = scratch + 2 * (int64_t)n;
    pl_diamond_turn(n / 2, d, c);
    for (int32_t i = 0; i < n; i++) { // rows 2 i and 2 i + 1 are the two sides of u_i
        bound[i] = state[i] == PL_LCP_AT_HI   ? HALF_ROOT * b[2 * i]
                   : state[i] == PL_LCP_AT_LO ? -HALF_ROOT * b[2 * i + 1]
                                              : 0;
    }
    pl_saddle_solve(K, c, bound, u, c);
    for (int32_t i = 0; i < n; i++) {
        nu[2 * i] = state[i] == PL_LCP_AT_HI ? HALF_ROOT * c[i] : 0;
        nu[2 * i + 1] = state[i] == PL_LCP_AT_LO ? -HALF_ROOT * c[i] : 0;
    }
    pl_diamond_turn(n / 2, u, beta);
}
