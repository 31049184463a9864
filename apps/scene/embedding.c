#include "embedding.h"
#include "../common/vec.h"

#include <string.h>

// A vertex farther outside than this many times the longest edge of the nearest tet is lost.
static const double LOST = 4;
// Bodies whose width is below this part of their length are lines: they span no frame.
static const double FLAT = 1e-12;

// --- The nearest tet or face ---

static double longest_edge(const pl_mesh *mesh, int32_t tet)
{
    const double *x = pl_mesh_positions(mesh);
    const int32_t *t = pl_mesh_tets(mesh) + 4 * (int64_t)tet;
    vec3 origin = vec3_of(x + 3 * (int64_t)t[0]), edge[3];
    double square = 0;
    for (int k = 0; k < 3; k++) {
        edge[k] = vec3_sub(vec3_of(x + 3 * (int64_t)t[k + 1]), origin);
    }
    for (int k = 0; k < 3; k++) {
        vec3 d = vec3_sub(edge[k], edge[(k + 1) % 3]);
        square = fmax(square, fmax(vec3_dot(edge[k], edge[k]), vec3_dot(d, d)));
    }
    return sqrt(square);
}

// Vertex v of the carrier of the search is map[v] of the body; NULL: the same.
static void write_tables(pl_embedding *e, const pl_mesh *carrier, const int32_t *map,
                         const pl_place *found)
{
    const int32_t *face = pl_mesh_faces(carrier), *tet = pl_mesh_tets(carrier);
    for (int64_t i = 0; i < e->n; i++) {
        int64_t element = found[i].element;
        int32_t *corner = e->corner + 4 * i;
        if (e->rigid) {
            for (int k = 0; k < 4; k++) corner[k] = map[face[3 * element + k % 3]];
        } else {
            memcpy(corner, tet + 4 * element, 4 * sizeof *corner);
        }
        memcpy(e->weight + 3 * i, found[i].weight, sizeof found[i].weight);
    }
}

// Complains about the vertex that is the farthest outside, for its tet.
static pl_status check_distances(const pl_embedding *e, const pl_mesh *carrier,
                                 const pl_place *found)
{
    double worst = LOST, size_there = 0;
    int32_t at = -1;
    for (int32_t i = 0; i < e->n; i++) {
        double times = 0, size = 0;
        if (found[i].element < 0) {
            times = INFINITY; // so far that the square is not a number
        } else if (!e->rigid) {
            size = longest_edge(carrier, found[i].element);
            times = found[i].distance / size;
        }
        if (times <= worst) continue;
        worst = times;
        size_there = size;
        at = i;
    }
    if (at < 0) return PL_OK;
    if (worst == INFINITY) {
        return pl_fail(PL_ERROR_GEOMETRY, "vertex %d is too far away from the body", (int)at);
    }
    return pl_fail(
        PL_ERROR_GEOMETRY,
        "vertex %d is %.3g m away from the body, whose nearest tetrahedron has a size of "
        "%.3g m: a surface that it carries must have its scale and place",
        (int)at, found[at].distance, size_there);
}

static pl_status find_carriers(const pl_mesh *carrier, const int32_t *map, pl_embedding *e)
{
    pl_place *found = pl_alloc(e->n, sizeof *found);
    if (found == NULL) return PL_ERROR_MEMORY;
    pl_status status =
        pl_mesh_locate(carrier, e->rigid, e->n, pl_mesh_positions(e->surface), found);
    if (status == PL_ERROR_GEOMETRY) {
        pl_fail(status, "the body has no %s that could carry it",
                e->rigid ? "faces" : "tetrahedra");
    }
    if (status == PL_OK) status = check_distances(e, carrier, found);
    if (status == PL_OK) write_tables(e, carrier, map, found);
    pl_free(found);
    return status;
}

// --- Rigid bodies ---

static vec3 divide(vec3 a, double by)
{
    return (vec3){a.x / by, a.y / by, a.z / by};
}

// The vertex that is the farthest from a, or if b is given from the line through both.
static int32_t farthest(const pl_mesh *mesh, const double a[3], const double *b, double *square)
{
    const double *x = pl_mesh_positions(mesh);
    vec3 origin = vec3_of(a);
    int32_t at = 0;
    *square = 0;
    for (int32_t i = 0; i < pl_mesh_vertex_count(mesh); i++) {
        vec3 d = vec3_sub(vec3_of(x + 3 * (int64_t)i), origin);
        if (b != NULL) d = vec3_cross(vec3_sub(vec3_of(b), origin), d); // times |b - a|
        if (!(vec3_dot(d, d) > *square)) continue;
        *square = vec3_dot(d, d);
        at = i;
    }
    return at;
}

// The frame with origin a whose first axis goes to b and whose second looks towards c.
static void axes_of(const double a[3], const double b[3], const double c[3], vec3 axis[3])
{
    vec3 along = vec3_sub(vec3_of(b), vec3_of(a));
    vec3 across = vec3_cross(along, vec3_sub(vec3_of(c), vec3_of(a)));
    axis[0] = divide(along, sqrt(vec3_dot(along, along)));
    axis[2] = divide(across, sqrt(vec3_dot(across, across)));
    axis[1] = vec3_cross(axis[2], axis[0]);
}

