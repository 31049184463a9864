// pliant render: meshes, a scene or the frames of a run into a picture or a film, without a
// display.

#include "args.h"
#include "commands.h"
#include "../export/export.h"
#include "../render/film.h"
#include "../scene/interrupt.h"
#include "../scene/load.h"
#include "../render/paint.h"
#include "../common/paths.h"
#include "progress.h"
#include "../render/reel.h"
#include "../scene/scene_camera.h"
#include "../scene/scene_shots.h"
#include "../render/studio.h"
#include "../../base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)

static const double ORBIT_RATE = 30; // of --camera orbit [degrees/s]

enum { TEXT_MAX = 128, WORDS_MAX = 10000, CAMERAS_MAX = 64, ERROR_ROOM = 1024 };

typedef struct job {
    const char *output, *size, *from, *cut, *up, *resume, *camera, *scene, *color;
    int32_t passes, every, threads; // 0: not given
    double fps, time, range;        // 0: not given
    bool edges, no_ground, quiet, contacts, joints, wireframe;
    pl_quantity quantity; // of `color`
    bool film;            // else a picture
    int32_t width, height;
    double direction[3]; // from the bodies towards the eye
} job;

// What is drawn, and how.
typedef struct render {
    const job *job;
    double started; // wall clock [s]
    pl_scene scene;
    char *scene_path; // NULL for meshes
    pl_reel reel;
    pl_shot shot;   // once it is known
    bool framed;    // it is to see all bodies of the first frame,
    double turning; // and to turn about them [rad/s]
    pl_studio studio;
    pl_paint paint;
    pl_film film;
    pl_image image;
} render;

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

static pl_status read_output(job *j)
{
    pl_frame_pattern pattern;
    if (j->output == NULL) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "-o is missing: PICTURE.png, FILM.mp4 or frames/%%04d.png");
    }
    j->film = pl_film_is(j->output);
    if (j->film && !pl_film_is_mp4(j->output)) {
        PL_TRY(pl_frame_pattern_read(j->output, &pattern));
    } else if (!j->film && !pl_has_extension(j->output, ".png")) {
        return pl_fail(PL_ERROR_ARGUMENT, "-o: \"%s\" ends neither in .png nor in .mp4", j->output);
    }
    if (!j->film && (j->fps > 0 || j->every > 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: one picture has no frames; -o FILM.mp4 has",
                       j->fps > 0 ? "--fps" : "--every");
    }
    return PL_OK;
}

static pl_status read_size(job *j)
{
    double size[2] = {1280, 720};
    if (j->size != NULL && (!read_numbers(j->size, 'x', 2, size) || !(size[0] >= 1) ||
                            !(size[1] >= 1) || size[0] > 65536 || size[1] > 65536 ||
                            size[0] != floor(size[0]) || size[1] != floor(size[1]))) {
        return pl_fail(PL_ERROR_ARGUMENT, "--size: \"%s\" is not WIDTHxHEIGHT in pixels", j->size);
    }
    bool even = pl_film_is_mp4(j->output); // as all players want it
    j->width = (int32_t)size[0] + (even && (int32_t)size[0] % 2 == 1);
    j->height = (int32_t)size[1] + (even && (int32_t)size[1] % 2 == 1);
    return PL_OK;
}

static pl_status read_color(job *j)
{
    pl_status status = j->color != NULL ? pl_quantity_find(j->color, &j->quantity) : PL_OK;
    if (status != PL_OK) {
        pl_fail_prefix("--color");
    } else if (j->range > 0 && j->quantity == PL_QUANTITY_NONE) {
        return pl_fail(PL_ERROR_ARGUMENT, "--range: it is that of --color, which is missing");
    }
    return status;
}

static pl_status read_job(job *j)
{
    PL_TRY(read_output(j));
    PL_TRY(read_size(j));
    PL_TRY(read_color(j));
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
    return j->film ? PL_OK : pl_output_try(j->output);
}

// --- Meshes named on the command line, as a scene ---

