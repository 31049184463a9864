#include "skin.h"
#include "geometry.h"
#include "triangles.h"

#include <math.h>
#include <string.h>

// --- Life ---

// Puts corner c at the head of its vertex's chain.
static void link_corner(pl_skin *skin, int32_t c)
{
    int32_t v = skin->face[c], head = skin->first[v];
    skin->next[c] = head;
    skin->prev[c] = -1;
    if (head >= 0) skin->prev[head] = c;
    skin->first[v] = c;
    skin->valence[v]++;
}

static void unlink_corner(pl_skin *skin, int32_t c)
{
    int32_t v = skin->face[c], next = skin->next[c], prev = skin->prev[c];
    if (next >= 0) skin->prev[next] = prev;
    if (prev >= 0) skin->next[prev] = next;
    if (prev < 0) skin->first[v] = next;
    skin->valence[v]--;
}

pl_status pl_skin_create(const pl_mesh *surface, pl_skin *out)
{
    int64_t n_vert = surface->n_vert, n_face = surface->n_face;
    *out = (pl_skin){.n_vert = surface->n_vert, .n_face = surface->n_face};
    out->n_alive = surface->n_face;
    out->x = pl_alloc(3 * n_vert, sizeof *out->x);
    out->face = pl_alloc(3 * n_face, sizeof *out->face);
    out->first = pl_alloc(n_vert, sizeof *out->first);
    out->next = pl_alloc(3 * n_face, sizeof *out->next);
    out->prev = pl_alloc(3 * n_face, sizeof *out->prev);
    out->valence = pl_alloc_zero(n_vert, sizeof *out->valence);
    out->mark = pl_alloc_zero(n_face, sizeof *out->mark);
    pl_status status = PL_ERROR_MEMORY;
    if (out->x != NULL && out->face != NULL && out->first != NULL && out->next != NULL &&
        out->prev != NULL && out->valence != NULL && out->mark != NULL) {
        status = pl_tree_build(surface->n_face, surface->face, surface->x, &out->tree);
    }
    if (status != PL_OK) {
        pl_skin_free(out);
        return status;
    }
    double lo[3], hi[3], extent = 0;
    pl_mesh_bounds(surface, lo, hi);
    for (int k = 0; k < 3; k++) extent = fmax(extent, 0.5 * hi[k] - 0.5 * lo[k]);
    int exponent;
    frexp(extent, &exponent);
    out->scale = ldexp(1, PL_MIN(PL_MAX(-exponent, -1020), 1020));
    memcpy(out->x, surface->x, 3 * (size_t)n_vert * sizeof *out->x);
    memcpy(out->face, surface->face, 3 * (size_t)n_face * sizeof *out->face);
    for (int64_t v = 0; v < n_vert; v++) out->first[v] = -1;
    for (int32_t c = 3 * out->n_face - 1; c >= 0; c--) link_corner(out, c);
    return PL_OK;
}

void pl_skin_free(pl_skin *skin)
{
    pl_free(skin->x);
    pl_free(skin->face);
    pl_free(skin->first);
    pl_free(skin->next);
    pl_free(skin->prev);
    pl_free(skin->valence);
    pl_free(skin->mark);
    pl_tree_free(&skin->tree);
    *skin = (pl_skin){0};
}

pl_status pl_skin_mesh(const pl_skin *skin, pl_mesh **out)
{
    *out = NULL;
    int32_t *number = pl_alloc(skin->n_vert, sizeof *number);
    if (number == NULL) return PL_ERROR_MEMORY;
    int32_t n_vert = 0, n_face = 0;
    for (int32_t v = 0; v < skin->n_vert; v++) number[v] = skin->first[v] >= 0 ? n_vert++ : -1;
    pl_status status = pl_mesh_alloc(n_vert, skin->n_alive, 0, out);
    for (int32_t v = 0; v < skin->n_vert && status == PL_OK; v++) {
        if (number[v] < 0) continue;
        memcpy((*out)->x + 3 * (int64_t)number[v], skin->x + 3 * (int64_t)v, 3 * sizeof(double));
    }
    for (int32_t f = 0; f < skin->n_face && status == PL_OK; f++) {
        const int32_t *corner = skin->face + 3 * (int64_t)f;
        if (corner[0] < 0) continue;
        for (int k = 0; k < 3; k++) (*out)->face[3 * (int64_t)n_face + k] = number[corner[k]];
        n_face++;
    }
    pl_free(number);
    return status;
}

