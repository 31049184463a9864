// The rows of joints in a step: see joint_step.h.

#include "joint_step.h"
#include "constraint_step.h"
#include "../solvers/anchor.h"

#include <math.h>
#include <string.h>

// An end of a range gets a row if the coordinate is nearer to it than so many times what it moved
// in the last step, and this part of the range, or of 1 m or rad.
static const double REACH_STEPS = 8, REACH_PART = 0.05;

// --- Rows ---

static const pl_limits BILATERAL = {.law = PL_LAW_BOX,
                                    .lo = {-INFINITY, -INFINITY, -INFINITY},
                                    .hi = {INFINITY, INFINITY, INFINITY}};
static const pl_limits UNUSED = {.law = PL_LAW_BOX};

static void set_row(pl_limits *limits, int row, double lo, double hi, double compliance)
{
    limits->lo[row] = lo;
    limits->hi[row] = hi;
    limits->compliance[row] = compliance;
}

double pl_joint_compliance(const pl_world *world, double k, double b)
{
    double stiff = world->dt * b + world->dt * world->dt * k;
    return stiff > 0 ? 1 / stiff : 0;
}

static pl_status note_row(pl_world *world, const pl_joint_row *row)
{
    pl_joints *j = world->joints;
    PL_TRY(pl_reserve((void **)&j->row, &j->row_capacity, j->n_row + 1, sizeof *j->row));
    j->row[j->n_row++] = *row;
    return PL_OK;
}

static pl_block_id block_id(int32_t joint, int32_t what)
{
    return (pl_block_id){.kind = PL_BLOCK_OTHER, .a = joint, .b = what};
}

// Identities of a joint's blocks: its places, its angles, and single rows by coordinate and kind.
enum { PLACES = 0, ANGLES = 1, SINGLE = 2, KINDS = 8 };

// e, and two vectors across it.
static void frame_of(const double e[3], double R[9])
{
    int least = fabs(e[0]) <= fabs(e[1]) ? 0 : 1;
    least = fabs(e[2]) < fabs(e[least]) ? 2 : least;
    double other[3] = {least == 0, least == 1, least == 2};
    memcpy(R, e, 3 * sizeof *e);
    pl_cross(e, other, R + 6);
    double length = sqrt(pl_dot(R + 6, R + 6));
    for (int k = 6; k < 9; k++) R[k] /= length;
    pl_cross(R + 6, e, R + 3);
}

// Appends a block of one row, whose gradient is the world's: any d is e . (w v + v x r) with
// w = e . d and r = e x d, for a unit vector e.
static pl_status add_single(pl_world *world, pl_joint_row row, double lo, double hi)
{
    const pl_gradient *g = &world->joints->gradient;
    pl_blocks *blocks = &world->constraints->blocks;
    pl_constraint constraint = {0};
    pl_limits limits = UNUSED;
    pl_term term[PL_GRADIENT_MOST];
    double e[3] = {1, 0, 0};
    if (g->n == 0) return PL_OK;
    double length = sqrt(pl_dot(g->d[0], g->d[0]));
    for (int k = 0; k < 3 && length > 0; k++) e[k] = g->d[0][k] / length;
    frame_of(e, constraint.R);
    for (int32_t t = 0; t < g->n; t++) {
        term[t] = (pl_term){.block = g->block[t], .w = row.sign * pl_dot(e, g->d[t])};
        pl_cross(e, g->d[t], term[t].r);
        for (int k = 0; k < 3; k++) term[t].r[k] *= row.sign;
    }
    set_row(&limits, 0, lo, hi, pl_joint_compliance(world, row.k, row.b));
    row.block = blocks->problem.n_constraint;
    row.row = 0;
    pl_block_id id = block_id(row.joint, SINGLE + KINDS * row.coordinate + (int32_t)row.kind);
    PL_TRY(pl_blocks_add(blocks, &id, false, true, &constraint, &limits, g->n, term));
    return note_row(world, &row);
}

