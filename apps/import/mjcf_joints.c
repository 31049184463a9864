// Joints, actuators and equalities of MJCF.

#include "mjcf.h"

#include <stdio.h>

typedef struct source {
    const pl_element *at;
    const char *name; // "" if it has none
    bool hinge;       // else it slides
    double axis[3], point[3];
} source;

// --- Coordinates ---

// Range, spring and damper, along or about which the joint of MJCF moves.
static pl_status fill_coordinate(const pl_mjcf *m, const source *s, cJSON *to)
{
    double range[2], ref = 0, spring = 0, damping = 0, rest = 0, loss = 0, armature = 0;
    double unit = s->hinge ? m->angle * PL_DEGREES : 1; // to what scenes have
    int given;
    const char *limited = pl_mjcf_get(m, s->at, "limited");
    PL_TRY(pl_mjcf_number(m, s->at, "ref", &ref));
    PL_TRY(pl_mjcf_numbers(m, s->at, "range", range, 2, &given));
    if (given == 2 && (limited == NULL || strcmp(limited, "false") != 0)) {
        const double ends[2] = {unit * (range[0] - ref), unit * (range[1] - ref)};
        cJSON_AddItemToObject(to, "range", cJSON_CreateDoubleArray(ends, 2));
    }
    PL_TRY(pl_mjcf_number(m, s->at, "stiffness", &spring));
    PL_TRY(pl_mjcf_number(m, s->at, "damping", &damping));
    PL_TRY(pl_mjcf_number(m, s->at, "springref", &rest));
    PL_TRY(pl_mjcf_number(m, s->at, "frictionloss", &loss));
    PL_TRY(pl_mjcf_number(m, s->at, "armature", &armature));
    if (spring > 0) pl_import_number(m->import, to, "spring", spring);
    if (spring > 0 && rest != ref) pl_import_number(m->import, to, "rest", unit * (rest - ref));
    if (damping > 0) pl_import_number(m->import, to, "spring_damping", damping);
    if (armature > 0) PL_TRY(pl_import_note_it(m->import, "left out: armature of joints"));
    if (!(loss > 0)) return PL_OK;
    cJSON *motor = cJSON_AddObjectToObject(to, "motor");
    pl_import_text(m->import, motor, "mode", "velocity");
    pl_import_number(m->import, motor, "max_force", loss);
    return PL_OK;
}

static pl_status remember(pl_mjcf *m, const source *s, const char *joint, const char *coordinate)
{
    PL_TRY(pl_reserve((void **)&m->joint, &m->joint_capacity, m->n_joint + 1, sizeof *m->joint));
    pl_mjcf_joint *j = &m->joint[m->n_joint++];
    *j = (pl_mjcf_joint){.coordinate = coordinate, .angle = s->hinge};
    snprintf(j->name, sizeof j->name, "%s", s->name);
    snprintf(j->joint, sizeof j->joint, "%s", joint);
    return PL_OK;
}

// --- Kinds ---

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[i] * b[j] - a[j] * b[i];
    }
}

static bool are_across(const double a[3], const double b[3])
{
    return fabs(dot(a, b)) < 1e-6 * sqrt(dot(a, a) * dot(b, b));
}

static const char *name_or_null(const char *name)
{
    return name[0] != '\0' ? name : NULL;
}

static pl_status add_single(pl_mjcf *m, const source *s, const char *a, const char *b)
{
    cJSON *joint = pl_import_joint(m->import, name_or_null(s->name), s->hinge ? "hinge" : "slider",
                                   a, b, s->point, s->axis);
    PL_TRY(remember(m, s, s->name, s->hinge ? "twist" : "x"));
    return fill_coordinate(m, s, joint);
}

