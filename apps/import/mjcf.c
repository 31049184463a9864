// MJCF, as MuJoCo has it: bodies and their geoms.

#include "mjcf.h"

#include <stdio.h>

enum { GEOMS = 64, DEPTH = 200 };

// --- Geoms ---

static pl_status read_mesh(const pl_mjcf *m, const pl_element *at, pl_import_geom *g, bool *known)
{
    const char *name = pl_mjcf_get(m, at, "mesh");
    const pl_element *asset = pl_element_find(m->root, "asset"),
                     *mesh = pl_element_find(asset, "mesh");
    for (; mesh != NULL; mesh = pl_element_next(mesh, "mesh")) {
        const char *file = pl_element_get(mesh, "file"), *own = pl_element_get(mesh, "name");
        double scale[3] = {1, 1, 1};
        int given;
        char stem[PL_MJCF_NAME];
        if (file == NULL || name == NULL) continue;
        const char *slash = strrchr(file, '/');
        snprintf(stem, sizeof stem, "%s", slash != NULL ? slash + 1 : file);
        if (strrchr(stem, '.') != NULL) *strrchr(stem, '.') = '\0';
        if (strcmp(own != NULL ? own : stem, name) != 0) continue;
        PL_TRY(pl_mjcf_numbers(m, mesh, "scale", scale, 3, &given));
        g->shape = PL_IMPORT_MESH;
        g->size[0] = fabs(scale[0]);
        snprintf(g->mesh, sizeof g->mesh, "%s%s%s", m->meshdir != NULL ? m->meshdir : "",
                 m->meshdir != NULL ? "/" : "", file);
        return PL_OK;
    }
    *known = false;
    return pl_import_note_it(m->import, "left out: meshes without a file");
}

// Between two points, in place of position, orientation and half the length.
static pl_status read_from_to(const pl_mjcf *m, const pl_element *at, pl_import_geom *g)
{
    double v[6], d[3], length = 0;
    int given;
    PL_TRY(pl_mjcf_numbers(m, at, "fromto", v, 6, &given));
    if (given != 6) return PL_OK;
    for (int k = 0; k < 3; k++) {
        d[k] = v[3 + k] - v[k];
        length += d[k] * d[k];
    }
    g->pose = pl_robot_pose_upright(d);
    for (int k = 0; k < 3; k++) g->pose.t[k] = 0.5 * (v[k] + v[3 + k]);
    g->size[g->shape == PL_IMPORT_BOX ? 2 : 1] = 0.5 * sqrt(length);
    if (g->shape == PL_IMPORT_BOX) g->size[1] = g->size[0];
    return PL_OK;
}

static pl_status read_shape(const pl_mjcf *m, const pl_element *at, pl_import_geom *g, bool *known)
{
    static const char *const names[] = {"box", "sphere", "cylinder", "capsule"};
    const char *type = pl_mjcf_get(m, at, "type");
    int shape = 0, given;
    if (type == NULL) type = "sphere";
    if (strcmp(type, "mesh") == 0) return read_mesh(m, at, g, known);
    while (shape < 4 && strcmp(names[shape], type) != 0) shape++;
    *known = shape < 4;
    if (!*known) return pl_import_note_it(m->import, "left out: geoms of the type %s", type);
    g->shape = (pl_import_shape)shape;
    PL_TRY(pl_mjcf_numbers(m, at, "size", g->size, 3, &given));
    PL_TRY(read_from_to(m, at, g));
    for (int k = 0; k < 3; k++) {
        if (g->shape == PL_IMPORT_BOX || k == 1) g->size[k] *= 2; // they are halves
    }
    return PL_OK;
}

