#include "stage.h"
#include "../scene/load.h"
#include "../tetrahedra/tetrahedralize.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A surface that is dropped gets no more faces than this, so that it still moves in real time.
enum { DROP_FACES = 1500 };
// How high above the others a body comes in, in parts of its size.
static const double DROP_HEIGHT = 0.25;

// --- Life ---

// What is drawn follows from the scene's bodies; in the world the ground stands before those that
// came later.
static pl_status draw_anew(pl_stage *stage)
{
    pl_export_bodies drawn;
    PL_TRY(pl_export_bodies_make(&stage->scene, &drawn));
    int32_t before = pl_world_body_count(stage->play.world) - stage->n_later;
    for (int32_t i = 0; i < stage->n_later; i++) drawn.body[stage->n_own + i].number = before + i;
    pl_export_bodies_free(&stage->drawn);
    stage->drawn = drawn;
    stage->generation++;
    return PL_OK;
}

pl_status pl_stage_open(pl_scene *scene, pl_stage *out)
{
    *out = (pl_stage){.scene = *scene, .n_own = scene->n_bodies, .friction = 1, .grab.body = -1};
    *scene = (pl_scene){0};
    pl_status status = pl_solver_number(out->scene.world.solver, &out->solver_now);
    if (status == PL_OK) status = pl_precond_number(out->scene.world.precond, &out->precond_now);
    if (status == PL_OK) status = pl_play_open(&out->scene, &out->play);
    if (status == PL_OK) status = pl_motors_list(&out->scene, &out->motors);
    if (status == PL_OK) status = draw_anew(out);
    if (status != PL_OK) pl_stage_close(out);
    return status;
}

void pl_stage_close(pl_stage *stage)
{
    pl_grab_free(&stage->grab);
    pl_export_bodies_free(&stage->drawn);
    pl_play_close(&stage->play);
    pl_scene_free(&stage->scene);
    pl_free(stage->value);
    pl_motors_free(&stage->motors);
    *stage = (pl_stage){0};
}

// --- Switches ---

static const char *solver_name(int32_t solver)
{
    pl_solver_info info;
    (void)pl_solver_describe(solver, &info); // there is one
    return info.name;
}

const char *pl_stage_solver(const pl_stage *stage)
{
    return stage->scene.world.contact ? solver_name(stage->solver_now) : "none";
}

const char *pl_stage_precond(const pl_stage *stage)
{
    return pl_precond_name(stage->precond_now);
}

static pl_status set_solver(pl_stage *stage, int32_t solver, int32_t precond)
{
    PL_TRY(pl_world_set_solver(stage->play.world, solver_name(solver), pl_precond_name(precond)));
    stage->solver_now = solver;
    stage->precond_now = precond;
    return PL_OK;
}

pl_status pl_stage_next_solver(pl_stage *stage)
{
    pl_solver_info info = {0};
    int32_t next = stage->solver_now;
    while (!info.cones) { // the scene may have another model of friction, which those know as well
        next = (next + 1) % pl_solver_count();
        PL_TRY(pl_solver_describe(next, &info));
    }
    return set_solver(stage, next, stage->precond_now);
}

pl_status pl_stage_next_precond(pl_stage *stage)
{
    return set_solver(stage, stage->solver_now, (stage->precond_now + 1) % pl_precond_count());
}

static double friction_of(const pl_scene_body *body)
{
    return body->kind == PL_BODY_RIGID       ? body->rigid.surface.friction
           : body->kind == PL_BODY_KINEMATIC ? body->kinematic.surface.friction
                                             : body->deformable.surface.friction;
}

pl_status pl_stage_set_friction(pl_stage *stage, double factor)
{
    for (int32_t i = 0; i < stage->scene.n_bodies; i++) {
        int32_t number = stage->drawn.body[i].number;
        if (number < 0) continue;
        double friction = factor * friction_of(&stage->scene.bodies[i]);
        PL_TRY(pl_world_set_friction(stage->play.world, number, friction));
    }
    if (stage->scene.ground && stage->scene.world.contact) {
        int32_t ground = pl_world_body_count(stage->play.world) - stage->n_later - 1;
        double friction = factor * stage->scene.ground_surface.friction;
        PL_TRY(pl_world_set_friction(stage->play.world, ground, friction));
    }
    stage->friction = factor;
    return PL_OK;
}

// --- Bodies that come later ---

static double largest(const double lo[3], const double hi[3])
{
    return fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
}

