#include "renderer.h"
#include "gl_program.h"
#include "lights.h"
#include "shaders.h"
#include "vec.h"

#include <epoxy/gl.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PASSES = 4096, MIN_SHADOW = 16 };

static const double SHADOW_PADDING = 2;  // texels around the bodies in a shadow map
static const double NEAREST_PART = 1e-3; // near plane, at least this part of the far plane

typedef enum program_id {
    PROGRAM_BODY,
    PROGRAM_BODY_STOCHASTIC,
    PROGRAM_DEPTH,
    PROGRAM_DEPTH_STOCHASTIC,
    PROGRAM_FLOOR,
    PROGRAM_ADD,
    PROGRAM_FINISH,
    N_PROGRAMS
} program_id;

typedef struct target {
    GLuint framebuffer, texture;
} target;

struct pl_renderer {
    pl_renderer_options options;
    pl_gpu_body *body; // (n_bodies)
    int64_t n_bodies, capacity;
    double origin[3]; // subtracted in double before positions become floats; the first body's first
                      // vertex
    vec3 key;         // unit, towards the key light
    GLuint program[N_PROGRAMS];
    GLuint empty_vao, depth_buffer;
    target shadow;   // depth, PL_LIGHTS_PER_PASS layers
    target pass;     // one pass, linear
    target sum;      // all passes so far
    target finished; // sRGB, 8 bits
};

// All that a pass needs to know of the scene.
typedef struct scene {
    vec3 lo, hi; // bounds, relative to the origin
    vec3 eye;    // relative to the origin
    mat4 view;
    double near, far, tan_x, tan_y;
    double floor_light[3];
    double floor_z; // relative to the origin
} scene;

pl_renderer_options pl_renderer_options_default(void)
{
    return (pl_renderer_options){.width = 1280,
                                 .height = 720,
                                 .passes = 32,
                                 .shadow_size = 1024,
                                 .background = {0.93F, 0.94F, 0.95F},
                                 .vignette = 0.25F,
                                 .floor = true,
                                 .floor_z = NAN};
}

// --- Programs ---

static pl_status link_programs(pl_renderer *renderer)
{
    char plain[160], stochastic[200];
    snprintf(plain, sizeof plain, "#define LIGHTS %d\n#define UPPER_LIGHTS %d\n",
             PL_LIGHTS_PER_PASS, PL_LIGHTS_PER_PASS - PL_FLOOR_LIGHTS);
    snprintf(stochastic, sizeof stochastic, "%s#define STOCHASTIC\n", plain);
    const struct {
        const char *name, *defines, *vertex, *fragment;
    } table[N_PROGRAMS] = {
        [PROGRAM_BODY] = {"body", plain, PL_SHADER_BODY_VERTEX, PL_SHADER_BODY_FRAGMENT},
        [PROGRAM_BODY_STOCHASTIC] = {"transparent body", stochastic, PL_SHADER_BODY_VERTEX,
                                     PL_SHADER_BODY_FRAGMENT},
        [PROGRAM_DEPTH] = {"shadow", plain, PL_SHADER_DEPTH_VERTEX, PL_SHADER_DEPTH_FRAGMENT},
        [PROGRAM_DEPTH_STOCHASTIC] = {"transparent shadow", stochastic, PL_SHADER_DEPTH_VERTEX,
                                      PL_SHADER_DEPTH_FRAGMENT},
        [PROGRAM_FLOOR] = {"floor", plain, PL_SHADER_SCREEN_VERTEX, PL_SHADER_FLOOR},
        [PROGRAM_ADD] = {"sum", plain, PL_SHADER_SCREEN_VERTEX, PL_SHADER_ADD},
        [PROGRAM_FINISH] = {"finish", plain, PL_SHADER_SCREEN_VERTEX, PL_SHADER_FINISH},
    };
    for (int i = 0; i < N_PROGRAMS; i++) {
        PL_TRY(pl_link_program(table[i].name, table[i].defines, table[i].vertex, table[i].fragment,
                               &renderer->program[i]));
    }
    return PL_OK;
}

// --- Targets ---

static void delete_target(target *t)
{
    if (t->framebuffer != 0) glDeleteFramebuffers(1, &t->framebuffer);
    if (t->texture != 0) glDeleteTextures(1, &t->texture);
    *t = (target){0, 0};
}

static void make_target(target *t, GLenum format, int32_t width, int32_t height)
{
    glGenTextures(1, &t->texture);
    glBindTexture(GL_TEXTURE_2D, t->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &t->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->texture, 0);
}

