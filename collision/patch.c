// Patches that cannot touch themselves.

#include "patch.h"
#include "search.h"
#include "../meshes/geometry.h"

#include <math.h>
#include <string.h>

// Products must exceed this share of the lengths in them: far above rounding, far below any angle
// that matters.
static const double SMOOTH_MIN = 1e-10;
// Of the room of a fan, for rounding.
static const double ROOM_SHARE = 0.999;

// --- Outlines: a list of 2 * edge + (1 if it runs from the upper vertex to the lower), sorted ---

enum {
    MAX_EDGES = 3 * PL_LEAF_ITEMS * PL_CHUNK_LEAVES,
    MAX_FAN = 24,     // faces; larger fans are searched
    CHUNK_FANS = 512, // what a thread takes at least
};

static int32_t edge_code(const pl_surfaces *s, const pl_item *item, int k)
{
    return 2 * item->edge[k] + (s->edge_point[2 * item->edge[k]] != item->point[k]);
}

// Appends to a sorted outline; an edge meets its opposite and both vanish.
static int32_t push(int32_t *out, int32_t n, int32_t code)
{
    if (n > 0 && out[n - 1] == code - 1 && (code & 1) != 0) return n - 1;
    out[n] = code;
    return n + 1;
}

static int32_t outline_leaf(const pl_surfaces *s, int32_t leaf, int32_t *out)
{
    int32_t code[3 * PL_LEAF_ITEMS];
    int n = 0;
    for (int32_t i = s->leaf_item[leaf]; i < s->leaf_item[leaf + 1]; i++) {
        for (int k = 0; k < 3; k++) {
            int32_t c = edge_code(s, &s->item[i], k);
            int at = n++;
            for (; at > 0 && code[at - 1] > c; at--) code[at] = code[at - 1];
            code[at] = c;
        }
    }
    int32_t kept = 0;
    for (int i = 0; i < n; i++) kept = push(out, kept, code[i]);
    return kept;
}

// Writes the outline of the subtree to `out`, and into the chunk if the subtree is large enough.
// `merged` is scratch.
static int32_t outline_subtree(pl_surfaces *s, pl_chunk *chunk, pl_subtree tree, int32_t *out,
                               int32_t *merged)
{
    if (tree.n_leaf == 1) return outline_leaf(s, tree.leaf, out);
    int32_t n_left = outline_subtree(s, chunk, pl_subtree_left(tree), out, merged);
    const int32_t *a = out, *b = out + n_left;
    int32_t n_right = outline_subtree(s, chunk, pl_subtree_right(tree), out + n_left, merged);
    int32_t n = 0;
    for (int32_t i = 0, j = 0; i < n_left || j < n_right;) {
        bool left = j == n_right || (i < n_left && a[i] <= b[j]);
        n = push(merged, n, left ? a[i++] : b[j++]);
    }
    for (int32_t i = 0; i < n; i++) out[i] = merged[i];
    if (tree.n_leaf < PL_PATCH_LEAVES) return n;

    s->node_outline[tree.node] = (int32_t)chunk->n_outline;
    chunk->outline[chunk->n_outline++] = n;
    for (int32_t i = 0; i < n; i++) chunk->outline[chunk->n_outline++] = out[i];
    return n;
}

void pl_patch_forget(pl_surfaces *s, const pl_chunk *chunk)
{
    for (int32_t i = 0; i < 2 * chunk->tree.n_leaf - 1; i++) {
        s->node_outline[chunk->tree.node + i] = -1;
    }
}

pl_status pl_patch_outline(pl_surfaces *s, pl_chunk *chunk)
{
    const pl_subtree tree = chunk->tree;
    bool faces = s->body[chunk->body].self;
    for (int32_t i = s->leaf_item[tree.leaf]; i < s->leaf_item[tree.leaf + tree.n_leaf]; i++) {
        faces = faces && s->item[i].kind == PL_ITEM_FACE;
    }
    pl_patch_forget(s, chunk);
    chunk->n_outline = 0;
    if (!faces || tree.n_leaf < PL_PATCH_LEAVES) return PL_OK;

    // All edges of all nodes would fit into this; most of them cancel.
    int32_t depth = 1;
    for (int32_t n = tree.n_leaf; n >= PL_PATCH_LEAVES; n = (n + 1) / 2) depth++;
    int64_t most = (int64_t)depth * 3 * PL_LEAF_ITEMS * tree.n_leaf + 2 * tree.n_leaf;
    int32_t out[MAX_EDGES], merged[MAX_EDGES];
    int32_t *all = pl_alloc(most, sizeof *all), *kept = chunk->outline;
    if (all == NULL) return PL_ERROR_MEMORY;
    chunk->outline = all;
    outline_subtree(s, chunk, tree, out, merged);
    chunk->outline = kept;
    pl_status status = pl_reserve((void **)&chunk->outline, &chunk->outline_capacity,
                                  chunk->n_outline, sizeof *all);
    for (int64_t i = 0; i < chunk->n_outline && status == PL_OK; i++) chunk->outline[i] = all[i];
    pl_free(all);
    if (status != PL_OK) pl_patch_forget(s, chunk);
    return status;
}

