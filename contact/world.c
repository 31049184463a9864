#include "world.h"
#include "../base/hash.h"
#include "../meshes/curve.h"
#include "../meshes/geometry.h"

#include <math.h>
#include <string.h>

// --- Life ---

pl_world_options pl_world_options_default(void)
{
    return (pl_world_options){.dt = 1e-3,
                              .gravity = {0, 0, -9.81},
                              .integrator = PL_INTEGRATOR_SEMI_IMPLICIT,
                              .tolerance = 1e-8,
                              .max_iterations = 10000,
                              .newton_tolerance = 1e-8,
                              .newton_iterations = 200};
}

static pl_status check_options(const pl_world_options *o)
{
    if (!(o->dt > 0 && isfinite(o->dt)))
        return pl_fail(PL_ERROR_ARGUMENT, "dt: %g is not above 0 s", o->dt);
    for (int k = 0; k < 3; k++) {
        if (!isfinite(o->gravity[k])) return pl_fail(PL_ERROR_ARGUMENT, "gravity: not finite");
    }
    if ((int)o->integrator < 0 || o->integrator > PL_INTEGRATOR_IMPLICIT) {
        return pl_fail(PL_ERROR_ARGUMENT, "integrator: %d is not one", (int)o->integrator);
    }
    if (!(o->tolerance > 0 && o->tolerance < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "tolerance: %g is not between 0 and 1", o->tolerance);
    }
    if (!(o->newton_tolerance > 0 && o->newton_tolerance < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "newton_tolerance: %g is not between 0 and 1",
                       o->newton_tolerance);
    }
    if (o->max_iterations < 1) return pl_fail(PL_ERROR_ARGUMENT, "max_iterations: below 1");
    if (o->newton_iterations < 1) return pl_fail(PL_ERROR_ARGUMENT, "newton_iterations: below 1");
    return PL_OK;
}

