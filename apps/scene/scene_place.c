#include "scene_place.h"
#include "scene_forces.h"
#include "../common/vec.h"

#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)

pl_scene_place pl_scene_place_origin(void)
{
    return (pl_scene_place){.m = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
}

void pl_scene_place_rotation(const double degrees[3], double r[9])
{
    double c[3], s[3];
    for (int k = 0; k < 3; k++) {
        c[k] = cos(degrees[k] * RADIANS);
        s[k] = sin(degrees[k] * RADIANS);
    }
    r[0] = c[1] * c[2];
    r[1] = s[0] * s[1] * c[2] - c[0] * s[2];
    r[2] = c[0] * s[1] * c[2] + s[0] * s[2];
    r[3] = c[1] * s[2];
    r[4] = s[0] * s[1] * s[2] + c[0] * c[2];
    r[5] = c[0] * s[1] * s[2] - s[0] * c[2];
    r[6] = -s[1];
    r[7] = s[0] * c[1];
    r[8] = c[0] * c[1];
}

void pl_scene_place_vector(const pl_scene_place *place, double v[3])
{
    const double *m = place->m;
    const double u[3] = {v[0], v[1], v[2]};
    if (!place->moved) return;
    for (int i = 0; i < 3; i++) v[i] = m[4 * i] * u[0] + m[4 * i + 1] * u[1] + m[4 * i + 2] * u[2];
}

void pl_scene_place_point(const pl_scene_place *place, double x[3])
{
    if (!place->moved) return;
    pl_scene_place_vector(place, x);
    for (int i = 0; i < 3; i++) x[i] += place->m[4 * i + 3];
}

// out += w x r.
static void add_cross(const double w[3], const double r[3], double out[3])
{
    vec3_store(vec3_add(vec3_of(out), vec3_cross(vec3_of(w), vec3_of(r))), out);
}

pl_status pl_scene_place_read(const pl_json *at, const pl_scene_place *above, pl_scene_place *out)
{
    double t[3] = {0}, degrees[3] = {0}, v[3] = {0}, w[3] = {0}, r[9];
    PL_TRY(pl_json_vector(at, "position", t));
    PL_TRY(pl_json_vector(at, "rotation", degrees));
    PL_TRY(pl_json_vector(at, "velocity", v));
    PL_TRY(pl_json_vector(at, "angular_velocity", w));
    pl_scene_place_rotation(degrees, r);
    *out = *above;
    out->moved = true;
    for (int j = 0; j < 3; j++) {
        double column[3] = {r[j], r[3 + j], r[6 + j]};
        pl_scene_place_vector(above, column);
        for (int i = 0; i < 3; i++) out->m[4 * i + j] = column[i];
        w[j] *= RADIANS;
    }
    pl_scene_place_point(above, t);
    pl_scene_place_vector(above, v);
    pl_scene_place_vector(above, w);
    // What the instance adds: v + w x (x - t).
    const double back[3] = {-t[0], -t[1], -t[2]};
    add_cross(w, back, v);
    for (int i = 0; i < 3; i++) {
        out->m[4 * i + 3] = t[i];
        out->velocity[i] += v[i];
        out->spin[i] += w[i];
    }
    return PL_OK;
}

// --- Bodies ---

// The centre of mass of what the tets fill or the faces enclose; of the vertices, if that is
// nothing.
static void find_centre(const pl_mesh *mesh, double centre[3])
{
    const double *x = pl_mesh_positions(mesh);
    int64_t n_tet = pl_mesh_tet_count(mesh), n_vert = pl_mesh_vertex_count(mesh);
    int64_t n = n_tet > 0 ? n_tet : pl_mesh_face_count(mesh);
    double sum[3] = {0}, volume = 0, mean[3] = {0};
    for (int64_t i = 0; i < 3 * n_vert; i++) mean[i % 3] += x[i] / (double)n_vert;
    for (int64_t i = 0; i < n; i++) {
        const int32_t *v = n_tet > 0 ? pl_mesh_tets(mesh) + 4 * i : pl_mesh_faces(mesh) + 3 * i;
        vec3 corner = vec3_of(n_tet > 0 ? x + 3 * (int64_t)v[3] : mean), p[3], middle = corner;
        for (int k = 0; k < 3; k++) {
            p[k] = vec3_sub(vec3_of(x + 3 * (int64_t)v[k]), corner);
            middle = vec3_add(middle, vec3_scale(p[k], 0.25));
        }
        double part = vec3_dot(vec3_cross(p[0], p[1]), p[2]);
        volume += part;
        vec3_store(vec3_add(vec3_of(sum), vec3_scale(middle, part)), sum);
    }
    for (int k = 0; k < 3; k++) centre[k] = volume != 0 ? sum[k] / volume : mean[k];
}

static void place_motion(const pl_scene_place *place, pl_motion *motion)
{
    pl_scene_place_vector(place, motion->velocity);
    pl_scene_place_vector(place, motion->axis);
    pl_scene_place_point(place, motion->centre);
    for (int32_t i = 0; i < motion->n_key; i++) {
        pl_scene_place_vector(place, ((pl_motion_key *)motion->key)[i].offset);
    }
    for (int32_t i = 0; i < motion->n_until; i++) {
        pl_motion_until *u = (pl_motion_until *)&motion->until[i];
        const double t[3] = {place->m[3], place->m[7], place->m[11]};
        pl_scene_place_vector(place, u->direction);
        u->level += vec3_dot(vec3_of(u->direction), vec3_of(t));
    }
}

static void place_velocity(const pl_scene_place *place, const double centre[3], double velocity[3],
                           double spin[3])
{
    pl_scene_place_vector(place, velocity);
    pl_scene_place_vector(place, spin);
    for (int k = 0; k < 3; k++) {
        velocity[k] += place->velocity[k];
        spin[k] += place->spin[k];
    }
    add_cross(place->spin, centre, velocity);
}

pl_status pl_scene_place_body(const pl_scene_place *place, pl_scene_body *body)
{
    double centre[3];
    if (!place->moved) return PL_OK;
    PL_TRY(pl_mesh_transform(body->mesh, place->m));
    place_motion(place, &body->kinematic.motion);
    for (int32_t i = 0; i < body->n_driven; i++) place_motion(place, &body->driven[i].motion);
    int64_t n = body->kind == PL_BODY_RIGID ? 2 : pl_mesh_vertex_count(body->mesh);
    for (int64_t i = 0; body->force != NULL && i < n; i++) {
        pl_scene_place_vector(place, body->force + 3 * i);
        for (int32_t k = 0; k < body->n_load; k++) {
            pl_scene_place_vector(place, body->load[k].force + 3 * i);
        }
    }
    if (body->cut.on) {
        pl_scene_place_vector(place, body->cut.normal);
        const double t[3] = {place->m[3], place->m[7], place->m[11]};
        body->cut.offset += vec3_dot(vec3_of(body->cut.normal), vec3_of(t));
    }
    if (!body->simulated) return PL_OK;
    find_centre(body->mesh, centre);
    place_velocity(place, centre, body->rigid.velocity, body->rigid.angular_velocity);
    place_velocity(place, centre, body->deformable.velocity, body->deformable.angular_velocity);
    return PL_OK;
}
