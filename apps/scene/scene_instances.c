#include "scene_instances.h"
#include "../common/paths.h"
#include "scene_find.h"
#include "scene_keys.h"

#include <stdio.h>
#include <string.h>

// Instances in instances; an assembly that has one of itself would go on for ever.
enum { DEPTH = 8 };

struct pl_assembly_file {
    char *path;
    cJSON *tree;
};

// --- Assemblies ---

pl_status pl_assemblies_check(const pl_json *root)
{
    pl_json all, item;
    if (!pl_json_get(root, "assemblies", &all)) return PL_OK;
    if (!cJSON_IsObject(all.node)) return pl_json_fail(&all, "an object {...} expected");
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, all.node)
    {
        if (!pl_json_get(&all, child->string, &item) || item.node != child) {
            return pl_json_fail(&all, "the key \"%s\" stands twice", child->string);
        }
        if (cJSON_IsString(child)) continue;
        if (!cJSON_IsObject(child)) {
            return pl_json_fail(&item, "an object {...} or the \"path\" of a scene expected");
        }
        PL_TRY(pl_scene_check_keys(&item, PL_KEYS_ASSEMBLY));
    }
    return PL_OK;
}

static pl_status fail_unknown(const pl_json *all, const pl_json *v, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    const cJSON *child = NULL;
    int n = 0;
    cJSON_ArrayForEach(child, all->node)
    {
        if (n < MOST) names[n++] = child->string;
    }
    if (n == 0) return pl_json_fail(v, "unknown assembly \"%s\": \"assemblies\" has none", name);
    pl_fail_unknown(PL_ERROR_FORMAT, "assembly", name, strlen(name), names, n);
    return pl_json_fail(v, "%s", pl_error_text());
}

// --- Files ---

void pl_assembly_files_free(pl_reader *reader)
{
    for (int32_t i = 0; i < reader->n_file; i++) {
        pl_free(reader->file[i].path);
        cJSON_Delete(reader->file[i].tree);
    }
    pl_free(reader->file);
    reader->file = NULL;
    reader->n_file = 0;
}

static pl_status check_file(const struct pl_assembly_file *file)
{
    pl_json root = pl_json_root(file->tree, file->path);
    PL_TRY(pl_scene_check_keys(&root, PL_KEYS_SCENE));
    return pl_assemblies_check(&root);
}

// Each file is read once; the path is the reader's from now on.
static pl_status open_file(pl_reader *reader, char *path, const struct pl_assembly_file **out)
{
    for (int32_t i = 0; i < reader->n_file; i++) {
        if (strcmp(reader->file[i].path, path) != 0) continue;
        *out = &reader->file[i];
        pl_free(path);
        return PL_OK;
    }
    cJSON *tree = NULL;
    pl_status status = pl_reserve((void **)&reader->file, &reader->file_capacity,
                                  reader->n_file + 1, sizeof *reader->file);
    if (status == PL_OK) status = pl_json_load(path, &tree);
    if (status != PL_OK) {
        pl_free(path);
        return status;
    }
    reader->file[reader->n_file] = (struct pl_assembly_file){path, tree};
    *out = &reader->file[reader->n_file++];
    return check_file(*out);
}

// --- Instances ---

// The object of an assembly, and whose "assemblies" are known in it.
static pl_status find_assembly(pl_reader *reader, const pl_json *at, const pl_scope *scope,
                               pl_json *assembly, pl_json *root)
{
    pl_json v, all;
    const char *name = NULL;
    PL_TRY(pl_json_require(at, "assembly", &v));
    PL_TRY(pl_json_string(at, "assembly", &name));
    *root = scope->root;
    if (!pl_json_get(root, "assemblies", &all) || !pl_json_get(&all, name, assembly)) {
        return fail_unknown(&all, &v, name);
    }
    if (!cJSON_IsString(assembly->node)) return PL_OK;
    const struct pl_assembly_file *file;
    char *path;
    PL_TRY(pl_scene_find_beside(assembly->file, assembly->node->valuestring, &path));
    pl_status status = open_file(reader, path, &file);
    if (status == PL_ERROR_FILE) return pl_json_fail(assembly, "%s", pl_error_text());
    PL_TRY(status);
    *root = *assembly = pl_json_root(file->tree, file->path);
    return PL_OK;
}

static pl_status read_prefix(const pl_json *at, const pl_scope *scope, char prefix[PL_PREFIX])
{
    pl_json v;
    const char *name = NULL;
    PL_TRY(pl_json_require(at, "name", &v));
    PL_TRY(pl_json_string(at, "name", &name));
    int length = snprintf(prefix, PL_PREFIX, "%s%s.", scope->prefix, name);
    if (length < PL_PREFIX) return PL_OK;
    return pl_json_fail(&v, "with those around it, more than %d bytes", PL_PREFIX - 2);
}

static pl_status check_name(const pl_json *array, const pl_json *at, const char *name)
{
    pl_json other = {0}, v;
    pl_json_get(at, "name", &v);
    while (pl_json_next(array, &other) && other.index < at->index) {
        const char *text = NULL;
        PL_TRY(pl_json_string(&other, "name", &text));
        if (strcmp(text, name) == 0) {
            return pl_json_fail(&v, "\"%s\" is the name of instances[%d], too", name, other.index);
        }
    }
    return PL_OK;
}

static pl_status read_instance(pl_reader *reader, const pl_json *array, const pl_json *at,
                               const pl_scope *scope)
{
    pl_json assembly;
    pl_scope inner = {.depth = scope->depth + 1};
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_INSTANCE));
    PL_TRY(read_prefix(at, scope, inner.prefix));
    PL_TRY(check_name(array, at, cJSON_GetObjectItem(at->node, "name")->valuestring));
    PL_TRY(pl_scene_place_read(at, &scope->place, &inner.place));
    PL_TRY(find_assembly(reader, at, scope, &assembly, &inner.root));
    if (inner.depth > DEPTH) {
        return pl_json_fail(at, "more than %d instances in each other; is an assembly in itself?",
                            DEPTH);
    }
    return pl_scene_read_part(reader, &assembly, &inner);
}

pl_status pl_scene_read_instances(pl_reader *reader, const pl_json *at, const pl_scope *scope)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(at, "instances", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    while (pl_json_next(&v, &item)) PL_TRY(read_instance(reader, &v, &item, scope));
    return PL_OK;
}
