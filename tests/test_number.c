#include "../base/number.h"
#include "../base/scan.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) // xorshift64
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double random_finite(void)
{
    for (;;) {
        uint64_t bits = random_bits();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) return value;
    }
}

// strtod in the C locale is the reference: glibc's is exact. The same value, bit for bit, and the
// same end; refused where it overflows.
static void compare(const char *text)
{
    char *end;
    double expected = strtod(text, &end);
    double value = 0;
    const char *after = pl_parse_double(text, &value);
    if (isinf(expected)) {
        TEST_ASSERT_NULL_MESSAGE(after, text);
        return;
    }
    TEST_ASSERT_EQUAL_PTR_MESSAGE(end, after, text);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&expected, &value, sizeof value, text);
}

static void test_doubles_printed_in_all_ways(void)
{
    static const char *const formats[] = {"%.*g", "%.*e", "%.*f", "%+.*E"};
    char text[512];
    for (int i = 0; i < 1000000; i++) {
        memset(text, 0, sizeof text);
        double value = random_finite();
        if (i % 4 == 2 || i % 3 == 0) { // of the size that meshes have
            value = ((double)(int64_t)random_bits()) * 0x1p-63 * pow(10, (int)(random_bits() % 9));
        }
        snprintf(text, sizeof text - 64, formats[i % 4], (int)(random_bits() % 19), value);
        compare(text);
    }
}

static void test_random_digits(void)
{
    for (int i = 0; i < 1000000; i++) {
        char text[160] = {0};
        int n = 0, digits = 1 + (int)(random_bits() % 24), point = (int)(random_bits() % 26);
        if (random_bits() % 2 == 0) text[n++] = '-';
        for (int k = 0; k < digits; k++) {
            if (k == point) text[n++] = '.';
            text[n++] = (char)('0' + random_bits() % 10);
        }
        if (random_bits() % 2 == 0) {
            sprintf(text + n, "e%d", (int)(random_bits() % 80) - 40);
        }
        compare(text);
    }
}

// The decimal numbers exactly between two doubles, and their neighbours at a distance.
static void test_halfway(void)
{
    char text[1400];
    for (int i = 0; i < 25000; i++) {
        double a = ldexp((double)(random_bits() >> 11 | (uint64_t)1 << 52),
                         (int)(random_bits() % 160) - 130);
        long double middle = ((long double)a + (long double)nextafter(a, INFINITY)) / 2;
        memset(text, 0, sizeof text);
        int n = snprintf(text, 1200, "%.*Lf", 200, middle);
        compare(text);
        strcpy(text + n, "1");
        compare(text);
        text[n] = '\0';
        while (n > 0 && text[n - 1] == '0') text[--n] = '\0';
        compare(text);
        if (n > 0 && text[n - 1] > '0' && text[n - 1] <= '9') {
            text[n - 1]--;
            compare(text);
        }
    }
}

static void test_edges(void)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "-0.0e5",
        "00000000000000000000000000001",
        "0.000000000000000000000000001",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992.5",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "4.9e-324",
        "2.4e-324",
        "2.5e-324",
        "2.2250738585072011e-308",
        "1e-99999",
        "0e99999",
        "1e308",
        "1e309",
        "1e-400",
        "5.",
        ".5",
        "+7",
        "1e+5",
        "1E-5",
        "12345678",
        "123456789",
        "1234567812345678",
        "12345678.12345678",
        "0.1234567812345678",
        "1e00000000005",
        "6250000000000000000000000000000000e-12",
        "8.20788039913184155e-12",
        "7.3177701707893310e+15",
        "123.456abc",
        "1.5,2.5",
        "3/4",
        "1-2",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[128] = {0};
        strcpy(text, texts[i]);
        compare(text);
    }
    char large[5000] = {0}; // thousands of digits
    memset(large, '3', 4900);
    large[1] = '.';
    compare(large);
    memset(large, '0', 4800);
    large[1] = '.';
    compare(large);
}

static void test_no_numbers(void)
{
    static const char *const texts[] = {"",    "-",   "+",     ".",      "-.",  "e5",  "1e",
                                        "1e+", "nan", "inf",   "-inf",   "NaN", "+-1", "--1",
                                        "abc", " 1",  "1e400", "-1e309", "\n1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64] = {0};
        strcpy(text, texts[i]);
        double value;
        TEST_ASSERT_NULL_MESSAGE(pl_parse_double(text, &value), texts[i]);
    }
}

static void test_hexadecimal_is_not_read(void)
{
    char text[64] = "0x1p4";
    double value = 1;
    TEST_ASSERT_EQUAL_PTR(text + 1, pl_parse_double(text, &value));
    TEST_ASSERT_EQUAL_DOUBLE(0, value);
}

static void expect_integer(const char *digits, int64_t expected)
{
    char text[128] = {0};
    strcpy(text, digits);
    int64_t value = 0;
    TEST_ASSERT_EQUAL_PTR_MESSAGE(text + strlen(digits), pl_parse_int64(text, &value), digits);
    TEST_ASSERT_EQUAL_INT64(expected, value);
}

static void test_integers(void)
{
    expect_integer("0", 0);
    expect_integer("-1", -1);
    expect_integer("+17", 17);
    expect_integer("1234567", 1234567);
    expect_integer("12345678", 12345678);
    expect_integer("-123456789", -123456789);
    expect_integer("4294967296", 4294967296);
    expect_integer("999999999999999999", 999999999999999999);
    expect_integer("0000000000000000000000000000012", 12);
    for (int i = 0; i < 200000; i++) {
        char text[32];
        int64_t value = (int64_t)random_bits() / 20 >> (random_bits() % 60);
        sprintf(text, "%lld", (long long)value);
        expect_integer(text, value);
    }
    static const char *const none[] = {
        "", "-", "x", "+-3", "1000000000000000000", "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        char text[64] = {0};
        strcpy(text, none[i]);
        int64_t value;
        TEST_ASSERT_NULL_MESSAGE(pl_parse_int64(text, &value), none[i]);
    }
}

