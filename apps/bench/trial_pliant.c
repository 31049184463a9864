// Pliant on a trial, by its public interface.

#include "cpu_time.h"
#include "trial.h"
#include "../../base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct simulation {
    const pl_trial *trial;
    pl_world *world;
    int32_t *id; // (n_body)
    int64_t steps, contacts, constraints, iterations, rounds, halvings;
    double collision, solve, total; // [s]
} simulation;

// --- Meshes ---

static pl_status box_mesh(const double half[3], const double x[3], pl_mesh **out)
{
    static const int32_t face[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    double corner[24];
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            corner[3 * i + k] = x[k] + ((i >> k & 1) == 1 ? half[k] : -half[k]);
        }
    }
    return pl_mesh_create(8, corner, 12, face, 0, NULL, out);
}

// A square of 40 m in the plane, seen from its free side.
static pl_status plane_mesh(const pl_trial_plane *plane, pl_mesh **out)
{
    static const int32_t face[6] = {0, 1, 2, 0, 2, 3};
    const double *n = plane->normal, size = 20;
    int least = fabs(n[0]) < 0.5 ? 0 : 1;
    double u[3] = {0, 0, 0}, corner[12];
    u[least] = 1;
    for (int k = 0; k < 3; k++) u[k] -= n[least] * n[k];
    double scale = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++) u[k] /= scale;
    const double v[3] = {n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2],
                         n[0] * u[1] - n[1] * u[0]};
    for (int i = 0; i < 4; i++) {
        double a = i == 0 || i == 3 ? -size : size, b = i < 2 ? -size : size;
        for (int k = 0; k < 3; k++) corner[3 * i + k] = plane->offset * n[k] + a * u[k] + b * v[k];
    }
    return pl_mesh_create(4, corner, 2, face, 0, NULL, out);
}

// --- The world ---

static pl_status add_soft(simulation *s, const pl_trial_body *body, int32_t *id)
{
    pl_mesh *mesh;
    pl_deformable_options options = pl_deformable_options_default();
    options.material.young = body->young;
    options.material.poisson = 0.2;
    options.material.density = body->mass / (8 * body->half[0] * body->half[1] * body->half[2]);
    options.surface.friction = s->trial->friction;
    pl_status status = pl_trial_soft_mesh(body, &mesh);
    if (status == PL_OK) status = pl_world_add_deformable(s->world, mesh, &options, id);
    pl_mesh_destroy(mesh);
    return status;
}

static pl_status add_rigid(simulation *s, const pl_trial_body *body, int32_t *id)
{
    pl_mesh *mesh = NULL;
    pl_shape shape = pl_shape_default(PL_SHAPE_CAPSULE);
    pl_rigid_options options = pl_rigid_options_default();
    options.mass = body->mass;
    memcpy(options.velocity, body->start.v, sizeof options.velocity);
    memcpy(options.angular_velocity, body->start.w, sizeof options.angular_velocity);
    options.surface.friction = s->trial->friction;
    if (!s->trial->touch) options.surface.mask = 0;
    if (body->shape == PL_TRIAL_CAPSULE) {
        shape.radius = body->half[0];
        shape.length = 2 * body->half[1];
        memcpy(shape.position, body->start.x, sizeof shape.position);
        memcpy(shape.orientation, body->start.q, sizeof shape.orientation);
        options.shape = &shape;
        options.n_shape = 1;
    } else {
        PL_TRY(box_mesh(body->half, body->start.x, &mesh));
    }
    pl_status status = pl_world_add_rigid(s->world, mesh, &options, id);
    pl_mesh_destroy(mesh);
    PL_TRY(status);
    return pl_world_set_force(s->world, *id, body->force, NULL);
}

static pl_status add_planes(simulation *s)
{
    for (int32_t i = 0; i < s->trial->n_plane; i++) {
        pl_mesh *mesh;
        pl_kinematic_options options = pl_kinematic_options_default();
        options.surface.friction = s->trial->friction;
        int32_t id;
        PL_TRY(plane_mesh(&s->trial->plane[i], &mesh));
        pl_status status = pl_world_add_kinematic(s->world, mesh, &options, &id);
        pl_mesh_destroy(mesh);
        PL_TRY(status);
    }
    return PL_OK;
}

static pl_status add_joints(simulation *s)
{
    for (int32_t i = 0; i < s->trial->n_joint; i++) {
        const pl_trial_joint *joint = &s->trial->joint[i];
        bool ball = joint->kind == PL_TRIAL_BALL;
        pl_joint_options options = pl_joint_options_default(ball ? PL_JOINT_BALL : PL_JOINT_SLIDER);
        int32_t id;
        options.body_a = joint->a < 0 ? PL_WORLD : s->id[joint->a];
        options.body_b = s->id[joint->b];
        memcpy(options.point_a, ball ? joint->point : s->trial->body[joint->b].start.x,
               sizeof options.point_a);
        if (!ball) memcpy(options.axis, joint->axis, sizeof options.axis);
        PL_TRY(pl_world_add_joint(s->world, &options, &id));
    }
    return PL_OK;
}

