// Performance profiles [Dolan & More 2002] and convergence, as pictures.
//
// With t_ps what solver s takes for problem p, infinite if it fails or was not asked, and r_ps =
// t_ps / min_s t_ps, a profile is the share of problems with r_ps <= tau. Problems that nobody
// solves count: they keep all shares below 1.

#include "comparison.h"
#include "../plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Clocks do not tell less apart [s]; and one iteration is the least.
static const double LEAST_SECONDS = 1e-6;

enum { MOST_CURVES = PL_PLOT_LABELS, STEPS = 2 };

// --- Profiles ---

static double cost_of(const pl_outcome *o, bool by_time)
{
    if (!o->solved) return INFINITY;
    return by_time ? fmax(o->seconds, LEAST_SECONDS) : fmax(o->iterations, 1);
}

static double least_cost(const pl_comparison *c, int64_t file, bool by_time)
{
    double least = INFINITY;
    for (int64_t i = 0; i < c->n; i++) {
        if (c->outcome[i].file == file) least = fmin(least, cost_of(&c->outcome[i], by_time));
    }
    return least;
}

// The ratios of a solver, ascending; returns how many problems it solved.
static int64_t find_ratios(const pl_comparison *c, const double *least, const char *name,
                           bool by_time, double *ratio)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const pl_outcome *o = &c->outcome[i];
        if (strcmp(o->solver, name) != 0 || !o->solved) continue;
        ratio[n++] = cost_of(o, by_time) / least[o->file];
    }
    return n;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// How many problems there are results of.
static int64_t count_problems(const pl_comparison *c)
{
    int64_t n = 0, last = -1;
    for (int64_t i = 0; i < c->n; i++) {
        if (c->outcome[i].file != last) n++;
        last = c->outcome[i].file;
    }
    return n;
}

double pl_profile_share(const pl_comparison *c, const char *name, bool by_time, double ratio)
{
    int64_t within = 0, n = count_problems(c);
    for (int64_t i = 0; i < c->n; i++) {
        const pl_outcome *o = &c->outcome[i];
        if (strcmp(o->solver, name) != 0 || !o->solved) continue;
        within += cost_of(o, by_time) <= ratio * least_cost(c, o->file, by_time);
    }
    return n > 0 ? (double)within / (double)n : 0;
}

// The solvers, each once, those that solve most first; at most MOST_CURVES.
static int list_solvers(const pl_comparison *c, const char *name[MOST_CURVES])
{
    double share[MOST_CURVES];
    int n = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const char *own = c->outcome[i].solver;
        bool listed = false;
        for (int k = 0; k < n; k++) listed = listed || strcmp(name[k], own) == 0;
        double solves = listed ? 0 : pl_profile_share(c, own, true, INFINITY);
        if (listed || (n == MOST_CURVES && solves <= share[n - 1])) continue;
        int at = n < MOST_CURVES ? n++ : n - 1;
        for (; at > 0 && share[at - 1] < solves; at--) {
            share[at] = share[at - 1], name[at] = name[at - 1];
        }
        share[at] = solves, name[at] = own;
    }
    return n;
}

// Curves of a panel: steps, over the logarithm of the ratio.
typedef struct steps {
    double *x, *y; // (MOST_CURVES * room)
    int64_t room;
    pl_curve curve[MOST_CURVES];
} steps;

static void add_steps(const pl_comparison *c, const double *least, const char *name, bool by_time,
                      double end, int number, steps *s)
{
    double *x = s->x + number * s->room, *y = s->y + number * s->room;
    double *ratio = x + s->room - c->n - 1; // behind the curve
    double total = (double)count_problems(c);
    int64_t n = find_ratios(c, least, name, by_time, ratio), at = 0;
    qsort(ratio, (size_t)n, sizeof *ratio, compare);
    x[at] = 0, y[at++] = 0;
    for (int64_t i = 0; i < n; i++) {
        double where = log2(ratio[i]);
        x[at] = where, y[at++] = (double)i / total;
        x[at] = where, y[at++] = (double)(i + 1) / total;
    }
    x[at] = end, y[at] = y[at - 1];
    s->curve[number] =
        (pl_curve){.label = name, .colour = number % PL_PLOT_COLOURS, .x = x, .y = y, .n = at + 1};
}

static double last_ratio(const pl_comparison *c, const double *least, bool by_time)
{
    double most = 1;
    for (int64_t i = 0; i < c->n; i++) {
        const pl_outcome *o = &c->outcome[i];
        if (o->solved) most = fmax(most, log2(cost_of(o, by_time) / least[o->file]));
    }
    return most;
}

