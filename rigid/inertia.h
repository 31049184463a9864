// Mass, centre and moments of inertia of a solid. Internal.

#ifndef PL_INERTIA_H
#define PL_INERTIA_H

#include "../base/base.h"

// How heavy a solid of even density is: one of the two, above 0; the other is 0.
typedef struct pl_weight {
    double density; // [kg/m^3]
    double mass;    // [kg]
} pl_weight;

typedef struct pl_inertia {
    double volume;    // [m^3]
    double mass;      // [kg]
    double centre[3]; // of mass [m]
    double tensor[9]; // about the centre, along the mesh's axes [kg m^2]
    // tensor = axes diag(moment) axes^T. The axes are the columns of a rotation (9, row by row);
    // those of a body that lies along the coordinate axes, or that has none, are the coordinate
    // axes in their order.
    double moment[3]; // [kg m^2]
    double axes[9];
} pl_inertia;

// Of the solid that the mesh describes: its tets if it has any, else what its faces enclose. Fails
// with PL_ERROR_ARGUMENT (the weight) or PL_ERROR_GEOMETRY: no element, an open surface or a flat
// or inverted tet (named), a volume that is not above 0, moments that no solid has, a result that
// no double can hold; or with PL_ERROR_MEMORY.
pl_status pl_inertia_of_mesh(const pl_mesh *mesh, const pl_weight *weight, pl_inertia *out);

// Of a solid by itself, or of a part of one.
typedef struct pl_moments {
    double volume;    // [m^3]
    double centre[3]; // [m]
    double second[6]; // int x x^T / volume about the centre: xx, yy, zz, yz, xz, xy [m^2]
} pl_moments;

// Of n parts with these masses [kg], which may overlap: then both count. With `mass` above 0 that
// of the whole is this, and those of the parts are shares of it. Fails as pl_inertia_of_mesh does.
pl_status pl_inertia_of_parts(int32_t n, const pl_moments *part, const double *weight, double mass,
                              pl_inertia *out);

// axes^T a axes = diag(value) for the symmetric matrix a (9), by rotations (Jacobi). `axes` is a
// rotation; the order of the values is that of the axes which they are nearest to.
void pl_symmetric_eigen(const double a[9], double value[3], double axes[9]);

#endif
