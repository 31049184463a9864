// Another program on the same X display, as the tests of the window need one: it looks at a window,
// closes it as a window manager does, and drops files on it as a file manager does; xdotool has no
// words for these. Xlib is what GLFW has loaded; it is no library that we link.

#ifndef PL_TESTS_X_CLIENT_H
#define PL_TESTS_X_CLIENT_H

#include "../apps/render/image.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define X_CALLS(call)                                                                              \
    call(XOpenDisplay) call(XCloseDisplay) call(XInternAtom) call(XSendEvent) call(XSync)          \
        call(XGetImage) call(XDefaultRootWindow) call(XCreateSimpleWindow)                         \
            call(XSetSelectionOwner) call(XChangeProperty) call(XPending) call(XNextEvent)         \
                call(XConnectionNumber)
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

// Answers the request for what was dropped.
static inline void x_give(Display *display, const XSelectionRequestEvent *request, const char *text)
{
    XEvent answer = {.xselection = {.type = SelectionNotify,
                                    .requestor = request->requestor,
                                    .selection = request->selection,
                                    .target = request->target,
                                    .property = request->property,
                                    .time = request->time}};
    x.XChangeProperty(display, request->requestor, request->property, request->target, 8,
                      PropModeReplace, (const unsigned char *)text, (int)strlen(text));
    x.XSendEvent(display, request->requestor, False, NoEventMask, &answer);
    x.XSync(display, False);
}

// The next event within five seconds.
static inline bool x_next(Display *display, XEvent *event)
{
    struct pollfd wire = {.fd = x.XConnectionNumber(display), .events = POLLIN};
    while (x.XPending(display) == 0) {
        if (poll(&wire, 1, 5000) <= 0) return false;
    }
    x.XNextEvent(display, event);
    return true;
}

// Drops files on the middle of a window, by the protocol XDND, version 5: enter, position, status,
// drop, the request for the list, finished. False if the window does not take them.
static inline bool x_drop(Display *display, Window window, int width, int height, const char *uris)
{
    Window root = x.XDefaultRootWindow(display);
    Window source = x.XCreateSimpleWindow(display, root, 0, 0, 1, 1, 0, 0, 0);
    Atom list = x.XInternAtom(display, "text/uri-list", False);
    Atom copy = x.XInternAtom(display, "XdndActionCopy", False);
    Atom status = x.XInternAtom(display, "XdndStatus", False);
    Atom finished = x.XInternAtom(display, "XdndFinished", False);
    x.XSetSelectionOwner(display, x.XInternAtom(display, "XdndSelection", False), source,
                         CurrentTime);
    const long enter[5] = {(long)source, 5L << 24, (long)list};
    const long place[5] = {(long)source, 0, (long)(width / 2) << 16 | height / 2, CurrentTime,
                           (long)copy};
    const long drop[5] = {(long)source, 0, CurrentTime};
    x_tell(display, window, "XdndEnter", enter);
    x_tell(display, window, "XdndPosition", place);
    XEvent event;
    while (x_next(display, &event)) {
        const XClientMessageEvent *said = &event.xclient;
        if (event.type == SelectionRequest) x_give(display, &event.xselectionrequest, uris);
        if (event.type != ClientMessage) continue;
        if (said->message_type == finished) return said->data.l[1] != 0; // GLFW's bit is a length
        if (said->message_type == status && (said->data.l[1] & 1) == 0) return false;
        if (said->message_type == status) x_tell(display, window, "XdndDrop", drop);
    }
    return false;
}

#endif
