// Sweeps over contacts: where A is its own diagonal blocks they alone solve the problem.

#include "contacts.h"
#include "../solvers/sweeps.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

// What sweeps over the contacts of a problem need.
typedef struct ready {
    small *s;
    pl_block_jacobi D;
    pl_uses uses;
    pl_sweeps sweeps;
    double *u0, *scale, *sum;
} ready;

// u0 := the relative velocities without impulses.
static void prepare(small *s, ready *r)
{
    *r = (ready){.s = s};
    r->u0 = random_vector(3 * s->problem.n_constraint);
    r->scale = random_vector(2 * s->problem.n_constraint);
    r->sum = random_vector(s->A.n);
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(s->A.n, &r->D));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&r->D, &s->A));
    for (int64_t i = 0; i < s->A.n; i++) {
        if (s->prescribed[i]) memset(r->D.inv + 6 * i, 0, 6 * sizeof *r->D.inv);
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s->problem, &s->ws.arena, &r->uses));
    pl_contact_scales(&s->problem, &r->D, &r->uses, r->sum, r->scale);
    TEST_ASSERT_EQUAL(
        PL_OK, pl_sweeps_create(&s->problem, &r->D, &r->uses, r->scale, &s->ws.arena, &r->sweeps));
    pl_sweeps_set(&r->sweeps, s->f);
    pl_block_jacobi_apply(&r->D, s->b, s->v);
    pl_rows_multiply(&s->problem, NULL, true, s->v, r->u0);
}

static void end(ready *r)
{
    pl_block_jacobi_free(&r->D);
    free(r->u0), free(r->scale), free(r->sum);
    end_small(r->s);
}

// Sweeps to the end, and measures with the velocities that the impulses make.
static void check_solved(small *s, int32_t most)
{
    ready r;
    int64_t n = 3 * (int64_t)s->A.n, m = 3 * (int64_t)s->problem.n_constraint;
    double *u = random_vector(m), *world = random_vector(m), *g = random_vector(n);
    prepare(s, &r);
    int32_t made = pl_sweeps_run(&r.sweeps, most, 1e-12, r.u0, s->f);
    TEST_ASSERT_TRUE(made > 1 && made < most);
    memcpy(g, s->b, (size_t)n * sizeof *g);
    pl_rows_transpose_add(&s->problem, &r.uses, 1, s->f, world, g);
    for (int32_t i = 0; i < 3 * r.uses.n; i++) {
        int64_t k = 3 * (int64_t)r.uses.block[i / 3] + i % 3;
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, g[k] - s->b[k], r.sweeps.push[i]);
    }
    pl_block_jacobi_apply(&r.D, g, s->v);
    pl_rows_multiply(&s->problem, NULL, true, s->v, u);
    pl_contact_errors errors = {0};
    pl_contact_errors_update(&s->problem, r.scale, u, s->f, &errors);
    TEST_ASSERT_TRUE(pl_contact_errors_within(&errors, 1e-9));
    // Once more, from the impulses that it found.
    TEST_ASSERT_EQUAL(1, pl_sweeps_run(&r.sweeps, most, 1e-9, r.u0, s->f));
    free(u), free(world), free(g);
    end(&r);
}

static void test_random_masses(void)
{
    for (int trial = 0; trial < 20; trial++) {
        small s;
        double mass[12];
        for (int i = 0; i < 12; i++) mass[i] = 2 + random_number();
        start_masses(&s, 12, mass, 0.1);
        for (int i = 0; i < 36; i++) s.b[i] = 3 * random_number();
        for (int k = 0; k < 10; k++) {
            pl_constraint contact = random_contact(0.1 * (trial % 6));
            int32_t a = (int32_t)(random_bits() % 12),
                    b = (a + 1 + (int32_t)(random_bits() % 11)) % 12;
            pl_term term[2] = {{a, 1, {0}}, {b, -1, {0}}};
            if (b % 2 == 1) term[1].r[trial % 3] = 0.4;
            add_contact(&s, &contact, 2, term);
        }
        check_solved(&s, 20000);
    }
}

