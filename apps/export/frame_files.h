// One moment of all bodies in one file. Positions read back as the same doubles.
//
// OBJ: an object per body, by its name. PLY, binary: the vertices have a colour (8 bits, sRGB), the
// faces the number of their body in the scene as `body`.

#ifndef PL_FRAME_FILES_H
#define PL_FRAME_FILES_H

#include "export_bodies.h"

// Fail with PL_ERROR_FILE or PL_ERROR_MEMORY; the file appears complete or not at all.
pl_status pl_write_frame_obj(const pl_export_bodies *bodies, const char *path);
pl_status pl_write_frame_ply(const pl_export_bodies *bodies, const char *path);

// One body alone, as OBJ.
pl_status pl_write_body_obj(const pl_export_bodies *bodies, int32_t body, const char *path);

#endif
