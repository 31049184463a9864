#include "series.h"
#include "../common/paths.h"
#include "../../base/file.h"

#include <string.h>
#include <sys/stat.h>

// What a line of a list says. The reader below takes lines of this form only.
#define LINE_FORMAT "    <DataSet timestep=\"%.12g\" part=\"0\" file=\"%s-%06lld.vtu\"/>\n"
#define LINE_SCAN " <DataSet timestep=\"%lf\" part=\"0\" file=\"%31[a-z]-%lld.vtu\"/>"

// --- The lists ---

static pl_status add_frame(pl_series_list *list, int64_t step, double time)
{
    PL_TRY(pl_reserve((void **)&list->frames, &list->capacity, list->n_frames + 1,
                      sizeof *list->frames));
    list->frames[list->n_frames++] = (pl_series_frame){step, time};
    return PL_OK;
}

// Takes over the frames of an earlier run up to `last`.
static pl_status read_list(const char *folder, pl_series_list *list, int64_t last)
{
    char *path;
    pl_bytes bytes;
    struct stat info;
    PL_TRY(pl_path_in(&path, folder, "%s.pvd", list->list));
    bool there = stat(path, &info) == 0;
    pl_status status = there ? pl_bytes_load(path, &bytes) : PL_OK;
    pl_free(path);
    if (!there || status != PL_OK) return status;
    for (const char *p = bytes.data; status == PL_OK && p != NULL && *p != '\0';) {
        double time;
        char name[32];
        long long step;
        bool known = sscanf(p, LINE_SCAN, &time, name, &step) == 3;
        if (known && strcmp(name, list->frame) == 0 && step <= last) {
            status = add_frame(list, step, time);
        }
        p = strchr(p, '\n');
        if (p != NULL) p++;
    }
    pl_bytes_free(&bytes);
    return status;
}

static pl_status write_list(const char *folder, const pl_series_list *list)
{
    char *path;
    pl_output out;
    PL_TRY(pl_path_in(&path, folder, "%s.pvd", list->list));
    pl_status status = pl_output_open(path, &out);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&out, "<?xml version=\"1.0\"?>\n"
                           "<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n");
    for (int64_t i = 0; i < list->n_frames; i++) {
        pl_output_printf(&out, LINE_FORMAT, list->frames[i].time, list->frame,
                         (long long)list->frames[i].step);
    }
    pl_output_printf(&out, "  </Collection>\n</VTKFile>\n");
    return pl_output_close(&out);
}

static bool has_step(const pl_series_list *list, int64_t step)
{
    return list->n_frames > 0 && list->frames[list->n_frames - 1].step == step;
}

// Writes a frame, then the list with it.
static pl_status write_frame(const char *folder, pl_series_list *list, const pl_world *world,
                             const pl_mesh *mesh, const pl_write_options *options)
{
    char *path;
    PL_TRY(
        pl_path_in(&path, folder, "%s-%06lld.vtu", list->frame, (long long)pl_world_steps(world)));
    pl_status status = pl_mesh_write(mesh, path, options);
    pl_free(path);
    PL_TRY(status);
    PL_TRY(add_frame(list, pl_world_steps(world), pl_world_time(world)));
    return write_list(folder, list);
}

// --- Bodies ---

// The faces that a frame shows of a body.
static int64_t faces_of(const pl_mesh *mesh)
{
    return pl_mesh_tet_count(mesh) > 0 ? 0 : pl_mesh_face_count(mesh);
}

static pl_status check_counts(int64_t n_vert, int64_t n_tet, int64_t n_face)
{
    if (n_vert <= PL_MESH_MAX && n_tet <= PL_MESH_MAX && n_face <= PL_MESH_MAX) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "a mesh of more than %d vertices, faces or tets", PL_MESH_MAX);
}

