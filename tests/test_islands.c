// Islands are the connected components of contacts over the blocks that they share, clusters those
// over strong coupling, and every second strip of a large island shares no block with the others:
// each checked against a slow independent answer.

#include "contacts.h"
#include "../solvers/islands.h"

// Couplings in between may make a cluster or not: the choice of islands.c lies there.
static const double SURELY_STRONG = 0.7, SURELY_WEAK = 0.5;

// As many contacts at one block make no cluster, and as few may.
enum { MANY = 64, FEW = PL_CLUSTER_CONTACTS };

typedef struct found {
    small s;
    pl_block_jacobi D;
    pl_uses uses;
    double *scale; // (2*n_constraint)
    int32_t *used; // (A.n) contacts of each block
    pl_islands islands;
    int32_t *island, *cluster; // (n_constraint) where each contact stands; -1: nowhere
} found;

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

static int32_t random_below(int32_t n)
{
    return (int32_t)(random_bits() % (uint32_t)n);
}

// --- Problems ---

static void start_blocks(found *f, int32_t n)
{
    double *mass = random_vector(n);
    for (int32_t i = 0; i < n; i++) mass[i] += 2;
    start_masses(&f->s, n, mass, 0.1);
    free(mass);
}

// A contact between the blocks first .. first + n - 1, or nearly the same one as the last.
static void add_random(found *f, int32_t first, int32_t n)
{
    const pl_problem *p = &f->s.problem;
    pl_constraint contact = random_contact(0.5);
    pl_term term[5];
    int32_t n_term = 1 + random_below(3);
    for (int32_t t = 0; t < n_term; t++) {
        term[t] = (pl_term){first + random_below(n), random_number(), {0}};
        if (term[t].block % 5 == 4) term[t].r[t] = 1, term[t].w = 0;
    }
    if (p->n_constraint > 0 && random_below(3) == 0) {
        const pl_constraint *last = p->constraint + p->n_constraint - 1;
        double change = 0.6 * (1 + random_number()); // of any strength
        n_term = last->count;
        for (int32_t t = 0; t < n_term; t++) {
            term[t] = pl_problem_term(p, last->first + t);
            if (term[t].w != 0) term[t].w += change * random_number();
        }
    }
    if (f->s.prescribed[0]) term[n_term++] = (pl_term){0, 1, {0}}; // which all of them share
    if (random_below(10) == 0) { // on blocks that it does not move
        for (int32_t t = 0; t < n_term; t++) term[t].w = term[t].r[0] = term[t].r[1] = 0;
        for (int32_t t = 0; t < n_term; t++) term[t].r[2] = 0;
    }
    add_contact(&f->s, &contact, n_term, term);
}

static pl_status create(found *f, pl_arena *arena, pl_islands *out)
{
    return pl_islands_create(&f->s.problem, &f->D, &f->uses, f->scale, arena, out);
}

// Prepares what islands need.
static void prepare(found *f)
{
    small *s = &f->s;
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(s->A.n, &f->D));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&f->D, &s->A));
    for (int32_t i = 0; i < s->A.n; i++) {
        if (s->prescribed[i]) memset(f->D.inv + 6 * i, 0, 6 * sizeof(double));
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s->problem, &s->ws.arena, &f->uses));
    double *sum = random_vector(s->A.n);
    f->scale = random_vector(2 * s->problem.n_constraint);
    pl_contact_scales(&s->problem, &f->D, &f->uses, sum, f->scale);
    free(sum);
    f->used = calloc((size_t)s->A.n + 1, sizeof *f->used);
    for (int32_t t = 0; t < s->problem.n_term; t++) f->used[s->problem.entry[t].block]++;
    TEST_ASSERT_EQUAL(PL_OK, create(f, &s->ws.arena, &f->islands));
}

static void end_found(found *f)
{
    pl_block_jacobi_free(&f->D);
    free(f->scale), free(f->used), free(f->island), free(f->cluster);
    end_small(&f->s);
}

// --- Slow answers ---

