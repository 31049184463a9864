// Bullet on rigid bodies: sequential impulses, `setting` is the number of iterations. README.md
// says why each setting is what it is.

#include "trial_peer.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdlib>
#include <vector>

static const pl_trial *trial;
static btDiscreteDynamicsWorld *world;
static std::vector<btRigidBody *> bodies;

static btVector3 vector(const double *x)
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

static btRigidBody *add(btCollisionShape *shape, double mass, const btVector3 &inertia,
                        const btTransform &place)
{
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), new btDefaultMotionState(place),
                                                  shape, inertia);
    // Bullet multiplies the coefficients of both sides.
    info.m_friction = btScalar(std::sqrt(trial->friction));
    auto *body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    if (trial->touch) {
        world->addRigidBody(body);
    } else {
        world->addRigidBody(body, 0, 0);
    }
    return body;
}

// A box of 40 m below the plane: Bullet finds up to four contacts of two boxes at once, but only
// one of a box and a plane.
static void add_plane(const pl_trial_plane &plane)
{
    const btScalar half = 20;
    btVector3 normal = vector(plane.normal);
    btTransform place(shortestArcQuat(btVector3(0, 0, 1), normal),
                      normal * (btScalar(plane.offset) - half));
    add(new btBoxShape(btVector3(half, half, half)), 0, btVector3(0, 0, 0), place);
}

static void add_body(const pl_trial_body &body)
{
    const double *h = body.half, *q = body.start.q;
    btCollisionShape *shape;
    if (body.shape == PL_TRIAL_CAPSULE) {
        shape = new btCapsuleShapeZ(btScalar(h[0]), btScalar(2 * h[1]));
    } else {
        shape = new btBoxShape(vector(h));
    }
    double inertia[3];
    trial_inertia(&body, inertia);
    btTransform place{btQuaternion{btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])},
                      vector(body.start.x)};
    btRigidBody *out = add(shape, body.mass, vector(inertia), place);
    out->setLinearVelocity(vector(body.start.v));
    out->setAngularVelocity(vector(body.start.w));
    bodies.push_back(out);
}

static void add_joint(const pl_trial_joint &joint)
{
    btRigidBody *b = bodies[size_t(joint.b)];
    const double *x = trial->body[joint.b].start.x;
    btTypedConstraint *out;
    if (joint.kind == PL_TRIAL_SLIDER) { // from the world, along x of its frame
        btTransform frame(shortestArcQuat(btVector3(1, 0, 0), vector(joint.axis)),
                          btVector3(0, 0, 0));
        auto *slider = new btSliderConstraint(*b, frame, true);
        slider->setLowerLinLimit(1); // above the upper one: it is free
        slider->setUpperLinLimit(-1);
        slider->setLowerAngLimit(0);
        slider->setUpperAngLimit(0);
        out = slider;
    } else if (joint.a < 0) {
        out = new btPoint2PointConstraint(*b, vector(joint.point) - vector(x));
    } else {
        out =
            new btPoint2PointConstraint(*bodies[size_t(joint.a)], *b,
                                        vector(joint.point) - vector(trial->body[joint.a].start.x),
                                        vector(joint.point) - vector(x));
    }
    world->addConstraint(out, true);
}

bool trial_open(const pl_trial *t, const trial_mesh *, const char *setting)
{
    trial = t;
    auto *configuration = new btDefaultCollisionConfiguration();
    world = new btDiscreteDynamicsWorld(new btCollisionDispatcher(configuration),
                                        new btDbvtBroadphase(),
                                        new btSequentialImpulseConstraintSolver(), configuration);
    world->setGravity(vector(t->gravity));
    world->getSolverInfo().m_numIterations = atoi(setting);
    for (int i = 0; i < t->n_plane; i++) add_plane(t->plane[i]);
    for (int i = 0; i < t->n_body; i++) add_body(t->body[i]);
    for (int i = 0; i < t->n_joint; i++) add_joint(t->joint[i]);
    return true;
}

bool trial_advance(void)
{
    for (int i = 0; i < trial->n_body; i++) {
        bodies[size_t(i)]->applyCentralForce(vector(trial->body[i].force));
    }
    world->stepSimulation(btScalar(trial->dt), 0);
    return true;
}

void trial_get(pl_trial_pose *pose)
{
    for (btRigidBody *body : bodies) {
        const btTransform &place = body->getWorldTransform();
        btQuaternion q = place.getRotation();
        q.normalize();
        for (int k = 0; k < 3; k++) {
            pose->x[k] = double(place.getOrigin()[k]);
            pose->v[k] = double(body->getLinearVelocity()[k]);
            pose->w[k] = double(body->getAngularVelocity()[k]);
        }
        pose->q[0] = double(q.w());
        pose->q[1] = double(q.x()), pose->q[2] = double(q.y()), pose->q[3] = double(q.z());
        pose++;
    }
}
