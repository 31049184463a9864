#include "plot.h"
#include "axis.h"
#include "svg.h"

#include <math.h>

// --- How it looks: all in px ---

static const double WIDTH = 760, LEFT = 66, RIGHT = 18, TOP = 10, BOTTOM = 44;
static const double TITLE_ROW = 26;
static const double HEAD_ROW = 20;     // a line of legend, or a panel's title
static const double GAP = 14;          // below a panel
static const double HEIGHT_MANY = 118; // of the area of a panel, by how many there are
static const double HEIGHT_FEW = 190, HEIGHT_ONE = 320;
static const double SWATCH = 24, SWATCH_GAP = 5, ITEM_GAP = 16; // in a legend
static const double TEXT = 11, HEADING = 12, TITLE = 14;
static const double TICK = 4;
static const double RADIUS = 2.6; // of a point
static const double COLUMN = 0.5; // points nearer than this along x are drawn as one stroke

#define FONT "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\""
#define INK "#222222"
#define GRID "#e4e4e4"

// Told apart in print and by those who see no red or no green; the first eight but yellow are those
// of Okabe & Ito (2008).
static const char *const colours[PL_PLOT_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#000000", "#8c510a",
                                                     "#6a3d9a", "#999999"};
static const char *const dashes[PL_PLOT_DASHES] = {"",        "6 3",         "2 2.5",
                                                   "9 3 2 3", "4 2 1 2 1 2", "12 4"};

// A logarithmic axis shows at most so many powers of 10; smaller values lie on its low end.
static const double DECADES_MAX = 20;
// With at most so many it has marks between the powers.
static const double DECADES_FINE = 6;
// An axis over x that would begin this near to 0 begins there [of its high end].
static const double NEAR_ZERO = 0.05;
// Larger numbers are taken for infinite: the length of an axis must be finite.
static const double LARGEST = 1e300;

typedef struct area {
    double left, right, top, bottom; // in the picture
    pl_axis x, y;
} area;

static double place_x(const area *a, double x)
{
    return a->left + pl_axis_place(&a->x, x) * (a->right - a->left);
}

static double place_y(const area *a, double y)
{
    return a->bottom - fmax(pl_axis_place(&a->y, y), 0) * (a->bottom - a->top); // see DECADES_MAX
}

// Ticks are given as the axis has them: a logarithmic one in exponents.
static double place_y_tick(const area *a, double tick)
{
    return a->bottom - (tick - a->y.lo) / (a->y.hi - a->y.lo) * (a->bottom - a->top);
}

// --- Ranges ---

typedef struct range {
    double lo, hi; // lo > hi: empty
} range;

static const range nothing = {INFINITY, -INFINITY};

static bool is_shown(double value, bool log)
{
    return fabs(value) <= LARGEST && (!log || value > 0);
}

static void include(range *r, double value, bool log)
{
    if (!is_shown(value, log)) return;
    r->lo = fmin(r->lo, value);
    r->hi = fmax(r->hi, value);
}

static pl_axis y_axis(const pl_panel *panel, double height)
{
    range r = nothing;
    for (int32_t c = 0; c < panel->n_curve; c++) {
        for (int64_t i = 0; i < panel->curve[c].n; i++) {
            include(&r, panel->curve[c].y[i], panel->log);
        }
    }
    for (int32_t m = 0; m < panel->n_mark; m++) { // with room for its label above it
        include(&r, panel->mark[m].y * (panel->log ? 10 : 1.2), panel->log);
        include(&r, panel->mark[m].y, panel->log);
    }
    int32_t most = (int32_t)(height / 25);
    if (panel->log) {
        if (r.lo > r.hi) r = (range){1, 10};
        return pl_axis_log(fmax(r.lo, r.hi * pow(10, -DECADES_MAX)), r.hi, most);
    }
    include(&r, 0, false); // counts and times mean little without it
    return pl_axis_linear(r.lo, r.hi, most, false);
}

