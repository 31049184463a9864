#include "distance.h"

#include <math.h>
#include <string.h>

static const int64_t NODES_MAX = 50000000;

// --- Inside and outside ---

// Rays along x pass this far [of h] beside the nodes, so that they do not run along edges of
// shapes that are aligned with the grid.
static const double ASIDE[2] = {1.234567e-7, 2.718281e-7};

typedef struct crossings {
    double *x;      // of all rays, one after the other
    int64_t *first; // (rays + 1) where those of a ray start
    int32_t *n;     // (rays) how many there are so far
} crossings;

// Where the ray (y, z) meets the triangle; false if it passes by. Corners in the order of their
// indices, so that an edge gives the same answer to both of its triangles.
static bool meets(const double *const corner[3], const double at[2], double *x)
{
    double w[3];
    for (int k = 0; k < 3; k++) {
        const double *a = corner[(k + 1) % 3], *b = corner[(k + 2) % 3];
        bool swap = a > b; // by their place in memory: that of their index
        if (swap) {
            const double *t = a;
            a = b, b = t;
        }
        double area = (a[1] - at[0]) * (b[2] - at[1]) - (b[1] - at[0]) * (a[2] - at[1]);
        w[k] = swap ? -area : area;
    }
    bool all = (w[0] > 0 && w[1] > 0 && w[2] > 0) || (w[0] < 0 && w[1] < 0 && w[2] < 0);
    double sum = w[0] + w[1] + w[2];
    if (!all || sum == 0) return false;
    *x = (w[0] * corner[0][0] + w[1] * corner[1][0] + w[2] * corner[2][0]) / sum;
    return true;
}

typedef void on_ray(void *user, int64_t ray, double x);

static void visit_crossings(const pl_distance *d, const pl_mesh *surface, on_ray *visit, void *user)
{
    const double *x = pl_mesh_positions(surface);
    const int32_t *face = pl_mesh_faces(surface);
    for (int32_t f = 0; f < pl_mesh_face_count(surface); f++) {
        const double *corner[3];
        int32_t lo[2], hi[2];
        for (int k = 0; k < 3; k++) corner[k] = x + 3 * (int64_t)face[3 * f + k];
        for (int k = 0; k < 2; k++) {
            double a = fmin(fmin(corner[0][k + 1], corner[1][k + 1]), corner[2][k + 1]);
            double b = fmax(fmax(corner[0][k + 1], corner[1][k + 1]), corner[2][k + 1]);
            lo[k] = PL_MAX((int32_t)floor((a - d->lo[k + 1]) / d->h) - 1, 0);
            hi[k] = PL_MIN((int32_t)ceil((b - d->lo[k + 1]) / d->h) + 1, d->n[k + 1] - 1);
        }
        for (int32_t k = lo[1]; k <= hi[1]; k++) {
            for (int32_t j = lo[0]; j <= hi[0]; j++) {
                double at[2] = {d->lo[1] + d->h * (j + ASIDE[0]), d->lo[2] + d->h * (k + ASIDE[1])};
                double where;
                if (meets(corner, at, &where)) visit(user, j + (int64_t)d->n[1] * k, where);
            }
        }
    }
}

static void count_crossing(void *user, int64_t ray, double x)
{
    (void)x;
    ((crossings *)user)->first[ray + 1]++;
}

// Kept in order: few per ray.
static void put_crossing(void *user, int64_t ray, double x)
{
    crossings *c = user;
    int64_t to = c->first[ray] + c->n[ray]++;
    for (; to > c->first[ray] && c->x[to - 1] > x; to--) c->x[to] = c->x[to - 1];
    c->x[to] = x;
}

// Turns the sign of nodes with an odd number of crossings before them.
static pl_status sign(const pl_distance *d, const crossings *c)
{
    int64_t rays = (int64_t)d->n[1] * d->n[2];
    for (int64_t ray = 0; ray < rays; ray++) {
        int64_t begin = c->first[ray], count = c->n[ray], passed = 0;
        if (count % 2 != 0) return pl_fail(PL_ERROR_GEOMETRY, "the surface is not closed");
        for (int32_t i = 0; i < d->n[0]; i++) {
            double x = d->lo[0] + d->h * i;
            while (passed < count && c->x[begin + passed] < x) passed++;
            if (passed % 2 != 0) d->value[i + d->n[0] * ray] *= -1;
        }
    }
    return PL_OK;
}

