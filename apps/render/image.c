#include "image.h"

#include "../../base/file.h"

#include <string.h>
#include <zlib.h>

// --- stb_image_write, on our memory and zlib's compression ---
//
// stb's own compressor does not survive a failed allocation, and zlib's files are smaller.

enum { COMPRESSION = 6 }; // of zlib's levels; higher ones take far longer for a few percent

static _Thread_local void *compressed; // what stb forgets to free if its last allocation fails

static void *png_alloc(size_t size)
{
    return size <= INT32_MAX ? pl_alloc((int64_t)size, 1) : NULL;
}

static void png_free(void *block)
{
    if (block == compressed) compressed = NULL;
    pl_free(block);
}

static unsigned char *png_compress(unsigned char *data, int size, int *out_size, int level)
{
    (void)level; // stb's default means its own compressor
    uLongf room = compressBound((uLong)size);
    unsigned char *out = png_alloc(room);
    if (out == NULL) return NULL;
    if (compress2(out, &room, data, (uLong)size, COMPRESSION) != Z_OK) {
        pl_free(out);
        return NULL;
    }
    *out_size = (int)room;
    compressed = out;
    return out;
}

#define STBIW_MALLOC(size) png_alloc((size_t)(size))
#define STBIW_REALLOC(block, size) NULL // only the compressor that we replace calls it
#define STBIW_FREE(block) png_free(block)
#define STBIW_ZLIB_COMPRESS png_compress
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

// --- Images ---

pl_status pl_image_resize(pl_image *image, int32_t width, int32_t height)
{
    PL_ASSERT(width > 0 && height > 0);
    if (image->width == width && image->height == height && image->rgba != NULL) return PL_OK;
    pl_image_free(image);
    image->rgba = pl_alloc((int64_t)width * height, 4);
    if (image->rgba == NULL) return PL_ERROR_MEMORY;
    image->width = width;
    image->height = height;
    return PL_OK;
}

void pl_image_free(pl_image *image)
{
    pl_free(image->rgba);
    *image = (pl_image){0};
}

void pl_image_flip(pl_image *image)
{
    size_t row = 4 * (size_t)image->width;
    for (int32_t y = 0; y < image->height / 2; y++) {
        uint8_t *a = image->rgba + row * (size_t)y;
        uint8_t *b = image->rgba + row * (size_t)(image->height - 1 - y);
        for (size_t i = 0; i < row; i++) {
            uint8_t keep = a[i];
            a[i] = b[i];
            b[i] = keep;
        }
    }
}

pl_status pl_image_write_png(const pl_image *image, const char *path)
{
    if (image->rgba == NULL || image->width < 1 || image->height < 1) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: there is no picture to write", path);
    }
    // stb counts bytes in int, one more per row than the pixels need.
    if ((4 * (int64_t)image->width + 1) * image->height > INT32_MAX / 2) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "%s: a picture of %d x %d is too large for PNG here",
                       path, image->width, image->height);
    }
    int size = 0;
    unsigned char *png =
        stbi_write_png_to_mem(image->rgba, 4 * image->width, image->width, image->height, 4, &size);
    if (png == NULL) {
        png_free(compressed);
        return pl_fail(PL_ERROR_MEMORY, "%s: out of memory for a picture of %d x %d", path,
                       image->width, image->height);
    }
    pl_output out;
    pl_status status = pl_output_open(path, &out);
    if (status == PL_OK) {
        pl_output_write(&out, png, (size_t)size);
        status = pl_output_close(&out);
    }
    png_free(png);
    return status;
}
