// pliant plot: the statistics of runs as a picture.

#include "args.h"
#include "commands.h"
#include "csv.h"
#include "paths.h"
#include "plot.h"
#include "../base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MAX = 16, PANEL_COLUMNS = PL_PLOT_DASHES, CURVES_MAX = 50, NAME_TEXT = 128 };
enum { TITLE_TEXT = 256, MARKS = 2 };

// What the command line asks for.
typedef struct job {
    const char *out, *columns, *names, *title, *x;
    int32_t figure;    // 0: none
    double eps1, eps2; // where --figure 13 has its lines
    bool log;
} job;

typedef struct run {
    pl_csv csv;
    char name[NAME_TEXT];
} run;

// A panel as it is asked for: names of columns with '+' between them.
typedef struct order {
    const char *title; // NULL: what the columns are called
    const char *columns;
    const char *brief; // the column if several runs are compared; NULL: all of them
} order;

// A panel and what it points to.
typedef struct page {
    char title[TITLE_TEXT];
    pl_curve curve[CURVES_MAX];
} page;

typedef struct picture {
    const job *job;
    run *run; // (n_run)
    int32_t n_run;
    pl_panel panel[PANELS_MAX];
    page page[PANELS_MAX];
    int32_t n_panel;
    char mark_text[MARKS][NAME_TEXT];
    pl_mark mark[MARKS];
} picture;

// --- What can be drawn ---

typedef struct quantity {
    const char *column;
    const char *label; // beside others of its kind
    const char *title, *unit;
    bool log;
} quantity;

static const quantity quantities[] = {
    {"iterations", "iterations", "Iterations per step", "", false},
    {"newton", "Newton", "Newton iterations per step", "", false},
    {"rounds", "rounds", "Rounds per step", "", false},
    {"relinearizations", "relinearizations", "Relinearizations per step", "", false},
    {"halvings", "halvings", "Halvings per step", "", false},
    {"state_changes", "state changes", "State changes per step", "", false},
    {"bodies", "bodies", "Bodies", "", false},
    {"contacts", "with a force", "Contacts with a force", "", false},
    {"constraints", "all", "Contacts", "", false},
    {"t_total_ms", "total", "Time per step", "ms", false},
    {"t_solve_ms", "solver", "Time of the solver per step", "ms", false},
    {"t_collision_ms", "collision", "Time of collision detection per step", "ms", false},
    {"t_fem_ms", "FEM", "Time of FEM per step", "ms", false},
    {"residual", "residual", "Relative residual", "", true},
    {"fb_error", "Fischer–Burmeister", "Fischer–Burmeister error", "m", true},
    {"friction_error", "friction", "Error of friction", "m", true},
    {"constraint_error", "non-penetration", "Error of non-penetration", "m", true},
    {"fb_normal", "non-penetration", "Fischer–Burmeister error of non-penetration", "m", true},
    {"fb_stick", "static friction", "Fischer–Burmeister error of static friction", "m", true},
    {"fb_slip", "kinetic friction", "Fischer–Burmeister error of kinetic friction", "m", true},
    {"min_gap", "smallest gap", "Smallest gap", "m", true},
    {"kinetic_energy", "kinetic", "Kinetic energy", "J", false},
    {"elastic_energy", "elastic", "Elastic energy", "J", false},
    {"time", "time", "Time", "s", false},
    {"dt", "step", "Step", "s", false},
};

static const order usual[] = {
    {"Iterations per step", "iterations", NULL},
    {"Relative residual", "residual", NULL},
    {"Errors of contacts [m]", "constraint_error+friction_error", "fb_error"},
    {"Time per step [ms]", "t_total_ms+t_solve_ms+t_collision_ms+t_fem_ms", "t_total_ms"},
    {"Contacts", "constraints+contacts", "contacts"},
};
enum { USUAL = sizeof usual / sizeof usual[0] };

// [VJ19, Fig. 13]; of several runs, a panel each.
static const order figure_13 = {"Fischer–Burmeister error [m]", "fb_normal+fb_stick+fb_slip", NULL};
static const order figure_13_apart[] = {
    {NULL, "fb_normal", NULL}, {NULL, "fb_stick", NULL}, {NULL, "fb_slip", NULL}};

// A few steps that cost this many times the median would leave all others on the zero line: such a
// panel is logarithmic.
static const double SPIKE = 50;

