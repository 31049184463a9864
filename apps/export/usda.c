#include "usda.h"
#include "pc2.h"
#include "../scene/scene_camera.h"
#include "../../base/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ASPECT = 16.0 / 9; // of a picture
static const double FILM = 0.24; // its height on the film; USD counts in tenths of a unit: 24 mm
static const double NEAREST = 0.01, FARTHEST = 1000; // what is seen, by the distance of the target
static const double ROUGHNESS = 0.5;                 // of all surfaces, 0 to 1
static const double GROUND_COLOR = 0.8;              // sRGB grey

typedef struct writer {
    const pl_usda *usda;
    pl_output out;
    pl_pc2 cache;
    float *x, *other; // (3*n_vert) of the largest body
    float *extent;    // (6*n_frames) lo and hi of the present body
} writer;

// --- Small things ---

// USD's colours are linear.
static double linear_of(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

static double time_code(const pl_usda *usda, int64_t frame)
{
    return usda->frames[frame].time * usda->fps;
}

// (x, y, z) with digits enough to read back as the same floats.
static void put_point(pl_output *out, const float x[3])
{
    pl_output_printf(out, "(%.9g, %.9g, %.9g)", (double)x[0], (double)x[1], (double)x[2]);
}

static void put_color(pl_output *out, const double srgb[3])
{
    pl_output_printf(out, "(%.6g, %.6g, %.6g)", linear_of(srgb[0]), linear_of(srgb[1]),
                     linear_of(srgb[2]));
}

static void put_points(pl_output *out, const float *x, int32_t n)
{
    pl_output_write(out, "[", 1);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0) pl_output_write(out, ", ", 2);
        put_point(out, x + 3 * i);
    }
    pl_output_write(out, "]", 1);
}

// The box around points: lo and hi.
static void measure(const float *x, int32_t n, float extent[6])
{
    for (int k = 0; k < 3; k++) extent[k] = INFINITY, extent[3 + k] = -INFINITY;
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        float *lo = &extent[i % 3], *hi = &extent[3 + i % 3];
        *lo = PL_MIN(*lo, x[i]);
        *hi = PL_MAX(*hi, x[i]);
    }
}

// --- Head and camera ---

static void put_head(writer *w)
{
    const pl_usda *u = w->usda;
    pl_output_printf(&w->out,
                     "#usda 1.0\n(\n"
                     "    defaultPrim = \"World\"\n"
                     "    doc = \"Simulated by Pliant %s\"\n"
                     "    metersPerUnit = 1\n"
                     "    upAxis = \"Z\"\n",
                     pl_version());
    pl_output_printf(&w->out,
                     "    timeCodesPerSecond = %.12g\n"
                     "    framesPerSecond = %.12g\n"
                     "    startTimeCode = %.12g\n"
                     "    endTimeCode = %.12g\n"
                     ")\n\ndef Xform \"World\"\n{\n",
                     u->fps, u->fps, time_code(u, 0), time_code(u, u->n_frames - 1));
}

// The box around all bodies at the start, whatever frame the file begins with.
static void bound_bodies(const pl_scene *scene, double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++) lo[k] = INFINITY, hi[k] = -INFINITY;
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        double from[3], to[3];
        pl_mesh_bounds(scene->bodies[i].mesh, from, to);
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], from[k]);
            hi[k] = fmax(hi[k], to[k]);
        }
    }
}

// Where the bodies are that the shot follows: the middle of the box around them.
static pl_status find_subject(writer *w, const pl_shot *shot, int64_t frame, double subject[3])
{
    const pl_export_body *body = &w->usda->bodies->body[shot->body];
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < shot->n_bodies; i++) {
        float box[6];
        PL_TRY(pl_pc2_read(&w->cache, frame, body[i].vert, body[i].n_vert, w->x));
        measure(w->x, body[i].n_vert, box);
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], box[k]);
            hi[k] = fmax(hi[k], box[3 + k]);
        }
    }
    for (int k = 0; k < 3; k++) subject[k] = 0.5 * (lo[k] + hi[k]);
    return PL_OK;
}

