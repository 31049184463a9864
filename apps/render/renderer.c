#include "renderer.h"
#include "gl_program.h"
#include "lights.h"
#include "renderer_state.h"
#include "shaders.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PASSES = 4096, MIN_SHADOW = 16 };

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
    char plain[160], stochastic[200], quick[200];
    snprintf(plain, sizeof plain, "#define LIGHTS %d\n#define UPPER_LIGHTS %d\n",
             PL_LIGHTS_PER_PASS, PL_LIGHTS_PER_PASS - PL_FLOOR_LIGHTS);
    snprintf(stochastic, sizeof stochastic, "%s#define STOCHASTIC\n", plain);
    snprintf(quick, sizeof quick, "%s#define QUICK\n", plain);
    const struct {
        const char *name, *defines, *vertex, *fragment;
    } table[PL_N_PROGRAMS] = {
        [PL_PROGRAM_BODY] = {"body", plain, PL_SHADER_BODY_VERTEX, PL_SHADER_BODY_FRAGMENT},
        [PL_PROGRAM_BODY_STOCHASTIC] = {"transparent body", stochastic, PL_SHADER_BODY_VERTEX,
                                        PL_SHADER_BODY_FRAGMENT},
        [PL_PROGRAM_DEPTH] = {"shadow", plain, PL_SHADER_DEPTH_VERTEX, PL_SHADER_DEPTH_FRAGMENT},
        [PL_PROGRAM_FLOOR] = {"floor", plain, PL_SHADER_SCREEN_VERTEX, PL_SHADER_FLOOR},
        [PL_PROGRAM_ADD] = {"sum", plain, PL_SHADER_SCREEN_VERTEX, PL_SHADER_ADD},
        [PL_PROGRAM_MARKS] = {"marks", plain, PL_SHADER_BODY_VERTEX, PL_SHADER_MARKS},
        [PL_PROGRAM_QUICK_MARKS] = {"quick marks", quick, PL_SHADER_BODY_VERTEX, PL_SHADER_MARKS},
        [PL_PROGRAM_QUICK_BODY] = {"quick body", plain, PL_SHADER_QUICK_VERTEX,
                                   PL_SHADER_QUICK_FRAGMENT},
        [PL_PROGRAM_QUICK_FLOOR] = {"quick floor", plain, PL_SHADER_QUICK_FLOOR_VERTEX,
                                    PL_SHADER_QUICK_FLOOR},
        [PL_PROGRAM_QUICK_BACKGROUND] = {"quick background", plain, PL_SHADER_SCREEN_VERTEX,
                                         PL_SHADER_QUICK_BACKGROUND},
        [PL_PROGRAM_SHOW] = {"overlay", plain, PL_SHADER_SCREEN_VERTEX, PL_SHADER_SHOW},
        [PL_PROGRAM_FINISH] = {"finish", plain, PL_SHADER_SCREEN_VERTEX, PL_SHADER_FINISH},
    };
    for (int i = 0; i < PL_N_PROGRAMS; i++) {
        PL_TRY(pl_link_program(table[i].name, table[i].defines, table[i].vertex, table[i].fragment,
                               &renderer->program[i]));
    }
    return PL_OK;
}

// --- Targets ---

void pl_delete_target(pl_target *t)
{
    if (t->framebuffer != 0) glDeleteFramebuffers(1, &t->framebuffer);
    if (t->texture != 0) glDeleteTextures(1, &t->texture);
    *t = (pl_target){0, 0};
}

void pl_make_target(pl_target *t, GLenum format, int32_t width, int32_t height)
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
    pl_delete_target(&renderer->pass);
    pl_delete_target(&renderer->sum);
    pl_delete_target(&renderer->finished);
    if (renderer->depth_buffer != 0) glDeleteRenderbuffers(1, &renderer->depth_buffer);
    renderer->depth_buffer = 0;
}

bool pl_target_works(void)
{
    GLenum complete = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    GLenum error = glGetError();
    return complete == GL_FRAMEBUFFER_COMPLETE && error == GL_NO_ERROR;
}

static pl_status make_picture_targets(pl_renderer *renderer, int32_t width, int32_t height)
{
    pl_make_target(&renderer->sum, GL_RGBA32F, width, height);
    bool works = pl_target_works();
    pl_make_target(&renderer->finished, GL_RGBA8, width, height);
    works = pl_target_works() && works;
    pl_make_target(&renderer->pass, GL_RGBA32F, width, height);
    glGenRenderbuffers(1, &renderer->depth_buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, renderer->depth_buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                              renderer->depth_buffer);
    works = pl_target_works() && works;
    if (works) return PL_OK;
    return pl_fail(PL_ERROR_MEMORY, "OpenGL has no memory for a picture of %d x %d pixels", width,
                   height);
}