// Columns that are not known are called what the file calls them.
static quantity quantity_of(const char *column)
{
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++) {
        if (strcmp(quantities[i].column, column) == 0) return quantities[i];
    }
    return (quantity){column, column, column, "", false};
}

// --- Runs ---

// From "a.csv,b.csv" with ',' between: the part at *at, copied; *at moves on, to NULL at the end.
static pl_status next_part(const char **at, char between, char *part, size_t size)
{
    size_t length = strcspn(*at, (char[]){between, '\0'});
    if (length >= size) return pl_fail(PL_ERROR_ARGUMENT, "\"%.*s...\" is too long", 40, *at);
    if (length == 0) return pl_fail(PL_ERROR_ARGUMENT, "a name is missing");
    memcpy(part, *at, length);
    part[length] = '\0';
    *at = (*at)[length] != '\0' ? *at + length + 1 : NULL;
    return PL_OK;
}

// The files without what they share: runs/apg/stats.csv and runs/cr/stats.csv are apg and cr.
static void name_by_path(picture *p, char **words)
{
    size_t folder = pl_shared_folder(p->n_run, words), end = pl_shared_end(p->n_run, words);
    for (int32_t i = 0; i < p->n_run; i++) {
        const char *name = words[i] + folder;
        size_t length = strlen(name) - end;
        if (end == 0 && pl_has_extension(name, ".csv")) length -= strlen(".csv");
        snprintf(p->run[i].name, NAME_TEXT, "%.*s", (int)length, name);
    }
}

static pl_status name_by_option(picture *p, const char *names)
{
    const char *at = names;
    for (int32_t i = 0; i < p->n_run && at != NULL; i++) {
        PL_TRY(next_part(&at, ',', p->run[i].name, NAME_TEXT));
    }
    if (at == NULL && p->run[p->n_run - 1].name[0] != '\0') return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "as many as there are files: %d", (int)p->n_run);
}

static pl_status load_runs(picture *p, char **words)
{
    for (int32_t i = 0; i < p->n_run; i++) {
        pl_csv *csv = &p->run[i].csv;
        PL_TRY(pl_csv_read(words[i], csv));
        if (csv->n_row == 0) return pl_fail(PL_ERROR_FORMAT, "%s: no rows to draw", words[i]);
    }
    if (p->job->names == NULL) {
        name_by_path(p, words);
        return PL_OK;
    }
    pl_status status = name_by_option(p, p->job->names);
    if (status != PL_OK) pl_fail_prefix("--names");
    return status;
}

// --- Panels ---

static pl_status fail_column(const pl_csv *csv, const char *column)
{
    pl_fail_unknown(PL_ERROR_ARGUMENT, "column", column, strlen(column),
                    (const char *const *)csv->name, csv->n_column);
    char place[TITLE_TEXT];
    snprintf(place, sizeof place, "%s:1", csv->path);
    pl_fail_prefix(place);
    return PL_ERROR_ARGUMENT;
}

