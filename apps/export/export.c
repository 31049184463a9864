#include "export.h"
#include "frame_files.h"
#include "../common/paths.h"
#include "pc2.h"
#include "usda.h"
#include "../../base/file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char LIST[] = "frames.csv", LIST_HEADER[] = "step,time\n";
static const char ORIGIN[] = "scene.txt"; // the path of the scene
const char PL_EXPORT_CACHE[] = "scene.pc2";

static const char *const FORMATS[] = {"vtu", "obj", "ply", "pc2", "usda"}; // bit by bit
enum { N_FORMATS = 5 };

const char *pl_export_format_name(int32_t i)
{
    return i < N_FORMATS ? FORMATS[i] : NULL;
}

pl_status pl_export_formats(const char *text, int *formats)
{
    *formats = 0;
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ",");
        int i = 0;
        while (i < N_FORMATS && (strlen(FORMATS[i]) != length || memcmp(FORMATS[i], word, length)))
            i++;
        if (i == N_FORMATS) {
            return pl_fail_unknown(PL_ERROR_ARGUMENT, "format", word, length, FORMATS, N_FORMATS);
        }
        *formats |= 1 << i;
        word += length;
        if (*word == '\0') return PL_OK;
    }
}

// --- The list of frames ---

static pl_status add_frame(pl_export *e, int64_t step, double time)
{
    PL_TRY(pl_reserve((void **)&e->frames, &e->capacity, e->n_frames + 1, sizeof *e->frames));
    e->frames[e->n_frames++] = (pl_series_frame){step, time};
    return PL_OK;
}

// Takes over the rows up to step `last`.
static pl_status read_rows(pl_export *e, const char *path, const char *text, int64_t last)
{
    size_t header = sizeof LIST_HEADER - 1;
    if (strncmp(text, LIST_HEADER, header) != 0) {
        return pl_fail(PL_ERROR_FORMAT, "%s:1: not the list of the frames of a run", path);
    }
    for (const char *row = text + header; *row != '\0'; row = strchr(row, '\n') + 1) {
        int64_t step;
        double time;
        int length = 0;
        int n = sscanf(row, "%" SCNd64 ",%lf%n", &step, &time, &length);
        if (n != 2 || row[length] != '\n') {
            return pl_fail(PL_ERROR_FORMAT, "%s: row %" PRId64 " is not STEP,TIME", path,
                           e->n_frames + 2);
        }
        if (step > last) break;
        PL_TRY(add_frame(e, step, time));
    }
    return PL_OK;
}

static pl_status read_list(pl_export *e, int64_t last)
{
    char *path;
    pl_bytes bytes;
    struct stat info;
    PL_TRY(pl_path_in(&path, e->folder, "%s", LIST));
    pl_status status = PL_OK;
    if (stat(path, &info) == 0) {
        status = pl_bytes_load(path, &bytes);
        if (status == PL_OK) {
            status = read_rows(e, path, bytes.data, last);
            pl_bytes_free(&bytes);
        }
    }
    pl_free(path);
    return status;
}

static pl_status write_list(const pl_export *e)
{
    char *path;
    pl_output out;
    PL_TRY(pl_path_in(&path, e->folder, "%s", LIST));
    pl_status status = pl_output_open(path, &out);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&out, "%s", LIST_HEADER);
    for (int64_t i = 0; i < e->n_frames; i++) {
        pl_output_int(&out, e->frames[i].step);
        pl_output_write(&out, ",", 1);
        pl_output_double(&out, e->frames[i].time);
        pl_output_write(&out, "\n", 1);
    }
    return pl_output_close(&out);
}

pl_status pl_export_read_frames(const char *folder, pl_series_frame **frames, int64_t *n)
{
    pl_export e = {.folder = (char *)folder};
    pl_status status = read_list(&e, INT64_MAX);
    if (status != PL_OK) {
        pl_free(e.frames);
        return status;
    }
    *frames = e.frames;
    *n = e.n_frames;
    return PL_OK;
}

// --- The scene ---