pl_status pl_world_create(const pl_world_options *options, pl_world **out)
{
    *out = NULL;
    pl_world_options defaults = pl_world_options_default();
    if (options == NULL) options = &defaults;
    PL_TRY(check_options(options));
    *out = pl_alloc_zero(1, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    (*out)->options = *options;
    return PL_OK;
}

static void free_system(pl_world *world)
{
    pl_fem_free(&world->fem);
    pl_bsr_free(&world->A);
    pl_block_jacobi_free(&world->jacobi);
    pl_cg_free(&world->cg);
    pl_free(world->known);
    pl_free(world->b);
    pl_free(world->v_new);
    pl_free(world->f_ext);
    pl_free(world->damping);
    pl_free(world->load);
    pl_free(world->direction);
    pl_free(world->scratch);
    world->known = NULL;
    world->b = world->v_new = world->f_ext = NULL;
    world->damping = world->load = world->direction = world->scratch = NULL;
    world->ready = false;
}

void pl_world_destroy(pl_world *world)
{
    if (world == NULL) return;
    free_system(world);
    for (int64_t i = 0; i < world->n_bodies; i++) {
        pl_mesh_destroy(world->bodies[i].mesh);
        pl_free(world->bodies[i].rank);
    }
    for (int64_t i = 0; i < world->n_paths; i++) pl_path_free(&world->paths[i]);
    pl_free(world->bodies);
    pl_free(world->paths);
    pl_free(world->driven);
    pl_free(world->x);
    pl_free(world->v);
    pl_free(world->force);
    pl_free(world->x_shown);
    pl_free(world->v_shown);
    pl_free(world);
}

// --- Bodies ---

pl_deformable_options pl_deformable_options_default(void)
{
    return (pl_deformable_options){.material = pl_material_options_default()};
}

// Adds the spin about the centre of mass; the density is uniform, so that volumes weigh.
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

static pl_status check_body(const pl_world *world, const pl_mesh *mesh,
                            const pl_deformable_options *o)
{
    if (world->steps > 0 || world->ready) {
        return pl_fail(PL_ERROR_ARGUMENT, "bodies are added before the first step");
    }
    pl_material checked;
    PL_TRY(pl_material_setup(&o->material, &checked));
    for (int k = 0; k < 3; k++) {
        if (!isfinite(o->velocity[k])) return pl_fail(PL_ERROR_ARGUMENT, "velocity: not finite");
        if (!isfinite(o->angular_velocity[k])) {
            return pl_fail(PL_ERROR_ARGUMENT, "angular_velocity: not finite");
        }
    }
    return pl_fem_check(mesh);
}

static pl_status reserve_vertices(pl_world *world, int64_t n)
{
    PL_TRY(pl_reserve((void **)&world->x, &world->x_capacity, 3 * n, sizeof(double)));
    PL_TRY(pl_reserve((void **)&world->v, &world->v_capacity, 3 * n, sizeof(double)));
    PL_TRY(pl_reserve((void **)&world->x_shown, &world->x_shown_capacity, 3 * n, sizeof(double)));
    PL_TRY(pl_reserve((void **)&world->v_shown, &world->v_shown_capacity, 3 * n, sizeof(double)));
    return pl_reserve((void **)&world->force, &world->force_capacity, 3 * n, sizeof(double));
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

// From the order of the mesh to ours.
static void permute(const pl_world_body *b, const double *from, double *to)
{
    for (int64_t i = 0; i < b->n_vert; i++) {
        memcpy(to + 3 * (int64_t)b->rank[i], from + 3 * i, 3 * sizeof(double));
    }
}

void pl_world_show(pl_world *world)
{
    for (int64_t body = 0; body < world->n_bodies; body++) {
        const pl_world_body *b = &world->bodies[body];
        int64_t start = 3 * (int64_t)b->first;
        for (int64_t i = 0; i < b->n_vert; i++) {
            int64_t to = start + 3 * i, from = start + 3 * (int64_t)b->rank[i];
            memcpy(world->x_shown + to, world->x + from, 3 * sizeof(double));
            memcpy(world->v_shown + to, world->v + from, 3 * sizeof(double));
        }
    }
}

pl_status pl_world_add_deformable(pl_world *world, const pl_mesh *mesh,
                                  const pl_deformable_options *options, int32_t *body)
{
    pl_deformable_options defaults = pl_deformable_options_default();
    if (options == NULL) options = &defaults;
    PL_TRY(check_body(world, mesh, options));
    int64_t n_vert = (int64_t)world->n_vert + mesh->n_vert;
    if (n_vert > INT32_MAX / 4) return pl_fail(PL_ERROR_ARGUMENT, "too many vertices in one world");
    PL_TRY(pl_reserve((void **)&world->bodies, &world->body_capacity, world->n_bodies + 1,
                      sizeof *world->bodies));
    PL_TRY(reserve_vertices(world, n_vert));
    pl_world_body *b = &world->bodies[world->n_bodies];
    *b = (pl_world_body){
        .material = options->material, .first = world->n_vert, .n_vert = mesh->n_vert};
    PL_TRY(copy_shape(mesh, b));
    int64_t start = 3 * (int64_t)b->first;
    set_velocity(mesh, options, world->v_shown + start);
    permute(b, mesh->x, world->x + start);
    permute(b, world->v_shown + start, world->v + start);
    memcpy(world->x_shown + start, mesh->x, 3 * (size_t)mesh->n_vert * sizeof(double));
    memset(world->force + start, 0, 3 * (size_t)mesh->n_vert * sizeof(double));
    if (body != NULL) *body = (int32_t)world->n_bodies;
    world->n_bodies++;
    world->n_vert = (int32_t)n_vert;
    return PL_OK;
}

static pl_status check_index(const pl_world *world, int32_t body)
{
    if (body >= 0 && body < world->n_bodies) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "body %d of %d", (int)body, (int)world->n_bodies);
}

// --- Driven vertices and loads ---

static void drive_vertex(pl_world *world, int32_t vertex, int32_t motion)
{
    // Kept in order, by insertion: the places to drive are few, or come in order.
    int64_t i = world->n_driven;
    while (i > 0 && world->driven[i - 1].vertex > vertex) i--;
    bool replace = i > 0 && world->driven[i - 1].vertex == vertex;
    if (replace) {
        i--;
    } else {
        memmove(world->driven + i + 1, world->driven + i,
                (size_t)(world->n_driven - i) * sizeof *world->driven);
        world->n_driven++;
    }
    world->driven[i] = (pl_driven){.vertex = vertex, .motion = motion};
    memcpy(world->driven[i].x0, world->x + 3 * (int64_t)vertex, 3 * sizeof(double));
}

pl_status pl_world_drive(pl_world *world, int32_t body, int32_t n, const int32_t *vertex,
                         const pl_motion *motion)
{
    PL_TRY(check_index(world, body));
    const pl_world_body *b = &world->bodies[body];
    if (n < 0 || (n > 0 && vertex == NULL)) return pl_fail(PL_ERROR_ARGUMENT, "vertex: no array");
    for (int32_t i = 0; i < n; i++) {
        if (vertex[i] < 0 || vertex[i] >= b->n_vert) {
            return pl_fail(PL_ERROR_ARGUMENT, "vertex %d of %d", (int)vertex[i], (int)b->n_vert);
        }
    }
    PL_TRY(pl_reserve((void **)&world->paths, &world->path_capacity, world->n_paths + 1,
                      sizeof *world->paths));
    PL_TRY(pl_reserve((void **)&world->driven, &world->driven_capacity, world->n_driven + n,
                      sizeof *world->driven));
    pl_motion rest = pl_motion_default();
    PL_TRY(pl_path_create(motion != NULL ? motion : &rest, &world->paths[world->n_paths]));
    int32_t index = (int32_t)world->n_paths++;
    for (int32_t i = 0; i < n; i++) drive_vertex(world, b->first + b->rank[vertex[i]], index);
    return PL_OK;
}

static bool all_finite(const double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(a[i])) return false;
    }
    return true;
}

