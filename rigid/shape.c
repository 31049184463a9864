// Shapes: their numbers, surfaces and skeletons.

#include "shape.h"
#include "rotation.h"
#include "../meshes/description.h"
#include "../meshes/rounded.h"

#include <math.h>
#include <string.h>

enum { SEGMENTS_MAX = 1000, LOOSE_SEGMENTS = 12, KEYS_MAX = 5, KINDS = PL_SHAPE_HALFSPACE + 1 };

pl_shape pl_shape_default(pl_shape_kind kind)
{
    return (pl_shape){.kind = kind,
                      .radius = 0.5,
                      .length = 1,
                      .tube = 0.1,
                      .size = {1, 1, 1},
                      .span = 100,
                      .patch = 4,
                      .segments = 32,
                      .orientation = {1, 0, 0, 0},
                      .friction = -1};
}

// --- Descriptions ---

typedef enum number { RADIUS, LENGTH, TUBE, SIZE, ROUNDING, SEGMENTS, SPAN, PATCH } number;

#define KEY_RADIUS                                                                                 \
    {                                                                                              \
        "radius", 1, {0.5}, 0, 0                                                                   \
    }
#define KEY_LENGTH                                                                                 \
    {                                                                                              \
        "length", 1, {1}, 0, 0                                                                     \
    }
#define KEY_ROUNDING                                                                               \
    {                                                                                              \
        "rounding", 1, {0}, -1, 0                                                                  \
    }
#define KEY_SEGMENTS                                                                               \
    {                                                                                              \
        "segments", 1, {32}, 3, SEGMENTS_MAX                                                       \
    }

// The keys of a kind, and what each of them is.
static const struct {
    const char *name, *summary;
    pl_description_key key[KEYS_MAX];
    number number[KEYS_MAX];
} kinds[KINDS] = {
    [PL_SHAPE_SPHERE] = {"sphere", "a ball", {KEY_RADIUS, KEY_SEGMENTS}, {RADIUS, SEGMENTS}},
    [PL_SHAPE_CAPSULE] = {"capsule",
                          "a cylinder along z, of the length, with half a ball at either end",
                          {KEY_RADIUS, {"length", 1, {1}, -1, 0}, KEY_SEGMENTS},
                          {RADIUS, LENGTH, SEGMENTS}},
    [PL_SHAPE_BOX] = {"box",
                      "a box, from side to side as large, with rounded edges",
                      {{"size", 3, {1, 1, 1}, 0, 0}, KEY_ROUNDING, KEY_SEGMENTS},
                      {SIZE, ROUNDING, SEGMENTS}},
    [PL_SHAPE_CYLINDER] = {"cylinder",
                           "a cylinder along z",
                           {KEY_RADIUS, KEY_LENGTH, KEY_ROUNDING, KEY_SEGMENTS},
                           {RADIUS, LENGTH, ROUNDING, SEGMENTS}},
    [PL_SHAPE_CONE] = {"cone",
                       "a cone along z, with its tip above",
                       {KEY_RADIUS, KEY_LENGTH, KEY_ROUNDING, KEY_SEGMENTS},
                       {RADIUS, LENGTH, ROUNDING, SEGMENTS}},
    [PL_SHAPE_TORUS] = {"torus",
                        "a tube around z",
                        {KEY_RADIUS, {"tube", 1, {0.1}, 0, 0}, KEY_SEGMENTS},
                        {RADIUS, TUBE, SEGMENTS}},
    [PL_SHAPE_HULL] = {"hull", "the convex hull of a mesh", {KEY_ROUNDING}, {ROUNDING}},
    [PL_SHAPE_MESH] = {"mesh", "the solid of a mesh", {KEY_ROUNDING}, {ROUNDING}},
    [PL_SHAPE_HALFSPACE] =
        {"halfspace",
         "all below z = 0, within a square of edge span; draws one of edge patch",
         {{"span", 1, {100}, 0, 0}, {"patch", 1, {4}, 0, 0}},
         {SPAN, PATCH}},
};