static pl_axis x_axis(const pl_plot *plot)
{
    range r = nothing;
    if (plot->n_x_name > 0) {
        pl_axis axis = {.lo = -0.5, .hi = plot->n_x_name - 0.5, .n_tick = plot->n_x_name};
        PL_ASSERT(axis.n_tick <= PL_TICKS_MAX);
        for (int32_t i = 0; i < axis.n_tick; i++) axis.tick[i] = i;
        return axis;
    }
    for (int32_t p = 0; p < plot->n_panel; p++) {
        for (int32_t c = 0; c < plot->panel[p].n_curve; c++) {
            const pl_curve *curve = &plot->panel[p].curve[c];
            for (int64_t i = 0; i < curve->n; i++) include(&r, curve->x[i], false);
        }
    }
    if (r.lo > r.hi) r = (range){0, 1};
    if (r.lo > 0 && r.lo < NEAR_ZERO * r.hi) r.lo = 0;
    return pl_axis_linear(r.lo, r.hi, 8, true);
}

static double panel_height(const pl_plot *plot)
{
    return plot->n_panel == 1 ? HEIGHT_ONE : plot->n_panel <= 3 ? HEIGHT_FEW : HEIGHT_MANY;
}

// --- Legends ---

enum { NO_COLOUR = -1 };

typedef struct item {
    const char *label;
    int32_t colour, dash;
    bool points;
} item;

static double item_width(const item *it)
{
    return SWATCH + SWATCH_GAP + pl_svg_text_width(it->label, TEXT) + ITEM_GAP;
}

static void begin_stroke(pl_svg *svg, int32_t colour, int32_t dash)
{
    const char *pattern = dashes[dash], *paint = colour == NO_COLOUR ? INK : colours[colour];
    pl_svg_group(svg,
                 "fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\" stroke-linejoin=\"round\" "
                 "stroke-linecap=\"%s\"%s%s%s",
                 paint, pattern[0] != '\0' ? "butt" : "round",
                 pattern[0] != '\0' ? " stroke-dasharray=\"" : "", pattern,
                 pattern[0] != '\0' ? "\"" : "");
}

// The items in rows no longer than `width`, from `left`, the first row at the height y; returns how
// many rows there are. Draws nothing if svg is NULL.
static int32_t draw_legend(pl_svg *svg, int32_t n, const item *items, double left, double width,
                           double y)
{
    int32_t rows = n > 0;
    double x = 0;
    for (int32_t i = 0; i < n; i++) {
        double w = item_width(&items[i]);
        if (x > 0 && x + w - ITEM_GAP > width) {
            rows++;
            x = 0;
        }
        if (svg != NULL) {
            double at = left + x, line = y + HEAD_ROW * (rows - 1);
            begin_stroke(svg, items[i].colour, items[i].dash);
            if (items[i].points) {
                pl_svg_circle(svg, at + SWATCH / 2, line - 4, RADIUS);
            } else {
                pl_svg_line(svg, at, line - 4, at + SWATCH, line - 4);
            }
            pl_svg_group_end(svg);
            pl_svg_group(svg, "font-size=\"%g\" fill=\"" INK "\"", TEXT);
            pl_svg_text(svg, at + SWATCH + SWATCH_GAP, line, items[i].label);
            pl_svg_group_end(svg);
        }
        x += w;
    }
    return rows;
}

// The legend of a panel. Where colours are runs, it shows dashes only.
static int32_t panel_items(const pl_plot *plot, const pl_panel *panel, item items[PL_PLOT_LABELS])
{
    int32_t n = 0;
    for (int32_t c = 0; c < panel->n_curve; c++) {
        const pl_curve *curve = &panel->curve[c];
        if (curve->label == NULL) continue;
        PL_ASSERT(n < PL_PLOT_LABELS);
        int32_t colour = plot->n_run > 0 ? NO_COLOUR : curve->colour;
        items[n++] = (item){curve->label, colour, curve->dash, curve->points};
    }
    return n;
}

