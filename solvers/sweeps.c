#include "sweeps.h"
#include "cluster.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK_CONTACTS = 128, // what a thread takes at least
    CHUNK_ISLANDS = 8,    // small ones
    // A cluster that could not be solved is swept like others before the next try: 2, 4, 8 times,
    // up to 2 to this power.
    MOST_FAILURES = 9,
};

// S of a contact may be singular where a lever arm alone answers: this much of its trace is added
// to its diagonal, as if the impulse moved a little by itself.
static const double REGULARIZE = 1e-12;
// A cluster is solved until a sweep changes it by less than this part of its first change.
static const double CLUSTER_SHARE = 1e-3;

// --- Contacts and blocks ---

// Where the links and arms of each node go; there is room for those of prescribed blocks too.
static void place_nodes(const pl_problem *problem, pl_sweeps *out, int32_t *n_link, int32_t *n_arm)
{
    *n_link = *n_arm = 0;
    for (int32_t i = 0; i < out->n; i++) {
        pl_sweep_node *node = out->node + i;
        const pl_constraint *constraint = problem->constraint + node->constraint;
        node->link = *n_link;
        node->arm = *n_arm;
        *n_link += constraint->count;
        for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
            *n_arm += problem->entry[t].arm >= 0;
        }
    }
}

// The terms of a node's contact, those with arms last. place (A.n): where a block stands in `uses`,
// or -1.
static void link_node(const pl_problem *problem, const int32_t *place, pl_sweeps *out,
                      pl_sweep_node *node)
{
    const pl_constraint *constraint = problem->constraint + node->constraint;
    const pl_entry *first = problem->entry + constraint->first, *last = first + constraint->count;
    node->n_link = node->n_arm = 0;
    for (int arms = 0; arms < 2; arms++) {
        for (const pl_entry *t = first; t < last; t++) {
            if ((t->arm >= 0) != arms || place[t->block] < 0) continue;
            out->link[node->link + node->n_link++] = (pl_sweep_link){t->w, place[t->block]};
            if (!arms) continue;
            pl_sweep_arm *arm = out->arm + node->arm + node->n_arm++;
            memcpy(arm->r, pl_entry_arm(problem, t), sizeof arm->r);
            if (out->stretch == NULL) continue;
            memcpy(out->stretch + 6 * (arm - out->arm), pl_entry_stretch(problem, t),
                   6 * sizeof *out->stretch);
        }
    }
}

// How a node answers its impulse.
static void prepare_node(const pl_sweeps *sweeps, pl_sweep_node *node)
{
    const pl_problem *problem = sweeps->problem;
    const pl_constraint *constraint = problem->constraint + node->constraint;
    double S[9];
    pl_contact_block(problem, sweeps->D, node->constraint, S);
    node->held = REGULARIZE * (S[0] + S[4] + S[8]);
    for (int a = 0; a < 3; a++) S[4 * a] += node->held;
    pl_block_prepare(&node->block, pl_limits_of(problem, constraint), constraint->mu, S,
                     sweeps->unit);
}

typedef struct filling {
    const pl_problem *problem;
    const pl_block_jacobi *D;
    const int32_t *place;
    pl_sweeps *out;
} filling;

static void fill_nodes(void *context, int64_t first, int64_t last)
{
    const filling *to = context;
    const pl_problem *problem = to->problem;
    for (int64_t i = first; i < last; i++) {
        pl_sweep_node *node = to->out->node + i;
        const pl_constraint *constraint = problem->constraint + node->constraint;
        node->limits = constraint->limits;
        prepare_node(to->out, node);
        memcpy(node->R, constraint->R, sizeof node->R);
        link_node(problem, to->place, to->out, node);
    }
}

// place (A.n) := where a block stands in `uses`, or -1.
static void fill_blocks(const pl_block_jacobi *D, const pl_uses *uses, int32_t *place,
                        pl_sweeps *out)
{
    for (int32_t i = 0; i < D->n; i++) place[i] = -1;
    for (int32_t i = 0; i < uses->n; i++) {
        place[uses->block[i]] = i;
        memcpy(out->block[i].inv, D->inv + 6 * (int64_t)uses->block[i], sizeof out->block[i].inv);
        out->block[i].when = 0;
    }
}

// The contacts of a cluster.
static int32_t size_of(const pl_sweeps *sweeps, int32_t cluster)
{
    return sweeps->islands.cluster[cluster + 1] - sweeps->islands.cluster[cluster];
}

