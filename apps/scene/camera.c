#include "camera.h"
#include "../common/vec.h"

static const double HALF_PI = 1.57079632679489661923;
static const double POLE_MARGIN = 0.01;    // orbiting stops this far from straight up or down [rad]
static const double PARALLEL_LIMIT = 1e-6; // sine of the smallest angle between `up` and sight
static const double KEY_AZIMUTH = 0.80;    // of the key light, left of the viewer [rad]
static const double KEY_ELEVATION = 0.90;  // and above the horizon [rad]
static const double LARGEST_MARGIN = 0.45;

pl_camera pl_camera_default(void)
{
    return (pl_camera){
        .eye = {3, -4, 2.5}, .target = {0, 0, 0}, .up = {0, 0, 1}, .fov_y = HALF_PI / 3};
}

pl_status pl_camera_check(const pl_camera *camera)
{
    double sum = camera->fov_y;
    for (int i = 0; i < 3; i++) sum += camera->eye[i] + camera->target[i] + camera->up[i];
    if (!isfinite(sum)) {
        return pl_fail(PL_ERROR_ARGUMENT, "camera: a number is not finite");
    }
    if (!(camera->fov_y > 0 && camera->fov_y < 2 * HALF_PI)) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "camera: the field of view is %g degrees, not between 0 and 180",
                       camera->fov_y * 90 / HALF_PI);
    }
    vec3 sight = vec3_sub(vec3_of(camera->target), vec3_of(camera->eye));
    if (!(vec3_length(sight) > 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "camera: eye and target are the same point");
    }
    vec3 side = vec3_cross(vec3_unit(sight), vec3_unit(vec3_of(camera->up)));
    if (!(vec3_length(side) > PARALLEL_LIMIT)) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "camera: the up vector is zero or parallel to the line of sight");
    }
    return PL_OK;
}

void pl_camera_stand_up(pl_camera *camera, const double direction[3])
{
    vec3 d = vec3_unit(vec3_of(direction));
    bool vertical = !(hypot(d.x, d.y) > PARALLEL_LIMIT);
    vec3_store((vec3){0, vertical, !vertical}, camera->up);
}

void pl_camera_axes(const pl_camera *camera, double right[3], double up[3], double backward[3])
{
    vec3 z = vec3_unit(vec3_sub(vec3_of(camera->eye), vec3_of(camera->target)));
    vec3 x = vec3_unit(vec3_cross(vec3_of(camera->up), z));
    vec3_store(x, right);
    vec3_store(vec3_cross(z, x), up);
    vec3_store(z, backward);
}

pl_status pl_framing_start(pl_framing *framing, const pl_camera *camera, const double direction[3],
                           double aspect, double margin)
{
    if (!(aspect > 0 && isfinite(aspect) && margin >= 0 && margin <= LARGEST_MARGIN)) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "camera: aspect %g must be positive and margin %g between 0 and %g", aspect,
                       margin, LARGEST_MARGIN);
    }
    pl_framing f = {.camera = *camera, .nearest = -INFINITY, .farthest = INFINITY};
    vec3_store((vec3){0, 0, 0}, f.camera.target);
    vec3_store(vec3_unit(vec3_of(direction)), f.camera.eye);
    PL_TRY(pl_camera_check(&f.camera));
    pl_camera_axes(&f.camera, f.right, f.up, f.backward);
    f.tan_y = tan(f.camera.fov_y / 2) * (1 - 2 * margin);
    f.tan_x = f.tan_y * aspect;
    for (int i = 0; i < 4; i++) f.reach[i] = -INFINITY;
    *framing = f;
    return PL_OK;
}

// In the camera's axes, a point p is not too far right of an eye e if p.x - e.x <= (e.z - p.z) tan,
// that is p.x + p.z tan <= e.x + e.z tan: only the largest left side matters. The other three
// directions are alike.
void pl_framing_add(pl_framing *framing, int32_t n, const double *x)
{
    double *reach = framing->reach;
    for (int32_t i = 0; i < n; i++) {
        vec3 p = vec3_of(x + 3 * (int64_t)i);
        double right = vec3_dot(p, vec3_of(framing->right)), up = vec3_dot(p, vec3_of(framing->up));
        double z = vec3_dot(p, vec3_of(framing->backward));
        reach[0] = fmax(reach[0], z * framing->tan_x + right);
        reach[1] = fmax(reach[1], z * framing->tan_x - right);
        reach[2] = fmax(reach[2], z * framing->tan_y + up);
        reach[3] = fmax(reach[3], z * framing->tan_y - up);
        framing->nearest = fmax(framing->nearest, z);
        framing->farthest = fmin(framing->farthest, z);
    }
}

