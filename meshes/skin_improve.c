#include "skin_improve.h"
#include "geometry.h"

#include <math.h>

enum { ROUNDS = 5 };

// A change must make the worst face better by this factor. Faces of better quality than GOOD (a
// smallest angle of 25 degrees or more) are left alone: what they could gain is not worth the
// error.
#define GAIN 1.02
#define GOOD 0.65

// A shift may raise the error of the vertex by this factor.
#define COST_GROWTH 1.5

// The surface must stay where it is: no face may turn by more than about 18 degrees (shift) or 25
// degrees (flip). The limit of quality is above every value, which leaves the rule that a patch
// must not be worse than what it replaces.
static const pl_patch_limits shift_limits = {.quality = 2, .turn = 0.95, .fold = -0.8};
static const pl_patch_limits flip_limits = {.quality = 2, .turn = 0.9, .fold = -0.8};

static bool try_patch(pl_skin *skin, const pl_patch *patch, const pl_patch_limits *limits)
{
    double old = pl_patch_old_quality(skin, patch);
    if (old > GOOD || pl_patch_new_quality(skin, patch) < GAIN * old) return false;
    if (!pl_patch_fits(skin, patch, limits)) return false;
    pl_patch_apply(skin, patch);
    return true;
}

// --- Flips ---

// The face on the other side of the edge u-v from face f, whose corner opposite to it is *opposite.
static int32_t face_across(const pl_skin *skin, int32_t f, int32_t u, int32_t v, int32_t *opposite)
{
    int32_t near = skin->valence[u] <= skin->valence[v] ? u : v, far = u + v - near;
    for (int32_t c = skin->first[near]; c >= 0; c = skin->next[c]) {
        const int32_t *g = skin->face + (c - c % 3);
        int32_t a = g[(c + 1) % 3], b = g[(c + 2) % 3];
        if (c / 3 == f || (a != far && b != far)) continue;
        *opposite = a == far ? b : a;
        return c / 3;
    }
    return -1;
}

static bool joined(const pl_skin *skin, int32_t u, int32_t v)
{
    int32_t opposite;
    return face_across(skin, -1, u, v, &opposite) >= 0;
}

// The edge from corner c to the next, seen from its face.
static bool flip_edge(pl_skin *skin, int32_t c)
{
    int32_t f = c / 3, k = c % 3, z;
    const int32_t *v = skin->face + 3 * (int64_t)f;
    int32_t u = v[k], w = v[(k + 1) % 3], y = v[(k + 2) % 3];
    int32_t g = face_across(skin, f, u, w, &z);
    if (g < 0 || y == z || skin->valence[u] <= 3 || skin->valence[w] <= 3) return false;
    if (joined(skin, y, z)) return false;
    pl_patch patch = {.n_old = 2, .old = {f, g}, .n_new = 2, .vertex = -1};
    const int32_t corner[6] = {y, u, z, z, w, y};
    for (int i = 0; i < 6; i++) patch.corner[i] = corner[i];
    return try_patch(skin, &patch, &flip_limits);
}

// --- Shifts ---

// Moves v towards the middle of its neighbours, in the plane that keeps the volume.
static bool shift_vertex(pl_skin *skin, int32_t v, pl_place_cost *cost, const void *user)
{
    pl_patch patch = {.vertex = v};
    int32_t n = pl_skin_star(skin, v, patch.old);
    if (n < 3) return false;
    patch.n_old = patch.n_new = n;
    const double *x = skin->x + 3 * (int64_t)v;
    double s = skin->scale, g[3] = {0, 0, 0}, to[3] = {0, 0, 0};
    for (int32_t i = 0; i < n; i++) {
        const int32_t *f = skin->face + 3 * (int64_t)patch.old[i];
        int k = f[0] == v ? 0 : f[1] == v ? 1 : 2;
        const double *a = skin->x + 3 * (int64_t)f[(k + 1) % 3];
        const double *b = skin->x + 3 * (int64_t)f[(k + 2) % 3];
        for (int j = 0; j < 3; j++) {
            patch.corner[3 * i + j] = f[j];
            to[j] += s * (a[j] - x[j]) / n;
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            g[j] += s * (a[j1] - x[j1]) * s * (b[j2] - x[j2]) -
                    s * (a[j2] - x[j2]) * s * (b[j1] - x[j1]);
        }
    }
    double gg = pl_dot(g, g);
    if (!(gg > 0)) return false;
    double along = pl_dot(to, g) / gg;
    for (int step = 0; step < 3; step++) { // all the way, a half, a quarter
        for (int j = 0; j < 3; j++) patch.at[j] = x[j] + ldexp(to[j] - along * g[j], -step) / s;
        if (cost(user, v, patch.at) > COST_GROWTH * cost(user, v, x)) continue;
        if (try_patch(skin, &patch, &shift_limits)) return true;
    }
    return false;
}

void pl_skin_improve(pl_skin *skin, pl_place_cost *cost, const void *user)
{
    for (int round = 0; round < ROUNDS; round++) {
        int32_t changes = 0;
        for (int32_t c = 0; c < 3 * skin->n_face; c++) {
            int32_t u = skin->face[c];
            if (u >= 0 && u < skin->face[c - c % 3 + (c + 1) % 3]) changes += flip_edge(skin, c);
        }
        for (int32_t v = 0; v < skin->n_vert; v++) {
            if (skin->first[v] >= 0) changes += shift_vertex(skin, v, cost, user);
        }
        if (changes == 0) return;
    }
}
