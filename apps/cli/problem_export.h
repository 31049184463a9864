// Problems for other programs: Matrix Market and JSON.

#ifndef PL_PROBLEM_EXPORT_H
#define PL_PROBLEM_EXPORT_H

#include "../../base/base.h"

// Writes a problem with the velocities v and impulses f into folder/NAME, where NAME is that of its
// file, `path`, without folder and extension: A.mtx, L.mtx, b.mtx, c.mtx, v.mtx, f.mtx (Matrix
// Market, numbers that read back as they were) and problem.json (the rest).
pl_status pl_problem_export(const pl_problem *problem, const double *v, const double *f,
                            const char *path, const char *folder);

#endif
