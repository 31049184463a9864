// GLSL programs and their uniforms.

#ifndef PL_GL_PROGRAM_H
#define PL_GL_PROGRAM_H

#include "../../base/base.h"
#include "../common/vec.h"

#include <epoxy/gl.h>

// Compiles and links. `defines` goes in front of both shaders, and PL_SHADER_COMMON and
// PL_SHADER_LIGHTS in front of the fragment shader. Fails with PL_ERROR_UNSUPPORTED and the
// driver's log; `name` says in it which program it was. *out is then 0.
pl_status pl_link_program(const char *name, const char *defines, const char *vertex_source,
                          const char *fragment_source, GLuint *out);

// Set a uniform of the program in use; a name that the program does not use is ignored.
void pl_set_int(GLuint program, const char *name, int value);
void pl_set_float(GLuint program, const char *name, double value);
void pl_set_vec3(GLuint program, const char *name, vec3 value);
void pl_set_mat4(GLuint program, const char *name, const mat4 *value);

#endif
