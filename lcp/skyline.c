#include "skyline.h"

pl_status pl_skyline_take(pl_skyline *skyline, int32_t n, pl_arena *arena)
{
    skyline->n = n;
    skyline->row = pl_arena_take(arena, n, sizeof *skyline->row);
    skyline->parent = pl_arena_take(arena, n, sizeof *skyline->parent);
    skyline->last = pl_arena_take(arena, n, sizeof *skyline->last);
    skyline->col = pl_arena_take(arena, (int64_t)n + 1, sizeof *skyline->col);
    bool all = skyline->row != NULL && skyline->parent != NULL && skyline->last != NULL &&
               skyline->col != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static void place_columns(pl_skyline *skyline)
{
    skyline->col[0] = 0;
    for (int32_t k = 0; k < skyline->n; k++) {
        skyline->col[k + 1] = skyline->col[k] + skyline->last[k] - k + 1;
    }
}

// Parents by paths that are shortened as they are walked [Liu 1986].
void pl_skyline_find(pl_skyline *skyline, const pl_lcp *lcp, const int32_t *place, int32_t *root)
{
    for (int32_t i = 0; i < skyline->n; i++) {
        int32_t at = skyline->row[i];
        skyline->parent[i] = root[i] = -1;
        skyline->last[i] = i;
        for (int64_t k = lcp->col[at]; k < lcp->col[at + 1]; k++) {
            int32_t j = place[lcp->row[k]];
            if (j < 0 || j >= i) continue;
            skyline->last[j] = i; // i ascends
            while (root[j] >= 0 && root[j] != i) {
                int32_t next = root[j];
                root[j] = i;
                j = next;
            }
            if (root[j] < 0) root[j] = skyline->parent[j] = i;
        }
    }
    for (int32_t k = 0; k < skyline->n; k++) {
        int32_t p = skyline->parent[k];
        if (p >= 0) skyline->last[p] = PL_MAX(skyline->last[p], skyline->last[k]);
    }
    place_columns(skyline);
}

void pl_skyline_fill(pl_skyline *skyline)
{
    for (int32_t k = 0; k < skyline->n; k++) {
        skyline->parent[k] = k + 1 < skyline->n ? k + 1 : -1;
        skyline->last[k] = skyline->n - 1;
    }
    place_columns(skyline);
}

double pl_skyline_factor_work(const pl_skyline *skyline)
{
    double sum = 0;
    for (int32_t k = 0; k < skyline->n; k++) {
        double below = skyline->last[k] - k;
        sum += 0.5 * below * (below + 3);
    }
    return sum;
}

void pl_skyline_path_cost(const pl_skyline *skyline, double multiplication, double step,
                          double *path)
{
    for (int32_t k = skyline->n - 1; k >= 0; k--) {
        int32_t p = skyline->parent[k];
        path[k] = p < 0 ? 0 : path[p] + step + 4 * multiplication * (skyline->last[p] - p + 1);
    }
}
