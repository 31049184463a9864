// "copies" of a body: a block, wall or pyramid of them, in order or at random. Used by scene.c.

#ifndef PL_SCENE_COPIES_H
#define PL_SCENE_COPIES_H

#include "json.h"

// No scene has more bodies than this.
enum { PL_SCENE_BODIES = 100000 };

typedef struct pl_copies {
    int32_t total;
    int32_t count[3];  // in the lowest layer along x and y, and how many layers
    int32_t shrink[2]; // each layer has so many less than the one below
    double spacing[3]; // [m]
    double jitter;     // each is moved by up to half of this, along each axis [m]
    bool turn;         // each is turned at random
    int32_t seed;      // of the randomness
} pl_copies;

// Reads them; one, if the key is absent. `shape` is the body before it is moved to its position:
// copies that could touch each other are an error.
pl_status pl_copies_read(const pl_json *at, const pl_mesh *shape, pl_copies *out);

// How copy i < total is turned and moved: rows [M | t] of m (12), relative to the position.
void pl_copies_place(const pl_copies *copies, int32_t i, double m[12]);

#endif
