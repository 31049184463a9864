// Bullet's deformable bodies. The only C++ of the project besides TetGen's: Bullet has no other
// interface. README.md says why each setting is what it is.

#include "peer.h"

#include <btBulletDynamicsCommon.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <cmath>
#include <cstdlib>
#include <vector>

static const peer_workload *work;
static btDeformableMultiBodyDynamicsWorld *world;
static std::vector<btSoftBody *> bodies;

// From the environment, for those who want to try others.
static double setting(const char *name, double usual)
{
    const char *text = getenv(name);
    return text != nullptr ? atof(text) : usual;
}

static btVector3 vector(const double *x)
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

static void make_world()
{
    auto *configuration = new btSoftBodyRigidBodyCollisionConfiguration();
    auto *deformables = new btDeformableBodySolver();
    auto *solver = new btDeformableMultiBodyConstraintSolver();
    solver->setDeformableSolver(deformables);
    world = new btDeformableMultiBodyDynamicsWorld(new btCollisionDispatcher(configuration),
                                                   new btDbvtBroadphase(), solver, configuration,
                                                   deformables);
    btVector3 gravity = vector(work->gravity);
    world->setGravity(gravity);
    world->getWorldInfo().m_gravity = gravity;
    world->getWorldInfo().m_sparsesdf.setDefaultVoxelsz(btScalar(0.25));
    world->getWorldInfo().m_sparsesdf.Reset();
    world->setImplicit(setting("PEER_BULLET_IMPLICIT", 1) != 0);
    world->setLineSearch(false);
    world->setUseProjection(true);
    btContactSolverInfo &info = world->getSolverInfo();
    info.m_deformable_erp = btScalar(0.3);
    info.m_deformable_maxErrorReduction = btScalar(200);
    info.m_leastSquaresResidualThreshold = btScalar(1e-3);
    info.m_splitImpulse = true;
    info.m_numIterations = 100;
}

static void add_wall(const double lo[3], const double hi[3], btScalar friction)
{
    btVector3 half = (vector(hi) - vector(lo)) * btScalar(0.5);
    btTransform place(btQuaternion::getIdentity(), (vector(hi) + vector(lo)) * btScalar(0.5));
    btRigidBody::btRigidBodyConstructionInfo info(0, new btDefaultMotionState(place),
                                                  new btBoxShape(half));
    auto *wall = new btRigidBody(info);
    wall->setFriction(friction);
    world->addRigidBody(wall);
}

static btSoftBody *make_body(const peer_body &body, btScalar friction)
{
    std::vector<btVector3> x;
    std::vector<btScalar> mass;
    for (int i = 0; i < body.n_vert; i++) {
        x.push_back(vector(body.x + 3 * i));
        mass.push_back(btScalar(body.mass[i]));
    }
    auto *soft = new btSoftBody(&world->getWorldInfo(), body.n_vert, x.data(), mass.data());
    for (int i = 0; i < body.n_tet; i++) {
        const int32_t *t = body.tet + 4 * i;
        soft->appendTetra(t[0], t[1], t[2], t[3]);
        for (int k = 0; k < 6; k++) { // its trees are built along the links; they bear no force
            static const int end[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
            soft->appendLink(t[end[k][0]], t[end[k][1]], nullptr, true);
        }
    }
    btSoftBodyHelpers::generateBoundaryFaces(soft);
    soft->initializeDmInverse();
    soft->m_tetraScratches.resize(soft->m_tetras.size());
    soft->m_tetraScratchesTn.resize(soft->m_tetras.size());
    soft->getCollisionShape()->setMargin(btScalar(setting("PEER_BULLET_MARGIN", 0.005)));
    soft->setSpringStiffness(btScalar(setting("PEER_BULLET_SPRING", 1e4)));
    soft->m_cfg.kKHR = 1;
    soft->m_cfg.kCHR = 1;
    soft->m_cfg.kDF = friction;
    soft->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN |
                             btSoftBody::fCollision::VF_DD;
    soft->setSelfCollision(setting("PEER_BULLET_SELF", 0) != 0);
    soft->m_sleepingThreshold = 0;
    soft->setActivationState(DISABLE_DEACTIVATION);
    return soft;
}

bool peer_open(const peer_workload *workload, int)
{
    work = workload;
    make_world();
    // Bullet multiplies the coefficients of both sides.
    auto friction = btScalar(std::sqrt(work->friction));
    const double lo[3] = {-20, -20, -5}, hi[3] = {20, 20, 0};
    add_wall(lo, hi, friction);
    for (int i = 0; i < work->n_box; i++) add_wall(work->box[i].lo, work->box[i].hi, friction);
    auto *elastic = new btDeformableLinearElasticityForce();
    elastic->setYoungsModulus(btScalar(work->young));
    elastic->setPoissonRatio(btScalar(work->poisson));
    bool damped = setting("PEER_BULLET_DAMPED", 0) != 0;
    elastic->setDamping(btScalar(damped ? 0.1 : 0), btScalar(damped ? 0.01 : 0));
    auto *gravity = new btDeformableGravityForce(world->getGravity());
    for (int i = 0; i < work->n_body; i++) {
        bodies.push_back(make_body(work->bodies[i], friction));
        world->addSoftBody(bodies.back());
        world->addForce(bodies.back(), gravity);
        world->addForce(bodies.back(), elastic);
    }
    return true;
}

bool peer_advance(peer_step *out)
{
    world->stepSimulation(btScalar(work->dt), 0);
    for (btSoftBody *body : bodies) {
        out->contacts += body->m_nodeRigidContacts.size() + body->m_faceNodeContacts.size();
    }
    return true;
}

void peer_get(double *x, double *v)
{
    for (btSoftBody *body : bodies) {
        for (int i = 0; i < body->m_nodes.size(); i++) {
            for (int k = 0; k < 3; k++) *x++ = double(body->m_nodes[i].m_x[k]);
            for (int k = 0; k < 3; k++) *v++ = double(body->m_nodes[i].m_v[k]);
        }
    }
}

bool peer_set(const double *x, const double *v)
{
    for (btSoftBody *body : bodies) {
        for (int i = 0; i < body->m_nodes.size(); i++, x += 3, v += 3) {
            btSoftBody::Node &node = body->m_nodes[i];
            node.m_x = node.m_q = vector(x);
            node.m_v = node.m_vn = vector(v);
        }
    }
    return true;
}
