// A picture in memory, and as a PNG file.

#ifndef PL_IMAGE_H
#define PL_IMAGE_H

#include "../../base/base.h"

typedef struct pl_image {
    int32_t width, height;
    uint8_t *rgba; // (4 * width * height) sRGB, rows from the top
} pl_image;

// Makes room for the size, keeping the block if it has that size already; the pixels are not set.
// Start from a zeroed struct; free with pl_image_free. On failure the image is empty.
pl_status pl_image_resize(pl_image *image, int32_t width, int32_t height);
void pl_image_free(pl_image *image);

// Turns the picture upside down.
void pl_image_flip(pl_image *image);

// The file appears complete or not at all. Fails with PL_ERROR_FILE or PL_ERROR_MEMORY.
pl_status pl_image_write_png(const pl_image *image, const char *path);

#endif
