// Contact problems in files: the same bits back, the same solution, and no damage goes unseen.

#include "contacts.h"
#include "../base/hash.h"
#include "../solvers/problem_file.h"

#include <stdio.h>
#include <unistd.h>

static char path[64];

void setUp(void)
{
    random_state = 1;
    snprintf(path, sizeof path, "/tmp/pliant-problem-%d.plp", (int)getpid());
}

void tearDown(void)
{
    fail_never();
    remove(path);
}

static double places[24]; // of all blocks but the last

static void start_example(small *s, bool prescribed)
{
    start_random(s, 9, 5, 0.4);
    for (int k = 0; k < 2; k++) {
        const pl_limits limits[] = {
            {PL_LAW_CONE, {0.1, 0.2, 0.2}, {0}, {0}, 0, false},
            {PL_LAW_BOX, {0, 0.3, 0}, {-INFINITY, -1, 0}, {INFINITY, 2, 0}, 0, false}};
        pl_constraint frame = random_contact(0.3);
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_limited(&s->problem, &frame, limits + k, 1,
                                                        &(pl_term){k, 1, {0}}));
    }
    for (int i = 0; i < 24; i++) places[i] = random_number();
    s->problem.n_x = 8;
    s->problem.x = places;
    s->prescribed[3] = 1;
    if (!prescribed) s->problem.prescribed = NULL;
    for (int i = 0; i < 27; i++) s->v[i] = random_number();
    for (int i = 0; i < 21; i++) s->f[i] = random_number();
}

static void load(pl_bytes *bytes)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_bytes_load(path, bytes), pl_error_text());
}

static void check_same(const small *s, const pl_recorded *r)
{
    const pl_problem *a = &s->problem, *b = &r->problem;
    TEST_ASSERT_EQUAL(a->A->n, b->A->n);
    TEST_ASSERT_EQUAL(a->A->nnz, b->A->nnz);
    TEST_ASSERT_EQUAL_MEMORY(a->A->col, b->A->col, (size_t)a->A->nnz * sizeof(int32_t));
    TEST_ASSERT_TRUE(same_bits(a->A->val, b->A->val, 9 * a->A->nnz));
    TEST_ASSERT_TRUE(same_bits(a->b, b->b, 27) && same_bits(s->v, r->v, 27));
    TEST_ASSERT_TRUE(same_bits(s->f, r->f, 21) && same_bits(&a->dt, &b->dt, 1));
    TEST_ASSERT_EQUAL(a->prescribed == NULL, b->prescribed == NULL);
    if (a->prescribed != NULL) TEST_ASSERT_EQUAL_MEMORY(a->prescribed, b->prescribed, 9);
    TEST_ASSERT_EQUAL(a->n_x, b->n_x);
    TEST_ASSERT_TRUE(same_bits(a->x, b->x, 24));
    TEST_ASSERT_EQUAL(a->n_constraint, b->n_constraint);
    TEST_ASSERT_EQUAL(a->n_term, b->n_term);
    for (int32_t k = 0; k < a->n_constraint; k++) {
        const pl_constraint *c = a->constraint + k, *d = b->constraint + k;
        TEST_ASSERT_TRUE(same_bits(c->R, d->R, 9) && same_bits(c->c, d->c, 3));
        TEST_ASSERT_TRUE(same_bits(&c->mu, &d->mu, 1));
        TEST_ASSERT_EQUAL_INT32(c->first, d->first);
        TEST_ASSERT_EQUAL_INT32(c->count, d->count);
        TEST_ASSERT_EQUAL_INT32(c->limits, d->limits);
    }
    TEST_ASSERT_EQUAL(a->n_limits, b->n_limits);
    for (int32_t i = 0; i < a->n_limits; i++) {
        TEST_ASSERT_EQUAL(a->limits[i].law, b->limits[i].law);
        TEST_ASSERT_TRUE(same_bits(a->limits[i].compliance, b->limits[i].compliance, 9));
    }
    for (int32_t t = 0; t < a->n_term; t++) {
        pl_term p = pl_problem_term(a, t), q = pl_problem_term(b, t);
        TEST_ASSERT_EQUAL(p.block, q.block);
        TEST_ASSERT_TRUE(same_bits(&p.w, &q.w, 1));
        TEST_ASSERT_TRUE(same_bits(p.r, q.r, 3));
    }
}

static void test_a_problem_comes_back(void)
{
    for (int prescribed = 0; prescribed < 2; prescribed++) {
        small s;
        start_example(&s, prescribed);
        TEST_ASSERT_EQUAL(PL_OK, pl_recorded_write(&s.problem, s.v, s.f, path));
        pl_recorded r;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_recorded_read(path, &r), pl_error_text());
        check_same(&s, &r);
        pl_solve_stats stats;
        TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, ways[0], 1e-5, 1e-6));
        TEST_ASSERT_EQUAL(PL_OK,
                          pl_solve(pl_solver_at(0), &r.problem, NULL, &s.ws, r.v, r.f, &stats));
        TEST_ASSERT_TRUE(same_bits(s.v, r.v, 27) && same_bits(s.f, r.f, 21));
        pl_recorded_free(&r);
        end_small(&s);
    }
}

static void test_an_empty_problem_comes_back(void)
{
    small s;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(0, 0, NULL, &s.A));
    start_small(&s, 1);
    TEST_ASSERT_EQUAL(PL_OK, pl_recorded_write(&s.problem, s.v, s.f, path));
    pl_recorded r;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_recorded_read(path, &r), pl_error_text());
    pl_recorded_free(&r);
    end_small(&s);
}