// --- The test ---

// Places at the start and the end of the motion.
typedef struct moving {
    double at[2][3];
} moving;

static moving locate(const pl_surfaces *s, int32_t point, const moving *origin)
{
    moving m;
    int64_t v = 3 * (int64_t)s->point[point];
    for (int k = 0; k < 3; k++) {
        m.at[0][k] = s->x0[v + k] - origin->at[0][k];
        m.at[1][k] = s->x1[v + k] - origin->at[1][k];
    }
    return m;
}

// True if d . a(t) x b(t) > 0 for all t in [0, 1], by its Bernstein coefficients
//   d . a0 x b0,   (d . a0 x b1 + d . a1 x b0) / 2,   d . a1 x b1.
static bool turns_left(const double d[3], const moving *a, const moving *b)
{
    double c00[3], c01[3], c10[3], c11[3];
    pl_cross(a->at[0], b->at[0], c00);
    pl_cross(a->at[0], b->at[1], c01);
    pl_cross(a->at[1], b->at[0], c10);
    pl_cross(a->at[1], b->at[1], c11);
    double a2 = PL_MAX(pl_dot(a->at[0], a->at[0]), pl_dot(a->at[1], a->at[1]));
    double b2 = PL_MAX(pl_dot(b->at[0], b->at[0]), pl_dot(b->at[1], b->at[1]));
    double least = SMOOTH_MIN * sqrt(a2 * b2); // |d| = 1
    return pl_dot(d, c00) > least && pl_dot(d, c01) + pl_dot(d, c10) > 2 * least &&
           pl_dot(d, c11) > least;
}

static const int32_t *edge_points(const pl_surfaces *s, int32_t code, int32_t out[2])
{
    const int32_t *p = s->edge_point + 2 * (int64_t)(code / 2);
    out[0] = p[code & 1];
    out[1] = p[1 - (code & 1)];
    return out;
}

// The middle of an outline.
static moving outline_middle(const pl_surfaces *s, const int32_t *code, int32_t n)
{
    const moving zero = {0};
    moving c = {0};
    for (int32_t i = 0; i < n; i++) {
        int32_t p[2];
        moving a = locate(s, edge_points(s, code[i], p)[0], &zero);
        for (int t = 0; t < 2; t++) {
            for (int k = 0; k < 3; k++) c.at[t][k] += a.at[t][k] / n;
        }
    }
    return c;
}

// The unit direction of the area that an outline encloses, half way through the motion; false if it
// encloses none.
static bool outline_direction(const pl_surfaces *s, const int32_t *code, int32_t n, const moving *c,
                              double d[3])
{
    d[0] = d[1] = d[2] = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t p[2];
        edge_points(s, code[i], p);
        moving a = locate(s, p[0], c), b = locate(s, p[1], c);
        double am[3], bm[3], cross[3];
        for (int k = 0; k < 3; k++) {
            am[k] = a.at[0][k] + a.at[1][k];
            bm[k] = b.at[0][k] + b.at[1][k];
        }
        pl_cross(am, bm, cross);
        for (int k = 0; k < 3; k++) d[k] += cross[k];
    }
    double length = sqrt(pl_dot(d, d));
    if (!(length > 0) || !isfinite(length)) return false;
    for (int k = 0; k < 3; k++) d[k] /= length;
    return true;
}

// Some vector across d.
static void across(const double d[3], double w[3])
{
    int least = fabs(d[0]) < fabs(d[1]) ? 0 : 1;
    if (fabs(d[2]) < fabs(d[least])) least = 2;
    double axis[3] = {0};
    axis[least] = 1;
    pl_cross(axis, d, w);
}