static void set_number(pl_shape *shape, number which, const double value[3])
{
    switch (which) {
    case RADIUS:
        shape->radius = value[0];
        break;
    case LENGTH:
        shape->length = value[0];
        break;
    case TUBE:
        shape->tube = value[0];
        break;
    case SIZE:
        memcpy(shape->size, value, sizeof shape->size);
        break;
    case ROUNDING:
        shape->rounding = value[0];
        break;
    case SPAN:
        shape->span = value[0];
        break;
    case PATCH:
        shape->patch = value[0];
        break;
    case SEGMENTS:
        shape->segments = (int32_t)value[0];
        break;
    }
}

pl_status pl_shape_parse(const char *description, pl_shape *out)
{
    PL_REQUIRE(out);
    PL_REQUIRE(description);
    size_t length = strcspn(description, ":");
    const char *names[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        const char *name = names[kind] = kinds[kind].name;
        if (strlen(name) != length || memcmp(name, description, length) != 0) continue;
        *out = pl_shape_default((pl_shape_kind)kind);
        double values[3 * KEYS_MAX];
        pl_status status =
            pl_description_read(kinds[kind].key, KEYS_MAX, description + length, values);
        for (int i = 0; i < KEYS_MAX && kinds[kind].key[i].n > 0 && status == PL_OK; i++) {
            set_number(out, kinds[kind].number[i], values + 3 * i);
        }
        bool needs_mesh = kind == PL_SHAPE_HULL || kind == PL_SHAPE_MESH;
        if (status == PL_OK && !needs_mesh) status = pl_shape_check(out);
        if (status != PL_OK) pl_fail_prefix(name);
        return status;
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "shape", description, length, names, KINDS);
}

size_t pl_shape_kind_help(char *buffer, size_t size)
{
    pl_text text = pl_text_start(buffer, size);
    for (int i = 0; i < KINDS; i++) {
        pl_text_add(&text, "%s", kinds[i].name);
        pl_description_help(kinds[i].key, KEYS_MAX, &text);
        pl_text_add(&text, "\n    %s\n", kinds[i].summary);
    }
    return text.length;
}

// --- Checks ---

static pl_status check_length(const char *name, double value, bool zero)
{
    if ((value > 0 || (zero && value == 0)) && isfinite(value)) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "%s: %g is not %s m", name, value,
                   zero ? "0 or above" : "above 0");
}

static pl_status check_rounding(const pl_shape *s, double most)
{
    PL_TRY(check_length("rounding", s->rounding, true));
    if (s->rounding <= most) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "rounding: %g is more than the %g m that the %s has room for",
                   s->rounding, most, kinds[s->kind].name);
}

static pl_status check_numbers(const pl_shape *s)
{
    switch (s->kind) {
    case PL_SHAPE_SPHERE:
        return check_length("radius", s->radius, false);
    case PL_SHAPE_CAPSULE:
        PL_TRY(check_length("radius", s->radius, false));
        return check_length("length", s->length, true);
    case PL_SHAPE_BOX:
        for (int k = 0; k < 3; k++) PL_TRY(check_length("size", s->size[k], false));
        return check_rounding(s, 0.5 * fmin(s->size[0], fmin(s->size[1], s->size[2])));
    case PL_SHAPE_CYLINDER:
        PL_TRY(check_length("radius", s->radius, false));
        PL_TRY(check_length("length", s->length, false));
        return check_rounding(s, 0.9 * fmin(s->radius, 0.5 * s->length));
    case PL_SHAPE_CONE:
        PL_TRY(check_length("radius", s->radius, false));
        PL_TRY(check_length("length", s->length, false));
        // That of the ball inside touches the base and the slope.
        return check_rounding(s, 0.9 * s->radius * s->length /
                                     (s->radius + hypot(s->radius, s->length)));
    case PL_SHAPE_TORUS:
        PL_TRY(check_length("radius", s->radius, false));
        PL_TRY(check_length("tube", s->tube, false));
        if (s->tube < s->radius) return PL_OK;
        return pl_fail(PL_ERROR_ARGUMENT, "tube: %g is not below the radius, %g m", s->tube,
                       s->radius);
    case PL_SHAPE_HULL:
    case PL_SHAPE_MESH:
        if (s->mesh == NULL) return pl_fail(PL_ERROR_ARGUMENT, "mesh: there is none");
        return check_length("rounding", s->rounding, true);
    case PL_SHAPE_HALFSPACE:
        PL_TRY(check_length("span", s->span, false));
        return check_length("patch", s->patch, false);
    }
    return pl_fail(PL_ERROR_ARGUMENT, "kind: there is no shape %d", (int)s->kind);
}

