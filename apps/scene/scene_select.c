#include "scene_select.h"
#include "scene_keys.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// Marks the vertices of a list of indices.
static pl_status select_listed(const pl_json *v, const pl_mesh *mesh, uint8_t *chosen)
{
    pl_json item = {0};
    while (pl_json_next(v, &item)) {
        int32_t index;
        PL_TRY(pl_json_whole(&item, &index));
        if (index >= pl_mesh_vertex_count(mesh)) {
            return pl_json_fail(&item, "vertex %d of %d: the first is 0", (int)index,
                                (int)pl_mesh_vertex_count(mesh));
        }
        chosen[index] = 1;
    }
    return PL_OK;
}

// Marks the vertices in a region. Every region is a box, most of whose sides may be at infinity.
static pl_status select_region(const pl_json *v, const pl_mesh *mesh, uint8_t *chosen)
{
    static const char *const axes[] = {"x", "y", "z"};
    double lo[3] = {-INFINITY, -INFINITY, -INFINITY}, hi[3] = {INFINITY, INFINITY, INFINITY};
    PL_TRY(pl_scene_check_keys(v, PL_KEYS_REGION));
    pl_json box;
    if (pl_json_get(v, "box", &box)) {
        pl_json side;
        PL_TRY(pl_scene_check_keys(&box, PL_KEYS_BOX));
        PL_TRY(pl_json_require(&box, "min", &side));
        PL_TRY(pl_json_require(&box, "max", &side));
        PL_TRY(pl_json_vector(&box, "min", lo));
        PL_TRY(pl_json_vector(&box, "max", hi));
    }
    int axis = 2;
    PL_TRY(pl_json_choice(v, "axis", axes, COUNT(axes), &axis));
    double above = -INFINITY, below = INFINITY;
    PL_TRY(pl_json_number(v, "above", &above));
    PL_TRY(pl_json_number(v, "below", &below));
    lo[axis] = fmax(lo[axis], above);
    hi[axis] = fmin(hi[axis], below);
    for (int64_t i = 0; i < pl_mesh_vertex_count(mesh); i++) {
        const double *x = pl_mesh_positions(mesh) + 3 * i;
        chosen[i] = x[0] >= lo[0] && x[0] <= hi[0] && x[1] >= lo[1] && x[1] <= hi[1] &&
                    x[2] >= lo[2] && x[2] <= hi[2];
    }
    return PL_OK;
}

pl_status pl_scene_read_selection(const pl_json *v, const pl_mesh *mesh, int32_t **vertex,
                                  int32_t *n)
{
    bool list = cJSON_IsArray(v->node);
    if (!list && !cJSON_IsObject(v->node)) {
        return pl_json_fail(v, "a list of vertices [...] or a region {...} expected");
    }
    uint8_t *chosen = pl_alloc_zero(pl_mesh_vertex_count(mesh), 1);
    if (chosen == NULL) return PL_ERROR_MEMORY;
    pl_status status = list ? select_listed(v, mesh, chosen) : select_region(v, mesh, chosen);
    *n = 0;
    for (int32_t i = 0; i < pl_mesh_vertex_count(mesh); i++) *n += chosen[i];
    if (status == PL_OK && *n == 0) status = pl_json_fail(v, "no vertex of the body lies there");
    if (status == PL_OK) {
        *vertex = pl_alloc(*n, sizeof **vertex);
        if (*vertex == NULL) status = PL_ERROR_MEMORY;
    }
    if (status == PL_OK) {
        int32_t k = 0;
        for (int32_t i = 0; i < pl_mesh_vertex_count(mesh); i++) {
            if (chosen[i]) (*vertex)[k++] = i;
        }
    }
    pl_free(chosen);
    return status;
}
