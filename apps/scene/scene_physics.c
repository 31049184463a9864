#include "scene_physics.h"
#include "scene_keys.h"
#include "../common/vec.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define RADIANS (3.14159265358979323846 / 180)

static const double DURATION = 1; // of a run, if the scene does not say [s]

// --- The world ---

static const char *const INTEGRATORS[] = {[PL_INTEGRATOR_SEMI_IMPLICIT] = "semi-implicit",
                                          [PL_INTEGRATOR_IMPLICIT] = "implicit",
                                          [PL_INTEGRATOR_BDF2] = "bdf2"};

pl_status pl_integrator_find(const char *name, pl_integrator *out)
{
    for (int i = 0; i < COUNT(INTEGRATORS); i++) {
        if (strcmp(name, INTEGRATORS[i]) != 0) continue;
        *out = (pl_integrator)i;
        return PL_OK;
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "integrator", name, strlen(name), INTEGRATORS,
                           COUNT(INTEGRATORS));
}

const char *pl_integrator_name(int32_t integrator)
{
    return integrator >= 0 && integrator < COUNT(INTEGRATORS) ? INTEGRATORS[integrator] : NULL;
}

enum { PRECOND_MAX = 16 }; // more than there are

// The world keeps the names, so they must be ones that stay.
static pl_status read_solver(const pl_json *at, pl_world_options *world)
{
    const char *name = world->solver;
    pl_solver_info solver;
    int32_t number;
    pl_json v;
    PL_TRY(pl_json_string(at, "solver", &name));
    if (pl_solver_number(name, &number) != PL_OK) {
        pl_json_get(at, "solver", &v);
        return pl_json_fail(&v, "%s", pl_error_text());
    }
    PL_TRY(pl_solver_describe(number, &solver));
    world->solver = solver.name;
    const char *precond[PRECOND_MAX];
    int n = PL_MIN(pl_precond_count(), PRECOND_MAX), chosen = -1;
    for (int i = 0; i < n; i++) precond[i] = pl_precond_name(i);
    PL_TRY(pl_json_choice(at, "precond", precond, n, &chosen));
    if (chosen >= 0) world->precond = precond[chosen];
    return PL_OK;
}

static pl_status read_friction(const pl_json *at, pl_world_options *world)
{
    const char *name = world->friction_model;
    pl_json v;
    PL_TRY(pl_json_string(at, "friction_model", &name));
    if (pl_friction_model_find(name, &world->friction_model) == PL_OK) return PL_OK;
    pl_json_get(at, "friction_model", &v);
    return pl_json_fail(&v, "%s", pl_error_text());
}

static pl_status read_contact(const pl_json *at, pl_world_options *world)
{
    world->contact = world->integrator != PL_INTEGRATOR_IMPLICIT; // which knows none
    PL_TRY(pl_json_bool(at, "contact", &world->contact));
    PL_TRY(read_solver(at, world));
    PL_TRY(read_friction(at, world));
    PL_TRY(pl_json_bool(at, "rescue", &world->rescue));
    PL_TRY(pl_json_number(at, "residual_tolerance", &world->residual_tolerance));
    PL_TRY(pl_json_number(at, "contact_tolerance", &world->contact_tolerance));
    PL_TRY(pl_json_not_negative(at, "contact_distance", &world->contact_distance));
    PL_TRY(pl_json_count(at, "contact_iterations", &world->contact_iterations));
    PL_TRY(pl_json_count(at, "rounds", &world->rounds));
    PL_TRY(pl_json_count(at, "halvings", &world->halvings));
    return pl_json_bool(at, "vj19", &world->vj19);
}

