#include "pc2.h"
#include "../../base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct header {
    char signature[12];
    int32_t version, n_points;
    float first_frame, rate;
    int32_t n_samples;
} header;

_Static_assert(sizeof(header) == 32, "as the format has it");

static const char SIGNATURE[12] = "POINTCACHE2";

static off_t offset_of(int32_t n_points, int64_t sample)
{
    return (off_t)sizeof(header) + 3 * (off_t)sizeof(float) * n_points * sample;
}

// --- Bytes ---

static bool write_at(int fd, const void *data, size_t size, off_t at)
{
    for (const char *p = data; size > 0;) {
        ssize_t n = pwrite(fd, p, size, at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        p += n;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_at(int fd, void *data, size_t size, off_t at)
{
    for (char *p = data; size > 0;) {
        ssize_t n = pread(fd, p, size, at);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENODATA;
        if (n <= 0) return false;
        p += n;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool count(int fd, int32_t n_samples)
{
    return write_at(fd, &n_samples, sizeof n_samples, (off_t)offsetof(header, n_samples));
}

// --- Growing ---

pl_status pl_pc2_create(const char *path, int32_t n_points, double first_frame)
{
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; // numbers are written as they lie
    if (!little) return pl_fail(PL_ERROR_UNSUPPORTED, "PC2: not on a big-endian machine");
    header h = {.version = 1, .n_points = n_points, .first_frame = (float)first_frame, .rate = 1};
    memcpy(h.signature, SIGNATURE, sizeof h.signature);
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_write(&out, &h, sizeof h);
    return pl_output_close(&out);
}

// Opens the cache, and lets `change` do its work.
static pl_status change(const char *path, bool (*work)(int fd, void *user), void *user)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && work(fd, user);
    int error = ok ? 0 : errno;
    if (fd >= 0 && close(fd) != 0 && ok) error = errno;
    if (error == 0) return PL_OK;
    return pl_fail(PL_ERROR_FILE, "%s: cannot write: %s", path, strerror(error));
}

typedef struct samples {
    int32_t n_points, n_samples;
    const float *x;
} samples;

static bool append(int fd, void *user)
{
    const samples *s = user;
    off_t at = offset_of(s->n_points, s->n_samples);
    size_t size = 3 * (size_t)s->n_points * sizeof *s->x;
    if (write_at(fd, s->x, size, at) && count(fd, s->n_samples + 1)) return true;
    int error = errno;
    while (ftruncate(fd, at) != 0 && errno == EINTR) continue; // the room is of use to others
    errno = error;
    return false;
}

pl_status pl_pc2_append(const char *path, int32_t n_points, int32_t n_samples, const float *x)
{
    return change(path, append, &(samples){n_points, n_samples, x});
}

static bool keep(int fd, void *user)
{
    const samples *s = user;
    return count(fd, s->n_samples) && ftruncate(fd, offset_of(s->n_points, s->n_samples)) == 0;
}

pl_status pl_pc2_keep(const char *path, int32_t n_points, int32_t n_samples)
{
    return change(path, keep, &(samples){n_points, n_samples, NULL});
}

// --- Reading ---

pl_status pl_pc2_check(const char *path, int32_t n_points, int32_t n_samples)
{
    pl_pc2 cache;
    header h;
    struct stat info;
    PL_TRY(pl_pc2_open(path, n_points, &cache));
    bool read = read_at(cache.fd, &h, sizeof h, 0) && fstat(cache.fd, &info) == 0;
    pl_pc2_close(&cache);
    if (!read || memcmp(h.signature, SIGNATURE, sizeof SIGNATURE) != 0 || h.version != 1) {
        return pl_fail(PL_ERROR_FORMAT, "%s: not a PC2 cache of version 1", path);
    }
    if (h.n_points != n_points) {
        return pl_fail(PL_ERROR_FORMAT, "%s: has %d points, not %d: it is of another scene", path,
                       (int)h.n_points, (int)n_points);
    }
    if (h.n_samples < n_samples || info.st_size < offset_of(n_points, n_samples)) {
        return pl_fail(PL_ERROR_FORMAT, "%s: has only %d of the %d frames before this one", path,
                       (int)PL_MAX(h.n_samples, 0), (int)n_samples);
    }
    return PL_OK;
}

pl_status pl_pc2_open(const char *path, int32_t n_points, pl_pc2 *out)
{
    *out = (pl_pc2){path, open(path, O_RDONLY | O_CLOEXEC), n_points};
    return out->fd >= 0 ? PL_OK : pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(errno));
}

pl_status pl_pc2_read(const pl_pc2 *cache, int64_t sample, int32_t first, int32_t n, float *x)
{
    off_t at = offset_of(cache->n_points, sample) + 3 * (off_t)sizeof *x * first;
    if (read_at(cache->fd, x, 3 * (size_t)n * sizeof *x, at)) return PL_OK;
    return pl_fail(PL_ERROR_FILE, "%s: cannot read: %s", cache->path, strerror(errno));
}

void pl_pc2_close(pl_pc2 *cache)
{
    if (cache->fd >= 0) close(cache->fd);
    cache->fd = -1;
}
