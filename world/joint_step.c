// Joints in a step: where they start, rounds, and what is left of them afterwards.

#include "joint_step.h"
#include "constraint_step.h"
#include "places.h"
#include "warnings.h"

#include <math.h>
#include <string.h>

// A coordinate may be off by so many times the tolerance of contacts before another round is made;
// rounds for joints alone end after this many, and what is left is for the next step, unless it is
// more than this [m, rad]: then the step is too long.
static const double SLACK = 4, TOO_FAR = 1e-4;
enum { JOINT_ROUNDS = 6 };

// --- The start of a step ---

static void begin_joint(const pl_world *world, pl_joint *j)
{
    pl_side_begin(world, &j->a);
    pl_side_begin(world, &j->b);
    pl_pose_compose(&j->a.carrier, &j->a.frame, &j->pose_a);
    pl_pose_compose(&j->b.carrier, &j->b.frame, &j->pose_b);
    for (int k = 0; k < PL_JOINT_COORDINATES; k++) j->moved[k] = fabs(j->end[k] - j->at[k]);
    pl_joint_coordinates(j, &j->pose_a, &j->pose_b, j->angle, j->at);
    pl_coordinates_turning(j->angles, &j->pose_a, j->at + 3, j->turning);
}

// The velocities of the last step, near which those of this one are.
static pl_status note_velocities(pl_world *world)
{
    pl_joints *joints = world->joints;
    int64_t n = 3 * (int64_t)world->system.n_block, n_vert = 3 * (int64_t)world->state.n_vert;
    PL_TRY(pl_reserve((void **)&joints->v, &joints->v_capacity, n, sizeof *joints->v));
    if (n_vert > 0) memcpy(joints->v, world->state.v, (size_t)n_vert * sizeof *joints->v);
    for (int64_t r = 0; r < world->state.n_rigid; r++) {
        const pl_rigid *rigid = &world->state.rigid[r];
        double *v = joints->v + 3 * (int64_t)pl_world_rigid_block(world, (int32_t)r);
        memcpy(v, rigid->v, sizeof rigid->v);
        pl_rigid_omega(rigid, v + 3);
    }
    return PL_OK;
}

pl_status pl_joint_step_begin(pl_world *world)
{
    pl_joints *joints = world->joints;
    if (joints == NULL) return PL_OK;
    joints->n_row = 0;
    for (int32_t i = 0; i < joints->n; i++) {
        if (pl_joint_holds(&joints->joint[i])) begin_joint(world, &joints->joint[i]);
    }
    return note_velocities(world);
}

// --- Rounds ---

// L v of one row.
static double row_velocity(const pl_problem *problem, const pl_joint_row *row, const double *v)
{
    const pl_constraint *c = &problem->constraint[row->block];
    const double *e = c->R + 3 * row->row;
    double sum = 0;
    for (int32_t t = c->first; t < c->first + c->count; t++) {
        const pl_entry *entry = &problem->entry[t];
        const double *u = v + 3 * (int64_t)entry->block;
        double turned[3];
        pl_cross(u, pl_entry_arm(problem, entry), turned);
        sum += entry->w * pl_dot(e, u) + pl_dot(e, turned);
    }
    return sum;
}

// w (3) += sign times the angular velocity of a side in the step, as far as it counts whole turns.
static void add_angular_velocity(const pl_world *world, const pl_side *side, const pl_instant *when,
                                 double sign, double w[3])
{
    if (side->kind != PL_SIDE_RIGID && side->kind != PL_SIDE_KINEMATIC) return;
    const pl_world_body *b = &world->bodies.body[side->body];
    double u[6] = {0}, at[3] = {0};
    if (side->kind == PL_SIDE_KINEMATIC) {
        pl_path_step(&b->path, world->time, when->t, at, u);
    } else {
        memcpy(u + 3, when->v + 3 * (int64_t)(pl_world_rigid_block(world, b->rigid) + 1),
               3 * sizeof *u);
    }
    for (int k = 0; k < 3; k++) w[k] += sign * u[3 + k];
}

