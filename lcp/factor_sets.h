// Solves with M_FF while the set F of free rows changes: by a new factor, by removing the tight
// rows from that of all rows, from a cache, or by whichever of them costs least [Lef20, 2, 3].
// Internal.

#ifndef PL_FACTOR_SETS_H
#define PL_FACTOR_SETS_H

#include "dense.h"
#include "factor_cache.h"
#include "sets.h"

typedef enum pl_factor_way {
    PL_FACTOR_ANEW,   // a factor of M_FF each time
    PL_FACTOR_REMOVE, // copy that of M and remove the tight rows, each time [Lef20, Alg. 2.2]
    PL_FACTOR_CACHE,  // the same from the nearest factor kept [Lef20, Alg. 3.1]
    PL_FACTOR_CHOOSE, // the cheapest of: anew, from that of M, from the last one
} pl_factor_way;

// What it takes, where a multiplication of a new factor takes 1 (about 0.15 ns): a multiplication
// of a removal; a column that a removal comes to, which waits for the one before, as a share of a
// few rows that are removed together; an entry of a copy, from a cache or from memory; an entry of
// M that is read for a new factor. The first and the third by `pliant bench lcp` on 100 to 800
// dense rows (0.32 to 0.39; 1 to 5), the others by bands of 2 to 80 in 400 rows (3 ns; 3 ns in a
// dense matrix, 10 to 16 in a band whose order has no meaning).
#define PL_REMOVAL_COST 0.35
#define PL_STEP_COST 25.0
#define PL_COPY_COST 4.0
#define PL_ENTRY_COST 40.0

typedef struct pl_factor_sets {
    const pl_lcp *lcp;
    pl_factor_way way;
    bool narrow;        // rows by reverse Cuthill-McKee, columns as long as their skyline
    int32_t *order;     // (lcp->n) of elimination
    pl_skyline all;     // of all rows
    pl_skyline some[2]; // of free rows: that of `work` if it was made anew, and one to try
    int32_t *place;     // (lcp->n) in `all`
    int32_t *place_some[2];
    int32_t *root;             // (lcp->n) scratch
    double *path;              // (lcp->n) what removing a row from `all` by itself costs
    int32_t *before;           // (lcp->n + 1) scratch
    uint8_t *tight;            // (lcp->n) by place in `all`
    double *shift;             // (lcp->n) of M's diagonal, as factored
    bool has_base, failed;     // is the factor of all rows there? Is M not positive definite?
    bool has_work;             // was `work` made for the shift?
    int32_t current;           // of `some`, if `work` has it
    double regret;             // what a factor of all rows would have saved so far
    pl_factor base, work;      // of all rows; of the last set, and changed for the next
    const pl_factor *now;      // of these: what `solve` solves with
    pl_factor_cache cache;     // of PL_FACTOR_CACHE
    int64_t made, taken, kept; // factors from scratch; rows removed; sets that went on from `work`
    double read;               // entries of M
    int32_t n_free;            // of the sets factored last,
    int32_t *list;             // (lcp->n) and their free rows
    double *x;                 // (lcp->n) scratch
} pl_factor_sets;

// Sets *end to PL_LCP_SIZE, and makes nothing, if factors would take more than PL_DENSE_MOST.
pl_status pl_factor_sets_make(pl_factor_sets *f, const pl_lcp *lcp, pl_factor_way way, bool narrow,
                              int64_t cache_bytes, pl_arena *arena, pl_lcp_end *end);

// As in pl_bpp_linear. False: M_FF is not positive definite.
bool pl_factor_sets_factor(pl_factor_sets *f, const pl_lcp_sets *sets, const double *shift);
void pl_factor_sets_solve(pl_factor_sets *f, double *b);

// What all of it has cost so far, in multiplications of new factors; solves are not counted.
double pl_factor_sets_cost(const pl_factor_sets *f);

#endif
