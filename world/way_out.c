#include "way_out.h"
#include "../base/text.h"
#include "../meshes/geometry.h"
#include "../meshes/mesh.h"

#include <math.h>
#include <string.h>

// Normals of faces that are tried as directions, of each body at most; evenly taken if it has more.
enum { NORMALS = 100 };

// Room that is left, by the mean edge length of the body that moves: above the safety distance of
// contacts (PL_SAFETY), and little to see.
static const double ROOM = 0.01;

// A way along gravity must be so much shorter than one against it: below is the ground.
static const double DOWN_COST = 10;

static const double *places(const pl_world *world, int32_t body)
{
    return world->published.x + 3 * (int64_t)world->bodies.body[body].published;
}

// --- Sizes ---

static double size_of(const pl_world *world, int32_t body)
{
    double lo[3], hi[3], edge[3];
    pl_mesh_bounds(world->bodies.body[body].mesh, lo, hi);
    pl_subtract(hi, lo, edge);
    return sqrt(pl_dot(edge, edge));
}

// A polygon of the mesh: a face, or a tet where it has no faces. Returns its number of corners.
static int polygon(const pl_mesh *mesh, int64_t i, const int32_t **corner)
{
    bool faces = mesh->n_face > 0;
    *corner = faces ? mesh->face + 3 * i : mesh->tet + 4 * i;
    return faces ? 3 : 4;
}

static int64_t count_polygons(const pl_mesh *mesh)
{
    return mesh->n_face > 0 ? mesh->n_face : mesh->n_tet;
}

static double mean_edge(const pl_mesh *mesh)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < count_polygons(mesh); i++) {
        const int32_t *corner;
        int corners = polygon(mesh, i, &corner);
        for (int k = 0; k < corners; k++, n++) {
            double edge[3];
            pl_subtract(mesh->x + 3 * (int64_t)corner[k],
                        mesh->x + 3 * (int64_t)corner[(k + 1) % corners], edge);
            sum += sqrt(pl_dot(edge, edge));
        }
    }
    return n > 0 ? sum / (double)n : 0;
}

// --- Directions ---

typedef struct way {
    const pl_world *world;
    int32_t body, other; // the one that moves
    double cost;         // of the best so far
    double distance, direction[3];
} way;

// How far the body goes along a unit vector until all of it is beyond all of the other.
static void try_direction(way *w, const double direction[3])
{
    const double *x = places(w->world, w->body), *y = places(w->world, w->other);
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < w->world->bodies.body[w->body].mesh->n_vert; i++) {
        least = fmin(least, pl_dot(x + 3 * i, direction));
    }
    for (int64_t i = 0; i < w->world->bodies.body[w->other].mesh->n_vert; i++) {
        most = fmax(most, pl_dot(y + 3 * i, direction));
    }
    double distance = fmax(most - least, 0);
    bool falls = pl_dot(direction, w->world->options.gravity) > 0;
    double cost = falls ? DOWN_COST * distance : distance;
    if (!(cost < w->cost)) return;
    w->cost = cost;
    w->distance = distance;
    memcpy(w->direction, direction, sizeof w->direction);
}

static void try_both(way *w, const double axis[3])
{
    double length = sqrt(pl_dot(axis, axis));
    if (!(length > 0)) return;
    for (int sign = 1; sign >= -1; sign -= 2) {
        const double s = sign / length;
        try_direction(w, (const double[3]){s * axis[0], s * axis[1], s * axis[2]});
    }
}

static void try_normals(way *w, int32_t body)
{
    const pl_mesh *mesh = w->world->bodies.body[body].mesh;
    const double *x = places(w->world, body);
    int64_t n = count_polygons(mesh), stride = 1 + n / NORMALS;
    for (int64_t i = 0; i < n; i += stride) {
        const int32_t *corner;
        double normal[3];
        polygon(mesh, i, &corner);
        pl_face_normal(x + 3 * (int64_t)corner[0], x + 3 * (int64_t)corner[1],
                       x + 3 * (int64_t)corner[2], normal);
        try_both(w, normal);
    }
}

int32_t pl_way_out(const pl_world *world, int32_t a, int32_t b, double move[3])
{
    static const double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    bool a_stays = world->bodies.body[a].kind == PL_BODY_KINEMATIC;
    bool b_stays = world->bodies.body[b].kind == PL_BODY_KINEMATIC;
    bool second = a_stays != b_stays ? a_stays : size_of(world, b) <= size_of(world, a);
    way w = {world, second ? b : a, second ? a : b, .cost = INFINITY};
    for (int k = 0; k < 3; k++) try_both(&w, axes[k]);
    try_normals(&w, a);
    try_normals(&w, b);
    double distance = w.distance + ROOM * mean_edge(world->bodies.body[w.body].mesh);
    for (int k = 0; k < 3; k++) move[k] = distance * w.direction[k];
    return w.body;
}

size_t pl_world_way_out(const pl_world *world, int32_t body_a, int32_t body_b, char *buffer,
                        size_t size)
{
    char name[PL_BODY_NAME];
    double move[3];
    pl_text text = pl_text_start(buffer, size);
    int32_t a = pl_world_place(world, body_a), b = pl_world_place(world, body_b);
    if (a < 0 || b < 0) return 0;
    if (a == b) {
        pl_text_add(&text, "mend the mesh of %s, or set self to false",
                    pl_world_body_name(world, a, name));
        return text.length;
    }
    int32_t body = pl_way_out(world, a, b, move);
    for (int k = 0; k < 3; k++) move[k] += 0.0; // no "-0"
    pl_text_add(&text, "move %s by (%.3g, %.3g, %.3g) m", pl_world_body_name(world, body, name),
                move[0], move[1], move[2]);
    return text.length;
}
