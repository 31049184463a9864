#include "scene_keys.h"

#include <string.h>

enum { KEYS_MAX = 40 };

// An object, the one that it stands in, and what it has.
typedef struct keys {
    const char *name; // as the one above it calls it
    pl_scene_object above;
    const char *key[KEYS_MAX]; // NULL after the last
} keys;

#define COORDINATE_KEYS                                                                            \
    "range", "stiffness", "damping", "spring", "spring_damping", "rest", "curve", "motor"
#define MOTOR_KEYS                                                                                 \
    "mode", "target", "keys", "interpolation", "period", "start", "end", "max_force", "max_speed", \
        "stiffness", "damping", "comment"
#define COUPLING_KEYS "kind", "name", "stiffness", "damping", "comment"

static const keys table[PL_N_KEYS] = {
    [PL_KEYS_SCENE] = {"the scene",
                       PL_KEYS_SCENE,
                       {"comment", "bodies", "joints", "couplings", "motors", "cables", "instances",
                        "assemblies", "ground", "camera", "cameras", "world", "friction_pairs",
                        "grid"}},
    [PL_KEYS_WORLD] = {"world",
                       PL_KEYS_SCENE,
                       {"dt",
                        "duration",
                        "gravity",
                        "integrator",
                        "tolerance",
                        "max_iterations",
                        "newton_tolerance",
                        "max_newton",
                        "max_seconds",
                        "contact",
                        "solver",
                        "precond",
                        "device",
                        "friction_model",
                        "rescue",
                        "residual_tolerance",
                        "contact_tolerance",
                        "contact_distance",
                        "contact_iterations",
                        "rounds",
                        "halvings",
                        "vj19",
                        "sleep",
                        "sleep_speed",
                        "sleep_time"}},
    [PL_KEYS_GRID] = {"grid", PL_KEYS_SCENE, {"spacing", "cfl", "parts", "refine", "comment"}},
    [PL_KEYS_GROUND] = {"ground", PL_KEYS_SCENE, {"friction", "restitution", "size"}},
    [PL_KEYS_FRICTION_PAIR] = {"friction_pairs", PL_KEYS_SCENE, {"a", "b", "friction", "comment"}},
    [PL_KEYS_BODY] = {"bodies", PL_KEYS_SCENE, {"mesh",       "shape",
                                                "shapes",     "halfspace",
                                                "position",   "rotation",
                                                "scale",      "copies",
                                                "type",       "material",
                                                "density",    "mass",
                                                "damping",    "velocity",
                                                "friction",   "angular_velocity",
                                                "radius",     "contact_distance",
                                                "group",      "ignore",
                                                "self",       "fixed",
                                                "driven",     "forces",
                                                "motion",     "color",
                                                "opacity",    "edges",
                                                "cut",        "name",
                                                "comment",    "render_mesh",
                                                "restitution"}},
    [PL_KEYS_MATERIAL] = {"material",
                          PL_KEYS_BODY,
                          {"kind", "young", "poisson", "density", "mass_damping",
                           "stiffness_damping", "stretch_limit", "mooney_share", "ogden_exponent"}},
    [PL_KEYS_SHAPE] = {"shapes",
                       PL_KEYS_BODY,
                       {"shape", "mesh", "position", "rotation", "density", "friction"}},
    [PL_KEYS_HALFSPACE] = {"halfspace", PL_KEYS_BODY, {"point", "normal", "span", "patch"}},
    [PL_KEYS_CUT] = {"cut", PL_KEYS_BODY, {"normal", "offset", "shrink"}},
    [PL_KEYS_COPIES] = {"copies",
                        PL_KEYS_BODY,
                        {"count", "spacing", "shrink", "jitter", "turn", "seed"}},
    [PL_KEYS_REGION] = {"fixed", PL_KEYS_BODY, {"box", "above", "below", "axis"}},
    [PL_KEYS_BOX] = {"box", PL_KEYS_REGION, {"min", "max"}},
    [PL_KEYS_DRIVEN] = {"driven", PL_KEYS_BODY, {"select", "motion"}},
    [PL_KEYS_FORCE] = {"forces",
                       PL_KEYS_BODY,
                       {"select", "total", "torque", "start", "end", "keys", "interpolation",
                        "period"}},
    [PL_KEYS_FORCE_KEY] = {"keys", PL_KEYS_FORCE, {"time", "factor"}},
    [PL_KEYS_MOTION] = {"motion",
                        PL_KEYS_BODY,
                        {"start", "end", "velocity", "rate", "axis", "centre", "keys", "until",
                         "repeat"}},
    [PL_KEYS_UNTIL] = {"until", PL_KEYS_MOTION, {"time", "force", "position", "then"}},
    [PL_KEYS_POSITION] = {"position", PL_KEYS_UNTIL, {"body", "axis", "above", "below"}},
    [PL_KEYS_MOTION_KEY] = {"keys", PL_KEYS_MOTION, {"time", "offset", "angle"}},
    [PL_KEYS_FIXED] = {"camera", PL_KEYS_SCENE, {"kind", "eye", "target", "angle"}},
    [PL_KEYS_ORBIT] = {"camera",
                       PL_KEYS_SCENE,
                       {"kind", "centre", "radius", "height", "rate", "azimuth", "period",
                        "angle"}},
    [PL_KEYS_FOLLOW] = {"camera",
                        PL_KEYS_SCENE,
                        {"kind", "body", "offset", "eye", "smoothing", "angle"}},
    [PL_KEYS_KEYFRAMES] = {"camera", PL_KEYS_SCENE, {"kind", "keys", "angle"}},
    [PL_KEYS_KEYFRAME] = {"keys", PL_KEYS_KEYFRAMES, {"time", "eye", "target", "angle"}},
    [PL_KEYS_ASSEMBLY] = {"assemblies",
                          PL_KEYS_SCENE,
                          {"comment", "bodies", "joints", "couplings", "motors", "cables",
                           "instances"}},
    [PL_KEYS_INSTANCE] = {"instances",
                          PL_KEYS_SCENE,
                          {"assembly", "name", "position", "rotation", "velocity",
                           "angular_velocity", "comment"}},
    [PL_KEYS_JOINT] = {"joints",
                       PL_KEYS_SCENE,
                       {"name", "kind", "a", "b", "point", "point_b", "axis", "side", "patch_a",
                        "patch_b", "collide", "swing", "break_force", "break_torque", "coordinates",
                        COORDINATE_KEYS, "comment"}},
    [PL_KEYS_COORDINATE] = {"coordinates", PL_KEYS_JOINT, {COORDINATE_KEYS, "comment"}},
    [PL_KEYS_MOTOR] = {"motor", PL_KEYS_JOINT, {MOTOR_KEYS}},
    [PL_KEYS_MOTORS] = {"motors", PL_KEYS_SCENE, {"joint", "coordinate", MOTOR_KEYS}},
    [PL_KEYS_MOTOR_KEY] = {"keys", PL_KEYS_MOTORS, {"time", "value"}},
    [PL_KEYS_GEAR] = {"couplings",
                      PL_KEYS_SCENE,
                      {"a", "b", "teeth", "ratio", "inner", "backlash", COUPLING_KEYS}},
    [PL_KEYS_RACK] = {"couplings",
                      PL_KEYS_SCENE,
                      {"pinion", "rack", "radius", "backlash", COUPLING_KEYS}},
    [PL_KEYS_SCREW] = {"couplings", PL_KEYS_SCENE, {"joint", "pitch", "backlash", COUPLING_KEYS}},
    [PL_KEYS_DIFFERENTIAL] = {"couplings",
                              PL_KEYS_SCENE,
                              {"a", "b", "cage", "backlash", COUPLING_KEYS}},
    [PL_KEYS_PULLEY] = {"couplings", PL_KEYS_SCENE, {"a", "b", "falls", "slack", COUPLING_KEYS}},
    [PL_KEYS_SUM] = {"couplings", PL_KEYS_SCENE, {"terms", "range", COUPLING_KEYS}},
    [PL_KEYS_CABLE] = {"cables",
                       PL_KEYS_SCENE,
                       {"name",
                        "points",
                        "from",
                        "to",
                        "links",
                        "length",
                        "radius",
                        "mass_per_length",
                        "link_mass",
                        "joint",
                        "axial",
                        "bending",
                        "twisting",
                        "a",
                        "b",
                        "friction",
                        "contact_distance",
                        "damping",
                        "group",
                        "ignore",
                        "color",
                        "comment"}},
    [PL_KEYS_CABLE_PART] = {"bending", PL_KEYS_CABLE, {"stiffness", "damping"}},
    [PL_KEYS_TERM] = {"terms", PL_KEYS_SUM, {"joint", "coordinate", "ratio"}},
};

