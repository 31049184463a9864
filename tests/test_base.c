// Errors, log, allocator hook, files and the small things below all rooms.

#include "../base/file.h"
#include "../base/text.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unity.h>

static char folder[] = "/tmp/pliant_base_XXXXXX";

void setUp(void)
{
}

void tearDown(void)
{
    pl_set_allocator(NULL);
    pl_set_log(NULL, NULL);
}

static char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void test_version_is_the_header(void)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
    TEST_ASSERT_EQUAL_STRING(text, pl_version());
}

static void *fail_elsewhere(void *unused)
{
    pl_fail(PL_ERROR_FILE, "elsewhere");
    return unused;
}

static void test_error_text_is_per_thread(void)
{
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_fail(PL_ERROR_ARGUMENT, "here %d", 7));
    pthread_t thread;
    pthread_create(&thread, NULL, fail_elsewhere, NULL);
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_STRING("here 7", pl_error_text());
    pl_fail_prefix("place");
    TEST_ASSERT_EQUAL_STRING("place: here 7", pl_error_text());
    pl_fail(PL_ERROR_FILE, "%s again", pl_error_text());
    TEST_ASSERT_EQUAL_STRING("place: here 7 again", pl_error_text());
}

static void test_error_text_is_bounded(void)
{
    char longer[5000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    pl_fail(PL_ERROR_FILE, "%s", longer);
    pl_fail_prefix(longer);
    TEST_ASSERT_LESS_THAN(5000, strlen(pl_error_text()));
}

static void test_status_names(void)
{
    TEST_ASSERT_EQUAL_STRING("ok", pl_status_name(PL_OK));
    TEST_ASSERT_EQUAL_STRING("geometry", pl_status_name(PL_ERROR_GEOMETRY));
    TEST_ASSERT_EQUAL_STRING("numerics", pl_status_name(PL_ERROR_NUMERICS));
    TEST_ASSERT_EQUAL_STRING("time", pl_status_name(PL_ERROR_TIME));
    TEST_ASSERT_EQUAL_STRING("device", pl_status_name(PL_ERROR_DEVICE));
    TEST_ASSERT_EQUAL_STRING("unknown", pl_status_name((pl_status)99));
}

static void keep_log(pl_log_level level, const char *text, void *user)
{
    snprintf(user, 64, "%d %s", (int)level, text);
}

static void test_log_hook(void)
{
    char seen[64] = "";
    pl_log(PL_LOG_INFO, "dropped");
    pl_set_log(keep_log, seen);
    pl_log(PL_LOG_WARNING, "n = %d", 3);
    TEST_ASSERT_EQUAL_STRING("1 n = 3", seen);
}

static int64_t live;

static void *counting_alloc(size_t size, size_t alignment, void *user)
{
    (void)user;
    live++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *block, void *user)
{
    (void)user;
    live--;
    free(block);
}

static void *no_alloc(size_t size, size_t alignment, void *user)
{
    (void)size, (void)alignment, (void)user;
    return NULL;
}

static void test_allocator_hook(void)
{
    const pl_allocator counting = {counting_alloc, counting_release, NULL};
    pl_set_allocator(&counting);
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make("ring", &mesh));
    TEST_ASSERT_GREATER_THAN(0, live);
    TEST_ASSERT_EQUAL(0, (uintptr_t)pl_mesh_positions(mesh) % 64);
    pl_mesh_destroy(mesh);
    TEST_ASSERT_EQUAL(0, live);
    const pl_allocator none = {no_alloc, counting_release, NULL};
    pl_set_allocator(&none);
    TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, pl_mesh_make("ring", &mesh));
    TEST_ASSERT_NULL(mesh);
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "out of memory"));
}

static void test_alloc_refuses_overflow(void)
{
    TEST_ASSERT_NULL(pl_alloc(INT64_MAX, 8));
    TEST_ASSERT_NULL(pl_alloc(INT64_MAX / 2, 1));
    void *empty = pl_alloc(0, 8);
    TEST_ASSERT_NOT_NULL(empty);
    pl_free(empty);
}

