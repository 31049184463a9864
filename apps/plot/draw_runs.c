#include "draw_runs.h"
#include "../common/csv.h"
#include "../common/paths.h"
#include "plot.h"
#include "../../base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MAX = 16, PANEL_COLUMNS = PL_PLOT_DASHES, CURVES_MAX = 100, NAME_TEXT = 128 };
enum { TITLE_TEXT = 256, MARKS = 2, ALL_RUNS = -1 };

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

// A figure of VJ19, from the tables that `pliant bench figures` or `pliant run` writes.
typedef struct figure {
    int32_t number;
    const char *x;  // the column along the axis
    order panel[3]; // (n_panel)
    int32_t n_panel;
    bool apart; // a panel per run, not a curve
    bool log;
    bool marks; // lines at both tolerances
} figure;

// A panel and what it points to.
typedef struct page {
    char title[TITLE_TEXT];
    pl_curve curve[CURVES_MAX];
    int32_t run[CURVES_MAX];     // whose curve it is
    double *circles[CURVES_MAX]; // owned: of curves that mark rescued steps; NULL for others
} page;

typedef struct picture {
    const pl_drawing *wanted;
    const char *x; // the column along the axis
    run *run;      // (n_run)
    int32_t n_run;
    int32_t only; // the run that panels are made of, or ALL_RUNS
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
    bool points; // circles, no line
} quantity;

static const quantity quantities[] = {
    {"iterations", "iterations", "Iterations per step", "", false, false},
    {"newton", "Newton", "Newton iterations per step", "", false, false},
    {"rounds", "rounds", "Rounds per step", "", false, false},
    {"relinearizations", "relinearizations", "Relinearizations per step", "", false, false},
    {"halvings", "halvings", "Halvings per step", "", false, false},
    {"rescues", "rescues", "Rescues by auto per step", "", false, false},
    {"state_changes", "state changes", "State changes per step", "", false, false},
    {"bodies", "bodies", "Bodies", "", false, false},
    {"asleep", "asleep", "Bodies asleep", "", false, false},
    {"contacts", "with a force", "Contacts with a force", "", false, false},
    {"constraints", "all", "Contacts", "", false, false},
    {"t_total_ms", "total", "Time per step", "ms", false, false},
    {"t_solve_ms", "solver", "Time of the solver per step", "ms", false, false},
    {"t_collision_ms", "collision", "Time of collision detection per step", "ms", false, false},
    {"t_fem_ms", "FEM", "Time of FEM per step", "ms", false, false},
    {"residual", "residual", "Relative residual", "", true, false},
    {"fb_error", "Fischer–Burmeister", "Fischer–Burmeister error", "m", true, false},
    {"friction_error", "friction", "Error of friction", "m", true, false},
    {"constraint_error", "non-penetration", "Error of non-penetration", "m", true, false},
    {"fb_normal", "non-penetration", "Fischer–Burmeister error of non-penetration", "m", true,
     false},
    {"fb_stick", "static friction", "Fischer–Burmeister error of static friction", "m", true,
     false},
    {"fb_slip", "kinetic friction", "Fischer–Burmeister error of kinetic friction", "m", true,
     false},
    {"min_gap", "smallest gap", "Smallest gap", "m", true, false},
    {"kinetic_energy", "kinetic", "Kinetic energy", "J", false, false},
    {"elastic_energy", "elastic", "Elastic energy", "J", false, false},
    {"time", "time", "Time", "s", false, false},
    {"dt", "step", "Step", "s", false, false},
    {"iteration", "iteration", "Iteration", "", false, false},
    {"preconditioned", "preconditioned", "Preconditioned residual", "", true, false},
    {"constraint", "constraints [m]", "Residual of constraints", "m", true, false},
    {"preconditioned_constraint", "constraints, preconditioned",
     "Preconditioned residual of constraints", "", true, false},
    {"update", "update of contacts", "Updates of contacts", "", true, true},
    {"relinearization", "next round", "Rounds", "", true, true},
    {"t_delassus_ms", "Delassus operator", "Time to build the Delassus operator", "ms", true,
     false},
};

static const order usual[] = {
    {"Iterations per step", "iterations", NULL},
    {"Relative residual", "residual", NULL},
    {"Errors of contacts [m]", "constraint_error+friction_error", "fb_error"},
    {"Time per step [ms]", "t_total_ms+t_solve_ms+t_collision_ms+t_fem_ms", "t_total_ms"},
    {"Contacts", "constraints+contacts", "contacts"},
};
enum { USUAL = sizeof usual / sizeof usual[0] };

