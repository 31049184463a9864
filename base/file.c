#include "file.h"
#include "number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT_BUFFER = 1 << 16, TEMPORARY_TRIES = 100 };

// --- Names ---

const char *pl_extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    return dot != NULL ? dot : "";
}

bool pl_has_extension(const char *path, const char *extension)
{
    return strcasecmp(pl_extension_of(path), extension) == 0;
}

// --- In ---

static pl_status bytes_alloc(size_t size, pl_bytes *out)
{
    *out = (pl_bytes){NULL, 0};
    if (size > (size_t)INT64_MAX - PL_BYTES_PAD) return pl_fail(PL_ERROR_MEMORY, "file too large");
    out->data = pl_alloc((int64_t)(size + PL_BYTES_PAD), 1);
    if (out->data == NULL) return PL_ERROR_MEMORY;
    memset(out->data + size, 0, PL_BYTES_PAD);
    out->size = size;
    return PL_OK;
}

static pl_status load_open_file(int fd, const char *path, pl_bytes *out)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode)) return pl_fail(PL_ERROR_FILE, "%s: not a regular file", path);
    PL_TRY(bytes_alloc((size_t)info.st_size, out));
    size_t got = 0;
    while (got < out->size) {
        ssize_t n = read(fd, out->data + got, PL_MIN(out->size - got, (size_t)1 << 30));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            pl_bytes_free(out);
            return pl_fail(PL_ERROR_FILE, "%s: %s", path,
                           n < 0 ? strerror(errno) : "became shorter while it was read");
        }
        got += (size_t)n;
    }
    return PL_OK;
}

pl_status pl_bytes_load(const char *path, pl_bytes *out)
{
    *out = (pl_bytes){NULL, 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO must not hang us
    if (fd < 0) return pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(errno));
    pl_status status = load_open_file(fd, path, out);
    close(fd);
    return status;
}

pl_status pl_bytes_copy(const void *data, size_t size, pl_bytes *out)
{
    PL_TRY(bytes_alloc(size, out));
    if (size > 0) memcpy(out->data, data, size);
    return PL_OK;
}

void pl_bytes_free(pl_bytes *bytes)
{
    pl_free(bytes->data);
    *bytes = (pl_bytes){NULL, 0};
}

// --- Out ---

static void output_release(pl_output *out)
{
    pl_free(out->path);
    pl_free(out->temporary);
    pl_free(out->buffer);
    *out = (pl_output){.fd = -1};
}

pl_status pl_output_open(const char *path, pl_output *out)
{
    *out = (pl_output){.fd = -1};
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) { // the rename would replace a device
        return pl_fail(PL_ERROR_FILE, "%s: cannot write: exists and is not a regular file", path);
    }
    size_t length = strlen(path);
    size_t room = length + 32;
    out->path = pl_alloc((int64_t)length + 1, 1);
    out->temporary = pl_alloc((int64_t)room, 1);
    out->buffer = pl_alloc(OUTPUT_BUFFER, 1);
    if (out->path == NULL || out->temporary == NULL || out->buffer == NULL) {
        output_release(out);
        return PL_ERROR_MEMORY;
    }
    memcpy(out->path, path, length + 1);
    for (int i = 0; i < TEMPORARY_TRIES && out->fd < 0; i++) {
        snprintf(out->temporary, room, "%s.part%d", path, (int)getpid() + i);
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd < 0 && errno != EEXIST) break;
    }
    if (out->fd < 0) {
        pl_fail(PL_ERROR_FILE, "%s: cannot write: %s", path, strerror(errno));
        output_release(out);
        return PL_ERROR_FILE;
    }
    return PL_OK;
}

static void write_through(pl_output *out, const char *data, size_t size)
{
    while (size > 0 && out->error == 0) {
        ssize_t n = write(out->fd, data, PL_MIN(size, (size_t)1 << 30));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            out->error = errno;
            return;
        }
        data += n;
        size -= (size_t)n;
    }
}

static void flush(pl_output *out)
{
    write_through(out, out->buffer, out->used);
    out->used = 0;
}

void pl_output_write(pl_output *out, const void *data, size_t size)
{
    if (size == 0) return;                 // data may be NULL
    bool large = size > OUTPUT_BUFFER / 2; // not worth a copy
    if (large || size > OUTPUT_BUFFER - out->used) flush(out);
    if (large) {
        write_through(out, data, size);
    } else {
        memcpy(out->buffer + out->used, data, size);
        out->used += size;
    }
}

// What does not fit into a buffer of the usual length.
static void print_long(pl_output *out, int length, const char *format, va_list arguments)
{
    char *text = pl_alloc((int64_t)length + 1, 1);
    if (text == NULL) {
        if (out->error == 0) out->error = ENOMEM;
        return;
    }
    vsnprintf(text, (size_t)length + 1, format, arguments);
    pl_output_write(out, text, (size_t)length);
    pl_free(text);
}

void pl_output_printf(pl_output *out, const char *format, ...)
{
    char text[512];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length < 0) {
        if (out->error == 0) out->error = errno;
    } else if (length < (int)sizeof text) {
        pl_output_write(out, text, (size_t)length);
    } else {
        print_long(out, length, format, again);
    }
    va_end(again);
    va_end(arguments);
}

void pl_output_double(pl_output *out, double value)
{
    char text[PL_DOUBLE_TEXT];
    size_t length = pl_double_text(value, text);
    pl_output_write(out, text, length);
}

void pl_output_int(pl_output *out, int64_t value)
{
    char text[24];
    char *p = text + sizeof text;
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--p = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    if (value < 0) *--p = '-';
    pl_output_write(out, p, (size_t)(text + sizeof text - p));
}

pl_status pl_output_close(pl_output *out)
{
    flush(out);
    if (close(out->fd) != 0 && out->error == 0) out->error = errno;
    if (out->error == 0 && rename(out->temporary, out->path) != 0) out->error = errno;
    pl_status status = PL_OK;
    if (out->error != 0) {
        unlink(out->temporary);
        status = pl_fail(PL_ERROR_FILE, "%s: cannot write: %s", out->path, strerror(out->error));
    }
    output_release(out);
    return status;
}

void pl_output_abandon(pl_output *out)
{
    if (out->fd >= 0) {
        close(out->fd);
        unlink(out->temporary);
    }
    output_release(out);
}

pl_status pl_output_try(const char *path)
{
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_abandon(&out);
    return PL_OK;
}