// The curves of a column, one per run that has it.
static pl_status add_column(picture *p, pl_panel *panel, page *to, const char *column, int32_t nth,
                            bool required)
{
    for (int32_t r = 0; r < p->n_run; r++) {
        pl_csv *csv = &p->run[r].csv;
        int32_t y = pl_csv_find(csv, column), x = pl_csv_find(csv, p->job->x);
        if (x < 0) return fail_column(csv, p->job->x);
        if (y < 0 && required) return fail_column(csv, column);
        if (y < 0) continue;
        bool alone = p->n_run == 1, first = r == 0;
        pl_curve *curve = &to->curve[panel->n_curve];
        *curve = (pl_curve){.colour = alone ? nth : r, .dash = alone ? 0 : nth, .n = csv->n_row};
        if (first) curve->label = quantity_of(csv->name[y]).label;
        PL_TRY(pl_csv_numbers(csv, x, &curve->x));
        PL_TRY(pl_csv_numbers(csv, y, &curve->y));
        panel->n_curve++;
    }
    return PL_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Is the largest value of the curves far above what is usual? Only what a logarithm shows counts.
static pl_status look_for_spikes(const pl_panel *panel, bool *spiky)
{
    int64_t n = 0;
    *spiky = false;
    for (int32_t c = 0; c < panel->n_curve; c++) n += panel->curve[c].n;
    double *value = pl_alloc(n, sizeof *value);
    if (value == NULL) return PL_ERROR_MEMORY;
    n = 0;
    for (int32_t c = 0; c < panel->n_curve; c++) {
        for (int64_t i = 0; i < panel->curve[c].n; i++) {
            double y = panel->curve[c].y[i];
            if (y > 0 && isfinite(y)) value[n++] = y;
        }
    }
    qsort(value, (size_t)n, sizeof *value, compare_numbers);
    *spiky = n > 0 && value[n - 1] > SPIKE * value[n / 2];
    pl_free(value);
    return PL_OK;
}

// A panel that no run has a column for is left out, unless they are
// `required`.
static pl_status add_panel(picture *p, const order *o, bool required)
{
    if (p->n_panel == PANELS_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "more than %d panels", (int)PANELS_MAX);
    }
    pl_panel *panel = &p->panel[p->n_panel];
    page *to = &p->page[p->n_panel];
    *panel = (pl_panel){.title = to->title, .curve = to->curve, .log = p->job->log};
    bool brief = o->brief != NULL && p->n_run > 1;
    pl_text title = pl_text_start(to->title, TITLE_TEXT);
    const char *at = brief ? o->brief : o->columns, *unit = "";
    int32_t nth = 0;
    for (; at != NULL; nth++) {
        char column[NAME_TEXT];
        if (nth == PANEL_COLUMNS) {
            return pl_fail(PL_ERROR_ARGUMENT, "more than %d in a panel", (int)PANEL_COLUMNS);
        }
        PL_TRY(next_part(&at, '+', column, sizeof column));
        quantity q = quantity_of(column);
        if (nth == 0) unit = q.unit;
        if (strcmp(unit, q.unit) != 0) unit = "";
        panel->log = panel->log || (nth == 0 && q.log);
        pl_text_add(&title, "%s%s", nth > 0 ? ", " : "", q.title);
        PL_TRY(add_column(p, panel, to, column, nth, required));
    }
    if (unit[0] != '\0') pl_text_add(&title, " [%s]", unit);
    if (o->title != NULL && !brief) snprintf(to->title, TITLE_TEXT, "%s", o->title);
    for (int32_t c = 0; c < panel->n_curve && nth == 1; c++) to->curve[c].label = NULL;
    p->n_panel += panel->n_curve > 0;
    return PL_OK;
}

static pl_status add_columns(picture *p)
{
    for (const char *at = p->job->columns; at != NULL;) {
        char columns[TITLE_TEXT];
        PL_TRY(next_part(&at, ',', columns, sizeof columns));
        PL_TRY(add_panel(p, &(order){NULL, columns, NULL}, true));
    }
    return PL_OK;
}

static pl_status add_usual(picture *p)
{
    for (int i = 0; i < USUAL; i++) {
        int32_t at = p->n_panel;
        bool spiky = false;
        PL_TRY(add_panel(p, &usual[i], false));
        if (p->n_panel > at) PL_TRY(look_for_spikes(&p->panel[at], &spiky));
        p->panel[at].log = p->panel[at].log || spiky;
    }
    if (p->n_panel > 0) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT,
                   "%s:1: none of the columns that a run writes; name others "
                   "with --columns",
                   p->run[0].csv.path);
}

static pl_status add_figure(picture *p)
{
    const job *j = p->job;
    const double eps[MARKS] = {j->eps1, j->eps2};
    for (int i = 0; i < MARKS; i++) {
        char number[PL_DOUBLE_TEXT];
        pl_double_text(eps[i], number);
        snprintf(p->mark_text[i], NAME_TEXT, "ε%d = %s", i + 1, number);
        p->mark[i] = (pl_mark){eps[i], p->mark_text[i]};
    }
    if (p->n_run == 1) {
        PL_TRY(add_panel(p, &figure_13, true));
    } else {
        for (int i = 0; i < 3; i++) PL_TRY(add_panel(p, &figure_13_apart[i], true));
    }
    for (int32_t i = 0; i < p->n_panel; i++) {
        p->panel[i].mark = p->mark;
        p->panel[i].n_mark = MARKS;
    }
    return PL_OK;
}

static pl_status add_panels(picture *p)
{
    if (p->job->figure > 0) return add_figure(p);
    if (p->job->columns == NULL) return add_usual(p);
    pl_status status = add_columns(p);
    if (status != PL_OK) pl_fail_prefix("--columns");
    return status;
}