static const figure figures[] = {
    {6,
     "iteration",
     {{"residuals of cr",
       "residual+preconditioned+constraint+preconditioned_constraint+update+relinearization",
       NULL}},
     1,
     .apart = true,
     .log = true},
    {9, "time", {{NULL, "iterations", NULL}}, 1, .log = true},
    {10, "time", {{NULL, "t_total_ms", NULL}, {NULL, "iterations", NULL}}, 2, .log = true},
    {11, "time", {{NULL, "iterations", NULL}}, 1, .log = true},
    {12,
     "constraints",
     {{"Time of a solve, and to build the Delassus operator [ms]", "t_solve_ms+t_delassus_ms",
       NULL}},
     1,
     .apart = true,
     .log = true},
    {13,
     "time",
     {{NULL, "fb_normal", NULL}, {NULL, "fb_stick", NULL}, {NULL, "fb_slip", NULL}},
     3,
     .log = true,
     .marks = true},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

// Of a single run, all in one panel.
static const order figure_13 = {"Fischer–Burmeister error [m]", "fb_normal+fb_stick+fb_slip", NULL};

// A few steps that cost this many times the median would leave all others on the zero line: such a
// panel is logarithmic.
static const double SPIKE = 50;

// Columns that are not known are called what the file calls them.
static quantity quantity_of(const char *column)
{
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++) {
        if (strcmp(quantities[i].column, column) == 0) return quantities[i];
    }
    return (quantity){column, column, column, "", false, false};
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
static void name_by_path(picture *p, char *const *words)
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

static pl_status load_runs(picture *p, char *const *words)
{
    for (int32_t i = 0; i < p->n_run; i++) {
        pl_csv *csv = &p->run[i].csv;
        PL_TRY(pl_csv_read(words[i], csv));
        if (csv->n_row == 0) return pl_fail(PL_ERROR_FORMAT, "%s: no rows to draw", words[i]);
    }
    if (p->wanted->names == NULL) {
        name_by_path(p, words);
        return PL_OK;
    }
    pl_status status = name_by_option(p, p->wanted->names);
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
        if (p->only != ALL_RUNS && p->only != r) continue;
        pl_csv *csv = &p->run[r].csv;
        int32_t y = pl_csv_find(csv, column), x = pl_csv_find(csv, p->x);
        if (x < 0) return fail_column(csv, p->x);
        if (y < 0 && required) return fail_column(csv, column);
        if (y < 0) continue;
        bool alone = p->n_run == 1 || p->only == r, first = r == 0 || p->only == r;
        pl_curve *curve = &to->curve[panel->n_curve];
        *curve = (pl_curve){.colour = alone ? nth : r, .dash = alone ? 0 : nth, .n = csv->n_row};
        quantity q = quantity_of(csv->name[y]);
        curve->points = q.points;
        to->run[panel->n_curve] = r;
        if (first) curve->label = q.label;
        PL_TRY(pl_csv_numbers(csv, x, &curve->x));
        PL_TRY(pl_csv_numbers(csv, y, &curve->y));
        panel->n_curve++;
    }
    return PL_OK;
}