// Three sweeps, contact by contact in their order, with a matrix that has all of S.
static void test_sweeps_of_a_dense_matrix(void)
{
    for (int trial = 0; trial < 50; trial++) {
        small s;
        ready r;
        double mass[8], expected[27], f[27];
        for (int i = 0; i < 8; i++) mass[i] = 2 + random_number();
        start_masses(&s, 8, mass, 0.1);
        s.prescribed[3] = 1;
        for (int i = 0; i < 24; i++) s.b[i] = 3 * random_number();
        for (int k = 0; k < 9; k++) {
            pl_constraint contact = random_contact(0.1 * (trial % 6));
            pl_term term[4];
            for (int t = 0; t < 4; t++) {
                term[t] = (pl_term){(k + t * t) % 8, random_number(), {0}};
                for (int i = 0; i < 3 && t == trial % 5; i++) term[t].r[i] = random_number();
            }
            add_contact(&s, &contact, 4, term);
            s.f[3 * k] = 0.5 + 0.5 * random_number();
        }
        prepare(&s, &r);
        reduced dense = reduce(&s.problem, s.v);
        r.sweeps.plain = true;
        TEST_ASSERT_EQUAL(9, r.sweeps.n);
        memcpy(f, s.f, sizeof f);
        memcpy(expected, s.f, sizeof expected);
        for (int i = 0; i < 27; i++) { // three times nine
            int k = r.sweeps.islands.constraint[i % 9];
            double S[9], u[3];
            pl_coulomb law;
            const long double *W = dense.W + 81 * k;
            for (int e = 0; e < 9; e++) S[e] = (double)W[e / 3 * 27 + 3 * k + e % 3];
            pl_coulomb_prepare(S, s.problem.constraint[k].mu, &law);
            for (int a = 0; a < 3; a++) {
                u[a] = (double)dense.q[3 * k + a];
                for (int j = 0; j < 27; j++) u[a] += (double)W[a * 27 + j] * expected[j];
            }
            pl_coulomb_relax(&law, u, expected + 3 * k);
        }
        TEST_ASSERT_EQUAL(2, pl_sweeps_run(&r.sweeps, 2, 0, r.u0, f));
        TEST_ASSERT_EQUAL(1, pl_sweeps_run(&r.sweeps, 1, 0, r.u0, f));
        for (int i = 0; i < 27; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-8 * (1 + fabs(expected[i])), expected[i], f[i]);
        }
        free_reduced(&dense);
        end(&r);
    }
}

// --- One body ---

// A plate with n contacts, up to nine in a row.
static void check_plate(int n)
{
    small s;
    start_masses(&s, 2, (double[]){3, 0.5}, 0.01);
    s.b[0] = 0.2, s.b[2] = -0.3, s.b[3] = 0.01, s.b[5] = 0.02;
    for (int k = 0; k < n; k++) {
        pl_constraint contact = contact_along(0.01 * random_number(), 0, 1, 0.5);
        const double x = k % 9 / 8.0 - 0.5, y = k / 9 / 8.0 - 0.5;
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, 0, {x, y, -0.05}}});
    }
    check_solved(&s, 20000);
}

static void test_many_contacts_of_one_body(void)
{
    check_plate(12);
    check_plate(13);
    check_plate(81);
}

// A lid pushes a mass onto 13 others, which it would not reach by itself: contacts that are open at
// first close by what its block carries.
static void test_contacts_that_others_close(void)
{
    small s;
    double mass[14] = {3}, sum = 0;
    for (int k = 0; k < 13; k++) mass[1 + k] = 0.2;
    start_masses(&s, 14, mass, 0.01);
    for (int k = 0; k < 13; k++) {
        pl_constraint contact = contact_along(0, 0, 1, 0.3);
        contact.c[0] = -0.01;
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1 + k, -1, {0}}});
    }
    pl_constraint lid = contact_along(0, 0, -1, 0.3);
    lid.c[0] = 0.5;
    add_contact(&s, &lid, 1, (pl_term[]){{0, 1, {0}}});
    ready r;
    prepare(&s, &r);
    pl_sweeps_run(&r.sweeps, 20000, 1e-12, r.u0, s.f);
    for (int k = 0; k < 13; k++) sum += s.f[3 * k];
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 13 * 0.2 * 0.49, sum);
    end(&r);
}

