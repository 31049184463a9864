#include "scene_physics.h"
#include "scene_forces.h"
#include "scene_keys.h"
#include "scene_motion.h"
#include "scene_select.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define RADIANS (3.14159265358979323846 / 180)

static const double DURATION = 1; // of a run, if the scene does not say [s]

// --- The world ---

static const char *const INTEGRATORS[] = {[PL_INTEGRATOR_SEMI_IMPLICIT] = "semi-implicit",
                                          [PL_INTEGRATOR_IMPLICIT] = "implicit",
                                          [PL_INTEGRATOR_BDF2] = "bdf2",
                                          [PL_INTEGRATOR_AUTO] = "auto",
                                          [PL_INTEGRATOR_STATIC] = "static"};

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

static pl_status read_device(const pl_json *at, pl_world_options *world)
{
    const char *name = world->device;
    pl_json v;
    PL_TRY(pl_json_string(at, "device", &name));
    if (pl_device_find(name, &world->device) == PL_OK) return PL_OK;
    pl_json_get(at, "device", &v);
    return pl_json_fail(&v, "%s", pl_error_text());
}

static pl_status read_contact(const pl_json *at, pl_world_options *world)
{
    PL_TRY(pl_json_bool(at, "contact", &world->contact));
    PL_TRY(read_solver(at, world));
    PL_TRY(read_friction(at, world));
    PL_TRY(read_device(at, world));
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
    PL_TRY(pl_json_count(&v, "max_newton", &world->max_newton));
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

// --- Driven vertices ---

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
        PL_TRY(pl_scene_read_selection(&select, body->mesh, &drive->vertex, &drive->n));
        PL_TRY(pl_scene_read_motion(&item, &drive->motion));
    }
    return PL_OK;
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
                  {"forces", MOVES},
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
        PL_TRY(pl_scene_read_selection(&v, body->mesh, &body->fixed, &body->n_fixed));
    }
    PL_TRY(read_driven(at, body));
    return pl_scene_read_forces(at, body);
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
    PL_TRY(read_velocity(at, o->velocity, o->angular_velocity));
    return pl_scene_read_forces(at, body);
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
    return pl_scene_read_motion(at, &body->kinematic.motion);
}
