// Bodies and joints for tests of mechanisms.

#ifndef PL_TESTS_MECHANISMS_H
#define PL_TESTS_MECHANISMS_H

#include "worlds.h"

#include <math.h>

static const double G = 9.81; // [m/s^2]

// A world without contact in steps of dt.
static inline pl_world *joint_world(double dt)
{
    pl_world_options options = no_contact();
    options.dt = dt;
    return make_world(&options);
}

// A rigid shape with its centre at x, y, z.
static inline int32_t add_rigid_at(pl_world *world, const char *shape, double mass, double x,
                                   double y, double z)
{
    pl_mesh *mesh = make_mesh(shape);
    const double m[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    pl_rigid_options options = pl_rigid_options_default();
    int32_t body = -1;
    options.mass = mass;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    pl_status status = pl_world_add_rigid(world, mesh, &options, &body);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

// Options of a joint at a point, along an axis.
static inline pl_joint_options joint_at(pl_joint_kind kind, int32_t a, int32_t b, double x,
                                        double y, double z, double ax, double ay, double az)
{
    pl_joint_options o = pl_joint_options_default(kind);
    const double point[3] = {x, y, z}, axis[3] = {ax, ay, az};
    o.body_a = a;
    o.body_b = b;
    memcpy(o.point_a, point, sizeof point);
    memcpy(o.axis, axis, sizeof axis);
    return o;
}

static inline int32_t add_joint(pl_world *world, const pl_joint_options *o)
{
    int32_t joint = -1;
    pl_status status = pl_world_add_joint(world, o, &joint);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    return joint;
}

static inline pl_joint_state joint_state(const pl_world *world, int32_t joint)
{
    pl_joint_state state;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_joint_state(world, joint, &state));
    return state;
}

static inline pl_frame frame_of(const pl_world *world, int32_t body)
{
    pl_frame frame;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, body, &frame));
    return frame;
}

static inline void set_velocities(pl_world *world, int32_t body, const double v[3],
                                  const double w[3])
{
    pl_frame frame = frame_of(world, body);
    memcpy(frame.velocity, v, sizeof frame.velocity);
    memcpy(frame.angular_velocity, w, sizeof frame.angular_velocity);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, body, &frame));
}

static inline void set_motor(pl_world *world, int32_t joint, int32_t axis, pl_motor_mode mode,
                             double target, double max_force)
{
    pl_motor motor = pl_motor_default();
    motor.mode = mode;
    motor.target = target;
    motor.max_force = max_force;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_set_motor(world, joint, axis, &motor),
                              pl_error_text());
}

// Couples two coordinates.
static inline int32_t couple(pl_world *world, int32_t joint_a, int32_t axis_a, double ratio_a,
                             int32_t joint_b, int32_t axis_b, double ratio_b)
{
    pl_coupling_options o = pl_coupling_options_default();
    int32_t coupling = -1;
    o.n = 2;
    o.joint[0] = joint_a, o.axis[0] = axis_a, o.ratio[0] = ratio_a;
    o.joint[1] = joint_b, o.axis[1] = axis_b, o.ratio[1] = ratio_b;
    pl_status status = pl_world_add_coupling(world, &o, &coupling);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    return coupling;
}

static inline double mechanical_energy(pl_world *world)
{
    pl_energy e;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_energy(world, &e), pl_error_text());
    return e.kinetic + e.gravity;
}

// Steps, and returns the most by which a joint was off in m or rad.
static inline double step_joints(pl_world *world, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        pl_step_stats stats;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        most = fmax(most, fmax(stats.joint_gap, stats.joint_angle));
    }
    return most;
}

#endif
