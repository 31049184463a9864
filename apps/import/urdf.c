// URDF, as ROS has it.

#include "import.h"

#include <stdio.h>

enum { GEOMS = 64, LINKS_DEPTH = 500 };

typedef struct urdf {
    pl_import *import;
    const pl_element *robot;
} urdf;

// --- Values ---

static pl_status read_vector(const urdf *u, const pl_element *at, const char *key, double v[3])
{
    int given;
    const char *text = pl_element_get(at, key);
    if (text == NULL) return PL_OK;
    PL_TRY(pl_import_numbers(u->import, at, text, v, 3, &given));
    if (given == 3) return PL_OK;
    return pl_import_fail(u->import, at, "<%s %s>: three numbers expected", at->name, key);
}

static pl_status read_number(const urdf *u, const pl_element *at, const char *key, double *value)
{
    int given;
    const char *text = pl_element_get(at, key);
    if (text == NULL) return PL_OK;
    PL_TRY(pl_import_numbers(u->import, at, text, value, 1, &given));
    return given == 1 ? PL_OK
                      : pl_import_fail(u->import, at, "<%s %s>: a number expected", at->name, key);
}

// <origin xyz rpy>: turned about x, y and z, which stay where they are.
static pl_status read_origin(const urdf *u, const pl_element *at, pl_robot_pose *out)
{
    double rpy[3] = {0};
    const pl_element *origin = pl_element_find(at, "origin");
    *out = pl_robot_pose_none();
    if (origin == NULL) return PL_OK;
    PL_TRY(read_vector(u, origin, "rpy", rpy));
    for (int k = 0; k < 3; k++) {
        pl_robot_pose turn = pl_robot_pose_about(k, rpy[k]);
        *out = pl_robot_pose_in(&turn, out);
    }
    return read_vector(u, origin, "xyz", out->t);
}

static const char *name_of(const pl_element *at, const char *child, const char *attribute)
{
    const char *name = pl_element_get(child != NULL ? pl_element_find(at, child) : at, attribute);
    return name != NULL ? name : "";
}

static const pl_element *find_link(const urdf *u, const char *name)
{
    const pl_element *link = pl_element_find(u->robot, "link");
    while (link != NULL && strcmp(name_of(link, NULL, "name"), name) != 0) {
        link = pl_element_next(link, "link");
    }
    return link;
}

// --- Shapes ---

static pl_status read_mesh(const urdf *u, const pl_element *mesh, pl_import_geom *g)
{
    double scale[3] = {1, 1, 1};
    const char *file = name_of(mesh, NULL, "filename");
    PL_TRY(read_vector(u, mesh, "scale", scale));
    if (strncmp(file, "package://", 10) == 0) {
        const char *rest = strchr(file + 10, '/');
        file = rest != NULL ? rest + 1 : file + 10;
        PL_TRY(pl_import_note_it(u->import, "package:// is taken for the folder of the scene"));
    }
    if (strncmp(file, "file://", 7) == 0) file += 7;
    if (scale[0] != scale[1] || scale[1] != scale[2]) {
        PL_TRY(pl_import_note_it(u->import, "meshes are scaled alike along x, y and z"));
    }
    g->shape = PL_IMPORT_MESH;
    g->size[0] = fabs(scale[0]);
    snprintf(g->mesh, sizeof g->mesh, "%s", file);
    return PL_OK;
}

static pl_status read_geometry(const urdf *u, const pl_element *at, pl_import_geom *g, bool *known)
{
    const pl_element *geometry = pl_element_find(at, "geometry");
    const pl_element *shape = geometry != NULL ? geometry->child : NULL;
    *known = shape != NULL;
    if (shape == NULL) return PL_OK;
    PL_TRY(read_number(u, shape, "radius", &g->size[0]));
    PL_TRY(read_number(u, shape, "length", &g->size[1]));
    if (strcmp(shape->name, "box") == 0) {
        g->shape = PL_IMPORT_BOX;
        return read_vector(u, shape, "size", g->size);
    }
    if (strcmp(shape->name, "mesh") == 0) return read_mesh(u, shape, g);
    if (strcmp(shape->name, "sphere") == 0) {
        g->shape = PL_IMPORT_SPHERE;
    } else if (strcmp(shape->name, "cylinder") == 0) {
        g->shape = PL_IMPORT_CYLINDER;
    } else if (strcmp(shape->name, "capsule") == 0) {
        g->shape = PL_IMPORT_CAPSULE;
    } else {
        *known = false;
        return pl_import_note_it(u->import, "left out: geometry <%s>", shape->name);
    }
    return PL_OK;
}

