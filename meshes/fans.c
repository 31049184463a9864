#include "fans.h"
#include "geometry.h"

#include <math.h>
#include <string.h>

// A vertex with at least this many faces is a hub. With fewer, trying all pairs is cheaper.
enum { HUB_FACES = 64 };

// What rounding can do to a direction, all steps together.
static const double ROUNDING = 1e-13;
// Cones narrower than this (squared) are not split any more.
static const double NARROW = 1e-20;
// Nor are those wider than this (squared): with 3, three directions may surround the hub.
static const double WIDE = 2.9;

// --- Directions ---

// The directions of all sums of `n` unit vectors with positive weights; n = 0: all directions.
typedef struct cone {
    int n;
    double u[3][3];
    int i, j;     // the two that are farthest apart
    double width; // and the square of their distance
} cone;

// False if there is no direction, or if the difference overflows.
static bool unit_direction(const double from[3], const double to[3], double u[3])
{
    double largest = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = to[k] - from[k];
        largest = fmax(largest, fabs(u[k]));
    }
    if (!(largest > 0) || !isfinite(largest)) return false;
    for (int k = 0; k < 3; k++) {
        u[k] /= largest;
        square += u[k] * u[k];
    }
    for (int k = 0; k < 3; k++) u[k] /= sqrt(square);
    return true;
}

// Sets i, j and width.
static void measure_cone(cone *c)
{
    c->width = -1;
    for (int a = 0; a < c->n; a++) {
        for (int b = a + 1; b < c->n; b++) {
            double d[3];
            pl_subtract(c->u[a], c->u[b], d);
            double square = pl_dot(d, d);
            if (square <= c->width) continue;
            c->width = square;
            c->i = a;
            c->j = b;
        }
    }
}

// What the face covers, seen from the hub; of a face that holds the hub, the arc of the others.
static cone cone_of(const pl_mesh *mesh, int32_t hub, const int32_t corner[3])
{
    cone c = {0};
    for (int k = 0; k < 3; k++) {
        if (corner[k] == hub) continue;
        const double *to = mesh->x + 3 * (int64_t)corner[k];
        if (!unit_direction(mesh->x + 3 * (int64_t)hub, to, c.u[c.n++])) return (cone){0};
    }
    measure_cone(&c);
    return c;
}

// The box around the directions on the unit sphere. Where the flat triangle (or the chord) of the
// unit vectors has a point p = sum w_i u_i, sum w_i = 1, the sphere bulges beyond it by 1 - |p|,
// and |p|^2 = 1 - sum_(i<j) w_i w_j |u_i - u_j|^2 >= 1 - width / 3.
static pl_box cone_box(const cone *c)
{
    pl_box box = {{-2, -2, -2}, {2, 2, 2}};
    if (c->n == 0 || c->width > WIDE) return box;
    double margin = 1 - sqrt(1 - c->width / 3) + ROUNDING;
    for (int k = 0; k < 3; k++) {
        box.lo[k] = box.hi[k] = c->u[0][k];
        for (int a = 1; a < c->n; a++) {
            box.lo[k] = PL_MIN(box.lo[k], c->u[a][k]);
            box.hi[k] = PL_MAX(box.hi[k], c->u[a][k]);
        }
        box.lo[k] -= margin;
        box.hi[k] += margin;
    }
    return box;
}

// Cuts the cone in two at its widest place. False if that is of no use.
static bool split_cone(const cone *c, cone half[2])
{
    if (c->n == 0 || c->width > WIDE || c->width < NARROW) return false;
    double middle[3];
    for (int k = 0; k < 3; k++) middle[k] = c->u[c->i][k] + c->u[c->j][k];
    double length = sqrt(pl_dot(middle, middle));
    half[0] = half[1] = *c;
    for (int k = 0; k < 3; k++) {
        half[0].u[c->j][k] = half[1].u[c->i][k] = middle[k] / length;
    }
    measure_cone(&half[0]);
    measure_cone(&half[1]);
    return true;
}

// --- Building ---

// The corner with the most faces if it is a hub, else -1.
static int32_t hub_of(const int32_t corner[3], const int32_t *valence)
{
    int32_t hub = corner[0];
    for (int k = 1; k < 3; k++) {
        if (valence[corner[k]] > valence[hub]) hub = corner[k];
    }
    return valence[hub] >= HUB_FACES ? hub : -1;
}

// Sorts the faces into fans. valence (n_vert): the faces of each vertex; afterwards, the fan of
// each hub.
static pl_status gather_fans(const bool *skip, int32_t *valence, pl_fans *fans)
{
    const pl_mesh *mesh = fans->mesh;
    int32_t *count = pl_alloc_zero(mesh->n_vert, sizeof *count), n_faces = 0, filled = 0;
    if (count == NULL) return PL_ERROR_MEMORY;
    for (int32_t f = 0; f < mesh->n_face; f++) {
        fans->of[f] = skip[f] ? -1 : hub_of(mesh->face + 3 * (int64_t)f, valence);
        if (fans->of[f] < 0) continue;
        fans->n += count[fans->of[f]]++ == 0;
        n_faces++;
    }
    fans->fan = pl_alloc_zero(fans->n, sizeof *fans->fan);
    fans->face = pl_alloc(n_faces, sizeof *fans->face);
    pl_status status = fans->fan != NULL && fans->face != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status != PL_OK) fans->n = 0;
    for (int32_t v = 0, k = 0; k < fans->n; v++) {
        if (count[v] == 0) continue;
        fans->fan[k] = (pl_fan){.hub = v, .face = fans->face + filled};
        filled += count[v];
        valence[v] = k++;
    }
    for (int32_t f = 0; f < mesh->n_face && status == PL_OK; f++) {
        if (fans->of[f] < 0) continue;
        fans->of[f] = valence[fans->of[f]];
        pl_fan *fan = &fans->fan[fans->of[f]];
        fans->face[fan->face - fans->face + fan->n++] = f;
    }
    pl_free(count);
    return status;
}