static void delete_picture_targets(pl_renderer *renderer)
{
    delete_target(&renderer->pass);
    delete_target(&renderer->sum);
    delete_target(&renderer->finished);
    if (renderer->depth_buffer != 0) glDeleteRenderbuffers(1, &renderer->depth_buffer);
    renderer->depth_buffer = 0;
}

// Nothing went wrong and the framebuffer bound last can be drawn to.
static bool target_works(void)
{
    GLenum complete = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    GLenum error = glGetError();
    return complete == GL_FRAMEBUFFER_COMPLETE && error == GL_NO_ERROR;
}

static pl_status make_picture_targets(pl_renderer *renderer, int32_t width, int32_t height)
{
    make_target(&renderer->sum, GL_RGBA32F, width, height);
    bool works = target_works();
    make_target(&renderer->finished, GL_RGBA8, width, height);
    works = target_works() && works;
    make_target(&renderer->pass, GL_RGBA32F, width, height);
    glGenRenderbuffers(1, &renderer->depth_buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, renderer->depth_buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                              renderer->depth_buffer);
    works = target_works() && works;
    if (works) return PL_OK;
    return pl_fail(PL_ERROR_MEMORY, "OpenGL has no memory for a picture of %d x %d pixels", width,
                   height);
}

static pl_status make_shadow_target(pl_renderer *renderer)
{
    static const float lit[4] = {1, 1, 1, 1};
    target *t = &renderer->shadow;
    int32_t size = renderer->options.shadow_size;
    glGenTextures(1, &t->texture);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t->texture);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT24, size, size, PL_LIGHTS_PER_PASS, 0,
                 GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
    glTexParameterfv(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BORDER_COLOR, lit);
    glGenFramebuffers(1, &t->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, t->texture, 0, 0);
    if (target_works()) return PL_OK;
    return pl_fail(PL_ERROR_MEMORY, "OpenGL has no memory for shadow maps of %d x %d pixels", size,
                   size);
}

// --- Life ---

static pl_status check_size(int32_t width, int32_t height)
{
    if (width < 1 || height < 1) {
        return pl_fail(PL_ERROR_ARGUMENT, "a picture of %d x %d pixels has no area", width, height);
    }
    GLint texture = 0, buffer = 0, viewport[2] = {0, 0};
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &buffer);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    GLint most = PL_MIN(PL_MIN(texture, buffer), PL_MIN(viewport[0], viewport[1]));
    if (width > most || height > most) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "a picture of %d x %d pixels is too large: this OpenGL driver draws up to "
                       "%d x %d",
                       width, height, most, most);
    }
    return PL_OK;
}

static pl_status check_options(const pl_renderer_options *options)
{
    PL_TRY(check_size(options->width, options->height));
    if (options->passes < 1 || options->passes > MAX_PASSES) {
        return pl_fail(PL_ERROR_ARGUMENT, "the number of passes is %d, not between 1 and %d",
                       options->passes, MAX_PASSES);
    }
    GLint texture = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
    if (options->shadow_size < MIN_SHADOW || options->shadow_size > texture) {
        return pl_fail(PL_ERROR_ARGUMENT, "shadow maps are %d pixels wide, not between %d and %d",
                       options->shadow_size, MIN_SHADOW, texture);
    }
    bool ok = options->vignette >= 0 && options->vignette <= 1;
    for (int c = 0; c < 3; c++) {
        ok = ok && options->background[c] >= 0 && options->background[c] <= 1;
    }
    if (!ok) {
        return pl_fail(PL_ERROR_ARGUMENT, "background colours and vignette lie between 0 and 1");
    }
    return isinf(options->floor_z)
               ? pl_fail(PL_ERROR_ARGUMENT, "the height of the floor is infinite")
               : PL_OK;
}

pl_status pl_renderer_create(pl_gl_context *context, const pl_renderer_options *options,
                             pl_renderer **out)
{
    *out = NULL;
    PL_ASSERT(context != NULL);
    pl_renderer_options defaults = pl_renderer_options_default();
    if (options == NULL) options = &defaults;
    PL_TRY(check_options(options));
    pl_renderer *renderer = pl_alloc_zero(1, sizeof *renderer);
    if (renderer == NULL) return PL_ERROR_MEMORY;
    renderer->options = *options;
    pl_camera camera = pl_camera_default();
    double key[3];
    pl_camera_key_light(&camera, key);
    renderer->key = vec3_of(key);
    while (glGetError() != GL_NO_ERROR) { // not ours
    }
    glGenVertexArrays(1, &renderer->empty_vao);
    pl_status status = link_programs(renderer);
    if (status == PL_OK) status = make_shadow_target(renderer);
    if (status == PL_OK) status = make_picture_targets(renderer, options->width, options->height);
    if (status != PL_OK) {
        pl_renderer_destroy(renderer);
        return status;
    }
    *out = renderer;
    return PL_OK;
}