// Solvers are of one size always, so that a later solve makes no heap call for them.
static pl_status take_clusters(pl_arena *arena, pl_sweeps *out)
{
    int32_t n = pl_threads(), n_cluster = out->islands.n_cluster;
    int64_t size = 0;
    out->cluster = pl_arena_take(arena, n_cluster, sizeof *out->cluster);
    out->solver = pl_arena_take(arena, n, sizeof *out->solver);
    if (out->cluster == NULL || out->solver == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        PL_TRY(pl_cluster_create(PL_CLUSTER_CONTACTS, arena, out->solver + i));
    }
    for (int32_t i = 0; i < n_cluster; i++) {
        int64_t m = 3 * size_of(out, i);
        if (m > 3) size += m * m;
    }
    double *S = pl_arena_take(arena, size, sizeof *S);
    if (S == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n_cluster; i++) {
        int64_t m = 3 * size_of(out, i);
        out->cluster[i] = (pl_sweep_cluster){.S = S};
        if (m > 3) S += m * m;
    }
    return PL_OK;
}

// Is a large island to be swept by all threads? Not where islands enough are left for each, nor
// where one of its strips is a large part of it. The result is the same.
static bool is_wide(const pl_sweeps *sweeps, int32_t island)
{
    const pl_islands *islands = &sweeps->islands;
    const int32_t *strip = islands->strip + (PL_STRIPS + 1) * (int64_t)island;
    const int32_t *cluster = islands->cluster;
    int64_t n = cluster[strip[PL_STRIPS]] - cluster[strip[0]], most = 0;
    for (int i = 0; i < PL_STRIPS; i++) {
        most = PL_MAX(most, cluster[strip[i + 1]] - cluster[strip[i]]);
    }
    return 2 * pl_threads() * n > sweeps->n && 4 * most < n;
}

static pl_status take(pl_arena *arena, pl_sweeps *out)
{
    const pl_problem *problem = out->problem;
    int32_t n_link, n_arm;
    out->node = pl_arena_take(arena, out->n, sizeof *out->node);
    if (out->node == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < out->n; i++) out->node[i].constraint = out->islands.constraint[i];
    place_nodes(problem, out, &n_link, &n_arm);
    out->link = pl_arena_take(arena, n_link, sizeof *out->link);
    out->arm = pl_arena_take(arena, n_arm, sizeof *out->arm);
    if (problem->stretch != NULL) {
        out->stretch = pl_arena_take(arena, 6 * (int64_t)n_arm, sizeof *out->stretch);
        if (out->stretch == NULL) return PL_ERROR_MEMORY;
    }
    out->block = pl_arena_take(arena, out->uses->n, sizeof *out->block);
    out->world = pl_arena_take(arena, 3 * (int64_t)problem->n_constraint, sizeof *out->world);
    out->wide = pl_arena_take(arena, out->islands.n_large, sizeof *out->wide);
    out->push = pl_arena_take(arena, 3 * (int64_t)out->uses->n, sizeof *out->push);
    bool all = out->link != NULL && out->arm != NULL && out->block != NULL && out->world != NULL &&
               out->push != NULL && out->wide != NULL;
    if (!all) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < out->islands.n_large; i++) out->wide[i] = is_wide(out, i);
    return PL_OK;
}

pl_status pl_sweeps_create(const pl_problem *problem, const pl_block_jacobi *D, const pl_uses *uses,
                           const double *scale, pl_arena *arena, pl_sweeps *out)
{
    *out = (pl_sweeps){
        .problem = problem, .D = D, .uses = uses, .n_phase = 1, .n_small = 1, .unit = 1};
    PL_TRY(pl_islands_create(problem, D, uses, scale, arena, &out->islands));
    out->n = out->islands.cluster[out->islands.n_cluster];
    PL_TRY(take(arena, out));
    PL_TRY(take_clusters(arena, out));
    pl_arena_mark mark = pl_arena_here(arena); // what follows is not needed for long
    int32_t *place = pl_arena_take(arena, problem->A->n, sizeof *place);
    if (place == NULL) return PL_ERROR_MEMORY;
    fill_blocks(D, uses, place, out);
    pl_loop(out->n, CHUNK_CONTACTS, fill_nodes, &(filling){problem, D, place, out});
    pl_arena_back(arena, mark);
    return PL_OK;
}

