// "cables" of a scene: rigid links along a line, with joints between neighbours.

#include "../common/paths.h"
#include "../common/vec.h"
#include "scene_joints.h"
#include "scene_keys.h"
#include "scene_shapes.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { LINKS = 20000, SEGMENTS = 10 }; // the latter are drawn around a link
// Links that are not neighbours keep apart: their length is more than this, in radii.
static const double SHORTEST = 2.5;
static const double COLOR[3] = {0.30, 0.32, 0.35}; // if the cable has none
static const double DENSITY = 1000;                // [kg/m^3]

typedef struct cable {
    double *node; // (3*(n_links + 1)) [m]
    int32_t n_links;
    double length; // of a link [m]
    double radius; // [m]
    double mass;   // of a link [kg]
    pl_joint_kind kind;
    pl_joint_axis axial, bending, twisting; // of the joints between links
    int32_t a, b;                           // bodies at its ends; -1: the world
    bool has_a, has_b;                      // else that end is loose
} cable;

// --- The line ---

// "points", or "from" and "to": (3*n), the caller's.
static pl_status read_points(const pl_json *at, double **out, int *n)
{
    pl_json v, item = {0};
    double *x = NULL;
    if (!pl_json_get(at, "points", &v)) {
        *out = x = pl_alloc_zero(6, sizeof *x);
        *n = 2;
        if (x == NULL) return PL_ERROR_MEMORY;
        if (!pl_json_get(at, "from", &v) || !pl_json_get(at, "to", &v)) {
            return pl_json_fail(at, "\"points\", or \"from\" and \"to\": give one of them");
        }
        PL_TRY(pl_json_vector(at, "from", x));
        return pl_json_vector(at, "to", x + 3);
    }
    PL_TRY(pl_json_array(&v, n));
    if (*n < 2) return pl_json_fail(&v, "two points or more expected");
    *out = x = pl_alloc_zero(3 * (int64_t)*n, sizeof *x);
    if (x == NULL) return PL_ERROR_MEMORY;
    for (int i = 0; pl_json_next(&v, &item); i++) {
        int three = 0;
        PL_TRY(pl_json_array(&item, &three));
        if (three != 3) return pl_json_fail(&item, "three numbers [x, y, z] expected");
        for (int k = 0; k < 3; k++) {
            pl_json number = pl_json_item(&item, k);
            if (!cJSON_IsNumber(number.node)) return pl_json_fail(&number, "a number expected");
            x[3 * i + k] = number.node->valuedouble;
        }
    }
    return PL_OK;
}

static double measure(const double *x, int n)
{
    double sum = 0;
    for (int i = 1; i < n; i++) {
        sum += vec3_length(vec3_sub(vec3_of(x + 3 * i), vec3_of(x + 3 * i - 3)));
    }
    return sum;
}

// Nodes at equal distances along the line.
static pl_status place_nodes(const double *x, int n, double whole, cable *c)
{
    int32_t m = c->n_links;
    c->node = pl_alloc(3 * ((int64_t)m + 1), sizeof *c->node);
    if (c->node == NULL) return PL_ERROR_MEMORY;
    int i = 1;
    double done = 0; // up to point i - 1
    for (int32_t k = 0; k <= m; k++) {
        double at = whole * k / m, part = measure(x + 3 * i - 3, 2);
        while (i < n - 1 && done + part < at) {
            done += part;
            i++;
            part = measure(x + 3 * i - 3, 2);
        }
        double w = part > 0 ? fmin((at - done) / part, 1) : 0;
        for (int j = 0; j < 3; j++) {
            c->node[3 * k + j] = (1 - w) * x[3 * i - 3 + j] + w * x[3 * i + j];
        }
    }
    return PL_OK;
}

static pl_status read_line(const pl_json *at, const double *x, int n, cable *c)
{
    double whole = measure(x, n), wanted = 0;
    pl_json v, other;
    bool by_count = pl_json_get(at, "links", &v), by_length = pl_json_get(at, "length", &other);
    if (by_count == by_length) {
        return pl_json_fail(at, "give one of the keys \"links\" and \"length\"");
    }
    PL_TRY(pl_json_count(at, "links", &c->n_links));
    PL_TRY(pl_json_positive(at, "length", &wanted));
    double count = by_length ? ceil(whole / wanted - 1e-9) : c->n_links;
    if (!(count >= 1 && count <= LINKS)) {
        return pl_json_fail(at, "a cable of 1 to %d links expected, not %g", LINKS, count);
    }
    c->n_links = (int32_t)count;
    c->length = whole / count;
    PL_TRY(pl_json_require(at, "radius", &v));
    PL_TRY(pl_json_positive(at, "radius", &c->radius));
    if (!(c->length > SHORTEST * c->radius)) {
        return pl_json_fail(at, "links of %g m are too short: more than %g radii, %g m, expected",
                            c->length, SHORTEST, SHORTEST * c->radius);
    }
    return place_nodes(x, n, whole, c);
}

