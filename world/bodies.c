// Adding bodies to a world, and what acts on them.

#include "world.h"
#include "integrator.h"
#include "shape_body.h"
#include "sleep.h"
#include "../fem/material.h"
#include "../meshes/curve.h"
#include "../meshes/geometry.h"
#include "../rigid/shape.h"

#include <math.h>
#include <string.h>

// --- Options ---

pl_surface_options pl_surface_options_default(void)
{
    return (pl_surface_options){.friction = 0.5, .self = true, .category = 1, .mask = UINT32_MAX};
}

pl_deformable_options pl_deformable_options_default(void)
{
    return (pl_deformable_options){.material = pl_material_options_default(),
                                   .surface = pl_surface_options_default()};
}

pl_rigid_options pl_rigid_options_default(void)
{
    return (pl_rigid_options){.density = 1000, .surface = pl_surface_options_default()};
}

pl_kinematic_options pl_kinematic_options_default(void)
{
    return (pl_kinematic_options){.motion = pl_motion_default(),
                                  .surface = pl_surface_options_default()};
}

static pl_status check_surface(pl_body_kind kind, const pl_surface_options *o)
{
    if (!(o->friction >= 0 && isfinite(o->friction))) {
        return pl_fail(PL_ERROR_ARGUMENT, "friction: %g is not 0 or above", o->friction);
    }
    if (!(o->restitution >= 0 && o->restitution <= 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "restitution: %g is not from 0 to 1", o->restitution);
    }
    if (kind == PL_BODY_DEFORMABLE && o->restitution > 0) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "restitution: a deformable body bounces by its elasticity; leave it 0");
    }
    if (!(o->radius >= 0 && isfinite(o->radius))) {
        return pl_fail(PL_ERROR_ARGUMENT, "radius: %g is not 0 m or above", o->radius);
    }
    if (!(o->contact_distance >= 0 && isfinite(o->contact_distance))) {
        return pl_fail(PL_ERROR_ARGUMENT, "contact_distance: %g is not 0 m or above",
                       o->contact_distance);
    }
    return PL_OK;
}

static pl_status check_velocity(const double velocity[3], const double angular_velocity[3])
{
    for (int k = 0; k < 3; k++) {
        if (!isfinite(velocity[k])) return pl_fail(PL_ERROR_ARGUMENT, "velocity: not finite");
        if (!isfinite(angular_velocity[k])) {
            return pl_fail(PL_ERROR_ARGUMENT, "angular_velocity: not finite");
        }
    }
    return PL_OK;
}

// A mass of 0 stands for none: the density counts.
static pl_status check_weight(const pl_rigid_options *o)
{
    if (!(o->mass >= 0 && isfinite(o->mass))) {
        return pl_fail(PL_ERROR_ARGUMENT, "mass: %g is not 0 kg or above", o->mass);
    }
    if (o->mass == 0 && !(o->density > 0 && isfinite(o->density))) {
        return pl_fail(PL_ERROR_ARGUMENT, "density: %g is not above 0 kg/m^3", o->density);
    }
    return PL_OK;
}

// --- What all kinds have ---

// Makes room for a body with this many vertices, which begins as {kind, surface} behind all
// others; it is part of the world only when keep_body is called.
static pl_status begin_body(pl_world *world, int32_t n_vert, pl_body_kind kind,
                            const pl_surface_options *surface, pl_world_body **out)
{
    PL_TRY(check_surface(kind, surface));
    int64_t n = (int64_t)world->published.n + n_vert;
    if (n > INT32_MAX / 4) return pl_fail(PL_ERROR_ARGUMENT, "too many vertices in one world");
    if (world->bodies.n >= (1 << PL_ID_BITS) - 1) {
        return pl_fail(PL_ERROR_ARGUMENT, "a world holds at most %d bodies", (1 << PL_ID_BITS) - 1);
    }
    PL_TRY(pl_reserve((void **)&world->bodies.body, &world->bodies.capacity, world->bodies.n + 1,
                      sizeof *world->bodies.body));
    PL_TRY(pl_reserve((void **)&world->published.x, &world->published.x_capacity, 3 * n,
                      sizeof(double)));
    PL_TRY(pl_reserve((void **)&world->published.v, &world->published.v_capacity, 3 * n,
                      sizeof(double)));
    *out = &world->bodies.body[world->bodies.n];
    **out = (pl_world_body){.kind = kind,
                            .surface = *surface,
                            .published = world->published.n,
                            .late = world->steps > 0};
    return PL_OK;
}

