// A step bound by volumes.
//
// The edges of a tet from its first corner are D at x and E along d; its volume at x + t d is
// proportional to
//
//   det(D + t E) = c0 + c1 t + c2 t^2 + c3 t^3,      c0 = det D, c3 = det E,
//   c1 = det(E1 D2 D3) + det(D1 E2 D3) + det(D1 D2 E3), and c2 likewise,
//
// with columns D1 .. E3; the sign is that of the tet at rest. What is asked for is
//
//   q(t) = (1 - keep) c0 + c1 t + c2 t^2 + c3 t^3 > slack.
//
// slack is a bound on all rounding: by Hadamard's inequality a determinant of columns a, b, c is at
// most |a| |b| |c|, and computed with an error of a few units of the last place of that; all eight
// determinants together have (|D1| + |E1|) (|D2| + |E2|) (|D3| + |E3|) =: S. And the ends of the
// way are x + t d as the world rounds them: each corner is off by at most a unit of the last place
// of the largest coordinate, so that edges are off by r, and the determinant by r times the sum of
// products of two factors of S.
//
// The first root is approached from below. About a certified s, q(s + h) = p0 + p1 h + p2 h^2 + p3
// h^3 >= p0 - n1 h - n2 h^2 - n3 h^3 with n_k = max(0, -p_k): positive as long as each of the three
// takes less than a third of p0. Each such h is safe; the next one starts from s + h.

#include "volume_bound.h"

#include <float.h>
#include <math.h>

// Below this stretch a logarithm that is continued is as good as a barrier: nothing is pressed so
// flat, and steps that leave a share of the volume each do not get there.
static const double BARRIER_STRETCH = 0.002;

// In units of the last place: of the determinants, by S; and of a corner, by its coordinates.
static const double DETERMINANT = 64, CORNER = 4;
// A march of the root ends when it gains less than this share, or after so many steps.
static const double GAIN = 2e-4;
enum { MARCHES = 100 };

bool pl_material_keeps_volume(const pl_material *m)
{
    return pl_material_has_logarithm(m->kind) && m->s0 <= BARRIER_STRETCH;
}

bool pl_fem_keeps_volume(const pl_fem *fem)
{
    for (int32_t i = 0; i < fem->n_bodies; i++) {
        if (pl_material_keeps_volume(&fem->body[i].material)) return true;
    }
    return false;
}

// --- The cubic ---

// How far the cubic about some place is surely positive.
static double safe_step(const double p[4])
{
    double third = p[0] * (1.0 / 3 - 1e-12), h = INFINITY;
    if (p[1] < 0) h = fmin(h, third / -p[1]);
    if (p[2] < 0) h = fmin(h, sqrt(third / -p[2]));
    if (p[3] < 0) h = fmin(h, cbrt(third / -p[3]));
    return h;
}

double pl_cubic_positive(const double c[4], double most)
{
    double s = 0;
    for (int i = 0; i < MARCHES && s < most; i++) {
        // About s. What rounding does to these is part of the caller's slack: s <= 1.
        const double p[4] = {c[0] + s * (c[1] + s * (c[2] + s * c[3])),
                             c[1] + s * (2 * c[2] + 3 * s * c[3]), c[2] + 3 * s * c[3], c[3]};
        if (!(p[0] > 0)) return s;
        double h = safe_step(p);
        if (!(s + h < most)) return most;
        s += h;
        if (h < GAIN * s) return s;
    }
    return PL_MIN(s, most);
}

// --- Tets ---

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// A batch at work: of each lane the edges, the coefficients of its cubic, and what rounding may do.
typedef struct cubics {
    double D[3][3][PL_FEM_LANES], E[3][3][PL_FEM_LANES];
    double size[PL_FEM_LANES]; // the largest coordinate
    double c[4][PL_FEM_LANES], slack[PL_FEM_LANES];
    double left[PL_FEM_LANES]; // where this is above 0 all is well up to 1
} cubics;

static void gather(const pl_fem_batch *batch, const int32_t *vert, const double *x, const double *d,
                   cubics *q)
{
    for (int lane = 0; lane < PL_FEM_LANES; lane++) {
        int64_t first = 3 * (int64_t)vert[batch->corner[0][lane]];
        double size = 0;
        for (int k = 0; k < 3; k++) size = PL_MAX(size, fabs(x[first + k]) + fabs(d[first + k]));
        for (int e = 0; e < 3; e++) {
            int64_t at = 3 * (int64_t)vert[batch->corner[e + 1][lane]];
            for (int k = 0; k < 3; k++) {
                q->D[e][k][lane] = x[at + k] - x[first + k];
                q->E[e][k][lane] = d[at + k] - d[first + k];
                size = PL_MAX(size, fabs(x[at + k]) + fabs(d[at + k]));
            }
        }
        q->size[lane] = size;
    }
}

