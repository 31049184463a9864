#include "font.h"

const double PL_FONT_STROKE = 1.7;

enum { FIRST = ' ', LAST = '~', CURVE_PIECES = 6, POINTS_MAX = 16 };

typedef struct glyph {
    uint8_t width;
    const char *strokes;
} glyph;

// A stroke is a kind and its points: "-" straight lines, "~" a curve that starts at the first
// point, ends at the last and is drawn towards those between (a uniform quadratic B-spline: it runs
// through the middle of each line between two such points, and turns sharply at one written twice),
// "@" such a curve that is closed. A point is x (0 to 9, A = 10, B, C) and y (e is the base line, a
// lies 4 below it, o is the height of small letters, s that of capitals).
static const glyph GLYPHS[LAST - FIRST + 1] = {
    {5, ""},                                  // space
    {2, "-1s1i -1e1f"},                       // !
    {3, "-0s0o -3s3o"},                       // "
    {9, "-2e4s -5e7s -0i9i -0n9n"},           // #
    {8, "~8p8r0r0l8l8f0f0h -4t4d"},           // $
    {9, "-1e8s @0m4m4s0s @5e9e9k5k"},         // %
    {9, "~9e3l1n1s7s7n0k0e8e9k"},             // &
    {1, "-0s0o"},                             // '
    {3, "~3t0p0g3c"},                         // (
    {3, "~0t3p3g0c"},                         // )
    {8, "-4s4k -1q7m -1m7q"},                 // *
    {8, "-4f4n -0j8j"},                       // +
    {2, "-1f0b"},                             // ,
    {5, "-0j5j"},                             // -
    {2, "-1e1f"},                             // .
    {6, "-0c6s"},                             // /
    {8, "@0e8e8s0s"},                         // 0
    {8, "-1p4s4e"},                           // 1
    {8, "~0p0s8s8l0e0e8e"},                   // 2
    {8, "~0q1s7s7l3l ~3l8l8e1e0g"},           // 3
    {8, "-6e6s0i8i"},                         // 4
    {8, "-7s1s0m ~0m2n8n8e1e0g"},             // 5
    {8, "~7r5s0s0i @0e8e8n0n"},               // 6
    {8, "-0s8s3e"},                           // 7
    {8, "@1l7l7s1s @0e8e8l0l"},               // 8
    {8, "@0j8j8s0s ~8o8e3e1f"},               // 9
    {2, "-1e1f -1n1o"},                       // :
    {2, "-1f0b -1n1o"},                       // ;
    {7, "-7o0j7e"},                           // <
    {8, "-0h8h -0l8l"},                       // =
    {7, "-0o7j0e"},                           // >
    {7, "~0q0s7s7m3m3i -3e3f"},               // ?
    {11, "@3h7h7n3n ~7m7hBhBs0s0d7d9e"},      // @
    {10, "-0e5sAe -2j8j"},                    // A
    {8, "-0e0s ~0s4s7s7l4l0l ~0l5l8l8e5e0e"}, // B
    {9, "~9p9s0s0e9e9h"},                     // C
    {9, "-0e0s ~0s4s9s9e4e0e"},               // D
    {7, "-7s0s0e7e -0l6l"},                   // E
    {7, "-7s0s0e -0l6l"},                     // F
    {9, "~9p9s0s0e9e9k9k5k"},                 // G
    {9, "-0e0s -9e9s -0l9l"},                 // H
    {2, "-1e1s"},                             // I
    {6, "~6s6l6e0e0h"},                       // J
    {8, "-0e0s -8s0i -3m8e"},                 // K
    {7, "-0s0e7e"},                           // L
    {10, "-0e0s5iAsAe"},                      // M
    {9, "-0e0s9e9s"},                         // N
    {10, "@0eAeAs0s"},                        // O
    {8, "-0e0s ~0s4s8s8k4k0k"},               // P
    {10, "@0eAeAs0s -6hAd"},                  // Q
    {8, "-0e0s ~0s4s8s8k4k0k -4k8e"},         // R
    {8, "~8p8s0s0l8l8e0e0h"},                 // S
    {8, "-0s8s -4s4e"},                       // T
    {9, "~0s0l0e9e9l9s"},                     // U
    {10, "-0s5eAs"},                          // V
    {12, "-0s3e6s9eCs"},                      // W
    {9, "-0s9e -9s0e"},                       // X
    {8, "-0s4l8s -4l4e"},                     // Y
    {8, "-0s8s0e8e"},                         // Z
    {3, "-3t0t0c3c"},                         // [
    {6, "-0s6c"},                             // backslash
    {3, "-0t3t3c0c"},                         // ]
    {6, "-0n3s6n"},                           // ^
    {8, "-0c8c"},                             // _
    {2, "-0s2p"},                             // `
    {7, "~1n1o7o7j7e ~7k3k0k0e5e7h"},         // a
    {7, "-0s0e @0e7e7o0o"},                   // b
    {7, "~7m7o0o0e7e7g"},                     // c
    {7, "-7s7e @0e7e7o0o"},                   // d
    {7, "-0j7j ~7j7o0o0e6e7g"},               // e
    {5, "~5s2s2n2e -0o5o"},                   // f
    {7, "@0e7e7o0o ~7o7f7a0a0c"},             // g
    {7, "-0s0e ~0j0o7o7j7e"},                 // h
    {2, "-1e1o -1r1s"},                       // i
    {2, "~2o2f2a0a -2r2s"},                   // j
    {7, "-0s0e -6o0h -2j7e"},                 // k
    {3, "~1s1i1e3e"},                         // l
    {10, "-0e0o ~0j0o5o5j5e ~5j5oAoAjAe"},    // m
    {7, "-0e0o ~0j0o7o7j7e"},                 // n
    {8, "@0e8e8o0o"},                         // o
    {7, "-0o0a @0e7e7o0o"},                   // p
    {7, "-7o7a @0e7e7o0o"},                   // q
    {5, "-0e0o ~0j0o4o5o"},                   // r
    {6, "~6m6o0o0j6j6e0e0g"},                 // s
    {5, "~2s2j2e5e -0o5o"},                   // t
    {7, "~0o0j0e7e7j -7o7e"},                 // u
    {8, "-0o4e8o"},                           // v
    {10, "-0o3e5o7eAo"},                      // w
    {7, "-0o7e -7o0e"},                       // x
    {8, "-0o4e -8o2a"},                       // y
    {7, "-0o7o0e7e"},                         // z
    {4, "~4t2t2o2k0k ~0k2k2g2c4c"},           // {
    {2, "-1t1c"},                             // |
    {4, "~0t2t2o2k4k ~4k2k2g2c0c"},           // }
    {8, "~0i2m4k6i8m"},                       // ~
};

