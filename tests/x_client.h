// Another program on the same X display, as the tests of the window need one: it looks at a window
// and closes it as a window manager does, for which xdotool has no words. Xlib is what GLFW has loaded; it is no library that we link.

#ifndef PL_TESTS_X_CLIENT_H
#define PL_TESTS_X_CLIENT_H

#include "../apps/image.h"

#include <X11/Xlib.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define X_CALLS(call)                                                                              \
    call(XOpenDisplay) call(XCloseDisplay) call(XInternAtom) call(XSendEvent) call(XSync)          \
        call(XGetImage)
#define X_FIELD(name) __typeof__(&name) name;
#define X_LOAD(name)                                                                               \
    if ((x.name = (__typeof__(&name))dlsym(xlib, #name)) == NULL) return NULL;

static struct {
    X_CALLS(X_FIELD)
} x;

// The display that the environment names; NULL if there is none.
static inline Display *x_open(void)
{
    void *xlib = dlopen("libX11.so.6", RTLD_NOW);
    if (xlib == NULL) return NULL;
    X_CALLS(X_LOAD)
    return x.XOpenDisplay(NULL);
}

// Sends the window a message with five words.
static inline void x_tell(Display *display, Window window, const char *type, const long word[5])
{
    XEvent event = {.xclient = {.type = ClientMessage, .window = window, .format = 32}};
    event.xclient.message_type = x.XInternAtom(display, type, False);
    memcpy(event.xclient.data.l, word, sizeof event.xclient.data.l);
    x.XSendEvent(display, window, False, NoEventMask, &event);
    x.XSync(display, False);
}

static inline void x_close_window(Display *display, Window window)
{
    x_tell(display, window, "WM_PROTOCOLS",
           (long[5]){(long)x.XInternAtom(display, "WM_DELETE_WINDOW", False)});
}

// What is seen of a window, of this size.
static inline bool x_look(Display *display, Window window, int width, int height, pl_image *out)
{
    XImage *seen =
        x.XGetImage(display, window, 0, 0, (unsigned)width, (unsigned)height, AllPlanes, ZPixmap);
    if (seen == NULL || pl_image_resize(out, width, height) != PL_OK) return false;
    for (int i = 0; i < width * height; i++) {
        unsigned long pixel = seen->f.get_pixel(seen, i % width, i / width);
        for (int c = 0; c < 3; c++) out->rgba[4 * i + c] = (uint8_t)(pixel >> (16 - 8 * c));
        out->rgba[4 * i + 3] = 255;
    }
    seen->f.destroy_image(seen);
    return true;
}

#endif
