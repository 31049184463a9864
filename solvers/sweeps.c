#include "sweeps.h"
#include "cluster.h"
#include "coulomb.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum {
    // Below this many contacts one thread is faster than starting several.
    SERIAL_CONTACTS = 256,
    // A colour with fewer clusters is done by one thread, which the others wait for.
    SERIAL_COLOR = 64,
    // Contacts that push stand together, and take longer than others: threads take turns at these.
    CHUNK = 16,
    // A block with more contacts carries its velocity. A link takes the time and the memory of 2
    // blocks of S, and saves about half as many as the block has other contacts, since two contacts
    // that share a block mostly share others too.
    MANY_USES = 12,
    // Clusters with more contacts are swept like any others.
    CLUSTER_CONTACTS = 12,
    // A cluster that could not be solved is swept like others before the next try: 2, 4, 8 times,
    // up to 2 to this power.
    MOST_FAILURES = 9,
};

// S of a contact may be singular where a lever arm alone answers: this much of its trace is added.
static const double REGULARIZE = 1e-12;
// A cluster is solved until a sweep changes it by less than this part of its first change.
static const double CLUSTER_SHARE = 1e-3;

// --- S ---

// What building S needs.
typedef struct builder {
    const pl_problem *problem;
    const pl_block_jacobi *D;
    const pl_uses *uses;
    int32_t *place; // (A.n) where a block stands in `uses`, or -1
    int32_t *node;  // (n_contact) of a contact, or -1
    int32_t *marks; // (threads, 2, n_contact) see below
    double *H;      // (9*n_term) see rows.h
} builder;

// The columns of the row that a thread is at.
typedef struct columns {
    int32_t *mark; // (n_contact) the last row that has a block in this column,
    int32_t *at;   // (n_contact) and where it is
} columns;

static pl_status builder_create(const pl_problem *problem, pl_arena *arena, builder *b)
{
    int64_t n = problem->A->n, n_contact = problem->n_contact;
    b->problem = problem;
    b->place = pl_arena_take(arena, n, sizeof *b->place);
    b->node = pl_arena_take(arena, n_contact, sizeof *b->node);
    b->marks = pl_arena_take(arena, 2 * n_contact * omp_get_max_threads(), sizeof *b->marks);
    return b->place != NULL && b->node != NULL && b->marks != NULL ? PL_OK : PL_ERROR_MEMORY;
}

// Those of this thread, without a mark.
static columns clear_columns(const builder *b)
{
    int64_t n = b->problem->n_contact;
    int32_t *mark = b->marks + 2 * n * omp_get_thread_num();
    for (int64_t k = 0; k < n; k++) mark[k] = -1;
    return (columns){mark, mark + n};
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
    for (int32_t k = 0; k < b->problem->n_contact; k++) b->node[k] = -1;
    for (int32_t i = 0; i < out->n; i++) b->node[out->node[i].contact] = i;
}

static pl_status make_responses(builder *b, pl_arena *arena)
{
    b->H = pl_arena_take(arena, 9 * (int64_t)b->problem->n_term, sizeof *b->H);
    if (b->H == NULL) return PL_ERROR_MEMORY;
#pragma omp parallel for schedule(static) if (b->problem->n_contact > SERIAL_CONTACTS)
    for (int32_t k = 0; k < b->problem->n_contact; k++) {
        const pl_contact *contact = b->problem->contact + k;
        for (int64_t t = contact->first; t < contact->first + contact->count; t++) {
            const pl_term *term = b->problem->term + t;
            double G[9];
            pl_term_rows(contact, term, G);
            pl_term_response(b->D->inv + 6 * (int64_t)term->block, G, b->H + 9 * t);
        }
    }
    return PL_OK;
}

// How many other contacts share a block with that of node i, and its links: what fill_node makes.
static void count_node(const builder *b, const pl_sweeps *out, int32_t i, const columns *c)
{
    pl_sweep_node *node = out->node + i;
    const pl_contact *contact = b->problem->contact + node->contact;
    node->n_row = node->n_link = 0;
    c->mark[node->contact] = i;
    for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
        int32_t place = b->place[b->problem->term[t].block];
        if (place < 0) continue; // known
        int32_t first = b->uses->start[place], last = b->uses->start[place + 1];
        if (last - first > MANY_USES) {
            node->n_link++;
            continue;
        }
        for (int32_t j = first; j < last; j++) {
            int32_t *mark = c->mark + b->uses->use[j].contact;
            node->n_row += *mark != i;
            *mark = i;
        }
    }
}

