// Forces as a product: what contacts do to vertices, faces and bodies, and stress.

#include "contact_step.h"
#include "../meshes/mesh.h"

#include <math.h>
#include <string.h>

// --- Contacts ---

// The force of a contact on body a, along the world's axes [N].
static void force_of(const pl_contact_point *c, double F[3])
{
    for (int k = 0; k < 3; k++) F[k] = c->force * c->normal[k] + c->friction[k];
}

pl_status pl_world_contact_forces(const pl_world *world, int32_t body, double *force)
{
    int32_t place, n;
    PL_REQUIRE(force);
    PL_TRY(pl_world_find(world, body, &place));
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    memset(force, 0, 3 * (size_t)world->bodies.body[place].mesh->n_vert * sizeof *force);
    for (int32_t i = 0; i < n; i++) {
        const pl_contact_point *c = &contact[i];
        double F[3];
        force_of(c, F);
        for (int k = 0; k < 4; k++) {
            int32_t owner = k < c->n_a ? c->body_a : c->body_b;
            bool ours = owner == body && c->vertex[k] >= 0;
            for (int j = 0; j < 3 && ours; j++) {
                force[3 * (int64_t)c->vertex[k] + j] += c->weight[k] * F[j];
            }
        }
    }
    return PL_OK;
}

// A third of the area of the faces around each vertex [m^2].
static void add_areas(const pl_mesh *surface, const double *x, double *face_area, double *area)
{
    for (int64_t i = 0; i < surface->n_face; i++) {
        const int32_t *f = surface->face + 3 * i;
        double normal[3];
        pl_face_normal(x + 3 * (int64_t)f[0], x + 3 * (int64_t)f[1], x + 3 * (int64_t)f[2], normal);
        face_area[i] = 0.5 * sqrt(pl_dot(normal, normal));
        for (int k = 0; k < 3; k++) area[f[k]] += face_area[i] / 3;
    }
}

// A vertex has the traction F / area, a face the mean of its corners': the sum over faces of
// traction times area is that of the forces. Arrays are those of the surface.
static pl_status spread(const pl_mesh *surface, const double *x, const double *force,
                        double *traction)
{
    double *area = pl_alloc_zero(surface->n_vert, sizeof *area);
    double *face_area = pl_alloc(surface->n_face, sizeof *face_area);
    pl_status status = area != NULL && face_area != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) add_areas(surface, x, face_area, area);
    for (int64_t i = 0; status == PL_OK && i < surface->n_face; i++) {
        const int32_t *f = surface->face + 3 * i;
        for (int j = 0; j < 3; j++) {
            traction[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) {
                double a = area[f[k]];
                if (a > 0) traction[3 * i + j] += force[3 * (int64_t)f[k] + j] / (3 * a);
            }
        }
    }
    pl_free(area);
    pl_free(face_area);
    return status;
}

pl_status pl_world_contact_traction(const pl_world *world, int32_t body, double *traction)
{
    int32_t place;
    PL_REQUIRE(traction);
    PL_TRY(pl_world_find(world, body, &place));
    const pl_mesh *mesh = world->bodies.body[place].mesh;
    const double *x = pl_world_positions(world, body);
    double *force = pl_alloc(3 * (int64_t)mesh->n_vert, sizeof *force);
    double *at = pl_alloc(6 * (int64_t)mesh->n_vert, sizeof *at), *there = NULL;
    int32_t *vertex = pl_alloc(mesh->n_vert, sizeof *vertex);
    pl_mesh *surface = NULL;
    pl_status status = PL_ERROR_MEMORY;
    if (force != NULL && at != NULL && vertex != NULL) status = PL_OK;
    if (status == PL_OK) status = pl_world_contact_forces(world, body, force);
    if (status == PL_OK) status = pl_mesh_surface(mesh, vertex, &surface);
    if (status == PL_OK) {
        there = at + 3 * (int64_t)mesh->n_vert;
        for (int64_t i = 0; i < surface->n_vert; i++) {
            memcpy(at + 3 * i, x + 3 * (int64_t)vertex[i], 3 * sizeof *x);
            memcpy(there + 3 * i, force + 3 * (int64_t)vertex[i], 3 * sizeof *force);
        }
        status = spread(surface, at, there, traction);
    }
    pl_mesh_destroy(surface);
    pl_free(force);
    pl_free(at);
    pl_free(vertex);
    return status;
}

