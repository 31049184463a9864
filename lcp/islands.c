// Islands of a complementarity problem.

#include "islands.h"

#include <string.h>

typedef struct islands {
    int32_t n;
    int32_t *first; // (n + 1) where each island starts in `rows`
    int32_t *rows;  // (lcp->n) by islands, ascending in each
    int32_t *place; // (lcp->n) of a row in its island
} islands;

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The root is the least row, so that islands are numbered by their least rows.
static void join(int32_t *parent, int32_t a, int32_t b)
{
    a = root_of(parent, a), b = root_of(parent, b);
    parent[PL_MAX(a, b)] = PL_MIN(a, b);
}

static pl_status find_islands(const pl_lcp *lcp, pl_arena *arena, islands *s)
{
    int32_t n = lcp->n, *parent = pl_arena_take(arena, n, sizeof *parent);
    s->first = pl_arena_take(arena, (int64_t)n + 2, sizeof *s->first);
    s->rows = pl_arena_take(arena, n, sizeof *s->rows);
    s->place = pl_arena_take(arena, n, sizeof *s->place);
    if (parent == NULL || s->first == NULL || s->rows == NULL || s->place == NULL) {
        return PL_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) parent[i] = i;
    for (int32_t j = 0; j < n; j++) {
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            if (lcp->val[k] != 0) join(parent, lcp->row[k], j);
        }
        if (pl_lcp_is_friction(lcp, j)) join(parent, j, lcp->normal[j]);
    }
    // Roots become numbers: a root is the least row of its island, and met first.
    memset(s->first, 0, ((size_t)n + 2) * sizeof *s->first);
    s->n = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t island = parent[i] == i ? s->n++ : s->place[root_of(parent, i)];
        s->place[i] = island;
        s->first[island + 2]++;
    }
    for (int32_t k = 0; k < s->n; k++) s->first[k + 2] += s->first[k + 1];
    for (int32_t i = 0; i < n; i++) {
        int32_t island = s->place[i], at = s->first[island + 1]++;
        s->rows[at] = i;
    }
    for (int32_t k = 0; k < s->n; k++) {
        for (int32_t r = s->first[k]; r < s->first[k + 1]; r++)
            s->place[s->rows[r]] = r - s->first[k];
    }
    return PL_OK;
}

// Room for an island of as many rows and entries as the whole.
typedef struct part {
    int64_t *col;
    int32_t *row, *normal;
    double *val, *q, *lo, *hi, *mu, *diag, *w, *x;
} part;

static pl_status make_part(const pl_lcp *lcp, pl_arena *arena, part *p)
{
    int64_t n = lcp->n, entries = lcp->col[n];
    *p = (part){.col = pl_arena_take(arena, n + 1, sizeof *p->col),
                .row = pl_arena_take(arena, entries, sizeof *p->row),
                .normal = pl_arena_take(arena, n, sizeof *p->normal),
                .val = pl_arena_take(arena, entries, sizeof *p->val),
                .q = pl_arena_take(arena, n, sizeof *p->q),
                .lo = pl_arena_take(arena, n, sizeof *p->lo),
                .hi = pl_arena_take(arena, n, sizeof *p->hi),
                .mu = pl_arena_take(arena, n, sizeof *p->mu),
                .diag = pl_arena_take(arena, n, sizeof *p->diag),
                .w = pl_arena_take(arena, n, sizeof *p->w),
                .x = pl_arena_take(arena, n, sizeof *p->x)};
    bool ok = p->col != NULL && p->row != NULL && p->normal != NULL && p->val != NULL &&
              p->q != NULL && p->lo != NULL && p->hi != NULL && p->mu != NULL && p->diag != NULL &&
              p->w != NULL && p->x != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// Island k as a problem of its own.
static pl_lcp extract(const pl_lcp *lcp, const islands *s, int32_t k, const double *diag,
                      const double *x, const part *p)
{
    int32_t n = s->first[k + 1] - s->first[k];
    int64_t at = 0;
    for (int32_t c = 0; c < n; c++) {
        int32_t j = s->rows[s->first[k] + c];
        p->col[c] = at;
        for (int64_t e = lcp->col[j]; e < lcp->col[j + 1]; e++) {
            if (lcp->val[e] == 0 && lcp->row[e] != j) continue; // it may be of another island
            p->row[at] = s->place[lcp->row[e]];
            p->val[at++] = lcp->val[e];
        }
        p->q[c] = lcp->q[j], p->lo[c] = lcp->lo[j], p->hi[c] = lcp->hi[j];
        p->diag[c] = diag[j], p->x[c] = x[j];
        p->normal[c] = pl_lcp_is_friction(lcp, j) ? s->place[lcp->normal[j]] : -1;
        if (lcp->mu != NULL) p->mu[c] = lcp->mu[j];
    }
    p->col[n] = at;
    return (pl_lcp){.n = n,
                    .col = p->col,
                    .row = p->row,
                    .val = p->val,
                    .symmetric = lcp->symmetric,
                    .q = p->q,
                    .lo = p->lo,
                    .hi = p->hi,
                    .normal = lcp->normal != NULL ? p->normal : NULL,
                    .mu = lcp->mu != NULL ? p->mu : NULL};
}

static void add(const pl_lcp_stats *part, int32_t n_part, int32_t n, pl_lcp_stats *sum)
{
    if (sum->end == PL_LCP_SOLVED) sum->end = part->end;
    sum->iterations += part->iterations;
    sum->inner += part->inner;
    sum->pivots += part->pivots;
    sum->factorizations += part->factorizations;
    sum->updates += part->updates;
    sum->solves += part->solves;
    sum->fallbacks += part->fallbacks;
    sum->shifts += part->shifts;
    sum->imaginary += part->imaginary * n_part / n; // by rows
}

pl_status pl_lcp_solve_islands(const pl_lcp_solver *solver, const pl_lcp *lcp,
                               const pl_lcp_options *options, pl_lcp_work *work, double *x,
                               pl_lcp_stats *stats)
{
    islands s = {0};
    part p;
    PL_TRY(find_islands(lcp, work->arena, &s));
    if (s.n <= 1) return solver->solve(lcp, options, work, x, stats);
    PL_TRY(make_part(lcp, work->arena, &p));
    pl_arena_mark mark = pl_arena_here(work->arena);
    stats->end = PL_LCP_SOLVED;
    for (int32_t k = 0; k < s.n; k++) {
        pl_lcp island = extract(lcp, &s, k, work->diag, x, &p);
        pl_lcp_work part_work = {work->arena, p.diag, p.w, work->started};
        pl_lcp_stats part_stats = {.end = PL_LCP_BREAKDOWN};
        PL_TRY(solver->solve(&island, options, &part_work, p.x, &part_stats));
        for (int32_t c = 0; c < island.n; c++) x[s.rows[s.first[k] + c]] = p.x[c];
        add(&part_stats, island.n, lcp->n, stats);
        pl_arena_back(work->arena, mark);
    }
    return PL_OK;
}
