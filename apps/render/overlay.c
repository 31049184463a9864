#include "overlay.h"
#include "font.h"

#include <math.h>
#include <string.h>

enum { SMALLEST = 6, LARGEST = 160, MASK_SIDE = 192 };

// --- Pixels ---

// Puts ink over a pixel, of which it covers the part `cover`.
static void blend(uint8_t *pixel, pl_ink ink, double cover)
{
    int over = (int)lrint(cover * ink.a); // opacities in 255ths
    if (over <= 0) return;
    int under = pixel[3] * (255 - over); // in 255 * 255ths, like the sum
    int sum = 255 * over + under;
    const uint8_t color[3] = {ink.r, ink.g, ink.b};
    for (int c = 0; c < 3; c++) {
        pixel[c] = (uint8_t)((255 * over * color[c] + under * pixel[c] + sum / 2) / sum);
    }
    pixel[3] = (uint8_t)((sum + 127) / 255);
}

// Columns or rows from *first to *last - 1 have pixels that touch the interval lo to hi.
static void touched(double lo, double hi, int32_t n, int32_t *first, int32_t *last)
{
    *first = (int32_t)floor(fmin(fmax(lo, 0), n));
    *last = (int32_t)ceil(fmin(fmax(hi, 0), n));
}

static double clamp(double x)
{
    return fmin(fmax(x, 0), 1);
}

void pl_overlay_clear(pl_image *image)
{
    memset(image->rgba, 0, 4 * (size_t)image->width * (size_t)image->height);
}

// --- Shapes ---

// The distance from a point to a line's piece.
static double segment_distance(double x, double y, double x0, double y0, double x1, double y1)
{
    double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    double t = square > 0 ? clamp(((x - x0) * dx + (y - y0) * dy) / square) : 0;
    double rx = x - x0 - t * dx, ry = y - y0 - t * dy;
    return sqrt(rx * rx + ry * ry);
}

void pl_overlay_rectangle(pl_image *image, double x, double y, double width, double height,
                          double radius, pl_ink ink)
{
    int32_t left, right, top, bottom;
    if (!(width > 0 && height > 0)) return;
    double r = fmin(fmax(radius, 0), 0.5 * fmin(width, height));
    touched(x, x + width, image->width, &left, &right);
    touched(y, y + height, image->height, &top, &bottom);
    for (int32_t j = top; j < bottom; j++) {
        for (int32_t i = left; i < right; i++) {
            double across = fmin(i + 1, x + width) - fmax(i, x);
            double down = fmin(j + 1, y + height) - fmax(j, y);
            // Near a corner, how far it lies outside of the circle there.
            double u = fmax(fmax(x + r - (i + 0.5), i + 0.5 - (x + width - r)), 0);
            double v = fmax(fmax(y + r - (j + 0.5), j + 0.5 - (y + height - r)), 0);
            double round = u > 0 && v > 0 ? clamp(r + 0.5 - sqrt(u * u + v * v)) : 1;
            blend(image->rgba + 4 * ((int64_t)j * image->width + i), ink,
                  fmin(clamp(across) * clamp(down), round));
        }
    }
}

void pl_overlay_line(pl_image *image, double x0, double y0, double x1, double y1, double width,
                     pl_ink ink)
{
    int32_t left, right, top, bottom;
    double reach = 0.5 * width + 0.5;
    touched(fmin(x0, x1) - reach, fmax(x0, x1) + reach, image->width, &left, &right);
    touched(fmin(y0, y1) - reach, fmax(y0, y1) + reach, image->height, &top, &bottom);
    for (int32_t j = top; j < bottom; j++) {
        for (int32_t i = left; i < right; i++) {
            double distance = segment_distance(i + 0.5, j + 0.5, x0, y0, x1, y1);
            blend(image->rgba + 4 * ((int64_t)j * image->width + i), ink, clamp(reach - distance));
        }
    }
}

// --- Text ---

// What a letter covers of the pixels of a box, in 255ths. Its strokes overlap, and must not be
// blended twice.
typedef struct mask {
    int32_t width, height; // of what is used
    uint8_t cover[MASK_SIDE * MASK_SIDE];
} mask;