typedef struct point {
    double x, y;
} point;

static const glyph *find(char letter)
{
    return &GLYPHS[(letter >= FIRST && letter <= LAST ? letter : '?') - FIRST];
}

static point middle(point a, point b)
{
    return (point){0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
}

static int32_t add_line(point a, point b, int32_t n, pl_font_segment *out)
{
    PL_ASSERT(n < PL_FONT_SEGMENTS);
    out[n] = (pl_font_segment){a.x, a.y, b.x, b.y};
    return n + 1;
}

// Bezier's parabola from a to c, drawn towards b.
static int32_t add_curve(point a, point b, point c, int32_t n, pl_font_segment *out)
{
    point from = a;
    for (int k = 1; k <= CURVE_PIECES; k++) {
        double t = (double)k / CURVE_PIECES, u = 1 - t;
        point to = {u * u * a.x + 2 * u * t * b.x + t * t * c.x,
                    u * u * a.y + 2 * u * t * b.y + t * t * c.y};
        n = add_line(from, to, n, out);
        from = to;
    }
    return n;
}

static int32_t add_stroke(char kind, int32_t n_point, const point *p, int32_t n,
                          pl_font_segment *out)
{
    if (kind == '-') {
        for (int32_t i = 1; i < n_point; i++) n = add_line(p[i - 1], p[i], n, out);
    } else if (kind == '@') {
        for (int32_t i = 0; i < n_point; i++) {
            point before = p[(i + n_point - 1) % n_point], after = p[(i + 1) % n_point];
            n = add_curve(middle(before, p[i]), p[i], middle(p[i], after), n, out);
        }
    } else {
        for (int32_t i = 1; i + 1 < n_point; i++) {
            point from = i == 1 ? p[0] : middle(p[i - 1], p[i]);
            point to = i + 2 == n_point ? p[i + 1] : middle(p[i], p[i + 1]);
            n = add_curve(from, p[i], to, n, out);
        }
    }
    return n;
}

int32_t pl_font_width(char letter)
{
    return find(letter)->width;
}

int32_t pl_font_segments(char letter, pl_font_segment out[PL_FONT_SEGMENTS])
{
    int32_t n = 0;
    for (const char *s = find(letter)->strokes; *s != '\0';) {
        char kind = *s++;
        point p[POINTS_MAX];
        int32_t n_point = 0;
        for (; *s != '\0' && *s != ' '; s += 2) {
            PL_ASSERT(n_point < POINTS_MAX);
            p[n_point++] = (point){s[0] >= 'A' ? s[0] - 'A' + 10 : s[0] - '0', s[1] - 'e'};
        }
        n = add_stroke(kind, n_point, p, n, out);
        if (*s == ' ') s++;
    }
    return n;
}