// --- The command ---

static pl_status check_job(const job *j, int n_words)
{
    if (j->out == NULL) return pl_fail(PL_ERROR_ARGUMENT, "say where to with -o PLOT.svg");
    if (!pl_has_extension(j->out, ".svg")) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: plots are .svg files", j->out);
    }
    if (n_words > PL_PLOT_COLOURS) {
        return pl_fail(PL_ERROR_ARGUMENT, "%d files: more than %d cannot be told apart", n_words,
                       (int)PL_PLOT_COLOURS);
    }
    if (j->figure != 0 && j->figure != 13) {
        return pl_fail(PL_ERROR_ARGUMENT, "--figure: there is 13, that of VJ19");
    }
    if (j->figure != 0 && j->columns != NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "--figure and --columns: give one of them");
    }
    if (strcmp(j->x, "time") != 0 && strcmp(j->x, "step") != 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "--x: it is time or step");
    }
    return pl_output_try(j->out);
}

static pl_status write_plot(const picture *p)
{
    const job *j = p->job;
    const char *name[PL_PLOT_COLOURS];
    for (int32_t i = 0; i < p->n_run; i++) name[i] = p->run[i].name;
    const pl_plot plot = {.title = j->title,
                          .x_label = strcmp(j->x, "time") == 0 ? "time [s]" : "step",
                          .panel = p->panel,
                          .n_panel = p->n_panel,
                          .run = name,
                          .n_run = p->n_run > 1 ? p->n_run : 0};
    return pl_plot_write(&plot, j->out);
}

static pl_status draw(const job *j, int n_words, char **words)
{
    PL_TRY(check_job(j, n_words));
    picture *p = pl_alloc_zero(1, sizeof *p);
    if (p == NULL) return PL_ERROR_MEMORY;
    p->job = j;
    p->run = pl_alloc_zero(n_words, sizeof *p->run);
    p->n_run = p->run != NULL ? n_words : 0;
    pl_status status = p->run != NULL ? load_runs(p, words) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = add_panels(p);
    if (status == PL_OK) status = write_plot(p);
    for (int32_t i = 0; i < p->n_run; i++) pl_csv_free(&p->run[i].csv);
    pl_free(p->run);
    pl_free(p);
    return status;
}

static const char NOTES[] =
    "Without --columns: iterations, residual, errors of contacts, time per stage and contacts; of\n"
    "several runs, one curve each. Errors, residuals and gaps have logarithmic axes, and so has\n"
    "what is all spikes; 0 is a gap there. apps/README.md lists the columns of a run.\n\n"
    "--figure 13 is that of VJ19: the largest Fischer-Burmeister error of each step, of\n"
    "non-penetration, static and kinetic friction, with lines at both tolerances.\n";

int pl_command_plot(int argc, char **argv)
{
    pl_world_options usual_options = pl_world_options_default();
    job j = {.x = "time", .eps1 = usual_options.eps1, .eps2 = usual_options.eps2};
    const pl_option options[] = {
        {"-o", PL_OPTION_TEXT, &j.out, "PLOT.svg", "where to"},
        {"--columns", PL_OPTION_TEXT, &j.columns, "A,B+C,...",
         "a panel for each; + puts several into one"},
        {"--log", PL_OPTION_FLAG, &j.log, NULL, "logarithmic axes everywhere"},
        {"--x", PL_OPTION_TEXT, &j.x, "X", "over time (default) or step"},
        {"--names", PL_OPTION_TEXT, &j.names, "A,B,...", "of the runs; default as their files"},
        {"--title", PL_OPTION_TEXT, &j.title, "TEXT", "above all; default none"},
        {"--figure", PL_OPTION_COUNT, &j.figure, "13", "see below"},
        {"--eps1", PL_OPTION_NUMBER, &j.eps1, "X", "of --figure 13; default 1e-5"},
        {"--eps2", PL_OPTION_NUMBER, &j.eps2, "X", "of --figure 13 [m]; default 1e-6"},
    };
    const pl_command command = {"plot STATS.csv... -o PLOT.svg [options]",
                                "Draws the statistics of one run, or of several over each other.",
                                options,
                                sizeof options / sizeof options[0],
                                NOTES,
                                1,
                                INT32_MAX};
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    return draw(&j, n_words, argv) == PL_OK ? 0 : pl_command_failed();
}
