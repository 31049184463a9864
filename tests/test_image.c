#include "../apps/render/image.h"

#include "../base/file.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>
#include "failing_alloc.h"
#include <unity.h>

// The decoder is not ours, so that it can prove us wrong.
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

static char folder[] = "/tmp/pliant_image_XXXXXX";
static char path[64];

void setUp(void)
{
}

void tearDown(void)
{
    pl_set_allocator(NULL);
    unlink(path);
}

static pl_image test_picture(int32_t width, int32_t height)
{
    pl_image image = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&image, width, height));
    for (int32_t i = 0; i < 4 * width * height; i++) image.rgba[i] = (uint8_t)(i * i / 7 + i);
    return image;
}

static int files_in_folder(void)
{
    int n = 0;
    DIR *directory = opendir(folder);
    while (readdir(directory) != NULL) n++;
    closedir(directory);
    return n - 2; // . and ..
}

static void test_png_holds_the_pixels(void)
{
    pl_image image = test_picture(37, 21);
    TEST_ASSERT_EQUAL(PL_OK, pl_image_write_png(&image, path));
    int width, height, channels;
    unsigned char *read = stbi_load(path, &width, &height, &channels, 4);
    TEST_ASSERT_NOT_NULL(read);
    TEST_ASSERT_EQUAL(37, width);
    TEST_ASSERT_EQUAL(21, height);
    TEST_ASSERT_EQUAL_MEMORY(image.rgba, read, 4 * 37 * 21);
    stbi_image_free(read);
    pl_image_free(&image);
}

// stb wrote the encoder, too. Nobody there has to do with the decoder of ffmpeg.
static void test_another_decoder(void)
{
    if (system("command -v ffmpeg >/dev/null") != 0) TEST_IGNORE_MESSAGE("ffmpeg is not installed");
    pl_image image = test_picture(37, 21);
    TEST_ASSERT_EQUAL(PL_OK, pl_image_write_png(&image, path));
    char line[256];
    snprintf(line, sizeof line, "ffmpeg -v error -i %s -f rawvideo -pix_fmt rgba -", path);
    FILE *pipe = popen(line, "r");
    static uint8_t read[4 * 37 * 21 + 1];
    TEST_ASSERT_NOT_NULL(pipe);
    TEST_ASSERT_EQUAL_UINT(sizeof read - 1, fread(read, 1, sizeof read, pipe));
    TEST_ASSERT_EQUAL_INT(0, pclose(pipe));
    TEST_ASSERT_EQUAL_MEMORY(image.rgba, read, sizeof read - 1);
    pl_image_free(&image);
}

static void test_flip_turns_rows_around(void)
{
    pl_image image = test_picture(3, 5), before = test_picture(3, 5);
    pl_image_flip(&image);
    for (int y = 0; y < 5; y++) {
        TEST_ASSERT_EQUAL_MEMORY(before.rgba + 12 * y, image.rgba + 12 * (4 - y), 12);
    }
    pl_image_free(&image);
    pl_image_free(&before);
}

static void test_bad_paths_leave_nothing_behind(void)
{
    pl_image image = test_picture(4, 4);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_image_write_png(&image, "/no/such/folder/a.png"));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "/no/such/folder/a.png"));
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_image_write_png(&image, folder)); // a directory
    TEST_ASSERT_EQUAL(0, files_in_folder());
    pl_image_free(&image);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_image_write_png(&image, path)); // nothing in it
}

static pl_status write_picture(void *user)
{
    pl_status status = pl_image_write_png(user, path);
    TEST_ASSERT_EQUAL(status == PL_OK, files_in_folder());
    return status;
}

static void test_every_failed_allocation_is_reported(void)
{
    pl_image image = test_picture(16, 16);
    TEST_ASSERT_GREATER_OR_EQUAL_INT64(4, fail_each_allocation(write_picture, &image));
    pl_image_free(&image);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(path, sizeof path, "%s/a.png", folder);
    UNITY_BEGIN();
    RUN_TEST(test_png_holds_the_pixels);
    RUN_TEST(test_another_decoder);
    RUN_TEST(test_flip_turns_rows_around);
    RUN_TEST(test_bad_paths_leave_nothing_behind);
    RUN_TEST(test_every_failed_allocation_is_reported);
    rmdir(folder);
    return UNITY_END();
}
