#include "islands.h"
#include "kernel.h"

#include <math.h>
#include <string.h>

// Contacts whose coupling is stronger are a cluster: 0 if they share no block, 1 if they are at the
// same place.
static const double STRONG = 0.6;

enum {
    // A block with more contacts makes no clusters of them: it is that of a rigid body.
    CLUSTER_USES = 32,
    // Contacts or blocks, what a thread takes at least.
    CHUNK_CONTACTS = 128,
};

// A forest over the contacts. The root of a tree is its first contact.
typedef struct forest {
    int32_t *parent; // (n_constraint) -1: in no tree
    int32_t *size;   // (n_constraint) of the trees, at their roots
} forest;

typedef struct finder {
    const pl_problem *problem;
    const pl_block_jacobi *D;
    const pl_uses *uses;
    forest islands, clusters;
    double *self;    // (n_constraint) how much a contact answers itself
    uint32_t *near;  // (n_term) by use: bits of the block's uses before it at nearly the same place
    int32_t *place;  // (n_constraint) of the islands in their order, at their roots
    int32_t *next;   // (n_constraint + 1) scratch
    int32_t *level;  // (n_constraint) of a cluster, at its root
    int32_t *use_of; // (A.n) where a block stands in `uses`, or -1
    int32_t *passed; // (uses.n) the cluster from which each block was reached last, or -1
} finder;

static pl_status take(pl_arena *arena, finder *f, pl_islands *out)
{
    int64_t n = f->problem->n_constraint;
    int32_t **each[] = {&f->islands.parent, &f->islands.size, &f->clusters.parent,
                        &f->clusters.size,  &f->place,        &f->level,
                        &out->constraint};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        *each[i] = pl_arena_take(arena, n, sizeof **each[i]);
        if (*each[i] == NULL) return PL_ERROR_MEMORY;
    }
    f->next = pl_arena_take(arena, n + 1, sizeof *f->next);
    out->start = pl_arena_take(arena, n + 1, sizeof *out->start);
    out->cluster = pl_arena_take(arena, n + 1, sizeof *out->cluster);
    f->self = pl_arena_take(arena, n, sizeof *f->self);
    f->near = pl_arena_take(arena, f->problem->n_term, sizeof *f->near);
    f->use_of = pl_arena_take(arena, f->problem->A->n, sizeof *f->use_of);
    f->passed = pl_arena_take(arena, f->uses->n, sizeof *f->passed);
    bool all = f->next != NULL && out->start != NULL && out->cluster != NULL && f->self != NULL &&
               f->near != NULL && f->use_of != NULL && f->passed != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

// --- Trees ---