void pl_sweeps_set_unit(pl_sweeps *sweeps, double unit)
{
    sweeps->unit = unit;
    for (int32_t i = 0; i < sweeps->n && sweeps->problem->n_limits > 0; i++) {
        if (sweeps->node[i].limits >= 0) prepare_node(sweeps, sweeps->node + i);
    }
}

// --- Sweeps ---

// x (3) := the relative velocity that all impulses make at a contact, in the world's frame.
static inline void gather(const pl_sweeps *sweeps, const pl_sweep_node *node, double *x)
{
    const pl_sweep_link *link = sweeps->link + node->link;
    double x0 = 0, x1 = 0, x2 = 0;
    for (int32_t l = 0; l < node->n_link; l++) {
        const double *v = sweeps->block[link[l].block].v;
        double w = link[l].w;
        x0 += w * v[0], x1 += w * v[1], x2 += w * v[2];
    }
    for (int32_t l = 0; l < node->n_arm; l++) {
        const double *v = sweeps->block[link[node->n_link - node->n_arm + l].block].v;
        const double *r = sweeps->arm[node->arm + l].r;
        x0 += v[1] * r[2] - v[2] * r[1];
        x1 += v[2] * r[0] - v[0] * r[2];
        x2 += v[0] * r[1] - v[1] * r[0];
    }
    x[0] = x0, x[1] = x1, x[2] = x2;
    for (int32_t l = 0; l < node->n_arm && sweeps->stretch != NULL; l++) {
        const double *v = sweeps->block[link[node->n_link - node->n_arm + l].block].v;
        pl_add_stretch(sweeps->stretch + 6 * (int64_t)(node->arm + l), v, x);
    }
}

// Component a of a contact's relative velocity, with what is added to S.
static inline double turn(const pl_sweep_node *node, const double *x, int a)
{
    const double *e = node->R + 3 * a;
    double own = node->u0[a] + node->held * node->f[a];
    return own + ((e[0] * x[0] + e[1] * x[1]) + e[2] * x[2]);
}

static inline void add_response(pl_sweep_block *block, double g0, double g1, double g2)
{
    const double *m = block->inv;
    block->v[0] += (m[0] * g0 + m[1] * g1) + m[2] * g2;
    block->v[1] += (m[1] * g0 + m[3] * g1) + m[4] * g2;
    block->v[2] += (m[2] * g0 + m[4] * g1) + m[5] * g2;
}

// Adds the velocity that an impulse d makes in a node's blocks.
static inline void push(const pl_sweeps *sweeps, const pl_sweep_node *node, const double *d)
{
    const pl_sweep_link *link = sweeps->link + node->link;
    const double *R = node->R;
    double g0 = (R[0] * d[0] + R[3] * d[1]) + R[6] * d[2];
    double g1 = (R[1] * d[0] + R[4] * d[1]) + R[7] * d[2];
    double g2 = (R[2] * d[0] + R[5] * d[1]) + R[8] * d[2];
    int32_t n = node->n_link - node->n_arm;
    for (int32_t l = 0; l < n; l++) {
        double w = link[l].w;
        add_response(sweeps->block + link[l].block, w * g0, w * g1, w * g2);
    }
    for (int32_t l = n; l < node->n_link; l++) {
        const double *r = sweeps->arm[node->arm + l - n].r;
        double w = link[l].w;
        double p[3] = {w * g0 + (r[1] * g2 - r[2] * g1), w * g1 + (r[2] * g0 - r[0] * g2),
                       w * g2 + (r[0] * g1 - r[1] * g0)};
        if (sweeps->stretch != NULL) {
            const double g[3] = {g0, g1, g2};
            pl_add_stretch(sweeps->stretch + 6 * (int64_t)(node->arm + l - n), g, p);
        }
        add_response(sweeps->block + link[l].block, p[0], p[1], p[2]);
    }
}

// A sweep has two phases, see relax_strips, and in a phase clusters come one after the other.
static int64_t time_of(int64_t phase, int32_t cluster)
{
    return phase << 32 | cluster;
}

static void mark(const pl_sweeps *sweeps, const pl_sweep_node *node, int64_t now)
{
    const pl_sweep_link *link = sweeps->link + node->link;
    for (int32_t l = 0; l < node->n_link; l++) sweeps->block[link[l].block].when = now;
}

