// Queries on the state of a world: rays, nearest points, bodies in a box.
//
// One tree of boxes holds the faces of all bodies. Its boxes follow the state, when somebody asks;
// its shape is chosen again when the boxes have become much larger than they were.

#include "query.h"
#include "world.h"
#include "../collision/distance.h"
#include "../meshes/tree.h"

#include <math.h>
#include <string.h>

enum { LEAST_FACES = 4096 }; // that are worth a thread

struct pl_queries {
    int32_t n_face;
    int32_t *face;          // (3*n_face) of all bodies; vertices as the outside sees them
    int32_t *place;         // (n_face) of the body of each face
    int32_t *first;         // (bodies) of the faces of each place
    pl_tree tree;           // of the faces
    pl_tree_centre *centre; // (n_face) scratch: of their boxes
    double area;            // of all boxes of the tree when its shape was chosen [m^2]
    int64_t version;        // of the state that the boxes are of; -1: they are not set
    uint8_t *met;           // (bodies) scratch: 1 if it overlaps the box that is asked for
};

void pl_queries_destroy(pl_queries *queries)
{
    if (queries == NULL) return;
    pl_tree_free(&queries->tree);
    pl_free(queries->face);
    pl_free(queries->place);
    pl_free(queries->first);
    pl_free(queries->centre);
    pl_free(queries->met);
    pl_free(queries);
}

// --- Faces ---

// The faces of the surface of a body, appended; arrays grow to hold them.
static pl_status add_surface(pl_queries *q, const pl_world_body *b, int32_t place,
                             int64_t capacity[2])
{
    pl_mesh *surface = NULL;
    int32_t *vertex = pl_alloc(b->mesh->n_vert, sizeof *vertex);
    pl_status status =
        vertex != NULL ? pl_mesh_surface(b->mesh, vertex, &surface) : PL_ERROR_MEMORY;
    int64_t first = q->n_face, n = first + (surface != NULL ? surface->n_face : 0);
    if (n > PL_MESH_MAX) status = pl_fail(PL_ERROR_ARGUMENT, "query: too many faces");
    if (status == PL_OK) {
        status = pl_reserve((void **)&q->face, &capacity[0], 3 * n, sizeof *q->face);
    }
    if (status == PL_OK) {
        status = pl_reserve((void **)&q->place, &capacity[1], n, sizeof *q->place);
    }
    if (status == PL_OK) {
        for (int64_t i = 3 * first; i < 3 * n; i++) {
            q->face[i] = b->published + vertex[surface->face[i - 3 * first]];
        }
        for (int64_t i = first; i < n; i++) q->place[i] = place;
        q->n_face = (int32_t)n;
    }
    pl_mesh_destroy(surface);
    pl_free(vertex);
    return status;
}

static pl_status build(const pl_world *world, pl_queries *q)
{
    int64_t capacity[2] = {0, 0};
    q->version = -1;
    q->first = pl_alloc(world->bodies.n, sizeof *q->first);
    q->met = pl_alloc(world->bodies.n, sizeof *q->met);
    if (q->first == NULL || q->met == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        q->first[i] = q->n_face;
        if (b->kind != PL_BODY_NONE) PL_TRY(add_surface(q, b, i, capacity));
    }
    q->centre = pl_alloc(q->n_face, sizeof *q->centre);
    if (q->centre == NULL) return PL_ERROR_MEMORY;
    return pl_tree_alloc(q->n_face, &q->tree);
}

static pl_status create(const pl_world *world, pl_queries **out)
{
    pl_queries *q = pl_alloc_zero(1, sizeof *q);
    if (q == NULL) return PL_ERROR_MEMORY;
    pl_status status = build(world, q);
    if (status != PL_OK) {
        pl_queries_destroy(q);
        return status;
    }
    *out = q;
    return PL_OK;
}

// --- The tree ---

typedef struct fit_loop {
    pl_queries *q;
    const double *x;
} fit_loop;

static void find_centres(void *context, int64_t first, int64_t last)
{
    const fit_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        pl_box box = pl_face_box(l->x, l->q->face + 3 * i);
        l->q->centre[i] = pl_box_centre(&box, (int32_t)i);
    }
}

static void set_leaves(void *context, int64_t first, int64_t last)
{
    const fit_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        l->q->tree.box[l->q->tree.leaf[i]] = pl_face_box(l->x, l->q->face + 3 * i);
    }
}