// The box around all that is drawn, and the size of the largest body that moves.
static double find_room(const pl_stage *stage, double lo[3], double hi[3])
{
    double size = 0;
    for (int k = 0; k < 3; k++) lo[k] = INFINITY, hi[k] = -INFINITY;
    for (int32_t i = 0; i < stage->drawn.n; i++) {
        const pl_export_body *body = &stage->drawn.body[i];
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int64_t v = body->vert; v < body->vert + body->n_vert; v++) {
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], stage->drawn.x[3 * v + k]);
                high[k] = fmax(high[k], stage->drawn.x[3 * v + k]);
            }
        }
        bool moves = body->number >= 0 &&
                     pl_world_kind(stage->play.world, body->number) != PL_BODY_KINEMATIC;
        if (moves) size = fmax(size, largest(low, high));
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], low[k]);
            hi[k] = fmax(hi[k], high[k]);
        }
    }
    return size > 0 ? size : 1;
}

// Scales the mesh, if asked, and puts it above all that is there.
static pl_status place(const pl_stage *stage, bool fit, pl_mesh *mesh)
{
    double lo[3], hi[3], low[3], high[3], size = find_room(stage, lo, hi);
    pl_mesh_bounds(mesh, low, high);
    if (!(largest(low, high) > 0)) return pl_fail(PL_ERROR_GEOMETRY, "the mesh has no size");
    double scale = fit ? size / largest(low, high) : 1;
    double bottom = fmax(hi[2], stage->scene.ground ? stage->scene.ground_z : hi[2]);
    const double to[3] = {0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]),
                          bottom + DROP_HEIGHT * scale * largest(low, high)};
    const double from[3] = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), low[2]};
    double m[12] = {0};
    for (int k = 0; k < 3; k++) {
        m[5 * k] = scale;
        m[4 * k + 3] = to[k] - scale * from[k];
    }
    return pl_mesh_transform(mesh, m);
}

// A mesh of tets from a file, made where it is a surface.
static pl_status load_solid(const char *path, pl_mesh **out)
{
    pl_mesh *surface, *fewer = NULL;
    *out = NULL;
    PL_TRY(pl_load_mesh(path, 0, &surface));
    if (pl_mesh_tet_count(surface) > 0) {
        *out = surface;
        return PL_OK;
    }
    pl_status status = PL_OK;
    if (pl_mesh_face_count(surface) > DROP_FACES) {
        const pl_decimate_options options = {.faces = DROP_FACES};
        status = pl_mesh_decimate(surface, &options, &fewer);
    }
    if (status == PL_OK) status = pl_tetrahedralize(fewer != NULL ? fewer : surface, NULL, out);
    pl_mesh_destroy(fewer);
    pl_mesh_destroy(surface);
    return status;
}

static pl_deformable_options stuff_of(const pl_scene *scene)
{
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        const pl_scene_body *body = &scene->bodies[i];
        if (!body->simulated || body->kind != PL_BODY_DEFORMABLE) continue;
        pl_deformable_options options = pl_deformable_options_default();
        options.material = body->deformable.material;
        options.surface.friction = body->deformable.surface.friction;
        return options;
    }
    return pl_deformable_options_default();
}

// Puts the last body of the scene, which the world does not have yet, above all others.
static pl_status add_last(pl_stage *stage, bool fit)
{
    pl_scene_body *body = &stage->scene.bodies[stage->scene.n_bodies];
    PL_TRY(place(stage, fit, body->mesh));
    PL_TRY(pl_world_add_deformable(stage->play.world, body->mesh, &body->deformable, NULL));
    stage->scene.n_bodies++;
    stage->n_later++;
    PL_TRY(draw_anew(stage));
    pl_export_bodies_move(&stage->drawn, stage->play.world);
    return pl_stage_set_friction(stage, stage->friction);
}

pl_status pl_stage_drop(pl_stage *stage, const char *path)
{
    pl_scene *scene = &stage->scene;
    PL_TRY(pl_reserve((void **)&scene->bodies, &scene->body_capacity, scene->n_bodies + 1,
                      sizeof *scene->bodies));
    pl_scene_body *body = &scene->bodies[scene->n_bodies];
    *body = (pl_scene_body){
        .simulated = true, .kind = PL_BODY_DEFORMABLE, .deformable = stuff_of(scene), .opacity = 1};
    PL_TRY(load_solid(path, &body->mesh));
    int32_t n = scene->n_bodies;
    pl_status status = add_last(stage, true);
    if (scene->n_bodies == n) pl_mesh_destroy(body->mesh);
    return status;
}