// The gradient of a coordinate, added to the world's.
static void add_gradient(pl_world *world, const pl_joint *j, int32_t coordinate, double scale)
{
    pl_gradient *g = &world->joints->gradient;
    double d[3], R[9];
    if (j->kind == PL_JOINT_DISTANCE) {
        pl_subtract(j->pose_b.x, j->pose_a.x, d);
        for (int k = 0; k < 3; k++) d[k] = j->at[0] > 0 ? d[k] / j->at[0] : k == 0;
        pl_gradient_add_point(world, &j->b, j->pose_b.x, d, scale, g);
        pl_gradient_add_point(world, &j->a, j->pose_a.x, d, -scale, g);
    } else if (coordinate < 3) {
        // a's axis turns with it: what counts is its point where b's is.
        pl_rotation_matrix(j->pose_a.q, R);
        for (int k = 0; k < 3; k++) d[k] = R[3 * k + coordinate];
        pl_gradient_add_point(world, &j->b, j->pose_b.x, d, scale, g);
        pl_gradient_add_point(world, &j->a, j->pose_b.x, d, -scale, g);
    } else {
        const double *y = j->turning + 3, *z = j->turning + 6;
        double swing = j->at[PL_JOINT_SWING];
        memcpy(d, j->turning + 3 * ((coordinate - 3) % 3), sizeof d);
        for (int k = 0; k < 3 && coordinate == PL_JOINT_SWING; k++)
            d[k] = swing > 0 ? (j->at[4] * y[k] + j->at[5] * z[k]) / swing : y[k];
        pl_gradient_add_turning(world, &j->b, d, scale, g);
        pl_gradient_add_turning(world, &j->a, d, -scale, g);
    }
}

static void start_gradient(pl_world *world, const pl_joint *j, int32_t coordinate)
{
    world->joints->gradient.n = 0;
    add_gradient(world, j, coordinate, 1);
}

// --- What holds a joint ---

static bool is_patch(const pl_joint *j)
{
    return j->a.kind == PL_SIDE_PATCH || j->b.kind == PL_SIDE_PATCH;
}

// The terms of w times the velocity of the side's body at p.
static int32_t point_terms(const pl_world *world, const pl_side *side, const double p[3], double w,
                           pl_term *term)
{
    if (side->kind == PL_SIDE_WORLD || side->kind == PL_SIDE_KINEMATIC) return 0;
    const pl_world_body *b = &world->bodies.body[side->body];
    pl_anchor anchor = {.angular = -1};
    if (side->kind == PL_SIDE_RIGID) {
        anchor = pl_anchor_rigid(pl_world_rigid_block(world, b->rigid), side->carrier.x, p);
    } else {
        anchor.n = side->n;
        for (int32_t i = 0; i < side->n; i++) {
            anchor.block[i] = b->first + side->vertex[i];
            anchor.weight[i] = side->weight[i];
        }
    }
    return pl_anchor_terms(&anchor, w, term);
}

static int32_t turning_terms(const pl_world *world, const pl_side *side, double w, pl_term *term)
{
    if (side->kind != PL_SIDE_RIGID) return 0;
    int32_t block = pl_world_rigid_block(world, world->bodies.body[side->body].rigid);
    term[0] = (pl_term){.block = block + 1, .w = w};
    return 1;
}

static pl_joint_row held_row(const pl_world *world, int32_t joint, int32_t coordinate)
{
    const pl_joint *j = &world->joints->joint[joint];
    const pl_joint_axis *axis = &j->axes[coordinate];
    return (pl_joint_row){.kind = PL_ROW_HELD,
                          .joint = joint,
                          .coordinate = coordinate,
                          .sign = 1,
                          .start = j->at[coordinate],
                          .target = axis->lo,
                          .k = axis->stiffness,
                          .b = axis->damping};
}