pl_status pl_shape_check(const pl_shape *s)
{
    PL_TRY(check_numbers(s));
    if (s->segments < 3 || s->segments > SEGMENTS_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "segments: %d is not from 3 to %d", (int)s->segments,
                       (int)SEGMENTS_MAX);
    }
    double square = 0;
    for (int k = 0; k < 4; k++) square += s->orientation[k] * s->orientation[k];
    if (!(square > 0 && isfinite(square))) {
        return pl_fail(PL_ERROR_ARGUMENT, "orientation: not a quaternion");
    }
    for (int k = 0; k < 3; k++) {
        if (!isfinite(s->position[k])) return pl_fail(PL_ERROR_ARGUMENT, "position: not finite");
    }
    if (!(s->density >= 0 && isfinite(s->density))) {
        return pl_fail(PL_ERROR_ARGUMENT, "density: %g is not 0 kg/m^3 or above", s->density);
    }
    if (isfinite(s->friction)) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "friction: not finite");
}

// --- Places ---

static pl_status place(const pl_shape *s, pl_status status, pl_mesh **mesh)
{
    double q[4], R[9];
    if (status != PL_OK) return status;
    pl_rotation_compose(s->orientation, (const double[4]){1, 0, 0, 0}, q);
    pl_rotation_matrix(q, R);
    double m[12];
    for (int k = 0; k < 3; k++) {
        memcpy(m + 4 * k, R + 3 * k, 3 * sizeof *R);
        m[4 * k + 3] = s->position[k];
    }
    status = pl_mesh_transform(*mesh, m);
    if (status == PL_OK) return PL_OK;
    pl_mesh_destroy(*mesh);
    *mesh = NULL;
    return status;
}

// --- Rounded boxes ---

// Spheres, capsules and boxes are all points within a radius of a box: its half edges.
static double box_of(const pl_shape *s, double half[3])
{
    for (int k = 0; k < 3; k++) half[k] = 0;
    if (s->kind == PL_SHAPE_SPHERE) return s->radius;
    if (s->kind == PL_SHAPE_CAPSULE) {
        half[2] = 0.5 * s->length;
        return s->radius;
    }
    for (int k = 0; k < 3; k++) half[k] = fmax(0.5 * s->size[k] - s->rounding, 0);
    return s->rounding;
}

// A cone whose surface is `by` inside of it all around, in its own frame.
static void shrink_cone(const pl_shape *s, double by, pl_circle c[2])
{
    double slope = hypot(s->radius, s->length) / s->radius; // of the height of the tip over `by`
    double low = -0.5 * s->length + by, tip = 0.5 * s->length - by * slope;
    c[0] = (pl_circle){low, (tip - low) * s->radius / s->length};
    c[1] = (pl_circle){tip, 0};
}

// The square that is drawn of a half-space.
static pl_status patch_of(double edge, pl_mesh **out)
{
    static const int32_t face[6] = {0, 1, 2, 0, 2, 3};
    double h = 0.5 * edge;
    const double x[12] = {-h, -h, 0, h, -h, 0, h, h, 0, -h, h, 0};
    return pl_mesh_create(4, x, 2, face, 0, NULL, out);
}

