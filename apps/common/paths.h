// Folders and the files in them; what several paths have in common, so that tables and legends need
// not repeat it.

#ifndef PL_PATHS_H
#define PL_PATHS_H

#include "../../base/base.h"

// "FOLDER/NAME", the name being what the format makes; only the name if `folder` is NULL. *out is
// the caller's, to be given back with pl_free.
pl_status pl_path_in(char **out, const char *folder, const char *format, ...) PL_PRINTF(3, 4);

bool pl_is_folder(const char *path);
bool pl_is_file(const char *path); // there is something, and it is no folder

// Makes a folder and those above it.
pl_status pl_make_folder(const char *path);

// Removes what runs that were killed have left unfinished in a folder: files that are called like
// those of ours with .partN behind, where N is no process that lives.
void pl_remove_parts(const char *folder);

// The length of the longest folder, with its slash, that all paths begin with; 0 if there is none.
size_t pl_shared_folder(int64_t n, char *const *path);

// The same for their ends, with a slash before it: 10 of a/stats.csv and b/stats.csv. No path is
// all of its end; a single one has 0.
size_t pl_shared_end(int64_t n, char *const *path);

#endif