// Keys that had another name before.
static const struct {
    pl_scene_object object;
    const char *old, *key;
} renamed[] = {{PL_KEYS_WORLD, "eps1", "residual_tolerance"},
               {PL_KEYS_WORLD, "eps2", "contact_tolerance"},
               {PL_KEYS_WORLD, "paper", "vj19"}};

static int count_keys(pl_scene_object object)
{
    int n = 0;
    while (n < KEYS_MAX && table[object].key[n] != NULL) n++;
    return n;
}

static bool has_key(pl_scene_object object, const char *key)
{
    for (int i = 0; i < count_keys(object); i++) {
        if (strcmp(table[object].key[i], key) == 0) return true;
    }
    return false;
}

// Is one of them in the other?
static bool is_next_to(pl_scene_object a, pl_scene_object b)
{
    return a != b && (table[a].above == b || table[b].above == a);
}

const char *pl_scene_key_owner(pl_scene_object object, const char *key)
{
    for (int i = 0; i < PL_N_KEYS; i++) {
        pl_scene_object other = (pl_scene_object)i;
        if (is_next_to(object, other) && has_key(other, key)) return table[other].name;
    }
    return NULL;
}

// Those that are not near in any way are left to what is known here, which pl_fail_unknown lists.
static pl_status fail_elsewhere(const pl_json *at, pl_scene_object object, const char *key)
{
    const char *owner = pl_scene_key_owner(object, key);
    if (owner != NULL) return pl_json_fail(at, "unknown key \"%s\": \"%s\" has it", key, owner);
    if (pl_nearest(key, table[object].key, count_keys(object)) != NULL) return PL_OK;
    for (int i = 0; i < PL_N_KEYS; i++) {
        pl_scene_object other = (pl_scene_object)i;
        if (!is_next_to(object, other)) continue;
        const char *near = pl_nearest(key, table[other].key, count_keys(other));
        if (near == NULL) continue;
        return pl_json_fail(at, "unknown key \"%s\", did you mean \"%s\" of \"%s\"?", key, near,
                            table[other].name);
    }
    return PL_OK;
}

pl_status pl_scene_check_keys(const pl_json *at, pl_scene_object object)
{
    const cJSON *child = NULL;
    if (cJSON_IsObject(at->node)) {
        cJSON_ArrayForEach(child, at->node)
        {
            if (!has_key(object, child->string)) PL_TRY(fail_elsewhere(at, object, child->string));
        }
    }
    return pl_json_object(at, table[object].key, count_keys(object));
}

void pl_scene_rename_keys(cJSON *node, const char *file, pl_scene_object object)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        const char *old = renamed[i].old, *key = renamed[i].key;
        if (renamed[i].object != object || !cJSON_HasObjectItem(node, old)) continue;
        cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(node, old);
        if (item == NULL) continue; // in capitals, which no key is
        pl_log(PL_LOG_WARNING, "%s: %s.%s is now called %s", file, table[object].name, old, key);
        if (!cJSON_AddItemToObject(node, key, item)) cJSON_Delete(item); // no memory
    }
}
