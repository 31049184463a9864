// The keys of a scene that say what touches what, and the ground. Used by scene.c.

#ifndef PL_SCENE_SURFACE_H
#define PL_SCENE_SURFACE_H

#include "json.h"
#include "scene.h"

// The names of a scene's groups; each is a bit of pl_surface_options.category, by its place here.
enum { PL_GROUPS = 32 };

typedef struct pl_groups {
    const char *name[PL_GROUPS];   // borrowed from the file's tree
    bool has_bodies[PL_GROUPS];    // else it was only named by an "ignore",
    pl_json ignored_at[PL_GROUPS]; // here
    int n;
} pl_groups;

// None but the ground's, and that of bodies that name none.
pl_groups pl_groups_none(void);
// After all bodies: those that are ignored are groups.
pl_status pl_groups_check(const pl_groups *groups);
// The category of the ground.
uint32_t pl_groups_ground(const pl_groups *groups);

// "friction", "radius", "self", "group" and "ignore" of a body; the groups are found by this.
pl_status pl_scene_read_surface(const pl_json *at, pl_groups *groups, pl_surface_options *surface);

// "ground" of the root.
pl_status pl_scene_read_ground(const pl_json *root, pl_scene *scene);

#endif