// One block for the held ones of three coordinates, `first` = 0 or 3, along the axes of a.
static pl_status add_block(pl_world *world, int32_t joint, int32_t first, int32_t n_term,
                           const pl_term *term)
{
    const pl_joint *j = &world->joints->joint[joint];
    pl_blocks *blocks = &world->constraints->blocks;
    pl_constraint constraint = {0};
    pl_limits limits = BILATERAL;
    double R[9];
    pl_rotation_matrix(j->pose_a.q, R);
    for (int k = 0; k < 9; k++) constraint.R[k] = R[3 * (k % 3) + k / 3];
    for (int k = 0; k < 3; k++) {
        const pl_joint_axis *axis = &j->axes[first + k];
        bool held = pl_joint_held(axis);
        double eps = held ? pl_joint_compliance(world, axis->stiffness, axis->damping) : 0;
        set_row(&limits, k, held ? -INFINITY : 0, held ? INFINITY : 0, eps);
        pl_joint_row row = held_row(world, joint, first + k);
        row.block = blocks->problem.n_constraint;
        row.row = k;
        if (held) PL_TRY(note_row(world, &row));
    }
    pl_block_id id = block_id(joint, first == 0 ? PLACES : ANGLES);
    return pl_blocks_add(blocks, &id, false, true, &constraint, &limits, n_term, term);
}

// The held coordinates: in blocks of three where they are velocities along the axes of a, else row
// by row.
static pl_status add_held(pl_world *world, int32_t joint)
{
    const pl_joint *j = &world->joints->joint[joint];
    const pl_joint_axis *axes = j->axes;
    bool distance = j->kind == PL_JOINT_DISTANCE, patch = is_patch(j);
    bool done[PL_JOINT_AXES] = {0};
    pl_term term[2 * PL_ANCHOR_TERMS];
    bool places = pl_joint_held(&axes[0]) || pl_joint_held(&axes[1]) || pl_joint_held(&axes[2]);
    if (places && !patch && !distance) {
        int32_t n = point_terms(world, &j->b, j->pose_b.x, 1, term);
        n += point_terms(world, &j->a, j->pose_b.x, -1, term + n);
        PL_TRY(add_block(world, joint, 0, n, term));
        done[0] = done[1] = done[2] = true;
    }
    bool swing = pl_joint_held(&axes[4]) && pl_joint_held(&axes[5]);
    if (swing && !patch && j->angles == PL_ANGLES_SWING_TWIST) {
        int32_t n = turning_terms(world, &j->b, 1, term);
        n += turning_terms(world, &j->a, -1, term + n);
        PL_TRY(add_block(world, joint, 3, n, term));
        done[3] = done[4] = done[5] = true;
    }
    for (int32_t k = 0; k < (distance ? 1 : PL_JOINT_AXES); k++) {
        if (done[k] || !pl_joint_held(&axes[k])) continue;
        start_gradient(world, j, k);
        PL_TRY(add_single(world, held_row(world, joint, k), -INFINITY, INFINITY));
    }
    return PL_OK;
}

// --- Ranges, springs, motors ---

static bool is_near(const pl_joint *j, int32_t coordinate, double lo, double hi, double end)
{
    double moved = j->moved[coordinate], part = isfinite(hi - lo) ? hi - lo : 1;
    return fabs(j->at[coordinate] - end) <= REACH_STEPS * moved + REACH_PART * part ||
           j->at[coordinate] < lo || j->at[coordinate] > hi;
}

static pl_status add_range(pl_world *world, int32_t joint, int32_t coordinate, double lo, double hi,
                           double k, double b)
{
    const pl_joint *j = &world->joints->joint[joint];
    pl_joint_row row = {
        .joint = joint, .coordinate = coordinate, .start = j->at[coordinate], .k = k, .b = b};
    if (lo == hi) return PL_OK;
    for (int side = 0; side < 2; side++) {
        row.kind = side == 0 ? PL_ROW_LOW : PL_ROW_HIGH;
        row.sign = side == 0 ? 1 : -1;
        row.target = side == 0 ? lo : hi;
        if (!isfinite(row.target) || !is_near(j, coordinate, lo, hi, row.target)) continue;
        start_gradient(world, j, coordinate);
        PL_TRY(add_single(world, row, 0, INFINITY));
    }
    return PL_OK;
}

