#include "view_text.h"
#include "legend.h"
#include "overlay.h"

#include <stdio.h>
#include <string.h>

// Numbers that change faster than this cannot be read [s].
static const double READABLE = 0.2;

static const pl_ink PANEL = {250, 250, 248, 205}, TEXT = {40, 44, 52, 255};
static const pl_ink WARNING = {158, 44, 36, 235}, PALE = {255, 255, 255, 255};
static const pl_ink HAND = {214, 92, 40, 230};

static const char HELP[] = "left drag   pull a body; elsewhere: orbit\n"
                           "right drag   orbit\n"
                           "middle or shift drag   pan\n"
                           "wheel   zoom\n"
                           "space   pause, go on\n"
                           ". or n   single step\n"
                           "r   reset\n"
                           "- and =   slow motion\n"
                           "s   next solver\n"
                           "p   next preconditioner (of cr)\n"
                           "f and F   less and more friction\n"
                           "c   colours: stress, speed, pressure\n"
                           "w   wireframe\n"
                           "x   forces of contacts\n"
                           "t   statistics\n"
                           "drop a mesh file   another body\n"
                           "h   this help\n"
                           "q   quit";

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
             "%d contacts   %d iterations   %d rounds\n"
             "%.1f ms: fem %.1f  collision %.1f  solver %.1f\n"
             "%s, %s   friction x %.1f",
             view->title, s->time, now->paused ? "   paused" : "", speed, now->steps_per_second,
             now->pace, (int)s->contacts, (int)s->iterations, (int)s->rounds, 1e3 * s->t_total,
             1e3 * s->t_fem, 1e3 * s->t_collision, 1e3 * s->t_solve, now->solver, now->precond,
             now->friction);
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
    if (view->help) panel(image, edge, y, size, PANEL, TEXT, HELP);
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