// By its absolute path, because the folder may be looked at from anywhere.
static pl_status write_origin(const pl_export *e)
{
    char *path, whole[PATH_MAX];
    pl_output out;
    PL_TRY(pl_path_in(&path, e->folder, "%s", ORIGIN));
    pl_status status = pl_output_open(path, &out);
    pl_free(path);
    PL_TRY(status);
    const char *text = realpath(e->scene->file, whole) != NULL ? whole : e->scene->file;
    pl_output_write(&out, text, strlen(text));
    pl_output_write(&out, "\n", 1);
    return pl_output_close(&out);
}

pl_status pl_export_read_scene(const char *folder, char **path)
{
    char *file;
    pl_bytes bytes;
    PL_TRY(pl_path_in(&file, folder, "%s", ORIGIN));
    pl_status status = pl_bytes_load(file, &bytes);
    pl_free(file);
    PL_TRY(status);
    bytes.data[strcspn(bytes.data, "\n")] = '\0';
    status = pl_path_in(path, NULL, "%s", bytes.data);
    pl_bytes_free(&bytes);
    return status;
}

// --- Point caches ---

typedef pl_status cache_work(const char *path, int32_t n_points, const pl_export *e,
                             const float *x);

static pl_status check_cache(const char *path, int32_t n_points, const pl_export *e, const float *x)
{
    (void)x;
    return pl_pc2_check(path, n_points, (int32_t)e->n_frames);
}

static pl_status begin_cache(const char *path, int32_t n_points, const pl_export *e, const float *x)
{
    (void)x;
    if (e->n_frames > 1) return pl_pc2_keep(path, n_points, (int32_t)e->n_frames - 1);
    return pl_pc2_create(path, n_points, e->frames[0].time * e->options.fps);
}

static pl_status append_cache(const char *path, int32_t n_points, const pl_export *e,
                              const float *x)
{
    return pl_pc2_append(path, n_points, (int32_t)e->n_frames - 1, x);
}

// Does something with each cache that the formats need.
static pl_status with_caches(const pl_export *e, cache_work *work)
{
    const pl_export_bodies *bodies = &e->bodies;
    char *path;
    pl_status status = PL_OK;
    if (e->options.formats & PL_EXPORT_USDA) {
        PL_TRY(pl_path_in(&path, e->folder, "%s", PL_EXPORT_CACHE));
        status = work(path, bodies->n_vert, e, e->x);
        pl_free(path);
    }
    if (!(e->options.formats & PL_EXPORT_PC2)) return status;
    for (int32_t i = 0; i < bodies->n && status == PL_OK; i++) {
        const pl_export_body *body = &bodies->body[i];
        PL_TRY(pl_path_in(&path, e->folder, "%s.pc2", body->name));
        status = work(path, body->n_vert, e, e->x + 3 * (int64_t)body->vert);
        pl_free(path);
    }
    return status;
}

// The meshes that the caches move, as the bodies are at the start.
static pl_status write_rest(const pl_export *e)
{
    pl_status status = PL_OK;
    for (int32_t i = 0; i < e->bodies.n && status == PL_OK; i++) {
        char *path;
        PL_TRY(pl_path_in(&path, e->folder, "%s.obj", e->bodies.body[i].name));
        status = pl_write_body_obj(&e->bodies, i, path);
        pl_free(path);
    }
    return status;
}

// --- USD ---

static pl_status write_usda(pl_export *e)
{
    char *path, *cache;
    PL_TRY(pl_path_in(&cache, e->folder, "%s", PL_EXPORT_CACHE));
    pl_status status = pl_path_in(&path, e->folder, "scene.usda");
    if (status == PL_OK) {
        pl_usda usda = {e->scene, &e->bodies, cache, e->frames, e->n_frames, e->options.fps};
        status = pl_usda_write(&usda, path);
        pl_free(path);
    }
    pl_free(cache);
    if (status == PL_OK) e->in_usda = e->n_frames;
    return status;
}

pl_status pl_export_finish(pl_export *export)
{
    bool usda = export->options.formats & PL_EXPORT_USDA;
    bool due = usda && export->begun && !export->failed && export->in_usda != export->n_frames;
    return due ? write_usda(export) : PL_OK;
}

// --- Frames ---

static pl_status write_file(const pl_export *e, int format, const char *extension, int64_t step,
                            pl_status (*write)(const pl_export_bodies *, const char *))
{
    char *path;
    if (!(e->options.formats & format)) return PL_OK;
    PL_TRY(pl_path_in(&path, e->folder, "frame-%06" PRId64 ".%s", step, extension));
    pl_status status = write(&e->bodies, path);
    pl_free(path);
    return status;
}