// Cylinders and cones, `by` smaller all around.
static pl_status turn(const pl_shape *s, double by, pl_mesh **out)
{
    pl_circle c[2] = {{by - 0.5 * s->length, s->radius - by},
                      {0.5 * s->length - by, s->radius - by}};
    if (s->kind == PL_SHAPE_CONE) shrink_cone(s, by, c);
    return pl_mesh_turned(2, c, s->segments, out);
}

pl_status pl_shape_surface(const pl_shape *s, pl_mesh **out)
{
    double half[3], radius;
    switch (s->kind) {
    case PL_SHAPE_SPHERE:
    case PL_SHAPE_CAPSULE:
    case PL_SHAPE_BOX:
        radius = box_of(s, half);
        return place(s, pl_mesh_rounded_box(half, radius, s->segments, out), out);
    case PL_SHAPE_CYLINDER:
    case PL_SHAPE_CONE:
        return place(s, turn(s, 0, out), out);
    case PL_SHAPE_TORUS:
        return place(s, pl_mesh_tube(s->radius, s->tube, s->segments, out), out);
    case PL_SHAPE_HULL:
        return place(s, pl_mesh_hull(s->mesh, out), out);
    case PL_SHAPE_HALFSPACE:
        return place(s, patch_of(s->patch, out), out);
    case PL_SHAPE_MESH:
        break;
    }
    if (pl_mesh_is_loose(s->mesh)) {
        return place(s, pl_mesh_thicken(s->mesh, s->rounding, LOOSE_SEGMENTS, out), out);
    }
    return place(s, pl_mesh_surface(s->mesh, NULL, out), out);
}

// --- Skeletons ---

void pl_shape_skeleton_free(pl_shape_skeleton *s)
{
    pl_mesh_destroy(s->mesh);
    pl_skeleton_free(&s->skeleton);
    *s = (pl_shape_skeleton){0};
}

static pl_status allocate(pl_shape_skeleton *out, int32_t n_face, int32_t n_edge, int32_t n_point)
{
    pl_skeleton *s = &out->skeleton;
    s->n_face = n_face;
    s->n_edge = n_edge;
    s->n_point = n_point;
    s->face = pl_alloc(3 * (int64_t)n_face, sizeof *s->face);
    s->edge = pl_alloc(2 * (int64_t)n_edge, sizeof *s->edge);
    s->point = pl_alloc(n_point, sizeof *s->point);
    return s->face != NULL && s->edge != NULL && s->point != NULL ? PL_OK : PL_ERROR_MEMORY;
}

// The faces of a mesh are the skeleton.
static pl_status take_faces(pl_status status, pl_shape_skeleton *out)
{
    if (status != PL_OK) return status;
    const pl_mesh *mesh = out->mesh;
    PL_TRY(allocate(out, mesh->n_face, 0, 0));
    memcpy(out->skeleton.face, mesh->face, 3 * (size_t)mesh->n_face * sizeof *mesh->face);
    return PL_OK;
}

// A box, or what is left of it without extent along some axes: a rectangle, an edge, a point.
static pl_status box_skeleton(const double half[3], pl_shape_skeleton *out)
{
    int axis[3], n = 0;
    for (int k = 0; k < 3; k++) {
        if (half[k] > 0) axis[n++] = k;
    }
    if (n == 3) return take_faces(pl_mesh_rounded_box(half, 0, 8, &out->mesh), out);
    PL_TRY(pl_mesh_alloc(1 << n, 0, 0, &out->mesh));
    for (int i = 0; i < 1 << n; i++) {
        double *x = out->mesh->x + 3 * (int64_t)i;
        for (int k = 0; k < 3; k++) x[k] = 0;
        for (int k = 0; k < n; k++) x[axis[k]] = (i >> k & 1) != 0 ? half[axis[k]] : -half[axis[k]];
    }
    PL_TRY(allocate(out, n == 2 ? 2 : 0, n == 1, n == 0));
    if (n == 2)
        memcpy(out->skeleton.face, (const int32_t[]){0, 1, 3, 0, 3, 2}, 6 * sizeof(int32_t));
    if (n == 1) memcpy(out->skeleton.edge, (const int32_t[]){0, 1}, 2 * sizeof(int32_t));
    if (n == 0) out->skeleton.point[0] = 0;
    return PL_OK;
}

