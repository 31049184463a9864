#include "quality.h"
#include "geometry.h"
#include "../base/text.h"
#include "mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- One tet ---

// The edges from a, divided by the largest coordinate of any: products of six lengths then neither
// overflow nor vanish, whatever the unit. False if all four corners coincide.
static bool scaled_edges(const double a[3], const double b[3], const double c[3], const double d[3],
                         double u[3], double v[3], double w[3])
{
    pl_subtract(b, a, u);
    pl_subtract(c, a, v);
    pl_subtract(d, a, w);
    double largest = 0;
    for (int k = 0; k < 3; k++) {
        largest = fmax(largest, fmax(fabs(u[k]), fmax(fabs(v[k]), fabs(w[k]))));
    }
    double scale = 1 / largest;
    if (!isfinite(scale) || !(scale > 0)) return false;
    for (int k = 0; k < 3; k++) {
        u[k] *= scale;
        v[k] *= scale;
        w[k] *= scale;
    }
    return true;
}

// With the edges u, v, w from one corner, det = 6 V and n_i the cross products (twice the areas):
//
//   inscribed      r = 3 V / sum of areas = det / sum |n_i|
//   circumscribed  R = | u.u (v x w) + v.v (w x u) + w.w (u x v) | / (2 |det|)
//
// so that 3 r / R divides by neither volume nor area of a degenerate tet.
double pl_tet_radius_ratio(const double a[3], const double b[3], const double c[3],
                           const double d[3])
{
    double u[3], v[3], w[3], vw[3], wu[3], uv[3];
    if (!scaled_edges(a, b, c, d, u, v, w)) return 0;
    pl_cross(v, w, vw);
    pl_cross(w, u, wu);
    pl_cross(u, v, uv);
    double det = pl_dot(u, vw), uu = pl_dot(u, u), vv = pl_dot(v, v), ww = pl_dot(w, w);
    double last[3], radius[3];
    for (int k = 0; k < 3; k++) {
        last[k] = vw[k] + wu[k] + uv[k]; // the face opposite to a
        radius[k] = uu * vw[k] + vv * wu[k] + ww * uv[k];
    }
    double area = sqrt(pl_dot(vw, vw)) + sqrt(pl_dot(wu, wu)) + sqrt(pl_dot(uv, uv)) +
                  sqrt(pl_dot(last, last));
    double bottom = area * sqrt(pl_dot(radius, radius));
    return bottom > 0 ? 6 * det * fabs(det) / bottom : 0;
}

// Two faces with the outward normals m and n (twice the area long) that meet in an edge of length
// l: |m x n| = |det| l, which gives the sine without the cancellation of a cross product.
static double dihedral(double det, double edge_squared, const double m[3], const double n[3])
{
    return atan2(fabs(det) * sqrt(edge_squared), 0.0 - pl_dot(m, n));
}

void pl_tet_dihedrals(const double a[3], const double b[3], const double c[3], const double d[3],
                      double angle[6])
{
    double u[3], v[3], w[3], bc[3], bd[3], cd[3];
    double na[3], nb[3], nc[3], nd[3]; // of the face opposite to the corner; outward if det > 0
    memset(angle, 0, 6 * sizeof *angle);
    if (!scaled_edges(a, b, c, d, u, v, w)) return;
    pl_subtract(v, u, bc);
    pl_subtract(w, u, bd);
    pl_subtract(w, v, cd);
    pl_cross(bc, bd, na);
    pl_cross(w, v, nb);
    pl_cross(u, w, nc);
    pl_cross(v, u, nd);
    double det = pl_dot(u, na);
    angle[0] = dihedral(det, pl_dot(u, u), nc, nd);
    angle[1] = dihedral(det, pl_dot(v, v), nb, nd);
    angle[2] = dihedral(det, pl_dot(w, w), nb, nc);
    angle[3] = dihedral(det, pl_dot(bc, bc), na, nd);
    angle[4] = dihedral(det, pl_dot(bd, bd), na, nc);
    angle[5] = dihedral(det, pl_dot(cd, cd), na, nb);
}

// --- All tets ---

static int bin_of(double fraction)
{
    if (!(fraction > 0)) return 0;
    return fraction < 1 ? (int)(fraction * PL_QUALITY_BINS) : PL_QUALITY_BINS - 1;
}