pl_status pl_scene_read_world(const pl_json *root, pl_scene *scene)
{
    pl_world_options *world = &scene->world;
    *world = pl_world_options_default();
    scene->duration = DURATION;
    pl_json v;
    if (!pl_json_get(root, "world", &v)) return PL_OK;
    PL_TRY(pl_scene_check_keys(&v, PL_KEYS_WORLD));
    PL_TRY(pl_json_number(&v, "dt", &world->dt));
    PL_TRY(pl_json_vector(&v, "gravity", world->gravity));
    int integrator = (int)world->integrator;
    PL_TRY(pl_json_choice(&v, "integrator", INTEGRATORS, COUNT(INTEGRATORS), &integrator));
    world->integrator = (pl_integrator)integrator;
    PL_TRY(pl_json_number(&v, "tolerance", &world->tolerance));
    PL_TRY(pl_json_count(&v, "max_iterations", &world->max_iterations));
    PL_TRY(pl_json_number(&v, "newton_tolerance", &world->newton_tolerance));
    PL_TRY(pl_json_count(&v, "newton_iterations", &world->newton_iterations));
    PL_TRY(pl_json_number(&v, "max_seconds", &world->max_seconds));
    PL_TRY(read_contact(&v, world));
    PL_TRY(pl_json_bool(&v, "sleep", &world->sleep));
    PL_TRY(pl_json_positive(&v, "sleep_speed", &world->sleep_speed));
    PL_TRY(pl_json_not_negative(&v, "sleep_time", &world->sleep_time));
    return pl_json_positive(&v, "duration", &scene->duration);
}

// --- Materials ---

static pl_status read_material(const pl_json *v, pl_material_options *m)
{
    static const char *const kinds[] = {[PL_MATERIAL_COROTATIONAL] = "co-rotational",
                                        [PL_MATERIAL_NEO_HOOKEAN] = "neo-hookean",
                                        [PL_MATERIAL_FIXED_COROTATED] = "fixed-corotated",
                                        [PL_MATERIAL_STVK] = "stvk",
                                        [PL_MATERIAL_MOONEY_RIVLIN] = "mooney-rivlin",
                                        [PL_MATERIAL_STABLE_NEO_HOOKEAN] = "stable-neo-hookean",
                                        [PL_MATERIAL_OGDEN] = "ogden"};
    PL_TRY(pl_scene_check_keys(v, PL_KEYS_MATERIAL));
    int kind = (int)m->kind;
    PL_TRY(pl_json_choice(v, "kind", kinds, COUNT(kinds), &kind));
    m->kind = (pl_material_kind)kind;
    PL_TRY(pl_json_number(v, "young", &m->young));
    PL_TRY(pl_json_number(v, "poisson", &m->poisson));
    PL_TRY(pl_json_number(v, "density", &m->density));
    PL_TRY(pl_json_number(v, "mass_damping", &m->mass_damping));
    PL_TRY(pl_json_number(v, "stiffness_damping", &m->stiffness_damping));
    PL_TRY(pl_json_number(v, "stretch_limit", &m->stretch_limit));
    PL_TRY(pl_json_number(v, "mooney_share", &m->mooney_share));
    return pl_json_number(v, "ogden_exponent", &m->ogden_exponent);
}

// --- Selections of vertices ---

// Marks the vertices of a list of indices.
static pl_status select_listed(const pl_json *v, const pl_mesh *mesh, uint8_t *chosen)
{
    pl_json item = {0};
    while (pl_json_next(v, &item)) {
        int32_t index;
        PL_TRY(pl_json_whole(&item, &index));
        if (index >= pl_mesh_vertex_count(mesh)) {
            return pl_json_fail(&item, "vertex %d of %d: the first is 0", (int)index,
                                (int)pl_mesh_vertex_count(mesh));
        }
        chosen[index] = 1;
    }
    return PL_OK;
}

// Marks the vertices in a region. Every region is a box, most of whose sides may be at infinity.
static pl_status select_region(const pl_json *v, const pl_mesh *mesh, uint8_t *chosen)
{
    static const char *const axes[] = {"x", "y", "z"};
    double lo[3] = {-INFINITY, -INFINITY, -INFINITY}, hi[3] = {INFINITY, INFINITY, INFINITY};
    PL_TRY(pl_scene_check_keys(v, PL_KEYS_REGION));
    pl_json box;
    if (pl_json_get(v, "box", &box)) {
        pl_json side;
        PL_TRY(pl_scene_check_keys(&box, PL_KEYS_BOX));
        PL_TRY(pl_json_require(&box, "min", &side));
        PL_TRY(pl_json_require(&box, "max", &side));
        PL_TRY(pl_json_vector(&box, "min", lo));
        PL_TRY(pl_json_vector(&box, "max", hi));
    }
    int axis = 2;
    PL_TRY(pl_json_choice(v, "axis", axes, COUNT(axes), &axis));
    double above = -INFINITY, below = INFINITY;
    PL_TRY(pl_json_number(v, "above", &above));
    PL_TRY(pl_json_number(v, "below", &below));
    lo[axis] = fmax(lo[axis], above);
    hi[axis] = fmin(hi[axis], below);
    for (int64_t i = 0; i < pl_mesh_vertex_count(mesh); i++) {
        const double *x = pl_mesh_positions(mesh) + 3 * i;
        chosen[i] = x[0] >= lo[0] && x[0] <= hi[0] && x[1] >= lo[1] && x[1] <= hi[1] &&
                    x[2] >= lo[2] && x[2] <= hi[2];
    }
    return PL_OK;
}