// Has a block of the cluster changed since it was solved?
static bool is_stirred(const pl_sweeps *sweeps, int32_t cluster)
{
    const int32_t *start = sweeps->islands.cluster;
    int64_t when = sweeps->cluster[cluster].when;
    for (int32_t i = start[cluster]; i < start[cluster + 1]; i++) {
        const pl_sweep_node *node = sweeps->node + i;
        const pl_sweep_link *link = sweeps->link + node->link;
        for (int32_t l = 0; l < node->n_link; l++) {
            if (sweeps->block[link[l].block].when > when) return true;
        }
    }
    return false;
}

// The same as below for a constraint with limits. What is added to its S resists the change of its
// impulse, not the impulse itself: where nothing changes any more it has no part in the solution.
static double relax_limited(const pl_sweeps *sweeps, pl_sweep_node *node)
{
    const pl_limits *limits = sweeps->problem->limits + node->limits;
    double x[3], w[3], d[3];
    gather(sweeps, node, x);
    for (int a = 0; a < 3; a++) {
        const double *e = node->R + 3 * a;
        w[a] = node->u0[a] + ((e[0] * x[0] + e[1] * x[1]) + e[2] * x[2]) +
               sweeps->unit * limits->compliance[a] * node->f[a];
        d[a] = -node->f[a];
    }
    double change = pl_block_relax(&node->block, limits, w, node->f);
    for (int a = 0; a < 3; a++) d[a] += node->f[a];
    push(sweeps, node, d);
    return change;
}

// Solves contact i with all others held; returns the change of its relative velocity that its new
// impulse makes.
static inline double relax(const pl_sweeps *sweeps, int64_t i)
{
    pl_sweep_node *node = sweeps->node + i;
    if (node->limits >= 0) return relax_limited(sweeps, node);
    double x[3], u[3], d[3];
    gather(sweeps, node, x);
    u[0] = turn(node, x, 0);
    bool free = node->f[0] == 0 && node->f[1] == 0 && node->f[2] == 0;
    if (free && u[0] >= 0) return 0; // open, and stays so
    u[1] = turn(node, x, 1);
    u[2] = turn(node, x, 2);
    for (int a = 0; a < 3; a++) d[a] = -node->f[a];
    double change = pl_coulomb_relax(&node->law, u, node->f);
    for (int a = 0; a < 3; a++) d[a] += node->f[a];
    push(sweeps, node, d);
    return change;
}

// Solves contacts one after the other; returns the largest change.
static double relax_contacts(const pl_sweeps *sweeps, int32_t first, int32_t last, int64_t now,
                             double enough)
{
    double most = 0;
    for (int32_t i = first; i < last; i++) {
        pl_sweep_node *node = sweeps->node + i;
        double change = relax(sweeps, i);
        node->drift += change;
        if (node->drift > enough) {
            mark(sweeps, node, now);
            node->drift = 0;
        }
        most = PL_MAX(most, change);
    }
    return most;
}

// B (9) := what the velocity of contact i answers to an impulse of contact j.
static void couple(const pl_sweeps *sweeps, int32_t i, int32_t j, double *B)
{
    const pl_sweep_node *a = sweeps->node + i, *b = sweeps->node + j;
    const pl_problem *problem = sweeps->problem;
    const pl_constraint *ca = problem->constraint + a->constraint,
                        *cb = problem->constraint + b->constraint;
    const pl_entry *first_a = problem->entry + ca->first, *last_a = first_a + ca->count;
    const pl_entry *first_b = problem->entry + cb->first, *last_b = first_b + cb->count;
    double M[6] = {0};
    memset(B, 0, 9 * sizeof *B);
    for (const pl_entry *s = first_a; s < last_a; s++) {
        for (const pl_entry *t = first_b; t < last_b; t++) {
            if (s->block != t->block) continue;
            const double *inv = sweeps->D->inv + 6 * (int64_t)s->block;
            if (s->arm >= 0 || t->arm >= 0) {
                double G[9], K[9];
                pl_entry_rows(problem, ca, s, G);
                pl_entry_rows(problem, cb, t, K);
                pl_add_response(G, inv, K, B);
            } else {
                for (int e = 0; e < 6; e++) M[e] += s->w * t->w * inv[e];
            }
        }
    }
    pl_add_response(ca->R, M, cb->R, B);
}

// S of the nodes first .. first + n - 1.
static void make_cluster(const pl_sweeps *sweeps, int32_t first, int32_t n, double *S)
{
    int64_t m = 3 * n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double B[9];
            if (j < i) {
                couple(sweeps, first + i, first + j, B);
            } else {
                memcpy(B, sweeps->node[first + i].law.S, sizeof B);
            }
            for (int e = 0; e < 9; e++) {
                S[(3 * i + e / 3) * m + 3 * j + e % 3] = B[e];
                S[(3 * j + e % 3) * m + 3 * i + e / 3] = B[e];
            }
        }
    }
}

