#include "svg.h"

#include <stdarg.h>
#include <string.h>

// --- Text ---

// The length of the UTF-8 character at p (1 to 4 bytes), 0 if there is none that XML allows.
static size_t character_at(const char *p)
{
    const unsigned char *c = (const unsigned char *)p;
    if (c[0] < 0x80) return c[0] >= 0x20 && c[0] != 0x7f ? 1 : 0;
    size_t n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    uint32_t code = c[0] & (0x7fu >> n);
    if (c[0] < 0xc2 || c[0] > 0xf4) return 0;
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80) return 0; // the end of the text, too
        code = code << 6 | (c[i] & 0x3f);
    }
    bool longer = (n == 3 && code < 0x800) || (n == 4 && code < 0x10000);
    bool none = (code >= 0xd800 && code < 0xe000) || code > 0x10ffff || (code & 0xfffe) == 0xfffe;
    return longer || none || code < 0xa0 ? 0 : n;
}

static void escape(pl_svg *svg, const char *text)
{
    for (const char *p = text; *p != '\0';) {
        size_t n = character_at(p);
        const char *as = n == 0      ? "?"
                         : *p == '&' ? "&amp;"
                         : *p == '<' ? "&lt;"
                         : *p == '>' ? "&gt;"
                         : *p == '"' ? "&quot;"
                                     : NULL;
        pl_output_write(&svg->out, as != NULL ? as : p, as != NULL ? strlen(as) : n);
        p += PL_MAX(n, 1);
    }
}

void pl_svg_text(pl_svg *svg, double x, double y, const char *text)
{
    pl_output_printf(&svg->out, "<text x=\"%.2f\" y=\"%.2f\">", x, y);
    escape(svg, text);
    pl_output_printf(&svg->out, "</text>\n");
}

void pl_svg_power(pl_svg *svg, double x, double y, const char *number, const char *exponent)
{
    pl_output_printf(&svg->out, "<text x=\"%.2f\" y=\"%.2f\">", x, y);
    escape(svg, number);
    if (exponent[0] != '\0') {
        bool negative = exponent[0] == '-';
        pl_output_printf(&svg->out, "%s10<tspan dy=\"-4\" font-size=\"75%%\">%s",
                         number[0] != '\0' ? "·" : "", negative ? "−" : "");
        escape(svg, exponent + negative);
        pl_output_printf(&svg->out, "</tspan>");
    }
    pl_output_printf(&svg->out, "</text>\n");
}

double pl_svg_text_width(const char *text, double size)
{
    double width = 0; // in thousandths of the size
    for (const char *p = text; *p != '\0';) {
        size_t n = character_at(p);
        bool thin = strchr("ijltfrI.,:;'|!()[] /-", *p) != NULL;
        bool wide = strchr("mwMW@%", *p) != NULL;
        bool capital = *p >= 'A' && *p <= 'Z';
        width += thin ? 380 : wide ? 950 : capital ? 720 : 620;
        p += PL_MAX(n, 1);
    }
    return width * size / 1000;
}

// --- Lines ---

void pl_svg_group(pl_svg *svg, const char *attributes, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, attributes);
    int length = vsnprintf(text, sizeof text, attributes, arguments);
    va_end(arguments);
    PL_ASSERT(length >= 0 && length < (int)sizeof text);
    pl_output_printf(&svg->out, "<g %s>\n", text);
}

void pl_svg_group_end(pl_svg *svg)
{
    pl_output_printf(&svg->out, "</g>\n");
}

void pl_svg_line(pl_svg *svg, double x0, double y0, double x1, double y1)
{
    pl_output_printf(&svg->out, "<path d=\"M%.2f %.2fL%.2f %.2f\"/>\n", x0, y0, x1, y1);
}

void pl_svg_circle(pl_svg *svg, double x, double y, double radius)
{
    pl_output_printf(&svg->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"/>\n", x, y, radius);
}

void pl_svg_path(pl_svg *svg)
{
    svg->moved = false;
    pl_output_printf(&svg->out, "<path d=\"");
}

// A part begins with a line to where it is, so that a single point is a dot and not nothing.
void pl_svg_path_point(pl_svg *svg, double x, double y)
{
    if (!svg->moved) pl_output_printf(&svg->out, "M%.2f %.2f", x, y);
    pl_output_printf(&svg->out, "L%.2f %.2f", x, y);
    svg->moved = true;
}

void pl_svg_path_gap(pl_svg *svg)
{
    svg->moved = false;
}

void pl_svg_path_end(pl_svg *svg)
{
    pl_output_printf(&svg->out, "\"/>\n");
}

// --- The file ---

pl_status pl_svg_open(const char *path, double width, double height, const char *title, pl_svg *out)
{
    *out = (pl_svg){.moved = false};
    PL_TRY(pl_output_open(path, &out->out));
    pl_output_printf(&out->out,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                     "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
                     width, height, width, height);
    escape(out, title);
    pl_output_printf(&out->out,
                     "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    return PL_OK;
}

pl_status pl_svg_close(pl_svg *svg)
{
    pl_output_printf(&svg->out, "</svg>\n");
    return pl_output_close(&svg->out);
}