// A polygon around z.
static pl_status torus_skeleton(const pl_shape *s, pl_shape_skeleton *out)
{
    int32_t n = s->segments;
    PL_TRY(pl_mesh_alloc(n, 0, 0, &out->mesh));
    PL_TRY(allocate(out, 0, n, 0));
    for (int32_t i = 0; i < n; i++) {
        double angle = 8 * atan(1) * i / n, *x = out->mesh->x + 3 * (int64_t)i;
        x[0] = s->radius * cos(angle);
        x[1] = s->radius * sin(angle);
        x[2] = 0;
        out->skeleton.edge[2 * i] = i;
        out->skeleton.edge[2 * i + 1] = (i + 1) % n;
    }
    return PL_OK;
}

// The surface of a mesh with its loose edges and points.
static pl_status loose_skeleton(const pl_mesh *mesh, pl_shape_skeleton *out)
{
    double radius = out->skeleton.radius;
    PL_TRY(pl_mesh_copy(mesh, &out->mesh));
    PL_TRY(pl_skeleton_of_mesh(mesh, &out->skeleton));
    out->skeleton.radius = radius;
    return PL_OK;
}

// One triangle around the square, so that no edge of it is near to anything: its inscribed circle
// goes through the corners of the square. The faces behind close it with a tip as far below.
static pl_status halfspace_skeleton(const pl_shape *s, pl_shape_skeleton *out)
{
    static const int32_t face[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    double r = s->span / sqrt(2);
    const double x[12] = {-sqrt(3) * r, -r, 0, sqrt(3) * r, -r, 0, 0, 2 * r, 0, 0, 0, -s->span};
    PL_TRY(pl_mesh_create(4, x, 0, NULL, 0, NULL, &out->mesh));
    PL_TRY(allocate(out, 4, 0, 0));
    memcpy(out->skeleton.face, face, sizeof face);
    out->skeleton.n_face = 1;
    out->skeleton.n_behind = 3;
    return PL_OK;
}

static pl_status make_skeleton(const pl_shape *s, pl_shape_skeleton *out)
{
    double half[3];
    out->skeleton.radius = s->rounding;
    switch (s->kind) {
    case PL_SHAPE_SPHERE:
    case PL_SHAPE_CAPSULE:
    case PL_SHAPE_BOX:
        out->skeleton.radius = box_of(s, half);
        return box_skeleton(half, out);
    case PL_SHAPE_CYLINDER:
    case PL_SHAPE_CONE:
        return take_faces(turn(s, s->rounding, &out->mesh), out);
    case PL_SHAPE_TORUS:
        out->skeleton.radius = s->tube;
        return torus_skeleton(s, out);
    case PL_SHAPE_HULL:
        return take_faces(pl_mesh_hull(s->mesh, &out->mesh), out);
    case PL_SHAPE_HALFSPACE:
        return halfspace_skeleton(s, out);
    case PL_SHAPE_MESH:
        break;
    }
    if (pl_mesh_is_loose(s->mesh)) return loose_skeleton(s->mesh, out);
    return take_faces(pl_mesh_surface(s->mesh, NULL, &out->mesh), out);
}

pl_status pl_shape_find_skeleton(const pl_shape *s, pl_shape_skeleton *out)
{
    *out = (pl_shape_skeleton){0};
    pl_status status = make_skeleton(s, out);
    status = place(s, status, &out->mesh);
    if (status != PL_OK) pl_shape_skeleton_free(out);
    return status;
}
