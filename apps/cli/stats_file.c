#include "stats_file.h"
#include "../common/csv.h"
#include "../../base/file.h"
#include "../../base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROW_MAX = 1024 };

static const char HEADER[] =
    "step,time,dt,bodies,contacts,constraints,iterations,relinearizations,state_changes,t_fem_ms,"
    "t_collision_ms,t_solve_ms,t_total_ms,residual,constraint_error,fb_error,min_gap,"
    "kinetic_energy,elastic_energy,hash,newton,rounds,halvings,friction_error,fb_normal,"
    "fb_stick,fb_slip,inverted,gravity_energy,work,v_rms,rescues,asleep\n";

static pl_status file_failed(const pl_stats_file *file)
{
    return pl_fail(PL_ERROR_FILE, "%s: cannot write: %s", file->path, strerror(errno));
}

// --- Rows of an earlier run ---

// The length of header and rows up to step `last`; a row that was cut short does not count.
static pl_status measure(const char *path, const pl_bytes *bytes, int64_t last, int64_t *keep)
{
    size_t header = sizeof HEADER - 1;
    *keep = 0;
    if (bytes->size == 0) return PL_OK;
    if (bytes->size < header || memcmp(bytes->data, HEADER, header) != 0) {
        return pl_fail(PL_ERROR_FORMAT,
                       "%s:1: not the header of these statistics; name another file", path);
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

static pl_status find_rows(const char *path, int64_t last, int64_t *keep)
{
    struct stat info;
    pl_bytes bytes;
    *keep = 0;
    if (stat(path, &info) != 0) return PL_OK;
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_status status = measure(path, &bytes, last, keep);
    pl_bytes_free(&bytes);
    return status;
}

// --- Writing ---

pl_status pl_stats_open(const char *path, bool resumed, int64_t last, pl_stats_file *out)
{
    *out = (pl_stats_file){.path = path, .fd = -1};
    if (resumed) PL_TRY(find_rows(path, last, &out->keep));
    out->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    return out->fd >= 0 ? PL_OK : file_failed(out);
}

// One call for a whole row: a run that is killed leaves whole rows.
static pl_status write_text(const pl_stats_file *file, const char *text, size_t size)
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

pl_status pl_stats_begin(pl_stats_file *file)
{
    struct stat info;
    if (fstat(file->fd, &info) != 0) return file_failed(file);
    if (S_ISREG(info.st_mode)) { // a pipe or a terminal has nothing to cut
        if (ftruncate(file->fd, file->keep) != 0) return file_failed(file);
        if (lseek(file->fd, file->keep, SEEK_SET) < 0) return file_failed(file);
    }
    return file->keep > 0 ? PL_OK : write_text(file, HEADER, sizeof HEADER - 1);
}

static void add_number(pl_text *row, double value)
{
    pl_text_add(row, ",");
    pl_csv_add_number(row, value);
}

pl_status pl_stats_write(pl_stats_file *file, const pl_step_stats *s)
{
    char buffer[ROW_MAX];
    pl_text row = pl_text_start(buffer, sizeof buffer);
    pl_text_add(&row, "%" PRId64, s->step);
    add_number(&row, s->time);
    add_number(&row, s->dt);
    pl_text_add(&row, ",%d,%d,%d,%d,%d,%d", s->bodies, s->contacts, s->constraints, s->iterations,
                s->relinearizations, s->state_changes);
    const double numbers[] = {1e3 * s->t_fem,   1e3 * s->t_collision, 1e3 * s->t_solve,
                              1e3 * s->t_total, s->residual,          s->constraint_error,
                              s->fb_error,      s->min_gap,           s->kinetic_energy,
                              s->elastic_energy};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) add_number(&row, numbers[i]);
    pl_text_add(&row, ",%016" PRIx64 ",%d,%d,%d", s->hash, s->newton, s->rounds, s->halvings);
    const double errors[] = {s->friction_error, s->fb_normal, s->fb_stick, s->fb_slip};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) add_number(&row, errors[i]);
    pl_text_add(&row, ",%d", s->inverted);
    add_number(&row, s->gravity_energy);
    add_number(&row, s->work);
    add_number(&row, s->v_rms);
    pl_text_add(&row, ",%d,%d\n", s->rescues, s->asleep);
    PL_ASSERT(row.length < sizeof buffer);
    return write_text(file, buffer, row.length);
}

pl_status pl_stats_close(pl_stats_file *file)
{
    if (file->fd < 0) return PL_OK;
    int failed = close(file->fd);
    file->fd = -1;
    return failed == 0 ? PL_OK : file_failed(file);
}
