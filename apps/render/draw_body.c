#include "draw_body.h"
#include "../scene/palette.h"
#include "../common/vec.h"

#include <epoxy/gl.h>
#include <string.h>

enum {
    STAGING = 1 << 14, // corners or vertices sent to the card at a time
    LARGE_FAN = 256,   // a vertex with more faces is shaded smooth: the crease test is quadratic
};

static const double FARTHEST = 1e15; // [m] from the origin; its square must be a good float

// A corner in the card's memory.
typedef struct corner {
    float x[3];
    uint32_t normal; // three signed 10-bit numbers, x in the lowest bits
} corner;

pl_draw_body pl_draw_body_default(int32_t index)
{
    pl_draw_body body = {.opacity = 1, .crease = 60 * 3.14159265358979323846 / 180};
    memcpy(body.color, pl_palette(index), sizeof body.color);
    return body;
}

// --- Checks ---

static pl_status check_positions(int32_t n_vert, const double *x, const double origin[3])
{
    for (int64_t i = 0; i < 3 * (int64_t)n_vert; i++) {
        if (!isfinite(x[i])) {
            return pl_fail(PL_ERROR_ARGUMENT, "body: vertex %lld has a position that is not finite",
                           (long long)(i / 3));
        }
        if (fabs(x[i] - origin[i % 3]) > FARTHEST) {
            return pl_fail(PL_ERROR_ARGUMENT,
                           "body: vertex %lld is more than %g m away from the other bodies",
                           (long long)(i / 3), FARTHEST);
        }
    }
    return PL_OK;
}

static pl_status check_body(const pl_draw_body *body)
{
    if (body->n_face > INT32_MAX / 4 || body->n_vert > INT32_MAX / 4) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "body: more than %d triangles or vertices",
                       INT32_MAX / 4);
    }
    if (body->n_face < 1 || body->n_vert < 1) {
        return pl_fail(PL_ERROR_GEOMETRY, "body: there are no triangles to draw");
    }
    for (int64_t i = 0; i < 3 * (int64_t)body->n_face; i++) {
        if (body->face[i] < 0 || body->face[i] >= body->n_vert) {
            return pl_fail(PL_ERROR_ARGUMENT,
                           "body: triangle %lld refers to vertex %d of %d, numbered from 0",
                           (long long)(i / 3), body->face[i], body->n_vert);
        }
    }
    bool ok = body->opacity > 0 && body->opacity <= 1 && body->edge_width >= 0 &&
              isfinite(body->edge_width) && body->crease >= 0;
    for (int c = 0; c < 3; c++) ok = ok && body->color[c] >= 0 && body->color[c] <= 1;
    if (!ok) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "body: colours lie between 0 and 1, the opacity above 0 and up to 1; edge "
                       "width and crease angle are not negative");
    }
    return PL_OK;
}

// --- Normals ---

// The corners around each vertex, as a table of rows.
static pl_status build_fans(pl_gpu_body *body)
{
    int32_t n_corner = 3 * body->n_face;
    body->fan_start = pl_alloc_zero((int64_t)body->n_vert + 2, sizeof *body->fan_start);
    body->fan = pl_alloc(n_corner, sizeof *body->fan);
    if (body->fan_start == NULL || body->fan == NULL) return PL_ERROR_MEMORY;
    // Counted two entries late and filled one entry late, so that the cursors end up as the starts.
    int32_t *cursor = body->fan_start + 1;
    for (int32_t c = 0; c < n_corner; c++) cursor[body->face[c] + 1]++;
    for (int32_t v = 0; v < body->n_vert; v++) cursor[v + 1] += cursor[v];
    for (int32_t c = 0; c < n_corner; c++) body->fan[cursor[body->face[c]]++] = c;
    return PL_OK;
}

// How many faces run along the edge from vertex a to vertex b.
static int32_t count_edge(const pl_gpu_body *body, int32_t a, int32_t b)
{
    int32_t count = 0;
    for (int32_t i = body->fan_start[a]; i < body->fan_start[a + 1]; i++) {
        int32_t corner = body->fan[i], next = corner % 3 == 2 ? corner - 2 : corner + 1;
        count += body->face[next] == b;
    }
    return count;
}

