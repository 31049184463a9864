#include "pick.h"
#include "../common/vec.h"

pl_ray pl_pick_ray(const pl_camera *camera, int32_t width, int32_t height, double x, double y)
{
    double right[3], up[3], backward[3];
    pl_camera_axes(camera, right, up, backward);
    double per_pixel = tan(camera->fov_y / 2) / (0.5 * height);
    vec3 side = vec3_scale(vec3_of(right), (x - 0.5 * width) * per_pixel);
    vec3 rise = vec3_scale(vec3_of(up), (0.5 * height - y) * per_pixel);
    vec3 way = vec3_sub(vec3_add(side, rise), vec3_of(backward));
    pl_ray ray = {0};
    vec3_store(vec3_of(camera->eye), ray.origin);
    vec3_store(vec3_unit(way), ray.direction);
    return ray;
}

// Moeller & Trumbore 1997: the point a + v (b - a) + w (c - a) is on the ray at t, by Cramer's
// rule.
static bool meet(const pl_ray *ray, const double *a, const double *b, const double *c, pl_hit *hit)
{
    vec3 d = vec3_of(ray->direction), e = vec3_sub(vec3_of(b), vec3_of(a));
    vec3 f = vec3_sub(vec3_of(c), vec3_of(a)), s = vec3_sub(vec3_of(ray->origin), vec3_of(a));
    vec3 p = vec3_cross(d, f), q = vec3_cross(s, e);
    double det = vec3_dot(e, p);
    if (det == 0) return false;
    double v = vec3_dot(s, p) / det, w = vec3_dot(d, q) / det, t = vec3_dot(f, q) / det;
    if (!(v >= 0 && w >= 0 && v + w <= 1 && t > 0 && t < hit->distance)) return false;
    *hit = (pl_hit){.distance = t, .weight = {1 - v - w, v, w}};
    return true;
}

bool pl_pick_faces(const pl_ray *ray, int32_t n_face, const int32_t *face, const double *x,
                   pl_hit *hit)
{
    bool any = false;
    for (int64_t i = 0; i < n_face; i++) {
        const int32_t *f = face + 3 * i;
        if (!meet(ray, x + 3 * (int64_t)f[0], x + 3 * (int64_t)f[1], x + 3 * (int64_t)f[2], hit)) {
            continue;
        }
        hit->face = (int32_t)i;
        any = true;
    }
    return any;
}

bool pl_pick_plane(const pl_ray *ray, const pl_camera *camera, const double point[3], double out[3])
{
    double right[3], up[3], backward[3];
    pl_camera_axes(camera, right, up, backward);
    vec3 n = vec3_of(backward), o = vec3_of(ray->origin), d = vec3_of(ray->direction);
    double t = vec3_dot(vec3_sub(vec3_of(point), o), n) / vec3_dot(d, n);
    if (!(t > 0 && isfinite(t))) return false;
    vec3_store(vec3_add(o, vec3_scale(d, t)), out);
    return true;
}
