#include "view.h"
#include "../render/joint_marks.h"
#include "../render/colormap.h"
#include "view_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ORBIT = 0.008; // [rad] per pixel
static const double ZOOM = 0.9;    // of the distance, per notch of the wheel
// Distances between eye and target [m] that zooming stops at.
static const double NEAREST = 1e-3, FARTHEST = 1e5;
static const double CLEARANCE = 0.01; // of the eye above the floor, by its distance to the target
// Colours keep their meaning until they use less than this part of their range.
static const double SHRINK = 0.2;
static const float EDGE_WIDTH = 0.8f; // pixels of a picture 720 high

// --- Life ---

pl_status pl_view_open(pl_gl_context *context, pl_simulation *simulation, const pl_camera *camera,
                       int32_t width, int32_t height, bool floor, double floor_z, pl_view *out)
{
    *out = (pl_view){.simulation = simulation,
                     .camera = *camera,
                     .title = "",
                     .width = width,
                     .height = height,
                     .floor = floor,
                     .floor_z = floor_z,
                     .generation = -1,
                     .statistics = true,
                     .held = -1,
                     .stale = true};
    pl_renderer_options options = pl_renderer_options_default();
    options.width = width;
    options.height = height;
    options.floor = floor;
    options.floor_z = floor_z;
    PL_TRY(pl_renderer_create(context, &options, &out->renderer));
    double light[3];
    pl_camera_key_light(camera, light);
    pl_status status = pl_renderer_set_key_light(out->renderer, light);
    if (status != PL_OK) pl_view_close(out);
    return status;
}

void pl_view_close(pl_view *view)
{
    pl_renderer_destroy(view->renderer);
    pl_image_free(&view->overlay);
    pl_arrows_free(&view->marks);
    pl_free(view->rgb);
    *view = (pl_view){0};
}

// --- The mouse ---

int32_t pl_view_pick(const pl_view *view, const pl_snapshot *now, double x, double y, pl_hit *hit)
{
    pl_ray ray = pl_pick_ray(&view->camera, view->width, view->height, x, y);
    int32_t found = -1;
    *hit = (pl_hit){.distance = INFINITY};
    for (int32_t i = 0; i < now->n_bodies; i++) {
        const pl_view_body *b = &now->body[i];
        if (!b->movable && b->opacity < 1) continue; // the hand goes through glass
        const double *at = now->x + 3 * (int64_t)b->vert;
        if (pl_pick_faces(&ray, b->n_face, now->face + 3 * (int64_t)b->face, at, hit)) found = i;
    }
    return found >= 0 && now->body[found].movable ? found : -1;
}

static void grab(pl_view *view)
{
    const pl_snapshot *now = pl_simulation_look(view->simulation);
    pl_hit hit;
    view->held = pl_view_pick(view, now, view->x, view->y, &hit);
    view->hand = view->held >= 0 ? PL_HAND_DRAG : PL_HAND_ORBIT;
    if (view->verbose && view->held >= 0) printf("picked body %d\n", (int)view->held);
    if (view->verbose && view->held < 0) printf("picked nothing\n");
    if (view->held < 0) return;
    pl_ray ray = pl_pick_ray(&view->camera, view->width, view->height, view->x, view->y);
    for (int k = 0; k < 3; k++) {
        view->grabbed[k] = ray.origin[k] + hit.distance * ray.direction[k];
    }
    pl_simulation_grab(view->simulation, view->held, hit.face, hit.weight, view->grabbed);
}

static void press(pl_view *view, const pl_event *event)
{
    if (event->button == PL_BUTTON_MIDDLE || event->shift) {
        view->hand = PL_HAND_PAN;
    } else if (event->button == PL_BUTTON_LEFT) {
        grab(view);
    } else {
        view->hand = PL_HAND_ORBIT;
    }
}

static void let_go(pl_view *view)
{
    if (view->hand == PL_HAND_DRAG) {
        pl_simulation_release(view->simulation);
        if (view->verbose) printf("released body %d\n", (int)view->held);
    }
    view->hand = PL_HAND_FREE;
    view->held = -1;
}

// The target moves with the cursor: a pixel is so wide at its distance.
static void pan(pl_view *view, double dx, double dy)
{
    double right[3], up[3], backward[3], distance = 0;
    pl_camera_axes(&view->camera, right, up, backward);
    for (int k = 0; k < 3; k++) {
        distance += (view->camera.eye[k] - view->camera.target[k]) * backward[k];
    }
    double pixel = 2 * distance * tan(view->camera.fov_y / 2) / view->height;
    for (int k = 0; k < 3; k++) {
        double by = pixel * (dy * up[k] - dx * right[k]);
        view->camera.eye[k] += by;
        view->camera.target[k] += by;
    }
}