// Right of the panel's title if there is room, else in rows below it: how many such rows.
static int32_t legend_rows(const pl_panel *panel, int32_t n, const item *items, double *left)
{
    double all = 0, room = WIDTH - LEFT - RIGHT - pl_svg_text_width(panel->title, HEADING) - 40;
    for (int32_t i = 0; i < n; i++) all += item_width(&items[i]);
    bool beside = all - ITEM_GAP <= room;
    *left = beside ? WIDTH - RIGHT - (all - ITEM_GAP) : LEFT;
    return beside ? 0 : draw_legend(NULL, n, items, LEFT, WIDTH - LEFT - RIGHT, 0);
}

// --- A panel ---

static void draw_grid(pl_svg *svg, const area *a)
{
    pl_svg_group(svg, "stroke=\"" GRID "\" stroke-width=\"1\" fill=\"none\"");
    for (int32_t i = 0; i < a->x.n_tick; i++) {
        double x = place_x(a, a->x.tick[i]);
        pl_svg_line(svg, x, a->top, x, a->bottom);
    }
    for (int32_t i = 0; i < a->y.n_tick; i++) {
        double y = place_y_tick(a, a->y.tick[i]);
        pl_svg_line(svg, a->left, y, a->right, y);
    }
    pl_svg_group_end(svg);
}

// Frame, ticks and, for a logarithmic axis, the marks of 2 to 9 between powers.
static void draw_frame(pl_svg *svg, const area *a)
{
    pl_svg_group(svg, "stroke=\"" INK "\" stroke-width=\"1\" fill=\"none\"");
    pl_svg_line(svg, a->left, a->top, a->left, a->bottom);
    pl_svg_line(svg, a->left, a->bottom, a->right, a->bottom);
    for (int32_t i = 0; i < a->x.n_tick; i++) {
        double x = place_x(a, a->x.tick[i]);
        pl_svg_line(svg, x, a->bottom, x, a->bottom + TICK);
    }
    for (int32_t i = 0; i < a->y.n_tick; i++) {
        double y = place_y_tick(a, a->y.tick[i]);
        pl_svg_line(svg, a->left - TICK, y, a->left, y);
    }
    bool fine = a->y.log && a->y.hi - a->y.lo <= DECADES_FINE;
    for (double e = a->y.lo; fine && e < a->y.hi; e++) {
        for (int k = 2; k <= 9; k++) {
            double y = place_y_tick(a, e + log10(k));
            pl_svg_line(svg, a->left - TICK / 2, y, a->left, y);
        }
    }
    pl_svg_group_end(svg);
}

static void draw_labels(pl_svg *svg, const pl_plot *plot, const area *a, bool below)
{
    char number[PL_LABEL_TEXT], exponent[PL_LABEL_TEXT];
    pl_svg_group(svg, "font-size=\"%g\" fill=\"" INK "\" text-anchor=\"end\"", TEXT);
    for (int32_t i = 0; i < a->y.n_tick; i++) {
        pl_axis_label(&a->y, i, number, exponent);
        double y = place_y_tick(a, a->y.tick[i]) + 4;
        pl_svg_power(svg, a->left - TICK - 4, y, number, exponent);
    }
    pl_svg_group_end(svg);
    if (!below) return;
    pl_svg_group(svg, "font-size=\"%g\" fill=\"" INK "\" text-anchor=\"middle\"", TEXT);
    for (int32_t i = 0; i < a->x.n_tick; i++) {
        double x = place_x(a, a->x.tick[i]), y = a->bottom + TICK + 13;
        if (plot->n_x_name > 0) {
            pl_svg_text(svg, x, y, plot->x_name[i]);
            continue;
        }
        pl_axis_label(&a->x, i, number, exponent);
        pl_svg_power(svg, x, y, number, exponent);
    }
    pl_svg_group_end(svg);
}

