// Pictures against references in tests/pictures, by a measure that forgives what another driver or
// compiler does differently (a rounded level, a pixel at an edge, grain) and not what a person
// would see.

#ifndef PL_TESTS_PICTURES_H
#define PL_TESTS_PICTURES_H

#include "../apps/render/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

// The decoder is not ours, so that it can prove us wrong.
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

enum { FAR_OFF = 20 }; // levels of 255, at which a blurred pixel is another one

// A picture passes if both are below:
static const double MEAN_LIMIT = 1.0;       // levels
static const double FAR_OFF_LIMIT = 0.0025; // part of the pixels

typedef struct difference {
    double mean;    // of the colours' differences, blurred [levels]
    double far_off; // part of the pixels that differ by FAR_OFF in a colour, blurred
} difference;

// The mean of a colour over 3 x 3 pixels, fewer at the rim.
static inline double blurred(const uint8_t *rgba, int width, int height, int x, int y, int c)
{
    double sum = 0;
    int n = 0;
    for (int j = PL_MAX(y - 1, 0); j <= PL_MIN(y + 1, height - 1); j++) {
        for (int i = PL_MAX(x - 1, 0); i <= PL_MIN(x + 1, width - 1); i++, n++) {
            sum += rgba[4 * (j * width + i) + c];
        }
    }
    return sum / n;
}

static inline difference compare(const uint8_t *a, const uint8_t *b, int width, int height)
{
    difference d = {0, 0};
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double most = 0;
            for (int c = 0; c < 3; c++) {
                double apart =
                    blurred(a, width, height, x, y, c) - blurred(b, width, height, x, y, c);
                apart = apart < 0 ? -apart : apart;
                d.mean += apart / 3;
                most = apart > most ? apart : most;
            }
            d.far_off += most >= FAR_OFF;
        }
    }
    d.mean /= width * height;
    d.far_off /= width * height;
    return d;
}

// The same in a rectangle (x, y, width, height) of two pictures that are `width` wide.
static inline difference compare_part(const uint8_t *a, const uint8_t *b, int width, const int r[4])
{
    size_t row = 4 * (size_t)r[2];
    uint8_t *part[2] = {malloc(row * (size_t)r[3]), malloc(row * (size_t)r[3])};
    for (int y = 0; y < r[3]; y++) {
        size_t from = 4 * ((size_t)(r[1] + y) * (size_t)width + (size_t)r[0]);
        memcpy(part[0] + row * (size_t)y, a + from, row);
        memcpy(part[1] + row * (size_t)y, b + from, row);
    }
    difference d = compare(part[0], part[1], r[2], r[3]);
    free(part[0]);
    free(part[1]);
    return d;
}

static inline bool alike(difference d)
{
    return d.mean < MEAN_LIMIT && d.far_off < FAR_OFF_LIMIT;
}

// Keeps a picture that is not as it should be, to be looked at; returns its path.
static inline const char *keep_picture(const pl_image *image)
{
    static char path[64];
    strcpy(path, "/tmp/pliant_picture_XXXXXX.png");
    int file = mkstemps(path, 4);
    if (file < 0 || pl_image_write_png(image, path) != PL_OK) path[0] = '\0';
    return path;
}

// Compares with tests/pictures/NAME.png. With PLIANT_PICTURES=write it becomes that file; look at
// it before it is committed.
static inline void expect_picture(const pl_image *image, const char *name)
{
    char path[256], message[512];
    const char *write = getenv("PLIANT_PICTURES");
    snprintf(path, sizeof path, "tests/pictures/%s.png", name);
    if (write != NULL && strcmp(write, "write") == 0) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_image_write_png(image, path), pl_error_text());
    }
    int width, height, channels;
    unsigned char *want = stbi_load(path, &width, &height, &channels, 4);
    TEST_ASSERT_NOT_NULL_MESSAGE(want, path);
    TEST_ASSERT_EQUAL(image->width, width);
    TEST_ASSERT_EQUAL(image->height, height);
    difference d = compare(image->rgba, want, width, height);
    stbi_image_free(want);
    if (alike(d)) return;
    snprintf(message, sizeof message,
             "%s differs by %.2f levels, %.2f %% of the pixels are far off; drawn was %s", path,
             d.mean, 100 * d.far_off, keep_picture(image));
    TEST_FAIL_MESSAGE(message);
}

#endif