// The longest way through the body, or nearly, and what is the farthest from it.
static pl_status find_frame(const pl_mesh *carrier, pl_embedding *e)
{
    const double *x = pl_mesh_positions(carrier), *fine = pl_mesh_positions(e->surface);
    double long_square, across_square;
    int32_t a = farthest(carrier, x, NULL, &long_square);
    int32_t b = farthest(carrier, x + 3 * (int64_t)a, NULL, &long_square);
    int32_t c = farthest(carrier, x + 3 * (int64_t)a, x + 3 * (int64_t)b, &across_square);
    if (!(sqrt(across_square) > FLAT * long_square)) {
        return pl_fail(PL_ERROR_GEOMETRY, "the body has no area that could carry it");
    }
    memcpy(e->frame, (const int32_t[3]){a, b, c}, sizeof e->frame);
    vec3 axis[3];
    axes_of(x + 3 * (int64_t)a, x + 3 * (int64_t)b, x + 3 * (int64_t)c, axis);
    for (int64_t i = 0; i < e->n; i++) {
        vec3 r = vec3_sub(vec3_of(fine + 3 * i), vec3_of(x + 3 * (int64_t)a));
        for (int k = 0; k < 3; k++) e->local[3 * i + k] = vec3_dot(axis[k], r);
    }
    return PL_OK;
}

static pl_status embed_rigid(const pl_mesh *carrier, pl_embedding *e)
{
    pl_mesh *skin = NULL;
    int32_t *map = pl_alloc(pl_mesh_vertex_count(carrier), sizeof *map);
    e->local = pl_alloc(3 * (int64_t)e->n, sizeof *e->local);
    pl_status status =
        map == NULL || e->local == NULL ? PL_ERROR_MEMORY : pl_mesh_surface(carrier, map, &skin);
    if (status == PL_OK) status = find_carriers(skin, map, e);
    if (status == PL_OK) status = find_frame(carrier, e);
    pl_mesh_destroy(skin);
    pl_free(map);
    return status;
}

// --- Making and using ---

static pl_status embed(const pl_mesh *carrier, const pl_mesh *fine, pl_embedding *e)
{
    PL_TRY(pl_mesh_surface(fine, NULL, &e->surface));
    if (pl_mesh_face_count(e->surface) == 0) return pl_fail(PL_ERROR_GEOMETRY, "has no faces");
    e->n = pl_mesh_vertex_count(e->surface);
    e->corner = pl_alloc(4 * (int64_t)e->n, sizeof *e->corner);
    e->weight = pl_alloc(3 * (int64_t)e->n, sizeof *e->weight);
    if (e->corner == NULL || e->weight == NULL) return PL_ERROR_MEMORY;
    return e->rigid ? embed_rigid(carrier, e) : find_carriers(carrier, NULL, e);
}

pl_status pl_embedding_create(const pl_mesh *carrier, bool rigid, const pl_mesh *fine,
                              pl_embedding **out)
{
    *out = pl_alloc_zero(1, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    (*out)->rigid = rigid;
    pl_status status = embed(carrier, fine, *out);
    if (status != PL_OK) {
        pl_embedding_destroy(*out);
        *out = NULL;
    }
    return status;
}

void pl_embedding_destroy(pl_embedding *embedding)
{
    if (embedding == NULL) return;
    pl_mesh_destroy(embedding->surface);
    pl_free(embedding->corner);
    pl_free(embedding->weight);
    pl_free(embedding->local);
    pl_free(embedding);
}

static void move_rigid(const pl_embedding *e, const double *x, double *restrict out)
{
    const double *a = x + 3 * (int64_t)e->frame[0];
    vec3 axis[3];
    double column[3][3];
    axes_of(a, x + 3 * (int64_t)e->frame[1], x + 3 * (int64_t)e->frame[2], axis);
    for (int k = 0; k < 3; k++) vec3_store(axis[k], column[k]);
    for (int64_t i = 0; i < e->n; i++) {
        const double *r = e->local + 3 * i;
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] =
                a[k] + (r[0] * column[0][k] + r[1] * column[1][k] + r[2] * column[2][k]);
        }
    }
}

// By differences: the weights then add up to 1 without an error, wherever the body is.
static void move_soft(const pl_embedding *e, const double *x, double *restrict out)
{
    for (int64_t i = 0; i < e->n; i++) {
        const int32_t *c = e->corner + 4 * i;
        const double *w = e->weight + 3 * i, *p[4];
        for (int j = 0; j < 4; j++) p[j] = x + 3 * (int64_t)c[j];
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = p[0][k] + (w[0] * (p[1][k] - p[0][k]) + w[1] * (p[2][k] - p[0][k]) +
                                        w[2] * (p[3][k] - p[0][k]));
        }
    }
}

void pl_embedding_move(const pl_embedding *embedding, const double *x, double *out)
{
    if (embedding->rigid) {
        move_rigid(embedding, x, out);
    } else {
        move_soft(embedding, x, out);
    }
}

void pl_embedding_scalar(const pl_embedding *embedding, const double *value, double *out)
{
    for (int64_t i = 0; i < embedding->n; i++) {
        const int32_t *c = embedding->corner + 4 * i;
        const double *w = embedding->weight + 3 * i;
        double first = fmax(0, 1 - w[0] - w[1] - w[2]), all = first, sum = first * value[c[0]];
        for (int k = 0; k < 3; k++) {
            all += fmax(0, w[k]);
            sum += fmax(0, w[k]) * value[c[k + 1]];
        }
        out[i] = sum / all;
    }
}
