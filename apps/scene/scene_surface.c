#include "scene_surface.h"
#include "scene_keys.h"

#include <string.h>

static const double GROUND_SIZE = 100; // if the scene does not say [m]

// --- Groups ---

pl_groups pl_groups_none(void)
{
    // The first: bodies that name none.
    return (pl_groups){.name = {"", "ground"}, .has_bodies = {true, true}, .n = 2};
}

static int find_group(const pl_groups *groups, const char *name)
{
    int i = 0;
    while (i < groups->n && strcmp(groups->name[i], name) != 0) i++;
    return i;
}

// The number of a group, which is added if it is new.
static pl_status take_group(pl_groups *groups, const pl_json *v, const char *name, int *number)
{
    *number = find_group(groups, name);
    if (*number < groups->n) return PL_OK;
    if (groups->n == PL_GROUPS) return pl_json_fail(v, "more than %d groups", PL_GROUPS - 2);
    groups->ignored_at[groups->n] = *v;
    groups->name[groups->n++] = name;
    return PL_OK;
}

pl_status pl_groups_check(const pl_groups *groups)
{
    const char *known[PL_GROUPS];
    int n = 0;
    for (int i = 0; i < groups->n; i++) {
        if (groups->has_bodies[i]) known[n++] = groups->name[i];
    }
    for (int i = 0; i < groups->n; i++) {
        const char *name = groups->name[i];
        if (groups->has_bodies[i]) continue;
        pl_fail_unknown(PL_ERROR_FORMAT, "group", name, strlen(name), known, n);
        return pl_json_fail(&groups->ignored_at[i], "%s", pl_error_text());
    }
    return PL_OK;
}

uint32_t pl_groups_ground(const pl_groups *groups)
{
    return UINT32_C(1) << find_group(groups, "ground");
}

// --- Surfaces ---

// A body whose mask lacks a group does not touch it, whatever that group's masks are.
static pl_status read_ignore(const pl_json *at, pl_groups *groups, uint32_t *mask)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(at, "ignore", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    while (pl_json_next(&v, &item)) {
        const char *name = cJSON_GetStringValue(item.node);
        if (name == NULL) return pl_json_fail(&item, "the \"name\" of a group expected");
        int group;
        PL_TRY(take_group(groups, &item, name, &group));
        *mask &= ~(UINT32_C(1) << group);
    }
    return PL_OK;
}

pl_status pl_scene_read_surface(const pl_json *at, pl_groups *groups, pl_surface_options *surface)
{
    PL_TRY(pl_json_not_negative(at, "friction", &surface->friction));
    PL_TRY(pl_json_not_negative(at, "restitution", &surface->restitution));
    PL_TRY(pl_json_not_negative(at, "radius", &surface->radius));
    PL_TRY(pl_json_not_negative(at, "contact_distance", &surface->contact_distance));
    PL_TRY(pl_json_bool(at, "self", &surface->self));
    const char *name = "";
    int group;
    pl_json v;
    PL_TRY(pl_json_string(at, "group", &name));
    pl_json_get(at, "group", &v);
    PL_TRY(take_group(groups, &v, name, &group));
    groups->has_bodies[group] = true;
    surface->category = UINT32_C(1) << group;
    return read_ignore(at, groups, &surface->mask);
}

// --- The ground ---

pl_status pl_scene_read_ground(const pl_json *root, pl_scene *scene)
{
    pl_json v;
    scene->ground = true;
    scene->ground_size = GROUND_SIZE;
    scene->ground_surface = pl_surface_options_default();
    if (!pl_json_get(root, "ground", &v)) return PL_OK;
    if (cJSON_IsBool(v.node)) return pl_json_bool(root, "ground", &scene->ground);
    if (!cJSON_IsObject(v.node)) return pl_json_fail(&v, "true, false or an object {...} expected");
    PL_TRY(pl_scene_check_keys(&v, PL_KEYS_GROUND));
    PL_TRY(pl_json_not_negative(&v, "friction", &scene->ground_surface.friction));
    PL_TRY(pl_json_not_negative(&v, "restitution", &scene->ground_surface.restitution));
    return pl_json_positive(&v, "size", &scene->ground_size);
}