static pl_status read_geom(const pl_mjcf *m, const pl_element *at, const pl_robot_pose *body,
                           pl_import_geom *g, bool *known)
{
    double rgba[4], friction[3];
    int given;
    *known = true;
    *g = (pl_import_geom){.density = 1000, .friction = 1, .color = {-1, -1, -1}};
    PL_TRY(pl_mjcf_pose(m, at, &g->pose));
    PL_TRY(read_shape(m, at, g, known));
    g->pose = pl_robot_pose_in(body, &g->pose);
    PL_TRY(pl_mjcf_number(m, at, "mass", &g->mass));
    PL_TRY(pl_mjcf_number(m, at, "density", &g->density));
    if (!(g->mass > 0)) g->mass = g->density * pl_import_volume(g);
    PL_TRY(pl_mjcf_numbers(m, at, "friction", friction, 3, &given));
    if (given > 0) g->friction = friction[0];
    PL_TRY(pl_mjcf_numbers(m, at, "rgba", rgba, 4, &given));
    if (given >= 3) memcpy(g->color, rgba, sizeof g->color);
    return PL_OK;
}

// A plane is the ground, if it is that of scenes.
static pl_status read_plane(pl_mjcf *m, const pl_element *at, const pl_robot_pose *body)
{
    pl_robot_pose pose;
    PL_TRY(pl_mjcf_pose(m, at, &pose));
    pose = pl_robot_pose_in(body, &pose);
    if (fabs(pose.t[2]) > 1e-9 || pose.R[8] < 1 - 1e-9) {
        return pl_import_note_it(m->import, "left out: planes other than z = 0");
    }
    cJSON *ground = cJSON_GetObjectItem(m->import->scene, "ground");
    if (cJSON_IsFalse(ground)) {
        cJSON_ReplaceItemInObject(m->import->scene, "ground", cJSON_CreateTrue());
    }
    return PL_OK;
}

static pl_status read_geoms(pl_mjcf *m, const pl_element *at, const pl_robot_pose *pose,
                            pl_import_geom *geom, int32_t *n)
{
    *n = 0;
    for (const pl_element *g = pl_element_find(at, "geom"); g != NULL;
         g = pl_element_next(g, "geom")) {
        const char *type = pl_mjcf_get(m, g, "type");
        bool known;
        if (type != NULL && strcmp(type, "plane") == 0) {
            PL_TRY(read_plane(m, g, pose));
            continue;
        }
        if (*n == GEOMS) return pl_import_fail(m->import, g, "more than %d geoms", GEOMS);
        PL_TRY(read_geom(m, g, pose, &geom[*n], &known));
        *n += known;
    }
    return PL_OK;
}

// --- Bodies ---

static bool has_joints(const pl_element *at)
{
    return pl_element_find(at, "joint") != NULL || pl_element_find(at, "freejoint") != NULL;
}

static pl_status note_children(pl_mjcf *m, const pl_element *at)
{
    static const char *const known[] = {"body",     "geom",  "joint", "freejoint",
                                        "inertial", "light", "site",  "camera"};
    for (const pl_element *c = at->child; c != NULL; c = c->next) {
        size_t k = 0, n = sizeof known / sizeof known[0];
        while (k < n && strcmp(known[k], c->name) != 0) k++;
        if (k >= 5) PL_TRY(pl_import_note_it(m->import, "left out: <%s>", c->name));
    }
    return PL_OK;
}

static pl_status add_body(pl_mjcf *m, const pl_element *at, const pl_mjcf_body *around, int depth)
{
    pl_import_geom geom[GEOMS];
    int32_t n;
    double mass = 0;
    pl_mjcf_body body = {.is_static = around == NULL || (around->is_static && !has_joints(at))};
    const char *name = pl_element_get(at, "name");
    if (depth > DEPTH) return pl_import_fail(m->import, at, "too many bodies in each other");
    if (name == NULL && around != NULL) {
        snprintf(body.name, sizeof body.name, "body-%d", (int)m->n_body);
    } else {
        snprintf(body.name, sizeof body.name, "%s", around == NULL ? "base" : name);
    }
    PL_TRY(pl_mjcf_pose(m, at, &body.pose));
    if (around != NULL) body.pose = pl_robot_pose_in(&around->pose, &body.pose);
    PL_TRY(pl_reserve((void **)&m->body, &m->body_capacity, m->n_body + 1, sizeof *m->body));
    m->body[m->n_body++] = body;
    PL_TRY(note_children(m, at));
    PL_TRY(read_geoms(m, at, &body.pose, geom, &n));
    const pl_element *inertial = pl_element_find(at, "inertial");
    if (inertial != NULL) {
        PL_TRY(pl_mjcf_number(m, inertial, "mass", &mass));
        PL_TRY(pl_import_note_it(m->import, "left out: <inertial> but for its mass"));
    }
    if (n > 0 || !body.is_static) {
        PL_TRY(pl_import_link(m->import, body.name, geom, n, mass, body.is_static, body.pose.t));
    }
    if (!body.is_static) {
        const char *a = around->is_static ? "world" : around->name;
        PL_TRY(pl_mjcf_add_joints(m, at, a, body.name, &body.pose));
    }
    for (const pl_element *c = pl_element_find(at, "body"); c != NULL;
         c = pl_element_next(c, "body")) {
        PL_TRY(add_body(m, c, &body, depth + 1));
    }
    return PL_OK;
}

