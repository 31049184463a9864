#include "gl_context.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

// The display stays initialised until the process ends: EGL has one for the whole process, which
// others may use, and Mesa loses memory each time that it is terminated.
struct pl_gl_context {
    bool adopted; // then there is neither display nor context
    EGLDisplay display;
    EGLContext context;
    const char *name; // owned by the driver
};

static const char *egl_error_name(void)
{
    switch (eglGetError()) {
    case EGL_NOT_INITIALIZED:
        return "the driver could not be initialised";
    case EGL_BAD_ALLOC:
        return "out of memory";
    case EGL_BAD_MATCH:
    case EGL_BAD_CONFIG:
    case EGL_BAD_ATTRIBUTE:
        return "the driver does not offer it";
    default:
        return "the driver gave no reason";
    }
}

static pl_status open_display(EGLDisplay *out)
{
    if (!epoxy_has_egl()) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "pictures need EGL, which is not installed; the Debian packages are libegl1 "
                       "and libegl-mesa0");
    }
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless") ||
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base")) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "this EGL cannot draw without a display (no EGL_MESA_platform_surfaceless); "
                       "the Debian package libegl-mesa0 brings one that can");
    }
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "EGL's surfaceless platform does not start: %s; the Debian package "
                       "libgl1-mesa-dri brings the software driver",
                       egl_error_name());
    }
    *out = display;
    return PL_OK;
}

static pl_status open_context(EGLDisplay display, EGLContext *out)
{
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                        3,
                                        EGL_CONTEXT_MINOR_VERSION,
                                        3,
                                        EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                        EGL_NONE};
    if (!epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context") ||
        !epoxy_has_egl_extension(display, "EGL_KHR_no_config_context") ||
        !epoxy_has_egl_extension(display, "EGL_KHR_create_context")) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "this EGL driver is too old to draw without a window surface");
    }
    if (!eglBindAPI(EGL_OPENGL_API)) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "this EGL driver has no OpenGL: %s", egl_error_name());
    }
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "no OpenGL 3.3 core context: %s", egl_error_name());
    }
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        pl_fail(PL_ERROR_UNSUPPORTED, "the OpenGL context cannot be made current: %s",
                egl_error_name());
        eglDestroyContext(display, context);
        return PL_ERROR_UNSUPPORTED;
    }
    *out = context;
    return PL_OK;
}

pl_status pl_gl_context_create(pl_gl_context **out)
{
    *out = NULL;
    pl_gl_context *context = pl_alloc_zero(1, sizeof *context);
    if (context == NULL) return PL_ERROR_MEMORY;
    pl_status status = open_display(&context->display);
    if (status != PL_OK) {
        pl_free(context);
        return status;
    }
    status = open_context(context->display, &context->context);
    if (status != PL_OK) {
        pl_gl_context_destroy(context);
        return status;
    }
    context->name = (const char *)glGetString(GL_RENDERER);
    *out = context;
    return PL_OK;
}

pl_status pl_gl_context_adopt(pl_gl_context **out)
{
    *out = NULL;
    int version = epoxy_gl_version(); // 33 for 3.3; 0 without a context
    if (version == 0) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "no OpenGL context is current on this thread");
    }
    if (!epoxy_is_desktop_gl() || version < 33) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "this is OpenGL%s %d.%d; pictures need OpenGL 3.3",
                       epoxy_is_desktop_gl() ? "" : " ES", version / 10, version % 10);
    }
    pl_gl_context *context = pl_alloc_zero(1, sizeof *context);
    if (context == NULL) return PL_ERROR_MEMORY;
    context->adopted = true;
    context->name = (const char *)glGetString(GL_RENDERER);
    *out = context;
    return PL_OK;
}

void pl_gl_context_destroy(pl_gl_context *context)
{
    if (context == NULL) return;
    if (context->adopted) {
        pl_free(context);
        return;
    }
    if (eglGetCurrentContext() == context->context) {
        eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }
    if (context->context != EGL_NO_CONTEXT) eglDestroyContext(context->display, context->context);
    pl_free(context);
}

pl_status pl_gl_context_use(pl_gl_context *context)
{
    if (context->adopted) return PL_OK;
    if (!eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context)) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "the OpenGL context cannot be made current: %s",
                       egl_error_name());
    }
    return PL_OK;
}

const char *pl_gl_context_name(const pl_gl_context *context)
{
    return context->name != NULL ? context->name : "unknown";
}
