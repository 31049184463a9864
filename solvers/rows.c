#include "rows.h"

#include <math.h>
#include <string.h>

enum { CHUNK_CONTACTS = 256 }; // or blocks: what a thread takes at least

// --- Where blocks stand ---

// at (A.n) is scratch: first how often a block is used, then where its next use goes.
static void count_uses(const pl_problem *problem, int32_t *at)
{
    memset(at, 0, (size_t)problem->A->n * sizeof *at);
    for (int32_t t = 0; t < problem->n_term; t++) {
        if (!pl_is_prescribed(problem, problem->entry[t].block)) at[problem->entry[t].block]++;
    }
}

pl_status pl_uses_create(const pl_problem *problem, pl_arena *arena, pl_uses *out)
{
    int32_t n_block = problem->A->n;
    int64_t n = PL_MIN(problem->n_term, n_block);
    *out = (pl_uses){0};
    out->block = pl_arena_take(arena, n, sizeof *out->block);
    out->start = pl_arena_take(arena, n + 1, sizeof *out->start);
    out->use = pl_arena_take(arena, problem->n_term, sizeof *out->use);
    int32_t *at = pl_arena_take(arena, n_block, sizeof *at);
    if (out->block == NULL || out->start == NULL || out->use == NULL || at == NULL) {
        return PL_ERROR_MEMORY;
    }
    count_uses(problem, at);
    int32_t sum = 0;
    for (int32_t i = 0; i < n_block; i++) {
        if (at[i] == 0) continue;
        out->block[out->n] = i;
        out->start[out->n++] = sum;
        int32_t count = at[i];
        at[i] = sum;
        sum += count;
    }
    out->start[out->n] = sum;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            int32_t block = problem->entry[t].block;
            if (!pl_is_prescribed(problem, block)) out->use[at[block]++] = (pl_use){k, t};
        }
    }
    return PL_OK;
}

// --- Products ---

// The r of an entry; NULL if it has none.
static inline const double *arm_of(const pl_problem *problem, const pl_entry *entry)
{
    return entry->arm >= 0 ? problem->arm + 3 * (int64_t)entry->arm : NULL;
}

// u (3) := the frame's components of the sum of the terms.
static inline void multiply_contact(const pl_problem *problem, const pl_constraint *constraint,
                                    const double *restrict v, double *restrict u)
{
    double sum[3] = {0};
    const pl_entry *first = problem->entry + constraint->first;
    for (const pl_entry *entry = first; entry < first + constraint->count; entry++) {
        pl_term_add(entry->w, arm_of(problem, entry), pl_entry_stretch(problem, entry),
                    v + 3 * (int64_t)entry->block, sum);
    }
    pl_frame_from_world(constraint->R, sum, u);
}

typedef struct product {
    const pl_problem *problem;
    const uint8_t *rows;
    bool offset;
    const double *v;
    double *u;
} product;

static void multiply_contacts(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    for (int64_t k = first; k < last; k++) {
        const pl_constraint *constraint = p->problem->constraint + k;
        double *u = p->u + 3 * k;
        unsigned mask = p->rows == NULL ? PL_ROWS_ALL : p->rows[k];
        if (mask != 0) multiply_contact(p->problem, constraint, p->v, u);
        for (int a = 0; a < 3; a++) {
            if (p->offset) u[a] -= constraint->c[a];
            if ((mask >> a & 1) == 0) u[a] = 0;
        }
    }
}

void pl_rows_multiply(const pl_problem *problem, const uint8_t *rows, bool offset, const double *v,
                      double *u)
{
    pl_loop(problem->n_constraint, CHUNK_CONTACTS, multiply_contacts,
            &(product){problem, rows, offset, v, u});
}

// y += scale L^T f, or y := L^T f.
typedef struct transpose {
    const pl_problem *problem;
    const pl_uses *uses;
    double scale;
    const double *f;
    double *world, *y;
} transpose;

static void turn_to_world(void *context, int64_t first, int64_t last)
{
    const transpose *t = context;
    for (int64_t k = first; k < last; k++) {
        pl_frame_to_world(t->problem->constraint[k].R, t->f + 3 * k, t->world + 3 * k);
    }
}

// y (3) := L^T of the world's impulses in a block of `uses`.
static inline void add_up(const pl_problem *problem, const pl_uses *uses, const double *world,
                          int32_t i, double *y)
{
    double sum[3] = {0};
    for (int32_t j = uses->start[i]; j < uses->start[i + 1]; j++) {
        const pl_entry *entry = problem->entry + uses->use[j].term;
        pl_term_push(entry->w, arm_of(problem, entry), pl_entry_stretch(problem, entry),
                     world + 3 * (int64_t)uses->use[j].constraint, sum);
    }
    memcpy(y, sum, sizeof sum);
}

static void set_blocks(void *context, int64_t first, int64_t last)
{
    const transpose *t = context;
    for (int64_t i = first; i < last; i++) {
        add_up(t->problem, t->uses, t->world, (int32_t)i, t->y + 3 * i);
    }
}

