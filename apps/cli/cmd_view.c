// pliant view: a scene in a window, to play with.

#include "args.h"
#include "commands.h"
#include "../scene/scene_camera.h"
#include "../view/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// How long the window sleeps where nothing changes, and while nothing of it is seen [s].
static const double REST = 0.05;

typedef struct job {
    const char *size;
    int32_t threads, width, height;
    double seconds;
    bool paused, verbose;
} job;

static pl_status find_camera(const pl_scene *scene, const job *j, pl_camera *out)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        double low[3], high[3];
        pl_mesh_bounds(scene->bodies[i].mesh, low, high);
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], low[k]);
            hi[k] = fmax(hi[k], high[k]);
        }
    }
    return pl_scene_camera(scene, lo, hi, PL_DEFAULT_SIGHT, (double)j->width / j->height, out);
}

// Until the window is closed, somebody quits, or the time is over.
static pl_status loop(pl_window *window, pl_view *view, const job *j)
{
    double start = pl_seconds(), rest = 0;
    int64_t frames = 0;
    while (pl_window_wait(window, rest) && !view->quit) {
        pl_event event;
        int32_t width, height;
        while (pl_window_next(window, &event)) pl_view_event(view, &event);
        pl_window_size(window, &width, &height);
        bool idle, hidden = width == 0;
        PL_TRY(pl_view_draw(view, width, height, &idle));
        if (!hidden) pl_window_swap(window);
        frames += !hidden;
        rest = idle || hidden ? REST : 0;
        if (j->verbose && frames == 1) printf("drawn by %s\n", view->drawn_by);
        fflush(stdout);
        if (j->seconds > 0 && pl_seconds() - start > j->seconds) break;
    }
    double seconds = pl_seconds() - start;
    if (j->verbose) printf("%lld pictures in %.1f s\n", (long long)frames, seconds);
    return PL_OK;
}

static pl_status show(pl_window *window, pl_simulation *simulation, const pl_camera *camera,
                      const char *title, bool floor, double floor_z, const job *j)
{
    pl_gl_context *context;
    pl_view view;
    PL_TRY(pl_gl_context_adopt(&context));
    pl_status status =
        pl_view_open(context, simulation, camera, j->width, j->height, floor, floor_z, &view);
    if (status == PL_OK) {
        view.title = title;
        view.verbose = j->verbose;
        view.drawn_by = pl_gl_context_name(context);
        status = loop(window, &view, j);
        pl_view_close(&view);
    }
    pl_gl_context_destroy(context);
    return status;
}

// The window first: without one there is nothing to simulate for.
static pl_status view_scene(pl_scene *scene, const char *title, const job *j)
{
    bool floor = scene->ground;
    double floor_z = scene->ground_z;
    char name[128];
    pl_camera camera;
    pl_window *window;
    pl_simulation *simulation = NULL;
    snprintf(name, sizeof name, "%s - Pliant", title);
    PL_TRY(find_camera(scene, j, &camera));
    PL_TRY(pl_window_open(name, j->width, j->height, &window));
    pl_status status = pl_simulation_start(scene, j->threads, j->paused, &simulation);
    if (status == PL_OK) status = show(window, simulation, &camera, title, floor, floor_z, j);
    pl_simulation_stop(simulation);
    pl_window_close(window);
    return status;
}

static pl_status run(const char *word, job *j)
{
    int end = 0;
    if (j->size != NULL &&
        (sscanf(j->size, "%dx%d%n", &j->width, &j->height, &end) != 2 || j->size[end] != '\0' ||
         j->width < 1 || j->height < 1 || j->width > 16384 || j->height > 16384)) {
        return pl_fail(PL_ERROR_ARGUMENT, "--size: \"%s\" is not WIDTHxHEIGHT in pixels", j->size);
    }
    char *path;
    PL_TRY(pl_scene_find(word, &path));
    pl_scene scene;
    pl_status status = pl_scene_load(path, &scene);
    if (status == PL_OK) {
        const char *slash = strrchr(path, '/');
        status = view_scene(&scene, slash != NULL ? slash + 1 : path, j);
        pl_scene_free(&scene);
    }
    pl_free(path);
    return status;
}

int pl_command_view(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    job j = {.width = 1280, .height = 720, .threads = cores > 2 ? (int32_t)cores - 1 : 1};
    const pl_option options[] = {
        {"--size", PL_OPTION_TEXT, &j.size, "WxH", "pixels; default 1280x720"},
        {"--paused", PL_OPTION_FLAG, &j.paused, NULL, "begin paused"},
        {"--threads", PL_OPTION_THREADS, &j.threads, "N", "default one per core but one"},
        {"--seconds", PL_OPTION_NUMBER, &j.seconds, "S", "close after this long"},
        {"--verbose", PL_OPTION_FLAG, &j.verbose, NULL, "print what mouse and keys do"},
    };
    const pl_command command = {
        .usage = "view SCENE [options]",
        .summary = "Simulates a scene in a window, in real time. Bodies can be dragged with the "
                   "mouse; 'h' "
                   "lists the keys.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes = "SCENE is a file, or a name that 'pliant --help=scenes' lists. Made for this are "
                 "bunny,\n"
                 "armadillo, bunny-pile, armadillo-light and squeeze.\n",
        .least = 1,
        .most = 1,
    };
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    return run(argv[0], &j) == PL_OK ? 0 : pl_command_failed();
}
