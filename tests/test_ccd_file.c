// Files of collision queries: what is read, what is refused and at which line.

#include "../apps/cli/ccd_file.h"
#include "failing_alloc.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// A query whose rows are all alike but for the row given.
static size_t make_query(const char *usual, int other_row, const char *other, char *text)
{
    size_t length = 0;
    for (int row = 0; row < 8; row++) {
        length += (size_t)sprintf(text + length, "%s\n", row == other_row ? other : usual);
    }
    return length;
}

static const char *const usual_row = "1,2,-3,4,0,1,1";

static void expect_failure(int row, const char *text, const char *part)
{
    char file[8192];
    size_t size = make_query(usual_row, row, text, file);
    pl_ccd_queries q;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_ERROR_FORMAT,
                                  pl_ccd_queries_read_memory(file, size, "q.csv", &q), text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
    TEST_ASSERT_TRUE(q.x == NULL && q.truth == NULL && q.n == 0);
}

static void test_numbers_are_exact(void)
{
    char file[1024]; // fractions that are not in lowest terms, or negative below
    size_t size = make_query(usual_row, 5, "-6,-4,9007199254740993,3,0,-7,1\r", file);
    pl_ccd_queries q;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, pl_ccd_queries_read_memory(file, size, "q.csv", &q),
                                  pl_error_text());
    TEST_ASSERT_EQUAL_INT64(1, q.n);
    TEST_ASSERT_TRUE(q.truth[0] && q.x[0] == 0.5 && q.x[1] == -0.75 && q.x[2] == 0);
    TEST_ASSERT_TRUE(q.x[15] == 1.5 && q.x[16] == 3002399751580331 && q.x[17] == 0);
    pl_ccd_queries_free(&q);
}

static void test_lines_are_named(void)
{
    expect_failure(2, "1,0,0,1,0,1,1", "q.csv:3: a denominator is 0");
    expect_failure(0, "1,3,0,1,0,1,1", "q.csv:1: a coordinate is not exactly a double");
    expect_failure(7, "1,2,3,4,5,6", "q.csv:8: expected x_num");
    expect_failure(7, "1,2,3,4,5,8,2", "q.csv:8: expected 0 or 1");
    expect_failure(3, "1,2,3,4,5,8,0", "q.csv:4: the rows of a query disagree");
    expect_failure(3, "1,2,3,4,5,8,1,1", "q.csv:4: more than seven columns");
    expect_failure(1, "1,2,nan,4,5,8,1", "q.csv:2: expected an integer");
    expect_failure(1, "1,2,0.5,4,5,8,1", "q.csv:2: expected x_num");
    expect_failure(1, "-,2,5,4,5,8,1", "q.csv:2: expected an integer");
    char row[1024];
    snprintf(row, sizeof row, "1%0399d,1,0,1,0,1,1", 0);
    expect_failure(6, row, "q.csv:7: a coordinate is too large for a double");
    snprintf(row, sizeof row, "1%0400d,1,0,1,0,1,1", 0);
    expect_failure(6, row, "q.csv:7: an integer of over 400 digits");
}

static void test_incomplete_files(void)
{
    char file[1024];
    size_t size = make_query(usual_row, -1, NULL, file);
    pl_ccd_queries q;
    size_t short_size = size - 2 * (strlen(usual_row) + 1);
    TEST_ASSERT_EQUAL_INT(PL_ERROR_FORMAT,
                          pl_ccd_queries_read_memory(file, short_size, "q.csv", &q));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "the last query has 6 rows"),
                                 pl_error_text());
    TEST_ASSERT_EQUAL_INT(PL_ERROR_FORMAT, pl_ccd_queries_read_memory("\n", 1, "q.csv", &q));
    TEST_ASSERT_EQUAL_INT(PL_ERROR_FORMAT, pl_ccd_queries_read_memory("", 0, "q.csv", &q));
    TEST_ASSERT_EQUAL_INT(PL_ERROR_FILE, pl_ccd_queries_read("/nonexistent/q.csv", &q));
    for (size_t cut = 0; cut < size; cut++) { // wherever the file ends: an answer
        if (pl_ccd_queries_read_memory(file, cut, "q.csv", &q) == PL_OK) pl_ccd_queries_free(&q);
    }
}

// gzip data of `text`, in one member.
static size_t compress_gzip(const char *text, size_t size, unsigned char *out, size_t room)
{
    z_stream z = {
        .next_in = (Bytef *)text, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)room};
    deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
    deflate(&z, Z_FINISH);
    deflateEnd(&z);
    return room - z.avail_out;
}