int32_t pl_skin_star(const pl_skin *skin, int32_t vertex, int32_t *list)
{
    int32_t n = 0;
    if (skin->valence[vertex] > PL_PATCH_FACES) return -1;
    for (int32_t c = skin->first[vertex]; c >= 0; c = skin->next[c]) list[n++] = c / 3;
    return n;
}

// --- Shape ---

static const double *point(const pl_skin *skin, int32_t v)
{
    return skin->x + 3 * (int64_t)v;
}

// In units in which nothing over- or underflows.
static void normal_of(const pl_skin *skin, const double *a, const double *b, const double *c,
                      double n[3])
{
    double u[3], v[3], s = skin->scale;
    for (int k = 0; k < 3; k++) {
        u[k] = s * b[k] - s * a[k];
        v[k] = s * c[k] - s * a[k];
    }
    pl_cross(u, v, n);
}

// The cosine between two vectors; -1 if one of them is 0.
static double cosine(const double a[3], const double b[3])
{
    double lengths = sqrt(pl_dot(a, a)) * sqrt(pl_dot(b, b));
    return lengths > 0 ? pl_dot(a, b) / lengths : -1;
}

// 4 sqrt(3) area / sum of squared edges: 1 for an equilateral triangle.
static double quality_of(const pl_skin *skin, const double *a, const double *b, const double *c)
{
    double n[3], sum = 0, s = skin->scale;
    normal_of(skin, a, b, c, n);
    for (int k = 0; k < 3; k++) {
        double u = s * b[k] - s * a[k], v = s * c[k] - s * b[k], w = s * a[k] - s * c[k];
        sum += u * u + v * v + w * w;
    }
    return sum > 0 ? 2 * sqrt(3.0) * sqrt(pl_dot(n, n)) / sum : 0;
}

// A corner of the patch: the vertex that moves is already where it goes.
static const double *patch_point(const pl_skin *skin, const pl_patch *patch, int32_t v)
{
    return v == patch->vertex ? patch->at : point(skin, v);
}

double pl_patch_old_quality(const pl_skin *skin, const pl_patch *patch)
{
    double worst = 1;
    for (int32_t i = 0; i < patch->n_old; i++) {
        const int32_t *v = skin->face + 3 * (int64_t)patch->old[i];
        double q = quality_of(skin, point(skin, v[0]), point(skin, v[1]), point(skin, v[2]));
        worst = PL_MIN(worst, q);
    }
    return worst;
}

double pl_patch_new_quality(const pl_skin *skin, const pl_patch *patch)
{
    double worst = 1;
    for (int32_t i = 0; i < patch->n_new; i++) {
        const int32_t *v = patch->corner + 3 * i;
        double q = quality_of(skin, patch_point(skin, patch, v[0]), patch_point(skin, patch, v[1]),
                              patch_point(skin, patch, v[2]));
        worst = PL_MIN(worst, q);
    }
    return worst;
}

static bool shape_fits(const pl_skin *skin, const pl_patch *patch, const pl_patch_limits *limits)
{
    for (int k = 0; k < 3 && patch->vertex >= 0; k++) {
        if (!isfinite(patch->at[k])) return false;
    }
    double quality = pl_patch_new_quality(skin, patch);
    if (!(quality > 0)) return false;
    if (quality < limits->quality && quality < pl_patch_old_quality(skin, patch)) return false;
    for (int32_t i = 0; i < patch->n_new; i++) {
        const int32_t *v = patch->corner + 3 * i, *w = skin->face + 3 * (int64_t)patch->old[i];
        double fresh[3], gone[3];
        normal_of(skin, patch_point(skin, patch, v[0]), patch_point(skin, patch, v[1]),
                  patch_point(skin, patch, v[2]), fresh);
        normal_of(skin, point(skin, w[0]), point(skin, w[1]), point(skin, w[2]), gone);
        if (cosine(fresh, gone) < limits->turn) return false;
    }
    return true;
}

// --- Trial ---

typedef struct trial {
    const pl_skin *skin;
    const pl_patch *patch;
    double normal[PL_PATCH_FACES][3]; // of the new faces
    pl_box box[PL_PATCH_FACES];
    double fold;
} trial;

