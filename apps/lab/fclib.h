// Frictional contact problems in files of FCLIB (HDF5), and what they hold.

#ifndef PL_FCLIB_H
#define PL_FCLIB_H

#include "../../base/matrix_market.h"

enum { PL_FCLIB_TEXT = 256 };

// A problem as FCLIB states it: pl_global_contacts and pl_local_contacts of pliant.h have the
// formulas. What is not there is NULL, and matrices that are not there have no columns.
typedef struct pl_fclib {
    bool local;
    int32_t n_contact, dimension;
    pl_columns M, H, G; // global: (n*n), (n*m), (n*p); local: W (m*m) in M, V (m*p) in H, R (p*p)
    double *f;          // (n) of a global one
    double *w;          // (m) q of a local one
    double *b;          // (p) s of a local one
    double *mu;         // (n_contact)
    double *v, *u, *r, *l;                         // the solution: (n), (m), (m), (p)
    double *v_guess, *u_guess, *r_guess, *l_guess; // the first guess
    pl_columns K; // local: the antisymmetric part of W, see pl_fclib_split
    char title[PL_FCLIB_TEXT], description[PL_FCLIB_TEXT], math_info[PL_FCLIB_TEXT];
} pl_fclib;

void pl_fclib_free(pl_fclib *problem); // leaves it empty

// Is this build able to read and write them?
bool pl_fclib_available(void);

// Fails with PL_ERROR_FILE, PL_ERROR_FORMAT (no problem of FCLIB, damaged, sizes that do not fit
// each other; the group is named), PL_ERROR_MEMORY, or PL_ERROR_ARGUMENT in a build without HDF5.
pl_status pl_fclib_read(const char *path, pl_fclib *out);
pl_status pl_fclib_write(const pl_fclib *problem, const char *path);

// As a problem for the solvers, with its guess to start from. Velocities count as they are: dt
// is 1. W is made symmetric; what K brings to u at the impulses r (m) is in q, nothing for NULL.
pl_status pl_fclib_problem(const pl_fclib *from, const double *r, pl_problem **out);

// Files there are whose W is not symmetric: finds K = (W - W^T) / 2 if it is more than rounding.
// Fails with PL_ERROR_ARGUMENT where it is so large that W must be damaged, and names the entry.
pl_status pl_fclib_split(pl_fclib *problem);

// The global form of a problem, with a solution where v and f are given; prescribed velocities are
// taken out. Fails with PL_ERROR_ARGUMENT where a law is none that FCLIB has: compliance, or boxes
// that are not equations.
pl_status pl_fclib_from(const pl_problem *problem, const double *v, const double *f, pl_fclib *out);

// Replaces the solution by v (n; not used by a local one), r (m) and l (p), and the u that they
// make.
pl_status pl_fclib_set_solution(pl_fclib *problem, const double *v, const double *r,
                                const double *l);

// The largest change of u that K brings where r changes by d (m).
pl_status pl_fclib_skew(const pl_fclib *problem, const double *d, double *out);

// The measure of FCLIB's own library (fclib_merit_local): with u = W r + q (or H^T v + w), the norm
// of r - P(r - u') over 1 + the root of the norm of q (w), where u' is u with mu |u_t| added to its
// normal part, and P projects on the cones. v (n) is not used by a local one; l (p) may be NULL.
pl_status pl_fclib_measure(const pl_fclib *problem, const double *v, const double *r,
                           const double *l, double *out);

#endif
