#include "gl_program.h"
#include "lights.h"
#include "renderer_state.h"

static const double SHADOW_PADDING = 2;  // texels around the bodies in a shadow map
static const double WIRE_WIDTH = 1;      // of a wireframe that asks for none [pixels of 720 rows]
static const double MARKS_DEPTH = 0.01;  // the part of all depths that marks have
static const float WIRE_SHADOW = 0.25F;  // opacity of a wireframe, for its shadow
static const double NEAREST_PART = 1e-3; // near plane, at least this part of the far plane

// --- One pass ---

static vec3 box_corner(const pl_view *s, int corner)
{
    return (vec3){corner & 1 ? s->hi.x : s->lo.x, corner & 2 ? s->hi.y : s->lo.y,
                  corner & 4 ? s->hi.z : s->lo.z};
}

pl_view pl_view_of(const pl_renderer *renderer, const pl_camera *camera)
{
    const pl_renderer_options *options = &renderer->options;
    pl_view s = {.lo = {-1, -1, -1}, .hi = {1, 1, 1}};
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

pl_shadow_view pl_frame_shadow(const pl_view *s, vec3 direction, int32_t size)
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
    pl_shadow_view out = {.texel = extent / (size - 2 * SHADOW_PADDING)};
    out.width = size * out.texel;
    out.depth = fmax(1.02 * (hi[2] - lo[2]), 1e-3 * extent);
    double x = -(lo[0] + hi[0]), y = -(lo[1] + hi[1]), z = lo[2] + hi[2];
    double w = out.width, d = out.depth;
    mat4 box = {{2 / w, 0, 0, 0, 0, 2 / w, 0, 0, 0, 0, -2 / d, 0, x / w, y / w, z / d, 1}};
    out.clip = mat4_multiply(&box, &view);
    return out;
}

mat4 pl_shadow_matrix(const pl_shadow_view *shadow)
{
    static const mat4 to_texture = {{0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1}};
    return mat4_multiply(&to_texture, &shadow->clip);
}

// Whether the sides of a transparent body throw their shadows from this light of this pass: whole
// or not at all, so that shadows have no grain, and in the mean over the passes they are as dark as
// the body is opaque. One number in [0, 1) tells for both: it is below the opacity or not, and
// where it lies in its part is as good as another number. The steps are as irrational as those of
// PL_SHADER_COMMON, and others: a body that is drawn only where it shades itself would be too dark.
static void choose_sides(int64_t body, int turn, double opacity, bool *front, bool *back)
{
    static const double steps[4] = {0.73205081, 0.64575131, 0.31662479, 0.21110255};
    double u = fmod(0.41421356 * (double)body + turn * steps[body % 4], 1);
    *front = u < opacity;
    *back = (*front ? u / opacity : (u - opacity) / (1 - opacity)) < opacity;
}

static void cast_shadow(pl_renderer *renderer, int64_t index, const mat4 *clip, int turn)
{
    const pl_gpu_body *body = &renderer->body[index];
    float opacity = body->wireframe ? WIRE_SHADOW : body->opacity;
    bool front = opacity >= 0.5F, back = front;
    if (turn != PL_WHOLE_SHADOWS) choose_sides(index, turn, opacity, &front, &back);
    if (!front && !back) return;
    GLuint program = renderer->program[PL_PROGRAM_DEPTH];
    glUseProgram(program);
    pl_set_mat4(program, "view_projection", clip);
    // Of a closed body, the side towards the light casts the whole shadow.
    (body->closed || !front || !back ? glEnable : glDisable)(GL_CULL_FACE);
    glCullFace(front ? GL_BACK : GL_FRONT);
    glBindVertexArray(body->vertex_vao);
    glDrawElements(GL_TRIANGLES, 3 * body->n_face, GL_UNSIGNED_INT, NULL);
}

void pl_draw_shadow_maps(pl_renderer *renderer, const pl_target *to, int32_t size, int pass, int n,
                         const pl_shadow_view *shadow)
{
    glBindFramebuffer(GL_FRAMEBUFFER, to->framebuffer);
    glViewport(0, 0, size, size);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5F, 2.0F);
    for (int i = 0; i < n; i++) {
        int turn = pass == PL_WHOLE_SHADOWS ? pass : i * renderer->options.passes + pass;
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, to->texture, 0, i);
        glClear(GL_DEPTH_BUFFER_BIT);
        for (int64_t b = 0; b < renderer->n_bodies; b++) {
            cast_shadow(renderer, b, &shadow[i].clip, turn);
        }
    }
    glCullFace(GL_BACK);
    glDisable(GL_CULL_FACE);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

