// The studio: a large key light, a sky brighter overhead and on two sides, and light that the floor
// throws back. All of it is a set of directions; every pass of the renderer takes a few of them,
// each with a shadow map of its own, and the mean over the passes is what area lights and an
// occluded sky look like [Haeberli & Akeley, The accumulation buffer, SIGGRAPH 1990].

#ifndef PL_LIGHTS_H
#define PL_LIGHTS_H

#include "../common/vec.h"

enum { PL_KEY_LIGHTS = 1, PL_SKY_LIGHTS = 2, PL_FLOOR_LIGHTS = 1, PL_LIGHTS_PER_PASS = 4 };

typedef struct pl_light {
    vec3 direction;     // unit, towards the light
    double radiance[3]; // red, green, blue: a white surface that faces the light sends back this
    double spread;      // tangent of half the angle to its neighbours, which it stands for
    double gloss;       // exponent of the highlight; small where few directions stand for a sky
} pl_light;

// The lights of pass `pass` of `n_pass`. `key` points towards the key light (unit).
void pl_lights_of_pass(vec3 key, int pass, int n_pass, pl_light out[PL_LIGHTS_PER_PASS]);

// What falls on an unshadowed floor, the mean over all passes: red, green, blue.
void pl_lights_on_floor(vec3 key, int n_pass, double out[3]);

// All lights but the key light, unshadowed and the mean over the passes, as they shine on a surface
// with the unit normal n: for red, green and blue the quadratic form (n, 1)^T out (n, 1).
void pl_lights_ambient(vec3 key, int n_pass, mat4 out[3]);

#endif
