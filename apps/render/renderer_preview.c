#include "gl_program.h"
#include "lights.h"
#include "renderer_state.h"

#include <stdlib.h>

enum {
    QUICK_SAMPLES = 4,   // per pixel
    QUICK_SHADOW = 512,  // pixels along a side of a shadow map
    AMBIENT_PASSES = 32, // whose lights stand for the studio
    FADE_PASSES = 8      // after so many, nothing is left of the quick picture
};

static const double CONTACT_SPREAD = 0.12; // of the taps for what is near the floor, in heights
// Bodies are cut so far below the floor, in heights: a face that lies in the floor is not torn.
static const double CUT_PART = 1e-4;

// --- Targets ---

void pl_preview_free(pl_preview *preview)
{
    GLuint buffer[] = {preview->color, preview->depth};
    if (preview->framebuffer != 0) glDeleteFramebuffers(1, &preview->framebuffer);
    glDeleteRenderbuffers(2, buffer);
    pl_delete_target(&preview->shadow);
    pl_delete_target(&preview->quick);
    pl_delete_target(&preview->overlay);
    *preview = (pl_preview){.stale = true};
}

static GLuint add_buffer(GLenum attachment, GLenum format, int32_t samples, int32_t width,
                         int32_t height)
{
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
    return buffer;
}

static pl_status make_targets(pl_renderer *renderer)
{
    pl_preview *preview = &renderer->preview;
    int32_t width = renderer->options.width, height = renderer->options.height;
    if (preview->framebuffer != 0) return PL_OK;
    GLint samples = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &samples);
    samples = PL_MIN(samples, QUICK_SAMPLES);
    pl_make_target(&preview->quick, GL_RGBA8, width, height);
    bool works = pl_target_works();
    glGenFramebuffers(1, &preview->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, preview->framebuffer);
    preview->color = add_buffer(GL_COLOR_ATTACHMENT0, GL_RGBA8, samples, width, height);
    preview->depth = add_buffer(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24, samples, width, height);
    works = pl_target_works() && works;
    works = pl_make_shadow_target(&preview->shadow, QUICK_SHADOW, 2) == PL_OK && works;
    if (works) return PL_OK;
    pl_preview_free(preview);
    return pl_fail(PL_ERROR_MEMORY, "OpenGL has no memory for a window of %d x %d pixels", width,
                   height);
}

// --- The quick picture ---

// What the programs of the quick picture share.
typedef struct quick {
    mat4 clip;
    pl_shadow_view key, below;
    mat4 key_matrix, below_matrix;
    pl_light light;
    bool floor;    // is seen, and hides what is below it
    double height; // of the bodies above the floor [m], > 0
} quick;

// Both shadow maps look at what is above the floor: the key light's as close as fits, the other one
// up from the floor itself, so that its depths are heights.
static quick describe(pl_renderer *renderer, const pl_view *s)
{
    pl_light light[PL_LIGHTS_PER_PASS];
    pl_lights_of_pass(renderer->key, 0, 1, light);
    mat4 from_clip;
    quick q = {.light = light[0], .clip = pl_camera_clip(renderer, s, 0, 0, &from_clip)};
    q.floor = renderer->options.floor && renderer->n_bodies > 0 && s->eye.z > s->floor_z;
    pl_view lit = *s, over = *s;
    if (q.floor) {
        lit.lo.z = fmax(s->lo.z, s->floor_z);
        over.lo.z = s->floor_z;
        lit.hi.z = over.hi.z = fmax(s->hi.z, s->floor_z);
    }
    q.key = pl_frame_shadow(&lit, renderer->key, QUICK_SHADOW);
    q.below = pl_frame_shadow(&over, (vec3){0, 0, -1}, QUICK_SHADOW);
    q.light.direction = renderer->key;
    q.key_matrix = pl_shadow_matrix(&q.key);
    q.below_matrix = pl_shadow_matrix(&q.below);
    q.height = lit.hi.z - lit.lo.z;
    if (!(q.height > 0)) q.height = vec3_length(vec3_sub(s->hi, s->lo));
    if (!(q.height > 0)) q.height = 1;
    return q;
}

