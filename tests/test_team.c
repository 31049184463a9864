// Loops that threads share.

#include "unity.h"

#include "../base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void setUp(void)
{
}

void tearDown(void)
{
    pl_threads_set(0);
}

enum { N = 100000 };
static _Atomic int32_t visits[N];

typedef struct visit_loop {
    _Atomic int32_t chunks, slots_out_of_range;
} visit_loop;

static void visit(void *context, int64_t first, int64_t last)
{
    visit_loop *l = context;
    l->chunks++;
    int32_t slot = pl_thread_slot();
    if (slot < 0 || slot >= 8) l->slots_out_of_range++;
    for (int64_t i = first; i < last; i++) visits[i]++;
}

// Every item once, whatever the numbers of items and threads.
static void test_every_item_once(void)
{
    const int64_t sizes[] = {1, 2, 3, 15, 16, 17, 1000, 4097, N};
    for (int32_t threads = 1; threads <= 8; threads++) {
        pl_threads_set(threads);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int64_t least = 1; least <= 1000; least *= 10) {
                visit_loop l = {0};
                memset((void *)visits, 0, sizeof visits);
                pl_loop(sizes[s], least, visit, &l);
                for (int64_t i = 0; i < N; i++) {
                    TEST_ASSERT_EQUAL_INT32(i < sizes[s] ? 1 : 0, visits[i]);
                }
                TEST_ASSERT_EQUAL_INT32(0, l.slots_out_of_range);
                TEST_ASSERT_LESS_OR_EQUAL_INT64(PL_MAX(1, sizes[s] / least), l.chunks);
            }
        }
    }
}

static void test_nothing_to_do(void)
{
    visit_loop l = {0};
    pl_loop(0, 1, visit, &l);
    pl_loop(-5, 1, visit, &l);
    TEST_ASSERT_EQUAL_INT32(0, l.chunks);
}

// Fewer than two chunks, and one thread, are one call.
static void test_small_loops_stay_on_the_caller(void)
{
    visit_loop l = {0};
    pl_threads_set(4);
    pl_loop(199, 100, visit, &l);
    TEST_ASSERT_EQUAL_INT32(1, l.chunks);
    pl_threads_set(1);
    l.chunks = 0;
    pl_loop(N, 1, visit, &l);
    TEST_ASSERT_EQUAL_INT32(1, l.chunks);
}

static void sum_all(void *context, int64_t first, int64_t last)
{
    _Atomic int64_t *sum = context;
    for (int64_t i = first; i < last; i++) *sum += i;
}

typedef struct outer {
    _Atomic int64_t sum;
    _Atomic int32_t wrong;
} outer;

// A loop within a loop: by its caller alone, in a slot of its own.
static void nest(void *context, int64_t first, int64_t last)
{
    outer *o = context;
    for (int64_t i = first; i < last; i++) {
        int32_t slot = pl_thread_slot();
        if (pl_threads() != 1) o->wrong++;
        pl_loop(100, 1, sum_all, &o->sum);
        if (pl_thread_slot() != slot) o->wrong++;
    }
}

static void test_loops_within_loops(void)
{
    outer o = {0};
    pl_threads_set(4);
    pl_loop(64, 1, nest, &o);
    TEST_ASSERT_EQUAL_INT64(64 * 4950, o.sum);
    TEST_ASSERT_EQUAL_INT32(0, o.wrong);
    TEST_ASSERT_EQUAL_INT32(4, pl_threads());
}

static void sleep_little(void *context, int64_t first, int64_t last)
{
    _Atomic uint32_t *seen = context;
    *seen |= 1u << pl_thread_slot();
    for (int64_t i = first; i < last; i++) usleep(2000);
}

// Where chunks take long, others take part.
static void test_workers_take_part(void)
{
    _Atomic uint32_t seen = 0;
    pl_threads_set(3);
    for (int i = 0; i < 200 && seen != 7; i++) pl_loop(12, 1, sleep_little, &seen);
    TEST_ASSERT_EQUAL_UINT32(7, seen);
}