static int32_t find_root(int32_t *parent, int32_t k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static void unite(forest *trees, int32_t a, int32_t b)
{
    if (trees->parent[a] < 0 || trees->parent[b] < 0) return;
    a = find_root(trees->parent, a), b = find_root(trees->parent, b);
    trees->parent[PL_MAX(a, b)] = PL_MIN(a, b);
}

static void count(forest *trees, int32_t n)
{
    memset(trees->size, 0, (size_t)n * sizeof *trees->size);
    for (int32_t k = 0; k < n; k++) {
        if (trees->parent[k] < 0) continue;
        trees->parent[k] = find_root(trees->parent, k);
        trees->size[trees->parent[k]]++;
    }
}

// Trees with too many contacts become trees of one each, the roots last: their size is asked for.
static void dissolve(forest *trees, int32_t n)
{
    for (int32_t k = n - 1; k >= 0; k--) {
        int32_t root = trees->parent[k];
        if (root < 0 || trees->size[root] <= PL_CLUSTER_CONTACTS) continue;
        trees->parent[k] = k;
        trees->size[k] = 1;
    }
}

// Three times how much the velocity at b answers an impulse at a along its direction, whatever the
// normals are: for blocks as light in all directions as on the mean, and an impulse across the
// lever arms.
static double response(const finder *f, const pl_constraint *a, const pl_constraint *b)
{
    double sum = 0;
    for (int32_t i = a->first; i < a->first + a->count; i++) {
        for (int32_t j = b->first; j < b->first + b->count; j++) {
            const pl_entry *s = f->problem->entry + i, *t = f->problem->entry + j;
            const double *m = f->D->inv + 6 * (int64_t)s->block;
            if (s->block != t->block) continue;
            const double *p = pl_entry_arm(f->problem, s), *q = pl_entry_arm(f->problem, t);
            const double *S = pl_entry_stretch(f->problem, s), *T = pl_entry_stretch(f->problem, t);
            double dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
            if (S != NULL && T != NULL) {
                dot += (S[0] * T[0] + S[3] * T[3] + S[5] * T[5]) +
                       2 * (S[1] * T[1] + S[2] * T[2] + S[4] * T[4]);
            }
            sum += (m[0] + m[3] + m[5]) * (s->w * t->w + dot);
        }
    }
    return sum;
}

static void find_selves(void *context, int64_t first, int64_t last)
{
    const finder *f = context;
    const pl_constraint *constraint = f->problem->constraint;
    for (int64_t k = first; k < last; k++) f->self[k] = response(f, constraint + k, constraint + k);
}

static void find_near_in_blocks(void *context, int64_t first, int64_t last)
{
    const finder *f = context;
    const pl_uses *uses = f->uses;
    const pl_constraint *constraint = f->problem->constraint;
    for (int64_t i = first; i < last; i++) {
        const pl_use *use = uses->use + uses->start[i];
        int32_t n = uses->start[i + 1] - uses->start[i];
        for (int32_t j = 0; j < n && n <= CLUSTER_USES; j++) {
            uint32_t bits = 0;
            for (int32_t l = 0; l < j; l++) {
                int32_t a = use[l].constraint, b = use[j].constraint;
                if (constraint[a].limits >= 0 || constraint[b].limits >= 0) continue;
                double r = fabs(response(f, constraint + a, constraint + b));
                if (r > STRONG * sqrt(f->self[a] * f->self[b])) bits |= (uint32_t)1 << l;
            }
            f->near[uses->start[i] + j] = bits;
        }
    }
}

// Which contacts of each block are at nearly the same place.
static void find_near(const finder *f)
{
    pl_loop(f->problem->n_constraint, CHUNK_CONTACTS, find_selves, f);
    pl_loop(f->uses->n, CHUNK_CONTACTS, find_near_in_blocks, f);
}

static void join(finder *f, const double *scale)
{
    const pl_uses *uses = f->uses;
    find_near(f);
    for (int32_t k = 0; k < f->problem->n_constraint; k++) {
        f->islands.parent[k] = f->clusters.parent[k] = scale[2 * (int64_t)k] > 0 ? k : -1;
    }
    for (int32_t i = 0; i < uses->n; i++) {
        int32_t first = uses->start[i], last = uses->start[i + 1], before = -1;
        for (int32_t j = first; j < last; j++) { // past those in no tree
            int32_t k = uses->use[j].constraint;
            if (f->islands.parent[k] < 0) continue;
            if (before >= 0) unite(&f->islands, before, k);
            before = k;
        }
        for (int32_t j = first + 1; j < last && last - first <= CLUSTER_USES; j++) {
            for (uint32_t bits = f->near[j]; bits != 0; bits &= bits - 1) {
                int32_t other = uses->use[first + __builtin_ctz(bits)].constraint;
                unite(&f->clusters, other, uses->use[j].constraint);
            }
        }
    }
    count(&f->islands, f->problem->n_constraint);
    count(&f->clusters, f->problem->n_constraint);
    dissolve(&f->clusters, f->problem->n_constraint);
}

// --- Order ---

// Counts the islands of each size, and so finds where each stands: the largest first, those of one
// size by their roots.
static void order_islands(const finder *f, pl_islands *out)
{
    int32_t n = f->problem->n_constraint, *next = f->next, place = 0;
    const int32_t *size = f->islands.size;
    memset(next, 0, (size_t)(n + 1) * sizeof *next);
    for (int32_t k = 0; k < n; k++) next[size[k]]++;
    for (int32_t s = n; s > 0; s--) {
        int32_t many = next[s];
        next[s] = place;
        place += many;
        if (s >= PL_LARGE_ISLAND) out->n_large = place;
    }
    out->n = place;
    for (int32_t k = 0; k < n; k++) {
        if (size[k] > 0) f->place[k] = next[size[k]]++;
    }
}

// `cluster` := the roots of the clusters, island by island.
static void list_clusters(const finder *f, pl_islands *out)
{
    int32_t n = f->problem->n_constraint, *next = f->next;
    memset(out->start, 0, (size_t)(out->n + 1) * sizeof *out->start);
    for (int32_t k = 0; k < n; k++) {
        if (f->clusters.size[k] > 0) out->start[f->place[f->islands.parent[k]] + 1]++;
    }
    for (int32_t i = 0; i < out->n; i++) next[i] = out->start[i + 1] += out->start[i];
    for (int32_t k = n - 1; k >= 0; k--) {
        if (f->clusters.size[k] > 0) out->cluster[--next[f->place[f->islands.parent[k]]]] = k;
    }
    out->n_cluster = out->start[out->n];
}

// `cluster` := where each starts, and `contact` what it has.
static void fill_clusters(const finder *f, pl_islands *out)
{
    int32_t n = f->problem->n_constraint, *next = f->next, at = 0;
    for (int32_t c = 0; c < out->n_cluster; c++) {
        int32_t root = out->cluster[c];
        out->cluster[c] = next[root] = at;
        at += f->clusters.size[root];
    }
    out->cluster[out->n_cluster] = at;
    for (int32_t k = 0; k < n; k++) {
        if (f->clusters.parent[k] >= 0) out->constraint[next[f->clusters.parent[k]]++] = k;
    }
}

// --- Strips ---

// Puts a cluster into the queue, at a level.
static void reach(const finder *f, int32_t root, int32_t level, int32_t *queue, int32_t *n)
{
    if (f->level[root] >= 0) return;
    f->level[root] = level;
    queue[(*n)++] = root;
}

// The clusters of an island by their distance from one, in `queue` and f->level: those that share a
// block are a level apart at most. root (n) are all of them.
static void find_levels(const finder *f, int32_t n, const int32_t *root, int32_t from,
                        int32_t *queue)
{
    int32_t n_queue = 0;
    for (int32_t i = 0; i < n; i++) f->level[root[i]] = -1;
    reach(f, from, 0, queue, &n_queue);
    for (int32_t i = 0; i < n_queue; i++) {
        int32_t level = f->level[queue[i]] + 1;
        for (int32_t k = queue[i]; k >= 0; k = f->next[k]) {
            const pl_constraint *constraint = f->problem->constraint + k;
            for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
                int32_t at = f->use_of[f->problem->entry[t].block];
                if (at < 0 || f->passed[at] == from) continue;
                f->passed[at] = from;
                for (int32_t j = f->uses->start[at]; j < f->uses->start[at + 1]; j++) {
                    int32_t other = f->clusters.parent[f->uses->use[j].constraint];
                    if (other >= 0) reach(f, other, level, queue, &n_queue);
                }
            }
        }
    }
    PL_ASSERT(n_queue == n);
}