// label (n_constraint) := the first contact of the component of each over the blocks that are not
// prescribed: labels travel to blocks and back until none moves.
static void spread(const found *f, int32_t *label)
{
    const pl_problem *p = &f->s.problem;
    int32_t *at = malloc((size_t)p->A->n * sizeof *at);
    for (int32_t i = 0; i < p->A->n; i++) at[i] = INT32_MAX;
    for (int32_t k = 0; k < p->n_constraint; k++) label[k] = f->scale[2 * k] > 0 ? k : -1;
    for (bool moved = true; moved;) {
        moved = false;
        for (int32_t k = 0; k < p->n_constraint; k++) {
            const pl_entry *entry = p->entry + p->constraint[k].first;
            if (label[k] < 0) continue;
            for (int32_t t = 0; t < p->constraint[k].count; t++) {
                int32_t block = entry[t].block;
                if (pl_is_prescribed(p, block) || at[block] == label[k]) continue;
                moved = true;
                at[block] = label[k] = PL_MIN(at[block], label[k]);
            }
        }
    }
    free(at);
}

// 1 if two contacts are at the same place, 0 if they have no block in common. *shared: the fewest
// contacts of a block that both have.
static double coupling(const found *f, int32_t a, int32_t b, int32_t *shared)
{
    const pl_problem *p = &f->s.problem;
    double sum[3] = {0};
    *shared = INT32_MAX;
    const int32_t pair[3][2] = {{a, b}, {a, a}, {b, b}};
    for (int i = 0; i < 3; i++) {
        const pl_constraint *c = p->constraint + pair[i][0], *d = p->constraint + pair[i][1];
        for (int32_t k = c->first; k < c->first + c->count; k++) {
            for (int32_t m = d->first; m < d->first + d->count; m++) {
                pl_term s = pl_problem_term(p, k), t = pl_problem_term(p, m);
                if (s.block != t.block || pl_is_prescribed(p, s.block)) continue;
                double mass = p->A->val[9 * p->A->diag[s.block]];
                if (i == 0) *shared = PL_MIN(*shared, f->used[s.block]);
                sum[i] += s.w * t.w / mass;
                for (int e = 0; e < 3; e++) sum[i] += s.r[e] * t.r[e] / mass;
            }
        }
    }
    return fabs(sum[0]) / sqrt(sum[1] * sum[2]);
}

// --- Checks ---

// Where each contact stands: once, in order; islands by size.
static void locate(found *f)
{
    const pl_islands *o = &f->islands;
    int32_t n = f->s.problem.n_constraint, size = INT32_MAX, first = -1;
    f->island = malloc(((size_t)n + 1) * sizeof *f->island);
    f->cluster = malloc(((size_t)n + 1) * sizeof *f->cluster);
    for (int32_t k = 0; k < n; k++) f->island[k] = f->cluster[k] = -1;
    TEST_ASSERT_EQUAL(0, o->start[0]);
    TEST_ASSERT_EQUAL(0, o->cluster[0]);
    TEST_ASSERT_EQUAL(o->n_cluster, o->start[o->n]);
    for (int32_t i = 0; i < o->n; i++) {
        int32_t least = INT32_MAX;
        TEST_ASSERT_TRUE(o->start[i + 1] > o->start[i]);
        for (int32_t c = o->start[i]; c < o->start[i + 1]; c++) {
            TEST_ASSERT_TRUE(o->cluster[c + 1] > o->cluster[c]);
            for (int32_t j = o->cluster[c]; j < o->cluster[c + 1]; j++) {
                int32_t k = o->constraint[j];
                TEST_ASSERT_TRUE(k >= 0 && k < n && f->island[k] < 0);
                TEST_ASSERT_TRUE(j == o->cluster[c] || k > o->constraint[j - 1]);
                f->island[k] = i, f->cluster[k] = c;
                least = PL_MIN(least, k);
            }
            bool sorted =
                c == o->start[i] || o->constraint[o->cluster[c]] > o->constraint[o->cluster[c - 1]];
            TEST_ASSERT_TRUE(sorted || i < o->n_large);
        }
        int32_t many = o->cluster[o->start[i + 1]] - o->cluster[o->start[i]];
        TEST_ASSERT_TRUE(many < size || (many == size && least > first));
        TEST_ASSERT_EQUAL(many >= PL_LARGE_ISLAND, i < o->n_large);
        size = many, first = least;
    }
}