static void refuse(const pl_bytes *bytes, const char *part)
{
    pl_recorded r;
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_recorded_parse(bytes, "here", &r));
    TEST_ASSERT_NULL(r.b);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "here: "), pl_error_text());
}

static void test_damage_is_seen(void)
{
    small s;
    start_example(&s, true);
    TEST_ASSERT_EQUAL(PL_OK, pl_recorded_write(&s.problem, s.v, s.f, path));
    pl_bytes bytes;
    load(&bytes);
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] ^= (char)(1 << i % 8);
        refuse(&bytes, "");
        bytes.data[i] ^= (char)(1 << i % 8);
    }
    size_t size = bytes.size;
    for (bytes.size = 0; bytes.size < size; bytes.size++) refuse(&bytes, "");
    bytes.size = size;
    pl_bytes_free(&bytes);
    end_small(&s);
}

// Counts that lie, with a file as short as it is: nothing is allocated for them.
static void test_counts_that_do_not_fit(void)
{
    small s;
    start_example(&s, true);
    TEST_ASSERT_EQUAL(PL_OK, pl_recorded_write(&s.problem, s.v, s.f, path));
    pl_bytes bytes;
    load(&bytes);
    const int64_t lie[] = {-1, INT64_MAX, INT64_MIN, INT32_MAX, 1 << 20};
    for (int field = 2; field < 8; field++) {
        if (field == 6) continue; // whether velocities are prescribed
        for (int l = 0; l < 5; l++) {
            char old[8];
            memcpy(old, bytes.data + 8 * field, 8);
            memcpy(bytes.data + 8 * field, &lie[l], 8);
            refuse(&bytes, "counts do not fit");
            memcpy(bytes.data + 8 * field, old, 8);
        }
    }
    for (uint64_t version = 1; version < 6; version += 4) {
        memcpy(bytes.data + 8, &version, 8);
        refuse(&bytes,
               version == 1 ? "version 1, this is version 4" : "version 5, this is version 4");
    }
    bytes.data[0] = 'x';
    refuse(&bytes, "not a contact problem");
    pl_bytes_free(&bytes);
    end_small(&s);
}

// Version 2 had plain cones only: the same file without the kinds of its constraints.
static void test_old_files_are_read(void)
{
    enum { N = 7, RECORD = 13 * 8 + 4, TERM = 4 * 8 + 4 };
    small s;
    start_random(&s, 9, N, 0.4);
    TEST_ASSERT_EQUAL(PL_OK, pl_recorded_write(&s.problem, s.v, s.f, path));
    pl_bytes bytes;
    load(&bytes);
    size_t tail = (size_t)s.problem.n_term * TERM, at = bytes.size - 8 - tail - N * (RECORD + 4);
    for (int k = 0; k < N; k++) {
        char *from = bytes.data + at + (size_t)k * (RECORD + 4);
        int32_t kind;
        memcpy(&kind, from + RECORD, sizeof kind);
        TEST_ASSERT_EQUAL_INT32(0, kind);
        memmove(bytes.data + at + (size_t)k * RECORD, from, RECORD);
    }
    memmove(bytes.data + at + N * RECORD, bytes.data + at + N * (RECORD + 4), tail);
    bytes.size -= 4 * N;
    memcpy(bytes.data + 8, &(uint64_t){2}, 8);
    // The checksum is over pieces as they are written.
    size_t nnz = (size_t)s.A.nnz, piece[] = {72, 80, 4 * nnz, 72 * nnz, 216, 9, 216, 24 * N};
    uint64_t sum = PL_HASH_START;
    at = 0;
    for (int i = 0; i < 8 + 2 * N + 2 * s.problem.n_term; i++) {
        size_t size = i < 8 ? piece[i] : i % 2 != 0 ? 4 : i < 8 + 2 * N ? 13 * 8 : 4 * 8;
        sum = pl_hash(sum, bytes.data + at, size);
        at += size;
    }
    TEST_ASSERT_EQUAL_INT64(bytes.size - 8, at);
    memcpy(bytes.data + at, &sum, sizeof sum);
    pl_recorded r;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_recorded_parse(&bytes, "old", &r), pl_error_text());
    TEST_ASSERT_EQUAL_INT32(N, r.problem.n_constraint);
    TEST_ASSERT_EQUAL_INT32(0, r.problem.n_limits);
    for (int k = 0; k < N; k++) {
        TEST_ASSERT_TRUE(same_bits(s.problem.constraint[k].R, r.problem.constraint[k].R, 13));
        TEST_ASSERT_EQUAL_INT32(-1, r.problem.constraint[k].limits);
    }
    pl_recorded_free(&r);
    pl_bytes_free(&bytes);
    end_small(&s);
}

static void test_a_missing_file(void)
{
    pl_recorded r;
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_recorded_read("/nowhere/x.plp", &r));
    small s;
    start_example(&s, false);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_recorded_write(&s.problem, s.v, s.f, "/nowhere/x.plp"));
    end_small(&s);
}

static pl_status read_again(void *user)
{
    (void)user;
    pl_recorded r;
    pl_status status = pl_recorded_read(path, &r);
    pl_recorded_free(&r);
    return status;
}

static void test_allocations_that_fail(void)
{
    small s;
    start_example(&s, true);
    TEST_ASSERT_EQUAL(PL_OK, pl_recorded_write(&s.problem, s.v, s.f, path));
    fail_each_allocation(read_again, NULL);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_problem_comes_back);
    RUN_TEST(test_an_empty_problem_comes_back);
    RUN_TEST(test_damage_is_seen);
    RUN_TEST(test_counts_that_do_not_fit);
    RUN_TEST(test_old_files_are_read);
    RUN_TEST(test_a_missing_file);
    RUN_TEST(test_allocations_that_fail);
    return UNITY_END();
}