// Loops of a few chunks one after the other, with rests in which workers fall asleep: none may be
// lost, and none may see what belongs to another.
static void test_many_short_loops(void)
{
    pl_threads_set(4);
    for (int round = 0; round < 100000; round++) {
        _Atomic int64_t sum = 0;
        int64_t n = 2 + round % 7;
        pl_loop(n, 1, sum_all, &sum);
        TEST_ASSERT_EQUAL_INT64(n * (n - 1) / 2, sum);
        if (round % 1000 == 0) usleep(500);
    }
}

static void *call_from_elsewhere(void *argument)
{
    _Atomic int32_t *wrong = argument;
    pl_threads_set(3);
    for (int round = 0; round < 2000; round++) {
        _Atomic int64_t sum = 0;
        pl_loop(50, 1, sum_all, &sum);
        if (sum != 1225) ++*wrong;
    }
    return NULL;
}

// Each thread of a program has workers of its own, which end with it.
static void test_several_callers(void)
{
    pthread_t thread[4];
    _Atomic int32_t wrong = 0;
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 4; i++) {
            TEST_ASSERT_EQUAL(0, pthread_create(&thread[i], NULL, call_from_elsewhere, &wrong));
        }
        for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    }
    TEST_ASSERT_EQUAL_INT32(0, wrong);
}

// The workers of the parent are not there in the child, which starts its own.
static void test_child_process(void)
{
    _Atomic int64_t sum = 0;
    pl_threads_set(4);
    pl_loop(100, 1, sum_all, &sum);
    pid_t child = fork();
    TEST_ASSERT_GREATER_OR_EQUAL(0, child);
    if (child == 0) {
        alarm(20);
        sum = 0;
        for (int i = 0; i < 100; i++) pl_loop(100, 1, sum_all, &sum);
        _exit(sum == 100 * 4950 ? 0 : 1);
    }
    int status;
    TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
    TEST_ASSERT_TRUE(WIFEXITED(status));
    TEST_ASSERT_EQUAL(0, WEXITSTATUS(status));
}

static void test_numbers(void)
{
    TEST_ASSERT_EQUAL_INT32(0, pl_threads_set(5));
    TEST_ASSERT_EQUAL_INT32(5, pl_threads());
    TEST_ASSERT_EQUAL_INT32(5, pl_threads_enter(0));
    TEST_ASSERT_EQUAL_INT32(5, pl_threads());
    TEST_ASSERT_EQUAL_INT32(5, pl_threads_enter(2));
    TEST_ASSERT_EQUAL_INT32(2, pl_threads());
    TEST_ASSERT_EQUAL_INT32(2, pl_threads_set(0));
    cpu_set_t cores;
    TEST_ASSERT_EQUAL(0, sched_getaffinity(0, sizeof cores, &cores));
    TEST_ASSERT_EQUAL_INT32(PL_MIN(CPU_COUNT(&cores), PL_MAX_THREADS), pl_threads());

    TEST_ASSERT_EQUAL(PL_OK, pl_threads_check(0));
    TEST_ASSERT_EQUAL(PL_OK, pl_threads_check(PL_MAX_THREADS));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_threads_check(-1));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_threads_check(1000000));
    TEST_ASSERT_EQUAL_STRING("threads: 1000000 is not from 0 (one per core) to 256",
                             pl_error_text());
}

static void test_extremes(void)
{
    _Atomic int32_t least = 5, most = 5;
    pl_lower(&least, 7);
    TEST_ASSERT_EQUAL_INT32(5, least);
    pl_lower(&least, -3);
    TEST_ASSERT_EQUAL_INT32(-3, least);
    pl_raise(&most, 3);
    TEST_ASSERT_EQUAL_INT32(5, most);
    pl_raise(&most, 9);
    TEST_ASSERT_EQUAL_INT32(9, most);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_item_once);
    RUN_TEST(test_nothing_to_do);
    RUN_TEST(test_small_loops_stay_on_the_caller);
    RUN_TEST(test_loops_within_loops);
    RUN_TEST(test_workers_take_part);
    RUN_TEST(test_many_short_loops);
    RUN_TEST(test_several_callers);
    RUN_TEST(test_child_process);
    RUN_TEST(test_numbers);
    RUN_TEST(test_extremes);
    return UNITY_END();
}