// Open surfaces only cost time; so does a vertex with too large a fan, where we do not look.
static bool is_closed(const pl_gpu_body *body)
{
    for (int32_t v = 0; v < body->n_vert; v++) {
        if (body->fan_start[v + 1] - body->fan_start[v] > LARGE_FAN) return false;
    }
    for (int32_t c = 0; c < 3 * body->n_face; c++) {
        int32_t a = body->face[c], b = body->face[c % 3 == 2 ? c - 2 : c + 1];
        if (count_edge(body, a, b) != 1 || count_edge(body, b, a) != 1) return false;
    }
    return true;
}

static vec3 position(const double *x, int32_t vertex)
{
    return vec3_of(x + 3 * (int64_t)vertex);
}

// Unit normals (3*n_face), zero for a face without area, and the angle at each corner (3*n_face).
static void face_normals(const pl_gpu_body *body, const double *x, float *normal, float *angle)
{
    for (int32_t f = 0; f < body->n_face; f++) {
        const int32_t *face = body->face + 3 * (int64_t)f;
        vec3 edge[3]; // edge k runs from corner k to the next
        for (int k = 0; k < 3; k++) {
            edge[k] = vec3_unit(vec3_sub(position(x, face[(k + 1) % 3]), position(x, face[k])));
        }
        vec3 n = vec3_unit(vec3_cross(edge[0], edge[1]));
        float *out = normal + 3 * (int64_t)f;
        out[0] = (float)n.x, out[1] = (float)n.y, out[2] = (float)n.z;
        for (int k = 0; k < 3; k++) {
            vec3 to = edge[k], from = edge[(k + 2) % 3];
            double sine = vec3_length(vec3_cross(from, to)), cosine = -vec3_dot(from, to);
            angle[3 * (int64_t)f + k] = (float)atan2(sine, cosine);
        }
    }
}

static uint32_t pack_normal(const float n[3])
{
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0)) return 511U << 20; // straight up
    uint32_t packed = 0;
    for (int c = 0; c < 3; c++) {
        int32_t level = (int32_t)lrintf(n[c] / length * 511);
        packed |= ((uint32_t)level & 1023U) << (10 * c);
    }
    return packed;
}

// The normal at each corner: its neighbours around the vertex, weighted by their angles there
// [Thuermer & Wuethrich, Computing vertex normals from polygonal facets, 1998], leaving out faces
// beyond the crease angle.
static void corner_normals(const pl_gpu_body *body, const float *normal, const float *angle,
                           uint32_t *packed)
{
    float limit = (float)cos(PL_MIN(body->crease, 3.2)) - 1e-5F;
    for (int32_t v = 0; v < body->n_vert; v++) {
        const int32_t *fan = body->fan + body->fan_start[v];
        int32_t n_fan = body->fan_start[v + 1] - body->fan_start[v];
        float around = n_fan > LARGE_FAN || body->crease >= 3.2 ? -2 : limit;
        for (int32_t i = 0; i < n_fan; i++) {
            if (around == -2 && i > 0) {
                packed[fan[i]] = packed[fan[0]];
                continue;
            }
            const float *own = normal + 3 * (int64_t)(fan[i] / 3);
            float sum[3] = {0, 0, 0};
            for (int32_t j = 0; j < n_fan; j++) {
                const float *n = normal + 3 * (int64_t)(fan[j] / 3);
                float cosine = own[0] * n[0] + own[1] * n[1] + own[2] * n[2];
                if (cosine < around && j != i) continue;
                for (int c = 0; c < 3; c++) sum[c] += angle[fan[j]] * n[c];
            }
            packed[fan[i]] = pack_normal(sum);
        }
    }
}