// From the target to the eye; returns the distance.
static double reach(const pl_camera *camera, double arm[3])
{
    for (int k = 0; k < 3; k++) arm[k] = camera->eye[k] - camera->target[k];
    return hypot(hypot(arm[0], arm[1]), arm[2]);
}

static void stay_above_floor(pl_view *view)
{
    double arm[3], distance = reach(&view->camera, arm);
    if (view->floor) pl_camera_stay_above(&view->camera, view->floor_z + CLEARANCE * distance);
}

static void zoom(pl_view *view, double notches)
{
    double arm[3], distance = reach(&view->camera, arm);
    double factor = fmin(fmax(distance * pow(ZOOM, notches), NEAREST), FARTHEST) / distance;
    for (int k = 0; k < 3; k++) view->camera.eye[k] = view->camera.target[k] + factor * arm[k];
    stay_above_floor(view);
}

static void move(pl_view *view, double dx, double dy)
{
    switch (view->hand) {
    case PL_HAND_ORBIT:
        pl_camera_orbit(&view->camera, -ORBIT * dx, ORBIT * dy);
        stay_above_floor(view);
        break;
    case PL_HAND_PAN:
        pan(view, dx, dy);
        stay_above_floor(view);
        break;
    case PL_HAND_DRAG: {
        double target[3];
        pl_ray ray = pl_pick_ray(&view->camera, view->width, view->height, view->x, view->y);
        if (pl_pick_plane(&ray, &view->camera, view->grabbed, target)) {
            pl_simulation_drag(view->simulation, target);
        }
        break;
    }
    case PL_HAND_FREE:
        break;
    }
}

// --- Keys ---

static void press_key(pl_view *view, uint32_t key)
{
    pl_simulation *s = view->simulation;
    switch (key) {
    case ' ':
        pl_simulation_pause(s);
        break;
    case '.':
    case 'n':
        pl_simulation_step(s);
        break;
    case 'r':
        pl_simulation_reset(s);
        break;
    case '-':
    case '=':
    case '+':
        pl_simulation_faster(s, key != '-');
        break;
    case 's':
        pl_simulation_next_solver(s);
        break;
    case 'p':
        pl_simulation_next_precond(s);
        break;
    case 'f':
    case 'F':
        pl_simulation_rougher(s, key == 'F');
        break;
    case 'c':
        view->quantity = (view->quantity + 1) % PL_QUANTITY_COUNT;
        view->range = 0;
        pl_simulation_show(s, view->quantity);
        break;
    case 'w':
        view->wireframe = !view->wireframe;
        view->generation = -1;
        break;
    case 'x':
        view->arrows = !view->arrows;
        break;
    case 'j':
        view->joints = !view->joints;
        break;
    case 'm':
        pl_simulation_next_motor(s);
        break;
    case '[':
    case ']':
        pl_simulation_drive(s, key == ']');
        break;
    case 't':
        view->statistics = !view->statistics;
        break;
    case 'h':
    case PL_KEY_HELP:
        view->help = !view->help;
        break;
    case 'q':
    case PL_KEY_ESCAPE:
        view->quit = true;
        break;
    default:
        return;
    }
    view->number = -1; // the picture may change without a new state
    view->written = 0;
    if (view->verbose) printf("key %u\n", (unsigned)key);
}

void pl_view_event(pl_view *view, pl_event *event)
{
    double dx = event->x - view->x, dy = event->y - view->y;
    view->x = event->x;
    view->y = event->y;
    switch (event->kind) {
    case PL_EVENT_KEY:
        press_key(view, event->key);
        break;
    case PL_EVENT_PRESS:
        press(view, event);
        break;
    case PL_EVENT_RELEASE:
        let_go(view);
        break;
    case PL_EVENT_MOVE:
        move(view, dx, dy);
        break;
    case PL_EVENT_SCROLL:
        zoom(view, event->amount);
        break;
    case PL_EVENT_DROP:
        if (view->verbose) printf("dropped %s\n", event->path);
        pl_simulation_drop(view->simulation, event->path);
        pl_free(event->path);
        break;
    }
}

// --- Drawing ---

static pl_status add_bodies(pl_view *view, const pl_snapshot *now)
{
    pl_renderer_clear(view->renderer);
    for (int32_t i = 0; i < now->n_bodies; i++) {
        const pl_view_body *b = &now->body[i];
        pl_draw_body draw = pl_draw_body_default(i);
        draw.n_vert = b->n_vert;
        draw.n_face = b->n_face;
        draw.x = now->x + 3 * (int64_t)b->vert;
        draw.face = now->face + 3 * (int64_t)b->face;
        draw.opacity = (float)b->opacity;
        for (int k = 0; k < 3; k++) draw.color[k] = (float)b->color[k];
        draw.wireframe = view->wireframe;
        if (b->edges) {
            draw.edge_width = EDGE_WIDTH;
            draw.crease = 0;
        }
        PL_TRY(pl_renderer_add_body(view->renderer, &draw, NULL));
    }
    view->generation = now->generation;
    if (view->verbose) printf("shows %d bodies\n", (int)now->n_bodies);
    return PL_OK;
}

