// The renderer's programs in GLSL 3.30, as C strings: see shaders.c.

#ifndef PL_SHADERS_H
#define PL_SHADERS_H

// Put in front of every fragment shader. LIGHTS, the lights of a pass, and UPPER_LIGHTS, the first
// of them that shine from above, must be defined before it.
extern const char PL_SHADER_COMMON[];

// The lights of the pass and their shadow maps, for PL_SHADER_BODY_FRAGMENT and PL_SHADER_FLOOR.
extern const char PL_SHADER_LIGHTS[];

// Bodies in the picture and in a shadow map. With STOCHASTIC defined, `opacity` and `wireframe`
// count.
extern const char PL_SHADER_BODY_VERTEX[], PL_SHADER_BODY_FRAGMENT[];
extern const char PL_SHADER_DEPTH_VERTEX[], PL_SHADER_DEPTH_FRAGMENT[];

// Marks, after PL_SHADER_BODY_VERTEX; with QUICK defined, sRGB at once.
extern const char PL_SHADER_MARKS[];

// A triangle that covers the picture, and what is done to every pixel: the background with the
// floor, one pass copied (added, by blending) to the sum of all, and the sum turned into sRGB.
extern const char PL_SHADER_SCREEN_VERTEX[];
extern const char PL_SHADER_FLOOR[], PL_SHADER_ADD[], PL_SHADER_FINISH[];

// The same in one go, for windows: the key light with its shadow, the rest of the studio as
// pl_lights_ambient has it, darkened near the floor and under bodies; sRGB at once.
extern const char PL_SHADER_QUICK_VERTEX[], PL_SHADER_QUICK_FRAGMENT[];
extern const char PL_SHADER_QUICK_FLOOR_VERTEX[], PL_SHADER_QUICK_FLOOR[];
extern const char PL_SHADER_QUICK_BACKGROUND[];

// A picture with transparency, its first row on top.
extern const char PL_SHADER_SHOW[];

#endif
