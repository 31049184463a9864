#include "data.h"
#include "paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A folder above the program, `up` times its last name cut off; "" if the system does not tell.
static const char *above_command(int up, char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[PL_MAX(length, 0)] = '\0';
    for (int i = 0; i < up; i++) {
        char *slash = strrchr(path, '/');
        if (slash != NULL) *slash = '\0';
    }
    return path;
}

static pl_status name_user_folder(const char *name, char **out)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data != NULL && data[0] == '/') return pl_path_in(out, data, "pliant/%s", name);
    if (home == NULL || home[0] == '\0') return PL_OK;
    return pl_path_in(out, home, ".local/share/pliant/%s", name);
}

static pl_status name_folder(pl_data_kind kind, int i, char **out)
{
    static const char *const names[] = {"scenes", "meshes"};
    static const char *const sources[] = {"apps/scenes", "build/meshes"};
    const char *given = getenv("PLIANT_DATA");
    char path[PATH_MAX];
    switch (i) {
    case 0:
        if (given == NULL || given[0] == '\0') return PL_OK;
        return pl_path_in(out, given, "%s", names[kind]);
    case 1:
        return pl_path_in(out, NULL, "%s", sources[kind]);
    case 2:
        return pl_path_in(out, above_command(2, path), "%s", sources[kind]);
    case 3:
        return name_user_folder(names[kind], out);
    default:
        return pl_path_in(out, above_command(2, path), "share/pliant/%s", names[kind]);
    }
}

pl_status pl_data_folder(pl_data_kind kind, int i, char **out)
{
    *out = NULL;
    PL_TRY(name_folder(kind, i, out));
    if (*out == NULL || pl_is_folder(*out)) return PL_OK;
    pl_free(*out);
    *out = NULL;
    return PL_OK;
}

pl_status pl_data_find(pl_data_kind kind, const char *name, char **out)
{
    pl_status status = PL_OK;
    *out = NULL;
    for (int i = 0; i < PL_DATA_FOLDERS && status == PL_OK && *out == NULL; i++) {
        char *folder;
        status = pl_data_folder(kind, i, &folder);
        if (status == PL_OK && folder != NULL) status = pl_path_in(out, folder, "%s", name);
        pl_free(folder);
        if (*out == NULL || pl_is_file(*out)) continue;
        pl_free(*out);
        *out = NULL;
    }
    return status;
}