// Two that slide and a hinge across both: a plane. In this order they are x, y and z of a joint.
static bool make_a_plane(const source *s, int n, int order[3])
{
    int slides = 0;
    double z[3];
    if (n != 3) return false;
    for (int i = 0; i < 3; i++) {
        if (s[i].hinge) order[0] = i;
        if (!s[i].hinge && slides < 2) order[1 + slides] = i;
        slides += !s[i].hinge;
    }
    cross(s[order[0]].axis, s[order[1]].axis, z);
    if (dot(z, s[order[2]].axis) < 0) {
        int first = order[1];
        order[1] = order[2];
        order[2] = first;
    }
    return slides == 2 && are_across(s[order[0]].axis, s[order[1]].axis) &&
           are_across(s[order[0]].axis, s[order[2]].axis) &&
           are_across(s[order[1]].axis, s[order[2]].axis);
}

static pl_status add_coordinates(pl_mjcf *m, cJSON *joint, const char *name, const source *s,
                                 const int *order, const char *const *coordinate, int n)
{
    cJSON *all = cJSON_AddObjectToObject(joint, "coordinates");
    for (int i = 0; i < n; i++) {
        cJSON *one = cJSON_AddObjectToObject(all, coordinate[i]);
        PL_TRY(fill_coordinate(m, &s[order[i]], one));
        PL_TRY(remember(m, &s[order[i]], name, coordinate[i]));
    }
    return PL_OK;
}

static pl_status add_plane(pl_mjcf *m, const source *s, const int order[3], const char *a,
                           const char *b)
{
    static const char *const names[] = {"twist", "y", "z"};
    const source *hinge = &s[order[0]];
    cJSON *joint = pl_import_joint(m->import, name_or_null(hinge->name), "planar", a, b,
                                   hinge->point, hinge->axis);
    pl_import_vector(m->import, joint, "side", s[order[1]].axis);
    return add_coordinates(m, joint, hinge->name, s, order, names, 3);
}

static pl_status add_cross(pl_mjcf *m, const source *s, const char *a, const char *b)
{
    static const char *const names[] = {"swing_y", "swing_z"};
    static const int order[2] = {0, 1};
    double axis[3];
    cross(s[0].axis, s[1].axis, axis);
    cJSON *joint =
        pl_import_joint(m->import, name_or_null(s[0].name), "universal", a, b, s[0].point, axis);
    pl_import_vector(m->import, joint, "side", s[0].axis);
    return add_coordinates(m, joint, s[0].name, s, order, names, 2);
}

static bool are_together(const source *s, int n)
{
    for (int i = 0; i < n; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = s[i].point[k] - s[0].point[k];
        if (!s[i].hinge || dot(d, d) > 1e-12) return false;
    }
    return true;
}

static pl_status add_several(pl_mjcf *m, const source *s, int n, const char *a, const char *b)
{
    int order[3] = {0};
    if (make_a_plane(s, n, order)) return add_plane(m, s, order, a, b);
    if (n == 2 && are_together(s, 2) && are_across(s[0].axis, s[1].axis)) {
        return add_cross(m, s, a, b);
    }
    if (n == 3 && are_together(s, 3)) {
        (void)pl_import_joint(m->import, name_or_null(s[0].name), "ball", a, b, s[0].point,
                              s[0].axis);
        return pl_import_note_it(m->import, "left out: ranges, springs and motors of three hinges "
                                            "in one, which are a ball joint");
    }
    for (int i = 1; i < n; i++) {
        PL_TRY(pl_import_note_it(m->import, "left out: joint \"%s\" beside \"%s\"", s[i].name,
                                 s[0].name));
    }
    return add_single(m, &s[0], a, b);
}

static pl_status read_source(const pl_mjcf *m, const pl_element *at, const pl_robot_pose *pose,
                             source *s)
{
    double pos[3] = {0};
    int given;
    const char *type = pl_mjcf_get(m, at, "type"), *name = pl_element_get(at, "name");
    *s = (source){.at = at, .axis = {0, 0, 1}, .name = name != NULL ? name : ""};
    s->hinge = type == NULL || strcmp(type, "slide") != 0;
    PL_TRY(pl_mjcf_numbers(m, at, "pos", pos, 3, &given));
    PL_TRY(pl_mjcf_numbers(m, at, "axis", s->axis, 3, &given));
    pl_robot_pose_apply(pose, pos, s->point);
    pl_robot_pose_turn(pose, s->axis, s->axis);
    return PL_OK;
}