// The vertices that `v` selects, in *vertex (*n), ascending, owned by the caller.
static pl_status read_selection(const pl_json *v, const pl_mesh *mesh, int32_t **vertex, int32_t *n)
{
    bool list = cJSON_IsArray(v->node);
    if (!list && !cJSON_IsObject(v->node)) {
        return pl_json_fail(v, "a list of vertices [...] or a region {...} expected");
    }
    uint8_t *chosen = pl_alloc_zero(pl_mesh_vertex_count(mesh), 1);
    if (chosen == NULL) return PL_ERROR_MEMORY;
    pl_status status = list ? select_listed(v, mesh, chosen) : select_region(v, mesh, chosen);
    *n = 0;
    for (int32_t i = 0; i < pl_mesh_vertex_count(mesh); i++) *n += chosen[i];
    if (status == PL_OK && *n == 0) status = pl_json_fail(v, "no vertex of the body lies there");
    if (status == PL_OK) {
        *vertex = pl_alloc(*n, sizeof **vertex);
        if (*vertex == NULL) status = PL_ERROR_MEMORY;
    }
    if (status == PL_OK) {
        int32_t k = 0;
        for (int32_t i = 0; i < pl_mesh_vertex_count(mesh); i++) {
            if (chosen[i]) (*vertex)[k++] = i;
        }
    }
    pl_free(chosen);
    return status;
}

// --- Motions ---

static pl_status read_keys(const pl_json *at, pl_motion *motion)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(at, "keys", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    pl_motion_key *key = pl_alloc_zero(n, sizeof *key);
    if (key == NULL) return PL_ERROR_MEMORY;
    motion->key = key;
    motion->n_key = n;
    for (int i = 0; pl_json_next(&v, &item); i++) {
        pl_json time;
        PL_TRY(pl_scene_check_keys(&item, PL_KEYS_MOTION_KEY));
        PL_TRY(pl_json_require(&item, "time", &time));
        PL_TRY(pl_json_number(&item, "time", &key[i].time));
        PL_TRY(pl_json_vector(&item, "offset", key[i].offset));
        PL_TRY(pl_json_number(&item, "angle", &key[i].angle));
        key[i].angle *= RADIANS;
        if (i > 0 && !(key[i].time > key[i - 1].time)) {
            return pl_json_fail(&time, "not later than that of the key before");
        }
    }
    return PL_OK;
}

static pl_status read_motion(const pl_json *at, pl_motion *motion)
{
    pl_json v;
    *motion = pl_motion_default();
    if (!pl_json_get(at, "motion", &v)) return PL_OK;
    PL_TRY(pl_scene_check_keys(&v, PL_KEYS_MOTION));
    PL_TRY(pl_json_number(&v, "start", &motion->start));
    PL_TRY(pl_json_number(&v, "end", &motion->end));
    PL_TRY(pl_json_vector(&v, "velocity", motion->velocity));
    PL_TRY(pl_json_vector(&v, "centre", motion->centre));
    PL_TRY(pl_json_vector(&v, "axis", motion->axis));
    PL_TRY(pl_json_number(&v, "rate", &motion->rate));
    motion->rate *= RADIANS;
    return read_keys(&v, motion);
}

