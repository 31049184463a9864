#include "paths.h"

#include <string.h>

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