static void set_background(const pl_renderer *renderer, GLuint program)
{
    const pl_renderer_options *options = &renderer->options;
    const float *c = options->background;
    glUseProgram(program);
    pl_set_vec3(program, "background",
                (vec3){pl_srgb_to_linear(c[0]), pl_srgb_to_linear(c[1]), pl_srgb_to_linear(c[2])});
    pl_set_float(program, "vignette", options->vignette);
    glUniform2f(glGetUniformLocation(program, "size"), (float)options->width,
                (float)options->height);
}

static void set_key(GLuint program, const quick *q)
{
    pl_set_mat4(program, "view_projection", &q->clip);
    pl_set_mat4(program, "key_matrix", &q->key_matrix);
    pl_set_float(program, "key_texel", q->key.texel);
    pl_set_float(program, "texel", 1.0 / QUICK_SHADOW);
    pl_set_float(program, "height", q->height);
    pl_set_int(program, "shadow_map", 0);
}

// The rectangle of the floor that bodies darken: below them, and where the key light throws their
// box.
static void floor_patch(const pl_view *s, const quick *q, vec3 key, float out[4])
{
    double margin = 0.3 * q->height, slope = fmax(key.z, 0.2);
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        double t = i & 1 ? fmax(s->hi.z - s->floor_z, 0) / slope : 0;
        double x[2] = {(i & 2 ? s->hi.x : s->lo.x) - t * key.x,
                       (i & 4 ? s->hi.y : s->lo.y) - t * key.y};
        for (int c = 0; c < 2; c++) {
            lo[c] = fmin(lo[c], x[c] - margin);
            hi[c] = fmax(hi[c], x[c] + margin);
        }
    }
    for (int c = 0; c < 2; c++) out[c] = (float)lo[c], out[2 + c] = (float)hi[c];
}

static void draw_floor(pl_renderer *renderer, const pl_view *s, const quick *q)
{
    if (!q->floor) return;
    GLuint program = renderer->program[PL_PROGRAM_QUICK_FLOOR];
    float patch[4];
    double share[3];
    floor_patch(s, q, renderer->key, patch);
    for (int c = 0; c < 3; c++) {
        share[c] = q->light.radiance[c] * fmax(renderer->key.z, 0) / s->floor_light[c];
    }
    set_background(renderer, program);
    set_key(program, q);
    pl_set_mat4(program, "below_matrix", &q->below_matrix);
    pl_set_float(program, "below_depth", q->below.depth);
    pl_set_float(program, "floor_z", s->floor_z);
    pl_set_vec3(program, "key_share", vec3_of(share));
    glUniform4fv(glGetUniformLocation(program, "ground"), 1, patch);
    glUniform2f(glGetUniformLocation(program, "spread"), (float)(0.03 * q->height / q->key.width),
                (float)(CONTACT_SPREAD * q->height / q->below.width));
    glBindVertexArray(renderer->empty_vao);
    glEnable(
        GL_DEPTH_CLAMP); // the planes of the camera hold the bodies, and their shadow lies beyond
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_DEPTH_CLAMP);
}

static void draw_body(const pl_renderer *renderer, const pl_gpu_body *body)
{
    GLuint program = renderer->program[PL_PROGRAM_QUICK_BODY];
    pl_set_float(program, "edge_width", pl_edge_pixels(renderer, body));
    pl_set_int(program, "wireframe", body->wireframe);
    pl_set_float(program, "opacity", body->opacity);
    glBindVertexArray(body->corner_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3 * body->n_face);
}

static bool is_solid(const pl_gpu_body *body)
{
    return body->opacity == 1 && !body->wireframe;
}

// How far away the middle of a body is, squared, along with which it is.
typedef struct distant {
    double square;
    int64_t body;
} distant;

static int farther_first(const void *a, const void *b)
{
    const distant *x = a, *y = b;
    if (x->square != y->square) return x->square > y->square ? -1 : 1;
    return (x->body > y->body) - (x->body < y->body);
}

