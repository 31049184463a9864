// The passes over all elements on a device, as fem/ sees them (../fem/device.h). Positions that are
// there already are not sent again: those that a step ends with are where the next one begins.

#include "../fem/device.h"
#include "device.h"
#include "elements.h"
#include "kept.h"

typedef struct fem_device {
    pl_fem_device device;
    pl_gpu *gpu;
    pl_gpu_elements elements;
    int64_t nnz;   // blocks in the rows of fem
    pl_gpu_kept x; // (3*n_vert)
    pl_gpu_buffer f, val, base;
} fem_device;

static void close_device(pl_fem_device *device)
{
    fem_device *d = (fem_device *)device;
    pl_gpu_elements_free(d->gpu, &d->elements);
    pl_gpu_kept_drop(d->gpu, &d->x);
    pl_gpu_drop(d->gpu, &d->f);
    pl_gpu_drop(d->gpu, &d->val);
    pl_gpu_drop(d->gpu, &d->base);
    pl_free(d);
}

static void send_positions(fem_device *d, const double *x)
{
    pl_gpu_kept_send(d->gpu, &d->x, x);
}

static pl_status assemble(pl_fem_device *device, const pl_fem *fem, const double *x,
                          const pl_fem_weights *weights, const double *base, pl_bsr *A, double *f,
                          double *energy)
{
    fem_device *d = (fem_device *)device;
    int64_t size = 72 * d->nnz;
    send_positions(d, x);
    if (base != NULL) {
        PL_TRY(pl_gpu_reserve(d->gpu, &d->base, 9 * d->nnz, sizeof(double)));
        pl_gpu_write(d->gpu, &d->base, 0, size, base);
    }
    pl_gpu_elements_assemble(d->gpu, &d->elements, fem, weights, &d->x.buffer,
                             base != NULL ? &d->base : NULL, &d->val, &d->f);
    PL_TRY(pl_gpu_elements_energy(d->gpu, &d->elements, energy));
    PL_TRY(pl_gpu_read(d->gpu, &d->val, 0, size, A->val));
    return pl_gpu_read(d->gpu, &d->f, 0, 24 * (int64_t)d->elements.n_vert, f);
}

static pl_status forces(pl_fem_device *device, const double *x, double *f, double *energy)
{
    fem_device *d = (fem_device *)device;
    send_positions(d, x);
    pl_gpu_elements_forces(d->gpu, &d->elements, &d->x.buffer, f != NULL ? &d->f : NULL);
    PL_TRY(pl_gpu_elements_energy(d->gpu, &d->elements, energy));
    return f == NULL ? PL_OK : pl_gpu_read(d->gpu, &d->f, 0, 24 * (int64_t)d->elements.n_vert, f);
}

static pl_status inverted(pl_fem_device *device, const double *x, int32_t *n)
{
    fem_device *d = (fem_device *)device;
    send_positions(d, x);
    return pl_gpu_elements_inverted(d->gpu, &d->elements, &d->x.buffer, n);
}

static pl_status take(fem_device *d, const pl_fem *fem, const pl_bsr *A)
{
    PL_TRY(pl_gpu_elements_create(d->gpu, fem, A, &d->elements));
    PL_TRY(pl_gpu_kept_take(d->gpu, 24 * (int64_t)fem->n_vert, &d->x));
    PL_TRY(pl_gpu_take(d->gpu, 3 * (int64_t)fem->n_vert, sizeof(double), &d->f));
    return pl_gpu_take(d->gpu, 9 * d->nnz, sizeof(double), &d->val);
}

pl_status pl_fem_device_open(struct pl_device *device, const pl_fem *fem, const pl_bsr *A,
                             pl_fem_device **out)
{
    *out = NULL;
    fem_device *d = pl_alloc_zero(1, sizeof *d);
    if (d == NULL) return PL_ERROR_MEMORY;
    d->gpu = pl_gpu_of(device);
    d->nnz = A->row[fem->n_vert];
    d->device = (pl_fem_device){close_device, assemble, forces, inverted, false};
    pl_status status = take(d, fem, A);
    // A block that no element has would be lost: what comes back is all of the rows.
    PL_ASSERT(status != PL_OK ||
              d->nnz == 2 * (d->elements.n_inner + d->elements.n_seam) + fem->n_vert);
    if (status != PL_OK) {
        close_device(&d->device);
        return status;
    }
    *out = &d->device;
    return PL_OK;
}