// A body that turns around a point beneath the contact does not answer along its arm: what pushes
// there cannot be held, and the impulse says so once, whatever the number of sweeps.
static void test_impulses_without_an_answer_do_not_grow(void)
{
    for (int n = 1; n <= 3; n++) {
        small s;
        ready r;
        start_masses(&s, 2, (double[]){1, 1}, 0.01);
        s.prescribed[0] = 1;
        for (int k = 0; k < n; k++) {
            pl_constraint contact = contact_along(0, 0, 1, 0.5);
            contact.c[0] = 0.1;
            add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, 0, {0.01, 0, -0.5}}});
        }
        prepare(&s, &r);
        pl_sweeps_run(&r.sweeps, 5, 0, r.u0, s.f);
        double first = s.f[0];
        for (int i = 0; i < 20; i++) pl_sweeps_run(&r.sweeps, 10, 0, r.u0, s.f);
        TEST_ASSERT_TRUE(first > 1e6 && s.f[0] < 2 * first);
        end(&r);
    }
}

// Friction without a push is none, even if a guess has it.
static void test_open_contacts_keep_no_friction(void)
{
    small s;
    ready r;
    start_masses(&s, 2, (double[]){1, 1}, 0.01);
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    contact.c[0] = -1;
    add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, -1, {0}}});
    s.f[1] = 1;
    prepare(&s, &r);
    pl_sweeps_run(&r.sweeps, 10, 1e-12, r.u0, s.f);
    for (int a = 0; a < 3; a++) TEST_ASSERT_EQUAL_DOUBLE(0, s.f[a]);
    end(&r);
}

// --- Many contacts ---

// Contacts between masses that are neighbours, some of them lever arms or prescribed; every third
// is nearly the same as the last but for its normal, if there are to be clusters.
static void start_many(small *s, int32_t n, int32_t n_constraint, bool clusters)
{
    double *mass = random_vector(n);
    pl_term term[4];
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) mass[i] += 2;
    start_masses(s, n, mass, 0.01);
    for (int32_t i = 0; i < 3 * n; i++) s->b[i] = random_number();
    for (int32_t i = 0; i < n; i += 17) s->prescribed[i] = 1;
    for (int32_t k = 0; k < n_constraint; k++) {
        pl_constraint contact = random_contact(0.5);
        if (clusters && k % 3 == 1) {
            for (int t = 0; t < count; t++) term[t].w *= 1 + 1e-3 * random_number();
        } else {
            int32_t at = (int32_t)(random_bits() % (uint64_t)n);
            count = 2 + (int32_t)(random_bits() % 2);
            for (int t = 0; t < count; t++) {
                int32_t block = (at + 3 * t + (int32_t)(random_bits() % 3)) % n;
                term[t] = (pl_term){block, random_number(), {0}};
                for (int i = 0; i < 3 && block % 5 == 2; i++) term[t].r[i] = 0.4 * random_number();
            }
        }
        add_contact(s, &contact, count, term);
    }
    free(mass);
}