// --- The whole ---

static pl_status read_compiler(pl_mjcf *m)
{
    const pl_element *compiler = pl_element_find(m->root, "compiler");
    const char *angle = pl_element_get(compiler, "angle"),
               *seq = pl_element_get(compiler, "eulerseq");
    m->angle = angle != NULL && strcmp(angle, "radian") == 0 ? 1 : 1 / PL_DEGREES;
    snprintf(m->eulerseq, sizeof m->eulerseq, "%s", seq != NULL ? seq : "xyz");
    m->meshdir = pl_element_get(compiler, "meshdir");
    if (strspn(m->eulerseq, "xyzXYZ") != 3) {
        return pl_import_fail(m->import, compiler, "eulerseq: three of x, y, z expected");
    }
    const char *coordinate = pl_element_get(compiler, "coordinate");
    if (coordinate == NULL || strcmp(coordinate, "local") == 0) return PL_OK;
    return pl_import_fail(m->import, compiler, "coordinate=\"%s\": only local ones are known",
                          coordinate);
}

static pl_status read_option(pl_mjcf *m)
{
    const pl_element *option = pl_element_find(m->root, "option");
    double gravity[3] = {0, 0, -9.81}, dt = 0.002;
    int given;
    cJSON *world = cJSON_GetObjectItem(m->import->scene, "world");
    if (option != NULL) {
        PL_TRY(pl_import_numbers(m->import, option, pl_element_get(option, "gravity"), gravity, 3,
                                 &given));
        PL_TRY(pl_import_numbers(m->import, option, pl_element_get(option, "timestep"), &dt, 1,
                                 &given));
    }
    cJSON_DeleteItemFromObject(world, "dt");
    pl_import_number(m->import, world, "dt", dt);
    pl_import_vector(m->import, world, "gravity", gravity);
    return PL_OK;
}

static pl_status note_sections(pl_mjcf *m)
{
    static const char *const known[] = {"compiler", "option", "default", "worldbody", "actuator",
                                        "equality", "asset",  "size",    "visual",    "statistic"};
    for (const pl_element *at = m->root->child; at != NULL; at = at->next) {
        size_t k = 0, n = sizeof known / sizeof known[0];
        while (k < n && strcmp(known[k], at->name) != 0) k++;
        if (k == n) PL_TRY(pl_import_note_it(m->import, "left out: <%s>", at->name));
    }
    return PL_OK;
}

static pl_status read_all(pl_mjcf *m)
{
    const pl_element *world = pl_element_find(m->root, "worldbody");
    PL_TRY(read_compiler(m));
    PL_TRY(read_option(m));
    PL_TRY(note_sections(m));
    PL_TRY(pl_import_note_it(m->import, "shapes of the robot pass through each other"));
    for (; world != NULL; world = pl_element_next(world, "worldbody")) {
        PL_TRY(add_body(m, world, NULL, 0));
    }
    PL_TRY(pl_mjcf_add_equalities(m));
    return pl_mjcf_add_actuators(m);
}

pl_status pl_import_mjcf(pl_import *import, const pl_element *mujoco)
{
    pl_mjcf m = {.import = import, .root = mujoco};
    pl_status status = read_all(&m);
    pl_free(m.body);
    pl_free(m.joint);
    return status;
}
