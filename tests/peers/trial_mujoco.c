// MuJoCo on rigid bodies and on flexes. `setting` is three numbers: into how many parts a step is
// cut, impratio, and the iterations of noslip. README.md says why each setting is what it is.

#include "trial_peer.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pl_trial *trial;
static const trial_mesh *meshes;
static mjModel *model;
static mjData *data;
static int parts = 1, *bodies; // (n_body), of those that are rigid

// --- The model ---

static void write_numbers(FILE *xml, const char *key, int n, const double *x)
{
    fprintf(xml, " %s=\"", key);
    for (int i = 0; i < n; i++) fprintf(xml, "%.17g ", x[i]);
    fprintf(xml, "\"");
}

static void write_contact(FILE *xml)
{
    fprintf(xml, " condim=\"3\" friction=\"%.17g 0 0\" solref=\"%.17g 1\"", trial->friction,
            2 * trial->dt / parts);
}

static void write_geom(FILE *xml, const pl_trial_body *body)
{
    bool capsule = body->shape == PL_TRIAL_CAPSULE;
    fprintf(xml, "<geom type=\"%s\" mass=\"%.17g\"", capsule ? "capsule" : "box", body->mass);
    write_numbers(xml, "size", capsule ? 2 : 3, body->half);
    if (!trial->touch) fprintf(xml, " contype=\"0\" conaffinity=\"0\"");
    write_contact(xml);
    fprintf(xml, "/>\n");
}

static const pl_trial_joint *joint_to(int32_t body)
{
    for (int32_t i = 0; i < trial->n_joint; i++) {
        if (trial->joint[i].b == body) return &trial->joint[i];
    }
    return NULL;
}

// With the bodies that hang on it inside.
static void write_body(FILE *xml, int32_t number, int32_t parent)
{
    const pl_trial_body *body = &trial->body[number];
    const pl_trial_joint *joint = joint_to(number);
    double at[3], point[3];
    for (int k = 0; k < 3; k++) {
        at[k] = body->start.x[k] - (parent >= 0 ? trial->body[parent].start.x[k] : 0);
        point[k] = joint != NULL ? joint->point[k] - body->start.x[k] : 0;
    }
    fprintf(xml, "<body name=\"b%d\"", (int)number);
    write_numbers(xml, "pos", 3, at);
    write_numbers(xml, "quat", 4, body->start.q);
    fprintf(xml, ">");
    if (joint == NULL) fprintf(xml, "<freejoint/>");
    if (joint != NULL && joint->kind == PL_TRIAL_BALL) {
        fprintf(xml, "<joint type=\"ball\"");
        write_numbers(xml, "pos", 3, point);
        fprintf(xml, "/>");
    }
    if (joint != NULL && joint->kind == PL_TRIAL_SLIDER) {
        fprintf(xml, "<joint type=\"slide\"");
        write_numbers(xml, "axis", 3, joint->axis);
        fprintf(xml, "/>");
    }
    write_geom(xml, body);
    for (int32_t i = 0; i < trial->n_joint; i++) {
        if (trial->joint[i].a == number) write_body(xml, trial->joint[i].b, number);
    }
    fprintf(xml, "</body>\n");
}

static void write_flex(FILE *xml, int32_t number)
{
    const pl_trial_body *body = &trial->body[number];
    const trial_mesh *mesh = &meshes[number];
    fprintf(xml, "<flexcomp name=\"b%d\" type=\"direct\" dim=\"3\" mass=\"%.17g\" radius=\"1e-4\"",
            (int)number, body->mass);
    write_numbers(xml, "point", 3 * mesh->n_vert, mesh->x);
    fprintf(xml, " element=\"");
    for (int i = 0; i < 4 * mesh->n_tet; i++) fprintf(xml, "%d ", (int)mesh->tet[i]);
    fprintf(xml, "\">\n<elasticity young=\"%.17g\" poisson=\"0.2\" damping=\"1e-9\"/>\n",
            body->young);
    fprintf(xml, "<contact selfcollide=\"none\"");
    write_contact(xml);
    fprintf(xml, "/>\n</flexcomp>\n");
}

static void write_model(FILE *xml, double impratio, int noslip)
{
    bool soft = false;
    for (int32_t i = 0; i < trial->n_body; i++) soft |= trial->body[i].shape == PL_TRIAL_SOFT;
    fprintf(xml, "<mujoco>\n<size memory=\"2G\"/>\n<option timestep=\"%.17g\"", trial->dt / parts);
    write_numbers(xml, "gravity", 3, trial->gravity);
    fprintf(xml, " solver=\"Newton\" cone=\"elliptic\" impratio=\"%.17g\" noslip_iterations=\"%d\"",
            impratio, noslip);
    fprintf(xml, " integrator=\"%s\"/>\n<worldbody>\n", soft ? "discrete" : "implicitfast");
    for (int32_t i = 0; i < trial->n_plane; i++) {
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = trial->plane[i].normal[k] * trial->plane[i].offset;
        fprintf(xml, "<geom type=\"plane\" size=\"20 20 1\"");
        write_numbers(xml, "pos", 3, at);
        write_numbers(xml, "zaxis", 3, trial->plane[i].normal);
        write_contact(xml);
        fprintf(xml, "/>\n");
    }
    for (int32_t i = 0; i < trial->n_body; i++) {
        const pl_trial_joint *joint = joint_to(i);
        if (trial->body[i].shape == PL_TRIAL_SOFT)
            write_flex(xml, i);
        else if (joint == NULL || joint->a < 0)
            write_body(xml, i, -1);
    }
    fprintf(xml, "</worldbody>\n</mujoco>\n");
}