static void test_reserve_keeps_contents(void)
{
    int *block = NULL;
    int64_t capacity = 0;
    for (int i = 0; i < 10000; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_reserve((void **)&block, &capacity, i + 1, sizeof *block));
        block[i] = i;
    }
    for (int i = 0; i < 10000; i++) TEST_ASSERT_EQUAL_INT(i, block[i]);
    pl_free(block);
}

static void test_unknown_names_suggest(void)
{
    const char *const names[] = {"position", "rotation", "scale"};
    pl_fail_unknown(PL_ERROR_FORMAT, "key", "rotatoin=3", 8, names, 3);
    TEST_ASSERT_EQUAL_STRING("unknown key \"rotatoin\", did you mean \"rotation\"?",
                             pl_error_text());
    pl_fail_unknown(PL_ERROR_FORMAT, "key", "mass", 4, names, 3);
    TEST_ASSERT_EQUAL_STRING("unknown key \"mass\" (known: position, rotation, scale)",
                             pl_error_text());
    pl_fail_unknown(PL_ERROR_FORMAT, "key", "mass", 4, names, 0);
    TEST_ASSERT_EQUAL_STRING("unknown key \"mass\": there are none", pl_error_text());
    pl_fail_unknown(PL_ERROR_FORMAT, "group", "mass", 4, (const char *const[]){"", "ground"}, 2);
    TEST_ASSERT_EQUAL_STRING("unknown group \"mass\" (known: ground)", pl_error_text());
    // 20 of 18 letters and the commas between them are 398, 21 are too many.
    const char *many[21];
    for (int i = 0; i < 21; i++) many[i] = "a-name-of-18-bytes";
    pl_fail_unknown(PL_ERROR_FORMAT, "key", "mass", 4, many, 20);
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), ", a-name-of-18-bytes)"));
    TEST_ASSERT_NULL(strstr(pl_error_text(), "..."));
    pl_fail_unknown(PL_ERROR_FORMAT, "key", "mass", 4, many, 21);
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), ", a-name-of-18-bytes, ...)"));
}

// Names come from files, and may have any length: groups of a scene, columns of a table.
static void test_unknown_names_may_be_long(void)
{
    char known[300], typo[300], other[300];
    memset(known, 'a', sizeof known), memset(typo, 'a', sizeof typo), memset(other, 'z', 300);
    known[299] = typo[299] = other[299] = '\0';
    typo[3] = 'b';
    const char *names[2] = {known, "short"};
    pl_fail_unknown(PL_ERROR_FORMAT, "group", typo, strlen(typo), names, 2);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "did you mean \"aaaa"), pl_error_text());
    pl_fail_unknown(PL_ERROR_FORMAT, "group", other, strlen(other), names, 2);
    TEST_ASSERT_NULL_MESSAGE(strstr(pl_error_text(), "mean"), pl_error_text());
    pl_fail_unknown(PL_ERROR_FORMAT, "group", "shirt", 5, names, 2);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "\"short\"?"), pl_error_text());
}

static void test_files_round_trip(void)
{
    pl_output out;
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(in_folder("a"), &out));
    TEST_ASSERT_NOT_EQUAL(0, access(in_folder("a"), F_OK)); // not there before it is complete
    for (int i = 0; i < 100000; i++) pl_output_printf(&out, "%d ", i);
    pl_output_int(&out, INT64_MIN);
    pl_output_double(&out, 0.1);
    TEST_ASSERT_EQUAL(PL_OK, pl_output_close(&out));
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(in_folder("a"), &bytes));
    TEST_ASSERT_EQUAL_STRING_LEN("0 1 2 ", bytes.data, 6);
    TEST_ASSERT_EQUAL_STRING("99999 -92233720368547758080.1", bytes.data + bytes.size - 29);
    pl_bytes_free(&bytes);
    unlink(in_folder("a"));
}