// One island of thousands of contacts, swept by all threads or by one.
static void test_threads_do_not_change_bits(void)
{
    enum { CONTACTS = 3000 };
    static double first[3 * CONTACTS];
    int most = pl_threads();
    for (int trial = 0; trial < 6; trial++) {
        small s;
        ready r;
        random_state = 3;
        start_many(&s, 1000, CONTACTS, true);
        pl_threads_set(1 << trial % 3);
        prepare(&s, &r);
        TEST_ASSERT_TRUE(r.sweeps.islands.n_large == 1 && r.sweeps.wide[0]);
        r.sweeps.wide[0] = trial < 3;
        for (int i = 0; i < 3; i++) pl_sweeps_run(&r.sweeps, 20, 1e-9, r.u0, s.f);
        if (trial == 0) memcpy(first, s.f, sizeof first);
        TEST_ASSERT_TRUE(same_bits(first, s.f, 3 * CONTACTS));
        end(&r);
    }
    pl_threads_set(most);
}

// What a cluster is solved with are its rows and columns of S, and it is made once it is needed.
static void test_clusters_have_their_part_of_S(void)
{
    small s;
    ready r;
    int32_t n_made = 0;
    start_many(&s, 60, 60, true);
    prepare(&s, &r);
    reduced dense = reduce(&s.problem, s.v);
    const pl_islands *islands = &r.sweeps.islands;
    pl_sweeps_run(&r.sweeps, 20, 1e-9, r.u0, s.f);
    for (int32_t c = 0; c < islands->n_cluster; c++) {
        const int32_t *constraint = islands->constraint + islands->cluster[c];
        int32_t m = 3 * (islands->cluster[c + 1] - islands->cluster[c]);
        n_made += r.sweeps.cluster[c].made;
        for (int32_t e = 0; e < m * m && r.sweeps.cluster[c].made; e++) {
            int64_t i = 3 * constraint[e / m / 3] + e / m % 3,
                    j = 3 * constraint[e % m / 3] + e % m % 3;
            double expected = (double)dense.W[i * dense.m + j];
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, expected, r.sweeps.cluster[c].S[e]);
        }
    }
    TEST_ASSERT_TRUE(n_made > 5);
    free_reduced(&dense);
    end(&r);
}

// Contacts at nearly the same place creep if they are swept one after the other.
static void test_clusters_are_solved_together(void)
{
    int32_t made[2];
    for (int plain = 0; plain < 2; plain++) {
        small s;
        ready r;
        start_masses(&s, 2, (double[]){1, 1}, 0.01);
        s.b[2] = -1, s.b[0] = 0.5;
        for (int k = 0; k < 3; k++) {
            pl_constraint contact = contact_along(0.3 * k - 0.3, 0.2 * (k == 1), 1, 0.6);
            add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, -1 + 1e-4 * k, {0}}});
        }
        prepare(&s, &r);
        TEST_ASSERT_EQUAL(1, r.sweeps.islands.n_cluster);
        r.sweeps.plain = plain;
        made[plain] = pl_sweeps_run(&r.sweeps, 5000, 1e-12, r.u0, s.f);
        end(&r);
    }
    TEST_ASSERT_TRUE(made[0] <= 10 && made[1] > 100);
}

// Masses that lie on each other: their weights take many sweeps to get down to the ground.
static void start_pile(small *s, int piles, int high)
{
    double *mass = random_vector(piles * high);
    pl_constraint up = contact_along(0, 0, 1, 0.5);
    for (int i = 0; i < piles * high; i++) mass[i] = 1;
    start_masses(s, piles * high, mass, 0.01);
    for (int i = 0; i < piles * high; i++) {
        bool upon = i % high > 0;
        s->b[3 * i + 2] = -1;
        add_contact(s, &up, 1 + upon, (pl_term[]){{i, 1, {0}}, {i - upon, -1, {0}}});
    }
    free(mass);
}