pl_status pl_framing_finish(const pl_framing *framing, pl_camera *out)
{
    const double *reach = framing->reach;
    double right = 0.5 * (reach[0] - reach[1]), up = 0.5 * (reach[2] - reach[3]);
    double z = fmax(0.5 * (reach[0] + reach[1]) / framing->tan_x,
                    0.5 * (reach[2] + reach[3]) / framing->tan_y);
    double middle = 0.5 * (framing->nearest + framing->farthest);
    if (!isfinite(right + up + z)) {
        return pl_fail(PL_ERROR_ARGUMENT, "camera: there are no points to frame");
    }
    if (!(z > middle)) z = middle + 1; // a single point
    vec3 axis[3] = {vec3_of(framing->right), vec3_of(framing->up), vec3_of(framing->backward)};
    vec3 centre = vec3_add(vec3_scale(axis[0], right), vec3_scale(axis[1], up));
    pl_camera camera = framing->camera;
    vec3_store(vec3_add(centre, vec3_scale(axis[2], z)), camera.eye);
    vec3_store(vec3_add(centre, vec3_scale(axis[2], middle)), camera.target);
    PL_TRY(pl_camera_check(&camera));
    *out = camera;
    return PL_OK;
}

pl_status pl_camera_frame(pl_camera *camera, const double lo[3], const double hi[3],
                          const double direction[3], double aspect, double margin)
{
    pl_framing framing;
    PL_TRY(pl_framing_start(&framing, camera, direction, aspect, margin));
    for (int corner = 0; corner < 8; corner++) {
        double p[3];
        for (int c = 0; c < 3; c++) p[c] = corner >> c & 1 ? hi[c] : lo[c];
        pl_framing_add(&framing, 1, p);
    }
    return pl_framing_finish(&framing, camera);
}

void pl_camera_orbit(pl_camera *camera, double yaw, double pitch)
{
    vec3 arm = vec3_sub(vec3_of(camera->eye), vec3_of(camera->target));
    double length = vec3_length(arm);
    double azimuth = atan2(arm.y, arm.x) + yaw;
    double elevation = atan2(arm.z, hypot(arm.x, arm.y)) + pitch;
    double limit = HALF_PI - POLE_MARGIN;
    elevation = fmin(fmax(elevation, -limit), limit);
    vec3 turned = {length * cos(elevation) * cos(azimuth), length * cos(elevation) * sin(azimuth),
                   length * sin(elevation)};
    vec3_store(vec3_add(vec3_of(camera->target), turned), camera->eye);
}

void pl_camera_stay_above(pl_camera *camera, double z)
{
    double missing = z - camera->eye[2];
    if (!(missing > 0)) return;
    vec3 arm = vec3_sub(vec3_of(camera->eye), vec3_of(camera->target));
    double sine = (z - camera->target[2]) / vec3_length(arm);
    if (sine < sin(HALF_PI - POLE_MARGIN)) {
        pl_camera_orbit(camera, 0, asin(sine) - atan2(arm.z, hypot(arm.x, arm.y)));
    } else {
        camera->eye[2] += missing;
        camera->target[2] += missing;
    }
}

bool pl_camera_project(const pl_camera *camera, int32_t width, int32_t height, const double p[3],
                       double pixel[2])
{
    double right[3], up[3], backward[3];
    pl_camera_axes(camera, right, up, backward);
    vec3 arm = vec3_sub(vec3_of(p), vec3_of(camera->eye));
    double depth = -vec3_dot(arm, vec3_of(backward));
    if (!(depth > 0)) return false;
    double pixels_per_unit = 0.5 * height / (tan(camera->fov_y / 2) * depth);
    pixel[0] = 0.5 * width + vec3_dot(arm, vec3_of(right)) * pixels_per_unit;
    pixel[1] = 0.5 * height - vec3_dot(arm, vec3_of(up)) * pixels_per_unit;
    return true;
}

void pl_camera_key_light(const pl_camera *camera, double direction[3])
{
    double right[3], up[3], backward[3];
    pl_camera_axes(camera, right, up, backward);
    // The azimuth of the viewer: from `right`, which is horizontal also when looking straight down.
    double azimuth = atan2(right[1], right[0]) - HALF_PI - KEY_AZIMUTH;
    vec3_store((vec3){cos(KEY_ELEVATION) * cos(azimuth), cos(KEY_ELEVATION) * sin(azimuth),
                      sin(KEY_ELEVATION)},
               direction);
}