// Circles where another solver had to take over, in the colour of the curve; without them the curve
// of a solver that fails would show the work of one that does not.
static pl_status add_rescues(picture *p, pl_panel *panel, page *to)
{
    int32_t n = panel->n_curve;
    for (int32_t c = 0; c < n; c++) {
        pl_csv *csv = &p->run[to->run[c]].csv;
        const double *rescues;
        int32_t column = pl_csv_find(csv, "rescues");
        if (column < 0) continue;
        PL_TRY(pl_csv_numbers(csv, column, &rescues));
        double *y = pl_alloc(csv->n_row, sizeof *y);
        if (y == NULL) return PL_ERROR_MEMORY;
        bool any = false;
        for (int64_t i = 0; i < csv->n_row; i++) {
            y[i] = rescues[i] > 0 ? to->curve[c].y[i] : NAN;
            any = any || rescues[i] > 0;
        }
        if (!any) {
            pl_free(y);
            continue;
        }
        int32_t at = panel->n_curve++;
        to->circles[at] = y;
        to->curve[at] = to->curve[c];
        to->curve[at].y = y;
        to->curve[at].points = true;
        to->curve[at].label = at == n ? "rescued by auto" : NULL;
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
    *panel = (pl_panel){.title = to->title, .curve = to->curve, .log = p->wanted->log};
    bool brief = o->brief != NULL && p->n_run > 1 && p->only == ALL_RUNS;
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
    return add_rescues(p, panel, to);
}

static pl_status add_columns(picture *p)
{
    for (const char *at = p->wanted->columns; at != NULL;) {
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

static void add_marks(picture *p)
{
    const double eps[MARKS] = {p->wanted->residual_tolerance, p->wanted->contact_tolerance};
    for (int i = 0; i < MARKS; i++) {
        char number[PL_DOUBLE_TEXT];
        pl_double_text(eps[i], number);
        snprintf(p->mark_text[i], NAME_TEXT, "ε%d = %s", i + 1, number);
        p->mark[i] = (pl_mark){eps[i], p->mark_text[i]};
    }
    for (int32_t i = 0; i < p->n_panel; i++) {
        p->panel[i].mark = p->mark;
        p->panel[i].n_mark = MARKS;
    }
}

static const figure *find_figure(int32_t number)
{
    for (int i = 0; i < FIGURES; i++) {
        if (figures[i].number == number) return &figures[i];
    }
    return NULL;
}

// Panels of a run by itself bear its name.
static pl_status add_apart(picture *p, const figure *f)
{
    for (int32_t r = 0; r < p->n_run; r++) {
        char title[TITLE_TEXT];
        p->only = r;
        for (int32_t i = 0; i < f->n_panel; i++) {
            order o = f->panel[i];
            snprintf(title, sizeof title, "%s%s%s", p->run[r].name, o.title != NULL ? ": " : "",
                     o.title != NULL ? o.title : "");
            o.title = title;
            PL_TRY(add_panel(p, &o, true));
        }
    }
    p->only = ALL_RUNS;
    return PL_OK;
}

static pl_status add_figure(picture *p)
{
    const figure *f = find_figure(p->wanted->figure);
    if (f->apart) {
        PL_TRY(add_apart(p, f));
    } else if (f->number == 13 && p->n_run == 1) {
        PL_TRY(add_panel(p, &figure_13, true));
    } else {
        for (int32_t i = 0; i < f->n_panel; i++) PL_TRY(add_panel(p, &f->panel[i], true));
    }
    for (int32_t i = 0; i < p->n_panel; i++) p->panel[i].log = p->panel[i].log || f->log;
    if (f->marks) add_marks(p);
    return PL_OK;
}

static pl_status add_panels(picture *p)
{
    if (p->wanted->figure != 0) return add_figure(p);
    if (p->wanted->columns == NULL) return add_usual(p);
    pl_status status = add_columns(p);
    if (status != PL_OK) pl_fail_prefix("--columns");
    return status;
}

// --- All of it ---

static pl_status check(const pl_drawing *d, int32_t n)
{
    if (d->out == NULL) return pl_fail(PL_ERROR_ARGUMENT, "say where to with -o PLOT.svg");
    if (!pl_has_extension(d->out, ".svg")) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: plots are .svg files", d->out);
    }
    if (n > PL_PLOT_COLOURS) {
        return pl_fail(PL_ERROR_ARGUMENT, "%d files: more than %d cannot be told apart", (int)n,
                       (int)PL_PLOT_COLOURS);
    }
    if (d->figure != 0 && find_figure(d->figure) == NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "--figure: there are 6, 9, 10, 11, 12 and 13, of VJ19");
    }
    if (d->figure != 0 && d->columns != NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "--figure and --columns: give one of them");
    }
    if (d->x != NULL && strcmp(d->x, "time") != 0 && strcmp(d->x, "step") != 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "--x: it is time or step");
    }
    return pl_output_try(d->out);
}

static const char *axis_of(const pl_drawing *d)
{
    const figure *f = find_figure(d->figure);
    bool by_time = f == NULL || strcmp(f->x, "time") == 0;
    return !by_time ? f->x : d->x != NULL ? d->x : "time";
}

static pl_status write_plot(const picture *p)
{
    const char *name[PL_PLOT_COLOURS];
    for (int32_t i = 0; i < p->n_run; i++) name[i] = p->run[i].name;
    const figure *f = find_figure(p->wanted->figure);
    bool coloured = p->n_run > 1 && !(f != NULL && f->apart);
    const pl_plot plot = {.title = p->wanted->title,
                          .x_label = strcmp(p->x, "time") == 0 ? "time [s]" : p->x,
                          .panel = p->panel,
                          .n_panel = p->n_panel,
                          .run = name,
                          .n_run = coloured ? p->n_run : 0};
    return pl_plot_write(&plot, p->wanted->out);
}

pl_drawing pl_drawing_default(void)
{
    pl_world_options usual_options = pl_world_options_default();
    return (pl_drawing){.residual_tolerance = usual_options.residual_tolerance,
                        .contact_tolerance = usual_options.contact_tolerance};
}

pl_status pl_draw_runs(const pl_drawing *drawing, int32_t n, char *const *path)
{
    PL_TRY(check(drawing, n));
    picture *p = pl_alloc_zero(1, sizeof *p);
    if (p == NULL) return PL_ERROR_MEMORY;
    p->wanted = drawing;
    p->x = axis_of(drawing);
    p->only = ALL_RUNS;
    p->run = pl_alloc_zero(n, sizeof *p->run);
    p->n_run = p->run != NULL ? n : 0;
    pl_status status = p->run != NULL ? load_runs(p, path) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = add_panels(p);
    if (status == PL_OK) status = write_plot(p);
    for (int i = 0; i < PANELS_MAX * CURVES_MAX; i++) {
        pl_free(p->page[i / CURVES_MAX].circles[i % CURVES_MAX]);
    }
    for (int32_t i = 0; i < p->n_run; i++) pl_csv_free(&p->run[i].csv);
    pl_free(p->run);
    pl_free(p);
    return status;
}