static void fit_boxes(pl_queries *q, const double *x)
{
    pl_loop(q->n_face, LEAST_FACES, set_leaves, &(fit_loop){q, x});
    pl_tree_join(&q->tree);
}

static void choose_shape(pl_queries *q, const double *x)
{
    pl_loop(q->n_face, LEAST_FACES, find_centres, &(fit_loop){q, x});
    pl_tree_arrange(&q->tree, q->centre);
    fit_boxes(q, x);
}

// Half the area of all inner boxes: how many of them a ray will meet is in proportion to it.
static double total_area(const pl_tree *tree)
{
    double sum = 0;
    for (int32_t i = 1; i < tree->n; i++) {
        double d[3];
        pl_subtract(tree->box[i].hi, tree->box[i].lo, d);
        sum += d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
    }
    return sum;
}

static void follow(pl_queries *q, const double *x)
{
    static const double WORN = 1.5; // times the area at first: bodies have moved past each other
    bool fits = q->version >= 0;
    if (fits) {
        fit_boxes(q, x);
        fits = total_area(&q->tree) <= WORN * q->area;
    }
    if (!fits) {
        choose_shape(q, x);
        q->area = total_area(&q->tree);
    }
}

// Makes the tree if there is none, and brings it to the state of now.
static pl_status prepare(pl_world *world)
{
    if (world->queries == NULL) PL_TRY(create(world, &world->queries));
    pl_queries *q = world->queries;
    if (q->version == world->published.version) return PL_OK;
    int32_t before = pl_threads_enter(world->options.threads);
    follow(q, world->published.x);
    pl_threads_set(before);
    q->version = world->published.version;
    return PL_OK;
}

// --- What is common to all ---

static pl_status check_point(const char *name, const double p[3])
{
    if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "%s: not finite", name);
}

static pl_status check_distance(double distance)
{
    if (distance >= 0) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "max_distance: negative, or no number");
}

static const pl_ray_hit NOTHING = {
    .body = -1, .face = -1, .vertex = {-1, -1, -1}, .distance = INFINITY};

static bool takes_part(const pl_world *world, int32_t item, uint32_t mask)
{
    return (world->bodies.body[world->queries->place[item]].surface.category & mask) != 0;
}

// The corners of a face.
static void find_corners(const pl_world *world, int32_t item, const double *corner[3])
{
    const int32_t *face = world->queries->face + 3 * (int64_t)item;
    for (int k = 0; k < 3; k++) corner[k] = world->published.x + 3 * (int64_t)face[k];
}

// What there is to say about a point of a face.
static void describe(const pl_world *world, int32_t item, const double weight[3], double distance,
                     pl_ray_hit *out)
{
    const pl_queries *q = world->queries;
    int32_t place = q->place[item];
    const double *c[3];
    find_corners(world, item, c);
    *out = (pl_ray_hit){
        .body = pl_world_id(world, place), .face = item - q->first[place], .distance = distance};
    pl_face_normal(c[0], c[1], c[2], out->normal);
    double length = sqrt(pl_dot(out->normal, out->normal));
    for (int k = 0; k < 3; k++) {
        out->vertex[k] = q->face[3 * (int64_t)item + k] - world->bodies.body[place].published;
        out->weight[k] = weight[k];
        out->point[k] = weight[0] * c[0][k] + weight[1] * c[1][k] + weight[2] * c[2][k];
        out->normal[k] = length > 0 ? out->normal[k] / length : 0;
    }
}

// The best so far.
typedef struct search_state {
    const pl_world *world;
    uint32_t mask;
    double point[3]; // the origin of a ray, or that which is asked for
    int axis[3];     // ray: its direction is longest along the last of them,
    double shear[3]; // and these bring it there: see meets_face
    int32_t item;    // -1: none
    double distance; // of the item; else the largest of interest
    double weight[3];
} search_state;

// Of two at the same distance the first by place and face counts, whatever the tree looks like.
static void take(search_state *s, int32_t item, double distance, const double weight[3])
{
    bool better = distance < s->distance ||
                  (distance == s->distance && (s->item < 0 || item < s->item)); // no NaN
    if (!better) return;
    s->item = item;
    s->distance = distance;
    memcpy(s->weight, weight, sizeof s->weight);
}

// --- Rays ---