void pl_renderer_destroy(pl_renderer *renderer)
{
    if (renderer == NULL) return;
    pl_renderer_clear(renderer);
    pl_free(renderer->body);
    glUseProgram(0); // a program in use would stay
    for (int i = 0; i < N_PROGRAMS; i++) glDeleteProgram(renderer->program[i]);
    delete_picture_targets(renderer);
    delete_target(&renderer->shadow);
    glDeleteVertexArrays(1, &renderer->empty_vao);
    pl_free(renderer);
}

pl_status pl_renderer_resize(pl_renderer *renderer, int32_t width, int32_t height)
{
    pl_renderer_options *options = &renderer->options;
    if (width == options->width && height == options->height) return PL_OK;
    PL_TRY(check_size(width, height));
    pl_renderer before = *renderer;
    renderer->pass = renderer->sum = renderer->finished = (target){0, 0};
    renderer->depth_buffer = 0;
    pl_status status = make_picture_targets(renderer, width, height);
    if (status != PL_OK) {
        delete_picture_targets(renderer);
        *renderer = before;
        return status;
    }
    delete_picture_targets(&before);
    options->width = width;
    options->height = height;
    return PL_OK;
}

pl_status pl_renderer_add_body(pl_renderer *renderer, const pl_draw_body *body, int32_t *index)
{
    PL_TRY(pl_reserve((void **)&renderer->body, &renderer->capacity, renderer->n_bodies + 1,
                      sizeof *renderer->body));
    double origin[3];
    memcpy(origin, renderer->origin, sizeof origin);
    if (renderer->n_bodies == 0 && body->n_vert > 0) memcpy(origin, body->x, sizeof origin);
    PL_TRY(pl_gpu_body_create(body, origin, &renderer->body[renderer->n_bodies]));
    memcpy(renderer->origin, origin, sizeof origin);
    if (index != NULL) *index = (int32_t)renderer->n_bodies;
    renderer->n_bodies++;
    return PL_OK;
}

pl_status pl_renderer_update_body(pl_renderer *renderer, int32_t index, const double *x)
{
    if (index < 0 || index >= renderer->n_bodies) {
        return pl_fail(PL_ERROR_ARGUMENT, "there is no body %d to draw, only %lld", index,
                       (long long)renderer->n_bodies);
    }
    return pl_gpu_body_move(&renderer->body[index], x, renderer->origin);
}

void pl_renderer_clear(pl_renderer *renderer)
{
    for (int64_t i = 0; i < renderer->n_bodies; i++) pl_gpu_body_destroy(&renderer->body[i]);
    renderer->n_bodies = 0;
}

bool pl_renderer_bounds(const pl_renderer *renderer, double lo[3], double hi[3])
{
    for (int c = 0; c < 3; c++) {
        lo[c] = INFINITY, hi[c] = -INFINITY;
        for (int64_t i = 0; i < renderer->n_bodies; i++) {
            lo[c] = fmin(lo[c], renderer->body[i].lo[c]);
            hi[c] = fmax(hi[c], renderer->body[i].hi[c]);
        }
    }
    return renderer->n_bodies > 0;
}

pl_status pl_renderer_set_key_light(pl_renderer *renderer, const double direction[3])
{
    vec3 unit = vec3_unit(vec3_of(direction));
    if (!(fabs(vec3_length(unit) - 1) < 1e-6)) {
        return pl_fail(PL_ERROR_ARGUMENT, "the key light's direction is zero or not finite");
    }
    renderer->key = unit;
    return PL_OK;
}

// --- One pass ---

static vec3 box_corner(const scene *s, int corner)
{
    return (vec3){corner & 1 ? s->hi.x : s->lo.x, corner & 2 ? s->hi.y : s->lo.y,
                  corner & 4 ? s->hi.z : s->lo.z};
}