static void mask_segment(mask *m, double x0, double y0, double x1, double y1, double width)
{
    int32_t left, right, top, bottom;
    double reach = 0.5 * width + 0.5;
    touched(fmin(x0, x1) - reach, fmax(x0, x1) + reach, m->width, &left, &right);
    touched(fmin(y0, y1) - reach, fmax(y0, y1) + reach, m->height, &top, &bottom);
    for (int32_t j = top; j < bottom; j++) {
        for (int32_t i = left; i < right; i++) {
            double distance = segment_distance(i + 0.5, j + 0.5, x0, y0, x1, y1);
            uint8_t cover = (uint8_t)lrint(255 * clamp(reach - distance));
            uint8_t *at = &m->cover[j * MASK_SIDE + i];
            if (cover > *at) *at = cover;
        }
    }
}

// (x, y) is the left end of the letter's base line.
static void draw_letter(pl_image *image, char letter, double x, double y, double unit, pl_ink ink)
{
    mask m;
    double stroke = fmax(PL_FONT_STROKE * unit, 1), margin = 0.5 * stroke + 1;
    int32_t left = (int32_t)floor(x - margin);
    int32_t top = (int32_t)floor(y - PL_FONT_ASCENT * unit - margin);
    m.width = (int32_t)ceil(x + pl_font_width(letter) * unit + margin) - left;
    m.height = (int32_t)ceil(y + (PL_FONT_EM - PL_FONT_ASCENT) * unit + margin) - top;
    PL_ASSERT(m.width <= MASK_SIDE && m.height <= MASK_SIDE);
    for (int32_t j = 0; j < m.height; j++) memset(m.cover + j * MASK_SIDE, 0, (size_t)m.width);
    pl_font_segment segment[PL_FONT_SEGMENTS];
    int32_t n = pl_font_segments(letter, segment);
    for (int32_t k = 0; k < n; k++) {
        const pl_font_segment *s = &segment[k];
        mask_segment(&m, x + s->x0 * unit - left, y - s->y0 * unit - top, x + s->x1 * unit - left,
                     y - s->y1 * unit - top, stroke);
    }
    for (int32_t j = PL_MAX(0, -top); j < m.height && top + j < image->height; j++) {
        for (int32_t i = PL_MAX(0, -left); i < m.width && left + i < image->width; i++) {
            uint8_t cover = m.cover[j * MASK_SIDE + i];
            uint8_t *pixel = image->rgba + 4 * ((int64_t)(top + j) * image->width + left + i);
            if (cover > 0) blend(pixel, ink, cover / 255.0);
        }
    }
}

static double unit_of(double size)
{
    return fmin(fmax(size, SMALLEST), LARGEST) / PL_FONT_EM;
}

void pl_overlay_text(pl_image *image, double x, double y, double size, pl_ink ink, const char *text)
{
    double unit = unit_of(size), pen = x;
    // A whole pixel for the base line: horizontal strokes are as sharp in every line.
    double base = floor(y + PL_FONT_ASCENT * unit) + 0.5;
    for (const char *s = text; *s != '\0'; s++) {
        if (*s == '\n') {
            pen = x;
            y += PL_FONT_EM * unit;
            base = floor(y + PL_FONT_ASCENT * unit) + 0.5;
            continue;
        }
        bool seen = pen < image->width && pen > -LARGEST && base > -LARGEST &&
                    base < image->height + LARGEST;
        if (seen && *s != ' ') draw_letter(image, *s, pen, base, unit, ink);
        pen += (pl_font_width(*s) + PL_FONT_GAP) * unit;
    }
}

double pl_overlay_text_width(double size, const char *text)
{
    double unit = unit_of(size);
    int32_t widest = 0, width = 0;
    for (const char *s = text; *s != '\0'; s++) {
        width = *s == '\n' ? 0 : width + pl_font_width(*s) + PL_FONT_GAP;
        widest = PL_MAX(widest, width - PL_FONT_GAP);
    }
    return widest * unit;
}
