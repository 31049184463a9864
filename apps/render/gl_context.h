// A current OpenGL 3.3 core context: one of our own, with no display needed, or that of a window.

#ifndef PL_GL_CONTEXT_H
#define PL_GL_CONTEXT_H

#include "../../base/base.h"

typedef struct pl_gl_context pl_gl_context;

// Makes a context without a window (EGL, Mesa's surfaceless platform) current on this thread. There
// is nothing to draw to but framebuffer objects. Fails with PL_ERROR_UNSUPPORTED and a sentence
// that says which layer is missing.
pl_status pl_gl_context_create(pl_gl_context **out);

// Stands for the context that is current on this thread and that somebody else has made, for a
// window. Its owner keeps it, makes it current, and destroys it after all that was drawn with it.
// Fails with PL_ERROR_UNSUPPORTED if no context is current, or an older one than OpenGL 3.3.
pl_status pl_gl_context_adopt(pl_gl_context **out);
void pl_gl_context_destroy(pl_gl_context *context);

// Makes it current on the calling thread again, after another context was. An adopted one is left
// to its owner.
pl_status pl_gl_context_use(pl_gl_context *context);

// Who draws, e.g. "llvmpipe (LLVM 15.0.6, 256 bits)".
const char *pl_gl_context_name(const pl_gl_context *context);

#endif
