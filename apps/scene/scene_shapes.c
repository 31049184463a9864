#include "scene_shapes.h"
#include "scene_keys.h"

#include <math.h>
#include <string.h>

void pl_scene_shapes_free(pl_scene_shapes *s)
{
    for (int32_t i = 0; i < s->n; i++) pl_mesh_destroy(s->mesh[i]);
    pl_free(s->mesh);
    pl_free(s->shape);
    *s = (pl_scene_shapes){0};
}

// --- Turns ---

// The quaternion of the rotation in m, by its largest component.
static void quaternion_of(const double m[12], double q[4])
{
    double trace = m[0] + m[5] + m[10];
    const double square[4] = {1 + trace, 1 + 2 * m[0] - trace, 1 + 2 * m[5] - trace,
                              1 + 2 * m[10] - trace};
    int most = 0;
    for (int k = 1; k < 4; k++) most = square[k] > square[most] ? k : most;
    double s = sqrt(square[most]), f = 0.5 / s;
    q[most] = 0.5 * s;
    for (int k = 0; k < 3; k++) { // the part of q that goes with the axis k
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (most == 0) q[1 + k] = f * (m[4 * j + i] - m[4 * i + j]);
        if (most == 1 + k) {
            q[0] = f * (m[4 * j + i] - m[4 * i + j]);
            q[1 + i] = f * (m[4 * i + k] + m[4 * k + i]);
            q[1 + j] = f * (m[4 * j + k] + m[4 * k + j]);
        }
    }
}

// r := a b, b first.
static void compose(const double a[4], const double b[4], double r[4])
{
    const double out[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                           a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                           a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                           a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(r, out, sizeof out);
}

// Rows of [R | t] of a unit quaternion and a place.
static void matrix_of(const double q[4], const double t[3], double m[12])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[12] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),     t[0],
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),     t[1],
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y), t[2]};
    memcpy(m, rows, sizeof rows);
}

static void move(const double m[12], double scale, pl_shape *s)
{
    double turn[12], q[4], x[3];
    for (int k = 0; k < 12; k++) turn[k] = m[k] / scale;
    quaternion_of(turn, q);
    compose(q, s->orientation, s->orientation);
    for (int k = 0; k < 3; k++) {
        const double *row = m + 4 * k;
        x[k] = row[0] * s->position[0] + row[1] * s->position[1] + row[2] * s->position[2] + row[3];
    }
    memcpy(s->position, x, sizeof x);
    s->radius *= scale;
    s->length *= scale;
    s->tube *= scale;
    s->rounding *= scale;
    s->span *= scale;
    s->patch *= scale;
    for (int k = 0; k < 3; k++) s->size[k] *= scale;
}