static pl_status build(simulation *s, const char *solver)
{
    const pl_trial *t = s->trial;
    pl_world_options options = pl_world_options_default();
    options.dt = t->dt;
    options.threads = 1;
    options.solver = solver;
    memcpy(options.gravity, t->gravity, sizeof options.gravity);
    PL_TRY(pl_world_create(&options, &s->world));
    s->id = pl_alloc_zero(t->n_body, sizeof *s->id);
    if (s->id == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < t->n_body; i++) {
        bool soft = t->body[i].shape == PL_TRIAL_SOFT;
        PL_TRY((soft ? add_soft : add_rigid)(s, &t->body[i], &s->id[i]));
    }
    PL_TRY(add_planes(s));
    PL_TRY(add_joints(s));
    return pl_world_prepare(s->world);
}

// --- What a simulator implements ---

static void close_pliant(void *sim)
{
    simulation *s = sim;
    pl_world_destroy(s->world);
    pl_free(s->id);
    pl_free(s);
}

static void *open_pliant(const pl_trial_engine *engine, const pl_trial *trial)
{
    simulation *s = pl_alloc_zero(1, sizeof *s);
    if (s == NULL) return NULL;
    s->trial = trial;
    if (build(s, engine->setting) == PL_OK) return s;
    fprintf(stderr, "Pliant: %s\n", pl_error_text());
    close_pliant(s);
    return NULL;
}

static bool step_pliant(void *sim, double *seconds)
{
    simulation *s = sim;
    pl_step_stats stats;
    double before = pl_cpu_seconds();
    pl_status status = pl_world_step(s->world, &stats);
    *seconds = pl_cpu_seconds() - before;
    if (status != PL_OK) {
        fprintf(stderr, "Pliant: %s\n", pl_error_text());
        return false;
    }
    s->steps++;
    s->contacts += stats.contacts;
    s->constraints += stats.constraints;
    s->iterations += stats.iterations;
    s->rounds += stats.rounds;
    s->halvings += stats.halvings;
    s->collision += stats.t_collision;
    s->solve += stats.t_solve;
    s->total += stats.t_total;
    return true;
}

// Of a soft body, as vertices of equal weight see it.
static void soft_pose(const simulation *s, int32_t id, pl_trial_pose *pose)
{
    int32_t n = pl_world_vertex_count(s->world, id);
    const double *x = pl_world_positions(s->world, id), *v = pl_world_velocities(s->world, id);
    *pose = (pl_trial_pose){.q = {1, 0, 0, 0}};
    for (int32_t i = 0; i < 3 * n; i++) {
        pose->x[i % 3] += x[i] / n;
        pose->v[i % 3] += v[i] / n;
    }
}

// Of the pose at the start, then turned by p.
static void turn(const double p[4], const double q[4], double out[4])
{
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    for (int i = 1; i < 4; i++) {
        int j = i % 3 + 1, k = j % 3 + 1;
        out[i] = p[0] * q[i] + p[i] * q[0] + p[j] * q[k] - p[k] * q[j];
    }
}

static void get_pliant(void *sim, pl_trial_pose *pose)
{
    simulation *s = sim;
    for (int32_t i = 0; i < s->trial->n_body; i++) {
        pl_frame frame;
        if (s->trial->body[i].shape == PL_TRIAL_SOFT) {
            soft_pose(s, s->id[i], &pose[i]);
            continue;
        }
        pl_world_frame(s->world, s->id[i], &frame);
        memcpy(pose[i].x, frame.centre, sizeof pose->x);
        turn(frame.orientation, s->trial->body[i].start.q, pose[i].q);
        memcpy(pose[i].v, frame.velocity, sizeof pose->v);
        memcpy(pose[i].w, frame.angular_velocity, sizeof pose->w);
    }
}

static void tell_pliant(void *sim, char *line, int size)
{
    const simulation *s = sim;
    double n = fmax(1, (double)s->steps), percent = 100 / fmax(1e-30, s->total);
    snprintf(line, (size_t)size,
             "collision %.0f %%, solve %.0f %% of the time; per step %.0f contacts with a force of "
             "%.0f, %.1f iterations, %.2f rounds; %lld halvings; hash %016llx",
             percent * s->collision, percent * s->solve, (double)s->contacts / n,
             (double)s->constraints / n, (double)s->iterations / n, (double)s->rounds / n,
             (long long)s->halvings, (unsigned long long)pl_world_hash(s->world));
}

static void save_pliant(void *sim, const char *path)
{
    const simulation *s = sim;
    (void)pl_world_save_problem(s->world, path); // there is none if nothing touches
}

#define FUNCTIONS                                                                                  \
    .open = open_pliant, .step = step_pliant, .get = get_pliant, .tell = tell_pliant,              \
    .save = save_pliant, .close = close_pliant

const pl_trial_engine pl_trial_pliant = {.name = "Pliant", .setting = "auto", FUNCTIONS};
const pl_trial_engine pl_trial_pliant_newton = {
    .name = "Pliant newton", .setting = "newton", FUNCTIONS};
