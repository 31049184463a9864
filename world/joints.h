// The joints of a world, and the couplings between them. Internal.

#ifndef PL_JOINTS_H
#define PL_JOINTS_H

#include "joint_side.h"
#include "parts.h"

enum {
    PL_JOINT_SWING = PL_JOINT_AXES, // how far x of b is inclined to x of a: a coordinate of its own
    PL_JOINT_COORDINATES,
};

// What a checkpoint has of a joint: numbers only.
typedef struct pl_joint_memory {
    double angle[3], force[3], torque[3], broken;
} pl_joint_memory;

typedef struct pl_joint {
    bool there; // false: it was removed
    pl_joint_kind kind;
    pl_angles angles;
    pl_side a, b;
    pl_joint_axis axes[PL_JOINT_AXES]; // their curves are owned
    double swing, break_force, break_torque;

    // State.
    bool broken;
    double angle[3]; // coordinates 3, 4, 5 at the end of the last step: whole turns are known by it
    double force[3]; // on b at its point in the last step [N]
    double torque[3];      // on b about its point [N m]
    pl_joint_memory saved; // the state before the step

    // Of the step under way.
    pl_pose pose_a, pose_b;             // at its start
    double at[PL_JOINT_COORDINATES];    // coordinates there
    double end[PL_JOINT_COORDINATES];   // and at its end
    double moved[PL_JOINT_COORDINATES]; // by how much they moved in the last one
    double turning[9];                  // axes of the angles, see pl_coordinates_turning
    double motor[PL_JOINT_AXES];        // forces of motors [N, N m]
    double gap, angle_off;              // the most by which a held coordinate is off [m], [rad]
} pl_joint;

typedef struct pl_coupling {
    bool there;
    pl_coupling_options options;
    double start; // the sum when it was added
} pl_coupling;

// What a row of a joint is for.
typedef enum pl_row_kind {
    PL_ROW_HELD,
    PL_ROW_LOW, // an end of the range
    PL_ROW_HIGH,
    PL_ROW_SPRING,
    PL_ROW_MOTOR,
} pl_row_kind;

// A row of a step: see joint_step.h.
typedef struct pl_joint_row {
    pl_row_kind kind;
    int32_t joint, coordinate; // joint: -1 - i of coupling i
    int32_t block, row;        // among the blocks of the step
    double sign;               // -1 where the row has the coordinate the other way round
    double start, target;      // q0, T [m, rad]
    double k, b;               // [N/m, N m/rad], [N s/m, N m s/rad]; 0: hard
} pl_joint_row;

typedef struct pl_joints {
    pl_joint *joint; // (n)
    int64_t n, capacity;
    pl_coupling *coupling; // (n_coupling)
    int64_t n_coupling, coupling_capacity;
    pl_joint_event *event; // (n_event) of the last step
    int64_t n_event, event_capacity;

    // Of the step under way.
    pl_joint_row *row; // (n_row)
    int64_t n_row, row_capacity;
    pl_gradient gradient; // scratch
    double *load;         // (6*n_rigid) forces and torques that are known beforehand [N, N m]
    int64_t load_capacity;
    double *v; // (3*n_block) velocities of the last step
    int64_t v_capacity;
    double *stiffness; // (9*n_rigid) geometric, in A [kg m^2]
    int64_t stiffness_capacity;
    bool stiff; // some of it is not 0
} pl_joints;

void pl_joints_free(pl_joints *joints);

// Removes the joints of the body in a place.
void pl_joints_remove_body(pl_world *world, int32_t place);

static inline bool pl_joint_holds(const pl_joint *joint)
{
    return joint->there && !joint->broken;
}

// Can neither side move: is each asleep, kinematic or the world?
bool pl_joint_rests(const pl_world *world, const pl_joint *joint);

// Is the coordinate held, or what is left of it by a distance?
static inline bool pl_joint_held(const pl_joint_axis *axis)
{
    return axis->lo == axis->hi;
}

// position (PL_JOINT_COORDINATES) := the coordinates of frames at these poses; whole turns are
// those nearest to `near` (3).
void pl_joint_coordinates(const pl_joint *joint, const pl_pose *a, const pl_pose *b,
                          const double near[3], double *position);

// --- Options, checked: PL_ERROR_ARGUMENT names the bad one. joint_options.c ---

pl_status pl_joint_check_positive(const char *name, double value); // 0 or above
pl_status pl_joint_check_range(double lo, double hi);
pl_status pl_joint_check_motor(const pl_motor *motor);
pl_status pl_joint_check_axis_of(int32_t number, const pl_joint_axis *axis);
pl_status pl_joint_check_numbers(const pl_joint_options *options); // all but the axes

// --- Checkpoints: see pl_integrator_ops ---

void pl_joint_remember(const pl_joint *joint, pl_joint_memory *memory);
void pl_joint_recall(pl_joint *joint, const pl_joint_memory *memory);

// The part, to be added while it is packed; NULL if there are no joints.
pl_status pl_joints_list(const pl_world *world, pl_joint_memory **out);
void pl_joints_add_parts(const pl_world *world, const pl_joint_memory *list, pl_parts *parts);
bool pl_joints_check_parts(const pl_world *world, const pl_parts *parts);
void pl_joints_take_parts(pl_world *world, const pl_parts *parts);

#endif