// An empty place, or the one behind all others.
static int64_t find_place(const pl_world *world)
{
    for (int64_t i = 0; i < world->bodies.n && world->bodies.n_empty > 0; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        if (b->kind == PL_BODY_NONE && b->generation < PL_GENERATIONS) return i;
    }
    return world->bodies.n;
}

static void keep_body(pl_world *world, int32_t *id)
{
    pl_bodies *bodies = &world->bodies;
    int64_t place = find_place(world);
    pl_world_body *b = &bodies->body[place];
    pl_world_unprepare(world);
    pl_world_forget_surfaces(world);
    if (place < bodies->n) {
        int32_t generation = b->generation;
        pl_mesh_destroy(b->mesh);
        *b = bodies->body[bodies->n];
        b->generation = generation;
        bodies->n_empty--;
    } else {
        bodies->n++;
    }
    world->published.n += b->mesh->n_vert;
    pl_world_publish_body(world, place);
    if (id != NULL) *id = pl_world_id(world, place);
}

// --- Deformable bodies ---

// Adds the angular momentum about the centre of mass; the density is uniform, so that volumes
// weigh.
static void set_velocity(const pl_mesh *mesh, const pl_deformable_options *o, double *v)
{
    double centre[3] = {0}, volume = 0;
    const double *w = o->angular_velocity;
    for (int64_t i = 0; i < mesh->n_tet; i++) {
        const int32_t *t = mesh->tet + 4 * i;
        double part = pl_tet_volume(mesh->x, t);
        volume += part;
        for (int k = 0; k < 12; k++) {
            centre[k % 3] += 0.25 * part * mesh->x[3 * (int64_t)t[k / 3] + k % 3];
        }
    }
    for (int k = 0; k < 3; k++) centre[k] /= volume;
    for (int64_t i = 0; i < mesh->n_vert; i++) {
        double r[3];
        for (int k = 0; k < 3; k++) r[k] = mesh->x[3 * i + k] - centre[k];
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            v[3 * i + k] = o->velocity[k] + (w[a] * r[b] - w[b] * r[a]);
        }
    }
}

// Keeps the mesh, and finds the order of its vertices.
static pl_status copy_shape(const pl_mesh *mesh, pl_world_body *b)
{
    b->rank = pl_alloc(mesh->n_vert, sizeof *b->rank);
    pl_status status = b->rank != NULL ? pl_curve_rank(mesh, b->rank) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = pl_mesh_copy(mesh, &b->mesh);
    if (status != PL_OK) pl_free(b->rank);
    return status;
}

static pl_status reserve_vertices(pl_world *world, int64_t n)
{
    PL_TRY(pl_reserve((void **)&world->state.x, &world->state.x_capacity, 3 * n, sizeof(double)));
    PL_TRY(pl_reserve((void **)&world->state.v, &world->state.v_capacity, 3 * n, sizeof(double)));
    return pl_reserve((void **)&world->state.force, &world->state.force_capacity, 3 * n,
                      sizeof(double));
}

pl_material_options pl_world_material(const pl_world *world, const pl_material_options *given)
{
    pl_material_options out = *given;
    out.stretch_limit = pl_material_stretch_limit(given, pl_integrator_iterates(world));
    return out;
}

pl_status pl_world_add_deformable(pl_world *world, const pl_mesh *mesh,
                                  const pl_deformable_options *options, int32_t *body)
{
    PL_REQUIRE(world);
    PL_REQUIRE(mesh);
    pl_deformable_options defaults = pl_deformable_options_default();
    if (options == NULL) options = &defaults;
    pl_material checked;
    PL_TRY(pl_material_setup(&options->material, &checked));
    PL_TRY(check_velocity(options->velocity, options->angular_velocity));
    PL_TRY(pl_fem_check(mesh));
    pl_world_body *b;
    PL_TRY(begin_body(world, mesh->n_vert, PL_BODY_DEFORMABLE, &options->surface, &b));
    PL_TRY(reserve_vertices(world, (int64_t)world->state.n_vert + mesh->n_vert));
    PL_TRY(copy_shape(mesh, b));
    b->material = pl_world_material(world, &options->material);
    b->first = world->state.n_vert;
    b->fem = world->bodies.n_deformable;
    int64_t start = 3 * (int64_t)b->first;
    double *v = world->published.v + 3 * (int64_t)b->published;
    set_velocity(mesh, options, v);
    pl_world_permute(b, mesh->x, world->state.x + start);
    pl_world_permute(b, v, world->state.v + start);
    memset(world->state.force + start, 0, 3 * (size_t)mesh->n_vert * sizeof(double));
    world->state.n_vert += mesh->n_vert;
    world->bodies.n_deformable++;
    keep_body(world, body);
    return PL_OK;
}

