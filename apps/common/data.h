// The folders of scenes and meshes that are called by name, wherever the command is run.

#ifndef PL_DATA_H
#define PL_DATA_H

#include "../../base/base.h"

typedef enum pl_data_kind { PL_DATA_SCENES, PL_DATA_MESHES } pl_data_kind;

// How many folders there can be, in the order in which they are looked into:
//
//     $PLIANT_DATA/scenes              $PLIANT_DATA/meshes      if it is set
//     apps/scenes                      build/meshes             in the folder of the sources
//     ABOVE/apps/scenes                ABOVE/build/meshes       of a command that was built there
//     $XDG_DATA_HOME/pliant/scenes     .../meshes               the user's; ~/.local/share
//     ABOVE/share/pliant/scenes        .../meshes               installed with the command
//
// ABOVE is the folder above that of the program that runs: / for /bin/pliant.
enum { PL_DATA_FOLDERS = 5 };

// Folder i of these. *out is NULL if there is no such folder; it is the caller's, to be given back
// with pl_free.
pl_status pl_data_folder(pl_data_kind kind, int i, char **out);

// The path of a file in the first of the folders that has one of this name; *out as above.
pl_status pl_data_find(pl_data_kind kind, const char *name, char **out);

#endif