// Lists the tets (4*n_tet) of all bodies, and the faces (3*n_face) of those without.
static void list_cells(pl_series *s, const pl_world *world, int64_t n_tet, int32_t *tets,
                       int32_t *faces)
{
    int64_t vert = 0, tet = 0, face = 0;
    for (int32_t i = 0; i < pl_world_body_count(world); i++) {
        const pl_mesh *mesh = pl_world_mesh(world, i);
        s->first[i] = vert;
        for (int64_t k = 0; k < 4 * (int64_t)pl_mesh_tet_count(mesh); k++) {
            tets[4 * tet + k] = pl_mesh_tets(mesh)[k] + (int32_t)vert;
            s->body[tet + k / 4] = i;
        }
        for (int64_t k = 0; k < 3 * faces_of(mesh); k++) {
            faces[3 * face + k] = pl_mesh_faces(mesh)[k] + (int32_t)vert;
            s->body[n_tet + face + k / 3] = i;
        }
        vert += pl_mesh_vertex_count(mesh);
        tet += pl_mesh_tet_count(mesh);
        face += faces_of(mesh);
    }
}

static pl_status merge_cells(pl_series *s, const pl_world *world, int32_t n_vert, int32_t n_tet,
                             int32_t n_face)
{
    int32_t *tets = pl_alloc(4 * (int64_t)n_tet, sizeof *tets);
    int32_t *faces = pl_alloc(3 * (int64_t)n_face, sizeof *faces);
    pl_status status = tets != NULL && faces != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        list_cells(s, world, n_tet, tets, faces);
        status = pl_mesh_create(n_vert, s->x, n_face, faces, n_tet, tets, &s->mesh);
    }
    pl_free(tets);
    pl_free(faces);
    return status;
}

// All bodies as one mesh; where they are comes with each frame.
static pl_status merge_bodies(pl_series *s, const pl_world *world)
{
    int64_t n_vert = 0, n_tet = 0, n_face = 0;
    int32_t n = pl_world_body_count(world);
    for (int32_t i = 0; i < n; i++) {
        const pl_mesh *mesh = pl_world_mesh(world, i);
        n_vert += pl_mesh_vertex_count(mesh);
        n_tet += pl_mesh_tet_count(mesh);
        n_face += faces_of(mesh);
    }
    PL_TRY(check_counts(n_vert, n_tet, n_face));
    int64_t n_cell = n_tet + n_face;
    s->x = pl_alloc_zero(3 * n_vert, sizeof *s->x);
    s->velocity = pl_alloc(3 * n_vert, sizeof *s->velocity);
    s->push = pl_alloc(3 * n_vert, sizeof *s->push);
    s->first = pl_alloc(n, sizeof *s->first);
    s->body = pl_alloc(n_cell, sizeof *s->body);
    s->von_mises = pl_alloc_zero(n_cell, sizeof *s->von_mises);
    s->principal = pl_alloc_zero(3 * n_cell, sizeof *s->principal);
    bool ok = s->x != NULL && s->velocity != NULL && s->push != NULL && s->first != NULL &&
              s->body != NULL && s->von_mises != NULL && s->principal != NULL;
    return ok ? merge_cells(s, world, (int32_t)n_vert, (int32_t)n_tet, (int32_t)n_face)
              : PL_ERROR_MEMORY;
}

// Each contact's force, shared by the vertices that touch.
static void gather_pushes(pl_series *s, const pl_world *world)
{
    int32_t n;
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    memset(s->push, 0, 3 * (size_t)pl_mesh_vertex_count(s->mesh) * sizeof *s->push);
    for (const pl_contact_point *c = contact; c < contact + n; c++) {
        for (int k = 0; k < 4 && c->vertex[k] >= 0; k++) {
            double *to =
                s->push + 3 * (s->first[k < c->n_a ? c->body_a : c->body_b] + c->vertex[k]);
            for (int j = 0; j < 3; j++) {
                to[j] += c->weight[k] * (c->force * c->normal[j] + c->friction[j]);
            }
        }
    }
}

