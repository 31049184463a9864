// A window with an OpenGL 3.3 core context, by GLFW, and what happens to it as a list of events.

#ifndef PL_WINDOW_H
#define PL_WINDOW_H

#include "../../base/base.h"

typedef enum pl_event_kind {
    PL_EVENT_KEY,     // `key`
    PL_EVENT_PRESS,   // a mouse button goes down at (x, y)
    PL_EVENT_RELEASE, // and up
    PL_EVENT_MOVE,    // the cursor is at (x, y)
    PL_EVENT_SCROLL,  // the wheel, by `amount`: up is positive
    PL_EVENT_DROP,    // a file is dropped
} pl_event_kind;

enum { PL_KEY_ESCAPE = 27, PL_KEY_HELP = 0x110000 }; // beyond Unicode
enum { PL_BUTTON_LEFT = 0, PL_BUTTON_RIGHT = 1, PL_BUTTON_MIDDLE = 2 };

typedef struct pl_event {
    pl_event_kind kind;
    uint32_t key; // what it writes, in Unicode, or one of the above
    int button;
    bool shift;
    double x, y; // pixels of the picture from its upper left corner
    double amount;
    char *path; // of a file; the receiver gives it back with pl_free
} pl_event;

typedef struct pl_window pl_window;

// Opens a window of about this size [pixels] and makes its context current on this thread. Fails
// with PL_ERROR_UNSUPPORTED if there is no display, or none that can draw. One window at a time,
// from the thread that main runs on.
pl_status pl_window_open(const char *title, int32_t width, int32_t height, pl_window **out);
void pl_window_close(pl_window *window); // NULL is fine

// Sees what has happened, and waits up to `seconds` for something to. False once the window is to
// be closed.
bool pl_window_wait(pl_window *window, double seconds);

// Takes the next event; false if there is none.
bool pl_window_next(pl_window *window, pl_event *out);

// The size of its picture [pixels]; 0 x 0 while nothing of it can be seen.
void pl_window_size(const pl_window *window, int32_t *width, int32_t *height);

// Shows what was drawn, when the screen is ready for it.
void pl_window_swap(pl_window *window);

#endif
