// A folder of contact problems with a manifest: for others to solve.

#ifndef PL_COLLECTION_H
#define PL_COLLECTION_H

#include "comparison.h"
#include "traits.h"

typedef struct pl_collection_item {
    char name[128];
    const char *format; // "fclib" or "plp"
    char solver[40], end[24];
    double relative; // the measure of FCLIB
    double dt;
    pl_traits traits;
} pl_collection_item;

typedef struct pl_collection {
    const char *folder;
    pl_collection_item *item; // (n)
    int64_t n, capacity;
} pl_collection;

// Makes the folder.
pl_status pl_collection_open(const char *folder, pl_collection *out);

// Writes the problem, and the solution that the instance holds, as FCLIB, or as .plp where that has
// no word for a law, and notes what it is like. `name` is a path: its slashes become dashes. Plain
// rows are refused with PL_ERROR_ARGUMENT.
pl_status pl_collection_add(pl_collection *c, const char *name, pl_instance *instance,
                            const pl_outcome *outcome);

// Writes manifest.csv and manifest.json, without times, so that the same problems give the same
// files; and frees.
pl_status pl_collection_close(pl_collection *c);
void pl_collection_free(pl_collection *c);

#endif