// --- Shapes ---

// The parts of a body that it has from its mesh or its shapes, to become the world's.
static void take_made(pl_world_body *b, const pl_world_body *made)
{
    b->mesh = made->mesh;
    b->collider = made->collider;
    b->n_collider = made->n_collider;
    b->skeletons = made->skeletons;
}

static void drop_made(const pl_world_body *made)
{
    pl_mesh_destroy(made->mesh);
    pl_free(made->collider);
    pl_free(made->skeletons);
}

// A mesh with loose edges and points, as a shape of the body's radius.
static pl_shape loose_shape(const pl_mesh *mesh, const pl_surface_options *surface)
{
    pl_shape shape = pl_shape_default(PL_SHAPE_MESH);
    shape.mesh = mesh;
    shape.rounding = surface->radius;
    return shape;
}

// made := {mesh, collider, skeletons}: a copy of the mesh, or what shapes are.
static pl_status make_body(const pl_mesh *mesh, int32_t n_shape, const pl_shape *shape,
                           const pl_surface_options *surface, pl_world_body *made)
{
    *made = (pl_world_body){0};
    bool loose = n_shape == 0 && pl_mesh_is_loose(mesh);
    if (n_shape == 0 && !loose) return pl_mesh_copy(mesh, &made->mesh);
    PL_TRY(check_surface(PL_BODY_RIGID, surface));
    pl_status status = loose ? pl_shape_body_take_loose(mesh, surface, made)
                             : pl_shape_body_build(n_shape, shape, mesh, surface, made);
    if (status != PL_OK) drop_made(made);
    return status;
}

// --- Rigid bodies ---

static pl_status weigh(const pl_mesh *mesh, const pl_rigid_options *o, pl_inertia *out)
{
    if (o->n_shape > 0) return pl_shapes_weigh(o->n_shape, o->shape, o->density, o->mass, out);
    if (pl_mesh_is_loose(mesh)) {
        const pl_shape whole = loose_shape(mesh, &o->surface);
        return pl_shapes_weigh(1, &whole, o->density, o->mass, out);
    }
    const pl_weight weight = {o->mass > 0 ? 0 : o->density, o->mass};
    return pl_inertia_of_mesh(mesh, &weight, out);
}

pl_status pl_world_add_rigid(pl_world *world, const pl_mesh *mesh, const pl_rigid_options *options,
                             int32_t *body)
{
    PL_REQUIRE(world);
    pl_rigid_options defaults = pl_rigid_options_default();
    if (options == NULL) options = &defaults;
    if (options->n_shape == 0) PL_REQUIRE(mesh);
    if (options->n_shape != 0) PL_TRY(pl_shapes_check(options->n_shape, options->shape));
    PL_TRY(check_velocity(options->velocity, options->angular_velocity));
    if (!(options->damping >= 0 && isfinite(options->damping))) {
        return pl_fail(PL_ERROR_ARGUMENT, "damping: %g is not 0 or above", options->damping);
    }
    PL_TRY(check_weight(options));
    pl_inertia inertia;
    PL_TRY(weigh(mesh, options, &inertia));
    pl_world_body *b, made;
    PL_TRY(make_body(mesh, options->n_shape, options->shape, &options->surface, &made));
    pl_status status = begin_body(world, made.mesh->n_vert, PL_BODY_RIGID, &options->surface, &b);
    if (status == PL_OK) {
        status = pl_reserve((void **)&world->state.rigid, &world->state.rigid_capacity,
                            world->state.n_rigid + 1, sizeof *world->state.rigid);
    }
    double *local = pl_alloc(3 * (int64_t)made.mesh->n_vert, sizeof *local);
    if (status == PL_OK && local == NULL) status = PL_ERROR_MEMORY;
    if (status != PL_OK) {
        drop_made(&made);
        pl_free(local);
        return status;
    }
    take_made(b, &made);
    b->local = local;
    pl_rigid_local(&inertia, b->mesh->n_vert, b->mesh->x, b->local);
    b->damping = options->damping;
    b->rigid = (int32_t)world->state.n_rigid;
    pl_rigid *state = &world->state.rigid[world->state.n_rigid++];
    *state = pl_rigid_at_rest(&inertia);
    for (int k = 0; k < 4; k++) b->unturned[k] = k == 0 ? state->q[k] : -state->q[k];
    memcpy(state->v, options->velocity, sizeof state->v);
    pl_rigid_set_omega(state, options->angular_velocity);
    keep_body(world, body);
    return PL_OK;
}