static mjModel *compile(double impratio, int noslip)
{
    char *text = NULL, error[1000] = "";
    size_t size;
    FILE *xml = open_memstream(&text, &size);
    if (xml == NULL) return NULL;
    write_model(xml, impratio, noslip);
    fclose(xml);
    mjSpec *spec = mj_parseXMLString(text, NULL, error, sizeof error);
    mjModel *made = spec != NULL ? mj_compile(spec, NULL) : NULL;
    if (made == NULL) {
        fprintf(stderr, "MuJoCo: %s\n", spec != NULL ? mjs_getError(spec) : error);
    }
    mj_deleteSpec(spec);
    free(text);
    return made;
}

// --- The start ---

// Orientations of bodies on joints are 1 at the start, so that their axes are those of the world.
static void set_velocity(int32_t number)
{
    const pl_trial_pose *start = &trial->body[number].start;
    const pl_trial_joint *joint = joint_to(number);
    double *v = data->qvel + model->body_dofadr[bodies[number]], w[3];
    memcpy(w, start->w, sizeof w);
    if (joint == NULL) {
        double back[4];
        memcpy(v, start->v, sizeof start->v);
        mju_negQuat(back, start->q);
        mju_rotVecQuat(v + 3, w, back);
    } else if (joint->kind == PL_TRIAL_BALL) {
        for (int k = 0; k < 3; k++) {
            v[k] = w[k] - (joint->a >= 0 ? trial->body[joint->a].start.w[k] : 0);
        }
    } else {
        v[0] = mju_dot3(start->v, joint->axis);
    }
}

// Else they go to a file in the current folder; trial_advance looks at those that matter.
static void ignore_warning(const char *text)
{
    (void)text;
}

static void give_up(const char *text)
{
    fprintf(stderr, "MuJoCo: %s\n", text);
    exit(1);
}

bool trial_open(const pl_trial *t, const trial_mesh *mesh, const char *setting)
{
    double impratio;
    int noslip;
    trial = t;
    meshes = mesh;
    if (sscanf(setting, "%d %lf %d", &parts, &impratio, &noslip) != 3) return false;
    mju_user_error = give_up;
    mju_user_warning = ignore_warning;
    model = compile(impratio, noslip);
    if (model == NULL) return false;
    data = mj_makeData(model);
    bodies = calloc((size_t)t->n_body, sizeof *bodies);
    if (data == NULL || bodies == NULL) return false;
    for (int32_t i = 0; i < t->n_body; i++) {
        char name[16];
        if (t->body[i].shape == PL_TRIAL_SOFT) continue;
        snprintf(name, sizeof name, "b%d", (int)i);
        bodies[i] = mj_name2id(model, mjOBJ_BODY, name);
        for (int k = 0; k < 3; k++) data->xfrc_applied[6 * bodies[i] + k] = t->body[i].force[k];
        set_velocity(i);
    }
    mj_forward(model, data);
    return true;
}

bool trial_advance(void)
{
    for (int i = 0; i < parts; i++) mj_step(model, data);
    // After one of these it starts anew, or goes on without some of its contacts.
    static const int bad[] = {mjWARN_INERTIA, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL,
                              mjWARN_BADQPOS, mjWARN_BADQVEL,     mjWARN_BADQACC};
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        if (data->warning[bad[i]].number > 0) return false;
    }
    return true;
}

// The mean of the vertices, all of the one flex that there is.
static void soft_pose(pl_trial_pose *pose)
{
    *pose = (pl_trial_pose){.q = {1, 0, 0, 0}};
    int n = (int)model->nflexvert;
    for (int i = 0; i < n; i++) {
        int at = model->body_dofadr[model->flex_vertbodyid[i]];
        for (int k = 0; k < 3; k++) {
            pose->x[k] += data->flexvert_xpos[3 * i + k] / n;
            pose->v[k] += data->qvel[at + k] / n;
        }
    }
}

void trial_get(pl_trial_pose *pose)
{
    mj_kinematics(model, data); // a step ends before it has moved the bodies
    mj_comPos(model, data);
    mj_flex(model, data);
    mj_comVel(model, data);
    for (int32_t i = 0; i < trial->n_body; i++) {
        double velocity[6];
        if (trial->body[i].shape == PL_TRIAL_SOFT) {
            soft_pose(&pose[i]);
            continue;
        }
        mj_objectVelocity(model, data, mjOBJ_BODY, bodies[i], velocity, 0);
        memcpy(pose[i].x, data->xpos + 3 * bodies[i], sizeof pose->x);
        memcpy(pose[i].q, data->xquat + 4 * bodies[i], sizeof pose->q);
        memcpy(pose[i].w, velocity, sizeof pose->w);
        memcpy(pose[i].v, velocity + 3, sizeof pose->v);
    }
}