static pl_status compute_normals(const pl_gpu_body *body, const double *x, uint32_t *packed)
{
    float *normal = pl_alloc(3 * (int64_t)body->n_face, sizeof *normal);
    float *angle = pl_alloc(3 * (int64_t)body->n_face, sizeof *angle);
    pl_status status = normal != NULL && angle != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        face_normals(body, x, normal, angle);
        corner_normals(body, normal, angle, packed);
    }
    pl_free(normal);
    pl_free(angle);
    return status;
}

// --- Upload ---

static void place(const double *x, const double origin[3], float out[3])
{
    for (int c = 0; c < 3; c++) out[c] = (float)(x[c] - origin[c]);
}

static void send_positions(const pl_gpu_body *body, const double *x, const double origin[3],
                           const uint32_t *normal, corner *staging)
{
    int32_t n_corner = 3 * body->n_face;
    glBindBuffer(GL_ARRAY_BUFFER, body->corner_buffer);
    for (int32_t begin = 0; begin < n_corner; begin += STAGING) {
        int32_t count = PL_MIN(STAGING, n_corner - begin);
        for (int32_t i = 0; i < count; i++) {
            place(x + 3 * (int64_t)body->face[begin + i], origin, staging[i].x);
            staging[i].normal = normal[begin + i];
        }
        glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)sizeof(corner) * begin,
                        (GLsizeiptr)sizeof(corner) * count, staging);
    }
    float *vertex = (float *)staging;
    GLsizeiptr size = 3 * sizeof(float);
    glBindBuffer(GL_ARRAY_BUFFER, body->vertex_buffer);
    for (int32_t begin = 0; begin < body->n_vert; begin += STAGING) {
        int32_t count = PL_MIN(STAGING, body->n_vert - begin);
        for (int32_t i = 0; i < count; i++) {
            place(x + 3 * (int64_t)(begin + i), origin, vertex + 3 * (int64_t)i);
        }
        glBufferSubData(GL_ARRAY_BUFFER, size * begin, size * count, vertex);
    }
}

// Of the colours by face, by vertex and of the body, the first that is there.
static void send_colors(const pl_gpu_body *body, const uint8_t *face_color,
                        const uint8_t *vertex_color, uint8_t *staging)
{
    int32_t n_corner = 3 * body->n_face;
    uint8_t plain[3];
    for (int c = 0; c < 3; c++) plain[c] = (uint8_t)lrintf(body->color[c] * 255);
    glBindBuffer(GL_ARRAY_BUFFER, body->color_buffer);
    for (int32_t begin = 0; begin < n_corner; begin += STAGING) {
        int32_t count = PL_MIN(STAGING, n_corner - begin);
        for (int32_t i = 0; i < count; i++) {
            int64_t c = begin + i;
            const uint8_t *from = plain;
            if (face_color != NULL) {
                from = face_color + 3 * (c / 3);
            } else if (vertex_color != NULL) {
                from = vertex_color + 3 * (int64_t)body->face[c];
            }
            memcpy(staging + 4 * (int64_t)i, from, 3);
            staging[4 * (int64_t)i + 3] = 255;
        }
        glBufferSubData(GL_ARRAY_BUFFER, 4 * (GLintptr)begin, 4 * (GLsizeiptr)count, staging);
    }
}

static pl_status paint(const pl_gpu_body *body, const uint8_t *face_color,
                       const uint8_t *vertex_color)
{
    uint8_t *staging = pl_alloc(STAGING, 4);
    if (staging == NULL) return PL_ERROR_MEMORY;
    send_colors(body, face_color, vertex_color, staging);
    pl_free(staging);
    return PL_OK;
}

pl_status pl_gpu_body_paint(pl_gpu_body *body, const uint8_t *vertex_color)
{
    return paint(body, NULL, vertex_color);
}

