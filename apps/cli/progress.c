#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double TERMINAL_PERIOD = 0.1, LINE_PERIOD = 1; // [s]

enum { COLUMNS = 80, BAR_LEAST = 10, BAR_MOST = 30, LINE_ROOM = 256 }; // characters

pl_progress pl_progress_start(int64_t first, int64_t last, bool quiet)
{
    double now = pl_seconds();
    return (pl_progress){quiet, isatty(STDOUT_FILENO) == 1, first, last, now, now};
}

// "42 s", "3:05 min", "2:10 h".
static void duration_text(double seconds, char *text, size_t size)
{
    long long s = (long long)(seconds + 0.5);
    if (s < 100) {
        snprintf(text, size, "%lld s", s);
    } else if (s < 6000) {
        snprintf(text, size, "%lld:%02lld min", s / 60, s % 60);
    } else {
        snprintf(text, size, "%lld:%02lld h", s / 3600, s / 60 % 60);
    }
}

void pl_progress_bar(double part, int width, char *text)
{
    int inside = width - 2, full = (int)(part * inside);
    full = PL_MAX(0, PL_MIN(full, inside));
    memset(text, ' ', (size_t)width);
    memset(text + 1, '=', (size_t)full);
    if (full < inside) text[1 + full] = '>';
    text[0] = '[';
    text[width - 1] = ']';
    text[width] = '\0';
}

// A line that wraps could not be rewritten: the bar gets the room that the text leaves, and a text
// that is too long loses its end.
static void show_on_terminal(const char *text, double part)
{
    struct winsize window = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    int columns = (known ? window.ws_col : COLUMNS) - 1;
    int left = PL_MIN(columns - (int)strlen(text) - 1, (int)BAR_MOST);
    char bar[BAR_MOST + 1] = "";
    if (left >= BAR_LEAST) pl_progress_bar(part, left, bar);
    printf("\r%s%s%.*s\033[K", bar, bar[0] != '\0' ? " " : "", columns, text);
}

// Is it time for another line?
static bool is_due(pl_progress *progress)
{
    double now = pl_seconds();
    double period = progress->terminal ? TERMINAL_PERIOD : LINE_PERIOD;
    if (progress->quiet || now < progress->shown + period) return false;
    progress->shown = now;
    return true;
}

// `what` are counted, `middle` is said about them.
static void show(const pl_progress *progress, const char *what, int64_t done, const char *middle)
{
    char text[LINE_ROOM], eta[32], each_text[64] = "";
    double n = (double)(done - progress->first), all = (double)(progress->last - progress->first);
    if (n > 0) {
        double each = (progress->shown - progress->start) / n;
        duration_text(each * (all - n), eta, sizeof eta);
        snprintf(each_text, sizeof each_text, "   %.2f ms per %s   %s left", 1e3 * each, what, eta);
    }
    snprintf(text, sizeof text, "%s %lld of %lld   %s%s", what, (long long)done,
             (long long)progress->last, middle, each_text);
    if (progress->terminal) {
        show_on_terminal(text, all > 0 ? n / all : 1);
    } else {
        printf("%s\n", text);
    }
    fflush(stdout);
}

// "   34 contacts in 2 rounds"; nothing if bodies do not touch each other.
static void contacts_text(const pl_step_stats *stats, char *text, size_t size)
{
    text[0] = '\0';
    if (stats->rounds == 0) return;
    snprintf(text, size, "   %d contact%s in %d round%s", (int)stats->contacts,
             stats->contacts == 1 ? "" : "s", (int)stats->rounds, stats->rounds == 1 ? "" : "s");
}

void pl_progress_show(pl_progress *progress, const pl_step_stats *stats)
{
    char contacts[64], middle[128];
    if (!is_due(progress)) return;
    contacts_text(stats, contacts, sizeof contacts);
    snprintf(middle, sizeof middle, "%.4g s simulated%s", stats->time, contacts);
    show(progress, "step", stats->step, middle);
}

void pl_progress_show_frame(pl_progress *progress, int64_t frame, double time)
{
    char middle[64];
    if (!is_due(progress)) return;
    snprintf(middle, sizeof middle, "at %.4g s", time);
    show(progress, "frame", frame, middle);
}

void pl_progress_end(const pl_progress *progress)
{
    if (progress->terminal && !progress->quiet) printf("\r\033[K");
    fflush(stdout);
}