// --- Kinematic bodies ---

pl_status pl_world_add_kinematic(pl_world *world, const pl_mesh *mesh,
                                 const pl_kinematic_options *options, int32_t *body)
{
    PL_REQUIRE(world);
    pl_kinematic_options defaults = pl_kinematic_options_default();
    if (options == NULL) options = &defaults;
    if (options->n_shape == 0) PL_REQUIRE(mesh);
    if (options->n_shape != 0) PL_TRY(pl_shapes_check(options->n_shape, options->shape));
    if (options->n_shape == 0 && mesh->n_vert == 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "the mesh has neither faces, tets, edges nor points");
    }
    pl_world_body *b = NULL, made;
    PL_TRY(make_body(mesh, options->n_shape, options->shape, &options->surface, &made));
    pl_status status =
        begin_body(world, made.mesh->n_vert, PL_BODY_KINEMATIC, &options->surface, &b);
    if (status == PL_OK) status = pl_path_create(&options->motion, &b->path);
    if (status != PL_OK) {
        drop_made(&made);
        return status;
    }
    take_made(b, &made);
    int32_t id;
    keep_body(world, &id);
    world->bodies.body[pl_world_place(world, id)].path.body = id;
    if (body != NULL) *body = id;
    return PL_OK;
}

pl_status pl_world_set_friction(pl_world *world, int32_t body, double friction)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    pl_surface_options surface = world->bodies.body[place].surface;
    surface.friction = friction;
    PL_TRY(check_surface(PL_BODY_RIGID, &surface)); // the rest of it was checked
    if (friction != world->bodies.body[place].surface.friction)
        PL_TRY(pl_sleep_disturb(world, place));
    pl_world_body *b = &world->bodies.body[place];
    b->surface = surface;
    for (int32_t k = 0; k < b->n_collider; k++) b->collider[k].friction = friction;
    pl_boundary *boundary = world->contact != NULL ? &world->contact->boundary : NULL;
    for (int32_t i = 0; boundary != NULL && i < boundary->n_body; i++) {
        if (boundary->owner[i] == place) boundary->friction[i] = friction;
    }
    return PL_OK;
}

// Puts the pair in its place; NAN takes it out.
static pl_status keep_friction_pair(pl_bodies *bodies, const pl_friction_pair *pair)
{
    int64_t n = bodies->n_friction_pair;
    int64_t at = pl_friction_pair_place(n, bodies->friction_pair, pair->a, pair->b);
    PL_TRY(pl_reserve((void **)&bodies->friction_pair, &bodies->friction_pair_capacity, n + 1,
                      sizeof *bodies->friction_pair));
    pl_friction_pair *to = bodies->friction_pair + at;
    bool has = at < n && to->a == pair->a && to->b == pair->b;
    if (isnan(pair->mu)) {
        if (!has) return PL_OK;
        memmove(to, to + 1, (size_t)(n - at - 1) * sizeof *to);
        bodies->n_friction_pair--;
        return PL_OK;
    }
    if (!has) {
        memmove(to + 1, to, (size_t)(n - at) * sizeof *to);
        bodies->n_friction_pair++;
    }
    *to = *pair;
    return PL_OK;
}

pl_status pl_world_set_friction_pair(pl_world *world, int32_t a, int32_t b, double friction)
{
    int32_t first, second;
    PL_TRY(pl_world_find(world, a, &first));
    PL_TRY(pl_world_find(world, b, &second));
    if (!isnan(friction) && !(friction >= 0 && isfinite(friction))) {
        return pl_fail(PL_ERROR_ARGUMENT, "friction: %g is not 0 or above", friction);
    }
    PL_TRY(pl_sleep_disturb(world, first));
    PL_TRY(pl_sleep_disturb(world, second));
    const pl_friction_pair pair = {PL_MIN(first, second), PL_MAX(first, second), friction};
    PL_TRY(keep_friction_pair(&world->bodies, &pair));
    pl_boundary *boundary = world->contact != NULL ? &world->contact->boundary : NULL;
    if (boundary != NULL) {
        boundary->friction_pair = world->bodies.friction_pair;
        boundary->n_friction_pair = world->bodies.n_friction_pair;
    }
    return PL_OK;
}