// Blocks of every size arrive in the order in which they were written.
static void test_output_keeps_the_order(void)
{
    enum { LARGEST = 200000 };
    char *block = malloc(LARGEST);
    pl_output out;
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(in_folder("order"), &out));
    for (int i = 0; i < 60; i++) {
        memset(block, i + 1, LARGEST);
        pl_output_write(&out, block, (size_t)(i * i * 7919 % LARGEST));
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_output_close(&out));
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(in_folder("order"), &bytes));
    const char *p = bytes.data;
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < i * i * 7919 % LARGEST; k++) TEST_ASSERT_EQUAL_INT(i + 1, *p++);
    }
    TEST_ASSERT_EQUAL_PTR(bytes.data + bytes.size, p);
    pl_bytes_free(&bytes);
    unlink(in_folder("order"));
    free(block);
}

static void test_file_errors_name_the_file(void)
{
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_bytes_load(in_folder("none"), &bytes));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "none: No such file"));
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_bytes_load(folder, &bytes));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "not a regular file"));
    mkfifo(in_folder("fifo"), 0600);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_bytes_load(in_folder("fifo"), &bytes));
    unlink(in_folder("fifo"));
    pl_output out;
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_output_open(in_folder("no/such/folder"), &out));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "cannot write"));
}

static void test_full_disk_leaves_nothing(void)
{
    struct rlimit old, small = {1000, RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    pl_output out;
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(in_folder("big"), &out));
    for (int i = 0; i < 10000; i++) pl_output_int(&out, i);
    pl_status status = pl_output_close(&out);
    setrlimit(RLIMIT_FSIZE, &old);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, status);
    TEST_ASSERT_EQUAL(0, rmdir(folder)); // empty: neither the file nor its temporary name
    mkdir(folder, 0700);
}

static void test_abandoned_output_leaves_the_old_file(void)
{
    pl_output out;
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(in_folder("kept"), &out));
    pl_output_printf(&out, "old");
    TEST_ASSERT_EQUAL(PL_OK, pl_output_close(&out));
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(in_folder("kept"), &out));
    pl_output_printf(&out, "new");
    pl_output_abandon(&out);
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(in_folder("kept"), &bytes));
    TEST_ASSERT_EQUAL_STRING("old", bytes.data);
    pl_bytes_free(&bytes);
    unlink(in_folder("kept"));
}

// A name from a file may stand in a line.
static void test_lines_may_be_long(void)
{
    enum { LENGTH = 5000 };
    char *text = malloc(LENGTH + 1);
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    pl_output out;
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(in_folder("long"), &out));
    pl_output_printf(&out, "<%s>", text);
    TEST_ASSERT_EQUAL(PL_OK, pl_output_close(&out));
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(in_folder("long"), &bytes));
    TEST_ASSERT_EQUAL_UINT64(LENGTH + 2, bytes.size);
    TEST_ASSERT_EQUAL_MEMORY(text, bytes.data + 1, LENGTH);
    pl_bytes_free(&bytes);
    free(text);
    remove(in_folder("long"));
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    signal(SIGXFSZ, SIG_IGN);
    UNITY_BEGIN();
    RUN_TEST(test_version_is_the_header);
    RUN_TEST(test_error_text_is_per_thread);
    RUN_TEST(test_error_text_is_bounded);
    RUN_TEST(test_status_names);
    RUN_TEST(test_log_hook);
    RUN_TEST(test_allocator_hook);
    RUN_TEST(test_alloc_refuses_overflow);
    RUN_TEST(test_reserve_keeps_contents);
    RUN_TEST(test_unknown_names_suggest);
    RUN_TEST(test_unknown_names_may_be_long);
    RUN_TEST(test_files_round_trip);
    RUN_TEST(test_output_keeps_the_order);
    RUN_TEST(test_lines_may_be_long);
    RUN_TEST(test_file_errors_name_the_file);
    RUN_TEST(test_full_disk_leaves_nothing);
    RUN_TEST(test_abandoned_output_leaves_the_old_file);
    rmdir(folder);
    return UNITY_END();
}