static pl_status place_shapes(const pl_scene_shapes *shapes, const double m[12], pl_shape **out)
{
    *out = pl_alloc(shapes->n, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    memcpy(*out, shapes->shape, (size_t)shapes->n * sizeof **out);
    for (int32_t i = 0; i < shapes->n; i++) move(m, 1, &(*out)[i]);
    return PL_OK;
}

pl_status pl_scene_shapes_give(const pl_scene_shapes *shapes, const double m[12],
                               const pl_scene_place *place, pl_scene_body *body)
{
    double there[12];
    if (shapes->n == 0) return PL_OK;
    for (int c = 0; c < 4; c++) {
        double column[3] = {m[c], m[4 + c], m[8 + c]};
        if (c < 3) pl_scene_place_vector(place, column);
        if (c == 3) pl_scene_place_point(place, column);
        for (int k = 0; k < 3; k++) there[4 * k + c] = column[k];
    }
    PL_TRY(place_shapes(shapes, there, &body->shapes));
    body->rigid.shape = body->kinematic.shape = body->shapes;
    body->rigid.n_shape = body->kinematic.n_shape = shapes->n;
    if (shapes->whole) body->rigid.surface.radius = body->kinematic.surface.radius = 0;
    return PL_OK;
}

// --- Scales ---

static bool is_uniform(const double scale[3])
{
    return scale[0] == scale[1] && scale[1] == scale[2];
}

static bool is_upright(const pl_shape *s)
{
    const double *q = s->orientation;
    return q[0] != 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

// A sharp box that stands along the axes stays one. Of all others, the mesh or the surface is
// scaled, and is what touches from then on.
static pl_status stretch(const pl_json *at, const double scale[3], pl_shape *s, pl_mesh **mesh)
{
    const double m[12] = {scale[0], 0, 0, 0, 0, scale[1], 0, 0, 0, 0, scale[2], 0};
    if (s->kind == PL_SHAPE_BOX && s->rounding == 0 && is_upright(s)) {
        for (int k = 0; k < 3; k++) s->size[k] *= scale[k];
        for (int k = 0; k < 3; k++) s->position[k] *= scale[k];
        return PL_OK;
    }
    if (s->kind == PL_SHAPE_HALFSPACE) return pl_json_fail(at, "a half-space has no scale");
    bool given = *mesh != NULL;
    if (given && s->rounding > 0) {
        return pl_json_fail(at, "rounding: not with a scale for each axis");
    }
    if (given) {
        double there[12];
        matrix_of(s->orientation, s->position, there);
        if (pl_mesh_transform(*mesh, there) != PL_OK)
            return pl_json_fail(at, "%s", pl_error_text());
    } else if (pl_shapes_mesh(1, s, mesh) != PL_OK) {
        return pl_json_fail(at, "%s", pl_error_text());
    }
    if (pl_mesh_transform(*mesh, m) != PL_OK) return pl_json_fail(at, "%s", pl_error_text());
    pl_shape now = pl_shape_default(given                       ? s->kind
                                    : s->kind == PL_SHAPE_TORUS ? PL_SHAPE_MESH
                                                                : PL_SHAPE_HULL);
    now.mesh = *mesh;
    now.density = s->density;
    now.friction = s->friction;
    *s = now;
    return PL_OK;
}

// --- Reading ---

// The half-space below a plane.
static pl_status read_halfspace(const pl_json *v, pl_shape *shape)
{
    double n[3] = {0, 0, 1}, length = 0;
    *shape = pl_shape_default(PL_SHAPE_HALFSPACE);
    PL_TRY(pl_scene_check_keys(v, PL_KEYS_HALFSPACE));
    PL_TRY(pl_json_vector(v, "point", shape->position));
    PL_TRY(pl_json_vector(v, "normal", n));
    PL_TRY(pl_json_positive(v, "span", &shape->span));
    PL_TRY(pl_json_positive(v, "patch", &shape->patch));
    for (int k = 0; k < 3; k++) length = hypot(length, n[k]);
    if (!(length > 0)) return pl_json_fail(v, "normal: has no direction");
    // From z to n, by the half of the angle between them: (1 + z . n, z x n), not scaled.
    double *q = shape->orientation;
    const double half[4] = {1 + n[2] / length, -n[1] / length, n[0] / length, 0};
    memcpy(q, half, sizeof half);
    if (half[0] < 1e-8) memcpy(q, (const double[4]){0, 1, 0, 0}, 4 * sizeof *q);
    double size = 0;
    for (int k = 0; k < 4; k++) size = hypot(size, q[k]);
    for (int k = 0; k < 4; k++) q[k] /= size;
    return PL_OK;
}

// "shape": its description, and for a hull or a mesh "mesh" beside it.
static pl_status read_description(const pl_json *at, double scale, pl_load_named *load,
                                  pl_shape *shape, pl_mesh **mesh)
{
    pl_json v, word;
    const char *text = NULL, *name = NULL;
    PL_TRY(pl_json_require(at, "shape", &v));
    PL_TRY(pl_json_string(at, "shape", &text));
    if (pl_shape_parse(text, shape) != PL_OK) return pl_json_fail(&v, "%s", pl_error_text());
    bool needs = shape->kind == PL_SHAPE_HULL || shape->kind == PL_SHAPE_MESH;
    if (!needs) return PL_OK;
    PL_TRY(pl_json_require(at, "mesh", &word));
    PL_TRY(pl_json_string(at, "mesh", &name));
    if (load(at->file, name, mesh) != PL_OK) return pl_json_fail(&word, "%s", pl_error_text());
    const double m[12] = {scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0};
    if (pl_mesh_transform(*mesh, m) != PL_OK) return pl_json_fail(&word, "%s", pl_error_text());
    shape->mesh = *mesh;
    return PL_OK;
}

static pl_status read_part(const pl_json *at, double scale, pl_load_named *load, pl_shape *shape,
                           pl_mesh **mesh)
{
    double degrees[3] = {0}, position[3] = {0}, m[12];
    pl_json v;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_SHAPE));
    PL_TRY(read_description(at, scale, load, shape, mesh));
    if (*mesh == NULL && pl_json_get(at, "mesh", &v)) {
        return pl_json_fail(&v, "only a hull and a mesh have one");
    }
    PL_TRY(pl_json_vector(at, "rotation", degrees));
    PL_TRY(pl_json_vector(at, "position", position));
    PL_TRY(pl_json_positive(at, "density", &shape->density));
    PL_TRY(pl_json_not_negative(at, "friction", &shape->friction));
    pl_scene_matrix((const double[3]){1, 1, 1}, degrees, m);
    move(m, 1, shape);
    memcpy(shape->position, position, sizeof position);
    return PL_OK;
}

