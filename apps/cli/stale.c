#include "stale.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

// The step of "checkpoint-000120.plc", -1 for another name.
static int64_t step_of(const char *name)
{
    static const char start[] = "checkpoint-";
    char *end;
    if (strncmp(name, start, sizeof start - 1) != 0) return -1;
    long long step = strtoll(name + sizeof start - 1, &end, 10);
    return strcmp(end, ".plc") == 0 && step >= 0 ? step : -1;
}

void pl_warn_stale(const char *folder, int64_t step)
{
    int n = 0;
    int64_t last = -1;
    DIR *dir = opendir(folder);
    if (dir == NULL) return; // it is about to be made, or whoever writes there says why not
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        int64_t found = step_of(e->d_name);
        if (found <= step) continue;
        n++;
        last = PL_MAX(last, found);
    }
    closedir(dir);
    if (n == 0) return;
    pl_log(
        PL_LOG_WARNING,
        "%s: %d checkpoint%s of an earlier run %s in this folder, up to step %lld: take care which "
        "to resume, or remove %s",
        folder, n, n == 1 ? "" : "s", n == 1 ? "is" : "are", (long long)last,
        n == 1 ? "it" : "them");
}