static pl_status read_driven(const pl_json *at, pl_scene_body *body)
{
    pl_json v, item = {0}, select;
    int n = 0;
    if (!pl_json_get(at, "driven", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    body->driven = pl_alloc_zero(n, sizeof *body->driven);
    if (body->driven == NULL) return PL_ERROR_MEMORY;
    body->n_driven = n;
    for (int i = 0; pl_json_next(&v, &item); i++) {
        pl_scene_drive *drive = &body->driven[i];
        PL_TRY(pl_scene_check_keys(&item, PL_KEYS_DRIVEN));
        PL_TRY(pl_json_require(&item, "select", &select));
        PL_TRY(read_selection(&select, body->mesh, &drive->vertex, &drive->n));
        PL_TRY(read_motion(&item, &drive->motion));
    }
    return PL_OK;
}

// --- Forces ---

// The volume that each vertex stands for: a quarter of each of its tets [m^3].
static void vertex_volumes(const pl_mesh *mesh, double *volume)
{
    for (int64_t i = 0; i < pl_mesh_tet_count(mesh); i++) {
        const int32_t *tet = pl_mesh_tets(mesh) + 4 * i;
        double quarter = 0.25 * (vec3_tet_det(pl_mesh_positions(mesh), tet) / 6);
        for (int k = 0; k < 4; k++) volume[tet[k]] += quarter;
    }
}

// Spreads "total" over "select", by volume: over all vertices that is a uniform force per volume.
static pl_status add_force(const pl_json *at, const pl_mesh *mesh, const double *volume,
                           double *force)
{
    pl_json v;
    double total[3], sum = 0;
    int32_t *vertex = NULL, n = pl_mesh_vertex_count(mesh); // NULL: all
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_FORCE));
    PL_TRY(pl_json_require(at, "total", &v));
    PL_TRY(pl_json_vector(at, "total", total));
    if (pl_json_get(at, "select", &v)) PL_TRY(read_selection(&v, mesh, &vertex, &n));
    for (int32_t i = 0; i < n; i++) sum += volume[vertex != NULL ? vertex[i] : i];
    for (int32_t i = 0; sum > 0 && i < n; i++) {
        int32_t at_vertex = vertex != NULL ? vertex[i] : i;
        for (int k = 0; k < 3; k++) {
            force[3 * (int64_t)at_vertex + k] += volume[at_vertex] / sum * total[k];
        }
    }
    pl_free(vertex);
    return sum > 0 ? PL_OK : pl_json_fail(at, "there is no tet for it to act on");
}

static pl_status read_forces(const pl_json *at, pl_scene_body *body)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(at, "forces", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    int64_t n_vert = pl_mesh_vertex_count(body->mesh);
    double *volume = pl_alloc_zero(n_vert, sizeof *volume);
    body->force = pl_alloc_zero(3 * n_vert, sizeof *body->force);
    pl_status status = volume != NULL && body->force != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) vertex_volumes(body->mesh, volume);
    while (status == PL_OK && pl_json_next(&v, &item)) {
        status = add_force(&item, body->mesh, volume, body->force);
    }
    pl_free(volume);
    return status;
}

// --- Bodies ---

typedef enum body_type { DRAWN, DEFORMABLE, RIGID, STATIC, KINEMATIC } body_type;

// Which types of bodies have a key; all of them may have those that are not listed.
enum {
    MOVES = 1 << DEFORMABLE | 1 << RIGID,
    STIFF = 1 << RIGID | 1 << STATIC | 1 << KINEMATIC,
    TOUCHES = MOVES | STIFF
};
static const struct {
    const char *key;
    unsigned types;
} typed_keys[] = {{"velocity", MOVES},
                  {"angular_velocity", MOVES},
                  {"material", 1 << DEFORMABLE},
                  {"fixed", 1 << DEFORMABLE},
                  {"driven", 1 << DEFORMABLE},
                  {"forces", 1 << DEFORMABLE},
                  {"self", 1 << DEFORMABLE},
                  {"density", 1 << RIGID},
                  {"mass", 1 << RIGID},
                  {"damping", 1 << RIGID},
                  {"motion", 1 << KINEMATIC},
                  {"friction", TOUCHES},
                  {"radius", TOUCHES},
                  {"group", TOUCHES},
                  {"ignore", TOUCHES},
                  {"contact_distance", TOUCHES},
                  {"shape", STIFF},
                  {"shapes", STIFF},
                  {"halfspace", 1 << STATIC | 1 << KINEMATIC},
                  {"restitution", STIFF}};