static pl_status reserve(int n, pl_scene_shapes *out)
{
    out->shape = pl_alloc_zero(n, sizeof *out->shape);
    out->mesh = pl_alloc_zero(n, sizeof *out->mesh);
    if (out->shape == NULL || out->mesh == NULL) return PL_ERROR_MEMORY;
    out->n = n;
    return PL_OK;
}

static pl_status read_all(const pl_json *at, double scale, pl_load_named *load,
                          pl_scene_shapes *out)
{
    pl_json v, list, plane, item = {0};
    int n = 0;
    bool one = pl_json_get(at, "shape", &v), many = pl_json_get(at, "shapes", &list);
    if (one && many) return pl_json_fail(at, "shape and shapes: give one of them");
    if (pl_json_get(at, "halfspace", &plane)) {
        if (one || many || pl_json_get(at, "mesh", &v)) {
            return pl_json_fail(&plane, "a body that is a half-space is nothing else");
        }
        PL_TRY(reserve(1, out));
        return read_halfspace(&plane, &out->shape[0]);
    }
    if (one) {
        PL_TRY(reserve(1, out));
        return read_description(at, scale, load, &out->shape[0], &out->mesh[0]);
    }
    if (!many) return PL_OK;
    PL_TRY(pl_json_array(&list, &n));
    if (n == 0) return pl_json_fail(&list, "one shape at least expected");
    PL_TRY(reserve(n, out));
    for (int i = 0; pl_json_next(&list, &item); i++) {
        PL_TRY(read_part(&item, scale, load, &out->shape[i], &out->mesh[i]));
    }
    return PL_OK;
}

pl_status pl_scene_shapes_read(const pl_json *at, const double scale[3], const double degrees[3],
                               pl_load_named *load, pl_scene_shapes *out)
{
    double m[12];
    bool uniform = is_uniform(scale);
    double all = uniform ? scale[0] : 1;
    *out = (pl_scene_shapes){0};
    pl_scene_matrix((const double[3]){all, all, all}, degrees, m);
    pl_status status = read_all(at, all, load, out);
    for (int32_t i = 0; i < out->n && status == PL_OK; i++) {
        if (!uniform) status = stretch(at, scale, &out->shape[i], &out->mesh[i]);
        if (status == PL_OK) move(m, all, &out->shape[i]);
    }
    if (status != PL_OK) pl_scene_shapes_free(out);
    return status;
}

pl_status pl_scene_shapes_of_mesh(const pl_mesh *mesh, double radius, pl_scene_shapes *out)
{
    *out = (pl_scene_shapes){0};
    pl_status status = reserve(1, out);
    if (status == PL_OK) status = pl_mesh_copy(mesh, &out->mesh[0]);
    if (status == PL_OK) {
        out->shape[0] = pl_shape_default(PL_SHAPE_MESH);
        out->shape[0].mesh = out->mesh[0];
        out->shape[0].rounding = radius;
        out->whole = true;
        return PL_OK;
    }
    pl_scene_shapes_free(out);
    return status;
}
