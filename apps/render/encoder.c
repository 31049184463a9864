#include "encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const double PATIENCE = 600;                  // [s]
enum { POLL_MAX = 1000 * 1000, ARGUMENTS_MAX = 40 }; // milliseconds; words of a command line

pl_encoder_options pl_encoder_options_default(void)
{
    return (pl_encoder_options){.fps = 30, .patience = PATIENCE};
}

bool pl_encoder_find(char *path)
{
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        int length = (int)strcspn(folders, ":");
        int n = snprintf(path, PATH_MAX, "%.*s/ffmpeg", length, folders);
        if (length > 0 && n < PATH_MAX && access(path, X_OK) == 0) return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

// --- The child ---

// Between fork and exec, only what a signal handler may call: other threads' locks are as they
// were.
static void become_ffmpeg(pid_t parent, const char *program, char *const *arguments, int in,
                          int err)
{
    static const int quiet[] = {SIGINT, SIGTERM, SIGPIPE};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1); // it died before the line above
    setpgid(0, 0); // the terminal's Ctrl-C is for us: ffmpeg ends when the pictures do
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) signal(quiet[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_WRONLY);
    bool ok = dup2(in, 0) == 0 && null >= 0 && dup2(null, 1) == 1 && dup2(err, 2) == 2;
    close_range(3, ~0u, 0);
    if (ok) execv(program, arguments);
    _exit(127);
}

// The colours are sRGB; ffmpeg would turn them into those of standard-definition television, which
// players do not expect. yuv420p is what all players show, and needs even sizes.
static pl_status launch(const char *program, const char *path, const pl_encoder_options *o, int in,
                        int err, pid_t *child)
{
    char size[32], rate[32], file[PATH_MAX];
    snprintf(size, sizeof size, "%dx%d", (int)o->width, (int)o->height);
    snprintf(rate, sizeof rate, "%.9g", o->fps);
    if (snprintf(file, sizeof file, "file:%s", path) >= (int)sizeof file) {
        return pl_fail(PL_ERROR_FILE, "%.200s...: the path is too long", path);
    }
    const char *arguments[ARGUMENTS_MAX] = {
        "ffmpeg",      "-hide_banner", "-nostdin",
        "-v",          "error",        "-xerror",
        "-f",          "rawvideo",     "-pix_fmt",
        "rgba",        "-s:v",         size,
        "-framerate",  rate,           "-i",
        "pipe:0",      "-vf",          "scale=out_color_matrix=bt709:out_range=tv",
        "-c:v",        "libx264",      "-crf",
        "18",          "-pix_fmt",     "yuv420p",
        "-colorspace", "bt709",        "-color_primaries",
        "bt709",       "-color_trc",   "bt709",
        "-movflags",   "+faststart",   "-f",
        "mp4",         "-y",           file,
        NULL};
    pid_t parent = getpid();
    *child = fork();
    if (*child == 0) become_ffmpeg(parent, program, (char *const *)arguments, in, err);
    return *child > 0 ? PL_OK : pl_fail(PL_ERROR_MEMORY, "no process for ffmpeg can be started");
}

pl_status pl_encoder_start(const char *path, const pl_encoder_options *options, pl_encoder *out)
{
    *out = (pl_encoder){.in = -1,
                        .err = -1,
                        .width = options->width,
                        .height = options->height,
                        .patience = options->patience};
    PL_ASSERT(options->width % 2 == 0 && options->height % 2 == 0);
    char program[PATH_MAX];
    if (!pl_encoder_find(program)) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "there is no ffmpeg; install it for films");
    }
    // Sockets, because they can be written without a signal when the child has gone.
    int in[2], err[2];
    bool ok = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0;
    if (ok && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, err) != 0) {
        close(in[0]);
        close(in[1]);
        ok = false;
    }
    if (!ok) return pl_fail(PL_ERROR_MEMORY, "ffmpeg cannot be reached: out of descriptors");
    pl_status status = launch(program, path, options, in[1], err[1], &out->child);
    close(in[1]);
    close(err[1]);
    out->in = in[0];
    out->err = err[0];
    if (status != PL_OK) {
        out->child = 0;
        pl_encoder_abandon(out);
    }
    return status;
}

// --- Talking to it ---