// What a body of this type has the key in, or NULL.
static const char *find_owner(const char *key, body_type type)
{
    const char *owner = pl_scene_key_owner(PL_KEYS_BODY, key);
    for (int i = 0; owner != NULL && i < COUNT(typed_keys); i++) {
        bool has = (typed_keys[i].types >> type & 1) != 0;
        if (has && strcmp(typed_keys[i].key, owner) == 0) return owner;
    }
    return NULL;
}

static pl_status check_keys(const pl_json *at, body_type type)
{
    static const char *const names[] = {NULL, "deformable", "rigid", "static", "kinematic"};
    pl_json v;
    for (int i = 0; i < COUNT(typed_keys); i++) {
        const char *key = typed_keys[i].key, *owner = find_owner(key, type);
        if ((typed_keys[i].types >> type & 1) != 0 || !pl_json_get(at, key, &v)) continue;
        if (type != DRAWN && owner != NULL) {
            return pl_json_fail(&v, "a %s body has no such key; its \"%s\" has", names[type],
                                owner);
        }
        if (type != DRAWN) return pl_json_fail(&v, "a %s body has no such key", names[type]);
        if (!cJSON_IsNull(v.node)) {
            return pl_json_fail(&v, "the body is only drawn (\"material\": null)");
        }
    }
    return PL_OK;
}

static pl_status read_type(const pl_json *at, body_type *out)
{
    static const char *const names[] = {"deformable", "rigid", "static", "kinematic"};
    pl_json v;
    int type = 0;
    PL_TRY(pl_json_choice(at, "type", names, COUNT(names), &type));
    *out = (body_type)(DEFORMABLE + type);
    if (pl_json_get(at, "material", &v) && cJSON_IsNull(v.node)) *out = DRAWN;
    return check_keys(at, *out);
}

static pl_status read_velocity(const pl_json *at, double velocity[3], double angular_velocity[3])
{
    PL_TRY(pl_json_vector(at, "velocity", velocity));
    PL_TRY(pl_json_vector(at, "angular_velocity", angular_velocity));
    for (int k = 0; k < 3; k++) angular_velocity[k] *= RADIANS;
    return PL_OK;
}

static pl_status read_deformable(const pl_json *at, pl_scene_body *body)
{
    pl_deformable_options *o = &body->deformable;
    pl_json v;
    body->kind = PL_BODY_DEFORMABLE;
    if (pl_json_get(at, "material", &v)) PL_TRY(read_material(&v, &o->material));
    PL_TRY(read_velocity(at, o->velocity, o->angular_velocity));
    if (pl_json_get(at, "fixed", &v)) {
        PL_TRY(read_selection(&v, body->mesh, &body->fixed, &body->n_fixed));
    }
    PL_TRY(read_driven(at, body));
    return read_forces(at, body);
}

static pl_status read_rigid(const pl_json *at, pl_scene_body *body)
{
    pl_rigid_options *o = &body->rigid;
    pl_json v;
    body->kind = PL_BODY_RIGID;
    PL_TRY(pl_json_number(at, "density", &o->density));
    PL_TRY(pl_json_positive(at, "mass", &o->mass));
    if (pl_json_get(at, "density", &v) && pl_json_get(at, "mass", &v)) {
        return pl_json_fail(at, "density and mass: give one of them");
    }
    PL_TRY(pl_json_number(at, "damping", &o->damping));
    return read_velocity(at, o->velocity, o->angular_velocity);
}

pl_status pl_scene_read_physics(const pl_json *at, pl_groups *groups, pl_scene_body *body)
{
    body_type type;
    body->deformable = pl_deformable_options_default();
    body->rigid = pl_rigid_options_default();
    body->kinematic = pl_kinematic_options_default();
    PL_TRY(read_type(at, &type));
    body->simulated = type != DRAWN;
    if (!body->simulated) return PL_OK;
    pl_surface_options surface = pl_surface_options_default();
    PL_TRY(pl_scene_read_surface(at, groups, &surface));
    body->deformable.surface = body->rigid.surface = body->kinematic.surface = surface;
    if (type == DEFORMABLE) return read_deformable(at, body);
    if (type == RIGID) return read_rigid(at, body);
    body->kind = PL_BODY_KINEMATIC;
    return read_motion(at, &body->kinematic.motion);
}