static pl_status add_mesh(const char *word, const job *j, pl_scene_body *body)
{
    body->opacity = 1;
    body->edges = j->edges;
    PL_TRY(pl_load_mesh(word, 0, &body->mesh));
    PL_TRY(pl_load_thicken(&body->mesh, 0));
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
    out->file = words[0];
    pl_status status = PL_OK;
    for (int i = 0; i < n && status == PL_OK; i++) status = add_mesh(words[i], j, &out->bodies[i]);
    if (status != PL_OK) pl_scene_free(out);
    return status;
}

// --- What is drawn ---

// The scene of a cache is the one that its folder names, unless the command line does.
static pl_status find_scene_of(render *r, const char *folder)
{
    if (r->job->scene != NULL) return pl_scene_find(r->job->scene, &r->scene_path);
    PL_TRY(pl_reel_check_cache(folder)); // first: without frames no scene is named either
    if (pl_export_read_scene(folder, &r->scene_path) == PL_OK) return PL_OK;
    return pl_fail(PL_ERROR_FILE, "%s; --scene SCENE.json says of which scene the frames are",
                   pl_error_text());
}

// A word that is neither a folder nor a mesh: a scene, by its file or its name.
static pl_status find_scene(render *r, const char *word)
{
    pl_mesh *mesh;
    pl_status status = pl_scene_find(word, &r->scene_path);
    if (status != PL_ERROR_FILE) return status;
    (void)pl_mesh_make(word, &mesh); // it tells which shapes there are
    return pl_fail(PL_ERROR_ARGUMENT, "%s: no such file, no such scene, and %s", word,
                   pl_error_text());
}

static pl_status load_scene(render *r, int n, char **words)
{
    const job *j = r->job;
    bool cache = pl_is_folder(words[0]);
    bool scene = !cache && (pl_has_extension(words[0], ".json") || !pl_load_knows(words[0]));
    if (j->scene != NULL && !cache) {
        return pl_fail(PL_ERROR_ARGUMENT, "--scene: only the folder of a run needs it");
    }
    if (j->resume != NULL && !scene) {
        return pl_fail(PL_ERROR_ARGUMENT, "--resume: a checkpoint belongs to a scene");
    }
    if (!cache && !scene) return scene_of_meshes(n, words, j, &r->scene);
    PL_TRY(cache ? find_scene_of(r, words[0]) : find_scene(r, words[0]));
    if (n > 1) return pl_fail(PL_ERROR_ARGUMENT, "one scene at a time");
    return pl_scene_load(r->scene_path, &r->scene);
}

static bool is_simulated(const pl_scene *scene)
{
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        if (scene->bodies[i].simulated) return true;
    }
    return false;
}

// How long a film lasts in which only the camera moves.
static pl_status still_time(const render *r, double *time)
{
    const pl_shot *shot = &r->shot;
    double rate = r->framed ? r->turning : shot->kind == PL_SHOT_ORBIT ? shot->rate : 0;
    if (*time > 0) return PL_OK;
    if (rate != 0) *time = 360 * RADIANS / fabs(rate);
    if (shot->kind == PL_SHOT_KEYFRAMES) *time = shot->key[shot->n_keys - 1].time;
    if (*time > 0) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "nothing moves: a film needs --camera orbit, or --time");
}

// Colours and arrows need more than places.
static bool needs_world(const job *j)
{
    return j->quantity != PL_QUANTITY_NONE || j->contacts || j->joints;
}

// Bodies on a grid have surfaces, and nothing else to draw.
static pl_status open_grid(render *r, const pl_reel_options *options)
{
    const job *j = r->job;
    if (needs_world(j) || j->resume != NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: bodies on a grid have no such thing",
                       j->resume != NULL ? "--resume"
                       : j->contacts     ? "--contacts"
                       : j->joints       ? "--joints"
                                         : "--color");
    }
    return pl_reel_open_grid(&r->scene, options, &r->reel);
}

static pl_status open_reel(render *r, const char *word)
{
    const job *j = r->job;
    if (needs_world(j) && (pl_is_folder(word) || !is_simulated(&r->scene))) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: only a scene that is simulated on the way has it",
                       j->contacts ? "--contacts"
                       : j->joints ? "--joints"
                                   : "--color");
    }
    pl_reel_options options = {j->time, j->fps, j->every, !j->film, j->resume};
    if (r->scene.grid.on && !pl_is_folder(word)) return open_grid(r, &options);
    if (pl_is_folder(word)) return pl_reel_open_cache(word, &r->scene, &options, &r->reel);
    bool moves = j->film || j->time > 0 || j->resume != NULL || needs_world(j);
    if (moves && is_simulated(&r->scene)) {
        return pl_reel_open_world(&r->scene, &options, &r->reel);
    }
    if (j->film) PL_TRY(still_time(r, &options.time));
    return pl_reel_open_still(&r->scene, &options, &r->reel);
}