pl_status pl_mjcf_add_joints(pl_mjcf *m, const pl_element *at, const char *a, const char *b,
                             const pl_robot_pose *pose)
{
    static const double up[3] = {0, 0, 1};
    source s[PL_MJCF_JOINTS];
    int n = 0;
    if (pl_element_find(at, "freejoint") != NULL) return PL_OK;
    for (const pl_element *j = pl_element_find(at, "joint"); j != NULL;
         j = pl_element_next(j, "joint")) {
        const char *type = pl_mjcf_get(m, j, "type");
        if (type != NULL && strcmp(type, "free") == 0) return PL_OK;
        if (n == PL_MJCF_JOINTS) return pl_import_fail(m->import, j, "too many joints of a body");
        PL_TRY(read_source(m, j, pose, &s[n]));
        if (type == NULL || strcmp(type, "ball") != 0) {
            n++;
            continue;
        }
        (void)pl_import_joint(m->import, name_or_null(s[n].name), "ball", a, b, s[n].point, up);
        if (pl_mjcf_get(m, j, "range") == NULL) return PL_OK;
        return pl_import_note_it(m->import, "left out: ranges of ball joints");
    }
    if (n == 0) {
        (void)pl_import_joint(m->import, NULL, "fixed", a, b, pose->t, up);
        return PL_OK;
    }
    return n == 1 ? add_single(m, s, a, b) : add_several(m, s, n, a, b);
}

// --- Actuators ---

static const pl_mjcf_joint *find_joint(const pl_mjcf *m, const char *name)
{
    for (int32_t i = 0; name != NULL && i < m->n_joint; i++) {
        const pl_mjcf_joint *j = &m->joint[i];
        if (strcmp(j->name, name) == 0 && j->joint[0] != '\0') return j;
    }
    return NULL;
}

static pl_status add_actuator(pl_mjcf *m, const pl_element *at)
{
    static const char *const modes[][2] = {
        {"motor", "force"}, {"position", "position"}, {"velocity", "velocity"}};
    size_t k = 0;
    double gear = 1, kp = 1, kv = 0, range[2];
    int control, force;
    const pl_mjcf_joint *j = find_joint(m, pl_element_get(at, "joint"));
    while (k < 3 && strcmp(modes[k][0], at->name) != 0) k++;
    if (k == 3 || j == NULL) {
        return pl_import_note_it(m->import, "left out: actuator <%s>%s", at->name,
                                 k < 3 ? " of what is no joint here" : "");
    }
    PL_TRY(pl_mjcf_number(m, at, "gear", &gear));
    PL_TRY(pl_mjcf_number(m, at, "kp", &kp));
    PL_TRY(pl_mjcf_number(m, at, "kv", &kv));
    cJSON *motor = pl_import_object(m->import, m->import->motors);
    pl_import_text(m->import, motor, "joint", j->joint);
    pl_import_text(m->import, motor, "coordinate", j->coordinate);
    pl_import_text(m->import, motor, "mode", modes[k][1]);
    pl_import_number(m->import, motor, "target", 0);
    if (k == 1) pl_import_number(m->import, motor, "stiffness", kp * gear * gear);
    if (k == 1 && kv > 0) pl_import_number(m->import, motor, "damping", kv * gear * gear);
    PL_TRY(pl_mjcf_numbers(m, at, "ctrlrange", range, 2, &control));
    if (k == 0 && control == 2) {
        pl_import_number(m->import, motor, "max_force",
                         fabs(gear) * fmax(fabs(range[0]), fabs(range[1])));
    }
    PL_TRY(pl_mjcf_numbers(m, at, "forcerange", range, 2, &force));
    if (k > 0 && force == 2) {
        pl_import_number(m->import, motor, "max_force",
                         fabs(gear) * fmax(fabs(range[0]), fabs(range[1])));
    }
    return pl_import_note_it(m->import, "motors have the target 0, which MJCF leaves to a program");
}

