// ODE on rigid bodies: `setting` is the number of iterations of its quick step, or 0 for its step
// that factorizes. README.md says why each setting is what it is.

#include "trial_peer.h"

#include <ode/ode.h>

#include <stdlib.h>

enum { MOST_CONTACTS = 8 }; // of a pair

static const pl_trial *trial;
static dWorldID world;
static dSpaceID space;
static dJointGroupID contacts;
static dBodyID *bodies; // (n_body)
static bool quick;

static void meet(void *data, dGeomID a, dGeomID b)
{
    (void)data;
    dContact contact[MOST_CONTACTS];
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == NULL && body_b == NULL) return;
    int n = dCollide(a, b, MOST_CONTACTS, &contact[0].geom, sizeof contact[0]);
    for (int i = 0; i < n; i++) {
        contact[i].surface.mode = dContactApprox1;
        contact[i].surface.mu = trial->friction;
        dJointAttach(dJointCreateContact(world, contacts, &contact[i]), body_a, body_b);
    }
}

static void add_body(const pl_trial_body *body, dBodyID *out)
{
    const double *h = body->half, *x = body->start.x, *q = body->start.q;
    double inertia[3];
    dMass mass;
    dQuaternion turn = {q[0], q[1], q[2], q[3]};
    trial_inertia(body, inertia);
    dMassSetParameters(&mass, body->mass, 0, 0, 0, inertia[0], inertia[1], inertia[2], 0, 0, 0);
    dBodyID made = *out = dBodyCreate(world);
    dBodySetMass(made, &mass);
    dBodySetPosition(made, x[0], x[1], x[2]);
    dBodySetQuaternion(made, turn);
    dBodySetLinearVel(made, body->start.v[0], body->start.v[1], body->start.v[2]);
    dBodySetAngularVel(made, body->start.w[0], body->start.w[1], body->start.w[2]);
    if (!trial->touch) return;
    dGeomID geom = body->shape == PL_TRIAL_CAPSULE
                       ? dCreateCapsule(space, h[0], 2 * h[1])
                       : dCreateBox(space, 2 * h[0], 2 * h[1], 2 * h[2]);
    dGeomSetBody(geom, made);
}

static void add_joint(const pl_trial_joint *joint)
{
    dBodyID a = joint->a < 0 ? NULL : bodies[joint->a], b = bodies[joint->b];
    if (joint->kind == PL_TRIAL_BALL) {
        dJointID ball = dJointCreateBall(world, NULL);
        dJointAttach(ball, b, a);
        dJointSetBallAnchor(ball, joint->point[0], joint->point[1], joint->point[2]);
    } else {
        dJointID slider = dJointCreateSlider(world, NULL);
        dJointAttach(slider, b, a);
        dJointSetSliderAxis(slider, joint->axis[0], joint->axis[1], joint->axis[2]);
    }
}

// Of its LCP, in almost every step; what comes of them shows in the poses.
static void ignore_message(int number, const char *text, va_list arguments)
{
    (void)number, (void)text, (void)arguments;
}

bool trial_open(const pl_trial *t, const trial_mesh *mesh, const char *setting)
{
    (void)mesh;
    trial = t;
    dInitODE2(0);
    dSetMessageHandler(ignore_message);
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
    world = dWorldCreate();
    space = dHashSpaceCreate(NULL);
    contacts = dJointGroupCreate(0);
    dWorldSetGravity(world, t->gravity[0], t->gravity[1], t->gravity[2]);
    int iterations = atoi(setting);
    quick = iterations > 0;
    if (quick) dWorldSetQuickStepNumIterations(world, iterations);
    bodies = calloc((size_t)t->n_body, sizeof *bodies);
    if (bodies == NULL) return false;
    for (int32_t i = 0; i < t->n_plane; i++) {
        const double *n = t->plane[i].normal;
        dCreatePlane(space, n[0], n[1], n[2], t->plane[i].offset);
    }
    for (int32_t i = 0; i < t->n_body; i++) add_body(&t->body[i], &bodies[i]);
    for (int32_t i = 0; i < t->n_joint; i++) add_joint(&t->joint[i]);
    return true;
}

bool trial_advance(void)
{
    for (int32_t i = 0; i < trial->n_body; i++) {
        const double *force = trial->body[i].force;
        dBodyAddForce(bodies[i], force[0], force[1], force[2]);
    }
    dSpaceCollide(space, NULL, meet);
    int done = quick ? dWorldQuickStep(world, trial->dt) : dWorldStep(world, trial->dt);
    dJointGroupEmpty(contacts);
    return done != 0;
}

void trial_get(pl_trial_pose *pose)
{
    for (int32_t i = 0; i < trial->n_body; i++) {
        const dReal *x = dBodyGetPosition(bodies[i]), *q = dBodyGetQuaternion(bodies[i]);
        const dReal *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
        for (int k = 0; k < 3; k++) pose[i].x[k] = x[k], pose[i].v[k] = v[k], pose[i].w[k] = w[k];
        for (int k = 0; k < 4; k++) pose[i].q[k] = q[k];
    }
}