static scene describe_scene(const pl_renderer *renderer, const pl_camera *camera)
{
    const pl_renderer_options *options = &renderer->options;
    scene s = {.lo = {-1, -1, -1}, .hi = {1, 1, 1}};
    vec3 origin = vec3_of(renderer->origin);
    double lo[3], hi[3];
    if (pl_renderer_bounds(renderer, lo, hi)) {
        s.lo = vec3_sub(vec3_of(lo), origin);
        s.hi = vec3_sub(vec3_of(hi), origin);
    }
    double right[3], up[3], backward[3];
    pl_camera_axes(camera, right, up, backward);
    s.eye = vec3_sub(vec3_of(camera->eye), origin);
    s.view = mat4_view(vec3_of(right), vec3_of(up), vec3_of(backward), s.eye);
    s.tan_y = tan(camera->fov_y / 2);
    s.tan_x = s.tan_y * options->width / options->height;
    s.near = INFINITY;
    for (int i = 0; i < 8; i++) {
        double depth = vec3_dot(vec3_sub(s.eye, box_corner(&s, i)), vec3_of(backward));
        s.near = fmin(s.near, depth);
        s.far = fmax(s.far, depth);
    }
    // Behind the camera there is nothing to see, but the planes must still be two planes.
    if (!(s.far > 0)) s.far = vec3_length(vec3_sub(s.hi, s.lo)) + 1;
    s.far *= 1.01;
    s.near = fmax(0.99 * s.near, NEAREST_PART * s.far);
    pl_lights_on_floor(renderer->key, options->passes, s.floor_light);
    s.floor_z = isnan(options->floor_z) ? s.lo.z : options->floor_z - renderer->origin[2];
    return s;
}

// How a shadow map sees the bodies: along the light, as close as fits.
typedef struct shadow_view {
    mat4 clip;                  // positions to clip space
    double width, depth, texel; // of the box that it holds, and of a texel [m]
} shadow_view;

static shadow_view frame_shadow(const scene *s, vec3 direction, int32_t size)
{
    vec3 u, v;
    vec3_frame(direction, &u, &v);
    mat4 view = mat4_view(u, v, direction, (vec3){0, 0, 0});
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        vec3 p = box_corner(s, i);
        double q[3] = {vec3_dot(u, p), vec3_dot(v, p), vec3_dot(direction, p)};
        for (int c = 0; c < 3; c++) lo[c] = fmin(lo[c], q[c]), hi[c] = fmax(hi[c], q[c]);
    }
    double extent = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), 1e-3 * (hi[2] - lo[2]));
    if (!(extent > 0)) extent = 1;
    shadow_view out = {.texel = extent / (size - 2 * SHADOW_PADDING)};
    out.width = size * out.texel;
    out.depth = fmax(1.02 * (hi[2] - lo[2]), 1e-3 * extent);
    double x = -(lo[0] + hi[0]), y = -(lo[1] + hi[1]), z = lo[2] + hi[2];
    double w = out.width, d = out.depth;
    mat4 box = {{2 / w, 0, 0, 0, 0, 2 / w, 0, 0, 0, 0, -2 / d, 0, x / w, y / w, z / d, 1}};
    out.clip = mat4_multiply(&box, &view);
    return out;
}

static void draw_shadow_maps(pl_renderer *renderer, int pass, const shadow_view *shadow)
{
    int32_t size = renderer->options.shadow_size;
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->shadow.framebuffer);
    glViewport(0, 0, size, size);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5F, 2.0F);
    for (int i = 0; i < PL_LIGHTS_PER_PASS; i++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, renderer->shadow.texture, 0,
                                  i);
        glClear(GL_DEPTH_BUFFER_BIT);
        for (int64_t b = 0; b < renderer->n_bodies; b++) {
            const pl_gpu_body *body = &renderer->body[b];
            bool solid = body->opacity == 1;
            GLuint program = renderer->program[solid ? PROGRAM_DEPTH : PROGRAM_DEPTH_STOCHASTIC];
            glUseProgram(program);
            pl_set_mat4(program, "view_projection", &shadow[i].clip);
            if (!solid) {
                pl_set_int(program, "pass", pass * PL_LIGHTS_PER_PASS + i);
                pl_set_int(program, "layer", (int)(2 * b));
                pl_set_float(program, "opacity", body->opacity);
            }
            // Of a closed body, the side towards the light casts the whole shadow.
            (body->closed && solid ? glEnable : glDisable)(GL_CULL_FACE);
            glBindVertexArray(body->vertex_vao);
            glDrawElements(GL_TRIANGLES, 3 * body->n_face, GL_UNSIGNED_INT, NULL);
        }
    }
    glDisable(GL_CULL_FACE);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