// end := the coordinates at the end of the step, at the time t, with the velocities v.
static void find_ends(pl_world *world, const double *v, double t)
{
    const pl_instant when = {v, t};
    pl_places_move_rigid(world, v);
    for (int64_t i = 0; i < world->joints->n; i++) {
        pl_joint *j = &world->joints->joint[i];
        pl_pose a, b;
        double near[3], w[3] = {0};
        if (!pl_joint_holds(j)) continue;
        add_angular_velocity(world, &j->b, &when, 1, w);
        add_angular_velocity(world, &j->a, &when, -1, w);
        for (int k = 0; k < 3; k++)
            near[k] = j->at[3 + k] + world->dt * pl_dot(j->turning + 3 * k, w);
        pl_side_pose(world, &j->a, &when, &a);
        pl_side_pose(world, &j->b, &when, &b);
        pl_joint_coordinates(j, &a, &b, near, j->end);
    }
}

// q(v) of a row.
static double row_end(const pl_joints *joints, const pl_joint_row *row)
{
    if (row->joint < 0) return pl_coupling_sum(joints, &joints->coupling[-1 - row->joint], true);
    return joints->joint[row->joint].end[row->coordinate];
}

void pl_joint_step_update(pl_world *world, double t, bool first)
{
    pl_joints *joints = world->joints;
    if (joints == NULL) return;
    pl_problem *problem = &world->constraints->blocks.problem;
    const double *v = first ? joints->v : world->system.v_new;
    double dt = world->dt;
    find_ends(world, v, t);
    for (int64_t i = 0; i < joints->n_row; i++) {
        const pl_joint_row *row = &joints->row[i];
        double q = row->sign * row_end(joints, row),
               eps = pl_joint_compliance(world, row->k, row->b);
        double far = q - row->sign * row->target, moved = q - row->sign * row->start;
        double c = row_velocity(problem, row, v);
        c -= eps > 0 ? eps * (dt * row->k * far + row->b * moved) : far / dt;
        problem->constraint[row->block].c[row->row] = c;
    }
}

// By how much a row that is hard is off.
static double row_error(const pl_joints *joints, const pl_joint_row *row)
{
    bool end = row->kind == PL_ROW_LOW || row->kind == PL_ROW_HIGH;
    if (row->k > 0 || row->b > 0 || (row->kind != PL_ROW_HELD && !end)) return 0;
    double far = row->sign * (row_end(joints, row) - row->target);
    return end ? PL_MAX(0, -far) : fabs(far);
}

int32_t pl_joint_step_worst(const pl_world *world, double *error)
{
    const pl_joints *joints = world->joints;
    int32_t worst = -1;
    *error = 0;
    for (int64_t i = 0; joints != NULL && i < joints->n_row; i++) {
        const pl_joint_row *row = &joints->row[i];
        double off = row_error(joints, row);
        if (off <= *error) continue;
        *error = off;
        worst = row->joint >= 0 ? row->joint : joints->coupling[-1 - row->joint].options.joint[0];
    }
    return worst;
}

void pl_joint_step_test(pl_world *world, double t, int32_t round, bool *clear)
{
    double most;
    if (world->joints == NULL) return;
    find_ends(world, world->system.v_new, t);
    pl_joint_step_worst(world, &most);
    if (world->constraints->contradicting) return; // no round brings them together
    double tolerance = SLACK * world->constraints->options.contact_tolerance;
    if (most > tolerance && round + 1 < JOINT_ROUNDS) *clear = false;
    if (most > TOO_FAR) *clear = false;
}

// --- After the rounds ---

// The body of a vertex, which is one of those of a joint or coupling.
static pl_world_body *owner(pl_world *world, int32_t joint, int32_t vertex)
{
    const pl_joints *joints = world->joints;
    const pl_coupling_options *o = joint < 0 ? &joints->coupling[-1 - joint].options : NULL;
    for (int32_t i = 0; i < (o != NULL ? o->n : 1); i++) {
        const pl_joint *j = &joints->joint[o != NULL ? o->joint[i] : joint];
        for (int side = 0; side < 2; side++) {
            int32_t place = side == 0 ? j->a.body : j->b.body;
            pl_world_body *b = place >= 0 ? &world->bodies.body[place] : NULL;
            if (b == NULL || b->kind != PL_BODY_DEFORMABLE) continue;
            if (vertex >= b->first && vertex < b->first + b->mesh->n_vert) return b;
        }
    }
    return NULL;
}