// Takes in what it says, of which the end is kept; false when it has closed its mouth.
static bool listen_to(pl_encoder *e)
{
    char text[PL_ENCODER_WORDS / 2];
    ssize_t n = recv(e->err, text, sizeof text, MSG_DONTWAIT);
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    int over = e->n_words + (int)n - (PL_ENCODER_WORDS - 1);
    if (over > 0) {
        memmove(e->words, e->words + over, (size_t)(e->n_words - over));
        e->n_words -= over;
    }
    memcpy(e->words + e->n_words, text, (size_t)n);
    e->n_words += (int)n;
    return n > 0;
}

// The last line with something in it.
static const char *last_words(pl_encoder *e)
{
    int end = e->n_words;
    while (end > 0 && strchr(" \r\n\t", e->words[end - 1]) != NULL) end--;
    e->words[end] = '\0';
    int start = end;
    while (start > 0 && e->words[start - 1] != '\n' && e->words[start - 1] != '\r') start--;
    return e->words + start;
}

static void hang_up(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

// Listens until it has closed its standard error, which it does by ending. False if that takes too
// long.
static bool wait_for_end(pl_encoder *e)
{
    double deadline = pl_seconds() + e->patience;
    for (;;) {
        double left = deadline - pl_seconds();
        if (left <= 0) return false;
        struct pollfd event = {.fd = e->err, .events = POLLIN};
        int ready = poll(&event, 1, (int)fmin(ceil(1000 * left), POLL_MAX));
        if (ready > 0 && !listen_to(e)) return true;
    }
}

static int collect(pl_encoder *e)
{
    int status = 0;
    while (e->child > 0 && waitpid(e->child, &status, 0) < 0 && errno == EINTR) continue;
    e->child = 0;
    return status;
}

static pl_status too_slow(const pl_encoder *e)
{
    return pl_fail(PL_ERROR_FILE, "ffmpeg has done nothing for %.3g s", e->patience);
}

pl_status pl_encoder_finish(pl_encoder *encoder)
{
    hang_up(&encoder->in); // the end of the film
    bool ended = wait_for_end(encoder);
    if (!ended) {
        pl_status status = too_slow(encoder);
        pl_encoder_abandon(encoder);
        return status;
    }
    int status = collect(encoder);
    const char *words = last_words(encoder);
    pl_encoder_abandon(encoder);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return PL_OK;
    if (words[0] != '\0') return pl_fail(PL_ERROR_FILE, "ffmpeg failed: %s", words);
    if (WIFSIGNALED(status)) {
        return pl_fail(PL_ERROR_FILE, "ffmpeg was ended by signal %d", WTERMSIG(status));
    }
    return pl_fail(PL_ERROR_FILE, "ffmpeg failed with exit status %d", WEXITSTATUS(status));
}

// It has stopped reading: how did it end?
static pl_status tell_end(pl_encoder *e)
{
    PL_TRY(pl_encoder_finish(e));
    return pl_fail(PL_ERROR_FILE, "ffmpeg ended before the film did");
}

pl_status pl_encoder_add(pl_encoder *encoder, const pl_image *image)
{
    PL_ASSERT(image->width == encoder->width && image->height == encoder->height);
    const uint8_t *p = image->rgba;
    size_t left = 4 * (size_t)image->width * (size_t)image->height;
    double deadline = pl_seconds() + encoder->patience;
    while (left > 0) {
        double seconds = deadline - pl_seconds();
        if (seconds <= 0) return too_slow(encoder);
        struct pollfd event[2] = {{.fd = encoder->in, .events = POLLOUT},
                                  {.fd = encoder->err, .events = POLLIN}};
        int ready = poll(event, 2, (int)fmin(ceil(1000 * seconds), POLL_MAX));
        if (ready <= 0) continue; // interrupted, or time to look at the clock
        if (event[1].revents != 0 && !listen_to(encoder)) return tell_end(encoder);
        if (event[0].revents == 0) continue;
        ssize_t n = send(encoder->in, p, left, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n < 0) return tell_end(encoder);
        p += n;
        left -= (size_t)n;
        deadline = pl_seconds() + encoder->patience;
    }
    return PL_OK;
}

void pl_encoder_abandon(pl_encoder *encoder)
{
    if (encoder->child > 0) {
        kill(-encoder->child, SIGKILL); // with those that it has started
        kill(encoder->child, SIGKILL);  // if it has not come to be a group
    }
    collect(encoder);
    hang_up(&encoder->in);
    hang_up(&encoder->err);
}