static void fit_fan(pl_fans *fans, pl_fan *fan)
{
    for (int32_t i = 0; i < fan->n; i++) {
        const int32_t *corner = fans->mesh->face + 3 * (int64_t)fan->face[i];
        cone c = cone_of(fans->mesh, fan->hub, corner);
        pl_box box = pl_face_box(fans->mesh->x, corner);
        fans->arc[i] = cone_box(&c);
        fans->centre[i] = pl_box_centre(&fans->arc[i], i);
        fan->bounds = i > 0 ? pl_boxes_join(&fan->bounds, &box) : box;
    }
    pl_tree_arrange(&fan->tree, fans->centre);
    for (int32_t i = 0; i < fan->n; i++) fan->tree.box[fan->tree.leaf[i]] = fans->arc[i];
    pl_tree_join(&fan->tree);
}

void pl_fans_fit(pl_fans *fans)
{
    for (int32_t k = 0; k < fans->n; k++) fit_fan(fans, &fans->fan[k]);
}

static pl_status alloc_trees(pl_fans *fans)
{
    int32_t most = 0;
    for (int32_t k = 0; k < fans->n; k++) most = PL_MAX(most, fans->fan[k].n);
    fans->arc = pl_alloc(most, sizeof *fans->arc);
    fans->centre = pl_alloc(most, sizeof *fans->centre);
    if (fans->arc == NULL || fans->centre == NULL) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < fans->n; k++) {
        PL_TRY(pl_tree_alloc(fans->fan[k].n, &fans->fan[k].tree));
    }
    return PL_OK;
}

pl_status pl_fans_build(const pl_mesh *mesh, const bool *skip, pl_fans *out)
{
    *out = (pl_fans){.mesh = mesh};
    int32_t *valence = pl_alloc_zero(mesh->n_vert, sizeof *valence);
    out->of = pl_alloc(mesh->n_face, sizeof *out->of);
    out->seen = pl_alloc_zero(mesh->n_face, sizeof *out->seen);
    pl_status status = PL_ERROR_MEMORY;
    if (valence != NULL && out->of != NULL && out->seen != NULL) {
        for (int64_t i = 0; i < 3 * (int64_t)mesh->n_face; i++) {
            valence[mesh->face[i]] += !skip[i / 3];
        }
        status = gather_fans(skip, valence, out);
    }
    if (status == PL_OK) status = alloc_trees(out);
    pl_free(valence);
    if (status != PL_OK) pl_fans_free(out);
    return status;
}

void pl_fans_free(pl_fans *fans)
{
    for (int32_t k = 0; k < fans->n; k++) pl_tree_free(&fans->fan[k].tree);
    pl_free(fans->fan);
    pl_free(fans->of);
    pl_free(fans->face);
    pl_free(fans->arc);
    pl_free(fans->centre);
    pl_free(fans->seen);
    *fans = (pl_fans){0};
}

// --- Searching ---

typedef struct search {
    pl_fans *fans;
    const pl_fan *fan;
    pl_tree_visit *visit;
    void *user;
} search;

static double box_width(const pl_box *box)
{
    double x = box->hi[0] - box->lo[0], y = box->hi[1] - box->lo[1], z = box->hi[2] - box->lo[2];
    return PL_MAX(x, PL_MAX(y, z));
}

static bool visit_leaf(const search *s, int32_t node)
{
    int32_t f = s->fan->face[s->fan->tree.item[node - s->fan->tree.n]];
    uint32_t *seen = &s->fans->seen[f];
    if (*seen == s->fans->searches) return true; // another part of the cone has found it
    *seen = s->fans->searches;
    return s->visit(s->user, f);
}

// Whichever is wider, the cone or the node, gives way to its halves: a long, thin cone would
// otherwise have a box that overlaps too much.
static bool search_node(const search *s, int32_t node, const cone *c, const pl_box *box)
{
    const pl_box *other = &s->fan->tree.box[node];
    cone half[2];
    if (!pl_boxes_overlap(other, box)) return true;
    if (node >= s->fan->tree.n) return visit_leaf(s, node);
    if (box_width(box) > box_width(other) && split_cone(c, half)) {
        pl_box first = cone_box(&half[0]), second = cone_box(&half[1]);
        return search_node(s, node, &half[0], &first) && search_node(s, node, &half[1], &second);
    }
    return search_node(s, 2 * node, c, box) && search_node(s, 2 * node + 1, c, box);
}

bool pl_fan_search(pl_fans *fans, int32_t k, const int32_t corner[3], pl_tree_visit *visit,
                   void *user)
{
    if (++fans->searches == 0) { // after four billion: old marks must not look like new ones
        memset(fans->seen, 0, (size_t)fans->mesh->n_face * sizeof *fans->seen);
        fans->searches = 1;
    }
    search s = {fans, &fans->fan[k], visit, user};
    cone c = cone_of(fans->mesh, s.fan->hub, corner);
    pl_box box = cone_box(&c);
    return search_node(&s, 1, &c, &box);
}
