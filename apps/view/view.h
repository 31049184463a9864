// A simulation as a window shows it: camera, mouse and keys, and what is written over the picture.
// Knows neither GLFW nor the world: it gets events and looks at snapshots.

#ifndef PL_VIEW_H
#define PL_VIEW_H

#include "../render/arrows.h"
#include "pick.h"
#include "../render/renderer.h"
#include "simulation.h"
#include "window.h"

typedef struct pl_view {
    pl_simulation *simulation; // borrowed
    pl_renderer *renderer;
    pl_camera camera;
    const char *title;     // of the scene, borrowed
    const char *drawn_by;  // who draws, borrowed
    bool verbose;          // says on standard output what happens
    bool quit;             // somebody wants to end
    int32_t width, height; // of the picture [pixels]
    bool floor;            // there is one
    double floor_z;        // [m]

    int32_t generation; // of the bodies that the renderer has
    int64_t number;     // of the snapshot that it shows
    bool wireframe, arrows, joints, help, statistics;
    pl_quantity quantity;
    double range; // of its colours

    enum { PL_HAND_FREE, PL_HAND_ORBIT, PL_HAND_PAN, PL_HAND_DRAG } hand;
    double x, y;       // of the cursor [pixels]
    double grabbed[3]; // the point of the body when it was [m]
    int32_t held;      // the body that was picked, as drawn; -1: none
    int32_t messages;  // of the simulation, that were seen

    pl_image overlay;
    pl_arrows marks;
    uint8_t *rgb; // (3*n_vert) scratch
    int64_t rgb_room;
    double written; // when the statistics were written last, by the wall clock [s]
    bool stale;     // the overlay is
    char statistics_text[1024];
} pl_view;

// `context` is current. The floor is drawn at floor_z if there is one, and the mouse does not take
// the camera below it.
pl_status pl_view_open(pl_gl_context *context, pl_simulation *simulation, const pl_camera *camera,
                       int32_t width, int32_t height, bool floor, double floor_z, pl_view *out);
void pl_view_close(pl_view *view);

// What the mouse or a key does; gives back the event's path.
void pl_view_event(pl_view *view, pl_event *event);

// The body under a place of the picture that can be pulled, and where it is hit; -1 if there is
// none.
int32_t pl_view_pick(const pl_view *view, const pl_snapshot *now, double x, double y, pl_hit *hit);

// Draws the newest snapshot to the window's framebuffer, in this size. *idle tells that the picture
// is complete: nothing will change until something happens.
pl_status pl_view_draw(pl_view *view, int32_t width, int32_t height, bool *idle);

#endif
