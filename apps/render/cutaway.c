#include "cutaway.h"
#include "../common/vec.h"

#include <string.h>

static const double LARGEST_SHRINK = 0.9;
// The corners of the faces of a tet, see pl_mesh_neighbours.
static const int TET_FACE[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// What is needed while a cutaway is made.
typedef struct cut {
    const pl_mesh *mesh;
    const pl_cutaway_options *options;
    bool *kept;      // (n_tet)
    int32_t *across; // (4*n_tet) the face 4 * tet + k on the other side, -1 at the boundary
} cut;

pl_cutaway_options pl_cutaway_options_default(const pl_mesh *mesh, const double normal[3])
{
    pl_cutaway_options options = {.outer_color = {92, 143, 204}, .inner_color = {242, 212, 150}};
    double lo[3], hi[3];
    pl_mesh_bounds(mesh, lo, hi);
    for (int c = 0; c < 3; c++) {
        options.point[c] = 0.5 * (lo[c] + hi[c]);
        options.normal[c] = normal[c];
    }
    return options;
}

static vec3 centroid(const pl_mesh *mesh, int32_t t)
{
    const double *x = pl_mesh_positions(mesh);
    const int32_t *tet = pl_mesh_tets(mesh) + 4 * (int64_t)t;
    vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) sum = vec3_add(sum, vec3_of(x + 3 * (int64_t)tet[k]));
    return vec3_scale(sum, 0.25);
}

static void choose_tets(cut *c)
{
    vec3 point = vec3_of(c->options->point), normal = vec3_of(c->options->normal);
    for (int32_t t = 0; t < pl_mesh_tet_count(c->mesh); t++) {
        c->kept[t] = vec3_dot(vec3_sub(centroid(c->mesh, t), point), normal) <= 0;
    }
}

// Is local face `side` (4 * tet + k) to be drawn?
static bool is_drawn(const cut *c, int32_t side)
{
    int32_t across = c->across[side];
    return c->kept[side / 4] && (c->options->shrink > 0 || across < 0 || !c->kept[across / 4]);
}

// Faces as vertices of the mesh, and their colours.
static pl_status collect_faces(const cut *c, pl_cutaway *out)
{
    int32_t n_side = 4 * pl_mesh_tet_count(c->mesh);
    int64_t n = 0;
    for (int32_t i = 0; i < n_side; i++) n += is_drawn(c, i);
    if (n == 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "cutaway: the plane leaves no tetrahedra; move it or "
                                          "turn its normal around");
    }
    if (n > INT32_MAX / 12) { // 12 coordinates per shrunken face
        return pl_fail(PL_ERROR_UNSUPPORTED, "cutaway: too many faces to draw");
    }
    out->face = pl_alloc(3 * n, sizeof *out->face);
    out->face_color = pl_alloc(3 * n, 1);
    if (out->face == NULL || out->face_color == NULL) return PL_ERROR_MEMORY;
    const int32_t *tet = pl_mesh_tets(c->mesh);
    for (int32_t i = 0; i < n_side; i++) {
        if (!is_drawn(c, i)) continue;
        int64_t at = 3 * (int64_t)out->n_face++;
        for (int k = 0; k < 3; k++) out->face[at + k] = tet[i - i % 4 + TET_FACE[i % 4][k]];
        bool outer = c->across[i] < 0;
        memcpy(out->face_color + at, outer ? c->options->outer_color : c->options->inner_color, 3);
    }
    return PL_OK;
}

