#include "progress.h"

#include <stdio.h>
#include <unistd.h>

static const double TERMINAL_PERIOD = 0.1, LINE_PERIOD = 1; // [s]

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
    double now = pl_seconds();
    double period = progress->terminal ? TERMINAL_PERIOD : LINE_PERIOD;
    if (progress->quiet || now < progress->shown + period) return;
    progress->shown = now;
    double each = (now - progress->start) / (double)(stats->step - progress->first);
    char eta[32], contacts[64];
    duration_text(each * (double)(progress->last - stats->step), eta, sizeof eta);
    contacts_text(stats, contacts, sizeof contacts);
    printf("%sstep %lld of %lld   %.4g s simulated%s   %.2f ms per step   %s left%s",
           progress->terminal ? "\r" : "", (long long)stats->step, (long long)progress->last,
           stats->time, contacts, 1e3 * each, eta, progress->terminal ? "\033[K" : "\n");
    fflush(stdout);
}

void pl_progress_end(const pl_progress *progress)
{
    if (progress->terminal && !progress->quiet) printf("\r\033[K");
    fflush(stdout);
}
