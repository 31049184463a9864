#include "sweeps.h"
#include "coulomb.h"

#include <math.h>
#include <string.h>

enum {
    // Below this many contacts one thread is faster than starting several.
    SERIAL_CONTACTS = 1024,
    // A colour with fewer is done by one thread, which the others wait for.
    SERIAL_COLOR = 64,
    // A block with more contacts carries its velocity. A link costs as much as 2 blocks of S.
    MANY_USES = 32,
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
        int c = ~taken == 0 ? PL_COLORS - 1 : __builtin_ctzll(~taken);
        color[k] = (uint8_t)(scale[2 * (int64_t)k] > 0 ? c : PL_COLORS);
        if (color[k] == PL_COLORS) continue;
        for (const pl_term *t = first; t < last; t++) mask[t->block] |= (uint64_t)1 << c;
    }
}

// --- S ---

// What building S needs.
typedef struct builder {
    const pl_problem *problem;
    const pl_block_jacobi *D;
    const pl_uses *uses;
    uint8_t *color; // (n_contact)
    uint64_t *mask; // (A.n)
    int32_t *place; // (A.n) where a block stands in `uses`, or -1
    int32_t *node;  // (n_contact) of a contact, or -1
    int32_t *mark;  // (n_contact) the last row that has a block in this column,
    int32_t *at;    // (n_contact) and where it is
    double *G, *H;  // (9*n_term)
} builder;

static pl_status builder_create(const pl_problem *problem, pl_arena *arena, builder *b)
{
    int64_t n = problem->A->n, n_contact = problem->n_contact, n_term = problem->n_term;
    b->problem = problem;
    b->color = pl_arena_take(arena, n_contact, sizeof *b->color);
    b->mask = pl_arena_take(arena, n, sizeof *b->mask);
    b->place = pl_arena_take(arena, n, sizeof *b->place);
    b->node = pl_arena_take(arena, n_contact, sizeof *b->node);
    b->mark = pl_arena_take(arena, n_contact, sizeof *b->mark);
    b->at = pl_arena_take(arena, n_contact, sizeof *b->at);
    b->G = pl_arena_take(arena, 9 * n_term, sizeof *b->G);
    b->H = pl_arena_take(arena, 9 * n_term, sizeof *b->H);
    bool all = b->color != NULL && b->mask != NULL && b->place != NULL && b->node != NULL &&
               b->mark != NULL && b->at != NULL && b->G != NULL && b->H != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static int32_t count_uses(const builder *b, int32_t block)
{
    int32_t i = b->place[block];
    return i < 0 ? 0 : b->uses->start[i + 1] - b->uses->start[i];
}

static void index_all(const builder *b, const pl_sweeps *out)
{
    for (int32_t i = 0; i < b->problem->A->n; i++) b->place[i] = -1;
    for (int32_t i = 0; i < b->uses->n; i++) b->place[b->uses->block[i]] = i;
    for (int32_t k = 0; k < b->problem->n_contact; k++) b->node[k] = b->mark[k] = -1;
    for (int32_t i = 0; i < out->n; i++) b->node[out->node[i].contact] = i;
    for (int32_t k = 0; k < b->problem->n_contact; k++) {
        const pl_contact *contact = b->problem->contact + k;
        for (int64_t t = contact->first; t < contact->first + contact->count; t++) {
            const pl_term *term = b->problem->term + t;
            pl_term_rows(contact, term, b->G + 9 * t);
            pl_term_response(b->D->inv + 6 * (int64_t)term->block, b->G + 9 * t, b->H + 9 * t);
        }
    }
}

// Nodes in the order of their colours.
static void order(const builder *b, pl_sweeps *out)
{
    for (int c = 0; c < PL_COLORS; c++) {
        for (int32_t k = 0; k < b->problem->n_contact; k++) {
            if (b->color[k] == c) out->node[out->n++].contact = k;
        }
        out->color[c + 1] = out->n;
    }
}

// No more blocks than this, and links: one for each pair of uses of a block with few.
static void bound_sizes(const builder *b, int64_t *n_block, int64_t *n_link)
{
    *n_block = *n_link = 0;
    for (int32_t i = 0; i < b->uses->n; i++) {
        int64_t n = b->uses->start[i + 1] - b->uses->start[i];
        *n_block += n <= MANY_USES ? n * (n - 1) : 0;
        *n_link += n > MANY_USES ? n : 0;
    }
}

// Adds G H' to the block of S in the row of `node`, at the end of which it is made if it is new.
static void add_block(const builder *b, pl_sweeps *out, int32_t i, int32_t term,
                      const pl_use *other)
{
    pl_sweep_node *node = out->node + i;
    if (b->mark[other->contact] != i) {
        b->mark[other->contact] = i;
        b->at[other->contact] = node->row + node->n_row;
        out->col[node->row + node->n_row] = b->node[other->contact];
        memset(out->val + 9 * (int64_t)(node->row + node->n_row), 0, 9 * sizeof *out->val);
        node->n_row++;
    }
    double *M = out->val + 9 * (int64_t)b->at[other->contact];
    const double *G = b->G + 9 * (int64_t)term, *H = b->H + 9 * (int64_t)other->term;
    for (int e = 0; e < 9; e++) {
        const double *g = G + e / 3 * 3, *h = H + e % 3;
        M[e] += g[0] * h[0] + g[1] * h[3] + g[2] * h[6];
    }
}

static void fill_node(const builder *b, pl_sweeps *out, int32_t i, int32_t row, int32_t link)
{
    pl_sweep_node *node = out->node + i;
    const pl_contact *contact = b->problem->contact + node->contact;
    *node = (pl_sweep_node){.contact = node->contact, .mu = contact->mu, .row = row, .link = link};
    pl_contact_block(b->problem, b->D, node->contact, node->S);
    double trace = node->S[0] + node->S[4] + node->S[8];
    for (int a = 0; a < 3; a++) node->S[4 * a] += REGULARIZE * trace;
    for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
        int32_t block = b->problem->term[t].block, place = b->place[block];
        if (count_uses(b, block) > MANY_USES) {
            pl_sweep_link *to = out->link + link + node->n_link++;
            memcpy(to->G, b->G + 9 * (int64_t)t, sizeof to->G);
            memcpy(to->H, b->H + 9 * (int64_t)t, sizeof to->H);
            to->block = block;
        } else if (place >= 0) { // not known
            for (int32_t j = b->uses->start[place]; j < b->uses->start[place + 1]; j++) {
                const pl_use *use = b->uses->use + j;
                if (use->contact != node->contact) add_block(b, out, i, t, use);
            }
        }
    }
}

