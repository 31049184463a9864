// Integrals over a solid are sums over its tets. For one with the corners x_0 .. x_3 and s their
// sum,
//
//   int 1 = V,   int x = V s / 4,   int x x^T = V (s s^T + sum_i x_i x_i^T) / 20.
//
// What a closed surface encloses is, by the divergence theorem, the sum of the signed tets from any
// point to the faces. That point, and the origin of x, is first the middle of the box around the
// solid, which gives the centre, then the centre: no moment is the difference of large numbers,
// however far away the solid is. Lengths are measured in a power of two near the size of the box,
// so that cubes and fifth powers neither overflow nor vanish.

#include "inertia.h"
#include "../meshes/edges.h"
#include "../meshes/geometry.h"
#include "../meshes/mesh.h"
#include "../meshes/predicates.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A volume is not above 0 if rounding can make it from faces that enclose none: in units of the sum
// over the faces of area times distance from the origin.
static const double VOLUME_ROUNDING = 1e-13;

// The least ratio of two principal second moments: below it the solid is a plane or a line.
static const double LEAST_RATIO = 1e-14;

typedef struct solid {
    const double *x;        // (3 per vertex)
    const int32_t *element; // (corners*n) tets, or faces seen from the origin
    int64_t n;
    int corners;      // 4 or 3
    double origin[3]; // [m]
    double unit;      // [m]
} solid;

typedef struct integrals {
    double volume, first[3], second[6]; // second: xx, yy, zz, yz, zx, xy; in powers of `unit`
    double bound;                       // of |volume|: what its terms were made of
} integrals;

// --- Integrals ---

static integrals integrate(const solid *s)
{
    integrals sum = {0};
    for (int64_t i = 0; i < s->n; i++) {
        double p[4][3] = {{0}}, total[3], normal[3], edge[3]; // of faces, p[3] stays at the origin
        for (int c = 0; c < s->corners; c++) {
            const double *x = s->x + 3 * (int64_t)s->element[s->corners * i + c];
            for (int k = 0; k < 3; k++) p[c][k] = (x[k] - s->origin[k]) / s->unit;
        }
        // The tet from a face to a point on its inner side is negative.
        pl_face_normal(p[0], p[1], p[2], normal);
        pl_subtract(p[3], p[0], edge);
        double v = pl_dot(normal, edge) / (s->corners == 4 ? 6 : -6);
        sum.volume += v;
        sum.bound += sqrt(pl_dot(normal, normal) * pl_dot(edge, edge)) / 6;
        for (int k = 0; k < 3; k++) {
            total[k] = p[0][k] + p[1][k] + p[2][k] + p[3][k];
            sum.first[k] += v / 4 * total[k];
        }
        for (int k = 0; k < 6; k++) {
            int a = k < 3 ? k : (k + 1) % 3, b = k < 3 ? k : (k + 2) % 3;
            double products = total[a] * total[b];
            for (int c = 0; c < s->corners; c++) products += p[c][a] * p[c][b];
            sum.second[k] += v / 20 * products;
        }
    }
    return sum;
}

// The origin is put into the middle of the box around the elements, the unit to its size.
static void find_box(solid *s)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < s->corners * s->n; i++) {
        const double *x = s->x + 3 * (int64_t)s->element[i];
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], x[k]);
            hi[k] = fmax(hi[k], x[k]);
        }
    }
    double half = 0;
    for (int k = 0; k < 3; k++) {
        s->origin[k] = 0.5 * lo[k] + 0.5 * hi[k];
        half = fmax(half, 0.5 * hi[k] - 0.5 * lo[k]);
    }
    s->unit = half >= DBL_MIN ? ldexp(1, ilogb(half)) : DBL_MIN;
}

// --- What is no solid ---

static pl_status check_tets(const pl_mesh *mesh)
{
    for (int64_t i = 0; i < mesh->n_tet; i++) {
        const double *x[4];
        for (int c = 0; c < 4; c++) x[c] = mesh->x + 3 * (int64_t)mesh->tet[4 * i + c];
        if (pl_orient3d(x[0], x[1], x[2], x[3]) > 0) continue;
        return pl_fail(PL_ERROR_GEOMETRY, "tet %lld: its volume is not above 0", (long long)i);
    }
    return PL_OK;
}