static pl_status read_color(const urdf *u, const pl_element *at, double color[3])
{
    const pl_element *material = pl_element_find(at, "material"),
                     *own = pl_element_find(material, "color");
    int given;
    double rgba[4];
    if (material != NULL && own == NULL) { // by its name
        const pl_element *m = pl_element_find(u->robot, "material");
        const char *name = name_of(material, NULL, "name");
        while (m != NULL && strcmp(name_of(m, NULL, "name"), name) != 0) {
            m = pl_element_next(m, "material");
        }
        own = pl_element_find(m, "color");
    }
    if (own == NULL || pl_element_get(own, "rgba") == NULL) return PL_OK;
    PL_TRY(pl_import_numbers(u->import, own, pl_element_get(own, "rgba"), rgba, 4, &given));
    if (given >= 3) memcpy(color, rgba, 3 * sizeof *color);
    return PL_OK;
}

// What touches, or if there is none what is seen.
static pl_status read_link(const urdf *u, const pl_element *link, const pl_robot_pose *pose,
                           bool is_static)
{
    pl_import_geom geom[GEOMS];
    int32_t n = 0;
    double mass = 0;
    const char *what = pl_element_find(link, "collision") != NULL ? "collision" : "visual";
    const char *name = name_of(link, NULL, "name");
    double color[3] = {-1, -1, -1};
    const pl_element *visual = pl_element_find(link, "visual"),
                     *inertial = pl_element_find(link, "inertial");
    if (visual != NULL) PL_TRY(read_color(u, visual, color));
    for (const pl_element *at = pl_element_find(link, what); at != NULL;
         at = pl_element_next(at, what)) {
        pl_robot_pose origin;
        bool known;
        if (n == GEOMS) return pl_import_fail(u->import, at, "more than %d shapes", GEOMS);
        pl_import_geom *g = &geom[n];
        *g = (pl_import_geom){.density = 1000, .friction = -1};
        memcpy(g->color, color, sizeof color);
        PL_TRY(read_origin(u, at, &origin));
        g->pose = pl_robot_pose_in(pose, &origin);
        PL_TRY(read_geometry(u, at, g, &known));
        n += known;
    }
    if (inertial != NULL) {
        const pl_element *m = pl_element_find(inertial, "mass");
        if (m != NULL) PL_TRY(read_number(u, m, "value", &mass));
        PL_TRY(pl_import_note_it(u->import, "left out: <inertia> and its origin, of which the "
                                            "shapes have their own"));
    }
    if (is_static && n == 0) return PL_OK; // the world itself
    return pl_import_link(u->import, name, geom, n, mass, is_static, pose->t);
}

// --- Joints ---

static pl_status read_limits(const urdf *u, const pl_element *at, cJSON *joint, bool angle,
                             bool limits)
{
    const pl_element *limit = pl_element_find(at, "limit"),
                     *dynamics = pl_element_find(at, "dynamics");
    double lo = 0, hi = 0, damping = 0, friction = 0, unit = angle ? PL_DEGREES : 1;
    if (limit != NULL && limits) {
        PL_TRY(read_number(u, limit, "lower", &lo));
        PL_TRY(read_number(u, limit, "upper", &hi));
        const double range[2] = {lo * unit, hi * unit};
        cJSON_AddItemToObject(joint, "range", cJSON_CreateDoubleArray(range, 2));
    }
    if (limit != NULL && pl_element_get(limit, "effort") != NULL) {
        PL_TRY(pl_import_note_it(u->import, "left out: <limit effort, velocity>, of motors that "
                                            "URDF does not have"));
    }
    if (dynamics == NULL) return PL_OK;
    PL_TRY(read_number(u, dynamics, "damping", &damping));
    PL_TRY(read_number(u, dynamics, "friction", &friction));
    if (damping > 0) pl_import_number(u->import, joint, "spring_damping", damping);
    if (friction > 0) {
        cJSON *motor = cJSON_AddObjectToObject(joint, "motor");
        pl_import_text(u->import, motor, "mode", "velocity");
        pl_import_number(u->import, motor, "target", 0);
        pl_import_number(u->import, motor, "max_force", friction);
    }
    return PL_OK;
}

