// pliant render: meshes or a scene into a picture, without a display.

#include "args.h"
#include "commands.h"
#include "cutaway.h"
#include "load.h"
#include "renderer.h"
#include "scene_camera.h"
#include "../base/file.h"
#include "../base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Lines of element edges, in pixels of a picture 720 pixels high.
static const float EDGE_WIDTH = 0.8f;

enum { TEXT_MAX = 64, WORDS_MAX = 10000 };

typedef struct job {
    const char *output, *size, *from, *cut, *up, *resume;
    int32_t passes;
    bool edges, no_ground;
    int32_t width, height;
    double direction[3]; // from the bodies towards the eye
} job;

// --- Options that are more than a number ---

// Reads numbers separated by `separator` from `text`; exactly n of them.
static bool read_numbers(const char *text, char separator, int n, double *value)
{
    char padded[TEXT_MAX + 16] = {0};
    if (strlen(text) >= TEXT_MAX) return false;
    strcpy(padded, text);
    const char *p = padded;
    for (int i = 0; i < n; i++) {
        p = pl_parse_double(p, &value[i]);
        if (p == NULL || *p != (i + 1 < n ? separator : '\0')) return false;
        p++;
    }
    return true;
}

static pl_status read_job(job *j)
{
    double size[2] = {1280, 720};
    if (j->output == NULL) return pl_fail(PL_ERROR_ARGUMENT, "-o PICTURE.png is missing");
    if (!pl_has_extension(j->output, ".png")) {
        return pl_fail(PL_ERROR_ARGUMENT, "-o: \"%s\" does not end in .png", j->output);
    }
    if (j->size != NULL && (!read_numbers(j->size, 'x', 2, size) || !(size[0] >= 1) ||
                            !(size[1] >= 1) || size[0] > 65536 || size[1] > 65536 ||
                            size[0] != floor(size[0]) || size[1] != floor(size[1]))) {
        return pl_fail(PL_ERROR_ARGUMENT, "--size: \"%s\" is not WIDTHxHEIGHT in pixels", j->size);
    }
    j->width = (int32_t)size[0];
    j->height = (int32_t)size[1];
    if (j->from != NULL && !read_numbers(j->from, ',', 3, j->direction)) {
        return pl_fail(PL_ERROR_ARGUMENT, "--from: \"%s\" is not X,Y,Z", j->from);
    }
    if (j->direction[0] == 0 && j->direction[1] == 0 && j->direction[2] == 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "--from: \"%s\" has no direction", j->from);
    }
    if (j->up != NULL && strcmp(j->up, "y") != 0 && strcmp(j->up, "z") != 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "--up: \"%s\" is neither y nor z", j->up);
    }
    if (j->cut != NULL && (strlen(j->cut) != 1 || strchr("xyz", j->cut[0]) == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "--cut: \"%s\" is not x, y or z", j->cut);
    }
    return pl_output_try(j->output);
}

// --- Meshes named on the command line, as a scene ---

static pl_status add_mesh(const char *word, const job *j, pl_scene_body *body)
{
    body->opacity = 1;
    body->edges = j->edges;
    PL_TRY(pl_load_mesh(word, 0, &body->mesh));
    if (j->up != NULL && j->up[0] == 'y') {
        const double y_to_z[12] = {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0};
        PL_TRY(pl_mesh_transform(body->mesh, y_to_z));
    }
    if (j->cut == NULL) return PL_OK;
    int axis = j->cut[0] - 'x';
    double lo[3], hi[3];
    pl_mesh_bounds(body->mesh, lo, hi);
    // Cut through the middle, and open it towards the eye.
    double side = j->direction[axis] < 0 ? -1 : 1;
    body->cut =
        (pl_scene_cut){.on = true, .offset = side * 0.5 * (lo[axis] + hi[axis]), .shrink = 0.06};
    body->cut.normal[axis] = side;
    return PL_OK;
}

