#include "gl_program.h"
#include "shaders.h"

enum { PARTS = 5, LOG_SIZE = 512 };

static const char VERSION[] = "#version 330 core\n";

static pl_status compile(GLenum stage, const char *name, const char *const part[PARTS], GLuint *out)
{
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, PARTS, part, NULL);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[LOG_SIZE] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        glDeleteShader(shader);
        return pl_fail(PL_ERROR_UNSUPPORTED, "the %s shader does not compile: %s", name, log);
    }
    *out = shader;
    return PL_OK;
}

pl_status pl_link_program(const char *name, const char *defines, const char *vertex_source,
                          const char *fragment_source, GLuint *out)
{
    const char *vertex_part[PARTS] = {VERSION, defines, "", "", vertex_source};
    const char *fragment_part[PARTS] = {VERSION, defines, PL_SHADER_COMMON, PL_SHADER_LIGHTS,
                                        fragment_source};
    *out = 0;
    GLuint vertex, fragment;
    PL_TRY(compile(GL_VERTEX_SHADER, name, vertex_part, &vertex));
    pl_status status = compile(GL_FRAGMENT_SHADER, name, fragment_part, &fragment);
    if (status != PL_OK) {
        glDeleteShader(vertex);
        return status;
    }
    GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[LOG_SIZE] = "";
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        glDeleteProgram(program);
        return pl_fail(PL_ERROR_UNSUPPORTED, "the %s program does not link: %s", name, log);
    }
    *out = program;
    return PL_OK;
}

void pl_set_int(GLuint program, const char *name, int value)
{
    glUniform1i(glGetUniformLocation(program, name), value);
}

void pl_set_float(GLuint program, const char *name, double value)
{
    glUniform1f(glGetUniformLocation(program, name), (float)value);
}

void pl_set_vec3(GLuint program, const char *name, vec3 value)
{
    glUniform3f(glGetUniformLocation(program, name), (float)value.x, (float)value.y,
                (float)value.z);
}

void pl_set_mat4(GLuint program, const char *name, const mat4 *value)
{
    float m[16];
    mat4_to_float(value, m);
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, m);
}