pl_status pl_world_resultant(const pl_world *world, int32_t body, int32_t other, pl_resultant *out)
{
    int32_t place, n;
    PL_REQUIRE(out);
    *out = (pl_resultant){0};
    PL_TRY(pl_world_find(world, body, &place));
    if (other != -1) PL_TRY(pl_world_find(world, other, &place));
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    for (int32_t i = 0; i < n; i++) {
        const pl_contact_point *c = &contact[i];
        bool first = c->body_a == body && (other == -1 || c->body_b == other);
        bool second = c->body_b == body && (other == -1 || c->body_a == other);
        if (first == second) continue; // not its own, or with itself
        double F[3], turn[3], sign = first ? 1 : -1;
        force_of(c, F);
        pl_cross(c->point, F, turn);
        for (int k = 0; k < 3; k++) {
            out->force[k] += sign * F[k];
            out->torque[k] += sign * turn[k];
            out->centre[k] += c->force * c->point[k];
        }
        out->pressing += c->force;
        out->contacts++;
    }
    for (int k = 0; k < 3 && out->pressing > 0; k++) out->centre[k] /= out->pressing;
    return PL_OK;
}

pl_status pl_world_body_contacts(const pl_world *world, int32_t body, int32_t capacity,
                                 int32_t *index, int32_t *n)
{
    int32_t place, all;
    PL_REQUIRE(n);
    *n = 0;
    PL_TRY(pl_world_find(world, body, &place));
    if (capacity < 0 || (capacity > 0 && index == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "index: no array for %d", (int)capacity);
    }
    const pl_contact_point *contact = pl_world_contacts(world, &all);
    for (int32_t i = 0; i < all; i++) {
        if (contact[i].body_a != body && contact[i].body_b != body) continue;
        if (*n < capacity) index[*n] = i;
        (*n)++;
    }
    return PL_OK;
}

// --- Stress ---

// Each vertex := the mean of its tets, by their volumes at rest.
static pl_status average(const pl_mesh *mesh, const double *tet, double *vertex)
{
    double *volume = pl_alloc_zero(mesh->n_vert, sizeof *volume);
    if (volume == NULL) return PL_ERROR_MEMORY;
    memset(vertex, 0, 6 * (size_t)mesh->n_vert * sizeof *vertex);
    for (int64_t i = 0; i < mesh->n_tet; i++) {
        const int32_t *t = mesh->tet + 4 * i;
        double part = pl_tet_volume(mesh->x, t);
        for (int k = 0; k < 4; k++) {
            volume[t[k]] += part;
            for (int j = 0; j < 6; j++) vertex[6 * (int64_t)t[k] + j] += part * tet[6 * i + j];
        }
    }
    for (int64_t i = 0; i < 6 * (int64_t)mesh->n_vert; i++) {
        if (volume[i / 6] > 0) vertex[i] /= volume[i / 6];
    }
    pl_free(volume);
    return PL_OK;
}

pl_status pl_world_stress_tensor(pl_world *world, int32_t body, double *tet, double *vertex)
{
    int32_t place;
    PL_TRY(pl_world_find(world, body, &place));
    if (world->bodies.body[place].kind != PL_BODY_DEFORMABLE) {
        return pl_fail(PL_ERROR_ARGUMENT, "body %d is not deformable", (int)body);
    }
    PL_TRY(pl_world_prepare(world));
    const pl_world_body *b = &world->bodies.body[place];
    double *tensor = pl_alloc(6 * (int64_t)b->mesh->n_tet, sizeof *tensor);
    if (tensor == NULL) return PL_ERROR_MEMORY;
    int32_t before = pl_threads_enter(world->options.threads);
    pl_fem_stress(&world->system.fem, b->fem, world->state.x, NULL, NULL, tensor);
    pl_threads_set(before);
    if (tet != NULL) memcpy(tet, tensor, 6 * (size_t)b->mesh->n_tet * sizeof *tet);
    pl_status status = vertex != NULL ? average(b->mesh, tensor, vertex) : PL_OK;
    pl_free(tensor);
    return status;
}