// After the first sweep of a run only what others stirred is solved, and small piles are swept on.
static void test_sweeps_follow_what_changes(void)
{
    enum { PILES = 40, HIGH = 5, ALL = PILES * HIGH };
    small s;
    ready r;
    start_pile(&s, PILES, HIGH);
    prepare(&s, &r);
    TEST_ASSERT_EQUAL(PILES, r.sweeps.islands.n);
    TEST_ASSERT_EQUAL(20, pl_sweeps_run(&r.sweeps, 20, 1e-9, r.u0, s.f));
    r.sweeps.n_small = 50;
    int32_t made = pl_sweeps_run(&r.sweeps, 20, 1e-9, r.u0, s.f);
    TEST_ASSERT_TRUE(made > 20 && made < 1000);
    for (int i = 0; i < ALL; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, HIGH - i % HIGH, s.f[3 * i]);
    // The ground kicks one pile: nothing else changes.
    r.sweeps.n_small = 1;
    r.u0[0] -= 1;
    int64_t before = r.sweeps.n_phase;
    made = pl_sweeps_run(&r.sweeps, 1000, 1e-7, r.u0, s.f);
    TEST_ASSERT_TRUE(made > 20 && made < 1000);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 2 * HIGH, s.f[0]);
    for (int32_t i = 0; i < r.uses.n; i++) {
        TEST_ASSERT_EQUAL(r.uses.block[i] < HIGH, r.sweeps.block[i].when >> 32 >= before);
    }
    end(&r);
}

// Two masses that fly off above a pile: the lower one's contact shares a block with what changes in
// every sweep, the upper one's does not, and is looked at once.
static void test_what_nothing_stirs_is_passed_over(void)
{
    enum { HIGH = 7, LOWER = HIGH - 2, UPPER };
    small s;
    ready r;
    start_pile(&s, 1, HIGH);
    s.b[3 * LOWER + 2] = 100, s.b[3 * UPPER + 2] = 200;
    prepare(&s, &r);
    const pl_islands *islands = &r.sweeps.islands;
    TEST_ASSERT_EQUAL(1, islands->n);
    int32_t made = pl_sweeps_run(&r.sweeps, 1000, 1e-9, r.u0, s.f), once = 0;
    TEST_ASSERT_TRUE(made > 20 && made < 1000);
    for (int32_t c = 0; c < islands->n_cluster; c++) {
        bool upper = islands->constraint[islands->cluster[c]] == UPPER;
        int64_t phase = r.sweeps.cluster[c].when >> 32;
        TEST_ASSERT_TRUE(upper ? phase == 1 : phase > 20);
        once += upper;
    }
    TEST_ASSERT_EQUAL(1, once);
    end(&r);
}

// The contacts of a pile whose changes become small one by one: they are told nevertheless, so that
// a sweep over all of them would change no more than is enough, or little.
static void test_small_changes_add_up(void)
{
    const double enough = 1e-3;
    for (int high = 4; high <= 20; high++) {
        small s;
        ready r;
        double before[3 * 20];
        start_pile(&s, 1, high);
        prepare(&s, &r);
        TEST_ASSERT_TRUE(pl_sweeps_run(&r.sweeps, 2000, enough, r.u0, s.f) < 2000);
        memcpy(before, s.f, 3 * (size_t)high * sizeof *before);
        pl_sweeps_run(&r.sweeps, 1, 0, r.u0, s.f);
        for (int i = 0; i < high; i++) { // S is 2 between masses
            TEST_ASSERT_DOUBLE_WITHIN(3 * enough / 2, before[3 * i], s.f[3 * i]);
        }
        end(&r);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_masses);
    RUN_TEST(test_sweeps_of_a_dense_matrix);
    RUN_TEST(test_many_contacts_of_one_body);
    RUN_TEST(test_contacts_that_others_close);
    RUN_TEST(test_impulses_without_an_answer_do_not_grow);
    RUN_TEST(test_open_contacts_keep_no_friction);
    RUN_TEST(test_threads_do_not_change_bits);
    RUN_TEST(test_clusters_have_their_part_of_S);
    RUN_TEST(test_clusters_are_solved_together);
    RUN_TEST(test_sweeps_follow_what_changes);
    RUN_TEST(test_what_nothing_stirs_is_passed_over);
    RUN_TEST(test_small_changes_add_up);
    return UNITY_END();
}