// Woop, Benthin, Wald, "Watertight ray/triangle intersection", JCGT 2(1), 2013: space is sheared so
// that the ray is the last axis, and the origin is seen from the three edges. Faces that share an
// edge find the same number for it with opposite signs, to the bit, so that one of them is met.
static bool meets_face(const search_state *s, const double *const corner[3], double weight[3],
                       double *t)
{
    double p[3][3];
    for (int c = 0; c < 3; c++) {
        double d[3];
        pl_subtract(corner[c], s->point, d);
        double z = d[s->axis[2]];
        for (int k = 0; k < 2; k++) p[c][k] = d[s->axis[k]] - s->shear[k] * z;
        p[c][2] = s->shear[2] * z;
    }
    double u = p[2][0] * p[1][1] - p[2][1] * p[1][0];
    double v = p[0][0] * p[2][1] - p[0][1] * p[2][0];
    double w = p[1][0] * p[0][1] - p[1][1] * p[0][0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
    double sum = u + v + w;
    if (sum == 0) return false; // seen from its edge; its neighbours are not
    weight[0] = u / sum;
    weight[1] = v / sum;
    weight[2] = w / sum;
    *t = weight[0] * p[0][2] + weight[1] * p[1][2] + weight[2] * p[2][2];
    return *t >= 0;
}

static double pass_face(void *user, int32_t item)
{
    search_state *s = user;
    const double *corner[3];
    double weight[3], t;
    if (!takes_part(s->world, item, s->mask)) return s->distance;
    find_corners(s->world, item, corner);
    if (meets_face(s, corner, weight, &t)) take(s, item, t, weight);
    return s->distance;
}

// Scaled twice, so that the square of no length is too large or small.
static void make_unit(const double d[3], double unit[3])
{
    double most = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
    for (int k = 0; k < 3; k++) unit[k] = d[k] / most;
    double length = sqrt(pl_dot(unit, unit));
    for (int k = 0; k < 3; k++) unit[k] /= length;
}

static void set_shear(search_state *s, const double unit[3])
{
    int z = 0;
    for (int k = 1; k < 3; k++) z = fabs(unit[k]) > fabs(unit[z]) ? k : z;
    for (int k = 0; k < 3; k++) s->axis[k] = (z + 1 + k) % 3;
    s->shear[0] = unit[s->axis[0]] / unit[z];
    s->shear[1] = unit[s->axis[1]] / unit[z];
    s->shear[2] = 1 / unit[z];
}

pl_status pl_world_ray(pl_world *world, const double origin[3], const double direction[3],
                       double max_distance, uint32_t mask, pl_ray_hit *out)
{
    PL_REQUIRE(out);
    *out = NOTHING;
    PL_REQUIRE(world);
    PL_REQUIRE(origin);
    PL_REQUIRE(direction);
    PL_TRY(check_point("origin", origin));
    PL_TRY(check_point("direction", direction));
    PL_TRY(check_distance(max_distance));
    if (direction[0] == 0 && direction[1] == 0 && direction[2] == 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "direction: all 0");
    }
    PL_TRY(prepare(world));
    search_state s = {.world = world, .mask = mask, .item = -1, .distance = max_distance};
    double unit[3];
    memcpy(s.point, origin, sizeof s.point);
    make_unit(direction, unit);
    set_shear(&s, unit);
    pl_tree_ray(&world->queries->tree, origin, unit, max_distance, pass_face, &s);
    if (s.item >= 0) describe(world, s.item, s.weight, s.distance, out);
    return PL_OK;
}

// --- The nearest point ---

// The square of a distance, and a little more: what is rounded off must not hide a face.
static double bound_of(double distance)
{
    return distance * distance * (1 + 8 * DBL_EPSILON);
}

static double approach_face(void *user, int32_t item)
{
    search_state *s = user;
    if (!takes_part(s->world, item, s->mask)) return bound_of(s->distance);
    const double *c[3];
    double z[3], e[3], f[3];
    find_corners(s->world, item, c);
    pl_subtract(s->point, c[0], z);
    pl_subtract(c[0], c[1], e);
    pl_subtract(c[0], c[2], f);
    pl_foot foot = pl_foot_triangle(z, e, f);
    if (foot.square < INFINITY) {
        take(s, item, sqrt(foot.square), (const double[3]){foot.rest, foot.s, foot.t});
    }
    return bound_of(s->distance);
}