static pl_status draw_profiles(const pl_comparison *c, double *least, steps *s, const char *path)
{
    const char *name[MOST_CURVES];
    int n = list_solvers(c, name);
    double end = 1;
    for (int p = 0; p < STEPS; p++) {
        for (int64_t i = 0; i < c->n_file; i++) least[i] = least_cost(c, i, p == 0);
        end = fmax(end, 1.02 * last_ratio(c, least, p == 0));
    }
    for (int p = 0; p < STEPS; p++) {
        for (int64_t i = 0; i < c->n_file; i++) least[i] = least_cost(c, i, p == 0);
        for (int k = 0; k < n; k++) add_steps(c, least, name[k], p == 0, end, k, s + p);
    }
    const pl_panel panels[STEPS] = {
        {.title = "Share solved, by time", .curve = s[0].curve, .n_curve = n},
        {.title = "Share solved, by iterations", .curve = s[1].curve, .n_curve = n}};
    char title[96];
    snprintf(title, sizeof title, "%lld problems", (long long)count_problems(c));
    const pl_plot plot = {.title = title,
                          .x_label = "log2 of the ratio to the best solver of each problem",
                          .panel = panels,
                          .n_panel = STEPS};
    return pl_plot_write(&plot, path);
}

pl_status pl_profile_draw(const pl_comparison *c, const char *path)
{
    steps s[STEPS] = {0};
    int64_t room = 2 * c->n + 2 + c->n + 1;
    double *least = pl_alloc(c->n_file, sizeof *least);
    bool all = least != NULL;
    for (int p = 0; p < STEPS; p++) {
        s[p].room = room;
        s[p].x = pl_alloc(MOST_CURVES * room, sizeof *s[p].x);
        s[p].y = pl_alloc(MOST_CURVES * room, sizeof *s[p].y);
        all = all && s[p].x != NULL && s[p].y != NULL;
    }
    pl_status status = all ? draw_profiles(c, least, s, path) : PL_ERROR_MEMORY;
    for (int p = 0; p < STEPS; p++) {
        pl_free(s[p].x);
        pl_free(s[p].y);
    }
    pl_free(least);
    return status;
}

// --- Convergence ---

// Those that have told most, at most MOST_CURVES.
static int list_traces(const pl_comparison *c, const pl_outcome *list[MOST_CURVES])
{
    int n = 0;
    for (int64_t i = 0; i < c->n && n < MOST_CURVES; i++) {
        if (c->outcome[i].trace.n > 0) list[n++] = &c->outcome[i];
    }
    return n;
}

static pl_status draw_traces(int n, const pl_outcome *const *list, bool by_time, const char *path)
{
    pl_curve curve[MOST_CURVES];
    char label[MOST_CURVES][96];
    bool one = true;
    for (int k = 1; k < n; k++) one = one && list[k]->file == list[0]->file;
    for (int k = 0; k < n; k++) {
        const pl_convergence *t = &list[k]->trace;
        const char *slash = strrchr(list[k]->path, '/');
        const char *name = slash != NULL ? slash + 1 : list[k]->path;
        snprintf(label[k], sizeof label[k], "%.32s%s%.48s", list[k]->solver, one ? "" : ", ",
                 one ? "" : name);
        curve[k] = (pl_curve){.label = label[k],
                              .colour = k % PL_PLOT_COLOURS,
                              .x = by_time ? t->seconds : t->iteration,
                              .y = t->error,
                              .n = t->n};
    }
    const pl_panel panel = {.title = "Error before each iteration, and of the result",
                            .log = true,
                            .curve = curve,
                            .n_curve = n};
    const pl_plot plot = {
        .x_label = by_time ? "seconds" : "iteration", .panel = &panel, .n_panel = 1};
    return pl_plot_write(&plot, path);
}

pl_status pl_convergence_draw(const pl_comparison *c, const char *path, bool *drawn)
{
    const pl_outcome *list[MOST_CURVES];
    int n = list_traces(c, list);
    *drawn = n > 0;
    if (n == 0) return PL_OK;
    PL_TRY(draw_traces(n, list, false, path));
    size_t stem = strlen(path) - strlen(pl_extension_of(path)), room = strlen(path) + 8;
    char *other = pl_alloc((int64_t)room, 1);
    if (other == NULL) return PL_ERROR_MEMORY;
    snprintf(other, room, "%.*s-time%s", (int)stem, path, path + stem);
    pl_status status = draw_traces(n, list, true, other);
    pl_free(other);
    return status;
}