static void draw_marks(pl_svg *svg, const area *a, const pl_panel *panel)
{
    for (int32_t m = 0; m < panel->n_mark; m++) {
        double y = place_y(a, panel->mark[m].y);
        if (isnan(y)) continue;
        pl_svg_group(svg, "stroke=\"" INK
                          "\" stroke-width=\"1\" stroke-dasharray=\"5 4\" fill=\"none\"");
        pl_svg_line(svg, a->left, y, a->right, y);
        pl_svg_group_end(svg);
        // White around the letters, so that they can be read on top of curves.
        pl_svg_group(svg,
                     "font-size=\"%g\" fill=\"" INK "\" text-anchor=\"end\" stroke=\"#fff\" "
                     "stroke-width=\"3\" paint-order=\"stroke\" stroke-linejoin=\"round\"",
                     TEXT);
        pl_svg_text(svg, a->right - 4, y - 4, panel->mark[m].label);
        pl_svg_group_end(svg);
    }
}

// The points of a curve that fall into one column of the picture: however many, the first, the
// lowest, the highest and the last make the same stroke.
typedef struct column {
    double x[4], y[4];
    int64_t at[4]; // which points they are; the first, lowest, highest, last
    double number; // of the column
} column;

static void end_column(pl_svg *svg, column *c)
{
    if (c->at[0] < 0) return;
    int64_t after = -1;
    for (int done = 0; done < 4; done++) { // by their order, each once
        int next = -1;
        for (int k = 0; k < 4; k++) {
            if (c->at[k] > after && (next < 0 || c->at[k] < c->at[next])) next = k;
        }
        if (next < 0) break;
        pl_svg_path_point(svg, c->x[next], c->y[next]);
        after = c->at[next];
    }
    c->at[0] = -1;
}

static void set_point(column *c, int k, double x, double y, int64_t i)
{
    c->x[k] = x;
    c->y[k] = y;
    c->at[k] = i;
}

static void draw_cross(pl_svg *svg, double x, double y)
{
    pl_svg_line(svg, x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS);
    pl_svg_line(svg, x - RADIUS, y + RADIUS, x + RADIUS, y - RADIUS);
}

static void draw_points(pl_svg *svg, const area *a, const pl_curve *curve, bool log)
{
    begin_stroke(svg, curve->colour, 0);
    for (int64_t i = 0; i < curve->n; i++) {
        if (!is_shown(curve->x[i], false) || !is_shown(curve->y[i], log)) continue;
        double x = place_x(a, curve->x[i]), y = place_y(a, curve->y[i]);
        if (curve->crosses) {
            draw_cross(svg, x, y);
        } else {
            pl_svg_circle(svg, x, y, RADIUS);
        }
    }
    pl_svg_group_end(svg);
}

static void draw_curve(pl_svg *svg, const area *a, const pl_curve *curve, bool log)
{
    if (curve->points || curve->crosses) {
        draw_points(svg, a, curve, log);
        return;
    }
    column c = {.at = {-1, -1, -1, -1}};
    begin_stroke(svg, curve->colour, curve->dash);
    pl_svg_path(svg);
    for (int64_t i = 0; i < curve->n; i++) {
        if (!is_shown(curve->x[i], false) || !is_shown(curve->y[i], log)) {
            end_column(svg, &c);
            pl_svg_path_gap(svg);
            continue;
        }
        double x = place_x(a, curve->x[i]), y = place_y(a, curve->y[i]), number = floor(x / COLUMN);
        if (c.at[0] >= 0 && c.number != number) end_column(svg, &c);
        if (c.at[0] < 0) {
            for (int k = 0; k < 4; k++) set_point(&c, k, x, y, i);
            c.number = number;
            continue;
        }
        if (y > c.y[1]) set_point(&c, 1, x, y, i);
        if (y < c.y[2]) set_point(&c, 2, x, y, i);
        set_point(&c, 3, x, y, i);
    }
    end_column(svg, &c);
    pl_svg_path_end(svg);
    pl_svg_group_end(svg);
}