static pl_status gather_state(pl_series *s, pl_world *world)
{
    int64_t vert = 0, tet = 0;
    gather_pushes(s, world);
    for (int32_t i = 0; i < pl_world_body_count(world); i++) {
        const pl_mesh *mesh = pl_world_mesh(world, i);
        size_t size = 3 * (size_t)pl_mesh_vertex_count(mesh) * sizeof(double);
        memcpy(s->x + 3 * vert, pl_world_positions(world, i), size);
        memcpy(s->velocity + 3 * vert, pl_world_velocities(world, i), size);
        if (pl_world_kind(world, i) == PL_BODY_DEFORMABLE) {
            PL_TRY(pl_world_stress(world, i, s->von_mises + tet, s->principal + 3 * tet));
        }
        vert += pl_mesh_vertex_count(mesh);
        tet += pl_mesh_tet_count(mesh);
    }
    return pl_mesh_set_positions(s->mesh, s->x);
}

static pl_status write_bodies(pl_series *s, pl_world *world)
{
    PL_TRY(gather_state(s, world));
    const pl_field fields[] = {{"velocity", false, 3, s->velocity},
                               {"contact_force", false, 3, s->push},
                               {"body", true, 1, s->body},
                               {"von_mises", true, 1, s->von_mises},
                               {"principal_stress", true, 3, s->principal}};
    pl_write_options options = pl_write_options_default();
    options.cells = PL_CELLS_ALL;
    options.fields = fields;
    options.n_fields = sizeof fields / sizeof fields[0];
    return write_frame(s->folder, &s->states, world, s->mesh, &options);
}

// --- Contacts ---

enum { CONTACT_NUMBERS = 14 }; // of a contact: its point, and those in its fields

static pl_status write_points(pl_series *s, const pl_world *world, int32_t n,
                              const pl_contact_point *contact, double *data)
{
    double *x = data, *normal = x + 3 * (int64_t)n, *friction = normal + 3 * (int64_t)n;
    double *gap = friction + 3 * (int64_t)n, *force = gap + n, *slips = force + n;
    double *body_a = slips + n, *body_b = body_a + n;
    for (int64_t i = 0; i < n; i++) {
        const pl_contact_point *c = &contact[i];
        memcpy(x + 3 * i, c->point, sizeof c->point);
        memcpy(normal + 3 * i, c->normal, sizeof c->normal);
        memcpy(friction + 3 * i, c->friction, sizeof c->friction);
        gap[i] = c->gap;
        force[i] = c->force;
        slips[i] = c->slips;
        body_a[i] = c->body_a;
        body_b[i] = c->body_b;
    }
    const pl_field fields[] = {{"normal", false, 3, normal}, {"gap", false, 1, gap},
                               {"force", false, 1, force},   {"friction", false, 3, friction},
                               {"slips", false, 1, slips},   {"body_a", false, 1, body_a},
                               {"body_b", false, 1, body_b}};
    pl_write_options options = pl_write_options_default();
    options.cells = PL_CELLS_POINTS;
    options.fields = fields;
    options.n_fields = sizeof fields / sizeof fields[0];
    pl_mesh *mesh;
    PL_TRY(pl_mesh_create(n, x, 0, NULL, 0, NULL, &mesh));
    pl_status status = write_frame(s->folder, &s->touches, world, mesh, &options);
    pl_mesh_destroy(mesh);
    return status;
}

static pl_status write_contacts(pl_series *s, const pl_world *world)
{
    int32_t n;
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    double *data = pl_alloc(CONTACT_NUMBERS * (int64_t)n, sizeof *data);
    pl_status status = data != NULL ? write_points(s, world, n, contact, data) : PL_ERROR_MEMORY;
    pl_free(data);
    return status;
}

// --- Joints ---

enum { JOINT_VECTORS = 7, JOINT_NUMBERS = 5 };

static pl_status gather_joints(const pl_world *world, int32_t n, double *vectors[JOINT_VECTORS],
                               double *numbers[JOINT_NUMBERS])
{
    for (int64_t i = 0; i < n; i++) {
        pl_joint_state joint;
        PL_TRY(pl_world_joint_state(world, (int32_t)i, &joint));
        const double *v[JOINT_VECTORS] = {joint.point_b,     joint.force,     joint.torque,
                                          joint.motor,       joint.motor + 3, joint.position,
                                          joint.position + 3};
        const double a[JOINT_NUMBERS] = {joint.gap, joint.angle, joint.broken, joint.body_a,
                                         joint.body_b};
        for (int k = 0; k < JOINT_VECTORS; k++) {
            memcpy(vectors[k] + 3 * i, v[k], 3 * sizeof(double));
        }
        for (int k = 0; k < JOINT_NUMBERS; k++) numbers[k][i] = a[k];
    }
    return PL_OK;
}