// The camera at each frame, one for all if it does not move: camera (n).
static pl_status find_cameras(writer *w, pl_camera *camera, int64_t n)
{
    const pl_scene *scene = w->usda->scene;
    pl_follower follower = {0};
    double lo[3], hi[3], subject[3];
    bound_bodies(scene, lo, hi);
    for (int64_t i = 0; i < n; i++) {
        const pl_shot *shot = scene->n_shots > 0 ? &scene->shots[0].shot : NULL;
        double time = w->usda->frames[i].time;
        if (shot == NULL || shot->kind == PL_SHOT_FIXED) {
            return pl_scene_camera(scene, lo, hi, PL_DEFAULT_SIGHT, ASPECT, camera);
        }
        if (shot->kind == PL_SHOT_FOLLOW) {
            PL_TRY(find_subject(w, shot, i, subject));
            pl_follower_move(&follower, shot->smoothing, time, subject);
        }
        pl_shot_camera(shot, time, follower.x, &camera[i]);
        PL_TRY(pl_camera_check(&camera[i]));
    }
    return PL_OK;
}

static double distance(const pl_camera *camera)
{
    const double *a = camera->eye, *b = camera->target;
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static void put_focal_length(pl_output *out, const pl_camera *camera)
{
    pl_output_printf(out, "%.9g", FILM / 2 / tan(camera->fov_y / 2));
}

static void put_distance(pl_output *out, const pl_camera *camera)
{
    pl_output_printf(out, "%.9g", distance(camera));
}

// USD's cameras look along -z, with y up, and their matrices act on rows.
static void put_place(pl_output *out, const pl_camera *camera)
{
    double right[3], up[3], back[3];
    pl_camera_axes(camera, right, up, back);
    const double *rows[4] = {right, up, back, camera->eye};
    pl_output_printf(out, "( ");
    for (int i = 0; i < 4; i++) {
        pl_output_printf(out, "(%.17g, %.17g, %.17g, %d)%s", rows[i][0], rows[i][1], rows[i][2],
                         i == 3, i < 3 ? ", " : " )");
    }
}

// An attribute of the camera, once or at each of its n times.
static void put_attribute(writer *w, const char *name, const pl_camera *camera, int64_t n,
                          void (*put)(pl_output *out, const pl_camera *camera))
{
    pl_output *out = &w->out;
    pl_output_printf(out, "        %s%s = ", name, n > 1 ? ".timeSamples" : "");
    if (n > 1) pl_output_printf(out, "{\n");
    for (int64_t i = 0; i < n; i++) {
        if (n > 1) pl_output_printf(out, "            %.12g: ", time_code(w->usda, i));
        put(out, &camera[i]);
        pl_output_printf(out, n > 1 ? ",\n" : "\n");
    }
    if (n > 1) pl_output_printf(out, "        }\n");
}

static void put_cameras(writer *w, const pl_camera *camera, int64_t n)
{
    double nearest = INFINITY, farthest = 0;
    for (int64_t i = 0; i < n; i++) {
        nearest = fmin(nearest, distance(&camera[i]));
        farthest = fmax(farthest, distance(&camera[i]));
    }
    pl_output_printf(&w->out, "    def Camera \"camera\"\n    {\n");
    put_attribute(w, "float focalLength", camera, n, put_focal_length);
    pl_output_printf(&w->out,
                     "        float horizontalAperture = %.9g\n"
                     "        float verticalAperture = %.9g\n"
                     "        float2 clippingRange = (%.9g, %.9g)\n",
                     FILM * ASPECT, FILM, NEAREST * nearest, FARTHEST * farthest);
    put_attribute(w, "float focusDistance", camera, n, put_distance);
    put_attribute(w, "matrix4d xformOp:transform", camera, n, put_place);
    pl_output_printf(&w->out,
                     "        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n    }\n\n");
}

static pl_status put_camera(writer *w)
{
    const pl_scene *scene = w->usda->scene;
    bool moves = scene->n_shots > 0 && scene->shots[0].shot.kind != PL_SHOT_FIXED;
    int64_t n = moves ? w->usda->n_frames : 1;
    pl_camera *camera = pl_alloc(n, sizeof *camera);
    if (camera == NULL) return PL_ERROR_MEMORY;
    pl_status status = find_cameras(w, camera, n);
    if (status == PL_OK) put_cameras(w, camera, n);
    pl_free(camera);
    return status;
}

// --- Materials ---

static void put_material(pl_output *out, const char *name, const double color[3], double opacity)
{
    pl_output_printf(out,
                     "        def Material \"%s\"\n        {\n"
                     "            token outputs:surface.connect = "
                     "</World/materials/%s/surface.outputs:surface>\n\n"
                     "            def Shader \"surface\"\n            {\n"
                     "                uniform token info:id = \"UsdPreviewSurface\"\n"
                     "                color3f inputs:diffuseColor = ",
                     name, name);
    put_color(out, color);
    pl_output_printf(out,
                     "\n                float inputs:opacity = %.6g\n"
                     "                float inputs:roughness = %.6g\n"
                     "                token outputs:surface\n            }\n        }\n",
                     opacity, ROUGHNESS);
}

static void put_materials(writer *w)
{
    const pl_export_bodies *bodies = w->usda->bodies;
    const double grey[3] = {GROUND_COLOR, GROUND_COLOR, GROUND_COLOR};
    pl_output_printf(&w->out, "    def Scope \"materials\"\n    {\n");
    for (int32_t i = 0; i < bodies->n; i++) {
        put_material(&w->out, bodies->body[i].name, bodies->body[i].color, bodies->body[i].opacity);
    }
    if (w->usda->scene->ground) put_material(&w->out, "ground", grey, 1);
    pl_output_printf(&w->out, "    }\n\n");
}

// --- Meshes ---

// A mesh up to its faces; it is bound to the material of its name.
static void begin_mesh(pl_output *out, const char *name, const double color[3], double opacity)
{
    pl_output_printf(
        out,
        "        def Mesh \"%s\" (\n"
        "            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n        {\n"
        "            rel material:binding = </World/materials/%s>\n"
        "            uniform token subdivisionScheme = \"none\"\n"
        "            color3f[] primvars:displayColor = [",
        name, name);
    put_color(out, color);
    pl_output_printf(out,
                     "] (\n                interpolation = \"constant\"\n            )\n"
                     "            float[] primvars:displayOpacity = [%.6g] (\n"
                     "                interpolation = \"constant\"\n            )\n",
                     opacity);
}

static void put_faces(pl_output *out, const pl_export_bodies *bodies, const pl_export_body *body)
{
    const int32_t *face = bodies->face + 3 * (int64_t)body->face;
    pl_output_printf(out, "            int[] faceVertexCounts = [");
    for (int32_t i = 0; i < body->n_face; i++) pl_output_printf(out, i > 0 ? ", 3" : "3");
    pl_output_printf(out, "]\n            int[] faceVertexIndices = [");
    for (int64_t i = 0; i < 3 * (int64_t)body->n_face; i++) {
        if (i > 0) pl_output_write(out, ", ", 2);
        pl_output_int(out, face[i]);
    }
    pl_output_printf(out, "]\n");
}

// Does the body never move? Loads its first sample into w->x.
static pl_status is_still(writer *w, const pl_export_body *body, bool *still)
{
    size_t size = 3 * (size_t)body->n_vert * sizeof *w->x;
    PL_TRY(pl_pc2_read(&w->cache, 0, body->vert, body->n_vert, w->x));
    *still = true;
    for (int64_t i = 1; i < w->usda->n_frames && *still; i++) {
        PL_TRY(pl_pc2_read(&w->cache, i, body->vert, body->n_vert, w->other));
        *still = memcmp(w->x, w->other, size) == 0;
    }
    return PL_OK;
}

static void put_still(writer *w, const pl_export_body *body)
{
    float extent[6];
    measure(w->x, body->n_vert, extent);
    pl_output_printf(&w->out, "            float3[] extent = ");
    put_points(&w->out, extent, body->n_vert > 0 ? 2 : 0);
    pl_output_printf(&w->out, "\n            point3f[] points = ");
    put_points(&w->out, w->x, body->n_vert);
    pl_output_printf(&w->out, "\n");
}

static pl_status put_moving(writer *w, const pl_export_body *body)
{
    const pl_usda *u = w->usda;
    pl_output_printf(&w->out, "            point3f[] points.timeSamples = {\n");
    for (int64_t i = 0; i < u->n_frames; i++) {
        PL_TRY(pl_pc2_read(&w->cache, i, body->vert, body->n_vert, w->x));
        measure(w->x, body->n_vert, w->extent + 6 * i);
        pl_output_printf(&w->out, "                %.12g: ", time_code(u, i));
        put_points(&w->out, w->x, body->n_vert);
        pl_output_printf(&w->out, ",\n");
    }
    pl_output_printf(&w->out, "            }\n            float3[] extent.timeSamples = {\n");
    for (int64_t i = 0; i < u->n_frames; i++) {
        pl_output_printf(&w->out, "                %.12g: ", time_code(u, i));
        put_points(&w->out, w->extent + 6 * i, 2);
        pl_output_printf(&w->out, ",\n");
    }
    pl_output_printf(&w->out, "            }\n");
    return PL_OK;
}

// The square that carries.
static void put_ground(writer *w)
{
    const pl_scene *scene = w->usda->scene;
    const double grey[3] = {GROUND_COLOR, GROUND_COLOR, GROUND_COLOR};
    float r = (float)(scene->ground_size / 2), z = (float)scene->ground_z;
    const float x[12] = {-r, -r, z, r, -r, z, r, r, z, -r, r, z};
    const float extent[6] = {-r, -r, z, r, r, z};
    begin_mesh(&w->out, "ground", grey, 1);
    pl_output_printf(&w->out, "            int[] faceVertexCounts = [4]\n"
                              "            int[] faceVertexIndices = [0, 1, 2, 3]\n"
                              "            float3[] extent = ");
    put_points(&w->out, extent, 2);
    pl_output_printf(&w->out, "\n            point3f[] points = ");
    put_points(&w->out, x, 4);
    pl_output_printf(&w->out, "\n        }\n");
}

static pl_status put_bodies(writer *w)
{
    const pl_export_bodies *bodies = w->usda->bodies;
    pl_output_printf(&w->out, "    def Xform \"bodies\"\n    {\n");
    for (int32_t i = 0; i < bodies->n; i++) {
        const pl_export_body *body = &bodies->body[i];
        bool still;
        begin_mesh(&w->out, body->name, body->color, body->opacity);
        put_faces(&w->out, bodies, body);
        PL_TRY(is_still(w, body, &still));
        if (still) {
            put_still(w, body);
        } else {
            PL_TRY(put_moving(w, body));
        }
        pl_output_printf(&w->out, "        }\n");
    }
    if (w->usda->scene->ground) put_ground(w);
    pl_output_printf(&w->out, "    }\n");
    return PL_OK;
}

// --- All of it ---

static pl_status put_all(writer *w)
{
    put_head(w);
    PL_TRY(put_camera(w));
    put_materials(w);
    PL_TRY(put_bodies(w));
    pl_output_printf(&w->out, "}\n");
    return PL_OK;
}

static pl_status write_file(writer *w, const char *path)
{
    const pl_export_bodies *bodies = w->usda->bodies;
    int64_t most = 0;
    for (int32_t i = 0; i < bodies->n; i++) most = PL_MAX(most, bodies->body[i].n_vert);
    w->x = pl_alloc(3 * most, sizeof *w->x);
    w->other = pl_alloc(3 * most, sizeof *w->other);
    w->extent = pl_alloc(6 * w->usda->n_frames, sizeof *w->extent);
    if (w->x == NULL || w->other == NULL || w->extent == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_pc2_open(w->usda->cache, bodies->n_vert, &w->cache));
    PL_TRY(pl_output_open(path, &w->out));
    pl_status status = put_all(w);
    if (status == PL_OK) return pl_output_close(&w->out);
    pl_output_abandon(&w->out);
    return status;
}

pl_status pl_usda_write(const pl_usda *usda, const char *path)
{
    writer w = {.usda = usda, .cache = {.fd = -1}};
    PL_ASSERT(usda->n_frames > 0);
    pl_status status = write_file(&w, path);
    pl_pc2_close(&w.cache);
    pl_free(w.x);
    pl_free(w.other);
    pl_free(w.extent);
    return status;
}