static pl_status scene_of_meshes(int n, char **words, const job *j, pl_scene *out)
{
    *out = (pl_scene){0};
    out->bodies = pl_alloc_zero(n, sizeof *out->bodies);
    if (out->bodies == NULL) return PL_ERROR_MEMORY;
    out->n_bodies = n;
    out->ground = true;
    out->ground_z = NAN;
    pl_status status = PL_OK;
    for (int i = 0; i < n && status == PL_OK; i++) status = add_mesh(words[i], j, &out->bodies[i]);
    if (status != PL_OK) pl_scene_free(out);
    return status;
}

// Moves the bodies to where they are in a checkpoint.
static pl_status pose(pl_scene *scene, const char *checkpoint)
{
    pl_world *world;
    PL_TRY(pl_scene_world(scene, &world));
    pl_status status = pl_world_load(world, checkpoint);
    if (status == PL_OK) pl_scene_pose(scene, world);
    pl_world_destroy(world);
    return status;
}

static pl_status load_scene(int n, char **words, const job *j, pl_scene *out)
{
    if (!pl_has_extension(words[0], ".json")) {
        if (j->resume == NULL) return scene_of_meshes(n, words, j, out);
        return pl_fail(PL_ERROR_ARGUMENT, "--resume: a checkpoint belongs to a scene");
    }
    if (n > 1) return pl_fail(PL_ERROR_ARGUMENT, "one scene at a time");
    PL_TRY(pl_scene_load(words[0], out));
    pl_status status = j->resume != NULL ? pose(out, j->resume) : PL_OK;
    if (status != PL_OK) pl_scene_free(out);
    return status;
}

// --- From the scene to the renderer ---

static pl_status draw_cut(pl_renderer *renderer, const pl_scene_body *body, pl_draw_body *draw)
{
    const pl_scene_cut *cut = &body->cut;
    pl_cutaway_options options = pl_cutaway_options_default(body->mesh, cut->normal);
    double square = 0;
    for (int k = 0; k < 3; k++) square += cut->normal[k] * cut->normal[k];
    for (int k = 0; k < 3; k++) {
        options.point[k] = cut->offset * cut->normal[k] / square;
        options.outer_color[k] = (uint8_t)lround(255 * draw->color[k]);
    }
    options.shrink = cut->shrink;
    pl_cutaway cutaway;
    PL_TRY(pl_cutaway_make(body->mesh, &options, &cutaway));
    draw->n_vert = cutaway.n_vert;
    draw->n_face = cutaway.n_face;
    draw->x = cutaway.x;
    draw->face = cutaway.face;
    draw->face_color = cutaway.face_color;
    draw->crease = 0;
    draw->edge_width = EDGE_WIDTH;
    pl_status status = pl_renderer_add_body(renderer, draw, NULL);
    pl_cutaway_free(&cutaway);
    return status;
}

static pl_status draw_surface(pl_renderer *renderer, const pl_scene_body *body, pl_draw_body *draw)
{
    pl_mesh *surface;
    PL_TRY(pl_scene_body_surface(body, &surface));
    draw->n_vert = pl_mesh_vertex_count(surface);
    draw->n_face = pl_mesh_face_count(surface);
    draw->x = pl_mesh_positions(surface);
    draw->face = pl_mesh_faces(surface);
    if (body->edges) {
        draw->edge_width = EDGE_WIDTH;
        draw->crease = 0;
    }
    pl_status status = pl_renderer_add_body(renderer, draw, NULL);
    pl_mesh_destroy(surface);
    return status;
}

static pl_status add_bodies(pl_renderer *renderer, const pl_scene *scene)
{
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        const pl_scene_body *body = &scene->bodies[i];
        pl_draw_body draw = pl_draw_body_default(i);
        for (int k = 0; body->has_color && k < 3; k++) draw.color[k] = (float)body->color[k];
        draw.opacity = (float)body->opacity;
        bool cut = body->cut.on && pl_mesh_tet_count(body->mesh) > 0;
        pl_status status =
            cut ? draw_cut(renderer, body, &draw) : draw_surface(renderer, body, &draw);
        if (status != PL_OK) {
            char place[TEXT_MAX];
            snprintf(place, sizeof place, "bodies[%d]", (int)i);
            pl_fail_prefix(place);
            return status;
        }
    }
    return PL_OK;
}

