// MuJoCo's flex bodies, by its C interface, which the wheel on PyPI brings along. README.md says
// why each setting is what it is.

#include "peer.h"

#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const peer_workload *work;
static mjModel *model;
static mjData *data;
static int *adr; // (n_vert) where a vertex has its three numbers in qpos and qvel

// From the environment, for those who want to try others.
static const char *setting(const char *name, const char *usual)
{
    const char *text = getenv(name);
    return text != NULL ? text : usual;
}

static void write_numbers(FILE *xml, const char *key, int n, const double *x)
{
    fprintf(xml, " %s=\"", key);
    for (int i = 0; i < n; i++) fprintf(xml, "%.17g ", x[i]);
    fprintf(xml, "\"");
}

static void write_body(FILE *xml, int number, const peer_body *body)
{
    double mass = 0;
    for (int i = 0; i < body->n_vert; i++) mass += body->mass[i];
    fprintf(xml, "<flexcomp name=\"b%d\" type=\"direct\" dim=\"3\" mass=\"%.17g\" radius=\"%s\"",
            number, mass, setting("PEER_MUJOCO_RADIUS", "0.001"));
    write_numbers(xml, "point", 3 * body->n_vert, body->x);
    fprintf(xml, " element=\"");
    for (int i = 0; i < 4 * body->n_tet; i++) fprintf(xml, "%d ", (int)body->tet[i]);
    fprintf(xml, "\">\n<elasticity young=\"%.17g\" poisson=\"%.17g\" damping=\"1e-9\"/>\n",
            work->young, work->poisson);
    fprintf(xml,
            "<contact selfcollide=\"%s\" condim=\"3\" friction=\"%.17g 0 0\" solref=\"%s\"/>\n",
            setting("PEER_MUJOCO_SELF", "none"), work->friction,
            setting("PEER_MUJOCO_SOLREF", "0.002 1"));
    fprintf(xml, "</flexcomp>\n");
}

static void write_wall(FILE *xml, const peer_box *box)
{
    double centre[3], half[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = 0.5 * (box->lo[k] + box->hi[k]);
        half[k] = 0.5 * (box->hi[k] - box->lo[k]);
    }
    fprintf(xml, "<geom type=\"box\"");
    write_numbers(xml, "pos", 3, centre);
    write_numbers(xml, "size", 3, half);
    fprintf(xml, " friction=\"%.17g 0 0\"/>\n", work->friction);
}

static void write_model(FILE *xml)
{
    fprintf(xml,
            "<mujoco>\n<size memory=\"2G\"/>\n"
            "<option timestep=\"%.17g\" gravity=\"%.17g %.17g %.17g\" integrator=\"%s\" "
            "solver=\"%s\" cone=\"%s\" impratio=\"%s\" jacobian=\"sparse\"/>\n<worldbody>\n"
            "<geom type=\"plane\" size=\"20 20 1\" friction=\"%.17g 0 0\"/>\n",
            work->dt, work->gravity[0], work->gravity[1], work->gravity[2],
            setting("PEER_MUJOCO_INTEGRATOR", "discrete"), setting("PEER_MUJOCO_SOLVER", "Newton"),
            setting("PEER_MUJOCO_CONE", "elliptic"),
            getenv("PEER_MUJOCO_STICKY") != NULL ? "100" : setting("PEER_MUJOCO_IMPRATIO", "1"),
            work->friction);
    for (int i = 0; i < work->n_box; i++) write_wall(xml, &work->box[i]);
    for (int i = 0; i < work->n_body; i++) write_body(xml, i, &work->bodies[i]);
    fprintf(xml, "</worldbody>\n</mujoco>\n");
}

static mjModel *compile(void)
{
    char *text = NULL, error[1000] = "";
    size_t size;
    FILE *xml = open_memstream(&text, &size);
    if (xml == NULL) return NULL;
    write_model(xml);
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

// MuJoCo gives all vertices of a flex the same mass; we give each its own, as the others have it.
static void share_mass(void)
{
    for (int i = 0; i < work->n_vert; i++) {
        int body = model->flex_vertbodyid[i], joint = model->body_jntadr[body];
        double ratio = work->mass[i] / model->body_mass[body];
        adr[i] = model->jnt_qposadr[joint];
        model->body_mass[body] = work->mass[i];
        for (int k = 0; k < 3; k++) model->body_inertia[3 * body + k] *= ratio;
    }
    mj_setConst(model, data);
}

// Else they go to a file in the current folder; peer_advance looks at those that matter.
static void ignore_warning(const char *text)
{
    (void)text;
}

static void give_up(const char *text)
{
    fprintf(stderr, "MuJoCo: %s\n", text);
    exit(1);
}

bool peer_open(const peer_workload *workload, int threads)
{
    (void)threads;
    work = workload;
    mju_user_error = give_up;
    mju_user_warning = ignore_warning;
    model = compile();
    if (model == NULL) return false;
    data = mj_makeData(model);
    adr = malloc((size_t)work->n_vert * sizeof *adr);
    if (data == NULL || adr == NULL || model->nflexvert != work->n_vert) return false;
    share_mass();
    return true;
}

bool peer_advance(peer_step *out)
{
    mj_step(model, data);
    out->contacts = (int32_t)data->ncon;
    // After one of these it starts anew, or goes on without some of its contacts.
    static const int bad[] = {mjWARN_INERTIA, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL,
                              mjWARN_BADQPOS, mjWARN_BADQVEL,     mjWARN_BADQACC};
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        if (data->warning[bad[i]].number > 0) return false;
    }
    return true;
}

void peer_get(double *x, double *v)
{
    for (int b = 0; b < work->n_body; b++) {
        const peer_body *body = &work->bodies[b];
        for (int i = 0; i < body->n_vert; i++) {
            for (int k = 0; k < 3; k++) {
                *x++ = body->x[3 * i + k] + data->qpos[adr[body->first + i] + k];
                *v++ = data->qvel[adr[body->first + i] + k];
            }
        }
    }
}

bool peer_set(const double *x, const double *v)
{
    mj_resetData(model, data); // its warnings, too
    for (int b = 0; b < work->n_body; b++) {
        const peer_body *body = &work->bodies[b];
        for (int i = 0; i < 3 * body->n_vert; i++) {
            int at = adr[body->first + i / 3] + i % 3;
            data->qpos[at] = *x++ - body->x[i];
            data->qvel[at] = *v++;
        }
    }
    mj_forward(model, data);
    return true;
}
