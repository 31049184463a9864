// Tables of numbers: what is read, what is refused and at which line.

#include "../apps/common/csv.h"
#include "failing_alloc.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static char path[64];

void setUp(void)
{
    snprintf(path, sizeof path, "/tmp/pliant-csv-%d.csv", (int)getpid());
}

void tearDown(void)
{
    fail_never();
    remove(path);
}

static void put(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fwrite(text, 1, size, file);
    TEST_ASSERT_EQUAL(0, fclose(file));
}

static void read_text(const char *text, pl_csv *csv)
{
    put(text, strlen(text));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_csv_read(path, csv), pl_error_text());
}

static void refuse(const char *text, const char *part)
{
    pl_csv csv;
    put(text, strlen(text));
    TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_FORMAT, pl_csv_read(path, &csv), text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
    TEST_ASSERT_TRUE(csv.n_column == 0 && csv.name == NULL && csv.row == NULL);
}

static void test_numbers(void)
{
    pl_csv csv;
    const double *a, *b;
    read_text("\xef\xbb\xbfstep, b ,hash\r\n1, 2.5 ,007\r\n\r\n2,-inf,zz\r\n3,nan,x\n4,inf,\n",
              &csv);
    TEST_ASSERT_EQUAL_INT(3, csv.n_column);
    TEST_ASSERT_EQUAL_INT(4, csv.n_row);
    TEST_ASSERT_EQUAL_INT(1, pl_csv_find(&csv, "b"));
    TEST_ASSERT_EQUAL_INT(-1, pl_csv_find(&csv, "c"));
    TEST_ASSERT_EQUAL(PL_OK, pl_csv_numbers(&csv, 0, &a));
    TEST_ASSERT_EQUAL(PL_OK, pl_csv_numbers(&csv, 1, &b));
    TEST_ASSERT_TRUE(a[0] == 1 && a[3] == 4 && b[0] == 2.5 && b[1] == -INFINITY);
    TEST_ASSERT_TRUE(isnan(b[2]) && b[3] == INFINITY);
    const double *again;
    TEST_ASSERT_EQUAL(PL_OK, pl_csv_numbers(&csv, 1, &again));
    TEST_ASSERT_TRUE(again == b);
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_csv_numbers(&csv, 2, &a)); // needed by no one else
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), ".csv:4: hash: \"zz\" is not a number"),
                                 pl_error_text());
    TEST_ASSERT_NULL(a);
    pl_csv_free(&csv);
}

// What is written reads back to the bit.
static void test_round_trip(void)
{
    const double values[] = {0, -1.0 / 3, 1e300, 5e-324, INFINITY, -INFINITY, NAN};
    enum { N = sizeof values / sizeof values[0] };
    char text[512];
    pl_text rows = pl_text_start(text, sizeof text);
    pl_text_add(&rows, "x\n");
    for (int i = 0; i < N; i++) {
        pl_csv_add_number(&rows, values[i]);
        pl_text_add(&rows, "\n");
    }
    pl_csv csv;
    const double *x;
    read_text(text, &csv);
    TEST_ASSERT_EQUAL_INT(N, csv.n_row);
    TEST_ASSERT_EQUAL(PL_OK, pl_csv_numbers(&csv, 0, &x));
    TEST_ASSERT_EQUAL_MEMORY(values, x, (N - 1) * sizeof *x);
    TEST_ASSERT_TRUE(isnan(x[N - 1]));
    pl_csv_free(&csv);
}

// A run that is still writing, or was killed.
static void test_a_row_under_way(void)
{
    pl_csv csv;
    read_text("a,b\n1,2\n3", &csv);
    TEST_ASSERT_EQUAL_INT(1, csv.n_row);
    pl_csv_free(&csv);
    read_text("a,b\n", &csv);
    TEST_ASSERT_EQUAL_INT(0, csv.n_row);
    pl_csv_free(&csv);
}

static void test_what_is_refused(void)
{
    refuse("", ".csv: empty");
    refuse("a,b", ".csv: empty");
    refuse("a,,b\n1,2,3\n", ".csv:1: column 2 has no name");
    refuse("\n1,2\n", ".csv:1: column 1 has no name");
    refuse("a,b,a\n", ".csv:1: two columns are named \"a\"");
    refuse("a,b\n1,2\n\n1\n", ".csv:4: 1 values, where the header names 2 columns");
    refuse("a,b\n1,2,3\n", ".csv:2: 3 values");
    refuse("a,b\n1,\"2\"\n", ".csv:2: a quotation mark");
    pl_csv csv;
    put("a\n1\0\n", 5);
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_csv_read(path, &csv));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), ".csv:2: a zero byte"), pl_error_text());
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_csv_read("/tmp/pliant-none.csv", &csv));
    static const char *const no_numbers[] = {"a\n1x\n",  "a\n0x10\n", "a\n \n",
                                             "a\n1 2\n", "a\nnano\n", "a\n1e999\n"};
    for (int i = 0; i < 6; i++) {
        const double *value;
        read_text(no_numbers[i], &csv);
        TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_FORMAT, pl_csv_numbers(&csv, 0, &value), no_numbers[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), ".csv:2: a: "), pl_error_text());
        pl_csv_free(&csv);
    }
}

static pl_status read_both(void *user)
{
    (void)user;
    pl_csv csv;
    const double *value;
    PL_TRY(pl_csv_read(path, &csv));
    pl_status status = pl_csv_numbers(&csv, 1, &value);
    pl_csv_free(&csv);
    return status;
}

static void test_memory(void)
{
    put("a,b\n1,2\n", 8);
    TEST_ASSERT_TRUE(fail_each_allocation(read_both, NULL) > 4);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_numbers);
    RUN_TEST(test_round_trip);
    RUN_TEST(test_a_row_under_way);
    RUN_TEST(test_what_is_refused);
    RUN_TEST(test_memory);
    return UNITY_END();
}