void pl_joint_step_sum(pl_world *world)
{
    if (world->joints == NULL) return;
    const pl_blocks *blocks = &world->constraints->blocks;
    for (int32_t i = 0; i < blocks->problem.n_constraint; i++) {
        if (blocks->id[i].kind < PL_BLOCK_OTHER) continue;
        const pl_constraint *c = &blocks->problem.constraint[i];
        double F[3];
        pl_blocks_impulse(blocks, i, F);
        for (int32_t t = c->first; t < c->first + c->count; t++) {
            const pl_entry *entry = &blocks->problem.entry[t];
            if (entry->block >= world->state.n_vert) continue;
            double J[3], about[3];
            pl_cross(pl_entry_arm(&blocks->problem, entry), F, J);
            for (int k = 0; k < 3; k++) J[k] += entry->w * F[k];
            pl_cross(world->state.x + 3 * (int64_t)entry->block, J, about);
            pl_world_body *b = owner(world, blocks->id[i].a, entry->block);
            for (int k = 0; k < 3; k++) {
                b->impulse[k] += J[k];
                b->angular_impulse[k] += about[k];
            }
        }
    }
}

// The force f along a coordinate, as force and torque on b.
static void add_force(pl_joint *j, int32_t coordinate, double f)
{
    double d[3], R[9];
    if (j->kind == PL_JOINT_DISTANCE) {
        pl_subtract(j->pose_b.x, j->pose_a.x, d);
        for (int k = 0; k < 3 && j->at[0] > 0; k++) j->force[k] += f * d[k] / j->at[0];
        return;
    }
    if (coordinate < 3) {
        pl_rotation_matrix(j->pose_a.q, R);
        for (int k = 0; k < 3; k++) j->force[k] += f * R[3 * k + coordinate];
        return;
    }
    double swing = j->at[PL_JOINT_SWING];
    for (int k = 0; k < 3; k++) {
        double along = coordinate < PL_JOINT_SWING ? j->turning[3 * (coordinate - 3) + k]
                       : swing > 0
                           ? (j->at[4] * j->turning[3 + k] + j->at[5] * j->turning[6 + k]) / swing
                           : 0;
        j->torque[k] += f * along;
    }
}

void pl_joint_step_forces(pl_world *world)
{
    pl_joints *joints = world->joints;
    const pl_blocks *blocks = &world->constraints->blocks;
    for (int64_t i = 0; i < joints->n; i++) {
        pl_joint *j = &joints->joint[i];
        if (pl_joint_rests(world, j)) continue; // it bears what it bore when it fell asleep
        memset(j->force, 0, sizeof j->force);
        memset(j->torque, 0, sizeof j->torque);
        memset(j->motor, 0, sizeof j->motor);
        for (int32_t k = 0; k < PL_JOINT_AXES && pl_joint_holds(j); k++) {
            bool motor;
            double load = pl_joint_load(j, k, &motor);
            if (load != 0) add_force(j, k, load);
            if (motor) j->motor[k] = load;
        }
    }
    for (int64_t i = 0; i < joints->n_row; i++) {
        const pl_joint_row *row = &joints->row[i];
        double f = row->sign * blocks->f[3 * (int64_t)row->block + row->row] / world->dt;
        if (row->joint >= 0) {
            pl_joint *j = &joints->joint[row->joint];
            add_force(j, row->coordinate, f);
            if (row->kind == PL_ROW_MOTOR) j->motor[row->coordinate] += f;
            continue;
        }
        const pl_coupling_options *o = &joints->coupling[-1 - row->joint].options;
        for (int k = 0; k < o->n; k++)
            add_force(&joints->joint[o->joint[k]], o->axis[k], o->ratio[k] * f);
    }
}

static bool is_driven(const pl_joint *j)
{
    return j->a.kind == PL_SIDE_KINEMATIC || j->b.kind == PL_SIDE_KINEMATIC;
}

