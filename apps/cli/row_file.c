#include "row_file.h"
#include "../common/csv.h"
#include "../../base/file.h"
#include "../../base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pl_status file_failed(const pl_row_file *file)
{
    return pl_fail(PL_ERROR_FILE, "%s: cannot write: %s", file->path, strerror(errno));
}

// --- Rows of an earlier run ---

// The length of header and rows up to step `last`; a row that was cut short does not count.
static pl_status measure(const pl_row_file *file, const pl_bytes *bytes, int64_t last,
                         int64_t *keep)
{
    size_t header = strlen(file->header);
    *keep = 0;
    if (bytes->size == 0) return PL_OK;
    if (bytes->size < header || memcmp(bytes->data, file->header, header) != 0) {
        return pl_fail(PL_ERROR_FORMAT,
                       "%s:1: not the header of these statistics; name another file", file->path);
    }
    const char *p = bytes->data + header, *end = bytes->data + bytes->size;
    while (p < end) {
        int64_t step;
        const char *after = pl_parse_int64(p, &step);
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (after == NULL || *after != ',' || newline == NULL || step > last) break;
        p = newline + 1;
    }
    *keep = p - bytes->data;
    return PL_OK;
}

static pl_status find_rows(const pl_row_file *file, int64_t last, int64_t *keep)
{
    struct stat info;
    pl_bytes bytes;
    *keep = 0;
    if (stat(file->path, &info) != 0) return PL_OK;
    PL_TRY(pl_bytes_load(file->path, &bytes));
    pl_status status = measure(file, &bytes, last, keep);
    pl_bytes_free(&bytes);
    return status;
}

// --- Writing ---

pl_status pl_row_file_open(const char *path, const char *header, bool resumed, int64_t last,
                           pl_row_file *out)
{
    *out = (pl_row_file){.path = path, .header = header, .fd = -1};
    if (resumed) PL_TRY(find_rows(out, last, &out->keep));
    out->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    return out->fd >= 0 ? PL_OK : file_failed(out);
}

// One call for a whole row: a run that is killed leaves whole rows.
pl_status pl_row_file_write(const pl_row_file *file, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(file->fd, text, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return file_failed(file);
        text += n;
        size -= (size_t)n;
    }
    return PL_OK;
}

pl_status pl_row_file_begin(const pl_row_file *file)
{
    struct stat info;
    if (fstat(file->fd, &info) != 0) return file_failed(file);
    if (S_ISREG(info.st_mode)) { // a pipe or a terminal has nothing to cut
        if (ftruncate(file->fd, file->keep) != 0) return file_failed(file);
        if (lseek(file->fd, file->keep, SEEK_SET) < 0) return file_failed(file);
    }
    return file->keep > 0 ? PL_OK : pl_row_file_write(file, file->header, strlen(file->header));
}

void pl_row_add(pl_text *row, double value)
{
    pl_text_add(row, ",");
    pl_csv_add_number(row, value);
}

pl_status pl_row_file_close(pl_row_file *file)
{
    if (file->fd < 0) return PL_OK;
    int failed = close(file->fd);
    file->fd = -1;
    return failed == 0 ? PL_OK : file_failed(file);
}
