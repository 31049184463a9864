// What a program changes while a world runs.

#include "contact_step.h"
#include "integrator.h"
#include "sleep.h"

#include <math.h>
#include <string.h>

static pl_status check_finite(const char *name, int n, const double *x)
{
    for (int k = 0; k < n; k++) {
        if (!isfinite(x[k])) return pl_fail(PL_ERROR_ARGUMENT, "%s: not finite", name);
    }
    return PL_OK;
}

static bool same_vector(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// --- The world ---

pl_status pl_world_set_gravity(pl_world *world, const double gravity[3])
{
    PL_REQUIRE(world);
    PL_REQUIRE(gravity);
    PL_TRY(check_finite("gravity", 3, gravity));
    if (!same_vector(gravity, world->options.gravity)) PL_TRY(pl_sleep_wake_all(world));
    memcpy(world->options.gravity, gravity, sizeof world->options.gravity);
    return PL_OK;
}

pl_status pl_world_set_dt(pl_world *world, double dt)
{
    PL_REQUIRE(world);
    if (!(dt > 0 && isfinite(dt))) {
        return pl_fail(PL_ERROR_ARGUMENT, "dt: %g is not above 0 s", dt);
    }
    if (dt != world->options.dt) PL_TRY(pl_sleep_wake_all(world));
    world->options.dt = dt;
    return PL_OK;
}

const pl_world_options *pl_world_get_options(const pl_world *world)
{
    return world != NULL ? &world->options : NULL;
}

// --- Bodies ---

pl_status pl_world_set_user_data(pl_world *world, int32_t body, void *user)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    world->bodies.body[place].user = user;
    return PL_OK;
}

void *pl_world_user_data(const pl_world *world, int32_t body)
{
    int32_t place = pl_world_place(world, body);
    return place >= 0 ? world->bodies.body[place].user : NULL;
}

// The body, if it is of the kind.
static pl_status find_kind(pl_world *world, int32_t body, pl_body_kind kind, const char *name,
                           pl_world_body **out)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    *out = &world->bodies.body[place];
    if ((*out)->kind == kind) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "body %d is not %s", (int)body, name);
}

static pl_status find_rigid(pl_world *world, int32_t body, pl_world_body **out)
{
    return find_kind(world, body, PL_BODY_RIGID, "rigid", out);
}

// The system is built anew by the next step: masses and stiffness are others.
pl_status pl_world_set_material(pl_world *world, int32_t body, const pl_material_options *material)
{
    pl_world_body *b;
    pl_material checked;
    PL_REQUIRE(material);
    PL_TRY(find_kind(world, body, PL_BODY_DEFORMABLE, "deformable", &b));
    PL_TRY(pl_material_setup(material, &checked));
    PL_TRY(pl_sleep_wake(world, b - world->bodies.body));
    b->material = pl_world_material(world, material);
    pl_world_unprepare(world);
    return PL_OK;
}

pl_status pl_world_set_damping(pl_world *world, int32_t body, double damping)
{
    pl_world_body *b;
    PL_TRY(find_rigid(world, body, &b));
    if (!(damping >= 0 && isfinite(damping))) {
        return pl_fail(PL_ERROR_ARGUMENT, "damping: %g is not 0 or above", damping);
    }
    PL_TRY(pl_sleep_wake(world, b - world->bodies.body));
    b->damping = damping;
    return PL_OK;
}

// --- Rigid bodies ---

pl_status pl_world_set_force(pl_world *world, int32_t body, const double force[3],
                             const double torque[3])
{
    static const double none[3];
    pl_world_body *b;
    if (force == NULL) force = none;
    if (torque == NULL) torque = none;
    PL_TRY(find_rigid(world, body, &b));
    PL_TRY(check_finite("force", 3, force));
    PL_TRY(check_finite("torque", 3, torque));
    if (!same_vector(force, b->force) || !same_vector(torque, b->torque))
        PL_TRY(pl_sleep_wake(world, b - world->bodies.body));
    memcpy(b->force, force, sizeof b->force);
    memcpy(b->torque, torque, sizeof b->torque);
    return PL_OK;
}

pl_status pl_world_apply_impulse(pl_world *world, int32_t body, const double impulse[3],
                                 const double *point)
{
    pl_world_body *b;
    PL_REQUIRE(impulse);
    PL_TRY(find_rigid(world, body, &b));
    PL_TRY(check_finite("impulse", 3, impulse));
    if (point != NULL) PL_TRY(check_finite("point", 3, point));
    PL_TRY(pl_sleep_wake(world, b - world->bodies.body));
    pl_rigid *r = &world->state.rigid[b->rigid];
    double arm[3] = {0}, turn[3];
    if (point != NULL) pl_subtract(point, r->x, arm);
    pl_cross(arm, impulse, turn);
    for (int k = 0; k < 3; k++) {
        r->v[k] += impulse[k] / r->mass;
        r->angular_momentum[k] += turn[k];
    }
    pl_world_publish_body(world, b - world->bodies.body);
    return PL_OK;
}

pl_status pl_world_set_frame(pl_world *world, int32_t body, const pl_frame *frame)
{
    pl_world_body *b;
    PL_REQUIRE(frame);
    PL_TRY(find_rigid(world, body, &b));
    PL_TRY(check_finite("centre", 3, frame->centre));
    PL_TRY(check_finite("velocity", 3, frame->velocity));
    PL_TRY(check_finite("angular_velocity", 3, frame->angular_velocity));
    PL_TRY(pl_orientation_check(frame->orientation));
    PL_TRY(pl_sleep_wake(world, b - world->bodies.body));
    pl_rigid *r = &world->state.rigid[b->rigid];
    double start[4];
    for (int k = 0; k < 4; k++) start[k] = k == 0 ? b->unturned[k] : -b->unturned[k];
    memcpy(r->x, frame->centre, sizeof r->x);
    pl_rotation_compose(frame->orientation, start, r->q);
    memcpy(r->v, frame->velocity, sizeof r->v);
    pl_rigid_set_omega(r, frame->angular_velocity);
    world->state.moved = true;
    pl_world_publish_body(world, b - world->bodies.body);
    return PL_OK;
}

// --- Kinematic bodies ---

pl_status pl_world_move_to(pl_world *world, int32_t body, const double position[3],
                           const double orientation[4])
{
    pl_world_body *b;
    PL_REQUIRE(position);
    PL_REQUIRE(orientation);
    PL_TRY(find_kind(world, body, PL_BODY_KINEMATIC, "kinematic", &b));
    PL_TRY(check_finite("position", 3, position));
    PL_TRY(pl_orientation_check(orientation));
    pl_path_send(&b->path, world->time, world->options.dt, position, orientation);
    return PL_OK;
}