// The force of a curve at x, against it, and its slope there.
static double curve_force(const pl_joint_axis *axis, double x, double *slope)
{
    int32_t i = 1;
    while (i < axis->n_curve - 1 && x > axis->curve[2 * i]) i++;
    const double *p = axis->curve + 2 * (i - 1);
    *slope = (p[3] - p[1]) / (p[2] - p[0]);
    return p[1] + *slope * (x - p[0]);
}

// A spring by a curve is the line along it where it is now; one that weakens is a load.
static pl_status add_spring(pl_world *world, int32_t joint, int32_t coordinate)
{
    const pl_joint *j = &world->joints->joint[joint];
    const pl_joint_axis *axis = &j->axes[coordinate];
    pl_joint_row row = {.kind = PL_ROW_SPRING,
                        .joint = joint,
                        .coordinate = coordinate,
                        .sign = 1,
                        .start = j->at[coordinate],
                        .target = axis->rest,
                        .k = axis->spring,
                        .b = axis->spring_damping};
    if (axis->n_curve > 0) {
        double against = curve_force(axis, row.start - axis->rest, &row.k);
        row.k = PL_MAX(row.k, 0);
        row.target = row.k > 0 ? row.start - against / row.k : row.start;
    }
    if (row.k > 0 || row.b > 0) {
        start_gradient(world, j, coordinate);
        PL_TRY(add_single(world, row, -INFINITY, INFINITY));
    }
    return PL_OK;
}

static pl_status add_motor(pl_world *world, int32_t joint, int32_t coordinate)
{
    const pl_joint *j = &world->joints->joint[joint];
    const pl_motor *m = &j->axes[coordinate].motor;
    double dt = world->dt, most = dt * m->max_force, step = dt * m->max_speed;
    pl_joint_row row = {.kind = PL_ROW_MOTOR,
                        .joint = joint,
                        .coordinate = coordinate,
                        .sign = 1,
                        .start = j->at[coordinate]};
    if (m->mode == PL_MOTOR_OFF || m->mode == PL_MOTOR_FORCE || most == 0) return PL_OK;
    start_gradient(world, j, coordinate);
    row.target = row.start + dt * m->target;
    if (m->mode == PL_MOTOR_POSITION) {
        row.k = m->stiffness;
        row.b = m->damping;
        bool hard = row.k == 0 && row.b == 0;
        row.target = m->target;
        if (hard) row.target = PL_MAX(row.start - step, PL_MIN(row.start + step, m->target));
    }
    return add_single(world, row, -most, most);
}

// --- Loads ---

double pl_joint_load(const pl_joint *joint, int32_t coordinate, bool *motor)
{
    const pl_joint_axis *axis = &joint->axes[coordinate];
    const pl_motor *m = &axis->motor;
    double load = 0, slope = 1;
    *motor = m->mode == PL_MOTOR_FORCE;
    if (*motor) load = PL_MAX(-m->max_force, PL_MIN(m->max_force, m->target));
    if (axis->n_curve == 0) return load;
    double against = curve_force(axis, joint->at[coordinate] - axis->rest, &slope);
    return slope > 0 ? load : load - against;
}