pl_status pl_mesh_measure(const pl_mesh *mesh, pl_mesh_quality *out, double *radius_ratio,
                          double *min_dihedral)
{
    PL_REQUIRE(mesh);
    PL_REQUIRE(out);
    *out = (pl_mesh_quality){.n_tet = mesh->n_tet,
                             .min_volume = INFINITY,
                             .max_volume = -INFINITY,
                             .min_dihedral = INFINITY,
                             .max_dihedral = -INFINITY,
                             .min_radius_ratio = INFINITY};
    if (mesh->n_tet == 0) {
        *out = (pl_mesh_quality){0};
        return pl_fail(PL_ERROR_GEOMETRY, "the mesh has no tets whose quality could be measured");
    }
    for (int64_t i = 0; i < mesh->n_tet; i++) {
        const double *x[4];
        for (int k = 0; k < 4; k++) x[k] = mesh->x + 3 * (int64_t)mesh->tet[4 * i + k];
        double volume = pl_tet_det(x[0], x[1], x[2], x[3]) / 6;
        double ratio = pl_tet_radius_ratio(x[0], x[1], x[2], x[3]);
        double angle[6], smallest = INFINITY;
        pl_tet_dihedrals(x[0], x[1], x[2], x[3], angle);
        for (int k = 0; k < 6; k++) {
            smallest = fmin(smallest, angle[k]);
            out->max_dihedral = fmax(out->max_dihedral, angle[k]);
            out->dihedral_bins[bin_of(angle[k] / M_PI)]++;
        }
        out->n_inverted += !(volume > 0);
        out->min_volume = fmin(out->min_volume, volume);
        out->max_volume = fmax(out->max_volume, volume);
        out->total_volume += volume;
        out->min_dihedral = fmin(out->min_dihedral, smallest);
        out->min_radius_ratio = fmin(out->min_radius_ratio, ratio);
        out->mean_radius_ratio += ratio;
        out->ratio_bins[bin_of(ratio)]++;
        if (radius_ratio != NULL) radius_ratio[i] = ratio;
        if (min_dihedral != NULL) min_dihedral[i] = smallest;
    }
    out->mean_radius_ratio /= mesh->n_tet;
    return PL_OK;
}

// --- Text ---

enum { BAR_WIDTH = 16 };

// A bar in proportion to the fullest bin. A bin that holds anything shows at least a dot: the worst
// tets are few, and they are what the reader looks for.
static void draw_bar(int64_t count, int64_t fullest, char bar[BAR_WIDTH + 1])
{
    int n = fullest > 0 ? (int)((double)count / (double)fullest * BAR_WIDTH + 0.5) : 0;
    memset(bar, ' ', BAR_WIDTH);
    memset(bar, '#', (size_t)n);
    if (n == 0 && count > 0) bar[0] = '.';
    bar[BAR_WIDTH] = '\0';
}

static int64_t fullest_bin(const int64_t bins[PL_QUALITY_BINS])
{
    int64_t most = 0;
    for (int i = 0; i < PL_QUALITY_BINS; i++) most = PL_MAX(most, bins[i]);
    return most;
}

static void add_histograms(pl_text *to, const pl_mesh_quality *quality)
{
    int64_t most_angles = fullest_bin(quality->dihedral_bins);
    int64_t most_ratios = fullest_bin(quality->ratio_bins);
    pl_text_add(to, "%-39s%s\n", "dihedral angle [degrees]", "radius ratio");
    for (int i = 0; i < PL_QUALITY_BINS; i++) {
        char angles[BAR_WIDTH + 1], ratios[BAR_WIDTH + 1];
        draw_bar(quality->dihedral_bins[i], most_angles, angles);
        draw_bar(quality->ratio_bins[i], most_ratios, ratios);
        pl_text_add(to, "%3d - %3d |%s %10lld  ", 180 * i / PL_QUALITY_BINS,
                    180 * (i + 1) / PL_QUALITY_BINS, angles, (long long)quality->dihedral_bins[i]);
        pl_text_add(to, "%.2f - %.2f |%s %10lld\n", (double)i / PL_QUALITY_BINS,
                    (double)(i + 1) / PL_QUALITY_BINS, ratios, (long long)quality->ratio_bins[i]);
    }
}

size_t pl_mesh_quality_text(const pl_mesh_quality *quality, char *buffer, size_t size)
{
    pl_text to = pl_text_start(buffer, size);
    if (quality == NULL) return 0;
    double degrees = 180 / M_PI;
    pl_text_add(&to, "tets          %12d   inverted %12d\n", (int)quality->n_tet,
                (int)quality->n_inverted);
    pl_text_add(&to, "volume [m^3]  min %8.3g   max %8.3g   total %8.6g\n", quality->min_volume,
                quality->max_volume, quality->total_volume);
    pl_text_add(&to, "dihedral      min %8.3f   max %8.3f   degrees\n",
                degrees * quality->min_dihedral, degrees * quality->max_dihedral);
    pl_text_add(&to, "radius ratio  min %8.5f   mean %7.5f   (regular 1, flat 0)\n\n",
                quality->min_radius_ratio, quality->mean_radius_ratio);
    add_histograms(&to, quality);
    return to.length;
}
