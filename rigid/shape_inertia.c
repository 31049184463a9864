// Where the mass of shapes is, by closed forms.

#include "rotation.h"
#include "shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

// --- Points within r of a box ---

// The section of the body at the distance x from the middle, x <= h = a / 2 along the edge a, is
// all points within r of a rectangle b c: its area is b c + 2 (b + c) r + pi r^2. Beyond, at h + s,
// r is sqrt(r^2 - s^2). With the integrals of its powers over s from 0 to r,
//
//     int 1 = r,        int sqrt = pi r^2 / 4,    int sqrt^2 = 2 r^3 / 3,
//     int s = r^2 / 2,  int s sqrt = r^3 / 3,     int s sqrt^2 = r^4 / 4,
//     int s^2 = r^3/3,  int s^2 sqrt = pi r^4/16, int s^2 sqrt^2 = 2 r^5 / 15,
//
// the volume and int x^2 are sums of products. A sphere has a = b = c = 0, a capsule two of them.
static double section(double b, double c, const double p[3])
{
    return b * c * p[0] + 2 * (b + c) * p[1] + PI * p[2];
}

static void rounded_box(const double edge[3], double r, pl_moments *out)
{
    const double r2 = r * r, r3 = r2 * r, r4 = r2 * r2, r5 = r3 * r2;
    const double zeroth[3] = {r, PI * r2 / 4, 2 * r3 / 3}, first[3] = {r2 / 2, r3 / 3, r4 / 4},
                 second[3] = {r3 / 3, PI * r4 / 16, 2 * r5 / 15}, whole[3] = {1, r, r2};
    double a = edge[0], b = edge[1], c = edge[2];
    out->volume = a * section(b, c, whole) + 2 * section(b, c, zeroth);
    for (int k = 0; k < 3; k++) {
        double h = edge[k] / 2, u = edge[(k + 1) % 3], v = edge[(k + 2) % 3];
        double middle = edge[k] * edge[k] * edge[k] / 12 * section(u, v, whole);
        double ends =
            h * h * section(u, v, zeroth) + 2 * h * section(u, v, first) + section(u, v, second);
        out->second[k] = (middle + 2 * ends) / out->volume;
    }
}

// --- Kinds ---

// From a solid's inertia: C = (trace / 2 - tensor) / mass.
static pl_status moments_of_mesh(const pl_shape *s, pl_moments *out)
{
    static const int at[6] = {0, 4, 8, 5, 2, 1};
    const pl_weight weight = {.density = 1};
    pl_inertia inertia;
    pl_mesh *hull = NULL;
    if (s->kind == PL_SHAPE_HULL) PL_TRY(pl_mesh_hull(s->mesh, &hull));
    pl_status status = pl_inertia_of_mesh(hull != NULL ? hull : s->mesh, &weight, &inertia);
    pl_mesh_destroy(hull);
    if (status != PL_OK) return status;
    double half = 0.5 * (inertia.tensor[0] + inertia.tensor[4] + inertia.tensor[8]);
    out->volume = inertia.volume;
    memcpy(out->centre, inertia.centre, sizeof out->centre);
    for (int k = 0; k < 6; k++) {
        out->second[k] = ((k < 3 ? half : 0) - inertia.tensor[at[k]]) / inertia.mass;
    }
    return PL_OK;
}

// A part with its volume, and others beside it.
static void add_part(const pl_moments *part, pl_moments *sum)
{
    double all = sum->volume + part->volume;
    if (!(all > 0)) return;
    double a = sum->volume / all, b = part->volume / all, by[3];
    static const int i[6] = {0, 1, 2, 1, 0, 0}, j[6] = {0, 1, 2, 2, 2, 1};
    for (int k = 0; k < 3; k++) by[k] = part->centre[k] - sum->centre[k];
    for (int k = 0; k < 6; k++) { // Steiner
        sum->second[k] = a * sum->second[k] + b * part->second[k] + a * b * by[i[k]] * by[j[k]];
    }
    for (int k = 0; k < 3; k++) sum->centre[k] += b * by[k];
    sum->volume = all;
}

// A capsule from a to b, or a ball where these are one place: with u along it, the second moments
// are those across it, and what they are more along it times u u^T.
static void capsule_part(const double a[3], const double b[3], double radius, pl_moments *out)
{
    static const int i[6] = {0, 1, 2, 1, 0, 0}, j[6] = {0, 1, 2, 2, 2, 1};
    double u[3], length = 0, edge[3] = {0};
    pl_moments own = {0};
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        length += u[k] * u[k];
        out->centre[k] = 0.5 * (a[k] + b[k]);
    }
    edge[2] = length = sqrt(length);
    rounded_box(edge, radius, &own);
    out->volume = own.volume;
    double more = length > 0 ? (own.second[2] - own.second[0]) / (length * length) : 0;
    for (int k = 0; k < 6; k++) {
        out->second[k] = (k < 3 ? own.second[0] : 0) + more * u[i[k]] * u[j[k]];
    }
}

