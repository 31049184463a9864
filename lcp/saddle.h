// The saddle point system of a working set [Lit13, 2.6], factored once for many right-hand sides.
// Internal.
//
// A working set says which rows are tight. With A = (e_i) of the tight rows B, and F the free ones,
//
//     [M A; A^T 0] (x; lambda) = (c; b)
//
// has x_B = b, M_FF x_F = c_F - M_FB b and lambda = c_B - M_BF x_F - M_BB b [Lit13, Alg. 5.1; the
// last term is missing in the listing]. The text's rows are -e_i for x >= 0, so that its lambda has
// the other sign. Which bound a row is tight at changes b alone, not the matrix. With c = -q and
// b the bounds, lambda = -w of the tight rows.
//
// M_FF is factored as a band: in the order of rows as they are, or in that of pl_rcm if the band is
// narrower there. A band as wide as the matrix makes a dense factor of it.

#ifndef PL_SADDLE_H
#define PL_SADDLE_H

#include "band.h"
#include "sets.h"

// What a factor may take [bytes].
#define PL_SADDLE_MOST ((int64_t)1 << 32)

typedef struct pl_saddle pl_saddle;

// Something else that factors and solves in place of band.h, a device.
typedef struct pl_saddle_engine {
    void *user;
    // For the matrix of K, which stays as it is. What is made, *work, is the engine's to give back.
    // PL_ERROR_MEMORY: none, and band.h does it.
    pl_status (*open)(void *user, const pl_saddle *K, void **work);
    // Factors M_FF for the free rows of K, of half-bandwidth rho. *good := n_free, or less: it is
    // not positive definite.
    pl_status (*factor)(void *work, const pl_saddle *K, int32_t rho, int32_t *good);
    pl_status (*solve)(void *work, int32_t k, double *rhs); // (n_free * k) := M_FF^-1 of it
} pl_saddle_engine;

struct pl_saddle {
    const pl_lcp *lcp; // symmetric; q and bounds are not looked at
    pl_arena *arena;
    bool blocks;    // solves go by blocks, of many right-hand sides at once
    int32_t *order; // (n) rows in the order of elimination; NULL: as they are
    int32_t n_free;
    int32_t *row;   // (n) the first n_free: the free rows in that order
    int32_t *place; // (n) where a row is among them, -1: it is tight
    pl_band band;   // of M_FF
    double *rhs;    // (n_free * PL_SADDLE_BATCH) or (n_free) without blocks
    double *scratch;
    int64_t val_capacity, inverse_capacity, rhs_capacity, scratch_capacity;
    double (*clock)(void); // [s] what times below are taken with; pl_seconds
    // So far.
    int64_t factorizations, solves;
    double form_seconds, factor_seconds, solve_seconds;
    const pl_saddle_engine *engine; // NULL: band.h
    void *work;                     // the engine's
    pl_status status;               // its first failure in a solve, after which x is undefined
};

enum { PL_SADDLE_BATCH = 64 }; // right-hand sides at once

pl_status pl_saddle_create(const pl_lcp *lcp, bool blocks, pl_arena *arena, pl_saddle *out);

// Hands factors and solves to an engine from now on, or leaves them where the engine has no memory.
pl_status pl_saddle_use(pl_saddle *K, const pl_saddle_engine *engine);

// Factors for the working set `state` (n, of pl_lcp_state). *end := PL_LCP_N_END, or what came in
// between: PL_LCP_BREAKDOWN (M_FF is not positive definite), PL_LCP_SIZE.
pl_status pl_saddle_factor(pl_saddle *K, const uint8_t *state, pl_lcp_end *end);

// x (n) and, unless NULL, lambda (n; 0 in free rows) from c (n) and b (n; looked at in tight rows).
// x may be b, lambda may be c.
void pl_saddle_solve(pl_saddle *K, const double *c, const double *b, double *x, double *lambda);

// Solutions for k columns that border the system [Lit13, 3.5], one per row[i]: of a free row that
// becomes tight, (c; b) = (e_i; 0), of a tight row that becomes free, (0; e_i). x[i] (n) := the
// part x of it. Needs blocks.
void pl_saddle_columns(pl_saddle *K, int32_t k, const int32_t *rows, double *const *x);

// Row i of M times x (n).
double pl_saddle_row(const pl_saddle *K, int32_t i, const double *x);

#endif