static pl_status write_joint_points(pl_series *s, const pl_world *world, int32_t n, double *data)
{
    double *v[JOINT_VECTORS], *a[JOINT_NUMBERS];
    for (int k = 0; k < JOINT_VECTORS; k++) v[k] = data + (int64_t)k * 3 * n;
    for (int k = 0; k < JOINT_NUMBERS; k++) a[k] = data + (3 * JOINT_VECTORS + (int64_t)k) * n;
    PL_TRY(gather_joints(world, n, v, a));
    const pl_field fields[] = {{"force", false, 3, v[1]},       {"torque", false, 3, v[2]},
                               {"motor_force", false, 3, v[3]}, {"motor_torque", false, 3, v[4]},
                               {"place", false, 3, v[5]},       {"angle", false, 3, v[6]},
                               {"gap", false, 1, a[0]},         {"off", false, 1, a[1]},
                               {"broken", false, 1, a[2]},      {"body_a", false, 1, a[3]},
                               {"body_b", false, 1, a[4]}};
    pl_write_options options = pl_write_options_default();
    options.cells = PL_CELLS_POINTS;
    options.fields = fields;
    options.n_fields = sizeof fields / sizeof fields[0];
    pl_mesh *mesh;
    PL_TRY(pl_mesh_create(n, v[0], 0, NULL, 0, NULL, &mesh));
    pl_status status = write_frame(s->folder, &s->joints, world, mesh, &options);
    pl_mesh_destroy(mesh);
    return status;
}

static pl_status write_joints(pl_series *s, const pl_world *world)
{
    int32_t n = pl_world_joint_count(world);
    double *data = pl_alloc((3 * JOINT_VECTORS + JOINT_NUMBERS) * (int64_t)n, sizeof *data);
    pl_status status = data != NULL ? write_joint_points(s, world, n, data) : PL_ERROR_MEMORY;
    pl_free(data);
    return status;
}

// --- All of it ---

pl_status pl_series_write(pl_series *series, pl_world *world)
{
    int64_t step = pl_world_steps(world);
    if (series->contacts && !has_step(&series->touches, step)) {
        PL_TRY(write_contacts(series, world));
    }
    if (pl_world_joint_count(world) > 0 && !has_step(&series->joints, step)) {
        PL_TRY(write_joints(series, world));
    }
    return has_step(&series->states, step) ? PL_OK : write_bodies(series, world);
}

static pl_status open_series(const char *folder, const pl_world *world, bool resumed,
                             pl_series *out)
{
    int64_t step = pl_world_steps(world);
    PL_TRY(pl_path_in(&out->folder, NULL, "%s", folder));
    PL_TRY(pl_make_folder(folder));
    if (resumed) PL_TRY(read_list(folder, &out->states, step));
    if (resumed && out->contacts) PL_TRY(read_list(folder, &out->touches, step));
    if (resumed) PL_TRY(read_list(folder, &out->joints, step));
    return merge_bodies(out, world);
}

pl_status pl_series_open(const char *folder, const pl_world *world, bool contacts, bool resumed,
                         pl_series *out)
{
    *out = (pl_series){.contacts = contacts,
                       .states = {.list = "series", .frame = "frame"},
                       .touches = {.list = "contacts", .frame = "contacts"},
                       .joints = {.list = "joints", .frame = "joints"}};
    pl_status status = open_series(folder, world, resumed, out);
    if (status != PL_OK) pl_series_free(out);
    return status;
}

void pl_series_free(pl_series *series)
{
    pl_free(series->folder);
    pl_mesh_destroy(series->mesh);
    pl_free(series->x);
    pl_free(series->velocity);
    pl_free(series->push);
    pl_free(series->first);
    pl_free(series->body);
    pl_free(series->von_mises);
    pl_free(series->principal);
    pl_free(series->states.frames);
    pl_free(series->touches.frames);
    pl_free(series->joints.frames);
    *series = (pl_series){0};
}
