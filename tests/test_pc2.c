// Point caches that grow, shrink and run out of disk.

#include "../apps/export/pc2.h"
#include "runs.h"
#include "worlds.h"

#include <signal.h>
#include <sys/resource.h>

enum { POINTS = 5 };

static float sample_of_frame[3 * POINTS];

static const float *make_sample(int frame)
{
    for (int i = 0; i < 3 * POINTS; i++) sample_of_frame[i] = (float)(100 * frame + i) / 7;
    return sample_of_frame;
}

void setUp(void)
{
}

void tearDown(void)
{
}

static void make_cache(const char *name, int n)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_create(in_folder(name), POINTS, 12));
    for (int i = 0; i < n; i++) {
        pl_status status = pl_pc2_append(in_folder(name), POINTS, i, make_sample(i));
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    }
}

static void expect_samples(const char *name, int n)
{
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(in_folder(name), &bytes));
    TEST_ASSERT_EQUAL_INT64(32 + 12 * POINTS * n, bytes.size);
    char head[32] = "POINTCACHE2"; // as the format has it
    const int32_t version_points[2] = {1, POINTS}, samples = n;
    const float frames[2] = {12, 1};
    memcpy(head + 12, version_points, 8);
    memcpy(head + 20, frames, 8);
    memcpy(head + 28, &samples, 4);
    TEST_ASSERT_EQUAL_MEMORY(head, bytes.data, sizeof head);
    for (int i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL_MEMORY(make_sample(i), bytes.data + 32 + 12 * POINTS * i,
                                 sizeof sample_of_frame);
    }
    pl_bytes_free(&bytes);
}

static void test_grows_and_shrinks(void)
{
    make_cache("a.pc2", 0);
    expect_samples("a.pc2", 0);
    make_cache("a.pc2", 4); // in place of the other
    expect_samples("a.pc2", 4);
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_check(in_folder("a.pc2"), POINTS, 4));
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_keep(in_folder("a.pc2"), POINTS, 2));
    expect_samples("a.pc2", 2);
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_append(in_folder("a.pc2"), POINTS, 2, make_sample(2)));
    expect_samples("a.pc2", 3);
}

static void test_parts_are_read(void)
{
    pl_pc2 cache;
    float x[6];
    make_cache("b.pc2", 3);
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_open(in_folder("b.pc2"), POINTS, &cache));
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_read(&cache, 1, 2, 2, x));
    TEST_ASSERT_EQUAL_MEMORY(make_sample(1) + 6, x, sizeof x);
    expect_failure(PL_ERROR_FILE, pl_pc2_read(&cache, 3, 0, 2, x), "b.pc2: cannot read");
    pl_pc2_close(&cache);
}

static void test_refused(void)
{
    make_cache("c.pc2", 3);
    write_file("text.pc2", "not a cache of points, but long enough to be one");
    write_file("short.pc2", "POINTCACHE2");
    expect_failure(PL_ERROR_FILE, pl_pc2_check(in_folder("none.pc2"), POINTS, 0), "No such file");
    const char *no = "not a PC2 cache";
    expect_failure(PL_ERROR_FORMAT, pl_pc2_check(in_folder("text.pc2"), POINTS, 0), no);
    expect_failure(PL_ERROR_FORMAT, pl_pc2_check(in_folder("short.pc2"), POINTS, 0), no);
    expect_failure(PL_ERROR_FORMAT, pl_pc2_check(in_folder("c.pc2"), 6, 3), "has 5 points, not 6");
    expect_failure(PL_ERROR_FORMAT, pl_pc2_check(in_folder("c.pc2"), POINTS, 4),
                   "has only 3 of the 4");
    // A file that is shorter than its header says.
    TEST_ASSERT_EQUAL(0, truncate(in_folder("c.pc2"), 32 + 12 * POINTS * 2));
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_pc2_check(in_folder("c.pc2"), POINTS, 3));
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_check(in_folder("c.pc2"), POINTS, 2));
}

// What cannot be written whole leaves the cache as it was.
static void test_disk_full(void)
{
    make_cache("d.pc2", 2);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 32 + 12 * POINTS * 2 + 20; // the third sample does not fit
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    pl_status status = pl_pc2_append(in_folder("d.pc2"), POINTS, 2, make_sample(2));
    setrlimit(RLIMIT_FSIZE, &before);
    expect_failure(PL_ERROR_FILE, status, "d.pc2: cannot write: File too large");
    expect_samples("d.pc2", 2);
    if (access("/dev/full", W_OK) != 0) return;
    expect_failure(PL_ERROR_FILE, pl_pc2_append("/dev/full", POINTS, 0, make_sample(0)),
                   "No space left on device");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_grows_and_shrinks);
    RUN_TEST(test_parts_are_read);
    RUN_TEST(test_refused);
    RUN_TEST(test_disk_full);
    shell("rm -rf $T");
    return UNITY_END();
}