double pl_joint_step_work(const pl_world *world)
{
    const pl_joints *joints = world->joints;
    double work = 0;
    if (joints == NULL) return 0;
    const pl_blocks *blocks = &world->constraints->blocks;
    for (int64_t i = 0; i < joints->n_row; i++) {
        const pl_joint_row *row = &joints->row[i];
        bool driven = row->joint >= 0 && is_driven(&joints->joint[row->joint]);
        if (row->kind != PL_ROW_MOTOR && !driven) continue;
        double f = blocks->f[3 * (int64_t)row->block + row->row];
        work += f * row_velocity(&blocks->problem, row, world->system.v_new);
    }
    for (int64_t i = 0; i < joints->n; i++) {
        const pl_joint *j = &joints->joint[i];
        for (int32_t k = 0; k < PL_JOINT_AXES && pl_joint_holds(j); k++) {
            bool motor;
            double load = pl_joint_load(j, k, &motor);
            if (motor) work += load * (j->end[k] - j->at[k]);
        }
    }
    return work;
}

// The most by which held coordinates are off.
static void measure(pl_joint *j, pl_step_stats *stats)
{
    j->gap = j->angle_off = 0;
    for (int k = 0; k < PL_JOINT_AXES; k++) {
        const pl_joint_axis *axis = &j->axes[k];
        if (axis->stiffness > 0 || axis->damping > 0) continue;
        double off = PL_MAX(axis->lo - j->end[k], j->end[k] - axis->hi);
        if (j->kind == PL_JOINT_DISTANCE && k > 0) continue;
        double *most = k < 3 ? &j->gap : &j->angle_off;
        *most = PL_MAX(*most, off);
    }
    stats->joint_gap = PL_MAX(stats->joint_gap, j->gap);
    stats->joint_angle = PL_MAX(stats->joint_angle, j->angle_off);
}

static void warn_contradicting(pl_world *world)
{
    double off;
    char text[2][PL_BODY_NAME];
    int32_t worst = pl_joint_step_worst(world, &off);
    if (worst < 0 || !pl_warn_first(world, PL_WARNING_JOINTS)) return;
    const pl_joint *j = &world->joints->joint[worst];
    const char *a = j->a.body < 0 ? "the world" : pl_world_body_name(world, j->a.body, text[0]);
    const char *b = j->b.body < 0 ? "the world" : pl_world_body_name(world, j->b.body, text[1]);
    pl_log(PL_LOG_WARNING,
           "step %lld: joints contradict each other: joint %d of %s and %s stays off by %.3g (m or "
           "rad); bodies are where that is least",
           (long long)world->steps + 1, (int)worst, a, b, off);
}

void pl_joint_step_finish(pl_world *world, pl_step_stats *stats)
{
    pl_joints *joints = world->joints;
    if (joints == NULL) return;
    pl_joint_step_forces(world);
    if (world->constraints->contradicting) warn_contradicting(world);
    for (int64_t i = 0; i < joints->n; i++) {
        pl_joint *j = &joints->joint[i];
        if (!pl_joint_holds(j)) continue;
        memcpy(j->angle, j->end + 3, sizeof j->angle);
        measure(j, stats);
        double force = sqrt(pl_dot(j->force, j->force)),
               torque = sqrt(pl_dot(j->torque, j->torque));
        j->broken = force > j->break_force || torque > j->break_torque;
        if (j->broken)
            joints->event[joints->n_event++] = (pl_joint_event){(int32_t)i, force, torque};
    }
}

void pl_joint_step_save(pl_world *world)
{
    pl_joints *joints = world->joints;
    if (joints == NULL) return;
    joints->n_event = 0;
    for (int64_t i = 0; i < joints->n; i++)
        pl_joint_remember(&joints->joint[i], &joints->joint[i].saved);
}

void pl_joint_step_go_back(pl_world *world)
{
    pl_joints *joints = world->joints;
    if (joints == NULL) return;
    joints->n_event = 0;
    for (int64_t i = 0; i < joints->n; i++)
        pl_joint_recall(&joints->joint[i], &joints->joint[i].saved);
}
