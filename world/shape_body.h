// Bodies that are made of shapes. Internal.
//
// Such a body has a mesh that is drawn, and behind its vertices those of the skeletons: so they
// move with the body as all its vertices do, and contacts name them like others. Each shape is a
// collider.

#ifndef PL_SHAPE_BODY_H
#define PL_SHAPE_BODY_H

#include "world.h"

// All shapes in order; n > 0. Fails as pl_shape_check does, with "shape 2: " before it if there are
// several.
pl_status pl_shapes_check(int32_t n, const pl_shape *shape);

// Sets mesh, collider and skeletons of a body; `drawn` may be NULL. The radius of the surface
// options is added to those of the shapes. The caller frees them, if it fails too.
pl_status pl_shape_body_build(int32_t n, const pl_shape *shape, const pl_mesh *drawn,
                              const pl_surface_options *surface, pl_world_body *body);

// The same of a body that is a mesh with loose edges and points.
pl_status pl_shape_body_take_loose(const pl_mesh *mesh, const pl_surface_options *surface,
                                   pl_world_body *body);

#endif