static pl_status take(const builder *b, pl_arena *arena, pl_sweeps *out)
{
    int64_t n_block, n_link, n = out->n;
    bound_sizes(b, &n_block, &n_link);
    if (n_block > INT32_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "contacts share too many blocks: %lld pairs",
                       (long long)n_block);
    }
    out->col = pl_arena_take(arena, n_block, sizeof *out->col);
    out->val = pl_arena_take(arena, 9 * n_block, sizeof *out->val);
    out->link = pl_arena_take(arena, n_link, sizeof *out->link);
    out->u0 = pl_arena_take(arena, 3 * n, sizeof *out->u0);
    out->f = pl_arena_take(arena, 3 * n, sizeof *out->f);
    out->carry = pl_arena_take(arena, 3 * (int64_t)b->problem->A->n, sizeof *out->carry);
    bool all = out->col != NULL && out->val != NULL && out->link != NULL && out->u0 != NULL &&
               out->f != NULL && out->carry != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_sweeps_create(const pl_problem *problem, const pl_block_jacobi *D, const pl_uses *uses,
                           const double *scale, pl_arena *arena, pl_sweeps *out)
{
    *out = (pl_sweeps){0};
    builder b = {.D = D, .uses = uses};
    PL_TRY(builder_create(problem, arena, &b));
    out->node = pl_arena_take(arena, problem->n_contact, sizeof *out->node);
    if (out->node == NULL) return PL_ERROR_MEMORY;
    paint(problem, scale, b.mask, b.color);
    order(&b, out);
    index_all(&b, out);
    PL_TRY(take(&b, arena, out));
    int32_t row = 0, link = 0;
    for (int32_t i = 0; i < out->n; i++) {
        fill_node(&b, out, i, row, link);
        row += out->node[i].n_row;
        link += out->node[i].n_link;
    }
    return PL_OK;
}

// --- Sweeps ---

// Component a of u0 + S f without the diagonal block, for a node.
static inline double gather(const pl_sweeps *sweeps, const pl_sweep_node *node, int64_t i, int a)
{
    double u = sweeps->u0[3 * i + a];
    const int32_t *col = sweeps->col + node->row;
    const double *val = sweeps->val + 9 * (int64_t)node->row + 3 * a;
    for (int32_t j = 0; j < node->n_row; j++, val += 9) {
        const double *f = sweeps->f + 3 * (int64_t)col[j];
        u += (val[0] * f[0] + val[1] * f[1]) + val[2] * f[2];
    }
    return u;
}

