// Devices: buffers, launches by name, records, failures, and what is counted; on the oracle, and on
// OpenCL if it is there.

#include "devices.h"

#include <stdio.h>
#include <unistd.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static void test_buffers_keep_what_is_written(void)
{
    for (int d = 0; d < n_devices; d++) {
        pl_gpu *gpu = use_device(d, 64);
        const double data[4] = {1, 2, 3, 4};
        double back[4] = {0}, part[2] = {0};
        pl_gpu_buffer a = to_device(gpu, 4, sizeof *data, data), b;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_take(gpu, 4, sizeof *data, &b));
        pl_gpu_copy(gpu, &a, &b, 4 * sizeof *data);
        pl_gpu_write(gpu, &b, 8, 8, &(double){9});
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_read(gpu, &b, 8, 16, part));
        TEST_ASSERT_EQUAL_DOUBLE(9, part[0]);
        TEST_ASSERT_EQUAL_DOUBLE(3, part[1]);
        from_device(gpu, &b, sizeof back, back);
        TEST_ASSERT_EQUAL_DOUBLE(4, back[3]);
        from_device(gpu, &a, sizeof back, back);
        TEST_ASSERT_EQUAL_DOUBLE(2, back[1]);
        pl_gpu_buffer none;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_take(gpu, 0, 8, &none));
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_read(gpu, &none, 0, 0, NULL));
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_reserve(gpu, &none, 100, 8));
        void *handle = none.handle;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_reserve(gpu, &none, 90, 8));
        TEST_ASSERT_TRUE(handle == none.handle);
        pl_gpu_drop(gpu, &none);
        pl_gpu_drop(gpu, &none); // empty by now
    }
}

static void launch_add(pl_gpu *gpu, int64_t n, double by, pl_gpu_buffer *x, pl_gpu_buffer *y)
{
    pl_gpu_launch(gpu, "vec_add", n, PL_ARGS(PL_ARG(n), PL_ARG(by), PL_ARG(x), PL_ARG(y)));
}

static void test_records_do_what_was_written_down(void)
{
    enum { N = 300 };
    double ones[N], zeros[N] = {0}, y[N];
    for (int i = 0; i < N; i++) ones[i] = i + 1;
    for (int d = 0; d < n_devices; d++) {
        pl_gpu *gpu = use_device(d, 64);
        pl_gpu_buffer a = to_device(gpu, N, 8, ones), b = to_device(gpu, N, 8, zeros);
        pl_gpu_buffer c = to_device(gpu, N, 8, zeros);
        pl_gpu_record *record;
        int64_t before = pl_gpu_look(gpu)->launches;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_record_begin(gpu));
        launch_add(gpu, N, 2, &a, &b);
        pl_gpu_note(gpu, 24 * N, 2 * N);
        pl_gpu_copy(gpu, &b, &c, N * 8);
        launch_add(gpu, N, 1, &c, &b);
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_record_end(gpu, &record));
        TEST_ASSERT_EQUAL_INT64(before, pl_gpu_look(gpu)->launches);
        double traffic = pl_gpu_look(gpu)->traffic;
        for (int i = 0; i < 3; i++) pl_gpu_replay(gpu, record);
        TEST_ASSERT_EQUAL_INT64(before + 6, pl_gpu_look(gpu)->launches);
        TEST_ASSERT_EQUAL_DOUBLE(3 * (24. * N + 16. * N), pl_gpu_look(gpu)->traffic - traffic);
        from_device(gpu, &b, sizeof y, y); // b := 2 (b + 2 a) three times
        for (int i = 0; i < N; i++) TEST_ASSERT_EQUAL_DOUBLE(28 * ones[i], y[i]);
        pl_gpu_record_free(gpu, record);
        pl_gpu_drop(gpu, &a), pl_gpu_drop(gpu, &c);
    }
}

static void test_memory_that_is_not_there_is_a_failure_that_passes(void)
{
    for (int d = 0; d < n_devices; d++) {
        pl_gpu *gpu = use_device(d, 64);
        pl_gpu_buffer buffer;
        TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, pl_gpu_take(gpu, INT64_MAX / 4, 8, &buffer));
        TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, pl_gpu_take(gpu, INT64_C(1) << 45, 8, &buffer));
        TEST_ASSERT_NULL(buffer.handle);
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_take(gpu, 10, 8, &buffer));
        pl_gpu_drop(gpu, &buffer);
    }
}

static void test_devices_that_are_not_there_have_a_sentence(void)
{
    pl_gpu *gpu;
    TEST_ASSERT_EQUAL(PL_ERROR_DEVICE, pl_gpu_open(PL_GPU_ORACLE, 1, &gpu));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "no device oracle:1"));
    pl_gpu_info info;
    if (pl_gpu_list(PL_GPU_CUDA, 1, &info) == 0) {
        TEST_ASSERT_EQUAL(PL_ERROR_DEVICE, pl_gpu_open(PL_GPU_CUDA, 0, &gpu));
        TEST_ASSERT_NOT_NULL(
            strstr(pl_error_text(), pl_gpu_has(PL_GPU_CUDA) ? "no CUDA" : "build"));
    }
    if (pl_gpu_list(PL_GPU_OPENCL, 1, &info) > 0) {
        TEST_ASSERT_EQUAL(PL_ERROR_DEVICE, pl_gpu_open(PL_GPU_OPENCL, 1000, &gpu));
        TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "opencl:1000"));
    }
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_buffers_keep_what_is_written);
    RUN_TEST(test_records_do_what_was_written_down);
    RUN_TEST(test_memory_that_is_not_there_is_a_failure_that_passes);
    RUN_TEST(test_devices_that_are_not_there_have_a_sentence);
    close_devices();
    return UNITY_END();
}
