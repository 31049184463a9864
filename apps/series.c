#include "series.h"
#include "../base/file.h"
#include "../meshes/mesh.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_ROOM = 48 }; // for "/frame-%06lld.vtu"

// What a line of the list says. The reader below takes lines of this form only.
#define LINE_FORMAT "    <DataSet timestep=\"%.12g\" part=\"0\" file=\"frame-%06lld.vtu\"/>\n"
#define LINE_SCAN " <DataSet timestep=\"%lf\" part=\"0\" file=\"frame-%lld.vtu\"/>"

static pl_status path_in(const char *folder, const char *name, char **out)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    *out = pl_alloc((int64_t)room, 1);
    if (*out == NULL) return PL_ERROR_MEMORY;
    snprintf(*out, room, "%s/%s", folder, name);
    return PL_OK;
}

// --- The folder ---

// Makes the folder and those above it. `path` is changed and changed back.
static pl_status make_folder(char *path)
{
    for (char *p = path + 1;; p++) {
        if (*p != '/' && *p != '\0') continue;
        char end = *p;
        *p = '\0';
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST ? errno : 0;
        struct stat info;
        if (failed == 0 && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))) failed = ENOTDIR;
        if (failed != 0) return pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(failed));
        *p = end;
        if (end == '\0') return PL_OK;
    }
}

// --- The list ---

static pl_status add_frame(pl_series *s, int64_t step, double time)
{
    PL_TRY(pl_reserve((void **)&s->frames, &s->capacity, s->n_frames + 1, sizeof *s->frames));
    s->frames[s->n_frames++] = (pl_series_frame){step, time};
    return PL_OK;
}

// Takes over the frames of an earlier run up to `last`.
static pl_status read_list(pl_series *s, int64_t last)
{
    char *path;
    pl_bytes bytes;
    struct stat info;
    PL_TRY(path_in(s->folder, "series.pvd", &path));
    bool there = stat(path, &info) == 0;
    pl_status status = there ? pl_bytes_load(path, &bytes) : PL_OK;
    pl_free(path);
    if (!there || status != PL_OK) return status;
    for (const char *p = bytes.data; status == PL_OK && p != NULL && *p != '\0';) {
        double time;
        long long step;
        if (sscanf(p, LINE_SCAN, &time, &step) == 2 && step <= last) {
            status = add_frame(s, step, time);
        }
        p = strchr(p, '\n');
        if (p != NULL) p++;
    }
    pl_bytes_free(&bytes);
    return status;
}

static pl_status write_list(const pl_series *s)
{
    char *path;
    pl_output out;
    PL_TRY(path_in(s->folder, "series.pvd", &path));
    pl_status status = pl_output_open(path, &out);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&out, "<?xml version=\"1.0\"?>\n"
                           "<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n");
    for (int64_t i = 0; i < s->n_frames; i++) {
        pl_output_printf(&out, LINE_FORMAT, s->frames[i].time, (long long)s->frames[i].step);
    }
    pl_output_printf(&out, "  </Collection>\n</VTKFile>\n");
    return pl_output_close(&out);
}

// --- Frames ---

// All bodies as one mesh, without faces.
static pl_status merge_bodies(pl_series *s, const pl_world *world)
{
    int64_t n_vert = 0, n_tet = 0;
    int32_t n = pl_world_body_count(world);
    for (int32_t i = 0; i < n; i++) {
        n_vert += pl_world_mesh(world, i)->n_vert;
        n_tet += pl_world_mesh(world, i)->n_tet;
    }
    PL_TRY(pl_mesh_alloc(n_vert, 0, n_tet, &s->mesh));
    s->velocity = pl_alloc(3 * n_vert, sizeof *s->velocity);
    s->body = pl_alloc(n_tet, sizeof *s->body);
    s->von_mises = pl_alloc(n_tet, sizeof *s->von_mises);
    s->principal = pl_alloc(3 * n_tet, sizeof *s->principal);
    bool ok =
        s->velocity != NULL && s->body != NULL && s->von_mises != NULL && s->principal != NULL;
    if (!ok) return PL_ERROR_MEMORY;
    int64_t vert = 0, tet = 0;
    for (int32_t i = 0; i < n; i++) {
        const pl_mesh *mesh = pl_world_mesh(world, i);
        for (int64_t k = 0; k < 4 * (int64_t)mesh->n_tet; k++) {
            s->mesh->tet[4 * tet + k] = mesh->tet[k] + (int32_t)vert;
            s->body[tet + k / 4] = i;
        }
        vert += mesh->n_vert;
        tet += mesh->n_tet;
    }
    return PL_OK;
}

static pl_status gather_state(pl_series *s, pl_world *world)
{
    int64_t vert = 0, tet = 0;
    for (int32_t i = 0; i < pl_world_body_count(world); i++) {
        const pl_mesh *mesh = pl_world_mesh(world, i);
        size_t size = 3 * (size_t)mesh->n_vert * sizeof(double);
        memcpy(s->mesh->x + 3 * vert, pl_world_positions(world, i), size);
        memcpy(s->velocity + 3 * vert, pl_world_velocities(world, i), size);
        PL_TRY(pl_world_stress(world, i, s->von_mises + tet, s->principal + 3 * tet));
        vert += mesh->n_vert;
        tet += mesh->n_tet;
    }
    return PL_OK;
}

static pl_status write_frame(const pl_series *s, int64_t step)
{
    const pl_field fields[] = {{"velocity", false, 3, s->velocity},
                               {"body", true, 1, s->body},
                               {"von_mises", true, 1, s->von_mises},
                               {"principal_stress", true, 3, s->principal}};
    pl_write_options options = pl_write_options_default();
    options.fields = fields;
    options.n_fields = sizeof fields / sizeof fields[0];
    char name[NAME_ROOM], *path;
    snprintf(name, sizeof name, "frame-%06lld.vtu", (long long)step);
    PL_TRY(path_in(s->folder, name, &path));
    pl_status status = pl_mesh_write(s->mesh, path, &options);
    pl_free(path);
    return status;
}

pl_status pl_series_write(pl_series *series, pl_world *world)
{
    int64_t step = pl_world_steps(world);
    if (series->n_frames > 0 && series->frames[series->n_frames - 1].step == step) return PL_OK;
    PL_TRY(gather_state(series, world));
    PL_TRY(write_frame(series, step));
    PL_TRY(add_frame(series, step, pl_world_time(world)));
    return write_list(series);
}

// --- All of it ---

pl_status pl_series_open(const char *folder, const pl_world *world, bool resumed, pl_series *out)
{
    *out = (pl_series){0};
    size_t size = strlen(folder) + 1;
    out->folder = pl_alloc((int64_t)size, 1);
    if (out->folder == NULL) return PL_ERROR_MEMORY;
    memcpy(out->folder, folder, size);
    pl_status status = make_folder(out->folder);
    if (status == PL_OK && resumed) status = read_list(out, pl_world_steps(world));
    if (status == PL_OK) status = merge_bodies(out, world);
    if (status != PL_OK) pl_series_free(out);
    return status;
}

void pl_series_free(pl_series *series)
{
    pl_free(series->folder);
    pl_mesh_destroy(series->mesh);
    pl_free(series->velocity);
    pl_free(series->body);
    pl_free(series->von_mises);
    pl_free(series->principal);
    pl_free(series->frames);
    *series = (pl_series){0};
}
