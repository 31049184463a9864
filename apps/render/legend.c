#include "legend.h"
#include "arrows.h"
#include "../plot/axis.h"
#include "colormap.h"
#include "overlay.h"

#include <math.h>
#include <stdio.h>

enum { TICKS = 5, TITLE_MAX = 96 };

// In parts of the text's size, which is a part of the picture's height.
static const double TEXT_PART = 1.0 / 34, TEXT_LEAST = 9; // [pixels] at least
static const double MARGIN = 1, PADDING = 0.6, BAR_WIDTH = 0.9, BAR_HEIGHT = 11, TICK = 0.35,
                    ARROW = 1.8, LINE = 1.15;

static const pl_ink PAPER = {255, 255, 255, 190}, INK = {38, 42, 48, 255};

const char *pl_legend_prefix(double most, double *scale)
{
    static const struct {
        double scale;
        const char *text;
    } table[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}};
    int n = sizeof table / sizeof table[0], i = 0;
    while (i < n - 1 && most < table[i].scale * (1 - 1e-9)) i++;
    // Numbers from a tenth on need none: 0.25 m/s reads better than 250 mm/s.
    if (table[i].scale < 1 && most >= 0.1) i = 3;
    *scale = table[i].scale;
    return table[i].text;
}

static void label_of(const pl_axis *axis, int32_t tick, char out[2 * PL_LABEL_TEXT + 4])
{
    char number[PL_LABEL_TEXT], exponent[PL_LABEL_TEXT];
    pl_axis_label(axis, tick, number, exponent);
    if (exponent[0] == '\0') {
        snprintf(out, 2 * PL_LABEL_TEXT + 4, "%s", number);
    } else {
        snprintf(out, 2 * PL_LABEL_TEXT + 4, "%se%s", number, exponent);
    }
}

static void draw_bar(pl_image *image, double x, double y, double width, double height)
{
    int32_t rows = (int32_t)ceil(height);
    for (int32_t i = 0; i < rows; i++) {
        uint8_t c[3];
        pl_colormap(1 - (i + 0.5) / rows, c);
        pl_overlay_rectangle(image, x, y + i * height / rows, width, height / rows, 0,
                             (pl_ink){c[0], c[1], c[2], 255});
    }
}

static double text_size(const pl_image *image)
{
    return fmax(floor(TEXT_PART * image->height), TEXT_LEAST);
}

// "50 N", "1.2 kN", "24 mm"
static void amount(double value, const char *unit, char out[PL_LABEL_TEXT])
{
    double scale;
    const char *prefix = pl_legend_prefix(value, &scale);
    snprintf(out, PL_LABEL_TEXT, "%.3g %s%s", value / scale, prefix, unit);
}

void pl_legend_draw(pl_image *image, const char *title, const char *unit, double lo, double hi)
{
    double size = text_size(image), scale;
    char heading[TITLE_MAX], label[2 * PL_LABEL_TEXT + 4];
    const char *prefix = pl_legend_prefix(fmax(fabs(lo), fabs(hi)), &scale);
    pl_axis axis = pl_axis_linear(lo / scale, hi / scale, TICKS, true);
    snprintf(heading, sizeof heading, "%s [%s%s]", title, prefix, unit);
    double widest = (BAR_WIDTH + TICK) * size,
           room = image->height - 2 * (MARGIN + PADDING + 1) * size;
    double bar = fmax(floor(fmin(BAR_HEIGHT * size, room)), 1);
    for (int32_t i = 0; i < axis.n_tick; i++) {
        label_of(&axis, i, label);
        widest = fmax(widest, (BAR_WIDTH + 3 * TICK) * size + pl_overlay_text_width(size, label));
    }
    widest = fmax(widest, pl_overlay_text_width(size, heading));
    double width = ceil(widest + 2 * PADDING * size);
    double height = ceil(bar + (2 * PADDING + 2) * size);
    double left = floor(image->width - width - MARGIN * size), top = floor(MARGIN * size);
    double x = floor(left + PADDING * size), y = floor(top + (PADDING + 1.5) * size);
    pl_overlay_rectangle(image, left, top, width, height, 0.4 * size, PAPER);
    pl_overlay_text(image, x, top + 0.8 * PADDING * size, size, INK, heading);
    draw_bar(image, x, y, floor(BAR_WIDTH * size), bar);
    for (int32_t i = 0; i < axis.n_tick; i++) {
        double at = y + bar * (1 - (axis.tick[i] - axis.lo) / (axis.hi - axis.lo));
        double right = x + floor(BAR_WIDTH * size);
        label_of(&axis, i, label);
        pl_overlay_line(image, right, at, right + TICK * size, at, fmax(0.07 * size, 1), INK);
        pl_overlay_text(image, right + 2 * TICK * size, at - 0.45 * size, size, INK, label);
    }
}

static void draw_arrow(pl_image *image, double x, double y, double size, const uint8_t rgb[3])
{
    pl_ink ink = {rgb[0], rgb[1], rgb[2], 255};
    double end = x + ARROW * size, head = 0.45 * size, width = 0.14 * size;
    pl_overlay_line(image, x, y, end, y, width, ink);
    pl_overlay_line(image, end - head, y - 0.6 * head, end, y, width, ink);
    pl_overlay_line(image, end - head, y + 0.6 * head, end, y, width, ink);
}

void pl_legend_arrows(pl_image *image, double metres, double newtons)
{
    static const struct {
        const uint8_t *rgb;
        const char *text;
    } row[] = {{PL_ARROW_NORMAL, "normal force"},
               {PL_ARROW_STICK, "friction, sticks"},
               {PL_ARROW_SLIP, "friction, slips"}};
    enum { ROWS = sizeof row / sizeof row[0] };
    double size = text_size(image), indent = (ARROW + 0.5) * size, widest = 0;
    char length[PL_LABEL_TEXT], force[PL_LABEL_TEXT], scale[TITLE_MAX];
    amount(metres, "m", length);
    amount(newtons, "N", force);
    snprintf(scale, sizeof scale, "%s long: %s", length, force);
    for (int i = 0; i < ROWS; i++) {
        widest = fmax(widest, indent + pl_overlay_text_width(size, row[i].text));
    }
    widest = fmax(widest, pl_overlay_text_width(size, scale));
    double width = ceil(widest + 2 * PADDING * size);
    double height = ceil((ROWS + 1) * LINE * size + 2 * PADDING * size);
    double left = floor(image->width - width - MARGIN * size);
    double top = floor(image->height - height - MARGIN * size);
    double x = floor(left + PADDING * size), y = top + PADDING * size;
    pl_overlay_rectangle(image, left, top, width, height, 0.4 * size, PAPER);
    for (int i = 0; i < ROWS; i++, y += LINE * size) {
        draw_arrow(image, x, floor(y + 0.55 * size) + 0.5, size, row[i].rgb);
        pl_overlay_text(image, x + indent, y, size, INK, row[i].text);
    }
    pl_overlay_text(image, x, y, size, INK, scale);
}
