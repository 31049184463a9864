#include "scene_find.h"
#include "../common/data.h"
#include "../common/paths.h"
#include "../../base/file.h"
#include "../../base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDERS_TEXT = 1024 };

static const char ENDING[] = ".json";

// --- Scenes ---

// view/WORD.json or WORD.json in the folder; *out is NULL if it has none.
static pl_status find_in(const char *folder, const char *word, char **out)
{
    static const char *const below[] = {"view/", ""}; // in this order
    for (int i = 0; i < 2; i++) {
        PL_TRY(pl_path_in(out, folder, "%s%s%s", below[i], word, ENDING));
        if (access(*out, R_OK) == 0) return PL_OK;
        pl_free(*out);
        *out = NULL;
    }
    return PL_OK;
}

static pl_status fail_unfound(const char *word, const char *folders)
{
    if (folders[0] == '\0') {
        return pl_fail(PL_ERROR_FILE,
                       "there is no scene %s, nor any folder of scenes: name a file, or set "
                       "PLIANT_DATA to a folder with scenes/%s%s",
                       word, word, ENDING);
    }
    return pl_fail(PL_ERROR_FILE,
                   "there is no scene %s%s in %s: name a file, or one that 'pliant --help=scenes' "
                   "lists",
                   word, ENDING, folders);
}

pl_status pl_scene_find(const char *word, char **out)
{
    bool is_path = strchr(word, '/') != NULL || pl_has_extension(word, ENDING);
    if (is_path || pl_is_file(word)) return pl_path_in(out, NULL, "%s", word);
    char folders[FOLDERS_TEXT];
    pl_text text = pl_text_start(folders, sizeof folders);
    pl_status status = PL_OK;
    *out = NULL;
    for (int i = 0; i < PL_DATA_FOLDERS && status == PL_OK && *out == NULL; i++) {
        char *folder;
        status = pl_data_folder(PL_DATA_SCENES, i, &folder);
        if (status != PL_OK || folder == NULL) continue;
        pl_text_add(&text, "%s%s", text.length > 0 ? " or " : "", folder);
        status = find_in(folder, word, out);
        pl_free(folder);
    }
    return status == PL_OK && *out == NULL ? fail_unfound(word, folders) : status;
}

// --- Names ---

typedef struct names {
    char **name; // (n)
    int64_t n, capacity;
} names;

static pl_status add_names(names *all, const char *folder)
{
    DIR *files = opendir(folder);
    pl_status status = PL_OK;
    for (const struct dirent *e;
         files != NULL && status == PL_OK && (e = readdir(files)) != NULL;) {
        if (!pl_has_extension(e->d_name, ENDING)) continue;
        status = pl_reserve((void **)&all->name, &all->capacity, all->n + 1, sizeof *all->name);
        if (status != PL_OK) break;
        int length = (int)(strlen(e->d_name) - strlen(ENDING));
        status = pl_path_in(&all->name[all->n], NULL, "%.*s", length, e->d_name);
        if (status == PL_OK) all->n++;
    }
    if (files != NULL) closedir(files);
    return status;
}

static pl_status add_folder(names *all, int i)
{
    char *folder, *view = NULL;
    PL_TRY(pl_data_folder(PL_DATA_SCENES, i, &folder));
    if (folder == NULL) return PL_OK;
    pl_status status = add_names(all, folder);
    if (status == PL_OK) status = pl_path_in(&view, folder, "view");
    if (status == PL_OK) status = add_names(all, view);
    pl_free(view);
    pl_free(folder);
    return status;
}

static int by_alphabet(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

pl_status pl_scene_print_names(void)
{
    names all = {0};
    pl_status status = PL_OK;
    for (int i = 0; i < PL_DATA_FOLDERS && status == PL_OK; i++) status = add_folder(&all, i);
    if (all.n > 0) qsort(all.name, (size_t)all.n, sizeof *all.name, by_alphabet);
    for (int64_t i = 0; i < all.n; i++) {
        bool again = i > 0 && strcmp(all.name[i], all.name[i - 1]) == 0;
        if (status == PL_OK && !again) printf("%s\n", all.name[i]);
    }
    for (int64_t i = 0; i < all.n; i++) pl_free(all.name[i]);
    pl_free(all.name);
    return status;
}

// --- Meshes ---

pl_status pl_scene_find_beside(const char *scene, const char *word, char **out)
{
    const char *slash = strrchr(scene, '/');
    int folder = word[0] != '/' && slash != NULL ? (int)(slash - scene) + 1 : 0;
    return pl_path_in(out, NULL, "%.*s%s", folder, scene, word);
}

pl_status pl_scene_find_mesh(const char *scene, const char *word, char **out)
{
    char *beside;
    PL_TRY(pl_scene_find_beside(scene, word, &beside));
    *out = NULL;
    pl_status status = PL_OK;
    if (strchr(word, '/') == NULL && !pl_is_file(beside)) {
        status = pl_data_find(PL_DATA_MESHES, word, out);
    }
    if (status == PL_OK && *out == NULL) {
        *out = beside;
    } else {
        pl_free(beside);
    }
    return status;
}

pl_status pl_scene_mesh_recipe(char **out)
{
    char *script;
    PL_TRY(pl_data_find(PL_DATA_MESHES, "make-meshes.sh", &script));
    pl_status status = pl_path_in(out, NULL, "%s", script != NULL ? script : "make meshes");
    pl_free(script);
    return status;
}
