#include "scene_names.h"
#include "../common/paths.h"
#include "scene_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pl_status pl_scene_place_text(const pl_json *at, char **out)
{
    return pl_path_in(out, NULL, "%s: %s", at->file, at->path);
}

pl_status pl_scene_read_name(const pl_json *at, const pl_scope *scope, char **out)
{
    const char *name = NULL;
    *out = NULL;
    PL_TRY(pl_json_string(at, "name", &name));
    if (name == NULL) return PL_OK;
    return pl_path_in(out, NULL, "%s%s", scope->prefix, name);
}

// --- Entries ---

// What messages call it: by its place in the file, in an instance by its name there.
static pl_status make_label(const pl_json *at, const pl_scope *scope, const pl_scene_entry *entry,
                            char **out)
{
    if (scope->prefix[0] == '\0') return pl_path_in(out, NULL, "%s", at->path);
    if (entry->name != NULL) return pl_path_in(out, NULL, "%s", entry->name);
    const char *dot = strrchr(at->path, '.');
    return pl_path_in(out, NULL, "%s%s", scope->prefix, dot != NULL ? dot + 1 : at->path);
}

pl_status pl_scene_add_entry(const pl_json *at, const pl_scope *scope, pl_scene *scene)
{
    PL_TRY(pl_reserve((void **)&scene->entries, &scene->entry_capacity, scene->n_entries + 1,
                      sizeof *scene->entries));
    pl_scene_entry *entry = &scene->entries[scene->n_entries++];
    *entry = (pl_scene_entry){.first = scene->n_bodies};
    PL_TRY(pl_scene_read_name(at, scope, &entry->name));
    PL_TRY(pl_scene_place_text(at, &entry->place));
    return make_label(at, scope, entry, &entry->label);
}

pl_status pl_scene_add_body(const pl_json *at, pl_scene *scene, pl_scene_body **out)
{
    if (scene->n_bodies == PL_SCENE_BODIES) {
        return pl_json_fail(at, "more than %d bodies in all", (int)PL_SCENE_BODIES);
    }
    PL_TRY(pl_reserve((void **)&scene->bodies, &scene->body_capacity, scene->n_bodies + 1,
                      sizeof *scene->bodies));
    *out = &scene->bodies[scene->n_bodies++];
    **out = (pl_scene_body){.entry = scene->n_entries - 1, .opacity = 1};
    scene->entries[scene->n_entries - 1].n++;
    return PL_OK;
}

// --- Looking for names ---

// Things with names: entries or joints.
typedef struct named {
    const pl_scene *scene;
    bool joints;
    const char *prefix;
} named;

static int32_t count(const named *all)
{
    return all->joints ? all->scene->n_joints : all->scene->n_entries;
}

// The name of one as it is known here; NULL: it is not.
static const char *name_of(const named *all, int32_t i)
{
    const char *name = all->joints ? all->scene->joints[i].name : all->scene->entries[i].name;
    size_t length = strlen(all->prefix);
    return name != NULL && strncmp(name, all->prefix, length) == 0 ? name + length : NULL;
}

// Where one stands in its file.
static const char *place_of(const named *all, int32_t i)
{
    const char *place = all->joints ? all->scene->joints[i].place : all->scene->entries[i].place;
    const char *path = strstr(place, ": ");
    return path != NULL ? path + 2 : place;
}

static pl_status fail_missing(const named *all, const pl_json *v, const char *name)
{
    const char *what = all->joints ? "joint" : "body";
    const char *near = NULL, **names = pl_alloc(count(all), sizeof *names);
    int n = 0;
    if (names == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < count(all); i++) {
        if (name_of(all, i) != NULL) names[n++] = name_of(all, i);
    }
    near = pl_nearest(name, names, n);
    pl_status status =
        near == NULL
            ? pl_json_fail(v, "no %s has the name \"%s\"", what, name)
            : pl_json_fail(v, "no %s has the name \"%s\", did you mean \"%s\"?", what, name, near);
    pl_free(names);
    return status;
}

// The one that has the name; -1 if none has.
static pl_status find(const named *all, const pl_json *v, const char *name, int32_t *out)
{
    *out = -1;
    for (int32_t i = 0; i < count(all); i++) {
        const char *own = name_of(all, i);
        if (own == NULL || strcmp(own, name) != 0) continue;
        if (*out >= 0) {
            return pl_json_fail(v, "\"%s\" is the name of %s and of %s", name, place_of(all, *out),
                                place_of(all, i));
        }
        *out = i;
    }
    return PL_OK;
}

static pl_status text_of(const pl_json *v, const char *what, const char **text)
{
    *text = cJSON_GetStringValue(v->node);
    return *text != NULL ? PL_OK : pl_json_fail(v, "the \"name\" of a %s expected", what);
}

// "ball[3]": copy 3 of "ball".
static pl_status find_copy(const named *all, const pl_json *v, const char *text, int32_t *entry,
                           int32_t *copy)
{
    const char *open = strrchr(text, '['), *close = strrchr(text, ']');
    char *name, *end;
    *entry = -1;
    if (open == NULL || close == NULL || close < open + 2 || close[1] != '\0') return PL_OK;
    long number = strtol(open + 1, &end, 10);
    if (end != close || number < 0) return PL_OK;
    PL_TRY(pl_path_in(&name, NULL, "%.*s", (int)(open - text), text));
    pl_status status = find(all, v, name, entry);
    pl_free(name);
    PL_TRY(status);
    *copy = (int32_t)PL_MIN(number, INT32_MAX);
    if (*entry < 0 || *copy < all->scene->entries[*entry].n) return PL_OK;
    return pl_json_fail(v, "copy %ld of %d: the first is [0]", number,
                        (int)all->scene->entries[*entry].n);
}

pl_status pl_scene_find_body(const pl_scene *scene, const pl_scope *scope, const pl_json *v,
                             int32_t *body)
{
    const named all = {scene, false, scope->prefix};
    const char *text;
    int32_t entry, copy = 0;
    PL_TRY(text_of(v, "body", &text));
    *body = -1;
    if (strcmp(text, "world") == 0) return PL_OK;
    PL_TRY(find(&all, v, text, &entry));
    if (entry >= 0 && scene->entries[entry].n != 1) {
        return pl_json_fail(v, "\"%s\" has %d copies: name one, as in \"%s[0]\"", text,
                            (int)scene->entries[entry].n, text);
    }
    if (entry < 0) PL_TRY(find_copy(&all, v, text, &entry, &copy));
    if (entry < 0) return fail_missing(&all, v, text);
    *body = scene->entries[entry].first + copy;
    if (scene->bodies[*body].simulated) return PL_OK;
    return pl_json_fail(v, "\"%s\" is only drawn (\"material\": null)", text);
}

pl_status pl_scene_find_entry(const pl_scene *scene, const pl_json *v, int32_t *entry)
{
    const named all = {scene, false, ""};
    const char *text;
    PL_TRY(text_of(v, "body", &text));
    PL_TRY(find(&all, v, text, entry));
    return *entry >= 0 ? PL_OK : fail_missing(&all, v, text);
}

pl_status pl_scene_find_joint(const pl_scene *scene, const pl_scope *scope, const pl_json *v,
                              int32_t *joint)
{
    const named all = {scene, true, scope->prefix};
    const char *text;
    PL_TRY(text_of(v, "joint", &text));
    PL_TRY(find(&all, v, text, joint));
    return *joint >= 0 ? PL_OK : fail_missing(&all, v, text);
}