// Leaves only the vertices that faces use, in the order in which they come.
static pl_status compact_vertices(const pl_mesh *mesh, pl_cutaway *out)
{
    int32_t n_mesh = pl_mesh_vertex_count(mesh);
    const double *x = pl_mesh_positions(mesh);
    int32_t *renamed = pl_alloc(n_mesh, sizeof *renamed);
    out->x = pl_alloc(3 * (int64_t)n_mesh, sizeof *out->x);
    if (renamed != NULL && out->x != NULL) {
        for (int32_t v = 0; v < n_mesh; v++) renamed[v] = -1;
        for (int64_t i = 0; i < 3 * (int64_t)out->n_face; i++) {
            int32_t v = out->face[i];
            if (renamed[v] < 0) {
                memcpy(out->x + 3 * (int64_t)out->n_vert, x + 3 * (int64_t)v, 3 * sizeof *x);
                renamed[v] = out->n_vert++;
            }
            out->face[i] = renamed[v];
        }
    }
    bool ok = renamed != NULL && out->x != NULL;
    pl_free(renamed);
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// Four vertices for each tet that stays; its four faces, which follow one another, use them.
static pl_status shrink_tets(const cut *c, pl_cutaway *out)
{
    const double *x = pl_mesh_positions(c->mesh);
    const int32_t *tet = pl_mesh_tets(c->mesh);
    out->n_vert = out->n_face;
    out->x = pl_alloc(3 * (int64_t)out->n_vert, sizeof *out->x);
    if (out->x == NULL) return PL_ERROR_MEMORY;
    int32_t base = 0;
    for (int32_t t = 0; t < pl_mesh_tet_count(c->mesh); t++) {
        if (!c->kept[t]) continue;
        vec3 middle = centroid(c->mesh, t);
        for (int k = 0; k < 4; k++) {
            vec3 p = vec3_of(x + 3 * (int64_t)tet[4 * (int64_t)t + k]);
            vec3 moved = vec3_add(p, vec3_scale(vec3_sub(middle, p), c->options->shrink));
            vec3_store(moved, out->x + 3 * (int64_t)(base + k));
            for (int i = 0; i < 3; i++)
                out->face[3 * (int64_t)(base + k) + i] = base + TET_FACE[k][i];
        }
        base += 4;
    }
    return PL_OK;
}

static pl_status make(cut *c, pl_cutaway *out)
{
    int32_t n_tet = pl_mesh_tet_count(c->mesh);
    c->kept = pl_alloc(n_tet, sizeof *c->kept);
    c->across = pl_alloc(4 * (int64_t)n_tet, sizeof *c->across);
    if (c->kept == NULL || c->across == NULL) return PL_ERROR_MEMORY;
    // Three tets on one face are no reason to show nothing.
    if (pl_mesh_neighbours(c->mesh, c->across) == PL_ERROR_MEMORY) return PL_ERROR_MEMORY;
    choose_tets(c);
    PL_TRY(collect_faces(c, out));
    return c->options->shrink > 0 ? shrink_tets(c, out) : compact_vertices(c->mesh, out);
}

pl_status pl_cutaway_make(const pl_mesh *mesh, const pl_cutaway_options *options, pl_cutaway *out)
{
    *out = (pl_cutaway){0};
    if (pl_mesh_tet_count(mesh) == 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "cutaway: the mesh has no tetrahedra to look into");
    }
    double length = vec3_length(vec3_of(options->normal));
    if (!(length > 0) || !isfinite(length + vec3_length(vec3_of(options->point)))) {
        return pl_fail(PL_ERROR_ARGUMENT, "cutaway: the plane's normal is zero or not finite");
    }
    if (!(options->shrink >= 0 && options->shrink <= LARGEST_SHRINK)) {
        return pl_fail(PL_ERROR_ARGUMENT, "cutaway: shrink is %g, not between 0 and %g",
                       options->shrink, LARGEST_SHRINK);
    }
    cut c = {.mesh = mesh, .options = options};
    pl_status status = make(&c, out);
    pl_free(c.kept);
    pl_free(c.across);
    if (status != PL_OK) pl_cutaway_free(out);
    return status;
}

void pl_cutaway_free(pl_cutaway *cutaway)
{
    pl_free(cutaway->x);
    pl_free(cutaway->face);
    pl_free(cutaway->face_color);
    *cutaway = (pl_cutaway){0};
}
