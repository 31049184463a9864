#include "../apps/common/subprocess.h"
#include "unity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_before;

static int count_open(void)
{
    int n = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory) != NULL) n++;
    closedir(directory);
    return n;
}

void setUp(void)
{
    open_before = count_open();
}

void tearDown(void)
{
    TEST_ASSERT_EQUAL(open_before, count_open());
    TEST_ASSERT_EQUAL(-1, waitpid(-1, NULL, WNOHANG)); // no zombie
    TEST_ASSERT_EQUAL(ECHILD, errno);
}

static const pl_subprocess_limits limits = {20, (int64_t)1 << 30};

static pl_status run(pl_subprocess_fn *work, const void *argument, pl_bytes *answer)
{
    return pl_subprocess_run("worker", work, argument, &limits, answer);
}

static int send_numbers(int answer, const void *argument)
{
    int n = *(const int *)argument;
    for (int i = 0; i < n; i++) {
        if (!pl_subprocess_send(answer, &i, sizeof i)) return 1;
    }
    return 0;
}

static void test_the_answer_arrives_whole(void)
{
    int counts[] = {0, 1, 1000000};
    for (int k = 0; k < 3; k++) {
        pl_bytes answer;
        TEST_ASSERT_EQUAL(PL_OK, run(send_numbers, &counts[k], &answer));
        TEST_ASSERT_EQUAL((size_t)counts[k] * sizeof(int), answer.size);
        for (int i = 0; i < counts[k]; i++) TEST_ASSERT_EQUAL(i, ((int *)(void *)answer.data)[i]);
        pl_bytes_free(&answer);
    }
}

static int crash(int answer, const void *argument)
{
    int number = *(const int *)argument;
    if (!pl_subprocess_send(answer, "half", 4)) return 1;
    raise(number);
    return 0;
}

static void test_a_crash_is_a_sentence(void)
{
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGFPE, SIGKILL};
    for (int k = 0; k < 4; k++) {
        char expected[64];
        pl_bytes answer;
        TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, run(crash, &numbers[k], &answer));
        snprintf(expected, sizeof expected, "worker crashed (signal %d)", numbers[k]);
        TEST_ASSERT_EQUAL_STRING(expected, pl_error_text());
        TEST_ASSERT_NULL(answer.data);
    }
}

static int give_up(int answer, const void *argument)
{
    (void)answer;
    return *(const int *)argument;
}

static void test_an_exit_status_is_a_sentence(void)
{
    int status = 3;
    pl_bytes answer;
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, run(give_up, &status, &answer));
    TEST_ASSERT_EQUAL_STRING("worker failed (exit status 3)", pl_error_text());
}

static int hang(int answer, const void *argument)
{
    (void)argument;
    for (;;) {
        if (answer < 0) return 0;
        usleep(1000);
    }
}

static void test_time_runs_out(void)
{
    pl_subprocess_limits brief = {0.2, (int64_t)1 << 30};
    pl_bytes answer;
    double start = pl_seconds();
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_subprocess_run("worker", hang, NULL, &brief, &answer));
    TEST_ASSERT_EQUAL_STRING("worker did not finish within 0.2 s", pl_error_text());
    TEST_ASSERT_TRUE(pl_seconds() - start < 5); // generous: the machine may be busy
}

// Takes memory until there is no more; says so with status 7, and with 8 if it got 4 GiB.
static int eat(int answer, const void *argument)
{
    (void)answer;
    (void)argument;
    for (int i = 0; i < 4096; i++) {
        void *block =
            mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) return 7;
    }
    return 8;
}

static void test_memory_runs_out(void)
{
    pl_bytes answer;
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, run(eat, NULL, &answer));
    TEST_ASSERT_EQUAL_STRING("worker failed (exit status 7)", pl_error_text());
}

static int flood(int answer, const void *argument)
{
    while (pl_subprocess_send(answer, argument, 1 << 12)) continue;
    return 0;
}

static void test_an_endless_answer_is_cut(void)
{
    static const char page[1 << 12];
    pl_subprocess_limits small = {20, 1 << 20};
    pl_bytes answer;
    TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, pl_subprocess_run("worker", flood, page, &small, &answer));
    TEST_ASSERT_NULL(answer.data);
}

static int chatter(int answer, const void *argument)
{
    (void)answer;
    (void)argument;
    printf("noise\n");
    fprintf(stderr, "noise\n");
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}

static void test_the_child_is_silent_and_leaves_buffers_alone(void)
{
    char path[] = "/tmp/pliant-test-XXXXXX", text[64] = {0};
    int file = mkstemp(path), out = dup(1), err = dup(2);
    fflush(stdout);
    dup2(file, 1);
    dup2(file, 2);
    printf("kept"); // still in the buffer when the process forks
    pl_bytes answer;
    pl_status status = run(chatter, NULL, &answer);
    fflush(stdout);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    TEST_ASSERT_EQUAL(4, pread(file, text, sizeof text, 0));
    TEST_ASSERT_EQUAL_STRING("kept", text);
    TEST_ASSERT_EQUAL(PL_OK, status);
    pl_bytes_free(&answer);
    close(file);
    unlink(path);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_answer_arrives_whole);
    RUN_TEST(test_a_crash_is_a_sentence);
    RUN_TEST(test_an_exit_status_is_a_sentence);
    RUN_TEST(test_time_runs_out);
    RUN_TEST(test_memory_runs_out);
    RUN_TEST(test_an_endless_answer_is_cut);
    RUN_TEST(test_the_child_is_silent_and_leaves_buffers_alone);
    return UNITY_END();
}
