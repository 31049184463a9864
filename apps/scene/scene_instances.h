// Assemblies, written once, and their instances. An assembly is an object of "assemblies", or a
// scene in a file of its own, of which the world, the ground and the cameras do not count.

#ifndef PL_SCENE_INSTANCES_H
#define PL_SCENE_INSTANCES_H

#include "scene_parts.h"

// "assemblies" of a file's root: are they what they should be, whether there are instances or not?
pl_status pl_assemblies_check(const pl_json *root);

void pl_assembly_files_free(pl_reader *reader);

#endif