// The nodes first .. first + n - 1 as a cluster, with all other impulses held.
static void load_cluster(const pl_sweeps *sweeps, int32_t first, int32_t n, double *S,
                         pl_cluster *c)
{
    int32_t m = 3 * n;
    PL_ASSERT(n <= c->capacity);
    c->n = n;
    c->S = S;
    for (int32_t i = 0; i < n; i++) {
        const pl_sweep_node *node = sweeps->node + first + i;
        double x[3];
        c->law[i] = node->law;
        memcpy(c->f + 3 * (int64_t)i, node->f, sizeof node->f);
        gather(sweeps, node, x);
        for (int a = 0; a < 3; a++) c->q[3 * i + a] = turn(node, x, a);
    }
    for (int32_t i = 0; i < m; i++) {
        const double *row = S + (int64_t)i * m;
        for (int32_t j = 0; j < m; j++) c->q[i] -= row[j] * c->f[j];
    }
}

// Solves the contacts of a cluster, one after the other if that is enough or else together; returns
// the largest change of the first.
static double relax_cluster(const pl_sweeps *sweeps, int32_t cluster, int64_t now, double enough)
{
    int32_t first = sweeps->islands.cluster[cluster], n = size_of(sweeps, cluster);
    pl_sweep_cluster *kept = sweeps->cluster + cluster;
    double change = relax_contacts(sweeps, first, first + n, now, enough);
    kept->when = n == 1 ? now : now - 1; // contacts of a cluster change each other
    if (change <= enough || n == 1 || sweeps->plain) return change;
    if (kept->wait > 0) {
        kept->wait--;
        return change;
    }
    pl_cluster *c = sweeps->solver + pl_thread_slot();
    double goal = PL_MAX(enough, CLUSTER_SHARE * change);
    if (!kept->made) make_cluster(sweeps, first, n, kept->S);
    kept->made = true;
    load_cluster(sweeps, first, n, kept->S, c);
    bool solved = pl_cluster_solve(c, goal);
    kept->failures = solved ? 0 : PL_MIN(kept->failures + 1, MOST_FAILURES);
    kept->wait = solved ? 0 : 1 << kept->failures;
    for (int32_t i = 0; i < n; i++) {
        pl_sweep_node *node = sweeps->node + first + i;
        const double *f = c->f + 3 * (int64_t)i;
        const double d[3] = {f[0] - node->f[0], f[1] - node->f[1], f[2] - node->f[2]};
        node->law.ratio = c->law[i].ratio;
        memcpy(node->f, f, sizeof node->f);
        push(sweeps, node, d);
        mark(sweeps, node, now);
    }
    return change;
}

// The clusters first .. last - 1 in a phase of a sweep, all of them or those that others stirred;
// returns the largest change.
static double relax_clusters(const pl_sweeps *sweeps, int32_t first, int32_t last, int64_t phase,
                             bool all, double enough)
{
    double most = 0;
    for (int32_t c = first; c < last; c++) {
        if (!all && !is_stirred(sweeps, c)) continue;
        double change = relax_cluster(sweeps, c, time_of(phase, c), enough);
        most = PL_MAX(most, change);
    }
    return most;
}

typedef struct strip_loop {
    const pl_sweeps *sweeps;
    const int32_t *strip;
    int64_t phase;
    bool all;
    double enough;
    double *change; // of each strip
} strip_loop;

static void relax_some_strips(void *context, int64_t first, int64_t last)
{
    const strip_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        l->change[i] =
            relax_clusters(l->sweeps, l->strip[i], l->strip[i + 1], l->phase, l->all, l->enough);
    }
}

// One sweep over a large island, by all threads: strip (PL_STRIPS + 1). Those of one half are free
// of each other.
static double relax_strips(const pl_sweeps *sweeps, const int32_t *strip, int64_t phase, bool all,
                           double enough)
{
    double change[PL_STRIPS], most = 0;
    for (int half = 0; half < 2; half++) {
        int at = half * (PL_STRIPS / 2);
        pl_loop(PL_STRIPS / 2, 1, relax_some_strips,
                &(strip_loop){sweeps, strip + at, phase + half, all, enough, change + at});
    }
    for (int i = 0; i < PL_STRIPS; i++) most = PL_MAX(most, change[i]);
    return most;
}