// Integrals over the faces are those over a solid if the faces have no border: every edge is run
// through as often in one direction as in the other.
static pl_status check_closed(const pl_mesh *mesh)
{
    pl_side *side;
    int64_t n;
    PL_TRY(pl_sides_sort(mesh->n_face, mesh->face, &side, &n));
    pl_status status = PL_OK;
    for (int64_t i = 0, end; i < n && status == PL_OK; i = end) {
        end = pl_sides_run(side, n, i);
        int64_t balance = 0;
        for (int64_t j = i; j < end; j++)
            balance += pl_side_ascends(mesh->face, side[j].side) ? 1 : -1;
        if (balance == 0) continue;
        status = pl_fail(PL_ERROR_GEOMETRY,
                         "face %d: the surface is open at its edge between the vertices %d and %d, "
                         "or a neighbour there is turned the other way; clean the mesh",
                         (int)(side[i].side / 3), (int)pl_edge_lower(side[i].edge),
                         (int)pl_edge_upper(side[i].edge));
    }
    pl_free(side);
    return status;
}

static pl_status check_weight(const pl_weight *weight)
{
    double density = weight->density, mass = weight->mass;
    if (mass == 0 && density > 0 && isfinite(density)) return PL_OK;
    if (density == 0 && mass > 0 && isfinite(mass)) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT,
                   "a density of %g kg/m^3 and a mass of %g kg: one must be finite and above 0, "
                   "the other 0",
                   density, mass);
}

// --- Principal axes ---

// Makes a[p][q] zero by a turn of the axes p and q by the angle t: tan 2t = 2 a_pq / (a_qq - a_pp),
// the smaller of the two, so that axes that are nearly right stay where they are.
static void turn_axes(double a[3][3], double axes[3][3], int p, int q)
{
    double tau = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    double t = copysign(1, tau) / (fabs(tau) + hypot(1, tau)), c = 1 / hypot(1, t), s = t * c;
    int r = 3 - p - q;
    double shift = t * a[p][q], rp = a[r][p], rq = a[r][q];
    a[p][p] -= shift;
    a[q][q] += shift;
    a[p][q] = a[q][p] = 0;
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; k++) {
        double kp = axes[k][p], kq = axes[k][q];
        axes[k][p] = c * kp - s * kq;
        axes[k][q] = s * kp + c * kq;
    }
}

void pl_symmetric_eigen(const double matrix[9], double value[3], double axes[9])
{
    double a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(a, matrix, sizeof a);
    // An element that is rounding beside its diagonal is none: where values are equal it would turn
    // the axes at random. Sweeps converge quadratically; five are the most that were seen.
    enum { SWEEPS = 20 };
    bool turned = true;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (fabs(a[p][q]) <= DBL_EPSILON * sqrt(fabs(a[p][p])) * sqrt(fabs(a[q][q])))
                    continue;
                turn_axes(a, v, p, q);
                turned = true;
            }
        }
    }
    for (int k = 0; k < 3; k++) value[k] = a[k][k];
    memcpy(axes, v, sizeof v);
}

// --- The whole ---

// From the second moments C = int x x^T / V about the centre, in units of unit^2: the moment of
// inertia about an axis is the sum of C along the other two, free of cancellation also for the long
// axis of a needle.
static pl_status find_moments(const double second[6], double unit, pl_inertia *out)
{
    const double C[9] = {second[0], second[5], second[4], second[5], second[1],
                         second[3], second[4], second[3], second[2]};
    double value[3], scale = out->mass * unit * unit;
    pl_symmetric_eigen(C, value, out->axes);
    double least = fmin(value[0], fmin(value[1], value[2]));
    double most = fmax(value[0], fmax(value[1], value[2]));
    if (!(least > LEAST_RATIO * most)) {
        return pl_fail(PL_ERROR_GEOMETRY,
                       "the moments of inertia are not those of a solid (its second moments are in "
                       "the ratio %g); are parts of the surface inside out, or is it flat?",
                       least / most);
    }
    for (int k = 0; k < 3; k++) out->moment[k] = scale * (value[(k + 1) % 3] + value[(k + 2) % 3]);
    for (int k = 0; k < 9; k++) {
        double trace = k % 4 == 0 ? C[0] + C[4] + C[8] : 0;
        out->tensor[k] = scale * (trace - C[k]);
    }
    return PL_OK;
}

