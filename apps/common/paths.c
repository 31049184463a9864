#include "paths.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Folders ---

pl_status pl_path_in(char **out, const char *folder, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    PL_ASSERT(length >= 0);
    size_t before = folder != NULL ? strlen(folder) + 1 : 0, room = (size_t)length + 1;
    *out = pl_alloc((int64_t)(before + room), 1);
    if (*out == NULL) return PL_ERROR_MEMORY;
    if (folder != NULL) snprintf(*out, before + 1, "%s/", folder);
    va_start(arguments, format);
    vsnprintf(*out + before, room, format, arguments);
    va_end(arguments);
    return PL_OK;
}

bool pl_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool pl_is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

// `path` is changed and changed back.
static pl_status make_folders(char *path)
{
    for (char *p = path + 1;; p++) {
        if (*p != '/' && *p != '\0') continue;
        char end = *p;
        *p = '\0';
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST ? errno : 0;
        if (failed == 0 && !pl_is_folder(path)) failed = ENOTDIR;
        if (failed != 0) return pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(failed));
        *p = end;
        if (end == '\0') return PL_OK;
    }
}

pl_status pl_make_folder(const char *path)
{
    char *copy;
    PL_TRY(pl_path_in(&copy, NULL, "%s", path));
    pl_status status = make_folders(copy);
    pl_free(copy);
    return status;
}

// --- What was left behind ---

static bool is_ours(const char *name, size_t length)
{
    static const char *const ours[] = {".plc", ".plp",  ".vtu", ".pvd", ".obj",
                                       ".ply", ".usda", ".pc2", ".csv"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        size_t n = strlen(ours[i]);
        if (length > n && memcmp(name + length - n, ours[i], n) == 0) return true;
    }
    return false;
}

// Is it "NAME.EXTENSION.partN", see pl_output_open, with an N that no process has?
static bool is_left(const char *name)
{
    static const char part[] = ".part";
    const char *dot = strrchr(name, '.');
    if (dot == NULL || strncmp(dot, part, sizeof part - 1) != 0) return false;
    const char *number = dot + sizeof part - 1;
    size_t digits = strspn(number, "0123456789");
    if (digits == 0 || digits > 9 || number[digits] != '\0') return false;
    if (!is_ours(name, (size_t)(dot - name))) return false;
    return kill((pid_t)atoi(number), 0) != 0 && errno == ESRCH;
}

void pl_remove_parts(const char *folder)
{
    DIR *all = opendir(folder);
    if (all == NULL) return;
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;) {
        char *path;
        if (!is_left(entry->d_name)) continue;
        if (pl_path_in(&path, folder, "%s", entry->d_name) != PL_OK) break;
        unlink(path);
        pl_free(path);
    }
    closedir(all);
}

// --- What paths have in common ---

size_t pl_shared_folder(int64_t n, char *const *path)
{
    const char *slash = strrchr(path[0], '/');
    size_t length = slash != NULL ? (size_t)(slash - path[0]) + 1 : 0;
    for (int64_t i = 1; i < n; i++) {
        while (length > 0 && strncmp(path[0], path[i], length) != 0) {
            do length--;
            while (length > 0 && path[0][length - 1] != '/');
        }
    }
    return length;
}

size_t pl_shared_end(int64_t n, char *const *path)
{
    const char *slash = strchr(path[0], '/');
    if (n < 2 || slash == NULL) return 0;
    for (int64_t i = 1; i < n; i++) {
        while (slash != NULL) {
            size_t length = strlen(slash), all = strlen(path[i]);
            if (length < all && strcmp(slash, path[i] + all - length) == 0) break;
            slash = strchr(slash + 1, '/');
        }
        if (slash == NULL) return 0;
    }
    return slash == path[0] ? 0 : strlen(slash);
}