// A world as it was at the beginning, with those that came later added again.
static pl_status begin_again(pl_stage *stage, int32_t n_later)
{
    PL_TRY(draw_anew(stage));
    PL_TRY(pl_stage_set_friction(stage, stage->friction));
    if (stage->scene.world.contact) {
        PL_TRY(set_solver(stage, stage->solver_now, stage->precond_now));
    }
    while (stage->n_later < n_later) PL_TRY(add_last(stage, false));
    return PL_OK;
}

pl_status pl_stage_reset(pl_stage *stage)
{
    pl_play before = stage->play, play;
    int32_t n_later = stage->n_later;
    PL_TRY(pl_stage_release(stage));
    stage->scene.n_bodies = stage->n_own;
    pl_status status = pl_play_open(&stage->scene, &play);
    if (status == PL_OK) {
        stage->n_later = 0;
        stage->play = play;
        status = begin_again(stage, n_later);
    }
    if (status == PL_OK) {
        pl_play_close(&before);
        return pl_motors_list(&stage->scene, &stage->motors);
    }
    pl_play_close(&play);
    stage->play = before;
    stage->n_later = n_later;
    stage->scene.n_bodies = stage->n_own + n_later;
    if (draw_anew(stage) == PL_OK) pl_export_bodies_move(&stage->drawn, before.world);
    return status;
}

// --- The hand ---

// The corners of the mesh below a face of the surface that it carries, and their shares: those of
// the vertex that is nearest to the hand. A rigid body carries by faces, whose first corner stands
// there twice; of others the corners do not count (pl_grab_take).
static void find_carrier(const pl_embedding *embedding, const int32_t face[3],
                         const double weight[3], int32_t corner[3], double share[3])
{
    int nearest = weight[1] > weight[0] ? 1 : 0;
    if (weight[2] > weight[nearest]) nearest = 2;
    const double *w = embedding->weight + 3 * (int64_t)face[nearest];
    memcpy(corner, embedding->corner + 4 * (int64_t)face[nearest], 3 * sizeof *corner);
    share[0] = 1 - w[0] - w[1];
    share[1] = w[0];
    share[2] = w[1];
}

pl_status pl_stage_grab(pl_stage *stage, int32_t body, int32_t face, const double weight[3])
{
    const pl_export_bodies *drawn = &stage->drawn;
    PL_TRY(pl_stage_release(stage));
    if (body < 0 || body >= drawn->n) return PL_OK;
    const pl_export_body *b = &drawn->body[body];
    if (b->number < 0 || pl_world_kind(stage->play.world, b->number) == PL_BODY_KINEMATIC)
        return PL_OK;
    if (face < 0 || face >= b->n_face) return PL_OK;
    double at[3] = {0}, share[3];
    int32_t corner[3];
    const int32_t *drawn_corner = drawn->face + 3 * ((int64_t)b->face + face);
    for (int i = 0; i < 3; i++) {
        int64_t v = b->vert + drawn_corner[i];
        corner[i] = drawn->from[v];
        share[i] = weight[i];
        for (int k = 0; k < 3; k++) at[k] += weight[i] * drawn->x[3 * v + k];
    }
    if (b->embedding != NULL) find_carrier(b->embedding, drawn_corner, weight, corner, share);
    double density = stage->scene.bodies[body].deformable.material.density;
    return pl_grab_take(&stage->grab, stage->play.world, b->number, density, at, corner, share);
}

pl_status pl_stage_release(pl_stage *stage)
{
    return pl_grab_release(&stage->grab, stage->play.world);
}

void pl_stage_next_motor(pl_stage *stage)
{
    pl_motors_next(&stage->motors);
}

pl_status pl_stage_drive(pl_stage *stage, bool up)
{
    return pl_motors_drive(&stage->motors, &stage->play, up);
}

pl_status pl_stage_step(pl_stage *stage)
{
    if (stage->grab.body >= 0) PL_TRY(pl_grab_pull(&stage->grab, stage->play.world, stage->target));
    PL_TRY(pl_play_step(&stage->play));
    pl_export_bodies_move(&stage->drawn, stage->play.world);
    return PL_OK;
}

// --- What is seen ---

