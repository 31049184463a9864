#include "import.h"
#include "../common/paths.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// --- Life ---

static pl_status begin(pl_import *import)
{
    import->scene = cJSON_CreateObject();
    cJSON *world = cJSON_AddObjectToObject(import->scene, "world");
    pl_import_number(import, world, "dt", 0.002);
    pl_import_number(import, world, "duration", 5);
    cJSON_AddFalseToObject(import->scene, "ground");
    import->bodies = cJSON_AddArrayToObject(import->scene, "bodies");
    import->joints = cJSON_AddArrayToObject(import->scene, "joints");
    import->couplings = cJSON_AddArrayToObject(import->scene, "couplings");
    import->motors = cJSON_AddArrayToObject(import->scene, "motors");
    bool ok = world != NULL && import->motors != NULL;
    return ok ? PL_OK : pl_fail(PL_ERROR_MEMORY, "out of memory");
}

static void drop_if_empty(pl_import *import, const char *key, const cJSON *array)
{
    if (cJSON_GetArraySize(array) == 0) cJSON_DeleteItemFromObject(import->scene, key);
}

static pl_status read_root(pl_import *import, const pl_element *root)
{
    PL_TRY(begin(import));
    if (strcmp(root->name, "robot") == 0) {
        PL_TRY(pl_import_urdf(import, root));
    } else if (strcmp(root->name, "mujoco") == 0) {
        PL_TRY(pl_import_mjcf(import, root));
    } else {
        return pl_import_fail(import, root, "<%s> is neither <robot> (URDF) nor <mujoco> (MJCF)",
                              root->name);
    }
    if (cJSON_GetArraySize(import->bodies) == 0) {
        return pl_import_fail(import, root, "there are no bodies");
    }
    drop_if_empty(import, "joints", import->joints);
    drop_if_empty(import, "couplings", import->couplings);
    drop_if_empty(import, "motors", import->motors);
    return import->no_memory ? pl_fail(PL_ERROR_MEMORY, "out of memory") : PL_OK;
}

pl_status pl_import_load(const char *path, const pl_import_options *options, pl_import *out)
{
    pl_element *root;
    *out = (pl_import){.file = path, .options = *options};
    PL_TRY(pl_element_load(path, &root));
    pl_status status = read_root(out, root);
    pl_element_free(root);
    if (status != PL_OK) pl_import_free(out);
    return status;
}

void pl_import_free(pl_import *import)
{
    cJSON_Delete(import->scene);
    for (int32_t i = 0; i < import->n_note; i++) pl_free(import->note[i].text);
    pl_free(import->note);
    *import = (pl_import){0};
}

// --- Messages ---

pl_status pl_import_fail(const pl_import *import, const pl_element *at, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return pl_fail(PL_ERROR_FORMAT, "%s:%d: %s", import->file, (int)at->line, sentence);
}

pl_status pl_import_note_it(pl_import *import, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (int32_t i = 0; i < import->n_note; i++) {
        if (strcmp(import->note[i].text, text) != 0) continue;
        import->note[i].count++;
        return PL_OK;
    }
    PL_TRY(pl_reserve((void **)&import->note, &import->note_capacity, import->n_note + 1,
                      sizeof *import->note));
    import->note[import->n_note] = (pl_import_note){.count = 1};
    PL_TRY(pl_path_in(&import->note[import->n_note].text, NULL, "%s", text));
    import->n_note++;
    return PL_OK;
}

// --- JSON ---

static void check(pl_import *import, const void *made)
{
    if (made == NULL) import->no_memory = true;
}

void pl_import_number(pl_import *import, cJSON *to, const char *key, double value)
{
    check(import, cJSON_AddNumberToObject(to, key, value));
}

void pl_import_text(pl_import *import, cJSON *to, const char *key, const char *value)
{
    check(import, cJSON_AddStringToObject(to, key, value));
}

// Twelve digits: what is 0 but for rounding reads so.
void pl_import_vector(pl_import *import, cJSON *to, const char *key, const double v[3])
{
    double clean[3];
    for (int k = 0; k < 3; k++) {
        clean[k] = round(v[k] * 1e12) / 1e12;
        if (clean[k] == 0) clean[k] = 0; // and not -0
    }
    cJSON *array = cJSON_CreateDoubleArray(clean, 3);
    check(import, array);
    if (!cJSON_AddItemToObject(to, key, array)) check(import, NULL);
}

cJSON *pl_import_object(pl_import *import, cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    check(import, object);
    if (!cJSON_AddItemToArray(array, object)) check(import, NULL);
    return object;
}

pl_status pl_import_numbers(const pl_import *import, const pl_element *at, const char *text,
                            double *out, int n, int *given)
{
    *given = 0;
    for (const char *p = text; p != NULL;) {
        char *end;
        while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') p++;
        if (*p == '\0') break;
        double value = strtod(p, &end);
        if (end == p || !isfinite(value)) {
            return pl_import_fail(import, at, "<%s>: \"%s\" is no list of numbers", at->name, text);
        }
        if (*given < n) out[*given] = value;
        ++*given;
        p = end;
    }
    return PL_OK;
}

// --- Bodies ---

static const double PI = 3.14159265358979323846;
// The mass and radius of links that have none: they are needed as frames.
static const double LITTLE_MASS = 1e-3, LITTLE_RADIUS = 0.01;

double pl_import_volume(const pl_import_geom *g)
{
    double r = g->size[0];
    switch (g->shape) {
    case PL_IMPORT_BOX:
        return g->size[0] * g->size[1] * g->size[2];
    case PL_IMPORT_SPHERE:
        return 4 * PI / 3 * r * r * r;
    case PL_IMPORT_CYLINDER:
        return PI * r * r * g->size[1];
    case PL_IMPORT_CAPSULE:
        return PI * r * r * (g->size[1] + 4 * r / 3);
    default:
        return 0;
    }
}

