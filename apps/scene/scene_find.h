// Scenes and their meshes by name: in which folders, apps/common/data.h says.

#ifndef PL_SCENE_FIND_H
#define PL_SCENE_FIND_H

#include "../../base/base.h"

// The path of what a person names as a scene: a file, or else, for a word that is no path,
// view/WORD.json (made to play with) or WORD.json in a folder of scenes. Fails with PL_ERROR_FILE
// if they have none. A path is not looked at. *out is the caller's, to be given back with pl_free.
pl_status pl_scene_find(const char *word, char **out);

// Prints the words that it finds in folders of scenes, one per line, by the alphabet.
pl_status pl_scene_print_names(void);

// The path of a mesh file that the scene in the file `scene` names: beside it, or else, for a word
// that is no path, in a folder of meshes. If there is none, the path beside the scene. *out as
// above.
pl_status pl_scene_find_mesh(const char *scene, const char *word, char **out);

// The path of a file that `scene` names, from the scene's folder; *out as above.
pl_status pl_scene_find_beside(const char *scene, const char *word, char **out);

// What makes the meshes of Pliant's scenes, for a person to run; *out as above.
pl_status pl_scene_mesh_recipe(char **out);

#endif