static void check_islands(const found *f)
{
    int32_t n = f->s.problem.n_constraint, *label = malloc(((size_t)n + 1) * sizeof *label);
    int32_t *root = malloc(((size_t)f->islands.n + 1) * sizeof *root), n_root = 0;
    for (int32_t i = 0; i < f->islands.n; i++) root[i] = -1;
    spread(f, label);
    for (int32_t k = 0; k < n; k++) {
        TEST_ASSERT_EQUAL(label[k] < 0, f->island[k] < 0);
        n_root += label[k] == k;
        if (label[k] < 0) continue;
        int32_t *r = root + f->island[k];
        if (*r < 0) *r = label[k];
        TEST_ASSERT_EQUAL(*r, label[k]);
    }
    TEST_ASSERT_EQUAL(n_root, f->islands.n);
    free(label), free(root);
}

static bool is_alone(const found *f, int32_t k)
{
    const int32_t *start = f->islands.cluster + f->cluster[k];
    return start[1] - start[0] == 1;
}

// Strong pairs are in one cluster, or alone where these would be too many; those in one cluster are
// joined by a chain that is not weak. Returns how many pairs are in one cluster and strong.
static int32_t check_clusters(const found *f)
{
    int32_t n = f->s.problem.n_constraint, n_strong = 0;
    int32_t *label = malloc(((size_t)n + 1) * sizeof *label), *size = calloc((size_t)n + 1, 4);
    for (int32_t k = 0; k < n; k++) label[k] = k;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < a; b++) {
            int32_t shared;
            if (f->island[a] < 0 || f->island[b] < 0) continue;
            double x = coupling(f, a, b, &shared);
            if (x < SURELY_WEAK || shared >= MANY) continue;
            int32_t from = label[a], to = label[b];
            for (int32_t k = 0; k < n && from != to; k++)
                label[k] = label[k] == from ? to : label[k];
        }
    }
    for (int32_t k = 0; k < n; k++) size[label[k]]++;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < a; b++) {
            int32_t shared;
            if (f->island[a] < 0 || f->island[b] < 0) continue;
            if (coupling(f, a, b, &shared) <= SURELY_STRONG || shared > FEW) continue;
            bool together = f->cluster[a] == f->cluster[b];
            bool many = size[label[a]] > PL_CLUSTER_CONTACTS;
            TEST_ASSERT_TRUE(together || (many && is_alone(f, a) && is_alone(f, b)));
            n_strong += together;
        }
    }
    const pl_islands *o = &f->islands;
    for (int32_t c = 0; c < o->n_cluster; c++) {
        TEST_ASSERT_TRUE(o->cluster[c + 1] - o->cluster[c] <= PL_CLUSTER_CONTACTS);
        for (int32_t j = o->cluster[c]; j < o->cluster[c + 1]; j++) {
            TEST_ASSERT_EQUAL(label[o->constraint[o->cluster[c]]], label[o->constraint[j]]);
        }
    }
    free(label), free(size);
    return n_strong;
}

// Strips of one half share no block. Returns the share of the contacts of a large island that its
// longest strip has, of all of these the largest.
static double check_strips(const found *f)
{
    const pl_islands *o = &f->islands;
    const pl_problem *p = &f->s.problem;
    int32_t *strip_of = malloc((size_t)p->A->n * sizeof *strip_of); // the last one at each block
    double most = 0;
    for (int32_t i = 0; i < o->n_large; i++) {
        const int32_t *strip = o->strip + (PL_STRIPS + 1) * i;
        int32_t all = o->cluster[o->start[i + 1]] - o->cluster[o->start[i]];
        TEST_ASSERT_EQUAL(o->start[i], strip[0]);
        TEST_ASSERT_EQUAL(o->start[i + 1], strip[PL_STRIPS]);
        for (int32_t e = 0; e < PL_STRIPS; e++) {
            for (int32_t b = 0; b < p->A->n && e % (PL_STRIPS / 2) == 0; b++) strip_of[b] = -1;
            TEST_ASSERT_TRUE(strip[e + 1] >= strip[e]);
            int32_t first = o->cluster[strip[e]], last = o->cluster[strip[e + 1]];
            most = PL_MAX(most, (double)(last - first) / all);
            for (int32_t j = first; j < last; j++) {
                const pl_constraint *contact = p->constraint + o->constraint[j];
                for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
                    int32_t block = p->entry[t].block;
                    if (pl_is_prescribed(p, block)) continue;
                    TEST_ASSERT_TRUE(strip_of[block] < 0 || strip_of[block] == e);
                    strip_of[block] = e;
                }
            }
            for (int32_t c = strip[e] + 1; c < strip[e + 1]; c++) {
                TEST_ASSERT_TRUE(o->constraint[o->cluster[c]] > o->constraint[o->cluster[c - 1]]);
            }
        }
    }
    free(strip_of);
    return most;
}