static double fall(double c)
{
    return c < 0 ? -c : 0;
}

// A tet's sign is that at rest: its corners are in the order of their vertices.
PL_CLONES static void expand(const pl_fem_batch *batch, double keep, cubics *q)
{
    for (int lane = 0; lane < PL_FEM_LANES; lane++) {
        double D[3][3], E[3][3], span[3], S[3][3], c[4];
        for (int k = 0; k < 9; k++) S[k / 3][k % 3] = batch->shape[k][lane];
        double sign = determinant(S[0], S[1], S[2]) > 0 ? 1 : -1;
        for (int e = 0; e < 3; e++) {
            double a = 0, b = 0;
            for (int k = 0; k < 3; k++) {
                D[e][k] = q->D[e][k][lane];
                E[e][k] = q->E[e][k][lane];
                a += D[e][k] * D[e][k];
                b += E[e][k] * E[e][k];
            }
            span[e] = sqrt(a) + sqrt(b);
        }
        c[0] = determinant(D[0], D[1], D[2]);
        c[1] = determinant(E[0], D[1], D[2]) + determinant(D[0], E[1], D[2]) +
               determinant(D[0], D[1], E[2]);
        c[2] = determinant(D[0], E[1], E[2]) + determinant(E[0], D[1], E[2]) +
               determinant(E[0], E[1], D[2]);
        c[3] = determinant(E[0], E[1], E[2]);
        for (int k = 0; k < 4; k++) q->c[k][lane] = c[k] = sign * c[k];
        double off = CORNER * DBL_EPSILON * q->size[lane];
        double pairs = span[0] * span[1] + span[0] * span[2] + span[1] * span[2] +
                       off * (span[0] + span[1] + span[2] + off);
        double slack = DETERMINANT * DBL_EPSILON * span[0] * span[1] * span[2] + off * pairs;
        q->left[lane] = (1 - keep) * c[0] - slack - fall(c[1]) - fall(c[2]) - fall(c[3]);
        q->slack[lane] = slack;
    }
}

static double bound_batch(const pl_fem_batch *batch, const cubics *q, double keep, double most,
                          int32_t *flat)
{
    for (int lane = 0; lane < PL_FEM_LANES; lane++) {
        if (batch->tet[lane] < 0 || q->left[lane] > 0) continue;
        double slack = q->slack[lane], c[4];
        for (int k = 0; k < 4; k++) c[k] = q->c[k][lane];
        if (!(c[0] > slack)) {
            ++*flat;
            continue;
        }
        c[0] = (1 - keep) * c[0] - slack;
        most = pl_cubic_positive(c, most);
    }
    return most;
}

typedef struct bound_loop {
    const pl_fem *fem;
    const double *x, *d;
    double keep;
} bound_loop;

// energy and inverted of the patches are scratch: the bound and the flat tets of each.
static void bound_patches(void *context, int64_t first, int64_t last)
{
    const bound_loop *l = context;
    const pl_fem *fem = l->fem;
    for (int64_t i = first; i < last; i++) {
        const pl_fem_patch *patch = &fem->patch[i];
        const pl_fem_body *body = &fem->body[patch->body];
        fem->bound[i] = 1;
        fem->flat[i] = 0;
        if (fem->still[patch->body] || !pl_material_keeps_volume(&body->material)) continue;
        for (int32_t b = patch->batch; b < patch->batch + patch->n_batch; b++) {
            cubics q;
            gather(&fem->batch[b], fem->vert + patch->vert, l->x, l->d, &q);
            expand(&fem->batch[b], l->keep, &q);
            fem->bound[i] = bound_batch(&fem->batch[b], &q, l->keep, fem->bound[i], &fem->flat[i]);
        }
    }
}

double pl_fem_volume_bound(const pl_fem *fem, const double *x, const double *d, double keep,
                           int32_t *flat)
{
    double t = 1;
    int32_t n = 0;
    pl_loop(fem->n_patch, 1, bound_patches, &(bound_loop){fem, x, d, keep});
    for (int32_t i = 0; i < fem->n_patch; i++) {
        t = PL_MIN(t, fem->bound[i]);
        n += fem->flat[i];
    }
    if (flat != NULL) *flat = n;
    return t;
}
