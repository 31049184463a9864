// Pictures into a film by ffmpeg, a program of its own in a child process that reads raw pixels.

#ifndef PL_ENCODER_H
#define PL_ENCODER_H

#include "image.h"

#include <sys/types.h>

enum { PL_ENCODER_WORDS = 256 };

typedef struct pl_encoder {
    pid_t child; // 0 if there is none
    int in, err; // the sockets to its standard input and from its standard error, -1 if closed
    int32_t width, height;
    double patience;              // [s]
    char words[PL_ENCODER_WORDS]; // the end of what it said
    int n_words;
} pl_encoder;

// H.264 in an MP4 file, of even width and height.
typedef struct pl_encoder_options {
    int32_t width, height; // [pixels]
    double fps;
    double patience; // how long it may take in nothing, and take to end, before it is given up [s]
} pl_encoder_options;

pl_encoder_options pl_encoder_options_default(void); // no size; 30 frames per second, 600 s

// The path of ffmpeg as the shell would find it, at most PATH_MAX characters; false if there is
// none.
bool pl_encoder_find(char *path);

// Starts ffmpeg, which writes into the file `path`, over what is there. Fails with
// PL_ERROR_UNSUPPORTED if there is no ffmpeg, PL_ERROR_MEMORY if no process can be started. The
// child does not survive its parent, and Ctrl-C does not reach it.
pl_status pl_encoder_start(const char *path, const pl_encoder_options *options, pl_encoder *out);

// Fails with PL_ERROR_FILE in ffmpeg's words if it has ended; the encoder is then to be abandoned.
pl_status pl_encoder_add(pl_encoder *encoder, const pl_image *image);

// Waits until the film is written. Fails like pl_encoder_add. The child is gone after that.
pl_status pl_encoder_finish(pl_encoder *encoder);
void pl_encoder_abandon(pl_encoder *encoder);

#endif