static pl_status show_bodies(const pl_stage *stage, pl_snapshot *out)
{
    const pl_export_bodies *drawn = &stage->drawn;
    if (out->generation == stage->generation) return PL_OK;
    PL_TRY(pl_reserve((void **)&out->body, &out->body_room, drawn->n, sizeof *out->body));
    PL_TRY(pl_reserve((void **)&out->face, &out->face_room, 3 * (int64_t)drawn->n_face,
                      sizeof *out->face));
    for (int32_t i = 0; i < drawn->n; i++) {
        const pl_export_body *b = &drawn->body[i];
        pl_view_body *to = &out->body[i];
        *to = (pl_view_body){.vert = b->vert,
                             .n_vert = b->n_vert,
                             .face = b->face,
                             .n_face = b->n_face,
                             .opacity = b->opacity,
                             .edges = stage->scene.bodies[i].edges};
        memcpy(to->color, b->color, sizeof to->color);
        to->movable =
            b->number >= 0 && pl_world_kind(stage->play.world, b->number) != PL_BODY_KINEMATIC;
    }
    memcpy(out->face, drawn->face, 3 * (size_t)drawn->n_face * sizeof *out->face);
    out->n_bodies = drawn->n;
    out->n_vert = drawn->n_vert;
    out->n_face = drawn->n_face;
    out->generation = stage->generation;
    return PL_OK;
}

static pl_status show_values(pl_stage *stage, pl_snapshot *out)
{
    const pl_export_bodies *drawn = &stage->drawn;
    if (out->quantity == PL_QUANTITY_NONE) return PL_OK;
    PL_TRY(pl_reserve((void **)&out->value, &out->value_room, drawn->n_vert, sizeof *out->value));
    memset(out->value, 0, (size_t)drawn->n_vert * sizeof *out->value);
    for (int32_t i = 0; i < drawn->n; i++) {
        const pl_export_body *b = &drawn->body[i];
        out->body[i].colored =
            b->number >= 0 && pl_quantity_applies(stage->play.world, b->number, out->quantity);
        if (!out->body[i].colored) continue;
        int32_t n = pl_world_vertex_count(stage->play.world, b->number);
        PL_TRY(pl_reserve((void **)&stage->value, &stage->value_room, n, sizeof *stage->value));
        PL_TRY(pl_quantity_of_body(stage->play.world, b->number, out->quantity, stage->value));
        pl_export_bodies_scalar(drawn, i, stage->value, out->value + b->vert);
    }
    return pl_quantity_range(drawn->n_vert, out->value, &out->range);
}

static pl_status show_contacts(const pl_stage *stage, pl_snapshot *out)
{
    const pl_contact_point *contact = pl_world_contacts(stage->play.world, &out->n_contacts);
    PL_TRY(pl_reserve((void **)&out->contact, &out->contact_room, out->n_contacts,
                      sizeof *out->contact));
    if (out->n_contacts > 0) {
        memcpy(out->contact, contact, (size_t)out->n_contacts * sizeof *contact);
    }
    return PL_OK;
}

static pl_status show_joints(const pl_stage *stage, pl_snapshot *out)
{
    int32_t n = pl_world_joint_count(stage->play.world);
    PL_TRY(pl_reserve((void **)&out->joint, &out->joint_room, n, sizeof *out->joint));
    out->n_joints = 0;
    for (int32_t i = 0; i < n; i++) {
        pl_joint_state *state = &out->joint[out->n_joints];
        if (pl_world_joint_state(stage->play.world, i, state) == PL_OK) out->n_joints++;
    }
    pl_motors_describe(&stage->motors, &stage->scene, out->motor, sizeof out->motor);
    return PL_OK;
}

pl_status pl_stage_show(pl_stage *stage, pl_quantity quantity, pl_snapshot *out)
{
    const pl_export_bodies *drawn = &stage->drawn;
    PL_TRY(show_bodies(stage, out));
    PL_TRY(pl_reserve((void **)&out->x, &out->x_room, 3 * (int64_t)drawn->n_vert, sizeof *out->x));
    memcpy(out->x, drawn->x, 3 * (size_t)drawn->n_vert * sizeof *out->x);
    out->quantity = quantity;
    PL_TRY(show_values(stage, out));
    PL_TRY(show_contacts(stage, out));
    PL_TRY(show_joints(stage, out));
    out->friction = stage->friction;
    out->solver = pl_stage_solver(stage);
    out->precond = pl_stage_precond(stage);
    out->held = stage->grab.body;
    memcpy(out->target, stage->target, sizeof out->target);
    if (out->held >= 0) pl_grab_point(&stage->grab, stage->play.world, out->point);
    return PL_OK;
}