// What the faces enclose, if there are any, and a capsule or ball for each loose edge and point.
static pl_status moments_of_loose(const pl_shape *s, pl_moments *out)
{
    pl_skeleton skeleton;
    pl_moments part;
    *out = (pl_moments){0};
    if (!(s->rounding > 0)) {
        return pl_fail(PL_ERROR_GEOMETRY,
                       "edges and points have a mass by their radius only: give one above 0");
    }
    if (s->mesh->n_face > 0 || s->mesh->n_tet > 0) PL_TRY(moments_of_mesh(s, out));
    PL_TRY(pl_skeleton_of_mesh(s->mesh, &skeleton));
    const double *x = s->mesh->x;
    for (int64_t k = 0; k < skeleton.n_edge + skeleton.n_point; k++) {
        bool edge = k < skeleton.n_edge;
        int64_t p = k - skeleton.n_edge;
        int32_t a = edge ? skeleton.edge[2 * k] : skeleton.point[p];
        int32_t b = edge ? skeleton.edge[2 * k + 1] : a;
        capsule_part(x + 3 * (int64_t)a, x + 3 * (int64_t)b, s->rounding, &part);
        add_part(&part, out);
    }
    pl_skeleton_free(&skeleton);
    return PL_OK;
}

static pl_status own_moments(const pl_shape *s, pl_moments *out)
{
    double R = s->radius, L = s->length, r = s->tube, edge[3] = {0};
    switch (s->kind) {
    case PL_SHAPE_SPHERE:
        rounded_box(edge, R, out);
        return PL_OK;
    case PL_SHAPE_CAPSULE:
        edge[2] = L;
        rounded_box(edge, R, out);
        return PL_OK;
    case PL_SHAPE_BOX:
        for (int k = 0; k < 3; k++) edge[k] = fmax(s->size[k] - 2 * s->rounding, 0);
        rounded_box(edge, s->rounding, out);
        return PL_OK;
    case PL_SHAPE_CYLINDER:
        *out = (pl_moments){PI * R * R * L, {0}, {R * R / 4, R * R / 4, L * L / 12}};
        return PL_OK;
    case PL_SHAPE_CONE:
        *out = (pl_moments){
            PI * R * R * L / 3, {0, 0, -L / 4}, {3 * R * R / 20, 3 * R * R / 20, 3 * L * L / 80}};
        return PL_OK;
    case PL_SHAPE_TORUS:
        *out = (pl_moments){2 * PI * PI * R * r * r,
                            {0},
                            {R * R / 2 + 3 * r * r / 8, R * R / 2 + 3 * r * r / 8, r * r / 4}};
        return PL_OK;
    case PL_SHAPE_HALFSPACE:
        return pl_fail(PL_ERROR_GEOMETRY,
                       "a half-space has no mass: its body must be kinematic or static");
    case PL_SHAPE_HULL:
    case PL_SHAPE_MESH:
        break;
    }
    bool loose = s->kind == PL_SHAPE_MESH && pl_mesh_is_loose(s->mesh);
    return loose ? moments_of_loose(s, out) : moments_of_mesh(s, out);
}

pl_status pl_shape_moments(const pl_shape *s, pl_moments *out)
{
    pl_moments own = {0};
    double q[4], R[9], at[3], RC[9], turned[9];
    PL_TRY(own_moments(s, &own));
    pl_rotation_compose(s->orientation, (const double[4]){1, 0, 0, 0}, q);
    pl_rotation_matrix(q, R);
    pl_matrix_apply(R, own.centre, at);
    const double *c = own.second;
    const double C[9] = {c[0], c[5], c[4], c[5], c[1], c[3], c[4], c[3], c[2]};
    for (int i = 0; i < 3; i++) { // columns of C, which is symmetric, and then rows of R C
        double column[3];
        pl_matrix_apply(R, C + 3 * i, column);
        for (int k = 0; k < 3; k++) RC[3 * k + i] = column[k];
    }
    for (int k = 0; k < 3; k++) pl_matrix_apply(R, RC + 3 * k, turned + 3 * k);
    *out =
        (pl_moments){.volume = own.volume,
                     .second = {turned[0], turned[4], turned[8], turned[5], turned[2], turned[1]}};
    for (int k = 0; k < 3; k++) out->centre[k] = at[k] + s->position[k];
    return PL_OK;
}

// --- All of them ---

pl_status pl_shapes_weigh(int32_t n, const pl_shape *shape, double density, double mass,
                          pl_inertia *out)
{
    pl_moments *part = pl_alloc(n, sizeof *part);
    double *weight = pl_alloc(n, sizeof *weight);
    pl_status status = part != NULL && weight != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n && status == PL_OK; i++) {
        status = pl_shape_moments(&shape[i], &part[i]);
        if (status == PL_OK) {
            weight[i] = part[i].volume * (shape[i].density > 0 ? shape[i].density : density);
        }
        if (status != PL_OK && status != PL_ERROR_MEMORY && n > 1) {
            char place[32];
            snprintf(place, sizeof place, "shape %d", (int)i);
            pl_fail_prefix(place);
        }
    }
    if (status == PL_OK) status = pl_inertia_of_parts(n, part, weight, mass, out);
    pl_free(part);
    pl_free(weight);
    return status;
}