static int32_t sweep_island(const pl_sweeps *sweeps, int32_t island, int32_t n, double enough)
{
    const pl_islands *islands = &sweeps->islands;
    bool wide = island < islands->n_large && sweeps->wide[island];
    const int32_t *strip = wide ? islands->strip + (PL_STRIPS + 1) * (int64_t)island : NULL;
    int32_t first = islands->start[island], last = islands->start[island + 1], made = 0;
    double change = INFINITY;
    for (; made < n && change > enough; made++) {
        int64_t phase = sweeps->n_phase + 2 * (int64_t)made;
        change = wide ? relax_strips(sweeps, strip, phase, made == 0, enough)
                      : relax_clusters(sweeps, first, last, phase, made == 0, enough);
    }
    return made;
}

void pl_sweeps_set(pl_sweeps *sweeps, const double *f)
{
    for (int32_t i = 0; i < sweeps->n; i++) {
        pl_sweep_node *node = sweeps->node + i;
        memcpy(node->f, f + 3 * (int64_t)node->constraint, sizeof node->f);
    }
    pl_rows_transpose(sweeps->problem, sweeps->uses, f, sweeps->world, sweeps->push);
}

typedef struct run_loop {
    const pl_sweeps *sweeps;
    int32_t n; // sweeps
    double enough;
    const double *u0;
    double *f;
    _Atomic int32_t most; // sweeps that an island took
} run_loop;

static void start_nodes(void *context, int64_t first, int64_t last)
{
    const run_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        pl_sweep_node *node = l->sweeps->node + i;
        memcpy(node->u0, l->u0 + 3 * (int64_t)node->constraint, sizeof node->u0);
        node->drift = 0;
    }
}

// v := D^-1 L^T f, anew from L^T f: what is added in sweeps rounds.
static void start_blocks(void *context, int64_t first, int64_t last)
{
    const run_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        pl_sweep_block *block = l->sweeps->block + i;
        const double *g = l->sweeps->push + 3 * i;
        memset(block->v, 0, sizeof block->v);
        add_response(block, g[0], g[1], g[2]);
    }
}

static void finish_nodes(void *context, int64_t first, int64_t last)
{
    const run_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        const pl_sweep_node *node = l->sweeps->node + i;
        memcpy(l->f + 3 * (int64_t)node->constraint, node->f, sizeof node->f);
    }
}

// First the large islands, one by one, then a few of the small ones at a time.
static void sweep_islands(void *context, int64_t first, int64_t last)
{
    run_loop *l = context;
    const pl_sweeps *sweeps = l->sweeps;
    int32_t n_large = sweeps->islands.n_large, n_small = sweeps->n_small;
    for (int64_t i = first; i < last; i++) {
        if (i < n_large) {
            if (!sweeps->wide[i])
                pl_raise(&l->most, sweep_island(sweeps, (int32_t)i, l->n, l->enough));
            continue;
        }
        int32_t at = n_large + CHUNK_ISLANDS * (int32_t)(i - n_large);
        int32_t end = PL_MIN(at + CHUNK_ISLANDS, sweeps->islands.n);
        for (; at < end; at++) {
            pl_raise(&l->most, sweep_island(sweeps, at, l->n * n_small, l->enough));
        }
    }
}

int32_t pl_sweeps_run(pl_sweeps *sweeps, int32_t n, double enough, const double *u0, double *f)
{
    int32_t n_large = sweeps->islands.n_large;
    int64_t n_group = (sweeps->islands.n - n_large + CHUNK_ISLANDS - 1) / CHUNK_ISLANDS;
    run_loop l = {sweeps, n, enough, u0, f, 0};
    pl_loop(sweeps->n, CHUNK_CONTACTS, start_nodes, &l);
    pl_loop(sweeps->uses->n, CHUNK_CONTACTS, start_blocks, &l);
    for (int32_t i = 0; i < n_large; i++) {
        if (sweeps->wide[i]) pl_raise(&l.most, sweep_island(sweeps, i, n, enough));
    }
    bool few = sweeps->n < 2 * CHUNK_CONTACTS;
    pl_loop(n_large + n_group, few ? n_large + n_group : 1, sweep_islands, &l);
    sweeps->n_phase += 2 * (int64_t)l.most;
    pl_loop(sweeps->n, CHUNK_CONTACTS, finish_nodes, &l);
    pl_rows_transpose(sweeps->problem, sweeps->uses, f, sweeps->world, sweeps->push);
    return l.most;
}
