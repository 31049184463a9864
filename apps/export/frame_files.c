#include "frame_files.h"
#include "../../base/file.h"

#include <math.h>
#include <string.h>

// --- OBJ ---

// Corners count from 1 over the whole file; the body's first vertex is number `first`.
static void put_object(pl_output *out, const pl_export_bodies *bodies, const pl_export_body *body,
                       int64_t first)
{
    const double *x = bodies->x + 3 * (int64_t)body->vert;
    const int32_t *face = bodies->face + 3 * (int64_t)body->face;
    pl_output_printf(out, "o %s\n", body->name);
    for (int64_t i = 0; i < 3 * (int64_t)body->n_vert; i++) {
        pl_output_write(out, i % 3 == 0 ? "v " : " ", i % 3 == 0 ? 2 : 1);
        pl_output_double(out, x[i]);
        if (i % 3 == 2) pl_output_write(out, "\n", 1);
    }
    for (int64_t i = 0; i < 3 * (int64_t)body->n_face; i++) {
        pl_output_write(out, i % 3 == 0 ? "f " : " ", i % 3 == 0 ? 2 : 1);
        pl_output_int(out, face[i] + first);
        if (i % 3 == 2) pl_output_write(out, "\n", 1);
    }
}

pl_status pl_write_frame_obj(const pl_export_bodies *bodies, const char *path)
{
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    for (int32_t i = 0; i < bodies->n; i++) {
        put_object(&out, bodies, &bodies->body[i], (int64_t)bodies->body[i].vert + 1);
    }
    return pl_output_close(&out);
}

pl_status pl_write_body_obj(const pl_export_bodies *bodies, int32_t body, const char *path)
{
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    put_object(&out, bodies, &bodies->body[body], 1);
    return pl_output_close(&out);
}

// --- PLY ---

enum { VERTEX = 27, FACE = 17 }; // bytes: three doubles and three; one, three corners and the body

static void put_header(pl_output *out, const pl_export_bodies *bodies)
{
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    pl_output_printf(out, "ply\nformat binary_%s_endian 1.0\n", little ? "little" : "big");
    pl_output_printf(out,
                     "element vertex %d\nproperty double x\nproperty double y\nproperty double z\n"
                     "property uchar red\nproperty uchar green\nproperty uchar blue\n",
                     (int)bodies->n_vert);
    pl_output_printf(out,
                     "element face %d\nproperty list uchar int vertex_indices\n"
                     "property int body\nend_header\n",
                     (int)bodies->n_face);
}

static void put_vertices(pl_output *out, const pl_export_bodies *bodies, const pl_export_body *body)
{
    unsigned char row[VERTEX];
    for (int k = 0; k < 3; k++) row[24 + k] = (unsigned char)lround(255 * body->color[k]);
    for (int64_t i = body->vert; i < (int64_t)body->vert + body->n_vert; i++) {
        memcpy(row, bodies->x + 3 * i, 3 * sizeof(double));
        pl_output_write(out, row, sizeof row);
    }
}

static void put_faces(pl_output *out, const pl_export_bodies *bodies, int32_t number)
{
    const pl_export_body *body = &bodies->body[number];
    unsigned char row[FACE] = {3};
    memcpy(row + 13, &number, sizeof number);
    for (int64_t i = body->face; i < (int64_t)body->face + body->n_face; i++) {
        int32_t corner[3];
        for (int k = 0; k < 3; k++) corner[k] = bodies->face[3 * i + k] + body->vert;
        memcpy(row + 1, corner, sizeof corner);
        pl_output_write(out, row, sizeof row);
    }
}

pl_status pl_write_frame_ply(const pl_export_bodies *bodies, const char *path)
{
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    put_header(&out, bodies);
    for (int32_t i = 0; i < bodies->n; i++) put_vertices(&out, bodies, &bodies->body[i]);
    for (int32_t i = 0; i < bodies->n; i++) put_faces(&out, bodies, i);
    return pl_output_close(&out);
}