pl_status pl_mjcf_add_actuators(pl_mjcf *m)
{
    const pl_element *all = pl_element_find(m->root, "actuator");
    for (; all != NULL; all = pl_element_next(all, "actuator")) {
        for (const pl_element *at = all->child; at != NULL; at = at->next)
            PL_TRY(add_actuator(m, at));
    }
    return PL_OK;
}

// --- Equalities ---

static const pl_mjcf_body *find_body(const pl_mjcf *m, const char *name)
{
    for (int32_t i = 0; name != NULL && i < m->n_body; i++) {
        if (strcmp(m->body[i].name, name) == 0) return &m->body[i];
    }
    return NULL;
}

static pl_status tie_joints(pl_mjcf *m, const pl_element *at)
{
    const pl_mjcf_joint *one = find_joint(m, pl_element_get(at, "joint1"));
    const pl_mjcf_joint *two = find_joint(m, pl_element_get(at, "joint2"));
    double c[5] = {0, 1, 0, 0, 0};
    int given;
    PL_TRY(pl_mjcf_numbers(m, at, "polycoef", c, 5, &given));
    if (one == NULL || two == NULL || c[1] == 0) {
        return pl_import_note_it(m->import, "left out: <equality joint> of one joint");
    }
    if (c[2] != 0 || c[3] != 0 || c[4] != 0) {
        PL_TRY(pl_import_note_it(m->import, "left out: polycoef beyond the linear part"));
    }
    cJSON *coupling = pl_import_object(m->import, m->import->couplings);
    pl_import_text(m->import, coupling, "kind", "sum");
    cJSON *terms = cJSON_AddArrayToObject(coupling, "terms");
    for (int i = 0; i < 2; i++) {
        cJSON *term = pl_import_object(m->import, terms);
        pl_import_text(m->import, term, "joint", i == 0 ? one->joint : two->joint);
        pl_import_text(m->import, term, "coordinate", i == 0 ? one->coordinate : two->coordinate);
        pl_import_number(m->import, term, "ratio", i == 0 ? 1 : -c[1]);
    }
    return PL_OK;
}

static pl_status tie_bodies(pl_mjcf *m, const pl_element *at, bool weld)
{
    static const double up[3] = {0, 0, 1};
    const char *other = pl_element_get(at, "body2");
    const pl_mjcf_body *one = find_body(m, pl_element_get(at, "body1")), *two = find_body(m, other);
    double point[3] = {0};
    int given;
    if (one == NULL || (other != NULL && two == NULL) || one->is_static) {
        return pl_import_note_it(m->import, "left out: <equality %s> of what is no body here",
                                 at->name);
    }
    PL_TRY(pl_mjcf_numbers(m, at, "anchor", point, 3, &given));
    pl_robot_pose_apply(&one->pose, point, point);
    const char *a = two != NULL && !two->is_static ? two->name : "world";
    (void)pl_import_joint(m->import, pl_element_get(at, "name"), weld ? "fixed" : "ball", a,
                          one->name, point, up);
    return PL_OK;
}

pl_status pl_mjcf_add_equalities(pl_mjcf *m)
{
    const pl_element *all = pl_element_find(m->root, "equality");
    for (; all != NULL; all = pl_element_next(all, "equality")) {
        for (const pl_element *at = all->child; at != NULL; at = at->next) {
            if (strcmp(at->name, "connect") == 0) {
                PL_TRY(tie_bodies(m, at, false));
            } else if (strcmp(at->name, "weld") == 0) {
                PL_TRY(tie_bodies(m, at, true));
            } else if (strcmp(at->name, "joint") == 0) {
                PL_TRY(tie_joints(m, at));
            } else {
                PL_TRY(pl_import_note_it(m->import, "left out: <equality %s>", at->name));
            }
        }
    }
    return PL_OK;
}
