#include "window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <stdio.h>
#include <string.h>

enum { EVENTS = 1024 };

struct pl_window {
    GLFWwindow *handle;
    pl_event event[EVENTS]; // (n) from `first` on, around
    int32_t first, n;
    double x, y; // of the cursor [pixels]
    bool shift;
};

// --- What GLFW says ---

static char complaint[256];

static void on_error(int code, const char *text)
{
    (void)code;
    snprintf(complaint, sizeof complaint, "%s", text);
}

// Moves in a row are one; when the list is full, what comes is lost.
static void put(pl_window *window, pl_event event)
{
    pl_event *last = &window->event[(window->first + window->n - 1 + EVENTS) % EVENTS];
    if (window->n > 0 && event.kind == PL_EVENT_MOVE && last->kind == PL_EVENT_MOVE) window->n--;
    if (window->n == EVENTS) {
        pl_free(event.path);
        return;
    }
    event.x = window->x;
    event.y = window->y;
    event.shift = window->shift;
    window->event[(window->first + window->n++) % EVENTS] = event;
}

static void on_char(GLFWwindow *handle, unsigned code)
{
    put(glfwGetWindowUserPointer(handle), (pl_event){.kind = PL_EVENT_KEY, .key = code});
}

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int mods)
{
    pl_window *window = glfwGetWindowUserPointer(handle);
    (void)scancode;
    (void)mods;
    window->shift = glfwGetKey(handle, GLFW_KEY_LEFT_SHIFT) == GLFW_PRESS ||
                    glfwGetKey(handle, GLFW_KEY_RIGHT_SHIFT) == GLFW_PRESS;
    if (action != GLFW_PRESS) return;
    if (key == GLFW_KEY_ESCAPE) put(window, (pl_event){.kind = PL_EVENT_KEY, .key = PL_KEY_ESCAPE});
    if (key == GLFW_KEY_F1) put(window, (pl_event){.kind = PL_EVENT_KEY, .key = PL_KEY_HELP});
}

static void on_button(GLFWwindow *handle, int button, int action, int mods)
{
    pl_event_kind kind = action == GLFW_PRESS ? PL_EVENT_PRESS : PL_EVENT_RELEASE;
    (void)mods;
    put(glfwGetWindowUserPointer(handle), (pl_event){.kind = kind, .button = button});
}

// GLFW counts in units of the screen, which may have several pixels.
static void on_move(GLFWwindow *handle, double x, double y)
{
    pl_window *window = glfwGetWindowUserPointer(handle);
    int width, height, wide, high;
    glfwGetWindowSize(handle, &width, &height);
    glfwGetFramebufferSize(handle, &wide, &high);
    window->x = width > 0 ? x * wide / width : 0;
    window->y = height > 0 ? y * high / height : 0;
    put(window, (pl_event){.kind = PL_EVENT_MOVE});
}

static void on_scroll(GLFWwindow *handle, double dx, double dy)
{
    (void)dx;
    put(glfwGetWindowUserPointer(handle), (pl_event){.kind = PL_EVENT_SCROLL, .amount = dy});
}

static void on_drop(GLFWwindow *handle, int n, const char **path)
{
    for (int i = 0; i < n; i++) {
        pl_event event = {.kind = PL_EVENT_DROP, .path = pl_alloc((int64_t)strlen(path[i]) + 1, 1)};
        if (event.path == NULL) return;
        strcpy(event.path, path[i]);
        put(glfwGetWindowUserPointer(handle), event);
    }
}

// --- Life ---

static pl_status open_window(pl_window *window, const char *title, int32_t width, int32_t height)
{
    glfwSetErrorCallback(on_error);
    complaint[0] = '\0';
    if (!glfwInit()) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "pliant view needs a display; `pliant render` makes pictures without one");
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    window->handle = glfwCreateWindow(width, height, title, NULL, NULL);
    if (window->handle == NULL) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "no window with OpenGL 3.3 can be opened (%s); `pliant render` makes "
                       "pictures without one",
                       complaint);
    }
    glfwMakeContextCurrent(window->handle);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(window->handle, window);
    glfwSetCharCallback(window->handle, on_char);
    glfwSetKeyCallback(window->handle, on_key);
    glfwSetMouseButtonCallback(window->handle, on_button);
    glfwSetCursorPosCallback(window->handle, on_move);
    glfwSetScrollCallback(window->handle, on_scroll);
    glfwSetDropCallback(window->handle, on_drop);
    return PL_OK;
}

pl_status pl_window_open(const char *title, int32_t width, int32_t height, pl_window **out)
{
    *out = pl_alloc_zero(1, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    pl_status status = open_window(*out, title, width, height);
    if (status == PL_OK) return PL_OK;
    pl_window_close(*out);
    *out = NULL;
    return status;
}

void pl_window_close(pl_window *window)
{
    pl_event event;
    if (window == NULL) return;
    while (pl_window_next(window, &event)) pl_free(event.path);
    if (window->handle != NULL) glfwDestroyWindow(window->handle);
    glfwTerminate();
    pl_free(window);
}

// --- Use ---

bool pl_window_wait(pl_window *window, double seconds)
{
    if (seconds > 0) {
        glfwWaitEventsTimeout(seconds);
    } else {
        glfwPollEvents();
    }
    return !glfwWindowShouldClose(window->handle);
}

bool pl_window_next(pl_window *window, pl_event *out)
{
    if (window->n == 0) return false;
    *out = window->event[window->first];
    window->first = (window->first + 1) % EVENTS;
    window->n--;
    return true;
}

void pl_window_size(const pl_window *window, int32_t *width, int32_t *height)
{
    int wide = 0, high = 0;
    if (!glfwGetWindowAttrib(window->handle, GLFW_ICONIFIED)) {
        glfwGetFramebufferSize(window->handle, &wide, &high);
    }
    bool none = wide <= 0 || high <= 0;
    *width = none ? 0 : wide;
    *height = none ? 0 : high;
}

void pl_window_swap(pl_window *window)
{
    glfwSwapBuffers(window->handle);
}