// Adds G H' to the block of S in the row of node i, at the end of which it is made if it is new. G
// (9) is that of a term of the node's contact.
static void add_block(const builder *b, pl_sweeps *out, int32_t i, const double *G,
                      const pl_use *other, const columns *c)
{
    pl_sweep_node *node = out->node + i;
    if (c->mark[other->contact] != i) {
        c->mark[other->contact] = i;
        c->at[other->contact] = node->row + node->n_row;
        out->col[node->row + node->n_row] = b->node[other->contact];
        memset(out->val + 9 * (int64_t)(node->row + node->n_row), 0, 9 * sizeof *out->val);
        node->n_row++;
    }
    double *M = out->val + 9 * (int64_t)c->at[other->contact];
    const double *H = b->H + 9 * (int64_t)other->term;
    for (int e = 0; e < 9; e++) {
        const double *g = G + e % 3 * 3, *h = H + e / 3;
        M[e] += g[0] * h[0] + g[1] * h[3] + g[2] * h[6];
    }
}

static void fill_node(const builder *b, pl_sweeps *out, int32_t i, const columns *c)
{
    pl_sweep_node *node = out->node + i;
    const pl_contact *contact = b->problem->contact + node->contact;
    node->mu = contact->mu;
    node->ratio = 0;
    node->n_row = node->n_link = 0;
    pl_contact_block(b->problem, b->D, node->contact, node->S);
    double trace = node->S[0] + node->S[4] + node->S[8];
    for (int a = 0; a < 3; a++) node->S[4 * a] += REGULARIZE * trace;
    for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
        int32_t block = b->problem->term[t].block, place = b->place[block];
        double G[9];
        pl_term_rows(contact, b->problem->term + t, G);
        if (count_uses(b, block) > MANY_USES) {
            pl_sweep_link *to = out->link + node->link + node->n_link++;
            memcpy(to->G, G, sizeof to->G);
            memcpy(to->H, b->H + 9 * (int64_t)t, sizeof to->H);
            to->node = i;
            to->block = block;
        } else if (place >= 0) { // not known
            for (int32_t j = b->uses->start[place]; j < b->uses->start[place + 1]; j++) {
                const pl_use *use = b->uses->use + j;
                if (use->contact != node->contact) add_block(b, out, i, G, use, c);
            }
        }
    }
}

// Where the blocks and links of each node go.
static pl_status count_nodes(const builder *b, pl_sweeps *out, int64_t *n_block, int64_t *n_link)
{
#pragma omp parallel if (out->n > SERIAL_CONTACTS)
    {
        columns c = clear_columns(b);
#pragma omp for schedule(static)
        for (int32_t i = 0; i < out->n; i++) count_node(b, out, i, &c);
    }
    *n_block = *n_link = 0;
    for (int32_t i = 0; i < out->n; i++) {
        out->node[i].row = (int32_t)*n_block;
        out->node[i].link = (int32_t)*n_link;
        *n_block += out->node[i].n_row;
        *n_link += out->node[i].n_link;
        if (*n_block <= INT32_MAX) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "contacts share too many blocks: more than %lld pairs",
                       (long long)*n_block);
    }
    return PL_OK;
}

static void fill_nodes(const builder *b, pl_sweeps *out)
{
#pragma omp parallel if (out->n > SERIAL_CONTACTS)
    {
        columns c = clear_columns(b);
#pragma omp for schedule(static)
        for (int32_t i = 0; i < out->n; i++) fill_node(b, out, i, &c);
    }
}

// Sorts the links by their blocks.
static pl_status sort_links(const builder *b, pl_arena *arena, pl_sweeps *out)
{
    int32_t n = b->uses->n, sum = 0;
    int32_t *at = pl_arena_take(arena, n, sizeof *at); // of a block: how many, then the next place
    if (at == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) at[i] = 0;
    for (int64_t l = 0; l < out->n_link; l++) at[b->place[out->link[l].block]]++;
    for (int32_t i = 0; i < n; i++) {
        if (at[i] == 0) continue;
        int32_t many = at[i];
        out->carry_start[out->n_carry++] = at[i] = sum;
        sum += many;
    }
    out->carry_start[out->n_carry] = sum;
    for (int64_t l = 0; l < out->n_link; l++) {
        out->carry_link[at[b->place[out->link[l].block]]++] = (int32_t)l;
    }
    return PL_OK;
}