mat4 pl_camera_clip(const pl_renderer *renderer, const pl_view *s, double x, double y,
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

static void set_lights(GLuint program, const pl_light *light, const pl_shadow_view *shadow,
                       int32_t size)
{
    float matrix[16 * PL_LIGHTS_PER_PASS], direction[3 * PL_LIGHTS_PER_PASS];
    float radiance[3 * PL_LIGHTS_PER_PASS], gloss[PL_LIGHTS_PER_PASS];
    float spread[PL_LIGHTS_PER_PASS], texel[PL_LIGHTS_PER_PASS];
    for (int i = 0; i < PL_LIGHTS_PER_PASS; i++) {
        mat4 m = pl_shadow_matrix(&shadow[i]);
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

double pl_srgb_to_linear(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static void draw_floor(pl_renderer *renderer, const pl_view *s, const mat4 *clip,
                       const mat4 *from_clip)
{
    const pl_renderer_options *options = &renderer->options;
    GLuint program = renderer->program[PL_PROGRAM_FLOOR];
    glUseProgram(program);
    pl_set_mat4(program, "view_projection", clip);
    pl_set_mat4(program, "from_clip", from_clip);
    pl_set_vec3(program, "eye", s->eye);
    pl_set_vec3(program, "background",
                (vec3){pl_srgb_to_linear(options->background[0]),
                       pl_srgb_to_linear(options->background[1]),
                       pl_srgb_to_linear(options->background[2])});
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

double pl_edge_pixels(const pl_renderer *renderer, const pl_gpu_body *body)
{
    double width = body->edge_width > 0 || !body->wireframe ? body->edge_width : WIRE_WIDTH;
    return width * renderer->options.height / 720;
}

void pl_draw_marks(pl_renderer *renderer, pl_program_id program, const pl_view *s, const mat4 *clip)
{
    const pl_gpu_body *marks = &renderer->marks;
    if (marks->n_face == 0) return;
    glUseProgram(renderer->program[program]);
    pl_set_mat4(renderer->program[program], "view_projection", clip);
    pl_set_vec3(renderer->program[program], "eye", s->eye);
    // The first sliver of the depths is theirs: they hide each other, and nothing hides them.
    glDepthRange(0, MARKS_DEPTH);
    glBindVertexArray(marks->corner_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3 * marks->n_face);
    glDepthRange(0, 1);
}

static void draw_body(pl_renderer *renderer, const pl_view *s, int64_t index, const mat4 *clip)
{
    const pl_gpu_body *body = &renderer->body[index];
    bool solid = body->opacity == 1 && !body->wireframe;
    GLuint program = renderer->program[solid ? PL_PROGRAM_BODY : PL_PROGRAM_BODY_STOCHASTIC];
    glUseProgram(program);
    pl_set_mat4(program, "view_projection", clip);
    pl_set_vec3(program, "eye", s->eye);
    pl_set_float(program, "edge_width", pl_edge_pixels(renderer, body));
    if (!solid) {
        pl_set_int(program, "wireframe", body->wireframe);
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

static void draw_pass(pl_renderer *renderer, const pl_view *s, int pass)
{
    const pl_renderer_options *options = &renderer->options;
    pl_light light[PL_LIGHTS_PER_PASS];
    pl_shadow_view shadow[PL_LIGHTS_PER_PASS];
    pl_lights_of_pass(renderer->key, pass, options->passes, light);
    for (int i = 0; i < PL_LIGHTS_PER_PASS; i++) {
        shadow[i] = pl_frame_shadow(s, light[i].direction, options->shadow_size);
    }
    pl_draw_shadow_maps(renderer, &renderer->shadow, options->shadow_size, pass, PL_LIGHTS_PER_PASS,
                        shadow);

    double x, y;
    pixel_offset(pass, &x, &y);
    mat4 from_clip, clip = pl_camera_clip(renderer, s, x, y, &from_clip);
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->pass.framebuffer);
    glViewport(0, 0, options->width, options->height);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D_ARRAY, renderer->shadow.texture);
    static const pl_program_id lit[] = {PL_PROGRAM_FLOOR, PL_PROGRAM_BODY,
                                        PL_PROGRAM_BODY_STOCHASTIC};
    for (int i = 0; i < 3; i++) {
        glUseProgram(renderer->program[lit[i]]);
        set_lights(renderer->program[lit[i]], light, shadow, options->shadow_size);
        pl_set_int(renderer->program[lit[i]], "pass", pass);
        pl_set_int(renderer->program[lit[i]], "passes", options->passes);
    }
    draw_floor(renderer, s, &clip, &from_clip);
    for (int64_t b = 0; b < renderer->n_bodies; b++) draw_body(renderer, s, b, &clip);
    pl_draw_marks(renderer, PL_PROGRAM_MARKS, s, &clip);
}

// --- The picture ---

void pl_draw_screen(pl_renderer *renderer, pl_program_id program, GLuint texture, double scale)
{
    glUseProgram(renderer->program[program]);
    pl_set_int(renderer->program[program], "picture", 0);
    pl_set_float(renderer->program[program], "scale", scale);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    glDisable(GL_DEPTH_TEST);
    glBindVertexArray(renderer->empty_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void pl_clear_sum(pl_renderer *renderer)
{
    static const float black[4] = {0, 0, 0, 0};
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->sum.framebuffer);
    glClearBufferfv(GL_COLOR, 0, black);
}

void pl_add_pass(pl_renderer *renderer, const pl_view *s, int pass)
{
    draw_pass(renderer, s, pass);
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->sum.framebuffer);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    pl_draw_screen(renderer, PL_PROGRAM_ADD, renderer->pass.texture, 1);
    glDisable(GL_BLEND);
}

pl_status pl_renderer_draw(pl_renderer *renderer, const pl_camera *camera, pl_image *out)
{
    const pl_renderer_options *options = &renderer->options;
    PL_TRY(pl_camera_check(camera));
    PL_TRY(pl_image_resize(out, options->width, options->height));
    pl_view s = pl_view_of(renderer, camera);
    renderer->preview.stale = true; // its sum is gone
    pl_clear_sum(renderer);
    for (int pass = 0; pass < options->passes; pass++) pl_add_pass(renderer, &s, pass);
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->finished.framebuffer);
    pl_draw_screen(renderer, PL_PROGRAM_FINISH, renderer->sum.texture, 1.0 / options->passes);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, options->width, options->height, GL_RGBA, GL_UNSIGNED_BYTE, out->rgba);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (glGetError() != GL_NO_ERROR) {
        return pl_fail(PL_ERROR_MEMORY, "OpenGL failed while it drew the picture");
    }
    pl_image_flip(out); // OpenGL's rows start at the bottom
    return PL_OK;
}
