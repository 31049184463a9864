// A device that does the passes over all elements in place of the CPU (../gpu). Internal.
//
// It gathers in the order of assemble.c, so that A, forces and energies have the same bits. Bodies
// that are still are looked at as all are. Where it fails the CPU does its work, from then on, and
// a warning says so.

#ifndef PL_FEM_DEVICE_H
#define PL_FEM_DEVICE_H

#include "fem.h"

struct pl_device; // ../solvers/device.h

typedef struct pl_fem_device pl_fem_device;
struct pl_fem_device {
    void (*close)(pl_fem_device *device);
    pl_status (*assemble)(pl_fem_device *device, const pl_fem *fem, const double *x,
                          const pl_fem_weights *weights, const double *base, pl_bsr *A, double *f,
                          double *energy);
    pl_status (*forces)(pl_fem_device *device, const double *x, double *f, double *energy);
    pl_status (*inverted)(pl_fem_device *device, const double *x, int32_t *n);
    bool lost; // it has failed, and is not asked again
};

// Made for the elements of fem and the pattern of A, whose first rows are those of fem; A may have
// other values, and further rows. `device` must outlive it.
pl_status pl_fem_device_open(struct pl_device *device, const pl_fem *fem, const pl_bsr *A,
                             pl_fem_device **out);

// Lets a device do the passes over the elements of fem until it is freed. Without memory there the
// CPU does them, with a warning.
pl_status pl_fem_use(pl_fem *fem, struct pl_device *device, const pl_bsr *A);

// Is the device to be asked?
static inline bool pl_fem_has_device(const pl_fem *fem)
{
    return fem->device != NULL && !fem->device->lost;
}

// Has it done what it was asked? If not it is lost.
bool pl_fem_device_did(pl_fem_device *device, pl_status status);

#endif