static pl_status take(const builder *b, pl_arena *arena, pl_sweeps *out)
{
    int64_t n_block, n_link, n = out->n;
    PL_TRY(count_nodes(b, out, &n_block, &n_link));
    out->n_link = n_link;
    out->col = pl_arena_take(arena, n_block, sizeof *out->col);
    out->val = pl_arena_take(arena, 9 * n_block, sizeof *out->val);
    out->link = pl_arena_take(arena, n_link, sizeof *out->link);
    out->u0 = pl_arena_take(arena, 3 * n, sizeof *out->u0);
    out->f = pl_arena_take(arena, 3 * n, sizeof *out->f);
    out->carry_start = pl_arena_take(arena, n_link + 1, sizeof *out->carry_start);
    out->carry_link = pl_arena_take(arena, n_link, sizeof *out->carry_link);
    out->carry = pl_arena_take(arena, 3 * (int64_t)b->problem->A->n, sizeof *out->carry);
    bool all = out->col != NULL && out->val != NULL && out->link != NULL && out->u0 != NULL &&
               out->f != NULL && out->carry_start != NULL && out->carry_link != NULL &&
               out->carry != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

// One for each thread; of one size always, so that a later solve makes no heap call for them.
static pl_status take_clusters(pl_arena *arena, pl_sweeps *out)
{
    int32_t n = omp_get_max_threads(), n_cluster = out->islands.n_cluster;
    out->cluster = pl_arena_take(arena, n, sizeof *out->cluster);
    out->luck = pl_arena_take(arena, n_cluster, sizeof *out->luck);
    if (out->cluster == NULL || out->luck == NULL) return PL_ERROR_MEMORY;
    memset(out->luck, 0, (size_t)n_cluster * sizeof *out->luck);
    for (int32_t i = 0; i < n; i++) {
        PL_TRY(pl_cluster_create(CLUSTER_CONTACTS, arena, out->cluster + i));
    }
    return PL_OK;
}

pl_status pl_sweeps_create(const pl_problem *problem, const pl_block_jacobi *D, const pl_uses *uses,
                           const double *scale, pl_arena *arena, pl_sweeps *out)
{
    *out = (pl_sweeps){0};
    builder b = {.D = D, .uses = uses};
    PL_TRY(builder_create(problem, arena, &b));
    PL_TRY(pl_islands_create(problem, D, uses, scale, arena, &out->islands));
    out->n = out->islands.cluster[out->islands.n_cluster];
    out->node = pl_arena_take(arena, out->n, sizeof *out->node);
    if (out->node == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < out->n; i++) out->node[i].contact = out->islands.contact[i];
    index_all(&b, out);
    PL_TRY(take(&b, arena, out));
    PL_TRY(take_clusters(arena, out));
    pl_arena_mark mark = pl_arena_here(arena); // what follows is not needed for long
    PL_TRY(make_responses(&b, arena));
    fill_nodes(&b, out);
    PL_TRY(sort_links(&b, arena, out));
    pl_arena_back(arena, mark);
    return PL_OK;
}

// --- Sweeps ---

// q (3) := u0 + S f without the diagonal block, for a node. All components at once: each is a long
// chain of sums that wait for each other.
static inline void gather(const pl_sweeps *sweeps, const pl_sweep_node *node, int64_t i, double *q)
{
    const int32_t *col = sweeps->col + node->row;
    const double *val = sweeps->val + 9 * (int64_t)node->row, *u0 = sweeps->u0 + 3 * i;
    double a = u0[0], b = u0[1], c = u0[2];
    for (int32_t j = 0; j < node->n_row; j++, val += 9) {
        const double *f = sweeps->f + 3 * (int64_t)col[j];
        a += (val[0] * f[0] + val[3] * f[1]) + val[6] * f[2];
        b += (val[1] * f[0] + val[4] * f[1]) + val[7] * f[2];
        c += (val[2] * f[0] + val[5] * f[1]) + val[8] * f[2];
    }
    q[0] = a, q[1] = b, q[2] = c;
}

// The normal component of that, and of what links add, for a node without an impulse.
static inline double gather_normal(const pl_sweeps *sweeps, const pl_sweep_node *node, int64_t i)
{
    const int32_t *col = sweeps->col + node->row;
    const double *val = sweeps->val + 9 * (int64_t)node->row;
    double u = sweeps->u0[3 * i], links = 0;
    for (int32_t j = 0; j < node->n_row; j++, val += 9) {
        const double *f = sweeps->f + 3 * (int64_t)col[j];
        u += (val[0] * f[0] + val[3] * f[1]) + val[6] * f[2];
    }
    const pl_sweep_link *link = sweeps->link + node->link;
    for (int32_t l = 0; l < node->n_link; l++) {
        const double *x = sweeps->carry + 3 * (int64_t)link[l].block, *G = link[l].G;
        links += G[0] * x[0] + G[1] * x[1] + G[2] * x[2];
    }
    return u + links;
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

static inline void add_response(const double *H, const double *d, double *x)
{
    for (int i = 0; i < 3; i++) x[i] += H[3 * i] * d[0] + H[3 * i + 1] * d[1] + H[3 * i + 2] * d[2];
}

// Adds the velocity that an impulse d makes in the blocks of a node's links.
static void carry(const pl_sweeps *sweeps, const pl_sweep_node *node, const double *d)
{
    const pl_sweep_link *link = sweeps->link + node->link;
    for (int32_t l = 0; l < node->n_link; l++) {
        add_response(link[l].H, d, sweeps->carry + 3 * (int64_t)link[l].block);
    }
}

// The impulse of node i := to.
static void set_impulse(const pl_sweeps *sweeps, int64_t i, const double *to)
{
    double *f = sweeps->f + 3 * i, d[3];
    for (int a = 0; a < 3; a++) {
        d[a] = to[a] - f[a];
        f[a] = to[a];
    }
    if (sweeps->node[i].n_link > 0) carry(sweeps, sweeps->node + i, d);
}

// Solves contact i with all others held; returns the change of its relative velocity that its new
// impulse makes.
static double relax(const pl_sweeps *sweeps, int64_t i)
{
    pl_sweep_node *node = sweeps->node + i;
    const double *f = sweeps->f + 3 * i;
    double q[3], next[3];
    bool open = f[0] == 0 && gather_normal(sweeps, node, i) >= 0; // and stays so
    if (open) return 0;
    gather(sweeps, node, i, q);
    if (node->n_link > 0) gather_links(sweeps, node, f, q);
    pl_coulomb_solve(node->S, q, node->mu, &node->ratio, next);
    double dn = node->S[0] * fabs(next[0] - f[0]);
    double d1 = node->S[4] * (next[1] - f[1]), d2 = node->S[8] * (next[2] - f[2]);
    double dt = sqrt(d1 * d1 + d2 * d2);
    set_impulse(sweeps, i, next);
    return PL_MAX(dn, dt);
}

// Solves contacts one after the other; returns the largest change.
static double relax_contacts(const pl_sweeps *sweeps, int32_t first, int32_t last)
{
    double most = 0;
    for (int32_t i = first; i < last; i++) {
        double change = relax(sweeps, i);
        most = PL_MAX(most, change);
    }
    return most;
}

// B (9) += what the velocity of a answers to an impulse of b, at the blocks that carry theirs.
static void add_links(const pl_sweeps *sweeps, const pl_sweep_node *a, const pl_sweep_node *b,
                      double *B)
{
    for (int32_t i = a->link; i < a->link + a->n_link; i++) {
        for (int32_t j = b->link; j < b->link + b->n_link; j++) {
            const pl_sweep_link *p = sweeps->link + i, *q = sweeps->link + j;
            if (p->block != q->block) continue;
            for (int e = 0; e < 9; e++) {
                const double *g = p->G + e / 3 * 3, *h = q->H + e % 3;
                B[e] += g[0] * h[0] + g[1] * h[3] + g[2] * h[6];
            }
        }
    }
}

// The nodes first .. last - 1 as a cluster, with all other impulses held.
static void load_cluster(const pl_sweeps *sweeps, int32_t first, int32_t last, pl_cluster *c)
{
    int32_t n = last - first, m = 3 * n;
    c->n = n;
    memset(c->S, 0, (size_t)m * (size_t)m * sizeof *c->S);
    memcpy(c->f, sweeps->f + 3 * (int64_t)first, (size_t)m * sizeof *c->f);
    for (int32_t i = 0; i < n; i++) {
        const pl_sweep_node *node = sweeps->node + first + i;
        double *q = c->q + 3 * (int64_t)i;
        c->mu[i] = node->mu;
        c->ratio[i] = node->ratio;
        gather(sweeps, node, first + i, q);
        if (node->n_link > 0) gather_links(sweeps, node, sweeps->f + 3 * (int64_t)(first + i), q);
        for (int32_t j = 0; j < n; j++) {
            double B[9] = {0};
            if (j == i) memcpy(B, node->S, sizeof B);
            if (j != i && node->n_link > 0) add_links(sweeps, node, sweeps->node + first + j, B);
            for (int32_t k = node->row; k < node->row + node->n_row; k++) {
                if (sweeps->col[k] != first + j) continue;
                for (int e = 0; e < 9; e++) B[e] += sweeps->val[9 * (int64_t)k + e % 3 * 3 + e / 3];
            }
            const double *f = c->f + 3 * (int64_t)j;
            for (int a = 0; a < 3; a++) {
                memcpy(c->S + (int64_t)(3 * i + a) * m + 3 * j, B + 3 * a, 3 * sizeof *B);
                if (j != i) q[a] -= B[3 * a] * f[0] + B[3 * a + 1] * f[1] + B[3 * a + 2] * f[2];
            }
        }
    }
}

// Solves the contacts of a cluster, one after the other if that is enough or else together; returns
// the largest change of the first.
static double relax_cluster(const pl_sweeps *sweeps, int32_t cluster, double enough)
{
    pl_cluster *c = sweeps->cluster + omp_get_thread_num();
    int32_t first = sweeps->islands.cluster[cluster], last = sweeps->islands.cluster[cluster + 1];
    double change = relax_contacts(sweeps, first, last);
    bool apart = sweeps->plain || last - first == 1 || last - first > c->capacity;
    if (apart || change <= enough) return change;
    pl_cluster_luck *luck = sweeps->luck + cluster;
    if (luck->wait > 0) {
        luck->wait--;
        return change;
    }
    double goal = PL_MAX(enough, CLUSTER_SHARE * change);
    load_cluster(sweeps, first, last, c);
    bool solved = pl_cluster_solve(c, goal);
    luck->failures = solved ? 0 : PL_MIN(luck->failures + 1, MOST_FAILURES);
    luck->wait = solved ? 0 : 1 << luck->failures;
    for (int32_t i = first; i < last; i++) {
        sweeps->node[i].ratio = c->ratio[i - first];
        set_impulse(sweeps, i, c->f + 3 * (int64_t)(i - first));
    }
    return change;
}

static double relax_clusters(const pl_sweeps *sweeps, int32_t first, int32_t last, double enough)
{
    double most = 0;
    for (int32_t c = first; c < last; c++) {
        double change = relax_cluster(sweeps, c, enough);
        most = PL_MAX(most, change);
    }
    return most;
}

static bool is_serial(const int32_t *color, int i)
{
    return color[i + 1] - color[i] < SERIAL_COLOR || i == PL_COLORS - 1;
}

// Is an island to be swept by all threads? Else it is large by its contacts, but few of its
// clusters may be solved at once. The result is the same.
static bool is_wide(const pl_islands *islands, int32_t island)
{
    if (island >= islands->n_large) return false;
    const int32_t *color = islands->color + (PL_COLORS + 1) * (int64_t)island;
    int32_t serial = 0;
    for (int i = 0; i < PL_COLORS; i++) {
        if (is_serial(color, i)) serial += color[i + 1] - color[i];
    }
    return 2 * serial < color[PL_COLORS] - color[0];
}

// One sweep over a large island, by all threads: color (PL_COLORS + 1). Small colours that follow
// each other are one piece of work.
static double relax_colors(const pl_sweeps *sweeps, const int32_t *color, double enough)
{
    double most = 0;
#pragma omp parallel reduction(max : most)
    for (int i = 0, next; i < PL_COLORS && color[i] < color[PL_COLORS]; i = next) {
        for (next = i + 1; next < PL_COLORS && is_serial(color, i) && is_serial(color, next);) {
            next++;
        }
        if (is_serial(color, i)) {
#pragma omp single
            {
                double change = relax_clusters(sweeps, color[i], color[next], enough);
                most = PL_MAX(most, change);
            }
        } else {
#pragma omp for schedule(static, CHUNK)
            for (int32_t c = color[i]; c < color[next]; c++) {
                double change = relax_cluster(sweeps, c, enough);
                most = PL_MAX(most, change);
            }
        }
    }
    return most;
}

static int32_t sweep_island(const pl_sweeps *sweeps, int32_t island, int32_t n, double enough)
{
    const pl_islands *islands = &sweeps->islands;
    bool wide = is_wide(islands, island);
    const int32_t *color = wide ? islands->color + (PL_COLORS + 1) * (int64_t)island : NULL;
    int32_t first = islands->start[island], last = islands->start[island + 1], made = 0;
    double change = INFINITY;
    for (; made < n && change > enough; made++) {
        change = wide ? relax_colors(sweeps, color, enough)
                      : relax_clusters(sweeps, first, last, enough);
    }
    return made;
}

// u0 and f by node, and what links carry.
static void load(pl_sweeps *sweeps, const double *u0, const double *f)
{
    const int32_t *contact = sweeps->islands.contact;
#pragma omp parallel for schedule(static) if (sweeps->n > SERIAL_CONTACTS)
    for (int64_t i = 0; i < sweeps->n; i++) {
        memcpy(sweeps->u0 + 3 * i, u0 + 3 * (int64_t)contact[i], 3 * sizeof *u0);
        memcpy(sweeps->f + 3 * i, f + 3 * (int64_t)contact[i], 3 * sizeof *f);
    }
#pragma omp parallel for schedule(static) if (sweeps->n_link > SERIAL_CONTACTS)
    for (int32_t k = 0; k < sweeps->n_carry; k++) {
        const int32_t *first = sweeps->carry_link + sweeps->carry_start[k];
        const int32_t *last = sweeps->carry_link + sweeps->carry_start[k + 1];
        double x[3] = {0};
        for (const int32_t *l = first; l < last; l++) {
            const pl_sweep_link *link = sweeps->link + *l;
            add_response(link->H, sweeps->f + 3 * (int64_t)link->node, x);
        }
        memcpy(sweeps->carry + 3 * (int64_t)sweeps->link[*first].block, x, sizeof x);
    }
}

static void unload(const pl_sweeps *sweeps, double *f)
{
    const int32_t *contact = sweeps->islands.contact;
#pragma omp parallel for schedule(static) if (sweeps->n > SERIAL_CONTACTS)
    for (int64_t i = 0; i < sweeps->n; i++) {
        memcpy(f + 3 * (int64_t)contact[i], sweeps->f + 3 * i, 3 * sizeof *f);
    }
}

int32_t pl_sweeps_run(pl_sweeps *sweeps, int32_t n, double enough, const double *u0, double *f)
{
    const pl_islands *islands = &sweeps->islands;
    int32_t most = 0, n_large = islands->n_large;
    load(sweeps, u0, f);
    for (int32_t i = 0; i < n_large; i++) {
        if (!is_wide(islands, i)) continue;
        int32_t made = sweep_island(sweeps, i, n, enough);
        most = PL_MAX(most, made);
    }
#pragma omp parallel reduction(max : most) if (sweeps->n > SERIAL_CONTACTS)
    {
#pragma omp for schedule(dynamic, 1) nowait
        for (int32_t i = 0; i < n_large; i++) {
            if (is_wide(islands, i)) continue;
            int32_t made = sweep_island(sweeps, i, n, enough);
            most = PL_MAX(most, made);
        }
#pragma omp for schedule(dynamic, 8)
        for (int32_t i = n_large; i < islands->n; i++) {
            int32_t made = sweep_island(sweeps, i, n, enough);
            most = PL_MAX(most, made);
        }
    }
    unload(sweeps, f);
    return most;
}
