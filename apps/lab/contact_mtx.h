// Contact problems in folders of Matrix Market files.

#ifndef PL_CONTACT_MTX_H
#define PL_CONTACT_MTX_H

#include "../../base/base.h"

// Reads what `pliant solve --export` writes: A.mtx, L.mtx, b.mtx, c.mtx and problem.json, and v.mtx
// and f.mtx to start from where they are there. Fails with PL_ERROR_FILE or PL_ERROR_FORMAT
// (named).
pl_status pl_contact_mtx_read(const char *folder, pl_problem **out);

#endif
