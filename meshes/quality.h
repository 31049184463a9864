// The shape of one tetrahedron. Internal.

#ifndef PL_QUALITY_H
#define PL_QUALITY_H

#include "../base/base.h"

// 3 inscribed / circumscribed radius, with the sign of the volume; 0 for a flat tet, never NaN.
double pl_tet_radius_ratio(const double a[3], const double b[3], const double c[3],
                           const double d[3]);

// The six dihedral angles [rad] in [0, pi], at the edges ab, ac, ad, bc, bd, cd. An inverted tet
// has those of its mirror image.
void pl_tet_dihedrals(const double a[3], const double b[3], const double c[3], const double d[3],
                      double angle[6]);

#endif