static pl_status color_bodies(pl_view *view, const pl_snapshot *now)
{
    PL_TRY(pl_reserve((void **)&view->rgb, &view->rgb_room, 3 * (int64_t)now->n_vert, 1));
    bool colors = now->quantity != PL_QUANTITY_NONE && now->quantity == view->quantity;
    if (colors) {
        bool fits = now->range <= view->range && now->range >= SHRINK * view->range;
        if (!fits) view->range = now->range;
        pl_colormap_values(now->n_vert, now->value, 0, view->range, view->rgb);
    }
    for (int32_t i = 0; i < now->n_bodies; i++) {
        const pl_view_body *b = &now->body[i];
        const uint8_t *rgb = colors && b->colored ? view->rgb + 3 * (int64_t)b->vert : NULL;
        PL_TRY(pl_renderer_color_body(view->renderer, i, rgb));
    }
    return PL_OK;
}

// The forces of contacts: the strongest is a tenth of the bodies' size long.
static pl_status mark_contacts(pl_view *view, const pl_snapshot *now, double size)
{
    double most = 0;
    for (int32_t i = 0; i < now->n_contacts; i++) most = fmax(most, now->contact[i].force);
    for (int32_t i = 0; i < now->n_contacts && most > 0; i++) {
        const pl_contact_point *c = &now->contact[i];
        double normal[3], friction[3], scale = 0.1 * size / most;
        for (int k = 0; k < 3; k++) {
            normal[k] = c->point[k] + scale * c->force * c->normal[k];
            friction[k] = c->point[k] + scale * c->friction[k];
        }
        const uint8_t *color = c->slips ? PL_ARROW_SLIP : PL_ARROW_STICK;
        double radius = 0.002 * size;
        PL_TRY(pl_arrows_add(&view->marks, c->point, normal, radius, PL_ARROW_NORMAL));
        PL_TRY(pl_arrows_add(&view->marks, c->point, friction, radius, color));
    }
    return PL_OK;
}

// Contacts and joints, as far as they are to be seen.
static pl_status set_marks(pl_view *view, const pl_snapshot *now)
{
    pl_draw_body draw;
    double lo[3], hi[3];
    pl_arrows_clear(&view->marks);
    if (pl_renderer_bounds(view->renderer, lo, hi)) {
        double size = hypot(hypot(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]);
        if (view->arrows) PL_TRY(mark_contacts(view, now, size));
        for (int32_t i = 0; i < now->n_joints && view->joints; i++)
            PL_TRY(pl_joint_marks_add(&view->marks, &now->joint[i], size));
    }
    bool any = pl_arrows_body(&view->marks, &draw);
    return pl_renderer_set_marks(view->renderer, any ? &draw : NULL);
}

// Brings the renderer to the state of the snapshot.
static pl_status follow(pl_view *view, const pl_snapshot *now)
{
    if (view->number == now->number) return PL_OK;
    if (view->generation != now->generation) {
        PL_TRY(add_bodies(view, now));
    } else {
        for (int32_t i = 0; i < now->n_bodies; i++) {
            const double *x = now->x + 3 * (int64_t)now->body[i].vert;
            PL_TRY(pl_renderer_update_body(view->renderer, i, x));
        }
    }
    PL_TRY(color_bodies(view, now));
    PL_TRY(set_marks(view, now));
    view->number = now->number;
    view->stale = true;
    if (view->verbose && now->messages != view->messages && now->message[0] != '\0') {
        printf("message: %s\n", now->message);
    }
    view->messages = now->messages;
    return PL_OK;
}

pl_status pl_view_draw(pl_view *view, int32_t width, int32_t height, bool *idle)
{
    const pl_snapshot *now = pl_simulation_look(view->simulation);
    *idle = true;
    if (width == 0 || height == 0) return PL_OK;
    if (width != view->width || height != view->height) {
        PL_TRY(pl_renderer_resize(view->renderer, width, height));
        view->width = width;
        view->height = height;
        view->stale = true;
    }
    PL_TRY(follow(view, now));
    PL_TRY(pl_renderer_preview(view->renderer, &view->camera, 0, idle));
    PL_TRY(pl_view_write(view, now));
    PL_TRY(pl_renderer_show(view->renderer, &view->overlay, 0));
    *idle = *idle && now->paused;
    return PL_OK;
}