pl_status pl_world_closest(pl_world *world, const double point[3], double max_distance,
                           uint32_t mask, pl_closest_hit *out)
{
    PL_REQUIRE(out);
    *out = NOTHING;
    PL_REQUIRE(world);
    PL_REQUIRE(point);
    PL_TRY(check_point("point", point));
    PL_TRY(check_distance(max_distance));
    PL_TRY(prepare(world));
    search_state s = {.world = world, .mask = mask, .item = -1, .distance = max_distance};
    memcpy(s.point, point, sizeof s.point);
    pl_tree_nearest(&world->queries->tree, point, bound_of(max_distance), approach_face, &s);
    if (s.item >= 0) describe(world, s.item, s.weight, s.distance, out);
    return PL_OK;
}

// --- Boxes ---

// Does the plane across `axis`, somewhere, part the face from the box? The box (lo, hi) is given
// from the first corner of the face, whose others are at b and c.
static bool parts(const double axis[3], const double lo[3], const double hi[3], const double b[3],
                  const double c[3])
{
    double least = 0, most = 0; // of the box
    for (int k = 0; k < 3; k++) {
        least += axis[k] * (axis[k] > 0 ? lo[k] : hi[k]);
        most += axis[k] * (axis[k] > 0 ? hi[k] : lo[k]);
    }
    double at_b = pl_dot(axis, b), at_c = pl_dot(axis, c);
    return fmax(0, fmax(at_b, at_c)) < least || fmin(0, fmin(at_b, at_c)) > most;
}

// Of a face whose own box overlaps the box, by the axes that are left: the normal, and those across
// an edge of each (Akenine-Moller, "Fast 3D triangle-box overlap testing", 2001).
static bool overlaps_box(const double *const corner[3], const pl_box *box)
{
    double lo[3], hi[3], edge[3][3], normal[3];
    pl_subtract(box->lo, corner[0], lo);
    pl_subtract(box->hi, corner[0], hi);
    pl_subtract(corner[1], corner[0], edge[0]);
    pl_subtract(corner[2], corner[0], edge[1]);
    pl_subtract(corner[2], corner[1], edge[2]);
    pl_cross(edge[0], edge[1], normal);
    if (parts(normal, lo, hi, edge[0], edge[1])) return false;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const double unit[3] = {k == 0, k == 1, k == 2};
            double axis[3];
            pl_cross(edge[i], unit, axis);
            if (parts(axis, lo, hi, edge[0], edge[1])) return false;
        }
    }
    return true;
}

typedef struct box_search {
    const pl_world *world;
    uint32_t mask;
    pl_box box;
} box_search;

static bool visit_face(void *user, int32_t item)
{
    const box_search *s = user;
    const pl_queries *q = s->world->queries;
    uint8_t *met = &q->met[q->place[item]];
    if (*met != 0 || !takes_part(s->world, item, s->mask)) return true;
    const double *corner[3];
    find_corners(s->world, item, corner);
    *met = overlaps_box(corner, &s->box);
    return true;
}

pl_status pl_world_overlap(pl_world *world, const double lo[3], const double hi[3], uint32_t mask,
                           int32_t capacity, int32_t *body, int32_t *n)
{
    PL_REQUIRE(n);
    *n = 0;
    PL_REQUIRE(world);
    PL_REQUIRE(lo);
    PL_REQUIRE(hi);
    if (capacity < 0) return pl_fail(PL_ERROR_ARGUMENT, "capacity: negative");
    if (capacity > 0) PL_REQUIRE(body);
    PL_TRY(check_point("lo", lo));
    PL_TRY(check_point("hi", hi));
    if (lo[0] > hi[0] || lo[1] > hi[1] || lo[2] > hi[2]) {
        return pl_fail(PL_ERROR_ARGUMENT, "lo: above hi");
    }
    PL_TRY(prepare(world));
    box_search s = {world, mask, {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}}};
    pl_queries *q = world->queries;
    for (int64_t i = 0; i < world->bodies.n; i++) q->met[i] = 0;
    pl_tree_search(&q->tree, &s.box, visit_face, &s);
    for (int64_t i = 0; i < world->bodies.n; i++) {
        if (q->met[i] == 0) continue;
        if (*n < capacity) body[*n] = pl_world_id(world, i);
        (*n)++;
    }
    return PL_OK;
}