// Options that this input has no use for. The reel is open.
static void warn_unused(const render *r, const char *word)
{
    const job *j = r->job;
    bool meshes = r->scene_path == NULL;
    const char *itself = "it is for meshes; a scene says this itself";
    pl_args_no_effect(!meshes && j->up != NULL, "--up", itself);
    pl_args_no_effect(!meshes && j->cut != NULL, "--cut", itself);
    pl_args_no_effect(!meshes && j->edges, "--edges", itself);
    pl_args_no_effect(j->from != NULL && !r->framed, "--from", "the camera has its place");
    pl_args_no_effect(j->joints && r->scene.n_joints == 0, "--joints", "the scene has none");
    pl_args_no_effect(j->no_ground && !r->scene.ground, "--no-ground", "the scene has none");
    bool timeless =
        r->reel.play.world == NULL && r->reel.euler == NULL && !pl_is_folder(word) && !j->film;
    pl_args_no_effect(j->time > 0 && timeless, "--time", "nothing moves");
}

// Forces of contacts are those of a step: a state by itself, at the start or of a checkpoint, has
// none.
static void warn_no_forces(const render *r)
{
    const job *j = r->job;
    const char *option = j->contacts ? "--contacts" : "--color pressure";
    bool forces = j->contacts || j->quantity == PL_QUANTITY_PRESSURE;
    if (!forces || r->reel.play.world == NULL) return;
    if (!r->scene.world.contact) {
        pl_args_no_effect(true, option, "the scene has no contact");
    } else if (!j->film && pl_world_steps(r->reel.play.world) >= r->reel.play.last) {
        pl_log(PL_LOG_WARNING,
               "%s: %s no forces of contacts, only steps do; --time T beyond %g s "
               "makes some",
               option, j->resume != NULL ? "a checkpoint has" : "the start has", r->reel.time);
    }
}

// --- The camera ---

static pl_status no_such_camera(const render *r)
{
    const char *names[CAMERAS_MAX] = {"orbit"};
    int n = 1;
    for (int32_t i = 0; i < r->scene.n_shots && n < CAMERAS_MAX; i++) {
        if (r->scene.shots[i].name[0] != '\0') names[n++] = r->scene.shots[i].name;
    }
    const char *word = r->job->camera;
    pl_fail_unknown(PL_ERROR_ARGUMENT, "camera", word, strlen(word), names, n);
    pl_fail_prefix("--camera");
    return PL_ERROR_ARGUMENT;
}

// A camera of the scene by its name, orbit[:RATE], or eye and target: X,Y,Z:X,Y,Z.
static pl_status read_camera(render *r)
{
    const char *word = r->job->camera;
    const pl_shot *shot = pl_scene_find_shot(&r->scene, word);
    char text[TEXT_MAX];
    double x[6], rate = ORBIT_RATE;
    if (shot != NULL) {
        r->shot = *shot;
        return PL_OK;
    }
    if (strcmp(word, "orbit") == 0 ||
        (strncmp(word, "orbit:", 6) == 0 && read_numbers(word + 6, ',', 1, &rate))) {
        r->framed = true;
        r->turning = rate * RADIANS;
        return PL_OK;
    }
    snprintf(text, sizeof text, "%s", word);
    for (char *p = text; *p != '\0'; p++) *p = *p == ':' ? ',' : *p;
    bool two = strlen(word) < TEXT_MAX && read_numbers(text, ',', 6, x);
    if (!two) return no_such_camera(r);
    r->shot = (pl_shot){.fov_y = pl_camera_default().fov_y};
    memcpy(r->shot.eye, x, sizeof r->shot.eye);
    memcpy(r->shot.target, x + 3, sizeof r->shot.target);
    return PL_OK;
}

