// Where the frames of a film go: into an MP4 file, or into PNG files with numbers in their names.
// Files appear complete or not at all.

#ifndef PL_FILM_H
#define PL_FILM_H

#include "encoder.h"
#include "../../base/file.h"

// "frames/%04d.png": numbers in the place of the one %d, which may have a width of up to two digits
// and a leading zero.
typedef struct pl_frame_pattern {
    const char *text; // borrowed
    int before;       // characters before the number
    int after;        // where the text goes on
    int width;
    bool zeros;
} pl_frame_pattern;

// PL_ERROR_ARGUMENT if the text is not such a pattern.
pl_status pl_frame_pattern_read(const char *text, pl_frame_pattern *out);
// The path of frame n, the caller's to pl_free.
pl_status pl_frame_pattern_path(const pl_frame_pattern *pattern, int64_t n, char **out);

typedef struct pl_film_options {
    int32_t width, height; // [pixels]; even for MP4
    double fps;
} pl_film_options;

typedef struct pl_film {
    pl_film_options options;
    bool encoded; // into `file`; else frames by `pattern`
    pl_output file;
    pl_encoder encoder;
    char *frames; // the pattern in place of an MP4 file where there is no ffmpeg; else NULL
    pl_frame_pattern pattern;
    int64_t n_frames;
} pl_film;

bool pl_film_is_mp4(const char *path);
// Is it the name of a film: FILM.mp4, or a name with a %?
bool pl_film_is(const char *path);

// Without ffmpeg, an MP4 file becomes frames: FILM.frames/0001.png. Folders of frames are made if
// they are missing. Fails with PL_ERROR_ARGUMENT (a bad pattern), PL_ERROR_FILE or PL_ERROR_MEMORY.
// `path` is borrowed until the end.
pl_status pl_film_open(const char *path, const pl_film_options *options, pl_film *out);

// Frames count from 1. After a failure the film cannot be closed.
pl_status pl_film_add(pl_film *film, const pl_image *image);

// The end; on failure there is no MP4 file, and one that was there before stays.
pl_status pl_film_close(pl_film *film);

// A film that was not closed is given up: an MP4 file does not appear, frames stay.
void pl_film_free(pl_film *film);

#endif