static bool share_edge(const int32_t a[3], const int32_t b[3])
{
    int shared = 0;
    for (int k = 0; k < 9; k++) shared += a[k / 3] == b[k % 3];
    return shared == 2;
}

// The new face i against another, new or not.
static bool pair_fits(const trial *trial, int32_t i, const int32_t other[3])
{
    const pl_skin *skin = trial->skin;
    const int32_t *face = trial->patch->corner + 3 * i;
    if (share_edge(face, other)) {
        double normal[3];
        normal_of(skin, point(skin, other[0]), point(skin, other[1]), point(skin, other[2]),
                  normal);
        if (cosine(trial->normal[i], normal) < trial->fold) return false;
    }
    return !pl_faces_meet(skin->x, face, other);
}

static bool visit_neighbour(void *user, int32_t f)
{
    const trial *trial = user;
    const pl_skin *skin = trial->skin;
    const pl_box *box = &skin->tree.box[skin->tree.leaf[f]];
    if (skin->mark[f] == skin->stamp) return true;
    for (int32_t i = 0; i < trial->patch->n_new; i++) {
        if (!pl_boxes_overlap(&trial->box[i], box)) continue;
        if (!pair_fits(trial, i, skin->face + 3 * (int64_t)f)) return false;
    }
    return true;
}

// With the vertex at its new place: the new faces against each other and against all others.
static bool faces_fit(const pl_skin *skin, const pl_patch *patch, double fold)
{
    trial trial;
    trial.skin = skin;
    trial.patch = patch;
    trial.fold = fold;
    pl_box all = pl_face_box(skin->x, patch->corner);
    for (int32_t i = 0; i < patch->n_new; i++) {
        const int32_t *v = patch->corner + 3 * i;
        const double *a = point(skin, v[0]), *b = point(skin, v[1]), *c = point(skin, v[2]);
        if (pl_triangle_flat(a, b, c)) return false;
        normal_of(skin, a, b, c, trial.normal[i]);
        trial.box[i] = pl_face_box(skin->x, v);
        all = pl_boxes_join(&all, &trial.box[i]);
        for (int32_t j = 0; j < i; j++) {
            if (!pair_fits(&trial, i, patch->corner + 3 * j)) return false;
        }
    }
    return pl_tree_search(&skin->tree, &all, visit_neighbour, &trial);
}

bool pl_patch_fits(pl_skin *skin, const pl_patch *patch, const pl_patch_limits *limits)
{
    if (!shape_fits(skin, patch, limits)) return false;
    skin->stamp++;
    for (int32_t i = 0; i < patch->n_old; i++) skin->mark[patch->old[i]] = skin->stamp;
    double kept[3], *moving = patch->vertex >= 0 ? skin->x + 3 * (int64_t)patch->vertex : kept;
    memcpy(kept, moving, sizeof kept);
    if (patch->vertex >= 0) memcpy(moving, patch->at, sizeof kept);
    bool fits = faces_fit(skin, patch, limits->fold);
    memcpy(moving, kept, sizeof kept);
    return fits;
}

void pl_patch_apply(pl_skin *skin, const pl_patch *patch)
{
    if (patch->vertex >= 0)
        memcpy(skin->x + 3 * (int64_t)patch->vertex, patch->at, sizeof patch->at);
    for (int32_t i = 0; i < 3 * patch->n_old; i++) {
        unlink_corner(skin, 3 * patch->old[i / 3] + i % 3);
    }
    for (int32_t i = 0; i < patch->n_old; i++) {
        int32_t *corner = skin->face + 3 * (int64_t)patch->old[i];
        if (i >= patch->n_new) {
            corner[0] = corner[1] = corner[2] = -1;
            pl_tree_remove(&skin->tree, patch->old[i]);
            continue;
        }
        memcpy(corner, patch->corner + 3 * i, 3 * sizeof *corner);
        for (int32_t k = 0; k < 3; k++) link_corner(skin, 3 * patch->old[i] + k);
        pl_box box = pl_face_box(skin->x, corner);
        pl_tree_update(&skin->tree, patch->old[i], &box);
    }
    skin->n_alive -= patch->n_old - patch->n_new;
}