static pl_status read_mimic(const urdf *u, const pl_element *at, const char *name)
{
    const pl_element *mimic = pl_element_find(at, "mimic");
    double factor = 1, offset = 0;
    if (mimic == NULL) return PL_OK;
    PL_TRY(read_number(u, mimic, "multiplier", &factor));
    PL_TRY(read_number(u, mimic, "offset", &offset));
    if (factor == 0) return PL_OK;
    cJSON *coupling = pl_import_object(u->import, u->import->couplings);
    pl_import_text(u->import, coupling, "kind", "sum");
    cJSON *terms = cJSON_AddArrayToObject(coupling, "terms");
    cJSON *first = pl_import_object(u->import, terms), *second = pl_import_object(u->import, terms);
    pl_import_text(u->import, first, "joint", name);
    pl_import_text(u->import, second, "joint", name_of(mimic, NULL, "joint"));
    pl_import_number(u->import, second, "ratio", -factor);
    return offset == 0 ? PL_OK : pl_import_note_it(u->import, "left out: offset of <mimic>");
}

static pl_status add_joint(const urdf *u, const pl_element *at, const pl_robot_pose *pose,
                           bool from_world)
{
    static const struct {
        const char *type, *kind;
        bool angle, limits;
    } known[] = {{"revolute", "hinge", true, true},
                 {"continuous", "hinge", true, false},
                 {"prismatic", "slider", false, true},
                 {"fixed", "fixed", false, false},
                 {"planar", "planar", false, false}};
    const char *type = name_of(at, NULL, "type"), *name = name_of(at, NULL, "name");
    double axis[3] = {1, 0, 0};
    size_t k = 0, n = sizeof known / sizeof known[0];
    while (k < n && strcmp(known[k].type, type) != 0) k++;
    if (strcmp(type, "floating") == 0) return PL_OK;
    if (k == n)
        return pl_import_fail(u->import, at, "joint \"%s\": unknown type \"%s\"", name, type);
    if (pl_element_find(at, "axis") != NULL) {
        PL_TRY(read_vector(u, pl_element_find(at, "axis"), "xyz", axis));
    }
    pl_robot_pose_turn(pose, axis, axis);
    const char *a = from_world ? "world" : name_of(at, "parent", "link");
    cJSON *joint = pl_import_joint(u->import, name, known[k].kind, a, name_of(at, "child", "link"),
                                   pose->t, axis);
    if (k < 3) PL_TRY(read_limits(u, at, joint, known[k].angle, known[k].limits));
    return k < 3 ? read_mimic(u, at, name) : PL_OK;
}

// --- The tree ---

static bool is_child(const urdf *u, const char *name)
{
    const pl_element *joint = pl_element_find(u->robot, "joint");
    for (; joint != NULL; joint = pl_element_next(joint, "joint")) {
        if (strcmp(name_of(joint, "child", "link"), name) == 0) return true;
    }
    return false;
}

// A link and what hangs on it. What is fixed to a static link is static.
static pl_status add_tree(const urdf *u, const pl_element *link, const pl_robot_pose *pose,
                          bool is_static, int depth)
{
    if (depth > LINKS_DEPTH) return pl_import_fail(u->import, link, "links form a ring");
    const char *name = name_of(link, NULL, "name");
    PL_TRY(read_link(u, link, pose, is_static));
    const pl_element *joint = pl_element_find(u->robot, "joint");
    for (; joint != NULL; joint = pl_element_next(joint, "joint")) {
        pl_robot_pose origin, inner;
        if (strcmp(name_of(joint, "parent", "link"), name) != 0) continue;
        const pl_element *child = find_link(u, name_of(joint, "child", "link"));
        if (child == NULL) {
            return pl_import_fail(u->import, joint, "there is no link \"%s\"",
                                  name_of(joint, "child", "link"));
        }
        PL_TRY(read_origin(u, joint, &origin));
        inner = pl_robot_pose_in(pose, &origin);
        bool stays = is_static && strcmp(name_of(joint, NULL, "type"), "fixed") == 0;
        PL_TRY(add_tree(u, child, &inner, stays, depth + 1));
        if (!stays) PL_TRY(add_joint(u, joint, &inner, is_static));
    }
    return PL_OK;
}

pl_status pl_import_urdf(pl_import *import, const pl_element *robot)
{
    const urdf u = {import, robot};
    const pl_robot_pose none = pl_robot_pose_none();
    for (const pl_element *at = robot->child; at != NULL; at = at->next) {
        static const char *const known[] = {"link", "joint", "material"};
        size_t k = 0;
        while (k < 3 && strcmp(known[k], at->name) != 0) k++;
        if (k == 3) PL_TRY(pl_import_note_it(import, "left out: <%s>", at->name));
    }
    PL_TRY(pl_import_note_it(import, "shapes of the robot pass through each other"));
    const pl_element *link = pl_element_find(robot, "link");
    for (; link != NULL; link = pl_element_next(link, "link")) {
        if (is_child(&u, name_of(link, NULL, "name"))) continue;
        PL_TRY(add_tree(&u, link, &none, !import->options.free_base, 0));
    }
    return PL_OK;
}
