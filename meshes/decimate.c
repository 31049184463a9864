#include "geometry.h"
#include "heap.h"
#include "skin_improve.h"
#include "quadric.h"
#include "skin.h"

#include <math.h>

// Edges are collapsed one by one, cheapest first. The cost is the quadric error of the merged
// vertex: squared distances to the planes of all original faces that it stands for, weighted by
// area, plus SHAPE_COST times the squared distances to the original vertices that it stands for.
// The second part decides in flat regions, where the first is blind: the original vertices gather
// in compact clusters around the new ones, so that the faces come out even and well shaped. In
// choosing the place it has the smaller weight SHAPE_PLACE: enough to make it unique, too little to
// round off edges and corners.
#define SHAPE_COST 0.02
#define SHAPE_PLACE 0.003

// Limits that are relaxed one after the other when collapses run out. What keeps the surface sound
// (topology, no intersection) is not among them.
typedef struct stage {
    pl_patch_limits limits;
    double excess; // times the error of the best place: so much another place may have
} stage;

static const stage stages[] = {
    {{.quality = 0.4, .turn = 0.5, .fold = -0.5}, .excess = 1.5},
    {{.quality = 0.2, .turn = 0.2, .fold = -0.8}, .excess = 2},
    {{.quality = 0.05, .turn = 0.05, .fold = -0.95}, .excess = 10},
    {{.quality = 0.005, .turn = 0, .fold = -1}, .excess = INFINITY},
};
enum { N_STAGES = sizeof stages / sizeof stages[0] };

// A stage is repeated while a pass removes at least this part of the faces.
#define STAGE_PROGRESS 0.01

typedef struct decimation {
    pl_skin skin;
    pl_quadric *quadric; // (n_vert) in coordinates (x - centre) * skin.scale: less cancellation
    pl_cluster *cluster; // (n_vert) the original vertices that each one stands for, likewise
    int32_t *version;    // (n_vert) counts the collapses into a vertex
    pl_heap heap;
    double centre[3];
} decimation;

// --- Cost ---

static void to_local(const decimation *d, const double x[3], double y[3])
{
    for (int k = 0; k < 3; k++) y[k] = (x[k] - d->centre[k]) * d->skin.scale;
}

static void from_local(const decimation *d, const double y[3], double x[3])
{
    for (int k = 0; k < 3; k++) x[k] = d->centre[k] + y[k] / d->skin.scale;
}

// Adds a face of the original surface to the errors of its corners.
static void add_face(decimation *d, const int32_t v[3])
{
    double p[3][3], n[3];
    for (int k = 0; k < 3; k++) to_local(d, d->skin.x + 3 * (int64_t)v[k], p[k]);
    pl_face_normal(p[0], p[1], p[2], n);
    double length = sqrt(pl_dot(n, n)), weight = length / 6; // a third of the area for each corner
    if (!(length > 0)) return;
    for (int k = 0; k < 3; k++) n[k] /= length;
    for (int k = 0; k < 3; k++) {
        pl_quadric_add_plane(&d->quadric[v[k]], n, p[0], weight);
        pl_cluster_add_point(&d->cluster[v[k]], p[k], weight);
    }
}

// The volume between the origin o and the faces around v: adds what they span now, 6 times, to
// *volume, and to g what makes g . (p - o) the same for v at p. Of the two faces that hold `other`
// as well, which vanish when the two become one, half is added: they are met from both ends.
static void add_star_volume(const decimation *d, int32_t v, int32_t other, const double o[3],
                            double g[3], double *volume)
{
    for (int32_t c = d->skin.first[v]; c >= 0; c = d->skin.next[c]) {
        const int32_t *f = d->skin.face + (c - c % 3);
        int32_t corner[3] = {v, f[(c + 1) % 3], f[(c + 2) % 3]};
        double x[3][3], n[3];
        for (int i = 0; i < 3; i++) {
            to_local(d, d->skin.x + 3 * (int64_t)corner[i], x[i]);
            for (int k = 0; k < 3; k++) x[i][k] -= o[k];
        }
        pl_cross(x[1], x[2], n);
        bool vanishes = corner[1] == other || corner[2] == other;
        *volume += (vanishes ? 0.5 : 1) * pl_dot(n, x[0]);
        for (int k = 0; k < 3 && !vanishes; k++) g[k] += n[k];
    }
}