// --- Links ---

// A link along x between two nodes: a capsule.
static pl_shape link_shape(double length, double radius)
{
    pl_shape shape = pl_shape_default(PL_SHAPE_CAPSULE);
    shape.radius = radius;
    shape.length = length;
    shape.segments = SEGMENTS;
    shape.orientation[0] = shape.orientation[2] = sqrt(0.5); // z to x
    return shape;
}

// From a link along x at the origin to one between two nodes.
static void link_matrix(const double *from, const double *to, double m[12])
{
    vec3 x = vec3_unit(vec3_sub(vec3_of(to), vec3_of(from))), y, z;
    vec3_frame(x, &y, &z);
    const vec3 column[3] = {x, y, z};
    for (int j = 0; j < 3; j++) {
        m[j] = column[j].x;
        m[4 + j] = column[j].y;
        m[8 + j] = column[j].z;
    }
    for (int k = 0; k < 3; k++) m[4 * k + 3] = 0.5 * (from[k] + to[k]);
}

static pl_status add_link(pl_reader *reader, const pl_json *at, const pl_scope *scope,
                          const cable *c, int32_t i)
{
    pl_scene_body *body;
    double m[12];
    PL_TRY(pl_scene_add_body(at, reader->scene, &body));
    *body = (pl_scene_body){.entry = body->entry,
                            .simulated = true,
                            .kind = PL_BODY_RIGID,
                            .deformable = pl_deformable_options_default(),
                            .rigid = pl_rigid_options_default(),
                            .kinematic = pl_kinematic_options_default(),
                            .opacity = 1,
                            .has_color = true};
    memcpy(body->color, COLOR, sizeof COLOR);
    bool own = false;
    double color[3];
    PL_TRY(pl_json_color(at, "color", &own, color));
    if (own) memcpy(body->color, color, sizeof color);
    PL_TRY(pl_scene_read_surface(at, &reader->groups, &body->rigid.surface));
    body->rigid.surface.radius = 0; // the link's own
    body->rigid.mass = c->mass;
    PL_TRY(pl_json_not_negative(at, "damping", &body->rigid.damping));
    const double *from = c->node + 3 * (int64_t)i, *to = from + 3;
    pl_shape shape = link_shape(vec3_length(vec3_sub(vec3_of(to), vec3_of(from))), c->radius);
    PL_TRY(pl_shapes_mesh(1, &shape, &body->mesh));
    link_matrix(from, to, m);
    PL_TRY(pl_mesh_transform(body->mesh, m));
    PL_TRY(pl_scene_place_body(&scope->place, body));
    return pl_scene_shapes_give(&(pl_scene_shapes){.n = 1, .shape = &shape}, m, &scope->place,
                                body);
}

// --- Joints ---

static pl_status add_joint(pl_scene *scene, const pl_json *at, const pl_scope *scope,
                           const cable *c, int32_t node, const char *end)
{
    pl_scene_joint *joint;
    int32_t links = scene->n_bodies - c->n_links, n = c->n_links;
    PL_TRY(pl_scene_add_joint(scene, at, scope, c->kind, &joint));
    char *cables_name = joint->name; // of the whole
    joint->name = NULL;
    pl_status status = PL_OK;
    if (cables_name != NULL && end[0] != '\0') {
        status = pl_path_in(&joint->name, NULL, "%s.%s", cables_name, end);
    }
    pl_free(cables_name);
    PL_TRY(status);
    joint->a = node > 0 ? links + node - 1 : c->a;
    joint->b = node < n ? links + node : c->b;
    const double *x = c->node + 3 * (int64_t)node;
    const double *from = x - (node > 0 ? 3 : 0), *to = x + (node < n ? 3 : 0);
    memcpy(joint->options.point_a, x, sizeof joint->options.point_a);
    vec3_store(vec3_sub(vec3_of(to), vec3_of(from)), joint->options.axis);
    if (c->kind == PL_JOINT_SIX_DOF) {
        pl_joint_axis *axes = joint->options.axes;
        const pl_joint_axis held = pl_joint_options_default(PL_JOINT_FIXED).axes[1];
        axes[0] = c->axial;
        axes[1] = axes[2] = held;
        axes[3] = c->twisting;
        axes[4] = axes[5] = c->bending;
    }
    pl_scene_place_joint(scope, joint);
    return PL_OK;
}