pl_status pl_world_ignore(pl_world *world, int32_t a, int32_t b)
{
    int32_t first, second;
    PL_TRY(pl_world_find(world, a, &first));
    PL_TRY(pl_world_find(world, b, &second));
    if (world->system.ready)
        return pl_fail(PL_ERROR_ARGUMENT, "pairs are ignored before the first step");
    PL_TRY(pl_reserve((void **)&world->bodies.ignored, &world->bodies.ignored_capacity,
                      2 * (world->bodies.n_ignored + 1), sizeof *world->bodies.ignored));
    world->bodies.ignored[2 * world->bodies.n_ignored] = first;
    world->bodies.ignored[2 * world->bodies.n_ignored++ + 1] = second;
    return PL_OK;
}

// --- Driven vertices and loads ---

static pl_status check_deformable(const pl_world_body *b, int32_t body)
{
    if (b->kind == PL_BODY_DEFORMABLE) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "body %d is not deformable", (int)body);
}

static void drive_vertex(pl_world *world, int32_t vertex, int32_t motion)
{
    // Kept in order, by insertion: the places to drive are few, or come in order.
    int64_t i = world->bodies.n_driven;
    while (i > 0 && world->bodies.driven[i - 1].vertex > vertex) i--;
    bool replace = i > 0 && world->bodies.driven[i - 1].vertex == vertex;
    if (replace) {
        i--;
    } else {
        memmove(world->bodies.driven + i + 1, world->bodies.driven + i,
                (size_t)(world->bodies.n_driven - i) * sizeof *world->bodies.driven);
        world->bodies.n_driven++;
    }
    world->bodies.driven[i] = (pl_driven){.vertex = vertex, .motion = motion};
    memcpy(world->bodies.driven[i].x0, world->state.x + 3 * (int64_t)vertex, 3 * sizeof(double));
}

pl_status pl_world_drive(pl_world *world, int32_t body, int32_t n, const int32_t *vertex,
                         const pl_motion *motion)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    const pl_world_body *b = &world->bodies.body[place];
    PL_TRY(check_deformable(b, body));
    if (n < 0 || (n > 0 && vertex == NULL)) return pl_fail(PL_ERROR_ARGUMENT, "vertex: no array");
    for (int32_t i = 0; i < n; i++) {
        if (vertex[i] < 0 || vertex[i] >= b->mesh->n_vert) {
            return pl_fail(PL_ERROR_ARGUMENT, "vertex %d of %d", (int)vertex[i],
                           (int)b->mesh->n_vert);
        }
    }
    PL_TRY(pl_reserve((void **)&world->bodies.paths, &world->bodies.path_capacity,
                      world->bodies.n_paths + 1, sizeof *world->bodies.paths));
    PL_TRY(pl_reserve((void **)&world->bodies.driven, &world->bodies.driven_capacity,
                      world->bodies.n_driven + n, sizeof *world->bodies.driven));
    PL_TRY(pl_sleep_wake(world, place));
    pl_motion rest = pl_motion_default();
    PL_TRY(pl_path_create(motion != NULL ? motion : &rest,
                          &world->bodies.paths[world->bodies.n_paths]));
    int32_t index = (int32_t)world->bodies.n_paths++;
    world->bodies.paths[index].body = body;
    for (int32_t i = 0; i < n; i++) drive_vertex(world, b->first + b->rank[vertex[i]], index);
    return PL_OK;
}

// Are those given, or none, the ones that are set?
static bool same_forces(const pl_world_body *b, const double *given, const double *set)
{
    bool same = true;
    for (int64_t i = 0; i < b->mesh->n_vert; i++) {
        for (int k = 0; k < 3; k++) {
            double value = given != NULL ? given[3 * i + k] : 0;
            same = same && value == set[3 * (int64_t)b->rank[i] + k];
        }
    }
    return same;
}

pl_status pl_world_set_forces(pl_world *world, int32_t body, const double *force)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    const pl_world_body *b = &world->bodies.body[place];
    PL_TRY(check_deformable(b, body));
    double *to = world->state.force + 3 * (int64_t)b->first;
    size_t size = 3 * (size_t)b->mesh->n_vert * sizeof *to;
    for (int64_t i = 0; force != NULL && i < 3 * (int64_t)b->mesh->n_vert; i++) {
        if (!isfinite(force[i])) return pl_fail(PL_ERROR_ARGUMENT, "force: not finite");
    }
    if (!same_forces(b, force, to)) PL_TRY(pl_sleep_wake(world, place));
    if (force == NULL) {
        memset(to, 0, size);
        return PL_OK;
    }
    pl_world_permute(b, force, to);
    return PL_OK;
}