// The place of the smallest error among those that leave the enclosed volume as it is [Lindstrom &
// Turk 1998]; of the smallest error at all if that one is far off.
static void solve_place(const decimation *d, const pl_quadric *error, int32_t u, int32_t v,
                        double y[3])
{
    double l[6], a[3], b[3], step[3], g[3] = {0, 0, 0}, volume = 0, edge = 0;
    to_local(d, d->skin.x + 3 * (int64_t)u, a);
    to_local(d, d->skin.x + 3 * (int64_t)v, b);
    for (int k = 0; k < 3; k++) {
        y[k] = 0.5 * (a[k] + b[k]);
        edge += (a[k] - b[k]) * (a[k] - b[k]);
    }
    if (!pl_quadric_factor(error, l)) return;
    pl_quadric_solve(l, (double[3]){-error->b[0], -error->b[1], -error->b[2]}, y);
    add_star_volume(d, u, v, a, g, &volume);
    add_star_volume(d, v, u, a, g, &volume);
    pl_quadric_solve(l, g, step);
    double t = (volume - (pl_dot(g, y) - pl_dot(g, a))) / pl_dot(g, step);
    if (!(t * t * pl_dot(step, step) < edge)) return;
    for (int k = 0; k < 3; k++) y[k] += t * step[k];
}

// The error of the vertex that u and v would become, with the cluster at the weight `shape`.
static pl_quadric merged_error(const decimation *d, int32_t u, int32_t v, double shape)
{
    pl_quadric error = d->quadric[u];
    pl_quadric_add(&error, &d->quadric[v]);
    pl_quadric_add_cluster(&error, &d->cluster[u], shape);
    pl_quadric_add_cluster(&error, &d->cluster[v], shape);
    return error;
}

static double error_at(const decimation *d, const pl_quadric *error, const double at[3])
{
    double y[3];
    to_local(d, at, y);
    return pl_quadric_value(error, y);
}

// Where the vertex that u and v become would best be.
static void best_place(const decimation *d, int32_t u, int32_t v, double at[3])
{
    pl_quadric error = merged_error(d, u, v, SHAPE_PLACE);
    double y[3];
    solve_place(d, &error, u, v, y);
    from_local(d, y, at);
}

// Enters an edge, unless too many faces are around it.
static pl_status push_edge(decimation *d, int32_t u, int32_t v)
{
    if (d->skin.valence[u] + d->skin.valence[v] - 2 > PL_PATCH_FACES) return PL_OK;
    double at[3];
    int32_t low = PL_MIN(u, v), high = PL_MAX(u, v);
    best_place(d, low, high, at);
    pl_quadric error = merged_error(d, low, high, SHAPE_COST);
    double cost = error_at(d, &error, at);
    return pl_heap_push(&d->heap,
                        (pl_heap_edge){cost, low, high, d->version[low], d->version[high]});
}

// All edges. Each is a side of two faces, of which one runs upwards.
static pl_status push_all(decimation *d)
{
    d->heap.n = 0;
    for (int32_t c = 0; c < 3 * d->skin.n_face; c++) {
        int32_t u = d->skin.face[c], v = d->skin.face[c - c % 3 + (c + 1) % 3];
        if (u >= 0 && u < v) PL_TRY(push_edge(d, u, v));
    }
    return PL_OK;
}

// --- Collapse ---

static bool has_corner(const int32_t face[3], int32_t v)
{
    return face[0] == v || face[1] == v || face[2] == v;
}

// The vertices next to v, each once, as the corners after v in its faces.
static void ring(const pl_skin *skin, int32_t v, const int32_t *star, int32_t n, int32_t *out)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t *f = skin->face + 3 * (int64_t)star[i];
        out[i] = f[0] == v ? f[1] : f[1] == v ? f[2] : f[0];
    }
}

