#include "scene_copies.h"
#include "../common/random.h"
#include "scene_keys.h"

#include <math.h>
#include <string.h>

// Copies for which no spacing is given stand apart by this part of their size.
static const double APART = 0.05;

// --- Reading ---

// What a copy takes along each axis: its box, or if it is turned, the ball around the point that it
// is turned about [m].
static void measure(const pl_mesh *shape, bool turn, double size[3])
{
    double lo[3], hi[3], square = 0;
    pl_mesh_bounds(shape, lo, hi);
    for (int64_t i = 0; i < pl_mesh_vertex_count(shape); i++) {
        const double *x = pl_mesh_positions(shape) + 3 * i;
        square = fmax(square, x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    }
    for (int k = 0; k < 3; k++) size[k] = turn ? 2 * sqrt(square) : hi[k] - lo[k];
}

// Whole numbers of 1 or more (least), n of them.
static pl_status read_counts(const pl_json *at, const char *key, int n, int least, int32_t *value)
{
    pl_json v, item = {0};
    int given = 0;
    if (!pl_json_get(at, key, &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &given));
    if (given != n) {
        return pl_json_fail(&v, "%s numbers expected", n == 3 ? "three" : "two");
    }
    for (int k = 0; pl_json_next(&v, &item); k++) {
        PL_TRY(pl_json_whole(&item, &value[k]));
        if (value[k] < least) return pl_json_fail(&item, "at least %d expected", least);
        if (value[k] > PL_SCENE_BODIES) return pl_json_fail(&item, "too many");
    }
    return PL_OK;
}

static pl_status count_all(const pl_json *at, pl_copies *c)
{
    int64_t total = 0;
    for (int32_t layer = 0; layer < c->count[2]; layer++) {
        int64_t nx = c->count[0] - (int64_t)layer * c->shrink[0];
        int64_t ny = c->count[1] - (int64_t)layer * c->shrink[1];
        if (nx < 1 || ny < 1) {
            return pl_json_fail(at, "shrink: nothing is left for layer %d", (int)layer + 1);
        }
        total += nx * ny;
        if (total > PL_SCENE_BODIES) {
            return pl_json_fail(at, "count: more than %d bodies", (int)PL_SCENE_BODIES);
        }
    }
    c->total = (int32_t)total;
    return PL_OK;
}

static pl_status read_spacing(const pl_json *at, const pl_mesh *shape, pl_copies *c)
{
    static const char *const axes[] = {"x", "y", "z"};
    double size[3];
    measure(shape, c->turn, size);
    for (int k = 0; k < 3; k++) c->spacing[k] = (1 + APART) * size[k] + c->jitter;
    PL_TRY(pl_json_vector(at, "spacing", c->spacing));
    for (int k = 0; k < 3; k++) {
        double room = c->spacing[k] - c->jitter;
        if (c->count[k] > 1 && !(room > size[k])) {
            return pl_json_fail(at, "spacing: copies would touch along %s: each takes %g m there",
                                axes[k], size[k] + c->jitter);
        }
    }
    return PL_OK;
}

pl_status pl_copies_read(const pl_json *at, const pl_mesh *shape, pl_copies *out)
{
    *out = (pl_copies){.total = 1, .count = {1, 1, 1}};
    pl_json v, count;
    if (!pl_json_get(at, "copies", &v)) return PL_OK;
    PL_TRY(pl_scene_check_keys(&v, PL_KEYS_COPIES));
    PL_TRY(pl_json_require(&v, "count", &count));
    PL_TRY(read_counts(&v, "count", 3, 1, out->count));
    PL_TRY(read_counts(&v, "shrink", 2, 0, out->shrink));
    PL_TRY(pl_json_not_negative(&v, "jitter", &out->jitter));
    PL_TRY(pl_json_bool(&v, "turn", &out->turn));
    PL_TRY(pl_json_count(&v, "seed", &out->seed));
    PL_TRY(count_all(&v, out));
    return read_spacing(&v, shape, out);
}

// --- Placing ---

// A point of the 4-ball that is not too near its centre, as a unit quaternion: all turns alike.
static void random_turn(uint64_t *state, double m[12])
{
    double q[4], square;
    do {
        square = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = 2 * pl_random(state) - 1;
            square += q[k] * q[k];
        }
    } while (square > 1 || square < 0.01);
    for (int k = 0; k < 4; k++) q[k] /= sqrt(square);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int k = 0; k < 9; k++) m[4 * (k / 3) + k % 3] = r[k];
}

// Row by row along x, then y, then layer by layer.
void pl_copies_place(const pl_copies *c, int32_t i, double m[12])
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    int32_t at[3] = {0}, nx = c->count[0], ny = c->count[1], left = i;
    for (; left >= nx * ny; at[2]++) {
        left -= nx * ny;
        nx -= c->shrink[0];
        ny -= c->shrink[1];
    }
    at[0] = left % nx;
    at[1] = left / nx;
    const double first[3] = {-0.5 * (nx - 1), -0.5 * (ny - 1), 0};
    // Each copy has its own numbers, so that one more of them changes no other.
    uint64_t state = (uint64_t)c->seed << 32 | (uint32_t)i;
    memcpy(m, identity, sizeof identity);
    if (c->turn) random_turn(&state, m);
    for (int k = 0; k < 3; k++) {
        double off = c->jitter > 0 ? c->jitter * (pl_random(&state) - 0.5) : 0;
        m[4 * k + 3] = c->spacing[k] * (first[k] + at[k]) + off;
    }
}