// Attribute 0: position, 1: normal, 2: colour.
static void make_buffers(pl_gpu_body *body)
{
    GLsizeiptr n_corner = 3 * (GLsizeiptr)body->n_face;
    GLsizei stride = sizeof(corner);
    glGenVertexArrays(1, &body->corner_vao);
    glBindVertexArray(body->corner_vao);
    glGenBuffers(1, &body->corner_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, body->corner_buffer);
    glBufferData(GL_ARRAY_BUFFER, n_corner * stride, NULL, GL_DYNAMIC_DRAW);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, (void *)offsetof(corner, x));
    glVertexAttribPointer(1, 4, GL_INT_2_10_10_10_REV, GL_TRUE, stride,
                          (void *)offsetof(corner, normal));
    glGenBuffers(1, &body->color_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, body->color_buffer);
    glBufferData(GL_ARRAY_BUFFER, n_corner * 4, NULL, GL_DYNAMIC_DRAW);
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, 4, NULL);
    for (GLuint i = 0; i < 3; i++) glEnableVertexAttribArray(i);

    glGenVertexArrays(1, &body->vertex_vao);
    glBindVertexArray(body->vertex_vao);
    glGenBuffers(1, &body->vertex_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, body->vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(3 * sizeof(float)) * body->n_vert, NULL,
                 GL_DYNAMIC_DRAW);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    glGenBuffers(1, &body->index_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, body->index_buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, n_corner * 4, body->face, GL_STATIC_DRAW);
    glBindVertexArray(0);
}

pl_status pl_gpu_body_move(pl_gpu_body *body, const double *x, const double origin[3])
{
    PL_TRY(check_positions(body->n_vert, x, origin));
    uint32_t *normal = pl_alloc(3 * (int64_t)body->n_face, sizeof *normal);
    corner *staging = pl_alloc(STAGING, sizeof *staging);
    pl_status status = normal != NULL && staging != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) status = compute_normals(body, x, normal);
    if (status == PL_OK) {
        send_positions(body, x, origin, normal, staging);
        for (int c = 0; c < 3; c++) body->lo[c] = body->hi[c] = x[c];
        for (int64_t i = 0; i < 3 * (int64_t)body->n_vert; i++) {
            body->lo[i % 3] = fmin(body->lo[i % 3], x[i]);
            body->hi[i % 3] = fmax(body->hi[i % 3], x[i]);
        }
    }
    pl_free(normal);
    pl_free(staging);
    return status;
}

static pl_status fill_body(const pl_draw_body *source, const double origin[3], pl_gpu_body *body)
{
    int64_t n_corner = 3 * (int64_t)body->n_face;
    body->face = pl_alloc(n_corner, sizeof *body->face);
    if (body->face == NULL) return PL_ERROR_MEMORY;
    memcpy(body->face, source->face, (size_t)n_corner * sizeof *body->face);
    PL_TRY(build_fans(body));
    body->closed = is_closed(body);
    make_buffers(body);
    PL_TRY(paint(body, source->face_color, source->vertex_color));
    PL_TRY(pl_gpu_body_move(body, source->x, origin));
    if (glGetError() == GL_NO_ERROR) return PL_OK;
    return pl_fail(PL_ERROR_MEMORY, "body: OpenGL has no memory for %d triangles", body->n_face);
}

pl_status pl_gpu_body_create(const pl_draw_body *source, const double origin[3], pl_gpu_body *out)
{
    *out = (pl_gpu_body){0};
    PL_TRY(check_body(source));
    out->n_vert = source->n_vert;
    out->n_face = source->n_face;
    out->crease = source->crease;
    out->edge_width = source->edge_width;
    out->opacity = source->opacity;
    out->wireframe = source->wireframe;
    memcpy(out->color, source->color, sizeof out->color);
    pl_status status = fill_body(source, origin, out);
    if (status != PL_OK) pl_gpu_body_destroy(out);
    return status;
}

void pl_gpu_body_destroy(pl_gpu_body *body)
{
    GLuint arrays[] = {body->corner_vao, body->vertex_vao};
    GLuint buffers[] = {body->corner_buffer, body->color_buffer, body->vertex_buffer,
                        body->index_buffer};
    if (body->corner_vao != 0) {
        glDeleteVertexArrays(2, arrays);
        glDeleteBuffers(4, buffers);
    }
    pl_free(body->face);
    pl_free(body->fan_start);
    pl_free(body->fan);
    *body = (pl_gpu_body){0};
}