// The faces around u and v, with v turned into u. False if too many, or if the result would not be
// manifold: u and v must have exactly two neighbours in common (the link condition), and the
// surface must be more than a tetrahedron.
static bool make_collapse(const pl_skin *skin, int32_t u, int32_t v, pl_patch *patch)
{
    int32_t star_u[PL_PATCH_FACES], star_v[PL_PATCH_FACES];
    int32_t ring_u[PL_PATCH_FACES], ring_v[PL_PATCH_FACES];
    int32_t n_u = pl_skin_star(skin, u, star_u), n_v = pl_skin_star(skin, v, star_v), common = 0;
    if (n_u < 0 || n_v < 0 || n_u + n_v - 2 > PL_PATCH_FACES || (n_u == 3 && n_v == 3))
        return false;
    ring(skin, u, star_u, n_u, ring_u);
    ring(skin, v, star_v, n_v, ring_v);
    for (int32_t i = 0; i < n_u * n_v; i++) common += ring_u[i / n_v] == ring_v[i % n_v];
    if (common != 2) return false;
    *patch = (pl_patch){.vertex = u};
    int32_t dying[2], n_dying = 0;
    for (int32_t i = 0; i < n_u + n_v; i++) {
        int32_t f = i < n_u ? star_u[i] : star_v[i - n_u];
        const int32_t *corner = skin->face + 3 * (int64_t)f;
        if (has_corner(corner, u) && has_corner(corner, v)) {
            if (i < n_u) dying[n_dying++] = f;
            continue;
        }
        int32_t *fresh = patch->corner + 3 * patch->n_new;
        for (int k = 0; k < 3; k++) fresh[k] = corner[k] == v ? u : corner[k];
        patch->old[patch->n_new++] = f;
    }
    patch->n_old = patch->n_new;
    while (n_dying > 0) patch->old[patch->n_old++] = dying[--n_dying];
    return true;
}

// Finds a place for the vertex that u and v become: the best one, or else their middle or one of
// them.
static bool find_place(decimation *d, int32_t u, int32_t v, const stage *stage, pl_patch *patch)
{
    const double *xu = d->skin.x + 3 * (int64_t)u, *xv = d->skin.x + 3 * (int64_t)v;
    pl_quadric error = merged_error(d, u, v, SHAPE_PLACE);
    best_place(d, u, v, patch->at);
    if (pl_patch_fits(&d->skin, patch, &stage->limits)) return true;
    double allowed = stage->excess * error_at(d, &error, patch->at);
    const double share[3] = {0.5, 0, 1};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) patch->at[k] = (1 - share[i]) * xu[k] + share[i] * xv[k];
        if (error_at(d, &error, patch->at) > allowed) continue;
        if (pl_patch_fits(&d->skin, patch, &stage->limits)) return true;
    }
    return false;
}

// Makes one vertex, u, of u and v. False if that is not possible within the limits.
static bool collapse(decimation *d, int32_t u, int32_t v, const stage *stage)
{
    pl_patch patch;
    if (!make_collapse(&d->skin, u, v, &patch) || !find_place(d, u, v, stage, &patch)) return false;
    pl_patch_apply(&d->skin, &patch);
    pl_quadric_add(&d->quadric[u], &d->quadric[v]);
    pl_cluster_add(&d->cluster[u], &d->cluster[v]);
    d->version[u]++;
    d->version[v]++;
    return true;
}

static pl_status push_around(decimation *d, int32_t u)
{
    for (int32_t c = d->skin.first[u]; c >= 0; c = d->skin.next[c]) {
        PL_TRY(push_edge(d, u, d->skin.face[c - c % 3 + (c + 1) % 3]));
    }
    return PL_OK;
}

// One pass: every edge comes up once, and again whenever one of its ends has changed.
static pl_status run_pass(decimation *d, int32_t target, const stage *stage)
{
    PL_TRY(push_all(d));
    pl_heap_edge edge;
    while (d->skin.n_alive > target && pl_heap_pop(&d->heap, &edge)) {
        if (d->version[edge.u] != edge.version_u || d->version[edge.v] != edge.version_v) continue;
        if (collapse(d, edge.u, edge.v, stage)) PL_TRY(push_around(d, edge.u));
    }
    return PL_OK;
}

static pl_status run_stages(decimation *d, int32_t target)
{
    for (int s = 0; s < N_STAGES && d->skin.n_alive > target; s++) {
        int32_t before;
        do {
            before = d->skin.n_alive;
            PL_TRY(run_pass(d, target, &stages[s]));
        } while (d->skin.n_alive > target &&
                 before - d->skin.n_alive > STAGE_PROGRESS * (double)before);
    }
    return PL_OK;
}

// --- All of it ---

static void decimation_free(decimation *d)
{
    pl_skin_free(&d->skin);
    pl_free(d->quadric);
    pl_free(d->cluster);
    pl_free(d->version);
    pl_free(d->heap.edge);
}