enum { MANY = 500 };
static char many_text[MANY * 8 * 16];
static unsigned char packed[2 * sizeof many_text];

static size_t make_many(void)
{
    size_t size = 0;
    for (int i = 0; i < MANY; i++) size += make_query(usual_row, -1, NULL, many_text + size);
    return size;
}

static void test_gzip(void)
{
    size_t size = make_many();
    size_t half = compress_gzip(many_text, size, packed, sizeof packed);
    size_t both = half + compress_gzip(many_text, size, packed + half, sizeof packed - half);
    pl_ccd_queries q;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_ccd_queries_read_memory(packed, both, "q.csv.gz", &q));
    TEST_ASSERT_EQUAL_INT64(2 * MANY, q.n);
    TEST_ASSERT_TRUE(q.x[24 * (2 * MANY - 1)] == 0.5);
    pl_ccd_queries_free(&q);
    for (size_t cut = 2; cut < half; cut++) {
        TEST_ASSERT_EQUAL_INT(PL_ERROR_FORMAT,
                              pl_ccd_queries_read_memory(packed, cut, "q.csv.gz", &q));
    }
    packed[half / 2] ^= 0x55;
    TEST_ASSERT_EQUAL_INT(PL_ERROR_FORMAT,
                          pl_ccd_queries_read_memory(packed, half, "q.csv.gz", &q));
}

// Many windows of text, a fault in the last line of which is told by its number.
static void test_gzip_is_read_in_pieces(void)
{
    size_t size = make_many(), used = 0, room = 1 << 20;
    unsigned char *all = malloc(room);
    pl_ccd_queries q;
    for (int i = 0; i < 200; i++) used += compress_gzip(many_text, size, all + used, room - used);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, pl_ccd_queries_read_memory(all, used, "q.csv.gz", &q),
                                  pl_error_text());
    TEST_ASSERT_EQUAL_INT64(200 * MANY, q.n);
    for (int64_t i = 1; i < q.n; i++) {
        TEST_ASSERT_EQUAL_MEMORY(q.x, q.x + 24 * i, 24 * sizeof *q.x);
    }
    pl_ccd_queries_free(&q);
    used += compress_gzip("1,2,nan", 7, all + used, room - used);
    TEST_ASSERT_EQUAL_INT(PL_ERROR_FORMAT, pl_ccd_queries_read_memory(all, used, "q.csv.gz", &q));
    char place[64];
    snprintf(place, sizeof place, "q.csv.gz:%d: expected an integer", 200 * MANY * 8 + 1);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), place), pl_error_text());
    free(all);
}

// 1 MB of gzip data, which hold 1 GB of blanks and more: refused, and without their memory.
static void test_gzip_has_a_limit(void)
{
    enum { MEGABYTE = 1 << 20, ROOM = 4096 };
    char *lines = malloc(MEGABYTE);
    unsigned char *all = malloc((size_t)1100 * ROOM);
    size_t used = 0;
    pl_ccd_queries q;
    memset(lines, ' ', MEGABYTE);
    size_t one = compress_gzip(lines, MEGABYTE, all, ROOM);
    for (used = one; used < 1100 * one; used += one) memcpy(all + used, all, one);
    TEST_ASSERT_EQUAL_INT(PL_ERROR_FORMAT, pl_ccd_queries_read_memory(all, used, "q.csv.gz", &q));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "more than 1024 MB"), pl_error_text());
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifndef PL_OWN_HEAP
    TEST_ASSERT_TRUE_MESSAGE(usage.ru_maxrss < 200 << 10, "too much memory");
#endif
    free(lines), free(all);
}

static pl_status read_packed(void *user)
{
    pl_ccd_queries q;
    pl_status status = pl_ccd_queries_read_memory(packed, *(size_t *)user, "q.csv.gz", &q);
    if (status == PL_OK) pl_ccd_queries_free(&q);
    return status;
}

static void test_allocation_failures(void)
{
    size_t size = compress_gzip(many_text, make_many(), packed, sizeof packed);
    fail_each_allocation(read_packed, &size);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_numbers_are_exact);
    RUN_TEST(test_lines_are_named);
    RUN_TEST(test_incomplete_files);
    RUN_TEST(test_gzip);
    RUN_TEST(test_gzip_is_read_in_pieces);
    RUN_TEST(test_gzip_has_a_limit);
    RUN_TEST(test_allocation_failures);
    return UNITY_END();
}