static pl_status choose_camera(render *r)
{
    r->framed = r->scene.n_shots == 0;
    if (!r->framed) r->shot = r->scene.shots[0].shot;
    if (r->job->camera == NULL) return PL_OK;
    r->framed = false;
    return read_camera(r);
}

// The box that a camera without a place of its own has to see: the bodies, in a film also the
// ground that they may fall to, and what they pass through when they turn.
static void box_to_see(const render *r, double lo[3], double hi[3])
{
    pl_renderer_bounds(r->studio.renderer, lo, hi);
    if (!(lo[0] <= hi[0])) return;
    if (r->job->film && r->scene.ground) lo[2] = fmin(lo[2], r->scene.ground_z);
    if (r->turning == 0) return;
    double radius = 0.5 * hypot(hi[0] - lo[0], hi[1] - lo[1]);
    for (int k = 0; k < 2; k++) {
        double centre = 0.5 * (lo[k] + hi[k]);
        lo[k] = centre - radius;
        hi[k] = centre + radius;
    }
}

static pl_status frame_bodies(render *r)
{
    const job *j = r->job;
    double lo[3], hi[3];
    pl_camera camera;
    box_to_see(r, lo, hi);
    PL_TRY(pl_scene_camera(&r->scene, lo, hi, j->direction, (double)j->width / j->height, &camera));
    r->shot = pl_shot_around(&camera, r->turning);
    r->shot.azimuth -= r->turning * r->reel.time; // it starts as it stands
    if (r->turning == 0) r->shot.kind = PL_SHOT_FIXED;
    return PL_OK;
}

// --- Frames ---

static pl_status paint_bodies(render *r)
{
    const pl_export_bodies *bodies = &r->reel.bodies;
    for (int32_t i = 0; r->job->wireframe && i < bodies->n; i++) {
        const pl_draw_style style = {.opacity = 1, .wireframe = true};
        PL_TRY(pl_renderer_style_body(r->studio.renderer, i, &style));
    }
    if (!needs_world(r->job)) return PL_OK;
    return pl_paint_bodies(&r->paint, r->studio.renderer, bodies, r->reel.play.world);
}

// The light stays where it flatters the first frame.
static pl_status draw(render *r)
{
    pl_camera camera;
    bool first = r->reel.frame == 1;
    PL_TRY(pl_studio_update(&r->studio));
    PL_TRY(paint_bodies(r));
    if (first && r->framed) PL_TRY(frame_bodies(r));
    pl_shot_camera(&r->shot, r->reel.time, r->reel.follower.x, &camera);
    if (first) {
        double light[3];
        pl_camera_key_light(&camera, light);
        PL_TRY(pl_renderer_set_key_light(r->studio.renderer, light));
    }
    PL_TRY(pl_renderer_draw(r->studio.renderer, &camera, &r->image));
    pl_paint_legend(&r->paint, &r->image);
    return PL_OK;
}

static pl_status open_studio(render *r)
{
    const job *j = r->job;
    pl_renderer_options options = pl_renderer_options_default();
    options.width = j->width;
    options.height = j->height;
    if (j->passes > 0) options.passes = j->passes;
    options.floor = r->scene.ground && !j->no_ground;
    options.floor_z = r->scene.ground_z;
    bool inside = r->reel.sample == NULL; // a cache has surfaces only
    return pl_studio_open(&r->scene, &r->reel.bodies, inside, &options, &r->studio);
}

static pl_status make_picture(render *r)
{
    bool more;
    PL_TRY(pl_reel_next(&r->reel, &more));
    PL_TRY(draw(r));
    PL_TRY(pl_image_write_png(&r->image, r->job->output));
    if (r->job->quiet) return PL_OK;
    printf("%s: %dx%d, %d %s, %.1f s\n", r->job->output, r->job->width, r->job->height,
           r->scene.n_bodies, r->scene.n_bodies == 1 ? "body" : "bodies",
           pl_seconds() - r->started);
    return PL_OK;
}