static pl_status find_inside(const pl_distance *d, const pl_mesh *surface)
{
    int64_t rays = (int64_t)d->n[1] * d->n[2];
    crossings c = {.first = pl_alloc_zero(rays + 1, sizeof *c.first),
                   .n = pl_alloc_zero(rays, sizeof *c.n)};
    pl_status status = PL_ERROR_MEMORY;
    if (c.first != NULL && c.n != NULL) {
        visit_crossings(d, surface, count_crossing, &c);
        for (int64_t ray = 0; ray < rays; ray++) c.first[ray + 1] += c.first[ray];
        c.x = pl_alloc(c.first[rays], sizeof *c.x);
    }
    if (c.x != NULL) {
        visit_crossings(d, surface, put_crossing, &c);
        status = sign(d, &c);
    }
    pl_free(c.x);
    pl_free(c.n);
    pl_free(c.first);
    return status;
}

// --- Distances ---

// A plane of nodes at a time.
static pl_status find_distances(const pl_distance *d, const pl_mesh *surface)
{
    int64_t plane = (int64_t)d->n[0] * d->n[1];
    double *x = pl_alloc(3 * plane, sizeof *x);
    pl_place *place = pl_alloc(plane, sizeof *place);
    pl_status status = x != NULL && place != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int32_t k = 0; k < d->n[2] && status == PL_OK; k++) {
        for (int64_t p = 0; p < plane; p++) {
            x[3 * p] = d->lo[0] + d->h * (double)(p % d->n[0]);
            x[3 * p + 1] = d->lo[1] + d->h * (double)(p / d->n[0]);
            x[3 * p + 2] = d->lo[2] + d->h * k;
        }
        status = pl_mesh_locate(surface, true, (int32_t)plane, x, place);
        for (int64_t p = 0; p < plane && status == PL_OK; p++) {
            d->value[p + plane * k] = place[p].distance;
        }
    }
    pl_free(x);
    pl_free(place);
    return status;
}

static pl_status create(const pl_mesh *surface, double h, double margin, pl_distance *out)
{
    double lo[3], hi[3];
    double nodes = 1;
    pl_mesh_bounds(surface, lo, hi);
    out->h = h;
    for (int k = 0; k < 3; k++) {
        if (!(lo[k] <= hi[k])) return pl_fail(PL_ERROR_GEOMETRY, "the mesh has no surface");
        double n = ceil((hi[k] - lo[k] + 2 * margin) / h) + 1;
        nodes *= n;
        if (!(nodes <= (double)NODES_MAX)) {
            return pl_fail(PL_ERROR_GEOMETRY,
                           "distances to the surface take more than %lld nodes %g m apart: the "
                           "grid's spacing is too small for the body",
                           (long long)NODES_MAX, h);
        }
        out->n[k] = (int32_t)n;
        out->lo[k] = lo[k] - margin;
    }
    out->value = pl_alloc((int64_t)nodes, sizeof *out->value);
    if (out->value == NULL) return PL_ERROR_MEMORY;
    PL_TRY(find_distances(out, surface));
    return find_inside(out, surface);
}

pl_status pl_distance_create(const pl_mesh *mesh, double h, double margin, pl_distance *out)
{
    pl_mesh *surface;
    *out = (pl_distance){0};
    PL_TRY(pl_mesh_surface(mesh, NULL, &surface));
    pl_status status = create(surface, h, margin, out);
    pl_mesh_destroy(surface);
    if (status != PL_OK) pl_distance_free(out);
    return status;
}

void pl_distance_free(pl_distance *distance)
{
    pl_free(distance->value);
    *distance = (pl_distance){0};
}

double pl_distance_at(const pl_distance *d, const double X[3])
{
    int64_t base = 0, stride[3] = {1, d->n[0], (int64_t)d->n[0] * d->n[1]};
    double t[3], beyond2 = 0;
    for (int k = 0; k < 3; k++) {
        double u = (X[k] - d->lo[k]) / d->h, most = d->n[k] - 1;
        double inside = fmin(fmax(u, 0), most);
        int32_t cell = PL_MIN((int32_t)inside, d->n[k] - 2);
        t[k] = inside - cell;
        beyond2 += (u - inside) * (u - inside);
        base += cell * stride[k];
    }
    double sum = 0;
    for (int c = 0; c < 8; c++) {
        double w =
            (c & 1 ? t[0] : 1 - t[0]) * (c & 2 ? t[1] : 1 - t[1]) * (c & 4 ? t[2] : 1 - t[2]);
        sum += w * d->value[base + (c & 1) + stride[1] * (c >> 1 & 1) + stride[2] * (c >> 2)];
    }
    return beyond2 > 0 ? sum + d->h * sqrt(beyond2) : sum;
}