void pl_rows_transpose(const pl_problem *problem, const pl_uses *uses, const double *f,
                       double *world, double *y)
{
    const transpose t = {problem, uses, 1, f, world, y};
    pl_loop(problem->n_constraint, CHUNK_CONTACTS, turn_to_world, &t);
    pl_loop(uses->n, CHUNK_CONTACTS, set_blocks, &t);
}

static void add_to_blocks(void *context, int64_t first, int64_t last)
{
    const transpose *t = context;
    for (int64_t i = first; i < last; i++) {
        double sum[3], *y = t->y + 3 * (int64_t)t->uses->block[i];
        add_up(t->problem, t->uses, t->world, (int32_t)i, sum);
        for (int k = 0; k < 3; k++) y[k] += t->scale * sum[k];
    }
}

void pl_rows_transpose_add(const pl_problem *problem, const pl_uses *uses, double scale,
                           const double *f, double *world, double *y)
{
    const transpose t = {problem, uses, scale, f, world, y};
    pl_loop(problem->n_constraint, CHUNK_CONTACTS, turn_to_world, &t);
    pl_loop(uses->n, CHUNK_CONTACTS, add_to_blocks, &t);
}

// --- Blocks of L D^-1 L^T ---

void pl_contact_block(const pl_problem *problem, const pl_block_jacobi *D, int32_t k, double *S)
{
    const pl_constraint *constraint = problem->constraint + k;
    const pl_entry *first = problem->entry + constraint->first, *last = first + constraint->count;
    double M[6] = {0};
    memset(S, 0, 9 * sizeof *S);
    for (const pl_entry *t = first; t < last; t++) {
        const double *inv = D->inv + 6 * (int64_t)t->block;
        if (t->arm >= 0) {
            double G[9];
            pl_entry_rows(problem, constraint, t, G);
            pl_add_response(G, inv, G, S);
        } else {
            for (int e = 0; e < 6; e++) M[e] += t->w * t->w * inv[e];
        }
    }
    pl_add_response(constraint->R, M, constraint->R, S);
    S[1] = S[3], S[2] = S[6], S[5] = S[7];
}

static double weight_of(const pl_problem *problem, const pl_entry *entry)
{
    if (entry->arm < 0) return fabs(entry->w);
    const double *r = problem->arm + 3 * (int64_t)entry->arm;
    const double *S = pl_entry_stretch(problem, entry);
    double weight = fabs(entry->w) + sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    if (S == NULL) return weight;
    return weight + sqrt((S[0] * S[0] + S[3] * S[3] + S[5] * S[5]) +
                         2 * (S[1] * S[1] + S[2] * S[2] + S[4] * S[4]));
}

// Where contacts share a block, each counts with its part of the weights there.
typedef struct scales {
    const pl_problem *problem;
    const pl_block_jacobi *D;
    const pl_uses *uses;
    double *sum, *scale;
} scales;

static void sum_weights(void *context, int64_t first, int64_t last)
{
    const scales *s = context;
    const pl_uses *uses = s->uses;
    for (int64_t i = first; i < last; i++) {
        double *total = s->sum + uses->block[i];
        *total = 0;
        for (int32_t j = uses->start[i]; j < uses->start[i + 1]; j++) {
            *total += weight_of(s->problem, s->problem->entry + uses->use[j].term);
        }
    }
}

static void scale_contacts(void *context, int64_t first, int64_t last)
{
    const scales *s = context;
    const pl_problem *problem = s->problem;
    for (int64_t k = first; k < last; k++) {
        const pl_constraint *constraint = problem->constraint + k;
        double M[6] = {0}, S[9] = {0};
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            const pl_entry *entry = problem->entry + t;
            double own = weight_of(problem, entry);
            if (own == 0 || pl_is_prescribed(problem, entry->block)) continue;
            double share = s->sum[entry->block] / own, inv[6];
            const double *D_inv = s->D->inv + 6 * (int64_t)entry->block;
            for (int e = 0; e < 6; e++) inv[e] = share * D_inv[e];
            if (entry->arm >= 0) {
                double G[9];
                pl_entry_rows(problem, constraint, entry, G);
                pl_add_response(G, inv, G, S);
            } else {
                for (int e = 0; e < 6; e++) M[e] += entry->w * entry->w * inv[e];
            }
        }
        pl_add_response(constraint->R, M, constraint->R, S);
        s->scale[2 * k] = S[0];
        s->scale[2 * k + 1] = 0.5 * (S[4] + S[8]);
        const pl_limits *limits = pl_limits_of(problem, constraint);
        if (limits == NULL || limits->law != PL_LAW_BOX) continue;
        double most = 0;
        for (int a = 0; a < 3; a++) {
            if (limits->lo[a] < limits->hi[a]) most = PL_MAX(most, S[4 * a]);
        }
        s->scale[2 * k] = s->scale[2 * k + 1] = most;
    }
}

void pl_contact_scales(const pl_problem *problem, const pl_block_jacobi *D, const pl_uses *uses,
                       double *sum, double *scale)
{
    const scales s = {problem, D, uses, sum, scale};
    pl_loop(uses->n, CHUNK_CONTACTS, sum_weights, &s);
    pl_loop(problem->n_constraint, CHUNK_CONTACTS, scale_contacts, &s);
}