// --- Tests ---

static void test_random_problems(void)
{
    int32_t n_strong = 0, n_island = 0, n_none = 0;
    for (int trial = 0; trial < 1000; trial++) {
        found f = {0};
        int32_t n = 3 + random_below(40), n_constraint = random_below(60);
        start_blocks(&f, n);
        for (int32_t i = 0; i < n; i++) f.s.prescribed[i] = random_below(4) == 0;
        for (int32_t k = 0; k < n_constraint; k++) add_random(&f, 0, n);
        prepare(&f);
        locate(&f);
        check_islands(&f);
        n_strong += check_clusters(&f);
        n_island += f.islands.n;
        for (int32_t k = 0; k < n_constraint; k++) n_none += f.island[k] < 0;
        TEST_ASSERT_EQUAL(0, f.islands.n_large);
        end_found(&f);
    }
    TEST_ASSERT_TRUE(n_strong > 1000 && n_island > 2000 && n_none > 1000);
}

// Contacts a and c share a block with b, which answers to nothing: they still are one island.
static void test_a_contact_that_answers_to_nothing_parts_no_island(void)
{
    found f = {0};
    start_blocks(&f, 1);
    for (int k = 0; k < 3; k++) {
        pl_constraint contact = random_contact(0.5);
        add_contact(&f.s, &contact, 1, (pl_term[]){{0, k == 1 ? 0 : 1, {0}}});
    }
    prepare(&f);
    locate(&f);
    TEST_ASSERT_EQUAL(1, f.islands.n);
    TEST_ASSERT_EQUAL(2, f.islands.cluster[f.islands.n_cluster]);
    TEST_ASSERT_EQUAL(-1, f.island[1]);
    end_found(&f);
}

static void test_many_contacts_of_a_block_are_no_cluster(void)
{
    const int32_t counts[] = {FEW, FEW + 1, MANY};
    for (int i = 0; i < 3; i++) {
        found f = {0};
        int32_t n = counts[i];
        start_blocks(&f, 1);
        for (int32_t k = 0; k < n; k++) {
            pl_constraint contact = random_contact(0.5);
            add_contact(&f.s, &contact, 1, (pl_term[]){{0, 1, {0}}});
        }
        prepare(&f);
        TEST_ASSERT_EQUAL(1, f.islands.n);
        TEST_ASSERT_EQUAL(n == FEW ? 1 : n, f.islands.n_cluster);
        end_found(&f);
    }
}

// Patches of blocks whose contacts make islands of several sizes, two or three of them large. In
// the first patch, `n_body` contacts have one more block in common.
static void start_patches(found *f, int32_t n_body)
{
    const int32_t n_constraint[] = {30, 900, 5, 700, 5, 100}, n_patch = 6, size = 400;
    start_blocks(f, n_patch * size + 1);
    for (int32_t i = 0; i < n_patch * size; i += 7) f->s.prescribed[i] = 1;
    for (int32_t p = 0; p < n_patch; p++) {
        for (int32_t k = 0; k < n_constraint[p]; k++) {
            add_random(f, p * size, 2 + PL_MIN(n_constraint[p] / 3, size - 2));
        }
    }
    for (int32_t k = 0; k < n_body; k++) {
        pl_constraint contact = random_contact(0.5);
        add_contact(&f->s, &contact, 2,
                    (pl_term[]){{random_below(size), 1, {0}}, {n_patch * size, -1, {0}}});
    }
    prepare(f);
}

