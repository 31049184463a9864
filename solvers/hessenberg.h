// The least-squares problem of GMRES, which grows column by column. Internal.

#ifndef PL_HESSENBERG_H
#define PL_HESSENBERG_H

enum { PL_HESSENBERG_STEPS = 30 }; // at most

// Hessenberg's matrix, made triangular by rotations as it grows, so that the norm of the residual
// is known in every step without forming it. Begins with g[0] the norm of the right-hand side, and
// all else 0.
typedef struct pl_hessenberg {
    double R[PL_HESSENBERG_STEPS][PL_HESSENBERG_STEPS + 1]; // R[j][i]: row i of column j
    double c[PL_HESSENBERG_STEPS], s[PL_HESSENBERG_STEPS];  // rotations
    double g[PL_HESSENBERG_STEPS + 1];                      // |g[k]| is the residual after k steps
} pl_hessenberg;

// Takes up column j, whose entries 0 .. j + 1 stand in R[j].
void pl_hessenberg_add(pl_hessenberg *ls, int j);

// y (k) := the solution of the first k columns.
void pl_hessenberg_solve(const pl_hessenberg *ls, int k, double *y);

#endif
