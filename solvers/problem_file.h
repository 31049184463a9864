// Problems that own all they need: in files, to be solved again elsewhere, and copied. Internal.

#ifndef PL_PROBLEM_FILE_H
#define PL_PROBLEM_FILE_H

#include "../base/file.h"
#include "problem.h"

// A problem with everything it borrows, and the velocities and impulses that a solve started from.
typedef struct pl_recorded {
    pl_problem problem; // its A, b, prescribed and x are those below
    pl_bsr A;
    double *b;           // (3*A.n)
    uint8_t *prescribed; // (A.n) or NULL
    double *x;           // (3*problem.n_x) or NULL
    double *v;           // (3*A.n)
    double *f;           // (3*n_constraint)
} pl_recorded;

// Writes the problem and where a solve starts, v (3*A.n) and f (3*n_constraint). Fails with
// PL_ERROR_FILE; the file then does not appear.
pl_status pl_recorded_write(const pl_problem *problem, const double *v, const double *f,
                            const char *path);

// Fails with PL_ERROR_FILE, PL_ERROR_FORMAT (not a problem, another version, damaged: named) or
// PL_ERROR_MEMORY; *out is then empty.
pl_status pl_recorded_read(const char *path, pl_recorded *out);
// The same for a file in memory; `name` is for the texts of failures.
pl_status pl_recorded_parse(const pl_bytes *bytes, const char *name, pl_recorded *out);

// Copies of all that a problem has and borrows, with v (3*A.n) and f (3*n_constraint). Fails with
// PL_ERROR_MEMORY; *out is then empty.
pl_status pl_recorded_copy(const pl_problem *from, const double *v, const double *f,
                           pl_recorded *out);

// A problem must not be moved after it was read: it points into *out.
void pl_recorded_free(pl_recorded *recorded); // leaves it empty

#endif