static void print_film(const render *r)
{
    const job *j = r->job;
    const pl_film *film = &r->film;
    long long frames = film->n_frames, all = r->reel.n_frames;
    if (frames < all) {
        printf("%s%lld of %lld frames\n", pl_interrupted() ? "interrupted: " : "", frames, all);
    }
    if (film->frames != NULL) {
        printf("there is no ffmpeg here, so the frames are in %s; it makes the film by:\n"
               "ffmpeg -framerate %.9g -i %s -c:v libx264 -crf 18 -pix_fmt yuv420p "
               "-movflags +faststart %s\n",
               film->frames, film->options.fps, film->frames, j->output);
    }
    if (j->quiet) return;
    printf("%s: %dx%d, %lld frame%s, %.6g per second; %.1f s\n",
           film->frames != NULL ? film->frames : j->output, j->width, j->height, frames,
           frames == 1 ? "" : "s", film->options.fps, pl_seconds() - r->started);
}

// *whole tells that the film can be closed, even if the status is not PL_OK.
static pl_status add_frames(render *r, bool *whole)
{
    bool more = true;
    pl_progress progress = pl_progress_start(0, r->reel.n_frames, r->job->quiet);
    pl_status status = PL_OK;
    *whole = true;
    while (status == PL_OK) {
        status = pl_reel_next(&r->reel, &more);
        if (status != PL_OK || !more) break;
        status = draw(r);
        if (status != PL_OK) break;
        status = pl_film_add(&r->film, &r->image);
        *whole = status == PL_OK;
        pl_progress_show_frame(&progress, r->film.n_frames, r->reel.time);
    }
    pl_progress_end(&progress);
    *whole = *whole && r->film.n_frames > 0;
    return status;
}

// What ends a film early, a step that fails or Ctrl-C, leaves the frames so far.
static pl_status make_film(render *r)
{
    const job *j = r->job;
    const pl_film_options options = {j->width, j->height, j->fps > 0 ? j->fps : r->reel.fps};
    PL_TRY(pl_film_open(j->output, &options, &r->film));
    pl_interrupt_catch();
    bool whole;
    char text[ERROR_ROOM];
    pl_status status = add_frames(r, &whole);
    snprintf(text, sizeof text, "%s", pl_error_text());
    if (whole) {
        PL_TRY(pl_film_close(&r->film));
        print_film(r);
    } else if (status == PL_OK) {
        printf("interrupted: no frame\n");
    }
    return status == PL_OK ? PL_OK : pl_fail(status, "%s", text);
}

// --- The command ---

static pl_status render_words(render *r, int n_words, char **words)
{
    PL_TRY(load_scene(r, n_words, words));
    r->scene.world.threads = r->job->threads;
    PL_TRY(choose_camera(r));
    PL_TRY(open_reel(r, words[0]));
    r->reel.shot = &r->shot;
    warn_unused(r, words[0]);
    warn_no_forces(r);
    PL_TRY(open_studio(r));
    return r->job->film ? make_film(r) : make_picture(r);
}

static int run(int n_words, char **words, job *j)
{
    render r = {.job = j, .started = pl_seconds(), .reel = {.all = {.fd = -1}}};
    r.film = (pl_film){.file = {.fd = -1}, .encoder = {.in = -1, .err = -1}};
    pl_status status = read_job(j);
    r.paint = (pl_paint){.quantity = j->quantity,
                         .contacts = j->contacts,
                         .joints = j->joints,
                         .fixed = j->range > 0,
                         .end = j->range};
    if (status == PL_OK) status = render_words(&r, n_words, words);
    fflush(stdout);
    int code = status == PL_OK ? 0 : pl_command_failed();
    pl_film_free(&r.film);
    pl_image_free(&r.image);
    pl_paint_free(&r.paint);
    if (r.studio.context != NULL) pl_studio_close(&r.studio);
    pl_reel_close(&r.reel);
    pl_scene_free(&r.scene);
    pl_free(r.scene_path);
    return code == 0 && pl_interrupted() ? PL_EXIT_INTERRUPTED : code;
}