static void round_trip(double value)
{
    char text[PL_DOUBLE_TEXT];
    size_t length = pl_double_text(value, text);
    TEST_ASSERT_EQUAL_UINT64(strlen(text), length);
    double back = 0;
    TEST_ASSERT_EQUAL_PTR_MESSAGE(text + length, pl_parse_double(text, &back), text);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&value, &back, sizeof value, text);
}

static void test_text_of_doubles(void)
{
    static const double values[] = {0,    -0.0,    1,        -1,      0.1,      1.0 / 3,
                                    1e22, DBL_MAX, -DBL_MAX, DBL_MIN, 4.9e-324, DBL_EPSILON};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) round_trip(values[i]);
    for (int i = 0; i < 200000; i++) round_trip(random_finite());
    char text[PL_DOUBLE_TEXT];
    pl_double_text(0.1, text);
    TEST_ASSERT_EQUAL_STRING("0.1", text);
    pl_double_text(-52.9283, text);
    TEST_ASSERT_EQUAL_STRING("-52.9283", text);
}

// Makes the locale `name` in a directory of its own, for machines without any but C.
static bool enter_locale(const char *name)
{
    static char directory[] = "/tmp/pliant-locale-XXXXXX";
    if (directory[sizeof directory - 2] == 'X' && mkdtemp(directory) == NULL) return false;
    char command[256];
    snprintf(command, sizeof command, "localedef -i %s -f UTF-8 %s/%s.UTF-8 >/dev/null 2>&1", name,
             directory, name);
    if (system(command) == -1) return false;
    setenv("LOCPATH", directory, 1);
    char full[64];
    snprintf(full, sizeof full, "%s.UTF-8", name);
    bool entered = setlocale(LC_ALL, full) != NULL;
    snprintf(command, sizeof command, "rm -rf %s/%s.UTF-8; rmdir %s 2>/dev/null", directory, name,
             directory);
    if (system(command) == -1) return false;
    strcpy(directory, "/tmp/pliant-locale-XXXXXX");
    unsetenv("LOCPATH");
    return entered;
}

static void test_locale(void)
{
    static const char *const names[] = {"de_DE", "ps_AF"}; // a comma; a point of two bytes
    int n_entered = 0;
    for (int i = 0; i < 2; i++) {
        if (!enter_locale(names[i]) || strcmp(localeconv()->decimal_point, ".") == 0) continue;
        n_entered++;
        for (int k = 0; k < 10000; k++) round_trip(random_finite());
        char text[64] = "2.50000000000000000000000000000001"; // the slow way, through strtod
        double value;
        TEST_ASSERT_EQUAL_PTR(text + strlen(text), pl_parse_double(text, &value));
        TEST_ASSERT_EQUAL_DOUBLE(2.5, value);
        pl_double_text(2.5, text);
        TEST_ASSERT_EQUAL_STRING("2.5", text);
        setlocale(LC_ALL, "C");
    }
    setlocale(LC_ALL, "C");
    if (n_entered == 0) TEST_IGNORE_MESSAGE("no locale with a decimal comma could be made");
}

// --- The cursor ---

static pl_bytes bytes_of(const char *text)
{
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_copy(text, strlen(text), &bytes));
    return bytes;
}

static void test_scan(void)
{
    pl_bytes bytes = bytes_of("\xef\xbb\xbf# a comment\r\n \t\n word 1 2.5x\r\nlast");
    pl_scan scan = pl_scan_start(&bytes, "text");
    pl_scan_comments(&scan);
    TEST_ASSERT_FALSE(pl_scan_word(&scan, "wor"));
    TEST_ASSERT_TRUE(pl_scan_word(&scan, "word"));
    int64_t i;
    double x;
    TEST_ASSERT_TRUE(pl_scan_int64(&scan, &i));
    TEST_ASSERT_TRUE(pl_scan_separated(&scan));
    TEST_ASSERT_TRUE(pl_scan_double(&scan, &x));
    TEST_ASSERT_FALSE(pl_scan_separated(&scan));
    TEST_ASSERT_FALSE(pl_scan_double(&scan, &x));
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_scan_fail(&scan, "no %s", "number"));
    TEST_ASSERT_EQUAL_STRING("text:3: no number", pl_error_text());
    pl_scan_next_line(&scan);
    TEST_ASSERT_TRUE(pl_scan_word(&scan, "last"));
    TEST_ASSERT_TRUE(pl_scan_line_ends(&scan) && pl_scan_at_end(&scan));
    pl_scan_next_line(&scan);
    TEST_ASSERT_EQUAL_PTR(scan.end, scan.p);
    TEST_ASSERT_FALSE(pl_scan_int64(&scan, &i));
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_scan_fail_byte(&scan, "end"));
    TEST_ASSERT_EQUAL_STRING("text: byte 37: end", pl_error_text());
    pl_bytes_free(&bytes);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_doubles_printed_in_all_ways);
    RUN_TEST(test_random_digits);
    RUN_TEST(test_halfway);
    RUN_TEST(test_edges);
    RUN_TEST(test_no_numbers);
    RUN_TEST(test_hexadecimal_is_not_read);
    RUN_TEST(test_integers);
    RUN_TEST(test_text_of_doubles);
    RUN_TEST(test_locale);
    RUN_TEST(test_scan);
    return UNITY_END();
}
