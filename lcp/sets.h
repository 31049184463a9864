// Sets of pivoting solvers: which rows are free, which are tight, what pivots. Internal.
//
// x of a tight row is at its bound; x of the free rows F solves the reduced system
//
//     M_FF x_F = -q_F - M_FT x_T                                                    [Ho22, 2.40]
//
// A row pivots [Ho22, 2.41-2.44] if it is free and beyond a bound, to that bound; or tight with w
// of the wrong sign, to free. The printed rule pivots on equality, too; here only what is above a
// tolerance in the unit of w does, with ways beyond a bound times M_ii: M_ii (lo - x) > tolerance.

#ifndef PL_LCP_SETS_H
#define PL_LCP_SETS_H

#include "lcp.h"

typedef enum pl_lcp_state { PL_LCP_FREE, PL_LCP_AT_LO, PL_LCP_AT_HI } pl_lcp_state;

typedef struct pl_lcp_sets {
    int32_t n, n_free;
    uint8_t *state; // (n) of pl_lcp_state
    int32_t *list;  // (n) the first n_free: the free rows, ascending
    int32_t *place; // (n) where a free row is in the list; -1: it is tight
} pl_lcp_sets;

// Takes memory; all rows are free.
pl_status pl_lcp_sets_make(pl_arena *arena, int32_t n, pl_lcp_sets *sets);

// Rows of x at a bound are tight there, all others free.
void pl_lcp_sets_start(const pl_lcp *lcp, const double *x, pl_lcp_sets *sets);

// Brings n_free, list and place up to date after states were changed.
void pl_lcp_sets_index(pl_lcp_sets *sets);

// x of tight rows := their bound.
void pl_lcp_sets_tighten(const pl_lcp *lcp, const pl_lcp_sets *sets, double *x);

// M_ii where that is above 0, else 1: makes a way in x comparable with w.
static inline double pl_lcp_scale(double diag)
{
    return diag > 0 ? diag : 1;
}

// The state that the rule gives to row i; what it has if it does not pivot. A row with lo = hi
// never does.
static inline pl_lcp_state pl_lcp_sets_next(const pl_lcp *lcp, const double *diag,
                                            const pl_lcp_sets *sets, const double *x,
                                            const double *w, double tolerance, int32_t i)
{
    pl_lcp_state state = (pl_lcp_state)sets->state[i];
    if (state == PL_LCP_FREE) {
        double scale = pl_lcp_scale(diag[i]);
        if (scale * (lcp->lo[i] - x[i]) > tolerance) return PL_LCP_AT_LO;
        if (scale * (x[i] - lcp->hi[i]) > tolerance) return PL_LCP_AT_HI;
        return PL_LCP_FREE;
    }
    bool wrong = state == PL_LCP_AT_LO ? w[i] < -tolerance : w[i] > tolerance;
    return wrong && lcp->lo[i] < lcp->hi[i] ? PL_LCP_FREE : state;
}

// How many rows the rule would pivot, and in *first the least of them (n if none is).
int32_t pl_lcp_sets_violations(const pl_lcp *lcp, const double *diag, const pl_lcp_sets *sets,
                               const double *x, const double *w, double tolerance, int32_t *first);

// A number for the states, the same for the same states.
uint64_t pl_lcp_sets_hash(const pl_lcp_sets *sets);

// A set of such numbers; begins as {0}.
typedef struct pl_lcp_visited {
    uint64_t *key;           // (capacity) 0: an empty place
    int64_t capacity, count; // capacity: 0 or a power of two
} pl_lcp_visited;

bool pl_lcp_visited_has(const pl_lcp_visited *visited, uint64_t key);
pl_status pl_lcp_visited_add(pl_arena *arena, pl_lcp_visited *visited, uint64_t key);

// Adaptive regularization [Ho22, Alg. 9]: free rows of friction that keep pivoting get softer.
typedef struct pl_lcp_softening {
    double *shift;    // (n) on the diagonal of M; NULL: there is none
    int64_t *pivoted; // (n) how often rows did
    int64_t *allowed; // (n) how often until the next shift
} pl_lcp_softening;

// Takes memory if options->regularize > 0, and otherwise sets {0}.
pl_status pl_lcp_softening_make(const pl_lcp *lcp, const pl_lcp_options *options, pl_arena *arena,
                                pl_lcp_softening *s);

static inline void pl_lcp_softening_count(pl_lcp_softening *s, int32_t i)
{
    if (s->pivoted != NULL) s->pivoted[i]++;
}

// To be called at the end of an outer iteration. Returns how many rows were shifted. The listing of
// [Ho22] shifts all rows; its section 5.4 says that only those of friction are.
int32_t pl_lcp_softening_update(const pl_lcp *lcp, const pl_lcp_options *options,
                                const pl_lcp_sets *sets, pl_lcp_softening *s);

// w += shift x.
static inline void pl_lcp_softening_add(const pl_lcp_softening *s, int32_t n, const double *x,
                                        double *w)
{
    for (int32_t i = 0; i < n && s->shift != NULL; i++) w[i] += s->shift[i] * x[i];
}

// M_FF in compressed columns, in the numbers of the list.
typedef struct pl_lcp_reduced {
    int32_t n;
    int64_t *col; // (n + 1)
    int32_t *row; // (col[n]) ascending in a column
    double *val;  // (col[n])
} pl_lcp_reduced;

// Takes room for all of M.
pl_status pl_lcp_reduced_make(pl_arena *arena, const pl_lcp *lcp, pl_lcp_reduced *reduced);

// M_FF, or its lower triangle with the diagonal; `shift` (lcp->n) is added to the diagonal where M
// has it, NULL: nothing is.
void pl_lcp_reduce(const pl_lcp *lcp, const pl_lcp_sets *sets, const double *shift, bool lower,
                   pl_lcp_reduced *reduced);

// b (n_free) := -q_F - M_FT x_T.
void pl_lcp_reduce_rhs(const pl_lcp *lcp, const pl_lcp_sets *sets, const double *x, double *b);

#endif