static void test_large_islands_are_cut_into_strips(void)
{
    for (int32_t n_body = 0; n_body <= 600; n_body += 600) {
        found f = {0};
        start_patches(&f, n_body);
        locate(&f);
        check_islands(&f);
        TEST_ASSERT_TRUE(check_clusters(&f) > 100);
        TEST_ASSERT_EQUAL(n_body > 0 ? 3 : 2, f.islands.n_large);
        double most = check_strips(&f); // what has a block in common is in two strips at most
        TEST_ASSERT_TRUE(n_body > 0 ? most >= 0.5 : most < 0.5);
        end_found(&f);
    }
}

// Two faces of n x n blocks each on each other, from the middle of one to the corners of the other.
static void test_a_flat_contact_is_cut_evenly(void)
{
    enum { N = 40 };
    found f = {0};
    start_blocks(&f, 2 * N * N);
    for (int32_t i = 0; i < (N - 1) * (N - 1); i++) {
        int32_t corner = i / (N - 1) * N + i % (N - 1);
        pl_term term[] = {{corner, 0.3, {0}}, {corner + N, 0.3, {0}}, {corner + N + 1, 0.4, {0}}};
        pl_constraint contact = random_contact(0.5);
        for (int t = 0; t < 3; t++) term[t].block += i % 2 * N * N;
        add_contact(&f.s, &contact, 3, term);
        contact = random_contact(0.5);
        add_contact(&f.s, &contact, 2, (pl_term[]){{corner, 1, {0}}, {corner + N * N, -1, {0}}});
    }
    prepare(&f);
    locate(&f);
    check_islands(&f);
    TEST_ASSERT_EQUAL(1, f.islands.n_large);
    TEST_ASSERT_TRUE(check_strips(&f) < 3.0 / PL_STRIPS);
    end_found(&f);
}

static void test_same_answer_twice(void)
{
    found f = {0};
    pl_islands again;
    start_patches(&f, 100);
    TEST_ASSERT_EQUAL(PL_OK, create(&f, &f.s.ws.arena, &again));
    const pl_islands *o = &f.islands;
    size_t n = (size_t)o->n_cluster, m = (size_t)o->cluster[n];
    TEST_ASSERT_TRUE(o->n == again.n && o->n_cluster == again.n_cluster);
    TEST_ASSERT_EQUAL_INT32_ARRAY(o->start, again.start, (size_t)o->n + 1);
    TEST_ASSERT_EQUAL_INT32_ARRAY(o->cluster, again.cluster, n + 1);
    TEST_ASSERT_EQUAL_INT32_ARRAY(o->constraint, again.constraint, m);
    end_found(&f);
}

static pl_status create_fresh(void *user)
{
    pl_arena arena = {0};
    pl_islands islands;
    pl_status status = create(user, &arena, &islands);
    pl_arena_free(&arena);
    return status;
}

// In an arena with `room` bytes left, at most 2 MB, where the next chunk is not to be had.
static pl_status create_within(found *f, int64_t room)
{
    pl_arena arena = {0};
    pl_islands islands;
    fail_nth(-1);
    pl_arena_take(&arena, 1 << 21, 1);
    pl_arena_reset(&arena);
    pl_arena_take(&arena, arena.size[0] - room, 1);
    failing_call = allocations;
    pl_status status = create(f, &arena, &islands);
    bool failed = allocations > failing_call;
    pl_arena_free(&arena);
    fail_never();
    TEST_ASSERT_EQUAL(failed ? PL_ERROR_MEMORY : PL_OK, status);
    return status;
}

static void test_allocations_may_fail(void)
{
    found f = {0};
    start_patches(&f, 600);
    fail_each_allocation(create_fresh, &f);
    int64_t room = 0;
    while (create_within(&f, room) == PL_ERROR_MEMORY) room += 512; // strips take more
    TEST_ASSERT_TRUE(room > 12 * 4 * f.s.problem.n_constraint);
    end_found(&f);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_problems);
    RUN_TEST(test_a_contact_that_answers_to_nothing_parts_no_island);
    RUN_TEST(test_many_contacts_of_a_block_are_no_cluster);
    RUN_TEST(test_large_islands_are_cut_into_strips);
    RUN_TEST(test_a_flat_contact_is_cut_evenly);
    RUN_TEST(test_same_answer_twice);
    RUN_TEST(test_allocations_may_fail);
    return UNITY_END();
}
