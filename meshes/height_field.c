// Surfaces of height fields.

#include "mesh.h"

#include <math.h>

enum { GRID_MAX = 20000 };

static pl_status check(int32_t nx, int32_t ny, const double *height, const double spacing[2],
                       double thickness)
{
    if (nx < 2 || ny < 2 || nx > GRID_MAX || ny > GRID_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "a height field of %d x %d heights: 2 to %d expected",
                       (int)nx, (int)ny, (int)GRID_MAX);
    }
    for (int k = 0; k < 2; k++) {
        if (spacing[k] > 0 && isfinite(spacing[k])) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "spacing: %g is not above 0 m", spacing[k]);
    }
    if (!(thickness > 0 && isfinite(thickness))) {
        return pl_fail(PL_ERROR_ARGUMENT, "thickness: %g is not above 0 m", thickness);
    }
    for (int64_t i = 0; i < (int64_t)nx * ny; i++) {
        if (isfinite(height[i])) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "height %lld, %lld: not finite", (long long)(i % nx),
                       (long long)(i / nx));
    }
    return PL_OK;
}

// Point k of the border, counter-clockwise seen from above, as a place of the grid.
static int32_t border(int32_t nx, int32_t ny, int32_t k)
{
    if (k < nx - 1) return k;
    k -= nx - 1;
    if (k < ny - 1) return (k + 1) * nx - 1;
    k -= ny - 1;
    if (k < nx - 1) return (ny - 1) * nx + (nx - 1 - k);
    k -= nx - 1;
    return (ny - 1 - k) * nx;
}

pl_status pl_mesh_height_field(int32_t nx, int32_t ny, const double *height,
                               const double spacing[2], double thickness, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(height);
    PL_REQUIRE(spacing);
    PL_TRY(check(nx, ny, height, spacing, thickness));
    int32_t top = nx * ny, around = 2 * (nx - 1) + 2 * (ny - 1);
    pl_mesh *mesh;
    pl_status status =
        pl_mesh_alloc((int64_t)top + around + 1,
                      2 * (int64_t)(nx - 1) * (ny - 1) + 3 * (int64_t)around, 0, &mesh);
    if (status != PL_OK) return status == PL_ERROR_FORMAT ? PL_ERROR_ARGUMENT : status;
    double lowest = INFINITY, *x = mesh->x;
    for (int32_t i = 0; i < top; i++) {
        x[3 * (int64_t)i] = (i % nx - 0.5 * (nx - 1)) * spacing[0];
        x[3 * (int64_t)i + 1] = (i / nx - 0.5 * (ny - 1)) * spacing[1];
        x[3 * (int64_t)i + 2] = height[i];
        lowest = fmin(lowest, height[i]);
    }
    for (int32_t k = 0; k < around; k++) {
        const double *above = x + 3 * (int64_t)border(nx, ny, k);
        double *below = x + 3 * ((int64_t)top + k);
        below[0] = above[0];
        below[1] = above[1];
        below[2] = lowest - thickness;
    }
    double *middle = x + 3 * ((int64_t)top + around);
    middle[0] = middle[1] = 0;
    middle[2] = lowest - thickness;
    int32_t *f = mesh->face;
    for (int32_t j = 0; j + 1 < ny; j++) {
        for (int32_t i = 0; i + 1 < nx; i++) {
            int32_t a = j * nx + i, b = a + 1, c = b + nx, d = a + nx;
            *f++ = a, *f++ = b, *f++ = c;
            *f++ = a, *f++ = c, *f++ = d;
        }
    }
    for (int32_t k = 0; k < around; k++) {
        int32_t next = (k + 1) % around, a = border(nx, ny, k), b = border(nx, ny, next);
        int32_t c = top + k, d = top + next;
        *f++ = a, *f++ = c, *f++ = d;
        *f++ = a, *f++ = d, *f++ = b;
        *f++ = top + around, *f++ = d, *f++ = c;
    }
    *out = mesh;
    return PL_OK;
}