// Bodies that are seen through, the farthest first, and of each the inside first.
static pl_status draw_transparent(const pl_renderer *renderer, const pl_view *s)
{
    int64_t n = 0;
    distant *order = pl_alloc(renderer->n_bodies, sizeof *order);
    if (order == NULL) return PL_ERROR_MEMORY;
    vec3 origin = vec3_of(renderer->origin);
    for (int64_t b = 0; b < renderer->n_bodies; b++) {
        const pl_gpu_body *body = &renderer->body[b];
        if (is_solid(body)) continue;
        vec3 middle = vec3_scale(vec3_add(vec3_of(body->lo), vec3_of(body->hi)), 0.5);
        vec3 away = vec3_sub(vec3_sub(middle, origin), s->eye);
        order[n++] = (distant){vec3_dot(away, away), b};
    }
    qsort(order, (size_t)n, sizeof *order, farther_first);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glEnable(GL_CULL_FACE);
    for (int64_t i = 0; i < n; i++) {
        glCullFace(GL_FRONT);
        draw_body(renderer, &renderer->body[order[i].body]);
        glCullFace(GL_BACK);
        draw_body(renderer, &renderer->body[order[i].body]);
    }
    glDisable(GL_CULL_FACE);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    pl_free(order);
    return PL_OK;
}

static void set_bodies(const pl_renderer *renderer, const pl_view *s, const quick *q)
{
    GLuint program = renderer->program[PL_PROGRAM_QUICK_BODY];
    mat4 ambient[3];
    float values[3 * 16];
    pl_lights_ambient(renderer->key, AMBIENT_PASSES, ambient);
    for (int c = 0; c < 3; c++) mat4_to_float(&ambient[c], values + 16 * c);
    glUseProgram(program);
    set_key(program, q);
    glUniformMatrix4fv(glGetUniformLocation(program, "ambient"), 3, GL_FALSE, values);
    pl_set_vec3(program, "eye", s->eye);
    pl_set_vec3(program, "key_direction", q->light.direction);
    pl_set_vec3(program, "key_radiance", vec3_of(q->light.radiance));
    pl_set_float(program, "floor_z", s->floor_z);
    pl_set_float(program, "cut_z", s->floor_z - CUT_PART * q->height);
}

static void draw_solid(const pl_renderer *renderer)
{
    for (int64_t b = 0; b < renderer->n_bodies; b++) {
        const pl_gpu_body *body = &renderer->body[b];
        (body->closed ? glEnable : glDisable)(GL_CULL_FACE);
        if (is_solid(body)) draw_body(renderer, body);
    }
    glDisable(GL_CULL_FACE);
}

static pl_status draw_quick(pl_renderer *renderer, const pl_view *s)
{
    const pl_renderer_options *options = &renderer->options;
    pl_preview *preview = &renderer->preview;
    quick q = describe(renderer, s);
    pl_draw_shadow_maps(renderer, &preview->shadow, QUICK_SHADOW, PL_WHOLE_SHADOWS, 2,
                        (pl_shadow_view[]){q.key, q.below});
    glBindFramebuffer(GL_FRAMEBUFFER, preview->framebuffer);
    glViewport(0, 0, options->width, options->height);
    set_background(renderer, renderer->program[PL_PROGRAM_QUICK_BACKGROUND]);
    glClear(GL_DEPTH_BUFFER_BIT);
    pl_draw_screen(renderer, PL_PROGRAM_QUICK_BACKGROUND, 0, 1);
    glBindTexture(GL_TEXTURE_2D_ARRAY, preview->shadow.texture);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    set_bodies(renderer, s, &q);
    // The floor that is drawn is a rectangle; the one that hides has no end.
    if (q.floor) glEnable(GL_CLIP_DISTANCE0);
    draw_solid(renderer);
    draw_floor(renderer, s, &q);
    glUseProgram(renderer->program[PL_PROGRAM_QUICK_BODY]);
    pl_status status = draw_transparent(renderer, s);
    glDisable(GL_CLIP_DISTANCE0);
    PL_TRY(status);
    pl_draw_marks(renderer, PL_PROGRAM_QUICK_MARKS, s, &q.clip);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, preview->framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, preview->quick.framebuffer);
    glBlitFramebuffer(0, 0, options->width, options->height, 0, 0, options->width, options->height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    return PL_OK;
}