static pl_status add_joints(pl_scene *scene, const pl_json *at, const pl_scope *scope,
                            const cable *c)
{
    for (int32_t i = 0; i <= c->n_links; i++) {
        bool first = i == 0, last = i == c->n_links;
        if ((first && !c->has_a) || (last && !c->has_b)) continue;
        PL_TRY(add_joint(scene, at, scope, c, i, first ? "a" : last ? "b" : ""));
    }
    return PL_OK;
}

// Stiffness and damping of the material over the length of a link are those of a joint.
static pl_status read_stretch(const pl_json *at, const char *key, const cable *c,
                              pl_joint_axis *axis, bool *given)
{
    pl_json v;
    if (!pl_json_get(at, key, &v)) return PL_OK;
    *given = true;
    axis->lo = -INFINITY;
    axis->hi = INFINITY;
    PL_TRY(pl_scene_check_keys(&v, PL_KEYS_CABLE_PART));
    PL_TRY(pl_json_not_negative(&v, "stiffness", &axis->spring));
    PL_TRY(pl_json_not_negative(&v, "damping", &axis->spring_damping));
    axis->spring /= c->length;
    axis->spring_damping /= c->length;
    return PL_OK;
}

static pl_status read_joint(const pl_json *at, cable *c)
{
    static const char *const names[] = {"ball", "six-dof"};
    const pl_joint_options held = pl_joint_options_default(PL_JOINT_FIXED);
    const pl_joint_options loose = pl_joint_options_default(PL_JOINT_SIX_DOF);
    bool given = false;
    pl_json v;
    c->axial = held.axes[0];
    c->bending = c->twisting = loose.axes[4];
    PL_TRY(read_stretch(at, "axial", c, &c->axial, &given));
    PL_TRY(read_stretch(at, "bending", c, &c->bending, &given));
    PL_TRY(read_stretch(at, "twisting", c, &c->twisting, &given));
    int kind = given ? 1 : 0;
    PL_TRY(pl_json_choice(at, "joint", names, COUNT(names), &kind));
    c->kind = kind == 1 ? PL_JOINT_SIX_DOF : PL_JOINT_BALL;
    if (kind == 1 || !given) return PL_OK;
    pl_json_get(at, "joint", &v);
    return pl_json_fail(&v, "ball joints have no stiffness: \"six-dof\" has");
}

// --- A cable ---

static pl_status read_mass(const pl_json *at, cable *c)
{
    const double area = 3.14159265358979323846 * c->radius * c->radius;
    double per_length = DENSITY * area;
    pl_json v;
    bool whole = pl_json_get(at, "link_mass", &v);
    if (whole && pl_json_get(at, "mass_per_length", &v)) {
        return pl_json_fail(&v, "\"link_mass\" is given, too: give one of them");
    }
    PL_TRY(pl_json_positive(at, "mass_per_length", &per_length));
    c->mass = per_length * c->length;
    return pl_json_positive(at, "link_mass", &c->mass);
}

static pl_status read_ends(const pl_scene *scene, const pl_json *at, const pl_scope *scope,
                           cable *c)
{
    pl_json v;
    c->has_a = pl_json_get(at, "a", &v);
    if (c->has_a) PL_TRY(pl_scene_find_body(scene, scope, &v, &c->a));
    c->has_b = pl_json_get(at, "b", &v);
    return c->has_b ? pl_scene_find_body(scene, scope, &v, &c->b) : PL_OK;
}

static pl_status fill_cable(pl_reader *reader, const pl_json *at, const pl_scope *scope, cable *c)
{
    double *points = NULL;
    int n = 0;
    pl_status status = read_points(at, &points, &n);
    if (status == PL_OK) status = read_line(at, points, n, c);
    pl_free(points);
    PL_TRY(status);
    PL_TRY(read_mass(at, c));
    PL_TRY(read_joint(at, c));
    PL_TRY(read_ends(reader->scene, at, scope, c));
    PL_TRY(pl_scene_add_entry(at, scope, reader->scene));
    for (int32_t i = 0; i < c->n_links; i++) PL_TRY(add_link(reader, at, scope, c, i));
    return add_joints(reader->scene, at, scope, c);
}

pl_status pl_scene_read_cables(pl_reader *reader, const pl_json *at, const pl_scope *scope)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(at, "cables", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    while (pl_json_next(&v, &item)) {
        cable c = {.a = -1, .b = -1};
        PL_TRY(pl_scene_check_keys(&item, PL_KEYS_CABLE));
        pl_status status = fill_cable(reader, &item, scope, &c);
        pl_free(c.node);
        PL_TRY(status);
    }
    return PL_OK;
}