static pl_status place_camera(pl_renderer *renderer, const pl_scene *scene, const job *j,
                              pl_camera *camera)
{
    double lo[3], hi[3], aspect = (double)j->width / j->height;
    pl_renderer_bounds(renderer, lo, hi);
    PL_TRY(pl_scene_camera(scene, lo, hi, j->direction, aspect, camera));
    double light[3];
    pl_camera_key_light(camera, light);
    return pl_renderer_set_key_light(renderer, light);
}

static pl_status render(pl_renderer *renderer, const pl_scene *scene, const job *j)
{
    pl_camera camera;
    pl_image image = {0};
    PL_TRY(add_bodies(renderer, scene));
    PL_TRY(place_camera(renderer, scene, j, &camera));
    pl_status status = pl_renderer_draw(renderer, &camera, &image);
    if (status == PL_OK) status = pl_image_write_png(&image, j->output);
    pl_image_free(&image);
    return status;
}

static pl_status render_scene(const pl_scene *scene, const job *j)
{
    pl_gl_context *context;
    PL_TRY(pl_gl_context_create(&context));
    pl_renderer_options options = pl_renderer_options_default();
    options.width = j->width;
    options.height = j->height;
    if (j->passes > 0) options.passes = j->passes;
    options.floor = scene->ground && !j->no_ground;
    options.floor_z = scene->ground_z;
    pl_renderer *renderer;
    pl_status status = pl_renderer_create(context, &options, &renderer);
    if (status == PL_OK) {
        status = render(renderer, scene, j);
        pl_renderer_destroy(renderer);
    }
    pl_gl_context_destroy(context);
    return status;
}

// --- The command ---

static pl_status run(int n_words, char **words, job *j)
{
    PL_TRY(read_job(j));
    double start = pl_seconds();
    pl_scene scene;
    PL_TRY(load_scene(n_words, words, j, &scene));
    pl_status status = render_scene(&scene, j);
    if (status == PL_OK) {
        printf("%s: %dx%d, %d %s, %.1f s\n", j->output, j->width, j->height, scene.n_bodies,
               scene.n_bodies == 1 ? "body" : "bodies", pl_seconds() - start);
    }
    pl_scene_free(&scene);
    return status;
}

int pl_command_render(int argc, char **argv)
{
    job j = {0};
    memcpy(j.direction, PL_DEFAULT_SIGHT, sizeof j.direction);
    const pl_option options[] = {
        {"-o", PL_OPTION_TEXT, &j.output, "OUT.png", "the picture to write"},
        {"--size", PL_OPTION_TEXT, &j.size, "WxH", "pixels; default 1280x720"},
        {"--from", PL_OPTION_TEXT, &j.from, "X,Y,Z", "look from this side; default 0.6,-1,0.35"},
        {"--up", PL_OPTION_TEXT, &j.up, "AXIS", "y: the meshes' y points up; default z"},
        {"--cut", PL_OPTION_TEXT, &j.cut, "AXIS", "cut tets open through the middle: x, y or z"},
        {"--edges", PL_OPTION_FLAG, &j.edges, NULL, "draw the edges of the elements"},
        {"--no-ground", PL_OPTION_FLAG, &j.no_ground, NULL, "leave the ground out"},
        {"--resume", PL_OPTION_TEXT, &j.resume, "FILE.plc", "a scene as it is in this checkpoint"},
        {"--passes", PL_OPTION_COUNT, &j.passes, "N", "quality: time is proportional; default 32"},
    };
    const pl_command command = {
        "render MESH...|SCENE.json -o OUT.png [options]",
        "Draws meshes (files or shapes) or a scene into a picture. Needs "
        "neither a display nor a GPU.",
        options,
        sizeof options / sizeof options[0],
        "--up, --cut and --edges apply to meshes; a scene says these itself.\n",
        1,
        WORDS_MAX};
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    return run(n_words, argv, &j) == PL_OK ? 0 : pl_command_failed();
}