// The frame is the last of the list already, but not yet of the file with the list.
static pl_status write_files(pl_export *e, const pl_world *world)
{
    int64_t step = pl_world_steps(world);
    bool caches = e->options.formats & (PL_EXPORT_PC2 | PL_EXPORT_USDA);
    if (!e->begun && caches) PL_TRY(write_origin(e));
    if (!e->begun && e->options.formats & PL_EXPORT_PC2) PL_TRY(write_rest(e));
    pl_export_bodies_move(&e->bodies, world);
    for (int64_t i = 0; i < 3 * (int64_t)e->bodies.n_vert; i++) e->x[i] = (float)e->bodies.x[i];
    PL_TRY(write_file(e, PL_EXPORT_OBJ, "obj", step, pl_write_frame_obj));
    PL_TRY(write_file(e, PL_EXPORT_PLY, "ply", step, pl_write_frame_ply));
    if (!e->begun) PL_TRY(with_caches(e, begin_cache));
    e->begun = true;
    PL_TRY(with_caches(e, append_cache));
    return write_list(e);
}

static pl_status write_frame(pl_export *e, const pl_world *world)
{
    PL_TRY(add_frame(e, pl_world_steps(world), pl_world_time(world)));
    pl_status status = write_files(e, world);
    if (status != PL_OK) e->n_frames--;
    bool usda = e->options.formats & PL_EXPORT_USDA && e->n_frames >= 2 * e->in_usda;
    return status == PL_OK && usda ? write_usda(e) : status;
}

bool pl_export_is_empty(const pl_export *export)
{
    bool vtu = export->options.formats & PL_EXPORT_VTU;
    bool others = export->options.formats & ~PL_EXPORT_VTU;
    return (vtu && export->series.states.n_frames == 0) || (others && export->n_frames == 0);
}

static pl_status write_state(pl_export *e, pl_world *world)
{
    int64_t step = pl_world_steps(world), n = e->n_frames;
    if (e->options.formats & PL_EXPORT_VTU) PL_TRY(pl_series_write(&e->series, world));
    bool others = e->options.formats & ~PL_EXPORT_VTU;
    if (!others || (n > 0 && e->frames[n - 1].step == step)) return PL_OK;
    return write_frame(e, world);
}

pl_status pl_export_write(pl_export *export, pl_world *world)
{
    pl_status status = write_state(export, world);
    export->failed = status != PL_OK;
    return status;
}

// --- Beginning and end ---

static pl_status open_export(const pl_world *world, pl_export *e)
{
    const pl_export_options *o = &e->options;
    PL_TRY(pl_make_folder(e->folder));
    if (o->formats & PL_EXPORT_VTU) {
        PL_TRY(pl_series_open(e->folder, world, o->contacts, o->resumed, &e->series));
    }
    if (!(o->formats & ~PL_EXPORT_VTU)) return PL_OK;
    PL_TRY(pl_export_bodies_make(e->scene, &e->bodies));
    e->x = pl_alloc(3 * (int64_t)e->bodies.n_vert, sizeof *e->x);
    if (e->x == NULL) return PL_ERROR_MEMORY;
    if (o->resumed) PL_TRY(read_list(e, pl_world_steps(world)));
    pl_status status = e->n_frames > 0 ? with_caches(e, check_cache) : PL_OK;
    if (status == PL_OK || status == PL_ERROR_MEMORY) return status;
    return pl_fail(status, "%s; resume with the formats that the run had, or into another folder",
                   pl_error_text());
}

pl_status pl_export_open(const char *folder, const pl_export_options *options,
                         const pl_scene *scene, const pl_world *world, pl_export *out)
{
    *out = (pl_export){.options = *options, .scene = scene};
    pl_status status = pl_path_in(&out->folder, NULL, "%s", folder);
    if (status == PL_OK) status = open_export(world, out);
    if (status != PL_OK) pl_export_free(out);
    return status;
}

void pl_export_free(pl_export *export)
{
    pl_free(export->folder);
    pl_series_free(&export->series);
    pl_export_bodies_free(&export->bodies);
    pl_free(export->x);
    pl_free(export->frames);
    *export = (pl_export){0};
}