// The camera's projection, shifted by (x, y) pixels, and its way back.
static mat4 camera_clip(const pl_renderer *renderer, const scene *s, double x, double y,
                        mat4 *from_clip)
{
    double sx = 2 * x / renderer->options.width, sy = 2 * y / renderer->options.height;
    double a = (s->far + s->near) / (s->near - s->far);
    double b = 2 * s->far * s->near / (s->near - s->far);
    mat4 projection = {{1 / s->tan_x, 0, 0, 0, 0, 1 / s->tan_y, 0, 0, -sx, -sy, a, -1, 0, 0, b, 0}};
    // Back from clip space: the eye's frame has z = -w there.
    mat4 back = {{s->tan_x, 0, 0, 0, 0, s->tan_y, 0, 0, 0, 0, 0, 1 / b, -sx * s->tan_x,
                  -sy * s->tan_y, -1, a / b}};
    const double *m = s->view.m;
    mat4 to_world = {{m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0, s->eye.x,
                      s->eye.y, s->eye.z, 1}};
    *from_clip = mat4_multiply(&to_world, &back);
    return mat4_multiply(&projection, &s->view);
}

static void set_lights(GLuint program, const pl_light *light, const shadow_view *shadow,
                       int32_t size)
{
    static const mat4 to_texture = {{0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1}};
    float matrix[16 * PL_LIGHTS_PER_PASS], direction[3 * PL_LIGHTS_PER_PASS];
    float radiance[3 * PL_LIGHTS_PER_PASS], gloss[PL_LIGHTS_PER_PASS];
    float spread[PL_LIGHTS_PER_PASS], texel[PL_LIGHTS_PER_PASS];
    for (int i = 0; i < PL_LIGHTS_PER_PASS; i++) {
        mat4 m = mat4_multiply(&to_texture, &shadow[i].clip);
        mat4_to_float(&m, matrix + 16 * i);
        vec3_to_float(light[i].direction, direction + 3 * i);
        vec3_to_float(vec3_of(light[i].radiance), radiance + 3 * i);
        gloss[i] = (float)light[i].gloss;
        spread[i] = (float)(light[i].spread * shadow[i].depth / shadow[i].width);
        texel[i] = (float)shadow[i].texel;
    }
    int n = PL_LIGHTS_PER_PASS;
    glUniformMatrix4fv(glGetUniformLocation(program, "light_matrix"), n, GL_FALSE, matrix);
    glUniform3fv(glGetUniformLocation(program, "light_direction"), n, direction);
    glUniform3fv(glGetUniformLocation(program, "light_radiance"), n, radiance);
    glUniform1fv(glGetUniformLocation(program, "light_gloss"), n, gloss);
    glUniform1fv(glGetUniformLocation(program, "light_spread"), n, spread);
    glUniform1fv(glGetUniformLocation(program, "light_texel"), n, texel);
    pl_set_float(program, "texel", 1.0 / size);
    pl_set_int(program, "shadow_map", 0);
}