// q (3) := u0 + S f of all but the node's own impulse, which links contain and S's rows do not.
static void gather_links(const pl_sweeps *sweeps, const pl_sweep_node *node, const double *f,
                         double *q)
{
    const pl_sweep_link *link = sweeps->link + node->link;
    for (int32_t l = 0; l < node->n_link; l++) {
        const double *x = sweeps->carry + 3 * (int64_t)link[l].block, *H = link[l].H;
        double others[3];
        for (int i = 0; i < 3; i++) {
            others[i] = x[i] - (H[3 * i] * f[0] + H[3 * i + 1] * f[1] + H[3 * i + 2] * f[2]);
        }
        for (int a = 0; a < 3; a++) {
            const double *G = link[l].G + 3 * a;
            q[a] += G[0] * others[0] + G[1] * others[1] + G[2] * others[2];
        }
    }
}

// Adds the velocity that an impulse d makes in the blocks of a node's links.
static void carry(const pl_sweeps *sweeps, const pl_sweep_node *node, const double *d)
{
    const pl_sweep_link *link = sweeps->link + node->link;
    for (int32_t l = 0; l < node->n_link; l++) {
        double *x = sweeps->carry + 3 * (int64_t)link[l].block;
        const double *H = link[l].H;
        for (int i = 0; i < 3; i++) {
            x[i] += H[3 * i] * d[0] + H[3 * i + 1] * d[1] + H[3 * i + 2] * d[2];
        }
    }
}

// Solves contact i with all others held; returns the change of its relative velocity that its new
// impulse makes.
static double relax(const pl_sweeps *sweeps, int64_t i)
{
    pl_sweep_node *node = sweeps->node + i;
    double *f = sweeps->f + 3 * i, q[3] = {gather(sweeps, node, i, 0), 0, 0}, next[3], d[3];
    bool open = f[0] == 0 && node->n_link == 0 && q[0] >= 0; // and stays so
    if (open) return 0;
    q[1] = gather(sweeps, node, i, 1);
    q[2] = gather(sweeps, node, i, 2);
    if (node->n_link > 0) gather_links(sweeps, node, f, q);
    pl_coulomb_solve(node->S, q, node->mu, &node->ratio, next);
    for (int a = 0; a < 3; a++) {
        d[a] = next[a] - f[a];
        f[a] = next[a];
    }
    if (node->n_link > 0) carry(sweeps, node, d);
    double dn = node->S[0] * fabs(d[0]), d1 = node->S[4] * d[1], d2 = node->S[8] * d[2];
    double dt = sqrt(d1 * d1 + d2 * d2);
    return PL_MAX(dn, dt);
}

static double relax_range(const pl_sweeps *sweeps, int32_t first, int32_t last)
{
    double most = 0;
    for (int32_t i = first; i < last; i++) {
        double change = relax(sweeps, i);
        most = PL_MAX(most, change);
    }
    return most;
}

static double sweep_parallel(const pl_sweeps *sweeps)
{
    double most = 0;
#pragma omp parallel reduction(max : most)
    for (int c = 0; c < PL_COLORS && sweeps->color[c] < sweeps->n; c++) {
        int32_t first = sweeps->color[c], last = sweeps->color[c + 1];
        if (last - first < SERIAL_COLOR || c == PL_COLORS - 1) {
#pragma omp single
            {
                double change = relax_range(sweeps, first, last);
                most = PL_MAX(most, change);
            }
        } else {
#pragma omp for schedule(static)
            for (int32_t i = first; i < last; i++) {
                double change = relax(sweeps, i);
                most = PL_MAX(most, change);
            }
        }
    }
    return most;
}

// u0 and f by node, and what links carry.
static void load(pl_sweeps *sweeps, const double *u0, const double *f)
{
    for (int64_t i = 0; i < sweeps->n; i++) {
        int64_t k = sweeps->node[i].contact;
        memcpy(sweeps->u0 + 3 * i, u0 + 3 * k, 3 * sizeof *u0);
        memcpy(sweeps->f + 3 * i, f + 3 * k, 3 * sizeof *f);
        const pl_sweep_link *link = sweeps->link + sweeps->node[i].link;
        for (int32_t l = 0; l < sweeps->node[i].n_link; l++) {
            memset(sweeps->carry + 3 * (int64_t)link[l].block, 0, 3 * sizeof *sweeps->carry);
        }
    }
    for (int64_t i = 0; i < sweeps->n; i++) carry(sweeps, sweeps->node + i, sweeps->f + 3 * i);
}

int32_t pl_sweeps_run(pl_sweeps *sweeps, int32_t n, double enough, const double *u0, double *f)
{
    load(sweeps, u0, f);
    int32_t made = 0;
    double change = INFINITY;
    while (made < n && change > enough) {
        bool serial = sweeps->n < SERIAL_CONTACTS;
        change = serial ? relax_range(sweeps, 0, sweeps->n) : sweep_parallel(sweeps);
        made++;
    }
    for (int64_t i = 0; i < sweeps->n; i++) {
        memcpy(f + 3 * (int64_t)sweeps->node[i].contact, sweeps->f + 3 * i, 3 * sizeof *f);
    }
    return made;
}
