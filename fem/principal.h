// Energy density, its gradient and its second derivatives, over the principal stretches s of
// F = U diag(s) V^T (svd3.h). A kernel: see lanes.h. Internal.
//
// An isotropic energy is a symmetric function psi(s). With g = d psi / ds and h = d^2 psi / ds^2,
//
//   P(F) = U diag(g) V^T                                                          [VJ19, Eq. 1]
//
// and dP/dF in the frame of U and V falls apart into the 3x3 matrix h on the diagonal entries, and
// for each pair i < j into a 2x2 matrix on the entries ij and ji, with eigenvectors (1, 1) and (1,
// -1):
//
//   flip_ij  = (g_i - g_j) / (s_i - s_j)      twist_ij = (g_i + g_j) / (s_i + s_j)
//
// [Stomakhin et al. 2012; Smith et al. 2019]. So the eigenvalues of dP/dF are those of h, the flips
// and the twists, and projecting it to positive semi-definite is clamping them. Each material
// writes flip without the quotient, which loses all digits for equal stretches. A twist has a true
// pole where s_i + s_j = 0, which takes an inverted element: there the rotation is not defined.

#ifndef PL_PRINCIPAL_H
#define PL_PRINCIPAL_H

#include "lanes.h"

// Pairs and the third index: (0,1|2), (0,2|1), (1,2|0).
typedef struct pl_stress {
    real energy;            // psi [J/m^3]
    real g[3];              // [Pa]
    real h[6];              // 00, 11, 22, 01, 02, 12 [Pa]
    real flip[3], twist[3]; // of the pairs 01, 02, 12 [Pa]
} pl_stress;

PL_CONSTANT int pl_pair[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};

#endif