pl_status pl_joint_step_load(pl_world *world)
{
    pl_joints *joints = world->joints;
    if (joints == NULL) return PL_OK;
    int64_t n = 6 * (int64_t)world->state.n_rigid;
    PL_TRY(pl_reserve((void **)&joints->load, &joints->load_capacity, n, sizeof *joints->load));
    if (n > 0) memset(joints->load, 0, (size_t)n * sizeof *joints->load);
    for (int64_t i = 0; i < joints->n; i++) {
        const pl_joint *j = &joints->joint[i];
        for (int32_t k = 0; k < PL_JOINT_AXES && pl_joint_holds(j); k++) {
            bool motor;
            double load = pl_joint_load(j, k, &motor);
            if (load == 0) continue;
            start_gradient(world, j, k);
            const pl_gradient *g = &joints->gradient;
            for (int32_t t = 0; t < g->n; t++) {
                double *to = g->block[t] < world->state.n_vert
                                 ? world->system.f_ext + 3 * (int64_t)g->block[t]
                                 : joints->load + 3 * (int64_t)(g->block[t] - world->state.n_vert);
                for (int d = 0; d < 3; d++) to[d] += load * g->d[t][d];
            }
        }
    }
    return PL_OK;
}

// --- Couplings ---

double pl_coupling_sum(const pl_joints *joints, const pl_coupling *c, bool end)
{
    double sum = -c->start;
    for (int i = 0; i < c->options.n; i++) {
        const pl_joint *j = &joints->joint[c->options.joint[i]];
        sum += c->options.ratio[i] * (end ? j->end : j->at)[c->options.axis[i]];
    }
    return sum;
}

// Does it hold, and can one of its joints move?
static bool coupling_acts(const pl_world *world, const pl_coupling *c)
{
    bool holds = c->there, rests = true;
    for (int i = 0; i < c->options.n && holds; i++) {
        const pl_joint *j = &world->joints->joint[c->options.joint[i]];
        holds = pl_joint_holds(j);
        rests = rests && pl_joint_rests(world, j);
    }
    return holds && !rests;
}

static void coupling_gradient(pl_world *world, const pl_coupling *c)
{
    world->joints->gradient.n = 0;
    for (int i = 0; i < c->options.n; i++) {
        const pl_joint *j = &world->joints->joint[c->options.joint[i]];
        add_gradient(world, j, c->options.axis[i], c->options.ratio[i]);
    }
}

static pl_status add_coupling(pl_world *world, int32_t index)
{
    const pl_coupling *c = &world->joints->coupling[index];
    double lo = c->options.lo, hi = c->options.hi;
    if (!coupling_acts(world, c)) return PL_OK;
    pl_joint_row row = {.kind = PL_ROW_HELD,
                        .joint = -1 - index,
                        .sign = 1,
                        .start = pl_coupling_sum(world->joints, c, false),
                        .target = lo,
                        .k = c->options.stiffness,
                        .b = c->options.damping};
    coupling_gradient(world, c);
    if (lo == hi) return add_single(world, row, -INFINITY, INFINITY);
    row.kind = PL_ROW_LOW;
    if (isfinite(lo)) PL_TRY(add_single(world, row, 0, INFINITY));
    row.kind = PL_ROW_HIGH;
    row.sign = -1;
    row.target = hi;
    return isfinite(hi) ? add_single(world, row, 0, INFINITY) : PL_OK;
}

// --- All of them ---

pl_status pl_joint_step_find(pl_world *world)
{
    pl_joints *joints = world->joints;
    if (joints == NULL) return PL_OK;
    for (int32_t i = 0; i < joints->n; i++) {
        const pl_joint *j = &joints->joint[i];
        if (!pl_joint_holds(j) || pl_joint_rests(world, j)) continue;
        PL_TRY(add_held(world, i));
        for (int32_t k = 0; k < (j->kind == PL_JOINT_DISTANCE ? 1 : PL_JOINT_AXES); k++) {
            const pl_joint_axis *a = &j->axes[k];
            PL_TRY(add_range(world, i, k, a->lo, a->hi, a->stiffness, a->damping));
            PL_TRY(add_spring(world, i, k));
            PL_TRY(add_motor(world, i, k));
        }
        if (isfinite(j->swing))
            PL_TRY(add_range(world, i, PL_JOINT_SWING, -INFINITY, j->swing, 0, 0));
    }
    for (int32_t i = 0; i < joints->n_coupling; i++) PL_TRY(add_coupling(world, i));
    return PL_OK;
}