// Level by level, strips of no fewer contacts than a share of all are cut from the queue; f->level
// becomes the place of a cluster's strip: every second one comes first.
static void cut_strips(const finder *f, int32_t n, const int32_t *queue, int32_t *start)
{
    int32_t n_constraint = 0, strip = 0, in_strip = 0;
    for (int32_t i = 0; i < n; i++) n_constraint += f->clusters.size[queue[i]];
    int32_t enough = (n_constraint + PL_STRIPS - 1) / PL_STRIPS;
    memset(start, 0, (PL_STRIPS + 1) * sizeof *start);
    for (int32_t i = 0, next; i < n; i = next) {
        int32_t level = f->level[queue[i]];
        if (in_strip >= enough) strip++, in_strip = 0;
        for (next = i; next < n && f->level[queue[next]] == level; next++) {
            int32_t place = strip / 2 + strip % 2 * (PL_STRIPS / 2);
            in_strip += f->clusters.size[queue[next]];
            f->level[queue[next]] = place; // of what is behind
            start[place + 1]++;
        }
    }
}

// Orders the clusters of an island by strips: root (n), start (PL_STRIPS + 1). queue (n) is
// scratch; offset is the place of the first.
static void order_strips(const finder *f, int32_t n, int32_t *root, int32_t offset, int32_t *queue,
                         int32_t *start)
{
    int32_t next[PL_STRIPS];
    find_levels(f, n, root, root[0], queue);
    int32_t end = queue[n - 1];
    if (end != root[0]) find_levels(f, n, root, end, queue); // a long way leaves many strips
    cut_strips(f, n, queue, start);
    for (int32_t i = 0; i < PL_STRIPS; i++) start[i + 1] += start[i];
    memcpy(next, start, sizeof next);
    for (int32_t i = 0; i < n; i++) queue[next[f->level[root[i]]]++] = root[i];
    memcpy(root, queue, (size_t)n * sizeof *root);
    for (int32_t i = 0; i <= PL_STRIPS; i++) start[i] += offset;
}

// next := the contact of the same cluster that follows, or -1.
static void link_clusters(const finder *f, int32_t *last)
{
    for (int32_t k = 0; k < f->problem->n_constraint; k++) {
        int32_t root = f->clusters.parent[k];
        f->next[k] = -1;
        if (root < 0) continue;
        if (root != k) f->next[last[root]] = k;
        last[root] = k;
    }
}

static void order_large(const finder *f, pl_islands *out)
{
    const pl_uses *uses = f->uses;
    for (int32_t i = 0; i < f->problem->A->n; i++) f->use_of[i] = -1;
    for (int32_t i = 0; i < uses->n; i++) {
        f->use_of[uses->block[i]] = i;
        f->passed[i] = -1;
    }
    link_clusters(f, out->constraint);
    for (int32_t i = 0; i < out->n_large; i++) {
        int32_t first = out->start[i], n = out->start[i + 1] - first;
        order_strips(f, n, out->cluster + first, first, out->constraint,
                     out->strip + (PL_STRIPS + 1) * (int64_t)i);
    }
}

pl_status pl_islands_create(const pl_problem *problem, const pl_block_jacobi *D,
                            const pl_uses *uses, const double *scale, pl_arena *arena,
                            pl_islands *out)
{
    finder f = {.problem = problem, .D = D, .uses = uses};
    *out = (pl_islands){0};
    PL_TRY(take(arena, &f, out));
    join(&f, scale);
    order_islands(&f, out);
    list_clusters(&f, out);
    out->strip = pl_arena_take(arena, (PL_STRIPS + 1) * (int64_t)out->n_large, sizeof(int32_t));
    if (out->strip == NULL) return PL_ERROR_MEMORY;
    if (out->n_large > 0) order_large(&f, out);
    fill_clusters(&f, out);
    return PL_OK;
}