pl_status pl_world_set_forces(pl_world *world, int32_t body, const double *force)
{
    PL_TRY(check_index(world, body));
    const pl_world_body *b = &world->bodies[body];
    double *to = world->force + 3 * (int64_t)b->first;
    size_t size = 3 * (size_t)b->n_vert * sizeof *to;
    if (force == NULL) {
        memset(to, 0, size);
        return PL_OK;
    }
    if (!all_finite(force, 3 * (int64_t)b->n_vert)) {
        return pl_fail(PL_ERROR_ARGUMENT, "force: not finite");
    }
    permute(b, force, to);
    return PL_OK;
}

// --- State ---

int32_t pl_world_body_count(const pl_world *world)
{
    return (int32_t)world->n_bodies;
}

int32_t pl_world_vertex_count(const pl_world *world, int32_t body)
{
    return world->bodies[body].n_vert;
}

double pl_world_time(const pl_world *world)
{
    return world->time;
}

int64_t pl_world_steps(const pl_world *world)
{
    return world->steps;
}

const double *pl_world_positions(const pl_world *world, int32_t body)
{
    return world->x_shown + 3 * (int64_t)world->bodies[body].first;
}

const double *pl_world_velocities(const pl_world *world, int32_t body)
{
    return world->v_shown + 3 * (int64_t)world->bodies[body].first;
}

const pl_mesh *pl_world_mesh(const pl_world *world, int32_t body)
{
    return world->bodies[body].mesh;
}

pl_status pl_world_set_state(pl_world *world, int32_t body, const double *x, const double *v)
{
    PL_TRY(check_index(world, body));
    const pl_world_body *b = &world->bodies[body];
    int64_t n = 3 * (int64_t)b->n_vert, start = 3 * (int64_t)b->first;
    if ((x != NULL && !all_finite(x, n)) || (v != NULL && !all_finite(v, n))) {
        return pl_fail(PL_ERROR_ARGUMENT, "state: not finite");
    }
    if (x != NULL) permute(b, x, world->x + start);
    if (v != NULL) permute(b, v, world->v + start);
    pl_world_show(world);
    return PL_OK;
}

uint64_t pl_world_hash(const pl_world *world)
{
    size_t size = 3 * (size_t)world->n_vert * sizeof(double);
    uint64_t hash = pl_hash(PL_HASH_START, world->x, size);
    hash = pl_hash(hash, world->v, size);
    return pl_hash(hash, &world->time, sizeof world->time);
}

// --- The system ---

static pl_status build_fem(pl_world *world)
{
    pl_fem_source *source = pl_alloc_zero(world->n_bodies, sizeof *source);
    pl_mesh **mesh = pl_alloc_zero(world->n_bodies, sizeof *mesh);
    pl_status status = source != NULL && mesh != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int64_t i = 0; status == PL_OK && i < world->n_bodies; i++) {
        status = pl_mesh_renumber(world->bodies[i].mesh, world->bodies[i].rank, &mesh[i]);
        source[i] = (pl_fem_source){mesh[i], &world->bodies[i].material};
    }
    if (status == PL_OK) {
        status = pl_fem_create((int32_t)world->n_bodies, source, &world->fem, &world->A);
    }
    for (int64_t i = 0; mesh != NULL && i < world->n_bodies; i++) pl_mesh_destroy(mesh[i]);
    pl_free(mesh);
    pl_free(source);
    return status;
}

static pl_status allocate_system(pl_world *world)
{
    int64_t n = 3 * (int64_t)world->n_vert;
    world->known = pl_alloc_zero(world->n_vert, sizeof *world->known);
    world->b = pl_alloc(n, sizeof(double));
    world->v_new = pl_alloc(n, sizeof(double));
    world->f_ext = pl_alloc(n, sizeof(double));
    bool ok =
        world->known != NULL && world->b != NULL && world->v_new != NULL && world->f_ext != NULL;
    if (ok && world->options.integrator == PL_INTEGRATOR_IMPLICIT) {
        world->damping = pl_alloc(9 * (world->A.nnz + 1), sizeof(double));
        world->load = pl_alloc(n, sizeof(double));
        world->direction = pl_alloc(n, sizeof(double));
        world->scratch = pl_alloc(n, sizeof(double));
        ok = world->damping != NULL && world->load != NULL && world->direction != NULL &&
             world->scratch != NULL;
    }
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_world_prepare(pl_world *world)
{
    if (world->ready) return PL_OK;
    pl_status status = build_fem(world);
    if (status == PL_OK) status = allocate_system(world);
    if (status == PL_OK) status = pl_block_jacobi_create(world->n_vert, &world->jacobi);
    if (status == PL_OK) status = pl_cg_create(world->n_vert, &world->cg);
    if (status != PL_OK) {
        free_system(world);
        return status;
    }
    world->ready = true;
    return PL_OK;
}