pl_status pl_make_shadow_target(pl_target *t, int32_t size, int32_t layers)
{
    static const float lit[4] = {1, 1, 1, 1};
    glGenTextures(1, &t->texture);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t->texture);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT24, size, size, layers, 0,
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
    if (pl_target_works()) return PL_OK;
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
    renderer->preview.stale = true;
    pl_camera camera = pl_camera_default();
    double key[3];
    pl_camera_key_light(&camera, key);
    renderer->key = vec3_of(key);
    while (glGetError() != GL_NO_ERROR) { // not ours
    }
    glGenVertexArrays(1, &renderer->empty_vao);
    pl_status status = link_programs(renderer);
    if (status == PL_OK) {
        status = pl_make_shadow_target(&renderer->shadow, options->shadow_size, PL_LIGHTS_PER_PASS);
    }
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
    for (int i = 0; i < PL_N_PROGRAMS; i++) glDeleteProgram(renderer->program[i]);
    pl_preview_free(&renderer->preview);
    delete_picture_targets(renderer);
    pl_delete_target(&renderer->shadow);
    glDeleteVertexArrays(1, &renderer->empty_vao);
    pl_free(renderer);
}

pl_status pl_renderer_resize(pl_renderer *renderer, int32_t width, int32_t height)
{
    pl_renderer_options *options = &renderer->options;
    if (width == options->width && height == options->height) return PL_OK;
    PL_TRY(check_size(width, height));
    pl_renderer before = *renderer;
    renderer->pass = renderer->sum = renderer->finished = (pl_target){0, 0};
    renderer->depth_buffer = 0;
    pl_status status = make_picture_targets(renderer, width, height);
    if (status != PL_OK) {
        delete_picture_targets(renderer);
        *renderer = before;
        return status;
    }
    delete_picture_targets(&before);
    pl_preview_free(&renderer->preview);
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
    renderer->preview.stale = true;
    return PL_OK;
}

static pl_status check_index(const pl_renderer *renderer, int32_t index)
{
    if (index >= 0 && index < renderer->n_bodies) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "there is no body %d to draw, only %lld", index,
                   (long long)renderer->n_bodies);
}

int32_t pl_renderer_vertex_count(const pl_renderer *renderer, int32_t index)
{
    return index >= 0 && index < renderer->n_bodies ? renderer->body[index].n_vert : 0;
}

pl_status pl_renderer_color_body(pl_renderer *renderer, int32_t index, const uint8_t *vertex_color)
{
    PL_TRY(check_index(renderer, index));
    renderer->preview.stale = true;
    return pl_gpu_body_paint(&renderer->body[index], vertex_color);
}

pl_status pl_renderer_style_body(pl_renderer *renderer, int32_t index, const pl_draw_style *style)
{
    PL_TRY(check_index(renderer, index));
    if (!(style->opacity > 0 && style->opacity <= 1 && style->edge_width >= 0 &&
          isfinite(style->edge_width))) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "the opacity lies above 0 and up to 1, the width of edges is not negative");
    }
    pl_gpu_body *body = &renderer->body[index];
    renderer->preview.stale = true;
    body->opacity = style->opacity;
    body->edge_width = style->edge_width;
    body->wireframe = style->wireframe;
    return PL_OK;
}

pl_status pl_renderer_set_marks(pl_renderer *renderer, const pl_draw_body *marks)
{
    pl_gpu_body made = {0};
    if (marks != NULL) PL_TRY(pl_gpu_body_create(marks, renderer->origin, &made));
    pl_gpu_body_destroy(&renderer->marks);
    renderer->marks = made;
    renderer->preview.stale = true;
    return PL_OK;
}

pl_status pl_renderer_update_body(pl_renderer *renderer, int32_t index, const double *x)
{
    PL_TRY(check_index(renderer, index));
    renderer->preview.stale = true;
    return pl_gpu_body_move(&renderer->body[index], x, renderer->origin);
}

void pl_renderer_clear(pl_renderer *renderer)
{
    for (int64_t i = 0; i < renderer->n_bodies; i++) pl_gpu_body_destroy(&renderer->body[i]);
    pl_gpu_body_destroy(&renderer->marks);
    renderer->n_bodies = 0;
    renderer->preview.stale = true;
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
    renderer->preview.stale = true;
    return PL_OK;
}
