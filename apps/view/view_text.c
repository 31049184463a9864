#include "view_text.h"
#include "../render/legend.h"
#include "../render/overlay.h"

#include <stdio.h>
#include <string.h>

// Numbers that change faster than this cannot be read [s].
static const double READABLE = 0.2;

static const pl_ink PANEL = {250, 250, 248, 205}, TEXT = {40, 44, 52, 255};
static const pl_ink WARNING = {158, 44, 36, 235}, PALE = {255, 255, 255, 255};
static const pl_ink HAND = {214, 92, 40, 230};

typedef struct help_row {
    const char *keys, *meaning;
} help_row;

static const help_row HELP[] = {
    {"left drag", "pull a body; elsewhere: orbit"},
    {"right drag", "orbit"},
    {"middle or shift drag", "pan"},
    {"wheel", "zoom"},
    {"space", "pause, go on"},
    {". or n", "single step"},
    {"r", "reset"},
    {"- and =", "slow motion"},
    {"s", "next solver"},
    {"p", "next preconditioner (of cr)"},
    {"f and F", "less and more friction"},
    {"c", "colours: stress, speed, pressure"},
    {"w", "wireframe"},
    {"x", "forces of contacts"},
    {"j", "joints"},
    {"m, [ and ]", "next motor, drive it"},
    {"t", "statistics"},
    {"drop a mesh file", "another body"},
    {"h", "this help"},
    {"q", "quit"},
};

static int count_lines(const char *text)
{
    int n = 1;
    for (; *text != '\0'; text++) n += *text == '\n';
    return n;
}

// A panel with text, its upper left corner at (x, y); returns its height.
static double panel(pl_image *image, double x, double y, double size, pl_ink back, pl_ink front,
                    const char *text)
{
    double pad = 0.6 * size, width = pl_overlay_text_width(size, text) + 2 * pad;
    double height = size * count_lines(text) + 1.2 * pad;
    pl_overlay_rectangle(image, x, y, width, height, 0.5 * size, back);
    pl_overlay_text(image, x + pad, y + 0.6 * pad, size, front, text);
    return height;
}

// The help: what to press, and in a second column what that does.
static void help_panel(pl_image *image, double x, double y, double size)
{
    const int n = sizeof HELP / sizeof HELP[0];
    double pad = 0.6 * size, keys = 0, meaning = 0;
    for (int i = 0; i < n; i++) {
        keys = PL_MAX(keys, pl_overlay_text_width(size, HELP[i].keys));
        meaning = PL_MAX(meaning, pl_overlay_text_width(size, HELP[i].meaning));
    }
    double second = pad + keys + size; // where the second column begins
    pl_overlay_rectangle(image, x, y, second + meaning + pad, size * n + 1.2 * pad, 0.5 * size,
                         PANEL);
    for (int i = 0; i < n; i++) {
        double row = y + 0.6 * pad + i * size;
        pl_overlay_text(image, x + pad, row, size, TEXT, HELP[i].keys);
        pl_overlay_text(image, x + second, row, size, TEXT, HELP[i].meaning);
    }
}

// Breaks the text between words so that it fits.
static void wrap(const char *text, double size, double width, char *out, size_t room)
{
    char line[512] = "";
    size_t start = 0, n = 0;
    for (size_t i = 0; text[i] != '\0' && n + 2 < room; i++) {
        out[n++] = text[i];
        out[n] = '\0';
        snprintf(line, sizeof line, "%s", out + start);
        if (pl_overlay_text_width(size, line) <= width) continue;
        char *space = strrchr(out + start, ' ');
        if (space == NULL || space == out + start) continue;
        *space = '\n';
        start = (size_t)(space - out) + 1;
    }
    out[n] = '\0';
}

static void write_statistics(pl_view *view, const pl_snapshot *now)
{
    const pl_step_stats *s = &now->stats;
    double now_seconds = pl_seconds();
    if (now_seconds - view->written < READABLE && view->statistics_text[0] != '\0') return;
    view->written = now_seconds;
    view->stale = true;
    char speed[32] = "";
    if (now->speed < 1) snprintf(speed, sizeof speed, ", slow motion 1/%.0f", 1 / now->speed);
    snprintf(view->statistics_text, sizeof view->statistics_text,
             "%s   %.2f s%s%s\n"
             "%.0f steps/s   %.2f x real time\n"
             "%d contact%s   %d iteration%s   %d round%s\n"
             "%.1f ms: fem %.1f  collision %.1f  solver %.1f\n"
             "%s, %s   friction x %.1f%s%s",
             view->title, s->time, now->paused ? "   paused" : "", speed, now->steps_per_second,
             now->pace, (int)s->contacts, s->contacts == 1 ? "" : "s", (int)s->iterations,
             s->iterations == 1 ? "" : "s", (int)s->rounds, s->rounds == 1 ? "" : "s",
             1e3 * s->t_total, 1e3 * s->t_fem, 1e3 * s->t_collision, 1e3 * s->t_solve, now->solver,
             now->precond, now->friction, now->motor[0] != '\0' ? "\n" : "", now->motor);
}

static void draw_hand(pl_view *view, const pl_snapshot *now, double size)
{
    double from[2], to[2];
    if (now->held < 0) return;
    if (!pl_camera_project(&view->camera, view->width, view->height, now->point, from)) return;
    if (!pl_camera_project(&view->camera, view->width, view->height, now->target, to)) return;
    pl_overlay_line(&view->overlay, from[0], from[1], to[0], to[1], 0.15 * size, HAND);
    pl_overlay_line(&view->overlay, from[0], from[1], from[0], from[1], 0.5 * size, HAND);
}

pl_status pl_view_write(pl_view *view, const pl_snapshot *now)
{
    pl_image *image = &view->overlay;
    double size = PL_MIN(PL_MAX(view->height / 40.0, 13), 40), edge = 0.7 * size;
    write_statistics(view, now);
    if (now->held >= 0) view->stale = true;
    if (!view->stale) return PL_OK;
    view->stale = now->held >= 0;
    PL_TRY(pl_image_resize(image, view->width, view->height));
    pl_overlay_clear(image);
    draw_hand(view, now, size);
    double y = edge;
    if (view->statistics) {
        y += panel(image, edge, y, size, PANEL, TEXT, view->statistics_text) + edge;
        if (!view->help && now->stats.time < 4) {
            y += panel(image, edge, y, size, PANEL, TEXT, "h for help") + edge;
        }
    }
    if (view->help) help_panel(image, edge, y, size);
    if (now->message[0] != '\0') {
        char text[PL_VIEW_TEXT + 64];
        wrap(now->message, size, view->width - 4 * size, text, sizeof text);
        double height = size * count_lines(text) + 0.72 * size;
        panel(image, edge, view->height - height - edge, size, WARNING, PALE, text);
    }
    if (view->quantity != PL_QUANTITY_NONE && view->range > 0) {
        pl_legend_draw(image, pl_quantity_title(view->quantity), pl_quantity_unit(view->quantity),
                       0, view->range);
    }
    return PL_OK;
}