static pl_status decimation_start(const pl_mesh *surface, decimation *d)
{
    double lo[3], hi[3];
    pl_mesh_bounds(surface, lo, hi);
    for (int k = 0; k < 3; k++) d->centre[k] = 0.5 * lo[k] + 0.5 * hi[k];
    PL_TRY(pl_skin_create(surface, &d->skin));
    d->quadric = pl_alloc_zero(surface->n_vert, sizeof *d->quadric);
    d->cluster = pl_alloc_zero(surface->n_vert, sizeof *d->cluster);
    d->version = pl_alloc_zero(surface->n_vert, sizeof *d->version);
    if (d->quadric == NULL || d->cluster == NULL || d->version == NULL) return PL_ERROR_MEMORY;
    for (int64_t f = 0; f < surface->n_face; f++) add_face(d, surface->face + 3 * f);
    return PL_OK;
}

// Names the first fault.
static pl_status check_surface(const pl_mesh *surface)
{
    pl_surface_report r;
    PL_TRY(pl_mesh_inspect(surface, &r));
    const char *hint = "; see pl_mesh_inspect and pl_mesh_clean";
    pl_status status = PL_OK, bad = PL_ERROR_GEOMETRY;
    if (surface->n_face == 0) {
        status = pl_fail(bad, "decimate: the mesh has no faces");
    } else if (r.n_open > 0) {
        status = pl_fail(bad, "decimate: edge %d-%d is open%s", r.open[0], r.open[1], hint);
    } else if (r.n_nonmanifold > 0) {
        status = pl_fail(bad, "decimate: edge %d-%d has more than two faces%s", r.nonmanifold[0],
                         r.nonmanifold[1], hint);
    } else if (r.n_misoriented > 0) {
        status = pl_fail(bad, "decimate: the faces at edge %d-%d are oriented differently%s",
                         r.misoriented[0], r.misoriented[1], hint);
    } else if (r.n_pinched > 0) {
        status = pl_fail(bad, "decimate: vertex %d joins parts of the surface in a point%s",
                         r.pinched[0], hint);
    } else if (r.n_degenerate > 0) {
        status = pl_fail(bad, "decimate: face %d has no area%s", r.degenerate[0], hint);
    } else if (r.n_intersections > 0) {
        status = pl_fail(bad, "decimate: faces %d and %d intersect%s", r.intersections[0],
                         r.intersections[1], hint);
    }
    pl_surface_report_free(&r);
    return status;
}

static double place_cost(const void *user, int32_t vertex, const double at[3])
{
    const decimation *d = user;
    pl_quadric error = d->quadric[vertex];
    pl_quadric_add_cluster(&error, &d->cluster[vertex], SHAPE_PLACE);
    return error_at(d, &error, at);
}

static pl_status decimate_surface(const pl_mesh *surface, int32_t target, pl_mesh **out)
{
    decimation d = {0};
    pl_status status = decimation_start(surface, &d);
    if (status == PL_OK) status = run_stages(&d, target);
    if (status == PL_OK && d.skin.n_alive > target) {
        pl_log(PL_LOG_WARNING, "decimate: no safe collapse left at %d faces, %d wanted",
               d.skin.n_alive, target);
    }
    if (status == PL_OK) {
        pl_skin_improve(&d.skin, place_cost, &d);
        status = pl_skin_mesh(&d.skin, out);
    }
    decimation_free(&d);
    return status;
}

pl_decimate_options pl_decimate_options_default(void)
{
    return (pl_decimate_options){.faces = 1000};
}

pl_status pl_mesh_decimate(const pl_mesh *mesh, const pl_decimate_options *options, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(mesh);
    pl_decimate_options o = options != NULL ? *options : pl_decimate_options_default();
    if (o.faces < 4) {
        return pl_fail(PL_ERROR_ARGUMENT, "decimate: %d faces; a closed surface has at least 4",
                       o.faces);
    }
    int32_t target = o.faces - o.faces % 2;
    pl_mesh *surface;
    PL_TRY(pl_mesh_surface(mesh, NULL, &surface));
    pl_status status = check_surface(surface);
    if (status == PL_OK && surface->n_face <= target) {
        *out = surface;
        return PL_OK;
    }
    if (status == PL_OK) status = decimate_surface(surface, target, out);
    pl_mesh_destroy(surface);
    return status;
}