// A capsule becomes a cylinder of the same volume.
static void name_shape(const pl_import_geom *g, char *text, size_t size)
{
    double length = g->size[1] + (g->shape == PL_IMPORT_CAPSULE ? 4 * g->size[0] / 3 : 0);
    switch (g->shape) {
    case PL_IMPORT_BOX:
        snprintf(text, size, "box:size=%.9g,%.9g,%.9g:cells=1", g->size[0], g->size[1], g->size[2]);
        break;
    case PL_IMPORT_SPHERE:
        snprintf(text, size, "icosphere:radius=%.9g:level=2:shells=1", g->size[0]);
        break;
    case PL_IMPORT_MESH:
        snprintf(text, size, "%s", g->mesh);
        break;
    default:
        snprintf(text, size, "cylinder:radius=%.9g:length=%.9g:around=16:along=1:rings=1",
                 g->size[0], length);
    }
}

static pl_status add_body(pl_import *import, const char *name, const pl_import_geom *g, double mass,
                          bool is_static)
{
    char text[512];
    double degrees[3];
    cJSON *body = pl_import_object(import, import->bodies);
    name_shape(g, text, sizeof text);
    pl_import_text(import, body, "name", name);
    pl_import_text(import, body, "mesh", text);
    pl_import_text(import, body, "type", is_static ? "static" : "rigid");
    pl_robot_pose_degrees(&g->pose, degrees);
    pl_import_vector(import, body, "position", g->pose.t);
    pl_import_vector(import, body, "rotation", degrees);
    if (g->shape == PL_IMPORT_MESH && g->size[0] != 1) {
        pl_import_number(import, body, "scale", g->size[0]);
    }
    if (!is_static && mass > 0) pl_import_number(import, body, "mass", mass);
    if (!is_static && !(mass > 0)) pl_import_number(import, body, "density", g->density);
    if (g->friction >= 0) pl_import_number(import, body, "friction", g->friction);
    if (g->color[0] >= 0) {
        char color[16];
        unsigned c[3];
        for (int k = 0; k < 3; k++) c[k] = (unsigned)lround(255 * fmax(0, fmin(1, g->color[k])));
        snprintf(color, sizeof color, "#%02x%02x%02x", c[0], c[1], c[2]);
        pl_import_text(import, body, "color", color);
    }
    pl_import_text(import, body, "group", "robot");
    cJSON *ignore = cJSON_AddArrayToObject(body, "ignore");
    check(import, ignore);
    if (!cJSON_AddItemToArray(ignore, cJSON_CreateString("robot"))) check(import, NULL);
    return g->shape == PL_IMPORT_CAPSULE
               ? pl_import_note_it(import, "capsules are cylinders of the same volume")
               : PL_OK;
}

// A link that only is a frame.
static pl_status add_frame(pl_import *import, const char *name, double mass, bool is_static,
                           const double place[3])
{
    pl_import_geom ball = {.shape = PL_IMPORT_SPHERE,
                           .size = {LITTLE_RADIUS},
                           .pose = pl_robot_pose_none(),
                           .friction = -1,
                           .color = {-1, -1, -1}};
    memcpy(ball.pose.t, place, sizeof ball.pose.t);
    PL_TRY(add_body(import, name, &ball, mass > 0 ? mass : LITTLE_MASS, is_static));
    cJSON *body = cJSON_GetArrayItem(import->bodies, cJSON_GetArraySize(import->bodies) - 1);
    cJSON *ignore = cJSON_GetObjectItem(body, "ignore");
    static const char *const all[] = {"", "ground"};
    for (int k = 0; k < 2; k++) {
        if (!cJSON_AddItemToArray(ignore, cJSON_CreateString(all[k]))) check(import, NULL);
    }
    return pl_import_note_it(import, "links without a shape are balls of %g m that touch nothing",
                             LITTLE_RADIUS);
}

pl_status pl_import_link(pl_import *import, const char *name, const pl_import_geom *geom, int32_t n,
                         double mass, bool is_static, const double place[3])
{
    static const double along[3] = {0, 0, 1};
    double volume = 0;
    int32_t meshes = 0;
    if (n == 0) return add_frame(import, name, mass, is_static, place);
    for (int32_t i = 0; i < n; i++) {
        volume += pl_import_volume(&geom[i]);
        meshes += geom[i].shape == PL_IMPORT_MESH;
    }
    for (int32_t i = 0; i < n; i++) {
        char own[300];
        snprintf(own, sizeof own, i == 0 ? "%s" : "%s:%d", name, (int)i);
        // By volume; of a mesh it is not known.
        double part = meshes == 0 ? pl_import_volume(&geom[i]) / volume : 1.0 / n;
        double m = mass > 0 ? mass * part : geom[i].mass;
        PL_TRY(add_body(import, own, &geom[i], m, is_static));
        if (i > 0 && !is_static) {
            (void)pl_import_joint(import, NULL, "fixed", name, own, geom[i].pose.t, along);
        }
    }
    return PL_OK;
}

cJSON *pl_import_joint(pl_import *import, const char *name, const char *kind, const char *a,
                       const char *b, const double point[3], const double axis[3])
{
    cJSON *joint = pl_import_object(import, import->joints);
    if (name != NULL) pl_import_text(import, joint, "name", name);
    pl_import_text(import, joint, "kind", kind);
    pl_import_text(import, joint, "a", a);
    pl_import_text(import, joint, "b", b);
    pl_import_vector(import, joint, "point", point);
    pl_import_vector(import, joint, "axis", axis);
    return joint;
}