// --- For a window ---

static bool same_camera(const pl_camera *a, const pl_camera *b)
{
    bool same = a->fov_y == b->fov_y;
    for (int c = 0; c < 3; c++) {
        same =
            same && a->eye[c] == b->eye[c] && a->target[c] == b->target[c] && a->up[c] == b->up[c];
    }
    return same;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : greatest_divisor(b, a % b);
}

// The k-th pass to draw. Passes that follow each other have lights that are neighbours: steps of
// about the golden section spread the first ones evenly, and reach all.
static int pass_in_turn(int k, int n)
{
    int64_t step = PL_MAX((int64_t)(0.618 * n), 1);
    while (greatest_divisor(step, n) != 1) step++;
    return (int)(k * step % n);
}

pl_status pl_renderer_preview(pl_renderer *renderer, const pl_camera *camera, unsigned framebuffer,
                              bool *done)
{
    const pl_renderer_options *options = &renderer->options;
    pl_preview *preview = &renderer->preview;
    PL_TRY(pl_camera_check(camera));
    PL_TRY(make_targets(renderer));
    pl_view s = pl_view_of(renderer, camera);
    if (preview->stale || !same_camera(camera, &preview->camera)) {
        PL_TRY(draw_quick(renderer, &s));
        preview->stale = false;
        preview->camera = *camera;
        preview->passes = 0;
    } else if (preview->passes < options->passes) {
        if (preview->passes == 0) pl_clear_sum(renderer);
        pl_add_pass(renderer, &s, pass_in_turn(preview->passes, options->passes));
        preview->passes++;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, options->width, options->height);
    double refined = PL_MIN((double)preview->passes / PL_MIN(FADE_PASSES, options->passes), 1);
    if (refined < 1) pl_draw_screen(renderer, PL_PROGRAM_ADD, preview->quick.texture, 1);
    if (refined > 0) {
        glEnable(GL_BLEND);
        glBlendColor(0, 0, 0, (float)refined);
        glBlendFunc(GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA);
        pl_draw_screen(renderer, PL_PROGRAM_FINISH, renderer->sum.texture, 1.0 / preview->passes);
        glDisable(GL_BLEND);
    }
    if (done != NULL) *done = preview->passes == options->passes;
    if (glGetError() == GL_NO_ERROR) return PL_OK;
    return pl_fail(PL_ERROR_MEMORY, "OpenGL failed while it drew the window");
}

pl_status pl_renderer_show(pl_renderer *renderer, const pl_image *overlay, unsigned framebuffer)
{
    pl_preview *preview = &renderer->preview;
    if (overlay->rgba == NULL) return PL_OK;
    if (preview->overlay.texture == 0 || overlay->width != preview->overlay_width ||
        overlay->height != preview->overlay_height) {
        pl_delete_target(&preview->overlay);
        pl_make_target(&preview->overlay, GL_RGBA8, overlay->width, overlay->height);
        preview->overlay_width = overlay->width;
        preview->overlay_height = overlay->height;
    }
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_2D, preview->overlay.texture);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, overlay->width, overlay->height, GL_RGBA,
                    GL_UNSIGNED_BYTE, overlay->rgba);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, renderer->options.width, renderer->options.height);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    pl_draw_screen(renderer, PL_PROGRAM_SHOW, preview->overlay.texture, renderer->options.height);
    glDisable(GL_BLEND);
    if (glGetError() == GL_NO_ERROR) return PL_OK;
    return pl_fail(PL_ERROR_MEMORY, "OpenGL has no memory for an overlay of %d x %d pixels",
                   overlay->width, overlay->height);
}
