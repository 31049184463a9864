// What the audit of a run found, told by the bodies of the scene.

#ifndef PL_RUN_AUDIT_H
#define PL_RUN_AUDIT_H

#include "../scene/scene.h"

// Prints to standard error which elements intersect, by the last audit of a world that the scene
// has made; `when` says in which state: "at the start".
void pl_run_print_audit(const pl_scene *scene, const pl_world *world, const pl_audit_report *report,
                        const char *when);

// Prints which bodies to move, and by how much, so that they do not intersect.
void pl_run_print_remedy(const pl_world *world, const pl_audit_report *report);

#endif