static double srgb_to_linear(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static void draw_floor(pl_renderer *renderer, const scene *s, const mat4 *clip,
                       const mat4 *from_clip)
{
    const pl_renderer_options *options = &renderer->options;
    GLuint program = renderer->program[PROGRAM_FLOOR];
    glUseProgram(program);
    pl_set_mat4(program, "view_projection", clip);
    pl_set_mat4(program, "from_clip", from_clip);
    pl_set_vec3(program, "eye", s->eye);
    pl_set_vec3(program, "background",
                (vec3){srgb_to_linear(options->background[0]),
                       srgb_to_linear(options->background[1]),
                       srgb_to_linear(options->background[2])});
    pl_set_float(program, "vignette", options->vignette);
    glUniform2f(glGetUniformLocation(program, "size"), (float)options->width,
                (float)options->height);
    pl_set_int(program, "has_floor", options->floor && renderer->n_bodies > 0);
    pl_set_float(program, "floor_z", s->floor_z);
    pl_set_vec3(program, "floor_light", vec3_of(s->floor_light));
    vec3 middle = vec3_scale(vec3_add(s->lo, s->hi), 0.5);
    glUniform4f(glGetUniformLocation(program, "middle"), (float)middle.x, (float)middle.y,
                (float)s->floor_z, (float)fmax(0.5 * vec3_length(vec3_sub(s->hi, s->lo)), 1e-30));
    glDepthFunc(GL_ALWAYS);
    glBindVertexArray(renderer->empty_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthFunc(GL_LEQUAL);
}

static void draw_body(pl_renderer *renderer, const scene *s, int64_t index, const mat4 *clip)
{
    const pl_gpu_body *body = &renderer->body[index];
    bool solid = body->opacity == 1;
    GLuint program = renderer->program[solid ? PROGRAM_BODY : PROGRAM_BODY_STOCHASTIC];
    glUseProgram(program);
    pl_set_mat4(program, "view_projection", clip);
    pl_set_vec3(program, "eye", s->eye);
    pl_set_float(program, "edge_width", (double)body->edge_width * renderer->options.height / 720);
    if (!solid) {
        pl_set_int(program, "layer", (int)(2 * index));
        pl_set_float(program, "opacity", body->opacity);
    }
    glBindVertexArray(body->corner_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3 * body->n_face);
}

// Where in the pixel pass `pass` looks, relative to its centre: a sequence that fills the square
// evenly [Roberts, The unreasonable effectiveness of quasirandom sequences, 2018]. A single pass
// looks at the centre.
static void pixel_offset(int pass, double *x, double *y)
{
    *x = fmod(0.5 + 0.75487766624669276 * pass, 1) - 0.5;
    *y = fmod(0.5 + 0.56984029099805327 * pass, 1) - 0.5;
}

static void draw_pass(pl_renderer *renderer, const scene *s, int pass)
{
    const pl_renderer_options *options = &renderer->options;
    pl_light light[PL_LIGHTS_PER_PASS];
    shadow_view shadow[PL_LIGHTS_PER_PASS];
    pl_lights_of_pass(renderer->key, pass, options->passes, light);
    for (int i = 0; i < PL_LIGHTS_PER_PASS; i++) {
        shadow[i] = frame_shadow(s, light[i].direction, options->shadow_size);
    }
    draw_shadow_maps(renderer, pass, shadow);

    double x, y;
    pixel_offset(pass, &x, &y);
    mat4 from_clip, clip = camera_clip(renderer, s, x, y, &from_clip);
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->pass.framebuffer);
    glViewport(0, 0, options->width, options->height);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D_ARRAY, renderer->shadow.texture);
    static const program_id lit[] = {PROGRAM_FLOOR, PROGRAM_BODY, PROGRAM_BODY_STOCHASTIC};
    for (int i = 0; i < 3; i++) {
        glUseProgram(renderer->program[lit[i]]);
        set_lights(renderer->program[lit[i]], light, shadow, options->shadow_size);
        pl_set_int(renderer->program[lit[i]], "pass", pass);
    }
    draw_floor(renderer, s, &clip, &from_clip);
    for (int64_t b = 0; b < renderer->n_bodies; b++) draw_body(renderer, s, b, &clip);
}

// --- The picture ---

// Runs `program` over every pixel of the target bound, reading `source`.
static void draw_screen(pl_renderer *renderer, program_id program, const target *source)
{
    glUseProgram(renderer->program[program]);
    pl_set_int(renderer->program[program], "picture", 0);
    pl_set_float(renderer->program[program], "scale", 1.0 / renderer->options.passes);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, source->texture);
    glDisable(GL_DEPTH_TEST);
    glBindVertexArray(renderer->empty_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

pl_status pl_renderer_draw(pl_renderer *renderer, const pl_camera *camera, pl_image *out)
{
    const pl_renderer_options *options = &renderer->options;
    PL_TRY(pl_camera_check(camera));
    PL_TRY(pl_image_resize(out, options->width, options->height));
    scene s = describe_scene(renderer, camera);
    static const float black[4] = {0, 0, 0, 0};
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->sum.framebuffer);
    glClearBufferfv(GL_COLOR, 0, black);
    for (int pass = 0; pass < options->passes; pass++) {
        draw_pass(renderer, &s, pass);
        glBindFramebuffer(GL_FRAMEBUFFER, renderer->sum.framebuffer);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        draw_screen(renderer, PROGRAM_ADD, &renderer->pass);
        glDisable(GL_BLEND);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->finished.framebuffer);
    draw_screen(renderer, PROGRAM_FINISH, &renderer->sum);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, options->width, options->height, GL_RGBA, GL_UNSIGNED_BYTE, out->rgba);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (glGetError() != GL_NO_ERROR) {
        return pl_fail(PL_ERROR_MEMORY, "OpenGL failed while it drew the picture");
    }
    pl_image_flip(out); // OpenGL's rows start at the bottom
    return PL_OK;
}
