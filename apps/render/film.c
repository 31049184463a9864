#include "film.h"
#include "../common/paths.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// --- Names of frames ---

pl_status pl_frame_pattern_read(const char *text, pl_frame_pattern *out)
{
    const char *percent = strchr(text, '%'), *p = percent != NULL ? percent + 1 : text;
    *out = (pl_frame_pattern){.text = text, .before = (int)(p - text) - 1};
    if (*p == '0') out->zeros = true, p++;
    for (int i = 0; i < 2 && *p >= '0' && *p <= '9'; i++) out->width = 10 * out->width + *p++ - '0';
    out->after = (int)(p - text) + 1;
    bool ok = percent != NULL && *p == 'd' && strchr(p, '%') == NULL && strchr(p, '/') == NULL &&
              pl_has_extension(text, ".png");
    if (ok) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT,
                   "-o: \"%s\" is not a name for frames, with one %%d for the number and .png at "
                   "the end: frames/%%04d.png",
                   text);
}

pl_status pl_frame_pattern_path(const pl_frame_pattern *pattern, int64_t n, char **out)
{
    char number[128];
    snprintf(number, sizeof number, pattern->zeros ? "%0*lld" : "%*lld", pattern->width,
             (long long)n);
    return pl_path_in(out, NULL, "%.*s%s%s", pattern->before, pattern->text, number,
                      pattern->text + pattern->after);
}

// Makes the folder of the frames, and tries whether there can be files in it.
static pl_status open_frames(pl_film *film, const char *pattern)
{
    char *path;
    PL_TRY(pl_frame_pattern_read(pattern, &film->pattern));
    PL_TRY(pl_frame_pattern_path(&film->pattern, 1, &path));
    char *slash = strrchr(path, '/');
    pl_status status = PL_OK;
    if (slash != NULL && slash > path) {
        *slash = '\0';
        status = pl_make_folder(path);
        *slash = '/';
    }
    if (status == PL_OK) status = pl_output_try(path);
    pl_free(path);
    return status;
}

static pl_status add_frame(pl_film *film, const pl_image *image)
{
    char *path;
    PL_TRY(pl_frame_pattern_path(&film->pattern, film->n_frames + 1, &path));
    pl_status status = pl_image_write_png(image, path);
    pl_free(path);
    return status;
}

// --- Films ---

bool pl_film_is_mp4(const char *path)
{
    return pl_has_extension(path, ".mp4");
}

bool pl_film_is(const char *path)
{
    return pl_film_is_mp4(path) || strchr(path, '%') != NULL;
}

static pl_status start_encoder(pl_film *film)
{
    pl_encoder_options options = pl_encoder_options_default();
    options.width = film->options.width;
    options.height = film->options.height;
    options.fps = film->options.fps;
    return pl_encoder_start(film->file.temporary, &options, &film->encoder);
}

// FILM.mp4 without ffmpeg is FILM.frames/0001.png and so on. A % would be read as a number's place.
static pl_status open_instead(pl_film *film, const char *path)
{
    int stem = (int)strlen(path) - 4;
    PL_TRY(pl_path_in(&film->frames, NULL, "%.*s.frames/%%04d.png", stem, path));
    return open_frames(film, film->frames);
}

static pl_status open_film(const char *path, pl_film *film)
{
    char program[PATH_MAX];
    if (!pl_film_is_mp4(path)) return open_frames(film, path);
    if (!pl_encoder_find(program)) return open_instead(film, path);
    PL_TRY(pl_output_open(path, &film->file));
    film->encoded = true;
    return start_encoder(film);
}

pl_status pl_film_open(const char *path, const pl_film_options *options, pl_film *out)
{
    *out = (pl_film){.options = *options, .file = {.fd = -1}, .encoder = {.in = -1, .err = -1}};
    pl_status status = open_film(path, out);
    if (status != PL_OK) pl_film_free(out);
    return status;
}

// Puts the name of the film before what ffmpeg says.
static pl_status name_film(const pl_film *film, pl_status status)
{
    if (status != PL_OK) pl_fail_prefix(film->file.path);
    return status;
}

pl_status pl_film_add(pl_film *film, const pl_image *image)
{
    pl_status status = film->encoded ? name_film(film, pl_encoder_add(&film->encoder, image))
                                     : add_frame(film, image);
    if (status == PL_OK) film->n_frames++;
    return status;
}

pl_status pl_film_close(pl_film *film)
{
    if (!film->encoded) return PL_OK;
    PL_TRY(name_film(film, pl_encoder_finish(&film->encoder)));
    return pl_output_close(&film->file);
}

void pl_film_free(pl_film *film)
{
    pl_encoder_abandon(&film->encoder);
    pl_output_abandon(&film->file);
    pl_free(film->frames);
    film->frames = NULL;
}
