// Stress of the elements, for people to look at.

#include "fem.h"

#define PL_LANES 1
#include "element_kernel.h"

// Cauchy's stress is P F^T / J = U diag(g s / J) U^T. Where a tet is flat, J counts as this.
static const double LEAST_VOLUME_RATIO = 1e-6;

// The principal stresses, the largest first, and the tensor (6): xx, yy, zz, xy, yz, zx.
static void find_stress(const pl_material *material, const pl_rest *rest, const double x[4][3],
                        double p[3], double tensor[6])
{
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    pl_deformed d;
    pl_element_deform(material, rest, x, &d);
    double j = d.s[0] * d.s[1] * d.s[2];
    if (fabs(j) < LEAST_VOLUME_RATIO) j = j < 0 ? -LEAST_VOLUME_RATIO : LEAST_VOLUME_RATIO;
    for (int k = 0; k < 3; k++) p[k] = d.stress.g[k] * d.s[k] / j;
    for (int e = 0; e < 6; e++) {
        const double *a = d.u + 3 * row[e], *b = d.u + 3 * column[e];
        tensor[e] = (a[0] * p[0] * b[0] + a[1] * p[1] * b[1]) + a[2] * p[2] * b[2];
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 2; k++) {
            double low = fmin(p[k], p[k + 1]);
            p[k] = fmax(p[k], p[k + 1]);
            p[k + 1] = low;
        }
    }
}

static double mises(const double p[3])
{
    double a = p[0] - p[1], b = p[1] - p[2], c = p[2] - p[0];
    return sqrt(0.5 * (a * a + b * b + c * c));
}

// vert: the vertices of the batch's patch.
static void stress_batch(const pl_material *material, const pl_fem_batch *b, const int32_t *vert,
                         const double *x, double *von_mises, double *principal, double *tensor)
{
    for (int lane = 0; lane < PL_FEM_LANES && b->tet[lane] >= 0; lane++) {
        pl_rest rest = {.volume = b->volume[lane]};
        double corner[4][3], p[3], sigma[6];
        for (int k = 0; k < 9; k++) rest.shape[k] = b->shape[k][lane];
        for (int k = 0; k < 12; k++) {
            corner[k / 3][k % 3] = x[3 * (int64_t)vert[b->corner[k / 3][lane]] + k % 3];
        }
        find_stress(material, &rest, corner, p, sigma);
        int64_t tet = b->tet[lane];
        if (von_mises != NULL) von_mises[tet] = mises(p);
        for (int k = 0; principal != NULL && k < 3; k++) principal[3 * tet + k] = p[k];
        for (int k = 0; tensor != NULL && k < 6; k++) tensor[6 * tet + k] = sigma[k];
    }
}

typedef struct stress_loop {
    const pl_fem *fem;
    int32_t body;
    const double *x;
    double *von_mises, *principal, *tensor;
} stress_loop;

static void stress_patches(void *context, int64_t first, int64_t last)
{
    const stress_loop *l = context;
    const pl_fem *fem = l->fem;
    for (int64_t i = first; i < last; i++) {
        const pl_fem_patch *patch = &fem->patch[i];
        if (patch->body != l->body) continue;
        for (int32_t k = patch->batch; k < patch->batch + patch->n_batch; k++) {
            stress_batch(&fem->body[l->body].material, &fem->batch[k], fem->vert + patch->vert,
                         l->x, l->von_mises, l->principal, l->tensor);
        }
    }
}

void pl_fem_stress(const pl_fem *fem, int32_t body, const double *x, double *von_mises,
                   double *principal, double *tensor)
{
    pl_loop(fem->n_patch, 4, stress_patches,
            &(stress_loop){fem, body, x, von_mises, principal, tensor});
}