// Turning left all the way, an edge from a to b passes the half-line where w . x = 0 once per turn
// when it goes from below to above it.
static bool passes(const double w[3], const moving *a, const moving *b)
{
    return pl_dot(w, a->at[0]) < 0 && pl_dot(w, b->at[0]) >= 0;
}

// Once around c, counter-clockwise seen against d.
static bool star_shaped(const pl_surfaces *s, const int32_t *code, int32_t n, const moving *c,
                        const double d[3])
{
    double w[3];
    across(d, w);
    int32_t turns = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t p[2];
        edge_points(s, code[i], p);
        moving a = locate(s, p[0], c), b = locate(s, p[1], c);
        if (!turns_left(d, &a, &b)) return false;
        turns += passes(w, &a, &b);
    }
    return turns == 1;
}

static bool all_face(const pl_surfaces *s, pl_subtree tree, const double d[3])
{
    const moving zero = {0};
    for (int32_t i = s->leaf_item[tree.leaf]; i < s->leaf_item[tree.leaf + tree.n_leaf]; i++) {
        const int32_t *p = s->item[i].point;
        moving origin = locate(s, p[0], &zero);
        moving a = locate(s, p[1], &origin), b = locate(s, p[2], &origin);
        if (!turns_left(d, &a, &b)) return false;
    }
    return true;
}

bool pl_patch_smooth(const pl_surfaces *s, pl_subtree tree)
{
    if (tree.n_leaf < PL_PATCH_LEAVES || tree.n_leaf > PL_CHUNK_LEAVES) return false;
    const pl_chunk *chunk = &s->chunk[s->leaf_chunk[tree.leaf]];
    if (s->node_outline[tree.node] < 0) return false;
    const int32_t *outline = chunk->outline + s->node_outline[tree.node];
    int32_t n = outline[0];
    if (n == 0) return false; // closed: it has an inner side
    const int32_t *code = outline + 1;
    moving c = outline_middle(s, code, n);
    double d[3];
    return outline_direction(s, code, n, &c, d) && star_shaped(s, code, n, &c, d) &&
           all_face(s, tree, d);
}

static void note_patches(pl_surfaces *s, pl_subtree tree)
{
    if (pl_patch_smooth(s, tree)) {
        for (int32_t i = 0; i < tree.n_leaf; i++) s->leaf_patch[tree.leaf + i] = tree.node;
    } else if (tree.n_leaf > 1) {
        note_patches(s, pl_subtree_left(tree));
        note_patches(s, pl_subtree_right(tree));
    }
}

static void list_patches(void *context, int64_t first, int64_t last)
{
    pl_surfaces *s = context;
    for (int64_t c = first; c < last; c++) {
        int32_t body = s->chunk[c].body;
        const pl_subtree tree = s->chunk[c].tree;
        for (int32_t i = 0; i < tree.n_leaf; i++) s->leaf_patch[tree.leaf + i] = -1;
        if (pl_is_stale(s, body) && pl_surfaces_paired(s, body, body)) note_patches(s, tree);
    }
}

void pl_patch_list(pl_surfaces *s)
{
    pl_loop(s->n_chunk, 1, list_patches, s);
}

// --- Fans ---

// The sum of the fan's normals half way through the motion, of unit length; false if there is none.
static bool fan_direction(const moving *corner, int32_t n, double d[3])
{
    d[0] = d[1] = d[2] = 0;
    for (int32_t i = 0; i < n; i++) {
        double a[3], b[3], normal[3];
        for (int k = 0; k < 3; k++) {
            a[k] = corner[2 * i].at[0][k] + corner[2 * i].at[1][k];
            b[k] = corner[2 * i + 1].at[0][k] + corner[2 * i + 1].at[1][k];
        }
        pl_cross(a, b, normal);
        for (int k = 0; k < 3; k++) d[k] += normal[k];
    }
    double length = sqrt(pl_dot(d, d));
    if (!(length > 0) || !isfinite(length)) return false;
    for (int k = 0; k < 3; k++) d[k] /= length;
    return true;
}

// Every corner of the outline is left as often as it is reached: the fan is closed.
static bool fan_closes(const int32_t *point, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int balance = 0;
        for (int32_t j = 0; j < n; j++) {
            balance += (point[2 * j] == point[2 * i]) - (point[2 * j + 1] == point[2 * i]);
        }
        if (balance != 0) return false;
    }
    return true;
}