static const char NOTES[] =
    "A word is, in this order: the folder of a RUN; a scene, if it ends in .json; a shape; the\n"
    "file of a mesh; the name of a scene that 'pliant --help=scenes' lists.\n\n"
    "A scene is simulated for a film, up to its duration or --time; its picture is the start,\n"
    "the checkpoint of --resume, or what --time leads to. A film has its true speed; --every\n"
    "and --fps together make it slow or fast: a frame every K steps, N of them in a second.\n"
    "A RUN is a folder of 'pliant run --out' with the format pc2 or usda: it is drawn without\n"
    "simulating, --every counting its frames; a picture shows its last one up to --time.\n\n"
    "FILM.mp4 needs ffmpeg; without it the frames come into FILM.frames. In a name of frames,\n"
    "%d is the number, %04d one with four digits. Ctrl-C ends a film with the frames so far.\n\n"
    "--camera names one of the scene's; orbit (or orbit:20, degrees per second) turns about\n"
    "what the camera sees; X,Y,Z:X,Y,Z is an eye and what it looks at.\n"
    "--up, --cut and --edges apply to meshes; a scene says these itself.\n";

static const char *color_name(int32_t i)
{
    return i < PL_QUANTITY_COUNT ? pl_quantity_name((pl_quantity)i) : NULL;
}

static const pl_choice CHOICES[] = {{"WHAT", color_name}, {NULL, NULL}};

int pl_command_render(int argc, char **argv)
{
    job j = {0};
    memcpy(j.direction, PL_DEFAULT_SIGHT, sizeof j.direction);
    const pl_option options[] = {
        {"-o", PL_OPTION_TEXT, &j.output, "OUT",
         "what to write: PICTURE.png, FILM.mp4 or frames/%04d.png"},
        {"--size", PL_OPTION_TEXT, &j.size, "WxH", "pixels; default 1280x720"},
        {"--time", PL_OPTION_NUMBER, &j.time, "T", "end at T s; default the scene's duration"},
        {"--fps", PL_OPTION_NUMBER, &j.fps, "N", "frames per second; default 30, or the run's"},
        {"--every", PL_OPTION_COUNT, &j.every, "K", "or a frame every K steps"},
        {"--camera", PL_OPTION_TEXT, &j.camera, "NAME", "which camera, see below"},
        {"--from", PL_OPTION_TEXT, &j.from, "X,Y,Z", "look from this side; default 0.6,-1,0.35"},
        {"--up", PL_OPTION_TEXT, &j.up, "y|z", "y: the meshes' y points up; default z"},
        {"--cut", PL_OPTION_TEXT, &j.cut, "x|y|z", "cut tets open through the middle"},
        {"--edges", PL_OPTION_FLAG, &j.edges, NULL, "draw the edges of the elements"},
        {"--wireframe", PL_OPTION_FLAG, &j.wireframe, NULL, "draw nothing but the edges"},
        {"--color", PL_OPTION_TEXT, &j.color, "WHAT",
         "colour a scene's bodies by stress, speed or pressure (of contacts)"},
        {"--range", PL_OPTION_NUMBER, &j.range, "X", "--color from 0 to X; default by the values"},
        {"--contacts", PL_OPTION_FLAG, &j.contacts, NULL,
         "arrows for the forces of a scene's contacts"},
        {"--joints", PL_OPTION_FLAG, &j.joints, NULL, "the axes of a scene's joints"},
        {"--no-ground", PL_OPTION_FLAG, &j.no_ground, NULL, "leave the ground out"},
        {"--resume", PL_OPTION_TEXT, &j.resume, "FILE.plc", "start a scene from this checkpoint"},
        {"--scene", PL_OPTION_TEXT, &j.scene, "FILE.json", "the scene of a RUN, if it has moved"},
        {"--passes", PL_OPTION_COUNT, &j.passes, "N", "quality: time is proportional; default 32"},
        {"--threads", PL_OPTION_THREADS, &j.threads, "N",
         "of the simulation; default one per core"},
        {"--quiet", PL_OPTION_FLAG, &j.quiet, NULL, "print nothing but warnings and errors"},
    };
    const pl_command command = {
        .usage = "render MESH...|SCENE|RUN -o OUT [options]",
        .summary = "Draws meshes (files or shapes), a scene or the frames of a run into a picture "
                   "or a film.\n"
                   "Needs neither a display nor a GPU.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes = NOTES,
        .least = 1,
        .most = WORDS_MAX,
        .choices = CHOICES,
    };
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    return run(n_words, argv, &j);
}