// The height of a panel with its title and legend.
static double measure_panel(const pl_plot *plot, const pl_panel *panel)
{
    item items[PL_PLOT_LABELS];
    double left;
    int32_t rows = legend_rows(panel, panel_items(plot, panel, items), items, &left);
    return HEAD_ROW * (1 + rows) + panel_height(plot) + GAP;
}

// With its upper end at the height y of the picture.
static void draw_panel(pl_svg *svg, const pl_plot *plot, const pl_panel *panel, const pl_axis *x,
                       double y)
{
    item items[PL_PLOT_LABELS];
    int32_t n = panel_items(plot, panel, items);
    double left, height = panel_height(plot), text = y + HEAD_ROW - 7;
    int32_t rows = legend_rows(panel, n, items, &left);
    pl_svg_group(svg, "font-size=\"%g\" font-weight=\"bold\" fill=\"" INK "\"", HEADING);
    pl_svg_text(svg, LEFT, text, panel->title);
    pl_svg_group_end(svg);
    draw_legend(svg, n, items, left, WIDTH - RIGHT - left + 1, text + (rows > 0 ? HEAD_ROW : 0));
    y += HEAD_ROW * (1 + rows);
    area a = {LEFT, WIDTH - RIGHT, y, y + height, *x, y_axis(panel, height)};
    draw_grid(svg, &a);
    for (int32_t c = 0; c < panel->n_curve; c++) draw_curve(svg, &a, &panel->curve[c], panel->log);
    draw_marks(svg, &a, panel);
    draw_frame(svg, &a);
    draw_labels(svg, plot, &a, panel == &plot->panel[plot->n_panel - 1]);
}

// --- All of it ---

// Title and the names of the runs; returns the height below them. Draws nothing if svg is NULL.
static double draw_head(pl_svg *svg, const pl_plot *plot)
{
    item items[PL_PLOT_COLOURS];
    PL_ASSERT(plot->n_run <= PL_PLOT_COLOURS);
    for (int32_t i = 0; i < plot->n_run; i++) items[i] = (item){plot->run[i], i, 0, false};
    double y = TOP + (plot->title != NULL ? TITLE_ROW : 0);
    if (plot->title != NULL && svg != NULL) {
        pl_svg_group(svg, "font-size=\"%g\" font-weight=\"bold\" fill=\"" INK "\"", TITLE);
        pl_svg_text(svg, LEFT, y - 10, plot->title);
        pl_svg_group_end(svg);
    }
    double width = WIDTH - LEFT - RIGHT;
    return y + HEAD_ROW * draw_legend(svg, plot->n_run, items, LEFT, width, y + HEAD_ROW - 7);
}

pl_status pl_plot_write(const pl_plot *plot, const char *path)
{
    double height = draw_head(NULL, plot) - GAP + BOTTOM;
    for (int32_t p = 0; p < plot->n_panel; p++) height += measure_panel(plot, &plot->panel[p]);
    pl_svg svg;
    const char *title = plot->title != NULL ? plot->title : plot->panel[0].title;
    PL_TRY(pl_svg_open(path, WIDTH, height, title, &svg));
    pl_svg_group(&svg, FONT);
    pl_axis x = x_axis(plot);
    double y = draw_head(&svg, plot);
    for (int32_t p = 0; p < plot->n_panel; p++) {
        draw_panel(&svg, plot, &plot->panel[p], &x, y);
        y += measure_panel(plot, &plot->panel[p]);
    }
    pl_svg_group(&svg, "font-size=\"%g\" fill=\"" INK "\" text-anchor=\"middle\"", HEADING);
    pl_svg_text(&svg, LEFT + (WIDTH - LEFT - RIGHT) / 2, height - 8, plot->x_label);
    pl_svg_group_end(&svg);
    pl_svg_group_end(&svg);
    return pl_svg_close(&svg);
}
