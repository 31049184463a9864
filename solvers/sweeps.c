#include "sweeps.h"
#include "coulomb.h"

#include <math.h>
#include <string.h>

enum {
    // Below this many contacts one thread is faster than starting several.
    SERIAL_CONTACTS = 1024,
    // A colour with fewer is done by one thread, which the others wait for.
    SERIAL_COLOR = 64,
};

// S of a contact may be singular where a lever arm alone answers: this much of its trace is added.
static const double REGULARIZE = 1e-12;

// --- Colours ---

// color (n_contact) := the first colour that no contact before has in one of its blocks, found by
// masks of the colours in each block (scratch, A.n); PL_COLORS where no block answers.
static void paint(const pl_problem *problem, const double *scale, uint64_t *mask, uint8_t *color)
{
    memset(mask, 0, (size_t)problem->A->n * sizeof *mask);
    for (int32_t k = 0; k < problem->n_contact; k++) {
        const pl_contact *contact = problem->contact + k;
        const pl_term *first = problem->term + contact->first, *last = first + contact->count;
        uint64_t taken = 0;
        for (const pl_term *t = first; t < last; t++) {
            if (!pl_is_known(problem, t->block)) taken |= mask[t->block];
        }
        int c = ~taken == 0 ? PL_COLORS - 1 : PL_MIN(__builtin_ctzll(~taken), PL_COLORS - 1);
        color[k] = (uint8_t)(scale[2 * (int64_t)k] > 0 ? c : PL_COLORS);
        if (color[k] == PL_COLORS) continue;
        for (const pl_term *t = first; t < last; t++) mask[t->block] |= (uint64_t)1 << c;
    }
}

// --- Nodes ---

static void fill_node(const pl_problem *problem, const pl_block_jacobi *D, const double *v,
                      int32_t k, pl_sweep_node *node, pl_sweep_link *link)
{
    const pl_contact *contact = problem->contact + k;
    node->mu = contact->mu;
    node->contact = k;
    node->count = 0;
    memcpy(node->c, contact->c, sizeof node->c);
    pl_contact_block(problem, D, k, node->S);
    double trace = node->S[0] + node->S[4] + node->S[8];
    for (int a = 0; a < 3; a++) node->S[4 * a] += REGULARIZE * trace;
    for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
        pl_sweep_link *to = link + node->count;
        to->block = problem->term[t].block;
        pl_term_rows(contact, problem->term + t, to->G);
        if (pl_is_known(problem, to->block)) {
            const double *x = v + 3 * (int64_t)to->block, *G = to->G;
            for (int a = 0; a < 3; a++, G += 3) {
                node->c[a] -= G[0] * x[0] + G[1] * x[1] + G[2] * x[2];
            }
        } else {
            pl_term_response(D->inv + 6 * (int64_t)to->block, to->G, to->H);
            node->count++;
        }
    }
}

pl_status pl_sweeps_create(const pl_problem *problem, const pl_block_jacobi *D, const double *scale,
                           const double *v, pl_arena *arena, pl_sweeps *out)
{
    int64_t n_contact = problem->n_contact;
    *out = (pl_sweeps){0};
    out->node = pl_arena_take(arena, n_contact, sizeof *out->node);
    out->link = pl_arena_take(arena, problem->n_term, sizeof *out->link);
    uint8_t *color = pl_arena_take(arena, n_contact, sizeof *color);
    uint64_t *mask = pl_arena_take(arena, problem->A->n, sizeof *mask);
    if (out->node == NULL || out->link == NULL || color == NULL || mask == NULL) {
        return PL_ERROR_MEMORY;
    }
    paint(problem, scale, mask, color);
    int32_t n_link = 0;
    for (int c = 0; c < PL_COLORS; c++) {
        for (int32_t k = 0; k < n_contact; k++) {
            if (color[k] != c) continue;
            pl_sweep_node *node = out->node + out->n++;
            node->first = n_link;
            fill_node(problem, D, v, k, node, out->link + n_link);
            n_link += node->count;
        }
        out->color[c + 1] = out->n;
    }
    return PL_OK;
}

// --- Sweeps ---

// Solves one contact with all others held; returns the change of relative velocity that its new
// impulse makes.
static double relax(const pl_sweep_node *node, const pl_sweep_link *link, double *restrict v,
                    double *restrict f)
{
    double u[3] = {-node->c[0], -node->c[1], -node->c[2]};
    for (int32_t l = 0; l < node->count; l++) {
        const double *G = link[l].G, *x = v + 3 * (int64_t)link[l].block;
        for (int a = 0; a < 3; a++) {
            u[a] += G[3 * a] * x[0] + G[3 * a + 1] * x[1] + G[3 * a + 2] * x[2];
        }
    }
    const double *S = node->S;
    double q[3], next[3], d[3];
    for (int a = 0; a < 3; a++) {
        q[a] = u[a] - (S[3 * a] * f[0] + S[3 * a + 1] * f[1] + S[3 * a + 2] * f[2]);
    }
    pl_coulomb_solve(S, q, node->mu, next);
    for (int a = 0; a < 3; a++) {
        d[a] = next[a] - f[a];
        f[a] = next[a];
    }
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) return 0;
    for (int32_t l = 0; l < node->count; l++) {
        const double *H = link[l].H;
        double *x = v + 3 * (int64_t)link[l].block;
        for (int i = 0; i < 3; i++) {
            x[i] += H[3 * i] * d[0] + H[3 * i + 1] * d[1] + H[3 * i + 2] * d[2];
        }
    }
    return fmax(S[0] * fabs(d[0]),
                sqrt((S[4] * d[1]) * (S[4] * d[1]) + (S[8] * d[2]) * (S[8] * d[2])));
}

static double relax_range(const pl_sweeps *sweeps, int32_t first, int32_t last, double *v,
                          double *f)
{
    double most = 0;
    for (int32_t i = first; i < last; i++) {
        const pl_sweep_node *node = sweeps->node + i;
        double change = relax(node, sweeps->link + node->first, v, f + 3 * (int64_t)node->contact);
        most = fmax(most, change);
    }
    return most;
}

static double sweep_serial(const pl_sweeps *sweeps, double *v, double *f)
{
    return relax_range(sweeps, 0, sweeps->n, v, f);
}

static double sweep_parallel(const pl_sweeps *sweeps, double *v, double *f)
{
    double most = 0;
#pragma omp parallel reduction(max : most)
    for (int c = 0; c < PL_COLORS && sweeps->color[c] < sweeps->n; c++) {
        int32_t first = sweeps->color[c], last = sweeps->color[c + 1];
        if (last - first < SERIAL_COLOR || c == PL_COLORS - 1) {
#pragma omp single
            most = fmax(most, relax_range(sweeps, first, last, v, f));
        } else {
#pragma omp for schedule(static)
            for (int32_t i = first; i < last; i++) {
                most = fmax(most, relax_range(sweeps, i, i + 1, v, f));
            }
        }
    }
    return most;
}

int32_t pl_sweeps_run(const pl_sweeps *sweeps, int32_t n, double enough, double *v, double *f)
{
    for (int32_t s = 0; s < n; s++) {
        double change =
            sweeps->n < SERIAL_CONTACTS ? sweep_serial(sweeps, v, f) : sweep_parallel(sweeps, v, f);
        if (change <= enough) return s + 1;
    }
    return n;
}