static pl_status check_range(const pl_inertia *out)
{
    double least = fmin(out->moment[0], fmin(out->moment[1], out->moment[2]));
    double most = fmax(out->moment[0], fmax(out->moment[1], out->moment[2]));
    if (least >= DBL_MIN && most <= DBL_MAX && out->mass >= DBL_MIN) return PL_OK;
    return pl_fail(PL_ERROR_GEOMETRY,
                   "a mass of %g kg with moments of inertia from %g to %g kg m^2: too small or too "
                   "large for the numbers of the machine",
                   out->mass, least, most);
}

static pl_status find_inertia(solid *s, const pl_weight *weight, pl_inertia *out)
{
    find_box(s);
    integrals sum = integrate(s);
    if (!(sum.volume > VOLUME_ROUNDING * sum.bound)) {
        return pl_fail(PL_ERROR_GEOMETRY,
                       "the volume, %g m^3, is not above 0; is the surface inside out or flat?",
                       sum.volume * s->unit * s->unit * s->unit);
    }
    for (int k = 0; k < 3; k++) s->origin[k] += s->unit * (sum.first[k] / sum.volume);
    sum = integrate(s);
    for (int k = 0; k < 3; k++) // what rounding of the first sum has left
        out->centre[k] = s->origin[k] + s->unit * (sum.first[k] / sum.volume);
    out->volume = sum.volume * s->unit * s->unit * s->unit;
    out->mass = weight->density > 0 ? weight->density * out->volume : weight->mass;
    for (int k = 0; k < 6; k++) sum.second[k] /= sum.volume;
    PL_TRY(find_moments(sum.second, s->unit, out));
    return check_range(out);
}

pl_status pl_inertia_of_mesh(const pl_mesh *mesh, const pl_weight *weight, pl_inertia *out)
{
    *out = (pl_inertia){0};
    PL_TRY(check_weight(weight));
    solid s = {.x = mesh->x, .element = mesh->tet, .n = mesh->n_tet, .corners = 4};
    if (s.n == 0) s = (solid){.x = mesh->x, .element = mesh->face, .n = mesh->n_face, .corners = 3};
    if (s.n == 0) return pl_fail(PL_ERROR_GEOMETRY, "neither tets nor faces");
    PL_TRY(pl_mesh_validate(mesh));
    PL_TRY(s.corners == 4 ? check_tets(mesh) : check_closed(mesh));
    return find_inertia(&s, weight, out);
}

// About the common centre c, a part with the centre d from there adds m (C + d d^T).
pl_status pl_inertia_of_parts(int32_t n, const pl_moments *part, const double *weight, double mass,
                              pl_inertia *out)
{
    static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
    double sum = 0, second[6] = {0};
    *out = (pl_inertia){0};
    for (int32_t i = 0; i < n; i++) {
        sum += weight[i];
        out->volume += part[i].volume;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) out->centre[k] += weight[i] / sum * part[i].centre[k];
    }
    for (int32_t i = 0; i < n; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = part[i].centre[k] - out->centre[k];
        for (int k = 0; k < 6; k++) {
            second[k] += weight[i] / sum * (part[i].second[k] + d[row[k]] * d[column[k]]);
        }
    }
    out->mass = mass > 0 ? mass : sum;
    if (!(sum > 0 && isfinite(sum))) {
        return pl_fail(PL_ERROR_GEOMETRY, "shapes with a mass of %g kg", sum);
    }
    PL_TRY(find_moments(second, 1, out));
    return check_range(out);
}