// How much each corner may move relative to the centre, in parts of its distance at the start, so
// that the fan stays as it is: there, with m the smallest d . a x b over |a| |b| of its faces,
//     d . (a + u) x (b + v) >= (m - 2 r - r^2) |a| |b|    for |u| <= r |a|, |v| <= r |b|,
// which turns left, by SMOOTH_MIN |a + u| |b + v|, if (1 + SMOOTH_MIN) (2 r + r^2) < m -
// SMOOTH_MIN; and as long as all turn left, they turn around the centre as often as before.
static float find_room(const moving *corner, int32_t n, const double d[3])
{
    double least = 1;
    for (int32_t i = 0; i < n; i++) {
        const double *a = corner[2 * i].at[0], *b = corner[2 * i + 1].at[0];
        double cross[3];
        pl_cross(a, b, cross);
        least = PL_MIN(least, pl_dot(d, cross) / sqrt(pl_dot(a, a) * pl_dot(b, b)));
    }
    double r = sqrt(1 + PL_MAX(least - SMOOTH_MIN, 0) / (1 + SMOOTH_MIN)) - 1;
    return (float)(ROOM_SHARE * r);
}

static bool fan_smooth(const pl_surfaces *s, int32_t p, float *room)
{
    const moving zero = {0};
    int32_t n = s->fan[p + 1] - s->fan[p];
    if (n < 3 || n > MAX_FAN || !s->body[s->point_body[p]].self) return false;
    const int32_t *point = s->fan_point + 2 * (int64_t)s->fan[p];
    if (!fan_closes(point, n)) return false;
    moving corner[2 * MAX_FAN], centre = locate(s, p, &zero);
    for (int32_t i = 0; i < 2 * n; i++) corner[i] = locate(s, point[i], &centre);
    double d[3], w[3];
    if (!fan_direction(corner, n, d)) return false;
    across(d, w);
    int32_t turns = 0;
    for (int32_t i = 0; i < n; i++) {
        const moving *a = &corner[2 * i], *b = &corner[2 * i + 1];
        if (!turns_left(d, a, b)) return false;
        turns += passes(w, a, b);
    }
    *room = find_room(corner, n, d);
    return turns == 1;
}

static void test_fans(void *context, int64_t first, int64_t last)
{
    pl_surfaces *s = context;
    for (int32_t p = (int32_t)first; p < last; p++) {
        if (!pl_is_stale(s, s->point_body[p])) continue;
        s->smooth[p] = fan_smooth(s, p, &s->fan_room[p]);
        memcpy(s->fan_x + 3 * (int64_t)p, s->x0 + 3 * (int64_t)s->point[p], 3 * sizeof(double));
    }
}

void pl_patch_fans(pl_surfaces *s)
{
    pl_loop(s->n_point, CHUNK_FANS, test_fans, s);
}

// Has no corner of the fan moved farther, relative to the centre, than its room?
static bool fan_holds(const pl_surfaces *s, int32_t p)
{
    const double *x = s->fan_x + 3 * (int64_t)p, room = s->fan_room[p];
    const double *x0 = s->x0 + 3 * (int64_t)s->point[p], *x1 = s->x1 + 3 * (int64_t)s->point[p];
    for (int32_t i = s->fan[p]; i < s->fan[p + 1]; i++) {
        int32_t q = s->fan_point[2 * (int64_t)i];
        const double *y = s->fan_x + 3 * (int64_t)q;
        const double *y0 = s->x0 + 3 * (int64_t)s->point[q], *y1 = s->x1 + 3 * (int64_t)s->point[q];
        double size = 0, by0 = 0, by1 = 0;
        for (int k = 0; k < 3; k++) {
            double a = y[k] - x[k], u = (y0[k] - x0[k]) - a, v = (y1[k] - x1[k]) - a;
            size += a * a;
            by0 += u * u;
            by1 += v * v;
        }
        if (!(PL_MAX(by0, by1) <= room * room * size)) return false;
    }
    return true;
}

typedef struct open_loop {
    pl_surfaces *s;
    uint8_t *opened;
} open_loop;

static void open_fans(void *context, int64_t first, int64_t last)
{
    const open_loop *l = context;
    pl_surfaces *s = l->s;
    for (int32_t p = (int32_t)first; p < last; p++) {
        float room;
        if (!s->smooth[p] || fan_holds(s, p) || fan_smooth(s, p, &room)) continue;
        s->smooth[p] = 0;
        l->opened[p] = 1;
    }
}

void pl_patch_open(pl_surfaces *s, uint8_t *opened)
{
    pl_loop(s->n_point, CHUNK_FANS, open_fans, &(open_loop){s, opened});
}
